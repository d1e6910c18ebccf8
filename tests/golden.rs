//! Golden cases, one test for each file of testdata/golden: `cargo test --test golden diff/` runs
//! those of a folder. `common/case.rs` describes the files.
//!
//! `CGANNOTATE_BLESS=1 cargo test --test golden NAME` replaces what was expected by what came out;
//! `git diff` shows it.

#![allow(clippy::unwrap_used)]

mod common {
    pub mod case;
    pub mod walk;
}

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use common::case::{self, Case, Output};
use libtest_mimic::{Arguments, Failed, Trial};
use similar::TextDiff;

fn main() -> ExitCode {
    let check = |(name, path): (String, PathBuf)| Trial::test(name, move || check(&path));
    let mut trials: Vec<Trial> = case::files().into_iter().map(check).collect();
    trials.push(Trial::test("inputs", inputs));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Runs a case and compares its text with what it would be if what came out was expected.
fn check(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let case = Case::parse(&text)?;
    let folder = tempfile::tempdir()?;
    case.write_to(folder.path())?;
    let actual = text_of(&case, &run(&case, folder.path())?);
    if std::env::var_os("CGANNOTATE_BLESS").is_some() {
        return Ok(fs::write(path, actual)?);
    }
    if actual == text {
        return Ok(());
    }
    let difference = TextDiff::from_lines(&text, &actual);
    let mut difference = difference.unified_diff();
    Err(difference.header("expected", "found").to_string().into())
}

/// What comes out of the program for a case in a folder with its files.
fn run(case: &Case, folder: &Path) -> io::Result<Output> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_cgannotate"));
    program.args(&case.args).current_dir(folder);
    // Cargo's and its benchmarks' folders are those of the case.
    for name in
        ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR", "GUNGRAUN_HOME", "IAI_CALLGRIND_HOME"]
    {
        program.env_remove(name);
    }
    program.stdin(match &case.stdin {
        Some(file) => File::open(folder.join(file))?.into(),
        None => Stdio::null(),
    });
    let mut output = Output::from(program.output()?);
    output.out = without_asset(output.out);
    Ok(output)
}

/// Of a page for a browser its title, table, data and sources; the rest is the same in every page.
fn without_asset(out: Vec<u8>) -> Vec<u8> {
    let page = match String::from_utf8(out) {
        Ok(page) if page.starts_with("<!doctype html>") => page,
        Ok(text) => return text.into_bytes(),
        Err(error) => return error.into_bytes(),
    };
    let template = include_str!("../src/render/html/page/page.html");
    let template = template.replace("@STYLE@", "").replace("@SCRIPT@", "");
    let mut page = without_text(without_text(page, "<style>", "</style>"), "<script>", "</script>");
    let mut rest = &template[..];
    for place in ["@TITLE@", "@STATIC@", "@DATA@@SOURCES@"] {
        let (piece, after) = rest.split_once(place).unwrap();
        page = page.replacen(piece, "\n", 1);
        rest = after;
    }
    page.replacen(rest, "\n", 1).into_bytes()
}

/// A page without what is in an element.
fn without_text(page: String, start: &str, end: &str) -> String {
    let (before, after) = page.split_once(start).unwrap();
    let (_, after) = after.split_once(end).unwrap();
    [before, start, end, after].concat()
}

/// Each shared input is there once and some case uses it; testdata stays small enough to be read.
fn inputs() -> Result<(), Failed> {
    let mut unused = Vec::new();
    case::walk(&case::profiles(), &mut unused)?;
    let mut unused: BTreeSet<PathBuf> = unused.into_iter().collect();
    let mut seen = BTreeMap::new();
    for path in &unused {
        if let Some(other) = seen.insert(fs::read(path)?, path) {
            return Err(format!("{} is {}", path.display(), other.display()).into());
        }
    }
    for (_, path) in case::files() {
        let case = Case::parse(&fs::read_to_string(path)?)?;
        unused.retain(|path| !case.inputs.iter().any(|(input, _)| input == path));
    }
    if let Some(path) = unused.first() {
        return Err(format!("no case uses {}", path.display()).into());
    }
    let mut all = Vec::new();
    case::walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata"), &mut all)?;
    let is_large = |path: &&PathBuf| path.metadata().is_ok_and(|file| file.len() > 100_000);
    match all.iter().find(is_large) {
        Some(path) => Err(format!("{} has more than 100 kB", path.display()).into()),
        None => Ok(()),
    }
}

/// The text of the case if this is what has to come out.
fn text_of(case: &Case, expected: &Output) -> String {
    let mut text = case.top.clone();
    for (name, bytes) in &case.files {
        push_section(&mut text, name, bytes);
    }
    for (name, bytes) in [("stdout", &expected.out), ("stderr", &expected.err)] {
        if !bytes.is_empty() {
            push_section(&mut text, name, bytes);
        }
    }
    if expected.status != 0 {
        let _ = writeln!(text, "--- status {}", expected.status);
    }
    text
}

fn push_section(text: &mut String, name: &str, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(plain) if is_plain(plain) => {
            let _ = write!(text, "--- {name}\n{plain}");
        }
        _ => {
            let _ = writeln!(text, "--- {name} (escaped)");
            escape(text, bytes);
        }
    }
}

/// Whether the text can be a section without escapes.
fn is_plain(text: &str) -> bool {
    let is_whole = text.is_empty() || text.ends_with('\n');
    let is_odd = |c: char| c.is_ascii_control() && c != '\n' && c != '\t';
    is_whole && !text.contains(is_odd)
}

fn escape(text: &mut String, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => text.push_str("\\\\"),
                '\n' | '\t' => text.push(c),
                c if c.is_ascii_control() => {
                    let _ = write!(text, "\\x{:02x}", c as u32);
                }
                c => text.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        text.push_str("\\\n");
    }
}
