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

use hashbrown::{HashMap, HashSet};

use super::{Cost, Cycles, Item, RowId, Rows};
use crate::graph::CallGraph;
use crate::profile::{Count, FunctionId, Overflow};
use links::{Link, Links, add, part};

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

/// What of a function is on a path.
struct Step {
    function: FunctionId,
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

/// The rows on a path.
#[derive(Default)]
struct Path {
    rows: Vec<RowId>,
    set: HashSet<RowId>,
}

impl Path {
    fn push(&mut self, row: RowId) {
        self.rows.push(row);
        self.set.insert(row);
    }

    fn truncate(&mut self, len: usize) {
        while self.rows.len() > len
            && let Some(row) = self.rows.pop()
        {
            self.set.remove(&row);
        }
    }

    fn has(&self, row: RowId) -> bool {
        self.set.contains(&row)
    }
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

    /// What is directly below a row, or a cycle as a whole.
    fn below_root(&self, direction: PathDirection, item: Item, path: &Path) -> Vec<Step> {
        let steps = match (direction, item) {
            (PathDirection::Callers, Item::Row(row)) => {
                let functions = self.rows.partition().at_home(row.0);
                let links = functions.flat_map(|function| self.links.of(direction, function));
                links
                    .map(|link| Step::new(link.caller, link.calls, &link.paid))
                    .collect()
            }
            (PathDirection::Callees, Item::Row(row)) => self.calls_of_row(row),
            (_, Item::Cycle(number)) => {
                let members = self.cycles.members().nth(number as usize - 1);
                let members = members.unwrap_or_default().iter();
                let links = members.flat_map(|&member| self.links.of(direction, member));
                let links = links.filter(|link| !link.is_nested);
                links
                    .map(|link| Step::new(link.end(direction), link.calls, &link.recorded))
                    .collect()
            }
        };
        self.without_skipped(direction, path, steps, &mut 0)
    }

    /// The calls of the code of a row: only a part of what its functions call, if some of their code is in other rows.
    fn calls_of_row(&self, row: RowId) -> Vec<Step> {
        let partition = self.rows.partition();
        let at_home = partition.at_home(row.0);
        let at_home = at_home.flat_map(|function| self.links.graph.fragments_of(function));
        let at_home = at_home.filter(|&fragment| self.rows.of_fragment(fragment) == row);
        let mut steps = Vec::new();
        for fragment in at_home.chain(partition.inlined(row.0)) {
            for (id, arc) in self.links.graph.out_of(fragment) {
                let ends = (self.links.graph.caller(arc), arc.callee);
                let Some(link) = self.links.between(ends) else {
                    continue;
                };
                let recorded = self
                    .links
                    .costs(self.links.graph.cost(id))
                    .unwrap_or_default();
                let costs = recorded.iter().zip(&link.spent).zip(&link.recorded);
                let costs: Vec<_> = costs
                    .map(|((&cost, &spent), &all)| part(spent, cost, all))
                    .collect();
                steps.push(Step::new(
                    arc.callee,
                    i128::from(self.links.graph.calls(id)),
                    &costs,
                ));
            }
        }
        steps
    }

    /// What is below the steps of a line.
    fn expand(
        &self,
        direction: PathDirection,
        path: &Path,
        steps: Vec<Step>,
        counted: &mut usize,
    ) -> Vec<Step> {
        let next = steps
            .iter()
            .flat_map(|step| self.next(direction, path, step));
        let next = next.collect();
        self.without_skipped(direction, path, next, counted)
    }

    /// The steps with what is below those that are skipped in their place.
    fn without_skipped(
        &self,
        direction: PathDirection,
        path: &Path,
        mut steps: Vec<Step>,
        counted: &mut usize,
    ) -> Vec<Step> {
        let mut kept = Vec::new();
        let is_on_path = |step: &Step| path.has(self.rows.of_function(step.function));
        while let Some(step) = steps.pop() {
            if step.costs[0] < 1 || is_on_path(&step) {
                continue;
            }
            if self.links.is_skipped(step.function) && *counted < MAX_PATH_ROWS {
                *counted += 1;
                steps.extend(self.next(direction, path, &step));
            } else {
                kept.push(step);
            }
        }
        kept
    }

    /// The callers or callees of a function that are not on the path, each with its part.
    fn next(&self, direction: PathDirection, path: &Path, step: &Step) -> Vec<Step> {
        let links = self.links.of(direction, step.function);
        let links = links.filter(|link| !path.has(self.rows.of_function(link.end(direction))));
        let mut total = match direction {
            PathDirection::Callers => vec![0; self.events.len()],
            PathDirection::Callees => self.links.spent(step.function).to_vec(),
        };
        for link in links.clone() {
            match direction {
                PathDirection::Callers => add(&mut total, &link.paid),
                PathDirection::Callees if link.is_nested => add(&mut total, &link.spent),
                PathDirection::Callees => {}
            }
        }
        let of_link = |link: &Link| {
            let weights = match direction {
                PathDirection::Callers => &link.paid,
                PathDirection::Callees => &link.spent,
            };
            let costs = step.costs.iter().zip(weights).zip(&total);
            let costs = costs.map(|((&cost, &weight), &total)| part(cost, weight, total));
            Step {
                function: link.end(direction),
                calls: match direction {
                    PathDirection::Callers => part(step.calls, weights[0], total[0]),
                    PathDirection::Callees => part(link.calls, step.costs[0], total[0]),
                },
                costs: costs.collect(),
            }
        };
        links.map(of_link).collect()
    }
}

impl Step {
    fn new(function: FunctionId, calls: i128, costs: &[i128]) -> Step {
        Step {
            function,
            calls,
            costs: costs.to_vec(),
        }
    }
}
