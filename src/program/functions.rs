//! All symbols of functions in an ELF file, also those that share an address.

use object::{Object, ObjectSymbol, SymbolKind};

use super::{Elf, Program, ProgramError, parse};

/// A symbol of a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FunctionSymbol {
    pub address: u64,
    /// The size in bytes that the program states, or 0.
    pub size: u64,
    /// The name, possibly mangled, without a version (`@@GLIBC_2.34`).
    pub name: Box<[u8]>,
}

impl Program {
    /// The symbols of functions in all tables of the program, and of the file with its debug
    /// information, in order of address.
    pub fn functions(&self) -> Result<Vec<FunctionSymbol>, ProgramError> {
        let mut functions = Vec::new();
        for cache in [Some(&self.cache), self.debug.as_ref()].into_iter().flatten() {
            add(&parse(cache)?, &mut functions);
        }
        functions.sort_unstable();
        functions.dedup();
        Ok(functions)
    }
}

fn add(elf: &Elf<'_>, functions: &mut Vec<FunctionSymbol>) {
    for symbol in elf.symbols().chain(elf.dynamic_symbols()) {
        let is_here = symbol.is_definition() && symbol.kind() == SymbolKind::Text;
        let Ok(name) = symbol.name_bytes() else { continue };
        let without_version = name.split(|&byte| byte == b'@').next().unwrap_or_default();
        if is_here && !without_version.is_empty() {
            functions.push(FunctionSymbol {
                address: symbol.address(),
                size: symbol.size(),
                name: without_version.into(),
            });
        }
    }
}
