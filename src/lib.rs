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
use std::time::SystemTime;

use anyhow::{Context, Result, anyhow};

use profile::Profile;
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
    /// The profile; the first one here if none.
    pub profile: Option<PathBuf>,
    /// Source files to annotate in any case.
    pub sources: Vec<Vec<u8>>,
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

/// Reads the profile and writes the report to `out`, warnings to `err`. `escapes` keeps control characters
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
    let path = match &config.profile {
        Some(path) => path.clone(),
        None => {
            let found = default_profile().ok_or_else(|| {
                UsageError(
                    "no profile named, and none here (callgrind.out*, cachegrind.out*)".to_owned(),
                )
            })?;
            writeln!(out, "Reading data from '{}'...", found.display())?;
            found
        }
    };
    let working_dir = std::env::current_dir()
        .ok()
        .map(|dir| dir.into_os_string().into_encoded_bytes());
    let mut report = Report {
        config,
        escapes,
        path,
        working_dir,
        profile: Profile::default(),
    };
    report.read(err)?;
    report.write(out, err)
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

/// One run of the program.
struct Report<'c> {
    config: &'c Config,
    escapes: bool,
    path: PathBuf,
    working_dir: Option<Vec<u8>>,
    profile: Profile,
}

impl Report<'_> {
    fn read(&mut self, err: &mut impl Write) -> Result<()> {
        let options = ReadOptions {
            working_dir: self.working_dir.clone(),
        };
        let warnings = read::read(&self.path, &options, &mut self.profile).map_err(|error| {
            let line = error
                .line
                .map(|line| format!("{line}:"))
                .unwrap_or_default();
            anyhow!("{}:{line} {error}", self.path.display())
        })?;
        Ok(write_warnings(&self.path, &warnings, err)?)
    }

    fn write(&self, out: &mut impl Write, err: &mut impl Write) -> Result<()> {
        let (config, profile) = (self.config, &self.profile);
        let in_file = || self.path.display().to_string();
        let selection = Selection::new(&config.selection, &profile.events)
            .map_err(|e| UsageError(e.to_string()))?;
        let sources = self.sources()?;
        let total = Total::of(profile).with_context(in_file)?;
        let style = Style {
            percentages: config.percentages,
            escapes: self.escapes,
            shown: &selection.shown,
            total: &total.cost,
        };
        let annotates = config.auto || !sources.is_empty();
        let needs_cycles = config.inclusive || config.tree != Tree::None || annotates;
        let mut cycles = if needs_cycles && config.cycles {
            Cycles::find(profile)
        } else {
            Cycles::none(profile)
        };
        let mut rows = Rows::new(profile, config.demangle);
        let list = if config.inclusive {
            let inclusive = Inclusive::new(profile, &mut rows, &mut cycles, &selection)
                .with_context(in_file)?;
            FunctionList::by_inclusive_cost(&rows, &selection, &total, &inclusive)
        } else {
            FunctionList::by_self_cost(profile, &rows, &selection, &total).with_context(in_file)?
        };

        let header = ReportHeader {
            file: self.path.as_os_str().as_encoded_bytes(),
            folders: &config.folders,
            user_annotated: &sources,
            auto: config.auto,
        };
        if let Some(part) = profile.parts.first() {
            render::write_header(&header, part, &profile.events, &selection, style, out)?;
        }
        render::write_total(&total, &profile.events, style, out)?;
        self.write_list(&list, &rows, &cycles, &selection, style, out)?;
        if annotates {
            let options = AnnotateOptions {
                auto: config.auto,
                user: sources,
                context: config.context,
                folders: config.folders.clone(),
            };
            self.write_sources(&options, &list, &rows, &cycles, &selection, style, out, err)?;
        }
        Ok(())
    }

    /// The sources that the user named, as the profile has them.
    fn sources(&self) -> Result<Vec<Vec<u8>>> {
        let mut sources: Vec<Vec<u8>> = Vec::new();
        for source in &self.config.sources {
            let below = self
                .working_dir
                .as_ref()
                .and_then(|dir| source.strip_prefix(&dir[..])?.strip_prefix(b"/"));
            let name = below.unwrap_or(source);
            if source::find(name, &self.config.folders).is_none() {
                return Err(anyhow!(
                    "{}: no such source file, here or in an include folder",
                    source.escape_ascii()
                ));
            }
            if !sources.iter().any(|known| known == name) {
                sources.push(name.to_vec());
            }
        }
        Ok(sources)
    }

    fn write_list(
        &self,
        list: &FunctionList<'_>,
        rows: &Rows<'_>,
        cycles: &Cycles,
        selection: &Selection,
        style: Style<'_>,
        out: &mut impl Write,
    ) -> Result<()> {
        let (tree, events) = (self.config.tree, &self.profile.events);
        if tree == Tree::None {
            return Ok(render::write_functions(list, None, events, style, out)?);
        }
        let calls = Calls::new(&self.profile, rows, cycles)
            .with_context(|| self.path.display().to_string())?;
        let lines = |row: &FunctionRow<'_>| TreeLines {
            callers: if tree.has_callers() {
                calls.callers(row.item, rows, selection)
            } else {
                Vec::new()
            },
            callees: if tree.has_callees() {
                calls.callees(row.item, rows, selection)
            } else {
                Vec::new()
            },
        };
        Ok(render::write_functions(
            list,
            Some(&lines),
            events,
            style,
            out,
        )?)
    }

    #[allow(clippy::too_many_arguments)]
    fn write_sources(
        &self,
        options: &AnnotateOptions,
        list: &FunctionList<'_>,
        rows: &Rows<'_>,
        cycles: &Cycles,
        selection: &Selection,
        style: Style<'_>,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        let (profile, events) = (&self.profile, &self.profile.events);
        let in_file = || self.path.display().to_string();
        let choices = options
            .choose(profile, rows, selection, list)
            .with_context(in_file)?;
        let annotator = Annotator::new(profile, rows, cycles, selection, options.context, &choices);
        let mut annotator = annotator.with_context(in_file)?;
        let (mut any, mut not_found) = (false, Vec::new());
        for choice in &choices {
            let Some(found) = &choice.found else {
                not_found.push(&choice.name[..]);
                continue;
            };
            match annotator.annotate(choice, found, self.modified()) {
                Ok(annotated) => {
                    any = true;
                    let file = self.path.as_os_str().as_encoded_bytes();
                    render::write_annotated(choice, &annotated, file, events, style, out)?;
                }
                Err(AnnotateError::Unreadable(why)) => {
                    writeln!(
                        err,
                        "cgannotate: {}: {why}, not annotated",
                        choice.name.escape_ascii()
                    )?;
                }
                Err(AnnotateError::Overflow(overflow)) => {
                    return Err(overflow).with_context(in_file);
                }
            }
        }
        not_found.sort_unstable();
        if !not_found.is_empty() {
            render::write_not_found(&not_found, style, out)?;
        }
        if any {
            render::write_annotated_total(&annotator.annotated().to_vec(), events, style, out)?;
        }
        Ok(())
    }

    /// When the profile was written.
    fn modified(&self) -> Option<SystemTime> {
        fs::metadata(&self.path).ok()?.modified().ok()
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
