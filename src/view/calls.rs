//! The call tree: for each row who calls it and whom it calls, each call as it was recorded.

use hashbrown::HashMap;

use super::{Cost, Cycles, Grouping, Item, Label, Mark, Rows, Selection};
use crate::profile::{Count, Overflow, Profile, Sides, add_cost};

/// The calls between two rows.
#[derive(Debug)]
pub struct CallLine<'p> {
    /// The caller or the callee, whichever the line is about.
    pub label: Label<'p>,
    /// How many calls.
    pub count: i64,
    /// What they cost, all that they called in turn included.
    pub cost: Cost,
}

/// All calls between rows.
pub struct Calls {
    edges: Vec<Edge>,
    /// The edges by caller, and by callee.
    by_caller: HashMap<Item, Vec<u32>>,
    by_callee: HashMap<Item, Vec<u32>>,
}

struct Edge {
    caller: Item,
    callee: Item,
    count: i64,
    cost: Cost,
    sides: Sides,
}

impl Calls {
    /// Adds the calls of a profile up by rows; calls into and out of each cycle too. Calls within a group are left
    /// out, and groups are in no `cycles`.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit.
    pub fn new(profile: &Profile, rows: &Rows<'_>, cycles: &Cycles) -> Result<Calls, Overflow> {
        let mut calls = Calls {
            edges: Vec::new(),
            by_caller: HashMap::new(),
            by_callee: HashMap::new(),
        };
        let mut found = HashMap::new();
        let are_groups = rows.grouping() != Grouping::Function;
        for (number, &(caller, callee)) in rows.of_calls().iter().enumerate() {
            if are_groups && caller == callee {
                continue;
            }
            let call = profile.call(number).0;
            let (caller, callee) = (Item::Row(caller), Item::Row(callee));
            calls.add(&mut found, (caller, callee), profile, number)?;
            let (from, to) = (cycles.of(call.site.function), cycles.of(call.callee));
            if !are_groups && from != to {
                if let Some(cycle) = to {
                    calls.add(
                        &mut found,
                        (caller, Item::Cycle(cycle + 1)),
                        profile,
                        number,
                    )?;
                }
                if let Some(cycle) = from {
                    calls.add(
                        &mut found,
                        (Item::Cycle(cycle + 1), callee),
                        profile,
                        number,
                    )?;
                }
            }
        }
        // A row lists the functions that it calls, not their cycles; a cycle is listed by its own callers.
        for (edge, number) in calls.edges.iter().zip(0..) {
            if !matches!(edge.callee, Item::Cycle(_)) {
                calls.by_caller.entry(edge.caller).or_default().push(number);
            }
            if !matches!(edge.caller, Item::Cycle(_)) {
                calls.by_callee.entry(edge.callee).or_default().push(number);
            }
        }
        Ok(calls)
    }

    /// Adds a call of the profile to those between two items.
    fn add(
        &mut self,
        found: &mut HashMap<(Item, Item), usize>,
        ends: (Item, Item),
        profile: &Profile,
        number: usize,
    ) -> Result<(), Overflow> {
        let (_, count, cost) = profile.call(number);
        let edge = *found.entry(ends).or_insert_with(|| {
            let cost = vec![Count::UNDEFINED; cost.len()];
            let sides = Sides::default();
            self.edges.push(Edge {
                caller: ends.0,
                callee: ends.1,
                count: 0,
                cost,
                sides,
            });
            self.edges.len() - 1
        });
        let edge = &mut self.edges[edge];
        edge.count = edge.count.checked_add(count).ok_or(Overflow)?;
        edge.sides = edge.sides.or(profile.sides_of_call(number));
        add_cost(&mut edge.cost, cost)
    }

    /// Who calls `item`, the dearest first.
    pub fn callers<'p>(
        &self,
        item: Item,
        rows: &Rows<'p>,
        selection: &Selection,
    ) -> Vec<CallLine<'p>> {
        self.lines(
            self.by_callee.get(&item),
            |edge| edge.caller,
            rows,
            selection,
        )
    }

    /// Whom `item` calls, the dearest first.
    pub fn callees<'p>(
        &self,
        item: Item,
        rows: &Rows<'p>,
        selection: &Selection,
    ) -> Vec<CallLine<'p>> {
        self.lines(
            self.by_caller.get(&item),
            |edge| edge.callee,
            rows,
            selection,
        )
    }

    fn lines<'p>(
        &self,
        edges: Option<&Vec<u32>>,
        other: impl Fn(&Edge) -> Item,
        rows: &Rows<'p>,
        selection: &Selection,
    ) -> Vec<CallLine<'p>> {
        let edges = edges
            .into_iter()
            .flatten()
            .map(|&edge| &self.edges[edge as usize]);
        let mut lines: Vec<_> = edges
            .filter(|edge| selection.shows(edge.count, &edge.cost))
            .collect();
        lines.sort_by(|a, b| {
            selection
                .falling(&a.cost, &b.cost)
                .then_with(|| other(a).by_name(other(b), rows))
        });
        let line = |edge: &Edge| CallLine {
            label: other(edge).label(rows).marked(Mark::of(edge.sides)),
            count: edge.count,
            cost: edge.cost.clone(),
        };
        lines.into_iter().map(line).collect()
    }
}
