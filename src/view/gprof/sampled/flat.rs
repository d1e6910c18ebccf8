//! The flat profile of samples.

use super::graph::SampledGraph;
use super::table::descending;

/// A function or line.
#[derive(Clone, Copy, Debug)]
pub struct SampledRow {
    /// The number of the place.
    pub place: u32,
    /// Its own samples.
    pub own: f64,
    /// Its own samples and those of its callees.
    pub inclusive: f64,
    /// How often others called it.
    pub calls: u64,
}

/// The flat profile.
#[derive(Clone, Debug)]
pub struct SampledFlat {
    /// The rows, the most expensive first.
    pub rows: Vec<SampledRow>,
    /// All samples that count.
    pub total: f64,
    /// The most samples that one call of a place took, its callees included.
    pub longest_call: f64,
}

impl SampledFlat {
    /// Puts all places that `selects` takes in order. `name` gives the name of one as it is in the program. Those without
    /// samples and calls are left out unless `shows_zeros`.
    pub fn new<'n>(
        graph: &SampledGraph<'_>,
        total: f64,
        name: impl Fn(usize) -> &'n [u8],
        selects: impl Fn(u32) -> bool,
        shows_zeros: bool,
    ) -> SampledFlat {
        let all = (0..).zip(&graph.places).map(|(place, time)| SampledRow {
            place,
            own: time.own,
            inclusive: time.own + time.children,
            calls: time.calls,
        });
        let per_call = |row: &SampledRow| match row.calls {
            0 => 0.0,
            calls => row.inclusive / calls as f64,
        };
        let longest_call = all.clone().map(|row| per_call(&row)).fold(0.0, f64::max);
        let is_listed = |row: &SampledRow| shows_zeros || row.calls != 0 || row.own != 0.0;
        let mut rows: Vec<SampledRow> = all
            .filter(|row| is_listed(row) && selects(row.place))
            .collect();
        rows.sort_by(|a, b| {
            descending(a.own, b.own)
                .then(b.calls.cmp(&a.calls))
                .then_with(|| name(a.place as usize).cmp(name(b.place as usize)))
        });
        SampledFlat {
            rows,
            total,
            longest_call,
        }
    }
}
