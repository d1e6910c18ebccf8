//! Adds calls that a program's code has and that nothing recorded.

use super::{Moved, with_places};
use crate::profile::{
    AddError, Call, Division, FunctionId, FunctionKey, NEW, ObjectId, Position, Profile,
};

/// A function that is called in the code of another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StaticCallee {
    Known(FunctionId),
    /// One that the profile does not have, because it never ran.
    NeverRan(ObjectId, Box<[u8]>),
}

/// Adds calls with a count of 0 and an undefined cost, each of a caller and its callee.
pub fn add_static_calls(
    profile: &Profile,
    calls: &[(StaticCallee, StaticCallee)],
) -> Result<Profile, AddError> {
    with_places(profile, |moved, side, builder| {
        if side != NEW || !matches!(moved, Moved::End) {
            return Ok(());
        }
        for (caller, callee) in calls {
            let mut function = |of: &StaticCallee| match of {
                StaticCallee::Known(function) => Ok(*function),
                StaticCallee::NeverRan(object, name) => {
                    let (file, name) = (builder.add_file(b"???")?, builder.add_name(name)?);
                    builder.functions().add(FunctionKey { object: *object, file, name })
                }
            };
            let (caller, callee) = (function(caller)?, function(callee)?);
            let file = builder.functions().get(caller).file;
            let site = builder.add_place(caller, file, Position::of_line(0), Division::None)?;
            let call = Call { site, callee, is_nested: false, is_from_nested: false };
            builder.add_call(call, 0, &[])?;
        }
        Ok(())
    })
}
