//! The options that say in which form the report is written, and which other options go with each.

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, ValueEnum};

use crate::render::Format::{self, Callgrind, Csv, Dot, Folded, Json, Text};
use crate::view::Threshold;

#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(super) struct OutputArguments {
    /// What is written: the page; all of it for other programs (json); the list (csv); stacks for flame graphs (folded: a
    /// guess, as a call graph does not tell whole stacks; costs of shared callees are split by what each caller paid); the
    /// call graph (dot, for Graphviz); or the profile itself, merged, renamed or differing (callgrind: one part, by lines,
    /// without jumps and addresses)
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: FormatArgument,
}

impl OutputArguments {
    /// The form of the report.
    pub(super) fn format(&self) -> Format {
        match self.format {
            FormatArgument::Text => Format::Text,
            FormatArgument::Json => Format::Json,
            FormatArgument::Csv => Format::Csv,
            FormatArgument::Folded => Format::Folded,
            FormatArgument::Dot => Format::Dot,
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
    Csv,
    Folded,
    Dot,
    Callgrind,
}

/// The forms that show a list of rows.
const LISTS: &[Format] = &[Text, Json, Csv];
/// The forms that are for looking at, unlike the profile itself.
const REPORTS: &[Format] = &[Text, Json, Csv, Folded, Dot];

/// The options that only some forms have a use for, by their names here, and those forms.
const USES: &[(&str, &[Format])] = &[
    ("diff", &[Text, Json, Csv, Dot, Callgrind]),
    ("threshold", LISTS),
    ("top", &[Text, Json, Csv, Dot]),
    ("min", REPORTS),
    ("inclusive", LISTS),
    ("tree", &[Text, Json]),
    ("cycles", &[Text, Json, Csv, Dot]),
    ("demangle", REPORTS),
    ("show_percs", &[Text]),
    ("width", &[Text]),
    ("context", &[Text]),
    ("include", &[Text]),
    ("source_map", &[Text]),
    ("verbose", &[Text]),
];

/// Refuses options that change nothing in the form asked for.
///
/// # Errors
/// What does not go together, in words.
pub(super) fn check(matches: &ArgMatches, format: Format) -> Result<(), String> {
    for &(option, formats) in USES {
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
