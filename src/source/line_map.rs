//! Aligns the lines of two versions of a source.

mod pairs;

use self::pairs::Pairs;
use super::{Found, Unreadable};

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

pub struct LineMap {
    /// The key of each line of the old text, from line 1.
    keys: Vec<LineKey>,
    /// By line of the new text, its number in the old text, both from 0, and whether it was moved.
    of_new: Vec<Option<(usize, bool)>>,
    /// The removed lines of the old text with their texts, sorted.
    removed: Vec<(LineKey, Vec<u8>)>,
}

impl LineMap {
    pub fn of_files(old: &Found, new: &Found) -> Result<LineMap, Unreadable> {
        // Both texts have a final newline, so that adding one does not count as a change.
        Ok(LineMap::new(&old.text()?.bytes, &new.text()?.bytes))
    }

    fn new(old: &[u8], new: &[u8]) -> LineMap {
        let (old_lines, new_lines) = (lines(old), lines(new));
        let mut pairs = Pairs::in_order(&old_lines, &new_lines);
        pairs.add_moved();
        pairs.extend();
        let keys = keys(&pairs.of_old);
        let texts = old_lines.iter().map(|line| line.to_vec());
        let removed = keys.iter().copied().zip(texts);
        let mut removed: Vec<_> = removed.filter(|(key, _)| key.removed > 0).collect();
        removed.sort_unstable();
        LineMap { removed, of_new: pairs.of_new, keys }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_old_lines() {
        let map = LineMap::new(b"a1\nb1\nc1", b"a1\nc1\nd1\n");
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
        let map = LineMap::new(b"a1\n", b"a1\nb1\n");
        let key = map.of_old(2);
        assert_eq!((key.new, key.removed, map.in_old(key)), (3, 2, Some(2)));
        assert_eq!(map.in_old(LineKey::new_line(2)), None);
    }
}
