//! The functions that were inlined at the addresses of an object, from its debug information.

use std::path::Path;

use hashbrown::HashMap;

use crate::demangle::demangle;
use crate::program::{Program, ProgramError};

/// Inlined functions by address, the innermost first.
#[derive(Debug, Default)]
pub struct InlinedNames {
    of: HashMap<u64, Vec<Vec<u8>>>,
}

impl InlinedNames {
    /// Those at some addresses of an object.
    ///
    /// # Errors
    /// [`ProgramError`] if the object is not readable.
    pub fn read(
        object: &Path,
        addresses: &[u64],
        demangles: bool,
    ) -> Result<InlinedNames, ProgramError> {
        let program = Program::open(object)?;
        let sections = program.debug_sections()?;
        let lines = sections.lines()?;
        let readable = |name: String| match demangles {
            true => demangle(name.as_bytes()).into_owned(),
            false => name.into_bytes(),
        };
        let mut names = InlinedNames::default();
        for &address in addresses {
            let inlined: Vec<_> = lines.inlined(address).into_iter().map(readable).collect();
            if !inlined.is_empty() {
                names.of.insert(address, inlined);
            }
        }
        Ok(names)
    }

    /// Those at an address.
    pub fn at(&self, address: u64) -> &[Vec<u8>] {
        self.of.get(&address).map_or(&[], Vec::as_slice)
    }
}
