//! The lines of one file that have costs or calls. There may be 100,000 of them, so costs are in a
//! few long vectors, and a line without calls has no heap allocation of its own.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

use hashbrown::{HashMap, HashSet};

use crate::demangle::displayed;
use crate::graph::{CallEnd, CallGraph};
use crate::profile::{Call, Count, Events, FileId, Fragment, Presence, add_cost};
use crate::source::{LineKey, LineMap};
use crate::view::annotate::Annotator;
use crate::view::annotate::counting::Counting;
use crate::view::annotate::inlined::{CostSource, InlinedCallee, InlinedCost, InlinedCosts};
use crate::view::call_counts::CallCounts;
use crate::view::call_lines::CallLines;
use crate::view::figure::{Cost, CostFigure, Figure};
use crate::view::label::{Label, RowId};
use crate::view::short_name::{short_file, short_function};
use crate::view::sums::{LineKeys, Sums, SumsBuilder};

/// The lines with costs or calls, by number, including those past the end of the source.
pub struct AnnotatedLines<'p> {
    /// The costs at line 0: only their file is known. Line 0 is not in `lines`.
    pub unidentified: Option<Figure<Cost>>,
    /// Code from other files in functions that have no line in this one.
    elsewhere: Option<Box<ElsewhereLine<'p>>>,
    /// The number of calls and inlined functions at shown lines that are not among theirs, because
    /// they are small or there is no room for them, and other lines are requested.
    pub left_out: usize,
    /// Whether a function that is inlined at a line is inlined into another one there, so that
    /// their costs have code in common.
    pub has_copies_in_copies: bool,
    lines: Vec<LineOfSource<'p>>,
    pub(super) costs: Sums<LineKey>,
    call_costs: Sums<(LineKey, InlinedCallee)>,
}

struct LineOfSource<'p> {
    key: LineKey,
    at: usize,
    calls: Vec<CalleeAtLine<'p>>,
    elsewhere: Option<Box<ElsewhereLine<'p>>>,
    /// The number of calls that are not among these, because there is no room for them.
    more_calls: usize,
    is_of_interest: bool,
}

/// A row below a line: one of its calls, code from other files in the functions that begin there,
/// or a call of that code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct CallOfLine {
    /// The position of the line in the list.
    pub(super) line: usize,
    which: WhichCall,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum WhichCall {
    Own(usize),
    Elsewhere,
    OfElsewhere(usize),
}

/// A callee, and the position of the sum of its calls.
type CalleeAtLine<'p> = (Label<'p>, usize);

/// Code from other files in the functions that begin at a line.
struct ElsewhereLine<'p> {
    cost: Figure<Cost>,
    /// The file with most of it; none if this code only calls functions.
    file: Option<&'p [u8]>,
    cost_of_file: Figure<Cost>,
    more_files: usize,
    calls: Vec<CalleeAtLine<'p>>,
}

pub struct AnnotatedLine<'a, 'p> {
    /// Its number in NEW; for a removed line, the number of the line before it.
    pub line: u32,
    /// Its number in BASE if the line was removed, else 0.
    pub removed: u32,
    /// Whether the line is always shown. Lines that a difference leaves unchanged are only shown
    /// near such lines.
    pub is_of_interest: bool,
    pub cost: CostFigure<'a>,
    pub more_calls: usize,
    calls: &'a [CalleeAtLine<'p>],
    elsewhere: Option<&'a ElsewhereLine<'p>>,
    call_costs: &'a Sums<(LineKey, InlinedCallee)>,
}

/// Code from other files in functions, and what it calls.
pub struct Elsewhere<'a, 'p> {
    /// Its self cost.
    pub cost: CostFigure<'a>,
    /// The file with most of it, and the cost there; none if this code only calls functions.
    pub file: Option<&'p [u8]>,
    pub cost_of_file: CostFigure<'a>,
    pub more_files: usize,
    calls: &'a [CalleeAtLine<'p>],
    call_costs: &'a Sums<(LineKey, InlinedCallee)>,
}

/// A function of which copies are inlined at a line, in the code of one row.
pub struct InlinedAtLine<'p> {
    pub row: RowId,
    pub line: u32,
    pub label: Label<'p>,
    /// The cost of the copies, with the calls that they make.
    pub cost: Figure<Cost>,
    /// The addresses of their instructions that were executed, where the profile has them.
    pub addresses: BTreeSet<u64>,
}

/// A function of which copies are inlined at a line, in the code of all rows.
pub struct InlinedOnce<'p> {
    pub line: u32,
    pub label: Label<'p>,
    pub cost: Figure<Cost>,
}

/// The callee of the calls from one line, their number and their inclusive cost.
pub type CallSite<'a, 'p> = (&'a Label<'p>, Figure<CallCounts>, CostFigure<'a>);

impl<'p> AnnotatedLines<'p> {
    pub fn iter(&self) -> impl Iterator<Item = AnnotatedLine<'_, 'p>> {
        self.lines.iter().map(|line| AnnotatedLine {
            line: line.key.new,
            removed: line.key.removed,
            is_of_interest: line.is_of_interest,
            cost: self.costs.cost(line.at),
            more_calls: line.more_calls,
            calls: &line.calls,
            elsewhere: line.elsewhere.as_deref(),
            call_costs: &self.call_costs,
        })
    }

    /// Code from other files in functions that have no line in this one.
    pub fn elsewhere(&self) -> Option<Elsewhere<'_, 'p>> {
        Some(self.elsewhere.as_ref()?.shown(&self.call_costs))
    }

    /// The self cost of the file, including line 0.
    pub fn sum(&self, events: &Events) -> Figure<Cost> {
        self.costs.sum(events)
    }

    /// The cost of all code from other files in the functions of this one, with what it calls; none
    /// if there is no such code. If several functions have such code that calls others, one may
    /// lead to another: then it is at least this, and true.
    pub fn sum_of_elsewhere(&self, events: &Events) -> Option<(Figure<Cost>, bool)> {
        let nothing = || Figure::undefined(events.len(), self.costs.is_difference());
        let (mut own, mut by_line) = (nothing(), BTreeMap::new());
        let (mut is_any, mut calls) = (false, false);
        for (at, &(line, callee)) in self.call_costs.keys.iter().enumerate() {
            let is_own = matches!(callee, InlinedCallee::Elsewhere(_));
            if !is_own && !matches!(callee, InlinedCallee::CalledElsewhere(_)) {
                continue;
            }
            let cost = self.call_costs.cost(at);
            (is_any, calls) = (true, calls || !is_own);
            by_line.entry(line).or_insert_with(nothing).add(cost);
            if is_own {
                own.add(cost);
            }
        }
        if !is_any {
            return None;
        }
        let is_at_least = calls && by_line.len() > 1;
        let size = |figure: &Figure<Cost>| {
            figure.value.first().map_or(0, |count| count.or_zero().unsigned_abs())
        };
        let largest = by_line.into_values().filter(|_| calls).max_by_key(size);
        let mut sum = match largest {
            Some(largest) if !is_at_least || size(&largest) > size(&own) => largest,
            _ => own,
        };
        sum.derive(events);
        Some((sum, is_at_least))
    }

    /// The rows below some lines, in order, each with its cost.
    pub(super) fn calls_of(&self, is_chosen: impl Fn(LineKey) -> bool) -> Vec<(CallOfLine, Cost)> {
        let mut calls = Vec::new();
        for (at, line) in self.lines.iter().enumerate().filter(|(_, line)| is_chosen(line.key)) {
            let mut add = |which: WhichCall, cost: &[Count]| {
                calls.push((CallOfLine { line: at, which }, cost.to_vec()));
            };
            for (number, (_, sum)) in line.calls.iter().enumerate() {
                add(WhichCall::Own(number), self.call_costs.cost(*sum).value);
            }
            if let Some(elsewhere) = &line.elsewhere {
                if elsewhere.file.is_some() {
                    add(WhichCall::Elsewhere, &elsewhere.cost.value);
                }
                for (number, (_, sum)) in elsewhere.calls.iter().enumerate() {
                    add(WhichCall::OfElsewhere(number), self.call_costs.cost(*sum).value);
                }
            }
        }
        calls
    }

    /// Keeps only some rows below lines. Lines count those that they lack because there is no room
    /// for them.
    pub(super) fn keep_calls(&mut self, kept: &HashSet<CallOfLine>, without_room: &[CallOfLine]) {
        without_room.iter().for_each(|call| self.lines[call.line].more_calls += 1);
        for (at, line) in self.lines.iter_mut().enumerate() {
            let is_kept = |which: WhichCall| kept.contains(&CallOfLine { line: at, which });
            let mut numbers = 0..;
            line.calls.retain(|_| numbers.next().is_some_and(|at| is_kept(WhichCall::Own(at))));
            if let Some(mut elsewhere) = line.elsewhere.take() {
                elsewhere.file = elsewhere.file.filter(|_| is_kept(WhichCall::Elsewhere));
                let mut numbers = 0..;
                elsewhere.calls.retain(|_| {
                    numbers.next().is_some_and(|at| is_kept(WhichCall::OfElsewhere(at)))
                });
                let is_any = elsewhere.file.is_some() || !elsewhere.calls.is_empty();
                line.elsewhere = is_any.then_some(elsewhere);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.unidentified.is_none() && self.elsewhere.is_none()
    }
}

impl<'a, 'p> AnnotatedLine<'a, 'p> {
    /// The functions that the line calls, and those that are inlined there.
    pub fn calls(&self) -> impl Iterator<Item = CallSite<'a, 'p>> + Clone + use<'a, 'p> {
        sites(self.calls, self.call_costs)
    }

    /// Code from other files in the functions that begin at the line.
    pub fn elsewhere(&self) -> Option<Elsewhere<'a, 'p>> {
        Some(self.elsewhere?.shown(self.call_costs))
    }
}

impl<'a, 'p> Elsewhere<'a, 'p> {
    pub fn calls(&self) -> impl Iterator<Item = CallSite<'a, 'p>> + Clone + use<'a, 'p> {
        sites(self.calls, self.call_costs)
    }
}

fn sites<'a, 'p>(
    calls: &'a [CalleeAtLine<'p>],
    costs: &'a Sums<(LineKey, InlinedCallee)>,
) -> impl Iterator<Item = CallSite<'a, 'p>> + Clone + use<'a, 'p> {
    calls.iter().map(|(label, at)| (label, costs.calls(*at), costs.cost(*at)))
}

impl<'p> ElsewhereLine<'p> {
    fn shown<'a>(&'a self, call_costs: &'a Sums<(LineKey, InlinedCallee)>) -> Elsewhere<'a, 'p> {
        Elsewhere {
            cost: self.cost.counts(),
            file: self.file,
            cost_of_file: self.cost_of_file.counts(),
            more_files: self.more_files,
            calls: &self.calls,
            call_costs,
        }
    }
}

/// The calls from a line to a function: the positions of their sum and of that of all calls with
/// this caller and callee.
type SitesOfLine = (LineKey, InlinedCallee, usize, usize);

/// The sums of calls by line and callee, and by caller and callee, while they are added up.
struct CallSums<'p> {
    sites: Vec<SitesOfLine>,
    costs: SumsBuilder<'p, (LineKey, InlinedCallee)>,
    pairs: SumsBuilder<'p, CallEnds>,
}

/// Whether two functions are inlined at one line, one into the other. The costs of a place follow
/// each other.
fn has_copies_in_copies<'c>(costs: impl Iterator<Item = &'c InlinedCost>) -> bool {
    let mut last = None;
    let mut lines: Vec<u32> = Vec::new();
    for cost in costs.filter(|cost| matches!(cost.callee, InlinedCallee::Copy(_))) {
        if last.replace((cost.spent, cost.on)) != Some((cost.spent, cost.on)) {
            lines.clear();
        }
        if lines.contains(&cost.line) {
            return true;
        }
        lines.push(cost.line);
    }
    false
}

/// Adds a cost of inlined code to the sum of a key; that of calls only on the sides `costs_on`.
/// Returns the position of the key.
fn add_spent<K: Copy + Eq + Hash>(
    sums: &mut SumsBuilder<'_, K>,
    key: K,
    cost: &InlinedCost,
    on: Presence,
    costs_on: Presence,
) -> usize {
    match (cost.callee, cost.spent) {
        (InlinedCallee::Copy(_), CostSource::Place(number)) => {
            sums.add_inlined_place(key, number as usize, on)
        }
        (InlinedCallee::Copy(_), CostSource::Call(number)) => {
            sums.add_inlined_calls(key, number as usize, on, costs_on)
        }
        (_, CostSource::Place(number)) => sums.add_place(key, number as usize, on),
        (_, CostSource::Call(number)) => {
            sums.add_recursive_calls(key, number as usize, on, costs_on)
        }
    }
}

/// A caller and a callee.
type CallEnds = (RowId, InlinedCallee);

/// The sums of calls by caller and callee.
type CallPairs = Sums<CallEnds>;

impl<'p> Annotator<'_, 'p> {
    /// The lines of a file with costs and calls, and those `in_any_case`.
    pub(super) fn lines(
        &self,
        file: FileId,
        in_any_case: &[u32],
        map: Option<&LineMap>,
    ) -> AnnotatedLines<'p> {
        let (profile, nowhere, line_keys) = (self.profile, LineKey::default(), LineKeys(map));
        let (places, calls) = (self.places.get(file.index()), self.calls.get(file.index()));
        let inlined = self.inlined.iter().flat_map(|inlined| inlined.of_file(file));
        let ends = calls.iter().map(|&number| self.ends_of(number));
        let has_copies_in_copies = has_copies_in_copies(inlined.clone());
        let of_inlined =
            inlined.clone().map(|cost| (cost.line, cost.on, self.ends_of_inlined(cost)));
        let call_lines = CallLines::new(line_keys, ends.chain(of_inlined));
        let mut sums = self.calls(calls, &call_lines);
        let counting = self.counting(inlined.clone());
        inlined.for_each(|cost| self.add_inlined(cost, &counting, &call_lines, &mut sums));
        let CallSums { mut sites, costs: call_costs, pairs } = sums;
        sites.sort_unstable();
        sites.dedup();
        let (call_costs, pairs) = (call_costs.finish(), pairs.finish());
        let others = in_any_case.iter().map(|&line| LineKey::new_line(line));
        let by_line = || sites.chunk_by(|a, b| a.0 == b.0);
        let with_calls = by_line().map(|sites| sites[0].0);
        let mut costs = SumsBuilder::in_order(profile, places.len());
        let in_any_case = others.clone().chain(with_calls);
        costs.add_lines(places, line_keys, in_any_case, |key| key);
        let costs = costs.finish();
        let mut lines = AnnotatedLines {
            unidentified: None,
            elsewhere: None,
            left_out: 0,
            has_copies_in_copies,
            lines: Vec::with_capacity(costs.keys.len()),
            call_costs,
            costs,
        };
        let mut sites = by_line().peekable();
        let mut others = others.peekable();
        for at in 0..lines.costs.keys.len() {
            let key = lines.costs.keys[at];
            let sites = sites.next_if(|sites| sites[0].0 == key).unwrap_or_default();
            let calls = self.calls_of_line(sites, &pairs, &lines.call_costs);
            let elsewhere = self.elsewhere(sites, &pairs, &lines.call_costs);
            let is_other = others.next_if_eq(&key).is_some();
            let cost = lines.costs.cost(at);
            let is_of_interest = !calls.is_empty()
                || elsewhere.is_some()
                || is_other
                || self.selection.shows(cost.value);
            if key != nowhere {
                let more_calls = 0;
                lines.lines.push(LineOfSource {
                    key,
                    at,
                    calls,
                    elsewhere,
                    more_calls,
                    is_of_interest,
                });
            } else {
                lines.unidentified = self.selection.shows(cost.value).then(|| cost.to_owned());
                lines.elsewhere = elsewhere;
            }
        }
        lines
    }

    /// The line of a call, its sides, and its caller and callee.
    fn ends_of(&self, number: u32) -> (u32, Presence, CallEnds) {
        let call = self.profile.calls[number as usize];
        let (caller, callee) = self.rows.of_call(call);
        let on = self.profile.presence_of_call(number as usize);
        (self.profile.line(call.site), on, (caller, InlinedCallee::Function(callee)))
    }

    fn ends_of_inlined(&self, cost: &InlinedCost) -> CallEnds {
        (self.row_with(cost), cost.callee)
    }

    /// Adds up calls, given by their numbers in the profile's table.
    fn calls(&self, calls: &[u32], call_lines: &CallLines<'_, CallEnds>) -> CallSums<'p> {
        let profile = self.profile;
        let mut sums = CallSums {
            sites: Vec::with_capacity(calls.len()),
            costs: SumsBuilder::new(profile),
            pairs: SumsBuilder::new(profile),
        };
        for &number in calls {
            let (line, on, ends) = self.ends_of(number);
            let (call, number) = (profile.calls[number as usize], number as usize);
            let pair = sums.pairs.add_call(ends, number, on);
            call_lines.each(line, on, ends, |key, on| {
                // Calls at line 0 have no line to be listed at.
                if key != LineKey::default() {
                    let (on_own, (_, callee)) = (self.on_own(call, on), ends);
                    let at = sums.costs.add_recursive_calls((key, callee), number, on, on_own);
                    sums.sites.push((key, callee, at, pair));
                }
            });
        }
        sums
    }

    /// Adds a cost of inlined code to that of its line.
    fn add_inlined(
        &self,
        cost: &InlinedCost,
        counting: &Counting,
        call_lines: &CallLines<'_, CallEnds>,
        sums: &mut CallSums<'p>,
    ) {
        let &InlinedCost { line, callee, on, .. } = cost;
        let ends = self.ends_of_inlined(cost);
        if matches!(cost.spent, CostSource::Place(_)) && !self.is_counted(cost, counting) {
            return;
        }
        call_lines.each(line, on, ends, |key, on| {
            let on_own = self.counted_on(cost, counting, on);
            let at = add_spent(&mut sums.costs, (key, callee), cost, on, on_own);
            let pair = add_spent(&mut sums.pairs, ends, cost, on, on_own);
            sums.sites.push((key, callee, at, pair));
        });
    }

    /// What is inlined at the lines of a file in a profile alone, apart for each row whose code it
    /// is in.
    pub fn inlined_by_row(&self, file: FileId) -> Vec<InlinedAtLine<'p>> {
        let mut sums = SumsBuilder::new(self.profile);
        let mut addresses_of: HashMap<_, BTreeSet<u64>> = HashMap::new();
        let costs = self.inlined.iter().flat_map(|inlined| inlined.of_file(file));
        for cost in costs.filter(|cost| matches!(cost.callee, InlinedCallee::Copy(_))) {
            let key = (self.row_with(cost), cost.line, cost.callee);
            add_spent(&mut sums, key, cost, cost.on, self.on_own_of(cost, cost.on));
            if let CostSource::Place(number) = cost.spent {
                let place = self.profile.places[number as usize];
                let address = self.profile.position(place.position).address;
                addresses_of.entry(key).or_default().extend((address != 0).then_some(address));
            }
        }
        let sums = sums.finish();
        let found = sums.keys.iter().enumerate().filter_map(|(at, key)| {
            let &(row, line, callee) = key;
            let (label, cost) = (self.label_of_copy(callee)?, sums.cost(at));
            if !self.selection.shows(cost.value) {
                return None;
            }
            let addresses = addresses_of.remove(key).unwrap_or_default();
            Some(InlinedAtLine { row, line, label, cost: cost.to_owned(), addresses })
        });
        found.collect()
    }

    /// What is inlined at the lines of a file in all rows together, where it is in functions that
    /// lead to each other: less than in each of these rows added up.
    pub fn inlined_once(&self, file: FileId) -> Vec<InlinedOnce<'p>> {
        let costs = self.inlined.iter().flat_map(|inlined| inlined.of_file(file));
        let counting = self.counting(costs.clone());
        let mut sums = SumsBuilder::new(self.profile);
        for cost in costs.filter(|cost| counting.is_joined(cost.line, cost.callee)) {
            if self.is_counted(cost, &counting) {
                let on_own = self.counted_on(cost, &counting, cost.on);
                add_spent(&mut sums, (cost.line, cost.callee), cost, cost.on, on_own);
            }
        }
        let sums = sums.finish();
        let found = sums.keys.iter().enumerate().filter_map(|(at, &(line, callee))| {
            let label = self.label_of_copy(callee)?;
            Some(InlinedOnce { line, label, cost: sums.cost(at).to_owned() })
        });
        found.collect()
    }

    /// Whether it is a call within a cycle that an outermost activation of its function makes, as
    /// far as levels tell.
    pub(super) fn is_of_outermost(&self, cost: &InlinedCost) -> bool {
        let CostSource::Call(number) = cost.spent else {
            return false;
        };
        let (graph, call) = (&self.graphs.new, self.profile.calls[number as usize]);
        graph.is_repeated(call) && graph.is_outermost(call, CallEnd::Caller) == Some(true)
    }

    pub(super) fn fragment_with(&self, cost: &InlinedCost) -> Fragment {
        let host = match cost.spent {
            CostSource::Place(number) => self.profile.places[number as usize],
            CostSource::Call(number) => self.profile.calls[number as usize].site,
        };
        self.profile.fragment(host.fragment)
    }

    /// The row that inlined code is in.
    fn row_with(&self, cost: &InlinedCost) -> RowId {
        let host = match cost.spent {
            CostSource::Place(number) => self.profile.places[number as usize],
            CostSource::Call(number) => self.profile.calls[number as usize].site,
        };
        self.rows.of_place(host)
    }

    /// The sides of a cost of inlined code on which it is not part of the cost of another call.
    pub(super) fn on_own_of(&self, cost: &InlinedCost, on: Presence) -> Presence {
        match cost.spent {
            CostSource::Place(_) => on,
            CostSource::Call(number) => {
                let call = self.profile.calls[number as usize];
                CallGraph::on_sides(self.graphs, on, |graph| !graph.is_repeated(call))
            }
        }
    }

    /// The sides on which a call's cost is not part of the cost of another call.
    fn on_own(&self, call: Call, on: Presence) -> Presence {
        CallGraph::on_sides(self.graphs, on, |graph| {
            if self.shows_outermost { graph.has_own_cost(call) } else { !graph.is_repeated(call) }
        })
    }

    /// The shown calls of one line, and the copies that are inlined there.
    fn calls_of_line(
        &self,
        sites: &[SitesOfLine],
        pairs: &CallPairs,
        costs: &Sums<(LineKey, InlinedCallee)>,
    ) -> Vec<CalleeAtLine<'p>> {
        let is_at_line = |site: &&[SitesOfLine]| {
            matches!(site[0].1, InlinedCallee::Function(_) | InlinedCallee::Copy(_))
        };
        self.shown_calls(sites, is_at_line, pairs, costs)
    }

    /// The code from other files in the functions that begin at one line.
    fn elsewhere(
        &self,
        sites: &[SitesOfLine],
        pairs: &CallPairs,
        costs: &Sums<(LineKey, InlinedCallee)>,
    ) -> Option<Box<ElsewhereLine<'p>>> {
        let is_call =
            |site: &&[SitesOfLine]| matches!(site[0].1, InlinedCallee::CalledElsewhere(_));
        let calls = self.shown_calls(sites, is_call, pairs, costs);
        let mut files: Vec<(&[u8], CostFigure<'_>)> = sites
            .chunk_by(|a, b| a.1 == b.1)
            .filter_map(|sites| match sites[0].1 {
                InlinedCallee::Elsewhere(file) => {
                    Some((self.profile.file(file), costs.cost(sites[0].2)))
                }
                _ => None,
            })
            .collect();
        files.retain(|(_, cost)| self.selection.shows(cost.value));
        files.sort_by(|(a, cost_a), (b, cost_b)| {
            let by_cost = self.selection.cmp_descending(cost_a.value, cost_b.value);
            by_cost.then_with(|| a.cmp(b))
        });
        if files.is_empty() && calls.is_empty() {
            return None;
        }
        let events = self.profile.events();
        let mut cost = Figure::undefined(events.len(), self.profile.is_difference());
        let first = files.first();
        let cost_of_file = first.map_or_else(|| cost.clone(), |(_, cost)| (*cost).to_owned());
        files.iter().for_each(|(_, of_file)| cost.add(*of_file));
        cost.derive(events);
        Some(Box::new(ElsewhereLine {
            cost,
            file: first.map(|(file, _)| short_file(file)),
            cost_of_file,
            more_files: files.len().saturating_sub(1),
            calls,
        }))
    }

    /// The calls of these kinds that are shown. As in callgrind_annotate, callees are ordered by
    /// what the calling functions pay for them on all lines together.
    fn shown_calls(
        &self,
        sites: &[SitesOfLine],
        is_of_kind: impl Fn(&&[SitesOfLine]) -> bool,
        pairs: &CallPairs,
        costs: &Sums<(LineKey, InlinedCallee)>,
    ) -> Vec<CalleeAtLine<'p>> {
        let by_callee = sites.chunk_by(|a, b| a.1 == b.1).filter(is_of_kind);
        let mut of_callees: Vec<(Cost, InlinedCallee, usize)> = by_callee
            .map(|sites| {
                let mut rank = vec![Count::UNDEFINED; self.profile.events().len()];
                let pairs = sites.iter().map(|&(.., pair)| pairs.cost(pair));
                pairs.for_each(|cost| add_cost(&mut rank, cost.value));
                (rank, sites[0].1, sites[0].2)
            })
            .collect();
        of_callees.sort_by(|(rank_a, a, _), (rank_b, b, _)| {
            let by_rank = self.selection.cmp_descending(rank_a, rank_b);
            let by_name = || match (self.row_of(*a), self.row_of(*b)) {
                (Some(a), Some(b)) => self.rows.cmp_names(a, b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => self.name_of_copy(*a).cmp(&self.name_of_copy(*b)),
            };
            by_rank.then_with(by_name)
        });
        of_callees.retain(|&(.., at)| costs.is_shown(at, self.selection));
        let rows: Vec<RowId> =
            of_callees.iter().filter_map(|&(_, callee, _)| self.row_of(callee)).collect();
        let mut labels = self.rows.labels_of(&rows).into_iter();
        let calls = of_callees.into_iter().filter_map(|(_, callee, at)| {
            let label = match self.row_of(callee) {
                Some(_) => labels.next(),
                None => self.label_of_copy(callee),
            };
            Some((label?, at))
        });
        calls.collect()
    }

    fn row_of(&self, callee: InlinedCallee) -> Option<RowId> {
        match callee {
            InlinedCallee::Function(row) | InlinedCallee::CalledElsewhere(row) => Some(row),
            InlinedCallee::Copy(_) | InlinedCallee::Elsewhere(_) => None,
        }
    }

    /// The file and name of the function that a copy is of.
    fn name_of_copy(&self, callee: InlinedCallee) -> Option<(&[u8], &[u8])> {
        let inlined: &InlinedCosts<'_> = self.inlined.as_ref()?;
        match callee {
            InlinedCallee::Copy(number) => {
                inlined.functions.get_index(number as usize).map(|(name, ())| *name)
            }
            _ => None,
        }
    }

    fn label_of_copy(&self, callee: InlinedCallee) -> Option<Label<'p>> {
        let (file, name) = self.name_of_copy(callee)?;
        let (profile, names) = (self.profile, &self.rows.names);
        let name = displayed(name, self.rows.demangles);
        let name = if names.is_short { short_function(&name, profile.name_kind()) } else { name };
        Some(Label {
            file: profile.find_file(file).map(|file| profile.file(file)),
            name: name.into_owned().into(),
            ..Label::default()
        })
    }
}
