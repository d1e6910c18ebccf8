//! Functions that a pattern means and that a profile lacks, though the symbols of programs and
//! libraries have them: they were never called, or have another name in the profile.

use std::cmp::Reverse;

use hashbrown::HashSet;

use super::lacking_code::{CostOfObject, costs_of_objects};
use super::message::{and_more, display_name};
use crate::demangle::displayed;
use crate::profile::Profile;
use crate::program::{FunctionSymbol, Program};
use crate::source::{self, Finder, basename};
use crate::view::{Rule, Subject};

/// What is to be said of functions that a profile lacks.
pub(super) enum NotThere {
    NeverCalled(String),
    OtherName(String),
}

impl NotThere {
    /// The functions of the profile's objects that a rule matches, as it matches none of the
    /// profile.
    pub(super) fn find(rule: &Rule, profile: &Profile, finder: &Finder) -> Option<NotThere> {
        let mut objects = costs_of_objects(profile, 0);
        objects.sort_by_key(|object| Reverse(object.sum()));
        let called: HashSet<&[u8]> =
            profile.names().map(|name| without_version(profile, name)).collect();
        objects.iter().find_map(|CostOfObject { name, .. }| {
            let found = finder.find_object(name)?;
            let program = Program::open(&source::path(&found.path)).ok()?;
            let functions = program.functions().ok()?;
            let is_meant = |function: &&FunctionSymbol| {
                let subject = Subject::new(Some(name), b"", &function.name);
                rule.matches(&subject.of_kind(profile.name_kind()))
            };
            let mut meant: Vec<&FunctionSymbol> = functions.iter().filter(is_meant).collect();
            meant.dedup_by_key(|function| function.address);
            let first = meant.first()?;
            let object = display_name(name);
            let shown = |function: &FunctionSymbol| display_name(displayed(&function.name, true));
            let is_called = |other: &&FunctionSymbol| {
                called.contains(&other.name[..]) || called.contains(&*displayed(&other.name, true))
            };
            let of_address = functions.iter().filter(|other| other.address == first.address);
            if let Some(other) = of_address.clone().find(is_called) {
                let other = shown(other);
                let text = format!("its name in this profile is {other} (of {object})");
                return Some(NotThere::OtherName(text));
            }
            let at =
                line_of(&program, first.address).map_or(String::new(), |at| format!(" ({at})"));
            let (name, more) = (shown(first), and_more(meant.len() - 1));
            let were = if meant.len() == 1 { "is" } else { "are" };
            Some(NotThere::NeverCalled(format!(
                "{name}{at}{more} {were} in {object}, but never called in this profile"
            )))
        })
    }
}

/// Whether the debug information of an object has the last component of a pattern as a name, which
/// may be that of an inlined function.
pub(super) fn is_in_debug_information(pattern: &[u8], profile: &Profile, finder: &Finder) -> bool {
    let is_of_name = |&byte: &u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let name = pattern.rsplit(|&byte| byte == b':').next().unwrap_or_default();
    let has_name = |object: &[u8]| {
        let found = finder.find_object(object)?;
        let program = Program::open(&source::path(&found.path)).ok()?;
        Some(program.debug_sections().ok()?.has_name(name))
    };
    let is_name = !name.is_empty() && name.iter().all(is_of_name);
    is_name && costs_of_objects(profile, 0).iter().any(|of| has_name(of.name) == Some(true))
}

/// A name in the profile without recursion level, caller and version (`@@GLIBC_2.2.5`).
fn without_version<'n>(profile: &Profile, name: &'n [u8]) -> &'n [u8] {
    let bare = profile.name_kind().without_suffixes(name);
    bare.split(|&byte| byte == b'@').next().unwrap_or_default()
}

/// The source line of an address.
fn line_of(program: &Program, address: u64) -> Option<String> {
    let sections = program.debug_sections().ok()?;
    let lines = sections.lines().ok()?;
    let (file, line) = lines.find(address).filter(|(_, line)| *line > 0)?;
    Some(format!("{}:{line}", display_name(basename(file.as_bytes()))))
}
