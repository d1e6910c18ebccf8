//! `FILE#PART`, one part of a profile, wherever a profile is named: `run.out#2` is the part with
//! that number, `run.out#fft` the one that the program named so, `run.out#t3` those of thread 3.
//! Parts that the file does not number are numbered in order.
//!
//! A file that has such a name itself is meant instead.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::warning::{Error, Warnings};
use super::{Files, ReadOptions, input};
use crate::profile::{Part, ProfileBuilder};

/// The file of a profile, and the name of its part if only that is meant.
pub fn file_and_part(path: &Path) -> (&Path, Option<&[u8]>) {
    let parted = path.to_str().and_then(|name| name.rsplit_once('#'));
    match parted.map(|(file, part)| (Path::new(file), part.as_bytes())) {
        Some((file, part)) if !part.is_empty() && !path.exists() && file.is_file() => {
            (file, Some(part))
        }
        _ => (path, None),
    }
}

/// The file of a profile, without the name of its part.
pub fn file_of(path: &Path) -> &Path {
    file_and_part(path).0
}

/// Whether a part is meant by a name. `number` is its place in its file, from 1.
pub(super) fn is_named(part: &Part, number: usize, name: &[u8]) -> bool {
    let by_place = part.part_number.is_none() && number.to_string().as_bytes() == name;
    let of_thread = part.thread.as_deref().zip(name.strip_prefix(b"t"));
    by_place
        || part.part_number.as_deref() == Some(name)
        || part.name() == Some(name)
        || of_thread.is_some_and(|(thread, name)| thread == name)
}

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
    let mut files = Files::new(Box::new(std::iter::once(input)), &options, &mut profile);
    let name = file.as_os_str().as_encoded_bytes();
    let read: Result<Warnings, Error> = files.read_next(name, &options, &mut profile);
    files.finish(&mut profile);
    Ok(read?.skipped)
}
