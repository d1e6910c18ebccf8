//! Stacks, as flame graphs show them: the cost of each function, split over the ways that lead to it.
//!
//! A call graph does not contain these ways: it knows who called a function and what that cost, not on whose behalf in
//! turn. So what a function spent for a caller is taken to be made up as all that it spent: each stack that reaches
//! it gets the same share of its own cost and of each of its calls. The stacks add up to the self costs of all
//! functions, to the last count:
//!
//! - What no call accounts for begins at the function itself: `main`, and what a profile saw only the inside of.
//! - Where calls cost more than the callee spent (the profile began in the middle of it), they are scaled down.
//! - A call cycle is entered once: below the member through which, the others, each with its calls that leave it.
//! - What is below a share of the total, too deep, or left over by a division, stays with the frame above it.

use super::apportion::Apportion;
use super::{RowId, Rows};
use crate::graph::{CallGraph, Groups};
use crate::profile::{FunctionId, Overflow};

/// How many frames a stack has at most. Each is written with all above it, so a chain of calls takes as much as the square of
/// its length.
const MAX_DEPTH: usize = 1000;

/// What each function spent and had others spend, of one event.
pub struct Stacks {
    functions: Vec<Spent>,
    components: Vec<Component>,
    /// The sum of all stacks.
    total: i128,
}

/// What one function spent.
#[derive(Clone, Default)]
struct Spent {
    component: u32,
    own: i128,
    /// Its calls that leave its component, the most expensive first.
    calls: Vec<(FunctionId, i128)>,
    /// Its own cost and these calls.
    sum: i128,
}

/// A function, or the members of a call cycle.
#[derive(Default)]
struct Component {
    /// The most expensive first.
    members: Vec<FunctionId>,
    sum: i128,
    /// What no call accounts for.
    uncalled: i128,
}

/// A cost below 0, of which no stack can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackError {
    /// A function costs less than nothing.
    Negative(FunctionId),
    /// A sum does not fit.
    Overflow,
}

impl From<Overflow> for StackError {
    fn from(_: Overflow) -> StackError {
        StackError::Overflow
    }
}

/// What is still to be done: a frame with its cost.
enum Task {
    /// A function that is called from outside of its component.
    Enter {
        function: FunctionId,
        cost: i128,
        depth: usize,
    },
    /// A function by itself, and what stays with its frame in any case.
    Frame {
        function: FunctionId,
        cost: i128,
        extra: i128,
        depth: usize,
    },
}

impl Stacks {
    /// Splits the counts of one event. Only the self costs of the rows that the filter chose are counted.
    ///
    /// # Errors
    /// [`StackError`].
    pub fn new(graph: &CallGraph<'_>, rows: &Rows<'_>, event: usize) -> Result<Stacks, StackError> {
        let profile = graph.profile();
        let mut stacks = Stacks {
            functions: vec![Spent::default(); profile.function_count()],
            components: Vec::new(),
            total: 0,
        };
        for (id, fragment) in profile.fragments_with_ids() {
            if rows.is_selected(rows.of_fragment(id)) {
                let count = profile.events().count(graph.own(id), event)?.or_zero();
                stacks.functions[fragment.function.index()].own += i128::from(count);
            }
        }
        if let Some((id, _)) = profile
            .functions()
            .find(|(id, _)| stacks.functions[id.index()].own < 0)
        {
            return Err(StackError::Negative(id));
        }
        stacks.total = stacks.functions.iter().map(|function| function.own).sum();
        i64::try_from(stacks.total).map_err(|_| StackError::Overflow)?;
        // Callees come first.
        let components = graph.components();
        for members in (0..components.len()).rev().map(|at| components.get(at)) {
            let component = stacks.components.len() as u32;
            let members: Vec<_> = members.iter().map(|&member| FunctionId(member)).collect();
            members
                .iter()
                .for_each(|member| stacks.functions[member.index()].component = component);
            stacks.components.push(Component {
                members,
                ..Component::default()
            });
        }
        stacks.add_calls(&Edges::new(graph, event)?, rows)?;
        Ok(stacks)
    }

    /// Goes through the components, callees before their callers, and hands the cost of each to the calls into it.
    fn add_calls(&mut self, edges: &Edges, rows: &Rows<'_>) -> Result<(), StackError> {
        for number in 0..self.components.len() {
            let mut members = std::mem::take(&mut self.components[number].members);
            for member in &members {
                let spent = &mut self.functions[member.index()];
                spent
                    .calls
                    .sort_by(|a, b| b.1.cmp(&a.1).then_with(|| by_name(a.0, b.0, rows)));
                spent.sum = spent.own + spent.calls.iter().map(|call| call.1).sum::<i128>();
            }
            let sum_of = |member: &FunctionId| self.functions[member.index()].sum;
            members.sort_by(|a, b| {
                sum_of(b)
                    .cmp(&sum_of(a))
                    .then_with(|| by_name(*a, *b, rows))
            });
            let sum: i128 = members.iter().map(sum_of).sum();

            let into = members
                .iter()
                .flat_map(|member| edges.into.get(member.index()));
            let into: Vec<&Edge> = into
                .map(|&edge| &edges.edges[edge as usize])
                .filter(|edge| self.functions[edge.caller.index()].component as usize != number)
                .collect();
            let paid: i128 = into.iter().map(|edge| edge.cost).sum();
            let mut split = Apportion::new(sum.min(paid), paid);
            for edge in into {
                let share = split.next(edge.cost).ok_or(StackError::Overflow)?;
                if share > 0 {
                    self.functions[edge.caller.index()]
                        .calls
                        .push((edge.callee, share));
                }
            }
            let uncalled = (sum - paid).max(0);
            self.components[number] = Component {
                members,
                sum,
                uncalled,
            };
        }
        Ok(())
    }

    /// Hands each stack, outermost frame first, with its cost to `write`. Frames of less than `least` percent of the
    /// total are cut.
    ///
    /// # Errors
    /// Those of `write`.
    pub fn for_each<E>(
        &self,
        least: f64,
        mut write: impl FnMut(&[FunctionId], i64) -> Result<(), E>,
    ) -> Result<(), E> {
        let least = ((self.total as f64 * least / 100.0).ceil() as i128).max(1);
        let mut path = Vec::new();
        let mut tasks = Vec::new();
        // Callers come last.
        for component in self.components.iter().rev() {
            let mut split = Apportion::new(component.uncalled, component.sum);
            for &function in &component.members {
                let cost = split
                    .next(self.functions[function.index()].sum)
                    .unwrap_or(0);
                tasks.push(Task::Frame {
                    function,
                    cost,
                    extra: 0,
                    depth: 0,
                });
                while let Some(task) = tasks.pop() {
                    match task {
                        Task::Enter {
                            function,
                            cost,
                            depth,
                        } => self.enter((function, cost, depth), least, &mut tasks),
                        Task::Frame {
                            function,
                            cost,
                            extra,
                            depth,
                        } => {
                            path.truncate(depth);
                            path.push(function);
                            let own = extra + self.call((function, cost, depth), least, &mut tasks);
                            if own > 0 {
                                write(&path, i64::try_from(own).unwrap_or(i64::MAX))?;
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Splits the cost of a component that is entered through a function over the members.
    fn enter(
        &self,
        (function, cost, depth): (FunctionId, i128, usize),
        least: i128,
        tasks: &mut Vec<Task>,
    ) {
        let component = &self.components[self.functions[function.index()].component as usize];
        let share_of = |member: FunctionId| match component.sum {
            0 => 0,
            sum => cost * self.functions[member.index()].sum / sum,
        };
        let own = share_of(function);
        let mut extra = cost - own;
        for &member in component
            .members
            .iter()
            .filter(|&&member| member != function)
        {
            let share = share_of(member);
            if share < least || depth + 1 >= MAX_DEPTH {
                break;
            }
            extra -= share;
            tasks.push(Task::Frame {
                function: member,
                cost: share,
                extra: 0,
                depth: depth + 1,
            });
        }
        // The last is done first.
        tasks.push(Task::Frame {
            function,
            cost: own,
            extra,
            depth,
        });
    }

    /// Splits the cost of a frame over its calls, and returns what stays with it.
    fn call(
        &self,
        (function, cost, depth): (FunctionId, i128, usize),
        least: i128,
        tasks: &mut Vec<Task>,
    ) -> i128 {
        let spent = &self.functions[function.index()];
        let mut split = Apportion::new(cost, spent.sum);
        let (mut own, first) = (cost, tasks.len());
        for &(callee, weight) in &spent.calls {
            match split.next(weight) {
                Some(share) if share >= least && depth + 1 < MAX_DEPTH => {
                    own -= share;
                    tasks.push(Task::Enter {
                        function: callee,
                        cost: share,
                        depth: depth + 1,
                    });
                }
                _ => break,
            }
        }
        // The last is done first.
        tasks[first..].reverse();
        own
    }
}

/// All calls between two functions.
struct Edge {
    caller: FunctionId,
    callee: FunctionId,
    cost: i128,
}

/// All calls that cost something, by callee.
struct Edges {
    edges: Vec<Edge>,
    into: Groups,
}

impl Edges {
    fn new(graph: &CallGraph<'_>, event: usize) -> Result<Edges, Overflow> {
        let events = graph.profile().events();
        let mut calls: Vec<(FunctionId, FunctionId, i64)> = Vec::new();
        for (id, arc) in graph.arcs() {
            let (caller, cost) = (
                graph.caller(arc),
                events.count(graph.cost(id), event)?.or_zero(),
            );
            if caller != arc.callee && cost > 0 {
                calls.push((arc.callee, caller, cost));
            }
        }
        calls.sort_unstable_by_key(|&(callee, caller, _)| (callee, caller));
        let edges: Vec<Edge> = calls
            .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
            .map(|calls| Edge {
                callee: calls[0].0,
                caller: calls[0].1,
                cost: calls.iter().map(|call| i128::from(call.2)).sum(),
            })
            .collect();
        let callees = edges.iter().map(|edge| Some(edge.callee.index()));
        let into = Groups::new(graph.profile().function_count(), callees);
        Ok(Edges { edges, into })
    }
}

fn by_name(a: FunctionId, b: FunctionId, rows: &Rows<'_>) -> std::cmp::Ordering {
    let row = |function| -> RowId { rows.of_function(function) };
    rows.cmp_names(row(a), row(b)).then(a.cmp(&b))
}
