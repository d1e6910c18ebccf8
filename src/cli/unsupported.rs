//! Options that one of the two commands does not have: gprof's outside its command, the report's inside it, and those of
//! gprof that are not supported at all; and spellings that people bring from other programs, rewritten to our own before clap
//! sees them.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command, Error};

use crate::cli::is_given;
use crate::options::GprofView;

/// What those of gprof's options are called here that the report has too.
const ALSO_HERE: [(&str, &str); 3] = [
    ("-v", "--version"),
    ("-w", "--width"),
    ("-q", "--header=no"),
];

/// The words that are options, with their names: `-pq` gives `-p` and `-q`, until one takes a value.
fn options<'w>(
    command: &'w Command,
    words: &'w [OsString],
) -> impl Iterator<Item = (String, &'w str)> {
    let words = words.iter().skip(1).take_while(|word| *word != "--");
    let words = words.filter_map(|word| word.to_str());
    words.flat_map(move |word| {
        let names = match word.strip_prefix("--") {
            Some(name) => vec![format!("--{}", name.split('=').next().unwrap_or(name))],
            None => letters(command, word),
        };
        names.into_iter().map(move |name| (name, word))
    })
}

/// The options of a bundle such as `-pq`, up to one that takes a value.
fn letters(command: &Command, word: &str) -> Vec<String> {
    let mut options = Vec::new();
    for letter in word.strip_prefix('-').unwrap_or("").chars() {
        options.push(format!("-{letter}"));
        let mut known = command.get_arguments();
        let known = known.find(|known| known.get_short() == Some(letter));
        if letter == '=' || known.is_some_and(|known| known.get_action().takes_values()) {
            break;
        }
    }
    options
}

/// Refuses the first option on the command line that there is a `text` for, which says why; it gets the option and its word.
fn refuse(
    (command, words): (&Command, &[OsString]),
    kind: ErrorKind,
    text: impl Fn(&str, &str) -> Option<String>,
) -> Result<(), Error> {
    let mut refused = options(command, words).filter_map(|(option, word)| text(&option, word));
    refused
        .next()
        .map_or(Ok(()), |text| Err(Error::raw(kind, text + "\n")))
}

/// Whether a command has an option, which is given as on the command line.
fn has_option(command: &Command, option: &str) -> bool {
    command.get_arguments().any(|own| {
        let long = own.get_long().map(|long| format!("--{long}"));
        let short = own.get_short().map(|short| format!("-{short}"));
        [long, short].iter().flatten().any(|own| own == option)
    })
}

/// Refuses options of gprof's command in that for the report: with what was probably meant.
pub(super) fn check_page(
    command: &Command,
    gprof: fn() -> Command,
    words: &[OsString],
) -> Result<(), Error> {
    let is_own = |option: &str| match option.strip_prefix("--no-") {
        Some(name) if has_option(command, &format!("--{name}")) => true,
        _ => has_option(command, option),
    };
    let is_gprofs = |option: &str| has_option(&gprof(), option) || unsupported(option).is_some();
    refuse(
        (command, words),
        ErrorKind::UnknownArgument,
        |option, word| {
            if is_own(option) || !is_gprofs(option) {
                return None;
            }
            let here = ALSO_HERE.iter().find(|(gprofs, _)| *gprofs == option);
            let here = here.map_or_else(String::new, |(_, here)| format!("'{here}', or "));
            let meant = format!("{here}'cgannotate gprof {word}'");
            Some(format!(
                "{option} is an option of gprof: did you mean {meant}?"
            ))
        },
    )
}

/// The report's options that cannot be used in gprof's views.
const OF_REPORT: &str = "--header --context --tree --inclusive --show-percs --group-by --calls --diff --fail-above \
    --auto --cycles --format --inlines";

/// Refuses the report's options in gprof's command, and gprof's own that are not supported.
pub(super) fn check_gprof(command: &Command, words: &[OsString]) -> Result<(), Error> {
    refuse(
        (command, words),
        ErrorKind::ArgumentConflict,
        |option, _| {
            if let Some((names, why)) = unsupported(option) {
                return Some(format!("{names} is not supported: {why}"));
            }
            let mut of_report = OF_REPORT.split_whitespace();
            let known = of_report.find(|known| *known == option)?;
            let why = match known {
                "--inlines" => ": how often inlined functions were called is not known",
                _ => "",
            };
            Some(format!(
                "{known} cannot be combined with gprof reports{why}"
            ))
        },
    )
}

/// Refuses options of annotated sources in gprof's other views.
pub(super) fn check_views(matches: &ArgMatches, views: &[GprofView]) -> Result<(), String> {
    if views.contains(&GprofView::Sources) {
        return Ok(());
    }
    let of_sources = ["threshold", "top", "min"];
    let mut of_sources = of_sources.iter();
    let given = of_sources.find(|option| is_given(matches, option));
    given.map_or(Ok(()), |option| {
        Err(format!(
            "--{option} cannot be combined with gprof reports other than -A"
        ))
    })
}

/// The options of gprof that are not supported, and why not: `NAMES: WHY`.
const UNSUPPORTED: [&str; 4] = [
    "-c, --static-call-graph: it finds few calls in machine code, none that are indirect or through the PLT; -z lists \
        functions that never ran",
    "-d, --debug: it is for debugging gprof itself",
    "-R, --file-ordering: it orders object files, for linkers that cannot order functions; -r orders functions",
    "-T, --traditional: it selects the layout of BSD's gprof; this is GNU gprof's",
];

/// The names of an option of gprof that is not supported, and why not.
fn unsupported(option: &str) -> Option<(&'static str, &'static str)> {
    let mut known = UNSUPPORTED.iter().filter_map(|text| text.split_once(": "));
    known.find(|(names, _)| names.split(", ").any(|name| name == option))
}

/// Other names of options.
const ALIASES: [(&str, &str); 1] = [("annotate", "auto")];

/// What people write first, and what it is here. With `=` a value follows, which is that of the last option.
const SPELLINGS: &str = "\
--json: --format=json
--csv: --format=csv
--tsv: --format=tsv
--text: --format=text
--markdown --md: --format=markdown
--html: --format=html
--dot: --format=dot
--svg --flamegraph: --format=flamegraph
--folded --collapsed: --format=folded
--export-json=: --format=json --output=
--export-csv=: --format=csv --output=
--export-markdown=: --format=markdown --output=
--by= --group= --granularity=: --group-by=
--lines: --group-by=line
--functions: --group-by=function
--files: --group-by=file
--filefunctions: --group-by=file:function
--addresses: --group-by=instruction
--threads: --group-by=thread
--quiet: --layout=columns --header=no
--recursion: --fold=recursion
--list-events: --show=?
-help: --help
--loops: --jumps
--disasm= --disassemble= -disasm=: --asm=
--callers --call-graph: --tree=callers
--callees: --tree=callees
--callers=: --tree=callers --function=
--callees=: --tree=callees --function=
--children --cum -cum --sort=inclusive --sort=cum: --inclusive
--no-children --flat --sort=self: --inclusive=no
--percent-limit=: --min=
--nodecount= -nodecount=: --top=
--stdio: --pager=no
-top -text: --layout=columns
--peek= -peek=: --tree=both --function=
--list= -list=: --auto --function=
--symbol= --symbols= --focus= -focus=: --function=
--ignore= -ignore= --hide= -hide= --exclude=: --function=!
--dso= --dsos=: --object=
--tid=: --thread=
--source_path= -source_path=: --include=
--base= -base= --diff_base= -diff_base=: --diff=
--no-color: --color=never
--colour=: --color=";

/// What a word is in our own, if it is such a spelling. A value may be the next word.
fn spelling(text: &str) -> Option<Vec<OsString>> {
    let own = |word: &str| {
        let mut lines = SPELLINGS.lines().filter_map(|line| line.split_once(": "));
        let line = lines.find(|(others, _)| others.split(' ').any(|other| other == word))?;
        Some(line.1)
    };
    let is_given = text.contains('=');
    let name = text.split('=').next().unwrap_or_default();
    let with_value = || own(&format!("{name}=")).filter(|own| is_given || own.ends_with('='));
    let (own, value) = match own(text) {
        Some(own) => (own.to_owned(), ""),
        None if is_given => (with_value()?.to_owned(), &text[name.len() + 1..]),
        None => (with_value()?.trim_end_matches('=').to_owned(), ""),
    };
    let mut words: Vec<OsString> = own.split(' ').map(OsString::from).collect();
    words.last_mut()?.push(value);
    Some(words)
}

/// The words with such spellings in our own. Functions below groups (`thread,function`) are what is nested in these.
pub(super) fn respelled(words: Vec<OsString>) -> Vec<OsString> {
    let mut is_option = true;
    let own = |word: OsString| {
        is_option &= word != "--";
        let text = word.to_str().filter(|_| is_option).unwrap_or_default();
        spelling(text).unwrap_or_else(|| vec![word])
    };
    let mut is_value = false;
    let nested = |word: OsString| {
        let is_grouping = is_value || word.as_encoded_bytes().starts_with(b"--group-by=");
        is_value = word == "-g" || word == "--group-by";
        let outer = word
            .to_str()
            .and_then(|text| text.strip_suffix(",function"));
        match outer.filter(|_| is_grouping) {
            Some(outer) => vec![outer.into(), "--nested".into()],
            None => vec![word],
        }
    };
    words.into_iter().flat_map(own).flat_map(nested).collect()
}

/// The options of valgrind that people look for here, some with what is here in their place.
const OF_VALGRIND: [&str; 12] = [
    "--separate-recs; here --fold=recursion merges levels of recursion",
    "--separate-callers; here --fold=callers merges contexts",
    "--separate-threads; here --thread=N selects threads",
    "--dump-instr; here --asm shows instructions",
    "--collect-jumps; here --jumps shows jumps",
    "--cache-sim",
    "--branch-sim",
    "--collect-systime",
    "--collect-bus",
    "--toggle-collect",
    "--tool",
    "--callgrind-out-file",
];

/// Refuses options of valgrind, with what they are.
pub(super) fn check_valgrind(command: &Command, words: &[OsString]) -> Result<(), Error> {
    refuse((command, words), ErrorKind::UnknownArgument, |option, _| {
        let mut known = OF_VALGRIND
            .iter()
            .filter_map(|text| text.strip_prefix(option));
        let here = known.find(|here| here.is_empty() || here.starts_with(';'))?;
        Some(format!(
            "{option} is an option of valgrind, for recording a profile{here}"
        ))
    })
}

/// The words with `--no-X` as `--X=no`, and with our own names of options.
pub(super) fn normalise(command: &Command, words: Vec<OsString>) -> Vec<OsString> {
    let mut is_option = true;
    let mut normal = |word: OsString| {
        is_option &= word != "--";
        let long = word.to_str().filter(|_| is_option)?.strip_prefix("--")?;
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        let (name, value) = match name.strip_prefix("no-") {
            Some(name) if value.is_none() => (name, Some("no")),
            _ => (name, value),
        };
        let alias = ALIASES.iter().find(|(other, _)| *other == name);
        let name = alias.map_or(name, |(_, own)| own);
        if value == Some("no") && !is_yes_no(command, name) {
            return None;
        }
        Some(match value {
            Some(value) => format!("--{name}={value}").into(),
            None => format!("--{name}").into(),
        })
    };
    let is_help = words.len() == 2 && words[1] == "help" && !std::path::Path::new("help").exists();
    if is_help {
        return vec![words[0].clone(), "--help".into()];
    }
    words
        .into_iter()
        .map(|word| normal(word.clone()).unwrap_or(word))
        .collect()
}

/// Whether an option can be turned on and off.
fn is_yes_no(command: &Command, name: &str) -> bool {
    let mut known = command.get_arguments();
    let known = known.find(|known| known.get_long() == Some(name));
    let names = known.and_then(|known| known.get_value_names());
    names.is_some_and(|names| names.iter().any(|name| name.as_str() == "yes|no"))
}

/// Values that people look for, and what has what they mean.
const VALUES: [(&str, &str); 3] = [
    (
        "loop",
        "--jumps shows loops at their lines, --asm --jumps at their instructions",
    ),
    (
        "templates",
        "-g template shows all instances of a template as one row",
    ),
    (
        "total",
        "--format=json has the total: cgannotate --format=json PROFILE | jq '.total[0]'",
    ),
];

/// The error for a value that is known by another name.
pub(super) fn known_value(error: Error) -> Error {
    let value = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(value)) if error.kind() == ErrorKind::InvalidValue => value,
        _ => return error,
    };
    let known = VALUES.iter().find(|(known, _)| known == value);
    known.map_or(error, |(value, here)| {
        Error::raw(
            ErrorKind::InvalidValue,
            format!("invalid value '{value}': {here}\n"),
        )
    })
}

/// An error of clap without the advice to pass an unknown option as a value, and without a usage that names whatever is on the
/// command line.
pub(super) fn without_value_tip(mut error: Error) -> Error {
    if error.kind() == ErrorKind::UnknownArgument {
        error.remove(ContextKind::Suggested);
        error.remove(ContextKind::Usage);
    }
    error
}
