//! Compares a profile with the model that it was written from: the same numbers in all views.

use std::collections::BTreeMap;

use cgannotate::internal::profile::{Count, Profile};
use cgannotate::internal::view::{List, ListBy, RowOptions, Rows, Total};

use super::laws;
use super::model::{Cost, Model, Row};
use super::tables::{Graphs, all_rows};

/// All counts of a cost, undefined where it has none.
fn counts(cost: &Cost, events: usize) -> Vec<Count> {
    let given = cost.iter().map(|&count| Count::new(count));
    let mut counts: Vec<Count> = given.collect();
    counts.resize(events, Count::UNDEFINED);
    counts
}

/// Compares a profile that was read from all parts of the model with the model.
pub fn matches(model: &Model, profile: &Profile) {
    total(model, profile);
    self_costs(model, profile);
    lines_and_calls(model, profile);
    inclusive_costs(model, profile);
}

fn total(model: &Model, profile: &Profile) {
    let total = Total::of(profile);
    for (event, count) in total.figure.value.iter().enumerate() {
        let expected = model.total.get(event).copied();
        assert_eq!(count.or_zero(), expected.unwrap_or(0));
    }
}

fn list_of(list: &List, rows: &Rows<'_>) -> BTreeMap<Row, Vec<Count>> {
    let mut all = BTreeMap::new();
    for line in list.lines(rows) {
        if let Some(file) = line.label.file {
            let row = (file.to_vec(), line.label.name.into_owned());
            let old = all.insert(row, line.cost.value.to_vec());
            assert_eq!(old, None, "a row comes once");
        }
    }
    all
}

fn self_costs(model: &Model, profile: &Profile) {
    let rows = Rows::new(profile, &RowOptions::default());
    let total = Total::of(profile);
    let list = List::new(&rows, &all_rows(profile), &total, ListBy::SelfCost);
    let mut list = list_of(&list, &rows);
    for (row, cost) in &model.rows {
        let expected = Some(counts(cost, model.events.len()));
        assert_eq!(list.remove(row), expected, "{row:?}");
    }
    // A function with calls alone has a row too.
    let mut others = list.values().flatten();
    assert!(others.all(|count| *count == Count::UNDEFINED));
}

/// Lines and calls, by the names that the laws give them.
fn lines_and_calls(model: &Model, profile: &Profile) {
    let sums = |cost: &Cost| {
        let mut sums: Vec<i128> = cost.iter().map(|&count| count.into()).collect();
        sums.resize(model.events.len(), 0);
        sums
    };
    let row = |(file, name): &Row| format!("{}:{}", file.escape_ascii(), name.escape_ascii());
    let rows = model.rows.iter();
    let rows = rows.map(|(key, cost)| (row(key), (0, sums(cost))));
    let lines = model.lines.iter().map(|((file, line), cost)| {
        let key = format!("{} line {line}", file.escape_ascii());
        (key, (0, sums(cost)))
    });
    let calls = model.calls.iter().map(|((caller, callee), (count, cost))| {
        let key = format!("{} > {}", row(caller), row(callee));
        (key, (i128::from(*count), sums(cost)))
    });
    let expected: BTreeMap<_, _> = rows.chain(lines).chain(calls).collect();
    assert_eq!(laws::by_name(profile), expected);
}

fn inclusive_costs(model: &Model, profile: &Profile) {
    let graphs = Graphs::new(profile, &RowOptions::default());
    let list = graphs.list(&all_rows(profile));
    let (rows, total) = (&graphs.rows, Total::of(profile));
    let all = list_of(&list, rows);
    // The model does not say whether a count is undefined or 0.
    let same = |cost: &[Count], expected: &Cost| {
        let expected = expected.iter().copied().chain(std::iter::repeat(0));
        cost.iter().zip(expected).all(|(count, expected)| count.or_zero() == expected)
    };
    for (row, expected) in &model.inclusive {
        let cost = all.get(row);
        let cost = cost.unwrap_or_else(|| panic!("{row:?} has no line"));
        assert!(same(cost, expected), "{row:?}: {cost:?}, not {expected:?}");
        let mut pairs = cost.iter().zip(&total.figure.value);
        let is_within = pairs.all(|(count, total)| count.or_zero() <= total.or_zero());
        assert!(is_within, "{row:?} is above the total");
    }
}
