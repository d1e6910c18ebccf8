//! Changed places of one function whose changes go opposite ways become one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::super::aligned::ChangeInFile;
use super::super::code::is_version;
use super::super::{BaseAndNew, ChangedPlace};
use crate::view::label::RowId;

/// The maximum number of parts of a function, the largest ones, that are set off.
const MAX_PARTS: usize = 64;

/// A part is not set off if it is smaller than this part of the larger one: a hundredth.
const SMALL_PARTS: u128 = 100;

/// What a cost is part of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PartId {
    Change(ChangeInFile),
    /// What left a function, or came to it, at lines whose texts are the same.
    SameLines(RowId),
}

/// What the cost of a function changed at a part of its code.
#[derive(Clone, Copy, Default)]
pub(super) struct CostOfPart {
    pub(super) change: i64,
    /// Without calls.
    pub(super) own: i64,
}

impl CostOfPart {
    pub(super) fn add(&mut self, other: CostOfPart) {
        self.change = self.change.saturating_add(other.change);
        self.own = self.own.saturating_add(other.own);
    }
}

/// What the cost of a function changed.
#[derive(Default)]
pub(super) struct CostsOfFunction {
    pub(super) parts: BTreeMap<PartId, CostOfPart>,
    /// What it changed without calls at lines that are in no part.
    pub(super) unchanged: i64,
}

/// The parts, each with its lines.
pub(super) type Parts = BTreeMap<PartId, ChangedPlace>;

/// Parts of functions that are one place.
pub(super) struct Group {
    ids: BTreeSet<PartId>,
    pub(super) cost: CostOfPart,
    /// The parts that have the removed and the added line.
    shown: [Option<PartId>; 2],
    /// What these parts changed before others were set off.
    gross: [i64; 2],
    /// Whether the added line is a version of the removed one.
    are_versions: bool,
}

impl Group {
    pub(super) fn new(id: PartId, cost: CostOfPart, parts: &Parts) -> Group {
        let lines =
            parts.get(&id).map_or([None, None], |of| [of.removed.as_ref(), of.added.as_ref()]);
        Group {
            ids: BTreeSet::from([id]),
            cost,
            shown: lines.map(|line| line.map(|_| id)),
            gross: [cost.change; 2],
            are_versions: matches!(lines, [Some(old), Some(new)] if is_version(old, new)),
        }
    }

    /// This one and another one as one. The change that became cheapest has the removed line, and
    /// the one that became most expensive the added one, unless the largest has versions of one
    /// line. Lines whose texts are the same are shown where no changed ones are.
    fn take(&mut self, other: Group) {
        let largest = |group: &Group| group.gross.map(i64::unsigned_abs).into_iter().max();
        let [larger, smaller] =
            if largest(self) < largest(&other) { [&other, &*self] } else { [&*self, &other] };
        let (mut shown, mut gross) = (larger.shown, larger.gross);
        if !larger.are_versions {
            for (side, way) in [-1, 1].into_iter().enumerate() {
                // A changed line before one that only moved.
                let order = |line: Option<PartId>, gross: i64| {
                    line.map(|id| (matches!(id, PartId::Change(_)), gross.saturating_mul(way)))
                };
                let (of_smaller, of_larger) = (smaller.shown[side], shown[side]);
                if order(of_smaller, smaller.gross[side]) > order(of_larger, gross[side]) {
                    (shown[side], gross[side]) = (of_smaller, smaller.gross[side]);
                }
            }
        }
        (self.are_versions, self.shown, self.gross) = (larger.are_versions, shown, gross);
        self.ids.extend(other.ids);
        self.cost.add(other.cost);
    }

    pub(super) fn change(&self) -> i64 {
        self.cost.change
    }

    pub(super) fn add(&mut self, cost: CostOfPart) {
        self.cost.add(cost);
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = PartId> {
        self.ids.iter().copied()
    }

    pub(super) fn has_changed_lines(&self) -> bool {
        self.ids.iter().any(|id| matches!(id, PartId::Change(_)))
    }

    /// The functions of which it has lines whose texts are the same.
    pub(super) fn rows(&self) -> impl Iterator<Item = RowId> {
        self.ids.iter().filter_map(|id| match id {
            PartId::SameLines(row) => Some(*row),
            PartId::Change(_) => None,
        })
    }

    pub(super) fn place(&self, parts: &Parts) -> ChangedPlace {
        let [removed, added] = self.shown.map(|id| id.and_then(|id| parts.get(&id)));
        let all = || self.ids.iter().filter_map(|id| parts.get(id));
        let shown: BTreeSet<PartId> = self.shown.into_iter().flatten().collect();
        ChangedPlace {
            at: all().flat_map(|of| of.at.iter().cloned()).collect(),
            change: self.cost.change,
            removed: removed.and_then(|of| of.removed.clone()),
            added: added.and_then(|of| of.added.clone()),
            removed_lines: removed.and_then(|of| of.removed_lines),
            added_lines: added.and_then(|of| of.added_lines),
            calls: BaseAndNew {
                base: removed.map_or(0, |of| of.calls.base),
                new: added.map_or(0, |of| of.calls.new),
            },
            lacks_inlined: all().any(|of| of.lacks_inlined),
            more: self.ids.len() - shown.len().max(1),
        }
    }
}

/// The places of all functions. Those of which the same lines are shown are one.
pub(super) fn set_off(
    of_functions: &BTreeMap<RowId, CostsOfFunction>,
    parts: &Parts,
) -> Vec<Group> {
    let mut by_lines: BTreeMap<[Option<PartId>; 2], Group> = BTreeMap::new();
    for costs in of_functions.values() {
        for group in groups_of(costs, parts) {
            // Without lines to show, places stay apart.
            let has_lines = group.shown.iter().any(Option::is_some);
            let lines = if has_lines { group.shown } else { [group.ids.first().copied(); 2] };
            match by_lines.get_mut(&lines) {
                Some(same) => {
                    same.cost.add(group.cost);
                    same.ids.extend(group.ids);
                }
                None => {
                    by_lines.insert(lines, group);
                }
            }
        }
    }
    by_lines.into_values().collect()
}

/// The places of a function.
fn groups_of(costs: &CostsOfFunction, parts: &Parts) -> Vec<Group> {
    let singles = costs.parts.iter().map(|(&id, &cost)| Group::new(id, cost, parts));
    let mut groups: Vec<Group> = singles.collect();
    let size = |group: &Group| u128::from(group.change().unsigned_abs());
    let sort = |groups: &mut [Group]| {
        groups.sort_by_key(|group| (Reverse(size(group)), group.shown));
    };
    sort(&mut groups);
    let rest = groups.split_off(groups.len().min(MAX_PARTS));
    while let Some(larger) = groups.first() {
        let is_opposite = |group: &Group| {
            group.change().signum() * larger.change().signum() < 0
                && size(group) * SMALL_PARTS >= size(larger)
        };
        let Some(at) = groups.iter().position(is_opposite) else {
            break;
        };
        let smaller = groups.remove(at);
        groups[0].take(smaller);
        sort(&mut groups);
    }
    // Lines that moved and go the same way are not shown alone. Calls of functions that are gone
    // may have another cause.
    let takes_same = |group: &Group| {
        let CostOfPart { change, own } = group.cost;
        let has_opposite = own.signum() * change.saturating_sub(own).signum() < 0;
        group.has_changed_lines() && (group.ids.len() > 1 || has_opposite)
    };
    let is_alone = |group: &Group| {
        let own = u128::from(group.cost.own.unsigned_abs());
        !group.has_changed_lines() && own * 2 >= size(group)
    };
    if groups.iter().any(takes_same)
        && let Some(at) = groups.iter().position(is_alone)
    {
        let same = groups.remove(at);
        if let Some(group) = groups.iter_mut().find(|group| takes_same(group)) {
            group.take(same);
        }
    }
    groups.extend(rest);
    set_off_unchanged(costs.unchanged, &mut groups);
    groups
}

/// Sets off what a function costs less by itself at its other lines, or more, as a compiler moves
/// code from line to line: at changed lines it changed by no more than in all.
fn set_off_unchanged(unchanged: i64, groups: &mut [Group]) {
    let sum = groups.iter().fold(0, |sum: i64, group| sum.saturating_add(group.cost.own));
    if sum.signum() * unchanged.signum() >= 0 {
        return;
    }
    let way = unchanged.signum();
    let mut left = unchanged.unsigned_abs().min(sum.unsigned_abs());
    let goes_other_way = |of: CostOfPart| of.own.signum() == -way && of.change.signum() == -way;
    for group in groups.iter_mut().filter(|group| goes_other_way(group.cost)) {
        let CostOfPart { change, own } = group.cost;
        let part = left.min(own.unsigned_abs()).min(change.unsigned_abs());
        let own = i64::try_from(part).unwrap_or(i64::MAX).saturating_mul(way);
        group.cost.add(CostOfPart { change: own, own });
        left -= part;
    }
}
