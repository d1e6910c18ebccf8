//! Records of instructions: costs, calls and jumps by address. They are kept beside the others if a report needs them.

use crate::profile::{
    AddError, CodeCall, CodeJump, CodePlace, Count, Division, FileId, Fragment, FunctionId, NameId,
};
use crate::read::callgrind::{Expected, LastPosition, Reader};
use crate::read::cursor::{Cursor, Malformed, Positions};
use crate::read::header::{target, words};
use crate::read::warning::{Error, ErrorKind, Warning};

/// What is known of the instructions around the current line.
#[derive(Default)]
pub(super) struct CodeReader {
    /// A jump whose source comes next, and where the cost line before it was, if that is of the same function.
    jump: Option<(Jump, Option<CodePlace>)>,
    /// `jfi=` and `jfn=`: where the next jump goes to, if it is another file or function.
    pub(super) jump_file: Option<FileId>,
    pub(super) jump_function: Option<NameId>,
    /// Where the last self cost was, and whether calls were made there since.
    last: Option<CodePlace>,
    has_called: bool,
    /// A self cost that may be that of skipped code.
    pending: Option<(CodePlace, Vec<Count>)>,
}

impl Reader<'_> {
    /// Reads `jump=` or `jcnd=`: the next line has its source.
    pub(super) fn jump(&mut self, is_conditional: bool, value: &[u8]) -> Result<(), Error> {
        self.call.expected = Expected::JumpSource { line: self.line };
        let (is_wanted, last, before) = (self.part.is_wanted, self.at.last, self.place_before());
        let Some(code) = self.code.as_mut().filter(|_| is_wanted) else {
            return Ok(());
        };
        let positions = self.part.header.layout.positions;
        match Jump::parse(is_conditional, value, positions, last) {
            Ok(jump) => code.jump = Some((jump, before)),
            Err(Malformed::CountRange) => return Err(self.error(ErrorKind::Number)),
            Err(_) => {
                code.jump = None;
                self.warn(Warning::Jump);
            }
        }
        Ok(())
    }

    /// Whether costs and calls are kept by address. Those without addresses are not: they are known by line already.
    #[inline(always)]
    pub(super) fn keeps_addresses(&self) -> bool {
        self.code.is_some() && self.part.header.layout.positions.address
    }

    /// Begins the body of a part whose instructions are kept.
    pub(super) fn begin_code(&mut self) {
        let positions = self.part.header.layout.positions;
        let code = self.profile.code();
        code.has_addresses |= positions.address;
        code.lacks_addresses |= !positions.address;
        code.has_lines |= positions.line;
    }

    /// Keeps a self cost by address too.
    pub(super) fn add_code_cost(
        &mut self,
        at: CodePlace,
        counts: &[Count],
    ) -> Result<(), AddError> {
        self.flush_skipped();
        let keeps_addresses = self.keeps_addresses();
        let Some(code) = self.code.as_mut().filter(|_| keeps_addresses) else {
            return Ok(());
        };
        let cost = self.part.header.widened(counts, &mut self.widened);
        self.profile.code().costs.add(at, cost);
        // The cost of skipped code is on a second line, behind the calls that it made.
        let is_skipped = code.has_called && code.last == Some(at);
        code.pending = is_skipped.then(|| (at, cost.to_vec()));
        code.last = Some(at);
        code.has_called = false;
        Ok(())
    }

    /// Keeps calls by address too.
    pub(super) fn add_code_call(
        &mut self,
        site: CodePlace,
        callee: FunctionId,
        count: i64,
        counts: &[Count],
    ) -> Result<(), AddError> {
        self.begin_block(site);
        let keeps_addresses = self.keeps_addresses();
        let Some(code) = self.code.as_mut().filter(|_| keeps_addresses) else {
            return Ok(());
        };
        code.has_called |= code.last.is_some_and(|last| last.address == site.address);
        let LastPosition { address, line } = self.call.target;
        let call = CodeCall {
            site,
            callee,
            address,
            line: line as u32,
        };
        let cost = self.part.header.widened(counts, &mut self.widened);
        self.profile.code().add_call(call, count, cost);
        Ok(())
    }

    /// Where the last cost line was, if it had the file and the function that the next one has.
    fn place_before(&self) -> Option<CodePlace> {
        let Fragment {
            function,
            file,
            division,
        } = self.profile.fragment(self.at.fragment?);
        Some(CodePlace {
            function,
            address: self.at.last.address,
            file,
            line: u32::try_from(self.at.last.line).ok()?,
            division,
        })
    }

    /// Keeps a jump of one line, which is from where the cost line before it was.
    pub(super) fn end_jump(&mut self, line: u64) -> Result<(), Error> {
        let jump = self.code.as_ref().and_then(|code| code.jump);
        match jump {
            None => Ok(()),
            Some((_, Some(before))) => {
                let added = self.add_code_jump(before);
                added.map_err(|error| self.add_error(error))
            }
            Some((_, None)) => {
                self.code.as_mut().and_then(|code| code.jump.take());
                self.warnings.add(line, Warning::Jump);
                Ok(())
            }
        }
    }

    /// Keeps the jump whose source this is, if there is one.
    pub(super) fn add_code_jump(&mut self, mut site: CodePlace) -> Result<(), AddError> {
        if !self.part.header.layout.positions.address {
            // The last address is that of another part.
            site.address = 0;
        }
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
            None => site.function,
        };
        let target = CodePlace {
            function,
            address: jump.target.address,
            file: file.unwrap_or(self.target_file()),
            line: jump.target.line as u32,
            division: Division::NONE,
        };
        let key = CodeJump {
            site,
            target,
            is_conditional: jump.is_conditional,
        };
        self.profile.add_jump(key, jump.taken, jump.executed)?;
        Ok(())
    }

    /// What calls or jumps from here follows: a second cost at the same address is then that of another block which
    /// begins there, not of skipped code.
    fn begin_block(&mut self, site: CodePlace) {
        if let Some(code) = &mut self.code
            && let Some((pending, _)) = &code.pending
            && pending.address == site.address
        {
            code.pending = None;
        }
        self.flush_skipped()
    }

    /// Keeps the cost of skipped code, now that nothing says it is none.
    pub(super) fn flush_skipped(&mut self) {
        let pending = self.code.as_mut().and_then(|code| code.pending.take());
        if let Some((at, cost)) = pending {
            self.profile.code().skipped.add(at, &cost);
        }
    }
}

/// A jump whose source is on the next line.
#[derive(Clone, Copy)]
struct Jump {
    is_conditional: bool,
    taken: i64,
    executed: i64,
    target: LastPosition,
}

impl Jump {
    /// `299 +62 *`, `9487/14151 +25 +3` as callgrind writes it, or `14151 9487 +25 +3` as the specification has it.
    fn parse(
        is_conditional: bool,
        value: &[u8],
        positions: Positions,
        last: LastPosition,
    ) -> Result<Jump, Malformed> {
        let value = value.trim_ascii_start();
        let slash = value
            .iter()
            .position(|byte| !byte.is_ascii_hexdigit() && *byte != b'x');
        let slash = slash.filter(|&at| value[at] == b'/');
        let of_positions = [positions.address, positions.block, positions.line];
        let of_positions = of_positions
            .into_iter()
            .filter(|is_given| *is_given)
            .count();
        let mut cursor = Cursor::new(&value[slash.map_or(0, |at| at + 1)..]);
        let executed = cursor.count()?.ok_or(Malformed::Count)?;
        let taken = match slash {
            Some(at) => Cursor::new(&value[..at]).count()?,
            None if is_conditional && words(value).count() == of_positions + 2 => cursor.count()?,
            None => Some(executed),
        };
        Ok(Jump {
            is_conditional,
            taken: taken.ok_or(Malformed::Count)?,
            executed,
            target: target(&mut cursor, positions, last)?,
        })
    }
}
