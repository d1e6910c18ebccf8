//! Callers and callees: the addresses of recorded calls, mapped to places.

use hashbrown::HashMap;

use super::Places;
use crate::profile::{Overflow, RawCall};
use crate::view::gprof::graph::Calls;

/// All calls, in the order in which callers and callees were first seen together.
#[derive(Clone, Debug, Default)]
pub struct SampledCalls {
    list: Vec<Calls>,
    index: HashMap<(u32, u32), u32>,
    /// By place the function that a call to an address of it leads to; its own number if none.
    function_of: Vec<u32>,
    /// How many calls have a caller or callee outside of all places.
    pub lost: u64,
    /// How many records were read.
    pub records: u64,
}

impl SampledCalls {
    /// No calls between these places.
    pub fn new(places: &Places) -> SampledCalls {
        let mut function = u32::MAX;
        let function_of = (0..).zip(places.list()).map(|(number, place)| {
            if place.is_function {
                function = number;
            }
            function
        });
        SampledCalls {
            function_of: function_of.collect(),
            ..SampledCalls::default()
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
            self.list.push(Calls {
                caller,
                callee,
                site: 0,
                count: 0,
                cost: 0,
            });
            self.list.len() as u32 - 1
        });
        let count = &mut self.list[number as usize].count;
        let more = i64::try_from(more).ok();
        let sum = more.and_then(|more| count.checked_add(more));
        *count = sum.unwrap_or(*count);
        sum.is_some()
    }

    /// The number of the calls between two places.
    pub fn find(&self, caller: u32, callee: u32) -> Option<u32> {
        self.index.get(&(caller, callee)).copied()
    }

    pub fn list(&self) -> &[Calls] {
        &self.list
    }

    /// Leaves out the calls that `keeps` does not take.
    pub fn retain(&mut self, keeps: impl FnMut(&Calls) -> bool) {
        self.list.retain(keeps);
        self.index.clear();
    }
}
