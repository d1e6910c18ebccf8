//! The instructions of all functions in one list, the most expensive first.

use super::{Instructions, Rebuilt};
use crate::profile::{
    CodePlace, CostTable, Count, FileId, FunctionId, ObjectId, Presence, Sides, add_cost,
};
use crate::view::figure::{CostFigure, FigureTable, Mark};
use crate::view::rows::Rows;
use crate::view::selection::Selection;

/// A place, its cost, and whether that is of BASE.
type SidePlace<'c> = (CodePlace, &'c [Count], bool);

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
    /// Whether only one side of a difference has it.
    mark: Option<Mark>,
    /// The number of its cost.
    cost: usize,
}

/// The list.
pub struct InstructionList {
    /// The instructions.
    pub rows: Vec<ListedInstruction>,
    costs: FigureTable,
}

impl InstructionList {
    /// The instructions in rows that the filter selected, up to the threshold, `--top` and `--min`. Of a difference those
    /// that changed; none of `rebuilt` objects is on both sides.
    pub fn new(
        sides: &Sides<Instructions<'_>>,
        rebuilt: &[Rebuilt],
        rows: &Rows<'_>,
        selection: &Selection,
    ) -> InstructionList {
        let mut list = InstructionList::sum(sides, rebuilt, rows, selection);
        list.sort(&sides.new, selection);
        list.end(selection);
        list
    }

    /// What an instruction cost.
    pub fn cost(&self, row: &ListedInstruction) -> CostFigure<'_> {
        self.costs.get(row.cost).marked(row.mark)
    }

    /// Adds up the costs of each address.
    fn sum(
        sides: &Sides<Instructions<'_>>,
        rebuilt: &[Rebuilt],
        rows: &Rows<'_>,
        selection: &Selection,
    ) -> InstructionList {
        let profile = sides.new.profile();
        let selected = rows.selected_fragments();
        let object = |at: &CodePlace| profile.function(at.function).object;
        let has_changed = |at: &CodePlace| rebuilt.iter().any(|one| one.object == object(at));
        // An address has one line, unless parts of the profile disagree.
        let key = |(at, _, is_base): &SidePlace<'_>| {
            let apart = *is_base && has_changed(at);
            (object(at), at.address, at.file, at.line, apart)
        };
        let mut all: Vec<SidePlace<'_>> = Vec::new();
        for (instructions, is_base) in sides.iter().zip([false, true]) {
            let costs = instructions.costs();
            let costs = costs.filter(|(at, _)| selected.contains(&(at.function, at.file)));
            all.extend(costs.map(|(at, cost)| (at, cost, is_base)));
        }
        all.sort_by(|a, b| {
            let by_key = key(a).cmp(&key(b)).then(a.2.cmp(&b.2));
            by_key.then_with(|| selection.falling(a.1, b.1))
        });
        let width = profile.events().len();
        let mut tables = sides.as_ref().map(|_| CostTable::new(width, 0));
        let mut listed = Vec::new();
        for group in all.chunk_by(|a, b| key(a) == key(b)) {
            let (at, _, is_gone) = group[0];
            let number = listed.len();
            tables.new.resize(number + 1);
            if let Some(base) = &mut tables.base {
                base.resize(number + 1);
            }
            for (_, cost, is_base) in group {
                let table = tables.base.as_mut().filter(|_| *is_base);
                table.unwrap_or(&mut tables.new).add(number, cost);
            }
            let has_base = group.iter().any(|one| one.2);
            listed.push(ListedInstruction {
                object: object(&at),
                address: at.address,
                file: at.file,
                line: at.line,
                function: at.function,
                mark: Mark::of(Presence {
                    new: !is_gone,
                    base: has_base || sides.base.is_none(),
                }),
                cost: number,
            });
        }
        let costs = FigureTable::new(tables, profile.events());
        listed.retain(|row| selection.shows(costs.values().get(row.cost)));
        InstructionList {
            rows: listed,
            costs,
        }
    }

    fn sort(&mut self, instructions: &Instructions<'_>, selection: &Selection) {
        let profile = instructions.profile();
        let costs = self.costs.values();
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
        let is_difference = self.costs.is_difference();
        let count = |cost: &[Count], event: usize| {
            let count = i128::from(cost[event].or_zero());
            if is_difference { count.abs() } else { count }
        };
        let values = self.costs.values();
        let mut total = vec![Count::UNDEFINED; values.width()];
        let costs = values.iter();
        costs.for_each(|cost| add_cost(&mut total, cost));
        let order = selection.order.iter();
        let whole = |&event: &usize| values.iter().map(|cost| count(cost, event)).sum();
        let wholes: Vec<i128> = order.map(whole).collect();
        let mut reached = vec![0; wholes.len()];
        let listed = self.rows.iter().enumerate().take_while(|(listed, row)| {
            let cost = values.get(row.cost);
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
