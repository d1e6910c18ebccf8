//! The parts of a profile may be in any order, in one file or in several.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use cgannotate::internal::profile::{Profile, ProfileBuilder};
use cgannotate::internal::read::{self, ReadOptions};

use super::export::by_name;

/// Checks that the parts of a profile, each a complete file, may be in either order, in one file or
/// in several.
pub fn order_of_parts_changes_nothing(parts: &[Vec<u8>]) {
    let read = |parts: &mut dyn Iterator<Item = &Vec<u8>>| {
        let mut builder = ProfileBuilder::default();
        for part in parts {
            let part = Cursor::new(part.clone());
            read::read_from(part, b"p.out", &ReadOptions::default(), &mut builder).ok()?;
        }
        Some(by_name_and_event(&builder.finish()))
    };
    let forwards = read(&mut parts.iter());
    let backwards = read(&mut parts.iter().rev());
    let together = read(&mut [parts.concat()].iter());
    if let (Some(forwards), Some(backwards)) = (&forwards, backwards) {
        assert_eq!(*forwards, backwards);
    }
    if let (Some(forwards), Some(together)) = (forwards, together) {
        assert_eq!(forwards, together);
    }
}

/// The costs of rows, lines and calls, events in the order of their names: the first part says in
/// which order they are.
fn by_name_and_event(profile: &Profile) -> BTreeMap<String, (i128, Vec<i128>)> {
    let names: Vec<&[u8]> = profile.events().names().collect();
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&event| names[event]);
    let mut all = by_name(profile);
    for (_, cost) in all.values_mut() {
        *cost = order.iter().map(|&event| cost[event]).collect();
    }
    all
}

/// Checks that the parts of a file, each read by its name, are together the file.
pub fn named_parts_are_the_file(file: &Path) {
    let options = ReadOptions::default();
    let read = |paths: &[PathBuf]| {
        let mut builder = ProfileBuilder::default();
        read::read_all(paths, &options, &mut builder, |_, read| read.map(drop)).ok()?;
        Some(by_name_and_event(&builder.finish()))
    };
    let whole = read(&[file.to_owned()]);
    let names = read::parts_of(file, &options).ok();
    if let (Some(whole), Some(names)) = (whole, names) {
        assert_eq!(read(&names), Some(whole), "{}", file.display());
    }
}
