//! The profiles of a series: which files of the command line are one profile, and the labels that
//! tell the profiles apart.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::file_kinds::may_be_profile;
use super::message::{Messages, UsageError, display_path, display_paths};
use super::newest::{Newest, listed};
use super::other_side::{OtherSide, check_limits};
use super::run_name::{Age, RunKey, RunName};
use crate::options::{Against, InputOptions, Options};
use crate::profile::{BASE, MAX_SIDES};
use crate::read::parts_of;

/// A profile of a series: its files, and the name that it was given.
struct ProfileFiles {
    files: Vec<PathBuf>,
    name: Option<String>,
    /// The path that tells it apart: that of the folder or of the first file.
    path: PathBuf,
    run: Option<SeriesRun>,
}

/// What files of one run have in common.
#[derive(PartialEq)]
struct SeriesRun {
    folder: PathBuf,
    key: RunKey,
    age: Age,
    baseline: String,
}

/// Replaces the files of the options by those of NEW, which is the last profile, and of the
/// profiles before it.
pub(super) fn resolve(options: &mut Cow<'_, Options>, messages: &Messages) -> Result<()> {
    let has_limits = !options.limits.is_empty();
    let mut is_newest_of_several = false;
    let profiles = profiles(&with_parts(&options.input)?, |folder, others| {
        let newest = others.run_in(folder, "")?;
        check_limits(folder, &newest, has_limits)?;
        messages.note(format!("reading {}{}", listed(&newest.files), newest.others()));
        is_newest_of_several |= newest.is_newest_of_several();
        others.add(&newest);
        Ok(newest)
    })?;
    let given = || display_paths(&options.input.files);
    if profiles.len() < 2 {
        let given = if options.input.files.is_empty() { "none".to_owned() } else { given() };
        let hint = match options.input.files.len() {
            1 if options.input.files[0].is_dir() => "; the files in a folder: FOLDER/*",
            0 | 1 => "",
            _ => ", of one run; NAME=FILE tells them apart",
        };
        let text = format!("--series compares two or more profiles; given: {given}{hint}");
        return Err(UsageError(text).into());
    }
    if profiles.len() > MAX_SIDES {
        let count = profiles.len();
        let text = format!("--series compares at most {MAX_SIDES} profiles; given: {count}");
        return Err(UsageError(text).into());
    }
    let labels = labels(&profiles);
    let against = match &options.input.against {
        Against::Previous => BASE,
        Against::First => profiles.len() - 1,
        Against::Label(label) => {
            let at = labels.iter().rev().position(|of| of == label);
            at.filter(|&side| side > 0).ok_or_else(|| {
                let before = labels[..labels.len() - 1].join(", ");
                UsageError(format!(
                    "--against={label}: no profile before the last one has this name; there are {before}"
                ))
            })?
        }
    };
    let input = &mut options.to_mut().input;
    let mut sides = profiles.into_iter().rev().map(|profile| profile.files);
    input.files = sides.next().unwrap_or_default();
    input.base = sides.next().unwrap_or_default();
    input.earlier = sides.collect();
    input.labels = labels.into_iter().rev().collect();
    input.against_side = Some(against);
    input.is_newest_of_several = is_newest_of_several;
    Ok(())
}

/// The files with those of each part in place of `FILE#*`.
fn with_parts(input: &InputOptions) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for argument in &input.files {
        let file = argument.to_str().and_then(|name| name.strip_suffix("#*")).map(Path::new);
        match file.filter(|file| !argument.exists() && file.is_file()) {
            Some(file) => {
                let parts = parts_of(file, &input.read);
                files.extend(parts.with_context(|| display_path(file))?);
            }
            None => files.push(argument.clone()),
        }
    }
    Ok(files)
}

/// The profiles in the order given: a folder is its newest run, and files of one run or of one name
/// are one profile. `newest_in` finds the newest run of a folder, given those before.
fn profiles(
    arguments: &[PathBuf],
    mut newest_in: impl FnMut(&Path, &mut OtherSide) -> Result<Newest>,
) -> Result<Vec<ProfileFiles>> {
    let mut profiles: Vec<ProfileFiles> = Vec::new();
    let mut others = OtherSide::default();
    for argument in arguments {
        let (name, path) = split_name(argument);
        if path.is_dir() {
            let (files, path) = (newest_in(path, &mut others)?.files, path.to_owned());
            profiles.push(ProfileFiles { files, name, path, run: None });
            continue;
        }
        if !may_be_profile(path) {
            let text = format!("{}: no profile, and --series shows no sources", display_path(path));
            return Err(UsageError(text).into());
        }
        let run = run_of(path).filter(|_| name.is_none());
        let same = profiles.iter_mut().find(|profile| match (&name, &run) {
            (Some(_), _) => profile.name == name,
            (None, Some(_)) => profile.run == run,
            (None, None) => false,
        });
        match same {
            Some(profile) => {
                profile.files.push(path.to_owned());
                if let Some(run) = &profile.run {
                    profile.path = run.path();
                }
            }
            None => {
                let (files, path) = (vec![path.to_owned()], path.to_owned());
                profiles.push(ProfileFiles { files, name, path, run });
            }
        }
    }
    Ok(profiles)
}

impl SeriesRun {
    /// The path of a file without part and thread.
    fn path(&self) -> PathBuf {
        let (pid, prefix, Reverse(start)) = &self.key;
        let pid = pid.map_or_else(String::new, |pid| format!(".{pid}"));
        self.folder.join(format!("{start}{prefix}{pid}"))
    }
}

/// The run of a file by its name, if the name has the number of a process.
fn run_of(path: &Path) -> Option<SeriesRun> {
    let RunName { key, age, baseline, .. } =
        RunName::parse(path.file_name()?.to_str()?, |_| false)?;
    key.0?;
    Some(SeriesRun { folder: path.parent()?.to_owned(), key, age, baseline })
}

/// Splits `NAME=FILE`. A file that has the sign in its name wins.
fn split_name(argument: &Path) -> (Option<String>, &Path) {
    let split = argument.to_str().filter(|_| !argument.exists());
    match split.and_then(|text| text.split_once('=')) {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => {
            (Some(name.to_owned()), Path::new(file))
        }
        _ => (None, argument),
    }
}

/// The labels of profiles, each another one: their names, or what tells their paths apart.
fn labels(profiles: &[ProfileFiles]) -> Vec<String> {
    let unnamed: Vec<&Path> =
        profiles.iter().filter(|of| of.name.is_none()).map(|of| of.path.as_path()).collect();
    let mut distinct = distinct_texts(&unnamed).into_iter();
    let mut known = HashSet::new();
    let mut labels = Vec::with_capacity(profiles.len());
    for profile in profiles {
        let name = match &profile.name {
            Some(name) => name.clone(),
            None => distinct.next().unwrap_or_default(),
        };
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let mut free = std::iter::once(name.clone()).chain(numbered);
        let label = free.find(|label| !known.contains(label)).unwrap_or(name);
        known.insert(label.clone());
        labels.push(label);
    }
    labels
}

/// What tells paths apart: their names or, if these are equal or the numbers of processes, their
/// folders; each without what all begin and end with.
fn distinct_texts(paths: &[&Path]) -> Vec<String> {
    let text = |text: Option<&OsStr>| text.unwrap_or_default().to_string_lossy().into_owned();
    let names: Vec<String> = paths.iter().map(|path| text(path.file_name())).collect();
    let whole: Vec<String> =
        paths.iter().map(|path| path.as_os_str().to_string_lossy().into_owned()).collect();
    let folders: Vec<String> =
        paths.iter().map(|path| text(path.parent().map(Path::as_os_str))).collect();
    let are_distinct = |texts: &[String]| texts.iter().collect::<HashSet<_>>().len() == texts.len();
    let are_of_processes = || paths.iter().all(|path| run_of(path).is_some());
    let texts = if are_distinct(&folders) && are_of_processes() && paths.len() > 1 {
        folders
    } else if are_distinct(&names) {
        names
    } else {
        whole
    };
    let short = without_common_ends(&texts);
    if are_distinct(&short) && short.iter().all(|label| !label.is_empty()) { short } else { texts }
}

/// Texts without the words that all begin and end with. The numbers of a version are one word.
fn without_common_ends(texts: &[String]) -> Vec<String> {
    let [first, others @ ..] = texts else {
        return Vec::new();
    };
    if others.is_empty() {
        let stem = Path::new(first).file_stem();
        return vec![
            stem.map_or_else(|| first.clone(), |stem| stem.to_string_lossy().into_owned()),
        ];
    }
    let common = |count: fn(&str, &str) -> usize| {
        others.iter().map(|other| count(first, other)).min().unwrap_or(0)
    };
    let starts = common(|a, b| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count());
    let ends =
        common(|a, b| a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count());
    let bytes = first.as_bytes();
    // A word ends before or after a sign, but `.` between digits is none.
    let is_sign = |at: usize| {
        let digit =
            |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
        match bytes[at] {
            b'.' => !(digit(at.checked_sub(1)) && digit(Some(at + 1))),
            b'-' | b'_' | b'/' | b' ' | b'#' => true,
            _ => false,
        }
    };
    let start = (0..starts).rev().find(|&at| is_sign(at)).map_or(0, |at| at + 1);
    let last = (bytes.len() - ends..bytes.len()).find(|&at| is_sign(at)).unwrap_or(bytes.len());
    let end = bytes.len() - last;
    let short = texts.iter().map(|text| text.get(start..text.len().saturating_sub(end)));
    short.map(|text| text.unwrap_or_default().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_what_tells_paths_apart() {
        let table: &[(&str, &str)] = &[
            ("v1.out v2.out v10.out", "v1 v2 v10"),
            ("a/v1.out b/v2.out", "v1 v2"),
            ("v1/callgrind.out v2/callgrind.out", "v1 v2"),
            ("out/v1/run out/v2/run", "v1 v2"),
            ("callgrind.out.100 callgrind.out.200", "100 200"),
            ("v1/callgrind.out.100 v2/callgrind.out.200", "v1 v2"),
            ("lua-5.1.out lua-5.2.out", "5.1 5.2"),
            ("lua-5.1.0.out lua-5.2.0.out", "5.1.0 5.2.0"),
            ("run.old run", "run.old run"),
            ("run-.out run-1.out", "run-.out run-1.out"),
            ("old_slow.out new_slow.out", "old new"),
            ("a.out a.out", "a.out a.out (2)"),
            ("base.out", "base"),
            ("run.out#1 run.out#2", "1 2"),
            ("\u{e9}1.out \u{e9}2.out", "\u{e9}1 \u{e9}2"),
            ("\u{e8}.out \u{e9}.out", "\u{e8} \u{e9}"),
        ];
        for (paths, expected) in table {
            let profile = |path: &str| ProfileFiles {
                files: vec![path.into()],
                name: None,
                path: path.into(),
                run: None,
            };
            let profiles: Vec<ProfileFiles> = paths.split(' ').map(profile).collect();
            assert_eq!(labels(&profiles).join(" "), *expected, "{paths}");
        }
    }
}
