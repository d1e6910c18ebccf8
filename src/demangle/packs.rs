//! Pack expansions in the parameters of mangled functions, which cpp_demangle prints wrongly (issue
//! 132 of its repository): `f<int, char>(int, char*)` for `f<int, char>(int*, char*)`. A parameter
//! `DpPT_` is replaced by one for each element of the pack, `Pi` and `Pc`, before the name is
//! parsed.
//!
//! Only what is needed to find the ends of types is parsed here. A name with anything else stays as
//! it is.

use std::ops::Range;

use super::MAX_LEN;

/// The maximum depth of nested types.
const MAX_DEPTH: usize = 64;

/// The symbol with parameters in the place of pack expansions; none if it has none, or any that
/// cannot be replaced.
pub(super) fn expanded(symbol: &str) -> Option<String> {
    if !symbol.contains("Dp") || !symbol.is_ascii() {
        return None;
    }
    let mut parser = Parser::new(symbol, 2);
    let is_constructor = parser.name()?;
    let arguments = parser.arguments.take()?;
    if !is_constructor {
        parser.type_()?;
    }
    let first_parameter = parser.at;
    let mut text = String::from(&symbol[..first_parameter]);
    let mut is_changed = false;
    while parser.peek().is_some_and(|byte| byte != b'.') {
        let start = parser.at;
        parser.parameters.clear();
        parser.has_substitution = false;
        parser.type_()?;
        // After a replaced parameter, substitutions have other numbers.
        if is_changed && parser.has_substitution {
            return None;
        }
        let parameter = start..parser.at;
        if symbol[parameter.clone()].starts_with("Dp") {
            let pattern = start + 2..parser.at;
            push_elements(symbol, pattern, &parser.parameters, &arguments, &mut text)?;
            is_changed = true;
        } else {
            text.push_str(&symbol[parameter]);
        }
    }
    if text.len() == first_parameter {
        text.push('v');
    }
    text.push_str(&symbol[parser.at..]);
    is_changed.then_some(text)
}

/// Appends the pattern of a pack expansion for each element of its packs.
fn push_elements(
    symbol: &str,
    pattern: Range<usize>,
    parameters: &[(Range<usize>, usize)],
    arguments: &[Argument],
    text: &mut String,
) -> Option<()> {
    let packs: Vec<_> = parameters
        .iter()
        .filter_map(|(at, number)| match arguments.get(*number)? {
            Argument::Pack(elements) => Some((at, elements)),
            Argument::Other => None,
        })
        .collect();
    let (_, elements) = packs.first()?;
    for number in 0..elements.len() {
        let mut at = pattern.start;
        for (parameter, elements) in &packs {
            let mut before = &symbol[at..parameter.start];
            let mut element = &symbol[elements.get(number)?.clone()];
            // A reference to a reference is one reference.
            if element.starts_with(['R', 'O']) {
                if let Some(shorter) = before.strip_suffix('O') {
                    before = shorter;
                } else if before.ends_with('R') {
                    element = &element[1..];
                }
            }
            text.push_str(before);
            text.push_str(element);
            at = parameter.end;
        }
        text.push_str(&symbol[at..pattern.end]);
        if text.len() > MAX_LEN {
            return None;
        }
    }
    Some(())
}

/// An argument of a template.
#[derive(Clone)]
enum Argument {
    /// A pack with the ranges of its elements.
    Pack(Vec<Range<usize>>),
    Other,
}

struct Parser<'s> {
    text: &'s [u8],
    at: usize,
    depth: usize,
    /// The last arguments of the name.
    arguments: Option<Vec<Argument>>,
    /// The template parameters of the current type, with their numbers.
    parameters: Vec<(Range<usize>, usize)>,
    /// Whether the current type has a substitution with a number.
    has_substitution: bool,
}

impl<'s> Parser<'s> {
    fn new(symbol: &'s str, at: usize) -> Parser<'s> {
        Parser {
            text: symbol.as_bytes(),
            at,
            depth: 0,
            arguments: None,
            parameters: Vec::new(),
            has_substitution: false,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn skip(&mut self, byte: u8) -> bool {
        let is_it = self.peek() == Some(byte);
        self.at += usize::from(is_it);
        is_it
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.skip(byte).then_some(())
    }

    fn skip_while(&mut self, is_part: impl Fn(u8) -> bool) -> usize {
        let len = self.text[self.at..].iter().take_while(|&&byte| is_part(byte)).count();
        self.at += len;
        len
    }

    /// The name of the function; whether it has no return type before its parameters, though it is
    /// a template.
    fn name(&mut self) -> Option<bool> {
        self.skip(b'L');
        if !self.skip(b'N') {
            if self.text[self.at..].starts_with(b"St") {
                self.at += 2;
            }
            self.unqualified_name()?;
            self.own_arguments()?;
            return Some(false);
        }
        self.skip_while(|byte| b"rVKRO".contains(&byte));
        let mut is_constructor = false;
        while !self.skip(b'E') {
            match self.peek()? {
                b'I' => self.own_arguments()?,
                b'S' => {
                    self.substitution()?;
                    self.arguments = None;
                }
                byte => {
                    is_constructor = byte == b'C' || self.text[self.at..].starts_with(b"cv");
                    self.unqualified_name()?;
                    self.arguments = None;
                }
            }
        }
        Some(is_constructor)
    }

    /// The arguments of the function, which parameters refer to.
    fn own_arguments(&mut self) -> Option<()> {
        self.expect(b'I')?;
        let mut arguments = Vec::new();
        while !self.skip(b'E') {
            let is_pack = matches!(self.peek(), Some(b'J' | b'I'));
            if !is_pack {
                self.argument()?;
                arguments.push(Argument::Other);
                continue;
            }
            self.at += 1;
            let mut elements = Vec::new();
            while !self.skip(b'E') {
                let start = self.at;
                self.argument()?;
                elements.push(start..self.at);
            }
            arguments.push(Argument::Pack(elements));
        }
        self.arguments = Some(arguments);
        Some(())
    }

    fn unqualified_name(&mut self) -> Option<()> {
        self.skip(b'L');
        match self.peek()? {
            b'0'..=b'9' => self.source_name()?,
            b'C' | b'D' => {
                self.at += 1;
                matches!(self.next()?, b'0'..=b'5').then_some(())?;
            }
            b'U' => {
                self.at += 1;
                match self.next()? {
                    b'l' => {
                        while !self.skip(b'E') {
                            self.type_()?;
                        }
                    }
                    b't' => {}
                    _ => return None,
                }
                self.skip_while(|byte| byte.is_ascii_digit());
                self.expect(b'_')?;
            }
            b'a'..=b'z' => {
                let operator = [self.next()?, self.next()?];
                match &operator {
                    b"cv" => self.type_()?,
                    b"li" => self.source_name()?,
                    _ => {}
                }
            }
            _ => return None,
        }
        while self.skip(b'B') {
            self.source_name()?;
        }
        Some(())
    }

    fn source_name(&mut self) -> Option<()> {
        let start = self.at;
        self.skip_while(|byte| byte.is_ascii_digit());
        let len: usize = std::str::from_utf8(&self.text[start..self.at]).ok()?.parse().ok()?;
        self.at = self.at.checked_add(len).filter(|&end| end <= self.text.len())?;
        Some(())
    }

    /// `S_`, `S1_`, `St` and a name, or `Ss`.
    fn substitution(&mut self) -> Option<()> {
        self.expect(b'S')?;
        match self.next()? {
            b't' => self.unqualified_name(),
            b'a' | b'b' | b's' | b'i' | b'o' | b'd' => Some(()),
            b'_' => {
                self.has_substitution = true;
                Some(())
            }
            b'0'..=b'9' | b'A'..=b'Z' => {
                self.has_substitution = true;
                self.skip_while(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
                self.expect(b'_')
            }
            _ => None,
        }
    }

    fn nested_name(&mut self) -> Option<()> {
        self.expect(b'N')?;
        self.skip_while(|byte| b"rVKRO".contains(&byte));
        while !self.skip(b'E') {
            match self.peek()? {
                b'I' => self.arguments()?,
                b'S' => self.substitution()?,
                b'T' => self.template_parameter()?,
                _ => self.unqualified_name()?,
            }
        }
        Some(())
    }

    /// A class or lambda of a function.
    fn local_name(&mut self) -> Option<()> {
        self.expect(b'Z')?;
        // Its template parameters are those of that function.
        let parameters = self.parameters.len();
        match self.peek()? {
            b'N' => self.nested_name()?,
            b'Z' => self.local_name()?,
            b'S' => self.substitution()?,
            _ => self.unqualified_name()?,
        }
        self.arguments()?;
        while !self.skip(b'E') {
            self.type_()?;
        }
        self.parameters.truncate(parameters);
        match self.peek()? {
            b'N' => self.nested_name()?,
            _ => self.unqualified_name()?,
        }
        self.arguments()?;
        if self.skip(b'_') {
            self.skip_while(|byte| byte.is_ascii_digit());
        }
        Some(())
    }

    fn template_parameter(&mut self) -> Option<()> {
        let start = self.at;
        self.expect(b'T')?;
        let digits = self.at;
        self.skip_while(|byte| byte.is_ascii_digit());
        let digits = std::str::from_utf8(&self.text[digits..self.at]).ok()?;
        let number = if digits.is_empty() { 0 } else { digits.parse::<usize>().ok()? + 1 };
        self.expect(b'_')?;
        self.parameters.push((start..self.at, number));
        Some(())
    }

    fn arguments(&mut self) -> Option<()> {
        if self.skip(b'I') {
            while !self.skip(b'E') {
                self.argument()?;
            }
        }
        Some(())
    }

    fn argument(&mut self) -> Option<()> {
        match self.peek()? {
            b'J' | b'I' => {
                self.at += 1;
                while !self.skip(b'E') {
                    self.argument()?;
                }
                Some(())
            }
            b'L' => self.literal(),
            b'X' => None,
            _ => self.type_(),
        }
    }

    fn literal(&mut self) -> Option<()> {
        self.expect(b'L')?;
        if self.peek() == Some(b'_') {
            return None;
        }
        self.type_()?;
        self.skip_while(|byte| {
            byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte) || byte == b'n'
        });
        self.expect(b'E')
    }

    fn type_(&mut self) -> Option<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.one_type()?;
        self.depth -= 1;
        Some(())
    }

    fn one_type(&mut self) -> Option<()> {
        match self.peek()? {
            b'r' | b'V' | b'K' | b'P' | b'R' | b'O' => {
                self.at += 1;
                self.type_()
            }
            b'u' => {
                self.at += 1;
                self.source_name()
            }
            b'a'..=b'z' => {
                self.at += 1;
                Some(())
            }
            b'D' => {
                self.at += 1;
                match self.next()? {
                    b'p' => self.type_(),
                    b'o' => self.one_type(),
                    b'n' | b'i' | b's' | b'u' | b'a' | b'c' | b'd' | b'e' | b'f' | b'h' => Some(()),
                    _ => None,
                }
            }
            b'F' => {
                self.at += 1;
                self.skip(b'Y');
                while !self.skip(b'E') {
                    if matches!(self.peek(), Some(b'R' | b'O'))
                        && self.text.get(self.at + 1) == Some(&b'E')
                    {
                        self.at += 1;
                        continue;
                    }
                    self.type_()?;
                }
                Some(())
            }
            b'A' => {
                self.at += 1;
                self.skip_while(|byte| byte.is_ascii_digit());
                self.expect(b'_')?;
                self.type_()
            }
            b'M' => {
                self.at += 1;
                self.type_()?;
                self.type_()
            }
            b'T' => {
                self.template_parameter()?;
                self.arguments()
            }
            b'S' => {
                self.substitution()?;
                self.arguments()
            }
            b'N' => self.nested_name(),
            b'Z' => self.local_name(),
            b'0'..=b'9' => {
                self.unqualified_name()?;
                self.arguments()
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pack_expansions_become_parameters() {
        let symbols = [
            ("_Z1fIJicEEviDpPT_", Some("_Z1fIJicEEviPiPc")),
            ("_ZSt1fIJRiOcdEEvDpOT_", Some("_ZSt1fIJRiOcdEEvRiOcOd")),
            ("_Z1fIJRiEEvDpRT_", Some("_Z1fIJRiEEvRi")),
            // A type of functions with a reference qualifier.
            ("_Z1fIJicEEvPFvvREDpPT_", Some("_Z1fIJicEEvPFvvREPiPc")),
            ("_Z1fIJicEEvDpPFvT_OE", Some("_Z1fIJicEEvPFviOEPFvcOE")),
            ("_ZN1a1bILi1EJEE1gIJEEEvDpOT_", Some("_ZN1a1bILi1EJEE1gIJEEEvv")),
            ("_ZN1aC2IJA6_cNS_1bEEEEDpRKT_", Some("_ZN1aC2IJA6_cNS_1bEEEERKA6_cRKNS_1bE")),
            ("_Z1fIiJcdEEvT_DpRKT0_", Some("_Z1fIiJcdEEvT_RKcRKd")),
            ("_Z1fIiJEEvT_DpRKT0_", Some("_Z1fIiJEEvT_")),
            ("_Z1fIJicEEvDpSt4pairIT_iE.cold", Some("_Z1fIJicEEvSt4pairIiiESt4pairIciE.cold")),
            ("_Z1fIJZ1gvEUliE_EEvDpOT_", Some("_Z1fIJZ1gvEUliE_EEvOZ1gvEUliE_")),
            (
                "_ZN1a1fIJZNS_1gENS_1bEEUlRKNS_1cEE_EEES1_S1_DpOT_",
                Some("_ZN1a1fIJZNS_1gENS_1bEEUlRKNS_1cEE_EEES1_S1_OZNS_1gENS_1bEEUlRKNS_1cEE_"),
            ),
            // Substitutions would have other numbers.
            ("_Z1fIJicEEvDpPT_S_", None),
            // The pack of the class is not that of a function.
            ("_ZN1aIJicEE1fEDpT_", None),
            ("_Z1fIiEvT_", None),
            ("_Z2Dpi", None),
            ("_Z1fIJicEEvDp", None),
            ("_Z1fIJXadL_Z1gEEEEvDpT_", None),
        ];
        for (symbol, expected) in symbols {
            assert_eq!(expanded(symbol).as_deref(), expected, "{symbol}");
        }
    }
}
