//! Programs where a profile is expected: the only one of the current directory, and what is said of
//! one that is given without a profile.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::anyhow;

use crate::program::is_program;
use crate::render::SuggestedCommand;
use crate::run::message::display_path;

pub(super) const RECORD: &str = "valgrind --tool=callgrind";

/// The program in the current directory, if there is only one.
pub(super) fn only_program() -> Option<PathBuf> {
    let names = sibling_names(Path::new("")).map(PathBuf::from);
    let is_library = |path: &Path| {
        let end = path.extension();
        end.is_some_and(|end| end == "so" || end == "o")
    };
    let mut programs = names.filter(|path| is_program(path) && !is_library(path));
    programs.next().filter(|_| programs.next().is_none())
}

/// The error of a program that is given without a profile.
pub(super) fn only_a_program(path: &Path, is_gprof: bool) -> anyhow::Error {
    let path_shown = display_path(path);
    if is_gprof {
        return anyhow!(
            "{path_shown}: a program, and no gmon.out here, which it writes if compiled with -pg"
        );
    }
    let of_rust = if is_of_rust(path) {
        " (built with debug = true in Cargo.toml for source lines)"
    } else {
        ""
    };
    let command = SuggestedCommand::new(RECORD).file(path);
    anyhow!("{path_shown}: a program, not a profile; make one with: {command}{of_rust}")
}

/// Whether a program has the paths of Rust's library that rustc leaves.
fn is_of_rust(path: &Path) -> bool {
    let bytes = fs::read(path).unwrap_or_default();
    memchr::memmem::find(&bytes, b"/rustc/").is_some()
}

/// The names of the files in the folder of a path.
pub(super) fn sibling_names(path: &Path) -> impl Iterator<Item = String> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter();
    let exists = |entry: &fs::DirEntry| entry.path().exists();
    let names = entries.flatten().flatten().filter(exists).map(|entry| entry.file_name());
    names.filter_map(|name| name.into_string().ok())
}
