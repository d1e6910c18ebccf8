//! The command for gprof's views: its options, with gprof's names and letters.

mod abbreviations;
mod samples;
mod unsupported;
mod views;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgAction, Args, Command, CommandFactory, FromArgMatches, Parser, ValueHint};

use crate::cli::asm::{SourceArguments, default_disassembler, folders};
use crate::cli::filters::FilterArguments;
use crate::cli::help::{NO_COLOR, PAGER, PATTERNS, PROFILES, STATUS, STATUS_1, STATUS_2, Texts};
use crate::cli::list::SelectionArguments;
use crate::cli::output::{OutputArguments, PagerArguments};
use crate::cli::read::ReadArguments;
use crate::cli::unsupported::has_option;
use crate::cli::{EarlyExit, OtherCommand, help, parse_count, with_values, words};
use crate::demangle::NameStyle;
use crate::gprof::cli::samples::SampleArguments;
use crate::gprof::cli::views::{SymspecArguments, ViewArguments};
use crate::gprof::options::{GprofOptions, GprofView};
use crate::gprof::pages::DisplayOptions;
use crate::gprof::views::Symspecs;
use crate::options::{
    CodeOptions, InputOptions, Options, ProgramOptions, ReportKind, StyleOptions,
};
use crate::profile::SuffixFold;
use crate::source::Objdump;
use crate::view::{RowOptions, Threshold};

/// Print gprof's views of gprof data or a Callgrind profile.
///
/// Without options that select views: the flat profile and the call graph.
#[derive(Debug, Parser)]
#[command(name = "cgannotate gprof", version, args_override_self = true)]
struct GprofArguments {
    /// Profiles, the program that wrote gprof data, and source files to annotate
    ///
    /// In any order. Several profiles are summed; `-` is standard input, and a folder is its newest
    /// run. [default: a.out and gmon.out, else the newest run in this directory]
    #[arg(value_hint = ValueHint::FilePath)]
    file: Vec<PathBuf>,

    /// Print version
    #[arg(short = 'v', hide = true, action = ArgAction::Version)]
    version_too: Option<bool>,

    #[command(flatten)]
    views: ViewArguments,

    #[command(flatten)]
    symspecs: SymspecArguments,

    #[command(flatten)]
    display: DisplayArguments,

    #[command(flatten)]
    read: ReadArguments,

    #[command(flatten)]
    samples: SampleArguments,

    #[command(flatten)]
    selection: SelectionArguments,

    #[command(flatten)]
    filters: FilterArguments,

    #[command(flatten)]
    sources: SourceArguments,

    #[command(flatten)]
    output: OutputArguments,

    #[command(flatten)]
    pager: PagerArguments,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
struct DisplayArguments {
    /// Report by line instead of by function
    #[arg(short = 'l', long)]
    line: bool,

    /// With -l -A: print the counts of all basic blocks of a line
    ///
    /// Without it those of the blocks that begin there. Of a Callgrind profile, lines have one
    /// count each.
    #[arg(short = 'x', long)]
    all_lines: bool,

    /// Include functions with no cost and no calls
    #[arg(short = 'z', long)]
    display_unused_functions: bool,

    /// Show full paths
    #[arg(short = 'L', long)]
    print_path: bool,

    /// Print files and lines after names
    #[arg(long)]
    inline_file_names: bool,

    /// Width of the index of the call graph [default: 80]
    #[arg(short, long, value_name = "COLUMNS", value_parser = parse_count::<usize>)]
    width: Option<usize>,

    /// Leave out the explanations of the tables
    #[arg(short, long)]
    brief: bool,

    /// Print the tables in the layout of BSD's gprof
    ///
    /// The call graph is before the flat profile, whose names have their numbers in the call graph.
    /// Names are not demangled.
    #[arg(short = 'T', long, hide_short_help = true)]
    traditional: bool,

    /// Demangle names of C++ and Rust, or of one language
    ///
    /// STYLE is `auto` for both, `gnu-v3` for C++ alone, `rust`, `gnat` for Ada, `java` for what
    /// GCJ compiled, `dlang` for D, or `none`.
    #[arg(long, value_name = "STYLE", num_args = 0..=1, require_equals = true)]
    #[arg(default_value = "auto", default_missing_value = "auto")]
    #[arg(hide_possible_values = true)]
    #[arg(value_parser = words(STYLES))]
    demangle: DemangleStyle,

    /// Do not demangle names
    #[arg(long, overrides_with = "demangle")]
    no_demangle: bool,
}

/// A style of names; none if names are not demangled.
#[derive(Clone, Copy, Debug)]
struct DemangleStyle(Option<NameStyle>);

const STYLES: &[(&str, DemangleStyle)] = &[
    ("auto|yes", DemangleStyle(Some(NameStyle::Auto))),
    ("gnu-v3", DemangleStyle(Some(NameStyle::Cpp))),
    ("rust", DemangleStyle(Some(NameStyle::Rust))),
    ("gnat", DemangleStyle(Some(NameStyle::Gnat))),
    ("java", DemangleStyle(Some(NameStyle::Java))),
    ("dlang", DemangleStyle(Some(NameStyle::Dlang))),
    ("none|no", DemangleStyle(None)),
];

/// The help of options of both commands where the normal one names options that this command does
/// not have: name, the first line, what follows it.
const HELP: [(&str, &str, &str); 5] = [
    (
        "show",
        "Further events for the flat profile",
        "They are shown in this order, each in a column. Ratios need no definition: `D1mr/Dr` is the rate of read misses.",
    ),
    (
        "sort",
        "The event that takes the place of time [default: the first]",
        "With -A there may be several, each with a threshold of its own, as in `Ir:90,Dr:50`.",
    ),
    (
        "min",
        "With -A: only functions of at least this percentage",
        "It refers to the first sort event, and replaces the default --threshold.",
    ),
    (
        "mine",
        "Only my code, with what libraries cost it",
        "The sources below the current directory, and in their costs those of all other code that they call: as with \
            --file='./*', and --charge-to-callers for what is elsewhere.",
    ),
    (
        "fold",
        "Merge calling contexts (f'caller)",
        "They come from Callgrind's option --separate-callers. Recursion levels (f'2) are always merged.",
    ),
];

const TEXTS: Texts = Texts {
    name: "cgannotate-gprof",
    synopsis: &["[OPTIONS] [PROFILE]... [SOURCE]..."],
    before: "",
    examples: &[
        "cgannotate gprof -b PROFILE | the flat profile and the call graph",
        "cgannotate gprof -p PROGRAM gmon.out | the flat profile of gprof data",
        "cgannotate gprof -qmain PROFILE | the call graph of main and its callees",
        "cgannotate gprof -Awords.c: PROFILE | one source file, line by line",
    ],
    columns: "",
    sections: &[
        (
            "Symspecs",
            &[
                "FUNCTION | is a function of this name.",
                "FILE: | is all functions of a source file; so is FILE if it has a dot.",
                "FILE:FUNCTION, FILE:LINE, LINE | are a function or a line of a file.",
                "FROM/TO | are the calls from one function to another; an empty side matches every function.",
                "FILE and FUNCTION may be globs. A value follows its letter at once, as in -pmain, if it may be missing.",
            ],
        ),
        PATTERNS,
        ("Exit status", &[STATUS, STATUS_1, STATUS_2]),
        ("Files", &[PROFILES, "callgrind.sum | The file that --sum writes."]),
        (
            "Environment",
            &[
                "GPROF_PATH | Folders to search for sources, after those of -I.",
                "OBJDUMP | The disassembler that finds calls for -c, with its options.",
                NO_COLOR,
                PAGER,
            ],
        ),
    ],
    man_sections: &[],
    see_also: "cgannotate(1), gprof(1), valgrind(1)",
};

/// The options of the normal report whose letters have another meaning in gprof.
const WITHOUT_LETTER: [&str; 4] = ["function", "sort", "top", "output"];

/// The command, for those that parse command lines and write manuals.
pub const COMMAND: OtherCommand = OtherCommand { command, parse, texts: &TEXTS, knows };

fn command() -> Command {
    TEXTS.add_to(definition())
}

/// Whether an option is one of GNU gprof, be it supported or not.
fn knows(option: &str) -> bool {
    has_option(&command(), option) || unsupported::unsupported(option).is_some()
}

fn definition() -> Command {
    let command = GprofArguments::command().bin_name("cgannotate gprof").display_name("cgannotate");
    let mut command = with_values(command);
    for option in WITHOUT_LETTER {
        command = command.mut_arg(option, |arg| arg.short(None));
    }
    for (option, first, rest) in HELP {
        command =
            command.mut_arg(option, |arg| arg.help(first).long_help(format!("{first}\n\n{rest}")));
    }
    command.mut_arg("include", |arg| arg.alias("directory-path"))
}

/// Parses the command line without the word `gprof`.
fn parse(words: Vec<OsString>) -> Result<Options, EarlyExit> {
    let mut definition = definition();
    let words = attach_values(&definition, words.into_iter());
    let words = whole_options(&definition, words)
        .map_err(|text| command().error(ErrorKind::UnknownArgument, text))?;
    let unknown = |option: &str, _: &str| unsupported::of_page(option);
    let matches = definition
        .try_get_matches_from_mut(&words)
        .map_err(|error| help::explained(error, command, &words, unknown))?;
    let mut arguments = GprofArguments::from_arg_matches(&matches)?;
    arguments.views.read_other_graph();
    let invalid = |text| command().error(ErrorKind::ValueValidation, text);
    let views = arguments.views.views(arguments.display.traditional).map_err(invalid)?;
    let symspecs = arguments.symspecs.symspecs(&arguments.views).map_err(invalid)?;
    unsupported::check_views(&matches, &views)
        .map_err(|text| command().error(ErrorKind::ArgumentConflict, text))?;
    Ok(arguments.into_options(views, symspecs))
}

impl GprofArguments {
    fn report(&self, views: Vec<GprofView>, symspecs: Symspecs) -> GprofOptions {
        let (program, arguments) = default_disassembler();
        GprofOptions {
            views,
            is_default: self.views.is_empty(),
            top_lines: self.samples.table_length,
            separate_files: self.samples.separate_files,
            min_count: self.samples.min_count,
            all_blocks: self.display.all_lines,
            style: self.display.demangle.0.unwrap_or_default(),
            static_calls: self.symspecs.static_calls(),
            objdump: Objdump { program, arguments, context: 0 },
            display: DisplayOptions {
                with_files: self.display.inline_file_names,
                by_line: self.display.line,
                full_paths: self.display.print_path,
                width: self.display.width.unwrap_or(80),
                is_traditional: self.display.traditional,
                explains: !self.display.brief,
                lists_hidden: true,
                zeros: self.display.display_unused_functions,
                escapes: false,
            },
            symspecs,
        }
    }

    fn into_options(mut self, views: Vec<GprofView>, symspecs: Symspecs) -> Options {
        let report = self.report(views, symspecs);
        let output = self.output.into_file();
        let kept = self.filters.take_kept();
        let (filter, charged, _) = self.filters.into_options(false);
        let rows = RowOptions {
            demangles: !self.display.no_demangle
                && !self.display.traditional
                && self.display.demangle.0.is_some(),
            filter,
            ..RowOptions::default()
        };
        let mut selection = self.selection.into_options(Threshold::default());
        selection.list.shows_omitted |=
            !rows.filter.is_empty() || self.read.merged_suffixes() != SuffixFold::default();
        let is_profile = report.views.contains(&GprofView::Sum);
        let input = self.read.into_options(self.file, is_profile);
        let counts_lines = report.display.by_line && report.has_counts();
        let include = self.sources.include.into_iter().chain(std::env::var_os("GPROF_PATH"));
        // As in gprof, each value is a list of directories.
        let include: Vec<_> = include.flat_map(split_paths).collect();
        Options {
            code: CodeOptions { counts: counts_lines, ..CodeOptions::default() },
            input: InputOptions {
                charged,
                kept,
                folders: folders(include),
                source_maps: self.sources.source_map,
                program: ProgramOptions {
                    object_map: self.views.file_ordering,
                    ..self.samples.into_options(input.program)
                },
                ..input
            },
            report: ReportKind::Gprof(report),
            rows,
            selection,
            style: StyleOptions::default(),
            pager: self.pager.command(output.is_none()),
            output,
            limits: Vec::new(),
            of_lists: Vec::new(),
            columns: Vec::new(),
            inverted: false,
            foreign: None,
        }
    }
}

/// Splits a list of directories such as `a:b`.
fn split_paths(list: OsString) -> Vec<OsString> {
    let folders = std::env::split_paths(&list).filter(|folder| !folder.as_os_str().is_empty());
    folders.map(PathBuf::into_os_string).collect()
}

/// Replaces long options that are cut short.
fn whole_options(command: &Command, words: Vec<OsString>) -> Result<Vec<OsString>, String> {
    let mut is_option = true;
    let whole = |word: OsString| {
        is_option &= word != "--";
        let text = word.to_str().filter(|_| is_option);
        let whole = text.map(|text| abbreviations::whole(command, text)).transpose()?.flatten();
        Ok(whole.map_or(word, OsString::from))
    };
    words.into_iter().map(whole).collect()
}

/// Inserts `=` between short options and values that gprof accepts only attached, as in `-pmain`:
/// clap accepts optional values only after `=`.
fn attach_values(command: &Command, words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut is_option = true;
    let attached = |(at, word): (usize, OsString)| {
        is_option &= word != "--";
        let text = word.to_str().filter(|_| at > 0 && is_option);
        let attached = text.and_then(|text| {
            let letters = text.strip_prefix('-')?;
            let value = value_of_optional(command, letters)?;
            let (option, value) = text.split_at(1 + value);
            Some(format!("{option}={value}").into())
        });
        attached.unwrap_or(word)
    };
    words.enumerate().map(attached).collect()
}

/// The index in a bundle of letters at which the value of an option with an optional value begins.
fn value_of_optional(command: &Command, letters: &str) -> Option<usize> {
    for (at, letter) in letters.char_indices() {
        let option = command.get_arguments().find(|arg| arg.get_short() == Some(letter))?;
        if option.is_require_equals_set() {
            let value = at + letter.len_utf8();
            let rest = &letters[value..];
            return (!rest.is_empty() && !rest.starts_with('=')).then_some(value);
        }
        if option.get_action().takes_values() {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_only_options_that_gprof_has() {
        help::tests::check(command(), &TEXTS);
    }
}
