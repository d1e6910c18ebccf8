//! The functions of a profile as gprof knows them: callgrind's levels of recursion (`f'2`) are one
//! function, and functions of one name in several files or objects stay apart.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};

use super::filter::Subject;
use super::graph::{Arc, Node};
use crate::demangle::demangle;
use crate::profile::{FileId, FunctionId, ObjectId, Overflow, Profile, SuffixFold};

/// A function with all its levels of recursion.
pub struct Folded<'p> {
    /// Its name as in the profile, but for the level.
    pub raw: Cow<'p, [u8]>,
    /// Its name to be shown.
    pub name: Cow<'p, [u8]>,
    /// The file in which it was defined.
    pub file: FileId,
    /// The executable or library that holds it.
    pub object: ObjectId,
    /// The line where it begins, as calls of it say, else its first line with costs; 0 if unknown.
    pub line: u32,
    /// What distinguishes it from others of its name.
    pub apart: Apart,
}

/// What distinguishes a function from others of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apart {
    /// There is no other.
    Name,
    /// The file.
    File,
    /// The object.
    Object,
    /// Both.
    FileAndObject,
}

/// All functions of a profile, folded.
pub struct Functions<'p> {
    profile: &'p Profile,
    list: Vec<Folded<'p>>,
    /// By function of the profile.
    of: Vec<u32>,
    /// The numbers of all functions in the order of their names.
    by_name: Vec<u32>,
}

impl<'p> Functions<'p> {
    /// Folds all functions of a profile.
    pub fn new(profile: &'p Profile, demangles: bool) -> Functions<'p> {
        let symbols = profile
            .functions()
            .map(|(_, function)| profile.name(function.name));
        let raw: Vec<_> = symbols.map(without_level).collect();
        // Only functions with recursion levels can be one with others.
        let with_levels = profile
            .functions()
            .zip(&raw)
            .filter(|((_, function), raw)| raw.len() < profile.name(function.name).len());
        let with_levels: HashSet<_> = with_levels.map(|(_, raw)| raw.clone()).collect();
        let mut index = HashMap::new();
        let mut list: Vec<Folded<'p>> = Vec::new();
        let mut of = Vec::new();
        for ((_, function), raw) in profile.functions().zip(raw) {
            let (file, object) = (function.file, function.object);
            let is_alone = !with_levels.contains(&raw);
            let mut add = || {
                let name = if demangles {
                    readable(&raw)
                } else {
                    raw.clone()
                };
                list.push(Folded {
                    raw: raw.clone(),
                    name,
                    file,
                    object,
                    line: 0,
                    apart: Apart::Name,
                });
                list.len() as u32 - 1
            };
            of.push(match is_alone {
                true => add(),
                false => *index.entry((raw.clone(), file, object)).or_insert_with(add),
            });
        }
        for place in profile
            .places()
            .iter()
            .map(|&place| profile.location(place))
        {
            let function = &mut list[of[place.function.index()] as usize];
            let is_first = function.line == 0 || place.line < function.line;
            if place.file == function.file && place.line > 0 && is_first {
                function.line = place.line;
            }
        }
        let mut entry_lines = vec![0; list.len()];
        for ((_, function), &number) in profile.functions().zip(&of) {
            let line: &mut u32 = &mut entry_lines[number as usize];
            if function.line > 0 && (*line == 0 || function.line < *line) {
                *line = function.line;
            }
        }
        for (function, line) in list.iter_mut().zip(entry_lines) {
            if line > 0 {
                function.line = line;
            }
        }
        let mut functions = Functions {
            profile,
            list,
            of,
            by_name: Vec::new(),
        };
        functions.order();
        functions
    }

    /// The line where a function begins.
    pub fn start(&self, number: u32) -> SourceLine {
        let Folded { file, line, .. } = self.list[number as usize];
        SourceLine { file, line }
    }

    /// Puts them in the order of their names, and finds out which names are not the only ones.
    fn order(&mut self) {
        let profile = self.profile;
        let key =
            |function: &Folded<'p>| (profile.file(function.file), profile.object(function.object));
        let with_start = self.list.iter().map(|function| start(&function.name));
        let mut by_name: Vec<(u128, u32)> = with_start.zip(0..).collect();
        by_name.sort_by(|&(start_a, a), &(start_b, b)| {
            start_a.cmp(&start_b).then_with(|| {
                let (a, b) = (&self.list[a as usize], &self.list[b as usize]);
                a.name.cmp(&b.name).then_with(|| key(a).cmp(&key(b)))
            })
        });
        let by_name: Vec<u32> = by_name.into_iter().map(|(_, function)| function).collect();
        let mut apart: Vec<(u32, Apart)> = Vec::new();
        for same in
            by_name.chunk_by(|&a, &b| self.list[a as usize].name == self.list[b as usize].name)
        {
            if same.len() > 1 {
                let how = self.apart(same);
                apart.extend(same.iter().map(|&function| (function, how)));
            }
        }
        for (function, apart) in apart {
            self.list[function as usize].apart = apart;
        }
        self.by_name = by_name;
    }

    /// What distinguishes functions of one name.
    fn apart(&self, same: &[u32]) -> Apart {
        let are_apart = |key: &dyn Fn(u32) -> &'p [u8]| {
            let mut keys: Vec<_> = same.iter().map(|&function| base(key(function))).collect();
            keys.sort_unstable();
            keys.windows(2).all(|two| two[0] != two[1])
        };
        if are_apart(&|function| self.file(function)) {
            Apart::File
        } else if are_apart(&|function| self.object(function)) {
            Apart::Object
        } else {
            Apart::FileAndObject
        }
    }

    /// All functions; a function's number is its place.
    pub fn list(&self) -> &[Folded<'p>] {
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

    /// What symspecs and other rules are held against.
    pub fn subjects(&self) -> Vec<Subject<'_>> {
        (0..)
            .zip(&self.list)
            .map(|(number, function)| {
                let object = self.profile.defined_object(function.object);
                Subject::new(object, self.file(number), &function.raw).at(function.line)
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
                subjects.push(Subject::new(object, file, &function.raw));
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
            Subject::new(object, file, &function.raw).at(place.line)
        })
    }

    /// Their self costs of one event.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit.
    pub fn self_costs(&self, event: usize) -> Result<Vec<i64>, Overflow> {
        let mut sums = vec![0i64; self.list.len()];
        let (events, side) = (self.profile.events(), &self.profile.sides().new);
        for (place, cost) in self.profile.places().iter().zip(side.costs().iter()) {
            let function = self.profile.fragment(place.fragment).function;
            let sum = &mut sums[self.of(function) as usize];
            let count = events.count(cost, event)?.or_zero();
            *sum = sum.checked_add(count).ok_or(Overflow)?;
        }
        Ok(sums)
    }

    /// The nodes of the call graph for these self costs.
    pub fn nodes(&self, self_costs: &[i64]) -> Vec<Node> {
        let mut rank = vec![0; self.list.len()];
        for (place, &function) in (0..).zip(&self.by_name) {
            rank[function as usize] = place;
        }
        let nodes = self.list.iter().zip(self_costs).zip(rank);
        nodes
            .map(|((function, &self_cost), rank)| Node {
                self_cost,
                rank,
                is_reserved: function.name.starts_with(b"_"),
            })
            .collect()
    }

    /// The calls between functions, and where they are: a site's number is its place in the list. Without
    /// `by_line` all sites are one.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit.
    pub fn arcs(
        &self,
        event: usize,
        by_line: bool,
    ) -> Result<(Vec<Arc>, Vec<SourceLine>), Overflow> {
        let (mut arcs, mut sites) = (Vec::new(), Vec::new());
        let (mut arc_index, mut site_index) = (HashMap::new(), HashMap::new());
        let (events, side) = (self.profile.events(), &self.profile.sides().new);
        for (number, call) in self.profile.calls().iter().enumerate() {
            let (count, cost) = (side.call_counts()[number], side.call_costs().get(number));
            let at = self.profile.location(call.site);
            let site = by_line.then_some(SourceLine {
                file: at.file,
                line: at.line,
            });
            let site = site.map_or(0, |site| {
                *site_index.entry((site.file, site.line)).or_insert_with(|| {
                    sites.push(site);
                    sites.len() as u32 - 1
                })
            });
            let (caller, callee) = (self.of(at.function), self.of(call.callee));
            let number = *arc_index.entry((caller, callee, site)).or_insert_with(|| {
                arcs.push(Arc {
                    caller,
                    callee,
                    site,
                    count: 0,
                    cost: 0,
                    is_dropped: false,
                });
                arcs.len() - 1
            });
            let arc = &mut arcs[number];
            arc.count = arc.count.checked_add(count).ok_or(Overflow)?;
            // What a function spends in calls of itself is nested in other calls, and may be huge.
            if caller != callee {
                let cost = events.count(cost, event)?.or_zero();
                arc.cost = arc.cost.checked_add(cost).ok_or(Overflow)?;
            }
        }
        Ok((arcs, sites))
    }
}

/// A line with calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The source file.
    pub file: FileId,
    /// The line, 0 if unknown.
    pub line: u32,
}

/// A path's last part.
pub fn base(path: &[u8]) -> &[u8] {
    path.rsplit(|&b| b == b'/').next().unwrap_or(path)
}

/// A name without its level of recursion.
fn without_level(name: &[u8]) -> Cow<'_, [u8]> {
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

/// The readable form of a name, which is mostly the name itself.
fn readable<'p>(raw: &Cow<'p, [u8]>) -> Cow<'p, [u8]> {
    match raw {
        Cow::Borrowed(name) => demangle(name),
        Cow::Owned(name) => Cow::Owned(demangle(name).into_owned()),
    }
}
