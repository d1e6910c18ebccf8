//! The options that say where a report is written, in which format and for which terminal.

use std::env;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anstream::{AutoStream, ColorChoice};
use clap::{Args, ValueEnum, ValueHint};

use crate::cli::spec::{EVERYWHERE, Given, about, options};
use crate::cli::words;
use crate::render::{FORMATS, Feature, Format};

/// The files that can be generated from the definition of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GenerateArgument {
    Man,
    ManGprof,
    ManRecord,
    CompleteBash,
    CompleteZsh,
    CompleteFish,
}

options! {
    /// For both commands.
    #[derive(Args, Debug)]
    #[command(next_help_heading = "Output")]
    pub(crate) struct OutputArguments {
        /// Write to FILE instead of standard output
        ///
        /// The file appears when all is written, or not at all.
        #[arg(short, long, hide_short_help = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
        output: Option<PathBuf> = EVERYWHERE.of_callgrind_annotate().not_repeated(),

        /// When to use colour
        ///
        /// `auto` is on a terminal, unless NO_COLOR is set or TERM is dumb.
        #[arg(long, hide_short_help = true, value_name = "WHEN")]
        #[arg(default_value = "auto")]
        color: clap::ColorChoice = about(Feature::Colours).or(has_no_colours).of_callgrind_annotate().not_repeated(),
    }
}

options! {
    /// For the report and its formats.
    #[derive(Args, Debug)]
    #[command(next_help_heading = "Output")]
    pub(crate) struct FormatArguments {
        /// html, json, csv, markdown, flamegraph, ...; -o FILE
        ///
        /// text is what a terminal gets, classic callgrind_annotate's page: in a pipe the default
        /// if no option is given that callgrind_annotate does not have. html is a page for a
        /// browser: functions, callers, callees, sources, flame graphs and call graphs in one file,
        /// with the text of the sources (your own whole, unless --context is given), and where the
        /// profile has addresses the machine code of the most expensive functions (at most 3,000
        /// executed instructions, or 10,000 if the first one has them), unless --auto=no is given.
        /// json has the list with callees and lines, csv the list (tsv: with tabs between fields),
        /// markdown its first rows for a pull request; folded has estimated stacks (with --top the
        /// most expensive ones), flamegraph draws them (SVG), pprof or speedscope has them for
        /// pprof, Speedscope and Pyroscope (binary and compressed), dot the call graph for Graphviz
        /// (its 60 most expensive functions unless --top or --min is given), callgrind the profile
        /// itself: merged, renamed or filtered, with addresses and jumps. [default: what the ending
        /// of --output says: csv, dot, folded, html, json, md, svg (a flame graph), tsv; else text
        /// or classic]
        #[arg(long, value_name = "FORMAT")]
        #[arg(hide_possible_values = true, value_parser = words(FORMATS))]
        pub(crate) format: Option<Format> = EVERYWHERE.not_repeated(),

        /// Link places in sources to an editor
        ///
        /// TEMPLATE is an address with {path} and {line}, such as vscode://file/{path}:{line}.
        #[arg(long, hide_short_help = true, value_name = "TEMPLATE", value_parser = editor)]
        pub(crate) editor: Option<String> = about(Feature::Editor),

        /// Print a man page or shell completions and exit
        #[arg(long, hide_short_help = true, value_name = "WHAT", exclusive = true)]
        pub(crate) generate: Option<GenerateArgument> = EVERYWHERE,
    }
}

/// The template of an editor's addresses: with the scheme of a program, not one of the browser's
/// own.
fn editor(text: &str) -> Result<String, &'static str> {
    let (scheme, _) = text.split_once("://").ok_or("expected SCHEME://...{path}")?;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic());
    if !is_scheme || !scheme.bytes().all(is_part) {
        return Err("expected SCHEME://...{path}");
    }
    if OWN_SCHEMES.contains(&&*scheme.to_ascii_lowercase()) {
        return Err("this scheme is the browser's own, not an editor's");
    }
    if !text.contains("{path}") {
        return Err("it has no {path}");
    }
    Ok(text.to_owned())
}

/// The schemes that browsers open themselves.
const OWN_SCHEMES: [&str; 12] = [
    "about",
    "blob",
    "chrome",
    "data",
    "file",
    "ftp",
    "http",
    "https",
    "javascript",
    "vbscript",
    "view-source",
    "ws",
];

/// A format without colours has none by `--color=never` and `--color=auto`.
fn has_no_colours(given: &Given<'_>) -> bool {
    given.value(OutputArguments::color()) != Some(clap::ColorChoice::Always)
}

/// The endings of files that say in which format they are written.
const ENDINGS: [(&str, &str); 9] = [
    ("csv", "csv"),
    ("dot", "dot"),
    ("folded", "folded"),
    ("htm", "html"),
    ("html", "html"),
    ("json", "json"),
    ("md", "markdown"),
    ("svg", "flamegraph"),
    ("tsv", "tsv"),
];

impl OutputArguments {
    /// The format that the name of the file says by its ending.
    pub(crate) fn format_of_name(&self) -> Option<Format> {
        let ending = self.output.as_ref()?.extension()?.to_str()?;
        let (_, name) = ENDINGS.iter().find(|(known, _)| *known == ending)?;
        let is_named = |(names, _): &&(&str, Format)| names.split('|').any(|known| known == *name);
        FORMATS.iter().find(is_named).map(|&(_, format)| format)
    }

    pub(crate) fn is_stdout(&self) -> bool {
        self.output.as_deref().is_none_or(is_name_of_stdout)
    }

    /// Whether to use colour. `auto` depends on standard output, if the report goes there, and on
    /// the variables CLICOLOR and CLICOLOR_FORCE.
    pub(crate) fn has_colours(&self) -> bool {
        let is_terminal = || AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        match self.color {
            clap::ColorChoice::Auto => self.is_stdout() && is_terminal(),
            clap::ColorChoice::Always => true,
            clap::ColorChoice::Never => false,
        }
    }

    /// The file to write to; none for standard output.
    pub(crate) fn into_file(self) -> Option<PathBuf> {
        self.output.filter(|file| !is_name_of_stdout(file))
    }
}

fn is_name_of_stdout(file: &Path) -> bool {
    ["-", "/dev/stdout"].map(Path::new).contains(&file)
}

options! {
    /// For both commands.
    #[derive(Args, Debug)]
    #[command(next_help_heading = "Output")]
    pub(crate) struct PagerArguments {
        /// Read reports on a terminal through a pager
        ///
        /// The pager is the command in CGANNOTATE_PAGER, or else in PAGER, or else `less -RFX`.
        #[arg(long, hide_short_help = true, value_name = "yes|no")]
        #[arg(default_value = "yes")]
        pager: bool = EVERYWHERE.of_callgrind_annotate().not_repeated(),
    }
}

impl PagerArguments {
    /// The pager's command with its arguments; empty for no pager.
    pub(crate) fn command(&self, on_stdout: bool) -> Vec<String> {
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        if !self.pager || !is_terminal(on_stdout) || is_dumb() || is_set("CI") {
            return Vec::new();
        }
        let variable = env::var("CGANNOTATE_PAGER").or_else(|_| env::var("PAGER"));
        let text = variable.unwrap_or_else(|_| "less -RFX".to_owned());
        let words = shlex::split(&text)
            .unwrap_or_else(|| text.split_whitespace().map(str::to_owned).collect());
        match &words[..] {
            [only] if only == "cat" => Vec::new(),
            _ => words,
        }
    }
}

pub(crate) fn is_terminal(on_stdout: bool) -> bool {
    on_stdout && io::stdout().is_terminal()
}

/// Whether the locale of the terminal has the characters of all languages.
pub(crate) fn is_utf8_locale() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(set)
        .unwrap_or_default()
        .to_ascii_lowercase();
    locale.ends_with("utf-8") || locale.ends_with("utf8")
}

/// The maximum width of a line in columns: the given one, or the width of the terminal if the
/// report goes there, or else `default`.
pub(crate) fn columns(
    given: Option<usize>,
    on_stdout: bool,
    default: Option<usize>,
) -> Option<usize> {
    let of_terminal = || {
        is_terminal(on_stdout).then_some(())?;
        let size = terminal_size::terminal_size_of(io::stdout());
        let of_shell = || env::var("COLUMNS").ok()?.parse().ok();
        // A terminal may have no size, as in some CI jobs.
        size.map(|(width, _)| usize::from(width.0)).or_else(of_shell)
    };
    let columns = given.or_else(of_terminal).or(default);
    columns.filter(|&columns| columns > 0)
}

fn is_dumb() -> bool {
    env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Whether a progress bar can be drawn on standard error.
pub(crate) fn shows_progress() -> bool {
    !is_dumb() && io::stderr().is_terminal()
}

pub fn message_width() -> Option<usize> {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map(|(width, _)| usize::from(width.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_by_the_endings_of_files() {
        let table = [
            ("report.html", Some("html")),
            ("out/lines.json", Some("json")),
            ("table.md", Some("markdown")),
            ("flame.svg", Some("flamegraph")),
            ("p.tsv", Some("tsv")),
            ("report.txt", None),
            ("html", None),
            ("/dev/null", None),
        ];
        for (file, expected) in table {
            let arguments = OutputArguments {
                output: Some(PathBuf::from(file)),
                color: clap::ColorChoice::Auto,
            };
            assert_eq!(arguments.format_of_name().map(Format::name), expected, "{file}");
        }
    }
}
