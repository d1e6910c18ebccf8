//! What changes a profile before it is looked at: each file here makes another profile of one, so that views know of none of it.
//! The division by lines, which makes lines rows, is here.

mod charge;
mod inlines;
mod pair;

use hashbrown::HashMap;

use crate::profile::{
    AddError, Call, Division, FileId, Fragment, FragmentId, Jump, LimitExceeded, Place, Profile,
    ProfileBuilder,
};
use crate::source::LineMap;
pub use crate::transform::charge::{ChargedCode, MAX_NEW_CALLS, charge_to_callers, own_files};
pub use crate::transform::inlines::{
    CopiesAt, Inlined, InlinedCode, InlinedObjects, add_inlined, divide_by_inlined,
};
pub use crate::transform::pair::pair;

/// The same profile with a fragment for each line. Of files with a map the lines of BASE are those of NEW that they became.
pub fn divide_by_line(
    profile: Profile,
    maps: &HashMap<FileId, LineMap>,
) -> Result<Profile, AddError> {
    if maps.is_empty() {
        return Ok(profile.divided_by_line()?);
    }
    with_fragments(&profile, |place, is_base, builder| {
        let Fragment { function, file, .. } = profile.fragment(place.fragment);
        let line = profile.line(place);
        let in_new = match maps.get(&file).filter(|_| is_base) {
            Some(map) => map.of_old(line).in_new(),
            None => Some(line),
        };
        let division = in_new.map_or_else(|| Division::of_removed_line(line), Division::of_line);
        builder.functions().fragment(function, file, division)
    })
}

/// The same profile with another fragment for each place, which may depend on whether it is BASE's.
fn with_fragments(
    profile: &Profile,
    fragment: impl Fn(Place, bool, &mut ProfileBuilder) -> Result<FragmentId, LimitExceeded>,
) -> Result<Profile, AddError> {
    let mut builder = profile.builder_with_names();
    builder.add_sides(profile, |builder, side, is_base| {
        let moved = |place: Place, builder: &mut ProfileBuilder| {
            let fragment = fragment(place, is_base, builder)?;
            Ok::<_, AddError>(Place { fragment, ..place })
        };
        for (place, cost) in profile.costs_of(side) {
            let place = moved(place, builder)?;
            builder.add_cost(place, cost)?;
        }
        for (Call { site, callee }, count, cost) in profile.calls_of(side) {
            let site = moved(site, builder)?;
            builder.add_call(Call { site, callee }, count, cost)?;
        }
        for (place, cost) in side.skipped() {
            let place = moved(place, builder)?;
            builder.add_skipped(place, cost);
        }
        for (jump, taken, executed) in profile.jumps_of(side) {
            let site = moved(jump.site, builder)?;
            builder.add_jump(Jump { site, ..jump }, taken, executed)?;
        }
        Ok(())
    })?;
    Ok(builder.finish())
}
