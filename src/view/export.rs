//! A profile in the order in which it is written back: function by function, each with its lines and calls.

use std::borrow::Cow;
use std::cmp::Ordering;

use hashbrown::HashSet;

use crate::graph::Groups;
use crate::profile::{
    Call, Code, CodeCall, CodeJump, CodePlace, CostTable, Count, FileId, Function, FunctionId,
    Place, Profile, add_cost, difference,
};
use crate::view::rows::Rows;

/// All that a profile holds, put in order.
pub struct Export<'p> {
    profile: &'p Profile,
    /// The functions that have costs or calls or are named, in the order in which they were last named: where
    /// several share a row of the report, the last one says what its object is.
    pub functions: Vec<FunctionId>,
    costs: &'p CostTable,
    places: Groups,
    calls: Groups,
    /// The instructions, if the profile has any or jumps, and the fragments that are written.
    pub code: Option<&'p Code>,
    fragments: HashSet<(FunctionId, FileId)>,
}

pub struct ExportLine<'c> {
    pub at: CodePlace,
    pub record: ExportRecord<'c>,
}

/// What is known of a line or an instruction. Costs have no derived events.
pub enum ExportRecord<'c> {
    /// What it spent itself; of skipped code a second one, behind the calls.
    Cost(Cow<'c, [Count]>),
    /// A jump: how often taken, and executed.
    Jump(CodeJump, i64, i64),
    /// Calls: how often, and their inclusive cost.
    Call(CodeCall, i64, &'c [Count]),
}

impl<'p> Export<'p> {
    /// Puts the costs and calls of a profile in order, those whose row the filter selected.
    pub fn new(rows: &Rows<'p>) -> Export<'p> {
        let profile = rows.profile;
        let functions = profile.function_count();
        let selected = |place: Place| {
            let function = profile.fragment(place.fragment).function;
            rows.is_selected(rows.of_place(place))
                .then_some(function.index())
        };
        let (places, calls) = Groups::of_places(profile, functions, selected);
        let side = &profile.sides().new;
        let code = side.code();
        let code = code.filter(|code| code.has_addresses || !code.jumps.is_empty());
        let has_jumps =
            |function| code.is_some_and(|code| code.jumps.of(function).next().is_some());
        let is_used = |function: FunctionId| {
            !places.get(function.index()).is_empty() || !calls.get(function.index()).is_empty()
        };
        let is_written = |(id, function): &(FunctionId, &Function)| {
            let is_known = function.last_named > 0 || has_jumps(*id);
            is_known && rows.is_selected(rows.of_function(*id)) || is_used(*id)
        };
        let mut functions: Vec<_> = profile.functions().filter(is_written).collect();
        functions.sort_by_key(|(_, function)| function.last_named);
        Export {
            profile,
            functions: functions.into_iter().map(|(id, _)| id).collect(),
            costs: side.costs(),
            places,
            calls,
            code,
            fragments: code.map_or_else(HashSet::new, |_| rows.selected_fragments()),
        }
    }

    /// The lines of a function, or its instructions: those of its own file first, then file by file, by name; the calls of
    /// a line behind its cost.
    pub fn lines(&self, function: FunctionId) -> Vec<ExportLine<'p>> {
        let profile = self.profile;
        let mut lines = match self.code {
            Some(code) => {
                let mut lines = code_lines(code, function);
                lines.retain(|line| self.fragments.contains(&(function, line.at.file)));
                lines
            }
            None => self.lines_of_places(function),
        };
        let own = profile.function(function).file;
        // The sort is stable.
        lines.sort_by(|ExportLine { at: a, .. }, ExportLine { at: b, .. }| {
            let file = |at: &CodePlace| (at.file != own, profile.file(at.file));
            let by_file = match a.file == b.file {
                true => Ordering::Equal,
                false => file(a).cmp(&file(b)),
            };
            by_file.then((a.address, a.line, a.division).cmp(&(b.address, b.line, b.division)))
        });
        lines
    }

    fn lines_of_places(&self, function: FunctionId) -> Vec<ExportLine<'p>> {
        let (profile, side) = (self.profile, &self.profile.sides().new);
        let costs = self.places.get(function.index()).iter().map(|&row| {
            let place = profile.places[row as usize];
            let cost = Cow::Borrowed(side.costs().get(row as usize));
            let at = profile.location(place);
            ExportLine {
                at,
                record: ExportRecord::Cost(cost),
            }
        });
        let calls = self.calls.get(function.index()).iter().map(|&row| {
            let row = row as usize;
            let Call { site, callee } = profile.calls[row];
            let at = profile.location(site);
            let line = profile.function(callee).line;
            let call = CodeCall {
                site: at,
                callee,
                address: 0,
                line,
            };
            let (count, cost) = (side.call_counts[row], side.call_costs().get(row));
            ExportLine {
                at,
                record: ExportRecord::Call(call, count, cost),
            }
        });
        costs.chain(calls).collect()
    }

    /// The sum of all self costs that are written.
    pub fn self_cost(&self) -> Vec<Count> {
        let mut sum = vec![Count::UNDEFINED; self.profile.events().len()];
        for &row in &self.places.members {
            add_cost(&mut sum, self.costs.get(row as usize));
        }
        self.profile.events().derive(&mut sum);
        sum
    }
}

/// The instructions of a function. Of an address its cost comes first, then jumps, calls, and the cost of skipped code.
fn code_lines(code: &Code, function: FunctionId) -> Vec<ExportLine<'_>> {
    let line = |at, record| ExportLine { at, record };
    let calls = code.calls.of(function).map(|(call, row)| {
        let record = ExportRecord::Call(call, row[0].or_zero(), &row[1..]);
        line(call.site, record)
    });
    let calls: Vec<ExportLine<'_>> = calls.collect();
    let has_calls = |at: CodePlace| calls.binary_search_by_key(&at, |line| line.at).is_ok();
    let skipped = code.skipped.of(function);
    let skipped: Vec<_> = skipped.filter(|&(at, _)| has_calls(at)).collect();
    let costs = code.costs.of(function).map(|(at, cost)| {
        let found = skipped.binary_search_by_key(&at, |&(at, _)| at);
        let cost = match found {
            Ok(number) => Cow::Owned(difference(cost, skipped[number].1)),
            Err(_) => Cow::Borrowed(cost),
        };
        line(at, ExportRecord::Cost(cost))
    });
    let jumps = code.jumps.of(function).map(|(jump, counts)| {
        let (taken, executed) = (counts[0].or_zero(), counts[1].or_zero());
        line(jump.site, ExportRecord::Jump(jump, taken, executed))
    });
    let mut lines: Vec<ExportLine<'_>> = costs.chain(jumps).collect();
    lines.extend(calls);
    let skipped = skipped.iter();
    lines.extend(skipped.map(|&(at, cost)| line(at, ExportRecord::Cost(Cow::Borrowed(cost)))));
    lines
}
