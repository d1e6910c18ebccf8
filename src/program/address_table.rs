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
    /// The number of the address that was found last.
    last: Cell<usize>,
}

impl AddressTable {
    /// A table of different addresses, which are sorted.
    pub fn new(found: impl Iterator<Item = (u64, AtAddress)>) -> AddressTable {
        let (addresses, found) = found.unzip();
        AddressTable { addresses, found, last: Cell::new(0) }
    }

    pub fn get(&self, address: u64) -> Option<&AtAddress> {
        let last = self.last.get();
        let is_it = |&number: &usize| self.addresses.get(number) == Some(&address);
        let near = [last, last + 1].into_iter().find(is_it);
        let number = near.or_else(|| self.addresses.binary_search(&address).ok())?;
        self.last.set(number);
        Some(&self.found[number])
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
}
