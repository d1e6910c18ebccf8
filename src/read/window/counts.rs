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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::window::WINDOW;

    /// The counts of a line, if they could be added up.
    fn added(line: &str, events: usize) -> Option<Vec<u64>> {
        let text = [line, &"\n".repeat(WINDOW)].concat();
        let mut window = Window::new(text.as_bytes()).unwrap();
        let mut sums = vec![7; events];
        let given = window.add_counts(&mut sums);
        if let Some(given) = given {
            assert_eq!(window.position(), line.len() + 1, "{line}");
            assert!(sums[given..].iter().all(|&sum| sum == 7));
            return Some(sums[..given].iter().map(|sum| sum - 7).collect());
        }
        assert!(sums.iter().all(|&sum| sum == 7), "{line}: {sums:?}");
        None
    }

    #[test]
    fn all_counts_are_added_or_none() {
        assert_eq!(added("", 2), Some(vec![]));
        assert_eq!(added("1 23 4567890123", 3), Some(vec![1, 23, 4567890123]));
        for line in ["1 2 3", "1 2 ", "1  2", "1 .", "1 -2", "1 2x", "x", "1 2\r"] {
            assert_eq!(added(line, 2), None, "{line:?}");
        }
    }

    #[test]
    fn a_line_that_goes_on_behind_the_window_is_left() {
        for digits in 1..=16 {
            let number: u64 = "1234567890123456"[..digits].parse().unwrap();
            for counts in 1..200 {
                let line = vec![number.to_string(); counts].join(" ");
                let fits = line.len() - digits <= LAST;
                let expected = fits.then(|| vec![number; counts]);
                assert_eq!(added(&line, 200), expected, "{line}");
            }
        }
    }
}
