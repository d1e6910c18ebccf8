//! Hands out the numbers of rows while places and calls are gone through.

use hashbrown::HashMap;

use super::RowId;
use crate::profile::{FileId, FunctionId, NameId, Profile};
use crate::view::{Filter, Subject};

/// The rows found so far.
pub(super) struct Finder<'f> {
    profile: &'f Profile,
    /// The rows by file and name: those that the filter did not choose, and those that it did.
    index: [HashMap<(FileId, NameId), RowId>; 2],
    pub(super) keys: Vec<(FileId, NameId)>,
    /// The last function and file, with their row: the next place is mostly of the same.
    last: Option<(FunctionId, FileId, RowId)>,
    /// None if everything is chosen.
    filter: Option<&'f Filter>,
    /// What the filter said, so that it is asked once.
    verdicts: HashMap<(FunctionId, FileId), bool>,
    /// By row, if there is a filter.
    pub(super) is_chosen: Vec<bool>,
}

impl<'f> Finder<'f> {
    pub(super) fn new(profile: &'f Profile, filter: &'f Filter) -> Finder<'f> {
        Finder {
            profile,
            index: [HashMap::new(), HashMap::new()],
            keys: Vec::new(),
            last: None,
            filter: (!filter.is_empty()).then_some(filter),
            verdicts: HashMap::new(),
            is_chosen: Vec::new(),
        }
    }

    /// The row of a function's lines in a file.
    #[inline]
    pub(super) fn row(&mut self, function: FunctionId, file: FileId) -> RowId {
        if let Some((last_function, last_file, row)) = self.last
            && (last_function, last_file) == (function, file)
        {
            return row;
        }
        let is_chosen = self.is_chosen(function, file);
        let key = (file, self.profile.function(function).name);
        let index = &mut self.index[usize::from(is_chosen)];
        let row = *index.entry(key).or_insert_with(|| {
            self.keys.push(key);
            if self.filter.is_some() {
                self.is_chosen.push(is_chosen);
            }
            RowId(self.keys.len() as u32 - 1)
        });
        self.last = Some((function, file, row));
        row
    }

    fn is_chosen(&mut self, function: FunctionId, file: FileId) -> bool {
        let Some(filter) = self.filter else {
            return true;
        };
        let profile = self.profile;
        *self.verdicts.entry((function, file)).or_insert_with(|| {
            let function = profile.function(function);
            let object = profile.known_object(function.object);
            let name = profile.name(function.name);
            filter.accepts(&Subject::new(object, profile.file(file), name))
        })
    }
}
