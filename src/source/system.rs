//! Which sources belong to the system or to a toolchain, by their names.

/// Where the headers and libraries of the system and of toolchains are.
const FOLDERS: [&[u8]; 8] = [
    b"/rustc/",
    b"/usr/include/",
    b"/usr/lib/",
    b"/usr/lib32/",
    b"/usr/lib64/",
    b"/usr/local/include/",
    b"/usr/local/lib/",
    b"/nix/store/",
];

/// Parts of paths below which toolchains keep their sources and those of packages, wherever they are installed.
const PARTS: [&[u8]; 4] = [
    b"/.rustup/toolchains/",
    b"/rustup/toolchains/",
    b"/cargo/registry/src/",
    b"/.cargo/registry/src/",
];

/// Whether a source is part of the system, a toolchain or a downloaded package, not of the program itself.
pub fn is_of_system(name: &[u8]) -> bool {
    let contains = |part: &&[u8]| memchr::memmem::find(name, part).is_some();
    FOLDERS.iter().any(|folder| name.starts_with(folder)) || PARTS.iter().any(contains)
}
