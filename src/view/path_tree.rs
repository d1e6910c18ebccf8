//! Callers and callees over several levels: a tree below a row, in which each line is a call path.
//!
//! A line has the part of the calls and of the cost that is on its path. A profile records only
//! what each direct caller paid, so if a function has several callers, its part is split in
//! proportion to what they paid, as in folded stacks. Such a part is an estimate: at most what the
//! caller paid, and at least what is left without all that others paid. Calls whose cost is part of
//! that of other calls are on no path. The number of calls further along a path is known only if
//! all of a function's calls are on it. A function that makes as many calls as it has itself, such
//! as `operator new` of `malloc`, is taken to make one for each: an estimate, too.
//!
//! Recursion is folded: no row is on a path twice, and a path ends at a call that goes back, which
//! has no cost of its own. A caller with a single caller is on one line with it.
//!
//! A path stays within a thread, as stacks do, where the code of each thread is known apart.
//!
//! In a difference each line has the parts of both sides, each from its own call graph.

mod growing;
mod links;

use std::borrow::Cow;

use hashbrown::HashSet;

use self::growing::GrowingTree;
use self::links::{CountedCalls, FunctionCalls, Links};
use crate::graph::part;
use crate::profile::{Count, FunctionId, Ordered, Presence, Sides, difference};
use crate::view::cycles::{Cycles, Graphs};
use crate::view::figure::{Figure, Mark};
use crate::view::label::RowId;
use crate::view::row_costs::{CostEstimate, CostRange};
use crate::view::rows::Rows;
use crate::view::stack_nodes::NodeId;
use crate::view::tree::{CallLine, PathDirection};

/// The maximum number of rows of a tree.
pub const MAX_PATH_ROWS: usize = 10_000;

/// The maximum number of rows of all trees of a report.
pub const MAX_REPORT_ROWS: usize = 100_000;

/// Where the paths of a tree end.
pub enum PathEnd {
    /// After this many levels.
    Depth(usize),
    /// Callers end at the user's own code, given by function (true if foreign). Callees go on below
    /// those that have most of the cost of all, if there is one row; else they are only the direct
    /// ones.
    Own { is_foreign: Vec<bool>, follows_callees: bool },
}

/// Which paths are in a tree.
pub struct PathOptions {
    pub end: PathEnd,
    /// The absolute total of the first event; in a difference that of BASE.
    pub total: u64,
    /// Whether the cost of the largest selected row replaces the total.
    pub is_of_selected: bool,
    /// The minimum cost of lines from the second level on, in percent of that total, or of all
    /// calls directly below the row if callers recorded more than the total.
    pub min_percent: f64,
    /// Whether direct callers and callees below that minimum are left out, too.
    pub cuts_direct: bool,
    /// Whether costs of calls within a cycle are unknown if levels of recursion were not recorded.
    pub hides_unknown: bool,
}

/// The paths of callers or callees of a row.
#[derive(Debug, Default)]
pub struct PathTree {
    /// In depth-first order, the most expensive first.
    pub lines: Vec<CallLine<'static>>,
    /// Whether rows are missing because there were more than [`MAX_PATH_ROWS`].
    pub is_cut: bool,
    /// The number of rows on all lines.
    rows: usize,
}

/// The call graphs prepared for trees of call paths.
pub struct PathTrees<'g, 'p> {
    rows: &'g Rows<'p>,
    cycles: &'g Cycles,
    options: PathOptions,
    /// The event numbers; trees are cut and sorted by the first.
    events: Vec<usize>,
    /// By side the total of each event.
    totals: Vec<Vec<Count>>,
    links: Sides<Links<'g, 'p>>,
    /// The number of listed rows with trees, and the rows after them, which have none.
    limit: Option<(usize, HashSet<RowId>)>,
}

/// The number of calls on a path, and their costs.
#[derive(Clone, Default)]
struct PathSum {
    calls: i128,
    /// Whether some of the calls are executions of inlined copies.
    has_inlined: bool,
    knowledge: CallsKnowledge,
    costs: Vec<i128>,
    /// The bounds of the size of each cost, by what callers paid.
    bounds: Vec<[i128; 2]>,
}

/// How well the number of calls on a path is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum CallsKnowledge {
    #[default]
    Counted,
    /// Divided by the numbers of calls of functions that pass one on for each.
    Estimated,
    /// They were not counted, or only some of the calls are on the path.
    Unknown,
}

impl CallsKnowledge {
    fn of(calls: CountedCalls) -> CallsKnowledge {
        if calls.are_counted { CallsKnowledge::Counted } else { CallsKnowledge::Unknown }
    }
}

/// A function that passes calls on makes as many as it has itself, but for this part: a tenth.
pub const PASSED_PARTS: i128 = 10;

/// The children of a line: rows with their functions' steps.
type Children = Vec<(RowId, Vec<PathStep>)>;

/// A line that is still to be added, at its level.
enum Pending {
    /// A row with its steps, and the number of rows above it on its path.
    Row { row: RowId, steps: Vec<PathStep>, level: usize, above: usize },
    /// A row to which calls go back.
    Recursive { row: RowId, level: usize },
}

type Path = Ordered<RowId, ()>;

impl<'g, 'p> PathTrees<'g, 'p> {
    /// Prepares trees for the graphs of all sides, with costs of these events.
    pub fn new(
        graphs: &'g Graphs<'p>,
        rows: &'g Rows<'p>,
        events: Vec<usize>,
        options: PathOptions,
    ) -> PathTrees<'g, 'p> {
        let links = |graph| Links::new(graph, rows, events.clone());
        let sides = rows.profile.sides().iter();
        let totals = sides.map(|side| side.total(rows.profile.events()).0);
        let mut trees = PathTrees {
            links: graphs.sides.as_ref().map(links),
            rows,
            cycles: &graphs.cycles,
            options,
            totals: totals.collect(),
            events,
            limit: None,
        };
        if trees.options.is_of_selected {
            let selected = rows.all().filter(|&row| rows.is_selected(row));
            let wholes = selected.flat_map(|row| {
                let below = |direction| trees.below_root(direction, row, &Path::default());
                PathDirection::BOTH.map(|direction| sizes(&below(direction)).1)
            });
            let largest = wholes.max().unwrap_or(0);
            trees.options.total = u64::try_from(largest).unwrap_or(u64::MAX);
        }
        trees
    }

    /// Leaves out the trees of the rows with which all trees exceed [`MAX_REPORT_ROWS`], and of
    /// those after them.
    pub fn limit(&mut self, directions: &[PathDirection], items: &[RowId]) {
        let mut left = MAX_REPORT_ROWS;
        let mut fits = |&item: &RowId| {
            directions.iter().all(|&direction| {
                let rows = self.tree(direction, item).map_or(0, |tree| tree.rows);
                let rest = left.checked_sub(rows);
                left = rest.unwrap_or(0);
                rest.is_some()
            })
        };
        let fitting = items.iter().take_while(|item| fits(item)).count();
        if fitting < items.len() {
            self.limit = Some((fitting, items[fitting..].iter().copied().collect()));
        }
    }

    /// The number of listed rows with trees, if others have none because there would be too much of
    /// them.
    pub fn limited(&self) -> Option<usize> {
        self.limit.as_ref().map(|(fitting, _)| *fitting)
    }

    pub fn is_left_out(&self, item: RowId) -> bool {
        self.limit.as_ref().is_some_and(|(_, others)| others.contains(&item))
    }

    fn continues_after(&self, function: FunctionId, level: usize) -> bool {
        match &self.options.end {
            PathEnd::Depth(depth) => level < *depth,
            PathEnd::Own { is_foreign, .. } => is_foreign[function.index()],
        }
    }

    pub fn ends_at_own(&self) -> bool {
        matches!(self.options.end, PathEnd::Own { .. })
    }

    /// The tree below a row or a cycle; none if paths end at the user's own code and none is beyond
    /// direct callers, or the row is the user's own member of a cycle, whose calls are in no path.
    pub fn tree(&self, direction: PathDirection, item: RowId) -> Option<PathTree> {
        let is_full = !self.ends_at_own();
        let is_own = |function| !self.continues_after(function, 0);
        let is_member = self.rows.is_row(item)
            && self.rows.cycle(item).is_some()
            && self.rows.first_function(item).is_some_and(is_own);
        let has_paths = is_full
            || match direction {
                PathDirection::Callers => !is_member,
                // Calls within a cycle have no cost to follow.
                PathDirection::Callees => self.follows_callees() && self.rows.cycle(item).is_none(),
            };
        let is_wanted = has_paths && !self.is_left_out(item);
        let tree = is_wanted.then(|| self.full_tree(direction, item))?;
        if direction == PathDirection::Callees {
            let is_any = is_full || tree.lines.iter().any(|line| line.level > 0);
            return is_any.then_some(tree);
        }
        let mut ends = tree.lines.iter().filter_map(|line| {
            let is_further = line.level > 0 || !line.chain.is_empty();
            let end = line.rows().last().filter(|_| is_further)?;
            self.rows.first_function(end)
        });
        (is_full || ends.any(is_own)).then_some(tree)
    }

    fn follows_callees(&self) -> bool {
        matches!(self.options.end, PathEnd::Own { follows_callees: true, .. })
    }

    fn full_tree(&self, direction: PathDirection, item: RowId) -> PathTree {
        let mut path = Path::default();
        if self.rows.is_row(item) {
            path.insert(item, ());
        }
        let below = self.below_root(direction, item, &path);
        let follows_most = direction == PathDirection::Callees && self.follows_callees();
        let mut growing = GrowingTree {
            trees: self,
            direction,
            item,
            root: path.len(),
            min_cost: self.min_cost(&below),
            min_followed: follows_most.then(|| sizes(&below).1 / 2 + 1),
            path,
            pending: Vec::new(),
            tree: PathTree::default(),
        };
        // The first level is exact, and is shown completely, as in a report without levels, unless
        // a minimum is requested.
        let min_direct = if self.options.cuts_direct { growing.min_cost } else { 1 };
        growing.push(self.sorted(below, min_direct), 0);
        growing.complete()
    }

    /// Whether it is unknown how much is nested in the cost of calls between two items: they are in
    /// one cycle, and levels of recursion were not recorded.
    fn is_unknown(&self, item: RowId, other: RowId) -> bool {
        let is_member = self.rows.is_row(item) && self.rows.are_in_one_cycle(item, other);
        is_member && !self.links.iter().all(|side| side.graph.has_levels())
    }

    fn side(&self, side: usize) -> &Links<'g, 'p> {
        self.links.get(side).unwrap_or(&self.links.new)
    }

    fn line(&self, level: usize, rows: &[RowId], [new, base]: &[PathSum; 2]) -> CallLine<'static> {
        let width = self.links.new.graph.profile.events().len();
        let cost = |sum: &PathSum| {
            let mut cost = vec![Count::UNDEFINED; width];
            let counts = self.events.iter().zip(&sum.costs);
            for (&event, &count) in counts.filter(|_| sum.is_any()) {
                cost[event] = Count::new(number(count));
            }
            cost
        };
        let mark = Mark::of(Presence::of(new.is_any(), base.is_any()));
        let sides = Sides::of(new, self.links.base.as_ref().map(|_| base));
        let calls = sides.as_ref().map(|side| number(side.calls));
        let knowledge = new.knowledge.max(base.knowledge);
        // A change of an estimate is none that was seen.
        let is_estimated =
            knowledge == CallsKnowledge::Estimated && !self.rows.profile.is_difference();
        let is_counted = (knowledge == CallsKnowledge::Counted || is_estimated)
            && self.rows.profile.counts_calls();
        let costs = sides.map(cost);
        let of_sides: Vec<Vec<Count>> = costs.iter().cloned().collect();
        let estimate = self.estimate([new, base], &of_sides);
        let cost = Figure::of(costs, |new, base| difference(new, base)).marked(mark);
        CallLine {
            level,
            row: rows[0],
            site: None,
            chain: rows[1..].to_vec(),
            count: is_counted.then(|| {
                let counted = Figure::of(calls, |new, base| new - base).marked(mark);
                let calls = Figure::of_calls(counted, new.has_inlined || base.has_inlined);
                if is_estimated { calls.estimated() } else { calls }
            }),
            cost: cost.map(Cow::Owned),
            estimate,
            is_recursive: false,
            is_unknown: false,
            is_nested: false,
        }
    }

    /// What is known of the cost of a line with these sums on each side, if it is estimated.
    fn estimate(&self, sums: [&PathSum; 2], costs: &[Vec<Count>]) -> Option<CostEstimate> {
        let of_sides = || sums.iter().zip(&self.totals).map(|(sum, _)| &sum.bounds);
        if of_sides().flatten().all(|[least, most]| least == most) {
            return None;
        }
        let events = self.rows.profile.events();
        let range = |bounds: &Vec<[i128; 2]>| {
            let mut range: CostRange = vec![None; events.len()];
            for (&event, bounds) in self.events.iter().zip(bounds) {
                range[event] = (!events.ratios().contains(&event))
                    .then(|| bounds.map(|bound| Count::new(number(bound))));
            }
            Some(range)
        };
        Some(CostEstimate::new(of_sides().map(range).collect(), costs, &self.totals))
    }

    /// The rows to or from which calls of these functions go back, whose recorded cost is not below
    /// `min_cost`, in the order of their names.
    fn rows_back(
        &self,
        direction: PathDirection,
        steps: &[PathStep],
        min_cost: i128,
    ) -> Vec<RowId> {
        let rows = steps
            .iter()
            .flat_map(|step| {
                let side = self.side(step.side);
                let links = side.back_of[direction as usize].get(step.node.index()).iter();
                links.map(move |&link| (side, &side.back[link as usize]))
            })
            .filter(|(_, link)| link.recorded[0].abs() >= min_cost)
            .map(|(side, link)| self.rows.of_function(side.function(link.end(direction))));
        let mut rows: Vec<RowId> = rows.collect();
        rows.sort_by(|&a, &b| self.rows.cmp_names(a, b).then(a.cmp(&b)));
        rows.dedup();
        rows
    }

    fn sums(&self, steps: &[PathStep]) -> [PathSum; 2] {
        let width = self.events.len();
        let none =
            PathSum { costs: vec![0; width], bounds: vec![[0; 2]; width], ..PathSum::default() };
        let mut sums = [none.clone(), none];
        for step in steps {
            sums[step.side].add(&step.part);
        }
        sums
    }

    /// Whether steps have the same figures as a line, even if the numbers of their calls are
    /// unknown.
    fn has_figures_of(&self, steps: &[PathStep], line: &[PathSum; 2]) -> bool {
        let figures = |sum: &PathSum| (sum.calls, sum.has_inlined, sum.costs.clone());
        self.sums(steps).each_ref().map(figures) == line.each_ref().map(figures)
    }

    /// The minimum cost of a line in a tree with this first level.
    fn min_cost(&self, below: &[PathStep]) -> i128 {
        let whole = sizes(below).1.max(i128::from(self.options.total));
        ((whole as f64 * self.options.min_percent / 100.0).ceil() as i128).max(1)
    }

    /// The cost that no line below a line with these steps exceeds: each is part of that line, and
    /// of recorded calls.
    fn max_below(&self, direction: PathDirection, steps: &[PathStep]) -> i128 {
        let [new, base] = by_side(steps, |step| {
            let side = self.side(step.side);
            let of_calls = side.max_recorded[direction as usize][step.node.index()];
            of_calls.min(step.part.costs[0].abs())
        });
        new.max(base)
    }

    /// The steps by row, without rows below `min_cost` on both sides; the largest cost or change
    /// comes first.
    fn sorted(&self, steps: Vec<PathStep>, min_cost: i128) -> Children {
        let mut children = Ordered::default();
        for step in steps {
            let row = self.row_of(&step);
            children.entry(row).or_insert_with(Vec::new).push(step);
        }
        let mut children: Children = children.into_iter().collect();
        children.retain(|(_, steps)| sizes(steps).1 >= min_cost);
        children.sort_by(|a, b| {
            let by_cost = sizes(&b.1).cmp(&sizes(&a.1));
            by_cost.then_with(|| self.rows.cmp_names(a.0, b.0).then(a.0.cmp(&b.0)))
        });
        children
    }
}

/// The sizes of the change of the first event, and of the cost on the larger side.
fn sizes(steps: &[PathStep]) -> (i128, i128) {
    let [new, base] = by_side(steps, |step| step.part.costs[0]);
    ((new - base).abs(), new.abs().max(base.abs()))
}

/// The sums of a number of each step, for NEW and for BASE.
fn by_side(steps: &[PathStep], number: impl Fn(&PathStep) -> i128) -> [i128; 2] {
    let mut sums = [0; 2];
    for step in steps {
        sums[step.side] += number(step);
    }
    sums
}

impl PathSum {
    fn add(&mut self, other: &PathSum) {
        self.calls += other.calls;
        self.has_inlined |= other.has_inlined;
        self.knowledge = self.knowledge.max(other.knowledge);
        add(&mut self.costs, &other.costs);
        for (bounds, others) in self.bounds.iter_mut().zip(&other.bounds) {
            *bounds = [bounds[0] + others[0], bounds[1] + others[1]];
        }
    }

    fn is_any(&self) -> bool {
        self.calls != 0 || self.costs.iter().any(|&cost| cost != 0)
    }
}

/// The part of a function, as executed by a thread, that is on a path, on one side.
struct PathStep {
    side: usize,
    node: NodeId,
    part: PathSum,
}

impl PathStep {
    /// All calls of a link, which ends at this node.
    fn whole(side: usize, link: &FunctionCalls, node: NodeId, has_inlined: bool) -> PathStep {
        let part = PathSum {
            calls: link.calls.number,
            has_inlined,
            knowledge: CallsKnowledge::of(link.calls),
            bounds: link.recorded.iter().map(|cost| [cost.abs(); 2]).collect(),
            costs: link.recorded.clone(),
        };
        PathStep { side, node, part }
    }
}

impl PathTrees<'_, '_> {
    /// The first level below a row or a cycle.
    fn below_root(&self, direction: PathDirection, row: RowId, path: &Path) -> Vec<PathStep> {
        let (cycle, mut steps) = (self.rows.whole_cycle(row), Vec::new());
        for (index, side) in self.links.iter().enumerate() {
            let step = |node, callee, calls: CountedCalls, costs: Vec<i128>| PathStep {
                side: index,
                node,
                part: PathSum {
                    calls: calls.number,
                    has_inlined: self.rows.profile.is_inlined(side.function(callee)),
                    knowledge: CallsKnowledge::of(calls),
                    bounds: costs.iter().map(|cost| [cost.abs(); 2]).collect(),
                    costs,
                },
            };
            let functions: Vec<FunctionId> = match (cycle, direction) {
                (Some(number), _) => {
                    let mut members: Vec<FunctionId> =
                        self.cycles.members_of(number, side.graph, index).collect();
                    members.sort_unstable();
                    members
                }
                (None, PathDirection::Callers) => self.rows.partition.at_home(row.0).collect(),
                (None, PathDirection::Callees) => {
                    let calls = self.calls_of_row(row, side).into_iter();
                    steps.extend(
                        calls.map(|(callee, calls, cost)| step(callee, callee, calls, cost)),
                    );
                    continue;
                }
            };
            let nodes = side.nodes.in_order(&functions).into_iter();
            let links = nodes.flat_map(|node| side.of(direction, node));
            let is_member = |link: &&FunctionCalls| {
                functions.binary_search(&side.function(link.end(direction))).is_ok()
            };
            let links = links.filter(|link| cycle.is_none() || !is_member(link));
            steps.extend(links.map(|link| {
                step(link.end(direction), link.ends[1], link.calls, link.recorded.clone())
            }));
        }
        self.new_steps(path, steps)
    }

    /// The calls made by the code of a row: only part of its functions' calls, if some of their
    /// code is in other rows.
    fn calls_of_row(
        &self,
        row: RowId,
        side: &Links<'_, '_>,
    ) -> Vec<(NodeId, CountedCalls, Vec<i128>)> {
        let partition = &self.rows.partition;
        let at_home = partition
            .at_home(row.0)
            .flat_map(|function| side.graph.fragments_of(function))
            .filter(|&fragment| self.rows.of_fragment(fragment) == row);
        let mut callees = Vec::new();
        for fragment in at_home.chain(partition.inlined(row.0)) {
            for (id, arc) in side.graph.out_of(fragment) {
                if !side.graph.is_recursive(arc) {
                    let calls = CountedCalls::of(side.graph, id, arc);
                    let callee = side.nodes.callee(arc, side.graph);
                    callees.push((callee, calls, side.costs(side.graph.cost(id))));
                }
            }
        }
        callees
    }

    /// The steps with a cost to rows that are not yet on the path.
    fn new_steps(&self, path: &Path, mut steps: Vec<PathStep>) -> Vec<PathStep> {
        steps.retain(|step| step.part.costs[0] != 0 && !path.contains_key(&self.row_of(step)));
        steps
    }

    fn function(&self, step: &PathStep) -> FunctionId {
        self.side(step.side).function(step.node)
    }

    fn row_of(&self, step: &PathStep) -> RowId {
        self.rows.of_function(self.function(step))
    }

    /// The callers or callees of a function that are not yet on the path, each with its part.
    fn next(&self, direction: PathDirection, path: &Path, step: &PathStep) -> Vec<PathStep> {
        let side = self.side(step.side);
        let linked = side.of(direction, step.node);
        let is_new = |link: &&FunctionCalls| {
            let end = side.function(link.end(direction));
            !path.contains_key(&self.rows.of_function(end))
        };
        let links = linked.clone().filter(is_new);
        let is_recursive = !linked.clone().all(|link| is_new(&link));
        let are_callers = direction == PathDirection::Callers;
        let mut total = match direction {
            PathDirection::Callers => vec![0; self.events.len()],
            // Including the self cost.
            PathDirection::Callees => side.spent[step.node.index()].clone(),
        };
        // With the calls of rows that are on the path already.
        let mut all_recorded = total.clone();
        if are_callers {
            links.clone().for_each(|link| add(&mut total, &link.recorded));
            linked.clone().for_each(|link| add(&mut all_recorded, &link.recorded));
        }
        let is_exact = step.part.bounds.iter().all(|[least, most]| least == most);
        let has_all =
            !are_callers && is_exact && side.has_all_of_member(step.node, &step.part.costs);
        let passed_on = if are_callers { side.passed_on(step) } else { None };
        let of_link = |link: &FunctionCalls| {
            let all = &step.part;
            let end = link.end(direction);
            if has_all && side.is_outermost_or_outside(end) {
                let has_inlined = self.rows.profile.is_inlined(side.function(end));
                return PathStep::whole(step.side, link, end, has_inlined);
            }
            let known = match direction {
                PathDirection::Callers => all.calls_of_caller(link, total[0], passed_on),
                PathDirection::Callees => all.calls_of_callee(link, total[0]),
            };
            let has_inlined = match direction {
                PathDirection::Callers => all.has_inlined,
                PathDirection::Callees => self.rows.profile.is_inlined(side.function(link.ends[1])),
            };
            PathStep {
                side: step.side,
                node: end,
                part: PathSum {
                    calls: known.number,
                    has_inlined,
                    knowledge: if is_recursive { CallsKnowledge::Unknown } else { known.knowledge },
                    costs: all.costs_of(link, &total),
                    bounds: all.bounds_of(link, &all_recorded),
                },
            }
        };
        links.map(of_link).collect()
    }
}

/// The number of calls of a tree's first row on a path.
struct PathCalls {
    number: i128,
    knowledge: CallsKnowledge,
}

impl PathSum {
    /// The costs on a path that goes on to a caller or callee: its part of the `total` of all. The
    /// cost of recursion that is left out is not given to the others: none exceeds its recorded
    /// cost.
    fn costs_of(&self, link: &FunctionCalls, total: &[i128]) -> Vec<i128> {
        let costs = self.costs.iter().zip(&link.recorded).zip(total);
        costs
            .map(|((&cost, &recorded), &total)| within(part(cost, recorded, total), recorded))
            .collect()
    }

    /// The bounds of these costs, by what `all` callers or callees recorded.
    fn bounds_of(&self, link: &FunctionCalls, all: &[i128]) -> Vec<[i128; 2]> {
        let bounds = self.bounds.iter().zip(&link.recorded).zip(all);
        bounds
            .map(|((&[least, most], &recorded), &whole)| {
                let by_others = (whole - recorded).abs();
                // Of recursion more can be on the path than was paid for the calls.
                let most_of_link = most.min(recorded.abs());
                [(least - by_others).clamp(0, most_of_link), most_of_link]
            })
            .collect()
    }

    /// The calls on a path that goes on to a callee, whose function spent the `total` on all paths:
    /// its callees are called by all of its calls.
    fn calls_of_callee(&self, link: &FunctionCalls, total: i128) -> PathCalls {
        let is_known = self.costs[0] == total;
        let knowledge = if is_known { self.knowledge } else { CallsKnowledge::Unknown };
        PathCalls {
            number: part(link.calls.number, self.costs[0], total),
            knowledge: knowledge.max(CallsKnowledge::of(link.calls)),
        }
    }

    /// The calls on a path that goes on to a caller: all of them if that is the only one, whose
    /// recorded cost is then the `total`; its part of `passed_on`, if the function passes on one
    /// for each of these.
    fn calls_of_caller(
        &self,
        link: &FunctionCalls,
        total: i128,
        passed_on: Option<i128>,
    ) -> PathCalls {
        let recorded = link.recorded[0];
        match passed_on.filter(|_| recorded != total) {
            Some(called) => PathCalls {
                number: part(self.calls, link.calls.number, called),
                knowledge: self.knowledge.max(CallsKnowledge::Estimated),
            },
            None => PathCalls {
                number: part(self.calls, recorded, total),
                knowledge: if recorded == total { self.knowledge } else { CallsKnowledge::Unknown },
            },
        }
    }
}

impl Links<'_, '_> {
    /// How often the function of a step was called, if it passes on one call for each of these.
    fn passed_on(&self, step: &PathStep) -> Option<i128> {
        let calls = step.part.calls;
        let called = self.number_of_calls(step.node).filter(|_| calls > 1)?;
        ((called - calls).abs() * PASSED_PARTS <= calls).then_some(called)
    }

    /// How often a node was called, if all of it was counted.
    fn number_of_calls(&self, node: NodeId) -> Option<i128> {
        let back = self.back_of[PathDirection::Callers as usize].get(node.index()).iter();
        let links = self.of(PathDirection::Callers, node);
        let mut all = links.chain(back.map(|&link| &self.back[link as usize]));
        all.try_fold(0, |sum: i128, link| link.calls.are_counted.then(|| sum + link.calls.number))
    }
}

/// The number between 0 and the limit, which may be negative, that is nearest to `number`.
fn within(number: i128, limit: i128) -> i128 {
    number.clamp(limit.min(0), limit.max(0))
}

fn number(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn add(sum: &mut [i128], costs: &[i128]) {
    for (sum, cost) in sum.iter_mut().zip(costs) {
        *sum += cost;
    }
}
