//! The source lines of a program's addresses, with the functions that were inlined there.

use std::cell::Cell;
use std::sync::Arc;

use addr2line::{Context, LookupResult};
use gimli::{DwLang, EndianSlice, RunTimeEndian};

use super::ProgramError;
use crate::program::sections::DebugSections;

/// The source lines of a program.
pub struct Lines<'s> {
    dwarf: Arc<gimli::Dwarf<EndianSlice<'s, RunTimeEndian>>>,
    context: Context<EndianSlice<'s, RunTimeEndian>>,
    /// Whether a part of the debug information could not be read.
    is_damaged: Cell<bool>,
}

/// Addresses with one source line and function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row<'l> {
    /// The first address.
    pub start: u64,
    /// The one behind the last.
    pub end: u64,
    /// The source file, if it is known.
    pub file: Option<&'l str>,
    /// The line, 0 if it is unknown.
    pub line: u32,
    /// The name of the innermost function, which may be one that was inlined.
    pub function: Option<String>,
}

impl<'s> Lines<'s> {
    pub(super) fn new(sections: &'s DebugSections<'_>) -> Result<Lines<'s>, ProgramError> {
        let dwarf = Arc::new(sections.dwarf());
        Ok(Lines {
            context: Context::from_arc_dwarf(Arc::clone(&dwarf))?,
            dwarf,
            is_damaged: Cell::new(false),
        })
    }

    /// Whether a part of it could not be read so far.
    pub fn is_damaged(&self) -> bool {
        self.is_damaged.get()
    }

    /// The source file and line of an address; the line is 0 if it is unknown.
    pub fn find(&self, address: u64) -> Option<(&str, u32)> {
        let found = self.context.find_location(address);
        let location = found.inspect_err(|_| self.is_damaged.set(true)).ok()??;
        Some((location.file?, location.line.unwrap_or(0)))
    }

    /// The innermost function at an address, as the debug information calls it. Of a function that was not inlined
    /// it may know a name without parameters only; such a name is left to the symbols.
    fn function(&self, address: u64) -> Option<String> {
        let LookupResult::Output(frames) = self.context.find_frames(address) else {
            return None;
        };
        let mut frames = frames.inspect_err(|_| self.is_damaged.set(true)).ok()?;
        let inner = frames.next().ok()??.function?;
        let is_inlined = matches!(frames.next(), Ok(Some(_)));
        let name = inner.raw_name().ok()?;
        let is_symbol = name.starts_with("_Z") || name.starts_with("_R");
        let is_whole = is_inlined || is_symbol || !is_mangled(inner.language);
        is_whole.then(|| name.into_owned())
    }

    /// Hands over all rows between two addresses, in order.
    pub fn walk(&self, start: u64, end: u64, put: &mut dyn FnMut(Row<'_>)) {
        let damaged = |_: &gimli::Error| self.is_damaged.set(true);
        let rows = self.context.find_location_range(start, end);
        let Ok(rows) = rows.inspect_err(damaged) else {
            return;
        };
        let mut edges = Vec::new();
        // What is before the damage counts.
        let _ = self.push_edges(&mut edges).inspect_err(damaged);
        edges.sort_unstable();
        edges.dedup();
        for (address, length, location) in rows {
            let (mut at, row_end) = (address.max(start), address.saturating_add(length).min(end));
            let mut inside = edges.partition_point(|&edge| edge <= at);
            // Code of an inlined function may begin and end within a row.
            while at < row_end {
                let edge = edges.get(inside).map_or(row_end, |&edge| edge.min(row_end));
                put(Row {
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

    /// All addresses at which the code of a function, inlined or not, begins or ends.
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

/// Whether a language has names that differ from those of symbols.
fn is_mangled(language: Option<DwLang>) -> bool {
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
