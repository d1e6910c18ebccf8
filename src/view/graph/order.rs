//! The orders of entries and of the lines around them: gprof's, with the name as the last key.

use std::cmp::{Ordering, Reverse};

use super::costs::{Costs, Own};
use super::{Graph, Line, Node, Who};

/// Whether `a` comes before `b` among the entries.
pub(super) fn entries(graph: &Graph, (a, of_a): (Who, &Own), (b, of_b): (Who, &Own)) -> Ordering {
    let by_cost = Reverse(inclusive(of_a)).cmp(&Reverse(inclusive(of_b)));
    by_cost.then_with(|| match (a, b) {
        (Who::Cycle(a), Who::Cycle(b)) => a.cmp(&b),
        (Who::Cycle(_), Who::Function(_)) => Ordering::Less,
        (Who::Function(_), Who::Cycle(_)) => Ordering::Greater,
        (Who::Function(a), Who::Function(b)) => {
            let key = |node: &Node, own: &Own| (node.is_reserved, Reverse(own.calls), node.rank);
            let (a, b) = (&graph.nodes[a as usize], &graph.nodes[b as usize]);
            key(a, of_a).cmp(&key(b, of_b))
        }
    })
}

/// Whether `a` comes before `b` among the members of a cycle.
pub(super) fn members(graph: &Graph, costs: &Costs, a: u32, b: u32) -> Ordering {
    let key = |node: u32| {
        let own = &costs.functions[node as usize];
        let calls = i128::from(own.calls) + i128::from(own.self_calls);
        let rank = graph.nodes[node as usize].rank;
        (Reverse((inclusive(own), calls)), rank)
    };
    key(a).cmp(&key(b))
}

/// Puts callers in order: the function itself, members of its cycle by calls, others by cost; all rising.
pub(super) fn callers(graph: &Graph, lines: &mut [Line]) {
    lines.sort_by_key(|line| {
        (
            weight(line),
            graph.nodes[line.function as usize].rank,
            line.site,
        )
    });
}

/// Puts callees in order: the other way round.
pub(super) fn callees(graph: &Graph, lines: &mut [Line]) {
    lines.sort_by_key(|line| {
        let rank = graph.nodes[line.function as usize].rank;
        (Reverse(weight(line)), rank, line.site)
    });
}

fn weight(line: &Line) -> (u8, i128, i64) {
    match line.cost {
        None if line.is_itself => (0, 0, line.count),
        None => (1, 0, line.count),
        Some((own, children)) => (2, i128::from(own) + i128::from(children), line.count),
    }
}

fn inclusive(own: &Own) -> i128 {
    i128::from(own.self_cost) + i128::from(own.children)
}
