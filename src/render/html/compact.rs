//! The style and the script of the page without what browsers do not need: comments, indentation,
//! and spaces beside signs. Both are as the formatter writes them: every statement ends with a
//! semicolon or a brace.

/// The style without comments and spaces that say nothing.
pub(super) fn compact_style(style: &str) -> String {
    let is_comment = |line: &&str| line.starts_with("/*");
    let lines = style.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut compacted = String::with_capacity(style.len());
    for line in lines.filter(|line| !is_comment(line)) {
        if line == "}" && compacted.ends_with(';') {
            compacted.pop();
        }
        compacted += &line.replace(": ", ":").replace(" {", "{").replace(", ", ",");
        if !line.ends_with(['{', '}', ',', ';', ':']) {
            compacted.push('\n');
        }
    }
    compacted
}

/// The script without comments and spaces that say nothing.
pub(super) fn compact_script(script: &str) -> String {
    let mut writer = Compacted { rest: script, script: String::with_capacity(script.len()) };
    while !writer.rest.is_empty() {
        // A brace that closes nothing: there is none in a whole script.
        writer.add_code();
        writer.take(1);
    }
    writer.script
}

/// A script, as far as it is compacted.
struct Compacted<'a> {
    rest: &'a str,
    script: String,
}

impl Compacted<'_> {
    /// Adds the next bytes as they are.
    fn take(&mut self, length: usize) {
        let (taken, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.script += taken;
        self.rest = rest;
    }

    /// Adds code up to the brace that closes what is before it.
    fn add_code(&mut self) {
        let mut depth = 0usize;
        while let Some(&next) = self.rest.as_bytes().first() {
            match next {
                b' ' | b'\n' => self.skip_space(),
                b'"' | b'\'' => self.take(end_of(self.rest, &self.rest[..1])),
                b'`' => self.add_template(),
                b'/' if self.rest.starts_with("//") => {
                    self.rest = &self.rest[self.rest.find('\n').unwrap_or(self.rest.len())..];
                }
                b'/' if self.rest.starts_with("/*") => {
                    let end = self.rest.find("*/").map_or(self.rest.len(), |end| end + 2);
                    self.rest = &self.rest[end..];
                }
                b'/' if self.is_expression() => self.take(end_of(self.rest, "/")),
                b'}' if depth == 0 => return,
                _ => {
                    self.drop_before(next);
                    match next {
                        b'{' => depth += 1,
                        b'}' => depth -= 1,
                        _ => {}
                    }
                    self.take(self.rest.chars().next().map_or(1, char::len_utf8));
                }
            }
        }
    }

    /// Drops a sign that says nothing before a bracket: the comma that the formatter writes behind
    /// the last one of several lines, and the end of the last statement. (No loop is without
    /// statements.)
    fn drop_before(&mut self, bracket: u8) {
        let is_empty = self.script.ends_with(",,") || self.script.ends_with("[,");
        let is_last = match bracket {
            b')' | b']' => self.script.ends_with(',') && !is_empty,
            b'}' => self.script.ends_with([',', ';']),
            _ => false,
        };
        if is_last {
            self.script.pop();
        }
    }

    /// Skips spaces and ends of lines, but for one between words, or between signs that would be
    /// another one together: `a + +b`.
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\n']);
        let before = self.script.bytes().last();
        let (Some(before), Some(&after)) = (before, self.rest.as_bytes().first()) else { return };
        let is_of_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_$#".contains(&byte);
        let is_needed =
            is_of_word(before) && is_of_word(after) || before == after && b"+-/".contains(&before);
        if is_needed {
            self.script.push(' ');
        }
    }

    /// Adds a template: its text as it is, and code compacted.
    fn add_template(&mut self) {
        self.take(1);
        loop {
            let Some(end) = self.rest.find(['`', '\\', '$']) else { return };
            self.take(end);
            match self.rest.as_bytes() {
                [b'`', ..] => return self.take(1),
                [b'$', b'{', ..] => {
                    self.take(2);
                    self.add_code();
                    self.take(1);
                }
                [b'\\', ..] => self.take(2),
                _ => self.take(1),
            }
        }
    }

    /// Whether a slash begins an expression, as it is behind no value.
    fn is_expression(&self) -> bool {
        let before = self.script.trim_end_matches(' ');
        before.ends_with("return")
            || before.ends_with(['(', ',', '=', ':', '[', '!', '&', '|', '?', '{', '}', ';', '>'])
    }
}

/// The end of a text or an expression in these signs, behind the second one. Within brackets of an
/// expression a slash has no meaning.
fn end_of(text: &str, sign: &str) -> usize {
    let sign = sign.as_bytes()[0];
    let (mut is_escaped, mut is_in_set) = (true, false);
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        match byte {
            _ if is_escaped => {}
            b'[' if sign == b'/' => is_in_set = true,
            b']' => is_in_set = false,
            _ if byte == sign && !is_in_set => return at + 1,
            _ => {}
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_has_no_spaces_that_say_nothing() {
        let table = [
            ("const a = (x) => x + 1;\n", "const a=(x)=>x+1;"),
            ("return -1;", "return-1;"),
            ("a + +b - -c / d", "a+ +b- -c/d"),
            ("for (const x of [y]) {\n  f();\n}\nlet a;", "for(const x of[y]){f()}let a;"),
            ("f(\"a  b\", c) + \" = \"", "f(\"a  b\",c)+\" = \""),
            ("a = \" \\\" , \\\\\", b", "a=\" \\\" , \\\\\",b"),
            ("case \"a\": {", "case\"a\":{"),
            ("f(`a ${b + c}  d`, c)", "f(`a ${b+c}  d`,c)"),
            ("`a ${f(`b  ${c + d} \\` e`, { f })}, g`", "`a ${f(`b  ${c+d} \\` e`,{f})}, g`"),
            ("a.replace(/[/ \"]+ b/g, \" \")", "a.replace(/[/ \"]+ b/g,\" \")"),
            ("f(\n  a,\n  [b, c],\n);", "f(a,[b,c]);"),
            ("const [, a] = [, b, ,];", "const[,a]=[,b,,];"),
            ("a; // it's a comment\nb; /* so \"is\" this */", "a;b;"),
            ("x = \u{2026} + 1", "x=\u{2026}+1"),
        ];
        for (script, expected) in table {
            assert_eq!(compact_script(script), expected);
        }
    }

    #[test]
    fn a_style_has_no_spaces_that_say_nothing() {
        let style =
            "/* a */\n.a b,\n.c {\n  margin: 0 1rem;\n  color: light-dark(#fff, #000);\n}\n";
        assert_eq!(compact_style(style), ".a b,.c{margin:0 1rem;color:light-dark(#fff,#000)}");
    }
}
