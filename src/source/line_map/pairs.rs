//! Pairs equal lines of two texts: those that a diff leaves unchanged, and those that were moved.

use std::collections::HashMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Pairs of lines by their numbers from 0, and whether they were moved.
pub(super) struct Pairs<'t> {
    old: &'t [&'t [u8]],
    new: &'t [&'t [u8]],
    pub(super) of_old: Vec<Option<(usize, bool)>>,
    pub(super) of_new: Vec<Option<(usize, bool)>>,
}

impl<'t> Pairs<'t> {
    /// Pairs the lines that a diff leaves unchanged.
    pub(super) fn in_order(old: &'t [&'t [u8]], new: &'t [&'t [u8]]) -> Pairs<'t> {
        let mut pairs =
            Pairs { of_old: vec![None; old.len()], of_new: vec![None; new.len()], old, new };
        // Lines of only one text have no pair, and would slow down the diff.
        let mut numbers: HashMap<&[u8], (u32, bool, bool)> = HashMap::new();
        for (lines, is_new) in [(old, false), (new, true)] {
            for line in lines {
                let next = numbers.len() as u32;
                let known = numbers.entry(line).or_insert((next, false, false));
                known.1 |= !is_new;
                known.2 |= is_new;
            }
        }
        let common = |lines: &[&[u8]]| {
            let known = lines.iter().enumerate().filter_map(|(at, line)| match numbers.get(line) {
                Some(&(number, true, true)) => Some((at, number)),
                _ => None,
            });
            known.unzip::<_, _, Vec<usize>, Vec<u32>>()
        };
        let ((old_at, old), (new_at, new)) = (common(old), common(new));
        for (old, new) in equal_in_order(&old, &new) {
            pairs.add(old_at[old], new_at[new], false);
        }
        pairs
    }

    fn add(&mut self, old: usize, new: usize, is_moved: bool) {
        self.of_old[old] = Some((new, is_moved));
        self.of_new[new] = Some((old, is_moved));
    }

    fn are_equal(&self, old: usize, new: usize) -> bool {
        new < self.new.len() && self.old.get(old) == self.new.get(new)
    }

    /// Pairs moved lines: lines that occur once in the rest of each text, and the equal lines
    /// before and after them.
    pub(super) fn add_moved(&mut self) {
        let mut of_old: HashMap<&[u8], Option<usize>> = HashMap::new();
        let left = self.old.iter().enumerate();
        for (at, line) in left.filter(|(at, _)| self.of_old[*at].is_none()) {
            let known = of_old.entry(line);
            known.and_modify(|known| *known = None).or_insert(Some(at));
        }
        let mut of_new: HashMap<&[u8], usize> = HashMap::new();
        let left = self.new.iter().enumerate();
        for (_, line) in left.filter(|(at, _)| self.of_new[*at].is_none()) {
            *of_new.entry(line).or_default() += 1;
        }
        for new in 0..self.new.len() {
            let line = self.new[new];
            let is_unique = of_new.get(line) == Some(&1) && has_words(line);
            let Some(Some(old)) = of_old.get(line).copied().filter(|_| is_unique) else {
                continue;
            };
            if !self.move_line(old, new) {
                continue;
            }
            let after = (1..).take_while(|step| self.move_line(old + step, new + step));
            after.count();
            let before =
                (1..=old.min(new)).take_while(|step| self.move_line(old - step, new - step));
            before.count();
        }
    }

    /// Pairs two lines as moved if they are equal and not paired yet. A line without words, such as
    /// a brace, is taken from another pair if the lines before that are no pair.
    fn move_line(&mut self, old: usize, new: usize) -> bool {
        if !self.are_equal(old, new) || self.of_new[new].is_some() {
            return false;
        }
        if let Some((other, _)) = self.of_old[old] {
            let before = old.checked_sub(1).and_then(|before| self.of_old[before]);
            let continues = before.is_some_and(|(before, _)| before + 1 == other);
            if continues || has_words(self.old[old]) {
                return false;
            }
            self.of_new[other] = None;
        }
        self.add(old, new, true);
        true
    }

    /// Pairs equal lines that follow a pair.
    pub(super) fn extend(&mut self) {
        for new in 0..self.new.len() {
            let Some((old, is_moved)) = self.of_new[new] else {
                continue;
            };
            let is_free =
                |pairs: &[Option<_>], at: usize| pairs.get(at).is_some_and(Option::is_none);
            if is_free(&self.of_old, old + 1)
                && is_free(&self.of_new, new + 1)
                && self.are_equal(old + 1, new + 1)
            {
                self.add(old + 1, new + 1, is_moved);
            }
        }
    }
}

/// Pairs of the positions of equal elements that a diff of two lists leaves unchanged.
pub fn equal_in_order(old: &[u32], new: &[u32]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for change in capture_diff_slices(Algorithm::Myers, old, new) {
        if let DiffOp::Equal { old_index, new_index, len } = change {
            pairs.extend((0..len).map(|at| (old_index + at, new_index + at)));
        }
    }
    pairs
}

/// By line of a list whether it is at another place than in an old list, by their positions there,
/// which are all different: those that a diff of both lists moves, and of two equally long runs
/// that changed places both.
pub fn out_of_order(of_old: &[u32]) -> Vec<bool> {
    let mut in_order = of_old.to_vec();
    in_order.sort_unstable();
    let mut is_moved = vec![true; of_old.len()];
    for (_, new) in equal_in_order(&in_order, of_old) {
        is_moved[new] = false;
    }
    let lines: Vec<(usize, u32)> = of_old.iter().copied().enumerate().collect();
    let (moved, kept): (Vec<_>, Vec<_>) = lines.into_iter().partition(|&(new, _)| is_moved[new]);
    for run in moved.chunk_by(|a, b| a.0 + 1 == b.0 && a.1 < b.1) {
        let (first, old) = run[0];
        let (before, after) = kept.split_at(kept.partition_point(|of| of.0 < first));
        let passed_up = after.iter().take_while(|of| of.1 < old);
        let passed_down = before.iter().rev().take_while(|of| of.1 > old);
        let passed: Vec<_> = passed_up.chain(passed_down).take(run.len() + 1).collect();
        if passed.len() == run.len() {
            passed.into_iter().for_each(|of| is_moved[of.0] = true);
        }
    }
    is_moved
}

/// Whether a line has more than one letter or digit.
fn has_words(line: &[u8]) -> bool {
    let letters = line.iter().filter(|byte| byte.is_ascii_alphanumeric());
    letters.take(2).count() == 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_at_another_place() {
        let table: [(&[u32], &[u32]); 8] = [
            (&[], &[]),
            (&[1, 2, 3], &[]),
            // Two headers of loops changed places.
            (&[1, 3, 2, 4], &[3, 2]),
            // A line is moved into a loop.
            (&[1, 2, 4, 5, 3, 6], &[3]),
            (&[5, 1, 2, 3, 4], &[5]),
            (&[3, 4, 1, 2, 5], &[3, 4, 1, 2]),
            // One of three is moved over the others.
            (&[3, 1, 2], &[3]),
            (&[7, 9, 8], &[9, 8]),
        ];
        for (of_old, expected) in table {
            let is_moved = out_of_order(of_old);
            let moved = of_old.iter().zip(is_moved).filter(|(_, is_moved)| *is_moved);
            assert_eq!(moved.map(|(old, _)| *old).collect::<Vec<_>>(), expected, "{of_old:?}");
        }
    }
}
