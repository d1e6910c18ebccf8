//! Messages if there is no profile: how to record one, and which program reads a file of another
//! format.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::iter;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};

use crate::read::is_profile;
use crate::render::SuggestedCommand;
use crate::run::message::{Messages, and_more, display_path};
use crate::run::newest::{BOUNDS, EMPTY, files_of_run, newest_named, newest_run};
use crate::run::programs::{RECORD, only_program, sibling_names};
use crate::run::run_name::PREFIXES;
use crate::run::sampled::missing_half;
use crate::run::words::tip_for;

/// The folders of benchmarks in cargo's target folder, and the variable that names another: those
/// of gungraun, and of iai and iai-callgrind.
const BENCHMARKS: [(&str, &str); 2] =
    [("gungraun", "GUNGRAUN_HOME"), ("iai", "IAI_CALLGRIND_HOME")];

/// The variables that name another target folder than that of the workspace.
const TARGET_VARIABLES: [&str; 2] = ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"];

/// The number of bytes from which the format of a file is recognized.
const HEAD_SIZE: u64 = 1 << 16;

/// What is said if no profile is named and none is here; of gprof's views with an example.
pub(super) fn no_profile(is_gprof: bool) -> String {
    if !is_gprof {
        return nothing_named();
    }
    let why = missing_half().unwrap_or("no gmon.out and no callgrind.out.* here");
    let program = only_program().map_or("./program".into(), |program| Path::new(".").join(program));
    let example = SuggestedCommand::new("cgannotate gprof").file(&program).words("gmon.out");
    format!("{why}; name them as in {example} (options: cgannotate gprof -h)")
}

fn nothing_named() -> String {
    let is_file = fs::metadata("/dev/stdin").is_ok_and(|input| input.is_file() && input.len() > 0);
    if is_piped() || is_file {
        return "no profile here; to read standard input: cgannotate -".to_owned();
    }
    if Path::new("gmon.out").is_file() {
        let program = only_program().unwrap_or("PROGRAM".into());
        let command = SuggestedCommand::new("cgannotate").file(&program).words("gmon.out");
        return format!("no Callgrind profile here; gprof's data is: {command}");
    }
    let configured = configured_target();
    for folder in benchmark_folders(|name| env::var_os(name), configured, &workspaces()) {
        if let Some(newest) = newest_named(&folder, BOUNDS.depth) {
            let (folder, command) = (display_path(&folder), command_for(&newest.files));
            return format!("no profile here; the newest run below {folder} is: {command}");
        }
    }
    let of_run = newest_named(Path::new("."), 0).map(|newest| newest.files);
    if let Some(files) = of_run.or_else(|| Some(vec![newest_other()?])) {
        let command = command_for(&files);
        return format!("no callgrind.out.* here; the newest other profile is: {command}");
    }
    let program = only_program().unwrap_or("program".into());
    let command = SuggestedCommand::new(RECORD).file(&Path::new(".").join(program));
    format!("no profile here; make one with: {command}")
}

/// The current directory, and those above it that have a package or workspace of cargo.
fn workspaces() -> Vec<PathBuf> {
    let depth = env::current_dir().map_or(0, |folder| folder.ancestors().count());
    let above = (1..depth)
        .map(|levels| PathBuf::from(vec![".."; levels].join("/")))
        .filter(|folder| folder.join("Cargo.toml").is_file());
    iter::once(PathBuf::new()).chain(above).collect()
}

/// The target folder that cargo's configuration names, of this directory, of one above it, or of
/// the user. A relative one is in the folder that has `.cargo`.
fn configured_target() -> Option<PathBuf> {
    let depth = env::current_dir().map_or(0, |folder| folder.ancestors().count());
    let above = (1..depth).map(|levels| PathBuf::from(vec![".."; levels].join("/")));
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let of_user = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    let of_folder = |folder: PathBuf| (folder.join(".cargo"), folder);
    let last = of_user.map(|home| (home.clone(), home.join("..")));
    let mut all = iter::once(PathBuf::new()).chain(above).map(of_folder).chain(last);
    all.find_map(|(configuration, folder)| {
        let text = fs::read_to_string(configuration.join("config.toml"))
            .or_else(|_| fs::read_to_string(configuration.join("config")));
        Some(folder.join(target_of_configuration(&text.ok()?)?))
    })
}

/// The value of `target-dir` of `[build]` in a file of TOML.
fn target_of_configuration(text: &str) -> Option<&str> {
    let mut table = "";
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            table = name.split(']').next().unwrap_or_default().trim();
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        if matches!((table, key.trim()), ("build", "target-dir") | ("", "build.target-dir")) {
            let value = value.trim();
            let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
            return value[1..].split(quote).next().filter(|folder| !folder.is_empty());
        }
    }
    None
}

/// Where cargo's benchmarks leave their profiles: in the folder that a variable names, else in the
/// target folder that cargo's variables or its configuration name, else in that of a workspace.
fn benchmark_folders(
    variable: impl Fn(&str) -> Option<OsString>,
    configured: Option<PathBuf>,
    workspaces: &[PathBuf],
) -> Vec<PathBuf> {
    let named = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let target = TARGET_VARIABLES.iter().find_map(|name| named(name)).or(configured);
    let targets = match target {
        Some(target) => vec![target],
        None => workspaces.iter().map(|folder| folder.join("target")).collect(),
    };
    let of_tool = |&(folder, home): &(&str, &str)| match named(home) {
        Some(home) => vec![home],
        None => targets.iter().map(|target| target.join(folder)).collect(),
    };
    BENCHMARKS.iter().flat_map(of_tool).collect()
}

/// The command that reads these files of one run: of several, if they have a folder, that is named.
fn command_for(files: &[PathBuf]) -> SuggestedCommand {
    let command = SuggestedCommand::new("cgannotate");
    let folder = files.first().and_then(|file| file.parent());
    match folder.filter(|folder| files.len() > 1 && *folder != Path::new("")) {
        Some(folder) => command.file(folder),
        None => files.iter().fold(command, |command, file| command.file(file)),
    }
}

/// The newest profile in the current directory with a name of its own that ends in `.out`.
fn newest_other() -> Option<PathBuf> {
    let names = sibling_names(Path::new("")).map(PathBuf::from);
    let time = |name: &PathBuf| fs::metadata(name).and_then(|file| file.modified()).ok();
    names
        .filter(|name| name.extension().is_some_and(|end| end == "out"))
        .filter(|name| name.is_file() && is_profile(name))
        .max_by_key(|name| (time(name), name.clone()))
}

/// The error of reading these files; if there is only one, with an explanation of what it is.
pub(super) fn explained<T>(read: Result<T>, files: &[PathBuf], base: &[PathBuf]) -> Result<T> {
    let known = || match files {
        [file] if base.len() == 1 && base.iter().chain(files).all(|file| is_of_python(file)) => {
            let of_base = &base[0];
            let (base, new) = (display_path(of_base), display_path(file));
            let command = command_of_python_difference(of_base, file);
            Some(anyhow!("{base}, {new}: profiles of cProfile, which are compared by: {command}"))
        }
        [file] => explanation(file).map(|text| anyhow!("{}: {text}", display_path(file))),
        _ => None,
    };
    read.map_err(|error| known().unwrap_or(error))
}

/// How cProfile's files begin, in Python's marshal format: a dictionary, whose first key is a tuple
/// of three.
const PYTHON_PROFILES: [&[u8]; 3] = [b"\xfb)\x03", b"\xfb\xa9\x03", b"{)\x03"];

/// How the pages begin that gprof writes as text.
const TEXTS_OF_GPROF: [&str; 2] = ["Flat profile:", "Call graph (explanation follows)"];

/// Whether a file is what gprof writes by default.
fn is_text_of_gprof(head: &[u8]) -> bool {
    let text = head.trim_ascii_start();
    TEXTS_OF_GPROF.iter().any(|title| text.starts_with(title.as_bytes()))
}

fn is_head_of_python(head: &[u8]) -> bool {
    PYTHON_PROFILES.iter().any(|start| head.starts_with(start))
}

fn is_of_python(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD_SIZE).read_to_end(&mut head));
    read.is_ok() && is_head_of_python(&head)
}

/// The name of what a file of cProfile is converted to.
fn converted(path: &Path) -> PathBuf {
    let mut name = OsString::from("callgrind.out.");
    name.push(path.file_stem().unwrap_or_default());
    path.with_file_name(name)
}

/// Adds the command that converts a file of cProfile, and what joins it to the next one.
fn with_converter(command: SuggestedCommand, path: &Path) -> SuggestedCommand {
    let converter = command.words("pyprof2calltree -i").file(path);
    converter.words("-o").file(&converted(path)).words("&&")
}

/// The commands that convert a file of cProfile and show it.
fn command_of_python(path: &Path) -> SuggestedCommand {
    let converter = with_converter(SuggestedCommand::new(""), path);
    converter.words("cgannotate").file(&converted(path))
}

/// The commands that convert two files of cProfile and compare them.
fn command_of_python_difference(base: &Path, new: &Path) -> SuggestedCommand {
    let converters = with_converter(with_converter(SuggestedCommand::new(""), base), new);
    let base = converted(base);
    converters
        .words("cgannotate")
        .option("--diff", base.as_os_str().as_encoded_bytes())
        .file(&converted(new))
}

/// A description of a file that is not Callgrind's profile, if its kind is known.
fn explanation(path: &Path) -> Option<String> {
    let Ok(file) = fs::metadata(path) else {
        let similar = similar_file(path).map(|similar| format!("there is {similar}"));
        return similar.or_else(|| tip_for(path)).map(|tip| format!("no such file; {tip}"));
    };
    if !file.is_file() {
        return None;
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if file.len() == 0 {
        // Another empty file is refused as every file without a profile.
        return name.starts_with("callgrind.out").then(|| EMPTY.to_owned());
    }
    let mut head = Vec::new();
    let file = File::open(path).ok()?;
    file.take(HEAD_SIZE).read_to_end(&mut head).ok()?;
    let has = |text: &str| memchr::memmem::find(&head, text.as_bytes()).is_some();
    if head.starts_with(b"==") && has("Callgrind") {
        let what = "the messages of valgrind, not the profile, which is in callgrind.out.PID";
        return Some(what.to_owned());
    }
    let of_dhat = "dh_view.html of valgrind in a browser, and";
    if is_text_of_gprof(&head) {
        let what = "the text that gprof writes, not its data, which are read by";
        return Some(format!("{what}: cgannotate PROGRAM gmon.out"));
    }
    // How a file begins, what else it has, what it is, and what reads it.
    let kinds: [(&[u8], &str, &str, &str); 4] = [
        (b"PERFILE", "", "perf", "perf report -i"),
        (b"desc:", "\ntime_unit:", "Massif", "ms_print"),
        (b"{\"dhatFileVersion\"", "", "DHAT", of_dhat),
        (b"{\"nodes\":", "", "V8", "speedscope"),
    ];
    let is_kind = |kind: &&(&[u8], &str, _, _)| head.starts_with(kind.0) && has(kind.1);
    if let Some((.., what, reader)) = kinds.iter().find(is_kind) {
        let command = SuggestedCommand::new(reader).file(path);
        return Some(format!(
            "a profile of {what}, which Callgrind did not write; it is read by: {command}"
        ));
    }
    if is_head_of_python(&head) {
        return Some(format!(
            "a profile of cProfile, which Callgrind did not write; it is shown by: {}",
            command_of_python(path)
        ));
    }
    let is_named_as_profile = PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let may_be_source = !head.contains(&0) && !has("events:") && !is_named_as_profile;
    let profile = newest_run().filter(|_| may_be_source)?.files.pop()?;
    let command = SuggestedCommand::new("cgannotate").file(&profile).file(path);
    Some(format!("not a profile; a source is annotated by: {command}"))
}

/// The given files with those of all parts and threads of a run in place of its last one, with a
/// note: if that is the only profile given, and is empty or rows are to be parts.
pub(super) fn parts_of_run(
    files: &[PathBuf],
    are_rows: bool,
    messages: &Messages,
) -> Option<Vec<PathBuf>> {
    let is_empty =
        |file: &&PathBuf| fs::metadata(file).is_ok_and(|file| file.is_file() && file.len() == 0);
    let empty = files.iter().find(is_empty);
    let file = empty.or_else(|| files.iter().find(|file| are_rows && is_profile(file)))?;
    let is_other = |other: &PathBuf| {
        other != file && (other == Path::new("-") || other.is_dir() || is_profile(other))
    };
    if files.iter().any(is_other) {
        return None;
    }
    let mut parts = files_of_run(file);
    if empty.is_none() && !parts.contains(file) {
        parts.push(file.clone());
    }
    if parts == [file.clone()] {
        return None;
    }
    let (shown, first) = (display_path(file), display_path(parts.first()?));
    let more = and_more(parts.len() - 1);
    messages.note(match empty {
        Some(_) => format!("{shown} is empty; its parts and threads are read: {first}{more}"),
        None => format!("all parts of the run of {shown} are read: {first}{more}"),
    });
    let of_given =
        |given: &PathBuf| if given == file { parts.clone() } else { vec![given.clone()] };
    Some(files.iter().flat_map(of_given).collect())
}

/// The only file whose name begins with that of a missing one, or differs from it in one character.
fn similar_file(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str().filter(|name| *name != "-")?;
    let is_similar =
        |other: &String| other.starts_with(name) || strsim::osa_distance(other, name) == 1;
    let mut similar = sibling_names(path).filter(is_similar);
    let only = similar.next().filter(|_| similar.next().is_none())?;
    Some(display_path(&path.with_file_name(only)))
}

#[cfg(unix)]
pub(super) fn is_piped() -> bool {
    use std::os::unix::fs::FileTypeExt;
    let input = std::fs::metadata("/dev/stdin");
    input.is_ok_and(|input| input.file_type().is_fifo())
}

#[cfg(not(unix))]
pub(super) fn is_piped() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn benchmarks_are_where_cargo_and_their_tools_leave_them() {
        // The variables that are set, the folders with a workspace, and where benchmarks may be.
        let table = [
            ("", ".", "target/gungraun target/iai"),
            (
                "",
                ". .. ../..",
                "target/gungraun ../target/gungraun ../../target/gungraun \
                 target/iai ../target/iai ../../target/iai",
            ),
            ("CARGO_TARGET_DIR=/build", ". ..", "/build/gungraun /build/iai"),
            ("CARGO_BUILD_TARGET_DIR=out", ".", "out/gungraun out/iai"),
            ("CARGO_TARGET_DIR=/a CARGO_BUILD_TARGET_DIR=/b GUNGRAUN_HOME=/c", ".", "/c /a/iai"),
            ("IAI_CALLGRIND_HOME=/d", ". ..", "target/gungraun ../target/gungraun /d"),
            ("GUNGRAUN_HOME= CARGO_TARGET_DIR=", ".", "target/gungraun target/iai"),
        ];
        for (variables, workspaces, expected) in table {
            let variable = |name: &str| {
                let mut values = variables.split(' ').filter_map(|one| one.split_once('='));
                values.find(|(other, _)| *other == name).map(|(_, value)| value.into())
            };
            let folder = |path: &str| PathBuf::from(if path == "." { "" } else { path });
            let workspaces: Vec<PathBuf> = workspaces.split(' ').map(folder).collect();
            let expected: Vec<PathBuf> = expected.split(' ').map(PathBuf::from).collect();
            let found = benchmark_folders(variable, None, &workspaces);
            assert_eq!(found, expected, "{variables}");
        }
        let configured = || Some(PathBuf::from("/out"));
        let found = benchmark_folders(|_| None, configured(), &[PathBuf::new()]);
        assert_eq!(found, ["/out/gungraun", "/out/iai"].map(PathBuf::from));
        let set = |name: &str| (name == "CARGO_TARGET_DIR").then(|| "/build".into());
        let found = benchmark_folders(set, configured(), &[PathBuf::new()]);
        assert_eq!(found, ["/build/gungraun", "/build/iai"].map(PathBuf::from));
    }

    #[test]
    fn target_folders_in_configurations_of_cargo() {
        let table = [
            ("[build]\njobs = 2\ntarget-dir = \"../out\" # of all\n", Some("../out")),
            ("build.target-dir = '/out'\n", Some("/out")),
            ("[term]\ntarget-dir = \"a\"\n[build]\n", None),
            ("[build]\ntarget-dir = \"\"\n", None),
            ("[build]\ntarget = \"x86_64-unknown-linux-gnu\"\n", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(target_of_configuration(text), expected, "{text}");
        }
    }
}
