//! Where instructions come from, shown where it changes: as a line of the source if its text is known, else beside the
//! instruction.

use std::io::{self, Write};

use super::AsmPage;
use crate::profile::FileId;
use crate::render::{Style, escaped_bytes, write_escaped};
use crate::view::asm::{Row, SourceTexts};
use crate::view::short_function;

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
            let location = place.filter(|&(_, line, _)| is_new && line != 0);
            let location = location.map(|place| location_of(asm, place, sources, style));
            let mut location = location.transpose()?;
            if let Some((location, (file, ..))) = location.as_mut().zip(place)
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

/// The source line of a row, and the functions that were inlined there.
type Place<'a> = (FileId, u32, &'a [Vec<u8>]);

fn place<'a>(asm: &AsmPage<'a>, row: &Row) -> Option<Place<'a>> {
    let at = &asm.function.instructions[row.instruction?];
    Some((at.file, at.line, asm.inlined(at.address)))
}

fn location_of(
    asm: &AsmPage<'_>,
    (file, line, inlined): Place<'_>,
    sources: &SourceTexts,
    style: Style<'_>,
) -> io::Result<Location> {
    let mut label = Vec::new();
    write_escaped(sources.name(asm.profile, file), style.escapes, &mut label)?;
    let length = label.len();
    // Behind the names of inlined functions there is little room.
    let text = sources.get(file, line).map(|text| match inlined {
        [] => text,
        _ => text.trim_ascii_start(),
    });
    write!(label, ":{line}")?;
    match inlined {
        [] => {}
        [one] => label.extend([b" (", &*short_name(one, style), b")"].concat()),
        [first, rest @ .., last] => {
            let between = if rest.is_empty() { "" } else { "… < " };
            let (first, last) = (short_name(first, style), short_name(last, style));
            label.extend([b" (", &*first, b" < ", between.as_bytes(), &*last, b")"].concat());
        }
    }
    Ok(Location {
        label,
        file: length,
        text: text.map(without_tabs),
    })
}

/// A function's name with the last of its namespaces and types.
fn short_name(name: &[u8], style: Style<'_>) -> Vec<u8> {
    let mut text = escaped_bytes(&short_function(name), style.escapes);
    let separators = text.windows(2).enumerate().rev();
    let mut separators = separators.filter(|(_, pair)| pair == b"::");
    if let (false, Some((at, _))) = (text.contains(&b'<'), separators.nth(1)) {
        text.drain(..at + 2);
    }
    text
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
