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
use crate::cli::{
    EarlyExit, ProgramName, conflicts, help, is_given, unsupported, with_values, words,
};
use crate::options::{
    AnnotationOptions, Header, InputOptions, ListOptions, Options, Page, Report, ScreenOptions,
    StyleOptions,
};
use crate::render::{CLASSIC, Form, Format, TEXT};
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
    /// not known. An object that is not the profiled one is not used. The first screen always knows the lines of inlined code;
    /// with `no` it reads no debug information. [default: no]
    #[arg(long, alias = "inline", value_name = "yes|no", help_heading = "Report")]
    #[arg(default_value = "no", hide_default_value = true)]
    inlines: bool,

    /// Show your most expensive lines below the list [default: yes]
    ///
    /// With all that they call. Options that change what the rows are show the list alone, as `no` does.
    #[arg(long, hide_short_help = true, value_name = "yes|no", default_value = "yes")]
    #[arg(hide_default_value = true, help_heading = "Report")]
    lines: bool,

    /// Annotate the sources of all listed functions
    ///
    /// Those of the system and of toolchains too. Without the option only --format=classic annotates sources.
    /// (Other spelling: annotate.)
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
    /// Print the header [default: yes; one line for text]
    ///
    /// That of csv and tsv is the names of the columns.
    #[arg(long, hide_short_help = true, value_name = "yes|no")]
    header: Option<bool>,

    /// Shorten lines to fit COLUMNS; 0: never
    ///
    /// [default: the width of the terminal; 120 in a pipe]
    #[arg(long, hide_short_help = true, value_name = "COLUMNS", value_parser = super::parse_count::<usize>)]
    width: Option<usize>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
struct DiffArguments {
    /// Show what changed since this profile
    ///
    /// May be repeated: several profiles are summed. If BASE is gprof's data of another program, that program is given
    /// with --diff too.
    #[arg(long, value_name = "BASE", value_hint = ValueHint::FilePath)]
    diff: Vec<PathBuf>,

    /// Search this directory for BASE's sources (repeatable)
    ///
    /// Lines are then compared by their text: costs before and after are beside the same line, also where it moved, and
    /// removed lines are shown where they were. -I is for the sources of the new profile.
    #[arg(long, hide_short_help = true, value_name = "DIR", requires = "diff")]
    #[arg(value_hint = ValueHint::DirPath)]
    base_include: Vec<OsString>,

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
    name: ProgramName,
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
    let format = arguments.format(&matches, definition, name);
    let page = arguments.page(&matches, definition, format);
    conflicts::check(&matches, format, definition)
        .map_err(|text| command().error(ErrorKind::ArgumentConflict, text))?;
    Ok(arguments.into_options(page))
}

/// The options of callgrind_annotate, and those that say only where the report goes. With these alone, a report that
/// is not for a terminal is callgrind_annotate's page.
const OF_CALLGRIND_ANNOTATE: [&str; 13] = [
    "file",
    "auto",
    "show",
    "sort",
    "threshold",
    "show_percs",
    "inclusive",
    "tree",
    "context",
    "include",
    // Where it goes.
    "output",
    "color",
    "pager",
];

impl Arguments {
    /// The requested format, or else that of where the report goes.
    fn format(&self, matches: &ArgMatches, definition: &Command, name: ProgramName) -> Format {
        let is_on_terminal =
            name == ProgramName::Own && output::is_terminal(self.output.is_stdout());
        let mut options = definition.get_arguments().map(|option| option.get_id().as_str());
        let is_foreign =
            |option| is_given(matches, option) && !OF_CALLGRIND_ANNOTATE.contains(&option);
        // callgrind_annotate sorts by events alone.
        let mut is_own = || options.any(is_foreign) || self.selection.sorts_by_calls();
        match self.format.format {
            Some(format) => format,
            None if is_on_terminal || is_own() => TEXT,
            None => CLASSIC,
        }
    }

    fn page(&mut self, matches: &ArgMatches, definition: &Command, format: Format) -> Page {
        let form = format.form;
        let is_html = matches!(form, Form::Html);
        if !is_given(matches, "group_by") && !form.lists_functions() {
            self.list.group_by = Grouping::By(RowBy::FileFunction);
        }
        if is_html || matches!(form, Form::Text | Form::Summary(_)) {
            self.read.fold_recursion();
        }
        let is_auto_given = is_given(matches, "auto");
        let auto = if is_auto_given || is_html || matches!(form, Form::Classic) {
            self.auto
        } else {
            self.asm.is_of_lines()
        };
        let list = self.list.list();
        Page {
            format,
            list: ListOptions { nested: list.nested || is_html, ..list },
            min_percent: self.selection.html_min_percent(),
            is_min_default: !self.selection.are_given(),
            annotation: AnnotationOptions {
                is_requested: auto && is_auto_given,
                context: self.context,
                auto,
            },
            is_without_options: !definition
                .get_arguments()
                .map(|option| option.get_id().as_str())
                .any(|option| option != "file" && is_given(matches, option)),
            screen: self.screen(matches, form),
            header: match (form, self.width.header) {
                (Form::Text, None) => Header::Line,
                (Form::Text, Some(true)) | (Form::Classic, None | Some(true)) => Header::Full,
                _ => Header::None,
            },
        }
    }
}

/// The options that change the numbers of a report or say where its sources are, by their ids.
const REPEATED: [(&str, &str); 12] = [
    ("part", "--part"),
    ("thread", "--thread"),
    ("event", "--event"),
    ("mod_filename", "--mod-filename"),
    ("mod_funcname", "--mod-funcname"),
    ("fold", "--fold"),
    ("show", "--show"),
    ("sort", "--sort"),
    ("cycles", "--cycles"),
    ("include", "--include"),
    ("source_map", "--source-map"),
    ("inlines", "--inlines"),
];

impl Arguments {
    /// The first screen, if no option changes what its rows are.
    fn screen(&self, matches: &ArgMatches, form: Form) -> Option<ScreenOptions> {
        let list = &self.list;
        let changes_list = list.row_by() != RowBy::Function
            || list.group_by == Grouping::Inlined
            || list.list().inclusive
            || list.list().nested
            || !list.list().tree.is_empty()
            || list.calls
            || !list.columns.is_empty()
            || list.per.is_some();
        let changes_rows = changes_list
            || self.filters.are_given()
            || self.inlines
            || self.asm.is_given()
            || self.asm.is_of_lines()
            || is_given(matches, "auto") && self.auto
            || !self.diff.diff.is_empty()
            || self.selection.sorts_by_calls()
            || self.selection.names_any(|name| self.read.is_ratio(name));
        if !matches!(form, Form::Text) || !self.lines || changes_rows {
            return None;
        }
        let values = |&(id, option): &(&'static str, &'static str)| {
            let given = is_given(matches, id).then(|| matches.get_raw(id)).flatten();
            let words = given.into_iter().flatten();
            let values: Vec<_> =
                words.map(|word| (option, word.as_encoded_bytes().to_vec())).collect();
            values
        };
        Some(ScreenOptions {
            has_list: !self.selection.lists_nothing(),
            reads_inlines: !is_given(matches, "inlines"),
            repeated: REPEATED.iter().flat_map(values).collect(),
        })
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
        let follows_own = matches!(form, Form::Text) && !page.list.tree.is_empty();
        let (filter, charged, foreign) = self.filters.into_options(follows_own);
        let rows = RowOptions {
            demangles: self.list.demangle,
            short_names,
            filter,
            row_by: self.list.row_by(),
            buckets: self.list.buckets(),
            exact_match: self.diff.is_exact,
        };
        let inlines = self.inlines || self.list.group_by == Grouping::Inlined;
        let columns = self.list.columns.clone();
        let (list, of_rows) = (&self.list, (&rows, !self.diff.diff.is_empty()));
        let selection = selection(self.selection, list, of_rows, &page);
        let is_complete = matches!(form, Form::Callgrind | Form::Json | Form::Table(_));
        let mut input = self.read.into_options(self.file, is_complete);
        if code.asm.is_some() || code.by_instruction {
            // An address would have a row for each context and recursion level.
            (input.read.fold.callers, input.read.fold.recursion) = (true, true);
        }
        Options {
            input: InputOptions {
                charged,
                bucket_files: self.list.bucket_files(),
                base: self.diff.diff,
                inlines,
                folders: folders(self.sources.include),
                base_folders: folders(self.diff.base_include),
                source_maps: self.sources.source_map,
                per: self.list.per,
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
            colours: matches!(form, Form::Text | Form::Classic) && self.output.has_colours(),
            width: match form {
                Form::Text => output::columns(self.width.width, on_stdout, Some(WIDTH)),
                Form::Summary(_) => self.has_short_names(page).then_some(SUMMARY_COLUMNS),
                _ => None,
            },
        }
    }

    /// Whether names are short: by default in reports for people.
    fn has_short_names(&self, page: &Page) -> bool {
        let is_default = || matches!(page.format.form, Form::Text | Form::Summary(_) | Form::Dot);
        self.list.names.unwrap_or_else(is_default)
    }
}

/// The width of a list in columns in a pipe.
const WIDTH: usize = 120;

/// The maximum number of rows of the first screen's list, and their minimum percentage.
const SCREEN_ROWS: usize = 15;
const SCREEN_MIN_PERCENT: f64 = 1.0;

/// The default number of rows of a list of text, and of a filtered list.
const TEXT_ROWS: usize = 40;
const FILTERED_ROWS: usize = 1000;

fn selection(
    arguments: SelectionArguments,
    list: &ListArguments,
    (rows, is_compared): (&RowOptions, bool),
    page: &Page,
) -> SelectionOptions {
    let form = page.format.form;
    let is_text = matches!(form, Form::Text);
    // All rows but some are as many as without a filter.
    let are_filtered = rows.filter.choices.iter().any(|choice| !choice.include.is_empty());
    // Formats for programs are complete, and so are filtered lists.
    let is_cut = match form {
        Form::Classic => true,
        Form::Text => !are_filtered && !matches!(rows.row_by, RowBy::Thread | RowBy::Part),
        _ => false,
    };
    let threshold = if is_cut { Threshold::default() } else { Threshold::all() };
    let is_screen = page.screen.is_some() && !arguments.are_given();
    let threshold = if is_screen { Threshold::all() } else { threshold };
    let top = match form {
        _ if arguments.are_given() => None,
        Form::Text if is_screen => Some(SCREEN_ROWS),
        Form::Summary(_) => Some(SUMMARY_ROWS),
        Form::Text if are_filtered => Some(FILTERED_ROWS),
        Form::Text => Some(TEXT_ROWS),
        _ => None,
    };
    let mut selection = arguments.into_options(threshold);
    selection.top = selection.top.or(top);
    if is_screen {
        (selection.min, selection.has_row) = (Some(Threshold::percent(SCREEN_MIN_PERCENT)), true);
    }
    if matches!(form, Form::Html) {
        selection.min = None;
    }
    let for_programs = form.has_list() && !form.is_for_people();
    let has_column = if list.columns.is_empty() {
        for_programs || is_text && !is_compared && list.row_by().has_callers()
    } else {
        list.columns.iter().any(|column| column.is_of_calls())
    };
    selection.lists_called = list.calls || for_programs;
    selection.calls = list.calls || has_column;
    selection.shows_omitted =
        matches!(form, Form::Text | Form::Summary(_) | Form::Html | Form::Json);
    selection.sort_by_shown = !matches!(form, Form::Classic);
    selection
}
