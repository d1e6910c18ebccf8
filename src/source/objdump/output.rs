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

/// An instruction as objdump writes it.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(text: &str, recorded: &[u64], with_bytes: bool, context: u32) -> String {
        let mut collector = Collector::new(recorded, with_bytes, context);
        collector.begin_range(recorded[0], 0x2000);
        let lines = text.lines();
        lines.for_each(|line| collector.line(line.as_bytes()));
        let code = collector.finish();
        let lines = (0..code.lines.len()).filter_map(|number| code.get(number));
        let lines = lines.map(|line| {
            let follows = if line.follows { "" } else { "|" };
            let (bytes, text) = (line.bytes.escape_ascii(), line.text.escape_ascii());
            format!("{follows}{:x} {bytes}{text};", line.address)
        });
        lines.collect()
    }

    const BINUTILS: &str = "
/tmp/demo/loop:     file format elf64-x86-64

Disassembly of section .text:

0000000000001179 <collatz>:
    1179:\tpush
    117a:\tmov
    117d:\tnop
    117e:\tnop
    117f:\tret
0000000000001180 <next>:
    1180:\tjmp    1179 <collatz>
    1ff0:\tnop
    1ff1:\t.byte 0x66
";

    #[test]
    fn recorded_instructions_and_their_context_within_a_symbol() {
        let table = [
            (&[0x1179][..], 0, "|1179 push;"),
            (&[0x1179, 0x117f], 0, "|1179 push;|117f ret;"),
            (
                &[0x1179, 0x117f],
                1,
                "|1179 push;117a mov;|117e nop;117f ret;",
            ),
            (
                &[0x1179, 0x117e, 0x117f],
                2,
                "|1179 push;117a mov;117d nop;117e nop;117f ret;",
            ),
            (&[0x1180], 1, "|1180 jmp    1179 <collatz>;1ff0 nop;"),
            (&[0x117a, 0x1ff1], 0, "|117a mov;"),
        ];
        for (recorded, context, expected) in table {
            assert_eq!(collect(BINUTILS, recorded, false, context), expected);
        }
    }

    #[test]
    fn bytes_and_the_spellings_of_llvm() {
        let table = [
            "  11ac:\t89 fb                \tmov    %edi,%ebx => |11ac 89 fbmov    %edi,%ebx;",
            "    118a: 48 8b 45 e8    \tmovq\t-0x18(%rbp), %rax => |118a 48 8b 45 e8movq\\t-0x18(%rbp), %rax;",
            // Behind the range.
            "  4005b0:\ta9bf7bfd \tstp\tx29, x30, [sp, #-16]! => ",
            "  15b0:\ta9bf7bfd \tstp\tx29, x30 => |15b0 a9bf7bfdstp\\tx29, x30;",
        ];
        for case in table {
            let (text, expected) = case.split_once(" => ").unwrap();
            let (address, _) = text.trim_start().split_once(':').unwrap();
            let address = u64::from_str_radix(address, 16).unwrap();
            assert_eq!(collect(text, &[address], true, 0), expected);
        }
        let without_bytes = "    1194:      \tje\t0x11ad <collatz+0x34>\n";
        let expected = "|1194 je\\t0x11ad <collatz+0x34>;";
        assert_eq!(collect(without_bytes, &[0x1194], false, 0), expected);
    }

    #[test]
    fn other_lines_are_passed_over() {
        let other =
            "\t...\nadd: no code\nx:\tnop\n1179 push\n 11791179117911791179:\tnop\n 11b0:nop\n";
        assert_eq!(collect(other, &[0x1179], false, 9), "");
    }
}
