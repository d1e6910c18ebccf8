//! The functions of a unit that have code, and what is inlined into them.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::ops;

use gimli::{AttributeValue, Range, UnitOffset, UnitRef};

use crate::program::ranges::{RangeAttributes, Slice, between_edges, sorted_edges};

/// The maximum number of functions that are inlined into each other, ten times what compilers
/// write. The work for a chain of them is the square of its length.
pub(super) const MAX_NESTED: usize = 500;

pub(super) struct UnitCode {
    functions: Vec<FunctionCode>,
    /// Where their code is, sorted by the first address.
    ranges: Vec<FunctionRange>,
    /// How many functions are inlined into each other at most.
    depth: usize,
}

pub(super) struct FunctionCode {
    pub(super) entry: UnitOffset,
    copies: Vec<CopyEntry>,
    inlined: OnceCell<Result<InlinedCalls, gimli::Error>>,
}

/// The entry of an inlined copy, which is read if an address of its function is looked up.
struct CopyEntry {
    entry: UnitOffset,
    /// How many copies it is in.
    depth: usize,
}

struct FunctionRange {
    range: Range,
    function: usize,
}

/// An inlined copy of a function, in place of one call.
#[derive(Clone, Copy)]
pub(super) struct InlinedCall {
    pub(super) entry: UnitOffset,
    /// The number of the file with the call in the list of the unit.
    pub(super) file: Option<u64>,
    /// The line of the call, 0 if unknown.
    pub(super) line: u32,
}

/// What is inlined into a function.
pub(super) struct InlinedCalls {
    calls: Vec<InlinedCall>,
    /// Where their code is: those that are inlined into the function itself, then those in these,
    /// and so on, each sorted by the first address.
    ranges: Vec<InlinedRange>,
    /// The addresses at which a range begins or ends, sorted.
    edges: Vec<u64>,
}

struct InlinedRange {
    range: Range,
    /// How many functions the call is inlined into besides the one that is called.
    depth: usize,
    call: usize,
}

fn order(range: &Range, address: u64) -> Ordering {
    if range.begin > address {
        Ordering::Greater
    } else if range.end <= address {
        Ordering::Less
    } else {
        Ordering::Equal
    }
}

/// A function that the next entry may be in.
struct FunctionAround {
    /// The depth of its entry.
    depth: isize,
    /// Its number; none if it has no code.
    number: Option<usize>,
    /// The number of inlined copies around it.
    copies: usize,
}

impl UnitCode {
    pub(super) fn read(unit: UnitRef<'_, Slice<'_>>) -> Result<UnitCode, gimli::Error> {
        let mut code = UnitCode { functions: Vec::new(), ranges: Vec::new(), depth: 0 };
        let mut entries = unit.entries_raw(None)?;
        // What is around the next entry: the depths of inlined copies, and functions.
        let mut copies: Vec<isize> = Vec::new();
        let mut functions: Vec<FunctionAround> = Vec::new();
        while !entries.is_empty() {
            let (entry, depth) = (entries.next_offset(), entries.next_depth());
            let Some(abbreviation) = entries.read_abbreviation()? else {
                continue;
            };
            while copies.pop_if(|last| *last >= depth).is_some() {}
            while functions.pop_if(|last| last.depth >= depth).is_some() {}
            if abbreviation.tag() == gimli::DW_TAG_subprogram {
                let mut attributes = RangeAttributes::default();
                for &attribute in abbreviation.attributes() {
                    attributes.add(unit, &entries.read_attribute(attribute)?)?;
                }
                let number = code.add_function(unit, entry, &attributes)?;
                functions.push(FunctionAround { depth, number, copies: copies.len() });
                continue;
            }
            if abbreviation.tag() == gimli::DW_TAG_inlined_subroutine {
                if let Some(FunctionAround { number: Some(number), copies: outside, .. }) =
                    functions.last()
                {
                    let depth = copies.len() - outside;
                    code.functions[*number].copies.push(CopyEntry { entry, depth });
                }
                copies.push(depth);
                code.depth = code.depth.max(copies.len());
            }
            entries.skip_attributes(abbreviation.attributes())?;
        }
        code.ranges.sort_unstable_by_key(|of| of.range.begin);
        Ok(code)
    }

    /// Adds a function if it has code, and returns its number.
    fn add_function(
        &mut self,
        unit: UnitRef<'_, Slice<'_>>,
        entry: UnitOffset,
        attributes: &RangeAttributes,
    ) -> Result<Option<usize>, gimli::Error> {
        let (function, ranges) = (self.functions.len(), self.ranges.len());
        attributes.for_each(unit, |range| self.ranges.push(FunctionRange { range, function }))?;
        if self.ranges.len() == ranges {
            return Ok(None);
        }
        let (copies, inlined) = (Vec::new(), OnceCell::new());
        self.functions.push(FunctionCode { entry, copies, inlined });
        Ok(Some(function))
    }

    /// Whether functions are inlined into each other so deeply that these are not read.
    pub(super) fn is_too_deep(&self) -> bool {
        self.depth > MAX_NESTED
    }

    /// The function with the code at an address, and its range there.
    pub(super) fn find(&self, address: u64) -> Option<(&FunctionCode, ops::Range<u64>)> {
        let found = self.ranges.binary_search_by(|of| order(&of.range, address));
        let FunctionRange { range, function } = &self.ranges[found.ok()?];
        Some((&self.functions[*function], range.begin..range.end))
    }
}

impl FunctionCode {
    /// What is inlined into the function.
    pub(super) fn inlined(
        &self,
        unit: UnitRef<'_, Slice<'_>>,
    ) -> Result<&InlinedCalls, gimli::Error> {
        let inlined = self.inlined.get_or_init(|| InlinedCalls::read(unit, &self.copies));
        inlined.as_ref().map_err(|&error| error)
    }
}

impl InlinedCalls {
    fn read(
        unit: UnitRef<'_, Slice<'_>>,
        copies: &[CopyEntry],
    ) -> Result<InlinedCalls, gimli::Error> {
        let mut calls = Vec::with_capacity(copies.len());
        let mut ranges = Vec::new();
        for &CopyEntry { entry, depth } in copies {
            let mut entries = unit.entries_raw(Some(entry))?;
            let Some(abbreviation) = entries.read_abbreviation()? else {
                continue;
            };
            let mut attributes = RangeAttributes::default();
            let mut call = InlinedCall { entry, file: None, line: 0 };
            for &attribute in abbreviation.attributes() {
                let attribute = entries.read_attribute(attribute)?;
                call.add(unit, &attribute);
                attributes.add(unit, &attribute)?;
            }
            let number = calls.len();
            calls.push(call);
            attributes.for_each(unit, |range| {
                ranges.push(InlinedRange { range, depth, call: number });
            })?;
        }
        ranges.sort_unstable_by_key(|of| (of.depth, of.range.begin));
        let edges = sorted_edges(ranges.iter().map(|of| of.range));
        Ok(InlinedCalls { calls, ranges, edges })
    }

    /// Puts the calls whose copies an address is in into `calls`, the outermost first, and returns
    /// the addresses around it that are in the same.
    pub(super) fn find(&self, address: u64, calls: &mut Vec<InlinedCall>) -> ops::Range<u64> {
        let mut ranges = &self.ranges[..];
        for depth in 0.. {
            let found = ranges.binary_search_by(|of| {
                of.depth.cmp(&depth).then_with(|| order(&of.range, address))
            });
            let Ok(number) = found else {
                break;
            };
            calls.push(self.calls[ranges[number].call]);
            ranges = &ranges[number + 1..];
        }
        between_edges(&self.edges, address)
    }
}

impl InlinedCall {
    /// Adds an attribute if it is of the place of the call.
    fn add(&mut self, unit: UnitRef<'_, Slice<'_>>, attribute: &gimli::Attribute<Slice<'_>>) {
        match (attribute.name(), attribute.value()) {
            // Before DWARF 5 there is no file 0.
            (gimli::DW_AT_call_file, AttributeValue::FileIndex(file))
                if file > 0 || unit.header.version() >= 5 =>
            {
                self.file = Some(file);
            }
            (gimli::DW_AT_call_line, _) => {
                self.line = attribute.udata_value().unwrap_or(0) as u32;
            }
            _ => {}
        }
    }
}
