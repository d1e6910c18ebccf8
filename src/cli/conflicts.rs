//! The conflicts among options of the report: exclusions, requirements, and options without effect
//! in a format.

use clap::Command;

use crate::cli::asm::{AnnotationArguments, AsmArguments};
use crate::cli::diff::DiffArguments;
use crate::cli::filters::FilterArguments;
use crate::cli::list::{Grouping, ListArguments, has_tree};
use crate::cli::output::FormatArguments;
use crate::cli::spec::{Given, OptionSpec};
use crate::render::{Contents, FORMATS, Feature, Format, Measure};
use crate::view::RowBy;

/// What a command line may have.
struct Condition {
    /// Its name in messages.
    name: ConditionName,
    holds: fn(&Given<'_>) -> bool,
}

#[derive(Clone, Copy)]
enum ConditionName {
    Option(&'static str),
    /// That of the format.
    Format,
}

const fn condition(name: &'static str, holds: fn(&Given<'_>) -> bool) -> Condition {
    Condition { name: ConditionName::Option(name), holds }
}

/// Each of the conditions excludes the others, or requires one of them.
struct Conflict {
    conditions: &'static [Condition],
    excludes: bool,
    others: &'static [Condition],
    /// What may be tried instead, if there is something.
    instead: Option<&'static str>,
}

const fn excludes(conditions: &'static [Condition], others: &'static [Condition]) -> Conflict {
    Conflict { conditions, excludes: true, others, instead: None }
}

const fn requires(conditions: &'static [Condition], other: &'static [Condition; 1]) -> Conflict {
    Conflict { conditions, excludes: false, others: other, instead: None }
}

impl Conflict {
    const fn instead(mut self, option: &'static str) -> Conflict {
        self.instead = Some(option);
        self
    }
}

const CONFLICTS: [Conflict; 15] = [
    excludes(
        &[condition("--bucket", |given| given.has(ListArguments::bucket()))],
        &[condition("another --group-by", |given| !is_by(given, &[RowBy::Function]))],
    ),
    excludes(
        &[condition("--nested", |given| given.has(ListArguments::nested()))],
        &[
            BY_LINE,
            BY_INSTRUCTION,
            condition("--tree", |given| has_tree(given) && !given.format.has_details),
            condition("--inclusive: it shows self costs", |given| {
                given.has(ListArguments::inclusive()) && !given.format.has_details
            }),
        ],
    ),
    excludes(
        &[condition("--group-by=line --tree", |given| {
            is_by(given, &[RowBy::Line]) && has_tree(given)
        })],
        &[condition(
            "--depth: it has the lines of direct calls; -f CALLER has the next ones",
            |given| given.has(ListArguments::depth()),
        )],
    ),
    requires(
        &[condition("--depth", |given| given.has(ListArguments::depth()))],
        &[condition("--group-by=file:function or function", |given| {
            let are_functions = is_by(given, &[RowBy::Function, RowBy::FileFunction])
                || is_by(given, &[RowBy::Instruction])
                || given.value(ListArguments::group_by()) == Some(Grouping::Inlined);
            are_functions && !given.has(ListArguments::bucket())
        })],
    ),
    excludes(&[BY_THREAD], &NOT_OF_PARTS).instead("--thread=N for each thread"),
    excludes(&[BY_PART], &NOT_OF_PARTS).instead("--part=N for each part"),
    excludes(&[BY_PROCESS], &NOT_OF_PARTS).instead("one file"),
    excludes(&[BY_LINE], &[ASM, STACKS_OR_GRAPH]),
    excludes(
        &[condition("--group-by=line --tree", |given| {
            is_by(given, &[RowBy::Line]) && has_tree(given)
        })],
        &[condition("--diff", |given| given.has(DiffArguments::diff()))],
    ),
    requires(
        &[condition("--format=json --counts", |given| {
            let is_list = given.format.is_for_programs() && !given.has(AsmArguments::asm());
            let has_executions = given.format.has(Feature::Executions);
            is_list && has_executions && given.has(AsmArguments::counts())
        })],
        &[condition("--group-by=file:function, whose rows have lines", |given| {
            is_by(given, &[RowBy::FileFunction])
        })],
    ),
    requires(
        &[BY_INSTRUCTION],
        &[condition("--format=text, csv, tsv or json", |given| {
            given.format.has(Feature::InstructionRows)
        })],
    ),
    excludes(
        &[BY_INSTRUCTION],
        &[
            ASM_OR_COUNTS,
            condition("--inclusive", |given| given.has(ListArguments::inclusive())),
            TREE,
            CALLS,
            PER,
            condition("--diff", |given| given.has(DiffArguments::diff())),
            CHARGED,
        ],
    ),
    excludes(
        &[ASM],
        &[
            condition("--group-by", |given| {
                let is_other = !is_by(given, &[RowBy::Function, RowBy::FileFunction]);
                is_other || given.has(ListArguments::bucket())
            }),
            PER,
            condition("--diff (which compares lines: -g line, or a source)", |given| {
                given.has(DiffArguments::diff())
            }),
        ],
    ),
    excludes(&[CHARGED, MINE], &[ASM_OR_COUNTS]),
    excludes(
        &[condition("--series", |given| given.has(DiffArguments::series()))],
        &[
            TREE,
            condition("--nested", |given| given.has(ListArguments::nested())),
            ASM_OR_COUNTS,
            condition("--auto", |given| given.has(AnnotationArguments::auto())),
            condition("--editor: the page of a series has no sources", |given| {
                given.has(FormatArguments::editor())
            }),
            BY_LINE,
            BY_INSTRUCTION,
            PER,
            condition("--columns=cumulative", |given| {
                let mut columns = given
                    .matches
                    .try_get_many::<Measure>("columns")
                    .ok()
                    .flatten()
                    .into_iter()
                    .flatten();
                columns.any(|column| *column == Measure::Cumulative)
            }),
            condition("--calls or --columns in a list for people", |given| {
                let has_columns = given.has(ListArguments::columns());
                given.format.is_for_people && (given.has(ListArguments::calls()) || has_columns)
            }),
        ],
    ),
];

/// What threads, parts and processes do not have: nobody calls them, and functions of several are
/// one in the graph of calls.
const NOT_OF_PARTS: [Condition; 5] = [
    TREE,
    CALLS,
    ASM,
    STACKS_OR_GRAPH,
    condition("--inclusive and filters", |given| {
        given.has(ListArguments::inclusive()) && has_filters(given)
    }),
];

const BY_LINE: Condition = condition("--group-by=line", |given| is_by(given, &[RowBy::Line]));
const BY_THREAD: Condition = condition("--group-by=thread", |given| is_by(given, &[RowBy::Thread]));
const BY_PART: Condition = condition("--group-by=part", |given| is_by(given, &[RowBy::Part]));
const BY_PROCESS: Condition =
    condition("--group-by=process", |given| is_by(given, &[RowBy::Process]));
const BY_INSTRUCTION: Condition =
    condition("--group-by=instruction", |given| is_by(given, &[RowBy::Instruction]));
const TREE: Condition = condition("--tree", has_tree);
const CALLS: Condition = condition("--calls", |given| given.has(ListArguments::calls()));
const PER: Condition = condition("--per", |given| given.has(ListArguments::per()));
const ASM: Condition = condition("--asm", |given| given.has(AsmArguments::asm()));
const ASM_OR_COUNTS: Condition = condition("--asm or --counts", |given| {
    given.has(AsmArguments::asm()) || given.has(AsmArguments::counts())
});
const CHARGED: Condition =
    condition("--charge-to-callers", |given| given.has(FilterArguments::charge_to_callers()));
const MINE: Condition = condition("--mine", |given| given.has(FilterArguments::mine()));

const STACKS_OR_GRAPH: Condition = Condition {
    name: ConditionName::Format,
    holds: |given| matches!(given.format.content, Contents::Stacks | Contents::Graph),
};

/// Whether rows are of one of these kinds.
fn is_by(given: &Given<'_>, kinds: &[RowBy]) -> bool {
    let is_kind = |by| matches!(by, Grouping::By(row_by) if kinds.contains(&row_by));
    given.value(ListArguments::group_by()).is_some_and(is_kind)
}

pub(super) fn has_filters(given: &Given<'_>) -> bool {
    given.has(FilterArguments::function())
        || given.has(FilterArguments::source_file())
        || given.has(FilterArguments::object())
        || given.has(FilterArguments::mine())
}

/// Refuses options that contradict each other or would have no effect. `specs` are those of all
/// options.
pub(super) fn check(
    given: &Given<'_>,
    mut specs: impl Iterator<Item = &'static OptionSpec>,
    command: &Command,
) -> Result<(), String> {
    for Conflict { conditions, excludes, others, instead } in &CONFLICTS {
        for condition in conditions.iter().filter(|condition| (condition.holds)(given)) {
            let mut others = others.iter();
            if let Some(other) = others.find(|other| (other.holds)(given) == *excludes) {
                let cannot = if *excludes { "cannot be combined with" } else { "requires" };
                let (name, other) = (named(condition, given), named(other, given));
                let tip = instead.map_or_else(String::new, |instead| format!(" (try {instead})"));
                return Err(format!("{name} {cannot} {other}{tip}"));
            }
        }
    }
    let is_refused =
        |spec: &&OptionSpec| super::is_given(given.matches, spec.id) && !spec.has_effect(given);
    let Some(spec) = specs.find(is_refused) else {
        return Ok(());
    };
    let why = spec.feature.map_or("", |feature| given.format.reason(feature));
    let colon = if why.is_empty() { "" } else { ": " };
    let (option, format) = (as_written(spec.id, command), given.format.name());
    let others = formats_with(spec, &option, given);
    Err(format!("{option} cannot be combined with --format={format}{colon}{why}{others}"))
}

/// The first formats in which an option has an effect, in brackets.
fn formats_with(spec: &OptionSpec, option: &str, given: &Given<'_>) -> String {
    let has_effect = |format: Format| spec.has_effect(&Given { format, ..*given });
    let formats = FORMATS.iter().map(|(_, format)| *format).filter(|&format| has_effect(format));
    let names: Vec<&str> = formats.map(Format::name).collect();
    match &names[..] {
        [] => String::new(),
        [only] => format!(" ({option} is for --format={only})"),
        [first, second] => format!(" ({option} is for --format={first} or {second})"),
        [first, second, third] => {
            format!(" ({option} is for --format={first}, {second} or {third})")
        }
        [first, second, ..] => format!(" ({option} is for --format={first}, {second} and others)"),
    }
}

fn named(condition: &Condition, given: &Given<'_>) -> String {
    match condition.name {
        ConditionName::Option(name) => name.to_owned(),
        ConditionName::Format => format!("--format={}", given.format.name()),
    }
}

pub(super) fn as_written(option: &str, command: &Command) -> String {
    let known = command.get_arguments().find(|known| known.get_id() == option);
    let long = known.and_then(|known| known.get_long());
    format!("--{}", long.unwrap_or(option))
}
