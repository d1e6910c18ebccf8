//! Profiles that have the first line of each function alone, as those of cProfile do.

use hashbrown::HashSet;

use super::Context;
use crate::profile::{FunctionId, NameKind, Place};

/// A profile of fewer functions says nothing of what its producer records.
const MIN_FUNCTIONS: usize = 10;

/// Functions of one name in one file are one function, with several first lines: a tenth may be so.
const OTHER_PARTS: usize = 10;

impl Context<'_> {
    /// Notes that all of a function's cost is at one line, since its other lines seem to cost
    /// nothing.
    pub(super) fn note_first_lines(&self) {
        if let Some(note) = self.only_first_lines() {
            self.messages.note(note);
        }
    }

    /// The same, if it is so.
    pub(super) fn only_first_lines(&self) -> Option<&'static str> {
        let profile = self.profile;
        if profile.is_difference() || profile.name_kind() != NameKind::Other {
            return None;
        }
        // By function one of its lines, and whether it has others.
        let mut lines: Vec<(u32, bool)> = vec![(0, false); profile.function_count()];
        let sites = profile.calls.iter().map(|call| call.site);
        for place in profile.places.iter().copied().chain(sites) {
            let line = profile.line(place);
            let known = &mut lines[profile.fragment(place.fragment).function.index()];
            if line == 0 {
                continue;
            }
            if known.0 == 0 {
                known.0 = line;
            }
            known.1 |= known.0 != line;
        }
        let key = |place: Place| (profile.fragment(place.fragment).function, profile.line(place));
        let with_costs: HashSet<(FunctionId, u32)> =
            profile.places.iter().map(|&place| key(place)).collect();
        let mut sites = profile.calls.iter().map(|call| key(call.site));
        // A producer that knows the lines of calls knows more than first lines.
        if sites.any(|site| site.1 > 0 && !with_costs.contains(&site)) {
            return None;
        }
        let known = || lines.iter().filter(|(line, _)| *line > 0);
        let with_others = known().filter(|(_, has_others)| *has_others).count();
        let functions = known().count();
        let are_first = functions >= MIN_FUNCTIONS && with_others * OTHER_PARTS <= functions;
        are_first.then_some(
            "this profile has the first line of each function alone: all that the function costs and \
             calls is there",
        )
    }
}
