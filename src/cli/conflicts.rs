//! Which options of the report fit together, as two tables: what excludes or requires what, and which options have a use in which
//! formats.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, ValueEnum};

use crate::cli::output::FormatArgument::{
    self, Callgrind, Csv, Dot, Flamegraph, Folded, Html, Json, Markdown, Pprof, Text,
};

/// What the command line says.
struct Given<'m>(&'m ArgMatches);

impl Given<'_> {
    /// Whether one of these options is on the command line.
    fn has(&self, options: &[&str]) -> bool {
        let is_given =
            |option: &&str| self.0.value_source(option) == Some(ValueSource::CommandLine);
        options.iter().any(is_given)
    }

    fn is_yes(&self, option: &str) -> bool {
        self.0.get_one(option) == Some(&true)
    }

    fn is_value(&self, option: &str, value: &str) -> bool {
        let mut values = self.0.get_raw(option).into_iter().flatten();
        values.next_back().is_some_and(|given| given == value)
    }

    /// Whether rows are one of these, as --group-by names them.
    fn rows(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.is_value("group_by", name))
    }

    fn format(&self) -> FormatArgument {
        let format = self.0.get_one::<FormatArgument>("format");
        format.copied().unwrap_or(Text)
    }

    fn has_tree(&self) -> bool {
        !self.is_value("tree", "none")
    }

    fn has_buckets(&self) -> bool {
        self.has(&["bucket", "buckets"])
    }
}

type When = fn(&Given<'_>) -> bool;

/// What a message names, and whether the command line has it.
type Choice = (&'static str, When);

const ASM: Choice = ("--asm", |given| given.has(&["asm"]));
const BUCKETS: Choice = ("--bucket", |given| given.has_buckets());
const CALLS: Choice = ("--calls", |given| given.has(&["calls"]));
const CHARGED: Choice = ("--charge-to-callers", |given| {
    given.has(&["charge_to_callers", "mine"])
});
const CODE: Choice = ("--asm, --counts or --jumps", |given| {
    given.has(&["asm", "counts", "jumps"])
});
const DIFF: Choice = ("--diff", |given| given.has(&["diff"]));
const INCLUSIVE: Choice = ("--inclusive", |given| given.is_yes("inclusive"));
const INSTRUCTIONS: Choice = ("--group-by=instruction", |given| {
    given.rows(&["instruction"])
});
const LINES: Choice = ("--group-by=line", |given| given.rows(&["line"]));
const PARTS: Choice = ("--group-by=part", |given| given.rows(&["part"]));
const THREADS: Choice = ("--group-by=thread", |given| given.rows(&["thread"]));
const NESTED: Choice = ("--nested", |given| given.is_yes("nested"));
const SCALED: Choice = ("--per or --normalize", |given| {
    given.has(&["per", "normalize"])
});
const TREE: Choice = ("--tree", |given| given.has_tree());

/// Whether only some rows are requested.
const IS_FILTERED: When = |given| given.has(&["function", "source_file", "object", "mine"]);

/// What lines, threads and parts have no use for.
const NOT_OF_FINER_ROWS: &[Choice] = &[
    TREE,
    CALLS,
    ASM,
    ("--format=dot", |given| given.format() == Dot),
    ("--format=folded", |given| given.format() == Folded),
    ("--format=flamegraph", |given| given.format() == Flamegraph),
    ("--format=pprof", |given| given.format() == Pprof),
];

enum Rule {
    Excludes(&'static [Choice]),
    Requires(Choice),
}
use Rule::{Excludes, Requires};

/// What cannot be combined with each choice, or has to be there too.
const RULES: &[(Choice, Rule)] = &[
    (
        BUCKETS,
        Excludes(&[("another --group-by", |given| {
            !given.rows(&["file:function", "bucket"])
        })]),
    ),
    (
        ("--group-by=bucket", |given| given.rows(&["bucket"])),
        Requires(("--bucket or --buckets", |given| given.has_buckets())),
    ),
    (
        NESTED,
        Excludes(&[
            LINES,
            INSTRUCTIONS,
            // JSON has both beside each other.
            ("--tree", |given| given.has_tree() && given.format() != Json),
            ("--inclusive: it shows self costs", |given| {
                given.is_yes("inclusive") && given.format() != Json
            }),
        ]),
    ),
    (
        ("--depth", |given| given.has(&["depth"])),
        Requires(("--group-by=file:function or function", |given| {
            let rows = ["file:function", "function", "inlined", "instruction"];
            given.rows(&rows) && !given.has_buckets()
        })),
    ),
    (LINES, Excludes(NOT_OF_FINER_ROWS)),
    (THREADS, Excludes(NOT_OF_FINER_ROWS)),
    (PARTS, Excludes(NOT_OF_FINER_ROWS)),
    (
        ("--group-by=thread --inclusive", |given| {
            THREADS.1(given) && INCLUSIVE.1(given)
        }),
        Excludes(&[("filters (try --thread=N)", IS_FILTERED)]),
    ),
    (
        ("--group-by=part --inclusive", |given| {
            PARTS.1(given) && INCLUSIVE.1(given)
        }),
        Excludes(&[("filters (try --part=N)", IS_FILTERED)]),
    ),
    (
        INSTRUCTIONS,
        Requires(("--format=text, csv or json", |given| {
            [Text, Csv, Json].contains(&given.format())
        })),
    ),
    (
        INSTRUCTIONS,
        Excludes(&[CODE, INCLUSIVE, TREE, CALLS, SCALED, DIFF, CHARGED]),
    ),
    (
        ASM,
        Excludes(&[
            ("--group-by", |given| {
                given.has_buckets() || !given.rows(&["file:function"])
            }),
            SCALED,
            DIFF,
        ]),
    ),
    (CHARGED, Excludes(&[CODE])),
    (
        ("--layout=classic", |given| {
            given.is_value("layout", "classic")
        }),
        Excludes(&[
            ("--columns", |given| given.has(&["columns"])),
            ("--width", |given| given.has(&["width"])),
        ]),
    ),
];

type Formats = &'static [FormatArgument];

const LISTS: Formats = &[Json, Csv, Markdown];
const PAGES: Formats = &[Html];
const CODES: Formats = &[Json, Dot];
const WITH_CYCLES: Formats = &[Json, Csv, Markdown, Html, Dot];
const WITHOUT_STACKS_OF_ONE: Formats = &[Json, Csv, Markdown, Html, Folded, Flamegraph, Dot];
const ALL_BUT_PAGES: Formats = &[Json, Csv, Markdown, Folded, Flamegraph, Dot, Pprof];
const WITHOUT_PROFILE: Formats = &[Json, Csv, Markdown, Html, Folded, Flamegraph, Dot, Pprof];

const FORMATS: Formats = &[
    Json, Csv, Markdown, Html, Folded, Flamegraph, Dot, Pprof, Callgrind,
];

const ALWAYS: When = |_| true;

/// Objects are looked for where sources are.
const INLINES: When = |given| given.has(&["inlines"]);

/// Whether sources are read: lines are rows, or nested in them, or aligned by their text.
fn has_sources(given: &Given<'_>) -> bool {
    let is_aligned = given.format() == Json && given.has(&["diff"]);
    given.rows(&["line"]) || given.has(&["nested"]) || is_aligned
}

/// The options that have a use in some formats only, apart from the text; which they are, and when. In another format an option
/// would change nothing, and is refused.
const ALLOWED: &[(&str, Formats, When)] = &[
    ("diff", WITHOUT_STACKS_OF_ONE, ALWAYS),
    ("sort", WITHOUT_PROFILE, ALWAYS),
    ("threshold", LISTS, ALWAYS),
    ("threshold", PAGES, ALWAYS),
    ("calls", LISTS, ALWAYS),
    ("columns", &[Csv, Markdown], ALWAYS),
    ("inclusive", LISTS, ALWAYS),
    ("inclusive", PAGES, ALWAYS),
    ("top", WITHOUT_PROFILE, ALWAYS),
    ("min", WITHOUT_PROFILE, ALWAYS),
    ("group_by", ALL_BUT_PAGES, ALWAYS),
    ("tree", &[Json, Csv], ALWAYS),
    ("nested", &[Json, Markdown], ALWAYS),
    ("cycles", WITH_CYCLES, ALWAYS),
    ("demangle", WITHOUT_PROFILE, ALWAYS),
    // Its names are written as they are, which may be said.
    ("demangle", &[Callgrind], |given| !given.is_yes("demangle")),
    ("per", WITH_CYCLES, ALWAYS),
    ("names", &[Csv, Markdown, Dot], ALWAYS),
    ("show_percs", LISTS, ALWAYS),
    ("width", &[], ALWAYS),
    ("verbose", &[], ALWAYS),
    ("asm_source", &[], ALWAYS),
    ("header", &[], ALWAYS),
    ("depth", &[Json, Csv], ALWAYS),
    ("asm", CODES, ALWAYS),
    ("asm_threshold", CODES, ALWAYS),
    ("asm_raw", CODES, ALWAYS),
    ("objdump", CODES, ALWAYS),
    ("context", CODES, ASM.1),
    ("context", PAGES, ALWAYS),
    ("include", CODES, ASM.1),
    ("include", LISTS, has_sources),
    ("include", PAGES, ALWAYS),
    ("include", FORMATS, INLINES),
    ("source_map", CODES, ASM.1),
    ("source_map", FORMATS, INLINES),
    ("source_map", LISTS, has_sources),
    ("source_map", PAGES, ALWAYS),
    ("counts", &[Json], ALWAYS),
    ("jumps", &[Json], ALWAYS),
];

/// Refuses options that contradict each other, or would change nothing in the report.
///
/// # Errors
/// What cannot be combined, in words.
pub(super) fn check(matches: &ArgMatches, command: &Command) -> Result<(), String> {
    let given = Given(matches);
    for ((name, _), rule) in RULES.iter().filter(|((_, is_given), _)| is_given(&given)) {
        match rule {
            Requires((other, is_given)) if !is_given(&given) => {
                return Err(format!("{name} requires {other}"));
            }
            Requires(_) => {}
            Excludes(others) => {
                if let Some((other, _)) = others.iter().find(|(_, is_given)| is_given(&given)) {
                    return Err(format!("{name} cannot be combined with {other}"));
                }
            }
        }
    }
    let format = given.format();
    let Some(value) = format.to_possible_value().filter(|_| format != Text) else {
        return Ok(());
    };
    let is_allowed = |option: &str| {
        let mut allowed = ALLOWED.iter().filter(|(of, ..)| *of == option);
        allowed.any(|(_, formats, when)| formats.contains(&format) && when(&given))
    };
    let refused = ALLOWED.iter().map(|(option, ..)| *option);
    let mut refused = refused.filter(|option| given.has(&[*option]) && !is_allowed(option));
    refused.next().map_or(Ok(()), |option| {
        let (option, format) = (as_written(option, command), value.get_name());
        Err(format!(
            "{option} cannot be combined with --format={format}"
        ))
    })
}

/// An option as it is written on the command line.
fn as_written(option: &str, command: &Command) -> String {
    let known = command
        .get_arguments()
        .find(|known| known.get_id() == option);
    let long = known.and_then(|known| known.get_long());
    format!("--{}", long.unwrap_or(option))
}
