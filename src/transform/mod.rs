//! Transforms a profile before the views: each file makes one profile from another.
//!
//! In the order in which a run uses them: `inlines` makes functions of inlined code, `join_files`
//! joins what Cachegrind recorded by file, `home_files` finds the file that defines a function,
//! `pair` and `rename` find what has another path or name on the other side, `below` keeps what
//! happened while a function ran or the rest, and `charge` charges code to its callers and folds
//! the suffixes of names. `static_calls` adds calls that never ran. Two short ones are here, with
//! the loop over costs and calls that most of them share (`with_places`): the division by lines,
//! and functions for the code that Cachegrind recorded in other files.

mod below;
mod charge;
mod home_files;
mod inlines;
mod join_files;
mod pair;
mod rename;
mod static_calls;

use hashbrown::HashMap;

use crate::graph::Groups;
use crate::profile::{
    AddError, BASE, Call, Count, Division, FileId, Fragment, FunctionId, Jump, Measured, Place,
    Position, Profile, ProfileBuilder,
};
use crate::source::LineMap;
pub use crate::transform::below::{Kept, KeptCost, keep};
pub use crate::transform::charge::{
    ChargedCode, LateFold, MAX_NEW_CALLS, charge_to_callers, fold_suffixes, own_files,
};
pub use crate::transform::home_files::{leave_distinct, with_home_files};
pub use crate::transform::inlines::{
    CodeIn, CopiesAt, InlinedAs, InlinedCode, InlinedObjects, KeptPositions, add_inlined,
    divide_by_inlined,
};
pub use crate::transform::join_files::join_files;
pub use crate::transform::pair::pair;
pub use crate::transform::rename::{
    body_lines, definition_around, function_around, lines_of_declarations, pair_renamed,
};
pub use crate::transform::static_calls::{StaticCallee, add_static_calls};

/// Divides fragments by line. In files with a map, lines of BASE become the lines of NEW that they
/// are aligned with.
pub fn divide_by_line(
    profile: Profile,
    maps: &HashMap<FileId, LineMap>,
) -> Result<Profile, AddError> {
    if maps.is_empty() {
        return Ok(profile.divided_by_line()?);
    }
    with_places(&profile, |moved, side, builder| {
        let Moved::Code { place, .. } = moved else {
            return Ok(());
        };
        let Fragment { function, file, .. } = profile.fragment(place.fragment);
        let line = profile.line(*place);
        let map = maps.get(&file).filter(|_| side == BASE);
        let in_new = map.map_or(Some(line), |map| map.of_old(line).in_new());
        let division = in_new.map_or_else(|| Division::of_removed_line(line), Division::of_line);
        place.fragment = builder.functions().fragment(function, file, division)?;
        Ok(())
    })
}

/// Makes the code of a function in a file other than its own a function that is inlined into it.
pub fn inline_files(profile: Profile) -> Result<Profile, AddError> {
    with_places(&profile, |moved, _, builder| {
        let Moved::Code { place, cost, .. } = moved else {
            return Ok(());
        };
        let at = profile.code_place(*place);
        let position = profile.position(place.position);
        let host = *builder.functions().get(at.function);
        if at.file != host.file {
            let callee = builder.functions().add_inlined(at.function, at.file, host.name)?;
            let site =
                builder.add_place(at.function, host.file, Position::of_line(0), at.division)?;
            let call = Call { site, callee, is_nested: false, is_from_nested: false };
            builder.add_call(call, 0, cost)?;
            *place = builder.add_place(callee, at.file, position, at.division)?;
        }
        Ok(())
    })
}

/// What [`with_places`] moves, of one side after the other.
enum Moved<'a> {
    /// A cost, or a call by its number in the profile and its callee. Jumps and skipped code have
    /// an empty cost, because they do not add to the costs.
    Code { place: &'a mut Place, call: Option<(usize, &'a mut FunctionId)>, cost: &'a [Count] },
    /// All costs and calls of the side have been moved.
    End,
}

/// Moves the costs and calls of a profile: `moved` changes places and callees by the index of
/// the side.
fn with_places(
    profile: &Profile,
    moved: impl FnMut(Moved<'_>, usize, &mut ProfileBuilder) -> Result<(), AddError>,
) -> Result<Profile, AddError> {
    move_places(profile, profile.builder_with_names(), moved)
}

/// Moves the costs and calls of a profile into a builder, which has the names of the profile.
fn move_places(
    profile: &Profile,
    mut builder: ProfileBuilder,
    mut moved: impl FnMut(Moved<'_>, usize, &mut ProfileBuilder) -> Result<(), AddError>,
) -> Result<Profile, AddError> {
    let sites: Vec<Place> = profile.calls.iter().map(|call| call.site).collect();
    builder.add_sides(profile, |builder, side, index| {
        for number in in_order(profile, side, &profile.places, |_| None) {
            if side.costs.has(number) {
                let (mut place, cost) = (profile.places[number], side.costs.table.get(number));
                let code = Moved::Code { place: &mut place, call: None, cost };
                moved(code, index, builder)?;
                builder.add_cost(place, cost)?;
            }
        }
        let callee = |number: usize| Some(profile.calls[number].callee);
        for number in in_order(profile, side, &sites, callee) {
            if side.calls.has(number) {
                let mut call = profile.calls[number];
                let (count, cost) = (side.call_counts[number], side.calls.table.get(number));
                let callee = Some((number, &mut call.callee));
                let code = Moved::Code { place: &mut call.site, call: callee, cost };
                moved(code, index, builder)?;
                // Levels of recursion are those of the function, not of its instances.
                call.is_nested &= call.callee == profile.calls[number].callee;
                let caller = builder.fragment(call.site.fragment).function;
                let caller_before = profile.fragment(profile.calls[number].site.fragment).function;
                // A copy has the level of the function that it is inlined into.
                call.is_from_nested &= builder.functions().host(caller) == caller_before;
                builder.add_call(call, count, cost)?;
            }
        }
        for (mut place, cost) in side.skipped() {
            moved(Moved::Code { place: &mut place, call: None, cost: &[] }, index, builder)?;
            builder.add_skipped(place, cost);
        }
        for (&jump, counts) in profile.jumps.iter().zip(side.jumps.table.iter()) {
            let mut site = jump.site;
            moved(Moved::Code { place: &mut site, call: None, cost: &[] }, index, builder)?;
            let [taken, executed] = [counts[0], counts[1]].map(Count::or_zero);
            builder.add_jump(Jump { site, ..jump }, taken, executed)?;
        }
        moved(Moved::End, index, builder)
    })?;
    Ok(builder.finish())
}

/// The largest part of what a function spent that a producer may have left out of what its callers
/// paid as it rounds each cost: a thousandth.
const MAX_ROUNDING: i128 = 1000;

/// Whether callers paid for what was spent but for rounding.
fn is_rounding(spent: i128, paid: i128) -> bool {
    (spent - paid).abs().saturating_mul(MAX_ROUNDING) <= spent.abs()
}

/// The numbers of places, or of calls from them, in the order of moving: instructions by function
/// and address.
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
        let key = |number: u32| (profile.code_place(place(number)), callee(number as usize));
        // Most addresses differ and are in order, and nothing else has to be looked up.
        let mut by_address: Vec<(u64, u32)> = Vec::new();
        for numbers in order.chunk_by_mut(|&a, &b| function(place(a)) == function(place(b))) {
            by_address.clear();
            by_address.extend(
                numbers.iter().map(|&of| (profile.position(place(of).position).address, of)),
            );
            if !by_address.is_sorted() {
                by_address.sort_unstable();
            }
            let of_addresses = by_address.chunk_by_mut(|(a, _), (b, _)| a == b);
            for at_address in of_addresses.filter(|all| all.len() > 1) {
                at_address.sort_by_key(|&(_, number)| key(number));
            }
            numbers.iter_mut().zip(&by_address).for_each(|(of, &(_, number))| *of = number);
        }
    }
    order.into_iter().map(|number| number as usize)
}
