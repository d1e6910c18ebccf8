//! What the program spends in functions of the C and C++ libraries that allocate, copy or compare,
//! and the user's own line that most of it is for.
//!
//! The cost of such a call is that of the innermost own line that leads to it. A function of a
//! library may be called from several lines: its part is then divided among these in proportion to
//! what the calls cost, which is an estimate.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::code::{FileLine, Frame};
use super::items::Item;
use super::leads::lead_to;
use super::spent::Spent;
use crate::profile::FunctionId;
use crate::source::bare_c_name;
use crate::view::charged::is_std_object;
use crate::view::quotient::rounded;
use crate::view::thread_costs::{last_thread, thread_of};

/// What functions of a library do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LibraryWork {
    Memory,
    Copies,
    Comparisons,
}

/// By the beginning of their names, which a variant for some processors may follow.
#[rustfmt::skip]
const FUNCTIONS: [(&str, LibraryWork); 26] = [
    ("malloc", LibraryWork::Memory), ("calloc", LibraryWork::Memory),
    ("realloc", LibraryWork::Memory), ("free", LibraryWork::Memory),
    ("aligned_alloc", LibraryWork::Memory), ("posix_memalign", LibraryWork::Memory),
    ("operator new", LibraryWork::Memory), ("operator delete", LibraryWork::Memory),
    ("memcpy", LibraryWork::Copies), ("memmove", LibraryWork::Copies),
    ("mempcpy", LibraryWork::Copies), ("memset", LibraryWork::Copies),
    ("strcpy", LibraryWork::Copies), ("strncpy", LibraryWork::Copies),
    ("stpcpy", LibraryWork::Copies), ("strcat", LibraryWork::Copies),
    ("memcmp", LibraryWork::Comparisons), ("bcmp", LibraryWork::Comparisons),
    ("strcmp", LibraryWork::Comparisons), ("strncmp", LibraryWork::Comparisons),
    ("strcasecmp", LibraryWork::Comparisons), ("strlen", LibraryWork::Comparisons),
    ("strnlen", LibraryWork::Comparisons), ("memchr", LibraryWork::Comparisons),
    ("strchr", LibraryWork::Comparisons), ("strstr", LibraryWork::Comparisons),
];

/// Work is shown from this part of the total on, a twentieth.
const TOTAL_PARTS: i128 = 20;

/// The line that most of it is for is named from this part on, a tenth.
const LINE_PARTS: i128 = 10;

/// A line that most calls of a function are made at has at least half of their cost.
const CALLER_PARTS: i128 = 2;

/// The functions that are named have this much of the work, three quarters, or are as many.
const NAMED_PARTS: (i128, i128) = (3, 4);
const MAX_NAMED: usize = 3;

/// A line that makes at least this many calls in each of several calls of its function repeats
/// them.
const REPEATED: i64 = 16;

/// The maximum number of kinds of work.
const MAX_WORKS: usize = 2;

/// The maximum number of lines that lead to the calls.
const MAX_LINES: usize = 3;

/// The innermost own line that leads to a call; of code whose lines are not recorded, its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct WorkPlace {
    function: FunctionId,
    line: FileLine,
    is_known: bool,
}

/// The calls that a line repeats.
pub(super) struct RepeatedCalls {
    /// How many there are in each call of this function.
    pub(super) each: i64,
    pub(super) of: FunctionId,
    /// The line that most calls of it are made at, by their cost.
    pub(super) from: Option<FileLine>,
}

pub(super) struct Work {
    pub(super) kind: LibraryWork,
    pub(super) cost: i64,
    /// None if their number is not known.
    pub(super) calls: Option<i64>,
    /// The functions that most of the cost is in, the most expensive first.
    pub(super) most: Vec<FunctionId>,
    pub(super) line: Option<WorkOfLine>,
}

/// The work that is for one line.
pub(super) struct WorkOfLine {
    /// The part of the cost, and whether that is an estimate.
    pub(super) cost: i64,
    pub(super) is_estimated: bool,
    /// The function that has the line, if the line is not recorded.
    pub(super) unknown_in: Option<FunctionId>,
    /// The line, and those that lead to it alone.
    pub(super) from: Vec<FileLine>,
    pub(super) repeated: Option<RepeatedCalls>,
}

/// What a function of this name does, in an object of the C or C++ library.
fn work_of(object: &[u8], name: &[u8]) -> Option<LibraryWork> {
    if !is_std_object(object) {
        return None;
    }
    let bare = bare_c_name(name);
    let is_end = |rest: &[u8]| matches!(rest.first(), None | Some(b'_' | b'(' | b'['));
    let mut known = FUNCTIONS.iter();
    let found = known.find(|(start, _)| bare.strip_prefix(start.as_bytes()).is_some_and(is_end));
    found.map(|&(_, work)| work)
}

/// By function the work that it does. A function of a library for which functions of one kind paid
/// nearly all, such as `_int_malloc`, does theirs.
fn kinds_of_functions(spent: Spent<'_, '_>) -> Vec<Option<LibraryWork>> {
    let items = spent.items;
    let profile = items.profile;
    let object = |function: FunctionId| profile.object(profile.function(function).object);
    let mut kinds: Vec<Option<LibraryWork>> = profile
        .functions()
        .map(|(id, function)| work_of(object(id), profile.name(function.name)))
        .collect();
    // Callers come first.
    for &function in items.graph.in_order() {
        if kinds[function.index()].is_some() || !is_std_object(object(function)) {
            continue;
        }
        let mut paid: BTreeMap<Option<LibraryWork>, i128> = BTreeMap::new();
        for call in items.calls_to(function) {
            let cost = i128::from(spent.cost(call).max(0));
            *paid.entry(kinds[items.function(call).index()]).or_default() += cost;
        }
        let all: i128 = paid.values().sum();
        let most = paid.into_iter().max_by_key(|&(_, cost)| cost);
        kinds[function.index()] =
            most.filter(|(_, cost)| all > 0 && cost * 100 >= all * 99).and_then(|(kind, _)| kind);
    }
    kinds
}

/// The calls of functions that do such work by those that do not. What a function does for another
/// of these, such as the copying of `realloc`, is the work of that one.
fn calls_of_work(spent: Spent<'_, '_>) -> Vec<(LibraryWork, Item)> {
    let items = spent.items;
    let kinds = kinds_of_functions(spent);
    let calls = items.all_calls().filter_map(|call| {
        let work = kinds[items.callee(call)?.index()]?;
        kinds[items.function(call).index()].is_none().then_some((work, call))
    });
    calls.collect()
}

/// The work that is much of the total.
pub(super) fn library_work(spent: Spent<'_, '_>, total: i64) -> Vec<Work> {
    let mut calls_of: BTreeMap<LibraryWork, Vec<Item>> = BTreeMap::new();
    for (work, call) in calls_of_work(spent) {
        calls_of.entry(work).or_default().push(call);
    }
    let found = calls_of.into_iter().filter_map(|(kind, calls)| {
        let finder = WorkFinder { spent, calls };
        let work = finder.find(kind, total)?;
        Some(Work { line: finder.of_line(work.cost.into()), ..work })
    });
    largest(found.collect())
}

/// What a thread costs, and the work that is much of that.
pub(super) struct WorkOfThread {
    pub(super) total: i64,
    pub(super) works: Vec<Work>,
}

/// The same by thread, without lines; empty if code is not apart by its thread.
pub(super) fn work_of_threads(spent: Spent<'_, '_>) -> Vec<WorkOfThread> {
    let items = spent.items;
    let Some(last) = last_thread(items.profile) else { return Vec::new() };
    let thread = |item: Item| thread_of(items.profile, items.place(item));
    let mut totals = vec![0i64; last + 1];
    for item in items.places() {
        let total = &mut totals[thread(item)];
        *total = total.saturating_add(spent.cost(item));
    }
    let mut calls_of: Vec<BTreeMap<LibraryWork, Vec<Item>>> = vec![BTreeMap::new(); last + 1];
    for (work, call) in calls_of_work(spent) {
        calls_of[thread(call)].entry(work).or_default().push(call);
    }
    let of_thread = |(total, calls_of): (i64, BTreeMap<LibraryWork, Vec<Item>>)| {
        let found = calls_of
            .into_iter()
            .filter_map(|(kind, calls)| WorkFinder { spent, calls }.find(kind, total));
        WorkOfThread { total, works: largest(found.collect()) }
    };
    totals.into_iter().zip(calls_of).map(of_thread).collect()
}

fn largest(mut works: Vec<Work>) -> Vec<Work> {
    works.sort_by_key(|work| Reverse(work.cost));
    works.truncate(MAX_WORKS);
    works
}

struct WorkFinder<'a, 'p> {
    spent: Spent<'a, 'p>,
    /// The calls of functions that do the work by those that do not.
    calls: Vec<Item>,
}

impl WorkFinder<'_, '_> {
    fn cost(&self, call: Item) -> i128 {
        i128::from(self.spent.cost(call).max(0))
    }

    fn count<'i>(&self, mut calls: impl Iterator<Item = &'i Item>) -> Option<i64> {
        calls.try_fold(0, |sum: i64, &call| {
            Some(sum.saturating_add(self.spent.items.counted(call)?))
        })
    }

    /// The work, without its line.
    fn find(&self, kind: LibraryWork, total: i64) -> Option<Work> {
        let sum: i128 = self.calls.iter().map(|&call| self.cost(call)).sum();
        // Callers may have recorded more than the program cost.
        let cost = sum.min(i128::from(total));
        if cost <= 0 || cost * TOTAL_PARTS < i128::from(total) {
            return None;
        }
        Some(Work {
            kind,
            cost: i64::try_from(cost).ok()?,
            calls: self.count(self.calls.iter()),
            most: self.most_expensive(sum),
            line: None,
        })
    }

    /// The functions that most of the cost is in.
    fn most_expensive(&self, cost: i128) -> Vec<FunctionId> {
        let mut of_functions: BTreeMap<FunctionId, i128> = BTreeMap::new();
        for &call in &self.calls {
            let Some(callee) = self.spent.items.callee(call) else { continue };
            *of_functions.entry(callee).or_default() += self.cost(call);
        }
        let mut of_functions: Vec<_> = of_functions.into_iter().collect();
        of_functions.sort_by_key(|&(_, cost)| Reverse(cost));
        let (parts, of) = NAMED_PARTS;
        let mut named = 0;
        let most = of_functions.into_iter().take(MAX_NAMED).take_while(|&(_, of_function)| {
            let is_needed = named * of < cost * parts;
            named += of_function;
            is_needed
        });
        most.map(|(function, _)| function).collect()
    }

    fn of_line(&self, cost: i128) -> Option<WorkOfLine> {
        let (place, of_line, is_estimated) = self.most_for()?;
        if of_line * LINE_PARTS < cost {
            return None;
        }
        let repeated = self.repeated(place);
        let mut from = vec![place.line];
        if repeated.is_none() && place.is_known {
            from.extend(lead_to(self.spent, place.function, MAX_LINES - 1));
        }
        Some(WorkOfLine {
            cost: i64::try_from(of_line.min(cost)).ok()?,
            is_estimated,
            unknown_in: (!place.is_known).then_some(place.function),
            from,
            repeated,
        })
    }

    /// The innermost own line of a call.
    fn own_place(&self, call: Item, frames: &mut Vec<Frame>) -> Option<WorkPlace> {
        self.spent.own_frames(call, frames);
        let own = frames.iter().rev().find(|frame| frame.is_own)?;
        let function = self.spent.items.function(call);
        Some(WorkPlace { function, line: own.line, is_known: own.is_known })
    }

    /// The place that most of the cost is for, how much, and whether that is an estimate.
    fn most_for(&self) -> Option<(WorkPlace, i128, bool)> {
        let mut frames = Vec::new();
        let mut of_places: BTreeMap<WorkPlace, (i128, bool)> = BTreeMap::new();
        let mut of_functions = vec![(0, false); self.spent.items.profile.function_count()];
        let mut add = |of_functions: &mut Vec<(i128, bool)>, call: Item, cost, is_estimated| {
            let sum = match self.own_place(call, &mut frames) {
                Some(place) => of_places.entry(place).or_default(),
                None => &mut of_functions[self.spent.items.function(call).index()],
            };
            *sum = (sum.0 + cost, sum.1 || is_estimated);
        };
        for &call in &self.calls {
            add(&mut of_functions, call, self.cost(call), false);
        }
        // Callees come first, but for cycles; what is left in these is for no line.
        for &function in self.spent.items.graph.in_order().iter().rev() {
            let (cost, is_estimated) = std::mem::take(&mut of_functions[function.index()]);
            if cost == 0 {
                continue;
            }
            let calls_to = self.spent.items.calls_to(function);
            let callers: Vec<Item> =
                calls_to.filter(|&call| !self.spent.items.is_inner(call)).collect();
            let paid: i128 = callers.iter().map(|&call| self.cost(call)).sum();
            let is_divided = is_estimated || callers.len() > 1;
            for call in callers.into_iter().filter(|_| paid > 0) {
                let part = cost.saturating_mul(self.cost(call)) / paid;
                add(&mut of_functions, call, part, is_divided);
            }
        }
        let most = of_places.into_iter().max_by_key(|&(place, (cost, _))| (cost, Reverse(place)));
        most.map(|(place, (cost, is_estimated))| (place, cost, is_estimated))
    }

    /// The calls that the place makes itself, if it makes them often in each call of its function.
    fn repeated(&self, place: WorkPlace) -> Option<RepeatedCalls> {
        let mut frames = Vec::new();
        let is_here = |&&call: &&Item| self.own_place(call, &mut frames) == Some(place);
        let here = self.calls.iter().filter(is_here);
        let calls = self.count(here)?;
        let (by_others, by_itself) = self.spent.items.times_called(place.function)?;
        if by_others < 2 {
            return None;
        }
        let times = i128::from(by_others) + i128::from(by_itself);
        let each = i64::try_from(rounded(calls.into(), times)).ok()?;
        if each < REPEATED {
            return None;
        }
        let mut frames_of_caller = Vec::new();
        let (mut of_lines, mut paid) = (BTreeMap::<FileLine, i128>::new(), 0);
        for call in self.spent.items.calls_to(place.function) {
            let cost = self.cost(call);
            paid += cost;
            if let Some(of) = self.own_place(call, &mut frames_of_caller).filter(|of| of.is_known) {
                *of_lines.entry(of.line).or_default() += cost;
            }
        }
        let most = of_lines.into_iter().max_by_key(|&(line, cost)| (cost, Reverse(line)));
        let from = most.filter(|&(_, cost)| cost * CALLER_PARTS >= paid).map(|(line, _)| line);
        Some(RepeatedCalls { each, of: place.function, from })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_allocate_copy_and_compare() {
        let table = [
            ("/lib/libc.so.6", "malloc", Some(LibraryWork::Memory)),
            ("/lib/libc.so.6", "_int_malloc", None),
            ("/lib/libc.so.6", "malloc_consolidate", Some(LibraryWork::Memory)),
            ("/lib/ld-linux-x86-64.so.2", "free", Some(LibraryWork::Memory)),
            ("/lib/libstdc++.so.6", "operator new(unsigned long)", Some(LibraryWork::Memory)),
            ("/lib/libstdc++.so.6", "operator delete[](void*)", Some(LibraryWork::Memory)),
            ("/lib/libc.so.6", "__memset_avx2_unaligned_erms", Some(LibraryWork::Copies)),
            ("/lib/libc.so.6", "__memcpy_chk", Some(LibraryWork::Copies)),
            ("/lib/libc.so.6", "__memcmp_avx2_movbe", Some(LibraryWork::Comparisons)),
            ("/lib/libc.so.6", "strcmpx", None),
            ("/lib/libc.so.6", "freeaddrinfo", None),
            ("/tmp/demo/prog", "malloc", None),
        ];
        for (object, name, expected) in table {
            assert_eq!(work_of(object.as_bytes(), name.as_bytes()), expected, "{object} {name}");
        }
    }
}
