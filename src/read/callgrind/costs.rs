//! Costs: their places in the profile, and what is noted of those that are skipped.

use super::{PendingCallee, Reader, RecordedCallee};
use crate::profile::{
    AddError, Call, Count, FileId, FragmentId, FunctionKey, LimitExceeded, Place, add_cost,
};
use crate::read::cursor::{LinePosition, Malformed};
use crate::read::lexer::{Expected, LineCounts};
use crate::read::warning::{ErrorKind, Warning};

impl Reader<'_> {
    /// The place of a cost line in a file; none if its part is left out. It begins the body.
    #[inline]
    pub(super) fn site(
        &mut self,
        file: FileId,
        at: LinePosition,
    ) -> Result<Option<Place>, LimitExceeded> {
        self.enter_body();
        if !self.part.is_wanted {
            return Ok(None);
        }
        let fragment = self.fragment_in(file)?;
        Ok(Some(Place { fragment, position: self.position(at)? }))
    }

    pub(super) fn add_self_cost(&mut self, site: Place, counts: &[Count]) -> Result<(), AddError> {
        let callee = std::mem::take(&mut self.call.callee);
        // After a callee without a call, a call without a callee does not repeat an earlier one.
        if callee != PendingCallee::default() {
            self.call.last_callee = None;
            if callee.name.is_some() {
                self.add_warning(Warning::CostWithoutCall);
            }
        }
        let cost = self.part.header.widened(counts, &mut self.widened);
        self.profile.add_cost(site, cost)?;
        add_cost(&mut self.part.header.part.self_cost, counts);
        self.note_code_cost(site, counts);
        Ok(())
    }

    /// Warns of a cost line that is skipped, and notes its counts if it is a self cost.
    #[cold]
    pub(super) fn skip(
        &mut self,
        malformed: Malformed,
        line: &[u8],
        counts: &[Count],
    ) -> Result<(), ErrorKind> {
        let (warning, is_lost, counts) = match malformed {
            Malformed::CountRange => return Err(ErrorKind::Number),
            Malformed::PositionRange => {
                let cost = self.text_of_counts(counts);
                // The warning has the counts.
                (Warning::OutOfRange { cost: cost.clone() }, !cost.is_empty(), &b""[..])
            }
            Malformed::Count => (Warning::Malformed(malformed), true, line),
            // It is not known which words are counts.
            _ => (Warning::Malformed(malformed), true, &b""[..]),
        };
        if is_lost && matches!(self.state.expected, Expected::SelfCost) {
            self.lose_cost(&warning, counts);
        }
        self.add_warning(warning);
        Ok(())
    }

    /// The counts of a line with the names of their events, after a colon, but for zeros.
    fn text_of_counts(&self, counts: &[Count]) -> String {
        let counts = self
            .part
            .header
            .part
            .columns
            .iter()
            .zip(counts)
            .filter(|(_, count)| count.or_zero() != 0);
        let cost = counts
            .map(|(&event, n)| format!("{} {}", n.or_zero(), self.event_name(event)))
            .collect::<Vec<_>>()
            .join(", ");
        if cost.is_empty() { cost } else { format!(": {cost}") }
    }

    /// Adds the cost of `count` calls of the last callee.
    pub(super) fn add_call(
        &mut self,
        site: Place,
        count: i64,
        counts: &[Count],
    ) -> Result<(), AddError> {
        if !self.options.detail.calls {
            return self.profile.add_cost(site, &[]);
        }
        let site = self.call_site(site)?;
        let cost = self.part.header.widened(counts, &mut self.widened);
        if self.call.last_callee.is_some() {
            self.profile.spend_call(count, cost)?;
        }
        self.add_last_callee(site, count, counts)
    }

    /// Adds the cost of calls, which was counted towards the limit, to the profile, if they are
    /// kept.
    #[inline]
    pub(super) fn add_last_callee(
        &mut self,
        site: Place,
        count: i64,
        counts: &[Count],
    ) -> Result<(), AddError> {
        let Some(callee) = self.call.last_callee.filter(|_| self.options.detail.calls) else {
            return Ok(());
        };
        let line = self.call.target.line as u32;
        let cost = self.part.header.widened(counts, &mut self.widened);
        if let Some(open_callee) = self.call.open_callee {
            self.open_calls.add(site, open_callee, count, cost, line);
            return Ok(());
        }
        let RecordedCallee { object, file, name } = callee;
        let functions = self.profile.functions();
        let callee = functions.add(FunctionKey { object, file, name: name.id })?;
        functions.set_line(callee, line);
        let (is_nested, is_from_nested) = (name.is_nested, self.current.is_nested);
        let call = Call { site, callee, is_nested, is_from_nested };
        self.profile.add_spent_call(call, count, cost)?;
        Ok(())
    }

    /// The fragment that self costs belong to. Before any `fn=` it is that of a function without a
    /// name.
    #[inline]
    pub(super) fn fragment(&mut self) -> Result<FragmentId, LimitExceeded> {
        self.fragment_in(self.state.files.named())
    }

    /// The current function's fragment in a file.
    #[inline(always)]
    fn fragment_in(&mut self, file: FileId) -> Result<FragmentId, LimitExceeded> {
        match self.current.fragment {
            Some((of, fragment)) if of == file => Ok(fragment),
            _ => self.find_fragment(file),
        }
    }

    fn find_fragment(&mut self, file: FileId) -> Result<FragmentId, LimitExceeded> {
        let function = match self.current.function {
            Some(function) => function,
            None => {
                let name = self.interner.intern(b"???", false)?.id;
                self.function_named(name)?
            }
        };
        self.current.function = Some(function);
        if !self.part.header.layout.names_other_files {
            self.open_calls.note_content(self.current.function_id, function);
        }
        let division = self.current.division;
        let fragment = self.profile.functions().fragment(function, file, division)?;
        self.current.fragment = Some((file, fragment));
        Ok(fragment)
    }
}

/// Calls `add` with the counts of a line.
#[inline]
pub(super) fn with_counts<T>(
    reader: &mut Reader<'_>,
    cost: LineCounts<'_>,
    add: impl FnOnce(&mut Reader<'_>, &[Count]) -> T,
) -> T {
    let (plain, len) = match cost {
        LineCounts::Any(counts) => return add(reader, counts),
        LineCounts::Plain { counts, len } => (counts, len),
    };
    reader.take_counts(&plain[..len]);
    let counts = std::mem::take(&mut reader.counts);
    let added = add(reader, &counts);
    reader.counts = counts;
    added
}
