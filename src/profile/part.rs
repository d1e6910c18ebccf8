//! What the header of one part of a profile says, and the totals of that part.

use super::count::{Count, add_cost};

/// One part: a header with its body. Callgrind writes a part at each dump; most files have one.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// The file that it was read from.
    pub file: Vec<u8>,
    /// `creator:`, the program that wrote the file.
    pub creator: Option<Vec<u8>>,
    /// `cmd:`, the command that was profiled.
    pub command: Option<Vec<u8>>,
    /// `pid:`.
    pub pid: Option<Vec<u8>>,
    /// `part:`, the number of the dump.
    pub part_number: Option<Vec<u8>>,
    /// `thread:`.
    pub thread: Option<Vec<u8>>,
    /// The `desc:` lines in order, such as the sizes of simulated caches, the time range, the trigger.
    pub descriptions: Vec<Vec<u8>>,
    /// The numbers of this part's events in the profile's list, in the order of the part's columns.
    pub columns: Vec<usize>,
    /// The sum of the part's self costs in the part's columns.
    pub self_cost: Vec<Count>,
    /// The part's total in its own columns: event by event the larger in size of what the file says and of the sum of the
    /// self costs, so that no row exceeds it. Callgrind itself writes totals that lack the costs of signal handlers.
    pub total: Vec<Count>,
    /// Whether the total is the sum of the self costs, as the file says none.
    pub is_calculated: bool,
    /// How many parts are added up in this one, whose headers are not kept, if it is several.
    pub added_up: Option<u64>,
}

impl Part {
    /// What a `desc:` line says under this name, such as the time range or the trigger.
    pub fn description(&self, name: &[u8]) -> Option<&[u8]> {
        self.descriptions
            .iter()
            .find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(b":")?.trim_ascii()))
    }

    /// Whether there is any self cost.
    pub fn has_cost(&self) -> bool {
        self.self_cost
            .iter()
            .any(|&count| count != Count::UNDEFINED)
    }

    /// Adds the total to `sum`, which has the profile's columns.
    pub(super) fn add_total(&self, sum: &mut [Count]) {
        for (&event, &count) in self.columns.iter().zip(&self.total) {
            if let Some(sum) = sum.get_mut(event) {
                sum.add(count);
            }
        }
    }

    /// Adds up a part in the last ones, of which only the costs are kept; false if it is the first of its kind.
    pub(super) fn add_up_in(self, parts: &mut Vec<Part>) -> bool {
        let several = parts.iter_mut().rev();
        let several = several.take_while(|part| part.added_up.is_some());
        for part in several {
            if part.add_up(&self) {
                return true;
            }
        }
        parts.push(Part {
            part_number: None,
            thread: None,
            descriptions: Vec::new(),
            added_up: Some(1),
            ..self
        });
        false
    }

    /// Adds up another part in this one; false if its costs are of other columns or another program.
    fn add_up(&mut self, other: &Part) -> bool {
        let is_same = self.file == other.file
            && self.columns == other.columns
            && (&self.creator, &self.command, &self.pid)
                == (&other.creator, &other.command, &other.pid);
        if is_same {
            self.added_up = self.added_up.map(|parts| parts + 1);
            self.is_calculated &= other.is_calculated;
            add_cost(&mut self.self_cost, &other.self_cost);
            add_cost(&mut self.total, &other.total);
        }
        is_same
    }

    /// Adds a self cost, in the part's columns.
    #[inline]
    pub fn add_self_cost(&mut self, cost: &[Count]) {
        add_cost(&mut self.self_cost, cost)
    }
}
