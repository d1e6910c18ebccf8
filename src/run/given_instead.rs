//! A word of the command line that is no file and no source that is found, but says what a list for
//! people is to show: the lines of a source that is elsewhere, or a function.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::message::display_path;
use crate::options::{Options, ReportKind};
use crate::render::SuggestedCommand;
use crate::view::filter::IncludeExclude;
use crate::view::{Pattern, RowBy, Rule, Threshold};

/// The error for it in other reports.
#[derive(Debug, Error)]
pub(super) enum GivenInstead {
    /// A source of the profile, with its name there.
    #[error("{}: {NOT_FOUND}: -I DIRECTORY", display_path(path))]
    Source { path: PathBuf, name: Vec<u8> },
    #[error("{}: {NO_FILE}; for the function: {}", display_path(path), option_of(path))]
    Function { path: PathBuf },
}

const NOT_FOUND: &str = "a source of the profile, but not found in the current directory";

pub(super) const NO_FILE: &str =
    "neither a profile nor a source file found in the current or an -I directory";

fn option_of(function: &Path) -> SuggestedCommand {
    SuggestedCommand::new("").option("-f", function.as_os_str().as_encoded_bytes())
}

impl GivenInstead {
    /// The word as it was given.
    pub(super) fn path(&self) -> &PathBuf {
        match self {
            GivenInstead::Source { path, .. } | GivenInstead::Function { path } => path,
        }
    }

    /// What is said above the list.
    pub(super) fn note(&self) -> String {
        match self {
            GivenInstead::Source { path, .. } => {
                let path = display_path(path);
                format!("{path}: {NOT_FOUND}, so its lines have no texts: -I DIRECTORY")
            }
            GivenInstead::Function { path } => {
                format!("{}: no file, but a function: {}", display_path(path), option_of(path))
            }
        }
    }

    fn rule(&self) -> Option<Rule> {
        let (kind, name) = match self {
            GivenInstead::Source { name, .. } => ("file", &name[..]),
            GivenInstead::Function { path } => ("function", path.as_os_str().as_encoded_bytes()),
        };
        Some(Rule::of(kind, Pattern::parse(str::from_utf8(name).ok()?).ok()?))
    }

    /// The options of the list; none if the report is no list of functions for people, or has
    /// limits, which would be judged on what a guess selects.
    pub(super) fn options(&self, options: &Options) -> Option<Options> {
        let list = options.report.list()?;
        let is_of_lines = matches!(self, GivenInstead::Source { .. });
        let may_have_lines = list.tree.is_empty() && !list.nested && !options.code.is_shown();
        let is_plain = options.is_text()
            && options.rows.row_by == RowBy::Function
            && !options.input.compares()
            && options.limits.is_empty()
            && (may_have_lines || !is_of_lines);
        let rule = self.rule().filter(|_| is_plain)?;
        let mut instead = options.clone();
        let choice = IncludeExclude { include: vec![rule], ..IncludeExclude::default() };
        instead.rows.filter.choices.push(choice);
        instead.input.files.retain(|file| file != self.path());
        if !instead.selection.has_own_threshold {
            instead.selection.threshold = Threshold::all();
        }
        if let ReportKind::Page(page) = &mut instead.report {
            // All lines or functions that match are listed.
            if page.screen().is_some() {
                page.below_list = None;
                instead.selection.list.top = None;
            }
            if is_of_lines {
                instead.rows.row_by = RowBy::Line;
                // Most lines with calls have no self cost.
                page.list.inclusive = true;
            }
        }
        Some(instead)
    }
}
