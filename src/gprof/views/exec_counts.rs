//! The list of `-C`: the calls of functions and the executions of their lines or basic blocks, in
//! the order of the sources.

use std::cmp::{Ordering, Reverse};

use crate::gprof::views::blocks::BasicBlocks;
use crate::gprof::views::functions::NamedFunctions;
use crate::gprof::views::graph::{Graph, Node};
use crate::profile::FileId;
use crate::read::gmon::ProgramPlaces;
use crate::view::asm::{LineExecutions, SourceLine};
use crate::view::sums::part_of;

/// A function with its calls, or a line or basic block of it with its executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecCount {
    pub function: u32,
    pub count: i64,
    /// The start address of the code, if it is shown.
    pub address: Option<u64>,
    /// The line; none for the first line of the function or place.
    pub line: Option<SourceLine>,
}

/// The calls of all functions that `selects` accepts, by file, line and name; recursive calls are
/// included if `with_self`. Each function is followed by its lines in order of addresses. Counts
/// below `min_count` are left out.
pub fn exec_counts(
    functions: &NamedFunctions<'_>,
    graph: &Graph<'_, i64>,
    selects: impl Fn(u32) -> bool,
    with_self: bool,
    mut lines: Vec<LineExecutions<(u32, FileId)>>,
    min_count: u64,
) -> Vec<ExecCount> {
    let count = |(function, node): (u32, &Node<i64>)| ExecCount {
        function,
        count: node.calls + if with_self { node.self_calls } else { 0 },
        address: None,
        line: None,
    };
    let mut counts: Vec<_> =
        (0..).zip(graph.functions()).map(count).filter(|count| selects(count.function)).collect();
    counts.sort_by_cached_key(|count| {
        let function = count.function;
        let (file, object) = (functions.file(function), functions.object(function));
        let line = functions.start(function).1;
        let node = &graph.functions()[function as usize];
        let by_cost = Reverse((node.inclusive(), node.calls));
        (file, line, functions.name(count.function), object, by_cost)
    });
    lines.sort_by_key(|one| (one.line.0.0, one.address));
    let lines_of = |function: u32| {
        let lines = part_of(&lines, function, |one| one.line.0.0).iter();
        lines.map(|one| {
            let ((function, file), line) = one.line;
            ExecCount {
                function,
                count: one.executed.count.max(0),
                address: Some(one.address),
                line: Some((file, line)),
            }
        })
    };
    let all =
        counts.into_iter().flat_map(|count| std::iter::once(count).chain(lines_of(count.function)));
    all.filter(|count| count.count.unsigned_abs() >= min_count).collect()
}

/// The calls of all places that `selects` accepts, by source file, line and address, each followed
/// by the basic blocks in it. Counts below `min_count` are left out.
pub fn place_counts(
    graph: &Graph<'_, f64>,
    places: &ProgramPlaces,
    blocks: Option<&BasicBlocks>,
    selects: impl Fn(u32) -> bool,
    min_count: u64,
) -> Vec<ExecCount> {
    let count = |place: u32, address: u64, count: i64| ExecCount {
        function: place,
        count,
        address: Some(address),
        line: None,
    };
    let mut selected: Vec<u32> = (0..places.list.len() as u32).filter(|&at| selects(at)).collect();
    merge_sort(&mut selected, &|&a, &b| by_source(places, a, b));
    // Blocks and omitted counts are handled after the sort: what is sorted affects the result of an
    // inconsistent order.
    let with_blocks = selected.into_iter().flat_map(|place| {
        let address = places.list[place as usize].address;
        let blocks = blocks
            .into_iter()
            .flat_map(move |blocks| blocks.of(place))
            .map(move |block| count(place, block.address, block.count.cast_signed()));
        let calls = count(place, address, graph.functions()[place as usize].calls);
        std::iter::once(calls).chain(blocks)
    });
    let listed = with_blocks.filter(|count| count.count.unsigned_abs() >= min_count);
    listed.collect()
}

/// Orders places by file and line if both files are known, else by address: gprof's order, which is
/// inconsistent.
fn by_source(places: &ProgramPlaces, a: u32, b: u32) -> Ordering {
    let (a, b) = (a as usize, b as usize);
    let (of_a, of_b) = (&places.list[a], &places.list[b]);
    let by_line = match (places.file(a), places.file(b)) {
        (Some(a), Some(b)) => a.cmp(b).then(of_a.line.cmp(&of_b.line)),
        _ => Ordering::Equal,
    };
    by_line.then(of_a.address.cmp(&of_b.address))
}

/// Sorts as the C library does, by halves of which the first is the shorter one: the result of an
/// inconsistent order depends on the algorithm. The standard library's sort may panic for such an
/// order.
fn merge_sort<T: Copy>(list: &mut [T], compare: &impl Fn(&T, &T) -> Ordering) {
    if list.len() < 2 {
        return;
    }
    let half = list.len() / 2;
    merge_sort(&mut list[..half], compare);
    merge_sort(&mut list[half..], compare);
    let first = list[..half].to_vec();
    let (mut left, mut right, mut to) = (0, half, 0);
    while left < first.len() && right < list.len() {
        if compare(&first[left], &list[right]).is_le() {
            list[to] = first[left];
            left += 1;
        } else {
            list[to] = list[right];
            right += 1;
        }
        to += 1;
    }
    list[to..to + first.len() - left].copy_from_slice(&first[left..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts() {
        for size in 0..40u64 {
            let mut list: Vec<u64> = (0..size).map(|n| n * 7919 % 31).collect();
            let mut expected = list.clone();
            expected.sort_unstable();
            merge_sort(&mut list, &Ord::cmp);
            assert_eq!(list, expected);
        }
    }
}
