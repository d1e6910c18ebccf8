//! The shown instructions of a function, in contiguous ranges, the arrows next to them, and their
//! readable texts.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use hashbrown::HashSet;

use crate::demangle::demangle;
use crate::source::{MAX_INSTRUCTION, ObjectCode};
use crate::view::asm::lanes::{Arrow, Lanes};
use crate::view::asm::{AsmOptions, FunctionCode, MAX_TARGETS, SourceLine};

pub struct PageRow {
    pub address: u64,
    /// The index in the function's instructions, if this one was executed, called or jumped.
    pub instruction: Option<usize>,
    /// The index in the object's code, if its text is known.
    pub code: Option<usize>,
}

pub struct InstructionPage {
    pub rows: Vec<PageRow>,
    /// Rows without a gap between them.
    pub stretches: Vec<Range<usize>>,
    pub lanes: Lanes,
}

impl InstructionPage {
    /// Selects the rows to show; the most expensive instructions are those by this event. If there
    /// are `lines`, only their instructions are selected. `is_of_other` recognises addresses that
    /// only other functions executed.
    pub fn new(
        function: &FunctionCode,
        code: Option<&ObjectCode>,
        options: &AsmOptions,
        event: usize,
        lines: &HashSet<SourceLine>,
        is_of_other: impl Fn(u64) -> bool,
    ) -> InstructionPage {
        let mut chosen = chosen(function, options.threshold.percent, event);
        if !lines.is_empty() {
            let line = |at: usize| (function.instructions[at].file, function.instructions[at].line);
            chosen.retain(|&at| lines.contains(&line(at)));
        }
        let context = options.objdump.context as usize;
        let rows = rows(function, code, &chosen, context, is_of_other);
        InstructionPage {
            stretches: stretches(&rows, code),
            lanes: Lanes::new(rows.len(), arrows(function, &rows)),
            rows,
        }
    }

    /// The number of executed instructions that are shown.
    pub fn executed(&self) -> usize {
        let rows = self.rows.iter();
        rows.filter(|row| row.instruction.is_some()).count()
    }
}

/// The indices of the most expensive instructions, in order of address.
fn chosen(function: &FunctionCode, threshold: f64, event: usize) -> Vec<usize> {
    let mut chosen: Vec<usize> = (0..function.instructions.len()).collect();
    if threshold >= 100.0 {
        return chosen;
    }
    // By size, as differences that are read as a profile have negative costs.
    let cost = |at: usize| i128::from(function.cost(at)[event].or_zero()).abs();
    let total: i128 = chosen.iter().map(|&at| cost(at)).sum();
    let limit = total as f64 * threshold / 100.0;
    chosen.sort_by_key(|&at| (Reverse(cost(at)), at));
    let (mut length, mut shown) = (0, 0);
    while (shown as f64) < limit && length < chosen.len() && cost(chosen[length]) > 0 {
        shown += cost(chosen[length]);
        length += 1;
    }
    chosen.truncate(length);
    chosen.sort_unstable();
    chosen
}

fn rows(
    function: &FunctionCode,
    code: Option<&ObjectCode>,
    chosen: &[usize],
    context: usize,
    is_of_other: impl Fn(u64) -> bool,
) -> Vec<PageRow> {
    let row = |address, code| PageRow { address, instruction: function.find(address), code };
    let mut rows: Vec<PageRow> = Vec::new();
    // The code index after the last row's, so that no instruction is added twice.
    let mut next = 0;
    for &number in chosen {
        let address = function.instructions[number].address;
        let Some((code, at)) = code.and_then(|code| Some((code, code.number_of(address)?))) else {
            rows.push(row(address, None));
            continue;
        };
        let follows = |at: usize| code.get(at).is_some_and(|line| line.follows);
        let is_free = |at: usize| {
            let address = code.get(at).map(|line| line.address);
            address.is_some_and(|at| function.find(at).is_some() || !is_of_other(at))
        };
        let mut first = at;
        while first > next && at - first < context && follows(first) && is_free(first - 1) {
            first -= 1;
        }
        let mut last = at;
        while last - at < context && follows(last + 1) && is_free(last + 1) {
            last += 1;
        }
        let lines = (first.max(next)..=last).filter_map(|at| Some((code.get(at)?.address, at)));
        rows.extend(lines.map(|(address, at)| row(address, Some(at))));
        next = next.max(last + 1);
    }
    // Addresses that are not in the code may be between context instructions.
    rows.sort_by_key(|row| row.address);
    rows
}

fn stretches(rows: &[PageRow], code: Option<&ObjectCode>) -> Vec<Range<usize>> {
    let is_next = |above: &PageRow, row: &PageRow| match (above.code, row.code) {
        (Some(a), Some(b)) => {
            let line = code.and_then(|code| code.get(b));
            b == a + 1 && line.is_some_and(|line| line.follows)
        }
        _ => {
            let two = above.instruction.zip(row.instruction);
            two.is_none_or(|(a, b)| b == a + 1) && row.address - above.address < MAX_INSTRUCTION
        }
    };
    let mut end = 0;
    let stretches = rows.chunk_by(is_next).map(|stretch| {
        let start = end;
        end += stretch.len();
        start..end
    });
    stretches.collect()
}

/// The arrows between rows, one per jump target.
fn arrows(function: &FunctionCode, rows: &[PageRow]) -> Vec<Arrow> {
    let mut arrows: BTreeMap<usize, Arrow> = BTreeMap::new();
    for (source, row) in rows.iter().enumerate() {
        let jumps = function.most_taken(row.address).into_iter();
        for jump in jumps.take(MAX_TARGETS) {
            let Ok(target) = rows.binary_search_by_key(&jump.to, |row| row.address) else {
                continue;
            };
            let arrow =
                arrows.entry(target).or_insert(Arrow { target, sources: Vec::new(), taken: 0 });
            arrow.taken = arrow.taken.saturating_add(jump.taken);
            arrow.sources.push(source);
        }
    }
    arrows.into_values().collect()
}

/// The minimum width of a mnemonic before a tab, as in objdump's output.
const MNEMONIC_WIDTH: usize = 6;

/// The text without tabs, with a demangled symbol. objdump's `<symbol+0x12>` is removed if the
/// target is in the function itself: in an object without symbols it would name another function.
pub fn readable_text(text: &[u8], is_own: impl Fn(u64) -> bool, demangles: bool) -> Vec<u8> {
    let mut line = Vec::with_capacity(text.len());
    for (number, part) in text.split(|&byte| byte == b'\t').enumerate() {
        if number > 0 {
            line.resize(line.len().max(MNEMONIC_WIDTH), b' ');
            line.push(b' ');
        }
        line.extend_from_slice(part);
    }
    let Some((before, symbol, after)) = split_symbol(&line) else {
        return line;
    };
    let digits = before.iter().rev().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let address = std::str::from_utf8(&before[before.len() - digits..])
        .ok()
        .and_then(|text| u64::from_str_radix(text, 16).ok());
    if address.is_some_and(is_own) {
        return [before, after].concat();
    }
    if !demangles {
        return line;
    }
    let plus = symbol.iter().rposition(|&byte| byte == b'+');
    let (name, offset) = symbol.split_at(plus.unwrap_or(symbol.len()));
    [before, b" <", &demangle(name), offset, b">", after].concat()
}

/// Splits a line into the text before `<symbol>`, the symbol, and the text after it.
fn split_symbol(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let start = line.windows(2).position(|two| two == b" <")?;
    let end = line.iter().rposition(|&byte| byte == b'>')?;
    let symbol = line.get(start + 2..end)?;
    Some((&line[..start], symbol, &line[end + 1..]))
}
