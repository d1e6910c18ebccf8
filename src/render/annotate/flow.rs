//! How often the lines of a source were executed, and where they jump to.

use std::io::{self, Write};

use crate::profile::Profile;
use crate::render::table::Table;
use crate::render::{Style, write_escaped, write_spaces};
use crate::view::asm::{LineFlow, LineJump};

/// The heading of the executions.
const EXECUTED: &str = "Executed";

/// What is shown of the flow between lines.
#[derive(Clone, Copy)]
pub struct SourceFlow<'a> {
    /// What is known of it, by file.
    pub flow: &'a LineFlow,
    pub profile: &'a Profile,
    /// Whether executions are shown.
    pub counts: bool,
    /// Whether jumps are shown.
    pub jumps: bool,
}

/// The flow of one file.
#[derive(Clone, Copy)]
pub(super) struct FileFlow<'a> {
    flow: SourceFlow<'a>,
    file: usize,
    /// How wide the column of the executions is; none if there is none.
    width: Option<usize>,
}

impl<'a> FileFlow<'a> {
    pub(super) fn new(flow: SourceFlow<'a>, file: usize, style: Style<'_>) -> FileFlow<'a> {
        let most = style.number(flow.flow.most_executed(file)).len();
        FileFlow {
            flow,
            file,
            width: flow.counts.then_some(most.max(EXECUTED.len())),
        }
    }

    /// Writes the heading of the column.
    pub(super) fn write_heading(&self, out: &mut impl Write) -> io::Result<()> {
        match self.width {
            Some(width) => write!(out, " {EXECUTED:>width$}"),
            None => Ok(()),
        }
    }

    /// Writes the executions of a line; without a line, spaces.
    pub(super) fn write_executed(
        &self,
        line: Option<u32>,
        style: Style<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let Some(width) = self.width else {
            return Ok(());
        };
        let text = match line.map(|line| self.flow.flow.executed(self.file, line)) {
            Some(Some(executed)) => style.number(executed),
            Some(None) => ".".to_owned(),
            None => String::new(),
        };
        write!(out, "{text:>width$}  ")
    }

    /// Writes the jumps from a line, each on a line of its own.
    pub(super) fn write_jumps(
        &self,
        line: u32,
        columns: &Table<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        if !self.flow.jumps {
            return Ok(());
        }
        for jump in self.flow.flow.jumps(self.file, line) {
            write_spaces(
                columns.indent() + self.width.map_or(0, |width| width + 2),
                out,
            )?;
            out.write_all(b"-> ")?;
            let (file, line) = jump.target;
            if file.index() == self.file {
                write!(out, "line {line}")?;
            } else {
                write_escaped(self.flow.profile.file(file), columns.style.escapes, out)?;
                write!(out, ":{line}")?;
            }
            writeln!(out, " ({})", self.shares(jump, columns.style))?;
        }
        Ok(())
    }

    /// `9,487 of 14,151, 67.04%`
    fn shares(&self, jump: &LineJump, style: Style<'_>) -> String {
        let taken = style.number(jump.taken);
        if !jump.is_conditional {
            return taken;
        }
        let executed = style.number(jump.executed);
        if !self.flow.flow.is_exact {
            return format!("{taken} of {executed} or more");
        }
        if jump.executed < jump.taken || jump.executed == 0 {
            return taken;
        }
        let percent = jump.taken as f64 * 100.0 / jump.executed as f64;
        format!("{taken} of {executed}, {percent:.2}%")
    }
}
