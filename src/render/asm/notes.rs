//! Notes on instructions: their source lines where these change, and next to them jump targets with
//! counts, and calls of skipped code.

use super::{AsmPage, taken_percent, taken_text};
use crate::profile::FileId;
use crate::render::colour::Paint;
use crate::render::shorten::with_tabs_expanded;
use crate::render::{Style, escaped_bytes, with_commas};
use crate::view::asm::{AsmJump, FunctionCode, PageRow};

pub(super) struct Note {
    pub(super) text: Vec<u8>,
    pub(super) paint: Paint,
}

impl Note {
    fn new(text: impl Into<Vec<u8>>, paint: Paint) -> Note {
        let text = text.into();
        Note { text, paint }
    }
}

/// The notes of a row with up to `max_targets` targets; if there are more, one fewer and the number
/// of the others. A single target is not repeated after the instruction, only how often it was
/// taken.
pub(super) fn notes(
    function: &FunctionCode,
    row: &PageRow,
    location: Option<&SourceLocation>,
    max_targets: usize,
    style: Style<'_>,
) -> Vec<Note> {
    let Some(number) = row.instruction else {
        return Vec::new();
    };
    let unseen = location
        .filter(|location| location.text.is_none())
        .map(|location| Note::new(location.label.clone(), Paint::File));
    let mut notes: Vec<Note> = unseen.into_iter().collect();
    let instruction = &function.instructions[number];
    let jumps = function.most_taken(row.address);
    let shown =
        if jumps.len() > max_targets { max_targets.saturating_sub(1).max(1) } else { jumps.len() };
    notes.extend(jumps[..shown].iter().map(|jump| {
        // A backward jump is a loop.
        let paint = if jump.to <= jump.from { Paint::Function } else { Paint::Plain };
        let is_brief = max_targets == 1;
        Note::new(jump_text(jump, instruction.fetches, is_brief, style), paint)
    }));
    if let (Some(last), rest @ 1..) = (notes.last_mut(), jumps.len() - shown) {
        let more = format!("  {} more targets", with_commas(rest));
        last.text.extend(more.into_bytes());
    }
    if instruction.skipped != 0 {
        let skipped =
            format!("{} in calls that Callgrind skips (PLT)", style.unsigned(instruction.skipped));
        let times = instruction.fetches.map(|fetches| match fetches {
            1 => "once".to_owned(),
            _ => format!("{} times", style.unsigned(fetches)),
        });
        let texts = times.into_iter().chain([skipped]);
        notes.extend(texts.map(|text| Note::new(text, Paint::Plain)));
    }
    notes
}

/// `v 11ad 9,487 of 14,151 (67.04%)`, or in brief `v 9,487 (67.0%)`.
fn jump_text(jump: &AsmJump, fetches: Option<i64>, is_brief: bool, style: Style<'_>) -> String {
    let arrow = if jump.to <= jump.from { '^' } else { 'v' };
    if is_brief {
        let exact = fetches.filter(|_| jump.is_conditional);
        let percent = exact
            .and_then(|executed| taken_percent(jump.taken, executed))
            .map_or(String::new(), |percent| format!(" ({percent:.1}%)"));
        return format!("{arrow} {}{percent}", style.unsigned(jump.taken));
    }
    let executed = jump.is_conditional.then_some(fetches.unwrap_or(jump.executed));
    let taken = taken_text(jump.taken, executed, fetches.is_some(), [" (", ")"], style);
    format!("{arrow} {:x} {taken}", jump.to)
}

/// The source location of the instructions from a row on.
pub(super) struct SourceLocation {
    /// File and line.
    pub(super) label: Vec<u8>,
    /// The length of the file in the label.
    file: usize,
    pub(super) text: Option<Vec<u8>>,
}

/// The locations of a page by row; none if it is that of the row above.
pub(super) fn locations(asm: &AsmPage<'_>, style: Style<'_>) -> Vec<Option<SourceLocation>> {
    let mut locations = Vec::with_capacity(asm.page.rows.len());
    for stretch in &asm.page.stretches {
        let (mut last, mut noted_file) = (None, None);
        for row in &asm.page.rows[stretch.clone()] {
            let place = place(asm, row);
            let is_new = place.is_some() && place != last;
            last = place.or(last);
            let mut location = place
                .filter(|&(_, line)| is_new && line != 0)
                .map(|place| location_of(asm, place, style));
            if let Some((location, (file, _))) = location.as_mut().zip(place)
                && location.text.is_none()
                && noted_file.replace(file) == Some(file)
            {
                // Notes name the file only once.
                location.label.drain(..location.file);
            }
            locations.push(location);
        }
    }
    locations
}

/// The file and line of a row, in any page.
pub(super) fn label_of_place(asm: &AsmPage<'_>, row: &PageRow, style: Style<'_>) -> Vec<u8> {
    let place = place(asm, row).filter(|&(_, line)| line != 0);
    place.map_or_else(Vec::new, |place| location_of(asm, place, style).label)
}

fn place(asm: &AsmPage<'_>, row: &PageRow) -> Option<(FileId, u32)> {
    let at = &asm.function.instructions[row.instruction?];
    Some((at.file, at.line))
}

fn location_of(asm: &AsmPage<'_>, (file, line): (FileId, u32), style: Style<'_>) -> SourceLocation {
    let name = escaped_bytes(asm.sources.name(asm.profile, file), style.escapes);
    SourceLocation {
        file: name.len(),
        label: [name, format!(":{line}").into_bytes()].concat(),
        text: asm.sources.get(file, line).map(with_tabs_expanded),
    }
}
