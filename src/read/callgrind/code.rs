//! Reads instructions, if a report needs them: positions with addresses, skipped code, and jumps.

use crate::profile::{
    AddError, Count, FileId, FragmentId, Jump, LimitExceeded, NameId, Place, Position, PositionId,
};
use crate::read::callgrind::Reader;
use crate::read::cursor::LinePosition;
use crate::read::jump::JumpLine;
use crate::read::warning::{ErrorKind, Warning};

/// The state for the instructions around the current line.
#[derive(Default)]
pub(super) struct CodeReader {
    /// A jump whose source comes next, and the place of the cost line before it, if that is of the
    /// same function.
    jump: Option<(JumpLine, Option<(FragmentId, LinePosition)>)>,
    /// `jfi=` and `jfn=`: the target of the next jump, if that is another file or function.
    pub(super) jump_file: Option<FileId>,
    pub(super) jump_function: Option<NameId>,
    /// The place of the last self cost, and whether calls were made there since.
    last: Option<Place>,
    has_called: bool,
    /// The place of a self cost that may be that of skipped code, and its counts.
    pending: Option<Place>,
    pending_cost: Vec<Count>,
}

impl Reader<'_> {
    /// Notes a jump, whose source is on the next line; none if it is malformed.
    pub(super) fn begin_jump(&mut self, jump: Option<JumpLine>) {
        let (file, last) = (self.state.files.named(), self.state.last);
        let before = self
            .current
            .fragment
            .filter(|&(of, _)| of == file)
            .map(|(_, fragment)| (fragment, last));
        if let Some(code) = &mut self.code {
            code.jump = jump.map(|jump| (jump, before));
        }
    }

    #[inline(always)]
    pub(super) fn keeps_addresses(&self) -> bool {
        self.part.header.layout.keeps_addresses(self.options.detail)
    }

    /// The position of a cost line. Instructions keep their lines, even if the report needs no
    /// lines otherwise.
    #[inline(always)]
    pub(super) fn position(&mut self, at: LinePosition) -> Result<PositionId, LimitExceeded> {
        self.profile.add_position(if self.keeps_addresses() {
            position_of(at)
        } else {
            Position::of_line(self.options.detail.line(at.line as u32))
        })
    }

    /// Notes whether a self cost of an instruction is that of skipped code.
    pub(super) fn note_code_cost(&mut self, at: Place, counts: &[Count]) {
        self.flush_skipped();
        let keeps_addresses = self.keeps_addresses();
        let Some(code) = self.code.as_mut().filter(|_| keeps_addresses) else {
            return;
        };
        // The cost of skipped code is on a second line, after the calls that it made.
        if code.has_called && code.last == Some(at) {
            let cost = self.part.header.widened(counts, &mut self.widened);
            code.pending = Some(at);
            code.pending_cost.clear();
            code.pending_cost.extend_from_slice(cost);
        }
        code.last = Some(at);
        code.has_called = false;
    }

    /// The site of calls from an instruction: its place, with the target of the calls.
    pub(super) fn call_site(&mut self, site: Place) -> Result<Place, LimitExceeded> {
        self.begin_block(site);
        let keeps_addresses = self.keeps_addresses();
        let Some(code) = self.code.as_mut().filter(|_| keeps_addresses) else {
            return Ok(site);
        };
        code.has_called |= code.last == Some(site);
        let target = position_of(self.call.target);
        let position = self.profile.add_call_position(site.position, target)?;
        Ok(Place { position, ..site })
    }

    /// Keeps a jump without a line for its source, which is the cost line before it.
    pub(super) fn end_jump(&mut self, line: u64) -> Result<(), ErrorKind> {
        let jump = self.code.as_ref().and_then(|code| code.jump);
        match jump {
            None => Ok(()),
            Some((_, Some((fragment, last)))) if u32::try_from(last.line).is_ok() => {
                let position = self.position(last)?;
                Ok(self.add_code_jump(Place { fragment, position })?)
            }
            Some(_) => {
                self.code.as_mut().and_then(|code| code.jump.take());
                self.warnings.add(line, Warning::Jump);
                Ok(())
            }
        }
    }

    /// Keeps the jump whose source is `site`, if there is one.
    pub(super) fn add_code_jump(&mut self, site: Place) -> Result<(), AddError> {
        self.begin_block(site);
        let Some(code) = &mut self.code else {
            return Ok(());
        };
        let (file, function) = (code.jump_file.take(), code.jump_function.take());
        let Some((jump, _)) = code.jump.take() else {
            return Ok(());
        };
        let function = match function {
            Some(name) => self.function_named(name)?,
            None => self.profile.fragment(site.fragment).function,
        };
        let key = Jump {
            site,
            function,
            file: file.unwrap_or(self.target_file()),
            target: self.profile.add_position(position_of(jump.target))?,
            is_conditional: jump.is_conditional,
        };
        self.profile.add_jump(key, jump.taken, jump.executed)
    }

    /// Keeps a jump that was lexed with its source.
    pub(super) fn add_jump(
        &mut self,
        jump: JumpLine,
        source: LinePosition,
    ) -> Result<(), AddError> {
        let (fragment, position) = (self.fragment()?, self.position(source)?);
        if let Some(code) = &mut self.code {
            code.jump = Some((jump, None));
        }
        self.add_code_jump(Place { fragment, position })
    }

    /// Prepares for calls or jumps from `site`: a pending cost at the same address is then that of
    /// another block which begins there, not of skipped code.
    fn begin_block(&mut self, site: Place) {
        if let Some(code) = &mut self.code
            && let Some(pending) = code.pending
        {
            let [pending, site] = [pending, site].map(|at| self.profile.position(at.position));
            if pending.address == site.address {
                code.pending = None;
            }
        }
        self.flush_skipped()
    }

    /// Keeps the pending cost, if there is one, which has proved to be that of skipped code.
    #[inline]
    pub(super) fn flush_skipped(&mut self) {
        if self.code.as_ref().is_some_and(|code| code.pending.is_some()) {
            self.keep_skipped();
        }
    }

    #[cold]
    fn keep_skipped(&mut self) {
        if let Some(code) = &mut self.code
            && let Some(at) = code.pending.take()
        {
            self.profile.add_skipped(at, &code.pending_cost);
        }
    }
}

fn position_of(at: LinePosition) -> Position {
    Position { address: at.address, line: at.line as u32, target: PositionId::UNKNOWN }
}
