//! `FILE#PART`, one part of a profile, wherever a profile is named: `run.out#2` is the part with
//! that number, `run.out#fft` the one that the program named so, `run.out#t3` those of thread 3.
//! Parts that the file does not number are numbered in order.
//!
//! A file that has such a name itself is meant instead.

use std::path::Path;

use crate::profile::Part;

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
