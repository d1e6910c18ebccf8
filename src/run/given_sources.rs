//! The sources among the files of the command line: which files of the profile they are, and which
//! lines `SOURCE:LINE` means.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};

use super::given_instead::{GivenInstead, NO_FILE};
use super::message::{Messages, display_name, display_path};
use super::unmatched;
use super::words::tip_for;
use crate::profile::{FileId, Profile};
use crate::read::ReadOptions;
use crate::render::counted;
use crate::source::{self, Finder};
use crate::view::basename;

/// By name of a source the lines that were given of it.
pub(super) type LinesOfSources = HashMap<Vec<u8>, Vec<u32>>;

/// The name of a given source, and the text of its line if only a line was given.
type GivenSource<'a> = (Vec<u8>, Option<&'a [u8]>);

/// The names in the profile of the given sources, each once, and the lines of those of which only
/// lines were given.
pub(super) fn given_sources<'p>(
    paths: impl Iterator<Item = &'p PathBuf>,
    read: &ReadOptions,
    profile: &Profile,
    finder: &mut Finder,
    messages: &Messages,
) -> Result<(Vec<Vec<u8>>, LinesOfSources)> {
    let (mut all, mut whole) = (Vec::new(), Vec::new());
    let mut lines = LinesOfSources::new();
    let names = |path: &Path, finder: &mut Finder| match moved(path, read, profile, finder) {
        Some(name) => {
            let (here, there) = (display_path(path), display_name(&name));
            messages.note(format!("{here} is taken for {there} of the profile"));
            Ok(vec![name])
        }
        None => names_of(path, read, profile, finder),
    };
    for path in paths {
        let given = match names(path, finder) {
            Ok(sources) => sources.into_iter().map(|source| (source, None)).collect(),
            Err(error) => given_lines(path, error, |source| names(source, finder))?,
        };
        for (source, line) in given {
            match line {
                None => whole.push(source.clone()),
                Some(text) => {
                    let range = lines_in(&source, text, path, finder)?;
                    lines.entry(source.clone()).or_default().extend(range);
                }
            }
            if !all.contains(&source) {
                all.push(source);
            }
        }
    }
    whole.iter().for_each(|source| drop(lines.remove(source)));
    Ok((all, lines))
}

/// The sources that an argument `SOURCE:LINE` names, with the text of the line, if the argument is
/// no source itself.
fn given_lines(
    argument: &Path,
    no_source: anyhow::Error,
    names_of: impl FnOnce(&Path) -> Result<Vec<Vec<u8>>>,
) -> Result<Vec<GivenSource<'_>>> {
    let Some((source, line)) = source::split_line(argument.as_os_str().as_encoded_bytes()) else {
        return Err(no_source);
    };
    let is_number = source::is_lines(line);
    match names_of(&source::path(source)) {
        Ok(sources) => Ok(sources.into_iter().map(|source| (source, Some(line))).collect()),
        Err(error) if is_number => Err(error),
        Err(_) => Err(no_source),
    }
}

/// The maximum number of lines of `SOURCE:FIRST-LAST`.
const MAX_LINES: u32 = 1_000;

/// The lines of a source that the text in an argument names: one, or the first and the last one.
fn lines_in(
    source: &[u8],
    text: &[u8],
    argument: &Path,
    finder: &Finder,
) -> Result<RangeInclusive<u32>> {
    let (argument, name) = (display_path(argument), display_name(source));
    if !source::is_lines(text) {
        let text = display_name(text);
        bail!("{argument}: {text} is not the number of a line");
    }
    let found = finder.find(source).found.and_then(|found| found.text().ok());
    let length = found.map_or(u32::MAX, |text| text.length());
    // A number that does not fit is beyond the end of any source.
    let number = |text: &[u8]| str::from_utf8(text).ok()?.parse().ok();
    let (first_text, last_text) = source::first_and_last(text);
    let [first, last] = [first_text, last_text].map(|text| number(text).unwrap_or(u32::MAX));
    if first == 0 {
        bail!("{argument}: the first line of {name} is 1");
    }
    if last < first {
        bail!("{argument}: the last line comes before the first one");
    }
    if first > length {
        bail!("{argument}: {name} has {}", counted(length as usize, "line"));
    }
    let end = last.min(length);
    if end - first >= MAX_LINES {
        bail!("{argument}: more than {MAX_LINES} lines; without numbers all of {name} is shown");
    }
    Ok(first..=end)
}

/// The source of the profile that a given file is elsewhere, as in another checkout: the only one
/// whose path has the most last components in common with it, at least the name, if that source is
/// not found itself. Files of the system and of packages are never elsewhere.
fn moved(
    path: &Path,
    read: &ReadOptions,
    profile: &Profile,
    finder: &mut Finder,
) -> Option<Vec<u8>> {
    let given = path.as_os_str().as_encoded_bytes();
    let dir = read.working_dir.as_deref();
    let of_profile = |file: &[u8]| !source::is_foreign(file) && !file.starts_with(b"./");
    let whole = source::normal_below(given, dir);
    let in_common = |file: &[u8]| {
        let [mut here, mut there] = [&whole[..], file].map(|path| path.rsplit(|&b| b == b'/'));
        std::iter::from_fn(|| (here.next()? == there.next()?).then_some(())).count()
    };
    let mut files: Vec<(usize, FileId)> = profile
        .files()
        .filter(|file| of_profile(file))
        .filter_map(|file| Some((in_common(file), profile.find_file(file)?)))
        .collect();
    files.sort_unstable();
    files.dedup();
    let &(most, file) = files.last().filter(|(most, _)| *most > 0 && path.is_file())?;
    if files.iter().rev().nth(1).is_some_and(|(next, _)| *next == most) {
        return None;
    }
    let name = profile.file(file);
    if source::ends_with(name, given) || finder.find_silently(name).is_some() {
        return None;
    }
    finder.add_named(name);
    finder.add_given(name, given);
    Some(name.to_vec())
}

/// The names in the profile of a given source: the same name, all that are the same path, or the
/// only one that ends with it; an error if there is no such name or several.
fn names_of(
    path: &Path,
    read: &ReadOptions,
    profile: &Profile,
    finder: &mut Finder,
) -> Result<Vec<Vec<u8>>> {
    let given = path.as_os_str().as_encoded_bytes();
    let dir = read.working_dir.as_deref();
    let name = dir.and_then(|dir| source::below(given, dir)).unwrap_or(given);
    finder.add_named(name);
    if profile.find_file(name).is_none() {
        // The path here, which --mod-filename may have changed, in all spellings that the profile
        // has.
        let paths = [name, &read.file_name(given)].map(|name| source::normal_below(name, dir));
        let is_same = |file: &&[u8]| paths.contains(&source::normal_below(file, dir));
        let same: Vec<Vec<u8>> = profile.files().filter(is_same).map(<[u8]>::to_vec).collect();
        if !same.is_empty() {
            same.iter().for_each(|file| finder.add_named(file));
            return Ok(same);
        }
        if let Some(only) = only_with_end(name, path, profile)? {
            finder.add_named(only);
            if finder.find(only).found.is_none() && path.is_file() {
                finder.add_given(only, given);
            }
            return Ok(vec![only.to_vec()]);
        }
    }
    let lookup = finder.find(name);
    if lookup.found.is_some() {
        return Ok(vec![name.to_vec()]);
    }
    let tie = lookup.tie();
    let is_known = profile.find_file(name).is_some();
    if is_known && tie.is_none() {
        return Err(GivenInstead::Source { path: path.to_owned(), name: name.to_vec() }.into());
    }
    Err(not_found(path, tie, is_known, profile))
}

/// The only file of the profile whose path ends with a name; an error if there are several.
fn only_with_end<'p>(name: &[u8], path: &Path, profile: &'p Profile) -> Result<Option<&'p [u8]>> {
    let files = profile.files().filter(|file| source::ends_with(file, name));
    let mut matching: Vec<&[u8]> = files.collect();
    if matching.len() > 1 && profile.is_difference() {
        // A file that BASE has under another name is the one of NEW.
        let mut ids: Vec<FileId> =
            matching.iter().filter_map(|name| profile.find_file(name)).collect();
        ids.sort_unstable();
        ids.dedup();
        matching = ids.into_iter().map(|file| profile.file(file)).collect();
    }
    match matching[..] {
        [] => Ok(None),
        [only] => Ok(Some(only)),
        [first, second, ..] => {
            let (count, path) = (matching.len(), display_path(path));
            let (first, second) = (display_name(first), display_name(second));
            let more = if count > 2 { ", ..." } else { "" };
            bail!(
                "{path}: {count} sources of the profile end with this name: {first}, {second}{more}"
            )
        }
    }
}

/// The error for a source that is not found: with the files between which the choice is not clear,
/// or what else the word may mean.
fn not_found(path: &Path, tie: Option<String>, is_known: bool, profile: &Profile) -> anyhow::Error {
    let given = path.as_os_str().as_encoded_bytes();
    if !is_known && tie.is_none() && unmatched::is_function(given, profile) {
        return GivenInstead::Function { path: path.to_owned() }.into();
    }
    let tip = if is_known {
        String::new()
    } else if let Some(tip) = tip_for(path) {
        format!("; {tip}")
    } else {
        unmatched::similar_files(basename(given), profile)
    };
    let why = tie.unwrap_or_else(|| NO_FILE.to_owned());
    anyhow!("{}: {why}{tip}", display_path(path))
}
