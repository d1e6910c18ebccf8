//! The command that writes the report, or another format of it.

mod options;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Args, Command, CommandFactory, FromArgMatches, Parser, ValueHint};

use crate::cli::asm::AsmArguments;
use crate::cli::asm::SourceArguments;
use crate::cli::diff::DiffArguments;
use crate::cli::filters::{ChargeArguments, FilterArguments};
use crate::cli::list::{EventArguments, LimitArguments, ListArguments};
use crate::cli::output::{self, FormatArgument, FormatArguments, OutputArguments};
use crate::cli::program::ProgramArguments;
use crate::cli::read::{ReadArguments, ScaleArguments};
use crate::cli::terminal::{self, ColourArguments, PagerArguments};
use crate::cli::{EarlyExit, YesNo, help, spelling, unsupported, with_values};
use crate::options::{AnnotationOptions, Header, ListOptions, Options, Page, Report};
use crate::render::Tree;
use crate::view::RowBy;

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
    let words = spelling::normalise(definition, words);
    let matches = definition
        .try_get_matches_from_mut(words)
        .map_err(spelling::without_value_tip)?;
    let arguments = Arguments::from_arg_matches(&matches)?;
    if let Some(what) = arguments.format.generate {
        return Err(EarlyExit::Generated(what));
    }
    let is_auto_given = matches.value_source("auto") == Some(ValueSource::CommandLine);
    let report = arguments.report(is_auto_given);
    if let Some(text) = arguments.conflict() {
        return Err(command().error(ErrorKind::ArgumentConflict, text).into());
    }
    output::check(&matches, definition, &report)
        .map_err(|text| command().error(ErrorKind::ArgumentConflict, text))?;
    Ok(arguments.into_options(report))
}

impl Arguments {
    /// What is to be written.
    fn report(&self, is_auto_given: bool) -> Report {
        let list = self.list.list();
        // Instructions are read without sources, unless they are requested too.
        let auto = self.auto.auto.is_yes() && (!self.asm.is_given() || is_auto_given);
        let is_terminal = terminal::is_terminal(self.output.is_stdout());
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

impl Arguments {
    /// What cannot be combined with how rows are grouped.
    fn conflict(&self) -> Option<String> {
        if let Some(text) = self.list.conflict_of_buckets() {
            return Some(text.to_owned());
        }
        let is_for_people = self.format.format != FormatArgument::Json;
        if let Some(other) = self.list.conflict_of_nested(is_for_people) {
            return Some(format!("--nested cannot be combined with {other}"));
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
        let others = [
            (self.list.row_by() != RowBy::FileFunction, "--group-by"),
            (self.scale.is_given(), "--per or --normalize"),
            (!self.diff.diff.is_empty(), "--diff"),
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
            (self.scale.is_given(), "--per or --normalize"),
            (!self.diff.diff.is_empty(), "--diff"),
            (
                !self.charge.charge_to_callers.is_empty(),
                "--charge-to-callers",
            ),
        ];
        let other = others.into_iter().find(|(is_given, _)| *is_given);
        other.map(|(_, other)| format!("--group-by=instruction cannot be combined with {other}"))
    }
}
