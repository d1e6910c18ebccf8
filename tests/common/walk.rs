//! The files below a folder.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// All files below a folder, in order.
pub fn walk(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    let entries: io::Result<Vec<_>> = fs::read_dir(folder)?.collect();
    let mut entries: Vec<PathBuf> = entries?.iter().map(fs::DirEntry::path).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            walk(&path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}
