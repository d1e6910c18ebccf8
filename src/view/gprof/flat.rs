//! The flat profile: what each function, or each line, costs by itself, the most expensive first.

use super::graph::{Amount, Graph};
use super::table::ascending;

/// A function or line.
#[derive(Clone, Copy, Debug)]
pub struct FlatRow<C> {
    pub number: u32,
    /// Its own cost.
    pub own: C,
    /// How often other functions called it; of a line, if the function begins there.
    pub calls: i64,
    /// Its own cost and what it called; of a cycle's member the calls that leave the cycle.
    pub inclusive: C,
    /// Its own cost and that of all rows before it.
    pub cumulative: C,
}

/// The flat profile.
#[derive(Clone, Debug)]
pub struct Flat<C> {
    /// The rows, the most expensive first.
    pub rows: Vec<FlatRow<C>>,
    /// What 100% are.
    pub whole: C,
}

impl<C: Amount> Flat<C> {
    /// Puts rows in order and adds them up; equal ones by number of calls and by a key. Rows without cost and calls are left
    /// out unless `shows_zeros`.
    pub fn new<K: Ord>(
        rows: impl Iterator<Item = FlatRow<C>>,
        whole: C,
        shows_zeros: bool,
        key: impl Fn(u32) -> K,
    ) -> Flat<C> {
        let is_listed = |row: &FlatRow<C>| shows_zeros || row.own != C::default() || row.calls != 0;
        let mut rows: Vec<_> = rows.filter(is_listed).collect();
        rows.sort_by(|a, b| {
            ascending(b.own, a.own)
                .then(b.calls.cmp(&a.calls))
                .then_with(|| key(a.number).cmp(&key(b.number)))
        });
        let mut sum = C::default();
        for row in &mut rows {
            sum += row.own;
            row.cumulative = sum;
        }
        Flat { rows, whole }
    }
}

impl Graph<'_, f64> {
    /// The rows of all functions.
    pub fn rows(&self) -> impl Iterator<Item = FlatRow<f64>> {
        (0..).zip(&self.nodes).map(|(number, node)| FlatRow {
            number,
            own: node.own,
            calls: node.calls,
            inclusive: node.own + node.children,
            cumulative: 0.0,
        })
    }

    /// The most samples that one call of a function took, its callees included.
    pub fn longest_call(&self) -> f64 {
        let called = self.rows().filter(|row| row.calls != 0);
        let per_call = called.map(|row| row.inclusive / row.calls as f64);
        per_call.fold(0.0, f64::max)
    }
}
