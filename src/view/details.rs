//! All that is known of each row: its costs, its lines, and its calls line by line.

use std::borrow::Cow;

use super::grouped::Grouped;
use super::{Cost, Cycles, Grouping, Inclusive, RowId, Rows, Selection};
use crate::profile::{Count, FunctionId, Overflow, Profile, add_cost};

/// Looks rows up.
pub struct Details<'a, 'p> {
    profile: &'p Profile,
    rows: &'a Rows<'p>,
    selection: &'a Selection,
    /// The readable name of each row's function.
    names: Vec<Cow<'p, [u8]>>,
    inclusive: Vec<Option<&'a [Count]>>,
    of_cycles: Vec<&'a [Count]>,
    members: &'a [Vec<FunctionId>],
    /// The self costs and the calls of the profile by row.
    costs: Grouped,
    calls: Grouped,
}

/// All that is known of a row.
pub struct RowDetails<'a> {
    /// The sum of its lines.
    pub self_cost: Cost,
    /// With what it called; none if the row only has calls into it.
    pub inclusive: Option<&'a [Count]>,
    /// Its lines by number; none of a group.
    pub lines: Vec<LineCost>,
    /// Its calls by line and callee; of a group those into other groups, by callee.
    pub calls: Vec<Site>,
}

/// The self cost of a line.
pub struct LineCost {
    /// Its number, 0 if it is not known.
    pub line: u32,
    /// What it spent.
    pub cost: Cost,
}

/// The calls from one line to one row.
pub struct Site {
    /// The number of the line, 0 if it is not known.
    pub line: u32,
    /// What is called.
    pub callee: RowId,
    /// How often.
    pub count: i64,
    /// What the calls cost, each as it was recorded.
    pub cost: Cost,
}

impl<'a, 'p> Details<'a, 'p> {
    /// Gets ready to look rows up.
    pub fn new(
        profile: &'p Profile,
        rows: &'a Rows<'p>,
        inclusive: &'a Inclusive,
        cycles: &'a Cycles,
        selection: &'a Selection,
    ) -> Details<'a, 'p> {
        let mut of_rows = vec![None; rows.len()];
        for (row, cost) in inclusive.rows() {
            of_rows[row.index()] = Some(cost);
        }
        let of_costs = rows.of_costs().iter().map(|row| Some(row.index()));
        let of_calls = rows
            .of_calls()
            .iter()
            .map(|(caller, _)| Some(caller.index()));
        Details {
            profile,
            rows,
            selection,
            names: (0..rows.len() as u32)
                .map(|row| rows.readable_name(RowId(row)))
                .collect(),
            inclusive: of_rows,
            of_cycles: inclusive.cycles().collect(),
            members: cycles.members(),
            costs: Grouped::new(rows.len(), of_costs),
            calls: Grouped::new(rows.len(), of_calls),
        }
    }

    /// The file of a row, unless it is a group.
    pub fn file(&self, row: RowId) -> Option<&'p [u8]> {
        self.rows.file(row).map(|file| self.profile.file(file))
    }

    /// The readable name of a row's function.
    pub fn name(&self, row: RowId) -> &[u8] {
        &self.names[row.index()]
    }

    /// The same as it stands in the profile.
    pub fn symbol(&self, row: RowId) -> &[u8] {
        self.rows.symbol(row)
    }

    /// The cycles by number, from 1: their inclusive costs and the rows of their members.
    pub fn cycles(&self) -> impl Iterator<Item = (&'a [Count], Vec<RowId>)> {
        self.of_cycles
            .iter()
            .zip(self.members)
            .map(|(&cost, members)| {
                let mut rows: Vec<_> = members
                    .iter()
                    .map(|&member| self.rows.of_function(member))
                    .collect();
                rows.sort_unstable();
                rows.dedup();
                (cost, rows)
            })
    }

    /// All that is known of a row. Of a difference only what changed.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit.
    pub fn of(&self, row: RowId) -> Result<RowDetails<'a>, Overflow> {
        let mut lines = self.lines(row)?;
        let mut self_cost = vec![Count::UNDEFINED; self.profile.events.len()];
        lines
            .iter()
            .try_for_each(|line| add_cost(&mut self_cost, &line.cost))?;
        if self.rows.grouping() != Grouping::Function {
            lines.clear();
        }
        Ok(RowDetails {
            self_cost,
            inclusive: self.inclusive[row.index()],
            lines: lines
                .into_iter()
                .filter(|line| self.selection.shows(0, &line.cost))
                .collect(),
            calls: self.sites(row)?,
        })
    }

    fn lines(&self, row: RowId) -> Result<Vec<LineCost>, Overflow> {
        let line_of = |number: u32| self.profile.costs.key(number as usize).line;
        let mut costs = self.costs.of(row.index()).to_vec();
        costs.sort_by_key(|&number| line_of(number));
        let line = |costs: &[u32]| {
            let mut cost = vec![Count::UNDEFINED; self.profile.events.len()];
            costs.iter().try_for_each(|&number| {
                add_cost(&mut cost, self.profile.costs.cost(number as usize))
            })?;
            Ok(LineCost {
                line: line_of(costs[0]),
                cost,
            })
        };
        costs
            .chunk_by(|&a, &b| line_of(a) == line_of(b))
            .map(line)
            .collect()
    }

    fn sites(&self, row: RowId) -> Result<Vec<Site>, Overflow> {
        let are_groups = self.rows.grouping() != Grouping::Function;
        let key = |number: u32| {
            // Lines of several files would only mislead.
            let line = self.profile.calls.key(number as usize).site.line;
            let line = if are_groups { 0 } else { line };
            (line, self.rows.of_calls()[number as usize].1)
        };
        let mut calls = self.calls.of(row.index()).to_vec();
        calls.sort_by(|&a, &b| {
            let ((line_a, callee_a), (line_b, callee_b)) = (key(a), key(b));
            let by_name = || self.rows.by_name(callee_a, callee_b);
            line_a
                .cmp(&line_b)
                .then_with(by_name)
                .then(callee_a.cmp(&callee_b))
        });
        let mut sites = Vec::new();
        for calls in calls.chunk_by(|&a, &b| key(a) == key(b)) {
            let (line, callee) = key(calls[0]);
            if are_groups && callee == row {
                continue;
            }
            let mut site = Site {
                line,
                callee,
                count: 0,
                cost: vec![Count::UNDEFINED; self.profile.events.len()],
            };
            for &number in calls {
                let (_, count, cost) = self.profile.call(number as usize);
                site.count = site.count.checked_add(count).ok_or(Overflow)?;
                add_cost(&mut site.cost, cost)?;
            }
            if self.selection.shows(site.count, &site.cost) {
                sites.push(site);
            }
        }
        Ok(sites)
    }
}
