//! The source lines of a program's addresses, with the functions that were inlined there.

use std::borrow::Cow;
use std::cell::Cell;

use addr2line::{Context, LookupResult};
use gimli::{DwLang, EndianSlice, RunTimeEndian};

use super::{DebugSections, ProgramError};

/// The source lines of a program.
pub struct Lines<'s> {
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
        Ok(Lines {
            context: Context::from_dwarf(sections.dwarf())?,
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

    /// The functions that were inlined at an address, the innermost first.
    pub fn inlined(&self, address: u64) -> Vec<String> {
        let mut names = Vec::new();
        let LookupResult::Output(Ok(mut frames)) = self.context.find_frames(address) else {
            return names;
        };
        while let Ok(Some(frame)) = frames.next() {
            let function = frame.function.as_ref();
            let name = function.and_then(|function| function.raw_name().ok());
            names.push(name.map_or_else(|| "???".to_owned(), Cow::into_owned));
        }
        // The last one is the function itself.
        names.pop();
        names
    }

    /// Hands over the file and the line of each row.
    pub fn walk_lines(&self, put: &mut dyn FnMut(&str, u32)) {
        let rows = self.context.find_location_range(0, u64::MAX);
        let Ok(rows) = rows.inspect_err(|_| self.is_damaged.set(true)) else {
            return;
        };
        for (_, _, location) in rows {
            if let (Some(file), Some(line @ 1..)) = (location.file, location.line) {
                put(file, line);
            }
        }
    }

    /// Hands over all rows between two addresses, in order.
    pub fn walk(&self, start: u64, end: u64, put: &mut dyn FnMut(Row<'_>)) {
        let rows = self.context.find_location_range(start, end);
        let Ok(rows) = rows.inspect_err(|_| self.is_damaged.set(true)) else {
            return;
        };
        for (address, length, location) in rows {
            let (mut at, row_end) = (address.max(start), address.saturating_add(length).min(end));
            // Code of an inlined function may end within a row.
            while at < row_end {
                let (function, part_end) = self.function_part(at, row_end);
                put(Row {
                    start: at,
                    end: part_end,
                    file: location.file,
                    line: location.line.unwrap_or(0),
                    function,
                });
                at = part_end;
            }
        }
    }

    /// The innermost function at an address, and where its code ends, at the latest at `end`.
    fn function_part(&self, start: u64, end: u64) -> (Option<String>, u64) {
        let function = self.function(start);
        let is_same = |address: u64| self.function(address) == function;
        if end - start < 2 || is_same(end - 1) {
            return (function, end);
        }
        // The first address with another one is behind `same`, and `other` at the latest.
        let (mut same, mut other) = (start, end - 1);
        while other - same > 1 {
            let middle = same + (other - same) / 2;
            match is_same(middle) {
                true => same = middle,
                false => other = middle,
            }
        }
        (function, other)
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
