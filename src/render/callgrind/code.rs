//! Lines with addresses, and jumps.

use std::io::{self, Write};

use super::WriteError;
use super::functions::FunctionWriter;
use super::names::Name;
use crate::profile::{Code, CodePlace, FunctionId};
use crate::view::{CodeLine, CodeRecord};

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
