//! The command that writes the report, or another format of it.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Args, Command, CommandFactory, FromArgMatches, Parser, ValueHint};

use super::asm::AsmArguments;
use super::diff::{DiffArguments, MatchArgument, PercentArgument};
use super::filters::{ChargeArguments, FilterArguments};
use super::list::{EventArguments, LimitArguments, ListArguments, NamesArgument};
use super::output::{self, FormatArgument, FormatArguments, OutputArguments};
use super::program::ProgramArguments;
use super::read::ReadArguments;
use super::scale::ScaleArguments;
use super::sources::{SourceArguments, folders};
use super::terminal::{self, ColourArguments, PagerArguments};
use super::{EarlyExit, YesNo, generate, help, spelling, unsupported, with_values};
use crate::options::{
    AnnotationOptions, Header, InputOptions, Options, Page, ProgramOptions, Report, StyleOptions,
};
use crate::profile::SuffixFold;
use crate::render::Tree;
use crate::view::{RowBy, RowOptions, SelectionOptions, Threshold};

/// How many rows a table in Markdown has if nothing else is requested.
const MARKDOWN_ROWS: usize = 10;

/// Annotate Callgrind and Cachegrind profiles: hot functions, call trees, source lines.
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
    #[arg(long, hide_short_help = true, value_name = "COLUMNS")]
    width: Option<usize>,
}

/// The definition of the command.
pub(super) fn command() -> Command {
    help::PAGE.add_to(with_values(Arguments::command()))
}

/// Reads the command line.
///
/// # Errors
/// [`EarlyExit`], if there is to be no report.
pub(super) fn parse(words: Vec<OsString>) -> Result<Options, EarlyExit> {
    // Made once: that takes a quarter of the time of a small profile.
    let mut definition = command();
    unsupported::check_page(&definition, &words)?;
    let words = spelling::normalise(&definition, words);
    let matches = definition
        .try_get_matches_from_mut(words)
        .map_err(spelling::without_value_tip)?;
    let arguments = Arguments::from_arg_matches(&matches)?;
    if let Some(what) = arguments.format.generate {
        return Err(EarlyExit::Generated(generate::generate(what)));
    }
    let is_auto_given = matches.value_source("auto") == Some(ValueSource::CommandLine);
    let report = arguments.report(is_auto_given);
    if let Some(text) = arguments.conflict() {
        return Err(command().error(ErrorKind::ArgumentConflict, text).into());
    }
    output::check(&matches, &definition, &report)
        .map_err(|text| command().error(ErrorKind::ArgumentConflict, text))?;
    Ok(arguments.into_options(report))
}

impl Arguments {
    /// What cannot be combined with how rows are grouped.
    fn conflict(&self) -> Option<String> {
        if let Some(text) = self.list.conflict_of_buckets() {
            return Some(text.to_owned());
        }
        let has_functions = !self.list.row_by().is_group() && self.list.finer_rows().is_none();
        if self.list.list().depth.is_some() && !has_functions {
            return Some("--depth requires --group-by=file:function or function".to_owned());
        }
        if let Some(rows) = self.list.finer_rows() {
            return self.conflict_of_finer_rows(rows);
        }
        if self.list.by_instruction() {
            return self.conflict_of_instructions();
        }
        let is_graph = self.format.format == FormatArgument::Dot;
        let others = [
            (self.list.row_by() != RowBy::FileFunction, "--group-by"),
            (self.scale.is_given(), "--per or --normalize"),
            (
                is_graph && !self.diff.diff.is_empty(),
                "--format=dot and --diff",
            ),
        ];
        let other = others.into_iter().find(|(is_given, _)| *is_given);
        let other = other.filter(|_| self.asm.is_given());
        let charged = "--charge-to-callers cannot be combined with --asm, --counts or --jumps";
        let is_charged = !self.charge.charge_to_callers.is_empty() && self.asm.is_any_given();
        other
            .map(|(_, other)| format!("--asm cannot be combined with {other}"))
            .or_else(|| is_charged.then(|| charged.to_owned()))
    }

    /// What cannot be combined with lines, threads or parts as rows.
    fn conflict_of_finer_rows(&self, rows: &str) -> Option<String> {
        let others = [
            (self.list.list().tree != Tree::None, "--tree"),
            (self.list.calls, "--calls"),
            (self.asm.is_given(), "--asm"),
        ];
        let other = others.into_iter().find(|(is_given, _)| *is_given);
        let format = match self.format.format {
            FormatArgument::Dot => Some("--format=dot"),
            FormatArgument::Folded => Some("--format=folded"),
            FormatArgument::Flamegraph => Some("--format=flamegraph"),
            FormatArgument::Pprof => Some("--format=pprof"),
            _ => None,
        };
        let other = other.map(|(_, other)| other).or(format)?;
        Some(format!("--group-by={rows} cannot be combined with {other}"))
    }

    /// What cannot be combined with rows of instructions.
    fn conflict_of_instructions(&self) -> Option<String> {
        let list = self.list.list();
        if !matches!(
            self.format.format,
            FormatArgument::Csv | FormatArgument::Json
        ) {
            return Some(
                "--group-by=instruction requires --format=csv or --format=json".to_owned(),
            );
        }
        let others = [
            (self.asm.is_any_given(), "--asm, --counts or --jumps"),
            (list.inclusive, "--inclusive"),
            (list.tree != Tree::None, "--tree"),
            (self.list.calls, "--calls"),
            (self.list.by_name(), "--order=name"),
            (self.scale.is_given(), "--per or --normalize"),
            (
                !self.charge.charge_to_callers.is_empty(),
                "--charge-to-callers",
            ),
        ];
        let other = others.into_iter().find(|(is_given, _)| *is_given);
        other.map(|(_, other)| format!("--group-by=instruction cannot be combined with {other}"))
    }

    /// What is to be written.
    fn report(&self, is_auto_given: bool) -> Report {
        let list = self.list.list();
        // Instructions are read without sources, unless they are requested too.
        let auto = self.auto.auto.is_yes() && (!self.asm.is_given() || is_auto_given);
        let is_terminal = terminal::is_terminal(self.output.is_stdout());
        match self.format.format {
            FormatArgument::Text => Report::Page(Page {
                list,
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

    fn into_options(self, report: Report) -> Options {
        let output = self.output.into_file();
        let on_stdout = output.is_none();
        let is_page = matches!(report, Report::Page(_));
        let columns = terminal::columns(self.width.width, on_stdout);
        let rows = RowOptions {
            demangles: self.list.demangle.is_yes(),
            short_names: match (self.list.names, &report) {
                (Some(names), _) => names == NamesArgument::Short,
                (None, Report::Dot { .. } | Report::Markdown(_)) => true,
                (None, Report::Page(_)) => {
                    !self.diff.diff.is_empty() || terminal::is_terminal(on_stdout)
                }
                (None, _) => false,
            },
            filter: self.filters.into_filter(),
            row_by: self.list.row_by(),
            buckets: self.list.bucket.clone(),
            exact_match: self.diff.matching == MatchArgument::Exact,
        };
        let mut selection = selection(self.events, self.limits, &self.list, &report);
        selection.shows_rest |= !rows.filter.is_empty()
            || rows.row_by != RowBy::FileFunction
            || self.read.fold() != SuffixFold::default();
        let (mut read, events) = self.read.into_options(matches!(
            report,
            Report::Callgrind | Report::Json(_) | Report::Csv(_)
        ));
        read.shares = self.list.shares_of().map(|divide_by| {
            let mut sort = selection.sort.iter().map(|(name, _)| name);
            let event = sort.find(|name| **name != b"calls");
            (divide_by, event.cloned())
        });
        let code = self
            .asm
            .options(self.sources.context, self.list.by_instruction());
        if code.needs_addresses() {
            // An address has several rows, one for each context and level of recursion.
            read.fold = SuffixFold {
                callers: true,
                recursion: true,
            };
        }
        let object_lines = self.sources.object_lines();
        let limits = self.diff.limits();
        let (include, source_maps) = self.sources.into_places();
        Options {
            input: InputOptions {
                files: self.file,
                charged: self.charge.into_charged(),
                bucket_files: self.list.buckets.clone(),
                base: self.diff.diff,
                read,
                events,
                folders: folders(include),
                base_folders: folders(self.diff.base_include),
                source_maps,
                program: ProgramOptions {
                    base_executable: self.diff.diff_executable,
                    ..self.program.into_options()
                },
                object_lines,
                scale: self.scale.into_options(),
                progress: terminal::shows_progress(),
            },
            report,
            rows,
            code,
            selection,
            style: StyleOptions {
                percentages: self.list.shows_percentages(),
                plain: self.list.by_name(),
                percent_of_total: self.diff.diff_percent == PercentArgument::Total,
                colours: is_page && self.colour.is_on(on_stdout),
                width: columns.filter(|_| is_page),
                fits_events: terminal::is_terminal(on_stdout),
            },
            output,
            pager: self.pager.command(on_stdout),
            limits,
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
    let threshold = match matches!(report, Report::Page(_)) && !list.by_name() {
        true => Threshold::default(),
        false => Threshold::all(),
    };
    if is_markdown && !list.by_name() {
        limits.set_default_top(MARKDOWN_ROWS);
    }
    let mut selection = events.into_options(limits, threshold);
    selection.calls = list.calls || matches!(report, Report::Json(_) | Report::Csv(_));
    selection.by_name = list.by_name();
    selection.shows_rest |= list.calls || is_markdown || matches!(report, Report::Json(_));
    selection
}
