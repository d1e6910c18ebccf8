//! Reads what a profile for pprof costs.

use std::io::Read;

use flate2::read::GzDecoder;

/// The events with the sums of all samples.
pub fn sums(out: &[u8]) -> Vec<(Vec<u8>, i64)> {
    let mut message = Vec::new();
    GzDecoder::new(out).read_to_end(&mut message).unwrap();
    let all = fields(&message);
    let of = |number| all.iter().filter(move |field| field.0 == number);
    let names: Vec<&[u8]> = of(6).map(|field| field.2).collect();
    assert_eq!(names[0], b"");
    let events = of(1).map(|field| names[fields(field.2)[0].1 as usize]);
    let mut sums: Vec<_> = events.map(|event| (event.to_vec(), 0)).collect();
    for (_, _, sample) in of(2) {
        let values = fields(sample).into_iter().find(|field| field.0 == 2);
        let mut values = values.unwrap().2;
        for (_, sum) in &mut sums {
            *sum += varint(&mut values) as i64;
        }
        assert!(values.is_empty());
    }
    sums
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
