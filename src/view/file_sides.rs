//! On which sides of a difference the files are, and which texts of them are aligned.

use hashbrown::HashMap;

use crate::profile::{FileId, Presence, Profile};
use crate::source::LineMap;
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
