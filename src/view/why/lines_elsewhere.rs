//! The lines of a function that only one side has, in functions of the other side: the function is
//! part of another one there, inlined or by hand, or another version of it is. So its cost is not
//! all new, or not all gone.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{LinesHere, PartOfOther, ReasonMaker};
use crate::profile::FileId;
use crate::view::label::RowId;

/// The maximum number of functions that are named whose lines a row has on one side.
const MAX_HERE: usize = 2;

/// The maximum number of functions among which those are chosen.
const MAX_CANDIDATES: usize = 10;

/// The maximum number of functions that only one side has and whose lines are looked for on the
/// other: as many as are read in a table of these.
const MAX_ON_ONE_SIDE: usize = 40;

/// What is named has at least this part of the change of its row: a tenth.
const SMALL_PARTS: i128 = 10;

/// The row that has most of the lines of another one on the side that lacks that one: a function
/// of both sides, of which it is a part there, or a function that the other side lacks, of which it
/// is a changed version.
pub(super) fn part_of_other(maker: &ReasonMaker<'_, '_>, row: RowId) -> Option<PartOfOther> {
    let presence = |row: RowId| maker.input.rows.presence(row);
    let on = presence(row);
    if on.new == on.base {
        return None;
    }
    let file = maker.input.rows.file(row)?;
    let at_lines = maker.files.at_lines(file);
    let (mut own, mut others): (i64, BTreeMap<RowId, i64>) = (0, BTreeMap::new());
    let mut of_all: i64 = 0;
    for same in at_lines.chunk_by(|a, b| a.key == b.key) {
        let Some(of_row) = same.iter().find(|at| at.row == row) else {
            continue;
        };
        own = own.saturating_add(of_row.cost.change());
        of_all = same.iter().fold(of_all, |sum, at| sum.saturating_add(at.cost.change()));
        let others_there = same.iter().filter(|at| at.row != row && presence(at.row) != on);
        for other in others_there {
            let sum = others.entry(other.row).or_default();
            *sum = sum.saturating_sub(other.cost.change());
        }
    }
    let size = |cost: i64| if on.new { cost } else { cost.saturating_neg() };
    let (other, cost) =
        others.into_iter().max_by_key(|&(other, cost)| (size(cost), Reverse(other)))?;
    let is_most = i128::from(size(cost)) * 2 >= i128::from(size(own)) && size(cost) > 0;
    let of_other = presence(other);
    is_most.then(|| PartOfOther {
        row: other,
        name: maker.name(other),
        cost: size(cost),
        of_all,
        is_on_both_sides: of_other.new && of_other.base,
    })
}

/// Of the listed rows that only one side has, those with the largest changes, each with the row
/// that has most of its lines on the other side.
pub(super) fn parts_of_others(maker: &ReasonMaker<'_, '_>) -> Vec<(RowId, PartOfOther)> {
    let rows = maker.largest(MAX_ON_ONE_SIDE, |row| maker.is_on_one_side(row));
    rows.into_iter().filter_map(|row| Some((row, part_of_other(maker, row)?))).collect()
}

/// The functions that only one side has and whose lines are in a row on the other side, as
/// [`part_of_other`] says, those with the largest change of the row at their lines first.
pub(super) fn lines_here(maker: &ReasonMaker<'_, '_>, row: RowId) -> Vec<LinesHere> {
    if maker.is_on_one_side(row) {
        return Vec::new();
    }
    let whole = i128::from(maker.cost(row).change()).abs();
    let is_large = |change: i64| i128::from(change).abs() * SMALL_PARTS >= whole;
    let mut candidates: Vec<(RowId, i64)> = changes_at_lines_of_others(maker, row)
        .into_iter()
        .filter(|&(_, change)| change != 0 && is_large(change))
        .collect();
    candidates.sort_by_key(|&(other, change)| (Reverse(change.unsigned_abs()), other));
    let here = candidates.into_iter().take(MAX_CANDIDATES).filter_map(|(other, change)| {
        let part = part_of_other(maker, other)?;
        (part.row == row && part.is_on_both_sides).then(|| LinesHere {
            name: maker.name(other),
            change,
            cost: maker.cost(other),
        })
    });
    here.take(MAX_HERE).collect()
}

/// By function that only one side has, what the cost of a row changed at its lines.
fn changes_at_lines_of_others(maker: &ReasonMaker<'_, '_>, row: RowId) -> BTreeMap<RowId, i64> {
    let (profile, rows) = (maker.profile, maker.input.rows);
    let fragments = maker.places_of.get(row.index()).iter().map(|&place| {
        let place = profile.places[place as usize];
        profile.fragment(place.fragment)
    });
    let files_of_row: BTreeSet<FileId> = fragments.map(|fragment| fragment.file).collect();
    let mut changes: BTreeMap<RowId, i64> = BTreeMap::new();
    for file in files_of_row {
        for same in maker.files.at_lines(file).chunk_by(|a, b| a.key == b.key) {
            let Some(of_row) = same.iter().find(|at| at.row == row) else {
                continue;
            };
            let is_home = |other: RowId| rows.file(other) == Some(file);
            let others = same.iter().map(|at| at.row);
            for other in others.filter(|&of| maker.is_on_one_side(of) && is_home(of)) {
                let sum = changes.entry(other).or_default();
                *sum = sum.saturating_add(of_row.cost.change());
            }
        }
    }
    changes
}
