//! The commands that messages and reports suggest: those that read the same files again.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::Context;
use super::programs::sibling_names;
use crate::options::{GivenOption, ScreenOptions};
use crate::render::SuggestedCommand;
use crate::source;
use crate::view::{KeptCode, ScreenLine};

/// The maximum number of files that a suggested command names one by one, if a shell's `*` finds
/// them.
pub(super) const MAX_NAMED_FILES: usize = 5;

impl Context<'_> {
    /// The commands that show lines in their sources, with the given options that change numbers or
    /// find sources.
    pub(super) fn commands_of_lines<'l>(
        &self,
        options: &ScreenOptions,
        lines: impl IntoIterator<Item = &'l ScreenLine>,
    ) -> Vec<SuggestedCommand> {
        let Some(command) = self.command_again("", options) else {
            return Vec::new();
        };
        let command = |line: &ScreenLine| {
            let place = [&line.file[..], format!(":{}", line.line).as_bytes()].concat();
            command.clone().file(&source::path(&place))
        };
        lines.into_iter().map(command).collect()
    }

    /// The command that reads the same files again, with an option and the given ones that change
    /// numbers or find sources; none if standard input is one of the files.
    pub(super) fn command_again(
        &self,
        option: &str,
        options: &ScreenOptions,
    ) -> Option<SuggestedCommand> {
        let input = &self.options.input;
        let files = if input.files.is_empty() { &self.input.paths } else { &input.files };
        if files.iter().chain(&input.base).any(|file| file == Path::new("-")) {
            return None;
        }
        let mut start = SuggestedCommand::new("cgannotate").words(option);
        for GivenOption { option, value } in &options.repeated {
            start = start.given(option, value.as_deref());
        }
        for base in &input.base {
            start = start.option("--diff", base.as_os_str().as_encoded_bytes());
        }
        Some(with_files(start, files))
    }
}

/// A command with the options that keep the same part of the profile.
pub(super) fn with_kept(mut command: SuggestedCommand, kept: &[KeptCode]) -> SuggestedCommand {
    for code in kept {
        for pattern in &code.patterns {
            command = command.option(&format!("--{}", code.option()), &pattern.text);
        }
    }
    command
}

/// A command that reads these files.
pub(super) fn with_files(command: SuggestedCommand, files: &[PathBuf]) -> SuggestedCommand {
    match glob_of(files) {
        Some(start_of_names) => command.glob(&start_of_names),
        None => files.iter().fold(command, |command, file| command.file(file)),
    }
}

/// The start of the names of many files, if no other file in their folder begins with it: a shell
/// finds them by that and a star.
fn glob_of(files: &[PathBuf]) -> Option<PathBuf> {
    let (first, rest) = files.split_first().filter(|_| files.len() > MAX_NAMED_FILES)?;
    let folder = first.parent()?;
    let mut start = first.file_name()?.to_str()?;
    let mut names = HashSet::from([start]);
    for file in rest {
        let name = file.file_name()?.to_str().filter(|_| file.parent() == Some(folder))?;
        let is_same = |(a, b): &(char, char)| a == b;
        let length = start.chars().zip(name.chars()).take_while(is_same);
        start = &start[..length.map(|(c, _)| c.len_utf8()).sum()];
        names.insert(name);
    }
    let beside = sibling_names(first).filter(|name| name.starts_with(start)).count();
    let is_all = !start.is_empty() && !start.starts_with('.') && beside == names.len();
    is_all.then(|| folder.join(start))
}
