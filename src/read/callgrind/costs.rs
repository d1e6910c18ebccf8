//! Cost lines: the innermost loop of the program.

use super::{Base, Callee, Next, Reader};
use crate::profile::{AddError, Call, Count, FunctionId, Place, TooMany};
use crate::read::cursor::{Malformed, Step};
use crate::read::line::CostLine;
use crate::read::warning::{Cause, Error, Warning};

impl Reader<'_> {
    /// Takes in a cost line with its counts.
    #[inline(always)]
    pub(super) fn cost_line(
        &mut self,
        address: Step,
        line: Step,
        counts: &[Count],
    ) -> Result<(), Error> {
        let at = (address.from(self.base.address), line.from(self.base.line));
        let (Ok(address), Ok(line)) = at else {
            return self.leave_out(Malformed::PositionRange, None);
        };
        let Ok(number) = u32::try_from(line) else {
            return self.leave_out(Malformed::PositionRange, None);
        };
        self.move_base(Base { address, line });
        self.add_cost(number, counts)
    }

    /// Goes to the positions of the cost line at hand, if those of the next are relative to them.
    #[inline(always)]
    fn move_base(&mut self, base: Base) {
        if matches!(self.next, Next::SelfCost) || !self.header.keeps_base() {
            self.base = base;
        }
    }

    /// Takes in self costs of one source line; false, and nothing is done, if something is to be seen to with one
    /// of them.
    #[inline(always)]
    pub(super) fn self_costs(&mut self, cost: &CostLine, counts: &[Count]) -> bool {
        let to = (
            cost.address().from(self.base.address),
            cost.line().from(self.base.line),
        );
        let (Ok(address), Ok(line)) = to else {
            return false;
        };
        let (Ok(number), Next::SelfCost, true, false) = (
            u32::try_from(line),
            self.next,
            self.in_body,
            self.callee.is_begun,
        ) else {
            return false;
        };
        if self.adds {
            let Some(function) = self.function else {
                return false;
            };
            let place = Place {
                function,
                file: self.file,
                line: number,
            };
            if self.header.part.add_self_cost(counts).is_err() {
                return false;
            }
            let cost = self.header.spread(counts, &mut self.spread);
            if self.profile.add_cost(place, cost).is_err() {
                self.take_back(counts);
                return false;
            }
        }
        self.base = Base { address, line };
        true
    }

    /// Takes a cost from the part's own sum again.
    #[cold]
    fn take_back(&mut self, counts: &[Count]) {
        for (sum, count) in self.header.part.self_cost.iter_mut().zip(counts) {
            // The same number was added to it.
            let _ = Count::new(count.or_zero().wrapping_neg()).and_then(|minus| sum.add(minus));
        }
    }

    /// Goes on after a cost line that makes no sense.
    #[cold]
    pub(super) fn leave_out(
        &mut self,
        malformed: Malformed,
        at: Option<CostLine>,
    ) -> Result<(), Error> {
        if !self.header.has_events() {
            return Err(self.error(Cause::NoEvents));
        }
        if malformed == Malformed::CountRange {
            return Err(self.error(Cause::Number));
        }
        self.warn(Warning::Malformed(malformed));
        let to = at.map(|at| {
            (
                at.address().from(self.base.address),
                at.line().from(self.base.line),
            )
        });
        if let Some((Ok(address), Ok(line))) = to {
            self.move_base(Base { address, line });
        }
        self.next = Next::SelfCost;
        Ok(())
    }

    #[inline(always)]
    fn add_cost(&mut self, line: u32, counts: &[Count]) -> Result<(), Error> {
        let (Next::SelfCost, Some(function), false, true) =
            (self.next, self.function, self.callee.is_begun, self.adds)
        else {
            return self.add_other_cost(line, counts);
        };
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
    fn add_other_cost(&mut self, line: u32, counts: &[Count]) -> Result<(), Error> {
        if !self.header.has_events() {
            return Err(self.error(Cause::NoEvents));
        }
        self.enter_body();
        if !self.adds {
            self.next = Next::SelfCost;
            return Ok(());
        }
        let function = match self.function {
            Some(function) => function,
            None => self.unknown_function()?,
        };
        let cost = self.header.spread(counts, &mut self.spread);
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
                self.add_cost(line, counts)
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
