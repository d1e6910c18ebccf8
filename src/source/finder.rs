//! Finds a source file by its name in a profile. The first of these locations that exists is used:
//!
//! 1. the name with a prefix replaced by `--source-map`;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::source::walk::{
    Index, MAX_ENTRIES, MAX_HINT_ENTRIES, WalkSummary, absolute, components,
};
use crate::source::{Caveat, Found, path};

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

    fn apply(&self, name: &[u8]) -> Option<Vec<u8>> {
        let rest = name.strip_prefix(&self.old[..])?;
        Some([&self.new[..], rest].concat())
    }
}

#[derive(Debug, Default)]
pub struct Finder {
    /// The include folders, with trailing slashes.
    folders: Vec<Vec<u8>>,
    maps: Vec<SourceMap>,
    /// The folders of the profiles, with trailing slashes.
    profile_folders: Vec<Vec<u8>>,
    /// The maximum number of files to examine below each include folder, unless it is the default.
    max_entries: Option<usize>,
    index: OnceLock<Index>,
    toolchains: OnceLock<Vec<Toolchain>>,
}

#[derive(Debug, Default)]
pub struct Lookup {
    pub found: Option<Found>,
    /// The files that match equally well, so that none was used.
    equal: Vec<Vec<u8>>,
    /// Whether it is part of Rust's library, whose sources no toolchain has.
    pub lacks_rust_source: bool,
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
        Finder { folders, maps, ..Finder::default() }
    }

    /// A finder that examines only the first files below the current directory, for a hint.
    pub fn quick() -> Finder {
        Finder {
            max_entries: Some(MAX_HINT_ENTRIES),
            ..Finder::new(vec![b"./".to_vec()], Vec::new())
        }
    }

    pub fn add_profile_folder(&mut self, folder: &[u8]) {
        let folder = [folder, b"/"].concat();
        if folder != b"/" && !self.profile_folders.contains(&folder) {
            self.profile_folders.push(folder);
        }
    }

    /// Sets the path given by the user for the file that a profile calls `name`.
    pub fn add_given(&mut self, name: &[u8], path: &[u8]) {
        let (old, new) = (name.to_vec(), path.to_vec());
        self.maps.push(SourceMap { old, new });
    }

    pub fn find(&self, name: &[u8]) -> Lookup {
        let mut lookup = Lookup::default();
        let is_relative = !name.starts_with(b"/");
        let beside = || self.profile_folders.iter().filter(|_| is_relative);
        lookup.found = self
            .mapped(name)
            .or_else(|| self.exact(name))
            .or_else(|| first_below(beside(), name))
            .or_else(|| self.in_rust_src(name, &mut lookup))
            .or_else(|| self.by_suffix(name, &mut lookup));
        lookup
    }

    /// Searches only below the include folders, or only the name itself if there are none.
    pub fn find_below(&self, name: &[u8]) -> Option<Found> {
        let here = [Vec::new()];
        let folders = match self.folders.is_empty() {
            true => &here[..],
            false => &self.folders,
        };
        first_below(folders, name).or_else(|| self.by_suffix(name, &mut Lookup::default()))
    }

    /// The include folders that have too many files, so that not all were examined.
    pub fn cut_short(&self) -> impl Iterator<Item = &WalkSummary> {
        let walked = self.index.get().map_or(&[][..], |index| &index.walked);
        walked.iter().filter(|walked| !walked.is_complete)
    }

    /// Only the last matching map counts, as in compilers.
    fn mapped(&self, name: &[u8]) -> Option<Found> {
        let mapped = self.maps.iter().rev().find_map(|map| map.apply(name))?;
        let mut found = self.exact(&mapped)?;
        found.folder.clear();
        Some(found)
    }

    fn exact(&self, name: &[u8]) -> Option<Found> {
        let here = Vec::new();
        first_below(std::iter::once(&here).chain(&self.folders), name)
    }

    fn in_rust_src(&self, name: &[u8], lookup: &mut Lookup) -> Option<Found> {
        let (commit, rest) = rust_parts(name)?;
        let rest = rest.iter().map(|&b| if b == b'\\' { b'/' } else { b });
        let rest: Vec<u8> = rest.collect();
        let toolchains = self.toolchains.get_or_init(rust_toolchains);
        lookup.lacks_rust_source = toolchains.is_empty();
        let is_of_other = |own: &Option<String>| {
            let own = own.as_ref();
            own.is_some_and(|own| own.as_bytes() != commit)
        };
        // Toolchains of another release come last.
        let mut toolchains: Vec<&Toolchain> = toolchains.iter().collect();
        toolchains.sort_by_key(|(_, own)| is_of_other(own));
        toolchains.into_iter().find_map(|(root, own)| {
            let root = root.as_os_str().as_encoded_bytes();
            let below = |place: &str| at([root, b"/", place.as_bytes(), b"/", &rest].concat());
            let mut found = PLACES.into_iter().find_map(below)?;
            found.caveat = is_of_other(own).then_some(Caveat::OtherRelease);
            Some(found)
        })
    }

    fn by_suffix(&self, name: &[u8], lookup: &mut Lookup) -> Option<Found> {
        if self.folders.is_empty() {
            return None;
        }
        let max = self.max_entries.unwrap_or(MAX_ENTRIES);
        let index = self.index.get_or_init(|| Index::of(&self.folders, max));
        // Names such as `mod.rs` are too common: for Rust's library, everything after the commit has to match.
        let min_matched = rust_parts(name).map_or(1, |(_, rest)| components(rest).len());
        let mut best = index.best(name);
        best.retain(|candidate| candidate.matched >= min_matched);
        if best.len() > 1 {
            let paths = best.into_iter().map(|candidate| candidate.path);
            lookup.equal = paths.collect();
            return None;
        }
        let candidate = best.pop()?;
        let mut found = at(candidate.path)?;
        found.matched = Some(candidate.matched);
        let is_doubtful = candidate.matched == 1 && components(name).len() > 1;
        found.caveat = is_doubtful.then_some(Caveat::OnlyBaseName);
        Some(found)
    }
}

/// If several sources resolved to one file, keeps only the best match: the file was compiled into only one of them.
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
        let best = best.entry(file).or_default();
        *best = (*best).max(*matched);
    }
    for (lookup, claim) in lookups.iter_mut().zip(&claims) {
        let claim = claim.as_ref();
        let is_worse = claim.is_some_and(|(file, matched)| *matched < best[file.as_path()]);
        if is_worse {
            lookup.found = None;
        }
    }
}

/// The first file of this name below one of the folders.
fn first_below<'f>(folders: impl IntoIterator<Item = &'f Vec<u8>>, name: &[u8]) -> Option<Found> {
    folders.into_iter().find_map(|folder| {
        let mut found = at([folder, name].concat())?;
        found.folder.clone_from(folder);
        Some(found)
    })
}

/// Root directories of devices and kernel interfaces, which contain no sources; `/dev/stdin` may refer to a regular
/// file.
const PSEUDO_FOLDERS: [&[u8]; 3] = [b"dev", b"proc", b"sys"];

fn is_pseudo_file(file: &[u8]) -> bool {
    let first = components(&absolute(file)).into_iter().next();
    first.is_some_and(|first| PSEUDO_FOLDERS.contains(&&first[..]))
}

fn at(file: Vec<u8>) -> Option<Found> {
    let metadata = fs::metadata(path(&file)).ok().filter(fs::Metadata::is_file);
    let metadata = metadata.filter(|_| !is_pseudo_file(&file))?;
    Some(Found {
        folder: Vec::new(),
        modified: metadata.modified().ok(),
        size: metadata.len(),
        path: file,
        matched: None,
        caveat: None,
    })
}

/// The folders of the headers and libraries of the system and of toolchains.
const FOLDERS: &str = "/rustc/ /usr/include/ /usr/lib/ /usr/lib32/ /usr/lib64/ /usr/local/include/ \
    /usr/local/lib/ /nix/store/";

/// Parts of the paths of the sources of toolchains and packages, wherever they are installed.
const PARTS: &str =
    "/.rustup/toolchains/ /rustup/toolchains/ /cargo/registry/src/ /.cargo/registry/src/";

/// Whether a source is part of the system, a toolchain or a downloaded package, not of the program itself.
pub fn is_of_system(name: &[u8]) -> bool {
    let contains = |part: &str| memchr::memmem::find(name, part.as_bytes()).is_some();
    let begins = |folder: &str| name.starts_with(folder.as_bytes());
    FOLDERS.split(' ').any(begins) || PARTS.split(' ').any(contains)
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
    let entries = home.and_then(|home| fs::read_dir(home.join("toolchains")).ok());
    let entries = entries.into_iter().flatten().flatten();
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

/// The toolchain of the `rustc` in the PATH. Running `rustc` is slow, so it is run only if its location does not tell,
/// and not if it is rustup's, whose toolchains are in one folder.
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

fn output_of(program: &OsStr, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    // Keeps rustup from downloading a missing toolchain.
    command.env("RUSTUP_AUTO_INSTALL", "0").current_dir("/");
    command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().ok()?;
    output.status.success().then_some(())?;
    String::from_utf8(output.stdout).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let expected = expected.split_once(' ');
            let expected = expected.map(|(commit, rest)| (commit.as_bytes(), rest.as_bytes()));
            assert_eq!(rust_parts(name.as_bytes()), expected, "{name}");
        }
    }
}
