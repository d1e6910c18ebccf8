//! Names with bytes that valgrind's tools do not write unless the file was damaged.

/// How lines with the names of functions begin, and those with the names of files and objects.
const OF_FUNCTIONS: [&[u8]; 2] = [b"fn=", b"cfn="];
const OF_PATHS: [&[u8]; 7] = [b"fl=", b"fi=", b"fe=", b"cfi=", b"cfl=", b"ob=", b"cob="];

/// The number of lines before the first one with a damaged name.
pub(super) fn lines_before_damaged_name(lines: &[u8]) -> Option<u64> {
    if !lines.iter().any(|&byte| is_control(byte) || !byte.is_ascii()) {
        return None;
    }
    let at = lines.split(|&byte| byte == b'\n').position(is_damaged)?;
    Some(at as u64)
}

/// A NUL byte has a warning of its own.
fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\0' | b'\t' | b'\r' | b'\n')
}

/// Compilers write symbols in UTF-8. A path may be in any encoding.
fn is_damaged(line: &[u8]) -> bool {
    let has_control = || line.iter().copied().any(is_control);
    let begins = |starts: &[&[u8]]| starts.iter().any(|start| line.starts_with(start));
    (begins(&OF_FUNCTIONS) && (has_control() || str::from_utf8(line).is_err()))
        || (begins(&OF_PATHS) && has_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_bytes_that_no_tool_writes() {
        let table: [(&[u8], Option<u64>); 9] = [
            (b"fn=(1) main\n1 2\n", None),
            (b"fn=(1) m\x01in\n1 2\n", Some(0)),
            (b"1 2\nfn=m\xe1in\n", Some(1)),
            (b"1 2\ncfn=(3) m\x7fin\n", Some(1)),
            ("fn=größe\r\n".as_bytes(), None),
            (b"fl=gr\xf6\xdfe.c\n", None),
            (b"fl=a\x1b.c\n", Some(0)),
            (b"cmd: ./prog \x01\n", None),
            (b"ob=/lib/a\tb.so\n", None),
        ];
        for (lines, expected) in table {
            let text = String::from_utf8_lossy(lines);
            assert_eq!(lines_before_damaged_name(lines), expected, "{text}");
        }
    }
}
