//! What happened below functions, and the rest, are together the profile.

use std::collections::BTreeMap;

use cgannotate::internal::profile::{CodePlace, Count, FunctionId, Profile};
use cgannotate::internal::transform::{Kept, keep};

use super::super::tables::{calls, costs};
use super::{add, self_cost};

/// The costs by place and by call; without those of 0, which a part may leave out.
type Costs = BTreeMap<(CodePlace, Option<FunctionId>), Vec<i128>>;

/// Checks both parts of a profile, for some functions, whose numbers have a bit set, and for all.
pub fn parts_add_up(profile: &Profile) {
    for bit in [0, 2, 32] {
        let is_chosen = |number: usize| bit > 31 || number >> bit & 1 == 1;
        let chosen: Vec<bool> = (0..profile.function_count()).map(is_chosen).collect();
        let [(below, of_below), (rest, of_rest)] =
            [Kept::Below, Kept::Rest].map(|kept| keep(profile, &chosen, kept, None).unwrap());
        let total = |profile: &Profile| profile.sides().new.total(profile.events()).0;
        assert_eq!(total(&below), of_below.new.kept);
        assert_eq!(total(&rest), of_rest.new.kept);
        let events = profile.events();
        for event in (0..events.len()).filter(|&event| events.is_recorded(event)) {
            let count = |profile: &Profile| i128::from(total(profile)[event].or_zero());
            assert_eq!(count(&below) + count(&rest), count(profile), "the total");
            assert_eq!(count(&below), self_cost(&below)[event], "the cost below");
        }
        let mut together = all_costs(&below);
        for (at, cost) in all_costs(&rest) {
            let sum = together.entry(at).or_insert_with(|| vec![0; cost.len()]);
            sum.iter_mut().zip(cost).for_each(|(sum, more)| *sum += more);
        }
        together.retain(|_, cost| !is_zero(cost));
        assert_eq!(together, all_costs(profile));
        let of_chosen = |(place, _): &(CodePlace, &[Count])| chosen[place.function.index()];
        assert!(!costs(&rest).any(|cost| of_chosen(&cost)));
        assert!(!calls(&rest).any(|call| chosen[call.callee.index()]));
        let own = |profile| -> Vec<_> { costs(profile).filter(of_chosen).collect() };
        assert_eq!(own(&below), own(profile));
    }
}

fn is_zero(cost: &[i128]) -> bool {
    cost.iter().all(|&sum| sum == 0)
}

fn all_costs(profile: &Profile) -> Costs {
    let mut all = Costs::new();
    let places = costs(profile).map(|(place, cost)| ((place, None), cost));
    let calls = calls(profile).map(|call| ((call.site, Some(call.callee)), call.cost));
    for (at, cost) in places.chain(calls) {
        add(all.entry(at).or_default(), cost);
    }
    all.retain(|_, cost| !is_zero(cost));
    all
}
