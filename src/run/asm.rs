//! The instructions of functions: finds and disassembles their objects, then makes a page of each
//! function.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use anyhow::Result;
use hashbrown::{HashMap, HashSet};

use super::Context;
use super::addresses::no_addresses;
use super::base_sources::oldest;
use super::events::EXECUTIONS;
use super::message::{display_name, display_path, display_paths};
use crate::profile::{Call, FunctionId, NameKind, ObjectId, is_unknown_name};
use crate::render::{AsmPage, Report, with_commas};
use crate::source::{self, ObjdumpError, ObjectCode};
use crate::view::SourceTexts;
use crate::view::asm::{
    AsmObject, AsmOptions, InstructionPage, Instructions, NoCode, SourceLine, readable_text,
};
use crate::view::{List, RowId, Rows, Subject};

const NO_EXECUTIONS: &str =
    "without Ir the profile does not say how often instructions were executed";

/// The functions whose instructions are shown.
struct ShownFunctions {
    /// The most expensive first.
    functions: Vec<FunctionId>,
    /// Those for which there is no room, with the numbers of their instructions.
    left_out: Vec<(FunctionId, usize)>,
    /// By function, whether it is a requested inlined copy, or in one.
    is_copy: Vec<bool>,
    /// The functions with requested copies, of which only these copies are shown.
    holders: BTreeSet<FunctionId>,
}

impl Context<'_> {
    /// The instructions of the profile, if the report shows them, or executions and jumps.
    pub(super) fn instructions(&self) -> Result<Option<Instructions<'_>>> {
        let options = &self.options.code;
        if !options.is_shown() {
            return Ok(None);
        }
        let profile = self.profile;
        self.check_instructions()?;
        if options.of_rows.is_some() {
            return Ok(None);
        }
        Ok(Some(Instructions::new(profile, self.input.copies_at())))
    }

    /// Checks that the profile has what is requested. Of executions and jumps one is enough.
    fn check_instructions(&self) -> Result<()> {
        let (options, profile) = (&self.options.code, self.profile);
        let has_addresses = profile.sides().new.has_addresses;
        let has_hits = profile.events().find(EXECUTIONS).is_some();
        if options.counts && !has_addresses && has_hits && profile.name_kind() == NameKind::Other {
            let text = "the event hits counts how often lines were executed: -g line --show=hits";
            return Err(self.error(text));
        }
        if options.needs_addresses() && !has_addresses {
            return Err(self.error(no_addresses(profile)));
        }
        let why = || {
            if has_addresses { NO_EXECUTIONS.to_owned() } else { no_addresses(profile) }
        };
        let has_executions = has_addresses && profile.events().find(b"Ir").is_some();
        if !options.counts || has_executions {
            return Ok(());
        }
        // The jumps of instructions are shown without the option, too.
        if options.asm.is_some() || profile.jumps.is_empty() {
            return Err(self.error(why()));
        }
        self.messages.note(format!("only jumps are shown: {}", why()));
        Ok(())
    }

    /// Makes the page of each function, the most expensive first, and has `write` write it. Returns
    /// the functions for which there is no room, with the numbers of their instructions.
    pub(super) fn for_each_asm_page(
        &self,
        asm: &AsmOptions,
        instructions: &Instructions<'_>,
        report: &Report<'_, '_>,
        mut write: impl FnMut(&AsmPage<'_>) -> io::Result<()>,
    ) -> Result<Vec<(FunctionId, usize)>> {
        let profile = self.profile;
        let lines = self.given_lines();
        let shown = self.shown_functions(asm, instructions, report, &lines)?;
        let functions = || shown.functions.iter().copied();
        let mut recorded: BTreeMap<ObjectId, Vec<u64>> = BTreeMap::new();
        for function in functions() {
            let of_object = recorded.entry(profile.function(function).object).or_default();
            of_object.extend(instructions.addresses(function));
        }
        let objects = self.objects(asm, recorded, asm.max_instructions.is_none())?;
        let shown_lines = functions().flat_map(|function| instructions.lines(function));
        let sources = SourceTexts::read(profile, &self.input.finder, shown_lines);
        let event = self.selection.order.first().copied().unwrap_or(0);
        let graphs = self.graphs_of_functions();
        for id in functions() {
            let object = &objects[&profile.function(id).object];
            let is_shown =
                |of: FunctionId| shown.is_copy[of.index()] || !shown.holders.contains(&id);
            let is_recursive = |call: Call| graphs.new.is_repeated(call);
            let function = instructions.of(id, is_shown, is_recursive);
            let is_of_other = instructions.of_others(id);
            let code = object.code.as_ref().ok();
            let page = InstructionPage::new(&function, code, asm, event, &lines, is_of_other);
            write(&AsmPage {
                profile,
                function: &function,
                object,
                page: &page,
                sources: &sources,
                counts: self.options.code.counts,
                demangles: self.options.rows.demangles,
            })?;
        }
        Ok(shown.left_out)
    }

    /// The functions that have pages: the chosen ones, and those with requested copies.
    fn shown_functions(
        &self,
        asm: &AsmOptions,
        instructions: &Instructions<'_>,
        report: &Report<'_, '_>,
        lines: &HashSet<SourceLine>,
    ) -> Result<ShownFunctions> {
        let (profile, filter) = (self.profile, &self.options.rows.filter);
        let mut functions =
            asm.choose(instructions, filter, &report.rows, &report.list, &self.selection, lines);
        if functions.is_empty() && !lines.is_empty() {
            return Err(self.error("the given lines have no instructions that were executed"));
        }
        let is_copy = self.requested_copies(asm, report);
        let copies = profile.functions().filter(|(id, _)| is_copy[id.index()]);
        let holders: BTreeSet<_> = copies.map(|(id, _)| profile.host(id)).collect();
        functions.extend(&holders);
        let mut left_out = Vec::new();
        if let Some(mut left) = asm.max_instructions {
            let first = functions.first().copied();
            // The code of libraries is looked for less often than one's own.
            if let (Some((_, others)), Some(is_foreign)) =
                (functions.split_first_mut(), self.foreign_functions())
            {
                others.sort_by_key(|function| is_foreign[function.index()]);
            }
            functions.retain(|&function| {
                let count = instructions.addresses(function).count();
                // An interpreter's loop has more than all, and is what its reader looks for.
                let most = if first == Some(function) { left.max(MAX_OF_FIRST) } else { left };
                let fits = count <= most;
                if fits {
                    left = left.saturating_sub(count);
                } else {
                    left_out.push((function, count));
                }
                fits
            });
        }
        if functions.is_empty() && asm.functions.is_some() {
            return Err(self.error("no function matches both --asm and the filters"));
        }
        if functions.is_empty() && asm.max_instructions.is_none() {
            self.messages.note("no instruction of the listed functions was executed");
        }
        Ok(ShownFunctions { functions, left_out, is_copy, holders })
    }

    /// The lines of sources that the command line names.
    fn given_lines(&self) -> HashSet<SourceLine> {
        let sources = self.input.lines.iter();
        let of_files =
            sources.filter_map(|(name, lines)| Some((self.profile.find_file(name)?, lines)));
        of_files.flat_map(|(file, lines)| lines.iter().map(move |&line| (file, line))).collect()
    }

    /// By function, whether it is a requested inlined copy, or in one, in a function that is not
    /// requested.
    fn requested_copies(&self, asm: &AsmOptions, report: &Report<'_, '_>) -> Vec<bool> {
        let profile = self.profile;
        if !profile.has_inlined() {
            return vec![false; profile.function_count()];
        }
        let is_requested = self.requested_functions(asm, report);
        let is_copy = profile.functions().map(|(id, _)| {
            let into = |&of: &FunctionId| profile.inlined_into(of);
            let mut around = std::iter::successors(Some(id), into);
            let is_in_other = !is_requested[profile.host(id).index()];
            is_in_other && around.any(|of| is_requested[of.index()])
        });
        is_copy.collect()
    }

    /// By function, whether --asm names it, or it is listed if --asm names none.
    fn requested_functions(&self, asm: &AsmOptions, report: &Report<'_, '_>) -> Vec<bool> {
        let (profile, rows) = (self.profile, &report.rows);
        let functions = profile.functions();
        let Some(choice) = &asm.functions else {
            let is_listed = report.list.is_listed(rows);
            return functions.map(|(id, _)| is_listed[rows.of_function(id).index()]).collect();
        };
        let kind = profile.name_kind();
        let is_named = functions.map(|(_, function)| {
            let (file, name) = (profile.file(function.file), profile.name(function.name));
            let object = profile.defined_object(function.object);
            let subject = Subject::new(object, file, name).of_kind(kind);
            choice.accepts(&subject) && self.options.rows.filter.accepts(&subject)
        });
        is_named.collect()
    }
}

/// The maximum number of instructions of the most expensive function where there is a maximum for
/// all.
const MAX_OF_FIRST: usize = 10_000;

/// An object counts as the profiled one if at most one of this many recorded addresses is not of an
/// instruction.
const MAX_DIFFERENT: usize = 100;

impl Context<'_> {
    /// The objects with these recorded addresses, with their code if it is found; else a warning
    /// says why not, if `warns`.
    fn objects(
        &self,
        asm: &AsmOptions,
        recorded: BTreeMap<ObjectId, Vec<u64>>,
        warns: bool,
    ) -> Result<BTreeMap<ObjectId, AsmObject>> {
        let mut objects = BTreeMap::new();
        // If objdump does not run, no object can be read.
        let mut runs = true;
        for (id, mut recorded) in recorded {
            recorded.sort_unstable();
            recorded.dedup();
            let mut object = AsmObject {
                code: Err(NoCode::NotRead),
                path: None,
                is_newer: false,
                matching: 0,
                recorded: recorded.len(),
            };
            if runs {
                let name = self.profile.object(id);
                let code = self.code(name, &recorded, asm, &mut object);
                object.code = code;
                if warns {
                    self.note_object(name, &object, asm);
                }
                let fault = object.code.as_ref().err();
                runs = !matches!(fault, Some(NoCode::Objdump(ObjdumpError::CannotRun(_))));
            }
            objects.insert(id, object);
        }
        Ok(objects)
    }

    /// The texts of listed instructions whose code is found, by row; none of an object that is
    /// newer than the profile, as a few addresses do not tell whether it is the one that was run.
    pub(super) fn instruction_texts(
        &self,
        rows: &Rows<'_>,
        list: &List,
        asm: &AsmOptions,
    ) -> Result<HashMap<RowId, Vec<u8>>> {
        let listed = || {
            let addresses = list.items.iter().map(|&row| (row, rows.address(row)));
            addresses.filter_map(|(row, address)| Some((row, address?)))
        };
        let mut recorded: BTreeMap<ObjectId, Vec<u64>> = BTreeMap::new();
        for (_, (object, address)) in listed() {
            recorded.entry(object).or_default().push(address);
        }
        // The list has the addresses in any case.
        let objects = self.objects(asm, recorded, false)?;
        let demangles = self.options.rows.demangles;
        let text_of = |(row, (object, address)): (RowId, (ObjectId, u64))| {
            let object = Some(&objects[&object]).filter(|object| !object.is_newer);
            let code = object?.code.as_ref().ok()?;
            let line = code.get(code.number_of(address)?)?;
            Some((row, readable_text(&line.text, |_| false, demangles)))
        };
        Ok(listed().filter_map(text_of).collect())
    }

    fn note_object(&self, name: &[u8], object: &AsmObject, asm: &AsmOptions) {
        let mut shown = match name {
            b"" => "???".to_owned(),
            name => display_name(name),
        };
        let mut note = "; its instructions are listed by address";
        let why = match &object.code {
            Ok(_) if !object.is_newer => return,
            Ok(_) => {
                note = "";
                format!("newer than {}", display_paths(&self.input.paths))
            }
            Err(NoCode::Unknown) => "no object file".to_owned(),
            Err(NoCode::Missing | NoCode::NotRead) => "not found".to_owned(),
            Err(NoCode::Changed) => format!(
                "differs from the profiled file ({} of {} recorded addresses are instructions)",
                with_commas(object.matching),
                with_commas(object.recorded)
            ),
            Err(NoCode::Objdump(error @ ObjdumpError::CannotRun(_))) => {
                shown = display_path(Path::new(&asm.objdump.program));
                note = "; instructions are listed by address";
                error.to_string()
            }
            Err(NoCode::Objdump(error)) => format!("objdump: {error}"),
        };
        self.messages.warn(format!("{shown}: {why}{note}"));
    }

    /// The code of an object; sets the other members of `object`.
    fn code(
        &self,
        name: &[u8],
        recorded: &[u64],
        asm: &AsmOptions,
        object: &mut AsmObject,
    ) -> Result<ObjectCode, NoCode> {
        if is_unknown_name(name) {
            return Err(NoCode::Unknown);
        }
        // Below the sysroot if one is given, then as sources are found.
        let find = |name: &[u8]| self.input.finder.find_object(name);
        let folder = asm.sysroot.as_ref();
        let below = folder.map(|folder| [folder.as_encoded_bytes(), name].concat());
        let found =
            below.and_then(|name| find(&name)).or_else(|| find(name)).ok_or(NoCode::Missing)?;
        let path = source::path(&found.path);
        object.path = Some(path.as_os_str().as_encoded_bytes().to_vec());
        let code = asm.objdump.read(&path, recorded).map_err(NoCode::Objdump)?;
        object.matching = code.matching;
        if (recorded.len() - code.matching) * MAX_DIFFERENT > recorded.len() {
            return Err(NoCode::Changed);
        }
        let both = found.modified.zip(oldest(&self.input.paths));
        object.is_newer = both.is_some_and(|(object, profile)| object > profile);
        Ok(code)
    }
}
