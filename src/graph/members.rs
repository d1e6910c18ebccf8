//! The members of components with several functions: what their callers paid for each and what it
//! spent, and the calls between them.
//!
//! Calls of a function to itself are left out of all sums, and so are those of a function by a copy
//! that is inlined into it; but these are among the calls between members. What a copy spent is
//! part of what its function spent.

use std::ops::Range;

use super::{ArcId, CallGraph};
use crate::profile::{CostTable, Count, FunctionId, add_cost};

/// The number of a function that is no member.
const NONE: u32 = u32::MAX;

/// Costs by member and event. All of them are those that were recorded.
#[derive(Default)]
pub(super) struct Members {
    pub(super) list: Vec<FunctionId>,
    /// By function its number in the list.
    numbers: Vec<u32>,
    pub(super) components: Vec<Component>,
    /// By member the number of its component here.
    pub(super) component_of: Vec<u32>,
    /// What all other functions paid.
    pub(super) paid: CostTable,
    /// The part of it that functions outside the component paid.
    pub(super) outside: CostTable,
    /// What was paid for calls that are nested by their level of recursion.
    pub(super) nested: CostTable,
    /// The self cost, and the calls to all other functions.
    pub(super) spent: CostTable,
    /// The self cost, and the calls to functions outside the component.
    pub(super) leaving: CostTable,
    /// The calls between members, by component, caller and callee.
    pub(super) inner: Vec<InnerCalls>,
    pub(super) inner_costs: CostTable,
}

/// A component with several functions.
pub(super) struct Component {
    pub(super) members: Range<usize>,
    /// Whether it is a cycle: not just a function and copies that are inlined into it.
    pub(super) is_cycle: bool,
    pub(super) inner: Range<usize>,
    /// The first event that callers outside the component paid for, or that members spent without
    /// having been called; the order of members is made by it.
    pub(super) event: usize,
    /// The calls of members by functions outside the component.
    pub(super) entering: Vec<ArcId>,
    /// What callers outside the component paid.
    pub(super) outside: Vec<Count>,
    /// What the component cost: the larger of what callers outside paid and of what its members
    /// spent.
    pub(super) entered: Vec<Count>,
    /// Whether a self cost or an inner call has a negative count, by event. Then no sum is a bound.
    pub(super) is_mixed: Vec<bool>,
}

/// All calls from one member to another.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct InnerCalls {
    pub(super) caller: u32,
    pub(super) callee: u32,
    /// Whether the callee was already on the stack, by its level of recursion or as the function
    /// that the caller is inlined into.
    pub(super) is_nested: bool,
}

impl Component {
    /// What it cost beyond what callers outside it paid.
    pub(super) fn uncalled(&self, event: usize) -> i128 {
        i128::from(self.entered[event].or_zero()) - i128::from(self.outside[event].or_zero())
    }

    /// The events of which sums of costs are bounds.
    pub(super) fn plain_events(&self) -> impl Iterator<Item = usize> {
        (0..self.is_mixed.len()).filter(|&event| !self.is_mixed[event])
    }
}

impl Members {
    pub(super) fn new(graph: &CallGraph<'_>) -> Members {
        let mut list = Vec::new();
        let mut components = Vec::new();
        let mut component_of = Vec::new();
        let mut numbers = Vec::new();
        let width = graph.own.width();
        for members in graph.components.iter().filter(|members| members.len() > 1) {
            numbers.resize(graph.profile.function_count(), NONE);
            let first = list.len();
            list.extend(members.iter().map(|&member| FunctionId(member)));
            component_of.resize(list.len(), components.len() as u32);
            list[first..].sort_unstable();
            for (number, member) in (first as u32..).zip(&list[first..]) {
                numbers[member.index()] = number;
            }
            components.push(Component {
                members: first..list.len(),
                is_cycle: graph.is_cycle(members),
                inner: 0..0,
                event: 0,
                entering: Vec::new(),
                outside: vec![Count::UNDEFINED; width],
                entered: vec![Count::UNDEFINED; width],
                is_mixed: vec![false; width],
            });
        }
        let none = CostTable::new(width, list.len());
        let mut members = Members {
            component_of,
            list,
            numbers,
            components,
            paid: none.clone(),
            outside: none.clone(),
            nested: none.clone(),
            spent: none.clone(),
            leaving: none,
            inner: Vec::new(),
            inner_costs: CostTable::new(width, 0),
        };
        members.add_outside(graph);
        // By callee the last calls of it, and the last nested ones.
        let mut last = vec![[NONE; 2]; members.list.len()];
        for component in 0..members.components.len() {
            members.add_component(graph, component, &mut last);
        }
        if graph.copies.is_some() {
            members.add_copies(graph);
        }
        members
    }

    /// The number of a function in the list of members.
    pub(super) fn number(&self, function: FunctionId) -> Option<usize> {
        let number = self.numbers.get(function.index()).copied();
        number.filter(|&number| number != NONE).map(|number| number as usize)
    }

    /// Keeps the marks of nested calls only of members whose levels are recorded, so that their
    /// costs are exact.
    pub(super) fn keep_marks(&mut self, graph: &CallGraph<'_>, is_exact: impl Fn(usize) -> bool) {
        for calls in &mut self.inner {
            let [caller, callee] = [calls.caller, calls.callee].map(|at| self.list[at as usize]);
            calls.is_nested &= is_exact(calls.callee as usize) || graph.is_own_call(caller, callee);
        }
    }

    /// The numbers of the calls that a member makes within its component.
    pub(super) fn inner_by(&self, caller: usize) -> Range<usize> {
        let of_component = self.component(caller).inner.clone();
        let inner = &self.inner[of_component.clone()];
        let first = inner.partition_point(|calls| (calls.caller as usize) < caller);
        let end = inner.partition_point(|calls| calls.caller as usize <= caller);
        of_component.start + first..of_component.start + end
    }

    pub(super) fn component(&self, member: usize) -> &Component {
        &self.components[self.component_of[member] as usize]
    }

    /// Adds the calls of members by functions outside their components.
    fn add_outside(&mut self, graph: &CallGraph<'_>) {
        for (id, arc) in graph.arcs().filter(|_| !self.list.is_empty()) {
            if let Some(callee) = self.number(arc.callee)
                && graph.leaves_component(arc)
            {
                self.paid.add(callee, graph.cost(id));
                self.outside.add(callee, graph.cost(id));
                let component = self.component_of[callee] as usize;
                self.components[component].entering.push(id);
            }
        }
    }

    /// Adds the self costs of the members of a component, and the calls that they make.
    fn add_component(&mut self, graph: &CallGraph<'_>, number: usize, last: &mut [[u32; 2]]) {
        let first = self.inner.len();
        for caller in self.components[number].members.clone() {
            let function = self.list[caller];
            for fragment in graph.fragments_of(function) {
                self.spent.add(caller, graph.own(fragment));
                self.leaving.add(caller, graph.own(fragment));
                for (id, arc) in graph.out_of(fragment) {
                    let cost = graph.cost(id);
                    if graph.leaves_component(arc) {
                        self.spent.add(caller, cost);
                        self.leaving.add(caller, cost);
                    } else if let Some(callee) = self.number(arc.callee)
                        && callee != caller
                    {
                        let is_own = graph.is_own_call(function, arc.callee);
                        self.add_inner(graph, [caller, callee], arc.is_nested, is_own, cost);
                        let calls = InnerCalls {
                            caller: caller as u32,
                            callee: callee as u32,
                            is_nested: arc.is_nested || is_own,
                        };
                        let known = &mut last[callee][usize::from(calls.is_nested)];
                        if self.inner.get(*known as usize) == Some(&calls) {
                            self.inner_costs.add(*known as usize, cost);
                        } else {
                            *known = self.inner.len() as u32;
                            self.inner.push(calls);
                            self.inner_costs.push(cost);
                        }
                    }
                }
            }
        }
        self.components[number].inner = first..self.inner.len();
        self.add_bounds(graph, number);
        let members = self.components[number].members.clone();
        let is_entered = |&event: &usize| {
            members.clone().any(|member| {
                self.outside.get(member)[event].or_zero() != 0 || self.unpaid(member, event) != 0
            })
        };
        let event = (0..graph.own.width()).find(is_entered).unwrap_or(0);
        self.components[number].event = event;
    }

    /// Sets what a component cost.
    fn add_bounds(&mut self, graph: &CallGraph<'_>, number: usize) {
        let component = &mut self.components[number];
        let mut left = vec![Count::UNDEFINED; graph.own.width()];
        for at in component.members.clone() {
            add_cost(&mut component.outside, self.outside.get(at));
            add_cost(&mut left, self.leaving.get(at));
        }
        for (event, entered) in component.entered.iter_mut().enumerate() {
            *entered = component.outside[event].larger(left[event]);
            let own = component.members.clone().flat_map(|at| graph.fragments_of(self.list[at]));
            let mut own = own.map(|fragment| graph.own(fragment)[event]);
            let mut calls = component.inner.clone().map(|at| self.inner_costs.get(at)[event]);
            let is_negative = |count: Count| count.or_zero() < 0;
            component.is_mixed[event] = own.any(is_negative) || calls.any(is_negative);
        }
    }

    /// Adds the cost of calls between two members. Those of a function by a copy that is inlined
    /// into it are no calls of it; what a copy spent is added to its function, call by call.
    fn add_inner(
        &mut self,
        graph: &CallGraph<'_>,
        [caller, callee]: [usize; 2],
        is_nested: bool,
        is_own: bool,
        cost: &[Count],
    ) {
        if is_own {
            return;
        }
        self.paid.add(callee, cost);
        if is_nested {
            self.nested.add(callee, cost);
        }
        let into = graph.copies.as_ref().and(graph.profile.inlined_into(self.list[callee]));
        if into != Some(self.list[caller]) {
            self.spent.add(caller, cost);
        }
    }

    /// Adds what copies spent to what they are inlined into, if that is in the same component.
    fn add_copies(&mut self, graph: &CallGraph<'_>) {
        // A copy has a higher id than the function or copy that it is inlined into.
        let mut copies: Vec<usize> = (0..self.list.len()).collect();
        copies.sort_unstable_by_key(|&member| std::cmp::Reverse(self.list[member]));
        for member in copies {
            let into = graph.profile.inlined_into(self.list[member]);
            let into = into.and_then(|into| self.number(into));
            let is_same = |into: &usize| self.component_of[*into] == self.component_of[member];
            if let Some(into) = into.filter(is_same) {
                for table in [&mut self.spent, &mut self.leaving] {
                    let cost = table.get(member).to_vec();
                    table.add(into, &cost);
                }
            }
        }
    }

    /// The cost of activations that nobody called: what a member spent beyond what was paid for it,
    /// at most what its component cost beyond what its callers paid.
    pub(super) fn unpaid(&self, member: usize, event: usize) -> i128 {
        self.beyond_paid(member, event).min(self.component(member).uncalled(event)).max(0)
    }

    /// What a member spent beyond what was paid for it.
    pub(super) fn beyond_paid(&self, member: usize, event: usize) -> i128 {
        count(&self.spent, member, event) - count(&self.paid, member, event)
    }

    /// By member, the most that one other member paid for calls of it, or that it paid for calls of
    /// one other member.
    pub(super) fn largest_pair(&self) -> CostTable {
        let mut largest = CostTable::new(self.paid.width(), self.list.len());
        for (calls, cost) in self.inner.iter().zip(self.inner_costs.iter()) {
            for member in [calls.caller, calls.callee] {
                let of_member = largest.get_mut(member as usize);
                for (most, &count) in of_member.iter_mut().zip(cost) {
                    *most = most.larger(count);
                }
            }
        }
        largest
    }

    /// The cost of all activations that are not nested by their level of recursion.
    pub(super) fn once(&self, member: usize, event: usize) -> i128 {
        self.all(member, event) - count(&self.nested, member, event)
    }

    /// The cost of all activations, nested ones too.
    pub(super) fn all(&self, member: usize, event: usize) -> i128 {
        count(&self.paid, member, event) + self.unpaid(member, event)
    }

    /// The larger of what a member spent outside its component and what callers outside paid: it
    /// costs at least that.
    pub(super) fn floor(&self, member: usize, event: usize) -> i128 {
        let leaving = self.leaving.get(member)[event];
        leaving.larger(self.outside.get(member)[event]).or_zero().into()
    }
}

fn count(table: &CostTable, member: usize, event: usize) -> i128 {
    table.get(member)[event].or_zero().into()
}
