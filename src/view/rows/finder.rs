//! Numbers the rows as fragments are looked up.

use hashbrown::HashMap;

use crate::profile::{FileId, Fragment, FunctionId, NameId, Profile};
use crate::view::filter::{Filter, Subject};
use crate::view::label::RowId;
use crate::view::row_by::{Groups, RowBy, RowOptions};

/// The rows found so far.
pub(super) struct Finder<'f> {
    profile: &'f Profile,
    /// Those that the filter did not select, and those that it did.
    index: [Index; 2],
    /// The same where a row is a function: by its number. `None` where rows are others.
    functions: Option<[Vec<Option<RowId>>; 2]>,
    /// By inlined copy the first function of the same object, file and name; empty if there are no copies.
    first_of_copies: Vec<FunctionId>,
    row_by: RowBy,
    pub(super) keys: Vec<(FileId, NameId)>,
    /// The line of each row, where rows are lines; 0 for a function.
    pub(super) lines: Vec<(u32, bool)>,
    /// The rows of lines, by file, line and whether the filter selected them.
    of_lines: HashMap<(FileId, u32, bool, bool), RowId>,
    /// If rows are groups: these. The name in a key is then a group's number, the file nothing.
    pub(super) groups: Option<Groups>,
    /// None if everything is selected.
    filter: Option<&'f Filter>,
    /// By row, if there is a filter.
    pub(super) is_selected: Vec<bool>,
}

impl<'f> Finder<'f> {
    pub(super) fn new(profile: &'f Profile, options: &'f RowOptions) -> Finder<'f> {
        let filter = (!options.filter.is_empty()).then_some(&options.filter);
        Finder {
            profile,
            index: [Index::default(), Index::default()],
            first_of_copies: first_of_copies(profile),
            // Of a difference functions are paired by file and name.
            functions: (options.row_by == RowBy::Function && !profile.is_difference())
                .then(|| [(); 2].map(|()| vec![None; profile.function_count()])),
            keys: Vec::with_capacity(profile.fragments().len()),
            lines: Vec::new(),
            of_lines: HashMap::new(),
            groups: Groups::new(options),
            row_by: options.row_by,
            filter,
            is_selected: Vec::new(),
        }
    }

    pub(super) fn row(&mut self, fragment: Fragment) -> u32 {
        let is_selected = self.is_selected(fragment);
        let function = self.profile.function(fragment.function);
        let known = self.keys.len();
        let (line, is_removed) = match self.row_by {
            RowBy::Line => (
                fragment.division.line(),
                fragment.division.is_removed_line(),
            ),
            _ => (0, false),
        };
        let row = if line > 0 {
            let file = fragment.file;
            let row = self.of_lines.entry((file, line, is_removed, is_selected));
            *row.or_insert_with(|| {
                self.keys.push((file, function.name));
                RowId(known as u32)
            })
        } else if let Some(functions) = &mut self.functions {
            let first = self.first_of_copies.get(fragment.function.index());
            let first = first.unwrap_or(&fragment.function).index();
            let row = &mut functions[usize::from(is_selected)][first];
            *row.get_or_insert_with(|| {
                self.keys.push((function.file, function.name));
                RowId(known as u32)
            })
        } else {
            let key = match &mut self.groups {
                None => self.source(fragment),
                Some(groups) => {
                    let group = groups.of(self.profile, fragment);
                    (FileId(0), NameId(group))
                }
            };
            self.index[usize::from(is_selected)].find_or_add(key, &mut self.keys)
        };
        if self.row_by == RowBy::Line && self.keys.len() > known {
            self.lines.push((line, is_removed));
        }
        if self.filter.is_some() && self.keys.len() > known {
            self.is_selected.push(is_selected);
        }
        row.0
    }

    /// The file and the name of the row of a fragment, unless it is a group.
    fn source(&self, fragment: Fragment) -> (FileId, NameId) {
        let function = self.profile.function(fragment.function);
        match self.row_by {
            RowBy::Function => (function.file, function.name),
            _ => (fragment.file, function.name),
        }
    }

    fn is_selected(&self, fragment: Fragment) -> bool {
        let subject = || Subject::of_fragment(self.profile, fragment);
        self.filter.is_none_or(|filter| filter.accepts(&subject()))
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

/// Rows by file and name.
#[derive(Default)]
struct Index {
    /// By name, the last of its first rows.
    of_name: Vec<RowId>,
    /// By row, the one before it of the same name.
    before: Vec<RowId>,
    /// The other rows of names that are in many files.
    others: HashMap<(FileId, NameId), RowId>,
}

const NONE: RowId = RowId(u32::MAX);

/// How many rows of a name are gone through one by one, which is faster than a hash table: most names are in one file or two.
const FEW: usize = 8;

impl Index {
    /// The row of a key; a new one is pushed to all `keys`.
    fn find_or_add(&mut self, key: (FileId, NameId), keys: &mut Vec<(FileId, NameId)>) -> RowId {
        let name = key.1.index();
        if name >= self.of_name.len() {
            self.of_name.resize(name + 1, NONE);
        }
        let (mut row, mut count) = (self.of_name[name], 0);
        while row != NONE {
            if keys[row.index()] == key {
                return row;
            }
            row = self.before[row.index()];
            count += 1;
        }
        let new = RowId(keys.len() as u32);
        if count < FEW {
            self.before.resize(keys.len() + 1, NONE);
            self.before[keys.len()] = std::mem::replace(&mut self.of_name[name], new);
        } else {
            let row = *self.others.entry(key).or_insert(new);
            if row != new {
                return row;
            }
        }
        keys.push(key);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_of_a_name_has_one_row() {
        let (mut index, mut keys) = (Index::default(), Vec::new());
        for _ in 0..2 {
            for i in 0..90 {
                let row = index.find_or_add((FileId(i / 3), NameId(i % 3)), &mut keys);
                assert_eq!(row, RowId(i));
            }
        }
        assert_eq!(keys.len(), 90);
    }
}
