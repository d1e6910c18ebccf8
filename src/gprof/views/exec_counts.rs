//! The calls of functions and the executions of lines and basic blocks: as a list in the order of the sources (`-C`),
//! and as counts beside the lines of source files (`-A`).

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

use crate::gprof::views::functions::NamedFunctions;
use crate::gprof::views::graph::{Graph, Node};
use crate::graph::Groups;
use crate::profile::{Block, FileId, Ordered};
use crate::program::Symbols;
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

/// The calls of all functions that `selects` accepts, by file, line and name; recursive calls are included if
/// `with_self`. Each function is followed by its lines in order of addresses. Counts below `min_count` are left out.
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
    all.filter(|count| count.count.unsigned_abs() >= min_count).collect()
}

/// The basic blocks within places, in the order in which they were recorded. Counts of one address are added up.
pub struct Blocks {
    pub list: Vec<Block>,
    of_place: Groups,
}

impl Blocks {
    pub fn new(recorded: &[Block], places: &ProgramPlaces) -> Blocks {
        let mut list = Ordered::default();
        let is_known = |block: &&Block| places.find(block.address).is_some();
        for block in recorded.iter().filter(is_known) {
            let known = list.entry(block.address);
            known.or_insert(Block { count: 0, ..*block }).count += block.count;
        }
        let list: Vec<Block> = list.into_values().collect();
        let place = list.iter().map(|block| places.find(block.address));
        let of_place = Groups::new(places.list.len(), place);
        Blocks { list, of_place }
    }

    pub fn of(&self, place: u32) -> impl Iterator<Item = &Block> {
        let blocks = self.of_place.get(place as usize).iter();
        blocks.map(|&block| &self.list[block as usize])
    }
}

/// The calls of all places that `selects` accepts, by source file, line and address, each followed by the basic blocks
/// in it. Counts below `min_count` are left out.
pub fn place_counts(
    graph: &Graph<'_, f64>,
    places: &ProgramPlaces,
    blocks: Option<&Blocks>,
    selects: impl Fn(u32) -> bool,
    min_count: u64,
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
    // Blocks and omitted counts are handled after the sort: what is sorted affects the result of an inconsistent order.
    let with_blocks = selected.into_iter().flat_map(|place| {
        let address = places.list[place as usize].address;
        let blocks = blocks.into_iter().flat_map(move |blocks| blocks.of(place));
        let blocks =
            blocks.map(move |block| count(place, block.address, block.count.cast_signed()));
        let calls = count(place, address, graph.functions()[place as usize].calls);
        std::iter::once(calls).chain(blocks)
    });
    let listed = with_blocks.filter(|count| count.count.unsigned_abs() >= min_count);
    listed.collect()
}

/// Orders places by file and line if both files are known, else by address: gprof's order, which is inconsistent.
fn by_source(places: &ProgramPlaces, a: u32, b: u32) -> Ordering {
    let (a, b) = (a as usize, b as usize);
    let (of_a, of_b) = (&places.list[a], &places.list[b]);
    let by_line = match (places.file(a), places.file(b)) {
        (Some(a), Some(b)) => a.cmp(b).then(of_a.line.cmp(&of_b.line)),
        _ => Ordering::Equal,
    };
    by_line.then(of_a.address.cmp(&of_b.address))
}

/// Sorts as the C library does, by halves of which the first is the shorter one: the result of an inconsistent order
/// depends on the algorithm. The standard library's sort may panic for such an order.
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

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedLine {
    /// The calls of the functions that begin at the line, or the executions of the line.
    pub count: Option<u64>,
    /// The executions of its basic blocks.
    blocks: Vec<u64>,
    /// Whether a function or the first basic block begins at its first place.
    begins: bool,
}

/// The counts of the known lines with code of a source file, by line.
pub type CountedFile = BTreeMap<u32, CountedLine>;

impl CountedLine {
    /// Adds calls of a function that begins at the line, or executions of the line.
    pub fn add(&mut self, calls: u64) {
        self.count = Some(self.count.unwrap_or(0).saturating_add(calls));
    }

    /// The counts to print beside the line; none if no function or counted basic block begins there.
    pub fn margin(&self) -> Vec<u64> {
        self.count.iter().chain(&self.blocks).copied().collect()
    }
}

/// All files with code by number, each with a place in it, in the order in which the program's symbols have them.
fn files_of(symbols: &Symbols, places: &ProgramPlaces) -> Ordered<u32, (u32, CountedFile)> {
    let mut files = Ordered::default();
    let of_symbols = symbols.first_seen.iter();
    let of_symbols = of_symbols.filter_map(|&symbol| places.find_symbol(symbol));
    for place in of_symbols.chain(0..places.list.len()) {
        if let Some(file) = places.file_number(place) {
            let file = files.entry(file);
            file.or_insert_with(|| (place as u32, CountedFile::default()));
        }
    }
    files
}

/// Adds to a line the last count above it, as in gprof, unless a function or the first block begins at its first place.
fn repeat_counts(file: &mut CountedFile) {
    let mut last = 0;
    for line in file.values_mut() {
        match line.count {
            Some(count) if line.begins => last = count,
            None if !line.begins => line.blocks.insert(0, last),
            _ => {}
        }
        line.blocks.dedup();
        last = line.blocks.last().copied().unwrap_or(last);
    }
}

impl Graph<'_, f64> {
    /// The files with called functions that `selects` accepts, or with any code if `shows_zeros`, each with the number
    /// of a place in it. As in gprof, files with only inlined code come first, then the file of the last symbol. The
    /// counts of a line are the calls of functions that begin there and the executions of the basic blocks in its first
    /// place, in the order of recording; if `repeats`, also the last count above the line.
    pub fn counted_files(
        &self,
        symbols: &Symbols,
        places: &ProgramPlaces,
        blocks: Option<&Blocks>,
        selects: impl Fn(u32) -> bool,
        (shows_zeros, repeats): (bool, bool),
    ) -> Vec<(u32, CountedFile)> {
        let mut files = files_of(symbols, places);
        let selected = (0..).zip(&places.list);
        let selected = selected.filter(|&(number, _)| selects(number));
        for (number, place) in selected {
            let file = places.file_number(number as usize);
            let Some((_, file)) = file.and_then(|file| files.get_mut(&file)) else {
                continue;
            };
            let is_known = file.contains_key(&place.line);
            let line = file.entry(place.line).or_default();
            if place.is_symbol {
                line.add(self.functions()[number as usize].calls.unsigned_abs());
            }
            if is_known {
                continue;
            }
            let all = || blocks.into_iter().flat_map(|blocks| blocks.of(number));
            line.begins =
                place.is_symbol || all().next().is_some_and(|b| b.address == place.address);
            line.blocks = all().map(|block| block.count).collect();
        }
        if repeats {
            files.values_mut().for_each(|(_, file)| repeat_counts(file));
        }
        let mut files: Vec<_> = files.into_values().collect();
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
