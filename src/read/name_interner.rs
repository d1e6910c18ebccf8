//! Interns function names on the thread that lexes: names are most of the bytes of a profile with contexts, and parsing
//! is the bottleneck.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ReadOptions;
use super::substitution::{Substitution, substitute_all};
use crate::profile::{
    LimitExceeded, NameHash, NameHasher, NameId, NameTable, ProfileBuilder, SuffixFold,
};

/// A name of a function as the profile has it, without the suffixes that are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InternedName {
    pub(super) id: NameId,
    /// Whether a level of recursion was removed that tells of each call of this name that the
    /// callee was already on the stack.
    pub(super) is_nested: bool,
}

/// The bit of a nested name's number, whose other bits are those of its id.
const NESTED: u32 = 1 << 31;

impl InternedName {
    /// The name as one number, as the list of compressed ids keeps it.
    pub(super) fn number(self) -> u32 {
        if self.is_nested { self.id.0 | NESTED } else { self.id.0 }
    }

    pub(super) fn of_number(number: u32) -> InternedName {
        InternedName { id: NameId(number & !NESTED), is_nested: number & NESTED != 0 }
    }
}

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

    /// Interns a name as it is in the file, which may have suffixes to fold.
    pub(super) fn intern(
        &self,
        name: &[u8],
        has_suffixes: bool,
    ) -> Result<InternedName, LimitExceeded> {
        self.intern_in(&mut self.lock(), name, self.hash(name), has_suffixes)
    }

    /// Locks the names, to intern many of them.
    pub(super) fn lock(&self) -> MutexGuard<'_, NameTable> {
        // A panic of another thread is passed on with its piece.
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Interns a name as it is in the file, with its hash, in the locked names.
    pub(super) fn intern_in(
        &self,
        names: &mut NameTable,
        name: &[u8],
        hash: NameHash,
        has_suffixes: bool,
    ) -> Result<InternedName, LimitExceeded> {
        let mut is_nested = false;
        let mut number = None;
        if self.fold != SuffixFold::default() || !self.substitutions.is_empty() {
            let fold = if has_suffixes { self.fold } else { SuffixFold::default() };
            let folded = fold.apply(name);
            is_nested = folded.is_nested;
            let new = substitute_all(&folded.name, &self.substitutions);
            if !std::ptr::eq(&new[..], name) {
                number = Some(names.intern(&new, self.hash(&new))?);
            }
        }
        let number = number.map_or_else(|| names.intern(name, hash), Ok)?;
        if number >= NESTED {
            return Err(LimitExceeded);
        }
        Ok(InternedName { id: NameId(number), is_nested })
    }

    pub(super) fn return_to(&self, profile: &mut ProfileBuilder) {
        *profile.names() = std::mem::take(&mut self.lock());
    }
}
