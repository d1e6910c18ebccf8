//! The options that filter rows, for both commands.

use std::path::Path;

use clap::Args;

use super::read::working_dir;
use super::spec::{EVERYWHERE, about, options};
use crate::render::Feature;
use crate::view::filter::IncludeExclude;
use crate::view::{Charged, Filter, Kept, KeptCode, Pattern, Rule};

options! {
    #[derive(Args, Debug)]
    #[command(next_help_heading = "Filters")]
    pub(crate) struct FilterArguments {
        /// This function, or '*text*', /regex/; ! excludes
        ///
        /// May be repeated: one of the patterns has to match, and none of those with `!`. A glob
        /// such as `*alloc*` is about names as they are shown; with `<`, `(`, `&`, a comma or a
        /// blank it is about template arguments and parameters too.
        #[arg(short, long, value_name = "[!]PATTERN", value_parser = SignedPattern::parse)]
        function: Vec<SignedPattern> = about(Feature::Filters).changing_rows(),

        /// Only code from matching source files
        ///
        /// A glob that does not begin with a slash matches the end of a path too: `src/a.c`. Files
        /// below the current directory match in full and relative to it, and alone if the pattern
        /// begins with `./`: `./src` is all that is in that folder.
        #[arg(long = "file", value_name = "[!]PATTERN", value_parser = SignedPattern::parse)]
        source_file: Vec<SignedPattern> = about(Feature::Filters).changing_rows(),

        /// Only functions in matching programs and libraries
        ///
        /// A glob that does not begin with a slash matches the end of a path too: `libc.so*`.
        #[arg(long, value_name = "[!]PATTERN", value_parser = SignedPattern::parse)]
        object: Vec<SignedPattern> = about(Feature::Filters).changing_rows(),

        /// My code (of FOLDER), with its libraries' cost
        ///
        /// The sources below the current directory, and in their costs those of all other code that
        /// they call: as with --file='./*', and --charge-to-callers for what is elsewhere. If none
        /// is there, those that are not known to be of the system, a toolchain or a package. A
        /// FOLDER, or a pattern for source files, is about the paths of the profile. What is built
        /// into an interpreter, and packages below the directory (site-packages, node_modules), are
        /// not mine. Inlined code counts to the lines that call it with --inlines.
        #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true)]
        #[arg(default_missing_value = "", value_parser = OwnFolder::parse)]
        mine: Option<OwnFolder> = about(Feature::Filters).changing_rows(),

        /// Charge what matches to its callers
        ///
        /// May be repeated. Matching functions, source files and objects (after `function:`,
        /// `file:` or `object:` only these) have no rows: their cost is that of the functions and
        /// lines that called them, over any number of levels, split by recorded inclusive costs;
        /// what nobody called is `(start-up)`. `std`: the libraries of C, C++ and Rust, and the
        /// loader.
        ///
        /// The calls out of a function with many callers and callees (more than 32 new calls for
        /// each of both) are charged only to the callers that paid most; a note says so.
        #[arg(long, hide_short_help = true, value_name = "PATTERN")]
        #[arg(value_parser = |text: &str| Charged::parse(text))]
        charge_to_callers: Vec<Charged> = about(Feature::OtherFunctions).changing_rows(),

        /// Only what happened while a matching function ran
        ///
        /// May be repeated. The profile of that alone: the function, all that it called, on its
        /// behalf, and the calls that led to it. 100% is what it cost. What its callees did for
        /// other callers, too, is divided by what these paid: such an estimate has a mark (~30.1%),
        /// and the header says how much of the cost is exact. The function's callers have no rows.
        /// It applies to all that is reported, to limits, too.
        #[arg(long, hide_short_help = true, value_name = "PATTERN", value_parser = parse_pattern)]
        below: Vec<Pattern> = EVERYWHERE.repeated(),

        /// Without what happened while a matching function ran
        ///
        /// May be repeated: the opposite of --below, for example without what sets up a test.
        #[arg(long, hide_short_help = true, value_name = "PATTERN", value_parser = parse_pattern)]
        without: Vec<Pattern> = EVERYWHERE.repeated(),
    }
}

fn parse_pattern(text: &str) -> Result<Pattern, String> {
    Pattern::parse(text).map_err(|error| error.to_string())
}

#[derive(Clone, Debug)]
pub(crate) struct SignedPattern {
    excludes: bool,
    pattern: Pattern,
}

impl SignedPattern {
    pub(crate) fn parse(text: &str) -> Result<SignedPattern, String> {
        let pattern = text.strip_prefix('!');
        let excludes = pattern.is_some();
        let pattern = Pattern::parse(pattern.unwrap_or(text)).map_err(|error| error.to_string())?;
        Ok(SignedPattern { excludes, pattern })
    }

    /// Lets paths below the current directory match both in full and relative to it.
    fn below(self, dir: Option<&[u8]>) -> SignedPattern {
        let anchored = anchored(&self.pattern.text, dir);
        let pattern = anchored.unwrap_or(self.pattern).in_dir(dir);
        SignedPattern { pattern, ..self }
    }

    fn without_packages(self) -> SignedPattern {
        SignedPattern { pattern: self.pattern.without_packages(), ..self }
    }
}

/// The folder of `--mine`.
#[derive(Clone, Debug)]
pub(crate) struct OwnFolder {
    /// As it was given; none for the current directory.
    name: Option<String>,
    /// Of a name: its sources.
    pattern: Option<Pattern>,
}

impl OwnFolder {
    fn here() -> OwnFolder {
        OwnFolder { name: None, pattern: None }
    }

    /// A folder of the profile's paths, which may be the end of several; a pattern for its sources;
    /// nothing for the current directory.
    fn parse(text: &str) -> Result<OwnFolder, String> {
        let name = text.trim_end_matches('/');
        if name.is_empty() {
            return Ok(OwnFolder::here());
        }
        let is_glob = name.contains(['*', '?']) || is_from_here(name);
        let glob = if is_glob {
            name.to_owned()
        } else {
            let escaped = escaped(name);
            format!("{{{escaped},*/{escaped},{escaped}/*,*/{escaped}/*}}")
        };
        let pattern = parse_pattern(&glob)?;
        Ok(OwnFolder { name: Some(name.to_owned()), pattern: Some(pattern) })
    }

    /// The pattern for its sources.
    fn sources(&self, here: Option<&[u8]>) -> Option<SignedPattern> {
        let is_here = self.pattern.is_none();
        let pattern = self.pattern.clone().or_else(|| Pattern::parse("./*").ok())?;
        let sources = SignedPattern { excludes: false, pattern }.below(here);
        Some(if is_here { sources.without_packages() } else { sources })
    }
}

/// Whether a pattern is that of a path from the current directory, or from one above it.
fn is_from_here(text: &str) -> bool {
    matches!(text.split('/').next(), Some("." | ".."))
}

/// A pattern that begins with `./` or `../` matches only paths below the current directory, or one
/// above it; a folder matches its files.
fn anchored(pattern: &[u8], dir: Option<&[u8]>) -> Option<Pattern> {
    let text = String::from_utf8_lossy(pattern);
    if !is_from_here(&text) {
        return None;
    }
    let (mut dir, mut below) = (Path::new(str::from_utf8(dir?).ok()?), &text[..]);
    while is_from_here(below) {
        let (first, rest) = below.split_once('/').unwrap_or((below, ""));
        if first == ".." {
            dir = dir.parent()?;
        }
        below = rest;
    }
    let all = match below.trim_end_matches('/') {
        "" => "*".to_owned(),
        folder if Path::new(&*text).is_dir() => format!("{folder}/*"),
        _ => below.to_owned(),
    };
    let dir = dir.to_str()?.trim_end_matches('/');
    Pattern::parse(&format!("{}/{all}", escaped(dir))).ok()
}

/// A glob that only this text matches.
fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        '*' | '?' | '[' | ']' | '{' | '}' | ',' | '\\' => vec!['\\', c],
        c => vec![c],
    };
    text.chars().flat_map(escape).collect()
}

impl FilterArguments {
    /// The parts of the profile that are kept, in the order in which they are taken.
    pub(crate) fn take_kept(&mut self) -> Vec<KeptCode> {
        let below = (Kept::Below, std::mem::take(&mut self.below));
        let without = (Kept::Rest, std::mem::take(&mut self.without));
        let given = [below, without].into_iter().filter(|(_, patterns)| !patterns.is_empty());
        given.map(|(kept, patterns)| KeptCode { kept, patterns }).collect()
    }

    /// The filter, the code charged to its callers, and with `--mine` or `needs_foreign` the
    /// foreign code, which is not below the current directory.
    pub(crate) fn into_options(
        self,
        needs_foreign: bool,
    ) -> (Filter, Vec<Charged>, Option<Charged>) {
        let dir = working_dir();
        let here = dir.as_deref();
        // Compiling a pattern takes a tenth of the time of a small profile.
        let is_mine = self.mine.is_some();
        let folder = self.mine.or_else(|| needs_foreign.then(OwnFolder::here));
        let own = folder.as_ref().and_then(|folder| folder.sources(here));
        let name = folder.and_then(|folder| folder.name);
        let foreign = own.clone().map(|own| Charged::all_but(own.pattern, name));
        let mine = own.filter(|_| is_mine);
        let requested = self.charge_to_callers.into_iter().map(|charged| charged.in_dir(here));
        let files = self.source_file.into_iter().map(|file| file.below(here)).chain(mine);
        let choices = [
            choice("function", self.function),
            choice("file", files),
            choice("object", self.object),
        ];
        let filter = Filter { choices: choices.into_iter().flatten().collect(), fragments: None };
        let charged = requested.chain(foreign.clone().filter(|_| is_mine));
        (filter, charged.collect(), foreign)
    }
}

/// The patterns of one option, if it is given.
pub(crate) fn choice(
    kind: &str,
    patterns: impl IntoIterator<Item = SignedPattern>,
) -> Option<IncludeExclude> {
    let mut choice = IncludeExclude::default();
    for SignedPattern { excludes, pattern } in patterns {
        let rules = if excludes { &mut choice.exclude } else { &mut choice.include };
        rules.push(Rule::of(kind, pattern));
    }
    let is_given = !choice.include.is_empty() || !choice.exclude.is_empty();
    is_given.then_some(choice)
}
