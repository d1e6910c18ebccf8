//! How many functions are inlined into each other: addr2line reads them by recursion, and must not
//! read those that are nested too deeply. This is found out for each compilation unit whose code is
//! looked up, not for all of the debug information, which takes longer than all else.

use std::cell::{Cell, OnceCell};

use gimli::{EndianSlice, Range, RunTimeEndian, UnitHeader, UnitType};
use hashbrown::HashMap;

pub(super) type Slice<'s> = EndianSlice<'s, RunTimeEndian>;
type Dwarf<'s> = gimli::Dwarf<Slice<'s>>;

/// The maximum number of functions that are inlined into each other, ten times what compilers
/// write.
pub(super) const MAX_NESTED: usize = 500;

struct CompileUnit<'s> {
    header: UnitHeader<Slice<'s>>,
    is_too_deep: OnceCell<bool>,
}

struct UnitRange {
    range: Range,
    /// The first address of this range and all that follow.
    first: u64,
    unit: usize,
}

/// The compilation units of an object.
pub(super) struct InliningDepth<'s> {
    units: Vec<CompileUnit<'s>>,
    /// Where their code is, sorted by the ends.
    ranges: Vec<UnitRange>,
    /// The number of ranges before the address that was looked up last: the next address mostly
    /// follows it.
    last: Cell<usize>,
    /// The units whose code may be anywhere, and whether functions are nested too deeply in one.
    anywhere: Vec<usize>,
    is_too_deep_anywhere: OnceCell<bool>,
}

impl<'s> InliningDepth<'s> {
    pub(super) fn new(dwarf: &Dwarf<'s>) -> InliningDepth<'s> {
        let listed = listed_ranges(dwarf);
        let mut nesting = InliningDepth {
            units: Vec::new(),
            ranges: Vec::new(),
            last: Cell::new(0),
            anywhere: Vec::new(),
            is_too_deep_anywhere: OnceCell::new(),
        };
        let mut headers = dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            // addr2line looks up no addresses in others.
            let has_code = !matches!(
                header.type_(),
                UnitType::Type { .. } | UnitType::SplitType { .. } | UnitType::Partial
            );
            if has_code {
                nesting.add(dwarf, header, &listed);
            }
        }
        nesting.ranges.sort_unstable_by_key(|of| (of.range.end, of.unit));
        let mut first = u64::MAX;
        for of in nesting.ranges.iter_mut().rev() {
            first = first.min(of.range.begin);
            of.first = first;
        }
        nesting
    }

    /// Adds a unit. addr2line reads nothing of a unit that has an error, and takes the ranges of
    /// one without any from its lines.
    fn add(
        &mut self,
        dwarf: &Dwarf<'s>,
        header: UnitHeader<Slice<'s>>,
        listed: &HashMap<usize, Vec<Range>>,
    ) {
        let Ok(unit) = dwarf.unit(header) else {
            return;
        };
        let number = self.units.len();
        self.units.push(CompileUnit { header, is_too_deep: OnceCell::new() });
        let offset = header.debug_info_offset().map(|offset| offset.0);
        let listed = offset.and_then(|offset| listed.get(&offset)).into_iter().flatten();
        let own = dwarf.unit_ranges(&unit).and_then(|mut own| {
            let mut ranges = Vec::new();
            while let Some(range) = own.next()? {
                ranges.push(range);
            }
            Ok(ranges)
        });
        let is_known = own.is_ok();
        let mut ranges: Vec<Range> = listed.copied().chain(own.unwrap_or_default()).collect();
        ranges.retain(|range| range.begin < range.end);
        if !is_known || ranges.is_empty() && unit.line_program.is_some() {
            self.anywhere.push(number);
        }
        let ranges = ranges.into_iter();
        self.ranges.extend(ranges.map(|range| UnitRange { range, first: 0, unit: number }));
    }

    /// Whether functions are nested too deeply in a unit that may have code at an address; none if
    /// there is no such unit.
    pub(super) fn is_too_deep(&self, dwarf: &Dwarf<'s>, address: u64) -> Option<bool> {
        let mut around = self.ranges[self.ranges_before(address)..]
            .iter()
            .take_while(|of| of.first <= address)
            .filter(|of| of.range.begin <= address)
            .map(|of| of.unit)
            .peekable();
        if around.peek().is_none() && self.anywhere.is_empty() {
            return None;
        }
        let is_unit = |unit: usize| self.is_unit_too_deep(dwarf, unit);
        let is_anywhere = || self.anywhere.iter().any(|&unit| is_unit(unit));
        Some(*self.is_too_deep_anywhere.get_or_init(is_anywhere) || around.any(is_unit))
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

    fn is_unit_too_deep(&self, dwarf: &Dwarf<'s>, unit: usize) -> bool {
        let unit = &self.units[unit];
        *unit.is_too_deep.get_or_init(|| {
            let depth = dwarf.unit(unit.header).and_then(|unit| nested_in(&unit));
            depth.is_ok_and(|depth| depth > MAX_NESTED)
        })
    }
}

/// The ranges that `.debug_aranges` has, by unit.
fn listed_ranges(dwarf: &Dwarf<'_>) -> HashMap<usize, Vec<Range>> {
    let mut listed: HashMap<usize, Vec<Range>> = HashMap::new();
    let mut headers = dwarf.debug_aranges.headers();
    while let Ok(Some(header)) = headers.next() {
        let ranges = listed.entry(header.debug_info_offset().0).or_default();
        let mut entries = header.entries();
        while let Some(entry) = entries.next().transpose() {
            ranges.extend(entry.map(|entry| entry.range()));
        }
    }
    listed
}

/// How many functions of a unit are inlined into each other at most.
fn nested_in(unit: &gimli::Unit<Slice<'_>>) -> Result<usize, gimli::Error> {
    let mut entries = unit.entries_raw(None)?;
    // The depths of the entries that the next one is below.
    let mut outer: Vec<isize> = Vec::new();
    let mut deepest = 0;
    while !entries.is_empty() {
        let depth = entries.next_depth();
        let Some(abbreviation) = entries.read_abbreviation()? else {
            continue;
        };
        while outer.pop_if(|last| *last >= depth).is_some() {}
        if abbreviation.tag() == gimli::DW_TAG_inlined_subroutine {
            outer.push(depth);
            deepest = deepest.max(outer.len());
        }
        entries.skip_attributes(abbreviation.attributes())?;
    }
    Ok(deepest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITH_LINES: &[u8] = &[0x10, 0x17];
    const WITH_RANGE: &[u8] = &[0x11, 1, 0x12, 1];

    /// The sections of a unit with these attributes (`stmt_list`; `low_pc` and `high_pc` of 0x1000
    /// to 0x1010) and `depth` functions inlined into each other.
    fn sections(attributes: &[&[u8]], depth: usize) -> [Vec<u8>; 3] {
        let abbreviations =
            [&[1, 0x11, 1][..], &attributes.concat(), &[0, 0, 2, 0x1d, 1, 0, 0, 0]].concat();
        let mut unit = vec![4, 0, 0, 0, 0, 0, 8, 1];
        for attribute in attributes {
            if *attribute == WITH_LINES {
                unit.extend(0u32.to_le_bytes());
            } else {
                unit.extend([0x1000u64, 0x1010].map(u64::to_le_bytes).concat());
            }
        }
        unit.extend(vec![2; depth]);
        unit.extend(vec![0; depth + 1]);
        // A line table of version 4 with no line.
        let header = [1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0];
        let table = [&[4, 0][..], &with_length(&header)].concat();
        [abbreviations, with_length(&unit), with_length(&table)]
    }

    fn with_length(bytes: &[u8]) -> Vec<u8> {
        [&(bytes.len() as u32).to_le_bytes(), bytes].concat()
    }

    #[test]
    fn units_in_which_an_address_may_be() {
        // Whether functions are nested too deeply at 0x1008 and at 0x5000.
        let table = [
            (&[WITH_RANGE][..], 1, [Some(false), None]),
            (&[WITH_RANGE][..], MAX_NESTED + 1, [Some(true), None]),
            (&[WITH_LINES, WITH_RANGE][..], MAX_NESTED, [Some(false), None]),
            // Its ranges are those of its lines.
            (&[WITH_LINES][..], 1, [Some(false); 2]),
            (&[WITH_LINES][..], MAX_NESTED + 1, [Some(true); 2]),
            (&[][..], 1, [None; 2]),
        ];
        for (number, (attributes, depth, expected)) in table.into_iter().enumerate() {
            let [abbreviations, info, lines] = sections(attributes, depth);
            let section = |id: gimli::SectionId| match id {
                gimli::SectionId::DebugAbbrev => &abbreviations[..],
                gimli::SectionId::DebugInfo => &info,
                gimli::SectionId::DebugLine => &lines,
                _ => &[],
            };
            let load = |id| Ok::<_, ()>(EndianSlice::new(section(id), RunTimeEndian::Little));
            let dwarf = gimli::Dwarf::load(load).unwrap();
            let nesting = InliningDepth::new(&dwarf);
            let is_too_deep = [0x1008, 0x5000].map(|address| nesting.is_too_deep(&dwarf, address));
            assert_eq!(is_too_deep, expected, "{number}");
        }
    }
}
