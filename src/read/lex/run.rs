//! Cost lines as nearly all are, and those that stand together as one.
//!
//! Measured 2026-11-21, the processor's time for 1.4 million cost lines of python3 with contexts: 28 ms when each became a
//! line of its own that was then added to the one before, 14 ms so.

use super::at::At;
use super::repeats::{Repeats, Same};
use crate::profile::Count;
use crate::read::cursor::{Cursor, Step};
use crate::read::header::{Layout, Positions};
use crate::read::line::{CostLine, Line, Together};
use crate::read::record::begins_cost;
use crate::read::window::Window;

/// Lines that were made, and the counts of the cost lines among them, one line's after the other's.
#[derive(Default)]
pub(super) struct Made {
    pub(super) lines: Vec<Line>,
    pub(super) counts: Vec<Count>,
    /// The sums of the lines that are being taken together.
    sums: Vec<u64>,
}

/// Lines that are being taken together, if any.
#[derive(Clone, Copy)]
struct Run {
    /// Where they lead to.
    address: Step,
    line: Step,
    /// The most counts that one of them has.
    given: usize,
    /// How many they are.
    lines: u8,
}

impl Run {
    const NONE: Run = Run {
        address: Step::NONE,
        line: Step::NONE,
        given: 0,
        lines: 0,
    };

    /// Begins with a line.
    #[inline(always)]
    fn begin(&mut self, at: &At) {
        self.address.set(at.address);
        self.line.set(at.line);
        self.given = 0;
        self.lines = 1;
    }

    /// Where these lines and the next one lead to, if they may be together.
    #[inline(always)]
    fn and<const ADDRESS: bool>(&self, next: &At, together: Together) -> Option<(i64, i64)> {
        let is_same = next.line == Step::NONE || !next.line.is_relative && next.line == self.line;
        let line = match together {
            _ if self.lines == 0 || self.lines >= Step::MOST => return None,
            Together::OfFile => self.line.then(next.line)?,
            Together::OfLine if is_same => self.line.by,
            _ => return None,
        };
        let address = match ADDRESS {
            true => self.address.then(next.address)?,
            false => self.address.by,
        };
        Some((address, line))
    }

    /// Goes there with so many lines more.
    #[inline(always)]
    fn go_on(&mut self, (address, line): (i64, i64), lines: u8) {
        self.address.by = address;
        self.line.by = line;
        self.lines += lines;
    }
}

impl Made {
    /// Forgets all lines.
    pub(super) fn clear(&mut self) {
        self.lines.clear();
        self.counts.clear();
    }

    /// Makes lines of the cost lines that follow, as long as they are plain; false if the first is not. It may be
    /// that of calls or a jump, if one is owed, and is then on its own.
    #[inline(always)]
    pub(super) fn plain_cost_lines(
        &mut self,
        cursor: &mut Cursor<'_>,
        layout: &Layout,
        together: Together,
        is_owed: bool,
    ) -> bool {
        self.sums.resize(layout.events, 0);
        let Positions {
            address,
            block,
            line,
        } = layout.positions;
        if is_owed || together == Together::Nothing || block || !line {
            return self.cost_line(cursor, layout);
        }
        match (address, layout.events) {
            (false, 1) => self.cost_lines::<false, true>(cursor, together),
            (false, _) => self.cost_lines::<false, false>(cursor, together),
            (true, 1) => self.cost_lines::<true, true>(cursor, together),
            (true, _) => self.cost_lines::<true, false>(cursor, together),
        }
    }

    /// Makes a line of one.
    #[inline(always)]
    fn cost_line(&mut self, cursor: &mut Cursor<'_>, layout: &Layout) -> bool {
        if let Some(mut window) = Window::new(cursor.rest())
            && let Some(at) = At::read(&mut window, layout.positions)
            && let Some(given) = window.add_counts(&mut self.sums)
        {
            cursor.advance(window.position());
            let At { address, line, .. } = at;
            self.end_run(&Run {
                address,
                line,
                given,
                lines: 1,
            });
            return true;
        }
        false
    }

    /// Makes lines of self costs, where cost lines have an `ADDRESS` and a line, and `ONE` event or several. (One
    /// function for all keeps too much in memory that could be in registers.)
    #[inline(never)]
    fn cost_lines<const ADDRESS: bool, const ONE: bool>(
        &mut self,
        to: &mut Cursor<'_>,
        together: Together,
    ) -> bool {
        let mut cursor = *to;
        let positions = Positions {
            address: ADDRESS,
            block: false,
            line: true,
        };
        let mut run = Run::NONE;
        while let Some(mut window) = Window::new(cursor.rest())
            && begins_cost(window.peek())
            && let Some(at) = At::read(&mut window, positions)
        {
            let next = run.and::<ADDRESS>(&at, together);
            if next.is_none() {
                self.end_run(&run);
                run.lines = 0;
            }
            let before = self.sums.first().copied().unwrap_or(0);
            let given = if ONE {
                window.add_count(&mut self.sums[0])
            } else {
                window.add_counts(&mut self.sums)
            };
            let Some(given) = given else {
                break;
            };
            match next {
                Some(next) => run.go_on(next, 1),
                None => run.begin(&at),
            }
            run.given = run.given.max(given);
            cursor.advance(window.position());
            // Without addresses, or with many events, lines seldom repeat each other: it does not pay to look.
            if ADDRESS && ONE {
                let same = Same::new(&at, &window, together);
                let count = self.sums[0].wrapping_sub(before);
                self.repeats(&mut run, &same, count, &mut cursor);
            }
        }
        self.end_run(&run);
        let is_any = cursor.position() > to.position();
        *to = cursor;
        is_any
    }

    /// Takes in the lines that repeat the last one, whose count is given.
    #[inline(always)]
    fn repeats(&mut self, run: &mut Run, same: &Same, count: u64, cursor: &mut Cursor<'_>) {
        let behind = *cursor;
        let repeats = Repeats::skip(cursor, same, Step::MOST.saturating_sub(run.lines));
        if repeats.count == 0 {
            return;
        }
        let [address, line] = [repeats.address, repeats.line].map(|by| Step {
            is_relative: true,
            by,
        });
        let (Some(address), Some(line)) = (run.address.then(address), run.line.then(line)) else {
            *cursor = behind;
            return;
        };
        run.go_on((address, line), repeats.count);
        let count = count.wrapping_mul(repeats.count.into());
        self.sums[0] = self.sums[0].wrapping_add(count);
    }

    /// Makes one line of those that are together.
    #[inline(always)]
    fn end_run(&mut self, run: &Run) {
        if run.lines == 0 {
            return;
        }
        let sums = &mut self.sums[..run.given];
        // Numbers that are plain add up to one that is.
        let counts = sums.iter().map(|&sum| Count::new(sum.cast_signed()));
        self.counts
            .extend(counts.map(|count| count.unwrap_or(Count::UNDEFINED)));
        sums.fill(0);
        self.lines.push(Line::Cost(CostLine::of_many(
            run.address,
            run.line,
            run.given,
            run.lines,
        )));
    }
}
