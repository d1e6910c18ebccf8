//! The parts of a file, by the names that [`part_name`](super::part_name) understands.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::warning::{Error, Warnings};
use super::{FileSequence, ReadOptions, input};
use crate::profile::{Part, ProfileBuilder};

/// The names of all parts of a file, `FILE#1`, `FILE#2` and so on in the order in which they stand
/// there: by their numbers, or by their threads where these alone differ.
///
/// # Errors
/// Those of reading the file.
pub fn parts_of(file: &Path, options: &ReadOptions) -> Result<Vec<PathBuf>, Error> {
    let parts = headers_of(file, options)?;
    let threads: Vec<&[u8]> = parts.iter().filter_map(|part| part.thread.as_deref()).collect();
    let is_one_dump = parts.len() > 1
        && threads.len() == parts.len()
        && parts.iter().all(|part| part.part_number == parts[0].part_number);
    let mut names: Vec<PathBuf> = Vec::new();
    for (number, part) in (1..).zip(&parts) {
        let name = match (&part.part_number, &part.thread) {
            (_, Some(thread)) if is_one_dump => [b"t", &thread[..]].concat(),
            (Some(number), _) => number.to_vec(),
            (None, _) => usize::to_string(&number).into_bytes(),
        };
        let mut path = file.as_os_str().to_owned();
        path.push(format!("#{}", String::from_utf8_lossy(&name)));
        let name = PathBuf::from(path);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

/// The headers of all parts of a file, whose costs are not kept.
fn headers_of(file: &Path, options: &ReadOptions) -> Result<Vec<Part>, Error> {
    let options = ReadOptions {
        parts: Vec::new(),
        threads: Vec::new(),
        // No part has an empty name.
        file_part: Some(Vec::new()),
        ..options.clone()
    };
    let mut profile = ProfileBuilder::default();
    let input = input::open(file, &Arc::default());
    let mut files = FileSequence::new(Box::new(std::iter::once(input)), &options, &mut profile);
    let name = file.as_os_str().as_encoded_bytes();
    let read: Result<Warnings, Error> = files.read_next(name, &options, &mut profile);
    files.finish(&mut profile);
    Ok(read?.skipped)
}
