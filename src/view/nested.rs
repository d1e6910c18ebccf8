//! What the self cost of rows is made of: below a function the files and lines that its cost is in, below a group its
//! functions. The self costs of what is nested in a row add up to that of the row.

use std::borrow::Cow;
use std::cmp::Reverse;

use crate::graph::Groups;
use crate::profile::{Count, FileId};
use crate::source::LineKey;
use crate::view::figure::{Cost, CostFigure, Extent, Figure};
use crate::view::label::{GroupPlace, Label, OneOrMany, RowId};
use crate::view::line_sums::{CallSites, LineCosts};
use crate::view::list::List;
use crate::view::row_by::RowBy;
use crate::view::rows::Rows;
use crate::view::selection::Selection;
use crate::view::sums::{Alignments, SumsBuilder};

/// Looks up what is nested in rows.
pub struct Nesting<'a, 'p> {
    rows: &'a Rows<'p>,
    /// What is nested in them: functions in groups, files in functions.
    pub parts: Rows<'p>,
    selection: &'a Selection,
    alignments: Alignments,
    /// The places of the profile by row.
    places: Groups,
    /// The calls of the profile by the row that makes them.
    calls: Groups,
    has_calls: bool,
}

/// The self cost that a row has in a file or in a function; of a file its lines, the most expensive first, and the calls made
/// there.
pub struct NestedPart {
    /// The file or function by its number among the parts.
    pub of: RowId,
    pub file: Option<FileId>,
    pub cost: Figure<Cost>,
    pub lines: LineCosts,
    pub calls: CallSites,
}

impl<'a, 'p> Nesting<'a, 'p> {
    /// What the parts of rows are.
    pub fn parts_by(row_by: RowBy) -> RowBy {
        match row_by {
            RowBy::File => RowBy::FileFunction,
            row_by if row_by.is_group() => RowBy::Function,
            _ => RowBy::File,
        }
    }

    /// Prepares the look-up of rows, with the calls of files if it `has_calls`.
    pub fn new(
        rows: &'a Rows<'p>,
        parts: Rows<'p>,
        selection: &'a Selection,
        alignments: Alignments,
        has_calls: bool,
    ) -> Nesting<'a, 'p> {
        let (places, calls) = Groups::of_places(rows.profile, rows.len(), |place| {
            Some(rows.of_place(place).index())
        });
        Nesting {
            rows,
            parts,
            selection,
            alignments,
            places,
            calls,
            has_calls,
        }
    }

    /// What is nested in a row, in the order of rows; lines too.
    pub fn of(&self, row: RowId) -> Vec<NestedPart> {
        let profile = self.rows.profile;
        let are_files = self.parts.row_by == RowBy::File;
        let mut parts = SumsBuilder::new(profile);
        // By part its places and its calls, as numbers in the profile's tables.
        let mut numbers: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
        for &number in self.places.get(row.index()) {
            let of = self.parts.of_place(profile.places[number as usize]);
            let on = profile.presence_of_place(number as usize);
            let at = parts.add_place(of, number as usize, on);
            numbers.resize_with(numbers.len().max(at + 1), Default::default);
            numbers[at].0.push(number);
        }
        let has_calls = self.has_calls && are_files;
        let calls = self.calls.get(row.index()).iter();
        for &number in calls.filter(|_| has_calls) {
            let at = parts.position(self.parts.of_place(profile.calls[number as usize].site));
            numbers.resize_with(numbers.len().max(at + 1), Default::default);
            numbers[at].1.push(number);
        }
        let parts = parts.finish();
        let part = |(at, (places, calls)): (usize, (Vec<u32>, Vec<u32>))| {
            let of = parts.keys[at];
            let file = profile.find_file(self.parts.symbol(of));
            let file = file.filter(|_| are_files);
            let places = file.map_or(&[][..], |_| &places);
            let placing = self.alignments.placing(file);
            let mut lines = LineCosts::new(profile, places, placing, []);
            lines.sort_by_cost(self.selection);
            NestedPart {
                of,
                file,
                cost: parts.cost(at).to_owned(),
                lines,
                calls: CallSites::new(self.rows, &calls, placing, true),
            }
        };
        let mut nested: Vec<NestedPart> = numbers.into_iter().enumerate().map(part).collect();
        nested.sort_by(|a, b| {
            let by_cost = self.selection.falling(&a.cost.value, &b.cost.value);
            by_cost.then_with(|| self.parts.cmp_names(a.of, b.of).then(a.of.cmp(&b.of)))
        });
        nested
    }
}

/// How many files or functions are shown below a row, and lines below a file, at most.
const MOST: usize = 20;

#[derive(Clone, Copy, Debug)]
pub struct NestedOptions {
    /// The event that decides.
    pub event: usize,
    /// Its least part of the whole, in percent.
    pub min_percent: f64,
    /// What 100% are; if that is not known, the sum of the listed rows, each by its size.
    pub whole: Option<Count>,
}

/// A line below a row of a list.
pub struct NestedRow<'p> {
    /// 0 directly below the row, 1 below a file.
    pub level: usize,
    pub of: NestedOf<'p>,
    pub cost: Figure<Cost>,
}

pub enum NestedOf<'p> {
    /// The code in a file of this name.
    File(Cow<'p, [u8]>),
    Line(ShownLine),
    Function(Label<'p>),
    /// How many files, functions or lines are not shown.
    More(usize, &'static str),
}

pub struct ShownLine {
    pub file: FileId,
    /// Its number, 0 if it is not known, and its place among the lines of both sides.
    pub key: LineKey,
    /// Its text without the space around it, if it was found.
    pub source: Option<Vec<u8>>,
}

/// What is shown below the rows of a list.
pub struct NestedList<'p> {
    /// By position in the list.
    below: Vec<Vec<NestedRow<'p>>>,
    /// The extent of the list with all that is shown.
    pub extent: Extent,
}

impl<'p> NestedList<'p> {
    /// What is shown below each row of a list.
    pub fn new(nesting: &Nesting<'_, 'p>, list: &List, options: NestedOptions) -> NestedList<'p> {
        let size = |count: Count| count.or_zero().unsigned_abs() as f64;
        let costs = || (0..list.items.len()).map(|at| list.costs.get(at).value[options.event]);
        let whole = options.whole.map_or_else(|| costs().map(size).sum(), size);
        let cut = Cut {
            nesting,
            options,
            least: whole * options.min_percent / 100.0,
        };
        let mut nested = NestedList {
            below: Vec::with_capacity(list.items.len()),
            extent: list.extent.clone(),
        };
        for (&item, cost) in list.items.iter().zip(costs()) {
            let mut below = Vec::new();
            // What is nested in a row of a difference may change more than the row.
            if nesting.rows.is_row(item)
                && (nesting.rows.profile.is_difference() || cut.is_shown(cost))
            {
                cut.add(nesting.of(item), &mut below);
            }
            nested.below.push(below);
        }
        let rows = nested.below.iter().flatten();
        rows.for_each(|row| nested.extent.include_figure(row.cost.counts()));
        nested
    }

    /// What is shown below a row, by its position in the list.
    pub fn below(&self, position: usize) -> &[NestedRow<'p>] {
        self.below.get(position).map_or(&[], Vec::as_slice)
    }

    pub fn lines_mut(&mut self) -> impl Iterator<Item = &mut ShownLine> {
        let rows = self.below.iter_mut().flatten();
        rows.filter_map(|row| match &mut row.of {
            NestedOf::Line(line) => Some(line),
            _ => None,
        })
    }
}

struct Cut<'c, 'a, 'p> {
    nesting: &'c Nesting<'a, 'p>,
    options: NestedOptions,
    least: f64,
}

impl<'p> Cut<'_, '_, 'p> {
    fn is_shown(&self, cost: Count) -> bool {
        let size = cost.or_zero().unsigned_abs() as f64;
        size >= self.least && (size > 0.0 || self.options.min_percent == 0.0)
    }

    /// Adds what is shown of the parts of a row. Of a function with a single file these are its lines.
    fn add(&self, parts: Vec<NestedPart>, rows: &mut Vec<NestedRow<'p>>) {
        if let [only] = &parts[..]
            && let Some(file) = only.file
        {
            return self.add_lines(file, &only.lines, 0, rows);
        }
        if parts.len() == 1 && self.nesting.rows.row_by == RowBy::Name {
            // The row says where its only function is.
            return;
        }
        let what = match self.nesting.parts.row_by {
            RowBy::File => "file",
            _ => "function",
        };
        let costs: Vec<_> = parts.iter().map(|part| part.cost.counts()).collect();
        let shown = self.shown(&costs);
        let items: Vec<RowId> = shown.iter().map(|&at| parts[at].of).collect();
        let labels = self.nesting.parts.labels_of(&items);
        for (&at, label) in shown.iter().zip(labels) {
            let part = &parts[at];
            rows.push(NestedRow {
                level: 0,
                of: match part.file {
                    Some(_) => NestedOf::File(label.name),
                    None => NestedOf::Function(within(label, self.nesting.rows.row_by)),
                },
                cost: part.cost.clone(),
            });
            if let Some(file) = part.file {
                self.add_lines(file, &part.lines, 1, rows);
            }
        }
        self.add_rest(&costs, &shown, (0, what), rows)
    }

    fn add_lines(
        &self,
        file: FileId,
        lines: &LineCosts,
        level: usize,
        rows: &mut Vec<NestedRow<'p>>,
    ) {
        let (lines, costs): (Vec<_>, Vec<_>) = lines.iter().unzip();
        if lines.iter().all(|line| line.key == LineKey::default()) {
            return;
        }
        let shown = self.shown(&costs);
        rows.extend(shown.iter().map(|&at| NestedRow {
            level,
            of: NestedOf::Line(ShownLine {
                file,
                key: lines[at].key,
                source: None,
            }),
            cost: costs[at].to_owned(),
        }));
        self.add_rest(&costs, &shown, (level, "line"), rows)
    }

    /// Which of some costs are shown, by position: the most expensive, in whatever order they are.
    fn shown(&self, costs: &[CostFigure<'_>]) -> Vec<usize> {
        let count = |at: usize| costs[at].value[self.options.event];
        let shown = (0..costs.len()).filter(|&at| self.is_shown(count(at)));
        let mut shown: Vec<usize> = shown.collect();
        if shown.len() > MOST {
            shown.sort_by_key(|&at| Reverse(count(at).or_zero().unsigned_abs()));
            shown.truncate(MOST);
            shown.sort_unstable();
        }
        shown
    }

    /// Adds what is not shown beside something that is.
    fn add_rest(
        &self,
        costs: &[CostFigure<'_>],
        shown: &[usize],
        (level, what): (usize, &'static str),
        rows: &mut Vec<NestedRow<'p>>,
    ) {
        let count = costs.len() - shown.len();
        if count == 0 || shown.is_empty() {
            return;
        }
        let profile = self.nesting.rows.profile;
        let mut sum = Figure::undefined(profile.events().len(), profile.is_difference());
        let mut shown = shown.iter().peekable();
        for (at, cost) in costs.iter().enumerate() {
            if shown.next_if_eq(&&at).is_none() {
                sum.add(*cost);
            }
        }
        sum.derive(profile.events());
        rows.push(NestedRow {
            level,
            of: NestedOf::More(count, what),
            cost: sum,
        });
    }
}

/// The label of a function in a group, without what the group is.
fn within(label: Label<'_>, row_by: RowBy) -> Label<'_> {
    match row_by {
        RowBy::File => Label {
            name: label.name,
            group: Some(Box::new(GroupPlace {
                files: None,
                objects: label.object.map(|name| OneOrMany { name, count: 1 }),
            })),
            ..Label::default()
        },
        RowBy::Object => Label {
            object: None,
            ..label
        },
        _ => label,
    }
}
