//! All that is known of each row: its costs, its lines, and its calls line by line.

use std::borrow::Cow;

use super::asm::LineFlow;
use crate::graph::Groups;
use crate::profile::{Call, FunctionId, Place, Sides};
use crate::source::LineKey;
use crate::view::figure::{CallFigure, Cost, CostFigure, Figure};
use crate::view::inclusive::Inclusive;
use crate::view::label::RowId;
use crate::view::row_by::RowBy;
use crate::view::rows::Rows;
use crate::view::selection::Selection;
use crate::view::sums::{Alignments, Sums, SumsBuilder};

pub struct Details<'a, 'p> {
    rows: &'a Rows<'p>,
    selection: &'a Selection,
    /// The name of each row's function as it is shown.
    names: Vec<Cow<'p, [u8]>>,
    inclusive: &'a Inclusive<'a>,
    /// Of a difference: how lines are aligned.
    alignments: &'a Alignments,
    /// Jumps of lines by row, if they are shown.
    flow: Option<&'a LineFlow>,
    /// Of a profile with inlined copies: by row of each side which of its functions are copies.
    inlined: Option<Sides<Vec<Option<InlinedPart>>>>,
    /// The places and the calls of the profile by row.
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

/// All that is known of a row.
pub struct RowDetails<'a> {
    /// The sum of its lines.
    pub self_cost: Figure<Cost>,
    /// With what it called; none if the row only has calls into it.
    pub inclusive: Option<CostFigure<'a>>,
    /// Its lines by number; none of a group.
    pub lines: Vec<LineCost>,
    /// Its calls by line and callee; of a group those into other groups, by callee.
    pub calls: Vec<CallsFromLine>,
    line_sums: Sums<LineKey>,
    call_sums: Sums<(LineKey, RowId)>,
}

impl RowDetails<'_> {
    pub fn cost_of_line(&self, line: &LineCost) -> CostFigure<'_> {
        self.line_sums.cost(line.at)
    }

    /// What calls cost, each as it was recorded.
    pub fn cost_of_calls(&self, calls: &CallsFromLine) -> CostFigure<'_> {
        self.call_sums.cost(calls.at)
    }
}

pub struct LineCost {
    /// Its number, 0 if it is not known, and its place among the lines of both sides.
    pub key: LineKey,
    /// Its number in BASE, if it has one there.
    pub base_line: Option<u32>,
    /// How many calls were made there.
    pub calls: Figure<i64>,
    at: usize,
}

/// The calls from one line to one row.
pub struct CallsFromLine {
    /// The number of the line, 0 if it is not known, and its place among the lines of both sides.
    pub key: LineKey,
    /// Its number in BASE, if it has one there.
    pub base_line: Option<u32>,
    pub callee: RowId,
    /// The line at which that begins, 0 if it is not known or a group.
    pub target: u32,
    pub count: CallFigure,
    at: usize,
}

impl<'a, 'p> Details<'a, 'p> {
    pub fn new(
        rows: &'a Rows<'p>,
        inclusive: &'a Inclusive<'a>,
        selection: &'a Selection,
        alignments: &'a Alignments,
    ) -> Details<'a, 'p> {
        let profile = rows.profile();
        let (places, calls) = Groups::of_places(profile, rows.len(), |place| {
            Some(rows.of_place(place).index())
        });
        Details {
            rows,
            selection,
            names: rows.all().map(|row| rows.display_name(row)).collect(),
            inclusive,
            alignments,
            flow: None,
            inlined: profile.has_inlined().then(|| inlined_parts(rows)),
            places,
            calls,
        }
    }

    /// The same with the lines that jumps are from, whatever they cost.
    pub fn with_jumps(mut self, flow: Option<&'a LineFlow>) -> Details<'a, 'p> {
        self.flow = flow;
        self
    }

    /// Which of the functions of a row are inlined copies, on each side that has it; none if the profile has no copies.
    pub fn inlined(&self, row: RowId) -> Option<Sides<Option<InlinedPart>>> {
        let parts = self.inlined.as_ref()?.as_ref();
        Some(parts.map(|parts| parts[row.index()]))
    }

    /// The file of a row, unless it is a group.
    pub fn file(&self, row: RowId) -> Option<&'p [u8]> {
        let file = self.rows.file(row)?;
        Some(self.rows.profile().file(file))
    }

    /// The readable name of a row's function.
    pub fn name(&self, row: RowId) -> &[u8] {
        &self.names[row.index()]
    }

    /// The same as in the profile.
    pub fn symbol(&self, row: RowId) -> &[u8] {
        self.rows.symbol(row)
    }

    /// The cycles by number, from 1: their inclusive costs and the rows of their members. Groups are in no cycles.
    pub fn cycles(&self) -> impl Iterator<Item = (CostFigure<'a>, Vec<RowId>)> {
        let cycles = self.inclusive.shown_cycles().into_iter();
        let members = cycles.flat_map(|cycles| cycles.members());
        (1..).zip(members).map(|(number, members)| {
            let members = members.iter();
            let rows = members.map(|&member| self.rows.of_function(member));
            let mut rows: Vec<_> = rows.collect();
            rows.sort_unstable();
            rows.dedup();
            (self.inclusive.cycles.cost(number), rows)
        })
    }

    /// All that is known of a row. Of a difference only what changed.
    pub fn of(&self, row: RowId) -> RowDetails<'a> {
        let (profile, selection) = (self.rows.profile(), self.selection);
        let (line_sums, mut lines) = self.lines(row);
        let mut self_cost = Figure::undefined(profile.events().len(), profile.is_difference());
        let costs = lines.iter().map(|line| line_sums.cost(line.at));
        costs.for_each(|cost| self_cost.add(cost));
        self_cost.derive(profile.events());
        if self.rows.row_by() != RowBy::FileFunction {
            lines.clear();
        }
        let (call_sums, mut calls) = self.sites(row);
        if selection.compared.is_some() {
            for site in &calls {
                if let Ok(at) = lines.binary_search_by_key(&site.key, |line| line.key) {
                    lines[at].calls.add(site.count.counted);
                }
            }
            calls.retain(|site| call_sums.is_shown(site.at, selection));
        }
        lines.retain(|line| selection.shows(line_sums.cost(line.at).value));
        RowDetails {
            self_cost,
            inclusive: self.inclusive.of_row(row),
            lines,
            calls,
            line_sums,
            call_sums,
        }
    }

    /// The lines with costs or jumps.
    fn lines(&self, row: RowId) -> (Sums<LineKey>, Vec<LineCost>) {
        let profile = self.rows.profile();
        let placing = self.alignments.placing(self.rows.file(row));
        let places = self.places.get(row.index());
        let mut sums = SumsBuilder::with_capacity(profile, places.len());
        for number in places.iter().map(|&number| number as usize) {
            let line = profile.line(profile.places()[number].position);
            for (key, on) in placing.of(line, profile.presence_of_place(number)) {
                sums.add_place(key, number, on);
            }
        }
        let flow = self.flow.iter();
        let jumps = flow.flat_map(|flow| flow.lines_with_jumps(row.index()));
        jumps.for_each(|line| sums.add_key(LineKey::new_line(line)));
        let sums = sums.finish();
        let line = |(at, &key): (usize, &LineKey)| LineCost {
            key,
            base_line: placing.in_base(key, sums.on(at)),
            calls: Figure::no_call(profile.is_difference()),
            at,
        };
        let mut lines: Vec<_> = sums.keys().iter().enumerate().map(line).collect();
        lines.sort_unstable_by_key(|line| line.key);
        (sums, lines)
    }

    fn sites(&self, row: RowId) -> (Sums<(LineKey, RowId)>, Vec<CallsFromLine>) {
        let (profile, rows) = (self.rows.profile(), self.rows);
        let placing = self.alignments.placing(rows.file(row));
        // Lines of several files would only mislead.
        let has_lines = rows.row_by() == RowBy::FileFunction;
        let calls = self.calls.get(row.index());
        let mut sums = SumsBuilder::with_capacity(profile, calls.len());
        // By position of a key.
        let mut targets: Vec<u32> = Vec::with_capacity(calls.len());
        for number in calls.iter().map(|&number| number as usize) {
            let call = profile.calls()[number];
            let callee = rows.of_function(call.callee);
            if rows.row_by().is_group() && callee == row {
                continue;
            }
            let line = profile.line(call.site.position);
            let line = if has_lines { line } else { 0 };
            let target = profile.function(call.callee).line;
            for (key, on) in placing.of(line, profile.presence_of_call(number)) {
                let at = sums.add_call((key, callee), number, on);
                targets.resize(targets.len().max(at + 1), 0);
                if has_lines && target > 0 && (targets[at] == 0 || target < targets[at]) {
                    targets[at] = target;
                }
            }
        }
        let sums = sums.finish();
        let site = |at: usize| {
            let (key, callee) = sums.keys()[at];
            CallsFromLine {
                key,
                base_line: placing.in_base(key, sums.on(at)),
                callee,
                target: targets[at],
                count: sums.calls(at),
                at,
            }
        };
        let mut sites: Vec<_> = (0..sums.keys().len()).map(site).collect();
        sites.sort_by(|a, b| {
            let by_name = || rows.cmp_names(a.callee, b.callee);
            let by_line = a.key.cmp(&b.key).then_with(by_name);
            by_line.then(a.callee.cmp(&b.callee))
        });
        (sums, sites)
    }
}

/// By row of each side which of its functions with costs or calls, or that are called, are inlined copies.
fn inlined_parts(rows: &Rows<'_>) -> Sides<Vec<Option<InlinedPart>>> {
    let profile = rows.profile();
    profile.sides().as_ref().map(|side| {
        let mut parts = vec![None; rows.len()];
        let mut add = |row: RowId, function: FunctionId| {
            let part = match profile.is_inlined(function) {
                true => InlinedPart::All,
                false => InlinedPart::None,
            };
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
        for (Call { site, callee }, ..) in profile.calls_of(side) {
            add(rows.of_place(site), function(site));
            add(rows.of_function(callee), callee);
        }
        parts
    })
}
