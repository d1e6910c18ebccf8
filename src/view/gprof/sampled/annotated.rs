//! Source files with the calls of the functions that begin in them, and the executions of basic blocks, as gprof annotates
//! sources.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;

use super::exec_counts::Blocks;
use super::places::Places;
use crate::program::Symbols;
use crate::view::gprof::graph::Graph;

/// The counts of a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedFile {
    /// By line what is beside it; nothing beside code that was never executed.
    pub margins: BTreeMap<u32, Vec<u64>>,
    /// By line the calls of the functions that begin there, or its executions.
    pub lines: BTreeMap<u32, u64>,
    /// All lines with code, as far as they are known.
    pub code: BTreeSet<u32>,
}

impl CountedFile {
    /// Adds calls of a function that begins at a line.
    pub fn add(&mut self, line: u32, calls: u64) {
        self.code.insert(line);
        let sum = self.lines.entry(line).or_insert(0);
        *sum = sum.saturating_add(calls);
        self.margins.insert(line, vec![*sum]);
    }
}

/// All files with code, each with the number of a place in it, in the order in which symbols are in them, and by number of the
/// file its position.
fn files_of(symbols: &Symbols, places: &Places) -> (Vec<(u32, CountedFile)>, HashMap<u32, usize>) {
    let (mut files, mut index) = (Vec::new(), HashMap::new());
    let of_symbols = symbols.first_seen.iter();
    let of_symbols = of_symbols.filter_map(|&symbol| places.find_symbol(symbol));
    for place in of_symbols.chain(0..places.list().len()) {
        if let Some(file) = places.file_number(place) {
            index.entry(file).or_insert_with(|| {
                files.push((place as u32, CountedFile::default()));
                files.len() - 1
            });
        }
    }
    (files, index)
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
        let (mut files, index) = files_of(symbols, places);
        let mut last = 0;
        let selected = (0..)
            .zip(places.list())
            .filter(|&(number, _)| selects(number));
        for (number, place) in selected {
            let file = places.file_number(number as usize);
            let Some(&file) = file.and_then(|file| index.get(&file)) else {
                continue;
            };
            let file = &mut files[file].1;
            if place.is_symbol {
                last = self.nodes[number as usize].calls.unsigned_abs();
                let count = file.lines.entry(place.line).or_insert(0);
                *count = count.saturating_add(last);
            }
            if !file.code.insert(place.line) {
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
            if !counts.is_empty() {
                file.margins.insert(place.line, counts);
            }
        }
        for (_, file) in &mut files {
            for (&line, &calls) in &file.lines {
                file.margins.entry(line).or_default().insert(0, calls);
            }
        }
        files.retain(|(_, file)| {
            let is_called = file.lines.values().any(|&count| count > 0);
            is_called || shows_zeros && !file.code.is_empty()
        });
        files.reverse();
        files
    }
}
