//! The options that say where a report is written and in which format, and which other options go with each.

use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, ValueEnum, ValueHint};

use super::YesNo;
use crate::options::Report;

/// What can be made from the definition of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GenerateArgument {
    Man,
    ManGprof,
    CompleteBash,
    CompleteZsh,
    CompleteFish,
}

/// For both commands.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(super) struct OutputArguments {
    /// Write to FILE instead of standard output
    ///
    /// The file appears when all is written, or not at all.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
}

/// For the report and its formats.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(super) struct FormatArguments {
    /// text, json, csv, markdown, dot, folded, flamegraph, ...
    ///
    /// json has the list with callees and lines, csv the list, markdown its first rows for a pull request; folded has
    /// estimated stacks (with --top the most expensive ones), flamegraph draws them (SVG), pprof has them for pprof, Speedscope
    /// and Pyroscope, dot the call graph for Graphviz (its 60 most expensive functions unless --top or --min is given), callgrind
    /// the profile itself: merged, renamed or filtered, with addresses and jumps.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    pub(super) format: FormatArgument,

    /// Print a man page or shell completions and exit
    #[arg(long, hide_short_help = true, value_name = "WHAT", exclusive = true)]
    pub(super) generate: Option<GenerateArgument>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatArgument {
    Text,
    Json,
    Csv,
    Markdown,
    Folded,
    Flamegraph,
    Pprof,
    Dot,
    Callgrind,
}

impl OutputArguments {
    pub(super) fn is_stdout(&self) -> bool {
        self.output.as_deref().is_none_or(is_name_of_stdout)
    }

    /// The file to write to; none for standard output.
    pub(super) fn into_file(self) -> Option<PathBuf> {
        self.output.filter(|file| !is_name_of_stdout(file))
    }
}

fn is_name_of_stdout(file: &Path) -> bool {
    ["-", "/dev/stdout"].map(Path::new).contains(&file)
}

/// The options that only the page has a use for.
const OF_PAGE: [&str; 6] = [
    "show_percs",
    "width",
    "verbose",
    "asm_source",
    "header",
    "depth",
];

/// Those about lines, which JSON has too.
const OF_LINES: [&str; 2] = ["counts", "jumps"];

/// Those that instructions have a use for too.
const OF_CODE: [&str; 5] = ["asm", "asm_threshold", "asm_raw", "objdump", "context"];

/// Where sources are.
const OF_SOURCES: [&str; 2] = ["include", "source_map"];

/// The options that would change nothing in a report.
fn unused(report: &Report, has_code: bool, has_sources: bool) -> Vec<&'static str> {
    let of_lists = ["threshold", "calls", "inclusive"];
    let of_stacks = ["tree", "nested", "cycles", "per", "names"];
    let others: &[&[&str]] = match report {
        Report::Page(_) | Report::Gprof(_) => return Vec::new(),
        Report::Json(_) => &[&["names"]],
        Report::Csv(_) => &[&["tree", "nested"]],
        Report::Markdown(_) => &[&["tree"]],
        Report::Dot { .. } => &[&of_lists, &["tree", "nested"]],
        Report::Folded | Report::FlameGraph => &[&of_lists, &of_stacks],
        Report::Pprof => &[&["diff"], &of_lists, &of_stacks],
        Report::Callgrind => &[
            &["diff", "sort"],
            &of_lists,
            &[
                "top", "min", "group_by", "tree", "nested", "cycles", "demangle", "per", "names",
            ],
        ],
    };
    let others = others.iter().copied().flatten();
    let is_json = matches!(report, Report::Json(_));
    let is_table = matches!(
        report,
        Report::Markdown(_) | Report::Json(_) | Report::Csv(_)
    );
    let has_code = has_code && matches!(report, Report::Json(_) | Report::Dot { .. });
    let of_code = OF_CODE.iter().filter(|_| !has_code);
    let has_sources = has_code || has_sources && is_table;
    let of_sources = OF_SOURCES.iter().filter(|_| !has_sources);
    let of_lines = OF_LINES.iter().filter(|_| !is_json);
    let of_page = OF_PAGE.iter();
    let of_page = of_page.filter(|option| !is_table || **option != "show_percs");
    let of_page = of_page.filter(|option| !is_json || **option != "depth");
    let others = others.chain(of_page).chain(of_code).chain(of_sources);
    others.chain(of_lines).copied().collect()
}

/// Refuses options that would change nothing in the report.
///
/// # Errors
/// What cannot be combined, in words.
pub(super) fn check(
    matches: &ArgMatches,
    command: &Command,
    report: &Report,
) -> Result<(), String> {
    let is_given = |option: &&str| matches.value_source(option) == Some(ValueSource::CommandLine);
    let has_code = is_given(&"asm");
    // Lines are rows, or nested in them, or aligned by their text.
    let rows = matches.get_raw("group_by").into_iter().flatten();
    let has_sources = rows.into_iter().any(|rows| rows == "line")
        || is_given(&"nested")
        || matches!(report, Report::Json(_)) && is_given(&"diff");
    let mut unused = unused(report, has_code, has_sources);
    // Where names are written as they are, that may be said.
    let demangle = matches.get_one::<YesNo>("demangle");
    if demangle.is_some_and(|demangle| !demangle.is_yes()) {
        unused.retain(|option| *option != "demangle");
    }
    let given = unused.into_iter().find(is_given);
    given.map_or(Ok(()), |option| {
        let (option, format) = (as_written(option, command), report.format());
        Err(format!(
            "{option} cannot be combined with --format={format}"
        ))
    })
}

/// An option as it is written on the command line.
fn as_written(option: &str, command: &Command) -> String {
    let known = command
        .get_arguments()
        .find(|known| known.get_id() == option);
    let long = known.and_then(|known| known.get_long());
    format!("--{}", long.unwrap_or(option))
}
