//! What is known by address: costs, calls and jumps of instructions. They are kept beside those of places, and only if
//! a report needs them: with contexts there are millions.

use super::{AddError, Count, Division, FileId, FunctionId, Overflow, add_cost};

/// Where an instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodePlace {
    /// The function that executed it.
    pub function: FunctionId,
    /// The address, as in the headers of its object; 0 if only the line is known.
    pub address: u64,
    /// The source file of the line.
    pub file: FileId,
    /// The source line, 0 if unknown.
    pub line: u32,
    /// The function that it was inlined from, if that is kept.
    pub division: Division,
}

/// An instruction and what it calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeCall {
    /// The instruction.
    pub site: CodePlace,
    /// The function that is called.
    pub callee: FunctionId,
    /// The address that is called.
    pub address: u64,
    /// The line of that address.
    pub line: u32,
}

/// An instruction and where it jumps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeJump {
    /// The instruction.
    pub site: CodePlace,
    /// Where it jumps to, in which function.
    pub target: CodePlace,
    /// Whether it may also not jump.
    pub is_conditional: bool,
}

/// Costs that are added up by key. New ones are appended; when there are twice as many as different ones before, they
/// are sorted and added up.
#[derive(Debug)]
pub struct Sums<K> {
    keys: Vec<K>,
    counts: Vec<Count>,
    width: usize,
    /// Above how many rows they are added up.
    limit: usize,
}

/// How many rows are added up at least.
const MIN_ROWS: usize = 1 << 16;

impl<K: Copy + Ord> Sums<K> {
    fn new(width: usize) -> Sums<K> {
        Sums {
            keys: Vec::new(),
            counts: Vec::new(),
            width,
            limit: MIN_ROWS,
        }
    }

    fn add(&mut self, key: K, cost: &[Count]) -> Result<(), Overflow> {
        if self.keys.last() == Some(&key) {
            let last = self.counts.len() - self.width;
            return add_cost(&mut self.counts[last..], cost);
        }
        if self.keys.len() >= self.limit {
            self.add_up()?;
            self.limit = MIN_ROWS.max(self.keys.len() * 2);
        }
        self.keys.push(key);
        self.counts.extend_from_slice(cost);
        self.counts
            .resize(self.keys.len() * self.width, Count::UNDEFINED);
        Ok(())
    }

    /// Gives each row another key.
    pub(super) fn map_keys(
        &mut self,
        mut map: impl FnMut(K) -> Result<K, AddError>,
    ) -> Result<(), AddError> {
        for key in &mut self.keys {
            *key = map(*key)?;
        }
        Ok(self.add_up()?)
    }

    /// Sorts the rows by key and makes one of those that have the same.
    fn add_up(&mut self) -> Result<(), Overflow> {
        if self.keys.is_sorted_by(|a, b| a < b) {
            return Ok(());
        }
        let mut order: Vec<u32> = (0..self.keys.len() as u32).collect();
        order.sort_by_key(|&row| self.keys[row as usize]);
        let mut sums = Sums::new(self.width);
        for row in order {
            let (key, cost) = self.row(row as usize);
            if sums.keys.last() == Some(&key) {
                let last = sums.counts.len() - sums.width;
                add_cost(&mut sums.counts[last..], cost)?;
            } else {
                sums.keys.push(key);
                sums.counts.extend_from_slice(cost);
            }
        }
        sums.limit = self.limit;
        *self = sums;
        Ok(())
    }

    fn widen(&mut self, width: usize) {
        let mut counts = Vec::with_capacity(self.keys.len() * width);
        for row in 0..self.keys.len() {
            counts.extend_from_slice(self.row(row).1);
            counts.resize((row + 1) * width, Count::UNDEFINED);
        }
        (self.counts, self.width) = (counts, width);
    }

    fn row(&self, row: usize) -> (K, &[Count]) {
        let start = row * self.width;
        (self.keys[row], &self.counts[start..start + self.width])
    }

    /// All rows, in order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (K, &[Count])> {
        (0..self.keys.len()).map(|row| self.row(row))
    }

    /// The rows with keys in a range: those that are not before it, up to the first that is after it.
    pub fn range(
        &self,
        is_before: impl Fn(&K) -> bool,
        is_within: impl Fn(&K) -> bool,
    ) -> impl Iterator<Item = (K, &[Count])> {
        let start = self.keys.partition_point(is_before);
        let end = start + self.keys[start..].partition_point(is_within);
        (start..end).map(|row| self.row(row))
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

/// Everything that is known by address, or of jumps.
#[derive(Debug)]
pub struct Code {
    /// The costs of instructions, in the profile's columns.
    pub costs: Sums<CodePlace>,
    /// What of these was spent in skipped code: in functions that were not to be profiled, such as stubs of libraries.
    pub skipped: Sums<CodePlace>,
    /// Calls: how often, then their inclusive cost.
    pub calls: Sums<CodeCall>,
    /// Jumps: how often taken, and how often executed.
    pub jumps: Sums<CodeJump>,
    /// Whether any costs have addresses.
    pub has_addresses: bool,
    /// Whether any costs have lines.
    pub has_lines: bool,
    /// Whether some parts have no addresses; their costs are not among these until they are added at address 0.
    pub lacks_addresses: bool,
}

impl Code {
    /// Nothing yet, with this number of events.
    pub fn new(events: usize) -> Code {
        Code {
            costs: Sums::new(events),
            skipped: Sums::new(events),
            calls: Sums::new(events + 1),
            jumps: Sums::new(2),
            has_addresses: false,
            has_lines: false,
            lacks_addresses: false,
        }
    }

    /// Makes room for more events.
    pub fn widen(&mut self, events: usize) {
        self.costs.widen(events);
        self.skipped.widen(events);
        self.calls.widen(events + 1);
    }

    /// Adds a self cost.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit; so with the other methods.
    pub fn add_cost(&mut self, at: CodePlace, cost: &[Count]) -> Result<(), Overflow> {
        self.costs.add(at, cost)
    }

    /// Adds a cost of skipped code, which was added as a self cost too.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn add_skipped(&mut self, at: CodePlace, cost: &[Count]) -> Result<(), Overflow> {
        self.skipped.add(at, cost)
    }

    /// Adds calls and their inclusive cost.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn add_call(&mut self, call: CodeCall, count: i64, cost: &[Count]) -> Result<(), Overflow> {
        let mut row = Vec::with_capacity(cost.len() + 1);
        row.push(Count::new(count)?);
        row.extend_from_slice(cost);
        self.calls.add(call, &row)
    }

    /// Adds jumps.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn add_jump(&mut self, jump: CodeJump, taken: i64, executed: i64) -> Result<(), Overflow> {
        self.jumps
            .add(jump, &[Count::new(taken)?, Count::new(executed)?])
    }

    /// Adds up what was read.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn finish(&mut self) -> Result<(), Overflow> {
        self.costs.add_up()?;
        self.skipped.add_up()?;
        self.calls.add_up()?;
        self.jumps.add_up()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: u64) -> CodePlace {
        CodePlace {
            function: FunctionId(0),
            address,
            file: FileId(0),
            line: 1,
            division: Division::NONE,
        }
    }

    #[test]
    fn costs_are_added_up_by_address() {
        let mut code = Code::new(1);
        let count = |number| [Count::new(number).unwrap()];
        for round in 0..3u64 {
            for address in (0..100_000).rev() {
                code.add_cost(at(address), &count((address * round) as i64))
                    .unwrap();
            }
        }
        code.widen(2);
        code.finish().unwrap();
        assert_eq!(code.costs.iter().count(), 100_000);
        for (address, (key, cost)) in (0..).zip(code.costs.iter()) {
            assert_eq!(
                (key, cost[0].value()),
                (at(address), Some(address as i64 * 3))
            );
            assert_eq!(cost[1], Count::UNDEFINED);
        }
        let some = code.costs.range(|at| at.address < 5, |at| at.address < 8);
        assert_eq!(
            some.map(|(at, _)| at.address).collect::<Vec<_>>(),
            [5, 6, 7]
        );
    }

    #[test]
    fn a_sum_that_does_not_fit() {
        let mut code = Code::new(1);
        let largest = [Count::new(i64::MAX).unwrap()];
        code.add_cost(at(1), &largest).unwrap();
        code.add_cost(at(2), &largest).unwrap();
        code.add_cost(at(1), &largest).unwrap();
        assert!(code.finish().is_err());
    }
}
