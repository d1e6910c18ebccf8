//! On which sides of a difference the files are, and which texts of them are aligned.

use hashbrown::HashMap;

use crate::profile::{FileId, Presence, Profile, Sides};
use crate::source::{LineKey, LineMap};
use crate::view::rows::Rows;

/// A file of a difference, which BASE may have under another name.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileSides {
    /// On which sides it has costs or calls.
    pub on: Presence,
    /// Its name in BASE.
    pub base: Option<FileId>,
}

/// The sides of all files, by their numbers in NEW; of files that BASE alone has by those in BASE.
pub fn file_sides(profile: &Profile, rows: &Rows<'_>) -> Vec<FileSides> {
    let mut files = vec![FileSides::default(); profile.file_count()];
    let mut add = |file: FileId, on: Presence| {
        let sides = &mut files[rows.paired_file(file).index()];
        sides.on = sides.on.or(on);
        if on.base {
            sides.base.get_or_insert(file);
        }
    };
    for (number, place) in profile.places().iter().enumerate() {
        let file = profile.fragment(place.fragment).file;
        add(file, profile.presence_of_place(number));
    }
    for (number, call) in profile.calls().iter().enumerate() {
        let file = profile.fragment(call.site.fragment).file;
        add(file, profile.presence_of_call(number));
    }
    files
}

/// How the texts of the files of both sides are aligned, where they are.
#[derive(Default)]
pub struct Alignments {
    /// By the number of the file in NEW.
    pub maps: HashMap<FileId, LineMap>,
}

impl Alignments {
    /// Of one file; none if lines of the same number are the same.
    pub(super) fn of(&self, file: Option<FileId>) -> Option<&LineMap> {
        self.maps.get(&file?)
    }
}

/// Finds the lines at which something is shown.
#[derive(Clone, Copy)]
pub(in crate::view) struct Placing<'m> {
    /// How the texts of both sides are aligned; none if lines of the same number are the same.
    map: Option<&'m LineMap>,
}

impl<'m> Placing<'m> {
    /// That of the lines of a file.
    pub(in crate::view) fn new(profile: &Profile, map: Option<&'m LineMap>) -> Placing<'m> {
        Placing {
            map: map.filter(|_| profile.is_difference()),
        }
    }

    /// The places of a line, each with the sides that are shown there.
    pub(in crate::view) fn of(
        self,
        line: u32,
        on: Presence,
    ) -> impl Iterator<Item = (LineKey, Presence)> {
        let new = LineKey::new_line(line);
        let of_old = match self.map {
            Some(map) => map.of_old(line),
            None => return [Some((new, on)), None].into_iter().flatten(),
        };
        let (mut of_new, mut of_base) = (on, on);
        (of_new.base, of_base.new) = (false, false);
        let places = [
            on.new.then_some((new, of_new)),
            on.base.then_some((of_old, of_base)),
        ];
        places.into_iter().flatten()
    }

    /// The number of a line in BASE's text, if it has the line. Without texts it has it if something is there.
    pub(in crate::view) fn in_base(self, key: LineKey, on: Presence) -> Option<u32> {
        match self.map {
            Some(map) if key != LineKey::default() => map.in_old(key),
            _ => on.base.then_some(key.new),
        }
    }
}

/// The counts of some sides, in place of others `none`.
pub(in crate::view) fn on_sides<T: Copy>(sides: Sides<T>, on: Presence, none: T) -> Sides<T> {
    Sides {
        new: if on.new { sides.new } else { none },
        base: sides.base.map(|base| if on.base { base } else { none }),
    }
}
