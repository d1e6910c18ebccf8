//! The format that begins with `gmon`: a header, and records that each begin with their type.

use std::io::BufRead;

use super::{Bytes, GmonCause};
use crate::profile::{Block, Overflow, RawCall, RecordCounts, Samples, Unit};

/// The types of records.
const HISTOGRAM: u8 = 0;
const CALL: u8 = 1;
const BLOCKS: u8 = 2;

/// Reads what follows the mark.
pub(super) fn read<R: BufRead>(
    bytes: &mut Bytes<R>,
    samples: &mut Samples,
    calls: &mut dyn FnMut(RawCall) -> Result<(), Overflow>,
) -> Result<(), GmonCause> {
    let header = |cause| match cause {
        GmonCause::Cut => GmonCause::NoHeader,
        cause => cause,
    };
    let version = bytes.u32().map_err(header)?;
    if version > 1 {
        return Err(GmonCause::Version(version));
    }
    bytes.array::<12>().map_err(header)?;
    let mut counts = RecordCounts {
        version: Some(version),
        ..RecordCounts::default()
    };
    while !bytes.is_at_end()? {
        bytes.begin_record();
        let [tag] = bytes.array()?;
        match tag {
            HISTOGRAM => {
                histogram(bytes, samples)?;
                counts.histograms += 1;
            }
            CALL => {
                let (from, to) = (bytes.address()?, bytes.address()?);
                let count = u64::from(bytes.u32()?);
                calls(RawCall { from, to, count })?;
                counts.calls += 1;
            }
            BLOCKS => {
                for _ in 0..bytes.u32()? {
                    let (address, count) = (bytes.address()?, bytes.address()?);
                    samples.blocks.push(Block { address, count });
                }
                counts.blocks += 1;
            }
            tag => return Err(GmonCause::Tag(tag)),
        }
    }
    samples.files.push(counts);
    Ok(())
}

fn histogram<R: BufRead>(bytes: &mut Bytes<R>, samples: &mut Samples) -> Result<(), GmonCause> {
    let range = (bytes.address()?, bytes.address()?);
    let (size, rate) = (bytes.u32()?, bytes.u32()?);
    let name: [u8; 15] = bytes.array()?;
    let [letter] = bytes.array()?;
    if size > 0 && range.1 < range.0 {
        return Err(GmonCause::Range);
    }
    if rate == 0 {
        return Err(GmonCause::NoRate);
    }
    let name = name.split(|&b| b == 0).next().unwrap_or_default().to_vec();
    let unit = Unit { name, letter, rate };
    let number = samples.add_histogram(range, size, unit)?;
    let bins = bytes.bins(size)?;
    Ok(samples.add_bins(number, bins)?)
}
