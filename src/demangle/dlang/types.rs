//! Types of D, which those of functions begin with their convention.

use super::DNameReader;

/// Types of one letter.
const BASIC_TYPES: [(u8, &str); 22] = [
    (b'a', "char"),
    (b'b', "bool"),
    (b'c', "creal"),
    (b'd', "double"),
    (b'e', "real"),
    (b'f', "float"),
    (b'g', "byte"),
    (b'h', "ubyte"),
    (b'i', "int"),
    (b'j', "ireal"),
    (b'k', "uint"),
    (b'l', "long"),
    (b'm', "ulong"),
    (b'n', "typeof(null)"),
    (b'o', "ifloat"),
    (b'p', "idouble"),
    (b'q', "cfloat"),
    (b'r', "cdouble"),
    (b's', "short"),
    (b't', "ushort"),
    (b'u', "wchar"),
    (b'w', "dchar"),
];

/// The attributes of functions.
const ATTRIBUTES: [(&str, &str); 10] = [
    ("Na", "pure"),
    ("Nb", "nothrow"),
    ("Nc", "ref"),
    ("Nd", "@property"),
    ("Ne", "@trusted"),
    ("Nf", "@safe"),
    ("Ni", "@nogc"),
    ("Nj", "return"),
    ("Nl", "scope"),
    ("Nm", "@live"),
];

/// How functions are called: what their types begin with.
const CONVENTIONS: [(u8, &str); 4] =
    [(b'F', ""), (b'R', "extern(C++) "), (b'U', "extern(C) "), (b'W', "extern(Windows) ")];

impl DNameReader<'_> {
    pub(super) fn read_type(&mut self) -> Option<String> {
        let text = self.nested(Self::type_within)?;
        self.bounded(text)
    }

    fn type_within(&mut self) -> Option<String> {
        for (code, name) in [("x", "const"), ("y", "immutable"), ("O", "shared"), ("Ng", "inout")] {
            if self.skips(code) {
                return Some(format!("{name}({})", self.read_type()?));
            }
        }
        for (code, name) in
            [("Nn", "typeof(*null)"), ("v", "void"), ("zi", "cent"), ("zk", "ucent")]
        {
            if self.skips(code) {
                return Some(name.to_owned());
            }
        }
        if self.skips("Nh") {
            return Some(format!("__vector({})", self.read_type()?));
        }
        let kind = self.peek()?;
        if CONVENTIONS.iter().any(|(convention, _)| *convention == kind) {
            return Some(format!("{} function", self.function_type()?));
        }
        if kind == b'Q' {
            return self.type_of_reference();
        }
        self.at += 1;
        match kind {
            b'A' => Some(format!("{}[]", self.read_type()?)),
            b'G' => {
                let count = self.digits(|byte| byte.is_ascii_digit());
                Some(format!("{}[{count}]", self.read_type()?))
            }
            b'H' => {
                let key = self.read_type()?;
                Some(format!("{}[{key}]", self.read_type()?))
            }
            b'P' => {
                let next = self.peek()?;
                let is_function = CONVENTIONS.iter().any(|(convention, _)| *convention == next);
                let pointee = self.read_type()?;
                Some(if is_function { pointee } else { format!("{pointee}*") })
            }
            b'C' | b'E' | b'I' | b'S' | b'T' => self.qualified_name(false),
            b'D' => self.delegate(),
            b'B' => self.tuple(),
            kind => {
                let known = BASIC_TYPES.iter().find(|(letter, _)| *letter == kind);
                known.map(|(_, name)| (*name).to_owned())
            }
        }
    }

    fn delegate(&mut self) -> Option<String> {
        let modifiers = self.modifiers();
        let function = if self.peek() == Some(b'Q') {
            self.function_of_reference()?
        } else {
            self.function_type()?
        };
        Some(format!("{function} delegate{modifiers}"))
    }

    fn tuple(&mut self) -> Option<String> {
        let count = self.number()?;
        let mut types = Vec::new();
        for _ in 0..count {
            types.push(self.read_type()?);
        }
        Some(format!("Tuple!({})", types.join(", ")))
    }

    /// What a reference to a type leads to, read there.
    fn at_reference<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.at >= self.last_reference {
            return None;
        }
        let (target, end) = self.reference(self.at)?;
        let outer = std::mem::replace(&mut self.last_reference, self.at);
        self.at = target;
        let read = read(self);
        self.last_reference = outer;
        self.at = end;
        read
    }

    fn type_of_reference(&mut self) -> Option<String> {
        self.at_reference(Self::read_type)
    }

    fn function_of_reference(&mut self) -> Option<String> {
        self.at_reference(Self::function_type)
    }

    /// A function's result, parameters and attributes.
    fn function_type(&mut self) -> Option<String> {
        let convention = self.convention()?;
        let attributes = self.attributes();
        let parameters = self.parameters()?;
        let result = self.read_type()?;
        Some(format!("{convention}{result}({parameters}){attributes}"))
    }

    pub(super) fn convention(&mut self) -> Option<&'static str> {
        let kind = self.peek()?;
        let (_, text) = CONVENTIONS.iter().find(|(convention, _)| *convention == kind)?;
        self.at += 1;
        Some(*text)
    }

    /// The attributes of a function, each with a space before it.
    pub(super) fn attributes(&mut self) -> String {
        let mut text = String::new();
        while let Some((code, attribute)) =
            ATTRIBUTES.iter().find(|(code, _)| self.rest().starts_with(code))
        {
            self.at += code.len();
            text.push(' ');
            text.push_str(attribute);
        }
        text
    }

    /// What the object of a function is, each word with a space before it.
    pub(super) fn modifiers(&mut self) -> String {
        let mut text = String::new();
        for (code, name) in [("O", " shared"), ("Ng", " inout")] {
            if self.skips(code) {
                text.push_str(name);
            }
        }
        for (code, name) in [("x", " const"), ("y", " immutable")] {
            if self.skips(code) {
                text.push_str(name);
                break;
            }
        }
        text
    }

    pub(super) fn parameters(&mut self) -> Option<String> {
        let mut list = Vec::new();
        loop {
            if self.skips("Z") {
                return Some(list.join(", "));
            }
            if self.skips("X") {
                return Some(list.join(", ") + "...");
            }
            if self.skips("Y") {
                list.push("...".to_owned());
                return Some(list.join(", "));
            }
            let mut parameter = String::new();
            for (code, word) in [("M", "scope "), ("Nk", "return ")] {
                if self.skips(code) {
                    parameter.push_str(word);
                }
            }
            if self.skips("I") {
                parameter.push_str("in ");
            }
            for (code, word) in [("J", "out "), ("K", "ref "), ("L", "lazy ")] {
                if self.skips(code) {
                    parameter.push_str(word);
                    break;
                }
            }
            let name = self.read_type()?;
            list.push(self.bounded(parameter + &name)?);
        }
    }
}
