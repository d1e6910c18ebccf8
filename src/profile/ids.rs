//! The ids of objects, files, names, functions, fragments and positions: indexes into the profile's lists.

/// Defines an id: an index into one of the profile's lists, of a type of its own.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// The index into the list that the id belongs to.
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
id! {
    /// A position in a source file: its line, 0 if unknown.
    PositionId
}
