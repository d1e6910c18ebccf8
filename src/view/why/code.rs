//! The changed lines in the code of a function, and those of the whole program.

use std::collections::{BTreeMap, BTreeSet};

use super::aligned::{AlignedFile, AlignedFiles, AlignedLine, AlignedLines, AtLine};
use super::called_at::called_at_changed_line;
use super::line_costs::CostsOfLines;
use super::{BaseAndNew, ChangedCode, ChangedPlace, ReasonMaker};
use crate::profile::{FileId, NameKind, Place};
use crate::source::{Change, LineKey, is_of_system};
use crate::view::first_screen::ScreenLine;
use crate::view::label::RowId;

/// The maximum number of changed places of a function that are shown.
const MAX_PLACES: usize = 2;

/// The keys of the lines of a change, in order.
pub(super) fn keys(change: &Change, lines: &AlignedLines) -> Vec<LineKey> {
    let added = change.added.iter().map(|&line| LineKey::new_line(line));
    let removed = change.removed.iter().map(|&line| lines.key(line, true));
    let mut keys: Vec<LineKey> = added.chain(removed).collect();
    keys.sort_unstable();
    keys
}

/// What a row costs at the lines of a change.
fn costs_at<'a>(at_lines: &'a [AtLine], keys: &'a [LineKey]) -> impl Iterator<Item = &'a AtLine> {
    keys.iter().flat_map(move |&key| {
        let first = at_lines.partition_point(|at| at.key < key);
        at_lines[first..].iter().take_while(move |at| at.key == key)
    })
}

/// Whether what was executed just before a change, and just after it, is code of a row.
fn code_around(at_lines: &[AtLine], keys: &[LineKey], row: RowId) -> [bool; 2] {
    let (Some(&first), Some(&last)) = (keys.first(), keys.last()) else {
        return [false; 2];
    };
    let before = at_lines.partition_point(|at| at.key < first);
    let after = at_lines.partition_point(|at| at.key <= last);
    let lines = [before.checked_sub(1).map(|at| &at_lines[at]), at_lines.get(after)];
    lines.map(|line| {
        line.is_some_and(|line| {
            let start = at_lines.partition_point(|at| at.key < line.key);
            let same = at_lines[start..].iter().take_while(|at| at.key == line.key);
            same.into_iter().any(|at| at.row == row)
        })
    })
}

/// A changed place with its costliest lines of code, by the cost at each line, and the number of
/// calls that are made there.
pub(super) fn place(
    file: &AlignedFile,
    keys: &[LineKey],
    cost: impl Fn(LineKey) -> BaseAndNew,
    calls: impl Fn(LineKey) -> BaseAndNew,
) -> ChangedPlace {
    let sum = ReasonMaker::sum(keys.iter().map(|&key| cost(key)));
    let line_of = |is_removed: bool| {
        let keys = keys.iter().copied().filter(|key| (key.removed > 0) == is_removed);
        let with_cost = keys.map(|key| {
            let cost = cost(key);
            let text = file.line(key);
            let is_code = text.text.as_ref().is_some_and(|text| super::aligned::is_code(text));
            (is_code, if is_removed { cost.base } else { cost.new }, text, calls(key))
        });
        // A blank line or a comment is nothing to show.
        let of_code: Vec<(bool, i64, ScreenLine, BaseAndNew)> =
            with_cost.filter(|&(is_code, cost, ..)| is_code || cost != 0).collect();
        let numbers = || of_code.iter().map(|(.., line, _)| line.line);
        let lines = numbers().min().zip(numbers().max()).filter(|(first, last)| first < last);
        let costliest = of_code.into_iter().max_by(|(a, x, of_a, _), (b, y, of_b, _)| {
            (a, x).cmp(&(b, y)).then_with(|| of_b.line.cmp(&of_a.line))
        });
        (costliest.map(|(.., line, calls)| (line, calls)), lines)
    };
    let ((of_removed, removed_lines), (of_added, added_lines)) = (line_of(true), line_of(false));
    let (removed, calls_before) = of_removed.unzip();
    let (added, calls_after) = of_added.unzip();
    let calls = BaseAndNew {
        base: calls_before.map_or(0, |calls| calls.base),
        new: calls_after.map_or(0, |calls| calls.new),
    };
    ChangedPlace {
        change: sum.change(),
        removed,
        added,
        removed_lines,
        added_lines,
        calls,
        lacks_inlined: false,
    }
}

fn by_size(a: &ChangedPlace, b: &ChangedPlace) -> std::cmp::Ordering {
    let key = |place: &ChangedPlace| {
        let line = place.added.as_ref().or(place.removed.as_ref());
        line.map(|line| (line.file.clone(), line.line))
    };
    let size = |place: &ChangedPlace| place.change.unsigned_abs();
    size(b).cmp(&size(a)).then_with(|| key(a).cmp(&key(b)))
}

/// What a row's code is looked at for.
#[derive(Clone, Copy)]
pub(super) enum LookedAtFor {
    /// Its self cost, which changed by this much: an unchanged code has the line with most of it.
    SelfCost(i64),
    /// The calls of a row: a line costs what its calls of that row cost, too.
    CallsOf(RowId),
}

/// The changed lines of a row's code; none if the texts of some of it are not known and no changed
/// line is.
pub(super) fn code_of(
    maker: &ReasonMaker<'_, '_>,
    row: RowId,
    purpose: LookedAtFor,
) -> Option<ChangedCode> {
    let profile = maker.profile;
    // The C library does not change between two builds of a program.
    if maker.is_of_system(row) {
        return None;
    }
    let places =
        maker.places_of.get(row.index()).iter().map(|&place| profile.places[place as usize]);
    let calls = maker.calls_from.get(row.index()).iter();
    let sites = calls.map(|&call| profile.calls[call as usize].site);
    let code: Vec<Place> = places.chain(sites).collect();
    let of_row: BTreeSet<FileId> =
        code.iter().map(|place| profile.fragment(place.fragment).file).collect();
    // Other instructions of it may have no line at all; profilers of other languages need not
    // record any but the first.
    let may_be_all = profile.name_kind() != NameKind::Other;
    let mut are_known = may_be_all && code.iter().any(|&place| profile.line(place) > 0);
    let costs = RowCosts::new(maker, row, purpose);
    let mut found = Vec::new();
    let mut largest: Option<LargestLine> = None;
    for &file in &of_row {
        let aligned = maker.files.get(file);
        let Some(lines) = &aligned.lines else {
            // Neither does a toolchain or a package of the same version, as its files' names tell.
            let is_home = maker.input.rows.file(row) == Some(file);
            let is_same = is_of_system(profile.file(file)) && profile.base_file(file).is_none();
            if !is_same {
                maker.files.note_missing(file);
            }
            are_known &= is_same && !is_home;
            continue;
        };
        let of_file = costs.largest_unchanged(file);
        let is_larger = |of: &LargestLine| {
            largest.is_none_or(|most| of.change.unsigned_abs() > most.change.unsigned_abs())
        };
        largest = of_file.filter(is_larger).or(largest);
        are_known &= costs.add_changed_places(file, lines, &mut found);
    }
    if found.is_empty() {
        found = moved_places(maker, row, &of_row);
    }
    if !found.is_empty() {
        found.sort_by(by_size);
        let more = found.len().saturating_sub(MAX_PLACES);
        found.truncate(MAX_PLACES);
        return Some(ChangedCode::Places { places: found, more });
    }
    are_known.then(|| {
        let with_half = largest.filter(|line| match purpose {
            LookedAtFor::SelfCost(change) => line.has_half_of(change),
            LookedAtFor::CallsOf(_) => false,
        });
        ChangedCode::Unchanged {
            largest: with_half.map(|of| (maker.files.get(of.file).line(of.key), of.change)),
            called_at: called_at_changed_line(maker, row),
        }
    })
}

/// What a row costs at each line: by itself, and by its calls.
struct RowCosts<'m, 'a, 'p> {
    maker: &'m ReasonMaker<'a, 'p>,
    row: RowId,
    /// The costs of calls that count as costs of their lines.
    of_calls: BTreeMap<Option<AlignedLine>, BaseAndNew>,
    /// The numbers of calls.
    counts: BTreeMap<Option<AlignedLine>, BaseAndNew>,
}

impl<'m, 'a, 'p> RowCosts<'m, 'a, 'p> {
    fn new(
        maker: &'m ReasonMaker<'a, 'p>,
        row: RowId,
        purpose: LookedAtFor,
    ) -> RowCosts<'m, 'a, 'p> {
        let (called, of_calls) = match purpose {
            LookedAtFor::SelfCost(_) => (None, BTreeMap::new()),
            LookedAtFor::CallsOf(called) => {
                let called = Some(called);
                (called, by_line_of_call(maker, row, called, |call| maker.cost_of_call(call)))
            }
        };
        let counts = by_line_of_call(maker, row, called, |call| maker.count_at_line(call));
        RowCosts { maker, row, of_calls, counts }
    }

    /// The unchanged line of a file whose cost changed most, of equal ones the first.
    fn largest_unchanged(&self, file: FileId) -> Option<LargestLine> {
        let aligned = self.maker.files.get(file);
        let at_lines = self.maker.files.at_lines(file).iter();
        let own = at_lines.filter(|at| at.row == self.row && !aligned.is_changed(at.key));
        let of_lines = own.map(|at| LargestLine { change: at.cost.change(), file, key: at.key });
        of_lines.reduce(|most, of| {
            if of.change.unsigned_abs() > most.change.unsigned_abs() { of } else { most }
        })
    }

    /// Adds the changed places of a file that are in the row's code. Returns false if it is not
    /// known of some change whose code is there.
    fn add_changed_places(
        &self,
        file: FileId,
        lines: &AlignedLines,
        found: &mut Vec<ChangedPlace>,
    ) -> bool {
        let AlignedLines::Both { changes, .. } = lines else {
            return true;
        };
        let (aligned, at_lines) = (self.maker.files.get(file), self.maker.files.at_lines(file));
        let is_of_row = |at: &&AtLine| at.row == self.row;
        let name = self.maker.input.rows.display_name(self.row);
        let body = aligned.body_of(&name, at_lines, self.row);
        let mut are_known = true;
        for change in changes {
            let keys = keys(change, lines);
            let around = code_around(at_lines, &keys, self.row);
            let is_in_body = body.as_ref().is_some_and(|body| {
                let lines = keys.iter().map(|key| key.new);
                lines.into_iter().any(|line| body.contains(&line))
            });
            let has_no_code = || costs_at(at_lines, &keys).next().is_none();
            if body.is_none() && around.contains(&true) && has_no_code() {
                are_known = false;
            }
            let has_code_of_row = costs_at(at_lines, &keys).any(|at| is_of_row(&at));
            if has_code_of_row || is_in_body || around == [true, true] {
                let cost = |key: LineKey| {
                    let at_line = costs_at(at_lines, std::slice::from_ref(&key));
                    let own = at_line.filter(is_of_row).map(|at| at.cost);
                    ReasonMaker::sum(own.chain(self.of_calls.get(&Some((file, key))).copied()))
                };
                let calls =
                    |key: LineKey| self.counts.get(&Some((file, key))).copied().unwrap_or_default();
                found.push(place(aligned, &keys, cost, calls));
            }
        }
        are_known
    }
}

/// The lines of a row that are at another place of its code, such as in a loop that they were
/// before; none if at least half of its lines were moved, as those of a function that was.
fn moved_places(
    maker: &ReasonMaker<'_, '_>,
    row: RowId,
    of_row: &BTreeSet<FileId>,
) -> Vec<ChangedPlace> {
    let mut places = Vec::new();
    for &file in of_row {
        let aligned = maker.files.get(file);
        let own = || maker.files.at_lines(file).iter().filter(|at| at.row == row);
        let moved: Vec<&AtLine> = own().filter(|at| aligned.is_moved(at.key)).collect();
        if moved.len() * 2 >= own().count() {
            continue;
        }
        // Lines of loops in another order may cost the same, and their body less.
        let has_change = moved.iter().any(|at| at.cost.change() != 0);
        let shown = moved.into_iter().filter(|at| !has_change || at.cost.change() != 0);
        places.extend(shown.map(|at| {
            place(aligned, std::slice::from_ref(&at.key), |_| at.cost, |_| BaseAndNew::default())
        }));
    }
    places
}

/// The line of unchanged code whose cost changed most.
#[derive(Clone, Copy)]
struct LargestLine {
    change: i64,
    file: FileId,
    key: LineKey,
}

impl LargestLine {
    /// Whether it has at least half of a change, which goes the same way.
    fn has_half_of(&self, whole: i64) -> bool {
        let is_same_way = (self.change < 0) == (whole < 0);
        is_same_way && i128::from(self.change).abs() * 2 >= i128::from(whole).abs()
    }
}

/// What the calls by a row amount to at each line: those of one row, or of all.
fn by_line_of_call(
    maker: &ReasonMaker<'_, '_>,
    row: RowId,
    called: Option<RowId>,
    amount: impl Fn(u32) -> BaseAndNew,
) -> BTreeMap<Option<AlignedLine>, BaseAndNew> {
    let callee = |call: u32| maker.input.rows.of_call(maker.profile.calls[call as usize]).1;
    let calls = maker.calls_from.get(row.index()).iter().copied();
    let counted = calls.filter(|&call| called.is_none_or(|called| called == callee(call)));
    maker.at_lines(counted, amount)
}

/// All changed places of the program's own sources with the cost of their lines, of what is inlined
/// there and of the calls made there that are not within a cycle, the largest change first.
pub(super) fn changed_places(
    files: &AlignedFiles<'_>,
    of_lines: &CostsOfLines,
) -> Vec<ChangedPlace> {
    let mut found = Vec::new();
    for (&file, costs) in &of_lines.of_files {
        let aligned = files.get(file);
        let Some(lines) = &aligned.lines else {
            continue;
        };
        let AlignedLines::Both { changes, .. } = lines else {
            continue;
        };
        for change in changes {
            let keys = keys(change, lines);
            let at = |key: &LineKey| costs.get(key).copied().unwrap_or_default();
            let cost = |key: LineKey| at(&key).inclusive();
            let mut found_place = place(aligned, &keys, cost, |key| at(&key).call_count);
            if let Some(change) = keys.first().and_then(|&key| files.change_at(file, key)) {
                let repeated = of_lines.repeated(change).change();
                found_place.change = found_place.change.saturating_sub(repeated);
            }
            found_place.lacks_inlined = of_lines.lacks_inlined(file, &keys);
            found.push(found_place);
        }
    }
    found.sort_by(by_size);
    found
}
