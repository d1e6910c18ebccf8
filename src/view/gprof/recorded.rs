//! The self costs and calls of a profile's functions, or of their lines, with the counts of one event: the call graph and
//! the rows of the flat profile.

use super::functions::{NamedFunctions, source_line};
use super::graph::{Amount, Calls, Graph};
use super::symspecs::Selected;
use crate::graph::Groups;
use crate::profile::{Call, CostTable, Count, Ordered, Profile, add_cost};
use crate::view::asm::SourceLine;

/// What the views of a profile are made of.
pub struct Recorded<'p> {
    pub functions: &'p NamedFunctions<'p>,
    event: usize,
    costs: CostTable,
    pub own: Vec<i64>,
    /// By caller, callee and line.
    calls: Vec<Calls>,
    /// Whether calls are left out.
    is_reduced: bool,
}

/// A function, or a line of one.
#[derive(Clone, Debug)]
pub struct RecordedRow {
    pub function: u32,
    /// The line, if rows are lines.
    pub site: Option<SourceLine>,
    pub cost: Vec<Count>,
    pub calls: i64,
    pub inclusive: i64,
}

/// The lines of calls, each with its number; none of those that do not count.
fn sites_of<'c>(
    profile: &Profile,
    calls: impl Iterator<Item = (&'c Call, &'c bool)>,
) -> Vec<Option<(u32, SourceLine)>> {
    let mut sites = Ordered::default();
    let site = |(call, &is_included): (&Call, &bool)| {
        let line = is_included.then(|| source_line(profile.location(call.site)))?;
        Some((sites.position(line, |_| ()) as u32, line))
    };
    calls.map(site).collect()
}

impl<'p> Recorded<'p> {
    /// The costs of an event. `included` has by call of the profile whether it counts. With `by_line` callers are lines.
    pub fn new(
        functions: &'p NamedFunctions<'p>,
        event: usize,
        included: &[bool],
        by_line: bool,
    ) -> Recorded<'p> {
        let profile = functions.profile;
        let count = |cost: &[Count]| profile.events().count(cost, event).or_zero();
        let costs = profile.self_costs_by(functions.list.len(), |_, fragment| {
            Some(functions.of(fragment.function) as usize)
        });
        let costs = costs.new;
        let side = &profile.sides().new;
        let included_calls = || profile.calls.iter().zip(included);
        let site_of = match by_line {
            true => sites_of(profile, included_calls()),
            false => Vec::new(),
        };
        let callers = included_calls().map(|(call, is_included)| {
            let caller = profile.fragment(call.site.fragment).function;
            is_included.then(|| functions.of(caller) as usize)
        });
        let by_caller = Groups::new(functions.list.len(), callers);
        let mut calls: Vec<Calls> = Vec::with_capacity(by_caller.members.len());
        let (mut rows, mut sum) = (Vec::new(), vec![Count::UNDEFINED; profile.events().len()]);
        for (caller, of_caller) in (0..).zip(by_caller.iter()) {
            rows.clear();
            rows.extend(of_caller.iter().map(|&row| {
                let (row, site) = (row as usize, site_of.get(row as usize));
                (
                    functions.of(profile.calls[row].callee),
                    site.copied().flatten(),
                    row,
                )
            }));
            rows.sort_unstable();
            calls.extend(rows.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(|same| {
                let rows = || same.iter().map(|&(.., row)| row);
                sum.fill(Count::UNDEFINED);
                rows().for_each(|row| add_cost(&mut sum, side.call_costs().get(row)));
                Calls {
                    caller,
                    callee: same[0].0,
                    site: same[0].1,
                    count: rows().map(|row| side.call_counts[row]).sum(),
                    cost: count(&sum),
                }
            }));
        }
        Recorded {
            functions,
            event,
            own: costs.iter().map(count).collect(),
            costs,
            calls,
            is_reduced: included.contains(&false),
        }
    }

    pub fn graph(&self, selected: &Selected) -> Graph<'_, i64> {
        Graph::recorded(&self.own, &self.calls, selected, self.is_reduced)
    }

    pub fn function_rows(&self) -> Vec<RecordedRow> {
        let events = self.functions.profile.events();
        let graph = self.graph(&Selected::default());
        let row = |(function, cost): (u32, &[Count])| {
            let node = &graph.functions()[function as usize];
            let mut cost = cost.to_vec();
            events.derive(&mut cost);
            RecordedRow {
                function,
                site: None,
                cost,
                calls: node.calls,
                inclusive: node.counted_children + node.own,
            }
        };
        (0..).zip(self.costs.iter()).map(row).collect()
    }

    /// The rows of all lines, each with the calls that are made there and leave the function and its cycle.
    pub fn line_rows(&self) -> Vec<RecordedRow> {
        let (functions, profile) = (self.functions, self.functions.profile);
        let width = profile.events().len();
        let new = |&(function, site): &(u32, SourceLine)| RecordedRow {
            function,
            site: Some(site),
            cost: vec![Count::UNDEFINED; width],
            calls: 0,
            inclusive: 0,
        };
        let mut rows = Ordered::default();
        // A function that is called has a row where it begins, with or without costs there.
        let graph = self.graph(&Selected::default());
        for (number, node) in (0..).zip(graph.functions()) {
            if node.calls != 0 {
                rows.value((number, functions.start(number)), new).calls = node.calls;
            }
        }
        let (events, side) = (profile.events(), &profile.sides().new);
        for (&place, cost) in profile.places.iter().zip(side.costs().iter()) {
            let at = profile.location(place);
            let row = rows.value((functions.of(at.function), source_line(at)), new);
            add_cost(&mut row.cost, cost);
            row.inclusive += events.count(cost, self.event).or_zero();
        }
        for (number, calls) in (0..).zip(&self.calls) {
            if let Some((_, site)) = calls.site.filter(|_| !graph.is_nested(calls)) {
                let (own, children) = i64::of_calls(&graph, &[number]);
                rows.value((calls.caller, site), new).inclusive += own + children;
            }
        }
        // With neither costs nor calls it may still be shown.
        let mut has_row = vec![false; functions.list.len()];
        let known = rows.list.iter();
        known.for_each(|row| has_row[row.function as usize] = true);
        for (number, _) in (0..).zip(has_row).filter(|(_, has_row)| !has_row) {
            rows.value((number, functions.start(number)), new);
        }
        for row in &mut rows.list {
            events.derive(&mut row.cost);
        }
        rows.list
    }
}
