//! The floor: a program that reads a profile and decodes all its numbers, and does nothing with them.

use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read};
use std::path::Path;

/// Returns the sum of all decimal numbers, so that none is optimized away.
pub fn decode(profile: &Path) -> io::Result<u64> {
    let mut file = File::open(profile)?;
    let mut buffer = vec![0; 64 << 10];
    let (mut sum, mut number) = (0u64, 0u64);
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(black_box(sum.wrapping_add(number)));
        }
        for byte in &buffer[..read] {
            let digit = byte.wrapping_sub(b'0');
            if digit < 10 {
                number = number.wrapping_mul(10).wrapping_add(digit.into());
            } else {
                sum = sum.wrapping_add(number);
                number = 0;
            }
        }
    }
}
