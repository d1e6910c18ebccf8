//! Changed lines that no reason names: in other functions that were executed, whose own cost hardly
//! changed, and outside of functions. A hash function, a constant, a type or a macro may change
//! what functions do whose own lines are the same.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::aligned::{AlignedFile, AlignedFiles, AlignedLines, AtLine, is_code};
use super::code::{keys, place};
use super::line_costs::{CostsOfLine, CostsOfLines};
use super::{BaseAndNew, ChangedPlace, OtherPlaces};
use crate::source::{Change, LineKey, TextsOfSides};
use crate::view::label::RowId;

/// The maximum number of places that are shown.
const MAX_PLACES: usize = 3;

/// The maximum number of headers that are read.
const MAX_HEADERS: usize = 200;

/// What is known of the texts of a file with a name in NEW and one in BASE.
pub type TextsOfNames<'t> = dyn Fn(&[u8], &[u8]) -> TextsOfSides + 't;

impl OtherPlaces {
    fn new(mut places: Vec<ChangedPlace>) -> OtherPlaces {
        let more = places.len().saturating_sub(MAX_PLACES);
        places.truncate(MAX_PLACES);
        OtherPlaces { places, more }
    }
}

/// The changed places in code that was executed, those with the largest cost first, but for
/// those that are `shown`.
pub(super) fn changed_and_executed(
    files: &AlignedFiles<'_>,
    of_lines: &CostsOfLines,
    shown: &[ChangedPlace],
) -> OtherPlaces {
    let mut found = Vec::new();
    for (&file, costs) in &of_lines.of_files {
        let aligned = files.get(file);
        let Some(lines @ AlignedLines::Both { changes, .. }) = &aligned.lines else {
            continue;
        };
        for change in changes {
            let keys = keys(change, lines);
            let own = |key: LineKey| costs.get(&key).map_or_else(BaseAndNew::default, |at| at.own);
            let cost_at = |key: &LineKey| own(*key).base.max(own(*key).new);
            let at_place = keys.iter().map(cost_at).max().unwrap_or(0);
            let cost = at_place.max(cost_around(files.at_lines(file), &keys));
            let calls = |key| costs.get(&key).map_or_else(BaseAndNew::default, |at| at.call_count);
            let place = place(aligned, &keys, own, calls);
            let is_shown = shown.iter().any(|of| of.has(&place));
            if cost > 0 && !is_shown {
                found.push((Reverse(cost), file, keys, place));
            }
        }
    }
    found.sort_by(|a, b| (a.0, a.1, &a.2).cmp(&(b.0, b.1, &b.2)));
    OtherPlaces::new(found.into_iter().map(|(.., place)| place).collect())
}

/// What the lines just before and just after a change cost, the smaller of both, if they are code
/// of one row: code of the change may have the lines of what was inlined there.
fn cost_around(at_lines: &[AtLine], keys: &[LineKey]) -> i64 {
    let (Some(&first), Some(&last)) = (keys.first(), keys.last()) else {
        return 0;
    };
    let before = &at_lines[..at_lines.partition_point(|at| at.key < first)];
    let after = &at_lines[at_lines.partition_point(|at| at.key <= last)..];
    let (Some(above), Some(below)) = (before.last(), after.first()) else {
        return 0;
    };
    let cost = |at: &AtLine| at.cost.base.max(at.cost.new);
    let mut of_rows: HashMap<RowId, i64> = HashMap::new();
    for at in after.iter().take_while(|at| at.key == below.key) {
        let largest = of_rows.entry(at.row).or_default();
        *largest = cost(at).max(*largest);
    }
    let just_above = before.iter().rev().take_while(|at| at.key == above.key);
    let of_both = just_above.filter_map(|at| Some(cost(at).min(*of_rows.get(&at.row)?)));
    of_both.max().unwrap_or(0)
}

/// The changed places of the program's own sources and of the headers that they include, at which
/// nothing was executed and that declare something other than functions.
pub(super) fn changed_declarations(
    files: &AlignedFiles<'_>,
    of_lines: &CostsOfLines,
    texts: &TextsOfNames<'_>,
) -> OtherPlaces {
    let mut places = Vec::new();
    for (&file, costs) in &of_lines.of_files {
        add_declarations(files.get(file), costs, &mut places);
    }
    for header in headers(files, of_lines, texts) {
        add_declarations(&header, &BTreeMap::new(), &mut places);
    }
    OtherPlaces::new(places)
}

fn add_declarations(
    file: &AlignedFile,
    costs: &BTreeMap<LineKey, CostsOfLine>,
    places: &mut Vec<ChangedPlace>,
) {
    let Some(lines @ AlignedLines::Both { changes, .. }) = &file.lines else {
        return;
    };
    let Some(declarations) = file.declarations() else {
        return;
    };
    let is_at = |line: u32| declarations.get(line as usize).copied().unwrap_or(false);
    for change in changes {
        let keys = keys(change, lines);
        let is_executed = |key: &LineKey| costs.get(key).is_some_and(|at| !at.is_nothing());
        let declared: Vec<LineKey> = keys
            .iter()
            .copied()
            .filter(|key| is_declaration(key, change, is_at))
            .filter(|&key| file.line(key).text.is_some_and(|text| is_code(&text)))
            .collect();
        if !declared.is_empty() && !keys.iter().any(is_executed) {
            let nothing = |_| BaseAndNew::default();
            places.push(place(file, &declared, nothing, nothing));
        }
    }
}

/// Whether a line of a change is a declaration, by those of NEW's lines that are: removed lines are
/// like those in their place, or else like those around them.
fn is_declaration(key: &LineKey, change: &Change, is_at: impl Fn(u32) -> bool) -> bool {
    match key.in_new() {
        Some(line) => is_at(line),
        None if change.added.is_empty() => is_at(key.new) && is_at(key.new + 1),
        None => change.added.iter().any(|&line| is_at(line)),
    }
}

/// The headers that sources include, and those that these include, but for files of the profile.
fn headers(
    files: &AlignedFiles<'_>,
    of_lines: &CostsOfLines,
    texts: &TextsOfNames<'_>,
) -> Vec<AlignedFile> {
    let profile = files.rows.profile;
    let mut known: HashSet<Vec<u8>> = HashSet::new();
    let mut open: Vec<(Vec<u8>, Vec<u8>)> =
        of_lines.of_files.keys().rev().flat_map(|&file| files.get(file).headers()).collect();
    let mut found = Vec::new();
    while let Some((name, base_name)) = open.pop() {
        let is_new = profile.find_file(&name).is_none() && known.insert(name.clone());
        if !is_new || known.len() > MAX_HEADERS {
            continue;
        }
        let header = AlignedFile::new((&name, &base_name), texts(&name, &base_name), files.rows);
        open.extend(header.headers());
        found.push(header);
    }
    found
}
