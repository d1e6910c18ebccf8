//! The texts of BASE's sources, which lines are aligned with.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::Result;

use super::{Context, message};
use crate::profile::FileId;
use crate::source::{Finder, Found, LineMap, is_newer};
use crate::view::{Alignments, Choice, FileSides, Rows, file_sides};

impl<'r> Context<'r> {
    /// Looks for BASE's texts of the sources to annotate. Where one text is all there is for both sides, and newer than a
    /// profile, it is left out, unless --auto=yes includes it.
    pub(super) fn find_base_sources(
        &self,
        choices: &mut Vec<Choice>,
        rows: &Rows<'r>,
        includes_newer: bool,
        err: &mut impl Write,
    ) -> Result<()> {
        let profile = &self.input.profile;
        if !profile.is_difference() {
            return Ok(());
        }
        let (sides, finder) = (file_sides(profile, rows), self.base_finder());
        let written = [&self.input.paths, &self.options.input.base].map(|paths| oldest(paths));
        let is_newer_than_any = |found: &Found| {
            let mut written = written.iter().flatten();
            let modified = found.modified;
            modified.is_some_and(|modified| written.any(|written| is_newer(modified, *written)))
        };
        let mut left_out = Vec::new();
        choices.retain_mut(|choice| {
            let Some(file) = choice.file() else {
                return true;
            };
            let sides = sides[file.index()];
            let base = self.base_source(&choice.name, sides, &finder);
            if !sides.on.new {
                choice.lookup.found = base.or(choice.lookup.found.take());
                return true;
            }
            let Some(new) = choice.lookup.found.as_ref().filter(|_| sides.on.base) else {
                return true;
            };
            choice.base = base.filter(|base| !base.is_same(new));
            choice.is_doubtful = choice.base.is_none() && is_newer_than_any(new);
            let is_left_out = choice.is_doubtful && !includes_newer;
            if is_left_out {
                left_out.push(choice.name.clone());
            }
            !is_left_out
        });
        let Some(first) = left_out.first() else {
            return Ok(());
        };
        let (first, more) = (first.escape_ascii(), left_out.len() - 1);
        let (sources, verb) = match more {
            0 => (format!("{first} is"), "its lines are"),
            _ => (
                format!("{first} and {more} more sources are"),
                "their lines are",
            ),
        };
        message::note(
            err,
            format_args!(
                "{sources} newer than a profile: {verb} not annotated; --base-include=DIR names the old sources, \
                 --auto=yes annotates in any case"
            ),
        )?;
        Ok(())
    }

    /// The texts of both sides, aligned, of all files of which both are found.
    pub(super) fn alignments(&self, rows: &Rows<'r>) -> Alignments {
        let profile = &self.input.profile;
        let mut alignments = Alignments::default();
        if !profile.is_difference() {
            return alignments;
        }
        let finder = self.base_finder();
        for (sides, file) in file_sides(profile, rows).into_iter().zip(0..) {
            let file = FileId(file);
            let name = profile.file(file);
            let is_on_both = sides.on.new && sides.on.base;
            let base = is_on_both.then(|| self.base_source(name, sides, &finder));
            let Some(base) = base.flatten() else { continue };
            let new = self.input.finder.find(name).found;
            let new = new.filter(|new| !new.is_same(&base));
            // What cannot be read is compared by the numbers of its lines.
            if let Some(Ok(map)) = new.map(|new| LineMap::of_files(&base, &new)) {
                alignments.maps.insert(file, map);
            }
        }
        alignments
    }

    fn base_finder(&self) -> Finder {
        Finder::new(self.options.input.base_folders.clone(), Vec::new())
    }

    /// BASE's text of a file, if it may be another one than NEW's.
    fn base_source(&self, name: &[u8], sides: FileSides, finder: &Finder) -> Option<Found> {
        let base = self.input.profile.file(sides.base?);
        let is_elsewhere = !self.options.input.base_folders.is_empty() || base != name;
        is_elsewhere.then(|| finder.find_below(base)).flatten()
    }
}

/// When the first of some files was written.
pub(super) fn oldest(paths: &[PathBuf]) -> Option<SystemTime> {
    let modified = paths.iter();
    let modified = modified.filter_map(|path| fs::metadata(path).ok()?.modified().ok());
    modified.min()
}
