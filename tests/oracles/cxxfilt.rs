//! The names of libstdc++ against what `c++filt` prints.

use std::str;

use cgannotate::internal::demangle::demangle;
use libtest_mimic::Trial;

use crate::common::program::other_program;
use crate::oracles::trial;

pub fn trials() -> Vec<Trial> {
    let needs = ["c++filt", "nm", "c++"];
    vec![trial(
        &needs,
        "names_of_the_standard_library",
        standard_library,
    )]
}

fn standard_library() {
    let path = other_program("c++")
        .arg("-print-file-name=libstdc++.so.6")
        .run();
    let path = str::from_utf8(&path.out).unwrap().trim();
    let symbols = other_program("nm")
        .args(["-D", "--defined-only", path])
        .run();
    let symbols = str::from_utf8(&symbols.out).unwrap();
    let names = symbols
        .lines()
        .filter_map(|line| line.split(' ').next_back());
    let names = names.filter_map(|name| name.split('@').next());
    let mut names: Vec<&str> = names.filter(|name| name.starts_with("_Z")).collect();
    names.sort_unstable();
    names.dedup();
    assert!(names.len() > 4000, "{}", names.len());

    let readable = other_program("c++filt")
        .stdin(names.join("\n") + "\n")
        .run();
    let readable = str::from_utf8(&readable.out).unwrap();
    let mut differing = Vec::new();
    for (name, expected) in names.iter().zip(readable.lines()) {
        let got = demangle(name.as_bytes());
        if *got != *expected.as_bytes() {
            differing.push(format!(
                "{name}\n    {expected}\n    {}",
                String::from_utf8_lossy(&got)
            ));
        }
    }
    // cpp_demangle drops the first parameter of templates of constructors, and references of parameter packs.
    assert!(
        differing.len() * 100 <= names.len(),
        "{} of {} differ:\n{}",
        differing.len(),
        names.len(),
        differing.join("\n")
    );
}
