//! The lines of a difference at which calls are shown.
//!
//! Where lines were removed and others added in their place, a caller's calls of a function that
//! as many of the removed lines make as of the added ones are the same calls: those of the first
//! such removed line are shown at the first such added one, and so on. A row then has the calls
//! before and after. Other calls of a removed line are shown there.

use std::hash::Hash;

use hashbrown::HashMap;

use crate::profile::Presence;
use crate::source::LineKey;
use crate::view::sums::LineKeys;

/// The lines of the calls of a file or a row; `C` is the callee, and the caller if there may be
/// several.
pub(super) struct CallLines<'m, C> {
    line_keys: LineKeys<'m>,
    /// By removed line and call the added line that has the call now.
    in_place: HashMap<(LineKey, C), LineKey>,
    /// The other way round.
    before: HashMap<(LineKey, C), LineKey>,
}

impl<'m, C: Copy + Hash + Ord> CallLines<'m, C> {
    /// Of calls given by line, sides and what they are.
    pub(super) fn new(
        line_keys: LineKeys<'m>,
        calls: impl Iterator<Item = (u32, Presence, C)>,
    ) -> CallLines<'m, C> {
        let mut lines = CallLines { line_keys, in_place: HashMap::new(), before: HashMap::new() };
        let Some(map) = line_keys.0 else {
            return lines;
        };
        let mut changed = Vec::new();
        for (line, on, call) in calls {
            line_keys.each(line, on, |key, _| {
                if let Some(change) = map.number_of_change(key) {
                    changed.push((change, call, key.removed == 0, key));
                }
            });
        }
        changed.sort_unstable();
        changed.dedup();
        for same in changed.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (removed, added) = same.split_at(same.partition_point(|(_, _, added, _)| !added));
            if removed.len() != added.len() {
                continue;
            }
            for (&(_, call, _, removed), &(.., added)) in removed.iter().zip(added) {
                lines.in_place.insert((removed, call), added);
                lines.before.insert((added, call), removed);
            }
        }
        lines
    }

    /// Calls `add` with the keys of a call's line, each with the sides that are shown at it.
    pub(super) fn each(
        &self,
        line: u32,
        on: Presence,
        call: C,
        mut add: impl FnMut(LineKey, Presence),
    ) {
        self.line_keys.each(line, on, |key, on| {
            add(self.in_place.get(&(key, call)).copied().unwrap_or(key), on);
        });
    }

    /// The number of a call's line in BASE's text, if that makes the call.
    pub(super) fn in_base(&self, key: LineKey, call: C, on: Presence) -> Option<u32> {
        match self.before.get(&(key, call)) {
            Some(removed) => Some(removed.removed),
            None => self.line_keys.in_base(key, on),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{LineMap, RenamedWords};

    #[test]
    fn calls_of_lines_that_were_replaced() {
        let base = Presence::of(false, true);
        let new = Presence::of(true, false);
        /// A line and what it calls.
        type CallsOf<'c> = &'c [(u32, char)];
        // The lines of the calls of BASE, removed ones as `-N`.
        let table: [(&str, &str, CallsOf, CallsOf, &str); 7] = [
            ("one\na1\n", "one\nb1\n", &[(2, 'f')], &[(2, 'f')], "f2"),
            ("one\na1\n", "one\nb1\n", &[(2, 'f'), (2, 'g')], &[(2, 'f'), (2, 'h')], "f2 g-2"),
            (
                "one\na1\nb1\n",
                "one\nx1\ny1\n",
                &[(2, 'f'), (3, 'f')],
                &[(2, 'f'), (3, 'f')],
                "f2 f3",
            ),
            ("one\na1\nb1\n", "one\nx1\ny1\n", &[(2, 'f'), (3, 'f')], &[(3, 'f')], "f-2 f-3"),
            ("one\na1\n", "one\nx1\ny1\nz1\n", &[(2, 'f')], &[(4, 'f')], "f4"),
            // Another place.
            ("a1\none\nb1\n", "x1\none\ny1\n", &[(1, 'f')], &[(3, 'f')], "f-1"),
            ("one\ntwo\n", "one\ntwo\n", &[(2, 'f')], &[(2, 'f')], "f2"),
        ];
        for (old, text, of_base, of_new, expected) in table {
            let map = LineMap::new(old.as_bytes(), text.as_bytes(), &RenamedWords::new());
            let calls = of_base.iter().map(|&(line, call)| (line, base, call));
            let calls = calls.chain(of_new.iter().map(|&(line, call)| (line, new, call)));
            let lines = CallLines::new(LineKeys(Some(&map)), calls);
            let mut found = Vec::new();
            for &(line, call) in of_base {
                lines.each(line, base, call, |key, on| {
                    assert_eq!(on, base);
                    found.push(match key.removed {
                        0 => format!("{call}{}", key.new),
                        removed => format!("{call}-{removed}"),
                    });
                    assert_eq!(lines.in_base(key, call, on), Some(line), "{old:?}");
                });
            }
            assert_eq!(found.join(" "), expected, "{old:?}");
        }
    }
}
