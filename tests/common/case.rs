//! A golden case: one text file that has its command, its input, and what has to come out, byte for
//! byte.
//!
//! ```text
//! # What the case tests; more such lines may follow.
//! input: util/profile.out          a file of testdata/profiles; its path below the first folder is its name here
//! input: util/new.out as base.out  the same under another name
//! input: util/src/                 all files of a folder
//! newer: a.c                       this file was changed a day after all others
//! $ cgannotate --auto=no p.out     as a shell would read it; `< FILE` at its end is the standard input
//! --- p.out                        a file of this case alone
//! events: Ir
//! --- stdout                       nothing if it is left out, and so is stderr
//! --- stderr
//! --- status 1                     0 if it is left out
//! ```
//!
//! A section is its lines as they are. `(escaped)` behind its name means: `\xNN` is a byte, `\\` a
//! backslash, and a backslash at the end of a line leaves out the newline. That is for text with
//! control characters, that is not UTF-8, or that has no newline at its end.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process;
use std::time::{Duration, SystemTime};

pub use super::walk::walk;

/// What came out of a run, or has to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Output {
    pub out: Vec<u8>,
    pub err: Vec<u8>,
    /// The exit status; -N if signal N ended the run.
    pub status: i32,
}

impl From<process::Output> for Output {
    fn from(output: process::Output) -> Output {
        let signal = || -output.status.signal().unwrap_or_default();
        Output {
            status: output.status.code().unwrap_or_else(signal),
            out: output.stdout,
            err: output.stderr,
        }
    }
}

/// A golden case.
pub struct Case {
    pub args: Vec<String>,
    /// The name of the file that is the standard input.
    pub stdin: Option<String>,
    pub expected: Output,
    /// Files of testdata/profiles, and their names in the case.
    pub inputs: Vec<(PathBuf, String)>,
    /// The files that are in the case alone.
    pub files: Vec<(String, Vec<u8>)>,
    newer: Vec<String>,
    /// The text before the first section.
    pub top: String,
}

/// The folder of the inputs that cases share.
pub fn profiles() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/profiles")
}

/// The golden cases, in order: the path below testdata/golden without its ending, and the file.
pub fn files() -> Vec<(String, PathBuf)> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/golden");
    let mut paths = Vec::new();
    walk(&golden, &mut paths).unwrap();
    let name = |path: &Path| {
        let name = path.strip_prefix(&golden).unwrap().with_extension("");
        name.to_str().unwrap().to_owned()
    };
    paths.into_iter().map(|path| (name(&path), path)).collect()
}

impl Case {
    /// Reads the text of a case.
    pub fn parse(text: &str) -> Result<Case, String> {
        if !text.starts_with("# ") {
            return Err("the first line says what the case tests: # …".into());
        }
        let mut case = Case {
            args: Vec::new(),
            stdin: None,
            expected: Output::default(),
            inputs: Vec::new(),
            files: Vec::new(),
            newer: Vec::new(),
            top: String::new(),
        };
        let (top, mut rest) = section(text);
        case.read_top(top)?;
        while let Some((title, text)) = rest.split_once('\n') {
            let (body, after) = section(text);
            case.read_section(&title[4..], body)?;
            rest = after;
        }
        if !rest.is_empty() {
            return Err("the last line has no newline".into());
        }
        Ok(case)
    }

    /// Reads the lines before the first section.
    fn read_top(&mut self, top: &str) -> Result<(), String> {
        top.clone_into(&mut self.top);
        let mut has_command = false;
        for line in top.lines().skip_while(|line| line.starts_with('#')) {
            if has_command {
                return Err(format!("not a section: {line:?}"));
            } else if let Some(input) = line.strip_prefix("input: ") {
                self.read_input(input)?;
            } else if let Some(name) = line.strip_prefix("newer: ") {
                self.newer.push(name.to_owned());
            } else if let Some(command) = line.strip_prefix("$ cgannotate") {
                let words =
                    shlex::split(command).ok_or("the quotes of the command do not match")?;
                self.args = words;
                if let [.., less, file] = &self.args[..]
                    && less == "<"
                {
                    self.stdin = Some(file.clone());
                    self.args.truncate(self.args.len() - 2);
                }
                has_command = true;
            } else {
                return Err(format!("neither input:, newer: nor $ cgannotate: {line:?}"));
            }
        }
        if has_command {
            Ok(())
        } else {
            Err("there is no line with the command: $ cgannotate …".into())
        }
    }

    /// Reads what is behind `input: `.
    fn read_input(&mut self, input: &str) -> Result<(), String> {
        let (path, name) = match input.split_once(" as ") {
            Some((path, name)) => (path, Some(name)),
            None => (input, None),
        };
        let from = profiles().join(path);
        let mut paths = vec![from.clone()];
        if from.is_dir() {
            paths.clear();
            walk(&from, &mut paths).map_err(|error| error.to_string())?;
        } else if !from.is_file() {
            return Err(format!("there is no testdata/profiles/{path}"));
        }
        for from in paths {
            let path = from.strip_prefix(profiles()).unwrap();
            let own = path.iter().skip(1).collect::<PathBuf>();
            let own = own.to_str().unwrap().to_owned();
            self.inputs.push((from, name.map_or(own, str::to_owned)));
        }
        Ok(())
    }

    fn read_section(&mut self, title: &str, body: &str) -> Result<(), String> {
        let (name, body) = match title.strip_suffix(" (escaped)") {
            Some(name) => (name, unescape(body)?),
            None => (title, body.as_bytes().to_vec()),
        };
        match name {
            "stdout" => self.expected.out = body,
            "stderr" => self.expected.err = body,
            _ => match name.strip_prefix("status ") {
                Some(status) => {
                    let status = status.parse();
                    self.expected.status = status.map_err(|_| format!("no status: {name}"))?;
                }
                None => self.files.push((name.to_owned(), body)),
            },
        }
        Ok(())
    }

    /// Writes all its files to a folder, as old as all files of cases are.
    pub fn write_to(&self, folder: &Path) -> io::Result<()> {
        let create = |name: &str| {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap())?;
            Ok::<_, io::Error>(path)
        };
        for (from, name) in &self.inputs {
            let path = create(name)?;
            match fs::metadata(from)?.permissions().mode() & 0o100 != 0 {
                true => write_executable(&path, fs::read(from)?)?,
                false => drop(fs::copy(from, &path)?),
            }
            self.set_time(name, &path)?;
        }
        for (name, bytes) in &self.files {
            let path = create(name)?;
            fs::write(&path, bytes)?;
            self.set_time(name, &path)?;
        }
        Ok(())
    }

    fn set_time(&self, name: &str, path: &Path) -> io::Result<()> {
        let is_newer = self.newer.iter().any(|newer| newer == name);
        let days = if is_newer { 86_400 } else { 0 };
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000 + days);
        File::open(path)?.set_modified(time)
    }
}

/// Writes a program. Another process does it, as a file that this one has open can be open in what
/// other threads start at the same time, and a program that is open for writing cannot be started.
pub fn write_executable(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    let mut install = process::Command::new("install");
    let install = install.args(["-m", "755", "/dev/stdin"]).arg(path);
    let mut child = install.stdin(process::Stdio::piped()).spawn()?;
    let written = child.stdin.take().unwrap().write_all(content.as_ref());
    assert!(child.wait()?.success());
    written
}

/// The text to the next line that begins a section, and the rest from that line on.
fn section(text: &str) -> (&str, &str) {
    if text.starts_with("--- ") {
        return ("", text);
    }
    let end = text.find("\n--- ").map_or(text.len(), |at| at + 1);
    text.split_at(end)
}

fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((plain, escape)) = rest.split_once('\\') {
        bytes.extend(plain.as_bytes());
        let hex = || u8::from_str_radix(escape.get(1..3)?, 16).ok();
        let (byte, length) = match escape.as_bytes().first() {
            Some(b'\\') => (Some(b'\\'), 1),
            Some(b'\n') => (None, 1),
            Some(b'x') => (Some(hex().ok_or("\\x has no two digits")?), 3),
            _ => return Err(r"a backslash is written \\".into()),
        };
        bytes.extend(byte);
        rest = &escape[length..];
    }
    bytes.extend(rest.as_bytes());
    Ok(bytes)
}
