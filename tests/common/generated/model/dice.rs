//! Choices that bytes make.

/// A source of choices; without further bytes every choice is the first.
pub struct Dice<'b> {
    bytes: &'b [u8],
}

impl<'b> Dice<'b> {
    pub fn new(bytes: &'b [u8]) -> Dice<'b> {
        Dice { bytes }
    }

    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.bytes.split_first() else {
            return 0;
        };
        self.bytes = rest;
        first
    }

    /// A number below `end`, which is at most 65536.
    pub fn below(&mut self, end: usize) -> usize {
        let low = usize::from(self.byte());
        if end <= 256 { low % end } else { (low << 8 | usize::from(self.byte())) % end }
    }

    /// True once in `times`, never when the bytes are used up.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    /// The bytes that are left.
    pub fn rest(&self) -> &'b [u8] {
        self.bytes
    }

    pub fn is_used_up(&self) -> bool {
        self.rest().is_empty()
    }
}
