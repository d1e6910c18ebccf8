//! The composition of the self cost of rows: the files and lines of a function, the functions of a
//! group. The self costs of the nested parts add up to that of the row.

use std::borrow::Cow;
use std::cmp::Reverse;

use crate::graph::Groups;
use crate::profile::{Count, FileId};
use crate::source::LineKey;
use crate::view::cycles::Graphs;
use crate::view::figure::{Cost, CostFigure, Figure};
use crate::view::label::{GroupPlace, Label, OneOrMany, RowId};
use crate::view::line_sums::{CallSites, LineCosts};
use crate::view::list::List;
use crate::view::row_by::RowBy;
use crate::view::rows::Rows;
use crate::view::selection::Selection;
use crate::view::sums::{Alignments, LineKeys, SumsBuilder};

/// Finds the parts nested in rows.
pub struct Nesting<'a, 'p> {
    rows: &'a Rows<'p>,
    /// The nested parts: functions in groups, files in functions.
    pub parts: Rows<'p>,
    selection: &'a Selection,
    alignments: Alignments,
    places: Groups,
    /// The numbers of the calls from each row.
    calls: Groups,
    has_calls: bool,
    /// If calls have the costs that annotated sources show.
    graphs: Option<&'a Graphs<'p>>,
}

/// The part of a row in a file or a function; a file has its lines, the most expensive first, and
/// the calls made there.
pub struct NestedPart {
    /// The file or function, as a row of `parts`.
    pub of: RowId,
    pub file: Option<FileId>,
    pub cost: Figure<Cost>,
    pub lines: LineCosts,
    pub calls: CallSites,
}

impl<'a, 'p> Nesting<'a, 'p> {
    pub fn parts_by(row_by: RowBy) -> RowBy {
        match row_by {
            row_by if row_by.is_of_files() => RowBy::FileFunction,
            row_by if row_by.is_group() => RowBy::Function,
            _ => RowBy::File,
        }
    }

    /// Prepares to look up rows; parts have calls only with `has_calls`.
    pub fn new(
        rows: &'a Rows<'p>,
        parts: Rows<'p>,
        selection: &'a Selection,
        alignments: Alignments,
        has_calls: bool,
    ) -> Nesting<'a, 'p> {
        let (places, calls) =
            Groups::of_places(rows.profile, rows.len(), |place| Some(rows.of_place(place).index()));
        Nesting { rows, parts, selection, alignments, places, calls, has_calls, graphs: None }
    }

    /// Calls have the costs that annotated sources show beside their lines, not all that were
    /// recorded: of calls within a cycle or a function only those that are part of no other call.
    pub fn with_own_costs(mut self, graphs: &'a Graphs<'p>) -> Nesting<'a, 'p> {
        self.graphs = Some(graphs);
        self
    }

    /// The parts of a row, the most expensive first.
    pub fn of(&self, row: RowId) -> Vec<NestedPart> {
        let profile = self.rows.profile;
        let are_files = self.parts.row_by == RowBy::File;
        let mut parts = SumsBuilder::new(profile);
        // By part the numbers of its places and calls.
        let mut numbers: Vec<PartNumbers> = Vec::new();
        for &number in self.places.get(row.index()) {
            let of = self.parts.of_place(profile.places[number as usize]);
            let on = profile.presence_of_place(number as usize);
            let at = parts.add_place(of, number as usize, on);
            numbers.resize_with(numbers.len().max(at + 1), PartNumbers::default);
            numbers[at].places.push(number);
        }
        let has_calls = self.has_calls && are_files;
        let calls = self.calls.get(row.index()).iter();
        for &number in calls.filter(|_| has_calls) {
            let at = parts.position(self.parts.of_place(profile.calls[number as usize].site));
            numbers.resize_with(numbers.len().max(at + 1), PartNumbers::default);
            numbers[at].calls.push(number);
        }
        let parts = parts.finish();
        let part = |(at, PartNumbers { places, calls }): (usize, PartNumbers)| {
            let of = parts.keys[at];
            // Of several spellings of a path the first one.
            let place = |number: u32| profile.places[number as usize];
            let site = |number: u32| profile.calls[number as usize].site;
            let first = places.first().map(|&number| place(number));
            let first = first.or_else(|| calls.first().map(|&number| site(number)));
            let file =
                first.map(|place| profile.fragment(place.fragment).file).filter(|_| are_files);
            let places = file.map_or(&[][..], |_| &places[..]);
            let line_keys = LineKeys::new(&self.alignments, file);
            let mut lines = LineCosts::new(profile, &[(places, line_keys)], |_| []);
            lines.sort_by_cost(self.selection);
            NestedPart {
                of,
                file,
                cost: parts.cost(at).to_owned(),
                lines,
                calls: CallSites::new(self.rows, &[(&calls[..], line_keys)], true, self.graphs),
            }
        };
        let mut nested: Vec<NestedPart> = numbers.into_iter().enumerate().map(part).collect();
        nested.sort_by(|a, b| {
            let by_cost = self.selection.cmp_descending(&a.cost.value, &b.cost.value);
            by_cost.then_with(|| self.parts.cmp_names(a.of, b.of).then(a.of.cmp(&b.of)))
        });
        nested
    }
}

/// The numbers of a part's places and calls.
#[derive(Default)]
struct PartNumbers {
    places: Vec<u32>,
    calls: Vec<u32>,
}

/// The maximum number of files or functions shown below a row, and of lines below a file.
const MAX_PARTS: usize = 20;

/// Which lines are shown below a row.
#[derive(Clone, Copy, Debug)]
pub struct NestedOptions {
    /// The event to compare.
    pub event: usize,
    /// The minimum percentage of `whole` for a part to be shown, or of its row if rows are threads,
    /// parts or processes.
    pub min_percent: f64,
    /// The cost that is 100%; if none, the sum of the absolute costs of the listed rows.
    pub whole: Option<Count>,
}

/// A line below a row of a list.
pub struct NestedRow<'p> {
    /// 0 directly below the row, 1 below a file.
    pub level: usize,
    pub of: NestedOf<'p>,
    pub cost: Figure<Cost>,
}

/// What a line below a row is.
pub enum NestedOf<'p> {
    /// The code in a file of this name.
    File(Cow<'p, [u8]>),
    Line(ShownLine),
    Function(Label<'p>),
    /// The number of files, functions or lines that are not shown, and their kind.
    More(usize, &'static str),
}

pub struct ShownLine {
    pub file: FileId,
    pub key: LineKey,
    /// The trimmed text of the line, if found.
    pub source: Option<Vec<u8>>,
}

/// The nested rows shown below the rows of a list.
pub struct NestedList<'p> {
    /// By position in the list.
    below: Vec<Vec<NestedRow<'p>>>,
}

impl<'p> NestedList<'p> {
    pub fn new(nesting: &Nesting<'_, 'p>, list: &List, options: NestedOptions) -> NestedList<'p> {
        let size = |count: Count| count.or_zero().unsigned_abs() as f64;
        let costs = || (0..list.items.len()).map(|at| list.costs.get(at).value[options.event]);
        let whole = options.whole.map_or_else(|| costs().map(size).sum(), size);
        let mut nested = NestedList { below: Vec::with_capacity(list.items.len()) };
        for (&item, cost) in list.items.iter().zip(costs()) {
            let mut below = Vec::new();
            // What a thread, part or process did is asked for however little it is of the program.
            let whole = if nesting.rows.row_by.splits_functions() { size(cost) } else { whole };
            let cut = Cut { nesting, options, min_cost: whole * options.min_percent / 100.0 };
            // In a difference, a part may change more than its row.
            if nesting.rows.is_row(item)
                && (nesting.rows.profile.is_difference() || cut.is_shown(cost))
            {
                cut.add(nesting.of(item), &mut below);
            }
            nested.below.push(below);
        }
        nested
    }

    pub fn below(&self, position: usize) -> &[NestedRow<'p>] {
        self.below.get(position).map_or(&[], Vec::as_slice)
    }

    pub fn costs(&self) -> impl Iterator<Item = CostFigure<'_>> {
        let rows = self.below.iter().flatten();
        rows.map(|row| row.cost.counts())
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
    min_cost: f64,
}

impl<'p> Cut<'_, '_, 'p> {
    fn is_shown(&self, cost: Count) -> bool {
        let size = cost.or_zero().unsigned_abs() as f64;
        size >= self.min_cost && (size > 0.0 || self.options.min_percent == 0.0)
    }

    /// Adds the shown parts of a row; for a function with a single file, its lines.
    fn add(&self, parts: Vec<NestedPart>, rows: &mut Vec<NestedRow<'p>>) {
        if let [only] = &parts[..]
            && let Some(file) = only.file
        {
            return self.add_lines(file, &only.lines, 0, rows);
        }
        if parts.len() == 1 && self.nesting.rows.row_by == RowBy::Name {
            // The row's label has the place of its only function.
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
        self.add_rest(&costs, &shown, 0, what, rows)
    }

    fn add_lines(
        &self,
        file: FileId,
        lines: &LineCosts,
        level: usize,
        rows: &mut Vec<NestedRow<'p>>,
    ) {
        let (lines, costs): (Vec<_>, Vec<_>) = lines.of_row(0).unzip();
        if lines.iter().all(|line| line.key == LineKey::default()) {
            return;
        }
        let shown = self.shown(&costs);
        rows.extend(shown.iter().map(|&at| NestedRow {
            level,
            of: NestedOf::Line(ShownLine { file, key: lines[at].key, source: None }),
            cost: costs[at].to_owned(),
        }));
        self.add_rest(&costs, &shown, level, "line", rows)
    }

    /// The positions of the costs to show: the most expensive ones, in their given order.
    fn shown(&self, costs: &[CostFigure<'_>]) -> Vec<usize> {
        let count = |at: usize| costs[at].value[self.options.event];
        let mut shown: Vec<usize> =
            (0..costs.len()).filter(|&at| self.is_shown(count(at))).collect();
        if shown.len() > MAX_PARTS {
            shown.sort_by_key(|&at| Reverse(count(at).or_zero().unsigned_abs()));
            shown.truncate(MAX_PARTS);
            shown.sort_unstable();
        }
        shown
    }

    /// Adds a row for the parts that are not shown, if any are shown.
    fn add_rest(
        &self,
        costs: &[CostFigure<'_>],
        shown: &[usize],
        level: usize,
        what: &'static str,
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
        rows.push(NestedRow { level, of: NestedOf::More(count, what), cost: sum });
    }
}

/// The label of a function in a group, without what it shares with the group.
fn within(label: Label<'_>, row_by: RowBy) -> Label<'_> {
    match row_by {
        RowBy::File => Label {
            group: Some(Box::new(GroupPlace {
                files: None,
                objects: label.named_object().map(|name| OneOrMany { name, count: 1 }),
            })),
            name: label.name,
            ..Label::default()
        },
        RowBy::Object => Label { object: None, ..label },
        _ => label,
    }
}
