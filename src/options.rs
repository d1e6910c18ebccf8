//! What one run is to do: resolved once, from the command line, before a byte is read.
//!
//! The options of a room are that room's own types ([`ReadOptions`](crate::read::ReadOptions), [`RowOptions`], [`SelectionOptions`]); here is what puts them
//! together, and [`Report`], which says what is written.

use std::path::PathBuf;

use crate::profile::{DivideBy, Formula, SuffixFold};
use crate::read::gmon::GmonFormat;
use crate::read::{Detail, ReadOptions};
use crate::render::{Form, Format, Looks, Measure, Tree};
use crate::source::SourceMap;
use crate::view::asm::AsmOptions;
use crate::view::{Charged, Limit, Pattern, RowBy, RowOptions, SelectionOptions, Symspecs};

#[derive(Clone, Debug)]
pub struct Options {
    pub input: InputOptions,
    pub report: Report,
    /// What a row is, how its name is displayed, and which rows are included.
    pub rows: RowOptions,
    pub code: CodeOptions,
    /// The events to show and to sort by, and where a list ends.
    pub selection: SelectionOptions,
    /// What the report looks like, unless it is gprof's.
    pub style: StyleOptions,
    /// The requested columns of a list; if empty, those of its format and layout.
    pub columns: Vec<Measure>,
    /// All code but that below the current directory.
    pub foreign: Option<Charged>,
    /// The file to write to; standard output if none.
    pub output: Option<PathBuf>,
    /// The command through which the report is read, with its arguments; empty if none.
    pub pager: Vec<String>,
    /// The growths of a difference that are no failure.
    pub limits: Vec<Limit>,
}

impl Options {
    /// Whether all events are shown in columns, as there is room, and not those that are requested.
    pub fn shows_all_in_columns(&self) -> bool {
        self.is_in_columns() && self.selection.show.is_empty() && self.input.base.is_empty()
    }

    /// Whether a person reads the report, as far as the layout tells.
    pub fn is_in_columns(&self) -> bool {
        let page = self.report.page();
        page.is_some_and(|page| page.layout == Layout::Columns)
    }

    /// Which suffixes of names are folded. gprof's views know functions with all their levels of recursion; a sum alone keeps
    /// the names that it has to hold.
    pub fn fold(&self) -> SuffixFold {
        let fold = self.input.read.fold;
        let is_merged = |gprof: &GprofOptions| gprof.views != [GprofView::Sum];
        let is_gprof = matches!(&self.report, Report::Gprof(gprof) if is_merged(gprof));
        SuffixFold {
            recursion: fold.recursion || is_gprof,
            ..fold
        }
    }

    /// What reading has to keep for the report.
    pub fn needs(&self) -> Detail {
        let needed = self.needs_of_functions();
        match self.input.inlines {
            // Costs and calls are moved by address.
            true => Detail {
                lines: true,
                calls: true,
                code: true,
                divide_by: match needed.divide_by {
                    DivideBy::Nothing => DivideBy::Inlined,
                    other => other,
                },
                ..needed
            },
            false => needed,
        }
    }

    /// The same if inlined code is that of the functions that hold it.
    pub fn needs_of_functions(&self) -> Detail {
        // The callgrind form has the instructions of the profile; of a difference it has none.
        let is_charged = !self.input.charged.is_empty();
        let is_written = self.report.is_profile() && self.input.base.is_empty() && !is_charged;
        let form = self.report.form();
        let has_places = matches!(form, Some(Form::Pprof)) && !self.rows.row_by.is_group();
        let code = self.code.is_shown() || is_written || has_places && !is_charged;
        // What is rounded by place: each report has to have the same counts.
        let is_rounded = is_charged || self.input.normalizes;
        let list = self.report.list();
        let has_lines = list.is_some_and(|list| list.nested) && !self.rows.row_by.is_group();
        let by_line = self.rows.row_by == RowBy::Line || has_lines;
        let divide_by = match self.rows.row_by {
            _ if self.report.is_profile() => DivideBy::Inlined,
            row_by => row_by.divide_by(),
        };
        let is_list = |page: &&Page| match page.format.form {
            Form::Text => !page.annotation.auto && !code,
            form => form.is_for_people(),
        };
        let Some(Page { list, .. }) = self.report.page().filter(is_list) else {
            return Detail {
                lines: code || by_line || is_rounded || self.report.needs_lines(),
                targets: code || self.report.shows_targets(),
                code,
                divide_by,
                ..Detail::default()
            };
        };
        Detail {
            lines: code || by_line || is_rounded,
            calls: list.inclusive
                || !list.tree.is_empty()
                || self.selection.counts_calls()
                // Rows that are left out, or selected, may be of functions that are only called.
                || self.selection.shows_omitted
                || matches!(self.input.per, Some(Per::Calls(_)))
                || is_charged,
            targets: code,
            code,
            divide_by,
        }
    }

    pub fn shows_lines(&self) -> bool {
        match &self.report {
            Report::Page(page) => match page.format.form {
                Form::Text => page.annotation.auto && self.code.asm.is_none(),
                form => matches!(form, Form::Json | Form::Callgrind | Form::Html),
            },
            Report::Gprof(gprof) => {
                use GprofView::{ExecCounts, Sources, Sum};
                let has_lines = |view| matches!(view, &(ExecCounts | Sources | Sum));
                gprof.looks.by_line || gprof.views.iter().any(has_lines)
            }
        }
    }
}

/// What is shown of instructions.
#[derive(Clone, Debug, Default)]
pub struct CodeOptions {
    /// Which functions' instructions, and how; none if no function's.
    pub asm: Option<AsmOptions>,
    /// Show how often lines and instructions were executed.
    pub counts: bool,
    /// Show where lines jump to.
    pub jumps: bool,
    /// List instructions in place of functions.
    pub by_instruction: bool,
}

impl CodeOptions {
    /// Whether it is nothing without addresses.
    pub fn needs_addresses(&self) -> bool {
        self.asm.is_some() || self.counts || self.by_instruction
    }

    pub fn is_shown(&self) -> bool {
        self.asm.is_some() || self.counts || self.jumps || self.by_instruction
    }
}

#[derive(Clone, Debug)]
pub enum Report {
    Page(Page),
    Gprof(GprofOptions),
}

impl Report {
    /// Whether it shows the lines at which called functions begin.
    fn shows_targets(&self) -> bool {
        match self {
            Report::Page(page) => matches!(page.format.form, Form::Json | Form::Callgrind),
            Report::Gprof(gprof) => {
                use GprofView::{ExecCounts, Sources};
                let has_lines = |view| matches!(view, &(ExecCounts | Sources));
                let has_others = gprof.looks.with_files || gprof.symspecs.have_lines();
                gprof.looks.by_line || has_others || gprof.views.iter().any(has_lines)
            }
        }
    }

    /// Whether it needs source lines, whatever rows are. Many profiles have several lines for each function.
    fn needs_lines(&self) -> bool {
        match self {
            Report::Page(page) => {
                use Form::{Dot, FlameGraph, Folded, Table};
                !matches!(page.format.form, Table(_) | Folded | FlameGraph | Dot)
            }
            Report::Gprof(gprof) => {
                use GprofView::{Flat, Graph, LinkOrder};
                let has_lines = |view| !matches!(view, &Flat | &Graph | &LinkOrder);
                let has_others =
                    gprof.views.iter().any(has_lines) || !gprof.symspecs.all.is_empty();
                gprof.looks.by_line || gprof.looks.with_files || has_others
            }
        }
    }

    fn is_profile(&self) -> bool {
        match self {
            Report::Page(page) => matches!(page.format.form, Form::Callgrind),
            Report::Gprof(gprof) => gprof.views.contains(&GprofView::Sum),
        }
    }

    pub fn page(&self) -> Option<&Page> {
        match self {
            Report::Page(page) => Some(page),
            Report::Gprof(_) => None,
        }
    }

    /// What its format is, unless it is gprof's.
    pub fn form(&self) -> Option<Form> {
        self.page().map(|page| page.format.form)
    }

    /// The list that the report is, or begins with.
    pub fn list(&self) -> Option<&ListOptions> {
        let page = self.page().filter(|page| page.format.form.has_list());
        page.map(|page| &page.list)
    }
}

/// The report in any format.
#[derive(Clone, Debug)]
pub struct Page {
    pub format: Format,
    pub list: ListOptions,
    /// Of a page for a browser: the least row, in percent of any shown event.
    pub least: f64,
    pub annotation: AnnotationOptions,
    pub header: Header,
    pub layout: Layout,
}

/// How the list for people looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// callgrind_annotate's page.
    Classic,
    /// Self and inclusive costs side by side, a line for each row. A source or function that is named comes without a list.
    Columns,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// What was profiled, and with which options it is reported.
    Full,
    /// A line: what was profiled, and its total.
    Line,
    None,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct ListOptions {
    /// List rows by inclusive cost.
    pub inclusive: bool,
    /// Show below each row what its self cost is made of.
    pub nested: bool,
    /// Which calls are shown around each row.
    pub tree: Tree,
    /// Over how many levels; none for direct callers and callees.
    pub depth: Option<usize>,
    pub cycles: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct AnnotationOptions {
    /// Annotate the sources of all listed functions.
    pub auto: bool,
    /// How many lines are shown around each line with costs.
    pub context: u32,
    /// Log every path tried for each source.
    pub verbose: bool,
    /// Of a difference: annotate sources that are newer than a profile even if one text has to serve both sides.
    pub includes_newer: bool,
    /// Leave out sources of the system and of toolchains unless they are given.
    pub skips_system: bool,
    /// Count the sources that were not found, in place of a list of them.
    pub counts_missing: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct StyleOptions {
    /// Tables for other programs begin with the names of their columns.
    pub has_heading: bool,
    /// Print percentages beside counts.
    pub percentages: bool,
    /// Of a difference: percentages are of BASE's total.
    pub percent_of_total: bool,
    pub colours: bool,
    /// How many columns a line of a list may take; none if any.
    pub width: Option<usize>,
}

/// Which of gprof's views are written, and how.
#[derive(Clone, Debug)]
pub struct GprofOptions {
    /// The views, in the order in which they are written.
    pub views: Vec<GprofView>,
    /// Nobody requested these views: those without data are left out.
    pub is_default: bool,
    /// How many lines the summary of an annotated source lists.
    pub top_lines: usize,
    /// Write each annotated source to a file of its own.
    pub separate_files: bool,
    /// The least number of executions to list.
    pub min_count: u64,
    /// Print the counts of all basic blocks of a line in gprof's data, not only of those that begin there.
    pub all_blocks: bool,
    pub looks: Looks,
    /// Which functions, lines and calls the views are about.
    pub symspecs: Symspecs,
    pub annotation: AnnotationOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GprofView {
    /// The sum of all profiles, which is written to a file of its own.
    Sum,
    /// What the profiles hold.
    Info,
    /// The functions in an order for a linker.
    LinkOrder,
    Flat,
    /// The call graph and its index.
    Graph,
    /// How often each function was called.
    ExecCounts,
    Sources,
}

#[derive(Clone, Debug, Default)]
pub struct InputOptions {
    /// Profiles, and sources to annotate in any case.
    pub files: Vec<PathBuf>,
    /// The profiles to compare with, which are summed.
    pub base: Vec<PathBuf>,
    pub read: ReadOptions,
    /// Events that are computed from others.
    pub events: Vec<(Vec<u8>, Formula)>,
    pub charged: Vec<Charged>,
    pub bucket_files: Vec<PathBuf>,
    /// The directories that are searched for sources after the current one, with slashes at the ends.
    pub folders: Vec<Vec<u8>>,
    /// The directories with the sources of BASE, likewise.
    pub base_folders: Vec<Vec<u8>>,
    /// Where the sources of another machine are on this one.
    pub source_maps: Vec<SourceMap>,
    /// The program that wrote gprof's data, and how it is read.
    pub program: ProgramOptions,
    /// What all counts are divided by.
    pub per: Option<Per>,
    /// Whether BASE is scaled to NEW's total.
    pub normalizes: bool,
    /// Inlined functions are functions.
    pub inlines: bool,
    /// Show a progress bar on standard error while a long file is read.
    pub progress: bool,
}

#[derive(Clone, Debug)]
pub enum Per {
    Number(i64),
    /// The calls of functions from others.
    Calls(Pattern),
}

/// How a program and gprof's data of it are read.
#[derive(Clone, Debug, Default)]
pub struct ProgramOptions {
    /// The program; one among the files, or `a.out`, if none.
    pub executable: Option<PathBuf>,
    /// The program of the profile to subtract; the same if none.
    pub base_executable: Option<PathBuf>,
    /// Local functions belong to the symbol before them.
    pub omits_locals: bool,
    /// Local symbols count only if they are marked as functions.
    pub only_functions: bool,
    /// Local functions that gprof leaves out because of their names belong to the symbol before them, and symspecs that
    /// match nothing are ignored.
    pub as_gprof: bool,
    /// A file with the addresses and names of functions, in place of the program's symbols.
    pub symbols: Option<PathBuf>,
    pub format: GmonFormat,
}
