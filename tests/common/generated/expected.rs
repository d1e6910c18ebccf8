//! Compares a profile with the model that it was written from: the same numbers in all views.

use std::collections::BTreeMap;

use cgannotate::internal::profile::{Count, Profile};
use cgannotate::internal::view::{Label, List, RowOptions, Rows, Total};

use super::model::{Cost, Model, Row};
use super::tables::{self, Graphs, all_rows};

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
    lines(model, profile);
    calls(model, profile);
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
        if let Label::Function { file, name, .. } = line.label {
            let old = all.insert((file.to_vec(), name.into_owned()), line.cost.value.to_vec());
            assert_eq!(old, None, "a row comes once");
        }
    }
    all
}

fn self_costs(model: &Model, profile: &Profile) {
    let rows = Rows::new(profile, &RowOptions::default());
    let total = Total::of(profile);
    let list = List::by_self_cost(&rows, &all_rows(profile), &total);
    let mut list = list_of(&list, &rows);
    for (row, cost) in &model.rows {
        let expected = Some(counts(cost, model.events.len()));
        assert_eq!(list.remove(row), expected, "{row:?}");
    }
    // A function with calls alone has a row too.
    let mut others = list.values().flatten();
    assert!(others.all(|count| *count == Count::UNDEFINED));
}

fn lines(model: &Model, profile: &Profile) {
    let mut lines: BTreeMap<(Vec<u8>, u32), Vec<Count>> = BTreeMap::new();
    for (at, cost) in tables::costs(profile) {
        let undefined = || vec![Count::UNDEFINED; model.events.len()];
        let line = (profile.file(at.file).to_vec(), at.line);
        let sum = lines.entry(line).or_insert_with(undefined);
        cgannotate::internal::profile::add_cost(sum, cost);
    }
    let expected = model.lines.iter();
    let expected = expected.map(|(line, cost)| (line.clone(), counts(cost, model.events.len())));
    assert_eq!(lines, expected.collect());
}

fn calls(model: &Model, profile: &Profile) {
    let mut calls: BTreeMap<(Row, Row), (i64, Vec<Count>)> = BTreeMap::new();
    let name = |function| profile.name(profile.function(function).name).to_vec();
    for call in tables::calls(profile) {
        let site = call.site;
        let caller = (profile.file(site.file).to_vec(), name(site.function));
        let file = profile.function(call.callee).file;
        let callee = (profile.file(file).to_vec(), name(call.callee));
        let none = || (0, vec![Count::UNDEFINED; model.events.len()]);
        let sum = calls.entry((caller, callee)).or_insert_with(none);
        sum.0 += call.count;
        cgannotate::internal::profile::add_cost(&mut sum.1, call.cost);
    }
    let expected = model.calls.iter();
    let expected = expected
        .map(|(ends, (count, cost))| (ends.clone(), (*count, counts(cost, model.events.len()))));
    assert_eq!(calls, expected.collect());
}

fn inclusive_costs(model: &Model, profile: &Profile) {
    let graphs = Graphs::new(profile, &RowOptions::default());
    let list = graphs.list(&all_rows(profile));
    let (rows, total) = (&graphs.rows, Total::of(profile));
    let all = list_of(&list, rows);
    // The model does not say whether a count is undefined or 0.
    let same = |cost: &[Count], expected: &Cost| {
        let expected = expected.iter().copied().chain(std::iter::repeat(0));
        cost.iter()
            .zip(expected)
            .all(|(count, expected)| count.or_zero() == expected)
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
