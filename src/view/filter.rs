//! Which places of a profile are asked for: patterns for objects, files and functions, and rules made of them.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::error::Error;
use std::fmt;

use globset::GlobBuilder;
use regex::bytes::{Regex, RegexBuilder};

use crate::demangle::demangle;

/// What a name has to look like: a shell glob that fits all of it, or a `/regular expression/` that fits
/// somewhere in it.
///
/// In a glob `*` is any text, slashes too, `?` one byte, `[a-z]` one of these; a backslash takes the
/// meaning from what follows. What names are full of stands for itself: braces (`{closure#0}`), empty brackets
/// (`operator[]`), a bracket that is not closed; and a name that is written out whole always fits.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: Vec<u8>,
    /// None if nothing but the text itself fits.
    regex: Option<Regex>,
    /// Whether it is also held against what follows a path's last slash: a glob without a slash is.
    fits_base: bool,
}

impl Pattern {
    /// Reads a glob or a `/regular expression/`.
    ///
    /// # Errors
    /// [`WrongPattern`], in words that fit one line.
    pub fn parse(text: &str) -> Result<Pattern, WrongPattern> {
        if text.is_empty() {
            return Err(WrongPattern("an empty pattern".to_owned()));
        }
        let regex = text
            .strip_prefix('/')
            .and_then(|text| text.strip_suffix('/'));
        let glob = regex.is_none().then(|| with_plain_brackets(text));
        let regex = match (regex, &glob) {
            (Some(""), _) => return Err(WrongPattern("an empty regular expression".to_owned())),
            (Some(regex), _) => Some(compile(regex)?),
            (None, Some(glob)) if text.contains(['*', '?', '[', '\\']) => {
                let glob = GlobBuilder::new(glob).backslash_escape(true).build();
                let glob = glob.map_err(|error| WrongPattern(error.kind().to_string()))?;
                Some(compile(glob.regex())?)
            }
            _ => None,
        };
        Ok(Pattern {
            text: text.as_bytes().to_vec(),
            regex,
            fits_base: glob.is_some() && !text.contains('/'),
        })
    }

    /// Whether a name fits.
    pub fn fits(&self, name: &[u8]) -> bool {
        self.text == name
            || self
                .regex
                .as_ref()
                .is_some_and(|regex| regex.is_match(name))
    }

    /// Whether the path of a file or an object fits, or its last part.
    pub fn fits_path(&self, path: &[u8]) -> bool {
        let base = path.rsplit(|&b| b == b'/').next().unwrap_or(path);
        self.fits(path) || self.fits_base && self.fits(base)
    }
}

fn compile(regex: &str) -> Result<Regex, WrongPattern> {
    let regex = RegexBuilder::new(regex).dot_matches_new_line(true).build();
    regex.map_err(|error| {
        // Of the several lines the last says what is wrong; the others draw an arrow to it.
        let text = error.to_string();
        let line = text.lines().last().unwrap_or_default();
        WrongPattern(line.trim_start_matches("error: ").to_owned())
    })
}

/// The glob with a backslash before what is to stand for itself.
fn with_plain_brackets(text: &str) -> String {
    let mut glob = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let class = rest.strip_prefix('[').and_then(|class| {
            let end = class.char_indices().skip(1).find(|&(_, c)| c == ']')?.0;
            (!class.starts_with(']')).then_some(&rest[..end + 2])
        });
        let escaped = rest.strip_prefix('\\').and_then(|rest| rest.chars().next());
        let taken = match (class, escaped) {
            (Some(class), _) => class.len(),
            (None, Some(escaped)) => 1 + escaped.len_utf8(),
            (None, None) => {
                if matches!(c, '[' | ']' | '{' | '}' | '\\') {
                    glob.push('\\');
                }
                c.len_utf8()
            }
        };
        glob.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    glob
}

/// A pattern that cannot be read, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongPattern(String);

impl WrongPattern {
    /// What is wrong, in words that fit one line.
    pub(super) fn new(why: &str) -> WrongPattern {
        WrongPattern(why.to_owned())
    }
}

impl fmt::Display for WrongPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for WrongPattern {}

/// What rules are held against: a place of the profile, or all places of a function in a file.
#[derive(Clone, Debug)]
pub struct Subject<'n> {
    /// The function's object, if it is known.
    pub object: Option<&'n [u8]>,
    /// The source file of the place.
    pub file: &'n [u8],
    /// The function's name as it stands in the profile.
    pub name: &'n [u8],
    /// The line; none if all lines are meant.
    pub line: Option<u32>,
    readable: OnceCell<Cow<'n, [u8]>>,
}

impl<'n> Subject<'n> {
    /// A function in a file, all lines of it.
    pub fn new(object: Option<&'n [u8]>, file: &'n [u8], name: &'n [u8]) -> Subject<'n> {
        Subject {
            object,
            file,
            name,
            line: None,
            readable: OnceCell::new(),
        }
    }

    /// The same at one line.
    pub fn at(mut self, line: u32) -> Subject<'n> {
        self.line = Some(line);
        self
    }

    /// The function's name made readable, which is done once, if it is asked for.
    pub fn readable(&self) -> &[u8] {
        self.readable.get_or_init(|| demangle(self.name))
    }
}

/// What one subject has to meet: all that the rule names.
#[derive(Clone, Debug, Default)]
pub struct Rule {
    /// The object has to be known and fit this.
    pub object: Option<Pattern>,
    /// The file has to fit this.
    pub file: Option<Pattern>,
    /// The function has to fit this, as it stands in the profile or readable.
    pub function: Option<Pattern>,
    /// The line has to be this one.
    pub line: Option<u32>,
}

impl Rule {
    /// Whether the subject meets it.
    pub fn fits(&self, subject: &Subject<'_>) -> bool {
        let object = |pattern: &Pattern| subject.object.is_some_and(|o| pattern.fits_path(o));
        let function =
            |pattern: &Pattern| pattern.fits(subject.name) || pattern.fits(subject.readable());
        self.object.as_ref().is_none_or(object)
            && self
                .file
                .as_ref()
                .is_none_or(|pattern| pattern.fits_path(subject.file))
            && self.function.as_ref().is_none_or(function)
            && self.line.is_none_or(|line| subject.line == Some(line))
    }
}

/// Some included, some excluded.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// One of these has to fit; if there is none, all do.
    pub include: Vec<Rule>,
    /// None of these may fit.
    pub exclude: Vec<Rule>,
}

impl Choice {
    /// Whether the subject is chosen.
    pub fn accepts(&self, subject: &Subject<'_>) -> bool {
        let included = self.include.is_empty() || self.include.iter().any(|r| r.fits(subject));
        included && !self.exclude.iter().any(|rule| rule.fits(subject))
    }
}

/// Choices that all have to agree.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Each of them has to accept a subject.
    pub choices: Vec<Choice>,
}

impl Filter {
    /// Whether all choices accept the subject.
    pub fn accepts(&self, subject: &Subject<'_>) -> bool {
        self.choices.iter().all(|choice| choice.accepts(subject))
    }

    /// Whether everything is accepted, as nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.choices.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, name: &str) -> bool {
        Pattern::parse(pattern).unwrap().fits(name.as_bytes())
    }

    #[test]
    fn globs_and_regular_expressions() {
        let table = [
            ("main", "main", true),
            ("main", "domain", false),
            ("*main", "(below main)", false),
            ("*main*", "(below main)", true),
            ("s?rt", "sort", true),
            ("s?rt", "st", false),
            ("[a-c]*", "box", true),
            ("[!a-c]*", "box", false),
            ("src/*", "src/a/b.c", true),
            ("src/*.c", "src/a/b.c", true),
            ("*operator[]*", "v<int>::operator[](long)", true),
            ("*operator[*", "v<int>::operator[](long)", true),
            ("a[3]", "a[3]", true),
            ("a[3]", "a3", true),
            ("a\\[3]", "a3", false),
            ("a\\[*", "a[3]", true),
            ("*{closure#?}", "f::{closure#0}", true),
            ("*{closure#?}", "f::closure#0", false),
            ("*{lambda()#1}*", "f::{lambda()#1}::operator()", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("<[T]>::*", "<T>::len", true),
            ("/^a+$/", "aaa", true),
            ("/a/", "banana", true),
            ("/^(?i)MAIN/", "main", true),
            ("/usr/lib/", "/usr/lib/libc.so", true),
            ("/usr/lib", "/usr/lib/libc.so", false),
            ("a*b", "a\nb", true),
        ];
        for (pattern, name, expected) in table {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
        assert!(Pattern::parse("é*").unwrap().fits("é\u{0}".as_bytes()));
        assert!(Pattern::parse("a*").unwrap().fits(b"a\xff"));
    }

    #[test]
    fn a_path_fits_by_its_last_part_if_the_pattern_has_no_slash() {
        let table = [
            ("a.c", "src/a.c", true),
            ("*.c", "src/a.c", true),
            ("a.c", "a.c", true),
            ("src", "src/a.c", false),
            ("src/a.c", "x/src/a.c", false),
            ("*/a.c", "x/src/a.c", true),
            ("/^a/", "src/a.c", false),
            ("libc.so*", "/lib/libc.so.6", true),
        ];
        for (pattern, path, expected) in table {
            let pattern_read = Pattern::parse(pattern).unwrap();
            assert_eq!(
                pattern_read.fits_path(path.as_bytes()),
                expected,
                "{pattern} {path}"
            );
        }
    }

    #[test]
    fn what_is_no_pattern_is_told_in_one_line() {
        for text in ["", "//", "/(/", "/[z-a]/", "[z-a]"] {
            let error = Pattern::parse(text).unwrap_err().to_string();
            assert!(
                !error.is_empty() && !error.contains('\n'),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn rules_and_choices() {
        let pattern = |text| Some(Pattern::parse(text).unwrap());
        let function = |text| Rule {
            function: pattern(text),
            ..Rule::default()
        };
        let subject = Subject::new(Some(b"/bin/p"), b"a.cc", b"_Z3fibi");
        assert!(function("fib(int)").fits(&subject));
        assert!(function("_Z3fib*").fits(&subject));
        assert!(!function("fib").fits(&subject));
        let at_line = Rule {
            line: Some(3),
            ..Rule::default()
        };
        assert!(!at_line.fits(&subject));
        let subject = Subject {
            line: Some(3),
            ..subject
        };
        assert!(at_line.fits(&subject));
        let of_object = Rule {
            object: pattern("p"),
            ..Rule::default()
        };
        assert!(of_object.fits(&subject));
        assert!(!of_object.fits(&Subject::new(None, b"a.cc", b"f")));

        let all = Choice::default();
        let some = Choice {
            include: vec![function("f*"), function("g")],
            exclude: vec![function("fa*")],
        };
        let names = [("fib(int)", true), ("fa", false), ("g", true), ("h", false)];
        for (name, expected) in names {
            let subject = Subject::new(None, b"a.cc", name.as_bytes());
            assert!(all.accepts(&subject));
            assert_eq!(some.accepts(&subject), expected, "{name}");
        }
        let none = Choice {
            include: Vec::new(),
            exclude: vec![function("*")],
        };
        let filter = Filter {
            choices: vec![all, none],
        };
        assert!(!filter.accepts(&subject) && !filter.is_empty());
        assert!(Filter::default().accepts(&subject));
    }
}
