//! What a profile holds, in numbers.

use hashbrown::HashSet;

use super::functions::MergedFunctions;
use crate::profile::Profile;

/// How much there is of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileInfo {
    /// Functions, each with all its recursion levels.
    pub functions: usize,
    /// The objects that they are in.
    pub objects: usize,
    /// The files with costs or calls.
    pub files: usize,
    /// The lines with costs or calls, as far as they are known.
    pub lines: usize,
    /// The places at which a function calls another.
    pub call_sites: usize,
    /// The calls.
    pub calls: i64,
}

impl ProfileInfo {
    /// Counts what is in a profile.
    pub fn of(profile: &Profile, functions: &MergedFunctions<'_>) -> ProfileInfo {
        let objects: HashSet<_> = functions
            .list()
            .iter()
            .map(|function| function.object)
            .collect();
        let sites = profile.calls().iter().map(|call| call.site);
        let places = profile.places().iter().copied().chain(sites);
        let places = places.map(|place| profile.location(place));
        let (mut files, mut lines) = (HashSet::new(), HashSet::new());
        for place in places {
            files.insert(place.file);
            if place.line > 0 {
                lines.insert((place.file, place.line));
            }
        }
        let mut calls = 0i64;
        for &count in profile.sides().new.call_counts() {
            calls += count;
        }
        ProfileInfo {
            functions: functions.list().len(),
            objects: objects.len(),
            files: files.len(),
            lines: lines.len(),
            call_sites: profile.calls().len(),
            calls,
        }
    }
}
