//! Buckets: sets of functions that the user puts together under a name.

use super::pattern::Pattern;
use crate::view::filter::{Rule, Subject};

/// The name of the group of functions that are in no bucket.
pub(super) const OTHER: &[u8] = b"(other)";

/// A name, and which functions it is for.
#[derive(Clone, Debug)]
pub struct Bucket {
    name: String,
    /// One of them has to match.
    rules: Vec<Rule>,
}

impl Bucket {
    /// Reads `NAME=PATTERN|PATTERN`, with or without blanks around the name and the patterns. What is in slashes is one
    /// regular expression.
    ///
    /// # Errors
    /// What is wrong, in words that fit one line.
    pub fn parse(text: &str) -> Result<Bucket, String> {
        let (name, patterns) = text
            .split_once('=')
            .ok_or_else(|| "expected NAME=PATTERN".to_owned())?;
        let (name, patterns) = (name.trim(), patterns.trim());
        if name.is_empty() {
            return Err("a bucket without a name".to_owned());
        }
        let is_regex = patterns.len() > 1 && patterns.starts_with('/') && patterns.ends_with('/');
        let rule = |pattern: &str| {
            let pattern = Pattern::parse(pattern.trim()).map_err(|error| error.to_string())?;
            Ok(Rule {
                function: Some(pattern),
                ..Rule::default()
            })
        };
        let rules: Result<_, String> = match is_regex {
            true => rule(patterns).map(|rule| vec![rule]),
            false => patterns.split('|').map(rule).collect(),
        };
        Ok(Bucket {
            name: name.to_owned(),
            rules: rules?,
        })
    }

    /// Reads a bucket a line. Empty lines, and those that begin with `#`, are passed over.
    ///
    /// # Errors
    /// The line, from 1, and what is wrong with it.
    pub fn parse_lines(text: &str) -> Result<Vec<Bucket>, (usize, String)> {
        let lines = text.lines().map(str::trim).enumerate();
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        lines
            .map(|(at, line)| Bucket::parse(line).map_err(|error| (at + 1, error)))
            .collect()
    }
}

/// The name of the first bucket that a function, by its name in the profile, belongs to.
pub(super) fn bucket_of<'b>(buckets: &'b [Bucket], name: &[u8]) -> &'b [u8] {
    let subject = Subject::new(None, b"", name);
    let is_match = |bucket: &&Bucket| bucket.rules.iter().any(|rule| rule.matches(&subject));
    let found = buckets.iter().find(is_match);
    found.map_or(OTHER, |bucket| bucket.name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bucket_that_matches() {
        let buckets = Bucket::parse_lines(
            "# memory\nalloc = malloc | free|*alloc*\n\nstring=/^(mem|str)[a-z]+$/\nrest=alloca\n",
        );
        let buckets = buckets.unwrap();
        for (name, bucket) in [
            ("malloc", "alloc"),
            ("_int_realloc", "alloc"),
            ("alloca", "alloc"),
            ("strlen", "string"),
            ("xstrlen", "(other)"),
            ("free'2", "alloc"),
            ("_ZN1a4freeEv", "alloc"),
        ] {
            let found = bucket_of(&buckets, name.as_bytes());
            assert_eq!(found, bucket.as_bytes(), "{name}");
        }
    }

    #[test]
    fn wrong_definitions() {
        for (text, error) in [
            ("malloc", "expected NAME=PATTERN"),
            (" =a", "a bucket without a name"),
            ("a=b||c", "an empty pattern"),
            ("a=", "an empty pattern"),
            ("a=//", "an empty regular expression"),
        ] {
            assert_eq!(Bucket::parse(text).unwrap_err(), error, "{text}");
        }
        assert_eq!(Bucket::parse_lines("a=b\n\nx").unwrap_err().0, 3);
    }
}
