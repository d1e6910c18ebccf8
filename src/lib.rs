//! Annotates profiles in the format of callgrind: functions, call trees and source lines with their costs.
//!
//! Data flows one way: [`read`] fills a [`profile`], the [`view`]s make tables of it, and [`render`] writes
//! them. [`source`] and [`demangle`] serve the views, [`cli`] reads the command line, and [`run`] is
//! the one place where all of them meet.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod cli;
pub mod demangle;
pub mod profile;
pub mod read;
pub mod render;
pub mod source;
pub mod view;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};

use profile::{Formula, Overflow, Profile};
use read::ReadOptions;
use read::warning::Warnings;
use render::{ReportHeader, Style, Tree, TreeLines};
use view::{
    AnnotateError, AnnotateOptions, Annotator, Calls, Cycles, FunctionList, FunctionRow, Inclusive,
    Rows, Selection, SelectionOptions, Total,
};

/// What the user asked for.
#[derive(Clone, Debug)]
pub struct Config {
    /// Profiles, and sources to annotate in any case. The first is a profile; if there is none, it is the first
    /// one here. What of the others looks like a profile is one.
    pub files: Vec<PathBuf>,
    /// How profiles are read.
    pub read: ReadOptions,
    /// Events that follow from others.
    pub events: Vec<(Vec<u8>, Formula)>,
    /// Which events, in which order, and how far.
    pub selection: SelectionOptions,
    /// Whether percentages stand beside counts.
    pub percentages: bool,
    /// Whether functions are listed by inclusive cost.
    pub inclusive: bool,
    /// Which calls are shown around each function.
    pub tree: Tree,
    /// Whether call cycles are found.
    pub cycles: bool,
    /// Whether mangled names are made readable.
    pub demangle: bool,
    /// Whether the sources of listed functions are annotated.
    pub auto: bool,
    /// How many lines are shown around each line with costs.
    pub context: u32,
    /// Where sources are looked for besides the current folder, with slashes at the ends.
    pub folders: Vec<Vec<u8>>,
}

/// The user asked for something that there is not.
#[derive(Debug)]
pub struct UsageError(String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// Reads the profiles and writes the report to `out`, warnings to `err`. `escapes` keeps control characters
/// of the input from `out`.
///
/// # Errors
/// A [`UsageError`] if an option does not fit the profile, any other if the profile cannot be reported.
pub fn run(
    config: &Config,
    escapes: bool,
    out: &mut impl Write,
    err: &mut impl Write,
) -> Result<()> {
    let mut config = config.clone();
    if config.files.is_empty() {
        let none = "no profile named, and none here (callgrind.out*, cachegrind.out*)";
        let found = default_profile().ok_or_else(|| UsageError(none.to_owned()))?;
        writeln!(out, "Reading data from '{}'...", found.display())?;
        config.files.push(found);
    }
    let input = read_all(&config, err)?;
    Report::new(&config, &input, escapes)?.write(out, err)
}

/// The first of `callgrind.out*` by name, else of `cachegrind.out*`.
fn default_profile() -> Option<PathBuf> {
    let names: Vec<_> = fs::read_dir(".")
        .ok()?
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    ["callgrind.out", "cachegrind.out"]
        .iter()
        .find_map(|prefix| {
            let matching = names
                .iter()
                .filter(|name| name.as_encoded_bytes().starts_with(prefix.as_bytes()));
            matching.min().map(PathBuf::from)
        })
}

/// All that was read.
struct Input {
    profile: Profile,
    /// The profiles' files.
    paths: Vec<PathBuf>,
    /// The sources that the user named, as the profile has them.
    sources: Vec<Vec<u8>>,
}

/// Reads all profiles among the files, and looks for the sources among them.
fn read_all(config: &Config, err: &mut impl Write) -> Result<Input> {
    let mut input = Input {
        profile: Profile::default(),
        paths: Vec::new(),
        sources: Vec::new(),
    };
    for (i, path) in config.files.iter().enumerate() {
        let is_empty = fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() == 0);
        if is_empty && config.files.len() > 1 {
            writeln!(
                err,
                "cgannotate: {}: the file is empty, skipped",
                path.display()
            )?;
        } else if i == 0 || !is_source(path) {
            read_one(path, config, &mut input.profile, err)?;
            input.paths.push(path.clone());
        } else {
            let source = source(path, config)?;
            if !input.sources.contains(&source) {
                input.sources.push(source);
            }
        }
    }
    if input.paths.is_empty() {
        return Err(UsageError("no profile among the files named".to_owned()).into());
    }
    if input.profile.parts.is_empty() {
        return Err(UsageError(
            "no part of the profile is one that --part or --thread asks for".to_owned(),
        )
        .into());
    }
    config
        .events
        .iter()
        .for_each(|(name, formula)| input.profile.events.define(name.clone(), formula.clone()));
    let shown = config
        .selection
        .show
        .iter()
        .chain(config.selection.sort.iter().map(|(name, _)| name));
    for name in shown.chain(config.events.iter().map(|(name, _)| name)) {
        let derived = input.profile.derive_event(name);
        derived.map_err(|_| {
            anyhow!(
                "{}: the event {} does not fit",
                in_words(&input.paths),
                name.escape_ascii()
            )
        })?;
    }
    Ok(input)
}

/// Whether a further file is a source. What is no regular file, such as a pipe, is not: it can be read only
/// once, and not as a source.
fn is_source(path: &Path) -> bool {
    let is_regular = fs::metadata(path).map_or(true, |file| file.is_file() || file.is_dir());
    path != Path::new("-") && is_regular && !read::is_profile(path)
}

fn read_one(
    path: &Path,
    config: &Config,
    profile: &mut Profile,
    err: &mut impl Write,
) -> Result<()> {
    let warnings = read::read(path, &config.read, profile).map_err(|error| {
        let line = error
            .line
            .map(|line| format!("{line}:"))
            .unwrap_or_default();
        anyhow!("{}:{line} {error}", path.display())
    })?;
    Ok(write_warnings(path, &warnings, err)?)
}

/// A source that the user named, by the name that the profile has for it.
fn source(path: &Path, config: &Config) -> Result<Vec<u8>> {
    let source = path.as_os_str().as_encoded_bytes();
    let dir = config.read.working_dir.as_deref();
    let name = dir
        .and_then(|dir| source.strip_prefix(dir)?.strip_prefix(b"/"))
        .unwrap_or(source);
    if source::find(name, &config.folders).is_none() {
        return Err(anyhow!(
            "{}: no such source file, here or in an include folder",
            path.display()
        ));
    }
    Ok(name.to_vec())
}

fn in_words(paths: &[PathBuf]) -> String {
    paths
        .iter()
        .map(|path| path.display().to_string())
        .collect::<Vec<_>>()
        .join(", ")
}

/// All that the sections of a report are made of.
struct Report<'r> {
    config: &'r Config,
    input: &'r Input,
    escapes: bool,
    selection: Selection,
    total: Total,
}

impl<'r> Report<'r> {
    fn new(config: &'r Config, input: &'r Input, escapes: bool) -> Result<Report<'r>> {
        let selection = Selection::new(&config.selection, &input.profile.events);
        let selection = selection.map_err(|error| UsageError(error.to_string()))?;
        let total = Total::of(&input.profile).with_context(|| in_words(&input.paths))?;
        Ok(Report {
            config,
            input,
            escapes,
            selection,
            total,
        })
    }

    fn style(&self) -> Style<'_> {
        Style {
            percentages: self.config.percentages,
            escapes: self.escapes,
            shown: &self.selection.shown,
            total: &self.total.cost,
        }
    }

    fn write(&self, out: &mut impl Write, err: &mut impl Write) -> Result<()> {
        let (config, profile) = (self.config, &self.input.profile);
        let annotates = config.auto || !self.input.sources.is_empty();
        let needs_cycles = config.inclusive || config.tree != Tree::None || annotates;
        let mut cycles = if needs_cycles && config.cycles {
            Cycles::find(profile)
        } else {
            Cycles::none(profile)
        };
        let mut rows = Rows::new(profile, config.demangle);
        let list = self
            .list(&mut rows, &mut cycles)
            .with_context(|| in_words(&self.input.paths))?;

        let header = ReportHeader {
            folders: &config.folders,
            user_annotated: &self.input.sources,
            auto: config.auto,
        };
        render::write_header(
            &header,
            &profile.parts,
            &profile.events,
            &self.selection,
            self.style(),
            out,
        )?;
        render::write_total(&self.total, &profile.events, self.style(), out)?;
        self.write_list(&list, &rows, &cycles, out)?;
        if config.inclusive {
            render::write_cycles(&cycles, out)?;
        }
        if annotates {
            self.write_sources(&list, &rows, &cycles, out, err)?;
        }
        Ok(())
    }

    fn list(&self, rows: &mut Rows<'r>, cycles: &mut Cycles) -> Result<FunctionList<'r>, Overflow> {
        let (profile, selection) = (&self.input.profile, &self.selection);
        if self.config.inclusive {
            let inclusive = Inclusive::new(profile, rows, cycles, selection)?;
            Ok(FunctionList::by_inclusive_cost(
                rows,
                selection,
                &self.total,
                &inclusive,
            ))
        } else {
            FunctionList::by_self_cost(profile, rows, selection, &self.total)
        }
    }

    fn write_list(
        &self,
        list: &FunctionList<'r>,
        rows: &Rows<'r>,
        cycles: &Cycles,
        out: &mut impl Write,
    ) -> Result<()> {
        let (tree, events) = (self.config.tree, &self.input.profile.events);
        if tree == Tree::None {
            return Ok(render::write_functions(
                list,
                None,
                events,
                self.style(),
                out,
            )?);
        }
        let calls = Calls::new(&self.input.profile, rows, cycles);
        let calls = calls.with_context(|| in_words(&self.input.paths))?;
        let lines = |row: &FunctionRow<'_>| TreeLines {
            callers: if tree.has_callers() {
                calls.callers(row.item, rows, &self.selection)
            } else {
                Vec::new()
            },
            callees: if tree.has_callees() {
                calls.callees(row.item, rows, &self.selection)
            } else {
                Vec::new()
            },
        };
        Ok(render::write_functions(
            list,
            Some(&lines),
            events,
            self.style(),
            out,
        )?)
    }

    fn write_sources(
        &self,
        list: &FunctionList<'r>,
        rows: &Rows<'r>,
        cycles: &Cycles,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        let (config, profile, selection) = (self.config, &self.input.profile, &self.selection);
        let in_files = || in_words(&self.input.paths);
        let options = AnnotateOptions {
            auto: config.auto,
            user: self.input.sources.clone(),
            context: config.context,
            folders: config.folders.clone(),
        };
        let choices = options
            .choose(profile, rows, selection, list)
            .with_context(in_files)?;
        let annotator = Annotator::new(profile, rows, cycles, selection, options.context, &choices);
        let mut annotator = annotator.with_context(in_files)?;
        let written = self
            .input
            .paths
            .iter()
            .filter_map(|path| fs::metadata(path).ok()?.modified().ok())
            .min();
        let (mut any, mut not_found) = (false, Vec::new());
        for choice in &choices {
            let Some(found) = &choice.found else {
                not_found.push(&choice.name[..]);
                continue;
            };
            match annotator.annotate(choice, found, written) {
                Ok(annotated) => {
                    any = true;
                    let file = self.input.paths[0].as_os_str().as_encoded_bytes();
                    render::write_annotated(
                        choice,
                        &annotated,
                        file,
                        &profile.events,
                        self.style(),
                        out,
                    )?;
                }
                Err(AnnotateError::Unreadable(why)) => {
                    writeln!(
                        err,
                        "cgannotate: {}: {why}, not annotated",
                        choice.name.escape_ascii()
                    )?;
                }
                Err(AnnotateError::Overflow(overflow)) => {
                    return Err(overflow).with_context(in_files);
                }
            }
        }
        not_found.sort_unstable();
        if !not_found.is_empty() {
            render::write_not_found(&not_found, self.style(), out)?;
        }
        if any {
            render::write_annotated_total(
                &annotator.annotated().to_vec(),
                &profile.events,
                self.style(),
                out,
            )?;
        }
        Ok(())
    }
}

fn write_warnings(path: &Path, warnings: &Warnings, err: &mut impl Write) -> std::io::Result<()> {
    let path = path.display();
    for (line, warning) in warnings.told() {
        writeln!(err, "cgannotate: {path}:{line}: {warning}")?;
    }
    if warnings.untold() > 0 {
        writeln!(
            err,
            "cgannotate: {path}: {} more warnings",
            warnings.untold()
        )?;
    }
    Ok(())
}
