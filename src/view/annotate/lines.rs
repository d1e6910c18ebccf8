//! The lines of one file that have costs or calls. There may be a hundred thousand of them, so they lie in a few long
//! vectors, and none has anything on the heap for itself.

use hashbrown::HashMap;

use crate::graph::CallGraph;
use crate::profile::{
    Count, Figures, Measured, Overflow, Place, Presence, Profile, Sides, add_cost,
};
use crate::view::{Cost, Extent, Label, Mark, RowId, Rows, Selection};

/// The lines of a file that have costs or calls, by number; those past the end of the source too.
pub struct Lines<'p> {
    /// The costs of which only the file is known: those of line 0, which is not among the lines.
    pub unidentified: Option<Cost>,
    /// The extent of all self costs.
    pub extent: Extent,
    lines: Vec<Line>,
    /// One cost a line.
    costs: Vec<Count>,
    calls: Vec<Call<'p>>,
    /// One cost a call.
    call_costs: Vec<Count>,
}

struct Line {
    number: u32,
    mark: Option<Mark>,
    /// Where its calls end. They begin where those of the line before end.
    calls_end: usize,
}

struct Call<'p> {
    label: Label<'p>,
    count: i64,
}

/// A line with costs or calls.
#[derive(Clone, Copy)]
pub struct AnnotatedLine<'a, 'p> {
    /// Its number.
    pub line: u32,
    /// Its self cost.
    pub cost: &'a [Count],
    /// Of a difference: whether only one side has it.
    pub mark: Option<Mark>,
    calls: &'a [Call<'p>],
    call_costs: &'a [Count],
}

/// The calls from one line to one function.
pub struct CallSite<'a, 'p> {
    /// The function.
    pub label: &'a Label<'p>,
    /// How many calls.
    pub count: i64,
    /// What they cost, all that it called in turn included.
    pub cost: &'a [Count],
}

impl<'p> Lines<'p> {
    /// The lines by number.
    pub fn iter(&self) -> impl Iterator<Item = AnnotatedLine<'_, 'p>> {
        let width = self.extent.ranges.len();
        let mut calls_begin = 0;
        self.lines.iter().enumerate().map(move |(i, line)| {
            let (begin, end) = (calls_begin, line.calls_end);
            calls_begin = end;
            AnnotatedLine {
                line: line.number,
                cost: &self.costs[i * width..(i + 1) * width],
                mark: line.mark,
                calls: &self.calls[begin..end],
                call_costs: &self.call_costs[begin * width..end * width],
            }
        })
    }

    /// Whether there is neither a line nor a cost of the file.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.unidentified.is_none()
    }
}

impl<'a, 'p> AnnotatedLine<'a, 'p> {
    /// The functions called there.
    pub fn calls(&self) -> impl Iterator<Item = CallSite<'a, 'p>> + use<'a, 'p> {
        let (width, costs) = (self.cost.len(), self.call_costs);
        let calls = self.calls.iter().enumerate();
        calls.map(move |(i, call)| CallSite {
            label: &call.label,
            count: call.count,
            cost: &costs[i * width..(i + 1) * width],
        })
    }
}

/// Collects the lines of a file.
pub(super) struct Collector<'a, 'p> {
    pub(super) profile: &'p Profile,
    pub(super) graphs: &'a Sides<CallGraph<'p>>,
    pub(super) figures: Figures<'p>,
    pub(super) rows: &'a Rows<'p>,
    pub(super) selection: &'a Selection,
}

/// The line and the number in the profile's table of something.
type AtLine = (u32, u32);

impl<'p> Collector<'_, 'p> {
    /// The lines of a file with these costs and calls, which are numbers in the profile's tables.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit.
    pub(super) fn lines(&self, costs: &[u32], calls: &[u32]) -> Result<Lines<'p>, Overflow> {
        let (profile, width) = (self.profile, self.profile.events().len());
        let line_of = |place: Place| profile.line(place.position);
        let costs = by_line(costs, |number| line_of(profile.places()[number]));
        let mut ranks = Ranks::new(calls);
        let calls = by_line(calls, |number| line_of(profile.calls()[number].site));
        // Calls at line 0 have no line to be shown below.
        let mut calls = &calls[calls.partition_point(|&(line, _)| line == 0)..];
        let mut costs = &costs[..];
        let mut lines = Lines {
            unidentified: None,
            extent: Extent::new(width),
            lines: Vec::with_capacity(costs.len()),
            costs: Vec::with_capacity(costs.len() * width),
            calls: Vec::with_capacity(calls.len()),
            call_costs: Vec::with_capacity(calls.len() * width),
        };
        loop {
            let next = [costs.first(), calls.first()].into_iter().flatten();
            let Some(line) = next.map(|&(line, _)| line).min() else {
                return Ok(lines);
            };
            let start = lines.costs.len();
            lines.costs.resize(start + width, Count::UNDEFINED);
            let mut presence = Presence::default();
            for &(_, number) in take_line(&mut costs, line) {
                add_cost(
                    &mut lines.costs[start..],
                    self.figures.costs().get(number as usize),
                )?;
                presence = presence.or(profile.presence_of_place(number as usize));
            }
            profile.events().derive(&mut lines.costs[start..])?;
            let had_calls = lines.calls.len();
            self.add_calls(take_line(&mut calls, line), &mut ranks, &mut lines)?;
            let has_calls = lines.calls.len() > had_calls;
            let cost = &lines.costs[start..];
            if !has_calls && !self.selection.shows(0, cost) {
                lines.costs.truncate(start);
                continue;
            }
            lines.extent.include(cost);
            if line == 0 {
                lines.unidentified = Some(lines.costs.split_off(start));
                continue;
            }
            lines.lines.push(Line {
                number: line,
                mark: Mark::of(presence),
                calls_end: lines.calls.len(),
            });
        }
    }

    /// Adds the calls of one line, added up by callee.
    fn add_calls(
        &self,
        calls: &[AtLine],
        ranks: &mut Ranks<'_>,
        lines: &mut Lines<'p>,
    ) -> Result<(), Overflow> {
        match calls {
            [] => return Ok(()),
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
                add_cost(&mut rank, ranks.between(rows_of(&calls[0]), self)?)?;
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
            .try_for_each(|(_, calls)| self.add_site(calls, lines))
    }

    /// Adds the calls from one line to one function, of which there is one at least. The cost of a call within a
    /// cycle is part of that of the call that entered the cycle, and so left out.
    fn add_site(&self, calls: &[AtLine], lines: &mut Lines<'p>) -> Result<(), Overflow> {
        let start = lines.call_costs.len();
        let end = start + self.profile.events().len();
        lines.call_costs.resize(end, Count::UNDEFINED);
        let cost = &mut lines.call_costs[start..];
        let (mut count, mut presence) = (0i64, Presence::default());
        let sides = self.profile.sides();
        for &(_, number) in calls {
            let number = number as usize;
            presence = presence.or(self.profile.presence_of_call(number));
            count = count
                .checked_add(self.figures.call(number).0)
                .ok_or(Overflow)?;
            if let Some(own) = self.cost_if_not_nested(&sides.new, &self.graphs.new, number) {
                add_cost(cost, own)?;
            }
            if let (Some(side), Some(graph)) = (&sides.base, &self.graphs.base)
                && let Some(base) = self.cost_if_not_nested(side, graph, number)
            {
                let mut counts = cost.iter_mut().zip(base);
                counts.try_for_each(|(count, base)| count.subtract(*base))?;
            }
        }
        self.profile.events().derive(cost)?;
        if !self.selection.shows(count, cost) {
            lines.call_costs.truncate(start);
            return Ok(());
        }
        let (_, callee) = self.rows_of(calls[0].1);
        let label = self.rows.label(callee).marked(Mark::of(presence));
        lines.calls.push(Call { label, count });
        Ok(())
    }

    /// What a call cost on one side; none if it is nested there.
    fn cost_if_not_nested<'s>(
        &self,
        side: &'s Measured,
        graph: &CallGraph<'_>,
        number: usize,
    ) -> Option<&'s [Count]> {
        let call = self.profile.calls()[number];
        let caller = self.profile.fragment(call.site.fragment).function;
        (!graph.is_nested(caller, call.callee)).then(|| side.call_costs().get(number))
    }

    /// The rows of caller and callee of a call.
    fn rows_of(&self, number: u32) -> (RowId, RowId) {
        self.rows.of_call(self.profile.calls()[number as usize])
    }
}

/// What all calls of a file between two rows cost. It is requested only where a line calls several functions.
struct Ranks<'c> {
    calls: &'c [u32],
    costs: Option<HashMap<(RowId, RowId), Cost>>,
}

impl<'c> Ranks<'c> {
    fn new(calls: &'c [u32]) -> Ranks<'c> {
        Ranks { calls, costs: None }
    }

    fn between(
        &mut self,
        rows: (RowId, RowId),
        of: &Collector<'_, '_>,
    ) -> Result<&[Count], Overflow> {
        let costs = match self.costs.take() {
            Some(costs) => costs,
            None => sums(self.calls, of)?,
        };
        Ok(self
            .costs
            .insert(costs)
            .get(&rows)
            .map_or(&[], Vec::as_slice))
    }
}

fn sums(calls: &[u32], of: &Collector<'_, '_>) -> Result<HashMap<(RowId, RowId), Cost>, Overflow> {
    let mut sums = HashMap::new();
    for &number in calls {
        let (rows, (_, cost)) = (of.rows_of(number), of.figures.call(number as usize));
        let sum = sums.entry(rows);
        let sum = sum.or_insert_with(|| vec![Count::UNDEFINED; cost.len()]);
        add_cost(sum, cost)?;
    }
    let mut costs = sums.values_mut();
    costs.try_for_each(|cost: &mut Cost| of.profile.events().derive(cost))?;
    Ok(sums)
}

/// Sorts by line; within a line the order stays.
fn by_line(numbers: &[u32], line_of: impl Fn(usize) -> u32) -> Vec<AtLine> {
    let lines = numbers
        .iter()
        .map(|&number| (line_of(number as usize), number));
    let mut lines: Vec<AtLine> = lines.collect();
    lines.sort_by_key(|&(line, _)| line);
    lines
}

/// Takes what is at this line off the front.
fn take_line<'l>(rest: &mut &'l [AtLine], line: u32) -> &'l [AtLine] {
    let count = rest.iter().take_while(|&&(at, _)| at == line).count();
    let (taken, left) = rest.split_at(count);
    *rest = left;
    taken
}
