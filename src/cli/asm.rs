//! The options about instructions and annotated sources: which are shown, and where they are found.

use std::ffi::OsString;
use std::path::Path;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{ArgGroup, Args, ValueHint};

use crate::cli::diff::has_lines;
use crate::cli::filters::{SignedPattern, choice};
use crate::cli::list::{Grouping, InlinesArguments, ListArguments, parse_threshold};
use crate::cli::spec::{Given, about, options};
use crate::options::CodeOptions;
use crate::render::Feature;
use crate::source::{Objdump, SourceMap};
use crate::view::asm::AsmOptions;
use crate::view::{RowBy, Threshold};

options! {
    #[derive(Args, Debug)]
    #[command(next_help_heading = "Sources and instructions")]
    #[command(group(ArgGroup::new("disassembly").args(["asm", "group_by"]).multiple(true)))]
    pub(crate) struct AsmArguments {
        /// Instructions of matching functions, or all listed
        ///
        /// PATTERN is one of functions; -g instruction lists the most expensive instructions, with
        /// their texts. May be repeated. Sources are annotated only if --auto is given too. With
        /// SOURCE:LINE only the instructions of that line are shown, and those around them.
        #[arg(long, value_name = "[!]PATTERN")]
        #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
        #[arg(value_parser = parse_pattern)]
        asm: Vec<AsmPattern> = about(Feature::Instructions).changing_rows(),

        /// Show only the most expensive instructions [default: 100]
        ///
        /// They cover PERCENT of the self cost of their function.
        #[arg(long, hide_short_help = true, value_name = "PERCENT", value_parser = parse_threshold, requires = "asm")]
        asm_threshold: Option<Threshold> = about(Feature::Instructions),

        /// The disassembler [default: $OBJDUMP, or objdump]
        ///
        /// Its options may follow, as in a shell. It is for --asm and --group-by=instruction.
        #[arg(long, hide_short_help = true, value_name = "COMMAND", value_hint = ValueHint::ExecutablePath, requires = "disassembly")]
        #[arg(value_parser = OsStringValueParser::new().try_map(disassembler))]
        objdump: Option<Disassembler> = about(Feature::Instructions).or(lists_instructions),

        /// Show how often lines were executed, and their jumps
        ///
        /// Jumps are shown where they are recorded (with Callgrind's --collect-jumps=yes). The
        /// executions of a line are those of its most executed instruction, or in optimized code
        /// of gcc, without --inlines, of its most executed statement, with all copies of it; they
        /// are marked ~ where optimized code leaves them open. A line of which none was executed
        /// did not run, or has no code of its own. They and the executions of instructions with
        /// --asm need a profile with addresses (--dump-instr=yes).
        #[arg(long, conflicts_with = "diff")]
        counts: bool = about(Feature::Executions).changing_rows(),
    }
}

/// Whether the rows of the list are instructions, with their texts.
fn lists_instructions(given: &Given<'_>) -> bool {
    let group_by = given.value(ListArguments::group_by());
    given.format.has(Feature::InstructionRows) && group_by == Some(Grouping::By(RowBy::Instruction))
}

/// The maximum number of executed instructions in a page for a browser.
const MAX_IN_PAGE: usize = 3000;

/// A pattern for functions; none for the listed functions.
type AsmPattern = Option<SignedPattern>;

fn parse_pattern(text: &str) -> Result<AsmPattern, String> {
    let pattern = (!text.is_empty()).then(|| SignedPattern::parse(text));
    pattern.transpose()
}

/// A program and its arguments.
pub(crate) type Disassembler = (OsString, Vec<OsString>);

/// The words of a command as a shell reads them. A path with blanks, of a file that exists, is one
/// word.
fn disassembler(command: OsString) -> Result<Disassembler, &'static str> {
    let Some(text) = command.to_str().filter(|_| !Path::new(&command).is_file()) else {
        return Ok((command, Vec::new()));
    };
    let mut words =
        shlex::split(text).ok_or("a quote is not closed")?.into_iter().map(OsString::from);
    let program = words.next().ok_or("expected a program")?;
    Ok((program, words.collect()))
}

/// The disassembler of the environment, or objdump.
pub(crate) fn default_disassembler() -> Disassembler {
    let Some(command) = variable("OBJDUMP") else {
        return ("objdump".into(), Vec::new());
    };
    // With an open quote it is the name of a program that does not exist, which is said.
    disassembler(command.clone()).unwrap_or((command, Vec::new()))
}

/// An environment variable, unless it is empty.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

impl AsmArguments {
    /// Whether the instructions of functions are shown.
    pub(crate) fn is_given(&self) -> bool {
        !self.asm.is_empty()
    }

    /// Whether executions and jumps of source lines are shown.
    pub(crate) fn is_of_lines(&self) -> bool {
        !self.is_given() && self.counts
    }

    /// With `in_page` the report is a page for a browser that may have machine code.
    pub(crate) fn into_options(
        self,
        context: u32,
        group_by: Grouping,
        in_page: bool,
    ) -> CodeOptions {
        let is_given = self.is_given();
        let (program, arguments) = self.objdump.unwrap_or_else(default_disassembler);
        let asm = AsmOptions {
            functions: choice("function", self.asm.into_iter().flatten()),
            threshold: self.asm_threshold.unwrap_or_else(Threshold::all),
            objdump: Objdump { program, arguments, context },
            sysroot: variable("SYSROOT"),
            max_instructions: in_page.then_some(MAX_IN_PAGE),
        };
        let is_by_instruction = group_by == Grouping::By(RowBy::Instruction);
        CodeOptions {
            asm: is_given.then(|| asm.clone()),
            of_rows: is_by_instruction.then(|| asm.alone()),
            of_page: in_page.then_some(asm),
            counts: self.counts,
        }
    }
}

options! {
    #[derive(Args, Debug)]
    #[command(next_help_heading = "Sources and instructions")]
    pub(super) struct AnnotationArguments {
        /// Annotate the sources of all listed functions
        ///
        /// Those of the system and of toolchains too. Without the option only --format=classic
        /// annotates sources. (Other spelling: annotate.)
        #[arg(long, alias = "annotate", value_name = "yes|no", default_value = "yes")]
        #[arg(hide_default_value = true, hide_short_help = true)]
        pub(super) auto: bool = about(Feature::Sources).or(annotates_nothing).of_callgrind_annotate().changing_rows_if(prints_sources),

        /// Lines of context around annotated lines
        #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 8, value_parser = crate::cli::parse_count::<u32>)]
        pub(super) context: u32 = about(Feature::Sources).or(has_code).of_callgrind_annotate(),
    }
}

/// Whether sources stand below the list. A page for a browser has them beside its list in any case.
fn prints_sources(given: &Given<'_>) -> bool {
    given.has(AnnotationArguments::auto()) && !given.format.is_for_browsers
}

/// A format without sources has none by `--auto=no`.
fn annotates_nothing(given: &Given<'_>) -> bool {
    given.value(AnnotationArguments::auto()) == Some(false)
}

options! {
    #[derive(Args, Debug)]
    #[command(next_help_heading = "Sources and instructions")]
    pub(crate) struct SourceArguments {
        /// Also search this directory for sources (repeatable)
        ///
        /// Sources are found by their full paths and by the ends of their paths.
        #[arg(short = 'I', long, hide_short_help = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
        pub(crate) include: Vec<OsString> = about(Feature::Sources).or(finds_objects_or_lines).of_callgrind_annotate().repeated(),

        /// Search for sources with prefix OLD under NEW (repeatable)
        ///
        /// If several match a source, the last one counts.
        #[arg(long, hide_short_help = true, value_name = "OLD=NEW", value_parser = OsStringValueParser::new().try_map(parse_map))]
        pub(crate) source_map: Vec<SourceMap> = about(Feature::Sources).or(finds_objects_or_lines).repeated(),
    }
}

/// Whether a format that has no sources needs objects, which are searched for in the same folders,
/// or lines of sources.
fn finds_objects_or_lines(given: &Given<'_>) -> bool {
    let reads_debug_information =
        given.has(InlinesArguments::inlines()) || given.has(AsmArguments::counts());
    reads_debug_information || has_code(given) || has_lines(given) || lists_instructions(given)
}

fn has_code(given: &Given<'_>) -> bool {
    given.format.has(Feature::Instructions) && given.has(AsmArguments::asm())
}

/// Folders with trailing slashes, so that names can be appended.
pub(crate) fn folders(names: impl IntoIterator<Item = OsString>) -> Vec<Vec<u8>> {
    let with_slash = |name: OsString| {
        let mut name = name.into_encoded_bytes();
        if !name.ends_with(b"/") {
            name.push(b'/');
        }
        name
    };
    names.into_iter().map(with_slash).collect()
}

fn parse_map(text: OsString) -> Result<SourceMap, &'static str> {
    SourceMap::parse(text.as_encoded_bytes()).ok_or("expected OLD=NEW")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_disassembler() {
        let table: [(&str, Option<&[&str]>); 7] = [
            ("objdump", Some(&["objdump"])),
            ("objdump -M intel", Some(&["objdump", "-M", "intel"])),
            (" llvm-objdump  -M intel ", Some(&["llvm-objdump", "-M", "intel"])),
            ("'/opt/my tools/objdump' --x='a b'", Some(&["/opt/my tools/objdump", "--x=a b"])),
            (r"/opt/my\ tools/objdump", Some(&["/opt/my tools/objdump"])),
            ("objdump 'x", None),
            (" ", None),
        ];
        for (text, expected) in table {
            let words = disassembler(text.into())
                .ok()
                .map(|(program, rest)| [vec![program], rest].concat());
            let expected =
                expected.map(|words| words.iter().map(OsString::from).collect::<Vec<_>>());
            assert_eq!(words, expected, "{text}");
        }
    }
}
