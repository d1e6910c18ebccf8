//! Hands out the numbers of rows while places and calls are gone through.

use hashbrown::HashMap;

use super::{RowId, RowOptions};
use crate::profile::{FileId, FunctionId, NameId, Profile};
use crate::view::grouping::Groups;
use crate::view::{Filter, Subject};

/// How many files of the function at hand are remembered.
const RECENT: usize = 8;

/// The rows found so far.
pub(super) struct Finder<'f> {
    profile: &'f Profile,
    /// The rows by file and name: those that the filter did not choose, and those that it did.
    index: [HashMap<(FileId, NameId), RowId>; 2],
    pub(super) keys: Vec<(FileId, NameId)>,
    /// If rows are groups: these. The name in a key is then a group's number, the file nothing.
    pub(super) groups: Option<Groups>,
    /// The function at hand, and some of its files with their rows: the next place is mostly in one of these,
    /// which saves a look into a large table.
    function: Option<FunctionId>,
    recent: Vec<(FileId, RowId)>,
    /// None if everything is chosen.
    filter: Option<&'f Filter>,
    /// What the filter said, so that it is asked once.
    verdicts: HashMap<(FunctionId, FileId), bool>,
    /// By row, if there is a filter.
    pub(super) is_chosen: Vec<bool>,
}

impl<'f> Finder<'f> {
    pub(super) fn new(profile: &'f Profile, options: &'f RowOptions) -> Finder<'f> {
        let filter = &options.filter;
        Finder {
            profile,
            // Most functions have a row, many have two: room for these from the begin saves a quarter of the time.
            index: [
                HashMap::new(),
                HashMap::with_capacity(2 * profile.functions().count()),
            ],
            keys: Vec::new(),
            groups: Groups::new(options.grouping),
            function: None,
            recent: Vec::with_capacity(RECENT),
            filter: (!filter.is_empty()).then_some(filter),
            verdicts: HashMap::new(),
            is_chosen: Vec::new(),
        }
    }

    /// The row of a function's lines in a file.
    #[inline]
    pub(super) fn row(&mut self, function: FunctionId, file: FileId) -> RowId {
        if self.function != Some(function) {
            self.function = Some(function);
            self.recent.clear();
        }
        if let Some(&(_, row)) = self.recent.iter().find(|(known, _)| *known == file) {
            return row;
        }
        let is_chosen = self.is_chosen(function, file);
        let key = match &mut self.groups {
            None => (file, self.profile.function(function).name),
            Some(groups) => (FileId(0), NameId(groups.of(self.profile, function, file))),
        };
        let index = &mut self.index[usize::from(is_chosen)];
        let row = *index.entry(key).or_insert_with(|| {
            self.keys.push(key);
            if self.filter.is_some() {
                self.is_chosen.push(is_chosen);
            }
            RowId(self.keys.len() as u32 - 1)
        });
        if self.recent.len() == RECENT {
            self.recent.clear();
        }
        self.recent.push((file, row));
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
