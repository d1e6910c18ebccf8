//! The counts of one side of a profile: its parts, and a cost for each place and call.

use std::sync::Arc;

use crate::profile::Ordered;
use crate::profile::bounds::Bounds;
use crate::profile::budget::{Budget, Overflow};
use crate::profile::cost_table::CostTable;
use crate::profile::count::{Count, add_cost};
use crate::profile::division::FunctionId;
use crate::profile::events::Events;
use crate::profile::records::Place;
use crate::profile::scale::Factor;

/// What is known of a side of which only a part of the costs was kept.
#[derive(Clone, Debug)]
pub struct KeptOf {
    /// The total, which is not that of the parts.
    pub total: Vec<Count>,
    /// Whether levels of recursion were recorded for members of cycles. Costs that were divided
    /// may contradict them.
    pub has_levels: bool,
}

/// What functions are known to cost with all that they call, before calls of others were changed.
#[derive(Clone, Default)]
pub struct KnownInclusive {
    /// By function.
    pub costs: CostTable,
    pub is_known: Vec<bool>,
    /// The bounds of costs that are estimates, by function.
    pub bounds: Vec<Bounds<FunctionId>>,
}

/// The costs and calls of one side; names, places and calls themselves are the profile's.
#[derive(Default)]
pub struct Measured {
    pub parts: Vec<Part>,
    /// Set if only a part of the costs was kept.
    pub kept: Option<KeptOf>,
    /// Set if code was charged to its callers.
    pub known: Option<KnownInclusive>,
    /// The self costs of places.
    pub costs: RecordedCosts,
    /// The inclusive costs of calls.
    pub calls: RecordedCosts,
    pub call_counts: Vec<i64>,
    /// The numbers of times that jumps were taken and executed.
    pub jumps: RecordedCosts,
    /// The self cost of places in skipped code: functions that were not to be profiled, such as
    /// stubs of libraries.
    skipped: Ordered<Place, ()>,
    skipped_costs: CostTable,
    /// Whether some of the kept instructions have addresses.
    pub has_addresses: bool,
    pub has_lines: bool,
    pub(super) budget: Budget,
    /// The budget of the parts' totals, which may exceed the costs.
    pub(super) totals: Budget,
}

/// The costs of places, calls or jumps on one side.
#[derive(Default)]
pub struct RecordedCosts {
    pub table: CostTable,
    /// By row, whether this side has it; none if it has all.
    is_present: Option<Vec<bool>>,
}

impl RecordedCosts {
    /// Adds to the cost of a row, which is appended if it is the next one.
    #[inline(always)]
    pub(super) fn add(&mut self, row: usize, cost: &[Count]) {
        if let Some(is_present) = &mut self.is_present {
            is_present.resize(is_present.len().max(row + 1), false);
            is_present[row] = true;
        }
        if row == self.table.len() {
            self.table.push(cost);
            return;
        }
        self.table.add(row, cost);
    }

    pub fn has(&self, row: usize) -> bool {
        let is_present = self.is_present.as_ref();
        is_present.is_none_or(|is_present| is_present[row])
    }
}

impl Measured {
    /// Whether the number of some calls is known.
    pub fn has_counted_calls(&self) -> bool {
        self.call_counts.iter().any(|&count| count != 0)
    }

    /// Whether calls of one function by another only cost what passed while there was one of them.
    pub fn counts_outermost_calls(&self) -> bool {
        !self.parts.is_empty() && self.parts.iter().all(|part| part.counts_outermost_calls)
    }

    /// An empty side after one with these numbers of rows.
    pub(super) fn of_next_side(width: usize, [places, calls, jumps]: [usize; 3]) -> Measured {
        let rows = |width, rows| RecordedCosts {
            table: CostTable::new(width, rows),
            is_present: Some(vec![false; rows]),
        };
        Measured {
            costs: rows(width, places),
            calls: rows(width, calls),
            jumps: rows(2, jumps),
            call_counts: vec![0; calls],
            skipped_costs: CostTable::new(width, 0),
            ..Measured::default()
        }
    }

    #[inline(always)]
    pub(super) fn add_call(&mut self, row: usize, count: i64, cost: &[Count]) {
        match self.call_counts.get_mut(row) {
            Some(sum) => *sum += count,
            None => self.call_counts.push(count),
        }
        self.calls.add(row, cost)
    }

    pub(super) fn widen(&mut self, width: usize) {
        self.costs.table.widen(width);
        self.calls.table.widen(width);
        self.jumps.table.widen(2);
        self.skipped_costs.widen(width);
        self.budget.widen(width);
        self.totals.widen(width);
    }

    /// Appends the rows that only other sides have.
    pub(super) fn resize(&mut self, [places, calls, jumps]: [usize; 3]) {
        let all = [(&mut self.costs, places), (&mut self.calls, calls), (&mut self.jumps, jumps)];
        for (rows, len) in all {
            if rows.table.len() < len {
                let known = rows.table.len();
                let is_present = rows.is_present.get_or_insert_with(|| vec![true; known]);
                is_present.resize(len, false);
                rows.table.resize(len);
            }
        }
        self.call_counts.resize(calls, 0);
    }

    /// Multiplies the counts of all places, calls and parts.
    pub(super) fn scale(&mut self, factor: Factor) -> Result<(), Overflow> {
        if factor == Factor::ONE {
            return Ok(());
        }
        // Each row is rounded.
        let rows = self.costs.table.len() + self.calls.table.len();
        self.budget.scale(rows, |number| factor.of(number))?;
        self.totals.scale(self.parts.len(), |number| factor.of(number))?;
        factor.apply(self.costs.table.rows_mut())?;
        factor.apply(self.calls.table.rows_mut())?;
        let mut sum = 0;
        for count in &mut self.call_counts {
            *count = factor.of_next(*count, &mut sum)?;
        }
        let parts = &mut self.parts;
        factor.apply(self.kept.iter_mut().map(|kept| &mut kept.total[..]))?;
        if let Some(known) = &mut self.known {
            factor.apply(known.costs.rows_mut())?;
            factor.apply(known.bounds.iter_mut().map(|of| &mut of.least[..]))?;
            factor.apply(known.bounds.iter_mut().map(|of| &mut of.most[..]))?;
        }
        factor.apply(parts.iter_mut().map(|part| &mut part.self_cost[..]))?;
        factor.apply(parts.iter_mut().map(|part| &mut part.total[..]))
    }

    pub(super) fn add_skipped(&mut self, place: Place, cost: &[Count]) {
        let (number, _) = self.skipped.insert_full(place, ());
        if number == self.skipped_costs.len() {
            self.skipped_costs.push(cost);
        } else {
            self.skipped_costs.add(number, cost);
        }
    }

    pub fn skipped(&self) -> impl Iterator<Item = (Place, &[Count])> {
        self.skipped.keys().copied().zip(self.skipped_costs.iter())
    }

    pub fn skipped_at(&self, place: Place) -> Option<&[Count]> {
        self.skipped.get_index_of(&place).map(|number| self.skipped_costs.get(number))
    }

    /// The total of all parts, and whether that of some part was calculated from its self costs.
    pub fn total(&self, events: &Events) -> (Vec<Count>, bool) {
        let mut total = vec![Count::UNDEFINED; events.len()];
        match &self.kept {
            Some(kept) => add_cost(&mut total, &kept.total),
            None => self.parts.iter().for_each(|part| part.add_total(&mut total)),
        }
        events.derive(&mut total);
        // Empty parts do not count as calculated, unless all are.
        let calculated = |part: &Part| part.is_calculated && part.has_cost();
        let is_calculated =
            self.parts.iter().any(calculated) || self.parts.iter().all(|part| part.is_calculated);
        (total, is_calculated)
    }
}

/// One part: a header with its body. Callgrind writes a part at each dump; most files have one.
#[derive(Clone, Debug, Default)]
pub struct Part {
    pub file: Arc<[u8]>,
    /// `creator:`, the program that wrote the file.
    pub creator: Option<Arc<[u8]>>,
    /// `cmd:`, the profiled command.
    pub command: Option<Arc<[u8]>>,
    pub pid: Option<Arc<[u8]>>,
    /// `part:`, the number of the dump.
    pub part_number: Option<Arc<[u8]>>,
    pub thread: Option<Arc<[u8]>>,
    /// The `desc:` lines in order, such as the sizes of simulated caches, the time range, the
    /// trigger.
    pub descriptions: Vec<Vec<u8>>,
    /// The numbers of this part's events in the profile's list, in the order of the part's columns.
    pub columns: Vec<usize>,
    /// The number of the line that names these events.
    pub events_line: u64,
    /// The sum of the part's self costs in the part's columns.
    pub self_cost: Vec<Count>,
    /// The part's total in its own columns: for each event the larger of the file's total and the
    /// sum of self costs, so that no row exceeds it. Callgrind itself writes totals that lack the
    /// costs of signal handlers.
    pub total: Vec<Count>,
    /// The events of which the file states a peak in place of a total, with it: the most memory
    /// that the program had at a time. The total is then the sum of the self costs.
    pub peaks: Vec<(usize, Count)>,
    /// Whether the total is the sum of the self costs, as the file has none.
    pub is_calculated: bool,
    /// Whether Cachegrind wrote the part: the same function may stand in several files.
    pub is_from_cachegrind: bool,
    /// Whether calls of one function by another cost what passed while there was one of them, as
    /// Python's cProfile counts it: those that begin within another one of them cost nothing.
    pub counts_outermost_calls: bool,
}

impl Part {
    /// Whether callgrind itself wrote the part: its `creator:` is `callgrind`, perhaps with a
    /// version behind a hyphen.
    pub fn is_from_callgrind(&self) -> bool {
        let creator = self.creator.as_ref().map(|creator| creator.trim_ascii());
        let rest = creator.and_then(|creator| creator.strip_prefix(b"callgrind"));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"-"))
    }

    /// The creator of the part's names, if that is callgrind: the version that wrote the part, or
    /// that wrote the profile of which cgannotate wrote the part.
    pub fn callgrind(&self) -> Option<&[u8]> {
        if self.is_from_callgrind() {
            return self.creator.as_deref();
        }
        let creator = self.creator.as_deref().filter(|of| of.starts_with(b"cgannotate-"))?;
        let start = memchr::memmem::find(creator, b" (callgrind")? + 2;
        creator[start..].strip_suffix(b")")
    }

    /// The text of the `desc:` line with this name, such as the time range or the trigger.
    pub fn description(&self, name: &[u8]) -> Option<&[u8]> {
        self.descriptions
            .iter()
            .find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(b":")?.trim_ascii()))
    }

    /// Why callgrind wrote the part: the name that a client request gave it, as of a benchmark, or
    /// what ended it, such as `Program termination`. None if the file does not say.
    pub fn name(&self) -> Option<&[u8]> {
        let trigger = self.description(b"Trigger")?;
        let name = trigger.strip_prefix(b"Client Request:").unwrap_or(trigger).trim_ascii();
        (!name.is_empty()).then_some(name)
    }

    pub fn has_cost(&self) -> bool {
        let mut counts = self.self_cost.iter();
        counts.any(|&count| count != Count::UNDEFINED)
    }

    /// Adds the total to `sum`, which has the profile's columns.
    pub(super) fn add_total(&self, sum: &mut [Count]) {
        for (&event, &count) in self.columns.iter().zip(&self.total) {
            if let Some(sum) = sum.get_mut(event) {
                sum.add(count);
            }
        }
    }
}
