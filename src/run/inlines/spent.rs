//! What was executed of the code of a side, by object: the places of costs, of calls and of what
//! was called.

use crate::graph::Groups;
use crate::profile::{CodePlace, Count, FunctionId, Measured, ObjectId, Place, Profile};

pub(super) struct CodeCost<'p> {
    pub(super) at: CodePlace,
    pub(super) cost: &'p [Count],
}

/// The instructions of an object that have costs or calls, and those that were called.
#[derive(Clone, Copy)]
pub(super) struct ObjectCosts<'p> {
    profile: &'p Profile,
    side: &'p Measured,
    /// The numbers of the places with costs, of the calls from the object, and of those into it.
    places: &'p [u32],
    sites: &'p [u32],
    callees: &'p [u32],
}

/// What was executed of a side's code, by object.
pub(super) struct SpentByObject<'p> {
    profile: &'p Profile,
    side: &'p Measured,
    places: Groups,
    sites: Groups,
    callees: Groups,
}

impl<'p> SpentByObject<'p> {
    /// What was executed of all functions, and what was called in them, or only of `functions`.
    pub(super) fn new(
        profile: &'p Profile,
        side: &'p Measured,
        functions: Option<&[bool]>,
    ) -> SpentByObject<'p> {
        let count = profile.object_count();
        let object = |function: FunctionId| {
            let is_chosen = functions.is_none_or(|functions| functions[function.index()]);
            is_chosen.then(|| profile.function(function).object.index())
        };
        let of_place = |place: Place| object(profile.fragment(place.fragment).function);
        let places = profile
            .places
            .iter()
            .enumerate()
            .map(|(row, &place)| if side.costs.has(row) { of_place(place) } else { None });
        let calls =
            (0..).zip(&profile.calls).map(|(row, &call)| side.calls.has(row).then_some(call));
        let sites = calls.clone().map(|call| of_place(call?.site));
        let callees = calls.map(|call| object(call?.callee).filter(|_| functions.is_none()));
        SpentByObject {
            profile,
            side,
            places: Groups::new(count, places),
            sites: Groups::new(count, sites),
            callees: Groups::new(count, callees),
        }
    }

    /// The objects of which anything was executed.
    pub(super) fn iter(&self) -> impl Iterator<Item = (ObjectId, ObjectCosts<'_>)> {
        self.objects().filter_map(|object| Some((object, self.get(object)?)))
    }

    /// All objects.
    pub(super) fn objects(&self) -> impl Iterator<Item = ObjectId> + use<> {
        (0..self.places.len() as u32).map(ObjectId)
    }

    /// What was executed of an object; none if nothing was.
    pub(super) fn get(&self, object: ObjectId) -> Option<ObjectCosts<'_>> {
        let number = object.index();
        let spent = ObjectCosts {
            profile: self.profile,
            side: self.side,
            places: self.places.get(number),
            sites: self.sites.get(number),
            callees: self.callees.get(number),
        };
        spent.iter().next().is_some().then_some(spent)
    }
}

impl<'p> ObjectCosts<'p> {
    /// The addresses of all, sorted, each once.
    pub(super) fn addresses(self) -> Vec<u64> {
        let ObjectCosts { profile, .. } = self;
        let places = self.places.iter().map(|&number| profile.places[number as usize]);
        let calls = |numbers: &'p [u32]| numbers.iter().map(|&at| profile.calls[at as usize]);
        let sites = calls(self.sites).map(|call| call.site);
        let mut addresses = profile.addresses(places.chain(sites).map(|place| place.position));
        addresses.extend(calls(self.callees).map(|call| profile.target(call).0));
        // They come function by function, mostly in order.
        addresses.sort();
        addresses.dedup();
        addresses
    }

    /// What all of it cost, by event.
    pub(super) fn total(self) -> Vec<i128> {
        let mut total = Vec::new();
        for &number in self.places {
            add(&mut total, self.side.costs.table.get(number as usize));
        }
        total
    }

    pub(super) fn iter(self) -> impl Iterator<Item = CodeCost<'p>> {
        let ObjectCosts { profile, side, .. } = self;
        let costs = self.places.iter().map(move |&number| {
            let place = profile.places[number as usize];
            CodeCost { at: profile.code_place(place), cost: side.costs.table.get(number as usize) }
        });
        let calls = |numbers: &'p [u32]| numbers.iter().map(|&at| profile.calls[at as usize]);
        let sites = calls(self.sites).map(move |call| profile.code_place(call.site));
        let callees = calls(self.callees).map(move |call| {
            let (address, line) = profile.target(call);
            CodePlace {
                function: call.callee,
                file: profile.function(call.callee).file,
                address,
                line,
                ..profile.code_place(call.site)
            }
        });
        costs.chain(sites.chain(callees).map(|at| CodeCost { at, cost: &[] }))
    }
}

/// Adds a sum to another one, by event.
pub(super) fn join(sum: &mut Vec<i128>, other: &[i128]) {
    sum.resize(sum.len().max(other.len()), 0);
    let pairs = sum.iter_mut().zip(other);
    pairs.for_each(|(sum, count)| *sum += count);
}

/// Adds a cost to a sum, by event.
pub(super) fn add(sum: &mut Vec<i128>, cost: &[Count]) {
    if sum.len() < cost.len() {
        sum.resize(cost.len(), 0);
    }
    let pairs = sum.iter_mut().zip(cost);
    pairs.for_each(|(sum, count)| *sum += i128::from(count.or_zero()));
}
