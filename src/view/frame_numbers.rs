//! The numbers of the frames of a tree, each by the frame above it and what it is a frame of.

use hashbrown::HashMap;

/// A key is one number, as most of the time that stacks take is spent to find their frames.
#[derive(Default)]
pub(super) struct FrameNumbers {
    known: HashMap<u64, u32>,
}

impl FrameNumbers {
    /// The number of the frame of `what` below `above`; of a new one, `next`.
    #[inline]
    pub(super) fn of(&mut self, above: Option<usize>, what: usize, next: usize) -> usize {
        let above = above.map_or(0, |above| above as u64 + 1);
        let key = above << 32 | what as u64;
        *self.known.entry(key).or_insert(next as u32) as usize
    }
}
