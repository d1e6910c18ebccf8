//! The two older formats: a header, one histogram, and calls up to the end of the file. That of 4.4BSD has the
//! sampling rate in its header; it is known by a number there.

use std::io::BufRead;

use super::{Bytes, GmonCause};
use crate::profile::{Overflow, RawCall, RecordCounts, Samples, Unit};

/// What the header of 4.4BSD has behind its sizes.
const VERSION: u32 = 0x0005_1879;

/// Reads a file of either format; with `is_bsd44` it has to be that of 4.4BSD.
pub(super) fn read<R: BufRead>(
    bytes: &mut Bytes<R>,
    is_bsd44: bool,
    samples: &mut Samples,
    calls: &mut dyn FnMut(RawCall) -> Result<(), Overflow>,
) -> Result<(), GmonCause> {
    // A file that is too short for the header is none of these.
    let header = |cause| match cause {
        GmonCause::Cut => GmonCause::NotGmon,
        cause => cause,
    };
    let range = (
        bytes.address().map_err(header)?,
        bytes.address().map_err(header)?,
    );
    let size = bytes.u32().map_err(header)?;
    let short = 2 * bytes.address_size() as u32 + 4;
    let (rate, header_size) = match bytes.begin_with_version(VERSION)? {
        true => {
            let rate = bytes.u32().map_err(header)?;
            bytes.array::<12>().map_err(header)?;
            (rate, short + 20)
        }
        false if is_bsd44 => return Err(GmonCause::NotGmon),
        false => (100, short),
    };
    let is_plausible = range.0 <= range.1 && size >= header_size && (size - header_size) % 2 == 0;
    if !is_plausible {
        return Err(GmonCause::NotGmon);
    }
    if rate == 0 {
        return Err(GmonCause::NoRate);
    }
    let unit = Unit {
        rate,
        ..Unit::default()
    };
    let size = (size - header_size) / 2;
    let number = samples.add_histogram(range, size, unit)?;
    let bins = bytes.bins(size)?;
    samples.add_bins(number, bins)?;
    let mut counts = RecordCounts {
        histograms: 1,
        ..RecordCounts::default()
    };
    while !bytes.is_at_end()? {
        bytes.begin_record();
        let (from, to) = (bytes.address()?, bytes.address()?);
        let count = bytes.address()?;
        calls(RawCall { from, to, count })?;
        counts.calls += 1;
    }
    samples.files.push(counts);
    Ok(())
}
