//! What is one step further on a path: the callers or the callees of functions, each with its part of the cost.

use hashbrown::HashSet;

use super::links::{Link, add, part};
use super::{MAX_PATH_ROWS, PathDirection, PathTrees};
use crate::profile::FunctionId;
use crate::view::{Item, RowId};

/// What of a function is on a path.
pub(super) struct Step {
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
