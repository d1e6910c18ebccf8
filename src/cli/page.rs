//! The command that writes the report, or another format of it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Args, Command, CommandFactory, FromArgMatches, Parser, ValueEnum, ValueHint};

use crate::cli::asm::{AsmArguments, SourceArguments, folders};
use crate::cli::filters::{ChargeArguments, FilterArguments};
use crate::cli::list::{EventArguments, LimitArguments, ListArguments, NamesArgument};
use crate::cli::output::{
    self, ColourArguments, FormatArgument, FormatArguments, OutputArguments, PagerArguments,
};
use crate::cli::program::ProgramArguments;
use crate::cli::read::{ReadArguments, ScaleArguments};
use crate::cli::{EarlyExit, YesNo, conflicts, help, unsupported, with_values};
use crate::options::{
    AnnotationOptions, Header, InputOptions, ListOptions, Options, Page, ProgramOptions, Report,
    StyleOptions,
};
use crate::profile::SuffixFold;
use crate::read::ReadOptions;
use crate::view::{Limit, Percentage, RowBy, RowOptions, SelectionOptions, Threshold};

/// Annotate Callgrind and Cachegrind profiles: hot functions, call trees, source lines.
///
/// Shows where a program spends its time: the most expensive functions, their callers, and the cost of each source line
/// and instruction. Compares profiles, and writes JSON, CSV, flame graphs and call graphs. Also reads gmon.out and what other
/// profilers write in Callgrind's format. An option with yes|no means yes without a value; --no-OPTION is --OPTION=no.
#[derive(Debug, Parser)]
#[command(name = "cgannotate", version, args_override_self = true)]
struct Arguments {
    /// Profiles, and source files to annotate
    ///
    /// Several profiles are summed; `-` is standard input. [default: the newest run in this directory]
    #[arg(hide_short_help = true, value_hint = ValueHint::FilePath)]
    file: Vec<PathBuf>,

    #[command(flatten)]
    diff: DiffArguments,

    #[command(flatten)]
    read: ReadArguments,

    #[command(flatten)]
    program: ProgramArguments,

    #[command(flatten)]
    events: EventArguments,

    #[command(flatten)]
    limits: LimitArguments,

    #[command(flatten)]
    list: ListArguments,

    #[command(flatten)]
    scale: ScaleArguments,

    #[command(flatten)]
    filters: FilterArguments,

    #[command(flatten)]
    charge: ChargeArguments,

    #[command(flatten)]
    auto: AutoArguments,

    #[command(flatten)]
    sources: SourceArguments,

    #[command(flatten)]
    asm: AsmArguments,

    #[command(flatten)]
    format: FormatArguments,

    #[command(flatten)]
    output: OutputArguments,

    #[command(flatten)]
    colour: ColourArguments,

    #[command(flatten)]
    width: WidthArguments,

    #[command(flatten)]
    pager: PagerArguments,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Sources and instructions")]
struct AutoArguments {
    /// Annotate the sources of all listed functions
    ///
    /// --annotate is the same, and on a terminal includes sources of the system and of toolchains.
    #[arg(long, value_name = "yes|no", default_value = "yes")]
    auto: YesNo,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
struct WidthArguments {
    /// Print the header [default: yes; two lines on a terminal]
    #[arg(long, hide_short_help = true, value_name = "yes|no")]
    header: Option<YesNo>,

    /// Shorten names to fit COLUMNS; 0: never
    ///
    /// [default: the width of the terminal; 0 for pipes and files]
    #[arg(long, hide_short_help = true, value_name = "COLUMNS", value_parser = super::parse_count::<usize>)]
    width: Option<usize>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
struct DiffArguments {
    /// Compare with this profile: costs before and after
    ///
    /// May be repeated: several profiles are summed.
    #[arg(long, value_name = "BASE", value_hint = ValueHint::FilePath)]
    diff: Vec<PathBuf>,

    /// Search this directory for BASE's sources (repeatable)
    ///
    /// Lines are then compared by their text: costs before and after are beside the same line, also where it moved, and
    /// removed lines are shown where they were. -I is for the sources of the new profile.
    #[arg(long, hide_short_help = true, value_name = "DIR", requires = "diff")]
    #[arg(value_hint = ValueHint::DirPath)]
    base_include: Vec<OsString>,

    /// The program that wrote BASE, if it is gprof's data
    #[arg(long, hide_short_help = true, value_name = "FILE", requires = "diff")]
    #[arg(value_hint = ValueHint::FilePath)]
    diff_executable: Option<PathBuf>,

    /// With --diff: percent of the row before, or of BASE's total
    ///
    /// `row` is the change in percent of the same figure of BASE, `total` in percent of BASE's total.
    #[arg(long, hide_short_help = true, value_name = "row|total")]
    #[arg(requires = "diff", default_value = "row", hide_possible_values = true)]
    diff_percent: PercentArgument,

    /// With --diff: how paths and names are compared
    ///
    /// `auto` pairs paths that only one side has by their ends, and leaves what varies from build to build out of names:
    /// [clone .isra.0], hashes, addresses of functions without names. `exact` does neither.
    #[arg(long = "match", hide_short_help = true, value_name = "auto|exact")]
    #[arg(requires = "diff", default_value = "auto", hide_possible_values = true)]
    matching: MatchArgument,

    /// With --diff: exit status 3 if the total grew by more
    ///
    /// The total is that of the first event to sort by, or of EVENT; with --function, --file or --object it is the self
    /// cost of the matching rows. May be repeated. A line on standard error says what came of it.
    #[arg(long, value_name = "[EVENT:]PERCENT", requires = "diff", value_parser = parse_limit)]
    fail_above: Vec<Limit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PercentArgument {
    Row,
    Total,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MatchArgument {
    Auto,
    Exact,
}

fn parse_limit(text: &str) -> Result<Limit, String> {
    let (event, percent) = match text.rsplit_once(':') {
        Some((event, percent)) => (Some(event.as_bytes().to_vec()), percent),
        None => (None, text),
    };
    Ok(Limit {
        event,
        percent: Percentage::parse(percent).ok_or("expected a percentage")?,
    })
}

/// The definition of the command.
pub(super) fn command() -> Command {
    help::PAGE.add_to(with_values(Arguments::command()))
}

/// The definition that command lines are read with. Making it takes a quarter of the time of a small profile, and freeing
/// its thousand strings, as happens to no static, would take a tenth.
static DEFINITION: Mutex<Option<Command>> = Mutex::new(None);

/// Reads the command line.
///
/// # Errors
/// [`EarlyExit`], if there is to be no report.
pub(super) fn parse(words: Vec<OsString>) -> Result<Options, EarlyExit> {
    let mut definition = DEFINITION.lock().unwrap_or_else(PoisonError::into_inner);
    let definition = definition.get_or_insert_with(command);
    unsupported::check_page(definition, &words)?;
    let words = unsupported::normalise(definition, words);
    let matches = definition
        .try_get_matches_from_mut(words)
        .map_err(unsupported::without_value_tip)?;
    let arguments = Arguments::from_arg_matches(&matches)?;
    if let Some(what) = arguments.format.generate {
        return Err(EarlyExit::Generated(what));
    }
    let is_auto_given = matches.value_source("auto") == Some(ValueSource::CommandLine);
    let report = arguments.report(is_auto_given);
    conflicts::check(&matches, definition)
        .map_err(|text| command().error(ErrorKind::ArgumentConflict, text))?;
    Ok(arguments.into_options(report))
}

impl Arguments {
    /// What is to be written.
    fn report(&self, is_auto_given: bool) -> Report {
        let list = self.list.list();
        // Instructions are read without sources, unless they are requested too.
        let auto = self.auto.auto.is_yes() && (!self.asm.is_given() || is_auto_given);
        let is_terminal = output::is_terminal(self.output.is_stdout());
        match self.format.format {
            FormatArgument::Text => Report::Page(Page {
                list: ListOptions {
                    nested: list.nested || is_terminal && self.list.nests_by_default(),
                    ..list
                },
                annotation: AnnotationOptions {
                    skips_system: is_terminal && !is_auto_given,
                    includes_newer: auto && is_auto_given,
                    counts_missing: is_terminal,
                    ..self.sources.annotation(auto)
                },
                header: match self.width.header {
                    Some(YesNo::Yes) => Header::Full,
                    Some(YesNo::No) => Header::None,
                    None if is_terminal => Header::Short,
                    None => Header::Full,
                },
            }),
            FormatArgument::Json => Report::Json(list),
            FormatArgument::Csv => Report::Csv(list),
            FormatArgument::Markdown => Report::Markdown(list),
            FormatArgument::Folded => Report::Folded,
            FormatArgument::Flamegraph => Report::FlameGraph,
            FormatArgument::Pprof => Report::Pprof,
            FormatArgument::Dot => Report::Dot {
                cycles: list.cycles,
            },
            FormatArgument::Callgrind => Report::Callgrind,
        }
    }
}

/// How many rows a table in Markdown has if nothing else is requested.
const MARKDOWN_ROWS: usize = 10;

/// How many columns its short names take, with the files they are in.
const MARKDOWN_COLUMNS: usize = 64;

impl Arguments {
    fn into_options(self, report: Report) -> Options {
        let on_stdout = self.output.is_stdout();
        let style = self.style(&report);
        let code = self
            .asm
            .options(self.sources.context, self.list.by_instruction());
        let pager = self.pager.command(on_stdout);
        let rows = RowOptions {
            demangles: self.list.demangle.is_yes(),
            short_names: self.has_short_names(&report),
            filter: self.filters.into_filter(),
            row_by: self.list.row_by(),
            buckets: self.list.bucket.clone(),
            exact_match: self.diff.matching == MatchArgument::Exact,
        };
        let mut selection = selection(self.events, self.limits, &self.list, &report);
        selection.shows_omitted |= !rows.filter.is_empty()
            || rows.row_by != RowBy::FileFunction
            || self.read.fold() != SuffixFold::default();
        let is_complete = matches!(report, Report::Callgrind | Report::Json(_) | Report::Csv(_));
        let (read, events) = self.read.into_options(is_complete);
        let (include, source_maps) = self.sources.into_places();
        Options {
            input: InputOptions {
                files: self.file,
                charged: self.charge.into_charged(),
                bucket_files: self.list.buckets.clone(),
                base: self.diff.diff,
                read: ReadOptions {
                    fold: if code.asm.is_some() || code.by_instruction {
                        // An address has several rows, one for each context and level of recursion.
                        SuffixFold {
                            callers: true,
                            recursion: true,
                        }
                    } else {
                        read.fold
                    },
                    ..read
                },
                events,
                folders: folders(include),
                base_folders: folders(self.diff.base_include),
                source_maps,
                program: ProgramOptions {
                    base_executable: self.diff.diff_executable,
                    ..self.program.into_options()
                },
                scale: self.scale.into_options(),
                progress: output::shows_progress(),
            },
            report,
            rows,
            code,
            selection,
            style,
            output: self.output.into_file(),
            pager,
            limits: self.diff.fail_above,
        }
    }

    /// How the report looks.
    fn style(&self, report: &Report) -> StyleOptions {
        let on_stdout = self.output.is_stdout();
        let is_page = matches!(report, Report::Page(_));
        StyleOptions {
            percentages: self.list.shows_percentages(),
            percent_of_total: self.diff.diff_percent == PercentArgument::Total,
            colours: is_page && self.colour.is_on(on_stdout),
            width: match report {
                Report::Page(_) => output::columns(self.width.width, on_stdout),
                Report::Markdown(_) => self.has_short_names(report).then_some(MARKDOWN_COLUMNS),
                _ => None,
            },
            fits_events: is_page && output::is_terminal(on_stdout),
        }
    }

    /// Whether functions have short names if none are requested: where a person reads them.
    fn has_short_names(&self, report: &Report) -> bool {
        match (self.list.names, report) {
            (Some(names), _) => names == NamesArgument::Short,
            (None, Report::Dot { .. } | Report::Markdown(_)) => true,
            (None, Report::Page(_)) => {
                !self.diff.diff.is_empty() || output::is_terminal(self.output.is_stdout())
            }
            (None, _) => false,
        }
    }
}

/// Which rows and events are shown.
fn selection(
    events: EventArguments,
    mut limits: LimitArguments,
    list: &ListArguments,
    report: &Report,
) -> SelectionOptions {
    let is_markdown = matches!(report, Report::Markdown(_));
    // What other programs read is complete.
    let threshold = match matches!(report, Report::Page(_)) {
        true => Threshold::default(),
        false => Threshold::all(),
    };
    if is_markdown {
        limits.set_default_top(MARKDOWN_ROWS);
    }
    let mut selection = events.into_options(limits, threshold);
    selection.calls = list.calls || matches!(report, Report::Json(_) | Report::Csv(_));
    selection.shows_omitted |= list.calls || is_markdown || matches!(report, Report::Json(_));
    selection
}
