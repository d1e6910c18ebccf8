//! The profiles that are read by default: the newest run in the current directory, with all its parts and threads.
//!
//! A run is all files of one prefix and process: `callgrind.out.PID`, `.PID.PART`, `.PID-THREAD`, `.PID.PART-THREAD`, each
//! with or without `.gz`. So are `NAME-THREAD` beside an empty `NAME`. Any other profile named `callgrind.out*` or
//! `cachegrind.out*` is a run by itself.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::message::display_path;
use crate::read;
use crate::render::counted;

const PREFIXES: [&str; 2] = ["callgrind.out", "cachegrind.out"];

pub(super) struct Newest {
    /// Its files by part, the last part, which has no number, at the end; those of a part by thread.
    pub(super) files: Vec<PathBuf>,
    pub(super) runs: usize,
    /// The time of its newest file.
    modified: Option<SystemTime>,
}

impl Newest {
    /// The file of a newer run that is empty: callgrind creates it when the program starts. Of
    /// threads apart, the file of the whole run stays empty.
    pub(super) fn newer_empty(&self) -> Option<PathBuf> {
        let (empty, modified) = newest_empty().filter(|(_, modified)| *modified > self.modified)?;
        let name = empty.to_str()?;
        let is_of_run = self.files.iter().filter_map(|file| file.to_str()).any(|file| {
            file.strip_prefix(name).is_some_and(|end| place(end.trim_end_matches(".gz")).is_some())
        });
        (!is_of_run && modified.is_some()).then_some(empty)
    }
}

impl fmt::Display for Newest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.files.last().map(|file| display_path(file));
        write!(f, "reading {}", last.unwrap_or_default())?;
        if self.files.len() > 1 {
            write!(f, " and {}", counted(self.files.len() - 1, "more file"))?;
        }
        match self.runs {
            0 | 1 => Ok(()),
            runs => write!(f, " (newest of {runs} runs)"),
        }
    }
}

/// The process and prefix of a run's files, or without a process their name. Of two runs of the same age the greater is
/// read.
type RunKey = (Option<u64>, &'static str, Reverse<String>);

/// The position of a file in its run: the number of its part, then that of its thread.
type Place = (u64, u64);

/// The time of the newest file of a run, and its files.
type Run = (Option<SystemTime>, Vec<(Place, String)>);

pub(super) fn newest_run() -> Option<Newest> {
    let entries = || Some(fs::read_dir(".").ok()?.flatten());
    let is_empty = |entry: &fs::DirEntry| fs::metadata(entry.path()).is_ok_and(|of| of.len() == 0);
    let empty = entries()?.filter(is_empty);
    let empty: HashSet<_> = empty.map(|entry| entry.file_name()).collect();
    let files = entries()?.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let (key, place) = key(&name, |run| empty.contains(OsStr::new(run)))?;
        let file = fs::metadata(entry.path()).ok()?;
        // Names such as callgrind.out.12.svg are often other programs' output.
        let is_known = key.0.is_some() || read::is_profile(&entry.path());
        (file.is_file() && file.len() > 0 && is_known).then_some(())?;
        Some((key, place, name, file.modified().ok()))
    });
    newest_of(files)
}

/// The files of the run whose last part is `path`, parts and threads in order, but not those that are empty.
pub(super) fn files_of_run(path: &Path) -> Vec<PathBuf> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let run = path.file_name().and_then(OsStr::to_str);
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let files = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let place = place(name.strip_prefix(run?)?)?;
        let file = entry.metadata().ok()?;
        (file.is_file() && file.len() > 0).then(|| (place, path.with_file_name(name)))
    });
    let mut files: Vec<_> = files.collect();
    files.sort_unstable();
    files.into_iter().map(|(_, path)| path).collect()
}

/// The newest of the empty files in the current directory that are named as a profile of callgrind
/// is.
pub(super) fn newest_empty() -> Option<(PathBuf, Option<SystemTime>)> {
    let files = fs::read_dir(".").ok()?.flatten().filter_map(|entry| {
        let name =
            entry.file_name().into_string().ok().filter(|name| name.starts_with(PREFIXES[0]))?;
        let file = fs::metadata(entry.path()).ok()?;
        let is_empty = file.is_file() && file.len() == 0;
        is_empty.then(|| (file.modified().ok(), name))
    });
    files.max().map(|(modified, name)| (name.into(), modified))
}

/// The newest of the runs of these files; of equally new ones, that of the highest process.
fn newest_of(
    files: impl Iterator<Item = (RunKey, Place, String, Option<SystemTime>)>,
) -> Option<Newest> {
    let mut runs: BTreeMap<RunKey, Run> = BTreeMap::new();
    for (key, place, name, modified) in files {
        let (newest, files) = runs.entry(key).or_default();
        *newest = modified.max(*newest);
        files.push((place, name));
    }
    let count = runs.len();
    // Of equal ones the last.
    let (modified, mut files) = runs.into_values().max_by_key(|(newest, _)| *newest)?;
    files.sort_unstable();
    let files = files.into_iter().map(|(_, name)| name.into()).collect();
    Some(Newest { files, runs: count, modified })
}

/// The run of a file, and its place there; none if the name is not a profile's. Threads of a run with another name are known
/// by its own file, which is empty.
fn key(name: &str, is_empty: impl Fn(&str) -> bool) -> Option<(RunKey, Place)> {
    let prefix = PREFIXES.into_iter().find(|prefix| name.starts_with(prefix))?;
    let plain = name.strip_suffix(".gz").unwrap_or(name);
    let process = plain.strip_prefix(prefix).and_then(process);
    Some(match process {
        Some((pid, place)) => ((Some(pid), prefix, Reverse(String::new())), place),
        None => {
            let thread = plain.rsplit_once('-').filter(|(run, _)| is_empty(run));
            let thread = thread.and_then(|(run, thread)| Some((run, number(thread)?)));
            let (run, thread) = thread.unwrap_or((name, 0));
            ((None, prefix, Reverse(run.to_owned())), (0, thread))
        }
    })
}

fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// The process, part and thread of `.PID`, `.PID.PART`, `.PID-THREAD` or `.PID.PART-THREAD`.
fn process(end: &str) -> Option<(u64, Place)> {
    let end = end.strip_prefix('.')?;
    let (pid, end) = end.split_at(end.find(['.', '-']).unwrap_or(end.len()));
    Some((number(pid)?, place(end)?))
}

/// The part and thread of what follows the name of a run: nothing, `.PART`, `-THREAD` or `.PART-THREAD`.
pub(super) fn place(end: &str) -> Option<Place> {
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
    use std::time::Duration;

    use super::*;

    /// The newest run of files, each with its time in seconds, and how many runs there are.
    fn newest(files: &str) -> Option<String> {
        let files = files.split(' ').filter_map(|file| {
            let (name, seconds) = file.split_once('@')?;
            let (key, place) = key(name, |run| run == "callgrind.out.empty")?;
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.parse().ok()?);
            Some((key, place, name.to_owned(), Some(time)))
        });
        let newest = newest_of(files)?;
        let names = newest.files.iter().map(|file| file.to_string_lossy());
        let names = names.collect::<Vec<_>>().join(" ");
        Some(format!("{names} of {}", newest.runs))
    }

    #[test]
    fn the_newest_run_has_all_its_files() {
        let table = [
            "callgrind.out.9@2 callgrind.out.10@1 => callgrind.out.9 of 2",
            // Equal times: the highest process, and callgrind's before cachegrind's.
            "callgrind.out.9@1 callgrind.out.10@1 => callgrind.out.10 of 2",
            "cachegrind.out.10@1 callgrind.out.10@1 => callgrind.out.10 of 2",
            // A run is as new as its newest file.
            "callgrind.out.7@1 callgrind.out.8@4 callgrind.out.7.1@5 => callgrind.out.7.1 callgrind.out.7 of 2",
            "callgrind.out.7.10-01.gz@1 callgrind.out.7.2-02@1 callgrind.out.7.2-01@1 callgrind.out.7-01@1 \
             => callgrind.out.7.2-01 callgrind.out.7.2-02 callgrind.out.7.10-01.gz callgrind.out.7-01 of 1",
            // Other names are runs by themselves.
            "callgrind.out.app@3 callgrind.out.app.1@2 callgrind.out@1 => callgrind.out.app of 3",
            "callgrind.out.7@2 callgrind.out@1 => callgrind.out.7 of 2",
            "callgrind.out.7.x@3 callgrind.out.7@1 => callgrind.out.7.x of 2",
            "callgrind.out.empty-02@3 callgrind.out.empty-01@3 => callgrind.out.empty-01 callgrind.out.empty-02 of 1",
            "callgrind.log@3 callgrind.out.7-@1 => callgrind.out.7- of 1",
        ];
        for case in table {
            let (files, expected) = case.split_once(" => ").unwrap();
            assert_eq!(newest(files).as_deref(), Some(expected), "{files}");
        }
        assert_eq!(newest("massif.out.1@1"), None);
    }
}
