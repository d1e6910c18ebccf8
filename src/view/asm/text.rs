//! The text of an instruction as people read it.

use crate::demangle::demangle;

/// How many columns a mnemonic takes where a tab follows it, as in objdump's own text.
const MNEMONIC: usize = 6;

/// The text without tabs, with a readable symbol. objdump's `<symbol+0x12>` is left out where the function itself is
/// meant: in an object without symbols it would name another.
pub fn readable_text(text: &[u8], is_own: impl Fn(u64) -> bool, demangles: bool) -> Vec<u8> {
    let mut line = Vec::with_capacity(text.len());
    for (number, part) in text.split(|&byte| byte == b'\t').enumerate() {
        if number > 0 {
            line.resize(line.len().max(MNEMONIC), b' ');
            line.push(b' ');
        }
        line.extend_from_slice(part);
    }
    let Some((before, symbol, after)) = split_symbol(&line) else {
        return line;
    };
    let digits = before
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_hexdigit())
        .count();
    let address = std::str::from_utf8(&before[before.len() - digits..]);
    let address = address
        .ok()
        .and_then(|text| u64::from_str_radix(text, 16).ok());
    if address.is_some_and(is_own) {
        return [before, after].concat();
    }
    if !demangles {
        return line;
    }
    let plus = symbol
        .iter()
        .rposition(|&byte| byte == b'+')
        .unwrap_or(symbol.len());
    let (name, offset) = symbol.split_at(plus);
    [before, b" <", &demangle(name), offset, b">", after].concat()
}

/// What is before, within and after `<symbol>`.
fn split_symbol(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let start = line.windows(2).position(|two| two == b" <")?;
    let end = line.iter().rposition(|&byte| byte == b'>')?;
    let symbol = line.get(start + 2..end)?;
    Some((&line[..start], symbol, &line[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::readable_text;

    #[test]
    fn symbols_of_others_are_kept() {
        let table = [
            ("jmp    11c6 <collatz+0x4d>", "jmp    11c6"),
            ("je\t0x11ad <collatz+0x34>", "je     0x11ad"),
            ("call   1070 <malloc@plt>", "call   1070 <malloc@plt>"),
            (
                "call   2000 <_ZN1a1fEi+0x10>",
                "call   2000 <a::f(int)+0x10>",
            ),
            (
                "lea    0x2e(%rip),%rdi        # 2004 <_IO_stdin_used+0x4>",
                "lea    0x2e(%rip),%rdi        # 2004 <_IO_stdin_used+0x4>",
            ),
            ("call   *%rax", "call   *%rax"),
            ("cmp    x <", "cmp    x <"),
            ("a <>", "a <>"),
            ("", ""),
        ];
        for (text, expected) in table {
            let text = readable_text(text.as_bytes(), |at| (0x1179..0x11d2).contains(&at), true);
            assert_eq!(String::from_utf8(text).unwrap(), expected);
        }
    }
}
