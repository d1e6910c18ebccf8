//! Source files with the calls of the functions that begin in them, and the executions of basic blocks, as gprof annotates
//! sources.

use std::collections::{BTreeMap, BTreeSet};

use super::blocks::Blocks;
use super::graph::SampledGraph;
use super::places::Places;
use crate::program::Symbols;

/// The calls of a source file's functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedFile {
    /// The number of a place in the file.
    pub place: u32,
    /// By line the calls of the functions that begin there.
    pub lines: BTreeMap<u32, u64>,
    /// By line the executions of the basic blocks in its first code, in the order of recording.
    pub blocks: BTreeMap<u32, Vec<u64>>,
    /// All lines with code, as far as places are lines.
    pub code: BTreeSet<u32>,
}

impl SampledGraph<'_> {
    /// All files with functions that `selects` takes and that were called, or with any function if `shows_zeros`: the
    /// file of the last symbol first, as gprof has them.
    pub fn counted_files(
        &self,
        symbols: &Symbols,
        places: &Places,
        blocks: Option<&Blocks>,
        selects: impl Fn(u32) -> bool,
        shows_zeros: bool,
    ) -> Vec<CountedFile> {
        let mut files: Vec<CountedFile> = Vec::new();
        let mut index = hashbrown::HashMap::new();
        for &symbol in &symbols.first_seen {
            let place = places.find_symbol(symbol);
            let file = place.and_then(|place| places.file_number(place));
            if let Some((place, file)) = place.zip(file) {
                index.entry(file).or_insert_with(|| {
                    files.push(CountedFile {
                        place: place as u32,
                        lines: BTreeMap::new(),
                        blocks: BTreeMap::new(),
                        code: BTreeSet::new(),
                    });
                    files.len() - 1
                });
            }
        }
        let selected = (0..)
            .zip(places.list())
            .filter(|&(number, _)| selects(number));
        for (number, place) in selected {
            let file = places.file_number(number as usize);
            let Some(&file) = file.and_then(|file| index.get(&file)) else {
                continue;
            };
            let is_first = files[file].code.insert(place.line);
            let counted = blocks.into_iter().filter(|_| is_first);
            for block in counted.flat_map(|blocks| blocks.of(number)) {
                let of_line = files[file].blocks.entry(place.line);
                of_line.or_default().push(block.count);
            }
            if place.is_symbol {
                let count = files[file].lines.entry(place.line).or_insert(0);
                *count = count.saturating_add(self.places[number as usize].calls);
            }
        }
        files.retain(|file| {
            let is_called = file.lines.values().any(|&count| count > 0);
            is_called || shows_zeros && !file.lines.is_empty()
        });
        files.reverse();
        files
    }
}
