//! The command that writes a report in any format: all of its groups of options, from which it
//! makes the [`Options`] of a run.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, CommandFactory, Error, FromArgMatches, Parser, ValueHint};

use crate::cli::asm::{AnnotationArguments, AsmArguments, SourceArguments, folders};
use crate::cli::diff::{DiffArguments, FIRST_OF_TWO};
use crate::cli::filters::FilterArguments;
use crate::cli::list::{Grouping, InlinesArguments, ListArguments, SelectionArguments};
use crate::cli::output::{
    self, FormatArguments, GenerateArgument, OutputArguments, PagerArguments,
};
use crate::cli::read::ReadArguments;
use crate::cli::spec::{EVERYWHERE, Given, OptionSpec, Repetition, about, options};
use crate::cli::{EarlyExit, ProgramName, conflicts, help, is_given, unsupported, with_values};
use crate::options::{
    AnnotationOptions, BelowList, GivenOption, InputOptions, ListOptions, Options, Page,
    ReportKind, ScreenOptions, StyleOptions,
};
use crate::render::{CLASSIC, Feature, Format, HeaderKind, TEXT};
use crate::source::is_line_of_source;
use crate::view::{RowBy, RowOptions, SelectionOptions, Threshold, default_min};

/// Annotate Callgrind and Cachegrind profiles: functions, call trees, source lines.
///
/// Shows where a program spends its time: the most expensive functions, their callers, and the cost
/// of each source line and instruction. Compares profiles, and writes JSON, CSV, flame graphs and
/// call graphs. Also reads gmon.out and what other profilers write in Callgrind's format. An option
/// with yes|no means yes without a value; --no-OPTION is --OPTION=no.
#[derive(Debug, Parser)]
#[command(name = "cgannotate", version, args_override_self = true)]
struct PageArguments {
    #[command(flatten)]
    files: FileArguments,

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

    #[command(flatten)]
    inlines: InlinesArguments,

    #[command(flatten)]
    lines: LinesArguments,

    #[command(flatten)]
    annotation: AnnotationArguments,

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

options! {
    #[derive(Args, Debug)]
    struct FileArguments {
        /// Profiles, and source files to annotate
        ///
        /// Several profiles are summed; `-` is standard input, and a folder is the newest run in it
        /// or below it. FILE#2 is one part of a profile, by its number, FILE#NAME the one that the
        /// program named so, and FILE#t2 a thread. SOURCE:LINE shows the lines around one line of a
        /// source, and what they call. [default: the newest run in this directory]
        #[arg(hide_short_help = true, value_hint = ValueHint::FilePath)]
        file: Vec<PathBuf> = EVERYWHERE.of_callgrind_annotate().not_repeated(),
    }
}

options! {
    #[derive(Args, Debug)]
    #[command(next_help_heading = "Report")]
    struct LinesArguments {
        /// Show your most expensive lines below the list [default: yes]
        ///
        /// With all that they call; with --diff why the largest rows changed. Options that change
        /// what the rows are show the list alone, as `no` does; -n 0 shows these lines alone, and
        /// with `no` the total. html has the lines above its list, json only if they are requested,
        /// since debug information is read for them.
        #[arg(long, hide_short_help = true, value_name = "yes|no", default_value = "yes")]
        #[arg(hide_default_value = true)]
        lines: bool = about(Feature::OwnLines).or(has_reasons),
    }
}

options! {
    #[derive(Args, Debug)]
    #[command(next_help_heading = "Output")]
    struct WidthArguments {
        /// Print the header [default: yes; one line for text]
        ///
        /// That of csv and tsv is the names of the columns.
        #[arg(long, hide_short_help = true, value_name = "yes|no")]
        header: Option<bool> = about(Feature::Header),

        /// Shorten lines to fit COLUMNS; 0: never
        ///
        /// [default: the width of the terminal; 120 in a pipe]
        #[arg(long, hide_short_help = true, value_name = "COLUMNS", value_parser = super::parse_count::<usize>)]
        width: Option<usize> = about(Feature::Width),
    }
}

pub(crate) fn command() -> Command {
    help::PAGE.add_to(definition())
}

/// The command without its help texts.
fn definition() -> Command {
    with_values(PageArguments::command())
}

/// Whether the report says why the rows of a difference changed.
fn has_reasons(given: &Given<'_>) -> bool {
    given.format.has(Feature::Reasons) && given.has(DiffArguments::diff())
}

/// The command that parses command lines. Building it takes a quarter of the time of a small
/// profile, and freeing its thousand strings, which a static avoids, would take a tenth.
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
    let mut arguments = PageArguments::from_arg_matches(&matches)?;
    if let Some(what) = arguments.format.generate {
        return Err(EarlyExit::Text(generate(what)));
    }
    let format = arguments.format(&matches, name);
    let page = arguments.take_page(&matches, name, format, definition);
    let given = Given { matches: &matches, format };
    if let Some(text) = arguments.diff.unlikely_limit(conflicts::has_filters(&given)) {
        return Err(Error::raw(ErrorKind::MissingRequiredArgument, text + "\n").into());
    }
    conflicts::check(&given, specs(), definition)
        .map_err(|text| command().error(ErrorKind::ArgumentConflict, text))?;
    if let Some(text) = arguments.lines_of_other_rows(&given, definition) {
        return Err(command().error(ErrorKind::ArgumentConflict, text).into());
    }
    // callgrind_annotate's page has its own threshold, if that page is requested.
    let is_format_given = arguments.format.format.is_some();
    let is_page_requested =
        name == ProgramName::CallgrindAnnotate || is_format_given && format.is_classic;
    let has_threshold = is_given(&matches, "threshold");
    let mut options = arguments.into_options(page);
    options.selection.may_be_of_cg_annotate = has_threshold && !is_page_requested;
    let of_lists = specs().filter(|spec| spec.feature.is_some_and(Feature::is_of_lists));
    let given_of_lists = of_lists.filter(|spec| is_given(&matches, spec.id));
    options.of_lists =
        given_of_lists.map(|spec| conflicts::as_written(spec.id, definition)).collect();
    Ok(options)
}

/// All options, in the order in which they are refused.
fn specs() -> impl Iterator<Item = &'static OptionSpec> {
    let groups = [
        FileArguments::SPECS,
        DiffArguments::SPECS,
        ReadArguments::SPECS,
        SelectionArguments::SPECS,
        ListArguments::SPECS,
        WidthArguments::SPECS,
        FormatArguments::SPECS,
        OutputArguments::SPECS,
        PagerArguments::SPECS,
        AsmArguments::SPECS,
        AnnotationArguments::SPECS,
        SourceArguments::SPECS,
        FilterArguments::SPECS,
        InlinesArguments::SPECS,
        LinesArguments::SPECS,
    ];
    groups.into_iter().flatten()
}

impl PageArguments {
    /// The requested format, or else that of where the report goes.
    fn format(&self, matches: &ArgMatches, name: ProgramName) -> Format {
        let is_on_terminal =
            name == ProgramName::Own && output::is_terminal(self.output.is_stdout());
        let is_foreign =
            |spec: &OptionSpec| !spec.is_of_callgrind_annotate && is_given(matches, spec.id);
        // callgrind_annotate sorts by events alone, and annotates whole sources.
        let is_own = || {
            specs().any(is_foreign)
                || self.selection.sorts_by_calls()
                || self.files.file.iter().any(|file| is_line_of_source(file))
        };
        match self.format.format.or_else(|| self.output.format_of_name()) {
            Some(format) => format,
            None if is_on_terminal || is_own() => TEXT,
            None => CLASSIC,
        }
    }

    /// The page in a format. What the format decides of other options is set in their groups: the
    /// kind of the rows, and whether levels of recursion are merged.
    fn take_page(
        &mut self,
        matches: &ArgMatches,
        name: ProgramName,
        format: Format,
        definition: &Command,
    ) -> Page {
        if !is_given(matches, "group_by") && !format.lists_functions() {
            self.list.group_by = Grouping::By(RowBy::FileFunction);
        }
        let below_list = self.below_list(matches, format, definition);
        if format.folds_recursion {
            self.read.fold_recursion();
        }
        let list = self.take_list(format);
        let [header, requested_header] = format.headers;
        let given_to_page = |is_repeated: fn(Repetition) -> bool| {
            if format.is_for_browsers {
                given_options(definition, matches, is_repeated)
            } else {
                Vec::new()
            }
        };
        Page {
            format,
            list,
            min_percent: self.selection.html_min_percent(),
            is_min_default: !self.selection.are_given(),
            annotation: self.annotation_options(matches, format),
            editor: self.format.editor.take(),
            given: given_to_page(|of| of != Repetition::Never),
            always_given: given_to_page(|of| of == Repetition::Always),
            header: match self.width.header {
                None => header,
                Some(true) => requested_header,
                Some(false) => HeaderKind::None,
            },
            is_classic_by_default: format.is_classic
                && name == ProgramName::Own
                && self.format.format.is_none(),
            is_without_options: !specs()
                .any(|spec| spec.id != "file" && is_given(matches, spec.id)),
            below_list,
            explains_row: self.explains_row(matches, format),
        }
    }

    /// The list in a format. The rows of a list by line with a tree become functions.
    fn take_list(&mut self, format: Format) -> ListOptions {
        // Lines have no callers: those of a tree are the lines that call a function.
        let by_line = self.list.group_by == Grouping::By(RowBy::Line) && !self.list.tree.is_empty();
        if by_line {
            self.list.group_by = Grouping::By(RowBy::Function);
            // Such a tree has the numbers of calls anyway.
            self.list.calls = false;
        }
        let list = self.list.list();
        // Most lines with calls have no self cost.
        let has_calls_of_lines = self.list.calls && self.list.row_by() == RowBy::Line;
        ListOptions {
            by_line,
            inclusive: list.inclusive || has_calls_of_lines && format.is_for_people,
            nested: list.nested || format.is_for_browsers && !self.diff.series,
            ..list
        }
    }

    fn annotation_options(&self, matches: &ArgMatches, format: Format) -> AnnotationOptions {
        let is_auto_given = is_given(matches, "auto");
        let auto = if is_auto_given || format.annotates {
            self.annotation.auto
        } else {
            self.asm.is_of_lines()
        };
        AnnotationOptions {
            is_requested: auto && is_auto_given,
            context: self.annotation.context,
            has_whole_texts: !is_given(matches, "context"),
            auto,
        }
    }

    /// Whether an option changes what the rows of the list are.
    fn changes_rows(&self, given: &Given<'_>) -> bool {
        specs().any(|spec| spec.changes_rows(given))
            || self.selection.sorts_by_calls()
            || self.selection.names_any(|name| self.read.is_ratio(name))
    }

    /// The message for lines that are requested, but are not shown because of another option.
    fn lines_of_other_rows(&self, given: &Given<'_>, definition: &Command) -> Option<String> {
        if !given.has(LinesArguments::lines()) || !self.changes_rows(given) {
            return None;
        }
        let spec = specs().find(|spec| spec.changes_rows(given));
        let other =
            spec.map_or("--sort".to_owned(), |spec| conflicts::as_written(spec.id, definition));
        Some(format!(
            "--lines cannot be combined with {other}: it shows the most expensive lines of the whole profile; \
             -g line lists those that match"
        ))
    }

    /// The first screen, or the reasons below a difference, if the format has them and no option
    /// changes what the rows are.
    fn below_list(
        &self,
        matches: &ArgMatches,
        format: Format,
        definition: &Command,
    ) -> Option<BelowList> {
        let is_difference = !self.diff.diff.is_empty();
        let feature = if is_difference { Feature::Reasons } else { Feature::OwnLines };
        let given = Given { matches, format };
        // Formats for programs have the lines on request.
        let is_for_people = !format.is_for_programs() || format.is_for_browsers;
        let is_requested = is_difference || is_for_people || is_given(matches, "lines");
        let is_shown = format.has(feature) && self.lines.lines && is_requested;
        if !is_shown || self.changes_rows(&given) {
            return None;
        }
        let options = ScreenOptions {
            has_list: !self.selection.lists_nothing(),
            reads_inlines: self.inlines.inlines.is_none(),
            repeated: given_options(definition, matches, |of| of == Repetition::Always),
        };
        let of = if is_difference { BelowList::Reasons } else { BelowList::Lines };
        Some(of(options))
    }

    /// Whether a difference has the reason of the only row that is left by filters of functions.
    fn explains_row(&self, matches: &ArgMatches, format: Format) -> bool {
        let given = Given { matches, format };
        let mut changing = specs().filter(|spec| spec.changes_rows(&given)).peekable();
        has_reasons(&given)
            && format.is_columns
            && self.lines.lines
            && changing.peek().is_some()
            && changing.all(|spec| spec.id == "function")
    }

    fn into_options(mut self, page: Page) -> Options {
        let on_stdout = self.output.is_stdout();
        let (style, format) = (self.style(&page), page.format);
        let pager = self.pager.command(on_stdout);
        let short_names = self.has_short_names(&page);
        let in_page = format.is_for_browsers && page.annotation.auto && !self.diff.series;
        let code = self.asm.into_options(self.annotation.context, self.list.group_by, in_page);
        let follows_own = format.is_columns && !page.list.tree.is_empty();
        let kept = self.filters.take_kept();
        let (filter, charged, foreign) = self.filters.into_options(follows_own || in_page);
        let mut input = self.read.into_options(self.files.file, format.has_full_paths);
        if code.needs_addresses() {
            // An address would have a row for each context and recursion level.
            (input.read.fold.callers, input.read.fold.recursion) = (true, true);
        }
        let rows = RowOptions {
            demangles: self.list.demangle,
            short_names,
            filter,
            row_by: self.list.row_by(),
            buckets: self.list.buckets(),
            exact_match: self.diff.is_exact,
            folds_levels: input.read.fold.recursion,
        };
        let inlines = self.inlines.inlines == Some(true) || self.list.group_by == Grouping::Inlined;
        let (columns, inverted) = (self.list.columns.clone(), self.list.inverted);
        let is_compared = self.diff.compares();
        let selection = selection(self.selection, &self.list, &rows, is_compared, &page);
        let (first, base): (Vec<_>, Vec<_>) =
            self.diff.diff.into_iter().partition(|base| base.as_os_str() == FIRST_OF_TWO);
        Options {
            input: InputOptions {
                charged,
                kept,
                bucket_files: self.list.bucket_files(),
                base,
                base_is_first: !first.is_empty(),
                is_series: self.diff.series,
                against: self.diff.against,
                inlines,
                folders: folders(self.sources.include),
                base_folders: folders(self.diff.base_include),
                source_maps: self.sources.source_map,
                per: self.list.per,
                ..input
            },
            report: ReportKind::Page(page),
            rows,
            code,
            selection,
            style,
            columns,
            inverted,
            foreign,
            output: self.output.into_file(),
            pager,
            limits: self.diff.fail_above,
            of_lists: Vec::new(),
        }
    }

    fn style(&self, page: &Page) -> StyleOptions {
        let (format, on_stdout) = (page.format, self.output.is_stdout());
        StyleOptions {
            has_heading: self.width.header != Some(false),
            percentages: self.list.show_percs.unwrap_or(format.is_for_people),
            colours: format.has(Feature::Colours) && self.output.has_colours(),
            has_sparkline: !output::is_terminal(on_stdout) || output::is_utf8_locale(),
            width: if format.has(Feature::Width) {
                output::columns(self.width.width, on_stdout, Some(WIDTH))
            } else {
                format.width.filter(|_| self.has_short_names(page))
            },
        }
    }

    /// Whether names are short: by default in reports for people.
    fn has_short_names(&self, page: &Page) -> bool {
        self.list.names.unwrap_or(page.format.short_names)
    }
}

/// The given options that a suggested command repeats, in its words. One with its default value has
/// no effect.
fn given_options(
    definition: &Command,
    matches: &ArgMatches,
    is_repeated: impl Fn(Repetition) -> bool,
) -> Vec<GivenOption> {
    let mut given = Vec::new();
    for argument in definition.get_arguments() {
        let id = argument.get_id().as_str();
        let Some(long) = argument.get_long().filter(|_| is_given(matches, id)) else { continue };
        let mut of_option = specs().filter(|spec| spec.id == id);
        if !of_option.any(|spec| is_repeated(spec.repetition)) {
            continue;
        }
        let option = format!("--{long}");
        if !argument.get_action().takes_values() {
            given.push(GivenOption { option, value: None });
            continue;
        }
        let values: Vec<&OsStr> = matches.get_raw(id).into_iter().flatten().collect();
        let default = argument.get_default_values().iter().map(|value| value.as_os_str());
        if default.eq(values.iter().copied()) {
            continue;
        }
        let mut values: Vec<Vec<u8>> =
            values.into_iter().map(|value| value.as_encoded_bytes().to_vec()).collect();
        if argument.get_value_delimiter().is_some() {
            values = vec![values.join(&b","[..])];
        }
        let with_value =
            |value: Vec<u8>| GivenOption { option: option.clone(), value: Some(value) };
        given.extend(values.into_iter().map(with_value));
    }
    given
}

/// The width of a list in columns in a pipe.
const WIDTH: usize = 120;

/// The maximum number of rows of the first screen's list.
const SCREEN_ROWS: usize = 15;

/// The maximum number of rows of a difference with reasons.
const WHY_ROWS: usize = 10;

fn selection(
    arguments: SelectionArguments,
    list: &ListArguments,
    rows: &RowOptions,
    is_compared: bool,
    page: &Page,
) -> SelectionOptions {
    let format = page.format;
    // All rows but some are as many as without a filter.
    let are_filtered = rows.filter.choices.iter().any(|choice| !choice.include.is_empty());
    let length = if are_filtered { format.filtered_length } else { format.length };
    let is_screen = page.screen().is_some() && format.is_columns && !arguments.are_given();
    let is_cut = length.is_cut && !rows.row_by.splits_functions() && !is_screen;
    let threshold = if is_cut { Threshold::default() } else { Threshold::all() };
    let is_explained = page.reasons().is_some() && format.is_columns && !arguments.are_given();
    let rows_of_screen =
        if is_explained { Some(WHY_ROWS) } else { is_screen.then_some(SCREEN_ROWS) };
    let top = rows_of_screen.or(length.rows).filter(|_| !arguments.are_given());
    let mut selection = arguments.into_options(threshold);
    selection.list.top = selection.list.top.or(top);
    if is_screen || is_explained {
        (selection.list.min, selection.list.has_row) =
            (Some(Threshold::percent(default_min::OF_SCREEN)), true);
    }
    selection.list.min_of_change = is_explained;
    if format.is_for_browsers {
        // Its minimum is about any shown event: see `Page::min_percent`.
        selection.list.min = None;
    }
    let for_programs = format.is_for_programs();
    // Details do not depend on the columns that are beside them.
    let has_column = if list.columns.is_empty() || format.has_details {
        for_programs || format.is_columns && !is_compared && list.row_by().has_callers()
    } else {
        list.columns.iter().any(|column| column.is_of_calls())
    };
    selection.list.lists_called = list.calls || for_programs;
    selection.list.shows_calls = list.calls || has_column;
    selection.list.shows_calls_of_lines = list.calls;
    selection.list.shows_omitted = format.shows_omitted;
    selection.sort_by_shown = !format.is_classic;
    selection
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::{FORMATS, LIST_COLUMNS};

    #[test]
    fn every_option_says_in_which_formats_it_has_an_effect() {
        let command = definition();
        let mut options: Vec<_> = command
            .get_arguments()
            .map(|option| option.get_id().as_str())
            .filter(|id| !["help", "version"].contains(id))
            .collect();
        let mut known: Vec<_> = specs().map(|spec| spec.id).collect();
        options.sort_unstable();
        known.sort_unstable();
        assert_eq!(options, known);
    }

    /// The values of these options are known from their tables; the help tells of them in words.
    #[test]
    fn help_names_every_column_and_format() {
        let command = definition();
        let help_of = |id: &str| {
            let option = command.get_arguments().find(|option| option.get_id() == id).unwrap();
            let [short, long] = [option.get_help(), option.get_long_help()];
            format!("{} {}", short.unwrap(), long.unwrap())
        };
        let columns = LIST_COLUMNS.iter().map(|(name, _)| ("columns", *name));
        let formats = FORMATS.iter().map(|(name, _)| ("format", *name));
        for (id, name) in columns.chain(formats) {
            // Another spelling is behind a bar.
            let name = name.split('|').next().unwrap_or_default();
            assert!(help_of(id).contains(name), "--{id} {name}");
        }
    }
}
