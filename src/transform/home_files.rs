//! The file of a function. Callgrind writes that of its first instruction, which may be inlined
//! code of a header: then the function is taken to be of that header, and of a library if the
//! header is the system's.
//!
//! A function whose definition is in the text of another file with code of it, and not in that of
//! its own, gets that file, at the lines that were executed or, if a text was changed since then,
//! at any lines. Without the text nothing is known, and small functions are left alone.
//!
//! A function of Rust whose code is all inlined from libraries has none in the file of its
//! definition. If its crate is not a library, that file is one with code of its type or module: the
//! one whose text defines it or, if no text is found, the only one. In C++ anybody may add to a
//! namespace or a template of a library, so that a name does not tell whose a function is.
//!
//! A function that would become one with another of its name and object keeps its file:
//! Callgrind has told the two apart, which are instances of a generic function, say.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use hashbrown::{HashMap, HashSet};

mod scopes;

use self::scopes::{FilesOfScopes, is_standard};
use super::rename::{body_of_first_line, last_word, own_name};
use crate::profile::{
    Count, FileId, Fragment, FunctionId, LimitExceeded, NewName, ObjectId, Presence, Profile,
    is_unknown_name,
};
use crate::source::{IndexedText, is_foreign, is_no_file, is_of_system, is_of_word};

/// The part of the total from which on a function is looked at: a thousandth.
const MIN_PARTS: i128 = 1000;

/// The maximum number of possible definitions of a name in a text that are looked at.
const MAX_DEFINITIONS: usize = 50;

/// The functions of one name that are in one file, as the levels of recursion of a function are.
#[derive(Default)]
struct SameName {
    functions: Vec<FunctionId>,
    /// Whether all of their code is that of libraries, inlined into them if they are the user's.
    is_of_libraries: bool,
    /// The cost of the first event on all sides.
    cost: i128,
    /// By file its lines with costs or calls.
    lines: BTreeMap<FileId, HashSet<u32>>,
}

/// Functions by their file in the profile.
type FunctionsByFile = BTreeMap<FileId, Vec<FunctionId>>;

/// Gives functions the file that has their definition. `text` has the text of a file, if it is
/// found.
pub fn with_home_files(
    profile: Profile,
    text: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
) -> Result<Profile, LimitExceeded> {
    let names = moved(&profile, text);
    if names.is_empty() { Ok(profile) } else { profile.with_names(&names) }
}

/// The functions that are in another file than theirs.
fn moved(profile: &Profile, text: &dyn Fn(&[u8]) -> Option<Vec<u8>>) -> Vec<NewName> {
    let groups = possibly_elsewhere(profile);
    let without_own = groups.iter().filter(|(_, group)| group.is_of_libraries);
    let scopes = FilesOfScopes::new(profile, without_own.map(|((_, name), _)| &name[..]));
    // By file the names whose definitions are looked for in it.
    let mut words: HashMap<FileId, Vec<&[u8]>> = HashMap::new();
    for ((_, name), group) in &groups {
        let of_scopes = if group.is_of_libraries { scopes.of(name) } else { Vec::new() };
        for &of in group.lines.keys().chain(of_scopes.into_iter().flatten()) {
            words.entry(of).or_default().extend(last_word(name));
        }
    }
    let mut texts = Texts { profile, text, words, known: HashMap::new() };
    let mut homes_of: Vec<FileId> = profile.functions().map(|(_, of)| of.file).collect();
    for (&(file, ref name), group) in &groups {
        let home = if group.is_of_libraries {
            texts.home_in_scopes(name, &scopes.of(name))
        } else {
            texts.home_in_own_files(file, name, group)
        };
        if let Some(home) = home {
            for function in &group.functions {
                homes_of[function.index()] = home;
            }
        }
    }
    leave_distinct(profile, &mut homes_of);
    let moved = profile.functions().zip(&homes_of).filter(|((_, of), home)| of.file != **home);
    moved.map(|((function, of), &file)| NewName { function, name: of.name, file }).collect()
}

/// The texts in which definitions are looked for.
struct Texts<'a> {
    profile: &'a Profile,
    text: &'a dyn Fn(&[u8]) -> Option<Vec<u8>>,
    words: HashMap<FileId, Vec<&'a [u8]>>,
    known: HashMap<FileId, Option<IndexedText>>,
}

impl Texts<'_> {
    /// Whether a file defines a name, given the lines executed there; none if its text is not
    /// found.
    fn defines(&mut self, file: FileId, word: &[u8], executed: &HashSet<u32>) -> Option<bool> {
        let name = self.profile.file(file);
        let known = self.known.entry(file).or_insert_with(|| {
            let is_unknown = is_unknown_name(name) || is_of_system(name);
            let text = (!is_unknown).then(|| (self.text)(name)).flatten()?;
            Some(IndexedText::new(text, self.words.get(&file).map_or(&[], |words| words)))
        });
        Some(defines(known.as_ref()?, name, word, executed))
    }

    /// The other file with code of some functions that defines them, if their own does not.
    fn home_in_own_files(&mut self, file: FileId, name: &[u8], group: &SameName) -> Option<FileId> {
        let word = last_word(name)?;
        let is_defined = match group.lines.get(&file) {
            Some(lines) => self.defines(file, word, lines),
            None => None,
        };
        let is_elsewhere = match is_defined {
            Some(is_defined) => !is_defined,
            None => is_of_system(self.profile.file(file)) && !is_standard(name),
        };
        if !is_elsewhere {
            return None;
        }
        let any = HashSet::new();
        // Lines that no text has in a definition are those of another version of it.
        self.only_other(file, word, |file| &group.lines[&file], group).or_else(|| {
            let is_known = group.lines.contains_key(&file);
            let is_elsewhere = is_known && self.defines(file, word, &any) == Some(false);
            is_elsewhere.then(|| self.only_other(file, word, |_| &any, group)).flatten()
        })
    }

    /// The only file but one with code of some functions that defines them, given the lines that
    /// are executed in each.
    fn only_other<'l>(
        &mut self,
        file: FileId,
        word: &[u8],
        lines: impl Fn(FileId) -> &'l HashSet<u32>,
        group: &SameName,
    ) -> Option<FileId> {
        let others = group.lines.keys().copied().filter(|of| *of != file);
        let mut homes = others.filter(|&of| self.defines(of, word, lines(of)) == Some(true));
        let home = homes.next()?;
        homes.next().is_none().then_some(home)
    }

    /// The file of the innermost scope with a definition of a name. If no text of a scope is found,
    /// it is its only file.
    fn home_in_scopes(&mut self, name: &[u8], scopes: &[&BTreeSet<FileId>]) -> Option<FileId> {
        let word = last_word(name)?;
        for files in scopes {
            let any = HashSet::new();
            let found: Vec<(FileId, Option<bool>)> =
                files.iter().map(|&file| (file, self.defines(file, word, &any))).collect();
            let defining: Vec<FileId> = found
                .iter()
                .filter(|(_, defines)| *defines == Some(true))
                .map(|&(file, _)| file)
                .collect();
            match (&defining[..], &found[..]) {
                (&[home], _) | ([], &[(home, None)]) => return Some(home),
                ([], _) => {}
                _ => return None,
            }
        }
        None
    }
}

/// Gives functions their own file again, by function, if they would have that of another function
/// of the same object and name which is on the same side of the profile. All contexts and levels of
/// recursion of a function have one file.
pub fn leave_distinct(profile: &Profile, files: &mut [FileId]) {
    let moved: HashSet<(ObjectId, &[u8])> = profile
        .functions()
        .filter(|(id, function)| files[id.index()] != function.file)
        .map(|(id, _)| profile.without_context(id))
        .map(|(object, _, name)| (object, name))
        .collect();
    if moved.is_empty() {
        return;
    }
    let mut presence_of = vec![Presence::default(); profile.function_count()];
    for (place, presence) in profile.places_and_sites() {
        let of_function = &mut presence_of[profile.fragment(place.fragment).function.index()];
        *of_function = of_function.or(presence);
    }
    // Of each object and name the functions, by file in the profile.
    let mut named: HashMap<(ObjectId, &[u8]), FunctionsByFile> = HashMap::new();
    for (id, function) in profile.functions() {
        let (object, _, name) = profile.without_context(id);
        if moved.contains(&(object, name)) && !profile.is_inlined(id) {
            let of_name = named.entry((object, name)).or_default();
            of_name.entry(function.file).or_default().push(id);
        }
    }
    for of_name in named.values() {
        // By file the sides on which one function has it or would have it, and on which several.
        let mut sides: HashMap<FileId, [Presence; 2]> = HashMap::new();
        let presence = |functions: &[FunctionId]| {
            let of_functions = functions.iter().map(|function| presence_of[function.index()]);
            of_functions.fold(Presence::default(), Presence::or)
        };
        for (&file, functions) in of_name {
            let on = presence(functions);
            let homes = functions.iter().map(|function| files[function.index()]);
            for of in homes.chain([file]).collect::<HashSet<_>>() {
                let [one, several] = sides.entry(of).or_default();
                (*one, *several) = (one.or(on), several.or(one.and(on)));
            }
        }
        for (&file, functions) in of_name {
            let on = presence(functions);
            let is_met = functions.iter().any(|function| {
                let home = files[function.index()];
                home != file && sides[&home][1].and(on) != Presence::default()
            });
            if is_met {
                functions.iter().for_each(|function| files[function.index()] = file);
            }
        }
    }
}

/// The functions whose definition may be in another file than theirs, by file and name, but those
/// with small costs: functions with code in several files, and those with code of libraries alone.
fn possibly_elsewhere(profile: &Profile) -> BTreeMap<(FileId, Vec<u8>), SameName> {
    let is_of_library: Vec<bool> =
        profile.files().map(|name| is_foreign(name) && !is_no_file(name)).collect();
    let mut is_in_several = vec![false; profile.function_count()];
    let mut is_of_libraries: Vec<bool> =
        profile.functions().map(|(_, function)| is_of_library[function.file.index()]).collect();
    for fragment in profile.fragments() {
        let function = fragment.function.index();
        is_in_several[function] |= fragment.file != profile.function(fragment.function).file;
        is_of_libraries[function] &= is_of_library[fragment.file.index()];
    }
    let costs = first_costs(profile, &is_of_libraries);
    let total = costs.total;
    let mut groups: BTreeMap<(FileId, Vec<u8>), SameName> = BTreeMap::new();
    for (id, function) in profile.functions().filter(|(id, _)| !profile.is_inlined(*id)) {
        let cost = costs.of_functions[id.index()];
        let is_of_libraries = is_of_libraries[id.index()];
        if is_in_several[id.index()] || is_of_libraries && cost * MIN_PARTS >= total {
            let key = (function.file, own_name(profile.name(function.name)));
            let group = groups.entry(key).or_default();
            group.is_of_libraries =
                is_of_libraries && (group.functions.is_empty() || group.is_of_libraries);
            group.functions.push(id);
            group.cost += cost;
        }
    }
    groups.retain(|_, group| group.cost * MIN_PARTS >= total);
    add_lines(profile, &mut groups);
    groups
}

/// Adds to groups the lines of their functions.
fn add_lines(profile: &Profile, groups: &mut BTreeMap<(FileId, Vec<u8>), SameName>) {
    let mut of_function: Vec<Option<usize>> = vec![None; profile.function_count()];
    let mut kept: Vec<&mut SameName> = groups.values_mut().collect();
    for (number, group) in kept.iter().enumerate() {
        for function in &group.functions {
            of_function[function.index()] = Some(number);
        }
    }
    let sites = profile.calls.iter().map(|call| call.site);
    let mut last = None;
    for place in profile.places.iter().copied().chain(sites) {
        let fragment = profile.fragment(place.fragment);
        if let Some(number) = of_function[fragment.function.index()] {
            let line = profile.line(place);
            // Many instructions of a line follow one another.
            if last.replace((place.fragment, line)) != Some((place.fragment, line)) {
                kept[number].lines.entry(fragment.file).or_default().insert(line);
            }
        }
    }
}

/// The costs of the first event on all sides.
struct FirstCosts {
    /// Self costs; of functions with the code of libraries alone also the calls that they make.
    of_functions: Vec<i128>,
    /// All self costs.
    total: i128,
}

fn first_costs(profile: &Profile, are_with_calls: &[bool]) -> FirstCosts {
    let functions = profile.function_count();
    let by_function = |_, fragment: Fragment| Some(fragment.function.index());
    let first = |cost: &[Count]| cost.first().map_or(0, |count| i128::from(count.or_zero()).abs());
    let mut of_functions = vec![0; functions];
    for table in profile.self_costs_by(functions, by_function).iter() {
        for (cost, of_side) in of_functions.iter_mut().zip(table.iter()) {
            *cost += first(of_side);
        }
    }
    let total = of_functions.iter().sum();
    for side in profile.sides().iter() {
        for (call, _, cost) in profile.calls_of(side) {
            let caller = profile.fragment(call.site.fragment).function.index();
            if are_with_calls[caller] {
                of_functions[caller] += first(cost);
            }
        }
    }
    FirstCosts { of_functions, total }
}

/// Whether some definition of a name in a text has one of these lines, or any, if lines are not
/// known.
fn defines(text: &IndexedText, file: &[u8], word: &[u8], executed: &HashSet<u32>) -> bool {
    let known = || executed.iter().filter(|&&line| line > 0).map(|&line| line as usize);
    let last = known().max();
    let mut lines = definitions(text, file, word)
        .map(|(lines, _)| lines)
        .take_while(|lines| last.is_none_or(|last| *lines.start() <= last));
    lines.any(|lines| last.is_none() || known().any(|at| lines.contains(&at)))
}

/// The lines, from 1, of the definitions of a name in a text, each with what is before the name.
pub(super) fn definitions<'t>(
    text: &'t IndexedText,
    file: &'t [u8],
    word: &'t [u8],
) -> impl Iterator<Item = (RangeInclusive<usize>, &'t [u8])> {
    let possible =
        text.lines_with(word).filter(|(_, before)| may_define(before.trim_ascii(), file));
    possible.take(MAX_DEFINITIONS).filter_map(move |(line, before)| {
        let body = body_of_first_line(text.starting_at(line), file, word)?;
        Some((line + 1..=line + 1 + body.last as usize, before))
    })
}

/// Whether a definition may begin at a name, by what is before it in its line: most names are in
/// calls.
fn may_define(before: &[u8], file: &[u8]) -> bool {
    if file.ends_with(b".rs") {
        return before.ends_with(b"fn");
    }
    let ends_word = |last: &u8| is_of_word(last) || b"*&:~>".contains(last);
    before.last().is_none_or(ends_word) && !before.ends_with(b"->")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_with_executed_lines() {
        let text = "int f(int);\nint g(int a) {\n  return f(a);\n}\nstatic int\nf(int a)\n{\n  a++;\n  return a;\n}\n";
        let long = format!("int f(void) {{\n{}}}\n", "a();\n".repeat(2000));
        let table = [
            (text, "f", &[8][..], true),
            (text, "f", &[3], false),
            (text, "g", &[3], true),
            (text, "h", &[3], false),
            // Without lines any definition counts, but no prototype.
            (text, "f", &[0], true),
            ("int f(int);\n", "f", &[0], false),
            (&long, "f", &[1500], true),
            (&long, "f", &[2002], true),
            (&long, "f", &[2003], false),
        ];
        for (text, word, executed, expected) in table {
            let text = IndexedText::new(text.as_bytes().to_vec(), &[word.as_bytes()]);
            let lines = executed.iter().copied().collect();
            let is_defined = defines(&text, b"a.c", word.as_bytes(), &lines);
            assert_eq!(is_defined, expected, "{word} {executed:?}");
        }
    }
}
