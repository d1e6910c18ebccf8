//! What was spent of an event, and the code that it was spent in.

use super::code::{Code, FileLine, Frame};
use super::items::{Item, Items};

/// The costs of an event, with the lines that they are at.
#[derive(Clone, Copy)]
pub(super) struct Spent<'a, 'p> {
    pub(super) code: &'a Code<'a>,
    pub(super) items: &'a Items<'p>,
    pub(super) event: usize,
}

impl<'p> Spent<'_, 'p> {
    /// The count of an item, inclusive for a call.
    pub(super) fn cost(&self, item: Item) -> i64 {
        self.items.cost(item, self.event)
    }

    /// The lines of an item, the outermost first, in place of those in `frames`.
    pub(super) fn frames(&self, item: Item, frames: &mut Vec<Frame>) {
        self.code.frames(self.items.place(item), frames);
    }

    /// The same; none if no line is the user's own.
    pub(super) fn own_frames(&self, item: Item, frames: &mut Vec<Frame>) {
        self.code.own_frames(self.items.place(item), frames);
    }

    /// The user's own lines of an item that are recorded, the innermost first.
    pub(super) fn own_lines<'f>(
        &self,
        item: Item,
        frames: &'f mut Vec<Frame>,
    ) -> impl Iterator<Item = FileLine> + use<'f> {
        self.own_frames(item, frames);
        let own = frames.iter().rev().filter(|frame| frame.is_own && frame.is_known);
        own.map(|frame| frame.line)
    }
}
