//! Patterns for objects, files and functions: shell globs and regular expressions.

use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};
use thiserror::Error;

use crate::profile::NameKind;
use crate::source::{below, is_no_file, is_of_package, normal, normal_below};
use crate::view::language::{Components, without_arity};
use crate::view::namespace::{BareName, without_parameters};

/// A shell glob that must match the whole name, or a `/regular expression/` that may match any part
/// of it.
///
/// In a glob `*` is any text, slashes too, `?` one character, `[a-z]` a character of a class,
/// `{malloc,free}` one of several texts; a backslash makes the next character literal. Braces
/// without a comma (`{closure#0}`), empty brackets (`operator[]`) and a bracket that is not closed
/// are literal. A name that is equal to the pattern always matches.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The pattern as it was written.
    pub text: Vec<u8>,
    matcher: Matcher,
    is_glob: bool,
    /// Whether it is matched against short names.
    is_of_short_names: bool,
    /// Its text as a normal path, if it is not one.
    normal: Option<Vec<u8>>,
    /// The number of its components, which `::` separates.
    components: usize,
    /// The number of its components as a name of another language than C++ and Rust.
    components_of_other: usize,
    /// The number of its slashes.
    slashes: usize,
    /// Paths below this directory match both in full and relative to it, whichever form the profile
    /// has.
    dir: Option<Vec<u8>>,
    /// Whether packages and libraries of interpreters below this directory are left out.
    leaves_out_packages: bool,
}

/// How names are compared with a pattern. A regular expression for each of thousands of patterns
/// takes long to make, and longer to match.
#[derive(Clone, Debug)]
enum Matcher {
    /// Only the text itself matches.
    Text,
    /// The parts of a glob between its `*`, if it has no other signs.
    Stars(Vec<Vec<u8>>),
    Regex(Regex),
}

impl Matcher {
    fn of_glob(glob: &str) -> Result<Matcher, PatternError> {
        if glob.contains(['?', '[', '{', '\\']) || glob.contains("**") {
            return Ok(Matcher::Regex(compile(&format!("^{}$", glob_to_regex(glob)))?));
        }
        if !glob.contains('*') {
            return Ok(Matcher::Text);
        }
        Ok(Matcher::Stars(glob.split('*').map(|part| part.as_bytes().to_vec()).collect()))
    }

    fn matches(&self, name: &[u8]) -> bool {
        match self {
            Matcher::Text => false,
            Matcher::Stars(parts) => matches_parts(parts, name),
            Matcher::Regex(regex) => regex.is_match(name),
        }
    }
}

/// Whether a name begins with the first part, ends with the last, and has the others between them
/// in order.
fn matches_parts(parts: &[Vec<u8>], name: &[u8]) -> bool {
    let [first, between @ .., last] = parts else {
        return false;
    };
    let mut rest = name.strip_prefix(&first[..]).and_then(|rest| rest.strip_suffix(&last[..]));
    for part in between {
        rest = rest.and_then(|rest| {
            let at = memmem::find(rest, part)?;
            Some(&rest[at + part.len()..])
        });
    }
    rest.is_some()
}

impl Pattern {
    /// Parses a glob or a `/regular expression/`. The error message fits on one line.
    pub fn parse(text: &str) -> Result<Pattern, PatternError> {
        if text.is_empty() {
            return Err(PatternError("an empty pattern".to_owned()));
        }
        let inner = text.strip_prefix('/');
        // The path of a file that is called `i` has another slash.
        let caseless = inner
            .and_then(|text| text.strip_suffix("/i"))
            .filter(|text| !text.is_empty() && !text.contains('/'));
        let regex = inner.and_then(|text| text.strip_suffix('/')).or(caseless);
        let matcher = match regex {
            Some("") => return Err(PatternError("an empty regular expression".to_owned())),
            Some(regex) if caseless.is_some() => Matcher::Regex(compile(&format!("(?i){regex}"))?),
            Some(regex) => Matcher::Regex(compile(regex)?),
            None => Matcher::of_glob(text)?,
        };
        let is_glob = regex.is_none();
        Ok(Pattern {
            text: text.as_bytes().to_vec(),
            matcher,
            is_glob,
            is_of_short_names: is_glob && is_of_short_names(text),
            normal: Some(normal(text.as_bytes()).into_owned())
                .filter(|normal| normal != text.as_bytes()),
            components: 1 + text.as_bytes().windows(2).filter(|pair| pair == b"::").count(),
            components_of_other: Components::of(text.as_bytes(), NameKind::Other).ranges.len(),
            slashes: text.bytes().filter(|&byte| byte == b'/').count(),
            dir: None,
            leaves_out_packages: false,
        })
    }

    /// Lets paths below a directory match both in full and relative to it.
    #[must_use]
    pub fn in_dir(mut self, dir: Option<&[u8]>) -> Pattern {
        self.dir = dir.map(<[u8]>::to_vec);
        self
    }

    /// Leaves out the paths below its directory that are of packages and libraries there.
    #[must_use]
    pub fn without_packages(mut self) -> Pattern {
        self.leaves_out_packages = true;
        self
    }

    fn is_left_out(&self, normal: &[u8]) -> bool {
        let dir = self.dir.as_ref().filter(|_| self.leaves_out_packages);
        dir.is_some_and(|dir| is_of_package(below(normal, dir).unwrap_or(normal)))
    }

    /// A pattern that matches any name containing this text or glob; none for a regular expression.
    pub fn anywhere(&self) -> Option<Pattern> {
        let text = std::str::from_utf8(&self.text).ok().filter(|_| self.is_glob)?;
        let end = text.trim_end_matches('*');
        // A star behind a backslash is a letter.
        let text = if end.ends_with('\\') { text } else { end };
        Pattern::parse(&format!("*{}*", text.trim_start_matches('*'))).ok()
    }

    /// What may be meant by a pattern that matches nothing, the closest first: several texts, the
    /// function of a declaration, a text anywhere in a name.
    pub fn wider(&self) -> impl Iterator<Item = Pattern> {
        [self.as_list(), self.of_declaration(), self.anywhere()].into_iter().flatten()
    }

    /// A pattern for each of the texts that commas or bars separate in a glob, as in braces; none
    /// without these, or with brackets, in which they separate none.
    fn as_list(&self) -> Option<Pattern> {
        let text = std::str::from_utf8(&self.text).ok().filter(|_| self.is_glob)?;
        let is_list = text.contains([',', '|']) && !text.contains(['{', '(', '<', '[']);
        is_list.then(|| Pattern::parse(&format!("{{{}}}", text.replace('|', ","))))?.ok()
    }

    /// A pattern for the name of a function in a glob with its return type and parameters, as
    /// sources declare it.
    fn of_declaration(&self) -> Option<Pattern> {
        let declaration = std::str::from_utf8(&self.text).ok().filter(|_| self.is_glob)?;
        // A return type may follow after an arrow, then the body.
        let start = declaration.split(" -> ").next().unwrap_or(declaration);
        let text = start.trim_end_matches([' ', '{', ';']);
        let name = without_parameters(text, NameKind::Symbol);
        let bare = name.trim_start_matches(['*', '&']);
        (name.len() < text.len()).then(|| Pattern::parse(bare))?.ok()
    }

    /// A regular expression that finds the text of a glob in whole names, with their arguments; its
    /// alternatives where it has bars. None if it has other wildcards within.
    pub fn in_whole_names(&self) -> Option<Pattern> {
        let glob = std::str::from_utf8(&self.text).ok().filter(|_| self.is_glob)?;
        let text = glob.trim_matches('*');
        let is_plain = !text.is_empty() && !text.contains(['*', '?', '[', '{', '\\', '/']);
        let alternatives: Vec<String> = text.split('|').map(regex::escape).collect();
        let is_each = alternatives.iter().all(|text| !text.is_empty());
        (is_plain && is_each)
            .then(|| Pattern::parse(&format!("/{}/", alternatives.join("|"))))?
            .ok()
    }

    /// A regular expression for names as they are shown, without return types and arguments.
    pub fn in_short_names(&self) -> Option<Pattern> {
        let of_short_names = || Pattern { is_of_short_names: true, ..self.clone() };
        (!self.is_glob).then(of_short_names)
    }

    /// A regular expression that ends where a name does, with the contexts and the level of
    /// recursion that may follow.
    pub fn before_suffixes(&self) -> Option<Pattern> {
        let text = std::str::from_utf8(&self.text).ok().filter(|_| !self.is_glob)?;
        let (regex, flags) = text.rsplit_once('/')?;
        let open = regex.strip_suffix('$').filter(|open| !open.ends_with('\\'))?;
        Pattern::parse(&format!("{open}('.*)?$/{flags}")).ok()
    }

    /// Whether it is a name without wildcards.
    pub fn is_text(&self) -> bool {
        matches!(self.matcher, Matcher::Text)
    }

    /// Whether it is a glob with template arguments or types in angle brackets.
    pub(super) fn has_arguments(&self) -> bool {
        self.is_glob && self.text.contains(&b'<')
    }

    /// Whether it is matched against short names.
    pub fn is_of_short_names(&self) -> bool {
        self.is_of_short_names
    }

    /// A text that every name has in it which the pattern matches; none if it is not known.
    pub(super) fn needed_text(&self) -> Option<&[u8]> {
        match &self.matcher {
            Matcher::Text => Some(&self.text),
            Matcher::Stars(parts) => {
                let longest = parts.iter().max_by_key(|part| part.len());
                longest.map(Vec::as_slice).filter(|part| !part.is_empty())
            }
            Matcher::Regex(_) => None,
        }
    }

    pub fn matches(&self, name: &[u8]) -> bool {
        if self.text == name {
            return true;
        }
        // A glob matches characters; each invalid UTF-8 sequence counts as one unknown character.
        let is_exact = !self.is_glob || name.is_ascii() || str::from_utf8(name).is_ok();
        match &self.matcher {
            Matcher::Text => false,
            matcher if is_exact => matcher.matches(name),
            matcher => matcher.matches(String::from_utf8_lossy(name).as_bytes()),
        }
    }

    /// Whether a path matches, or for a glob, the last components of the path, as many as the glob
    /// has: both `f.c` and `src/f.c` match `/src/f.c`. The normal form of a path matches; its
    /// recorded spelling does so only for a regular expression, or a glob that has a detour itself.
    pub fn matches_path(&self, path: &[u8]) -> bool {
        let normal = normal(path);
        if self.is_left_out(&normal) {
            return false;
        }
        let is_recorded = *normal == *path;
        if !is_recorded && (!self.is_glob || self.normal.is_some()) && self.matches_spelling(path) {
            return true;
        }
        self.normal.as_ref().is_some_and(|text| *text == *normal) || self.matches_normal(&normal)
    }

    fn matches_normal(&self, path: &[u8]) -> bool {
        let in_dir = |dir: &Vec<u8>| match below(path, dir) {
            Some(below) => self.matches_spelling(below),
            // A path that begins with `./` is below its compilation directory, as those of the C
            // library's sources are.
            None if path.starts_with(b"./") && self.text.starts_with(dir) => {
                let path = normal_below(path, Some(dir));
                self.matches_spelling(&path) && crate::source::path(&path).exists()
            }
            None if is_no_file(path) => false,
            None => {
                !path.starts_with(b"/") && self.matches_spelling(&normal_below(path, Some(dir)))
            }
        };
        self.matches_spelling(path) || self.dir.as_ref().is_some_and(in_dir)
    }

    fn matches_spelling(&self, path: &[u8]) -> bool {
        let end = || {
            let before = path.rsplitn(self.slashes + 2, |&b| b == b'/').nth(self.slashes + 1);
            before.is_some_and(|before| self.matches(&path[before.len() + 1..]))
        };
        self.matches(path) || self.is_glob && end()
    }

    /// Whether a glob matches a bare name, or its last components, as many as the glob has:
    /// `Parser::value` matches `json::Parser::value`. `strlen` also matches its processor-specific
    /// variants, and `map` Erlang's `lists:map/2`.
    pub(super) fn matches_bare(&self, name: &BareName) -> bool {
        let is_match = |name: &[u8]| self.matches(name);
        let components = if name.has_dots { self.components_of_other } else { self.components };
        let last = name.last_components(components);
        self.is_glob
            && (is_match(&name.text)
                || is_match(last)
                || name.has_dots && is_match(without_arity(last))
                || without_processor(&name.text).is_some_and(is_match))
    }
}

/// Whether a glob has wildcards but no arguments, parameters or types: it is then matched against
/// short names. `_Z*` is for mangled names.
fn is_of_short_names(glob: &str) -> bool {
    glob.contains(['*', '?'])
        && !glob.contains(['<', '>', '(', ')', ',', ' ', '&'])
        && !glob.starts_with('_')
}

/// The suffixes of glibc's processor-specific variants, possibly followed by `_unaligned` or a
/// version.
const PROCESSORS: [&str; 7] = ["_sse", "_ssse", "_avx", "_evex", "_erms", "_fma", "_asimd"];

/// The base name of a processor-specific variant in glibc: `memcpy` for
/// `__memcpy_avx_unaligned_erms`.
fn without_processor(name: &[u8]) -> Option<&[u8]> {
    let name = name.strip_prefix(b"__")?;
    let ends = PROCESSORS.iter();
    let end = ends.filter_map(|end| memmem::find(name, end.as_bytes()));
    end.min().map(|end| &name[..end])
}

fn compile(regex: &str) -> Result<Regex, PatternError> {
    let regex = RegexBuilder::new(regex).dot_matches_new_line(true).build();
    regex.map_err(|error| {
        // The last line has the message; the lines before it point at the position in the pattern.
        let text = error.to_string();
        let line = text.lines().last().unwrap_or_default();
        PatternError(line.trim_start_matches("error: ").to_owned())
    })
}

/// The reason why a pattern cannot be parsed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct PatternError(String);

impl PatternError {
    pub(crate) fn new(why: &str) -> PatternError {
        PatternError(why.to_owned())
    }
}

/// Converts a glob or a part of one to a regular expression. Brackets that begin no class and
/// braces without a comma are literal; `**/` also matches no folder.
fn glob_to_regex(text: &str) -> String {
    let (mut regex, mut rest) = (String::new(), text);
    while let Some(c) = rest.chars().next() {
        let before = &text[..text.len() - rest.len()];
        let begins_component = before.is_empty() || before.ends_with('/');
        let class = rest.strip_prefix('[').and_then(|class| {
            let end = class.char_indices().skip(1).find(|&(_, c)| c == ']')?.0;
            (!class.starts_with(']')).then_some(&class[..end])
        });
        let escaped = rest.strip_prefix('\\').and_then(|rest| rest.chars().next());
        let (part, taken) = match (class, escaped, alternatives(rest)) {
            (Some(class), ..) => (class_to_regex(class), class.len() + 2),
            (None, Some(escaped), _) => (literal(escaped), 1 + escaped.len_utf8()),
            (None, None, Some(texts)) => {
                let globs: Vec<_> = texts.iter().map(|text| glob_to_regex(text)).collect();
                let taken = texts.iter().map(|text| text.len() + 1).sum::<usize>() + 1;
                (format!("(?:{})", globs.join("|")), taken)
            }
            _ if begins_component && rest.starts_with("**/") => ("(?:.*/)?".to_owned(), 3),
            _ => match c {
                '*' => (".*".to_owned(), 1),
                '?' => (".".to_owned(), 1),
                c => (literal(c), c.len_utf8()),
            },
        };
        regex.push_str(&part);
        rest = &rest[taken..];
    }
    regex
}

fn literal(c: char) -> String {
    regex::escape(c.encode_utf8(&mut [0; 4]))
}

/// Converts the inside of a character class: `!` or `^` negates it, and all other symbols but `-`
/// are literal.
fn class_to_regex(class: &str) -> String {
    let included = class.strip_prefix(['!', '^']);
    let not = included.map_or("", |_| "^");
    let mut regex = format!("[{not}");
    for c in included.unwrap_or(class).chars() {
        if r"\[^&~".contains(c) {
            regex.push('\\');
        }
        regex.push(c);
    }
    regex + "]"
}

/// The alternatives of the braces at the start of a text, if there are several. Commas in nested
/// brackets, as in `{lambda(int, char)#1}`, separate none. A `>` without a `<` is part of a name;
/// if a `<` is not closed, all angle brackets are.
fn alternatives(text: &str) -> Option<Vec<&str>> {
    separated(text, true).unwrap_or_else(|Unclosed| separated(text, false).ok().flatten())
}

/// A `<` without a `>`.
struct Unclosed;

fn separated(text: &str, with_angles: bool) -> Result<Option<Vec<&str>>, Unclosed> {
    let mut texts = Vec::new();
    let (mut start, mut open, mut is_escaped) = (1, Vec::new(), false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '{' | '(' => open.push(c),
            '<' if with_angles => open.push(c),
            ',' | '}' if open.len() == 1 => {
                texts.push(&text[start..at]);
                start = at + 1;
                if c == '}' {
                    return Ok((texts.len() > 1).then_some(texts));
                }
            }
            '}' | ')' => match open.pop() {
                Some('<') => return Err(Unclosed),
                _ if open.is_empty() => return Ok(None),
                _ => {}
            },
            '>' if !text[..at].ends_with('-') && open.last() == Some(&'<') => {
                open.pop();
            }
            _ => {}
        }
        if open.is_empty() {
            return Ok(None);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_below_the_directory_matches_in_both_spellings() {
        let table = [
            ("/w/src/a.c", true),
            ("src/a.c", true),
            ("src/*", true),
            ("/w/*", true),
            ("w/src/a.c", true),
            ("/^src/", true),
            ("/^.w.src/", true),
            ("/^a/", false),
            ("/src/a.c", false),
            ("/w/a.c", false),
        ];
        for (pattern, expected) in table {
            let pattern_read = Pattern::parse(pattern).unwrap().in_dir(Some(b"/w"));
            for path in ["src/a.c", "/w/src/a.c"] {
                let found = pattern_read.matches_path(path.as_bytes());
                assert_eq!(found, expected, "{pattern} {path}");
            }
            for path in [&b"/ww/b.c"[..], b"???", b""] {
                assert!(!pattern_read.matches_path(path), "{pattern}");
            }
        }
    }

    #[test]
    fn paths_match_in_their_normal_form() {
        let table = [
            ("src/a.c", "build/../src/a.c", true),
            ("/w/*", "/w/build/../../out/a.c", false),
            ("/w/build/*", "/w/build/../src/a.c", false),
            ("build/../src/*", "build/../src/a.c", true),
            ("csu/../csu/init.c", "/b/csu/../csu/init.c", true),
            ("csu/init.c", "/b/csu/../csu/init.c", true),
            ("/build\\/../", "build/../src/a.c", true),
            ("/w/*", "/proc/self/cwd/src/a.c", true),
            ("/w/src/a.c", "/proc/self/cwd/src/a.c", true),
            ("src/*", "/proc/self/cwd/./src/a.c", true),
            ("/w/*", "../a.c", false),
            ("src/a.php", r"C:\web\src\a.php", true),
            (r"C:\web\src\a.php", "c:/web/src/a.php", true),
            ("C:/web/src/a.php", r"C:\web\src\a.php", true),
            ("/w/*", r"C:\web\src\a.php", false),
        ];
        for (pattern, path, expected) in table {
            let pattern_read = Pattern::parse(pattern).unwrap().in_dir(Some(b"/w"));
            let found = pattern_read.matches_path(path.as_bytes());
            assert_eq!(found, expected, "{pattern} {path}");
        }
    }

    #[test]
    fn stars_match_as_a_regular_expression_does() {
        let globs = "* a* *a *a* a*b a*b*c *ab*ab* *a*a* a*ab *\u{fffd}* f:* *é";
        let names: [&[u8]; 12] = [
            b"",
            b"a",
            b"b",
            b"ab",
            b"aab",
            b"abab",
            b"abc",
            b"a\nb",
            b"aXbYc",
            b"ba",
            "é".as_bytes(),
            b"a\xffb",
        ];
        for glob in globs.split(' ') {
            let regex = compile(&format!("^{}$", glob_to_regex(glob))).unwrap();
            let pattern = Pattern::parse(glob).unwrap();
            assert!(matches!(pattern.matcher, Matcher::Stars(_)));
            for name in names {
                let expected = regex.is_match(String::from_utf8_lossy(name).as_bytes());
                assert_eq!(pattern.matches(name), expected, "{glob} {}", name.escape_ascii());
            }
        }
    }

    /// The script of the page for a browser is tested with the same table.
    #[test]
    fn patterns_match_as_in_the_table_of_program_and_page() {
        let table = include_str!("../../testdata/patterns.txt").lines();
        for line in table.filter(|line| !line.starts_with('#')) {
            let cells: Vec<&str> = line.split(" | ").collect();
            let [text, name, expected] = cells[..] else { panic!("{line}") };
            let pattern = Pattern::parse(text).unwrap();
            assert_eq!(pattern.matches(name.as_bytes()), expected == "yes", "{line}");
        }
    }

    #[test]
    fn a_declaration_names_its_function() {
        let table = [
            ("void foo(int)", Some("foo")),
            ("char *foo(const char *text)", Some("foo")),
            ("static int is_word(int c) {", Some("is_word")),
            ("app::Scene::find(std::string const&)", Some("app::Scene::find")),
            ("Node* app::Scene::find(const std::string&) const", Some("app::Scene::find")),
            ("std::vector<int, A<int>> ns::run(std::map<int, int>)", Some("ns::run")),
            ("pub fn tokenize(src: &str) -> Vec<Tok>", Some("tokenize")),
            ("load_orders()", Some("load_orders")),
            ("bool operator()(int)", Some("operator()")),
            ("foo", None),
            ("*foo*", None),
            ("/foo(int)/", None),
        ];
        for (text, expected) in table {
            let found = Pattern::parse(text).unwrap().of_declaration();
            let found = found.as_ref().map(|pattern| str::from_utf8(&pattern.text).unwrap());
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn an_error_is_one_line() {
        for text in ["", "//", "/(/", "/[z-a]/", "[z-a]"] {
            let error = Pattern::parse(text).unwrap_err().to_string();
            let is_line = !error.is_empty() && !error.contains('\n');
            assert!(is_line, "{text}: {error}");
        }
    }
}
