//! The parts of help and man pages that belong to no option: examples, patterns, exit status,
//! files, environment.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command, Error, ValueHint};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::unsupported;

/// A section: a title and paragraphs, each with an optional `TERM | ` at its start.
pub(crate) type Section = (&'static str, &'static [&'static str]);

/// Splits a paragraph into its term, which may be empty, and its text.
fn parts(paragraph: &'static str) -> (&'static str, &'static str) {
    paragraph.split_once(" | ").unwrap_or(("", paragraph))
}

/// The texts of a command's help and man page, apart from its options.
pub(crate) struct Texts {
    /// The name of its man page.
    pub(crate) name: &'static str,
    pub(crate) synopsis: &'static [&'static str],
    pub(crate) before: &'static str,
    /// Example commands and their purposes: `COMMAND | WHAT`.
    pub(crate) examples: &'static [&'static str],
    /// What the columns of a report are: a line near the end of the short help.
    pub(crate) columns: &'static str,
    /// The last sections of the long help and the man page.
    pub(crate) sections: &'static [Section],
    pub(crate) man_sections: &'static [Section],
    pub(crate) see_also: &'static str,
}

pub(crate) const PATTERNS: Section = (
    "Patterns",
    &[
        "GLOB | matches a whole name: * is any text, ? one character, [a-z] one of these characters, \
             {malloc,free} one of these texts. A backslash makes the next character literal. Braces \
             without a comma, as in {closure#0}, and [] are literal.",
        "/REGEX/ | is a regular expression that matches anywhere in a whole name.",
        "Files and objects | match by their paths; a GLOB without a slash also matches the last part of a path.",
        "Functions | match by their name as in the profile or demangled. A GLOB also matches the bare name: without \
             return type, template arguments, parameters, [clone ...] and recursion level ('2), so that quick \
             matches void quick<int>(int*), as quick<int> does. It matches the end of the bare name too, from a :: on: next \
             matches <Tokens as Iterator>::next, and Parser::value json::Parser::value. strlen matches \
             glibc's variants for processors too, such as __strlen_avx2.",
    ],
);

const EVENTS: Section = (
    "Events",
    &[
        "Ir | Instructions executed.",
        "Dr, Dw | Memory reads and writes. Recorded by --cache-sim=yes, as the misses are.",
        "I1mr, D1mr, D1mw | Misses of the first-level caches: instructions, data read, data written.",
        "ILmr, DLmr, DLmw | Misses of the last-level cache, which go to memory: likewise.",
        "Bc, Bcm, Bi, Bim | Conditional branches and mispredicted ones, indirect branches and mispredicted ones. Recorded by --branch-sim=yes.",
        "Ge | Bus events, which are locked instructions. Recorded by --collect-bus=yes.",
        "AcCost1, SpLoss1, AcCost2, SpLoss2 | Lines of the first and the last cache that were replaced: 1,000 by the number of accesses, \
             and bytes that were never accessed. Recorded by --cacheuse=yes.",
        "sysCount, sysTime, sysCpuTime | System calls, the time and the CPU time spent in them. Recorded by --collect-systime=nsec.",
        "L1m, LLm, Bm, CEst | Sums of these, computed by --show: misses of the first level and of the last, mispredicted branches, and an \
             estimate of cycles.",
    ],
);

/// The members of `--format=json`.
const JSON: Section = (
    "JSON",
    &[
        "--format=json writes one object. Within a version members keep their meaning; new ones may be added. Numbers \
             are exact signed 64-bit integers. A cost is an array with one number per event, in the order of events; null: \
             no line has this count. Names are those of the profile, whatever the current directory. \
             A name that is not valid UTF-8 is an object with two strings: hex, its bytes, and text. \
             The sources have a JSON schema, testdata/cgannotate.schema.json.",
        "format, version, program | \"cgannotate\", 3, and the program that wrote it with its version.",
        "events | The events shown: name, recorded (false for derived events), long_name where the profile has one.",
        "order, order_by | The events by which rows are sorted, and whether by their self or inclusive costs.",
        "parts | The files' headers: file, creator, command, pid, part, thread, descriptions, total (a cost), calculated (true \
             if no file stated a total).",
        "total, totals, calculated | The program's total, as a cost and by the names of events; for --diff the change.",
        "base, new, unchanged | For --diff: files, total and totals of each side, and rows without a change (rows, self), which are left out; base is \
             null otherwise.",
        "scale | For --per: what the recorded counts of each side (new, base) were multiplied by.",
        "ratios | Events that are ratios, or have decimals (--event): name and total, a number; rows have them as self and inclusive.",
        "kept | With --below and --without what each of them kept, one after the other: option, patterns, of (the total before), total, exact (the self \
             costs that are not divided by what callers paid), with --diff the same of base.",
        "lines | With --lines=yes your most expensive lines, as the first screen has them: file, line, text (or null), function, \
             inclusive, executions (executions_estimated if it is an estimate), calls, recursive, divided (as of rows), unknown_lines, most_called, most_cost, leading (the lines left out for it: file, line, text, inclusive, estimated), and notes, the words below a line. \
             lines_heading says whose lines they are, or why there are none; lines_notes what else is said of them.",
        "misses, system_calls, record | With --lines=yes the lines with most misses (event, count, at, text), the system calls (count, \
             at_least, function, of_function, from, text) or nothing if there are few, and the command that records the lines of \
             inlined code, with record_reason, if these are missing.",
        "cycles | Call cycles: number, inclusive, rows (the ids of their members).",
        "rest | Rows not in the list, as rows and self: more (cut off by a limit), chosen (all that match the filters, null \
             without filters), not_chosen (filtered out); of_no_row, a cost, is what totals of files have and no row has.",
        "rows | The list, one row per line, by default a function with all its code: id, file, function (demangled), symbol (as in the profile), short (the short name), \
             object (or null), cycle (a number or null), mark (for --diff \"new\", \"gone\" or null), called (by_others and by_itself), self, inclusive, \
             inclusive_range (the least and the most of each event if inclusive is estimated, else null), with --below or --without divided (whether the self cost or what was paid for it is an estimate, divided by what callers paid), lines, calls; with --show-percs self_percent and inclusive_percent, of the total (for --diff of base); with --columns columns, the numbers that CSV has in these columns by their names. With --group-by, group \
             replaces function, symbol and cycle, file and object are null if there are several, files and objects their \
             numbers. Lines and the lines of calls are those of --group-by=file:function, where a row has the code of one source \
             file; in other lists there are no lines. With --group-by=line: file, line, source (or null); a row without a known \
             line is a function. With --group-by=instruction: object, address, file, line, function and text (or null).",
        "lines of a row | line (0 if unknown), self; with --counts executed (with executed_estimated if it is an estimate), if the profile has addresses, and jumps, if it has any: file, line, conditional, taken, executed, also of lines without cost.",
        "nested of a row | With --nested what self is made of, from the most expensive: file, self, lines (line, self) and calls (line, id, count, inclusive) of a function, or \
             file, function, object, self of the functions of a group. For --diff only what changed.",
        "calls of a row | line, and of the callee id, file and function; count and inclusive, as recorded.",
        "callers of a row | With --tree=caller or both: file, function, count, inclusive; with --group-by=line one for each line of calls, with line.",
        "tree of a row | With --tree and --depth, callers and callees over several levels: the lines of each tree with their level (0 \
             directly below the row, each below the last line of a level less), functions (id, file and function; several \
             if each has a single caller), and their part of count and inclusive, with inclusive_range if it is estimated; complete is false if rows are missing.",
        "base_line | For --diff in lines, nested lines and calls: the number of the line in BASE, null if it does not have it; line is that in NEW, \
             null if it was removed. Without BASE's text lines of the same number are the same.",
        "base and new | For --diff in rows, lines, nested, calls and callers: self, inclusive and calls of each side, in addition to the change; \
             null is what a side does not have.",
        "sides | For --series: the profiles in the order given, each with name, files, total, totals, ratios (if any) and damaged. In rows self, inclusive \
             and calls on each profile, in cycles inclusive; total, self and inclusive beside them are the largest minus the smallest.",
        "steps of a row | For --series for each event the profile at which the cost changed most (name), the change and its percent; null if nothing changed.",
        "functions | With --asm: object, file, function, symbol, self, code and instructions of each function.",
        "code of a function | Its object: state (found, missing, changed, unknown, unreadable), path (or null), and how many of the recorded \
             addresses are matching instructions.",
        "instructions of a function | address (hexadecimal), file and line (or null), self, executed (null without Ir), skipped (Ir of code that was not profiled by itself), text (or null), jumps (to, conditional, taken, executed), \
             calls (to, object, file, function, count, inclusive).",
        "CSV | --format=csv has a line of names, then one line per row: what the row is (file, function, object and cycle; with \
             --group-by=line file, line, function and source, with --group-by=instruction object, address, file, line, function and instruction; of other groups their name, file and object with their \
             numbers; with --tree level and direction of the callers and callees below a row, with --group-by=line also line), mark with --diff; for each event EVENT (self) and EVENT.inclusive, each followed by .percent with \
             --show-percs; calls and recursive_calls. With --diff each of these numbers is X.base, X.new and X, the change; with --series X.NAME for each profile and X.step, the profile at \
             which it changed most (X.percent says by how much). \
             Names are those of the profile. --inclusive changes the order and adds cycles. An empty value is undefined. \
             A spreadsheet may take a name that begins with =, +, - or @ for a formula: import the columns of names as text.",
    ],
);

pub(crate) const STATUS: &str = "0 | The report was written.";
pub(crate) const STATUS_1: &str =
    "1 | A file cannot be read or written, or a profile lacks what was requested.";
pub(crate) const STATUS_2: &str = "2 | The command line is wrong.";

pub(crate) const PROFILES: &str = "callgrind.out*, cachegrind.out* | If no profile is given, the newest run among these in the current directory is read, with all its parts and threads \
     (.PID, .PID.PART, .PID-THREAD).";

pub(crate) const NO_COLOR: &str =
    "NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM | Whether colour is used if --color=auto.";

pub(crate) const PAGER: &str = "CGANNOTATE_PAGER, PAGER | The command through which reports on a terminal are read, else less -RFX. Empty or cat: none, as if CI is set or \
     TERM is dumb.";

pub(crate) const PAGE: Texts = Texts {
    name: "cgannotate",
    synopsis: &[
        "[OPTIONS] [PROFILE]... [SOURCE]...",
        "--diff=BASE [OPTIONS] PROFILE...",
        "--series [OPTIONS] [NAME=]PROFILE...",
        "gprof [OPTIONS] [PROFILE]...",
        "record [OPTIONS] [--] PROGRAM [ARGS]...",
    ],
    before: "Record a profile and print it (with options of valgrind, not of reports):\n  \
        cgannotate record ./program                with valgrind --tool=callgrind\n  \
        ... --cache ./program                      cache misses, mispredicted branches\n\n",
    examples: &[
        "cgannotate | where the newest run spent its time",
        "cgannotate -i -n 20 FILE | by cost with everything they call",
        "cgannotate FILE src/parser.c | one source file, line by line",
        "cgannotate --tree=callers -f malloc FILE | who calls malloc, up to my own code",
        "cgannotate --below=parse FILE | what a function costs, and where",
        "cgannotate -c -f get FILE | number of calls, cost per call",
        "cgannotate --diff=BASE NEW | what changed between two runs",
        "cgannotate --diff=BASE --fail-above=1 NEW | in CI: fail if over 1% was added",
        "cgannotate --series v1.out v2.out v3.out | which version made it slower",
        "cgannotate --format=text FILE | in a pipe without options: the list",
        "cgannotate --format=json FILE | .rows[].self[0], .called.by_others",
        "cgannotate gprof ./program gmon.out | gprof's pages, and its options",
    ],
    columns: "Ir: instructions; self: own code; incl.: with all it calls; calls: others+itself\n",
    sections: &[
        EVENTS,
        PATTERNS,
        (
            "Exit status",
            &[
                STATUS,
                STATUS_1,
                STATUS_2,
                "3 | A limit (--fail-above) failed; the report was written.",
            ],
        ),
        ("Files", &[PROFILES]),
        (
            "Environment",
            &[
                NO_COLOR,
                PAGER,
                "OBJDUMP | The disassembler of --asm.",
                "SYSROOT | A folder below which --asm looks for programs and libraries.",
            ],
        ),
    ],
    man_sections: &[JSON],
    see_also: "cgannotate-gprof(1), cgannotate-record(1), valgrind(1), callgrind_annotate(1), ms_print(1)",
};

pub(crate) const RECORD: Texts = Texts {
    name: "cgannotate-record",
    synopsis: &["[OPTIONS] [--] PROGRAM [ARGS]..."],
    before: "",
    examples: &[
        "cgannotate record ./program input.txt | where its instructions are",
        "cgannotate record --cache ./program | with cache misses and mispredicted branches",
        "cgannotate record --toggle-collect=main ./program | without what comes before main",
        "cgannotate record --trace-children=yes make | a profile of each process",
        "cgannotate | the newest profile again",
    ],
    columns: "",
    sections: &[
        (
            "Exit status",
            &[
                "0 to 124 | That of the program. 128 + N: signal N ended it.",
                "125 | No profile was recorded, or it cannot be printed: valgrind is missing, the command line is wrong.",
                "126 | The program cannot be executed.",
                "127 | The program is not found.",
            ],
        ),
        (
            "Files",
            &[
                "callgrind.out.PID | The profile, in the current directory. --callgrind-out-file=FILE gives it another name.",
            ],
        ),
        (
            "Environment",
            &["VALGRIND_OPTS | Options of valgrind; those of this program come after them."],
        ),
    ],
    man_sections: &[],
    see_also: "cgannotate(1), valgrind(1)",
};

impl Texts {
    /// Adds the examples and, to the long help, the sections.
    pub(crate) fn add_to(&self, command: Command) -> Command {
        let examples = || self.examples.iter().map(|example| parts(example));
        let width = examples().map(|(command, _)| command.len()).max().unwrap_or(0);
        let example = |(command, what)| format!("  {command:width$}  {what}\n");
        let examples: String = examples().map(example).collect();
        let sections: Vec<String> = self.sections.iter().map(in_help).collect();
        let template =
            "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";
        // Shells complete values as file names only if an option says so.
        let command = command.mut_args(|arg| {
            let is_free = arg.get_action().takes_values() && arg.get_possible_values().is_empty();
            if is_free && arg.get_value_hint() == ValueHint::Unknown {
                arg.value_hint(ValueHint::Other)
            } else {
                arg
            }
        });
        command
            .help_template(template)
            .before_help(format!("{}Examples:\n{}", self.before, examples.trim_end()))
            .after_help(format!(
                "{}D1mr, DLmr: read misses (L1, memory); Bcm: mispredicted. All options: --help",
                self.columns
            ))
            .after_long_help(sections.join("\n"))
            .max_term_width(100)
    }

    pub(crate) fn write_man(&self, command: Command, out: &mut Vec<u8>) -> std::io::Result<()> {
        let words = self.name.replace('-', " ");
        // clap_mangen omits a description that is neither in the short help nor a long one.
        let command =
            command.mut_args(|arg| match (arg.get_long_help(), arg.get_help().cloned()) {
                (None, Some(help)) => arg.long_help(help),
                _ => arg,
            });
        let man = Man::new(command.name(self.name).display_name(self.name));
        man.render_title(out)?;
        man.render_name_section(out)?;
        let mut roff = Roff::new();
        roff.control("SH", ["SYNOPSIS"]);
        for usage in self.synopsis {
            roff.text([roman(format!("{words} {usage}"))]);
            roff.control("br", []);
        }
        roff.to_writer(out)?;
        man.render_description_section(out)?;
        man.render_options_section(out)?;
        let mut roff = Roff::new();
        roff.control("SH", ["EXAMPLES"]);
        add_terms(&mut roff, self.examples);
        for (title, terms) in self.sections.iter().chain(self.man_sections) {
            roff.control("SH", [title.to_uppercase().as_str()]);
            add_terms(&mut roff, terms);
        }
        roff.control("SH", ["SEE ALSO"]);
        roff.text([roman(self.see_also)]);
        roff.to_writer(out)
    }
}

/// Adds the options that every command has.
pub(crate) fn with_flags(command: Command) -> Command {
    let flag = |name: &'static str, letter, action| {
        let arg = Arg::new(name).long(name).short(letter).action(action);
        arg.hide_short_help(true).help(format!("Print {name}"))
    };
    command
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(flag("help", 'h', ArgAction::Help))
        .arg(flag("version", 'V', ArgAction::Version))
}

/// The error for a command line. For a request for help, the command with all texts, which are only
/// made for this. `unknown` returns the message for an unknown option and its word.
pub(crate) fn explained(
    error: Error,
    command: fn() -> Command,
    words: &[OsString],
    unknown: impl Fn(&str, &str) -> Option<String>,
) -> Error {
    match error.kind() {
        ErrorKind::DisplayHelp => {
            let help = command().try_get_matches_from(words);
            help.err().unwrap_or(error)
        }
        _ => unsupported::explained(error, words, unknown),
    }
}

fn add_terms(roff: &mut Roff, paragraphs: &[&'static str]) {
    for (term, text) in paragraphs.iter().map(|text| parts(text)) {
        if term.is_empty() {
            roff.control("PP", []);
        } else {
            roff.control("TP", []);
            roff.text([roman(term)]);
        }
        roff.text([roman(text)]);
    }
}

/// A section of the long help: a short term is on one line with its text, as in the man page.
fn in_help((title, paragraphs): &Section) -> String {
    let mut text = format!("{title}:\n");
    for (term, paragraph) in paragraphs.iter().map(|text| parts(text)) {
        text.push_str(&match (term.len(), paragraph.len()) {
            (0, _) => format!("  {paragraph}\n"),
            (..8, ..80) => format!("  {term:8}{paragraph}\n"),
            _ => format!("  {term}\n          {paragraph}\n"),
        });
    }
    text
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::cli::{page, record};

    /// The options that a word of a help text names: letters and long ones, without values.
    fn option(word: &str) -> Option<&str> {
        let word = word.trim_start_matches(['(', '[', '`', '\'', '"']);
        let name = word.trim_start_matches("--");
        let end = name.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(name.len());
        let is_letter = |word: &str| {
            let word = word.trim_end_matches([',', '.', ':', ';', ')', ']']);
            word.len() == 2 && word.starts_with('-') && word.as_bytes()[1].is_ascii_alphabetic()
        };
        if name.len() < word.len() && end > 0 {
            Some(&word[..word.len() - name.len() + end])
        } else {
            is_letter(word).then(|| &word[..2])
        }
    }

    #[test]
    fn help_names_only_options_that_the_command_has() {
        check(page::command(), &PAGE);
        check(record::command(), &RECORD);
    }

    /// Checks that the help texts of a command name only options that it has.
    pub(crate) fn check(command: Command, texts: &Texts) {
        let of_option = |arg: &Arg| {
            let texts = [arg.get_help(), arg.get_long_help()];
            texts.into_iter().flatten().map(ToString::to_string).collect::<Vec<_>>()
        };
        let mut all: Vec<String> = command.get_arguments().flat_map(of_option).collect();
        let sections = texts.sections.iter().chain(texts.man_sections);
        all.extend(sections.flat_map(|(_, terms)| terms.iter().map(|term| term.to_string())));
        all.extend(texts.examples.iter().map(|example| example.to_string()));
        for text in all {
            for option in text.split([' ', '/', '|', '\n']).filter_map(option) {
                let is_of_valgrind = unsupported::is_of_valgrind(option);
                let is_known = unsupported::has_option(&command, option) || is_of_valgrind;
                assert!(is_known, "{}: {option} in: {text}", texts.name);
            }
        }
    }
}
