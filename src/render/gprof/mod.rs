//! gprof's reports in its layouts, with counts in place of seconds. Columns are as wide as their widest number.

mod entries;
mod flat;
mod graph;
mod sampled;

use std::borrow::Cow;
use std::io::{self, Write};

use crate::profile::{Count, Events, Part, Profile};
pub use crate::render::gprof::entries::write_index;
pub use crate::render::gprof::flat::{write_exec_counts, write_flat};
pub use crate::render::gprof::graph::write_graph;
pub use crate::render::gprof::graph::{write_sampled_graph, write_sampled_index};
pub use crate::render::gprof::sampled::{
    CountedStyle, write_counted_file, write_counted_title, write_record_counts,
};
pub use crate::render::gprof::sampled::{SampledStyle, write_place_counts, write_sampled_flat};
use crate::render::number::NumberText;
use crate::render::{with_commas, write_escaped, write_spaces};
use crate::view::{MergedFunctions, ProfileInfo, Qualifier, SourceLine, basename};

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

/// Writes the summary of a profile.
pub fn write_info(
    contents: &ProfileInfo,
    parts: &[Part],
    events: &Events,
    total: &[Count],
    escapes: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut files: Vec<&[u8]> = Vec::new();
    for part in parts.iter().filter(|part| !part.file.is_empty()) {
        if !files.contains(&&part.file[..]) {
            files.push(&part.file);
        }
    }
    out.write_all(if files.len() == 1 {
        b"File "
    } else {
        b"Files "
    })?;
    for (i, file) in files.iter().enumerate() {
        out.write_all(if i > 0 { b", '" } else { b"'" })?;
        write_escaped(file, escapes, out)?;
        out.write_all(b"'")?;
    }
    writeln!(
        out,
        " {}:",
        if files.len() == 1 {
            "contains"
        } else {
            "contain"
        }
    )?;
    let functions = numbered(contents.functions, "function");
    let lines = numbered(contents.lines, "line");
    writeln!(out, "\t{}", numbered(parts.len(), "part"))?;
    writeln!(
        out,
        "\t{functions} in {}",
        numbered(contents.objects, "object")
    )?;
    writeln!(out, "\t{lines} in {}", numbered(contents.files, "file"))?;
    writeln!(out, "\t{}", numbered(contents.call_sites, "call site"))?;
    writeln!(out, "\t{} calls", with_commas(contents.calls))?;
    writeln!(out, "\t{}:", numbered(events.len(), "event"))?;
    for (name, count) in events.names().zip(total) {
        out.write_all(b"\t\t")?;
        write_escaped(name, escapes, out)?;
        if let Some(long_name) = events.long_name(name) {
            out.write_all(b" (")?;
            write_escaped(long_name, escapes, out)?;
            out.write_all(b")")?;
        }
        let total = count.value().map_or_else(|| ".".to_owned(), with_commas);
        writeln!(out, ": {total} in all")?;
    }
    Ok(())
}

fn numbered(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    let count = with_commas(i64::try_from(count).unwrap_or(i64::MAX));
    format!("{count} {what}{plural}")
}

/// Writes names, one per line.
pub fn write_names(names: &[&[u8]], escapes: bool, out: &mut impl Write) -> io::Result<()> {
    for name in names {
        write_escaped(name, escapes, out)?;
        writeln!(out)?;
    }
    Ok(())
}
