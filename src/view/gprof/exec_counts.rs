//! How often each function was called and each of its lines executed, in the order of the sources.

use super::functions::MergedFunctions;
use super::{EntryOf, GraphTable, SourceLine};
use crate::profile::FileId;
use crate::view::asm::LineExecutions;

/// A function and its calls, or a line of it and its executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecCount {
    /// The function's number.
    pub function: u32,
    /// How often it was called or executed.
    pub count: i64,
    /// Of a line the address of its first instruction, and where it is.
    pub line: Option<(u64, SourceLine)>,
}

/// The executions of a line of a function, which is given by number.
pub type FunctionLine = LineExecutions<(u32, FileId)>;

/// The calls of all functions that `selects` takes, by file, line and name: those from other functions, and with
/// `with_self` also recursive ones. Each is followed by its lines in order of addresses. Counts below `least` are left out.
pub fn exec_counts(
    functions: &MergedFunctions<'_>,
    table: &GraphTable,
    selects: impl Fn(u32) -> bool,
    with_self: bool,
    mut lines: Vec<FunctionLine>,
    least: u64,
) -> Vec<ExecCount> {
    let mut counts = Vec::new();
    for entry in &table.entries {
        let EntryOf::Function(function) = entry.of else {
            continue;
        };
        let own = if with_self { entry.self_calls } else { 0 };
        let count = entry.calls + own;
        if selects(function) {
            counts.push(ExecCount {
                function,
                count,
                line: None,
            });
        }
    }
    counts.sort_by_cached_key(|count| {
        let function = &functions.list()[count.function as usize];
        let [file, object] = [
            functions.file(count.function),
            functions.object(count.function),
        ];
        (file, function.line, &function.name, object)
    });
    lines.sort_by_key(|one| (one.line.0.0, one.address));
    let lines_of = |function: u32| {
        let start = lines.partition_point(|one| one.line.0.0 < function);
        let lines = lines[start..].iter();
        let lines = lines.take_while(move |one| one.line.0.0 == function);
        lines.map(|one| {
            let ((function, file), line) = one.line;
            ExecCount {
                function,
                count: one.executions.max(0),
                line: Some((one.address, SourceLine { file, line })),
            }
        })
    };
    let all = counts
        .into_iter()
        .flat_map(|count| std::iter::once(count).chain(lines_of(count.function)));
    all.filter(|count| count.count.unsigned_abs() >= least)
        .collect()
}
