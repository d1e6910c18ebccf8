//! Cost lines: the innermost loop of the program.

use super::{Expected, LastPosition, PendingCallee, Reader};
use crate::profile::{AddError, Call, CodePlace, Count, FunctionId, Place, TooMany};
use crate::read::cursor::Malformed;
use crate::read::join::MARGIN;
use crate::read::line::CostLine;
use crate::read::warning::{Error, ErrorKind, Warning};

impl Reader<'_> {
    /// Adds a self cost, as nearly all cost lines are; false, and nothing is changed, if a line needs anything else.
    #[inline(always)]
    pub(super) fn try_add(&mut self, cost: &CostLine, counts: &[Count]) -> bool {
        let (Some((last, line)), Expected::SelfCost, true, false) = (
            self.position(cost),
            self.expected,
            self.in_body,
            self.callee.is_begun || self.code.is_some(),
        ) else {
            return false;
        };
        if self.is_wanted {
            let Some(function) = self.function else {
                return false;
            };
            let place = Place {
                function,
                file: self.file,
                line: self.options.detail.line(line),
            };
            if self.header.part.add_self_cost(counts).is_err() {
                return false;
            }
            let cost = self.header.widened(counts, &mut self.widened);
            if self.profile.add_cost(place, cost).is_err() {
                self.undo(counts);
                return false;
            }
        }
        self.last = last;
        true
    }

    /// The positions that a cost line leads to, and the number of its source line; `None` if they are out of range, or if
    /// one of several joined lines may be.
    #[inline(always)]
    fn position(&self, cost: &CostLine) -> Option<(LastPosition, u32)> {
        let address = cost.address().apply(self.last.address).ok()?;
        let line = cost.line().apply(self.last.line).ok()?;
        let last = LastPosition { address, line };
        let line = u32::try_from(line).ok()?;
        let is_near_end = line > u32::MAX - MARGIN || address > u64::MAX - u64::from(MARGIN);
        let is_in_range = cost.lines() == 1 || !is_near_end;
        is_in_range.then_some((last, line))
    }

    /// Reads any cost line that is not joined.
    pub(super) fn cost_line(&mut self, cost: &CostLine, counts: &[Count]) -> Result<(), Error> {
        if matches!(self.expected, Expected::JumpSource) && !counts.is_empty() {
            self.expected = Expected::SelfCost;
        }
        match self.position(cost) {
            Some((position, line)) => {
                self.set_last_position(position);
                self.add_cost(position.address, line, counts)
            }
            None => self.skip_malformed(Malformed::PositionRange, None),
        }
    }

    /// Sets the positions of the current cost line as the last ones, if the next are relative to them.
    fn set_last_position(&mut self, position: LastPosition) {
        if matches!(self.expected, Expected::SelfCost) || !self.header.base_ignores_calls() {
            self.last = position;
        }
    }

    /// Subtracts a cost from the part's own sum.
    #[cold]
    fn undo(&mut self, counts: &[Count]) {
        for (sum, count) in self.header.part.self_cost.iter_mut().zip(counts) {
            // This cannot fail: the number was added before.
            let _ = Count::new(count.or_zero().wrapping_neg()).and_then(|minus| sum.add(minus));
        }
    }

    /// Leaves out a malformed cost line.
    #[cold]
    pub(super) fn skip_malformed(
        &mut self,
        malformed: Malformed,
        at: Option<CostLine>,
    ) -> Result<(), Error> {
        if !self.header.has_events() {
            return Err(self.error(ErrorKind::NoEvents));
        }
        if malformed == Malformed::CountRange {
            return Err(self.error(ErrorKind::Number));
        }
        self.warn(Warning::Malformed(malformed));
        if let Some(at) = at
            && let Ok(address) = at.address().apply(self.last.address)
            && let Ok(line) = at.line().apply(self.last.line)
        {
            self.set_last_position(LastPosition { address, line });
        }
        self.expected = Expected::SelfCost;
        Ok(())
    }

    /// Adds the cost of calls, or a self cost that [`Reader::try_add`] left.
    fn add_cost(&mut self, address: u64, line: u32, counts: &[Count]) -> Result<(), Error> {
        if !self.header.has_events() {
            return Err(self.error(ErrorKind::NoEvents));
        }
        self.enter_body();
        if !self.is_wanted {
            self.expected = Expected::SelfCost;
            return Ok(());
        }
        let function = match self.function {
            Some(function) => function,
            None => self.unknown_function()?,
        };
        let site = Place {
            function,
            file: self.file,
            line: self.options.detail.line(line),
        };
        let at = CodePlace {
            function,
            address,
            file: self.file,
            line,
        };
        let added = match std::mem::replace(&mut self.expected, Expected::SelfCost) {
            Expected::Ignored => Ok(()),
            Expected::JumpSource => self.add_code_jump(at),
            Expected::Call { count, .. } => self.add_call(site, at, count, counts),
            Expected::SelfCost => {
                self.callee = PendingCallee::default();
                let summed = self.header.part.add_self_cost(counts);
                let cost = self.header.widened(counts, &mut self.widened);
                let summed = summed.map_err(AddError::from);
                summed
                    .and_then(|()| self.profile.add_cost(site, cost))
                    .and_then(|()| self.add_code_cost(at, counts))
            }
        };
        added.map_err(|error| self.add_error(error))
    }

    /// Adds the cost of `count` calls of the last callee.
    fn add_call(
        &mut self,
        site: Place,
        at: CodePlace,
        count: i64,
        counts: &[Count],
    ) -> Result<(), AddError> {
        let Some(callee) = self.last_callee.filter(|_| self.options.detail.calls) else {
            return Ok(self.profile.see_place(site)?);
        };
        let callee = self
            .profile
            .add_function(callee.object, callee.file, callee.name)?;
        let cost = self.header.widened(counts, &mut self.widened);
        self.profile.add_call(Call { site, callee }, count, cost)?;
        self.add_code_call(at, callee, count, counts)
    }

    #[cold]
    pub(super) fn add_error(&self, error: AddError) -> Error {
        self.error(match error {
            AddError::Overflow => ErrorKind::Sum,
            AddError::TooMany => ErrorKind::TooMany,
        })
    }

    /// The function of costs before any `fn=`.
    #[cold]
    fn unknown_function(&mut self) -> Result<FunctionId, Error> {
        let function = self
            .interner
            .intern(b"???")
            .and_then(|name| self.function_named(name));
        let function = function.map_err(|TooMany| self.error(ErrorKind::TooMany))?;
        self.function = Some(function);
        Ok(function)
    }
}
