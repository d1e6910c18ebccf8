//! The command that writes the report, or another format of it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use clap::error::ErrorKind;
use clap::{
    ArgAction, ArgMatches, Args, Command, CommandFactory, FromArgMatches, Parser, ValueHint,
};

use crate::cli::asm::{AsmArguments, SourceArguments, folders};
use crate::cli::filters::FilterArguments;
use crate::cli::list::{Grouping, ListArguments, SelectionArguments};
use crate::cli::output::{
    self, FormatArguments, GenerateArgument, OutputArguments, PagerArguments,
};
use crate::cli::read::ReadArguments;
use crate::cli::{EarlyExit, conflicts, help, is_given, unsupported, with_values, words};
use crate::options::{
    AnnotationOptions, Header, InputOptions, Layout, ListOptions, Options, Page, ProgramOptions,
    Report, StyleOptions,
};
use crate::profile::SuffixFold;
use crate::render::Form;
use crate::view::{Limit, Percentage, RowBy, RowOptions, SelectionOptions, Threshold};

/// Annotate Callgrind and Cachegrind profiles: functions, call trees, source lines.
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
    selection: SelectionArguments,

    #[command(flatten)]
    list: ListArguments,

    #[command(flatten)]
    filters: FilterArguments,

    /// Show inlined functions as functions
    ///
    /// The debug information of the objects says which functions were inlined at the addresses of the profile, which Callgrind
    /// records with --dump-instr=yes. They have rows, callers and callees like other functions; only how often they were called is
    /// not known. An object that is not the profiled one is not used.
    #[arg(long, alias = "inline", help_heading = "Report")]
    inlines: bool,

    /// Annotate the sources of all listed functions
    ///
    /// Those of the system and of toolchains too. Without the option they are annotated in the classic layout, if no option
    /// is given that callgrind_annotate does not have. (Other spelling: annotate.)
    #[arg(long, alias = "annotate", value_name = "yes|no", default_value = "yes")]
    #[arg(hide_default_value = true, help_heading = "Sources and instructions")]
    auto: bool,

    /// Lines of context around annotated lines
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 8, value_parser = super::parse_count::<u32>)]
    #[arg(help_heading = "Sources and instructions")]
    context: u32,

    #[command(flatten)]
    sources: SourceArguments,

    #[command(flatten)]
    asm: AsmArguments,

    #[command(flatten)]
    format: FormatArguments,

    #[command(flatten)]
    output: OutputArguments,

    #[command(flatten)]
    width: WidthArguments,

    #[command(flatten)]
    pager: PagerArguments,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
struct WidthArguments {
    /// The list: auto, columns or classic
    ///
    /// `columns` has self and inclusive costs side by side, a line for each function and all levels of its recursion, as wide as the terminal (120 columns in
    /// a pipe) and at most 40 of them. Sources that are named, and instructions, come without a list. `classic` is
    /// callgrind_annotate's page. `auto` is columns on a terminal, and if columns or a width are given, otherwise classic.
    #[arg(long, hide_short_help = true, value_name = "LAYOUT")]
    #[arg(default_value = "auto")]
    #[arg(hide_possible_values = true, hide_default_value = true, value_parser = words(LAYOUTS))]
    layout: LayoutChoice,

    /// Print the header [default: yes; one line in columns]
    ///
    /// That of csv and tsv is the names of the columns.
    #[arg(long, hide_short_help = true, value_name = "yes|no")]
    header: Option<bool>,

    /// Shorten lines to fit COLUMNS; 0: never
    ///
    /// [default: the width of the terminal; 120 for --layout=columns in a pipe]
    #[arg(long, hide_short_help = true, value_name = "COLUMNS", value_parser = super::parse_count::<usize>)]
    width: Option<usize>,
}

/// The layout; none if it depends on where the report goes.
type LayoutChoice = Option<Layout>;

const LAYOUTS: &[(&str, LayoutChoice)] =
    &[("auto", None), ("columns", Some(Layout::Columns)), ("classic", Some(Layout::Classic))];

#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
struct DiffArguments {
    /// Show what changed since this profile
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

    /// With --diff: how paths and names are compared
    ///
    /// `auto` pairs paths that only one side has by their ends, and leaves what varies from build to build out of names:
    /// [clone .isra.0], .constprop.0, hashes. `exact` does neither.
    #[arg(long = "match", hide_short_help = true, value_name = "auto|exact")]
    #[arg(requires = "diff", default_value = "auto", hide_possible_values = true)]
    #[arg(action = ArgAction::Set, value_parser = words(&[("auto", false), ("exact", true)]))]
    is_exact: bool,

    /// Fail (status 3) if the total grew by more
    ///
    /// With --diff. It is an error (status 1) if a profile is damaged, or if a pattern matches on
    /// one side only. The total is that of EVENT, else of the first event to sort by. With filters
    /// (--function, --file, --object) it is the self cost of the matching rows, with --inclusive
    /// too what they cost with all that they called. May be repeated. A line on standard error
    /// reports the result. A table for people shows EVENT too.
    #[arg(long, value_name = "[EVENT:]PERCENT", requires = "diff", value_parser = parse_limit)]
    fail_above: Vec<Limit>,
}

fn parse_limit(text: &str) -> Result<Limit, String> {
    let (event, percent) = match text.rsplit_once(':') {
        Some((event, _)) if event.contains(',') => {
            return Err("more than one limit: repeat the option".to_owned());
        }
        Some((event, percent)) => (Some(event.as_bytes().to_vec()), percent),
        None => (None, text),
    };
    Ok(Limit { event, percent: Percentage::parse(percent).ok_or("expected a percentage")? })
}

pub(crate) fn command() -> Command {
    help::PAGE.add_to(definition())
}

/// The command without its help texts.
fn definition() -> Command {
    with_values(Arguments::command())
}

/// The command that parses command lines. Building it takes a quarter of the time of a small profile, and freeing its
/// thousand strings, which a static avoids, would take a tenth.
static DEFINITION: Mutex<Option<Command>> = Mutex::new(None);

/// Parses the command line. `is_of_gprof` is whether an option is one of GNU gprof.
pub(crate) fn parse(
    words: Vec<OsString>,
    is_of_gprof: fn(&str) -> bool,
    generate: impl Fn(GenerateArgument) -> Vec<u8>,
) -> Result<Options, EarlyExit> {
    let mut definition = DEFINITION.lock().unwrap_or_else(PoisonError::into_inner);
    let definition = definition.get_or_insert_with(self::definition);
    let words = unsupported::respelled(definition, words);
    let unknown = |option: &str, word: &str| unsupported::in_page(is_of_gprof, option, word);
    let matches = definition
        .try_get_matches_from_mut(&words)
        .map_err(|error| help::explained(error, command, &words, unknown))?;
    let mut arguments = Arguments::from_arg_matches(&matches)?;
    if let Some(what) = arguments.format.generate {
        return Err(EarlyExit::Text(generate(what)));
    }
    let is_like_classic = is_as_in_callgrind_annotate(&matches, definition);
    let page = arguments.page(&matches, is_like_classic);
    conflicts::check(&matches, definition)
        .map_err(|text| command().error(ErrorKind::ArgumentConflict, text))?;
    let is_classic = matches!(page.format.form, Form::Text) && page.layout == Layout::Classic;
    let mut options = arguments.into_options(page);
    options.selection.sort_by_shown = !is_classic || !is_like_classic;
    Ok(options)
}

/// The options of callgrind_annotate, and those that do not affect the list: with any other option, sources are not
/// annotated unless requested.
const WITH_SOURCES: &str = "file auto show sort threshold show_percs inclusive tree context include base_include \
    source_map counts jumps asm part thread event mod_filename mod_funcname layout \
    output format header color pager";

/// Whether the options of the list are only those of callgrind_annotate.
fn is_as_in_callgrind_annotate(matches: &ArgMatches, definition: &Command) -> bool {
    let mut options = definition.get_arguments().map(|option| option.get_id());
    options.all(|option| {
        let mut with_sources = WITH_SOURCES.split_whitespace();
        !is_given(matches, option.as_str()) || with_sources.any(|known| known == option)
    })
}

impl Arguments {
    fn page(&mut self, matches: &ArgMatches, is_like_classic: bool) -> Page {
        let (layout, form) = (self.layout(matches), self.format.format.form);
        let is_html = matches!(form, Form::Html);
        if is_html || layout == Layout::Columns || matches!(form, Form::Summary(_)) {
            if !is_given(matches, "group_by") {
                self.list.group_by = Grouping::By(RowBy::Function);
            }
            self.read.fold_recursion();
        }
        let is_auto_given = is_given(matches, "auto");
        // With instructions, sources are only shown if requested too.
        let auto = match layout {
            _ if is_auto_given || is_html => self.auto,
            Layout::Classic => is_like_classic && !self.asm.is_given(),
            Layout::Columns => self.asm.is_of_lines(),
        };
        let list = self.list.list();
        Page {
            format: self.format.format,
            list: ListOptions { nested: list.nested || is_html, ..list },
            min_percent: self.selection.html_min_percent(),
            is_min_default: !self.selection.are_given(),
            annotation: AnnotationOptions {
                is_requested: auto && is_auto_given,
                context: self.context,
                auto,
            },
            header: match (self.width.header, layout) {
                _ if !matches!(form, Form::Text) => Header::None,
                (Some(false), _) => Header::None,
                (None, Layout::Columns) => Header::Line,
                (Some(true), _) | (None, Layout::Classic) => Header::Full,
            },
            layout,
        }
    }

    fn layout(&self, matches: &ArgMatches) -> Layout {
        let is_terminal = output::is_terminal(self.output.is_stdout());
        let has_columns = is_terminal || is_given(matches, "columns") || is_given(matches, "width");
        match self.width.layout {
            _ if !matches!(self.format.format.form, Form::Text) => Layout::Classic,
            Some(layout) => layout,
            None if has_columns => Layout::Columns,
            None => Layout::Classic,
        }
    }
}

const SUMMARY_ROWS: usize = 10;

/// The width of its short names and files in columns.
const SUMMARY_COLUMNS: usize = 80;

impl Arguments {
    fn into_options(self, page: Page) -> Options {
        let on_stdout = self.output.is_stdout();
        let (style, form) = (self.style(&page), page.format.form);
        let pager = self.pager.command(on_stdout);
        let short_names = self.has_short_names(&page);
        let code = self.asm.into_options(self.context, self.list.group_by);
        let follows_own = page.layout == Layout::Columns && !page.list.tree.is_empty();
        let (filter, charged, foreign) = self.filters.into_options(follows_own);
        let rows = RowOptions {
            demangles: self.list.demangle,
            short_names,
            filter,
            row_by: self.list.row_by(),
            buckets: self.list.bucket.clone(),
            exact_match: self.diff.is_exact,
        };
        let inlines = self.inlines || self.list.group_by == Grouping::Inlined;
        let columns = self.list.columns.clone();
        let (list, of_rows) = (&self.list, (&rows, !self.diff.diff.is_empty()));
        let mut selection = selection(self.selection, list, of_rows, &page);
        selection.shows_omitted |= self.read.fold() != SuffixFold::default();
        let is_complete = matches!(form, Form::Callgrind | Form::Json | Form::Table(_));
        let mut input = self.read.into_options(self.file, is_complete);
        if code.asm.is_some() || code.by_instruction {
            // An address would have a row for each context and recursion level.
            (input.read.fold.callers, input.read.fold.recursion) = (true, true);
        }
        Options {
            input: InputOptions {
                charged,
                bucket_files: self.list.buckets.clone(),
                base: self.diff.diff,
                inlines,
                folders: folders(self.sources.include),
                base_folders: folders(self.diff.base_include),
                source_maps: self.sources.source_map,
                program: ProgramOptions {
                    base_executable: self.diff.diff_executable,
                    ..input.program
                },
                per: self.list.per,
                normalizes: self.list.normalize,
                ..input
            },
            report: Report::Page(page),
            rows,
            code,
            selection,
            style,
            columns,
            foreign,
            output: self.output.into_file(),
            pager,
            limits: self.diff.fail_above,
        }
    }

    fn style(&self, page: &Page) -> StyleOptions {
        let (form, on_stdout) = (page.format.form, self.output.is_stdout());
        StyleOptions {
            has_heading: self.width.header != Some(false),
            percentages: self.list.show_percs.unwrap_or(form.is_for_people()),
            colours: matches!(form, Form::Text) && self.output.has_colours(),
            width: match form {
                _ if page.layout == Layout::Columns => {
                    output::columns(self.width.width, on_stdout, Some(WIDTH))
                }
                Form::Summary(_) => self.has_short_names(page).then_some(SUMMARY_COLUMNS),
                _ => None,
            },
        }
    }

    /// Whether names are short: by default in reports for people.
    fn has_short_names(&self, page: &Page) -> bool {
        let is_default = || match page.format.form {
            Form::Text => !self.diff.diff.is_empty() || page.layout == Layout::Columns,
            Form::Dot => true,
            form => form.is_for_people(),
        };
        self.list.names.unwrap_or_else(is_default)
    }
}

/// The width of a list in columns in a pipe.
const WIDTH: usize = 120;

/// The default number of rows of a list in columns, and of a filtered list.
const COLUMNS_ROWS: usize = 40;
const FILTERED_ROWS: usize = 1000;

fn selection(
    arguments: SelectionArguments,
    list: &ListArguments,
    (rows, is_compared): (&RowOptions, bool),
    page: &Page,
) -> SelectionOptions {
    let form = page.format.form;
    let is_summary = matches!(form, Form::Summary(_));
    let is_columns = page.layout == Layout::Columns;
    // On a screen, all rows but some are as many as without a filter.
    let mut choices = rows.filter.choices.iter();
    let are_filtered = choices.any(|choice| !is_columns || !choice.include.is_empty());
    // Formats for programs are complete, and so are filtered lists.
    let is_text = matches!(form, Form::Text);
    let are_few = is_columns && matches!(rows.row_by, RowBy::Thread | RowBy::Part);
    let threshold =
        if is_text && !are_filtered && !are_few { Threshold::default() } else { Threshold::all() };
    let top = match (is_summary, is_columns) {
        _ if arguments.are_given() => None,
        (true, _) => Some(SUMMARY_ROWS),
        _ if is_text && are_filtered => Some(FILTERED_ROWS),
        (_, true) => Some(COLUMNS_ROWS),
        _ => None,
    };
    let mut selection = arguments.into_options(threshold);
    selection.top = selection.top.or(top);
    if matches!(form, Form::Html) {
        selection.min = None;
    }
    let for_programs = form.has_list() && !form.is_for_people();
    let has_column = if list.columns.is_empty() {
        for_programs || is_columns && !is_compared && list.row_by().has_callers()
    } else {
        list.columns.iter().any(|column| column.is_of_calls())
    };
    selection.lists_called = list.calls || for_programs;
    selection.calls = list.calls || has_column;
    selection.shows_omitted |= list.calls || is_summary || is_columns;
    selection.shows_omitted |= matches!(form, Form::Html | Form::Json);
    selection.shows_omitted |= !rows.filter.is_empty() || rows.row_by != RowBy::FileFunction;
    selection
}
