//! The options of a run, resolved from the command line before any input is read.
//!
//! [`Options`] has all of them: what is read and made of it ([`InputOptions`]), which rows, events
//! and code a report has, and the report itself ([`ReportKind`]): a [`Page`] of cgannotate or views
//! of gprof. Other modules define the options that only they understand ([`ReadOptions`],
//! [`RowOptions`], [`SelectionOptions`]).

use std::ffi::OsString;
use std::path::PathBuf;

use crate::gprof::{GprofOptions, GprofView};
use crate::profile::{BASE, DivideBy, Formula, NEW, SuffixFold};
use crate::read::gmon::GmonFormat;
use crate::read::{Detail, ReadOptions};
use crate::render::{Contents, Format, HeaderKind, Measure, Tree};
use crate::source::SourceMap;
use crate::view::asm::AsmOptions;
use crate::view::{Charged, KeptCode, Limit, Pattern, RowBy, RowOptions, SelectionOptions};

/// A program to be recorded, and how.
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// Whether caches and branch prediction are simulated.
    pub has_caches: bool,
    /// Options that are passed to valgrind.
    pub valgrind_options: Vec<OsString>,
    pub program: OsString,
    pub arguments: Vec<OsString>,
}

/// All that the command line says of a report.
#[derive(Clone, Debug)]
pub struct Options {
    pub input: InputOptions,
    pub report: ReportKind,
    /// The kind of the rows, the display of their names, and the filter.
    pub rows: RowOptions,
    pub code: CodeOptions,
    /// The events to show and to sort by, and where a list ends.
    pub selection: SelectionOptions,
    /// The style of the report, unless it is gprof's.
    pub style: StyleOptions,
    /// Whether stacks begin with the function that has the cost.
    pub inverted: bool,
    /// The requested columns of a list; if empty, those of its format.
    pub columns: Vec<Measure>,
    /// All code but that below the current directory, if `--mine` is given or the paths of a tree
    /// end at the user's own code.
    pub foreign: Option<Charged>,
    /// The file to write to; standard output if none.
    pub output: Option<PathBuf>,
    /// The command through which the report is read, with its arguments; empty if none.
    pub pager: Vec<String>,
    /// The limits on the growth of a difference.
    pub limits: Vec<Limit>,
    /// The options that are given and say only what a list has.
    pub of_lists: Vec<String>,
}

impl Options {
    /// Whether as many events as fit are shown in columns, instead of requested ones.
    pub fn shows_all_in_columns(&self) -> bool {
        self.is_text() && self.selection.show.is_empty() && !self.input.compares()
    }

    /// Whether an event with a cost takes the place of a first one that is 0 everywhere. Pages with
    /// callgrind_annotate's options alone are its own, and a limit that names no event is about the
    /// first one.
    pub fn passes_over_zeros(&self) -> bool {
        let is_of_gprof = matches!(self.report, ReportKind::Gprof(_));
        let has_own = self.selection.sort_by_shown || self.code.asm.is_some() || is_of_gprof;
        has_own
            && !self.report.is_profile()
            && self.limits.iter().all(|limit| limit.event.is_some())
    }

    /// Whether the report may be about an event that is not the first of the profile: a text is
    /// about the requested ones.
    pub fn may_show(&self, event: &str) -> bool {
        let SelectionOptions { show, sort, .. } = &self.selection;
        let of_limits = self.limits.iter().filter_map(|limit| limit.event.as_ref());
        let mut named = show.iter().chain(sort.iter().map(|(name, _)| name)).chain(of_limits);
        !self.is_text()
            || named.any(|name| {
                name.split(|&b| b == b'/').any(|of| of.eq_ignore_ascii_case(event.as_bytes()))
            })
    }

    /// Whether the report is cgannotate's own text.
    pub fn is_text(&self) -> bool {
        self.report.format().is_some_and(|format| format.is_columns)
    }

    /// The suffixes of names to fold. gprof's views merge all recursion levels; a sum alone keeps
    /// the names, since it is a profile.
    pub fn fold(&self) -> SuffixFold {
        let fold = self.input.read.fold;
        let is_merged = |gprof: &GprofOptions| gprof.views != [GprofView::Sum];
        let is_gprof = matches!(&self.report, ReportKind::Gprof(gprof) if is_merged(gprof));
        let is_folded = fold.recursion && !self.keeps_levels();
        SuffixFold { recursion: is_folded || is_gprof, ..fold }
    }

    /// Whether the functions of a profile keep their levels of recursion, whatever the names of
    /// rows have: only the levels tell what a line of a recursive function costs with its calls.
    fn keeps_levels(&self) -> bool {
        self.rows.row_by == RowBy::Line && self.needs().calls
    }

    /// Whether suffixes of names are folded when costs have been charged to callers or parts have
    /// been kept, as only the levels of recursion tell which call paid for what.
    pub fn folds_late(&self) -> bool {
        let input = &self.input;
        let is_kept = !input.kept.is_empty() && !self.code.is_shown();
        !input.inlines && (!input.charged.is_empty() || is_kept)
    }

    /// The suffixes that are folded while names are read. The callers of a context tell even better
    /// which call paid for what is kept.
    pub fn folded_by_reading(&self) -> SuffixFold {
        let fold = self.fold();
        if !self.folds_late() {
            return fold;
        }
        SuffixFold { recursion: false, callers: fold.callers && self.input.kept.is_empty() }
    }

    /// The details that reading has to keep for the report.
    pub fn needs(&self) -> Detail {
        let needed = self.needs_of_functions();
        if !self.input.inlines {
            return needed;
        }
        // Costs and calls are moved by address, calls of instances by that of the callee.
        Detail {
            lines: true,
            calls: true,
            targets: true,
            code: true,
            jumps: needed.jumps,
            divide_by: match needed.divide_by {
                DivideBy::Nothing | DivideBy::OtherThreads => DivideBy::Inlined,
                other => other,
            },
        }
    }

    /// The details if inlined code counts as code of its host functions.
    pub fn needs_of_functions(&self) -> Detail {
        if self.report.screen().is_some() {
            return self.needs_of_screen();
        }
        // The callgrind format has the instructions of the profile, but not those of a difference.
        let is_charged = !self.input.charged.is_empty();
        let is_written = self.report.is_profile() && !self.input.compares() && !is_charged;
        let format = self.report.format();
        let reads_addresses = format.is_some_and(|format| format.reads_addresses);
        let has_places = reads_addresses && !self.rows.row_by.is_group();
        let annotates = self.report.page().is_some_and(|page| page.annotation.auto);
        let jumps = self.code.is_shown() || is_written || self.machine_code().is_some();
        let code = jumps
            || has_places && !is_charged
            || annotates && self.has_inlined_lines()
            || self.reads_inlines_of_changes();
        let list = self.report.list();
        let has_lines = list.is_some_and(|list| list.nested) && !self.rows.row_by.is_group();
        let has_sites = list.is_some_and(|list| list.by_line);
        let by_line = self.rows.row_by == RowBy::Line || has_lines || has_sites;
        // Renamed functions are paired by their lines and calls.
        let is_paired = !self.input.base.is_empty() && !self.rows.exact_match;
        let has_limited_rows = !self.limits.is_empty() && !self.rows.filter.is_empty();
        let is_list = |page: &&Page| {
            let is_alone = !page.has_sections() || !page.annotation.auto && !code;
            page.format.is_for_people && is_alone
        };
        let page = self.report.page().filter(is_list);
        let calls = |page: &Page| {
            page.list.inclusive
                || !page.list.tree.is_empty()
                || self.selection.needs_calls()
                // Omitted or selected rows may be of functions that are only called.
                || self.selection.list.shows_omitted
                || self.input.per.is_some()
                || is_charged
                || !self.input.kept.is_empty()
        };
        Detail {
            lines: code
                || by_line
                || is_charged
                || is_paired
                || page.is_none() && self.report.needs_lines(),
            // Calls tell whether a limit's functions have lost costs.
            calls: is_paired || has_limited_rows || page.is_none_or(calls),
            targets: code || page.is_none() && self.report.shows_targets(),
            code,
            jumps,
            divide_by: self.divide_by(is_paired),
        }
    }

    /// What the fragments of functions are divided by.
    fn divide_by(&self, is_paired: bool) -> DivideBy {
        let format = self.report.format();
        let has_paths = self.report.list().is_some_and(|list| !list.tree.is_empty());
        match self.rows.row_by {
            _ if self.report.is_profile() => DivideBy::Inlined,
            RowBy::Process if self.input.compares() => DivideBy::Command,
            // Nested calls may cost much less than outermost ones, which reasons tell apart.
            RowBy::Function if is_paired && !self.input.inlines => DivideBy::Levels,
            _ if format.is_some_and(Format::has_stacks) => DivideBy::OtherThreads,
            // Paths stay within a thread, as stacks do.
            RowBy::Function if has_paths => DivideBy::OtherThreads,
            row_by => match row_by.divide_by() {
                // So does what is below a function.
                DivideBy::Nothing if !self.input.kept.is_empty() => DivideBy::OtherThreads,
                other => other,
            },
        }
    }

    fn needs_of_screen(&self) -> Detail {
        Detail {
            lines: true,
            calls: true,
            targets: self.report.shows_targets(),
            code: true,
            // Iterations of a repeated instruction, which are jumps to itself, are no executions.
            jumps: true,
            divide_by: DivideBy::Levels,
        }
    }

    /// How a page for a browser has the instructions of functions, if the profile has any. With
    /// inlined functions, charged costs or parts that are kept, a row's costs are not those of its
    /// instructions.
    pub fn machine_code(&self) -> Option<&AsmOptions> {
        let input = &self.input;
        let is_one = input.base.is_empty() && !input.base_is_first;
        let is_changed = input.inlines || !input.charged.is_empty() || !input.kept.is_empty();
        self.code.of_page.as_ref().filter(|_| is_one && !is_changed)
    }

    /// Whether changed lines of a difference have the cost of what is inlined at them, where
    /// addresses tell.
    pub fn reads_inlines_of_changes(&self) -> bool {
        let why = self.report.page().and_then(Page::reasons);
        // With --match=exact lines of both sides are not compared.
        let compares_lines = !self.rows.exact_match;
        why.is_some_and(|why| why.reads_inlines) && compares_lines && self.has_inlined_lines()
    }

    /// Whether annotated sources, changed lines and those of the first screen show inlined code at
    /// the lines that the addresses of a profile tell, or lines have the executions of all inlined
    /// copies. What is charged to callers has no address, and inlined functions may be functions
    /// already.
    pub fn has_inlined_lines(&self) -> bool {
        let page = self.report.page();
        let has_lines = page.is_some_and(|page| page.below_list.is_some());
        let shows_lines = self.is_text() || has_lines || self.code.counts;
        shows_lines && self.input.charged.is_empty() && !self.input.inlines
    }

    /// Whether the report is a page for a browser.
    pub fn is_for_browsers(&self) -> bool {
        self.report.format().is_some_and(|format| format.is_for_browsers)
    }

    /// Whether the report may have texts of sources: a page for a browser has none with
    /// `--auto=no`.
    pub fn shows_texts(&self) -> bool {
        let page = self.report.page();
        page.is_none_or(|page| !page.format.is_for_browsers || page.annotation.auto)
    }

    /// Whether lines of sources are a part of the report that is missing if the profile has none:
    /// in annotated sources, or in a format with all details. (Whether a list has rows by line is
    /// said by [`RowOptions`].)
    pub fn shows_lines(&self) -> bool {
        match &self.report {
            ReportKind::Page(page) if page.has_sections() => {
                page.annotation.auto && self.code.asm.is_none()
            }
            ReportKind::Page(page) => {
                page.format.has_details || page.format.content == Contents::Profile
            }
            ReportKind::Gprof(gprof) => {
                let is_sum = gprof.views.contains(&GprofView::Sum);
                gprof.display.by_line || gprof.has_counts() || is_sum
            }
        }
    }
}

/// What a report has of instructions and of how often code was executed.
#[derive(Clone, Debug, Default)]
pub struct CodeOptions {
    /// The functions whose instructions to show, and how; none for no instructions.
    pub asm: Option<AsmOptions>,
    /// What a page for a browser has of instructions, if the profile has addresses.
    pub of_page: Option<AsmOptions>,
    /// Show how often lines and instructions were executed, and where lines jump to.
    pub counts: bool,
    /// How the code of rows is read that are instructions in place of functions.
    pub of_rows: Option<AsmOptions>,
}

impl CodeOptions {
    /// Whether it has nothing to show without addresses. Jumps of lines need none.
    pub fn needs_addresses(&self) -> bool {
        self.asm.is_some() || self.of_rows.is_some()
    }

    pub fn is_shown(&self) -> bool {
        self.asm.is_some() || self.counts || self.of_rows.is_some()
    }
}

/// What is written: a report of cgannotate or views of `gprof`.
#[derive(Clone, Debug)]
pub enum ReportKind {
    Page(Page),
    Gprof(GprofOptions),
}

impl ReportKind {
    /// Whether it shows the lines at which called functions begin.
    fn shows_targets(&self) -> bool {
        match self {
            ReportKind::Page(page) => page.format.reads_targets,
            ReportKind::Gprof(gprof) => {
                let has_others = gprof.display.with_files || gprof.symspecs.have_lines();
                gprof.display.by_line || has_others || gprof.has_counts()
            }
        }
    }

    /// Whether it needs source lines for any kind of rows. Many profiles have several lines per
    /// function.
    fn needs_lines(&self) -> bool {
        match self {
            ReportKind::Page(page) => page.format.reads_lines,
            ReportKind::Gprof(gprof) => {
                use GprofView::{Flat, Graph, Index, LinkOrder};
                let has_lines = |view| !matches!(view, &Flat | &Graph | &Index | &LinkOrder);
                let has_others =
                    gprof.views.iter().any(has_lines) || !gprof.symspecs.all.is_empty();
                gprof.display.by_line || gprof.display.with_files || has_others
            }
        }
    }

    fn is_profile(&self) -> bool {
        match self {
            ReportKind::Page(page) => page.format.content == Contents::Profile,
            ReportKind::Gprof(gprof) => gprof.views.contains(&GprofView::Sum),
        }
    }

    pub fn page(&self) -> Option<&Page> {
        match self {
            ReportKind::Page(page) => Some(page),
            ReportKind::Gprof(_) => None,
        }
    }

    /// The options of the first screen, if it is requested.
    pub fn screen(&self) -> Option<&ScreenOptions> {
        self.page()?.screen()
    }

    /// Whether the list is that of a difference and has the reasons of its changes.
    pub fn has_reasons(&self) -> bool {
        self.page().is_some_and(|page| page.reasons().is_some())
    }

    /// The format, unless gprof's pages are written.
    pub fn format(&self) -> Option<Format> {
        self.page().map(|page| page.format)
    }

    /// The list that the report consists of or begins with.
    pub fn list(&self) -> Option<&ListOptions> {
        let page = self.page().filter(|page| page.format.has_list());
        page.map(|page| &page.list)
    }
}

/// A report of cgannotate: its format and what it consists of.
#[derive(Clone, Debug)]
pub struct Page {
    pub format: Format,
    pub list: ListOptions,
    /// The minimum percentage of a row in HTML, of any shown event.
    pub min_percent: f64,
    /// Whether that is the default, which gives way if it would leave out much.
    pub is_min_default: bool,
    pub annotation: AnnotationOptions,
    /// The template of addresses that open a line of a source in an editor.
    pub editor: Option<String>,
    /// The given options that a command for a part of a page for a browser has to repeat.
    pub given: Vec<GivenOption>,
    /// Those of them that every report of the same profile needs.
    pub always_given: Vec<GivenOption>,
    pub header: HeaderKind,
    /// Whether it is callgrind_annotate's page because it is for a pipe, not as requested.
    pub is_classic_by_default: bool,
    /// Whether no option is given at all, so that the first screen is a suggestion.
    pub is_without_options: bool,
    /// What is below the list, unless options change its rows.
    pub below_list: Option<BelowList>,
    /// Whether a difference has the reason of its row, if filters leave one.
    pub explains_row: bool,
}

/// What is below a list.
#[derive(Clone, Debug)]
pub enum BelowList {
    /// The user's most expensive lines, which with a short list are the first screen.
    Lines(ScreenOptions),
    /// The reasons of a difference.
    Reasons(ScreenOptions),
}

/// How lines or reasons are shown.
#[derive(Clone, Debug)]
pub struct ScreenOptions {
    pub has_list: bool,
    /// Whether debug information is read for the lines of inlined code.
    pub reads_inlines: bool,
    /// The given options that a command for one of the lines has to repeat, in order.
    pub repeated: Vec<GivenOption>,
}

impl Page {
    /// The options of the user's most expensive lines.
    pub fn screen(&self) -> Option<&ScreenOptions> {
        match &self.below_list {
            Some(BelowList::Lines(options)) => Some(options),
            _ => None,
        }
    }

    /// The options of the reasons of a difference.
    pub fn reasons(&self) -> Option<&ScreenOptions> {
        match &self.below_list {
            Some(BelowList::Reasons(options)) => Some(options),
            _ => None,
        }
    }

    /// Whether sources and instructions may come after the list.
    fn has_sections(&self) -> bool {
        self.format.is_columns || self.format.is_classic
    }
}

/// An option as it was given: its name with dashes, and its value, if it takes one.
#[derive(Clone, Debug)]
pub struct GivenOption {
    pub option: String,
    pub value: Option<Vec<u8>>,
}

/// How rows are listed, and what is around them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListOptions {
    /// List rows by inclusive cost.
    pub inclusive: bool,
    /// Show the composition of each row's self cost below it.
    pub nested: bool,
    pub tree: Tree,
    /// Whether the calls of each line are apart in the tree.
    pub by_line: bool,
    /// The number of levels of calls; none for direct callers and callees.
    pub depth: Option<usize>,
    pub cycles: bool,
}

/// Which sources are annotated, and how much of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnnotationOptions {
    /// Annotate the sources of all listed functions.
    pub auto: bool,
    /// The number of lines to show around each line with costs.
    pub context: u32,
    /// Whether a page for a browser has the whole text of the user's own sources.
    pub has_whole_texts: bool,
    /// Whether this was requested by an option: then also those of the system and of toolchains are
    /// annotated, and in a difference those newer than a profile, even if one text is used for both
    /// sides.
    pub is_requested: bool,
}

/// How a report looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct StyleOptions {
    /// Write the column names at the start of CSV and TSV.
    pub has_heading: bool,
    pub percentages: bool,
    pub colours: bool,
    /// Whether the output can show the bars of a sparkline.
    pub has_sparkline: bool,
    /// The maximum width of a list's lines in columns; none for no limit.
    pub width: Option<usize>,
}

/// What is read, and what is made of it before the report.
#[derive(Clone, Debug, Default)]
pub struct InputOptions {
    /// The profiles, and the sources to annotate.
    pub files: Vec<PathBuf>,
    /// The profiles to compare with, which are summed.
    pub base: Vec<PathBuf>,
    /// The first of two profiles among the files is the one to compare with.
    pub base_is_first: bool,
    /// The files of a side are those of the newest of several runs in a folder, which was chosen by
    /// its time alone.
    pub is_newest_of_several: bool,
    /// The files are those of a series of profiles.
    pub is_series: bool,
    /// What the last profile of a series is judged against.
    pub against: Against,
    /// Of a series: the files of the profiles before BASE, the latest first.
    pub earlier: Vec<Vec<PathBuf>>,
    /// Of a series: the labels of the profiles, by side.
    pub labels: Vec<String>,
    /// Of a series: the side that NEW is judged against.
    pub against_side: Option<usize>,
    pub read: ReadOptions,
    /// The events defined by `--event`.
    pub events: Vec<(Vec<u8>, Formula)>,
    /// The code that is charged to its callers: that of `--charge-to-callers`, and with `--mine`
    /// all but the user's own.
    pub charged: Vec<Charged>,
    /// The parts of the profile that are kept: those of `--below`, and of these what is left
    /// `--without` others.
    pub kept: Vec<KeptCode>,
    /// Which functions these patterns may mean if none has such a name.
    pub kept_names: KeptNames,
    pub bucket_files: Vec<PathBuf>,
    /// The directories to search for sources after the current one, with trailing slashes.
    pub folders: Vec<Vec<u8>>,
    /// The directories to search for sources of BASE, with trailing slashes.
    pub base_folders: Vec<Vec<u8>>,
    pub source_maps: Vec<SourceMap>,
    pub program: ProgramOptions,
    /// The functions by the number of whose calls, from functions that do not match, counts are
    /// divided.
    pub per: Option<Pattern>,
    /// Show inlined functions as functions.
    pub inlines: bool,
    /// Show a progress bar on standard error while a long file is read.
    pub progress: bool,
}

impl InputOptions {
    /// The name of a side in messages: its label in a series, else NEW or BASE.
    pub fn name_of_side(&self, side: usize) -> String {
        let of_difference = if side == NEW { "NEW" } else { "BASE" };
        self.labels.get(side).cloned().unwrap_or_else(|| of_difference.to_owned())
    }

    /// Whether several profiles are compared.
    pub fn compares(&self) -> bool {
        self.is_series || !self.base.is_empty()
    }

    /// The side of a comparison that NEW is judged against.
    pub fn judged_against(&self) -> usize {
        self.against_side.unwrap_or(BASE)
    }

    /// The files of all sides.
    pub fn all_files(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter().chain(&self.base).chain(self.earlier.iter().flatten())
    }
}

/// Which functions a pattern of a kept part may mean if none of the profile has such a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeptNames {
    /// An inlined one if debug information has the name, for which the profile is read again; or
    /// else those of wider patterns.
    #[default]
    InlinedOrWider,
    /// None: inlined functions are read, and one may have the name.
    Exact,
    Wider,
}

/// A profile of a series before the last one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Against {
    #[default]
    Previous,
    First,
    /// The one with this label.
    Label(String),
}

/// How to read a program and its gprof data.
#[derive(Clone, Debug, Default)]
pub struct ProgramOptions {
    /// The program of BASE, which is among its files; by default the same as NEW's.
    pub base_executable: Option<PathBuf>,
    /// Local functions belong to the symbol before them.
    pub omits_locals: bool,
    /// Local symbols count only if they are marked as functions.
    pub only_functions: bool,
    /// Local functions that gprof leaves out because of their names belong to the symbol before
    /// them, and symspecs that match nothing are ignored.
    pub as_gprof: bool,
    /// A file with the addresses and names of functions, which replaces the program's symbols.
    pub symbols: Option<PathBuf>,
    /// A file that says in which objects functions are defined; functions are named after them.
    pub object_map: Option<PathBuf>,
    pub format: GmonFormat,
}
