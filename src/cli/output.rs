//! The options that say in which form the report is written, and which other options go with each.

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, ValueEnum};

use crate::render::Format;
use crate::view::Threshold;

#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(super) struct OutputArguments {
    /// What is written: the page; all of it for other programs, as JSON; or the profile itself, merged, renamed or
    /// differing (one part, by lines, without jumps and addresses)
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: FormatArgument,
}

impl OutputArguments {
    /// The form of the report.
    pub(super) fn format(&self) -> Format {
        match self.format {
            FormatArgument::Text => Format::Text,
            FormatArgument::Json => Format::Json,
            FormatArgument::Callgrind => Format::Callgrind,
        }
    }

    /// How far the list goes where nobody said it: what other programs read is complete.
    pub(super) fn threshold(&self) -> Option<Threshold> {
        (self.format != FormatArgument::Text).then(Threshold::all)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatArgument {
    Text,
    Json,
    Callgrind,
}

/// The options that only some forms have a use for, by their names here, and those forms.
const USES: [(&str, &[Format]); 10] = [
    ("threshold", &[Format::Text, Format::Json]),
    ("show_percs", &[Format::Text]),
    ("inclusive", &[Format::Text, Format::Json]),
    ("tree", &[Format::Text, Format::Json]),
    ("cycles", &[Format::Text, Format::Json]),
    ("demangle", &[Format::Text, Format::Json]),
    ("context", &[Format::Text]),
    ("include", &[Format::Text]),
    ("source_map", &[Format::Text]),
    ("verbose", &[Format::Text]),
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
