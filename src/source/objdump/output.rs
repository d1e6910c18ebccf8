//! What objdump writes, line by line: instructions, each behind its address, and headings of symbols. Kept are the
//! recorded instructions and some around each.

use std::collections::VecDeque;

use super::MAX_INSTRUCTION;

/// The instructions of an object, in the order of their addresses.
#[derive(Debug, Default)]
pub struct ObjectCode {
    lines: Vec<CodeLine>,
    /// How many recorded addresses are those of instructions.
    pub matching: usize,
}

#[derive(Debug)]
pub struct CodeLine {
    pub address: u64,
    /// Its bytes in hexadecimal, if requested.
    pub bytes: Box<[u8]>,
    pub text: Box<[u8]>,
    /// Whether it comes directly after the one before, in the same symbol.
    pub follows: bool,
}

impl ObjectCode {
    pub fn get(&self, number: usize) -> Option<&CodeLine> {
        self.lines.get(number)
    }

    pub fn number_of(&self, address: u64) -> Option<usize> {
        let found = self
            .lines
            .binary_search_by_key(&address, |line| line.address);
        found.ok()
    }
}

/// Takes in the lines of objdump.
pub(super) struct Collector<'r> {
    /// The recorded addresses that are still to come.
    recorded: &'r [u64],
    with_bytes: bool,
    context: usize,
    /// The range that was requested.
    start: u64,
    stop: u64,
    /// The last instructions that were not kept: the next may be recorded, and they are before it.
    before: VecDeque<CodeLine>,
    /// How many more instructions are after a recorded one.
    after: usize,
    /// Whether the next instruction follows the last that was seen.
    follows: bool,
    /// The address of the last instruction that was seen.
    last: Option<u64>,
    code: ObjectCode,
}

impl<'r> Collector<'r> {
    pub(super) fn new(recorded: &'r [u64], with_bytes: bool, context: u32) -> Collector<'r> {
        Collector {
            recorded,
            with_bytes,
            context: context as usize,
            start: 0,
            stop: 0,
            before: VecDeque::new(),
            after: 0,
            follows: false,
            last: None,
            code: ObjectCode::default(),
        }
    }

    /// Begins a range of addresses, all of them above those of the ranges before.
    pub(super) fn begin_range(&mut self, start: u64, stop: u64) {
        (self.start, self.stop) = (start, stop);
        self.break_off();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.code.lines.is_empty()
    }

    pub(super) fn finish(self) -> ObjectCode {
        self.code
    }

    /// Forgets what was next to the instructions that come now.
    fn break_off(&mut self) {
        self.before.clear();
        self.after = 0;
        self.follows = false;
    }

    /// Takes in a line, without its end.
    pub(super) fn line(&mut self, line: &[u8]) {
        match parse(line, self.with_bytes) {
            Some(Content::Heading) => self.break_off(),
            Some(Content::Instruction(address, bytes, text)) => {
                self.instruction(address, bytes, text);
            }
            None => {}
        }
    }

    fn instruction(&mut self, address: u64, bytes: &[u8], text: &[u8]) {
        // What begins in the last bytes may be cut. What is not in order would be found twice, or not at all.
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
            bytes: bytes.into(),
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

enum Content<'l> {
    /// An instruction's address, bytes and text.
    Instruction(u64, &'l [u8], &'l [u8]),
    /// `0000000000001179 <collatz>:`
    Heading,
}

/// Reads one line of objdump, or of llvm-objdump, which pads after the colon and has a tab behind the mnemonic.
fn parse(line: &[u8], with_bytes: bool) -> Option<Content<'_>> {
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
    if !with_bytes {
        return blanks
            .contains(&b'\t')
            .then_some(Content::Instruction(address, b"", text));
    }
    let is_byte = |b: &u8| b.is_ascii_hexdigit() || *b == b' ';
    let (bytes, text) = text.split_at(text.iter().take_while(|b| is_byte(b)).count());
    let text = text.strip_prefix(b"\t")?;
    Some(Content::Instruction(address, bytes.trim_ascii_end(), text))
}
