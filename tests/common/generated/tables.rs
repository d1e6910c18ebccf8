//! What tests take from a profile again and again: its costs and calls with their locations, and
//! lists of rows.

use std::path::Path;

use cgannotate::internal::profile::{CodePlace, Count, FunctionId, Part, Profile, ProfileBuilder};
use cgannotate::internal::read::{self, Error, ReadOptions};
use cgannotate::internal::view::{
    self, Inclusive, List, ListBy, RowOptions, Rows, Selection, SelectionOptions, Threshold, Total,
};

fn add_file(path: &Path, how: &ReadOptions, builder: &mut ProfileBuilder) -> Result<(), Error> {
    let file = std::fs::File::open(path).unwrap();
    read::read_from(file, path.as_os_str().as_encoded_bytes(), how, builder).map(drop)
}

/// The profile in a file.
pub fn read_file(path: &Path, options: &ReadOptions) -> Result<Profile, Error> {
    let mut builder = ProfileBuilder::default();
    add_file(path, options, &mut builder)?;
    Ok(builder.finish())
}

/// The difference of two files.
pub fn read_difference(new: &Path, base: &Path) -> Result<Profile, Error> {
    let (mut builder, options) = (ProfileBuilder::default(), ReadOptions::default());
    add_file(new, &options, &mut builder)?;
    builder.begin_side();
    add_file(base, &options, &mut builder)?;
    Ok(builder.finish())
}

/// The self costs by location.
pub fn costs(profile: &Profile) -> impl Iterator<Item = (CodePlace, &[Count])> + Clone {
    let locations = profile.places.iter().map(|&place| profile.code_place(place));
    locations.zip(profile.sides().new.costs.table.iter())
}

/// All calls from one location to one function.
#[derive(Clone, Copy)]
pub struct Calls<'p> {
    pub site: CodePlace,
    pub callee: FunctionId,
    pub count: i64,
    pub cost: &'p [Count],
}

/// The calls with their inclusive costs.
pub fn calls(profile: &Profile) -> impl Iterator<Item = Calls<'_>> + Clone {
    let side = &profile.sides().new;
    let counted = side.call_counts.iter().zip(side.calls.table.iter());
    let calls = profile.calls.iter().zip(counted);
    calls.map(|(call, (&count, cost))| Calls {
        site: profile.code_place(call.site),
        callee: call.callee,
        count,
        cost,
    })
}

/// What the cost lines of all parts add up to, by event.
pub fn counted(profile: &Profile) -> Vec<i128> {
    let mut sum = vec![0; profile.events().len()];
    let of_part = |part: &Part| part.columns.clone().into_iter().zip(part.self_cost.clone());
    for (event, count) in profile.parts().iter().flat_map(of_part) {
        sum[event] += i128::from(count.or_zero());
    }
    sum
}

/// All rows, by the events in their order.
pub fn all_rows(profile: &Profile) -> Selection {
    let options = SelectionOptions { threshold: Threshold::all(), ..SelectionOptions::default() };
    Selection::new(&options, profile.events()).unwrap()
}

/// Rows with their call graphs, their cycles marked.
pub struct Graphs<'p> {
    pub of: view::Graphs<'p>,
    pub rows: Rows<'p>,
}

impl<'p> Graphs<'p> {
    /// Makes the rows and the graphs of a profile.
    pub fn new(profile: &'p Profile, options: &RowOptions) -> Graphs<'p> {
        let rows = Rows::new(profile, options);
        let of = view::Graphs::new(profile, true, &rows, &all_rows(profile));
        Graphs { rows: rows.with_cycles(|function| of.cycles.number_of(function)), of }
    }

    /// The rows by inclusive cost.
    pub fn list(&self, selection: &Selection) -> List {
        let inclusive = Inclusive::new(&self.of, &self.rows);
        let total = Total::of(self.of.sides.new.profile);
        List::new(&self.rows, selection, &total, ListBy::Inclusive(&inclusive))
    }
}
