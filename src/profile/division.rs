//! Divisions distinguish fragments of one function in one file, as few reports need.

/// The key that fragments are divided by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DivideBy {
    /// Nothing: a function has one fragment in each file.
    #[default]
    Nothing,
    /// The functions that lines were inlined from, if a file names them.
    Inlined,
    Thread,
    Part,
    /// Levels of recursion that are folded: the first one, and all deeper ones.
    Levels,
}

/// Marks the number of a line that only BASE's text has.
const REMOVED: u32 = 1 << 31;

/// A part of a fragment. What the number means depends on what fragments are divided by: the name of an inlined function,
/// a source line, an instruction, a thread, a part, or deeper levels of recursion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Division(pub(super) u32);

impl Division {
    /// The division of all code that is in no other.
    pub const NONE: Division = Division(0);

    /// The code that was executed while its function was already on the stack.
    pub const DEEPER_LEVELS: Division = Division(1);

    /// The code of a source line; a line from 2^31 on is unknown.
    pub fn of_line(line: u32) -> Division {
        Division(if line < REMOVED { line } else { 0 })
    }

    /// The code of a line that only BASE's text of a source has.
    pub fn of_removed_line(line: u32) -> Division {
        match Division::of_line(line) {
            Division(0) => Division(0),
            Division(line) => Division(line | REMOVED),
        }
    }

    /// The number of the line, 0 if it is unknown.
    pub fn line(self) -> u32 {
        self.0 & !REMOVED
    }

    pub fn is_removed_line(self) -> bool {
        self.0 & REMOVED != 0
    }

    /// The code that was inlined from the function of this name, or that this thread or part of the profile's list executed.
    pub fn of_number(number: u32) -> Division {
        Division(number.saturating_add(1))
    }

    /// The number of the name, thread or part.
    pub fn number(self) -> Option<u32> {
        self.0.checked_sub(1)
    }

    pub(super) fn spread(self) -> u64 {
        u64::from(self.0) << 16
    }
}

/// Defines an id: an index into one of the profile's lists, of a type of its own.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(crate) u32);

        impl $name {
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// An object: an executable or a shared library (`ob=`).
    ObjectId
}
id! {
    /// A source file (`fl=`, `fi=`, `fe=`, `cfi=`).
    FileId
}
id! {
    /// The name of a function (`fn=`, `cfn=`), without its file and object.
    NameId
}
id! {
    /// A function: an object, a file and a name.
    FunctionId
}
id! {
    /// The code of one function in one source file.
    FragmentId
}
