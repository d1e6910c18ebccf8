//! Patterns for code that is charged to its callers: functions, source files, objects, the standard
//! libraries, or everything but the user's own sources.

use hashbrown::{HashMap, HashSet};

use super::namespace::crate_of;
use super::pattern::{Pattern, PatternError};
use crate::demangle::demangle;
use crate::profile::{FileId, Fragment, NameKind, Profile, is_unknown_name};
use crate::source::{FunctionsByOwner, basename};
use crate::transform::{ChargedCode, leave_distinct, own_files};
use crate::view::filter::{Rule, Subject};

/// Code that is charged to its callers, as an option names it.
#[derive(Clone, Debug)]
pub struct Charged {
    pub text: String,
    /// The alternative rules; empty if the standard libraries are charged.
    pub rules: Vec<Rule>,
    /// If set, all other code is charged too, in addition to the standard libraries.
    own: Option<Box<Rule>>,
}

impl Charged {
    /// Parses `std`, or a pattern for functions, files and objects, or for only one of these after
    /// `function:`, `file:` or `object:`.
    pub fn parse(text: &str) -> Result<Charged, PatternError> {
        let all = ["function", "file", "object"];
        let (kinds, pattern) = match text.split_once(':') {
            _ if text == "std" => (Vec::new(), text),
            // `file::open` is a function.
            Some((kind, pattern)) if all.contains(&kind) && !pattern.starts_with(':') => {
                (vec![kind], pattern)
            }
            _ => (all.to_vec(), text),
        };
        let rule = |kind| Ok(Rule::of(kind, Pattern::parse(pattern)?));
        Ok(Charged {
            rules: kinds.into_iter().map(rule).collect::<Result<_, _>>()?,
            text: text.to_owned(),
            own: None,
        })
    }

    /// Charges all code except that of these source files, which are those of a folder if one was
    /// given.
    pub fn all_but(files: Pattern, folder: Option<String>) -> Charged {
        Charged {
            text: folder.unwrap_or_default(),
            rules: Vec::new(),
            own: Some(Box::new(Rule::of("file", files))),
        }
    }

    /// Charges all code that is known to be of the system, a toolchain or a package.
    pub fn of_system() -> Charged {
        Charged { text: String::new(), rules: Vec::new(), own: Some(Box::new(Rule::of_user())) }
    }

    #[must_use]
    pub fn in_dir(mut self, dir: Option<&[u8]>) -> Charged {
        for rule in &mut self.rules {
            rule.file = rule.file.take().map(|file| file.in_dir(dir));
        }
        self
    }

    /// The pattern without its `function:`, `file:` or `object:`.
    pub fn pattern(&self) -> &[u8] {
        let rule = self.rules.first().and_then(Rule::kind);
        rule.map_or(b"", |(_, pattern)| &pattern.text)
    }

    /// The option that charges this code.
    pub fn option(&self) -> &'static str {
        if self.leaves_own() { "--mine" } else { "--charge-to-callers" }
    }

    /// Whether it is `std` or `--mine`, not a pattern: it is no error if a profile has no code of
    /// the standard libraries.
    pub fn has_no_pattern(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether it is for all code except some files; it is an error if a profile has none of these.
    pub fn leaves_own(&self) -> bool {
        self.own.is_some()
    }

    pub fn matches(&self, profile: &Profile) -> ChargedCode {
        let subject = |&fragment: &Fragment| Subject::of_fragment(profile, fragment);
        let is_foreign = |subject: &Subject<'_>| {
            let own = self.own.as_ref();
            is_std(subject) || own.is_some_and(|own| !own.matches(subject))
        };
        let is_match = |fragment: &Fragment| match &self.rules[..] {
            [] => is_foreign(&subject(fragment)),
            rules => rules.iter().any(|rule| rule.matches(&subject(fragment))),
        };
        let mut fragments: Vec<bool> = profile.fragments().iter().map(is_match).collect();
        if self.leaves_own() {
            add_code_without_lines(profile, &mut fragments);
        }
        let mut is_mixed = vec![false; profile.function_count()];
        for (fragment, is_match) in profile.fragments().iter().zip(&fragments) {
            is_mixed[fragment.function.index()] |= !is_match;
        }
        let libraries = if self.leaves_own() {
            Libraries::new(profile, &fragments)
        } else {
            Libraries::default()
        };
        let functions = profile.functions().map(|(id, function)| {
            let home = profile.home(id);
            let is_function = || {
                let (at_home, has_other) = (subject(&profile.fragment(home)), is_mixed[id.index()]);
                // A function of the user may begin with inlined code, and one of a library have
                // the user's inlined into it.
                is_std_function(&at_home, has_other)
                    || self.leaves_own() && (!has_other || is_unit(at_home.file))
                    || libraries.has(profile.name(function.name), profile.name_kind())
            };
            fragments[home.index()] && (!self.has_no_pattern() || is_function())
        });
        ChargedCode { functions: functions.collect(), fragments }
    }
}

/// Adds to the fragments that are charged those without any line of functions whose home is
/// charged: code that the compiler gave no line has the file of the line before it, which is
/// anybody's.
fn add_code_without_lines(profile: &Profile, is_charged: &mut [bool]) {
    let mut has_line = vec![false; is_charged.len()];
    for (place, _) in profile.places_and_sites() {
        has_line[place.fragment.index()] |= profile.line(place) > 0;
    }
    if !has_line.contains(&true) {
        return;
    }
    for (id, fragment) in profile.fragments_with_ids().filter(|(id, _)| !has_line[id.index()]) {
        is_charged[id.index()] |= is_charged[profile.home(fragment.function).index()];
    }
}

/// The ends of the names of C's and C++'s sources that are no headers.
const UNITS: [&str; 7] = [".C", ".c", ".c++", ".cc", ".cpp", ".cu", ".cxx"];

/// Whether no other source has the code of a file inlined into its functions: a function that
/// begins with code of the file is defined there.
fn is_unit(file: &[u8]) -> bool {
    UNITS.iter().any(|end| file.ends_with(end.as_bytes()))
}

/// The crates and outermost namespaces of libraries.
#[derive(Default)]
struct Libraries {
    names: HashSet<Vec<u8>>,
}

impl Libraries {
    /// `is_foreign` is by fragment.
    fn new(profile: &Profile, is_foreign: &[bool]) -> Libraries {
        let mut functions: HashMap<Vec<u8>, FunctionsByOwner> = HashMap::new();
        for (id, function) in profile.functions().filter(|(id, _)| !profile.is_inlined(*id)) {
            let name = profile.name_kind().without_suffixes(profile.name(function.name));
            let of = functions.entry(crate_of(&demangle(name), profile.name_kind())).or_default();
            of.add(!is_foreign[profile.home(id).index()]);
        }
        let foreign = functions.into_iter().filter(|(_, functions)| functions.are_of_library());
        Libraries { names: foreign.map(|(name, _)| name).filter(|name| !name.is_empty()).collect() }
    }

    fn has(&self, name: &[u8], kind: NameKind) -> bool {
        !self.names.is_empty()
            && self.names.contains(&crate_of(&demangle(kind.without_suffixes(name)), kind))
    }
}

/// By function the file that it is shown in. The profile gives a function that begins with inlined
/// library code the file of that code, which may differ from build to build. Functions that would
/// be one with another then keep their own. Empty if there is no such function.
pub(super) fn shown_files(profile: &Profile) -> Vec<FileId> {
    let of_file: Vec<bool> = profile.files().map(is_std_file).collect();
    let is_std = |fragment: Fragment| of_file[fragment.file.index()];
    let mut is_known = vec![true; profile.function_count()];
    for &fragment in profile.fragments() {
        let function = fragment.function;
        let home = profile.fragment(profile.home(function));
        if is_known[function.index()] && is_std(home) && !is_std(fragment) {
            let (subject, here) =
                (Subject::of_fragment(profile, home), Subject::of_fragment(profile, fragment));
            is_known[function.index()] = !has_file(&here) || is_std_function(&subject, true);
        }
    }
    if is_known.iter().all(|is_known| *is_known) {
        return Vec::new();
    }
    let fragments = profile.fragments().iter();
    let is_no_home =
        |&fragment: &Fragment| is_std(fragment) || profile.file(fragment.file) == b"???";
    let code = ChargedCode { functions: is_known, fragments: fragments.map(is_no_home).collect() };
    let mut files = own_files(profile, &code);
    leave_distinct(profile, &mut files);
    files
}

/// Prefixes of the base names of the C, C++ and Rust libraries and of the loader.
const OBJECTS: [&str; 20] = [
    "libc.so",
    "libc-2",
    "libc.musl",
    "ld-musl",
    "libm.so",
    "libm-2",
    "libmvec",
    "libpthread",
    "librt.so",
    "librt-2",
    "libdl.so",
    "libdl-2",
    "libstdc++",
    "libc++.so",
    "libc++abi",
    "libgcc_s",
    "libstd-",
    "ld-linux",
    "ld-2",
    "ld.so",
];

/// Parts of the paths of their sources and headers.
const FILES: [&str; 7] = [
    "/include/c++/",
    "/rustlib/src/rust/library/",
    "/rust/deps/",
    "/lib/gcc/",
    "/sysdeps/",
    "/csu/",
    "/libstdc++-v3/",
];

/// The prefixes of their functions' names.
const NAMES: [&str; 10] = [
    "std::",
    "__gnu_cxx::",
    "__cxxabiv1::",
    "core::",
    "alloc::",
    "hashbrown::",
    "__rustc::",
    "__rust_",
    "__rdl_",
    "__rg_",
];

/// The code around `main`.
const START: [&str; 10] = [
    "frame_dummy",
    "register_tm_clones",
    "deregister_tm_clones",
    "__do_global_dtors_aux",
    "(below main)",
    "_start",
    "_init",
    "_fini",
    "__libc_start_main",
    "__libc_csu_init",
];

fn begins_with_any(text: &[u8], beginnings: &[&str]) -> bool {
    beginnings.iter().any(|begin| text.starts_with(begin.as_bytes()))
}

/// Whether an object is one of these libraries or the loader.
pub fn is_std_object(object: &[u8]) -> bool {
    begins_with_any(basename(object), &OBJECTS)
}

fn has_file(subject: &Subject<'_>) -> bool {
    !is_unknown_name(subject.file)
}

fn has_std_name(subject: &Subject<'_>) -> bool {
    let name = &subject.bare().text;
    let is_start = || START.iter().any(|name| name.as_bytes() == subject.name);
    begins_with_any(name, &NAMES) || is_start() || is_of_primitive(subject.demangled())
}

const PRIMITIVES: [&[u8]; 17] = [
    b"str", b"char", b"bool", b"u8", b"u16", b"u32", b"u64", b"u128", b"usize", b"i8", b"i16",
    b"i32", b"i64", b"i128", b"isize", b"f32", b"f64",
];

/// Whether a function is an inherent method of a primitive type of Rust, such as `<str>::len` or
/// `<[T]>::sort`, which only the standard library can define.
fn is_of_primitive(name: &[u8]) -> bool {
    let Some(rest) = name.strip_prefix(b"<") else {
        return false;
    };
    let find = |part: &[u8]| rest.windows(part.len()).position(|window| window == part);
    match rest.first() {
        Some(b'[') => find(b"]>::").is_some_and(|end| find(b" as ").is_none_or(|at| at > end)),
        _ => find(b">::").is_some_and(|end| PRIMITIVES.contains(&&rest[..end])),
    }
}

/// Whether a function is of these libraries, given that the code in its own file is. A function of
/// the program may begin with inlined library code, so its name decides; `<Type as
/// core::ops::Trait>::f` is of the library unless it `is_mixed`: also has code of other files.
fn is_std_function(subject: &Subject<'_>, is_mixed: bool) -> bool {
    if subject.object.is_some_and(is_std_object) || has_std_name(subject) {
        return true;
    }
    let name = subject.demangled();
    let has = |part: &[u8]| name.windows(part.len()).any(|window| window == part);
    has_file(subject)
        && !is_mixed
        && (has(b" as core::") || has(b" as std::") || has(b" as alloc::"))
}

/// Whether code is of the C, C++ or Rust libraries or of the loader: by its object, its source file
/// or, if that is unknown, its name.
fn is_std(subject: &Subject<'_>) -> bool {
    if subject.object.is_some_and(is_std_object) {
        return true;
    }
    if !has_file(subject) {
        return has_std_name(subject);
    }
    is_std_file(subject.file)
}

fn is_std_file(file: &[u8]) -> bool {
    let has = |part: &[u8]| file.windows(part.len()).any(|window| window == part);
    FILES.iter().any(|part| has(part.as_bytes()))
        || file.starts_with(b"/rustc/") && has(b"/library/")
        || file.starts_with(b"/usr/include/") && has(b"/bits/")
}
