//! A profile that is exported in callgrind's format is read as it was.

use std::collections::BTreeMap;

use cgannotate::internal::profile::{FunctionId, Profile};
use cgannotate::internal::render;
use cgannotate::internal::view::{Export, RowOptions, Rows, Total};

use super::super::tables::{all_rows, calls, costs};
use super::{add, plain_style, read_text};

/// Checks that a profile that is exported in callgrind's format is read as it was.
pub fn exports_are_read_back(profile: &Profile) {
    let selection = all_rows(profile);
    let rows = Rows::new(profile, &RowOptions::default());
    let total = Total::of(profile);
    let style = plain_style(profile, &selection.shown, &total, false);
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
        let file = profile.file(file).escape_ascii();
        format!("{file}:{}", name.escape_ascii())
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
