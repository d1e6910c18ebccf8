//! The parts of a readable name: its namespace (the C++ class or namespace, the Rust module or
//! type), and its bare name.
//!
//! Neither has template arguments: `std::vector<int>::size()` is `std::vector::size` in
//! `std::vector`. A closure or a lambda is in the namespace of the function around it. `<Type as
//! Trait>::f` is in the type, or in the trait if the type is no path (`&T`, `u32`), and what is in
//! `module::<impl Trait for Type>` is in that module.
//!
//! Names of other languages have the components of [`super::language`].

use super::language::{self, Components, has_other_components};
use super::name_syntax::{end_of_brackets, find_outside, without_clone};
use crate::profile::{NameKind, OPERATORS};

/// The maximum nesting of types; types nested deeper are not parsed.
const MAX_DEPTH: usize = 16;

/// The namespace of a function; empty if it is in none.
pub(super) fn namespace(name: &[u8], kind: NameKind) -> Vec<u8> {
    if has_other_components(name, kind) {
        return name[Components::of(name, kind).namespace()].to_vec();
    }
    namespace_of_path(name)
}

/// The namespace of a function of C++ or Rust.
fn namespace_of_path(name: &[u8]) -> Vec<u8> {
    let mut path = NamespaceScanner::path(without_clone(name), MAX_DEPTH);
    pop_while(&mut path, Segment::is_closure);
    path.pop();
    let is_method_of_closure =
        name.starts_with(b"<") && path.last().is_some_and(Segment::is_closure);
    // An item defined in a function belongs to the namespace of the function.
    pop_while(&mut path, |segment| segment.is_closure() || segment.has_parameters);
    if is_method_of_closure {
        path.pop();
    }
    join(&path)
}

/// The crate or outermost namespace of a function; empty if it is in none. Methods of primitive
/// types are in `core`.
pub(super) fn crate_of(name: &[u8], kind: NameKind) -> Vec<u8> {
    if has_other_components(name, kind) {
        return name[Components::of(name, kind).outermost(name)].to_vec();
    }
    let namespace = namespace_of_path(name);
    let outer = namespace.windows(2).position(|pair| pair == b"::");
    match outer {
        None if name.starts_with(b"<") => b"core".to_vec(),
        outer => namespace[..outer.unwrap_or(namespace.len())].to_vec(),
    }
}

/// A function's name with its namespace, without return type, template arguments, parameters and
/// `[clone .isra.0]`.
pub struct BareName {
    pub text: Vec<u8>,
    /// The starts of its components.
    starts: Vec<usize>,
    /// Whether dots and other signs separate components too.
    pub(super) has_dots: bool,
}

impl BareName {
    /// The last `count` components.
    pub fn last_components(&self, count: usize) -> &[u8] {
        let first = self.starts.len().saturating_sub(count);
        &self.text[self.starts.get(first).copied().unwrap_or(self.text.len())..]
    }
}

pub(super) fn bare_name(name: &[u8], kind: NameKind) -> BareName {
    if has_other_components(name, kind) {
        if let Some(name) = language::with_arity(name) {
            return bare_name(&name, kind);
        }
        let components = Components::of(without_clone(name), kind);
        let starts: Vec<usize> = components.ranges.iter().map(|range| range.start).collect();
        let (before, own) = name.split_at(starts.last().copied().unwrap_or(0));
        let own = language::without_parameters_or_note(own);
        let has_dots = kind == NameKind::Other;
        return BareName { text: [before, own].concat(), starts, has_dots };
    }
    bare_path(name)
}

/// The bare name of a function of C++ or Rust.
pub(super) fn bare_path(name: &[u8]) -> BareName {
    let path = NamespaceScanner::path(without_clone(name), MAX_DEPTH);
    let mut starts = Vec::new();
    let mut start = 0;
    for component in &path {
        starts.push(start);
        start += component.text.len() + b"::".len();
    }
    BareName { text: join(&path), starts, has_dots: false }
}

/// A function's name without return type and parameters, but with template arguments.
pub fn without_parameters(name: &str, kind: NameKind) -> &str {
    if language::is_of_other_language(name.as_bytes(), kind) {
        return name;
    }
    let scanner = NamespaceScanner::at_end_of(name.as_bytes(), MAX_DEPTH);
    let end = scanner.parameters;
    end.map_or(name, |end| &name[scanner.begin..end])
}

fn join(path: &[Segment<'_>]) -> Vec<u8> {
    let texts: Vec<_> = path.iter().map(|segment| segment.text).collect();
    texts.join(&b"::"[..])
}

fn pop_while<'n>(path: &mut Vec<Segment<'n>>, is_popped: impl Fn(&Segment<'n>) -> bool) {
    while path.last().is_some_and(&is_popped) {
        path.pop();
    }
}

/// The prefix of a lambda's class in debug information, as in `<lambda(int)>` or `<lambda#1>`.
const LAMBDA: &[u8] = b"<lambda";

struct Segment<'n> {
    /// Without template arguments and parameters.
    text: &'n [u8],
    has_parameters: bool,
}

impl Segment<'_> {
    /// Whether this is a closure, a lambda (`$_0` in clang) or another unnamed item.
    fn is_closure(&self) -> bool {
        [&b"{"[..], b"$_", LAMBDA].iter().any(|start| self.text.starts_with(start))
    }
}

#[derive(Default)]
struct NamespaceScanner<'n> {
    name: &'n [u8],
    at: usize,
    path: Vec<Segment<'n>>,
    /// The start of the current segment, and the end of its text once that is known.
    start: usize,
    end: Option<usize>,
    has_parameters: bool,
    /// The start of the first segment, and of the parameters of the current one.
    begin: usize,
    parameters: Option<usize>,
    depth_left: usize,
}

impl<'n> NamespaceScanner<'n> {
    /// A scanner at the last segment of a name.
    fn at_end_of(name: &'n [u8], depth_left: usize) -> NamespaceScanner<'n> {
        let mut scanner = NamespaceScanner { name, depth_left, ..NamespaceScanner::default() };
        while scanner.step() {}
        scanner
    }

    /// The segments of a name, the last being that of the function itself.
    fn path(name: &'n [u8], depth_left: usize) -> Vec<Segment<'n>> {
        let mut scanner = NamespaceScanner::at_end_of(name, depth_left);
        scanner.finish_segment();
        scanner.path
    }

    fn rest(&self) -> &'n [u8] {
        &self.name[self.at..]
    }

    /// Whether the current segment is still empty.
    fn is_at_start(&self) -> bool {
        self.at == self.start && self.end.is_none()
    }

    /// Consumes the next token; false at the end of the name.
    fn step(&mut self) -> bool {
        let Some(&byte) = self.rest().first() else {
            return false;
        };
        match byte {
            b':' if self.rest().starts_with(b"::") => {
                self.finish_segment();
                self.begin_segment(self.at + 2);
            }
            b'<' if self.is_at_start() && !self.rest().starts_with(LAMBDA) => self.qualified_type(),
            b'(' if self.is_at_start() && self.declarator().is_some() => {
                // The function returns a pointer: its name and parameters are in the middle of the
                // return type.
                if let Some(inside) = self.declarator().filter(|_| self.depth_left > 0) {
                    self.path = NamespaceScanner::path(inside, self.depth_left - 1);
                }
                self.begin_segment(self.name.len());
            }
            b'<' | b'(' | b'[' | b'{' => self.group(byte),
            b' ' if self.has_parameters => return self.qualifier(),
            b' ' => {
                // The text so far is the return type.
                self.path.clear();
                self.begin_segment(self.at + 1);
                self.begin = self.at;
            }
            b'o' if self.is_at_start() && self.rest().starts_with(b"operator") => self.operator(),
            _ => {
                if self.has_parameters {
                    // Not C++ or Rust, as Go's `main.(*T).f`: all of it is the text.
                    (self.end, self.has_parameters, self.parameters) = (None, false, None);
                }
                self.at += 1;
                // No token begins within a word.
                let rest = self.rest().iter();
                let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
                self.at += rest.take_while(is_word).count();
            }
        }
        true
    }

    /// The `f(int)` of `int (*f(int))(Y)`, if one begins here: after the pointed-to type and before
    /// the parameters or array length.
    fn declarator(&self) -> Option<&'n [u8]> {
        let end = self.end_of_group();
        let is_in_type = self.at == 0 || self.name[..self.at].ends_with(b" ");
        let after = self.name.get(end);
        let is_in_type = is_in_type && matches!(after, Some(b'(' | b'['));
        let inside = &self.name[self.at + 1..end.saturating_sub(1).max(self.at + 1)];
        let is_sign = |at: usize| {
            let is_of_member = at > 1 && &inside[at - 2..at] == b"::";
            matches!(inside[at], b'*' | b'&') && (at == 0 || is_of_member)
        };
        let sign = find_outside(inside, is_sign).filter(|_| is_in_type)?;
        let mut inside = &inside[sign..];
        let prefixes = [&b"*"[..], b"&", b" ", b"const&", b"const "];
        while let Some(rest) = prefixes.iter().find_map(|sign| inside.strip_prefix(*sign)) {
            inside = rest;
        }
        Some(inside)
    }

    /// Skips a bracketed group. Template arguments, parameters and ABI tags end the text; `[]` are
    /// part of it.
    fn group(&mut self, byte: u8) {
        let ends_text = byte != b'[' || self.rest().starts_with(b"[abi:");
        if !self.is_at_start() && ends_text {
            let text = &self.name[self.start..self.at];
            if text != b"decltype" {
                self.end.get_or_insert(self.at);
                if byte == b'(' {
                    self.has_parameters = true;
                    self.parameters.get_or_insert(self.at);
                }
            }
        }
        self.at = self.end_of_group();
    }

    fn begin_segment(&mut self, at: usize) {
        let at = at.min(self.name.len());
        (self.at, self.start) = (at, at);
        (self.end, self.has_parameters, self.parameters) = (None, false, None);
    }

    fn finish_segment(&mut self) {
        let text = &self.name[self.start..self.end.unwrap_or(self.at)];
        if !text.is_empty() {
            self.path.push(Segment { text, has_parameters: self.has_parameters });
        }
        self.begin_segment(self.at);
    }

    /// Skips a `const` or similar qualifier after the parameters; false at anything else.
    fn qualifier(&mut self) -> bool {
        let qualifiers = [&b" const"[..], b" volatile", b" &&", b" &", b" noexcept"];
        let found = qualifiers.iter().find(|word| self.rest().starts_with(word));
        self.end.get_or_insert(self.at);
        found.inspect(|word| self.at += word.len()).is_some()
    }

    /// Consumes `operator` and its symbol, which may be brackets, or its type, `new` or `"" name`.
    fn operator(&mut self) {
        self.at += b"operator".len();
        let rest = self.rest();
        if rest.starts_with(b" ") || rest.starts_with(b"\"\"") {
            let end = find_outside(rest, |at| rest[at] == b'(');
            self.at += end.unwrap_or(rest.len());
        } else if let Some(sign) = OPERATORS.iter().find(|sign| rest.starts_with(sign)) {
            self.at += sign.len();
            if self.rest().starts_with(b" <") {
                self.end = Some(self.at);
                self.at += 1;
            }
        }
    }

    /// Consumes `<Type as Trait>` or `<Type>`; after `::` also `<impl Trait for Type>` and generic
    /// arguments.
    fn qualified_type(&mut self) {
        let end = self.end_of_group();
        let inside = &self.name[self.at + 1..end.saturating_sub(1).max(self.at + 1)];
        if self.path.is_empty() && self.depth_left > 0 {
            let is_as = |at: usize| inside[at..].starts_with(b" as ");
            let (of_type, of_trait) = match find_outside(inside, is_as) {
                Some(at) => (&inside[..at], Some(&inside[at + b" as ".len()..])),
                None => (inside, None),
            };
            let of_type = strip_type_prefix(of_type);
            let mut path = NamespaceScanner::path(of_type, self.depth_left - 1);
            if path.len() < 2 {
                path = of_trait
                    .map_or(path, |of_trait| NamespaceScanner::path(of_trait, self.depth_left - 1));
            }
            self.path = path;
        }
        self.begin_segment(end);
    }

    /// The end of the bracketed group that starts here, or of the name if the group is not closed.
    fn end_of_group(&self) -> usize {
        end_of_brackets(self.rest()).map_or(self.name.len(), |end| self.at + end)
    }
}

/// A type without its reference, pointer, slice or trait-object prefix; the first of several types.
fn strip_type_prefix(mut text: &[u8]) -> &[u8] {
    let prefixes = [&b"&"[..], b"*", b"mut ", b"const ", b"dyn ", b"[", b"("];
    while let Some(rest) = prefixes.iter().find_map(|sign| text.strip_prefix(*sign)) {
        text = rest;
    }
    let end = find_outside(text, |at| b",;])+".contains(&text[at]));
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_that_do_not_match_and_deep_ones() {
        for name in "<|a::<|f(|)::a|a>::b|<a as |operator|::|a::operator<<".split('|') {
            namespace(name.as_bytes(), NameKind::Symbol);
        }
        let deep = "<".repeat(10_000) + "a::b" + &">::c".repeat(10_000);
        namespace(deep.as_bytes(), NameKind::Symbol);
    }
}
