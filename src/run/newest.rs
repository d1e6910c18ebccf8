//! The newest run of a folder, with all its processes, parts and threads. `run_name` says which
//! files are of one run.
//!
//! Without a file on the command line it is that of the current directory itself, among
//! `callgrind.out*` and `cachegrind.out*`. A folder on the command line is the newest run in it or
//! below it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Result, anyhow};

use super::message::display_path;
use super::run_name::{Age, BENCHMARK, PREFIXES, RunKey, RunName, RunPosition, place};
use crate::read;
use crate::render::{SuggestedCommand, counted};
use crate::source::{self, MAX_ENTRIES, WalkBounds, walk};

/// Where the search below a folder ends: gungraun's files are up to seven folders below a
/// workspace.
pub(super) const BOUNDS: WalkBounds = WalkBounds { entries: MAX_ENTRIES, depth: 10 };

/// What is said of an empty profile.
pub(super) const EMPTY: &str =
    "is empty: is the program still running? (callgrind_control -d writes what there is)";

/// The maximum number of files of other names whose first bytes are looked at.
const MAX_OTHERS: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct Newest {
    /// Its files by process and part, the last part, which has no number, at the end; those of a
    /// part by thread.
    pub(super) files: Vec<PathBuf>,
    /// The files of the run before it, if their names say so.
    pub(super) earlier: Vec<PathBuf>,
    pub(super) runs: usize,
    /// What the run is called by the names of its files, which is that of another run of the same
    /// benchmark too.
    pub(super) name: Option<String>,
    is_benchmark: bool,
    /// The time of its newest file.
    modified: Option<SystemTime>,
    /// The file of a newer run that is empty.
    pub(super) newer_empty: Option<PathBuf>,
}

impl Newest {
    /// How many benchmarks or profiles have runs where this one was found, by their names; 1 if
    /// this one's name is only that of a process: the others are older runs then.
    pub(super) fn named(&self) -> usize {
        if self.name.is_some() { self.runs } else { 1 }
    }

    /// Whether it was chosen by its time alone: the others have no names that tell what they are
    /// of.
    pub(super) fn is_newest_of_several(&self) -> bool {
        self.name.is_none() && self.runs > 1
    }

    /// Whether the name is that of a benchmark, with a folder of its own.
    pub(super) fn is_benchmark(&self) -> bool {
        self.is_benchmark
    }

    /// What has this name: a benchmark or any profile.
    pub(super) fn kind(&self) -> &'static str {
        if self.is_benchmark { "benchmark" } else { "profile" }
    }

    /// The same run where the newest empty profile is this one. That is of a newer run, as
    /// callgrind creates it when the program starts; but of threads apart, the file of the whole
    /// run stays empty.
    fn beside_empty(mut self, empty: Option<EmptyProfile>) -> Newest {
        let is_newer = |empty: &EmptyProfile| empty.modified > self.modified;
        let is_of_run = |empty: &EmptyProfile| {
            let name = empty.path.to_str();
            let ends = self.files.iter().filter_map(|file| file.to_str()?.strip_prefix(name?));
            ends.map(|end| end.trim_end_matches(".gz")).any(|end| place(end).is_some())
        };
        let newer = empty.filter(|empty| is_newer(empty) && !is_of_run(empty));
        self.newer_empty = newer.map(|empty| empty.path);
        self
    }

    /// What else is where it was found: how many other runs, benchmarks or profiles, in
    /// parentheses, and a newer run without a profile yet.
    pub(super) fn others(&self) -> String {
        let empty = self.newer_empty.as_ref();
        let note = empty.map(|file| format!("; {} is newer and {EMPTY}", display_path(file)));
        self.other_runs() + &note.unwrap_or_default()
    }

    fn other_runs(&self) -> String {
        let what = if self.name.is_some() {
            format!("other {}", self.kind())
        } else {
            "older run".to_owned()
        };
        match self.runs.saturating_sub(1) {
            0 => String::new(),
            1 => format!(" (1 {what} is not read)"),
            others => format!(" ({} are not read)", counted(others, &what)),
        }
    }
}

impl fmt::Display for Newest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "reading {}", listed(&self.files))?;
        match self.runs {
            0 | 1 => Ok(()),
            runs => write!(f, " (newest of {runs} runs)"),
        }
    }
}

/// The last of these files, and how many more there are.
pub(super) fn listed(files: &[PathBuf]) -> String {
    let last = files.last().map(|file| display_path(file)).unwrap_or_default();
    match files.len() {
        0 | 1 => last,
        count => format!("{last} and {}", counted(count - 1, "more file")),
    }
}

/// A profile with the run that its name says it is of.
struct ProfileFile {
    name: RunName,
    path: PathBuf,
    modified: Option<SystemTime>,
}

impl ProfileFile {
    /// A file of this name, if it is a profile. Names such as callgrind.out.12.svg are often other
    /// programs' output.
    fn at(path: PathBuf, name: RunName) -> Option<ProfileFile> {
        let file = fs::metadata(&path).ok().filter(Metadata::is_file)?;
        let is_known = name.key.0.is_some() || read::is_profile(&path);
        let modified = file.modified().ok();
        (file.len() > 0 && is_known).then_some(ProfileFile { name, path, modified })
    }
}

/// An empty file that is named as a profile of callgrind is.
struct EmptyProfile {
    path: PathBuf,
    modified: Option<SystemTime>,
}

impl EmptyProfile {
    fn at(path: &Path, name: &str) -> Option<EmptyProfile> {
        if !name.starts_with(PREFIXES[0]) {
            return None;
        }
        let file = fs::metadata(path).ok().filter(|file| file.is_file() && file.len() == 0)?;
        Some(EmptyProfile { path: path.to_owned(), modified: file.modified().ok() })
    }

    /// The newest one; of equally new ones the last.
    fn newest(files: impl IntoIterator<Item = EmptyProfile>) -> Option<EmptyProfile> {
        files.into_iter().max_by(|a, b| (a.modified, &a.path).cmp(&(b.modified, &b.path)))
    }
}

/// The newest run in the current directory.
pub(super) fn newest_run() -> Option<Newest> {
    newest_of(profiles_here()?, None).map(|newest| newest.beside_empty(empty_here()))
}

/// The run in the current directory before the newest one, and that.
pub(super) fn last_two_runs() -> Option<[Newest; 2]> {
    let last = newest_of(profiles_here()?, None)?;
    let of_last: HashSet<&PathBuf> = last.files.iter().collect();
    let is_before = |of: &ProfileFile| !of_last.contains(&of.path);
    let before = newest_of(profiles_here()?.into_iter().filter(is_before), None)?;
    Some([before, last])
}

/// The profiles in the current directory that are named as valgrind names them.
fn profiles_here() -> Option<Vec<ProfileFile>> {
    let entries = || Some(fs::read_dir(".").ok()?.flatten());
    let is_empty = |entry: &fs::DirEntry| fs::metadata(entry.path()).is_ok_and(|of| of.len() == 0);
    let empty: HashSet<_> = entries()?.filter(is_empty).map(|entry| entry.file_name()).collect();
    let files = entries()?.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        PREFIXES.iter().find(|prefix| name.starts_with(**prefix))?;
        let run = RunName::parse(&name, |run| empty.contains(OsStr::new(run)))?;
        ProfileFile::at(name.into(), run)
    });
    Some(files.collect())
}

/// The files at and below a folder.
struct FilesBelow {
    /// Those that have the name of a run.
    of_runs: Vec<ProfileFile>,
    /// Others, the nearest to the folder first, at most [`MAX_OTHERS`].
    others: Vec<(PathBuf, RunName)>,
    /// The newest empty profile.
    empty: Option<EmptyProfile>,
    is_complete: bool,
}

fn files_below(folder: &Path, bounds: WalkBounds) -> FilesBelow {
    let root = folder.as_os_str().as_encoded_bytes();
    let slash: &[u8] = if root.ends_with(b"/") { b"" } else { b"/" };
    let (mut of_runs, mut others, mut has_all_others) = (Vec::new(), Vec::new(), true);
    let mut newest_empty = None;
    let walked = walk(&[root, slash].concat(), bounds, |folder, names| {
        let folder = source::path(folder.strip_prefix(b"./").unwrap_or(folder));
        let names: HashSet<String> =
            names.into_iter().filter_map(|name| String::from_utf8(name).ok()).collect();
        let is_empty = |name: &str| {
            names.contains(name) && fs::metadata(folder.join(name)).is_ok_and(|of| of.len() == 0)
        };
        for name in &names {
            let path = folder.join(name);
            let empty = EmptyProfile::at(&path, name);
            newest_empty = EmptyProfile::newest(newest_empty.take().into_iter().chain(empty));
            match RunName::parse(name, is_empty) {
                Some(run) => of_runs.extend(ProfileFile::at(path, run)),
                None if others.len() < MAX_OTHERS => {
                    others.push((path, RunName::of_other(name, is_empty)));
                }
                None => has_all_others = false,
            }
        }
    });
    let is_complete = walked.is_complete && (has_all_others || !of_runs.is_empty());
    FilesBelow { of_runs, others, empty: newest_empty, is_complete }
}

/// What was found below a folder.
struct NewestSearch {
    newest: Result<Newest, Option<EmptyProfile>>,
    /// Whether all files that may be profiles were looked at.
    is_complete: bool,
}

/// The newest run of a folder, or an error that names what to do; `has_others` is whether it may
/// have been meant to have sources.
pub(super) fn run_in(folder: &Path, name: Option<&str>, has_others: bool) -> Result<Newest> {
    let search = newest_in(folder, name);
    search.newest.map_err(|empty| {
        let shown = display_path(folder);
        if let Some(empty) = empty {
            return anyhow!("{}: {EMPTY}", display_path(&empty.path));
        }
        let sources = SuggestedCommand::new("").option("-I", folder.as_os_str().as_encoded_bytes());
        if !search.is_complete {
            anyhow!("{shown}: no profile among the first files below this folder; a nearer one can be named")
        } else if has_others {
            anyhow!("{shown}: no profile in this folder or below it; for sources: {sources}")
        } else {
            anyhow!("{shown}: no profile in this folder or below it")
        }
    })
}

/// The newest run in a folder or below it. If runs there have this `name`, it is the newest of
/// these. Where no file has the name of a run, it is the newest profile of any name; and if only
/// files in folders below have such names, other than `name`, the profiles in the folder itself
/// come first.
fn newest_in(folder: &Path, name: Option<&str>) -> NewestSearch {
    let FilesBelow { of_runs, others, empty, is_complete } = files_below(folder, BOUNDS);
    let here = folder.strip_prefix(".").unwrap_or(folder);
    let is_here = |path: &Path| path.parent() == Some(here);
    let is_named = |file: &ProfileFile| Some(&*file.name.key.2.0) == name;
    let has_run = of_runs.iter().any(|file| is_here(&file.path) || is_named(file));
    let newest_other = |is_candidate: &dyn Fn(&Path) -> bool| {
        let candidates = others.iter().filter(|(path, _)| is_candidate(path));
        let profiles = candidates.filter(|(path, _)| read::begins_as_profile(path));
        let files = profiles.filter_map(|(path, of)| ProfileFile::at(path.clone(), of.clone()));
        newest_of(files, name)
    };
    let newest_here = if has_run { None } else { newest_other(&is_here) };
    let found = newest_here
        .or_else(|| newest_of(of_runs, name))
        .or_else(|| newest_other(&|path| !is_here(path)));
    let newest = match found {
        Some(newest) => Ok(newest.beside_empty(empty)),
        None => Err(empty),
    };
    NewestSearch { newest, is_complete }
}

/// The newest run by the names of files, in a folder and in those that are up to `depth` below it.
pub(super) fn newest_named(folder: &Path, depth: usize) -> Option<Newest> {
    newest_of(files_below(folder, WalkBounds { depth, ..BOUNDS }).of_runs, None)
}

/// The variants of a run: of one benchmark by several tools, and earlier ones. The kept ones by
/// their names.
type Variants = BTreeMap<(Age, usize, String), Variant>;

#[derive(Debug, Default)]
struct Variant {
    /// The time of its newest file.
    modified: Option<SystemTime>,
    files: Vec<(RunPosition, PathBuf)>,
}

/// The newest of the runs of these files, or of those with this name if there is one; of equally
/// new ones, that of the highest process. An earlier run of a benchmark is read only if there is no
/// current one.
fn newest_of(files: impl IntoIterator<Item = ProfileFile>, name: Option<&str>) -> Option<Newest> {
    let mut runs: BTreeMap<(RunKey, Reverse<PathBuf>), Variants> = BTreeMap::new();
    for ProfileFile { name, path, modified } in files {
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let variants = runs.entry((name.key, Reverse(folder))).or_default();
        let variant = variants.entry((name.age, name.tool, name.baseline)).or_default();
        variant.modified = modified.max(variant.modified);
        variant.files.push((name.place, path));
    }
    let count = runs.len();
    let is_named = |key: &RunKey| key.0.is_none() && Some(&*key.2.0) == name;
    if runs.keys().any(|(key, _)| is_named(key)) {
        runs.retain(|(key, _), _| is_named(key));
    }
    let age_of = |variants: &Variants| variants.keys().next().map(|(age, ..)| *age);
    let time_of = |variants: &Variants| {
        let first = age_of(variants);
        let of_age = variants.iter().filter(|((age, ..), _)| Some(*age) == first);
        of_age.map(|(_, variant)| variant.modified).max().flatten()
    };
    // Of equal ones the last.
    let ((key, _), variants) = runs.into_iter().max_by_key(|(_, variants)| time_of(variants))?;
    let age = age_of(&variants)?;
    let mut variants: Vec<_> = variants.into_iter().collect();
    variants.sort_by_key(|((age, tool, _), variant)| (*age, *tool, Reverse(variant.modified)));
    let mut variants = variants.into_iter();
    let ((_, tool, _), newest) = variants.next()?;
    let earlier =
        variants.find(|((of, by, _), _)| *by == tool && (*of > age || age == Age::Baseline));
    Some(Newest {
        modified: newest.modified,
        files: in_order(newest),
        earlier: earlier.map(|(_, variant)| in_order(variant)).unwrap_or_default(),
        runs: count,
        is_benchmark: key.1 == BENCHMARK,
        newer_empty: None,
        name: key.0.is_none().then_some(key.2.0),
    })
}

/// The files of a run in the order of their processes, parts and threads.
fn in_order(mut variant: Variant) -> Vec<PathBuf> {
    variant.files.sort_unstable();
    variant.files.into_iter().map(|(_, path)| path).collect()
}

/// The files of the run whose last part is `path`, parts and threads in order, but not those that
/// are empty.
pub(super) fn files_of_run(path: &Path) -> Vec<PathBuf> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let run = path.file_name().and_then(OsStr::to_str);
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let place = place(name.strip_prefix(run?)?)?;
            let file = entry.metadata().ok()?;
            (file.is_file() && file.len() > 0).then(|| (place, path.with_file_name(name)))
        })
        .collect();
    files.sort_unstable();
    files.into_iter().map(|(_, path)| path).collect()
}

/// The newest empty profile in the current directory.
pub(super) fn newest_empty() -> Option<PathBuf> {
    empty_here().map(|empty| empty.path)
}

fn empty_here() -> Option<EmptyProfile> {
    let entries = fs::read_dir(".").ok()?.flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    EmptyProfile::newest(names.filter_map(|name| EmptyProfile::at(Path::new(&name), &name)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// The newest run of files, each with its time in seconds, the run before it, and how many runs
    /// there are.
    fn newest(files: &str, name: Option<&str>) -> Option<String> {
        let files = files.split(' ').filter_map(|file| {
            let (path, seconds) = file.rsplit_once('@')?;
            let name = path.rsplit('/').next()?;
            let name = RunName::parse(name, |run| run == "callgrind.out.empty")?;
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.parse().ok()?);
            Some(ProfileFile { name, path: path.into(), modified: Some(time) })
        });
        let newest = newest_of(files, name)?;
        let names = |files: &[PathBuf]| {
            let names = files.iter().map(|file| file.to_string_lossy());
            names.collect::<Vec<_>>().join(" ")
        };
        let earlier = match &newest.earlier[..] {
            [] => String::new(),
            earlier => format!(" after {}", names(earlier)),
        };
        Some(format!("{}{earlier} of {}", names(&newest.files), newest.runs))
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
            assert_eq!(newest(files, None).as_deref(), Some(expected), "{files}");
        }
        assert_eq!(newest("massif.out.1@1", None), None);
    }

    #[test]
    fn the_newest_benchmark_is_read_as_it_is_now() {
        let table = [
            "callgrind.a.out@1 callgrind.b.out@2 => callgrind.b.out of 2",
            // Equal times: the first name.
            "callgrind.a.out@1 callgrind.b.out@1 => callgrind.a.out of 2",
            "callgrind.a.out.old@3 callgrind.a.out@2 => callgrind.a.out after callgrind.a.out.old of 1",
            // Whatever was kept later, and the run before is not the one that was kept.
            "callgrind.a.out.base@x@4 callgrind.a.out.old@1 callgrind.a.out@2 \
             => callgrind.a.out after callgrind.a.out.old of 1",
            "callgrind.a.out.base@x@3 callgrind.a.out.base@y@4 callgrind.a.out@5 \
             => callgrind.a.out after callgrind.a.out.base@y of 1",
            // Only what was kept.
            "callgrind.a.out.base@x@3 callgrind.a.out.base@y@4 \
             => callgrind.a.out.base@y after callgrind.a.out.base@x of 1",
            "callgrind.a.out.base@x@9 callgrind.b.out@8 callgrind.a.out@7 => callgrind.b.out of 2",
            // Callgrind's, which has calls, though Cachegrind ran later.
            "callgrind.a.out@1 cachegrind.a.out@2 cachegrind.a.out.old@1 => callgrind.a.out of 1",
            "callgrind.a.out.old@1 cachegrind.a.out@2 => cachegrind.a.out of 1",
            "callgrind.a.8.t1.out@1 callgrind.a.7.t2.p1.out@1 callgrind.a.7.t1.p2.out@1 callgrind.a.7.t1.p1.out@1 \
             => callgrind.a.7.t1.p1.out callgrind.a.7.t2.p1.out callgrind.a.7.t1.p2.out callgrind.a.8.t1.out of 1",
            "callgrind.a.t1.out@2 callgrind.a.t1.out.old@1 callgrind.a.t2.out.old@1 \
             => callgrind.a.t1.out after callgrind.a.t1.out.old callgrind.a.t2.out.old of 1",
            // Each folder has runs of its own.
            "x/callgrind.a.out@1 y/callgrind.a.out@2 x/callgrind.a.out.old@1 => y/callgrind.a.out of 2",
            "cachegrind.out.fib@2 cachegrind.out.fib.old@1 => cachegrind.out.fib after cachegrind.out.fib.old of 1",
            "callgrind.out.7@2 callgrind.out.7.old@1 => callgrind.out.7 after callgrind.out.7.old of 1",
        ];
        for case in table {
            let (files, expected) = case.split_once(" => ").unwrap();
            assert_eq!(newest(files, None).as_deref(), Some(expected), "{files}");
        }
        let files = "callgrind.a.out@1 callgrind.b.out@2";
        assert_eq!(newest(files, Some("a")).as_deref(), Some("callgrind.a.out of 2"));
        assert_eq!(newest(files, Some("c")).as_deref(), Some("callgrind.b.out of 2"));
    }
}
