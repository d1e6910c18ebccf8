//! The options of reading, for both commands.

use clap::Args;

use crate::options::Per;
use crate::profile::{Formula, SuffixFold};
use crate::read::{ReadOptions, Substitution};
use crate::view::Pattern;

#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
pub(super) struct ReadArguments {
    /// Read only these parts (dumps)
    #[arg(long, hide_short_help = true, value_name = "N,N")]
    #[arg(value_delimiter = ',')]
    part: Vec<String>,

    /// Read only the parts of these threads
    #[arg(long, hide_short_help = true, value_name = "N,N")]
    #[arg(value_delimiter = ',')]
    thread: Vec<String>,

    /// Define an event, such as 'Misses = D1mr + D1mw' (repeatable)
    ///
    /// FORMULA is a sum of events, each with an optional factor: '[N] EVENT + [N] EVENT - [N] EVENT', or a ratio, which is shown but never summed: 'D1mr / Dr', '(D1mr + D1mw) / (Dr + Dw)'. The events L1m, L2m,
    /// LLm, Bm and CEst are defined as in KCachegrind, and a profile may define events of its own.
    #[arg(long, hide_short_help = true, value_name = "NAME = FORMULA", value_parser = parse_event)]
    event: Vec<(Vec<u8>, Formula)>,

    /// Rewrite file names (repeatable)
    ///
    /// Files whose names become equal are merged. Any character may take the place of the slashes; `i` ignores case, `g`
    /// replaces every match; \1 is the first group in parentheses.
    #[arg(long, hide_short_help = true, value_name = "s/REGEX/TEXT/[gi]", value_parser = Substitution::parse)]
    mod_filename: Vec<Substitution>,

    /// Rewrite function names (repeatable)
    #[arg(long, hide_short_help = true, value_name = "s/REGEX/TEXT/[gi]", value_parser = Substitution::parse)]
    mod_funcname: Vec<Substitution>,

    /// Merge calling contexts (f'caller), recursion levels (f'2)
    ///
    /// They come from Callgrind's options --separate-callers and --separate-recs. [default: none; recursion for --layout=columns]
    #[arg(long, hide_short_help = true)]
    #[arg(value_name = "callers,recursion|none", value_delimiter = ',')]
    #[arg(hide_possible_values = true, value_parser = ["callers", "recursion", "none"])]
    fold: Vec<String>,
}

impl ReadArguments {
    /// Merges levels of recursion, unless the user said what is merged.
    pub(super) fn fold_recursion(&mut self) {
        if self.fold.is_empty() {
            self.fold.push("recursion".to_owned());
        }
    }

    pub(super) fn fold(&self) -> SuffixFold {
        let has = |what| self.fold.iter().any(|fold| fold == what);
        SuffixFold {
            callers: has("callers"),
            recursion: has("recursion"),
        }
    }

    /// How profiles are read, and the defined events. A report that is a profile keeps file names as they are: it has to
    /// hold wherever it is read.
    pub(super) fn into_options(self, is_profile: bool) -> (ReadOptions, Vec<(Vec<u8>, Formula)>) {
        let bytes = |words: Vec<String>| words.into_iter().map(String::into_bytes).collect();
        let options = ReadOptions {
            working_dir: working_dir().filter(|_| !is_profile),
            fold: self.fold(),
            rename_files: self.mod_filename,
            rename_functions: self.mod_funcname,
            parts: bytes(self.part),
            threads: bytes(self.thread),
            ..ReadOptions::default()
        };
        (options, self.event)
    }
}

/// The current directory.
pub(super) fn working_dir() -> Option<Vec<u8>> {
    let dir = std::env::current_dir().ok()?;
    Some(dir.into_os_string().into_encoded_bytes())
}

fn parse_event(text: &str) -> Result<(Vec<u8>, Formula), String> {
    Formula::parse_ratio_definition(text.as_bytes()).ok_or_else(|| {
        "expected NAME = [N] EVENT + [N] EVENT ..., or such sums with / between them".to_owned()
    })
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Report")]
pub(super) struct ScaleArguments {
    /// Divide all counts by N, or by the calls of a function
    ///
    /// `calls:PATTERN` divides by the number of calls to matching functions from functions that do not match, which gives the
    /// cost per request or iteration. With --diff each side is divided by its own number. Limits apply to the result.
    #[arg(long, hide_short_help = true, value_name = "N|calls:PATTERN", value_parser = parse_per)]
    pub(super) per: Option<Per>,

    /// With --diff: scale BASE to NEW's total of the first event
    ///
    /// What remains is how the shares of the total changed. Counts are rounded to the nearest integer.
    #[arg(long, hide_short_help = true, requires = "diff")]
    #[arg(conflicts_with = "fail_above")]
    pub(super) normalize: bool,
}

fn parse_per(text: &str) -> Result<Per, String> {
    if let Some(pattern) = text.strip_prefix("calls:") {
        let pattern = Pattern::parse(pattern).map_err(|error| error.to_string())?;
        return Ok(Per::Calls(pattern));
    }
    let number = text.parse().ok().filter(|number| *number > 0);
    number
        .map(Per::Number)
        .ok_or_else(|| "expected a positive integer, or calls: and a pattern".to_owned())
}
