//! The options that say in which form the report is written, and which other options go with each.

use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, ValueEnum};

use super::generate::{GenerateArgument, generate};
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

    /// Write to this file, whole or not at all, in place of standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Print the manual page, or the completions for a shell, and nothing else
    #[arg(long, value_name = "WHAT", exclusive = true)]
    generate: Option<GenerateArgument>,
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

    /// The file to write to; none for standard output.
    pub(super) fn file(&self) -> Option<PathBuf> {
        let names_of_stdout = ["-", "/dev/stdout"].map(Path::new);
        self.output
            .clone()
            .filter(|file| !names_of_stdout.contains(&&**file))
    }

    /// What is to be printed in place of a report.
    pub(super) fn generated(&self, command: Command) -> Option<Vec<u8>> {
        self.generate.map(|what| generate(what, command))
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
const ALLOWED_WITH: &[(&str, &[Format])] = &[
    ("diff", &[Text, Json, Csv, Dot, Callgrind]),
    ("sort", REPORTS),
    ("threshold", LISTS),
    ("top", &[Text, Json, Csv, Dot]),
    ("min", REPORTS),
    ("group_by", REPORTS),
    ("calls", LISTS),
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

/// The options of gprof's views, which stand in place of the page. Those that only narrow what is shown hold for all forms.
const OF_GPROF: &[&str] = &[
    "flat_profile",
    "no_flat_profile",
    "graph",
    "no_graph",
    "exec_counts",
    "no_exec_counts",
    "annotated_source",
    "no_annotated_source",
    "file_info",
    "function_ordering",
    "sum",
    "line",
    "without_calls",
    "display_unused_functions",
    "print_path",
    "index_width",
    "brief",
];

/// Refuses options that change nothing in the form asked for.
///
/// # Errors
/// What does not go together, in words.
pub(super) fn check(matches: &ArgMatches, command: &Command, format: Format) -> Result<(), String> {
    let of_gprof = OF_GPROF.iter().map(|&option| (option, &[Text][..]));
    for (option, formats) in ALLOWED_WITH.iter().copied().chain(of_gprof) {
        let is_given = matches.value_source(option) == Some(ValueSource::CommandLine);
        if is_given && !formats.contains(&format) {
            let (option, format) = (as_written(option, command), format.name());
            return Err(format!("{option} has no meaning with --format={format}"));
        }
    }
    Ok(())
}

/// An option as it is written on the command line.
fn as_written(option: &str, command: &Command) -> String {
    let known = command
        .get_arguments()
        .find(|known| known.get_id() == option);
    let long = known.and_then(|known| known.get_long());
    let short = known.and_then(|known| known.get_short());
    match (long, short) {
        (None, Some(short)) => format!("-{short}"),
        (long, _) => format!("--{}", long.unwrap_or(option)),
    }
}
