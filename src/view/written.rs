//! A profile in the order in which it is written back: function by function, each with its lines and calls.

use std::cmp::Ordering;

use super::{Rows, Selection};
use crate::profile::{Call, Count, FunctionId, Overflow, Place, Profile, add_cost};

/// All that a profile holds, put in order.
pub struct Written<'p> {
    profile: &'p Profile,
    selection: &'p Selection,
    /// The functions that have costs or calls or are named, in the order in which they were last named: where
    /// several share a row of the report, the last one says what its object is.
    functions: Vec<FunctionId>,
    costs: ByFunction,
    calls: ByFunction,
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
        let costs = profile.costs.iter().map(|(place, _)| place.function);
        let costs = costs.zip(rows.of_costs().iter().map(|&row| rows.is_chosen(row)));
        let costs = ByFunction::new(profile, costs);
        let calls = profile.calls.iter().map(|(call, _)| call.site.function);
        let callers = rows.of_calls().iter().map(|&(caller, _)| caller);
        let calls = calls.zip(callers.map(|caller| rows.is_chosen(caller)));
        let calls = ByFunction::new(profile, calls);
        let is_used =
            |function: FunctionId| !costs.of(function).is_empty() || !calls.of(function).is_empty();
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
        let costs = self.costs.of(function).iter().map(|&row| {
            let row = row as usize;
            WrittenLine::SelfCost(self.profile.costs.key(row), self.profile.costs.cost(row))
        });
        let calls = self.calls.of(function).iter().map(|&row| {
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
        for &row in &self.costs.rows {
            add_cost(&mut sum, self.profile.costs.cost(row as usize))?;
        }
        Ok(sum)
    }
}

/// The rows of a table by function.
struct ByFunction {
    /// Those of function `f` are `rows[starts[f]..starts[f + 1]]`.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl ByFunction {
    /// Sorts the rows of a table, given the function of each and whether it is wanted.
    fn new(
        profile: &Profile,
        rows: impl Iterator<Item = (FunctionId, bool)> + Clone,
    ) -> ByFunction {
        let wanted = (0..).zip(rows).filter(|(_, (_, is_wanted))| *is_wanted);
        let mut starts = vec![0u32; profile.functions().count() + 1];
        let mut count = 0;
        for (_, (function, _)) in wanted.clone() {
            starts[function.index() + 1] += 1;
            count += 1;
        }
        for function in 1..starts.len() {
            starts[function] += starts[function - 1];
        }
        let mut next = starts.clone();
        let mut sorted = vec![0; count];
        for (row, (function, _)) in wanted {
            let at = &mut next[function.index()];
            sorted[*at as usize] = row;
            *at += 1;
        }
        ByFunction {
            starts,
            rows: sorted,
        }
    }

    fn of(&self, function: FunctionId) -> &[u32] {
        let (start, end) = (
            self.starts[function.index()],
            self.starts[function.index() + 1],
        );
        &self.rows[start as usize..end as usize]
    }
}
