//! The command that records a profile: `cgannotate record [OPTIONS] [--] PROGRAM [ARGS]`.
//!
//! Its options are valgrind's, whose names are not known here, so the words are taken apart by
//! hand; clap has the help, the man page and the completions.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command, ValueHint};

use crate::cli::{EarlyExit, help, unsupported};
use crate::options::RecordOptions;

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
    let mut of_report = None;
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
                    let given = [Some(word), value].into_iter().flatten();
                    let texts: Vec<String> =
                        given.map(|word| word.to_string_lossy().into_owned()).collect();
                    of_report.get_or_insert_with(|| texts.join(" "));
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
    if let Some(option) = of_report {
        let name = program.to_string_lossy();
        return Err(EarlyExit::Unrecorded(format!(
            "{option} is an option of reports: record {name} without it, and run: cgannotate {option} FILE"
        )));
    }
    Ok(RecordOptions { has_caches, valgrind_options, program, arguments: words.collect() })
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
                "--format=json is an option of reports: record ./prog without it, and run: cgannotate \
                 --format=json FILE",
            ),
            (
                "-o my.out ./prog",
                "-o is an option of reports; the profile gets its name from valgrind: \
                 cgannotate record --callgrind-out-file=FILE PROGRAM",
            ),
            (
                "-n 5 ./prog",
                "-n 5 is an option of reports: record ./prog without it, and run: cgannotate -n 5 FILE",
            ),
            (
                "-i ./prog",
                "-i is an option of reports: record ./prog without it, and run: cgannotate -i FILE",
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
