//! Self costs by fragment, added up once: most reports need no lines, and there may be many times as many places.

use std::sync::OnceLock;

use super::Profile;
use crate::profile::cost_table::CostTable;
use crate::profile::division::FragmentId;
use crate::profile::sides::Sides;

/// Which fragments have places, and what they cost, once that was needed.
#[derive(Default)]
pub(super) struct FragmentCosts(OnceLock<Added>);

struct Added {
    with_places: Vec<FragmentId>,
    costs: Sides<CostTable>,
}

impl Profile {
    /// The fragments that have places, in the order of their first ones.
    pub fn fragments_with_places(&self) -> &[FragmentId] {
        &self.by_fragment().with_places
    }

    /// The self costs of each side by fragment, without derived events.
    pub fn self_costs(&self) -> &Sides<CostTable> {
        &self.by_fragment().costs
    }

    fn by_fragment(&self) -> &Added {
        self.fragment_costs.0.get_or_init(|| {
            let fragments = self.fragments().len();
            let mut with_places = Vec::new();
            let mut is_known = vec![false; fragments];
            for place in self.places() {
                let is_known = &mut is_known[place.fragment.index()];
                if !*is_known {
                    *is_known = true;
                    with_places.push(place.fragment);
                }
            }
            let keys = self.places().iter();
            let keys = keys.map(|place| Some(place.fragment.index()));
            let sides = self.sides().as_ref();
            Added {
                with_places,
                costs: sides.map(|side| side.costs().sum_by(fragments, keys.clone())),
            }
        })
    }
}
