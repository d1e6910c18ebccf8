//! What costs are counted of: the self cost of a place, or a call, and which of them are within
//! others by recursion.

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::graph::{CallGraph, CodeCost, Estimated, Groups};
use crate::profile::{
    Count, FileId, FunctionId, Measured, ObjectId, Place, Portion, Profile, is_unknown_name,
};
use crate::view::short_name::short_function;

/// A place with a self cost, or a call, by its number in the profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Place(u32),
    Call(u32),
}

/// All places and calls of a profile.
pub(super) struct Items<'p> {
    pub(super) profile: &'p Profile,
    pub(super) graph: &'p CallGraph<'p>,
    side: &'p Measured,
    /// By function whether it calls itself, also via others.
    is_recursive: Vec<bool>,
    /// By function whether the code of its first level of recursion has its outermost activations.
    is_exact: Vec<bool>,
    places_of: Groups,
    calls_of: Groups,
    calls_to: Groups,
    /// By function the number of the first one that differs from it only in its context or its
    /// template arguments, which is one function to whoever reads lines.
    first_contexts: Vec<u32>,
    /// By that number all of them.
    contexts: Groups,
}

impl<'p> Items<'p> {
    pub(super) fn new(graph: &'p CallGraph<'p>) -> Items<'p> {
        let profile = graph.profile;
        let functions = profile.function_count();
        let function = |place: &Place| profile.fragment(place.fragment).function;
        let places = profile.places.iter().map(|place| Some(function(place).index()));
        let callers = profile.calls.iter().map(|call| Some(function(&call.site).index()));
        let callees = profile.calls.iter().map(|call| Some(call.callee.index()));
        let first_contexts = first_contexts(profile);
        let contexts = first_contexts.iter().map(|&first| Some(first as usize));
        let mut items = Items {
            profile,
            graph,
            side: &profile.sides().new,
            is_recursive: vec![false; functions],
            is_exact: vec![false; functions],
            places_of: Groups::new(functions, places),
            calls_of: Groups::new(functions, callers),
            calls_to: Groups::new(functions, callees),
            contexts: Groups::new(functions, contexts),
            first_contexts,
        };
        items.find_recursion();
        items
    }

    fn find_recursion(&mut self) {
        let functions = self.is_recursive.len();
        let (mut calls_itself, mut is_contradicted) =
            (vec![false; functions], vec![false; functions]);
        for call in &self.profile.calls {
            let fragment = self.profile.fragment(call.site.fragment);
            let caller = fragment.function;
            if self.graph.is_inner(caller, call.callee) {
                self.is_recursive[caller.index()] = true;
            }
            if caller == call.callee {
                let is_first = !fragment.division.is_deeper();
                calls_itself[caller.index()] = true;
                is_contradicted[caller.index()] |= is_first && !call.is_nested;
            }
        }
        for function in (0..functions as u32).map(FunctionId) {
            let at = function.index();
            self.is_exact[at] = if self.graph.calls_others_that_call_it(function) {
                self.graph.has_exact_levels(function)
            } else {
                calls_itself[at] && !is_contradicted[at]
            };
        }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = Item> + use<> {
        self.places().chain(self.all_calls())
    }

    pub(super) fn places(&self) -> impl Iterator<Item = Item> + use<> {
        (0..self.profile.places.len() as u32).map(Item::Place)
    }

    pub(super) fn all_calls(&self) -> impl Iterator<Item = Item> + use<> {
        (0..self.profile.calls.len() as u32).map(Item::Call)
    }

    /// Whether its function was divided, so that its cost is an estimate.
    pub(super) fn is_divided(&self, item: Item) -> bool {
        self.profile.portion(self.function(item)) == Portion::Divided
    }

    /// Whether the profile has a part of the item's function. The lines of others only led to it.
    pub(super) fn is_part(&self, item: Item) -> bool {
        self.profile.has_part_of(self.function(item))
    }

    /// The first context or instance of a function, under which all of them are counted.
    pub(super) fn first_context(&self, function: FunctionId) -> FunctionId {
        FunctionId(self.first_contexts[function.index()])
    }

    /// All contexts and instances of a function, by the first.
    pub(super) fn contexts(&self, first: FunctionId) -> impl Iterator<Item = FunctionId> {
        self.contexts.get(first.index()).iter().map(|&function| FunctionId(function))
    }

    /// The places and calls of a function's code.
    pub(super) fn of(&self, function: FunctionId) -> impl Iterator<Item = Item> {
        let places = self.places_of.get(function.index()).iter().map(|&row| Item::Place(row));
        places.chain(self.calls_of.get(function.index()).iter().map(|&row| Item::Call(row)))
    }

    /// The calls of a function by others.
    pub(super) fn calls_to(&self, function: FunctionId) -> impl Iterator<Item = Item> {
        let calls = self.calls_to.get(function.index()).iter().map(|&row| Item::Call(row));
        calls.filter(move |&call| self.function(call) != function)
    }

    pub(super) fn place(&self, item: Item) -> Place {
        match item {
            Item::Place(row) => self.profile.places[row as usize],
            Item::Call(row) => self.profile.calls[row as usize].site,
        }
    }

    pub(super) fn function(&self, item: Item) -> FunctionId {
        self.profile.fragment(self.place(item).fragment).function
    }

    pub(super) fn callee(&self, item: Item) -> Option<FunctionId> {
        match item {
            Item::Place(_) => None,
            Item::Call(row) => Some(self.profile.calls[row as usize].callee),
        }
    }

    /// The number of calls, 0 for a place; unknown of those that a part of a function makes.
    pub(super) fn counted(&self, item: Item) -> Option<i64> {
        let is_counted = match item {
            Item::Place(_) => true,
            Item::Call(row) => self.profile.is_counted(self.profile.calls[row as usize]),
        };
        is_counted.then(|| self.calls(item))
    }

    /// The number of calls, which is an estimate of those that a part of a function makes; 0 for
    /// a place.
    pub(super) fn calls(&self, item: Item) -> i64 {
        match item {
            Item::Place(_) => 0,
            Item::Call(row) => self.side.call_counts[row as usize],
        }
    }

    /// The number of recorded events.
    pub(super) fn width(&self) -> usize {
        self.side.costs.table.width()
    }

    fn costs(&self, item: Item) -> &'p [Count] {
        match item {
            Item::Place(row) => self.side.costs.table.get(row as usize),
            Item::Call(row) => self.side.calls.table.get(row as usize),
        }
    }

    /// The count of an event, inclusive for a call.
    pub(super) fn cost(&self, item: Item, event: usize) -> i64 {
        self.profile.events().count(self.costs(item), event).or_zero()
    }

    pub(super) fn is_recursive(&self, function: FunctionId) -> bool {
        self.is_recursive[function.index()]
    }

    /// Whether it is a call within a cycle.
    pub(super) fn is_inner(&self, item: Item) -> bool {
        let caller = self.function(item);
        let callee = self.callee(item).filter(|_| self.is_recursive(caller));
        callee.is_some_and(|callee| self.graph.is_inner(caller, callee))
    }

    /// Whether it is of an outermost activation of its function, as far as these are known.
    pub(super) fn is_outermost(&self, item: Item) -> bool {
        let fragment = self.profile.fragment(self.place(item).fragment);
        self.is_exact[fragment.function.index()] && !fragment.division.is_deeper()
    }

    /// Adds an item to what its function spent in a part of its code.
    pub(super) fn add_to(&self, code: &mut CodeCost, item: Item, event: usize) {
        code.add(self.cost(item, event), self.is_outermost(item), self.is_inner(item));
    }

    /// What a part of a function's code costs.
    pub(super) fn cost_of_code(
        &self,
        function: FunctionId,
        code: CodeCost,
        event: usize,
    ) -> Estimated {
        let count = |cost: &[Count]| self.profile.events().count(cost, event);
        self.graph.cost_of_code(function, code, self.is_exact[function.index()], count)
    }

    /// What callers paid for a function, without calls within a cycle.
    pub(super) fn paid(&self, function: FunctionId, event: usize) -> i64 {
        let calls = self.calls_to(function).filter(|&call| !self.is_inner(call));
        calls.fold(0, |sum: i64, call| sum.saturating_add(self.cost(call, event)))
    }

    /// The number of calls of a function by others, and by itself; none if it is not known.
    pub(super) fn times_called(&self, function: FunctionId) -> Option<(i64, i64)> {
        let rows = self.calls_to.get(function.index()).iter();
        let (mut by_others, mut by_itself) = (0, 0);
        for call in rows.map(|&row| Item::Call(row)) {
            let count =
                if self.function(call) == function { &mut by_itself } else { &mut by_others };
            *count += self.counted(call)?;
        }
        Some((by_others, by_itself))
    }
}

/// By function the number of the first one of the same name in the same file, of all builds of a
/// program, without levels of recursion, callers and template arguments, which are not shown.
/// Where the file is not known, those of an object count.
fn first_contexts(profile: &Profile) -> Vec<u32> {
    type Shown<'p> = (Option<ObjectId>, FileId, Cow<'p, [u8]>);
    let mut first: HashMap<Shown<'_>, u32> = HashMap::new();
    let numbers = profile.functions().map(|(id, _)| {
        let (object, file, name) = profile.without_context(id);
        let object = Some(object).filter(|_| is_unknown_name(profile.file(file)));
        let is_instance = name.contains(&b'<');
        let shown = if is_instance {
            short_function(name, profile.name_kind())
        } else {
            Cow::Borrowed(name)
        };
        *first.entry((object, file, shown)).or_insert(id.0)
    });
    numbers.collect()
}
