//! Filters: which places of a profile a report includes, by rules made of patterns.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::namespace::{BareName, bare_name};
use super::pattern::Pattern;
use super::short_name::{short_function, with_arguments};
use crate::demangle::demangle;
use crate::profile::{Fragment, FragmentId, NameKind, Profile, is_unknown_name};
use crate::source::{is_foreign, is_of_system, is_of_user};

/// The subject of a match: a place of the profile, or all places of a function in a file.
#[derive(Default)]
pub struct Subject<'n> {
    /// The function's object, if it is known.
    pub object: Option<&'n [u8]>,
    pub file: &'n [u8],
    /// The function's name in the profile.
    pub name: &'n [u8],
    /// How the name was written.
    pub kind: NameKind,
    /// The line; none for all lines.
    pub line: Option<u32>,
    /// The object's name in BASE, if it differs.
    pub base_object: Option<&'n [u8]>,
    /// The file's name in BASE, if it differs.
    pub base_file: Option<&'n [u8]>,
    demangled: OnceCell<Cow<'n, [u8]>>,
    short: OnceCell<Box<[u8]>>,
    bare: OnceCell<BareName>,
}

impl<'n> Subject<'n> {
    pub fn of_fragment(profile: &'n Profile, fragment: Fragment) -> Subject<'n> {
        let function = profile.function(fragment.function);
        let object = profile.defined_object(function.object);
        let name = profile.name(function.name);
        let base_object = profile.base_object(function.object);
        let base_file = profile.base_file(fragment.file);
        Subject {
            base_object: base_object.map(|object| profile.object(object)),
            base_file: base_file.map(|file| profile.file(file)),
            ..Subject::new(object, profile.file(fragment.file), name).of_kind(profile.name_kind())
        }
    }

    /// All lines of a function in a file.
    pub fn new(object: Option<&'n [u8]>, file: &'n [u8], name: &'n [u8]) -> Subject<'n> {
        Subject { object, file, name, ..Subject::default() }
    }

    /// A subject whose name was written in this way.
    pub fn of_kind(mut self, kind: NameKind) -> Subject<'n> {
        self.kind = kind;
        self
    }

    pub fn at(mut self, line: u32) -> Subject<'n> {
        self.line = Some(line);
        self
    }

    pub fn demangled(&self) -> &[u8] {
        self.demangled.get_or_init(|| demangle(self.name))
    }

    pub fn short(&self) -> &[u8] {
        self.short.get_or_init(|| short_function(self.demangled(), self.kind).into())
    }

    /// The name with template arguments, but without return type and parameters.
    fn with_arguments(&self) -> Vec<u8> {
        with_arguments(self.demangled(), self.kind)
    }

    pub fn bare(&self) -> &BareName {
        let bare = || bare_name(&demangle(self.kind.without_suffixes(self.name)), self.kind);
        self.bare.get_or_init(bare)
    }
}

/// A conjunction of patterns: a subject has to match all that are set.
#[derive(Clone, Debug, Default)]
pub struct Rule {
    /// The object; an unknown one does not match.
    pub object: Option<Pattern>,
    pub file: Option<Pattern>,
    /// The function's name: mangled, demangled, short or bare.
    pub function: Option<Pattern>,
    /// Whether the function's name in the profile has to be equal to the pattern's text.
    pub is_symbol: bool,
    pub line: Option<u32>,
    /// Whether the code has to be the user's own, as far as the names of its source and object
    /// tell.
    pub is_of_user: bool,
}

impl Rule {
    /// A rule for functions, files or objects; `kind` is the name of the option.
    pub fn of(kind: &str, pattern: Pattern) -> Rule {
        let (mut rule, pattern) = (Rule::default(), Some(pattern));
        match kind {
            "function" => rule.function = pattern,
            "file" => rule.file = pattern,
            _ => rule.object = pattern,
        }
        rule
    }

    /// A rule for the user's own code, as far as the names of sources and objects tell.
    pub fn of_user() -> Rule {
        Rule { is_of_user: true, ..Rule::default() }
    }

    pub fn kind(&self) -> Option<(&'static str, &Pattern)> {
        let kinds = [("function", &self.function), ("file", &self.file), ("object", &self.object)];
        let mut given = kinds.into_iter();
        given.find_map(|(kind, pattern)| Some((kind, pattern.as_ref()?)))
    }

    pub fn matches(&self, subject: &Subject<'_>) -> bool {
        let is_path = |pattern: &Pattern, path: Option<&[u8]>| {
            path.is_some_and(|path| pattern.matches_path(path))
        };
        let object = |pattern: &Pattern| {
            is_path(pattern, subject.object) || is_path(pattern, subject.base_object)
        };
        let file = |pattern: &Pattern| {
            pattern.matches_path(subject.file) || is_path(pattern, subject.base_file)
        };
        let function = |pattern: &Pattern| {
            if self.is_symbol {
                return pattern.text == subject.name;
            }
            // `*alloc*` must not match the allocators among template arguments.
            if pattern.is_of_short_names() {
                return pattern.matches(subject.short()) || pattern.matches_bare(subject.bare());
            }
            pattern.matches(subject.name)
                || pattern.matches(subject.demangled())
                || pattern.matches_bare(subject.bare())
                || pattern.has_arguments() && pattern.matches(&subject.with_arguments())
        };
        self.object.as_ref().is_none_or(object)
            && self.file.as_ref().is_none_or(file)
            && self.function.as_ref().is_none_or(function)
            && self.line.is_none_or(|line| subject.line == Some(line))
            && (!self.is_of_user || is_code_of_user(subject))
    }
}

/// Whether code is not known to be of the system, a toolchain or a package. Without an object, as
/// in the profiles of interpreters, a relative path is not one of the C library's.
fn is_code_of_user(subject: &Subject<'_>) -> bool {
    match subject.object {
        Some(object) if !is_unknown_name(object) => {
            is_of_user(subject.file) && !is_of_system(object)
        }
        _ => !is_foreign(subject.file),
    }
}

/// The patterns of one option that filters rows.
#[derive(Clone, Debug, Default)]
pub struct IncludeExclude {
    /// One of these has to match; without any, every subject does.
    pub include: Vec<Rule>,
    /// None of these may match.
    pub exclude: Vec<Rule>,
}

impl IncludeExclude {
    pub fn accepts(&self, subject: &Subject<'_>) -> bool {
        let included = self.include.is_empty() || self.include.iter().any(|r| r.matches(subject));
        included && !self.exclude.iter().any(|rule| rule.matches(subject))
    }
}

/// What the filter options select.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Each of them has to accept a subject.
    pub choices: Vec<IncludeExclude>,
    /// By fragment of the profile, whether it may be accepted; none if all may be.
    pub fragments: Option<Vec<bool>>,
}

impl Filter {
    pub fn accepts(&self, subject: &Subject<'_>) -> bool {
        self.choices.iter().all(|choice| choice.accepts(subject))
    }

    #[inline]
    pub fn accepts_fragment(&self, profile: &Profile, id: FragmentId) -> bool {
        let accepts = |fragment| self.accepts(&Subject::of_fragment(profile, fragment));
        self.fragments.as_ref().is_none_or(|all| all[id.index()])
            && (self.choices.is_empty() || accepts(profile.fragment(id)))
    }

    /// Whether a function is requested by its name, without wildcards.
    pub(super) fn names(&self, subject: &Subject<'_>) -> bool {
        let is_name = |rule: &&Rule| rule.function.as_ref().is_some_and(Pattern::is_text);
        let mut names = self.choices.iter().flat_map(|choice| &choice.include).filter(is_name);
        names.any(|rule| rule.matches(subject))
    }

    pub fn is_empty(&self) -> bool {
        self.choices.is_empty() && self.fragments.is_none()
    }
}
