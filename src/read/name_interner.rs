//! Interns function names on the thread that lexes: names are most of the bytes of a profile with contexts, and parsing
//! is the bottleneck.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ReadOptions;
use super::substitution::{Substitution, substitute_all};
use crate::profile::{
    LimitExceeded, NameHash, NameHasher, NameId, NameTable, ProfileBuilder, SuffixFold,
};

/// The profile's names while a file is read, and what is changed in a name before it is interned.
pub(super) struct NameInterner {
    names: Mutex<NameTable>,
    hasher: NameHasher,
    fold: SuffixFold,
    substitutions: Vec<Substitution>,
}

impl NameInterner {
    /// Takes the names out of a profile, until they are [returned](NameInterner::return_to).
    pub(super) fn new(profile: &mut ProfileBuilder, options: &ReadOptions) -> Arc<NameInterner> {
        let names = std::mem::take(profile.names());
        Arc::new(NameInterner {
            hasher: names.hasher(),
            names: Mutex::new(names),
            fold: options.fold,
            substitutions: options.rename_functions.clone(),
        })
    }

    /// The hash of a name as it is in the file.
    pub(super) fn hash(&self, name: &[u8]) -> NameHash {
        self.hasher.hash(name)
    }

    /// The id of a name as it is in the file.
    pub(super) fn intern(&self, name: &[u8]) -> Result<NameId, LimitExceeded> {
        self.intern_in(&mut self.lock(), name, self.hash(name))
    }

    /// Locks the names, to intern many of them.
    pub(super) fn lock(&self) -> MutexGuard<'_, NameTable> {
        // A panic of another thread is passed on with its piece.
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The id of a name as it is in the file, with its hash, in the locked names.
    pub(super) fn intern_in(
        &self,
        names: &mut NameTable,
        name: &[u8],
        hash: NameHash,
    ) -> Result<NameId, LimitExceeded> {
        if self.fold != SuffixFold::default() || !self.substitutions.is_empty() {
            let folded = self.fold.apply(name);
            let new = substitute_all(&folded, &self.substitutions);
            if !std::ptr::eq(&new[..], name) {
                return names.intern(&new, self.hash(&new)).map(NameId);
            }
        }
        names.intern(name, hash).map(NameId)
    }

    pub(super) fn return_to(&self, profile: &mut ProfileBuilder) {
        *profile.names() = std::mem::take(&mut self.lock());
    }
}
