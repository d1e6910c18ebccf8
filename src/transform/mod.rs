//! What changes a profile before it is looked at: each file here makes another profile of one, so that views know of none of it.
//! The division by lines, which makes lines rows, is here.

mod charge;
mod inlines;
mod pair;

use hashbrown::HashMap;

use crate::profile::{AddError, Call, Division, FileId, Fragment, Place, Profile, ProfileBuilder};
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
    let mut builder = profile.builder_with_names();
    let divided = |place: Place, is_base: bool, builder: &mut ProfileBuilder| {
        let Fragment { function, file, .. } = profile.fragment(place.fragment);
        let line = place.line;
        let in_new = match maps.get(&file).filter(|_| is_base) {
            Some(map) => map.of_old(line).in_new(),
            None => Some(line),
        };
        let division = in_new.map_or_else(|| Division::of_removed_line(line), Division::of_line);
        let fragment = builder.functions().fragment(function, file, division)?;
        Ok::<_, AddError>(Place { fragment, ..place })
    };
    builder.add_sides(&profile, |builder, side, is_base| {
        for (place, cost) in profile.costs_of(side) {
            let place = divided(place, is_base, builder)?;
            builder.add_cost(place, cost)?;
        }
        for (Call { site, callee }, count, cost) in profile.calls_of(side) {
            let site = divided(site, is_base, builder)?;
            builder.add_call(Call { site, callee }, count, cost)?;
        }
        Ok(())
    })?;
    Ok(builder.finish())
}
