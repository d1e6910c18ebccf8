//! The folders of the system, of toolchains and of downloaded packages, whose sources are not the
//! user's own.

/// The folders of headers and libraries.
const FOLDERS: [&str; 8] = [
    "/nix/store/",
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
