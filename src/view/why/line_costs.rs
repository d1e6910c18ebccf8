//! What all lines cost with the calls made there, and the lines that cost more or less although
//! their texts are the same.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::aligned::AlignedFiles;
use super::{BaseAndNew, LineWithChange, ReasonMaker};
use crate::profile::{FileId, FunctionId, Place};
use crate::source::LineKey;
use crate::view::first_screen::ways::{LineSet, MAX_LINES, Reach, Ways, covering};
use crate::view::label::RowId;

/// The maximum number of lines that are shown.
const MAX_SHOWN: usize = 3;

/// A line is looked at from this part of the total's change on: a twentieth.
const LINE_PARTS: i128 = 20;

/// By file and line what was executed there, and the calls made there. Only files whose lines can
/// be compared, and whose text is known, are here.
pub(super) struct CostsOfLines(pub(super) BTreeMap<FileId, BTreeMap<LineKey, CostsOfLine>>);

/// What a line costs.
#[derive(Clone, Copy, Default)]
pub(super) struct CostsOfLine {
    pub(super) own: BaseAndNew,
    /// What its calls cost, but for those within a cycle, of which that is not known.
    calls: BaseAndNew,
    /// The number of calls.
    pub(super) call_count: BaseAndNew,
    /// Whether a call within a cycle is made there. The sides may have different cycles.
    is_in_cycle: bool,
    /// Whether a function is called there on one side only. If the text is the same, it is inlined
    /// on the other side, and what it costs there is not known.
    calls_others: bool,
}

impl CostsOfLine {
    /// Whether nothing was executed or called there.
    pub(super) fn is_nothing(self) -> bool {
        [self.own, self.calls, self.call_count].iter().all(|of| *of == BaseAndNew::default())
    }

    pub(super) fn inclusive(self) -> BaseAndNew {
        ReasonMaker::sum([self.own, self.calls].into_iter())
    }
}

impl CostsOfLines {
    pub(super) fn new(maker: &ReasonMaker<'_, '_>, files: &AlignedFiles<'_>) -> CostsOfLines {
        let profile = maker.profile;
        let graphs = maker.input.graphs;
        let mut of_files: BTreeMap<FileId, BTreeMap<LineKey, CostsOfLine>> = BTreeMap::new();
        for place in profile.places.chunk_by(|a, b| a.fragment == b.fragment) {
            let file = profile.fragment(place[0].fragment).file;
            if files.get(file).has_text() {
                of_files.entry(file).or_default();
            }
        }
        for (&file, costs) in &mut of_files {
            for at in files.at_lines(file) {
                costs.entry(at.key).or_default().own.add(at.cost);
            }
        }
        let mut callees: BTreeMap<(FileId, LineKey, RowId), BaseAndNew> = BTreeMap::new();
        for (number, call) in (0..).zip(&profile.calls) {
            let line = profile.line(call.site);
            let fragment = profile.fragment(call.site.fragment);
            let aligned = files.get(fragment.file);
            let is_known = line > 0 && aligned.has_text();
            let Some(lines) = aligned.lines.as_ref().filter(|_| is_known) else {
                continue;
            };
            let (costs_of_call, counts) = (maker.cost_of_call(number), maker.count_of_call(number));
            let is_inner = [Some(&graphs.new), graphs.base.as_ref()]
                .into_iter()
                .flatten()
                .any(|graph| graph.is_inner(fragment.function, call.callee));
            let (_, callee) = maker.input.rows.of_call(*call);
            let costs = of_files.entry(fragment.file).or_default();
            for is_base in [false, true] {
                let (cost, count) = (costs_of_call.only(is_base), counts.only(is_base));
                if cost == BaseAndNew::default() && count == BaseAndNew::default() {
                    continue;
                }
                let key = lines.key(line, is_base);
                let calls_there = callees.entry((fragment.file, key, callee)).or_default();
                calls_there.add(BaseAndNew { base: 1, new: 1 }.only(is_base));
                let at = costs.entry(key).or_default();
                if !is_inner {
                    at.calls.add(cost);
                }
                at.call_count.add(count);
                at.is_in_cycle |= is_inner;
            }
        }
        let of_one_side = callees.iter().filter(|(_, on)| on.new == 0 || on.base == 0);
        for (&(file, key, _), _) in of_one_side {
            let at = of_files.get_mut(&file).and_then(|costs| costs.get_mut(&key));
            at.into_iter().for_each(|at| at.calls_others = true);
        }
        CostsOfLines(of_files)
    }
}

/// The lines whose texts did not change with the largest changes of cost. A line is left out if
/// others, to which only it leads, have most of its change.
pub(super) fn unchanged_lines(
    maker: &ReasonMaker<'_, '_>,
    files: &AlignedFiles<'_>,
    of_lines: &CostsOfLines,
) -> Vec<LineWithChange> {
    let whole = i128::from(maker.input.change).abs();
    let changes = of_lines.0.iter().flat_map(|(&file, costs)| {
        let known = costs.iter().filter(|(_, at)| !at.is_in_cycle && !at.calls_others);
        known.map(move |(&key, at)| ((file, key), at.inclusive().change()))
    });
    let is_large = |change: i64| change != 0 && i128::from(change).abs() * LINE_PARTS >= whole;
    let mut lines: Vec<((FileId, LineKey), i64)> =
        changes.filter(|&(_, change)| is_large(change)).collect();
    // Of lines with equal changes the outer ones come first, as far as lines tell.
    lines.sort_by_key(|&(line, change)| (Reverse(change.unsigned_abs()), line));
    lines.truncate(MAX_LINES);
    let reach_of_lines = reached(maker, files, &lines);
    let is_left_out = |at: usize| {
        let change = lines[at].1;
        let same_way = |other: i64| if change < 0 { other.saturating_neg() } else { other };
        let costs: Vec<(Reach, i64)> = lines
            .iter()
            .zip(&reach_of_lines)
            .map(|(&(_, change), &reach)| (reach, same_way(change)))
            .collect();
        covering(&costs, at, |_| true).is_some()
    };
    lines
        .iter()
        .enumerate()
        .filter(|&(_, ((file, key), _))| !files.get(*file).is_changed(*key))
        .filter(|&(at, _)| !is_left_out(at))
        .map(|(_, &((file, key), change))| {
            let calls = of_lines.0[&file][&key].call_count;
            LineWithChange { at: files.get(file).line(key), change, calls }
        })
        .take(MAX_SHOWN)
        .collect()
}

/// How the lines can be reached through the calls of both sides.
fn reached(
    maker: &ReasonMaker<'_, '_>,
    files: &AlignedFiles<'_>,
    lines: &[((FileId, LineKey), i64)],
) -> Vec<Reach> {
    let profile = maker.profile;
    let numbers: HashMap<(FileId, LineKey), usize> =
        lines.iter().enumerate().map(|(number, &(line, _))| (line, number)).collect();
    let mut reached: Vec<Reach> =
        (0..lines.len()).map(|number| Reach { bit: 1 << number, ..Reach::default() }).collect();
    if lines.is_empty() {
        return reached;
    }
    let bits_at = |place: Place| -> LineSet {
        let keys = files.keys_of(place).map(|keys| [keys.new, keys.base]);
        let known = keys.iter().flatten().filter_map(|key| numbers.get(key));
        known.fold(0, |bits, number| bits | 1 << number)
    };
    let mut inside: Vec<(FunctionId, LineSet)> = Vec::new();
    let mut add = |place: Place| {
        let bits = bits_at(place);
        if bits != 0 {
            inside.push((profile.fragment(place.fragment).function, bits));
        }
        bits
    };
    let mut calls = Vec::with_capacity(profile.calls.len());
    for call in &profile.calls {
        let caller = profile.fragment(call.site.fragment).function;
        calls.push((caller, call.callee, add(call.site)));
    }
    profile.places.iter().for_each(|&place| {
        add(place);
    });
    inside.sort_unstable();
    inside.dedup();
    let ways = Ways::new(maker.input.graphs.new.in_order(), calls.into_iter());
    for (function, bits) in inside {
        for reach in reached.iter_mut().filter(|reach| reach.bit & bits != 0) {
            reach.add(&ways, function, 0);
        }
    }
    reached
}
