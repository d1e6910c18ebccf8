//! Finds the reasons of the rows with the largest changes.

use std::collections::BTreeMap;

use super::WhyInput;
use super::aligned::AlignedFiles;
use super::callers::{Link, callers, cost_callers};
use super::code::{code_of, part_of_other};
use super::reason::{BaseAndNew, ChangedCode, Parts, Reason};
use crate::graph::Groups;
use crate::profile::{Division, Measured, Profile};
use crate::source::is_of_system;
use crate::view::charged::is_std_object;
use crate::view::label::RowId;
use crate::view::short_name::short_function;

/// The maximum number of rows with reasons.
const MAX_REASONS: usize = 3;

/// The maximum number of rows among which those with reasons are chosen.
const MAX_CANDIDATES: usize = 10;

/// A row that is explained comes before a larger one if its change is at least this part of the
/// largest: a tenth.
const CHANGED_CODE_PARTS: u64 = 10;

/// Whether a row became cheaper in a program that costs more, or the other way round.
pub(super) fn is_against(change: i64, of_total: i64) -> bool {
    change.signum() * of_total.signum() < 0
}

/// What explains a row. Rows that changed lines explain come first: how a program is compiled
/// changes many others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    ChangedLines,
    /// Other calls, or nothing that is known.
    Other,
    /// Its own code costs more or less, though all lines are the same; or it is small beside the
    /// largest row.
    SameLines,
    /// It does not explain the change of the total, which goes the other way.
    AgainstTotal,
}

impl Rank {
    fn of(reason: &Reason) -> Rank {
        let is_unchanged = matches!(reason.code, Some(ChangedCode::Unchanged { .. }));
        if reason.has_changed_lines() {
            Rank::ChangedLines
        } else if is_unchanged && reason.callers.is_empty() && reason.part_of.is_none() {
            Rank::SameLines
        } else {
            Rank::Other
        }
    }
}

fn is_known_file(name: &[u8]) -> bool {
    !matches!(name, b"" | b"???")
}

/// The places and calls of rows.
pub(super) struct ReasonMaker<'a, 'p> {
    pub(super) input: &'a WhyInput<'p>,
    pub(super) profile: &'p Profile,
    pub(super) places_of: Groups,
    pub(super) calls_from: Groups,
    calls_to: Groups,
    counts_calls: bool,
    /// By object whether it has debug information.
    has_lines: Vec<bool>,
}

impl<'a, 'p> ReasonMaker<'a, 'p> {
    pub(super) fn new(input: &'a WhyInput<'p>) -> ReasonMaker<'a, 'p> {
        let rows = input.rows;
        let profile = rows.profile;
        let places = profile.places.iter().map(|&place| Some(rows.of_place(place).index()));
        let ends = || profile.calls.iter().map(|&call| rows.of_call(call));
        let mut has_lines = vec![false; profile.object_count()];
        for fragment in profile.fragments() {
            let object = profile.function(fragment.function).object;
            has_lines[object.index()] |= is_known_file(profile.file(fragment.file));
        }
        ReasonMaker {
            input,
            profile,
            places_of: Groups::new(rows.len(), places),
            calls_from: Groups::new(rows.len(), ends().map(|(caller, _)| Some(caller.index()))),
            calls_to: Groups::new(rows.len(), ends().map(|(_, callee)| Some(callee.index()))),
            counts_calls: profile.counts_calls() && !profile.calls.is_empty(),
            has_lines,
        }
    }

    /// Why the largest rows changed, as [`Rank`] orders them.
    pub(super) fn reasons(
        &self,
        files: &AlignedFiles<'_>,
        is_large: &dyn Fn(i64) -> bool,
    ) -> Vec<Reason> {
        let mut reasons: Vec<(Rank, Reason)> = Vec::new();
        let rows = self.largest();
        let sizes: Vec<u64> =
            rows.iter().map(|&row| self.cost(row).change().unsigned_abs()).collect();
        let of_program = rows.into_iter().zip(&sizes).enumerate();
        let explained =
            of_program.take_while(|&(at, (row, _))| at == 0 || is_large(self.cost(row).change()));
        for (_, (row, &size)) in explained.filter(|(_, (_, size))| **size > 0) {
            if reasons.iter().filter(|(rank, _)| *rank == Rank::ChangedLines).count() == MAX_REASONS
            {
                break;
            }
            let reason = self.reason(row, files);
            if reason.is_known() {
                let is_small = size < sizes[0] / CHANGED_CODE_PARTS;
                let rank = if is_against(self.cost(row).change(), self.input.change) {
                    Rank::AgainstTotal
                } else if is_small {
                    Rank::SameLines
                } else {
                    Rank::of(&reason)
                };
                reasons.push((rank, reason));
            }
        }
        reasons.sort_by_key(|(rank, _)| *rank);
        reasons.truncate(MAX_REASONS);
        reasons.into_iter().map(|(_, reason)| reason).collect()
    }

    /// The listed rows with the largest changes.
    fn largest(&self) -> Vec<RowId> {
        let rows = self.input.rows;
        let listed = self.input.listed.iter().copied().filter(|&row| rows.is_row(row));
        let mut changes: Vec<(u64, RowId)> =
            listed.map(|row| (self.cost(row).change().unsigned_abs(), row)).collect();
        changes.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| rows.cmp_items(*x, *y)));
        changes.into_iter().map(|(_, row)| row).take(MAX_CANDIDATES).collect()
    }

    /// The self cost of a row.
    fn cost(&self, row: RowId) -> BaseAndNew {
        let places = self.places_of.get(row.index()).iter();
        Self::sum(places.map(|&place| self.cost_of_place(place)))
    }

    /// Whether a row is a function of the C library or the loader.
    pub(super) fn is_of_system(&self, row: RowId) -> bool {
        let function = self.input.rows.first_function(row);
        function.is_some_and(|function| {
            let object = self.profile.function(function).object;
            is_std_object(self.profile.object(object))
        })
    }

    /// Whether a row is a function of a library, a toolchain or a downloaded package: in an object
    /// with debug information, what has none is not the program's own.
    pub(super) fn is_of_library(&self, row: RowId) -> bool {
        let file = self.input.rows.file(row).map_or(&b""[..], |file| self.profile.file(file));
        let object = self.input.rows.first_function(row).map(|of| self.profile.function(of).object);
        let has_lines = object.is_some_and(|object| self.has_lines[object.index()]);
        self.is_of_system(row) || is_of_system(file) || has_lines && !is_known_file(file)
    }

    pub(super) fn is_on_one_side(&self, row: RowId) -> bool {
        let on = self.input.rows.presence(row);
        on.new != on.base
    }

    /// The file of the only row that has the same name and that only the other side has.
    fn other_file(&self, row: RowId) -> Option<Vec<u8>> {
        let rows = self.input.rows;
        let on = rows.presence(row);
        if !self.is_on_one_side(row) {
            return None;
        }
        let name = rows.display_name(row);
        let is_other = |other: &RowId| {
            let on_other = rows.presence(*other);
            (on_other.base, on_other.new) == (on.new, on.base)
                && rows.is_row(*other)
                && rows.display_name(*other) == name
        };
        let mut others = self.input.listed.iter().copied().filter(is_other);
        let only = others.next().filter(|_| others.next().is_none())?;
        let file = self.profile.file(rows.file(only)?);
        is_known_file(file).then(|| file.to_vec())
    }

    /// The short name of a row, or the full one where the list has that: of rows with equal short
    /// names.
    pub(super) fn name(&self, row: RowId) -> Vec<u8> {
        let rows = self.input.rows;
        if rows.names.is_short {
            return rows.label_of(row).name.into_owned();
        }
        short_function(&rows.display_name(row), self.profile.name_kind()).into_owned()
    }

    fn of_sides(&self, mut count: impl FnMut(&Measured) -> i64) -> BaseAndNew {
        let sides = self.profile.sides();
        BaseAndNew { base: sides.base.as_ref().map_or(0, &mut count), new: count(&sides.new) }
    }

    /// The self cost of a place.
    pub(super) fn cost_of_place(&self, place: u32) -> BaseAndNew {
        let count = |side: &Measured| {
            self.profile.events().count(side.costs.table.get(place as usize), self.input.event)
        };
        self.of_sides(|side| count(side).or_zero())
    }

    /// The inclusive cost of a call.
    pub(super) fn cost_of_call(&self, call: u32) -> BaseAndNew {
        let count = |side: &Measured| {
            self.profile.events().count(side.calls.table.get(call as usize), self.input.event)
        };
        self.of_sides(|side| count(side).or_zero())
    }

    pub(super) fn count_of_call(&self, call: u32) -> BaseAndNew {
        self.of_sides(|side| side.call_counts[call as usize])
    }

    pub(super) fn sum(of: impl Iterator<Item = BaseAndNew>) -> BaseAndNew {
        let mut sum = BaseAndNew::default();
        of.for_each(|one| sum.add(one));
        sum
    }

    /// The calls of a row by each other one.
    pub(super) fn calls_by_caller(&self, row: RowId) -> BTreeMap<RowId, Vec<u32>> {
        let mut of_callers: BTreeMap<RowId, Vec<u32>> = BTreeMap::new();
        for &call in self.calls_to.get(row.index()) {
            let (caller, _) = self.input.rows.of_call(self.profile.calls[call as usize]);
            if caller != row {
                of_callers.entry(caller).or_default().push(call);
            }
        }
        of_callers
    }

    /// Whether some of a row's calls are executions of inlined copies, which were not counted.
    fn has_inlined_copies(&self, row: RowId) -> bool {
        let mut calls = self.calls_to.get(row.index()).iter();
        calls.any(|&call| self.profile.is_inlined(self.profile.calls[call as usize].callee))
    }

    fn calls_by_itself(&self, row: RowId) -> BaseAndNew {
        let calls = self.calls_to.get(row.index()).iter().copied();
        let is_recursive =
            |&call: &u32| self.input.rows.of_call(self.profile.calls[call as usize]).0 == row;
        Self::sum(calls.filter(is_recursive).map(|call| self.count_of_call(call)))
    }

    /// What adds up to the change of a recursive function, its outermost calls by others and those
    /// within them apart, as these may cost much less; none if their costs are not recorded apart.
    fn parts_of_levels(&self, row: RowId, cost: BaseAndNew) -> Option<Parts> {
        let places = self.places_of.get(row.index());
        let of_callers = self.calls_by_caller(row);
        let mut by_calls: i64 = 0;
        for is_nested in [false, true] {
            let is_of_level = |&&place: &&u32| {
                let fragment = self.profile.places[place as usize].fragment;
                let division = self.profile.fragment(fragment).division;
                matches!(division, Division::DeeperLevels(_)) == is_nested
            };
            let of_places = places.iter().filter(is_of_level);
            let of_level = Self::sum(of_places.map(|&place| self.cost_of_place(place)));
            if of_level.base == 0 || of_level.new == 0 {
                return None;
            }
            let is_of_level_call =
                |&&call: &&u32| self.profile.calls[call as usize].is_nested == is_nested;
            let of_calls = of_callers.values().flatten().filter(is_of_level_call);
            let count = Self::sum(of_calls.map(|&call| self.count_of_call(call)));
            by_calls = by_calls.checked_add(Parts::of(of_level, count)?.by_calls)?;
        }
        Some(Parts { by_calls, by_cost: cost.change().checked_sub(by_calls)? })
    }

    pub(super) fn calls_by_others(&self, row: RowId) -> BaseAndNew {
        let of_callers = self.calls_by_caller(row);
        Self::sum(of_callers.values().flatten().map(|&call| self.count_of_call(call)))
    }

    fn reason(&self, row: RowId, files: &AlignedFiles<'_>) -> Reason {
        let cost = self.cost(row);
        let knows_calls = self.counts_calls && !self.has_inlined_copies(row);
        let calls = knows_calls.then(|| self.calls_by_others(row));
        let parts = calls
            .and_then(|calls| self.parts_of_levels(row, cost).or_else(|| Parts::of(cost, calls)));
        let is_by_calls = match parts {
            Some(parts) => Parts::is_shown(parts.by_calls, cost),
            None => calls.is_some_and(|calls| calls.change() != 0),
        };
        let is_largely_cost = match parts {
            Some(parts) => Parts::is_shown(parts.by_cost, cost),
            // Without calls nothing else is known.
            None => calls.is_none_or(|calls| calls.base == calls.new),
        };
        let part_of = part_of_other(self, files, row);
        // A new function is no changed one, unless it is a changed version of one that is gone.
        let is_version = part_of.as_ref().is_some_and(|other| !other.is_inlined);
        let is_by_cost = if self.is_on_one_side(row) { is_version } else { is_largely_cost };
        let chain = match calls.filter(|_| is_by_calls) {
            Some(calls) => callers(self, files, row, calls.change()),
            None => Vec::new(),
        };
        let code_of_last = |chain: &[Link]| {
            let last = chain.last().filter(|link| link.is_last);
            last.and_then(|link| code_of(self, files, link.row, None))
        };
        let callers_code = code_of_last(&chain);
        let mut of_cost = Vec::new();
        if is_by_cost && self.is_of_system(row) {
            of_cost = cost_callers(self, files, row);
        }
        // One chain of callers says where both come from.
        let last = of_cost.last().map(|link| link.row);
        if chain.iter().any(|link| Some(link.row) == last) {
            of_cost.clear();
        }
        let change = parts.map_or(cost.change(), |parts| parts.by_cost);
        Reason {
            row,
            name: self.name(row),
            cost,
            calls,
            recursive: self.calls_by_itself(row),
            parts,
            callers_code,
            callers: chain.into_iter().map(|link| link.caller).collect(),
            cost_code: code_of_last(&of_cost),
            cost_callers: of_cost.into_iter().map(|link| link.caller).collect(),
            code: is_by_cost
                .then(|| code_of(self, files, row, Some(change)))
                .flatten()
                // Of another version only the changed lines are known.
                .filter(|code| !is_version || !code.places().is_empty()),
            part_of,
            other_file: self.other_file(row),
        }
    }
}
