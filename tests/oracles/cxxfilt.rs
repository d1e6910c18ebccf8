//! The names of libstdc++ against what `c++filt` prints.

use std::path::Path;

use cgannotate::internal::demangle::demangle;
use libtest_mimic::Trial;

use crate::common::program::other_program;
use crate::oracles::{run, trial};

pub fn trials() -> Vec<Trial> {
    let needs = ["c++filt", "nm", "c++"];
    let name = "names_of_the_standard_library";
    vec![trial(&needs, name, standard_library)]
}

fn standard_library() {
    let print = |name: &str, args: &[&str]| run(Path::new("."), name, args).page();
    let path = print("c++", &["-print-file-name=libstdc++.so.6"]);
    let symbols = print("nm", &["-D", "--defined-only", path.trim()]);
    let names = symbols.lines();
    let names = names.filter_map(|line| line.split(' ').next_back());
    let names = names.filter_map(|name| name.split('@').next());
    let mut names: Vec<&str> = names.filter(|name| name.starts_with("_Z")).collect();
    names.sort_unstable();
    names.dedup();
    assert!(names.len() > 4000, "{}", names.len());

    let readable = other_program("c++filt").stdin(names.join("\n") + "\n");
    let mut differing = Vec::new();
    for (name, expected) in names.iter().zip(readable.run().page().lines()) {
        let got = demangle(name.as_bytes());
        let got = String::from_utf8_lossy(&got);
        if got != expected {
            differing.push(format!("{name}\n    {expected}\n    {got}"));
        }
    }
    // Some kinds of names are beyond cpp_demangle; other versions of the library may have any.
    let is_good = differing.len() * 1000 <= names.len();
    assert!(is_good, "of {}:\n{}", names.len(), differing.join("\n"));
}
