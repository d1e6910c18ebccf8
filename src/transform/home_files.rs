//! The file of a function. Callgrind writes that of its first instruction, which may be inlined
//! code of a header: then the function is taken to be of that header, and of a library if the
//! header is the system's.
//!
//! A function whose definition is in the text of another file with code of it, and not in that of
//! its own, gets that file. Without the text nothing is known, and small functions are left alone.
//!
//! A function that would become one with another of its name and object keeps its file:
//! Callgrind has told the two apart, which are instances of a generic function, say.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use super::rename::{body_of_first_line, last_word, own_name};
use crate::profile::{
    FileId, Fragment, FunctionId, LimitExceeded, NewName, ObjectId, Presence, Profile,
};
use crate::source::{IndexedText, is_of_system, is_of_word, tokens};

/// The part of the total from which on a function is looked at: a thousandth.
const MIN_PARTS: i128 = 1000;

/// The maximum number of possible definitions of a name in a text that are looked at.
const MAX_DEFINITIONS: usize = 50;

/// The namespaces of standard libraries, whose definitions are in their own files.
const STANDARD: [&[u8]; 5] = [b"std", b"core", b"alloc", b"__gnu_cxx", b"__cxxabiv1"];

/// The functions of one name that are in one file, as the levels of recursion of a function are.
#[derive(Default)]
struct SameName {
    functions: Vec<FunctionId>,
    /// The self cost of the first event on all sides.
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
    let groups = several_files(&profile);
    // By file the names whose definitions are looked for in it.
    let mut words: HashMap<FileId, Vec<&[u8]>> = HashMap::new();
    for ((_, name), group) in &groups {
        for &of in group.lines.keys() {
            words.entry(of).or_default().extend(last_word(name));
        }
    }
    let mut texts: HashMap<FileId, Option<IndexedText>> = HashMap::new();
    let mut homes_of: Vec<FileId> = profile.functions().map(|(_, of)| of.file).collect();
    for (&(file, ref name), group) in &groups {
        let Some(word) = last_word(name) else {
            continue;
        };
        let mut is_defined_in = |of: FileId| {
            let known = texts.entry(of).or_insert_with(|| {
                let name = profile.file(of);
                let is_unknown = matches!(name, b"" | b"???") || is_of_system(name);
                let text = (!is_unknown).then(|| text(name)).flatten()?;
                Some(IndexedText::new(text, words.get(&of).map_or(&[], |words| words)))
            });
            let text = known.as_ref()?;
            Some(defines(text, profile.file(of), word, &group.lines[&of]))
        };
        let is_of_library = is_of_system(profile.file(file));
        let is_elsewhere =
            match group.lines.contains_key(&file).then(|| is_defined_in(file)).flatten() {
                Some(is_defined) => !is_defined,
                None => is_of_library && !is_standard(name),
            };
        if !is_elsewhere {
            continue;
        }
        let others = group.lines.keys().copied().filter(|&of| of != file);
        let mut homes = others.filter(|&of| is_defined_in(of) == Some(true));
        if let (Some(home), None) = (homes.next(), homes.next()) {
            for function in &group.functions {
                homes_of[function.index()] = home;
            }
        }
    }
    leave_distinct(&profile, &mut homes_of);
    let moved = profile.functions().zip(&homes_of).filter(|((_, of), home)| of.file != **home);
    let names: Vec<NewName> =
        moved.map(|((function, of), &file)| NewName { function, name: of.name, file }).collect();
    if names.is_empty() {
        return Ok(profile);
    }
    profile.with_names(&names)
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

/// The functions with code in several files, by file and name, but those with small costs.
fn several_files(profile: &Profile) -> BTreeMap<(FileId, Vec<u8>), SameName> {
    let mut is_in_several = vec![false; profile.function_count()];
    for fragment in profile.fragments() {
        let function = profile.function(fragment.function);
        is_in_several[fragment.function.index()] |= fragment.file != function.file;
    }
    if !is_in_several.contains(&true) {
        return BTreeMap::new();
    }
    let costs = first_costs(profile);
    let total: i128 = costs.iter().sum();
    let mut groups: BTreeMap<(FileId, Vec<u8>), SameName> = BTreeMap::new();
    let functions = profile.functions();
    for (id, function) in functions.filter(|(id, _)| is_in_several[id.index()]) {
        if !profile.is_inlined(id) {
            let key = (function.file, own_name(profile.name(function.name)));
            let group = groups.entry(key).or_default();
            group.functions.push(id);
            group.cost += costs[id.index()];
        }
    }
    groups.retain(|_, group| group.cost * MIN_PARTS >= total);
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
    groups
}

/// By function the self cost of the first event on all sides.
fn first_costs(profile: &Profile) -> Vec<i128> {
    let functions = profile.function_count();
    let by_function = |_, fragment: Fragment| Some(fragment.function.index());
    let mut costs = vec![0; functions];
    for table in profile.self_costs_by(functions, by_function).iter() {
        for (cost, of_side) in costs.iter_mut().zip(table.iter()) {
            let first = of_side.first().map_or(0, |count| i128::from(count.or_zero()));
            *cost += first.abs();
        }
    }
    costs
}

/// Whether a function is one of a standard library.
fn is_standard(name: &[u8]) -> bool {
    let mut path = tokens(name).take_while(|token| *token != b"(");
    path.any(|token| STANDARD.contains(&token))
}

/// Whether some definition of a name in a text has one of these lines, or any, if lines are not
/// known.
fn defines(text: &IndexedText, file: &[u8], word: &[u8], executed: &HashSet<u32>) -> bool {
    let known = || executed.iter().filter(|&&line| line > 0).map(|&line| line as usize);
    let last = known().max().unwrap_or(usize::MAX);
    let mut possible = text
        .lines_with(word)
        .filter(|(_, before)| may_define(before.trim_ascii(), file))
        .map(|(line, _)| line)
        .take_while(|&line| line < last)
        .take(MAX_DEFINITIONS);
    possible.any(|line| {
        let body = body_of_first_line(text.starting_at(line), file, word);
        body.is_some_and(|body| {
            let of_body = line + 1..=line + 1 + body.last as usize;
            last == usize::MAX || known().any(|at| of_body.contains(&at))
        })
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

    #[test]
    fn functions_of_standard_libraries() {
        let table = [
            ("void std::sort<A>(A, A)", true),
            ("core::iter::f", true),
            ("<a::B as core::iter::Iterator>::next", true),
            ("a::standard(std::string)", false),
            ("work", false),
        ];
        for (name, expected) in table {
            assert_eq!(is_standard(name.as_bytes()), expected, "{name}");
        }
    }
}
