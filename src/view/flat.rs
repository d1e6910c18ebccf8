//! The flat profile: what each function, or each line, costs by itself, the most expensive first.

use std::cmp::Reverse;

use hashbrown::HashMap;

use super::folded::{Functions, SourceLine};
use super::graph::Graph;
use crate::profile::{Count, Overflow, Profile, add_cost};

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
    /// The event that decides.
    pub event: usize,
    /// The rows, the most expensive first.
    pub rows: Vec<FlatRow>,
    /// What 100% are: the program's total, minus what was not requested.
    pub whole: i64,
}

impl Flat {
    /// Puts rows in order and adds them up. Given are the event and the program's total. By row: those that do not count
    /// are left out and taken from the total, those that are not shown are left out only. Rows without cost
    /// and calls are left out unless `shows_zeros`.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit.
    pub fn new(
        rows: Vec<FlatRow>,
        functions: &Functions<'_>,
        (event, total): (usize, i64),
        (is_counted, is_shown): (&[bool], &[bool]),
        shows_zeros: bool,
    ) -> Result<Flat, Overflow> {
        let mut rank = vec![0; functions.list().len()];
        for (place, &function) in functions.by_name().iter().enumerate() {
            rank[function as usize] = place;
        }
        let own = |row: &FlatRow| row.cost[event].or_zero();
        let mut whole = total;
        for (row, _) in rows
            .iter()
            .zip(is_counted)
            .filter(|(_, is_counted)| !**is_counted)
        {
            whole = whole.checked_sub(own(row)).ok_or(Overflow)?;
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
                rank[row.function as usize],
                line,
            )
        });
        let mut sum = 0i64;
        for row in &mut rows {
            sum = sum.checked_add(row.cost[event].or_zero()).ok_or(Overflow)?;
            row.cumulative = sum;
        }
        Ok(Flat { event, rows, whole })
    }
}

/// The rows of all functions.
///
/// # Errors
/// [`Overflow`] when a sum does not fit.
pub fn function_rows(
    profile: &Profile,
    functions: &Functions<'_>,
    graph: &Graph,
    event: usize,
) -> Result<Vec<FlatRow>, Overflow> {
    let mut rows = Vec::with_capacity(functions.list().len());
    for (function, (children, calls)) in (0..).zip(graph.children_and_calls()?) {
        rows.push(FlatRow {
            function,
            site: None,
            cost: vec![Count::UNDEFINED; profile.events().len()],
            calls,
            inclusive: children,
            cumulative: 0,
        });
    }
    let costs = profile.sides().new.costs();
    for (place, cost) in profile.places().iter().zip(costs.iter()) {
        let function = profile.fragment(place.fragment).function;
        add_cost(&mut rows[functions.of(function) as usize].cost, cost)?;
    }
    for row in &mut rows {
        profile.events().derive(&mut row.cost)?;
        let own = row.cost[event].or_zero();
        row.inclusive = row.inclusive.checked_add(own).ok_or(Overflow)?;
    }
    Ok(rows)
}

/// The rows of all lines, each with the calls that are made there and leave the function and its cycle.
///
/// # Errors
/// [`Overflow`] when a sum does not fit.
pub fn line_rows(
    profile: &Profile,
    functions: &Functions<'_>,
    graph: &Graph,
    event: usize,
) -> Result<Vec<FlatRow>, Overflow> {
    let calls = graph.children_and_calls()?;
    let mut index: HashMap<_, usize> = HashMap::new();
    let mut rows: Vec<FlatRow> = Vec::new();
    let mut row = |function: u32, site: SourceLine, rows: &mut Vec<FlatRow>| {
        *index
            .entry((function, site.file, site.line))
            .or_insert_with(|| {
                let known = &functions.list()[function as usize];
                let is_first = (known.file, known.line) == (site.file, site.line);
                rows.push(FlatRow {
                    function,
                    site: Some(site),
                    cost: vec![Count::UNDEFINED; profile.events().len()],
                    calls: if is_first {
                        calls[function as usize].1
                    } else {
                        0
                    },
                    inclusive: 0,
                    cumulative: 0,
                });
                rows.len() - 1
            })
    };
    // A function that is called has a row where it begins, with or without costs there.
    for (number, function) in (0..).zip(functions.list()) {
        if calls[number as usize].1 != 0 {
            row(
                number,
                SourceLine {
                    file: function.file,
                    line: function.line,
                },
                &mut rows,
            );
        }
    }
    let (events, side) = (profile.events(), &profile.sides().new);
    for (&place, cost) in profile.places().iter().zip(side.costs().iter()) {
        let place = profile.location(place);
        let site = SourceLine {
            file: place.file,
            line: place.line,
        };
        let row = row(functions.of(place.function), site, &mut rows);
        add_cost(&mut rows[row].cost, cost)?;
        let sum = &mut rows[row].inclusive;
        *sum = sum.checked_add(cost[event].or_zero()).ok_or(Overflow)?;
    }
    for (call, cost) in profile.calls().iter().zip(side.call_costs().iter()) {
        let at = profile.location(call.site);
        let (caller, callee) = (functions.of(at.function), functions.of(call.callee));
        if graph.are_together(caller, callee) {
            continue;
        }
        let site = SourceLine {
            file: at.file,
            line: at.line,
        };
        let row = row(caller, site, &mut rows);
        let sum = &mut rows[row].inclusive;
        let count = events.count(cost, event)?.or_zero();
        *sum = sum.checked_add(count).ok_or(Overflow)?;
    }
    Ok(rows)
}
