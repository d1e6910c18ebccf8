//! Where instructions come from, shown where it changes: as a line of the source if its text is known, else beside the
//! instruction.

use std::io::{self, Write};

use super::AsmPage;
use crate::profile::FileId;
use crate::render::{Style, write_escaped};
use crate::view::asm::{Row, SourceTexts};

/// How far apart tab stops are.
const TAB: usize = 8;

/// Where the instructions from a row on come from.
pub(super) struct Location {
    /// File and line.
    pub(super) label: Vec<u8>,
    /// The length of the file in it.
    file: usize,
    /// The text of the line, if it is known.
    pub(super) text: Option<Vec<u8>>,
}

/// The locations of a page, by row; none where it is that of the row above.
pub(super) fn locations(asm: &AsmPage<'_>, style: Style<'_>) -> io::Result<Vec<Option<Location>>> {
    let Some(sources) = asm.sources else {
        return Ok(asm.page.rows.iter().map(|_| None).collect());
    };
    let mut locations = Vec::with_capacity(asm.page.rows.len());
    for stretch in &asm.page.stretches {
        let (mut last, mut noted_file) = (None, None);
        for row in &asm.page.rows[stretch.clone()] {
            let place = place(asm, row);
            let is_new = place.is_some() && place != last;
            last = place.or(last);
            let location = place.filter(|&(_, line)| is_new && line != 0);
            let location = location.map(|place| location_of(asm, place, sources, style));
            let mut location = location.transpose()?;
            if let Some((location, (file, _))) = location.as_mut().zip(place)
                && location.text.is_none()
                && noted_file.replace(file) == Some(file)
            {
                // Beside instructions it is enough to name the file once.
                location.label.drain(..location.file);
            }
            locations.push(location);
        }
    }
    Ok(locations)
}

/// The source line of a row.
fn place(asm: &AsmPage<'_>, row: &Row) -> Option<(FileId, u32)> {
    let at = &asm.function.instructions[row.instruction?];
    Some((at.file, at.line))
}

fn location_of(
    asm: &AsmPage<'_>,
    (file, line): (FileId, u32),
    sources: &SourceTexts,
    style: Style<'_>,
) -> io::Result<Location> {
    let mut label = Vec::new();
    write_escaped(sources.name(asm.profile, file), style.escapes, &mut label)?;
    let length = label.len();
    write!(label, ":{line}")?;
    Ok(Location {
        label,
        file: length,
        text: sources.get(file, line).map(without_tabs),
    })
}

/// A text with blanks for tabs, as it is not at the start of a line.
fn without_tabs(text: &[u8]) -> Vec<u8> {
    let mut line = Vec::with_capacity(text.len());
    for &byte in text {
        match byte {
            b'\t' => line.resize(line.len() / TAB * TAB + TAB, b' '),
            _ => line.push(byte),
        }
    }
    line
}
