//! The functions of a profile, by name; those with the same name are distinguished by their files
//! or objects.

use std::borrow::Cow;

use crate::demangle::{NameStyle, demangle_as_gprof};
use crate::profile::{CodePlace, FileId, Fragment, Function, FunctionId, Profile};
use crate::source::basename;
use crate::view::asm::SourceLine;
use crate::view::filter::Subject;
use crate::view::list::first_bytes;
use crate::view::threads::{beside, sort_by};

/// A function of the profile. Recursion levels were merged when the profile was read.
pub struct NamedFunction<'p> {
    pub name: Cow<'p, [u8]>,
    of: Function,
    /// Its first line according to the calls to it, else its first line with costs; 0 if unknown.
    pub line: u32,
    /// Whether its file, and whether its object, is needed to distinguish it from functions with
    /// the same name.
    pub qualifiers: [bool; 2],
}

/// All functions of a profile, numbered in the order of their names.
pub struct NamedFunctions<'p> {
    pub profile: &'p Profile,
    pub list: Vec<NamedFunction<'p>>,
    of: Vec<u32>,
}

impl<'p> NamedFunctions<'p> {
    /// Names are demangled in a style, if there is one.
    pub fn new(profile: &'p Profile, style: Option<NameStyle>) -> NamedFunctions<'p> {
        let names = profile.functions();
        let displayed =
            |name| style.map_or(Cow::Borrowed(name), |style| demangle_as_gprof(name, style));
        let names = || names.map(|(_, function)| displayed(profile.name(function.name)));
        let (lines, mut names): (_, Vec<_>) =
            beside(profile.function_count(), || first_lines(profile), || names().collect());
        let mut order: Vec<_> = profile
            .functions()
            .zip(&names)
            .map(|((id, _), name)| (first_bytes(name), id))
            .collect();
        sort_by(&mut order, |&(start_a, a), &(start_b, b)| {
            let name = |id: FunctionId| &names[id.index()];
            let path = |id: FunctionId| {
                let function = profile.function(id);
                (profile.file(function.file), profile.object(function.object))
            };
            let by_name = start_a.cmp(&start_b).then_with(|| name(a).cmp(name(b)));
            by_name.then_with(|| (path(a), a).cmp(&(path(b), b)))
        });
        let mut of = vec![0; order.len()];
        for (number, (_, id)) in (0..).zip(&order) {
            of[id.index()] = number;
        }
        let mut list: Vec<_> = order
            .into_iter()
            .map(|(_, id)| {
                let of = *profile.function(id);
                NamedFunction {
                    of,
                    line: match of.line {
                        0 => lines[id.index()],
                        line => line,
                    },
                    qualifiers: [false; 2],
                    name: std::mem::take(&mut names[id.index()]),
                }
            })
            .collect();
        for same in list.chunk_by_mut(|a, b| a.name == b.name) {
            if same.len() > 1 {
                let qualifiers = qualifiers(profile, same);
                let same = same.iter_mut();
                same.for_each(|named| named.qualifiers = qualifiers);
            }
        }
        NamedFunctions { profile, list, of }
    }

    pub fn start(&self, number: u32) -> SourceLine {
        let function = &self.list[number as usize];
        (function.of.file, function.line)
    }

    pub fn name(&self, function: u32) -> &[u8] {
        &self.list[function as usize].name
    }

    fn symbol(&self, function: u32) -> &'p [u8] {
        self.profile.name(self.list[function as usize].of.name)
    }

    pub fn file(&self, function: u32) -> &'p [u8] {
        self.profile.file(self.list[function as usize].of.file)
    }

    pub fn object(&self, function: u32) -> &'p [u8] {
        self.profile.object(self.list[function as usize].of.object)
    }

    pub fn of(&self, function: FunctionId) -> u32 {
        self.of[function.index()]
    }

    fn subject(&self, number: u32, file: FileId) -> Subject<'_> {
        let object = self.list[number as usize].of.object;
        let object = self.profile.defined_object(object);
        Subject::new(object, self.profile.file(file), self.symbol(number))
            .of_kind(self.profile.name_kind())
    }

    /// A line of a function, as filters and symspecs match it.
    pub fn line(&self, number: u32, (file, line): SourceLine) -> Subject<'_> {
        self.subject(number, file).at(line)
    }

    /// A function at its first line, as filters and symspecs match it.
    pub fn at_start(&self, number: u32) -> Subject<'_> {
        self.line(number, self.start(number))
    }

    /// All functions at their first lines, as filters and symspecs match them.
    pub fn subjects(&self) -> Vec<Subject<'_>> {
        let functions = 0..self.list.len() as u32;
        functions.map(|number| self.at_start(number)).collect()
    }

    /// The code of each function in each file by fragment, at the first line in its own file.
    pub fn fragments(&self) -> Vec<Subject<'_>> {
        let subject = |&Fragment { function, file, .. }: &Fragment| {
            if file == self.profile.function(function).file {
                self.at_start(self.of(function))
            } else {
                self.subject(self.of(function), file)
            }
        };
        self.profile.fragments().iter().map(subject).collect()
    }

    /// All lines with costs or calls, as filters and symspecs match them.
    pub fn lines(&self) -> impl Iterator<Item = Subject<'_>> {
        self.profile.places_and_sites().map(|(place, _)| {
            let place = self.profile.code_place(place);
            self.line(self.of(place.function), source_line(place))
        })
    }
}

/// By function the first line with costs in its own file; 0 if there is none.
fn first_lines(profile: &Profile) -> Vec<u32> {
    let mut first = vec![0; profile.function_count()];
    for &place in &profile.places {
        let Fragment { function, file, .. } = profile.fragment(place.fragment);
        let (line, known) = (profile.line(place), &mut first[function.index()]);
        let is_before = line > 0 && (*known == 0 || line < *known);
        if is_before && file == profile.function(function).file {
            *known = line;
        }
    }
    first
}

/// Whether functions with the same name are distinguished by file, else by object; by both if
/// neither is unique.
fn qualifiers<'p>(profile: &'p Profile, same: &[NamedFunction<'p>]) -> [bool; 2] {
    let differ = |path: &dyn Fn(&NamedFunction<'p>) -> &'p [u8]| {
        let mut names: Vec<_> = same.iter().map(|named| basename(path(named))).collect();
        names.sort_unstable();
        names.windows(2).all(|two| two[0] != two[1])
    };
    let by_file = differ(&|named| profile.file(named.of.file));
    let by_object = !by_file && differ(&|named| profile.object(named.of.object));
    [!by_object, !by_file]
}

/// The file and line of a place; the line is 0 if it is unknown.
pub fn source_line(at: CodePlace) -> SourceLine {
    (at.file, at.line)
}
