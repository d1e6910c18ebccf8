//! Sources given on the command line: which source of the profile each of them is.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};

use super::message::display_path;
use crate::options::Options;
use crate::profile::{FileId, Profile};
use crate::source::{self, Finder, Step};

/// The names in the profile of the given sources, each once.
///
/// # Errors
/// A source is not there, or there are several of its name.
pub(super) fn find_all<'p>(
    paths: impl Iterator<Item = &'p PathBuf>,
    options: &Options,
    profile: &Profile,
    finder: &mut Finder,
) -> Result<Vec<Vec<u8>>> {
    let mut sources = Vec::new();
    for path in paths {
        let source = find(path, options, profile, finder)?;
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    Ok(sources)
}

/// The name in the profile of a source that was given: the same name, or the only one that ends with it.
///
/// # Errors
/// There is no such source, or there are several.
fn find(path: &Path, options: &Options, profile: &Profile, finder: &mut Finder) -> Result<Vec<u8>> {
    let given = path.as_os_str().as_encoded_bytes();
    let dir = options.input.read.working_dir.as_deref();
    let name = dir
        .and_then(|dir| given.strip_prefix(dir)?.strip_prefix(b"/"))
        .unwrap_or(given);
    if profile.find_file(name).is_none() {
        let files = profile.files().filter(|file| source::ends_with(file, name));
        let mut matching: Vec<&[u8]> = files.collect();
        if matching.len() > 1 && profile.is_difference() {
            // A file that BASE has under another name is the one of NEW.
            let files = matching.iter().filter_map(|name| profile.find_file(name));
            let mut files: Vec<FileId> = files.collect();
            files.sort_unstable();
            files.dedup();
            matching = files.into_iter().map(|file| profile.file(file)).collect();
        }
        match matching[..] {
            [] => {}
            [only] => {
                if finder.find(only).found.is_none() && path.is_file() {
                    finder.add_given(only, given);
                }
                return Ok(only.to_vec());
            }
            [first, second, ..] => {
                let (count, path) = (matching.len(), display_path(path));
                let (first, second) = (first.escape_ascii(), second.escape_ascii());
                let more = if count > 2 { ", ..." } else { "" };
                return Err(anyhow!(
                    "{path}: {count} sources of the profile end with this name: {first}, {second}{more}"
                ));
            }
        }
    }
    let lookup = finder.find(name);
    if lookup.found.is_some() {
        return Ok(name.to_vec());
    }
    let none = "neither a profile nor a source file found in the current or an -I directory";
    let why = lookup
        .tie()
        .map_or_else(|| none.to_owned(), Step::to_string);
    Err(anyhow!("{}: {why}{}", display_path(path), value_tip(path)))
}

/// A tip for a missing file that was probably meant as the value of an option.
pub(super) fn value_tip(path: &Path) -> &'static str {
    match path.to_str() {
        Some("yes" | "no") if !path.exists() => {
            "; the value of an option follows '=', as in --auto=no"
        }
        _ => "",
    }
}
