//! Calls and jumps. The cost line that follows says where they are made.

use super::{CallsLine, Expected, Lexer, Sink, abandon_expected};
use crate::read::cursor::{Cursor, LinePosition, Malformed};
use crate::read::fast_line::FastLine;
use crate::read::header::call_target;
use crate::read::jump::JumpLine;
use crate::read::record::is_cost_line;
use crate::read::warning::{ErrorKind, Warning};

impl<'l, S: Sink> Lexer<'_, 'l, S> {
    /// Lexes `calls=`, the number of calls and where the callee begins.
    #[inline(always)]
    pub(super) fn calls(&mut self, mut fast: FastLine<'l>, value_at: usize) -> Result<(), S::Stop> {
        self.count_line();
        abandon_expected(self.sink)?;
        fast.advance(value_at as u8);
        match fast.number() {
            Some(count) if matches!(fast.peek(), b' ' | b'\n') => {
                let target = self.target(fast, value_at)?;
                let expected = self.expected_calls(count.cast_signed(), target)?;
                self.expect(expected)
            }
            _ => self.any_calls(value_at),
        }
    }

    /// Lexes the cost line of what is expected, if that is the next line, as nearly always.
    #[inline(always)]
    fn expect(&mut self, expected: Expected) -> Result<(), S::Stop> {
        if let Some(fast) = self.next_line()
            && is_cost_line(fast.peek())
            && self.layout.events > 0
        {
            return self.cost_line_of(fast, expected);
        }
        self.sink.state().expected = expected;
        Ok(())
    }

    /// The next cost line is that of this number of calls.
    #[inline(always)]
    fn expected_calls(&mut self, count: i64, target: LinePosition) -> Result<Expected, S::Stop> {
        let is_kept = self.sink.calls()?;
        let calls = CallsLine { count, target, line: self.sink.state().line };
        Ok(if is_kept { Expected::Calls(calls) } else { Expected::Ignored })
    }

    /// Lexes the position of a callee at the end of `calls=`; 0 if it is unknown. `fast` is
    /// directly after the number of calls.
    #[inline(always)]
    fn target(&mut self, mut fast: FastLine<'l>, value_at: usize) -> Result<LinePosition, S::Stop> {
        if !self.sink.keeps_targets() {
            self.skip_line(fast);
            return Ok(LinePosition::default());
        }
        if fast.skip(b' ')
            && let Some(at) = self.line_position(&mut fast)
            && fast.skip(b'\n')
        {
            self.step_over(fast);
            return Ok(at);
        }
        let value = &self.cursor.take_line()[value_at..];
        self.any_target(value)
    }

    /// The position of a callee at the end of the value of `calls=`.
    #[cold]
    fn any_target(&mut self, value: &[u8]) -> Result<LinePosition, S::Stop> {
        if !self.sink.keeps_targets() {
            return Ok(LinePosition::default());
        }
        self.check_relative(value)?;
        Ok(call_target(value, self.layout.positions, self.sink.state().last))
    }

    /// Lexes `calls=` with any number.
    #[cold]
    fn any_calls(&mut self, value_at: usize) -> Result<(), S::Stop> {
        let value = &self.cursor.take_line()[value_at..];
        match Cursor::new(value).count() {
            Ok(Some(count)) => {
                if count < 0 {
                    let line = self.sink.state().line;
                    self.sink.warn(line, Warning::NegativeCalls)?;
                }
                let target = self.any_target(value)?;
                self.sink.state().expected = self.expected_calls(count, target)?;
                Ok(())
            }
            Err(Malformed::CountRange) => Err(ErrorKind::Number.into()),
            _ => {
                self.sink.calls_without_count()?;
                self.sink.state().expected = Expected::Ignored;
                Ok(())
            }
        }
    }

    /// Lexes a jump as callgrind writes it, `299 +62 *` or `9487/14151 +25 +3`; none, without a
    /// change, if it is another one.
    fn plain_jump(
        &mut self,
        mut fast: FastLine<'l>,
        is_conditional: bool,
        value_at: usize,
    ) -> Option<JumpLine> {
        fast.advance(value_at as u8);
        let taken = fast.number()?.cast_signed();
        let executed = if is_conditional {
            fast.skip(b'/').then(|| fast.number())??.cast_signed()
        } else {
            taken
        };
        if !fast.skip(b' ') {
            return None;
        }
        let target = self.line_position(&mut fast)?;
        if !fast.skip(b'\n') {
            return None;
        }
        self.step_over(fast);
        Some(JumpLine { is_conditional, taken, executed, target })
    }

    /// Checks that positions which may be relative follow a known one.
    fn check_relative(&mut self, positions: &[u8]) -> Result<(), S::Stop> {
        let is_relative = positions.iter().any(|byte| matches!(byte, b'+' | b'-' | b'*'));
        let &mut super::State { line, last, .. } = self.sink.state();
        if is_relative && !last.is_known() {
            self.sink.warn(line, Warning::Malformed(Malformed::PositionRange))?;
        }
        Ok(())
    }

    /// Lexes `jump=` or `jcnd=`: how often, and to where.
    pub(super) fn jump(
        &mut self,
        fast: FastLine<'l>,
        is_conditional: bool,
        value_at: usize,
    ) -> Result<(), S::Stop> {
        self.count_line();
        abandon_expected(self.sink)?;
        let state = self.sink.state();
        let (line, last) = (state.line, state.last);
        if !self.sink.keeps_jumps() {
            self.skip_line(fast);
            return self.expect(Expected::JumpSource { line });
        }
        self.sink.state().expected = Expected::JumpSource { line };
        if let Some(jump) = self.plain_jump(fast, is_conditional, value_at) {
            return self.sink.jump(Some(jump));
        }
        let value = &self.cursor.take_line()[value_at..];
        self.check_relative(value)?;
        match JumpLine::parse(is_conditional, value, self.layout.positions, last) {
            Ok(jump) => self.sink.jump(Some(jump)),
            Err(Malformed::CountRange) => Err(ErrorKind::Number.into()),
            Err(_) => {
                self.sink.jump(None)?;
                self.sink.warn(line, Warning::Jump)
            }
        }
    }
}
