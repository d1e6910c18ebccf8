//! Which files may be read as sources.
//!
//! A profile is untrusted, and a report is meant to be shared: a profile that calls `/etc/shadow` a
//! source must not bring its text into a report. Below the folders that the user chose, and below
//! those of toolchains, any text file is a source. Elsewhere the name of a file has to end as those
//! of sources do. The path without links and `..` counts, so neither a link nor a detour leads out
//! of a folder.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::path;
use super::system::is_of_system;

/// How the names of source files end, in lower case.
const ENDINGS: [&str; 109] = [
    "ada", "adb", "ads", "asm", "c", "c++", "c++m", "cbl", "cc", "ccm", "cjs", "cl", "clj", "cob",
    "coffee", "cpp", "cppm", "cr", "cs", "cu", "cuh", "cxx", "d", "dart", "def", "di", "dpr", "el",
    "erl", "ex", "exs", "f", "f03", "f08", "f77", "f90", "f95", "for", "fs", "fsx", "go", "groovy",
    "h", "h++", "hh", "hpp", "hrl", "hs", "hxx", "inc", "inl", "ino", "ipp", "ixx", "java", "jl",
    "js", "jsx", "kt", "kts", "l", "lex", "lisp", "ll", "lua", "m", "mjs", "ml", "mli", "mm",
    "nim", "pas", "php", "phtml", "pl", "pm", "pp", "pxd", "pxi", "py", "pyi", "pyx", "r", "rb",
    "re", "rkt", "rl", "rs", "s", "scala", "scm", "sv", "svh", "swift", "sx", "tcc", "tcl", "tpp",
    "ts", "tsx", "v", "vala", "vb", "vhd", "vhdl", "y", "ypp", "yy", "zig",
];

/// The names of sources that exist, but were not read.
pub(super) type Refused = Arc<Mutex<BTreeSet<Vec<u8>>>>;

#[derive(Debug, Default)]
pub(super) struct Readable {
    /// The folders below which any text file is a source, without links.
    folders: Vec<PathBuf>,
    /// The names, as the profile has them, of the sources that the user named.
    named: HashSet<Vec<u8>>,
    pub(super) refused: Refused,
}

impl Readable {
    /// Any text file below this folder is a source; an empty name is the current folder.
    pub(super) fn add_folder(&mut self, folder: &[u8]) {
        let folder = if folder.is_empty() { b"." } else { folder };
        self.folders.extend(fs::canonicalize(path(folder)));
    }

    /// Like [`add_folder`](Readable::add_folder) for a folder that the user did not choose by name.
    /// Below the root are all files, so it counts only if it was chosen.
    pub(super) fn add_implied_folder(&mut self, folder: &[u8]) {
        self.add_folder(folder);
        self.folders.pop_if(|folder| folder.parent().is_none());
    }

    /// The user named this source of the profile.
    pub(super) fn add_named(&mut self, name: &[u8]) {
        self.named.insert(name.to_vec());
    }

    /// Whether a file that was found by this name may be read; `toolchain` is the folder of sources
    /// in which it was searched, if it belongs to a toolchain.
    pub(super) fn permits(&self, name: &[u8], file: &[u8], toolchain: Option<&Path>) -> bool {
        let Ok(real) = fs::canonicalize(path(file)) else {
            return false;
        };
        let toolchain = toolchain.and_then(|folder| fs::canonicalize(folder).ok());
        let mut folders = self.folders.iter().chain(&toolchain);
        folders.any(|folder| real.starts_with(folder))
            || is_of_toolchain(&real)
            || ends_as_source(&real)
            || self.named.contains(name)
    }

    pub(super) fn refuse(&self, name: &[u8]) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.insert(name.to_vec());
    }

    pub(super) fn refused(&self) -> Vec<Vec<u8>> {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.iter().cloned().collect()
    }
}

/// Whether a file is a source of the system or a toolchain; some of them, such as `vector`, have no
/// ending.
fn is_of_toolchain(real: &Path) -> bool {
    real.starts_with("/usr/src") || is_of_system(real.as_os_str().as_encoded_bytes())
}

fn ends_as_source(real: &Path) -> bool {
    let ending = real.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.contains(&&*ending.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_end_as_sources_do() {
        assert!(ENDINGS.is_sorted(), "the table is sorted");
        let sources =
            "/a/x.c /a/X.C /a/x.h++ /a/x.tar.rs /a/.hidden.py /a/gram.y /a/start.S /a/m.F90";
        for name in sources.split(' ') {
            assert!(ends_as_source(Path::new(name)), "{name}");
        }
        let others = "/etc/shadow /a/.c /a/x.c~ /a/x.c.txt /a/c /a.c/x /a/id_rsa /a/.env /a/x.json /a/x. /a/x.pem";
        for name in others.split(' ') {
            assert!(!ends_as_source(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn sources_of_the_system_without_an_ending() {
        for name in ["/usr/src/glibc/sysdeps/table", "/usr/include/c++/12/vector"] {
            assert!(is_of_toolchain(Path::new(name)), "{name}");
        }
        for name in ["/etc/shadow", "/home/user/vector", "/usr/srcs/table"] {
            assert!(!is_of_toolchain(Path::new(name)), "{name}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn files_that_may_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["in/a.txt", "in/sub/b.txt", "inside.txt", "out/c.txt", "out/d.c"] {
            let file = root.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let links = [
            ("in/link.c", "../out/c.txt"),
            ("in/link.txt", "../out/d.c"),
            ("in/leads-out", "../out"),
            ("checkout", "in"),
        ];
        for (name, target) in links {
            std::os::unix::fs::symlink(target, root.join(name)).unwrap();
        }
        let bytes = |name: &str| root.join(name).into_os_string().into_encoded_bytes();
        // The folder is chosen by the name of a link.
        let mut readable = Readable::default();
        readable.add_implied_folder(&bytes("checkout"));
        readable.add_implied_folder(b"/");
        readable.add_named(b"named");
        let table = [
            ("in/a.txt", true),
            ("in/sub/b.txt", true),
            ("in/../in/a.txt", true),
            ("checkout/a.txt", true),
            ("in/link.txt", true),
            ("out/d.c", true),
            ("in/link.c", false),
            ("in/leads-out/c.txt", false),
            ("in/sub/../../out/c.txt", false),
            ("checkout/../inside.txt", false),
            ("inside.txt", false),
            ("out/c.txt", false),
        ];
        for (name, expected) in table {
            let file = bytes(name);
            assert_eq!(readable.permits(&file, &file, None), expected, "{name}");
        }
        let out = bytes("out/c.txt");
        assert!(readable.permits(b"named", &out, None));
        assert!(readable.permits(&out, &out, Some(&root.join("out"))));
        readable.add_folder(&bytes("out"));
        assert!(readable.permits(&out, &out, None));
    }
}
