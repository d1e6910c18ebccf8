//! Source lines of profiles that have addresses alone, from the debug information of the objects.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Result, anyhow};

use super::message;
use crate::profile::{AddError, FileId, FoundLines, ObjectId, Profile, ProfileBuilder};
use crate::program::{Program, ProgramError};
use crate::source::{self, Finder};
use crate::view::Choice;

/// Finds executables and libraries.
pub(super) struct ObjectFinder<'f> {
    pub(super) finder: &'f Finder,
    /// A folder that is put before their paths.
    pub(super) sysroot: Option<&'f OsStr>,
}

impl ObjectFinder<'_> {
    /// Where an object is, and when it was written: below the folder if there is one, or where sources are.
    pub(super) fn find(&self, name: &[u8]) -> Option<(PathBuf, Option<SystemTime>)> {
        let find = |name: &[u8]| {
            let found = self.finder.find(name).found?;
            Some((source::path(&found.path).into_owned(), found.modified))
        };
        let below = self
            .sysroot
            .map(|folder| [folder.as_encoded_bytes(), name].concat());
        below.and_then(|name| find(&name)).or_else(|| find(name))
    }
}

/// Gives the costs of the current side that have no source line the lines of their addresses. What is wrong with an
/// object is one warning; its costs stay without lines. False if nothing was found.
pub(super) fn add_lines(
    profile: &mut ProfileBuilder,
    objects: &ObjectFinder<'_>,
    err: &mut impl Write,
) -> Result<bool> {
    let mut lines = FoundLines::new();
    // In a profile with lines the other costs are of code without any: nothing is missing.
    let has_lines = profile.code().has_lines;
    for (id, addresses) in profile.addresses_without_lines() {
        let name = profile.object(id).to_vec();
        if matches!(&name[..], b"" | b"???") {
            continue;
        }
        let found = objects
            .find(&name)
            .map(|(path, _)| find_all(&path, id, &addresses, &mut lines));
        let why = match found {
            None => "not found; its lines are unknown".to_owned(),
            Some(Ok(DebugState::Found)) => continue,
            Some(Ok(DebugState::Missing)) => {
                "no debug information; its lines are unknown".to_owned()
            }
            Some(Ok(DebugState::Damaged)) => "some of the debug information is damaged".to_owned(),
            Some(Err(error)) => format!("{error}; its lines are unknown"),
        };
        if !has_lines {
            message::warn(err, format_args!("{}: {why}", name.escape_ascii()))?;
        }
    }
    profile.set_lines(&lines).map_err(|error| match error {
        AddError::Overflow => anyhow!("the counts add up to more than 2^61"),
        AddError::LimitExceeded => anyhow!("too many different names"),
    })?;
    Ok(!lines.is_empty())
}

/// What debug information an object has.
enum DebugState {
    Found,
    Missing,
    Damaged,
}

/// Finds the lines of an object's addresses.
fn find_all(
    path: &Path,
    object: ObjectId,
    addresses: &[u64],
    lines: &mut FoundLines,
) -> Result<DebugState, ProgramError> {
    let program = Program::open(path)?;
    let sections = program.debug_sections()?;
    if sections.is_empty() {
        return Ok(DebugState::Missing);
    }
    let debug = sections.lines()?;
    for &address in addresses {
        if let Some((file, line @ 1..)) = debug.find(address) {
            lines.insert((object, address), (file.as_bytes().to_vec(), line));
        }
    }
    Ok(match debug.is_damaged() {
        true => DebugState::Damaged,
        false => DebugState::Found,
    })
}

/// Looks up the lines of sources that have code, in the objects whose functions have code in them.
pub(super) fn add_code_lines(
    choices: &mut [Choice],
    profile: &Profile,
    objects: &ObjectFinder<'_>,
) {
    let files: HashSet<FileId> = choices.iter().filter_map(Choice::file).collect();
    let used = profile.fragments().iter();
    let used = used.filter(|fragment| files.contains(&fragment.file));
    let used: BTreeSet<ObjectId> = used
        .map(|fragment| profile.function(fragment.function).object)
        .collect();
    let mut found: Vec<(usize, u32)> = Vec::new();
    for object in used {
        let path = objects.find(profile.object(object));
        // An object that cannot be read was reported when costs got their lines; here it only lacks marks.
        if let Some(Ok(lines)) = path.map(|(path, _)| code_lines(&path, choices)) {
            found.extend(lines);
        }
    }
    found.sort_unstable();
    found.dedup();
    for (choice, line) in found {
        choices[choice].code_lines.push(line);
    }
}

/// The lines of sources, by number, that have code in an object.
fn code_lines(object: &Path, choices: &[Choice]) -> Result<Vec<(usize, u32)>, ProgramError> {
    let program = Program::open(object)?;
    let sections = program.debug_sections()?;
    let mut of_name: HashMap<String, Option<usize>> = HashMap::new();
    let mut found = Vec::new();
    sections.lines()?.walk_lines(&mut |file, line| {
        let choice = match of_name.get(file) {
            Some(choice) => *choice,
            None => {
                let mut all = choices.iter();
                let choice = all.position(|choice| is_same(&choice.name, file));
                of_name.insert(file.to_owned(), choice);
                choice
            }
        };
        found.extend(choice.map(|choice| (choice, line)));
    });
    Ok(found)
}

/// Whether the profile's name of a source is the end of the one that debug information has.
fn is_same(name: &[u8], path: &str) -> bool {
    let parts = |path| {
        Path::new(path)
            .components()
            .filter(|part| *part != Component::CurDir)
    };
    let name = String::from_utf8_lossy(name);
    let mut path = parts(path).rev();
    let mut of_name = parts(&name).rev();
    of_name.all(|part| path.next() == Some(part))
        && (!name.starts_with('/') || path.next().is_none())
}
