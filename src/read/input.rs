//! Input: a file or standard input, plain or gzip, in chunks of whole lines. Buffers have a fixed
//! size.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::GzDecoder;

use super::fast_line;
use super::part_name::file_of;
use super::warning::ErrorKind;

/// The number of bytes that are read at a time: few when fuzzing, so that inputs have chunks for
/// several threads.
pub(super) const CHUNK: usize = if cfg!(fuzzing) { 128 } else { 96 << 10 };

/// The start of a block.
const FUNCTION: &[u8; 4] = b"\nfn=";

/// The size in bytes from which a block is cut.
const MAX_BLOCK: usize = CHUNK / 3 * 8;

/// The maximum length of a line in bytes. The longest names of real programs, C++ template
/// instances with their calling context, have about ten thousand.
const MAX_LINE: usize = 1 << 20;

/// A byte order mark, which some editors and shells write before a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The first bytes of compressed files that cannot be read, and the programs that unpack them.
const UNSUPPORTED: [(&[u8], &str); 3] =
    [(b"\x28\xb5\x2f\xfd", "zstd"), (b"\xfd7zXZ\0", "xz"), (b"BZh", "bzip2")];

/// The first bytes of a compressed file that can be read.
const GZIP: &[u8] = b"\x1f\x8b";

/// The bytes of a file. `-` is standard input.
pub(super) fn open_bytes(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    Ok(Box::new(File::open(file_of(path))?))
}

/// The bytes, unpacked if they are gzip data, and the first of them as they were read.
pub(super) fn unpacked<'r>(
    mut input: impl Read + Send + 'r,
) -> io::Result<(Box<dyn Read + Send + 'r>, Vec<u8>)> {
    // A pipe may first return fewer bytes than identify a compressed file.
    let mut start = Vec::new();
    input.by_ref().take(6).read_to_end(&mut start)?;
    let is_gzip = start.starts_with(GZIP);
    let input = Cursor::new(start.clone()).chain(input);
    let bytes: Box<dyn Read + Send> = if is_gzip {
        let input = BufReader::with_capacity(CHUNK / 4, input);
        Box::new(GzipMembers(Some(GzDecoder::new(input))))
    } else {
        Box::new(input)
    };
    Ok((bytes, start))
}

/// gzip data: members one after another, and perhaps zeros at the end, which tapes and disks are
/// padded with. The decoder of the current member; none at the end.
struct GzipMembers<R: BufRead>(Option<GzDecoder<R>>);

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.0 {
            let read = decoder.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let rest =
                self.0.take().map(GzDecoder::into_inner).map(after_padding).transpose()?.flatten();
            self.0 = rest.map(GzDecoder::new);
        }
        Ok(0)
    }
}

/// What follows a member; none if there are only zeros.
fn after_padding<R: BufRead>(mut input: R) -> io::Result<Option<R>> {
    loop {
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        if zeros < bytes.len() {
            input.consume(zeros);
            return Ok(Some(input));
        }
        input.consume(zeros);
    }
}

/// Opens a profile. `-` is standard input. The number of bytes read is added to `count`.
pub(super) fn open(path: &Path, count: &Arc<AtomicU64>) -> Result<ProfileBytes, ErrorKind> {
    let (input, count) = (open_bytes(path)?, Arc::clone(count));
    if path != Path::new("-") && path.is_dir() {
        return Err(ErrorKind::Directory);
    }
    ProfileBytes::new(CountingReader { input, count })
}

/// Counts the bytes read, for the progress bar.
struct CountingReader<R> {
    input: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.count.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

pub(super) struct ProfileBytes {
    bytes: Box<dyn Read + Send>,
    /// The start of the next line, already read.
    partial_line: Vec<u8>,
    pub(super) is_gzip: bool,
    has_lines: bool,
    /// Whether the gzip data is damaged, cut short, or followed by something else.
    pub(super) is_corrupt: bool,
}

impl ProfileBytes {
    pub(super) fn new(input: impl Read + Send + 'static) -> Result<ProfileBytes, ErrorKind> {
        let (bytes, start) = unpacked(input)?;
        for (magic, program) in UNSUPPORTED {
            if start.starts_with(magic) {
                return Err(ErrorKind::Compressed(program));
            }
        }
        Ok(ProfileBytes {
            bytes,
            partial_line: Vec::new(),
            is_gzip: start.starts_with(GZIP),
            has_lines: false,
            is_corrupt: false,
        })
    }

    /// Replaces `lines` by the next lines, without a byte order mark before the first; false at the
    /// end of the file.
    pub(super) fn read_lines(&mut self, lines: &mut Vec<u8>) -> Result<bool, ErrorKind> {
        let is_first = !self.has_lines;
        let is_any = self.read_whole_lines(lines)?;
        self.has_lines |= is_any;
        if is_first && lines.starts_with(BYTE_ORDER_MARK) {
            lines.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(is_any)
    }

    /// Replaces `lines` by the next lines, each with its newline, which is added to a last line
    /// without. False at the end of the file.
    fn read_whole_lines(&mut self, lines: &mut Vec<u8>) -> Result<bool, ErrorKind> {
        if self.is_corrupt {
            return Ok(false);
        }
        let mut filled = self.partial_line.len();
        let mut searched = filled;
        lines.resize(lines.len().max(filled), 0);
        lines[..filled].copy_from_slice(&self.partial_line);
        self.partial_line.clear();
        loop {
            if filled >= MAX_LINE {
                return Err(ErrorKind::LongLine);
            }
            // New room is filled with zeros, so a small file gets little.
            let min_room = if self.has_lines { CHUNK } else { CHUNK / 8 };
            let room = filled.max(CHUNK / 2) + CHUNK / 2;
            let room = room.min(lines.capacity().max(2 * filled).max(min_room));
            // `Chunk::lex` appends that many newlines.
            lines.reserve_exact((room + fast_line::MAX_FAST_LINE).saturating_sub(lines.len()));
            lines.resize(lines.len().max(room), 0);
            let read = match self.bytes.read(&mut lines[filled..room]) {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                // Whole lines that were unpacked before are good; a partial line is dropped.
                Err(error) if is_damage(&error, self.is_gzip) => {
                    let end = memchr::memrchr(b'\n', &lines[..filled]);
                    lines.truncate(end.map_or(0, |end| end + 1));
                    self.is_corrupt = true;
                    return if self.has_lines || !lines.is_empty() {
                        Ok(!lines.is_empty())
                    } else {
                        Err(ErrorKind::CorruptGzip)
                    };
                }
                Err(error) => return Err(error.into()),
            };
            if read == 0 {
                lines.truncate(filled);
                if lines.last().is_some_and(|&last| last != b'\n') {
                    lines.push(b'\n');
                }
                return Ok(filled > 0);
            }
            filled += read;
            if filled < CHUNK / 2 {
                continue;
            }
            if let Some(end) = end_of_chunk(&lines[..filled], searched) {
                self.partial_line.extend_from_slice(&lines[end..filled]);
                lines.truncate(end);
                return Ok(true);
            }
            searched = filled;
        }
    }
}

/// The end of a chunk: before the last function, so that no block is cut, unless a block is very
/// long.
fn end_of_chunk(bytes: &[u8], new: usize) -> Option<usize> {
    // The searched text may begin in the part that was searched before.
    let from = new.saturating_sub(FUNCTION.len());
    let mut newlines = memchr::memrchr_iter(b'\n', &bytes[from..]);
    let last = newlines.find(|at| bytes[from + at..].first_chunk() == Some(FUNCTION));
    if let Some(at) = last {
        return Some(from + at + 1);
    }
    let is_long = bytes.len() >= MAX_BLOCK;
    let from = if is_long { 0 } else { bytes.len() };
    memchr::memrchr(b'\n', &bytes[from..]).map(|at| at + 1)
}

/// Whether an error of reading is due to the gzip data.
fn is_damage(error: &io::Error, is_gzip: bool) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    is_gzip && matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}
