//! The functions of a profile, each kept once.

use hashbrown::HashTable;

use super::{FileId, FunctionId, NameId, ObjectId, TooMany};

/// An object, a file and a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// The executable or library that holds it.
    pub object: ObjectId,
    /// The file in which it was defined.
    pub file: FileId,
    /// Its name.
    pub name: NameId,
    /// When the last `fn=` line named it: a running number from 1, 0 if it was only ever called.
    pub last_seen: u32,
}

/// No function.
const NONE: FunctionId = FunctionId(u32::MAX);

/// All functions, in order of first appearance.
#[derive(Default)]
pub(super) struct Functions {
    list: Vec<Function>,
    /// Those that share their name with others. Most do not: with contexts in their names there are ten times as
    /// many, and 22 MB of cc1plus took 77 ms when all were here, and 72 ms so (2026-11-21).
    index: HashTable<u32>,
    /// The one found last for each name. Only its number, so that the list of a hundred thousand names stays in the
    /// processor's cache.
    of_name: Vec<FunctionId>,
    /// Whether a name has others too, so that all of them are in the index.
    is_shared: Vec<bool>,
    /// How often one was seen.
    seen: u32,
}

impl Functions {
    /// The id of a function.
    ///
    /// # Errors
    /// [`TooMany`] above 2^32 - 1.
    #[inline]
    pub(super) fn add(
        &mut self,
        object: ObjectId,
        file: FileId,
        name: NameId,
    ) -> Result<FunctionId, TooMany> {
        if let Some(&known) = self.of_name.get(name.index())
            && let Some(function) = self.list.get(known.index())
            && (function.object, function.file) == (object, file)
        {
            return Ok(known);
        }
        self.find_or_add(object, file, name)
    }

    /// The id of a function that is not the one of its name found last.
    fn find_or_add(
        &mut self,
        object: ObjectId,
        file: FileId,
        name: NameId,
    ) -> Result<FunctionId, TooMany> {
        if name.index() >= self.of_name.len() {
            self.of_name.resize(name.index() + 1, NONE);
            self.is_shared.resize(name.index() + 1, false);
        }
        let last = self.of_name[name.index()];
        let is_shared = last != NONE;
        if is_shared && !std::mem::replace(&mut self.is_shared[name.index()], true) {
            self.enter(last);
        }
        let wanted = Function {
            object,
            file,
            name,
            last_seen: 0,
        };
        let found = is_shared.then(|| self.find(&wanted)).flatten();
        let function = match found {
            Some(function) => function,
            None => {
                let id = u32::try_from(self.list.len()).map(FunctionId);
                let id = id.ok().filter(|&id| id != NONE).ok_or(TooMany)?;
                self.list.push(wanted);
                if is_shared {
                    self.enter(id);
                }
                id
            }
        };
        self.of_name[name.index()] = function;
        Ok(function)
    }

    fn find(&self, wanted: &Function) -> Option<FunctionId> {
        let same = |&id: &u32| self.list[id as usize].is(wanted);
        let found = self.index.find(wanted.hash(), same);
        found.map(|&id| FunctionId(id))
    }

    /// Enters a function into the index.
    fn enter(&mut self, id: FunctionId) {
        let hash = |&id: &u32| self.list[id as usize].hash();
        self.index.insert_unique(hash(&id.0), id.0, hash);
    }

    /// Notes that a function is named now.
    pub(super) fn see(&mut self, id: FunctionId) {
        self.seen = self.seen.saturating_add(1);
        self.list[id.index()].last_seen = self.seen;
    }

    /// A function.
    #[inline]
    pub(super) fn of(&self, id: FunctionId) -> &Function {
        &self.list[id.index()]
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// All of them with their ids.
    pub(super) fn iter(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        (0..).map(FunctionId).zip(&self.list)
    }
}

impl Function {
    /// Whether both are the same, whenever they were seen.
    fn is(&self, other: &Function) -> bool {
        (self.name, self.file, self.object) == (other.name, other.file, other.object)
    }

    fn hash(&self) -> u64 {
        // As in `table`: the multiplication spreads the ids, the shift brings the high bits to the slot.
        let ids = u64::from(self.name.0) | u64::from(self.file.0) << 32;
        let product = (ids ^ u64::from(self.object.0) << 24)
            .wrapping_add(1)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        product ^ product >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_share_a_name_are_told_apart() {
        let mut functions = Functions::default();
        let mut add = |object, file, name| {
            let id = functions.add(ObjectId(object), FileId(file), NameId(name));
            id.unwrap().0
        };
        assert_eq!(
            [add(0, 0, 5), add(0, 1, 5), add(1, 0, 5), add(0, 0, 2)],
            [0, 1, 2, 3]
        );
        assert_eq!(
            [add(0, 0, 5), add(0, 0, 2), add(1, 0, 5), add(0, 1, 5)],
            [0, 3, 2, 1]
        );
        let files = (10..2000).map(|file| add(3, file, 5));
        assert!(files.eq(4..1994));
        let files = (10..2000).rev().map(|file| add(3, file, 5));
        assert!(files.eq((4..1994).rev()));
        assert_eq!(add(0, 0, 5), 0);
    }
}
