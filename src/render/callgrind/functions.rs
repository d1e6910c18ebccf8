//! Functions with their lines.

use std::io::{self, Write};

use crate::profile::{
    Code, CodePlace, Count, Division, FileId, Function, FunctionId, ObjectId, Profile,
};
use crate::render::Style;
use crate::render::callgrind::WriteError;
use crate::render::callgrind::names::{Chunk, Name};
use crate::render::number::NumberText;
use crate::view::{CodeLine, CodeRecord, Export, ExportLine};

/// Makes a chunk. The current object and file are those of the chunk: at its start they are unknown.
pub(super) struct FunctionWriter<'a> {
    pub(super) profile: &'a Profile,
    style: Style<'a>,
    pub(super) chunk: Chunk,
    object: Option<ObjectId>,
    file: Option<FileId>,
    /// The function that the last lines were inlined from.
    inlined: Division,
}

impl<'a> FunctionWriter<'a> {
    pub(super) fn new(profile: &'a Profile, style: Style<'a>) -> FunctionWriter<'a> {
        FunctionWriter {
            profile,
            style,
            chunk: Chunk::default(),
            object: None,
            file: None,
            inlined: Division::NONE,
        }
    }

    pub(super) fn write(
        mut self,
        functions: &[FunctionId],
        written: &Export<'_>,
    ) -> Result<Chunk, WriteError> {
        for &function in functions {
            if let Some(code) = written.code() {
                self.function(function);
                for line in written.code_lines(function) {
                    self.code_line(function, &line, code)?;
                }
                continue;
            }
            self.function(function);
            for line in written.lines(function) {
                self.line(self.profile.function(function), &line);
            }
        }
        Ok(self.chunk)
    }

    /// Writes the start of a function.
    fn function(&mut self, id: FunctionId) {
        let function = self.profile.function(id);
        self.text(b"\n");
        if self.object != Some(function.object) {
            self.chunk.name("ob", Name::CurrentObject(function.object));
            self.object = Some(function.object);
        }
        self.chunk.name("fl", Name::File(function.file));
        self.file = Some(function.file);
        self.chunk.name("fn", Name::Function(id));
        self.inlined = Division::NONE;
    }

    /// Writes a self cost, or a call with its cost.
    fn line(&mut self, function: &Function, line: &ExportLine<'_>) {
        let place = line.location();
        self.enter_file(function, place.file);
        self.enter_inlined(place.division);
        let cost = match *line {
            ExportLine::SelfCost(_, cost) => cost,
            ExportLine::Call(_, called, count, cost) => {
                self.callee(function, place.file, called);
                // The format has no negative numbers of calls. They are wrapped: callgrind_annotate would take the cost of a
                // call with a minus sign for self cost.
                self.text(b"calls=");
                self.digits(count.cast_unsigned());
                self.text(b" ");
                self.digits(self.profile.function(called).line.into());
                self.text(b"\n");
                cost
            }
        };
        self.digits(place.line.into());
        self.counts(cost);
        self.text(b"\n");
    }

    /// Writes the file of the next line, if it is another than that of the last.
    pub(super) fn enter_file(&mut self, function: &Function, file: FileId) {
        if self.file != Some(file) {
            let is_own = file == function.file;
            self.chunk
                .name(if is_own { "fe" } else { "fi" }, Name::File(file));
            self.file = Some(file);
        }
    }

    /// Writes the function that the next line was inlined from, if it is another than that of the last.
    pub(super) fn enter_inlined(&mut self, division: Division) {
        if self.inlined != division {
            self.inlined = division;
            self.chunk.name("cfni", Name::Inlined(division));
        }
    }

    /// Writes what the next calls, made in `file`, call.
    pub(super) fn callee(&mut self, function: &Function, file: FileId, called: FunctionId) {
        let callee = self.profile.function(called);
        if callee.object != function.object {
            self.chunk.name("cob", Name::Object(callee.object));
        }
        // Written also where readers would assume it.
        if callee.file != file || file != function.file {
            self.chunk.name("cfi", Name::File(callee.file));
        }
        self.chunk.name("cfn", Name::Function(called));
    }

    /// Writes the counts of a cost line. Undefined ones at the end are omitted; others are written as 0, because
    /// KCachegrind stops reading at a `.`.
    pub(super) fn counts(&mut self, cost: &[Count]) {
        let shown = self.style.shown;
        let last = shown
            .iter()
            .rposition(|&event| cost[event].value().is_some());
        for &event in &shown[..last.map_or(0, |last| last + 1)] {
            let mut text = NumberText::plain(cost[event].or_zero());
            text.prepend(b' ');
            self.text(text.as_bytes());
        }
    }

    fn digits(&mut self, number: u64) {
        let mut text = NumberText::new();
        text.prepend_digits(number, 1);
        self.text(text.as_bytes());
    }

    pub(super) fn text(&mut self, text: &[u8]) {
        self.chunk.text.extend_from_slice(text);
    }
}

impl FunctionWriter<'_> {
    /// Writes a self cost, a jump, or calls with their cost.
    pub(super) fn code_line(
        &mut self,
        id: FunctionId,
        line: &CodeLine<'_>,
        code: &Code,
    ) -> Result<(), WriteError> {
        let (function, at) = (self.profile.function(id), line.at);
        self.enter_file(function, at.file);
        self.enter_inlined(at.division);
        let cost = match &line.record {
            CodeRecord::Cost(cost) => Some(&cost[..]),
            CodeRecord::Jump(jump, taken, executed) => {
                let target = jump.target;
                if target.file != at.file {
                    self.chunk.name("jfi", Name::File(target.file));
                }
                if target.function != at.function {
                    self.chunk.name("jfn", Name::Function(target.function));
                }
                match jump.is_conditional {
                    true => write!(self.chunk.text, "jcnd={taken}/{executed} ")?,
                    false => write!(self.chunk.text, "jump={taken} ")?,
                }
                self.position(target, code)?;
                self.text(b"\n");
                None
            }
            CodeRecord::Call(call, count, cost) => {
                self.callee(function, at.file, call.callee);
                write!(self.chunk.text, "calls={count} ")?;
                let target = CodePlace {
                    address: call.address,
                    line: call.line,
                    ..at
                };
                self.position(target, code)?;
                self.text(b"\n");
                Some(&cost[..])
            }
        };
        self.position(at, code)?;
        if let Some(cost) = cost {
            // Derived events are not those of the profile's records.
            let mut cost = cost.to_vec();
            self.profile.events().derive(&mut cost);
            self.counts(&cost);
        }
        self.text(b"\n");
        Ok(())
    }

    /// Writes an address, a line or both.
    fn position(&mut self, at: CodePlace, code: &Code) -> io::Result<()> {
        match (code.has_addresses, code.has_lines) {
            (true, true) => write!(self.chunk.text, "{:#x} {}", at.address, at.line),
            (true, false) => write!(self.chunk.text, "{:#x}", at.address),
            (false, _) => write!(self.chunk.text, "{}", at.line),
        }
    }
}
