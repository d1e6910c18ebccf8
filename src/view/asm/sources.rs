//! The source lines that instructions come from: only those that are shown, file by file.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::profile::{FileId, Profile};
use crate::source::Finder;

/// Source lines by file and number, without their newlines.
pub struct SourceTexts {
    lines: HashMap<(FileId, u32), Vec<u8>>,
    /// The files whose last component another file has too.
    ambiguous: HashSet<FileId>,
}

impl SourceTexts {
    /// Reads these lines of the files that are found.
    pub fn read(
        profile: &Profile,
        finder: &Finder,
        lines: impl Iterator<Item = (FileId, u32)>,
    ) -> SourceTexts {
        let mut by_file: BTreeMap<FileId, BTreeSet<u32>> = BTreeMap::new();
        for (file, line) in lines.filter(|&(_, line)| line != 0) {
            by_file.entry(file).or_default().insert(line);
        }
        let mut texts = SourceTexts {
            lines: HashMap::new(),
            ambiguous: ambiguous(profile, by_file.keys().copied()),
        };
        let mut buffer = Vec::new();
        for (file, lines) in by_file {
            let Some(found) = finder.find(profile.file(file)).found else {
                continue;
            };
            // A source that cannot be read has no text, as one that is not found.
            let Ok(mut text) = found.open(&mut buffer) else {
                continue;
            };
            let mut next = 1;
            for line in lines {
                text.skip(line - next);
                let Some(source) = text.next_line() else {
                    break;
                };
                texts
                    .lines
                    .insert((file, line), source.trim_ascii_end().to_vec());
                next = line + 1;
            }
        }
        texts
    }

    /// The text of a line, if it is known.
    pub fn get(&self, file: FileId, line: u32) -> Option<&[u8]> {
        self.lines.get(&(file, line)).map(Vec::as_slice)
    }

    /// The last component of a file's path, with the folder if another file has the same one, as `mod.rs` of Rust.
    pub fn name<'p>(&self, profile: &'p Profile, file: FileId) -> &'p [u8] {
        let path = profile.file(file);
        let components = if self.ambiguous.contains(&file) { 2 } else { 1 };
        let last = path.rsplit(|&byte| byte == b'/').take(components);
        let length: usize = last.map(|component| component.len() + 1).sum();
        &path[(path.len() + 1).saturating_sub(length)..]
    }
}

/// The files whose last component another one has too.
fn ambiguous(profile: &Profile, files: impl Iterator<Item = FileId> + Clone) -> HashSet<FileId> {
    let base = |file: FileId| profile.file(file).rsplit(|&byte| byte == b'/').next();
    let mut counts: HashMap<Option<&[u8]>, u32> = HashMap::new();
    for file in files.clone() {
        *counts.entry(base(file)).or_default() += 1;
    }
    files.filter(|&file| counts[&base(file)] > 1).collect()
}
