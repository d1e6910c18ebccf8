//! What all lines cost with the calls made there, and the lines that cost more or less although
//! their texts are the same.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::aligned::AlignedFiles;
use super::inlined::{InlinedAtLines, SpentInlined};
use super::{BaseAndNew, LineWithChange, ReasonMaker};
use crate::profile::{FileId, FunctionId, Place};
use crate::source::LineKey;
use crate::view::annotate::CostSource;
use crate::view::first_screen::ways::{LineSet, MAX_LINES, Reach, Ways, covering};
use crate::view::label::RowId;

/// The maximum number of lines that are shown.
const MAX_SHOWN: usize = 3;

/// A line is looked at from this part of the total's change on: a twentieth.
const LINE_PARTS: i128 = 20;

/// What was executed at lines, and the calls made there. Only files whose lines can be compared,
/// and whose text is known, are here.
pub(super) struct CostsOfLines {
    pub(super) of_files: BTreeMap<FileId, BTreeMap<LineKey, CostsOfLine>>,
    inlined: InlinedAtLines,
    /// The files with lines of which it is not known what is inlined there.
    lacking: BTreeSet<FileId>,
}

/// What a line costs.
#[derive(Clone, Copy, Default)]
pub(super) struct CostsOfLine {
    pub(super) own: BaseAndNew,
    /// What its calls cost, but for those within a cycle, of which that is not known.
    calls: BaseAndNew,
    /// What is inlined there, with the calls that it makes but for those within a cycle.
    inlined: BaseAndNew,
    /// The number of calls.
    pub(super) call_count: BaseAndNew,
    /// Whether a call within a cycle is made there. The sides may have different cycles.
    is_in_cycle: bool,
    /// Whether a function is called there on one side only. If the text is the same, it is inlined
    /// on the other side, and what it costs there may not be known.
    calls_others: bool,
    /// Whether it is not known what is inlined at some code of the line.
    is_unknown: bool,
    /// Whether it is known that something is, but not what.
    lacks_inlined: bool,
}

impl CostsOfLine {
    /// Whether nothing was executed or called there.
    pub(super) fn is_nothing(self) -> bool {
        let all = [self.own, self.calls, self.inlined, self.call_count];
        all.iter().all(|of| *of == BaseAndNew::default())
    }

    pub(super) fn inclusive(self) -> BaseAndNew {
        ReasonMaker::sum([self.own, self.calls, self.inlined].into_iter())
    }

    /// Whether all that it costs is known, on both sides.
    fn is_known(self) -> bool {
        !(self.is_in_cycle || self.calls_others && self.is_unknown)
    }
}

impl CostsOfLines {
    pub(super) fn new(maker: &ReasonMaker<'_, '_>) -> CostsOfLines {
        let (profile, files) = (maker.profile, &maker.files);
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
        let mut is_wanted = vec![false; profile.file_count()];
        of_files.keys().for_each(|file| is_wanted[file.index()] = true);
        let mut inlined = InlinedAtLines::new(maker, &is_wanted);
        let spent = std::mem::take(&mut inlined.spent);
        let mut lines = CostsOfLines { of_files, inlined, lacking: BTreeSet::new() };
        lines.add_calls(maker);
        lines.note_unknown(files);
        spent.iter().for_each(|spent| lines.add_inlined(maker, spent));
        lines.inlined.spent = spent;
        lines
    }

    /// Adds what calls cost at their lines, and how many there are.
    fn add_calls(&mut self, maker: &ReasonMaker<'_, '_>) {
        let (profile, files, graphs) = (maker.profile, &maker.files, maker.input.graphs);
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
            let count_at_line = maker.count_at_line(number);
            let is_inner = [Some(&graphs.new), graphs.base.as_ref()]
                .into_iter()
                .flatten()
                .any(|graph| graph.is_inner(fragment.function, call.callee));
            let (_, callee) = maker.input.rows.of_call(*call);
            let costs = self.of_files.entry(fragment.file).or_default();
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
                at.call_count.add(count_at_line.only(is_base));
                at.is_in_cycle |= is_inner;
            }
        }
        let of_one_side = callees.iter().filter(|(_, on)| on.new == 0 || on.base == 0);
        for (&(file, key, _), _) in of_one_side {
            let at = self.of_files.get_mut(&file).and_then(|costs| costs.get_mut(&key));
            at.into_iter().for_each(|at| at.calls_others = true);
        }
    }

    /// Whether the cost of a change lacks that of what is inlined at its lines.
    pub(super) fn lacks_inlined(&self, file: FileId, keys: &[LineKey]) -> bool {
        let costs = self.of_files.get(&file);
        let mut at_keys = keys.iter().filter_map(|key| costs?.get(key));
        let is_nothing = at_keys.clone().all(|at| at.is_nothing());
        at_keys.any(|at| at.lacks_inlined) || is_nothing && self.lacking.contains(&file)
    }

    /// Notes where it is not known what is inlined.
    fn note_unknown(&mut self, files: &AlignedFiles<'_>) {
        let profile = files.rows.profile;
        for (place, on) in profile.places_and_sites() {
            let function = profile.fragment(place.fragment).function;
            if self.inlined.is_known(function) {
                continue;
            }
            let lacks_inlined = self.inlined.lacks(function);
            let Some(keys) = files.keys_of(place) else {
                continue;
            };
            let of_sides = [(on.new, keys.new), (on.base, keys.base)];
            for (file, key) in of_sides.into_iter().filter(|(is_on, _)| *is_on).map(|(_, at)| at) {
                let of_file = self.of_files.get_mut(&file);
                if let Some(at) = of_file.and_then(|costs| costs.get_mut(&key)) {
                    at.is_unknown = true;
                    at.lacks_inlined |= lacks_inlined;
                }
                if lacks_inlined {
                    self.lacking.insert(file);
                }
            }
        }
    }

    /// Adds a cost in inlined code to the lines that this was inlined into.
    fn add_inlined(&mut self, maker: &ReasonMaker<'_, '_>, spent: &SpentInlined) {
        let cost = match spent.source {
            CostSource::Place(number) => maker.cost_of_place(number),
            CostSource::Call(number) => maker.cost_of_call(number),
        }
        .only(spent.is_base);
        let key_of = |&(file, line): &(FileId, u32)| {
            let lines = maker.files.get(file).lines.as_ref()?;
            Some((file, lines.key(line, spent.is_base)))
        };
        for (file, key) in spent.lines.iter().filter_map(key_of) {
            let Some(costs) = self.of_files.get_mut(&file) else {
                continue;
            };
            let of_line = costs.entry(key).or_default();
            of_line.is_in_cycle |= spent.is_in_cycle;
            if spent.is_in_cycle {
                continue;
            }
            of_line.inlined.add(cost);
        }
    }

    /// What is inlined at the lines.
    pub(super) fn inlined(&self) -> &[SpentInlined] {
        &self.inlined.spent
    }
}

/// The lines whose texts did not change with the largest changes of cost. A line is left out if
/// others, to which only it leads, have most of its change.
pub(super) fn unchanged_lines(
    maker: &ReasonMaker<'_, '_>,
    of_lines: &CostsOfLines,
) -> Vec<LineWithChange> {
    let whole = i128::from(maker.input.change).abs();
    let changes = of_lines.of_files.iter().flat_map(|(&file, costs)| {
        let known = costs.iter().filter(|(_, at)| at.is_known());
        known.map(move |(&key, at)| ((file, key), at.inclusive().change()))
    });
    let is_large = |change: i64| change != 0 && i128::from(change).abs() * LINE_PARTS >= whole;
    let mut lines: Vec<((FileId, LineKey), i64)> =
        changes.filter(|&(_, change)| is_large(change)).collect();
    // Of lines with equal changes the outer ones come first, as far as lines tell.
    lines.sort_by_key(|&(line, change)| (Reverse(change.unsigned_abs()), line));
    lines.truncate(MAX_LINES);
    let reach_of_lines = reached(maker, of_lines, &lines);
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
        .filter(|&(_, ((file, key), _))| !maker.files.get(*file).is_changed(*key))
        .filter(|&(at, _)| !is_left_out(at))
        .map(|(_, &((file, key), change))| {
            let calls = of_lines.of_files[&file][&key].call_count;
            let of_file = maker.files.get(file);
            let has_new_words = of_file.has_new_words(key);
            LineWithChange { at: of_file.line(key), change, calls, has_new_words }
        })
        .take(MAX_SHOWN)
        .collect()
}

/// By place and call of inlined code the bits of the lines that it was inlined into, the outermost
/// first. `numbers` are those of the lines that have a bit.
fn inlined_chains(
    files: &AlignedFiles<'_>,
    of_lines: &CostsOfLines,
    numbers: &HashMap<(FileId, LineKey), usize>,
) -> HashMap<CostSource, Vec<Vec<LineSet>>> {
    let mut chains: HashMap<CostSource, Vec<Vec<LineSet>>> = HashMap::new();
    for spent in &of_lines.inlined.spent {
        let bit_of = |&(file, line): &(FileId, u32)| -> Option<LineSet> {
            let key = files.get(file).lines.as_ref()?.key(line, spent.is_base);
            numbers.get(&(file, key)).map(|&number| 1 << number)
        };
        let chain: Vec<LineSet> = spent.lines.iter().rev().filter_map(bit_of).collect();
        if !chain.is_empty() {
            chains.entry(spent.source).or_default().push(chain);
        }
    }
    chains
}

/// How the lines can be reached through the calls of both sides.
fn reached(
    maker: &ReasonMaker<'_, '_>,
    of_lines: &CostsOfLines,
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
        let keys = maker.files.keys_of(place).map(|keys| [keys.new, keys.base]);
        let known = keys.iter().flatten().filter_map(|key| numbers.get(key));
        known.fold(0, |bits, number| bits | 1 << number)
    };
    let chains = inlined_chains(&maker.files, of_lines, &numbers);
    let not_inlined = vec![Vec::new()];
    let mut inside: Vec<(FunctionId, LineSet, LineSet)> = Vec::new();
    let mut add = |source: CostSource, place: Place| {
        let (function, own) = (profile.fragment(place.fragment).function, bits_at(place));
        let mut all = 0;
        for chain in chains.get(&source).unwrap_or(&not_inlined) {
            let mut around = 0;
            for &bits in chain.iter().chain([&own]) {
                if bits & !around != 0 {
                    inside.push((function, bits & !around, around));
                    around |= bits;
                }
            }
            all |= around;
        }
        all
    };
    let mut calls = Vec::with_capacity(profile.calls.len());
    for (number, call) in (0..).zip(&profile.calls) {
        let caller = profile.fragment(call.site.fragment).function;
        calls.push((caller, call.callee, add(CostSource::Call(number), call.site)));
    }
    for (number, &place) in (0..).zip(&profile.places) {
        add(CostSource::Place(number), place);
    }
    inside.sort_unstable();
    inside.dedup();
    let ways = Ways::new(maker.input.graphs.new.in_order(), calls.into_iter());
    for (function, bits, around) in inside {
        for reach in reached.iter_mut().filter(|reach| reach.bit & bits != 0) {
            reach.add(&ways, function, around);
        }
    }
    reached
}
