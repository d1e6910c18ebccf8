//! The text of source lines that are rows: each source is read once, from its first line to the last one needed.

use std::collections::BTreeMap;

use super::Context;
use crate::profile::FileId;
use crate::view::{Item, List, RowBy, Rows};

impl<'r> Context<'r> {
    /// The rows, with the text of those that are listed lines, as far as their sources are found.
    pub(super) fn with_sources(&self, rows: Rows<'r>, list: &List) -> Rows<'r> {
        if rows.row_by() != RowBy::Line {
            return rows;
        }
        let items = list.items.iter();
        let lines = items.filter_map(|&item| match item {
            Item::Row(row) if rows.is_removed_line(row) => None,
            Item::Row(row) => Some((rows.file(row)?, rows.line(row), row.index() as u32)),
            Item::Cycle(_) => None,
        });
        let texts = self.line_texts(lines);
        rows.with_sources(texts)
    }

    /// The texts of lines of files, each with a number of its own, by that number. Line 0 has none.
    pub(super) fn line_texts(
        &self,
        lines: impl Iterator<Item = (FileId, u32, u32)>,
    ) -> BTreeMap<u32, Vec<u8>> {
        let mut wanted: BTreeMap<FileId, Vec<(u32, u32)>> = BTreeMap::new();
        for (file, line, id) in lines.filter(|(_, line, _)| *line > 0) {
            wanted.entry(file).or_default().push((line, id));
        }
        let mut texts = BTreeMap::new();
        let mut buffer = Vec::new();
        for (file, mut lines) in wanted {
            lines.sort_unstable();
            let found = self.input.finder.find(self.input.profile.file(file)).found;
            let Some(mut text) = found.and_then(|found| found.open(&mut buffer).ok()) else {
                continue;
            };
            let mut number = 0;
            for lines in lines.chunk_by(|a, b| a.0 == b.0) {
                let line = lines[0].0;
                if line > number + 1 {
                    text.skip(line - number - 1);
                }
                let Some(line_text) = text.next_line() else {
                    break;
                };
                number = line;
                let ids = lines.iter().map(|&(_, id)| id);
                texts.extend(ids.map(|id| (id, line_text.trim_ascii().to_vec())));
            }
        }
        texts
    }
}
