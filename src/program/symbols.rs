//! The symbols of a program that gprof takes as functions; each extends to the next one.

use std::fs::File;
use std::sync::LazyLock;

use object::read::ReadCache;
use object::read::elf::{ElfFile, FileHeader, SectionHeader, Sym};
use object::{Endianness, SectionIndex, SymbolIndex, elf};
use regex::bytes::Regex;

use crate::program::{ObjectMap, ProgramError};

type ObjectData<'p> = &'p ReadCache<File>;

/// Which symbols of a program are functions of a report.
#[derive(Clone, Copy, Debug, Default)]
pub struct SymbolRules<'l> {
    /// Whether local functions belong to the symbol before them.
    pub omits_locals: bool,
    /// Whether local symbols count only if marked as functions.
    pub only_functions: bool,
    /// Whether to leave out the local names that gprof leaves out, even if marked as functions.
    pub as_gprof: bool,
    /// Of several symbols of an address the first one in the program's table is kept that is marked
    /// as a function. gprof names by it code of which the debug information says no function.
    pub keeps_first: bool,
    /// Lines `address type name` that replace the program's symbols.
    pub list: Option<&'l [u8]>,
    /// The objects after which the program's functions are named.
    pub objects: Option<&'l ObjectMap>,
}

impl SymbolRules<'_> {
    /// Whether a local symbol counts; its name is at the start of `from_name`.
    fn has_local(&self, from_name: &[u8], is_function: bool) -> bool {
        let is_left_out = self.omits_locals || self.only_functions && !is_function;
        !is_left_out && (is_local_function(from_name) || is_function && !self.as_gprof)
    }
}

/// A symbol in the code of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub address: u64,
    /// The size in bytes that the program states, or 0; code up to the next symbol counts as part
    /// of it too.
    pub size: u64,
    /// The name in the program, possibly mangled.
    pub name: Box<[u8]>,
    pub is_local: bool,
    pub is_function: bool,
    /// The number among [`Symbols::objects`] of the object after which it is named.
    pub object: Option<u32>,
}

/// All symbols in order of address, one per address.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    pub list: Vec<Symbol>,
    /// The end of the last symbol.
    pub end: u64,
    /// The start of the first code section.
    pub code_start: u64,
    pub code_end: u64,
    /// The range of the program's code that the C library profiles, if symbols define it.
    pub code: Option<(u64, u64)>,
    /// By symbol read, in the order of the program's table, the number of the symbol kept for its
    /// address.
    pub first_seen: Vec<u32>,
    /// The names of the objects of the map after which functions are named, in its order.
    pub objects: Vec<Box<[u8]>>,
}

impl Symbols {
    /// Sorts symbols and keeps one per address: global ones first, then those marked as functions,
    /// then those with fewer leading underscores, then the earlier one. With `keeps_first` only the
    /// mark comes before the order.
    fn new(
        mut list: Vec<Symbol>,
        keeps_first: bool,
        sections: &[(u64, u64)],
        code: Option<(u64, u64)>,
    ) -> Symbols {
        let underscores = |symbol: &Symbol| {
            let first = symbol.name.iter().take(2);
            first.take_while(|&&b| b == b'_').count()
        };
        let read: Vec<u64> = list.iter().map(|symbol| symbol.address).collect();
        list.sort_by_key(|symbol| {
            let is_other = if keeps_first {
                (false, !symbol.is_function, 0)
            } else {
                (symbol.is_local, !symbol.is_function, underscores(symbol))
            };
            (symbol.address, is_other)
        });
        list.dedup_by_key(|symbol| symbol.address);
        let kept = |address| list.partition_point(|symbol| symbol.address < address) as u32;
        let first_seen = read.into_iter().map(kept).collect();
        let last = list.last().map_or(0, |symbol| symbol.address);
        let end = end_of_section(last, sections);
        let code_start = sections.iter().map(|section| section.0).min();
        let code_end = sections.iter().map(|section| section.1).max();
        Symbols {
            list,
            end,
            code_start: code_start.unwrap_or(end),
            code_end: code_end.unwrap_or(end),
            code,
            first_seen,
            objects: Vec::new(),
        }
    }

    /// The number of the symbol that contains an address; a symbol ends at the start of the next
    /// one.
    pub fn find(&self, address: u64) -> Option<usize> {
        let starts_before = |symbol: &Symbol| symbol.address <= address;
        let symbol = self.list.partition_point(starts_before).checked_sub(1)?;
        let next = self.list.get(symbol + 1);
        (address < next.map_or(self.end, |next| next.address)).then_some(symbol)
    }
}

/// Reads the symbols of an ELF file; none if no symbol counts.
pub(super) fn read<'p, Elf: FileHeader<Endian = Endianness>>(
    file: &ElfFile<'p, Elf, ObjectData<'p>>,
    rules: &SymbolRules<'_>,
) -> Result<Option<Symbols>, ProgramError> {
    let sections = code_sections(file);
    let ranges: Vec<(u64, u64)> = sections.iter().copied().flatten().collect();
    let objects: Vec<Box<[u8]>> =
        rules.objects.iter().flat_map(|map| map.names()).map(Box::from).collect();
    if let Some(list) = rules.list {
        let list = listed(list)?;
        let is_any = !list.is_empty();
        return Ok(is_any.then(|| Symbols { objects, ..Symbols::new(list, false, &ranges, None) }));
    }
    let DefinedSymbols { list, code, last_joined } =
        DefinedSymbols::read(file, rules, &sections, &objects)?;
    if list.is_empty() {
        return Ok(None);
    }
    let mut symbols = Symbols::new(list, rules.keeps_first, &ranges, code);
    // The code of functions that belong to the last symbol extends it.
    symbols.end = symbols.end.max(end_of_section(last_joined, &ranges));
    symbols.objects = objects;
    Ok(Some(symbols))
}

/// What counts of the symbols that an ELF file defines.
struct DefinedSymbols {
    list: Vec<Symbol>,
    /// Where the code begins and ends, if symbols say it.
    code: Option<(u64, u64)>,
    /// The last address of a function that belongs to the symbol before it.
    last_joined: u64,
}

impl DefinedSymbols {
    fn read<'p, Elf: FileHeader<Endian = Endianness>>(
        file: &ElfFile<'p, Elf, ObjectData<'p>>,
        rules: &SymbolRules<'_>,
        sections: &[Option<(u64, u64)>],
        objects: &[Box<[u8]>],
    ) -> Result<DefinedSymbols, ProgramError> {
        let endian = file.endian();
        let is_arm = file.elf_header().e_machine(endian) == elf::EM_ARM;
        let table = file.elf_symbol_table();
        let strings = strings(file)?;
        let (mut list, mut start, mut end) = (Vec::new(), None, None);
        let mut last_joined = 0;
        for (number, symbol) in table.iter().enumerate().skip(1) {
            let section = table.symbol_section(endian, symbol, SymbolIndex(number))?;
            let is_code = |section: SectionIndex| matches!(sections.get(section.0), Some(Some(_)));
            let from_name = strings.get(symbol.st_name(endian) as usize..).unwrap_or_default();
            let name = from_name.split(|&b| b == 0).next().unwrap_or_default();
            let mut address: u64 = symbol.st_value(endian).into();
            match name {
                b"__executable_start" => start = Some(address),
                b"etext" => end = Some(address),
                _ => {}
            }
            let is_function = symbol.st_type() == elf::STT_FUNC;
            let Some(is_local) = is_local(symbol, endian, section.is_some_and(is_code)) else {
                continue;
            };
            if is_local && !rules.has_local(from_name, is_function) {
                continue;
            }
            if is_arm && is_function {
                // The lowest bit marks Thumb code.
                address &= !1;
            }
            let mapped = rules.objects.and_then(|objects| objects.find(name));
            if mapped.is_some_and(|line| line.continues) {
                last_joined = last_joined.max(address);
                continue;
            }
            let object = mapped.map(|line| line.object);
            list.push(Symbol {
                address,
                size: symbol.st_size(endian).into(),
                name: object.map_or(name.into(), |object| objects[object as usize].clone()),
                is_local,
                is_function,
                object,
            });
        }
        Ok(DefinedSymbols { list, code: start.zip(end), last_joined })
    }
}

/// The end of the section in which an address is; the address if it is in none.
fn end_of_section(address: u64, sections: &[(u64, u64)]) -> u64 {
    let mut sections = sections.iter();
    let section = sections.find(|(start, end)| (*start..*end).contains(&address));
    section.map_or(address, |section| section.1)
}

/// The string table of the symbols' names.
fn strings<'p, Elf: FileHeader<Endian = Endianness>>(
    file: &ElfFile<'p, Elf, ObjectData<'p>>,
) -> Result<&'p [u8], ProgramError> {
    let index = file.elf_symbol_table().string_section();
    if index.0 == 0 {
        return Ok(&[]);
    }
    let section = file.elf_section_table().section(index)?;
    Ok(section.data(file.endian(), file.data())?)
}

/// Whether a symbol is local; none if `nm` would report neither a code symbol nor a weak symbol
/// that is not a variable.
fn is_local<S: Sym<Endian = Endianness>>(
    symbol: &S,
    endian: Endianness,
    is_code: bool,
) -> Option<bool> {
    let kind = symbol.st_type();
    let is_undefined = symbol.st_shndx(endian) == elf::SHN_UNDEF;
    let is_name_only = kind == elf::STT_SECTION || kind == elf::STT_FILE;
    if is_undefined || is_name_only || kind == elf::STT_GNU_IFUNC {
        return None;
    }
    let is_variable = kind == elf::STT_OBJECT || kind == elf::STT_COMMON;
    match symbol.st_bind() {
        elf::STB_WEAK if !is_variable => Some(false),
        elf::STB_GLOBAL if is_code => Some(false),
        elf::STB_LOCAL if is_code => Some(true),
        _ => None,
    }
}

/// By section number the address range, if the section holds code.
fn code_sections<'p, Elf: FileHeader<Endian = Endianness>>(
    file: &ElfFile<'p, Elf, ObjectData<'p>>,
) -> Vec<Option<(u64, u64)>> {
    let (endian, table) = (file.endian(), file.elf_section_table());
    let range = |header: &Elf::SectionHeader| {
        let name = table.section_name(endian, header).unwrap_or_default();
        let flags = header.sh_flags(endian);
        let start: u64 = header.sh_addr(endian).into();
        let end = start.saturating_add(header.sh_size(endian).into());
        is_code(name, flags.contains(elf::SHF_EXECINSTR)).then_some((start, end))
    };
    table.iter().map(range).collect()
}

/// Whether a section holds code, by `nm`'s rules: some names decide regardless of flags.
fn is_code(name: &[u8], is_executable: bool) -> bool {
    let begins = |prefix: &&[u8]| {
        let next = name.strip_prefix(*prefix).map(|rest| rest.first());
        next.is_some_and(|next| next.is_none_or(|b| b".$0123456789".contains(b)))
    };
    let code: [&[u8]; 4] = [b".text", b".init", b".fini", b"code"];
    let data = b".bss .data .rdata .rodata .sbss .scommon .sdata .debug .pdata .idata .edata vars zerovars";
    let mut data = data.split(|&byte| byte == b' ');
    code.iter().any(begins) || is_executable && !data.any(|prefix| begins(&prefix))
}

/// Parses lines `address type name`, as `nm` prints them. Functions have type T or t; undefined
/// symbols have no address.
fn listed(text: &[u8]) -> Result<Vec<Symbol>, ProgramError> {
    let mut list = Vec::new();
    for (number, line) in (1..).zip(text.split(|&b| b == b'\n')) {
        let words: Vec<&[u8]> =
            line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
        let (address, kind, name) = match words[..] {
            [] | [[_], _] => continue,
            [address, kind, name, ..] => (address, kind, name),
            _ => return Err(ProgramError::SymbolList(number)),
        };
        let address = std::str::from_utf8(address).unwrap_or_default();
        let digits = address.trim_start_matches("0x");
        let address =
            u64::from_str_radix(digits, 16).map_err(|_| ProgramError::SymbolList(number))?;
        if kind == b"T" || kind == b"t" {
            list.push(Symbol {
                address,
                size: 0,
                name: name.into(),
                is_local: kind == b"t",
                is_function: true,
                object: None,
            });
        }
    }
    Ok(list)
}

/// A string table from the name of a local symbol on that gprof takes as a function: the name has
/// no `.` and `$`, but for suffixes `.DIGITS`, `.clone.DIGITS` and `.constprop.DIGITS`, of which
/// the last may be a dot alone. If a name ends with a suffix, gprof reads on in the next string,
/// and so does this.
static LOCAL_FUNCTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let name = r"[^.$\x00]*(?:\.(?:(?:clone|constprop)\.)?[0-9]+)*\.?";
    let strings = format!(r"(?-u)\A(?:{name}\x00)*(?:[^.$\x00]*\x00|{name}\z)");
    Regex::new(&strings).ok()
});

/// Whether gprof takes a local symbol as a function; `strings` is the string table from its name
/// on.
fn is_local_function(strings: &[u8]) -> bool {
    let is_of_compiler = |prefix: &&[u8]| strings.starts_with(prefix);
    let prefixes: [&[u8]; 2] = [b"__gnu_compiled", b"___gnu_compiled"];
    let is_function = |names: &Regex| names.is_match(strings);
    LOCAL_FUNCTION.as_ref().is_some_and(is_function) && !prefixes.iter().any(is_of_compiler)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_symbol_of_several_at_an_address() {
        // Names in the order of the table: local ones have a `t` before them, others a `T`, or an
        // `L` if they are not marked as functions. Which one is kept, and which one if the first
        // function is.
        let table = [
            ("Ta Tb", "a", "a"),
            ("tb Ta", "a", "b"),
            ("La Tb", "b", "b"),
            ("T__c T_b Ta", "a", "__c"),
            ("T_b La", "_b", "_b"),
            ("La L_b", "a", "a"),
        ];
        for (names, kept, first) in table {
            let list: Vec<Symbol> = names
                .split(' ')
                .map(|text| Symbol {
                    address: 16,
                    size: 0,
                    name: text.as_bytes()[1..].into(),
                    is_local: text.starts_with('t'),
                    is_function: !text.starts_with('L'),
                    object: None,
                })
                .collect();
            for (keeps_first, expected) in [(false, kept), (true, first)] {
                let symbols = Symbols::new(list.clone(), keeps_first, &[], None);
                assert_eq!(symbols.list.len(), 1);
                assert_eq!(*symbols.list[0].name, *expected.as_bytes(), "{names}");
            }
        }
    }

    #[test]
    fn names_of_local_functions() {
        // What follows in the table of strings decides too.
        let local = b"f f\0$ f.1234 f.1\0next f.1.2 f.clone.0 f.clone.0.constprop.1 f.constprop.0 f.constprop.0\0zed";
        let others =
            b"f.part.0 f.cold f.isra.0 f.lto_priv.0 f..1 f.clone. $t a$b __gnu_compiled_c \
            f.constprop.0\0crtstuff.c f.1\0g.2\0h.c";
        for (names, expected) in [(&local[..], true), (others, false)] {
            for strings in names.split(|&byte| byte == b' ') {
                let text = strings.escape_ascii();
                assert_eq!(is_local_function(strings), expected, "{text}");
            }
        }
    }

    #[test]
    fn symbols_that_gprof_takes_as_functions() {
        let is_local_of = |bind, kind, section, is_code| {
            let mut symbol = elf::Sym64::<Endianness>::default();
            symbol.set_st_info(bind, kind);
            symbol.st_shndx.set(Endianness::Little, section);
            is_local(&symbol, Endianness::Little, is_code)
        };
        let (code, undefined) = (elf::SymbolSection(1), elf::SHN_UNDEF);
        for (bind, kind, section, is_code, expected) in [
            (elf::STB_GLOBAL, elf::STT_FUNC, code, true, Some(false)),
            (elf::STB_GLOBAL, elf::STT_FUNC, undefined, true, None),
            (elf::STB_GLOBAL, elf::STT_OBJECT, code, false, None),
            (elf::STB_LOCAL, elf::STT_NOTYPE, code, true, Some(true)),
            (elf::STB_LOCAL, elf::STT_SECTION, code, true, None),
            (elf::STB_LOCAL, elf::STT_FILE, code, true, None),
            (elf::STB_GLOBAL, elf::STT_GNU_IFUNC, code, true, None),
            // A weak function wherever it is, and no weak variable.
            (elf::STB_WEAK, elf::STT_FUNC, code, false, Some(false)),
            (elf::STB_WEAK, elf::STT_OBJECT, code, false, None),
            (elf::STB_WEAK, elf::STT_COMMON, code, true, None),
        ] {
            let found = is_local_of(bind, kind, section, is_code);
            assert_eq!(found, expected, "{bind:?} {kind:?} {section:?} {is_code}");
        }
    }

    #[test]
    fn sections_with_code_are_those_of_nm() {
        // Some names decide, whatever the flags say; of others the flags do.
        let table: [(&[u8], bool, bool); 7] = [
            (b".text", false, true),
            (b".text.hot", false, true),
            (b".textual", false, false),
            (b".plt", true, true),
            (b".plt", false, false),
            (b".data", true, false),
            (b".rodata.cst8", true, false),
        ];
        for (name, is_executable, expected) in table {
            let found = is_code(name, is_executable);
            assert_eq!(found, expected, "{} {is_executable}", String::from_utf8_lossy(name));
        }
    }
}
