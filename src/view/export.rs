//! A profile in the order in which it is written back: function by function, each with its lines
//! and calls.

use std::borrow::Cow;
use std::cmp::Ordering;

use hashbrown::{HashMap, HashSet};

use crate::graph::Groups;
use crate::profile::{
    Call, CodeJump, CodePlace, Count, Function, FunctionId, Place, Profile, add_cost, difference,
};
use crate::view::rows::Rows;

pub struct Export<'p> {
    profile: &'p Profile,
    /// The functions with costs or calls or an `fn=` line, in the order in which they were last
    /// named: the last one determines the object of a row that several share.
    pub functions: Vec<FunctionId>,
    places: Groups,
    calls: Groups,
    /// Whether some calls are nested by their level of recursion.
    has_nested: bool,
    jumps: Groups,
}

pub struct ExportLine<'c> {
    pub at: CodePlace,
    pub record: ExportRecord<'c>,
}

/// A record of a line or an instruction. Costs have no derived events.
pub enum ExportRecord<'c> {
    /// The self cost; the cost of skipped code is a second record after the calls.
    Cost(Cow<'c, [Count]>),
    /// A jump, and how often it was taken and executed.
    Jump(CodeJump, i64, i64),
    /// A call, its count and its inclusive cost.
    Call(Call, i64, Cow<'c, [Count]>),
}

impl<'p> Export<'p> {
    /// Exports the costs and calls of rows that the filter selected.
    pub fn new(rows: &Rows<'p>) -> Export<'p> {
        let profile = rows.profile;
        let count = profile.function_count();
        let selected = |place: Place| {
            let function = profile.fragment(place.fragment).function;
            rows.is_selected(rows.of_place(place)).then_some(function.index())
        };
        let (places, calls) = Groups::of_places(profile, count, selected);
        let jumps = Groups::new(count, profile.jumps.iter().map(|jump| selected(jump.site)));
        let is_used = |function: FunctionId| {
            !places.get(function.index()).is_empty() || !calls.get(function.index()).is_empty()
        };
        let is_written = |(id, function): &(FunctionId, &Function)| {
            let is_known = function.last_named > 0 || !jumps.get(id.index()).is_empty();
            is_known && rows.is_selected(rows.of_function(*id)) || is_used(*id)
        };
        let mut functions: Vec<_> = profile.functions().filter(is_written).collect();
        functions.sort_by_key(|(_, function)| function.last_named);
        Export {
            profile,
            functions: functions.into_iter().map(|(id, _)| id).collect(),
            places,
            calls,
            has_nested: profile.calls.iter().any(|call| call.is_nested),
            jumps,
        }
    }

    /// The lines or instructions of a function: those of its own file first, then the other files
    /// by name; the calls of a line after its cost.
    pub fn lines(&self, function: FunctionId) -> Vec<ExportLine<'p>> {
        let profile = self.profile;
        let mut lines = self.records(function);
        let own = profile.function(function).file;
        // Stable, so that records of a line stay in their order.
        lines.sort_by(|ExportLine { at: a, .. }, ExportLine { at: b, .. }| {
            let file = |at: &CodePlace| (at.file != own, profile.file(at.file));
            let by_file = if a.file == b.file { Ordering::Equal } else { file(a).cmp(&file(b)) };
            by_file.then((a.address, a.line, a.division).cmp(&(b.address, b.line, b.division)))
        });
        lines
    }

    /// The costs, then the jumps, the calls, and the costs of skipped code.
    fn records(&self, function: FunctionId) -> Vec<ExportLine<'p>> {
        let (profile, side) = (self.profile, &self.profile.sides().new);
        let line = |at, record| ExportLine { at, record };
        let mut calls: Vec<ExportLine<'_>> = Vec::new();
        // The format does not tell calls that are nested by their level of recursion from others.
        let mut at_site: HashMap<(Place, FunctionId), usize> = HashMap::new();
        for &number in self.calls.get(function.index()) {
            let number = number as usize;
            let (call, count) = (profile.calls[number], side.call_counts[number]);
            let cost = side.calls.table.get(number);
            if self.has_nested {
                let same = at_site.entry((call.site, call.callee)).or_insert(calls.len());
                if let Some(ExportRecord::Call(_, sum, costs)) =
                    calls.get_mut(*same).map(|line| &mut line.record)
                {
                    *sum += count;
                    add_cost(costs.to_mut(), cost);
                    continue;
                }
            }
            let record = ExportRecord::Call(call, count, cost.into());
            calls.push(line(profile.code_place(call.site), record));
        }
        if side.has_addresses || !profile.jumps.is_empty() {
            calls.sort_by_key(|line| match line.record {
                ExportRecord::Call(call, ..) => {
                    (line.at, Some((call.callee, profile.target(call))))
                }
                _ => (line.at, None),
            });
        }
        let has_calls: HashSet<CodePlace> = calls.iter().map(|line| line.at).collect();
        let (mut lines, mut skipped) = (Vec::new(), Vec::new());
        for &number in self.places.get(function.index()) {
            let place = profile.places[number as usize];
            let cost = side.costs.table.get(number as usize);
            let at = profile.code_place(place);
            let of_skipped = side.skipped_at(place).filter(|_| has_calls.contains(&at));
            let cost = match of_skipped {
                Some(of_skipped) => {
                    let record = ExportRecord::Cost(Cow::Borrowed(of_skipped));
                    skipped.push(line(at, record));
                    Cow::Owned(difference(cost, of_skipped))
                }
                None => Cow::Borrowed(cost),
            };
            lines.push(line(at, ExportRecord::Cost(cost)));
        }
        let jumps = profile.jumps_in_order(self.jumps.get(function.index()));
        lines.extend(jumps.into_iter().map(|(jump, taken, executed)| {
            line(jump.site, ExportRecord::Jump(jump, taken, executed))
        }));
        lines.extend(calls.into_iter().chain(skipped));
        lines
    }

    /// The sum of all exported self costs.
    pub fn self_cost(&self) -> Vec<Count> {
        let mut sum = vec![Count::UNDEFINED; self.profile.events().len()];
        let costs = &self.profile.sides().new.costs.table;
        for &row in &self.places.members {
            add_cost(&mut sum, costs.get(row as usize));
        }
        self.profile.events().derive(&mut sum);
        sum
    }
}
