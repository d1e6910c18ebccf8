//! The costs of lines and the calls made there, for a row or for the code of a row in one file.

use crate::graph::CallGraph;
use crate::profile::{Place, Profile};
use crate::source::LineKey;
use crate::view::call_counts::CallCounts;
use crate::view::call_lines::CallLines;
use crate::view::cycles::Graphs;
use crate::view::figure::{CostFigure, Figure};
use crate::view::label::RowId;
use crate::view::rows::Rows;
use crate::view::selection::Selection;
use crate::view::sums::{LineKeys, Sums, SumsBuilder};

/// Items at lines of several rows, each with the position of its cost in the sums, whose keys begin
/// with the row's position.
pub struct LineSums<T, K> {
    list: Vec<(T, usize)>,
    sums: Sums<(u32, K)>,
}

impl<T, K: Copy> LineSums<T, K> {
    pub fn of_row(&self, row: usize) -> impl Iterator<Item = (&T, CostFigure<'_>)> + Clone {
        let row_of = |&(_, at): &(T, usize)| self.sums.keys[at].0 as usize;
        let start = self.list.partition_point(|one| row_of(one) < row);
        let list = self.list[start..].iter();
        // Most rows have few.
        let list = list.take_while(move |one| row_of(one) == row);
        list.map(|(one, at)| (one, self.sums.cost(*at)))
    }

    pub(super) fn retain_shown(&mut self, selection: &Selection) {
        self.list.retain(|&(_, at)| self.sums.is_shown(at, selection));
    }
}

/// The places or calls (numbers in the profile's table) of a row, and the alignment of its file.
pub(super) type Numbers<'a> = (&'a [u32], LineKeys<'a>);

pub struct LineCost {
    /// The line in NEW, or the removed line of BASE; 0 if unknown.
    pub key: LineKey,
    /// Its number in BASE, if it has one there.
    pub base_line: Option<u32>,
    /// The number of calls from the line, if [added](LineCosts::add_calls).
    pub calls: Figure<CallCounts>,
}

pub type LineCosts = LineSums<LineCost, LineKey>;

impl LineCosts {
    /// The lines of the places of each row and its lines `in_any_case`, by number.
    pub(super) fn new<J: IntoIterator<Item = u32>>(
        profile: &Profile,
        rows: &[Numbers<'_>],
        in_any_case: impl Fn(usize) -> J,
    ) -> LineCosts {
        let mut sums = SumsBuilder::in_order(profile, rows.len());
        for (row, &(places, line_keys)) in rows.iter().enumerate() {
            let in_any_case = in_any_case(row).into_iter().map(LineKey::new_line);
            sums.add_lines(places, line_keys, in_any_case, |key| (row as u32, key));
        }
        let sums = sums.finish();
        let line = |(at, &(row, key)): (usize, &(u32, LineKey))| {
            let line = LineCost {
                key,
                base_line: rows[row as usize].1.in_base(key, sums.on(at)),
                calls: Figure::of_calls(Figure::same(0, profile.is_difference()), false),
            };
            (line, at)
        };
        let list = sums.keys.iter().enumerate().map(line).collect();
        LineCosts { list, sums }
    }

    /// Sets the number of calls of each line; lines must be sorted by number.
    pub(super) fn add_calls(&mut self, calls: &CallSites) {
        for (site, number) in &calls.list {
            let key = (calls.sums.keys[*number].0, site.key);
            let found = self.list.binary_search_by_key(&key, |line| self.sums.keys[line.1]);
            if let Ok(at) = found {
                self.list[at].0.calls.add(site.count);
            }
        }
    }

    /// Sorts by cost, the most expensive first.
    pub(super) fn sort_by_cost(&mut self, selection: &Selection) {
        let cost = |at: usize| self.sums.cost(at).value;
        self.list.sort_by(|(a, at_a), (b, at_b)| {
            let by_cost = selection.cmp_descending(cost(*at_a), cost(*at_b));
            by_cost.then(a.key.cmp(&b.key))
        });
    }
}

pub struct CallsFromLine {
    pub key: LineKey,
    pub base_line: Option<u32>,
    pub callee: RowId,
    /// The line at which the callee begins; 0 if unknown or a group.
    pub target: u32,
    pub count: Figure<CallCounts>,
}

/// The calls from lines with their costs.
pub type CallSites = LineSums<CallsFromLine, (LineKey, RowId)>;

impl CallSites {
    /// The calls (numbers in the profile's table) by line and callee's name, without calls within a
    /// group. Without `has_lines`, all are at line 0. They have their recorded costs; with `graphs`
    /// only those that are part of no other call, as in annotated sources.
    pub(super) fn new<'p>(
        rows: &Rows<'p>,
        of_rows: &[Numbers<'_>],
        has_lines: bool,
        graphs: Option<&Graphs<'p>>,
    ) -> CallSites {
        let profile = rows.profile;
        let line_of = |site: Place| if has_lines { profile.line(site) } else { 0 };
        let (mut sites, mut lines) = (Vec::new(), Vec::with_capacity(of_rows.len()));
        for (row, &(calls, line_keys)) in (0u32..).zip(of_rows) {
            let first = sites.len();
            let shown = calls.iter().filter_map(|&number| {
                let call = profile.calls[number as usize];
                let (caller, callee) = rows.of_call(call);
                let is_inside = rows.row_by.is_group() && caller == callee;
                let on = profile.presence_of_call(number as usize);
                (!is_inside).then_some((number, (line_of(call.site), on, callee)))
            });
            let of_row = CallLines::new(line_keys, shown.clone().map(|(_, call)| call));
            for (number, (line, on, callee)) in shown {
                of_row.each(line, on, callee, |key, on| {
                    sites.push(((row, (key, callee)), number, on));
                });
            }
            lines.push(of_row);
            sites[first..].sort_unstable_by(|((_, (line_a, a)), ..), ((_, (line_b, b)), ..)| {
                let by_name = || rows.cmp_names(*a, *b);
                line_a.cmp(line_b).then_with(by_name).then(a.cmp(b))
            });
        }
        let mut sums = SumsBuilder::in_order(profile, sites.len());
        // By position of the key.
        let mut targets: Vec<u32> = Vec::with_capacity(sites.len());
        for (key, number, on) in sites {
            let call = profile.calls[number as usize];
            let on_own = graphs.map_or(on, |graphs| {
                CallGraph::on_sides(&graphs.sides, on, |graph| graph.has_own_cost(call))
            });
            let at = if on_own == on {
                sums.add_call(key, number as usize, on)
            } else {
                sums.add_recursive_calls(key, number as usize, on, on_own)
            };
            targets.resize(at + 1, 0);
            let target = profile.function(call.callee).line;
            if has_lines && target > 0 && (targets[at] == 0 || target < targets[at]) {
                targets[at] = target;
            }
        }
        let sums = sums.finish();
        let site = |at: usize| {
            let (row, (key, callee)) = sums.keys[at];
            let site = CallsFromLine {
                key,
                base_line: lines[row as usize].in_base(key, callee, sums.on(at)),
                callee,
                target: targets[at],
                count: sums.calls(at),
            };
            (site, at)
        };
        let list = (0..sums.keys.len()).map(site).collect();
        CallSites { list, sums }
    }
}
