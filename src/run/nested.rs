//! What is nested in the rows of a list.

use super::Context;
use crate::view::{
    Alignments, Filter, List, NestedList, NestedOptions, Nesting, RowNames, RowOptions, Rows,
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
    pub(super) fn nested_in(&self, rows: &Rows<'r>) -> NestedIn<'r> {
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
                None => self.alignments(rows),
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
        let of = self.nested_in(rows);
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
