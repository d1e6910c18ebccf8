//! The options of the command line as the program takes them.

use super::Arguments;
use crate::cli::asm::folders;
use crate::cli::diff::{MatchArgument, PercentArgument};
use crate::cli::list::{EventArguments, LimitArguments, ListArguments, NamesArgument};
use crate::cli::terminal;
use crate::options::{InputOptions, Options, ProgramOptions, Report, StyleOptions};
use crate::profile::SuffixFold;
use crate::read::ReadOptions;
use crate::view::{RowBy, RowOptions, SelectionOptions, Threshold};

/// How many rows a table in Markdown has if nothing else is requested.
const MARKDOWN_ROWS: usize = 10;

/// How many columns its short names take, with the files they are in.
const MARKDOWN_COLUMNS: usize = 64;

impl Arguments {
    pub(super) fn into_options(self, report: Report) -> Options {
        let on_stdout = self.output.is_stdout();
        let style = self.style(&report);
        let code = self
            .asm
            .options(self.sources.context, self.list.by_instruction());
        let limits = self.diff.limits();
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
                progress: terminal::shows_progress(),
            },
            report,
            rows,
            code,
            selection,
            style,
            output: self.output.into_file(),
            pager,
            limits,
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
                Report::Page(_) => terminal::columns(self.width.width, on_stdout),
                Report::Markdown(_) => self.has_short_names(report).then_some(MARKDOWN_COLUMNS),
                _ => None,
            },
            fits_events: is_page && terminal::is_terminal(on_stdout),
        }
    }

    /// Whether functions have short names if none are requested: where a person reads them.
    fn has_short_names(&self, report: &Report) -> bool {
        match (self.list.names, report) {
            (Some(names), _) => names == NamesArgument::Short,
            (None, Report::Dot { .. } | Report::Markdown(_)) => true,
            (None, Report::Page(_)) => {
                !self.diff.diff.is_empty() || terminal::is_terminal(self.output.is_stdout())
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
