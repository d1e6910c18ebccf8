//! Names of functions, variables and classes, and what they are made of.

use std::mem;
use std::ops::Range;

use super::{Conversion, Expander, Name, PLACEHOLDER, Part, Substitution, print};

impl<'n> Expander<'n> {
    pub(super) fn name(&mut self) -> Option<Name> {
        match self.rest() {
            [b'N', ..] => {
                self.at += 1;
                let mut qualifiers = self.take_while(|b| b"rVK".contains(&b)).to_owned();
                qualifiers.push_str(self.take_while(|b| b"RO".contains(&b)));
                let mut name = self.prefix()?;
                self.expect("E")?;
                name.part.qualifiers = qualifiers;
                name.part.is_nested = true;
                Some(name)
            }
            [b'Z', ..] => self.local_name(),
            _ => {
                let start = self.at;
                let mut name = Name::default();
                if self.starts_with("S") && !self.starts_with("St") {
                    name.part = self.substitution()?;
                } else {
                    if self.eat("St") {
                        name.part.path.push_str("St");
                    }
                    self.component(&mut name)?;
                    if self.peek() == Some(b'I') {
                        self.add_substitution(start, true);
                    }
                }
                if self.peek() == Some(b'I') {
                    let (text, arguments) = self.arguments()?;
                    name.part.path.push_str(&text);
                    name.arguments = Some(arguments);
                }
                Some(name)
            }
        }
    }

    /// The components of a nested name up to its end.
    fn prefix(&mut self) -> Option<Name> {
        let start = self.at;
        let mut name = Name::default();
        while !matches!(self.peek(), None | Some(b'E')) {
            self.count(0)?;
            let mut is_known = false;
            let is_argument_list = self.peek() == Some(b'I');
            match self.rest() {
                [b'S', b't', ..] => {
                    self.at += 2;
                    name.part.path.push_str("St");
                    is_known = true;
                }
                [b'S', ..] => {
                    name.part = self.substitution()?;
                    is_known = true;
                }
                [b'T', ..] => name.part = self.template_parameter()?,
                [b'D', b't' | b'T', ..] => name.part = self.decltype()?,
                [b'I', ..] => {
                    let (text, arguments) = self.arguments()?;
                    name.part.path.push_str(&text);
                    name.arguments = Some(arguments);
                }
                [b'M', ..] => {
                    self.at += 1;
                    name.part.path.push('M');
                    is_known = true;
                }
                _ => self.component(&mut name)?,
            }
            if !is_argument_list {
                name.arguments = None;
            }
            let is_last = matches!(self.peek(), None | Some(b'E'));
            if !is_known && !is_last && self.peek() != Some(b'M') {
                self.add_substitution(start, true);
            }
        }
        (!name.part.path.is_empty()).then_some(name)
    }

    fn local_name(&mut self) -> Option<Name> {
        self.expect("Z")?;
        let function = self.encoding(false)?.text;
        self.expect("E")?;
        if self.eat("s") {
            self.discriminator();
            return Some(Name {
                part: Part::new(format!("Z{function}Es")),
                ..Name::default()
            });
        }
        let default = if self.eat("d") {
            let number = self.index(10)? + 1;
            Some(self.placeholder_for(format!("{{default arg#{number}}}"))?)
        } else {
            None
        };
        let mut name = self.name()?;
        self.discriminator();
        if let Some(default) = default {
            name.part.path.insert_str(0, &default);
            name.part.is_nested = true;
        }
        name.part.function = format!("Z{function}E{}", name.part.function);
        Some(name)
    }

    /// Distinguishes entities of one name in a function, and is not shown.
    fn discriminator(&mut self) {
        if self.eat("__") {
            self.take_while(|b| b.is_ascii_digit());
            self.eat("_");
        } else if matches!(self.rest(), [b'_', b'0'..=b'9', ..]) {
            self.at += 2;
        }
    }

    /// Adds one component to a name.
    fn component(&mut self, name: &mut Name) -> Option<()> {
        name.is_special = false;
        // A name of internal linkage.
        self.eat("L");
        let text = match self.rest() {
            [b'0'..=b'9', ..] => self.source_name()?,
            [b'C', b'I' | b'1'..=b'5', ..] => {
                self.at += 2;
                name.is_special = true;
                if matches!(self.input.get(self.at - 1), Some(b'I')) {
                    // A constructor that is inherited from the type.
                    self.at += 1;
                    self.read_type()?;
                }
                "C1".to_owned()
            }
            [b'D', b'0'..=b'5', ..] => {
                self.at += 2;
                name.is_special = true;
                "D1".to_owned()
            }
            [b'U', b'l', ..] => self.lambda()?,
            [b'U', b't', ..] => {
                self.at += 2;
                match self.index(10)? {
                    0 => "Ut_".to_owned(),
                    // All of them are number 1 to cpp_demangle.
                    n => self.placeholder_for(format!("{{unnamed type#{}}}", n + 1))?,
                }
            }
            [b'c', b'v', ..] => {
                self.at += 2;
                name.is_special = true;
                format!("cv{}", self.converted_type()?.text())
            }
            [b'l', b'i', ..] => {
                self.at += 2;
                let name = self.identifier()?;
                self.placeholder_for(format!("operator\"\" {name}"))?
            }
            [a @ b'a'..=b'z', b, ..] => {
                self.at += 2;
                [*a, *b].iter().map(|&b| b as char).collect()
            }
            _ => return None,
        };
        name.part.is_nested |= !matches!(&*name.part.path, "" | "St");
        name.part.path.push_str(&text);
        while self.eat("B") {
            let tag = self.source_name()?;
            name.part.path.push('B');
            name.part.path.push_str(&tag);
        }
        Some(())
    }

    fn identifier(&mut self) -> Option<&'n str> {
        let len = self
            .take_while(|b| b.is_ascii_digit())
            .parse::<usize>()
            .ok()?;
        let name = self.rest().get(..len)?;
        self.at += len;
        std::str::from_utf8(name).ok()
    }

    pub(super) fn source_name(&mut self) -> Option<String> {
        let start = self.at;
        let name = self.identifier()?;
        let is_plain = name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_.$".contains(&b));
        if name.is_empty() {
            None
        } else if is_plain && !name.contains(PLACEHOLDER) {
            let text = std::str::from_utf8(&self.input[start..self.at]).ok()?;
            Some(text.trim_start_matches('0').to_owned())
        } else {
            self.placeholder_for(name.to_owned())
        }
    }

    fn lambda(&mut self) -> Option<String> {
        self.at += 2;
        let outer = mem::replace(&mut self.is_lambda, true);
        let parameters = self.parameters();
        self.is_lambda = outer;
        self.expect("E")?;
        let number = self.index(10)? + 1;
        // cpp_demangle takes references among the parameters for the one to the lambda.
        let printed = print(&format!("_Z1f{}", parameters?), &self.texts)?;
        let parameters = printed.strip_prefix('f')?;
        self.placeholder_for(format!("{{lambda{parameters}#{number}}}"))
    }

    /// The type of a conversion, which may name template parameters whose arguments follow it.
    fn converted_type(&mut self) -> Option<Part> {
        let (start, known) = (self.at, self.substitutions.len());
        let outer = mem::replace(&mut self.conversion, Conversion::Preview);
        let converted = self.read_type();
        self.conversion = outer;
        if self.peek() != Some(b'I') {
            return converted;
        }
        let end = self.at;
        let (_, arguments) = self.arguments()?;
        if !self.is_repeating {
            self.substitutions.truncate(known);
        }
        self.at = start;
        let outer = mem::replace(&mut self.arguments, arguments);
        let was = mem::replace(&mut self.conversion, Conversion::Type);
        let converted = self.read_type();
        (self.arguments, self.conversion) = (outer, was);
        self.at = end;
        converted
    }

    /// The text that a substitution refers to: it is read again.
    pub(super) fn substitution(&mut self) -> Option<Part> {
        self.expect("S")?;
        let abbreviated = match self.peek()? {
            b'a' => "St9allocator",
            b'b' => "St12basic_string",
            b's' => "St12basic_stringIcSt11char_traitsIcESt9allocatorIcEE",
            b'i' => "St13basic_istreamIcSt11char_traitsIcEE",
            b'o' => "St13basic_ostreamIcSt11char_traitsIcEE",
            b'd' => "St14basic_iostreamIcSt11char_traitsIcEE",
            _ => {
                let index = self.index(36)?;
                let Substitution { input, is_prefix } = self.substitutions.get(index)?.clone();
                return self.nested(|expander| expander.again(input, is_prefix));
            }
        };
        self.at += 1;
        Some(Part::new(abbreviated))
    }

    fn again(&mut self, input: Range<usize>, is_prefix: bool) -> Option<Part> {
        let (outer, at) = (self.input, self.at);
        let was_repeating = mem::replace(&mut self.is_repeating, true);
        (self.input, self.at) = (self.input.get(..input.end)?, input.start);
        let part = if is_prefix {
            self.prefix().map(|name| name.part)
        } else {
            self.read_type()
        };
        (self.input, self.at, self.is_repeating) = (outer, at, was_repeating);
        part
    }
}
