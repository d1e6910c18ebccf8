//! The bodies of functions in the text of a source: from the line with the name of a definition to
//! the bracket that closes it, in languages with braces.

use std::collections::{HashMap, HashSet};

use crate::source::{CONTROL_WORDS, equal_in_order, is_identifier, tokens};

/// The maximum number of tokens between the name of a function and the bracket that opens its body.
const MAX_HEAD: usize = 400;

/// The maximum number of lines of a body that is compared.
const MAX_LINES: usize = 5000;

/// The lines of a text, each as its tokens.
pub(in crate::transform) struct SourceTokens<'t> {
    lines: Vec<Vec<&'t [u8]>>,
    /// The lines that each identifier is in.
    of_words: HashMap<&'t [u8], Vec<u32>>,
    is_rust: bool,
}

/// The lines of a body, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::transform) struct Body {
    pub(in crate::transform) first: u32,
    pub(in crate::transform) last: u32,
}

impl<'t> SourceTokens<'t> {
    pub(in crate::transform) fn new(text: &'t [u8], file: &[u8]) -> SourceTokens<'t> {
        let lines: Vec<Vec<&[u8]>> =
            text.split(|&byte| byte == b'\n').map(|line| tokens(line).collect()).collect();
        let mut of_words: HashMap<&[u8], Vec<u32>> = HashMap::new();
        for (number, line) in (0..).zip(&lines) {
            for word in line.iter().filter(|token| is_identifier(token)) {
                let known = of_words.entry(word).or_default();
                if known.last() != Some(&number) {
                    known.push(number);
                }
            }
        }
        SourceTokens { lines, of_words, is_rust: file.ends_with(b".rs") }
    }

    /// The number of lines that an identifier is in.
    pub(super) fn lines_with(&self, word: &[u8]) -> usize {
        self.of_words.get(word).map_or(0, Vec::len)
    }

    pub(super) fn has_word(&self, word: &[u8]) -> bool {
        self.of_words.contains_key(word)
    }

    /// The lines of a body that are not empty.
    pub(super) fn of_body(&self, body: Body) -> impl Iterator<Item = &[&'t [u8]]> {
        let lines = self.lines[body.first as usize..=body.last as usize].iter();
        lines.filter(|line| !line.is_empty()).map(|line| &line[..])
    }

    /// The body of the definition of a function: of several the one with most of the executed lines
    /// (from 1).
    pub(in crate::transform) fn body_of(
        &self,
        word: &[u8],
        executed: &HashSet<u32>,
    ) -> Option<Body> {
        let lines = self.of_words.get(word)?;
        let mut found: Vec<(usize, Body)> = Vec::new();
        for &line in lines {
            let Some(body) = self.body_at(line, word) else {
                continue;
            };
            let is_in = |line: &&u32| (body.first + 1..=body.last + 1).contains(line);
            let count = executed.iter().filter(is_in).count();
            if count > 0 {
                found.push((count, body));
            }
        }
        let most = found.iter().map(|&(count, _)| count).max()?;
        let mut best = found.iter().filter(|&&(count, _)| count == most);
        let &(_, body) = best.next()?;
        best.next().is_none().then_some(body)
    }

    /// What may be the definition of a function, with its name: some may be blocks in bodies, or
    /// macros in front of a definition.
    pub(super) fn definitions(&self) -> Vec<(&'t [u8], Body)> {
        let mut found = Vec::new();
        for (line, of_line) in (0..).zip(&self.lines) {
            let is_directive = !self.is_rust && of_line.first() == Some(&&b"#"[..]);
            let words = of_line.iter().filter(|token| is_identifier(token));
            let names = words.filter(|word| !is_directive && !CONTROL_WORDS.contains(word));
            found.extend(names.filter_map(|word| Some((*word, self.body_at(line, word)?))));
        }
        found
    }

    /// The body of a definition whose name is in a line.
    fn body_at(&self, line: u32, word: &[u8]) -> Option<Body> {
        let of_line = &self.lines[line as usize];
        let mut at = of_line.iter().enumerate().filter(|(_, token)| **token == word);
        at.find_map(|(at, _)| {
            let before = at.checked_sub(1).map(|before| of_line[before]);
            may_be_defined(before, self.is_rust).then(|| self.body_after(line, at)).flatten()
        })
    }

    /// The body of a definition, from its name.
    fn body_after(&self, line: u32, at: usize) -> Option<Body> {
        let lines = &self.lines[line as usize..];
        let of_first = lines.first()?.iter().skip(at + 1).map(|token| (line, *token));
        let others = (line + 1..)
            .zip(&lines[1..])
            .take(MAX_LINES)
            .flat_map(|(line, of)| of.iter().map(move |token| (line, *token)));
        body_of_tokens(line, of_first.chain(others))
    }
}

/// The body of the definition of a function whose name is in the first line of a text; the text is
/// read up to its end, or to where it is no definition.
pub(in crate::transform) fn body_of_first_line(
    text: &[u8],
    file: &[u8],
    word: &[u8],
) -> Option<Body> {
    let mut lines = text.split(|&byte| byte == b'\n');
    let first: Vec<&[u8]> = tokens(lines.next()?).collect();
    let is_rust = file.ends_with(b".rs");
    let names = first.iter().enumerate().filter(|(_, token)| **token == word).map(|(at, _)| at);
    let mut definitions =
        names.filter(|&at| may_be_defined(at.checked_sub(1).map(|at| first[at]), is_rust));
    definitions.find_map(|at| {
        let of_first = first.iter().skip(at + 1).map(|token| (0, *token));
        let others = (1..)
            .zip(lines.clone())
            .take(MAX_LINES)
            .flat_map(|(line, text)| tokens(text).map(move |token| (line, token)));
        body_of_tokens(0, of_first.chain(others))
    })
}

/// Whether the token before a name may begin a definition.
fn may_be_defined(before: Option<&[u8]>, is_rust: bool) -> bool {
    if is_rust {
        return before == Some(b"fn");
    }
    match before {
        None => true,
        Some(b"return" | b"else" | b"new" | b"case" | b"goto" | b"throw") => false,
        Some(token) => is_identifier(token) || matches!(token, b"*" | b"&" | b":" | b"~" | b">"),
    }
}

/// The body of a definition with its name in line `first`, from the tokens after the name.
fn body_of_tokens<'t>(first: u32, tokens: impl Iterator<Item = (u32, &'t [u8])>) -> Option<Body> {
    let mut code = CodeTokens::of(tokens);
    let (mut depth, mut has_parameters) = (0usize, false);
    for count in 0.. {
        let (_, token) = code.next()?;
        match token {
            b"(" | b"[" => depth += 1,
            b")" | b"]" => {
                depth = depth.checked_sub(1)?;
                has_parameters = true;
            }
            b"{" if depth == 0 && has_parameters => break,
            b";" | b"{" | b"}" if depth == 0 => return None,
            _ if count == 0 && !matches!(token, b"<" | b":") => return None,
            _ => {}
        }
        if count > MAX_HEAD {
            return None;
        }
    }
    let mut depth = 1usize;
    for (last, token) in code {
        match token {
            b"{" => depth += 1,
            b"}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(Body { first, last });
        }
    }
    None
}

/// The tokens of a text without its comments, texts and characters.
struct CodeTokens<'t, I: Iterator<Item = (u32, &'t [u8])>> {
    tokens: std::iter::Peekable<I>,
}

impl<'t, I: Iterator<Item = (u32, &'t [u8])>> CodeTokens<'t, I> {
    fn of(tokens: I) -> CodeTokens<'t, I> {
        CodeTokens { tokens: tokens.peekable() }
    }

    fn skip_line(&mut self, line: u32) {
        while self.tokens.next_if(|(of, _)| *of == line).is_some() {}
    }

    /// Skips a text in quotes, which ends with its line at the latest.
    fn skip_quoted(&mut self, line: u32, quote: &[u8]) {
        let mut is_escaped = false;
        while let Some((_, token)) = self.tokens.next_if(|(of, _)| *of == line) {
            if token == quote && !is_escaped {
                return;
            }
            is_escaped = token == b"\\" && !is_escaped;
        }
    }

    /// Skips the rest of a character such as `'x'`, or the word of a lifetime of Rust. Of `' '`
    /// only the quotes are tokens.
    fn skip_character(&mut self, line: u32) {
        let is_blank = self.tokens.next().is_some_and(|(_, token)| token == b"'");
        if !is_blank {
            self.tokens.next_if(|(of, token)| *of == line && *token == b"'");
        }
    }

    fn skip_comment(&mut self) {
        let mut before: &[u8] = b"";
        for (_, token) in self.tokens.by_ref() {
            if before == b"*" && token == b"/" {
                return;
            }
            before = token;
        }
    }
}

impl<'t, I: Iterator<Item = (u32, &'t [u8])>> Iterator for CodeTokens<'t, I> {
    type Item = (u32, &'t [u8]);

    fn next(&mut self) -> Option<(u32, &'t [u8])> {
        loop {
            let (line, token) = self.tokens.next()?;
            let next = self.tokens.peek().filter(|(of, _)| *of == line).map(|(_, token)| *token);
            match (token, next) {
                (b"/", Some(b"/")) => self.skip_line(line),
                (b"/", Some(b"*")) => {
                    self.tokens.next();
                    self.skip_comment();
                }
                (b"\"", _) => self.skip_quoted(line, b"\""),
                (b"'", Some(b"\\")) => self.skip_quoted(line, b"'"),
                (b"'", Some(_)) => self.skip_character(line),
                _ => return Some((line, token)),
            }
        }
    }
}

/// The endings of the names of sources in languages whose bodies are in braces.
const ENDINGS: [&[u8]; 12] = [
    b".c", b".cc", b".cpp", b".cxx", b".h", b".hh", b".hpp", b".hxx", b".inl", b".ipp", b".rs",
    b".tcc",
];

/// Words that begin a statement which declares nothing that has a value.
const WITHOUT_VALUES: [&[u8]; 6] = [b"extern", b"friend", b"mod", b"typedef", b"use", b"using"];

/// What is known of a statement outside of bodies, from its start on.
#[derive(Default)]
struct Head {
    /// The line of its first token.
    first: Option<u32>,
    has_parameters: bool,
    has_value: bool,
    is_function: bool,
    is_without_value: bool,
}

/// By line of a text, from 1, whether it declares a constant, a type or a macro, outside of the
/// bodies and prototypes of functions; none for languages that are not known.
pub fn lines_of_declarations(text: &[u8], file: &[u8]) -> Option<Vec<bool>> {
    if !ENDINGS.iter().any(|ending| file.ends_with(ending)) {
        return None;
    }
    let is_rust = file.ends_with(b".rs");
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let mut is_declaration = vec![false; lines.len() + 1];
    let directives = directives(&lines, is_rust);
    let numbered = (0..).zip(&lines).flat_map(|(line, text)| {
        let is_code = directives[line as usize].is_none();
        tokens(text).filter(move |_| is_code).map(move |token| (line, token))
    });
    // Of each open bracket whether it is in a body.
    let mut open: Vec<bool> = Vec::new();
    let mut head = Head::default();
    for (line, token) in CodeTokens::of(numbered) {
        let is_in_body = open.last() == Some(&true);
        let first = head.first.unwrap_or(line);
        let mut of_head = |declares: bool| {
            is_declaration[first as usize + 1..=line as usize + 1].fill(declares && !is_in_body);
        };
        match token {
            b"{" => {
                let is_body = if is_rust {
                    head.is_function
                } else {
                    // Parameters of old C are declared before the body.
                    head.has_parameters || head.first.is_none() && open.is_empty()
                };
                of_head(!is_body);
                open.push(is_in_body || is_body);
                head = Head::default();
            }
            b"}" | b";" => {
                let is_prototype = head.has_parameters && !head.has_value;
                if head.first.is_some() {
                    of_head(!is_prototype && !head.is_without_value);
                }
                if token == b"}" {
                    open.pop();
                }
                head = Head::default();
            }
            _ => {
                head.is_without_value |= head.first.is_none() && WITHOUT_VALUES.contains(&token);
                head.first = Some(first);
                head.has_parameters |= token == b")";
                head.has_value |= token == b"=";
                head.is_function |= token == b"fn";
            }
        }
    }
    for (line, defines) in directives.iter().enumerate() {
        if let Some(defines) = *defines {
            is_declaration[line + 1] = defines;
        }
    }
    Some(is_declaration)
}

/// By line whether it is part of a directive of the preprocessor, and whether that defines a macro.
fn directives(lines: &[&[u8]], is_rust: bool) -> Vec<Option<bool>> {
    if is_rust {
        return vec![None; lines.len()];
    }
    let mut going_on = None;
    let of_line = |line: &&[u8]| {
        let mut tokens = tokens(line);
        let begins = tokens.next() == Some(b"#");
        let directive = going_on.or(begins.then(|| tokens.next() == Some(b"define")));
        going_on = directive.filter(|_| line.trim_ascii_end().ends_with(b"\\"));
        directive
    };
    lines.iter().map(of_line).collect()
}

/// How the body of one function became that of another.
pub(super) struct Comparison<'t> {
    /// By identifier of the old text the one of the new text.
    pub(super) words: HashMap<&'t [u8], &'t [u8]>,
    /// The number of lines of the shorter body.
    pub(super) lines: usize,
    /// Whether all lines are equal.
    pub(super) is_whole: bool,
}

/// The numbers of lines: equal ones for lines that are equal but for identifiers that the other
/// text does not have.
pub(super) type LineNumbers<'t> = HashMap<Vec<&'t [u8]>, u32>;

/// The body of a function with its lines that are not empty.
pub(super) struct NumberedBody<'a, 't> {
    /// The last word of the name of the function.
    pub(super) word: &'t [u8],
    pub(super) lines: Vec<&'a [&'t [u8]]>,
    /// By line its number.
    pub(super) numbers: Vec<u32>,
}

impl<'a, 't> NumberedBody<'a, 't> {
    pub(super) fn new(
        text: &'a SourceTokens<'t>,
        body: Body,
        word: &'t [u8],
        other: &SourceTokens<'_>,
        known: &mut LineNumbers<'t>,
    ) -> NumberedBody<'a, 't> {
        let lines: Vec<&[&[u8]]> = text.of_body(body).collect();
        let number = |line: &&[&'t [u8]]| {
            let token = |&token: &&'t [u8]| -> &'t [u8] {
                let is_only_here = is_identifier(token) && !other.has_word(token);
                if is_only_here || token == word { b"" } else { token }
            };
            let next = known.len() as u32;
            *known.entry(line.iter().map(token).collect()).or_insert(next)
        };
        let numbers = lines.iter().map(number).collect();
        NumberedBody { word, lines, numbers }
    }
}

/// Whether nine tenths of the lines of two bodies are equal, given how many are.
pub(super) fn are_enough(equal: usize, lines: [usize; 2]) -> bool {
    2 * equal * 10 >= 9 * (lines[0] + lines[1])
}

/// Compares two bodies: nine tenths of their lines have to be equal but for identifiers that only
/// one text has, each of which became one other.
pub(super) fn compare<'t>(
    old: &NumberedBody<'_, 't>,
    new: &NumberedBody<'_, 't>,
) -> Option<Comparison<'t>> {
    let counts = [old.lines.len(), new.lines.len()];
    let mut words: HashMap<&[u8], &[u8]> = HashMap::from([(old.word, new.word)]);
    let mut back: HashMap<&[u8], &[u8]> = HashMap::from([(new.word, old.word)]);
    let mut equal = 0;
    for (of_old, of_new) in equal_in_order(&old.numbers, &new.numbers) {
        let differing = || {
            let both = old.lines[of_old].iter().zip(new.lines[of_new]);
            both.filter(|(old, new)| old != new).map(|(old, new)| (*old, *new))
        };
        let is_consistent = |(old, new): (&[u8], &[u8])| {
            words.get(old).is_none_or(|known| *known == new)
                && back.get(new).is_none_or(|known| *known == old)
        };
        if differing().all(is_consistent) {
            words.extend(differing());
            back.extend(differing().map(|(old, new)| (new, old)));
            equal += 1;
        }
    }
    let is_whole = counts == [equal, equal];
    let lines = counts[0].min(counts[1]);
    are_enough(equal, counts).then_some(Comparison { words, lines, is_whole })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_of_definitions() {
        let c = "int f(int);\nstatic int\nf(int a)\n{\n  if (a) { g('}'); } // }\n  return f(a - 1);\n}\nint h() { return f(2); }\n";
        let cpp = "A::A(int a)\n  : b_(a), c_(1) {\n  f(\"}\");\n}\nbool A::is() const { return f(1); }\n";
        let rust = "impl A {\n  fn f<'a>(&'a self) -> Option<&'a str>\n  where A: B {\n    if f(1) {\n    }\n  }\n}\n";
        let characters = "int f(int a) {\n  a = (a - '0') * (' ' + '\\'');\n  return a - '{';\n}\nint h(int a) {\n  return f('}');\n}\n";
        let table = [
            (characters, "a.c", "f", &[2][..], Some((0, 3))),
            (characters, "a.c", "h", &[6], Some((4, 6))),
            (c, "a.c", "f", &[5], Some((2, 6))),
            (c, "a.c", "h", &[8], Some((7, 7))),
            (c, "a.c", "g", &[5], None),
            // Nothing of it was executed.
            (c, "a.c", "f", &[8], None),
            (cpp, "a.cc", "A", &[3], Some((0, 3))),
            (cpp, "a.cc", "is", &[5], Some((4, 4))),
            (cpp, "a.cc", "f", &[3, 5], None),
            (rust, "a.rs", "f", &[4], Some((1, 5))),
        ];
        for (text, file, word, executed, expected) in table {
            let text = SourceTokens::new(text.as_bytes(), file.as_bytes());
            let executed = executed.iter().copied().collect();
            let body = text.body_of(word.as_bytes(), &executed);
            assert_eq!(body.map(|body| (body.first, body.last)), expected, "{word}");
        }
    }

    #[test]
    fn definitions_of_a_text() {
        let c = "#define next(a) ((a) + 1)\nstatic int f(int a) {\n  if (a) { return g(a); }\n}\nAPI(int) h(int a)\n{\n}\nint p(int);\n";
        let rust = "fn f() {\n  if g() { h(1); }\n}\ntrait T { fn p(); }\n#[inline] fn q() {}\n";
        // A macro in front of a definition is taken for its name.
        let table = [(c, "a.c", &["f", "API"][..]), (rust, "a.rs", &["f", "q"])];
        for (text, file, expected) in table {
            let text = SourceTokens::new(text.as_bytes(), file.as_bytes());
            let names: Vec<_> = text.definitions().into_iter().map(|(name, _)| name).collect();
            let expected: Vec<&[u8]> = expected.iter().map(|name| name.as_bytes()).collect();
            assert_eq!(names, expected, "{file}");
        }
    }

    #[test]
    fn lines_that_declare_constants_types_and_macros() {
        let c = "#include <a.h>\n#define N \\\n  (1)\nstatic const int k =\n  32; /* a\n  b */\nint f(int);\nint f(int a)\n{\n  int b = 1;\n}\nstruct s {\n  int n;\n  int g(int);\n};\nint old(a)\n  int a;\n{\n  a;\n}\nenum { E = (4 * 2) };\n";
        let rust = "use a::b;\nconst K: u8 = f(1);\n#[derive(Debug)]\nstruct S {\n  n: u8,\n}\nimpl S {\n  const L: u8 = 1;\n  fn f() -> S {\n    S { n: 1 }\n  }\n}\n";
        let table =
            [(c, "a.c", &[2, 3, 4, 5, 12, 13, 21][..]), (rust, "a.rs", &[2, 3, 4, 5, 6, 7, 8])];
        for (text, file, expected) in table {
            let declares = lines_of_declarations(text.as_bytes(), file.as_bytes()).unwrap();
            let lines: Vec<usize> =
                (1..text.lines().count() + 1).filter(|&line| declares[line]).collect();
            assert_eq!(lines, expected, "{file}");
        }
        assert!(lines_of_declarations(b"def f():\n", b"a.py").is_none());
    }

    #[test]
    fn bodies_that_are_equal_but_for_renamed_words() {
        let body = "a = x;\nb = y;\nc = z;\nd = w;\ne = v;\ng = u;\nh = t;\ni = s;\n";
        let table = [
            ("same = 1;\n", "same = 1;\n", true),
            // One of eleven lines.
            ("same = 1;\n", "same = 2;\n", true),
            ("same = 1;\nand(1);\n", "same = 2;\nand(2);\n", false),
            ("was = 1;\nother(was);\n", "is = 1;\nother(is);\n", true),
            // One word became two.
            ("was = 1;\nother(was);\nthird(was);\n", "is = 1;\nother(are);\nthird(am);\n", false),
            ("was = 1;\nwere = 2;\nboth(was, were);\n", "is = 1;\nis = 2;\nboth(is, is);\n", false),
        ];
        for (old, new, expected) in table {
            let [old, new] = [("before", old), ("after", new)]
                .map(|(name, text)| format!("int {name}() {{\n{body}{text}}}\n"));
            let old = SourceTokens::new(old.as_bytes(), b"a.c");
            let new = SourceTokens::new(new.as_bytes(), b"a.c");
            let body = |text: &SourceTokens<'_>, word: &[u8]| {
                text.body_of(word, &HashSet::from([2])).unwrap()
            };
            let (of_old, of_new) = (body(&old, b"before"), body(&new, b"after"));
            let mut known = LineNumbers::new();
            let of_old = NumberedBody::new(&old, of_old, b"before", &new, &mut known);
            let of_new = NumberedBody::new(&new, of_new, b"after", &old, &mut known);
            assert_eq!(compare(&of_old, &of_new).is_some(), expected, "{:?}", of_old.lines);
        }
    }
}
