//! Callers and callees over several levels: a tree below a row, each line of which is a path that calls take.
//!
//! A line has that part of the calls and of the cost which is on its path. A profile knows who called a function and what
//! that cost, not on whose behalf in turn, so where several functions call one, its part is split in proportion to what
//! they paid, as in folded stacks. Within a call cycle that is what remains of a function's inclusive cost, split in
//! proportion to the recorded calls.
//!
//! Recursion is folded: no row is twice on a path. A function without a name that only passes calls on, such as a stub of
//! a library, is skipped. A caller with a single caller in turn is on one line with it.

mod links;
mod steps;

use hashbrown::HashMap;

use super::{Cost, Cycles, Item, RowId, Rows};
use crate::graph::CallGraph;
use crate::profile::{Count, Overflow};
use links::{Links, add};
use steps::{Path, Step};

/// How many rows a tree has at most.
pub const MAX_PATH_ROWS: usize = 10_000;

/// Where a path leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathDirection {
    /// From a function to its callers.
    Callers,
    /// From a function to its callees.
    Callees,
}

/// Where trees end.
#[derive(Clone, Copy, Debug)]
pub struct PathOptions {
    /// After how many functions.
    pub depth: usize,
    /// The least cost of a line, of the first event.
    pub least: i128,
}

/// A line of a tree.
#[derive(Debug)]
pub struct PathLine {
    /// How many lines are above it within the tree.
    pub level: usize,
    /// The row, and after a caller its only caller, and so on.
    pub rows: Vec<RowId>,
    /// How often the last function of the path was called on it.
    pub calls: i64,
    /// The part of the cost, of the profile's events.
    pub cost: Cost,
}

/// The lines below a row.
#[derive(Debug, Default)]
pub struct PathTree {
    /// From the most expensive.
    pub lines: Vec<PathLine>,
    /// Whether there were too many rows, so that some are missing.
    pub is_cut: bool,
}

/// All paths that calls take.
pub struct PathTrees<'g, 'p> {
    rows: &'g Rows<'p>,
    cycles: &'g Cycles,
    options: PathOptions,
    /// The events by number; the first decides where trees end and how they are sorted.
    events: Vec<usize>,
    links: Links<'g, 'p>,
}

/// What is below a line: rows and the functions that they are of.
type Children = Vec<(RowId, Vec<Step>)>;

/// A line that is to be made.
struct Pending {
    row: RowId,
    steps: Vec<Step>,
    level: usize,
    /// How many rows are above it on its path.
    above: usize,
}

impl<'g, 'p> PathTrees<'g, 'p> {
    /// Prepares the trees of a graph with costs of these events.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit.
    pub fn new(
        graph: &'g CallGraph<'p>,
        rows: &'g Rows<'p>,
        cycles: &'g Cycles,
        events: Vec<usize>,
        options: PathOptions,
    ) -> Result<PathTrees<'g, 'p>, Overflow> {
        Ok(PathTrees {
            links: Links::new(graph, events.clone())?,
            rows,
            cycles,
            options,
            events,
        })
    }

    /// The tree below a row or a cycle.
    pub fn tree(&self, direction: PathDirection, item: Item) -> PathTree {
        let mut tree = PathTree::default();
        let mut path = Path::default();
        if let Item::Row(row) = item {
            path.push(row);
        }
        let below = self.below_root(direction, item, &path);
        let mut counted = 0;
        // The last is done first.
        let mut stack = Vec::new();
        let push = |stack: &mut Vec<Pending>, children: Children, level, above| {
            let children = children.into_iter().rev();
            stack.extend(children.map(|(row, steps)| Pending {
                row,
                steps,
                level,
                above,
            }));
        };
        let root = path.rows.len();
        push(&mut stack, self.sorted(below), 0, root);
        while let Some(pending) = stack.pop() {
            let Pending {
                mut steps, level, ..
            } = pending;
            let (calls, costs) = self.sum(&steps);
            path.truncate(pending.above);
            path.push(pending.row);
            while path.rows.len() - root < self.options.depth && counted < MAX_PATH_ROWS {
                let mut children = self.sorted(self.expand(direction, &path, steps, &mut counted));
                match &mut children[..] {
                    [(row, only)]
                        if direction == PathDirection::Callers
                            && self.sum(only) == (calls, costs.clone()) =>
                    {
                        path.push(*row);
                        steps = std::mem::take(only);
                    }
                    _ => {
                        push(&mut stack, children, level + 1, path.rows.len());
                        break;
                    }
                }
            }
            let rows = path.rows[pending.above..].to_vec();
            counted += rows.len();
            tree.lines.push(self.line(level, rows, calls, &costs));
            if counted >= MAX_PATH_ROWS {
                tree.is_cut = !stack.is_empty();
                break;
            }
        }
        tree
    }

    fn line(&self, level: usize, rows: Vec<RowId>, calls: i128, costs: &[i128]) -> PathLine {
        let mut cost = vec![Count::UNDEFINED; self.links.graph.profile().events().len()];
        for (&event, &value) in self.events.iter().zip(costs) {
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            cost[event] = Count::new(value).unwrap_or(Count::UNDEFINED);
        }
        PathLine {
            level,
            rows,
            calls: i64::try_from(calls).unwrap_or(i64::MAX),
            cost,
        }
    }

    fn sum(&self, steps: &[Step]) -> (i128, Vec<i128>) {
        let mut sum = (0, vec![0; self.events.len()]);
        for step in steps {
            sum.0 += step.calls;
            add(&mut sum.1, &step.costs);
        }
        sum
    }

    /// The rows of steps that cost enough, from the most expensive.
    fn sorted(&self, steps: Vec<Step>) -> Children {
        let mut of_row: HashMap<RowId, usize> = HashMap::new();
        let mut children: Children = Vec::new();
        for step in steps {
            let row = self.rows.of_function(step.function);
            let at = *of_row.entry(row).or_insert(children.len());
            if at == children.len() {
                children.push((row, Vec::new()));
            }
            children[at].1.push(step);
        }
        let cost = |steps: &[Step]| steps.iter().map(|step| step.costs[0]).sum::<i128>();
        children.retain(|(_, steps)| cost(steps) >= self.options.least.max(1));
        children.sort_by(|a, b| {
            let by_cost = cost(&b.1).cmp(&cost(&a.1));
            by_cost.then_with(|| self.rows.cmp_names(a.0, b.0).then(a.0.cmp(&b.0)))
        });
        children
    }
}
