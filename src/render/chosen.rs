//! The choice of columns: which measures a table has if none are requested, of which events, in
//! which order, and which parts of each figure. What fits on a terminal is left to its list.

use super::Style;
use super::columns::{Column, Show};
use super::measure::{CostsOfRows, Measure, MeasureTables};
use crate::view::{List, RowBy, Selection};

/// The columns of a table, in order.
#[derive(Default)]
pub struct ChosenColumns {
    pub(super) all: Vec<Column>,
    /// Whether they were requested, so that a terminal leaves them out last.
    pub(super) are_requested: bool,
}

/// Which columns a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnLayout {
    /// The costs of all events, as callgrind_annotate's page, sources and instructions have them.
    Costs,
    /// All measures of one event, then a cost of each other event; as many as fit.
    Text,
    /// The costs of all events and the numbers of calls, each in a column of its own.
    Exact,
    Markdown,
    /// The cost of one event on all sides, and where it changed most.
    Series,
}

impl ColumnLayout {
    /// Whether rows have their self and their inclusive cost beside each other, and not only the
    /// one that they are listed by.
    pub fn has_both_costs(self, are_requested: bool) -> bool {
        match self {
            ColumnLayout::Text | ColumnLayout::Exact => true,
            ColumnLayout::Markdown => are_requested,
            ColumnLayout::Costs | ColumnLayout::Series => false,
        }
    }
}

/// The costs of a row that a report shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownCosts {
    /// The one that rows are listed by.
    Listed,
    SelfCost,
    SelfAndInclusive,
}

/// What the choice depends on.
pub struct ColumnChoice<'c> {
    pub layout: ColumnLayout,
    /// The requested measures.
    pub requested: &'c [Measure],
    pub selection: &'c Selection,
    pub style: Style<'c>,
    pub list: &'c List,
    pub row_by: RowBy,
    pub costs: ShownCosts,
    /// Whether callers or callees are around rows.
    pub has_tree: bool,
    /// Whether reasons are below the list of a difference.
    pub has_reasons: bool,
    /// Whether all sides count calls.
    pub counts_calls: bool,
}

impl ChosenColumns {
    /// The costs of all shown events.
    pub fn of_costs(style: Style<'_>) -> ChosenColumns {
        ChosenColumns { all: cost_columns(style), are_requested: false }
    }

    /// The tables of the measures that need one.
    pub fn tables(&self, of: &CostsOfRows<'_, '_>) -> MeasureTables {
        let mut measures = Vec::new();
        for column in &self.all {
            if !measures.contains(&column.measure) {
                measures.push(column.measure);
            }
        }
        MeasureTables::of(&measures, of)
    }

    /// The columns, each with its style.
    pub(super) fn styled<'s>(&self, style: Style<'s>) -> Vec<(Column, Style<'s>)> {
        self.all.iter().map(|column| (*column, column.style(style))).collect()
    }
}

impl ColumnChoice<'_> {
    pub fn columns(&self) -> ChosenColumns {
        let (measures, are_requested) = self.measures();
        let all = match self.layout {
            ColumnLayout::Costs => cost_columns(self.style),
            ColumnLayout::Text => self.of_text(measures),
            ColumnLayout::Exact => self.exact(measures),
            ColumnLayout::Markdown => self.of_markdown(measures),
            ColumnLayout::Series => self.of_series(),
        };
        ChosenColumns { all, are_requested }
    }

    /// The measures that columns show: the requested ones, with numbers of calls all of calls, or
    /// those of the layout. And whether they are requested.
    fn measures(&self) -> (&[Measure], bool) {
        use Measure::{
            AllCalls, Calls, CallsPerCall, Cost, EachCall, Inclusive, PerCall, Recursive,
        };
        if !self.requested.is_empty() {
            return (self.requested, true);
        }
        if self.has_calls_above_reasons() {
            return (&[Cost, AllCalls, EachCall], true);
        }
        let selection = self.selection;
        let is_compared = self.style.difference.is_some();
        // Calls within a group of functions are no recursion.
        let are_functions = !self.row_by.is_group();
        let of_calls: Option<&[Measure]> = match self.layout {
            ColumnLayout::Text
                if self.row_by == RowBy::Line && selection.list.shows_calls_of_lines =>
            {
                Some(&[Cost, Inclusive, Calls])
            }
            ColumnLayout::Text if selection.list.shows_calls && is_compared => {
                Some(&[Cost, AllCalls, PerCall])
            }
            ColumnLayout::Text if selection.list.shows_calls_of_lines => {
                Some(&[Cost, Inclusive, Calls, Recursive, PerCall])
            }
            // Always the one that rows are sorted by.
            ColumnLayout::Text if selection.by_calls.is_some() && are_functions => {
                Some(&[AllCalls, Cost, Inclusive])
            }
            ColumnLayout::Text if selection.by_calls.is_some() => Some(&[Calls, Cost, Inclusive]),
            _ => None,
        };
        if let Some(measures) = of_calls {
            return (measures, true);
        }
        let measures: &[Measure] = match self.layout {
            ColumnLayout::Text if is_compared => &[Cost],
            ColumnLayout::Text if self.has_tree && are_functions => {
                &[Cost, Inclusive, AllCalls, CallsPerCall]
            }
            ColumnLayout::Text if self.has_tree => &[Cost, Inclusive, Calls, CallsPerCall],
            ColumnLayout::Text if are_functions => &[Cost, Inclusive, AllCalls],
            ColumnLayout::Text => &[Cost, Inclusive, Calls],
            ColumnLayout::Exact if self.row_by == RowBy::Instruction => &[Cost],
            ColumnLayout::Exact => &[Cost, Inclusive, Calls, Recursive],
            ColumnLayout::Markdown if self.list.has_calls() && !self.has_reasons => {
                &[Cost, AllCalls, PerCall]
            }
            ColumnLayout::Markdown | ColumnLayout::Costs | ColumnLayout::Series => &[Cost],
        };
        (measures, false)
    }

    /// Whether the list is above reasons, which are about the number of calls and the cost of each.
    fn has_calls_above_reasons(&self) -> bool {
        self.has_reasons && self.requested.is_empty() && self.counts_calls && self.list.has_calls()
    }

    /// Whether a list has a column of a measure. Above reasons calls have only their sides, and on
    /// a terminal there is no room for those of the cost.
    fn has_column(&self, column: &Column) -> bool {
        let is_of_side = matches!(column.show, Show::Side(_));
        !self.has_calls_above_reasons()
            || match column.measure {
                Measure::Cost => self.layout != ColumnLayout::Text || !is_of_side,
                _ => is_of_side,
            }
    }

    /// Whether a measure of an event has a column of percentages: of the total, or the change of a
    /// difference.
    fn has_percent(&self, measure: Measure, event: usize) -> bool {
        let is_compared = self.style.difference.is_some();
        let is_ratio = self.style.ratios.contains(&event);
        self.style.percentages
            && match self.layout {
                ColumnLayout::Text if is_compared => !measure.is_per_call(),
                ColumnLayout::Markdown if matches!(measure, Measure::Calls | Measure::AllCalls) => {
                    is_compared && self.requested.is_empty()
                }
                ColumnLayout::Markdown => !measure.is_of_calls(),
                _ => !measure.is_of_calls() && !is_ratio,
            }
    }

    fn of(&self, measure: Measure, event: usize) -> Vec<Column> {
        let all = Column::of(measure, event, self.style, self.has_percent(measure, event));
        all.into_iter().filter(|column| self.has_column(column)).collect()
    }

    /// By event the costs, each with both sides of a difference and its percentage; then the calls
    /// from other functions and recursive calls.
    fn exact(&self, measures: &[Measure]) -> Vec<Column> {
        let shown = self.style.shown;
        let (of_calls, of_costs): (Vec<Measure>, Vec<Measure>) = measures
            .iter()
            .map(|measure| measure.in_list(self.list))
            .partition(|measure| measure.is_of_calls());
        let costs = shown
            .iter()
            .flat_map(|&event| of_costs.iter().flat_map(move |&measure| self.of(measure, event)));
        let calls = of_calls.iter().flat_map(|&measure| {
            measure.of_events(shown).iter().flat_map(move |&event| self.of(measure, event))
        });
        costs.chain(calls).collect()
    }

    /// The requested measures of all shown events, with the cost per call of the first. By default
    /// by event the count and its percentage; in a difference both sides and the change of the sort
    /// event, and the change of the others; then the calls from other functions and the cost per
    /// call, of a difference with reasons on both sides.
    fn of_markdown(&self, measures: &[Measure]) -> Vec<Column> {
        let (style, is_default) = (self.style, self.requested.is_empty());
        let per_call = if is_default { style.first_event() } else { style.shown.first().copied() };
        let mut columns = Vec::new();
        for measure in measures.iter().map(|measure| measure.in_list(self.list)) {
            let events = if measure.is_per_call() {
                per_call.as_slice()
            } else {
                measure.of_events(style.shown)
            };
            for &event in events {
                let is_sorted = style.difference.is_none_or(|of| of == event);
                let is_whole = !is_default || is_sorted || measure.is_of_calls();
                // The largest step has its percentage beside it.
                let is_of_step =
                    |column: &Column| style.series.is_some() && column.show == Show::Percent;
                let shown = self
                    .of(measure, event)
                    .into_iter()
                    .filter(|column| is_whole || column.show == Show::Change)
                    .filter(|column| !is_of_step(column));
                columns.extend(shown);
            }
        }
        columns
    }

    /// The measures of the first event: in a difference each on both sides, with the change and its
    /// percentage. Then the count or change and the percentage of each other event, of which a list
    /// shows one.
    fn of_text(&self, measures: &[Measure]) -> Vec<Column> {
        let style = self.style;
        let is_compared = style.difference.is_some();
        let has_both = self.costs == ShownCosts::SelfAndInclusive;
        let first = style.difference.or(style.first_event()).unwrap_or(0);
        // Both costs per call if both costs are shown.
        let of_list = measures.iter().flat_map(|&measure| match measure {
            Measure::PerCall if has_both => vec![Measure::InclusivePerCall, Measure::PerCall],
            measure => vec![measure.in_list(self.list)],
        });
        let mut columns = Vec::new();
        for measure in of_list {
            let has_count =
                !measure.has_percent_alone() || is_compared || !self.has_percent(measure, first);
            let all = self.of(measure, first).into_iter();
            columns.extend(all.filter(|column| has_count || column.show != Show::Count));
            if is_compared && measure == Measure::Cost && !style.percentages {
                columns.push(Column::new(measure, first, Show::Mark));
            }
        }
        // Callers and callees have inclusive costs only.
        let is_inclusive = self.list.is_inclusive || self.has_tree;
        let other = if has_both && is_inclusive { Measure::Inclusive } else { Measure::Cost };
        let count = if is_compared { Show::Change } else { Show::Count };
        // Ratios are only present if requested, so they come first.
        let (ratios, plain): (Vec<usize>, Vec<usize>) =
            style.shown.iter().partition(|event| style.ratios.contains(event));
        let others = ratios.into_iter().chain(plain).filter(|&event| event != first);
        columns.extend(
            others.flat_map(|event| {
                [count, Show::Percent].map(|show| Column::new(other, event, show))
            }),
        );
        columns
    }

    fn of_series(&self) -> Vec<Column> {
        let event = self.style.first_event();
        event.map_or_else(Vec::new, |event| Column::of(Measure::Cost, event, self.style, false))
    }
}

/// The columns of the first screen: the self cost of the first of these events with its percentage,
/// its inclusive cost if the report has it, a cost of each other event, and the number of calls.
pub(super) fn first_screen_columns(
    events: &[usize],
    costs: ShownCosts,
    has_percentages: bool,
) -> Vec<Column> {
    let share = if has_percentages { Show::Percent } else { Show::Count };
    let (&first, others) = events.split_first().unwrap_or((&0, &[]));
    let mut columns = vec![Column::new(Measure::Cost, first, Show::Count)];
    if has_percentages {
        columns.push(Column::new(Measure::Cost, first, Show::Percent));
    }
    if costs == ShownCosts::SelfAndInclusive {
        columns.push(Column::new(Measure::Inclusive, first, share));
    }
    columns.extend(others.iter().map(|&event| Column::new(Measure::Cost, event, share)));
    columns.push(Column::new(Measure::AllCalls, first, Show::Count));
    columns
}

/// The columns of the table that browsers show without scripts: the inclusive and the self cost of
/// the first event, in a difference their changes; in a series the self cost on each side.
pub(super) fn scriptless_columns(style: Style<'_>) -> Vec<Column> {
    let event = style.first_event().unwrap_or(0);
    if let Some(series) = style.series {
        let side = |side: usize| Column::new(Measure::Cost, event, Show::Side(side));
        return series.sides().map(side).collect();
    }
    let show = if style.difference.is_some() { Show::Change } else { Show::Count };
    [Measure::Inclusive, Measure::Cost].map(|cost| Column::new(cost, event, show)).to_vec()
}

/// The costs of all shown events; in a difference both sides and the change of the sort event, and
/// the changes of the other events.
pub(super) fn cost_columns(style: Style<'_>) -> Vec<Column> {
    let shown = style.shown.iter().copied();
    let cost = Measure::Cost;
    let Some(sorted) = style.difference else {
        return shown.map(|event| Column::new(cost, event, Show::CountAndShare)).collect();
    };
    let mut columns = Column::of(cost, sorted, style, style.percentages);
    if !style.percentages {
        columns.push(Column::new(cost, sorted, Show::Mark));
    }
    let others = shown.filter(|&event| event != sorted);
    columns.extend(others.map(|event| Column::new(cost, event, Show::Change)));
    columns
}
