//! Where sources are found: Rust's own library in the toolchains of rustup. The other places have
//! golden cases.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;

use crate::common::program::{Folder, assert_has, assert_lacks, write_executable};

trials![
    rusts_library_comes_from_the_toolchain_of_the_same_commit,
    rusts_library_of_another_commit_comes_with_a_warning,
    a_rustc_that_lies_elsewhere_is_asked_where_its_sources_are,
    no_toolchain_is_asked_unless_a_source_of_rust_is_missing,
    text_outside_of_the_folders_of_a_profile_is_in_no_report
];

const NAME: &str = "/rustc/aaaa/library/core/src/mem/mod.rs";

/// A toolchain made from `commit`, whose `rustc` leaves a file `asked` behind.
fn toolchain(folder: &Folder, root: &str, commit: &str, text: &str) {
    let source = format!("{root}/lib/rustlib/src/rust/library/core/src/mem");
    for name in [&source, &format!("{root}/bin")] {
        fs::create_dir_all(folder.path(name)).unwrap();
    }
    folder.write(&format!("{source}/mod.rs"), text);
    let path = folder.path(root).display().to_string();
    let script = format!(
        ": > {path}/asked\ncase \"$1\" in\n-vV) echo 'commit-hash: {commit}' ;;\n*) echo {path} ;;\nesac\n"
    );
    folder.write_script(&format!("{root}/bin/rustc"), &script);
}

/// A report for a profile of `name`, with `path/bin/rustc` in the PATH and the toolchains of
/// `home`.
fn report(folder: &Folder, name: &str, format: &str) -> String {
    folder.write("p.out", format!("events: Ir\nfl={name}\nfn=f\n1 5\n"));
    let path = format!("{}/path/bin:/usr/bin:/bin", folder.path("").display());
    let run = folder.program(&["p.out", format]).env("PATH", path);
    run.env("RUSTUP_HOME", folder.path("home")).run().page()
}

fn page(folder: &Folder, name: &str) -> String {
    report(folder, name, "--format=classic")
}

fn rusts_library_comes_from_the_toolchain_of_the_same_commit() {
    let folder = Folder::with(&[]);
    toolchain(&folder, "path", "bbbb", "of bbbb\n");
    toolchain(&folder, "home/toolchains/older", "aaaa", "of aaaa\n");
    let page = page(&folder, NAME);
    let place = "home/toolchains/older/lib/rustlib/src/rust/library/core/src/mem/mod.rs)\n";
    assert_has(&page, &[place, "5 (100.0%)  of aaaa\n"]);
    assert_lacks(&page, &["different Rust release"]);
}

fn rusts_library_of_another_commit_comes_with_a_warning() {
    let folder = Folder::with(&[]);
    toolchain(&folder, "path", "bbbb", "of bbbb\n");
    toolchain(&folder, "home/toolchains/other", "cccc", "of cccc\n");
    let warning = "@ This file is from a different Rust release";
    assert_has(&page(&folder, NAME), &["5 (100.0%)  of bbbb\n", warning]);
    let caveat = "\"caveat\":\"from a different Rust release\"";
    assert_has(&report(&folder, NAME, "--format=html"), &[caveat]);
}

fn a_rustc_that_lies_elsewhere_is_asked_where_its_sources_are() {
    let folder = Folder::with(&[]);
    toolchain(&folder, "far", "aaaa", "of aaaa\n");
    fs::create_dir_all(folder.path("path/bin")).unwrap();
    let rustc = fs::read(folder.path("far/bin/rustc")).unwrap();
    write_executable(&folder.path("path/bin/rustc"), rustc).unwrap();
    assert_has(&page(&folder, NAME), &["5 (100.0%)  of aaaa\n"]);
}

fn no_toolchain_is_asked_unless_a_source_of_rust_is_missing() {
    let folder = Folder::with(&[]);
    toolchain(&folder, "path", "aaaa", "");
    for (name, is_asked) in [
        ("/gone/library/core/src/mem/mod.rs", false),
        ("/rustc/aaaa/library/core/src/gone.rs", true),
    ] {
        assert_has(&page(&folder, name), &["could not be found:\n"]);
        assert_eq!(folder.path("path/asked").exists(), is_asked);
    }
}

fn text_outside_of_the_folders_of_a_profile_is_in_no_report() {
    let outside = "SECRET\n";
    let folder = Folder::with(&[("outside.txt", outside), ("outside.c", "ordinary\n")]);
    fs::create_dir_all(folder.path("project/below")).unwrap();
    folder.write("project/below/own.txt", "own\n");
    let link = |target: &str, name: &str| symlink(target, folder.path(name)).unwrap();
    link("../outside.txt", "project/link.c");
    link("..", "project/up");
    link("../outside.c", "project/link.txt");
    folder.write("hidden.env", outside);
    toolchain(&folder, "path", "aaaa", "");
    folder.write("path/secret", outside);
    let above = "/rustc/aaaa/../../../../secret";
    let absolute = folder.path("outside.txt").display().to_string();
    let report = |name: &str, options: &[&str]| {
        let profile = format!(
            "positions: line\nevents: Ir\nob=none.so\nfl={name}\nfn=f\n1 5\ncfn=g\ncalls=1 1\n1 3\nfn=g\n1 3\n"
        );
        folder.write("project/base.out", profile.replace(" 3\n", " 2\n"));
        folder.write("project/p.out", profile);
        let path = format!("{}/path/bin:/usr/bin:/bin", folder.path("").display());
        let run = folder.program(options).arg("p.out").in_dir(folder.path("project"));
        let run = run.env("PATH", path).env("RUSTUP_HOME", folder.path("none")).run();
        (run.page(), run.error())
    };
    let formats: [&[&str]; 10] = [
        &[],
        &["--format=text", "--auto"],
        &["--format=text", "--nested"],
        &["--format=text", "-g", "line"],
        &["-g", "line", "--format=csv"],
        &["-g", "line", "--format=json"],
        &["-g", "line", "--format=markdown"],
        &["--format=html"],
        &["gprof", "-A"],
        &["--diff=base.out", "-g", "line"],
    ];
    let refused =
        ["../outside.txt", &absolute, "link.c", "up/hidden.env", "below/../../hidden.env", above];
    for options in formats {
        for name in refused {
            let (page, error) = report(name, options);
            assert_lacks(&page, &["SECRET"]);
            let note = format!("cgannotate: note: {name}: not read, because a file outside of");
            assert!(error.contains(&note), "{options:?} {name}: {error}");
        }
    }
    for (name, text) in
        [("../outside.c", "ordinary"), ("link.txt", "ordinary"), ("below/own.txt", "own")]
    {
        assert_has(&report(name, &[]).0, &[text]);
    }
    // What the user names is read.
    let map = format!("--source-map=/build={}", folder.path("").display());
    let named: [(&str, &[&str]); 5] = [
        ("../outside.txt", &["../outside.txt"]),
        ("/none/outside.txt", &["../outside.txt"]),
        ("link.c", &["link.c"]),
        ("../outside.txt", &["-I", ".."]),
        ("/build/outside.txt", &["--format=classic", &map]),
    ];
    for (name, options) in named {
        assert_has(&report(name, options).0, &["SECRET"]);
    }
    assert_lacks(&report("/build/../../../etc/passwd", &["--format=classic", &map]).0, &["root:"]);
}
