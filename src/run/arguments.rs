//! Which files are read for those of the command line: without any, those of the newest run; a
//! folder is its newest run, `--diff` without a value makes the first of two profiles BASE, and
//! what a `*` of the shell takes along is left out with a note.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::mem;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};

use super::file_kinds::may_be_profile;
use super::first_profile::{is_piped, no_profile, parts_of_run};
use super::message::{Messages, UsageError, and_more, display_path, display_paths};
use super::newest::{EMPTY, Newest, last_two_runs, listed, newest_empty, newest_run, run_in};
use super::other_side::{OtherSide, check_limits};
use super::run_name::{Age, RunKey, RunName, is_beside};
use super::series;
use crate::options::{Options, ReportKind};
use crate::program::is_program;
use crate::read;
use crate::render::{HeaderKind, SuggestedCommand};
use crate::view::RowBy;

/// Replaces the files of the options by those that are read.
pub(super) fn resolve(options: &mut Cow<'_, Options>, messages: &Messages) -> Result<()> {
    if options.input.is_series {
        series::resolve(options, messages)?;
    } else {
        resolve_sides(options, messages)?;
    }
    find_program_of_base(options)?;
    if options.input.all_files().filter(|path| *path == Path::new("-")).count() > 1 {
        return Err(UsageError("standard input (-) can be read only once".to_owned()).into());
    }
    Ok(())
}

/// The files of NEW: those of the options, or else the newest run in the current directory, which a
/// line or a note names. A run has the files of all its parts or threads.
pub(super) fn files_of_new(
    options: &mut Cow<'_, Options>,
    is_sampled: bool,
    out: &mut impl Write,
    messages: &Messages,
) -> Result<Vec<PathBuf>> {
    let mut files = options.input.files.clone();
    if files.is_empty() && !is_sampled {
        let newest = newest_here(options, out, messages)?;
        options.to_mut().input.is_newest_of_several |= newest.is_newest_of_several();
        files = newest.files;
    }
    read_all_parts(options, &mut files, messages);
    Ok(files)
}

fn resolve_sides(options: &mut Cow<'_, Options>, messages: &Messages) -> Result<()> {
    if options.input.base_is_first {
        take_base(options)?;
    }
    let inputs = options.input.files.iter().chain(&options.input.base);
    if inputs.into_iter().any(|path| path.is_dir()) {
        replace_folders(options, messages)?;
    }
    for is_base in [false, true] {
        let files = if is_base { &options.input.base } else { &options.input.files };
        if let Some(rest) = without_left_out(files, messages) {
            let input = &mut options.to_mut().input;
            *(if is_base { &mut input.base } else { &mut input.files }) = rest;
        }
    }
    Ok(())
}

/// Makes the first of exactly two profiles BASE, or a folder that is alone.
fn take_base(options: &mut Cow<'_, Options>) -> Result<()> {
    let files = &options.input.files;
    let profiles: Vec<(usize, &PathBuf)> =
        files.iter().enumerate().filter(|(_, path)| may_be_profile(path)).collect();
    let at = match &profiles[..] {
        [(at, only)] if only.is_dir() && files.len() == 1 => *at,
        [(at, _), _] => *at,
        others => {
            let paths: Vec<PathBuf> = others.iter().map(|(_, path)| (*path).clone()).collect();
            let names = if paths.is_empty() { "none".to_owned() } else { display_paths(&paths) };
            let here = last_two_runs().filter(|_| paths.is_empty());
            let command =
                here.and_then(|[before, last]| command_of_two(&before.files, &last.files));
            let tip = command.map(|command| format!("; the two newest here: {command}"));
            let text = format!(
                "--diff without a value compares two profiles; given: {names}{}",
                tip.unwrap_or_default()
            );
            return Err(UsageError(text).into());
        }
    };
    let input = &mut options.to_mut().input;
    let base = input.files.remove(at);
    input.base.push(base);
    Ok(())
}

/// The command that compares two runs of one file each.
fn command_of_two(base: &[PathBuf], new: &[PathBuf]) -> Option<SuggestedCommand> {
    let ([base], [new]) = (base, new) else { return None };
    let start = SuggestedCommand::new("cgannotate");
    Some(start.option("--diff", base.as_os_str().as_encoded_bytes()).file(new))
}

/// Replaces folders by their newest runs. A folder that is compared with nothing else is compared
/// with itself, as it was before.
fn replace_folders(options: &mut Cow<'_, Options>, messages: &Messages) -> Result<()> {
    let has_limits = !options.limits.is_empty();
    let input = &mut options.to_mut().input;
    if input.files.is_empty()
        && let [folder] = &input.base[..]
    {
        let newest = run_in(folder, None, false)?;
        check_limits(folder, &newest, has_limits)?;
        let shown = display_path(folder);
        let new = listed(&newest.files);
        if newest.earlier.is_empty() {
            bail!(
                "{shown}: no earlier run (.old, .base@NAME) to compare {new} with; \
                 --diff=BASE NEW compares two profiles"
            );
        }
        let (base, others) = (listed(&newest.earlier), newest.others());
        messages.note(format!("comparing {base} with {new}{others}"));
        (input.files, input.base) = (newest.files, newest.earlier);
        return Ok(());
    }
    let has_others = input.files.len() > 1;
    let mut others = OtherSide::default();
    for path in mem::take(&mut input.files) {
        if !path.is_dir() {
            others.add_file(&path);
            input.files.push(path);
            continue;
        }
        let newest = run_in(&path, None, has_others)?;
        check_limits(&path, &newest, has_limits)?;
        messages.note(format!("reading {}{}", listed(&newest.files), newest.others()));
        input.is_newest_of_several |= newest.is_newest_of_several();
        others.add(&newest);
        input.files.extend(newest.files);
    }
    for path in mem::take(&mut input.base) {
        if path.is_dir() {
            let newest = others.run_in(&path, "--diff=")?;
            messages.note(format!("--diff: reading {}{}", listed(&newest.files), newest.others()));
            input.is_newest_of_several |= newest.is_newest_of_several();
            input.base.extend(newest.files);
        } else {
            input.base.push(path);
        }
    }
    Ok(())
}

/// The runs of one benchmark: its folder, key and tool.
type Benchmark = (PathBuf, RunKey, usize);

fn run_of(path: &Path) -> Option<(Benchmark, (Age, String))> {
    let name = path.file_name().filter(|_| path.is_file())?.to_str()?;
    let RunName { key, age, baseline, tool, .. } = RunName::parse(name, |_| false)?;
    let folder = path.parent()?.to_owned();
    Some(((folder, key, tool), (age, baseline)))
}

/// The files without earlier runs of what is read too, and without what is no profile by its name
/// and its content; none if nothing is left out.
fn without_left_out(files: &[PathBuf], messages: &Messages) -> Option<Vec<PathBuf>> {
    let mut runs: BTreeMap<Benchmark, BTreeMap<(Age, String), Vec<&PathBuf>>> = BTreeMap::new();
    for path in files {
        if let Some((benchmark, run)) = run_of(path) {
            runs.entry(benchmark).or_default().entry(run).or_default().push(path);
        }
    }
    let (mut earlier, mut compared) = (BTreeSet::new(), None);
    for mut runs in runs.into_values() {
        let Some((_, newest)) = runs.pop_first() else {
            continue;
        };
        let of_run: Vec<PathBuf> = runs.into_values().flatten().cloned().collect();
        if let (None, [new], Some(base)) = (&compared, &newest[..], of_run.first()) {
            compared = Some(((*new).clone(), base.clone()));
        }
        earlier.extend(of_run);
    }
    let is_beside = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(is_beside) && path.is_file() && !read::is_profile(path)
    };
    let (beside, rest): (Vec<PathBuf>, Vec<PathBuf>) = files.iter().cloned().partition(is_beside);
    let rest: Vec<PathBuf> = rest.into_iter().filter(|path| !earlier.contains(path)).collect();
    let is_any_left_out = rest.len() < files.len();
    if !is_any_left_out || !rest.iter().any(|path| may_be_profile(path)) {
        return None;
    }
    if let Some(first) = earlier.first() {
        let (first, more) = (display_path(first), and_more(earlier.len() - 1));
        let command = compared.map_or_else(String::new, |(new, base)| {
            let command = SuggestedCommand::new("cgannotate");
            let base = base.as_os_str().as_encoded_bytes();
            format!("; to compare: {}", command.option("--diff", base).file(&new))
        });
        let what = if earlier.len() == 1 { "an earlier run" } else { "earlier runs" };
        messages.note(format!("{first}{more}: {what}, not added to the new one{command}"));
    }
    if let [first, more @ ..] = &beside[..] {
        let (first, more) = (display_path(first), and_more(more.len()));
        messages.note(format!("{first}{more}: neither a profile nor a source, left out"));
    }
    Some(rest)
}

/// Takes the program that wrote BASE, if there is one, from BASE's profiles.
fn find_program_of_base(options: &mut Cow<'_, Options>) -> Result<()> {
    if !options.input.base.iter().any(|file| is_program(file)) {
        return Ok(());
    }
    let input = &mut options.to_mut().input;
    let files = mem::take(&mut input.base).into_iter();
    let (mut programs, profiles): (Vec<_>, Vec<_>) = files.partition(|file| is_program(file));
    if let [first, second, ..] = &programs[..] {
        let (first, second) = (display_path(first), display_path(second));
        let text = format!("--diff: {first}, {second}: only one program can be BASE's");
        return Err(UsageError(text).into());
    }
    if profiles.is_empty() {
        let text = format!("--diff: {}: a program, and no profile of it", display_paths(&programs));
        return Err(UsageError(text).into());
    }
    (input.base, input.program.base_executable) = (profiles, programs.pop());
    Ok(())
}

/// Puts the files of a run's parts or threads in the place of its empty file, or of its last part
/// if rows are parts, on every side; the files of NEW are `files`.
fn read_all_parts(options: &mut Cow<'_, Options>, files: &mut Vec<PathBuf>, messages: &Messages) {
    let are_rows = options.rows.row_by == RowBy::Part;
    let parts_of = |files: &[PathBuf]| parts_of_run(files, are_rows, messages);
    if let Some(of_new) = parts_of(files) {
        *files = of_new;
    }
    if let Some(of_base) = parts_of(&options.input.base) {
        options.to_mut().input.base = of_base;
    }
    for side in 0..options.input.earlier.len() {
        if let Some(of_side) = parts_of(&options.input.earlier[side]) {
            options.to_mut().input.earlier[side] = of_side;
        }
    }
}

/// The newest run in the current directory, after a line or a note that names its files.
fn newest_here(options: &Options, out: &mut impl Write, messages: &Messages) -> Result<Newest> {
    let new = if options.input.base.is_empty() {
        ""
    } else {
        "--diff compares two profiles, BASE and NEW: "
    };
    let is_gprof = matches!(options.report, ReportKind::Gprof(_));
    let none = || UsageError([new, &no_profile(is_gprof)].concat());
    let Some(newest) = newest_run() else {
        return Err(match newest_empty() {
            Some(file) => anyhow!("{}: {}", display_path(&file), EMPTY),
            None => none().into(),
        });
    };
    check_limits(Path::new("."), &newest, !options.limits.is_empty())?;
    if let Some(file) = &newest.newer_empty {
        let (file, empty) = (display_path(file), EMPTY);
        messages.note(format!("{file} is newer and {empty}"));
    }
    let page = options.report.page();
    let header = page.map_or(HeaderKind::None, |page| page.header);
    if header == HeaderKind::Full {
        for file in &newest.files {
            writeln!(out, "Reading data from '{}'...", display_path(file))?;
        }
    }
    if newest.runs > 1 && header != HeaderKind::Line || header == HeaderKind::None {
        messages.note(&newest);
    }
    if is_piped() {
        messages.note("to read standard input: cgannotate -");
    }
    Ok(newest)
}
