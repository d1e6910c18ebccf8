//! The functions of a profile and their fragments, each kept once.

use hashbrown::HashTable;

use super::{Division, FileId, FragmentId, FunctionId, LimitExceeded, NameId, ObjectId};

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
    pub last_named: u32,
    /// The line at which it begins, in its file, as calls of it name it; 0 if unknown.
    pub line: u32,
}

/// The code of one function in one source file: its own, or one whose code was inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// The function.
    pub function: FunctionId,
    /// The file.
    pub file: FileId,
    /// Distinguishes it from other fragments of the function in the file, if a report needs that.
    pub division: Division,
}

/// No function.
const NONE: FunctionId = FunctionId(u32::MAX);

/// How many files of the current function are remembered. Code that was inlined alternates between a few.
const RECENT: usize = 8;

/// All functions and fragments, in order of first appearance.
#[derive(Clone, Default)]
pub(super) struct Functions {
    list: Vec<Function>,
    /// The functions that share their name with others; most do not.
    index: HashTable<u32>,
    /// The function found last for each name.
    of_name: Vec<FunctionId>,
    /// Whether a name has several functions, so that all of them are in the index.
    is_shared: Vec<bool>,
    /// How often a function was named.
    named: u32,
    /// How often one was when BASE began: what NEW named keeps its place.
    named_by_new: u32,
    fragments: Vec<Fragment>,
    /// The fragment of each function in its own file.
    home: Vec<FragmentId>,
    /// The fragments in other files than the function's own.
    inlined: HashTable<u32>,
    /// The function whose fragment was looked up last, with some of its files.
    recent: (Option<FunctionId>, Vec<(FileId, Division, FragmentId)>),
}

impl Functions {
    /// The id of a function, which is new if it has not been added before.
    ///
    /// # Errors
    /// [`LimitExceeded`] above 2^32 - 1 functions or fragments.
    #[inline]
    pub(super) fn add(
        &mut self,
        object: ObjectId,
        file: FileId,
        name: NameId,
    ) -> Result<FunctionId, LimitExceeded> {
        if let Some(&known) = self.of_name.get(name.index())
            && let Some(function) = self.list.get(known.index())
            && (function.object, function.file) == (object, file)
        {
            return Ok(known);
        }
        self.find_or_add(object, file, name)
    }

    /// The id of a function that is not the one found last for its name.
    fn find_or_add(
        &mut self,
        object: ObjectId,
        file: FileId,
        name: NameId,
    ) -> Result<FunctionId, LimitExceeded> {
        if name.index() >= self.of_name.len() {
            self.of_name.resize(name.index() + 1, NONE);
            self.is_shared.resize(name.index() + 1, false);
        }
        let last = self.of_name[name.index()];
        let is_shared = last != NONE;
        if is_shared && !std::mem::replace(&mut self.is_shared[name.index()], true) {
            self.add_to_index(last);
        }
        let wanted = Function {
            object,
            file,
            name,
            last_named: 0,
            line: 0,
        };
        let found = is_shared.then(|| self.find(&wanted)).flatten();
        let function = match found {
            Some(function) => function,
            None => {
                let id = u32::try_from(self.list.len()).map(FunctionId);
                let id = id.ok().filter(|&id| id != NONE).ok_or(LimitExceeded)?;
                self.list.push(wanted);
                let home = self.push_fragment(Fragment {
                    function: id,
                    file,
                    division: Division::NONE,
                })?;
                self.home.push(home);
                if is_shared {
                    self.add_to_index(id);
                }
                id
            }
        };
        self.of_name[name.index()] = function;
        Ok(function)
    }

    fn find(&self, wanted: &Function) -> Option<FunctionId> {
        let same = |&id: &u32| self.list[id as usize].is_same(wanted);
        let found = self.index.find(wanted.hash(), same);
        found.map(|&id| FunctionId(id))
    }

    fn add_to_index(&mut self, id: FunctionId) {
        let hash = |&id: &u32| self.list[id as usize].hash();
        self.index.insert_unique(hash(&id.0), id.0, hash);
    }

    /// The id of a fragment, which is new if it has not been looked up before.
    ///
    /// # Errors
    /// [`LimitExceeded`] above 2^32 - 1 fragments.
    pub(super) fn fragment(
        &mut self,
        function: FunctionId,
        file: FileId,
        division: Division,
    ) -> Result<FragmentId, LimitExceeded> {
        if self.list[function.index()].file == file && division == Division::NONE {
            return Ok(self.home[function.index()]);
        }
        let (of, recent) = &mut self.recent;
        if *of != Some(function) || recent.len() == RECENT {
            *of = Some(function);
            recent.clear();
        }
        if let Some(&(.., fragment)) = recent
            .iter()
            .find(|recent| (recent.0, recent.1) == (file, division))
        {
            return Ok(fragment);
        }
        let wanted = Fragment {
            function,
            file,
            division,
        };
        let same = |&id: &u32| self.fragments[id as usize] == wanted;
        let fragment = match self.inlined.find(wanted.hash(), same) {
            Some(&id) => FragmentId(id),
            None => {
                let id = self.push_fragment(wanted)?;
                let fragments = &self.fragments;
                let hash = |&id: &u32| fragments[id as usize].hash();
                self.inlined.insert_unique(wanted.hash(), id.0, hash);
                id
            }
        };
        self.recent.1.push((file, division, fragment));
        Ok(fragment)
    }

    fn push_fragment(&mut self, fragment: Fragment) -> Result<FragmentId, LimitExceeded> {
        let id = u32::try_from(self.fragments.len()).map_err(|_| LimitExceeded)?;
        self.fragments.push(fragment);
        Ok(FragmentId(id))
    }

    /// Sets the line at which a function begins. Of several the first is kept, but those of BASE only if NEW has none.
    pub(super) fn set_line(&mut self, id: FunctionId, line: u32) {
        let known = &mut self.list[id.index()].line;
        if *known == 0 || line != 0 && line < *known && self.named_by_new == 0 {
            *known = line;
        }
    }

    /// Notes that an `fn=` line names a function. In BASE that is of interest only if NEW has not named it.
    pub(super) fn mark_named(&mut self, id: FunctionId) {
        let last_named = &mut self.list[id.index()].last_named;
        if *last_named == 0 || *last_named > self.named_by_new {
            self.named = self.named.saturating_add(1);
            *last_named = self.named;
        }
    }

    /// Notes that no `fn=` line names a function.
    pub(super) fn unmark_named(&mut self, id: FunctionId) {
        self.list[id.index()].last_named = 0;
    }

    /// Notes that what follows is of BASE.
    pub(super) fn begin_base(&mut self) {
        self.named_by_new = self.named;
    }

    /// A function.
    #[inline]
    pub(super) fn get(&self, id: FunctionId) -> &Function {
        &self.list[id.index()]
    }

    /// All functions by their ids.
    pub(super) fn list(&self) -> &[Function] {
        &self.list
    }

    /// All fragments by their ids.
    pub(super) fn fragments(&self) -> &[Fragment] {
        &self.fragments
    }

    /// The fragment of a function in its own file.
    #[inline]
    pub(super) fn home(&self, id: FunctionId) -> FragmentId {
        self.home[id.index()]
    }
}

impl Function {
    /// Whether both are the same, whenever they were named.
    fn is_same(&self, other: &Function) -> bool {
        (self.name, self.file, self.object) == (other.name, other.file, other.object)
    }

    fn hash(&self) -> u64 {
        let ids = u64::from(self.name.0) | u64::from(self.file.0) << 32;
        spread(ids ^ u64::from(self.object.0) << 24)
    }
}

impl Fragment {
    fn hash(&self) -> u64 {
        let ids = u64::from(self.function.0) | u64::from(self.file.0) << 32;
        spread(ids ^ self.division.spread())
    }
}

/// As in `records`: the multiplication spreads the ids, the shift moves the high bits to those that choose the slot.
fn spread(ids: u64) -> u64 {
    let product = ids.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_share_a_name_are_different() {
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

    #[test]
    fn fragments_of_more_files_than_are_remembered() {
        let mut functions = Functions::default();
        let f = functions.add(ObjectId(0), FileId(3), NameId(0)).unwrap();
        let g = functions.add(ObjectId(0), FileId(3), NameId(1)).unwrap();
        let mut fragment = |function, file| {
            let fragment = functions.fragment(function, FileId(file), Division::NONE);
            fragment.unwrap().0
        };
        let first: Vec<_> = (0..30).map(|file| fragment(f, file)).collect();
        assert_eq!((first[3], fragment(g, 3)), (0, 1));
        assert_eq!(fragment(g, 0), 31);
        assert!((0..30).map(|file| fragment(f, file)).eq(first));
    }
}
