//! Numbers the rows as fragments are looked up.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap};

use crate::profile::{Division, FileId, Fragment, FunctionId, NameId, Profile};
use crate::view::charged::shown_files;
use crate::view::filter::Subject;
use crate::view::row_by::{Groups, RowBy, RowOptions};

pub(super) struct Finder<'f> {
    profile: &'f Profile,
    options: &'f RowOptions,
    /// A hash table of row numbers with linear probing; half of the slots stay empty.
    slots: Vec<u32>,
    hasher: DefaultHashBuilder,
    /// By function the file that it is shown in; empty if every function is shown in its file in the profile.
    files: Vec<FileId>,
    /// By function the first function with the same object, file and name; empty if no two functions can have the same.
    first_of_copies: Vec<FunctionId>,
    pub(super) keys: Vec<Key>,
    /// The groups, if rows are groups. The name in a key is then a group's number, and the file is 0.
    pub(super) groups: Option<Groups<'f>>,
}

const NONE: u32 = u32::MAX;
const NO_FUNCTION: FunctionId = FunctionId(u32::MAX);

/// The key of a row.
#[derive(Clone, Copy)]
pub(super) struct Key {
    pub(super) file: FileId,
    /// The function's name; for a line, that of the first of its functions.
    pub(super) name: NameId,
    /// The line, if rows are lines and it is known.
    pub(super) line: Division,
    /// The function, if rows are functions; [`NO_FUNCTION`] otherwise.
    function: FunctionId,
    /// Whether the filter selected it; true without a filter.
    pub(super) is_selected: bool,
}

impl Key {
    fn compared(self) -> (FileId, NameId, Division, FunctionId, bool) {
        let name = match self.line {
            Division::NONE => self.name,
            _ => NameId(0),
        };
        (self.file, name, self.line, self.function, self.is_selected)
    }
}

impl<'f> Finder<'f> {
    pub(super) fn new(profile: &'f Profile, options: &'f RowOptions) -> Finder<'f> {
        let fragments = profile.fragments().len();
        let files = match options.row_by {
            RowBy::Function => shown_files(profile),
            _ => Vec::new(),
        };
        Finder {
            profile,
            options,
            slots: vec![NONE; (2 * fragments + 1).next_power_of_two()],
            hasher: DefaultHashBuilder::default(),
            first_of_copies: first_of_copies(profile, &files),
            files,
            keys: Vec::with_capacity(fragments),
            groups: Groups::new(options),
        }
    }

    pub(super) fn row(&mut self, fragment: Fragment) -> u32 {
        let function = self.profile.function(fragment.function);
        let mut key = Key {
            file: fragment.file,
            name: function.name,
            line: Division::NONE,
            function: NO_FUNCTION,
            is_selected: self.is_selected(fragment),
        };
        match (self.options.row_by, &mut self.groups) {
            (RowBy::Line, _) => key.line = fragment.division,
            (RowBy::Function, _) => {
                let file = self.files.get(fragment.function.index());
                key.file = file.copied().unwrap_or(function.file);
                // In a difference, functions are paired by file and name.
                if !self.profile.is_difference() {
                    key.function = self.first_of_copies(fragment.function);
                }
            }
            (_, Some(groups)) => {
                key.file = FileId(0);
                key.name = NameId(groups.of(self.profile, fragment));
            }
            _ => {}
        }
        let compared = key.compared();
        // Keys that are equal in these rarely differ in the rest.
        let hash = self.hasher.hash_one((compared.0, compared.1, compared.2));
        let (mut at, last) = (hash as usize, self.slots.len() - 1);
        loop {
            match self.slots[at & last] {
                NONE => break,
                row if self.keys[row as usize].compared() == compared => return row,
                _ => at = at.wrapping_add(1),
            }
        }
        let row = self.keys.len() as u32;
        self.slots[at & last] = row;
        self.keys.push(key);
        row
    }

    fn first_of_copies(&self, function: FunctionId) -> FunctionId {
        let first = self.first_of_copies.get(function.index());
        first.copied().unwrap_or(function)
    }

    fn is_selected(&self, fragment: Fragment) -> bool {
        let filter = &self.options.filter;
        filter.is_empty() || filter.accepts(&Subject::of_fragment(self.profile, fragment))
    }
}

/// By function the first one with the same object, file and name; needed only with inlined copies or functions that are
/// shown in another file, as otherwise no two functions have the same.
fn first_of_copies(profile: &Profile, files: &[FileId]) -> Vec<FunctionId> {
    if !profile.has_inlined() && files.is_empty() {
        return Vec::new();
    }
    let mut first = HashMap::new();
    let functions = profile.functions().map(|(id, function)| {
        let file = files.get(id.index()).copied().unwrap_or(function.file);
        *first
            .entry((function.object, file, function.name))
            .or_insert(id)
    });
    functions.collect()
}
