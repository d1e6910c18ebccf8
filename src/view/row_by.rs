//! What rows consist of: functions, or groups of them.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::bucket::{Bucket, bucket_of};
use super::namespace::namespace;
use crate::demangle::demangle;
use crate::profile::{DivideBy, Fragment, NameId, Profile, without_suffixes};
use crate::view::rows::RowOptions;

/// What a row is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowBy {
    /// The part of a function that lies in one file, in whatever objects.
    #[default]
    FileFunction,
    /// A function of an object, with the code of other files that was inlined into it.
    Function,
    /// A function with what was inlined into it from functions that the profile does not name, or the code of an inlined
    /// function in one source file, wherever it was inlined.
    Inlined,
    /// A source line, in whatever functions; where the line is not known, a function.
    Line,
    /// All that lies in a source file.
    File,
    /// All functions of an executable or a library, with what was inlined into them.
    Object,
    /// All functions of a C++ class or namespace, or of a Rust module or type, likewise.
    Namespace,
    /// All functions that are shown under one name, in whatever files and objects, likewise.
    Name,
    /// All functions of a bucket that the user defined, likewise.
    Bucket,
    /// What a thread executed.
    Thread,
    /// What was executed in one part of the profile.
    Part,
}

impl RowBy {
    /// Whether a row is no single function: it has no file and is in no cycle.
    pub fn is_group(self) -> bool {
        !matches!(
            self,
            RowBy::FileFunction | RowBy::Function | RowBy::Inlined | RowBy::Line
        )
    }

    /// Whether rows are marked as members of call cycles.
    pub fn has_cycles(self) -> bool {
        !self.is_group() && self != RowBy::Line
    }

    /// Whether rows are called: lines, threads and parts are not.
    pub fn has_callers(self) -> bool {
        self != RowBy::Line && !self.splits_functions()
    }

    /// Whether functions are spread over rows, so that none has a row of its own: nobody calls such rows, and what is called
    /// from them is not called by another row.
    pub fn splits_functions(self) -> bool {
        matches!(self, RowBy::Thread | RowBy::Part)
    }

    /// What has to be kept apart for such rows while a profile is read.
    pub fn divide_by(self) -> DivideBy {
        match self {
            RowBy::Inlined => DivideBy::Inlined,
            RowBy::Thread => DivideBy::Thread,
            RowBy::Part => DivideBy::Part,
            _ => DivideBy::Nothing,
        }
    }
}

/// The groups found so far.
pub(super) struct Groups {
    pub(super) row_by: RowBy,
    /// Whether names are shown demangled.
    demangles: bool,
    buckets: Vec<Bucket>,
    /// The name of each group; empty if that is not known, or if it is no namespace.
    pub(super) texts: Vec<Vec<u8>>,
    index: HashMap<Vec<u8>, u32>,
    /// The groups of functions that depend on their names alone.
    of_names: HashMap<NameId, u32>,
}

impl Groups {
    /// No group yet; none at all if rows are functions.
    pub(super) fn new(options: &RowOptions) -> Option<Groups> {
        options.row_by.is_group().then(|| Groups {
            row_by: options.row_by,
            demangles: options.demangles,
            buckets: options.buckets.clone(),
            texts: Vec::new(),
            index: HashMap::new(),
            of_names: HashMap::new(),
        })
    }

    /// The group of a fragment.
    pub(super) fn of(&mut self, profile: &Profile, fragment: Fragment) -> u32 {
        let function = profile.function(fragment.function);
        match self.row_by {
            RowBy::File => self.find_or_add(profile.file(fragment.file)),
            RowBy::Object => {
                let object = profile.defined_object(function.object);
                self.find_or_add(object.unwrap_or_default())
            }
            RowBy::Thread | RowBy::Part => {
                let number = fragment.division.number();
                self.find_or_add(number.map_or(b"", |number| profile.division(number)))
            }
            _ => {
                if let Some(&group) = self.of_names.get(&function.name) {
                    return group;
                }
                let name = self.group_name(profile.name(function.name));
                let group = self.find_or_add(&name);
                self.of_names.insert(function.name, group);
                group
            }
        }
    }

    /// The bucket or the namespace of a function, or its name as it is shown.
    fn group_name<'n>(&self, name: &'n [u8]) -> Cow<'n, [u8]> {
        if self.row_by == RowBy::Bucket {
            bucket_of(&self.buckets, name).to_vec().into()
        } else if self.row_by == RowBy::Namespace {
            namespace(&demangle(without_suffixes(name))).into()
        } else if self.demangles {
            demangle(name)
        } else {
            name.into()
        }
    }

    fn find_or_add(&mut self, text: &[u8]) -> u32 {
        if let Some(&group) = self.index.get(text) {
            return group;
        }
        let group = self.texts.len() as u32;
        self.texts.push(text.to_vec());
        self.index.insert(text.to_vec(), group);
        group
    }
}
