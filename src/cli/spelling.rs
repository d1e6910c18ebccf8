//! Spellings that people bring from other programs, rewritten to our own before clap sees them.

use std::ffi::OsString;

use clap::error::{ContextKind, ErrorKind};
use clap::{Command, Error};

/// Other names of options.
const ALIASES: [(&str, &str); 1] = [("annotate", "auto")];

/// The words with `--no-X` as `--X=no`, and with our own names of options.
pub(super) fn normalise(command: &Command, words: Vec<OsString>) -> Vec<OsString> {
    let mut is_option = true;
    let normal = |word: OsString| {
        is_option &= word != "--";
        let long = word.to_str().filter(|_| is_option)?.strip_prefix("--")?;
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        let (name, value) = match name.strip_prefix("no-") {
            Some(name) if value.is_none() => (name, Some("no")),
            _ => (name, value),
        };
        let alias = ALIASES.iter().find(|(other, _)| *other == name);
        let name = alias.map_or(name, |(_, own)| own);
        if value == Some("no") && !is_yes_no(command, name) {
            return None;
        }
        Some(match value {
            Some(value) => format!("--{name}={value}").into(),
            None => format!("--{name}").into(),
        })
    };
    let mut normal = normal;
    words
        .into_iter()
        .map(|word| normal(word.clone()).unwrap_or(word))
        .collect()
}

/// Whether an option can be turned on and off.
fn is_yes_no(command: &Command, name: &str) -> bool {
    let mut known = command.get_arguments();
    let known = known.find(|known| known.get_long() == Some(name));
    let names = known.and_then(|known| known.get_value_names());
    names.is_some_and(|names| names.iter().any(|name| name.as_str() == "yes|no"))
}

/// An error of clap without the advice to pass an unknown option as a value.
pub(super) fn without_value_tip(mut error: Error) -> Error {
    if error.kind() == ErrorKind::UnknownArgument {
        error.remove(ContextKind::Suggested);
    }
    error
}
