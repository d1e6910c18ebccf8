//! Puts a name that cpp_demangle printed into the words of `c++filt`.

use super::MAX_LEN;
use super::expand::{BLANK, EMPTY_PACK, PLACEHOLDER, RETURN_TYPE, Text};

/// The types of literals that are printed by a suffix: `5u`.
const SUFFIXES: [(&str, &str); 5] = [
    ("(unsigned int)", "u"),
    ("(long)", "l"),
    ("(unsigned long)", "ul"),
    ("(long long)", "ll"),
    ("(unsigned long long)", "ull"),
];

/// The name with the texts of its placeholders and literals as they are written in a program.
pub(super) fn adjust(name: &str, texts: &[Text]) -> Option<String> {
    let name = without_table(name);
    let mut text = String::with_capacity(name.len());
    let mut rest = &*name;
    while let Some(at) = rest.find(['(', '$']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if text.len() > MAX_LEN {
            return None;
        }
        if let Some(after) = rest.strip_prefix(PLACEHOLDER) {
            let (number, after) = number(after)?;
            rest = after;
            match number {
                RETURN_TYPE => rest = rest.strip_prefix(' ')?,
                EMPTY_PACK => text.truncate(text.strip_suffix(", ")?.len()),
                BLANK => {
                    text.truncate(text.strip_suffix("::")?.len());
                    rest = rest.strip_prefix(' ').unwrap_or(rest);
                    text.push(' ');
                }
                number => {
                    let known = texts.get(number)?;
                    text.push_str(&known.text);
                    if text.ends_with('>') && rest.starts_with('>') {
                        text.push(' ');
                    }
                }
            }
        } else if let Some((operand, after)) = operand(rest, texts) {
            text.push_str(operand);
            rest = after;
        } else if let Some((literal, suffix, after)) = literal(rest) {
            text.push_str(literal);
            text.push_str(suffix);
            rest = after;
        } else {
            text.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    text.push_str(rest);
    Some(text)
}

/// The number of a placeholder, and what follows it.
fn number(text: &str) -> Option<(usize, &str)> {
    let (number, after) = text.split_once('$')?;
    Some((number.parse().ok()?, after))
}

/// A name in brackets that needs none, and what follows it.
fn operand<'t>(text: &'t str, texts: &'t [Text]) -> Option<(&'t str, &'t str)> {
    let (number, after) = number(text.strip_prefix('(')?.strip_prefix(PLACEHOLDER)?)?;
    let known = texts.get(number)?;
    known
        .is_operand
        .then_some((&*known.text, after.strip_prefix(')')?))
}

/// A number preceded by a type that has a suffix: the number, the suffix, and what follows.
fn literal(text: &str) -> Option<(&str, &'static str, &str)> {
    let (kind, suffix) = SUFFIXES.iter().find(|(kind, _)| text.starts_with(kind))?;
    let number = &text[kind.len()..];
    let unsigned = number.strip_prefix('-').unwrap_or(number);
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    let end = number.len() - unsigned.len() + digits;
    (digits > 0).then(|| (&number[..end], *suffix, &number[end..]))
}

/// `{vtable(A)}` is `vtable for A`.
fn without_table(name: &str) -> String {
    for (kind, words) in [("{vtable(", "vtable for "), ("{vtt(", "VTT for ")] {
        if let Some(inner) = name
            .strip_prefix(kind)
            .and_then(|name| name.strip_suffix(")}"))
        {
            return format!("{words}{inner}");
        }
    }
    name.to_owned()
}
