//! What the self cost of rows is made of: below a function the files and lines that its cost is in, below a group its
//! functions. The self costs of what is nested in a row add up to that of the row.

mod shown;

use crate::graph::Groups;
use crate::profile::{FileId, Place, Profile};
use crate::source::LineKey;
use crate::view::figure::{Cost, Figure};
use crate::view::row_by::RowBy;
use crate::view::rows::{RowId, Rows};
use crate::view::selection::Selection;
use crate::view::sums::{Alignments, Placing, SumsBuilder};

pub use shown::{NestedList, NestedOf, NestedOptions, NestedRow, ShownLine};

/// Looks up what is nested in rows.
pub struct Nesting<'a, 'p> {
    profile: &'p Profile,
    rows: &'a Rows<'p>,
    /// The functions that are nested in groups; none where rows are functions.
    functions: Option<&'a Rows<'p>>,
    selection: &'a Selection,
    alignments: &'a Alignments,
    /// The places of the profile by row.
    places: Groups,
}

/// What is nested in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartOf {
    /// The code of a function in one file.
    File(FileId),
    /// A function of a group, by its number among the functions.
    Function(RowId),
}

/// One of these with its self cost.
pub struct NestedPart {
    /// What it is.
    pub of: PartOf,
    /// What it spent.
    pub cost: Figure<Cost>,
    /// The lines of a file.
    pub lines: Vec<NestedLine>,
}

/// A line of a file.
pub struct NestedLine {
    /// Its number, 0 if it is not known, and its place among the lines of both sides.
    pub key: LineKey,
    /// Its number in BASE, if it has one there.
    pub base_line: Option<u32>,
    /// What it spent.
    pub cost: Figure<Cost>,
}

impl<'a, 'p> Nesting<'a, 'p> {
    /// What the rows in `functions` have to be to be nested in these rows; none if files and lines are nested in them.
    pub fn functions_by(row_by: RowBy) -> Option<RowBy> {
        match row_by {
            RowBy::File => Some(RowBy::FileFunction),
            row_by => row_by.is_group().then_some(RowBy::Function),
        }
    }

    /// Prepares the look-up of rows.
    pub fn new(
        profile: &'p Profile,
        rows: &'a Rows<'p>,
        functions: Option<&'a Rows<'p>>,
        selection: &'a Selection,
        alignments: &'a Alignments,
    ) -> Nesting<'a, 'p> {
        let places = profile.places().iter();
        let places = places.map(|&place| Some(rows.of_place(place).index()));
        Nesting {
            profile,
            rows,
            functions,
            selection,
            alignments,
            places: Groups::new(rows.len(), places),
        }
    }

    /// The functions that are nested in groups.
    pub fn functions(&self) -> Option<&'a Rows<'p>> {
        self.functions
    }

    /// What is nested in a row, in the order of rows; lines too.
    pub fn of(&self, row: RowId) -> Vec<NestedPart> {
        let profile = self.profile;
        let (mut parts, mut lines) = (SumsBuilder::new(profile), SumsBuilder::new(profile));
        for &number in self.places.get(row.index()) {
            let number = number as usize;
            let (of, line) = self.part_of(profile.places()[number]);
            let on = profile.presence_of_place(number);
            let part = parts.add_place(of, number, on);
            if let PartOf::File(_) = of {
                for (key, on) in self.placing(of).of(line, on) {
                    lines.add_place((part, key), number, on);
                }
            }
        }
        let (parts, lines) = (parts.finish(), lines.finish());
        let part = |at: usize| NestedPart {
            of: parts.keys()[at],
            cost: parts.cost(at).to_owned(),
            lines: Vec::new(),
        };
        let mut nested: Vec<NestedPart> = (0..parts.keys().len()).map(part).collect();
        for (at, &(part, key)) in lines.keys().iter().enumerate() {
            let part = &mut nested[part];
            part.lines.push(NestedLine {
                key,
                base_line: self.placing(part.of).in_base(key, lines.on(at)),
                cost: lines.cost(at).to_owned(),
            });
        }
        for part in &mut nested {
            part.lines.sort_by(|a, b| {
                let by_cost = self.selection.falling(&a.cost.value, &b.cost.value);
                by_cost.then(a.key.cmp(&b.key))
            });
        }
        nested.sort_by(|a, b| {
            let by_cost = self.selection.falling(&a.cost.value, &b.cost.value);
            by_cost.then_with(|| self.cmp_names(a.of, b.of))
        });
        nested
    }

    /// What a place is nested in, and its line there.
    fn part_of(&self, place: Place) -> (PartOf, u32) {
        match self.functions {
            Some(functions) => (PartOf::Function(functions.of_place(place)), 0),
            None => {
                let file = self.profile.fragment(place.fragment).file;
                (PartOf::File(file), self.profile.line(place.position))
            }
        }
    }

    /// The places of the lines of a part.
    fn placing(&self, of: PartOf) -> Placing<'a> {
        let map = match of {
            PartOf::File(file) => self.alignments.of(Some(file)),
            PartOf::Function(_) => None,
        };
        Placing::new(self.profile, map)
    }

    fn cmp_names(&self, a: PartOf, b: PartOf) -> std::cmp::Ordering {
        match (a, b, self.functions) {
            (PartOf::Function(a), PartOf::Function(b), Some(functions)) => {
                functions.cmp_names(a, b).then(a.cmp(&b))
            }
            (PartOf::File(a), PartOf::File(b), _) => self.profile.file(a).cmp(self.profile.file(b)),
            _ => a.cmp(&b),
        }
    }
}
