//! Inlined functions: reads the debug information of a profile's objects, and spells its names as
//! in the profile.

use std::cell::OnceCell;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use hashbrown::{HashMap, HashSet};

use super::Context;
use super::addresses::no_addresses;
use super::base_sources::oldest;
use super::message::{Messages, and_more, display_name, display_path, display_paths};
use crate::demangle::demangle;
use crate::graph::Groups;
use crate::options::Options;
use crate::profile::{
    BASE, CodePlace, Count, DivideBy, FileId, FunctionId, Measured, ObjectId, Place, Profile,
    Sides, without_clones, without_suffixes,
};
use crate::program::{
    AddressTable, InlinedFunction, Inlines, Lines, Program, ProgramError, Votes, winners,
};
use crate::render::{Contents, in_words};
use crate::source::{self, Finder, basename};
use crate::transform::{
    CopiesAt, InlinedAs, InlinedCode, InlinedObjects, add_inlined, divide_by_inlined,
};
use crate::view::Choice;

/// The minimum cost whose lines are equal in the profile and in the object, in percent of the cost
/// with lines.
const MIN_EQUAL_PERCENT: i128 = 90;

/// The maximum number of objects without debug information that are named.
const MAX_NAMED: usize = 2;

/// NEW's cost by event, as it was read: all of it, the self cost in inlined copies, and that in
/// objects whose inlined functions are unknown.
#[derive(Debug, Default)]
pub(crate) struct InlinedShare {
    total: Vec<Count>,
    inlined: Vec<i128>,
    unknown: Vec<i128>,
    /// The objects without debug information, the most expensive first.
    without: Vec<(i128, Vec<u8>)>,
    pub(super) copies_at: CopiesAt,
}

struct CodeCost<'p> {
    at: CodePlace,
    cost: &'p [Count],
}

/// The instructions of an object that have costs or calls, and those that were called.
#[derive(Clone, Copy)]
struct ObjectCosts<'p> {
    profile: &'p Profile,
    side: &'p Measured,
    /// The numbers of the places with costs, of the calls from the object, and of those into it.
    places: &'p [u32],
    sites: &'p [u32],
    callees: &'p [u32],
}

/// What was executed of a side's code, by object.
struct SpentByObject<'p> {
    profile: &'p Profile,
    side: &'p Measured,
    places: Groups,
    sites: Groups,
    callees: Groups,
}

impl SpentByObject<'_> {
    /// The objects of which anything was executed.
    fn iter(&self) -> impl Iterator<Item = (ObjectId, ObjectCosts<'_>)> {
        let all = (0..self.places.len()).map(|number| {
            let spent = ObjectCosts {
                profile: self.profile,
                side: self.side,
                places: self.places.get(number),
                sites: self.sites.get(number),
                callees: self.callees.get(number),
            };
            (ObjectId(number as u32), spent)
        });
        all.filter(|(_, spent)| spent.iter().next().is_some())
    }
}

impl<'p> ObjectCosts<'p> {
    /// The addresses of all, sorted, each once.
    fn addresses(self) -> Vec<u64> {
        let ObjectCosts { profile, .. } = self;
        let places = self.places.iter().map(|&number| profile.places[number as usize]);
        let calls = |numbers: &'p [u32]| numbers.iter().map(|&at| profile.calls[at as usize]);
        let sites = calls(self.sites).map(|call| call.site);
        let mut addresses = profile.addresses(places.chain(sites).map(|place| place.position));
        addresses.extend(calls(self.callees).map(|call| profile.target(call).0));
        addresses.sort_unstable();
        addresses.dedup();
        addresses
    }

    fn iter(self) -> impl Iterator<Item = CodeCost<'p>> {
        let ObjectCosts { profile, side, .. } = self;
        let costs = self.places.iter().map(move |&number| {
            let place = profile.places[number as usize];
            CodeCost { at: profile.code_place(place), cost: side.costs.table.get(number as usize) }
        });
        let calls = |numbers: &'p [u32]| numbers.iter().map(|&at| profile.calls[at as usize]);
        let sites = calls(self.sites).map(move |call| profile.code_place(call.site));
        let callees = calls(self.callees).map(move |call| {
            let (address, line) = profile.target(call);
            CodePlace {
                function: call.callee,
                file: profile.function(call.callee).file,
                address,
                line,
                ..profile.code_place(call.site)
            }
        });
        costs.chain(sites.chain(callees).map(|at| CodeCost { at, cost: &[] }))
    }
}

/// The instructions of an object, and its debug information at their addresses.
type LookedUp<'a> = (ObjectCosts<'a>, &'a AddressTable);

/// Why the inlined functions of an object are unknown; none if it was not found, or has no debug
/// information, which the list says.
type Unknown = Option<String>;

/// The profile, read from files at `paths`, with inlined copies as functions; and their share.
pub(super) fn inline(
    profile: Profile,
    paths: &[PathBuf],
    finder: &Finder,
    options: &Options,
    messages: &Messages,
) -> Result<(Profile, Option<InlinedShare>)> {
    if !options.input.inlines {
        return Ok((profile, None));
    }
    // Whether the profile itself names inlined functions, and the report uses these names.
    let by_name = options.needs().divide_by == DivideBy::Inlined;
    let mut fragments = profile.fragments().iter();
    let is_named = by_name && fragments.any(|fragment| fragment.division.inlined().is_some());
    let of_new = Objects {
        profile: &profile,
        options,
        messages,
        finder,
        paths,
        base_finder: None,
        manglings: OnceCell::new(),
    };
    let (new, mut share) = of_new.of_side(&profile.sides().new, is_named)?;
    let input = &options.input;
    let paths_before = std::iter::once(&input.base).chain(&input.earlier);
    let mut before = profile.sides().iter().skip(1).zip(paths_before).map(|(side, paths)| {
        let of_side = Objects {
            paths,
            base_finder: Some(finder.of_base(&input.base_folders)),
            manglings: of_new.manglings.clone(),
            ..of_new
        };
        Ok(of_side.of_side(side, is_named)?.0)
    });
    let base = before.next().transpose()?;
    let objects = Sides { new, base, earlier: before.collect::<Result<_>>()? };
    let has_share = !share.inlined.is_empty() || !share.unknown.is_empty();
    let keeps_addresses = options.needs_of_functions().code;
    let format = options.report.format();
    let added = if format.is_some_and(|format| format.content == Contents::Profile) {
        // The recorded costs, with the names of inlined functions.
        divide_by_inlined(profile, &objects.new).map(|profile| (profile, CopiesAt::default()))
    } else {
        let has_cycles = options.report.page().is_none_or(|page| page.list.cycles);
        let inlined_as = InlinedAs { named: by_name, keeps_addresses, has_cycles };
        add_inlined(profile, objects, inlined_as)
    };
    let (profile, copies_at) = added.with_context(|| display_paths(paths))?;
    share.copies_at = copies_at;
    Ok((profile, has_share.then_some(share)))
}

/// The inlined code of the objects that have some functions.
pub(super) struct CodeOfFunctions {
    pub(super) objects: Sides<InlinedObjects>,
    /// Why the lines of some inlined code are unknown.
    pub(super) unknown: Vec<UnknownLines>,
}

/// Why the lines of inlined code are unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum UnknownLines {
    /// The profile has no addresses.
    NotRecorded,
    /// Options make other functions of the inlined ones.
    LeftOut,
    /// What the debug information of an object lacks; `why` is none if it has none.
    OfObject { object: Vec<u8>, why: Option<String> },
}

struct Objects<'a> {
    profile: &'a Profile,
    options: &'a Options,
    messages: &'a Messages,
    finder: &'a Finder,
    /// The profiles of the side.
    paths: &'a [PathBuf],
    /// For BASE: searches its folders first.
    base_finder: Option<Finder>,
    /// The manglings of the profile's names.
    manglings: OnceCell<HashSet<Option<&'static str>>>,
}

impl Objects<'_> {
    /// The inlined code of a side's objects, and its share of the cost.
    fn of_side(&self, side: &Measured, is_named: bool) -> Result<(InlinedObjects, InlinedShare)> {
        let (total, _) = side.total(self.profile.events());
        let mut share = InlinedShare { total, ..InlinedShare::default() };
        let mut found = InlinedObjects::new();
        if !side.has_addresses {
            if is_named {
                return Ok((found, share));
            }
            bail!("{}: {}", display_paths(self.paths), no_addresses(self.profile));
        }
        let mut is_warned = false;
        for (object, spent) in self.by_object(side, None).iter() {
            let name = self.profile.object(object);
            match self.read(name, spent) {
                Ok((code, inlined)) => {
                    share.add_known(&inlined);
                    found.insert(object, code);
                }
                Err(_) if is_named && share.add_named(spent) => {}
                Err(why) => {
                    share.add_unknown(spent, name);
                    if let Some(why) = why {
                        is_warned = true;
                        let object = display_name(name);
                        let text = format!("{object}: {why}; inlined functions are unknown");
                        self.messages.warn(text);
                    }
                }
            }
        }
        let is_any_known = !found.is_empty() || !share.inlined.is_empty();
        if !is_any_known && !share.unknown.is_empty() && !is_warned {
            let paths = display_paths(self.paths);
            self.messages.warn(format_args!(
                "{paths}: no object has debug information; inlined functions are unknown"
            ));
        }
        Ok((found, share))
    }

    /// The inlined code of the objects that have some of these functions, and by name the objects
    /// of which it is unknown.
    fn of_functions(
        &self,
        side: &Measured,
        functions: &[bool],
    ) -> (InlinedObjects, Vec<(&[u8], Unknown)>) {
        let (mut found, mut unknown) = (InlinedObjects::new(), Vec::new());
        for (object, spent) in self.by_object(side, Some(functions)).iter() {
            let of_base = self.base_finder.as_ref().and_then(|_| self.profile.base_object(object));
            let name = self.profile.object(of_base.unwrap_or(object));
            match self.read(name, spent) {
                Ok((code, _)) => found.insert(object, code),
                Err(why) => unknown.push((name, why)),
            }
        }
        (found, unknown)
    }

    /// What was executed of each object: of all functions and what was called in them, or only of
    /// `functions`.
    fn by_object<'s>(
        &'s self,
        side: &'s Measured,
        functions: Option<&[bool]>,
    ) -> SpentByObject<'s> {
        let profile = self.profile;
        let count =
            profile.functions().map(|(_, function)| function.object.index() + 1).max().unwrap_or(0);
        let object = |function: FunctionId| {
            let is_chosen = functions.is_none_or(|functions| functions[function.index()]);
            is_chosen.then(|| profile.function(function).object.index())
        };
        let of_place = |place: Place| object(profile.fragment(place.fragment).function);
        let places = profile
            .places
            .iter()
            .enumerate()
            .map(|(row, &place)| if side.costs.has(row) { of_place(place) } else { None });
        let calls =
            (0..).zip(&profile.calls).map(|(row, &call)| side.calls.has(row).then_some(call));
        let sites = calls.clone().map(|call| of_place(call?.site));
        let callees = calls.map(|call| object(call?.callee).filter(|_| functions.is_none()));
        SpentByObject {
            profile,
            side,
            places: Groups::new(count, places),
            sites: Groups::new(count, sites),
            callees: Groups::new(count, callees),
        }
    }

    /// The inlined code of an object, and what was spent in it.
    fn read(
        &self,
        name: &[u8],
        spent: ObjectCosts<'_>,
    ) -> Result<(InlinedCode, Vec<i128>), Unknown> {
        let below = self.base_finder.as_ref().and_then(|finder| finder.find_object_below(name));
        let file = below.or_else(|| self.finder.find_object(name)).ok_or(None)?;
        let unreadable = |error: ProgramError| Some(error.to_string());
        let path = source::path(&file.path);
        let program = Program::open(&path).map_err(unreadable)?;
        let sections = program.debug_sections().map_err(unreadable)?;
        if sections.is_empty() {
            return Err(None);
        }
        let lines = sections.lines().map_err(unreadable)?;
        let mut inlines = Inlines::new(&lines).map_err(unreadable)?;
        let places = spent
            .addresses()
            .into_iter()
            .filter_map(|address| Some((address, inlines.find(address)?)));
        let found = AddressTable::new(places);
        let has_hosts = found.values().any(|at| at.host.is_some());
        if lines.is_damaged.get() || !has_hosts && lines.has_unreadable_unit() {
            let text = "the debug information cannot be read".to_owned();
            return Err(unreadable(ProgramError::Damaged(text)));
        }
        if inlines.is_split {
            let why = "debug information is in other files (.dwo, dwz -m), which are not read";
            return Err(Some(why.to_owned()));
        }
        if !has_hosts {
            return Err(inlines.is_too_deep.then(|| ProgramError::TooDeep.to_string()));
        }
        let manglings = self.manglings();
        inlines.name_as_in_source(|function| is_unreadable(function, manglings));
        let matches = Matches::new(self.profile, (spent, &found), &inlines);
        let share = matches.equal_percent();
        if let Some(percent) = share.filter(|&percent| percent < MIN_EQUAL_PERCENT) {
            let event = display_name(self.profile.events().name(0));
            return Err(Some(format!(
                "is not the profiled one, or --gc-sections left wrong lines in it ({percent}% of {event} has the same lines)"
            )));
        }
        if share.is_none() && file.is_newer(oldest(self.paths)) {
            let (path, paths) = (display_path(&path), display_paths(self.paths));
            let text = format!("{path}: newer than {paths}");
            self.messages.warn(text);
        }
        let object = display_name(name);
        if inlines.is_too_deep {
            let why = ProgramError::TooDeep;
            self.messages.warn(format!("{object}: {why}; inlined functions there are unknown"));
        }
        if inlines.has_circle {
            self.messages.warn(format!(
                "{object}: its debug information is damaged; functions without a name are ???"
            ));
        }
        let inlined = matches.inlined.clone();
        let lines = if self.options.code.counts {
            lines_with_code(&lines, &inlines)
        } else {
            HashSet::new()
        };
        Ok((InlinedCode { lines, ..self.spelled(inlines, matches, spent, found) }, inlined))
    }

    /// The manglings of the profile's names. Callgrind demangles the names that it can, unless
    /// --demangle=no.
    fn manglings(&self) -> &HashSet<Option<&'static str>> {
        self.manglings.get_or_init(|| self.profile.names().map(mangling).collect())
    }

    /// The inlined code of an object, with the names of files and functions as in the profile.
    fn spelled(
        &self,
        inlines: Inlines<'_, '_>,
        matches: Matches,
        spent: ObjectCosts<'_>,
        found: AddressTable,
    ) -> InlinedCode {
        let (profile, read) = (self.profile, &self.options.input.read);
        let manglings = self.manglings();
        let files = winners(&matches.of_file, inlines.files.len(), |file| profile.file(file));
        let files: Vec<_> = inlines
            .files
            .iter()
            .zip(files)
            .map(|(own, file)| match file {
                Some(file) => file.to_vec(),
                None => read.file_name(own.as_bytes()).into_owned(),
            })
            .collect();
        let real = winners(&matches.of_function, inlines.functions.len(), |function| {
            let function = profile.function(function);
            let name = without_clones(without_suffixes(profile.name(function.name)));
            (profile.file(function.file), name)
        });
        let declared = inlines.files_of_functions();
        let functions = inlines.functions.values().zip(real).zip(declared.clone()).map(
            |((function, real), declared)| {
                if let Some((file, name)) = real {
                    return (file.to_vec(), name.to_vec());
                }
                let file = declared.map_or(&b"???"[..], |file| &files[file as usize]);
                let name = function.name.as_bytes();
                let readable = demangle(name);
                let is_readable = function.is_symbol
                    && (!manglings.contains(&mangling(name))
                        || profile.find_name(&readable).is_some());
                let name = if is_readable { &readable } else { name };
                (file.to_vec(), read.function_name(name).into_owned())
            },
        );
        let functions: Vec<_> = functions.collect();
        InlinedCode {
            names: first_with_name(&functions),
            functions,
            declared,
            files,
            instances: matches.instances(&inlines, (spent, &found)),
            copies: inlines.instances.into_values().collect(),
            at: found,
            lines: HashSet::new(),
        }
    }
}

/// What one pass over the instructions of an object tells about its debug information.
#[derive(Default)]
struct Matches {
    /// The cost with lines, and the part of it whose lines are equal in the object.
    with_lines: i128,
    equal: i128,
    /// For each file and function of the object, the number of addresses that have each of the
    /// profile's there.
    of_file: Votes<FileId>,
    of_function: Votes<FunctionId>,
    /// The functions of the profile that are several functions in the debug information.
    several: HashSet<FunctionId>,
    /// What was spent in inlined copies, by event.
    inlined: Vec<i128>,
}

impl Matches {
    fn new(profile: &Profile, (spent, found): LookedUp<'_>, inlines: &Inlines<'_, '_>) -> Matches {
        let is_known: Vec<bool> =
            profile.files().map(|file| !matches!(file, b"" | b"???")).collect();
        let mut matches = Matches::default();
        let mut first: HashMap<FunctionId, u32> = HashMap::new();
        let mut last = None;
        for CodeCost { at, cost } in spent.iter() {
            let known = found.get(at.address);
            let has_line = at.line > 0;
            let is_equal = has_line && known.is_some_and(|known| known.line == at.line);
            let count = cost.first().map_or(0, |count| i128::from(count.or_zero()).abs());
            if has_line {
                matches.with_lines += count;
            }
            if is_equal {
                matches.equal += count;
            }
            let Some(known) = known else {
                continue;
            };
            if let Some(file) = known.file
                && is_equal
                && is_known[at.file.index()]
            {
                matches.of_file.add(file, at.file);
            }
            if known.instance.is_some() {
                add(&mut matches.inlined, cost);
            }
            let Some(host) = known.host else {
                continue;
            };
            matches.of_function.add(host, at.function);
            // Most instructions follow one of the same function.
            let is_new = last.replace((at.function, host)) != Some((at.function, host));
            if is_new
                && inlines.functions[host as usize].is_symbol
                && *first.entry(at.function).or_insert(host) != host
            {
                matches.several.insert(at.function);
            }
        }
        matches
    }

    /// The share of the cost with lines whose lines are equal in the object, in percent; none
    /// without lines.
    fn equal_percent(&self) -> Option<i128> {
        (self.with_lines > 0).then(|| self.equal * 100 / self.with_lines)
    }

    /// By address, its function's number in the debug information, if a function of the profile is
    /// several functions there.
    fn instances(
        &self,
        inlines: &Inlines<'_, '_>,
        (spent, found): LookedUp<'_>,
    ) -> HashMap<u64, u32> {
        if self.several.is_empty() {
            return HashMap::new();
        }
        let all = spent.iter().filter_map(|CodeCost { at, .. }| {
            let host = found.get(at.address)?.host?;
            let is_one =
                self.several.contains(&at.function) && inlines.functions[host as usize].is_symbol;
            is_one.then_some((at.address, host))
        });
        all.collect()
    }
}

/// The files that code was executed of, and their lines that have code.
fn lines_with_code(lines: &Lines<'_>, inlines: &Inlines<'_, '_>) -> HashSet<(u32, u32)> {
    let mut known = HashSet::new();
    lines.each_line(|file, line| {
        if let Some(file) = inlines.files.get_index_of(file) {
            known.insert((file as u32, line));
        }
    });
    known
}

/// For each function, behind its file, the number of the first one with its name.
fn first_with_name(functions: &[(Vec<u8>, Vec<u8>)]) -> Vec<u32> {
    let mut first: HashMap<&[u8], u32> = HashMap::new();
    let named = (0..).zip(functions);
    named.map(|(number, (_, name))| *first.entry(name).or_insert(number)).collect()
}

/// Whether a linker name is of a mangling that the profile's names do not have, and cannot be
/// demangled.
fn is_unreadable(function: &InlinedFunction, manglings: &HashSet<Option<&'static str>>) -> bool {
    let name = function.name.as_bytes();
    let of_name = mangling(name);
    let is_kept = || demangle(name)[..] == *name;
    function.is_symbol && of_name.is_some() && !manglings.contains(&of_name) && is_kept()
}

/// The mangling of a name: C++, or one of the two of Rust.
fn mangling(name: &[u8]) -> Option<&'static str> {
    let hash = name.strip_suffix(b"E").and_then(|name| name.split_last_chunk::<19>());
    let is_rust = hash.is_some_and(|(_, hash)| hash.starts_with(b"17h"));
    match name {
        [b'_', b'R', ..] => Some("v0"),
        [b'_', b'Z', ..] if is_rust => Some("legacy"),
        [b'_', b'Z', ..] => Some("C++"),
        _ => None,
    }
}

impl InlinedShare {
    fn add_known(&mut self, inlined: &[i128]) {
        self.inlined.resize(self.inlined.len().max(inlined.len()), 0);
        let pairs = self.inlined.iter_mut().zip(inlined);
        pairs.for_each(|(sum, count)| *sum += count);
    }

    /// Adds the cost of an object whose inlined functions the profile itself names; false if it
    /// names none there.
    fn add_named(&mut self, spent: ObjectCosts<'_>) -> bool {
        let is_inlined = |spent: &CodeCost<'_>| spent.at.division.inlined().is_some();
        let mut inlined = spent.iter().filter(is_inlined).peekable();
        let is_any = inlined.peek().is_some();
        inlined.for_each(|spent| add(&mut self.inlined, spent.cost));
        is_any
    }

    fn add_unknown(&mut self, spent: ObjectCosts<'_>, object: &[u8]) {
        let costs = || spent.iter().map(|spent| spent.cost);
        costs().for_each(|cost| add(&mut self.unknown, cost));
        let costs = costs().filter_map(<[Count]>::first);
        let cost: i128 = costs.map(|count| i128::from(count.or_zero())).sum();
        if cost != 0 && !matches!(object, b"" | b"???") {
            self.without.push((-cost, basename(object).to_vec()));
            self.without.sort();
        }
    }
}

fn add(sum: &mut Vec<i128>, cost: &[Count]) {
    sum.resize(sum.len().max(cost.len()), 0);
    let pairs = sum.iter_mut().zip(cost);
    pairs.for_each(|(sum, count)| *sum += i128::from(count.or_zero()));
}

impl Context<'_> {
    /// Reads what is inlined in the functions that have code in these sources, by the addresses of
    /// the profile.
    pub(super) fn code_of_sources(&self, choices: &[Choice]) -> CodeOfFunctions {
        let profile = self.profile;
        let mut is_chosen = vec![false; profile.file_count()];
        let found = choices.iter().filter(|choice| choice.lookup.found.is_some());
        found.filter_map(|choice| choice.file).for_each(|file| is_chosen[file.index()] = true);
        let mut has_code = vec![false; profile.function_count()];
        for fragment in profile.fragments() {
            has_code[fragment.function.index()] |= is_chosen[fragment.file.index()];
        }
        self.code_of_functions(&has_code)
    }

    /// Reads what is inlined in the objects that have some of these functions, by the addresses of
    /// the profile.
    pub(super) fn code_of_functions(&self, is_wanted: &[bool]) -> CodeOfFunctions {
        let (profile, options, finder) = (self.profile, self.options, &self.input.finder);
        let mut unknown: Vec<UnknownLines> = Vec::new();
        let objects = profile.sides().as_ref().indexed().map(|(index, side)| {
            if !options.has_inlined_lines() && self.input.has_addresses {
                unknown.push(UnknownLines::LeftOut);
                return InlinedObjects::new();
            }
            if !options.has_inlined_lines() || !side.has_addresses {
                if !self.input.is_sampled {
                    unknown.push(UnknownLines::NotRecorded);
                }
                return InlinedObjects::new();
            }
            let (paths, base_finder) = if index == BASE {
                (&options.input.base, Some(finder.of_base(&options.input.base_folders)))
            } else {
                (&self.input.paths, None)
            };
            let messages = self.messages;
            let manglings = OnceCell::new();
            let objects =
                Objects { profile, options, messages, finder, paths, base_finder, manglings };
            let (found, unknown_objects) = objects.of_functions(side, is_wanted);
            unknown.extend(unknown_objects.into_iter().map(|(name, why)| {
                let object = name.to_vec();
                UnknownLines::OfObject { object, why }
            }));
            found
        });
        unknown.dedup();
        CodeOfFunctions { objects, unknown }
    }

    /// Reads the copies of inlined functions whose executions are added up at a line, if they are no
    /// functions of the profile.
    pub(crate) fn copies_of_lines(&self) -> InlinedObjects {
        if !self.options.has_inlined_lines() {
            return InlinedObjects::new();
        }
        self.code_of_functions(&vec![true; self.profile.function_count()]).objects.new
    }

    /// Why the lines of inlined code are unknown, in a few words; empty if all are known, or a
    /// command that records them says it.
    pub(super) fn why_lines_are_unknown(&self, unknown: &[UnknownLines]) -> String {
        let mut reasons: Vec<String> = unknown
            .iter()
            .filter_map(|unknown| match unknown {
                UnknownLines::NotRecorded if self.command_to_record().is_some() => None,
                UnknownLines::NotRecorded if self.profile.is_from_cachegrind() => {
                    Some("Cachegrind does not record where".to_owned())
                }
                UnknownLines::NotRecorded => Some("lines: record with --dump-instr=yes".to_owned()),
                UnknownLines::LeftOut => Some("lines: --inlines".to_owned()),
                UnknownLines::OfObject { object, .. } if matches!(&object[..], b"" | b"???") => {
                    Some("their object is unknown".to_owned())
                }
                UnknownLines::OfObject { object, why } => {
                    let why = why.as_deref().unwrap_or("no debug information");
                    Some(format!("{}: {why}", display_name(basename(object))))
                }
            })
            .collect();
        reasons.dedup();
        reasons.join("; ")
    }

    pub(super) fn write_inlined_share(&self, out: &mut impl Write) -> Result<()> {
        let (Some(share), Some(event)) = (&self.input.inlined, self.selection.first()) else {
            return Ok(());
        };
        let total = share.total.get(event).map_or(0, |count| count.or_zero());
        let percent = |counts: &[i128]| {
            let count = counts.get(event).copied().unwrap_or(0);
            format!("{:.1}%", count as f64 * 100.0 / (total as f64).max(1.0))
        };
        let name = display_name(self.profile.events().name(event));
        let mut text = format!("inlined functions: {} of {name}", percent(&share.inlined));
        let unknown = percent(&share.unknown);
        if !share.without.is_empty() && unknown != "0.0%" {
            text.push_str(&format!("; no debug information for {unknown}"));
            let named: Vec<_> =
                share.without.iter().take(MAX_NAMED).map(|(_, name)| display_name(name)).collect();
            let more = and_more(share.without.len() - named.len());
            text.push_str(&format!(" ({}{more})", named.join(", ")));
        }
        let width = self.style().width.unwrap_or(usize::MAX);
        Ok(writeln!(out, "{}\n", in_words(&text, width).join("\n"))?)
    }
}
