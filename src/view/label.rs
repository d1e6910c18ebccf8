//! What a row of a report is about, as it is to be printed.

use std::borrow::Cow;

use crate::demangle::displayed;
use crate::profile::{FunctionId, Profile};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label<'p> {
    /// A function, or the part of it that lies in one file.
    Function {
        file: &'p [u8],
        name: Cow<'p, [u8]>,
        /// The number of the call cycle it is a member of.
        cycle: Option<u32>,
        /// Where it was defined; none if it is known only from calls or from inlined code.
        object: Option<&'p [u8]>,
    },
    Line {
        file: &'p [u8],
        line: u32,
        /// Its text without the space around it, if it was found.
        source: Option<Cow<'p, [u8]>>,
    },
    /// Several functions together.
    Group {
        /// What they have in common, readable: a file, an object, a namespace or a name. Empty if there is none.
        name: Cow<'p, [u8]>,
        place: GroupPlace<'p>,
    },
    /// All members of a call cycle.
    Cycle(u32),
}

/// Where the code of a group is; none of what the group itself is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupPlace<'p> {
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
    pub fn only(self) -> Option<&'p [u8]> {
        match self {
            OneOrMany::One(name) => Some(name).filter(|name| !name.is_empty()),
            OneOrMany::Many(_) => None,
        }
    }

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
            name: displayed(name, demangles),
            cycle: None,
            object: profile.defined_object(function.object),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowId(pub(super) u32);

impl RowId {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
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
    /// The row, if it is one.
    pub fn row(self) -> Option<RowId> {
        match self {
            Item::Row(row) => Some(row),
            Item::Cycle(_) => None,
        }
    }
}
