//! The parts of a profile may be in any order, in one file or in several.

use std::io::Cursor;

use cgannotate::internal::profile::ProfileBuilder;
use cgannotate::internal::read::{self, ReadOptions};

use super::export::by_name;

/// Checks that the parts of a profile, each a complete file, may be in either order, in one file or in several.
pub fn order_of_parts_changes_nothing(parts: &[Vec<u8>]) {
    let read = |parts: &mut dyn Iterator<Item = &Vec<u8>>| {
        let mut builder = ProfileBuilder::default();
        for part in parts {
            let part = Cursor::new(part.clone());
            read::read_from(part, b"p.out", &ReadOptions::default(), &mut builder).ok()?;
        }
        Some(by_name(&builder.finish()))
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
