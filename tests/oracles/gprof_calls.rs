//! What a call graph says of calls, callers and cycles without costs, in a form that both programs share.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::gprof_page::{CallGraph, Entry, Line};

/// What does not depend on costs, of one function.
#[derive(Debug, Default, PartialEq)]
pub struct Known {
    /// Calls by other functions of the program, and by itself.
    pub calls: (i64, i64),
    /// Callers and callees, with the calls and those they are part of; none within a cycle.
    pub callers: BTreeSet<(String, i64, Option<i64>)>,
    pub callees: BTreeSet<(String, i64, Option<i64>)>,
    /// Whether no function of the program calls it.
    pub is_spontaneous: bool,
    /// The members of its cycle.
    pub cycle: BTreeSet<String>,
}

/// Names of functions as both programs give them: without the file if the name is that of one function only.
struct Names<'g> {
    graph: &'g CallGraph,
    /// The functions that have a static namesake.
    shared: BTreeSet<String>,
}

impl<'g> Names<'g> {
    fn new(graph: &'g CallGraph) -> Names<'g> {
        let mut seen = BTreeSet::new();
        let mut shared = BTreeSet::new();
        for name in graph.names.values().map(|name| plain(name)) {
            if !seen.insert(name) {
                shared.insert(name.to_owned());
            }
        }
        Names { graph, shared }
    }

    fn of(&self, line: &Line) -> String {
        let full = self.graph.names.get(&line.index).unwrap_or(&line.name);
        let name = match self.shared.contains(plain(full)) {
            true => full,
            false => plain(full),
        };
        // Of the names that a constructor has each program takes another one.
        name.replace("C1E", "C2E").replace("D1E", "D2E")
    }
}

/// A name without the file after it.
fn plain(name: &str) -> &str {
    match name.rsplit_once(" (") {
        Some((name, file)) if file.ends_with("c)") || file.ends_with("cpp)") => name,
        _ => name,
    }
}

/// What a graph says of the functions that `is_meant` selects.
pub fn known(graph: &CallGraph, is_meant: &dyn Fn(&str) -> bool) -> BTreeMap<String, Known> {
    let names = Names::new(graph);
    let entries = || graph.entries.iter().filter(|entry| !entry.is_cycle());
    let mut cycles: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for entry in entries() {
        if let Some(cycle) = entry.line.cycle {
            let members = cycles.entry(cycle).or_default();
            members.insert(names.of(&entry.line));
        }
    }
    // Of the calls into a function or cycle, those from the program.
    let outside = |line: &Line| -> i64 {
        let is_same = |entry: &&Entry| match line.cycle {
            Some(cycle) => entry.line.cycle == Some(cycle),
            None => entry.line.index == line.index,
        };
        let callers = entries().filter(is_same).flat_map(|entry| &entry.callers);
        let callers = callers.filter(|caller| is_meant(&names.of(caller)));
        let calls = callers.map(|caller| caller.calls.unwrap());
        calls
            .filter(|calls| calls.1.is_some())
            .map(|calls| calls.0)
            .sum()
    };
    let mut known = BTreeMap::new();
    for entry in entries().filter(|entry| is_meant(&names.of(&entry.line))) {
        let line = |line: &Line, callee: &Line| {
            let (count, of) = line.calls.unwrap();
            (names.of(line), count, of.map(|_| outside(callee)))
        };
        let is_in = |line: &&Line| is_meant(&names.of(line));
        let callers: Vec<&Line> = entry.callers.iter().filter(is_in).collect();
        let (own, others) = own_and_others(&callers, entry.line.index);
        let callees = entry.callees.iter().filter(is_in);
        let cycle = entry.line.cycle.map(|cycle| cycles[&cycle].clone());
        let of_program = Known {
            calls: (others, own),
            is_spontaneous: callers.is_empty(),
            callers: callers
                .iter()
                .map(|caller| line(caller, &entry.line))
                .collect(),
            callees: callees.map(|callee| line(callee, callee)).collect(),
            cycle: cycle.unwrap_or_default(),
        };
        known.insert(names.of(&entry.line), of_program);
    }
    known
}

/// The calls of the function with this number by itself, and by others.
fn own_and_others(callers: &[&Line], index: usize) -> (i64, i64) {
    let sum = |is_own: bool| {
        let lines = callers
            .iter()
            .filter(|line| (line.index == index) == is_own);
        lines.map(|line| line.calls.unwrap().0).sum()
    };
    (sum(true), sum(false))
}

/// Checks that the numbers of calls that gprof prints are the sums of its lines, as ours are.
pub fn check_gprof(graph: &CallGraph) {
    for entry in graph.entries.iter().filter(|entry| !entry.is_cycle()) {
        let (calls, self_calls) = entry.line.calls.unwrap_or_default();
        let callers: Vec<&Line> = entry.callers.iter().collect();
        let expected = own_and_others(&callers, entry.line.index);
        let found = (self_calls.unwrap_or(0), calls);
        assert_eq!(found, expected, "{}", entry.line.name);
    }
}
