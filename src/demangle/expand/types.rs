//! Types.

use super::{BLANK, Conversion, Expander, Part, Value, placeholder, print};

impl Expander<'_> {
    /// A type.
    pub(super) fn read_type(&mut self) -> Option<Part> {
        let part = self.nested(Self::type_here)?;
        self.count(part.path.len())?;
        Some(part)
    }

    fn type_here(&mut self) -> Option<Part> {
        let start = self.at;
        let part = match self.rest() {
            [b'r' | b'V' | b'K', ..] => self.qualified()?,
            [letter, ..] if b"vwbahcstijlmxynofdegz".contains(letter) => {
                self.at += 1;
                return Some(Part::new(*letter as char));
            }
            [b'D', letter, ..] if b"Fndefhiusac".contains(letter) => return self.rare_builtin(),
            [b'D', b't' | b'T', ..] => self.decltype()?,
            [b'D', b'p', ..] => {
                self.at += 2;
                Part::new(self.expanded_pack("Dp", |expander| Some(expander.read_type()?.text()))?)
            }
            [b'D', b'v', b'0'..=b'9', ..] => {
                self.at += 2;
                let len = self.take_while(|b| b.is_ascii_digit());
                self.expect("_")?;
                Part::new(format!("Dv{len}_{}", self.read_type()?.text()))
            }
            [b'F', ..] | [b'D', b'o' | b'O' | b'w' | b'x', ..] => Part::new(self.function(false)?),
            [letter @ (b'P' | b'C' | b'G'), ..] => {
                self.at += 1;
                let sign = match letter {
                    b'P' => "P",
                    b'C' => "U8_Complex",
                    _ => "U10_Imaginary",
                };
                Part::new(format!("{sign}{}", self.read_type()?.text()))
            }
            [b'R' | b'O', ..] => self.reference()?,
            [b'A', ..] => self.array()?,
            [b'M', ..] => self.member_pointer()?,
            [b'u', ..] | [b'U', b'0'..=b'9', ..] => self.vendor_type()?,
            [b'T', b's' | b'u' | b'e', ..] => {
                self.at += 2;
                self.name()?.part
            }
            [b'T', ..] => {
                let mut part = self.template_parameter()?;
                if self.peek() == Some(b'I') && self.conversion == Conversion::None {
                    self.add_substitution(start, false);
                    part.path.push_str(&self.arguments()?.0);
                }
                part
            }
            [b'S', second, ..] if *second != b't' => {
                let mut part = self.substitution()?;
                if self.peek() != Some(b'I') {
                    return Some(part);
                }
                part.path.push_str(&self.arguments()?.0);
                part
            }
            _ => self.name()?.part,
        };
        self.add_substitution(start, false);
        Some(part)
    }

    /// A type, or a qualifier of one, that is a compiler's own.
    fn vendor_type(&mut self) -> Option<Part> {
        let is_qualifier = self.peek() == Some(b'U');
        self.at += 1;
        let name = self.source_name()?;
        Some(Part::new(match is_qualifier {
            true => format!("U{name}{}", self.read_type()?.text()),
            false => format!("u{name}"),
        }))
    }

    /// `decltype(nullptr)`, floating-point types of a number of bits, and other types of two letters.
    fn rare_builtin(&mut self) -> Option<Part> {
        if self.eat("Dn") {
            let text = self.placeholder_for("decltype(nullptr)".to_owned())?;
            return Some(Part::new(text));
        }
        if !self.eat("DF") {
            let letter = *self.rest().get(1)? as char;
            self.at += 2;
            return Some(Part::new(format!("D{letter}")));
        }
        let bits = self.take_while(|b| b.is_ascii_digit());
        self.expect("_")?;
        Some(Part::new(format!("DF{bits}_")))
    }

    /// A pointer to a member of a class.
    fn member_pointer(&mut self) -> Option<Part> {
        self.expect("M")?;
        let mut class = self.read_type()?.text();
        if class.starts_with('N') {
            // cpp_demangle puts the sign of a reference to the member behind it.
            let printed = print(&format!("_Z{class}"), &self.texts)?;
            class = self.placeholder_for(printed)?;
        }
        Some(Part::new(format!("M{class}{}", self.read_type()?.text())))
    }

    /// A type with `const` and the like, which are one with it.
    fn qualified(&mut self) -> Option<Part> {
        let qualifiers = self.take_while(|b| b"rVK".contains(&b));
        let is_function = matches!(
            self.rest(),
            [b'F', ..] | [b'D', b'o' | b'O' | b'w' | b'x', ..]
        );
        let text = if is_function {
            self.function(true)?
        } else {
            self.read_type()?.text()
        };
        // The argument of a template parameter may have them already.
        let own = text.bytes().take_while(|b| b"rVK".contains(b)).count();
        let (own, text) = text.split_at(own);
        let is_new = |&c: &char| qualifiers.contains(c) || own.contains(c);
        let all: String = "rVK".chars().filter(is_new).collect();
        Some(Part::new(format!("{all}{text}")))
    }

    /// A reference to a reference is one.
    fn reference(&mut self) -> Option<Part> {
        let letter = self.rest()[0] as char;
        self.at += 1;
        let text = self.read_type()?.text();
        Some(Part::new(match (letter, text.as_bytes().first()) {
            ('R', Some(b'R' | b'O')) => format!("R{}", &text[1..]),
            ('O', Some(b'R' | b'O')) => text,
            _ => format!("{letter}{text}"),
        }))
    }

    fn function(&mut self, is_qualified: bool) -> Option<String> {
        let mut text = String::new();
        if self.eat("Do") {
            text.push_str("Do");
        }
        self.expect("F")?;
        self.eat("Y");
        let mut returned = self.read_type()?;
        if returned.is_nested {
            returned.path.push_str(&placeholder(BLANK));
        }
        let returned = returned.text();
        let mut parameters = self.parameters()?;
        let reference = self.take_while(|b| b"RO".contains(&b));
        if (is_qualified || !reference.is_empty()) && parameters.contains('N') {
            // cpp_demangle puts the qualifiers behind a parameter that is a nested name.
            let printed = print(&format!("_Z1f{parameters}"), &self.texts)?;
            parameters =
                self.placeholder_for(printed.strip_prefix("f(")?.strip_suffix(')')?.to_owned())?;
        }
        self.expect("E")?;
        Some(format!("{text}F{returned}{parameters}{reference}E"))
    }

    fn array(&mut self) -> Option<Part> {
        self.at += 1;
        let size = if matches!(self.peek(), Some(b'_' | b'0'..=b'9')) {
            self.take_while(|b| b.is_ascii_digit()).to_owned()
        } else {
            self.expression()?
        };
        self.expect("_")?;
        Some(Part::new(format!("A{size}_{}", self.read_type()?.text())))
    }

    pub(super) fn decltype(&mut self) -> Option<Part> {
        let kind = if self.eat("Dt") { "Dt" } else { "DT" };
        self.eat("DT");
        let text = self.expression()?;
        self.expect("E")?;
        Some(Part::new(format!("{kind}{text}E")))
    }

    pub(super) fn template_parameter(&mut self) -> Option<Part> {
        match self.value()? {
            Value::Type(part) => Some(part),
            Value::Expression(_) => None,
        }
    }
}
