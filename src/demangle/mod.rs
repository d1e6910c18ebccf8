//! Demangles symbols of Rust (v0, legacy) and C++ (Itanium), with the same results as `rustfilt`
//! and `c++filt`, and leaves every other name as it is.
//!
//! Valgrind appends suffixes to names: `'2` is a recursion level, `'caller` a context of
//! --separate-callers. So each part between apostrophes is demangled separately. The version after
//! an `@` is kept.

mod cpp;
mod dlang;
mod gnat;
mod java;
mod packs;
mod printed;
mod qualifiers;

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use self::cpp::StandardClasses;
use self::printed::BoundedText;

/// The maximum length of a name in bytes, mangled or demangled; longer ones are of no use.
const MAX_LEN: usize = 64 << 10;

/// The name as c++filt and rustfilt print it.
pub fn demangle(name: &[u8]) -> Cow<'_, [u8]> {
    demangle_with(name, NameStyle::Auto, StandardClasses::Full)
}

/// The languages whose names are demangled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameStyle {
    /// C++ and Rust.
    #[default]
    Auto,
    Cpp,
    Rust,
    /// Ada, as GNAT encodes it.
    Gnat,
    /// Java, as GCJ mangled it.
    Java,
    /// D, by its ABI.
    Dlang,
}

/// The name as gprof prints it.
pub fn demangle_as_gprof(name: &[u8], style: NameStyle) -> Cow<'_, [u8]> {
    let of_text = match style {
        NameStyle::Gnat => |text: &str| Some(gnat::demangle(text)),
        NameStyle::Java => java::demangle,
        NameStyle::Dlang => dlang::demangle,
        NameStyle::Auto | NameStyle::Cpp | NameStyle::Rust => {
            return demangle_with(name, style, StandardClasses::SHORT);
        }
    };
    let readable = std::str::from_utf8(name).ok().and_then(of_text);
    readable.map_or(name.into(), |readable| readable.into_bytes().into())
}

fn demangle_with(name: &[u8], style: NameStyle, classes: StandardClasses) -> Cow<'_, [u8]> {
    if is_unmangled(name) {
        return Cow::Borrowed(name);
    }
    let parts = name.split(|&b| b == b'\'').map(|part| demangle_part(part, style, classes));
    Cow::Owned(parts.collect::<Vec<_>>().join(&b'\''))
}

pub fn displayed(name: &[u8], demangles: bool) -> Cow<'_, [u8]> {
    if demangles { demangle(name) } else { name.into() }
}

/// Whether no part of a name begins like a mangled one, with `_Z`, `_R`, `__Z` or `__R`, or ends
/// with a hash. Searches for the letters, which are rare: names in profiles with contexts have many
/// parts.
pub fn is_unmangled(name: &[u8]) -> bool {
    let mut letters = memchr::memchr2_iter(b'Z', b'R', name);
    let begins = letters.any(|at| {
        let Some(before) = name[..at].strip_suffix(b"_") else {
            return false;
        };
        let before = before.strip_suffix(b"_").unwrap_or(before);
        matches!(before.last(), None | Some(b'\''))
    });
    let mut hashes = HASHES.find_iter(name);
    !begins && !hashes.any(|at| is_hash(&name[at + HASH_OF_PATH.len()..]))
}

/// What is before the hash of a path.
const HASH_OF_PATH: &[u8] = b"::h";

/// Finds these; made once, as most names are short.
static HASHES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(HASH_OF_PATH));

/// Whether a text begins with the digits of a hash.
fn is_hash(text: &[u8]) -> bool {
    let is_digit = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.iter().take_while(is_digit).count() == HASH_LEN
}

const HASH_LEN: usize = 16;

/// A symbol of Rust's legacy scheme as a demangler of C++ printed it, as old versions of Valgrind
/// have it: a path that ends with the hash, whose components are still encoded.
fn rust_of_path(path: &str) -> Option<String> {
    let (_, hash) = path.rsplit_once("::h")?;
    if hash.len() != HASH_LEN || !is_hash(hash.as_bytes()) {
        return None;
    }
    let components = path.split("::").map(|component| format!("{}{component}", component.len()));
    rust(&format!("_ZN{}E", components.collect::<String>()), StandardClasses::Full)
}

fn demangle_part(part: &[u8], style: NameStyle, classes: StandardClasses) -> Cow<'_, [u8]> {
    if is_unmangled(part) {
        return Cow::Borrowed(part);
    }
    let end = part.iter().position(|&b| b == b'@').unwrap_or(part.len());
    let (symbol, version) = part.split_at(end);
    let readable = |symbol| {
        let of_rust = || rust(symbol, classes).or_else(|| rust_of_path(symbol));
        let readable = if style == NameStyle::Cpp { None } else { of_rust() };
        readable.or_else(|| {
            if style == NameStyle::Rust { None } else { cpp::demangle(symbol, classes) }
        })
    };
    match std::str::from_utf8(symbol).ok().and_then(readable) {
        Some(readable) => Cow::Owned([readable.as_bytes(), version].concat()),
        None => Cow::Borrowed(part),
    }
}

/// Rust's legacy scheme looks like C++ but for the hash at its end, so it is tried first. The hash
/// is omitted, and in gprof's names also what a compiler adds behind it, such as `.cold`.
fn rust(symbol: &str, classes: StandardClasses) -> Option<String> {
    let is_legacy = symbol.trim_start_matches('_').starts_with('Z');
    // Names of the legacy scheme end with a hash; without one they are C++.
    let end = if is_legacy { Some(end_of_hash(symbol)?) } else { symbol.find('.') };
    let symbol = match (classes, end) {
        (StandardClasses::Short { .. }, Some(end)) => &symbol[..end],
        _ => symbol,
    };
    let name = rustc_demangle::try_demangle(symbol).ok()?;
    let mut readable = BoundedText::default();
    write!(readable, "{name:#}").ok()?;
    Some(readable.text)
}

/// The end of a name whose last part is a hash of 16 digits: `17h0123456789abcdefE`.
fn end_of_hash(symbol: &str) -> Option<usize> {
    let mut parts = symbol.rmatch_indices("17h").map(|(at, begin)| at + begin.len());
    parts.find_map(|start| {
        let rest = &symbol.as_bytes()[start..];
        (is_hash(rest) && rest.get(HASH_LEN) == Some(&b'E')).then_some(start + HASH_LEN + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_ends_with_its_last_digit_and_an_e() {
        let short = StandardClasses::SHORT;
        let table = [
            ("_ZN3foo17h0123456789abcdefE", Some("foo")),
            ("_ZN3foo17h0123456789abcdefE.cold", Some("foo")),
            // A symbol that is cut short has no hash.
            ("_ZN3foo17h0123456789abcdef", None),
            ("_ZN3foo17h0123456789abcdeE", None),
        ];
        for (symbol, expected) in table {
            assert_eq!(rust(symbol, short).as_deref(), expected, "{symbol}");
        }
    }

    #[test]
    fn paths_with_the_hash_of_rust() {
        let table = [
            (
                "_$LT$std..ops..Range$LT$A$GT$$u20$as$u20$Iterator$GT$::next::h037533f70123abcd",
                "<std::ops::Range<A> as Iterator>::next",
            ),
            (
                "rand::os::_$u7b$$u7b$closure$u7d$$u7d$::h95d208ee9c30889a'2",
                "rand::os::{{closure}}'2",
            ),
            ("a::drop.10771::hfb1b22b3cf660986@@V1", "a::drop.10771@@V1"),
            ("a::f::h95d208ee9c30889", "a::f::h95d208ee9c30889"),
            ("a::f::h95d208ee9c30889a::b", "a::f::h95d208ee9c30889a::b"),
        ];
        for (path, expected) in table {
            let got = demangle(path.as_bytes());
            assert_eq!(String::from_utf8_lossy(&got), expected, "{path}");
        }
    }

    /// Names of each kind that cpp_demangle prints differently, and what `c++filt` prints.
    #[test]
    fn names_as_cxxfilt_prints_them() {
        let lines: Vec<&str> = include_str!("../../testdata/mangled-names.txt")
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(str::trim)
            .collect();
        for pair in lines.chunks(2) {
            let got = demangle(pair[0].as_bytes());
            assert_eq!(String::from_utf8_lossy(&got), pair[1], "{}", pair[0]);
        }
    }

    /// These are no functions, so that no rule about names of functions holds for them.
    #[test]
    fn construction_vtables_name_the_part_of_the_class_first() {
        let table = [
            ("_ZTC3FooIiE0_3BarIcE", "Bar<char>-in-Foo<int>"),
            (
                "_ZTCSt14basic_ofstreamIcSt11char_traitsIcEE0_So",
                "std::basic_ostream<char, std::char_traits<char> >\
                 -in-std::basic_ofstream<char, std::char_traits<char> >",
            ),
            ("_ZTCN1n1CILi1EEE16_NS_1DILin2EEE", "n::D<-2>-in-n::C<1>"),
        ];
        for (symbol, classes) in table {
            let got = demangle(symbol.as_bytes());
            let name = format!("construction vtable for {classes}");
            assert_eq!(String::from_utf8_lossy(&got), name, "{symbol}");
        }
    }

    /// gprof prints the short names of standard classes, but not in their constructors.
    #[test]
    fn names_as_gprof_prints_them() {
        let names = [
            ("_ZN1A1fERSoRSi", "A::f(std::ostream&, std::istream&)"),
            ("_ZNSs6appendEPKc", "std::string::append(char const*)"),
            ("_ZNSolsEi", "std::ostream::operator<<(int)"),
            ("_ZNSi6ignoreEv", "std::istream::ignore()"),
            ("_Z1fRSd", "f(std::iostream&)"),
            ("_Z1fRSi4Size", "f(std::istream&, Size)"),
            // Without the short mangled name, nor in an identifier.
            (
                "_Z1fRSt13basic_istreamIcSt11char_traitsIcEE4Size",
                "f(std::basic_istream<char, std::char_traits<char> >&, Size)",
            ),
            (
                "_ZNSiC1EOSi",
                "std::basic_istream<char, std::char_traits<char> >::basic_istream(std::istream&&)",
            ),
            (
                "_Z1fSt6vectorISsSaISsEE",
                "f(std::vector<std::string, std::allocator<std::string> >)",
            ),
            (
                "_ZNSsC1ERKSs",
                "std::basic_string<char, std::char_traits<char>, std::allocator<char> >\
                    ::basic_string(std::string const&)",
            ),
            (
                "_ZNSsD2Ev",
                "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::~basic_string()",
            ),
        ];
        for (name, expected) in names {
            let got = demangle_as_gprof(name.as_bytes(), NameStyle::Auto);
            assert_eq!(String::from_utf8_lossy(&got), expected, "{name}");
        }
    }

    /// What GNU gprof 2.40 prints with `--demangle=rust` and `--demangle=gnu-v3`.
    #[test]
    fn names_of_one_language() {
        // The symbol, its name with the style of Rust, and with that of C++.
        let names = [
            ("_RNvC6_123foo3bar", "123foo::bar", "_RNvC6_123foo3bar"),
            ("_RNvC1a1f.llvm.12.cold", "a::f", "_RNvC1a1f.llvm.12.cold"),
            ("_ZN1a1f17h0123456789abcdefE.part.0", "a::f", "_ZN1a1f17h0123456789abcdefE.part.0"),
            ("_RNvNtC3std3mem8align_of", "std::mem::align_of", "_RNvNtC3std3mem8align_of"),
            ("_RNvMs_C5alphaNtB4_3Foo3bar", "<alpha::Foo>::bar", "_RNvMs_C5alphaNtB4_3Foo3bar"),
            ("_RINvC1a1fjE", "a::f::<usize>", "_RINvC1a1fjE"),
            ("_RNvYNtC1a1bNtC1c1d1e", "<a::b as c::d>::e", "_RNvYNtC1a1bNtC1c1d1e"),
            ("_RNCNvC4main4main0", "main::main::{closure#0}", "_RNCNvC4main4main0"),
            ("_RC3foo", "foo", "_RC3foo"),
            (
                "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
                "core::fmt::Write::write_fmt",
                "core::fmt::Write::write_fmt::h0123456789abcdef",
            ),
            ("_Z3fooi", "_Z3fooi", "foo(int)"),
            ("_ZN3foo3barE", "_ZN3foo3barE", "foo::bar"),
            ("main", "main", "main"),
        ];
        for (name, of_rust, of_cpp) in names {
            for (style, expected) in [(NameStyle::Rust, of_rust), (NameStyle::Cpp, of_cpp)] {
                let got = demangle_as_gprof(name.as_bytes(), style);
                assert_eq!(String::from_utf8_lossy(&got), expected, "{name} {style:?}");
            }
        }
    }

    /// They fit the stack of a thread, and take little time.
    #[test]
    fn long_and_deep_names() {
        let shapes: [fn(usize) -> String; 16] = [
            |n| format!("_Z1f{}i", "P".repeat(n)),
            |n| format!("_Z1f{}i{}", "St6vectorI".repeat(n), "E".repeat(n)),
            |n| format!("_Z1f{}i{}", "N1a1bI".repeat(n), "EE".repeat(n)),
            |n| format!("_Z1f{}i{}", "PFi".repeat(n), "E".repeat(n)),
            |n| format!("_Z{}vE1b", "Z1avE1b".repeat(n)),
            |n| format!("_Z1fIX{}{}EEvv", "pl".repeat(n), "Li1E".repeat(n + 1)),
            |n| format!("_Z1fZ1gvE{}v{}", "UlZ1gvE".repeat(n), "E_".repeat(n)),
            |n| format!("_ZN{}Ev", "1a".repeat(n)),
            |n| format!("_Z1fIJ{}EEv{}", "i".repeat(n), "DpT_".repeat(n)),
            |n| format!("_Z1fN1a{}E{}", "1b".repeat(n), "S_".repeat(n)),
            |n| format!("_ZN1aC1I{}i{}EEi", "St1bI".repeat(n), "E".repeat(n)),
            |n| format!("_Z1fI{}Evv", "XsrSt1aIiE5valueE".repeat(n)),
            |n| format!("_Z1fIJ{}EEvDpSt1aI{}T_E", "i".repeat(n), "i".repeat(n)),
            |n| format!("_Z1fI{}EEvDpOT_", "J".repeat(n)),
            |n| format!("_Z1fPN1a1bE{}", "N1c1dIPNS_1bE1eE".repeat(n)),
            |n| format!("_Z1f{}v{}", "IZ1fIiEvvEUl".repeat(n), "E_E".repeat(n)),
        ];
        for (number, shape) in shapes.iter().enumerate() {
            for n in [10, 50, 100, 250, 1000, 20_000, 1_000_000] {
                let name = shape(n);
                let readable = demangle(name.as_bytes());
                assert!(readable.len() <= name.len().max(MAX_LEN), "{number} {n}");
            }
        }
    }

    /// c++filt reads no suffix behind the name of a variable.
    #[test]
    fn variables_with_a_suffix_stay_mangled() {
        for name in ["_ZL5Argv0.0", "_ZN1a1bE.llvm.12", "_ZZ1fvE1a.0"] {
            assert_eq!(*demangle(name.as_bytes()), *name.as_bytes());
        }
    }

    #[test]
    fn names_that_get_too_long_or_are_no_utf8_stay_mangled() {
        // Each argument is a pair of the one before: 2^40 times int.
        let number = |n: u32| char::from_digit(n, 36).unwrap().to_ascii_uppercase();
        let pairs = (0..35).map(|n| format!("S_IS{0}_S{0}_E", number(n)));
        assert_eq!(*demangle(b"_Z\xff"), *b"_Z\xff");
        let name = format!("_Z1f1pIiiE{}", pairs.collect::<String>());
        assert_eq!(*demangle(name.as_bytes()), *name.as_bytes());
        let short: String = name.chars().take(40).collect();
        assert_ne!(*demangle(short.as_bytes()), *short.as_bytes(), "{short}");
    }
}
