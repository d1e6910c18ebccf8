//! Whether a verdict depends on a line with a name that a file of Cachegrind has lost. The costs
//! below it are then those of the function before, which is the one before it by name: Cachegrind
//! sorts the functions of a file.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use super::Context;
use super::judgeable::NOT_JUDGED;
use super::message::display_name;
use crate::profile::{FileId, FragmentId, NEW};
use crate::view::Rows;

/// A function in a file on one side.
struct Code {
    fragment: FragmentId,
    /// The lines that have costs.
    lines: Vec<u32>,
}

/// By file and name.
type CodeOfSide<'p> = BTreeMap<(FileId, &'p [u8]), Code>;

/// A function that a side has, and the one of the other side that has its lines, too.
#[derive(Clone, Copy)]
struct LostName {
    lost: FragmentId,
    before: FragmentId,
}

/// Whether the last of some lines are all lines of another function, or as far from each other: an
/// edit above moves all of them. One line is like any other.
fn ends_with(lines: &[u32], of_function: &[u32]) -> bool {
    let Some(rest) = lines.len().checked_sub(of_function.len()).filter(|&rest| rest > 0) else {
        return false;
    };
    let gaps = |lines: &[u32]| lines.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>();
    of_function.len() > 1 && gaps(&lines[rest..]) == gaps(of_function)
}

impl<'r> Context<'r> {
    /// Checks that no function is missing on a side which the filter selects apart from the one
    /// that has its lines there.
    pub(super) fn check_lost_names(&self, rows: &Rows<'r>) -> Result<()> {
        if !self.profile.is_from_cachegrind() {
            return Ok(());
        }
        let against = self.options.input.judged_against();
        let [of_new, of_base] = [NEW, against].map(|side| self.code_of_side(side));
        for (side, own, other) in [(NEW, &of_new, &of_base), (against, &of_base, &of_new)] {
            let is_decisive =
                |found: &LostName| rows.has_selected(found.lost) != rows.has_selected(found.before);
            let found = lost_names(own, other).find(is_decisive);
            if let Some(LostName { lost, before }) = found {
                let name = |id: FragmentId| {
                    let function = self.profile.fragment(id).function;
                    display_name(self.profile.name(self.profile.function(function).name))
                };
                bail!(
                    "{}: {} has the lines of {}, whose name may be lost; {NOT_JUDGED}",
                    self.files_of_side(side),
                    name(before),
                    name(lost)
                );
            }
        }
        Ok(())
    }

    fn code_of_side(&self, side: usize) -> CodeOfSide<'r> {
        let profile = self.profile;
        let mut code = CodeOfSide::new();
        let places = profile.sides().get(side).into_iter().flat_map(|of| profile.costs_of(of));
        for (place, _) in places {
            let fragment = profile.fragment(place.fragment);
            let name = profile.name(profile.function(fragment.function).name);
            let of_function = code
                .entry((fragment.file, name))
                .or_insert_with(|| Code { fragment: place.fragment, lines: Vec::new() });
            of_function.lines.push(profile.line(place));
        }
        for of_function in code.values_mut() {
            of_function.lines.sort_unstable();
            of_function.lines.dedup();
        }
        code
    }
}

/// The functions of the other side that a side lacks, and whose lines the function before, which
/// has more than on the other side, has at its end.
fn lost_names<'a>(
    own: &'a CodeOfSide<'_>,
    other: &'a CodeOfSide<'_>,
) -> impl Iterator<Item = LostName> + 'a {
    let lost = other.iter().filter(|(key, _)| !own.contains_key(*key));
    lost.filter_map(|(key, lost)| {
        let (before_key, before) = own.range(..key).next_back()?;
        let lines_there = other.get(before_key).map_or(0, |of| of.lines.len());
        let has_more = before_key.0 == key.0 && before.lines.len() > lines_there;
        let has_lines = has_more && ends_with(&before.lines, &lost.lines);
        has_lines.then_some(LostName { lost: lost.fragment, before: before.fragment })
    })
}

#[cfg(test)]
mod tests {
    use super::ends_with;

    #[test]
    fn lines_of_a_function_at_the_end_of_another_one() {
        let table: [(&[u32], &[u32], bool); 7] = [
            (&[3, 4, 10, 11, 14], &[10, 11, 14], true),
            (&[3, 4, 12, 13, 16], &[10, 11, 14], true),
            (&[3, 4, 10, 12, 14], &[10, 11, 14], false),
            // It lacks the lines of its own, or has them behind those of the function.
            (&[10, 11, 14], &[10, 11, 14], false),
            (&[10, 11, 14, 20], &[10, 11, 14], false),
            (&[11, 14], &[10, 11, 14], false),
            (&[3, 10], &[10], false),
        ];
        for (lines, of_function, expected) in table {
            assert_eq!(ends_with(lines, of_function), expected, "{lines:?} {of_function:?}");
        }
    }
}
