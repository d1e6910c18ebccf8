//! The list: each row's cost, the most expensive first, up to the threshold.

use std::ops::Range;

use crate::graph::CallGraph;
use crate::profile::{CostTable, Profile, Sides};
use crate::view::call_counts::{CallCountTable, CallCounts};
use crate::view::figure::{Cost, CostFigure, Extent, Figure, FigureTable, Mark, Total};
use crate::view::inclusive::{Inclusive, ItemCosts};
use crate::view::label::{Item, Label};
use crate::view::listing::ListInput;
use crate::view::rows::{RowId, Rows};
use crate::view::selection::Selection;

/// One line of the list.
pub struct ListRow<'a, 'p> {
    /// What it is about.
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
    /// Of a difference: which of them only one side has.
    pub(super) marks: Vec<Option<Mark>>,
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
            label: self.items[position].label(rows),
            cost: self.cost(position),
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

    fn cost(&self, position: usize) -> CostFigure<'_> {
        let mark = self.marks.get(position).copied().flatten();
        self.costs.get(position).marked(mark)
    }

    /// How often what is listed was called, if requested, each with its cost.
    pub fn call_counts(
        &self,
    ) -> Option<impl Iterator<Item = (Figure<CallCounts>, CostFigure<'_>)>> {
        let calls = self.calls.as_ref()?.iter().copied().enumerate();
        Some(calls.map(|(position, calls)| (calls, self.cost(position))))
    }

    /// The rows by their self cost.
    pub fn by_self_cost(
        profile: &Profile,
        rows: &Rows<'_>,
        selection: &Selection,
        total: &Total,
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
            costs: ItemCosts {
                rows: &costs,
                cycles: None,
            },
            is_selected: &|item| match item {
                Item::Row(row) => rows.is_selected(row),
                Item::Cycle(_) => true,
            },
            is_listed: &|item| match item {
                Item::Row(row) => lists_called || uses[row.index()] == Use::Spends,
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

/// What is known of a row of a list by self cost.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    None,
    /// It is called, and has no cost and calls nothing: it is listed with numbers of calls, or if a filter selects it.
    IsCalled,
    /// It has cost lines, or calls, perhaps without any cost.
    Spends,
}

/// What is known of each row.
fn uses_of_rows(profile: &Profile, rows: &Rows<'_>) -> Vec<Use> {
    let mut uses = vec![Use::None; rows.len()];
    if rows.row_by().has_callers() {
        let called = profile.calls().iter().map(|&call| rows.of_call(call).1);
        called.for_each(|row| uses[row.index()] = Use::IsCalled);
    }
    let mut spends = |row: RowId| uses[row.index()] = Use::Spends;
    let with_places = profile.fragments_with_places().iter();
    with_places.for_each(|&fragment| spends(rows.of_fragment(fragment)));
    let calls = profile.calls().iter();
    calls.for_each(|call| spends(rows.of_place(call.site)));
    uses
}

/// The self costs of all rows.
pub fn self_costs(profile: &Profile, rows: &Rows<'_>) -> FigureTable {
    FigureTable::new(self_cost_tables(profile, rows), profile.events())
}

/// The same of each side, without derived events.
pub fn self_cost_tables(profile: &Profile, rows: &Rows<'_>) -> Sides<CostTable> {
    let of_fragments = profile.fragments_with_ids();
    let of_fragments = of_fragments.map(|(id, _)| Some(rows.of_fragment(id).index()));
    let sides = profile.self_costs().as_ref();
    sides.map(|costs| costs.sum_by(rows.len(), of_fragments.clone()))
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
    /// The rows that it did not choose.
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

    /// Whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        self.more.rows == 0 && self.not_chosen.rows == 0
    }

    /// Whether there is anything to show.
    pub fn is_shown(&self) -> bool {
        let unchanged = self.unchanged.as_ref().map_or(0, |omission| omission.rows);
        self.more.rows > 0 || self.chosen.is_some() || unchanged > 0
    }
}
