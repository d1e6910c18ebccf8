//! The instructions of all functions in one list, the most expensive first.

use super::Instructions;
use crate::profile::{CodePlace, CostTable, Count, FileId, FunctionId, ObjectId, add_cost};
use crate::view::rows::Rows;
use crate::view::selection::Selection;

/// An instruction of the list.
#[derive(Clone, Copy, Debug)]
pub struct ListedInstruction {
    /// The executable or library.
    pub object: ObjectId,
    /// The address, as in the headers of the object.
    pub address: u64,
    /// The source file of its line.
    pub file: FileId,
    /// Its source line, 0 if unknown.
    pub line: u32,
    /// The function that executed it; of several the one that paid most.
    pub function: FunctionId,
    /// The number of its cost.
    cost: usize,
}

pub struct InstructionList {
    pub rows: Vec<ListedInstruction>,
    costs: CostTable,
}

impl InstructionList {
    /// The instructions in rows that the filter selected, up to the threshold, `--top` and `--min`.
    pub fn new(
        instructions: &Instructions<'_>,
        rows: &Rows<'_>,
        selection: &Selection,
    ) -> InstructionList {
        let mut list = InstructionList::sum(instructions, rows, selection);
        list.sort(instructions, selection);
        list.end(selection);
        list
    }

    pub fn cost(&self, row: &ListedInstruction) -> &[Count] {
        self.costs.get(row.cost)
    }

    /// Adds up the costs of each address.
    fn sum(
        instructions: &Instructions<'_>,
        rows: &Rows<'_>,
        selection: &Selection,
    ) -> InstructionList {
        let profile = instructions.profile();
        let selected = rows.selected_fragments();
        let object = |at: &CodePlace| profile.function(at.function).object;
        // An address has one line, unless parts of the profile disagree.
        let key = |(at, _): &(CodePlace, &[Count])| (object(at), at.address, at.file, at.line);
        let all = instructions.costs();
        let all = all.filter(|(at, _)| selected.contains(&(at.function, at.file)));
        let mut all: Vec<(CodePlace, &[Count])> = all.collect();
        all.sort_by(|a, b| {
            let by_key = key(a).cmp(&key(b));
            by_key.then_with(|| selection.falling(a.1, b.1))
        });
        let mut costs = CostTable::new(profile.events().len(), 0);
        let mut listed = Vec::new();
        for group in all.chunk_by(|a, b| key(a) == key(b)) {
            let (at, _) = group[0];
            let number = listed.len();
            costs.resize(number + 1);
            group.iter().for_each(|(_, cost)| costs.add(number, cost));
            listed.push(ListedInstruction {
                object: object(&at),
                address: at.address,
                file: at.file,
                line: at.line,
                function: at.function,
                cost: number,
            });
        }
        costs.derive(profile.events());
        listed.retain(|row| selection.shows(costs.get(row.cost)));
        InstructionList {
            rows: listed,
            costs,
        }
    }

    fn sort(&mut self, instructions: &Instructions<'_>, selection: &Selection) {
        let profile = instructions.profile();
        let costs = &self.costs;
        self.rows.sort_by(|a, b| {
            let by_cost = selection.falling(costs.get(a.cost), costs.get(b.cost));
            let place = |one: &ListedInstruction| {
                let file = profile.file(one.file);
                (profile.object(one.object), one.address, file, one.line)
            };
            by_cost.then_with(|| place(a).cmp(&place(b)))
        });
    }

    /// Leaves out what follows the end of the list.
    fn end(&mut self, selection: &Selection) {
        let costs = &self.costs;
        let mut total = vec![Count::UNDEFINED; costs.width()];
        costs.iter().for_each(|cost| add_cost(&mut total, cost));
        let count = |cost: &[Count], event: usize| i128::from(cost[event].or_zero());
        let whole = |&event: &usize| costs.iter().map(|cost| count(cost, event)).sum();
        let wholes: Vec<i128> = selection.order.iter().map(whole).collect();
        let mut reached = vec![0; wholes.len()];
        let listed = self.rows.iter().enumerate().take_while(|(listed, row)| {
            let cost = costs.get(row.cost);
            if selection.top.is_some_and(|top| *listed >= top)
                || selection.is_reached(&reached, &wholes)
                || selection.is_below_min(cost, &total)
            {
                return false;
            }
            let events = reached.iter_mut().zip(&selection.order);
            events.for_each(|(reached, &event)| *reached += count(cost, event));
            true
        });
        let listed = listed.count();
        self.rows.truncate(listed);
    }
}
