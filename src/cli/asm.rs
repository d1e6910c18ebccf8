//! The options about instructions.

use std::ffi::OsString;

use clap::{Args, ValueHint};

use super::YesNo;
use super::filters::{SignedPattern, choice};
use super::list::parse_threshold;
use crate::options::CodeOptions;
use crate::view::asm::AsmOptions;
use crate::view::{Rule, Threshold};

#[derive(Args, Debug)]
#[command(next_help_heading = "Sources and instructions")]
pub(super) struct AsmArguments {
    /// Show the instructions of functions [default: those listed]
    ///
    /// May be repeated. Sources are annotated only if --auto is given too.
    #[arg(long, value_name = "[!]PATTERN")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    #[arg(value_parser = parse_pattern)]
    asm: Vec<AsmPattern>,

    /// Show only the most expensive instructions [default: 100]
    ///
    /// They cover PERCENT of the self cost of their function.
    #[arg(long, hide_short_help = true, value_name = "PERCENT", value_parser = parse_threshold, requires = "asm")]
    asm_threshold: Option<Threshold>,

    /// Show source lines between the instructions
    #[arg(
        long,
        hide_short_help = true,
        value_name = "yes|no",
        default_value = "yes",
        requires = "asm"
    )]
    asm_source: YesNo,

    /// Show the bytes of each instruction
    #[arg(long, hide_short_help = true, requires = "asm")]
    asm_raw: bool,

    /// The disassembler [default: $OBJDUMP, or objdump]
    #[arg(long, hide_short_help = true, value_name = "PATH", value_hint = ValueHint::ExecutablePath, requires = "asm")]
    objdump: Option<OsString>,

    /// Show how often each line and instruction was executed
    ///
    /// The executions of a line are those of its most executed instruction.
    #[arg(long, hide_short_help = true, conflicts_with = "diff")]
    counts: bool,

    /// Show where each source line jumps to, and how often
    #[arg(long, hide_short_help = true, conflicts_with = "diff")]
    jumps: bool,
}

/// Functions that match a pattern, or those that are listed.
#[derive(Clone, Debug)]
struct AsmPattern(Option<SignedPattern>);

fn parse_pattern(text: &str) -> Result<AsmPattern, String> {
    let pattern = (!text.is_empty()).then(|| SignedPattern::parse(text));
    pattern.transpose().map(AsmPattern)
}

/// A variable of the environment, unless it is empty.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

impl AsmArguments {
    /// Whether the instructions of functions are shown.
    pub(super) fn is_given(&self) -> bool {
        !self.asm.is_empty()
    }

    /// Whether anything of instructions is requested.
    pub(super) fn is_any_given(&self) -> bool {
        self.is_given() || self.counts || self.jumps
    }

    /// What they request.
    pub(super) fn options(&self, context: u32, by_instruction: bool) -> CodeOptions {
        CodeOptions {
            asm: self.asm_options(context),
            counts: self.counts,
            jumps: self.jumps,
            by_instruction,
        }
    }

    fn asm_options(&self, context: u32) -> Option<AsmOptions> {
        if self.asm.is_empty() {
            return None;
        }
        let patterns = self
            .asm
            .iter()
            .filter_map(|pattern| pattern.0.clone())
            .collect();
        Some(AsmOptions {
            functions: choice(patterns, |function| Rule {
                function,
                ..Rule::default()
            }),
            threshold: self.asm_threshold.clone().unwrap_or_else(Threshold::all),
            sources: self.asm_source.is_yes(),
            bytes: self.asm_raw,
            context,
            objdump: self
                .objdump
                .clone()
                .or_else(|| variable("OBJDUMP"))
                .unwrap_or_else(|| "objdump".into()),
            sysroot: variable("SYSROOT"),
        })
    }
}
