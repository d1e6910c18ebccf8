//! The details of each row: its costs, its lines, and its calls line by line.

use std::borrow::Cow;

use super::asm::LineFlow;
use crate::graph::Groups;
use crate::profile::{Call, FunctionId, Place, Sides};
use crate::view::figure::CostFigure;
use crate::view::label::RowId;
use crate::view::line_sums::{CallSites, LineCosts};
use crate::view::row_by::RowBy;
use crate::view::row_costs::Inclusive;
use crate::view::rows::Rows;
use crate::view::selection::Selection;
use crate::view::sums::{Alignments, LineKeys};
use crate::view::threads::beside;

/// The lines and calls of rows, for JSON.
pub struct Details<'a, 'p> {
    rows: &'a Rows<'p>,
    selection: &'a Selection,
    /// The displayed name of each row's function.
    names: Vec<Cow<'p, [u8]>>,
    inclusive: &'a Inclusive<'a>,
    alignments: &'a Alignments,
    /// The jumps of lines by row, if shown: lines with jumps are included whatever they cost.
    flow: Option<&'a LineFlow>,
    /// By side and row which of its functions are inlined copies, if the profile has any.
    inlined: Option<Sides<Vec<Option<InlinedPart>>>>,
    /// The numbers of the places and calls of each row.
    places: Groups,
    calls: Groups,
}

/// Which of the functions of a row are inlined copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InlinedPart {
    None,
    Some,
    All,
}

/// The lines and calls of several rows; in a difference only those that changed.
pub struct RowDetails {
    /// The lines by number; none for a group.
    pub lines: LineCosts,
    /// The calls by line and callee; for a group, the calls into other groups by callee.
    pub calls: CallSites,
}

impl<'a, 'p> Details<'a, 'p> {
    pub fn new(
        rows: &'a Rows<'p>,
        inclusive: &'a Inclusive<'a>,
        selection: &'a Selection,
        alignments: &'a Alignments,
        flow: Option<&'a LineFlow>,
    ) -> Details<'a, 'p> {
        let profile = rows.profile;
        let row_of = |place| Some(rows.of_place(place).index());
        let (names, (places, calls)) = beside(
            rows.len(),
            || rows.all().map(|row| rows.display_name(row)).collect(),
            || Groups::of_places(profile, rows.len(), row_of),
        );
        Details {
            rows,
            selection,
            names,
            inclusive,
            alignments,
            flow,
            inlined: profile.has_inlined().then(|| inlined_parts(rows)),
            places,
            calls,
        }
    }

    /// Which of the functions of a row are inlined copies, on each side that has it; none if the
    /// profile has no copies.
    pub fn inlined(&self, row: RowId) -> Option<Sides<Option<InlinedPart>>> {
        let parts = self.inlined.as_ref()?.as_ref();
        Some(parts.map(|parts| parts[row.index()]))
    }

    pub fn file(&self, row: RowId) -> Option<&'p [u8]> {
        self.rows.file_name(row)
    }

    pub fn name(&self, row: RowId) -> &[u8] {
        &self.names[row.index()]
    }

    /// The cycles in order of number: their inclusive costs and their members' rows. Groups have no
    /// cycles.
    pub fn cycles(&self) -> impl Iterator<Item = (CostFigure<'a>, Vec<RowId>)> {
        let cycles = self.inclusive.with_cycles().into_iter();
        let members = cycles.flat_map(|graphs| graphs.cycles.members());
        (1..).zip(members).map(|(number, members)| {
            let members = members.iter();
            let mut rows: Vec<_> = members.map(|&member| self.rows.of_function(member)).collect();
            rows.sort_unstable();
            rows.dedup();
            (self.inclusive.graphs.cycles.cost(number), rows)
        })
    }

    pub fn of(&self, of_rows: &[RowId]) -> RowDetails {
        let (rows, selection) = (self.rows, self.selection);
        // Line numbers of several files would be misleading.
        let has_lines = rows.row_by == RowBy::FileFunction;
        let with_keys = |&row: &RowId| {
            let (at, line_keys) = (row.index(), LineKeys::new(self.alignments, rows.file(row)));
            let places = if has_lines { self.places.get(at) } else { &[] };
            ((places, line_keys), (self.calls.get(at), line_keys))
        };
        let (places, calls): (Vec<_>, Vec<_>) = of_rows.iter().map(with_keys).unzip();
        let jumps = |at: usize| {
            let flow = self.flow.filter(|_| has_lines).into_iter();
            flow.flat_map(move |flow| flow.lines_with_jumps(of_rows[at].index()))
        };
        let mut lines = LineCosts::new(rows.profile, &places, jumps);
        let mut calls = CallSites::new(rows, &calls, has_lines, None);
        if selection.compared.is_some() {
            lines.add_calls(&calls);
            lines.retain_shown(selection);
            calls.retain_shown(selection);
        }
        RowDetails { lines, calls }
    }
}

/// By side and row, which of its functions with costs or calls, or that are called, are inlined
/// copies.
fn inlined_parts(rows: &Rows<'_>) -> Sides<Vec<Option<InlinedPart>>> {
    let profile = rows.profile;
    profile.sides().as_ref().map(|side| {
        let mut parts = vec![None; rows.len()];
        let mut add = |row: RowId, function: FunctionId| {
            let part =
                if profile.is_inlined(function) { InlinedPart::All } else { InlinedPart::None };
            let known: &mut Option<InlinedPart> = &mut parts[row.index()];
            *known = Some(match *known {
                Some(known) if known != part => InlinedPart::Some,
                _ => part,
            });
        };
        let function = |place: Place| profile.fragment(place.fragment).function;
        for (place, _) in profile.costs_of(side) {
            add(rows.of_place(place), function(place));
        }
        for (Call { site, callee, .. }, ..) in profile.calls_of(side) {
            add(rows.of_place(site), function(site));
            add(rows.of_function(callee), callee);
        }
        parts
    })
}
