//! Stacks that were found one by one, as one tree of frames in which each stack is once.

use crate::graph::Groups;
use crate::profile::FunctionId;
use crate::view::frame_numbers::FrameNumbers;
use crate::view::rows::Rows;

/// Stacks as one tree of frames, with a current stack, which costs are added to.
#[derive(Default)]
pub(super) struct MergedStacks {
    /// Each after the one above it.
    frames: Vec<MergedFrame>,
    numbers: FrameNumbers,
    /// The frames of the current stack, the outermost one first.
    current: Vec<usize>,
}

struct MergedFrame {
    function: FunctionId,
    above: Option<usize>,
    /// The cost that was added to the frame itself.
    own: i64,
}

impl MergedStacks {
    /// Makes a function, at this depth, the last one of the current stack.
    pub(super) fn enter(&mut self, depth: usize, function: FunctionId) {
        self.leave_to(depth);
        let above = self.current.last().copied();
        let next = self.frames.len();
        let number = self.numbers.of(above, function.index(), next);
        if number == next {
            self.frames.push(MergedFrame { function, above, own: 0 });
        }
        self.current.push(number);
    }

    /// Makes the frames above this depth the current stack.
    pub(super) fn leave_to(&mut self, depth: usize) {
        self.current.truncate(depth);
    }

    /// The number of frames of the current stack.
    pub(super) fn depth(&self) -> usize {
        self.current.len()
    }

    /// Adds a cost to the current stack.
    pub(super) fn add(&mut self, cost: i64) {
        if let Some(&last) = self.current.last() {
            self.frames[last].own += cost;
        }
    }

    /// Calls `write` for each stack, of the frames below one that with the largest cost first. The
    /// cost of frames with less than `min_cost` is added to the frame above.
    pub(super) fn for_each<E>(
        self,
        min_cost: i64,
        rows: &Rows<'_>,
        mut write: impl FnMut(&[FunctionId], i64) -> Result<(), E>,
    ) -> Result<(), E> {
        let frames = &self.frames;
        // With all frames below it.
        let mut costs: Vec<i64> = frames.iter().map(|frame| frame.own).collect();
        for (number, frame) in frames.iter().enumerate().rev() {
            if let Some(above) = frame.above {
                costs[above] += costs[number];
            }
        }
        let callees = Groups::new(frames.len(), frames.iter().map(|frame| frame.above));
        let outermost = (0..frames.len()).rev().filter(|&number| frames[number].above.is_none());
        let mut tasks: Vec<(usize, usize)> = outermost.map(|number| (number, 0)).collect();
        let mut path = Vec::new();
        while let Some((number, depth)) = tasks.pop() {
            let mut own = frames[number].own;
            let first = tasks.len();
            for callee in callees.get(number).iter().map(|&callee| callee as usize) {
                if costs[callee] >= min_cost {
                    tasks.push((callee, depth + 1));
                } else {
                    own += costs[callee];
                }
            }
            path.truncate(depth);
            path.push(frames[number].function);
            if own != 0 {
                write(&path, own)?;
            }
            tasks[first..].sort_unstable_by(|&(a, _), &(b, _)| {
                let [of_a, of_b] = [a, b].map(|number| frames[number].function);
                let names = || rows.cmp_names(rows.of_function(of_b), rows.of_function(of_a));
                costs[a].cmp(&costs[b]).then_with(names).then(of_b.cmp(&of_a))
            });
        }
        Ok(())
    }
}
