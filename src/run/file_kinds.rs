//! Which of the files of the command line are profiles, and which are sources.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};

use super::message::{display_path, display_paths};
use super::words::tip_for;
use crate::read;
use crate::read::gmon::is_gmon;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Profile,
    Source,
    /// An empty file, which is skipped if it is not the only one.
    Empty,
}

/// Whether there are files like `callgrind.out.7-01`, beside which callgrind leaves
/// `callgrind.out.7` empty.
pub(super) fn has_files_of_threads(path: &Path, files: &[PathBuf]) -> bool {
    let start = [path.as_os_str().as_encoded_bytes(), b"-"].concat();
    let mut files = files.iter();
    files.any(|file| file.as_os_str().as_encoded_bytes().starts_with(&start))
}

/// The kind of each file. A single file is a profile, perhaps a damaged one.
pub(super) fn file_kinds(files: &[PathBuf]) -> Result<Vec<FileKind>> {
    if files.len() == 1 {
        return Ok(vec![FileKind::Profile]);
    }
    let kinds: Vec<_> = files.iter().map(|path| file_kind(path)).collect();
    if kinds.contains(&FileKind::Profile) {
        return Ok(kinds);
    }
    let paths = display_paths(files);
    let missing = || files.iter().filter(|path| !read::file_of(path).exists());
    let with_tip = missing().find_map(|path| Some((path, tip_for(path)?)));
    match (with_tip, missing().next()) {
        (Some((path, tip)), _) => Err(anyhow!("{}: no such file; {tip}", display_path(path))),
        (None, Some(path)) => Err(anyhow!("{}: no such file", display_path(path))),
        (None, None) => Err(anyhow!("none of the given files is a profile: {paths}")),
    }
}

/// Whether a file of the command line is a profile or has to be one, by its content; a missing one
/// is then an error.
pub(super) fn may_be_profile(path: &Path) -> bool {
    file_kind(path) == FileKind::Profile
        || is_gmon(path)
        || path != Path::new("-") && !read::file_of(path).exists()
}

/// A pipe or device, which cannot be read twice, is a profile, and so is a folder, for the profiles
/// in it.
fn file_kind(path: &Path) -> FileKind {
    if path == Path::new("-") {
        return FileKind::Profile;
    }
    match fs::metadata(read::file_of(path)) {
        Ok(file) if !file.is_file() => FileKind::Profile,
        Ok(file) if file.len() == 0 => FileKind::Empty,
        _ if read::is_profile(path) => FileKind::Profile,
        _ => FileKind::Source,
    }
}
