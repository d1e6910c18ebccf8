//! Which options of the report fit together: what excludes or requires what, and which have a use in the format.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

use crate::render::{FORMATS, Format};

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

    fn format(&self) -> Format {
        let format = self.0.get_one("format");
        format.copied().unwrap_or(FORMATS[0].1)
    }

    fn is_format(&self, names: &[&str]) -> bool {
        names.contains(&self.format().name())
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
    ("--format=dot", |given| given.is_format(&["dot"])),
    ("--format=folded", |given| given.is_format(&["folded"])),
    ("--format=flamegraph", |given| {
        given.is_format(&["flamegraph"])
    }),
    ("--format=pprof", |given| given.is_format(&["pprof"])),
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
            ("--tree", |given| {
                given.has_tree() && !given.is_format(&["json"])
            }),
            ("--inclusive: it shows self costs", |given| {
                given.is_yes("inclusive") && !given.is_format(&["json"])
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
            given.is_format(&["text", "csv", "json"])
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
            (
                "--diff (which compares lines: -g line, or a source)",
                DIFF.1,
            ),
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

/// The options that have a use in some formats only, apart from the text. In another format an option would change nothing, and
/// is refused.
const OF_SOME_FORMATS: &str = "diff sort threshold calls columns inclusive top min group_by tree nested cycles demangle per names \
    show_percs width verbose asm_source header depth asm asm_threshold asm_raw objdump context include source_map counts jumps";

/// Whether sources are read: lines are rows, or nested in them, or aligned by their text.
fn has_sources(given: &Given<'_>) -> bool {
    let is_aligned = given.is_format(&["json"]) && given.has(&["diff"]);
    given.rows(&["line"]) || given.has(&["nested"]) || is_aligned
}

/// Whether an option has a use in a format.
fn is_allowed(option: &str, format: Format, given: &Given<'_>) -> bool {
    let has = |option| format.has_option(option);
    let has_code = || has("asm") && given.has(&["asm"]);
    has(option)
        || match option {
            // Its names are written as they are, which may be said.
            "demangle" => format.name() == "callgrind" && !given.is_yes("demangle"),
            "context" => has_code(),
            // Objects are looked for where sources are.
            "include" | "source_map" if given.has(&["inlines"]) => true,
            "include" | "source_map" => has_code() || has("show_percs") && has_sources(given),
            _ => false,
        }
}

/// Refuses options that contradict each other, or would change nothing in the report.
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
    let is_refused = |option: &&str| given.has(&[*option]) && !is_allowed(option, format, &given);
    let mut options = OF_SOME_FORMATS
        .split(' ')
        .filter(|_| !given.is_format(&["text"]));
    options.find(is_refused).map_or(Ok(()), |option| {
        let (option, format) = (as_written(option, command), format.name());
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
