//! The lines of one file that have costs or calls. There may be a hundred thousand of them, so they lie in a few long
//! vectors, and none has anything on the heap for itself.

use std::cell::OnceCell;

use hashbrown::HashMap;

use crate::graph::CallGraph;
use crate::profile::{Count, Place, Presence, Profile, Sides, add_cost};
use crate::source::{LineKey, LineMap};
use crate::view::figure::{
    Compared, Cost, CostFigure, Extent, Figure, Mark, costs_of_place, sides_of_call,
};
use crate::view::label::Label;
use crate::view::rows::{RowId, Rows};
use crate::view::selection::Selection;
use crate::view::sums::{Placing, SumsBuilder, on_sides};

/// The lines of a file that have costs or calls, by number; those past the end of the source too.
pub struct Lines<'p> {
    /// The costs of which only the file is known: those of line 0, which is not among the lines.
    pub unidentified: Option<Figure<Cost>>,
    /// The extent of all self costs.
    pub extent: Extent,
    lines: Vec<Line>,
    /// One cost a line.
    costs: Costs,
    calls: Vec<Call<'p>>,
    /// One cost a call.
    call_costs: Costs,
    /// Of a difference: the lines that are not shown, as nothing in them changed, by number, and their costs.
    unchanged: Vec<u32>,
    unchanged_costs: Costs,
}

/// Costs one after the other, in a difference of both sides too.
#[derive(Default)]
struct Costs {
    width: usize,
    values: Vec<Count>,
    /// BASE's and NEW's of a difference.
    compared: Option<(Vec<Count>, Vec<Count>)>,
}

impl Costs {
    fn new(width: usize, capacity: usize, is_difference: bool) -> Costs {
        let vec = || Vec::with_capacity(capacity * width);
        Costs {
            width,
            values: vec(),
            compared: is_difference.then(|| (vec(), vec())),
        }
    }

    fn push(&mut self, cost: CostFigure<'_>) {
        self.values.extend_from_slice(cost.value);
        if let Some((sums, cost)) = self.compared.as_mut().zip(cost.compared) {
            sums.0.extend_from_slice(cost.base);
            sums.1.extend_from_slice(cost.new);
        }
    }

    fn get(&self, at: usize) -> CostFigure<'_> {
        let range = at * self.width..(at + 1) * self.width;
        let compared = self.compared.as_ref().map(|(base, new)| Compared {
            base: &base[range.clone()],
            new: &new[range.clone()],
            mark: None,
        });
        Figure {
            value: &self.values[range],
            compared,
        }
    }
}

struct Line {
    key: LineKey,
    mark: Option<Mark>,
    /// Where its calls end. They begin where those of the line before end.
    calls_end: usize,
}

struct Call<'p> {
    label: Label<'p>,
    count: Figure<i64>,
}

/// A line with costs or calls.
#[derive(Clone, Copy)]
pub struct AnnotatedLine<'a, 'p> {
    /// Its number; of a line that was removed that of the line after which it was.
    pub line: u32,
    /// Its number in BASE's text if it was removed, else 0.
    pub removed: u32,
    /// Its self cost.
    pub cost: CostFigure<'a>,
    calls: &'a [Call<'p>],
    /// Where its calls are among all.
    first_call: usize,
    call_costs: &'a Costs,
}

/// The calls from one line to one function.
pub struct CallSite<'a, 'p> {
    /// The function.
    pub label: &'a Label<'p>,
    /// How many calls.
    pub count: Figure<i64>,
    /// What they cost, all that it called in turn included.
    pub cost: CostFigure<'a>,
}

impl<'p> Lines<'p> {
    /// No line yet, with room for what costs and for calls.
    fn new(width: usize, (costs, calls): (usize, usize), is_difference: bool) -> Lines<'p> {
        Lines {
            unidentified: None,
            extent: Extent::new(width),
            lines: Vec::with_capacity(costs),
            costs: Costs::new(width, costs, is_difference),
            calls: Vec::with_capacity(calls),
            call_costs: Costs::new(width, calls, is_difference),
            unchanged: Vec::new(),
            unchanged_costs: Costs::new(width, 0, is_difference),
        }
    }

    /// The lines of a difference that are not shown, as nothing in them changed, with their costs.
    pub(super) fn unchanged(&self) -> impl Iterator<Item = (u32, CostFigure<'_>)> {
        let lines = self.unchanged.iter().enumerate();
        lines.map(|(at, &line)| (line, self.unchanged_costs.get(at)))
    }

    /// The lines by number.
    pub fn iter(&self) -> impl Iterator<Item = AnnotatedLine<'_, 'p>> {
        let mut calls_begin = 0;
        self.lines.iter().enumerate().map(move |(i, line)| {
            let (begin, end) = (calls_begin, line.calls_end);
            calls_begin = end;
            AnnotatedLine {
                line: line.key.new,
                removed: line.key.removed,
                cost: self.costs.get(i).marked(line.mark),
                calls: &self.calls[begin..end],
                first_call: begin,
                call_costs: &self.call_costs,
            }
        })
    }

    /// Whether they have both sides of a difference.
    pub(super) fn is_difference(&self) -> bool {
        self.costs.compared.is_some()
    }

    /// Whether there is neither a line nor a cost of the file.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.unidentified.is_none() && self.unchanged.is_empty()
    }
}

impl<'a, 'p> AnnotatedLine<'a, 'p> {
    /// The functions called there.
    pub fn calls(&self) -> impl Iterator<Item = CallSite<'a, 'p>> + use<'a, 'p> {
        let (first, costs) = (self.first_call, self.call_costs);
        let calls = self.calls.iter().enumerate();
        calls.map(move |(i, call)| CallSite {
            label: &call.label,
            count: call.count,
            cost: costs.get(first + i).marked(call.count.mark()),
        })
    }
}

/// Collects the lines of a file.
pub(super) struct LineCollector<'a, 'p> {
    pub(super) profile: &'p Profile,
    pub(super) graphs: &'a Sides<CallGraph<'p>>,
    pub(super) rows: &'a Rows<'p>,
    pub(super) selection: &'a Selection,
}

/// The line and the number in the profile's table of something, and the sides of which it is there.
type AtLine = (LineKey, u32, Presence);

impl<'p> LineCollector<'_, 'p> {
    /// The lines of a file with these costs and calls, which are numbers in the profile's tables, and some lines in any case.
    pub(super) fn lines(
        &self,
        (costs, calls, in_any_case): (&[u32], &[u32], &[u32]),
        map: Option<&LineMap>,
    ) -> Lines<'p> {
        let (profile, width) = (self.profile, self.profile.events().len());
        let line_of = |place: Place| profile.line(place.position);
        let placing = Placing(map);
        let costs = by_line(costs, |number| {
            let on = profile.presence_of_place(number);
            placing.of(line_of(profile.places()[number]), on)
        });
        let ranks = CallRanks {
            calls,
            costs: OnceCell::new(),
        };
        let calls = by_line(calls, |number| {
            let on = profile.presence_of_call(number);
            placing.of(line_of(profile.calls()[number].site), on)
        });
        // Calls at line 0 have no line to be shown below.
        let nowhere = LineKey::default();
        let mut calls = &calls[calls.partition_point(|&(line, ..)| line == nowhere)..];
        let mut costs = &costs[..];
        let in_any_case = in_any_case.iter();
        let at_line = |&line| (LineKey::new_line(line), 0, Presence::default());
        let others: Vec<AtLine> = in_any_case.map(at_line).collect();
        let mut others = &others[..];
        let is_difference = profile.is_difference();
        let mut lines = Lines::new(width, (costs.len(), calls.len()), is_difference);
        let mut cost = Figure::undefined(width, is_difference);
        loop {
            let next = [costs.first(), calls.first(), others.first()];
            let Some(line) = next.into_iter().flatten().map(|&(line, ..)| line).min() else {
                return lines;
            };
            cost.reset();
            let mut presence = Presence::default();
            for &(_, number, on) in take_line(&mut costs, line) {
                let sides = costs_of_place(profile, number as usize);
                cost.add_sides(on_sides(sides, on, &[]));
                presence = presence.or(on);
            }
            cost.derive(profile.events());
            let had_calls = lines.calls.len();
            self.add_calls(take_line(&mut calls, line), &ranks, &mut lines);
            let has_calls = lines.calls.len() > had_calls;
            let is_other = !take_line(&mut others, line).is_empty();
            if !has_calls && !is_other && !self.selection.shows(&cost.value) {
                if line != nowhere {
                    lines.unchanged.push(line.new);
                    lines.unchanged_costs.push(cost.counts());
                }
                continue;
            }
            lines.extent.include_figure(cost.counts());
            if line == nowhere {
                lines.unidentified = Some(cost.clone().marked(Mark::of(presence)));
                continue;
            }
            lines.costs.push(cost.counts());
            lines.lines.push(Line {
                key: line,
                mark: Mark::of(presence),
                calls_end: lines.calls.len(),
            });
        }
    }

    /// Adds the calls of one line, added up by callee.
    fn add_calls(&self, calls: &[AtLine], ranks: &CallRanks<'_>, lines: &mut Lines<'p>) {
        match calls {
            [] => return,
            [_] => return self.add_site(calls, lines),
            _ => {}
        }
        let rows_of = |call: &AtLine| self.rows_of(call.1);
        let mut calls = calls.to_vec();
        calls.sort_by_key(|call| (rows_of(call).1, rows_of(call).0));
        let mut sites: Vec<(Cost, &[AtLine])> = Vec::new();
        for site in calls.chunk_by(|a, b| rows_of(a).1 == rows_of(b).1) {
            let mut rank = vec![Count::UNDEFINED; self.profile.events().len()];
            for calls in site.chunk_by(|a, b| rows_of(a) == rows_of(b)) {
                add_cost(&mut rank, ranks.between(rows_of(&calls[0]), self));
            }
            sites.push((rank, site));
        }
        // As in the reference: the callee comes first for which the calling functions pay most, on all
        // their lines together.
        sites.sort_by(|(rank_a, a), (rank_b, b)| {
            let by_rank = self.selection.falling(rank_a, rank_b);
            by_rank.then_with(|| self.rows.cmp_names(rows_of(&a[0]).1, rows_of(&b[0]).1))
        });
        sites
            .iter()
            .for_each(|(_, calls)| self.add_site(calls, lines))
    }

    /// Adds the calls from one line to one function, of which there is one at least. The cost of a call within a
    /// cycle is part of that of the call that entered the cycle, and so left out.
    fn add_site(&self, calls: &[AtLine], lines: &mut Lines<'p>) {
        let is_difference = self.profile.is_difference();
        let mut cost = Figure::undefined(self.profile.events().len(), is_difference);
        let (mut count, mut presence) = (Figure::no_call(is_difference), Presence::default());
        for &(_, number, on) in calls {
            let number = number as usize;
            presence = presence.or(on);
            let (counts, costs) = sides_of_call(self.profile, number);
            let costs = on_sides(costs, on, &[]);
            count.add_sides(on_sides(counts, on, 0));
            cost.add_sides(Sides {
                new: self.cost_if_not_nested(&self.graphs.new, number, costs.new),
                base: (costs.base.zip(self.graphs.base.as_ref()))
                    .map(|(cost, graph)| self.cost_if_not_nested(graph, number, cost)),
            });
        }
        cost.derive(self.profile.events());
        if count.value == 0 && !self.selection.shows(&cost.value) {
            return;
        }
        lines.call_costs.push(cost.counts());
        let (_, callee) = self.rows_of(calls[0].1);
        lines.calls.push(Call {
            label: self.rows.label(callee),
            count: count.marked(Mark::of(presence)),
        });
    }

    /// What a call cost on one side; nothing if it is nested there.
    fn cost_if_not_nested<'s>(
        &self,
        graph: &CallGraph<'_>,
        number: usize,
        cost: &'s [Count],
    ) -> &'s [Count] {
        let call = self.profile.calls()[number];
        let caller = self.profile.fragment(call.site.fragment).function;
        if graph.is_nested(caller, call.callee) {
            return &[];
        }
        cost
    }

    /// The rows of caller and callee of a call.
    fn rows_of(&self, number: u32) -> (RowId, RowId) {
        self.rows.of_call(self.profile.calls()[number as usize])
    }
}

/// Sorts by line; within a line the order stays.
fn by_line<I>(numbers: &[u32], places_of: impl Fn(usize) -> I) -> Vec<AtLine>
where
    I: Iterator<Item = (LineKey, Presence)>,
{
    let lines = numbers.iter().flat_map(|&number| {
        let places = places_of(number as usize);
        places.map(move |(line, on)| (line, number, on))
    });
    let mut lines: Vec<AtLine> = lines.collect();
    lines.sort_by_key(|&(line, ..)| line);
    lines
}

/// Takes what is at this line off the front.
fn take_line<'l>(rest: &mut &'l [AtLine], line: LineKey) -> &'l [AtLine] {
    let count = rest.iter().take_while(|&&(at, ..)| at == line).count();
    let (taken, left) = rest.split_at(count);
    *rest = left;
    taken
}

/// What all calls of a file between two rows cost. It is requested only where a line calls several functions.
struct CallRanks<'c> {
    calls: &'c [u32],
    costs: OnceCell<HashMap<(RowId, RowId), Cost>>,
}

impl CallRanks<'_> {
    fn between(&self, rows: (RowId, RowId), of: &LineCollector<'_, '_>) -> &[Count] {
        let costs = self.costs.get_or_init(|| {
            let mut sums = SumsBuilder::new(of.profile);
            for &number in self.calls {
                let on = of.profile.presence_of_call(number as usize);
                sums.add_call(of.rows_of(number), number as usize, on);
            }
            let sums = sums.finish();
            let rows = sums.keys().iter().zip(0..);
            let costs = rows.map(|(&rows, at)| (rows, sums.cost(at).value.to_vec()));
            costs.collect()
        });
        costs.get(&rows).map_or(&[], Vec::as_slice)
    }
}
