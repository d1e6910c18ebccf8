//! Parses objdump's output line by line: instructions after their addresses, and symbol headings.
//! Recorded instructions and some around each are kept.

use std::collections::VecDeque;
use std::ops::Range;

use super::{LineReader, MAX_INSTRUCTION};

/// How many lines the output for a range may have at least, such as the file's name and its format.
pub(super) const MIN_LINES: u64 = 1_000;

/// The instructions of an object, sorted by address.
#[derive(Debug, Default)]
pub struct ObjectCode {
    lines: Vec<CodeLine>,
    /// The number of recorded addresses at which an instruction begins.
    pub matching: usize,
}

#[derive(Debug)]
pub struct CodeLine {
    pub address: u64,
    pub text: Box<[u8]>,
    /// Whether it directly follows the previous one in the same symbol.
    pub follows: bool,
}

impl ObjectCode {
    pub fn get(&self, number: usize) -> Option<&CodeLine> {
        self.lines.get(number)
    }

    pub fn number_of(&self, address: u64) -> Option<usize> {
        let found = self.lines.binary_search_by_key(&address, |line| line.address);
        found.ok()
    }

    /// Adds the code of addresses above those of this.
    pub(super) fn add(&mut self, code: ObjectCode) {
        self.lines.extend(code.lines);
        self.matching += code.matching;
    }

    /// Adds code that was read from the last recorded address of this on. Adds nothing and returns
    /// false unless both have an instruction at this address, because what follows it is the same
    /// only then.
    pub(super) fn continue_at(&mut self, address: u64, code: ObjectCode) -> bool {
        let (Some(number), Some(0)) = (self.number_of(address), code.number_of(address)) else {
            return false;
        };
        self.lines.truncate(number + 1);
        self.lines.extend(code.lines.into_iter().skip(1));
        self.matching += code.matching - 1;
        true
    }
}

#[derive(Default)]
pub(super) struct Collector<'r> {
    /// The remaining recorded addresses.
    recorded: &'r [u64],
    context: usize,
    /// The requested range.
    start: u64,
    stop: u64,
    /// The last instructions that were not kept; they become context if the next one is recorded.
    before: VecDeque<CodeLine>,
    /// The number of further instructions to keep after a recorded one.
    after: usize,
    /// Whether the next instruction directly follows the last one.
    follows: bool,
    /// The address of the last instruction.
    last: Option<u64>,
    /// How many more lines the range may have: one for each byte, and as many headings.
    lines_left: u64,
    pub(super) code: ObjectCode,
}

impl<'r> Collector<'r> {
    /// For a range with these recorded addresses.
    pub(super) fn new(recorded: &'r [u64], range: Range<u64>, context: u32) -> Collector<'r> {
        let Range { start, end: stop } = range;
        let bytes = stop.saturating_sub(start);
        Collector {
            recorded,
            context: context as usize,
            start,
            stop,
            lines_left: bytes.saturating_mul(2).saturating_add(MIN_LINES),
            ..Collector::default()
        }
    }

    /// Begins instructions that do not follow the previous ones.
    fn reset(&mut self) {
        self.before.clear();
        self.after = 0;
        self.follows = false;
    }

    fn instruction(&mut self, address: u64, text: &[u8]) {
        if address >= self.stop && self.stop != u64::MAX {
            self.lines_left = 0;
        }
        // An instruction in the last bytes may be truncated; one out of order would be found twice
        // or never.
        let is_cut = address.saturating_add(MAX_INSTRUCTION) > self.stop;
        let is_outside = address < self.start || is_cut && self.stop != u64::MAX;
        if is_outside || self.last.is_some_and(|last| address <= last) {
            return;
        }
        self.last = Some(address);
        let passed = self.recorded.partition_point(|&at| at < address);
        self.recorded = &self.recorded[passed..];
        self.before.push_back(CodeLine {
            address,
            text: text.into(),
            follows: std::mem::replace(&mut self.follows, true),
        });
        if self.recorded.first() == Some(&address) {
            self.code.matching += 1;
            self.after = self.context + 1;
        }
        if self.after > 0 {
            self.after -= 1;
            self.code.lines.extend(self.before.drain(..));
        } else if self.before.len() > self.context {
            self.before.pop_front();
            let next = self.before.front_mut();
            *next.map_or(&mut self.follows, |next| &mut next.follows) = false;
        }
    }
}

impl LineReader for Collector<'_> {
    fn line(&mut self, line: &[u8]) {
        self.lines_left = self.lines_left.saturating_sub(1);
        match parse(line) {
            Some(Content::Heading) => self.reset(),
            Some(Content::Instruction(address, text)) => self.instruction(address, text),
            None => {}
        }
    }

    fn is_complete(&self) -> bool {
        self.lines_left == 0
    }

    fn has_instructions(&self) -> bool {
        self.code.get(0).is_some()
    }
}

pub(super) enum Content<'l> {
    /// Address and text.
    Instruction(u64, &'l [u8]),
    /// `0000000000001179 <collatz>:`
    Heading,
}

/// Parses a line of objdump, or of llvm-objdump, which pads after the colon and has a tab after the
/// mnemonic.
pub(super) fn parse(line: &[u8]) -> Option<Content<'_>> {
    let line = line.trim_ascii_start();
    let digits = line.iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let address = std::str::from_utf8(&line[..digits]).ok()?;
    let address = u64::from_str_radix(address, 16).ok()?;
    let rest = &line[digits..];
    if rest.starts_with(b" <") && rest.ends_with(b">:") {
        return Some(Content::Heading);
    }
    let rest = rest.strip_prefix(b":")?;
    let (blanks, text) = rest.split_at(rest.iter().take_while(|b| b.is_ascii_whitespace()).count());
    blanks.contains(&b'\t').then_some(Content::Instruction(address, text))
}
