//! Measures: the figures that columns show. Each is one entry, which says by which name it is
//! requested, what its columns are called, where its costs come from and what its value is.

use super::Style;
use super::cell::Cell;
use crate::profile::Count;
use crate::view::{
    CallCounts, CallDivisor, CostEstimate, CostFigure, Divided, Figure, FigureTable, Inclusive,
    ItemCost, ItemFigure, List, Mark, RowId, Rows, Total,
};

/// A figure that columns show: the name of a [`MeasureSpec`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The cost of the line; the self cost if inclusive costs have columns of their own.
    Cost,
    Inclusive,
    /// The self costs of a row and of all that come before it in the list.
    Cumulative,
    Calls,
    /// With those of the function by itself behind a plus, in the same column.
    AllCalls,
    Recursive,
    PerCall,
    InclusivePerCall,
    /// The self cost by the number of calls from other functions.
    EachCall,
    /// The number of calls of a callee for each call of its row.
    CallsPerCall,
}

/// What a measure is, for all formats that have columns.
pub(super) struct MeasureSpec {
    /// The name by which it is requested.
    name: &'static str,
    /// The heading on a terminal, without the event, and that of a percentage alone.
    heading: &'static str,
    percent_heading: &'static str,
    /// Whether its percentage says it all on a terminal, so that there is no count beside it.
    has_percent_alone: bool,
    /// The name of a number of calls in CSV; of others what follows the name of the event.
    pub(super) field: &'static str,
    /// The same in tables for people.
    pub(super) title: &'static str,
    pub(super) kind: Kind,
    /// The costs that it is made of: a row of a difference has changed if one of these has.
    costs: &'static [Measure],
    /// What adds up its costs by row, if the report does not have them for other reasons.
    table: Option<fn(&CostsOfRows<'_, '_>) -> Option<FigureTable>>,
    /// Its figure of a line and an event; none if the line has none.
    pub(super) value: fn(&Figures<'_>, usize, &Style<'_>) -> Option<Value>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A cost of each event, in a difference with its change, and perhaps with its percentage.
    Cost,
    /// A number, whatever the event.
    Number,
    /// A quotient for each event, which has no change.
    Quotient,
}

pub(super) enum Value {
    /// A count, of which a column may show a side, the change or the percentage.
    Count(Figure<Count>),
    /// Another number, as all columns show it.
    Cell(Cell),
}

const SELF: MeasureSpec = MeasureSpec {
    name: "self",
    heading: "self",
    percent_heading: "self",
    has_percent_alone: false,
    field: "",
    title: "",
    kind: Kind::Cost,
    costs: &[Measure::Cost],
    table: None,
    value: |of, event, _| Some(Value::Count(of.cost?.event(event))),
};

const INCLUSIVE: MeasureSpec = MeasureSpec {
    name: "inclusive",
    heading: "inclusive",
    percent_heading: "incl.",
    has_percent_alone: false,
    field: ".inclusive",
    title: "",
    kind: Kind::Cost,
    costs: &[Measure::Inclusive],
    table: None,
    value: |of, event, _| Some(Value::Count(of.inclusive?.event(event))),
};

const CUMULATIVE: MeasureSpec = MeasureSpec {
    name: "cumulative",
    heading: "cumulative",
    percent_heading: "cumulative",
    has_percent_alone: true,
    field: ".cumulative",
    title: " cumulative",
    kind: Kind::Cost,
    costs: &[Measure::Cost],
    table: Some(|of| Some(of.own?.running_sums(&of.list.items, of.rows.profile.events()))),
    value: |of, event, _| Some(Value::Count(of.tabled(Measure::Cumulative)?.event(event))),
};

const CALLS: MeasureSpec = MeasureSpec {
    name: "calls",
    heading: "calls",
    percent_heading: "calls",
    has_percent_alone: false,
    field: "calls",
    title: "Calls",
    kind: Kind::Number,
    costs: &[],
    table: None,
    value: |of, _, _| of.calls_by_others(),
};

/// The calls by others, and after a plus those of the function by itself. Their change is one
/// number.
const ALL_CALLS: MeasureSpec = MeasureSpec {
    value: |of, _, _| {
        if of.calls?.compared.is_some() {
            return of.number(CallCounts::all);
        }
        let calls = of.calls?.value;
        if calls.recursive.or_zero() == 0 {
            return of.calls_by_others();
        }
        Some(Value::Cell(Cell::Calls { by_others: calls.by_others, by_itself: calls.recursive }))
    },
    ..CALLS
};

const RECURSIVE: MeasureSpec = MeasureSpec {
    name: "recursive",
    heading: "recursive",
    percent_heading: "recursive",
    has_percent_alone: false,
    field: "recursive_calls",
    title: "Recursive",
    kind: Kind::Number,
    costs: &[],
    table: None,
    value: |of, _, _| of.number(|calls| calls.recursive),
};

const PER_CALL: MeasureSpec = MeasureSpec {
    name: "per-call",
    heading: "self/call",
    percent_heading: "self/call",
    has_percent_alone: false,
    field: ".per_call",
    title: "/call",
    kind: Kind::Quotient,
    costs: &[Measure::Cost, Measure::Inclusive],
    table: None,
    value: |of, event, style| of.per_call(*of.cost?, event, CallDivisor::AllCalls, style),
};

/// The cost per call of a list by inclusive cost.
const INCLUSIVE_PER_CALL: MeasureSpec = MeasureSpec {
    heading: "incl./call",
    value: |of, event, style| {
        of.per_call(*of.inclusive.or(of.cost)?, event, CallDivisor::OutermostCalls, style)
    },
    ..PER_CALL
};

/// The cost per call beside the calls that it is of.
const EACH_CALL: MeasureSpec =
    MeasureSpec { heading: "each", percent_heading: "each", title: "/call", ..PER_CALL };

const CALLS_PER_CALL: MeasureSpec = MeasureSpec {
    name: "calls-per-call",
    heading: "per call",
    percent_heading: "per call",
    has_percent_alone: false,
    field: "calls_per_call",
    title: "Calls per call",
    kind: Kind::Number,
    costs: &[],
    table: None,
    value: |of, _, _| Some(Value::Cell(Cell::CallsPerCall(of.calls_per_call))),
};

/// The columns of a list that can be requested by name.
pub const LIST_COLUMNS: &[(&str, Measure)] = &[
    Measure::Cost.named(),
    Measure::Inclusive.named(),
    Measure::Calls.named(),
    Measure::Recursive.named(),
    Measure::PerCall.named(),
    Measure::Cumulative.named(),
];

impl Measure {
    pub(super) const fn spec(self) -> &'static MeasureSpec {
        match self {
            Measure::Cost => &SELF,
            Measure::Inclusive => &INCLUSIVE,
            Measure::Cumulative => &CUMULATIVE,
            Measure::Calls => &CALLS,
            Measure::AllCalls => &ALL_CALLS,
            Measure::Recursive => &RECURSIVE,
            Measure::PerCall => &PER_CALL,
            Measure::InclusivePerCall => &INCLUSIVE_PER_CALL,
            Measure::EachCall => &EACH_CALL,
            Measure::CallsPerCall => &CALLS_PER_CALL,
        }
    }

    const fn named(self) -> (&'static str, Measure) {
        (self.spec().name, self)
    }

    /// The texts over its columns, and its names in options and CSV.
    #[cfg(test)]
    pub(crate) fn headings() -> impl Iterator<Item = &'static str> {
        let own = [Measure::InclusivePerCall, Measure::EachCall, Measure::AllCalls];
        let all = LIST_COLUMNS.iter().map(|(_, measure)| *measure).chain(own);
        all.flat_map(|measure| {
            let spec = measure.spec();
            [spec.name, spec.heading, spec.percent_heading, spec.field, spec.title]
        })
    }

    /// Whether it is made of the self or of the inclusive cost.
    pub fn is_made_of(self, cost: Measure) -> bool {
        self.spec().costs.contains(&cost)
    }

    pub fn is_of_calls(self) -> bool {
        self.spec().kind != Kind::Cost
    }

    pub(super) fn is_per_call(self) -> bool {
        self.spec().kind == Kind::Quotient
    }

    /// The heading on a terminal, without the event.
    pub(super) fn heading(self) -> &'static str {
        self.spec().heading
    }

    /// The same of a percentage without a count beside it.
    pub(super) fn percent_heading(self) -> &'static str {
        self.spec().percent_heading
    }

    pub(super) fn has_percent_alone(self) -> bool {
        self.spec().has_percent_alone
    }

    /// The measure in a list by self or inclusive cost, which is the cost that the cost per call is
    /// of.
    pub(super) fn in_list(self, list: &List) -> Measure {
        match self {
            Measure::PerCall if list.is_inclusive => Measure::InclusivePerCall,
            other => other,
        }
    }

    /// The events that it has columns for: numbers of calls have a single column.
    pub(super) fn of_events(self, events: &[usize]) -> &[usize] {
        match self.spec().kind {
            Kind::Number => &events[..events.len().min(1)],
            Kind::Cost | Kind::Quotient => events,
        }
    }
}

/// The costs of rows that those of a measure are made of.
pub struct CostsOfRows<'c, 'p> {
    pub rows: &'c Rows<'p>,
    pub list: &'c List,
    /// The self costs of all rows.
    pub own: Option<&'c FigureTable>,
    pub inclusive: Option<&'c Inclusive<'c>>,
}

/// By measure the costs of rows, of those measures that are shown and need a table of their own.
#[derive(Default)]
pub struct MeasureTables(Vec<(Measure, FigureTable)>);

impl MeasureTables {
    pub(super) fn of(shown: &[Measure], of: &CostsOfRows<'_, '_>) -> MeasureTables {
        let table = |&measure: &Measure| Some((measure, measure.spec().table?(of)?));
        MeasureTables(shown.iter().filter_map(table).collect())
    }

    fn item(&self, measure: Measure, row: RowId) -> Option<ItemCost<'_>> {
        let (_, table) = self.0.iter().find(|(of, _)| *of == measure)?;
        table.known_item(row.index())
    }
}

/// The figures of a line; missing ones are empty cells.
#[derive(Clone, Copy, Default)]
pub(super) struct Figures<'l> {
    pub(super) cost: Option<ItemCost<'l>>,
    pub(super) inclusive: Option<ItemCost<'l>>,
    /// The tables of further measures, and the row.
    pub(super) row: Option<(&'l MeasureTables, RowId)>,
    /// The only side of a comparison that the figures are of.
    pub(super) side: Option<usize>,
    pub(super) calls: Option<ItemFigure<'l, CallCounts>>,
    /// What is known of the inclusive cost, or of the cost if there is no other, if it is
    /// estimated.
    pub(super) estimate: Option<&'l CostEstimate>,
    /// Which figures are estimates, because functions were divided.
    pub(super) divided: Divided,
    /// Whether functions were divided, so that the total of what was kept may be less than a cost
    /// which it includes.
    pub(super) is_of_divided: bool,
    /// Whether the cost includes an unknown cost of nested calls, and is not shown.
    pub(super) is_unknown: bool,
    /// The number of calls of a callee for each call of its row.
    pub(super) calls_per_call: Option<f64>,
}

impl<'l> Figures<'l> {
    pub(super) fn of_cost(cost: impl Into<ItemCost<'l>>) -> Figures<'l> {
        Figures { cost: Some(cost.into()), ..Figures::default() }
    }

    /// The totals; `of_sides` is the table of them.
    pub(super) fn of_total(total: &'l Total, of_sides: &'l FigureTable) -> Figures<'l> {
        Figures::of_cost(of_sides.item(0).with_figure(total.figure.counts()))
    }

    /// The figures on one side of a comparison; those that the side does not have are missing.
    pub(super) fn on(&self, side: usize) -> Figures<'l> {
        let cost = |item: Option<ItemCost<'l>>| Some(Figure::plain(item?.on(side)?).into());
        let calls = |item: ItemFigure<'l, CallCounts>| Some(Figure::plain(item.on(side)?).into());
        Figures {
            cost: cost(self.cost),
            inclusive: cost(self.inclusive),
            side: Some(side),
            calls: self.calls.and_then(calls),
            ..*self
        }
    }

    /// The figures of a caller or callee of this line. Its cost is inclusive if the line has an
    /// inclusive cost.
    pub(super) fn of_call(
        &self,
        cost: CostFigure<'l>,
        calls: Option<Figure<CallCounts>>,
    ) -> Figures<'l> {
        let cost = Some(cost.into());
        Figures {
            cost: cost.filter(|_| self.inclusive.is_none()),
            inclusive: cost.filter(|_| self.inclusive.is_some()),
            calls: calls.map(ItemFigure::from),
            ..Figures::default()
        }
    }

    /// The number of calls of a callee for each call of this line, if both are known.
    pub(super) fn calls_per_call(
        &self,
        callee: Option<Figure<CallCounts>>,
        counts_recursive: bool,
    ) -> Option<f64> {
        let (row, callee) = (self.calls?.value, callee?.value);
        let recursive = if counts_recursive { row.recursive.or_zero() } else { 0 };
        let calls = row.by_others.or_zero() as f64 + recursive as f64;
        let is_known = row.are_all_counted() && callee.are_all_counted() && calls > 0.0;
        is_known.then(|| callee.by_others.or_zero() as f64 / calls)
    }

    pub(super) fn mark(&self) -> Option<Mark> {
        self.cost.or(self.inclusive)?.mark()
    }

    fn calls_by_others(&self) -> Option<Value> {
        let calls = self.calls?.value;
        if calls.are_estimated {
            return Some(Value::Cell(Cell::EstimatedCalls(calls.by_others)));
        }
        self.number(|calls| calls.by_others)
    }

    fn number(&self, count: fn(CallCounts) -> Count) -> Option<Value> {
        let mark = self.cost.and_then(|cost| cost.mark());
        Some(Value::Count(self.calls?.map(count).marked(mark)))
    }

    fn per_call(
        &self,
        cost: CostFigure<'_>,
        event: usize,
        divisor: CallDivisor,
        style: &Style<'_>,
    ) -> Option<Value> {
        let (calls, cost) = (self.calls?.value, cost.event(event).value);
        let unit = style.events.unit(event) as f64;
        let quotient = calls.per_call(cost, divisor).map(|quotient| quotient / unit);
        // Nested calls have no cost of their own.
        let has_cost = divisor == CallDivisor::AllCalls || cost.value().is_some();
        let is_known = !self.is_unknown && has_cost;
        is_known.then_some(Value::Cell(Cell::PerCall(quotient)))
    }

    /// The cost of a measure that has a table.
    fn tabled(&self, measure: Measure) -> Option<CostFigure<'l>> {
        let (tables, row) = self.row?;
        let item = tables.item(measure, row)?;
        match self.side {
            Some(side) => item.on(side).map(Figure::plain),
            None => Some(*item),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requested_measures_are_told_apart() {
        let specs = || LIST_COLUMNS.iter().map(|(_, measure)| measure.spec());
        let texts: [Vec<&str>; 3] = [
            specs().map(|spec| spec.name).collect(),
            specs().map(|spec| spec.heading).collect(),
            specs().map(|spec| spec.field).collect(),
        ];
        for mut texts in texts {
            texts.sort_unstable();
            texts.dedup();
            assert_eq!(texts.len(), LIST_COLUMNS.len(), "{texts:?}");
        }
    }
}
