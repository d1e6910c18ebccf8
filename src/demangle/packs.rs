//! Pack expansions in the types of mangled functions, which cpp_demangle prints wrongly (issue 132
//! of its repository): `f<int, char>(int, char*)` for `f<int, char>(int*, char*)`. A parameter
//! `DpPT_` is replaced by one for each element of the pack, `Pi` and `Pc`, before the name is
//! parsed, and so is an expansion in arguments of the return type, `std::tuple<int&, char&>`.
//!
//! Only what is needed to find the ends of types is parsed here. A name with anything else stays as
//! it is.

use std::ops::Range;

use super::MAX_LEN;
use super::printed::printed;

/// The maximum depth of nested types.
const MAX_DEPTH: usize = 64;

/// The maximum number of types to try in the places of numbers.
const MAX_TRIES: usize = 50;

/// The symbol with types in the place of pack expansions; none if it has none, or any that cannot
/// be replaced.
pub(super) fn expanded(symbol: &str) -> Option<String> {
    if !symbol.contains("Dp") || !symbol.is_ascii() {
        return None;
    }
    let function = Function::parse(symbol)?;
    match function.late_substitutions() {
        [] => function.expanded(symbol),
        late => {
            let symbol = without_substitutions(symbol, late, &function.expansions)?;
            Function::parse(&symbol)?.expanded(&symbol)
        }
    }
}

/// The symbol with the types themselves in place of their numbers, which an expansion before them
/// changes: `S3_` in `_ZSt3tieIJicEESt5tupleIJDpRT_EES3_` is `DpRT_`. A type is that of a number if
/// cpp_demangle prints the same name with it.
fn without_substitutions(
    symbol: &str,
    late: &[Range<usize>],
    expansions: &[Expansion],
) -> Option<String> {
    let wholes: Vec<&str> = expansions.iter().map(|of| &symbol[of.range.clone()]).collect();
    let mut parts: Vec<&str> = Vec::new();
    for (expansion, whole) in expansions.iter().zip(&wholes) {
        let parameters = expansion.parameters.iter().map(|(at, _)| &symbol[at.clone()]);
        let without_qualifiers = whole[2..].trim_start_matches(['R', 'O', 'P', 'K']);
        parts.extend([&whole[2..], without_qualifiers].into_iter().chain(parameters));
    }
    if late.len() * (wholes.len() + parts.len()) > MAX_TRIES {
        return None;
    }
    let readable = printed(symbol)?;
    // From the end, so that the numbers of those before stay.
    late.iter().rev().try_fold(symbol.to_owned(), |symbol, at| {
        let is_in = |of: &Expansion| of.range.start < at.start && at.end <= of.range.end;
        // There is no expansion in another one.
        let wholes = if expansions.iter().any(is_in) { &[][..] } else { &wholes };
        let with_type = |of: &&str| [&symbol[..at.start], of, &symbol[at.end..]].concat();
        let mut symbols = wholes.iter().chain(&parts).map(with_type);
        symbols.find(|symbol| printed(symbol).as_ref() == Some(&readable))
    })
}

/// The pack expansions and numbers of types in a symbol of a function.
struct Function {
    /// The arguments of its name, which template parameters refer to.
    arguments: Vec<Argument>,
    /// Where its parameters begin.
    first_parameter: usize,
    /// Where the symbol ends, before a suffix.
    end: usize,
    expansions: Vec<Expansion>,
    /// Where its types have substitutions with numbers.
    substitutions: Vec<Range<usize>>,
}

/// A pack expansion `Dp` and a type.
struct Expansion {
    range: Range<usize>,
    /// The template parameters in it, with their numbers.
    parameters: Vec<(Range<usize>, usize)>,
}

impl Function {
    fn parse(symbol: &str) -> Option<Function> {
        let mut parser = Parser::new(symbol, 2);
        let is_constructor = parser.name()?;
        let arguments = parser.arguments.take()?;
        parser.expansions.clear();
        parser.substitutions.clear();
        if !is_constructor {
            parser.type_()?;
        }
        let first_parameter = parser.at;
        while parser.peek().is_some_and(|byte| byte != b'.') {
            parser.type_()?;
        }
        Some(Function {
            arguments,
            first_parameter,
            end: parser.at,
            expansions: parser.expansions,
            substitutions: parser.substitutions,
        })
    }

    /// The substitutions behind the first expansion, whose numbers change when it is replaced.
    fn late_substitutions(&self) -> &[Range<usize>] {
        let Some(first) = self.expansions.first() else {
            return &[];
        };
        let is_before = |at: &Range<usize>| at.start < first.range.end;
        &self.substitutions[self.substitutions.partition_point(is_before)..]
    }

    /// The symbol with types in the place of its expansions.
    fn expanded(&self, symbol: &str) -> Option<String> {
        if self.expansions.is_empty() || !self.late_substitutions().is_empty() {
            return None;
        }
        let mut text = String::new();
        let mut at = 0;
        let mut parameters = self.first_parameter;
        for expansion in &self.expansions {
            // Nothing within another expansion is replaced.
            text.push_str(symbol.get(at..expansion.range.start)?);
            let start = text.len();
            push_elements(symbol, expansion, &self.arguments, &mut text)?;
            let is_parameter = expansion.range.start >= self.first_parameter;
            if !is_parameter {
                parameters = parameters + text.len() - start - expansion.range.len();
            }
            // A type of functions without parameters has `v`.
            if text.len() == start && !is_parameter && !text.ends_with(['I', 'J']) {
                return None;
            }
            at = expansion.range.end;
        }
        text.push_str(&symbol[at..self.end]);
        if text.len() == parameters {
            text.push('v');
        }
        Some(text + &symbol[self.end..])
    }
}

/// Appends the pattern of a pack expansion for each element of its packs.
fn push_elements(
    symbol: &str,
    expansion: &Expansion,
    arguments: &[Argument],
    text: &mut String,
) -> Option<()> {
    let pattern = expansion.range.start + 2..expansion.range.end;
    let packs: Vec<_> = expansion
        .parameters
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
    /// The template parameters of the current expansion, with their numbers.
    parameters: Vec<(Range<usize>, usize)>,
    expansions: Vec<Expansion>,
    /// Where there are substitutions with numbers.
    substitutions: Vec<Range<usize>>,
}

impl<'s> Parser<'s> {
    fn new(symbol: &'s str, at: usize) -> Parser<'s> {
        Parser {
            text: symbol.as_bytes(),
            at,
            depth: 0,
            arguments: None,
            parameters: Vec::new(),
            expansions: Vec::new(),
            substitutions: Vec::new(),
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
                let is_inherited = self.skip(b'I');
                matches!(self.next()?, b'0'..=b'5').then_some(())?;
                if is_inherited {
                    self.type_()?;
                }
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
        let start = self.at;
        self.expect(b'S')?;
        match self.next()? {
            b't' => self.unqualified_name(),
            b'a' | b'b' | b's' | b'i' | b'o' | b'd' => Some(()),
            b'_' => {
                self.substitutions.push(start..self.at);
                Some(())
            }
            b'0'..=b'9' | b'A'..=b'Z' => {
                self.skip_while(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
                self.expect(b'_')?;
                self.substitutions.push(start..self.at);
                Some(())
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
        let (parameters, expansions) = (self.parameters.len(), self.expansions.len());
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
        self.expansions.truncate(expansions);
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

    /// The type of an expansion, behind `Dp`.
    fn expansion(&mut self) -> Option<()> {
        let start = self.at - 2;
        self.parameters.clear();
        self.type_()?;
        let parameters = std::mem::take(&mut self.parameters);
        self.expansions.push(Expansion { range: start..self.at, parameters });
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
                    b'p' => self.expansion(),
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
            ("_ZSt3tieIJicEESt5tupleIJDpRT_EES3_", Some("_ZSt3tieIJicEESt5tupleIJRiRcEERiRc")),
            ("_ZSt3tieIJEESt5tupleIJDpRT_EES3_", Some("_ZSt3tieIJEESt5tupleIJEEv")),
            ("_Z1fIJicEESt1aIJDpT_EEDpPS1_", Some("_Z1fIJicEESt1aIJicEEPiPc")),
            // A lambda with a pack of its own, and an expansion in another one.
            ("_Z1fIJicEEvPZ1gIJlEEvDpT_EUlvE_DpS0_", None),
            ("_Z1fIJicEEvDpSt5tupleIJDpT_EE", None),
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
