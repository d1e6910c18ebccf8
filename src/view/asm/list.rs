//! A list of the instructions of all functions, the most expensive first.

use std::borrow::Cow;

use crate::demangle::displayed;
use crate::profile::{CodePlace, Count, FileId, ObjectId, Profile};
use crate::view::rows::Rows;
use crate::view::selection::Selection;
use crate::view::sums::{Sums, SumsBuilder};

#[derive(Clone, Copy, Debug)]
pub struct ListedInstruction {
    object: ObjectId,
    /// Its location, in the function that executed it (the one with the highest cost if there are several).
    pub at: CodePlace,
    cost: usize,
}

pub struct InstructionList<'p> {
    pub profile: &'p Profile,
    pub rows: Vec<ListedInstruction>,
    sums: Sums<(ObjectId, u64, FileId, u32)>,
}

impl<'p> InstructionList<'p> {
    /// The instructions in rows that the filter selected, up to the threshold, `--top` and `--min`.
    pub fn new(rows: &Rows<'p>, selection: &Selection) -> InstructionList<'p> {
        let mut list = InstructionList::sum(rows, selection);
        let (profile, sums) = (list.profile, &list.sums);
        list.rows.sort_by(|a, b| {
            let by_cost =
                selection.cmp_descending(sums.cost(a.cost).value, sums.cost(b.cost).value);
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
        self.sums.cost(row.cost).value
    }

    /// The executable or library, if known.
    pub fn object(&self, row: &ListedInstruction) -> Option<&'p [u8]> {
        self.profile.defined_object(row.object)
    }

    pub fn name(&self, row: &ListedInstruction, demangles: bool) -> Cow<'p, [u8]> {
        let function = self.profile.function(row.at.function);
        displayed(self.profile.name(function.name), demangles)
    }

    /// Adds up the costs of each address.
    fn sum(rows: &Rows<'p>, selection: &Selection) -> InstructionList<'p> {
        let (profile, selected) = (rows.profile, rows.selected_fragments());
        let costs = profile.sides().new.costs();
        let places = profile.places.iter().enumerate().map(|(number, &place)| {
            let at = profile.location(place);
            let function = profile.host(at.function);
            (CodePlace { function, ..at }, number)
        });
        let places = places.filter(|(at, _)| selected.contains(&(at.function, at.file)));
        let mut places: Vec<(CodePlace, usize)> = places.collect();
        let object = |at: CodePlace| profile.function(at.function).object;
        // An address has one line, unless parts of the profile disagree.
        let key = |at: CodePlace| (object(at), at.address, at.file, at.line);
        places.sort_by(|&(a, number_a), &(b, number_b)| {
            let by_cost = || selection.cmp_descending(costs.get(number_a), costs.get(number_b));
            let by_key = key(a).cmp(&key(b));
            by_key.then_with(by_cost).then(a.cmp(&b))
        });
        let mut sums = SumsBuilder::in_order(profile, places.len());
        let mut rows = Vec::new();
        for (at, number) in places {
            let cost = sums.add_place(key(at), number, profile.presence_of_place(number));
            if cost == rows.len() {
                let object = object(at);
                rows.push(ListedInstruction { object, at, cost });
            }
        }
        let sums = sums.finish();
        rows.retain(|row| selection.shows(sums.cost(row.cost).value));
        InstructionList {
            profile,
            rows,
            sums,
        }
    }

    /// The number of instructions to list.
    fn length(&self, selection: &Selection) -> usize {
        let total = self.sums.sum(self.profile.events()).value;
        let counts = |cost: &[Count]| -> Vec<i128> {
            let count = |&event: &usize| cost[event].or_zero().into();
            selection.order.iter().map(count).collect()
        };
        let references = counts(&total);
        let mut reached = vec![0; references.len()];
        let most = selection.top.unwrap_or(usize::MAX).min(self.rows.len());
        let ends_at = self.rows[..most].iter().position(|row| {
            let cost = self.cost(row);
            let ends =
                selection.is_reached(&reached, &references) || selection.is_below_min(cost, &total);
            let counts = reached.iter_mut().zip(counts(cost));
            counts.for_each(|(reached, count)| *reached += count);
            ends
        });
        ends_at.unwrap_or(most)
    }
}
