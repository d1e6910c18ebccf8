//! Notes on which runs the files are of: several that are added up, or a part of one.

use std::collections::HashSet;

use super::Context;
use super::commands::with_files;
use super::message::display_path;
use super::newest::files_of_run;
use crate::profile::Part;
use crate::render::{SuggestedCommand, with_commas};
use crate::source;

impl Context<'_> {
    /// Notes that the costs of several processes of one program are added up, if their files were
    /// named, since runs of two versions may have been meant to be compared. Those of processes
    /// that forked each other are counted twice as far as they are the same.
    pub(super) fn note_sum_of_runs(&self) {
        let (files, paths) = (&self.options.input.files, &self.input.paths);
        let is_sum = self.is_format(|format| format.is_columns)
            && self.series.is_none()
            && !self.profile.is_difference();
        if !is_sum || paths.len() < 2 || files.len() < paths.len() {
            return;
        }
        let parts = self.profile.parts();
        let program = |part: &Part| {
            let command = part.command.as_deref()?;
            let words = command.split(u8::is_ascii_whitespace).next()?;
            Some(source::basename(words).to_vec())
        };
        let pids: HashSet<_> = parts.iter().filter_map(|part| part.pid.as_ref()).collect();
        let programs: HashSet<_> = parts.iter().map(program).collect();
        if pids.len() < paths.len() || programs.len() != 1 {
            return;
        }
        let start = SuggestedCommand::new("cgannotate");
        let command = match &paths[..] {
            [base, new] => start.option("--diff", base.as_os_str().as_encoded_bytes()).file(new),
            // A star may have another order.
            paths => paths.iter().fold(start.words("--series"), |command, path| command.file(path)),
        };
        let count = with_commas(pids.len());
        let text = if self.may_have_forked(pids.len()) {
            "if one forked another, what it did before is in both profiles and counted twice; to \
             compare them"
        } else {
            "to compare runs"
        };
        self.messages
            .note(format!("the costs of {count} processes are added up; {text}: {command}"));
    }

    /// Notes that a file is the last of several parts of a run that are beside it.
    pub(super) fn note_other_parts(&self) {
        let ([path], [only]) = (&self.input.paths[..], self.profile.parts()) else {
            return;
        };
        let number = only.part_number.as_deref().and_then(|text| str::from_utf8(text).ok());
        let is_later = number.is_some_and(|text| text.parse().is_ok_and(|number: u32| number > 1));
        let is_list = self.is_format(|format| format.is_columns) && !self.profile.is_difference();
        if !is_later || !is_list {
            return;
        }
        let mut files = files_of_run(path);
        if !files.contains(path) {
            files.push(path.clone());
        }
        if files.len() > 1 {
            let command = with_files(SuggestedCommand::new("cgannotate"), &files);
            let (file, part) = (display_path(path), number.unwrap_or_default());
            self.messages.note(format!("{file} is part {part} of its run; all parts: {command}"));
        }
    }
}
