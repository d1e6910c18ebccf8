//! Shell globs as regular expressions.

use globset::GlobBuilder;

use super::PatternError;

/// The regular expression of a glob. That of globset matches bytes, and writes the bytes of other characters than ASCII
/// as `\xNN`: here they are characters again.
pub(super) fn glob_to_regex(text: &str) -> Result<String, PatternError> {
    let glob = GlobBuilder::new(&escape_brackets(text))
        .backslash_escape(true)
        .empty_alternates(true)
        .build();
    let glob = glob.map_err(|error| PatternError(error.kind().to_string()))?;
    let mut rest = glob.regex().trim_start_matches("(?-u)").as_bytes();
    let mut regex = Vec::new();
    while let Some(&byte) = rest.first() {
        let hex = rest.strip_prefix(b"\\x").and_then(|hex| hex.get(..2));
        let code = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        let len = match code {
            Some(code) if !code.is_ascii() => {
                regex.push(code);
                4
            }
            // The next byte begins no code.
            _ if byte == b'\\' => 2,
            _ => 1,
        };
        if len < 4 {
            regex.extend(rest.iter().take(len));
        }
        rest = rest.get(len..).unwrap_or_default();
    }
    String::from_utf8(regex).map_err(|error| PatternError(error.to_string()))
}

/// The glob with a backslash before what is literal in it: brackets that begin no class, braces without a comma.
fn escape_brackets(text: &str) -> String {
    let mut glob = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let class = rest.strip_prefix('[').and_then(|class| {
            let end = class.char_indices().skip(1).find(|&(_, c)| c == ']')?.0;
            (!class.starts_with(']')).then_some(&rest[..end + 2])
        });
        let escaped = rest.strip_prefix('\\').and_then(|rest| rest.chars().next());
        let taken = match (class, escaped, alternatives(rest)) {
            (Some(class), ..) => class.len(),
            (None, Some(escaped), _) => 1 + escaped.len_utf8(),
            (None, None, Some(texts)) => {
                let globs: Vec<_> = texts.iter().map(|text| escape_brackets(text)).collect();
                glob.push_str(&format!("{{{}}}", globs.join(",")));
                rest = &rest[texts.iter().map(|text| text.len() + 1).sum::<usize>() + 1..];
                continue;
            }
            (None, None, None) => {
                if matches!(c, '[' | ']' | '{' | '}' | ',' | '\\') {
                    glob.push('\\');
                }
                c.len_utf8()
            }
        };
        glob.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    glob
}

/// The texts between the braces that a text begins with, if there are several: a comma in further brackets, as in
/// `{lambda(int, char)#1}`, separates none. A `>` without a `<` is part of a name, and so are all angle brackets if one of
/// them is not closed.
fn alternatives(text: &str) -> Option<Vec<&str>> {
    separated(text, true).unwrap_or_else(|Unclosed| separated(text, false).ok().flatten())
}

/// A `<` without a `>`.
struct Unclosed;

fn separated(text: &str, with_angles: bool) -> Result<Option<Vec<&str>>, Unclosed> {
    let mut texts = Vec::new();
    let (mut start, mut open, mut is_escaped) = (1, Vec::new(), false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '{' | '(' => open.push(c),
            '<' if with_angles => open.push(c),
            ',' | '}' if open.len() == 1 => {
                texts.push(&text[start..at]);
                start = at + 1;
                if c == '}' {
                    return Ok((texts.len() > 1).then_some(texts));
                }
            }
            '}' | ')' => match open.pop() {
                Some('<') => return Err(Unclosed),
                _ if open.is_empty() => return Ok(None),
                _ => {}
            },
            '>' if !text[..at].ends_with('-') && open.last() == Some(&'<') => {
                open.pop();
            }
            _ => {}
        }
        if open.is_empty() {
            return Ok(None);
        }
    }
    Ok(None)
}
