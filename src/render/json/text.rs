//! The text of JSON values.

use std::fmt;
use std::io::Write;

use crate::render::number::{push_count, push_digits};
use crate::render::{are_all, is_control};

/// A JSON text to which values are appended. All control characters are escaped, including those that JSON allows,
/// because the output may be a terminal.
pub struct Json {
    pub text: Vec<u8>,
    /// The divisor of counts.
    unit: i64,
}

/// The maximum length of a member's name.
const MAX_NAME: usize = 28;

pub(in crate::render) trait Value {
    fn write(self, json: &mut Json);
}

impl Json {
    pub(in crate::render) fn new(unit: i64) -> Json {
        Json { text: Vec::new(), unit }
    }

    /// Appends an object; `write` appends its members.
    #[inline]
    pub(in crate::render) fn object(&mut self, write: impl FnOnce(&mut Json)) {
        self.text.push(b'{');
        write(self);
        self.text.push(b'}');
    }

    /// Appends an array; `write` appends each element.
    #[inline]
    pub(in crate::render) fn array<T>(
        &mut self,
        elements: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Json, T),
    ) {
        self.text.push(b'[');
        for element in elements {
            write(self.element(), element);
        }
        self.text.push(b']');
    }

    /// Appends a member that is an array of objects; `write` appends the members of each.
    #[inline(always)]
    pub(in crate::render) fn objects<T>(
        &mut self,
        name: &str,
        elements: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Json, T),
    ) {
        let write = |json: &mut Json, element| json.object(|json| write(json, element));
        self.name(name).array(elements, write);
    }

    /// Appends an array; `write` appends its elements, each after [`Json::element`].
    pub(in crate::render) fn tuple(&mut self, write: impl FnOnce(&mut Json)) {
        self.text.push(b'[');
        write(self);
        self.text.push(b']');
    }

    /// Appends a comma, unless the next element or member is the first.
    #[inline(always)]
    pub(in crate::render) fn element(&mut self) -> &mut Json {
        if !matches!(self.text.last(), Some(b'[' | b'{')) {
            self.text.push(b',');
        }
        self
    }

    /// Appends the name of a member, without escapes and of at most [`MAX_NAME`] bytes; its value is next. (Inlined, and a
    /// first name is appended with the `{` before it, so that most lengths are constants.)
    #[inline(always)]
    pub(in crate::render) fn name(&mut self, name: &str) -> &mut Json {
        let is_first = self.text.last() == Some(&b'{');
        if is_first {
            self.text.pop();
        }
        let (mut text, length) = ([b'"'; MAX_NAME + 4], name.len() + 4);
        text[0] = if is_first { b'{' } else { b',' };
        // In place of a call that a build without link-time optimisation does not inline.
        let mut at = 0;
        while at < name.len() {
            text[at + 2] = name.as_bytes()[at];
            at += 1;
        }
        text[length - 1] = b':';
        self.text.extend_from_slice(&text[..length]);
        self
    }

    #[inline(always)]
    pub(in crate::render) fn member(&mut self, name: &str, value: impl Value) {
        self.name(name);
        value.write(self);
    }

    #[inline(always)]
    pub(in crate::render) fn optional(&mut self, name: &str, value: Option<impl Value>) {
        if let Some(value) = value {
            self.member(name, value);
        }
    }

    /// Appends a member; without a value it is null, or left out if `omits`.
    #[inline(always)]
    pub(in crate::render) fn known(&mut self, name: &str, value: Option<impl Value>, omits: bool) {
        if value.is_some() || !omits {
            self.member(name, value);
        }
    }

    #[inline]
    pub(in crate::render) fn value(&mut self, value: impl Value) {
        value.write(self);
    }

    #[inline(always)]
    fn plain_string(&mut self, text: &[u8]) {
        self.text.reserve(text.len() + 2);
        self.text.push(b'"');
        self.text.extend_from_slice(text);
        self.text.push(b'"');
    }

    #[cold]
    fn escaped_string(&mut self, text: &str) {
        self.text.push(b'"');
        for c in text.chars() {
            let short = match c {
                '"' | '\\' => c,
                '\x08' => 'b',
                '\t' => 't',
                '\n' => 'n',
                '\x0c' => 'f',
                '\r' => 'r',
                _ if is_control(c) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        self.format(format_args!("\\u{unit:04x}"));
                    }
                    continue;
                }
                _ => {
                    self.format(format_args!("{c}"));
                    continue;
                }
            };
            self.text.extend([b'\\', short as u8]);
        }
        self.text.push(b'"');
    }

    fn format(&mut self, text: fmt::Arguments<'_>) {
        // Writing to memory cannot fail.
        self.text.write_fmt(text).ok();
    }
}

/// Whether a text needs no escapes, as most do not.
fn is_plain(text: &[u8]) -> bool {
    are_all(text, |b| matches!(b, b' '..=b'~') & (b != b'"') & (b != b'\\'))
}

impl Value for bool {
    fn write(self, json: &mut Json) {
        let text = if self { "true" } else { "false" };
        json.text.extend_from_slice(text.as_bytes());
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Value for $number {
            #[inline]
            fn write(self, json: &mut Json) {
                push_digits(self as u64, &mut json.text);
            }
        }
    )*};
}

numbers!(u32 u64 usize);

/// A count.
impl Value for i64 {
    #[inline]
    fn write(self, json: &mut Json) {
        push_count(self, json.unit, &mut json.text);
    }
}

/// Null if it is infinite or not a number.
impl Value for f64 {
    fn write(self, json: &mut Json) {
        match self.abs() {
            size if !size.is_finite() => None::<u32>.write(json),
            1e-5..1e-4 => json.format(format_args!("{self}")),
            _ => json.format(format_args!("{self:?}")),
        }
    }
}

impl Value for &str {
    fn write(self, json: &mut Json) {
        if is_plain(self.as_bytes()) {
            json.plain_string(self.as_bytes())
        } else {
            json.escaped_string(self)
        }
    }
}

/// A string; an object if it is not UTF-8.
impl Value for &[u8] {
    fn write(self, json: &mut Json) {
        if is_plain(self) {
            return json.plain_string(self);
        }
        match std::str::from_utf8(self) {
            Ok(text) => json.escaped_string(text),
            Err(_) => json.object(|json| {
                let hex: String = self.iter().map(|byte| format!("{byte:02x}")).collect();
                json.member("hex", &hex[..]);
                json.member("text", &*String::from_utf8_lossy(self));
            }),
        }
    }
}

/// Null if there is none.
impl<V: Value> Value for Option<V> {
    #[inline]
    fn write(self, json: &mut Json) {
        match self {
            Some(value) => value.write(json),
            None => json.text.extend_from_slice(b"null"),
        }
    }
}
