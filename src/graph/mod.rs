//! The call graph of one side of a profile: callers, callees, the calls between them with counts
//! and costs, and call cycles. It is immutable.
//!
//! An **arc** is all calls from one fragment to one function, apart from those that are nested by
//! their level of recursion. The strongly connected **components** are sets of functions that can
//! reach each other; one with two or more functions that are not inlined copies is a **cycle**, and
//! arcs within it are **inner** arcs. In the [`order`] of functions callers come first, and an
//! arc to an earlier function is a **back** arc: its cost is part of that of an earlier call. A
//! function or component **spent** its self cost and the calls that leave it; its callers **paid**
//! the cost of the calls into it.
//!
//! [`function_costs`] and [`row_costs`] explain the inclusive costs of functions and of rows. In
//! cycles these are estimates: `levels` says where recorded levels of recursion make them exact,
//! and `never_nested` where the calls do. `shares` says which part of a function ran on behalf of a
//! row, and `back_calls`, `row_bounds` and `recursive_parts` have the bounds. [`CallGraph::cycles`]
//! are those that reports name.

mod always_above;
mod back_calls;
mod components;
mod cycles;
mod dominators;
mod estimate;
mod forest;
mod fragment_cost;
mod function_costs;
mod levels;
mod members;
mod never_nested;
mod order;
mod partition;
mod recursive_code;
mod recursive_parts;
mod row_bounds;
mod row_callers;
mod row_costs;
mod row_part;
mod shares;
mod sum;

use std::sync::OnceLock;

use crate::profile::{
    Call, CostTable, Count, FragmentId, FunctionId, Measured, Presence, Profile, Sides,
};
use back_calls::BackCalls;
use forest::Forest;
use function_costs::FunctionCosts;
use levels::Levels;
use members::Members;
use order::Order;

pub use components::{Groups, components};
pub use estimate::{Estimated, part, split};
pub use partition::Partition;
pub use recursive_code::CodeCost;
pub use row_costs::RowCosts;

/// All calls of a function that code of another one makes in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    pub caller: FragmentId,
    pub callee: FunctionId,
    /// Whether the callee is on the stack already, by the recorded level of recursion. Of an
    /// inlined copy these are the calls for what it spent in recursion, which are made with the
    /// copies.
    pub is_nested: bool,
}

/// The number of an arc in its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArcId(u32);

/// The function that makes a call, or the one that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEnd {
    Caller,
    Callee,
}

impl ArcId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The calls of one side of a profile, added up by the functions that they connect.
pub struct CallGraph<'p> {
    pub profile: &'p Profile,
    side: &'p Measured,
    /// Whether mutual recursion forms cycles; otherwise only direct recursion is nested.
    has_cycles: bool,
    /// Sorted by fragment of the caller.
    arcs: Vec<Arc>,
    /// Where the arcs of each fragment start.
    starts: Vec<u32>,
    into: Groups,
    fragments: Groups,
    /// The functions of each component; components of callers come before those of their callees.
    pub components: Groups,
    component_of: Vec<u32>,
    members: Members,
    levels: Levels,
    order: Order,
    back_calls: OnceLock<BackCalls>,
    of_functions: OnceLock<FunctionCosts>,
    forest: OnceLock<Forest>,
    cycles: OnceLock<Vec<Vec<FunctionId>>>,
    /// By function the number of its component if all levels of a function were one.
    of_levels: OnceLock<Vec<u32>>,
    /// By function what its outermost activations paid for calls that may lead to it again.
    returning: OnceLock<CostTable>,
    /// By function its self cost and all of its calls.
    spent_with_all_calls: OnceLock<CostTable>,
    /// The copies inlined into each function or copy; none if there are no copies.
    copies: Option<Groups>,
    own: &'p CostTable,
    costs: CostTable,
    /// The number of calls of each arc.
    calls: Vec<i64>,
}

impl<'p> CallGraph<'p> {
    /// Whether nested calls of functions in a cycle are counted once.
    pub fn counts_cycles_once(&self) -> bool {
        self.has_cycles
    }

    /// The graphs of all sides of a profile. Without `has_cycles`, only direct recursion is nested.
    pub fn of_sides(profile: &'p Profile, has_cycles: bool) -> Sides<CallGraph<'p>> {
        let sides = profile.sides().as_ref().zip(profile.self_costs().as_ref());
        sides.map(|(side, own)| CallGraph::new(profile, side, own, has_cycles))
    }

    fn new(
        profile: &'p Profile,
        side: &'p Measured,
        own: &'p CostTable,
        has_cycles: bool,
    ) -> CallGraph<'p> {
        let functions = profile.function_count();
        let function_of = |fragment: FragmentId| profile.fragment(fragment).function;
        let (arcs, starts, arc_of_call) = arcs(profile, side);
        let into = arcs.iter().map(|arc| Some(arc.callee.index()));
        let callers = arcs.iter().map(|arc| Some(function_of(arc.caller).index()));
        let out_of = Groups::new(functions, callers);
        let components = components(&out_of, |arc| arcs[arc as usize].callee.0).reversed();
        let mut component_of = vec![0; functions];
        for (component, members) in (0..).zip(components.iter()) {
            for &member in members {
                component_of[member as usize] = component;
            }
        }
        let copies = profile.has_inlined().then(|| {
            let into = |id: u32| Some(profile.inlined_into(FunctionId(id))?.index());
            Groups::new(functions, (0..functions as u32).map(into))
        });
        let arc_of_call = || arc_of_call.iter().map(|arc| arc.map(|arc| arc as usize));
        let mut calls = vec![0i64; arcs.len()];
        for (arc, &count) in arc_of_call().zip(&side.call_counts) {
            if let Some(arc) = arc {
                calls[arc] += count;
            }
        }
        let function_of =
            profile.fragments().iter().map(|fragment| Some(fragment.function.index()));
        let mut graph = CallGraph {
            profile,
            side,
            has_cycles,
            into: Groups::new(functions, into),
            fragments: Groups::new(functions, function_of),
            copies,
            components,
            component_of,
            own,
            costs: side.calls.table.sum_by(arcs.len(), arc_of_call()),
            calls,
            arcs,
            starts,
            members: Members::default(),
            levels: Levels::default(),
            order: Order::default(),
            back_calls: OnceLock::new(),
            of_functions: OnceLock::new(),
            forest: OnceLock::new(),
            cycles: OnceLock::new(),
            of_levels: OnceLock::new(),
            returning: OnceLock::new(),
            spent_with_all_calls: OnceLock::new(),
        };
        graph.add_order();
        graph
    }

    /// Finds out which levels of recursion were recorded, and the order of the functions.
    fn add_order(&mut self) {
        let mut members = Members::new(self);
        let mut levels = Levels::new(self, &members);
        levels.add_never_nested(self, &members);
        for arc in &mut self.arcs {
            let member = members.number(arc.callee);
            let is_exact = member.is_some_and(|member| levels.is_exact(member));
            arc.is_nested &= is_exact || self.profile.is_inlined(arc.callee);
        }
        members.keep_marks(self, |member| levels.is_exact(member));
        self.order = Order::new(self, &members);
        (self.members, self.levels) = (members, levels);
    }

    pub fn arcs(&self) -> impl ExactSizeIterator<Item = (ArcId, Arc)> {
        let arcs = self.arcs.iter().enumerate();
        arcs.map(|(number, &arc)| (ArcId(number as u32), arc))
    }

    pub fn arc(&self, arc: ArcId) -> Arc {
        self.arcs[arc.index()]
    }

    pub fn calls(&self, arc: ArcId) -> i64 {
        self.calls[arc.index()]
    }

    /// The recorded inclusive cost of the calls of an arc.
    pub fn cost(&self, arc: ArcId) -> &[Count] {
        self.costs.get(arc.index())
    }

    pub fn into(&self, function: FunctionId) -> impl Iterator<Item = (ArcId, Arc)> {
        let arcs = self.into.get(function.index()).iter();
        arcs.map(|&arc| (ArcId(arc), self.arcs[arc as usize]))
    }

    /// The calls of a function by those that come before it in the order.
    pub fn entering(&self, function: FunctionId) -> impl Iterator<Item = (ArcId, Arc)> {
        self.into(function).filter(|&(_, arc)| !self.goes_back(arc))
    }

    /// What a function spent beyond what was paid for all of its calls.
    pub fn unpaid(&self, function: FunctionId) -> &[Count] {
        self.inclusive_by_function().unpaid.get(function.index())
    }

    /// Whether a stack may begin with a function: no other one calls it, or it spent more than was
    /// paid for its calls.
    pub fn may_begin(&self, function: FunctionId) -> bool {
        let is_by_others = |(_, arc): (ArcId, Arc)| !self.is_own_call(self.caller(arc), function);
        !self.into(function).any(is_by_others)
            || self.unpaid(function).iter().any(|count| count.or_zero() != 0)
    }

    /// Whether a function is in a component with others.
    pub fn calls_others_that_call_it(&self, function: FunctionId) -> bool {
        self.members.number(function).is_some()
    }

    /// What a function that is in a component with others spent beyond what was paid for its calls.
    pub fn unpaid_by_component(&self, function: FunctionId) -> Option<Vec<Count>> {
        let member = self.members.number(function)?;
        let unpaid = |event| Count::new(self.members.unpaid(member, event) as i64);
        Some((0..self.own.width()).map(unpaid).collect())
    }

    /// The functions as trees, which rows of several functions need.
    fn forest(&self) -> &Forest {
        self.forest.get_or_init(|| Forest::new(self))
    }

    fn back_calls(&self) -> &BackCalls {
        self.back_calls.get_or_init(|| BackCalls::new(self))
    }

    /// Whether levels of recursion were recorded for members of cycles.
    pub fn has_levels(&self) -> bool {
        self.levels.are_recorded()
    }

    /// All functions, callers first.
    pub fn in_order(&self) -> &[FunctionId] {
        &self.order.functions
    }

    /// The index of a function in the order.
    pub fn place(&self, function: FunctionId) -> usize {
        self.order.place(function) as usize
    }

    pub fn out_of(&self, fragment: FragmentId) -> impl Iterator<Item = (ArcId, Arc)> {
        let at = fragment.index();
        let arcs = self.starts[at]..self.starts[at + 1];
        arcs.map(|arc| (ArcId(arc), self.arcs[arc as usize]))
    }

    pub fn caller(&self, arc: Arc) -> FunctionId {
        self.profile.fragment(arc.caller).function
    }

    /// The component of a function. Callers have lower numbers than their callees.
    pub fn component_of(&self, function: FunctionId) -> usize {
        self.component_of[function.index()] as usize
    }

    /// Whether the functions of a component are more than a function and its inlined copies.
    fn is_cycle(&self, members: &[u32]) -> bool {
        let is_own = |&&member: &&u32| !self.profile.is_inlined(FunctionId(member));
        self.has_cycles && members.len() > 1 && members.iter().filter(is_own).count() > 1
    }

    /// Whether a function is no inlined copy, and nothing is inlined into it.
    fn is_without_copies(&self, function: FunctionId) -> bool {
        self.copies.as_ref().is_none_or(|copies| {
            copies.get(function.index()).is_empty() && !self.profile.is_inlined(function)
        })
    }

    /// Whether a function, or a copy that is inlined into it, calls the function itself.
    pub fn is_own_call(&self, caller: FunctionId, callee: FunctionId) -> bool {
        caller == callee || self.copies.is_some() && self.profile.host(caller) == callee
    }

    /// Whether an arc is no way by which a function is first entered: a call of a function by
    /// itself or by one that comes after it in the order, or one that is nested by its level of
    /// recursion. The other arcs go from earlier functions to later ones.
    pub fn goes_back(&self, arc: Arc) -> bool {
        let caller = self.caller(arc);
        arc.is_nested
            || self.is_own_call(caller, arc.callee)
            || self.order.place(arc.callee) < self.order.place(caller)
    }

    /// Whether the cost of an arc is part of that of another call: it goes back. If recursion forms
    /// no cycles, these are only the calls of a function by itself.
    pub fn is_recursive(&self, arc: Arc) -> bool {
        let caller = self.caller(arc);
        if self.has_cycles || self.profile.is_inlined(arc.callee) {
            self.goes_back(arc)
        } else {
            self.is_own_call(caller, arc.callee)
        }
    }

    /// Whether the cost of a call is part of that of another call.
    pub fn is_repeated(&self, call: Call) -> bool {
        self.is_recursive(self.arc_of(call))
    }

    /// Whether a call has its cost beside its line: it goes on, or the outermost activation of a
    /// recursive function makes it, if levels of recursion tell that. All other calls go back, and
    /// their cost is part of that of another call. So is that of calls within inlined copies
    /// of the called function.
    pub fn has_own_cost(&self, call: Call) -> bool {
        // Inlined copies are called by all activations alike.
        let is_outermost = || {
            !self.profile.is_inlined(call.callee)
                && self.is_outermost(call, CallEnd::Caller) == Some(true)
                && !self.is_called_by_copies(call.callee)
        };
        if self.is_repeated(call) { is_outermost() } else { !self.is_within_copies(call) }
    }

    /// Whether a call of a function, or of a copy that is inlined there, is surely nested in
    /// another one of the same function: two of them are around it, or one that is nested itself.
    fn is_within_copies(&self, call: Call) -> bool {
        if !self.profile.has_inlined() {
            return false;
        }
        let caller = self.profile.fragment(call.site.fragment).function;
        let mut around = self.same_around(caller, call.callee);
        let Some(first) = around.next().filter(|_| self.profile.is_inlined(call.callee)) else {
            return around.next().is_some();
        };
        around.next().is_some() || self.is_called_by_copies(first)
    }

    /// Whether a function that is not inlined is called by copies of itself elsewhere, and only by
    /// itself beside these: all of its activations are nested.
    fn is_called_by_copies(&self, function: FunctionId) -> bool {
        let callers = || self.into(function).map(|(_, arc)| self.caller(arc));
        let is_itself = |caller| self.same_around(caller, function).next().is_some();
        self.profile.has_inlined()
            && !self.profile.is_inlined(function)
            && callers().any(|caller| self.profile.host(caller) != function)
            && callers().all(is_itself)
    }

    /// A caller and what it is inlined into, as far as they are the called function.
    fn same_around(
        &self,
        caller: FunctionId,
        callee: FunctionId,
    ) -> impl Iterator<Item = FunctionId> {
        let called = self.profile.function(callee).key();
        let around = std::iter::successors(Some(caller), |&of| self.profile.inlined_into(of));
        around.filter(move |&of| self.profile.function(of).key() == called)
    }

    /// The sides of which the graph fulfils a condition.
    pub fn on_sides(
        graphs: &Sides<CallGraph<'p>>,
        on: Presence,
        is_true: impl Fn(&CallGraph<'p>) -> bool,
    ) -> Presence {
        let base = graphs.base.as_ref();
        Presence::of(on.new && is_true(&graphs.new), on.base && base.is_some_and(is_true))
    }

    /// The arc that has the calls of a site.
    pub fn arc_of(&self, call: Call) -> Arc {
        let is_exact = |member| self.levels.is_exact(member);
        let is_trusted = || {
            self.members.number(call.callee).is_some_and(is_exact)
                || self.profile.is_inlined(call.callee)
        };
        let is_nested = call.is_nested && is_trusted();
        Arc { caller: call.site.fragment, callee: call.callee, is_nested }
    }

    /// Of a call that stays within a cycle or a function: whether the function at the `end` of the
    /// call is its outermost activation; none if neither its levels of recursion nor the calls tell
    /// that. The calls of all outermost activations of a function have no time in common, and
    /// neither have the calls that these make.
    pub fn is_outermost(&self, call: Call, end: CallEnd) -> Option<bool> {
        let caller = self.profile.fragment(call.site.fragment).function;
        let (function, is_nested) = match end {
            // A copy is on the stack with the function that it is inlined into.
            CallEnd::Caller => (self.profile.host(caller), call.is_from_nested),
            CallEnd::Callee => (call.callee, call.is_nested),
        };
        let of_cycle =
            self.members.number(function).filter(|&member| self.members.component(member).is_cycle);
        let is_known = match of_cycle {
            Some(member) => self.levels.is_exact(member),
            // It calls only itself, perhaps by copies that are inlined into it.
            None => call.is_nested,
        };
        is_known.then_some(!is_nested)
    }

    /// The function whose level of recursion this one is.
    pub fn outermost_level(&self, function: FunctionId) -> FunctionId {
        self.levels.outermost(function).unwrap_or(function)
    }

    /// Whether a call stays within a cycle or a function.
    pub fn goes_round(&self, call: Call) -> bool {
        let caller = self.profile.fragment(call.site.fragment).function;
        !self.profile.is_inlined(call.callee) && self.is_inner(caller, call.callee)
    }

    /// Whether it is known of a function that is in a component with others which of its
    /// activations are outermost ones: Callgrind recorded its levels of recursion, or it is never
    /// nested.
    pub fn has_exact_levels(&self, function: FunctionId) -> bool {
        self.members.number(function).is_some_and(|member| self.levels.is_exact(member))
    }

    /// Whether a call stays within a function or its component.
    pub fn is_inner(&self, caller: FunctionId, callee: FunctionId) -> bool {
        if caller == callee {
            return true;
        }
        let is_same = || self.component_of(caller) == self.component_of(callee);
        match self.copies {
            None => self.has_cycles && is_same(),
            // A copy that calls its host function is recursion of the host.
            Some(_) => {
                self.profile.host(caller) == callee
                    || (self.has_cycles || self.profile.is_inlined(callee)) && is_same()
            }
        }
    }

    /// What each group of functions spent, and what callers paid for it. `counts` is whether an arc
    /// counts as spent by its caller and as paid for its callee.
    pub fn spent_and_paid(
        &self,
        groups: usize,
        group: impl Fn(FunctionId) -> usize,
        counts: impl Fn(Arc) -> [bool; 2],
    ) -> [CostTable; 2] {
        let mut spent = CostTable::new(self.own.width(), groups);
        let mut paid = spent.clone();
        for (fragment, own) in self.profile.fragments().iter().zip(self.own.iter()) {
            spent.add(group(fragment.function), own);
        }
        for (id, arc) in self.arcs() {
            let [is_spent, is_paid] = counts(arc);
            if is_spent {
                spent.add(group(self.caller(arc)), self.cost(id));
            }
            if is_paid {
                paid.add(group(arc.callee), self.cost(id));
            }
        }
        [spent, paid]
    }

    /// The number of counts of a cost.
    pub fn width(&self) -> usize {
        self.own.width()
    }

    pub fn own(&self, fragment: FragmentId) -> &[Count] {
        self.own.get(fragment.index())
    }

    pub fn fragments_of(&self, function: FunctionId) -> impl Iterator<Item = FragmentId> {
        let fragments = self.fragments.get(function.index()).iter();
        fragments.map(|&fragment| FragmentId(fragment))
    }

    /// Whether this side has costs of a fragment, or calls from it.
    pub(super) fn has_fragment(&self, fragment: FragmentId) -> bool {
        let own = self.own(fragment).iter();
        self.out_of(fragment).next().is_some() || own.copied().any(|own| own != Count::UNDEFINED)
    }

    /// Whether this side has costs of a function, or calls from it or to it.
    pub(super) fn has_function(&self, function: FunctionId) -> bool {
        self.into(function).next().is_some()
            || self.fragments_of(function).any(|f| self.has_fragment(f))
    }

    /// Whether an arc leads to another component, whether or not cycles are shown.
    pub(super) fn leaves_component(&self, arc: Arc) -> bool {
        self.component_of(self.caller(arc)) != self.component_of(arc.callee)
    }
}

/// The arcs of one side by fragment of the caller, the index at which each fragment's arcs start,
/// and the arc of each call; none if the side does not have the call.
fn arcs(profile: &Profile, side: &Measured) -> (Vec<Arc>, Vec<u32>, Vec<Option<u32>>) {
    let calls = &profile.calls;
    let caller =
        |(row, call): (usize, &Call)| side.calls.has(row).then(|| call.site.fragment.index());
    let callers = calls.iter().enumerate().map(caller);
    let of_fragment = Groups::new(profile.fragments().len(), callers);
    let mut arcs: Vec<Arc> = Vec::new();
    let mut starts = vec![0];
    let mut arc_of_call = vec![None; calls.len()];
    // By function the last arc to it, and the last nested one.
    let mut last = vec![[u32::MAX; 2]; profile.function_count()];
    for (fragment, rows) in (0..).map(FragmentId).zip(of_fragment.iter()) {
        for &row in rows {
            let Call { callee, is_nested, .. } = calls[row as usize];
            let arc = &mut last[callee.index()][usize::from(is_nested)];
            let is_known = arcs.get(*arc as usize).map(|arc| arc.caller) == Some(fragment);
            if !is_known {
                *arc = arcs.len() as u32;
                arcs.push(Arc { caller: fragment, callee, is_nested });
            }
            arc_of_call[row as usize] = Some(*arc);
        }
        starts.push(arcs.len() as u32);
    }
    (arcs, starts, arc_of_call)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Division, FunctionKey, Part, Place, Position, ProfileBuilder};

    /// The one part of a profile of one event, with a total that limits no group.
    fn part() -> Part {
        Part { columns: vec![0], total: vec![Count::new(1000)], ..Part::default() }
    }

    /// A profile of functions f0, f1, ... with these self costs and calls, of which f1 is a copy
    /// that is inlined into f0.
    fn with_copy(own: &[i64], calls: &[(usize, usize, i64, i64)]) -> Profile {
        let mut builder = ProfileBuilder::default();
        builder.add_event(b"Ir").unwrap();
        let object = builder.add_object(b"prog").unwrap();
        let file = builder.add_file(b"a.c").unwrap();
        let mut functions = Vec::new();
        for number in 0..own.len() {
            let name = builder.add_name(format!("f{number}").as_bytes()).unwrap();
            let builder = builder.functions();
            functions.push(match number {
                1 => builder.add_inlined(functions[0], file, name).unwrap(),
                _ => builder.add(FunctionKey { object, file, name }).unwrap(),
            });
        }
        let place = |number: usize, builder: &mut ProfileBuilder| Place {
            fragment: builder
                .functions()
                .fragment(functions[number], file, Division::None)
                .unwrap(),
            position: builder.add_position(Position::of_line(1)).unwrap(),
        };
        for (number, &own) in own.iter().enumerate() {
            let place = place(number, &mut builder);
            builder.add_cost(place, &[Count::new(own)]).unwrap();
        }
        for &(caller, callee, count, cost) in calls {
            let site = place(caller, &mut builder);
            let callee = functions[callee];
            builder
                .add_call(
                    Call { site, callee, is_nested: false, is_from_nested: false },
                    count,
                    &[Count::new(cost)],
                )
                .unwrap();
        }
        builder.add_part(part()).unwrap();
        builder.finish()
    }

    /// The inclusive costs of rows, to which the functions belong by number.
    fn inclusive_of(graph: &CallGraph<'_>, rows: &[u32], count: usize) -> Vec<i64> {
        let partition = Partition::new(graph.profile, count, rows.to_vec());
        let costs = graph.inclusive(&partition).costs;
        costs.iter().map(|cost| cost[0].or_zero()).collect()
    }

    #[test]
    fn copies_count_with_what_they_are_inlined_into_where_they_call_it_back() {
        // f0, which nobody calls, spends 10; its copy f1 spends 5, calls f0 again for 15, and f2
        // for 7. f3 spends 3.
        let calls = [(0, 1, 0, 27), (1, 0, 1, 15), (1, 2, 1, 7)];
        let profile = with_copy(&[10, 5, 7, 3], &calls);
        for has_cycles in [true, false] {
            let graph = CallGraph::of_sides(&profile, has_cycles).new;
            assert!(graph.cycles().is_empty());
            let of_functions = inclusive_of(&graph, &[0, 1, 2, 3], 4);
            assert_eq!(of_functions, [22, 12, 7, 3], "{has_cycles}");
            let of_rows = inclusive_of(&graph, &[0, 1, 2, 0], 3);
            assert_eq!(of_rows, [25, 12, 7], "{has_cycles}");
        }
    }

    #[test]
    fn calls_of_a_function_by_its_copy_are_no_way_back_to_it() {
        // f3 calls f2 for 100, f2 and f0 call each other, and f1, the copy in f0, calls f0 for 30.
        // Of the 60 that were paid for f0, the 20 of its call of f2 can come back: the mean of 60
        // and 100 * 60 / (100 + 20).
        let calls = [(3, 2, 1, 100), (2, 0, 1, 60), (0, 2, 1, 20), (0, 1, 0, 35), (1, 0, 1, 30)];
        let profile = with_copy(&[10, 5, 60, 3], &calls);
        let graph = CallGraph::of_sides(&profile, true).new;
        assert_eq!(inclusive_of(&graph, &[0, 1, 2, 3], 4)[0], 55);
    }

    #[test]
    fn copies_count_with_those_that_call_them_where_their_host_is_charged() {
        // f2 and f3, which nobody else calls, call each other, and f2 calls f1, the copy in f0,
        // which was charged to f2. Of the 15 that f2 paid for f3, 12 can come back: the mean of 15
        // and 15 * 15 / (15 + 12).
        let profile = with_copy(&[0, 5, 7, 3], &[(2, 1, 0, 5), (2, 3, 1, 15), (3, 2, 1, 12)]);
        let graph = CallGraph::of_sides(&profile, true).new;
        assert_eq!(inclusive_of(&graph, &[0, 1, 2, 3], 4)[1..], [5, 15, 11]);
    }

    #[test]
    fn no_more_comes_back_to_a_row_than_was_paid_on_behalf_of_others() {
        // f2 and f3 are the first functions of two threads and call f4, which calls both. All that
        // f4 spends is on behalf of the row of f2 and f3, so the row has the whole cost.
        let calls = [(2, 4, 1, 60), (3, 4, 1, 60), (4, 2, 1, 20), (4, 3, 1, 20)];
        let profile = with_copy(&[0, 0, 10, 10, 80], &calls);
        let graph = CallGraph::of_sides(&profile, true).new;
        assert_eq!(inclusive_of(&graph, &[0, 1, 2, 2, 3], 4)[2], 100);
    }
}
