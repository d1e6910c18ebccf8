//! A text in which the lines with some words are known, found in one pass for all words.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, MatchKind};

/// The text of a source.
pub struct IndexedText {
    text: Vec<u8>,
    /// By word its places in the text, in order.
    places: HashMap<Vec<u8>, Vec<usize>>,
    /// The start of each line, from line 0.
    starts: Vec<usize>,
}

impl IndexedText {
    /// The words are identifiers.
    pub fn new(text: Vec<u8>, words: &[&[u8]]) -> IndexedText {
        let ends = memchr::memchr_iter(b'\n', &text).map(|at| at + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        let mut places: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        // A match that is a whole word is the longest one at its start, and no other reaches it.
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(words);
        for found in finder.iter().flat_map(|finder| finder.find_iter(&text)) {
            let before = found.start().checked_sub(1).map(|before| &text[before]);
            let is_whole =
                !before.is_some_and(is_of_word) && !text.get(found.end()).is_some_and(is_of_word);
            if is_whole {
                let word = text[found.range()].to_vec();
                places.entry(word).or_default().push(found.start());
            }
        }
        IndexedText { text, places, starts }
    }

    /// The lines with one of the words, from 0, each with what is before the word in it.
    pub fn lines_with(&self, word: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
        let places = self.places.get(word).into_iter().flatten();
        places.map(|&at| {
            let line = self.starts.partition_point(|&start| start <= at) - 1;
            (line, &self.text[self.starts[line]..at])
        })
    }

    /// The text from a line on.
    pub fn starting_at(&self, line: usize) -> &[u8] {
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
        let words: [&[u8]; 4] = [b"f", b"ff", b"f1", b"gone"];
        let text =
            IndexedText::new(b"int f(int);\n  g = f(ff);\nf\nff1 f12 xf1 f1\n".to_vec(), &words);
        let lines = |word: &[u8]| -> Vec<(usize, String)> {
            let lines = text.lines_with(word);
            lines.map(|(line, of)| (line, String::from_utf8_lossy(of).into_owned())).collect()
        };
        let of = |line: usize, before: &str| (line, before.to_owned());
        assert_eq!(lines(b"f"), [of(0, "int "), of(1, "  g = "), of(2, "")]);
        assert_eq!(lines(b"ff"), [of(1, "  g = f(")]);
        assert_eq!(lines(b"f1"), [of(3, "ff1 f12 xf1 ")]);
        assert_eq!(lines(b"gone"), []);
        assert_eq!(text.starting_at(3), b"ff1 f12 xf1 f1\n");
        assert_eq!(text.starting_at(9), b"");
    }
}
