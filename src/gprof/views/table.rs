//! gprof's two tables, in gprof's order: the call graph, with an entry for each function and cycle
//! between its callers and callees, and the flat profile. An entry is created when it is requested.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::OnceLock;

use crate::gprof::views::graph::{Amount, Graph, Node, Site};
use crate::profile::Count;
use crate::view::asm::SourceLine;
use crate::view::threads::sort_by;

/// A function or cycle with its callers and callees. Its index is its position among all entries.
pub struct GraphEntry<'g, C> {
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
    /// If callers are lines: the call site.
    pub site: Option<Site>,
    /// The number of calls; for a member of a cycle, of those that its line has in the cycle's
    /// entry.
    pub count: i64,
    /// The number of calls from all callers of the callee, or of its cycle; for a member, of
    /// recursive calls.
    pub of: Option<i64>,
    /// The parts of the callee's self cost and of its children's cost due to the calls; none within
    /// a cycle.
    pub cost: Option<(C, C)>,
    pub is_itself: bool,
}

/// The order of all entries. The index of an entry is its position.
pub struct GraphTable<'g, C> {
    graph: &'g Graph<'g, C>,
    /// The entries of cycles, which may be long; made when they are first needed.
    of_cycles: OnceLock<Vec<GraphEntry<'g, C>>>,
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
            of_cycles: OnceLock::new(),
            entries: Vec::new(),
            positions: vec![0; graph.nodes.len()],
            by_name: (0..graph.functions().len() as u32).collect(),
        };
        // Functions of recorded costs are numbered by their names.
        if !C::IS_RECORDED {
            table.by_name.sort_by(|&a, &b| name(a).cmp(name(b)));
        }
        table.entries = table.in_order(name);
        for (position, &of) in (0..).zip(&table.entries) {
            table.positions[of as usize] = position;
        }
        table
    }

    /// All functions and cycles, in the order of their entries.
    fn in_order<'n>(&self, name: impl Fn(u32) -> &'n [u8]) -> Vec<u32> {
        // Equal ones keep the order of names, in which those with a leading underscore follow one
        // another.
        let before = |end: &[u8]| self.by_name.partition_point(|&of| name(of) < end);
        let private = before(b"_")..before(b"`");
        let functions = self.by_name.iter().zip(0..).map(|(&of, at)| (of, private.contains(&at)));
        let entries = self.cycles().map(|of| (of, false)).chain(functions).zip(0u32..);
        let keys = entries.map(|((of, is_private), at)| (self.key(of, is_private), at, of));
        let mut entries: Vec<_> = keys.collect();
        sort_by(&mut entries, Ord::cmp);
        entries.into_iter().map(|(.., of)| of).collect()
    }

    /// The order of an entry: the highest inclusive cost is first; with the same cost cycles, then
    /// names without a leading underscore, then more calls, then the name.
    fn key(&self, of: u32, is_private: bool) -> (Reverse<i64>, u32, bool, Reverse<i64>) {
        let node = &self.graph.nodes[of as usize];
        let cycle = self.cycle(of).unwrap_or(u32::MAX);
        let cost = Reverse(node.inclusive().order());
        (cost, cycle, is_private, Reverse(node.calls))
    }

    pub fn call_count(&self) -> usize {
        self.graph.calls.len()
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

    pub fn cycle_entries(&self) -> &[GraphEntry<'g, C>] {
        let entries = || self.cycles().map(|of| self.entry(of)).collect();
        self.of_cycles.get_or_init(entries)
    }

    /// The entry of a cycle; none for a function.
    pub fn cycle_entry(&self, of: u32) -> Option<&GraphEntry<'g, C>> {
        let cycle = (of as usize).checked_sub(self.graph.functions().len())?;
        self.cycle_entries().get(cycle)
    }

    pub fn entry(&self, of: u32) -> GraphEntry<'g, C> {
        let (is_cycle, members) = (self.cycle(of).is_some(), self.graph.members(&of));
        let mut callers = self.around(of, true);
        let mut callees = self.around(of, false);
        callers.retain(|line| !is_omitted(line));
        callees.retain(|line| !is_omitted(line));
        callers.sort_by_cached_key(weight);
        callees.sort_by_cached_key(|line| Reverse(weight(line)));
        let members = is_cycle.then(|| self.members(members));
        GraphEntry {
            of,
            node: self.node(of),
            is_spontaneous: (C::IS_RECORDED || !is_cycle) && callers.is_empty(),
            callers,
            members: members.unwrap_or_default(),
            callees,
        }
    }

    /// Calls `add` for the lines of a cycle's entry, or for those about the calls that a function
    /// makes: in its own entry and in those of its callees. Each is added once, and only if
    /// `is_listed` accepts one of these entries.
    pub fn for_each_line(
        &self,
        of: u32,
        is_listed: impl Fn(u32) -> bool,
        mut add: impl FnMut(&Neighbour<C>),
    ) {
        let is_in_list = is_listed(of);
        if let Some(entry) = self.cycle_entry(of) {
            let lines = entry.callers.iter().chain(&entry.members).chain(&entry.callees);
            return lines.filter(|_| is_in_list).for_each(add);
        }
        for calls in self.chunks(of, self.calls(of, false), false) {
            let line = self.neighbour(calls, false);
            // Calls from several lines have a line each in the callee's entry.
            let (are_listed, is_one) = (is_listed(line.function), calls.len() == 1);
            if is_omitted(&line) {
                continue;
            }
            if is_in_list || are_listed && is_one {
                add(&line);
            }
            for call in calls.iter().filter(|_| are_listed && !is_one) {
                add(&self.neighbour(std::slice::from_ref(call), true));
            }
        }
    }

    pub fn node(&self, of: u32) -> &'g Node<C> {
        &self.graph.nodes[of as usize]
    }

    /// The callers (functions or lines) or callees of a function, or of a cycle those outside it,
    /// in the order of the calls, which decides ties.
    fn around(&self, of: u32, are_callers: bool) -> Vec<Neighbour<C>> {
        let calls = match self.cycle(of) {
            None => Cow::Borrowed(self.calls(of, are_callers)),
            Some(_) => Cow::Owned(self.calls_around_cycle(of, are_callers)),
        };
        let mut lines = Vec::with_capacity(calls.len());
        let chunks = self.chunks(of, &calls, are_callers);
        lines.extend(chunks.map(|calls| self.neighbour(calls, are_callers)));
        lines
    }

    /// The numbers of the calls to or from a function.
    fn calls(&self, of: u32, are_callers: bool) -> &'g [u32] {
        if are_callers {
            self.graph.callers.get(of as usize)
        } else {
            self.graph.callees.get(of as usize)
        }
    }

    /// The numbers of the calls into a cycle or out of it, by other end. As in gprof, the entry of
    /// a cycle of samples lists only its members.
    fn calls_around_cycle(&self, of: u32, are_callers: bool) -> Vec<u32> {
        let members = self.graph.members(&of).iter().filter(|_| C::IS_RECORDED);
        let calls = members.flat_map(|&member| self.calls(member, are_callers));
        let is_nested = |call: u32| self.graph.is_nested(&self.graph.calls[call as usize]);
        let mut calls: Vec<u32> = calls.copied().filter(|&call| !is_nested(call)).collect();
        calls.sort_by_cached_key(|&call| {
            let (function, site) = self.end(call, are_callers);
            (function, site.map(|(number, _)| number))
        });
        calls
    }

    /// The other end of a call, as entries show it.
    fn end(&self, number: u32, are_callers: bool) -> (u32, Option<Site>) {
        let call = &self.graph.calls[number as usize];
        if are_callers {
            (call.caller, self.graph.sites.get(number as usize).copied())
        } else {
            (call.callee, None)
        }
    }

    /// Numbers of calls of a function or cycle that follow one another and have the same other end.
    fn chunks<'n>(
        &self,
        of: u32,
        calls: &'n [u32],
        are_callers: bool,
    ) -> impl Iterator<Item = &'n [u32]> {
        // Recorded calls differ in an end or their site.
        let are_unique = C::IS_RECORDED && self.graph.sites.is_empty() && self.cycle(of).is_none();
        let end = move |call: u32| self.end(call, are_callers);
        calls.chunk_by(move |&a, &b| !are_unique && end(a) == end(b))
    }

    /// The other end of these calls (by number), which is the same for all.
    fn neighbour(&self, calls: &[u32], are_callers: bool) -> Neighbour<C> {
        let graph = self.graph;
        let of = |call: u32| &graph.calls[call as usize];
        let (first, (function, site)) = (of(calls[0]), self.end(calls[0], are_callers));
        let is_nested = graph.is_nested(first);
        let cost = || {
            if let [_] = calls {
                return Some(C::of_calls(graph, calls));
            }
            let ends = |call: u32| (of(call).caller, of(call).callee);
            let costs =
                calls.chunk_by(|&a, &b| ends(a) == ends(b)).map(|calls| C::of_calls(graph, calls));
            costs.reduce(|a, b| (a.0 + b.0, a.1 + b.1))
        };
        Neighbour {
            function,
            site,
            count: calls.iter().map(|&call| of(call).count).sum(),
            of: (!is_nested).then(|| graph.source(first.callee).calls),
            cost: if is_nested { None } else { cost() },
            is_itself: first.caller == first.callee,
        }
    }

    /// The number of calls of a member that its line has in the entry of its cycle: by other
    /// members, as in gprof's manual. For samples gprof counts calls from outside too.
    fn calls_of_member(&self, member: u32) -> i64 {
        if !C::IS_RECORDED {
            return self.graph.nodes[member as usize].calls;
        }
        let calls = self.calls(member, true).iter().map(|&call| &self.graph.calls[call as usize]);
        let of_others = calls.filter(|call| call.caller != member && self.graph.is_nested(call));
        of_others.map(|call| call.count).sum()
    }

    /// The members of a cycle, the most expensive first; of equal ones, those with more calls.
    fn members(&self, members: &[u32]) -> Vec<Neighbour<C>> {
        let nodes = &self.graph.nodes;
        let mut by_cost = members.to_vec();
        by_cost.sort_by_cached_key(|&member| {
            let node = &nodes[member as usize];
            let calls = node.calls.saturating_add(node.self_calls);
            Reverse((node.inclusive().order(), calls))
        });
        let line = |function: u32| {
            let node = &nodes[function as usize];
            Neighbour {
                function,
                site: None,
                count: self.calls_of_member(function),
                of: (node.self_calls != 0).then_some(node.self_calls),
                cost: Some((node.counted, node.counted_children)),
                is_itself: false,
            }
        };
        by_cost.into_iter().map(line).collect()
    }
}

/// Whether the line of a function in its own entry is omitted: a recorded recursion is part of the
/// number of calls, as in gprof's manual. Lines of samples are those that gprof prints, and one
/// with a call site says from where the function called itself.
fn is_omitted<C: Amount>(line: &Neighbour<C>) -> bool {
    C::IS_RECORDED && line.is_itself && line.site.is_none()
}

/// The order of lines: the function itself, then members of its cycle by calls, then others by cost
/// and calls.
fn weight<C: Amount>(line: &Neighbour<C>) -> (i64, i64) {
    let first = match line.cost {
        None if line.is_itself => i64::MIN,
        None => i64::MIN + 1,
        Some((own, children)) => (own + children).order().max(i64::MIN + 2),
    };
    (first, line.count)
}

/// A row of the flat profile.
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
    /// The inclusive cost; for a member of a cycle, of its callees only those outside the cycle are
    /// included.
    pub inclusive: C,
    /// The sum of the self costs of this row and all rows before it.
    pub cumulative: C,
}

/// The flat profile.
pub struct Flat<C> {
    /// The rows, the most expensive first.
    pub rows: Vec<FlatRow<C>>,
    /// The cost that is 100%.
    pub whole: C,
}

impl<C: Amount> Flat<C> {
    /// Orders rows by self cost, equal ones by number of calls and by `key`, and adds up the
    /// cumulative costs. Rows without self cost and calls are left out unless `shows_zeros`.
    pub fn new<K: Ord>(
        rows: impl Iterator<Item = FlatRow<C>>,
        whole: C,
        shows_zeros: bool,
        key: impl Fn(&FlatRow<C>) -> K,
    ) -> Flat<C> {
        let is_listed = |row: &FlatRow<C>| shows_zeros || row.own != C::default() || row.calls != 0;
        let mut rows: Vec<_> = rows.filter(is_listed).collect();
        rows.sort_by_cached_key(|row| (Reverse((row.own.order(), row.calls)), key(row)));
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
