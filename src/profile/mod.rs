//! What was measured: all that the profiles said, added up by place. This page explains the model.
//!
//! A profile counts **events** (instructions, cache misses, bytes, nanoseconds). A **cost** is one
//! [`Count`] for each event, in the order of [`Profile::events`]; a count that no line gave is
//! undefined, which is not 0.
//!
//! A **function** is an object, a file and a name. Its costs are counted at **places**: a function,
//! a source file and a line. The file of a place is not always the function's own, since code from
//! other files is inlined. So [`Place`] is the finest key of both programs that have to be agreed
//! with: KCachegrind adds places up by function, callgrind_annotate by (file of the place, name of the
//! function), which it calls `file:function`.
//!
//! A **call** is a place, the function called from it, how often, and the *inclusive* cost: what the
//! callee spent there together with all that it called.
//!
//! A **part** is a header and what follows it. A file has one or more; their costs are added up.
//!
//! Names are kept once and spoken of by ids. Rows keep the order of their first appearance. Nothing that
//! can be derived is stored: no percentages, no inclusive sums, no order by cost. That is for the views.

mod code;
mod contexts;
mod count;
mod diff;
mod events;
mod functions;
mod ids;
mod names;
mod part;
mod samples;
mod table;

use std::error::Error;
use std::fmt;

pub use code::{Code, CodeCall, CodeJump, CodePlace, Sums};
pub use contexts::Fold;
use count::derive;
pub use count::{Count, Overflow, add_cost, spread};
pub use diff::{Base, Side, Sides};
pub use events::{Events, Formula, MOST_EVENTS};
pub use functions::Function;
use functions::Functions;
pub use ids::{FileId, FunctionId, NameId, ObjectId};
pub use names::{NameHash, NameHasher, Names};
pub use part::Part;
pub use samples::{Block, Histogram, Mismatch, RawCall, RecordCounts, Samples, Unit};
pub use table::{Call, Key, Place, Table};

/// More different things than the ids can tell apart, or than a profile may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

impl fmt::Display for TooMany {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("too many different names")
    }
}

impl Error for TooMany {}

/// All that was read, added up by place.
pub struct Profile {
    /// What was counted.
    pub events: Events,
    /// The parts in the order of reading.
    pub parts: Vec<Part>,
    objects: Names,
    files: Names,
    names: Names,
    hasher: NameHasher,
    functions: Functions,
    /// Self costs by place.
    pub costs: Table<Place>,
    /// Inclusive costs of calls by calling place and callee.
    pub calls: Table<Call>,
    call_counts: Vec<i64>,
    /// What was subtracted, if this is a difference.
    pub base: Option<Base>,
    /// What is known by address; none if it is not kept.
    pub code: Option<Code>,
    /// Events that follow from others, with what they are the sums of.
    derived: Vec<(usize, Vec<(i64, usize)>)>,
}

impl Default for Profile {
    fn default() -> Profile {
        Profile {
            events: Events::default(),
            parts: Vec::new(),
            objects: Names::default(),
            files: Names::default(),
            names: Names::default(),
            hasher: NameHasher::default(),
            functions: Functions::default(),
            costs: Table::new(0),
            calls: Table::new(0),
            call_counts: Vec::new(),
            base: None,
            code: None,
            derived: Vec::new(),
        }
    }
}

impl Profile {
    /// The id of an object's name.
    ///
    /// # Errors
    /// [`TooMany`] above 2^32 - 1 names; so with the other `add_` methods.
    pub fn add_object(&mut self, name: &[u8]) -> Result<ObjectId, TooMany> {
        self.objects
            .intern(name, self.hasher.hash(name))
            .map(ObjectId)
    }

    /// The id of a file's name.
    ///
    /// # Errors
    /// [`TooMany`].
    pub fn add_file(&mut self, name: &[u8]) -> Result<FileId, TooMany> {
        self.files.intern(name, self.hasher.hash(name)).map(FileId)
    }

    /// The id of a function's name.
    ///
    /// # Errors
    /// [`TooMany`].
    pub fn add_name(&mut self, name: &[u8]) -> Result<NameId, TooMany> {
        self.names.intern(name, self.hasher.hash(name)).map(NameId)
    }

    /// Takes the names of functions out, so that others may add to them before they are [put
    /// back](Profile::put_names).
    pub fn take_names(&mut self) -> Names {
        std::mem::take(&mut self.names)
    }

    /// Puts the names back that were taken out; others may have joined them.
    pub fn put_names(&mut self, names: Names) {
        self.names = names;
    }

    /// What hashes the names. One that hashes otherwise would have the same name twice.
    pub fn name_hasher(&self) -> NameHasher {
        self.hasher.clone()
    }

    /// The id of a function.
    ///
    /// # Errors
    /// [`TooMany`].
    pub fn add_function(
        &mut self,
        object: ObjectId,
        file: FileId,
        name: NameId,
    ) -> Result<FunctionId, TooMany> {
        self.functions.add(object, file, name)
    }

    /// Notes that an `fn=` line names this function now.
    pub fn see_function(&mut self, function: FunctionId) {
        self.functions.see(function);
    }

    /// Adds the event called `name`; all rows get a count for it, undefined so far.
    ///
    /// # Errors
    /// [`TooMany`] above [`MOST_EVENTS`].
    pub fn add_event(&mut self, name: &[u8]) -> Result<usize, TooMany> {
        let known = self.events.len();
        let event = self.events.intern(name)?;
        if self.events.len() > known {
            self.costs.widen(self.events.len());
            self.calls.widen(self.events.len());
            if let Some(code) = &mut self.code {
                code.widen(self.events.len());
            }
        }
        Ok(event)
    }

    /// Makes the event called `name` one of the profile's, if it is not and follows from others: by a formula of
    /// [`Events::define`], or as KCachegrind derives it. Nothing may be added to the profile afterwards.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit; with it too many events.
    pub fn derive_event(&mut self, name: &[u8]) -> Result<(), AddError> {
        if self.events.find(name).is_some() {
            return Ok(());
        }
        if let Some(terms) = self.events.terms(name) {
            let event = self.add_event(name)?;
            self.events.note_derived();
            self.costs.derive(event, &terms)?;
            self.calls.derive(event, &terms)?;
            if let Some(base) = &mut self.base {
                base.total.resize(event + 1, Count::UNDEFINED);
                derive(&mut base.total, event, &terms)?;
            }
            self.derived.push((event, terms));
        }
        Ok(())
    }

    /// Adds a self cost, which is in the profile's columns.
    ///
    /// # Errors
    /// When a sum does not fit, or there are too many rows.
    #[inline]
    pub fn add_cost(&mut self, place: Place, cost: &[Count]) -> Result<(), AddError> {
        let row = self.costs.row(place)?;
        Ok(self.costs.add(row, cost)?)
    }

    /// Makes a row for a place, if there is none.
    ///
    /// # Errors
    /// [`TooMany`].
    pub fn see_place(&mut self, place: Place) -> Result<(), TooMany> {
        self.costs.row(place).map(drop)
    }

    /// Adds `count` calls and their inclusive cost, which is in the profile's columns.
    ///
    /// # Errors
    /// When a sum does not fit, or there are too many rows.
    #[inline]
    pub fn add_call(&mut self, call: Call, count: i64, cost: &[Count]) -> Result<(), AddError> {
        let row = self.calls.row(call)?;
        if row == self.call_counts.len() {
            self.call_counts.push(0);
        }
        self.call_counts[row] = self.call_counts[row].checked_add(count).ok_or(Overflow)?;
        Ok(self.calls.add(row, cost)?)
    }

    /// What is known by address, to add to it.
    pub fn code(&mut self) -> &mut Code {
        let events = self.events.len();
        self.code.get_or_insert_with(|| Code::new(events))
    }

    /// The name of an object.
    pub fn object(&self, id: ObjectId) -> &[u8] {
        self.objects.name(id.0)
    }

    /// The name of an object, if a line defined it: a number stands for the name of one that none did.
    pub fn known_object(&self, id: ObjectId) -> Option<&[u8]> {
        Some(self.object(id)).filter(|name| !is_bare_id(name))
    }

    /// The name of a file.
    pub fn file(&self, id: FileId) -> &[u8] {
        self.files.name(id.0)
    }

    /// The name of a function.
    pub fn name(&self, id: NameId) -> &[u8] {
        self.names.name(id.0)
    }

    /// The names of all functions.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.names.len() as u32).map(|id| self.names.name(id))
    }

    /// The id of the file called `name`, if the profile has it.
    pub fn find_file(&self, name: &[u8]) -> Option<FileId> {
        self.files.find(name, self.hasher.hash(name)).map(FileId)
    }

    /// The names of all files.
    pub fn files(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.files.len() as u32).map(|id| self.files.name(id))
    }

    /// How many files there are; their ids are the numbers below.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// A function.
    #[inline]
    pub fn function(&self, id: FunctionId) -> &Function {
        self.functions.of(id)
    }

    /// How many functions there are; their ids are the numbers below.
    pub fn function_count(&self) -> usize {
        self.functions.len()
    }

    /// All functions; a function's id is its position.
    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        self.functions.iter()
    }

    /// A call by its number in the table: the site and callee, how often, and the inclusive cost.
    pub fn call(&self, row: usize) -> (Call, i64, &[Count]) {
        (
            self.calls.key(row),
            self.call_counts[row],
            self.calls.cost(row),
        )
    }

    /// Where a call was, by its number in the table; nowhere if this is no difference.
    pub fn sides_of_call(&self, row: usize) -> Sides {
        self.base
            .as_ref()
            .map_or(Sides::default(), |base| base.sides_of_call(row))
    }

    /// Where a self cost was, likewise.
    pub fn sides_of_cost(&self, row: usize) -> Sides {
        self.base
            .as_ref()
            .map_or(Sides::default(), |base| base.sides_of_cost(row))
    }

    /// All calls: the site and callee, how often, and the inclusive cost.
    pub fn calls(&self) -> impl Iterator<Item = (Call, i64, &[Count])> {
        self.calls
            .iter()
            .zip(&self.call_counts)
            .map(|((call, cost), &count)| (call, count, cost))
    }

    /// The total of all parts, less that of what was subtracted, and whether a part's had to be calculated from its self costs.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit.
    pub fn total(&self) -> Result<(Vec<Count>, bool), Overflow> {
        let mut total = vec![Count::UNDEFINED; self.events.len()];
        self.parts
            .iter()
            .try_for_each(|part| part.add_total(&mut total))?;
        self.derived
            .iter()
            .try_for_each(|(event, terms)| derive(&mut total, *event, terms))?;
        if let Some(base) = &self.base {
            for (count, base) in total.iter_mut().zip(&base.total) {
                if let Some(value) = base.value() {
                    count.add(Count::new(value.checked_neg().ok_or(Overflow)?)?)?;
                }
            }
        }
        // In an empty part there is nothing to calculate, unless there is no other.
        let calculated = |part: &Part| part.is_calculated() && part.has_cost();
        let is_calculated =
            self.parts.iter().any(calculated) || self.parts.iter().all(Part::is_calculated);
        Ok((total, is_calculated && !self.parts.is_empty()))
    }
}

/// Whether a name is a number in parentheses, as the reader calls what it has no name for.
fn is_bare_id(name: &[u8]) -> bool {
    let number = name
        .strip_prefix(b"(")
        .and_then(|rest| rest.strip_suffix(b")"));
    number.is_some_and(|digits| digits.iter().all(u8::is_ascii_digit))
}

/// Why a cost could not be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddError {
    /// A sum does not fit into 64 bits.
    Overflow,
    /// There are more rows than ids.
    TooMany,
}

impl From<Overflow> for AddError {
    fn from(_: Overflow) -> AddError {
        AddError::Overflow
    }
}

impl From<TooMany> for AddError {
    fn from(_: TooMany) -> AddError {
        AddError::TooMany
    }
}
