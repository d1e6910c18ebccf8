//! The command that records a profile: `cgannotate record [OPTIONS] [--] PROGRAM [ARGS]`.
//!
//! Its options are valgrind's, whose names are not known here, so the words are taken apart by
//! hand; clap has the help, the man page and the completions.

use std::ffi::OsString;
use std::path::Path;

use clap::{Arg, ArgAction, Command, ValueHint};

use crate::cli::{EarlyExit, help, unsupported};
use crate::options::RecordOptions;
use crate::render::{SuggestedCommand, without_marks};

/// The options of a report that valgrind has, too, under the same name.
const OF_BOTH: [&str; 4] = ["--demangle", "--help", "--version", "--quiet"];

/// The command without its help texts.
fn definition() -> Command {
    let cache = Arg::new("cache")
        .long("cache")
        .action(ArgAction::SetTrue)
        .help("Simulate a desktop computer's caches, and branch prediction");
    let program = Arg::new("command")
        .value_name("PROGRAM")
        .num_args(1..)
        .required(true)
        .value_hint(ValueHint::CommandWithArguments)
        .trailing_var_arg(true);
    let command = Command::new("cgannotate record")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Record a profile of a program with Callgrind, and print it")
        .long_about(
            "Record a profile of a program with Callgrind, and print it.\n\n\
             Runs PROGRAM under valgrind --tool=callgrind --dump-instr=yes. The profile is \
             callgrind.out.PID, PID being the number of the process. Options before PROGRAM other \
             than --cache are passed to valgrind, such as --toggle-collect=FUNCTION. The exit \
             status is the program's.",
        )
        .override_usage("cgannotate record [OPTIONS] [--] PROGRAM [ARGS]...")
        .arg(program.help("The program, found in the PATH, and its arguments"))
        .arg(cache.long_help(
            "Simulate a desktop computer's caches, and branch prediction\n\n\
             With --cache-sim=yes --branch-sim=yes --LL=8388608,16,64: without the size of the last-level \
             cache valgrind simulates that of this machine, which is far larger on a server.",
        ));
    help::with_flags(command)
}

pub(super) fn command() -> Command {
    help::RECORD.add_to(definition())
}

/// Takes the words of the command line apart, of which the first is the program's name. `page` is
/// the command that writes reports, whose options are refused.
pub(super) fn parse(
    words: impl IntoIterator<Item = OsString>,
    page: fn() -> Command,
) -> Result<RecordOptions, EarlyExit> {
    let mut words = words.into_iter().skip(1);
    let mut has_caches = false;
    let mut valgrind_options = Vec::new();
    let mut of_report: Vec<OsString> = Vec::new();
    let program = loop {
        let Some(word) = words.next() else {
            break None;
        };
        match word.to_string_lossy().as_ref() {
            "--" => break words.next(),
            "--cache" => has_caches = true,
            "-h" | "--help" | "-V" | "--version" => {
                let shown = command().try_get_matches_from([OsString::from("record"), word]);
                return Err(shown.err().map_or(EarlyExit::Text(Vec::new()), EarlyExit::Clap));
            }
            // Its value is a word of its own, which would be taken for the program.
            "-o" | "--output" => {
                let text = "-o is an option of reports; the profile gets its name from valgrind: \
                            cgannotate record --callgrind-out-file=FILE PROGRAM";
                return Err(EarlyExit::Unrecorded(text.to_owned()));
            }
            option if option.starts_with('-') && option.len() > 1 => {
                let name = option.split('=').next().unwrap_or(option);
                let reports = page();
                let found = unsupported::find_option(&reports, name);
                if let Some(found) = found.filter(|_| !OF_BOTH.contains(&name)) {
                    let needs_value = found.get_action().takes_values()
                        && found.get_num_args().is_none_or(|values| values.min_values() > 0)
                        && name == option;
                    // Its value is no program.
                    let value = if needs_value { words.next() } else { None };
                    of_report.extend([Some(word), value].into_iter().flatten());
                } else {
                    valgrind_options.push(word);
                }
            }
            _ => break Some(word),
        }
    };
    let Some(program) = program else {
        return Err(EarlyExit::Unrecorded(
            "which program? cgannotate record PROGRAM [ARGS]".into(),
        ));
    };
    let options =
        RecordOptions { has_caches, valgrind_options, program, arguments: words.collect() };
    if of_report.is_empty() { Ok(options) } else { Err(with_report(&of_report, &options)) }
}

/// The error for options of reports, with the two commands that record and report.
fn with_report(of_report: &[OsString], options: &RecordOptions) -> EarlyExit {
    let with_words = |command: SuggestedCommand, words: &[OsString]| {
        words.iter().fold(command, |command, word| {
            match word.to_str().and_then(|word| word.split_once('=')) {
                Some((name, value)) if is_long_option(name) => {
                    command.option(name, value.as_bytes())
                }
                _ => command.word(word.as_encoded_bytes()),
            }
        })
    };
    let start = SuggestedCommand::new("cgannotate record").words(if options.has_caches {
        "--cache"
    } else {
        ""
    });
    let program = with_words(start, &options.valgrind_options).file(Path::new(&options.program));
    let record = with_words(program, &options.arguments);
    let report = with_words(SuggestedCommand::new("cgannotate"), of_report);
    let option = of_report[0].to_string_lossy();
    let text = format!(
        "{option} is an option of reports, which run after the recording: {record} && {report}"
    );
    EarlyExit::Unrecorded(without_marks(&text))
}

fn is_long_option(name: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    name.starts_with("--") && name.bytes().all(is_of_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::page;

    #[test]
    fn options_before_the_program_are_valgrinds() {
        // The words; whether caches are simulated, valgrind's options, the program and its
        // arguments; or the error.
        let table = [
            ("./prog", "false [] ./prog []"),
            ("./prog --cache -n 5", "false [] ./prog [--cache -n 5]"),
            ("--cache ./prog a", "true [] ./prog [a]"),
            ("--toggle-collect=f --cache -v ./prog", "true [--toggle-collect=f -v] ./prog []"),
            ("-- --prog -- a", "false [] --prog [-- a]"),
            ("--cache -- ./prog", "true [] ./prog []"),
            // Names that both have.
            ("--demangle=no ./prog", "false [--demangle=no] ./prog []"),
            ("- a", "false [] - [a]"),
            ("", "which program? cgannotate record PROGRAM [ARGS]"),
            ("--cache --", "which program? cgannotate record PROGRAM [ARGS]"),
            (
                "--format=json ./prog",
                "--format=json is an option of reports, which run after the recording: cgannotate \
                 record ./prog && cgannotate --format=json",
            ),
            (
                "-o my.out ./prog",
                "-o is an option of reports; the profile gets its name from valgrind: \
                 cgannotate record --callgrind-out-file=FILE PROGRAM",
            ),
            (
                "-n 5 ./prog",
                "-n is an option of reports, which run after the recording: cgannotate record ./prog \
                 && cgannotate -n 5",
            ),
            (
                "-v -i --cache -n 5 ./prog 'a b'",
                "-i is an option of reports, which run after the recording: cgannotate record --cache \
                 -v ./prog \"'a\" \"b'\" && cgannotate -i -n 5",
            ),
        ];
        let joined = |words: &[OsString]| {
            let words = words.iter().map(|word| word.to_str().unwrap());
            words.collect::<Vec<_>>().join(" ")
        };
        for (words, expected) in table {
            let words = ["record"].into_iter().chain(words.split_whitespace());
            let found = match parse(words.map(OsString::from), page::command) {
                Ok(RecordOptions { has_caches, valgrind_options, program, arguments }) => format!(
                    "{has_caches} [{}] {} [{}]",
                    joined(&valgrind_options),
                    program.to_str().unwrap(),
                    joined(&arguments)
                ),
                Err(EarlyExit::Unrecorded(text)) => text,
                Err(other) => panic!("{other:?}"),
            };
            assert_eq!(found, expected);
        }
    }
}
