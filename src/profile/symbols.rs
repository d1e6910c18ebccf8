//! The functions of a profile and their fragments, each kept once.

use std::hash::BuildHasher;
use std::sync::OnceLock;

use hashbrown::{DefaultHashBuilder, HashMap, HashSet, HashTable};

use crate::profile::budget::LimitExceeded;
use crate::profile::division::{Division, FileId, FragmentId, FunctionId, NameId, ObjectId};
use crate::profile::records::{lengthen, spread};

/// An object, a file and a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    pub object: ObjectId,
    /// The file in which it was defined.
    pub file: FileId,
    pub name: NameId,
    /// The number of the last `fn=` line that named it, from 1; 0 if it was only ever called, 1 for
    /// an inlined copy.
    pub last_named: u32,
    /// The line at which it begins in its file, according to calls of it; 0 if unknown.
    pub line: u32,
}

// There may be hundreds of thousands.
const _: () = assert!(size_of::<Function>() <= 20);

/// The code of one function in one source file: its own, or one whose code was inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    pub function: FunctionId,
    pub file: FileId,
    /// Distinguishes it from other fragments of the function in the file, if a report needs that.
    pub division: Division,
}

const NONE: FunctionId = FunctionId(u32::MAX);

/// How much of a function is part of a profile of what happened below functions, or without them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Portion {
    /// Nothing but calls that led to what is part of it.
    None,
    /// A part of it, which is an estimate.
    Divided,
    /// What it spent itself is exact, but not what it paid for its calls.
    Paying,
    /// What the profile has of it is exact.
    #[default]
    Exact,
    /// All of it, and all calls of it: the profile is what happened below it.
    Chosen,
}

impl Portion {
    /// How much of a function is part of a profile, if it is made of two functions.
    pub fn and(self, other: Portion) -> Portion {
        match (self, other) {
            (Portion::Divided, _) | (_, Portion::Divided) => Portion::Divided,
            (Portion::None, one) | (one, Portion::None) => one,
            (Portion::Paying, _) | (_, Portion::Paying) => Portion::Paying,
            (Portion::Chosen, Portion::Chosen) => Portion::Chosen,
            _ => Portion::Exact,
        }
    }
}

/// All functions and fragments, in order of first appearance.
#[derive(Clone, Default)]
pub struct Functions {
    pub(super) list: Vec<Function>,
    /// By function the fragment of its code in its own file.
    pub(super) homes: Vec<FragmentId>,
    /// By function, the function or copy that it is inlined into; only up to the last copy.
    inlined_into: Vec<FunctionId>,
    /// The functions that share their name with others; most do not.
    index: HashMap<FunctionKey, FunctionId>,
    /// The function found last for each name.
    of_name: Vec<FunctionId>,
    /// The inlined copies, by the function or copy that they are in.
    pub(super) inlined: HashMap<(FunctionId, FileId, NameId), FunctionId>,
    /// The functions that have instances, and these.
    pub(super) instances: HashSet<FunctionId>,
    /// How much of each function is part of the profile; all of those beyond the end.
    portions: Vec<Portion>,
    named: u32,
    /// The value of `named` when BASE began: functions that NEW named keep their order.
    named_by_new: u32,
    pub(super) fragments: Vec<Fragment>,
    /// All fragments except those of functions in their own files without a division.
    others: HashTable<u32>,
}

impl Functions {
    /// The id of a function, which is new if it has not been added before.
    #[inline]
    pub fn add(&mut self, key: FunctionKey) -> Result<FunctionId, LimitExceeded> {
        if let Some(&known) = self.of_name.get(key.name.index())
            && let Some(function) = self.list.get(known.index())
            && (function.object, function.file) == (key.object, key.file)
        {
            return Ok(known);
        }
        self.find_or_add(key)
    }

    /// The id of a function that is not the one found last for its name.
    fn find_or_add(&mut self, key: FunctionKey) -> Result<FunctionId, LimitExceeded> {
        let name = key.name;
        if name.index() >= self.of_name.len() {
            lengthen(&mut self.of_name, name.index() + 1, NONE);
        }
        let last = self.of_name[name.index()];
        let function = match self.list.get(last.index()) {
            None => self.push(key)?,
            Some(other) => {
                self.index.insert(other.key(), last);
                let known = self.index.get(&key).copied();
                let function = known.map_or_else(|| self.push(key), Ok)?;
                self.index.insert(key, function);
                function
            }
        };
        self.of_name[name.index()] = function;
        Ok(function)
    }

    fn push(&mut self, key: FunctionKey) -> Result<FunctionId, LimitExceeded> {
        let FunctionKey { object, file, name } = key;
        let id = u32::try_from(self.list.len()).map(FunctionId);
        let id = id.ok().filter(|&id| id != NONE).ok_or(LimitExceeded)?;
        let home = self.push_fragment(Fragment { function: id, file, division: Division::None })?;
        self.list.push(Function { object, file, name, last_named: 0, line: 0 });
        self.homes.push(home);
        Ok(id)
    }

    /// The id of the copy of a function that was inlined into another function or copy, one for all
    /// its call sites.
    pub fn add_inlined(
        &mut self,
        into: FunctionId,
        file: FileId,
        name: NameId,
    ) -> Result<FunctionId, LimitExceeded> {
        if let Some(&known) = self.inlined.get(&(into, file, name)) {
            return Ok(known);
        }
        let object = self.get(into).object;
        let id = self.push(FunctionKey { object, file, name })?;
        // Before any function that an `fn=` line names.
        self.list[id.index()].last_named = 1;
        self.inlined_into.resize(id.index(), NONE);
        self.inlined_into.push(into);
        self.inlined.insert((into, file, name), id);
        Ok(id)
    }

    /// Another function of the same object, file and name: an instance of a generic function.
    pub fn add_instance(&mut self, of: FunctionId) -> Result<FunctionId, LimitExceeded> {
        let function = *self.get(of);
        let instance = self.push(function.key())?;
        self.list[instance.index()] = function;
        self.instances.extend([of, instance]);
        Ok(instance)
    }

    /// Moves a copy out of `of`, into the function or copy that this is in; not out of a function.
    pub fn move_out(&mut self, copy: FunctionId, of: FunctionId) {
        if let Some(around) = self.inlined_into(of) {
            self.inlined_into[copy.index()] = around;
        }
    }

    /// The function that a copy is inlined into, perhaps via other copies; any other function
    /// itself.
    #[inline]
    pub fn host(&self, id: FunctionId) -> FunctionId {
        let into = |&id: &FunctionId| self.inlined_into(id);
        std::iter::successors(Some(id), into).last().unwrap_or(id)
    }

    #[inline]
    pub(super) fn inlined_into(&self, id: FunctionId) -> Option<FunctionId> {
        let into = self.inlined_into.get(id.index()).copied();
        into.filter(|&into| into != NONE)
    }

    /// The id of a fragment, which is new if it has not been looked up before.
    #[inline]
    pub fn fragment(
        &mut self,
        function: FunctionId,
        file: FileId,
        division: Division,
    ) -> Result<FragmentId, LimitExceeded> {
        let known = &self.list[function.index()];
        if known.file == file && division == Division::None {
            return Ok(self.homes[function.index()]);
        }
        let wanted = Fragment { function, file, division };
        let next = u32::try_from(self.fragments.len()).map_err(|_| LimitExceeded)?;
        let fragments = &self.fragments;
        let hash = |&id: &u32| fragments[id as usize].hash();
        let same = |&id: &u32| fragments[id as usize] == wanted;
        make_room(&mut self.others, hash);
        let id = *self.others.entry(wanted.hash(), same, hash).or_insert(next).get();
        if id == next {
            self.fragments.push(wanted);
        }
        Ok(FragmentId(id))
    }

    fn push_fragment(&mut self, fragment: Fragment) -> Result<FragmentId, LimitExceeded> {
        let id = u32::try_from(self.fragments.len()).map_err(|_| LimitExceeded)?;
        self.fragments.push(fragment);
        Ok(FragmentId(id))
    }

    /// Gives fragments other divisions, so that some may become one. Returns by fragment the one
    /// that it became.
    pub(super) fn divide_again(
        &mut self,
        division: impl Fn(Division) -> Division,
    ) -> Result<Vec<FragmentId>, LimitExceeded> {
        let fragments = std::mem::take(&mut self.fragments);
        self.others.clear();
        for (id, function) in (0..).map(FunctionId).zip(&self.list) {
            self.homes[id.index()] = FragmentId(id.0);
            let file = function.file;
            self.fragments.push(Fragment { function: id, file, division: Division::None });
        }
        let new = |of: Fragment| self.fragment(of.function, of.file, division(of.division));
        fragments.into_iter().map(new).collect()
    }

    /// Sets the line at which a function begins. The smallest is kept, but one of BASE only if NEW
    /// has none.
    pub fn set_line(&mut self, id: FunctionId, line: u32) {
        let known = &mut self.list[id.index()].line;
        if *known == 0 || line != 0 && line < *known && self.named_by_new == 0 {
            *known = line;
        }
    }

    /// Notes that an `fn=` line names a function; in BASE it is ignored if NEW has named it.
    pub fn mark_named(&mut self, id: FunctionId) {
        let last_named = &mut self.list[id.index()].last_named;
        if *last_named == 0 || *last_named > self.named_by_new {
            self.named = self.named.saturating_add(1);
            *last_named = self.named;
        }
    }

    /// The number of the last `fn=` line that named a function, as if NEW were read after BASE.
    pub(super) fn last_named(&self, function: &Function) -> u32 {
        match self.named_by_new.checked_sub(function.last_named) {
            Some(before) if function.last_named > 0 => u32::MAX - before,
            _ => function.last_named,
        }
    }

    /// Whether an `fn=` line has named the function with this key.
    pub fn is_named(&self, key: FunctionKey) -> bool {
        let last = self.of_name.get(key.name.index()).filter(|&&last| last != NONE);
        let is_it = |id: &FunctionId| self.get(*id).key() == key;
        let id = last.filter(|id| is_it(id)).or_else(|| self.index.get(&key));
        id.is_some_and(|&id| self.get(id).last_named > 0)
    }

    pub fn unmark_named(&mut self, id: FunctionId) {
        self.list[id.index()].last_named = 0;
    }

    #[inline]
    pub fn portion(&self, id: FunctionId) -> Portion {
        self.portions.get(id.index()).copied().unwrap_or_default()
    }

    pub fn set_portion(&mut self, id: FunctionId, portion: Portion) {
        if id.index() >= self.portions.len() {
            self.portions.resize(id.index() + 1, Portion::default());
        }
        self.portions[id.index()] = portion;
    }

    /// Gives files and objects other ids. The old ones may not be looked up afterwards.
    pub(super) fn rename(
        &mut self,
        file: impl Fn(FileId) -> FileId,
        object: impl Fn(ObjectId) -> ObjectId,
    ) {
        for function in &mut self.list {
            function.file = file(function.file);
            function.object = object(function.object);
        }
        let fragments = self.fragments.iter_mut();
        fragments.for_each(|fragment| fragment.file = file(fragment.file));
    }

    /// Gives a function another name and file. The old ones may not be looked up afterwards.
    pub(super) fn rename_function(
        &mut self,
        id: FunctionId,
        name: NameId,
        file: FileId,
    ) -> Result<(), LimitExceeded> {
        if self.list[id.index()].file != file {
            let old = self.homes[id.index()];
            self.homes[id.index()] = self.fragment(id, file, Division::None)?;
            self.list[id.index()].file = file;
            let hash = |&id: &u32| self.fragments[id as usize].hash();
            self.others.insert_unique(self.fragments[old.index()].hash(), old.0, hash);
        }
        self.list[id.index()].name = name;
        Ok(())
    }

    /// Begins another side, at first BASE: later names are those of sides before NEW. The functions
    /// of another difference keep their numbers.
    pub(super) fn begin_side(&mut self) {
        if self.named_by_new == 0 {
            self.named_by_new = self.named;
        }
    }

    #[inline]
    pub fn get(&self, id: FunctionId) -> &Function {
        &self.list[id.index()]
    }
}

/// What tells functions apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionKey {
    pub object: ObjectId,
    pub file: FileId,
    pub name: NameId,
}

impl Function {
    pub fn key(&self) -> FunctionKey {
        FunctionKey { object: self.object, file: self.file, name: self.name }
    }
}

impl Fragment {
    fn hash(&self) -> u64 {
        let ids = u64::from(self.function.0) | u64::from(self.file.0) << 32;
        spread(ids ^ u64::from(self.division.number()) << 16)
    }
}

/// Hashes names, here or in another thread.
#[derive(Clone, Default)]
pub struct NameHasher(DefaultHashBuilder);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameHash(u32);

impl NameHasher {
    #[inline]
    pub fn hash(&self, name: &[u8]) -> NameHash {
        NameHash((self.0.hash_one(name) >> 32) as u32)
    }
}

impl NameHash {
    /// hashbrown takes the slot from the low bits and a tag from the high ones.
    fn for_table(self) -> u64 {
        u64::from(self.0).wrapping_mul(0x9e37_79b9_0000_0001)
    }
}

/// A list of different names, in order of first appearance.
#[derive(Clone, Default)]
pub struct NameTable {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// With each number the hash of the name, which may be long. Made when a name is looked up.
    index: OnceLock<HashTable<(NameHash, u32)>>,
    hasher: NameHasher,
}

impl NameTable {
    /// The number of `name` in the list, which is appended if it is new.
    pub fn add(&mut self, name: &[u8]) -> Result<u32, LimitExceeded> {
        self.intern(name, self.hasher.hash(name))
    }

    /// The same with the hash of the name by the list's [hasher](NameTable::hasher).
    pub fn intern(&mut self, name: &[u8], hash: NameHash) -> Result<u32, LimitExceeded> {
        if let Some(id) = self.find_hashed(name, hash) {
            return Ok(id);
        }
        let id = self.ends.len() as u32;
        let end = u32::try_from(self.bytes.len() + name.len()).map_err(|_| LimitExceeded)?;
        if id == u32::MAX {
            return Err(LimitExceeded);
        }
        self.bytes.extend_from_slice(name);
        self.ends.push(end);
        if let Some(index) = self.index.get_mut() {
            insert(index, hash, id);
        }
        Ok(id)
    }

    fn index(&self) -> &HashTable<(NameHash, u32)> {
        self.index.get_or_init(|| {
            let mut index = HashTable::with_capacity(self.len());
            let names = (0..).zip(self.iter());
            names.for_each(|(id, name)| insert(&mut index, self.hasher.hash(name), id));
            index
        })
    }

    /// Frees what only lookups need, until the next one.
    pub(super) fn end_lookups(&mut self) {
        self.index.take();
    }

    pub fn find(&self, name: &[u8]) -> Option<u32> {
        self.find_hashed(name, self.hasher.hash(name))
    }

    fn find_hashed(&self, name: &[u8], hash: NameHash) -> Option<u32> {
        let is_it = |&(known, id): &(NameHash, u32)| known == hash && self.name(id) == name;
        let found = self.index().find(hash.for_table(), is_it);
        found.map(|&(_, id)| id)
    }

    /// The list's hasher. With another one a name would be in the list twice.
    pub fn hasher(&self) -> NameHasher {
        self.hasher.clone()
    }

    #[inline]
    pub fn name(&self, id: u32) -> &[u8] {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.bytes[start as usize..self.ends[id] as usize]
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len() as u32).map(|id| self.name(id))
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }
}

fn insert(index: &mut HashTable<(NameHash, u32)>, hash: NameHash, id: u32) {
    let hash_of = |(hash, _): &(NameHash, u32)| hash.for_table();
    make_room(index, hash_of);
    index.insert_unique(hash.for_table(), (hash, id), hash_of);
}

/// Makes a full table four times as large: all that is in it is hashed again whenever it grows.
#[inline]
fn make_room<T>(table: &mut HashTable<T>, hash: impl Fn(&T) -> u64) {
    if table.len() == table.capacity() {
        table.reserve(3 * table.len(), hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_function_is_the_first_of_new_or_else_of_base() {
        let mut functions = Functions::default();
        let [f, g] = [0, 1]
            .map(|name| FunctionKey { object: ObjectId(0), file: FileId(0), name: NameId(name) })
            .map(|key| functions.add(key).unwrap_or(NONE));
        functions.mark_named(f);
        functions.set_line(f, 20);
        functions.set_line(f, 10);
        functions.set_line(f, 0);
        functions.begin_side();
        functions.set_line(f, 5);
        functions.set_line(g, 7);
        assert_eq!([f, g].map(|id| functions.get(id).line), [10, 7]);
    }
}
