//! What each line of a file does, in the order of lines.

use super::costs::with_counts;
use super::{PendingCallee, Reader};
use crate::profile::{Count, DivideBy, Division, FileId, is_unknown_name};
use crate::read::cursor::{LinePosition, Malformed};
use crate::read::header::Layout;
use crate::read::jump::JumpLine;
use crate::read::lexer::{CallsLine, LineCounts, Sink, State};
use crate::read::record::{Name, NameOf, Record};
use crate::read::warning::{ErrorKind, Warning};

impl Sink for Reader<'_> {
    type File = FileId;
    type Stop = ErrorKind;

    #[inline(always)]
    fn state(&mut self) -> &mut State<FileId> {
        &mut self.state
    }

    fn layout(&self) -> Layout {
        self.part.header.layout
    }

    fn keeps_targets(&self) -> bool {
        self.options.detail.targets
    }

    fn keeps_jumps(&self) -> bool {
        self.options.detail.jumps && self.part.is_wanted
    }

    /// Notes what a line says about a file that has no `events:`.
    #[cold]
    fn head_line(&mut self, line: &[u8]) {
        self.has_carriage_returns |= line.contains(&b'\r');
        self.is_marked |= match Record::parse(line) {
            Record::Blank => line.trim_ascii() == b"# callgrind format",
            Record::Header(key, _) => matches!(key, b"version" | b"creator" | b"positions"),
            _ => false,
        };
    }

    fn header(&mut self, key: &[u8], value: &[u8]) -> Result<(), ErrorKind> {
        self.header_line(key, value)
    }

    fn unknown_line(&mut self, line: &[u8]) -> Result<(), ErrorKind> {
        let cost = line.trim_ascii_start();
        let begins_as_cost =
            |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'*');
        if cost.len() < line.len() && cost.first().is_some_and(begins_as_cost) {
            self.lose_cost(&Warning::UnknownLine, cost);
        }
        self.add_warning(Warning::UnknownLine);
        if self.part.header.layout.events == 0 && self.warnings.unlisted > 0 {
            return Err(ErrorKind::NoProfile);
        }
        Ok(())
    }

    fn warn(&mut self, line: u64, warning: Warning) -> Result<(), ErrorKind> {
        self.warnings.add(line, warning);
        Ok(())
    }

    fn file(&mut self, kind: NameOf, name: Name<'_>, _: usize) -> Result<FileId, ErrorKind> {
        self.enter_body();
        let file = self.file_id(name)?;
        self.current.fragment = None;
        if kind == NameOf::File {
            self.current.own_file = Some(file);
        } else if file == self.current.no_file && self.part.header.layout.is_of_callgrind {
            return Ok(self.current.own_file.unwrap_or(file));
        }
        Ok(file)
    }

    fn name(&mut self, kind: NameOf, name: Name<'_>, _: usize) -> Result<(), ErrorKind> {
        self.enter_body();
        Ok(self.set_name(kind, name)?)
    }

    fn inlined(&mut self, name: &[u8], _: usize) -> Result<(), ErrorKind> {
        self.enter_body();
        if self.options.detail.divide_by != DivideBy::Inlined || name == self.current.inlined_name {
            return Ok(());
        }
        let has_suffixes = self.part.header.layout.has_suffixes();
        self.current.inlined_name = name.to_vec();
        self.current.fragment = None;
        self.current.division = match name {
            name if is_unknown_name(name) => Division::None,
            name => Division::Inlined(self.interner.intern(name, has_suffixes)?.id),
        };
        Ok(())
    }

    fn calls(&mut self) -> Result<bool, ErrorKind> {
        self.enter_body();
        self.part.header.has_calls = true;
        if !self.part.is_wanted {
            return Ok(false);
        }
        match self.call.callee.name {
            Some(name) => self.set_callee(name)?,
            None if self.part.header.layout.is_of_callgrind => {
                self.warnings.note_damage(self.state.line, Warning::CallOfLastCallee);
            }
            None => {}
        }
        self.call.callee = PendingCallee::default();
        let has_callee = self.call.last_callee.is_some();
        if !has_callee {
            self.add_warning(Warning::CallWithoutName);
        }
        Ok(has_callee)
    }

    fn calls_without_count(&mut self) -> Result<(), ErrorKind> {
        self.enter_body();
        if self.part.is_wanted {
            self.add_warning(Warning::CallCount);
        }
        Ok(())
    }

    fn jump(&mut self, jump: Option<JumpLine>) -> Result<(), ErrorKind> {
        self.begin_jump(jump);
        Ok(())
    }

    fn jump_without_source(&mut self, line: u64) -> Result<(), ErrorKind> {
        self.end_jump(line)
    }

    fn self_cost(
        &mut self,
        file: FileId,
        at: LinePosition,
        cost: LineCounts<'_>,
    ) -> Result<(), ErrorKind> {
        let Some(site) = self.site(file, at)? else {
            return Ok(());
        };
        Ok(with_counts(self, cost, |reader, counts| reader.add_self_cost(site, counts))?)
    }

    fn call_cost(
        &mut self,
        file: FileId,
        at: LinePosition,
        calls: CallsLine,
        cost: LineCounts<'_>,
    ) -> Result<(), ErrorKind> {
        let Some(site) = self.site(file, at)? else {
            return Ok(());
        };
        self.call.target = calls.target;
        Ok(with_counts(self, cost, |reader, counts| reader.add_call(site, calls.count, counts))?)
    }

    fn jump_source(&mut self, file: FileId, at: LinePosition) -> Result<(), ErrorKind> {
        match self.site(file, at)? {
            Some(site) => Ok(self.add_code_jump(site)?),
            None => Ok(()),
        }
    }

    fn ignored_cost(&mut self, file: FileId, at: LinePosition) -> Result<(), ErrorKind> {
        self.site(file, at)?;
        Ok(())
    }

    fn skip_cost(
        &mut self,
        malformed: Malformed,
        line: &[u8],
        counts: &[Count],
    ) -> Result<(), ErrorKind> {
        self.skip(malformed, line, counts)
    }
}
