//! The list: each row's cost, the most expensive first, up to the threshold.

use std::ops::Range;

use crate::graph::CallGraph;
use crate::profile::{CostTable, Count, Measured, Profile, Sides};
use crate::view::cycles::Cycles;
use crate::view::figure::{CallFigure, Cost, CostFigure, Extent, Figure, FigureTable, Total};
use crate::view::inclusive::Inclusive;
use crate::view::label::RowId;
use crate::view::label::{Item, Label};
use crate::view::listing::ListInput;
use crate::view::rows::Rows;
use crate::view::selection::Selection;

pub struct ListRow<'a, 'p> {
    pub label: Label<'p>,
    /// Its self or inclusive cost.
    pub cost: CostFigure<'a>,
    /// The row; of a cycle as a whole its number.
    pub item: Item,
    /// How often it was called, if requested.
    pub calls: Option<Figure<CallCounts>>,
}

/// The list of functions, or of groups of them.
pub struct List {
    /// What is listed, the lines within the threshold.
    pub items: Vec<Item>,
    pub(super) costs: FigureTable,
    /// How often they were called, if requested.
    pub(super) calls: Option<Vec<Figure<CallCounts>>>,
    /// The extent of all rows that the filter chose, listed or not; of a difference that of the listed ones.
    pub extent: Extent,
    /// Whether the costs are inclusive.
    pub is_inclusive: bool,
    /// What is not listed, if that is shown.
    pub omitted: Option<Omitted>,
}

impl List {
    /// The lines. Labels are made one by one, as there may be many and long ones.
    pub fn lines<'a, 'p>(&'a self, rows: &'a Rows<'p>) -> impl Iterator<Item = ListRow<'a, 'p>> {
        self.lines_at(0..self.items.len(), rows)
    }

    /// The lines at some positions of the list.
    pub fn lines_at<'a, 'p>(
        &'a self,
        positions: Range<usize>,
        rows: &'a Rows<'p>,
    ) -> impl Iterator<Item = ListRow<'a, 'p>> {
        rows.read_names_ahead(&self.items[positions.clone()]);
        positions.map(|position| self.line(position, rows))
    }

    fn line<'a, 'p>(&'a self, position: usize, rows: &'a Rows<'p>) -> ListRow<'a, 'p> {
        let calls = self.calls.as_ref();
        ListRow {
            label: rows.label_of(self.items[position]),
            cost: self.costs.get(position),
            item: self.items[position],
            calls: calls.and_then(|calls| calls.get(position).copied()),
        }
    }

    /// Which rows are listed.
    pub fn is_listed(&self, rows: &Rows<'_>) -> Vec<bool> {
        let mut is_listed = vec![false; rows.len()];
        for item in &self.items {
            if let Item::Row(row) = item {
                is_listed[row.index()] = true;
            }
        }
        is_listed
    }

    /// How often what is listed was called, if requested, each with its cost.
    pub fn call_counts(
        &self,
    ) -> Option<impl Iterator<Item = (Figure<CallCounts>, CostFigure<'_>)>> {
        let calls = self.calls.as_ref()?.iter().copied().enumerate();
        Some(calls.map(|(position, calls)| (calls, self.costs.get(position))))
    }

    /// The rows by their self cost.
    pub fn by_self_cost(
        profile: &Profile,
        rows: &Rows<'_>,
        selection: &Selection,
        total: &Total,
    ) -> List {
        List::of_rows(profile, rows, selection, total, &|_| true)
    }

    /// The rows by their self cost of which the self or the inclusive cost of any shown event, on either side of a difference, is
    /// `least` percent of the total or more.
    pub fn by_any_cost(
        profile: &Profile,
        rows: &Rows<'_>,
        selection: &Selection,
        total: &Total,
        (inclusive, least): (&Inclusive<'_>, f64),
    ) -> List {
        let own = self_costs(profile, rows);
        let is_large = |cost: CostFigure<'_>| {
            let is_large = |of: &[Count], total: &[Count], event: usize| {
                let (count, total) = (of[event].or_zero() as f64, total[event].or_zero() as f64);
                count != 0.0 && count * 100.0 >= total * least
            };
            let totals = total.figure.counts();
            let mut events = selection.shown.iter();
            match (cost.sides(), totals.sides()) {
                (Some((base, new)), Some((of_base, of_new))) => events
                    .any(|&event| is_large(base, of_base, event) || is_large(new, of_new, event)),
                _ => events.any(|&event| is_large(cost.value, totals.value, event)),
            }
        };
        List::of_rows(profile, rows, selection, total, &|row| {
            let inclusive = inclusive.of_row(row);
            is_large(own.get(row.index())) || inclusive.is_some_and(is_large)
        })
    }

    /// The rows that may be listed, by their self cost.
    fn of_rows(
        profile: &Profile,
        rows: &Rows<'_>,
        selection: &Selection,
        total: &Total,
        may_be_listed: &dyn Fn(RowId) -> bool,
    ) -> List {
        let costs = self_costs(profile, rows);
        let uses = uses_of_rows(profile, rows);
        let mut items = Vec::with_capacity(rows.len());
        let used = rows.all().filter(|row| uses[row.index()] != Use::None);
        items.extend(used.map(Item::Row));
        let lists_called = selection.lists_called || rows.is_filtered();
        let calls = selection.calls;
        let calls = calls.then(|| CallCountTable::new(profile, rows, None));
        let candidates = ListInput {
            items,
            costs: &costs,
            is_selected: &|item| match item {
                Item::Row(row) => rows.is_selected(row),
                Item::Cycle(_) => true,
            },
            is_listed: &|item| match item {
                Item::Row(row) => {
                    (lists_called || uses[row.index()] == Use::Spends) && may_be_listed(row)
                }
                Item::Cycle(_) => true,
            },
            self_costs: Some(&costs),
            calls: calls.as_ref(),
            are_inclusive: false,
        };
        candidates.list(rows, selection, total)
    }

    /// The rows and cycles by their inclusive cost.
    pub fn by_inclusive_cost(
        graphs: &Sides<CallGraph<'_>>,
        rows: &Rows<'_>,
        inclusive: &Inclusive<'_>,
        selection: &Selection,
        total: &Total,
    ) -> List {
        let profile = graphs.new.profile();
        let cycles = inclusive.shown_cycles();
        let self_costs = selection.shows_omitted.then(|| self_costs(profile, rows));
        let calls = selection.calls;
        let calls = calls
            .then(|| CallCountTable::new(profile, rows, cycles.map(|cycles| (graphs, cycles))));
        let candidates = ListInput {
            items: inclusive.items().collect(),
            costs: inclusive.costs(),
            is_selected: &|item| inclusive.is_selected(item, rows),
            is_listed: &|_| true,
            self_costs: self_costs.as_ref(),
            calls: calls.as_ref(),
            are_inclusive: true,
        };
        candidates.list(rows, selection, total)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    None,
    /// It is called, and has no cost and calls nothing: a list by self cost has it with numbers of calls, or if a filter
    /// selects it.
    IsCalled,
    /// It has cost lines, or calls, perhaps without any cost.
    Spends,
}

pub(super) fn uses_of_rows(profile: &Profile, rows: &Rows<'_>) -> Vec<Use> {
    let mut uses = vec![Use::None; rows.len()];
    if rows.row_by().has_callers() {
        let called = profile.calls().iter().map(|&call| rows.of_call(call).1);
        called.for_each(|row| uses[row.index()] = Use::IsCalled);
    }
    for fragment in profile.fragments_in_use() {
        uses[rows.of_fragment(fragment).index()] = Use::Spends;
    }
    uses
}

/// The self costs of all rows.
pub fn self_costs(profile: &Profile, rows: &Rows<'_>) -> FigureTable {
    FigureTable::new(self_cost_tables(profile, rows), profile.events())
}

/// The self costs of all rows on each side, without derived events.
pub fn self_cost_tables(profile: &Profile, rows: &Rows<'_>) -> Sides<CostTable> {
    profile.self_costs_by(rows.len(), |id, _| Some(rows.of_fragment(id).index()))
}

/// Rows and what they cost themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omission {
    /// The number of rows, including cycles, which have no cost in addition to that of their members.
    pub rows: usize,
    /// The sum of their self costs.
    pub cost: Figure<Cost>,
}

/// What became of all the rows that there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omitted {
    /// Rows past the end of the list.
    pub more: Omission,
    /// If there is a filter: the rows that it chose, listed or not.
    pub chosen: Option<Omission>,
    pub not_chosen: Omission,
    /// Of a difference: chosen rows that are left out because nothing of them changed.
    pub unchanged: Option<Omission>,
    /// Whether the list is one of inclusive costs, so that what is omitted is not part of its costs.
    pub are_inclusive: bool,
}

/// Whether a row may be listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is listed if it comes before the end.
    Candidate,
    /// Nothing of it changed.
    Unchanged,
    /// The filter did not choose it.
    NotChosen,
}

impl Omission {
    fn new(costs: &FigureTable) -> Omission {
        Omission {
            rows: 0,
            cost: Figure::undefined(costs.values().width(), costs.is_difference()),
        }
    }

    fn add(&mut self, item: Item, costs: &FigureTable) {
        self.rows += 1;
        match item {
            Item::Row(row) => self.cost.add(costs.get(row.index())),
            Item::Cycle(_) => (),
        }
    }
}

impl Omitted {
    /// Adds up what is not in `listed` of all `items`.
    pub(super) fn new(
        items: impl Iterator<Item = (Item, Fate)>,
        listed: &[Item],
        rows: &Rows<'_>,
        costs: &FigureTable,
        are_inclusive: bool,
    ) -> Omitted {
        let listed: hashbrown::HashSet<Item> = listed.iter().copied().collect();
        let new = || Omission::new(costs);
        let (mut more, mut chosen, mut not_chosen, mut unchanged) = (new(), new(), new(), new());
        for (item, fate) in items {
            if fate == Fate::NotChosen {
                not_chosen.add(item, costs);
                continue;
            }
            chosen.add(item, costs);
            if fate == Fate::Unchanged {
                unchanged.add(item, costs);
            } else if !listed.contains(&item) {
                more.add(item, costs);
            }
        }
        Omitted {
            more,
            chosen: rows.is_filtered().then_some(chosen),
            not_chosen,
            unchanged: costs.is_difference().then_some(unchanged),
            are_inclusive,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.more.rows == 0 && self.not_chosen.rows == 0
    }

    pub fn is_shown(&self) -> bool {
        let unchanged = self.unchanged.as_ref().map_or(0, |omission| omission.rows);
        self.more.rows > 0 || self.chosen.is_some() || unchanged > 0
    }
}

/// How often something was called. Undefined if it never was, as the roots of a program and inlined code are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallCounts {
    /// From other functions.
    pub by_others: Count,
    /// By itself: recursion of a function, calls within a group or within a cycle.
    pub recursive: Count,
    /// Whether there are inlined copies too, whose calls nobody counted.
    pub has_inlined: bool,
}

impl CallCounts {
    /// What one call cost, for a row with this cost. Each call counts for what a row spent itself, and only those from
    /// other functions for what it cost inclusively, as nested calls are part of them.
    pub fn per_call(self, cost: Count, is_inclusive: bool) -> Option<f64> {
        let nested = if is_inclusive {
            0
        } else {
            i128::from(self.recursive.or_zero())
        };
        let calls = i128::from(self.by_others.or_zero()) + nested;
        (calls > 0 && !self.has_inlined).then(|| cost.or_zero() as f64 / calls as f64)
    }

    /// The numbers of calls between two rows.
    pub fn of_calls(calls: CallFigure) -> Figure<CallCounts> {
        let is_inlined = calls.is_inlined();
        calls.counted.map(|number| CallCounts {
            by_others: match is_inlined {
                true => Count::UNDEFINED,
                false => Count::new(number),
            },
            recursive: Count::UNDEFINED,
            has_inlined: calls.has_inlined,
        })
    }

    pub(super) fn is_any(self) -> bool {
        (self.by_others.or_zero(), self.recursive.or_zero()) != (0, 0)
    }
}

/// The calls of all rows, and then of all cycles: from others, recursive ones, and 0 if there are inlined copies.
pub(super) struct CallCountTable(FigureTable);

impl CallCountTable {
    /// Counts the calls of a profile; of a difference those of each side in its own cycles. Without graphs there are no
    /// cycles.
    pub(super) fn new(
        profile: &Profile,
        rows: &Rows<'_>,
        cycles: Option<(&Sides<CallGraph<'_>>, &Cycles)>,
    ) -> CallCountTable {
        let count = cycles.map_or(0, |(_, cycles)| cycles.len());
        let cycles = cycles.map(|(graphs, cycles)| cycles.by_side(graphs));
        let of_side = |(is_base, side): (bool, &Measured)| {
            let cycles = cycles.as_ref().and_then(|cycles| cycles.get(is_base));
            let mut counts = CostTable::new(3, rows.len() + count);
            let calls = profile.calls().iter().enumerate();
            let calls = calls.filter(|_| rows.row_by().has_callers());
            for (number, &call) in calls.filter(|&(number, _)| side.has_call(number)) {
                let (site, callee) = rows.of_call(call);
                if profile.is_inlined(call.callee) {
                    counts.get_mut(callee.index())[2] = Count::ZERO;
                    continue;
                }
                let count = Count::new(side.call_counts()[number]);
                let caller = profile.fragment(call.site.fragment).function;
                let is_recursive = site == callee || rows.of_function(caller) == callee;
                counts.get_mut(callee.index())[usize::from(is_recursive)].add(count);
                if let Some(cycles) = cycles
                    && let Some(cycle) = cycles.cycle(call.callee)
                {
                    let is_within = cycles.cycle(caller) == Some(cycle);
                    counts.get_mut(rows.len() + cycle)[usize::from(is_within)].add(count);
                }
            }
            counts
        };
        let sides = profile.sides().as_ref().marked();
        CallCountTable(FigureTable::of_sides(sides.map(of_side)))
    }

    /// The calls of a row or cycle, by its number among all.
    pub(super) fn get(&self, number: usize) -> Figure<CallCounts> {
        self.0.get(number).map(|counts| CallCounts {
            by_others: counts[0],
            recursive: counts[1],
            has_inlined: counts[2].value().is_some(),
        })
    }
}
