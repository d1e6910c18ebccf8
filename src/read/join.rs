//! Joining: consecutive self-cost lines become one [`CostLine`] when the reader would add them to the same place anyway.
//!
//! Lines with addresses often repeat their source line, and a report of functions needs no lines at all, so most cost
//! lines are joined here, before they pass from thread to thread. A joined line must be indistinguishable from its
//! parts: where the reader cannot be sure of that, it has the chunk lexed again without joining.

use super::cursor::{Cursor, Step};
use super::fast_line::{FastLine, ShortText};
use super::header::{Layout, Positions};
use super::line::{CostLine, Line};
use super::record::is_cost_line;
use crate::profile::Count;

/// Which consecutive self-cost lines become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joining {
    /// None.
    Never,
    /// Those of the same source line.
    SameLine,
    /// All those of the same file: the report does not need source lines.
    SameFile,
}

/// The longest step that may be joined to the one before: seven digits.
const MAX_JOINED_STEP: u64 = 9_999_999;

/// How many lines may become one. That many steps of seven digits stay within 31 bits.
const MAX_JOINED: u8 = 200;

/// Joined lines must end this far below the largest position; then every step between is in range.
pub(super) const MARGIN: u32 = MAX_JOINED as u32 * MAX_JOINED_STEP as u32;

impl Step {
    /// This step and the next as one, if the positions between are in range whenever both ends are, and the end is not
    /// within [`MARGIN`] of the largest position. Steps back may be followed only by steps back: then the lowest
    /// position is the last, whose range the reader checks.
    #[inline(always)]
    fn join(self, next: Step) -> Option<Step> {
        match (self, next) {
            (Step::To(_), Step::To(_)) => Some(next),
            (Step::By(_), Step::To(_)) => None,
            (_, Step::By(by)) if by.unsigned_abs() > MAX_JOINED_STEP => None,
            (Step::By(before), Step::By(by)) if before < 0 && by > 0 => None,
            (Step::By(before), Step::By(by)) => before.checked_add(by).map(Step::By),
            (Step::To(position), Step::By(by)) => position.checked_add_signed(by).map(Step::To),
        }
    }
}

/// Lines that were lexed, and the counts of the cost lines among them, one line's after the other's.
#[derive(Default)]
pub(super) struct Output {
    pub(super) lines: Vec<Line>,
    pub(super) counts: Vec<Count>,
    /// The sums of the lines that are being joined.
    sums: Vec<u64>,
}

/// The lines that are being joined, if any.
#[derive(Clone, Copy)]
struct Join {
    /// The step from the position before the first line to that of the last.
    address: Step,
    line: Step,
    /// The largest number of counts on one of the lines.
    count_len: usize,
    /// The number of lines.
    lines: u8,
}

impl Join {
    const NONE: Join = Join {
        address: Step::NONE,
        line: Step::NONE,
        count_len: 0,
        lines: 0,
    };

    /// The first line.
    #[inline(always)]
    fn new(at: &Positions<Step>, count_len: usize) -> Join {
        Join {
            address: at.address,
            line: at.line,
            count_len,
            lines: 1,
        }
    }

    /// The steps to the next line, if it may be joined to these lines.
    #[inline(always)]
    fn joined_with<const ADDRESS: bool>(
        &self,
        next: &Positions<Step>,
        joining: Joining,
    ) -> Option<(Step, Step)> {
        if self.lines == 0 || self.lines >= MAX_JOINED {
            return None;
        }
        let is_same_line = next.line == Step::NONE
            || matches!((self.line, next.line), (Step::To(line), Step::To(next)) if line == next);
        let line = match joining {
            Joining::SameFile => self.line.join(next.line)?,
            Joining::SameLine if is_same_line => self.line,
            _ => return None,
        };
        let address = match ADDRESS {
            true => self.address.join(next.address)?,
            false => self.address,
        };
        Some((address, line))
    }

    /// Adds a line.
    #[inline(always)]
    fn extend(&mut self, (address, line): (Step, Step), count_len: usize) {
        self.address = address;
        self.line = line;
        self.count_len = self.count_len.max(count_len);
        self.lines += 1;
    }

    /// Adds the lines that differ from the one before in the address alone, and returns how many there are. Code without
    /// debug information consists of such lines: `+4 0 1` after `+3 0 1`.
    #[inline(always)]
    fn skip_repeats(&mut self, cursor: &mut Cursor<'_>, rest: &ShortText) -> u64 {
        let before = self.lines;
        while self.lines < MAX_JOINED
            && let Some(mut fast) = FastLine::new(cursor.rest())
            && let Some(step @ Step::By(_)) = fast.short_step()
            && fast.skip_text(rest)
            && let Some(address) = self.address.join(step)
        {
            cursor.advance(fast.position());
            self.address = address;
            self.lines += 1;
        }
        (self.lines - before).into()
    }
}

impl Output {
    /// Removes all lines.
    pub(super) fn clear(&mut self) {
        self.lines.clear();
        self.counts.clear();
    }

    /// Lexes the cost lines that follow, as long as they are plain, and joins them; false if the first is not plain.
    /// A line that may belong to a call or a jump is not joined.
    #[inline(always)]
    pub(super) fn cost_lines(
        &mut self,
        cursor: &mut Cursor<'_>,
        layout: &Layout,
        joining: Joining,
        may_belong_to_call: bool,
    ) -> bool {
        self.sums.resize(layout.events, 0);
        let Positions {
            address,
            block,
            line,
        } = layout.positions;
        if may_belong_to_call || joining == Joining::Never || block || !line {
            return self.cost_line(cursor, layout);
        }
        match (address, layout.events) {
            (false, 1) => self.joined_lines::<false, true>(cursor, joining),
            (false, _) => self.joined_lines::<false, false>(cursor, joining),
            (true, 1) => self.joined_lines::<true, true>(cursor, joining),
            (true, _) => self.joined_lines::<true, false>(cursor, joining),
        }
    }

    /// Lexes one cost line.
    #[inline(always)]
    fn cost_line(&mut self, cursor: &mut Cursor<'_>, layout: &Layout) -> bool {
        if let Some(mut fast) = FastLine::new(cursor.rest())
            && let Some(at) = fast.positions(layout.positions)
            && let Some(count_len) = fast.add_counts(&mut self.sums)
        {
            cursor.advance(fast.position());
            self.flush(&Join::new(&at, count_len));
            return true;
        }
        false
    }

    /// Lexes and joins self-cost lines that have an `ADDRESS` or not, a line, and `ONE` event or several: constants,
    /// so that each of the four loops keeps its state in registers.
    #[inline(never)]
    fn joined_lines<const ADDRESS: bool, const ONE: bool>(
        &mut self,
        start: &mut Cursor<'_>,
        joining: Joining,
    ) -> bool {
        let mut cursor = *start;
        let positions = Positions {
            address: ADDRESS,
            block: false,
            line: true,
        };
        let mut join = Join::NONE;
        while let Some(mut fast) = FastLine::new(cursor.rest())
            && is_cost_line(fast.peek())
            && let Some(at) = fast.positions(positions)
        {
            let next = join.joined_with::<ADDRESS>(&at, joining);
            if next.is_none() {
                self.flush(&join);
                join.lines = 0;
            }
            let before = self.sums.first().copied().unwrap_or(0);
            let count_len = if ONE {
                fast.add_count(&mut self.sums[0])
            } else {
                fast.add_counts(&mut self.sums)
            };
            let Some(count_len) = count_len else {
                break;
            };
            match next {
                Some(next) => join.extend(next, count_len),
                None => join = Join::new(&at, count_len),
            }
            cursor.advance(fast.position());
            // Without addresses, or with several events, few lines repeat the one before.
            if ADDRESS
                && ONE
                && matches!(at.line, Step::To(_) | Step::NONE)
                && let Some(rest) = fast.short_text(fast.after_address())
            {
                let count = self.sums[0].wrapping_sub(before);
                let repeats = join.skip_repeats(&mut cursor, &rest);
                self.sums[0] = self.sums[0].wrapping_add(count.wrapping_mul(repeats));
            }
        }
        self.flush(&join);
        let is_any = cursor.position() > start.position();
        *start = cursor;
        is_any
    }

    /// Makes one line of those that were joined.
    #[inline(always)]
    fn flush(&mut self, join: &Join) {
        if join.lines == 0 {
            return;
        }
        let sums = &mut self.sums[..join.count_len];
        // Plain numbers have too few digits for 200 of them to overflow.
        let counts = sums.iter().map(|&sum| Count::new(sum.cast_signed()));
        self.counts.extend(counts);
        sums.fill(0);
        self.lines.push(Line::Cost(CostLine::joined(
            join.address,
            join.line,
            join.count_len,
            join.lines,
        )));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_joined_only_where_all_positions_between_are_in_range() {
        use Step::{By, To};
        let long = MAX_JOINED_STEP as i64;
        let table = [
            (To(5), To(9), Some(To(9))),
            (To(5), By(-5), Some(To(0))),
            (To(5), By(-6), None),
            (To(5), By(long), Some(To(5 + MAX_JOINED_STEP))),
            (To(5), By(long + 1), None),
            (By(5), To(5), None),
            (By(5), By(-7), Some(By(-2))),
            (By(-2), By(-7), Some(By(-9))),
            (By(-2), By(1), None),
            (By(-2), By(0), Some(By(-2))),
            (By(i64::MAX), By(1), None),
            (By(0), By(-long - 1), None),
        ];
        for (step, next, joined) in table {
            assert_eq!(step.join(next), joined, "{step:?} {next:?}");
        }
    }

    #[test]
    fn lines_of_one_place_become_one() {
        let text = b"0x10 7 1\n+4 * 2\n+4 7 3\n+4 +1 4\n+4 9 5\n";
        let table = [
            (Joining::Never, vec![1, 2, 3, 4, 5]),
            (Joining::SameLine, vec![6, 4, 5]),
            (Joining::SameFile, vec![15]),
        ];
        let layout = Layout {
            positions: Positions {
                address: true,
                block: false,
                line: true,
            },
            events: 1,
        };
        let bytes = [&text[..], &[b'\n'; super::super::fast_line::MAX_LINE]].concat();
        for (joining, expected) in table {
            let (mut cursor, mut output) = (Cursor::new(&bytes), Output::default());
            while cursor.position() < text.len() {
                assert!(output.cost_lines(&mut cursor, &layout, joining, false));
            }
            let counts: Vec<_> = output.counts.iter().map(|count| count.or_zero()).collect();
            assert_eq!(counts, expected, "{joining:?}");
            let lines: u64 = output.lines.iter().map(|line| line.count()).sum();
            assert_eq!(lines, 5);
        }
    }
}
