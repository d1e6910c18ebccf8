//! Splits a readable name at its `::`, whatever brackets, operators and types are in it.

/// The signs of operators; one that begins like another comes after it.
const OPERATORS: [&[u8]; 40] = [
    b"()", b"[]", b"<=>", b"<<=", b">>=", b"->*", b"->", b"<<", b">>", b"<=", b">=", b"==", b"!=",
    b"+=", b"-=", b"*=", b"/=", b"%=", b"^=", b"&=", b"|=", b"&&", b"||", b"++", b"--", b"<", b">",
    b"=", b"!", b"+", b"-", b"*", b"/", b"%", b"^", b"&", b"|", b"~", b",", b"?",
];

/// What is between two `::`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment<'n> {
    /// Without template arguments and parameters.
    pub(super) text: &'n [u8],
    pub(super) has_parameters: bool,
}

impl Segment<'_> {
    /// Whether it is a closure, a lambda (`$_0` if clang made it) or another thing without a name.
    pub(super) fn is_closure(&self) -> bool {
        self.text.starts_with(b"{") || self.text.starts_with(b"$_")
    }
}

/// Splits a name into segments.
pub(super) struct Scanner<'n> {
    name: &'n [u8],
    at: usize,
    path: Vec<Segment<'n>>,
    /// Where the current segment begins, and where its text ends if that is known.
    start: usize,
    end: Option<usize>,
    has_parameters: bool,
    depth_left: usize,
}

impl<'n> Scanner<'n> {
    /// The segments of a name, the last being that of the function itself.
    pub(super) fn path(name: &'n [u8], depth_left: usize) -> Vec<Segment<'n>> {
        let mut scanner = Scanner {
            name,
            at: 0,
            path: Vec::new(),
            start: 0,
            end: None,
            has_parameters: false,
            depth_left,
        };
        while scanner.step() {}
        scanner.finish_segment();
        scanner.path
    }

    fn rest(&self) -> &'n [u8] {
        &self.name[self.at..]
    }

    /// Whether the current segment has no byte yet.
    fn is_at_start(&self) -> bool {
        self.at == self.start && self.end.is_none()
    }

    /// Takes what comes next; false at the end.
    fn step(&mut self) -> bool {
        let Some(&byte) = self.rest().first() else {
            return false;
        };
        match byte {
            b':' if self.rest().starts_with(b"::") => {
                self.finish_segment();
                self.begin_segment(self.at + 2);
            }
            b'<' if self.is_at_start() => self.qualified_type(),
            b'(' if self.is_at_start() && self.declarator().is_some() => {
                // It returns a pointer: its name and its parameters are in the middle of that type.
                if let Some(inside) = self.declarator().filter(|_| self.depth_left > 0) {
                    self.path = Scanner::path(inside, self.depth_left - 1);
                }
                self.begin_segment(self.name.len());
            }
            b'<' | b'(' | b'[' | b'{' => self.group(byte),
            b' ' if self.has_parameters => return self.qualifier(),
            b' ' => {
                // What was read is the type that the function returns.
                self.path.clear();
                self.begin_segment(self.at + 1);
            }
            b'o' if self.is_at_start() && self.rest().starts_with(b"operator") => self.operator(),
            _ => {
                if self.has_parameters {
                    // Of another language, as Go's `main.(*T).f`: all of it is the text.
                    (self.end, self.has_parameters) = (None, false);
                }
                self.at += 1;
            }
        }
        true
    }

    /// `f(int)` in `int (*f(int))(Y)`, if that begins here: behind the type that a pointer is to, and before its parameters or
    /// its length.
    fn declarator(&self) -> Option<&'n [u8]> {
        let end = self.end_of_group();
        let is_in_type = self.at == 0 || self.name[..self.at].ends_with(b" ");
        let after = self.name.get(end);
        let is_in_type = is_in_type && matches!(after, Some(b'(' | b'['));
        let inside = &self.name[self.at + 1..end.saturating_sub(1).max(self.at + 1)];
        let is_sign = |at: usize| {
            let is_of_member = at > 1 && &inside[at - 2..at] == b"::";
            matches!(inside[at], b'*' | b'&') && (at == 0 || is_of_member)
        };
        let sign = find_outside(inside, is_sign).filter(|_| is_in_type)?;
        let mut inside = &inside[sign..];
        let prefixes = [&b"*"[..], b"&", b" ", b"const&", b"const "];
        while let Some(rest) = prefixes.iter().find_map(|sign| inside.strip_prefix(*sign)) {
            inside = rest;
        }
        Some(inside)
    }

    /// Template arguments, parameters or a tag, which end the text, or brackets that are part of it.
    fn group(&mut self, byte: u8) {
        let ends_text = byte != b'[' || self.rest().starts_with(b"[abi:");
        if !self.is_at_start() && ends_text {
            let text = &self.name[self.start..self.at];
            if text != b"decltype" {
                self.end.get_or_insert(self.at);
                self.has_parameters |= byte == b'(';
            }
        }
        self.at = self.end_of_group();
    }

    fn begin_segment(&mut self, at: usize) {
        let at = at.min(self.name.len());
        (self.at, self.start, self.end, self.has_parameters) = (at, at, None, false);
    }

    fn finish_segment(&mut self) {
        let text = &self.name[self.start..self.end.unwrap_or(self.at)];
        if !text.is_empty() {
            self.path.push(Segment {
                text,
                has_parameters: self.has_parameters,
            });
        }
        self.begin_segment(self.at);
    }

    /// After parameters: skips `const` and the like, and ends before anything else.
    fn qualifier(&mut self) -> bool {
        let qualifiers = [&b" const"[..], b" volatile", b" &&", b" &", b" noexcept"];
        let found = qualifiers.iter().find(|word| self.rest().starts_with(word));
        self.end.get_or_insert(self.at);
        found.inspect(|word| self.at += word.len()).is_some()
    }

    /// `operator` with its sign, which may look like brackets, or with a type, `new` or `"" name`, before the parameters.
    fn operator(&mut self) {
        self.at += b"operator".len();
        let rest = self.rest();
        if let Some(sign) = OPERATORS.iter().find(|sign| rest.starts_with(sign)) {
            self.at += sign.len();
            if self.rest().starts_with(b" <") {
                self.end = Some(self.at);
                self.at += 1;
            }
        } else if rest.starts_with(b" ") || rest.starts_with(b"\"\"") {
            let end = find_outside(rest, |at| rest[at] == b'(');
            self.at += end.unwrap_or(rest.len());
        }
    }

    /// `<Type as Trait>`, `<Type>`, or after `::` `<impl Trait for Type>` and the arguments of a generic function.
    fn qualified_type(&mut self) {
        let end = self.end_of_group();
        let inside = &self.name[self.at + 1..end.saturating_sub(1).max(self.at + 1)];
        if self.path.is_empty() && self.depth_left > 0 {
            let (of_type, of_trait) = match find_as(inside) {
                Some(at) => (&inside[..at], Some(&inside[at + b" as ".len()..])),
                None => (inside, None),
            };
            let of_type = strip_type_prefix(of_type);
            let mut path = Scanner::path(of_type, self.depth_left - 1);
            if path.len() < 2 {
                path = of_trait.map_or(path, |of_trait| {
                    Scanner::path(of_trait, self.depth_left - 1)
                });
            }
            self.path = path;
        }
        self.begin_segment(end);
    }

    /// The end of the brackets that open here.
    fn end_of_group(&self) -> usize {
        let end = find_outside(self.rest(), |at| at > 0);
        end.map_or(self.name.len(), |end| self.at + end)
    }
}

/// Where ` as ` is, outside of all brackets.
fn find_as(text: &[u8]) -> Option<usize> {
    find_outside(text, |at| text[at..].starts_with(b" as "))
}

/// The first place outside of all brackets of which `is_wanted` holds. Closing brackets without opening ones are outside too.
pub(super) fn find_outside(text: &[u8], is_wanted: impl Fn(usize) -> bool) -> Option<usize> {
    let mut depth = 0usize;
    for at in 0..text.len() {
        if depth == 0 && is_wanted(at) {
            return Some(at);
        }
        match text[at] {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' if is_arrow(text, at) => {}
            b'>' | b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Whether a `>` is the end of `->` or `=>`, which closes nothing.
pub(in crate::view) fn is_arrow(text: &[u8], at: usize) -> bool {
    at > 0 && matches!(text[at - 1], b'-' | b'=')
}

/// A type without the signs of a reference, a pointer, a slice or a trait object; of several types the first.
fn strip_type_prefix(mut text: &[u8]) -> &[u8] {
    let prefixes = [&b"&"[..], b"*", b"mut ", b"const ", b"dyn ", b"[", b"("];
    while let Some(rest) = prefixes
        .iter()
        .find_map(|prefix| text.strip_prefix(*prefix))
    {
        text = rest;
    }
    let end = find_outside(text, |at| b",;])+".contains(&text[at]));
    &text[..end.unwrap_or(text.len())]
}
