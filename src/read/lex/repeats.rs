//! Cost lines that say the same as the one before of another place. Nine of ten cost lines of rustc do, and seven of
//! cc1plus: they are told by one look at eight bytes.
//!
//! Measured 2026-11-21, the whole program: 17.1 ms without and 11.6 ms with this for 15 MB of rustc, 21.7 and 18.0 ms for
//! 20 MB of cc1plus, 73.1 and 56.1 ms for 49 MB of python3 with contexts.

use super::at::At;
use crate::read::cursor::{Cursor, Step};
use crate::read::line::Together;
use crate::read::window::{ShortText, Window};

/// What of a cost line others may repeat.
pub(super) struct Same {
    /// All behind the address, if that is of the same source line.
    rest: Option<ShortText>,
    /// The counts, if it does not matter of which source line they are.
    counts: Option<ShortText>,
}

impl Same {
    /// Those of a line that was read.
    #[inline(always)]
    pub(super) fn new(at: &At, line: &Window<'_>, together: Together) -> Same {
        let may_repeat = !at.line.is_relative || at.line == Step::NONE;
        let of_file = together == Together::OfFile;
        Same {
            rest: may_repeat.then(|| line.short_text(at.rest)).flatten(),
            counts: of_file.then(|| line.short_text(at.counts)).flatten(),
        }
    }
}

/// Lines that say the same of other places.
#[derive(Default)]
pub(super) struct Repeats {
    /// How many.
    pub(super) count: u8,
    /// How far they went.
    pub(super) address: i64,
    pub(super) line: i64,
}

impl Repeats {
    /// Steps over such lines, but not over more than `most`.
    #[inline(always)]
    pub(super) fn skip(cursor: &mut Cursor<'_>, same: &Same, most: u8) -> Repeats {
        let mut all = Repeats::default();
        while all.count < most
            && let Some(window) = Window::new(cursor.rest())
            && let Some((address, line, length)) = all.next(window, same)
        {
            cursor.advance(length);
            all.count += 1;
            all.address += address;
            all.line += line;
        }
        all
    }

    /// How far the next line goes and how long it is, if it repeats the others and [`Step::then`] allows its steps.
    #[inline(always)]
    fn next(&self, mut window: Window<'_>, same: &Same) -> Option<(i64, i64, usize)> {
        let address = window.relative_step().filter(|&by| by >= 0)?;
        if let Some(rest) = &same.rest {
            // A line that is given by its number is where the first one is.
            let is_there = self.line == 0 || rest.begins_with(b'*');
            if is_there && window.is_at(rest) {
                return Some((address, 0, window.position() + rest.length()));
            }
        }
        let counts = same.counts.as_ref()?;
        let line = window.relative_step()?;
        let is_back = line > 0 && self.line < 0;
        let is_same = !is_back && window.is_at(counts);
        is_same.then_some((address, line, window.position() + counts.length()))
    }
}
