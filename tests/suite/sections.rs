//! Pages with so much source that several threads make the sections: each section is complete and in its place.

use std::fmt::Write;
use std::io::Read;

use crate::common::program::{Folder, Run};

trials![
    sections_are_complete_and_in_order,
    a_reader_may_stop_in_the_middle
];

/// How many lines each source has, of 60 bytes and more.
const LENGTH: usize = 5000;

/// The line that is binary.
const BINARY: usize = 3;

/// The text of a line of a source, and the cost that the profile has for it.
fn line(file: usize, line: usize) -> (String, Option<usize>) {
    let text = format!(
        "    sum += values[{line}] * factor({file}); {:>40}",
        "/* \u{e9} */"
    );
    let cost = 900 - 100 * file + line % 50;
    (text, (!line.is_multiple_of(3)).then_some(cost))
}

/// A folder with seven sources, the most expensive first, and a profile of them.
fn folder() -> Folder {
    let folder = Folder::with(&[]);
    let mut profile = "version: 1\ncreator: test\nevents: Ir\n".to_owned();
    for file in 0..7 {
        let mut source = String::new();
        let _ = writeln!(profile, "fl=s{file}.c\nfn=f");
        for number in 1..=LENGTH {
            let (text, cost) = line(file, number);
            source.push_str(&text);
            source.push_str(if file == BINARY { "\0\n" } else { "\n" });
            if let Some(cost) = cost {
                let _ = writeln!(profile, "{number} {cost}");
            }
        }
        folder.write(&format!("s{file}.c"), source);
    }
    folder.write("profile", profile);
    folder
}

/// The section of a source, as it is to be.
fn section(file: usize) -> String {
    let rule = "-".repeat(80);
    let mut text = format!("{rule}\n-- Auto-annotated source: s{file}.c\n{rule}\nIr  \n\n");
    for number in 1..=LENGTH {
        let (source, cost) = line(file, number);
        let cost = cost.map_or_else(|| ".".to_owned(), |cost| cost.to_string());
        let _ = writeln!(text, "{cost:>3}  {source}");
    }
    text + "\n"
}

fn page<'w>(folder: &Folder) -> Run<'w> {
    folder.program(&["--show-percs=no", "profile"])
}

fn sections_are_complete_and_in_order() {
    let folder = folder();
    let output = page(&folder).run();
    let warning = "cgannotate: warning: s3.c: is binary, not annotated\n";
    assert_eq!(output.error(), warning);
    let page = output.page();
    let at = page.find("-- Auto-annotated").unwrap() - 81;
    let expected: String = (0..7).filter(|&file| file != BINARY).map(section).collect();
    let shown = &page[at..at + expected.len()];
    let mut lines = shown.lines().zip(expected.lines());
    let difference = lines.find(|(a, b)| a != b);
    assert!(shown == expected, "{difference:?}");
}

fn a_reader_may_stop_in_the_middle() {
    let folder = folder();
    let mut child = page(&folder).start();
    let mut begin = vec![0; 500_000];
    child.stdout.take().unwrap().read_exact(&mut begin).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
