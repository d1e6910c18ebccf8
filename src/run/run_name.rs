//! What the name of a file says about the profile in it: the run or benchmark that it is of,
//! whether that is an earlier one, and which process, part and thread of it.
//!
//! | name | who writes it |
//! | --- | --- |
//! | `callgrind.out.PID`, `.PID.PART`, `.PID-THREAD`, `.PID.PART-THREAD` | Callgrind |
//! | `cachegrind.out.PID` | Cachegrind, Xdebug |
//! | `xtmemory.kcg.PID`, `xtleak.kcg.PID` | valgrind's `--xtree-memory`, `--xtree-leak` |
//! | `NAME.callgrind.out.PID` | ruby-prof |
//! | `cachegrind.out.BENCHMARK` | iai |
//! | `callgrind.BENCHMARK[.PID][.tTHREAD][.pPART].out` | gungraun, iai-callgrind |
//! | `callgrind.BENCHMARK.out[.#PID][.PART][-THREAD]` | the same, if a benchmark has failed |
//!
//! Each is with or without `.gz`. `.old` and `.base@NAME` are earlier runs: at the end of a name,
//! and of the last form before its process. gungraun leaves messages (`.log`) and flame graphs
//! (`.svg`) beside them.

use std::cmp::Reverse;

/// The beginnings of the names of files that are read by default.
pub(super) const PREFIXES: [&str; 2] = ["callgrind.out", "cachegrind.out"];

/// What is before the number of a process in the names that valgrind's tools choose.
const OF_VALGRIND: [&str; 4] = [PREFIXES[0], PREFIXES[1], "xtmemory.kcg", "xtleak.kcg"];

/// The beginnings of gungraun's names.
const TOOLS: [&str; 2] = ["callgrind.", "cachegrind."];

/// The beginnings of what valgrind's other tools write for gungraun, which are no profiles of
/// functions.
const OTHER_TOOLS: [&str; 6] = ["dhat.", "drd.", "exp-bbv.", "helgrind.", "massif.", "memcheck."];

/// The endings of files that gungraun writes beside its profiles.
const BESIDE: [&str; 2] = [".log", ".svg"];

/// The file of a benchmark's figures.
const SUMMARY: &str = "summary.json";

/// When a run was, as far as names say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Age {
    Current,
    /// The run before the current one.
    Old,
    /// One that the user has kept under a name.
    Baseline,
}

/// The process and prefix of a run's files, or without a process their name. Of two runs of the
/// same age the greater is read.
pub(super) type RunKey = (Option<u64>, &'static str, Reverse<String>);

/// The position of a file in its run: the number of its process, its part and its thread. The last
/// part has no number, and neither have the processes of different runs.
pub(super) type RunPosition = (u64, u64, u64);

/// A name of one of the forms above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RunName {
    pub(super) key: RunKey,
    pub(super) age: Age,
    /// The name of a kept run, else nothing.
    pub(super) baseline: String,
    /// The index of its tool among those that measure one benchmark, the best first.
    pub(super) tool: usize,
    pub(super) place: RunPosition,
}

impl RunName {
    /// What a name says; none if it is not of one of the forms. `is_empty` is whether the file of a
    /// name is empty.
    pub(super) fn parse(name: &str, is_empty: impl Fn(&str) -> bool) -> Option<RunName> {
        let plain = name.strip_suffix(".gz").unwrap_or(name);
        of_valgrind(plain, is_empty).or_else(|| of_benchmark(plain))
    }

    /// A profile of another name, which is a run by itself, or has a thread of one.
    pub(super) fn of_other(name: &str, is_empty: impl Fn(&str) -> bool) -> RunName {
        let plain = name.strip_suffix(".gz").unwrap_or(name);
        let (run, place) = of_thread(plain, is_empty).unwrap_or((name, (0, 0, 0)));
        let key = (None, "profile", Reverse(run.to_owned()));
        RunName { key, age: Age::Current, baseline: String::new(), tool: 0, place }
    }
}

/// The prefix in the key of a benchmark, whichever tools have measured it.
pub(super) const BENCHMARK: &str = "";

/// Whether a file of this name, which is no profile, is what gungraun writes beside its profiles.
pub(super) fn is_beside(name: &str) -> bool {
    let (name, _, _) = split_age(name);
    let ends = |end: &str| {
        let rest = name.rsplit_once(end).map(|(_, rest)| rest);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(".#"))
    };
    let is_of = |tools: &[&str]| tools.iter().any(|tool| name.starts_with(tool));
    let is_beside = BESIDE.iter().any(|end| ends(end));
    is_of(&TOOLS) && is_beside
        || is_of(&OTHER_TOOLS) && (is_beside || ends(".out"))
        || name == SUMMARY
}

/// A name with one of valgrind's, perhaps after another word.
fn of_valgrind(name: &str, is_empty: impl Fn(&str) -> bool) -> Option<RunName> {
    let (prefix, at) = OF_VALGRIND.iter().find_map(|prefix| {
        let at = name.find(prefix)?;
        let is_word = at == 0 || name[..at].ends_with(['.', '-', '_', ' ']);
        is_word.then_some((*prefix, at))
    })?;
    let (run, age, baseline) = split_age(name);
    let end = run.get(at + prefix.len()..)?;
    let (key, place) = match process(end) {
        Some((pid, place)) => ((Some(pid), prefix, Reverse(name[..at].to_owned())), place),
        None => {
            let (file, place) = of_thread(run, is_empty).unwrap_or((run, (0, 0, 0)));
            ((None, prefix, Reverse(file.to_owned())), place)
        }
    };
    Some(RunName { key, age, baseline: baseline.to_owned(), tool: 0, place })
}

/// The run of a thread's file and its place there, if its name without the thread, and without a
/// part, is that of an empty file: callgrind leaves the file of the whole run empty if threads are
/// apart.
fn of_thread(name: &str, is_empty: impl Fn(&str) -> bool) -> Option<(&str, RunPosition)> {
    let (with_part, _) = name.rsplit_once('-')?;
    let (without_part, _) = numbered(with_part, ".");
    let run = [with_part, without_part].into_iter().find(|run| is_empty(run))?;
    let (part, thread) = place(&name[run.len()..])?;
    Some((run, (0, part, thread)))
}

/// A name of gungraun's.
fn of_benchmark(name: &str) -> Option<RunName> {
    let tool = TOOLS.iter().position(|tool| name.starts_with(tool))?;
    let ends = name.rmatch_indices(".out").map(|(at, out)| (&name[..at], &name[at + out.len()..]));
    let (start, end) =
        ends.into_iter().find(|(_, end)| end.is_empty() || end.starts_with(['.', '-']))?;
    let (age, baseline, end) = strip_age(end);
    let (pid, end) = strip_process(end);
    let (part, thread) = place(end)?;
    let benchmark = start.strip_prefix(TOOLS[tool])?;
    let (benchmark, of_part) = numbered(benchmark, ".p");
    let (benchmark, of_thread) = numbered(benchmark, ".t");
    let (benchmark, of_process) = numbered(benchmark, ".");
    if benchmark.is_empty() {
        return None;
    }
    let process = of_process.or(pid).unwrap_or(0);
    let place = (process, of_part.unwrap_or(part), of_thread.unwrap_or(thread));
    let key = (None, BENCHMARK, Reverse(benchmark.to_owned()));
    Some(RunName { key, age, baseline: baseline.to_owned(), tool, place })
}

/// Splits off an earlier run at the start; the second is the name of one that was kept.
fn strip_age(end: &str) -> (Age, &str, &str) {
    if let Some(end) = end.strip_prefix(".old") {
        return (Age::Old, "", end);
    }
    let kept = end.strip_prefix(".base@").map(|kept| {
        let (baseline, end) = kept.split_at(kept.find(['.', '-']).unwrap_or(kept.len()));
        (Age::Baseline, baseline, end)
    });
    kept.filter(|(_, baseline, _)| !baseline.is_empty()).unwrap_or((Age::Current, "", end))
}

/// The same for an earlier run at the end of a name; the first is what is before it.
fn split_age(name: &str) -> (&str, Age, &str) {
    let at = name.rfind(".old").max(name.rfind(".base@"));
    let (run, end) = name.split_at(at.unwrap_or(name.len()));
    match strip_age(end) {
        (age, baseline, "") => (run, age, baseline),
        _ => (name, Age::Current, ""),
    }
}

/// Splits off a number at the end that follows `mark`.
fn numbered<'n>(name: &'n str, mark: &str) -> (&'n str, Option<u64>) {
    let split = name.rsplit_once(mark).and_then(|(name, text)| Some((name, number(text)?)));
    split.map_or((name, None), |(name, number)| (name, Some(number)))
}

/// Splits off a process at the start, `.#PID`.
fn strip_process(end: &str) -> (Option<u64>, &str) {
    let split = end.strip_prefix(".#").and_then(|text| {
        let (pid, end) = text.split_at(text.find(['.', '-']).unwrap_or(text.len()));
        Some((number(pid)?, end))
    });
    split.map_or((None, end), |(pid, end)| (Some(pid), end))
}

fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// The process of `.PID`, `.PID.PART`, `.PID-THREAD` or `.PID.PART-THREAD`, and the place of the
/// file.
fn process(end: &str) -> Option<(u64, RunPosition)> {
    let end = end.strip_prefix('.')?;
    let (pid, end) = end.split_at(end.find(['.', '-']).unwrap_or(end.len()));
    let (part, thread) = place(end)?;
    Some((number(pid)?, (0, part, thread)))
}

/// The part and thread of what follows the name of a run: nothing, `.PART`, `-THREAD` or
/// `.PART-THREAD`.
pub(super) fn place(end: &str) -> Option<(u64, u64)> {
    let (part, thread) = match end.split_once('-') {
        Some((part, thread)) => (part, number(thread)?),
        None => (end, 0),
    };
    match part {
        "" => Some((u64::MAX, thread)),
        part => Some((number(part.strip_prefix('.')?)?, thread)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a name says, in words.
    fn said(name: &str) -> String {
        let Some(name) = RunName::parse(name, |run| run == "callgrind.out.empty") else {
            return if is_beside(name) { "beside".to_owned() } else { "nothing".to_owned() };
        };
        let (pid, prefix, Reverse(run)) = name.key;
        let (process, part, thread) = name.place;
        let mut words = match prefix {
            BENCHMARK => vec![TOOLS[name.tool].to_owned() + &run],
            prefix => vec![format!("{run} {prefix}").trim().to_owned()],
        };
        words.extend(pid.map(|pid| format!("process {pid}")));
        words.extend((process > 0).then(|| format!("process {process}")));
        words.extend((part > 0 && part < u64::MAX).then(|| format!("part {part}")));
        words.extend((thread > 0).then(|| format!("thread {thread}")));
        match name.age {
            Age::Current => {}
            Age::Old => words.push("old".to_owned()),
            Age::Baseline => words.push(format!("kept as {}", name.baseline)),
        }
        words.join(", ")
    }

    #[test]
    fn names_say_run_place_and_age() {
        let table = [
            ("callgrind.out.7", "callgrind.out, process 7"),
            ("callgrind.out.7.gz", "callgrind.out, process 7"),
            ("callgrind.out.7.2", "callgrind.out, process 7, part 2"),
            ("callgrind.out.7-01", "callgrind.out, process 7, thread 1"),
            ("callgrind.out.7.10-02.gz", "callgrind.out, process 7, part 10, thread 2"),
            ("callgrind.out.7.old", "callgrind.out, process 7, old"),
            ("cachegrind.out.12", "cachegrind.out, process 12"),
            ("xtmemory.kcg.12", "xtmemory.kcg, process 12"),
            ("xtleak.kcg.12", "xtleak.kcg, process 12"),
            ("profile.callgrind.out.12", "profile. callgrind.out, process 12"),
            ("Hello World.callgrind.out.12", "Hello World. callgrind.out, process 12"),
            ("mycallgrind.out.12", "nothing"),
            ("callgrind.out", "callgrind.out callgrind.out"),
            ("callgrind.out.app", "callgrind.out.app callgrind.out"),
            ("callgrind.out.7-", "callgrind.out.7- callgrind.out"),
            ("callgrind.out.empty-02", "callgrind.out.empty callgrind.out, thread 2"),
            ("callgrind.out.full-02", "callgrind.out.full-02 callgrind.out"),
            ("cachegrind.out.fib", "cachegrind.out.fib cachegrind.out"),
            ("cachegrind.out.fib.old", "cachegrind.out.fib cachegrind.out, old"),
            ("callgrind.bench.out", "callgrind.bench"),
            ("callgrind.bench.id.out", "callgrind.bench.id"),
            ("cachegrind.bench.out", "cachegrind.bench"),
            ("callgrind.bench.out.old", "callgrind.bench, old"),
            ("callgrind.bench.out.base@main_2", "callgrind.bench, kept as main_2"),
            ("callgrind.bench.out.gz", "callgrind.bench"),
            ("callgrind.bench.t1.p2.out", "callgrind.bench, part 2, thread 1"),
            ("callgrind.bench.t1.p2.out.old", "callgrind.bench, part 2, thread 1, old"),
            ("callgrind.bench.p2.out", "callgrind.bench, part 2"),
            ("callgrind.bench.2049595.out", "callgrind.bench, process 2049595"),
            (
                "callgrind.bench.2049595.t12.out.base@a",
                "callgrind.bench, process 2049595, thread 12, kept as a",
            ),
            ("callgrind.bench.out.#12", "callgrind.bench, process 12"),
            ("callgrind.bench.out.#12.1-02", "callgrind.bench, process 12, part 1, thread 2"),
            (
                "callgrind.bench.out.base@a.#12-02",
                "callgrind.bench, process 12, thread 2, kept as a",
            ),
            ("callgrind.bench.out.1", "callgrind.bench, part 1"),
            ("callgrind.bench.out-01", "callgrind.bench, thread 1"),
            ("callgrind.a.out.b.out", "callgrind.a.out.b"),
            ("callgrind.é.out", "callgrind.é"),
            ("callgrind.bench.log", "beside"),
            ("callgrind.bench.log.old", "beside"),
            ("callgrind.bench.log.base@main", "beside"),
            ("callgrind.bench.log.#12", "beside"),
            ("callgrind.bench.total.Ir.flamegraph.svg", "beside"),
            ("callgrind.bench.total.Ir.flamegraph.diff.old.svg", "beside"),
            ("callgrind.out.é.svg", "callgrind.out.é.svg callgrind.out"),
            ("callgrind.out.b.log", "callgrind.out.b.log callgrind.out"),
            ("callgrind.bench.out.txt", "nothing"),
            ("callgrind.bench.out.base@", "nothing"),
            ("callgrind..out", "nothing"),
            ("callgrind.outé", "callgrind.outé callgrind.out"),
            ("callgrind.log", "beside"),
            ("dhat.bench.out", "beside"),
            ("memcheck.bench.log.#7", "beside"),
            ("massif.bench.out.old", "beside"),
            ("massif.out.7", "nothing"),
            ("a.out", "nothing"),
            ("summary.json", "beside"),
            ("callgrind.", "nothing"),
            (".out", "nothing"),
        ];
        for (name, expected) in table {
            assert_eq!(said(name), expected, "{name}");
        }
    }

    #[test]
    fn a_name_with_a_thread_is_of_the_run_that_is_empty() {
        let table = [
            ("app.cg", "app.cg", (0, 0, 0)),
            ("app.cg-02", "app.cg-02", (0, 0, 0)),
            ("empty-02", "empty", (0, u64::MAX, 2)),
            ("empty-02.gz", "empty", (0, u64::MAX, 2)),
            ("empty.3-02", "empty", (0, 3, 2)),
            ("empty.3", "empty.3", (0, 0, 0)),
            ("empty-x", "empty-x", (0, 0, 0)),
        ];
        for (name, run, place) in table {
            let said = RunName::of_other(name, |run| run == "empty");
            assert_eq!((said.key.2.0.as_str(), said.place), (run, place), "{name}");
        }
    }
}
