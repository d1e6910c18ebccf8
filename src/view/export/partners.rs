//! A difference as a profile: what BASE has in a row of NEW is subtracted from what NEW has there, also if the object, path or
//! name is another one.

use std::hash::Hash;

use hashbrown::HashMap;

use crate::profile::{
    Call, Division, Figures, FileId, FunctionId, Location, Place, Presence, Profile,
};
use crate::view::rows::Rows;

/// Which functions and files of NEW those of BASE are.
pub(super) struct Partners<'p> {
    profile: &'p Profile,
    rows: &'p Rows<'p>,
    /// Of a difference: by function the one that it is written as.
    of_function: Vec<FunctionId>,
}

/// The line of a cost or call as it is written, with the function called.
type Key = (FunctionId, FileId, u32, Division, Option<FunctionId>);

impl<'p> Partners<'p> {
    /// Functions that one side has are one if they share a row, those of the same object first; the last of NEW is written.
    pub(super) fn new(profile: &'p Profile, rows: &'p Rows<'p>) -> Partners<'p> {
        let mut partners = Partners {
            profile,
            rows,
            of_function: Vec::new(),
        };
        if profile.is_difference() {
            let functions = profile.functions().map(|(id, _)| id);
            partners.of_function = functions.collect();
            let on = presence(profile);
            let is_one_sided = |id: FunctionId| on[id.index()].new != on[id.index()].base;
            let is_open =
                |id: FunctionId| is_one_sided(id) && !rows.is_nameless(rows.of_function(id));
            let open = profile.functions().map(|(id, _)| id);
            let open: Vec<_> = open.filter(|&id| is_open(id)).collect();
            let object = |id: FunctionId| rows.paired_object(profile.function(id).object);
            let open = partners.pair(open, &on, |id| (rows.of_function(id), object(id)));
            partners.pair(open, &on, |id| rows.of_function(id));
        }
        partners
    }

    /// Makes functions of the same key one if they are of both sides; returns the others.
    fn pair<K: Eq + Hash>(
        &mut self,
        functions: Vec<FunctionId>,
        on: &[Presence],
        key: impl Fn(FunctionId) -> K,
    ) -> Vec<FunctionId> {
        let mut sides: HashMap<K, (Option<FunctionId>, bool)> = HashMap::new();
        for &id in &functions {
            let (last_new, has_base) = sides.entry(key(id)).or_default();
            match on[id.index()].new {
                true => *last_new = Some(id),
                false => *has_base = true,
            }
        }
        let mut others = functions;
        others.retain(|&id| match sides.get(&key(id)) {
            Some(&(Some(partner), true)) => {
                self.of_function[id.index()] = partner;
                false
            }
            _ => true,
        });
        others
    }

    /// The function that a function is written as.
    pub(super) fn function(&self, id: FunctionId) -> FunctionId {
        self.of_function.get(id.index()).copied().unwrap_or(id)
    }

    /// Where a place is written.
    pub(super) fn location(&self, place: Place) -> Location {
        let location = self.profile.location(place);
        Location {
            function: self.function(location.function),
            file: self.rows.paired_file(location.file),
            ..location
        }
    }

    fn key(&self, place: Place, callee: Option<FunctionId>) -> Key {
        let at = self.location(place);
        let callee = callee.map(|callee| self.function(callee));
        (at.function, at.file, at.line, at.division, callee)
    }

    /// Adds up what is written as the same line.
    pub(super) fn join(&self, figures: &mut Figures<'_>) {
        let (places, calls) = (self.profile.places(), self.profile.calls());
        if self.of_function.is_empty() {
            return;
        }
        let of_place = |number: usize| self.key(places[number], None);
        let moves = joined(places.len(), of_place).into_iter();
        moves.for_each(|(from, to)| figures.move_place(from, to));
        let of_call = |number: usize| {
            let Call { site, callee, .. } = calls[number];
            self.key(site, Some(callee))
        };
        let moves = joined(calls.len(), of_call).into_iter();
        moves.for_each(|(from, to)| figures.move_call(from, to))
    }
}

/// The numbers of what is not the first of its key, each with that of the first.
fn joined(count: usize, key: impl Fn(usize) -> Key) -> Vec<(usize, usize)> {
    let mut first: HashMap<Key, usize> = HashMap::new();
    let first_of = |number| (number, *first.entry(key(number)).or_insert(number));
    let all = (0..count).map(first_of);
    all.filter(|(number, first)| number != first).collect()
}

/// On which sides of a difference functions are.
fn presence(profile: &Profile) -> Vec<Presence> {
    let mut presence = vec![Presence::default(); profile.function_count()];
    let mut join = |id: FunctionId, on| presence[id.index()] = presence[id.index()].or(on);
    for (number, place) in profile.places().iter().enumerate() {
        let function = profile.fragment(place.fragment).function;
        join(function, profile.presence_of_place(number));
    }
    for (number, call) in profile.calls().iter().enumerate() {
        let on = profile.presence_of_call(number);
        join(profile.fragment(call.site.fragment).function, on);
        join(call.callee, on);
    }
    presence
}
