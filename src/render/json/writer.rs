//! The text of JSON: serde's structs, written as reports spell names and numbers.
//!
//! This is a serializer of its own because names are bytes, counts may be divided by a unit, and
//! reports are long: with serde_json's, which copies and searches each name of a member, a report
//! took 1.66 times the instructions.

use std::fmt::{self, Write as _};
use std::io;

#[cfg(test)]
use schemars::JsonSchema;
use serde::ser::{
    Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple, Serializer,
};

use crate::render::number::{push_count, push_digits};
use crate::render::{are_all, is_control};

/// Appends a value; `unit` is the divisor of counts.
pub(in crate::render) fn write_value(
    value: &impl Serialize,
    unit: i64,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    value.serialize(&mut Writer { out, unit, is_name: false }).map_err(io::Error::other)
}

/// Appends values to a JSON text without spaces.
///
/// - Bytes are text of a profile: a string, or a [`NotUtf8`].
/// - All control characters and invisible characters are escaped, including those that JSON allows,
///   because the output may be a terminal.
/// - Signed numbers are counts, which are divided by the unit of the report.
struct Writer<'o> {
    out: &'o mut Vec<u8>,
    unit: i64,
    /// Whether the next string is the name of a field, which needs no escapes. Names of members
    /// that have a text of the profile are of a type of their own.
    is_name: bool,
}

/// A text that is not UTF-8.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct NotUtf8 {
    /// The bytes, each as two hexadecimal digits.
    #[cfg_attr(test, schemars(regex(pattern = "^([0-9a-f]{2})*$")))]
    hex: String,
    /// The text with U+FFFD in place of what is not UTF-8.
    text: String,
}

/// The maximum length of a member's name.
const MAX_NAME: usize = 28;

impl Writer<'_> {
    /// Appends a comma, unless the next element or member is the first.
    #[inline(always)]
    fn separate(&mut self) {
        if !matches!(self.out.last(), Some(b'[' | b'{')) {
            self.out.push(b',');
        }
    }

    /// Appends the name of a member, without escapes and of at most [`MAX_NAME`] bytes; its value
    /// is next. (Inlined, and a first name is appended with the `{` before it, so that most lengths
    /// are constants.)
    #[inline(always)]
    fn name(&mut self, name: &str) {
        let is_first = self.out.last() == Some(&b'{');
        if is_first {
            self.out.pop();
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
        self.out.extend_from_slice(&text[..length]);
    }

    #[inline(always)]
    fn plain_string(&mut self, text: &[u8]) {
        self.out.reserve(text.len() + 2);
        self.out.push(b'"');
        self.out.extend_from_slice(text);
        self.out.push(b'"');
    }

    #[cold]
    fn escaped_string(&mut self, text: &str) {
        let mut escaped = String::with_capacity(text.len() + 2);
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
                        // Writing to memory cannot fail.
                        let _ = write!(escaped, "\\u{unit:04x}");
                    }
                    continue;
                }
                _ => {
                    escaped.push(c);
                    continue;
                }
            };
            escaped.extend(['\\', short]);
        }
        self.plain_string(escaped.as_bytes());
    }
}

/// Whether a text needs no escapes, as most do not.
fn is_plain(text: &[u8]) -> bool {
    are_all(text, |b| matches!(b, b' '..=b'~') & (b != b'"') & (b != b'\\'))
}

type Written = Result<(), fmt::Error>;

impl<'w, 'o> Serializer for &'w mut Writer<'o> {
    type Ok = ();
    type Error = fmt::Error;
    // A writer needs to know nothing but the last byte to continue a list or an object.
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    // The structs of reports have none of these.
    type SerializeTupleStruct = Impossible<(), fmt::Error>;
    type SerializeTupleVariant = Impossible<(), fmt::Error>;
    type SerializeStructVariant = Impossible<(), fmt::Error>;

    /// Text of a profile.
    #[inline]
    fn serialize_bytes(self, text: &[u8]) -> Written {
        if is_plain(text) {
            self.plain_string(text);
            return Ok(());
        }
        match std::str::from_utf8(text) {
            Ok(text) => self.escaped_string(text),
            Err(_) => {
                let hex = text.iter().map(|byte| format!("{byte:02x}")).collect();
                let text = String::from_utf8_lossy(text).into_owned();
                NotUtf8 { hex, text }.serialize(self)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn serialize_str(self, text: &str) -> Written {
        if self.is_name || is_plain(text.as_bytes()) {
            self.plain_string(text.as_bytes());
        } else {
            self.escaped_string(text);
        }
        Ok(())
    }

    fn serialize_char(self, c: char) -> Written {
        self.serialize_str(c.encode_utf8(&mut [0; 4]))
    }

    /// A count.
    #[inline]
    fn serialize_i64(self, count: i64) -> Written {
        push_count(count, self.unit, self.out);
        Ok(())
    }

    fn serialize_i32(self, count: i32) -> Written {
        self.serialize_i64(count.into())
    }

    fn serialize_i16(self, count: i16) -> Written {
        self.serialize_i64(count.into())
    }

    fn serialize_i8(self, count: i8) -> Written {
        self.serialize_i64(count.into())
    }

    #[inline]
    fn serialize_u64(self, number: u64) -> Written {
        push_digits(number, self.out);
        Ok(())
    }

    #[inline]
    fn serialize_u32(self, number: u32) -> Written {
        self.serialize_u64(number.into())
    }

    fn serialize_u16(self, number: u16) -> Written {
        self.serialize_u64(number.into())
    }

    fn serialize_u8(self, number: u8) -> Written {
        self.serialize_u64(number.into())
    }

    /// Null if it is infinite or not a number.
    fn serialize_f64(self, number: f64) -> Written {
        let text = match number.abs() {
            size if !size.is_finite() => "null".to_owned(),
            1e-5..1e-4 => number.to_string(),
            _ => format!("{number:?}"),
        };
        self.out.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn serialize_f32(self, number: f32) -> Written {
        self.serialize_f64(number.into())
    }

    fn serialize_bool(self, is: bool) -> Written {
        let text = if is { "true" } else { "false" };
        self.out.extend_from_slice(text.as_bytes());
        Ok(())
    }

    #[inline]
    fn serialize_none(self) -> Written {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)
    }

    #[inline]
    fn serialize_unit(self) -> Written {
        self.out.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Written {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Written {
        self.serialize_str(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Written {
        self.is_name = false;
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Written {
        Err(fmt::Error)
    }

    #[inline]
    fn serialize_seq(self, _length: Option<usize>) -> Result<Self, fmt::Error> {
        self.out.push(b'[');
        Ok(self)
    }

    #[inline]
    fn serialize_tuple(self, _length: usize) -> Result<Self, fmt::Error> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        _length: usize,
    ) -> Result<Self::SerializeTupleStruct, fmt::Error> {
        Err(fmt::Error)
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _length: usize,
    ) -> Result<Self::SerializeTupleVariant, fmt::Error> {
        Err(fmt::Error)
    }

    #[inline]
    fn serialize_map(self, _length: Option<usize>) -> Result<Self, fmt::Error> {
        self.out.push(b'{');
        Ok(self)
    }

    #[inline]
    fn serialize_struct(self, _name: &'static str, _length: usize) -> Result<Self, fmt::Error> {
        self.serialize_map(None)
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _length: usize,
    ) -> Result<Self::SerializeStructVariant, fmt::Error> {
        Err(fmt::Error)
    }
}

impl SerializeSeq for &mut Writer<'_> {
    type Ok = ();
    type Error = fmt::Error;

    #[inline]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, element: &T) -> Written {
        self.separate();
        element.serialize(&mut **self)
    }

    #[inline]
    fn end(self) -> Written {
        self.out.push(b']');
        Ok(())
    }
}

impl SerializeTuple for &mut Writer<'_> {
    type Ok = ();
    type Error = fmt::Error;

    #[inline]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, element: &T) -> Written {
        SerializeSeq::serialize_element(self, element)
    }

    #[inline]
    fn end(self) -> Written {
        SerializeSeq::end(self)
    }
}

impl SerializeStruct for &mut Writer<'_> {
    type Ok = ();
    type Error = fmt::Error;

    #[inline(always)]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        self.name(name);
        value.serialize(&mut **self)
    }

    #[inline]
    fn end(self) -> Written {
        self.out.push(b'}');
        Ok(())
    }
}

impl SerializeMap for &mut Writer<'_> {
    type Ok = ();
    type Error = fmt::Error;

    /// Writes the name of a member.
    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> Written {
        self.separate();
        self.is_name = true;
        let written = name.serialize(&mut **self);
        self.is_name = false;
        written
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.out.push(b':');
        value.serialize(&mut **self)
    }

    #[inline]
    fn end(self) -> Written {
        SerializeStruct::end(self)
    }
}

/// The text of a value, for tests.
#[cfg(test)]
pub(super) fn text_of(value: &impl Serialize) -> String {
    let mut text = Vec::new();
    write_value(value, 1, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::json::value::{Name, Number};

    #[test]
    fn names_are_strings_unless_they_are_not_utf8() {
        let table: [(&[u8], &str); 9] = [
            (b"main", r#""main""#),
            (b"", r#""""#),
            (b"operator\"\"_x", r#""operator\"\"_x""#),
            (b"C:\\a", r#""C:\\a""#),
            (b"a\tb\nc\x08\x0c\r", r#""a\tb\nc\b\f\r""#),
            (b"\x1b[31m\x7f", r#""\u001b[31m\u007f""#),
            ("größe\u{202e}\u{9b}".as_bytes(), r#""größe\u202e\u009b""#),
            ("\u{e0001}".as_bytes(), r#""\udb40\udc01""#),
            (b"\xffa\"", "{\"hex\":\"ff6122\",\"text\":\"\u{fffd}a\\\"\"}"),
        ];
        for (name, expected) in table {
            assert_eq!(text_of(&Name(name)), expected);
        }
    }

    #[test]
    fn texts_of_our_own_are_escaped_as_names_are() {
        for text in ["a\"b", "a\u{9b}b", "a\x1bb\\", "ü"] {
            assert_eq!(text_of(&text), text_of(&Name(text.as_bytes())));
        }
    }

    #[test]
    fn counts_are_exact_or_divided_by_the_unit() {
        let table = [
            (i64::MIN, 1, "-9223372036854775808"),
            (i64::MAX, 1, "9223372036854775807"),
            (0, 1, "0"),
            (1_500, 1_000, "1.500000"),
            (-1, 3, "-0.333333"),
        ];
        for (count, unit, expected) in table {
            let mut text = Vec::new();
            write_value(&Number(count), unit, &mut text).unwrap();
            assert_eq!(text, expected.as_bytes());
        }
        // Numbers of rows and lines are not counts.
        let mut text = Vec::new();
        write_value(&(12u32, 12usize), 1_000, &mut text).unwrap();
        assert_eq!(text, b"[12,12]");
    }

    #[test]
    fn other_numbers_have_decimals_and_small_ones_no_exponent() {
        let table = [
            (1.0, "1.0"),
            (0.25, "0.25"),
            (0.000_012_34, "0.00001234"),
            (-0.000_05, "-0.00005"),
            (1.5e-6, "1.5e-6"),
            (1e16, "1e16"),
            (f64::NAN, "null"),
            (f64::INFINITY, "null"),
        ];
        for (number, expected) in table {
            assert_eq!(text_of(&number), expected);
        }
    }
}
