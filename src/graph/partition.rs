//! The fragments of a profile in rows, of which each report is made.

use super::Groups;
use crate::profile::{FragmentId, FunctionId, Profile};

/// Each fragment in one row; rows are numbered from 0.
#[derive(Clone, Debug)]
pub struct Partition {
    of_fragment: Vec<u32>,
    /// By function the row of its fragment in its own file.
    of_function: Vec<u32>,
    /// The functions whose own file is in a row: they count whole, wherever their code is.
    at_home: Groups,
    /// The fragments of functions that are at home in other rows: they count their own lines and calls.
    inlined: Groups,
}

impl Partition {
    /// Makes rows of the fragments of a profile; `of_fragment` has the row of each, below `rows`.
    pub fn new(profile: &Profile, rows: usize, of_fragment: Vec<u32>) -> Partition {
        let functions = profile.functions();
        let of_function: Vec<u32> = functions
            .map(|(function, _)| of_fragment[profile.home(function).index()])
            .collect();
        let inlined = profile.fragments().iter().zip(&of_fragment);
        let inlined = inlined.map(|(fragment, &row)| {
            (of_function[fragment.function.index()] != row).then_some(row as usize)
        });
        Partition {
            at_home: Groups::new(rows, of_function.iter().map(|&row| Some(row as usize))),
            inlined: Groups::new(rows, inlined),
            of_fragment,
            of_function,
        }
    }

    /// The same rows, in which no function counts whole: each fragment has its own lines and the calls made there.
    pub fn of_code(profile: &Profile, rows: usize, of_fragment: Vec<u32>) -> Partition {
        let none = std::iter::empty::<Option<usize>>();
        let all = of_fragment.iter().map(|&row| Some(row as usize));
        Partition {
            at_home: Groups::new(rows, none),
            inlined: Groups::new(rows, all),
            ..Partition::new(profile, rows, of_fragment.clone())
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.at_home.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row of a fragment.
    #[inline]
    pub fn of_fragment(&self, fragment: FragmentId) -> u32 {
        self.of_fragment[fragment.index()]
    }

    /// The row of a function's fragment in its own file.
    #[inline]
    pub fn of_function(&self, function: FunctionId) -> u32 {
        self.of_function[function.index()]
    }

    /// The functions whose own file is in a row.
    pub fn at_home(&self, row: u32) -> impl ExactSizeIterator<Item = FunctionId> {
        let functions = self.at_home.get(row as usize).iter();
        functions.map(|&function| FunctionId(function))
    }

    /// The fragments in a row of functions that are at home in other rows.
    pub fn inlined(&self, row: u32) -> impl ExactSizeIterator<Item = FragmentId> {
        let fragments = self.inlined.get(row as usize).iter();
        fragments.map(|&fragment| FragmentId(fragment))
    }
}
