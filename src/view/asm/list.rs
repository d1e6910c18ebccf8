//! The instructions of all functions in one list, the most expensive first.

use std::borrow::Cow;

use super::Instructions;
use crate::demangle::displayed;
use crate::profile::{CodePlace, CostTable, Count, ObjectId, Profile, add_cost};
use crate::view::rows::Rows;
use crate::view::selection::Selection;

#[derive(Clone, Copy, Debug)]
pub struct ListedInstruction {
    object: ObjectId,
    /// Where it is, in the function that executed it; of several in the one that paid most.
    pub at: CodePlace,
    cost: usize,
}

pub struct InstructionList<'p> {
    pub profile: &'p Profile,
    pub rows: Vec<ListedInstruction>,
    costs: CostTable,
}

impl<'p> InstructionList<'p> {
    /// The instructions in rows that the filter selected, up to the threshold, `--top` and `--min`.
    pub fn new(
        instructions: &Instructions<'p>,
        rows: &Rows<'_>,
        selection: &Selection,
    ) -> InstructionList<'p> {
        let mut list = InstructionList::sum(instructions, rows, selection);
        let (profile, costs) = (list.profile, &list.costs);
        list.rows.sort_by(|a, b| {
            let by_cost = selection.falling(costs.get(a.cost), costs.get(b.cost));
            let place = |one: &ListedInstruction| {
                let (object, file) = (profile.object(one.object), profile.file(one.at.file));
                (object, one.at.address, file, one.at.line)
            };
            by_cost.then_with(|| place(a).cmp(&place(b)))
        });
        let listed = list.length(selection);
        list.rows.truncate(listed);
        list
    }

    pub fn cost(&self, row: &ListedInstruction) -> &[Count] {
        self.costs.get(row.cost)
    }

    /// The executable or library, if it is known.
    pub fn object(&self, row: &ListedInstruction) -> Option<&'p [u8]> {
        self.profile.defined_object(row.object)
    }

    pub fn name(&self, row: &ListedInstruction, demangles: bool) -> Cow<'p, [u8]> {
        let function = self.profile.function(row.at.function);
        displayed(self.profile.name(function.name), demangles)
    }

    /// Adds up the costs of each address.
    fn sum(
        instructions: &Instructions<'p>,
        rows: &Rows<'_>,
        selection: &Selection,
    ) -> InstructionList<'p> {
        let profile = instructions.profile;
        let selected = rows.selected_fragments();
        let object = |at: &CodePlace| profile.function(at.function).object;
        // An address has one line, unless parts of the profile disagree.
        let key = |(at, _): &(CodePlace, &[Count])| (object(at), at.address, at.file, at.line);
        let all = profile.costs_of(&profile.sides().new).map(|(place, cost)| {
            let at = profile.location(place);
            let function = profile.host(at.function);
            (CodePlace { function, ..at }, cost)
        });
        let all = all.filter(|(at, _)| selected.contains(&(at.function, at.file)));
        let mut all: Vec<(CodePlace, &[Count])> = all.collect();
        all.sort_by(|a, b| {
            let by_key = key(a).cmp(&key(b));
            let by_cost = || selection.falling(a.1, b.1);
            by_key.then_with(by_cost).then(a.0.cmp(&b.0))
        });
        let mut costs = CostTable::new(profile.events().len(), 0);
        let mut rows = Vec::new();
        for group in all.chunk_by(|a, b| key(a) == key(b)) {
            let (at, cost) = (group[0].0, rows.len());
            costs.resize(cost + 1);
            group.iter().for_each(|(_, one)| costs.add(cost, one));
            let object = object(&at);
            rows.push(ListedInstruction { object, at, cost });
        }
        costs.derive(profile.events());
        rows.retain(|row| selection.shows(costs.get(row.cost)));
        InstructionList {
            profile,
            rows,
            costs,
        }
    }

    /// How many are before the end of the list.
    fn length(&self, selection: &Selection) -> usize {
        let mut total = vec![Count::UNDEFINED; self.costs.width()];
        let costs = self.costs.iter();
        costs.for_each(|cost| add_cost(&mut total, cost));
        let counts = |cost: &[Count]| -> Vec<i128> {
            let count = |&event: &usize| cost[event].or_zero().into();
            selection.order.iter().map(count).collect()
        };
        let wholes = counts(&total);
        let mut reached = vec![0; wholes.len()];
        let most = selection.top.unwrap_or(usize::MAX).min(self.rows.len());
        let ends_at = self.rows[..most].iter().position(|row| {
            let cost = self.cost(row);
            let ends =
                selection.is_reached(&reached, &wholes) || selection.is_below_min(cost, &total);
            let counts = reached.iter_mut().zip(counts(cost));
            counts.for_each(|(reached, count)| *reached += count);
            ends
        });
        ends_at.unwrap_or(most)
    }
}
