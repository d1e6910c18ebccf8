//! Suffixes that callgrind appends to names of functions, each after an apostrophe: a level of recursion (`f'2`), and
//! the callers of a context (`f'caller'its caller`, with --separate-callers). Both may be there: `f'2'caller`.

use std::borrow::Cow;

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
        let own = without_suffixes(name);
        // Contexts have many callers, which are split only for a level of recursion: callgrind writes it before them.
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
        for suffix in split_suffixes(name).skip(1) {
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
    let suffix = find_suffix(name).map(|at| &name[at + 1..]);
    let Some(suffix) = suffix.filter(|suffix| suffix.first().is_some_and(u8::is_ascii_digit))
    else {
        return 1;
    };
    let end = memchr::memchr(b'\'', suffix).unwrap_or(suffix.len());
    if is_level(&suffix[..end]) { level_of(&suffix[..end]) } else { 1 }
}

/// The number of a level that consists of digits.
fn level_of(digits: &[u8]) -> u32 {
    std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).unwrap_or(u32::MAX)
}

fn is_level(suffix: &[u8]) -> bool {
    !suffix.is_empty() && suffix.iter().all(u8::is_ascii_digit)
}

/// The suffixes of compilers for copies of functions that they change or split.
const CLONES: [&[u8]; 7] =
    [b" [clone .", b".cold", b".part.", b".constprop.", b".isra.", b".lto_priv.", b".llvm."];

/// The name without a compiler's suffix: `f` of `f.constprop.0`.
pub fn without_clones(name: &[u8]) -> &[u8] {
    let ends = CLONES.iter();
    let ends = ends.filter_map(|clone| memchr::memmem::find(name, clone));
    let end = ends.filter(|&end| end > 0).min().unwrap_or(name.len());
    let is_rest = |byte: &u8| byte.is_ascii_alphanumeric() || b"._[] ".contains(byte);
    match name[end..].iter().all(is_rest) {
        true => &name[..end],
        false => name,
    }
}

pub fn without_suffixes(name: &[u8]) -> &[u8] {
    find_suffix(name).map_or(name, |at| &name[..at])
}

/// The name of the function, then its suffixes.
pub fn split_suffixes(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(name);
    std::iter::from_fn(move || {
        let name = rest?;
        match find_suffix(name) {
            Some(at) => {
                rest = Some(&name[at + 1..]);
                Some(&name[..at])
            }
            None => rest.take(),
        }
    })
}

/// The position of a name's first suffix. A name may itself have apostrophes: a lifetime of Rust (`&'a str`) does not
/// follow the end of a name, and LLVM's `a::'lambda'(int)` is between two.
fn find_suffix(name: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\'', &name[at..]) {
        let apostrophe = at + found;
        match name[..apostrophe].last() {
            Some(b':') => {
                let inside = &name[apostrophe + 1..];
                let end = inside.iter().position(|&b| b == b'\'')?;
                at = apostrophe + 1 + end + 1;
            }
            None | Some(b' ' | b'<' | b'&' | b'(' | b',' | b'+') => at = apostrophe + 1,
            Some(_) => return Some(apostrophe),
        }
    }
    None
}
