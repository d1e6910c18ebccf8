//! The warnings about the files that are read: a line for each, but one line for all files that
//! have the same warning if these are many and no costs are lost. Each damaged file is named.

use super::message::Messages;
use super::read_files::ReadFile;
use crate::read::warning::Warning;

/// The maximum number of files that have a line each for the same warning.
const MAX_ALIKE: usize = 3;

/// Where a warning is: the number of the file among those that are read, and the line.
#[derive(Clone, Copy, PartialEq, Eq)]
struct WarningPlace {
    file: usize,
    line: u64,
}

/// The warnings of one kind, without those of damage.
struct WarningKind<'f> {
    first: WarningPlace,
    last: WarningPlace,
    /// The number of files that have such a warning.
    files: usize,
    /// The one with the largest number, or else the first.
    shown: (WarningPlace, &'f Warning),
}

/// Prints the warnings about files in their order. `is_shown` is whether the report shows an event
/// other than the first.
pub(super) fn warn_of_files(
    files: &[ReadFile],
    is_shown: impl Fn(&str) -> bool,
    messages: &Messages,
) {
    let kinds = kinds(files);
    for (at, file) in files.iter().enumerate() {
        for (line, warning) in &file.warnings.listed {
            let place = WarningPlace { file: at, line: *line };
            let minor = warning.minor_events();
            if !minor.is_empty() && !minor.iter().any(|event| is_shown(event)) {
                continue;
            }
            let max_alike = if minor.is_empty() { MAX_ALIKE } else { 1 };
            let has_one_line =
                |kind: &&WarningKind<'_>| kind.files > max_alike && warning.damage().is_none();
            let mut of_many = kinds.iter().filter(has_one_line);
            match of_many.find(|kind| kind.shown.1.is_like(warning)) {
                None => messages.warn(format!("{}:{line}: {warning}", file.name)),
                Some(kind) if kind.first == place => messages.warn(kind.text(files)),
                Some(_) => {}
            }
        }
        let more = file.warnings.unlisted;
        if more > 0 {
            let s = if more == 1 { "" } else { "s" };
            messages.warn(format!("{}: {more} more warning{s} not shown", file.name));
        }
        if let Some(lost) = &file.warnings.lost_costs {
            messages.warn(format!("{}: {lost}", file.name));
        }
    }
}

/// The kinds of warnings that the files have.
fn kinds(files: &[ReadFile]) -> Vec<WarningKind<'_>> {
    let mut kinds: Vec<WarningKind<'_>> = Vec::new();
    for (file, read) in files.iter().enumerate() {
        let listed = read.warnings.listed.iter();
        for (line, warning) in listed.filter(|(_, warning)| warning.damage().is_none()) {
            let place = WarningPlace { file, line: *line };
            match kinds.iter_mut().find(|kind| kind.shown.1.is_like(warning)) {
                None => kinds.push(WarningKind {
                    first: place,
                    last: place,
                    files: 1,
                    shown: (place, warning),
                }),
                Some(kind) => {
                    kind.files += usize::from(kind.last.file != file);
                    kind.last = place;
                    if warning.size() > kind.shown.1.size() {
                        kind.shown = (place, warning);
                    }
                }
            }
        }
    }
    kinds
}

impl WarningKind<'_> {
    fn text(&self, files: &[ReadFile]) -> String {
        let (WarningPlace { file, line }, warning) = self.shown;
        let which = if warning.size().is_some() { "largest" } else { "first" };
        format!(
            "{}:{line}: {warning} (the {which} such warning in {} of {} files)",
            files[file].name,
            self.files,
            files.len()
        )
    }
}
