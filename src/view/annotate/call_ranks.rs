//! The costs by which the callees of a line are in order.

use hashbrown::HashMap;

use super::lines::LineCollector;
use crate::profile::Count;
use crate::view::figure::sides_of_call;
use crate::view::figure::{Cost, Figure};
use crate::view::rows::RowId;

/// What all calls of a file between two rows cost. It is requested only where a line calls several functions.
pub(super) struct CallRanks<'c> {
    calls: &'c [u32],
    costs: Option<HashMap<(RowId, RowId), Cost>>,
}

impl<'c> CallRanks<'c> {
    pub(super) fn new(calls: &'c [u32]) -> CallRanks<'c> {
        CallRanks { calls, costs: None }
    }

    pub(super) fn between(&mut self, rows: (RowId, RowId), of: &LineCollector<'_, '_>) -> &[Count] {
        let costs = match self.costs.take() {
            Some(costs) => costs,
            None => sums(self.calls, of),
        };
        self.costs
            .insert(costs)
            .get(&rows)
            .map_or(&[], Vec::as_slice)
    }
}

fn sums(calls: &[u32], of: &LineCollector<'_, '_>) -> HashMap<(RowId, RowId), Cost> {
    let mut sums: HashMap<_, Figure<Cost>> = HashMap::new();
    let (width, is_difference) = (of.profile.events().len(), of.profile.is_difference());
    for &number in calls {
        let (_, costs) = sides_of_call(of.profile, number as usize);
        let sum = sums.entry(of.rows_of(number));
        sum.or_insert_with(|| Figure::undefined(width, is_difference))
            .add_sides(costs);
    }
    let sums = sums.into_iter().map(|(rows, mut sum)| {
        sum.derive(of.profile.events());
        (rows, sum.value)
    });
    sums.collect()
}
