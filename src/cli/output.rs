//! The options that say in which form the report is written, and which other options go with each.

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, ValueEnum};

use crate::render::Format;

#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(super) struct OutputArguments {
    /// The form of the report: the page; or the profile itself, merged, renamed or differing, for KCachegrind and others
    /// (one part, by lines; without jumps and addresses)
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: FormatArgument,
}

impl OutputArguments {
    /// The form of the report.
    pub(super) fn format(&self) -> Format {
        match self.format {
            FormatArgument::Text => Format::Text,
            FormatArgument::Callgrind => Format::Callgrind,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatArgument {
    Text,
    Callgrind,
}

/// The options that only some forms have a use for, by their names here, and those forms.
const USES: [(&str, &[Format]); 8] = [
    ("threshold", &[Format::Text]),
    ("show_percs", &[Format::Text]),
    ("inclusive", &[Format::Text]),
    ("tree", &[Format::Text]),
    ("cycles", &[Format::Text]),
    ("demangle", &[Format::Text]),
    ("context", &[Format::Text]),
    ("include", &[Format::Text]),
];

/// Refuses options that change nothing in the form asked for.
///
/// # Errors
/// What does not go together, in words.
pub(super) fn check(matches: &ArgMatches, format: Format) -> Result<(), String> {
    for (option, formats) in USES {
        let is_given = matches.value_source(option) == Some(ValueSource::CommandLine);
        if is_given && !formats.contains(&format) {
            let option = option.replace('_', "-");
            return Err(format!(
                "--{option} has no meaning with --format={}",
                format.name()
            ));
        }
    }
    Ok(())
}
