//! Whose sources are shown: the user's own, as far as that can be known. A source that is not found
//! is the user's if others of its folder are, where a folder was recorded: which lines are shown
//! does not depend on one file.

use hashbrown::{HashMap, HashSet};

use crate::profile::{FileId, ObjectId, Profile};
use crate::source::{Finder, basename, is_foreign, is_of_user};
use crate::view::charged::is_std_object;

/// Which sources are the user's own: the first of these kinds that a profile has any of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnSources {
    /// Those below the current folder.
    BelowHere,
    /// Those that are found and are not the system's, a toolchain's or a package's.
    Found,
    /// Those of all objects but the C and C++ libraries.
    OfObjects,
}

/// The source files of a profile, and those that only debug information names.
pub(super) struct Files<'p> {
    profile: &'p Profile,
    finder: &'p Finder,
    /// By number, from the profile's number of files on.
    more: Vec<Vec<u8>>,
    more_numbers: HashMap<Vec<u8>, u32>,
    is_own: Vec<bool>,
    /// The folders of the user's sources that are found, as they were recorded.
    own_folders: HashSet<&'p [u8]>,
    pub(super) own: OwnSources,
}

impl<'p> Files<'p> {
    pub(super) fn new(profile: &'p Profile, finder: &'p Finder) -> Files<'p> {
        let mut is_used = vec![false; profile.file_count()];
        let mut is_of_program = is_used.clone();
        let mut is_std: HashMap<ObjectId, bool> = HashMap::new();
        for fragment in profile.fragments_in_use() {
            let fragment = profile.fragment(fragment);
            let object = profile.function(fragment.function).object;
            let is_std =
                is_std.entry(object).or_insert_with(|| is_std_object(profile.object(object)));
            is_used[fragment.file.index()] = true;
            is_of_program[fragment.file.index()] |= !*is_std;
        }
        let mut files = Files {
            profile,
            finder,
            more: Vec::new(),
            more_numbers: HashMap::new(),
            is_own: Vec::new(),
            own_folders: HashSet::new(),
            own: OwnSources::OfObjects,
        };
        for own in [OwnSources::BelowHere, OwnSources::Found] {
            let names = is_used.iter().zip(profile.files());
            let is_own = names.map(|(is_used, name)| *is_used && files.is_of(own, name));
            files.is_own = is_own.collect();
            if files.is_own.contains(&true) {
                files.own = own;
                files.add_missing(&is_of_program);
                return files;
            }
        }
        let names = is_of_program.iter().zip(profile.files());
        files.is_own = names.map(|(is_of, name)| *is_of && !is_foreign(name)).collect();
        files
    }

    fn is_of(&self, own: OwnSources, name: &[u8]) -> bool {
        match own {
            OwnSources::BelowHere => self.finder.has_below_here(name),
            OwnSources::Found => is_of_user(name) && self.finder.has(name),
            OwnSources::OfObjects => !is_foreign(name),
        }
    }

    /// Adds the sources that are not found, but that lie in a folder of those that are.
    fn add_missing(&mut self, is_of_program: &[bool]) {
        let names = self.profile.files().zip(&self.is_own);
        let own = names.filter(|(_, is_own)| **is_own).map(|(name, _)| folder(name));
        self.own_folders = own.filter(|folder| !folder.is_empty()).collect();
        for (number, name) in self.profile.files().enumerate() {
            self.is_own[number] |= is_of_program[number] && self.is_missing(name);
        }
    }

    fn is_missing(&self, name: &[u8]) -> bool {
        self.own_folders.contains(folder(name)) && is_of_user(name) && !self.finder.has(name)
    }

    pub(super) fn is_own(&self, file: u32) -> bool {
        self.is_own[file as usize]
    }

    /// The number of a file that debug information names.
    pub(super) fn number(&mut self, name: &[u8]) -> u32 {
        if let Some(file) = self.profile.find_file(name) {
            return file.0;
        }
        if let Some(&known) = self.more_numbers.get(name) {
            return known;
        }
        let number = self.is_own.len() as u32;
        self.is_own.push(self.is_of(self.own, name) || self.is_missing(name));
        self.more.push(name.to_vec());
        self.more_numbers.insert(name.to_vec(), number);
        number
    }

    pub(super) fn name(&self, file: u32) -> &[u8] {
        match (file as usize).checked_sub(self.profile.file_count()) {
            Some(number) => &self.more[number],
            None => self.profile.file(FileId(file)),
        }
    }
}

/// The path of a file up to its name.
fn folder(path: &[u8]) -> &[u8] {
    &path[..path.len() - basename(path).len()]
}
