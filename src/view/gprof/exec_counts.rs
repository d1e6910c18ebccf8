//! How often each function was called and each line or basic block executed: as a list in the order of the sources, and
//! beside the lines of source files.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

use crate::graph::Groups;
use crate::profile::{Block, FileId, Ordered};
use crate::program::Symbols;
use crate::view::asm::{LineExecutions, SourceLine};
use crate::view::gprof::functions::NamedFunctions;
use crate::view::gprof::graph::{Graph, Node};
use crate::view::gprof::places::Places;
use crate::view::sums::part_of;

/// A function and its calls, or a line or basic block in it and its executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecCount {
    pub function: u32,
    pub count: i64,
    /// Where its code begins, if that is shown.
    pub address: Option<u64>,
    /// The line, if it is not where the function begins.
    pub line: Option<SourceLine>,
}

/// The executions of a line of a function, which is given by number.
pub type FunctionLine = LineExecutions<(u32, FileId)>;

/// The calls of all functions that `selects` takes, by file, line and name: those from other functions, and with
/// `with_self` also recursive ones. Each is followed by its lines in order of addresses. Counts below `least` are left out.
pub fn exec_counts(
    functions: &NamedFunctions<'_>,
    graph: &Graph<'_, i64>,
    selects: impl Fn(u32) -> bool,
    with_self: bool,
    mut lines: Vec<FunctionLine>,
    least: u64,
) -> Vec<ExecCount> {
    let count = |(function, node): (u32, &Node<i64>)| ExecCount {
        function,
        count: node.calls + if with_self { node.self_calls } else { 0 },
        address: None,
        line: None,
    };
    let counts = (0..).zip(graph.functions()).map(count);
    let mut counts: Vec<_> = counts.filter(|count| selects(count.function)).collect();
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
                count: one.executions.max(0),
                address: Some(one.address),
                line: Some((file, line)),
            }
        })
    };
    let all = counts.into_iter();
    let all = all.flat_map(|count| std::iter::once(count).chain(lines_of(count.function)));
    all.filter(|count| count.count.unsigned_abs() >= least)
        .collect()
}

/// The basic blocks that are in any place, in the order in which they were recorded; those of one address added up.
#[derive(Debug)]
pub struct Blocks {
    pub list: Vec<Block>,
    of_place: Groups,
}

impl Blocks {
    /// Adds up recorded blocks.
    pub fn new(recorded: &[Block], places: &Places) -> Blocks {
        let mut list = Ordered::default();
        let is_known = |block: &&Block| places.find(block.address).is_some();
        for block in recorded.iter().filter(is_known) {
            let known: &mut Block = list.value(block.address, |_| Block { count: 0, ..*block });
            known.count += block.count;
        }
        let list = list.list;
        let place = list.iter().map(|block| places.find(block.address));
        let of_place = Groups::new(places.list.len(), place);
        Blocks { list, of_place }
    }

    pub fn of(&self, place: u32) -> impl Iterator<Item = &Block> {
        let blocks = self.of_place.get(place as usize).iter();
        blocks.map(|&block| &self.list[block as usize])
    }
}

/// The calls of all places that `selects` takes, by source file, line and address, each followed by the blocks in it.
/// Those with smaller counts than `least` are left out.
pub fn place_counts(
    graph: &Graph<'_, f64>,
    places: &Places,
    blocks: Option<&Blocks>,
    selects: impl Fn(u32) -> bool,
    least: u64,
) -> Vec<ExecCount> {
    let count = |place: u32, address: u64, count: i64| ExecCount {
        function: place,
        count,
        address: Some(address),
        line: None,
    };
    let selected = (0..places.list.len() as u32).filter(|&at| selects(at));
    let mut selected: Vec<u32> = selected.collect();
    merge_sort(&mut selected, &|&a, &b| by_source(places, a, b));
    // Not before: they change the order of the others where it is inconsistent.
    let with_blocks = selected.into_iter().flat_map(|place| {
        let address = places.list[place as usize].address;
        let blocks = blocks.into_iter().flat_map(move |blocks| blocks.of(place));
        let blocks =
            blocks.map(move |block| count(place, block.address, block.count.cast_signed()));
        let calls = count(place, address, graph.functions()[place as usize].calls);
        std::iter::once(calls).chain(blocks)
    });
    let listed = with_blocks.filter(|count| count.count.unsigned_abs() >= least);
    listed.collect()
}

/// Places of known sources by these, others by address. gprof compares them so too, though this is no consistent order.
fn by_source(places: &Places, a: u32, b: u32) -> Ordering {
    let (a, b) = (a as usize, b as usize);
    let (of_a, of_b) = (&places.list[a], &places.list[b]);
    let by_line = match (places.file(a), places.file(b)) {
        (Some(a), Some(b)) => a.cmp(b).then(of_a.line.cmp(&of_b.line)),
        _ => Ordering::Equal,
    };
    by_line.then(of_a.address.cmp(&of_b.address))
}

/// Sorts as the C library does, by halves of which the first is the shorter one: where the order is inconsistent, the
/// result depends on it. The standard library's sort may panic then.
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

/// What is known of a line with code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedLine {
    /// The calls of the functions that begin there, or its executions.
    pub count: Option<u64>,
    /// The executions of basic blocks there.
    blocks: Vec<u64>,
}

/// The lines with code of a source file, as far as they are known.
pub type CountedFile = BTreeMap<u32, CountedLine>;

impl CountedLine {
    /// Adds calls of a function that begins there.
    pub fn add(&mut self, calls: u64) {
        self.count = Some(self.count.unwrap_or(0).saturating_add(calls));
    }

    /// The counts beside it; none beside code that was never executed.
    pub fn margin(&self) -> Vec<u64> {
        self.count.iter().chain(&self.blocks).copied().collect()
    }
}

/// All files with code by their numbers, each with the number of a place in it, in the order in which symbols are in them.
fn files_of(symbols: &Symbols, places: &Places) -> Ordered<u32, (u32, CountedFile)> {
    let mut files = Ordered::default();
    let of_symbols = symbols.first_seen.iter();
    let of_symbols = of_symbols.filter_map(|&symbol| places.find_symbol(symbol));
    for place in of_symbols.chain(0..places.list.len()) {
        if let Some(file) = places.file_number(place) {
            files.position(file, |_| (place as u32, CountedFile::default()));
        }
    }
    files
}

impl Graph<'_, f64> {
    /// All files with functions that `selects` takes and that were called, or with any code if `shows_zeros`, each with the
    /// number of a place in it: files with nothing but inlined code first, then that of the last symbol, as gprof has them.
    /// Beside lines are the calls of functions that begin there, then the executions of basic blocks in the line's first
    /// code, in the order of recording; if `repeats`, also the last count before
    /// it, unless a function or the first of the blocks begins with it.
    pub fn counted_files(
        &self,
        symbols: &Symbols,
        places: &Places,
        blocks: Option<&Blocks>,
        selects: impl Fn(u32) -> bool,
        (shows_zeros, repeats): (bool, bool),
    ) -> Vec<(u32, CountedFile)> {
        let mut files = files_of(symbols, places);
        let mut last = 0;
        let selected = (0..).zip(&places.list);
        let selected = selected.filter(|&(number, _)| selects(number));
        for (number, place) in selected {
            let file = places.file_number(number as usize);
            let Some(file) = file.and_then(|file| files.find(&file)) else {
                continue;
            };
            let file = &mut files.list[file].1;
            let is_known = file.contains_key(&place.line);
            let line = file.entry(place.line).or_default();
            if place.is_symbol {
                last = self.functions()[number as usize].calls.unsigned_abs();
                line.add(last);
            }
            if is_known {
                continue;
            }
            let counted = || blocks.into_iter().flat_map(|blocks| blocks.of(number));
            let begins =
                place.is_symbol || counted().next().is_some_and(|b| b.address == place.address);
            let before = (repeats && !begins).then_some(last);
            let counts = before.into_iter().chain(counted().map(|block| block.count));
            let mut counts: Vec<u64> = counts.collect();
            if repeats {
                counts.dedup();
            }
            last = counts.last().copied().unwrap_or(last);
            line.blocks = counts;
        }
        let mut files = files.list;
        files.retain(|(_, file)| {
            let is_called = file.values().any(|line| line.count > Some(0));
            is_called || shows_zeros && !file.is_empty()
        });
        files.reverse();
        files
    }
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
