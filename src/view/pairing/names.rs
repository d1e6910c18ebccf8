//! Names of functions without what varies from build to build.

use std::borrow::Cow;

/// The name of all functions that have none.
const NAMELESS: &[u8] = b"(functions without names)";

/// What a readable name is without what varies from build to build: `[clone .isra.0]`, `.constprop.0`, `.llvm.123`,
/// `::h0123456789abcdef`. All addresses have the same name.
pub(in crate::view) fn without_build(name: &[u8]) -> Cow<'_, [u8]> {
    if is_address(name) {
        return NAMELESS.into();
    }
    // The suffixes of contexts and of recursion levels stay.
    let parts = name.split(|&byte| byte == b'\'').map(without_suffixes);
    let parts: Vec<&[u8]> = parts.collect();
    parts.join(&b'\'').into()
}

/// Whether a name is the address of a function without a name.
pub(in crate::view) fn is_address(name: &[u8]) -> bool {
    name.strip_prefix(b"0x").is_some_and(|digits| {
        let digits = digits.split(|&byte| byte == b'\'').next().unwrap_or(digits);
        !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit)
    })
}

fn without_suffixes(name: &[u8]) -> &[u8] {
    const SUFFIXES: [&[u8]; 6] = [
        b"isra",
        b"constprop",
        b"part",
        b"cold",
        b"llvm",
        b"lto_priv",
    ];
    let mut name = name;
    loop {
        let clone = b" [clone ";
        if name.ends_with(b"]")
            && let Some(at) = name
                .windows(clone.len())
                .rposition(|window| window == clone)
        {
            name = &name[..at];
            continue;
        }
        let Some(at) = name.iter().rposition(|&byte| byte == b'.' || byte == b':') else {
            return name;
        };
        let (start, last) = (&name[..at], &name[at + 1..]);
        let is_number = !last.is_empty() && last.iter().all(u8::is_ascii_digit);
        let is_hash =
            last.len() == 17 && last[0] == b'h' && last[1..].iter().all(u8::is_ascii_hexdigit);
        if name[at] == b':' && is_hash && start.ends_with(b":") && start.len() > 1 {
            return &start[..start.len() - 1];
        }
        if name[at] == b':' {
            return name;
        }
        let before = start.iter().rposition(|&byte| byte == b'.');
        let word = before.map_or(&b""[..], |before| &start[before + 1..]);
        name = match before {
            _ if SUFFIXES[3] == last => start,
            Some(before) if is_number && before > 0 && SUFFIXES.contains(&word) => &name[..before],
            _ => return name,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_varies_from_build_to_build() {
        let table = [
            ("main", "main"),
            ("f [clone .isra.0]", "f"),
            ("f(int) [clone .constprop.1] [clone .cold]", "f(int)"),
            ("f.isra.0.part.2", "f"),
            ("f.cold", "f"),
            ("f.llvm.1234567890", "f"),
            ("f.0", "f.0"),
            ("a::b::h0123456789abcdef", "a::b"),
            ("a::b::hello", "a::b::hello"),
            ("f.isra.0'2", "f'2"),
            ("0x0000000000001190", "(functions without names)"),
            ("0x1190'2", "(functions without names)"),
            (".isra.0", ".isra.0"),
            ("", ""),
        ];
        for (name, expected) in table {
            let got = without_build(name.as_bytes());
            assert_eq!(String::from_utf8_lossy(&got), expected, "{name}");
        }
    }
}
