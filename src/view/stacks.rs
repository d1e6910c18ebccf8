//! Stacks, as flame graphs show them: the cost of each function, split over the ways that lead to it.
//!
//! A call graph does not contain these ways: it knows who called a function and what that cost, not on whose behalf in
//! turn. So what a function spent for a caller is taken to be made up as all that it spent: each stack that reaches
//! it gets the same share of its own cost and of each of its calls. The stacks that end with a function add up to its
//! self cost, to the last count:
//!
//! - What no call accounts for begins at the function itself: `main`, and what a profile saw only the inside of.
//! - Where calls cost more than the callee spent (the profile began in the middle of it), they are scaled down.
//! - A call cycle is entered once: below the member through which, the others, each with its calls that leave it.
//! - What a function has in frames below a share of the total, and what divisions leave over, is added to its largest
//!   stack; if it has none, to one of its own below the nearest of its callers that has one. What is too deep for one stays
//!   with that caller.

use crate::graph::{CallGraph, part};
use crate::profile::FunctionId;
use crate::view::label::RowId;
use crate::view::rows::Rows;
use crate::view::sums::add_up_equal;

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

/// A function with a cost below 0, of which no stack can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NegativeCost(pub FunctionId);

/// What is still to be done: a frame with its cost.
struct Task {
    function: FunctionId,
    cost: i128,
    depth: usize,
    /// Whether it is called from outside of its component, so that the other members are below it.
    enters: bool,
}

/// Which frames there are, and what they leave over.
struct Rests {
    /// By function what its frames leave over of its own cost.
    of_function: Vec<i128>,
    /// By function the number of its largest frame, and what that one has of its own cost.
    largest: Vec<Option<(usize, i128)>>,
    /// By function those without a frame whose rests are below its largest.
    below: Vec<Vec<FunctionId>>,
}

impl Stacks {
    /// Splits the counts of one event. Only the self costs of the rows that the filter chose are counted.
    pub fn new(
        graph: &CallGraph<'_>,
        rows: &Rows<'_>,
        event: usize,
    ) -> Result<Stacks, NegativeCost> {
        let profile = graph.profile;
        let mut stacks = Stacks {
            functions: vec![Spent::default(); profile.function_count()],
            components: Vec::new(),
            total: 0,
        };
        for (id, fragment) in profile.fragments_with_ids() {
            if rows.is_selected(rows.of_fragment(id)) {
                let count = profile.events().count(graph.own(id), event).or_zero();
                stacks.functions[fragment.function.index()].own += i128::from(count);
            }
        }
        let is_negative = |&(id, _): &(FunctionId, _)| stacks.functions[id.index()].own < 0;
        if let Some((id, _)) = profile.functions().find(is_negative) {
            return Err(NegativeCost(id));
        }
        stacks.total = stacks.functions.iter().map(|function| function.own).sum();
        // Callees come first.
        let components = &graph.components;
        for members in (0..components.len()).rev().map(|at| components.get(at)) {
            let component = stacks.components.len() as u32;
            let members: Vec<_> = members.iter().map(|&member| FunctionId(member)).collect();
            for member in &members {
                stacks.functions[member.index()].component = component;
            }
            stacks.components.push(Component {
                members,
                ..Component::default()
            });
        }
        stacks.add_calls(graph, event, rows);
        Ok(stacks)
    }

    /// Goes through the components, callees before their callers, and hands the cost of each to the calls into it.
    fn add_calls(&mut self, graph: &CallGraph<'_>, event: usize, rows: &Rows<'_>) {
        let mut into = Vec::new();
        for number in 0..self.components.len() {
            let mut members = std::mem::take(&mut self.components[number].members);
            for member in &members {
                let spent = &mut self.functions[member.index()];
                let calls = &mut spent.calls;
                calls.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| by_name(a.0, b.0, rows)));
                spent.sum = spent.own + calls.iter().map(|call| call.1).sum::<i128>();
            }
            let sum_of = |member: &FunctionId| self.functions[member.index()].sum;
            members.sort_by(|a, b| {
                let by_cost = sum_of(b).cmp(&sum_of(a));
                by_cost.then_with(|| by_name(*a, *b, rows))
            });
            let sum: i128 = members.iter().map(sum_of).sum();

            into.clear();
            members
                .iter()
                .for_each(|&callee| add_edges_into(callee, graph, event, &mut into));
            let ends = |edge: &Edge| (edge.caller, edge.callee);
            add_up_equal(&mut into, ends, |edge, more| edge.cost += more.cost);
            into.retain(|edge| self.functions[edge.caller.index()].component as usize != number);
            let paid: i128 = into.iter().map(|edge| edge.cost).sum();
            let mut split = Apportion::new(sum.min(paid), paid);
            for edge in &into {
                let share = split.next(edge.cost);
                if share > 0 {
                    let caller = &mut self.functions[edge.caller.index()];
                    caller.calls.push((edge.callee, share));
                }
            }
            let uncalled = (sum - paid).max(0);
            self.components[number] = Component {
                members,
                sum,
                uncalled,
            };
        }
    }

    /// Hands each stack, outermost frame first, with its cost to `write`. Frames of less than `least` percent of the
    /// total are cut. With `keeps_all` a function that has none but such frames has a stack all the same, unless it is too
    /// deep; otherwise its cost stays with the frame above.
    pub fn for_each<E>(
        &self,
        least: f64,
        keeps_all: bool,
        rows: &Rows<'_>,
        mut write: impl FnMut(&[FunctionId], i64) -> Result<(), E>,
    ) -> Result<(), E> {
        let least = ((self.total as f64 * least / 100.0).ceil() as i128).max(1);
        let mut rests = self.rests(least, rows);
        for below in &mut rests.below {
            below.sort_by(|&a, &b| {
                let rest = |of: FunctionId| rests.of_function[of.index()];
                rest(b).cmp(&rest(a)).then_with(|| by_name(a, b, rows))
            });
        }
        let mut write = |path: &[FunctionId], cost: i128| match cost {
            0 => Ok(()),
            cost => write(path, i64::try_from(cost).unwrap_or(i64::MAX)),
        };
        let mut number = 0;
        self.walk(least, |path, mut own| {
            let function = path[path.len() - 1].index();
            let is_largest = rests.largest[function].is_some_and(|(at, _)| at == number);
            number += 1;
            if !is_largest {
                return write(path, own);
            }
            own += rests.of_function[function];
            let below = &rests.below[function];
            let rest_of = |other: &FunctionId| rests.of_function[other.index()];
            if !keeps_all || path.len() >= MAX_DEPTH {
                own += below.iter().map(rest_of).sum::<i128>();
                return write(path, own);
            }
            write(path, own)?;
            let mut path = path.to_vec();
            for other in below {
                path.push(*other);
                write(&path, rest_of(other))?;
                path.pop();
            }
            Ok(())
        })
    }

    /// Goes through all frames, and finds out where what they leave over is added.
    fn rests(&self, least: i128, rows: &Rows<'_>) -> Rests {
        let functions = self.functions.len();
        let mut rests = Rests {
            of_function: self.functions.iter().map(|spent| spent.own).collect(),
            largest: vec![None; functions],
            below: vec![Vec::new(); functions],
        };
        let mut number = 0;
        let walked = self.walk(least, |path, own| {
            let function = path[path.len() - 1].index();
            rests.of_function[function] -= own;
            let largest = &mut rests.largest[function];
            if largest.is_none_or(|(_, most)| own > most) {
                *largest = Some((number, own));
            }
            number += 1;
            Ok::<(), std::convert::Infallible>(())
        });
        let Ok(()) = walked;
        // By component the function with a frame that leads to it, and what it pays.
        let mut above: Vec<Option<(FunctionId, i128)>> = vec![None; self.components.len()];
        for (number, component) in self.components.iter().enumerate().rev() {
            let mut members = component.members.iter().copied();
            let framed = members.find(|member| rests.largest[member.index()].is_some());
            let host = framed.or(above[number].map(|(host, _)| host));
            for &member in &component.members {
                let has_frame = rests.largest[member.index()].is_some();
                let Some(host) = (if has_frame { Some(member) } else { host }) else {
                    continue;
                };
                if !has_frame && rests.of_function[member.index()] > 0 {
                    rests.below[host.index()].push(member);
                }
                for &(callee, paid) in &self.functions[member.index()].calls {
                    let callee = self.functions[callee.index()].component as usize;
                    let is_better = above[callee].is_none_or(|(other, most)| {
                        paid > most || paid == most && by_name(host, other, rows).is_lt()
                    });
                    if is_better {
                        above[callee] = Some((host, paid));
                    }
                }
            }
        }
        rests
    }

    /// Hands each frame, with those above it and its share of the function's own cost, to `visit`. Shares are rounded, but all
    /// shares of a function are never more than its own cost.
    fn walk<E>(
        &self,
        least: i128,
        mut visit: impl FnMut(&[FunctionId], i128) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut path = Vec::new();
        let mut tasks = Vec::new();
        let mut left: Vec<i128> = self.functions.iter().map(|spent| spent.own).collect();
        // Callers come last.
        for component in self.components.iter().rev() {
            let mut split = Apportion::new(component.uncalled, component.sum);
            for &function in &component.members {
                let sum = self.functions[function.index()].sum;
                let cost = split.next(sum);
                if cost == 0 {
                    continue;
                }
                tasks.push(Task {
                    function,
                    cost,
                    depth: 0,
                    enters: false,
                });
                while let Some(task) = tasks.pop() {
                    if task.enters {
                        self.enter(&task, least, &mut tasks);
                        continue;
                    }
                    path.truncate(task.depth);
                    path.push(task.function);
                    let spent = &self.functions[task.function.index()];
                    let left = &mut left[task.function.index()];
                    let own = part(task.cost, spent.own, spent.sum).min(*left);
                    *left -= own;
                    visit(&path, own)?;
                    self.call(&task, least, &mut tasks);
                }
            }
        }
        Ok(())
    }

    /// Splits the cost of a component that is entered through a function over the members.
    fn enter(&self, task: &Task, least: i128, tasks: &mut Vec<Task>) {
        let component = &self.components[self.functions[task.function.index()].component as usize];
        let share_of = |member: FunctionId| {
            let sum = self.functions[member.index()].sum;
            part(task.cost, sum, component.sum)
        };
        let others = component.members.iter().copied();
        for member in others.filter(|&member| member != task.function) {
            let cost = share_of(member);
            if cost < least || task.depth + 1 >= MAX_DEPTH {
                break;
            }
            tasks.push(Task {
                function: member,
                cost,
                depth: task.depth + 1,
                enters: false,
            });
        }
        // The last is done first.
        tasks.push(Task {
            cost: share_of(task.function),
            enters: false,
            ..*task
        });
    }

    /// Splits the cost of a frame over its calls.
    fn call(&self, task: &Task, least: i128, tasks: &mut Vec<Task>) {
        let spent = &self.functions[task.function.index()];
        let mut split = Apportion::new(task.cost, spent.sum);
        let first = tasks.len();
        for &(callee, weight) in &spent.calls {
            let cost = split.next(weight);
            if cost < least || task.depth + 1 >= MAX_DEPTH {
                break;
            }
            tasks.push(Task {
                function: callee,
                cost,
                depth: task.depth + 1,
                enters: true,
            });
        }
        // The last is done first.
        tasks[first..].reverse();
    }
}

#[derive(Clone, Copy)]
struct Edge {
    caller: FunctionId,
    callee: FunctionId,
    cost: i128,
}

/// Adds all calls of a function by others that cost something, those by one caller next to each other.
fn add_edges_into(callee: FunctionId, graph: &CallGraph<'_>, event: usize, into: &mut Vec<Edge>) {
    let first = into.len();
    let edges = graph.into(callee).map(|(id, arc)| Edge {
        caller: graph.caller(arc),
        callee,
        cost: i128::from(
            graph
                .profile
                .events()
                .count(graph.cost(id), event)
                .or_zero(),
        ),
    });
    into.extend(edges.filter(|edge| edge.caller != callee && edge.cost > 0));
    into[first..].sort_unstable_by_key(|edge| edge.caller);
}

fn by_name(a: FunctionId, b: FunctionId, rows: &Rows<'_>) -> std::cmp::Ordering {
    let row = |function| -> RowId { rows.of_function(function) };
    rows.cmp_names(row(a), row(b)).then(a.cmp(&b))
}

/// Splits a whole number by weights so that the parts add up to it.
pub(super) struct Apportion {
    amount: i128,
    weights: i128,
    so_far: i128,
    given: i128,
}

impl Apportion {
    /// `weights` is the sum of all of them.
    pub(super) fn new(amount: i128, weights: i128) -> Apportion {
        Apportion {
            amount,
            weights,
            so_far: 0,
            given: 0,
        }
    }

    pub(super) fn next(&mut self, weight: i128) -> i128 {
        self.so_far += weight;
        let up_to_here = part(self.amount, self.so_far, self.weights);
        up_to_here - std::mem::replace(&mut self.given, up_to_here)
    }
}
