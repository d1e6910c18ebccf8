//! Substitutions in names while they are read, so that names that become equal are one: `s/REGEX/REPLACEMENT/[gi]`.

use std::borrow::Cow;

use regex::bytes::{Regex, RegexBuilder};

/// A substitution, as in sed and cg_annotate.
#[derive(Clone, Debug)]
pub struct Substitution {
    regex: Regex,
    replacement: Vec<u8>,
    is_global: bool,
}

impl Substitution {
    /// Parses `s/REGEX/REPLACEMENT/FLAGS`. Any other delimiter may replace the slash. In the replacement, `\1` is the first
    /// group. The flags are `g` for all matches and `i` to ignore case.
    ///
    /// # Errors
    /// What is wrong with `text`.
    pub fn parse(text: &str) -> Result<Substitution, String> {
        let wrong = || "expected s/REGEX/REPLACEMENT/[gi]".to_owned();
        let mut chars = text.strip_prefix('s').ok_or_else(wrong)?.chars();
        let delimiter = chars
            .next()
            .filter(|c| !c.is_alphanumeric() && *c != '\\')
            .ok_or_else(wrong)?;
        let parts: Vec<&str> = chars.as_str().split(delimiter).collect();
        let [regex, replacement, flags] = parts[..] else {
            return Err(wrong());
        };
        if regex.is_empty() || flags.chars().any(|flag| !"gi".contains(flag)) {
            return Err(wrong());
        }
        let regex = RegexBuilder::new(regex)
            .case_insensitive(flags.contains('i'))
            .build();
        Ok(Substitution {
            regex: regex.map_err(|error| error.to_string())?,
            replacement: template(replacement).into_bytes(),
            is_global: flags.contains('g'),
        })
    }

    fn apply<'n>(&self, name: &'n [u8]) -> Cow<'n, [u8]> {
        self.regex
            .replacen(name, usize::from(!self.is_global), &self.replacement[..])
    }
}

/// Applies all substitutions to a name, one after the other.
pub(super) fn substitute_all<'n>(name: &'n [u8], substitutions: &[Substitution]) -> Cow<'n, [u8]> {
    substitutions
        .iter()
        .fold(
            Cow::Borrowed(name),
            |name, substitution| match substitution.apply(&name) {
                Cow::Borrowed(_) => name,
                Cow::Owned(other) => Cow::Owned(other),
            },
        )
}

/// Converts a replacement to the syntax of the regex package: `${1}` for groups, `$$` for a dollar.
fn template(replacement: &str) -> String {
    let mut template = String::new();
    let mut chars = replacement.chars();
    while let Some(c) = chars.next() {
        match c {
            '$' => template.push_str("$$"),
            '\\' => match chars.next() {
                Some(group @ '0'..='9') => template.extend(["${", &group.to_string(), "}"]),
                Some(other) => template.push(other),
                None => template.push('\\'),
            },
            c => template.push(c),
        }
    }
    template
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substitutions() {
        let table = [
            ("s/::h[0-9a-f]{16}$//", "a::b::h0123456789abcdef", "a::b"),
            ("s/a/b/", "banana", "bbnana"),
            ("s/a/b/g", "banana", "bbnbnb"),
            ("s/A/x/gi", "aAa", "xxx"),
            ("s/(b)(c)/\\2\\1/", "abcd", "acbd"),
            ("s|^/build/[^/]*/||", "/build/x1/src/a.c", "src/a.c"),
            ("s/a/$1\\\\/", "a", "$1\\"),
            ("s/x/y/", "abc", "abc"),
        ];
        for (text, name, expected) in table {
            let substitutions = [Substitution::parse(text).unwrap()];
            assert_eq!(
                String::from_utf8_lossy(&substitute_all(name.as_bytes(), &substitutions)),
                expected,
                "{text}"
            );
        }
        let both = ["s/a/b/", "s/b/c/"].map(|text| Substitution::parse(text).unwrap());
        assert_eq!(*substitute_all(b"a", &both), *b"c");
    }

    #[test]
    fn malformed_substitutions() {
        for text in [
            "", "s", "s/a", "s/a/b", "s/a/b/x", "y/a/b/", "s/(/b/", "s//b/", "s/a/b/g/",
        ] {
            assert!(Substitution::parse(text).is_err(), "{text}");
        }
    }
}
