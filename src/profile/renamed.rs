//! The functions and identifiers of a difference that have another name in BASE.

use std::collections::HashMap;

use crate::profile::division::{FileId, FunctionId, NameId};
use crate::profile::{LimitExceeded, Profile};

#[derive(Clone, Debug, Default)]
pub struct Renamed {
    /// The functions with most of NEW's cost first.
    pub functions: Vec<RenamedFunction>,
    /// By identifier of BASE's sources the one that it became.
    pub words: HashMap<Vec<u8>, Vec<u8>>,
}

/// A function of both sides, with its names without levels of recursion and callers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenamedFunction {
    pub base: Vec<u8>,
    pub new: Vec<u8>,
    pub file: FileId,
}

/// A function that gets another name and file, as one of BASE those of NEW.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewName {
    pub function: FunctionId,
    pub name: NameId,
    pub file: FileId,
}

impl Profile {
    /// In a difference, what has another name in BASE.
    pub fn renamed(&self) -> &Renamed {
        &self.renamed
    }

    /// The same profile with other names or files of functions. Functions that become equal are not
    /// merged.
    pub fn with_names(mut self, names: &[NewName]) -> Result<Profile, LimitExceeded> {
        for new in names {
            self.functions.rename_function(new.function, new.name, new.file)?;
        }
        self.fragment_costs.take();
        Ok(self)
    }

    /// The same difference with NEW's names for functions of BASE. Functions that become equal are
    /// not merged.
    pub fn with_renamed(
        self,
        names: &[NewName],
        renamed: Renamed,
    ) -> Result<Profile, LimitExceeded> {
        Ok(Profile { renamed, ..self.with_names(names)? })
    }
}
