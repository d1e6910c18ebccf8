//! The instructions of functions: their objects are found and disassembled, then each function has a page.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context as _, Result, bail};

use super::Context;
use super::message;
use super::message::display_paths;
use crate::options::Report;
use crate::profile::{Code, FunctionId, ObjectId};
use crate::render::{AsmPage, with_commas};
use crate::source::{self, Objdump, ObjdumpError, ObjectCode};
use crate::view::asm::{AsmOptions, Instructions, ObjectState, Page, PageOptions, SourceTexts};
use crate::view::{List, Rows};

/// What a profile without addresses lacks.
const NO_ADDRESSES: &str =
    "the profile has no addresses of instructions (callgrind writes them with --dump-instr=yes)";

/// What a profile without jumps lacks.
const NO_JUMPS: &str = "the profile has no jumps (callgrind writes them with --collect-jumps=yes)";

/// What a profile of other events lacks.
const NO_EXECUTIONS: &str =
    "without Ir the profile does not say how often instructions were executed";

impl Context<'_> {
    /// The instructions of the profile, if they or what follows from them is shown.
    pub(super) fn instructions(&self) -> Result<Option<Instructions<'_>>> {
        let options = &self.options.code;
        if !options.is_shown() {
            return Ok(None);
        }
        let profile = &self.input.profile;
        let in_files = || display_paths(&self.input.paths);
        let is_enough = |code: &&Code| code.has_addresses || !options.needs_addresses();
        let code = profile.sides().new.code().filter(is_enough);
        let code = code.with_context(|| format!("{}: {NO_ADDRESSES}", in_files()))?;
        if options.jumps && code.jumps.is_empty() {
            bail!("{}: {NO_JUMPS}", in_files());
        }
        let instructions = Instructions::new(profile, code);
        // The blocks of a graph have executions.
        let is_graph = matches!(self.options.report, Report::Dot { .. });
        if (options.counts || is_graph) && !instructions.has_executions() {
            bail!("{}: {NO_EXECUTIONS}", in_files());
        }
        Ok(Some(instructions))
    }

    /// Makes the page of each function, the most expensive first, and has `write` write it.
    pub(super) fn for_each_asm_page(
        &self,
        instructions: &Instructions<'_>,
        (list, rows): (&List, &Rows<'_>),
        err: &mut impl Write,
        mut write: impl FnMut(&AsmPage<'_>, &Object) -> io::Result<()>,
    ) -> Result<()> {
        let Some(asm) = &self.options.code.asm else {
            return Ok(());
        };
        let profile = &self.input.profile;
        let functions = asm.choose(instructions, rows, list, &self.selection);
        let objects = self.objects(asm, instructions, &functions, err)?;
        let sources = asm.sources.then(|| {
            let lines = functions
                .iter()
                .flat_map(|&function| instructions.lines(function));
            SourceTexts::read(profile, &self.input.finder, lines)
        });
        let options = PageOptions {
            threshold: asm.threshold.percent,
            context: asm.context,
            event: self.selection.order.first().copied().unwrap_or(0),
        };
        for id in functions {
            let object = &objects[&profile.function(id).object];
            let function = instructions.of(id);
            let is_of_other = |address| instructions.is_of_other(id, address);
            let code = object.code.as_ref();
            let page = Page::new(&function, code, &options, is_of_other);
            let page = AsmPage {
                profile,
                function: &function,
                code,
                page: &page,
                sources: sources.as_ref(),
                counts: self.options.code.counts,
                demangles: self.options.rows.demangles,
            };
            write(&page, object)?;
        }
        Ok(())
    }
}

/// Of this many recorded addresses one may be none of an instruction, in an object that is taken for the profiled one.
const MAX_DIFFERENT: usize = 100;

/// An object some of whose functions are shown.
pub(super) struct Object {
    code: Option<ObjectCode>,
    pub(super) state: ObjectState,
}

/// Why there is no code of an object.
enum NoCode {
    /// The profile does not know the object.
    Unknown,
    /// There is no such file.
    Missing,
    /// It is another file than the profiled one.
    Changed { matching: usize, recorded: usize },
    /// objdump failed.
    Objdump(ObjdumpError),
}

impl NoCode {
    fn name(&self) -> &'static str {
        match self {
            NoCode::Unknown => "unknown",
            NoCode::Missing => "missing",
            NoCode::Changed { .. } => "changed",
            NoCode::Objdump(_) => "unreadable",
        }
    }
}

impl fmt::Display for NoCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoCode::Unknown => write!(f, "no object file; "),
            NoCode::Missing => write!(f, "not found; "),
            NoCode::Changed { matching, recorded } => write!(
                f,
                "differs from the profiled file ({} of {} recorded addresses are instructions); ",
                with_commas(*matching as i64),
                with_commas(*recorded as i64)
            ),
            NoCode::Objdump(error) => write!(f, "objdump: {error}; "),
        }?;
        f.write_str("its instructions are listed by address")
    }
}

impl Context<'_> {
    /// The code of the objects of some functions, as far as it is found.
    fn objects(
        &self,
        asm: &AsmOptions,
        instructions: &Instructions<'_>,
        functions: &[FunctionId],
        err: &mut impl Write,
    ) -> Result<BTreeMap<ObjectId, Object>> {
        let mut addresses: BTreeMap<ObjectId, Vec<u64>> = BTreeMap::new();
        for &function in functions {
            let object = self.input.profile.function(function).object;
            let recorded = addresses.entry(object).or_default();
            recorded.extend(instructions.addresses(function));
        }
        let objdump = Objdump {
            program: asm.objdump.clone(),
            with_bytes: asm.bytes,
            context: asm.context,
        };
        let mut objects = BTreeMap::new();
        // If objdump does not run, no object can be read.
        let mut objdump = Some(objdump);
        for (id, mut recorded) in addresses {
            recorded.sort_unstable();
            recorded.dedup();
            let mut object = Object {
                code: None,
                state: ObjectState {
                    state: "unreadable",
                    path: None,
                    matching: 0,
                    recorded: recorded.len(),
                },
            };
            if let Some(running) = &objdump
                && !self.read_object(id, &mut object, &recorded, asm, running, err)?
            {
                objdump = None;
            }
            objects.insert(id, object);
        }
        Ok(objects)
    }

    /// Reads the code of an object, or says why there is none; false if objdump does not run.
    fn read_object(
        &self,
        id: ObjectId,
        object: &mut Object,
        recorded: &[u64],
        asm: &AsmOptions,
        objdump: &Objdump,
        err: &mut impl Write,
    ) -> Result<bool> {
        let name = self.input.profile.object(id);
        let shown = match name {
            b"" => "???".to_owned(),
            name => name.escape_ascii().to_string(),
        };
        match self.code(name, recorded, asm, objdump, &mut object.state) {
            Ok((code, is_newer)) => {
                object.code = Some(code);
                object.state.state = "found";
                if is_newer {
                    let profiles = display_paths(&self.input.paths);
                    message::warn(err, format_args!("{shown}: newer than {profiles}"))?;
                }
            }
            Err(NoCode::Objdump(error @ ObjdumpError::CannotRun(_))) => {
                let program = Path::new(&asm.objdump).display();
                let note = "instructions are listed by address";
                message::warn(err, format_args!("{program}: {error}; {note}"))?;
                return Ok(false);
            }
            Err(why) => {
                object.state.state = why.name();
                message::warn(err, format_args!("{shown}: {why}"))?;
            }
        }
        Ok(true)
    }

    /// Where an object is, and when it was written: below the folder if there is one, or where sources are.
    fn find_object(&self, name: &[u8], asm: &AsmOptions) -> Option<(PathBuf, Option<SystemTime>)> {
        let find = |name: &[u8]| {
            let found = self.input.finder.find(name).found?;
            Some((source::path(&found.path).into_owned(), found.modified))
        };
        let folder = asm.sysroot.as_ref();
        let below = folder.map(|folder| [folder.as_encoded_bytes(), name].concat());
        below.and_then(|name| find(&name)).or_else(|| find(name))
    }

    /// The code of one object, and whether its file is newer than the profile.
    fn code(
        &self,
        name: &[u8],
        recorded: &[u64],
        asm: &AsmOptions,
        objdump: &Objdump,
        state: &mut ObjectState,
    ) -> Result<(ObjectCode, bool), NoCode> {
        if matches!(name, b"" | b"???") {
            return Err(NoCode::Unknown);
        }
        let (path, modified) = self.find_object(name, asm).ok_or(NoCode::Missing)?;
        state.path = Some(path.as_os_str().as_encoded_bytes().to_vec());
        let code = objdump.read(&path, recorded).map_err(NoCode::Objdump)?;
        let (matching, recorded) = (code.matching(), recorded.len());
        state.matching = matching;
        if (recorded - matching) * MAX_DIFFERENT > recorded {
            return Err(NoCode::Changed { matching, recorded });
        }
        let profiles = self.input.paths.iter();
        let written = profiles.filter_map(|path| fs::metadata(path).ok()?.modified().ok());
        let is_newer = modified
            .zip(written.min())
            .is_some_and(|(object, profile)| object > profile);
        Ok((code, is_newer))
    }
}
