//! The sources of Rust's own library. In a program they are called `/rustc/<commit>/library/…`; an installed
//! `rust-src` has them below `lib/rustlib/src/rust` of a toolchain.
//!
//! Nothing of this is looked for before a source of that name is wanted and not found. The programs that
//! are run are the `rustc` of the user's PATH and those of the user's rustup folder, never one that a profile
//! names; they run in the root folder, where no `rust-toolchain.toml` chooses another one.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where the sources lie below a toolchain: those of the library, and those of the compiler.
const PLACES: [&str; 2] = ["lib/rustlib/src/rust", "lib/rustlib/rustc-src/rust"];

/// A Rust toolchain that has sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Toolchain {
    /// Its folder.
    pub(super) root: PathBuf,
    /// The commit that it was made from, if known.
    pub(super) commit: Option<String>,
}

/// Takes `/rustc/<commit>/rest` apart.
pub(super) fn parts(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = name.strip_prefix(b"/rustc/")?;
    let end = rest.iter().position(|&b| b == b'/' || b == b'\\')?;
    Some((&rest[..end], &rest[end + 1..]))
}

/// The toolchains that have sources, that of the PATH first.
pub(super) fn toolchains() -> Vec<Toolchain> {
    let home = std::env::var_os("RUSTUP_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".rustup")));
    let mut roots: Vec<PathBuf> = on_path().into_iter().collect();
    let entries = home.and_then(|home| fs::read_dir(home.join("toolchains")).ok());
    let mut others: Vec<PathBuf> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    others.sort();
    others.retain(|root| !roots.contains(root));
    roots.extend(others);
    roots.retain(|root| PLACES.iter().any(|place| root.join(place).is_dir()));
    roots
        .into_iter()
        .map(|root| Toolchain {
            commit: commit(&root),
            root,
        })
        .collect()
}

/// The toolchain of the `rustc` in the PATH. Running it takes longer than anything else, so it is run only if its place does
/// not say, and not if it is rustup's: that keeps its toolchains in one folder.
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
    let sysroot = ask(rustc.as_os_str(), &["--print", "sysroot"])?;
    Some(PathBuf::from(sysroot.trim_end()))
}

/// The commit of a toolchain.
fn commit(root: &Path) -> Option<String> {
    let text = ask(root.join("bin/rustc").as_os_str(), &["-vV"])?;
    let commit = text
        .lines()
        .find_map(|line| line.strip_prefix("commit-hash: "))?;
    Some(commit.to_owned())
}

fn ask(program: &OsStr, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    // A rustup that lacks a toolchain is not to fetch it now.
    command
        .args(arguments)
        .current_dir("/")
        .env("RUSTUP_AUTO_INSTALL", "0");
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then_some(())?;
    String::from_utf8(output.stdout).ok()
}

impl Toolchain {
    /// Where a source with this path within Rust's repository may lie.
    pub(super) fn paths(&self, rest: &[u8]) -> Vec<Vec<u8>> {
        let root = self.root.as_os_str().as_encoded_bytes();
        let path = |place: &&str| [root, b"/", place.as_bytes(), b"/", rest].concat();
        PLACES.iter().map(path).collect()
    }

    /// Whether it is known to be made from another commit.
    pub(super) fn is_other(&self, commit: &[u8]) -> bool {
        self.commit
            .as_ref()
            .is_some_and(|own| own.as_bytes() != commit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_rusts_own_sources() {
        let table: [(&str, Option<(&str, &str)>); 5] = [
            (
                "/rustc/59807616e/library/core/src/mem/mod.rs",
                Some(("59807616e", "library/core/src/mem/mod.rs")),
            ),
            (
                r"/rustc/1.82.0\library\std\src\io.rs",
                Some(("1.82.0", r"library\std\src\io.rs")),
            ),
            ("/rustc/x", None),
            ("rustc/x/y", None),
            ("/rust/deps/hashbrown", None),
        ];
        for (name, expected) in table {
            let expected = expected.map(|(commit, rest)| (commit.as_bytes(), rest.as_bytes()));
            assert_eq!(parts(name.as_bytes()), expected, "{name}");
        }
    }
}
