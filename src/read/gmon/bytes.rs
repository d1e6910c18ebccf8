//! Reads numbers from bytes, in the program's layout.

use std::io::{self, BufRead, Read};

use super::GmonCause;
use crate::program::NumberLayout;

/// The number of bytes of a histogram that are read at a time.
const CHUNK: usize = 32 << 10;

pub(super) struct Bytes<'i> {
    input: Box<dyn BufRead + 'i>,
    layout: NumberLayout,
    /// The number of bytes read, and the offset of the current record.
    pub(super) at: u64,
    pub(super) record: u64,
}

impl<'i> Bytes<'i> {
    pub(super) fn new(input: impl BufRead + 'i, layout: NumberLayout) -> Bytes<'i> {
        Bytes { input: Box::new(input), layout, at: 0, record: 0 }
    }

    /// The size of an address in bytes.
    pub(super) fn address_size(&self) -> usize {
        if self.layout.is_wide { 8 } else { 4 }
    }

    /// Whether the next bytes are `expected`, which are then skipped.
    pub(super) fn begin_with(&mut self, expected: &[u8]) -> Result<bool, GmonCause> {
        let mut next = Vec::new();
        let size = expected.len() as u64;
        (&mut self.input).take(size).read_to_end(&mut next)?;
        let are_next = next == expected;
        if are_next {
            self.at += size
        } else {
            let rest = std::mem::replace(&mut self.input, Box::new(io::empty()));
            self.input = Box::new(io::Cursor::new(next).chain(rest));
        }
        Ok(are_next)
    }

    /// Whether the next number is `number`, which is then skipped.
    pub(super) fn begin_with_number(&mut self, number: u32) -> Result<bool, GmonCause> {
        self.begin_with(&if self.layout.is_big_endian {
            number.to_be_bytes()
        } else {
            number.to_le_bytes()
        })
    }

    pub(super) fn is_at_end(&mut self) -> Result<bool, GmonCause> {
        loop {
            match self.input.fill_buf() {
                Ok(rest) => return Ok(rest.is_empty()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), GmonCause> {
        self.input.read_exact(bytes)?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], GmonCause> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn number_of(&self, bytes: &[u8]) -> u64 {
        let add = |number: u64, &byte: &u8| number << 8 | u64::from(byte);
        if self.layout.is_big_endian {
            bytes.iter().fold(0, add)
        } else {
            bytes.iter().rev().fold(0, add)
        }
    }

    pub(super) fn u32(&mut self) -> Result<u32, GmonCause> {
        let bytes: [u8; 4] = self.array()?;
        Ok(self.number_of(&bytes) as u32)
    }

    /// An address, or another number of its size.
    pub(super) fn address(&mut self) -> Result<u64, GmonCause> {
        if !self.layout.is_wide {
            return self.u32().map(u64::from);
        }
        let bytes: [u8; 8] = self.array()?;
        Ok(self.number_of(&bytes))
    }

    /// The bins with samples among the next `size` bins.
    pub(super) fn bins(&mut self, size: u32) -> Result<Vec<(u32, u64)>, GmonCause> {
        let mut buffer = [0; CHUNK];
        let (mut bins, mut bin) = (Vec::new(), 0);
        while bin < size {
            let left = (size - bin) as usize;
            let chunk = &mut buffer[..left.saturating_mul(2).min(CHUNK)];
            self.fill(chunk)?;
            for count in chunk.chunks_exact(2) {
                if count != [0, 0] {
                    bins.push((bin, self.number_of(count)));
                }
                bin += 1;
            }
        }
        Ok(bins)
    }
}
