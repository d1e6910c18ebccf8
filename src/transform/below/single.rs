//! Calls that were made once, of which it is known or likely below which callers they were.
//!
//! What a function cost is divided by what its callers paid. But a single call has one place: it is
//! below one of the recorded calls of its caller, and these cost at least as much together. So its
//! way is followed up, along calls that cost enough, to a function of which all or nothing is
//! below. The way goes on if
//!
//! - only the calls by one caller cost enough, which is certain, or
//! - of several callers one paid little more than the single call costs, and the calls by each
//!   other one cost little on average. That is likely: otherwise something else that costs as much
//!   was called by the one, and one call by another cost far more than the rest of its calls.
//!
//! A way ends at another single call, which has been decided before. The cost of a single call is
//! taken out of all calls of its way, and the rest of these is divided in proportion. There are at
//! most a hundred single calls of a hundredth of the total that are not below each other, so each
//! function is passed by few ways.

use hashbrown::HashMap;

use super::Split;
use super::write::zero_of;
use crate::graph::{Arc, ArcId, CallEnd};
use crate::profile::{Count, FunctionId, add_cost, difference};

/// A single call costs at least the total divided by this.
const MIN_PART: i128 = 100;

/// What a caller paid beyond the cost of a single call is little if it is at most a part of that
/// with this denominator, and so is what another caller paid for each of its calls.
const LITTLE: i128 = 10;

/// What is known of a call.
#[derive(Debug)]
struct Known {
    /// The cost of single calls that are below it: of those below a chosen function, and of others.
    through: [Vec<Count>; 2],
    /// If it is a single call itself, whether it is below a chosen function.
    is_below: Option<bool>,
}

/// What is known by single calls.
#[derive(Debug, Default)]
pub(super) struct SingleCalls {
    /// By the number of the call.
    known: HashMap<u32, Known>,
    /// The functions on the ways of single calls below a chosen function, and of others.
    on_way: [Vec<bool>; 2],
    /// By function whether its share follows from a way that is not certain.
    likely: Vec<bool>,
}

impl SingleCalls {
    /// Of what was paid for a call, what is known to be below a chosen function, and what is not
    /// known to be below or not: for what the caller spent, or for what was paid for the callee.
    pub(super) fn parts(&self, row: u32, end: CallEnd, cost: &[Count]) -> Option<[Vec<Count>; 2]> {
        let known = self.known.get(&row)?;
        Some(match known.is_below.filter(|_| end == CallEnd::Caller) {
            Some(true) => [cost.to_vec(), zero_of(cost)],
            Some(false) => [zero_of(cost), zero_of(cost)],
            None => {
                let [below, rest] = &known.through;
                [below.clone(), difference(&difference(cost, below), rest)]
            }
        })
    }

    /// Whether a single call is below a chosen function.
    pub(super) fn is_below(&self, row: u32) -> Option<bool> {
        self.known.get(&row)?.is_below
    }

    /// Whether a function led to single calls that are below a chosen function, or that are not.
    pub(super) fn is_on_way(&self, function: FunctionId, below: bool) -> bool {
        self.on_way[usize::from(!below)].get(function.index()) == Some(&true)
    }

    /// Whether it is not certain where the single calls were that decide a function's share.
    pub(super) fn is_likely(&self, function: FunctionId) -> bool {
        self.likely.get(function.index()) == Some(&true)
    }
}

/// The way up from a single call.
struct Way {
    arcs: Vec<ArcId>,
    is_below: bool,
    is_certain: bool,
}

/// What is known while ways are followed.
#[derive(Default)]
struct Ways {
    /// By single call its way, if that led to a function that decides.
    found: HashMap<ArcId, Option<Way>>,
    /// By arc the cost of single calls below it.
    through: HashMap<ArcId, [Vec<Count>; 2]>,
}

impl Split<'_, '_> {
    /// Finds the single calls of which it is known or likely whether they are below. Not if the
    /// shares of cycles are computed, or calls are not counted one by one.
    pub(super) fn find_single_calls(&mut self) {
        let counts_calls = self.profile.is_from_callgrind()
            && !self.profile.is_part()
            && self.divided_before.is_empty()
            && self.graph.arcs().any(|(id, _)| self.graph.calls(id) > 1);
        if !counts_calls || self.cycles.is_some() || self.levels.is_some() {
            return;
        }
        let total = self.side.costs.table.sum();
        let mut ways = Ways::default();
        let graph = self.graph;
        for &function in graph.in_order() {
            if self.end_of(function).is_some() {
                continue;
            }
            if let Some(is_below) = self.certain(function, &ways) {
                let known = if is_below { &mut self.is_always } else { &mut self.is_reached };
                known[function.index()] = is_below;
                continue;
            }
            for fragment in graph.fragments_of(function) {
                for (id, arc) in graph.out_of(fragment) {
                    if self.is_single(id, arc, &total) {
                        let way = self.follow(id, arc, &mut ways);
                        ways.found.insert(id, way);
                    }
                }
            }
        }
        if ways.found.values().any(Option::is_some) {
            self.single_calls = self.known_by(&ways);
        }
    }

    /// Whether all of a function is below, or nothing; none if neither is known.
    fn end_of(&self, function: FunctionId) -> Option<bool> {
        let at = function.index();
        match (self.is_reached[at], self.is_always[at]) {
            (false, false) => Some(false),
            (_, true) if self.chosen[at] || self.is_paid(function) => Some(true),
            _ => None,
        }
    }

    /// Whether all of a function is below, or nothing, as all calls of it are.
    fn certain(&self, function: FunctionId, ways: &Ways) -> Option<bool> {
        let graph = self.graph;
        if graph.calls_others_that_call_it(function) || !self.is_paid(function) {
            return None;
        }
        let mut ends = graph
            .into(function)
            .filter(|&(_, arc)| !graph.is_own_call(graph.caller(arc), function))
            .map(|(id, arc)| match ways.found.get(&id) {
                Some(Some(way)) if way.is_certain => Some(way.is_below),
                _ => self.end_of(graph.caller(arc)),
            });
        let is_below = ends.next()??;
        ends.all(|end| end == Some(is_below)).then_some(is_below)
    }

    /// Whether a function spent no more than was paid for its calls: no stack began with it.
    fn is_paid(&self, function: FunctionId) -> bool {
        self.graph.unpaid(function).iter().all(|count| count.or_zero() == 0)
    }

    fn is_single(&self, id: ArcId, arc: Arc, total: &[Count]) -> bool {
        let cost = self.graph.cost(id);
        let is_large = |(count, total): (&Count, &Count)| {
            count.or_zero() > 0 && i128::from(count.or_zero()) * MIN_PART >= total.or_zero().into()
        };
        self.graph.calls(id) == 1
            && !self.profile.is_inlined(arc.callee)
            && !self.chosen[arc.callee.index()]
            && cost.iter().all(|count| count.or_zero() >= 0)
            && cost.iter().zip(total).any(is_large)
    }

    /// Follows the way up from a single call.
    fn follow(&self, single: ArcId, arc: Arc, ways: &mut Ways) -> Option<Way> {
        let cost = self.graph.cost(single);
        let mut way = Way { arcs: Vec::new(), is_below: false, is_certain: true };
        let mut function = self.graph.caller(arc);
        way.is_below = loop {
            if let Some(is_below) = self.end_of(function) {
                break is_below;
            }
            let (id, is_certain) = self.call_above(function, cost, ways)?;
            way.arcs.push(id);
            way.is_certain &= is_certain;
            if let Some(above) = ways.found.get(&id) {
                let above = above.as_ref()?;
                way.is_certain &= above.is_certain;
                break above.is_below;
            }
            function = self.graph.caller(self.graph.arc(id));
        };
        for &id in &way.arcs {
            let zero = || [0, 1].map(|_| zero_of(cost));
            let through = ways.through.entry(id).or_insert_with(zero);
            add_cost(&mut through[usize::from(!way.is_below)], cost);
        }
        Some(way)
    }

    /// The call of a function below which it made a single call of this cost, and whether that is
    /// certain.
    fn call_above(
        &self,
        function: FunctionId,
        cost: &[Count],
        ways: &Ways,
    ) -> Option<(ArcId, bool)> {
        let graph = self.graph;
        let contains =
            |of: &[Count]| of.iter().zip(cost).all(|(of, count)| of.or_zero() >= count.or_zero());
        if graph.calls_others_that_call_it(function) || contains(graph.unpaid(function)) {
            return None;
        }
        let rest = |id: ArcId| match ways.through.get(&id) {
            Some([below, rest]) => difference(&difference(graph.cost(id), below), rest),
            None => graph.cost(id).to_vec(),
        };
        let is_enough = |&(id, arc): &(ArcId, Arc)| {
            !graph.is_own_call(graph.caller(arc), function) && contains(&rest(id))
        };
        let enough: Vec<(ArcId, Arc)> = graph.into(function).filter(is_enough).collect();
        let ends = || enough.iter().map(|&(_, arc)| self.end_of(graph.caller(arc)));
        let &(first, _) = enough.first()?;
        // Whichever it is, all of them are below, or none.
        let is_one = enough.len() == 1;
        if is_one || ends().all(|end| end.is_some()) && ends().all(|end| Some(end) == ends().next())
        {
            return Some((first, true));
        }
        let main = (0..cost.len()).max_by_key(|&event| cost[event].or_zero())?;
        let single = i128::from(cost[main].or_zero());
        let paid = |id: ArcId| i128::from(rest(id)[main].or_zero());
        let is_like = |id: ArcId| (paid(id) - single) * LITTLE <= single;
        let mut alike = enough.iter().filter(|&&(id, _)| is_like(id));
        let &(likely, _) = alike.next()?;
        let is_little = |id: ArcId| paid(id) * LITTLE <= single * i128::from(graph.calls(id));
        let are_little = enough.iter().all(|&(id, _)| id == likely || is_little(id));
        (alike.next().is_none() && are_little).then_some((likely, false))
    }

    /// What is known of all calls and functions by the ways that were found.
    fn known_by(&self, ways: &Ways) -> SingleCalls {
        let functions = self.chosen.len();
        let mut single_calls = SingleCalls {
            known: HashMap::new(),
            on_way: [vec![false; functions], vec![false; functions]],
            likely: vec![false; functions],
        };
        let mut open = Vec::new();
        let decided = ways.found.iter().filter_map(|(id, way)| Some((*id, way.as_ref()?)));
        for (single, way) in decided {
            let arc = self.graph.arc(single);
            for row in self.rows_of(arc) {
                self.known_of(row, &mut single_calls.known).is_below = Some(way.is_below);
            }
            let on_way = &mut single_calls.on_way[usize::from(!way.is_below)];
            let mut callers = vec![self.graph.caller(arc)];
            callers.extend(way.arcs.iter().map(|&id| self.graph.arc(id).callee));
            callers.iter().for_each(|caller| on_way[caller.index()] = true);
            if !way.is_certain {
                open.push(arc.callee);
                open.extend(callers);
            }
        }
        for (&id, through) in &ways.through {
            self.take_from_rows(self.graph.arc(id), through, &mut single_calls.known);
        }
        while let Some(function) = open.pop() {
            let is_open = self.end_of(function).is_none();
            if is_open && !std::mem::replace(&mut single_calls.likely[function.index()], true) {
                let rows = self.calls_by.get(function.index()).iter();
                open.extend(rows.map(|&row| self.call(row).callee));
            }
        }
        single_calls
    }

    fn known_of<'k>(&self, row: u32, known: &'k mut HashMap<u32, Known>) -> &'k mut Known {
        known.entry(row).or_insert_with(|| Known {
            through: [0, 1].map(|_| zero_of(self.cost(row))),
            is_below: None,
        })
    }

    /// The calls of an arc, in an order that does not depend on that of reading.
    fn rows_of(&self, arc: Arc) -> Vec<u32> {
        let rows = self.calls_by.get(self.graph.caller(arc).index()).iter().copied();
        let of_arc: Vec<u32> =
            rows.filter(|&row| self.graph.arc_of(self.call(row)) == arc).collect();
        self.in_order_of(&of_arc, |row| self.key_of_call(row))
    }

    /// Takes the cost of single calls from the calls of an arc, one after the other.
    fn take_from_rows(&self, arc: Arc, through: &[Vec<Count>; 2], known: &mut HashMap<u32, Known>) {
        let mut left = through.clone();
        for row in self.rows_of(arc) {
            let of_row = self.known_of(row, known);
            for (event, count) in self.cost(row).iter().enumerate() {
                let mut room = count.or_zero();
                for (left, taken) in left.iter_mut().zip(&mut of_row.through) {
                    let part = left[event].or_zero().min(room);
                    room -= part;
                    left[event].subtract(Count::new(part));
                    taken[event].add(Count::new(part));
                }
            }
        }
    }
}
