//! Cost lines: the innermost loop of the program.

use super::{Expected, LastPosition, PendingCallee, Reader};
use crate::profile::{
    AddError, Call, CodePlace, Count, Fragment, FragmentId, LimitExceeded, Place, PositionId,
};
use crate::read::cursor::Malformed;
use crate::read::join::MARGIN;
use crate::read::line::CostLine;
use crate::read::warning::{Error, ErrorKind, Warning};

impl Reader<'_> {
    /// Adds a self cost, as nearly all cost lines are, or steps over the cost of a call that the report does not need; false,
    /// and nothing is changed, if a line needs anything else.
    #[inline(always)]
    pub(super) fn try_add(&mut self, cost: &CostLine, counts: &[Count]) -> bool {
        let (Some((last, line)), true, false) = (
            self.position(cost),
            self.in_body,
            self.callee.is_begun || self.keeps_addresses(),
        ) else {
            return false;
        };
        match self.expected {
            Expected::SelfCost => {
                if self.is_wanted && !self.try_add_self_cost(line, counts) {
                    return false;
                }
                self.last = last;
                true
            }
            Expected::Call { .. }
                if !self.options.detail.calls && self.is_wanted && self.header.has_events() =>
            {
                self.try_skip_call(last, line)
            }
            _ => false,
        }
    }

    #[inline(always)]
    fn try_add_self_cost(&mut self, line: u32, counts: &[Count]) -> bool {
        let Some(place) = self.known_place(line) else {
            return false;
        };
        let cost = self.header.widened(counts, &mut self.widened);
        let is_added = self.profile.add_cost(place, cost).is_ok();
        if is_added {
            self.header.part.add_self_cost(counts);
        }
        is_added
    }

    /// Of a call only its place is kept.
    #[inline]
    fn try_skip_call(&mut self, last: LastPosition, line: u32) -> bool {
        let place = self.known_place(line);
        let is_kept = place.is_some_and(|place| self.profile.ensure_place(place).is_ok());
        if is_kept {
            self.set_last_position(last);
            self.expected = Expected::SelfCost;
        }
        is_kept
    }

    /// The place of a line of the current function, if there is one.
    #[inline(always)]
    fn known_place(&mut self, line: u32) -> Option<Place> {
        let is_known = self.fragment.is_some() || self.function.is_some();
        let fragment = is_known.then(|| self.fragment().ok()).flatten()?;
        let position = PositionId(self.options.detail.line(line));
        Some(Place { fragment, position })
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
        if let Expected::JumpSource { line } = self.expected
            && !counts.is_empty()
        {
            self.end_jump(line)?;
            self.expected = Expected::SelfCost;
        }
        match self.position(cost) {
            Some((position, line)) => {
                self.set_last_position(position);
                self.add_cost(position.address, line, counts)
            }
            None => self.skip_out_of_range(counts),
        }
    }

    /// Sets the positions of the current cost line as the last ones, if the next are relative to them.
    fn set_last_position(&mut self, position: LastPosition) {
        if matches!(self.expected, Expected::SelfCost) || !self.header.base_ignores_calls() {
            self.last = position;
        }
    }

    /// Abandons a `calls=` without its cost line, so that it cannot claim the next one; ends a jump of one line.
    #[inline]
    pub(super) fn abandon_call(&mut self) -> Result<(), Error> {
        match self.expected {
            Expected::Call { line, .. } => self.warnings.add(line, Warning::CallWithoutCost),
            Expected::JumpSource { line } => self.end_jump(line)?,
            Expected::SelfCost | Expected::Ignored => {}
        }
        self.expected = Expected::SelfCost;
        Ok(())
    }

    /// Leaves out a cost line that is nowhere.
    #[cold]
    pub(super) fn skip_out_of_range(&mut self, counts: &[Count]) -> Result<(), Error> {
        if !self.header.has_events() {
            return Err(self.error(ErrorKind::NoEvents));
        }
        let counts = self.header.part.columns.iter().zip(counts);
        let counts = counts.filter(|(_, count)| count.or_zero() != 0);
        let cost =
            counts.map(|(&event, count)| format!("{} {}", count.or_zero(), self.event_name(event)));
        let cost = cost.collect::<Vec<_>>().join(", ");
        self.warn(Warning::OutOfRange { cost });
        self.expected = Expected::SelfCost;
        Ok(())
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
        let position = PositionId(self.options.detail.line(line));
        let fragment = self.fragment()?;
        let site = Place { fragment, position };
        let Fragment {
            function,
            file,
            division,
        } = self.profile.fragment(fragment);
        let at = CodePlace {
            function,
            address,
            file,
            line,
            division,
        };
        let added = match std::mem::replace(&mut self.expected, Expected::SelfCost) {
            Expected::Ignored => Ok(()),
            Expected::JumpSource { .. } => self.add_code_jump(at),
            Expected::Call { count, .. } => self.add_call(site, at, count, counts),
            Expected::SelfCost => {
                self.callee = PendingCallee::default();
                let cost = self.header.widened(counts, &mut self.widened);
                let added = self.profile.add_cost(site, cost);
                added.and_then(|()| {
                    self.header.part.add_self_cost(counts);
                    self.add_code_cost(at, counts)
                })
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
            return self.profile.ensure_place(site);
        };
        let callee = self
            .profile
            .add_function(callee.object, callee.file, callee.name)?;
        self.profile.set_line(callee, self.target.line as u32);
        let cost = self.header.widened(counts, &mut self.widened);
        self.profile.add_call(Call { site, callee }, count, cost)?;
        self.add_code_call(at, callee, count, counts)
    }

    #[cold]
    pub(super) fn add_error(&self, error: AddError) -> Error {
        self.error(match error {
            AddError::Overflow(_) => ErrorKind::Sum,
            AddError::LimitExceeded(_) => ErrorKind::TooMany,
        })
    }

    /// The fragment that costs belong to. Before any `fn=` it is that of a function without a name.
    #[inline]
    fn fragment(&mut self) -> Result<FragmentId, Error> {
        if let Some(fragment) = self.fragment {
            return Ok(fragment);
        }
        let fragment = self.find_fragment();
        fragment.map_err(|LimitExceeded| self.error(ErrorKind::TooMany))
    }

    fn find_fragment(&mut self) -> Result<FragmentId, LimitExceeded> {
        let function = match self.function {
            Some(function) => function,
            None => {
                let name = self.interner.intern(b"???")?;
                self.function_named(name)?
            }
        };
        self.function = Some(function);
        let fragment = self
            .profile
            .add_fragment(function, self.file, self.division)?;
        self.fragment = Some(fragment);
        Ok(fragment)
    }
}
