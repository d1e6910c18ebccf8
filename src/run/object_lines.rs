//! Source lines of profiles that have addresses alone, from the debug information of the objects.

use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::{Result, anyhow};

use super::input::display_path;
use super::message;
use crate::profile::{AddError, FoundLines, ObjectId, ProfileBuilder};
use crate::program::{Program, ProgramError};
use crate::source::{self, Finder};

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
    for (id, addresses) in profile.addresses_without_lines() {
        let name = profile.object(id).to_vec();
        if matches!(&name[..], b"" | b"???") {
            continue;
        }
        let Some((path, _)) = objects.find(&name) else {
            let name = name.escape_ascii();
            message::warn(
                err,
                format_args!("{name}: not found; its lines are unknown"),
            )?;
            continue;
        };
        let before = lines.len();
        let read =
            Program::open(&path).and_then(|program| find_all(&program, id, &addresses, &mut lines));
        let why = match read {
            Ok(false) if lines.len() > before => continue,
            Ok(false) => "no debug information; its lines are unknown".to_owned(),
            Ok(true) => "some of the debug information is damaged".to_owned(),
            Err(error) => format!("{error}; its lines are unknown"),
        };
        message::warn(err, format_args!("{}: {why}", display_path(&path)))?;
    }
    profile.set_lines(&lines).map_err(|error| match error {
        AddError::Overflow => anyhow!("64-bit overflow in a sum"),
        AddError::LimitExceeded => anyhow!("too many different names"),
    })?;
    Ok(!lines.is_empty())
}

/// Finds the lines of an object's addresses; true if some of its debug information is damaged.
fn find_all(
    program: &Program,
    object: ObjectId,
    addresses: &[u64],
    lines: &mut FoundLines,
) -> Result<bool, ProgramError> {
    let sections = program.debug_sections()?;
    let debug = sections.lines()?;
    for &address in addresses {
        if let Some((file, line @ 1..)) = debug.find(address) {
            lines.insert((object, address), (file.as_bytes().to_vec(), line));
        }
    }
    Ok(debug.is_damaged())
}
