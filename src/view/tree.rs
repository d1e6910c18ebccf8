//! The call tree: for each row its callers and callees, each call as it was recorded.

use hashbrown::HashMap;

use crate::graph::{CallGraph, Groups};
use crate::profile::{CostTable, Count, Measured, Presence, Sides};
use crate::view::cycles::Cycles;
use crate::view::figure::{Compared, CostFigure, Figure, FigureTable, Mark};
use crate::view::item::Item;
use crate::view::label::Label;
use crate::view::rows::{RowId, Rows};
use crate::view::selection::Selection;

/// The calls between two rows.
#[derive(Debug)]
pub struct CallLine<'c, 'p> {
    /// The caller or the callee, whichever the line is about.
    pub label: Label<'p>,
    /// How many calls.
    pub count: Figure<i64>,
    /// What they cost, all that they called in turn included.
    pub cost: CostFigure<'c>,
}

/// All calls between rows. Items have numbers here: those of the rows, and after them the cycles.
pub struct CallTree {
    rows: usize,
    links: Vec<Link>,
    /// The costs of the links.
    costs: FigureTable,
    /// The links by caller, and by callee.
    by_caller: Groups,
    by_callee: Groups,
}

/// All calls from one item to another.
struct Link {
    caller: u32,
    callee: u32,
    count: Sides<i64>,
    presence: Presence,
}

impl Link {
    /// How many calls. That the change fits was checked when they were added up.
    fn count(&self) -> Figure<i64> {
        let Sides { new, base } = self.count;
        Figure {
            value: new.wrapping_sub(base.unwrap_or(0)),
            compared: base.map(|base| Compared {
                base,
                new,
                mark: None,
            }),
        }
    }
}

impl CallTree {
    /// Adds the calls of a profile up by rows; calls into and out of each cycle too. Calls within a group are left
    /// out, and groups are in no cycles. Of a difference each side has its own cycles.
    pub fn new(graphs: &Sides<CallGraph<'_>>, rows: &Rows<'_>, cycles: &Cycles) -> CallTree {
        let profile = graphs.new.profile();
        let sides = profile.sides();
        let base = sides.base.as_ref();
        let mut sums = Sums {
            links: Vec::new(),
            costs: Sides {
                new: CostTable::new(profile.events().len(), 0),
                base: base.map(|_| CostTable::new(profile.events().len(), 0)),
            },
            found: HashMap::new(),
        };
        sums.add_side(&sides.new, &graphs.new, rows, cycles, false);
        if let (Some(side), Some(graph)) = (&sides.base, &graphs.base) {
            sums.add_side(side, graph, rows, cycles, true);
        }
        // A row lists the functions that it calls, not their cycles; a cycle is listed by its own callers.
        let is_row = |item: u32| (item as usize) < rows.len();
        let items = rows.len() + cycles.len();
        let callers = sums.links.iter();
        let callers = callers.map(|link| is_row(link.callee).then_some(link.caller as usize));
        let callees = sums.links.iter();
        let callees = callees.map(|link| is_row(link.caller).then_some(link.callee as usize));
        CallTree {
            rows: rows.len(),
            by_caller: Groups::new(items, callers),
            by_callee: Groups::new(items, callees),
            links: sums.links,
            costs: FigureTable::new(sums.costs, profile.events()),
        }
    }

    /// Who calls `item`, the most expensive first.
    pub fn callers<'c, 'p>(
        &'c self,
        item: Item,
        rows: &Rows<'p>,
        selection: &Selection,
    ) -> Vec<CallLine<'c, 'p>> {
        let links = self.by_callee.get(self.number(item));
        self.lines(links, |link| link.caller, rows, selection)
    }

    /// The callees of `item`, the most expensive first.
    pub fn callees<'c, 'p>(
        &'c self,
        item: Item,
        rows: &Rows<'p>,
        selection: &Selection,
    ) -> Vec<CallLine<'c, 'p>> {
        let links = self.by_caller.get(self.number(item));
        self.lines(links, |link| link.callee, rows, selection)
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
        links: &[u32],
        other: impl Fn(&Link) -> u32,
        rows: &Rows<'p>,
        selection: &Selection,
    ) -> Vec<CallLine<'c, 'p>> {
        let link = |&number: &u32| {
            let number = number as usize;
            (&self.links[number], self.costs.get(number))
        };
        let mut lines: Vec<_> = links
            .iter()
            .map(link)
            .filter(|(link, cost)| link.count().value != 0 || selection.shows(cost.value))
            .collect();
        let item = |link: &Link| self.item(other(link));
        lines.sort_by(|(a, cost_a), (b, cost_b)| {
            selection
                .falling(cost_a.value, cost_b.value)
                .then_with(|| item(a).cmp_names(item(b), rows))
        });
        let items: Vec<Item> = lines.iter().map(|(link, _)| item(link)).collect();
        let line = |((link, cost), label): ((&Link, CostFigure<'c>), Label<'p>)| CallLine {
            label,
            count: link.count(),
            cost: cost.marked(Mark::of(link.presence)),
        };
        lines
            .into_iter()
            .zip(rows.labels_of(&items))
            .map(line)
            .collect()
    }
}

/// The calls as they are added up.
struct Sums {
    links: Vec<Link>,
    costs: Sides<CostTable>,
    /// The link from one item to another.
    found: HashMap<(u32, u32), u32>,
}

impl Sums {
    /// Adds the calls of NEW, or of BASE.
    fn add_side(
        &mut self,
        side: &Measured,
        graph: &CallGraph<'_>,
        rows: &Rows<'_>,
        cycles: &Cycles,
        is_base: bool,
    ) {
        let profile = graph.profile();
        let are_groups = rows.row_by().is_group();
        let numbers = cycles.numbers(graph, is_base);
        let cycle_of = |function| {
            let number = numbers[graph.component_of(function)]?;
            Some(rows.len() as u32 + number - 1)
        };
        for (number, &call) in profile.calls().iter().enumerate() {
            if !side.has_call(number) {
                continue;
            }
            let call_of_side = (
                side.call_counts()[number],
                side.call_costs().get(number),
                is_base,
            );
            let (caller, callee) = rows.of_call(call);
            if are_groups {
                if caller != callee {
                    self.add(caller.0, callee.0, call_of_side);
                }
                continue;
            }
            self.add(caller.0, callee.0, call_of_side);
            let function = profile.fragment(call.site.fragment).function;
            let (from, to) = (cycle_of(function), cycle_of(call.callee));
            if from != to {
                if let Some(cycle) = to {
                    self.add(caller.0, cycle, call_of_side);
                }
                if let Some(cycle) = from {
                    self.add(cycle, callee.0, call_of_side);
                }
            }
        }
    }

    /// Adds a call of a side to those between two items.
    fn add(&mut self, caller: u32, callee: u32, (count, cost, is_base): (i64, &[Count], bool)) {
        let number = *self.found.entry((caller, callee)).or_insert_with(|| {
            self.links.push(Link {
                caller,
                callee,
                count: Sides {
                    new: 0,
                    base: self.costs.base.as_ref().map(|_| 0),
                },
                presence: Presence::default(),
            });
            self.costs.new.push(&[]);
            if let Some(base) = &mut self.costs.base {
                base.push(&[]);
            }
            self.links.len() as u32 - 1
        }) as usize;
        let link = &mut self.links[number];
        let (sum, table) = match (&mut link.count.base, &mut self.costs.base) {
            (Some(sum), Some(table)) if is_base => {
                link.presence.base = true;
                (sum, table)
            }
            _ => {
                link.presence.new = true;
                (&mut link.count.new, &mut self.costs.new)
            }
        };
        *sum += count;
        link.count.delta();
        table.add(number, cost)
    }
}
