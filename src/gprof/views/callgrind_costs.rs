//! The self costs and calls of a profile's functions or lines for one event, from which the call
//! graph and the rows of the flat profile are made.

use std::ops::Range;

use super::functions::{NamedFunctions, source_line};
use super::graph::{Amount, Calls, Graph, Site};
use super::symspecs::Selected;
use super::table::FlatRow;
use crate::graph::Groups;
use crate::profile::{Call, CostTable, Count, Ordered, add_cost};
use crate::view::asm::SourceLine;
use crate::view::sums::SumsBuilder;
use crate::view::threads::beside;

pub struct CallgrindCosts<'p> {
    pub functions: &'p NamedFunctions<'p>,
    /// The event whose counts take the place of time.
    pub event: usize,
    /// Further events for the flat profile.
    pub more_events: Vec<usize>,
    costs: CostTable,
    pub own: Vec<i64>,
    /// Ordered by caller, callee and line.
    calls: Vec<Calls>,
    /// By number in `calls`; empty unless callers are lines.
    sites: Vec<Site>,
    /// The calls that are left out.
    left_out: Vec<Calls>,
}

/// The calls of some callers, and their sites if `site_of` has any.
fn calls_of(
    functions: &NamedFunctions<'_>,
    event: usize,
    by_caller: &Groups,
    callers: Range<usize>,
    site_of: &[Option<Site>],
) -> (Vec<Calls>, Vec<Site>) {
    let (profile, side) = (functions.profile, &functions.profile.sides().new);
    let (mut calls, mut sites) = (Vec::with_capacity(by_caller.members.len()), Vec::new());
    let (mut rows, mut sum) = (Vec::new(), vec![Count::UNDEFINED; profile.events().len()]);
    let has_no_cost =
        |row: usize| side.calls.table.get(row).iter().all(|count| count.value().is_none());
    let is_static = |row: usize| side.call_counts[row] == 0 && has_no_cost(row);
    for caller in callers {
        rows.clear();
        rows.extend(by_caller.get(caller).iter().map(|&row| {
            let (row, site) = (row as usize, site_of.get(row as usize));
            let callee = functions.of(profile.calls[row].callee);
            (callee, site.copied().flatten(), row)
        }));
        rows.sort_unstable();
        calls.extend(rows.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(|same| {
            let rows = || same.iter().map(|&(.., row)| row);
            sum.fill(Count::UNDEFINED);
            sites.extend(same[0].1);
            rows().for_each(|row| add_cost(&mut sum, side.calls.table.get(row)));
            Calls {
                caller: caller as u32,
                callee: same[0].0,
                count: rows().map(|row| side.call_counts[row]).sum(),
                cost: profile.events().count(&sum, event).or_zero(),
                is_static: rows().all(is_static),
            }
        }));
    }
    (calls, sites)
}

impl<'p> CallgrindCosts<'p> {
    /// Collects the costs of an event, and of `more_events` for the flat profile. `included` has
    /// for each call of the profile whether it counts. With `by_line`, callers are lines.
    pub fn new(
        functions: &'p NamedFunctions<'p>,
        event: usize,
        more_events: Vec<usize>,
        included: &[bool],
        by_line: bool,
    ) -> CallgrindCosts<'p> {
        let profile = functions.profile;
        let count = |cost: &[Count]| profile.events().count(cost, event).or_zero();
        let costs = profile.self_costs_by(functions.list.len(), |_, fragment| {
            Some(functions.of(fragment.function) as usize)
        });
        let included_calls = || profile.calls.iter().zip(included);
        let caller = |call: &Call| functions.of(profile.fragment(call.site.fragment).function);
        let by_caller = |are_included: bool| {
            let callers = included_calls().map(|(call, &is_included)| {
                (is_included == are_included).then(|| caller(call) as usize)
            });
            Groups::new(functions.list.len(), callers)
        };
        // By call, the number of the call site's line and the line; none for calls that are left
        // out.
        let mut sites = Ordered::default();
        let sites = included_calls().filter(|_| by_line).map(|(call, &is_included)| {
            let line = is_included.then(|| source_line(profile.code_place(call.site)))?;
            Some((sites.insert_full(line, ()).0 as u32, line))
        });
        let site_of: Vec<_> = sites.collect();
        let left_out = if included.contains(&false) {
            calls_of(functions, event, &by_caller(false), 0..functions.list.len(), &[]).0
        } else {
            Vec::new()
        };
        let by_caller = by_caller(true);
        let (middle, end) = (by_caller.len() / 2, by_caller.len());
        let calls = |callers| calls_of(functions, event, &by_caller, callers, &site_of);
        let (mut first, second) =
            beside(included.len(), || calls(0..middle), || calls(middle..end));
        first.0.extend(second.0);
        first.1.extend(second.1);
        CallgrindCosts {
            functions,
            event,
            more_events,
            own: costs.new.iter().map(count).collect(),
            costs: costs.new,
            calls: first.0,
            sites: first.1,
            left_out,
        }
    }

    pub fn graph(&self, selected: &Selected) -> Graph<'_, i64> {
        Graph::recorded(&self.own, &self.calls, &self.sites, selected, &self.left_out)
    }

    /// A row without its callees' cost.
    fn row(
        &self,
        number: u32,
        site: Option<SourceLine>,
        calls: i64,
        cost: &[Count],
    ) -> FlatRow<i64> {
        let own = cost[self.event].or_zero();
        let more = self.more_events.iter().map(|&event| cost[event]);
        FlatRow { number, site, own, more: more.collect(), calls, inclusive: own, cumulative: 0 }
    }

    pub fn function_rows(&self) -> Vec<FlatRow<i64>> {
        let events = self.functions.profile.events();
        let graph = self.graph(&Selected::default());
        let row = |(function, cost): (u32, &[Count])| {
            let node = &graph.functions()[function as usize];
            let mut cost = cost.to_vec();
            events.derive(&mut cost);
            let mut row = self.row(function, None, node.calls, &cost);
            row.inclusive += node.counted_children;
            row
        };
        (0..).zip(self.costs.iter()).map(row).collect()
    }

    /// The rows of all lines. Inclusive costs include the calls made at the line that leave the
    /// function and its cycle.
    pub fn line_rows(&self) -> Vec<FlatRow<i64>> {
        let (functions, profile) = (self.functions, self.functions.profile);
        let graph = self.graph(&Selected::default());
        let mut sums = SumsBuilder::new(profile);
        let mut has_row = vec![false; functions.list.len()];
        for (number, &place) in profile.places.iter().enumerate() {
            let at = profile.code_place(place);
            let function = functions.of(at.function);
            has_row[function as usize] = true;
            let on = profile.presence_of_place(number);
            sums.add_place((function, source_line(at)), number, on);
        }
        // The position of each row with calls, and the inclusive cost of these.
        let mut called = Vec::new();
        for ((number, calls), &(_, site)) in (0..).zip(&self.calls).zip(&self.sites) {
            if !graph.is_nested(calls) {
                let (own, children) = i64::of_calls(&graph, &[number]);
                has_row[calls.caller as usize] = true;
                called.push((sums.position((calls.caller, site)), own + children));
            }
        }
        // A called function has a row at its first line, with or without costs there. So has a
        // function without costs and calls, which may still be shown.
        for ((number, node), has_row) in (0..).zip(graph.functions()).zip(has_row) {
            if node.calls != 0 || !has_row {
                sums.position((number, functions.start(number)));
            }
        }
        let sums = sums.finish();
        let row = |(at, &(function, site)): (usize, &(u32, SourceLine))| {
            let is_start = site == functions.start(function);
            let calls = graph.functions()[function as usize].calls;
            let calls = if is_start { calls } else { 0 };
            self.row(function, Some(site), calls, sums.cost(at).value)
        };
        let mut rows: Vec<_> = sums.keys.iter().enumerate().map(row).collect();
        for (at, cost) in called {
            rows[at].inclusive += cost;
        }
        rows
    }
}
