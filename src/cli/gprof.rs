//! The command for gprof's views: its options, by their names and letters there.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgAction, Args, Command, CommandFactory, FromArgMatches, Parser, ValueHint};

use super::filters::FilterArguments;
use super::list::{EventArguments, LimitArguments};
use super::output::OutputArguments;
use super::program::{ProgramArguments, SampleArguments};
use super::read::ReadArguments;
use super::sources::{SourceArguments, folders};
use super::terminal::{self, ColourArguments};
use super::{EarlyExit, help, spelling, unsupported, with_values};
use crate::options::{
    CodeOptions, GprofOptions, GprofView, InputOptions, Options, Report, StyleOptions,
};
use crate::profile::SuffixFold;
use crate::view::{Grouping, PatternError, RowOptions, Scope, Symspec, Symspecs, Threshold};

/// Print gprof's views of a Callgrind profile: the flat profile and the call graph, if no view is requested.
#[derive(Debug, Parser)]
#[command(name = "cgannotate gprof", version, args_override_self = true)]
struct Arguments {
    /// Profiles, and source files to annotate
    ///
    /// Several profiles are summed; `-` is standard input. [default: the newest run in this directory]
    #[arg(value_hint = ValueHint::FilePath)]
    file: Vec<PathBuf>,

    /// Print version
    #[arg(short = 'v', hide = true, action = ArgAction::Version)]
    version_too: Option<bool>,

    #[command(flatten)]
    views: ViewArguments,

    #[command(flatten)]
    symspecs: SymspecArguments,

    #[command(flatten)]
    looks: LooksArguments,

    #[command(flatten)]
    read: ReadArguments,

    #[command(flatten)]
    program: ProgramArguments,

    #[command(flatten)]
    samples: SampleArguments,

    #[command(flatten)]
    events: EventArguments,

    #[command(flatten)]
    limits: LimitArguments,

    #[command(flatten)]
    filters: FilterArguments,

    #[command(flatten)]
    sources: SourceArguments,

    #[command(flatten)]
    output: OutputArguments,

    #[command(flatten)]
    colour: ColourArguments,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Views")]
struct ViewArguments {
    /// Print the flat profile [only SYMSPEC]
    #[arg(short = 'p', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    flat_profile: Vec<String>,

    /// Omit the flat profile [print it without SYMSPEC]
    #[arg(short = 'P', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    no_flat_profile: Vec<String>,

    /// Print the call graph [only SYMSPEC and its callees]
    ///
    /// Each function is listed between its callers and its callees; cycles have entries of their own, and an index follows.
    /// -qFROM/TO prints only these calls. What calls cost is exact; how it divides into self and children is estimated.
    #[arg(short = 'q', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    graph: Vec<String>,

    /// Omit the call graph [print it without SYMSPEC]
    #[arg(short = 'Q', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    no_graph: Vec<String>,

    /// Print call counts by file and line [only SYMSPEC]
    #[arg(short = 'C', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    exec_counts: Vec<String>,

    /// Omit the call counts [print them without SYMSPEC]
    #[arg(short = 'Z', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    no_exec_counts: Vec<String>,

    /// Print annotated sources [only SYMSPEC]
    #[arg(short = 'A', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    annotated_source: Vec<String>,

    /// Omit the annotated sources [print them without SYMSPEC]
    #[arg(short = 'J', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    no_annotated_source: Vec<String>,

    /// Summarise the profiles and exit
    #[arg(short = 'i', long)]
    file_info: bool,

    /// Print function names in link order, hottest first
    #[arg(short = 'r', long)]
    function_ordering: bool,

    /// Write the sum of all profiles to ./callgrind.sum
    ///
    /// Nothing is printed unless a view is requested.
    #[arg(short = 's', long)]
    sum: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "MergedFunctions and calls")]
struct SymspecArguments {
    /// Hide these functions in the call graph (repeatable)
    #[arg(short = 'e', value_name = "SYMSPEC")]
    hide: Vec<String>,

    /// Hide them and leave out their self cost
    #[arg(short = 'E', value_name = "SYMSPEC")]
    hide_with_cost: Vec<String>,

    /// Show only these and their callees in the call graph
    #[arg(short = 'f', value_name = "SYMSPEC")]
    only: Vec<String>,

    /// The same, and base percentages on them
    #[arg(short = 'F', value_name = "SYMSPEC")]
    only_with_cost: Vec<String>,

    /// Base percentages on these functions and their callees
    #[arg(short = 'n', long, value_name = "SYMSPEC")]
    time: Vec<String>,

    /// Leave their self cost out of the percentages
    #[arg(short = 'N', long, value_name = "SYMSPEC")]
    no_time: Vec<String>,

    /// Leave out calls from FROM to TO
    ///
    /// An empty side matches every function.
    #[arg(short = 'k', value_name = "FROM/TO")]
    without_calls: Vec<String>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
struct LooksArguments {
    /// Report by line instead of by function
    #[arg(short = 'l', long)]
    line: bool,

    /// Include functions with no cost and no calls
    #[arg(short = 'z', long)]
    display_unused_functions: bool,

    /// Show full paths
    #[arg(short = 'L', long)]
    print_path: bool,

    /// Print files and lines after names (gprof's data only)
    #[arg(long)]
    inline_file_names: bool,

    /// Width of the index of the call graph [default: 80]
    #[arg(short, long, value_name = "COLUMNS")]
    width: Option<usize>,

    /// Accepted for compatibility: no explanations are printed
    #[arg(short, long)]
    brief: bool,

    /// Demangle C++ and Rust names
    ///
    /// Every STYLE is the same, but for `none` and `no`.
    #[arg(long, value_name = "STYLE", num_args = 0..=1, require_equals = true)]
    #[arg(default_value = "auto", default_missing_value = "auto")]
    demangle: String,

    /// Do not demangle names
    #[arg(long, overrides_with = "demangle")]
    no_demangle: bool,
}

/// The letters of the report's options that mean something else here.
const WITHOUT_LETTER: [&str; 4] = ["function", "sort", "top", "output"];

/// The definition of the command.
pub(super) fn command() -> Command {
    let command = Arguments::command()
        .bin_name("cgannotate gprof")
        .display_name("cgannotate");
    let mut command = with_values(command);
    for option in WITHOUT_LETTER {
        command = command.mut_arg(option, |arg| arg.short(None));
    }
    help::GPROF.add_to(command.mut_arg("include", |arg| arg.alias("directory-path")))
}

/// Reads the command line, without the word `gprof`.
///
/// # Errors
/// [`EarlyExit`], if there is to be no report.
pub(super) fn parse(words: Vec<OsString>) -> Result<Options, EarlyExit> {
    unsupported::check_gprof(&command(), &words)?;
    let words = attach_values(&unsupported::with_unsupported(command()), words.into_iter());
    let matches = unsupported::with_unsupported(command())
        .try_get_matches_from(words)
        .map_err(spelling::without_value_tip)?;
    unsupported::check(&matches)?;
    let arguments = Arguments::from_arg_matches(&matches)?;
    let error = |kind, text| command().error(kind, text);
    let views = arguments
        .views
        .views()
        .map_err(|text| error(ErrorKind::ValueValidation, text))?;
    let symspecs = arguments
        .symspecs()
        .map_err(|text| error(ErrorKind::ValueValidation, text))?;
    unsupported::check_views(&matches, &views)
        .map_err(|text| error(ErrorKind::ArgumentConflict, text))?;
    Ok(arguments.into_options(views, symspecs))
}

/// Whether an option whose symspec may be missing is given without one.
fn is_bare(values: &[String]) -> bool {
    values.iter().any(String::is_empty)
}

impl ViewArguments {
    /// Whether no view is requested.
    fn is_empty(&self) -> bool {
        let bare = self.file_info || self.function_ordering || self.sum;
        let specs = [
            &self.no_flat_profile,
            &self.no_graph,
            &self.no_exec_counts,
            &self.no_annotated_source,
        ];
        let views = [
            &self.flat_profile,
            &self.graph,
            &self.exec_counts,
            &self.annotated_source,
        ];
        let has_spec = |specs: &&Vec<String>| specs.iter().any(|spec| !spec.is_empty());
        !bare && views.iter().all(|view| view.is_empty()) && !specs.iter().any(has_spec)
    }

    /// The requested views: without any the flat profile and the call graph.
    ///
    /// # Errors
    /// None is left, in words.
    fn views(&self) -> Result<Vec<GprofView>, String> {
        if self.file_info {
            return Ok(vec![GprofView::Info]);
        }
        let selects = |yes: &[String], no: &[String]| {
            !yes.is_empty() || no.iter().any(|spec| !spec.is_empty())
        };
        let with_symspecs = [
            (GprofView::Flat, &self.flat_profile, &self.no_flat_profile),
            (GprofView::Graph, &self.graph, &self.no_graph),
            (
                GprofView::ExecCounts,
                &self.exec_counts,
                &self.no_exec_counts,
            ),
            (
                GprofView::Sources,
                &self.annotated_source,
                &self.no_annotated_source,
            ),
        ];
        let selected = with_symspecs.iter().filter(|(_, yes, no)| selects(yes, no));
        let bare = [
            (GprofView::Sum, self.sum),
            (GprofView::LinkOrder, self.function_ordering),
        ];
        let bare = bare.iter().filter(|(_, is_given)| *is_given);
        let mut views: Vec<_> = bare.map(|(view, _)| *view).collect();
        views.extend(selected.map(|(view, ..)| *view));
        if views.is_empty() {
            let default = with_symspecs.iter().take(2);
            let wanted = default.filter(|(_, _, no)| !is_bare(no));
            views.extend(wanted.map(|(view, ..)| *view));
        }
        match views.is_empty() {
            true => Err("-P and -Q together leave nothing to print".to_owned()),
            false => Ok(views),
        }
    }
}

impl Arguments {
    /// The symspecs of all options.
    ///
    /// # Errors
    /// What is wrong with one, in words.
    fn symspecs(&self) -> Result<Symspecs, String> {
        use Scope::{Counted, ExecCount, Flat, Shown, Sources};
        let (views, symspecs) = (&self.views, &self.symspecs);
        let lists: [(&str, &[String], &'static [Scope], bool); 14] = [
            ("-p", &views.flat_profile, &[Flat], false),
            ("-P", &views.no_flat_profile, &[Flat], true),
            ("-q", &views.graph, &[Shown], false),
            ("-Q", &views.no_graph, &[Shown], true),
            ("-C", &views.exec_counts, &[ExecCount], false),
            ("-Z", &views.no_exec_counts, &[ExecCount], true),
            ("-A", &views.annotated_source, &[Sources], false),
            ("-J", &views.no_annotated_source, &[Sources], true),
            ("-e", &symspecs.hide, &[Shown], true),
            ("-E", &symspecs.hide_with_cost, &[Shown, Counted], true),
            ("-f", &symspecs.only, &[Shown], false),
            ("-F", &symspecs.only_with_cost, &[Shown, Counted], false),
            ("-n", &symspecs.time, &[Counted], false),
            ("-N", &symspecs.no_time, &[Counted], true),
        ];
        let mut all = Vec::new();
        for (option, specs, scopes, excludes) in lists {
            for spec in specs.iter().filter(|spec| !spec.is_empty()) {
                let wrong = |error: PatternError| format!("{option} {spec}: {error}");
                let arc = match option {
                    "-q" | "-Q" => Symspec::parse_arc(option, spec, excludes).map_err(wrong)?,
                    _ => None,
                };
                all.push(match arc {
                    Some(arc) => arc,
                    None => Symspec::parse(option, spec, scopes, excludes).map_err(wrong)?,
                });
            }
        }
        for spec in &symspecs.without_calls {
            let arc =
                Symspec::parse_arc("-k", spec, true).map_err(|e| format!("-k {spec}: {e}"))?;
            all.push(arc.ok_or_else(|| format!("-k {spec}: expected FROM/TO"))?);
        }
        Ok(Symspecs { all })
    }

    fn into_options(self, views: Vec<GprofView>, symspecs: Symspecs) -> Options {
        let is_default = self.views.is_empty();
        let samples = &self.samples;
        let (top_lines, min_count) = (samples.table_length, samples.min_count);
        let separate_files = samples.separate_files;
        let output = self.output.into_file();
        let rows = RowOptions {
            demangles: !self.looks.no_demangle && !["no", "none"].contains(&&*self.looks.demangle),
            filter: self.filters.into_filter(),
            grouping: Grouping::Function,
        };
        let mut selection = self.events.into_options(self.limits, Threshold::default());
        selection.shows_rest |=
            !rows.filter.is_empty() || self.read.fold() != SuffixFold::default();
        let (read, events) = self.read.into_options(views.contains(&GprofView::Sum));
        let annotation = self.sources.annotation(true);
        let (include, source_maps) = self.sources.into_places();
        let include = include.into_iter().chain(std::env::var_os("GPROF_PATH"));
        // As in gprof, each value is a list of folders.
        let include: Vec<_> = include.flat_map(split_paths).collect();
        let width = self.looks.width.filter(|&width| width > 0);
        Options {
            code: CodeOptions::default(),
            input: InputOptions {
                files: self.file,
                base: None,
                read,
                events,
                folders: folders(include),
                source_maps,
                program: self.samples.into_options(self.program),
                progress: terminal::shows_progress(),
            },
            report: Report::Gprof(GprofOptions {
                views,
                is_default,
                with_files: self.looks.inline_file_names,
                top_lines,
                separate_files,
                min_count,
                by_line: self.looks.line,
                zeros: self.looks.display_unused_functions,
                full_paths: self.looks.print_path,
                width: width.unwrap_or(80),
                symspecs,
                annotation,
            }),
            rows,
            selection,
            style: StyleOptions {
                percentages: true,
                percent_of_total: false,
                colours: self.colour.is_on(output.is_none()),
                width: terminal::columns(self.looks.width, output.is_none()),
            },
            output,
            limit: None,
        }
    }
}

/// The folders of a list such as `a:b`.
fn split_paths(list: OsString) -> Vec<OsString> {
    let folders = std::env::split_paths(&list).filter(|folder| !folder.as_os_str().is_empty());
    folders.map(PathBuf::into_os_string).collect()
}

/// Inserts `=` between short options and values that gprof takes only attached, as in `-pmain`: clap takes a value
/// that may be missing after `=` alone.
fn attach_values(command: &Command, words: impl Iterator<Item = OsString>) -> Vec<OsString> {
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
