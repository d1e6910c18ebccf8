//! The style and the script of the page without what browsers do not need: comments, indentation,
//! spaces beside signs, brackets around parameters, words of declarations, and long names. Both are
//! as the formatter writes them: every statement ends with a semicolon or a brace.

use super::short_names::Words;

/// The style without comments and spaces that say nothing.
pub(super) fn compact_style(style: &str) -> String {
    let is_comment = |line: &&str| line.starts_with("/*");
    let lines = style.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut compacted = String::with_capacity(style.len());
    for line in lines.filter(|line| !is_comment(line)) {
        if line == "}" && compacted.ends_with(';') {
            compacted.pop();
        }
        let without_blanks = line.replace(": ", ":").replace(" {", "{").replace(", ", ",");
        compacted += &without_blanks.replace(" 0.", " .").replace(":0.", ":.").replace("(0.", "(.");
        if !without_blanks.ends_with(['{', '}', ',', ';', ':']) {
            compacted.push('\n');
        }
    }
    compacted
}

/// The script without comments and spaces that say nothing, and with short names.
pub(super) fn compact_script(script: &str) -> String {
    let mut writer = Compacted {
        rest: script,
        script: String::with_capacity(script.len()),
        open: vec![Open { bracket: b' ', is_declaration: false }],
        is_declared: false,
        words: Words::default(),
    };
    while !writer.rest.is_empty() {
        // A brace that closes nothing: there is none in a whole script.
        writer.add_code();
        writer.take(1);
    }
    writer.words.shorten(&writer.script)
}

/// A script, as far as it is compacted.
struct Compacted<'a> {
    rest: &'a str,
    script: String,
    /// The brackets that are open, behind what is outside of all.
    open: Vec<Open>,
    /// Whether the next word is the name that is declared.
    is_declared: bool,
    words: Words<'a>,
}

/// An open bracket, where a backtick is that of code in a template.
struct Open {
    bracket: u8,
    /// Whether the last statement in it is a declaration.
    is_declaration: bool,
}

impl<'a> Compacted<'a> {
    /// Adds the next bytes as they are.
    fn take(&mut self, length: usize) {
        let (taken, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.script += taken;
        self.rest = rest;
    }

    /// Adds a text in place of a word.
    fn replace(&mut self, word: &str, text: &str) {
        self.rest = &self.rest[word.len()..];
        self.script += text;
    }

    /// Adds code up to the brace that closes what is before it.
    fn add_code(&mut self) {
        let depth = self.open.len();
        while let Some(&next) = self.rest.as_bytes().first() {
            match next {
                b' ' | b'\n' => self.skip_space(),
                _ if is_of_word(next) => self.add_word(),
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
                b'}' if self.open.len() == depth => return,
                _ => self.add_sign(next),
            }
        }
    }

    fn add_sign(&mut self, sign: u8) {
        if self.script.ends_with(';') {
            self.begin_statement(false);
        }
        self.is_declared = false;
        self.drop_before(sign);
        if self.rest.starts_with("=>") {
            self.drop_around_parameter();
        }
        match sign {
            b'{' | b'(' | b'[' => self.open.push(Open { bracket: sign, is_declaration: false }),
            b'}' | b')' | b']' => drop(self.open.pop()),
            _ => {}
        }
        self.take(self.rest.chars().next().map_or(1, char::len_utf8));
    }

    fn begin_statement(&mut self, is_declaration: bool) {
        if let Some(open) = self.open.last_mut() {
            open.is_declaration = is_declaration;
        }
    }

    /// Adds a word. Nothing assigns to a constant, so that a variable, whose word is shorter, does
    /// the same; declarations that follow each other are one.
    fn add_word(&mut self) {
        let end = self.rest.bytes().position(|byte| !is_of_word(byte));
        let word = &self.rest[..end.unwrap_or(self.rest.len())];
        let is_declaration = word == "const" || word == "let";
        let is_behind_declaration = self.open.last().is_some_and(|open| open.is_declaration);
        let continues = self.script.ends_with(';') && is_behind_declaration;
        if self.script.is_empty() || self.script.ends_with([';', '{', '}']) {
            self.begin_statement(is_declaration);
        }
        if !is_declaration {
            return match word {
                "true" => self.replace(word, "!0"),
                "false" => self.replace(word, "!1"),
                _ => self.add_name(word),
            };
        }
        self.rest = &self.rest[word.len()..];
        self.is_declared = true;
        if continues {
            self.script.pop();
            self.script.push(',');
        } else {
            self.script += "let";
        }
    }

    /// Adds a word that may be a name.
    fn add_name(&mut self, word: &'a str) {
        let is_property = self.is_property(word);
        let is_defined = self.is_declared || self.script.ends_with("function ");
        if is_defined {
            self.words.define(word);
        }
        self.is_declared = false;
        self.words.add(word, self.script.len(), is_property);
        self.take(word.len());
    }

    /// Whether a word is a property, or may be one: `a.word`, `{ word: a }`, `{ word }`.
    fn is_property(&self, word: &str) -> bool {
        let after = self.rest[word.len()..].trim_start_matches([' ', '\n']);
        let is_key = after.starts_with([':', ',', '}', '('])
            || after.starts_with('=') && !after.starts_with("==");
        let is_in_braces = self.open.last().is_some_and(|open| open.bracket == b'{');
        let script = &self.script;
        script.ends_with('.') && !script.ends_with("...")
            || script.ends_with("get ")
            || is_in_braces && is_key && !self.is_declared && script.ends_with(['{', ','])
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

    /// Drops the brackets around the only parameter of a function: `(a) => b`.
    fn drop_around_parameter(&mut self) {
        let Some(before) = self.script.strip_suffix(')') else {
            return;
        };
        let Some((code, parameter)) = before.rsplit_once('(') else {
            return;
        };
        let is_name = !parameter.is_empty() && parameter.bytes().all(is_of_word);
        if is_name && !code.bytes().last().is_some_and(is_of_word) {
            let start = code.len();
            self.script.pop();
            self.script.remove(start);
            self.words.move_last(start);
        }
    }

    /// Skips spaces and ends of lines, but for one between words, or between signs that would be
    /// another one together: `a + +b`.
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\n']);
        let before = self.script.bytes().last();
        let (Some(before), Some(&after)) = (before, self.rest.as_bytes().first()) else {
            return;
        };
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
            let Some(end) = self.rest.find(['`', '\\', '$']) else {
                return;
            };
            self.take(end);
            match self.rest.as_bytes() {
                [b'`', ..] => return self.take(1),
                [b'$', b'{', ..] => {
                    self.take(2);
                    self.open.push(Open { bracket: b'`', is_declaration: false });
                    self.add_code();
                    self.open.pop();
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

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_$#".contains(&byte)
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
            ("const a = (x) => x + 1;\n", "let a=x=>x+1;"),
            ("f((x, y) => x, () => y, ([x]) => x)", "f((x,y)=>x,()=>y,([x])=>x)"),
            ("const a = async (x) => x;\n", "let a=async(x)=>x;"),
            ("return -1;", "return-1;"),
            ("a + +b - -c / d", "a+ +b- -c/d"),
            ("for (const x of [y]) {\n  f();\n}\nlet a;", "for(let x of[y]){f()}let a;"),
            ("f(\"a  b\", c) + \" = \"", "f(\"a  b\",c)+\" = \""),
            ("a = \" \\\" , \\\\\", b", "a=\" \\\" , \\\\\",b"),
            ("case \"a\": {", "case\"a\":{"),
            ("f(`a ${b + c}  d`, c)", "f(`a ${b+c}  d`,c)"),
            ("`a ${f(`b  ${c + d} \\` e`, { f })}, g`", "`a ${f(`b  ${c+d} \\` e`,{f})}, g`"),
            ("a.replace(/[/ \"]+ b/g, \" \")", "a.replace(/[/ \"]+ b/g,\" \")"),
            ("f(\n  a,\n  [b, c],\n);", "f(a,[b,c]);"),
            ("const [, a] = [, b, ,];", "let[,a]=[,b,,];"),
            ("const a = 1;\nconst { b } = c;\nlet d;\n", "let a=1,{b}=c,d;"),
            ("const a = () => {\n  f();\n};\nlet b;\n", "let a=()=>{f()},b;"),
            ("let a;\nf();\nlet b;\n[a].g();\nlet c;\n", "let a;f();let b;[a].g();let c;"),
            ("let a;\nif (a) {\n  let b;\n}\nlet c;\n", "let a;if(a){let b}let c;"),
            ("a; // it's a comment\nb; /* so \"is\" this */", "a;b;"),
            ("x = \u{2026} + 1", "x=\u{2026}+1"),
            ("return a === true || false;", "return a===!0||!1;"),
        ];
        for (script, expected) in table {
            assert_eq!(compact_script(script), expected);
        }
    }

    #[test]
    fn names_are_short_unless_properties_have_them() {
        let table = [
            (
                "const first = 1;\nf(first, `first ${first}`, \"first\");",
                "let Aa=1;f(Aa,`first ${Aa}`,\"first\");",
            ),
            (
                "function first(a) {}\nconst second = [...first(), first];",
                "function Aa(a){}let Ab=[...Aa(),Aa];",
            ),
            ("const first = 1;\na.first = first;", "let first=1;a.first=first;"),
            ("const first = 1;\na = { first: 2 };", "let first=1;a={first:2};"),
            ("const first = 1;\na = { first };", "let first=1;a={first};"),
            ("const first = 1;\nconst f = ({ b, first }) => b;", "let first=1,f=({b,first})=>b;"),
            ("const first = 1;\nconst second = { a: first };", "let Aa=1,Ab={a:Aa};"),
            (
                "function f(second) {\n  const first = second;\n}\nlet second = first;",
                "function f(Aa){let Ab=Aa}let Aa=Ab;",
            ),
            ("a = { isFirst: 2 };\nb.isFirst(c.isArray);", "a={Aa:2};b.Aa(c.isArray);"),
            ("const f = ({ areFirst }) => areFirst;", "let f=({Aa})=>Aa;"),
            ("const Aa = 1;\nconst first = Aa;", "let Aa=1,Ab=Aa;"),
            ("const first = (a) => first;\nf((first) => first + a);", "let Aa=a=>Aa;f(Aa=>Aa+a);"),
        ];
        for (script, expected) in table {
            let whole = compact_script(&format!("(() => {{\n{script}\n}})();\n"));
            let code = whole.strip_prefix("(()=>{").unwrap().strip_suffix("})();").unwrap();
            assert_eq!(code, expected.trim_end_matches(';'));
        }
    }

    #[test]
    fn a_style_has_no_spaces_that_say_nothing() {
        let style =
            "/* a */\n.a b,\n.c {\n  margin: 0 0.5rem;\n  color: light-dark(#fff, #000);\n}\n";
        assert_eq!(compact_style(style), ".a b,.c{margin:0 .5rem;color:light-dark(#fff,#000)}");
    }
}
