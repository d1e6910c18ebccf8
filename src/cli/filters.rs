//! The options that ask for some of the rows only.

use clap::{Args, ValueEnum};

use super::parse_threshold;
use crate::profile::Fold;
use crate::view::filter::Choice;
use crate::view::{Filter, Grouping, Pattern, Rule, SelectionOptions, Threshold};

#[derive(Args, Debug)]
#[command(next_help_heading = "FilterOptions, for all views")]
pub(super) struct FilterArguments {
    /// Show only functions of this name: a shell glob or a /regular expression/; `!PATTERN` leaves out; may be repeated
    #[arg(long, value_name = "[!]PATTERN", value_parser = SignedPattern::parse)]
    function: Vec<SignedPattern>,

    /// Show only what lies in source files of this name; one without a slash may be the last part of a path
    #[arg(long = "file", value_name = "[!]PATTERN", value_parser = SignedPattern::parse)]
    source_file: Vec<SignedPattern>,

    /// Show only functions of the objects (programs and libraries) of this name, likewise
    #[arg(long, value_name = "[!]PATTERN", value_parser = SignedPattern::parse)]
    object: Vec<SignedPattern>,

    /// List at most so many rows; there is no --threshold then, unless it is given too
    #[arg(long, value_name = "N")]
    top: Option<usize>,

    /// List only rows with at least this percentage of the first sort event, each by itself; --threshold likewise
    #[arg(long, value_name = "0-100", value_parser = parse_threshold)]
    min: Option<Threshold>,

    /// What a row is: a function in a file; or all that lies in a file; or all functions of an object, of a C++ or Rust namespace, or of a name, whatever their files
    #[arg(long, value_name = "WHAT", default_value = "function")]
    group_by: GroupingArgument,

    /// Tell how often each row was called, by others and by itself, and what one call cost; `--sort=calls` sorts by that
    #[arg(long)]
    calls: bool,

    /// Make one function of callgrind's contexts (f'caller), of its levels of recursion (f'2), or of both
    #[arg(
        long,
        value_name = "callers,recursion",
        value_delimiter = ',',
        hide_possible_values = true
    )]
    fold: Vec<FoldArgument>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GroupingArgument {
    Function,
    File,
    Object,
    Namespace,
    Name,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FoldArgument {
    Callers,
    Recursion,
}

/// A pattern, and whether what fits it is left out.
#[derive(Clone, Debug)]
struct SignedPattern {
    excludes: bool,
    pattern: Pattern,
}

impl SignedPattern {
    fn parse(text: &str) -> Result<SignedPattern, String> {
        let pattern = text.strip_prefix('!');
        let excludes = pattern.is_some();
        let pattern = Pattern::parse(pattern.unwrap_or(text)).map_err(|error| error.to_string())?;
        Ok(SignedPattern { excludes, pattern })
    }
}

/// What the options ask for.
pub(super) struct FilterOptions {
    pub(super) filter: Filter,
    top: Option<usize>,
    min: Option<Threshold>,
    calls: bool,
    pub(super) grouping: Grouping,
    pub(super) fold: Fold,
}

impl FilterArguments {
    pub(super) fn into_options(self) -> FilterOptions {
        let FilterArguments {
            function,
            source_file,
            object,
            top,
            min,
            group_by,
            calls,
            fold,
        } = self;
        let of_function = choice(function, |function| Rule {
            function,
            ..Rule::default()
        });
        let of_file = choice(source_file, |file| Rule {
            file,
            ..Rule::default()
        });
        let of_object = choice(object, |object| Rule {
            object,
            ..Rule::default()
        });
        let choices = [of_function, of_file, of_object].into_iter().flatten();
        FilterOptions {
            filter: Filter {
                choices: choices.collect(),
            },
            top,
            min,
            calls,
            grouping: match group_by {
                GroupingArgument::Function => Grouping::Function,
                GroupingArgument::File => Grouping::File,
                GroupingArgument::Object => Grouping::Object,
                GroupingArgument::Namespace => Grouping::Namespace,
                GroupingArgument::Name => Grouping::Name,
            },
            fold: Fold {
                callers: fold.contains(&FoldArgument::Callers),
                recursion: fold.contains(&FoldArgument::Recursion),
            },
        }
    }
}

impl FilterOptions {
    /// Puts into `options` how far the list goes: without `threshold`, as far as `--top` and `--min` let it, or to
    /// 99%.
    pub(super) fn apply_to(&self, threshold: Option<Threshold>, options: &mut SelectionOptions) {
        let is_limited = self.top.is_some() || self.min.is_some();
        let default = || {
            if is_limited {
                Threshold::all()
            } else {
                Threshold::default()
            }
        };
        options.threshold = threshold.unwrap_or_else(default);
        options.top = self.top;
        options.min = self.min.clone();
        options.calls = self.calls;
        options.tells_rest = is_limited
            || self.calls
            || !self.filter.is_empty()
            || self.grouping != Grouping::Function
            || self.fold != Fold::default();
    }
}

/// The choice that one option makes, if it is given.
fn choice(terms: Vec<SignedPattern>, rule: impl Fn(Option<Pattern>) -> Rule) -> Option<Choice> {
    let is_given = !terms.is_empty();
    let mut choice = Choice::default();
    for term in terms {
        let rules = if term.excludes {
            &mut choice.exclude
        } else {
            &mut choice.include
        };
        rules.push(rule(Some(term.pattern)));
    }
    is_given.then_some(choice)
}
