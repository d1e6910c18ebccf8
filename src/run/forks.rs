//! Whether processes whose costs are added up may have forked each other.
//!
//! Callgrind runs in the process that forks. Its child begins with a copy of all that was counted,
//! so that both profiles have what the parent did before. No line of a profile tells parents from
//! children; but both have the call of `fork`, and the same command.
//!
//! Calls are counted before the code of the C library is charged to its callers. A program that is
//! linked statically has the library's code itself, with functions that only the library names.

use hashbrown::HashSet;

use super::Context;
use crate::profile::{FunctionId, ObjectId, Profile};
use crate::source::{bare_c_name, is_c_library};

/// The functions of the C library that fork, of which some call others.
const FORKS: [&[u8]; 3] = [b"fork", b"vfork", b"_Fork"];

fn is_fork(has_library: bool, name: &[u8]) -> bool {
    has_library && FORKS.contains(&bare_c_name(name))
}

/// Whether a function is called by `fork`, and is of the C library by its name.
fn is_handler(name: &[u8]) -> bool {
    name.starts_with(b"__run_") && name.ends_with(b"fork_handlers")
}

/// How often a profile's programs forked.
pub(super) fn forks(profile: &Profile) -> i64 {
    let name_of = |id: FunctionId| profile.own_name(profile.function(id).name);
    let of_handlers = profile.functions().filter(|(id, _)| is_handler(name_of(*id)));
    let with_handlers: HashSet<ObjectId> = of_handlers.map(|(_, of)| of.object).collect();
    let is_fork_of = |id: FunctionId| {
        let object = profile.function(id).object;
        let has_library = is_c_library(profile.object(object)) || with_handlers.contains(&object);
        is_fork(has_library, name_of(id))
    };
    let is_fork: Vec<bool> = profile.functions().map(|(id, _)| is_fork_of(id)).collect();
    if !is_fork.contains(&true) {
        return 0;
    }
    let calls = profile.calls.iter().zip(&profile.sides().new.call_counts);
    let from_others = calls.filter(|(call, _)| {
        let caller = profile.fragment(call.site.fragment).function;
        is_fork[call.callee.index()] && !is_fork[caller.index()]
    });
    from_others.fold(0, |sum: i64, (_, &count)| sum.saturating_add(count))
}

impl Context<'_> {
    /// Whether one of several processes may have forked another one: all have one command, and
    /// together they forked at least once each, as a child has the call by which it began.
    pub(super) fn may_have_forked(&self, processes: usize) -> bool {
        let mut parts = self.profile.parts().iter();
        let Some(first) = parts.next() else {
            return false;
        };
        first.command.is_some()
            && parts.all(|part| part.command == first.command)
            && self.profile.is_from_callgrind()
            && usize::try_from(self.input.changes.forks).is_ok_and(|forks| forks >= processes)
    }
}

#[cfg(test)]
mod tests {
    use super::{is_fork, is_handler};
    use crate::source::is_c_library;

    #[test]
    fn functions_of_the_c_library_that_fork() {
        let table = [
            ("/usr/lib/x86_64-linux-gnu/libc.so.6", "fork", true),
            ("/lib/libc-2.31.so", "__libc_fork", true),
            ("/lib/libpthread-2.17.so", "fork", true),
            ("/lib/ld-musl-x86_64.so.1", "_Fork", true),
            ("/lib/libc.so.6", "fork@@GLIBC_2.2.5", true),
            ("/lib/libc.so.6", "__run_fork_handlers", false),
            // Philosophers have forks, too.
            ("/home/me/dining", "fork", false),
        ];
        for (object, name, expected) in table {
            let has_library = is_c_library(object.as_bytes());
            assert_eq!(is_fork(has_library, name.as_bytes()), expected, "{object} {name}");
        }
    }

    #[test]
    fn functions_that_only_a_c_library_names() {
        assert!(is_handler(b"__run_fork_handlers") && is_handler(b"__run_postfork_handlers"));
        assert!(!is_handler(b"run_fork_handlers") && !is_handler(b"__run_exit_handlers"));
    }
}
