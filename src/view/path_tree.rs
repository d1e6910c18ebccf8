//! Callers and callees over several levels: a tree below a row, each line of which is a path that calls take.
//!
//! A line has that part of the calls and of the cost which is on its path. A profile knows who called a function and what
//! that cost, not on whose behalf in turn, so where several functions call one, its part is split in proportion to what
//! they paid, as in folded stacks. Within a call cycle that is what remains of a function's inclusive cost, split in
//! proportion to the recorded calls.
//!
//! Recursion is folded: no row is twice on a path. A function without a name that only passes calls on, such as a stub of
//! a library, is skipped. A caller with a single caller in turn is on one line with it.
//!
//! Of a difference each line has the part of both sides, each in its own call graph.

mod links;
mod steps;

use hashbrown::HashMap;

use crate::graph::CallGraph;
use crate::profile::{Count, Presence, Sides};
use crate::view::cycles::Cycles;
use crate::view::figure::{Compared, Cost, Figure, Mark};
use crate::view::label::Item;
use crate::view::rows::{RowId, Rows};
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
    /// The size of the total of the first event; of a difference that of BASE.
    pub total: u64,
    /// The least cost of a line of the first event, in percent of the total, or of all calls directly below the row if callers
    /// recorded more than the total: their parts have no end otherwise.
    pub min: f64,
}

/// A line of a tree.
#[derive(Debug)]
pub struct PathLine {
    /// How many lines are above it within the tree.
    pub level: usize,
    /// The row, and after a caller its only caller, and so on.
    pub rows: Vec<RowId>,
    /// How often the last function of the path was called on it.
    pub calls: Figure<i64>,
    /// The part of the cost, of the profile's events.
    pub cost: Figure<Cost>,
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
    links: Sides<Links<'g, 'p>>,
}

/// The calls on a path and their costs.
#[derive(PartialEq)]
struct Sum {
    calls: i128,
    costs: Vec<i128>,
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
    /// Prepares the trees of the graphs of both sides, or of one, with costs of these events.
    pub fn new(
        graphs: &'g Sides<CallGraph<'p>>,
        rows: &'g Rows<'p>,
        cycles: &'g Cycles,
        events: Vec<usize>,
        options: PathOptions,
    ) -> PathTrees<'g, 'p> {
        PathTrees {
            links: graphs
                .as_ref()
                .map(|graph| Links::new(graph, events.clone())),
            rows,
            cycles,
            options,
            events,
        }
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
        let least = self.least(&below);
        push(&mut stack, self.sorted(below, least), 0, root);
        while let Some(pending) = stack.pop() {
            let Pending {
                mut steps, level, ..
            } = pending;
            let sums = self.sums(&steps);
            path.truncate(pending.above);
            path.push(pending.row);
            while path.rows.len() - root < self.options.depth && counted < MAX_PATH_ROWS {
                let children = self.expand(direction, &path, steps, &mut counted);
                let mut children = self.sorted(children, least);
                match &mut children[..] {
                    [(row, only)]
                        if direction == PathDirection::Callers && self.sums(only) == sums =>
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
            tree.lines.push(self.line(level, rows, &sums));
            if counted >= MAX_PATH_ROWS {
                tree.is_cut = !stack.is_empty();
                break;
            }
        }
        tree
    }

    /// The calls of each side, by whether it is BASE.
    fn sides(&self) -> impl Iterator<Item = (&Links<'g, 'p>, bool)> {
        let base = self.links.base.iter().map(|links| (links, true));
        std::iter::once((&self.links.new, false)).chain(base)
    }

    fn side(&self, is_base: bool) -> &Links<'g, 'p> {
        let base = self.links.base.as_ref().filter(|_| is_base);
        base.unwrap_or(&self.links.new)
    }

    fn line(&self, level: usize, rows: Vec<RowId>, [new, base]: &[Sum; 2]) -> PathLine {
        let width = self.links.new.graph.profile().events().len();
        let number = |value: i128| i64::try_from(value).unwrap_or(i64::MAX);
        let cost = |of: &dyn Fn(usize) -> i128| {
            let mut cost = vec![Count::UNDEFINED; width];
            for (at, &event) in self.events.iter().enumerate() {
                cost[event] = Count::new(number(of(at)));
            }
            cost
        };
        let of_side = |side: &Sum| match side.is_any() {
            true => cost(&|at| side.costs[at]),
            false => vec![Count::UNDEFINED; width],
        };
        let is_difference = self.links.base.is_some();
        let mark = Mark::of(Presence {
            new: new.is_any(),
            base: base.is_any(),
        });
        PathLine {
            level,
            rows,
            calls: Figure {
                value: number(new.calls - base.calls),
                compared: is_difference.then(|| Compared {
                    base: number(base.calls),
                    new: number(new.calls),
                    mark,
                }),
            },
            cost: Figure {
                value: cost(&|at| new.costs[at] - base.costs[at]),
                compared: is_difference.then(|| Compared {
                    base: of_side(base),
                    new: of_side(new),
                    mark,
                }),
            },
        }
    }

    /// The sums of steps of NEW, and of those of BASE.
    fn sums(&self, steps: &[Step]) -> [Sum; 2] {
        [false, true].map(|is_base| {
            let mut sum = Sum {
                calls: 0,
                costs: vec![0; self.events.len()],
            };
            for step in steps.iter().filter(|step| step.is_base == is_base) {
                sum.calls += step.calls;
                add(&mut sum.costs, &step.costs);
            }
            sum
        })
    }

    /// The least cost of a line of the tree that begins with these steps.
    fn least(&self, below: &[Step]) -> i128 {
        let [new, base] = self.sums(below).map(|sum| sum.costs[0]);
        let whole = new.max(base).max(i128::from(self.options.total));
        ((whole as f64 * self.options.min / 100.0).ceil() as i128).max(1)
    }

    /// The rows of steps that cost enough on one side at least, from the most expensive; of a difference from the largest change.
    fn sorted(&self, steps: Vec<Step>, least: i128) -> Children {
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
        // The size of the change, and the larger side.
        let sizes = |steps: &[Step]| {
            let [new, base] = [false, true].map(|is_base| {
                let of_side = steps.iter().filter(|step| step.is_base == is_base);
                of_side.map(|step| step.costs[0]).sum::<i128>()
            });
            ((new - base).abs(), new.max(base))
        };
        children.retain(|(_, steps)| sizes(steps).1 >= least);
        children.sort_by(|a, b| {
            let by_cost = sizes(&b.1).cmp(&sizes(&a.1));
            by_cost.then_with(|| self.rows.cmp_names(a.0, b.0).then(a.0.cmp(&b.0)))
        });
        children
    }
}

impl Sum {
    fn is_any(&self) -> bool {
        self.calls != 0 || self.costs.iter().any(|&cost| cost != 0)
    }
}
