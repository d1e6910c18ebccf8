//! Aligns the lines of two versions of a source.

mod pairs;
mod renamed;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use self::pairs::Pairs;
pub use self::pairs::{equal_in_order, out_of_order};
use self::renamed::renamed_words;
use super::{Found, Unreadable, is_of_word};

/// By identifier of the old text the one that it became in the new text.
pub type RenamedWords = HashMap<Vec<u8>, Vec<u8>>;

/// A line of either text, ordered among those of both: a line of the new text, or a removed line of
/// the old text, which follows the line of the new text that was before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineKey {
    /// The number in the new text; for a removed line, that of the line before it, or 0.
    pub new: u32,
    /// The number in the old text if the line was removed, else 0.
    pub removed: u32,
}

impl LineKey {
    pub fn new_line(line: u32) -> LineKey {
        LineKey { new: line, removed: 0 }
    }

    /// The number in the new text, if it has the line.
    pub fn in_new(self) -> Option<u32> {
        (self.removed == 0).then_some(self.new)
    }
}

/// How a line of the new text differs from the old text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineChange {
    Same,
    Moved,
    Added,
}

/// Lines that were removed from the old text and added to the new one at the same place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Their numbers in the old text.
    pub removed: Vec<u32>,
    /// Their numbers in the new text.
    pub added: Vec<u32>,
}

/// How the lines of an old and a new text are aligned.
pub struct LineMap {
    /// The key of each line of the old text, from line 1.
    keys: Vec<LineKey>,
    /// By line of the new text, its number in the old text, both from 0, and whether it was moved.
    of_new: Vec<Option<(usize, bool)>>,
    /// The removed lines of the old text with their texts, sorted.
    removed: Vec<(LineKey, Vec<u8>)>,
    /// By removed or added line the number of its change.
    of_changes: HashMap<LineKey, u32>,
    /// The lines of the new text that differ from the old ones in renamed identifiers.
    with_new_words: HashSet<u32>,
    /// The identifiers that the texts show to be renamed.
    pub renamed: RenamedWords,
}

impl LineMap {
    /// A line in which only blanks and renamed identifiers differ is the same line.
    pub fn of_files(
        old: &Found,
        new: &Found,
        renamed: &RenamedWords,
    ) -> Result<LineMap, Unreadable> {
        // Both texts have a final newline, so that adding one does not count as a change.
        Ok(LineMap::new(&old.text()?.bytes, &new.text()?.bytes, renamed))
    }

    /// Besides the known `renamed` identifiers, those that the texts themselves show to be renamed
    /// are no change.
    pub fn new(old: &[u8], new: &[u8], renamed: &RenamedWords) -> LineMap {
        LineMap::aligned(old, new, renamed, true)
    }

    /// The map in which a renamed identifier is a change.
    pub fn without_renamed(old: &[u8], new: &[u8]) -> LineMap {
        LineMap::aligned(old, new, &RenamedWords::new(), false)
    }

    fn aligned(old: &[u8], new: &[u8], renamed: &RenamedWords, finds_renamed: bool) -> LineMap {
        let (old_lines, new_lines) = (lines(old), lines(new));
        let words = gone_words(renamed, &old_lines, &new_lines);
        let old_texts: Vec<Vec<u8>> = old_lines
            .iter()
            .map(|line| plain(&with_new_words(line, &words)).into_owned())
            .collect();
        let of_old: Vec<&[u8]> = old_texts.iter().map(|line| &line[..]).collect();
        let new_texts: Vec<Cow<'_, [u8]>> = new_lines.iter().map(|line| plain(line)).collect();
        let of_new: Vec<&[u8]> = new_texts.iter().map(|line| &line[..]).collect();
        let mut pairs = Pairs::in_order(&of_old, &of_new);
        let found =
            if finds_renamed { renamed_words(&of_old, &of_new, &pairs) } else { HashMap::new() };
        let replaced: Vec<Cow<'_, [u8]>> =
            of_old.iter().map(|line| with_new_words(line, &found)).collect();
        let with_new_names: Vec<&[u8]> = replaced.iter().map(|line| &line[..]).collect();
        if !found.is_empty() {
            pairs = Pairs::in_order(&with_new_names, &of_new);
        }
        pairs.add_moved();
        pairs.extend();
        let keys = keys(&pairs.of_old);
        let texts = old_lines.iter().map(|line| line.to_vec());
        let removed = keys.iter().copied().zip(texts);
        let mut removed: Vec<_> = removed.filter(|(key, _)| key.removed > 0).collect();
        removed.sort_unstable();
        let renamed = found.into_iter().map(|(old, new)| (old.to_vec(), new.to_vec())).collect();
        let with_new_words = (1..)
            .zip(pairs.of_new.iter().zip(&new_texts))
            .filter(|(_, (pair, text))| {
                pair.is_some_and(|(old, _)| plain(old_lines[old]) != **text)
            })
            .map(|(line, _)| line)
            .collect();
        let of_new = pairs.of_new;
        let of_changes = HashMap::new();
        let mut map = LineMap { removed, of_new, keys, of_changes, with_new_words, renamed };
        for (number, change) in (0..).zip(map.changes()) {
            let added = change.added.iter().map(|&line| LineKey::new_line(line));
            let keys: Vec<_> =
                added.chain(change.removed.iter().map(|&line| map.of_old(line))).collect();
            map.of_changes.extend(keys.into_iter().map(|key| (key, number)));
        }
        map
    }

    /// Whether a line of the new text is the old one but for renamed identifiers.
    pub fn has_new_words(&self, line: u32) -> bool {
        self.with_new_words.contains(&line)
    }

    /// The part of their code that two texts have in common, as a part of the lines of the longer
    /// one. Only lines that a text has once are compared, and that have a word: unrelated files
    /// share `return 0;`, and comments and directives, such as licences and `#include`.
    pub fn likeness(old: &[u8], new: &[u8]) -> f64 {
        let telling = [old, new].map(lines_that_tell);
        let map = LineMap::without_renamed(old, new);
        let pairs = telling[1].iter().zip(&map.of_new);
        let equal = pairs.filter(|&(tells, pair)| *tells && pair.is_some()).count();
        let count = |lines: &Vec<bool>| lines.iter().filter(|tells| **tells).count();
        match telling.iter().map(count).max() {
            None | Some(0) => 1.0,
            Some(all) => equal as f64 / all as f64,
        }
    }

    /// The key of a line of the old text. A line past the end keeps its number in the new text,
    /// unless the new text has a line with that number.
    pub fn of_old(&self, line: u32) -> LineKey {
        let Some(at) = (line as usize).checked_sub(1) else {
            return LineKey::default();
        };
        let length = self.of_new.len() as u32;
        let (new, removed) = if line > length { (line, 0) } else { (length + 1, line) };
        self.keys.get(at).copied().unwrap_or(LineKey { new, removed })
    }

    /// The number of a line in the old text, if that has it; lines past the end of both texts keep
    /// their numbers.
    pub fn in_old(&self, key: LineKey) -> Option<u32> {
        if key.removed > 0 {
            return Some(key.removed);
        }
        match self.of_new.get((key.new as usize).checked_sub(1)?) {
            Some(pair) => Some(pair.as_ref()?.0 as u32 + 1),
            None => (key.new as usize > self.keys.len()).then_some(key.new),
        }
    }

    pub fn change(&self, line: u32) -> LineChange {
        match self.in_old(LineKey::new_line(line)) {
            Some(_) if matches!(self.of_new.get(line as usize - 1), Some(Some((_, true)))) => {
                LineChange::Moved
            }
            Some(_) => LineChange::Same,
            None => LineChange::Added,
        }
    }

    /// The runs of removed and added lines, in the order of the new text.
    pub fn changes(&self) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut open = Change::default();
        let mut close = |open: &mut Change| {
            if !open.removed.is_empty() || !open.added.is_empty() {
                changes.push(std::mem::take(open));
            }
        };
        let mut removed = self.removed.iter().peekable();
        for line in 0..=self.of_new.len() as u32 {
            match line.checked_sub(1).map(|at| self.of_new[at as usize]) {
                Some(None) => open.added.push(line),
                _ => close(&mut open),
            }
            while let Some((key, _)) = removed.next_if(|(key, _)| key.new <= line) {
                open.removed.push(key.removed);
            }
        }
        close(&mut open);
        changes
    }

    /// The number of the change that a removed or an added line is part of.
    pub fn number_of_change(&self, key: LineKey) -> Option<u32> {
        self.of_changes.get(&key).copied()
    }

    /// The text of a removed line of the old text, with its newline.
    pub fn removed_text(&self, line: u32) -> Option<&[u8]> {
        let key = self.of_old(line);
        let at = self.removed.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        Some(&self.removed[at].1)
    }

    /// The removed lines that follow a line of the new text, with their texts and newlines.
    pub fn removed_after(&self, line: u32) -> impl Iterator<Item = (LineKey, &[u8])> {
        let first = self.removed.partition_point(|(key, _)| key.new < line);
        let removed = self.removed[first..].iter().take_while(move |(key, _)| key.new == line);
        removed.map(|(key, text)| (*key, &text[..]))
    }
}

/// The keys of the lines of the old text. Removed lines follow the last line before them that was
/// not moved or, between lines that were moved together, the moved line before them.
fn keys(of_old: &[Option<(usize, bool)>]) -> Vec<LineKey> {
    let moved = |at: usize| {
        let pair = of_old.get(at).copied().flatten();
        pair.filter(|&(_, is_moved)| is_moved).map(|(new, _)| new)
    };
    let (mut after, mut at) = (0, 0usize);
    let mut keys: Vec<LineKey> = Vec::with_capacity(of_old.len());
    for run in of_old.chunk_by(|a, b| a.is_none() && b.is_none()) {
        if let Some((new, is_moved)) = run[0] {
            let new = new as u32 + 1;
            after = if is_moved { after } else { new };
            keys.push(LineKey::new_line(new));
        } else {
            let before = at.checked_sub(1).and_then(moved);
            let between = before.filter(|&before| moved(at + run.len()) > Some(before));
            let new = between.map_or(after, |before| before as u32 + 1);
            keys.extend((at..at + run.len()).map(|old| LineKey { new, removed: old as u32 + 1 }));
        }
        at += run.len();
    }
    keys
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}

/// The renamed identifiers that the new text does not have.
fn gone_words<'r>(
    renamed: &'r RenamedWords,
    old_lines: &[&[u8]],
    new_lines: &[&[u8]],
) -> HashMap<&'r [u8], &'r [u8]> {
    if renamed.is_empty() {
        return HashMap::new();
    }
    let mut words: HashMap<&[u8], &[u8]> = HashMap::new();
    let of_text = old_lines.iter().flat_map(|line| tokens(line));
    let renamed_of = |token: &[u8]| renamed.get_key_value(token);
    words.extend(of_text.filter_map(renamed_of).map(|(old, new)| (&old[..], &new[..])));
    if !words.is_empty() {
        new_lines.iter().flat_map(|line| tokens(line)).for_each(|token| {
            words.remove(token);
        });
    }
    words
}

/// A line with single blanks, and without any at its start and end, but with its newline.
fn plain(line: &[u8]) -> Cow<'_, [u8]> {
    let trimmed = line.trim_ascii();
    let is_single = |pair: &[u8]| pair != b"  ";
    let is_blank = |byte: &u8| *byte == b' ' || !byte.is_ascii_whitespace();
    let has_newline = line.ends_with(b"\n");
    let is_whole = trimmed.len() + usize::from(has_newline) == line.len();
    if is_whole && trimmed.windows(2).all(is_single) && trimmed.iter().all(is_blank) {
        return line.into();
    }
    let words = trimmed.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let mut text = words.collect::<Vec<_>>().join(&b' ');
    if has_newline {
        text.push(b'\n');
    }
    text.into()
}

/// A line of the old text with the identifiers of the new one.
pub fn with_new_words<'l>(line: &'l [u8], words: &HashMap<&[u8], &[u8]>) -> Cow<'l, [u8]> {
    let renamed = || token_ranges(line).filter_map(|at| Some((at.clone(), words.get(&line[at])?)));
    if words.is_empty() || renamed().next().is_none() {
        return line.into();
    }
    let mut text = Vec::with_capacity(line.len());
    let mut copied = 0;
    for (at, new) in renamed() {
        text.extend_from_slice(&line[copied..at.start]);
        text.extend_from_slice(new);
        copied = at.end;
    }
    text.extend_from_slice(&line[copied..]);
    text.into()
}

/// Words that have an argument and a body and are no function.
pub const CONTROL_WORDS: [&[u8]; 5] = [b"catch", b"for", b"if", b"switch", b"while"];

/// The identifiers and numbers of a text, and all other bytes but blanks one by one.
/// By line whether it is code with a word, and the only one of its kind.
fn lines_that_tell(text: &[u8]) -> Vec<bool> {
    // A line within a comment of C begins with `*` and a blank, other than `*out++ = 1;`.
    let comments: [&[u8]; 7] = [b"//", b"/*", b"* ", b"*/", b"#", b"-- ", b"--["];
    let is_code = |line: &[u8]| {
        !comments.iter().any(|start| line.starts_with(start)) && tokens(line).any(is_identifier)
    };
    let lines: Vec<&[u8]> =
        text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_start).collect();
    let mut count: HashMap<&[u8], usize> = HashMap::new();
    lines.iter().for_each(|&line| *count.entry(line).or_default() += 1);
    lines.iter().map(|line| count[line] == 1 && is_code(line)).collect()
}

pub fn tokens(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    token_ranges(text).map(|at| &text[at])
}

fn token_ranges(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += text[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let start = at;
        let length = text[at..].iter().take_while(|byte| is_of_word(byte)).count();
        at = text.len().min(start + length.max(1));
        (start < at).then_some(start..at)
    })
}

/// Whether a token is an identifier.
pub fn is_identifier(token: &[u8]) -> bool {
    let first = token.first();
    first.is_some_and(|&byte| byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_old_lines() {
        let map = LineMap::new(b"a1\nb1\nc1", b"a1\nc1\nd1\n", &RenamedWords::new());
        let places = [0, 1, 2, 3, 9].map(|line| {
            let key = map.of_old(line);
            (key.new, key.removed, map.in_old(key))
        });
        // The last line of one text has no newline: another one.
        let [a, b, c] = [(1, 0, Some(1)), (1, 2, Some(2)), (1, 3, Some(3))];
        assert_eq!(places, [(0, 0, None), a, b, c, (9, 0, Some(9))]);
        assert_eq!(map.change(2), LineChange::Added);
        assert_eq!(map.change(9), LineChange::Same);
        // A line past the end of one text only is another than that of the other text.
        let map = LineMap::new(b"a1\n", b"a1\nb1\n", &RenamedWords::new());
        let key = map.of_old(2);
        assert_eq!((key.new, key.removed, map.in_old(key)), (3, 2, Some(2)));
        assert_eq!(map.in_old(LineKey::new_line(2)), None);
    }

    #[test]
    fn removed_lines_follow_lines_that_were_not_moved() {
        // Between a2, which was moved to the end, and what follows it: behind a1.
        let map = LineMap::new(b"a1\na2\nx3\na4\na5\n", b"a1\na4\na5\na2\n", &RenamedWords::new());
        let keys = [1, 2, 3, 4].map(|line| {
            let key = map.of_old(line);
            (key.new, key.removed)
        });
        assert_eq!(keys, [(1, 0), (4, 0), (1, 3), (2, 0)]);
        assert_eq!(map.change(4), LineChange::Moved);
    }

    #[test]
    fn runs_of_removed_and_added_lines() {
        /// The numbers of removed lines, and of added ones.
        type Run<'n> = (&'n [u32], &'n [u32]);
        let changes = |old: &str, new: &str| {
            let map = LineMap::new(old.as_bytes(), new.as_bytes(), &RenamedWords::new());
            let numbers = |change: Change| (change.removed, change.added);
            map.changes().into_iter().map(numbers).collect::<Vec<_>>()
        };
        let table: [(&str, &str, &[Run]); 6] = [
            ("aa\nbb\n", "aa\nbb\n", &[]),
            ("aa\nbb\ncc\n", "aa\nxx\ncc\n", &[(&[2], &[2])]),
            ("aa\nbb\ncc\n", "aa\ncc\n", &[(&[2], &[])]),
            ("aa\ncc\n", "xx\naa\ncc\nyy\n", &[(&[], &[1]), (&[], &[4])]),
            ("aa\nbb\ncc\ndd\n", "xx\nbb\ncc\nyy\nzz\n", &[(&[1], &[1]), (&[4], &[4, 5])]),
            // Lines that were moved did not change.
            ("aa\nbb\n", "bb\naa\n", &[]),
        ];
        for (old, new, expected) in table {
            let changes = changes(old, new);
            let runs: Vec<Run> =
                changes.iter().map(|(removed, added)| (&removed[..], &added[..])).collect();
            assert_eq!(runs, expected, "{old:?} {new:?}");
        }
    }

    #[test]
    fn versions_have_code_in_common() {
        let licence = "/* A licence\n * of two lines. */\n#include <a.h>\n";
        let [of_a, of_b] = ["a1\n}\n\n", "b1\n}\n\n"].map(|code| licence.to_owned() + code);
        let table = [
            ("a1\nb1\nc1\nd1\n", "a1\nb1\nc1\nx1\n", 0.75),
            ("a1\nb1\nc1\nd1\n", "a1\nb1\nx1\ny1\n", 0.5),
            ("a1\nb1\n", "a1\nb1\nc1\nd1\ne1\n", 0.4),
            ("", "", 1.0),
            (&of_a[..], &of_b[..], 0.0),
            (&of_a[..], &of_a[..], 1.0),
            ("*out++ = a1;\nb1\n", "*out++ = a1;\nc1\n", 0.5),
            ("-- A licence\n-- of Lua\na1\n", "-- A licence\n-- of Lua\nb1\n", 0.0),
            ("a1\nreturn 0;\nc1\nreturn 0;\n", "b1\nreturn 0;\nd1\nreturn 0;\n", 0.0),
        ];
        for (old, new, expected) in table {
            let likeness = LineMap::likeness(old.as_bytes(), new.as_bytes());
            assert_eq!(likeness, expected, "{new:?}");
        }
    }

    #[test]
    fn blanks_are_no_change() {
        let table = [
            ("  f( x );\n", "f( x );\n", true),
            ("\tf(x);\r\n", "f(x);\n", true),
            ("int  x;\n", "int x;  \n", true),
            ("int x;\n", "intx;\n", false),
        ];
        for (old, new, expected) in table {
            let map = LineMap::new(old.as_bytes(), new.as_bytes(), &RenamedWords::new());
            assert_eq!(map.change(1) == LineChange::Same, expected, "{old:?} {new:?}");
        }
    }

    #[test]
    fn lines_in_which_only_renamed_words_differ() {
        let renamed = RenamedWords::from([(b"old".to_vec(), b"brand_new".to_vec())]);
        let map = LineMap::new(
            b"int old(int a) {\n  old(old_x, old);\n  old(1);\n",
            b"int brand_new(int a) {\n  brand_new(old_x, brand_new);\n  brand_new(2);\n",
            &renamed,
        );
        assert_eq!([1, 2, 3].map(|line| map.change(line) == LineChange::Same), [true, true, false]);
        assert_eq!(map.removed_text(3), Some(&b"  old(1);\n"[..]));
    }
}
