//! The changed lines in the code of a function, and those of the whole program.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::RangeInclusive;

use super::aligned::{AlignedFile, AlignedLine, AlignedLines, AtLine};
use super::called_at::called_at_changed_line;
use super::{BaseAndNew, ChangedCode, ChangedPlace, ReasonMaker};
use crate::profile::{FileId, NameKind, Place};
use crate::source::{Change, LineKey, equal_in_order, is_of_system, out_of_order, tokens};
use crate::view::first_screen::ScreenLine;
use crate::view::label::RowId;

/// The maximum number of words of a changed place in which versions of lines are looked for.
const MAX_WORDS: usize = 2000;

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

/// A line of a changed place.
struct LineOfPlace {
    line: ScreenLine,
    /// What it costs on its side.
    cost: i64,
    /// The number of calls that are made there.
    calls: BaseAndNew,
    is_code: bool,
}

/// The lines of one side of a place.
type LinesOfSide = Vec<LineOfPlace>;

/// A changed place with the lines of code whose cost changed most, by the cost at each line, and
/// the number of calls that are made there.
pub(super) fn place(
    file: &AlignedFile,
    keys: &[LineKey],
    cost: impl Fn(LineKey) -> BaseAndNew,
    calls: impl Fn(LineKey) -> BaseAndNew,
) -> ChangedPlace {
    let sum = ReasonMaker::sum(keys.iter().map(|&key| cost(key)));
    let lines_of = |is_removed: bool| -> LinesOfSide {
        let keys = keys.iter().copied().filter(|key| (key.removed > 0) == is_removed);
        let with_cost = keys.map(|key| {
            let (line, of_sides) = (file.line(key), cost(key));
            let is_code = line.text.as_ref().is_some_and(|text| super::aligned::is_code(text));
            let cost = if is_removed { of_sides.base } else { of_sides.new };
            LineOfPlace { line, cost, calls: calls(key), is_code }
        });
        // A blank line or a comment is nothing to show.
        with_cost.filter(|of| of.is_code || of.cost != 0).collect()
    };
    let span = |lines: &LinesOfSide| {
        let numbers = || lines.iter().map(|of| of.line.line);
        numbers().min().zip(numbers().max()).filter(|(first, last)| first < last)
    };
    let sides = [lines_of(true), lines_of(false)];
    let [removed, added] = most_changed(&sides, sum.change());
    ChangedPlace {
        at: keys.first().map(|&key| (file.line(key).file, key)).into_iter().collect(),
        change: sum.change(),
        removed: removed.map(|of| of.line.clone()),
        added: added.map(|of| of.line.clone()),
        removed_lines: removed.and_then(|_| span(&sides[0])),
        added_lines: added.and_then(|_| span(&sides[1])),
        calls: BaseAndNew {
            base: removed.map_or(0, |of| of.calls.base),
            new: added.map_or(0, |of| of.calls.new),
        },
        lacks_inlined: false,
        more: 0,
    }
}

/// The removed and the added line that explain most of the change of a place: a line and its new
/// version, or the costliest lines that are gone or new.
fn most_changed(sides: &[LinesOfSide; 2], change: i64) -> [Option<&LineOfPlace>; 2] {
    let [removed, added] = sides;
    let versions = versions(removed, added);
    let costliest_left = |side: usize| {
        let left = (0..sides[side].len()).filter(|at| versions.iter().all(|of| of[side] != *at));
        left.map(|at| &sides[side][at])
            .max_by_key(|of| (of.is_code, of.cost, Reverse(of.line.line)))
    };
    let mut pairs: Vec<[Option<&LineOfPlace>; 2]> =
        versions.iter().map(|&[old, new]| [Some(&removed[old]), Some(&added[new])]).collect();
    pairs.push([costliest_left(0), costliest_left(1)]);
    let key = |pair: &[Option<&LineOfPlace>; 2]| {
        let [before, after] = pair.map(|of| of.map_or(0, |of| i128::from(of.cost)));
        let in_direction = if change < 0 { before - after } else { after - before };
        let lines = || pair.iter().flatten();
        let first = lines().map(|of| of.line.line).next_back();
        (lines().any(|of| of.is_code), in_direction, before.max(after), Reverse(first))
    };
    pairs.into_iter().max_by_key(key).unwrap_or_default()
}

/// The numbers of removed lines and of those that are their new versions, which have at least half
/// of their words in the same order.
fn versions(removed: &LinesOfSide, added: &LinesOfSide) -> Vec<[usize; 2]> {
    if removed.len() == 1 && added.len() == 1 {
        return vec![[0, 0]];
    }
    let mut numbers: HashMap<&[u8], u32> = HashMap::new();
    let [of_removed, of_added] = [removed, added].map(|lines| {
        let texts = lines.iter().map(|of| of.line.text.as_deref().unwrap_or_default());
        let words =
            texts.enumerate().flat_map(|(at, text)| tokens(text).map(move |word| (at, word)));
        let mut numbered = |(at, word)| {
            let next = numbers.len() as u32;
            (at, *numbers.entry(word).or_insert(next))
        };
        words.map(&mut numbered).unzip::<_, _, Vec<usize>, Vec<u32>>()
    });
    if of_removed.0.len().max(of_added.0.len()) > MAX_WORDS {
        return Vec::new();
    }
    let mut same: BTreeMap<[usize; 2], usize> = BTreeMap::new();
    for (old, new) in equal_in_order(&of_removed.1, &of_added.1) {
        *same.entry([of_removed.0[old], of_added.0[new]]).or_default() += 1;
    }
    let count = |lines: &[usize], line: usize| lines.iter().filter(|of| **of == line).count();
    same.retain(|&[old, new], same| {
        *same * 2 > count(&of_removed.0, old).max(count(&of_added.0, new))
    });
    same.into_keys().collect()
}

/// Whether an added line is a new version of a removed one: both have most of their words in the
/// same order.
pub(super) fn is_version(removed: &ScreenLine, added: &ScreenLine) -> bool {
    let mut numbers: HashMap<&[u8], u32> = HashMap::new();
    let [removed, added] = [removed, added].map(|line| -> Vec<u32> {
        let words = tokens(line.text.as_deref().unwrap_or_default());
        words
            .map(|word| {
                let next = numbers.len() as u32;
                *numbers.entry(word).or_insert(next)
            })
            .collect()
    });
    let most = removed.len().max(added.len());
    most <= MAX_WORDS && equal_in_order(&removed, &added).len() * 2 > most
}

/// What a row's code is looked at for.
#[derive(Clone, Copy)]
pub(super) enum LookedAtFor {
    /// Its self cost, which changed by this much: an unchanged code has the line with most of it.
    SelfCost(i64),
    /// The calls of a row, most of which are made at a line: a line costs what its calls of that
    /// row cost, too.
    CallsOf { called: RowId, at: Option<AlignedLine> },
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
    let around = costs.around.as_ref();
    let mut found = Found::default();
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
    // The lines of the calls are what explains them, others only if these are not changed.
    let (mut places, more) = match found.with_calls.len() {
        0 => (found.others, 0),
        _ => (found.with_calls, found.others.len()),
    };
    if places.is_empty() && around.is_none() {
        places = moved_places(maker, row, &of_row);
    }
    if !places.is_empty() {
        let are_around_call = around.is_some();
        return Some(ChangedCode::Places { places, more, are_around_call });
    }
    // Of another function, whose code is inlined, it is not known that nothing changed it.
    let is_known = are_known && around.is_none();
    is_known.then(|| {
        let with_half = largest.filter(|line| match purpose {
            LookedAtFor::SelfCost(change) => line.has_half_of(change),
            LookedAtFor::CallsOf { .. } => false,
        });
        ChangedCode::Unchanged {
            largest: with_half.map(|of| (maker.files.get(of.file).line(of.key), of.change)),
            called_at: called_at_changed_line(maker, row),
        }
    })
}

/// The changed places of a row's code.
#[derive(Default)]
struct Found {
    /// Those with lines at which the calls that are looked at changed.
    with_calls: Vec<ChangedPlace>,
    others: Vec<ChangedPlace>,
}

/// Lines of a file; none if they are not known.
type LinesOfFunction = (FileId, Option<RangeInclusive<u32>>);

/// What a row costs at each line: by itself, and by its calls.
struct RowCosts<'m, 'a, 'p> {
    maker: &'m ReasonMaker<'a, 'p>,
    row: RowId,
    /// The costs of calls that count as costs of their lines.
    of_calls: BTreeMap<Option<AlignedLine>, BaseAndNew>,
    /// The numbers of calls.
    counts: BTreeMap<Option<AlignedLine>, BaseAndNew>,
    /// If most of the calls are made at an unchanged line of another function, whose code is
    /// inlined, the lines of that function.
    around: Option<LinesOfFunction>,
}

impl<'m, 'a, 'p> RowCosts<'m, 'a, 'p> {
    fn new(
        maker: &'m ReasonMaker<'a, 'p>,
        row: RowId,
        purpose: LookedAtFor,
    ) -> RowCosts<'m, 'a, 'p> {
        let (called, of_calls, at) = match purpose {
            LookedAtFor::SelfCost(_) => (None, BTreeMap::new(), None),
            LookedAtFor::CallsOf { called, at } => {
                let called = Some(called);
                (called, by_line_of_call(maker, row, called, |call| maker.cost_of_call(call)), at)
            }
        };
        let counts = by_line_of_call(maker, row, called, |call| maker.count_at_line(call));
        let around = at.and_then(|at| around_other_function(maker, row, at));
        RowCosts { maker, row, of_calls, counts, around }
    }

    /// Whether the calls that are looked at changed at a line.
    fn has_changed_calls(&self, at: AlignedLine) -> bool {
        let is_changed = |of: Option<&BaseAndNew>| of.is_some_and(|of| of.base != of.new);
        let of_calls = self.of_calls.get(&Some(at));
        of_calls.is_some() && (is_changed(of_calls) || is_changed(self.counts.get(&Some(at))))
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
    fn add_changed_places(&self, file: FileId, lines: &AlignedLines, found: &mut Found) -> bool {
        let AlignedLines::Both { changes, .. } = lines else {
            return true;
        };
        let (aligned, at_lines) = (self.maker.files.get(file), self.maker.files.at_lines(file));
        let is_of_row = |at: &&AtLine| at.row == self.row;
        let body = match &self.around {
            Some((of, lines)) => lines.clone().filter(|_| *of == file),
            None => body_of(self.maker, self.row, file),
        };
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
            let is_of_code = has_code_of_row || around == [true, true];
            if is_in_body || is_of_code && self.around.is_none() {
                let cost = |key: LineKey| {
                    let at_line = costs_at(at_lines, std::slice::from_ref(&key));
                    let own = at_line.filter(is_of_row).map(|at| at.cost);
                    ReasonMaker::sum(own.chain(self.of_calls.get(&Some((file, key))).copied()))
                };
                let calls =
                    |key: LineKey| self.counts.get(&Some((file, key))).copied().unwrap_or_default();
                let of_change = place(aligned, &keys, cost, calls);
                if keys.iter().any(|&key| self.has_changed_calls((file, key))) {
                    found.with_calls.push(of_change);
                } else {
                    found.others.push(of_change);
                }
            }
        }
        are_known
    }
}

/// The lines of the body of a row's function in a file.
fn body_of(maker: &ReasonMaker<'_, '_>, row: RowId, file: FileId) -> Option<RangeInclusive<u32>> {
    let name = maker.input.rows.display_name(row);
    maker.files.get(file).body_of(&name, maker.files.at_lines(file), row)
}

/// The lines of the function that an unchanged line of a row's code is in, if that is another one.
fn around_other_function(
    maker: &ReasonMaker<'_, '_>,
    row: RowId,
    (file, key): AlignedLine,
) -> Option<LinesOfFunction> {
    let aligned = maker.files.get(file);
    let line = key.in_new().filter(|_| aligned.lines.is_some() && !aligned.is_changed(key))?;
    let is_other = match body_of(maker, row, file) {
        Some(body) => !body.contains(&line),
        None => maker.input.rows.file(row) != Some(file),
    };
    is_other.then(|| (file, aligned.function_around(line)))
}

/// The lines of a row that are at another place among its lines, such as in a loop that they were
/// before.
fn moved_places(
    maker: &ReasonMaker<'_, '_>,
    row: RowId,
    of_row: &BTreeSet<FileId>,
) -> Vec<ChangedPlace> {
    let mut places = Vec::new();
    for &file in of_row {
        let aligned = maker.files.get(file);
        let own = maker.files.at_lines(file).iter().filter(|at| at.row == row);
        let with_old = own.filter_map(|at| Some((at, aligned.line_before(at.key)?)));
        let (own, of_old): (Vec<&AtLine>, Vec<u32>) = with_old.unzip();
        let with_moved = own.into_iter().zip(out_of_order(&of_old));
        let moved: Vec<&AtLine> = with_moved.filter(|of| of.1).map(|of| of.0).collect();
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
