//! Numbers in groups: one vector of members and where each group starts in it.

/// The numbers from 0 on by group; within a group they rise.
#[derive(Clone, Debug)]
pub struct Groups {
    /// The members of group `g` are `members[starts[g]..starts[g + 1]]`.
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Groups {
    /// Sorts numbers by the group of each, which is below `groups`. A number without a group is left out.
    pub fn new(groups: usize, group_of: impl Iterator<Item = Option<usize>> + Clone) -> Groups {
        let mut starts = vec![0u32; groups + 1];
        for group in group_of.clone().flatten() {
            starts[group + 1] += 1;
        }
        for group in 0..groups {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut members = vec![0; starts[groups] as usize];
        for (number, group) in (0..).zip(group_of) {
            if let Some(group) = group {
                let at = &mut next[group];
                members[*at as usize] = number;
                *at += 1;
            }
        }
        Groups { starts, members }
    }

    /// No group so far, with room for a number of members.
    pub(super) fn with_capacity(members: usize) -> Groups {
        let mut starts = Vec::with_capacity(members + 1);
        starts.push(0);
        Groups {
            starts,
            members: Vec::with_capacity(members),
        }
    }

    /// Appends a group.
    pub(super) fn push(&mut self, members: impl Iterator<Item = u32>) {
        self.members.extend(members);
        self.starts.push(self.members.len() as u32);
    }

    /// The groups from last to first.
    pub(super) fn reversed(&self) -> Groups {
        let mut groups = Groups::with_capacity(self.members.len());
        for group in (0..self.len()).rev() {
            groups.push(self.get(group).iter().copied());
        }
        groups
    }

    /// The members of a group.
    #[inline]
    pub fn get(&self, group: usize) -> &[u32] {
        &self.members[self.starts[group] as usize..self.starts[group + 1] as usize]
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no group.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All groups in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|group| self.get(group))
    }

    /// All members, group by group.
    pub fn all(&self) -> &[u32] {
        &self.members
    }
}
