//! Buckets: named sets of functions, and the bucket of a function, found in time that does not
//! depend on the number of patterns: those that may match have a text that the function's name has,
//! too.

use aho_corasick::AhoCorasick;

use crate::profile::NameKind;
use crate::view::filter::{Rule, Subject};
use crate::view::pattern::Pattern;

/// The name of the group of functions that are in no bucket.
const OTHER: &[u8] = b"(other)";

/// A named set of functions.
#[derive(Clone, Debug)]
pub struct Bucket {
    name: String,
    rules: Vec<Rule>,
}

impl Bucket {
    /// Parses `NAME=PATTERN|PATTERN`, with optional spaces around name and patterns. Text between
    /// slashes is one regular expression. The error message fits on one line.
    pub fn parse(text: &str) -> Result<Bucket, String> {
        let parts = text.split_once('=').ok_or("expected NAME=PATTERN")?;
        let (name, patterns) = (parts.0.trim(), parts.1.trim());
        if name.is_empty() {
            return Err("a bucket without a name".to_owned());
        }
        let is_regex = patterns.len() > 1 && patterns.starts_with('/') && patterns.ends_with('/');
        let rule = |pattern: &str| {
            let pattern = Pattern::parse(pattern.trim()).map_err(|error| error.to_string())?;
            Ok(Rule::of("function", pattern))
        };
        let rules: Result<_, String> = if is_regex {
            rule(patterns).map(|rule| vec![rule])
        } else {
            patterns.split('|').map(rule).collect()
        };
        Ok(Bucket { name: name.to_owned(), rules: rules? })
    }

    /// Parses one bucket per line. Empty lines and lines that begin with `#` are skipped. An error
    /// has its line number, from 1.
    pub fn parse_lines(text: &str) -> Result<Vec<Bucket>, (usize, String)> {
        let lines = text
            .lines()
            .map(str::trim)
            .enumerate()
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let read = |(at, line)| Bucket::parse(line).map_err(|error| (at + 1, error));
        lines.map(read).collect()
    }
}

/// The minimum number of patterns for which their texts are searched together.
const MIN_PATTERNS: usize = 32;

pub(super) struct BucketFinder<'b> {
    /// The patterns of all buckets in their order, each with the name of its bucket.
    rules: Vec<(&'b [u8], &'b Rule)>,
    /// The texts of the patterns that have one; none if there are few patterns.
    texts: Option<AhoCorasick>,
    /// By text the number of its pattern.
    of_text: Vec<usize>,
    /// The numbers of the patterns without a text.
    others: Vec<usize>,
}

impl<'b> BucketFinder<'b> {
    pub(super) fn new(buckets: &'b [Bucket]) -> BucketFinder<'b> {
        let of_bucket =
            |bucket: &'b Bucket| bucket.rules.iter().map(|rule| (bucket.name.as_bytes(), rule));
        let rules: Vec<(&[u8], &Rule)> = buckets.iter().flat_map(of_bucket).collect();
        let (mut texts, mut of_text, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for (number, (_, rule)) in rules.iter().enumerate() {
            match rule.function.as_ref().and_then(|pattern| pattern.needed_text()) {
                Some(text) => {
                    texts.push(text);
                    of_text.push(number);
                }
                None => others.push(number),
            }
        }
        let is_worth_it = rules.len() >= MIN_PATTERNS;
        let finder = if is_worth_it { AhoCorasick::new(texts).ok() } else { None };
        BucketFinder { rules, texts: finder, of_text, others }
    }

    /// The name of the first bucket that matches a function's name in the profile.
    pub(super) fn bucket_of(&self, name: &[u8], kind: NameKind) -> &'b [u8] {
        let subject = Subject::new(None, b"", name).of_kind(kind);
        let is_match = |&number: &usize| self.rules[number].1.matches(&subject);
        let found = match &self.texts {
            None => (0..self.rules.len()).find(is_match),
            Some(texts) => self.candidates(texts, &subject).into_iter().find(is_match),
        };
        found.map_or(OTHER, |number| self.rules[number].0)
    }

    /// The numbers of the patterns that may match, in order.
    fn candidates(&self, texts: &AhoCorasick, subject: &Subject<'_>) -> Vec<usize> {
        let mut candidates = self.others.clone();
        let mut add = |name: &[u8]| {
            let found = texts.find_overlapping_iter(name);
            candidates.extend(found.map(|found| self.of_text[found.pattern().as_usize()]));
        };
        let names = [subject.name, subject.demangled(), subject.short(), &subject.bare().text];
        for (at, &name) in names.iter().enumerate() {
            // The names of C are all the same.
            if names[..at].contains(&name) {
                continue;
            }
            add(name);
            if !name.is_ascii() && str::from_utf8(name).is_err() {
                add(String::from_utf8_lossy(name).as_bytes());
            }
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_patterns_are_searched_as_few_are() {
        let patterns = [
            "json::Parser::*",
            "Parser::value",
            "*alloc*",
            "strlen",
            "memcpy",
            "_Z1fi",
            "h(int)",
            "[xyz]?",
            "/^un.*e$/",
            "*\u{fffd}*",
            "a*b*c",
            "é*",
            "std::vector<*",
            "*",
        ];
        let names: [&[u8]; 16] = [
            b"json::Parser::next()",
            b"json::Parser::value(int)",
            b"a::json::Parser::value<char>()",
            b"std::allocator<int>::allocate(unsigned long)",
            b"std::vector<my::allocator>::size()",
            b"__strlen_avx2",
            b"__memcpy_avx_unaligned_erms",
            b"_Z1fi",
            b"_Z1hi",
            b"f(int)",
            b"x1",
            b"undone",
            b"a\xffb",
            b"aXbYc",
            "écrire".as_bytes(),
            b"",
        ];
        let kept = |kept: &[&str], others: usize| {
            let others = (0..others).map(|number| format!("none=no_function_{number}"));
            kept.iter()
                .map(|pattern| format!("{pattern}={pattern}"))
                .chain(others)
                .map(|text| Bucket::parse(&text).unwrap())
                .collect::<Vec<_>>()
        };
        for first in 0..patterns.len() {
            let [few, many] = [0, 2 * MIN_PATTERNS].map(|others| kept(&patterns[first..], others));
            let [few, many] = [&few, &many].map(|buckets| BucketFinder::new(buckets));
            assert_eq!((few.texts.is_some(), many.texts.is_some()), (false, true));
            for name in names {
                let found = [&few, &many].map(|all| all.bucket_of(name, NameKind::default()));
                assert_eq!(found[0], found[1], "{first} {}", name.escape_ascii());
            }
        }
    }
}
