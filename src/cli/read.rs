//! The input options: profiles, for both commands, and programs, whose own profiles are gprof's
//! data.

// `[N]` in a help text is no link.
#![allow(rustdoc::broken_intra_doc_links)]

use std::path::PathBuf;

use clap::Args;

use crate::cli::output;
use crate::cli::spec::{EVERYWHERE, options};
use crate::options::InputOptions;
use crate::profile::{Formula, SuffixFold};
use crate::read::{ReadOptions, Substitution, decimal};

options! {
    #[derive(Args, Debug)]
    #[command(next_help_heading = "Input")]
    pub(crate) struct ReadArguments {
        /// Read only these parts (dumps)
        ///
        /// By their number, or by the name that the program gave them with a client request.
        #[arg(long, hide_short_help = true, value_name = "N,N")]
        #[arg(value_delimiter = ',')]
        part: Vec<String> = EVERYWHERE.repeated(),

        /// Read only the parts of these threads
        #[arg(long, hide_short_help = true, value_name = "N,N")]
        #[arg(value_delimiter = ',')]
        thread: Vec<String> = EVERYWHERE.repeated(),

        /// Define an event, such as 'Misses = D1mr + D1mw' (repeatable)
        ///
        /// FORMULA is a sum of events, each with an optional factor: '[N] EVENT + [N] EVENT - [N]
        /// EVENT', or a ratio, which is shown but never summed: 'D1mr / Dr', '(D1mr + D1mw) / (Dr +
        /// Dw)'. N may have up to nine decimals: 'ms = 0.00001 Time' has Xdebug's units of 10 ns as
        /// milliseconds. The events L1m, L2m, LLm, Bm and CEst are defined as in KCachegrind, and a
        /// profile may define events of its own.
        #[arg(long, hide_short_help = true, value_name = "NAME = FORMULA", value_parser = parse_event)]
        event: Vec<(Vec<u8>, Formula)> = EVERYWHERE.repeated(),

        /// Rewrite file names (repeatable)
        ///
        /// Files whose names become equal are merged. Any character may take the place of the
        /// slashes; `i` ignores case, `g` replaces every match; \1 is the first group in
        /// parentheses.
        #[arg(long, hide_short_help = true, value_name = "s/REGEX/TEXT/[gi]", value_parser = Substitution::parse)]
        mod_filename: Vec<Substitution> = EVERYWHERE.repeated(),

        /// Rewrite function names (repeatable)
        #[arg(long, hide_short_help = true, value_name = "s/REGEX/TEXT/[gi]", value_parser = Substitution::parse)]
        mod_funcname: Vec<Substitution> = EVERYWHERE.repeated(),

        /// Merge calling contexts (f'caller), recursion levels (f'2)
        ///
        /// They come from Callgrind's options --separate-callers and --separate-recs. [default:
        /// recursion; none for classic, and formats of stacks and graphs]
        #[arg(long, hide_short_help = true)]
        #[arg(value_name = "callers,recursion|none", value_delimiter = ',')]
        #[arg(hide_possible_values = true, value_parser = ["callers", "recursion", "none"])]
        fold: Vec<String> = EVERYWHERE.repeated(),
    }
}

impl ReadArguments {
    /// Merges recursion levels, unless --fold is given.
    pub(crate) fn fold_recursion(&mut self) {
        if self.fold.is_empty() {
            self.fold.push("recursion".to_owned());
        }
    }

    /// Whether the name is a ratio of events, or one that is defined as such.
    pub(crate) fn is_ratio(&self, name: &[u8]) -> bool {
        let mut events = self.event.iter();
        name.contains(&b'/')
            || events.any(|(defined, formula)| defined == name && formula.is_ratio())
    }

    pub(crate) fn merged_suffixes(&self) -> SuffixFold {
        let has = |what| self.fold.iter().any(|fold| fold == what);
        SuffixFold { callers: has("callers"), recursion: has("recursion") }
    }

    /// The input options. If the report is a profile, file names are not shortened by the current
    /// directory.
    pub(crate) fn into_options(self, files: Vec<PathBuf>, is_profile: bool) -> InputOptions {
        let numbers =
            |words: Vec<String>| words.iter().map(|word| decimal(word.as_bytes())).collect();
        InputOptions {
            files,
            read: ReadOptions {
                working_dir: working_dir().filter(|_| !is_profile),
                fold: self.merged_suffixes(),
                rename_files: self.mod_filename,
                rename_functions: self.mod_funcname,
                parts: numbers(self.part),
                threads: numbers(self.thread),
                ..ReadOptions::default()
            },
            events: self.event,
            progress: output::shows_progress(),
            ..InputOptions::default()
        }
    }
}

pub(crate) fn working_dir() -> Option<Vec<u8>> {
    let dir = std::env::current_dir().ok()?;
    Some(dir.into_os_string().into_encoded_bytes())
}

fn parse_event(text: &str) -> Result<(Vec<u8>, Formula), String> {
    Formula::parse_definition(text.as_bytes(), false).ok_or_else(|| {
        "expected NAME = [N] EVENT + [N] EVENT ... with at most nine decimals in N, or such sums with / between them; --show=EVENT shows an event of \
         the profile"
            .to_owned()
    })
}
