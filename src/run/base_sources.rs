//! The texts of BASE's sources, with which the lines of NEW's are aligned.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use super::Context;
use crate::profile::{FileId, Presence, Profile};
use crate::read::file_of;
use crate::run::message::{and_more, display_name};
use crate::source::{Finder, Found, LineMap, TextsOfSides, is_of_system};
use crate::view::{Alignments, Choice};

impl Context<'_> {
    /// Finds BASE's texts of the sources to annotate. A source with only one text for both sides
    /// that is newer than a profile is left out, unless --auto=yes includes it.
    pub(super) fn find_base_sources(&self, choices: &mut Vec<Choice>, includes_newer: bool) {
        let profile = self.profile;
        if !profile.is_difference() {
            return;
        }
        let sides_of_files = file_sides(profile);
        let find_base = base_sources(profile, &self.input.finder, &self.options.input.base_folders);
        let written = [&self.input.paths, &self.options.input.base].map(|paths| oldest(paths));
        let is_newer_than_any =
            |found: &Found| written.iter().any(|&written| found.is_newer(written));
        let mut left_out = Vec::new();
        choices.retain_mut(|choice| {
            let Some(file) = choice.file else {
                return true;
            };
            let sides = sides_of_files[file.index()];
            let base = find_base(file, sides);
            if !sides.new {
                choice.lookup.found = base.or(choice.lookup.found.take());
                return true;
            }
            let Some(new) = choice.lookup.found.as_ref().filter(|_| sides.base) else {
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
            return;
        };
        let (first, more) = (display_name(first), and_more(left_out.len() - 1));
        self.messages.note(format!(
            "{first}{more}: newer than a profile, so lines are not annotated; --base-include=DIR names the old sources, \
             --auto=yes annotates in any case"
        ));
    }

    pub(super) fn alignments(&self) -> Alignments {
        let (profile, folders) = (self.profile, &self.options.input.base_folders);
        alignments(profile, &self.input.finder, folders)
    }
}

/// The texts of both sides, aligned, of all files of which both are found.
pub(super) fn alignments(profile: &Profile, finder: &Finder, base: &[Vec<u8>]) -> Alignments {
    let mut alignments = Alignments::default();
    if !profile.is_difference() {
        return alignments;
    }
    let find_base = base_sources(profile, finder, base);
    for (sides, file) in file_sides(profile).into_iter().zip(0..) {
        let file = FileId(file);
        let is_on_both = sides.new && sides.base;
        let base = is_on_both.then(|| find_base(file, sides));
        let Some(base) = base.flatten() else { continue };
        let new = finder.find(profile.file(file)).found.filter(|new| !new.is_same(&base));
        // Without a text, lines are compared by number.
        let renamed = &profile.renamed().words;
        if let Some(Ok(map)) = new.map(|new| LineMap::of_files(&base, &new, renamed)) {
            alignments.insert(file, map);
        }
    }
    alignments
}

/// What is known of the texts of files. A source that both sides have at one place is NEW's, as
/// nothing says when BASE was built, unless it is named as BASE's, too.
pub(super) fn texts_of_sides<'f>(
    profile: &Profile,
    finder: &'f Finder,
    folders: &[Vec<u8>],
) -> impl Fn(&Profile, FileId) -> TextsOfSides + use<'f> {
    let sides = file_sides(profile);
    let texts = texts_of_names(finder, folders);
    move |profile, file| {
        let name = profile.file(file);
        let base_name = profile.base_file(file).map_or(name, |base| profile.file(base));
        texts(name, base_name, sides[file.index()].base)
    }
}

/// The same of files with a name in NEW and one in BASE, and whether BASE has costs or calls there.
pub(super) fn texts_of_names<'f>(
    finder: &'f Finder,
    folders: &[Vec<u8>],
) -> impl Fn(&[u8], &[u8], bool) -> TextsOfSides + use<'f> {
    let base_finder = finder.of_base(folders);
    let has_folders = !folders.is_empty();
    move |name, base_name, is_in_base| {
        // The sources of a toolchain are those of its release, which is part of their names.
        if base_name == name && is_of_system(name) {
            return TextsOfSides::Same(Vec::new());
        }
        let text = |found: Found| found.read().ok();
        let Some(new) = finder.find_silently(name) else {
            return TextsOfSides::Unknown;
        };
        let is_renamed = base_name != name || finder.differs_in_base(base_name);
        let is_elsewhere = is_in_base && (has_folders || is_renamed);
        let base = is_elsewhere.then(|| base_finder.find_below_silently(base_name)).flatten();
        match (base.and_then(text), text(new)) {
            (_, None) => TextsOfSides::Unknown,
            (None, Some(new)) => TextsOfSides::OnlyNew(new),
            (Some(base), Some(new)) if base == new => TextsOfSides::Same(new),
            (Some(base), Some(new)) => TextsOfSides::Both { base, new },
        }
    }
}

/// By file, the sides of a difference on which it has costs or calls.
fn file_sides(profile: &Profile) -> Vec<Presence> {
    let mut files = vec![Presence::default(); profile.file_count()];
    for (place, on) in profile.places_and_sites() {
        let file = &mut files[profile.fragment(place.fragment).file.index()];
        *file = file.or(on);
    }
    files
}

/// Finds BASE's text of a file with costs on some sides, if it may differ from NEW's.
fn base_sources(
    profile: &Profile,
    new_finder: &Finder,
    folders: &[Vec<u8>],
) -> impl Fn(FileId, Presence) -> Option<Found> {
    let finder = new_finder.of_base(folders);
    let has_folders = !folders.is_empty();
    move |file, sides| {
        let base = profile.base_file(file);
        let name = profile.file(base.unwrap_or(file));
        let is_renamed = base.is_some() || new_finder.differs_in_base(name);
        let is_elsewhere = sides.base && (has_folders || is_renamed);
        is_elsewhere.then(|| finder.find_below(name)).flatten()
    }
}

/// The time at which the oldest of some files was written.
pub(super) fn oldest(paths: &[PathBuf]) -> Option<SystemTime> {
    paths.iter().filter_map(|path| fs::metadata(file_of(path)).ok()?.modified().ok()).min()
}
