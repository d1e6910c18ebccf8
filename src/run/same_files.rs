//! Notes on a profile that is read twice, under one name or by a symbolic or hard link.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::message::{Messages, display_path};
use crate::options::InputOptions;
use crate::profile::Ordered;
use crate::read::file_and_part;

/// What two paths of one file have in common: its device and number, elsewhere the path without
/// symbolic links; and the name of its part, if only that is meant.
#[cfg(unix)]
type FileIdentity = (u64, u64, Option<Vec<u8>>);
#[cfg(not(unix))]
type FileIdentity = (PathBuf, Option<Vec<u8>>);

/// Notes each file that is given twice on a side, whose costs are counted twice, or on both sides.
/// Pipes and devices may have something else to read each time.
pub(super) fn note_same_files(new: &[PathBuf], options: &InputOptions, messages: &Messages) {
    let mut known: HashMap<FileIdentity, (usize, &Path)> = HashMap::new();
    let earlier = options.earlier.iter().map(Vec::as_slice);
    let sides = [new, &options.base[..]].into_iter().chain(earlier);
    for (side, paths) in sides.enumerate() {
        for (key, path) in distinct(paths, messages) {
            let Some(&(other_side, other)) = known.get(&key) else {
                known.insert(key, (side, path));
                continue;
            };
            let [first, second] = [other_side, side].map(|side| options.name_of_side(side));
            let names = names(other, path);
            messages.note(format!("{first} and {second} have the same file: {names}"));
        }
    }
}

/// The files of a side, each with the first of its paths; notes the others.
fn distinct<'p>(paths: &'p [PathBuf], messages: &Messages) -> Ordered<FileIdentity, &'p Path> {
    let mut files: Ordered<FileIdentity, &Path> = Ordered::default();
    for path in paths {
        let Some(key) = key(path) else {
            continue;
        };
        if let Some(first) = files.get(&key) {
            let names = names(first, path);
            messages.note(format!("a file is given twice, its costs are added twice: {names}"));
        } else {
            files.insert(key, path);
        }
    }
    files
}

/// The key of a regular file.
fn key(path: &Path) -> Option<FileIdentity> {
    let (path, part) = file_and_part(path);
    let part = part.map(<[u8]>::to_vec);
    let file = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some((file.dev(), file.ino(), part))
    }
    #[cfg(not(unix))]
    {
        drop(file);
        Some((fs::canonicalize(path).ok()?, part))
    }
}

fn names(first: &Path, second: &Path) -> String {
    let [first, second] = [first, second].map(display_path);
    if first == second { first } else { format!("{first}, {second}") }
}
