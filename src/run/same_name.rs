//! Several functions of a program that have one name in the profile: instances of a generic
//! function of Rust, whose names differ in their hashes alone.

use std::collections::BTreeMap;

use memchr::memmem::Finder;

use super::Context;
use super::message::display_name;
use crate::demangle::displayed;
use crate::profile::recursion_level;
use crate::program::{FunctionSymbol, Program};
use crate::source::{self, basename};
use crate::view::{List, RowBy, Rows};

/// The maximum number of functions whose addresses are named.
const MAX_TOLD: usize = 4;

impl Context<'_> {
    /// Of one listed function, that its object has several functions of its name.
    pub(super) fn hint_at_same_name(&self, list: &List, rows: &Rows<'_>) -> Option<String> {
        let is_of_program = rows.row_by == RowBy::Function && self.profile.is_from_callgrind();
        let [item] = list.items[..] else { return None };
        let id = rows.first_function(item).filter(|_| is_of_program)?;
        let function = self.profile.function(id);
        let name = self.profile.name(function.name);
        if self.profile.is_difference() || recursion_level(name) > 1 {
            return None;
        }
        let name = self.profile.name_kind().without_suffixes(name);
        let object = self.profile.object(function.object);
        let found = self.input.finder.find_object(object)?;
        let program = Program::open(&source::path(&found.path)).ok()?;
        let symbols = program.functions().ok()?;
        let addresses = addresses_of(name, &symbols);
        if addresses.len() < 2 {
            return None;
        }
        let told: Vec<String> =
            addresses.iter().take(MAX_TOLD).map(|address| format!("{address:#x}")).collect();
        let more = if addresses.len() > MAX_TOLD { ", ..." } else { "" };
        let apart = if self.input.has_addresses {
            "-g instruction and --asm tell them apart"
        } else {
            "recorded with --dump-instr=yes, -g instruction and --asm tell them apart"
        };
        Some(format!(
            "{} has {} functions of this name ({}{more}), which are one row; {apart}",
            display_name(basename(object)),
            addresses.len(),
            told.join(", ")
        ))
    }
}

/// The addresses of functions that have this name when demangled, but not in the program, where
/// their names differ. The parts into which a compiler splits a function are no functions.
fn addresses_of(name: &[u8], symbols: &[FunctionSymbol]) -> Vec<u64> {
    let mut addresses_by_symbol: BTreeMap<&[u8], u64> = BTreeMap::new();
    // Few symbols have it, and most of a large library need not be demangled.
    let identifier = Finder::new(identifier_of(name));
    for symbol in symbols.iter().filter(|symbol| identifier.find(&symbol.name).is_some()) {
        let is_part = memchr::memmem::find(&symbol.name, b".cold").is_some();
        if !is_part && *symbol.name != *name && *displayed(&symbol.name, true) == *name {
            addresses_by_symbol.entry(&symbol.name).or_insert(symbol.address);
        }
    }
    let mut addresses: Vec<u64> = addresses_by_symbol.into_values().collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

/// The last identifier of a path, which mangled names have, too; those of closures may not.
fn identifier_of(name: &[u8]) -> &[u8] {
    let is_of_identifier = |&byte: &u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut components = name.rsplit(|&byte| byte == b':');
    let starts_identifier = |of: &&[u8]| of.first().is_some_and(is_of_identifier);
    let named = components.find(starts_identifier).unwrap_or_default();
    &named[..named.iter().take_while(|byte| is_of_identifier(byte)).count()]
}

#[cfg(test)]
mod tests {
    use super::{addresses_of, identifier_of};
    use crate::program::FunctionSymbol;

    #[test]
    fn last_identifiers_of_paths() {
        for (name, expected) in [
            ("rq::biggest", "biggest"),
            ("<rq::A as rq::B<u8>>::of", "of"),
            ("Foo::Foo(int)", "Foo"),
            ("rq::run::{{closure}}", "run"),
            ("<u8>", ""),
        ] {
            assert_eq!(identifier_of(name.as_bytes()), expected.as_bytes(), "{name}");
        }
    }

    #[test]
    fn functions_whose_symbols_differ_in_what_a_demangler_drops() {
        let symbol = |address, name: &str| FunctionSymbol {
            address,
            size: 16,
            name: name.as_bytes().into(),
        };
        let of_hash = |digit: &str| format!("_ZN2rq7biggest17h{}E", digit.repeat(16));
        let symbols = [
            symbol(0x40, &of_hash("1")),
            symbol(0x20, &of_hash("2")),
            symbol(0x60, &format!("{}.cold", of_hash("1"))),
            // A name for the same code, and static functions of two files.
            symbol(0x40, &of_hash("3")),
            symbol(0x80, "_ZL4sizev"),
            symbol(0xa0, "_ZL4sizev"),
            symbol(0xc0, "main"),
        ];
        assert_eq!(addresses_of(b"rq::biggest", &symbols), [0x20, 0x40]);
        assert_eq!(addresses_of(b"size()", &symbols), [0x80]);
        assert!(addresses_of(b"main", &symbols).is_empty());
    }
}
