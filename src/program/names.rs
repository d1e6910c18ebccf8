//! Which local symbols count as functions, by their names.

/// Whether gprof takes a local symbol for a function. `strings` is the table of strings from the symbol's name on:
/// when a name ends with a number behind a dot, gprof reads on in the next string, and so does this.
pub(super) fn is_local_function(strings: &[u8]) -> bool {
    let name = strings.split(|&b| b == 0).next().unwrap_or_default();
    if name.starts_with(b"__gnu_compiled") || name.starts_with(b"___gnu_compiled") {
        return false;
    }
    let mut at = 0;
    while let Some(&byte) = strings.get(at) {
        match byte {
            0 => return true,
            b'$' => return false,
            b'.' => match end_of_suffixes(&strings[at..]) {
                None => return false,
                Some(length) => at += length,
            },
            _ => {}
        }
        at += 1;
    }
    true
}

/// The length of the suffixes `.DIGITS`, `.clone.DIGITS` and `.constprop.DIGITS` at the start of a string, which has
/// to end with them.
fn end_of_suffixes(strings: &[u8]) -> Option<usize> {
    let mut at = 0;
    while strings.get(at) == Some(&b'.') {
        for word in [&b".clone."[..], b".constprop."] {
            let rest = &strings[at..];
            // A name may not end right behind the word.
            if rest.starts_with(word) && rest.get(word.len()).is_some_and(|&b| b != 0) {
                at += word.len() - 1;
                break;
            }
        }
        at += 1;
        let digits = strings[at..].iter().take_while(|b| b.is_ascii_digit());
        let digits = digits.count();
        at += digits;
        match strings.get(at) {
            None | Some(0) => return Some(at),
            Some(b'.') if digits > 0 => {}
            _ => return None,
        }
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_local_functions() {
        let table: [(&[u8], bool); 20] = [
            (b"f", true),
            (b"f\0$", true),
            (b"f.1234", true),
            (b"f.1\0next", true),
            (b"f.1.2", true),
            (b"f.clone.0", true),
            (b"f.clone.0.constprop.1", true),
            (b"f.constprop.0", true),
            (b"f.part.0", false),
            (b"f.cold", false),
            (b"f.isra.0", false),
            (b"f.lto_priv.0", false),
            (b"f..1", false),
            (b"f.clone.", false),
            (b"$t", false),
            (b"a$b", false),
            (b"__gnu_compiled_c", false),
            // What follows in the table of strings decides too.
            (b"f.constprop.0\0crtstuff.c", false),
            (b"f.constprop.0\0zed", true),
            (b"f.1\0g.2\0h.c", false),
        ];
        for (strings, expected) in table {
            let text = strings.escape_ascii();
            assert_eq!(is_local_function(strings), expected, "{text}");
        }
    }
}
