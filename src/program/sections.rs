//! The decompressed debug sections of a program, and the separate file that has them if the program
//! was stripped.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use addr2line::{Context, LookupResult};
use gimli::{
    AbbreviationsCacheStrategy, DebuggingInformationEntry, DwAt, DwLang, EndianSlice,
    RunTimeEndian, Section, SectionId, UnitRef,
};
use object::read::{ReadCache, ReadRef};
use object::{CompressionFormat, Object, ObjectSection};

use crate::program::ranges::{Dwarf, Slice};
use crate::program::units::Units;
use crate::program::{Elf, ProgramError};

pub(super) type DwarfEntry<'s> = DebuggingInformationEntry<Slice<'s>>;

/// The folder in which distributions install debug information.
const DEBUG_FOLDER: &str = "/usr/lib/debug";

/// The maximum number of bytes of all unpacked sections of a file by the number of its bytes:
/// compressed debug information is unpacked to five times its size.
pub(super) const MAX_UNPACKED_RATIO: u64 = 32;

/// The maximum number of bytes of all unpacked sections of a file.
const MAX_UNPACKED: u64 = 4 << 30;

/// The sections of a program's debug information, unpacked.
pub struct DebugSections<'p> {
    sections: gimli::DwarfSections<Cow<'p, [u8]>>,
    endian: RunTimeEndian,
}

impl<'p> DebugSections<'p> {
    pub(super) fn new(elf: &Elf<'p>, is_big_endian: bool) -> Result<Self, ProgramError> {
        let size = match elf {
            Elf::Elf32(file) => file.data().len(),
            Elf::Elf64(file) => file.data().len(),
            _ => Ok(0),
        };
        let size = size.unwrap_or(0);
        let mut left = size.saturating_mul(MAX_UNPACKED_RATIO).min(MAX_UNPACKED);
        Ok(DebugSections {
            sections: gimli::DwarfSections::load(|id| load(elf, id, &mut left))?,
            endian: if is_big_endian { RunTimeEndian::Big } else { RunTimeEndian::Little },
        })
    }

    pub fn is_empty(&self) -> bool {
        let dwarf = self.dwarf();
        dwarf.debug_info.reader().is_empty() && dwarf.debug_line.reader().is_empty()
    }

    /// Whether a name is in the debug information, of whatever it may be.
    pub fn has_name(&self, name: &[u8]) -> bool {
        let whole = [name, b"\0"].concat();
        let dwarf = self.dwarf();
        let sections = [dwarf.debug_str.reader(), dwarf.debug_info.reader()];
        sections.into_iter().any(|section| {
            let mut found = memchr::memmem::find_iter(section.slice(), &whole);
            found.any(|at| at == 0 || !section.slice()[at - 1].is_ascii_alphanumeric())
        })
    }

    pub fn lines(&self) -> Result<Lines<'_>, ProgramError> {
        // addr2line reads all units.
        let dwarf = Arc::new(self.dwarf_for(AbbreviationsCacheStrategy::All));
        Ok(Lines {
            context: Context::from_arc_dwarf(Arc::clone(&dwarf))?,
            dwarf,
            is_damaged: Cell::new(false),
            units: OnceCell::new(),
        })
    }

    /// The sections, with the abbreviations of units that are read anyway, or that have the same.
    pub(super) fn dwarf_for(&self, strategy: AbbreviationsCacheStrategy) -> Dwarf<'_> {
        let mut dwarf = self.dwarf();
        dwarf.populate_abbreviations_cache(strategy);
        dwarf
    }

    fn dwarf(&self) -> Dwarf<'_> {
        self.sections.borrow(|section| EndianSlice::new(section, self.endian))
    }
}

/// Sections that are not read: where variables are, and macros. In optimized code the former are a
/// sixth to a fifth of the debug information.
const UNUSED: [SectionId; 4] =
    [SectionId::DebugLoc, SectionId::DebugLocLists, SectionId::DebugMacinfo, SectionId::DebugMacro];

/// A section's bytes; empty if there is no such section, or it is not used. `left` is how many
/// bytes all sections may still be unpacked to.
fn load<'p>(file: &Elf<'p>, id: SectionId, left: &mut u64) -> Result<Cow<'p, [u8]>, ProgramError> {
    let Some(section) = file.section_by_name(id.name()).filter(|_| !UNUSED.contains(&id)) else {
        return Ok(Cow::Borrowed(&[]));
    };
    let data = section.compressed_data()?;
    if data.format != CompressionFormat::None {
        let size = data.uncompressed_size;
        *left = left.checked_sub(size).ok_or(ProgramError::TooLarge)?;
    }
    Ok(data.decompress()?)
}

/// The file named after the build ID, if it exists.
pub(super) fn by_build_id(elf: &Elf<'_>) -> Option<ReadCache<File>> {
    let (first, rest) = elf.build_id().ok()??.split_first()?;
    let hex: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    let path = format!("{DEBUG_FOLDER}/.build-id/{first:02x}/{hex}.debug");
    Some(ReadCache::new(open_regular(Path::new(&path))?))
}

/// The file that `.gnu_debuglink` names, if it belongs to the program.
pub(super) fn by_link(elf: &Elf<'_>, program: &Path) -> Option<ReadCache<File>> {
    let (link, id) = (elf.gnu_debuglink().ok()??, elf.build_id().ok()?);
    let name = std::str::from_utf8(link.0).ok()?;
    // A path would lead to any file of this machine.
    if name.is_empty() || name.contains('/') {
        return None;
    }
    let folder = program.parent().unwrap_or(Path::new(""));
    let full = folder.canonicalize().unwrap_or_default();
    let of_system = PathBuf::from(DEBUG_FOLDER).join(full.strip_prefix("/").unwrap_or(&full));
    let folders = [folder.to_owned(), folder.join(".debug"), of_system];
    folders.into_iter().find_map(|folder| {
        let cache = ReadCache::new(open_regular(&folder.join(name))?);
        let is_same = super::parse(&cache).ok()?.build_id().ok()? == id;
        is_same.then_some(cache)
    })
}

/// Opens a file unless it is a pipe, which may never be written, or a device.
fn open_regular(path: &Path) -> Option<File> {
    path.is_file().then(|| File::open(path).ok())?
}

/// The lines and functions of a program's debug information, by address.
pub struct Lines<'s> {
    dwarf: Arc<Dwarf<'s>>,
    context: Context<Slice<'s>>,
    /// Whether some of it could not be read so far.
    pub is_damaged: Cell<bool>,
    units: OnceCell<Option<Units<'s>>>,
}

/// Addresses with one source line and function.
pub struct AddressRange<'l> {
    pub start: u64,
    /// The address after the last.
    pub end: u64,
    pub file: Option<&'l str>,
    /// The line, 0 if unknown.
    pub line: u32,
    /// The name of the innermost function, inlined or not.
    pub function: Option<String>,
}

impl<'s> Lines<'s> {
    /// The source file and line of an address; the line is 0 if unknown.
    pub fn find(&self, address: u64) -> Option<(&str, u32)> {
        let found = self.context.find_location(address);
        let location = found.inspect_err(|_| self.is_damaged.set(true)).ok()??;
        Some((location.file?, location.line.unwrap_or(0)))
    }

    /// Whether functions around an address are inlined into each other so deeply that addr2line
    /// must not read them; none if no unit has code there.
    fn is_too_deep(&self, address: u64) -> Option<bool> {
        let units = self.units.get_or_init(|| Units::new(&self.dwarf, false).ok());
        units.as_ref()?.is_too_deep(&self.dwarf, address)
    }

    /// The debug information's name of the innermost function at an address. For a function that is
    /// not inlined, it may be a name without parameters only; that is left to the symbols.
    fn function(&self, address: u64) -> Option<String> {
        if self.is_too_deep(address)? {
            self.is_damaged.set(true);
            return None;
        }
        let LookupResult::Output(frames) = self.context.find_frames(address) else {
            return None;
        };
        let mut frames = frames.inspect_err(|_| self.is_damaged.set(true)).ok()?;
        let inner = frames.next().ok()??.function;
        let is_inlined = matches!(frames.next(), Ok(Some(_)));
        // addr2line follows some entries to a name, no chain of them and no circle.
        if inner.is_none() && is_inlined {
            self.is_damaged.set(true);
        }
        let inner = inner?;
        let name = inner.raw_name().ok()?;
        let is_symbol = name.starts_with("_Z") || name.starts_with("_R");
        let is_whole = is_inlined || is_symbol || !is_mangled(inner.language);
        is_whole.then(|| name.into_owned())
    }

    /// Calls `put` for all rows between two addresses, in order.
    pub fn walk(&self, start: u64, end: u64, put: &mut dyn FnMut(AddressRange<'_>)) {
        let damaged = |_: &gimli::Error| self.is_damaged.set(true);
        let rows = self.context.find_location_range(start, end);
        let Ok(rows) = rows.inspect_err(damaged) else {
            return;
        };
        let mut edges = Vec::new();
        // Edges before the damage are still used.
        let _ = self.push_edges(&mut edges).inspect_err(damaged);
        edges.sort_unstable();
        edges.dedup();
        for (address, length, location) in rows {
            let (mut at, row_end) = (address.max(start), address.saturating_add(length).min(end));
            let mut inside = edges.partition_point(|&edge| edge <= at);
            // The code of an inlined function may begin or end within a row.
            while at < row_end {
                let edge = edges.get(inside).map_or(row_end, |&edge| edge.min(row_end));
                put(AddressRange {
                    start: at,
                    end: edge,
                    file: location.file,
                    line: location.line.unwrap_or(0),
                    function: self.function(at),
                });
                at = edge;
                inside += 1;
            }
        }
    }

    /// Collects the addresses at which code of a function, inlined or not, begins or ends.
    fn push_edges(&self, edges: &mut Vec<u64>) -> Result<(), gimli::Error> {
        let mut headers = self.dwarf.units();
        while let Some(header) = headers.next()? {
            let unit = self.dwarf.unit(header)?;
            let mut entries = unit.entries();
            while let Some(entry) = entries.next_dfs()? {
                let tag = entry.tag();
                if tag != gimli::DW_TAG_subprogram && tag != gimli::DW_TAG_inlined_subroutine {
                    continue;
                }
                let mut ranges = self.dwarf.die_ranges(&unit, entry)?;
                while let Some(range) = ranges.next()? {
                    edges.extend([range.begin, range.end]);
                }
            }
        }
        Ok(())
    }
}

/// The text of an entry's attribute.
pub(super) fn text<'s>(
    unit: UnitRef<'_, Slice<'s>>,
    entry: &DwarfEntry<'s>,
    name: DwAt,
) -> Option<String> {
    let text = unit.attr_string(entry.attr_value(name)?);
    Some(text.ok()?.to_string_lossy().into_owned())
}

/// Whether some unit cannot be read. Nothing is known of the addresses of such units.
pub(super) fn has_unreadable_unit(dwarf: &Dwarf<'_>) -> bool {
    let mut units = dwarf.units();
    let readable = std::iter::from_fn(|| units.next().transpose());
    readable.map(|header| dwarf.unit(header?)).any(|unit| unit.is_err())
}

pub(super) fn is_mangled(language: Option<DwLang>) -> bool {
    let c = [
        gimli::DW_LANG_C,
        gimli::DW_LANG_C89,
        gimli::DW_LANG_C99,
        gimli::DW_LANG_C11,
        gimli::DW_LANG_C17,
        gimli::DW_LANG_Mips_Assembler,
    ];
    language.is_some_and(|language| !c.contains(&language))
}
