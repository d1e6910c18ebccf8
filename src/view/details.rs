//! All that is known of each row: its costs, its lines, and its calls line by line.

use std::borrow::Cow;

use super::annotate::{Placing, on_sides};
use super::asm::LineFlow;
use super::figure::{costs_of_place, sides_of_call};
use crate::graph::Groups;
use crate::profile::{Presence, Profile};
use crate::source::LineKey;
use crate::view::cycles::Cycles;
use crate::view::figure::{Cost, CostFigure, Figure, Mark};
use crate::view::file_sides::Alignments;
use crate::view::inclusive::Inclusive;
use crate::view::row_by::RowBy;
use crate::view::rows::{RowId, Rows};
use crate::view::selection::Selection;

/// Looks rows up.
pub struct Details<'a, 'p> {
    profile: &'p Profile,
    rows: &'a Rows<'p>,
    selection: &'a Selection,
    /// The name of each row's function as it is shown.
    names: Vec<Cow<'p, [u8]>>,
    inclusive: &'a Inclusive<'a>,
    cycles: &'a Cycles,
    /// Of a difference: how lines are aligned.
    alignments: Option<&'a Alignments>,
    /// Jumps of lines by row, if they are shown.
    flow: Option<&'a LineFlow>,
    /// The places and the calls of the profile by row.
    places: Groups,
    calls: Groups,
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
}

/// The self cost of a line.
pub struct LineCost {
    /// Its number, 0 if it is not known, and its place among the lines of both sides.
    pub key: LineKey,
    /// Its number in BASE, if it has one there.
    pub base_line: Option<u32>,
    /// What it spent.
    pub cost: Figure<Cost>,
    /// How many calls were made there.
    pub calls: Figure<i64>,
}

/// The calls from one line to one row.
pub struct CallsFromLine {
    /// The number of the line, 0 if it is not known, and its place among the lines of both sides.
    pub key: LineKey,
    /// Its number in BASE, if it has one there.
    pub base_line: Option<u32>,
    /// What is called.
    pub callee: RowId,
    /// The line at which that begins, 0 if it is not known or a group.
    pub target: u32,
    /// How often.
    pub count: Figure<i64>,
    /// What the calls cost, each as it was recorded.
    pub cost: Figure<Cost>,
}

impl<'a, 'p> Details<'a, 'p> {
    /// Prepares the look-up of rows.
    pub fn new(
        profile: &'p Profile,
        rows: &'a Rows<'p>,
        inclusive: &'a Inclusive<'a>,
        cycles: &'a Cycles,
        selection: &'a Selection,
    ) -> Details<'a, 'p> {
        let places = profile.places().iter();
        let places = places.map(|&place| Some(rows.of_place(place).index()));
        let calls = profile.calls().iter();
        let calls = calls.map(|&call| Some(rows.of_place(call.site).index()));
        Details {
            profile,
            rows,
            selection,
            names: rows.all().map(|row| rows.display_name(row)).collect(),
            inclusive,
            cycles,
            alignments: None,
            flow: None,
            places: Groups::new(rows.len(), places),
            calls: Groups::new(rows.len(), calls),
        }
    }

    /// The same with the lines of both sides aligned.
    pub fn with_alignments(mut self, alignments: &'a Alignments) -> Details<'a, 'p> {
        self.alignments = Some(alignments);
        self
    }

    /// The same with the lines that jumps are from, whatever they cost.
    pub fn with_jumps(mut self, flow: Option<&'a LineFlow>) -> Details<'a, 'p> {
        self.flow = flow;
        self
    }

    /// The file of a row, unless it is a group.
    pub fn file(&self, row: RowId) -> Option<&'p [u8]> {
        self.rows.file(row).map(|file| self.profile.file(file))
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
        let has_cycles = self.rows.row_by().has_cycles();
        let cycles = if has_cycles { self.cycles.len() } else { 0 };
        let members = (1..=cycles).zip(self.cycles.members());
        members.map(|(number, members)| {
            let members = members.iter();
            let mut rows: Vec<_> = members
                .map(|&member| self.rows.of_function(member))
                .collect();
            rows.sort_unstable();
            rows.dedup();
            (self.cycles.cost(number), rows)
        })
    }

    /// All that is known of a row. Of a difference only what changed.
    pub fn of(&self, row: RowId) -> RowDetails<'a> {
        let mut lines = self.lines(row);
        let events = self.profile.events();
        let mut self_cost = Figure::undefined(events.len(), self.profile.is_difference());
        lines
            .iter()
            .for_each(|line| self_cost.add(line.cost.counts()));
        self_cost.derive(events);
        for line in &mut lines {
            line.cost.derive(events);
        }
        if self.rows.row_by() != RowBy::FileFunction {
            lines.clear();
        } else if let Some(flow) = self.flow {
            self.add_lines(&flow.lines_with_jumps(row.index()), &mut lines);
        }
        let mut calls = self.sites(row);
        if self.selection.compared.is_some() {
            for site in &calls {
                if let Ok(at) = lines.binary_search_by_key(&site.key, |line| line.key) {
                    lines[at].calls.add(site.count);
                }
            }
            calls.retain(|site| site.count.value != 0 || self.selection.shows(&site.cost.value));
        }
        RowDetails {
            self_cost,
            inclusive: self.inclusive.of_row(row),
            lines: lines
                .into_iter()
                .filter(|line| self.selection.shows(&line.cost.value))
                .collect(),
            calls,
        }
    }

    /// The places of the lines of a row.
    fn placing(&self, row: RowId) -> Placing<'a> {
        let file = self.rows.file(row);
        let map = self.alignments.and_then(|alignments| alignments.of(file));
        Placing::new(self.profile, map)
    }

    fn lines(&self, row: RowId) -> Vec<LineCost> {
        let placing = self.placing(row);
        let places = self.places.get(row.index()).iter();
        let places = places.flat_map(|&number| {
            let number = number as usize;
            let place = self.profile.places()[number];
            let on = self.profile.presence_of_place(number);
            let placed = placing.of(self.profile.line(place.position), on);
            placed.map(move |(key, on)| (key, number, on))
        });
        let mut costs: Vec<_> = places.collect();
        costs.sort_by_key(|&(key, ..)| key);
        let line = |costs: &[(LineKey, usize, Presence)]| {
            let width = self.profile.events().len();
            let mut cost = Figure::undefined(width, self.profile.is_difference());
            let mut presence = Presence::default();
            for &(_, number, on) in costs {
                cost.add_sides(on_sides(costs_of_place(self.profile, number), on, &[]));
                presence = presence.or(on);
            }
            let key = costs[0].0;
            LineCost {
                key,
                base_line: placing.in_base(key, presence),
                cost: cost.marked(Mark::of(presence)),
                calls: Figure::no_call(self.profile.is_difference()),
            }
        };
        costs.chunk_by(|a, b| a.0 == b.0).map(line).collect()
    }

    /// Adds those of these lines that are not there, without a cost.
    fn add_lines(&self, numbers: &[u32], lines: &mut Vec<LineCost>) {
        let known = lines.len();
        for &number in numbers {
            let key = LineKey::new_line(number);
            if lines[..known]
                .binary_search_by_key(&key, |line| line.key)
                .is_ok()
            {
                continue;
            }
            lines.push(LineCost {
                key,
                base_line: None,
                cost: Figure::undefined(self.profile.events().len(), false),
                calls: Figure::no_call(false),
            });
        }
        lines.sort_by_key(|line| line.key);
    }

    fn sites(&self, row: RowId) -> Vec<CallsFromLine> {
        let has_lines = self.rows.row_by() == RowBy::FileFunction;
        let placing = self.placing(row);
        let calls = self.calls.get(row.index()).iter();
        let calls = calls.flat_map(|&number| {
            // Lines of several files would only mislead.
            let call = self.profile.calls()[number as usize];
            let line = self.profile.line(call.site.position);
            let line = if has_lines { line } else { 0 };
            let on = self.profile.presence_of_call(number as usize);
            let callee = self.rows.of_function(call.callee);
            let placed = placing.of(line, on);
            placed.map(move |(key, on)| ((key, callee), number as usize, on))
        });
        let mut calls: Vec<_> = calls.collect();
        calls.sort_by(|((key_a, callee_a), ..), ((key_b, callee_b), ..)| {
            let by_name = || self.rows.cmp_names(*callee_a, *callee_b);
            key_a
                .cmp(key_b)
                .then_with(by_name)
                .then(callee_a.cmp(callee_b))
        });
        let mut sites = Vec::new();
        for calls in calls.chunk_by(|a, b| a.0 == b.0) {
            let (key, callee) = calls[0].0;
            if self.rows.row_by().is_group() && callee == row {
                continue;
            }
            let mut site = CallsFromLine {
                key,
                base_line: None,
                callee,
                target: 0,
                count: Figure::no_call(self.profile.is_difference()),
                cost: Figure::undefined(self.profile.events().len(), self.profile.is_difference()),
            };
            let mut presence = Presence::default();
            for &(_, number, on) in calls {
                let callee = self.profile.calls()[number].callee;
                let target = self.profile.function(callee).line;
                if has_lines && target > 0 && (site.target == 0 || target < site.target) {
                    site.target = target;
                }
                let (count, cost) = sides_of_call(self.profile, number);
                site.count.add_sides(on_sides(count, on, 0));
                site.cost.add_sides(on_sides(cost, on, &[]));
                presence = presence.or(on);
            }
            site.base_line = placing.in_base(key, presence);
            site.cost.derive(self.profile.events());
            site.cost = site.cost.marked(Mark::of(presence));
            sites.push(site);
        }
        sites
    }
}
