//! The messages and fields of profile.proto that are written, and how protocol buffers encode them.

use std::io::{self, Write};

use prost::Message;
use prost::encoding::WireType;

/// The number of bytes of encoded fields that are written at once.
pub(super) const BUFFER: usize = 64 << 10;

/// The tags of the fields of [`Profile`] that are written one by one.
pub(super) const SAMPLE: u32 = 2;
pub(super) const LOCATION: u32 = 4;
pub(super) const FUNCTION: u32 = 5;
pub(super) const STRING: u32 = 6;

/// The tags of the fields of a sample.
pub(super) const LOCATION_ID: u32 = 1;
pub(super) const VALUE: u32 = 2;

/// The tags of the fields of a location.
pub(super) const ID: u32 = 1;
pub(super) const MAPPING_ID: u32 = 2;
pub(super) const ADDRESS: u32 = 3;
pub(super) const LINE: u32 = 4;

/// The tags of the fields of a line of a location.
pub(super) const FUNCTION_ID: u32 = 1;
pub(super) const LINE_NUMBER: u32 = 2;

#[derive(Clone, PartialEq, Message)]
pub(super) struct Profile {
    #[prost(message, repeated, tag = "1")]
    pub(super) sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "3")]
    pub(super) mapping: Vec<Mapping>,
    #[prost(int64, repeated, tag = "13")]
    pub(super) comment: Vec<i64>,
    #[prost(int64, tag = "14")]
    pub(super) default_sample_type: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ValueType {
    #[prost(int64, tag = "1")]
    pub(super) r#type: i64,
    #[prost(int64, tag = "2")]
    pub(super) unit: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Mapping {
    #[prost(uint64, tag = "1")]
    pub(super) id: u64,
    #[prost(uint64, tag = "3")]
    pub(super) memory_limit: u64,
    #[prost(int64, tag = "5")]
    pub(super) filename: i64,
    #[prost(bool, tag = "7")]
    pub(super) has_functions: bool,
    #[prost(bool, tag = "8")]
    pub(super) has_filenames: bool,
    #[prost(bool, tag = "9")]
    pub(super) has_line_numbers: bool,
    #[prost(bool, tag = "10")]
    pub(super) has_inline_frames: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Function {
    #[prost(uint64, tag = "1")]
    pub(super) id: u64,
    #[prost(int64, tag = "2")]
    pub(super) name: i64,
    #[prost(int64, tag = "3")]
    pub(super) system_name: i64,
    #[prost(int64, tag = "4")]
    pub(super) filename: i64,
}

#[inline]
pub(super) fn push_varint(encoded: &mut Vec<u8>, value: u64) {
    let mut rest = value;
    while rest > 0x7f {
        encoded.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    encoded.push(rest as u8);
}

fn push_key(encoded: &mut Vec<u8>, tag: u32, kind: WireType) {
    push_varint(encoded, u64::from(tag) << 3 | kind as u64);
}

/// Encodes a number, unless it is 0, the default.
pub(super) fn push_number(encoded: &mut Vec<u8>, tag: u32, value: u64) {
    if value != 0 {
        push_key(encoded, tag, WireType::Varint);
        push_varint(encoded, value);
    }
}

/// Encodes a text, a message or some numbers.
pub(super) fn push_bytes(encoded: &mut Vec<u8>, tag: u32, bytes: &[u8]) {
    push_key(encoded, tag, WireType::LengthDelimited);
    push_varint(encoded, bytes.len() as u64);
    encoded.extend_from_slice(bytes);
}

/// Encodes the repeated fields of the profile and writes them.
pub(super) struct Fields<'o, W> {
    pub(super) encoded: Vec<u8>,
    pub(super) out: &'o mut W,
}

impl<W: Write> Fields<'_, W> {
    pub(super) fn add(&mut self, tag: u32, message: &impl Message) -> io::Result<()> {
        prost::encoding::message::encode(tag, message, &mut self.encoded);
        self.flush_if_full()
    }

    pub(super) fn add_bytes(&mut self, tag: u32, bytes: &[u8]) -> io::Result<()> {
        push_bytes(&mut self.encoded, tag, bytes);
        self.flush_if_full()
    }

    /// Adds all fields of a message.
    pub(super) fn add_message(&mut self, message: &Profile) -> io::Result<()> {
        self.encoded.extend(message.encode_to_vec());
        self.flush_if_full()
    }

    fn flush_if_full(&mut self) -> io::Result<()> {
        if self.encoded.len() < BUFFER { Ok(()) } else { self.flush() }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.encoded)?;
        self.encoded.clear();
        Ok(())
    }
}
