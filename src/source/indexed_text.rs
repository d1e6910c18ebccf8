//! A text with the start of each line, in which words are searched.

use std::collections::BTreeSet;

/// The text of a source.
pub struct IndexedText {
    text: Vec<u8>,
    /// The start of each line, from line 0.
    starts: Vec<usize>,
}

impl IndexedText {
    pub fn new(text: Vec<u8>) -> IndexedText {
        let ends = memchr::memchr_iter(b'\n', &text).map(|at| at + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        IndexedText { starts, text }
    }

    /// The lines with a word, from 0, of which `is_wanted` accepts what is before it in its line.
    pub fn lines_with(&self, word: &[u8], is_wanted: impl Fn(&[u8]) -> bool) -> BTreeSet<usize> {
        let found = memchr::memmem::find_iter(&self.text, word).filter_map(|at| {
            let line = self.starts.partition_point(|&start| start <= at) - 1;
            let before = &self.text[self.starts[line]..at];
            let after = self.text.get(at + word.len());
            let is_whole = !before.last().is_some_and(is_of_word) && !after.is_some_and(is_of_word);
            (is_whole && is_wanted(before.trim_ascii())).then_some(line)
        });
        found.collect()
    }

    /// The text from a line on.
    pub fn from_line(&self, line: usize) -> &[u8] {
        &self.text[self.starts.get(line).copied().unwrap_or(self.text.len())..]
    }
}

/// Whether a byte is part of an identifier.
pub fn is_of_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_whole_words() {
        let text = IndexedText::new(b"int f(int);\n  g = f(ff);\nf\n".to_vec());
        let lines = |is_wanted: &dyn Fn(&[u8]) -> bool| -> Vec<usize> {
            text.lines_with(b"f", is_wanted).into_iter().collect()
        };
        assert_eq!(lines(&|_| true), [0, 1, 2]);
        assert_eq!(lines(&|before| before.ends_with(b"int")), [0]);
        assert_eq!(lines(&|before| before.is_empty()), [2]);
        assert_eq!(text.from_line(1), b"  g = f(ff);\nf\n");
        assert_eq!(text.from_line(9), b"");
    }
}
