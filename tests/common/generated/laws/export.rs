//! A profile that is exported in callgrind's format is read as it was.

use std::collections::BTreeMap;

use cgannotate::internal::profile::{FunctionId, Profile};
use cgannotate::internal::render::{self, Style};
use cgannotate::internal::view::{Export, RowOptions, Rows, Total};

use super::super::tables::{all_rows, calls, costs};
use super::{add, read_text};

/// Checks that a profile that is exported in callgrind's format is read as it was.
pub fn exports_are_read_back(profile: &Profile) {
    let (selection, rows) = (
        all_rows(profile),
        Rows::new(profile, &RowOptions::default()),
    );
    let total = Total::of(profile);
    let style = Style {
        percentages: false,
        unit: 1,
        decimals: 2,
        events: profile.events(),
        ratios: &[],
        escapes: false,
        colours: false,
        width: None,
        is_columns: false,
        difference: None,
        shown: &selection.shown,
        sorted: None,
        total: &total.figure.value,
    };
    let export = Export::new(profile, &rows);
    let mut text = Vec::new();
    if render::write_callgrind(&export, profile, &total, style, &mut text).is_err() {
        return;
    }
    let (again, _) = read_text(&text).unwrap();
    assert_eq!(by_name(&again), by_name(profile));
    let again = Total::of(&again).figure.value;
    for (again, total) in again.iter().zip(&total.figure.value) {
        // Readers do not use a total that is stated as 0, so that it cannot be written.
        if total.or_zero() != 0 {
            assert_eq!(again, total);
        }
    }
}

/// The costs of rows, lines and calls, by their names.
pub(super) fn by_name(profile: &Profile) -> BTreeMap<String, (i128, Vec<i128>)> {
    let mut all: BTreeMap<String, (i128, Vec<i128>)> = BTreeMap::new();
    let row = |function: FunctionId, file| {
        let name = profile.name(profile.function(function).name);
        format!(
            "{}:{}",
            profile.file(file).escape_ascii(),
            name.escape_ascii()
        )
    };
    for (at, cost) in costs(profile) {
        let line = format!("{} line {}", profile.file(at.file).escape_ascii(), at.line);
        for key in [row(at.function, at.file), line] {
            add(&mut all.entry(key).or_default().1, cost);
        }
    }
    for call in calls(profile) {
        let callee = row(call.callee, profile.function(call.callee).file);
        let key = format!("{} > {callee}", row(call.site.function, call.site.file));
        let sum = all.entry(key).or_default();
        sum.0 += i128::from(call.count);
        add(&mut sum.1, call.cost);
    }
    all
}
