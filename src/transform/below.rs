//! Divides a profile by functions: what happened while one of them was on the stack, and the rest.
//!
//! A profile has no stacks, only what each function paid for its calls. All of a chosen function is
//! **below** it, and so is the part of another function for which callers paid that are below
//! themselves ([`divide`]). Functions of a cycle depend on each other ([`cycles`]). A call that was
//! made once is not divided if its callers can be told ([`single`]).
//!
//! The callers of a chosen function were on the stack, too: the part of their calls that led to it
//! is below as well, although nothing of their self cost is ([`lead`]). So each self cost and each
//! call is the sum of what is below and of the rest, of which [one](mod@write) is written. Trees of
//! callers and stacks have these callers, lists of functions and lines do not ([`Portion::None`]).
//!
//! Threads and programs whose code is apart call nothing of each other: each is divided by itself.

mod cycles;
mod divide;
mod known;
mod lead;
mod levels;
mod paying;
mod share;
mod single;
mod write;

use std::cell::LazyCell;
use std::rc::Rc;

use self::cycles::CycleShares;
use self::known::Known;
use self::levels::Levels;
use self::paying::note_paying;
use self::share::Share;
use self::single::SingleCalls;
use self::write::zero_of;
use crate::graph::{CallEnd, CallGraph, Groups};
use crate::profile::{
    AddError, Call, CostTable, Count, Division, FunctionId, KeptOf, Measured, OneThread, Place,
    Portion, Profile, ProfileBuilder, Sides, add_cost, difference,
};

/// The part of a profile that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// What happened while a chosen function was on the stack.
    Below,
    /// What did not.
    Rest,
}

/// How much of a side was kept.
#[derive(Debug, Default)]
pub struct KeptCost {
    /// The total before.
    pub all: Vec<Count>,
    pub kept: Vec<Count>,
    /// Whether the profile has calls; without them only self costs are known.
    pub has_calls: bool,
    /// Whether `kept` is an estimate.
    pub is_estimated: bool,
    /// The number of calls of the chosen functions by others; none if nobody called them, or calls
    /// are not counted.
    pub calls: Option<i64>,
    /// The self costs that were not divided.
    pub exact: Vec<Count>,
    /// By event whether others were, though perhaps by so little that nothing of them was kept.
    pub is_divided: Vec<bool>,
    /// Whether Callgrind recorded levels of recursion that the costs depend on.
    has_levels: bool,
    /// By function whether it was divided, which may have been before.
    divided: Vec<bool>,
    /// By function whether some of it was kept, not only calls that led to what was kept.
    has_part: Vec<bool>,
}

/// The number of calls of the chosen functions by others.
fn calls_of(profile: &Profile, side: &Measured, chosen: &[bool]) -> Option<i64> {
    let is_from_others = |call: &Call| {
        let caller = profile.fragment(call.site.fragment).function;
        chosen[call.callee.index()] && !chosen[caller.index()]
    };
    let calls = profile.calls.iter().zip(&side.call_counts);
    let counts = calls.filter(|(call, _)| is_from_others(call)).map(|(_, count)| *count);
    let sum = counts.fold(0, |sum: i64, count| sum.saturating_add(count));
    (sum > 0 && profile.counts_calls()).then_some(sum)
}

/// Keeps a part of a profile. `chosen` is by function; `before` is what was kept if the profile is
/// such a part itself, with the same functions.
pub fn keep(
    profile: &Profile,
    chosen: &[bool],
    kept: Kept,
    before: Option<&Sides<KeptCost>>,
) -> Result<(Profile, Sides<KeptCost>), AddError> {
    let mut builder = profile.builder_with_names();
    let graphs = LazyCell::new(|| CallGraph::of_sides(profile, true));
    let mut costs = profile.sides().as_ref().map(|_| KeptCost::default());
    let mut is_paying = vec![false; chosen.len()];
    builder.add_sides(profile, |builder, side, index| {
        let side_before = before.and_then(|sides| sides.get(index));
        let divided_before = side_before.map_or(&[][..], |side| &side.divided);
        let mut split = |graph: &CallGraph<'_>, side: &Measured, thread, builder: &mut _| {
            let outermost = outermost(graph, chosen);
            note_paying(graph, side, &outermost, kept, &mut is_paying);
            Split { thread, ..Split::new(graph, side, &outermost, divided_before) }
                .write(kept, builder)
        };
        let threads = profile.rows_of_threads(side);
        let mut cost = match graphs.get(index).filter(|_| threads.is_empty()) {
            Some(graph) => split(graph, side, None, builder)?,
            None => {
                let mut one = OneThread::new(profile)?;
                let mut of_threads = Vec::new();
                for (thread, rows) in &threads {
                    let part = one.with(side, rows);
                    let graph = CallGraph::of_sides(part, true).new;
                    of_threads.push(split(&graph, &part.sides().new, *thread, builder)?);
                }
                together(of_threads, kept, profile, builder)
            }
        };
        cost.calls = calls_of(profile, side, chosen);
        cost.has_calls = !profile.calls.is_empty();
        if let Some(of_side) = costs.get_mut(index) {
            *of_side = cost;
        }
        Ok(())
    })?;
    for function in (0..chosen.len() as u32).map(FunctionId) {
        let is_any = |of: fn(&KeptCost) -> &[bool]| {
            costs.iter().any(|side| of(side).get(function.index()) == Some(&true))
        };
        let portion = if !is_any(|side| &side.has_part) || !profile.has_part_of(function) {
            Portion::None
        } else if is_any(|side| &side.divided) {
            Portion::Divided
        } else if chosen[function.index()] {
            Portion::Chosen
        } else if is_paying[function.index()] {
            Portion::Paying
        } else {
            Portion::Exact
        };
        builder.functions().set_portion(function, portion);
    }
    Ok((builder.finish(), costs))
}

/// What was kept of a side whose threads were divided one by one, each with the total of all.
fn together(
    of_threads: Vec<KeptCost>,
    kept: Kept,
    profile: &Profile,
    builder: &mut ProfileBuilder,
) -> KeptCost {
    let either = |of: &mut Vec<bool>, other: &[bool]| {
        of.iter_mut().zip(other).for_each(|(of, other)| *of |= other);
    };
    let add = |mut sum: KeptCost, of: KeptCost| {
        match kept {
            Kept::Below => add_cost(&mut sum.kept, &of.kept),
            Kept::Rest => sum.kept = difference(&sum.kept, &difference(&of.all, &of.kept)),
        }
        add_cost(&mut sum.exact, &of.exact);
        sum.is_estimated |= of.is_estimated;
        sum.has_levels |= of.has_levels;
        either(&mut sum.is_divided, &of.is_divided);
        either(&mut sum.divided, &of.divided);
        either(&mut sum.has_part, &of.has_part);
        sum
    };
    let mut sum = of_threads.into_iter().reduce(add).unwrap_or_default();
    builder.set_kept(KeptOf { total: sum.kept.clone(), has_levels: sum.has_levels });
    for costs in [&mut sum.kept, &mut sum.exact] {
        profile.events().derive(costs);
    }
    sum
}

/// The chosen functions without those that are only called below other ones, which add nothing.
fn outermost(graph: &CallGraph<'_>, chosen: &[bool]) -> Vec<bool> {
    // The functions that stacks lead to without a chosen one above.
    let functions = || (0..chosen.len() as u32).map(FunctionId);
    let mut open: Vec<FunctionId> = functions().filter(|&of| graph.may_begin(of)).collect();
    let mut is_free = vec![false; chosen.len()];
    open.iter().for_each(|function| is_free[function.index()] = true);
    while let Some(function) = open.pop() {
        if chosen[function.index()] {
            continue;
        }
        for fragment in graph.fragments_of(function) {
            for (_, arc) in graph.out_of(fragment) {
                if !std::mem::replace(&mut is_free[arc.callee.index()], true) {
                    open.push(arc.callee);
                }
            }
        }
    }
    // Deeper levels of recursion tell what is nested in the first one.
    let is_outermost = |function: FunctionId| {
        let first = graph.outermost_level(function);
        let of = if chosen[first.index()] { first } else { function };
        chosen[function.index()] && is_free[of.index()]
    };
    functions().map(is_outermost).collect()
}

/// The division of a side by the chosen functions.
struct Split<'a, 'p> {
    graph: &'a CallGraph<'p>,
    profile: &'p Profile,
    side: &'a Measured,
    chosen: &'a [bool],
    divided_before: &'a [bool],
    /// The number of the thread that the side is of, if it is of one that has a number.
    thread: Option<u32>,
    width: usize,
    /// The numbers of the places of each function, of the calls that it makes, and of those of it.
    places_of: Groups,
    calls_by: Groups,
    calls_of: Groups,
    /// By function, whether a chosen one can be above it.
    is_reached: Vec<bool>,
    /// By function, whether a chosen one is always above it, or it is chosen itself.
    is_always: Vec<bool>,
    /// The only chosen function, if it is known which calls of it are nested.
    only: Option<FunctionId>,
    /// What is known by that of the calls that led to it.
    levels: Option<Rc<Levels>>,
    /// What is known of calls that were made once, otherwise.
    single_calls: SingleCalls,
    /// By event the part of the calls of chosen functions that is not nested.
    entries: Vec<Share>,
    /// By event the part of the calls that enter the current component that led to a chosen one.
    outside: Vec<Share>,
    /// The shares of functions of cycles, if some are not known.
    cycles: Option<CycleShares<'a, 'p>>,
    /// By function and event the share that is below; after the events that of its calls' number.
    shares: Vec<Share>,
    /// By place the part below.
    places: CostTable,
    /// By call the part that is paid by what is below, and its number of calls.
    paid_below: CostTable,
    counts_below: Vec<i64>,
    /// By call the part that others paid and that led to a chosen function.
    led_below: CostTable,
}

impl<'a, 'p> Split<'a, 'p> {
    fn new(
        graph: &'a CallGraph<'p>,
        side: &'a Measured,
        chosen: &'a [bool],
        divided_before: &'a [bool],
    ) -> Split<'a, 'p> {
        let profile = graph.profile;
        let (functions, width) = (profile.function_count(), side.costs.table.width());
        let places = profile.places.iter().enumerate().map(|(row, &place)| {
            side.costs.has(row).then(|| profile.fragment(place.fragment).function.index())
        });
        let callers = profile.calls.iter().enumerate().map(|(row, call)| {
            let caller = profile.fragment(call.site.fragment).function;
            side.calls.has(row).then(|| caller.index())
        });
        let callees = profile
            .calls
            .iter()
            .enumerate()
            .map(|(row, call)| side.calls.has(row).then(|| call.callee.index()));
        let mut split = Split {
            places_of: Groups::new(functions, places),
            calls_by: Groups::new(functions, callers),
            calls_of: Groups::new(functions, callees),
            is_reached: chosen.to_vec(),
            is_always: chosen.to_vec(),
            only: None,
            levels: None,
            single_calls: SingleCalls::default(),
            entries: Vec::new(),
            outside: vec![Share::NONE; width],
            cycles: None,
            shares: vec![Share::NONE; functions * (width + 1)],
            places: CostTable::new(width, profile.places.len()),
            paid_below: CostTable::new(width, profile.calls.len()),
            counts_below: vec![0; profile.calls.len()],
            led_below: CostTable::new(width, profile.calls.len()),
            graph,
            profile,
            side,
            chosen,
            divided_before,
            thread: None,
            width,
        };
        split.find_reached();
        split.find_always();
        let (is_reached, is_always) = (split.is_reached.clone(), split.is_always.clone());
        split.only = split.find_only();
        let known = Known { chosen, is_reached, is_always, only: split.only };
        split.levels = Levels::new(graph, &known).map(Rc::new);
        split.cycles = CycleShares::new(graph, known, split.levels.clone());
        split.find_single_calls();
        split.divide_all();
        split.lead_all();
        split
    }

    fn caller(&self, row: u32) -> FunctionId {
        self.profile.fragment(self.call(row).site.fragment).function
    }

    fn call(&self, row: u32) -> Call {
        self.profile.calls[row as usize]
    }

    fn cost(&self, row: u32) -> &'a [Count] {
        self.side.calls.table.get(row as usize)
    }

    fn count(&self, row: u32) -> i64 {
        self.side.call_counts[row as usize]
    }

    /// What a place cost without what is below.
    fn rest_of_place(&self, row: u32) -> Vec<Count> {
        let own = self.side.costs.table.get(row as usize);
        difference(own, self.places.get(row as usize))
    }

    /// What was paid for a call without what is below.
    fn rest_of_call(&self, row: u32) -> Vec<Count> {
        difference(self.cost(row), self.paid_below.get(row as usize))
    }

    /// Of what was paid for a call, what is known to be below as its caller spent it, or as it was
    /// paid for its callee, and what is not known to be below or not: of calls that led to the only
    /// chosen function by their levels, of others by single calls.
    fn known_parts(&self, row: u32, end: CallEnd) -> [Vec<Count>; 2] {
        let cost = self.cost(row);
        if let Some(parts) = self.single_calls.parts(row, end, cost) {
            return parts;
        }
        let Some((levels, only)) = self.levels.as_deref().zip(self.only) else {
            return [zero_of(cost), cost.to_vec()];
        };
        let (caller, callee) = (self.caller(row), self.call(row).callee);
        let part = |(event, &count): (usize, &Count)| {
            let led = if self.chosen[callee.index()] {
                levels.of_chosen(self.is_outermost(row, only))
            } else {
                levels.of_call(caller, callee, event)
            };
            led.of(count)
        };
        let parts: Vec<[Count; 2]> = cost.iter().enumerate().map(part).collect();
        [0, 1].map(|which| parts.iter().map(|parts| parts[which]).collect())
    }

    /// Whether a call is one of a function by itself, which is on nobody else's behalf.
    fn is_own(&self, row: u32) -> bool {
        self.graph.is_own_call(self.caller(row), self.call(row).callee)
    }

    /// By event the share of a function that is below, and that of its calls' number.
    fn shares(&self, function: FunctionId) -> &[Share] {
        &self.shares[function.index() * (self.width + 1)..][..=self.width]
    }

    /// Whether all of a function is below.
    fn has_all(&self, function: FunctionId) -> bool {
        self.shares(function).iter().all(|&share| share == Share::ALL)
            && !self.single_calls.is_on_way(function, false)
    }

    /// Finds the functions that a chosen one can be above.
    fn find_reached(&mut self) {
        let mut is_never_below = vec![false; self.chosen.len()];
        for function in self.graph.never_below(self.chosen) {
            is_never_below[function.index()] = true;
        }
        let mut open: Vec<usize> = (0..self.chosen.len()).filter(|&at| self.chosen[at]).collect();
        while let Some(function) = open.pop() {
            for &row in self.calls_by.get(function) {
                let callee = self.call(row).callee;
                // The chosen functions of its own cycle are not above it.
                let is_above = is_never_below[callee.index()] && self.is_in_cycle(row);
                if !is_above && !std::mem::replace(&mut self.is_reached[callee.index()], true) {
                    open.push(callee.index());
                }
            }
        }
    }

    /// Whether a call stays within a component.
    fn is_in_cycle(&self, row: u32) -> bool {
        let ends = [self.caller(row), self.call(row).callee];
        let [caller, callee] = ends.map(|function| self.graph.component_of(function));
        caller == callee
    }

    /// Of the functions that are reached, finds those that are only called by such functions.
    fn find_always(&mut self) {
        self.is_always.clone_from(&self.is_reached);
        let mut open: Vec<usize> =
            (0..self.chosen.len()).filter(|&at| !self.is_reached[at]).collect();
        while let Some(function) = open.pop() {
            for &row in self.calls_by.get(function) {
                let callee = self.profile.calls[row as usize].callee.index();
                let is_other = !self.chosen[callee] && callee != function;
                if is_other && std::mem::replace(&mut self.is_always[callee], false) {
                    open.push(callee);
                }
            }
        }
    }

    /// The rows of places, or of calls, in an order that does not depend on that of reading.
    fn in_order_of<K: Ord>(&self, rows: &[u32], key: impl Fn(u32) -> K) -> Vec<u32> {
        let mut rows = rows.to_vec();
        rows.sort_by_cached_key(|&row| key(row));
        rows
    }

    /// Where a cost is: by file first, so that the parts of a function in a file do not depend on
    /// whether lines were read.
    fn key_of(&self, place: Place) -> (&'p [u8], Division, u32, u64) {
        let at = self.profile.code_place(place);
        (self.profile.file(at.file), at.division, at.line, at.address)
    }

    fn key_of_call(&self, row: u32) -> impl Ord + 'p {
        let call = self.call(row);
        let (file, division, line, address) = self.key_of(call.site);
        let callee = self.profile.function(call.callee);
        let name = (self.profile.name(callee.name), self.profile.file(callee.file));
        (file, division, (name, self.profile.object(callee.object)), (line, address))
    }

    /// The only chosen function, if others are levels of its recursion and it is known which calls
    /// of it are not nested.
    fn find_only(&self) -> Option<FunctionId> {
        let chosen = (0..self.chosen.len() as u32)
            .map(FunctionId)
            .filter(|function| self.chosen[function.index()] && self.is_on_side(*function));
        let mut first = chosen.map(|function| self.graph.outermost_level(function));
        let only = first.next().filter(|&only| first.all(|other| other == only))?;
        let is_known =
            !self.graph.calls_others_that_call_it(only) || self.graph.has_exact_levels(only);
        is_known.then_some(only)
    }

    /// Whether the side has costs or calls of a function; another side may have a function that the
    /// same pattern matches.
    fn is_on_side(&self, function: FunctionId) -> bool {
        let groups = [&self.places_of, &self.calls_by, &self.calls_of];
        groups.iter().any(|rows| !rows.get(function.index()).is_empty())
    }

    /// Whether what is below together is an estimate: it is not what the only chosen function is
    /// known to cost, or some calls of chosen ones may be nested.
    fn is_estimated(&self, below: &[Count]) -> bool {
        if let Some(only) = self.only {
            let known = self.graph.inclusive_by_function().costs.get(only.index());
            let max = self.profile.places.len() as i64;
            let mut counts = below.iter().zip(known);
            return counts.any(|(below, known)| (below.or_zero() - known.or_zero()).abs() > max);
        }
        let is_by_divided = |&row: &u32| {
            let is_part = |&share: &Share| share != Share::NONE && share != Share::ALL;
            !self.is_own(row) && self.shares(self.caller(row)).iter().any(is_part)
        };
        let chosen = (0..self.chosen.len()).filter(|&function| self.chosen[function]);
        chosen.flat_map(|function| self.calls_of.get(function)).any(is_by_divided)
    }

    /// Whether the only chosen function was not on the stack when it was called.
    fn is_outermost(&self, row: u32, only: FunctionId) -> bool {
        let call = self.call(row);
        call.callee == only && self.graph.is_outermost(call, CallEnd::Callee) != Some(false)
    }
}

/// The components of the functions, callers first.
fn components<'g>(graph: &'g CallGraph<'_>) -> impl DoubleEndedIterator<Item = &'g [FunctionId]> {
    let are_one = |&a: &FunctionId, &b: &FunctionId| graph.component_of(a) == graph.component_of(b);
    graph.in_order().chunk_by(are_one)
}
