//! The label of a row: the names, line and files that a report prints for it.

use std::borrow::Cow;

use crate::demangle::displayed;
use crate::profile::{FunctionId, Profile};

/// The name and location of a function, a source line, a group of functions or a call cycle. Fields
/// that few labels have are boxed, because a call tree has many labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label<'p> {
    /// The source file of a function, or of the part of it that lies in one file, or of a line.
    pub file: Option<&'p [u8]>,
    /// The readable name of a function, or the file, object, namespace or name that the functions
    /// of a group share. Empty for a source line; of an instruction that of its function.
    pub name: Cow<'p, [u8]>,
    pub line: Option<u32>,
    /// The text of the line, trimmed, if the source was found; of an instruction its address.
    pub source: Option<Box<[u8]>>,
    /// The number of the call cycle that the function is a member of, or that this label is for.
    pub cycle: Option<u32>,
    /// The object of the function's code.
    pub object: Option<&'p [u8]>,
    /// Whether an `fn=` line names the function in this file: it is not known only from calls or
    /// inlined code.
    pub is_named: bool,
    pub group: Option<Box<GroupPlace<'p>>>,
}

/// The files and objects with the code of a group; the kind that the group itself is (a file, an
/// object) is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupPlace<'p> {
    pub files: Option<OneOrMany<'p>>,
    pub objects: Option<OneOrMany<'p>>,
}

/// A single name, or the number of different names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OneOrMany<'p> {
    /// The only name; empty if it is unknown or there are several.
    pub name: &'p [u8],
    pub count: usize,
}

impl<'p> OneOrMany<'p> {
    pub fn only(self) -> Option<&'p [u8]> {
        Some(self.name).filter(|name| !name.is_empty())
    }
}

impl<'p> Label<'p> {
    pub fn of_function(profile: &'p Profile, function: FunctionId, demangles: bool) -> Label<'p> {
        let function = profile.function(function);
        let name = profile.name(function.name);
        Label {
            file: Some(profile.file(function.file)),
            name: displayed(name, demangles),
            object: profile.defined_object(function.object),
            is_named: true,
            ..Label::default()
        }
    }

    /// The label of a function that makes or gets calls at a line.
    pub fn at_line(self, file: &'p [u8], line: u32) -> Label<'p> {
        Label { file: Some(file), line: Some(line), ..self }
    }

    /// The object that pages show, as callgrind_annotate does: only that of a named function.
    #[inline]
    pub fn named_object(&self) -> Option<&'p [u8]> {
        self.object.filter(|_| self.is_named)
    }

    #[inline]
    pub fn is_function(&self) -> bool {
        self.file.is_some() && self.line.is_none()
    }

    #[inline]
    pub fn member_of(&self) -> Option<u32> {
        self.cycle.filter(|_| self.file.is_some())
    }

    #[inline]
    pub fn whole_cycle(&self) -> Option<u32> {
        self.cycle.filter(|_| self.file.is_none())
    }
}

/// The number of a row. In a list with call cycles, the cycles are numbered after all rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowId(pub(super) u32);

impl RowId {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
