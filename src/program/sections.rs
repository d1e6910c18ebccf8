//! The debug sections of a program, unpacked, and the file that has them if the program was stripped.

use std::borrow::Cow;
use std::fs::File;
use std::path::{Path, PathBuf};

use gimli::{EndianSlice, RunTimeEndian, Section, SectionId};
use object::read::ReadCache;
use object::{CompressionFormat, Object, ObjectSection};

use super::{Elf, ProgramError};
use crate::program::lines::Lines;

/// Where packages of distributions put debug information.
const DEBUG_FOLDER: &str = "/usr/lib/debug";

/// How much larger than packed a section may be: more is not what a compiler writes.
const MOST_PACKED: u64 = 1100;

/// The debug sections of a program.
pub struct DebugSections<'p> {
    sections: gimli::DwarfSections<Cow<'p, [u8]>>,
    endian: RunTimeEndian,
}

impl<'p> DebugSections<'p> {
    pub(super) fn new(elf: &Elf<'p>, is_big_endian: bool) -> Result<Self, ProgramError> {
        let load = |id: SectionId| match elf {
            Elf::Narrow(file) => load(file, id.name()),
            Elf::Wide(file) => load(file, id.name()),
        };
        Ok(DebugSections {
            sections: gimli::DwarfSections::load(load)?,
            endian: match is_big_endian {
                true => RunTimeEndian::Big,
                false => RunTimeEndian::Little,
            },
        })
    }

    /// Whether there is no debug information.
    pub fn is_empty(&self) -> bool {
        let dwarf = self.dwarf();
        dwarf.debug_info.reader().is_empty() && dwarf.debug_line.reader().is_empty()
    }

    /// The source lines in them.
    ///
    /// # Errors
    /// [`ProgramError`] if they are damaged.
    pub fn lines(&self) -> Result<Lines<'_>, ProgramError> {
        Lines::new(self)
    }

    pub(super) fn dwarf(&self) -> gimli::Dwarf<EndianSlice<'_, RunTimeEndian>> {
        self.sections
            .borrow(|section| EndianSlice::new(section, self.endian))
    }
}

/// A section's bytes; none if there is no such section.
fn load<'p>(file: &impl Object<'p>, name: &str) -> Result<Cow<'p, [u8]>, ProgramError> {
    let Some(section) = file.section_by_name(name) else {
        return Ok(Cow::Borrowed(&[]));
    };
    let data = section.compressed_data()?;
    let most = (data.data.len() as u64).saturating_mul(MOST_PACKED);
    if data.format != CompressionFormat::None && data.uncompressed_size > most {
        let size = data.uncompressed_size;
        let text = format!("the section {name} would have {size} bytes");
        return Err(ProgramError::Damaged(text));
    }
    Ok(data.decompress()?)
}

/// The file with the debug information of a program: where its build id or `.gnu_debuglink` says.
pub(super) fn debug_file(elf: &Elf<'_>, program: &Path) -> Option<ReadCache<File>> {
    by_build_id(elf).or_else(|| by_link(elf, program))
}

/// The file that is named after the build id, if there is one.
fn by_build_id(elf: &Elf<'_>) -> Option<ReadCache<File>> {
    let id = match elf {
        Elf::Narrow(file) => file.build_id().ok()??,
        Elf::Wide(file) => file.build_id().ok()??,
    };
    let (first, rest) = id.split_first()?;
    let hex: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    let path = format!("{DEBUG_FOLDER}/.build-id/{first:02x}/{hex}.debug");
    Some(ReadCache::new(File::open(path).ok()?))
}

/// The file that `.gnu_debuglink` names, if it belongs to the program.
fn by_link(elf: &Elf<'_>, program: &Path) -> Option<ReadCache<File>> {
    let (link, id) = match elf {
        Elf::Narrow(file) => (file.gnu_debuglink().ok()??, file.build_id().ok()?),
        Elf::Wide(file) => (file.gnu_debuglink().ok()??, file.build_id().ok()?),
    };
    let name = std::str::from_utf8(link.0).ok()?;
    let folder = program.parent().unwrap_or(Path::new(""));
    let full = folder.canonicalize().unwrap_or_default();
    let of_system = PathBuf::from(DEBUG_FOLDER).join(full.strip_prefix("/").unwrap_or(&full));
    let folders = [folder.to_owned(), folder.join(".debug"), of_system];
    folders.into_iter().find_map(|folder| {
        let cache = ReadCache::new(File::open(folder.join(name)).ok()?);
        let is_same = match super::parse(&cache).ok()? {
            Elf::Narrow(file) => file.build_id().ok()? == id,
            Elf::Wide(file) => file.build_id().ok()? == id,
        };
        is_same.then_some(cache)
    })
}
