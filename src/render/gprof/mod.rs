//! gprof's reports in its layouts, with counts in place of seconds. Columns are as wide as their widest number.

mod entries;
mod exec_counts;
mod flat;
mod graph;
mod index;
mod info;
mod sampled;
mod sampled_graph;
mod sampled_sources;

use std::borrow::Cow;
use std::io::{self, Write};

use super::number::NumberText;
use super::write_spaces;
use crate::profile::Profile;
use crate::view::{MergedFunctions, Qualifier, SourceLine, basename};

pub use exec_counts::write_exec_counts;
pub use flat::write_flat;
pub use graph::write_graph;
pub use index::write_index;
pub use info::{write_info, write_names};
pub use sampled::{SampledStyle, write_place_counts, write_sampled_flat};
pub use sampled_graph::{write_sampled_graph, write_sampled_index};
pub use sampled_sources::{
    CountedStyle, write_counted_file, write_counted_title, write_record_counts,
};

/// The line between two sections.
pub const SECTION_END: &[u8] = b"\x0c\n";

/// What all of gprof's reports have in common.
#[derive(Clone, Copy)]
pub struct GprofStyle<'a> {
    /// The functions, by number.
    pub functions: &'a MergedFunctions<'a>,
    /// The profile, for the names of files and events.
    pub profile: &'a Profile,
    /// The event in place of time.
    pub event: usize,
    /// Further events for the flat profile.
    pub more_events: &'a [usize],
    /// What 100% is.
    pub whole: i64,
    /// Whether names are followed by the files and lines where functions begin.
    pub with_files: bool,
    /// Whether files are shown with their folders.
    pub full_paths: bool,
    /// The width of the index.
    pub width: usize,
    /// Whether the index also has functions without a shown entry, because others refer to them.
    pub lists_hidden: bool,
    /// Whether functions without cost and calls are shown.
    pub zeros: bool,
    /// Whether control characters are shown as escapes, for the sake of a terminal.
    pub escapes: bool,
}

impl GprofStyle<'_> {
    /// A function's name, with the file and line where it begins if these are shown.
    fn name(&self, function: u32) -> Cow<'_, [u8]> {
        match self.with_files {
            true => self.name_at(function, &self.functions.start(function)),
            false => self.unique_name(function),
        }
    }

    /// A function's name, and what distinguishes it from others of that name.
    fn unique_name(&self, function: u32) -> Cow<'_, [u8]> {
        let known = &self.functions.list()[function as usize];
        let name = &known.name[..];
        let file = || self.path(self.functions.file(function));
        let object = || self.path(self.functions.object(function));
        match known.qualifier {
            Qualifier::Name => name.into(),
            Qualifier::File => [name, b" (", file(), b")"].concat().into(),
            Qualifier::Object => [name, b" (", object(), b")"].concat().into(),
            Qualifier::FileAndObject => {
                [name, b" (", file(), b", ", object(), b")"].concat().into()
            }
        }
    }

    /// A function's name with a line: `name (file:line)`, or without it if it is not known.
    fn name_at(&self, function: u32, site: &SourceLine) -> Cow<'_, [u8]> {
        if site.line == 0 {
            return self.unique_name(function);
        }
        let name = &self.functions.list()[function as usize].name;
        let file = self.path(self.profile.file(site.file));
        let line = format!(":{})", site.line);
        [&name[..], b" (", file, line.as_bytes()].concat().into()
    }

    fn path<'n>(&self, path: &'n [u8]) -> &'n [u8] {
        if self.full_paths {
            path
        } else {
            basename(path)
        }
    }

    fn event_name(&self) -> &[u8] {
        self.profile.events().name(self.event)
    }
}

/// The width of a text: its number of characters.
fn width(text: &[u8]) -> usize {
    let chars = text.utf8_chunks();
    chars
        .map(|chunk| chunk.valid().chars().count() + chunk.invalid().len())
        .sum()
}

/// Writes a number, right-aligned.
fn write_right(mut number: NumberText, width: usize, out: &mut impl Write) -> io::Result<()> {
    let more = number.prepend_spaces(width.saturating_sub(number.len()));
    write_spaces(more, out)?;
    out.write_all(number.as_bytes())
}

/// A percentage of the whole; 0 if that is 0.
fn percent(some: i128, whole: i64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        some as f64 * 100.0 / whole as f64
    }
}
