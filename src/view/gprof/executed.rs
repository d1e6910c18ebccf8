//! The executions of basic blocks and lines of a profile with instructions, for gprof's annotated sources and its counts by
//! line.

use hashbrown::{HashMap, HashSet};

use super::{CountedFile, SourceLine};
use crate::profile::{FileId, FunctionId};
use crate::view::asm::{FunctionCode, Instructions};

/// Source files with what is beside their lines.
pub type CountedFiles = HashMap<FileId, CountedFile>;

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutedBlock {
    /// The function that it is in.
    pub function: FunctionId,
    /// Where it begins.
    pub address: u64,
    /// How often it was executed.
    pub executions: u64,
    /// The lines that it has instructions of, the one at its beginning first.
    pub lines: Vec<SourceLine>,
}

/// The executions of functions.
#[derive(Debug, Default)]
pub struct Executed {
    /// By function, then address.
    blocks: Vec<ExecutedBlock>,
    /// Those of lines as gcov counts them: a line may be in several functions.
    lines: Vec<(SourceLine, u64)>,
}

impl Executed {
    /// Those of all functions, as far as they are in files that `selects` takes.
    pub fn new(
        instructions: &Instructions<'_>,
        selects: impl Fn(FunctionId, FileId) -> bool,
    ) -> Executed {
        let mut executed = Executed::default();
        for function in instructions.functions() {
            let code = instructions.of(function);
            let selects = |line: &SourceLine| selects(function, line.file);
            for block in instructions.flow_of(&code).blocks {
                let mut lines = lines(&code, block.instructions.clone());
                lines.retain(selects);
                executed
                    .blocks
                    .extend((!lines.is_empty()).then(|| ExecutedBlock {
                        function,
                        address: code.instructions[block.instructions.start].address,
                        executions: unsigned(block.executions),
                        lines,
                    }));
            }
            let lines = instructions.lines_of(&code).into_iter();
            let lines = lines.map(|((file, line), count)| (SourceLine { file, line }, count));
            let lines = lines.filter(|(line, _)| selects(line));
            executed
                .lines
                .extend(lines.map(|(line, count)| (line, unsigned(count))));
        }
        executed
    }

    /// The blocks of a function, by address.
    pub fn blocks_of(&self, function: FunctionId) -> &[ExecutedBlock] {
        let start = self
            .blocks
            .partition_point(|block| block.function < function);
        let rest = &self.blocks[start..];
        &rest[..rest.partition_point(|block| block.function == function)]
    }

    /// The lines of each source file: beside each the executions of the blocks that begin there or, with `all_blocks`, of
    /// all that it is in.
    pub fn files(&self, all_blocks: bool) -> CountedFiles {
        let mut files = CountedFiles::default();
        for &(SourceLine { file, line }, count) in &self.lines {
            let file = files.entry(file).or_default();
            file.code.insert(line);
            let sum = file.lines.entry(line).or_insert(0);
            *sum = sum.saturating_add(count);
        }
        let mut blocks: Vec<&ExecutedBlock> = self.blocks.iter().collect();
        blocks.sort_by_key(|block| block.address);
        for block in blocks {
            let shown = if all_blocks { block.lines.len() } else { 1 };
            for at in block.lines[..shown].iter().filter(|at| at.line != 0) {
                let file = files.entry(at.file).or_default();
                file.margins
                    .entry(at.line)
                    .or_default()
                    .push(block.executions);
            }
        }
        files
    }
}

/// The lines of some instructions, each once.
fn lines(code: &FunctionCode, instructions: std::ops::Range<usize>) -> Vec<SourceLine> {
    let lines = code.instructions[instructions].iter();
    let lines = lines.map(|one| SourceLine {
        file: one.file,
        line: one.line,
    });
    let mut known = HashSet::new();
    lines.filter(|&line| known.insert(line)).collect()
}

/// Counts of damaged profiles may be negative.
fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}
