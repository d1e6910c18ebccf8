//! The call tree: for each row who calls it and whom it calls, each call as it was recorded.

use hashbrown::HashMap;

use super::grouped::Grouped;
use super::{Cycles, Grouping, Item, Label, Mark, RowId, Rows, Selection};
use crate::profile::{Count, Overflow, Profile, Sides, add_cost};

/// The calls between two rows.
#[derive(Debug)]
pub struct CallLine<'c, 'p> {
    /// The caller or the callee, whichever the line is about.
    pub label: Label<'p>,
    /// How many calls.
    pub count: i64,
    /// What they cost, all that they called in turn included.
    pub cost: &'c [Count],
}

/// All calls between rows. Items have numbers here: those of the rows, and behind them the cycles.
pub struct Calls {
    rows: usize,
    edges: Vec<Edge>,
    /// The costs of the edges, one after the other.
    costs: Vec<Count>,
    /// The edges by caller, and by callee.
    by_caller: Grouped,
    by_callee: Grouped,
}

struct Edge {
    caller: u32,
    callee: u32,
    count: i64,
    sides: Sides,
}

impl Calls {
    /// Adds the calls of a profile up by rows; calls into and out of each cycle too. Calls within a group are left
    /// out, and groups are in no `cycles`.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit.
    pub fn new(profile: &Profile, rows: &Rows<'_>, cycles: &Cycles) -> Result<Calls, Overflow> {
        let mut sums = Sums {
            edges: Vec::new(),
            costs: Vec::new(),
            found: HashMap::new(),
        };
        let number_of = |cycle: usize| (rows.len() + cycle) as u32;
        let are_groups = rows.grouping() != Grouping::Function;
        for (number, &(caller, callee)) in rows.of_calls().iter().enumerate() {
            if are_groups && caller == callee {
                continue;
            }
            let call = profile.call(number).0;
            sums.add(caller.0, callee.0, profile, number)?;
            let (from, to) = (cycles.of(call.site.function), cycles.of(call.callee));
            if !are_groups && from != to {
                if let Some(cycle) = to {
                    sums.add(caller.0, number_of(cycle), profile, number)?;
                }
                if let Some(cycle) = from {
                    sums.add(number_of(cycle), callee.0, profile, number)?;
                }
            }
        }
        // A row lists the functions that it calls, not their cycles; a cycle is listed by its own callers.
        let is_row = |item: u32| (item as usize) < rows.len();
        let items = rows.len() + cycles.members().len();
        let callers = sums.edges.iter();
        let callers = callers.map(|edge| is_row(edge.callee).then_some(edge.caller as usize));
        let callees = sums.edges.iter();
        let callees = callees.map(|edge| is_row(edge.caller).then_some(edge.callee as usize));
        Ok(Calls {
            rows: rows.len(),
            by_caller: Grouped::new(items, callers),
            by_callee: Grouped::new(items, callees),
            edges: sums.edges,
            costs: sums.costs,
        })
    }

    /// Who calls `item`, the dearest first.
    pub fn callers<'c, 'p>(
        &'c self,
        item: Item,
        rows: &Rows<'p>,
        selection: &Selection,
    ) -> Vec<CallLine<'c, 'p>> {
        let edges = self.by_callee.of(self.number(item));
        self.lines(edges, |edge| edge.caller, rows, selection)
    }

    /// Whom `item` calls, the dearest first.
    pub fn callees<'c, 'p>(
        &'c self,
        item: Item,
        rows: &Rows<'p>,
        selection: &Selection,
    ) -> Vec<CallLine<'c, 'p>> {
        let edges = self.by_caller.of(self.number(item));
        self.lines(edges, |edge| edge.callee, rows, selection)
    }

    /// Fetches what the callers and the callees of some items, not too many, take to be written.
    pub fn fetch(&self, items: &[Item], rows: &Rows<'_>) {
        let numbers = items.iter().map(|&item| self.number(item));
        let width = self.costs.len() / self.edges.len().max(1);
        let edges = numbers.clone().flat_map(|item| self.by_callee.of(item));
        let counts = edges.map(|&edge| self.costs[edge as usize * width].or_zero());
        std::hint::black_box(counts.fold(0, |seen, count| seen ^ count));
        let callers = numbers.clone().flat_map(|item| self.by_callee.of(item));
        rows.fetch(callers.map(|&edge| self.item(self.edges[edge as usize].caller)));
        let callees = numbers.flat_map(|item| self.by_caller.of(item));
        rows.fetch(callees.map(|&edge| self.item(self.edges[edge as usize].callee)));
    }

    fn number(&self, item: Item) -> usize {
        match item {
            Item::Row(row) => row.index(),
            Item::Cycle(number) => self.rows + number as usize - 1,
        }
    }

    fn item(&self, number: u32) -> Item {
        match (number as usize).checked_sub(self.rows) {
            None => Item::Row(RowId(number)),
            Some(cycle) => Item::Cycle(cycle as u32 + 1),
        }
    }

    fn lines<'c, 'p>(
        &'c self,
        edges: &[u32],
        other: impl Fn(&Edge) -> u32,
        rows: &Rows<'p>,
        selection: &Selection,
    ) -> Vec<CallLine<'c, 'p>> {
        let width = self.costs.len() / self.edges.len().max(1);
        let edge = |&number: &u32| {
            let number = number as usize;
            let cost = &self.costs[number * width..(number + 1) * width];
            (&self.edges[number], cost)
        };
        let mut lines: Vec<_> = edges
            .iter()
            .map(edge)
            .filter(|(edge, cost)| selection.shows(edge.count, cost))
            .collect();
        let item = |edge: &Edge| self.item(other(edge));
        lines.sort_by(|(a, cost_a), (b, cost_b)| {
            selection
                .falling(cost_a, cost_b)
                .then_with(|| item(a).by_name(item(b), rows))
        });
        let line = |(edge, cost): (&Edge, &'c [Count])| CallLine {
            label: item(edge).label(rows).marked(Mark::of(edge.sides)),
            count: edge.count,
            cost,
        };
        lines.into_iter().map(line).collect()
    }
}

/// The calls as they are added up.
struct Sums {
    edges: Vec<Edge>,
    costs: Vec<Count>,
    /// The edge from one item to another.
    found: HashMap<(u32, u32), u32>,
}

impl Sums {
    /// Adds a call of the profile to those between two items.
    fn add(
        &mut self,
        caller: u32,
        callee: u32,
        profile: &Profile,
        number: usize,
    ) -> Result<(), Overflow> {
        let (_, count, cost) = profile.call(number);
        let edge = *self.found.entry((caller, callee)).or_insert_with(|| {
            self.edges.push(Edge {
                caller,
                callee,
                count: 0,
                sides: Sides::default(),
            });
            let undefined = std::iter::repeat_n(Count::UNDEFINED, cost.len());
            self.costs.extend(undefined);
            self.edges.len() as u32 - 1
        }) as usize;
        add_cost(
            &mut self.costs[edge * cost.len()..(edge + 1) * cost.len()],
            cost,
        )?;
        let edge = &mut self.edges[edge];
        edge.count = edge.count.checked_add(count).ok_or(Overflow)?;
        edge.sides = edge.sides.or(profile.sides_of_call(number));
        Ok(())
    }
}
