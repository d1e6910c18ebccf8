//! What the debug information of an object has at the addresses that were executed.

use std::cell::Cell;

/// What the debug information says of an address.
#[derive(Clone, Copy)]
pub struct AtAddress {
    /// The innermost instance; none if nothing was inlined.
    pub instance: Option<u32>,
    /// The function whose code contains the address, inlined or not.
    pub host: Option<u32>,
    pub file: Option<u32>,
    /// The source line, 0 if unknown.
    pub line: u32,
}

/// What the debug information has at the addresses of an object. Addresses that follow one another
/// are found fastest.
#[derive(Default)]
pub struct AddressTable {
    /// Sorted.
    addresses: Vec<u64>,
    found: Vec<AtAddress>,
    /// The addresses in blocks of equal length: by block the number of addresses before it, and of
    /// all behind the last one.
    blocks: Vec<u32>,
    /// The length of a block is this power of two.
    block_bits: u32,
    /// The number of the address that was found last.
    last: Cell<usize>,
}

impl AddressTable {
    /// A table of different addresses, which are sorted.
    pub fn new(found: impl Iterator<Item = (u64, AtAddress)>) -> AddressTable {
        let (addresses, found): (Vec<u64>, Vec<AtAddress>) = found.unzip();
        let length =
            addresses.first().zip(addresses.last()).map_or(0, |(first, last)| last - first);
        // No more blocks than addresses, so that most have a few.
        let most = addresses.len().max(1) as u64;
        let block_bits = (0..64).find(|&bits| length >> bits < most).unwrap_or(63);
        let mut table =
            AddressTable { addresses, found, blocks: Vec::new(), block_bits, last: Cell::new(0) };
        for (number, &address) in table.addresses.iter().enumerate() {
            let block = (address - table.addresses[0]) >> block_bits;
            table.blocks.resize(block as usize + 1, number as u32);
        }
        table.blocks.push(table.addresses.len() as u32);
        table
    }

    pub fn get(&self, address: u64) -> Option<&AtAddress> {
        let last = self.last.get();
        let is_it = |&number: &usize| self.addresses.get(number) == Some(&address);
        let near = [last, last + 1].into_iter().find(is_it);
        let number = near.or_else(|| self.find(address))?;
        self.last.set(number);
        Some(&self.found[number])
    }

    fn find(&self, address: u64) -> Option<usize> {
        let block = (address.checked_sub(*self.addresses.first()?)? >> self.block_bits) as usize;
        let (start, end) =
            (*self.blocks.get(block)? as usize, *self.blocks.get(block + 1)? as usize);
        let at = self.addresses[start..end].binary_search(&address).ok()?;
        Some(start + at)
    }

    pub fn values(&self) -> impl Iterator<Item = &AtAddress> {
        self.found.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_in_any_order() {
        let at = |line| AtAddress { instance: None, host: None, file: None, line };
        let table = AddressTable::new((1..=5).map(|number| (u64::from(number) * 4, at(number))));
        let line = |address| table.get(address).map(|at| at.line);
        for (address, expected) in [
            (4, Some(1)),
            (8, Some(2)),
            (8, Some(2)),
            (20, Some(5)),
            (24, None),
            (12, Some(3)),
            (6, None),
            (16, Some(4)),
            (0, None),
        ] {
            assert_eq!(line(address), expected, "{address}");
        }
        assert_eq!(AddressTable::default().get(4).map(|at| at.line), None);
    }

    #[test]
    fn addresses_may_be_far_from_each_other() {
        let at = |line| AtAddress { instance: None, host: None, file: None, line };
        for addresses in
            [&[][..], &[7], &[0, u64::MAX], &[0, 1, 2, 1 << 40], &[5, 1 << 63, u64::MAX]]
        {
            let table = AddressTable::new((1..).zip(addresses).map(|(line, &of)| (of, at(line))));
            for (line, &address) in (1..).zip(addresses) {
                assert_eq!(table.get(address).map(|at| at.line), Some(line), "{addresses:?}");
            }
            for address in [3, 6, 8, 1 << 39, (1 << 40) + 1, u64::MAX - 1] {
                assert!(table.get(address).is_none(), "{addresses:?} {address}");
            }
        }
    }
}
