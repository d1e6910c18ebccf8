//! The flat profile: what each function, or each line, costs by itself, the most expensive first.

use std::cmp::Reverse;

use hashbrown::HashMap;

use crate::profile::{Count, FileId, add_cost};
use crate::view::asm::LineExecutions;
use crate::view::gprof::functions::{MergedFunctions, SourceLine};
use crate::view::gprof::graph::EventGraph;
use crate::view::gprof::symspecs::Lists;
use crate::view::gprof::time::{NodeTime, Times};
use crate::view::gprof::{EntryOf, GraphTable};

/// A function or line.
#[derive(Clone, Debug)]
pub struct FlatRow {
    /// The function's number.
    pub function: u32,
    /// The line, if the profile is by line.
    pub site: Option<SourceLine>,
    /// Its own cost, by event.
    pub cost: Vec<Count>,
    /// How often other functions called it; of a line, if the function begins there.
    pub calls: i64,
    /// Its own cost and what it called; of a cycle's member the calls that leave the cycle.
    pub inclusive: i64,
    /// Its own cost and that of all rows before it.
    pub cumulative: i64,
}

/// The flat profile.
#[derive(Clone, Debug)]
pub struct Flat {
    /// The rows, the most expensive first.
    pub rows: Vec<FlatRow>,
    /// What 100% are: the program's total, less what does not count.
    pub reference: i64,
}

impl Flat {
    /// Puts rows in order and adds them up. Given are the event and the program's total. By row: those that do not count
    /// are left out and taken from the total, those that are not shown are left out only. Rows without cost
    /// and calls are left out unless `shows_zeros`.
    pub fn new(
        rows: Vec<FlatRow>,
        functions: &MergedFunctions<'_>,
        (event, total): (usize, i64),
        (is_counted, is_shown): (&[bool], &[bool]),
        shows_zeros: bool,
    ) -> Flat {
        let own = |row: &FlatRow| row.cost[event].or_zero();
        let mut reference = total;
        for (row, _) in rows
            .iter()
            .zip(is_counted)
            .filter(|(_, is_counted)| !**is_counted)
        {
            reference -= own(row);
        }
        let is_in = is_counted
            .iter()
            .zip(is_shown)
            .map(|(counted, shown)| *counted && *shown);
        let rows = rows.into_iter().zip(is_in).filter(|(_, is_in)| *is_in);
        let mut rows: Vec<_> = rows
            .map(|(row, _)| row)
            .filter(|row| shows_zeros || own(row) != 0 || row.calls != 0)
            .collect();
        rows.sort_by_key(|row| {
            let line = row.site.map(|site| (site.file, site.line));
            (
                Reverse((own(row), row.calls)),
                functions.list()[row.function as usize].rank,
                line,
            )
        });
        let mut sum = 0i64;
        for row in &mut rows {
            sum += row.cost[event].or_zero();
            row.cumulative = sum;
        }
        Flat { rows, reference }
    }
}

impl EventGraph<'_> {
    /// The rows of all functions.
    pub fn function_rows(&self) -> Vec<FlatRow> {
        let profile = self.functions.profile();
        let row = |(function, time): (u32, &NodeTime)| {
            let home = profile.home(self.functions.list()[function as usize].id);
            let mut cost = self.graph().own(home).to_vec();
            profile.events().derive(&mut cost);
            let own = self.own[function as usize];
            FlatRow {
                function,
                site: None,
                cost,
                calls: time.calls,
                inclusive: time.children + own,
                cumulative: 0,
            }
        };
        let times = Times::new(self, &Lists::default());
        (0..).zip(&times.functions).map(row).collect()
    }

    /// The rows of all lines, each with the calls that are made there and leave the function and its cycle.
    pub fn line_rows(&self) -> Vec<FlatRow> {
        let (functions, profile) = (self.functions, self.functions.profile());
        let mut rows = LineRows {
            width: profile.events().len(),
            rows: Vec::new(),
            index: HashMap::new(),
        };
        // A function that is called has a row where it begins, with or without costs there.
        let times = Times::new(self, &Lists::default());
        for (number, time) in (0..).zip(&times.functions) {
            if time.calls != 0 {
                rows.get(number, functions.start(number)).calls = time.calls;
            }
        }
        let (events, side) = (profile.events(), &profile.sides().new);
        for (&place, cost) in profile.places().iter().zip(side.costs().iter()) {
            let at = profile.location(place);
            let row = rows.get(functions.of(at.function), SourceLine::of(at));
            add_cost(&mut row.cost, cost);
            row.add_inclusive(events.count(cost, self.event).or_zero());
        }
        for (line, calls) in self.calls_by_line() {
            if !self.is_nested(calls.caller, calls.callee) {
                let cost = times.of_calls(calls);
                let row = rows.get(calls.caller, line);
                row.add_inclusive(cost.self_cost);
                row.add_inclusive(cost.children);
            }
        }
        // With neither costs nor calls it may still be shown.
        let mut has_row = vec![false; functions.list().len()];
        let known = rows.rows.iter();
        known.for_each(|row| has_row[row.function as usize] = true);
        for number in (0..)
            .zip(has_row)
            .filter_map(|(n, has)| (!has).then_some(n))
        {
            rows.get(number, functions.start(number));
        }
        for row in &mut rows.rows {
            events.derive(&mut row.cost);
        }
        rows.rows
    }
}

/// The rows of lines while they are added up.
struct LineRows {
    width: usize,
    rows: Vec<FlatRow>,
    index: HashMap<(u32, SourceLine), usize>,
}

impl LineRows {
    /// The row of a line of a function.
    fn get(&mut self, function: u32, site: SourceLine) -> &mut FlatRow {
        let number = *self.index.entry((function, site)).or_insert_with(|| {
            self.rows.push(FlatRow {
                function,
                site: Some(site),
                cost: vec![Count::UNDEFINED; self.width],
                calls: 0,
                inclusive: 0,
                cumulative: 0,
            });
            self.rows.len() - 1
        });
        &mut self.rows[number]
    }
}

impl FlatRow {
    fn add_inclusive(&mut self, cost: i64) {
        self.inclusive += cost;
    }
}

/// A function and its calls, or a line of it and its executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecCount {
    /// The function's number.
    pub function: u32,
    /// How often it was called or executed.
    pub count: i64,
    /// Of a line the address of its first instruction, and where it is.
    pub line: Option<(u64, SourceLine)>,
}

/// The executions of a line of a function, which is given by number.
pub type FunctionLine = LineExecutions<(u32, FileId)>;

/// The calls of all functions that `selects` takes, by file, line and name: those from other functions, and with
/// `with_self` also recursive ones. Each is followed by its lines in order of addresses. Counts below `least` are left out.
pub fn exec_counts(
    functions: &MergedFunctions<'_>,
    table: &GraphTable,
    selects: impl Fn(u32) -> bool,
    with_self: bool,
    mut lines: Vec<FunctionLine>,
    least: u64,
) -> Vec<ExecCount> {
    let mut counts = Vec::new();
    for entry in &table.entries {
        let EntryOf::Function(function) = entry.of else {
            continue;
        };
        let own = if with_self { entry.self_calls } else { 0 };
        let count = entry.calls + own;
        if selects(function) {
            counts.push(ExecCount {
                function,
                count,
                line: None,
            });
        }
    }
    counts.sort_by_cached_key(|count| {
        let function = &functions.list()[count.function as usize];
        let [file, object] = [
            functions.file(count.function),
            functions.object(count.function),
        ];
        (file, function.line, &function.name, object)
    });
    lines.sort_by_key(|one| (one.line.0.0, one.address));
    let lines_of = |function: u32| {
        let start = lines.partition_point(|one| one.line.0.0 < function);
        let lines = lines[start..].iter();
        let lines = lines.take_while(move |one| one.line.0.0 == function);
        lines.map(|one| {
            let ((function, file), line) = one.line;
            ExecCount {
                function,
                count: one.executions.max(0),
                line: Some((one.address, SourceLine { file, line })),
            }
        })
    };
    let all = counts
        .into_iter()
        .flat_map(|count| std::iter::once(count).chain(lines_of(count.function)));
    all.filter(|count| count.count.unsigned_abs() >= least)
        .collect()
}
