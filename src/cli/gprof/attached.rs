//! Values attached to letters, as gprof has them: `-pmain`.

use std::ffi::OsString;

use clap::Command;

/// Inserts `=` between short options and values that gprof takes only attached, as in `-pmain`: clap takes a value
/// that may be missing after `=` alone.
pub(super) fn attach_values(
    command: &Command,
    words: impl Iterator<Item = OsString>,
) -> Vec<OsString> {
    let mut is_option = true;
    words
        .enumerate()
        .map(|(i, word)| {
            is_option &= word != "--";
            let at = word
                .to_str()
                .filter(|_| i > 0 && is_option)
                .and_then(|text| {
                    let letters = text
                        .strip_prefix('-')
                        .filter(|text| !text.starts_with('-'))?;
                    let at = value_of_optional(command, letters)?;
                    Some(text.len() - letters.len() + at)
                });
            match (word.to_str(), at) {
                (Some(text), Some(at)) => format!("{}={}", &text[..at], &text[at..]).into(),
                _ => word,
            }
        })
        .collect()
}

/// Where in a bundle of letters the value of one begins whose value may be missing.
fn value_of_optional(command: &Command, letters: &str) -> Option<usize> {
    for (at, letter) in letters.char_indices() {
        let option = command
            .get_arguments()
            .find(|arg| arg.get_short() == Some(letter))?;
        if option.is_require_equals_set() {
            let value = at + letter.len_utf8();
            let rest = &letters[value..];
            return (!rest.is_empty() && !rest.starts_with('=')).then_some(value);
        }
        if option.get_action().takes_values() {
            return None;
        }
    }
    None
}
