//! Short names of functions and files, for reports that are read at a glance.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::namespace::bare_name;
use super::{Item, Label, Rows};
use crate::profile::SuffixFold;

/// The short names of some rows. Rows whose short names are equal have their full ones.
pub struct ShortNames<'p> {
    labels: Vec<Label<'p>>,
}

impl<'p> ShortNames<'p> {
    /// The names of listed items.
    pub fn new(items: &[Item], rows: &Rows<'p>) -> ShortNames<'p> {
        let full: Vec<Label<'p>> = items.iter().map(|item| item.label(rows)).collect();
        let short: Vec<Label<'p>> = full.iter().map(short_label).collect();
        let mut counts: HashMap<_, usize> = HashMap::new();
        for label in &short {
            *counts.entry(key(label)).or_default() += 1;
        }
        let is_unique: Vec<bool> = short.iter().map(|label| counts[&key(label)] == 1).collect();
        drop(counts);
        let labels = full.into_iter().zip(short).zip(is_unique);
        let labels = labels.map(|((full, short), is_unique)| if is_unique { short } else { full });
        ShortNames {
            labels: labels.collect(),
        }
    }

    /// The labels in the order of the items.
    pub fn labels(&self) -> &[Label<'p>] {
        &self.labels
    }
}

fn key<'l>(label: &'l Label<'_>) -> (&'l [u8], &'l [u8], usize) {
    match label {
        Label::Function { file, name, .. } => (file, name, 0),
        Label::Group { name } => (b"", name, 0),
        Label::Cycle(number) => (b"", b"", *number),
    }
}

fn short_label<'p>(label: &Label<'p>) -> Label<'p> {
    match label {
        &Label::Function {
            file,
            ref name,
            cycle,
            object,
        } => Label::Function {
            file: short_file(file),
            name: short_function(name).into_owned().into(),
            cycle,
            object: object.map(basename),
        },
        Label::Group { name } => Label::Group {
            name: short_function(name).into_owned().into(),
        },
        Label::Cycle(number) => Label::Cycle(*number),
    }
}

/// A function's name without template arguments, parameters and `[clone .isra.0]`. The level of recursion stays, and what
/// begins with a bracket, such as `<Tokens as Iterator>::next`.
pub fn short_function(name: &[u8]) -> Cow<'_, [u8]> {
    if name.starts_with(b"<") || name.contains(&b'/') {
        return name.into();
    }
    let suffixes = SuffixFold {
        callers: true,
        recursion: true,
    };
    let plain = suffixes.apply(name);
    let suffix = &name[plain.len().min(name.len())..];
    let bare = bare_name(&plain).text;
    if bare.is_empty() {
        return name.into();
    }
    [&bare[..], suffix].concat().into()
}

/// A file's name without the folder of Rust's standard library.
pub fn short_file(name: &[u8]) -> &[u8] {
    let library = name.strip_prefix(b"/rustc/").and_then(|rest| {
        let hash = rest.iter().position(|&byte| byte == b'/')?;
        let rest = &rest[hash + 1..];
        Some(rest.strip_prefix(b"library/").unwrap_or(rest))
    });
    library.unwrap_or(name)
}

fn basename(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names() {
        let table = [
            ("main", "main"),
            ("(below main)", "(below main)"),
            ("void quick<int>(int*) [clone .isra.0]'2", "quick'2"),
            ("a::f::<u32>::{closure#0}", "a::f::{closure#0}"),
            ("std::operator<< <char>(std::ostream&)", "std::operator<<"),
            (
                "a::(anonymous namespace)::f(int)",
                "a::(anonymous namespace)::f",
            ),
            (
                "<Tokens as core::iter::Iterator>::next",
                "<Tokens as core::iter::Iterator>::next",
            ),
            ("0x0000000000001190", "0x0000000000001190"),
            ("", ""),
        ];
        for (name, expected) in table {
            let short = short_function(name.as_bytes());
            assert_eq!(String::from_utf8_lossy(&short), expected, "{name}");
        }
        assert_eq!(
            short_file(b"/rustc/59807616/library/core/src/a.rs"),
            b"core/src/a.rs"
        );
        assert_eq!(short_file(b"src/a.rs"), b"src/a.rs");
    }
}
