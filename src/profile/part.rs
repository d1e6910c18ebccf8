//! What the header of one part of a profile says, and the totals of that part.

use super::count::{Count, Overflow, add_cost};

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
    /// The event of which it has a share apart, and that share, by their numbers in the profile's list.
    pub share: Option<(usize, usize)>,
    /// `summary:` in the part's columns, if it was usable.
    pub summary: Option<Vec<Count>>,
    /// `totals:` in the part's columns, if it was usable.
    pub totals: Option<Vec<Count>>,
    /// The sum of the part's self costs in the part's columns.
    pub self_cost: Vec<Count>,
}

impl Part {
    /// The part's total in its own columns: `summary:`, else `totals:`, else the sum of its self costs.
    pub fn total(&self) -> &[Count] {
        self.summary
            .as_deref()
            .or(self.totals.as_deref())
            .unwrap_or(&self.self_cost)
    }

    /// What a `desc:` line says under this name, such as the time range or the trigger.
    pub fn description(&self, name: &[u8]) -> Option<&[u8]> {
        self.descriptions
            .iter()
            .find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(b":")?.trim_ascii()))
    }

    /// Whether the total is the sum of the self costs, for want of a stated one.
    pub fn is_calculated(&self) -> bool {
        self.summary.is_none() && self.totals.is_none()
    }

    /// Whether there is any self cost.
    pub fn has_cost(&self) -> bool {
        self.self_cost
            .iter()
            .any(|&count| count != Count::UNDEFINED)
    }

    /// By how much the self costs of a column differ from `totals:`, or, if there is no such line, exceed
    /// `summary:`. That one may be larger: it counts what no function was charged for.
    pub fn mismatch(&self, column: usize) -> Option<i128> {
        let number = |cost: &[Count]| Some(i128::from(cost.get(column)?.value()?));
        let counted = self
            .self_cost
            .get(column)
            .map_or(0, |count| i128::from(count.or_zero()));
        match (
            self.totals.as_deref().and_then(number),
            self.summary.as_deref().and_then(number),
        ) {
            (Some(totals), _) => Some(counted - totals).filter(|&off| off != 0),
            (None, Some(summary)) => Some(counted - summary).filter(|&off| off > 0 && summary > 0),
            (None, None) => None,
        }
    }

    /// Adds the total to `sum`, which has the profile's columns.
    pub(super) fn add_total(&self, sum: &mut [Count]) -> Result<(), Overflow> {
        for (&event, &count) in self.columns.iter().zip(self.total()) {
            let share = self.share.filter(|(of, _)| *of == event);
            for event in [event].into_iter().chain(share.map(|(_, share)| share)) {
                if let Some(sum) = sum.get_mut(event) {
                    sum.add(count)?;
                }
            }
        }
        Ok(())
    }

    /// Adds a self cost, in the part's columns.
    ///
    /// # Errors
    /// [`Overflow`] when the sum does not fit.
    #[inline]
    pub fn add_self_cost(&mut self, cost: &[Count]) -> Result<(), Overflow> {
        add_cost(&mut self.self_cost, cost)
    }
}
