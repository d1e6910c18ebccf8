//! The direct calls in objdump's output.

use super::LineReader;
use super::output::{Content, MIN_LINES, parse};

/// The words for a direct call, by machine. The address that is called is the last operand.
const CALLS: [&[u8]; 17] = [
    // x86, SPARC
    b"call", b"calll", b"callq", b"callw", // AArch64, ARM, LoongArch, PowerPC
    b"bl", b"bla", b"blx", // Alpha, m68k, SuperH
    b"bsr", b"bsr.l", b"bsr.w", b"jsr", // MIPS, RISC-V
    b"bal", b"jal", b"jalr", b"jalx", // s390x
    b"bras", b"brasl",
];

/// Words that objdump may print before the word for a call on x86.
const PREFIXES: [&[u8]; 5] = [b"addr32", b"bnd", b"data16", b"notrack", b"rex.W"];

pub(super) struct CallCollector {
    /// The addresses of calls and of what they call.
    pub(super) calls: Vec<(u64, u64)>,
    has_instructions: bool,
    /// How many more lines the output may have: one for each byte, and as many headings.
    lines_left: u64,
}

impl CallCollector {
    /// For an object of this size in bytes.
    pub(super) fn new(size: u64) -> CallCollector {
        let lines_left = size.saturating_mul(2).saturating_add(MIN_LINES);
        CallCollector { calls: Vec::new(), has_instructions: false, lines_left }
    }
}

impl LineReader for CallCollector {
    fn line(&mut self, line: &[u8]) {
        self.lines_left = self.lines_left.saturating_sub(1);
        if let Some(Content::Instruction(address, text)) = parse(line) {
            self.has_instructions = true;
            self.calls.extend(target(text).map(|target| (address, target)));
        }
    }

    fn is_complete(&self) -> bool {
        self.lines_left == 0
    }

    fn has_instructions(&self) -> bool {
        self.has_instructions
    }
}

/// The address that an instruction calls directly; none if it is no call, or calls what an operand
/// holds. objdump prints the address before its symbol, as in `call 1130 <f>`, and for the second
/// instruction of a far call on RISC-V behind `#`.
fn target(instruction: &[u8]) -> Option<u64> {
    let (operation, comment) = match memchr::memchr(b'#', instruction) {
        Some(at) => instruction.split_at(at),
        None => (instruction, &b""[..]),
    };
    let mut operation = words(operation).skip_while(|word| PREFIXES.contains(word));
    let call = operation.next().filter(|word| CALLS.contains(word))?;
    let operands: Vec<&[u8]> =
        if call == b"jalr" { words(comment).skip(1).collect() } else { operation.collect() };
    let symbol = operands.iter().position(|word| word.starts_with(b"<"))?;
    let target = operands[..symbol].last()?;
    let digits = target.strip_prefix(b"0x").unwrap_or(target);
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
    text.split(is_between).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_calls() {
        let table = [
            ("call   1130 <f>", Some(0x1130)),
            ("callq  0x401130 <f(int, char)>", Some(0x401130)),
            ("bnd call 1130 <f>", Some(0x1130)),
            ("addr32 call 1130 <f+0x2>", Some(0x1130)),
            ("bl\t400500 <f>", Some(0x400500)),
            ("brasl\t%r14,1000668 <f>", Some(0x1000668)),
            ("jal\tra,10074 <f>", Some(0x10074)),
            ("jalr\t-20(ra) # 10074 <f>", Some(0x10074)),
            // Calls of what a register or memory holds, and jumps.
            ("call   *%rax", None),
            ("call   *0x2fe2(%rip)        # 3fe0 <f>", None),
            ("jalr\tt9", None),
            ("jalr\ta5", None),
            ("jmp    1130 <f>", None),
            ("b\t400500 <f>", None),
            ("bl\tr3", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(target(text.as_bytes()), expected, "{text}");
        }
    }
}
