//! Puts a name that cpp_demangle printed into the words of `c++filt`.

/// Begins of names that are printed in brackets, up to `)}`, and the words that they have instead.
const BEGINS: [(&str, &str); 5] = [
    ("{vtable(", "vtable for "),
    ("{vtt(", "VTT for "),
    ("{virtual override thunk({offset(", "non-virtual thunk to "),
    (
        "{virtual override thunk({virtual offset(",
        "virtual thunk to ",
    ),
    ("{covariant return thunk(", "covariant return thunk to "),
];

/// The types of literals that are printed by a suffix: `5u`.
const SUFFIXES: [(&str, &str); 5] = [
    ("(unsigned int)", "u"),
    ("(long)", "l"),
    ("(unsigned long)", "ul"),
    ("(long long)", "ll"),
    ("(unsigned long long)", "ull"),
];

/// Classes of the standard library that have a short name, and the arguments of the template `basic_…` that each of them is.
const CLASSES: [(&str, &str); 4] = [
    (
        "string",
        "<char, std::char_traits<char>, std::allocator<char> >",
    ),
    ("istream", "<char, std::char_traits<char> >"),
    ("ostream", "<char, std::char_traits<char> >"),
    ("iostream", "<char, std::char_traits<char> >"),
];

/// Other texts that are replaced, what by, and how many of their bytes: what is left of an empty pack at the end of a list, and
/// the type of `nullptr`, which has two names.
const OTHERS: [(&str, &str, usize); 3] = [
    (", >", "", 2),
    (", &&)", "", 4),
    ("std::nullptr_t", "decltype(nullptr)", 14),
];

/// The name as `c++filt` prints it.
pub(super) fn adjust(name: &str) -> String {
    for (begin, words) in BEGINS {
        let inner = name.strip_prefix(begin);
        if let Some(inner) = inner.and_then(|name| name.strip_suffix(")}")) {
            let offset = inner.split_once(")}, ");
            let offset = offset.filter(|_| begin.ends_with("offset("));
            return format!("{words}{}", adjust(offset.map_or(inner, |(_, name)| name)));
        }
    }
    let mut text = String::with_capacity(name.len());
    let (mut at, mut brackets) = (0, Vec::new());
    while let Some(first) = name[at..].chars().next() {
        let rest = &name[at..];
        let other = class(rest, &text).or_else(|| literal(rest));
        at += if let Some((other, length)) = other.or_else(|| other_text(rest)) {
            text.push_str(&other);
            length
        } else {
            if first == '(' && brackets.last() == Some(&'<') && is_function_type(rest, &text) {
                text.push(' ');
            }
            match first {
                '<' | '(' | '{' | '[' => brackets.push(first),
                '>' | ')' | '}' | ']' => drop(brackets.pop()),
                _ => {}
            }
            text.push(first);
            first.len_utf8()
        };
    }
    text
}

/// Whether the brackets at the start of a text are the parameters of a function type, which has no name: `int (char)`.
fn is_function_type(text: &str, before: &str) -> bool {
    let mut depth = 0;
    let end = text.find(|c| {
        depth += i32::from(matches!(c, '(' | '<' | '{')) - i32::from(matches!(c, ')' | '>' | '}'));
        depth == 0
    });
    let after = end.and_then(|end| text[end + 1..].chars().next());
    let is_type = |c: char| c.is_alphanumeric() || matches!(c, '_' | '>' | '*' | '&');
    matches!(after, Some('>' | ',')) && before.ends_with(is_type)
}

/// A class with a short name, written out, and the length of what it replaces. Its constructors are those of the template.
fn class(text: &str, before: &str) -> Option<(String, usize)> {
    let rest = text.strip_prefix("std::")?;
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    let (name, arguments) = CLASSES.iter().find(|(name, _)| rest.starts_with(name))?;
    let after = &rest[name.len()..];
    if before.ends_with(is_word) || after.starts_with(|c| c != ':' && is_word(c)) {
        return None;
    }
    let mut class = format!("std::basic_{name}{arguments}");
    let mut length = "std::".len() + name.len();
    for special in ["::", "::~"] {
        let function = after.strip_prefix(special);
        let arguments = function.and_then(|function| function.strip_prefix(name));
        if arguments.is_some_and(|arguments| arguments.starts_with(['(', '<'])) {
            class.push_str(&format!("{special}basic_{name}"));
            length += special.len() + name.len();
        }
    }
    if after.starts_with('>') {
        class.push(' ');
    }
    Some((class, length))
}

/// A number preceded by a type, with the type's suffix, and the length of what it replaces.
fn literal(text: &str) -> Option<(String, usize)> {
    let (kind, suffix) = SUFFIXES.iter().find(|(kind, _)| text.starts_with(kind))?;
    let number = &text[kind.len()..];
    let end = number.find(|c: char| !c.is_ascii_digit() && c != '-');
    let number = &number[..end.unwrap_or(number.len())];
    (!number.is_empty()).then(|| (format!("{number}{suffix}"), kind.len() + number.len()))
}

fn other_text(text: &str) -> Option<(String, usize)> {
    let (_, other, length) = OTHERS.iter().find(|other| text.starts_with(other.0))?;
    Some((other.to_string(), *length))
}
