//! Expressions, which are in template arguments and in types.

use std::mem;

use super::{EXPRESSION_DEPTH, Expander, Pack, Part, Value, print};

/// What follows an operator: types, expressions, a name (`n`), or expressions up to an `E` (`*`).
fn operands(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "cl" | "il" => "*",
        "tl" => "t*",
        "ti" | "st" | "at" => "t",
        "cv" | "dc" | "sc" | "cc" | "rc" => "te",
        "dt" | "pt" => "en",
        "te" | "sz" | "az" | "nx" | "ps" | "ng" | "ad" | "de" | "co" | "nt" | "pp" | "mm" => "e",
        "pl" | "mi" | "ml" | "dv" | "rm" | "an" | "or" | "eo" | "aS" | "ls" | "rs" | "eq"
        | "ne" | "lt" | "gt" | "le" | "ge" | "aa" | "oo" | "cm" | "pm" | "ix" | "ds" | "ss" => "ee",
        "qu" => "eee",
        _ => return None,
    })
}

impl Expander<'_> {
    pub(super) fn literal(&mut self) -> Option<String> {
        self.expect("L")?;
        if self.eat("_Z") || self.eat("Z") {
            let text = self.encoding(true)?.text;
            self.expect("E")?;
            return Some(format!("L_Z{text}E"));
        }
        let kind = self.read_type()?.text();
        let value = self.take_while(|b| b.is_ascii_alphanumeric() && b != b'E');
        self.expect("E")?;
        Some(format!("L{kind}{value}E"))
    }

    pub(super) fn expression(&mut self) -> Option<String> {
        self.depth += EXPRESSION_DEPTH;
        let text = self.nested(Self::expression_here)?;
        self.depth -= EXPRESSION_DEPTH;
        self.count(text.len())?;
        Some(text)
    }

    fn expression_here(&mut self) -> Option<String> {
        match self.rest() {
            [b'L', ..] => return self.literal(),
            [b'T', ..] => {
                return match self.value()? {
                    Value::Expression(text) => Some(text),
                    // Of an empty pack, and left out.
                    Value::Type(part) => (part.path == "v").then(|| "Li0E".to_owned()),
                };
            }
            [b'0'..=b'9', ..] => {
                let (name, has_arguments) = self.simple_id()?;
                let printed = print(&format!("_Z{name}"), &self.texts)?;
                return self.add_text(printed, !has_arguments);
            }
            [b'f', b'p', ..] => {
                self.at += 2;
                let text = self.take_while(|b| b.is_ascii_digit() || b"rVK".contains(&b));
                self.expect("_")?;
                return Some(format!("fp{text}_"));
            }
            _ => {}
        }
        let operator = std::str::from_utf8(self.rest().get(..2)?).ok()?;
        self.at += 2;
        match operator {
            "sr" => return self.unresolved_name(),
            "gs" => return Some(format!("gs{}", self.expression()?)),
            "nw" | "na" => return self.new_expression(operator),
            "sp" => return self.expanded_pack("sp", Self::expression),
            "sZ" => return self.length_of_pack(),
            "ad" if self.starts_with("L_Z") => return self.function_address(),
            _ => {}
        }
        let mut text = operator.to_owned();
        for operand in operands(operator)?.bytes() {
            text.push_str(&match operand {
                b't' => self.read_type()?.text(),
                b'e' => self.expression()?,
                b'n' => self.simple_id()?.0,
                _ => self.expressions()?,
            });
        }
        Some(text)
    }

    /// A function whose address is taken: a member without its parameters, another in brackets.
    fn function_address(&mut self) -> Option<String> {
        self.expect("L_Z")?;
        let encoding = self.encoding(true)?;
        self.expect("E")?;
        let name = match encoding.member {
            Some(member) => member,
            None => {
                let printed = print(&format!("_Z{}", encoding.text), &self.texts)?;
                self.placeholder_for(format!("({printed})"))?
            }
        };
        Some(format!("adL_Z{name}E"))
    }

    /// `new` with its arguments, a type, and what that is initialized with.
    fn new_expression(&mut self, operator: &str) -> Option<String> {
        let mut text = operator.to_owned();
        while !self.eat("_") {
            text.push_str(&self.expression()?);
        }
        text.push('_');
        text.push_str(&self.read_type()?.text());
        if self.eat("pi") {
            text.push_str("pi");
            return Some(text + &self.expressions()?);
        }
        self.expect("E")?;
        Some(text + "E")
    }

    /// Expressions up to an `E`.
    fn expressions(&mut self) -> Option<String> {
        let mut text = String::new();
        while !self.eat("E") {
            text.push_str(&self.expression()?);
        }
        Some(text + "E")
    }

    fn length_of_pack(&mut self) -> Option<String> {
        let outer = self.pack.replace(Pack::default());
        self.value()?;
        let len = mem::replace(&mut self.pack, outer).and_then(|pack| pack.len)?;
        Some(format!("Li{len}E"))
    }

    /// A name, and whether it has template arguments.
    fn simple_id(&mut self) -> Option<(String, bool)> {
        let name = self.source_name()?;
        if self.peek() == Some(b'I') {
            return Some((name + &self.arguments()?.0, true));
        }
        Some((name, false))
    }

    /// What follows `sr`: a type or the levels of a scope, and the name in it.
    fn unresolved_name(&mut self) -> Option<String> {
        let mut text = String::new();
        if matches!(self.peek(), Some(b'0'..=b'9')) {
            let mut levels = Part {
                is_nested: true,
                ..Part::default()
            };
            let start = self.at;
            while matches!(self.peek(), Some(b'0'..=b'9')) {
                levels.path.push_str(&self.simple_id()?.0);
            }
            if !self.eat("E") {
                // An older form, in which a type follows.
                self.at = start;
                levels = self.read_type()?;
            }
            text.push_str(&print(&format!("_Z{}", levels.text()), &self.texts)?);
        } else {
            let kind = self.read_type()?.text();
            text.push_str(print(&format!("_Z1f{kind}"), &self.texts)?.strip_prefix("f(")?);
            text.pop();
        }
        let (name, has_arguments) = self.simple_id()?;
        text.push_str("::");
        text.push_str(&print(&format!("_Z{name}"), &self.texts)?);
        self.add_text(text, !has_arguments)
    }
}
