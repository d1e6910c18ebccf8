//! Callers and callees: the addresses of recorded calls, mapped to places.

use hashbrown::HashMap;

use super::Places;
use crate::profile::{Overflow, RawCall};

/// The calls of one place by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceCalls {
    /// The number of the caller.
    pub caller: u32,
    /// The number of the callee.
    pub callee: u32,
    /// How many.
    pub count: u64,
}

impl PlaceCalls {
    /// The caller, in the order of functions and lines.
    pub fn caller_order(&self, places: &Places) -> (Option<u32>, u32) {
        (places.list()[self.caller as usize].symbol, self.caller)
    }
}

/// All calls, in the order in which callers and callees were first seen together.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    list: Vec<PlaceCalls>,
    index: HashMap<(u32, u32), u32>,
    /// By place the function that a call to an address of it leads to; its own number if none.
    function_of: Vec<u32>,
    /// How many calls have a caller or callee outside of all places.
    pub lost: u64,
    /// How many records were read.
    pub records: u64,
}

impl Calls {
    /// No calls between these places.
    pub fn new(places: &Places) -> Calls {
        let mut function = u32::MAX;
        let function_of = (0..).zip(places.list()).map(|(number, place)| {
            if place.is_function {
                function = number;
            }
            function
        });
        Calls {
            function_of: function_of.collect(),
            ..Calls::default()
        }
    }

    /// Adds recorded calls.
    pub fn add(&mut self, call: RawCall, places: &Places) -> Result<(), Overflow> {
        self.records += 1;
        let callee = places.find(call.to).map(|callee| self.function_of[callee]);
        let ends = places
            .find(call.from)
            .zip(callee.filter(|&c| c != u32::MAX));
        let Some((caller, callee)) = ends else {
            self.lost = self.lost.checked_add(call.count).ok_or(Overflow)?;
            return Ok(());
        };
        match self.add_between(caller as u32, callee, call.count) {
            true => Ok(()),
            false => Err(Overflow),
        }
    }

    /// Adds calls between places; false if their sum does not fit.
    pub fn add_between(&mut self, caller: u32, callee: u32, more: u64) -> bool {
        let number = *self.index.entry((caller, callee)).or_insert_with(|| {
            self.list.push(PlaceCalls {
                caller,
                callee,
                count: 0,
            });
            self.list.len() as u32 - 1
        });
        let count = &mut self.list[number as usize].count;
        // Counts are printed, and added up, as signed numbers.
        let sum = count.checked_add(more);
        let sum = sum.filter(|&sum| i64::try_from(sum).is_ok());
        *count = sum.unwrap_or(*count);
        sum.is_some()
    }

    /// The number of the calls between two places.
    pub fn find(&self, caller: u32, callee: u32) -> Option<u32> {
        self.index.get(&(caller, callee)).copied()
    }

    /// All calls.
    pub fn list(&self) -> &[PlaceCalls] {
        &self.list
    }

    /// Leaves out the calls that `keeps` does not take.
    pub fn retain(&mut self, keeps: impl FnMut(&PlaceCalls) -> bool) {
        self.list.retain(keeps);
        self.index.clear();
    }
}
