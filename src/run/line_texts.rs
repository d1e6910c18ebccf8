//! The text of source lines that are rows: each source is read once, from its first line to the last one needed.

use std::collections::BTreeMap;

use super::Context;
use crate::profile::FileId;
use crate::view::{FunctionList, Item, RowBy, Rows};

impl<'r> Context<'r> {
    /// The rows, with the text of those that are listed lines, as far as their sources are found.
    pub(super) fn with_sources(&self, rows: Rows<'r>, list: &FunctionList) -> Rows<'r> {
        if rows.row_by() != RowBy::Line {
            return rows;
        }
        let mut wanted: BTreeMap<FileId, Vec<(u32, u32)>> = BTreeMap::new();
        for &item in &list.items {
            if let Item::Row(row) = item
                && let (Some(file), line @ 1..) = (rows.file(row), rows.line(row))
            {
                let row = row.index() as u32;
                wanted.entry(file).or_default().push((line, row));
            }
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
            for (line, row) in lines {
                if line > number + 1 {
                    text.skip(line - number - 1);
                }
                // Several rows of a line are next to each other only with a filter, of which one is not listed.
                let Some(line_text) = text.next_line().filter(|_| line > number) else {
                    break;
                };
                number = line;
                texts.insert(row, line_text.trim_ascii().to_vec());
            }
        }
        rows.with_sources(texts)
    }
}
