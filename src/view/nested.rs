//! What the self cost of rows is made of: below a function the files and lines that its cost is in, below a group its
//! functions. The self costs of what is nested in a row add up to that of the row.

mod shown;

use super::annotate::{Placing, on_sides};
use super::figure::costs_of_place;
use crate::graph::Groups;
use crate::profile::{FileId, Presence, Profile};
use crate::source::LineKey;
use crate::view::figure::{Cost, Figure, Mark};
use crate::view::file_sides::Alignments;
use crate::view::row_by::RowBy;
use crate::view::rows::{RowId, Rows};
use crate::view::selection::Selection;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// A place with what it is nested in, and the sides of a difference that are shown there.
type Found = ((PartOf, LineKey), usize, Presence);

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
        let places = self.places.get(row.index()).iter();
        let mut found: Vec<Found> = places
            .flat_map(|&number| self.find(number as usize))
            .collect();
        found.sort_by_key(|&(key, ..)| key);
        let parts = found.chunk_by(|a, b| a.0.0 == b.0.0);
        let mut parts: Vec<NestedPart> = parts.map(|found| self.part(found)).collect();
        parts.sort_by(|a, b| {
            let by_cost = self.selection.falling(&a.cost.value, &b.cost.value);
            by_cost.then_with(|| self.cmp_names(a.of, b.of))
        });
        parts
    }

    /// What a place is nested in.
    fn find(&self, number: usize) -> impl Iterator<Item = Found> + use<'a> {
        let place = self.profile.places()[number];
        let on = self.profile.presence_of_place(number);
        let (of, line, map) = match self.functions {
            Some(functions) => (PartOf::Function(functions.of_place(place)), 0, None),
            None => {
                let file = self.profile.fragment(place.fragment).file;
                let file = self.rows.paired_file(file);
                let line = self.profile.line(place.position);
                (PartOf::File(file), line, self.alignments.of(Some(file)))
            }
        };
        let placed = Placing::new(self.profile, map).of(line, on);
        placed.map(move |(key, on)| ((of, key), number, on))
    }

    /// The sum of what is nested in one part of a row.
    fn part(&self, found: &[Found]) -> NestedPart {
        let of = found[0].0.0;
        let map = match of {
            PartOf::File(file) => self.alignments.of(Some(file)),
            PartOf::Function(_) => None,
        };
        let placing = Placing::new(self.profile, map);
        let lines = found.chunk_by(|a, b| a.0 == b.0).map(|found| {
            let (cost, presence) = self.sum(found);
            let key = found[0].0.1;
            NestedLine {
                key,
                base_line: placing.in_base(key, presence),
                cost,
            }
        });
        let mut lines: Vec<NestedLine> = match of {
            PartOf::File(_) => lines.collect(),
            PartOf::Function(_) => Vec::new(),
        };
        lines.sort_by(|a, b| {
            let by_cost = self.selection.falling(&a.cost.value, &b.cost.value);
            by_cost.then(a.key.cmp(&b.key))
        });
        let cost = self.sum(found).0;
        NestedPart { of, cost, lines }
    }

    fn sum(&self, found: &[Found]) -> (Figure<Cost>, Presence) {
        let events = self.profile.events();
        let mut cost = Figure::undefined(events.len(), self.profile.is_difference());
        let mut presence = Presence::default();
        for &(_, number, on) in found {
            cost.add_sides(on_sides(costs_of_place(self.profile, number), on, &[]));
            presence = presence.or(on);
        }
        cost.derive(events);
        (cost.marked(Mark::of(presence)), presence)
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
