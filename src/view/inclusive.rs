//! Inclusive costs: what a function spent itself and what it had others spend.
//!
//! The reference adds nested recursion up again and again; KCachegrind and gprof do not, and neither
//! do we. A function costs what its callers paid for calling it, or its own cost and its calls if nobody
//! called it; calls of itself are left out. For a member of a call cycle that would count the same
//! work once a round, so it costs its own lines and the calls that leave the cycle. The cycle as a whole
//! is the sum of its members.

use std::cmp::Ordering;

use super::call_counts::AllCallCounts;
use super::group_inclusive::group_inclusive;
use super::item_costs::ItemCosts;
use super::{Cycles, Grouping, Item, RowId, Rows, Selection};
use crate::profile::{Count, FunctionId, Overflow, Profile, add_cost};

/// The inclusive costs of all rows and cycles.
pub struct Inclusive {
    width: usize,
    of_row: Costs,
    has_row: Vec<bool>,
    of_cycle: Costs,
    /// By cycle: whether the filter chose one of its members.
    is_chosen: Vec<bool>,
    /// How often rows and cycles were called, if that is asked for.
    calls: Option<AllCallCounts>,
}

/// Costs by number.
struct Costs {
    width: usize,
    counts: Vec<Count>,
}

impl Costs {
    fn new(width: usize, rows: usize) -> Costs {
        Costs {
            width,
            counts: vec![Count::UNDEFINED; width * rows],
        }
    }

    fn get(&self, row: usize) -> &[Count] {
        &self.counts[row * self.width..(row + 1) * self.width]
    }

    fn add(&mut self, row: usize, cost: &[Count]) -> Result<(), Overflow> {
        add_cost(
            &mut self.counts[row * self.width..(row + 1) * self.width],
            cost,
        )
    }
}

impl Inclusive {
    /// Adds up all rows. Groups are in no cycles. Of functions the cycles are numbered from the dearest, and their members' rows marked.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit.
    pub fn new(
        profile: &Profile,
        rows: &mut Rows<'_>,
        cycles: &mut Cycles,
        selection: &Selection,
    ) -> Result<Inclusive, Overflow> {
        let width = profile.events.len();
        if rows.grouping() != Grouping::Function {
            let (counts, has_row) = group_inclusive(profile, rows)?;
            return Ok(Inclusive {
                width,
                of_row: Costs { width, counts },
                has_row,
                of_cycle: Costs::new(width, 0),
                is_chosen: Vec::new(),
                calls: selection
                    .calls
                    .then(|| AllCallCounts::new(profile, rows, &Cycles::none(profile)))
                    .transpose()?,
            });
        }
        let own = OwnCosts::new(profile, rows, cycles)?;
        let of_cycle = number_cycles(&own, rows, cycles, selection)?;
        let mut of_row = Costs::new(width, rows.len());
        let mut has_row = vec![false; rows.len()];
        for (function, seen) in profile.functions() {
            let row = rows.of_function(function);
            if let Some(cycle) = cycles.of(function) {
                rows.set_cycle(row, cycle + 1);
            }
            if own.is_used[function.index()] || seen.last_seen > 0 {
                has_row[row.index()] = true;
                of_row.add(
                    row.index(),
                    own.inclusive(function, cycles).unwrap_or_default(),
                )?;
            }
        }
        add_inlined(profile, rows, cycles, &mut of_row, &mut has_row)?;
        let shared = shared_rows(profile, rows);
        if own.has_calls && !shared.is_empty() {
            let (counts, _) = group_inclusive(profile, rows)?;
            for row in shared {
                let of_group = row.index() * width..(row.index() + 1) * width;
                of_row.counts[of_group.clone()].copy_from_slice(&counts[of_group]);
            }
        }
        let calls = selection
            .calls
            .then(|| AllCallCounts::new(profile, rows, cycles));
        let is_chosen = |&member: &FunctionId| rows.is_chosen(rows.of_function(member));
        let cycles = cycles.members().iter();
        Ok(Inclusive {
            width,
            of_row,
            has_row,
            of_cycle,
            calls: calls.transpose()?,
            is_chosen: cycles
                .map(|members| members.iter().any(is_chosen))
                .collect(),
        })
    }

    /// How often rows and cycles were called, if that is asked for.
    pub(super) fn calls(&self) -> Option<&AllCallCounts> {
        self.calls.as_ref()
    }

    /// The rows that have self cost, call, are called, or are named by an `fn=`.
    pub(super) fn rows(&self) -> impl Iterator<Item = (RowId, &[Count])> {
        let rows = (0..self.has_row.len()).filter(|&row| self.has_row[row]);
        rows.map(|row| (RowId(row as u32), self.of_row.get(row)))
    }

    /// The same rows, and the cycles as wholes.
    pub(super) fn items(&self) -> impl Iterator<Item = Item> {
        let cycles = (1..=self.cycles().len() as u32).map(Item::Cycle);
        self.rows().map(|(row, _)| Item::Row(row)).chain(cycles)
    }

    /// The costs of all of them.
    pub(super) fn costs(&self) -> ItemCosts<'_> {
        ItemCosts {
            rows: &self.of_row.counts,
            cycles: &self.of_cycle.counts,
            width: self.width,
        }
    }

    /// Whether the filter chose a member of the cycle with this number, from 1.
    pub(super) fn is_chosen(&self, number: usize) -> bool {
        self.is_chosen
            .get(number.wrapping_sub(1))
            .copied()
            .unwrap_or(true)
    }

    /// The cycles as wholes, by their numbers.
    pub(super) fn cycles(&self) -> impl ExactSizeIterator<Item = &[Count]> {
        self.of_cycle.counts.chunks(self.width.max(1))
    }
}

/// The rows that several functions share, of the same file and name in several objects. They are groups: one of
/// them may call another, also by way of a third function.
fn shared_rows(profile: &Profile, rows: &Rows<'_>) -> Vec<RowId> {
    let mut has_function = vec![false; rows.len()];
    let mut shared = Vec::new();
    for (function, _) in profile.functions() {
        let row = rows.of_function(function);
        if std::mem::replace(&mut has_function[row.index()], true) {
            shared.push(row);
        }
    }
    shared.sort_unstable();
    shared.dedup();
    shared
}

/// What is known of each function by itself.
struct OwnCosts {
    /// Self cost and the calls that leave the function and its cycle.
    spent: Costs,
    /// What others paid for calls.
    paid: Costs,
    /// Who called it.
    called: Vec<Called>,
    /// Whether it has costs, calls or is called.
    is_used: Vec<bool>,
    /// Whether there are calls at all. Without them nothing is inclusive, not of inlined code either.
    has_calls: bool,
}

impl OwnCosts {
    fn new(profile: &Profile, rows: &Rows<'_>, cycles: &Cycles) -> Result<OwnCosts, Overflow> {
        let (width, functions) = (profile.events.len(), profile.functions().count());
        let mut own = OwnCosts {
            spent: Costs::new(width, functions),
            paid: Costs::new(width, functions),
            called: vec![Called::Never; functions],
            is_used: vec![false; functions],
            has_calls: !profile.calls.is_empty(),
        };
        for (place, cost) in profile.costs.iter() {
            own.is_used[place.function.index()] = true;
            own.spent.add(place.function.index(), cost)?;
        }
        for (call, cost) in profile.calls.iter() {
            let (caller, callee) = (call.site.function, call.callee);
            own.is_used[caller.index()] = true;
            own.is_used[callee.index()] = true;
            let called = &mut own.called[callee.index()];
            if caller != callee && rows.of_function(caller) == rows.of_function(callee) {
                *called = (*called).max(Called::ByItsRow);
            } else if caller != callee {
                *called = Called::ByOthers;
                own.paid.add(callee.index(), cost)?;
            }
            if !cycles.is_nested(caller, callee) {
                own.spent.add(caller.index(), cost)?;
            }
        }
        Ok(own)
    }

    /// What a function adds to its row; nothing if it is part of what another function of the row adds, or if its
    /// lines are added one by one.
    fn inclusive(&self, function: FunctionId, cycles: &Cycles) -> Option<&[Count]> {
        match self.called[function.index()] {
            _ if !self.has_calls => None,
            _ if cycles.of(function).is_some() => Some(self.spent.get(function.index())),
            Called::Never => Some(self.spent.get(function.index())),
            Called::ByItsRow => None,
            Called::ByOthers => Some(self.paid.get(function.index())),
        }
    }
}

/// Who called a function, besides itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Called {
    /// Nobody.
    Never,
    /// Only functions of the same file and name in other objects, with which it shares a row: what such a call
    /// costs is in the row already.
    ByItsRow,
    /// Functions of other rows too.
    ByOthers,
}

/// Adds up the cycles and numbers them from the dearest; equal ones by the first of their members' names.
fn number_cycles(
    own: &OwnCosts,
    rows: &Rows<'_>,
    cycles: &mut Cycles,
    selection: &Selection,
) -> Result<Costs, Overflow> {
    let mut sums = Costs::new(own.spent.width, cycles.members().len());
    for (cycle, members) in cycles.members().iter().enumerate() {
        members
            .iter()
            .try_for_each(|member| sums.add(cycle, own.spent.get(member.index())))?;
    }
    let first_name = |cycle: usize| {
        let members = cycles.members()[cycle]
            .iter()
            .map(|&member| rows.of_function(member));
        members.min_by(|&a, &b| rows.by_name(a, b))
    };
    let by_name = |a, b| {
        first_name(a)
            .zip(first_name(b))
            .map_or(Ordering::Equal, |(a, b)| rows.by_name(a, b))
    };
    let mut order: Vec<usize> = (0..cycles.members().len()).collect();
    order.sort_by(|&a, &b| {
        selection
            .falling(sums.get(a), sums.get(b))
            .then_with(|| by_name(a, b))
    });
    cycles.renumber(&order);
    Ok(Costs {
        width: sums.width,
        counts: order
            .iter()
            .flat_map(|&cycle| sums.get(cycle).to_vec())
            .collect(),
    })
}

/// Rows of code inlined from other files: their own lines, and the calls made there. Without any calls that is
/// so for all rows.
fn add_inlined(
    profile: &Profile,
    rows: &Rows<'_>,
    cycles: &Cycles,
    of_row: &mut Costs,
    has_row: &mut [bool],
) -> Result<(), Overflow> {
    let has_calls = !profile.calls.is_empty();
    let is_inlined =
        |function: FunctionId, row: RowId| !has_calls || rows.of_function(function) != row;
    for ((place, cost), &row) in profile.costs.iter().zip(rows.of_costs()) {
        if is_inlined(place.function, row) {
            has_row[row.index()] = true;
            of_row.add(row.index(), cost)?;
        }
    }
    for ((call, cost), &(row, _)) in profile.calls.iter().zip(rows.of_calls()) {
        if is_inlined(call.site.function, row) {
            has_row[row.index()] = true;
            if !cycles.is_nested(call.site.function, call.callee) {
                of_row.add(row.index(), cost)?;
            }
        }
    }
    Ok(())
}
