//! Reads a program and gprof's data of it.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, anyhow};

use super::super::input::display_path;
use super::super::message;
use super::check::{check, is_far};
use super::files::SampledFiles;
use crate::options::ProgramOptions;
use crate::profile::{RawCall, Samples};
use crate::program::{DebugSections, Lines, Program, ProgramError, SymbolRules, Symbols};
use crate::read::gmon::{GmonLayout, read_gmon};
use crate::view::{Places, SampledCalls};

/// Which source lines are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WantedLines {
    /// None.
    None,
    /// Those at which local functions begin.
    OfLocals,
    /// Those at which functions begin.
    OfFunctions,
    /// All: places are lines.
    All,
}

/// A program and what it recorded.
pub(super) struct Loaded {
    pub(super) symbols: Symbols,
    pub(super) places: Places,
    pub(super) layout: GmonLayout,
    pub(super) samples: Samples,
    pub(super) calls: SampledCalls,
}

/// An error of a file, on one line.
fn in_file(path: &Path, error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("{}: {error}", display_path(path))
}

impl Loaded {
    /// Reads all files.
    pub(super) fn new(
        files: &SampledFiles,
        options: &ProgramOptions,
        wanted: WantedLines,
        err: &mut impl Write,
    ) -> Result<Loaded> {
        let in_program = |error: ProgramError| in_file(&files.program, error);
        let program = Program::open(&files.program).map_err(in_program)?;
        let symbols = symbols(&program, options, &files.program)?;
        let sections = match wanted {
            WantedLines::None => None,
            _ => Some(program.debug_sections().map_err(in_program)?),
        };
        let lines = sections.as_ref().map(DebugSections::lines).transpose();
        let lines = lines.map_err(in_program)?;
        let places = match (wanted, &lines) {
            (WantedLines::All, Some(lines)) => {
                // Some may be left out.
                let all = program.symbols(&SymbolRules::default());
                Places::lines(&symbols, all.as_ref().unwrap_or(&symbols), lines)
            }
            _ => Places::functions(&symbols, lines.as_ref(), |number| {
                wanted == WantedLines::OfFunctions || symbols.list[number].is_local
            }),
        };
        if lines.as_ref().is_some_and(Lines::is_damaged) {
            let program = display_path(&files.program);
            let what = "some of the debug information is damaged";
            message::warn(err, format_args!("{program}: {what}"))?;
        }
        let layout = program.layout();
        let layout = GmonLayout {
            is_wide: layout.is_wide,
            is_big_endian: layout.is_big_endian,
        };
        let mut loaded = Loaded {
            calls: SampledCalls::new(&places),
            symbols,
            samples: Samples::default(),
            places,
            layout,
        };
        let mut far = 0;
        for path in &files.profiles {
            let (calls, places, symbols) = (&mut loaded.calls, &loaded.places, &loaded.symbols);
            let mut add = |call: RawCall| {
                far += u64::from(is_far(symbols, call.to));
                calls.add(call, places)
            };
            read_gmon(path, layout, options.format, &mut loaded.samples, &mut add)
                .map_err(|error| in_file(path, error))?;
        }
        let calls = (&loaded.calls, far);
        check(files, &loaded.symbols, &loaded.samples, calls, err)?;
        Ok(loaded)
    }
}

fn symbols(program: &Program, options: &ProgramOptions, path: &Path) -> Result<Symbols> {
    let list = options.symbols.as_ref();
    let text = list.map(std::fs::read).transpose();
    let text = text.map_err(|error| in_file(list.map_or(path, |list| list), error))?;
    let rules = SymbolRules {
        omits_locals: options.omits_locals,
        only_functions: options.only_functions,
        as_gprof: options.as_gprof,
        list: text.as_deref(),
    };
    program.symbols(&rules).map_err(|error| match error {
        ProgramError::SymbolList(_) => in_file(list.map_or(path, |list| list), error),
        error => in_file(path, error),
    })
}
