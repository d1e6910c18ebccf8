//! Assigns the fragments of a profile to the rows of a report.

use std::sync::OnceLock;

use crate::graph::components::Groups;
use crate::profile::{FragmentId, FunctionId, Profile};

/// The row of each fragment; rows are numbered from 0.
pub struct Partition<'p> {
    profile: &'p Profile,
    rows: usize,
    of_fragment: Vec<u32>,
    /// Whether a function with all its code counts in the row of its own file. Otherwise each
    /// fragment counts in its own row, with the calls made there.
    pub has_homes: bool,
    /// Computed on first use, for inclusive costs.
    members: OnceLock<RowMembers>,
}

struct RowMembers {
    /// The functions that count in the row with all their code.
    at_home: Groups,
    /// The fragments of functions of other rows: only their own lines and calls count.
    inlined: Groups,
}

impl<'p> Partition<'p> {
    /// `of_fragment` has the row of each fragment, which is below `rows`.
    pub fn new(profile: &'p Profile, rows: usize, of_fragment: Vec<u32>) -> Partition<'p> {
        Partition { profile, rows, of_fragment, has_homes: true, members: OnceLock::new() }
    }

    fn members(&self) -> &RowMembers {
        self.members.get_or_init(|| {
            let homes = self
                .profile
                .functions()
                .map(|(id, _)| self.has_homes.then(|| self.of_function(id) as usize));
            let code = self.profile.fragments().iter().zip(&self.of_fragment);
            let inlined = code.map(|(fragment, &row)| {
                let is_at_home = self.counts_whole(fragment.function, row);
                (!is_at_home).then_some(row as usize)
            });
            RowMembers {
                at_home: Groups::new(self.rows, homes),
                inlined: Groups::new(self.rows, inlined),
            }
        })
    }

    pub fn len(&self) -> usize {
        self.rows
    }

    #[inline]
    pub fn of_fragment(&self, fragment: FragmentId) -> u32 {
        self.of_fragment[fragment.index()]
    }

    /// The row of a function's fragment in its own file.
    #[inline]
    pub fn of_function(&self, function: FunctionId) -> u32 {
        self.of_fragment(self.profile.home(function))
    }

    /// Whether calls from a fragment are on behalf of a row: the fragment is in the row, or its
    /// function counts there.
    #[inline]
    pub(super) fn acts_for(&self, fragment: FragmentId, row: u32) -> bool {
        let function = self.profile.fragment(fragment).function;
        self.of_fragment(fragment) == row || self.counts_whole(function, row)
    }

    #[inline]
    pub(super) fn counts_whole(&self, function: FunctionId, row: u32) -> bool {
        self.has_homes && self.of_function(function) == row
    }

    /// The functions whose own fragment is in a row.
    pub fn at_home(&self, row: u32) -> impl ExactSizeIterator<Item = FunctionId> {
        let functions = self.members().at_home.get(row as usize).iter();
        functions.map(|&function| FunctionId(function))
    }

    pub fn inlined(&self, row: u32) -> impl ExactSizeIterator<Item = FragmentId> {
        let fragments = self.members().inlined.get(row as usize).iter();
        fragments.map(|&fragment| FragmentId(fragment))
    }
}
