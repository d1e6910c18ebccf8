//! `cgannotate record`: runs a program under Callgrind, and finds the profile that was written.
//!
//! The exit status is the program's, and as of a shell 128 + N if signal N ended it. As for `env`
//! and `timeout`, 127 is a program that is not found, 126 one that cannot be executed, and 125 a
//! failure of this program's own.

use std::collections::HashMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::SystemTime;

use crate::io_text::io_text;
use crate::options::RecordOptions;
use crate::render::SuggestedCommand;
use crate::run::newest;

/// The status of failures that are not the program's.
pub const OWN_FAILURE: u8 = 125;

/// Callgrind's options, before those that the user gives. With the addresses of instructions,
/// inlined code and the lines that call it are known.
const OPTIONS: [&str; 3] = ["-q", "--tool=callgrind", "--dump-instr=yes"];

/// The caches of a desktop computer. Valgrind takes those of the machine, and the last-level cache
/// of a server with hundreds of megabytes has no misses.
const CACHES: [&str; 3] = ["--cache-sim=yes", "--branch-sim=yes", "--LL=8388608,16,64"];

const OUTPUT_OPTION: &str = "--callgrind-out-file=";
const DEFAULT_OUTPUT: &str = "callgrind.out.%p";

/// A profile that was recorded.
#[derive(Debug)]
pub struct Recorded {
    /// The files of the program's process, one for each part and thread.
    pub files: Vec<PathBuf>,
    /// The exit status of the program, or 128 + N if signal N ended it.
    pub status: u8,
    /// What else is to be said: that other processes have profiles, too.
    pub note: Option<String>,
}

/// Why there is no profile: one line, and the exit status.
#[derive(Debug)]
pub struct NotRecorded {
    pub text: String,
    pub status: u8,
}

impl NotRecorded {
    fn own(text: String) -> NotRecorded {
        NotRecorded { text, status: OWN_FAILURE }
    }
}

/// Runs the program, and waits for it.
pub fn record(options: &RecordOptions) -> Result<Recorded, NotRecorded> {
    let program = Path::new(&options.program);
    check_program(program)?;
    let pattern = output_pattern(&options.valgrind_options);
    let is_any_process = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let before = files_of(&pattern, is_any_process);
    let modified = |path: &PathBuf| fs::metadata(path).and_then(|file| file.modified()).ok();
    let of_run = |process: &str| {
        let path = pattern.path(process);
        path.map(|path| newest::files_of_run(&path)).unwrap_or_default()
    };
    // A name without the number of the process may be that of an older profile.
    let older: HashMap<PathBuf, _> =
        of_run("").into_iter().map(|path| (path.clone(), modified(&path))).collect();
    // Ctrl-C is for the program; what it has done until then is reported.
    let is_interrupted = Arc::new(AtomicBool::new(false));
    let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, is_interrupted);
    let mut command = Command::new("valgrind");
    command.args(OPTIONS).arg(format!("{OUTPUT_OPTION}{DEFAULT_OUTPUT}"));
    if options.has_caches {
        command.args(CACHES);
    }
    command.args(&options.valgrind_options).arg("--").arg(program).args(&options.arguments);
    let mut child = command.spawn().map_err(|error| {
        NotRecorded::own(match error.kind() {
            ErrorKind::NotFound => {
                "valgrind: not found; install it, for example: apt install valgrind".to_owned()
            }
            _ => format!("valgrind: {}", io_text(&error)),
        })
    })?;
    let process = child.id().to_string();
    let has_ended = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    pass_on_end(process.clone(), Arc::clone(&has_ended));
    let ended =
        child.wait().map_err(|error| NotRecorded::own(format!("valgrind: {}", io_text(&error))))?;
    has_ended.store(true, Ordering::Relaxed);
    let mut files = of_run(&process);
    files.retain(|path| older.get(path) != Some(&modified(path)));
    if files.is_empty() {
        return Err(NotRecorded::own(without_profile(program, &pattern, &process, ended)));
    }
    let is_new = |(path, modified): &(&PathBuf, &Option<SystemTime>)| {
        !files.contains(path) && before.get(*path) != Some(modified)
    };
    let others = files_of(&pattern, |text| is_any_process(text) && text != process)
        .iter()
        .filter(is_new)
        .count();
    let note = (others > 0).then(|| {
        let count =
            if others == 1 { "1 more process".into() } else { format!("{others} more processes") };
        let all = pattern
            .of_all_processes()
            .map(|names| SuggestedCommand::new("cgannotate").words(&names));
        format!("{count}{}", all.map(|command| format!(": {command}")).unwrap_or_default())
    });
    Ok(Recorded { files, status: status(ended), note })
}

/// Passes a request to end on to the program while that runs: what it has done until then is
/// reported.
#[cfg(unix)]
fn pass_on_end(process: String, has_ended: Arc<AtomicBool>) {
    use signal_hook::consts::SIGTERM;
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    let Ok(mut signals) = Signals::new([SIGTERM]) else {
        return;
    };
    thread::spawn(move || {
        for signal in &mut signals {
            if has_ended.load(Ordering::Relaxed) {
                let _ = emulate_default_handler(signal);
            }
            let _ = Command::new("kill").args(["-TERM", &process]).status();
        }
    });
}

/// The status that a shell gives for a program that has ended.
fn status(ended: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&ended) {
        return u8::try_from(128 + signal).unwrap_or(OWN_FAILURE);
    }
    ended.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(OWN_FAILURE)
}

/// Why a program that ran has no profile.
fn without_profile(
    program: &Path,
    pattern: &OutputPattern,
    process: &str,
    ended: ExitStatus,
) -> String {
    let program = program.display();
    let is_there = pattern.path(process).is_some_and(|path| path.exists());
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&ended) {
        return format!("{program}: ended by signal {signal} before a profile was written");
    }
    if is_there {
        // Callgrind creates the file at the start and fills it at the end, which never came.
        return format!(
            "{program} started another program in its place: record that program, or with --trace-children=yes"
        );
    }
    format!("valgrind wrote no profile of {program} ({ended})")
}

/// Whether the program can be executed, as far as that is known before valgrind starts.
fn check_program(program: &Path) -> Result<(), NotRecorded> {
    let name = program.display();
    let has_folder = program.as_os_str().as_encoded_bytes().contains(&b'/');
    let candidates: Vec<PathBuf> = if has_folder {
        vec![program.to_owned()]
    } else {
        let folders = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&folders).map(|folder| folder.join(program)).collect()
    };
    let mut reason = None;
    for candidate in candidates {
        match fs::metadata(&candidate) {
            Ok(file) if file.is_file() && is_executable(&file) => return Ok(()),
            Ok(file) if file.is_file() => {
                reason.get_or_insert("its file is not executable");
            }
            // A folder of that name in the PATH is no program.
            Ok(_) if has_folder => reason = Some("it is no file"),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                reason.get_or_insert("permission denied");
            }
            _ => {}
        }
    }
    Err(match reason {
        Some(reason) => {
            NotRecorded { text: format!("{name}: cannot be executed: {reason}"), status: 126 }
        }
        None => NotRecorded { text: format!("{name}: not found"), status: 127 },
    })
}

#[cfg(unix)]
fn is_executable(file: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&file.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    true
}

/// The name of the profile as valgrind's option has it.
#[derive(Debug)]
struct OutputPattern(String);

/// The name that the last of these options gives, or the default one.
fn output_pattern(valgrind_options: &[OsString]) -> OutputPattern {
    let words = valgrind_options.iter().rev().filter_map(|word| word.to_str());
    let given = words.filter_map(|word| word.strip_prefix(OUTPUT_OPTION)).next();
    OutputPattern(given.unwrap_or(DEFAULT_OUTPUT).to_owned())
}

impl OutputPattern {
    /// The pieces of the name, with the text for the number of the process in place of `%p`.
    /// `%q{NAME}` is a variable of the environment and `%%` a percent sign. None if valgrind
    /// refuses the pattern.
    fn expand(&self, process: &str, variable: impl Fn(&str) -> Option<String>) -> Option<String> {
        let mut text = String::new();
        let mut rest = &self.0[..];
        while let Some((before, after)) = rest.split_once('%') {
            text.push_str(before);
            if let Some(after) = after.strip_prefix('p') {
                text.push_str(process);
                rest = after;
            } else if let Some(after) = after.strip_prefix('%') {
                text.push('%');
                rest = after;
            } else {
                let (name, after) = after.strip_prefix("q{")?.split_once('}')?;
                text.push_str(&variable(name)?);
                rest = after;
            }
        }
        text.push_str(rest);
        Some(text)
    }

    /// The path of the profile of a process.
    fn path(&self, process: &str) -> Option<PathBuf> {
        self.expand(process, |name| env::var(name).ok()).map(PathBuf::from)
    }

    /// The names of the profiles of all processes, for a shell; none if they would have to be
    /// quoted.
    fn of_all_processes(&self) -> Option<String> {
        let names = self.expand("*", |name| env::var(name).ok())?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "*./_+-".contains(c);
        (names.chars().all(is_plain) && !names.starts_with('-')).then_some(names)
    }
}

/// The files in the folder of the profile that are named as it is, with a process that `is_process`
/// accepts, and the time when each was changed.
fn files_of(
    pattern: &OutputPattern,
    is_process: impl Fn(&str) -> bool,
) -> HashMap<PathBuf, Option<SystemTime>> {
    // A mark that no path has.
    let Some(marked) = pattern.path("\0") else {
        return HashMap::new();
    };
    let folder = marked.parent().filter(|folder| *folder != Path::new("")).map(Path::to_owned);
    let name = marked.file_name().and_then(OsStr::to_str);
    let Some((before, after)) = name.and_then(|name| name.split_once('\0')) else {
        return HashMap::new();
    };
    let entries =
        fs::read_dir(folder.as_deref().unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let is_named = |name: &str| {
        let process = name.strip_prefix(before).and_then(|name| name.strip_suffix(after));
        process.is_some_and(&is_process)
    };
    let named = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_named));
    let with_time = named.map(|entry| {
        let path = match &folder {
            Some(folder) => folder.join(entry.file_name()),
            None => PathBuf::from(entry.file_name()),
        };
        (path, entry.metadata().ok().and_then(|file| file.modified().ok()))
    });
    with_time.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_profiles_are_expanded_as_valgrind_does() {
        // The pattern, and the name of the profile of process 12 where HERE is `x`; none if
        // valgrind refuses it.
        let table = [
            ("callgrind.out.%p", Some("callgrind.out.12")),
            ("a", Some("a")),
            ("%q{HERE}/%p.%p", Some("x/12.12")),
            ("100%%.%p", Some("100%.12")),
            ("%q{GONE}", None),
            ("%q{HERE", None),
            ("%x", None),
            ("a%", None),
        ];
        for (pattern, expected) in table {
            let pattern = output_pattern(&[format!("{OUTPUT_OPTION}{pattern}").into()]);
            let variable = |name: &str| (name == "HERE").then(|| "x".to_owned());
            assert_eq!(pattern.expand("12", variable).as_deref(), expected, "{pattern:?}");
        }
    }

    #[test]
    fn the_last_name_of_the_profile_holds() {
        let words = ["--callgrind-out-file=a", "-v", "--callgrind-out-file=b.%p"];
        assert_eq!(output_pattern(&words.map(OsString::from)).0, "b.%p");
        assert_eq!(output_pattern(&[]).0, DEFAULT_OUTPUT);
    }

    #[test]
    fn profiles_of_all_processes_are_named_without_quotes() {
        let table = [
            ("callgrind.out.%p", Some("callgrind.out.*")),
            ("out/a+b_c-%p", Some("out/a+b_c-*")),
            ("-a.%p", None),
            ("a b.%p", None),
            ("a$.%p", None),
        ];
        for (pattern, expected) in table {
            let pattern = output_pattern(&[format!("{OUTPUT_OPTION}{pattern}").into()]);
            assert_eq!(pattern.of_all_processes().as_deref(), expected, "{pattern:?}");
        }
    }
}
