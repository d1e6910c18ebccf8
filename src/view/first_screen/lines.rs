//! The user's most expensive lines: what was executed at a line, code inlined there included, and
//! the calls made there, each instruction once.
//!
//! **Recursion.** A line of a recursive function costs what
//! [`cost_of_code`](crate::graph::CallGraph::cost_of_code) says, as everywhere. A line that is in
//! several functions of which one leads to another, costs at least what it did in any one of them,
//! and at least what it did in all of them without the calls that lead to them again: the larger of
//! both numbers counts. Instances of a template that do not lead to each other are added up.
//!
//! **Collapsed.** A line is left out if lines that only it leads to have most of its cost, unless
//! these are a loop within a loop: it is executed often, and each time executes them often. It is
//! named beside the first of them that is shown, and is shown itself if none of them is. Of the
//! lines that call into a cycle from within, which all lead to each other, only the most expensive
//! one is a candidate, but for lines of functions that are known never to be nested. The first line
//! of a function, which has the cost of inlined code whose lines are unknown, says less than the
//! line that calls the function: that one stays if the first line alone has most of its cost.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use super::code::{FileLine, Frame};
use super::items::{Item, Items};
use super::spent::Spent;
use super::ways::{LineSet, MAX_LINES, Reach, Ways, covering, is_most_of};
use crate::graph::{CodeCost, Estimated};
use crate::profile::{Count, FunctionId};
use crate::view::leading::{Counted, Group, Leading, SpentInCode, counted};

/// A line is a candidate from this part of the total on: a twentieth.
const CANDIDATE_PARTS: i128 = 20;

/// A line that is executed at least as often, and whose lines are so each time, has a loop within a
/// loop.
const LOOP: i64 = 100;

/// A place or a call at a line.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) item: Item,
    /// The position of the line among the lines of the item's place.
    pub(super) position: usize,
    /// Whether its cost is part of that of the line.
    pub(super) is_counted: bool,
}

pub(super) struct OwnLine {
    pub(super) line: FileLine,
    pub(super) cost: i64,
    /// Everything at the line.
    pub(super) at: Vec<At>,
    /// Whether the line leads to itself, by recursion.
    pub(super) is_nested: bool,
    /// The lines that are left out for it, the most expensive first.
    pub(super) leading: Vec<OwnLine>,
    /// Whether it costs what it did in each of its functions, added up. Otherwise it costs what the
    /// counted items do, as one of its functions leads to another.
    adds_functions: bool,
    reach: Reach,
}

/// What a line costs with its bounds, by event.
pub(super) struct LineCosts {
    pub(super) least: Vec<Count>,
    pub(super) shown: Vec<Count>,
    pub(super) most: Vec<Count>,
}

impl OwnLine {
    /// What the line costs, also of derived events.
    pub(super) fn costs(&self, items: &Items<'_>) -> LineCosts {
        let events = items.profile.events();
        let sums: Vec<Estimated> = (0..items.width()).map(|event| self.sum(items, event)).collect();
        let counts = |of: fn(&Estimated) -> i128| {
            let mut counts = vec![Count::UNDEFINED; events.len()];
            for (count, sum) in counts.iter_mut().zip(&sums) {
                *count = Count::new(i64::try_from(of(sum)).unwrap_or(i64::MAX));
            }
            events.derive(&mut counts);
            counts
        };
        LineCosts {
            least: counts(|sum| sum.least),
            shown: counts(|sum| sum.shown),
            most: counts(|sum| sum.most),
        }
    }

    /// What it costs of a recorded event.
    fn sum(&self, items: &Items<'_>, event: usize) -> Estimated {
        let mut all = Estimated { least: 0, shown: 0, most: 0 };
        for (function, code) in code_of_functions(&self.at, items, event) {
            let of_function = items.cost_of_code(function, code, event);
            all.least += of_function.least;
            all.shown += of_function.shown;
            all.most += of_function.most;
        }
        if !self.adds_functions {
            let counted = self.at.iter().filter(|at| at.is_counted);
            let once = counted.map(|at| i128::from(items.cost(at.item, event))).sum();
            all = Estimated { least: once, shown: once, most: once };
        }
        all
    }
}

/// What the functions of a line spent there.
fn code_of_functions(at: &[At], items: &Items<'_>, event: usize) -> BTreeMap<FunctionId, CodeCost> {
    let mut of_functions: BTreeMap<FunctionId, CodeCost> = BTreeMap::new();
    for at in at {
        items.add_to(of_functions.entry(items.function(at.item)).or_default(), at.item, event);
    }
    of_functions
}

/// The lines to show, at most `max`, the most expensive first.
pub(super) fn own_lines(
    spent: Spent<'_, '_>,
    total: i64,
    max: usize,
    mut times: impl FnMut(&OwnLine) -> i64,
) -> Vec<OwnLine> {
    let candidates = candidates(spent, total);
    if candidates.is_empty() {
        return Vec::new();
    }
    let mut lines = with_ways(spent, candidates);
    lines.iter_mut().for_each(|line| line.cost = line.cost.min(total));
    lines.retain(|line| is_large(line.cost.into(), total));
    lines.sort_by_cached_key(|own| {
        // Of equal lines the outer ones come first.
        let name = spent.code.files.name(own.line.0).to_vec();
        (Reverse(own.cost), own.reach.above.count_ones(), name, own.line.1)
    });
    let mut is_loop = |line: &OwnLine, inside: &OwnLine| {
        let outside = if line.is_nested { 0 } else { times(line) };
        outside >= LOOP && times(inside) / outside >= LOOP
    };
    let reached: Vec<(Reach, i64)> = lines.iter().map(|line| (line.reach, line.cost)).collect();
    let is_unknown: Vec<bool> = lines.iter().map(|line| is_mostly_unknown(line, spent)).collect();
    let covering_of = |at: usize| {
        let inside = covering(&reached, at, |_| true)?;
        // The line that calls a function says more than its first line.
        let is_end = is_unknown[inside] && covering(&reached, inside, |_| true).is_none();
        if is_end && !is_unknown[at] && is_most_of(lines[inside].cost, lines[at].cost) {
            return covering(&reached, at, |inside| !is_unknown[inside]);
        }
        Some(inside)
    };
    let left_out: Vec<bool> = lines
        .iter()
        .enumerate()
        .map(|(at, line)| covering_of(at).is_some_and(|inside| !is_loop(line, &lines[inside])))
        .collect();
    let shown = shown_lines(&reached, left_out, max);
    let mut lines: Vec<Option<OwnLine>> = lines.into_iter().map(Some).collect();
    let with_leading = |(at, leading): (usize, Vec<usize>)| {
        let leading = leading.into_iter().filter_map(|at| lines[at].take()).collect();
        Some(OwnLine { leading, ..lines[at].take()? })
    };
    shown.into_iter().filter_map(with_leading).collect()
}

/// The lines that are shown, each with those that are left out for it: no line that costs more than
/// the last one is missing. The lines are sorted by cost.
fn shown_lines(
    reached: &[(Reach, i64)],
    mut is_left_out: Vec<bool>,
    max: usize,
) -> Vec<(usize, Vec<usize>)> {
    loop {
        let kept = (0..reached.len()).filter(|&at| !is_left_out[at]).take(max);
        let mut shown: Vec<(usize, Vec<usize>)> = kept.map(|at| (at, Vec::new())).collect();
        let least = shown.last().map_or(0, |&(last, _)| reached[last].1);
        let lost = (0..reached.len()).filter(|&at| is_left_out[at]).find(|&at| {
            let (line, cost) = reached[at];
            let below = shown.iter_mut().find(|(of, _)| line.leads_alone_to(reached[*of].0));
            below.map(|(_, leading)| leading.push(at)).is_none() && cost > least
        });
        let Some(lost) = lost else { return shown };
        is_left_out[lost] = false;
    }
}

/// Whether at least half of the cost of a line is that of inlined code whose lines are not
/// recorded: such a line is the first one of its function.
fn is_mostly_unknown(line: &OwnLine, spent: Spent<'_, '_>) -> bool {
    let mut frames = Vec::new();
    let mut unknown: i128 = 0;
    for at in line.at.iter().filter(|at| at.is_counted) {
        spent.frames(at.item, &mut frames);
        if !frames[at.position].is_known {
            unknown += i128::from(spent.cost(at.item));
        }
    }
    unknown * 2 >= i128::from(line.cost)
}

pub(super) fn is_large(cost: i128, total: i64) -> bool {
    cost > 0 && cost * CANDIDATE_PARTS >= i128::from(total)
}

/// Calls `each` for each line of the user's own sources that an item is at, once.
fn each_own(frames: &[Frame], mut each: impl FnMut(usize, FileLine)) {
    for (position, frame) in frames.iter().enumerate().filter(|(_, frame)| frame.is_own) {
        let is_again = frames[..position].iter().any(|of| of.is_own && of.line == frame.line);
        if !is_again {
            each(position, frame.line);
        }
    }
}

/// The lines that may be shown: the largest ones of a twentieth of the total.
fn candidates(spent: Spent<'_, '_>, total: i64) -> Vec<FileLine> {
    let Spent { code, items, event } = spent;
    let mut sums: HashMap<FileLine, i64> = HashMap::new();
    let mut recursive: HashMap<(FileLine, FunctionId), CodeCost> = HashMap::new();
    // The lines that call into a cycle from within, and a number of the cycle.
    let mut of_cycles: HashMap<FileLine, Vec<usize>> = HashMap::new();
    let mut frames = Vec::new();
    for item in items.all() {
        let cost = spent.cost(item);
        if cost == 0 || !items.is_part(item) {
            continue;
        }
        spent.own_frames(item, &mut frames);
        let function = items.function(item);
        let is_plain = !items.is_recursive(function);
        // The calls of a function that is never nested cost what they cost, whatever its cycle.
        let goes_round = items.is_inner(item) && !items.graph.is_never_nested(function);
        let cycle = goes_round.then(|| items.graph.component_of(function));
        each_own(&frames, |_, line| {
            if let Some(cycle) = cycle {
                let cycles = of_cycles.entry(line).or_default();
                if !cycles.contains(&cycle) {
                    cycles.push(cycle);
                }
            }
            if is_plain {
                let sum = sums.entry(line).or_default();
                *sum = sum.saturating_add(cost);
                return;
            }
            items.add_to(recursive.entry((line, function)).or_default(), item, event);
        });
    }
    for ((line, function), code) in recursive {
        let cost = i64::try_from(items.cost_of_code(function, code, event).shown);
        let sum = sums.entry(line).or_default();
        *sum = sum.saturating_add(cost.unwrap_or(i64::MAX));
    }
    let mut lines: Vec<_> =
        sums.into_iter().filter(|&(_, cost)| is_large(cost.into(), total)).collect();
    lines.sort_by_cached_key(|&((file, line), cost)| {
        (Reverse(cost), code.files.name(file).to_vec(), line)
    });
    let mut is_shown: HashSet<usize> = HashSet::new();
    lines.retain(|(line, _)| {
        let cycles = of_cycles.get(line).map_or(&[][..], Vec::as_slice);
        let is_first = !cycles.iter().any(|cycle| is_shown.contains(cycle));
        if is_first {
            is_shown.extend(cycles);
        }
        is_first
    });
    lines.truncate(MAX_LINES);
    lines.into_iter().map(|(line, _)| line).collect()
}

/// Where candidates are, and in which of them calls are made.
struct CandidateCode {
    /// The functions with the numbers of candidates in them, and the candidates around these.
    inside: Vec<(FunctionId, usize, LineSet)>,
    /// The caller, the callee and the candidates of each call.
    of_calls: Vec<(FunctionId, FunctionId, LineSet)>,
}

/// Adds to candidates the places and calls at them.
fn add_items(spent: Spent<'_, '_>, lines: &mut [OwnLine]) -> CandidateCode {
    let items = spent.items;
    let numbers: HashMap<FileLine, usize> =
        lines.iter().enumerate().map(|(number, own)| (own.line, number)).collect();
    let mut frames = Vec::new();
    let mut inside = Vec::new();
    let mut of_calls = Vec::with_capacity(items.profile.calls.len());
    let mut is_candidate_file = HashSet::new();
    is_candidate_file.extend(lines.iter().map(|own| own.line.0));
    let may_be_candidate = spent.code.fragments_with(|file| is_candidate_file.contains(&file));
    for item in items.all() {
        let place = items.place(item);
        frames.clear();
        if may_be_candidate[place.fragment.index()] {
            spent.frames(item, &mut frames);
        }
        let function = items.function(item);
        let mut around = 0;
        each_own(&frames, |position, line| {
            if let Some(&number) = numbers.get(&line)
                && items.is_part(item)
            {
                lines[number].at.push(At { item, position, is_counted: false });
                let fact = (function, number, around);
                if inside.last() != Some(&fact) {
                    inside.push(fact);
                }
                around |= 1 << number;
            }
        });
        if let Some(callee) = items.callee(item) {
            of_calls.push((function, callee, around));
        }
    }
    inside.sort_unstable();
    inside.dedup();
    CandidateCode { inside, of_calls }
}

/// The candidates with their costs, and what leads to them.
fn with_ways(spent: Spent<'_, '_>, candidates: Vec<FileLine>) -> Vec<OwnLine> {
    let items = spent.items;
    let mut lines: Vec<OwnLine> = candidates
        .iter()
        .enumerate()
        .map(|(number, &line)| OwnLine {
            line,
            cost: 0,
            at: Vec::new(),
            is_nested: false,
            leading: Vec::new(),
            adds_functions: true,
            reach: Reach { bit: 1 << number, ..Reach::default() },
        })
        .collect();
    let CandidateCode { inside, of_calls } = add_items(spent, &mut lines);
    let ways = Ways::new(items.graph.in_order(), of_calls.into_iter());
    let mut has = vec![0; items.profile.function_count()];
    for &(function, number, around) in &inside {
        let reach = &mut lines[number].reach;
        reach.add(&ways, function, around);
        has[function.index()] |= reach.bit;
    }
    for line in &mut lines {
        line.is_nested = line.reach.above & line.reach.bit != 0;
    }
    let nested = lines.iter().filter(|line| line.is_nested);
    let functions = nested.flat_map(|line| line.at.iter().map(|at| items.function(at.item)));
    let leading = Leading::to(functions, items.graph);
    for line in &mut lines {
        count(line, &leading, spent);
    }
    lines
}

/// Decides which of the items at a line explain its cost, so that nothing counts twice, and what it
/// costs.
fn count(line: &mut OwnLine, leading: &Leading, spent: Spent<'_, '_>) {
    let Spent { items, event, .. } = spent;
    let of_functions = code_of_functions(&line.at, items, event);
    let is_own = |item: Item| {
        let function = items.function(item);
        if items.is_recursive(function) && of_functions[&function].is_mostly_outermost() {
            items.is_outermost(item)
        } else {
            !items.is_inner(item)
        }
    };
    let mut spent_in: HashMap<FunctionId, SpentInCode> = HashMap::new();
    for (&function, &code) in &of_functions {
        let inclusive = items.cost_of_code(function, code, event).least;
        spent_in.insert(function, SpentInCode::of(inclusive));
    }
    for at in &line.at {
        let (of, cost) = (spent_in.entry(items.function(at.item)), spent.cost(at.item));
        of.or_default().add(items.callee(at.item), cost.into());
    }
    let functions: Vec<FunctionId> = of_functions.keys().copied().collect();
    let groups = leading.groups(&functions);
    line.adds_functions = !groups.iter().any(Group::has_several);
    let mut group_of: HashMap<FunctionId, (&Group, Counted)> = HashMap::new();
    for group in &groups {
        let explained_by = counted(group, |function| &spent_in[&function], leading);
        group_of.extend(group.functions.iter().map(|&function| (function, (group, explained_by))));
    }
    for at in &mut line.at {
        let (function, callee) = (items.function(at.item), items.callee(at.item));
        at.is_counted = match group_of[&function] {
            (group, _) if !group.has_several() => is_own(at.item),
            (_, Counted::Of(most)) => function == most && is_own(at.item),
            (group, Counted::Once) => {
                callee.is_none_or(|callee| !leading.leads_to_any(callee, group))
            }
        };
    }
    line.cost = line.costs(items).shown[event].or_zero();
}
