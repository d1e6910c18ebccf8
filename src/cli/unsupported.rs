//! Options of gprof and of valgrind, which the report does not have. Also spellings from other
//! programs, which are replaced before clap parses them.

use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};

/// Improves an error of clap. For an unknown option it is `text`, which gets the option and its
/// word; otherwise the advice to pass it as a value and the usage are removed.
pub(crate) fn explained(
    mut error: Error,
    words: &[OsString],
    text: impl Fn(&str, &str) -> Option<String>,
) -> Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    if let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) {
        let is_its = |word: &&str| match option.strip_prefix("--") {
            Some(_) => word.split('=').next() == Some(option),
            None => !word.starts_with("--") && word.starts_with('-') && word.contains(&option[1..]),
        };
        let mut words = words.iter().skip(1).filter_map(|word| word.to_str());
        if let Some(text) = text(option, words.find(is_its).unwrap_or(option)) {
            return Error::raw(ErrorKind::UnknownArgument, text + "\n");
        }
    }
    // An option that begins otherwise is another one.
    let is_far = match (error.get(ContextKind::InvalidArg), error.get(ContextKind::SuggestedArg)) {
        (Some(ContextValue::String(given)), Some(ContextValue::String(similar))) => {
            given.bytes().zip(similar.bytes()).take_while(|(a, b)| a == b).count() < SAME_START
        }
        _ => false,
    };
    if is_far {
        error.remove(ContextKind::SuggestedArg);
    }
    error.remove(ContextKind::Suggested);
    error.remove(ContextKind::Usage);
    error
}

/// A similar option has at least this beginning of a given one: its dashes and a letter.
const SAME_START: usize = "--a".len();

/// Whether a command has an option, written as on the command line.
pub(crate) fn has_option(command: &Command, option: &str) -> bool {
    find_option(command, option).is_some()
}

/// A command's option, written as on the command line.
pub(super) fn find_option<'c>(command: &'c Command, option: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|own| {
        let long = own.get_long().map(|long| format!("--{long}"));
        let short = own.get_short().map(|short| format!("-{short}"));
        [long, short].iter().flatten().any(|own| own == option)
    })
}

/// Whether an option is one of valgrind for recording a profile.
#[cfg(test)]
pub(crate) fn is_of_valgrind(option: &str) -> bool {
    VALGRIND_OPTIONS.iter().any(|(known, _)| *known == option)
}

/// Options of earlier versions, each with what there is in its place.
const REMOVED: [(&str, &str); 8] = [
    ("--layout", "--format=text or --format=classic chooses the list"),
    ("--buckets", "--bucket=@FILE reads buckets from a file"),
    ("--executable", "the program is given as a file"),
    ("--diff-executable", "the program of BASE is given with --diff=PROGRAM"),
    ("--normalize", "--per=calls:FUNCTION divides each side by its own number of calls"),
    ("--jumps", "--counts shows jumps beside executions"),
    ("--asm-source", "--asm always shows source lines between the instructions"),
    ("--asm-raw", "objdump -d shows the bytes of instructions"),
];

/// The message for an option of earlier versions.
pub(crate) fn removed(option: &str) -> Option<String> {
    let (_, instead) = REMOVED.iter().find(|(known, _)| *known == option)?;
    Some(format!("{option} is no longer an option: {instead}"))
}

/// The message for an unknown option of the report that is one of valgrind or gprof, with the
/// probable intent.
pub(crate) fn in_page(is_of_gprof: fn(&str) -> bool, option: &str, word: &str) -> Option<String> {
    if let Some(text) = removed(option) {
        return Some(text);
    }
    if option == "--cache" {
        let text = "is an option for recording a profile: cgannotate record --cache ./program";
        return Some(format!("{option} {text}"));
    }
    let of_valgrind = VALGRIND_OPTIONS.iter().find(|(known, _)| *known == option);
    if let Some((_, here)) = of_valgrind {
        let semicolon = if here.is_empty() { "" } else { "; " };
        let text = "is an option of valgrind, for recording a profile";
        return Some(format!("{option} {text}{semicolon}{here}"));
    }
    if !is_of_gprof(option) {
        return None;
    }
    // The option of the report that corresponds to it.
    let here = match option {
        "-v" => "'--version', or ",
        "-w" => "'--width', or ",
        "-q" => "'--header=no', or ",
        _ => "",
    };
    let meant = format!("{here}'cgannotate gprof {word}'");
    Some(format!("{option} is an option of gprof: did you mean {meant}?"))
}

/// Words that mean the same.
type Words = &'static [&'static str];

/// Spellings from other programs, and the words in their place. A value after `=` is appended to
/// the last of these.
#[rustfmt::skip]
const SPELLINGS: [(Words, Words); 61] = [
    (&["--json"], &["--format=json"]),
    (&["--csv"], &["--format=csv"]),
    (&["--tsv"], &["--format=tsv"]),
    (&["--text"], &["--format=text"]),
    (&["--markdown", "--md"], &["--format=markdown"]),
    (&["--html"], &["--format=html"]),
    (&["--dot"], &["--format=dot"]),
    (&["--svg", "--flamegraph", "--format=svg", "--format=flame"], &["--format=flamegraph"]),
    (&["--format=table", "--format=txt"], &["--format=text"]),
    (&["--total", "--totals", "--summary"], &["--format=text", "--top=0", "--lines=no"]),
    (&["--folded", "--collapsed"], &["--format=folded"]),
    (&["--export-json="], &["--format=json", "--output="]),
    (&["--export-csv="], &["--format=csv", "--output="]),
    (&["--export-markdown="], &["--format=markdown", "--output="]),
    (&["--by=", "--group=", "--granularity="], &["--group-by="]),
    (&["--lines"], &["--group-by=line"]),
    (&["--functions"], &["--group-by=function"]),
    (&["--files"], &["--group-by=file"]),
    (&["--filefunctions"], &["--group-by=file:function"]),
    (&["--addresses"], &["--group-by=instruction"]),
    (&["--threads"], &["--group-by=thread"]),
    (&["--quiet"], &["--format=text", "--header=no"]),
    (&["--recursion"], &["--fold=recursion"]),
    (&["--list-events"], &["--show=?"]),
    (&["-help"], &["--help"]),
    (&["--loops"], &["--counts"]),
    (&["--disasm=", "--disassemble=", "-disasm="], &["--asm="]),
    (&["--callers", "--call-graph"], &["--tree=callers"]),
    (&["--callees"], &["--tree=callees"]),
    (&["--callers="], &["--tree=callers", "--function="]),
    (&["--callees="], &["--tree=callees", "--function="]),
    (&["--call-graph="], &["--tree="]),
    (&["--children", "--cum", "-cum", "--sort=cum"], &["--inclusive"]),
    (&["--sort=dso"], &["--group-by=object"]),
    (&["--sort=sym", "--sort=symbol"], &["--group-by=function"]),
    (&["--sort=srcline"], &["--group-by=line"]),
    (&["--group-by=caller", "--group-by=callers"], &["--tree=callers"]),
    (&["--group-by=callee", "--group-by=callees"], &["--tree=callees"]),
    (&["--group-by=thread,function"], &["--group-by=thread", "--nested"]),
    (&["--group-by=object,function"], &["--group-by=object", "--nested"]),
    (&["--group-by=file,function"], &["--group-by=file", "--nested"]),
    (&["--no-children", "--flat"], &["--inclusive=no"]),
    (&["--percent-limit="], &["--min="]),
    (&["--nodecount=", "-nodecount=", "--head="], &["--top="]),
    (&["--stdio"], &["--pager=no"]),
    (&["-top", "-text"], &["--format=text"]),
    (&["--peek=", "-peek="], &["--tree=both", "--function="]),
    (&["--list=", "-list="], &["--auto", "--function="]),
    (&["--symbol=", "--symbols=", "--symbol-filter=", "--filter=", "--focus=", "-focus="], &["--function="]),
    (&["--max-depth=", "--levels="], &["--depth="]),
    (&["--only=", "--search=", "--grep="], &["--function="]),
    (&["--from=", "--root="], &["--below="]),
    (&["--percent", "--percentages"], &["--show-percs=yes"]),
    (&["--rename="], &["--mod-funcname="]),
    (&["--ignore=", "-ignore=", "--hide=", "-hide=", "--exclude="], &["--function=!"]),
    (&["--dso=", "--dsos="], &["--object="]),
    (&["--tid="], &["--thread="]),
    (&["--source_path=", "-source_path="], &["--include="]),
    (&["--base=", "-base=", "--diff_base=", "-diff_base=", "--compare=", "--baseline="], &["--diff="]),
    (&["--no-color"], &["--color=never"]),
    (&["--colour="], &["--color="]),
];

/// Options whose values other programs have too, which may be in the next word.
const VALUED: [(&str, &str); 8] = [
    ("--exclude", "--exclude="),
    ("--hide", "--hide="),
    ("--ignore", "--ignore="),
    ("-g", "--group-by="),
    ("--group-by", "--group-by="),
    ("--format", "--format="),
    ("-s", "--sort="),
    ("--sort", "--sort="),
];

/// Columns by their headings in text, Markdown, CSV and `--columns`, in lower case, and what sorts
/// by them.
const SORT_COLUMNS: [(Words, Words); 7] = [
    (&["self", "cumulative"], &["--inclusive=no"]),
    (&["incl.", "incl", "inclusive"], &["--inclusive"]),
    (&["calls"], &["--sort=calls"]),
    (&["recursive", "recursive_calls"], &["--sort=recursive"]),
    (
        &["incl./call", "incl/call", "inclusive/call", "incl./calls", "incl/calls"],
        &["--inclusive", "--calls", "--sort=per-call"],
    ),
    (&["self/call", "self/calls"], &["--inclusive=no", "--calls", "--sort=per-call"]),
    (&["per-call", "per_call", "/call", "/calls", "each"], &["--calls", "--sort=per-call"]),
];

/// `--sort` by a column that is no event: its heading alone, or after the name of the event that it
/// is of. Further events follow.
fn sort_by_column(text: &str) -> Option<Vec<OsString>> {
    let (first, others) = match text.strip_prefix("--sort=")?.split_once(',') {
        Some((first, others)) => (first, Some(others)),
        None => (text.strip_prefix("--sort=")?, None),
    };
    let of = |heading: &str| {
        let heading = heading.to_ascii_lowercase();
        let known = SORT_COLUMNS.iter().find(|(names, _)| names.contains(&&*heading))?;
        Some(known.1)
    };
    let split = || {
        let at = first.find([' ', '.', '/'])?;
        let heading = first[at..].trim_start_matches([' ', '.']);
        Some((Some(&first[..at]), of(heading)?))
    };
    let (event, options) = of(first).map(|options| (None, options)).or_else(split)?;
    let (sort, options): (Vec<&str>, Vec<&str>) =
        options.iter().partition(|option| option.starts_with("--sort="));
    let column = sort.first().and_then(|sort| sort.strip_prefix("--sort="));
    let keys: Vec<&str> = column.into_iter().chain(event).chain(others).collect();
    let sort = (!keys.is_empty()).then(|| format!("--sort={}", keys.join(",")));
    Some(options.into_iter().map(OsString::from).chain(sort.map(OsString::from)).collect())
}

/// The replacement of a word, if it is such a spelling. A value may be in the next word.
fn spelling(text: &str) -> Option<Vec<OsString>> {
    let own = |word: &str| {
        let known = SPELLINGS.iter().find(|(others, _)| others.contains(&word))?;
        Some(known.1)
    };
    let is_given = text.contains('=');
    let name = text.split('=').next().unwrap_or_default();
    let with_value = || own(&format!("{name}="));
    let takes_value = |own: &Words| own.last().is_some_and(|last| last.ends_with('='));
    let (own, value) = match own(text) {
        Some(own) => (own, None),
        None if is_given => (with_value()?, Some(&text[name.len() + 1..])),
        None => (with_value().filter(takes_value)?, None),
    };
    let mut words: Vec<OsString> = own.iter().map(OsString::from).collect();
    let last = words.last_mut()?;
    match (value, own.last()) {
        (Some(value), _) => last.push(value),
        // The value is the next word.
        (None, Some(word)) if !is_given => *last = word.trim_end_matches('=').into(),
        (None, _) => {}
    }
    Some(words)
}

/// `--no-X` as `--X=no`, if X is a yes/no option.
fn negated(command: &Command, text: &str) -> Option<Vec<OsString>> {
    let name = text.strip_prefix("--no-")?;
    let is_name = |known: &&Arg| {
        let aliases = known.get_all_aliases().unwrap_or_default();
        known.get_long() == Some(name) || aliases.contains(&name)
    };
    let known = command.get_arguments().find(is_name)?;
    let mut values = known.get_value_names()?.iter();
    let is_yes_no = values.any(|value| value.as_str() == "yes|no");
    is_yes_no.then(|| vec![format!("--{name}=no").into()])
}

/// Replaces a subcommand of other profilers that is the first word, unless there is a file of its
/// name.
fn replace_subcommand(words: &mut Vec<OsString>) {
    let is_file = |word: &OsString| Path::new(word).exists();
    let name = words.get(1).filter(|word| !is_file(word));
    let name = name.and_then(|name| name.to_str()).unwrap_or_default();
    match name {
        "help" if words.len() == 2 => words[1] = "--help".into(),
        "diff" if words.len() > 2 => words[1] = "--diff".into(),
        "report" | "annotate" => {
            let is_report = name == "report";
            let mut all = std::mem::take(words).into_iter().peekable();
            words.extend(all.next());
            all.next();
            if !is_report {
                words.push("--auto".into());
            }
            while let Some(word) = all.next() {
                // The word behind an option may be its value.
                let is_option = |last: &OsString| last.as_encoded_bytes().starts_with(b"-");
                let may_name =
                    !is_report && (words.len() == 2 || !words.last().is_some_and(is_option));
                match word.to_str() {
                    // perf's file of data.
                    Some("-i" | "--input") if all.peek().is_some_and(is_file) => {}
                    Some("-G") => words.push("--tree=callers".into()),
                    Some("-S") => words.push("--function".into()),
                    Some(text) if may_name && !text.starts_with('-') && !is_file(&word) => {
                        words.push(format!("--function={text}").into());
                    }
                    _ => words.push(word),
                }
            }
        }
        _ => {}
    }
}

/// `-3` as `--top=3`, as `head` has it.
fn number_of_rows(text: &str) -> Option<Vec<OsString>> {
    let digits = text.strip_prefix('-')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| vec![format!("--top={digits}").into()])
}

/// `--tree` without its value as that of both directions.
fn tree_without_value(text: &str, next: Option<&OsString>) -> Option<Vec<OsString>> {
    let is_value = |next: &OsString| !next.as_encoded_bytes().starts_with(b"-");
    (text == "--tree" && !next.is_some_and(is_value)).then(|| vec!["--tree=both".into()])
}

/// Replaces the spellings of other programs, and `--no-OPTION`.
pub(crate) fn respelled(command: &Command, mut words: Vec<OsString>) -> Vec<OsString> {
    replace_subcommand(&mut words);
    let (mut all, mut is_option) = (Vec::new(), true);
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        is_option &= word != "--";
        let text = word.to_str().filter(|_| is_option).unwrap_or_default();
        let with_next = words.peek().and_then(|next| {
            let (_, long) = VALUED.iter().find(|(short, _)| *short == text)?;
            let with_value = format!("{long}{}", next.to_str()?);
            spelling(&with_value).or_else(|| sort_by_column(&with_value))
        });
        if with_next.is_some() {
            words.next();
        }
        let other = with_next
            .or_else(|| spelling(text))
            .or_else(|| sort_by_column(text))
            .or_else(|| tree_without_value(text, words.peek()))
            .or_else(|| number_of_rows(text))
            .or_else(|| negated(command, text));
        all.extend(other.unwrap_or_else(|| vec![word]));
    }
    all
}

/// The options of valgrind that people try here, and what takes their place, if anything does.
const VALGRIND_OPTIONS: [(&str, &str); 15] = [
    ("--separate-recs", "here --fold=recursion merges levels of recursion"),
    ("--separate-callers", "here --fold=callers merges contexts"),
    ("--separate-threads", "here --thread=N selects threads"),
    ("--dump-instr", "here --asm shows instructions"),
    ("--collect-jumps", "here --counts shows jumps"),
    ("--cache-sim", ""),
    ("--branch-sim", ""),
    ("--collect-systime", ""),
    ("--cacheuse", ""),
    ("--collect-bus", ""),
    ("--toggle-collect", ""),
    ("--tool", ""),
    ("--callgrind-out-file", ""),
    ("--trace-children", ""),
    ("--LL", ""),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Measure;

    #[test]
    fn spellings_of_other_programs() {
        let table: [(&[&str], &[&str]); 14] = [
            (&["-3", "p.out"], &["--top=3", "p.out"]),
            (&["--tree", "-f", "work"], &["--tree=both", "-f", "work"]),
            (&["p.out", "--tree"], &["p.out", "--tree=both"]),
            (&["--tree", "callers"], &["--tree", "callers"]),
            (&["--format", "svg"], &["--format=flamegraph"]),
            (&["--only", "work"], &["--function", "work"]),
            (&["--total"], &["--format=text", "--top=0", "--lines=no"]),
            (&["--", "-3"], &["--", "-3"]),
            (&["-s", "incl."], &["--inclusive"]),
            (&["--sort=Dr incl."], &["--inclusive", "--sort=Dr"]),
            (&["--sort=Ir.inclusive,Dr"], &["--inclusive", "--sort=Ir,Dr"]),
            (&["-s", "incl./call"], &["--inclusive", "--calls", "--sort=per-call"]),
            (&["-s", "D1mr/call"], &["--calls", "--sort=per-call,D1mr"]),
            (&["--sort=D1mr/Dr"], &["--sort=D1mr/Dr"]),
        ];
        let command = Command::new("cgannotate");
        for (given, expected) in table {
            let words = |texts: &[&str]| -> Vec<OsString> {
                ["cgannotate"].iter().chain(texts).map(OsString::from).collect()
            };
            assert_eq!(respelled(&command, words(given)), words(expected), "{given:?}");
        }
    }

    #[test]
    fn every_heading_sorts() {
        for heading in Measure::headings().filter(|heading| !heading.is_empty()) {
            for column in [heading.to_owned(), format!("Ir{heading}"), format!("Ir {heading}")] {
                let of_event = column.starts_with("Ir") && !heading.starts_with(['.', '/', ' ']);
                if of_event && !column.contains(' ') {
                    continue;
                }
                assert!(sort_by_column(&format!("--sort={column}")).is_some(), "{column:?}");
            }
        }
    }
}
