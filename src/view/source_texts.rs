//! The texts of source lines.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::profile::{FileId, Profile};
use crate::source::{Finder, basename};

/// Source lines by file and number, without their newlines.
#[derive(Default)]
pub struct SourceTexts {
    lines: HashMap<(FileId, u32), Vec<u8>>,
    /// Those that only BASE's text has, by their numbers in it.
    removed: HashMap<(FileId, u32), Vec<u8>>,
    /// The files that share their base name with another file.
    ambiguous: HashSet<FileId>,
}

impl SourceTexts {
    pub fn read(
        profile: &Profile,
        finder: &Finder,
        lines: impl Iterator<Item = (FileId, u32)>,
    ) -> SourceTexts {
        let lines: BTreeSet<_> = lines.filter(|&(_, line)| line != 0).collect();
        let lines: Vec<(FileId, u32)> = lines.into_iter().collect();
        let by_file = || lines.chunk_by(|a, b| a.0 == b.0);
        let mut texts = SourceTexts {
            lines: HashMap::new(),
            removed: HashMap::new(),
            ambiguous: ambiguous(profile, by_file().map(|lines| lines[0].0)),
        };
        for lines in by_file() {
            let file = lines[0].0;
            let Some(found) = finder.find(profile.file(file)).found else {
                continue;
            };
            // An unreadable source has no text, like one that is not found.
            let Ok(mut text) = found.text() else {
                continue;
            };
            for &(_, line) in lines {
                let Some(source) = text.line(line) else {
                    break;
                };
                let source = source.trim_ascii_end().to_vec();
                texts.lines.insert((file, line), source);
            }
        }
        texts
    }

    pub fn get(&self, file: FileId, line: u32) -> Option<&[u8]> {
        self.lines.get(&(file, line)).map(Vec::as_slice)
    }

    pub fn add_removed(&mut self, file: FileId, line: u32, text: &[u8]) {
        self.removed.insert((file, line), text.trim_ascii_end().to_vec());
    }

    pub fn removed(&self, file: FileId, line: u32) -> Option<&[u8]> {
        self.removed.get(&(file, line)).map(Vec::as_slice)
    }

    /// The base name of a file, with its folder if another file has the same base name, as `mod.rs`
    /// in Rust.
    pub fn name<'p>(&self, profile: &'p Profile, file: FileId) -> &'p [u8] {
        let path = profile.file(file);
        let components = if self.ambiguous.contains(&file) { 2 } else { 1 };
        let last = path.rsplit(|&byte| byte == b'/').take(components);
        let length: usize = last.map(|component| component.len() + 1).sum();
        &path[(path.len() + 1).saturating_sub(length)..]
    }
}

fn ambiguous(profile: &Profile, files: impl Iterator<Item = FileId> + Clone) -> HashSet<FileId> {
    let base = |file: FileId| basename(profile.file(file));
    let mut counts: HashMap<&[u8], u32> = HashMap::new();
    for file in files.clone() {
        *counts.entry(base(file)).or_default() += 1;
    }
    files.filter(|&file| counts[&base(file)] > 1).collect()
}
