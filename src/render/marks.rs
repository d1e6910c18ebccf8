//! Marks in the text of messages, which disappear when it is broken into lines or written in a
//! format. Text from elsewhere has no control characters left by then, so it cannot have marks of
//! its own.

/// Replaces a blank within a command: a command is copied as a whole.
pub(super) const UNBROKEN: char = '\u{1f}';

/// Before and after a name that is from a profile.
const NAME: [char; 2] = ['\u{2}', '\u{3}'];

/// A name that is code in formats that have code.
pub fn marked_name(name: &str) -> String {
    let [begin, end] = NAME;
    format!("{begin}{name}{end}")
}

/// A text with blanks instead of marks.
pub fn without_marks(text: &str) -> String {
    text.replace(NAME, "").replace(UNBROKEN, " ")
}

/// A text in which names are written by `code`, and what is between them by `plain`.
pub(super) fn with_names(
    text: &str,
    plain: impl Fn(&str) -> String,
    code: impl Fn(&str) -> String,
) -> String {
    let [begin, end] = NAME;
    let mut parts = text.split(begin);
    let mut written = parts.next().map(&plain).unwrap_or_default();
    for part in parts {
        let (name, after) = part.split_once(end).unwrap_or((part, ""));
        written.push_str(&code(name));
        written.push_str(&plain(after));
    }
    written
}
