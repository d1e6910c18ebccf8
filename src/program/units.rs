//! The compilation units of an object, and which of them have code at an address. Each is read when
//! an address of it is looked up first: to read all takes longer than all else.

use std::cell::{Cell, OnceCell};
use std::ops;
use std::rc::Rc;

use gimli::{Range, Unit, UnitHeader, UnitRef, UnitType};
use hashbrown::HashMap;

use crate::program::line_table::LineTable;
use crate::program::ranges::{Dwarf, RangeAttributes, Slice, between_edges, sorted_edges};
use crate::program::unit_code::{Extent, FunctionCode, UnitCode, is_too_deep};

pub(super) struct CompileUnit<'s> {
    header: UnitHeader<Slice<'s>>,
    /// Where it begins in the debug information.
    pub(super) start: usize,
    unit: OnceCell<Result<Unit<Slice<'s>>, gimli::Error>>,
    outer: OnceCell<Result<UnitCode, gimli::Error>>,
    all: OnceCell<Result<UnitCode, gimli::Error>>,
    is_too_deep: OnceCell<bool>,
    lines: OnceCell<Result<LineTable, gimli::Error>>,
    /// Whether its lines are read with the statements that begin there.
    has_statements: bool,
}

impl<'s> CompileUnit<'s> {
    pub(super) fn read<'u>(
        &'u self,
        dwarf: &'u Dwarf<'s>,
    ) -> Result<UnitRef<'u, Slice<'s>>, gimli::Error> {
        let unit = self.unit.get_or_init(|| dwarf.unit(self.header));
        unit.as_ref().map(|unit| UnitRef::new(dwarf, unit)).map_err(|&error| error)
    }

    /// The function with the code at an address, and its range there.
    pub(super) fn function_at(
        &self,
        dwarf: &Dwarf<'s>,
        address: u64,
    ) -> Result<Option<(&FunctionCode, ops::Range<u64>)>, gimli::Error> {
        let read = |extent| UnitCode::read(self.read(dwarf)?, extent);
        let outer =
            self.outer.get_or_init(|| read(Extent::Outer)).as_ref().map_err(|&error| error)?;
        let found = outer.find(address);
        if found.is_some() || !outer.is_partial {
            return Ok(found);
        }
        let all = self.all.get_or_init(|| read(Extent::All)).as_ref();
        Ok(all.map_err(|&error| error)?.find(address))
    }

    /// Whether functions are inlined into each other too deeply anywhere in it.
    fn is_too_deep(&self, dwarf: &Dwarf<'s>) -> bool {
        let is_too_deep = || is_too_deep(self.read(dwarf).ok()?).ok();
        *self.is_too_deep.get_or_init(|| is_too_deep().unwrap_or(false))
    }

    /// Whether its compiler marked each statement, as far as it recorded its options.
    pub(super) fn marks_statements(&self, dwarf: &Dwarf<'s>) -> bool {
        let producer = self.read(dwarf).ok().and_then(|unit| {
            let mut entries = unit.entries_raw(None).ok()?;
            let abbreviation = entries.read_abbreviation().ok()??;
            for &attribute in abbreviation.attributes() {
                let attribute = entries.read_attribute(attribute).ok()?;
                if attribute.name() == gimli::DW_AT_producer {
                    return unit.attr_string(attribute.value()).ok();
                }
            }
            None
        });
        producer.is_some_and(|producer| marks_statements(&producer.to_string_lossy()))
    }

    /// The lines of its code; none if it has none.
    pub(super) fn lines(&self, dwarf: &Dwarf<'s>) -> Result<Option<&LineTable>, gimli::Error> {
        let unit = self.read(dwarf)?;
        let Some(program) = &unit.line_program else {
            return Ok(None);
        };
        let lines = self.lines.get_or_init(|| LineTable::read(program, self.has_statements));
        lines.as_ref().map(Some).map_err(|&error| error)
    }
}

struct UnitRange {
    range: Range,
    /// The first address of this range and all that follow.
    first: u64,
    unit: usize,
}

/// The units of an object.
pub(super) struct Units<'s> {
    list: Vec<Rc<CompileUnit<'s>>>,
    /// Where their code is, sorted by the ends.
    ranges: Vec<UnitRange>,
    /// The addresses at which a range begins or ends, sorted.
    edges: Vec<u64>,
    /// The number of ranges before the address that was looked up last: the next address mostly
    /// follows it.
    last: Cell<usize>,
}

impl<'s> Units<'s> {
    /// Finds the units. One whose addresses the object lists is not read. Their lines are read with
    /// the statements only with `has_statements`.
    pub(super) fn new(dwarf: &Dwarf<'s>, has_statements: bool) -> Result<Units<'s>, gimli::Error> {
        let listed = listed_ranges(dwarf)?;
        let mut units =
            Units { list: Vec::new(), ranges: Vec::new(), edges: Vec::new(), last: Cell::new(0) };
        let mut headers = dwarf.units();
        while let Some(header) = headers.next()? {
            let has_no_functions =
                matches!(header.type_(), UnitType::Type { .. } | UnitType::SplitType { .. });
            let Some(start) = header.debug_info_offset().filter(|_| !has_no_functions) else {
                continue;
            };
            let unit = CompileUnit {
                header,
                start: start.0,
                unit: OnceCell::new(),
                outer: OnceCell::new(),
                all: OnceCell::new(),
                is_too_deep: OnceCell::new(),
                lines: OnceCell::new(),
                has_statements,
            };
            let mut ranges = listed.get(&start.0).cloned().unwrap_or_default();
            // Other units only refer to entries of a partial one.
            if ranges.is_empty() && !matches!(header.type_(), UnitType::Partial) {
                ranges = ranges_of(dwarf, &unit)?;
            }
            let number = units.list.len();
            let of_unit = ranges.into_iter();
            units.ranges.extend(of_unit.map(|range| UnitRange { range, first: 0, unit: number }));
            units.list.push(Rc::new(unit));
        }
        units.ranges.sort_unstable_by_key(|of| (of.range.end, of.unit));
        let mut first = u64::MAX;
        for of in units.ranges.iter_mut().rev() {
            first = first.min(of.range.begin);
            of.first = first;
        }
        units.edges = sorted_edges(units.ranges.iter().map(|of| of.range));
        Ok(units)
    }

    /// The units that have code at an address. Those that cannot be read are left out.
    pub(super) fn find(
        &self,
        dwarf: &Dwarf<'s>,
        address: u64,
    ) -> impl Iterator<Item = &Rc<CompileUnit<'s>>> {
        self.ranges[self.ranges_before(address)..]
            .iter()
            .take_while(move |of| of.first <= address)
            .filter(move |of| of.range.begin <= address)
            .map(|of| &self.list[of.unit])
            .filter(|unit| unit.read(dwarf).is_ok())
    }

    /// The number of ranges that end at an address or before it.
    fn ranges_before(&self, address: u64) -> usize {
        let is_before = |of: &UnitRange| of.range.end <= address;
        let last = self.last.get();
        let (before, after) = self.ranges.split_at(last);
        let is_last = before.last().is_none_or(is_before) && !after.first().is_some_and(is_before);
        if !is_last {
            self.last.set(self.ranges.partition_point(is_before));
        }
        self.last.get()
    }

    /// Whether functions are inlined into each other too deeply in a unit that has code at an
    /// address; none if there is no such unit.
    pub(super) fn is_too_deep(&self, dwarf: &Dwarf<'s>, address: u64) -> Option<bool> {
        let mut around = self.find(dwarf, address).peekable();
        around.peek()?;
        Some(around.any(|unit| unit.is_too_deep(dwarf)))
    }

    /// The addresses around one that are in the same units.
    pub(super) fn addresses_around(&self, address: u64) -> ops::Range<u64> {
        between_edges(&self.edges, address)
    }

    /// The unit with an entry, and where it is in that.
    pub(super) fn with_entry(&self, entry: usize) -> Option<&Rc<CompileUnit<'s>>> {
        let after = self.list.partition_point(|unit| unit.start <= entry);
        self.list.get(after.checked_sub(1)?)
    }

    /// All units with each of their ranges.
    pub(super) fn with_ranges(&self) -> impl Iterator<Item = (&CompileUnit<'s>, Range)> {
        self.ranges.iter().map(|of| (&*self.list[of.unit], of.range))
    }
}

/// Whether a producer marks each statement of C or C++: gcc since version 8 does with optimization,
/// that is if its last option `-O` is not `-O0`, unless an option forbids it.
fn marks_statements(producer: &str) -> bool {
    let Some((language, rest)) = producer.strip_prefix("GNU ").and_then(|of| of.split_once(' '))
    else {
        return false;
    };
    let version = rest.split(['.', ' ']).next().and_then(|version| version.parse::<u32>().ok());
    let options = || rest.split_ascii_whitespace();
    let level = options().filter_map(|option| option.strip_prefix("-O")).next_back();
    (language.starts_with('C') || language == "GIMPLE")
        && version.is_some_and(|version| version >= 8)
        && level.is_some_and(|level| level != "0")
        && !options().any(|option| option == "-gno-statement-frontiers")
}

/// Where the code of a unit is: its own list, or its only range, or those of its lines; nowhere if
/// it cannot be read.
fn ranges_of<'s>(dwarf: &Dwarf<'s>, unit: &CompileUnit<'s>) -> Result<Vec<Range>, gimli::Error> {
    let mut ranges = Vec::new();
    let Ok(of_unit) = unit.read(dwarf) else {
        return Ok(ranges);
    };
    let mut attributes = RangeAttributes::default();
    let mut entries = of_unit.entries_raw(None)?;
    if let Some(abbreviation) = entries.read_abbreviation()? {
        for &attribute in abbreviation.attributes() {
            attributes.add(of_unit, &entries.read_attribute(attribute)?)?;
        }
    }
    attributes.for_each(of_unit, |range| ranges.push(range))?;
    if ranges.is_empty()
        && let Ok(Some(lines)) = unit.lines(dwarf)
    {
        ranges.extend(lines.ranges());
    }
    Ok(ranges)
}

/// The ranges that `.debug_aranges` has, by unit.
fn listed_ranges(dwarf: &Dwarf<'_>) -> Result<HashMap<usize, Vec<Range>>, gimli::Error> {
    let mut listed: HashMap<usize, Vec<Range>> = HashMap::new();
    let mut headers = dwarf.debug_aranges.headers();
    while let Some(header) = headers.next()? {
        let ranges = listed.entry(header.debug_info_offset().0).or_default();
        let mut entries = header.entries();
        // Addresses that overflow are left out.
        while let Some(entry) = entries.next().transpose() {
            let range = entry.ok().map(|entry| entry.range());
            ranges.extend(range.filter(|range| range.begin < range.end));
        }
    }
    Ok(listed)
}

#[cfg(test)]
mod tests {
    use gimli::{EndianSlice, RunTimeEndian, SectionId};

    use super::*;
    use crate::program::line_table::SourceLine;
    use crate::program::unit_code::MAX_NESTED;

    const WITH_LINES: &[u8] = &[0x10, 0x17];
    const WITH_RANGE: &[u8] = &[0x11, 1, 0x12, 1];

    #[test]
    fn options_of_gcc_say_whether_it_marks_statements() {
        for (producer, marks) in [
            ("GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2", true),
            ("GNU GIMPLE 12.2.0 -g -Os -fltrans", true),
            ("GNU C++17 13.1 -O -g", true),
            ("GNU C17 12.2.0 -O2 -g -O0", false),
            ("GNU C11 7.5.0 -O2 -g", false),
            ("GNU C17 12.2.0 -g -gno-statement-frontiers -O2", false),
            ("GNU Fortran2008 12.2.0 -g -O2", false),
            ("GNU C17 12.2.0 -mtune=generic -g", false),
            ("GNU AS 2.40", false),
            ("Debian clang version 14.0.6", false),
        ] {
            assert_eq!(marks_statements(producer), marks, "{producer}");
        }
    }

    /// The debug information in these sections.
    fn dwarf_of(sections: &[(SectionId, Vec<u8>)]) -> Dwarf<'_> {
        let bytes = |id| sections.iter().find(|(of, _)| *of == id).map_or(&[][..], |of| &of.1);
        let load = |id| Ok::<_, ()>(EndianSlice::new(bytes(id), RunTimeEndian::Little));
        gimli::Dwarf::load(load).unwrap()
    }

    /// The sections of a unit of DWARF 4 with these abbreviations and entries.
    fn unit(abbreviations: &[&[u8]], entries: &[&[u8]]) -> Vec<(SectionId, Vec<u8>)> {
        let unit = [&[4, 0, 0, 0, 0, 0, 8], &entries.concat()[..]].concat();
        vec![
            (SectionId::DebugAbbrev, abbreviations.concat()),
            (SectionId::DebugInfo, with_length(&unit)),
        ]
    }

    /// The attributes `low_pc` and `high_pc`.
    fn range(low: u64, high: u64) -> Vec<u8> {
        [low, high].map(u64::to_le_bytes).concat()
    }

    /// A unit with these attributes (`stmt_list`; `low_pc` and `high_pc` of 0x1000 to 0x1010) and
    /// `depth` functions inlined into each other; and a line of the code from 0x5000 to 0x5010.
    fn sections(attributes: &[&[u8]], depth: usize) -> Vec<(SectionId, Vec<u8>)> {
        let value = |&attribute: &&[u8]| match attribute {
            WITH_LINES => 0u32.to_le_bytes().to_vec(),
            _ => range(0x1000, 0x1010),
        };
        let values = attributes.iter().map(value).collect::<Vec<_>>().concat();
        let copies = [vec![2; depth], vec![0; depth + 1]].concat();
        let abbreviations = [&[1, 0x11, 1], &attributes.concat()[..], &[0, 0, 2, 0x1d, 1, 0, 0, 0]];
        let mut sections = unit(&abbreviations, &[&[1], &values, &copies]);
        let header = [1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0];
        let address = [&[0, 9, 2], &0x5000u64.to_le_bytes()[..]].concat();
        // Two rows, at 0x5000 and 0x5004.
        let rows = [&address[..], &[1, 2, 4, 1, 2, 12, 0, 1, 1]].concat();
        let table = [&[4, 0][..], &with_length(&header), &rows].concat();
        sections.push((SectionId::DebugLine, with_length(&table)));
        sections
    }

    fn with_length(bytes: &[u8]) -> Vec<u8> {
        [&(bytes.len() as u32).to_le_bytes(), bytes].concat()
    }

    #[test]
    fn units_in_which_an_address_is() {
        // Whether functions are nested too deeply at 0x1008 and at 0x5000.
        let table = [
            (&[WITH_RANGE][..], 1, [Some(false), None]),
            (&[WITH_RANGE][..], MAX_NESTED + 1, [Some(true), None]),
            (&[WITH_LINES, WITH_RANGE][..], MAX_NESTED, [Some(false), None]),
            // Its ranges are those of its lines.
            (&[WITH_LINES][..], 1, [None, Some(false)]),
            (&[WITH_LINES][..], MAX_NESTED + 1, [None, Some(true)]),
            (&[][..], 1, [None; 2]),
        ];
        for (number, (attributes, depth, expected)) in table.into_iter().enumerate() {
            let sections = sections(attributes, depth);
            let dwarf = dwarf_of(&sections);
            let units = Units::new(&dwarf, false).unwrap();
            let is_too_deep = [0x1008, 0x5000].map(|address| units.is_too_deep(&dwarf, address));
            assert_eq!(is_too_deep, expected, "{number}");
        }
    }

    #[test]
    fn lines_and_the_addresses_that_have_them() {
        let sections = sections(&[WITH_LINES], 0);
        let dwarf = dwarf_of(&sections);
        let units = Units::new(&dwarf, false).unwrap();
        assert_eq!(units.addresses_around(0x5008), 0x5000..0x5010);
        let unit = units.find(&dwarf, 0x5008).next().unwrap();
        let lines = unit.lines(&dwarf).unwrap().unwrap();
        let line = SourceLine { file: 1, line: 1 };
        assert_eq!(lines.find(0x5008), Some((line, 0x5000..0x5010)));
        assert_eq!([0x4fff, 0x5010].map(|address| lines.find(address)), [None, None]);
        for (begin, end, expected) in
            [(0x5004, 0x5008, &[line][..]), (0x4000, 0x5000, &[]), (0x5010, 0x6000, &[])]
        {
            let mut all = Vec::new();
            lines.for_each(Range { begin, end }, |_, line| all.push(line));
            assert_eq!(all, expected, "{begin:x}");
        }
    }

    const UNIT: u8 = 1;
    const FUNCTION: u8 = 2;
    const COPY: u8 = 3;
    const BLOCK: u8 = 4;
    const DECLARATION: u8 = 5;

    const ABBREVIATIONS: [&[u8]; 6] = [
        &[UNIT, 0x11, 1, 0x11, 1, 0x12, 1, 0, 0],
        &[FUNCTION, 0x2e, 1, 0x11, 1, 0x12, 1, 0, 0],
        // With the line of the call.
        &[COPY, 0x1d, 1, 0x11, 1, 0x12, 1, 0x59, 0x0b, 0, 0],
        &[BLOCK, 0x0b, 1, 0, 0],
        &[DECLARATION, 0x2e, 1, 0, 0],
        &[0],
    ];

    fn entry(kind: u8, low: u64, high: u64) -> Vec<u8> {
        [&[kind], &range(low, high)[..]].concat()
    }

    fn copy(low: u64, high: u64, line: u8) -> Vec<u8> {
        [&entry(COPY, low, high)[..], &[line]].concat()
    }

    #[test]
    fn copies_around_an_address() {
        let entries: [&[u8]; 13] = [
            &entry(UNIT, 0x1000, 0x2000),
            &entry(FUNCTION, 0x1000, 0x1100),
            &copy(0x1000, 0x1040, 1),
            &[BLOCK],
            &[&copy(0x1010, 0x1020, 2)[..], &[0]].concat(),
            &[0],
            // A copy in another function is none of this one.
            &[&[DECLARATION], &copy(0x1000, 0x1040, 9)[..], &[0, 0]].concat(),
            &[0],
            &[&copy(0x1040, 0x1080, 3)[..], &[0]].concat(),
            &[0],
            &entry(FUNCTION, 0x1200, 0x1300),
            &[0],
            &[0],
        ];
        let sections = unit(&ABBREVIATIONS, &entries);
        let dwarf = dwarf_of(&sections);
        let units = Units::new(&dwarf, false).unwrap();
        let unit = units.find(&dwarf, 0x1000).next().unwrap();
        let function_at = |address| unit.function_at(&dwarf, address).unwrap();
        assert!([0xfff, 0x1100, 0x1300].iter().all(|&address| function_at(address).is_none()));
        for (address, around, copies) in [
            (0x1008, 0x1000..0x1010, &[1][..]),
            (0x101f, 0x1010..0x1020, &[1, 2]),
            (0x1020, 0x1020..0x1040, &[1]),
            (0x1040, 0x1040..0x1080, &[3]),
            (0x1080, 0x1080..u64::MAX, &[]),
        ] {
            let (function, addresses) = function_at(address).unwrap();
            assert_eq!(addresses, 0x1000..0x1100);
            let inlined = function.inlined(unit.read(&dwarf).unwrap()).unwrap();
            let mut calls = Vec::new();
            assert_eq!(inlined.find(address, &mut calls), around, "{address:x}");
            let lines: Vec<u32> = calls.iter().map(|call| call.line).collect();
            assert_eq!(lines, copies, "{address:x}");
        }
        let (other, _) = function_at(0x1280).unwrap();
        let mut calls = Vec::new();
        other.inlined(unit.read(&dwarf).unwrap()).unwrap().find(0x1280, &mut calls);
        assert!(calls.is_empty());
    }
    const WITH_NEXT: u8 = 6;

    /// A function that refers to the entry `behind` it.
    fn with_next(low: u64, high: u64, behind: u32, inside: &[u8]) -> Vec<u8> {
        [&entry(WITH_NEXT, low, high)[..], &behind.to_le_bytes(), inside, &[0]].concat()
    }

    /// The sections of a unit with these functions from its offset 28 on.
    fn unit_of_functions(functions: &[&[u8]]) -> Vec<(SectionId, Vec<u8>)> {
        let with_next: &[u8] = &[WITH_NEXT, 0x2e, 1, 0x11, 1, 0x12, 1, 0x01, 0x13, 0, 0];
        let abbreviations = [&[with_next][..], &ABBREVIATIONS].concat();
        let entries = [&entry(UNIT, 0x1000, 0x2000)[..], &functions.concat(), &[0]];
        unit(&abbreviations, &entries)
    }

    #[test]
    fn functions_in_entries_that_were_stepped_over() {
        const START: u32 = 28;
        let inner = [&entry(FUNCTION, 0x1800, 0x1900)[..], &[0]].concat();
        let size = with_next(0, 0, 0, &inner).len() as u32;
        // What the first function refers to: the second one, nothing, itself.
        for next in [START + size, 0, START] {
            let first = with_next(0x1000, 0x1100, next, &inner);
            let second = [&entry(FUNCTION, 0x1200, 0x1300)[..], &[0]].concat();
            let sections = unit_of_functions(&[&first, &second]);
            let dwarf = dwarf_of(&sections);
            let units = Units::new(&dwarf, false).unwrap();
            let unit = units.find(&dwarf, 0x1000).next().unwrap();
            for (address, start) in [
                (0x1000, Some(0x1000)),
                (0x1200, Some(0x1200)),
                (0x1800, Some(0x1800)),
                (0x1000, Some(0x1000)),
                (0x1900, None),
            ] {
                let found = unit.function_at(&dwarf, address).unwrap();
                let start_there = found.map(|(_, addresses)| addresses.start);
                assert_eq!(start_there, start, "{next} {address:x}");
            }
            let outer = unit.outer.get().unwrap().as_ref().unwrap();
            assert_eq!(outer.is_partial, next == START + size, "{next}");
        }
    }

    #[test]
    fn a_function_that_is_nested_too_deeply_hides_no_other() {
        for (depth, is_too_deep) in [(MAX_NESTED, false), (MAX_NESTED + 1, true)] {
            let copies = copy(0x1000, 0x1040, 1).repeat(depth);
            let deep =
                [&entry(FUNCTION, 0x1000, 0x1100)[..], &copies, &vec![0; depth + 1]].concat();
            let other = [&entry(FUNCTION, 0x1200, 0x1300)[..], &[0]].concat();
            let sections = unit_of_functions(&[&deep, &other]);
            let dwarf = dwarf_of(&sections);
            let units = Units::new(&dwarf, false).unwrap();
            let unit = units.find(&dwarf, 0x1000).next().unwrap();
            let are_too_deep = [0x1000, 0x1200].map(|address| {
                let (function, _) = unit.function_at(&dwarf, address).unwrap().unwrap();
                function.inlined(unit.read(&dwarf).unwrap()).unwrap().is_too_deep
            });
            assert_eq!(are_too_deep, [is_too_deep, false]);
        }
    }
}
