//! The functions of a profile as gprof knows them: callgrind's levels of recursion (`f'2`) are one function, and functions
//! of one name in several files or objects are distinguished by these.

use std::borrow::Cow;
use std::cmp::Reverse;

use hashbrown::{HashMap, HashSet};

use crate::demangle::demangle;
use crate::profile::{FileId, FunctionId, Location, ObjectId, Profile, SuffixFold};
use crate::view::filter::Subject;
use crate::view::gprof::{EntryOf, GraphTable};

/// A function with all its levels of recursion.
pub struct MergedFunction<'p> {
    /// Its name as in the profile, without the level.
    pub symbol: Cow<'p, [u8]>,
    /// Its name as shown.
    pub name: Cow<'p, [u8]>,
    /// The file in which it was defined.
    pub file: FileId,
    /// The executable or library that holds it.
    pub object: ObjectId,
    /// The first function of the profile that is merged into it.
    pub id: FunctionId,
    /// Its position in the order of names.
    pub rank: u32,
    /// The line where it begins, as calls of it say, else its first line with costs; 0 if unknown.
    pub line: u32,
    /// What distinguishes it from others of its name.
    pub qualifier: Qualifier,
}

/// What distinguishes a function from others of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Qualifier {
    /// There is no other.
    Name,
    /// The file.
    File,
    /// The object.
    Object,
    /// Both.
    FileAndObject,
}

/// All functions of a profile, with their levels of recursion merged.
pub struct MergedFunctions<'p> {
    profile: &'p Profile,
    list: Vec<MergedFunction<'p>>,
    /// By function of the profile.
    of: Vec<u32>,
    /// The numbers of all functions in the order of their names.
    by_name: Vec<u32>,
}

impl<'p> MergedFunctions<'p> {
    /// Merges the functions of a profile.
    pub fn new(profile: &'p Profile, demangles: bool) -> MergedFunctions<'p> {
        let names = || {
            let functions = profile.functions();
            functions.map(|(_, function)| profile.name(function.name))
        };
        let symbols: Vec<_> = names().map(without_recursion_level).collect();
        // Only functions with recursion levels can be one with others.
        let with_levels = names()
            .zip(&symbols)
            .filter(|(name, symbol)| symbol.len() < name.len());
        let with_levels: HashSet<_> = with_levels.map(|(_, symbol)| symbol.clone()).collect();
        let mut index = HashMap::new();
        let mut functions = MergedFunctions {
            profile,
            list: Vec::new(),
            of: Vec::new(),
            by_name: Vec::new(),
        };
        for ((id, function), symbol) in profile.functions().zip(symbols) {
            let (file, object) = (function.file, function.object);
            let is_alone = !with_levels.contains(&symbol);
            let list = &mut functions.list;
            let mut add = || {
                let name = match demangles {
                    true => demangled(&symbol),
                    false => symbol.clone(),
                };
                list.push(MergedFunction {
                    symbol: symbol.clone(),
                    name,
                    file,
                    object,
                    id,
                    rank: 0,
                    line: 0,
                    qualifier: Qualifier::Name,
                });
                list.len() as u32 - 1
            };
            functions.of.push(match is_alone {
                true => add(),
                false => *index
                    .entry((symbol.clone(), file, object))
                    .or_insert_with(add),
            });
        }
        functions.find_lines();
        functions.order();
        functions
    }

    /// Finds the lines where functions begin.
    fn find_lines(&mut self) {
        let is_before = |line: u32, known: u32| line > 0 && (known == 0 || line < known);
        for place in self.profile.places() {
            let place = self.profile.location(*place);
            let function = &mut self.list[self.of[place.function.index()] as usize];
            if place.file == function.file && is_before(place.line, function.line) {
                function.line = place.line;
            }
        }
        let mut of_calls = vec![0; self.list.len()];
        for ((_, function), &number) in self.profile.functions().zip(&self.of) {
            let line = &mut of_calls[number as usize];
            if is_before(function.line, *line) {
                *line = function.line;
            }
        }
        let lines = self.list.iter_mut().zip(of_calls);
        for (function, line) in lines.filter(|(_, line)| *line > 0) {
            function.line = line;
        }
    }

    /// The profile whose functions they are.
    pub fn profile(&self) -> &'p Profile {
        self.profile
    }

    /// The line where a function begins.
    pub fn start(&self, number: u32) -> SourceLine {
        let MergedFunction { file, line, .. } = self.list[number as usize];
        SourceLine { file, line }
    }

    /// Orders them by name, and finds what distinguishes those of one name.
    fn order(&mut self) {
        let profile = self.profile;
        let key = |function: &MergedFunction<'p>| {
            (profile.file(function.file), profile.object(function.object))
        };
        let with_start = self.list.iter().map(|function| start(&function.name));
        let mut by_name: Vec<(u128, u32)> = with_start.zip(0..).collect();
        by_name.sort_by(|&(start_a, a), &(start_b, b)| {
            start_a.cmp(&start_b).then_with(|| {
                let (a, b) = (&self.list[a as usize], &self.list[b as usize]);
                a.name.cmp(&b.name).then_with(|| key(a).cmp(&key(b)))
            })
        });
        let by_name: Vec<u32> = by_name.into_iter().map(|(_, function)| function).collect();
        let mut qualifier: Vec<(u32, Qualifier)> = Vec::new();
        for same in
            by_name.chunk_by(|&a, &b| self.list[a as usize].name == self.list[b as usize].name)
        {
            if same.len() > 1 {
                let how = self.qualifier(same);
                qualifier.extend(same.iter().map(|&function| (function, how)));
            }
        }
        for (function, qualifier) in qualifier {
            self.list[function as usize].qualifier = qualifier;
        }
        for (rank, &function) in (0..).zip(&by_name) {
            self.list[function as usize].rank = rank;
        }
        self.by_name = by_name;
    }

    /// What distinguishes functions of one name.
    fn qualifier(&self, same: &[u32]) -> Qualifier {
        let differ = |key: &dyn Fn(u32) -> &'p [u8]| {
            let mut keys: Vec<_> = same
                .iter()
                .map(|&function| basename(key(function)))
                .collect();
            keys.sort_unstable();
            keys.windows(2).all(|two| two[0] != two[1])
        };
        if differ(&|function| self.file(function)) {
            Qualifier::File
        } else if differ(&|function| self.object(function)) {
            Qualifier::Object
        } else {
            Qualifier::FileAndObject
        }
    }

    /// All functions; a function's number is its place.
    pub fn list(&self) -> &[MergedFunction<'p>] {
        &self.list
    }

    /// Their numbers in the order of their names.
    pub fn by_name(&self) -> &[u32] {
        &self.by_name
    }

    /// The number of the function that one of the profile is part of.
    pub fn of(&self, function: FunctionId) -> u32 {
        self.of[function.index()]
    }

    /// The name of a function's file.
    pub fn file(&self, function: u32) -> &'p [u8] {
        self.profile.file(self.list[function as usize].file)
    }

    /// The name of a function's object.
    pub fn object(&self, function: u32) -> &'p [u8] {
        self.profile.object(self.list[function as usize].object)
    }

    /// What symspecs and other rules are matched against.
    pub fn subjects(&self) -> Vec<Subject<'_>> {
        (0..)
            .zip(&self.list)
            .map(|(number, function)| {
                let object = self.profile.defined_object(function.object);
                Subject::new(object, self.file(number), &function.symbol).at(function.line)
            })
            .collect()
    }

    /// The same, and those of the code that functions have in other files.
    pub fn all_subjects(&self) -> Vec<Subject<'_>> {
        let mut subjects = self.subjects();
        let mut known = HashSet::new();
        let sites = self.profile.calls().iter().map(|call| call.site);
        let places = self.profile.places().iter().copied().chain(sites);
        for place in places.map(|place| self.profile.location(place)) {
            let number = self.of(place.function);
            let function = &self.list[number as usize];
            if place.file != function.file && known.insert((number, place.file)) {
                let object = self.profile.defined_object(function.object);
                let file = self.profile.file(place.file);
                subjects.push(Subject::new(object, file, &function.symbol));
            }
        }
        subjects
    }

    /// The lines that have costs or make calls.
    pub fn lines(&self) -> impl Iterator<Item = Subject<'_>> {
        let sites = self.profile.calls().iter().map(|call| call.site);
        let places = self.profile.places().iter().copied().chain(sites);
        places.map(|place| {
            let place = self.profile.location(place);
            let function = &self.list[self.of(place.function) as usize];
            let object = self.profile.defined_object(function.object);
            let file = self.profile.file(place.file);
            Subject::new(object, file, &function.symbol).at(place.line)
        })
    }

    /// By function of the profile the first one that is merged into the same.
    pub(super) fn representatives(&self) -> Vec<FunctionId> {
        let numbers = self.of.iter();
        numbers
            .map(|&number| self.list[number as usize].id)
            .collect()
    }
}

/// A line with calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SourceLine {
    /// The source file.
    pub file: FileId,
    /// The line, 0 if unknown.
    pub line: u32,
}

impl SourceLine {
    /// The line of a place.
    pub fn of(at: Location) -> SourceLine {
        SourceLine {
            file: at.file,
            line: at.line,
        }
    }
}

/// A path's last part.
pub fn basename(path: &[u8]) -> &[u8] {
    path.rsplit(|&b| b == b'/').next().unwrap_or(path)
}

/// A name without its level of recursion.
fn without_recursion_level(name: &[u8]) -> Cow<'_, [u8]> {
    let fold = SuffixFold {
        callers: false,
        recursion: true,
    };
    fold.apply(name)
}

/// The first bytes of a name as a number of the same order.
fn start(name: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    let length = name.len().min(bytes.len());
    bytes[..length].copy_from_slice(&name[..length]);
    u128::from_be_bytes(bytes)
}

/// A name demangled; most names are not mangled.
fn demangled<'p>(symbol: &Cow<'p, [u8]>) -> Cow<'p, [u8]> {
    match symbol {
        Cow::Borrowed(name) => demangle(name),
        Cow::Owned(name) => Cow::Owned(demangle(name).into_owned()),
    }
}

/// The names that a linker can know, and how many it cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkOrder<'f> {
    /// Each name once.
    pub names: Vec<&'f [u8]>,
    /// How many functions have names that are no symbols: demangled ones, or addresses.
    pub others: usize,
}

/// All functions with costs or calls that `selects` takes, the most expensive first; equal ones by number of calls, number of
/// callers and name.
pub fn link_order<'f>(
    functions: &'f MergedFunctions<'_>,
    table: &GraphTable,
    selects: impl Fn(u32) -> bool,
) -> LinkOrder<'f> {
    let mut rows = Vec::new();
    for entry in &table.entries {
        if let EntryOf::Function(function) = entry.of
            && selects(function)
            && (entry.self_cost != 0 || entry.calls != 0 || entry.self_calls != 0)
        {
            let callers = entry.callers.iter().filter(|line| !line.is_itself).count();
            let name: &[u8] = &functions.list()[function as usize].symbol;
            rows.push((Reverse((entry.self_cost, entry.calls, callers)), name));
        }
    }
    rows.sort_unstable();
    let (mut names, mut others) = (Vec::new(), 0);
    let mut known = hashbrown::HashSet::new();
    for (_, name) in rows {
        if !is_symbol(name) {
            others += 1;
        } else if known.insert(name) {
            names.push(name);
        }
    }
    LinkOrder { names, others }
}

/// Whether a name can be that of a symbol.
fn is_symbol(name: &[u8]) -> bool {
    let is_of_symbol = |b: &u8| b.is_ascii_alphanumeric() || b"_.$@".contains(b) || !b.is_ascii();
    name.iter().all(is_of_symbol) && name.first().is_some_and(|first| !first.is_ascii_digit())
}

/// How much there is of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileInfo {
    /// Functions, each with all its recursion levels.
    pub functions: usize,
    /// The objects that they are in.
    pub objects: usize,
    /// The files with costs or calls.
    pub files: usize,
    /// The lines with costs or calls, as far as they are known.
    pub lines: usize,
    /// The places at which a function calls another.
    pub call_sites: usize,
    /// The calls.
    pub calls: i64,
}

impl ProfileInfo {
    /// Counts what is in a profile.
    pub fn of(profile: &Profile, functions: &MergedFunctions<'_>) -> ProfileInfo {
        let objects: HashSet<_> = functions
            .list()
            .iter()
            .map(|function| function.object)
            .collect();
        let sites = profile.calls().iter().map(|call| call.site);
        let places = profile.places().iter().copied().chain(sites);
        let places = places.map(|place| profile.location(place));
        let (mut files, mut lines) = (HashSet::new(), HashSet::new());
        for place in places {
            files.insert(place.file);
            if place.line > 0 {
                lines.insert((place.file, place.line));
            }
        }
        let mut calls = 0i64;
        for &count in profile.sides().new.call_counts() {
            calls += count;
        }
        ProfileInfo {
            functions: functions.list().len(),
            objects: objects.len(),
            files: files.len(),
            lines: lines.len(),
            call_sites: profile.calls().len(),
            calls,
        }
    }
}
