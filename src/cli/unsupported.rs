//! The options of gprof that are not offered, and why.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command};

/// Letter, name, and why not.
const UNSUPPORTED: [(char, &str, &str); 12] = [
    (
        'a',
        "no-static",
        "a profile does not say which functions are static",
    ),
    (
        'c',
        "static-call-graph",
        "a profile holds the calls that were made, not the code they could be found in",
    ),
    ('d', "debug", "there is nothing to debug"),
    (
        'D',
        "ignore-non-functions",
        "a profile holds functions alone",
    ),
    (
        'm',
        "min-count",
        "there are no counts of basic blocks; it changes nothing in gprof either",
    ),
    (
        'O',
        "file-format",
        "the format of a profile is known by its contents",
    ),
    (
        'R',
        "file-ordering",
        "a profile does not name object files; -r orders functions",
    ),
    (
        'S',
        "external-symbol-table",
        "a profile names its functions itself",
    ),
    (
        'T',
        "traditional",
        "there is one layout, that of today's gprof",
    ),
    (
        't',
        "table-length",
        "annotated sources have no table of lines; -lp lists lines by cost",
    ),
    (
        'x',
        "all-lines",
        "annotated sources show the cost of each line already",
    ),
    (
        'y',
        "separate-files",
        "annotated sources are printed; --output writes to a file",
    ),
];

/// The command with these options, which its help leaves out.
pub(super) fn with_unsupported(command: Command) -> Command {
    let option = |name: &'static str, letter| {
        let option = Arg::new(name).long(name).short(letter).hide(true);
        option.num_args(0..=1).action(ArgAction::Append)
    };
    let options = UNSUPPORTED
        .iter()
        .map(|&(letter, name, _)| option(name, letter));
    command.args(options)
}

/// Refuses them.
///
/// # Errors
/// Why the first of them is not offered.
pub(super) fn check(matches: &ArgMatches) -> Result<(), clap::Error> {
    let given = UNSUPPORTED
        .iter()
        .find(|(_, name, _)| matches.contains_id(name));
    given.map_or(Ok(()), |(letter, name, why)| {
        let text = format!("-{letter}, --{name} is not offered: {why}\n");
        Err(clap::Error::raw(ErrorKind::ArgumentConflict, text))
    })
}
