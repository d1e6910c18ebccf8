//! The conflicts among options of the report: exclusions, requirements, and options without effect in a format.

use clap::{ArgMatches, Command};

use crate::render::{Form, Format};

/// The given options, and the format of the report.
struct Given<'m> {
    matches: &'m ArgMatches,
    format: Format,
}

impl Given<'_> {
    fn is_given(&self, option: &str) -> bool {
        super::is_given(self.matches, option)
    }

    fn is_value(&self, option: &str, value: &str) -> bool {
        let last = self.matches.get_raw(option).and_then(Iterator::last);
        match option {
            "format" => self.format.name() == value,
            _ => last.is_some_and(|last| last == value),
        }
    }

    fn holds(&self, condition: &str) -> bool {
        let has = |option: &str| {
            let is_no = matches!(self.matches.try_get_one(option), Ok(Some(false)));
            self.is_given(option) && !is_no
        };
        let word = |word: &str| {
            let option = word.trim_start_matches('!');
            let holds = match option.split_once('=') {
                Some((option, values)) => values.split('/').any(|v| self.is_value(option, v)),
                None => option.split('/').any(has),
            };
            holds != word.starts_with('!')
        };
        condition.split(' ').all(word)
    }
}

/// Splits a choice of a rule into its name and its condition: the one in brackets, or else the option itself.
fn name_and_condition(choice: &str) -> (&str, String) {
    match choice.split_once(" [") {
        Some((name, condition)) => (name, condition.trim_end_matches(']').to_owned()),
        None => (choice, choice.trim_start_matches("--").replace('-', "_")),
    }
}

/// The choices that exclude or require others, by their names in messages. A condition in brackets holds if one of its
/// options is given, or has one of some values; with `!`, if not.
const RULES: &str = "\
--bucket excludes another --group-by [!group_by=function]
--nested excludes --group-by=line; --group-by=instruction; --tree [!tree=none !format=json]; \
    --inclusive: it shows self costs [inclusive !format=json]
--depth requires --group-by=file:function or function [group_by=file:function/function/inlined/instruction !bucket]
--group-by=line, --group-by=thread, --group-by=part excludes --tree [!tree=none]; --calls; --asm; --format=dot; \
    --format=folded; --format=flamegraph; --format=pprof
--group-by=thread --inclusive [group_by=thread inclusive] excludes filters (try --thread=N) [function/source_file/object/mine]
--group-by=part --inclusive [group_by=part inclusive] excludes filters (try --part=N) [function/source_file/object/mine]
--format=json --counts [format=json counts !asm] requires --group-by=file:function, whose rows have lines [group_by=file:function]
--format=json --jumps [format=json jumps !asm] requires --group-by=file:function, whose rows have lines [group_by=file:function]
--group-by=instruction requires --format=text, csv or json [format=text/csv/json]
--group-by=instruction excludes --asm, --counts or --jumps [asm/counts/jumps]; --inclusive; --tree [!tree=none]; --calls; \
    --per; --diff; --charge-to-callers [charge_to_callers/mine]
--asm excludes --group-by [bucket]; --group-by [!group_by=function/file:function]; --per; \
    --diff (which compares lines: -g line, or a source) [diff]
--charge-to-callers [charge_to_callers/mine] excludes --asm, --counts or --jumps [asm/counts/jumps]";

/// The rules: their choices, whether these exclude or require others, and these.
fn rules() -> impl Iterator<Item = (&'static str, bool, &'static str)> {
    RULES.lines().filter_map(|line| {
        let excludes = line.split_once(" excludes ");
        let (choices, others) = excludes.or_else(|| line.split_once(" requires "))?;
        Some((choices, excludes.is_some(), others))
    })
}

/// The options that only some formats besides text support. In other formats they would have no effect, and are
/// refused.
const FORMAT_DEPENDENT: &str = "diff sort threshold calls columns inclusive top min group_by bucket tree nested cycles \
    demangle per names show_percs width color asm_source header depth asm asm_threshold asm_raw objdump auto context include \
    source_map base_include counts jumps function source_file object mine charge_to_callers inlines lines";

/// The options that have an effect in every format: on what is read, on the names and rows of all
/// reports, on where they are written; and those that require an option of the other list.
#[cfg(test)]
const OF_EVERY_FORMAT: &str = "file part thread event mod_filename mod_funcname fold show format generate output pager is_exact fail_above help version";

/// Why options have no effect in a format that does not support them, where their names do not say
/// it.
const REASONS: [(&str, &str); 8] = [
    ("auto", ": it has no sources"),
    ("context", ": it has no sources"),
    ("include", ": it has no sources"),
    ("source_map", ": it has no sources"),
    ("base_include", ": it has no sources"),
    ("show_percs", ": it has no percentages"),
    ("color", ": it has no colours"),
    ("asm_threshold", ": it has all instructions"),
];

/// The reason as the end of a message, or nothing.
fn reason(option: &str) -> &'static str {
    let known = REASONS.iter().find(|(known, _)| *known == option);
    known.map_or("", |(_, why)| why)
}

/// Why callgrind_annotate's page cannot have what an option shows.
fn reason_of_classic(option: &str) -> &'static str {
    match option {
        "inlines" | "charge_to_callers" => ": its functions are those of the profile",
        "calls" | "columns" | "width" | "per" | "counts" | "jumps" => {
            ": its columns are the costs of events"
        }
        "diff" | "asm" | "nested" | "depth" => ": callgrind_annotate has no such view",
        _ => ": its rows are the code of each function in each file, up to --threshold",
    }
}

/// Whether sources are read: for rows by line, nested lines, or alignment by text.
fn has_sources(given: &Given<'_>) -> bool {
    let is_aligned = given.is_value("format", "json") && given.is_given("diff");
    given.is_value("group_by", "line") || given.is_given("nested") || is_aligned
}

fn is_allowed(option: &str, format: Format, given: &Given<'_>) -> bool {
    let has = |option| format.has_option(option);
    let has_code = || has("asm") && given.is_given("asm");
    has(option)
        || match option {
            // Its names are never demangled, so `--demangle=no` is true.
            "demangle" => format.name() == "callgrind" && !given.holds("demangle"),
            "context" => has_code(),
            // Objects are searched for in the folders of sources.
            "include" | "source_map" if given.is_given("inlines") => true,
            "include" | "source_map" => has_code() || has("show_percs") && has_sources(given),
            "base_include" => has("show_percs") && has_sources(given),
            // No sources and no colours are what these formats have.
            "auto" => !given.holds("auto"),
            "color" => !given.is_value("color", "always"),
            _ => false,
        }
}

/// Refuses options that contradict each other or would have no effect.
pub(super) fn check(matches: &ArgMatches, format: Format, command: &Command) -> Result<(), String> {
    let given = Given { matches, format };
    for (choices, excludes, others) in rules() {
        for (name, condition) in choices.split(", ").map(name_and_condition) {
            if !given.holds(&condition) {
                continue;
            }
            let mut others = others.split("; ").map(name_and_condition);
            if let Some((other, _)) = others.find(|(_, other)| given.holds(other) == excludes) {
                let cannot = if excludes { "cannot be combined with" } else { "requires" };
                return Err(format!("{name} {cannot} {other}"));
            }
        }
    }
    let is_refused = |option: &&str| given.is_given(option) && !is_allowed(option, format, &given);
    let mut options =
        FORMAT_DEPENDENT.split_whitespace().filter(|_| !matches!(format.form, Form::Text));
    options.find(is_refused).map_or(Ok(()), |option| {
        let why = match option {
            "asm" if matches!(format.name(), "csv" | "tsv") => {
                ": -g instruction -f FUNCTION lists instructions there"
            }
            _ if matches!(format.form, Form::Classic) => reason_of_classic(option),
            _ => reason(option),
        };
        let (option, format) = (as_written(option, command), format.name());
        Err(format!("{option} cannot be combined with --format={format}{why}"))
    })
}

fn as_written(option: &str, command: &Command) -> String {
    let known = command.get_arguments().find(|known| known.get_id() == option);
    let long = known.and_then(|known| known.get_long());
    format!("--{}", long.unwrap_or(option))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::FORMATS;

    #[test]
    fn every_option_is_checked_against_the_format_or_is_of_every_format() {
        let command = super::super::page::command();
        let dependent: Vec<&str> = FORMAT_DEPENDENT.split_whitespace().collect();
        let of_every: Vec<&str> = OF_EVERY_FORMAT.split_whitespace().collect();
        for option in command.get_arguments().map(|option| option.get_id().as_str()) {
            let lists = [dependent.contains(&option), of_every.contains(&option)];
            assert_eq!(lists.iter().filter(|is_in| **is_in).count(), 1, "{option}");
        }
        let is_option =
            |name: &&str| command.get_arguments().any(|option| option.get_id() == *name);
        let mut all = dependent.iter().chain(&of_every);
        assert_eq!(all.find(|name| !is_option(name)), None);
        for (_, format) in FORMATS {
            let mut options = format.options();
            assert_eq!(
                options.find(|option| !dependent.contains(option)),
                None,
                "{}",
                format.name()
            );
        }
    }

    #[test]
    fn rules_name_options_and_their_values() {
        let command = super::super::page::command();
        let check = |word: &str| {
            let (options, values) =
                word.trim_start_matches('!').split_once('=').unwrap_or((word, ""));
            for option in options.trim_start_matches('!').split('/') {
                let found = command.get_arguments().find(|arg| arg.get_id() == option);
                let known =
                    found.unwrap_or_else(|| panic!("no option {option}")).get_possible_values();
                let is_known = |value: &str| known.iter().any(|known| known.matches(value, false));
                assert!(values.is_empty() || values.split('/').all(is_known), "{word}");
            }
        };
        assert_eq!(rules().count(), RULES.lines().count());
        for (choices, _, others) in rules() {
            for choice in choices.split(", ").chain(others.split("; ")) {
                name_and_condition(choice).1.split(' ').for_each(check);
            }
        }
    }
}
