//! Finds a source file by its name in a profile. The first of these locations that exists is used:
//!
//! 1. the name with a prefix replaced by `--source-map`;
//! 2. the name itself, from the current folder;
//! 3. the name below an `-I` folder, in their order;
//! 4. a relative name in the folder of a profile;
//! 5. a source of Rust's library in an installed toolchain;
//! 6. the only file below the `-I` folders whose path shares the longest end with the name.
//!
//! A file that may not be read as a source is passed over (see `readable`).

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::source::readable::{Readable, Refused};
use crate::source::walk::{
    Index, MAX_ENTRIES, MAX_HINT_ENTRIES, WalkSummary, absolute, components,
};
use crate::source::{Caveat, Found, below, is_of_package, normal, normal_below, path};

/// A prefix of names, and its replacement on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceMap {
    old: Vec<u8>,
    new: Vec<u8>,
}

impl SourceMap {
    /// Parses `OLD=NEW`. The last `=` counts, as in compilers.
    pub fn parse(text: &[u8]) -> Option<SourceMap> {
        let at = text.iter().rposition(|&b| b == b'=')?;
        let (old, new) = (text[..at].to_vec(), text[at + 1..].to_vec());
        (!old.is_empty()).then_some(SourceMap { old, new })
    }

    /// The folder into which names are replaced; none if it is not named, as by an empty
    /// replacement.
    fn folder(&self) -> Option<&[u8]> {
        if path(&self.new).is_dir() {
            return Some(&self.new);
        }
        let end = self.new.iter().rposition(|&b| b == b'/')?;
        Some(&self.new[..end]).filter(|folder| !folder.is_empty())
    }

    /// The name with its prefix replaced: as it is recorded, or in its normal form from the root,
    /// where OLD is whole folders. Names below the current folder are recorded without it.
    fn apply(&self, name: &[u8], here: Option<&[u8]>) -> Option<Vec<u8>> {
        if let Some(rest) = name.strip_prefix(&self.old[..]) {
            return Some([&self.new[..], rest].concat());
        }
        let (name, old) = (normal_below(name, here), normal_below(&self.old, here));
        if name == old {
            return Some(self.new.clone());
        }
        let new = self.new.strip_suffix(b"/").unwrap_or(&self.new);
        Some([new, b"/", below(&name, &old)?].concat())
    }
}

/// Finds the source files and programs of a profile on this machine.
#[derive(Debug, Default)]
pub struct Finder {
    /// The include folders, with trailing slashes.
    folders: Vec<Vec<u8>>,
    maps: Vec<SourceMap>,
    /// The current folder, below which names are recorded without it.
    here: Option<Vec<u8>>,
    /// The files whose names --mod-filename changed.
    recorded: RecordedNames,
    /// Those of BASE, if another profile is compared.
    recorded_in_base: Option<RecordedNames>,
    /// The folders of the profiles, with trailing slashes.
    profile_folders: Vec<Vec<u8>>,
    readable: Readable,
    /// The maximum number of files to examine below each include folder, unless it is the default.
    max_entries: Option<usize>,
    index: OnceLock<Index>,
    toolchains: OnceLock<Vec<Toolchain>>,
}

/// What the search for a source found.
#[derive(Debug, Default)]
pub struct Lookup {
    pub found: Option<Found>,
    /// The files that match equally well, so that none was used.
    equal: Vec<Vec<u8>>,
    /// Whether it is part of Rust's library, whose sources no toolchain has.
    pub lacks_rust_source: bool,
    /// Whether a file was found that may not be read as a source.
    is_refused: bool,
}

impl Lookup {
    /// Why none of several files was used, if so.
    pub fn tie(&self) -> Option<String> {
        let (shown, others) = self.equal.split_at(self.equal.len().min(2));
        let shown = shown.iter().map(|path| path.escape_ascii().to_string());
        let more = (!others.is_empty()).then(|| format!("{} more", others.len()));
        let paths: Vec<String> = shown.chain(more).collect();
        (!paths.is_empty())
            .then(|| format!("{} match equally well; none used", paths.join(" and ")))
    }
}

impl Finder {
    pub fn new(folders: Vec<Vec<u8>>, maps: Vec<SourceMap>) -> Finder {
        let mut readable = Readable::default();
        readable.add_implied_folder(b"");
        folders.iter().for_each(|folder| readable.add_folder(folder));
        maps.iter().filter_map(SourceMap::folder).for_each(|folder| readable.add_folder(folder));
        let here =
            std::env::current_dir().ok().map(|here| here.into_os_string().into_encoded_bytes());
        Finder { folders, maps, here, readable, ..Finder::default() }
    }

    /// A finder of BASE's sources in these folders, which remembers what is not read together with
    /// this one.
    pub fn of_base(&self, folders: &[Vec<u8>]) -> Finder {
        let mut finder = Finder::new(folders.to_vec(), Vec::new());
        finder.readable.refused = Refused::clone(&self.readable.refused);
        finder.recorded = self.recorded_in_base.clone().unwrap_or_default();
        finder
    }

    /// A finder that examines only the first files below the current directory, for a hint.
    pub fn quick() -> Finder {
        Finder {
            max_entries: Some(MAX_HINT_ENTRIES),
            ..Finder::new(vec![b"./".to_vec()], Vec::new())
        }
    }

    /// Sources are also searched in the folders of the profiles.
    pub fn add_folders_of(&mut self, profiles: &[PathBuf]) {
        let folders = profiles.iter().filter_map(|path| path.parent());
        for folder in folders.filter(|folder| *folder != Path::new("")) {
            let name = folder.as_os_str().as_encoded_bytes();
            self.readable.add_implied_folder(name);
            let with_slash = [name, b"/"].concat();
            if !self.profile_folders.contains(&with_slash) {
                self.profile_folders.push(with_slash);
            }
        }
    }

    /// The sources of names that --mod-filename changed have those that were recorded.
    pub fn set_recorded(&mut self, of_new: RecordedNames, of_base: Option<RecordedNames>) {
        self.recorded = of_new;
        self.recorded_in_base = of_base;
    }

    /// Whether --mod-filename made two recorded names of NEW and BASE one.
    pub fn differs_in_base(&self, name: &[u8]) -> bool {
        let new = recorded(&self.recorded, name);
        self.recorded_in_base.as_ref().is_some_and(|names| recorded(names, name) != new)
    }

    /// Sets the path given by the user for the file that a profile calls `name`.
    pub fn add_given(&mut self, name: &[u8], path: &[u8]) {
        let (old, new) = (name.to_vec(), path.to_vec());
        self.maps.push(SourceMap { old, new });
    }

    /// The user named this source of the profile, so it is read wherever it is.
    pub fn add_named(&mut self, name: &[u8]) {
        self.readable.add_named(name);
    }

    /// Finds a source that is to be read.
    pub fn find(&self, name: &[u8]) -> Lookup {
        let lookup = self.look_up(name, Wanted::Source);
        if lookup.is_refused && lookup.found.is_none() {
            self.readable.refuse(name);
        }
        lookup
    }

    /// Finds a source that a note says nothing about if it may not be read.
    pub fn find_silently(&self, name: &[u8]) -> Option<Found> {
        self.look_up(name, Wanted::Source).found
    }

    /// Whether a source is below the current folder, by its own name, and not of a package there.
    pub fn has_below_here(&self, name: &[u8]) -> bool {
        let mut search = self.search(name, Wanted::Source);
        let normal = normal(&search.name).into_owned();
        let is_below = !normal.starts_with(b"/") && !normal.starts_with(b"..");
        let is_own = is_below && !normal.is_empty() && !is_of_package(&normal);
        is_own && search.at(normal, None).is_some()
    }

    /// Whether a source would be found. It is not read.
    pub fn has(&self, name: &[u8]) -> bool {
        self.look_up(name, Wanted::Source).found.is_some()
    }

    /// Finds a program or a library, which is not read as a source.
    pub fn find_object(&self, name: &[u8]) -> Option<Found> {
        self.look_up(name, Wanted::Object).found
    }

    fn look_up(&self, name: &[u8], wanted: Wanted) -> Lookup {
        let mut search = self.search(name, wanted);
        let found = search
            .mapped()
            .or_else(|| search.exact())
            .or_else(|| search.beside_profile())
            .or_else(|| search.in_rust_src())
            .or_else(|| search.by_suffix());
        Lookup { found, ..search.lookup }
    }

    /// Searches a source only below the include folders, or only by the name itself if there are
    /// none.
    pub fn find_below(&self, name: &[u8]) -> Option<Found> {
        let mut search = self.search(name, Wanted::Source);
        let found = search.below_folders().or_else(|| search.by_suffix());
        if search.lookup.is_refused && found.is_none() {
            self.readable.refuse(name);
        }
        found
    }

    /// The same, and a note says nothing about a source that may not be read.
    pub fn find_below_silently(&self, name: &[u8]) -> Option<Found> {
        let mut search = self.search(name, Wanted::Source);
        search.below_folders().or_else(|| search.by_suffix())
    }

    /// Searches a program or a library as [`find_below`](Finder::find_below) does a source.
    pub fn find_object_below(&self, name: &[u8]) -> Option<Found> {
        let mut search = self.search(name, Wanted::Object);
        search.below_folders().or_else(|| search.by_suffix())
    }

    fn search<'s>(&'s self, name: &'s [u8], wanted: Wanted) -> Search<'s> {
        let recorded = recorded(&self.recorded, name);
        Search { finder: self, shown: name, name: recorded, wanted, lookup: Lookup::default() }
    }

    /// The names of the sources that were found, but may not be read, in order.
    pub fn refused(&self) -> Vec<Vec<u8>> {
        self.readable.refused()
    }

    /// The include folders that have too many files, so that not all were examined.
    pub fn cut_short(&self) -> impl Iterator<Item = &WalkSummary> {
        let walked = self.index.get().map_or(&[][..], |index| &index.walked);
        walked.iter().filter(|walked| !walked.is_complete)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Source,
    Object,
}

/// The search for one file.
struct Search<'s> {
    finder: &'s Finder,
    /// The name in lists.
    shown: &'s [u8],
    /// The name that was recorded.
    name: Cow<'s, [u8]>,
    wanted: Wanted,
    lookup: Lookup,
}

impl Search<'_> {
    /// Only the last matching map counts, as in compilers.
    fn mapped(&mut self) -> Option<Found> {
        let maps = self.finder.maps.iter().rev();
        let here = self.finder.here.as_deref();
        let names = [&self.name, self.shown];
        let apply = |map: &SourceMap| names.iter().find_map(|name| map.apply(name, here));
        let mapped = maps.filter_map(apply).next()?;
        let mut found = self.exactly(&mapped)?;
        found.folder.clear();
        Some(found)
    }

    fn exact(&mut self) -> Option<Found> {
        // A folder of a detour may be missing here.
        let name = self.name.clone();
        self.exactly(&name).or_else(|| self.exactly(&normal(&name)))
    }

    /// The file of this name here or below an include folder.
    fn exactly(&mut self, name: &[u8]) -> Option<Found> {
        let here = Vec::new();
        self.first_below(std::iter::once(&here).chain(&self.finder.folders), name)
    }

    fn below_folders(&mut self) -> Option<Found> {
        if self.finder.folders.is_empty() {
            return self.first_below([&Vec::new()], &self.name.clone());
        }
        self.first_below(&self.finder.folders, &self.name.clone())
    }

    fn beside_profile(&mut self) -> Option<Found> {
        if self.name.starts_with(b"/") {
            return None;
        }
        self.first_below(&self.finder.profile_folders, &self.name.clone())
    }

    /// The first file of this name below one of the folders.
    fn first_below<'f>(
        &mut self,
        folders: impl IntoIterator<Item = &'f Vec<u8>>,
        name: &[u8],
    ) -> Option<Found> {
        folders.into_iter().find_map(|folder| {
            let mut found = self.at([folder, name].concat(), None)?;
            found.folder.clone_from(folder);
            Some(found)
        })
    }

    fn in_rust_src(&mut self) -> Option<Found> {
        let name = self.name.clone();
        let (commit, rest) = rust_parts(&name)?;
        let rest: Vec<u8> = rest.iter().map(|&b| if b == b'\\' { b'/' } else { b }).collect();
        let toolchains = self.finder.toolchains.get_or_init(rust_toolchains);
        self.lookup.lacks_rust_source = toolchains.is_empty();
        let is_of_other = |own: &Option<String>| {
            let own = own.as_ref();
            own.is_some_and(|own| own.as_bytes() != commit)
        };
        // Toolchains of another release come last.
        let mut toolchains: Vec<&Toolchain> = toolchains.iter().collect();
        toolchains.sort_by_key(|(_, own)| is_of_other(own));
        toolchains.into_iter().find_map(|(root, own)| {
            let below = |place: &str| {
                let folder = root.join(place);
                let file = [folder.as_os_str().as_encoded_bytes(), b"/", &rest].concat();
                self.at(file, Some(&folder))
            };
            let mut found = PLACES.into_iter().find_map(below)?;
            found.caveat = is_of_other(own).then_some(Caveat::OtherRelease);
            Some(found)
        })
    }

    fn by_suffix(&mut self) -> Option<Found> {
        let finder = self.finder;
        if finder.folders.is_empty() {
            return None;
        }
        let max = finder.max_entries.unwrap_or(MAX_ENTRIES);
        let index = finder.index.get_or_init(|| Index::of(&finder.folders, max));
        // Names such as `mod.rs` are too common: for Rust's library, everything after the commit
        // has to match.
        let min_matched = rust_parts(&self.name).map_or(1, |(_, rest)| components(rest).len());
        let mut best = index.best(&self.name);
        best.retain(|candidate| candidate.matched >= min_matched);
        if best.len() > 1 {
            let paths = best.into_iter().map(|candidate| candidate.path);
            self.lookup.equal = paths.collect();
            return None;
        }
        let candidate = best.pop()?;
        let mut found = self.at(candidate.path, None)?;
        found.matched = Some(candidate.matched);
        let is_doubtful = candidate.matched == 1 && components(&self.name).len() > 1;
        found.caveat = is_doubtful.then_some(Caveat::OnlyBaseName);
        Some(found)
    }

    /// The file with this path, if it exists and may be read; `toolchain` is the folder of a
    /// toolchain's sources in which it was searched, if any.
    fn at(&mut self, file: Vec<u8>, toolchain: Option<&Path>) -> Option<Found> {
        let found = at(file)?;
        let readable = &self.finder.readable;
        if self.wanted == Wanted::Source && !readable.permits(self.shown, &found.path, toolchain) {
            self.lookup.is_refused = true;
            return None;
        }
        Some(found)
    }
}

/// By the name that a file has in lists the name that was recorded.
type RecordedNames = Arc<Mutex<HashMap<Vec<u8>, Vec<u8>>>>;

fn recorded<'n>(names: &RecordedNames, name: &'n [u8]) -> Cow<'n, [u8]> {
    let names = names.lock().unwrap_or_else(PoisonError::into_inner);
    names.get(name).map_or(Cow::Borrowed(name), |name| Cow::Owned(name.clone()))
}

/// If several sources resolved to one file, keeps only the best match: the file was compiled into
/// only one of them.
pub fn resolve_conflicts(lookups: &mut [&mut Lookup]) {
    let real = |found: &Found| fs::canonicalize(path(&found.path)).ok();
    let is_guessed = |lookup: &&mut Lookup| {
        let found = lookup.found.as_ref();
        found.is_some_and(|found| found.matched.is_some())
    };
    if !lookups.iter().any(is_guessed) {
        return;
    }
    let claim = |lookup: &&mut Lookup| {
        let found = lookup.found.as_ref()?;
        Some((real(found)?, found.matched.unwrap_or(usize::MAX)))
    };
    let claims: Vec<_> = lookups.iter().map(claim).collect();
    let mut best: HashMap<&Path, usize> = HashMap::new();
    for (file, matched) in claims.iter().flatten() {
        let most = best.entry(file).or_default();
        *most = (*most).max(*matched);
    }
    for (lookup, claim) in lookups.iter_mut().zip(&claims) {
        let claim = claim.as_ref();
        let is_worse = claim.is_some_and(|(file, matched)| *matched < best[file.as_path()]);
        if is_worse {
            lookup.found = None;
        }
    }
}

/// Root directories of devices and kernel interfaces, which contain no sources; `/dev/stdin` may
/// refer to a regular file.
const PSEUDO_FOLDERS: [&[u8]; 3] = [b"dev", b"proc", b"sys"];

fn is_pseudo_file(file: &[u8]) -> bool {
    let first = components(&absolute(file)).into_iter().next();
    first.is_some_and(|first| PSEUDO_FOLDERS.contains(&&first[..]))
}

fn at(file: Vec<u8>) -> Option<Found> {
    let metadata = fs::metadata(path(&file))
        .ok()
        .filter(fs::Metadata::is_file)
        .filter(|_| !is_pseudo_file(&file))?;
    Some(Found {
        folder: Vec::new(),
        modified: metadata.modified().ok(),
        size: metadata.len(),
        path: file,
        matched: None,
        caveat: None,
    })
}

/// The source folders below a toolchain: of the library and of the compiler.
const PLACES: [&str; 2] = ["lib/rustlib/src/rust", "lib/rustlib/rustc-src/rust"];

/// The folder of a toolchain, and the commit that it was built from, if known.
type Toolchain = (PathBuf, Option<String>);

/// Splits `/rustc/<commit>/rest` into the commit and the rest.
fn rust_parts(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = name.strip_prefix(b"/rustc/")?;
    let end = rest.iter().position(|&b| b == b'/' || b == b'\\')?;
    Some((&rest[..end], &rest[end + 1..]))
}

/// The toolchains with sources; the one in the PATH comes first.
fn rust_toolchains() -> Vec<Toolchain> {
    let home = std::env::var_os("RUSTUP_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".rustup")));
    let mut roots: Vec<PathBuf> = on_path().into_iter().collect();
    let entries = home
        .and_then(|home| fs::read_dir(home.join("toolchains")).ok())
        .into_iter()
        .flatten()
        .flatten();
    let mut others: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    others.sort();
    others.retain(|root| !roots.contains(root));
    roots.extend(others);
    roots.retain(|root| PLACES.iter().any(|place| root.join(place).is_dir()));
    let with_commit = |root: PathBuf| {
        let commit = commit(&root);
        (root, commit)
    };
    roots.into_iter().map(with_commit).collect()
}

/// The toolchain of the `rustc` in the PATH. Running `rustc` is slow, so it is run only if its
/// location does not tell, and not if it is rustup's, whose toolchains are in one folder.
fn on_path() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let mut programs = std::env::split_paths(&folders).map(|folder| folder.join("rustc"));
    let rustc = programs.find(|rustc| rustc.is_absolute() && rustc.is_file())?;
    let real = fs::canonicalize(&rustc).ok()?;
    let root = real.parent()?.parent()?;
    if root.join("lib/rustlib").is_dir() {
        return Some(root.to_owned());
    }
    if real.ends_with("rustup") || rustc.with_file_name("rustup").is_file() {
        return None;
    }
    let sysroot = output_of(rustc.as_os_str(), &["--print", "sysroot"])?;
    Some(PathBuf::from(sysroot.trim_end()))
}

fn commit(root: &Path) -> Option<String> {
    let text = output_of(root.join("bin/rustc").as_os_str(), &["-vV"])?;
    let mut lines = text.lines();
    let commit = lines.find_map(|line| line.strip_prefix("commit-hash: "))?;
    Some(commit.to_owned())
}

/// The maximum number of bytes that are read of what `rustc` prints about itself.
const MAX_OUTPUT: u64 = 1 << 20;

fn output_of(program: &OsStr, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    // Keeps rustup from downloading a missing toolchain.
    command.env("RUSTUP_AUTO_INSTALL", "0").current_dir("/");
    command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).spawn().ok()?;
    let mut text = Vec::new();
    let read = child.stdout.take()?.take(MAX_OUTPUT).read_to_end(&mut text);
    if text.len() as u64 == MAX_OUTPUT {
        let _ = child.kill();
    }
    let is_complete = child.wait().ok()?.success() && read.is_ok();
    String::from_utf8(text).ok().filter(|_| is_complete)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_for_paths_in_any_spelling() {
        let table = [
            ("/w/src=/x", "src/a.c", Some("/x/a.c")),
            ("/w/src/=/x/", "src/a.c", Some("/x/a.c")),
            ("/w=/x", "build/../src/a.c", Some("/x/src/a.c")),
            ("src=/x", "/w/src/a.c", Some("/x/a.c")),
            ("/proc/self/cwd=/x", "/proc/self/cwd/a.c", Some("/x/a.c")),
            ("/w=/x", "/proc/self/cwd/a.c", Some("/x/a.c")),
            ("C:/web=/x", r"C:\web\a.php", Some("/x/a.php")),
            ("/p/src=/x", "/p/build/../src/a.c", Some("/x/a.c")),
            ("/p/src/a.c=/x/b.c", "/p//src/a.c", Some("/x/b.c")),
            ("/p/s=/x", "/p/src/a.c", Some("/xrc/a.c")),
            ("/w/sr=/x", "src/a.c", None),
            ("/w/src=/x", "../src/a.c", None),
        ];
        for (map, name, expected) in table {
            let map = SourceMap::parse(map.as_bytes()).unwrap();
            let found = map
                .apply(name.as_bytes(), Some(b"/w"))
                .map(|path| String::from_utf8(path).unwrap());
            assert_eq!(found.as_deref(), expected, "{map:?} {name}");
        }
    }

    #[test]
    fn names_of_rusts_own_sources() {
        let table = [
            "/rustc/59807616e/library/core/src/mem/mod.rs 59807616e library/core/src/mem/mod.rs",
            r"/rustc/1.82.0\library\std\src\io.rs 1.82.0 library\std\src\io.rs",
            "/rustc/x",
            "rustc/x/y",
            "/rust/deps/hashbrown",
        ];
        for case in table {
            let (name, expected) = case.split_once(' ').unwrap_or((case, ""));
            let expected =
                expected.split_once(' ').map(|(commit, rest)| (commit.as_bytes(), rest.as_bytes()));
            assert_eq!(rust_parts(name.as_bytes()), expected, "{name}");
        }
    }
}
