//! Builds a profile: names, places and calls are added as they are read, and each side's counts are
//! added up.

use std::sync::Arc;

use super::Profile;
use crate::profile::budget::{AddError, LimitExceeded, Overflow};
use crate::profile::count::Count;
use crate::profile::division::{Division, FileId, FragmentId, FunctionId, NameId, ObjectId};
use crate::profile::events::Events;
use crate::profile::measured::{KeptOf, KnownInclusive, Measured, Part};
use crate::profile::position::{Position, PositionId, Positions};
use crate::profile::processes::Processes;
use crate::profile::records::{Call, Jump, Place, Records};
use crate::profile::sides::Sides;
use crate::profile::symbols::{Fragment, Functions, NameTable};
use crate::profile::time_unit::FILE_OF_JRUBY;

/// A profile that is being read or made, side by side.
#[derive(Default)]
pub struct ProfileBuilder {
    /// The names, functions and events so far.
    profile: Profile,
    places: Records<Place>,
    calls: Records<Call>,
    jumps: Records<Jump>,
    /// The side that is being read.
    current: Measured,
    /// The sides that were read before it, of which the first is NEW.
    sides: Vec<Measured>,
    processes: Processes,
}

impl Profile {
    /// A builder of a profile with the same names, functions and events, but without costs and
    /// calls.
    pub fn builder_with_names(&self) -> ProfileBuilder {
        self.builder_with(self.positions.clone())
    }

    /// The same, for a profile of which nothing but places, costs and calls is needed any more: its
    /// names become the builder's, as there may be many long ones. Without `has_positions` all
    /// places are added anew.
    pub fn builder_taking_names(&mut self, has_positions: bool) -> ProfileBuilder {
        let names = std::mem::take(&mut self.names);
        let positions = if has_positions { self.positions.clone() } else { Positions::default() };
        let mut builder = self.builder_with(positions);
        builder.profile.names = names;
        builder
    }

    fn builder_with(&self, positions: Positions) -> ProfileBuilder {
        let mut current = Measured::default();
        current.widen(self.events.len());
        ProfileBuilder {
            profile: Profile {
                events: self.events.clone(),
                objects: self.objects.clone(),
                files: self.files.clone(),
                names: self.names.clone(),
                divisions: self.divisions.clone(),
                functions: self.functions.clone(),
                positions,
                other_files: self.other_files.clone(),
                other_objects: self.other_objects.clone(),
                renamed: self.renamed.clone(),
                has_rewritten_names: self.has_rewritten_names,
                ..Profile::default()
            },
            current,
            ..ProfileBuilder::default()
        }
    }
}

impl ProfileBuilder {
    pub fn add_object(&mut self, name: &[u8]) -> Result<ObjectId, LimitExceeded> {
        self.profile.objects.add(name).map(ObjectId)
    }

    pub fn add_file(&mut self, name: &[u8]) -> Result<FileId, LimitExceeded> {
        self.profile.files.add(name).map(FileId)
    }

    pub fn add_name(&mut self, name: &[u8]) -> Result<NameId, LimitExceeded> {
        self.profile.names.add(name).map(NameId)
    }

    /// The division of a process or command by its name.
    pub fn add_division(&mut self, name: &[u8]) -> Result<Division, LimitExceeded> {
        let number = self.profile.divisions.add(name);
        number.map(Division::Executed)
    }

    /// The division of a thread or part by its name and its process.
    pub fn add_division_of_process(
        &mut self,
        name: &[u8],
        process: Arc<[u8]>,
    ) -> Result<Division, LimitExceeded> {
        self.processes.division(&mut self.profile.divisions, name, process)
    }

    /// The same, but none for the first thread.
    pub fn add_division_of_other_thread(
        &mut self,
        thread: &[u8],
        process: Arc<[u8]>,
    ) -> Result<Division, LimitExceeded> {
        let division = self.add_division_of_process(thread, process)?;
        Ok(if division == Division::Executed(0) { Division::None } else { division })
    }

    pub fn part_count(&self) -> u64 {
        self.current.parts.len() as u64
    }

    /// The names of functions, which a reader takes out to add to them, and puts back.
    pub fn names(&mut self) -> &mut NameTable {
        &mut self.profile.names
    }

    pub fn function_count(&self) -> usize {
        self.profile.functions.list.len()
    }

    #[inline]
    pub fn functions(&mut self) -> &mut Functions {
        &mut self.profile.functions
    }

    /// A line or an instruction of a function's code in a file.
    pub fn add_place(
        &mut self,
        function: FunctionId,
        file: FileId,
        position: Position,
        division: Division,
    ) -> Result<Place, LimitExceeded> {
        Ok(Place {
            fragment: self.functions().fragment(function, file, division)?,
            position: self.add_position(position)?,
        })
    }

    #[inline]
    pub fn add_position(&mut self, position: Position) -> Result<PositionId, LimitExceeded> {
        self.profile.positions.add(position)
    }

    /// The position of calls of a target from a site.
    pub fn add_call_position(
        &mut self,
        site: PositionId,
        target: Position,
    ) -> Result<PositionId, LimitExceeded> {
        self.profile.positions.add_call(site, target)
    }

    pub fn events(&self) -> &Events {
        &self.profile.events
    }

    /// Adds the event called `name`; all rows get a count for it, undefined so far.
    pub fn add_event(&mut self, name: &[u8]) -> Result<usize, LimitExceeded> {
        let event = self.profile.events.find_or_add(name)?;
        self.current.widen(self.profile.events.len());
        Ok(event)
    }

    pub fn definitions(&mut self) -> &mut Events {
        &mut self.profile.events
    }

    /// Adds the event called `name`, unless the profile has it, if it can be derived from others:
    /// by a formula of [`ProfileBuilder::definitions`], or as KCachegrind derives it. Nothing may
    /// be added to the profile afterwards.
    pub fn derive_event(&mut self, name: &[u8]) -> Result<(), AddError> {
        self.profile.events.add_derived(name)?;
        let mut sides = std::iter::once(&self.current).chain(&self.sides);
        let events = &self.profile.events;
        Ok(sides.try_for_each(|side| side.budget.covers(events.derived_sums()))?)
    }

    /// Adds a part that was read, within the [`LIMIT`](super::LIMIT) of all totals.
    pub fn add_part(&mut self, part: Part) -> Result<(), Overflow> {
        let mut total = vec![Count::UNDEFINED; self.profile.events.len()];
        part.add_total(&mut total);
        self.current.totals.spend(&total)?;
        self.current.parts.push(part);
        Ok(())
    }

    /// Whether costs, which are in the profile's columns, and a number of calls can be added
    /// without exceeding the [`LIMIT`](super::LIMIT).
    pub fn has_room(&self, cost: &[Count], calls: i64) -> bool {
        self.current.budget.has_room(cost, calls)
    }

    /// Adds a self cost, which is in the profile's columns.
    #[inline]
    pub fn add_cost(&mut self, place: Place, cost: &[Count]) -> Result<(), AddError> {
        self.spend(cost)?;
        Ok(self.add_spent_cost(place, cost)?)
    }

    /// Counts a sum of costs, which is in the profile's columns, towards the
    /// [`LIMIT`](super::LIMIT).
    #[inline]
    pub fn spend(&mut self, cost: &[Count]) -> Result<(), Overflow> {
        self.current.budget.spend(cost)
    }

    /// Adds a self cost that was counted towards the limit.
    #[inline]
    pub fn add_spent_cost(&mut self, place: Place, cost: &[Count]) -> Result<(), LimitExceeded> {
        let fragments = &self.profile.functions.fragments;
        let function_of = |fragment: FragmentId| fragments[fragment.index()].function;
        let row = self.places.row(place, function_of)?;
        self.current.costs.add(row, cost);
        Ok(())
    }

    /// Adds `count` calls and their inclusive cost, which is in the profile's columns.
    #[inline(always)]
    pub fn add_call(&mut self, call: Call, count: i64, cost: &[Count]) -> Result<(), AddError> {
        self.spend_call(count, cost)?;
        Ok(self.add_spent_call(call, count, cost)?)
    }

    /// Counts calls and their cost, which is in the profile's columns, towards the
    /// [`LIMIT`](super::LIMIT).
    #[inline(always)]
    pub fn spend_call(&mut self, count: i64, cost: &[Count]) -> Result<(), Overflow> {
        self.current.budget.spend(cost)?;
        self.current.budget.spend_calls(count)
    }

    /// Adds calls that were counted towards the limit.
    #[inline(always)]
    pub fn add_spent_call(
        &mut self,
        call: Call,
        count: i64,
        cost: &[Count],
    ) -> Result<(), LimitExceeded> {
        let fragments = &self.profile.functions.fragments;
        let function_of = |fragment: FragmentId| fragments[fragment.index()].function;
        let row = self.calls.row(call, function_of)?;
        self.current.add_call(row, count, cost);
        Ok(())
    }

    pub fn fragment(&self, id: FragmentId) -> Fragment {
        self.profile.functions.fragments[id.index()]
    }

    #[inline]
    pub fn position(&self, id: PositionId) -> Position {
        self.profile.positions.get(id)
    }

    /// Notes whether kept instructions of the current side have addresses and lines.
    pub fn note_instructions(&mut self, have_addresses: bool, have_lines: bool) {
        self.current.has_addresses |= have_addresses;
        self.current.has_lines |= have_lines;
    }

    pub fn has_addresses(&self) -> bool {
        self.current.has_addresses
    }

    pub fn add_skipped(&mut self, place: Place, cost: &[Count]) {
        self.current.add_skipped(place, cost)
    }

    /// Adds the times that a jump was taken and executed, within the [`LIMIT`](super::LIMIT) of
    /// calls and jumps.
    pub fn add_jump(&mut self, jump: Jump, taken: i64, executed: i64) -> Result<(), AddError> {
        let fragments = &self.profile.functions.fragments;
        let function_of = |fragment: FragmentId| fragments[fragment.index()].function;
        self.current.budget.spend_calls(taken)?;
        self.current.budget.spend_calls(executed)?;
        let row = self.jumps.row(jump, function_of)?;
        let counts = [Count::new(taken), Count::new(executed)];
        self.current.jumps.add(row, &counts);
        Ok(())
    }

    /// Notes that names of functions are rewritten.
    pub fn note_rewritten_names(&mut self) {
        self.profile.has_rewritten_names = true;
    }

    /// Notes that calls of the current side are of other functions than those that made them.
    pub fn note_charged_calls(&mut self) {
        self.current.parts.iter_mut().for_each(|part| part.counts_outermost_calls = false);
    }

    /// Ends a side: later costs and calls are those of the side before it, at first BASE.
    pub fn begin_side(&mut self) {
        self.processes.begin_side();
        self.profile.functions.begin_side();
        let side = Measured::of_next_side(self.profile.events.len(), self.rows());
        self.sides.push(std::mem::replace(&mut self.current, side));
    }

    /// Adds the parts of each side of another profile, then calls `add` with the side and its
    /// index.
    pub fn add_sides(
        &mut self,
        profile: &Profile,
        mut add: impl FnMut(&mut ProfileBuilder, &Measured, usize) -> Result<(), AddError>,
    ) -> Result<(), AddError> {
        for (index, side) in profile.sides().iter().enumerate() {
            if index > 0 {
                self.begin_side();
            }
            for part in &side.parts {
                self.add_part(part.clone())?;
            }
            self.note_instructions(side.has_addresses, side.has_lines);
            self.current.kept.clone_from(&side.kept);
            self.current.known.clone_from(&side.known);
            add(self, side, index)?;
        }
        Ok(())
    }

    /// Sets of what the current side is a part.
    pub fn set_kept(&mut self, kept: KeptOf) {
        self.current.kept = Some(kept);
    }

    /// Sets what functions of the current side are known to cost with all that they call.
    pub fn set_known(&mut self, known: KnownInclusive) {
        self.current.known = Some(known);
    }

    /// The numbers of places, calls and jumps.
    fn rows(&self) -> [usize; 3] {
        [self.places.len(), self.calls.len(), self.jumps.len()]
    }

    pub fn finish(mut self) -> Profile {
        let rows = self.rows();
        self.profile.events.is_of_jruby = self.profile.files.find(FILE_OF_JRUBY).is_some();
        self.profile.names.end_lookups();
        self.processes.finish(&mut self.profile.divisions);
        self.sides.push(self.current);
        for side in &mut self.sides {
            side.widen(self.profile.events.len());
            side.resize(rows);
        }
        let mut ordered = self.sides.into_iter();
        let sides = Sides {
            new: ordered.next().unwrap_or_default(),
            base: ordered.next(),
            earlier: ordered.collect(),
        };
        Profile {
            places: self.places.into_keys(),
            calls: self.calls.into_keys(),
            jumps: self.jumps.into_keys(),
            sides,
            ..self.profile
        }
    }
}
