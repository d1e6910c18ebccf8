//! The options of gprof, by its names and letters.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command};

use crate::options::GprofOptions;
use crate::view::{Concern, Symspec, Symspecs, WrongPattern};

#[derive(Args, Debug)]
#[command(next_help_heading = "gprof's views")]
pub(super) struct GprofArguments {
    /// Print the flat profile in place of the page: functions by self cost, with calls and cost per call [only those of
    /// SYMSPEC: a function, FILE:, FILE:FUNCTION or FILE:LINE]
    #[arg(short = 'p', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    flat_profile: Vec<String>,

    /// Do not print it [print it without those of SYMSPEC]
    #[arg(short = 'P', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    no_flat_profile: Vec<String>,

    /// Print the call graph: functions between their callers and callees, with cycles and an index [only those
    /// of SYMSPEC and what they call; FROM/TO: only these calls]. What calls cost is exact; how that is divided into self and children is an estimate
    #[arg(short = 'q', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    graph: Vec<String>,

    /// Do not print it [print it without those of SYMSPEC]
    #[arg(short = 'Q', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    no_graph: Vec<String>,

    /// Print how often functions were called, by file and line [only those of SYMSPEC]
    #[arg(short = 'C', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    exec_counts: Vec<String>,

    /// Do not print it [print it without those of SYMSPEC]
    #[arg(short = 'Z', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    no_exec_counts: Vec<String>,

    /// Print the annotated sources alone [only the lines of SYMSPEC]
    #[arg(short = 'A', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    annotated_source: Vec<String>,

    /// Do not print them [print them without those of SYMSPEC]
    #[arg(short = 'J', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    no_annotated_source: Vec<String>,

    /// Print what the profiles hold: parts, events, functions, lines, calls and totals
    #[arg(short = 'i', long)]
    file_info: bool,

    /// Print the names of functions in an order for a linker: the dearest first, of equal ones that with the most callers
    #[arg(short = 'r', long)]
    function_ordering: bool,

    /// Write the sum of all profiles to the file callgrind.sum here, a profile too; print nothing if no view is asked for
    #[arg(short = 's', long)]
    sum: bool,

    /// Go by line: rows of the flat profile, callers in the call graph
    #[arg(short = 'l', long)]
    line: bool,

    /// Do not show these functions in the call graph; may be repeated, as may those below
    #[arg(short = 'e', value_name = "SYMSPEC")]
    hide: Vec<String>,

    /// Do not show them, nor count what they cost themselves
    #[arg(short = 'E', value_name = "SYMSPEC")]
    hide_with_cost: Vec<String>,

    /// Show only these functions, and what they call
    #[arg(short = 'f', value_name = "SYMSPEC")]
    only: Vec<String>,

    /// Show only these, and count only what they and what they call cost
    #[arg(short = 'F', value_name = "SYMSPEC")]
    only_with_cost: Vec<String>,

    /// Count only what these and what they call cost in the call graph
    #[arg(short = 'n', long, value_name = "SYMSPEC")]
    time: Vec<String>,

    /// Do not count what these cost themselves
    #[arg(short = 'N', long, value_name = "SYMSPEC")]
    no_time: Vec<String>,

    /// Leave out the calls of TO by FROM; an empty side is everybody
    #[arg(short = 'k', value_name = "FROM/TO")]
    without_calls: Vec<String>,

    /// Show functions without cost and calls too
    #[arg(short = 'z', long)]
    display_unused_functions: bool,

    /// Show files with their folders
    #[arg(short = 'L', long)]
    print_path: bool,

    /// Width of the index; --width says it too
    #[arg(short = 'w', value_name = "N")]
    index_width: Option<usize>,

    /// Without explanations, which are never printed; as other options of gprof do, it asks for its views
    #[arg(short = 'b', long)]
    brief: bool,
}

/// The values of an option that may stand bare.
struct OptionalValues {
    is_bare: bool,
    specs: Vec<String>,
}

impl From<Vec<String>> for OptionalValues {
    fn from(values: Vec<String>) -> OptionalValues {
        let (bare, specs): (Vec<_>, Vec<_>) = values.into_iter().partition(String::is_empty);
        OptionalValues {
            is_bare: !bare.is_empty(),
            specs,
        }
    }
}

impl GprofArguments {
    /// What they ask for, and `width` if they do not say it.
    ///
    /// # Errors
    /// What is wrong with a symspec, in words.
    pub(super) fn into_options(self, width: Option<usize>) -> Result<GprofOptions, String> {
        let [flat, no_flat, graph, no_graph] = [
            self.flat_profile,
            self.no_flat_profile,
            self.graph,
            self.no_graph,
        ]
        .map(OptionalValues::from);
        let [tally, no_tally, sources, no_sources] = [
            self.exec_counts,
            self.no_exec_counts,
            self.annotated_source,
            self.no_annotated_source,
        ]
        .map(OptionalValues::from);
        let selects = |yes: &OptionalValues, no: &OptionalValues| {
            yes.is_bare || !yes.specs.is_empty() || !no.specs.is_empty()
        };
        let mut options = GprofOptions {
            flat: selects(&flat, &no_flat),
            graph: selects(&graph, &no_graph),
            tally: selects(&tally, &no_tally),
            sources: selects(&sources, &no_sources),
            contents: self.file_info,
            order: self.function_ordering,
            sum: self.sum,
            by_line: self.line,
            zeros: self.display_unused_functions,
            full_paths: self.print_path,
            width: self
                .index_width
                .or(width)
                .filter(|&width| width > 0)
                .unwrap_or(80),
            symspecs: Symspecs::default(),
        };
        let is_asked = no_flat.is_bare
            || no_graph.is_bare
            || no_tally.is_bare
            || no_sources.is_bare
            || self.line
            || self.brief
            || self.display_unused_functions
            || self.print_path
            || self.index_width.is_some();
        if is_asked && !options.replaces_page() {
            options.flat = !no_flat.is_bare;
            options.graph = !no_graph.is_bare;
            if !options.replaces_page() {
                return Err("-P and -Q leave nothing to print".to_owned());
            }
        }
        let lists: [(&str, Vec<String>, &'static [Concern], bool); 14] = [
            ("-p", flat.specs, &[Concern::Flat], false),
            ("-P", no_flat.specs, &[Concern::Flat], true),
            ("-q", graph.specs, &[Concern::Shown], false),
            ("-Q", no_graph.specs, &[Concern::Shown], true),
            ("-C", tally.specs, &[Concern::Tally], false),
            ("-Z", no_tally.specs, &[Concern::Tally], true),
            ("-A", sources.specs, &[Concern::Sources], false),
            ("-J", no_sources.specs, &[Concern::Sources], true),
            ("-e", self.hide, &[Concern::Shown], true),
            (
                "-E",
                self.hide_with_cost,
                &[Concern::Shown, Concern::Counted],
                true,
            ),
            ("-f", self.only, &[Concern::Shown], false),
            (
                "-F",
                self.only_with_cost,
                &[Concern::Shown, Concern::Counted],
                false,
            ),
            ("-n", self.time, &[Concern::Counted], false),
            ("-N", self.no_time, &[Concern::Counted], true),
        ];
        for (option, specs, concerns, excludes) in lists {
            for spec in specs {
                let wrong = |error: WrongPattern| format!("{option} {spec}: {error}");
                let arc = match option {
                    "-q" | "-Q" => Symspec::parse_arc(option, &spec, excludes).map_err(wrong)?,
                    _ => None,
                };
                options.symspecs.all.push(match arc {
                    Some(arc) => arc,
                    None => Symspec::parse(option, &spec, concerns, excludes).map_err(wrong)?,
                });
            }
        }
        for spec in self.without_calls {
            let arc =
                Symspec::parse_arc("-k", &spec, true).map_err(|e| format!("-k {spec}: {e}"))?;
            let arc = arc.ok_or_else(|| format!("-k {spec}: not of the form FROM/TO"))?;
            options.symspecs.all.push(arc);
        }
        if options.symspecs.concern(Concern::Arcs) && !options.replaces_page() {
            return Err("-k is for gprof's views: give -p or -q too".to_owned());
        }
        Ok(options)
    }
}

/// The options that only change the page, and those of them that annotated sources heed too.
const OF_PAGE: [&str; 7] = [
    "tree",
    "inclusive",
    "show_percs",
    "group_by",
    "calls",
    "diff",
    "fail_above",
];
const OF_SOURCES: [&str; 6] = ["threshold", "top", "min", "auto", "context", "cycles"];

/// Refuses options that change nothing in gprof's views.
///
/// # Errors
/// What does not go together, in words.
pub(super) fn check(matches: &ArgMatches, options: &GprofOptions) -> Result<(), String> {
    if !options.replaces_page() {
        return Ok(());
    }
    let idle: &[&str] = if options.sources { &[] } else { &OF_SOURCES };
    let is_given = |option: &&&str| matches.value_source(option) == Some(ValueSource::CommandLine);
    let given = OF_PAGE.iter().chain(idle).find(is_given);
    given.map_or(Ok(()), |option| {
        let option = option.replace('_', "-");
        Err(format!("--{option} has no meaning with gprof's views"))
    })
}

/// Puts `=` between short options and values that gprof takes only attached, as in `-pmain`: clap takes a value
/// that may be missing behind `=` alone.
pub(super) fn attach_values(
    command: &Command,
    words: impl Iterator<Item = OsString>,
) -> Vec<OsString> {
    let mut is_option = true;
    words
        .enumerate()
        .map(|(i, word)| {
            is_option &= word != "--";
            let at = word
                .to_str()
                .filter(|_| i > 0 && is_option)
                .and_then(|text| {
                    let letters = text
                        .strip_prefix('-')
                        .filter(|text| !text.starts_with('-'))?;
                    let at = value_of_optional(command, letters)?;
                    Some(text.len() - letters.len() + at)
                });
            match (word.to_str(), at) {
                (Some(text), Some(at)) => format!("{}={}", &text[..at], &text[at..]).into(),
                _ => word,
            }
        })
        .collect()
}

/// Where in a bundle of letters the value of one begins whose value may be missing.
fn value_of_optional(command: &Command, letters: &str) -> Option<usize> {
    for (at, letter) in letters.char_indices() {
        let option = command
            .get_arguments()
            .find(|arg| arg.get_short() == Some(letter))?;
        if option.is_require_equals_set() {
            let value = at + letter.len_utf8();
            let rest = &letters[value..];
            return (!rest.is_empty() && !rest.starts_with('=')).then_some(value);
        }
        if option.get_action().takes_values() {
            return None;
        }
    }
    None
}
