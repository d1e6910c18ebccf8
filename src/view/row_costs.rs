//! The costs of all rows: which rows have any, their self costs, and the inclusive costs of rows
//! and cycles.

use hashbrown::HashMap;

use crate::graph::{CallGraph, RowCosts};
use crate::profile::{Bounds, CostTable, Count, FragmentId, Measured, Place, Sides};
use crate::view::cycles::Graphs;
use crate::view::figure::{CostFigure, FigureTable, ItemCost};
use crate::view::label::RowId;
use crate::view::rows::Rows;
use crate::view::threads::beside;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    None,
    /// Called, but without costs or calls of its own: listed by self cost only with numbers of
    /// calls, or if a filter selects it.
    IsCalled,
    /// With cost lines or calls of its own, whose costs may be 0.
    HasCosts,
}

/// The uses of rows. In inclusive costs of profiles with calls, a function in use also has a row in
/// its own file, even if all of its code was inlined from other files. Functions that only led to
/// the profile are in no use.
pub(super) fn uses_of_rows(rows: &Rows<'_>, is_inclusive: bool) -> Vec<Use> {
    let profile = rows.profile;
    let mut uses = vec![Use::None; rows.len()];
    if rows.row_by.has_callers() {
        let called = profile.calls.iter().filter(|call| profile.has_part_of(call.callee));
        called.for_each(|&call| uses[rows.of_call(call).1.index()] = Use::IsCalled);
    }
    let has_homes = is_inclusive && rows.row_by.has_callers() && !profile.calls.is_empty();
    let has_part =
        |&fragment: &FragmentId| profile.has_part_of(profile.fragment(fragment).function);
    for fragment in profile.fragments_in_use().filter(has_part) {
        uses[rows.of_fragment(fragment).index()] = Use::HasCosts;
        if has_homes {
            let home = rows.of_function(profile.fragment(fragment).function);
            uses[home.index()] = Use::HasCosts;
        }
    }
    uses
}

pub fn self_costs(rows: &Rows<'_>) -> FigureTable {
    FigureTable::new(self_cost_tables(rows), rows.profile)
}

/// The self costs of all rows on each side, without derived events.
fn self_cost_tables(rows: &Rows<'_>) -> Sides<CostTable> {
    let row = |id, _| Some(rows.of_fragment(id).index());
    rows.profile.self_costs_by(rows.len(), row)
}

/// The lower and the upper bound of a cost, by event; none of events with negative counts.
pub type CostRange = Vec<Option<[Count; 2]>>;

/// What is known of an inclusive cost that is estimated.
#[derive(Debug, Default)]
pub struct CostEstimate {
    /// The events of which the bounds lie further apart than [`MAX_EXACT`] of the total, or in a
    /// difference than that part of the change.
    pub is_marked: Vec<bool>,
    /// The ranges by side; none if the side has an exact cost.
    pub(super) ranges: Vec<Option<CostRange>>,
}

impl CostEstimate {
    /// An estimate with these ranges; the costs and the totals are by side and event.
    pub(super) fn new(
        ranges: Vec<Option<CostRange>>,
        costs: &[Vec<Count>],
        totals: &[Vec<Count>],
    ) -> CostEstimate {
        let width = totals[0].len();
        let number = |counts: &[Count], event: usize| i128::from(counts[event].or_zero());
        let range_of = |side: usize, event: usize| {
            let range = ranges.get(side)?.as_ref()?;
            range[event].map(|bounds| bounds.map(|bound| i128::from(bound.or_zero())))
        };
        let is_marked = |event: usize| {
            let ranges =
                || (0..totals.len()).filter_map(|side| Some((side, range_of(side, event)?)));
            match costs {
                [new, base] => {
                    let apart = ranges().map(|(_, [least, most])| most - least).sum();
                    is_inexact(0, apart, number(new, event) - number(base, event))
                }
                _ => ranges().any(|(side, [least, most])| {
                    is_inexact(least, most, number(&totals[side], event))
                }),
            }
        };
        CostEstimate { is_marked: (0..width).map(is_marked).collect(), ranges }
    }

    /// Of these events whether the cost is estimated, if one is.
    pub fn marks_of(&self, events: &[usize]) -> Option<Vec<bool>> {
        let marks: Vec<bool> = events.iter().map(|&event| self.is_marked[event]).collect();
        marks.contains(&true).then_some(marks)
    }

    pub fn range(&self, side: usize) -> Option<&CostRange> {
        self.ranges.get(side)?.as_ref()
    }
}

/// Costs are called estimated if their bounds lie further apart than this part of the total.
/// Changes are if this is so of the change: it may be small, and the bounds of both sides apart.
const MAX_EXACT: i128 = 100;

/// Whether a cost with these bounds is called estimated.
pub(super) fn is_inexact(least: i128, most: i128, total: i128) -> bool {
    (most - least).abs() * MAX_EXACT > total.abs()
}

/// The inclusive costs of all rows and cycles. Groups are never members of cycles.
pub struct Inclusive<'c> {
    /// The costs of all rows, followed by those of all cycles.
    pub(super) costs: FigureTable,
    /// The estimated costs, by row.
    estimates: HashMap<usize, CostEstimate>,
    /// The uses of rows; all cycles are in use.
    pub(super) uses: Vec<Use>,
    pub(super) graphs: &'c Graphs<'c>,
    has_cycles: bool,
    /// By cycle, whether the filter selected all of its members.
    pub(super) is_selected: Vec<bool>,
}

impl<'c> Inclusive<'c> {
    pub fn new(graphs: &'c Graphs<'_>, rows: &Rows<'_>) -> Inclusive<'c> {
        let (profile, sides, cycles) = (rows.profile, &graphs.sides, &graphs.cycles);
        let has_cycles = rows.row_by.has_cycles();
        let listed_cycles = if has_cycles { cycles.len() } else { 0 };
        let uses = || {
            let mut uses = uses_of_rows(rows, true);
            uses.resize(rows.len() + listed_cycles, Use::HasCosts);
            uses
        };
        let of_side = |(graph, side): (&CallGraph<'_>, &Measured)| {
            let RowCosts { mut costs, mut bounds } = graph.inclusive(&rows.partition);
            if let Some(row) = group_of_all(side, rows) {
                let (total, _) = side.total(profile.events());
                costs.get_mut(row.index()).copy_from_slice(&total);
                bounds.retain(|bounds| bounds.of != row.0);
            }
            RowCosts { costs, bounds }
        };
        let exact = |costs| RowCosts { costs, bounds: Vec::new() };
        let costs_of_sides = || {
            if rows.row_by.splits_functions() {
                // Threads and parts do not call each other.
                self_cost_tables(rows).map(exact)
            } else {
                sides.as_ref().zip(profile.sides().as_ref()).map(of_side)
            }
        };
        let (uses, mut of_sides) = beside(rows.len(), uses, costs_of_sides);
        let estimates = estimates(&mut of_sides, rows);
        let mut costs = FigureTable::new(of_sides.map(|side| side.costs), profile);
        costs.append(&cycles.costs);
        let is_selected = |members: &[_]| {
            let mut members = members.iter();
            members.all(|&member| rows.is_selected(rows.of_function(member)))
        };
        Inclusive {
            costs,
            estimates,
            uses,
            graphs,
            has_cycles,
            is_selected: cycles.members().map(is_selected).collect(),
        }
    }

    /// The inclusive cost of a row, if it is used, or of a cycle as a whole.
    pub fn of_row(&self, row: RowId) -> Option<CostFigure<'_>> {
        (self.uses[row.index()] != Use::None).then(|| self.costs.get(row.index()))
    }

    /// The same with those of all sides.
    pub fn item(&self, row: RowId) -> Option<ItemCost<'_>> {
        (self.uses[row.index()] != Use::None).then(|| self.costs.item(row.index()))
    }

    /// The inclusive cost of a cycle, with those of all sides.
    pub fn item_of_cycle(&self, number: u32) -> Option<ItemCost<'_>> {
        let row = self.uses.len().checked_sub(self.graphs.cycles.len())? + number as usize - 1;
        (row < self.uses.len()).then(|| self.costs.item(row))
    }

    /// Whether nested calls of functions in a cycle are counted once.
    pub fn counts_cycles_once(&self) -> bool {
        self.graphs.sides.new.counts_cycles_once()
    }

    /// Whether Callgrind recorded levels of recursion that a side's costs depend on.
    pub fn has_levels(&self) -> bool {
        self.graphs.sides.iter().any(|graph| graph.has_levels())
    }

    /// What is known of the inclusive cost of a row, if it is estimated.
    pub fn estimate(&self, row: RowId) -> Option<&CostEstimate> {
        self.estimates.get(&row.index())
    }

    /// The graphs with their cycles; none if rows are groups.
    pub(super) fn with_cycles(&self) -> Option<&'c Graphs<'c>> {
        self.has_cycles.then_some(self.graphs)
    }
}

/// What is known of the rows whose inclusive costs are estimated, from their bounds on each side,
/// which are taken.
pub(super) fn estimates(
    of_sides: &mut Sides<RowCosts>,
    rows: &Rows<'_>,
) -> HashMap<usize, CostEstimate> {
    let events = rows.profile.events();
    let ratios = events.ratios();
    let count = of_sides.count();
    let mut ranges_of_rows: HashMap<usize, Vec<Option<CostRange>>> = HashMap::new();
    for (index, side) in of_sides.iter_mut().enumerate() {
        for Bounds { of, mut least, mut most, is_bounded } in std::mem::take(&mut side.bounds) {
            events.derive(&mut least);
            events.derive(&mut most);
            let has_bounds =
                |event| is_bounded.get(event) != Some(&false) && !ratios.contains(&event);
            let bounds = least.into_iter().zip(most).enumerate();
            let range =
                bounds.map(|(event, (least, most))| has_bounds(event).then_some([least, most]));
            let ranges = ranges_of_rows.entry(of as usize).or_insert_with(|| vec![None; count]);
            ranges[index] = Some(range.collect());
        }
    }
    let totals: Vec<Vec<Count>> =
        rows.profile.sides().iter().map(|side| side.total(events).0).collect();
    let estimate = |(row, ranges)| {
        let costs = of_sides.iter().map(|side| {
            let mut cost = side.costs.get(row).to_vec();
            events.derive(&mut cost);
            cost
        });
        let costs: Vec<Vec<Count>> = costs.collect();
        (row, CostEstimate::new(ranges, &costs, &totals))
    };
    ranges_of_rows.into_iter().map(estimate).collect()
}

/// The group that contains all code of a side with calls: its inclusive cost is the total, even if
/// callers paid less or the stated total is more than the sum of the costs.
fn group_of_all(side: &Measured, rows: &Rows<'_>) -> Option<RowId> {
    let profile = rows.profile;
    let is_group = rows.row_by.is_group() && !rows.row_by.splits_functions();
    if !is_group || profile.calls.is_empty() {
        return None;
    }
    let mut group = None;
    let mut is_same = |row: RowId| *group.get_or_insert(row) == row;
    let home = |place: Place| rows.of_function(profile.fragment(place.fragment).function);
    let has_all = profile.calls_of(side).all(|(call, ..)| {
        let (caller, callee) = rows.of_call(call);
        is_same(caller) && is_same(home(call.site)) && is_same(callee)
    }) && profile
        .costs_of(side)
        .all(|(place, _)| is_same(rows.of_place(place)) && is_same(home(place)));
    group.filter(|_| has_all)
}
