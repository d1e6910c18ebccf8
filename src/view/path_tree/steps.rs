//! What is one step further on a path: the callers or the callees of functions, each with its part of the cost.

use hashbrown::HashSet;

use super::links::{Link, Links, add, part};
use super::{MAX_PATH_ROWS, PathDirection, PathTrees};
use crate::profile::FunctionId;
use crate::view::label::Item;
use crate::view::rows::RowId;

/// What of a function is on a path, on one side.
pub(super) struct Step {
    pub(super) is_base: bool,
    pub(super) function: FunctionId,
    pub(super) calls: i128,
    pub(super) costs: Vec<i128>,
}

/// The rows on a path.
#[derive(Default)]
pub(super) struct Path {
    pub(super) rows: Vec<RowId>,
    set: HashSet<RowId>,
}

impl Path {
    pub(super) fn push(&mut self, row: RowId) {
        self.rows.push(row);
        self.set.insert(row);
    }

    pub(super) fn truncate(&mut self, len: usize) {
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

impl PathTrees<'_, '_> {
    /// What is directly below a row, or a cycle as a whole.
    pub(super) fn below_root(
        &self,
        direction: PathDirection,
        item: Item,
        path: &Path,
    ) -> Vec<Step> {
        let mut steps = Vec::new();
        for (side, is_base) in self.sides() {
            let step = |function, calls, costs: &[i128]| Step {
                is_base,
                function,
                calls,
                costs: costs.to_vec(),
            };
            match (direction, item) {
                (PathDirection::Callers, Item::Row(row)) => {
                    let functions = self.rows.partition().at_home(row.0);
                    let links = functions.flat_map(|function| side.of(direction, function));
                    steps.extend(links.map(|link| step(link.caller, link.calls, &link.paid)));
                }
                (PathDirection::Callees, Item::Row(row)) => {
                    let calls = self.calls_of_row(row, side).into_iter();
                    steps.extend(calls.map(|(callee, calls, costs)| step(callee, calls, &costs)));
                }
                (_, Item::Cycle(number)) => {
                    let members = self.cycles.members_of(number, side.graph, is_base);
                    let links = members.flat_map(|member| side.of(direction, member));
                    let links = links.filter(|link| !link.is_nested);
                    steps.extend(
                        links.map(|link| step(link.end(direction), link.calls, &link.recorded)),
                    );
                }
            }
        }
        self.without_skipped(direction, path, steps, &mut 0)
    }

    /// The calls of the code of a row: only a part of what its functions call, if some of their code is in other rows.
    fn calls_of_row(&self, row: RowId, side: &Links<'_, '_>) -> Vec<(FunctionId, i128, Vec<i128>)> {
        let partition = self.rows.partition();
        let at_home = partition.at_home(row.0);
        let at_home = at_home.flat_map(|function| side.graph.fragments_of(function));
        let at_home = at_home.filter(|&fragment| self.rows.of_fragment(fragment) == row);
        let mut callees = Vec::new();
        for fragment in at_home.chain(partition.inlined(row.0)) {
            for (id, arc) in side.graph.out_of(fragment) {
                let ends = (side.graph.caller(arc), arc.callee);
                let Some(link) = side.between(ends) else {
                    continue;
                };
                let recorded = side.costs(side.graph.cost(id));
                let costs = recorded.iter().zip(&link.spent).zip(&link.recorded);
                let costs = costs.map(|((&cost, &spent), &all)| part(spent, cost, all));
                let calls = i128::from(side.graph.calls(id));
                callees.push((arc.callee, calls, costs.collect()));
            }
        }
        callees
    }

    /// What is below the steps of a line.
    pub(super) fn expand(
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
            if self.side(step.is_base).is_skipped(step.function) && *counted < MAX_PATH_ROWS {
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
        let side = self.side(step.is_base);
        let links = side.of(direction, step.function);
        let links = links.filter(|link| !path.has(self.rows.of_function(link.end(direction))));
        let mut total = match direction {
            PathDirection::Callers => vec![0; self.events.len()],
            PathDirection::Callees => side.spent(step.function).to_vec(),
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
                is_base: step.is_base,
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
