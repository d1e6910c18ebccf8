//! gprof's data, which a program compiled with `-pg` writes: histograms of samples, counts of calls
//! and of basic blocks, in the format that begins with `gmon`, or in one of the two older ones
//! without such a mark.
//!
//! What its files say of a program is a [`Recording`]: the samples and calls of the program's
//! places. gprof's views show it as it is; all other reports show the profile that it is added to.
//!
//! No memory is allocated for a size that the file states: bins and blocks are read one by one.

mod bytes;
mod costs;
mod places;
mod recording;
mod write;

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use thiserror::Error;

use crate::io_text::io_text;
use crate::profile::{BasicBlock, Mismatch, Overflow, RawCall, RecordCounts, Samples, Unit};
use crate::program::NumberLayout;
use crate::read::gmon::bytes::Bytes;
pub use crate::read::gmon::costs::Origin;
pub use crate::read::gmon::places::ProgramPlaces;
pub use crate::read::gmon::recording::{RecordedCalls, Recording, covered_bins, is_measuring};
pub use crate::read::gmon::write::write_gmon;
use crate::read::input::{open_bytes, unpacked};

/// The first bytes of a file of the newer format.
const MAGIC: &[u8; 4] = b"gmon";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GmonFormat {
    /// Recognized by the contents of the file.
    #[default]
    Auto,
    /// The one that begins with `gmon`.
    Magic,
    /// The oldest one.
    Bsd,
    Bsd44,
}

/// Reads a file into `samples`, and passes calls to `calls`. After an error `samples` is
/// unspecified.
fn read_gmon(
    input: impl BufRead,
    layout: NumberLayout,
    format: GmonFormat,
    samples: &mut Samples,
    calls: &mut dyn FnMut(RawCall),
) -> Result<(), GmonError> {
    let mut bytes = Bytes::new(input, layout);
    let begins = bytes.begin_with(MAGIC);
    let done = begins.and_then(|has_magic| match (format, has_magic) {
        (_, false) if bytes.is_at_end()? => Err(GmonCause::Empty),
        (GmonFormat::Auto | GmonFormat::Magic, true) => read_records(&mut bytes, samples, calls),
        (GmonFormat::Magic, false) => Err(GmonCause::NoMagic),
        (GmonFormat::Bsd | GmonFormat::Bsd44, true) => Err(GmonCause::HasMagic),
        (_, false) => read_older(&mut bytes, format == GmonFormat::Bsd44, samples, calls),
    });
    done.map_err(|cause| {
        use GmonCause::{Empty, HasMagic, Io, NotGmon};
        let is_of_file = matches!(cause, Io(_) | Empty | HasMagic | NotGmon);
        let offset = (!is_of_file).then_some(bytes.record);
        GmonError { offset, cause }
    })
}

/// Whether a file, which may be compressed, says that it is gprof's data: it begins with `gmon`, or
/// has the header of 4.4BSD, which NetBSD and NuttX write. The oldest format has no mark. Standard
/// input stays unread: its first bytes remain in the buffer through which all of it is read.
pub fn is_gmon(path: &Path) -> bool {
    if path != Path::new("-") {
        return path.is_file() && open(path).and_then(head).is_ok_and(|head| begins_as_gmon(&head));
    }
    io::stdin().lock().fill_buf().is_ok_and(|bytes| {
        // A pipe may first return fewer bytes than the magic has.
        let is_cut = !bytes.is_empty() && bytes.len() < MAGIC.len() && MAGIC.starts_with(bytes);
        let head = || unpacked(bytes).and_then(|(bytes, _)| head(bytes));
        is_cut || head().is_ok_and(|head| begins_as_gmon(&head))
    })
}

/// Whether a file, which may be compressed, is no text: all of gprof's formats have bytes of 0 in
/// their headers, and sources have none.
pub fn is_binary(path: &Path) -> bool {
    let head = || open(path).and_then(head);
    path.is_file() && head().is_ok_and(|head| memchr::memchr(0, &head).is_some())
}

/// The number of bytes of the longest header.
const HEAD_SIZE: u64 = 44;

fn head(input: impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    input.take(HEAD_SIZE).read_to_end(&mut head)?;
    Ok(head)
}

fn begins_as_gmon(head: &[u8]) -> bool {
    // Behind two addresses and a size, on machines of 32 and of 64 bits, of either byte order.
    let has_version = |at: usize| {
        let version = head.get(at..at + 4).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
        version.is_some_and(|bytes| {
            u32::from_le_bytes(bytes) == VERSION || u32::from_be_bytes(bytes) == VERSION
        })
    };
    head.starts_with(MAGIC) || [4, 8].into_iter().any(|size| has_version(2 * size + 4))
}

/// Opens a file, which may be compressed. `-` is standard input.
pub fn open(path: &Path) -> io::Result<impl BufRead> {
    Ok(BufReader::new(unpacked(open_bytes(path)?)?.0))
}

/// Why a file was not read, and the record with the problem.
#[derive(Debug, Error)]
#[error("{}{cause}", .offset.map(|offset| format!("offset {offset}: ")).unwrap_or_default())]
pub struct GmonError {
    /// The offset of the record, if it is about one.
    offset: Option<u64>,
    cause: GmonCause,
}

#[derive(Debug, Error)]
enum GmonCause {
    #[error("{}", io_text(.0))]
    Io(io::Error),
    #[error("the file is empty")]
    Empty,
    #[error("the file ends within its header")]
    NoHeader,
    #[error("the file does not begin with 'gmon'")]
    NoMagic,
    #[error("the file begins with 'gmon', which is not the format of -O")]
    HasMagic,
    #[error("not a gprof profile of this program")]
    NotGmon,
    #[error("unsupported format version {0} (only 0 and 1)")]
    Version(u32),
    #[error("a record of unknown type {0}; the file is damaged")]
    Tag(u8),
    #[error("the file ends within this record")]
    Cut,
    #[error("a histogram that ends before it begins")]
    Range,
    #[error("a histogram of 0 samples per unit")]
    NoRate,
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    #[error("64-bit overflow in a sum of counts")]
    Overflow(#[from] Overflow),
}

impl From<io::Error> for GmonCause {
    fn from(error: io::Error) -> GmonCause {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => GmonCause::Cut,
            _ => GmonCause::Io(error),
        }
    }
}

/// What is wrong with a header: `cut` if the file ends within it.
fn in_header(cause: GmonCause, cut: GmonCause) -> GmonCause {
    match cause {
        GmonCause::Cut => cut,
        cause => cause,
    }
}

/// The version in the header of 4.4BSD, after its sizes.
const VERSION: u32 = 0x0005_1879;

/// Reads a file of either older format; with `is_bsd44` it has to be that of 4.4BSD.
fn read_older(
    bytes: &mut Bytes<'_>,
    is_bsd44: bool,
    samples: &mut Samples,
    calls: &mut dyn FnMut(RawCall),
) -> Result<(), GmonCause> {
    // A file that is too short for the header has none of these formats.
    let header = |cause| in_header(cause, GmonCause::NotGmon);
    let mut start = || Ok(((bytes.address()?, bytes.address()?), bytes.u32()?));
    let (range, size) = start().map_err(header)?;
    let short = 2 * bytes.address_size() as u32 + 4;
    let (rate, header_size) = if bytes.begin_with_number(VERSION)? {
        let rate = bytes.u32().map_err(header)?;
        bytes.array::<12>().map_err(header)?;
        (rate, short + 20)
    } else if is_bsd44 {
        return Err(GmonCause::NotGmon);
    } else {
        (100, short)
    };
    let is_plausible = range.0 <= range.1 && size >= header_size && (size - header_size) % 2 == 0;
    if !is_plausible {
        return Err(GmonCause::NotGmon);
    }
    if rate == 0 {
        return Err(GmonCause::NoRate);
    }
    let unit = Unit { rate, ..Unit::default() };
    let size = (size - header_size) / 2;
    let number = samples.add_histogram(range, size, unit)?;
    let bins = bytes.bins(size)?;
    samples.add_bins(number, bins)?;
    let mut counts = RecordCounts { histograms: 1, ..RecordCounts::default() };
    while !bytes.is_at_end()? {
        bytes.record = bytes.at;
        let (from, to) = (bytes.address()?, bytes.address()?);
        let count = bytes.address()?;
        samples.spend(count)?;
        calls(RawCall { from, to, count });
        counts.calls += 1;
    }
    samples.files.push(counts);
    Ok(())
}

/// The types of records.
const HISTOGRAM: u8 = 0;
const CALL: u8 = 1;
const BLOCKS: u8 = 2;

fn read_records(
    bytes: &mut Bytes<'_>,
    samples: &mut Samples,
    calls: &mut dyn FnMut(RawCall),
) -> Result<(), GmonCause> {
    let header = |cause| in_header(cause, GmonCause::NoHeader);
    let version = bytes.u32().map_err(header)?;
    if version > 1 {
        return Err(GmonCause::Version(version));
    }
    bytes.array::<12>().map_err(header)?;
    let mut counts = RecordCounts { version: Some(version), ..RecordCounts::default() };
    while !bytes.is_at_end()? {
        bytes.record = bytes.at;
        let [tag] = bytes.array()?;
        match tag {
            HISTOGRAM => {
                histogram(bytes, samples)?;
                counts.histograms += 1;
            }
            CALL => {
                let (from, to) = (bytes.address()?, bytes.address()?);
                let count = u64::from(bytes.u32()?);
                samples.spend(count)?;
                calls(RawCall { from, to, count });
                counts.calls += 1;
            }
            BLOCKS => {
                for _ in 0..bytes.u32()? {
                    let (address, count) = (bytes.address()?, bytes.address()?);
                    samples.spend(count)?;
                    samples.blocks.push(BasicBlock { address, count });
                }
                counts.blocks += 1;
            }
            tag => return Err(GmonCause::Tag(tag)),
        }
    }
    samples.files.push(counts);
    Ok(())
}

fn histogram(bytes: &mut Bytes<'_>, samples: &mut Samples) -> Result<(), GmonCause> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_files_of_the_oldest_format() {
        let layout = NumberLayout { is_wide: false, is_big_endian: false };
        let (cut, other) =
            ("offset 14: the file ends within this record", "not a gprof profile of this program");
        // The range of the code, the size of all before the calls, of which two bytes are a bin,
        // and a part of a call.
        let table: [(&[u32], &str); 4] = [
            (&[0, 4, 14, 0x9_0000, 0], cut),
            (&[0, 4, 15, 0x9_0000, 0], other),
            (&[0, 4], other),
            (&[], "the file is empty"),
        ];
        for (words, expected) in table {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let (format, mut samples) = (GmonFormat::Auto, Samples::default());
            let read = read_gmon(&bytes[..], layout, format, &mut samples, &mut drop);
            assert_eq!(read.unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn histograms_have_a_rate() {
        let layout = NumberLayout { is_wide: false, is_big_endian: false };
        let [histogram, seconds] = [&b"\0"[..], b"seconds\0\0\0\0\0\0\0\0s"];
        let words =
            |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|w| w.to_le_bytes()).collect() };
        // The addresses of the code, the number of bins, and the rate.
        for (rate, is_read) in [(100, true), (0, false)] {
            let record = [histogram, &words(&[0, 4, 1, rate]), seconds, b"\x01\0"].concat();
            let file = [b"gmon", &words(&[1])[..], &[0; 12], &record].concat();
            let (format, mut samples) = (GmonFormat::Auto, Samples::default());
            let read = read_gmon(&file[..], layout, format, &mut samples, &mut drop);
            assert_eq!(read.is_ok(), is_read, "{rate}: {read:?}");
        }
    }
}
