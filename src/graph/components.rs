//! Strongly connected components: sets of functions that can reach each other. Also [`Groups`], a
//! compact list of lists that components and other parts of the program use.

use crate::profile::{Place, Profile};

/// The strongly connected components of a graph with nodes numbered from 0, in reverse topological
/// order: a component comes after all those that it can reach. `out_of` has the arcs of each node,
/// `callee` the target of an arc.
///
/// Tarjan's algorithm (1972) with an explicit stack, because call chains may be longer than the
/// thread's stack. Linear in nodes and arcs.
pub fn components(out_of: &Groups, callee: impl Fn(u32) -> u32) -> Groups {
    let nodes = out_of.len();
    let mut search = ComponentSearch {
        number: vec![NOT_SEEN; nodes],
        low: vec![0; nodes],
        open: Vec::new(),
        numbered: 0,
        components: Groups::with_capacity(nodes),
    };
    // The nodes being visited, each with the number of its visited arcs.
    let mut path: Vec<(u32, u32)> = Vec::new();
    for root in 0..nodes as u32 {
        if search.number[root as usize] != NOT_SEEN {
            continue;
        }
        search.enter(root);
        path.push((root, 0));
        while let Some((node, done)) = path.last_mut() {
            let node = *node;
            if let Some(&arc) = out_of.get(node as usize).get(*done as usize) {
                *done += 1;
                let end = callee(arc);
                if search.number[end as usize] == NOT_SEEN {
                    search.enter(end);
                    path.push((end, 0));
                } else {
                    search.see(node, end);
                }
                continue;
            }
            path.pop();
            search.leave(node, path.last().map(|&(before, _)| before));
        }
    }
    search.components
}

const NOT_SEEN: u32 = u32::MAX;

/// The number of a node whose component is complete.
const CLOSED: u32 = u32::MAX - 1;

struct ComponentSearch {
    /// The number of each node in order of visits.
    number: Vec<u32>,
    /// The lowest number of a reachable open node.
    low: Vec<u32>,
    open: Vec<u32>,
    numbered: u32,
    components: Groups,
}

impl ComponentSearch {
    fn enter(&mut self, node: u32) {
        let n = node as usize;
        (self.number[n], self.low[n]) = (self.numbered, self.numbered);
        self.numbered += 1;
        self.open.push(node);
    }

    /// Handles an arc to a node that was already visited.
    fn see(&mut self, node: u32, end: u32) {
        let low = &mut self.low[node as usize];
        *low = (*low).min(self.number[end as usize]);
    }

    /// Leaves a node after all its arcs; `before` is the node from which it was visited.
    fn leave(&mut self, node: u32, before: Option<u32>) {
        let n = node as usize;
        if let Some(before) = before {
            let before = before as usize;
            self.low[before] = self.low[before].min(self.low[n]);
        }
        if self.low[n] == self.number[n] {
            let first = self.open.iter().rposition(|&member| member == node);
            let component = self.open.drain(first.unwrap_or(0)..);
            let number = &mut self.number;
            let component = component.inspect(|&member| number[member as usize] = CLOSED);
            self.components.push(component);
        }
    }
}

/// Lists of numbers by group, in one vector; in ascending order within each group.
pub struct Groups {
    /// The members of group `g` are `members[starts[g]..starts[g + 1]]`.
    starts: Vec<u32>,
    pub members: Vec<u32>,
}

impl Groups {
    /// Groups the numbers from 0 by `group_of`, which is below `groups`; numbers without a group
    /// are left out.
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

    /// The numbers of a profile's places and calls, grouped by place and by call site.
    pub fn of_places(
        profile: &Profile,
        groups: usize,
        group_of: impl Fn(Place) -> Option<usize>,
    ) -> (Groups, Groups) {
        let places = profile.places.iter().map(|&place| group_of(place));
        let sites = profile.calls.iter().map(|call| group_of(call.site));
        (Groups::new(groups, places), Groups::new(groups, sites))
    }

    /// An empty list of groups, with capacity for a number of members.
    pub(super) fn with_capacity(members: usize) -> Groups {
        let mut starts = Vec::with_capacity(members + 1);
        starts.push(0);
        Groups { starts, members: Vec::with_capacity(members) }
    }

    pub(super) fn push(&mut self, members: impl Iterator<Item = u32>) {
        self.members.extend(members);
        self.starts.push(self.members.len() as u32);
    }

    /// The groups in reverse order.
    pub(super) fn reversed(&self) -> Groups {
        let mut groups = Groups::with_capacity(self.members.len());
        for group in (0..self.len()).rev() {
            groups.push(self.get(group).iter().copied());
        }
        groups
    }

    /// Sorts the members of each group by a key, which is determined once for each.
    pub fn sort_each<K: Ord>(&mut self, mut key: impl FnMut(u32) -> K) {
        for ends in self.starts.windows(2) {
            let group = &mut self.members[ends[0] as usize..ends[1] as usize];
            if group.len() > 1 {
                group.sort_by_cached_key(|&member| key(member));
            }
        }
    }

    #[inline]
    pub fn get(&self, group: usize) -> &[u32] {
        &self.members[self.starts[group] as usize..self.starts[group + 1] as usize]
    }

    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|group| self.get(group))
    }
}
