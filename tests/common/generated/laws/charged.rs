//! What is charged to callers is neither lost nor doubled.

use std::collections::{BTreeMap, BTreeSet};

use cgannotate::internal::profile::{Fragment, FunctionId, Profile};
use cgannotate::internal::transform::{ChargedCode, LateFold, charge_to_callers};

use super::super::tables::{calls, costs};
use super::{add, self_cost};

/// Checks the sums of a profile in which some functions are charged, those whose numbers have a bit
/// set, and some code that was inlined; then all of it.
pub fn charges_are_conserved(profile: &Profile) {
    let is_charged = |number: usize, bit: u32| bit > 31 || number >> bit & 1 == 1;
    for bit in [0, 1, 2, 32] {
        let fragment = |(number, fragment): (usize, &Fragment)| {
            let function = fragment.function;
            match profile.function(function).file == fragment.file {
                true => is_charged(function.index(), bit),
                false => is_charged(number, (bit + 1) % 32),
            }
        };
        let functions = (0..profile.function_count()).map(|function| is_charged(function, bit));
        let fragments = profile.fragments().iter().enumerate().map(fragment);
        let code = ChargedCode { functions: functions.collect(), fragments: fragments.collect() };
        if let Ok((charged, _)) = charge_to_callers(profile, &code, LateFold::default()) {
            check(profile, &charged, &code);
        }
    }
    let all = ChargedCode {
        functions: vec![true; profile.function_count()],
        fragments: vec![true; profile.fragments().len()],
    };
    if let Ok((charged, _)) = charge_to_callers(profile, &all, LateFold::default()) {
        check(profile, &charged, &all);
        let mut functions: Vec<_> = costs(&charged).map(|(at, _)| at.function).collect();
        functions.dedup();
        assert!(functions.len() <= 1 && calls(&charged).next().is_none());
    }
}

fn check(profile: &Profile, charged: &Profile, code: &ChargedCode) {
    assert_eq!(self_cost(charged), self_cost(profile));
    // Code that was inlined into a charged function may be a function of that name, which is then
    // called too.
    let key = |function: FunctionId, file| {
        let function = profile.function(function);
        (function.object, file, function.name)
    };
    let inlined: BTreeSet<_> = profile
        .fragments()
        .iter()
        .filter(|part| part.file != profile.function(part.function).file)
        .map(|part| key(part.function, part.file))
        .collect();
    let is_same = |function: FunctionId| {
        let of_profile = profile.function(function);
        !code.functions[function.index()] && !inlined.contains(&key(function, of_profile.file))
    };
    let known = profile.function_count();
    for (location, cost) in costs(charged) {
        let is_zero = cost.iter().all(|count| count.or_zero() == 0);
        let function = location.function.index();
        assert!(is_zero || function >= known || !code.functions[function]);
    }
    // A call of what is not charged is still made as often, and costs the same.
    let calls_of = |profile| {
        let mut calls = calls_by_callee(profile);
        calls.retain(|callee, (count, sum)| {
            let is_any = *count != 0 || sum.iter().any(|&sum| sum != 0);
            callee.index() < known && is_same(*callee) && is_any
        });
        calls
    };
    assert_eq!(calls_of(charged), calls_of(profile));
}

/// How often each function was called, and what that cost.
fn calls_by_callee(profile: &Profile) -> BTreeMap<FunctionId, (i128, Vec<i128>)> {
    let mut sums: BTreeMap<FunctionId, (i128, Vec<i128>)> = BTreeMap::new();
    for call in calls(profile) {
        let sum = sums.entry(call.callee);
        let (count, sum) = sum.or_insert_with(|| (0, vec![0; profile.events().len()]));
        add(sum, call.cost);
        *count += i128::from(call.count);
    }
    sums
}
