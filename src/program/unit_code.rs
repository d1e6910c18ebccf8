//! The functions of a unit that have code, and what is inlined into them.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::ops;

use gimli::{Abbreviation, Attribute, AttributeValue, EntriesRaw, Range, UnitOffset, UnitRef};

use crate::program::ranges::{RangeAttributes, Slice, between_edges, sorted_edges};

/// The maximum number of functions that are inlined into each other, ten times what compilers
/// write. The work for a chain of them is the square of its length.
pub(super) const MAX_NESTED: usize = 500;

pub(super) struct UnitCode {
    functions: Vec<FunctionCode>,
    /// Where their code is, sorted by the first address.
    ranges: Vec<FunctionRange>,
    /// Whether entries in others were stepped over, in which there may be functions.
    pub(super) is_partial: bool,
}

pub(super) struct FunctionCode {
    pub(super) entry: UnitOffset,
    /// Read when an address of the function is looked up.
    inlined: OnceCell<Result<InlinedCalls, gimli::Error>>,
}

/// Which functions of a unit are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Those that are in no entry but scopes, as far as entries refer to the ones after them.
    Outer,
    /// Those in other functions and types, too.
    All,
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
    /// Whether functions are inlined into each other so deeply that these are not read.
    pub(super) is_too_deep: bool,
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

impl UnitCode {
    pub(super) fn read(
        unit: UnitRef<'_, Slice<'_>>,
        extent: Extent,
    ) -> Result<UnitCode, gimli::Error> {
        let mut code = UnitCode { functions: Vec::new(), ranges: Vec::new(), is_partial: false };
        let mut entries = unit.entries_raw(None)?;
        while !entries.is_empty() {
            let entry = entries.next_offset();
            let Some(abbreviation) = entries.read_abbreviation()? else {
                continue;
            };
            let attributes = abbreviation.attributes();
            let next_at = next_at(abbreviation).filter(|_| extent == Extent::Outer);
            let mut next = None;
            if abbreviation.tag() == gimli::DW_TAG_subprogram {
                let mut of_ranges = RangeAttributes::default();
                for &attribute in attributes {
                    let attribute = entries.read_attribute(attribute)?;
                    of_ranges.add(unit, &attribute)?;
                    next = next.or(next_by(&attribute));
                }
                code.add_function(unit, entry, &of_ranges)?;
            } else if let Some(at) = next_at {
                entries.skip_attributes(&attributes[..at])?;
                next = next_by(&entries.read_attribute(attributes[at])?);
                entries.skip_attributes(&attributes[at + 1..])?;
            } else {
                entries.skip_attributes(attributes)?;
            }
            // An entry before this one would be a circle.
            let behind = entries.next_offset();
            if let Some(next) = next.filter(|&next| next_at.is_some() && next > behind) {
                code.is_partial = true;
                entries = unit.entries_raw(Some(next))?;
            }
        }
        code.ranges.sort_unstable_by_key(|of| of.range.begin);
        Ok(code)
    }

    /// Adds a function if it has code.
    fn add_function(
        &mut self,
        unit: UnitRef<'_, Slice<'_>>,
        entry: UnitOffset,
        attributes: &RangeAttributes,
    ) -> Result<(), gimli::Error> {
        let (function, ranges) = (self.functions.len(), self.ranges.len());
        attributes.for_each(unit, |range| self.ranges.push(FunctionRange { range, function }))?;
        if self.ranges.len() > ranges {
            self.functions.push(FunctionCode { entry, inlined: OnceCell::new() });
        }
        Ok(())
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
        let inlined = self.inlined.get_or_init(|| InlinedCalls::read(unit, self.entry));
        inlined.as_ref().map_err(|&error| error)
    }
}

impl InlinedCalls {
    /// Reads what is inlined into the function with an entry.
    fn read(
        unit: UnitRef<'_, Slice<'_>>,
        function: UnitOffset,
    ) -> Result<InlinedCalls, gimli::Error> {
        let mut inlined = InlinedCalls {
            calls: Vec::new(),
            ranges: Vec::new(),
            edges: Vec::new(),
            is_too_deep: false,
        };
        // The depths of the copies around the next entry, and of functions in this one.
        let mut copies: Vec<isize> = Vec::new();
        let mut others: Vec<isize> = Vec::new();
        let mut entries = unit.entries_raw(Some(function))?;
        loop {
            let (entry, depth) = (entries.next_offset(), entries.next_depth());
            let abbreviation = entries.read_abbreviation()?;
            if let Some(abbreviation) = abbreviation {
                while copies.pop_if(|last| *last >= depth).is_some() {}
                while others.pop_if(|last| *last >= depth).is_some() {}
                let is_copy = abbreviation.tag() == gimli::DW_TAG_inlined_subroutine;
                if is_copy && others.is_empty() {
                    inlined.add(unit, entry, copies.len(), abbreviation, &mut entries)?;
                    copies.push(depth);
                } else {
                    entries.skip_attributes(abbreviation.attributes())?;
                }
                if abbreviation.tag() == gimli::DW_TAG_subprogram && entry != function {
                    others.push(depth);
                }
                if copies.len() + others.len() > MAX_NESTED {
                    let (calls, ranges, edges) = (Vec::new(), Vec::new(), Vec::new());
                    return Ok(InlinedCalls { calls, ranges, edges, is_too_deep: true });
                }
            }
            if entries.next_depth() <= 0 || entries.is_empty() {
                break;
            }
        }
        inlined.ranges.sort_unstable_by_key(|of| (of.depth, of.range.begin));
        inlined.edges = sorted_edges(inlined.ranges.iter().map(|of| of.range));
        Ok(inlined)
    }

    /// Adds the copy of an entry, whose attributes are next, that is in `depth` others.
    fn add<'s>(
        &mut self,
        unit: UnitRef<'_, Slice<'s>>,
        entry: UnitOffset,
        depth: usize,
        abbreviation: &Abbreviation,
        entries: &mut EntriesRaw<'_, Slice<'s>>,
    ) -> Result<(), gimli::Error> {
        let mut attributes = RangeAttributes::default();
        let mut call = InlinedCall { entry, file: None, line: 0 };
        for &attribute in abbreviation.attributes() {
            let attribute = entries.read_attribute(attribute)?;
            call.add(unit, &attribute);
            attributes.add(unit, &attribute)?;
        }
        let number = self.calls.len();
        self.calls.push(call);
        attributes.for_each(unit, |range| {
            self.ranges.push(InlinedRange { range, depth, call: number });
        })
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

/// Whether functions are inlined into each other too deeply anywhere in a unit.
pub(super) fn is_too_deep(unit: UnitRef<'_, Slice<'_>>) -> Result<bool, gimli::Error> {
    let mut entries = unit.entries_raw(None)?;
    let mut copies: Vec<isize> = Vec::new();
    while !entries.is_empty() && copies.len() <= MAX_NESTED {
        let depth = entries.next_depth();
        let Some(abbreviation) = entries.read_abbreviation()? else {
            continue;
        };
        while copies.pop_if(|last| *last >= depth).is_some() {}
        if abbreviation.tag() == gimli::DW_TAG_inlined_subroutine {
            copies.push(depth);
        }
        entries.skip_attributes(abbreviation.attributes())?;
    }
    Ok(copies.len() > MAX_NESTED)
}

/// Which attribute of entries of this kind refers to the entry behind all that are in them, if no
/// function with code is expected among these.
fn next_at(abbreviation: &Abbreviation) -> Option<usize> {
    if matches!(abbreviation.tag(), gimli::DW_TAG_namespace | gimli::DW_TAG_module) {
        return None;
    }
    let mut attributes = abbreviation.attributes().iter();
    attributes.position(|attribute| attribute.name() == gimli::DW_AT_sibling)
}

/// The entry behind all that are in an entry with this attribute, if it says so.
fn next_by(attribute: &Attribute<Slice<'_>>) -> Option<UnitOffset> {
    match attribute.value() {
        AttributeValue::UnitRef(offset) if attribute.name() == gimli::DW_AT_sibling => Some(offset),
        _ => None,
    }
}
