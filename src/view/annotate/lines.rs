//! The lines of one file that have costs or calls. There may be 100,000 of them, so costs are in a few long vectors, and
//! a line without calls has no heap allocation of its own.

use crate::graph::CallGraph;
use crate::profile::{Call as ProfileCall, Count, Events, Presence, add_cost};
use crate::source::{LineKey, LineMap};
use crate::view::annotate::Annotator;
use crate::view::figure::{CallCounts, Cost, CostFigure, Figure};
use crate::view::label::{Label, RowId};
use crate::view::sums::{LineKeys, Sums, SumsBuilder};

/// The lines with costs or calls, by number, including those past the end of the source.
pub struct Lines<'p> {
    /// The costs at line 0: only their file is known. Line 0 is not in `lines`.
    pub unidentified: Option<Figure<Cost>>,
    lines: Vec<Line<'p>>,
    pub(super) costs: Sums<LineKey>,
    call_costs: Sums<(LineKey, RowId)>,
}

struct Line<'p> {
    key: LineKey,
    at: usize,
    calls: Vec<Call<'p>>,
    is_of_interest: bool,
}

/// A callee, and the position of the sum of its calls.
type Call<'p> = (Label<'p>, usize);

pub struct AnnotatedLine<'a, 'p> {
    /// Its number in NEW; for a removed line, the number of the line before it.
    pub line: u32,
    /// Its number in BASE if the line was removed, else 0.
    pub removed: u32,
    /// Whether the line is always shown. Lines that a difference leaves unchanged are only shown near such lines.
    pub is_of_interest: bool,
    pub cost: CostFigure<'a>,
    calls: &'a [Call<'p>],
    call_costs: &'a Sums<(LineKey, RowId)>,
}

/// The callee of the calls from one line, their number and their inclusive cost.
type CallSite<'a, 'p> = (&'a Label<'p>, Figure<CallCounts>, CostFigure<'a>);

impl<'p> Lines<'p> {
    pub fn iter(&self) -> impl Iterator<Item = AnnotatedLine<'_, 'p>> {
        self.lines.iter().map(|line| AnnotatedLine {
            line: line.key.new,
            removed: line.key.removed,
            is_of_interest: line.is_of_interest,
            cost: self.costs.cost(line.at),
            calls: &line.calls,
            call_costs: &self.call_costs,
        })
    }

    /// The self cost of the file, including line 0.
    pub fn sum(&self, events: &Events) -> Figure<Cost> {
        self.costs.sum(events)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.unidentified.is_none()
    }
}

impl<'a, 'p> AnnotatedLine<'a, 'p> {
    pub fn calls(&self) -> impl Iterator<Item = CallSite<'a, 'p>> + use<'a, 'p> {
        let costs = self.call_costs;
        let calls = self.calls.iter();
        calls.map(|(label, at)| (label, costs.calls(*at), costs.cost(*at)))
    }
}

/// The calls from a line to a function: the positions of their sum and of that of all calls with this caller and
/// callee.
type Site = (LineKey, RowId, usize, usize);

/// The sites in order, the costs by site, and the costs by caller and callee.
type CallSums = (Vec<Site>, Sums<(LineKey, RowId)>, Sums<(RowId, RowId)>);

impl<'p> Annotator<'_, 'p> {
    /// The lines of a file with these costs and calls (numbers in the profile's tables) and those `in_any_case`.
    pub(super) fn lines(
        &self,
        (places, calls, in_any_case): (&[u32], &[u32], &[u32]),
        map: Option<&LineMap>,
    ) -> Lines<'p> {
        let (profile, nowhere, line_keys) = (self.profile, LineKey::default(), LineKeys(map));
        let (sites, call_costs, pairs) = self.calls(calls, line_keys);
        let others = in_any_case.iter().map(|&line| LineKey::new_line(line));
        let by_line = || sites.chunk_by(|a, b| a.0 == b.0);
        let with_calls = by_line().map(|sites| sites[0].0);
        let mut costs = SumsBuilder::in_order(profile, places.len());
        let in_any_case = others.clone().chain(with_calls);
        costs.add_lines(places, line_keys, in_any_case, |key| key);
        let costs = costs.finish();
        let mut lines = Lines {
            unidentified: None,
            lines: Vec::with_capacity(costs.keys.len()),
            call_costs,
            costs,
        };
        let mut sites = by_line().peekable();
        let mut others = others.peekable();
        for at in 0..lines.costs.keys.len() {
            let key = lines.costs.keys[at];
            let sites = sites.next_if(|sites| sites[0].0 == key);
            let calls = sites.map(|sites| self.calls_of_line(sites, &pairs, &lines.call_costs));
            let calls = calls.unwrap_or_default();
            let is_other = others.next_if_eq(&key).is_some();
            let cost = lines.costs.cost(at);
            let is_of_interest = !calls.is_empty() || is_other || self.selection.shows(cost.value);
            if key != nowhere {
                lines.lines.push(Line { key, at, calls, is_of_interest });
            } else if is_of_interest {
                lines.unidentified = Some(cost.to_owned());
            }
        }
        lines
    }

    /// Adds up calls, given by their numbers in the profile's table.
    fn calls(&self, calls: &[u32], line_keys: LineKeys<'_>) -> CallSums {
        let profile = self.profile;
        let (mut costs, mut pairs) = (SumsBuilder::new(profile), SumsBuilder::new(profile));
        let mut sites = Vec::with_capacity(calls.len());
        for number in calls.iter().map(|&number| number as usize) {
            let call = profile.calls[number];
            let (rows, on) = (self.rows.of_call(call), profile.presence_of_call(number));
            let pair = pairs.add_call(rows, number, on);
            line_keys.each(profile.line(call.site), on, |key, on| {
                // Calls at line 0 have no line to be listed at.
                if key != LineKey::default() {
                    let on_own = self.on_own(call, on);
                    let at = costs.add_recursive_calls((key, rows.1), number, on, on_own);
                    sites.push((key, rows.1, at, pair));
                }
            });
        }
        sites.sort_unstable();
        sites.dedup();
        (sites, costs.finish(), pairs.finish())
    }

    /// The sides on which a call's cost is not part of the cost of another call.
    fn on_own(&self, call: ProfileCall, on: Presence) -> Presence {
        let is_own = |graph: &CallGraph<'_>| !graph.is_recursive(graph.arc_of(call));
        Presence {
            new: on.new && is_own(&self.graphs.new),
            base: on.base && self.graphs.base.as_ref().is_some_and(is_own),
        }
    }

    /// The shown calls of one line. As in callgrind_annotate, callees are ordered by what the calling functions pay for
    /// them on all lines together.
    fn calls_of_line(
        &self,
        sites: &[Site],
        pairs: &Sums<(RowId, RowId)>,
        costs: &Sums<(LineKey, RowId)>,
    ) -> Vec<Call<'p>> {
        let of_callees = sites.chunk_by(|a, b| a.1 == b.1).map(|sites| {
            let mut rank = vec![Count::UNDEFINED; self.profile.events().len()];
            let pairs = sites.iter().map(|&(.., pair)| pairs.cost(pair));
            pairs.for_each(|cost| add_cost(&mut rank, cost.value));
            (rank, sites[0].1, sites[0].2)
        });
        let mut of_callees: Vec<(Cost, RowId, usize)> = of_callees.collect();
        of_callees.sort_by(|(rank_a, a, _), (rank_b, b, _)| {
            let by_rank = self.selection.cmp_descending(rank_a, rank_b);
            by_rank.then_with(|| self.rows.cmp_names(*a, *b))
        });
        of_callees.retain(|&(.., at)| costs.is_shown(at, self.selection));
        let items = of_callees.iter().map(|&(_, callee, _)| callee);
        let labels = self.rows.labels_of(&items.collect::<Vec<_>>());
        let calls = labels.into_iter().zip(of_callees);
        calls.map(|(label, (.., at))| (label, at)).collect()
    }
}
