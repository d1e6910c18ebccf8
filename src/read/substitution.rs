//! Substitutions in names while they are read, so that names that become equal are one:
//! `s/REGEX/REPLACEMENT/[gi]`.

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
    /// Parses `s/REGEX/REPLACEMENT/FLAGS`. Any other delimiter may replace the slash. In the
    /// replacement, `\1` is the first group. The flags are `g` for all matches and `i` to ignore
    /// case.
    ///
    /// # Errors
    /// What is wrong with `text`.
    pub fn parse(text: &str) -> Result<Substitution, String> {
        let wrong = || "expected s/REGEX/REPLACEMENT/[gi]".to_owned();
        let mut chars = text.strip_prefix('s').ok_or_else(wrong)?.chars();
        let delimiter =
            chars.next().filter(|c| !c.is_alphanumeric() && *c != '\\').ok_or_else(wrong)?;
        let parts = split(chars.as_str(), delimiter);
        let [regex, replacement, flags] = &parts[..] else {
            return Err(wrong());
        };
        if regex.is_empty() || flags.chars().any(|flag| !"gi".contains(flag)) {
            return Err(wrong());
        }
        let regex = RegexBuilder::new(regex)
            .case_insensitive(flags.contains('i'))
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Substitution {
            replacement: template(replacement, &regex)?.into_bytes(),
            regex,
            is_global: flags.contains('g'),
        })
    }

    fn apply<'n>(&self, name: &'n [u8]) -> Cow<'n, [u8]> {
        self.regex.replacen(name, usize::from(!self.is_global), &self.replacement[..])
    }
}

/// Applies all substitutions to a name, one after the other.
pub(super) fn substitute_all<'n>(name: &'n [u8], substitutions: &[Substitution]) -> Cow<'n, [u8]> {
    let mut name = Cow::Borrowed(name);
    for substitution in substitutions {
        if let Cow::Owned(other) = substitution.apply(&name) {
            name = Cow::Owned(other);
        }
    }
    name
}

/// The parts between delimiters. A delimiter after a backslash is a character of a part.
fn split(text: &str, delimiter: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == delimiter {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            let escaped = chars.clone().next().filter(|_| c == '\\');
            match escaped {
                // A backslash before these would be the start or end of a word.
                Some(next) if next == delimiter && "<>".contains(next) => part.push(next),
                Some(next) => part.extend([c, next]),
                None => part.push(c),
            }
            if escaped.is_some() {
                chars.next();
            }
        }
    }
    parts
}

/// Converts a replacement to the syntax of the regex package: `${1}` for groups, `$$` for a dollar.
/// Groups are `\1`, or `\g<1>` and `\g<name>` as in Python. A group that the expression does not
/// have is an error.
fn template(replacement: &str, regex: &Regex) -> Result<String, String> {
    let group = |name: &str| {
        let mut names = regex.capture_names().flatten();
        let is_group = match name.parse::<usize>() {
            Ok(number) => number < regex.captures_len(),
            Err(_) => names.any(|other| other == name),
        };
        let unknown = || format!("the expression has no group {name}");
        is_group.then(|| format!("${{{name}}}")).ok_or_else(unknown)
    };
    let mut template = String::new();
    let mut chars = replacement.chars();
    while let Some(c) = chars.next() {
        match c {
            '$' => template.push_str("$$"),
            '\\' => match chars.next() {
                Some(number @ '0'..='9') => template += &group(&number.to_string())?,
                Some('g') if chars.as_str().starts_with('<') && chars.as_str().contains('>') => {
                    let name: String = chars.by_ref().skip(1).take_while(|&c| c != '>').collect();
                    template += &group(&name)?;
                }
                Some(other) => template.push(other),
                None => template.push('\\'),
            },
            c => template.push(c),
        }
    }
    Ok(template)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_a_replacement_are_those_of_the_expression() {
        let is_good = |text: &str| Substitution::parse(text).is_ok();
        assert!(is_good(r"s/(?P<word>a)b/\g<word>\1\g<0>/"));
        let without = [r"s/(a)/\2/", r"s/a/\9/", r"s/a/\g<1>/", r"s/a/\g<word>/"];
        assert_eq!(without.map(is_good), [false; 4]);
    }
}
