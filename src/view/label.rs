//! What a row of a report is about, as it is to be printed.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::demangle::demangle;
use crate::profile::{FunctionId, Profile};
use crate::view::rows::{RowId, Rows};

/// What a row of a report is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label<'p> {
    /// A function, or the part of it that lies in one file.
    Function {
        /// The source file.
        file: &'p [u8],
        /// The function's name, readable.
        name: Cow<'p, [u8]>,
        /// The number of the call cycle it is a member of.
        cycle: Option<usize>,
        /// Where it was defined; none if it is known only from calls or from inlined code.
        object: Option<&'p [u8]>,
    },
    /// A source line.
    Line {
        /// The source file.
        file: &'p [u8],
        /// The number of the line.
        line: u32,
        /// Its text without the space around it, if it was found.
        source: Option<Cow<'p, [u8]>>,
    },
    /// Several functions together.
    Group {
        /// What they have in common, readable: a file, an object, a namespace or a name. Empty if there is none.
        name: Cow<'p, [u8]>,
        /// Where their code is.
        place: GroupPlace<'p>,
    },
    /// All members of a call cycle.
    Cycle(usize),
}

/// Where the code of a group is; none of what the group itself is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupPlace<'p> {
    /// Its source files.
    pub files: Option<OneOrMany<'p>>,
    pub objects: Option<OneOrMany<'p>>,
}

/// One name, or how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OneOrMany<'p> {
    /// The only one; empty if it is not known.
    One(&'p [u8]),
    Many(usize),
}

impl<'p> OneOrMany<'p> {
    /// The only name, if it is known.
    pub fn only(self) -> Option<&'p [u8]> {
        match self {
            OneOrMany::One(name) => Some(name).filter(|name| !name.is_empty()),
            OneOrMany::Many(_) => None,
        }
    }

    /// How many there are.
    pub fn count(self) -> usize {
        match self {
            OneOrMany::One(_) => 1,
            OneOrMany::Many(count) => count,
        }
    }
}

impl<'p> Label<'p> {
    /// What a function is called, with the object that has it.
    pub fn of_function(profile: &'p Profile, function: FunctionId, demangles: bool) -> Label<'p> {
        let function = profile.function(function);
        let name = profile.name(function.name);
        Label::Function {
            file: profile.file(function.file),
            name: if demangles {
                demangle(name)
            } else {
                name.into()
            },
            cycle: None,
            object: profile.defined_object(function.object),
        }
    }
}

/// What can have a line in the list of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    /// A file and a function.
    Row(RowId),
    /// A call cycle, numbered from 1.
    Cycle(u32),
}

impl Item {
    /// What it is about.
    pub(super) fn label<'p>(self, rows: &Rows<'p>) -> Label<'p> {
        rows.names().label(self, rows)
    }

    /// The same with full names.
    pub(super) fn full_label<'p>(self, rows: &Rows<'p>) -> Label<'p> {
        match self {
            Item::Row(row) => rows.full_label(row),
            Item::Cycle(number) => Label::Cycle(number as usize),
        }
    }

    /// Orders by name; a cycle, as the whole, comes before its parts.
    pub(super) fn cmp_names(self, other: Item, rows: &Rows<'_>) -> Ordering {
        match (self, other) {
            (Item::Row(a), Item::Row(b)) => rows.cmp_names(a, b),
            (Item::Cycle(a), Item::Cycle(b)) => a.cmp(&b),
            (Item::Cycle(_), Item::Row(_)) => Ordering::Less,
            (Item::Row(_), Item::Cycle(_)) => Ordering::Greater,
        }
    }
}
