//! Numbers the rows as fragments are looked up.

use hashbrown::HashMap;

use crate::profile::{FileId, Fragment, FunctionId, NameId, Profile};
use crate::view::filter::Subject;
use crate::view::row_by::{Groups, RowBy, RowOptions};

pub(super) struct Finder<'f> {
    profile: &'f Profile,
    options: &'f RowOptions,
    /// With each key whether the filter selected the row.
    index: HashMap<(Key, bool), u32>,
    /// By inlined copy the first function of the same object, file and name; empty if there are no copies.
    first_of_copies: Vec<FunctionId>,
    pub(super) keys: Vec<(FileId, NameId)>,
    /// The line of each row, where rows are lines; 0 for a function.
    pub(super) lines: Vec<(u32, bool)>,
    /// If rows are groups: these. The name in a key is then a group's number, the file nothing.
    pub(super) groups: Option<Groups<'f>>,
    /// By row, if there is a filter.
    pub(super) is_selected: Vec<bool>,
}

/// What makes a row one.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Source(FileId, NameId),
    Function(FunctionId),
    /// A line, and whether only BASE's text has it.
    Line(FileId, u32, bool),
}

impl<'f> Finder<'f> {
    pub(super) fn new(profile: &'f Profile, options: &'f RowOptions) -> Finder<'f> {
        let fragments = profile.fragments().len();
        Finder {
            profile,
            options,
            index: HashMap::with_capacity(fragments),
            first_of_copies: first_of_copies(profile),
            keys: Vec::with_capacity(fragments),
            lines: Vec::new(),
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
        let key = match (self.options.row_by, &mut self.groups) {
            (RowBy::Line, _) if division.line() > 0 => {
                line = (division.line(), division.is_removed_line());
                Key::Line(fragment.file, line.0, line.1)
            }
            (RowBy::Function, _) => {
                source.0 = function.file;
                match self.profile.is_difference() {
                    // They are paired by file and name.
                    true => Key::Source(source.0, source.1),
                    false => Key::Function(self.first_of_copies(fragment.function)),
                }
            }
            (_, groups) => {
                if let Some(groups) = groups {
                    source = (FileId(0), NameId(groups.of(self.profile, fragment)));
                }
                Key::Source(source.0, source.1)
            }
        };
        let new = self.keys.len() as u32;
        let row = *self.index.entry((key, is_selected)).or_insert(new);
        if row == new {
            self.keys.push(source);
            if self.options.row_by == RowBy::Line {
                self.lines.push(line);
            }
            if !self.options.filter.is_empty() {
                self.is_selected.push(is_selected);
            }
        }
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

/// By function the first one of the same object, file and name, if there are inlined copies: others have these but once.
fn first_of_copies(profile: &Profile) -> Vec<FunctionId> {
    if !profile.has_inlined() {
        return Vec::new();
    }
    let mut first = HashMap::new();
    let functions = profile.functions().map(|(id, function)| {
        *first
            .entry((function.object, function.file, function.name))
            .or_insert(id)
    });
    functions.collect()
}
