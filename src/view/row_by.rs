//! The kinds of rows: functions, or groups of them.

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::demangle::{demangle, displayed};
use crate::profile::{DivideBy, Fragment, NameKind, NameTable, Profile};
use crate::source::{folder, is_no_file, normal};
use crate::view::bucket::{Bucket, BucketFinder};
use crate::view::filter::Filter;
use crate::view::namespace::{crate_of, namespace};
use crate::view::short_name::short_function;

/// What a row is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowBy {
    /// The part of a function in one source file, in any object.
    #[default]
    FileFunction,
    /// A function of an object, including code inlined from other files.
    Function,
    /// A source line, in any function; a function if the line is unknown.
    Line,
    /// An instruction of an object, in any function.
    Instruction,
    File,
    /// All code in the source files of a folder.
    Folder,
    /// All functions of an executable or library, including code inlined into them (as in all
    /// groups below).
    Object,
    /// All functions of a C++ class or namespace, or of a Rust module or type.
    Namespace,
    /// All functions of a Rust crate or an outermost C++ namespace.
    Crate,
    /// All instances of a template or generic function, and all functions that differ only in
    /// parameters.
    Template,
    /// All functions with the same displayed name, in any file and object.
    Name,
    /// All functions of a user-defined bucket.
    Bucket,
    Thread,
    Part,
    Process,
}

impl RowBy {
    /// Whether a row can be several functions: it has no file and is in no cycle.
    pub fn is_group(self) -> bool {
        use RowBy::{FileFunction, Function, Instruction, Line};
        !matches!(self, FileFunction | Function | Line | Instruction)
    }

    /// The heading of the column of labels.
    pub fn title(self) -> &'static str {
        match self {
            RowBy::FileFunction | RowBy::Function => "file:function",
            RowBy::Line => "file:line",
            RowBy::Instruction => "address  function  file:line",
            RowBy::Thread => "thread",
            RowBy::Part => "part",
            RowBy::Process => "process",
            RowBy::File => "file",
            RowBy::Folder => "folder",
            RowBy::Object => "object",
            RowBy::Namespace => "namespace",
            RowBy::Crate => "crate",
            RowBy::Name | RowBy::Template => "function",
            RowBy::Bucket => "bucket",
        }
    }

    /// Whether a row is a place in the code of functions, which have parts of it in other rows.
    pub fn is_place(self) -> bool {
        matches!(self, RowBy::Line | RowBy::Instruction)
    }

    /// Whether rows are the code in source files, which is not all code of its functions.
    pub fn is_of_files(self) -> bool {
        matches!(self, RowBy::File | RowBy::Folder)
    }

    /// Whether rows are marked as members of call cycles.
    pub fn has_cycles(self) -> bool {
        !self.is_group() && !self.is_place()
    }

    /// Whether rows have callers: lines, instructions, threads, parts and processes do not.
    pub fn has_callers(self) -> bool {
        !self.is_place() && !self.splits_functions()
    }

    /// Whether a function is split over several rows and has none of its own: such rows are not
    /// called by others.
    pub fn splits_functions(self) -> bool {
        matches!(self, RowBy::Thread | RowBy::Part | RowBy::Process)
    }

    /// How the reader has to divide fragments for such rows.
    pub fn divide_by(self) -> DivideBy {
        match self {
            RowBy::Thread => DivideBy::Thread,
            RowBy::Part => DivideBy::Part,
            RowBy::Process => DivideBy::Process,
            _ => DivideBy::Nothing,
        }
    }
}

/// What rows are, and how they are named.
#[derive(Clone, Debug, Default)]
pub struct RowOptions {
    pub demangles: bool,
    pub short_names: bool,
    /// The filter on the object and name of a function, and on the file of a line.
    pub filter: Filter,
    pub row_by: RowBy,
    pub buckets: Vec<Bucket>,
    /// Whether only equal names are paired in a difference.
    pub exact_match: bool,
    /// Whether rows that are named after a function are those of all levels of its recursion.
    pub folds_levels: bool,
}

pub(super) struct GroupNames<'o> {
    options: &'o RowOptions,
    buckets: BucketFinder<'o>,
    /// The name of each group; empty if it is unknown or there is no namespace.
    pub(super) names: NameTable,
    /// The groups so far, by the number of the file, object, division or function name that
    /// determines them.
    known: HashMap<usize, u32>,
}

impl<'o> GroupNames<'o> {
    /// An empty list of groups; none if rows are functions.
    pub(super) fn new(options: &'o RowOptions) -> Option<GroupNames<'o>> {
        options.row_by.is_group().then(|| GroupNames {
            options,
            buckets: BucketFinder::new(&options.buckets),
            names: NameTable::default(),
            known: HashMap::new(),
        })
    }

    pub(super) fn of(&mut self, profile: &Profile, fragment: Fragment) -> u32 {
        let (function, row_by) = (profile.function(fragment.function), self.options.row_by);
        let division = fragment.division.executed();
        let decides = match row_by {
            RowBy::File | RowBy::Folder => fragment.file.index(),
            RowBy::Object => function.object.index(),
            RowBy::Thread | RowBy::Part | RowBy::Process => {
                division.map_or(0, |number| number as usize + 1)
            }
            _ => function.name.index(),
        };
        if let Some(&group) = self.known.get(&decides) {
            return group;
        }
        let name = match row_by {
            RowBy::File => normal(profile.file(fragment.file)),
            RowBy::Folder => match profile.file(fragment.file) {
                name if is_no_file(name) => Cow::default(),
                name => folder(&normal(name)).to_vec().into(),
            },
            RowBy::Object => (profile.defined_object(function.object).unwrap_or_default()).into(),
            RowBy::Thread | RowBy::Part | RowBy::Process => {
                (division.map_or(&b""[..], |number| profile.division(number))).into()
            }
            _ => self.group_name(profile.name(function.name), profile.name_kind()),
        };
        // There are no more groups than functions, files and objects, whose numbers fit too.
        let group = self.names.add(&name).unwrap_or(u32::MAX);
        self.known.insert(decides, group);
        group
    }

    /// The bucket or namespace of a function, or its displayed name.
    fn group_name<'n>(&self, name: &'n [u8], kind: NameKind) -> Cow<'n, [u8]> {
        match self.options.row_by {
            RowBy::Bucket => self.buckets.bucket_of(name, kind).to_vec().into(),
            RowBy::Namespace => namespace(&demangle(kind.without_suffixes(name)), kind).into(),
            RowBy::Crate => crate_of(&demangle(kind.without_suffixes(name)), kind).into(),
            RowBy::Template => short_function(&demangle(name), kind).into_owned().into(),
            _ => displayed(name, self.options.demangles),
        }
    }
}
