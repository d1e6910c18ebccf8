//! The program that was profiled: an ELF file, its symbols, and the source lines of its addresses.
//!
//! Independent of profiles. [`symbols`] has gprof's rules for symbols, `object_map` the objects
//! that they are defined in, and `sections` reads the debug information. `units` finds the
//! compilation unit of an address, `line_table` the source line there, and `unit_code` the
//! functions, also those that are inlined. `functions` has the symbols of all functions. `inlines`
//! says which functions are inlined, `scopes` where they were declared.

mod address_table;
mod calls;
mod functions;
mod inlines;
mod line_table;
mod object_map;
mod ranges;
mod scopes;
mod sections;
pub mod symbols;
mod unit_code;
mod units;
mod votes;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use object::read::ReadCache;
use object::{BinaryFormat, Object};
use thiserror::Error;

pub use address_table::AddressTable;
pub use calls::DirectCall;
pub use functions::FunctionSymbol;
pub use inlines::{InlinedFunction, Inlines, Instance, Statement, Statements};
pub use object_map::ObjectMap;
use sections::MAX_UNPACKED_RATIO;
pub use sections::{AddressRange, DebugSections, Lines};
#[cfg(test)]
pub use symbols::Symbol;
pub use symbols::{SymbolRules, Symbols};
use unit_code::MAX_NESTED;
pub use votes::{Votes, winners};

const MAGIC: &[u8] = b"\x7fELF";

/// How a program stores numbers, which its profiles have in the same form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberLayout {
    /// Whether an address has 8 bytes; 4 otherwise.
    pub is_wide: bool,
    pub is_big_endian: bool,
}

/// An executable file; only the needed parts are read.
pub struct Program {
    cache: ReadCache<File>,
    pub layout: NumberLayout,
    /// A file with the debug information of a stripped program.
    debug: Option<ReadCache<File>>,
}

type Cache = ReadCache<File>;

type Elf<'p> = object::File<'p, &'p Cache>;

impl Program {
    pub fn open(path: &Path) -> Result<Program, ProgramError> {
        let mut magic = Vec::new();
        File::open(path)?.take(16).read_to_end(&mut magic)?;
        if !magic.starts_with(MAGIC) {
            let name = format_name(&magic);
            return Err(name.map_or(ProgramError::UnknownFormat, ProgramError::Format));
        }
        let cache = ReadCache::new(File::open(path)?);
        let elf = parse(&cache)?;
        let layout = NumberLayout { is_wide: elf.is_64(), is_big_endian: !elf.is_little_endian() };
        let debug = sections::by_build_id(&elf).or_else(|| sections::by_link(&elf, path));
        Ok(Program { cache, layout, debug })
    }

    pub fn symbols(&self, rules: &SymbolRules<'_>) -> Result<Symbols, ProgramError> {
        let caches = [Some(&self.cache), self.debug.as_ref()];
        for cache in caches.into_iter().flatten() {
            let symbols = match parse(cache)? {
                Elf::Elf32(file) => symbols::read(&file, rules)?,
                Elf::Elf64(file) => symbols::read(&file, rules)?,
                _ => None,
            };
            if let Some(symbols) = symbols {
                return Ok(symbols);
            }
        }
        Err(ProgramError::NoSymbols)
    }

    /// The debug information, unpacked.
    pub fn debug_sections(&self) -> Result<DebugSections<'_>, ProgramError> {
        let is_big_endian = self.layout.is_big_endian;
        let own = DebugSections::new(&parse(&self.cache)?, is_big_endian)?;
        match &self.debug {
            Some(debug) if own.is_empty() => DebugSections::new(&parse(debug)?, is_big_endian),
            _ => Ok(own),
        }
    }
}

/// Whether a file is an ELF file. Pipes are not opened, because the bytes read here would be lost.
pub fn is_program(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let mut magic = [0; MAGIC.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && magic == MAGIC
}

fn parse(cache: &ReadCache<File>) -> Result<Elf<'_>, ProgramError> {
    let elf = Elf::parse(cache)?;
    match elf.format() {
        BinaryFormat::Elf => Ok(elf),
        _ => Err(ProgramError::UnknownFormat),
    }
}

/// The name of an unsupported file format, by the first bytes of a file.
fn format_name(magic: &[u8]) -> Option<&'static str> {
    match magic {
        [b'M', b'Z', ..] => Some("a PE file"),
        [0x4c, 0x01, ..] | [0x64, 0x86, ..] => Some("a COFF file"),
        [0xfe, 0xed, 0xfa, 0xce | 0xcf, ..]
        | [0xce | 0xcf, 0xfa, 0xed, 0xfe, ..]
        | [0xca, 0xfe, 0xba, 0xbe, ..] => Some("a Mach-O file"),
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', ..] => Some("an archive"),
        _ => None,
    }
}

#[derive(Debug, Error)]
pub enum ProgramError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{0}; only ELF programs are read")]
    Format(&'static str),
    #[error("not an ELF program")]
    UnknownFormat,
    #[error("damaged ELF file: {0}")]
    Damaged(String),
    #[error("the program has no symbols of functions; was it stripped?")]
    NoSymbols,
    #[error("functions are nested more than {MAX_NESTED} deep")]
    TooDeep,
    #[error(
        "its debug information would be unpacked to more than {MAX_UNPACKED_RATIO} times the size of the file"
    )]
    TooLarge,
    #[error("line {0} is not 'address type name'")]
    SymbolList(usize),
}

impl From<object::Error> for ProgramError {
    fn from(error: object::Error) -> ProgramError {
        ProgramError::Damaged(error.to_string())
    }
}

impl From<gimli::Error> for ProgramError {
    fn from(error: gimli::Error) -> ProgramError {
        ProgramError::Damaged(error.to_string())
    }
}
