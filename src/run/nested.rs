//! What is nested in the rows of a list.

use std::collections::BTreeMap;

use crate::profile::FileId;
use crate::run::Context;
use crate::view::{
    Alignments, Filter, Item, List, NestedList, NestedOptions, Nesting, RowBy, RowNames,
    RowOptions, Rows,
};

/// The least line below a row, in percent.
const LEAST_LINE: f64 = 1.0;

/// What nested costs are looked up with: the functions of groups, or the alignments of sources.
pub(super) struct NestedIn<'r> {
    functions: Option<Rows<'r>>,
    alignments: Alignments,
}

impl<'r> Context<'r> {
    /// What is needed to look up what is nested in rows.
    pub(super) fn nested_in(&self) -> NestedIn<'r> {
        let options = &self.options.rows;
        let functions = Nesting::functions_by(options.row_by).map(|row_by| {
            let options = RowOptions {
                row_by,
                filter: Filter::default(),
                ..options.clone()
            };
            Rows::new(&self.input.profile, &options)
        });
        let functions = functions.map(|functions| match options.short_names {
            true => {
                let names = RowNames::short([], &functions, true);
                functions.with_names(names)
            }
            false => functions,
        });
        NestedIn {
            alignments: match functions {
                Some(_) => Alignments::default(),
                None => self.alignments(),
            },
            functions,
        }
    }

    /// Looks up what is nested in these rows.
    pub(super) fn nesting<'a>(
        &'a self,
        rows: &'a Rows<'r>,
        of: &'a NestedIn<'r>,
    ) -> Nesting<'a, 'r> {
        let (functions, alignments) = (of.functions.as_ref(), &of.alignments);
        Nesting::new(
            &self.input.profile,
            rows,
            functions,
            &self.selection,
            alignments,
        )
    }

    /// What is shown below the rows of a list, with the text of lines as far as their sources are found.
    pub(super) fn nested_list(&self, rows: &Rows<'r>, list: &List) -> NestedList<'r> {
        let of = self.nested_in();
        let nested = self.shown_nested(&self.nesting(rows, &of), list);
        let mut nested = nested;
        let mut lines: Vec<_> = nested.lines_mut().collect();
        let wanted = lines.iter().zip(0..);
        let wanted = wanted.filter_map(|(line, at)| Some((line.file, line.key.in_new()?, at)));
        for (at, text) in self.line_texts(wanted) {
            lines[at as usize].source = Some(text);
        }
        nested
    }

    fn shown_nested(&self, nesting: &Nesting<'_, 'r>, list: &List) -> NestedList<'r> {
        let (min, event) = (self.options.selection.min.as_ref(), self.event());
        let of_total = min.is_some() || !self.input.profile.is_difference();
        let options = NestedOptions {
            event,
            min_percent: min.map_or(LEAST_LINE, |min| min.percent),
            whole: of_total.then(|| self.total.reference()[event]),
        };
        NestedList::new(nesting, list, options)
    }
}

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
