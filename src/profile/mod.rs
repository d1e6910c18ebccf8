//! A profile: the costs of all files that were read, added up by place. This page explains the
//! model.
//!
//! A profile counts **events** (instructions, cache misses, bytes, nanoseconds). A **cost** is one
//! [`Count`] for each event, in the order of [`Profile::events`]; a count that no line of a file
//! gave is undefined, which is not 0.
//!
//! A **function** is an object, a file and a name. A **fragment** is its code in one source file:
//! its own file, or one from which code was inlined; where a report needs it, each inlined function
//! has a fragment. Costs are counted at **places**: a fragment and a **position** in it, a line or,
//! where a report needs it, an instruction with its address and line. With lines, [`Place`] is the
//! finest key of both reference programs: KCachegrind adds places up by function,
//! callgrind_annotate by (file of the place, name of the function), which it calls `file:function`.
//!
//! A **call** is a place, the function called from it, the number of calls, and their *inclusive*
//! cost: that of the callee with all functions that it called.
//!
//! A **part** is a header and what follows it. A file has one or more; their costs are added up.
//!
//! A difference has two **sides**: a profile (NEW) and the one that it is compared with (BASE). A
//! series has more, the profiles before BASE. Names, places and calls are kept once for all,
//! [`Measured`] has the counts of each.
//!
//! Names are kept once and have ids. Rows are in the order of their first appearance. Nothing that
//! can be derived is stored: no percentages, no inclusive sums, no order by cost. The views derive
//! them.

mod bounds;
mod budget;
mod builder;
mod code_place;
mod cost_table;
mod count;
mod division;
mod events;
mod formula;
mod measured;
mod name_suffix;
mod position;
mod processes;
mod producer;
mod records;
mod renamed;
mod samples;
mod scale;
mod sides;
mod symbols;
mod threads;
mod time_unit;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::OnceLock;

pub use bounds::Bounds;
use budget::Budget;
pub use budget::{AddError, LIMIT, LimitExceeded, Overflow};
pub use builder::ProfileBuilder;
pub use code_place::{CodeJump, CodePlace};
pub use cost_table::CostTable;
pub use count::{Count, add_cost, difference, to_columns};
pub use division::{DivideBy, Division, FileId, FragmentId, FunctionId, NameId, ObjectId};
pub use events::{Events, Fraction, KNOWN_EVENTS, MAX_EVENTS};
pub use formula::Formula;
pub use measured::{KeptOf, KnownInclusive, Measured, Part};
pub use name_suffix::{
    OPERATORS, SuffixFold, bracket_end, level_after, recursion_level, split_suffixes,
    suffixes_after, without_build, without_clones, without_suffixes,
};
use position::Positions;
pub use position::{Position, PositionId};
pub use producer::NameKind;
pub use records::{BlockIndex, Call, Jump, Place};
pub use renamed::{NewName, Renamed, RenamedFunction};
pub use samples::{BasicBlock, Histogram, Mismatch, RawCall, RecordCounts, Samples, Unit};
pub use scale::Factor;
use sides::Partners;
pub use sides::{BASE, MAX_SIDES, NEW, Presence, Sides};
pub use symbols::{
    Fragment, Function, FunctionKey, Functions, NameHash, NameHasher, NameTable, Portion,
};
pub use threads::OneThread;

/// A map that keeps the order in which its keys were first added.
pub type Ordered<K, V> = indexmap::IndexMap<K, V, hashbrown::DefaultHashBuilder>;

/// Whether a name of an object, a file or a function stands for one that is not known.
pub fn is_unknown_name(name: &[u8]) -> bool {
    matches!(name, b"" | b"???")
}

/// A profile, which does not change once it is [built](ProfileBuilder).
#[derive(Default)]
pub struct Profile {
    events: Events,
    objects: NameTable,
    files: NameTable,
    names: NameTable,
    /// The names of divisions by number: threads, parts, processes or commands.
    divisions: NameTable,
    functions: Functions,
    positions: Positions,
    /// All places with costs, in order of first appearance.
    pub places: Vec<Place>,
    /// All calls, each by site and callee, in order of first appearance.
    pub calls: Vec<Call>,
    /// All jumps, if a report needs them, in order of first appearance.
    pub jumps: Vec<Jump>,
    sides: Sides<Measured>,
    /// Whether names of functions were rewritten, so that different functions may have become one.
    has_rewritten_names: bool,
    /// Determined on first use.
    name_kind: OnceLock<NameKind>,
    /// By name its length without suffixes. Determined on first use, as a search takes long.
    own_lens: OnceLock<Vec<u32>>,
    /// Determined on first use.
    counts_calls: OnceLock<bool>,
    /// Calculated on first use.
    fragment_costs: OnceLock<Sides<CostTable>>,
    /// In a difference: the files and objects that have another name in BASE.
    other_files: Partners,
    other_objects: Partners,
    renamed: Renamed,
}

impl Profile {
    pub fn events(&self) -> &Events {
        &self.events
    }

    pub fn sides(&self) -> &Sides<Measured> {
        &self.sides
    }

    /// Whether a total, a place or a call of either side has a count of an event that is not 0.
    pub fn has_cost_of(&self, event: usize) -> bool {
        let events = self.events();
        self.sides.iter().any(|side| {
            let is_any = |cost: &[Count]| events.count(cost, event).or_zero() != 0;
            is_any(&side.total(events).0)
                || side.costs.table.iter().any(is_any)
                || side.calls.table.iter().any(is_any)
        })
    }

    /// By event, whether NEW has a negative count of it, as files that are differences have.
    pub fn negative_events(&self) -> Vec<bool> {
        let (events, new) = (self.events(), &self.sides.new);
        let tables = [&new.costs.table, &new.calls.table];
        let is_subtracted =
            |&event: &usize| events.terms(event).iter().any(|&(factor, _)| factor < 0);
        let is_any = tables.iter().any(|table| table.has_negative());
        let is_candidate = |event: &usize| is_any || is_subtracted(event);
        let mut is_negative = vec![false; events.len()];
        for event in (0..events.len()).filter(is_candidate) {
            let count = |cost: &[Count]| events.count(cost, event).or_zero();
            is_negative[event] =
                tables.iter().any(|table| table.iter().any(|cost| count(cost) < 0));
        }
        is_negative
    }

    pub fn is_difference(&self) -> bool {
        self.sides.base.is_some()
    }

    /// Whether more than two profiles are compared.
    pub fn is_series(&self) -> bool {
        !self.sides.earlier.is_empty()
    }

    /// Whether sums over the rows of all sides of a series fit into a count.
    pub fn sides_fit_together(&self) -> bool {
        Budget::fit_together(self.sides.iter().map(|side| &side.budget))
    }

    /// The events that a side recorded, and those derived from them.
    pub fn events_of(&self, side: usize) -> BTreeSet<usize> {
        let parts = self.sides.get(side).into_iter().flat_map(|side| &side.parts);
        let recorded = BTreeSet::from_iter(parts.flat_map(|part| part.columns.iter().copied()));
        let derived = (0..self.events.len()).filter(|&event| {
            let terms = self.events.terms(event);
            !terms.is_empty() && terms.iter().all(|(_, term)| recorded.contains(term))
        });
        derived.chain(recorded.iter().copied()).collect()
    }

    /// The parts of NEW in the order of reading.
    pub fn parts(&self) -> &[Part] {
        &self.sides.new.parts
    }

    /// Whether callgrind wrote a part of NEW: its names have levels of recursion and callers after
    /// apostrophes.
    pub fn is_from_callgrind(&self) -> bool {
        self.parts().iter().any(|part| part.callgrind().is_some())
    }

    /// Whether Cachegrind wrote all parts.
    pub fn is_from_cachegrind(&self) -> bool {
        let mut parts = self.sides.iter().flat_map(|side| &side.parts).peekable();
        parts.peek().is_some() && parts.all(|part| part.is_from_cachegrind)
    }

    /// How the names of functions were written.
    pub fn name_kind(&self) -> NameKind {
        *self.name_kind.get_or_init(|| {
            NameKind::of(|| self.sides.iter().flat_map(|side| &side.parts), &self.events)
        })
    }

    /// Whether the producer counted calls. Profilers that take samples, and valgrind's trees of
    /// memory, write `calls=0` for all calls; of callgrind that is a call which began before the
    /// profile.
    pub fn counts_calls(&self) -> bool {
        *self.counts_calls.get_or_init(|| {
            let counts_instructions = || self.events.names().any(|name| name == b"Ir");
            self.sides.iter().any(Measured::has_counted_calls)
                || self.is_from_callgrind()
                || counts_instructions()
        })
    }

    /// Whether only a part of the costs of a profile was kept.
    pub fn is_part(&self) -> bool {
        self.sides.new.kept.is_some()
    }

    /// How much of a function is part of the profile.
    #[inline]
    pub fn portion(&self, function: FunctionId) -> Portion {
        self.functions.portion(function)
    }

    /// Whether a function is part of the profile, and not only made calls that led to it.
    #[inline]
    pub fn has_part_of(&self, function: FunctionId) -> bool {
        self.portion(function) != Portion::None
    }

    /// Whether the profile has only a part of some functions, which is an estimate.
    pub fn has_divided(&self) -> bool {
        self.functions().any(|(id, _)| self.portion(id) == Portion::Divided)
    }

    /// Whether it is known how often a function called another one: not if the profile has only a
    /// part of the caller. All calls of a function below which everything happened are part of it.
    pub fn counts_calls_of(&self, caller: FunctionId, callee: FunctionId) -> bool {
        let is_of_part = || self.portion(caller) == Portion::Divided;
        self.counts_calls() && (self.portion(callee) == Portion::Chosen || !is_of_part())
    }

    /// The same of a call.
    pub fn is_counted(&self, call: Call) -> bool {
        self.counts_calls_of(self.fragment(call.site.fragment).function, call.callee)
    }

    /// Whether names of functions were rewritten when they were read.
    pub fn has_rewritten_names(&self) -> bool {
        self.has_rewritten_names
    }

    /// The profiled command, if a part of NEW has it.
    pub fn command(&self) -> Option<&[u8]> {
        let mut parts = self.parts().iter();
        parts.find_map(|part| part.command.as_deref())
    }

    /// The sides that have a place; both if there is no difference.
    #[inline]
    pub fn presence_of_place(&self, row: usize) -> Presence {
        self.presence(|side| side.costs.has(row))
    }

    /// The sides that have a call; both if there is no difference.
    #[inline]
    pub fn presence_of_call(&self, row: usize) -> Presence {
        self.presence(|side| side.calls.has(row))
    }

    #[inline]
    fn presence(&self, has: impl Fn(&Measured) -> bool) -> Presence {
        let new = has(&self.sides.new);
        let on = Presence::of(new, self.sides.base.as_ref().is_none_or(&has));
        let earlier = (BASE + 1..).zip(&self.sides.earlier).filter(|(_, side)| has(side));
        earlier.fold(on, |on, (side, _)| on.with(side))
    }

    /// All places with costs, then the site of each call, with the sides that have the costs or the
    /// call.
    pub fn places_and_sites(&self) -> impl Iterator<Item = (Place, Presence)> {
        let places = self
            .places
            .iter()
            .enumerate()
            .map(|(number, &place)| (place, self.presence_of_place(number)));
        let sites = self.calls.iter().enumerate();
        places.chain(sites.map(|(number, call)| (call.site, self.presence_of_call(number))))
    }

    pub fn costs_of<'p>(
        &'p self,
        side: &'p Measured,
    ) -> impl Iterator<Item = (Place, &'p [Count])> {
        let places =
            self.places.iter().copied().enumerate().filter(|&(row, _)| side.costs.has(row));
        places.map(|(row, place)| (place, side.costs.table.get(row)))
    }

    /// The calls of a side, with their number and inclusive cost.
    pub fn calls_of<'p>(
        &'p self,
        side: &'p Measured,
    ) -> impl Iterator<Item = (Call, i64, &'p [Count])> {
        let calls = self.calls.iter().copied().enumerate();
        let calls = calls.filter(|&(row, _)| side.calls.has(row));
        calls.map(|(row, call)| (call, side.call_counts[row], side.calls.table.get(row)))
    }

    pub fn object(&self, id: ObjectId) -> &[u8] {
        self.objects.name(id.0)
    }

    /// The name of an object; none if no line defined it, so that its name is its number.
    pub fn defined_object(&self, id: ObjectId) -> Option<&[u8]> {
        Some(self.object(id)).filter(|name| !is_undefined_id(name))
    }

    #[inline]
    pub fn file(&self, id: FileId) -> &[u8] {
        self.files.name(id.0)
    }

    #[inline]
    pub fn name(&self, id: NameId) -> &[u8] {
        self.names.name(id.0)
    }

    /// The name of a thread, part, process or command that fragments are divided by.
    pub fn division(&self, number: u32) -> &[u8] {
        self.divisions.name(number)
    }

    /// The same profile with a fragment for each source line.
    pub fn divided_by_line(self) -> Result<Profile, LimitExceeded> {
        self.divided(|position, _| Ok(Division::of_line(position.line)))
    }

    /// The same profile with a fragment for each instruction.
    pub fn divided_by_instruction(self) -> Result<Profile, LimitExceeded> {
        self.divided(|position, positions| {
            let at = Position { target: PositionId::UNKNOWN, ..position };
            Ok(Division::of_position(positions.add(at)?))
        })
    }

    /// The same profile with a fragment for each division of a function's code in a file.
    fn divided(
        mut self,
        division_of: impl Fn(Position, &mut Positions) -> Result<Division, LimitExceeded>,
    ) -> Result<Profile, LimitExceeded> {
        let (functions, positions) = (&mut self.functions, &mut self.positions);
        let mut divide = |place: &mut Place| {
            let Fragment { function, file, .. } = functions.fragments[place.fragment.index()];
            let division = division_of(positions.get(place.position), positions)?;
            place.fragment = functions.fragment(function, file, division)?;
            Ok(())
        };
        self.fragment_costs.take();
        self.places.iter_mut().try_for_each(&mut divide)?;
        let mut sites = self.calls.iter_mut().map(|call| &mut call.site);
        sites.try_for_each(&mut divide)?;
        Ok(self)
    }

    pub fn names(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.names.iter()
    }

    /// The id of the file called `name`, if either side has it.
    pub fn find_file(&self, name: &[u8]) -> Option<FileId> {
        let file = self.files.find(name)?;
        Some(FileId(self.other_files.new_of(file)))
    }

    /// The same difference with NEW's ids for BASE's files and objects. Functions that become equal
    /// are not merged.
    pub fn with_partners(mut self, files: &[u32], objects: &[u32]) -> Profile {
        self.other_files = Partners::new(files);
        self.other_objects = Partners::new(objects);
        let (files, objects) = (&self.other_files, &self.other_objects);
        self.functions.rename(
            |file| FileId(files.new_of(file.0)),
            |object| ObjectId(objects.new_of(object.0)),
        );
        self
    }

    /// BASE's name of a file, if it differs from NEW's.
    pub fn base_file(&self, file: FileId) -> Option<FileId> {
        self.other_files.base_of(file.0).map(FileId)
    }

    /// BASE's name of an object, if it differs from NEW's.
    pub fn base_object(&self, object: ObjectId) -> Option<ObjectId> {
        self.other_objects.base_of(object.0).map(ObjectId)
    }

    /// A name without the suffixes that callgrind appends to symbols.
    pub fn own_name(&self, id: NameId) -> &[u8] {
        let own_lens = self
            .own_lens
            .get_or_init(|| self.names().map(|name| without_suffixes(name).len() as u32).collect());
        &self.name(id)[..own_lens[id.index()] as usize]
    }

    /// A name without the callers of its context.
    pub fn without_callers(&self, id: NameId) -> Cow<'_, [u8]> {
        SuffixFold::CALLERS.apply_after(self.own_name(id).len(), self.name(id)).name
    }

    /// Whether some name is that of a context.
    pub fn has_contexts(&self) -> bool {
        let mut names = (0..self.names.len() as u32).map(NameId);
        names.any(|id| *self.without_callers(id) != *self.name(id))
    }

    /// What all contexts and levels of recursion of a function have in common: its object, its file
    /// and its own name.
    pub fn without_context(&self, id: FunctionId) -> (ObjectId, FileId, &[u8]) {
        let function = self.function(id);
        let name = match self.name_kind() {
            NameKind::Symbol => self.own_name(function.name),
            NameKind::Other => self.name(function.name),
        };
        (function.object, function.file, name)
    }

    pub fn find_name(&self, name: &[u8]) -> Option<NameId> {
        self.names.find(name).map(NameId)
    }

    pub fn files(&self) -> impl Iterator<Item = &[u8]> {
        self.files.iter()
    }

    /// The number of objects; their ids are smaller.
    pub fn object_count(&self) -> usize {
        self.objects.len()
    }

    /// The number of files; their ids are smaller.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    #[inline]
    pub fn function(&self, id: FunctionId) -> &Function {
        self.functions.get(id)
    }

    /// The rank of a function in the order of last naming, from 1; those that only BASE names are
    /// before NEW's.
    pub fn last_named(&self, function: &Function) -> u32 {
        self.functions.last_named(function)
    }

    #[inline]
    pub fn has_inlined(&self) -> bool {
        !self.functions.inlined.is_empty()
    }

    /// Whether a function is an inlined copy, whose calls were not counted.
    #[inline]
    pub fn is_inlined(&self, function: FunctionId) -> bool {
        self.inlined_into(function).is_some()
    }

    /// Whether a function is an instance of a generic function whose instances have the same name,
    /// or such a function.
    pub fn is_instance(&self, function: FunctionId) -> bool {
        self.functions.instances.contains(&function)
    }

    /// The function or inlined copy that an inlined copy is in.
    #[inline]
    pub fn inlined_into(&self, function: FunctionId) -> Option<FunctionId> {
        self.functions.inlined_into(function)
    }

    /// The function that an inlined copy is in, through all copies between; any other function
    /// itself.
    #[inline]
    pub fn host(&self, function: FunctionId) -> FunctionId {
        if self.has_inlined() { self.functions.host(function) } else { function }
    }

    /// The number of functions; their ids are smaller.
    pub fn function_count(&self) -> usize {
        self.functions.list.len()
    }

    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, &Function)> + Clone {
        (0..).map(FunctionId).zip(&self.functions.list)
    }

    #[inline]
    pub fn fragment(&self, id: FragmentId) -> Fragment {
        self.functions.fragments[id.index()]
    }

    pub fn fragments(&self) -> &[Fragment] {
        &self.functions.fragments
    }

    pub fn fragments_with_ids(&self) -> impl Iterator<Item = (FragmentId, Fragment)> + Clone {
        let fragments = self.fragments().iter().enumerate();
        fragments.map(|(id, &fragment)| (FragmentId(id as u32), fragment))
    }

    /// The fragment of a function in its own file.
    #[inline]
    pub fn home(&self, function: FunctionId) -> FragmentId {
        self.functions.homes[function.index()]
    }
}

/// Whether a name is a number in parentheses, which the reader uses for a missing name.
fn is_undefined_id(name: &[u8]) -> bool {
    let number = name.strip_prefix(b"(").and_then(|rest| rest.strip_suffix(b")"));
    number.is_some_and(|digits| digits.iter().all(u8::is_ascii_digit))
}
