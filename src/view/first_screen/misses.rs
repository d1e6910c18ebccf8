//! The lines with most misses of caches and branches, and those that they were inlined into.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::code::FileLine;
use super::{ScreenLine, ScreenMaker};

/// Misses are shown if their part of the estimated cycles is at least a twentieth, and a line has a
/// quarter of them.
const MISS_PARTS: i128 = 20;
const LINE_PARTS: i128 = 4;

/// The line with most misses of a kind.
#[derive(Debug)]
pub struct Misses {
    pub event: usize,
    pub count: i64,
    pub at: ScreenLine,
    /// The lines that it was inlined into, innermost first, if nine tenths of them were there.
    pub from: Vec<ScreenLine>,
    /// Whether there is one such line, which has more than half of them.
    pub is_mostly: bool,
}

impl ScreenMaker<'_, '_> {
    /// The lines with most misses.
    pub(super) fn misses(&self) -> Vec<Misses> {
        let total = |event: usize| i128::from(self.input.total[event]);
        let are_many = |&&(event, cycles): &&(usize, i64)| {
            let is_any = total(event) > 0;
            is_any && total(event) * i128::from(cycles) * MISS_PARTS >= total(self.spent.event)
        };
        let kinds: Vec<usize> =
            self.input.misses.iter().filter(are_many).map(|&(event, _)| event).collect();
        if kinds.is_empty() {
            return Vec::new();
        }
        let mut sums: Vec<HashMap<FileLine, i64>> = vec![HashMap::new(); kinds.len()];
        let mut frames = Vec::new();
        for item in self.spent.items.places() {
            if let Some(own) = self.spent.own_lines(item, &mut frames).next() {
                for (&event, sums) in kinds.iter().zip(&mut sums) {
                    *sums.entry(own).or_default() += self.spent.items.cost(item, event);
                }
            }
        }
        let most = |(event, sums): (usize, HashMap<FileLine, i64>)| {
            let most = sums.into_iter().max_by_key(|&(line, count)| (count, Reverse(line)));
            let (line, count) = most?;
            let is_large = i128::from(count) * LINE_PARTS >= total(event);
            is_large.then(|| {
                let (around, is_mostly) = self.inlined_into(line, event);
                let from = around.into_iter().map(|line| self.screen_line(line)).collect();
                Misses { event, count, at: self.screen_line(line), from, is_mostly }
            })
        };
        kinds.into_iter().zip(sums).filter_map(most).collect()
    }

    /// The user's own lines that a line was inlined into, innermost first, as long as one has nine
    /// tenths of what it costs itself; or else one that has more than half of it, and true.
    fn inlined_into(&self, line: FileLine, event: usize) -> (Vec<FileLine>, bool) {
        let mut sums: BTreeMap<Vec<FileLine>, i128> = BTreeMap::new();
        let (mut frames, mut all) = (Vec::new(), 0);
        for item in self.spent.items.places() {
            let mut own = self.spent.own_lines(item, &mut frames);
            if own.next() == Some(line) {
                let cost = i128::from(self.spent.items.cost(item, event));
                all += cost;
                *sums.entry(own.collect()).or_default() += cost;
            }
        }
        let mut lines: Vec<FileLine> = Vec::new();
        loop {
            let mut next: BTreeMap<FileLine, i128> = BTreeMap::new();
            for (chain, cost) in &sums {
                if let Some(&line) = chain.strip_prefix(&lines[..]).and_then(<[_]>::first) {
                    *next.entry(line).or_default() += cost;
                }
            }
            match next.into_iter().max_by_key(|&(_, cost)| cost) {
                Some((line, cost)) if cost * 10 >= all * 9 => lines.push(line),
                Some((line, cost)) if lines.is_empty() && cost * 2 > all => {
                    return (vec![line], true);
                }
                _ => return (lines, false),
            }
        }
    }
}
