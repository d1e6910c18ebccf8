//! The counts of plain lines, added up as they are read.

use super::Window;

/// Where the last number may begin, so that it ends within the window.
const LAST: usize = 220;

impl Window<'_> {
    /// Adds the count of a line to a sum, and gives back how many there are, if this and the newline are all that
    /// is left of it. A call and a jump may have none.
    #[inline(always)]
    pub(in crate::read) fn add_count(&mut self, sum: &mut u64) -> Option<usize> {
        if self.skip(b'\n') {
            return Some(0);
        }
        let count = self.number()?;
        *sum = sum.wrapping_add(self.skip(b'\n').then_some(count)?);
        Some(1)
    }

    /// The same for any number of counts. Without the newline the sums are as they were.
    #[inline(always)]
    pub(in crate::read) fn add_counts(&mut self, sums: &mut [u64]) -> Option<usize> {
        if self.skip(b'\n') {
            return Some(0);
        }
        let begin = *self;
        let mut given = 0;
        while self.position() <= LAST
            && let Some(sum) = sums.get_mut(given)
            && let Some(count) = self.number()
        {
            *sum = sum.wrapping_add(count);
            given += 1;
            if !self.skip(b' ') {
                if self.skip(b'\n') {
                    return Some(given);
                }
                break;
            }
        }
        begin.take_back(&mut sums[..given]);
        None
    }

    /// Takes the counts that follow from the sums again.
    #[cold]
    #[inline(never)]
    fn take_back(mut self, sums: &mut [u64]) {
        for sum in sums {
            *sum = sum.wrapping_sub(self.number().unwrap_or(0));
            self.advance(1);
        }
    }
}
