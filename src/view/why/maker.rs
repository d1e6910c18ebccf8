//! The costs and calls of rows, in which reasons are found.

use std::collections::BTreeMap;

use super::WhyInput;
use super::aligned::{AlignedFiles, AlignedLine};
use super::reason::BaseAndNew;
use crate::graph::Groups;
use crate::profile::{Measured, Profile, is_unknown_name};
use crate::source::is_of_system;
use crate::view::charged::is_std_object;
use crate::view::label::RowId;
use crate::view::short_name::short_function;

/// How the functions of the dynamic linker begin that look up others.
const RESOLVER: &[u8] = b"_dl_runtime_resolve";

/// The places and calls of rows.
pub(super) struct ReasonMaker<'a, 'p> {
    pub(super) input: &'a WhyInput<'p>,
    pub(super) profile: &'p Profile,
    pub(super) files: AlignedFiles<'p>,
    pub(super) places_of: Groups,
    pub(super) calls_from: Groups,
    pub(super) calls_to: Groups,
    pub(super) counts_calls: bool,
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
            has_lines[object.index()] |= !is_unknown_name(profile.file(fragment.file));
        }
        ReasonMaker {
            input,
            profile,
            files: AlignedFiles::new(rows, input.event, input.texts),
            places_of: Groups::new(rows.len(), places),
            calls_from: Groups::new(rows.len(), ends().map(|(caller, _)| Some(caller.index()))),
            calls_to: Groups::new(rows.len(), ends().map(|(_, callee)| Some(callee.index()))),
            counts_calls: profile.counts_calls() && !profile.calls.is_empty(),
            has_lines,
        }
    }

    /// The self cost of a row.
    pub(super) fn cost(&self, row: RowId) -> BaseAndNew {
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
        self.is_of_system(row) || is_of_system(file) || has_lines && is_unknown_name(file)
    }

    pub(super) fn is_on_one_side(&self, row: RowId) -> bool {
        let on = self.input.rows.presence(row);
        on.new != on.base
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

    /// The number of calls at their line, without those of the dynamic linker, which looks up a
    /// function there that is called first.
    pub(super) fn count_at_line(&self, call: u32) -> BaseAndNew {
        let callee = self.profile.function(self.profile.calls[call as usize].callee);
        if self.profile.name(callee.name).starts_with(RESOLVER) {
            return BaseAndNew::default();
        }
        self.count_of_call(call)
    }

    pub(super) fn sum(of: impl Iterator<Item = BaseAndNew>) -> BaseAndNew {
        let mut sum = BaseAndNew::default();
        of.for_each(|one| sum.add(one));
        sum
    }

    /// What some calls amount to at each line; where lines cannot be compared, together.
    pub(super) fn at_lines(
        &self,
        calls: impl Iterator<Item = u32>,
        amount: impl Fn(u32) -> BaseAndNew,
    ) -> BTreeMap<Option<AlignedLine>, BaseAndNew> {
        let mut sums: BTreeMap<Option<AlignedLine>, BaseAndNew> = BTreeMap::new();
        for call in calls {
            let keys = self.files.keys_of(self.profile.calls[call as usize].site);
            let [new, base] = keys.map_or([None; 2], |keys| [Some(keys.new), Some(keys.base)]);
            sums.entry(new).or_default().add(amount(call).only(false));
            sums.entry(base).or_default().add(amount(call).only(true));
        }
        sums
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

    /// Whether all of a row's calls were counted: executions of inlined copies were not.
    pub(super) fn are_all_counted(&self, row: RowId) -> bool {
        let calls = self.calls_to.get(row.index()).iter();
        calls
            .map(|&call| self.profile.calls[call as usize])
            .all(|call| self.profile.is_counted(call) && !self.profile.is_inlined(call.callee))
    }

    /// Whether copies of a row are inlined.
    pub(super) fn has_copies(&self, row: RowId) -> bool {
        let calls = self.calls_to.get(row.index()).iter();
        calls
            .map(|&call| self.profile.calls[call as usize].callee)
            .any(|of| self.profile.is_inlined(of))
    }

    pub(super) fn calls_by_itself(&self, row: RowId) -> BaseAndNew {
        let calls = self.calls_to.get(row.index()).iter().copied();
        let is_recursive =
            |&call: &u32| self.input.rows.of_call(self.profile.calls[call as usize]).0 == row;
        Self::sum(calls.filter(is_recursive).map(|call| self.count_of_call(call)))
    }

    pub(super) fn calls_by_others(&self, row: RowId) -> BaseAndNew {
        let of_callers = self.calls_by_caller(row);
        Self::sum(of_callers.values().flatten().map(|&call| self.count_of_call(call)))
    }
}
