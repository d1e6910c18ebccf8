//! Cost lines: the innermost loop of the program.

use super::{Callee, Next, Reader};
use crate::profile::{AddError, Call, Count, FunctionId, Overflow, Place, TooMany};
use crate::read::header::Positions;
use crate::read::record::{Cursor, Malformed};
use crate::read::warning::{Cause, Error, Warning};

impl Reader<'_> {
    #[inline(always)]
    pub(super) fn cost_line(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        let begin = *cursor;
        match self.parse_cost(cursor) {
            Ok((line, given)) => self.add_cost(line, given),
            Err(malformed) => {
                *cursor = begin;
                cursor.take_line();
                self.leave_out(malformed)
            }
        }
    }

    /// Reads positions and counts: the line number, and how many counts the line gave.
    #[inline(always)]
    fn parse_cost(&mut self, cursor: &mut Cursor<'_>) -> Result<(u32, usize), Malformed> {
        let Positions {
            mut address,
            mut block,
            mut line,
        } = self.base;
        let given = self.header.positions();
        if given.address {
            address = cursor.position(address)?;
        }
        if given.block {
            block = cursor.position(block)?;
        }
        if given.line {
            line = cursor.position(line)?;
        }
        let line_number = u32::try_from(line).map_err(|_| Malformed::PositionRange)?;
        let mut given = 0;
        while !cursor.end_line() {
            let count = cursor.count()?.map_or(Ok(Count::UNDEFINED), Count::new);
            *self.counts.get_mut(given).ok_or(Malformed::TooManyCounts)? =
                count.map_err(|Overflow| Malformed::CountRange)?;
            given += 1;
        }
        if matches!(self.next, Next::SelfCost) || !self.header.keeps_base() {
            self.base = Positions {
                address,
                block,
                line,
            };
        }
        Ok((line_number, given))
    }

    /// Goes on after a cost line that makes no sense.
    #[cold]
    fn leave_out(&mut self, malformed: Malformed) -> Result<(), Error> {
        if !self.header.has_events() {
            return Err(self.error(Cause::NoEvents));
        }
        if malformed == Malformed::CountRange {
            return Err(self.error(Cause::Number));
        }
        self.warn(Warning::Malformed(malformed));
        self.next = Next::SelfCost;
        Ok(())
    }

    #[inline(always)]
    fn add_cost(&mut self, line: u32, given: usize) -> Result<(), Error> {
        let (Next::SelfCost, Some(function), false) =
            (self.next, self.function, self.callee.is_begun)
        else {
            return self.add_other_cost(line, given);
        };
        self.in_body = true;
        let counts = &self.counts[..given];
        let site = Place {
            function,
            file: self.file,
            line,
        };
        let added = self
            .header
            .part
            .add_self_cost(counts)
            .map_err(AddError::from);
        let added = added.and_then(|()| {
            self.profile
                .add_cost(site, self.header.spread(counts, &mut self.spread))
        });
        added.map_err(|error| self.add_error(error))
    }

    /// Adds the cost of a call, or a self cost for which something has to be seen to first.
    fn add_other_cost(&mut self, line: u32, given: usize) -> Result<(), Error> {
        if !self.header.has_events() {
            return Err(self.error(Cause::NoEvents));
        }
        self.in_body = true;
        let function = match self.function {
            Some(function) => function,
            None => self.unknown_function()?,
        };
        let cost = self.header.spread(&self.counts[..given], &mut self.spread);
        let site = Place {
            function,
            file: self.file,
            line,
        };
        match std::mem::replace(&mut self.next, Next::SelfCost) {
            Next::Ignored => Ok(()),
            Next::Call { count, callee, .. } => {
                let added = self.profile.add_call(Call { site, callee }, count, cost);
                added.map_err(|error| self.add_error(error))
            }
            Next::SelfCost => {
                self.callee = Callee::default();
                self.add_cost(line, given)
            }
        }
    }

    #[cold]
    fn add_error(&self, error: AddError) -> Error {
        self.error(match error {
            AddError::Overflow => Cause::Sum,
            AddError::TooMany => Cause::TooMany,
        })
    }

    /// Where costs before any `fn=` go.
    #[cold]
    fn unknown_function(&mut self) -> Result<FunctionId, Error> {
        let function = self
            .profile
            .add_name(b"???")
            .and_then(|name| self.function_named(name));
        let function = function.map_err(|TooMany| self.error(Cause::TooMany))?;
        self.function = Some(function);
        Ok(function)
    }
}
