//! The instructions of all functions in one list, the most expensive first.

use super::Instructions;
use super::line_flow::rows_of_fragments;
use crate::profile::{
    CodePlace, CostTable, Count, FileId, FunctionId, ObjectId, Overflow, add_cost,
};
use crate::view::{Rows, Selection};

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

/// The list.
pub struct InstructionList {
    /// The instructions.
    pub rows: Vec<ListedInstruction>,
    costs: CostTable,
}

impl InstructionList {
    /// The instructions in rows that the filter selected, up to the threshold, `--top` and `--min`.
    ///
    /// # Errors
    /// [`Overflow`] if a sum does not fit.
    pub fn new(
        instructions: &Instructions<'_>,
        rows: &Rows<'_>,
        selection: &Selection,
    ) -> Result<InstructionList, Overflow> {
        let mut list = InstructionList::sum(instructions, rows, selection)?;
        list.costs.derive(instructions.profile().events())?;
        list.sort(instructions, selection);
        list.end(selection)?;
        Ok(list)
    }

    /// What an instruction cost.
    pub fn cost(&self, row: &ListedInstruction) -> &[Count] {
        self.costs.get(row.cost)
    }

    /// Adds up the costs of each address.
    fn sum(
        instructions: &Instructions<'_>,
        rows: &Rows<'_>,
        selection: &Selection,
    ) -> Result<InstructionList, Overflow> {
        let profile = instructions.profile();
        let of_fragment = rows_of_fragments(instructions, rows);
        let is_selected = |at: &CodePlace| {
            let row = of_fragment.get(&(at.function, at.file));
            row.is_some_and(|&row| rows.is_selected(row))
        };
        let object = |at: &CodePlace| profile.function(at.function).object;
        // An address has one line, unless parts of the profile disagree.
        let key = |at: &CodePlace| (object(at), at.address, at.file, at.line);
        let all = instructions.costs().filter(|(at, _)| is_selected(at));
        let mut all: Vec<(CodePlace, &[Count])> = all.collect();
        all.sort_by(|(a, a_cost), (b, b_cost)| {
            let by_key = key(a).cmp(&key(b));
            by_key.then_with(|| selection.falling(a_cost, b_cost))
        });
        let width = profile.events().len();
        let mut list = InstructionList {
            rows: Vec::new(),
            costs: CostTable::new(width, 0),
        };
        for group in all.chunk_by(|a, b| key(&a.0) == key(&b.0)) {
            let (at, _) = group[0];
            let mut sum = vec![Count::UNDEFINED; width];
            group
                .iter()
                .try_for_each(|(_, cost)| add_cost(&mut sum, cost))?;
            list.rows.push(ListedInstruction {
                object: object(&at),
                address: at.address,
                file: at.file,
                line: at.line,
                function: at.function,
                cost: list.costs.len(),
            });
            list.costs.push(&sum);
        }
        Ok(list)
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
    fn end(&mut self, selection: &Selection) -> Result<(), Overflow> {
        let count = |cost: &[Count], event: usize| i128::from(cost[event].or_zero());
        let mut total = vec![Count::UNDEFINED; self.costs.width()];
        let mut costs = self.costs.iter();
        costs.try_for_each(|cost| add_cost(&mut total, cost))?;
        let order = selection.order.iter();
        let wholes: Vec<i128> = order.map(|&event| count(&total, event)).collect();
        let mut reached = vec![0; wholes.len()];
        let listed = self.rows.iter().enumerate().take_while(|(listed, row)| {
            let cost = self.costs.get(row.cost);
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
        Ok(())
    }
}
