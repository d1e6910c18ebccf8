//! Cachegrind writes the code that was inlined into a function under the file that it is from, with
//! the name of the function: a function of several files is one function here, as in profiles of
//! Callgrind.

use hashbrown::HashMap;

use super::{Moved, with_places};
use crate::profile::{AddError, Fragment, FunctionId, NameId, ObjectId, Profile};

/// Makes the functions of one object and name one function. Its file is the one with most of the
/// cost of the first event, and the first of equal ones.
pub fn join_files(profile: Profile) -> Result<Profile, AddError> {
    let count = profile.function_count();
    let costs = profile.self_costs_by(count, |_, of| Some(of.function.index()));
    let cost_of = |function: FunctionId| {
        let sides = costs.iter().map(|costs| costs.get(function.index()).first());
        let counts = sides.map(|count| count.map_or(0, |count| i128::from(count.or_zero()).abs()));
        counts.sum::<i128>()
    };
    let mut homes: HashMap<(ObjectId, NameId), (i128, FunctionId)> = HashMap::new();
    for (id, function) in profile.functions() {
        let cost = cost_of(id);
        let home = homes.entry((function.object, function.name)).or_insert((cost, id));
        if cost > home.0 {
            *home = (cost, id);
        }
    }
    if homes.len() == count {
        return Ok(profile);
    }
    with_places(&profile, |moved, _, builder| {
        let Moved::Code { place, call, .. } = moved else {
            return Ok(());
        };
        let home = |function: FunctionId| {
            let function = profile.function(function);
            homes[&(function.object, function.name)].1
        };
        let Fragment { function, file, division } = profile.fragment(place.fragment);
        place.fragment = builder.functions().fragment(home(function), file, division)?;
        if let Some((_, callee)) = call {
            *callee = home(*callee);
        }
        Ok(())
    })
}
