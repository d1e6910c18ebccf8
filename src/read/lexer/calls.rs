//! The calls and jumps of a block, each with the cost line that follows it.

use super::{Lexer, NO_LINE};
use crate::read::block::{BlockCall, BlockJump, CallAddresses, Entry, push_zeros};
use crate::read::cursor::LastPosition;
use crate::read::fast_line::FastLine;
use crate::read::header::call_target;
use crate::read::jump::JumpLine;
use crate::read::record::is_cost_line;

impl<'l> Lexer<'l> {
    /// Lexes `calls=`, `jump=` or `jcnd=` and the cost line that follows.
    #[inline(always)]
    pub(super) fn calls_or_jump(&mut self, mut fast: FastLine<'l>) -> Option<()> {
        let is_jump = matches!(fast.bytes.first_chunk(), Some(b"jcnd=" | b"jump="));
        if fast.bytes.first_chunk() == Some(b"calls=") {
            fast.advance(6);
            let count = u32::try_from(fast.number()?).ok()?;
            matches!(fast.peek(), b' ' | b'\n').then_some(())?;
            let target = if self.detail.targets {
                self.target(fast)?
            } else {
                fast.skip_line()?;
                self.cursor.advance(fast.position());
                LastPosition::default()
            };
            self.has_callee |= std::mem::take(&mut self.is_callee_named);
            self.is_callee_begun = false;
            return self.call_cost(count, target);
        }
        if !is_jump || self.is_callee_begun {
            return None;
        }
        if self.detail.code {
            return self.jump();
        }
        fast.skip_line()?;
        self.cursor.advance(fast.position());
        self.jump_source()
    }

    /// The position of a callee at the end of `calls=`; 0 if it is unknown. `fast` is directly after the number of calls.
    fn target(&mut self, mut fast: FastLine<'l>) -> Option<LastPosition> {
        if fast.skip(b' ')
            && let Some(at) = self.place(&mut fast)
            && fast.skip(b'\n')
        {
            self.cursor.advance(fast.position());
            return Some(at);
        }
        let value = self.cursor.take_line().strip_prefix(b"calls=")?;
        self.can_be_target(value)?;
        Some(call_target(value, self.layout.positions, self.last))
    }

    /// Rejects a target relative to a line before the block.
    fn can_be_target(&self, value: &[u8]) -> Option<()> {
        let is_relative = value.iter().any(|byte| matches!(byte, b'+' | b'-' | b'*'));
        (self.last.line != NO_LINE || !is_relative).then_some(())
    }

    /// Steps over empty lines and comments; none if no cost line follows.
    #[inline(always)]
    fn next_cost_line(&mut self) -> Option<FastLine<'l>> {
        loop {
            // Counts the line before this one; the caller counts the cost line.
            self.lines += 1;
            let fast = self.next_line()?;
            match fast.peek() {
                b'\n' | b'#' => drop(self.cursor.take_line()),
                byte => return is_cost_line(byte).then_some(fast),
            }
        }
    }

    /// Lexes the source of a jump: a cost line without counts. One with counts, as in old files, is left to the reader.
    fn jump_source(&mut self) -> Option<()> {
        let mut fast = self.next_cost_line()?;
        let position = self.place(&mut fast)?;
        if !fast.skip(b'\n') {
            return None;
        }
        self.cursor.advance(fast.position());
        if !self.layout.base_ignores_calls {
            self.last = position;
        }
        let file = self.files.note_call(position, self.layout.base_ignores_calls);
        if self.out.files.get(file.number as usize).is_some_and(|known| known.has_any) {
            return Some(());
        }
        self.push_call(Entry::JumpSource, file)
    }

    /// Lexes a jump that is kept, and the cost line with its source.
    fn jump(&mut self) -> Option<()> {
        let line = self.cursor.take_line();
        let (is_conditional, value) = match line.strip_prefix(b"jcnd=") {
            Some(value) => (true, value),
            None => (false, line.strip_prefix(b"jump=")?),
        };
        self.can_be_target(value)?;
        let jump = JumpLine::parse(is_conditional, value, self.layout.positions, self.last).ok()?;
        // A block has fewer than 2^31 jumps, so the sum of their counts fits into 63 bits.
        let is_small = |times: i64| u32::try_from(times).is_ok();
        if !is_small(jump.taken) || !is_small(jump.executed) {
            return None;
        }
        let mut fast = self.next_cost_line()?;
        let source = self.place(&mut fast)?;
        if !fast.skip(b'\n') {
            return None;
        }
        self.cursor.advance(fast.position());
        if !self.layout.base_ignores_calls {
            self.last = source;
        }
        let number = self.out.jumps.len() as u32;
        self.out.jumps.push(BlockJump { jump, source });
        let file = self.files.note_call(source, self.layout.base_ignores_calls);
        self.push_call(Entry::Jump(number), file)
    }

    #[inline(always)]
    fn call_cost(&mut self, count: u32, target: LastPosition) -> Option<()> {
        if !self.has_callee {
            return None;
        }
        let mut fast = self.next_cost_line()?;
        let position = self.place(&mut fast)?;
        let line = self.kept_line(position.line);
        let sums = if self.detail.calls {
            push_zeros(&mut self.out.call_counts, self.layout.events)
        } else {
            &mut self.out.unused_counts
        };
        let count_len = match sums {
            [count] => fast.add_count(count)?,
            counts => fast.add_counts(counts)?,
        };
        self.cursor.advance(fast.position());
        if !self.layout.base_ignores_calls {
            self.last = position;
        }
        let file = self.files.note_call(position, self.layout.base_ignores_calls);
        if !self.detail.calls {
            self.set_row_file(file);
            if self.keeps_addresses {
                let row = self.push_row(line, position.address);
                return self.push_in_file(Entry::Place(row as u32), file);
            }
            if u64::from(line) != self.last_row.1 {
                self.last_row = (self.row(line)?, line.into());
            }
            return Some(());
        }
        let call = self.out.calls.len();
        let count_len = count_len as u8;
        self.out.calls.push(BlockCall { line, count, target: target.line as u32, count_len });
        if self.detail.code {
            let addresses = CallAddresses { site: position.address, target: target.address };
            self.out.call_addresses.push(addresses);
        }
        self.push_call(Entry::Call(call as u32), file)
    }
}
