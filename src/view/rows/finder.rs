//! Numbers the rows as fragments are looked up.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap};

use crate::profile::{FileId, Fragment, FunctionId, NameId, Profile};
use crate::view::charged::shown_files;
use crate::view::filter::Subject;
use crate::view::row_by::{Groups, RowBy, RowOptions};

pub(super) struct Finder<'f> {
    profile: &'f Profile,
    options: &'f RowOptions,
    /// Row numbers, each at the slot of its key's hash or behind it: half of the slots stay empty.
    slots: Vec<u32>,
    hasher: DefaultHashBuilder,
    /// By function the file that it is shown in; empty if that is its file in the profile, for all.
    files: Vec<FileId>,
    /// By inlined copy the first function of the same object, file and name; empty if there are no copies.
    first_of_copies: Vec<FunctionId>,
    pub(super) keys: Vec<(FileId, NameId)>,
    /// The line of each row, where rows are lines; 0 for a function.
    pub(super) lines: Vec<(u32, bool)>,
    /// The function of each row, where rows are these.
    functions: Vec<FunctionId>,
    /// If rows are groups: these. The name in a key is then a group's number, the file nothing.
    pub(super) groups: Option<Groups<'f>>,
    /// By row, if there is a filter.
    pub(super) is_selected: Vec<bool>,
}

const NONE: u32 = u32::MAX;

/// What makes a row one.
#[derive(PartialEq, Eq)]
struct Key {
    file: FileId,
    name: NameId,
    /// The line, and whether only BASE's text has it; the name is then nothing.
    line: (u32, bool),
    function: Option<FunctionId>,
    is_selected: bool,
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
            lines: Vec::new(),
            functions: Vec::new(),
            groups: Groups::new(options),
            is_selected: Vec::new(),
        }
    }

    pub(super) fn row(&mut self, fragment: Fragment) -> u32 {
        let is_selected = self.is_selected(fragment);
        let function = self.profile.function(fragment.function);
        let division = fragment.division;
        let mut source = (fragment.file, function.name);
        let mut line = (0, false);
        let mut only = None;
        match (self.options.row_by, &mut self.groups) {
            (RowBy::Line, _) if division.line() > 0 => {
                line = (division.line(), division.is_removed_line());
            }
            (RowBy::Function, _) => {
                let file = self.files.get(fragment.function.index());
                source.0 = file.copied().unwrap_or(function.file);
                // Of a difference they are paired by file and name.
                let is_difference = self.profile.is_difference();
                only = (!is_difference).then(|| self.first_of_copies(fragment.function));
            }
            (_, Some(groups)) => {
                source = (FileId(0), NameId(groups.of(self.profile, fragment)));
            }
            _ => {}
        }
        let key = Key {
            file: source.0,
            name: if line.0 > 0 { NameId(0) } else { source.1 },
            line,
            function: only,
            is_selected,
        };
        // The rest seldom differs if these do not.
        let hash = self.hasher.hash_one((key.file.0, key.name.0, key.line.0));
        let (mut at, last) = (hash as usize, self.slots.len() - 1);
        loop {
            match self.slots[at & last] {
                NONE => break,
                row if self.key(row as usize) == key => return row,
                _ => at = at.wrapping_add(1),
            }
        }
        let row = self.keys.len() as u32;
        self.slots[at & last] = row;
        self.keys.push(source);
        if let Some(function) = only {
            self.functions.push(function);
        }
        if self.options.row_by == RowBy::Line {
            self.lines.push(line);
        }
        if !self.options.filter.is_empty() {
            self.is_selected.push(is_selected);
        }
        row
    }

    /// The key of a row.
    fn key(&self, row: usize) -> Key {
        let (file, name) = self.keys[row];
        let line = self.lines.get(row).copied().unwrap_or_default();
        Key {
            file,
            name: if line.0 > 0 { NameId(0) } else { name },
            line,
            function: self.functions.get(row).copied(),
            is_selected: self.is_selected.get(row).copied().unwrap_or(true),
        }
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

/// By function the first one of the same object, file and name, if there are inlined copies or functions that are shown in
/// another file: others have these but once.
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
