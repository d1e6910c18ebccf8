//! Identifiers that have another name in the new text: variables, types and inlined functions. An
//! identifier became another one if
//!
//! - only the old text has the one and only the new text the other, equally often;
//! - the text declares it, so that both names are those of one thing: a call of another function of
//!   a library is a change;
//! - each line with it is equal to the line at its place once the renamed identifiers are replaced,
//!   and so are nine tenths of the ten lines after it.

use std::collections::{HashMap, HashSet};

use super::pairs::Pairs;
use super::{CONTROL_WORDS, is_identifier, tokens, with_new_words};

/// The number of lines after one with a renamed identifier that are compared.
const LINES_AFTER: usize = 10;

/// The maximum number of rounds in which identifiers turn out not to be renamed.
const MAX_ROUNDS: usize = 20;

/// What replaces each identifier that only one text has, when lines are compared.
const ANY_WORD: &[u8] = b"\0";

/// Words of several languages before an identifier that do not declare it.
#[rustfmt::skip]
const BEFORE_USES: [&[u8]; 32] = [
    b"and", b"as", b"assert", b"await", b"case", b"co_await", b"co_return", b"co_yield", b"crate",
    b"delete", b"do", b"dyn", b"else", b"for", b"from", b"goto", b"if", b"impl", b"import", b"in",
    b"is", b"new", b"not", b"or", b"package", b"return", b"throw", b"use", b"using", b"where",
    b"while", b"yield",
];

/// Words before a type, which declare it only where its members follow.
const BEFORE_TYPES: [&[u8]; 4] = [b"class", b"enum", b"struct", b"union"];

/// A line that the other text does not have, and the line before it.
struct LeftLine<'t> {
    before: &'t [u8],
    line: &'t [u8],
}

/// A line of the old text and the line at its place, which differ in identifiers alone.
struct LineWithWords<'t> {
    old: usize,
    /// The identifiers that differ, and those in their place.
    words: Vec<(&'t [u8], &'t [u8])>,
}

/// By identifier of the old text the one that it became.
pub(super) fn renamed_words<'t>(
    old: &[&'t [u8]],
    new: &[&'t [u8]],
    pairs: &Pairs<'_>,
) -> HashMap<&'t [u8], &'t [u8]> {
    let left = |lines: &[&'t [u8]], pairs: &[Option<(usize, bool)>]| {
        let paired = lines.iter().zip(pairs).enumerate();
        let left = paired.filter(|(_, (_, pair))| pair.is_none());
        let with_line_before = left.map(|(at, (line, _))| {
            let before = at.checked_sub(1).map_or(&b""[..], |before| lines[before]);
            LeftLine { before, line }
        });
        with_line_before.collect::<Vec<LeftLine<'t>>>()
    };
    let (removed, added) = (left(old, &pairs.of_old), left(new, &pairs.of_new));
    let counts = [counted(&removed, new), counted(&added, old)];
    let [of_old, of_new] = &counts;
    if of_old.is_empty() || of_new.is_empty() {
        return HashMap::new();
    }
    let shapes = |lines: &[&'t [u8]], only: &HashMap<&'t [u8], usize>| -> Vec<Vec<u8>> {
        let words = only.keys().map(|word| (*word, ANY_WORD)).collect();
        lines.iter().map(|line| with_new_words(line, &words).into_owned()).collect()
    };
    let all_shapes = [shapes(old, of_old), shapes(new, of_new)];
    let [of_old_lines, of_new_lines] =
        all_shapes.each_ref().map(|of| of.iter().map(|shape| &shape[..]).collect::<Vec<_>>());
    let shaped = Pairs::in_order(&of_old_lines, &of_new_lines);
    let lines: Vec<LineWithWords<'t>> = shaped
        .of_old
        .iter()
        .enumerate()
        .filter_map(|(at, pair)| {
            let (new_at, _) = (*pair)?;
            let both = tokens(old[at]).zip(tokens(new[new_at]));
            let words: Vec<_> = both.filter(|(old, new)| old != new).collect();
            (!words.is_empty()).then_some(LineWithWords { old: at, words })
        })
        .collect();
    let mut words = consistent(&lines, of_old, of_new);
    let (of_removed, of_added) = (declared(&removed), declared(&added));
    words.retain(|old, new| of_removed.contains(old) && of_added.contains(new));
    let is_paired: Vec<bool> = shaped.of_old.iter().map(Option::is_some).collect();
    without_other_lines(&lines, &is_paired, words)
}

/// How often lines have the identifiers that none of the lines of the other text has.
fn counted<'t>(lines: &[LeftLine<'t>], others: &[&[u8]]) -> HashMap<&'t [u8], usize> {
    let mut counts: HashMap<&[u8], usize> = HashMap::new();
    let all = lines.iter().flat_map(|left| tokens(left.line));
    for word in all.filter(|token| is_identifier(token)) {
        *counts.entry(word).or_default() += 1;
    }
    if !counts.is_empty() {
        others.iter().flat_map(|line| tokens(line)).for_each(|token| {
            counts.remove(token);
        });
    }
    counts
}

/// The identifiers that always became the same other one.
fn consistent<'t>(
    lines: &[LineWithWords<'t>],
    of_old: &HashMap<&'t [u8], usize>,
    of_new: &HashMap<&'t [u8], usize>,
) -> HashMap<&'t [u8], &'t [u8]> {
    let mut counts: HashMap<(&[u8], &[u8]), usize> = HashMap::new();
    for &pair in lines.iter().flat_map(|line| &line.words) {
        *counts.entry(pair).or_default() += 1;
    }
    let is_whole = |&((old, new), count): &((&'t [u8], &'t [u8]), usize)| {
        of_old.get(old) == Some(&count) && of_new.get(new) == Some(&count)
    };
    counts.into_iter().filter(is_whole).map(|(pair, _)| pair).collect()
}

/// The identifiers that some line declares: there is a type or a keyword before it, perhaps with
/// stars from the start of a statement on. Of a function it may be in a macro: `API(int) f(int a)`,
/// or in the line before.
fn declared<'t>(lines: &[LeftLine<'t>]) -> HashSet<&'t [u8]> {
    let mut declared = HashSet::new();
    for LeftLine { before, line } in lines {
        let code = code_tokens(line);
        if let [name, b"(", .., last] = &code[..]
            && is_identifier(name)
            && *last != b";"
            && is_type(&code_tokens(before))
        {
            declared.insert(*name);
        }
        // Whether there are only words and stars since the start of the statement.
        let (mut is_start, mut has_type, mut has_words) = (true, false, false);
        for (at, &token) in code.iter().enumerate() {
            let before = at.checked_sub(1).map_or(&b""[..], |before| code[before]);
            let after = code.get(at + 1).copied().unwrap_or_default();
            if !is_identifier(token) {
                let is_in_path = token == b":" && (before == b":" || after == b":");
                let goes_on = matches!(token, b"*" | b"&") || is_in_path;
                is_start = matches!(token, b";" | b"{") || is_start && goes_on;
                has_type &= is_start && goes_on;
                has_words &= has_type;
                continue;
            }
            let is_used = BEFORE_USES.contains(&before)
                || BEFORE_TYPES.contains(&before) && (is_identifier(after) || after == b"*")
                // A prototype: the function may be another one.
                || after == b"(" && code.last() == Some(&&b";"[..]);
            let follows_type =
                is_identifier(before) || is_start && has_type && matches!(before, b"*" | b"&");
            // The method of a class: `int A::f(int a)`.
            let is_method = is_start && has_words && before == b":" && after == b"(";
            let follows_macro = after == b"(" && is_macro_with_arguments(&code[..at]);
            if (follows_type || is_method || follows_macro) && !is_used {
                declared.insert(token);
            }
            has_words |= has_type && before != b":";
            has_type |= is_start && !BEFORE_USES.contains(&token);
        }
    }
    declared
}

/// Whether some tokens are words, with stars behind them, that may be a type.
fn is_type(tokens: &[&[u8]]) -> bool {
    let is_part = |token: &&[u8]| {
        is_identifier(token) && !BEFORE_USES.contains(token) || matches!(*token, b"*" | b"&")
    };
    tokens.first().is_some_and(|first| is_identifier(first)) && tokens.iter().all(is_part)
}

/// Whether some tokens are a name with arguments, and nothing else.
fn is_macro_with_arguments(tokens: &[&[u8]]) -> bool {
    let [name, b"(", inside @ .., b")"] = tokens else {
        return false;
    };
    is_identifier(name) && !CONTROL_WORDS.contains(name) && !inside.contains(&&b")"[..])
}

/// The tokens of a line without comments, texts in quotes, and directives but `#define`.
fn code_tokens(line: &[u8]) -> Vec<&[u8]> {
    let mut code: Vec<&[u8]> = Vec::new();
    let mut is_quoted = false;
    for token in tokens(line) {
        let before = code.last().copied().unwrap_or_default();
        match (before, token) {
            (_, b"\"") => is_quoted = !is_quoted,
            _ if is_quoted => {}
            (b"/", b"/" | b"*") => {
                code.pop();
                return code;
            }
            (b"#", word) if word != b"define" => return Vec::new(),
            (b"", b"*") => return Vec::new(),
            (_, token) => code.push(token),
        }
    }
    code
}

/// Leaves out identifiers with a line that differs otherwise, or with too few equal lines after it.
fn without_other_lines<'t>(
    lines: &[LineWithWords<'t>],
    is_paired: &[bool],
    mut words: HashMap<&'t [u8], &'t [u8]>,
) -> HashMap<&'t [u8], &'t [u8]> {
    for _ in 0..MAX_ROUNDS {
        let mut is_equal = is_paired.to_vec();
        for line in lines {
            is_equal[line.old] = line.words.iter().all(|(old, _)| words.contains_key(old));
        }
        let before = words.len();
        for line in lines {
            let after = &is_equal[line.old + 1..is_equal.len().min(line.old + 1 + LINES_AFTER)];
            let equal = after.iter().filter(|is_equal| **is_equal).count();
            if !is_equal[line.old] || equal * 10 < after.len() * 9 {
                line.words.iter().for_each(|(old, _)| {
                    words.remove(old);
                });
            }
        }
        if words.len() == before {
            return words;
        }
    }
    HashMap::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The identifiers that were renamed between two texts, `old>new`, in order.
    fn renamed(old: &str, new: &str) -> String {
        let lines = |text: &'static str| -> Vec<&'static [u8]> {
            text.split_inclusive('\n').map(str::as_bytes).collect()
        };
        let (old, new) = (lines(old.to_owned().leak()), lines(new.to_owned().leak()));
        let pairs = Pairs::in_order(&old, &new);
        let words = renamed_words(&old, &new, &pairs).into_iter();
        let text = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
        let mut words: Vec<String> =
            words.map(|(old, new)| format!("{}>{}", text(old), text(new))).collect();
        words.sort();
        words.join(" ")
    }

    #[test]
    fn identifiers_that_became_others() {
        let same = "a;\nb;\nc;\nd;\ne;\nf;\ng;\nh;\ni;\nj;\nk;\n";
        let table = [
            ("int old = 1;\nuse1(old);\n", "int new_one = 1;\nuse1(new_one);\n", "old>new_one"),
            ("char *old = 0;\n*old = 1;\n", "char *kept = 0;\n*kept = 1;\n", "old>kept"),
            ("let mut old = 1;\nold += 1;\n", "let mut now = 1;\nnow += 1;\n", "old>now"),
            ("#define OLD 1\nx = OLD;\n", "#define NOW 1\nx = NOW;\n", "OLD>NOW"),
            ("struct old {\nstruct old *p;\n", "struct now {\nstruct now *p;\n", "old>now"),
            ("API(int *) old(int a)\nold(1);\n", "API(int *) now(int a)\nnow(1);\n", "old>now"),
            ("int A::old(int a)\nA::old(1);\n", "int A::now(int a)\nA::now(1);\n", "old>now"),
            ("static int\nold(int a,\nint b) {\n", "static int\nnow(int a,\nint b) {\n", "old>now"),
            ("x = 1;\nold(a,\nb);\n", "x = 1;\nnow(a,\nb);\n", ""),
            ("else\nold(a,\nb);\n", "else\nnow(a,\nb);\n", ""),
            ("static int\nold(int a);\n", "static int\nnow(int a);\n", ""),
            ("A::old(1)\n", "A::now(1)\n", ""),
            ("return A::old(1)\n", "return A::now(1)\n", ""),
            ("case A: old(1)\n", "case A: now(1)\n", ""),
            ("if (a) old(1)\n", "if (a) now(1)\n", ""),
            ("f(a)(b) old(1)\n", "f(a)(b) now(1)\n", ""),
            // A call of another function of a library.
            ("x = sqrtf(y);\n", "x = fast_sqrt(y);\n", ""),
            ("return sqrtf(y);\n", "return fast_sqrt(y);\n", ""),
            ("float sqrtf(float);\nx = sqrtf(y);\n", "float fast(float);\nx = fast(y);\n", ""),
            ("x = a * OLD;\n", "x = a * NOW;\n", ""),
            ("// the OLD one\nx = OLD;\n", "// the NOW one\nx = NOW;\n", ""),
            ("struct list *p;\n", "struct tree *p;\n", ""),
            ("std::map<int> m;\n", "std::unordered_map<int> m;\n", ""),
            // One became two, two became one, and not all became another.
            ("int o = 1;\nf(o);\ng(o);\n", "int n = 1;\nf(n);\ng(m);\n", ""),
            ("int o = 1;\nint p = o;\n", "int n = 1;\nint n = n;\n", ""),
            ("int o = 1;\nf(o);\n", "int n = 1;\nf(n);\nf(n);\n", ""),
            // A line with it differs otherwise.
            ("int o = 1;\nf(o, 1);\n", "int n = 1;\nf(n, 2);\n", ""),
            ("int o = 1;\nf(o);\n", "int n = 1;\nf(n);\n", "o>n"),
        ];
        for (old, new, expected) in table {
            let [before, after] = [old, new].map(|text| format!("{same}{text}{same}"));
            assert_eq!(renamed(&before, &after), expected, "{old}");
        }
    }

    #[test]
    fn nine_of_ten_lines_after_are_equal() {
        let body = |changed: usize| -> String {
            let line = |at: usize| {
                if at < changed { format!("x{at} + 1;\n") } else { format!("y{at};\n") }
            };
            (0..12).map(line).collect()
        };
        for (changed, expected) in [(0, "old>now"), (1, "old>now"), (2, "")] {
            let [before, after] = [("old", 0), ("now", changed)]
                .map(|(name, changed)| format!("void {name}() {{\n{}", body(changed)));
            assert_eq!(renamed(&before, &after), expected, "{changed}");
        }
    }
}
