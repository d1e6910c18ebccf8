//! Renamed functions by their callers, callees and numbers of calls: the only evidence where the
//! texts are not known, and a condition for short bodies. Callers and callees count by their new
//! names.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::groups::{Facts, RenameGroup};
use super::{PairFinder, RenameCandidate, last_word};
use crate::profile::FileId;
use crate::source::{RenamedWords, TextsOfSides, is_identifier, tokens};

/// The self costs of functions whose texts are not known differ at most by a twentieth.
const COST_PARTS: i128 = 20;

/// Without texts, functions with fewer calls are paired only if they have this many callees.
const MIN_CALLS: i64 = 16;
const MIN_CALLEES: usize = 2;

/// Whether only one word of two names differs.
fn differ_in_one_word(a: &[u8], b: &[u8]) -> bool {
    let [a, b]: [Vec<&[u8]>; 2] = [a, b].map(|name| tokens(name).collect());
    let mut differing = a.iter().zip(&b).filter(|(a, b)| a != b);
    let first = differing.next();
    let are_words = first.is_some_and(|(a, b)| is_identifier(a) && is_identifier(b));
    a.len() == b.len() && are_words && differing.next().is_none()
}

impl PairFinder<'_> {
    /// The nodes by their new names, in order.
    fn renamed_nodes(&self, nodes: &BTreeSet<u32>, same: &HashMap<u32, u32>) -> Vec<u32> {
        let mut renamed: Vec<u32> =
            nodes.iter().map(|node| same.get(node).copied().unwrap_or(*node)).collect();
        renamed.sort_unstable();
        renamed
    }

    /// The nodes by their new names; functions of one side alone that are not paired yet are alike.
    fn known_nodes(
        &self,
        nodes: &BTreeSet<u32>,
        same: &HashMap<u32, u32>,
        is_taken: &HashSet<u32>,
    ) -> Vec<u32> {
        let is_open = |node: u32| {
            let group = self.groups.list.get(node as usize);
            group.is_some_and(|group| group.on.new != group.on.base) && !is_taken.contains(&node)
        };
        let mut known: Vec<u32> = self
            .renamed_nodes(nodes, same)
            .into_iter()
            .map(|node| if is_open(node) { u32::MAX } else { node })
            .collect();
        known.sort_unstable();
        known
    }

    /// Whether the functions of a pair have the same callers and the same number of calls.
    pub(super) fn has_same_calls(&self, pair: &RenameCandidate, same: &HashMap<u32, u32>) -> bool {
        let [gone, new] = [pair.gone, pair.new].map(|number| &self.groups.list[number].facts);
        let is_taken = same.values().copied().collect();
        let nodes = |facts: &Facts| self.known_nodes(&facts.callers, same, &is_taken);
        gone.calls == new.calls && nodes(gone) == nodes(new)
    }

    /// Leaves out the pairs whose callers or callees are not the same by their new names.
    pub(super) fn with_same_calls(&self, mut pairs: Vec<RenameCandidate>) -> Vec<RenameCandidate> {
        loop {
            let same: HashMap<u32, u32> =
                pairs.iter().map(|pair| (pair.gone as u32, pair.new as u32)).collect();
            let before = pairs.len();
            pairs.retain(|pair| {
                let [gone, new] =
                    [pair.gone, pair.new].map(|number| &self.groups.list[number].facts);
                let are_same = |old: &BTreeSet<u32>, new: &BTreeSet<u32>| {
                    self.renamed_nodes(old, &same).into_iter().eq(new.iter().copied())
                };
                let callers =
                    !pair.needs_calls && !pair.is_by_calls || are_same(&gone.callers, &new.callers);
                let callees = !pair.is_by_calls || are_same(&gone.callees, &new.callees);
                callers && callees
            });
            if pairs.len() == before {
                return pairs;
            }
        }
    }

    /// The possible pairs of functions without texts by their calls.
    pub(super) fn by_calls(&self, same: &HashMap<u32, u32>) -> Vec<RenameCandidate> {
        type Key = (FileId, i64, Vec<u32>, Vec<u32>);
        let is_taken: HashSet<u32> = same.values().copied().collect();
        let mut of_key: BTreeMap<Key, [Vec<usize>; 2]> = BTreeMap::new();
        for is_new in [false, true] {
            for number in self.groups.only(is_new) {
                let RenameGroup { file, facts, .. } = &self.groups.list[number];
                let has_evidence = facts.calls >= MIN_CALLS || facts.callees.len() >= MIN_CALLEES;
                if facts.calls > 0 && has_evidence && self.texts.contains_key(file) {
                    let nodes = |nodes| self.known_nodes(nodes, same, &is_taken);
                    let key = (*file, facts.calls, nodes(&facts.callers), nodes(&facts.callees));
                    of_key.entry(key).or_default()[usize::from(is_new)].push(number);
                }
            }
        }
        let mut candidates = Vec::new();
        for ((file, ..), [gone, new]) in of_key {
            // Of several it is not known which is which.
            let ([gone], [new]) = (&gone[..], &new[..]) else {
                continue;
            };
            if self.may_be_same(*gone, *new) && self.is_renamed_by_calls(file, *gone, *new) {
                candidates.push(RenameCandidate {
                    gone: *gone,
                    new: *new,
                    needs_calls: false,
                    is_by_calls: true,
                    words: RenamedWords::new(),
                });
            }
        }
        candidates
    }

    fn is_renamed_by_calls(&self, file: FileId, gone: usize, new: usize) -> bool {
        let [gone, new] = [gone, new].map(|number| &self.groups.list[number]);
        let [before, after] = [gone, new].map(|group| i128::from(group.facts.cost));
        let is_near = (after - before).abs() * COST_PARTS <= before.abs().max(after.abs());
        if !is_near || !differ_in_one_word(&gone.name, &new.name) {
            return false;
        }
        let [old_word, new_word] = [gone, new].map(|group| last_word(&group.name));
        let has_text = |text: &[u8], word: Option<&[u8]>| {
            word.is_none_or(|word| tokens(text).any(|token| token == word))
        };
        match self.texts.get(&file) {
            // What was found in its text would have been paired by it.
            Some(TextsOfSides::Both { .. } | TextsOfSides::Same(_)) => false,
            Some(TextsOfSides::OnlyNew(text)) => {
                has_text(text, new_word) && !has_text(text, old_word)
            }
            Some(TextsOfSides::Unknown) | None => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_one_word() {
        let table = [
            ("f", "g", true),
            ("a::f(int)", "a::g(int)", true),
            ("a::f(int)", "b::g(int)", false),
            ("a::f(int)", "a::g(int, int)", false),
            ("f", "f", false),
            ("0x10", "0x20", false),
        ];
        for (a, b, expected) in table {
            assert_eq!(differ_in_one_word(a.as_bytes(), b.as_bytes()), expected, "{a} {b}");
        }
    }
}
