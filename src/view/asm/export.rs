//! The instructions of a function in the order in which they are written back.

use std::borrow::Cow;

use crate::profile::{Code, CodeCall, CodeJump, CodePlace, Count, FileId, FunctionId, Profile};

/// A line of a function that has addresses.
pub struct CodeLine<'c> {
    /// The instruction.
    pub at: CodePlace,
    /// What is known of it.
    pub record: CodeRecord<'c>,
}

/// What is known of an instruction.
pub enum CodeRecord<'c> {
    /// What it spent itself; of skipped code a second one, behind the calls.
    Cost(Cow<'c, [Count]>),
    /// A jump: how often taken, and executed.
    Jump(CodeJump, i64, i64),
    /// Calls: how often, and their inclusive cost.
    Call(CodeCall, i64, &'c [Count]),
}

/// The lines of a function in files that `is_included` admits: those of its own file first, then file by file, by
/// address.
pub fn code_lines<'c>(
    profile: &Profile,
    code: &'c Code,
    function: FunctionId,
    is_included: impl Fn(FileId) -> bool,
) -> Vec<CodeLine<'c>> {
    let is_before = |at: &CodePlace| at.function < function;
    let is_within = |at: &CodePlace| at.function == function;
    let mut lines: Vec<CodeLine<'c>> = Vec::new();
    let calls = code
        .calls
        .range(|call| is_before(&call.site), |call| is_within(&call.site));
    for (call, row) in calls {
        let record = CodeRecord::Call(call, row[0].or_zero(), &row[1..]);
        lines.push(CodeLine {
            at: call.site,
            record,
        });
    }
    let has_calls = |at: CodePlace| lines.binary_search_by_key(&at, |line| line.at).is_ok();
    let mut costs: Vec<CodeLine<'c>> = Vec::new();
    let skipped = code.skipped.range(is_before, is_within);
    let skipped: Vec<_> = skipped.filter(|&(at, _)| has_calls(at)).collect();
    for (at, cost) in code.costs.range(is_before, is_within) {
        let found = skipped.binary_search_by_key(&at, |&(at, _)| at);
        let cost = match found {
            Ok(number) => Cow::Owned(less(cost, skipped[number].1)),
            Err(_) => Cow::Borrowed(cost),
        };
        costs.push(CodeLine {
            at,
            record: CodeRecord::Cost(cost),
        });
    }
    let jumps = code
        .jumps
        .range(|jump| is_before(&jump.site), |jump| is_within(&jump.site));
    let jumps = jumps.map(|(jump, counts)| CodeLine {
        at: jump.site,
        record: CodeRecord::Jump(jump, counts[0].or_zero(), counts[1].or_zero()),
    });
    // The sort is stable: of an address its cost comes first, then jumps, calls, and the cost of skipped code.
    let skipped = skipped.iter().map(|&(at, cost)| CodeLine {
        at,
        record: CodeRecord::Cost(Cow::Borrowed(cost)),
    });
    let mut all: Vec<CodeLine<'c>> = costs;
    all.extend(jumps);
    all.extend(lines);
    all.extend(skipped);
    all.retain(|line| is_included(line.at.file));
    let own = profile.function(function).file;
    all.sort_by(|a, b| {
        let key = |at: CodePlace| (at.file != own, profile.file(at.file), at.address, at.line);
        key(a.at).cmp(&key(b.at))
    });
    all
}

/// A cost without a part of it.
fn less(cost: &[Count], part: &[Count]) -> Vec<Count> {
    let counts = cost
        .iter()
        .zip(part)
        .map(|(count, part)| match part.value() {
            Some(part) => {
                let mut less = *count;
                less.add(Count::new(-part));
                less
            }
            None => *count,
        });
    counts.collect()
}
