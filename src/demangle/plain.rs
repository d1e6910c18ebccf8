//! Prints the expanded names of plain functions, classes and types as cpp_demangle prints them: in most names nothing else
//! occurs. Measured 2026-11-22, gprof's flat profile of a C++ program at -O0 with 3,638 symbols: 202 million instructions in
//! place of 471, 0.03 s of CPU time in place of 0.07 s.

use super::MAX_LEN;
use super::expand::{BLANK, PLACEHOLDER, Text};

/// The placeholder in place of a return type that is not printed.
const NO_RETURN_TYPE: &str = "4$$0$";

/// The placeholder for an empty pack behind other arguments: no blank is before what closes them.
const EMPTY_PACK: &str = "4$$1$";

/// How deep types may nest here.
const MAX_DEPTH: usize = 32;

const BUILTIN_TYPES: [(u8, &str); 19] = [
    (b'v', "void"),
    (b'w', "wchar_t"),
    (b'b', "bool"),
    (b'c', "char"),
    (b'a', "signed char"),
    (b'h', "unsigned char"),
    (b's', "short"),
    (b't', "unsigned short"),
    (b'i', "int"),
    (b'j', "unsigned int"),
    (b'l', "long"),
    (b'm', "unsigned long"),
    (b'x', "long long"),
    (b'y', "unsigned long long"),
    (b'n', "__int128"),
    (b'o', "unsigned __int128"),
    (b'f', "float"),
    (b'd', "double"),
    (b'e', "long double"),
];

/// The letters of operators, each followed by its sign.
const OPERATORS: &str = "ps+ ng- ad& de* co~ pl+ mi- ml* dv/ rm% an& or| eo^ aS= pL+= mI-= mL*= dV/= rM%= aN&= oR|= eO^= \
    ls<< rs>> lS<<= rS>>= eq== ne!= lt< gt> le<= ge>= nt! aa&& oo|| pp++ mm-- cm, pm->* pt-> cl() ix[]";

/// The readable name; none if something else occurs in it.
pub(super) fn print(name: &str, texts: &[Text]) -> Option<String> {
    let mut printer = Printer {
        texts,
        rest: name.strip_prefix("_Z")?,
        text: String::with_capacity(name.len() * 2),
        depth: 0,
    };
    printer.encoding()?;
    printer.rest.is_empty().then_some(printer.text)
}

/// What decides how a function's parameters follow its name.
#[derive(Default)]
struct Name {
    is_const: bool,
    /// Whether it ends with template arguments.
    is_template: bool,
    /// Whether it is that of a constructor or destructor.
    is_special: bool,
}

struct Printer<'n> {
    texts: &'n [Text],
    rest: &'n str,
    text: String,
    depth: usize,
}

impl<'n> Printer<'n> {
    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn peek(&self) -> Option<u8> {
        self.rest.bytes().next()
    }

    fn digits(&mut self) -> &'n str {
        let length = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at(length);
        self.rest = rest;
        digits
    }

    /// A function with its parameters, or a variable.
    fn encoding(&mut self) -> Option<()> {
        let start = self.text.len();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let name = self.name()?;
        self.depth -= 1;
        if self.is_at_end() {
            return (!name.is_const).then_some(());
        }
        if name.is_template && name.is_special {
            // cpp_demangle leaves out the first type, so that another one was put before the parameters.
            self.eat("v").then_some(())?;
        } else if name.is_template && !self.eat(NO_RETURN_TYPE) {
            let function = self.text.split_off(start);
            self.read_type()?;
            self.text.push(' ');
            self.text.push_str(&function);
        }
        self.text.push('(');
        let parameters = self.rest;
        if !self.eat("v") || !self.is_at_end() {
            self.rest = parameters;
            self.read_type()?;
            while !self.is_at_end() {
                self.text.push_str(", ");
                self.read_type()?;
            }
        }
        self.text
            .push_str(if name.is_const { ") const" } else { ")" });
        Some(())
    }

    fn is_at_end(&self) -> bool {
        matches!(self.peek(), None | Some(b'E'))
    }

    fn name(&mut self) -> Option<Name> {
        let mut name = Name::default();
        if self.eat("Z") {
            self.encoding()?;
            self.eat("E").then_some(())?;
            self.text.push_str("::");
        }
        let is_nested = self.eat("N");
        name.is_const = is_nested && self.eat("K");
        let is_std = self.eat("St");
        if is_std {
            self.text.push_str("std");
        }
        let mut last = None;
        let mut is_first = !is_std;
        loop {
            if self.peek() == Some(b'I') {
                self.arguments()?;
                name.is_template = true;
            } else {
                if !is_first {
                    self.text.push_str("::");
                }
                name.is_special = self.component(&mut last)?;
                name.is_template = false;
            }
            is_first = false;
            let is_end = match is_nested {
                true => self.eat("E"),
                false => self.peek() != Some(b'I'),
            };
            if is_end {
                return Some(name);
            }
        }
    }

    /// A component of a name, and whether it is a constructor or destructor; `last` is the class that it is of.
    fn component(&mut self, last: &mut Option<&'n str>) -> Option<bool> {
        let is_constructor = self.eat("C1");
        if is_constructor || self.eat("D1") {
            if !is_constructor {
                self.text.push('~');
            }
            self.text.push_str((*last)?);
            return matches!(self.peek(), Some(b'E' | b'I')).then_some(true);
        }
        if self.peek()?.is_ascii_digit() {
            let length: usize = self.digits().parse().ok()?;
            let (name, rest) = self.rest.split_at_checked(length)?;
            self.rest = rest;
            let text = self.identifier(name)?;
            self.text.push_str(text);
            if self.text.len() > MAX_LEN {
                return None;
            }
            *last = (text == name).then_some(name);
        } else {
            let (letters, rest) = self.rest.split_at_checked(2)?;
            let mut operators = OPERATORS.split_ascii_whitespace();
            let sign = operators.find_map(|operator| operator.strip_prefix(letters))?;
            self.rest = rest;
            self.text.push_str("operator");
            self.text.push_str(sign);
            *last = None;
        }
        while self.eat("B") {
            let length: usize = self.digits().parse().ok()?;
            let (tag, rest) = self.rest.split_at_checked(length)?;
            self.rest = rest;
            for text in ["[abi:", tag, "]"] {
                self.text.push_str(text);
            }
            *last = None;
        }
        Some(false)
    }

    /// A name as it is printed.
    fn identifier(&self, name: &'n str) -> Option<&'n str> {
        if name.starts_with("_GLOBAL_") {
            return name
                .starts_with("_GLOBAL__N")
                .then_some("(anonymous namespace)");
        }
        match name.strip_prefix(PLACEHOLDER) {
            None => (!name.contains('$')).then_some(name),
            Some(number) => {
                let number: usize = number.strip_suffix('$')?.parse().ok()?;
                let text = self.texts.get(number).filter(|_| number > BLANK);
                text.map(|known| &*known.text)
            }
        }
    }

    /// Template arguments.
    fn arguments(&mut self) -> Option<()> {
        if !self.eat("I") || self.text.ends_with('>') {
            return None;
        }
        let open = if self.text.ends_with('<') { " <" } else { "<" };
        self.text.push_str(open);
        loop {
            if self.eat(EMPTY_PACK) {
                let text = self.text.strip_suffix(", ");
                self.text.truncate(text?.len());
                self.text.push('>');
                return self.eat("E").then_some(());
            }
            if self.eat("L") {
                self.literal()?;
            } else {
                self.read_type()?;
            }
            if self.eat("E") {
                break;
            }
            self.text.push_str(", ");
        }
        let close = if self.text.ends_with('>') { " >" } else { ">" };
        self.text.push_str(close);
        Some(())
    }

    fn literal(&mut self) -> Option<()> {
        let (kind, rest) = self.rest.split_at_checked(1)?;
        self.rest = rest;
        let is_negative = self.eat("n");
        let number = self.digits();
        let (number, suffix) = match (kind, number) {
            ("b", "0") => ("false", ""),
            ("b", "1") => ("true", ""),
            ("i", _) => (number, ""),
            ("j", _) => (number, "u"),
            ("l", _) => (number, "l"),
            ("m", _) => (number, "ul"),
            _ => return None,
        };
        if is_negative {
            self.text.push('-');
        }
        self.text.push_str(number);
        self.text.push_str(suffix);
        (!number.is_empty() && self.eat("E")).then_some(())
    }

    fn read_type(&mut self) -> Option<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let letter = self.peek()?;
        if let Some((_, text)) = BUILTIN_TYPES.iter().find(|(sign, _)| *sign == letter) {
            self.rest = &self.rest[1..];
            self.text.push_str(text);
        } else if let b'N' | b'S' | b'Z' | b'0'..=b'9' = letter {
            let name = self.name()?;
            if name.is_const || name.is_special {
                return None;
            }
        } else {
            let sign = match letter {
                b'P' => "*",
                b'R' => "&",
                b'O' => "&&",
                b'K' => " const",
                b'V' => " volatile",
                _ => return None,
            };
            self.rest = &self.rest[1..];
            if matches!(self.peek(), Some(b'R' | b'O')) {
                return None;
            }
            self.read_type()?;
            self.text.push_str(sign);
        }
        self.depth -= 1;
        Some(())
    }
}

#[cfg(test)]
mod tests;
