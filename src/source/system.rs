//! Sources that are not the user's own: those of the system, of toolchains and of downloaded
//! packages, and what profiles have in place of a file.

use crate::source::walk::basename;

/// The folders of headers and libraries.
const FOLDERS: [&str; 9] = [
    "/nix/store/",
    // The packages of Rust's standard library.
    "/rust/deps/",
    "/rustc/",
    "/usr/include/",
    "/usr/lib/",
    "/usr/lib32/",
    "/usr/lib64/",
    "/usr/local/include/",
    "/usr/local/lib/",
];

/// Parts of the paths of the sources of toolchains and packages, wherever they are installed.
const PARTS: [&str; 4] = [
    "/.cargo/registry/src/",
    "/.rustup/toolchains/",
    "/cargo/registry/src/",
    "/rustup/toolchains/",
];

/// Whether a source is part of the system, a toolchain or a downloaded package, not of the program
/// itself.
pub fn is_of_system(name: &[u8]) -> bool {
    let contains = |part: &&str| memchr::memmem::find(name, part.as_bytes()).is_some();
    let begins = |folder: &&str| name.starts_with(folder.as_bytes());
    FOLDERS.iter().any(begins) || PARTS.iter().any(contains)
}

/// The beginnings of what interpreters and debug information write in place of a file: `~` and
/// `<built-in method len>` for Python's built-in functions, `<frozen importlib>` and `<string>` for
/// its code without a file, `php:internal`, `???`.
const NO_FILES: [&str; 4] = ["<", "~", "php:", "???"];

/// Whether a name stands in place of a file.
pub fn is_no_file(name: &[u8]) -> bool {
    name.is_empty() || NO_FILES.iter().any(|start| name.starts_with(start.as_bytes()))
}

/// Parts of the paths of the libraries and packages of interpreters.
const PACKAGES: [&str; 5] =
    ["/dist-packages/", "/lib/perl5/", "/lib/ruby/", "/node_modules/", "/site-packages/"];

/// The folders of Python's own library are these with a version.
const PYTHONS: [&str; 2] = ["/lib/python", "/lib/pypy"];

/// Whether a source is of a library or package of an interpreter, as those in a virtual environment
/// are. A relative path is one below some folder.
pub fn is_of_package(name: &[u8]) -> bool {
    let path = if name.starts_with(b"/") { name.to_vec() } else { [b"/", name].concat() };
    let is_python = |folder: &&str| {
        memchr::memmem::find_iter(&path, folder.as_bytes())
            .any(|at| path.get(at + folder.len()).is_some_and(u8::is_ascii_digit))
    };
    PACKAGES.iter().any(|part| memchr::memmem::find(&path, part.as_bytes()).is_some())
        || PYTHONS.iter().any(is_python)
}

/// The folder of programs' sources on some systems, which are not the user's own.
const OF_SYSTEM: &[u8] = b"/usr/";

/// The beginnings of relative names, as the C library has them.
const RELATIVE_STARTS: [&str; 2] = ["./", "../"];

/// Whether a source is known not to be the user's own.
pub fn is_foreign(name: &[u8]) -> bool {
    is_no_file(name) || is_of_system(name) || name.starts_with(OF_SYSTEM) || is_of_package(name)
}

/// Whether a source may be the user's own, by its name alone, and is not written as those of the C
/// library are.
pub fn is_of_user(name: &[u8]) -> bool {
    let is_relative = RELATIVE_STARTS.iter().any(|start| name.starts_with(start.as_bytes()));
    !is_relative && !is_foreign(name)
}

/// The programs that run scripts; their libraries begin with `lib`.
const INTERPRETERS: [&str; 12] = [
    "bash", "dash", "lua", "luajit", "node", "nodejs", "perl", "php", "pypy", "python", "ruby",
    "zsh",
];

/// The interpreter that an object is the program or library of, such as `/usr/bin/python3.11`.
pub fn interpreter(object: &[u8]) -> Option<&'static str> {
    let file = basename(object);
    let name = file.strip_prefix(b"lib").unwrap_or(file);
    let is_version = |rest: &[u8]| {
        let version = rest.strip_prefix(b"-").unwrap_or(rest);
        version.is_empty() || version[0].is_ascii_digit() || version.starts_with(b".so")
    };
    let mut known = INTERPRETERS.iter();
    let is_of = |known: &&&str| name.strip_prefix(known.as_bytes()).is_some_and(is_version);
    known.find(is_of).copied()
}

/// What records the functions of a script and writes them as Callgrind does, for interpreters.
const RECORDERS: [(&str, &str); 5] = [
    ("perl", "Devel::NYTProf and nytprofcg record"),
    ("php", "Xdebug (xdebug.mode=profile) records"),
    ("pypy", "cProfile and pyprof2calltree record"),
    ("python", "cProfile and pyprof2calltree record"),
    ("ruby", "ruby-prof records"),
];

/// What records the functions of a script, which are not those of its interpreter.
pub fn not_of_script(interpreter: &str) -> String {
    let recorder = RECORDERS.iter().find(|(name, _)| *name == interpreter);
    match recorder {
        Some((_, records)) => format!("{records} a script's functions"),
        None => "its functions are not those of a script".to_owned(),
    }
}

/// The beginnings of the base names of the C library's objects, of which one was that of threads.
const OF_C_LIBRARY: [&str; 5] = ["libc.so", "libc-2", "libpthread", "libc.musl", "ld-musl"];

/// Whether an object is the C library, or its part for threads.
pub fn is_c_library(object: &[u8]) -> bool {
    OF_C_LIBRARY.iter().any(|start| basename(object).starts_with(start.as_bytes()))
}

/// The bare name of a function in an object, if that is the C library.
pub fn c_function<'n>(object: &[u8], name: &'n [u8]) -> Option<&'n [u8]> {
    is_c_library(object).then(|| bare_c_name(name))
}

/// A name of the C library without its version, which follows an @, and without the prefixes of
/// internal names: `read` of `__libc_read` and of `__GI___read`.
pub fn bare_c_name(name: &[u8]) -> &[u8] {
    let name = name.split(|&byte| byte == b'@').next().unwrap_or_default();
    let internal = name.strip_prefix(b"__libc_").or_else(|| name.strip_prefix(b"__GI_"));
    let name = internal.unwrap_or(name);
    name.strip_prefix(b"__").unwrap_or(name)
}

/// The folders of a distribution's programs and libraries.
const OF_DISTRIBUTION: [&str; 7] =
    ["/bin/", "/lib/", "/lib64/", "/sbin/", "/usr/bin/", "/usr/lib", "/usr/sbin/"];

/// Whether an object is a program or library of the distribution, which its users do not compile.
pub fn is_of_distribution(object: &[u8]) -> bool {
    OF_DISTRIBUTION.iter().any(|folder| object.starts_with(folder.as_bytes()))
}

/// What has the names and lines of an object that has none: distributions have those of their
/// programs and libraries in packages of their own.
pub fn remedy_of_stripped(object: &[u8]) -> &'static str {
    if is_of_distribution(object) {
        "install its -dbgsym or -debuginfo package"
    } else {
        "compile with -g"
    }
}

/// The functions of a crate or an outermost namespace, by whose files they are in: most tell whose
/// it is. It is nobody's if as many are in the user's files as in those of others.
#[derive(Clone, Copy, Default)]
pub struct FunctionsByOwner {
    own: usize,
    foreign: usize,
}

impl FunctionsByOwner {
    pub fn add(&mut self, is_own: bool) {
        let of_owner = if is_own { &mut self.own } else { &mut self.foreign };
        *of_owner += 1;
    }

    pub fn are_of_user(self) -> bool {
        self.own > self.foreign
    }

    pub fn are_of_library(self) -> bool {
        self.foreign > self.own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_libraries_of_interpreters() {
        let table = [
            ("/usr/bin/python3.11", Some("python")),
            ("/usr/bin/perl", Some("perl")),
            ("libperl.so.5.36", Some("perl")),
            ("/usr/lib/libruby-3.1.so.3.1", Some("ruby")),
            ("/opt/luajit-2.1", Some("luajit")),
            ("node", Some("node")),
            ("node-exporter", None),
            ("pythonish", None),
            ("libc.so.6", None),
            ("", None),
        ];
        for (object, expected) in table {
            assert_eq!(interpreter(object.as_bytes()), expected, "{object}");
        }
    }

    #[test]
    fn sources_that_are_not_the_user_s_own() {
        // Whether a name is of the system, stands in place of a file, or is of a package.
        let table = [
            ("app.py", [false, false, false]),
            ("src/lib/python/app.py", [false, false, false]),
            ("~", [false, true, false]),
            ("<frozen importlib._bootstrap>", [false, true, false]),
            ("<string>", [false, true, false]),
            ("<built-in method builtins.len>", [false, true, false]),
            ("php:internal", [false, true, false]),
            ("", [false, true, false]),
            ("???", [false, true, false]),
            ("venv/lib/python3.11/site-packages/a.py", [false, false, true]),
            ("/home/u/.pyenv/versions/3.11.7/lib/python3.11/re/_parser.py", [false, false, true]),
            ("/opt/lib/pypy3.9/re.py", [false, false, true]),
            ("node_modules/a/index.js", [false, false, true]),
            ("/usr/lib/python3/dist-packages/a.py", [true, false, true]),
            ("/home/u/.cargo/registry/src/x/a.rs", [true, false, false]),
            ("/usr/include/stdio.h", [true, false, false]),
            ("/home/u/src/a.c", [false, false, false]),
        ];
        for (name, expected) in table {
            let name = name.as_bytes();
            let kinds = [is_of_system(name), is_no_file(name), is_of_package(name)];
            assert_eq!(kinds, expected, "{}", name.escape_ascii());
        }
    }
    #[test]
    fn most_functions_of_a_crate_tell_whose_it_is() {
        let of_crate = |is_own: &[bool]| {
            let mut functions = FunctionsByOwner::default();
            is_own.iter().for_each(|&is_own| functions.add(is_own));
            (functions.are_of_user(), functions.are_of_library())
        };
        assert_eq!(of_crate(&[true, false, true]), (true, false));
        assert_eq!(of_crate(&[false, true, false]), (false, true));
        assert_eq!(of_crate(&[true, false]), (false, false));
    }
}
