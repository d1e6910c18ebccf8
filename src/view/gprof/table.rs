//! gprof's two tables, in gprof's order: the call graph, with an entry for each function and cycle between its callers
//! and callees, and the flat profile. An entry is created when it is requested.

use std::cmp::{Ordering, Reverse};

use crate::profile::Count;
use crate::view::asm::SourceLine;
use crate::view::gprof::graph::{Amount, Graph, Node};
use crate::view::sums::add_up_equal;
use crate::view::threads::sort_by;

/// A function or cycle with its callers and callees. Its index is its position among all entries.
pub struct Entry<'g, C> {
    /// The number of the function or cycle.
    pub of: u32,
    pub node: &'g Node<C>,
    pub is_spontaneous: bool,
    /// The callers; for a cycle, those outside it.
    pub callers: Vec<Neighbour<C>>,
    pub members: Vec<Neighbour<C>>,
    /// The callees; for a cycle, those outside it.
    pub callees: Vec<Neighbour<C>>,
}

/// A caller or callee with the calls to or from an entry, or a member of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour<C> {
    pub function: u32,
    /// If callers are lines: the number of the call site's line among all call sites, and the line.
    pub site: Option<(u32, SourceLine)>,
    /// The number of calls; for a member, of calls from other functions.
    pub count: i64,
    /// The number of calls from all callers of the callee, or of its cycle; for a member, of recursive calls.
    pub of: Option<i64>,
    /// The parts of the callee's self cost and of its children's cost due to the calls; none within a cycle.
    pub cost: Option<(C, C)>,
    pub is_itself: bool,
}

/// The order of all entries. The index of an entry is its position.
pub struct GraphTable<'g, C> {
    graph: &'g Graph<'g, C>,
    pub entries: Vec<u32>,
    /// By function or cycle, the position of its entry.
    positions: Vec<u32>,
    /// All functions in the order of the index.
    pub by_name: Vec<u32>,
}

impl<'g, C: Amount> GraphTable<'g, C> {
    /// Orders all entries. `name` returns the name by which a function is ordered.
    pub fn new<'n>(graph: &'g Graph<'g, C>, name: impl Fn(u32) -> &'n [u8]) -> GraphTable<'g, C> {
        let mut table = GraphTable {
            graph,
            entries: Vec::new(),
            positions: vec![0; graph.nodes.len()],
            by_name: (0..graph.functions().len() as u32).collect(),
        };
        // Functions of recorded costs are numbered by their names.
        if !C::IS_RECORDED {
            table.by_name.sort_by(|&a, &b| name(a).cmp(name(b)));
        }
        // Equal ones keep the order of names.
        let entries = table.cycles().chain(table.by_name.iter().copied());
        let keys = entries
            .zip(0u32..)
            .map(|(of, at)| (table.key(of, &name), at, of));
        let mut entries: Vec<_> = keys.collect();
        sort_by(
            &mut entries,
            |((cost_a, a), at_a, _), ((cost_b, b), at_b, _)| {
                ascending(*cost_b, *cost_a).then_with(|| (a, at_a).cmp(&(b, at_b)))
            },
        );
        table.entries = entries.into_iter().map(|(.., of)| of).collect();
        for (position, &of) in (0..).zip(&table.entries) {
            table.positions[of as usize] = position;
        }
        table
    }

    /// The inclusive cost of an entry, by which the highest is first, and the order of entries with the same cost:
    /// cycles first, then names without a leading underscore, then more calls, then the name.
    fn key<'n>(&self, of: u32, name: impl Fn(u32) -> &'n [u8]) -> (C, (u32, bool, Reverse<i64>)) {
        let node = &self.graph.nodes[of as usize];
        let (cycle, is_private) = match self.cycle(of) {
            Some(cycle) => (cycle, false),
            None => (u32::MAX, name(of).starts_with(b"_")),
        };
        (node.inclusive(), (cycle, is_private, Reverse(node.calls)))
    }

    /// The cost that is 100% of the call graph.
    pub fn whole(&self) -> C {
        self.graph.total
    }

    /// The position of the entry of a function or cycle, and whether it is shown.
    pub fn entry_of(&self, of: u32) -> (usize, bool) {
        let is_shown = self.graph.nodes[of as usize].is_shown;
        (self.positions[of as usize] as usize, is_shown)
    }

    pub fn cycles(&self) -> impl Iterator<Item = u32> {
        self.graph.functions().len() as u32..self.graph.nodes.len() as u32
    }

    /// The displayed number of a cycle, from 1; none for a function.
    pub fn cycle(&self, of: u32) -> Option<u32> {
        let is_cycle = of as usize >= self.graph.functions().len();
        self.cycle_of(of).filter(|_| is_cycle)
    }

    /// The displayed number of the cycle that a function is in, from 1.
    pub fn cycle_of(&self, function: u32) -> Option<u32> {
        self.graph.cycle(function).map(|cycle| cycle + 1)
    }

    /// Whether a function has self cost or calls from other functions.
    pub fn is_used(&self, function: u32) -> bool {
        let node = &self.graph.nodes[function as usize];
        node.own != C::default() || node.calls != 0
    }

    /// Whether an entry is shown. One without costs and calls is hidden unless `shows_zeros`.
    pub fn is_shown(&self, of: u32, shows_zeros: bool) -> bool {
        let node = &self.graph.nodes[of as usize];
        let is_free = [node.counted, node.counted_children] == [C::default(); 2];
        let is_empty = is_free && node.calls == 0 && node.self_calls == 0;
        node.is_shown && (shows_zeros || !is_empty)
    }

    pub fn entry(&self, of: u32) -> Entry<'g, C> {
        let (is_cycle, members) = (self.cycle(of).is_some(), self.graph.members(&of));
        let around = |are_callers: bool| match is_cycle {
            false => self.neighbours(of, are_callers).collect(),
            // Only those outside the cycle. As in gprof, the entry of a cycle of samples lists only its members.
            true => {
                let members = members.iter().filter(|_| C::IS_RECORDED);
                let all = members.flat_map(|&member| self.neighbours(member, are_callers));
                merged(all.filter(|line| line.cost.is_some()).collect())
            }
        };
        let (mut callers, mut callees): (Vec<_>, Vec<_>) = (around(true), around(false));
        callers.sort_by(by_weight);
        callees.sort_by(|a, b| by_weight(b, a));
        let members = is_cycle.then(|| self.members(members));
        Entry {
            of,
            node: self.node(of),
            is_spontaneous: (C::IS_RECORDED || !is_cycle) && callers.is_empty(),
            callers,
            members: members.unwrap_or_default(),
            callees,
        }
    }

    /// Calls `add` for each caller, member and callee of an entry, in any order.
    pub fn for_each_neighbour(&self, of: u32, mut add: impl FnMut(&Neighbour<C>)) {
        if self.cycle(of).is_some() {
            let entry = self.entry(of);
            let lines = entry.callers.iter().chain(&entry.members);
            return lines.chain(&entry.callees).for_each(add);
        }
        self.neighbours(of, true).for_each(|line| add(&line));
        self.neighbours(of, false).for_each(|line| add(&line));
    }

    pub fn node(&self, of: u32) -> &'g Node<C> {
        &self.graph.nodes[of as usize]
    }

    /// The callers (functions or lines) or callees of a function, in the order of the calls, which decides ties.
    fn neighbours(&self, of: u32, are_callers: bool) -> impl Iterator<Item = Neighbour<C>> {
        let graph = self.graph;
        let calls = if are_callers {
            &graph.callers
        } else {
            &graph.callees
        };
        let calls = calls.get(of as usize);
        let of = |call: &u32| &graph.calls[*call as usize];
        let end = move |call: &u32| match are_callers {
            true => (of(call).caller, of(call).site),
            false => (of(call).callee, None),
        };
        let neighbour = move |calls: &[u32]| {
            let (first, (function, site)) = (of(&calls[0]), end(&calls[0]));
            let is_nested = graph.is_nested(first);
            Neighbour {
                function,
                site,
                count: calls.iter().map(|call| of(call).count).sum(),
                of: (!is_nested).then(|| graph.source(first.callee).calls),
                cost: (!is_nested).then(|| C::of_calls(graph, calls)),
                is_itself: first.caller == first.callee,
            }
        };
        let calls = calls.chunk_by(move |a, b| end(a) == end(b));
        calls.map(neighbour)
    }

    /// The members of a cycle, the most expensive first; of equal ones, those with more calls.
    fn members(&self, members: &[u32]) -> Vec<Neighbour<C>> {
        let node = |member: u32| &self.graph.nodes[member as usize];
        let mut members = members.to_vec();
        members.sort_by(|&a, &b| {
            let [a, b] = [a, b].map(node);
            let calls = |node: &Node<C>| node.calls.saturating_add(node.self_calls);
            ascending(b.inclusive(), a.inclusive()).then(calls(b).cmp(&calls(a)))
        });
        let line = |function: u32| {
            let node = node(function);
            Neighbour {
                function,
                site: None,
                count: node.calls,
                of: (node.self_calls != 0).then_some(node.self_calls),
                cost: Some((node.counted, node.counted_children)),
                is_itself: false,
            }
        };
        members.into_iter().map(line).collect()
    }
}

pub(super) fn ascending<C: PartialOrd>(a: C, b: C) -> Ordering {
    a.partial_cmp(&b).unwrap_or(Ordering::Equal)
}

/// Orders a function itself first, then members of its cycle by calls, then others by cost and calls; all ascending.
fn by_weight<C: Amount>(a: &Neighbour<C>, b: &Neighbour<C>) -> Ordering {
    let kind = |line: &Neighbour<C>| match line.cost {
        None if line.is_itself => 0,
        None => 1,
        Some(_) => 2,
    };
    let cost = |line: &Neighbour<C>| line.cost.map(|(own, children)| own + children);
    let by_cost = || ascending(cost(a).unwrap_or_default(), cost(b).unwrap_or_default());
    let by_kind = kind(a).cmp(&kind(b));
    by_kind.then_with(by_cost).then(a.count.cmp(&b.count))
}

/// Adds up the lines of an entry with the same function and call site.
fn merged<C: Amount>(mut lines: Vec<Neighbour<C>>) -> Vec<Neighbour<C>> {
    let place = |line: &Neighbour<C>| (line.function, line.site);
    lines.sort_by_key(place);
    add_up_equal(&mut lines, place, |line, more| {
        let costs = line.cost.zip(more.cost);
        line.cost = costs.map(|(a, b)| (a.0 + b.0, a.1 + b.1));
        line.count += more.count;
    });
    lines
}

pub struct FlatRow<C> {
    /// The number of the function; for samples, of the place, which may be a line.
    pub number: u32,
    /// The line, if rows of recorded costs are lines.
    pub site: Option<SourceLine>,
    pub own: C,
    /// The self costs of further events; empty for samples.
    pub more: Vec<Count>,
    /// The number of calls from other functions; for a line, 0 unless the function begins there.
    pub calls: i64,
    /// The inclusive cost; for a member of a cycle, of its callees only those outside the cycle are included.
    pub inclusive: C,
    /// The sum of the self costs of this row and all rows before it.
    pub cumulative: C,
}

pub struct Flat<C> {
    /// The rows, the most expensive first.
    pub rows: Vec<FlatRow<C>>,
    /// The cost that is 100%.
    pub whole: C,
}

impl<C: Amount> Flat<C> {
    /// Orders rows by self cost, equal ones by number of calls and by `key`, and adds up the cumulative costs. Rows
    /// without self cost and calls are left out unless `shows_zeros`.
    pub fn new<K: Ord>(
        rows: impl Iterator<Item = FlatRow<C>>,
        whole: C,
        shows_zeros: bool,
        key: impl Fn(&FlatRow<C>) -> K,
    ) -> Flat<C> {
        let is_listed = |row: &FlatRow<C>| shows_zeros || row.own != C::default() || row.calls != 0;
        let mut rows: Vec<_> = rows.filter(is_listed).collect();
        rows.sort_by(|a, b| {
            let by_cost = ascending(b.own, a.own).then(b.calls.cmp(&a.calls));
            by_cost.then_with(|| key(a).cmp(&key(b)))
        });
        let mut sum = C::default();
        for row in &mut rows {
            sum += row.own;
            row.cumulative = sum;
        }
        Flat { rows, whole }
    }
}

impl Graph<'_, f64> {
    pub fn rows(&self) -> impl Iterator<Item = FlatRow<f64>> {
        (0..).zip(self.functions()).map(|(number, node)| FlatRow {
            number,
            site: None,
            own: node.own,
            more: Vec::new(),
            calls: node.calls,
            inclusive: node.own + node.children,
            cumulative: 0.0,
        })
    }

    /// The highest inclusive cost per call of any function, in samples.
    pub fn longest_call(&self) -> f64 {
        let called = self.rows().filter(|row| row.calls != 0);
        let per_call = called.map(|row| row.inclusive / row.calls as f64);
        per_call.fold(0.0, f64::max)
    }
}
