//! A profile that is exported in callgrind's format is read as it was, with what is known by
//! address.

use std::collections::BTreeMap;
use std::io::Cursor;

use cgannotate::internal::profile::{CodePlace, Count, FileId, FunctionId, Profile};
use cgannotate::internal::read::Detail;
use cgannotate::internal::render;
use cgannotate::internal::view::{Export, RowOptions, Rows, Total};

use super::super::tables::{all_rows, calls, costs};
use super::{add, plain_style, read_detail, self_cost};

/// Checks that a profile that is exported in callgrind's format is read as it was, without a
/// complaint but those about what the profile says itself: another total than its costs add up to,
/// and negative numbers of calls. It is written the same once more.
pub fn exports_are_read_back(profile: &Profile) {
    let Some(text) = exported(profile) else {
        return;
    };
    let detail = Detail { code: has_code(profile), jumps: has_code(profile), ..Detail::default() };
    let (again, warnings) = read_detail(Cursor::new(text.clone()), detail).unwrap();
    let known = ["differ from its `summary:` line", "calls= with a negative count"];
    let is_known = |warning: &String| known.iter().any(|known| warning.contains(known));
    let mut unknown = warnings.iter().filter(|warning| !is_known(warning));
    assert_eq!(unknown.next().map(String::as_str), Some("0 more"));
    let (mut found, mut expected) = (by_name(&again), by_name(profile));
    if detail.code {
        // Where some parts have addresses, a line of the others is written if it cost something.
        for all in [&mut found, &mut expected] {
            all.retain(|_, (count, cost)| *count != 0 || cost.iter().any(|&count| count != 0));
        }
    }
    for key in found.keys().chain(expected.keys()) {
        assert_eq!(found.get(key), expected.get(key), "{key}");
    }
    let body = |text: &[u8]| {
        let text = String::from_utf8_lossy(text);
        let lines = text[text.find("positions:").unwrap()..].lines();
        let is_total = |line: &str| line.starts_with("summary:") || line.starts_with("totals:");
        let lines = lines.filter(|line| !line.is_empty() && !is_total(line));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    // Calls of an instruction are in the order in which their callees were first read.
    if !detail.code {
        assert_eq!(body(&exported(&again).unwrap()), body(&text));
    }
    let own = self_cost(&again);
    let [again, total] = [&again, profile].map(|profile| Total::of(profile).figure.value);
    for ((again, total), own) in again.iter().zip(&total).zip(own) {
        let [again, total] = [again, total].map(|count| i128::from(count.or_zero()));
        // Readers do not use a total that is stated as 0, so that it cannot be written, nor one
        // that is smaller than what a part adds up to, as the sum of several parts may be.
        if total != 0 {
            let is_smaller = total.abs() < own.abs();
            assert_eq!(again, if is_smaller { own } else { total });
        }
    }
}

/// The profile in callgrind's format; none if that cannot express it.
fn exported(profile: &Profile) -> Option<Vec<u8>> {
    // Only relative positions lead to lines from 2^31 on.
    if costs(profile).any(|(at, _)| at.line >= 1 << 31) {
        return None;
    }
    let selection = all_rows(profile);
    let rows = Rows::new(profile, &RowOptions::default());
    let total = Total::of(profile);
    let style = plain_style(profile, &selection.shown, &total, false);
    let export = Export::new(&rows);
    let mut text = Vec::new();
    let written = render::write_callgrind(&export, profile, &total, style, &mut text);
    written.ok().map(|()| text)
}

/// The costs of rows, lines and calls, by their names; those of instructions and jumps too, where
/// they are kept.
pub fn by_name(profile: &Profile) -> BTreeMap<String, (i128, Vec<i128>)> {
    let row = |function, file| row(profile, function, file);
    by_names(profile, &|callee| row(callee, profile.function(callee).file))
}

/// As [`by_name`], but callees have no files: which file an unnamed one is depends on the rest of
/// the profile.
pub fn by_name_without_files_of_callees(profile: &Profile) -> BTreeMap<String, (i128, Vec<i128>)> {
    let name = |callee| profile.name(profile.function(callee).name);
    by_names(profile, &|callee| name(callee).escape_ascii().to_string())
}

fn row(profile: &Profile, function: FunctionId, file: FileId) -> String {
    let name = profile.name(profile.function(function).name);
    format!("{}:{}", profile.file(file).escape_ascii(), name.escape_ascii())
}

fn by_names(
    profile: &Profile,
    callee: &dyn Fn(FunctionId) -> String,
) -> BTreeMap<String, (i128, Vec<i128>)> {
    let mut all: BTreeMap<String, (i128, Vec<i128>)> = BTreeMap::new();
    let row = |function, file| row(profile, function, file);
    for (at, cost) in costs(profile) {
        let line = format!("{} line {}", profile.file(at.file).escape_ascii(), at.line);
        for key in [row(at.function, at.file), line] {
            add(&mut all.entry(key).or_default().1, cost);
        }
    }
    for call in calls(profile) {
        let site = row(call.site.function, call.site.file);
        let key = format!("{site} > {}", callee(call.callee));
        let sum = all.entry(key).or_default();
        sum.0 += i128::from(call.count);
        add(&mut sum.1, call.cost);
    }
    if !has_code(profile) {
        return all;
    }
    let at = |place: CodePlace| {
        let row = row(place.function, place.file);
        format!("{row}:{} {:#x}", place.line, place.address)
    };
    let side = &profile.sides().new;
    let costs = costs(profile).map(|(key, cost)| (at(key), cost.to_vec()));
    let skipped =
        side.skipped().map(|(key, cost)| (at(profile.code_place(key)) + " skipped", cost.to_vec()));
    let calls = profile.calls_of(side).map(|(call, count, cost)| {
        let callee = callee(call.callee);
        let (address, line) = profile.target(call);
        let site = at(profile.code_place(call.site));
        let cost = [&[Count::new(count)], cost].concat();
        (format!("{site} > {callee}:{line} {address:#x}"), cost)
    });
    let jumps = (0..profile.jumps.len()).map(|number| {
        let (jump, counts) = profile.jump(number);
        let kind = if jump.is_conditional { "jcnd" } else { "jump" };
        let ends = format!("{} > {}", at(jump.site), at(jump.target));
        (format!("{ends} {kind}"), counts.to_vec())
    });
    for (key, cost) in costs.chain(skipped).chain(calls).chain(jumps) {
        add(&mut all.entry(key).or_default().1, &cost);
    }
    all
}

/// Whether a profile has instructions or jumps.
fn has_code(profile: &Profile) -> bool {
    profile.sides().new.has_addresses || !profile.jumps.is_empty()
}
