//! Names of other languages than C++ and Rust: Ruby's `Integer::<=>`, Java's
//! `java.util.HashMap.<init>`, Erlang's `lists:map/2` and `{lists,map,2}`.
//!
//! A name is one of C++ or Rust unless its form shows that it is not; C's names have both forms. A
//! name of another language is printed as it is. Its components are found by what languages have
//! in common: words, and operators as the last component, between `::`, `.`, `#`, `->`, `:`, `/`
//! and `\`. All but the last component are its namespace. The table of the tests has the names of
//! twenty languages, as their profilers write them.

use std::ops::Range;

use memchr::memmem;

use super::name_syntax::{find_outside, outside_brackets, without_clone};
use crate::profile::{NameKind, OPERATORS, bracket_end, without_clones};

/// What Ruby calls the code of a file that is in no method, within angle brackets.
const CODE_OF_RUBY: [&[u8]; 3] = [b"main", b"top (required)", b"compiled"];

/// Whether a name has a form that names of C++, Rust and C do not have.
pub(super) fn is_of_other_language(name: &[u8], kind: NameKind) -> bool {
    let is_of_path = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
    let symbol = without_clones(without_clone(name));
    let is_path = symbol.iter().all(is_of_path) && !symbol.ends_with(b":");
    if is_path && !has_single_colon(symbol) {
        return false;
    }
    is_other_sentence(name) || is_other_word(symbol, kind) || Tuple::parse(symbol).is_some()
}

/// Whether the components of a name are those of another language. A blank in a symbol is one of
/// `vtable for a::B`.
pub(super) fn has_other_components(name: &[u8], kind: NameKind) -> bool {
    let symbol = || without_clones(without_clone(name));
    is_of_other_language(name, kind)
        && (kind == NameKind::Other
            || is_other_word(symbol(), kind)
            || Tuple::parse(symbol()).is_some())
}

/// The name of a function as a tuple of Erlang's, `{lists,map,2}`: module, name and arity.
struct Tuple {
    module: Range<usize>,
    function: Range<usize>,
    arity: Range<usize>,
}

impl Tuple {
    fn parse(name: &[u8]) -> Option<Tuple> {
        if !(name.starts_with(b"{") && name.ends_with(b"}")) {
            return None;
        }
        let module = atom(name, 1)?;
        let function = atom(name, module.end + 1)?;
        let arity = function.end + 1..name.len() - 1;
        let is_number =
            !arity.is_empty() && name.get(arity.clone())?.iter().all(u8::is_ascii_digit);
        is_number.then_some(Tuple { module, function, arity })
    }
}

/// The range of the atom at a position, `map` or `'-map/2-fun-0-'`, if a comma follows it.
fn atom(name: &[u8], start: usize) -> Option<Range<usize>> {
    let rest = name.get(start..)?;
    let len = match rest.first()? {
        b'\'' => memchr::memchr(b'\'', &rest[1..])? + 2,
        first if first.is_ascii_lowercase() => memchr::memchr(b',', rest)?,
        _ => return None,
    };
    (rest.get(len) == Some(&b',')).then_some(start..start + len)
}

/// A name as Erlang's and Elixir's own messages have it, if it is a tuple: `lists:map/2` for
/// `{lists,map,2}`, `Enum.map/2` for `{'Elixir.Enum',map,2}`.
pub(super) fn with_arity(name: &[u8]) -> Option<Vec<u8>> {
    let Tuple { module, function, arity } = Tuple::parse(name)?;
    let (module, function, arity) = (&name[module], &name[function], &name[arity]);
    let of_elixir = module.strip_prefix(b"'Elixir.").and_then(|name| name.strip_suffix(b"'"));
    let Some(module) = of_elixir else {
        return Some([module, b":", function, b"/", arity].concat());
    };
    // The names of unnamed functions stay in quotes.
    let plain = function
        .strip_prefix(b"'")
        .filter(|name| !name.starts_with(b"-"))
        .and_then(|name| name.strip_suffix(b"'"));
    Some([module, b".", plain.unwrap_or(function), b"/", arity].concat())
}

/// A name without the arity of Erlang and Elixir at its end: `map` for `map/2`.
pub(super) fn without_arity(name: &[u8]) -> &[u8] {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let before = &name[..name.len() - digits];
    match before.strip_suffix(b"/") {
        Some(plain) if digits > 0 => plain,
        _ => name,
    }
}

/// Whether a name has spaces outside brackets but no parameters, so that a space does not separate
/// a C++ return type.
fn is_other_sentence(name: &[u8]) -> bool {
    // Most names have none.
    if memchr::memchr(b' ', name).is_none() {
        return false;
    }
    let name = without_clone(name);
    let has_blank = find_outside(name, |at| name[at] == b' ').is_some();
    let is_operator = || memmem::find(name, b"operator").is_some();
    let parameters = |at: usize| name[at] == b'(' && at > 0 && name[at - 1] != b' ';
    // In `f <a.lua:3>` they are a note.
    let arguments = |at: usize| name[at] == b'<' && at > 0 && name[at - 1] != b' ';
    let is_function = || {
        name.ends_with(b">") && find_outside(name, arguments).is_some()
            || find_outside(name, parameters).is_some()
    };
    has_blank && !is_function() && !is_operator()
}

fn has_single_colon(name: &[u8]) -> bool {
    let colons = name.split(|byte| *byte != b':');
    colons.filter(|colons| !colons.is_empty()).any(|colons| colons.len() % 2 == 1)
}

/// Whether a name is not one of C++ or Rust for what is in it outside of brackets: an operator
/// without the word `operator`, a bracket that is not closed, a dot, or a sign that only other
/// languages have. Symbols of C have dots too.
fn is_other_word(name: &[u8], kind: NameKind) -> bool {
    // The version of a symbol, such as `f(int)@@GLIBCXX_3.4`.
    let version = memchr::memchr(b'@', name).filter(|at| *at > 0);
    let name = &name[..version.unwrap_or(name.len())];
    let has_brackets = name.iter().any(|byte| matches!(byte, b'<' | b'(' | b'[' | b'{'));
    let mut at = 0;
    while let Some(&byte) = name.get(at) {
        match byte {
            b'o' => at += operator_len(name, at).unwrap_or(1),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => at += 1,
            // Fortran's, with the sign in brackets.
            b'(' if name[..at] == *b"operator" => return true,
            b'<' | b'(' | b'[' | b'{' => {
                let Some(end) = bracket_end(name, at) else {
                    return true;
                };
                let is_type = byte == b'(' && name.get(end).is_some_and(u8::is_ascii_alphanumeric);
                let inner = &name[at + 1..end - 1];
                let is_component = matches!(name[..at].last(), None | Some(b':' | b' '));
                let is_own = is_symbol(inner) || is_component && CODE_OF_RUBY.contains(&inner);
                if is_type && at > 0 || byte == b'<' && is_own {
                    return true;
                }
                at = end;
            }
            b':' if name[at..].starts_with(b"::") => {
                let after = &name[at + 2..];
                if after.is_empty() || is_symbol(after) || after.starts_with(b"->") {
                    return true;
                }
                at += 2;
            }
            // As in `non-virtual thunk to a::f()`.
            b'-' if is_between_letters(name, at) => at += 1,
            b'.' if has_brackets || kind == NameKind::Other => return true,
            b'\'' if kind == NameKind::Other => return true,
            _ if b">)]}:#\\!/|%^=+-?".contains(&byte) => return true,
            _ => at += 1,
        }
    }
    false
}

fn is_between_letters(name: &[u8], at: usize) -> bool {
    let is_letter =
        |at: Option<usize>| at.and_then(|at| name.get(at)).is_some_and(u8::is_ascii_alphabetic);
    is_letter(at.checked_sub(1)) && is_letter(at.checked_add(1))
}

/// Whether a text is an operator.
fn is_symbol(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|byte| b"=|$&*+-~^/%.?@<>!".contains(byte)) && text != b"!"
}

/// The length of C++'s `operator` and its symbol at a position.
fn operator_len(name: &[u8], at: usize) -> Option<usize> {
    const WORD: &[u8] = b"operator";
    let symbol = name[at..].strip_prefix(WORD)?;
    let is_in_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if name[..at].last().is_some_and(is_in_word) {
        return None;
    }
    let len = OPERATORS.iter().find(|sign| symbol.starts_with(sign))?.len();
    let after = &symbol[len..];
    let is_end = after.first().is_none_or(|next| b" <(:[".contains(next));
    (is_end || symbol.starts_with(b"\"\"")).then_some(WORD.len() + len)
}

/// The components of a name of another language.
pub(super) struct Components {
    /// Their ranges in the name, the last being that of the function itself. Between them are
    /// separators.
    pub(super) ranges: Vec<Range<usize>>,
}

impl Components {
    pub(super) fn of(name: &[u8], kind: NameKind) -> Components {
        if let Some(Tuple { module, function, .. }) = Tuple::parse(name) {
            return Components { ranges: vec![module, function] };
        }
        if is_place(name) {
            return Components { ranges: std::iter::once(0..name.len()).collect() };
        }
        let name = without_line(name);
        // As in `block in Foo#bar`.
        const IN: &[u8] = b" in ";
        let inner = |at: &usize| name[*at..].starts_with(IN);
        let last = memmem::find(name, IN).and_then(|_| outside_brackets(name).filter(inner).last());
        let start = last.map_or(0, |at| at + IN.len());
        let mut scanner = LanguageScanner { name, kind, start, at: start, ranges: Vec::new() };
        while scanner.step() {}
        scanner.ranges.push(scanner.start..name.len());
        Components { ranges: scanner.ranges }
    }

    /// The range of all components but the last one; empty if there is only one.
    pub(super) fn namespace(&self) -> Range<usize> {
        let before = self.ranges.len().checked_sub(2).map(|last| self.ranges[last].end);
        let start = self.ranges.first().map_or(0, |first| first.start);
        start..before.unwrap_or(start)
    }

    /// The range of the first component of the namespace; a path before it, as of Go's packages,
    /// belongs to it.
    pub(super) fn outermost(&self, name: &[u8]) -> Range<usize> {
        let namespace = self.namespace();
        let slash = memchr::memrchr(b'/', &name[namespace.clone()]);
        let path_end = slash.map_or(namespace.start, |slash| namespace.start + slash);
        let first = self.ranges.iter().find(|range| range.end > path_end);
        namespace.start..first.map_or(namespace.end, |first| first.end.min(namespace.end))
    }
}

/// The starts of the components of a name, if it is one of another language than C++ and Rust.
pub fn component_starts(name: &str, kind: NameKind) -> Option<Vec<usize>> {
    let name = name.as_bytes();
    let ranges = has_other_components(name, kind).then(|| Components::of(name, kind).ranges);
    ranges.map(|ranges| ranges.iter().map(|range| range.start).collect())
}

/// The ends of sources in languages whose functions need no names: chrome2calltree names such a
/// function by its place, `order.js:23`.
const SOURCES: [&[u8]; 12] = [
    b".js", b".mjs", b".cjs", b".jsx", b".ts", b".tsx", b".py", b".rb", b".php", b".pl", b".lua",
    b".html",
];

/// Whether a name is only the file and line of a function.
fn is_place(name: &[u8]) -> bool {
    let file = before_line(name).filter(|file| !file.contains(&b' '));
    file.is_some_and(|file| SOURCES.iter().any(|end| file.ends_with(end)))
}

/// What is before the line at the end of a name.
fn before_line(name: &[u8]) -> Option<&[u8]> {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let before = name[..name.len() - digits].strip_suffix(b":")?;
    (digits > 0 && !before.is_empty() && !before.ends_with(b":")).then_some(before)
}

/// A name without the file and line behind it, as in yappi's `A.run a.py:5`, or the line, as in
/// pyprof2calltree's `run:5`.
fn without_line(name: &[u8]) -> &[u8] {
    let Some(before) = before_line(name).filter(|_| !is_place(name)) else {
        return name;
    };
    let blank = outside_brackets(name).filter(|&at| name.get(at) == Some(&b' ')).last();
    &name[..blank.unwrap_or(before.len())]
}

/// The last component of a name without its parameters, as in `Main(String[])`, and without a note
/// behind it, as in `f (a.js:12)`.
pub(super) fn without_parameters_or_note(name: &[u8]) -> &[u8] {
    let is_open = |at: usize| {
        let is_bracket = |at: usize| name.get(at).is_some_and(|byte| b"(<[".contains(byte));
        at > 0
            && (name[at] == b'(' && is_letter(name[at - 1])
                || name[at] == b' ' && is_bracket(at + 1))
    };
    let name = without_line(name);
    &name[..find_outside(name, is_open).unwrap_or(name.len())]
}

/// Whether a byte can begin a word in some language.
fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'@' | b'*') || !byte.is_ascii()
}

struct LanguageScanner<'n> {
    name: &'n [u8],
    kind: NameKind,
    /// The start of the current component.
    start: usize,
    at: usize,
    ranges: Vec<Range<usize>>,
}

impl LanguageScanner<'_> {
    /// Consumes a token; false if the rest of the name belongs to the current component.
    fn step(&mut self) -> bool {
        let rest = &self.name[self.at..];
        let Some(&byte) = rest.first() else {
            return false;
        };
        let is_at_start = self.at == self.start;
        match byte {
            b'<' | b'(' | b'[' | b'{' => match bracket_end(self.name, self.at) {
                Some(end) if byte == b'(' && is_jvm_type(&self.name[end..]) => return false,
                Some(end) => self.at = end,
                None => return false,
            },
            b' ' => return self.blank(),
            b'\'' | b'"' if is_at_start => match memchr::memchr(byte, &rest[1..]) {
                Some(len) => self.at += len + 2,
                None => return false,
            },
            // Ruby's unnamed classes.
            b'#' if is_at_start && rest.starts_with(b"#<") => self.at += 1,
            _ if is_at_start && !is_letter(byte) => return false,
            _ => match separator_len(rest, self.kind).filter(|_| !is_at_start) {
                Some(len) => {
                    self.ranges.push(self.start..self.at);
                    self.at += len;
                    self.start = self.at;
                    // PHP's closures have the namespace once more behind the class.
                    return !rest.starts_with(b"->");
                }
                None => self.at += 1,
            },
        }
        true
    }

    /// A word behind a blank begins the name anew, as behind a type; other text, as in
    /// `f (a.js:12)`, is a note.
    fn blank(&mut self) -> bool {
        let rest = &self.name[self.at..];
        let text = rest.trim_ascii_start();
        let at = self.at + rest.len() - text.len();
        match text.first() {
            Some(&byte) if is_letter(byte) => {
                self.ranges.clear();
                (self.start, self.at) = (at, at);
            }
            Some(b'<' | b'(' | b'[' | b'{') => match bracket_end(self.name, at) {
                Some(end) if matches!(self.name.get(end), None | Some(b' ')) => self.at = end,
                _ => return false,
            },
            _ => return false,
        }
        true
    }
}

/// Whether a text is a type as the Java virtual machine writes it (The Java Virtual Machine
/// Specification, 4.3): a letter, or a class with slashes, of an array behind brackets. Behind its
/// parameters it is what a method returns.
fn is_jvm_type(text: &[u8]) -> bool {
    let brackets = text.iter().take_while(|byte| **byte == b'[').count();
    match &text[brackets..] {
        [letter] => b"BCDFIJSVZ".contains(letter),
        [b'L', class @ .., b';'] => !class.is_empty() && !class.contains(&b';'),
        _ => false,
    }
}

/// The length of a separator at the start of a text.
fn separator_len(text: &[u8], kind: NameKind) -> Option<usize> {
    if let Some(rest) = text.strip_prefix(b"::") {
        return (!rest.is_empty()).then_some(2);
    }
    if kind == NameKind::Symbol {
        return None;
    }
    let is_word = |byte: &u8| is_letter(*byte) || *byte == b'{';
    for sign in [&b"->"[..], b">>"] {
        if let Some(rest) = text.strip_prefix(sign) {
            return rest.first().is_some_and(is_word).then_some(2);
        }
    }
    let (sign, rest) = text.split_first()?;
    let next = rest.first()?;
    // A number is the arity of a function, a line or the number of a copy.
    let is_number = || {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        digits > 0 && rest.get(digits).is_none_or(|byte| !is_letter(*byte))
    };
    (b".#:/\\".contains(sign) && !b" ),".contains(next) && !is_number()).then_some(1)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::view::filter::{Rule, Subject};
    use crate::view::namespace::{crate_of, namespace};
    use crate::view::pattern::Pattern;
    use crate::view::short_name::short_function;

    /// Names as profilers of each language write them, with their namespace and a pattern that
    /// names them without it. All are printed whole, so that no two of them look equal.
    const NAMES: &str = include_str!("../../testdata/languages/names.txt");

    struct LanguageName {
        language: &'static str,
        name: &'static str,
        namespace: &'static str,
        own: &'static str,
    }

    fn lines() -> Vec<LanguageName> {
        let mut language = "";
        let mut lines = Vec::new();
        for line in NAMES.lines().filter(|line| !line.is_empty()) {
            if let Some(title) = line.strip_prefix("# ") {
                language = title;
                continue;
            }
            let columns: Vec<&str> = line.split("  |  ").map(str::trim).collect();
            let [name, namespace, own] = columns[..] else { panic!("{line}") };
            lines.push(LanguageName { language, name, namespace, own });
        }
        lines
    }

    #[test]
    fn names_of_languages() {
        let languages: HashSet<&str> = lines().iter().map(|line| line.language).collect();
        assert!(languages.len() >= 15);
        let mut wrong = Vec::new();
        for LanguageName { language, name, namespace: expected, own } in lines() {
            let bytes = name.as_bytes();
            let short = short_function(bytes, NameKind::Other);
            if &*short != bytes {
                wrong.push(format!("{language}: {name}: {}", String::from_utf8_lossy(&short)));
            }
            let found = String::from_utf8(namespace(bytes, NameKind::Other)).unwrap();
            if found != expected.replace("(none)", "") {
                wrong.push(format!("{language}: {name}: namespace {found}"));
            }
            let rule = Rule::of("function", Pattern::parse(own).unwrap());
            let subject = Subject::new(None, b"", bytes).of_kind(NameKind::Other);
            if !rule.matches(&subject) {
                wrong.push(format!("{language}: {name}: {own} does not match"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// What the form of a name shows is so in every profile.
    #[test]
    fn operators_are_whole_names_of_symbols_too() {
        for name in [
            "Integer::<=>",
            "Version::<<",
            "julia_<:_12",
            "Object.<anonymous>",
            "main.(*T).f",
            "Data.Map.<|>",
            "Prog.<Main>b__0",
            "names<-",
            "Foo#bar<x>",
            "f(int) -> int",
            "main([Ljava/lang/String;)V",
        ] {
            assert_eq!(*short_function(name.as_bytes(), NameKind::Symbol), *name.as_bytes());
        }
        assert_eq!(namespace(b"Integer::<=>", NameKind::Symbol), b"Integer");
        assert_eq!(namespace(b"main.(*T).f", NameKind::Symbol), b"");
        assert_eq!(namespace(b"f.part.0", NameKind::Other), b"");
    }

    /// The names of C++ and Rust have nothing of other languages.
    #[test]
    fn names_of_cpp_and_rust_are_recognized() {
        let names = include_str!("../../testdata/mangled-names.txt")
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(str::trim);
        let more = [
            "std::function<void ()>::operator()() const",
            "f(int)@@GLIBCXX_3.4.20",
            "a::f(char const*, ...)",
            "<core::iter::Map<I,F> as core::iter::Iterator>::next",
            "std::rt::lang_start::{{closure}}",
            "void f<(a>b), 1>()",
            "void f<((sizeof (T))>(8))>(int)",
            "int (*f(int))(char)",
            "operator new(unsigned long)",
            "a::operator\"\"_x(char)",
            "a::f::<()>",
            "a::f(int) [clone .isra.0] [clone .cold]",
            "a::b<c>::f(int) const &",
            "(anonymous namespace)::f(int)",
            "f[abi:cxx11](int)",
            "a::operator<=> <int>(int)",
            "a::B::~B()",
        ];
        let is_other = |name: &&str| {
            let symbol = without_clones(without_clone(name.as_bytes()));
            [NameKind::Symbol, NameKind::Other].into_iter().any(|kind| is_other_word(symbol, kind))
        };
        // Levels of recursion are only in symbols.
        let names = names.filter(|name| !name.contains('\''));
        let wrong: Vec<&str> = names.chain(more).filter(is_other).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn the_outermost_component_is_the_crate() {
        let table = [
            ("java.util.HashMap.put", "java"),
            ("github.com/a/b.(*C).D", "github.com/a/b"),
            ("github.com/a/b.F", "github.com/a/b"),
            ("App\\Models\\User->save", "App"),
            ("fib", ""),
        ];
        for (name, expected) in table {
            let found = crate_of(name.as_bytes(), NameKind::Other);
            assert_eq!(String::from_utf8(found).unwrap(), expected, "{name}");
        }
    }

    #[test]
    fn long_names_take_linear_time() {
        for part in ["a.", "a<", "a::", "'", "a in ", "(", "a->", "<=>", "a b ", "::<"] {
            let name = part.repeat(20_000);
            let _ = namespace(name.as_bytes(), NameKind::Other);
            let _ = short_function(name.as_bytes(), NameKind::Other);
        }
    }
}
