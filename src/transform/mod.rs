//! Transforms a profile before the views: each file makes one profile from another. The division into lines, for rows
//! by line, is here.

mod charge;
mod inlines;
mod pair;

use hashbrown::HashMap;

use crate::graph::Groups;
use crate::profile::{
    AddError, Call, Count, Division, FileId, Fragment, FunctionId, Jump, Measured, Place, Profile,
    ProfileBuilder,
};
use crate::source::LineMap;
pub use crate::transform::charge::{ChargedCode, MAX_NEW_CALLS, charge_to_callers, own_files};
pub use crate::transform::inlines::{
    CopiesAt, Inlined, InlinedCode, InlinedObjects, add_inlined, divide_by_inlined,
};
pub use crate::transform::pair::pair;

/// Divides fragments by line. In files with a map, lines of BASE become the lines of NEW that they are aligned with.
pub fn divide_by_line(
    profile: Profile,
    maps: &HashMap<FileId, LineMap>,
) -> Result<Profile, AddError> {
    if maps.is_empty() {
        return Ok(profile.divided_by_line()?);
    }
    let moved = |place: Place, _: &[Count], is_base: bool, builder: &mut ProfileBuilder| {
        let Fragment { function, file, .. } = profile.fragment(place.fragment);
        let line = profile.line(place);
        let in_new = match maps.get(&file).filter(|_| is_base) {
            Some(map) => map.of_old(line).in_new(),
            None => Some(line),
        };
        let division = in_new.map_or_else(|| Division::of_removed_line(line), Division::of_line);
        let fragment = builder.functions().fragment(function, file, division)?;
        Ok(Place { fragment, ..place })
    };
    with_places(&profile, moved)
}

/// Maps the costs and calls of a profile to places and callees in another.
trait Moves {
    /// The new place of a cost, or of a call with its cost. Jumps and skipped code are passed with an empty cost, because they do
    /// not add to the costs.
    fn place(
        &mut self,
        place: Place,
        cost: &[Count],
        is_base: bool,
        out: &mut ProfileBuilder,
    ) -> Result<Place, AddError>;

    /// The new callee of a call.
    fn callee(
        &mut self,
        call: Call,
        _is_base: bool,
        _out: &mut ProfileBuilder,
    ) -> Result<FunctionId, AddError> {
        Ok(call.callee)
    }
}

impl<F> Moves for F
where
    F: FnMut(Place, &[Count], bool, &mut ProfileBuilder) -> Result<Place, AddError>,
{
    fn place(
        &mut self,
        place: Place,
        cost: &[Count],
        is_base: bool,
        out: &mut ProfileBuilder,
    ) -> Result<Place, AddError> {
        self(place, cost, is_base, out)
    }
}

/// Moves the costs and calls of a profile.
fn with_places(profile: &Profile, mut moves: impl Moves) -> Result<Profile, AddError> {
    let mut builder = profile.builder_with_names();
    let sites: Vec<Place> = profile.calls.iter().map(|call| call.site).collect();
    builder.add_sides(profile, |builder, side, is_base| {
        for number in in_order(profile, side, &profile.places, |_| None) {
            if side.has_place(number) {
                let (place, cost) = (profile.places[number], side.costs().get(number));
                let place = moves.place(place, cost, is_base, builder)?;
                builder.add_cost(place, cost)?;
            }
        }
        let callee = |number: usize| Some(profile.calls[number].callee);
        for number in in_order(profile, side, &sites, callee) {
            if side.has_call(number) {
                let call = profile.calls[number];
                let (count, cost) = (side.call_counts[number], side.call_costs().get(number));
                let site = moves.place(call.site, cost, is_base, builder)?;
                let callee = moves.callee(call, is_base, builder)?;
                builder.add_call(Call { site, callee }, count, cost)?;
            }
        }
        for (place, cost) in side.skipped() {
            let place = moves.place(place, &[], is_base, builder)?;
            builder.add_skipped(place, cost);
        }
        for (&jump, counts) in profile.jumps.iter().zip(side.jump_counts().iter()) {
            let site = moves.place(jump.site, &[], is_base, builder)?;
            builder.add_jump(
                Jump { site, ..jump },
                counts[0].or_zero(),
                counts[1].or_zero(),
            )?;
        }
        Ok(())
    })?;
    Ok(builder.finish())
}

/// The numbers of places, or of calls from them, in the order of moving: instructions by function and address.
fn in_order(
    profile: &Profile,
    side: &Measured,
    places: &[Place],
    callee: impl Fn(usize) -> Option<FunctionId>,
) -> impl Iterator<Item = usize> {
    let function = |place: Place| profile.fragment(place.fragment).function;
    let mut order: Vec<u32> = (0..places.len() as u32).collect();
    if side.has_addresses {
        let groups = places.iter().map(|&place| Some(function(place).index()));
        order = Groups::new(profile.function_count(), groups).members;
        let place = |number: u32| places[number as usize];
        let key = |&number: &u32| (profile.location(place(number)), callee(number as usize));
        let of_functions = order.chunk_by_mut(|&a, &b| function(place(a)) == function(place(b)));
        of_functions.for_each(|of_function| of_function.sort_by_key(key));
    }
    order.into_iter().map(|number| number as usize)
}
