//! Writes gprof's data, in the format that begins with `gmon`.

use std::io::{self, Write};

use super::MAGIC;
use crate::profile::{BasicBlock, Histogram, RawCall, Samples, Unit};
use crate::program::NumberLayout;

pub fn write_gmon(
    samples: &Samples,
    calls: impl Iterator<Item = RawCall>,
    blocks: &[BasicBlock],
    layout: NumberLayout,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut writer = Writer { layout, out };
    writer.out.write_all(MAGIC)?;
    writer.u32(1)?;
    writer.out.write_all(&[0; 12])?;
    for histogram in samples.histograms() {
        writer.histograms(histogram, &samples.unit())?;
    }
    for call in calls {
        // A count that does not fit into a record is split into several, which the reader adds up.
        let mut left = call.count;
        loop {
            let count = u32::try_from(left).unwrap_or(u32::MAX);
            writer.out.write_all(&[1])?;
            writer.address(call.from)?;
            writer.address(call.to)?;
            writer.u32(count)?;
            left -= u64::from(count);
            if left == 0 {
                break;
            }
        }
    }
    if !blocks.is_empty() {
        writer.out.write_all(&[2])?;
        writer.u32(u32::try_from(blocks.len()).unwrap_or(u32::MAX))?;
        for block in blocks {
            writer.address(block.address)?;
            writer.address(block.count)?;
        }
    }
    Ok(())
}

struct Writer<'o, W> {
    layout: NumberLayout,
    out: &'o mut W,
}

impl<W: Write> Writer<'_, W> {
    /// Writes a number of this many bytes.
    fn number(&mut self, number: u64, size: usize) -> io::Result<()> {
        if self.layout.is_big_endian {
            self.out.write_all(&number.to_be_bytes()[8 - size..])
        } else {
            self.out.write_all(&number.to_le_bytes()[..size])
        }
    }

    fn u32(&mut self, number: u32) -> io::Result<()> {
        self.number(number.into(), 4)
    }

    fn address(&mut self, address: u64) -> io::Result<()> {
        if self.layout.is_wide {
            self.number(address, 8)
        } else {
            self.u32(u32::try_from(address).unwrap_or(u32::MAX))
        }
    }

    /// Writes a histogram, in several records if some bins do not fit into one.
    fn histograms(&mut self, histogram: &Histogram, unit: &Unit) -> io::Result<()> {
        let mut left = histogram.bins.clone();
        loop {
            self.out.write_all(&[0])?;
            self.address(histogram.start)?;
            self.address(histogram.end)?;
            self.u32(histogram.size)?;
            self.u32(unit.rate)?;
            let mut name = unit.name.clone();
            name.resize(15, 0);
            self.out.write_all(&name)?;
            self.out.write_all(&[unit.letter])?;
            for number in 0..histogram.size {
                let count = left.get_mut(&number).map_or(0, |count| {
                    let written = u16::try_from(*count).unwrap_or(u16::MAX);
                    *count -= u64::from(written);
                    written
                });
                self.number(count.into(), 2)?;
            }
            left.retain(|_, count| *count > 0);
            if left.is_empty() {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{GmonFormat, read_gmon};
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for (is_wide, is_big_endian) in [(true, false), (true, true), (false, false), (false, true)]
        {
            let layout = NumberLayout { is_wide, is_big_endian };
            let mut samples = Samples::default();
            let number = samples.add_histogram((64, 104), 10, Unit::default());
            samples.add_bins(number.unwrap(), vec![(2, 7), (9, 200_000)]).unwrap();
            let calls = [(1, 2, 3), (4, 5, 1 << 33)];
            let calls = calls.map(|(from, to, count)| RawCall { from, to, count });
            let blocks = [(70, 5), (80, 0)].map(|(address, count)| BasicBlock { address, count });
            let mut bytes = Vec::new();
            write_gmon(&samples, calls.into_iter(), &blocks, layout, &mut bytes).unwrap();
            let (mut read, mut sum) = (Samples::default(), 0);
            let mut add = |call: RawCall| sum += call.count;
            read_gmon(&bytes[..], layout, GmonFormat::Auto, &mut read, &mut add).unwrap();
            assert_eq!(read.histograms(), samples.histograms());
            assert_eq!((&read.blocks[..], sum), (&blocks[..], 3 + (1 << 33)));
            // Every cut is refused, but for those between records.
            let mut whole = 0;
            for end in 0..bytes.len() {
                let mut samples = Samples::default();
                let format = GmonFormat::Magic;
                let read = read_gmon(&bytes[..end], layout, format, &mut samples, &mut drop);
                whole += u32::from(read.is_ok());
            }
            let (histograms, calls) = (4, 4);
            assert_eq!(whole, 1 + histograms + calls, "{layout:?}");
        }
    }
}
