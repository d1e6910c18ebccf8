//! Where sources are found: Rust's own library in the toolchains of rustup. The other places have golden cases.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::common::program::program;

trials![
    a_source_with_a_colon_in_its_name_is_found,
    rusts_library_comes_from_the_toolchain_of_the_same_commit,
    rusts_library_of_another_commit_comes_with_a_warning,
    a_rustc_that_lies_elsewhere_is_asked_where_its_sources_are,
    no_toolchain_is_asked_unless_a_source_of_rust_is_missing
];

const NAME: &str = "/rustc/aaaa/library/core/src/mem/mod.rs";

/// A toolchain made from `commit`, whose `rustc` leaves a file `asked` behind.
fn toolchain(root: &Path, commit: &str, text: &str) {
    let source = root.join("lib/rustlib/src/rust/library/core/src/mem/mod.rs");
    fs::create_dir_all(source.parent().unwrap()).unwrap();
    fs::write(source, text).unwrap();
    fs::create_dir_all(root.join("bin")).unwrap();
    let root = root.display();
    let script = format!(
        "#!/bin/sh\n: > {root}/asked\ncase \"$1\" in\n-vV) echo 'commit-hash: {commit}' ;;\n*) echo {root} ;;\nesac\n"
    );
    let rustc = format!("{root}/bin/rustc");
    fs::write(&rustc, script).unwrap();
    fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The page for a profile of `name`, with `path/bin/rustc` in the PATH and the toolchains of `home`.
fn page(folder: &Path, name: &str) -> String {
    let profile = format!("events: Ir\nfl={name}\nfn=f\n1 5\n");
    fs::write(folder.join("p.out"), profile).unwrap();
    let path = format!("{}/path/bin:/usr/bin:/bin", folder.display());
    let run = program().arg("p.out").in_dir(folder);
    let run = run
        .env("PATH", path)
        .env("RUSTUP_HOME", folder.join("home"));
    run.run().page()
}

/// A package of cargo cannot hold such a file, so that no golden case has it.
fn a_source_with_a_colon_in_its_name_is_found() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a:b.c"), "first\n").unwrap();
    let page = page(folder.path(), "a:b.c");
    assert!(page.contains("5 (100.0%)  first\n"), "{page}");
}

fn rusts_library_comes_from_the_toolchain_of_the_same_commit() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    toolchain(&folder.join("path"), "bbbb", "of bbbb\n");
    toolchain(&folder.join("home/toolchains/older"), "aaaa", "of aaaa\n");
    let page = page(folder, NAME);
    let place = "home/toolchains/older/lib/rustlib/src/rust/library/core/src/mem/mod.rs)\n";
    assert!(page.contains(place), "{page}");
    assert!(page.contains("5 (100.0%)  of aaaa\n"), "{page}");
    assert!(!page.contains("different Rust release"), "{page}");
}

fn rusts_library_of_another_commit_comes_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    toolchain(&folder.join("path"), "bbbb", "of bbbb\n");
    toolchain(&folder.join("home/toolchains/other"), "cccc", "of cccc\n");
    let page = page(folder, NAME);
    assert!(page.contains("5 (100.0%)  of bbbb\n"), "{page}");
    assert!(
        page.contains("@ This file is from a different Rust release"),
        "{page}"
    );
}

fn a_rustc_that_lies_elsewhere_is_asked_where_its_sources_are() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    toolchain(&folder.join("far"), "aaaa", "of aaaa\n");
    fs::create_dir_all(folder.join("path/bin")).unwrap();
    fs::copy(folder.join("far/bin/rustc"), folder.join("path/bin/rustc")).unwrap();
    assert!(page(folder, NAME).contains("5 (100.0%)  of aaaa\n"));
}

fn no_toolchain_is_asked_unless_a_source_of_rust_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    toolchain(&folder.join("path"), "aaaa", "");
    let not_found = "could not be found:\n";
    assert!(page(folder, "/gone/library/core/src/mem/mod.rs").contains(not_found));
    assert!(!folder.join("path/asked").exists());
    assert!(page(folder, "/rustc/aaaa/library/core/src/gone.rs").contains(not_found));
    assert!(folder.join("path/asked").exists());
}
