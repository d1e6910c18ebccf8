//! Commands, and options of a command, that messages suggest. They are made to be copied into a
//! shell, and their words come from profiles and names of files: this type is the only way to print
//! one.

use std::fmt;
use std::path::Path;

use crate::render::is_control;
use crate::render::marks::UNBROKEN;

/// A command or some options, each word as a POSIX shell reads it.
#[derive(Clone, Debug)]
pub struct SuggestedCommand(String);

impl SuggestedCommand {
    /// Begins with these words, which are the same in any shell.
    pub fn new(words: &str) -> SuggestedCommand {
        SuggestedCommand(words.to_owned())
    }

    /// Adds words that are the same in any shell.
    #[must_use]
    pub fn words(mut self, words: &str) -> SuggestedCommand {
        if !self.0.is_empty() && !words.is_empty() {
            self.0.push(' ');
        }
        self.0.push_str(words);
        self
    }

    /// Adds the path of a file; one that begins with `-` would be an option.
    #[must_use]
    pub fn file(self, path: &Path) -> SuggestedCommand {
        let name = path.as_os_str().as_encoded_bytes();
        let is_option = name.starts_with(b"-") && name != b"-";
        let argument = if is_option { [b"./", name].concat() } else { name.to_vec() };
        let word = quoted(&argument).unwrap_or_else(|| "FILE".to_owned());
        self.words(&word)
    }

    /// Adds the paths that begin with this one, which the shell finds by a star.
    #[must_use]
    pub fn glob(self, start: &Path) -> SuggestedCommand {
        let with_star = |command: SuggestedCommand| SuggestedCommand(command.0 + "*");
        with_star(self.file(start))
    }

    /// Adds a word as it is.
    #[must_use]
    pub fn word(self, word: &[u8]) -> SuggestedCommand {
        self.words(&quoted(word).unwrap_or_else(|| "NAME".to_owned()))
    }

    /// Adds an option of one or two dashes, with its value if it takes one.
    #[must_use]
    pub fn given(self, option: &str, value: Option<&[u8]>) -> SuggestedCommand {
        match value {
            Some(value) => self.option(option, value),
            None => self.words(option),
        }
    }

    /// Adds an option of one or two dashes with its value.
    #[must_use]
    pub fn option(self, option: &str, value: &[u8]) -> SuggestedCommand {
        let word = quoted(value).unwrap_or_else(|| "NAME".to_owned());
        let is_apart = !option.starts_with("--") && !value.starts_with(b"-");
        self.words(&format!("{option}{}{word}", if is_apart { ' ' } else { '=' }))
    }
}

impl fmt::Display for SuggestedCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.replace(' ', &UNBROKEN.to_string()))
    }
}

/// A word as a POSIX shell reads it, on one line and without characters that a terminal would
/// execute; none if there is no such spelling: at the end of a word a shell drops newlines.
fn quoted(word: &[u8]) -> Option<String> {
    if let Ok(text) = str::from_utf8(word)
        && !text.contains(is_control)
    {
        return shlex::try_quote(text).ok().map(Into::into);
    }
    if word.ends_with(b"\n") || word.contains(&0) {
        return None;
    }
    let escape = |&byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'/' | b'_' | b'-' | b' ' => {
            char::from(byte).to_string()
        }
        byte => format!("\\{byte:03o}"),
    };
    let escaped: String = word.iter().map(escape).collect();
    Some(format!("\"$(printf -- '{escaped}')\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::without_marks;

    #[test]
    fn words_of_commands() {
        let table: [(&[u8], &str); 14] = [
            (b"p.out", "p.out"),
            (b"", "''"),
            (b"a b", "'a b'"),
            (b"a;b", "'a;b'"),
            (b"$(touch x)", "'$(touch x)'"),
            (b"`x`", "'`x`'"),
            (b"it's", "\"it's\""),
            (b"~", "'~'"),
            (b"*", "'*'"),
            (b"a!b", "'a!b'"),
            (b"a\nb", "\"$(printf -- 'a\\012b')\""),
            (b"\x1b[m'", "\"$(printf -- '\\033\\133m\\047')\""),
            ("a\u{202e}b".as_bytes(), "\"$(printf -- 'a\\342\\200\\256b')\""),
            (b"\xff", "\"$(printf -- '\\377')\""),
        ];
        for (word, expected) in table {
            assert_eq!(quoted(word).as_deref(), Some(expected));
        }
        assert_eq!([quoted(b"a\n"), quoted(b"a\0")], [None, None]);
    }

    #[test]
    fn dashes_begin_options_only() {
        let command = || SuggestedCommand::new("cgannotate");
        let shown = |command: SuggestedCommand| without_marks(&command.to_string());
        let path = |name: &str| shown(command().file(Path::new(name)));
        assert_eq!(path("-x"), "cgannotate ./-x");
        assert_eq!(path("-"), "cgannotate -");
        assert_eq!(path("a\n"), "cgannotate FILE");
        let option = |option: &str, value: &str| shown(command().option(option, value.as_bytes()));
        assert_eq!(option("-s", "I r"), "cgannotate -s 'I r'");
        assert_eq!(option("-s", "-x"), "cgannotate -s=-x");
        assert_eq!(option("--show", "-x"), "cgannotate --show=-x");
    }
}
