//! Where code is: what the entries of debug information say of addresses.

use std::ops;

use gimli::{
    Attribute, AttributeValue, EndianSlice, Range, RangeListsOffset, RunTimeEndian, UnitRef,
};

pub(super) type Slice<'s> = EndianSlice<'s, RunTimeEndian>;
pub(super) type Dwarf<'s> = gimli::Dwarf<Slice<'s>>;

/// What the attributes of an entry say of its addresses.
#[derive(Default)]
pub(super) struct RangeAttributes {
    low: Option<u64>,
    high: Option<u64>,
    size: Option<u64>,
    list: Option<RangeListsOffset>,
}

impl RangeAttributes {
    /// Adds an attribute if it is of addresses.
    pub(super) fn add<'s>(
        &mut self,
        unit: UnitRef<'_, Slice<'s>>,
        attribute: &Attribute<Slice<'s>>,
    ) -> Result<(), gimli::Error> {
        let address = |value| match value {
            AttributeValue::Addr(address) => Ok(Some(address)),
            AttributeValue::DebugAddrIndex(index) => unit.address(index).map(Some),
            _ => Ok(None),
        };
        match attribute.name() {
            gimli::DW_AT_low_pc => self.low = address(attribute.value())?.or(self.low),
            gimli::DW_AT_high_pc => match attribute.value() {
                AttributeValue::Udata(size) => self.size = Some(size),
                value => self.high = address(value)?.or(self.high),
            },
            gimli::DW_AT_ranges => self.list = unit.attr_ranges_offset(attribute.value())?,
            _ => {}
        }
        Ok(())
    }

    /// Calls `put` for each range that is not empty.
    pub(super) fn for_each(
        &self,
        unit: UnitRef<'_, Slice<'_>>,
        mut put: impl FnMut(Range),
    ) -> Result<(), gimli::Error> {
        if let Some(list) = self.list {
            let mut ranges = unit.ranges(list)?;
            while let Some(range) = ranges.next()? {
                if range.begin < range.end {
                    put(range);
                }
            }
            return Ok(());
        }
        // An address that the linker left out is the last one, and overflows.
        let end = self.low.and_then(|low| self.high.or_else(|| Some(low.wrapping_add(self.size?))));
        if let Some((begin, end)) = self.low.zip(end).filter(|(begin, end)| begin < end) {
            put(Range { begin, end });
        }
        Ok(())
    }
}

/// The addresses at which ranges begin or end, sorted, each once.
pub(super) fn sorted_edges(ranges: impl Iterator<Item = Range>) -> Vec<u64> {
    let mut edges: Vec<u64> = ranges.flat_map(|range| [range.begin, range.end]).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// The addresses around one that no edge parts from it.
pub(super) fn between_edges(edges: &[u64], address: u64) -> ops::Range<u64> {
    let after = edges.partition_point(|&edge| edge <= address);
    let start = after.checked_sub(1).map_or(0, |before| edges[before]);
    start..edges.get(after).copied().unwrap_or(u64::MAX)
}
