//! The system calls of a program, as far as they are recorded, and the lines that make most of
//! them.

use hashbrown::HashMap;

use super::code::FileLine;
use super::leads::lines_to;
use super::spent::Spent;
use crate::profile::FunctionId;
use crate::source::c_function;

/// The functions of the C library that make one system call.
#[rustfmt::skip]
const WRAPPERS: [&str; 55] = [
    "accept", "access", "brk", "clock_nanosleep", "close", "connect", "epoll_wait", "fcntl",
    "fdatasync", "fstat", "fstat64", "fsync", "getdents64", "getpid", "ioctl", "lseek", "lseek64",
    "madvise", "mmap", "munmap", "nanosleep", "open", "open64", "openat", "openat64", "poll",
    "pread", "pread64", "preadv", "preadv64", "pwrite", "pwrite64", "pwritev", "pwritev64", "read",
    "readv", "recv", "recvfrom", "recvmsg", "rename", "sched_yield", "select", "send", "sendmsg",
    "sendto", "shutdown", "socket", "stat", "stat64", "lstat", "unlink", "unlinkat", "wait4",
    "write", "writev",
];

/// Fewer system calls are not shown.
const MIN_CALLS: i64 = 1000;

/// The maximum number of lines that lead to them.
const MAX_LINES: usize = 4;

/// The event of Callgrind's --collect-systime.
const SYSTEM_CALLS: &[u8] = b"sysCount";

pub(super) struct SystemCalls {
    pub(super) count: i64,
    /// Whether there may be more: only the calls of some functions were counted.
    pub(super) is_at_least: bool,
    /// The function that makes most of them, and how many.
    pub(super) most: (FunctionId, i64),
    /// The lines that lead to it, innermost first.
    pub(super) from: Vec<FileLine>,
}

fn is_wrapper(object: &[u8], name: &[u8]) -> bool {
    let bare = c_function(object, name);
    bare.is_some_and(|name| WRAPPERS.iter().any(|wrapper| wrapper.as_bytes() == name))
}

pub(super) fn system_calls(spent: Spent<'_, '_>) -> Option<SystemCalls> {
    let items = spent.items;
    let profile = items.profile;
    let event = profile.events().find(SYSTEM_CALLS);
    let mut of_functions: HashMap<FunctionId, i64> = HashMap::new();
    match event {
        Some(event) => {
            for item in items.places() {
                *of_functions.entry(items.function(item)).or_default() += items.cost(item, event);
            }
        }
        None => {
            let wrappers = profile.functions().filter(|(_, function)| {
                is_wrapper(profile.object(function.object), profile.name(function.name))
            });
            let counted = |id| items.times_called(id).map_or(0, |(by_others, _)| by_others);
            of_functions.extend(wrappers.map(|(id, _)| (id, counted(id))));
        }
    }
    let count = of_functions.values().sum();
    let most =
        of_functions.into_iter().max_by_key(|&(id, count)| (count, std::cmp::Reverse(id)))?;
    if count < MIN_CALLS {
        return None;
    }
    let from = lines_to(spent, most.0, MAX_LINES);
    Some(SystemCalls { count, is_at_least: event.is_none(), most, from })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_make_one_system_call() {
        let table = [
            ("/lib/libc.so.6", "write", true),
            ("/lib/libc-2.31.so", "__libc_read", true),
            ("/lib/libc.so.6", "__GI___poll", true),
            ("/lib/libpthread-2.31.so", "pread64@@GLIBC_2.2.5", true),
            ("/lib/libc.so.6", "fwrite", false),
            ("/tmp/demo/prog", "write", false),
            ("", "write", false),
        ];
        for (object, name, expected) in table {
            assert_eq!(is_wrapper(object.as_bytes(), name.as_bytes()), expected, "{object} {name}");
        }
    }
}
