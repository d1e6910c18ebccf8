//! Prepares the report of any format: rows, their graphs and inclusive costs, the list, names and
//! columns, in this order; then the lines around its rows.

use std::cell::OnceCell;

use anyhow::Result;

use crate::options::ListOptions;
use crate::profile::{FileId, Measured};
use crate::render::{
    ChosenColumns, ColumnChoice, ColumnLayout, CostsOfRows, Format, Report, ShownCosts, Tree,
    TreeCalls,
};
use crate::run::Context;
use crate::run::compare::Gate;
use crate::run::needed_costs::{ChangedBy, NeededCosts};
use crate::view::asm::Instructions;
use crate::view::default_min;
use crate::view::{
    Alignments, CallTree, Charged, FigureTable, Filter, Graphs, GroupCost, Inclusive, List, ListBy,
    NameOptions, NestedList, NestedOptions, Nesting, Omitted, PathEnd, PathOptions, PathTrees,
    RowBy, RowId, RowNames, RowOptions, Rows, SourceTexts, beside, self_costs,
};

/// A report, and what its other sections are made of.
pub(super) struct Prepared<'a, 'r> {
    /// Its inclusive costs are always there for JSON and CSV.
    pub(super) report: Report<'a, 'r>,
    pub(super) options: &'a ListOptions,
    pub(super) gate: &'a Gate,
    pub(super) instructions: Option<Instructions<'a>>,
    /// Always there for JSON and CSV.
    pub(super) graphs: Option<&'a Graphs<'r>>,
    /// How the sources of both sides are aligned, for JSON.
    pub(super) alignments: Alignments,
}

impl<'r> Context<'r> {
    pub(super) fn rows(&self) -> Rows<'r> {
        Rows::new(self.profile, &self.options.rows)
    }

    /// The rows of another kind, with the same options.
    pub(super) fn rows_by(&self, row_by: RowBy) -> Rows<'r> {
        let options = self.options.rows.clone();
        Rows::new(self.profile, &RowOptions { row_by, ..options })
    }

    /// The graphs of both sides. Without `has_cycles` only direct recursion is a cycle.
    pub(super) fn graphs(&self, has_cycles: bool, rows: &Rows<'r>) -> Graphs<'r> {
        Graphs::new(self.profile, has_cycles, rows, &self.selection)
    }

    /// Makes the rows and the list, with the costs that its format has, then the names of what it
    /// lists. `graphs` are made if anything needs them.
    pub(super) fn prepare<'a>(
        &'a self,
        options: &'a ListOptions,
        graphs: &'a OnceCell<Graphs<'r>>,
        gate: &'a Gate,
    ) -> Result<Prepared<'a, 'r>> {
        let instructions = self.instructions()?;
        let is_for_people = self.is_for_people();
        let rows = self.rows_beside_sums();
        self.note_reused_threads(&rows);
        let needed = self.needed_costs(options);
        let costs = || self.costs(options, needed, &rows, graphs);
        let (list, (graphs, inclusive, own)) = if needed.inclusive && !needed.before_list {
            beside(rows.len(), || Some(self.list(&rows)), costs)
        } else {
            (None, costs())
        };
        let mut rows = match graphs {
            Some(graphs) if needed.inclusive => {
                rows.with_cycles(|function| graphs.cycles.number_of(function))
            }
            _ => rows,
        };
        let has_details = self.is_format(|format| format.has_details);
        let aligns = has_details && self.series.is_none();
        let alignments = if aligns { self.alignments() } else { Alignments::default() };
        if let Some((changed_by, inclusive)) = needed.changed_by.zip(inclusive.as_ref()) {
            rows = self.with_changes(rows, changed_by, inclusive, own.as_ref(), &alignments);
        }
        if let Some(graphs) = graphs.filter(|_| is_for_people) {
            rows = self.with_changed_calls(rows, options.tree, graphs);
        }
        let list_by = || self.list_by(needed.by_inclusive, &rows, inclusive.as_ref());
        let mut list = list.unwrap_or_else(list_by);
        if let Some(costs) = inclusive.as_ref().filter(|_| self.has_no_self_costs(&list)) {
            list = self.list_by(true, &rows, Some(costs));
        }
        if self.lists_nothing() {
            list.omitted = None;
        }
        if let Some(graphs) = graphs.filter(|graphs| self.counts_calls_again(&list, graphs)) {
            list = list.with_calls(&rows, graphs, self.selection.list.shows_calls_of_lines);
        }
        if let (Some(graphs), Some(omitted)) = (graphs, &mut list.omitted) {
            self.add_inclusive_of_chosen(omitted, graphs, &rows);
        }
        let mut rows = self.with_texts(rows, &list)?;
        rows = self.named(rows, &list.items, true);
        if is_for_people && !options.tree.is_empty() {
            rows = rows.with_names_checked();
        }
        let columns = self.columns(options, &list, rows.row_by, needed.shown);
        let tables = columns.tables(&CostsOfRows {
            rows: &rows,
            list: &list,
            own: own.as_ref(),
            inclusive: inclusive.as_ref(),
        });
        let is_table = self.is_format(Format::is_table_for_people);
        let report = Report {
            columns,
            rows,
            list,
            total: &self.total,
            style: self.style(),
            verdicts: &gate.lines,
            kept: if is_table { self.kept_lines(self.event()) } else { Vec::new() },
            renamed: if is_table { self.renamed_names() } else { Vec::new() },
            costs: needed.shown,
            own,
            inclusive,
            tables,
            program: self.program(),
        };
        Ok(Prepared { report, options, gate, instructions, graphs, alignments })
    }

    /// Whether the list has no calls that its columns need, or has them without those that are
    /// nested in a cycle, because it was made beside the graphs.
    fn counts_calls_again(&self, list: &List, graphs: &Graphs<'_>) -> bool {
        let has_reasons = self.is_for_people() && self.why_options().is_some();
        let has_columns =
            !self.is_format(|format| format.has_details) || !self.options.columns.is_empty();
        let lacks_nested =
            list.has_calls() && !list.is_inclusive && has_columns && graphs.cycles.len() > 0;
        lacks_nested || has_reasons && !list.has_calls()
    }

    /// The columns of the list; JSON has only those that are requested.
    fn columns(
        &self,
        options: &ListOptions,
        list: &List,
        row_by: RowBy,
        costs: ShownCosts,
    ) -> ChosenColumns {
        let requested = &self.options.columns[..];
        let Some(format) = self.options.report.format() else {
            return ChosenColumns::default();
        };
        if format.has_details && requested.is_empty() {
            return ChosenColumns::default();
        }
        let is_series_of_text = format.is_columns && self.series.is_some();
        let choice = ColumnChoice {
            layout: if is_series_of_text { ColumnLayout::Series } else { format.layout },
            requested,
            selection: &self.selection,
            style: self.style(),
            list,
            row_by,
            costs,
            has_tree: !options.tree.is_empty(),
            // Requested columns of calls are the same above reasons.
            has_reasons: self.why_options().is_some() && !self.options.selection.list.shows_calls,
            counts_calls: self.profile.sides().iter().all(Measured::has_counted_calls),
        };
        choice.columns()
    }

    /// The rows, and meanwhile the sums of self costs that the list needs next.
    fn rows_beside_sums(&self) -> Rows<'r> {
        let profile = self.profile;
        if profile.has_few_places() {
            self.rows()
        } else {
            let places = profile.places.len();
            beside(places, || profile.self_costs(), || self.rows()).1
        }
    }

    /// The needed costs: the graphs, the inclusive and the self costs of rows.
    fn costs<'a>(
        &'a self,
        options: &ListOptions,
        needed: NeededCosts,
        rows: &Rows<'r>,
        graphs: &'a OnceCell<Graphs<'r>>,
    ) -> (Option<&'a Graphs<'r>>, Option<Inclusive<'a>>, Option<FigureTable>) {
        let made = needed.graphs.then(|| graphs.get_or_init(|| self.graphs(options.cycles, rows)));
        let inclusive =
            made.filter(|_| needed.inclusive).map(|graphs| Inclusive::new(graphs, rows));
        let own = needed.own.then(|| self_costs(rows));
        (made, inclusive, own)
    }

    /// Marks the rows whose callers or callees in the tree changed in a difference for people.
    fn with_changed_calls(&self, mut rows: Rows<'r>, tree: Tree, graphs: &Graphs<'_>) -> Rows<'r> {
        if self.profile.is_difference() && !tree.is_empty() {
            let calls = CallTree::new(graphs, &rows, false);
            let of = |row, end| calls.calls(end, row, &rows, &self.selection);
            let has_calls = |row| tree.iter().any(|&end| !of(row, end).is_empty());
            let is_changed = |row| rows.is_changed(row) || has_calls(row);
            rows.is_changed = rows.all().map(is_changed).collect();
        }
        rows
    }

    /// Marks the rows that changed.
    fn with_changes(
        &self,
        mut rows: Rows<'r>,
        changed_by: ChangedBy,
        inclusive: &Inclusive<'_>,
        own: Option<&FigureTable>,
        alignments: &Alignments,
    ) -> Rows<'r> {
        let (compared, shown) = (&self.selection.compared, &self.selection.shown[..]);
        let own = own.filter(|_| changed_by.has_columns);
        let events = if own.is_some() { compared.as_deref().unwrap_or_default() } else { shown };
        let has_changes = own.is_none() && self.series.is_none();
        let changes = if has_changes { rows.changes(shown, alignments) } else { Vec::new() };
        let is_changed = |row: RowId| {
            let own = own.filter(|_| changed_by.own).map(|own| own.get(row.index()));
            let inclusive = inclusive.of_row(row).filter(|_| changed_by.inclusive);
            let mut costs = own.into_iter().chain(inclusive);
            costs.any(|cost| !cost.is_unchanged(events)) || changes.get(row.index()) == Some(&true)
        };
        rows.is_changed = rows.all().map(is_changed).collect();
        rows
    }

    /// Adds the inclusive cost of several rows that the filter selected, if a person reads the
    /// list.
    fn add_inclusive_of_chosen(&self, omitted: &mut Omitted, graphs: &Graphs<'_>, rows: &Rows<'_>) {
        let are_several = omitted.chosen.as_ref().is_some_and(|of| of.rows > 1);
        if are_several && self.is_for_people() && rows.row_by.has_callers() {
            let is_selected = |id| rows.has_selected(id);
            omitted.inclusive = Some(GroupCost::of_selected(&graphs.sides, rows, is_selected));
        }
    }

    pub(super) fn tree<'a>(&'a self, prepared: &'a Prepared<'_, 'r>) -> Option<TreeCalls<'a>> {
        let (options, rows) = (prepared.options, &prepared.report.rows);
        let graphs = prepared.graphs.filter(|_| !options.tree.is_empty())?;
        let mut paths = self.path_trees(options, graphs, rows);
        if let Some(paths) = &mut paths {
            paths.limit(options.tree, &prepared.report.list.items);
        }
        // What callgrind_annotate prints, and formats for programs, have the costs as they were
        // recorded.
        let calls = if self.options.is_text() {
            CallTree::of_outermost(graphs, rows, options.by_line)
        } else {
            CallTree::new(graphs, rows, options.by_line)
        };
        let by_line = options.by_line;
        let event = self.event();
        let total = self.total.reference[event].or_zero().unsigned_abs() as f64;
        let min = self.options.selection.list.min.as_ref();
        let tree = TreeCalls {
            tree: options.tree,
            by_line,
            calls,
            min: min.map(|min| (event, (total * min.percent / 100.0).ceil() as u64)),
            selection: &self.selection,
            paths,
        };
        // A text says so below its list.
        if let Some(limited) = tree.limited().filter(|_| !self.options.is_text()) {
            self.messages.note(limited);
        }
        Some(tree)
    }

    /// Whether a table has no rows because none was requested: its total is all that it has.
    fn lists_nothing(&self) -> bool {
        let is_table = self.options.is_text() || self.is_format(Format::is_table_for_people);
        is_table && self.options.selection.list.top == Some(0)
    }

    /// Whether the list is for people: with short names, without costs that were not requested.
    pub(super) fn is_for_people(&self) -> bool {
        self.is_format(|format| format.is_for_people)
    }

    /// Whether the report has a format, for which this holds.
    pub(super) fn is_format(&self, holds: impl Fn(Format) -> bool) -> bool {
        self.options.report.format().is_some_and(holds)
    }

    pub(crate) fn list(&self, rows: &Rows<'_>) -> List {
        List::new(rows, &self.selection, &self.total, ListBy::SelfCost)
    }

    /// The list of rows in the order of the report.
    fn list_by(&self, by_inclusive: bool, rows: &Rows<'_>, costs: Option<&Inclusive<'_>>) -> List {
        let page = self.options.report.page();
        let html = page.filter(|page| page.format.is_for_browsers);
        let list_by = |by| List::new(rows, &self.selection, &self.total, by);
        match (html, costs) {
            (Some(html), Some(costs)) => {
                let with_min = |min_percent| {
                    list_by(ListBy::AnyCost { costs, min_percent, is_inclusive: by_inclusive })
                };
                let list = with_min(html.min_percent);
                // The largest of the small ones: those with at least half of the mean.
                let min_percent = 50.0 / rows.len().max(1) as f64;
                if min_percent < html.min_percent && self.leaves_out_much(&list) {
                    with_min(min_percent)
                } else {
                    list
                }
            }
            (None, Some(inclusive)) if by_inclusive => list_by(ListBy::Inclusive(inclusive)),
            _ => list_by(ListBy::SelfCost),
        }
    }

    /// Whether a filter selects only rows without self cost, so that a text by self cost has no
    /// column of it and no order.
    fn has_no_self_costs(&self, list: &List) -> bool {
        let (order, by_calls) = (&self.selection.order, &self.selection.by_calls);
        let costs = |event: usize| list.figures().map(move |(cost, _)| cost.value[event].or_zero());
        let is_by_cost = by_calls.is_none() && !list.is_inclusive && !self.profile.is_difference();
        let is_filtered = !self.options.rows.filter.is_empty();
        let is_text_of_rows = self.options.is_text() && is_by_cost && is_filtered;
        is_text_of_rows
            && !list.items.is_empty()
            && order.iter().all(|&event| costs(event).all(|cost| cost == 0))
    }

    pub(super) fn named(&self, mut rows: Rows<'r>, items: &[RowId], with_files: bool) -> Rows<'r> {
        if self.options.rows.short_names && rows.row_by != RowBy::Instruction {
            let page = self.options.report.page();
            let options = NameOptions {
                with_files,
                keeps_objects: self.options.is_text(),
                has_trees: !items.is_empty() && page.is_some_and(|page| !page.list.tree.is_empty()),
            };
            rows.names = RowNames::short(items, &rows, options);
        }
        rows
    }

    fn path_trees<'g>(
        &self,
        options: &ListOptions,
        graphs: &'g Graphs<'r>,
        rows: &'g Rows<'r>,
    ) -> Option<PathTrees<'g, 'r>> {
        let end = match options.depth.filter(|_| !options.tree.is_empty()) {
            Some(depth) => Some(PathEnd::Depth(depth)).filter(|_| depth > 1),
            None => self.own_code(rows).filter(|_| !options.by_line),
        }?;
        let first = self.event();
        let shown = self.selection.shown.iter().copied();
        let events: Vec<usize> =
            std::iter::once(first).chain(shown.filter(|&event| event != first)).collect();
        let min = self.options.selection.list.min.as_ref();
        let total = self.total.reference[first].or_zero();
        let options = PathOptions {
            end,
            total: total.unsigned_abs(),
            // Selected rows are shown however small they are.
            is_of_selected: min.is_none() && rows.is_filtered,
            min_percent: self.min_line_percent(),
            cuts_direct: min.is_some(),
            hides_unknown: self.options.is_text(),
        };
        Some(PathTrees::new(graphs, rows, events, options))
    }

    /// The minimum percentage of a line of a tree or below a row.
    fn min_line_percent(&self) -> f64 {
        self.options.selection.list.min.as_ref().map_or(default_min::OF_LINE, |min| min.percent)
    }

    /// By function whether it is not the user's own, whose code is below the current directory or,
    /// if none is, not known to be of others; none if all are, or if it is not needed.
    pub(super) fn foreign_functions(&self) -> Option<Vec<bool>> {
        let by_folder = self.options.foreign.as_ref()?;
        let by_name = Charged::of_system();
        let functions = |foreign: &Charged| foreign.matches(self.profile).functions;
        [by_folder, &by_name].into_iter().map(functions).find(|of| of.contains(&false))
    }

    /// Ends paths of callers at the user's own code, if a person reads them and the profile has
    /// such code.
    fn own_code(&self, rows: &Rows<'_>) -> Option<PathEnd> {
        let is_of_functions = matches!(rows.row_by, RowBy::Function | RowBy::FileFunction);
        let is_for_own = is_of_functions && self.options.is_text();
        let is_foreign = self.foreign_functions().filter(|_| is_for_own)?;
        let follows_callees = rows.is_filtered
            && !self.profile.is_difference()
            && self.total.reference[self.event()].or_zero() >= 0
            && rows.all().filter(|&row| rows.is_selected(row)).nth(1).is_none();
        Some(PathEnd::Own { is_foreign, follows_callees })
    }

    /// The lines below these rows: their parts and, with `has_calls`, their calls.
    pub(super) fn nesting<'a>(&'a self, rows: &'a Rows<'r>, has_calls: bool) -> Nesting<'a, 'r> {
        let mut options = self.options.rows.clone();
        options.row_by = Nesting::parts_by(options.row_by);
        options.filter = Filter::default();
        let parts = self.named(Rows::new(self.profile, &options), &[], true);
        let alignments = match options.row_by {
            RowBy::File => self.alignments(),
            _ => Alignments::default(),
        };
        Nesting::new(rows, parts, &self.selection, alignments, has_calls)
    }

    /// The lines below the rows of a list, with the text of source lines that are found.
    pub(super) fn nested_list(&self, rows: &Rows<'r>, list: &List) -> NestedList<'r> {
        let (min, event) = (self.options.selection.list.min.as_ref(), self.event());
        let of_total = min.is_some() || !self.profile.is_difference();
        let options = NestedOptions {
            event,
            min_percent: self.min_line_percent(),
            whole: of_total.then(|| self.total.reference[event]),
        };
        let mut nested = NestedList::new(&self.nesting(rows, false), list, options);
        let wanted = nested.lines_mut().filter_map(|line| Some((line.file, line.key.in_new()?)));
        let texts = SourceTexts::read(self.profile, &self.input.finder, wanted);
        for line in nested.lines_mut() {
            let text = line.key.in_new().and_then(|new| texts.get(line.file, new));
            line.source = text.map(|text| text.trim_ascii().to_vec());
        }
        nested
    }

    /// Adds the texts of listed lines that only BASE has.
    fn add_removed_lines(&self, rows: &mut Rows<'r>, list: &List) {
        let removed: Vec<(FileId, u32)> = list
            .items
            .iter()
            .filter(|&&row| rows.is_removed_line(row))
            .filter_map(|&row| Some((rows.file(row)?, rows.line(row))))
            .collect();
        if removed.is_empty() {
            return;
        }
        let aligned = self.alignments();
        for (file, line) in removed {
            if let Some(text) = aligned.get(&file).and_then(|map| map.removed_text(line)) {
                rows.sources.add_removed(file, line, text);
            }
        }
    }

    /// The rows, with the texts of listed source lines and instructions.
    fn with_texts(&self, mut rows: Rows<'r>, list: &List) -> Result<Rows<'r>> {
        if rows.row_by == RowBy::Line {
            let lines =
                list.items.iter().filter_map(|&row| Some((rows.file(row)?, rows.line(row))));
            rows.sources = SourceTexts::read(self.profile, &self.input.finder, lines);
            self.add_removed_lines(&mut rows, list);
        }
        if let Some(asm) = &self.options.code.of_rows {
            rows.instruction_texts = self.instruction_texts(&rows, list, asm)?;
        }
        Ok(rows)
    }
}
