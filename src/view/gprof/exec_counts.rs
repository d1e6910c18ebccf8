//! How often each function was called and each of its basic blocks executed, in the order of the sources.

use super::executed::Executed;
use super::functions::MergedFunctions;
use super::{EntryOf, GraphTable, SourceLine};

/// A function and its calls, or a basic block in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecCount {
    /// The function's number.
    pub function: u32,
    /// How often it was called or executed.
    pub count: i64,
    /// Of a block its address and its first line.
    pub block: Option<(u64, SourceLine)>,
}

/// The calls of all functions that `selects` takes, by file, line and name: those from other functions, and with
/// `with_self` also recursive ones. Each is followed by its blocks, if they are known. Counts below `least` are left out.
pub fn exec_counts(
    functions: &MergedFunctions<'_>,
    table: &GraphTable,
    selects: impl Fn(u32) -> bool,
    with_self: bool,
    executed: Option<&Executed>,
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
                block: None,
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
    let blocks = |function: u32| {
        let id = functions.list()[function as usize].id;
        let blocks = executed.map_or(&[][..], |executed| executed.blocks_of(id));
        blocks.iter().map(move |block| ExecCount {
            function,
            count: i64::try_from(block.executions).unwrap_or(i64::MAX),
            block: Some((block.address, block.lines[0])),
        })
    };
    let all = counts
        .into_iter()
        .flat_map(|count| std::iter::once(count).chain(blocks(count.function)));
    all.filter(|count| count.count.unsigned_abs() >= least)
        .collect()
}
