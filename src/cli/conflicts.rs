//! The conflicts among options of the report: exclusions, requirements, and options without effect in a format.

use clap::Command;

use crate::cli::asm::AsmArguments;
use crate::cli::diff::DiffArguments;
use crate::cli::filters::FilterArguments;
use crate::cli::list::{Grouping, ListArguments};
use crate::cli::spec::{Given, OptionSpec};
use crate::render::{Content, Feature};
use crate::view::RowBy;

/// A choice that a command line may have made.
struct Choice {
    /// Its name in messages.
    name: Name,
    is_made: fn(&Given<'_>) -> bool,
}

#[derive(Clone, Copy)]
enum Name {
    Option(&'static str),
    /// That of the format.
    Format,
}

const fn choice(name: &'static str, is_made: fn(&Given<'_>) -> bool) -> Choice {
    Choice { name: Name::Option(name), is_made }
}

/// Each of the choices excludes the others, or requires one of them.
struct Rule {
    choices: &'static [Choice],
    excludes: bool,
    others: &'static [Choice],
}

const fn excludes(choices: &'static [Choice], others: &'static [Choice]) -> Rule {
    Rule { choices, excludes: true, others }
}

const fn requires(choices: &'static [Choice], other: &'static [Choice; 1]) -> Rule {
    Rule { choices, excludes: false, others: other }
}

const RULES: [Rule; 11] = [
    excludes(
        &[choice("--bucket", |given| given.has(ListArguments::bucket()))],
        &[choice("another --group-by", |given| !is_by(given, &[RowBy::Function]))],
    ),
    excludes(
        &[choice("--nested", |given| given.has(ListArguments::nested()))],
        &[
            BY_LINE,
            BY_INSTRUCTION,
            choice("--tree", |given| has_tree(given) && !given.format.has_details),
            choice("--inclusive: it shows self costs", |given| {
                given.has(ListArguments::inclusive()) && !given.format.has_details
            }),
        ],
    ),
    requires(
        &[choice("--depth", |given| given.has(ListArguments::depth()))],
        &[choice("--group-by=file:function or function", |given| {
            let are_functions = is_by(given, &[RowBy::Function, RowBy::FileFunction])
                || is_by(given, &[RowBy::Instruction])
                || given.value(ListArguments::group_by()) == Some(Grouping::Inlined);
            are_functions && !given.has(ListArguments::bucket())
        })],
    ),
    excludes(
        &[BY_LINE, BY_THREAD, BY_PART],
        &[
            TREE,
            CALLS,
            ASM,
            Choice {
                name: Name::Format,
                is_made: |given| matches!(given.format.content, Content::Stacks | Content::Graph),
            },
        ],
    ),
    excludes(
        &[choice("--group-by=thread --inclusive", |given| {
            is_by(given, &[RowBy::Thread]) && given.has(ListArguments::inclusive())
        })],
        &[choice("filters (try --thread=N)", has_filters)],
    ),
    excludes(
        &[choice("--group-by=part --inclusive", |given| {
            is_by(given, &[RowBy::Part]) && given.has(ListArguments::inclusive())
        })],
        &[choice("filters (try --part=N)", has_filters)],
    ),
    requires(
        &[choice("--format=json --counts", |given| {
            let is_list = given.format.is_for_programs() && !given.has(AsmArguments::asm());
            let has_executions = given.format.has(Feature::Executions);
            is_list && has_executions && given.has(AsmArguments::counts())
        })],
        &[choice("--group-by=file:function, whose rows have lines", |given| {
            is_by(given, &[RowBy::FileFunction])
        })],
    ),
    requires(
        &[BY_INSTRUCTION],
        &[choice("--format=text, csv, tsv or json", |given| {
            given.format.has(Feature::InstructionRows)
        })],
    ),
    excludes(
        &[BY_INSTRUCTION],
        &[
            ASM_OR_COUNTS,
            choice("--inclusive", |given| given.has(ListArguments::inclusive())),
            TREE,
            CALLS,
            PER,
            choice("--diff", |given| given.has(DiffArguments::diff())),
            CHARGED,
        ],
    ),
    excludes(
        &[ASM],
        &[
            choice("--group-by", |given| {
                let is_other = !is_by(given, &[RowBy::Function, RowBy::FileFunction]);
                is_other || given.has(ListArguments::bucket())
            }),
            PER,
            choice("--diff (which compares lines: -g line, or a source)", |given| {
                given.has(DiffArguments::diff())
            }),
        ],
    ),
    excludes(&[CHARGED], &[ASM_OR_COUNTS]),
];

const BY_LINE: Choice = choice("--group-by=line", |given| is_by(given, &[RowBy::Line]));
const BY_THREAD: Choice = choice("--group-by=thread", |given| is_by(given, &[RowBy::Thread]));
const BY_PART: Choice = choice("--group-by=part", |given| is_by(given, &[RowBy::Part]));
const BY_INSTRUCTION: Choice =
    choice("--group-by=instruction", |given| is_by(given, &[RowBy::Instruction]));
const TREE: Choice = choice("--tree", has_tree);
const CALLS: Choice = choice("--calls", |given| given.has(ListArguments::calls()));
const PER: Choice = choice("--per", |given| given.has(ListArguments::per()));
const ASM: Choice = choice("--asm", |given| given.has(AsmArguments::asm()));
const ASM_OR_COUNTS: Choice = choice("--asm or --counts", |given| {
    given.has(AsmArguments::asm()) || given.has(AsmArguments::counts())
});
const CHARGED: Choice = choice("--charge-to-callers", |given| {
    given.has(FilterArguments::charge_to_callers()) || given.has(FilterArguments::mine())
});

/// Whether rows are of one of these kinds.
fn is_by(given: &Given<'_>, kinds: &[RowBy]) -> bool {
    let is_kind = |by| matches!(by, Grouping::By(row_by) if kinds.contains(&row_by));
    given.value(ListArguments::group_by()).is_some_and(is_kind)
}

fn has_tree(given: &Given<'_>) -> bool {
    given.value(ListArguments::tree()).is_some_and(|tree| !tree.is_empty())
}

fn has_filters(given: &Given<'_>) -> bool {
    given.has(FilterArguments::function())
        || given.has(FilterArguments::source_file())
        || given.has(FilterArguments::object())
        || given.has(FilterArguments::mine())
}

/// Refuses options that contradict each other or would have no effect. `specs` are those of all options.
pub(super) fn check(
    given: &Given<'_>,
    mut specs: impl Iterator<Item = &'static OptionSpec>,
    command: &Command,
) -> Result<(), String> {
    for Rule { choices, excludes, others } in &RULES {
        for choice in choices.iter().filter(|choice| (choice.is_made)(given)) {
            let mut others = others.iter();
            if let Some(other) = others.find(|other| (other.is_made)(given) == *excludes) {
                let cannot = if *excludes { "cannot be combined with" } else { "requires" };
                let (name, other) = (named(choice, given), named(other, given));
                return Err(format!("{name} {cannot} {other}"));
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
    Err(format!("{option} cannot be combined with --format={format}{colon}{why}"))
}

fn named(choice: &Choice, given: &Given<'_>) -> String {
    match choice.name {
        Name::Option(name) => name.to_owned(),
        Name::Format => format!("--format={}", given.format.name()),
    }
}

fn as_written(option: &str, command: &Command) -> String {
    let known = command.get_arguments().find(|known| known.get_id() == option);
    let long = known.and_then(|known| known.get_long());
    format!("--{}", long.unwrap_or(option))
}
