//! The direct calls in the code of a program for x86, as gprof finds them: by the byte of the call
//! instruction, wherever it is.

use object::{Architecture, Object, ObjectSection, SectionKind};

use crate::program::{Elf, Program, ProgramError, parse};

/// A call instruction and the address that it calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectCall {
    pub address: u64,
    pub target: u64,
}

/// The byte with which a near call begins; a distance of 32 bits follows.
const NEAR_CALL: u8 = 0xe8;

/// The size of a near call.
const SIZE: usize = 5;

impl Program {
    /// The near calls of a program for x86 whose targets `is_start` accepts; none for other
    /// machines.
    pub fn near_calls(
        &self,
        is_start: impl Fn(u64) -> bool,
    ) -> Result<Option<Vec<DirectCall>>, ProgramError> {
        let elf = parse(&self.cache)?;
        match elf.architecture() {
            Architecture::I386 | Architecture::X86_64 | Architecture::X86_64_X32 => {}
            _ => return Ok(None),
        }
        let mut calls = Vec::new();
        for section in code_of(&elf) {
            let (start, bytes) = (section.address(), section.data()?);
            let found = near_calls(start, bytes, self.layout.is_wide);
            calls.extend(found.filter(|call| is_start(call.target)));
        }
        Ok(Some(calls))
    }
}

/// The section `.text`, which is all that gprof reads; every section with code in a program without
/// it.
fn code_of<'e, 'p>(elf: &'e Elf<'p>) -> Vec<object::Section<'p, 'e, &'p super::Cache>> {
    if let Some(text) = elf.section_by_name(".text") {
        return vec![text];
    }
    elf.sections().filter(|section| section.kind() == SectionKind::Text).collect()
}

/// All places where a near call may be, with its target.
fn near_calls(start: u64, bytes: &[u8], is_wide: bool) -> impl Iterator<Item = DirectCall> {
    let calls = bytes.windows(SIZE).zip(start..).filter(|(code, _)| code[0] == NEAR_CALL);
    calls.map(move |(code, address)| {
        let distance = i32::from_le_bytes([code[1], code[2], code[3], code[4]]);
        let target = address.wrapping_add(SIZE as u64).wrapping_add_signed(distance.into());
        let target = if is_wide { target } else { target & u64::from(u32::MAX) };
        DirectCall { address, target }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_at_every_byte() {
        /// The bytes, and for each call its address and target.
        type Row = (&'static [u8], &'static [(u64, u64)]);
        let table: [Row; 5] = [
            (&[0xe8, 0, 0, 0], &[]),
            (&[0x90, 0xe8, 0x10, 0, 0, 0], &[(0x1001, 0x1016)]),
            (&[0xe8, 0xfb, 0xff, 0xff, 0xff], &[(0x1000, 0x1000)]),
            (&[0xe8, 0xe8, 0, 0, 0, 0], &[(0x1000, 0x10ed), (0x1001, 0x1006)]),
            (&[0xff, 0xd0, 0xeb, 0x21, 0xc3], &[]),
        ];
        for (bytes, expected) in table {
            let calls: Vec<_> =
                near_calls(0x1000, bytes, true).map(|call| (call.address, call.target)).collect();
            assert_eq!(calls, expected, "{bytes:x?}");
        }
        let call = |is_wide| near_calls(0x10, &[0xe8, 0, 0, 0, 0x80], is_wide).next().unwrap();
        assert_eq!(call(false).target, 0x8000_0015);
        assert_eq!(call(true).target, 0xffff_ffff_8000_0015);
    }
}
