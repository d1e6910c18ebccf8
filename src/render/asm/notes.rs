//! What is noted beside an instruction: where it comes from if the source is unknown, where it jumps, how often, and
//! skipped code that it called.

use super::Location;
use crate::render::Style;
use crate::render::colour::Paint;
use crate::view::asm::{FunctionCode, Jump, Row};

/// How many targets are noted; of more, one fewer and how many there are.
pub(super) const MAX_TARGETS: usize = 3;

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

/// The notes of a row, with up to this many targets.
pub(super) fn notes(
    function: &FunctionCode,
    row: &Row,
    location: Option<&Location>,
    max_targets: usize,
    style: Style<'_>,
) -> Vec<Note> {
    let Some(number) = row.instruction else {
        return Vec::new();
    };
    let unseen = location.filter(|location| location.text.is_none());
    let unseen = unseen.map(|location| Note::new(location.label.clone(), Paint::File));
    let mut notes: Vec<Note> = unseen.into_iter().collect();
    let instruction = &function.instructions[number];
    let mut jumps: Vec<&Jump> = function.jumps_from(row.address).iter().collect();
    jumps.sort_by_key(|jump| (std::cmp::Reverse(jump.taken), jump.to));
    let shown = if jumps.len() > max_targets {
        max_targets.saturating_sub(1).max(1)
    } else {
        jumps.len()
    };
    notes.extend(jumps[..shown].iter().map(|jump| {
        // A jump up is a loop.
        let paint = match jump.to <= jump.from {
            true => Paint::Function,
            false => Paint::Plain,
        };
        Note::new(jump_text(jump, instruction.fetches, style), paint)
    }));
    if let (Some(last), rest @ 1..) = (notes.last_mut(), jumps.len() - shown) {
        let more = format!("  {} more targets", style.integer(rest as i64));
        last.text.extend(more.into_bytes());
    }
    if instruction.skipped != 0 {
        let skipped = format!("{} in skipped code", style.number(instruction.skipped));
        let times = instruction.fetches.map(|fetches| match fetches {
            1 => "once".to_owned(),
            _ => format!("{} times", style.number(fetches)),
        });
        let texts = times.into_iter().chain([skipped]);
        notes.extend(texts.map(|text| Note::new(text, Paint::Plain)));
    }
    notes
}

/// `v 11ad 9,487 of 14,151 (67.04%)`
fn jump_text(jump: &Jump, fetches: Option<i64>, style: Style<'_>) -> String {
    let arrow = if jump.to <= jump.from { '^' } else { 'v' };
    let taken = style.number(jump.taken);
    let text = format!("{arrow} {:x} {taken}", jump.to);
    if !jump.is_conditional {
        return text;
    }
    match fetches {
        Some(fetches) if fetches >= jump.taken && fetches > 0 => {
            let share = jump.taken as f64 * 100.0 / fetches as f64;
            format!("{text} of {} ({share:.2}%)", style.number(fetches))
        }
        Some(_) => text,
        None => format!("{text} of {} or more", style.number(jump.executed)),
    }
}
