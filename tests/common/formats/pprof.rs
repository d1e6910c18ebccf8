//! Reads a profile for pprof.

use std::collections::{HashMap, HashSet};
use std::io::Read;

use flate2::read::GzDecoder;

/// A profile with what it refers to by number.
pub struct Pprof {
    pub events: Vec<String>,
    /// The event that is shown first.
    pub default: String,
    pub comments: Vec<String>,
    /// The frames of each sample, innermost first, with its values.
    pub samples: Vec<(Vec<Frame>, Vec<i64>)>,
}

/// A frame of a sample.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frame {
    /// The name of the function as in the profile.
    pub name: String,
    /// The readable name, or that of a group.
    pub shown: String,
    pub file: String,
    pub line: i64,
    /// The address of the location, and the file that it is disassembled from; empty if none is.
    pub address: u64,
    pub object: String,
    /// Whether the function is inlined into that of the next frame.
    pub is_inlined: bool,
}

impl Pprof {
    pub fn read(out: &[u8]) -> Pprof {
        let mut message = Vec::new();
        GzDecoder::new(out).read_to_end(&mut message).unwrap();
        let all = fields(&message);
        let of = |number| all.iter().filter(move |field| field.0 == number);
        let names: Vec<&[u8]> = of(6).map(|field| field.2).collect();
        assert_eq!(names[0], b"");
        let name = |number: u64| String::from_utf8(names[number as usize].to_vec()).unwrap();
        let by_id = |number| {
            let messages = of(number).map(|field| (value(field.2, 1), field.2));
            messages.collect::<HashMap<u64, &[u8]>>()
        };
        let (mappings, functions, locations) = (by_id(3), by_id(5), by_id(4));
        for (number, messages) in [(5, &functions), (4, &locations)] {
            let without_id = of(number).map(|field| fields(field.2).split_off(1));
            let different: HashSet<_> = without_id.collect();
            assert_eq!(different.len(), messages.len(), "each is there once");
        }
        let mut frames_with = vec![0; locations.len() + 1];
        for id in of(2).flat_map(|field| numbers(field.2, 1)) {
            frames_with[id as usize] += 1;
        }
        assert!(frames_with[1..].is_sorted_by(|a, b| a >= b), "small ids are those of most frames");
        let frames = |location: u64| {
            let (location, mut frames) = (locations[&location], Vec::new());
            let mapping = value(location, 2);
            let object = match mapping {
                0 => String::new(),
                mapping => name(value(mappings[&mapping], 5)),
            };
            let lines = fields(location).into_iter().filter(|field| field.0 == 4);
            for (_, _, line) in lines {
                let function = functions[&value(line, 1)];
                frames.push(Frame {
                    name: name(value(function, 3)),
                    shown: name(value(function, 2)),
                    file: name(value(function, 4)),
                    line: value(line, 2) as i64,
                    address: value(location, 3),
                    object: object.clone(),
                    is_inlined: true,
                });
            }
            frames.last_mut().unwrap().is_inlined = false;
            frames
        };
        let sample = |sample| {
            let locations = numbers(sample, 1).into_iter().flat_map(frames);
            let values = numbers(sample, 2).into_iter();
            (locations.collect(), values.map(|value| value as i64).collect())
        };
        Pprof {
            events: of(1).map(|field| name(value(field.2, 1))).collect(),
            default: name(value(&message, 14)),
            comments: of(13).map(|field| name(field.1)).collect(),
            samples: of(2).map(|field| sample(field.2)).collect(),
        }
    }

    /// The events with the sums of all samples.
    pub fn sums(&self) -> Vec<(String, i128)> {
        let mut sums: Vec<_> = self.events.iter().map(|event| (event.clone(), 0)).collect();
        for (_, values) in &self.samples {
            assert_eq!(values.len(), sums.len());
            for ((_, sum), &value) in sums.iter_mut().zip(values) {
                *sum += i128::from(value);
            }
        }
        sums
    }
}

/// A number of a message, 0 if it is not there.
fn value(message: &[u8], number: u64) -> u64 {
    let found = fields(message).into_iter().find(|field| field.0 == number);
    found.map_or(0, |field| field.1)
}

/// The numbers of a packed field.
fn numbers(message: &[u8], number: u64) -> Vec<u64> {
    let found = fields(message).into_iter().find(|field| field.0 == number);
    let mut bytes = found.map_or(&[][..], |field| field.2);
    let mut numbers = Vec::new();
    while !bytes.is_empty() {
        numbers.push(varint(&mut bytes));
    }
    numbers
}

/// The fields of a protobuf message: their numbers, with a number or bytes.
fn fields(mut message: &[u8]) -> Vec<(u64, u64, &[u8])> {
    let mut fields = Vec::new();
    while !message.is_empty() {
        let key = varint(&mut message);
        let value = varint(&mut message);
        let bytes = match key & 7 {
            0 => 0,
            2 => value as usize,
            other => panic!("wire type {other}"),
        };
        let (bytes, rest) = message.split_at(bytes);
        fields.push((key >> 3, value, bytes));
        message = rest;
    }
    fields
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let length = bytes.iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
    let (number, rest) = bytes.split_at(length);
    *bytes = rest;
    let digits = number.iter().rev().map(|byte| u64::from(byte & 0x7f));
    digits.fold(0, |number, digit| number << 7 | digit)
}
