//! Numbers the rows as fragments are looked up.

use hashbrown::HashMap;

use crate::profile::{Division, FileId, FragmentId, FunctionId, NameId, ObjectId, Profile};
use crate::view::charged::shown_files;
use crate::view::row_by::{Groups, RowBy, RowOptions};

pub(super) struct Finder<'f> {
    profile: &'f Profile,
    options: &'f RowOptions,
    /// The rows that several fragments may be in.
    index: HashMap<Compared, u32>,
    /// By name whether fragments of one file may share it; empty if rows are not of a name and a file.
    is_shared: Vec<bool>,
    /// By function the file that it is shown in; empty if every function is shown in its file in the profile.
    files: Vec<FileId>,
    /// By function the first function with the same object, file and name; empty if no two functions can have the same.
    first_of_copies: Vec<FunctionId>,
    /// The first function of each object, if rows are instructions.
    of_objects: HashMap<ObjectId, FunctionId>,
    pub(super) keys: Vec<Key>,
    /// The groups, if rows are groups. The name in a key is then a group's number, and the file is 0.
    pub(super) groups: Option<Groups<'f>>,
}

const NO_FUNCTION: FunctionId = FunctionId(u32::MAX);

#[derive(Clone, Copy)]
pub(super) struct Key {
    pub(super) file: FileId,
    /// The function's name; for a line or an instruction, that of the first of its functions.
    pub(super) name: NameId,
    /// The line or instruction, if rows are lines or instructions and it is known.
    pub(super) place: Division,
    /// The function, if rows are functions; for an instruction, the first function of its object; else [`NO_FUNCTION`].
    pub(super) function: FunctionId,
    /// Whether the filter selected it; true without a filter.
    pub(super) is_selected: bool,
}

/// What decides whether two fragments are in one row.
type Compared = (FileId, NameId, Division, FunctionId, bool);

impl Key {
    fn compared(self) -> Compared {
        let name = match self.place {
            Division::NONE => self.name,
            _ => NameId(0),
        };
        (self.file, name, self.place, self.function, self.is_selected)
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
            index: HashMap::new(),
            is_shared: match options.row_by {
                RowBy::FileFunction => shared_names(profile),
                _ => Vec::new(),
            },
            first_of_copies: first_of_copies(profile, &files),
            of_objects: HashMap::new(),
            files,
            keys: Vec::with_capacity(fragments),
            groups: Groups::new(options),
        }
    }

    pub(super) fn row(&mut self, id: FragmentId) -> u32 {
        let fragment = self.profile.fragment(id);
        let function = self.profile.function(fragment.function);
        let mut key = Key {
            file: fragment.file,
            name: function.name,
            place: Division::NONE,
            function: NO_FUNCTION,
            is_selected: self.options.filter.accepts_fragment(self.profile, id),
        };
        match (self.options.row_by, &mut self.groups) {
            (RowBy::Line, _) => key.place = fragment.division,
            (RowBy::Instruction, _) => {
                let host = self.profile.host(fragment.function);
                key.name = self.profile.function(host).name;
                key.place = fragment.division;
                key.function = *self.of_objects.entry(function.object).or_insert(host);
            }
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
        let next = self.keys.len() as u32;
        // Most fragments have a row of their own, and looking up hundreds of thousands of keys takes long.
        let row = match self.is_shared.get(key.name.index()) {
            Some(false) => next,
            _ => *self.index.entry(key.compared()).or_insert(next),
        };
        if row == next {
            self.keys.push(key);
        }
        row
    }

    fn first_of_copies(&self, function: FunctionId) -> FunctionId {
        let first = self.first_of_copies.get(function.index());
        first.copied().unwrap_or(function)
    }
}

/// By name whether fragments of one file may share it: those of several functions, or the divisions of a fragment.
fn shared_names(profile: &Profile) -> Vec<bool> {
    let mut is_known = vec![false; profile.names().len()];
    let mut is_shared = is_known.clone();
    for (_, function) in profile.functions() {
        let name = function.name.index();
        is_shared[name] |= std::mem::replace(&mut is_known[name], true);
    }
    let fragments = profile.fragments().iter();
    for fragment in fragments.filter(|fragment| fragment.division != Division::NONE) {
        is_shared[profile.function(fragment.function).name.index()] = true;
    }
    is_shared
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
