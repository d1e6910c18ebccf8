//! The options of a list of rows: its events, order and length, what its rows are, its columns and
//! trees.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::cli::spec::{EVERYWHERE, Given, about, options};
use crate::cli::words;
use crate::options::ListOptions;
use crate::render::{Feature, LIST_COLUMNS, Measure, Tree};
use crate::view::default_min;
use crate::view::{
    Bucket, CallKey, ListSelection, PathDirection, Pattern, RowBy, SelectionOptions, Threshold,
};

options! {
    /// For both commands.
    #[derive(Args, Debug)]
    #[command(next_help_heading = "Report")]
    pub(crate) struct SelectionArguments {
        /// Events to show, or rates such as D1mr/Dr
        ///
        /// They are shown in this order. Ratios need no definition: `D1mr/Dr` is the rate of read
        /// misses. The same names go with --sort and --fail-above. [default: all]
        #[arg(long, value_name = "A,B,C")]
        show: Option<OsString> = EVERYWHERE.of_callgrind_annotate().repeated(),

        /// Events or a column to sort by (self/call)
        ///
        /// Each may have a --threshold of its own, as in `Ir:90,Dr:50`. The first may be a column
        /// instead, by its heading: `calls`, `recursive`, `incl.` (which is -i), and `incl./call`
        /// or `self/call`, of which listed rows are sorted. If a ratio is the first, the rows that
        /// the other events list are sorted by it, or else those with 99% of what it is divided by.
        /// [default: all events]
        #[arg(short, long, value_name = "A,B")]
        sort: Option<OsString> = about(Feature::Order).of_callgrind_annotate().repeated(),

        /// List rows until they cover this percentage
        ///
        /// It refers to the first sort event, after filtering. Of a Cachegrind profile, up to 20 is
        /// cg_annotate's threshold, which is --min here. All limits that are given apply. [default:
        /// 99 unless --top or --min is given]
        #[arg(long, hide_short_help = true, value_name = "0-100", value_parser = parse_threshold)]
        threshold: Option<Threshold> = about(Feature::Threshold).of_callgrind_annotate(),

        /// List at most N rows
        ///
        /// `all` lists all of them, 0 none: then the total is all that a text shows.
        #[arg(short = 'n', long, alias = "limit", value_name = "N", value_parser = parse_rows)]
        top: Option<usize> = about(Feature::Length),

        /// List only rows of at least this percentage
        ///
        /// It refers to the first sort event. With --diff, 0 also lists rows without a change.
        #[arg(long, value_name = "PERCENT", value_parser = parse_threshold)]
        min: Option<Threshold> = about(Feature::Length),
    }
}

options! {
    /// For the report and its formats.
    #[derive(Args, Debug)]
    #[command(next_help_heading = "Report")]
    pub(crate) struct ListArguments {
        /// Show percentages [default: yes]
        #[arg(long, hide_short_help = true, value_name = "yes|no")]
        pub(crate) show_percs: Option<bool> = about(Feature::Percentages).of_callgrind_annotate(),

        /// Include the cost of called functions
        ///
        /// Functions that call each other form a cycle, which has a row of its own, `<cycle N>`.
        /// Nested calls are counted once. That is exact for functions of which Callgrind recorded
        /// levels of recursion (f'2, as it does by default), and for those to which only functions
        /// that were called once lead back. The cost of others, and of files and groups, is
        /// estimated; its percentage has a mark (~89.1%) if it may be more than 1% of the total
        /// off, or in a difference more than 1% of the change. [default: no]
        #[arg(short, long, value_name = "yes|no")]
        #[arg(default_value = "no", hide_default_value = true)]
        inclusive: bool = about(Feature::Inclusive).of_callgrind_annotate().changing_rows(),

        /// Show callers, callees or both (--depth N)
        ///
        /// callgrind_annotate's words for these, `caller` and `calling`, are accepted too.
        /// [default: none]
        #[arg(long, value_name = "callers|callees|both", default_value = "none")]
        #[arg(hide_possible_values = true, hide_default_value = true, value_parser = words(TREES))]
        pub(crate) tree: Tree = about(Feature::Tree).of_callgrind_annotate().changing_rows_if(has_tree),

        /// Show callers or callees over N levels
        ///
        /// Without it, direct ones; on a terminal callers of library code are followed to your own
        /// code, whose sources are below the current directory. Each row is followed by a tree.
        /// Costs of functions with several callers are split among them in proportion, as in
        /// --format=folded: an estimate, as a profile does not say on whose behalf a function was
        /// called. Numbers of calls are shown where all calls of a function are on the path, and as
        /// estimates (~6,000) where each call of a function that makes as many calls as it has
        /// itself is taken to make one. From the second level on, lines below --min (1%) of the
        /// total, or of what is directly below the row if that is more, are left out, and if --min
        /// is given, direct callers and callees below it, too; without --min a filter's largest row
        /// is the total. A chain of single callers is one line.
        #[arg(long, hide_short_help = true, value_name = "N", requires = "tree")]
        #[arg(value_parser = clap::value_parser!(u32).range(1..))]
        depth: Option<u32> = about(Feature::Depth),

        /// Stacks from the costliest function to its callers
        ///
        /// Of --format=flamegraph and folded: each stack begins with the function that has the
        /// cost, and its callers follow. So a function that is called from many places is one
        /// frame, as wide as its self cost.
        #[arg(long, hide_short_help = true)]
        pub(crate) inverted: bool = about(Feature::Inverted),

        /// Detect call cycles and give each its own row
        ///
        /// Without cycles, the inclusive cost of a function is the sum of all calls to it, or of
        /// its own cost and all its calls if that is more. Nested calls are counted again, so it
        /// may exceed the total.
        #[arg(long, hide_short_help = true, value_name = "yes|no")]
        #[arg(default_value = "yes")]
        cycles: bool = about(Feature::Cycles).repeated(),

        /// Demangle C++ and Rust names
        #[arg(long, hide_short_help = true, value_name = "yes|no")]
        #[arg(default_value = "yes")]
        pub(crate) demangle: bool = about(Feature::Demangling).or(keeps_names_of_profile),

        /// Full or short names
        ///
        /// Short ones have no template arguments, parameters, `[clone ...]` or folders of objects
        /// and of Rust's library; rows whose short names are equal have full ones. [default: short
        /// for text, dot and markdown; or else full]
        #[arg(long, hide_short_help = true, value_name = "short|full")]
        #[arg(hide_possible_values = true, value_parser = words(&[("short", true), ("full", false)]))]
        pub(crate) names: Option<bool> = about(Feature::ShortNames),

        /// Rows: line, file, object, crate, thread...
        ///
        /// `function` is all code of a function, with what was inlined into it, `file:function` its
        /// code in one source file, `inlined` a function with --inlines, `line` is a source line
        /// (with --tree rows are functions, and callers and callees the lines of the calls),
        /// `file` and `folder` are the code in a source file and in those of a folder, `object` is
        /// a program or library, `name` all functions of one name, `template` all instances of one,
        /// `namespace` a namespace of C++ or a module of Rust, `crate` the outermost of these,
        /// `thread`, `part` and `process` what a thread, a part or a process executed.
        /// `instruction` needs a profile with addresses. [default: function; file:function with
        /// --format=classic]
        #[arg(short, long, value_name = "WHAT", default_value = "function")]
        #[arg(hide_possible_values = true, hide_default_value = true, value_parser = words(GROUPS))]
        pub(crate) group_by: Grouping = about(Feature::Rows).changing_rows_if(is_by_other),

        /// Show below each row what its self cost is made of
        ///
        /// Below a function its files and lines, below a file, an object or another group its
        /// functions. Lines below --min (1%) are put together.
        #[arg(long, hide_short_help = true, value_name = "yes|no")]
        nested: Option<bool> = about(Feature::Nested).changing_rows(),

        /// Put matching functions together under NAME
        ///
        /// May be repeated: a function is in the first bucket that matches, or else in `(other)`. A
        /// PATTERN in slashes is one expression. `@FILE` reads buckets from a file, one a line,
        /// which come after those of the command line; lines that begin with `#` are comments.
        #[arg(long, hide_short_help = true, value_name = "NAME=PATTERN[|PATTERN]...|@FILE")]
        #[arg(value_parser = parse_bucket)]
        pub(crate) bucket: Vec<BucketArgument> = about(Feature::Buckets).changing_rows(),

        /// Show number of calls and cost per call
        ///
        /// Recursive calls are counted apart.
        #[arg(short, long)]
        pub(crate) calls: bool = about(Feature::Calls).changing_rows_without_reasons(),

        /// Show self, inclusive, calls, recursive, per-call, cumulative
        ///
        /// In this order. `cumulative` is the running total of self costs, down the list. Without
        /// them a list has those of its format. json adds them to its rows.
        #[arg(long, hide_short_help = true, value_name = "A,B,C")]
        #[arg(value_delimiter = ',')]
        #[arg(hide_possible_values = true, value_parser = words(LIST_COLUMNS))]
        pub(crate) columns: Vec<Measure> = about(Feature::Columns).changing_rows(),

        /// Divide all counts by the calls of a function
        ///
        /// By the number of calls to matching functions from functions that do not match, which
        /// gives the cost per request or iteration. With --diff each side is divided by its own
        /// number. Limits apply to the result.
        #[arg(long, hide_short_help = true, value_name = "calls:PATTERN", value_parser = parse_per)]
        pub(crate) per: Option<Pattern> = about(Feature::PerCalls).changing_rows(),
    }
}

options! {
    #[derive(Args, Debug)]
    #[command(next_help_heading = "Report")]
    pub(crate) struct InlinesArguments {
        /// Show inlined functions as functions
        ///
        /// The debug information of the objects says which functions were inlined at the addresses
        /// of the profile, which Callgrind records with --dump-instr=yes. They have rows, callers
        /// and callees like other functions; only how often they were called is not known. An
        /// object that is not the profiled one is not used. The first screen always knows the lines
        /// of inlined code; with `no` it reads no debug information. [default: no]
        #[arg(long, alias = "inline", value_name = "yes|no")]
        pub(super) inlines: Option<bool> = about(Feature::OtherFunctions).repeated().changing_rows_without_reasons(),
    }
}

fn parse_rows(text: &str) -> Result<usize, &'static str> {
    if text == "all" { Ok(usize::MAX) } else { super::parse_count(text) }
}

pub(crate) fn has_tree(given: &Given<'_>) -> bool {
    given.value(ListArguments::tree()).is_some_and(|tree| !tree.is_empty())
}

/// Whether rows are something else than functions as they were called.
fn is_by_other(given: &Given<'_>) -> bool {
    given.value(ListArguments::group_by()) != Some(Grouping::By(RowBy::Function))
}

/// A format that demangles no names has those of the profile, which is what `--demangle=no` says.
fn keeps_names_of_profile(given: &Given<'_>) -> bool {
    given.value(ListArguments::demangle()) == Some(false)
}

impl SelectionArguments {
    /// The minimum percentage of a row in HTML: 0 if the list is limited in another way.
    pub(crate) fn html_min_percent(&self) -> f64 {
        match &self.min {
            Some(min) => min.percent,
            None if self.are_given() => 0.0,
            None => default_min::OF_PAGE,
        }
    }

    /// Whether rows are sorted by something of their calls first, unless an event has that name.
    pub(super) fn sorts_by_calls(&self) -> bool {
        let first = self.sort.iter().flat_map(|sort| split(sort.clone())).next();
        first.is_some_and(|word| CallKey::named(&with_threshold(word).0).is_some())
    }

    /// Whether the list is requested without rows.
    pub(crate) fn lists_nothing(&self) -> bool {
        self.top == Some(0)
    }

    /// Whether an event that is shown or sorted by is one of these.
    pub(crate) fn names_any(&self, is_wanted: impl Fn(&[u8]) -> bool) -> bool {
        let words = self.show.iter().chain(&self.sort);
        words.flat_map(|words| split(words.clone())).any(|word| is_wanted(&with_threshold(word).0))
    }

    /// Whether the length of the list is limited by options.
    pub(crate) fn are_given(&self) -> bool {
        self.top.is_some() || self.min.is_some() || self.threshold.is_some()
    }

    /// The selection, without what the format and other options decide. The default threshold
    /// applies only without `--top` and `--min`.
    pub(crate) fn into_options(self, default: Threshold) -> SelectionOptions {
        let is_limited = self.top.is_some() || self.min.is_some();
        let default = if is_limited { Threshold::all() } else { default };
        let sort = self.sort.into_iter().flat_map(split);
        SelectionOptions {
            show: self.show.into_iter().flat_map(split).collect(),
            sort: sort.map(with_threshold).collect(),
            has_own_threshold: self.threshold.is_some(),
            threshold: self.threshold.unwrap_or(default),
            list: ListSelection {
                top: self.top,
                min: self.min,
                shows_omitted: is_limited,
                ..ListSelection::default()
            },
            ..SelectionOptions::default()
        }
    }
}

impl ListArguments {
    pub(crate) fn list(&self) -> ListOptions {
        ListOptions {
            inclusive: self.inclusive,
            nested: self.nested == Some(true),
            tree: self.tree,
            by_line: false,
            depth: self.depth.map(|depth| depth as usize),
            cycles: self.cycles,
        }
    }

    pub(crate) fn row_by(&self) -> RowBy {
        if !self.bucket.is_empty() {
            return RowBy::Bucket;
        }
        match self.group_by {
            Grouping::By(row_by) => row_by,
            Grouping::Inlined => RowBy::Function,
        }
    }

    pub(super) fn buckets(&self) -> Vec<Bucket> {
        let bucket = |argument: &BucketArgument| match argument {
            BucketArgument::Bucket(bucket) => Some(bucket.clone()),
            BucketArgument::File(_) => None,
        };
        self.bucket.iter().filter_map(bucket).collect()
    }

    pub(super) fn bucket_files(&self) -> Vec<PathBuf> {
        let file = |argument: &BucketArgument| match argument {
            BucketArgument::File(file) => Some(file.clone()),
            BucketArgument::Bucket(_) => None,
        };
        self.bucket.iter().filter_map(file).collect()
    }
}

fn parse_per(text: &str) -> Result<Pattern, String> {
    let pattern = text.strip_prefix("calls:").ok_or("expected calls: and a pattern")?;
    Pattern::parse(pattern).map_err(|error| error.to_string())
}

/// A bucket, or a file of buckets.
#[derive(Clone, Debug)]
pub(crate) enum BucketArgument {
    Bucket(Bucket),
    File(PathBuf),
}

fn parse_bucket(text: &str) -> Result<BucketArgument, String> {
    match text.strip_prefix('@') {
        Some(file) => Ok(BucketArgument::File(file.into())),
        None => Bucket::parse(text).map(BucketArgument::Bucket),
    }
}

pub(crate) fn parse_threshold(text: &str) -> Result<Threshold, String> {
    Threshold::parse(text).ok_or_else(|| "expected a percentage between 0 and 100".to_owned())
}

/// Splits a list at commas.
fn split(list: OsString) -> impl Iterator<Item = Vec<u8>> {
    let words: Vec<_> = list.as_encoded_bytes().split(|&b| b == b',').map(<[u8]>::to_vec).collect();
    words.into_iter().filter(|word| !word.is_empty())
}

/// Parses `EVENT:PERCENT`. If the text after the colon is not a percentage, it is part of the
/// event's name.
fn with_threshold(word: Vec<u8>) -> (Vec<u8>, Option<Threshold>) {
    let colon = word.iter().rposition(|&b| b == b':');
    let threshold =
        colon.and_then(|at| Threshold::parse(std::str::from_utf8(&word[at + 1..]).ok()?));
    match (colon, threshold) {
        (Some(at), Some(threshold)) => (word[..at].to_vec(), Some(threshold)),
        _ => (word, None),
    }
}

const TREES: &[(&str, Tree)] = &[
    ("none", &[]),
    ("callers|caller", &[PathDirection::Callers]),
    ("callees|calling", &[PathDirection::Callees]),
    ("both", &[PathDirection::Callers, PathDirection::Callees]),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grouping {
    By(RowBy),
    /// A function, including inlined ones.
    Inlined,
}

const GROUPS: &[(&str, Grouping)] = &[
    ("function|functions", Grouping::By(RowBy::Function)),
    ("file:function", Grouping::By(RowBy::FileFunction)),
    ("inlined", Grouping::Inlined),
    ("line|lines|file:line", Grouping::By(RowBy::Line)),
    ("thread|threads", Grouping::By(RowBy::Thread)),
    ("part|parts", Grouping::By(RowBy::Part)),
    ("process|processes|pid|run|runs", Grouping::By(RowBy::Process)),
    ("file|files|source|sources", Grouping::By(RowBy::File)),
    ("folder|folders|directory|directories|dir", Grouping::By(RowBy::Folder)),
    ("object|objects|dso|lib|library|libraries", Grouping::By(RowBy::Object)),
    ("namespace|class|module|package", Grouping::By(RowBy::Namespace)),
    ("crate|crates", Grouping::By(RowBy::Crate)),
    ("template|generic", Grouping::By(RowBy::Template)),
    ("name", Grouping::By(RowBy::Name)),
    ("instruction|instructions|address", Grouping::By(RowBy::Instruction)),
];
