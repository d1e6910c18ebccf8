//! The functions that were inlined at the addresses of an object.

use hashbrown::HashMap;

/// Inlined functions by address, the innermost first.
#[derive(Debug, Default)]
pub struct InlinedNames {
    of: HashMap<u64, Vec<Vec<u8>>>,
}

impl InlinedNames {
    /// Those of some addresses.
    pub fn new(names: impl Iterator<Item = (u64, Vec<Vec<u8>>)>) -> InlinedNames {
        InlinedNames {
            of: names.filter(|(_, names)| !names.is_empty()).collect(),
        }
    }

    /// Those at an address.
    pub fn at(&self, address: u64) -> &[Vec<u8>] {
        self.of.get(&address).map_or(&[], Vec::as_slice)
    }
}
