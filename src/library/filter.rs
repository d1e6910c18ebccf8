//! Filters: which functions or rows are requested.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::view;
use crate::view::filter::{IncludeExclude, Rule};

/// What the name of a function, a source file or an object looks like, as the program's options take it: a shell glob that
/// matches the whole name, or a `/regular expression/` that matches somewhere in it.
///
/// In a glob `*` is any text, slashes too, `?` one character, `[a-z]` one of these, `{malloc,free}` one of these texts; a
/// backslash makes the next character literal. A function matches by its name in the profile, by its demangled name, and by
/// its bare name: `run` matches `ns::C::run(int)`. A glob for files or objects that does not begin with a slash also matches
/// the end of a path: `src/a.c` matches `/home/me/src/a.c`.
///
/// ```
/// use cgannotate::Pattern;
///
/// let pattern: Pattern = "str*".parse()?;
/// assert_eq!(pattern.as_str(), "str*");
/// assert!(Pattern::parse("/(/").is_err());
/// # Ok::<(), cgannotate::PatternError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    data: view::Pattern,
}

impl Pattern {
    /// Reads a glob or a `/regular expression/`.
    ///
    /// # Errors
    /// [`PatternError`] if `text` is empty, or malformed.
    pub fn parse(text: &str) -> Result<Pattern, PatternError> {
        let data = view::Pattern::parse(text).map_err(|error| PatternError {
            text: text.to_owned(),
            error,
        })?;
        let text = text.to_owned();
        Ok(Pattern { text, data })
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Pattern, PatternError> {
        Pattern::parse(text)
    }
}

/// A text that is no [`Pattern`], and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    text: String,
    error: view::PatternError,
}

impl PatternError {
    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pattern '{}': {}", self.text, self.error)
    }
}

impl Error for PatternError {}

/// Which functions or rows are requested, as the program's options `--function`, `--file` and `--object` select them.
///
/// Of each kind, one of the included patterns has to match, if there are any, and none of the excluded ones. All kinds
/// have to agree. A filter without patterns accepts everything.
///
/// Paths are matched as they are after reading, which matters if [`ReadOptions`](super::ReadOptions::remove_folder) shorten
/// them.
///
/// ```
/// use cgannotate::{Filter, Pattern, Profile, RowBy};
///
/// # fn main() -> Result<(), cgannotate::Error> {
/// let profile = Profile::read("testdata/words/words.out")?;
/// let filter = Filter::new()
///     .include_file(Pattern::parse("words.{c,h}")?)
///     .exclude_function(Pattern::parse("main")?);
/// let rows = profile.rows_with(RowBy::FileFunction, &filter)?;
/// assert!(rows.iter().any(|row| row.name().ends_with(":find")));
/// assert!(!rows.iter().any(|row| row.name().ends_with(":main")));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Filter {
    functions: IncludeExclude,
    files: IncludeExclude,
    objects: IncludeExclude,
}

impl Filter {
    /// A filter that accepts everything.
    pub fn new() -> Filter {
        Filter::default()
    }

    /// Includes the functions that match: `--function=PATTERN`.
    pub fn include_function(mut self, pattern: Pattern) -> Filter {
        self.functions.include.push(of_function(pattern));
        self
    }

    /// Excludes the functions that match: `--function=!PATTERN`.
    pub fn exclude_function(mut self, pattern: Pattern) -> Filter {
        self.functions.exclude.push(of_function(pattern));
        self
    }

    /// Includes the code of the source files that match: `--file=PATTERN`.
    pub fn include_file(mut self, pattern: Pattern) -> Filter {
        self.files.include.push(of_file(pattern));
        self
    }

    /// Excludes the code of the source files that match: `--file=!PATTERN`.
    pub fn exclude_file(mut self, pattern: Pattern) -> Filter {
        self.files.exclude.push(of_file(pattern));
        self
    }

    /// Includes the functions of the programs and libraries that match: `--object=PATTERN`.
    pub fn include_object(mut self, pattern: Pattern) -> Filter {
        self.objects.include.push(of_object(pattern));
        self
    }

    /// Excludes the functions of the programs and libraries that match: `--object=!PATTERN`.
    pub fn exclude_object(mut self, pattern: Pattern) -> Filter {
        self.objects.exclude.push(of_object(pattern));
        self
    }

    /// The same for views.
    pub(super) fn to_view(&self) -> view::Filter {
        let choices = [&self.functions, &self.files, &self.objects].into_iter();
        let given =
            choices.filter(|choice| !choice.include.is_empty() || !choice.exclude.is_empty());
        view::Filter {
            choices: given.cloned().collect(),
        }
    }
}

fn of_function(pattern: Pattern) -> Rule {
    Rule {
        function: Some(pattern.data),
        ..Rule::default()
    }
}

fn of_file(pattern: Pattern) -> Rule {
    Rule {
        file: Some(pattern.data),
        ..Rule::default()
    }
}

fn of_object(pattern: Pattern) -> Rule {
    Rule {
        object: Some(pattern.data),
        ..Rule::default()
    }
}
