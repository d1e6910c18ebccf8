//! Numbers the rows as fragments are looked up.

use hashbrown::HashMap;

use crate::profile::{Division, FileId, FragmentId, NameId, ObjectId, Profile, SuffixFold};
use crate::view::charged::shown_files;
use crate::view::row_by::{GroupNames, RowBy, RowOptions};
use crate::view::rows::NO_OBJECT;

pub(super) struct RowFinder<'f> {
    profile: &'f Profile,
    options: &'f RowOptions,
    /// The rows that several fragments may be in.
    index: HashMap<RowIdentity, u32>,
    /// By name whether fragments of one file may share it; empty if rows are not of a name and a
    /// file.
    is_shared: Vec<bool>,
    /// By function the file that it is shown in; empty if every function is shown in its file in
    /// the profile.
    files: Vec<FileId>,
    pub(super) keys: Vec<RowKey>,
    /// By row whether the filter selected it; empty without a filter.
    pub(super) is_selected: Vec<bool>,
    /// By row its object, if rows are instructions.
    pub(super) objects: Vec<ObjectId>,
    /// The groups, if rows are groups. The name in a key is then a group's number, and the file is
    /// 0.
    pub(super) groups: Option<GroupNames<'f>>,
    /// The names without levels of recursion of those that have one, if rows are lines.
    folded: HashMap<NameId, NameId>,
}

#[derive(Clone, Copy)]
pub(super) struct RowKey {
    pub(super) file: FileId,
    /// The function's name; for a line or an instruction, that of the first of its functions.
    pub(super) name: NameId,
    /// The line or instruction, if rows are lines or instructions and it is known.
    pub(super) place: Division,
}

/// What decides whether two fragments are in one row: a key, the object if rows are functions or
/// instructions, else [`NO_OBJECT`], whether the filter selected the fragment, and whether its
/// function only led to what the profile is a part of.
type RowIdentity = (FileId, NameId, Division, ObjectId, bool, bool);

impl RowKey {
    fn identity(self, object: ObjectId, is_selected: bool, has_part: bool) -> RowIdentity {
        let name = match self.place {
            Division::None => self.name,
            _ => NameId(0),
        };
        (self.file, name, self.place, object, is_selected, has_part)
    }
}

impl<'f> RowFinder<'f> {
    pub(super) fn new(profile: &'f Profile, options: &'f RowOptions) -> RowFinder<'f> {
        let fragments = profile.fragments().len();
        RowFinder {
            profile,
            options,
            index: HashMap::new(),
            is_shared: match options.row_by {
                RowBy::FileFunction => shared_names(profile),
                _ => Vec::new(),
            },
            files: match options.row_by {
                RowBy::Function => shown_files(profile),
                _ => Vec::new(),
            },
            keys: Vec::with_capacity(fragments),
            is_selected: Vec::new(),
            objects: Vec::new(),
            groups: GroupNames::new(options),
            folded: if options.folds_levels && options.row_by == RowBy::Line {
                folded_names(profile)
            } else {
                HashMap::new()
            },
        }
    }

    /// The name of a function without its level of recursion, if rows are those of all levels.
    fn folded_name(&self, name: NameId) -> NameId {
        self.folded.get(&name).copied().unwrap_or(name)
    }

    // Inlined into the loop over all fragments it is a third slower.
    #[inline(never)]
    pub(super) fn row(&mut self, id: FragmentId) -> u32 {
        let fragment = self.profile.fragment(id);
        let function = self.profile.function(fragment.function);
        let mut key = RowKey { file: fragment.file, name: function.name, place: Division::None };
        let mut object = NO_OBJECT;
        match (self.options.row_by, &mut self.groups) {
            (RowBy::Line, _) => {
                key.name = self.folded_name(function.name);
                key.place = fragment.division;
            }
            (RowBy::Instruction, _) => {
                let host = self.profile.host(fragment.function);
                key.name = self.profile.function(host).name;
                key.place = fragment.division;
                object = function.object;
            }
            (RowBy::Function, _) => {
                let file = self.files.get(fragment.function.index());
                key.file = file.copied().unwrap_or(function.file);
                // In a difference, functions are paired by file and name.
                if !self.profile.is_difference() {
                    object = function.object;
                }
            }
            (_, Some(groups)) => {
                key.file = FileId(0);
                key.name = NameId(groups.of(self.profile, fragment));
            }
            _ => {}
        }
        let is_selected = self.options.filter.accepts_fragment(self.profile, id);
        let next = self.keys.len() as u32;
        // Most fragments have a row of their own, and looking up hundreds of thousands of keys
        // takes long.
        let row = match self.is_shared.get(key.name.index()) {
            Some(false) => next,
            _ => {
                let has_part = self.profile.has_part_of(fragment.function);
                let identity = key.identity(object, is_selected, has_part);
                *self.index.entry(identity).or_insert(next)
            }
        };
        if row == next {
            self.keys.push(key);
            if !self.options.filter.is_empty() {
                self.is_selected.push(is_selected);
            }
            if self.options.row_by == RowBy::Instruction {
                self.objects.push(object);
            }
        }
        row
    }
}

/// By name with a level of recursion the name without it, if it is that of a function.
fn folded_names(profile: &Profile) -> HashMap<NameId, NameId> {
    let fold = SuffixFold { recursion: true, ..SuffixFold::default() };
    let levels: Vec<(NameId, Vec<u8>)> = profile
        .functions()
        .filter_map(|(_, function)| {
            let folded = fold.apply(profile.name(function.name));
            folded.is_nested.then(|| (function.name, folded.name.into_owned()))
        })
        .collect();
    let mut first: HashMap<&[u8], Option<NameId>> =
        levels.iter().map(|(_, name)| (&name[..], None)).collect();
    for (_, function) in profile.functions().filter(|_| !levels.is_empty()) {
        if let Some(known) = first.get_mut(profile.name(function.name)) {
            *known = Some(function.name);
        }
    }
    let pair = |(id, name): &(NameId, Vec<u8>)| Some((*id, first[&name[..]]?));
    levels.iter().filter_map(pair).collect()
}

/// By name whether fragments of one file may share it: those of several functions, or the divisions
/// of a fragment.
fn shared_names(profile: &Profile) -> Vec<bool> {
    let mut is_known = vec![false; profile.names().len()];
    let mut is_shared = is_known.clone();
    for (_, function) in profile.functions() {
        let name = function.name.index();
        is_shared[name] |= std::mem::replace(&mut is_known[name], true);
    }
    let fragments = profile.fragments().iter();
    for fragment in fragments.filter(|fragment| fragment.division != Division::None) {
        is_shared[profile.function(fragment.function).name.index()] = true;
    }
    is_shared
}
