//! What is true of every profile, whatever is in it: costs are neither lost nor added on their way
//! from the file to the page. Used by the tests of generated profiles and by the fuzz targets.

mod below;
mod charged;
mod export;
mod inclusive;
mod nested;
mod parts;
mod reading;
pub mod sums;

use std::io::{Cursor, Read};
use std::path::Path;

use cgannotate::internal::profile::{Count, FunctionId, Profile, ProfileBuilder};
use cgannotate::internal::read::{self, Detail, ReadOptions};
use cgannotate::internal::render::Style;
use cgannotate::internal::view::{RowBy, RowOptions, Total};

use super::tables::costs;
use below::parts_add_up;
use charged::charges_are_conserved;
pub use export::{by_name, exports_are_read_back};
pub use inclusive::{functions_follow_the_rule, is_consistent, rows_are_within_bounds};
pub use nested::nested_costs_add_up;
pub use parts::{named_parts_are_the_file, order_of_parts_changes_nothing};
pub use reading::{
    a_cut_raises_no_cost, chunks_and_gzip_change_nothing, comments_between_lines_change_nothing,
    detail_changes_no_sum, pack, read_code, read_list, threads_change_nothing,
};
use sums::sums_hold;

/// What reading returns: the profile and the warnings, or the error.
pub type Outcome = Result<(Profile, Vec<String>), String>;

/// Reads from any source of bytes.
pub fn read_from(bytes: impl Read + Send + 'static) -> Outcome {
    read_with(bytes, &ReadOptions::default())
}

/// Reads with this detail.
fn read_detail(bytes: impl Read + Send + 'static, detail: Detail) -> Outcome {
    let options = ReadOptions { detail, ..ReadOptions::default() };
    read_with(bytes, &options)
}

fn read_with(bytes: impl Read + Send + 'static, options: &ReadOptions) -> Outcome {
    let mut builder = ProfileBuilder::default();
    match read::read_from(bytes, b"p.out", options, &mut builder) {
        Ok(warnings) => {
            let mut listed: Vec<_> =
                warnings.listed.iter().map(|(line, w)| format!("{line}: {w}")).collect();
            listed.push(format!("{} more", warnings.unlisted));
            Ok((builder.finish(), listed))
        }
        Err(error) => Err(format!("{:?}: {error}", error.line)),
    }
}

/// Reads a text.
pub fn read_text(text: &[u8]) -> Outcome {
    read_from(Cursor::new(text.to_vec()))
}

/// Writes sources for some of the files that made programs have to a folder; returns its name with
/// a slash.
pub fn write_sources(folder: &Path) -> Vec<u8> {
    for (name, lines) in [("a.c", 15), ("b.c", 40)] {
        std::fs::write(folder.join(name), "line\n".repeat(lines)).unwrap();
    }
    format!("{}/", folder.display()).into_bytes()
}

/// Checks all that is true of a text, whether or not it is a profile: it is read in pieces of these
/// sizes too, and its sources are looked for in `folder`. Returns how many functions are members of
/// cycles; none if it is no profile.
pub fn hold(text: &[u8], sizes: &[u8], folder: &[u8]) -> Option<usize> {
    it_is_read_the_same(text, sizes);
    if let Ok((profile, _)) = read_code(text) {
        exports_are_read_back(&profile);
    }
    let (profile, _) = read_text(text).ok()?;
    Some(costs_are_the_same_in_all_views(&profile, folder))
}

/// Checks that a text is read the same however it is read.
pub fn it_is_read_the_same(text: &[u8], sizes: &[u8]) {
    comments_between_lines_change_nothing(text);
    detail_changes_no_sum(text);
    chunks_and_gzip_change_nothing(text, sizes);
}

/// Checks that costs are neither lost nor added in any view. Sources are looked for in `folder`.
/// Returns how many functions are members of cycles.
pub fn costs_are_the_same_in_all_views(profile: &Profile, folder: &[u8]) -> usize {
    sums_hold(profile, folder);
    exports_are_read_back(profile);
    charges_are_conserved(profile);
    parts_add_up(profile);
    nested_costs_add_up(profile);
    rows_are_within_bounds(profile);
    functions_follow_the_rule(profile)
}

/// Rows of functions, with demangled names.
pub fn readable() -> RowOptions {
    rows_by(RowBy::FileFunction)
}

/// Rows of a kind, with demangled names.
pub fn rows_by(row_by: RowBy) -> RowOptions {
    RowOptions { demangles: true, row_by, ..RowOptions::default() }
}

/// A page with whole numbers, without percentages.
fn plain_style<'a>(
    profile: &'a Profile,
    shown: &'a [usize],
    total: &'a Total,
    escapes: bool,
) -> Style<'a> {
    Style {
        percentages: false,
        unit: 1,
        is_ratio: false,
        decimals: 2,
        exact_decimals: 6,
        events: profile.events(),
        names: profile.name_kind(),
        ratios: &[],
        escapes,
        colours: false,
        width: None,
        is_columns: false,
        delimiter: b',',
        has_heading: true,
        difference: None,
        series: None,
        shown,
        sorted: None,
        total: &total.figure.value,
    }
}

/// All that a profile has of a function, as text.
fn describe(profile: &Profile, id: FunctionId) -> String {
    let f = profile.function(id);
    let (object, file, name) = (
        profile.object(f.object).escape_ascii(),
        profile.file(f.file).escape_ascii(),
        profile.name(f.name).escape_ascii(),
    );
    format!("{object}|{file}|{name}|{}", f.last_named)
}

fn add(sum: &mut Vec<i128>, cost: &[Count]) {
    sum.resize(sum.len().max(cost.len()), 0);
    sum.iter_mut().zip(cost).for_each(|(sum, count)| *sum += i128::from(count.or_zero()));
}

/// What all cost lines add up to, by event.
fn self_cost(profile: &Profile) -> Vec<i128> {
    let mut sum = vec![0; profile.events().len()];
    costs(profile).for_each(|(_, cost)| add(&mut sum, cost));
    sum
}
