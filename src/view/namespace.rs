//! The namespace of a function, from its readable name: the C++ class or namespace, the Rust module or type.
//!
//! Template arguments do not tell namespaces apart: `std::vector<int>::size()` is in `std::vector`. A closure or a
//! lambda is where the function is that it stands in. `<Type as Trait>::f` is in the type, or in the trait if the type is no
//! path (`&T`, `u32`), and what stands in `module::<impl Trait for Type>` is in that module.

/// How deep types may stand in each other; what is deeper is not looked into.
const DEEPEST: usize = 16;

/// The namespace of a function; empty if it is in none.
pub(super) fn namespace(name: &[u8]) -> Vec<u8> {
    let mut path = Scanner::path(name, DEEPEST);
    let is_braced = |part: &Part<'_>| part.text.starts_with(b"{");
    pop_while(&mut path, is_braced);
    path.pop();
    // What stands in a function is where the function is.
    pop_while(&mut path, |part| is_braced(part) || part.is_called);
    let parts: Vec<_> = path.into_iter().map(|part| part.text).collect();
    parts.join(&b"::"[..])
}

fn pop_while<'n>(path: &mut Vec<Part<'n>>, is_popped: impl Fn(&Part<'n>) -> bool) {
    while path.last().is_some_and(&is_popped) {
        path.pop();
    }
}

/// What stands between two `::`.
#[derive(Clone, Copy, Debug)]
struct Part<'n> {
    /// Without template arguments and parameters.
    text: &'n [u8],
    /// Whether parameters stand behind it.
    is_called: bool,
}

/// Takes a name apart.
struct Scanner<'n> {
    name: &'n [u8],
    at: usize,
    path: Vec<Part<'n>>,
    /// Where the part at hand begins, and where it ends if that is known.
    start: usize,
    end: Option<usize>,
    is_called: bool,
    deepest: usize,
}

impl<'n> Scanner<'n> {
    /// The parts of a name, the last being that of the function itself.
    fn path(name: &'n [u8], deepest: usize) -> Vec<Part<'n>> {
        let mut scanner = Scanner {
            name,
            at: 0,
            path: Vec::new(),
            start: 0,
            end: None,
            is_called: false,
            deepest,
        };
        while scanner.step() {}
        scanner.finish_part();
        scanner.path
    }

    fn rest(&self) -> &'n [u8] {
        &self.name[self.at..]
    }

    /// Whether the part at hand has no byte yet.
    fn is_at_start(&self) -> bool {
        self.at == self.start && self.end.is_none()
    }

    /// Takes in what comes next; false at the end of what is to be looked at.
    fn step(&mut self) -> bool {
        let Some(&byte) = self.rest().first() else {
            return false;
        };
        match byte {
            b':' if self.rest().starts_with(b"::") => {
                self.finish_part();
                self.begin_part(self.at + 2);
            }
            b'<' if self.is_at_start() => self.qualified_type(),
            b'<' | b'(' | b'[' | b'{' => {
                let is_part = self.is_at_start();
                if !is_part {
                    self.end.get_or_insert(self.at);
                    self.is_called |= byte == b'(';
                }
                self.at = self.end_of_group();
            }
            b' ' if self.is_called => return self.qualifier(),
            b' ' => {
                // What stood here is the type that the function returns.
                self.path.clear();
                self.begin_part(self.at + 1);
            }
            b'o' if self.is_at_start() && self.rest().starts_with(b"operator") => self.operator(),
            _ => self.at += 1,
        }
        true
    }

    fn begin_part(&mut self, at: usize) {
        let at = at.min(self.name.len());
        (self.at, self.start, self.end, self.is_called) = (at, at, None, false);
    }

    fn finish_part(&mut self) {
        let text = &self.name[self.start..self.end.unwrap_or(self.at)];
        if !text.is_empty() {
            self.path.push(Part {
                text,
                is_called: self.is_called,
            });
        }
        self.begin_part(self.at);
    }

    /// Behind parameters: goes past `const` and the like, and ends before anything else.
    fn qualifier(&mut self) -> bool {
        let qualifiers = [&b" const"[..], b" volatile", b" &&", b" &", b" noexcept"];
        let found = qualifiers.iter().find(|word| self.rest().starts_with(word));
        self.end.get_or_insert(self.at);
        found.inspect(|word| self.at += word.len()).is_some()
    }

    /// `operator` with its sign, which may look like brackets, or with a type or `new`, before the parameters.
    fn operator(&mut self) {
        self.at += b"operator".len();
        let rest = self.rest();
        let sign = if rest.starts_with(b"()") || rest.starts_with(b"[]") {
            2
        } else {
            let is_sign = |b: &u8| b"<>=!+-*/%^&|~,".contains(b);
            rest.iter().take_while(|&b| is_sign(b)).count()
        };
        self.at += sign;
        if sign > 0 && self.rest().starts_with(b" <") {
            self.end = Some(self.at);
            self.at += 1;
        } else if sign == 0 && self.rest().starts_with(b" ") {
            self.end = Some(self.at);
            let rest = self.rest();
            self.at += rest.iter().position(|&b| b == b'(').unwrap_or(rest.len());
        }
    }

    /// `<Type as Trait>`, `<Type>`, or behind `::` `<impl Trait for Type>` and the arguments of a generic function.
    fn qualified_type(&mut self) {
        let end = self.end_of_group();
        let inside = &self.name[self.at + 1..end.saturating_sub(1).max(self.at + 1)];
        if self.path.is_empty() && self.deepest > 0 {
            let (of_type, of_trait) = match find_as(inside) {
                Some(at) => (&inside[..at], Some(&inside[at + b" as ".len()..])),
                None => (inside, None),
            };
            let of_type = without_signs(of_type);
            let mut path = Scanner::path(of_type, self.deepest - 1);
            if path.len() < 2 {
                path = of_trait.map_or(path, |of_trait| Scanner::path(of_trait, self.deepest - 1));
            }
            self.path = path;
        }
        self.begin_part(end);
    }

    /// The end of the brackets that open here.
    fn end_of_group(&self) -> usize {
        let mut depth = 0usize;
        for at in self.at..self.name.len() {
            match self.name[at] {
                b'<' | b'(' | b'[' | b'{' => depth += 1,
                // Of `->` and `=>` it closes nothing.
                b'>' if at > 0 && matches!(self.name[at - 1], b'-' | b'=') => {}
                b'>' | b')' | b']' | b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        return at + 1;
                    }
                }
                _ => {}
            }
        }
        self.name.len()
    }
}

/// Where ` as ` stands outside of all brackets.
fn find_as(text: &[u8]) -> Option<usize> {
    find_outside(text, |at| text[at..].starts_with(b" as "))
}

/// The first place outside of all brackets of which `is_wanted` holds. Brackets that close what did not open here are
/// outside too.
fn find_outside(text: &[u8], is_wanted: impl Fn(usize) -> bool) -> Option<usize> {
    let mut depth = 0usize;
    for at in 0..text.len() {
        if depth == 0 && is_wanted(at) {
            return Some(at);
        }
        match text[at] {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' if at > 0 && matches!(text[at - 1], b'-' | b'=') => {}
            b'>' | b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// A type without what makes a reference, a pointer, a slice or a trait object of it; of several the first.
fn without_signs(mut text: &[u8]) -> &[u8] {
    let signs = [&b"&"[..], b"*", b"mut ", b"const ", b"dyn ", b"[", b"("];
    while let Some(rest) = signs.iter().find_map(|sign| text.strip_prefix(*sign)) {
        text = rest;
    }
    let end = find_outside(text, |at| b",;])+".contains(&text[at]));
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces() {
        let table = [
            ("main", ""),
            ("", ""),
            ("(below main)", ""),
            ("0x0000000000001050", ""),
            ("foo.part.0", ""),
            ("ns::f(int)", "ns"),
            ("ns::f", "ns"),
            ("(anonymous namespace)::f(int)", "(anonymous namespace)"),
            (
                "ns::(anonymous namespace)::C::f() const",
                "ns::(anonymous namespace)::C",
            ),
            (
                "std::vector<int, std::allocator<int> >::push_back(int const&)",
                "std::vector",
            ),
            ("void std::sort<int*>(int*, int*)", "std"),
            (
                "unsigned long const& std::max<unsigned long>(unsigned long const&, unsigned long const&)",
                "std",
            ),
            ("void f<ns::C>(ns::C)", ""),
            ("ns::C::operator()(int) const", "ns::C"),
            ("ns::C::operator[](unsigned long)", "ns::C"),
            ("ns::operator<(ns::C const&, ns::C const&)", "ns"),
            (
                "std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char const*)",
                "std",
            ),
            (
                "bool std::operator==<char>(a::B<char> const&, char const*)",
                "std",
            ),
            ("ns::C::operator->() const", "ns::C"),
            ("ns::C::operator std::string() const", "ns::C"),
            ("operator new(unsigned long)", ""),
            ("ns::C::operator new(unsigned long)", "ns::C"),
            ("ns::operator_of_mine(int)", "ns"),
            ("ns::f(int)::{lambda(a::B)#1}::operator()(a::B) const", "ns"),
            (
                "ns::C::f(int) const::{lambda()#2}::operator()() const",
                "ns::C",
            ),
            ("ns::f(int)::local::g()", "ns::f::local"),
            ("ns::f(int) [clone .isra.0]", "ns"),
            ("non-virtual thunk to ns::C::f()", "ns::C"),
            ("ns::C::~C()", "ns::C"),
            ("alloc::vec::Vec<T,A>::push", "alloc::vec::Vec"),
            ("core::fmt::write", "core::fmt"),
            ("main::run::{closure#0}", "main"),
            ("main::run::{{closure}}", "main"),
            ("main::run::{closure#0}::{closure#1}", "main"),
            ("main::run::{closure#0}::inner", "main::run"),
            (
                "core::ops::FnOnce::call_once::{shim:vtable#0}",
                "core::ops::FnOnce",
            ),
            ("foo::bar::<u32>", "foo"),
            ("foo::bar::<fn(u32) -> u8>", "foo"),
            (
                "<alloc::string::String as core::fmt::Display>::fmt",
                "alloc::string::String",
            ),
            (
                "<alloc::vec::Vec<a::B> as core::ops::Drop>::drop",
                "alloc::vec::Vec",
            ),
            (
                "<alloc::raw_vec::RawVec<u8>>::grow::<alloc::alloc::Global>",
                "alloc::raw_vec::RawVec",
            ),
            ("<&T as core::fmt::Debug>::fmt", "core::fmt::Debug"),
            ("<i64 as core::fmt::Display>::fmt", "core::fmt::Display"),
            ("<&[a::b::C] as core::fmt::Debug>::fmt", "a::b::C"),
            ("<[T]>::sort", "T"),
            ("<(a::B, c::D) as e::F>::g", "a::B"),
            ("<(a::B<u8, [u8; 2]>, c::D) as e::F>::g", "a::B"),
            ("<[(a::B, c::D)]>::g", "a::B"),
            (
                "<<a::Ty>::find::Visitor as b::Visit>::go",
                "a::Ty::find::Visitor",
            ),
            ("<I as main::Fold<T>>::fold_with", "main::Fold"),
            (
                "core::fmt::num::<impl core::fmt::Display for u32>::fmt",
                "core::fmt::num",
            ),
            ("alloc::slice::<impl [T]>::sort", "alloc::slice"),
            ("<F as a::Fn<(u8,)>>::call::{closure#0}", "a::Fn"),
        ];
        for (name, expected) in table {
            let got = namespace(name.as_bytes());
            assert_eq!(String::from_utf8_lossy(&got), expected, "{name}");
        }
    }

    #[test]
    fn brackets_that_do_not_match_and_deep_ones() {
        for name in [
            "<",
            "a::<",
            "f(",
            ")::a",
            "a>::b",
            "<a as ",
            "operator",
            "::",
            "a::operator<<",
        ] {
            namespace(name.as_bytes());
        }
        let deep = "<".repeat(10_000) + "a::b" + &">::c".repeat(10_000);
        namespace(deep.as_bytes());
    }
}
