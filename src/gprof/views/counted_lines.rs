//! The annotated sources of `-A`: the calls of functions and the executions of lines and basic
//! blocks beside the lines of source files.

use std::collections::BTreeMap;

use crate::gprof::views::blocks::BasicBlocks;
use crate::gprof::views::graph::Graph;
use crate::profile::Ordered;
use crate::program::Symbols;
use crate::read::gmon::ProgramPlaces;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedLine {
    /// The calls of the functions that begin at the line, or the executions of the line.
    pub count: Option<u64>,
    /// Whether that number is left out beside the line, and counts in the summary alone.
    is_hidden: bool,
    /// The executions of its basic blocks.
    blocks: Vec<u64>,
    /// Whether a function or the first basic block begins at its first place.
    begins: bool,
}

/// Which counts of gprof's data are shown beside the lines of a source.
#[derive(Clone, Copy)]
pub struct CountsShown {
    /// Whether files of which nothing was called are shown.
    pub zeros: bool,
    /// Whether a line without a count of its own repeats the last count above it, as in gprof.
    pub repeats: bool,
    /// Whether the calls of a function are shown beside a line that also has code of a function at
    /// a lower address. gprof shows none there, but counts them in the summary.
    pub all_functions: bool,
}

/// The counts of the known lines with code of a source file, by line.
pub type CountedFile = BTreeMap<u32, CountedLine>;

impl CountedLine {
    /// Adds calls of a function that begins at the line, or executions of the line.
    pub fn add(&mut self, calls: u64) {
        self.count = Some(self.count.unwrap_or(0).saturating_add(calls));
    }

    fn shown_count(&self) -> Option<u64> {
        self.count.filter(|_| !self.is_hidden)
    }

    /// The counts to print beside the line; none if no function or counted basic block begins
    /// there.
    pub fn margin(&self) -> Vec<u64> {
        self.shown_count().iter().chain(&self.blocks).copied().collect()
    }
}

/// All files with code by number, each with a place in it, in the order in which the program's
/// symbols have them.
fn files_of(symbols: &Symbols, places: &ProgramPlaces) -> Ordered<u32, (u32, CountedFile)> {
    let mut files = Ordered::default();
    let of_symbols = symbols.first_seen.iter().filter_map(|&symbol| places.find_symbol(symbol));
    for place in of_symbols.chain(0..places.list.len()) {
        if let Some(file) = places.file_number(place) {
            let file = files.entry(file);
            file.or_insert_with(|| (place as u32, CountedFile::default()));
        }
    }
    files
}

/// Adds to a line the last count above it, as in gprof, unless a function or the first block begins
/// at its first place.
fn repeat_counts(file: &mut CountedFile) {
    let mut last = 0;
    for line in file.values_mut() {
        match line.shown_count() {
            Some(count) if line.begins => last = count,
            None if !line.begins => line.blocks.insert(0, last),
            _ => {}
        }
        line.blocks.dedup();
        last = line.blocks.last().copied().unwrap_or(last);
    }
}

impl Graph<'_, f64> {
    /// The files with called functions that `selects` accepts, or with any code if zeros are shown,
    /// each with the number of a place in it. As in gprof, files with only inlined code come first,
    /// then the file of the last symbol. The counts of a line are the calls of functions that begin
    /// there and the executions of the basic blocks in its first place, in the order of recording,
    /// and maybe the last count above the line.
    pub fn counted_files(
        &self,
        symbols: &Symbols,
        places: &ProgramPlaces,
        blocks: Option<&BasicBlocks>,
        selects: impl Fn(u32) -> bool,
        shown: CountsShown,
    ) -> Vec<(u32, CountedFile)> {
        let mut files = files_of(symbols, places);
        let selected = (0..).zip(&places.list).filter(|&(number, _)| selects(number));
        for (number, place) in selected {
            let file = places.file_number(number as usize);
            let Some((_, file)) = file.and_then(|file| files.get_mut(&file)) else {
                continue;
            };
            let is_known = file.contains_key(&place.line);
            let line = file.entry(place.line).or_default();
            if place.is_function {
                let is_first = !is_known || line.shown_count().is_some();
                line.is_hidden = !is_first && !shown.all_functions;
                line.add(self.functions()[number as usize].calls.unsigned_abs());
            }
            if is_known {
                continue;
            }
            let all = || blocks.into_iter().flat_map(|blocks| blocks.of(number));
            line.begins =
                place.is_function || all().next().is_some_and(|b| b.address == place.address);
            line.blocks = all().map(|block| block.count).collect();
        }
        if shown.repeats {
            files.values_mut().for_each(|(_, file)| repeat_counts(file));
        }
        let mut files: Vec<_> = files.into_values().collect();
        files.retain(|(_, file)| {
            let is_called = file.values().any(|line| line.count > Some(0));
            is_called || shown.zeros && !file.is_empty()
        });
        files.reverse();
        files
    }
}
