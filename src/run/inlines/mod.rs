//! Inlined functions: reads the debug information of a profile's objects, and spells its names as
//! in the profile.

mod matches;
mod share;
mod spent;

use std::cell::OnceCell;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use hashbrown::{HashMap, HashSet};

use super::Context;
use super::addresses::no_addresses;
use super::base_sources::oldest;
use super::message::{Messages, display_name, display_path, display_paths};
use crate::demangle::demangle;
use crate::options::Options;
use crate::profile::{
    BASE, DivideBy, Measured, Profile, Sides, is_unknown_name, without_clones, without_suffixes,
};
use crate::program::{
    AddressTable, InlinedFunction, Inlines, Program, ProgramError, Statements, winners,
};
use crate::render::Contents;
use crate::source::{self, Finder, Found, basename};
use crate::transform::{
    CopiesAt, InlinedAs, InlinedCode, InlinedObjects, KeptPositions, add_inlined, divide_by_inlined,
};
use crate::view::Choice;
use matches::Matches;
pub(crate) use share::InlinedShare;
use spent::{ObjectCosts, SpentByObject};

/// The minimum cost whose lines are equal in the profile and in the object, in percent of the cost
/// with lines.
const MIN_EQUAL_PERCENT: i128 = 90;

/// Why the inlined functions of an object are unknown; none if it was not found, or has no debug
/// information, which the list says.
type Unknown = Option<String>;

/// The inlined code of an object, and what was spent in it.
type ReadCode = Result<(InlinedCode, Vec<i128>), Unknown>;

/// The inlined code that a part of a report needs, and by name the objects of which it is unknown.
type CodeOfPart<'n> = (InlinedObjects, Vec<(&'n [u8], Unknown)>);

/// The profile, read from files at `paths`, with inlined copies as functions; and their share.
pub(super) fn inline(
    profile: Profile,
    paths: &[PathBuf],
    finder: &Finder,
    options: &Options,
    has_sources: bool,
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
        reads_lines: false,
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
    let format = options.report.format();
    let added = if format.is_some_and(|format| format.content == Contents::Profile) {
        // The recorded costs, with the names of inlined functions.
        divide_by_inlined(profile, &objects.new).map(|profile| (profile, CopiesAt::default()))
    } else {
        let has_cycles = options.report.page().is_none_or(|page| page.list.cycles);
        let keeps = kept_positions(options, has_sources);
        let inlined_as = InlinedAs { named: by_name, keeps, has_cycles };
        add_inlined(profile, objects, inlined_as)
    };
    let (profile, copies_at) = added.with_context(|| display_paths(paths))?;
    share.copies_at = copies_at;
    Ok((profile, has_share.then_some(share)))
}

/// The positions that a report, which may have sources, needs in inlined copies. Limits compare the
/// lines of functions that seem to have lost their names, and a part of a profile is divided by
/// line.
fn kept_positions(options: &Options, has_sources: bool) -> KeptPositions {
    let needed = options.needs_of_functions();
    let is_by_line = !options.limits.is_empty() || !options.input.kept.is_empty();
    if needed.code {
        KeptPositions::Addresses
    } else if needed.lines || has_sources || is_by_line {
        KeptPositions::Lines
    } else {
        KeptPositions::LinesOfFunctions
    }
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
    /// Whether the lines with code and the statements are read, which reports of lines need.
    reads_lines: bool,
}

impl Objects<'_> {
    /// The inlined code of a side's objects, and its share of the cost.
    fn of_side(&self, side: &Measured, is_named: bool) -> Result<(InlinedObjects, InlinedShare)> {
        let (total, _) = side.total(self.profile.events());
        let mut share = InlinedShare::of(total);
        let mut found = InlinedObjects::new();
        if !side.has_addresses {
            if is_named {
                return Ok((found, share));
            }
            bail!("{}: {}", display_paths(self.paths), no_addresses(self.profile));
        }
        let mut is_warned = false;
        for (object, spent) in SpentByObject::new(self.profile, side, None).iter() {
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

    /// For each part of a report the inlined code of the objects that have some of its functions.
    fn of_functions<const PARTS: usize>(
        &self,
        side: &Measured,
        functions: [&[bool]; PARTS],
    ) -> [CodeOfPart<'_>; PARTS] {
        let spent = functions.map(|of_part| SpentByObject::new(self.profile, side, Some(of_part)));
        let mut parts = functions.map(|_| (InlinedObjects::new(), Vec::new()));
        for object in spent.first().into_iter().flat_map(SpentByObject::objects) {
            let spent_there = spent.each_ref().map(|of_part| of_part.get(object));
            let of_base = self.base_finder.as_ref().and_then(|_| self.profile.base_object(object));
            let name = self.profile.object(of_base.unwrap_or(object));
            for ((found, unknown), read) in parts.iter_mut().zip(self.read_parts(name, spent_there))
            {
                match read {
                    Some(Ok((code, _))) => found.insert(object, code),
                    Some(Err(why)) => unknown.push((name, why)),
                    None => {}
                }
            }
        }
        parts
    }

    /// The inlined code of an object.
    fn read(&self, name: &[u8], spent: ObjectCosts<'_>) -> ReadCode {
        let [read] = self.read_parts(name, [Some(spent)]);
        read.unwrap_or(Err(None))
    }

    /// The inlined code of an object for each part that anything was spent for. Its debug
    /// information is read once.
    fn read_parts<const PARTS: usize>(
        &self,
        name: &[u8],
        spent: [Option<ObjectCosts<'_>>; PARTS],
    ) -> [Option<ReadCode>; PARTS] {
        if spent.iter().all(Option::is_none) {
            return spent.map(|_| None);
        }
        let read = self.read_file(name, |inlines, file| {
            spent.map(|of_part| Some(self.look_up(name, file, inlines.of_same_object(), of_part?)))
        });
        read.unwrap_or_else(|why| spent.map(|of_part| of_part.map(|_| Err(why.clone()))))
    }

    /// Finds the file of an object, and calls `look_up` with its debug information.
    fn read_file<T>(
        &self,
        name: &[u8],
        look_up: impl FnOnce(&Inlines<'_>, &Found) -> T,
    ) -> Result<T, Unknown> {
        let below = self.base_finder.as_ref().and_then(|finder| finder.find_object_below(name));
        let file = below.or_else(|| self.finder.find_object(name)).ok_or(None)?;
        let unreadable = |error: ProgramError| Some(error.to_string());
        let path = source::path(&file.path);
        let program = Program::open(&path).map_err(unreadable)?;
        let sections = program.debug_sections().map_err(unreadable)?;
        if sections.is_empty() {
            return Err(None);
        }
        let inlines = Inlines::new(&sections, self.reads_lines).map_err(unreadable)?;
        Ok(look_up(&inlines, &file))
    }

    /// What is inlined at the addresses that anything was spent at.
    fn look_up(
        &self,
        name: &[u8],
        file: &Found,
        mut inlines: Inlines<'_>,
        spent: ObjectCosts<'_>,
    ) -> ReadCode {
        let unreadable = |error: ProgramError| Some(error.to_string());
        let addresses = spent.addresses();
        let places =
            addresses.iter().filter_map(|&address| Some((address, inlines.find(address)?)));
        let found = AddressTable::new(places);
        let has_hosts = found.values().any(|at| at.host.is_some());
        if inlines.is_damaged || !has_hosts && inlines.has_unreadable_unit() {
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
            let path = display_path(&source::path(&file.path));
            let paths = display_paths(self.paths);
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
        let counts_lines = self.reads_lines && self.options.code.counts;
        let lines = if counts_lines { lines_without_copies(&mut inlines) } else { HashSet::new() };
        let statements =
            if self.reads_lines { inlines.statements(&addresses) } else { Statements::default() };
        let code = self.spelled(inlines, matches, spent, found);
        Ok((InlinedCode { lines, statements, ..code }, inlined))
    }

    /// The manglings of the profile's names. Callgrind demangles the names that it can, unless
    /// --demangle=no.
    fn manglings(&self) -> &HashSet<Option<&'static str>> {
        self.manglings.get_or_init(|| self.profile.names().map(mangling).collect())
    }

    /// The inlined code of an object, with the names of files and functions as in the profile.
    fn spelled(
        &self,
        inlines: Inlines<'_>,
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
            statements: Statements::default(),
        }
    }
}

/// The lines that have code, but those at which a copy was inlined that ran: such a line ran,
/// though none of its own code did.
fn lines_without_copies(inlines: &mut Inlines<'_>) -> HashSet<(u32, u32)> {
    let mut lines = inlines.lines_with_code();
    for copy in inlines.instances.values() {
        copy.call_file.map(|file| lines.remove(&(file, copy.call_line)));
    }
    lines
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

impl Context<'_> {
    /// Reads what is inlined in the functions that have code in these sources, by the addresses of
    /// the profile.
    pub(super) fn code_of_sources(&self, choices: &[Choice]) -> CodeOfFunctions {
        self.code_of_functions(&self.functions_in(choices))
    }

    /// By function whether it has code in these sources.
    pub(super) fn functions_in(&self, choices: &[Choice]) -> Vec<bool> {
        let profile = self.profile;
        let mut is_chosen = vec![false; profile.file_count()];
        let found = choices.iter().filter(|choice| choice.lookup.found.is_some());
        found.filter_map(|choice| choice.file).for_each(|file| is_chosen[file.index()] = true);
        let mut has_code = vec![false; profile.function_count()];
        for fragment in profile.fragments() {
            has_code[fragment.function.index()] |= is_chosen[fragment.file.index()];
        }
        has_code
    }

    /// Reads what is inlined in the objects that have some of these functions, by the addresses of
    /// the profile.
    pub(super) fn code_of_functions(&self, is_wanted: &[bool]) -> CodeOfFunctions {
        let [code] = self.code_of_parts([is_wanted]);
        code
    }

    /// Reads what is inlined in the objects that have some of the functions of each part. The debug
    /// information of an object is read once for all parts. Of a difference both sides are known or
    /// none: what only one side would show is no change.
    pub(super) fn code_of_parts<const PARTS: usize>(
        &self,
        is_wanted: [&[bool]; PARTS],
    ) -> [CodeOfFunctions; PARTS] {
        let (profile, options, finder) = (self.profile, self.options, &self.input.finder);
        let mut unknown = is_wanted.map(|_| Vec::new());
        let mut is_one_sided = is_wanted.map(|_| false);
        let mut objects = profile.sides().as_ref().indexed().map(|(index, side)| {
            if !options.has_inlined_lines() && self.input.has_addresses {
                unknown.iter_mut().for_each(|of_part| of_part.push(UnknownLines::LeftOut));
                return is_wanted.map(|_| InlinedObjects::new());
            }
            if !options.has_inlined_lines() || !side.has_addresses {
                if !self.input.is_sampled {
                    unknown.iter_mut().for_each(|of_part| of_part.push(UnknownLines::NotRecorded));
                }
                is_one_sided = is_wanted.map(|_| true);
                return is_wanted.map(|_| InlinedObjects::new());
            }
            let (paths, base_finder) = if index == BASE {
                (&options.input.base, Some(finder.of_base(&options.input.base_folders)))
            } else {
                (&self.input.paths, None)
            };
            let messages = self.messages;
            let manglings = OnceCell::new();
            let objects = Objects {
                profile,
                options,
                messages,
                finder,
                paths,
                base_finder,
                manglings,
                reads_lines: true,
            };
            let mut part = 0;
            objects.of_functions(side, is_wanted).map(|(found, unknown_objects)| {
                is_one_sided[part] |= found.is_empty() && !unknown_objects.is_empty();
                unknown[part].extend(unknown_objects.into_iter().map(|(name, why)| {
                    let object = name.to_vec();
                    UnknownLines::OfObject { object, why }
                }));
                part += 1;
                found
            })
        });
        std::array::from_fn(|part| {
            let mut unknown = std::mem::take(&mut unknown[part]);
            unknown.dedup();
            let is_left_out = profile.is_difference() && is_one_sided[part];
            let of_part = objects.as_mut().map(|of_side| {
                let of_part = std::mem::take(&mut of_side[part]);
                if is_left_out { InlinedObjects::new() } else { of_part }
            });
            CodeOfFunctions { objects: of_part, unknown }
        })
    }

    /// Reads the copies of inlined functions whose executions are added up at a line, if they are
    /// no functions of the profile.
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
                UnknownLines::OfObject { object, .. } if is_unknown_name(object) => {
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
}
