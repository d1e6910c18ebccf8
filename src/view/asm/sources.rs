//! The source lines that instructions come from: only those that are shown, file by file.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::profile::{FileId, Profile};
use crate::source::Finder;

/// Source lines by file and number, without their newlines.
#[derive(Default)]
pub struct SourceTexts {
    lines: HashMap<(FileId, u32), Vec<u8>>,
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
        let mut texts = SourceTexts::default();
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
}
