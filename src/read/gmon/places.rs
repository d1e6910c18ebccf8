//! The places that samples and calls are charged to: the functions of a program, or its lines.

use crate::profile::Ordered;
use crate::program::{AddressRange, Lines, Symbols};

/// A function or line of the program.
#[derive(Clone, Copy, Debug)]
pub struct ProgramPlace {
    /// Its start address; it ends where the next place begins.
    pub address: u64,
    name: u32,
    /// The number of its source file; none if it is unknown.
    file: Option<u32>,
    /// Its source line; 0 if it is unknown.
    pub line: u32,
    /// The number of the symbol that contains it.
    pub symbol: Option<u32>,
    /// Whether it is the start of a symbol rather than a further line of one.
    pub is_symbol: bool,
    /// Whether its symbol is local to the source file (`static`).
    pub is_local: bool,
    /// Whether it is the start of a function, so that it can be a callee.
    pub is_function: bool,
}

/// All places of a program in the order of their addresses.
#[derive(Default)]
pub struct ProgramPlaces {
    /// The places; a place's number is its position.
    pub list: Vec<ProgramPlace>,
    /// The end address of the last place.
    end: u64,
    /// The names of functions.
    names: Ordered<Box<[u8]>, ()>,
    files: Ordered<Box<[u8]>, ()>,
}

impl ProgramPlaces {
    /// Creates a place for each symbol. Files and lines are looked up for the symbols that
    /// `wants_line` accepts.
    pub fn functions(
        symbols: &Symbols,
        lines: Option<&Lines<'_>>,
        wants_line: impl Fn(usize) -> bool,
    ) -> ProgramPlaces {
        let mut places = ProgramPlaces { end: symbols.end, ..ProgramPlaces::default() };
        for number in 0..symbols.list.len() {
            let lines = lines.filter(|_| wants_line(number));
            places.push_symbol(symbols, number, lines);
        }
        places
    }

    /// Creates a place for each symbol, and for each change of line between symbols. A line whose
    /// function is not in the debug information gets the name of the symbol in `all` that contains
    /// it.
    ///
    /// If it `joins_copies`, a local copy of a function that follows it and has its name in the
    /// debug information, such as `f.constprop.0` behind `f`, is part of it, as in gprof.
    pub fn lines(
        symbols: &Symbols,
        all: &Symbols,
        lines: &Lines<'_>,
        joins_copies: bool,
    ) -> ProgramPlaces {
        let mut places = ProgramPlaces { end: symbols.end, ..ProgramPlaces::default() };
        let mut next_symbol = 0;
        // If local functions are left out, their code may precede the first symbol.
        let first = symbols.list.first().map_or(0, |symbol| symbol.address);
        let start = first.min(symbols.code_start);
        let mut last_end = start;
        let mut last: Option<ProgramPlace> = None;
        lines.walk(start, symbols.code_end, &mut |row| {
            // Rows of a damaged line table may overlap.
            if row.start < last_end {
                return;
            }
            last_end = row.end;
            while next_symbol < symbols.list.len() && symbols.list[next_symbol].address <= row.start
            {
                places.push_symbol(symbols, next_symbol, Some(lines));
                next_symbol += 1;
            }
            let Some(mut place) = places.line_place(symbols, all, &row) else {
                return;
            };
            let function = |place: &ProgramPlace| (place.name, place.file);
            let of_function = last.filter(|before| function(before) == function(&place));
            if let Some(before) = of_function.filter(|_| joins_copies) {
                place.is_local = before.is_local;
            }
            last = Some(place);
            if of_function.is_some_and(|before| before.line == place.line) {
                return;
            }
            match places.list.last_mut() {
                Some(known) if known.address == place.address => {
                    // Of a global and a local symbol at one address, the global one counts.
                    if joins_copies && known.is_local && !place.is_local {
                        *known = place;
                    }
                }
                _ => places.list.push(place),
            }
        });
        // As in gprof, the last symbol is left out if it begins at or after the end of the code.
        let count = symbols.list.len();
        let last = symbols.list.last().map_or(0, |last| last.address);
        let end = count - usize::from(count > 0 && last >= symbols.code_end);
        for number in next_symbol..end {
            places.push_symbol(symbols, number, Some(lines));
        }
        places
    }

    /// The number of a name. There are at most as many names as symbols and lines, so numbers fit
    /// into 32 bits.
    fn add_name(&mut self, name: &[u8]) -> u32 {
        let known = self.names.get_index_of(name);
        known.unwrap_or_else(|| self.names.insert_full(name.into(), ()).0) as u32
    }

    fn add_file(&mut self, name: &str) -> u32 {
        self.files.insert_full(name.as_bytes().into(), ()).0 as u32
    }

    fn push_symbol(&mut self, symbols: &Symbols, number: usize, lines: Option<&Lines<'_>>) {
        let symbol = &symbols.list[number];
        let found =
            lines.and_then(|lines| lines.find(symbol.address)).filter(|&(_, line)| line > 0);
        let place = ProgramPlace {
            address: symbol.address,
            name: self.add_name(&symbol.name),
            file: found.map(|(file, _)| self.add_file(file)),
            line: found.map_or(0, |(_, line)| line),
            symbol: Some(number as u32),
            is_symbol: true,
            is_local: symbol.is_local,
            is_function: symbol.is_function,
        };
        self.list.push(place);
    }

    /// The place of a line, if its file, line and function are known.
    fn line_place(
        &mut self,
        symbols: &Symbols,
        all: &Symbols,
        row: &AddressRange<'_>,
    ) -> Option<ProgramPlace> {
        let symbol = symbols.find(row.start);
        let function = match &row.function {
            Some(name) => self.add_name(name.as_bytes()),
            None => self.add_name(&all.list[all.find(row.start)?].name),
        };
        if row.line == 0 {
            return None;
        }
        Some(ProgramPlace {
            address: row.start,
            name: function,
            file: Some(self.add_file(row.file?)),
            line: row.line,
            symbol: symbol.map(|symbol| symbol as u32),
            is_symbol: false,
            is_local: symbol.is_some_and(|symbol| symbols.list[symbol].is_local),
            is_function: false,
        })
    }

    /// The number of the place at which a symbol begins, if there is one.
    pub fn find_symbol(&self, symbol: u32) -> Option<usize> {
        let is_before = |place: &ProgramPlace| place.symbol.is_none_or(|other| other < symbol);
        let start = self.list.partition_point(is_before);
        let is_known = self.list.get(start)?.symbol == Some(symbol);
        is_known.then_some(start)
    }

    /// Adds the other places of each symbol whose start is in the list and whose next place is not,
    /// as in gprof: if the list `is_cut`, only those before the symbol's next place in the list.
    pub fn extend_symbols(&self, list: &mut [bool], is_cut: bool) {
        let mut is_inside = false;
        for (number, place) in self.list.iter().enumerate().take(list.len()) {
            is_inside = if place.is_symbol {
                list[number] && list.get(number + 1) == Some(&false)
            } else {
                is_inside && !(is_cut && list[number])
            };
            list[number] |= is_inside;
        }
    }

    pub fn end_of(&self, place: usize) -> u64 {
        let next = self.list.get(place + 1);
        next.map_or(self.end, |next| next.address)
    }

    pub fn find(&self, address: u64) -> Option<usize> {
        let after = self.list.partition_point(|place| place.address <= address);
        let place = after.checked_sub(1)?;
        (address < self.end_of(place)).then_some(place)
    }

    /// The function name of a place, not demangled.
    pub fn name(&self, place: usize) -> &[u8] {
        self.names.get_index(self.name_number(place)).map_or(&[], |(name, ())| name)
    }

    /// The number of a place's function name among [`ProgramPlaces::name_count`].
    pub fn name_number(&self, place: usize) -> usize {
        self.list[place].name as usize
    }

    pub fn name_count(&self) -> usize {
        self.names.len()
    }

    /// The number of different source files.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    pub fn file(&self, place: usize) -> Option<&[u8]> {
        let (file, ()) = self.files.get_index(self.list[place].file? as usize)?;
        Some(file)
    }

    pub fn file_number(&self, place: usize) -> Option<u32> {
        self.list[place].file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places at 10, 20, ..., up to the end of the last; those of `symbols` begin a symbol.
    fn places(symbols: &[bool]) -> ProgramPlaces {
        let place = |(at, &is_symbol): (u64, &bool)| ProgramPlace {
            address: 10 * at,
            name: 0,
            file: None,
            line: 0,
            symbol: None,
            is_symbol,
            is_local: false,
            is_function: is_symbol,
        };
        let list: Vec<ProgramPlace> = (1..).zip(symbols).map(place).collect();
        ProgramPlaces { end: 10 * (list.len() as u64 + 1), list, ..ProgramPlaces::default() }
    }

    #[test]
    fn an_address_is_in_the_place_that_begins_before_it() {
        let places = places(&[true, false]);
        let table =
            [(9, None), (10, Some(0)), (19, Some(0)), (20, Some(1)), (29, Some(1)), (30, None)];
        for (address, expected) in table {
            assert_eq!(places.find(address), expected, "{address}");
        }
    }

    #[test]
    fn symbols_whose_next_place_is_not_listed_are_listed_whole() {
        let places = places(&[true, false, false, false, true, false]);
        // What is listed, and with the rest of symbols: all of it, or up to what is listed of it.
        let table = [
            ("x.....", "xxxx..", "xxxx.."),
            ("xx....", "xx....", "xx...."),
            ("x.x...", "xxxx..", "xxx..."),
            (".x....", ".x....", ".x...."),
            ("x...x.", "xxxxxx", "xxxxxx"),
        ];
        for (listed, whole, cut) in table {
            for (is_cut, expected) in [(false, whole), (true, cut)] {
                let mut list: Vec<bool> = listed.bytes().map(|byte| byte == b'x').collect();
                places.extend_symbols(&mut list, is_cut);
                let text: String = list.iter().map(|&is| if is { 'x' } else { '.' }).collect();
                assert_eq!(text, expected, "{listed} {is_cut}");
            }
        }
    }
}
