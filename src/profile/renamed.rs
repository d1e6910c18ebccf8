//! The functions and identifiers of a difference that have another name in BASE.

use std::collections::HashMap;

use crate::profile::division::{FileId, FunctionId, NameId};
use crate::profile::{LimitExceeded, Profile};

#[derive(Clone, Debug, Default)]
pub struct Renamed {
    /// Those with most of NEW's cost first.
    pub functions: Vec<RenamedFunction>,
    /// By identifier of BASE's sources the one that it became.
    pub words: HashMap<Vec<u8>, Vec<u8>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenamedFunction {
    pub base: NameId,
    pub new: NameId,
    pub file: FileId,
}

/// A function of BASE that gets the name and the file of one of NEW.
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

    /// The same difference with NEW's names for functions of BASE. Functions that become equal are
    /// not merged.
    pub fn with_renamed(
        mut self,
        names: &[NewName],
        renamed: Renamed,
    ) -> Result<Profile, LimitExceeded> {
        for new in names {
            self.functions.rename_function(new.function, new.name, new.file)?;
        }
        self.fragment_costs.take();
        self.renamed = renamed;
        Ok(self)
    }
}
