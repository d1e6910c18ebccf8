//! Suffixes that callgrind appends to names of functions, each after an apostrophe: a level of
//! recursion (`f'2`), and the callers of a context (`f'caller'its caller`, with
//! --separate-callers). Both may be there: `f'2'caller`.

use std::borrow::Cow;
use std::ops::Range;

/// The suffixes that are removed from names, so that their functions become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuffixFold {
    pub callers: bool,
    pub recursion: bool,
}

/// A name without the suffixes that were folded.
#[derive(Debug, PartialEq, Eq)]
pub struct FoldedName<'n> {
    pub name: Cow<'n, [u8]>,
    /// Whether a level of recursion above the first was removed, and no callers are left in the
    /// name. Then all activations of the named function are in the name without a level, and this
    /// one is within one of the first level. With callers left, `f'2'x` may be within `f'y`.
    pub is_nested: bool,
}

impl SuffixFold {
    pub const CALLERS: SuffixFold = SuffixFold { callers: true, recursion: false };

    pub fn apply(self, name: &[u8]) -> FoldedName<'_> {
        if !self.callers && !may_have_level(name) {
            return FoldedName { name: name.into(), is_nested: false };
        }
        self.apply_after(without_suffixes(name).len(), name)
    }

    /// The same for a name of which the first `own_len` bytes are
    /// [without suffixes](without_suffixes).
    pub fn apply_after(self, own_len: usize, name: &[u8]) -> FoldedName<'_> {
        let own = &name[..own_len];
        // Contexts have many callers, which are split only for a level of recursion: callgrind
        // writes it before them.
        let suffixes = name.get(own.len() + 1..);
        let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
        let suffixes = suffixes.filter(|all| is_digit(all.first()) || is_digit(all.last()));
        let ends = |byte: &u8| *byte == b'\'';
        let outer = suffixes.map(|all| [all.split(ends).next(), all.rsplit(ends).next()]);
        if !outer.into_iter().flatten().flatten().any(is_level) {
            let kept = if self.callers { own } else { name };
            return FoldedName { name: kept.into(), is_nested: false };
        }
        let mut kept = vec![own];
        let mut is_nested = false;
        for suffix in suffixes_after(own_len, name) {
            if is_level(suffix) && self.recursion {
                is_nested |= level_of(suffix) > 1;
            } else if is_level(suffix) || !self.callers {
                kept.push(suffix);
            }
        }
        FoldedName { is_nested: is_nested && kept.len() == 1, name: kept.join(&b'\'').into() }
    }
}

/// The level of recursion in a name, which callgrind writes before the callers: 2 of `f'2` and of
/// `f'2'main`, 1 of a name without a level.
pub fn recursion_level(name: &[u8]) -> u32 {
    level_after(without_suffixes(name).len(), name)
}

/// The [level of recursion](recursion_level) in a name of which the first `own_len` bytes are
/// [without suffixes](without_suffixes).
pub fn level_after(own_len: usize, name: &[u8]) -> u32 {
    let Some(suffixes) = name.get(own_len + 1..) else {
        return 1;
    };
    let end = memchr::memchr(b'\'', suffixes).unwrap_or(suffixes.len());
    if is_level(&suffixes[..end]) { level_of(&suffixes[..end]) } else { 1 }
}

/// The number of a level that consists of digits.
fn level_of(digits: &[u8]) -> u32 {
    std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).unwrap_or(u32::MAX)
}

/// Whether a digit follows an apostrophe, as in names with a level.
fn may_have_level(name: &[u8]) -> bool {
    let mut apostrophes = memchr::memchr_iter(b'\'', name);
    apostrophes.any(|at| name.get(at + 1).is_some_and(u8::is_ascii_digit))
}

fn is_level(suffix: &[u8]) -> bool {
    !suffix.is_empty() && suffix.iter().all(u8::is_ascii_digit)
}

/// The suffixes of GCC and LLVM for copies of functions that they change or split; a number
/// follows.
const NUMBERED_CLONES: [&[u8]; 6] =
    [b".part", b".isra", b".constprop", b".cold", b".lto_priv", b".llvm"];

/// The name without the suffixes of compilers at its end: `f` of `f.part.0.constprop.1`, and of
/// `f [clone .cold]`, as demanglers write it. `App.coldStart` and `pkg.part.load` are plain names.
pub fn without_clones(name: &[u8]) -> &[u8] {
    let mut rest = name;
    while let Some(shorter) = without_demangled_clone(rest).or_else(|| without_clone(rest)) {
        rest = shorter;
    }
    if rest.is_empty() { name } else { rest }
}

/// The name without ` [clone .part.0]` at its end.
fn without_demangled_clone(name: &[u8]) -> Option<&[u8]> {
    const BEGIN: &[u8] = b" [clone ";
    let inner = name.strip_suffix(b"]")?;
    let start = memchr::memmem::rfind(inner, BEGIN)?;
    let mut clones = &inner[start + BEGIN.len()..];
    while let Some(shorter) = without_clone(clones) {
        clones = shorter;
    }
    clones.is_empty().then_some(&name[..start])
}

/// The name without its last suffix of a compiler, such as `.part.0`.
fn without_clone(name: &[u8]) -> Option<&[u8]> {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return name.strip_suffix(b".cold");
    }
    let before = name[..name.len() - digits].strip_suffix(b".")?;
    NUMBERED_CLONES.iter().find_map(|clone| before.strip_suffix(*clone))
}

/// Removes what varies from build to build from a readable name: `[clone .isra.0]`, `.constprop.0`,
/// `.llvm.123`, `::h0123456789abcdef`. The suffixes of contexts and of recursion levels stay.
pub fn without_build(name: &[u8]) -> Vec<u8> {
    let parts: Vec<&[u8]> =
        split_suffixes(name).map(|part| without_hash(without_clones(part))).collect();
    parts.join(&b'\'')
}

fn without_hash(name: &[u8]) -> &[u8] {
    let hash = name.split_last_chunk::<19>().filter(|(_, hash)| {
        let digits = hash.strip_prefix(b"::h");
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    });
    hash.map_or(name, |(name, _)| name)
}

pub fn without_suffixes(name: &[u8]) -> &[u8] {
    find_suffix(name, &mut true).map_or(name, |at| &name[..at])
}

/// The name of the function, then its suffixes.
pub fn split_suffixes(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    let own = without_suffixes(name);
    std::iter::once(own).chain(suffixes_after(own.len(), name))
}

/// The suffixes of a name of which the first `own_len` bytes are
/// [without suffixes](without_suffixes).
pub fn suffixes_after(own_len: usize, name: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = name.get(own_len + 1..);
    let mut has_brackets = true;
    std::iter::from_fn(move || {
        let name = rest?;
        match find_suffix(name, &mut has_brackets) {
            Some(at) => {
                rest = Some(&name[at + 1..]);
                Some(&name[..at])
            }
            None => rest.take(),
        }
    })
}

/// By byte whether it may be more than a plain character of a name. Names of contexts are long, and
/// a look into a table is faster than comparisons with all of these.
static IS_SPECIAL: [bool; 256] = {
    let mut is_special = [false; 256];
    let mut rest: &[u8] = b"o<([{`'";
    while let [byte, others @ ..] = rest {
        is_special[*byte as usize] = true;
        rest = others;
    }
    is_special
};

/// The characters with which no name begins.
const ENDS_NAME: &[u8] = b" .:,;=)>]}@";

/// By byte whether names of C have it.
static IS_OF_C_NAME: [bool; 256] = {
    let mut is_of_c_name = [false; 256];
    let mut byte = 0u8;
    while byte < 128 {
        is_of_c_name[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    is_of_c_name
};

fn is_c_name(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(|&byte| IS_OF_C_NAME[usize::from(byte)])
}

/// Whether a single apostrophe after the name of a function begins a suffix if this byte follows.
fn begins_name(byte: u8) -> bool {
    byte != b'\'' && !ENDS_NAME.contains(&byte)
}

/// The position of a name's first suffix: of the apostrophe that follows a whole name and precedes
/// another one, or a level. A name may itself have apostrophes: Rust's lifetimes and characters
/// (`&'a str`, `f<'x'>`), names that LLVM quotes (`a::'lambda0'(int)`), and primes at the end of a
/// name (`foldl'`), as in Haskell and OCaml. Once a bracket is not closed, `has_brackets` is false,
/// and brackets are plain characters.
fn find_suffix(name: &[u8], has_brackets: &mut bool) -> Option<usize> {
    // Most names have none.
    let first = memchr::memchr(b'\'', name)?;
    if is_c_name(&name[..first]) && name.get(first + 1).is_some_and(|&next| begins_name(next)) {
        return Some(first);
    }
    let (mut at, mut operator_end) = (0, 0);
    while let Some(plain) = name[at..].iter().position(|&byte| IS_SPECIAL[usize::from(byte)]) {
        at += plain;
        match name[at] {
            b'o' => match operator_len(name, at) {
                Some(len) => {
                    at += len;
                    operator_end = at;
                }
                None => at += 1,
            },
            b'<' | b'(' | b'[' | b'{' if *has_brackets => match bracket_end(name, at) {
                Some(end) => at = end,
                None => *has_brackets = false,
            },
            // Microsoft's `anonymous namespace', and names in backticks.
            b'`' => {
                let quoted = memchr::memchr2(b'`', b'\'', &name[at + 1..]);
                at += 1 + quoted.map_or(0, |len| len + 1);
            }
            b'\'' => {
                let len = name[at..].iter().take_while(|&&byte| byte == b'\'').count();
                // An operator is a whole name, whatever its last character is.
                let before = name[..at].last().filter(|_| at != operator_end);
                match apostrophes(name, before.copied(), at..at + len) {
                    Apostrophes::Suffix(suffix) => return Some(suffix),
                    Apostrophes::OfName { end } => at = end,
                }
            }
            _ => at += 1,
        }
    }
    None
}

/// What one or more apostrophes are.
enum Apostrophes {
    /// This one begins a suffix.
    Suffix(usize),
    /// They are part of the name, which goes on at `end`.
    OfName { end: usize },
}

/// What the apostrophes in a range are, outside of brackets, after the character `before`.
fn apostrophes(name: &[u8], before: Option<u8>, mut range: Range<usize>) -> Apostrophes {
    // Names in quotes, of any language.
    if range.start == 0 || before == Some(b':') {
        let quoted = memchr::memchr(b'\'', &name[range.start + 1..]);
        let end = quoted.map_or(name.len(), |len| range.start + 1 + len + 1);
        return Apostrophes::OfName { end };
    }
    // Lifetimes.
    if before.is_some_and(|before| b" <&(,+=|;[{".contains(&before)) {
        return Apostrophes::OfName { end: range.end };
    }
    // The caller may begin with a name in quotes.
    if range.len() > 1 && quoted_name_len(name, range.end - 1).is_some() {
        range.end -= 1;
    }
    match name.get(range.end) {
        Some(&next) if !ENDS_NAME.contains(&next) => Apostrophes::Suffix(range.end - 1),
        // Nothing follows that could begin a name.
        _ => Apostrophes::OfName { end: range.end },
    }
}

/// The end of a bracket that begins at `start`, if it is closed. A `<` inside another bracket that
/// is not closed before that one is a comparison.
pub fn bracket_end(name: &[u8], start: usize) -> Option<usize> {
    let mut open = Vec::new();
    let mut at = start;
    while let Some(&byte) = name.get(at) {
        match byte {
            b'o' => {
                at += operator_len(name, at).unwrap_or(1);
                continue;
            }
            b'\'' => {
                let quoted = quoted_name_len(name, at).or_else(|| character_len(&name[at..]));
                at += quoted.unwrap_or(1);
                continue;
            }
            b'<' | b'(' | b'[' | b'{' => open.push(byte),
            // `->` closes nothing.
            b'>' if name[at - 1] != b'-' && open.last() == Some(&b'<') => drop(open.pop()),
            b')' => close(&mut open, b'(')?,
            b']' => close(&mut open, b'[')?,
            b'}' => close(&mut open, b'{')?,
            _ => {}
        }
        at += 1;
        if open.is_empty() {
            return Some(at);
        }
    }
    None
}

/// Closes the last open bracket of a kind and those inside it; none if there is no such bracket.
fn close(open: &mut Vec<u8>, kind: u8) -> Option<()> {
    while open.pop()? != kind {}
    Some(())
}

/// The symbols of operators in C++ and languages like it, each before those that begin it.
pub const OPERATORS: [&[u8]; 41] = [
    b"<=>", b"<<=", b">>=", b"->*", b"()", b"[]", b"\"\"", b"<<", b">>", b"<=", b">=", b"==",
    b"!=", b"&&", b"||", b"++", b"--", b"->", b"+=", b"-=", b"*=", b"/=", b"%=", b"^=", b"&=",
    b"|=", b"<", b">", b"+", b"-", b"*", b"/", b"%", b"^", b"&", b"|", b"~", b"!", b"=", b",",
    b"?",
];

/// The length of the name of an operator at this position, such as `operator<<`.
fn operator_len(name: &[u8], at: usize) -> Option<usize> {
    const WORD: &[u8] = b"operator";
    let is_in_word = |&byte: &u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let symbol = name[at..].strip_prefix(WORD)?;
    if name[..at].last().is_some_and(is_in_word) {
        return None;
    }
    let operator = OPERATORS.iter().find(|operator| symbol.starts_with(operator))?;
    Some(WORD.len() + operator.len())
}

/// The length of a name at this position that LLVM writes in quotes, such as `'lambda0'`.
fn quoted_name_len(name: &[u8], at: usize) -> Option<usize> {
    const NAMES: [&[u8]; 3] = [b"'lambda", b"'unnamed", b"'block-literal"];
    let rest = &name[at..];
    let begin = NAMES.iter().find(|begin| rest.starts_with(begin))?;
    let digits = rest[begin.len()..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let len = begin.len() + digits;
    (rest.get(len) == Some(&b'\'')).then_some(len + 1)
}

/// The length of a character in quotes at the start of a text, such as `'x'` or `'\u{41}'`.
fn character_len(text: &[u8]) -> Option<usize> {
    /// The length of `'\u{10ffff}'`.
    const MAX_LEN: usize = 12;
    let text = &text[..text.len().min(MAX_LEN)];
    let last = match text.get(1)? {
        // The character behind the backslash may be an apostrophe.
        b'\\' => 3 + memchr::memchr(b'\'', text.get(3..)?)?,
        0..0x80 => 2,
        0x80..0xe0 => 3,
        0xe0..0xf0 => 4,
        0xf0.. => 5,
    };
    (text.get(last) == Some(&b'\'')).then_some(last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names with `|` in the place of the apostrophe before each suffix.
    const NAMES: &str = r"
        # Callgrind
        f
        f|2
        f|2|main|(below main)
        (below main)|2
        0x0000000000001090|_dl_start|main
        _Z1fv|_Z1gv|_ZN1aC2Ev
        f(int, char const*)|g(std::vector<int>)|main
        std::vector<int, std::allocator<int> >::push_back(int&&)|2|main
        void f<(char)39>()|2
        f[abi:cxx11]|main
        (anonymous namespace)::f()|2
        f() [clone .part.0]|main
        -[NSString length]|+[NSObject new]|main
        broken<int|main<int>
        broken(int|2

        # operators of C++
        operator<|2
        operator<<|main
        A::operator<(A const&) const|main
        A::operator->() const|A::operator()(int)|2
        std::operator<< <std::char_traits<char> >(std::ostream&, char)|main
        operator>|operator<|2
        operator,|2
        operator&|operator+|main
        operator()|operator[]|2
        f<&A::operator<, 3>()|main
        operator<=><int>|2
        std::enable_if<((3)<(4)), int>::type f<int>()|main
        std::enable_if<(3 > 4), int>::type f<int>()|main
        bool_operator|2

        # Rust: lifetimes and characters
        take<'x', i32>
        take<'x', i32>|2|main
        take<'\'', u64>|main
        take<'\\', u64>|main
        take<'<', '{', 3>|2
        take<'é', '\u{1f600}', '('>|main
        <&'a str as core::fmt::Display>::fmt|main
        core::ptr::drop_in_place<dyn core::ops::Fn(&'a str) -> u8 + 'static>|2
        f::<for<'a, 'b> fn(&'a u8) -> &'b u8>|main
        &'a str
        dyn Fn + 'a
        <A as B<'_>>::c::{{closure}}|main

        # LLVM's names in quotes
        a::'lambda'(int)::operator()(int) const
        a::'lambda0'()::operator()() const|main
        'lambda'(char)::operator()(char) const|2
        void f<g()::'lambda'('lambda0'(int))>()|main
        main|'lambda'(int)::operator()(int) const
        a::'unnamed'::f()|main|2
        std::'unnamed3'|main

        # Microsoft's quotes, and names in backticks
        `anonymous namespace'::f|main
        a::`adds two numbers`|main

        # primes of Haskell and OCaml
        foldl'
        x''
        Data.List.foldl'
        foldl'|main
        go''|2
        camlList.map'.fun_12
        f'::g
        f' (int)
        go1'@VER|2
    ";

    #[test]
    fn merged_levels_are_nested_if_no_callers_are_left() {
        let (recursion, callers) = (true, true);
        let levels = SuffixFold { callers: false, recursion };
        let both = SuffixFold { callers, recursion };
        let table: [(SuffixFold, &str, &str, bool); 11] = [
            (levels, "f", "f", false),
            (levels, "f'2", "f", true),
            (levels, "f'17", "f", true),
            (levels, "f'main", "f'main", false),
            (levels, "f'2'main", "f'main", false),
            (both, "f'main", "f", false),
            (both, "f'2'main", "f", true),
            (both, "f'2'g'2'main", "f", true),
            (SuffixFold::CALLERS, "f'2'main", "f'2", false),
            (SuffixFold::CALLERS, "f'main", "f", false),
            (SuffixFold::default(), "f'2", "f'2", false),
        ];
        for (fold, name, folded, is_nested) in table {
            let found = fold.apply(name.as_bytes());
            assert_eq!((&*found.name, found.is_nested), (folded.as_bytes(), is_nested), "{name}");
        }
    }

    #[test]
    fn the_level_of_a_name_is_written_before_its_callers() {
        let table = [
            ("f", 1),
            ("f'2", 2),
            ("f'12", 12),
            ("f'2'main", 2),
            ("f'main", 1),
            ("f'main'2", 1),
            ("f'2x", 1),
            ("f'99999999999", u32::MAX),
        ];
        for (name, level) in table {
            assert_eq!(recursion_level(name.as_bytes()), level, "{name}");
        }
    }

    #[test]
    fn suffixes_begin_after_whole_names() {
        let names = NAMES.lines().map(str::trim);
        for marked in names.filter(|name| !name.is_empty() && !name.starts_with('#')) {
            let name = marked.replace('|', "'");
            let parts: Vec<_> =
                split_suffixes(name.as_bytes()).map(String::from_utf8_lossy).collect();
            assert_eq!(parts.join("|"), marked);
        }
    }

    /// Time is linear, also for brackets that nothing closes.
    #[test]
    fn long_names_of_brackets_and_apostrophes() {
        let len = 1_000_000;
        for part in ["<", "('", "<'a", "operator<", "`", "'", "{'lambda'", "a'b<", "<>'("] {
            let name = part.repeat(len / part.len());
            assert!(split_suffixes(name.as_bytes()).count() <= len);
        }
    }

    #[test]
    fn clones_are_those_of_gcc_and_llvm() {
        let clones = [
            ("f.part.0", "f"),
            ("f.isra.12", "f"),
            ("f.constprop.0.isra.0", "f"),
            ("f.cold", "f"),
            ("f.cold.3", "f"),
            ("f.isra.0.cold", "f"),
            ("f.lto_priv.0", "f"),
            ("f.llvm.13437894712836", "f"),
            ("_ZN1a1bEv.part.0.constprop.1", "_ZN1a1bEv"),
            ("a::f(int) [clone .part.0]", "a::f(int)"),
            ("a::f(int) [clone .isra.0] [clone .cold]", "a::f(int)"),
            ("a::f(int) [clone .part.0.isra.1]", "a::f(int)"),
            ("pkg.part.load", "pkg.part.load"),
            ("pkg.part.0.load", "pkg.part.0.load"),
            ("App.coldStart", "App.coldStart"),
            ("App.cold.start", "App.cold.start"),
            ("x.llvm.y", "x.llvm.y"),
            ("f.part", "f.part"),
            ("f.part.", "f.part."),
            ("f.part.0x", "f.part.0x"),
            ("f.isra", "f.isra"),
            ("f.coldest.1", "f.coldest.1"),
            ("f.1", "f.1"),
            ("f.cold.", "f.cold."),
            ("f [clone x]", "f [clone x]"),
            ("f [clone .hot]", "f [clone .hot]"),
            ("f[.cold]", "f[.cold]"),
            (".cold", ".cold"),
            (".part.0", ".part.0"),
            (" [clone .part.0]", " [clone .part.0]"),
        ];
        for (name, plain) in clones {
            let got = without_clones(name.as_bytes());
            assert_eq!(String::from_utf8_lossy(got), plain, "{name}");
        }
    }
}
