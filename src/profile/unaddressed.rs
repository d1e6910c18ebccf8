//! What the parts of a profile that have no addresses measured, where others have them or jumps: it is known by line
//! alone, and added to the [`Code`] at address 0.

use hashbrown::HashMap;

use crate::profile::code::{Code, CodeCall, CodePlace};
use crate::profile::cost_table::CostTable;
use crate::profile::count::Count;
use crate::profile::division::Division;
use crate::profile::ids::{FileId, FunctionId};
use crate::profile::records::{Call, Place};
use crate::profile::symbols::Fragment;

/// The costs and calls of one side by line, and the functions that they are of.
pub(super) struct ByLine<'p> {
    pub(super) fragments: &'p [Fragment],
    pub(super) places: &'p [Place],
    pub(super) costs: &'p CostTable,
    pub(super) calls: &'p [Call],
    pub(super) call_counts: &'p [i64],
    pub(super) call_costs: &'p CostTable,
}

/// A place as instructions have it.
type CodeLine = (FunctionId, FileId, u32, Division);

impl ByLine<'_> {
    /// Adds to instructions what they lack of this; `line` is the first line of a function.
    pub(super) fn add_to(&self, code: &mut Code, line: impl Fn(FunctionId) -> u32) {
        for (at, cost) in self.costs_without(code) {
            code.add_cost(at, &cost);
        }
        for (row, count, cost) in self.calls_without(code) {
            let Call { site, callee } = self.calls[row];
            let call = CodeCall {
                site: self.at(site),
                callee,
                address: 0,
                line: line(callee),
            };
            code.add_call(call, count, &cost);
        }
        code.finish()
    }

    /// The costs that no instruction has.
    fn costs_without(&self, code: &Code) -> Vec<(CodePlace, Vec<Count>)> {
        let mut rest = self.costs.clone();
        if code.has_addresses {
            let places = self.places.iter().map(|&place| key(self.at(place)));
            let rows: HashMap<CodeLine, usize> = places.zip(0..).collect();
            for (at, cost) in code.costs.iter() {
                if let Some(&row) = rows.get(&key(at)) {
                    rest.subtract(row, cost);
                }
            }
        }
        let rest = rest.iter().zip(self.places);
        let rest = rest.filter(|(cost, _)| cost.iter().any(|count| count.or_zero() != 0));
        rest.map(|(cost, &place)| (self.at(place), cost.to_vec()))
            .collect()
    }

    /// The calls that no instruction made: the row, how often, and the cost.
    fn calls_without(&self, code: &Code) -> Vec<(usize, i64, Vec<Count>)> {
        let (mut counts, mut costs) = (self.call_counts.to_vec(), self.call_costs.clone());
        if code.has_addresses {
            let calls = self.calls.iter();
            let calls = calls.map(|call| (key(self.at(call.site)), call.callee));
            let rows: HashMap<(CodeLine, FunctionId), usize> = calls.zip(0..).collect();
            for (call, cost) in code.calls.iter() {
                if let Some(&row) = rows.get(&(key(call.site), call.callee)) {
                    counts[row] -= cost[0].or_zero();
                    costs.subtract(row, &cost[1..]);
                }
            }
        }
        let rest = counts.iter().zip(costs.iter()).zip(0..);
        let rest = rest.map(|((&count, cost), row)| (row, count, cost.to_vec()));
        let has_any = |(_, count, cost): &(usize, i64, Vec<Count>)| {
            *count != 0 || cost.iter().any(|count| count.or_zero() != 0)
        };
        rest.filter(has_any).collect()
    }

    fn at(&self, place: Place) -> CodePlace {
        let fragment = &self.fragments[place.fragment.index()];
        CodePlace {
            function: fragment.function,
            address: 0,
            file: fragment.file,
            line: place.position.0,
            division: fragment.division,
        }
    }
}

fn key(at: CodePlace) -> CodeLine {
    (at.function, at.file, at.line, at.division)
}
