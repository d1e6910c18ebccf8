//! Finds the lines of a tree in their order: each row of a path, and what is below it.

use hashbrown::HashSet;

use super::{
    Children, MAX_PATH_ROWS, Path, PathStep, PathSum, PathTree, PathTrees, Pending, sizes,
};
use crate::view::label::RowId;
use crate::view::tree::{CallLine, PathDirection};

/// A tree while its lines are found, in their order.
pub(super) struct GrowingTree<'t, 'g, 'p> {
    pub(super) trees: &'t PathTrees<'g, 'p>,
    pub(super) direction: PathDirection,
    pub(super) item: RowId,
    /// The number of rows on each path that are not in the tree: that of the item, if it is a row.
    pub(super) root: usize,
    pub(super) min_cost: i128,
    /// The cost of a row that is followed, if only one callee of a line is.
    pub(super) min_followed: Option<i128>,
    /// The rows from the item to the end of the last line.
    pub(super) path: Path,
    /// A stack: the last one is handled first.
    pub(super) pending: Vec<Pending>,
    pub(super) tree: PathTree,
}

impl GrowingTree<'_, '_, '_> {
    pub(super) fn complete(mut self) -> PathTree {
        while let Some(next) = self.pending.pop() {
            if self.tree.rows >= MAX_PATH_ROWS {
                self.tree.is_cut = true;
                break;
            }
            match next {
                Pending::Row { row, steps, level, above } => {
                    self.path.truncate(above);
                    self.path.insert(row, ());
                    self.add_line(steps, level, above);
                }
                Pending::Recursive { row, level } => {
                    self.tree.rows += 1;
                    let line = self.trees.line(level, &[row], &self.trees.sums(&[]));
                    self.tree.lines.push(CallLine { count: None, is_recursive: true, ..line });
                }
            }
        }
        self.tree
    }

    /// Pushes the rows below the end of the path.
    pub(super) fn push(&mut self, children: Children, level: usize) {
        let above = self.path.len();
        let rows = children.into_iter().rev();
        self.pending.extend(rows.map(|(row, steps)| Pending::Row { row, steps, level, above }));
    }

    /// Adds the line that begins with the last row of the path, which has these steps.
    fn add_line(&mut self, steps: Vec<PathStep>, level: usize, above: usize) {
        let trees = self.trees;
        let sums = trees.sums(&steps);
        let (last, children) = self.follow_single(steps, &sums);
        if self.continues(&last) {
            // A row may have other calls, which have a line with their cost.
            let known: HashSet<RowId> = children.iter().map(|&(child, _)| child).collect();
            let back = trees.rows_back(self.direction, &last, self.min_cost).into_iter().rev();
            let new = back.filter(|row| !known.contains(row));
            self.pending.extend(new.map(|row| Pending::Recursive { row, level: level + 1 }));
        }
        self.push(children, level + 1);
        let rows: Vec<RowId> = self.path.keys().skip(above).copied().collect();
        self.tree.rows += rows.len();
        let line = trees.line(level, &rows, &sums);
        let is_unknown = trees.options.hides_unknown && trees.is_unknown(self.item, rows[0]);
        self.tree.lines.push(CallLine { is_unknown, ..line });
    }

    /// Appends callers to the path as long as each is the only one and has the figures of the line.
    /// Returns the steps of the last one, and the rows below it.
    fn follow_single(
        &mut self,
        mut steps: Vec<PathStep>,
        line: &[PathSum; 2],
    ) -> (Vec<PathStep>, Children) {
        let (trees, direction) = (self.trees, self.direction);
        while self.continues(&steps) && trees.max_below(direction, &steps) >= self.min_cost {
            let next = steps.iter().flat_map(|step| trees.next(direction, &self.path, step));
            let new_steps = trees.new_steps(&self.path, next.collect());
            let mut children = trees.sorted(new_steps, self.min_cost);
            match &mut children[..] {
                [(row, only)]
                    if direction == PathDirection::Callers && trees.has_figures_of(only, line) =>
                {
                    self.path.insert(*row, ());
                    steps = std::mem::take(only);
                }
                _ => return (steps, children),
            }
        }
        (steps, Children::new())
    }

    /// Whether the path goes on after a row with these steps.
    fn continues(&self, steps: &[PathStep]) -> bool {
        match self.min_followed {
            Some(min_cost) => sizes(steps).1 >= min_cost,
            None => {
                let function = self.trees.function(&steps[0]);
                self.trees.continues_after(function, self.path.len() - self.root)
            }
        }
    }
}
