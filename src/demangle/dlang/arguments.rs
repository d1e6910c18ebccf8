//! Instances of D's templates, and their arguments: names, types and values.

use super::DNameReader;

impl DNameReader<'_> {
    /// An instance of a template, of this length in bytes if it is known.
    pub(super) fn template(&mut self, length: Option<usize>) -> Option<String> {
        let start = self.at;
        self.at += "__T".len();
        let name = self.name_of_template()?;
        let mut arguments = Vec::new();
        while !self.skips("Z") {
            self.skips("H");
            let argument = self.nested(Self::argument)?;
            arguments.push(argument);
        }
        if length.is_some_and(|length| self.at - start != length) {
            return None;
        }
        self.bounded(format!("{name}!({})", arguments.join(", ")))
    }

    fn name_of_template(&mut self) -> Option<String> {
        if !self.begins_name() || self.peek() == Some(b'_') {
            return None;
        }
        self.nested(Self::name)
    }

    /// An argument of a template: a name, a type, a value, or what has another mangling.
    fn argument(&mut self) -> Option<String> {
        let kind = self.peek()?;
        self.at += 1;
        match kind {
            b'S' => self.argument_name(),
            b'T' => self.read_type(),
            b'V' => {
                let of_value = self.kind_of_value()?;
                let name = self.read_type()?;
                self.value(of_value, &name)
            }
            b'X' => {
                let length = self.number()?;
                let text = self.rest().get(..length)?;
                self.at += length;
                Some(text.to_owned())
            }
            _ => None,
        }
    }

    /// A name as the argument of a template; older compilers put its length before it.
    fn argument_name(&mut self) -> Option<String> {
        if self.rest().starts_with("_D") {
            return self.nested(Self::mangled_name);
        }
        if self.peek() == Some(b'Q') {
            return self.qualified_name(false);
        }
        let start = self.at;
        let digits = self.digits(|byte| byte.is_ascii_digit());
        // The digits of a length may be followed by those of the name's first part.
        for end in (1..=digits.len().min(6)).rev() {
            let length: usize = digits[..end].parse().ok()?;
            self.at = start + end;
            let whole = self.at + length;
            if whole <= self.symbol.len() && length > 0 {
                let name = if self.rest().starts_with("_D") {
                    self.nested(Self::mangled_name)
                } else if self.begins_name() {
                    self.qualified_name(false)
                } else {
                    None
                };
                if name.is_some() && self.at == whole {
                    return name;
                }
            }
        }
        self.at = start;
        self.qualified_name(false)
    }

    /// The letter that says how a value of the type that follows is printed.
    fn kind_of_value(&self) -> Option<u8> {
        match self.peek()? {
            b'Q' => {
                let (target, _) = self.reference(self.at)?;
                self.symbol.as_bytes().get(target).copied()
            }
            kind => Some(kind),
        }
    }

    fn value(&mut self, kind: u8, type_name: &str) -> Option<String> {
        let first = self.peek()?;
        match first {
            b'n' => {
                self.at += 1;
                Some("null".to_owned())
            }
            b'N' => {
                self.at += 1;
                Some(format!("-{}", self.integer(kind)?))
            }
            b'i' => {
                self.at += 1;
                self.integer(kind)
            }
            b'0'..=b'9' => self.integer(kind),
            b'e' => {
                self.at += 1;
                self.real()
            }
            b'c' => {
                self.at += 1;
                let real = self.real()?;
                let imaginary = if self.skips("c") { self.real()? } else { return None };
                Some(format!("{real}+{imaginary}i"))
            }
            b'a' | b'w' | b'd' => {
                self.at += 1;
                self.string(first)
            }
            b'A' => {
                self.at += 1;
                let is_map = kind == b'H';
                self.list(is_map).map(|list| format!("[{list}]"))
            }
            b'S' => {
                self.at += 1;
                self.list(false).map(|list| format!("{type_name}({list})"))
            }
            b'f' => {
                self.at += 1;
                self.nested(Self::mangled_name)
            }
            _ => None,
        }
    }

    /// The elements of an array or struct, or the keys and values of a map.
    fn list(&mut self, is_map: bool) -> Option<String> {
        let count = self.number()?;
        let mut list = Vec::new();
        for _ in 0..count {
            let key = self.nested(|reader| reader.value(0, ""))?;
            let item = if is_map {
                let value = self.nested(|reader| reader.value(0, ""))?;
                format!("{key}:{value}")
            } else {
                key
            };
            list.push(self.bounded(item)?);
        }
        Some(list.join(", "))
    }

    fn integer(&mut self, kind: u8) -> Option<String> {
        let digits = self.digits(|byte| byte.is_ascii_digit());
        if digits.is_empty() {
            return None;
        }
        let number = || digits.parse::<u64>().ok();
        Some(match kind {
            b'a' => match number()? {
                code @ 0x20..0x7f => format!("'{}'", code as u8 as char),
                code => format!("'\\x{code:02x}'"),
            },
            b'u' => format!("'\\u{:04x}'", number()?),
            b'w' => format!("'\\U{:08x}'", number()?),
            b'b' => (number()? != 0).to_string(),
            b'h' | b't' | b'k' => format!("{digits}u"),
            b'l' => format!("{digits}L"),
            b'm' => format!("{digits}uL"),
            _ => digits.to_owned(),
        })
    }

    /// A number in hexadecimal digits with a binary exponent.
    fn real(&mut self) -> Option<String> {
        for (code, text) in [("NAN", "NaN"), ("INF", "Inf"), ("NINF", "-Inf")] {
            if self.skips(code) {
                return Some(text.to_owned());
            }
        }
        let sign = if self.skips("N") { "-" } else { "" };
        let digits = self.digits(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_lowercase());
        let (first, others) = digits.split_at_checked(1)?;
        if !self.skips("P") {
            return None;
        }
        let exponent_sign = if self.skips("N") { "-" } else { "" };
        let exponent = self.digits(|byte| byte.is_ascii_digit());
        Some(format!("{sign}0x{first}.{others}p{exponent_sign}{exponent}"))
    }

    /// The bytes of a string in hexadecimal digits.
    fn string(&mut self, kind: u8) -> Option<String> {
        let count = self.number()?;
        if !self.skips("_") {
            return None;
        }
        let mut text = String::from("\"");
        for _ in 0..count {
            let digits = self.rest().get(..2)?;
            let byte = u8::from_str_radix(digits, 16).ok()?;
            self.at += 2;
            match byte {
                b'\t' => text.push_str("\\t"),
                b'\n' => text.push_str("\\n"),
                b'\r' => text.push_str("\\r"),
                0x0b => text.push_str("\\v"),
                0x0c => text.push_str("\\f"),
                0x20..0x7f => text.push(byte as char),
                _ => text.push_str(&format!("\\x{digits}")),
            }
        }
        text.push('"');
        if kind != b'a' {
            text.push(kind as char);
        }
        Some(text)
    }
}
