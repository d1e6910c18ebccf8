//! A profile in the order in which it is written back: function by function, each with its lines and calls.

use std::cmp::Ordering;

use super::grouped::Grouped;
use super::{RowId, Rows, Selection};
use crate::profile::{Call, Count, FunctionId, Overflow, Place, Profile, add_cost};

/// All that a profile holds, put in order.
pub struct Written<'p> {
    profile: &'p Profile,
    selection: &'p Selection,
    /// The functions that have costs or calls or are named, in the order in which they were last named: where
    /// several share a row of the report, the last one says what its object is.
    functions: Vec<FunctionId>,
    costs: Grouped,
    calls: Grouped,
}

/// One line of a function.
#[derive(Clone, Copy, Debug)]
pub enum WrittenLine<'p> {
    /// What it spent there itself.
    SelfCost(Place, &'p [Count]),
    /// A call, how often, and its inclusive cost.
    Call(Call, i64, &'p [Count]),
}

impl WrittenLine<'_> {
    /// The file and the line.
    pub fn place(&self) -> Place {
        match self {
            WrittenLine::SelfCost(place, _) => *place,
            WrittenLine::Call(call, ..) => call.site,
        }
    }
}

impl<'p> Written<'p> {
    /// Puts the costs and calls of `profile` in order, those whose row the filter chose. Of a difference those
    /// are left out that `selection` does not show.
    pub fn new(profile: &'p Profile, rows: &Rows<'_>, selection: &'p Selection) -> Written<'p> {
        let functions = profile.functions().count();
        let chosen =
            |(function, row): (FunctionId, RowId)| rows.is_chosen(row).then_some(function.index());
        let costs = profile.costs.iter().map(|(place, _)| place.function);
        let costs = costs.zip(rows.of_costs().iter().copied());
        let calls = profile.calls.iter().map(|(call, _)| call.site.function);
        let calls = calls.zip(rows.of_calls().iter().map(|&(caller, _)| caller));
        let costs = Grouped::new(functions, costs.map(chosen));
        let calls = Grouped::new(functions, calls.map(chosen));
        let is_used = |function: FunctionId| {
            !costs.of(function.index()).is_empty() || !calls.of(function.index()).is_empty()
        };
        let mut functions: Vec<_> = profile
            .functions()
            .filter(|(id, function)| {
                let is_named = function.last_seen > 0 && rows.is_chosen(rows.of_function(*id));
                is_named || is_used(*id)
            })
            .collect();
        functions.sort_by_key(|(_, function)| function.last_seen);
        Written {
            profile,
            selection,
            functions: functions.into_iter().map(|(id, _)| id).collect(),
            costs,
            calls,
        }
    }

    /// The functions in order.
    pub fn functions(&self) -> &[FunctionId] {
        &self.functions
    }

    /// The lines of a function: those of its own file first, then file by file, by name; the calls of a line behind its cost.
    pub fn lines(&self, function: FunctionId) -> Vec<WrittenLine<'p>> {
        let costs = self.costs.of(function.index()).iter().map(|&row| {
            let row = row as usize;
            WrittenLine::SelfCost(self.profile.costs.key(row), self.profile.costs.cost(row))
        });
        let calls = self.calls.of(function.index()).iter().map(|&row| {
            let (call, count, cost) = self.profile.call(row as usize);
            WrittenLine::Call(call, count, cost)
        });
        let mut lines: Vec<_> = costs
            .chain(calls)
            .filter(|line| match line {
                WrittenLine::SelfCost(_, cost) => self.selection.shows(0, cost),
                WrittenLine::Call(_, count, cost) => self.selection.shows(*count, cost),
            })
            .collect();
        let own = self.profile.function(function).file;
        lines.sort_by(|a, b| {
            let (a, b) = (a.place(), b.place());
            let by_file = || {
                (a.file != own)
                    .cmp(&(b.file != own))
                    .then_with(|| self.profile.file(a.file).cmp(self.profile.file(b.file)))
            };
            let by_file = if a.file == b.file {
                Ordering::Equal
            } else {
                by_file()
            };
            by_file.then(a.line.cmp(&b.line))
        });
        lines
    }

    /// The sum of all self costs that are written.
    ///
    /// # Errors
    /// [`Overflow`] when it does not fit.
    pub fn self_cost(&self) -> Result<Vec<Count>, Overflow> {
        let mut sum = vec![Count::UNDEFINED; self.profile.events.len()];
        for &row in self.costs.all() {
            add_cost(&mut sum, self.profile.costs.cost(row as usize))?;
        }
        Ok(sum)
    }
}
