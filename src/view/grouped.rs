//! Numbers in groups, such as the rows of a table by function.

/// The numbers from 0 on, by group; within a group they rise.
pub(super) struct Grouped {
    /// Those of group `g` are `numbers[starts[g]..starts[g + 1]]`.
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Grouped {
    /// Sorts numbers by the group of each, which is below `groups`. Those that have none are left out.
    pub(super) fn new(
        groups: usize,
        group_of: impl Iterator<Item = Option<usize>> + Clone,
    ) -> Grouped {
        let mut starts = vec![0u32; groups + 1];
        for group in group_of.clone().flatten() {
            starts[group + 1] += 1;
        }
        for group in 0..groups {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut numbers = vec![0; starts[groups] as usize];
        for (number, group) in (0..).zip(group_of) {
            if let Some(group) = group {
                let at = &mut next[group];
                numbers[*at as usize] = number;
                *at += 1;
            }
        }
        Grouped { starts, numbers }
    }

    /// The numbers of a group.
    pub(super) fn of(&self, group: usize) -> &[u32] {
        &self.numbers[self.starts[group] as usize..self.starts[group + 1] as usize]
    }

    /// All numbers that are in a group, group by group.
    pub(super) fn all(&self) -> &[u32] {
        &self.numbers
    }
}
