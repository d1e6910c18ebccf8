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
        let full = self
            .graph
            .names
            .get(&line.index)
            .map_or(line.name.as_str(), String::as_str);
        let name = if self.shared.contains(plain(full)) {
            full
        } else {
            plain(full)
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
            cycles
                .entry(cycle)
                .or_default()
                .insert(names.of(&entry.line));
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
        callers
            .filter(|caller| caller.calls.unwrap().1.is_some())
            .map(|caller| caller.calls.unwrap().0)
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
        let is_self = |line: &&&Line| line.index == entry.line.index;
        let sum =
            |lines: &mut dyn Iterator<Item = &&Line>| lines.map(|line| line.calls.unwrap().0).sum();
        let of_program = Known {
            calls: (
                sum(&mut callers.iter().filter(|line| !is_self(line))),
                sum(&mut callers.iter().filter(is_self)),
            ),
            is_spontaneous: callers.is_empty(),
            callers: callers
                .iter()
                .map(|caller| line(caller, &entry.line))
                .collect(),
            callees: entry
                .callees
                .iter()
                .filter(is_in)
                .map(|callee| line(callee, callee))
                .collect(),
            cycle: entry
                .line
                .cycle
                .map_or_else(BTreeSet::new, |cycle| cycles[&cycle].clone()),
        };
        known.insert(names.of(&entry.line), of_program);
    }
    known
}

/// Checks that the numbers of calls that gprof prints are the sums of its lines, as ours are.
pub fn check_gprof(graph: &CallGraph) {
    for entry in &graph.entries {
        let (calls, self_calls) = entry.line.calls.unwrap_or_default();
        if entry.is_cycle() {
            continue;
        }
        let (own, others): (Vec<&Line>, Vec<&Line>) = entry
            .callers
            .iter()
            .partition(|line| line.index == entry.line.index);
        let sum = |lines: Vec<&Line>| lines.iter().map(|line| line.calls.unwrap().0).sum::<i64>();
        assert_eq!(
            (calls, self_calls.unwrap_or(0)),
            (sum(others), sum(own)),
            "{}",
            entry.line.name
        );
    }
}
