//! Cost lines: the innermost loop of the program.

use super::{Base, Callee, Next, Reader};
use crate::profile::{AddError, Call, Count, FunctionId, Place, TooMany};
use crate::read::cursor::{Malformed, Step};
use crate::read::line::CostLine;
use crate::read::warning::{Cause, Error, Warning};

impl Reader<'_> {
    /// Takes in self costs of one source line, as nearly all cost lines are; false, and nothing is done, if something
    /// is to be seen to with one of them.
    #[inline(always)]
    pub(super) fn self_costs(&mut self, cost: &CostLine, counts: &[Count]) -> bool {
        let (Some((base, line)), Next::SelfCost, true, false) =
            (self.at(cost), self.next, self.in_body, self.callee.is_begun)
        else {
            return false;
        };
        if self.adds {
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
            let cost = self.header.spread(counts, &mut self.spread);
            if self.profile.add_cost(place, cost).is_err() {
                self.take_back(counts);
                return false;
            }
        }
        self.base = base;
        true
    }

    /// The positions that a cost line leads to, and the number of its source line; nothing if they are out of range,
    /// or if it is several lines and one of them may be.
    #[inline(always)]
    fn at(&self, cost: &CostLine) -> Option<(Base, u32)> {
        let address = cost.address().from(self.base.address).ok()?;
        let line = cost.line().from(self.base.line).ok()?;
        let base = Base { address, line };
        let line = u32::try_from(line).ok()?;
        let is_at_end =
            line > u32::MAX - Step::SLACK || address > u64::MAX - u64::from(Step::SLACK);
        let is_sure = cost.lines() == 1 || !is_at_end;
        is_sure.then_some((base, line))
    }

    /// Takes in any cost line that stands for itself.
    pub(super) fn cost_line(&mut self, cost: &CostLine, counts: &[Count]) -> Result<(), Error> {
        match self.at(cost) {
            Some((base, line)) => {
                self.move_base(base);
                self.add_cost(line, counts)
            }
            None => self.leave_out(Malformed::PositionRange, None),
        }
    }

    /// Goes to the positions of the cost line at hand, if those of the next are relative to them.
    fn move_base(&mut self, base: Base) {
        if matches!(self.next, Next::SelfCost) || !self.header.keeps_base() {
            self.base = base;
        }
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

    /// Adds the cost of calls, or a self cost for which something has to be seen to first.
    fn add_cost(&mut self, line: u32, counts: &[Count]) -> Result<(), Error> {
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
        let site = Place {
            function,
            file: self.file,
            line: self.options.detail.line(line),
        };
        let added = match std::mem::replace(&mut self.next, Next::SelfCost) {
            Next::Ignored => Ok(()),
            Next::Call { count, .. } => self.add_call(site, count, counts),
            Next::SelfCost => {
                self.callee = Callee::default();
                let summed = self.header.part.add_self_cost(counts);
                let cost = self.header.spread(counts, &mut self.spread);
                let summed = summed.map_err(AddError::from);
                summed.and_then(|()| self.profile.add_cost(site, cost))
            }
        };
        added.map_err(|error| self.add_error(error))
    }

    /// Adds the cost of so many calls.
    fn add_call(&mut self, site: Place, count: i64, counts: &[Count]) -> Result<(), AddError> {
        let Some(called) = self.called.filter(|_| self.options.detail.calls) else {
            return Ok(self.profile.see_place(site)?);
        };
        let callee = self
            .profile
            .add_function(called.object, called.file, called.name)?;
        let cost = self.header.spread(counts, &mut self.spread);
        self.profile.add_call(Call { site, callee }, count, cost)
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
            .keeper
            .keep(b"???")
            .and_then(|name| self.function_named(name));
        let function = function.map_err(|TooMany| self.error(Cause::TooMany))?;
        self.function = Some(function);
        Ok(function)
    }
}
