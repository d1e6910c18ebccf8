//! What a row of a report is about, as it is to be printed.

use std::borrow::Cow;

use crate::demangle::displayed;
use crate::profile::{FunctionId, Profile};

/// What a function, a source line, a group of functions or a call cycle is called, and where it is. What few labels have is
/// boxed: a tree has many of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label<'p> {
    /// The source file of a function, or of the part of it that lies in one file, or of a line.
    pub file: Option<&'p [u8]>,
    /// The readable name of a function, or what the functions of a group have in common: a file, an object, a namespace or a
    /// name. Empty if there is none, as of a line.
    pub name: Cow<'p, [u8]>,
    pub line: Option<u32>,
    /// The text of the line without the space around it, if it was found.
    pub source: Option<Box<[u8]>>,
    /// The number of the call cycle that a function is a member of, or of the cycle as a whole.
    pub cycle: Option<u32>,
    /// Where a function was defined; none if it is known only from calls or from inlined code.
    pub object: Option<&'p [u8]>,
    /// Of a group: where its code is.
    pub group: Option<Box<GroupPlace<'p>>>,
}

/// Where the code of a group is; none of what the group itself is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupPlace<'p> {
    pub files: Option<OneOrMany<'p>>,
    pub objects: Option<OneOrMany<'p>>,
}

/// One name, or how many there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OneOrMany<'p> {
    /// The only one; empty if it is not known.
    pub name: &'p [u8],
    pub count: usize,
}

impl<'p> OneOrMany<'p> {
    pub fn only(self) -> Option<&'p [u8]> {
        Some(self.name).filter(|name| !name.is_empty())
    }
}

impl<'p> Label<'p> {
    /// What a function is called, with the object that has it.
    pub fn of_function(profile: &'p Profile, function: FunctionId, demangles: bool) -> Label<'p> {
        let function = profile.function(function);
        let name = profile.name(function.name);
        Label {
            file: Some(profile.file(function.file)),
            name: displayed(name, demangles),
            object: profile.defined_object(function.object),
            ..Label::default()
        }
    }

    #[inline]
    pub fn is_function(&self) -> bool {
        self.file.is_some() && self.line.is_none()
    }

    /// The number of the cycle that a function is a member of.
    #[inline]
    pub fn member_of(&self) -> Option<u32> {
        self.cycle.filter(|_| self.file.is_some())
    }

    /// The number of the cycle if it is one as a whole.
    #[inline]
    pub fn whole_cycle(&self) -> Option<u32> {
        self.cycle.filter(|_| self.file.is_none())
    }
}

/// A row by its number; where a list has call cycles as a whole, these are numbered after all rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowId(pub(super) u32);

impl RowId {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
