//! Stacks that were found one by one, as one tree of frames in which each stack is once.

use hashbrown::{HashMap, HashSet};

use crate::profile::FunctionId;
use crate::view::rows::Rows;

/// Stacks as one tree of frames.
#[derive(Default)]
pub(super) struct MergedStacks {
    frames: Vec<MergedFrame>,
    /// The numbers of the frames by that of the caller, from 1, and function.
    known: HashMap<(usize, FunctionId), usize>,
}

struct MergedFrame {
    function: FunctionId,
    /// The self cost, and that of all frames below it.
    own: i64,
    cost: i64,
    callees: Vec<usize>,
}

impl MergedStacks {
    pub(super) fn add(&mut self, path: &[FunctionId], cost: i64) {
        let mut caller = 0;
        for &function in path {
            let next = self.frames.len() + 1;
            let number = *self.known.entry((caller, function)).or_insert(next);
            if number == next {
                self.frames.push(MergedFrame { function, own: 0, cost: 0, callees: Vec::new() });
                if let Some(above) = caller.checked_sub(1) {
                    self.frames[above].callees.push(number);
                }
            }
            self.frames[number - 1].cost += cost;
            caller = number;
        }
        if let Some(last) = caller.checked_sub(1) {
            self.frames[last].own += cost;
        }
    }

    /// Calls `write` for each stack, of the frames below one that with the largest cost first. The
    /// cost of frames with less than `min_cost` is added to the frame above.
    pub(super) fn for_each<E>(
        mut self,
        min_cost: i64,
        rows: &Rows<'_>,
        mut write: impl FnMut(&[FunctionId], i64) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_below: HashSet<usize> =
            self.frames.iter().flat_map(|frame| frame.callees.iter().copied()).collect();
        let mut tasks: Vec<(usize, usize)> = (1..=self.frames.len())
            .filter(|number| !is_below.contains(number))
            .map(|number| (number, 0))
            .collect();
        tasks.reverse();
        let mut path = Vec::new();
        while let Some((number, depth)) = tasks.pop() {
            let all = std::mem::take(&mut self.frames[number - 1].callees);
            let has_minimum = |&callee: &usize| self.frames[callee - 1].cost >= min_cost;
            let (mut callees, small): (Vec<usize>, Vec<usize>) =
                all.into_iter().partition(has_minimum);
            let of_small: i64 = small.iter().map(|callee| self.frames[callee - 1].cost).sum();
            let MergedFrame { function, own: own_cost, .. } = self.frames[number - 1];
            let own = own_cost + of_small;
            path.truncate(depth);
            path.push(function);
            if own != 0 {
                write(&path, own)?;
            }
            callees.sort_by(|&a, &b| {
                let [a, b] = [a, b].map(|number| &self.frames[number - 1]);
                let names =
                    || rows.cmp_names(rows.of_function(b.function), rows.of_function(a.function));
                a.cost.cmp(&b.cost).then_with(names).then(b.function.cmp(&a.function))
            });
            tasks.extend(callees.into_iter().map(|number| (number, depth + 1)));
        }
        Ok(())
    }
}
