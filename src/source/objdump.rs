//! The disassembled instructions of an object. They come from `objdump`, a child process for ranges
//! of addresses: it supports every machine that Valgrind runs on, and a cross toolchain's can be
//! used instead.

mod calls;
mod output;

use std::ffi::OsString;
use std::io::{self, Read};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use calls::CallCollector;
use output::Collector;
pub use output::{CodeLine, ObjectCode};
use thiserror::Error;

use crate::io_text::io_text;

/// Recorded addresses closer than this are requested together: running another process would cost
/// more than the text between them.
const MAX_GAP: u64 = 64 << 10;

/// The minimum length in bytes of the pieces of a range, which several children disassemble. To
/// start a child takes as long as it takes to disassemble some tens of KiB.
const MIN_PIECE: u64 = 256 << 10;

/// The maximum number of children that run at the same time.
const MAX_CHILDREN: usize = 4;

/// The maximum length of an instruction in bytes, on any machine.
pub const MAX_INSTRUCTION: u64 = 16;

/// How many bytes of objdump's error messages are kept.
const MAX_MESSAGE: usize = 4 << 10;

/// How many bytes of error messages are read and not kept.
const MAX_IGNORED: u64 = 16 << 20;

/// The maximum length of a line in bytes.
const MAX_LINE: usize = 1 << 20;

/// How long a child that has closed its output may go on, and a pipe may be silent after the child
/// has ended.
const GRACE: Duration = Duration::from_millis(500);

/// How objdump is run.
#[derive(Clone, Debug)]
pub struct Objdump {
    pub program: OsString,
    /// The options of the user's choice, before those that the reader needs.
    pub arguments: Vec<OsString>,
    /// The number of instructions to read before and after each recorded one.
    pub context: u32,
}

#[derive(Debug, Error)]
pub enum ObjdumpError {
    /// The program could not be started, or its output could not be read.
    #[error("cannot run: {}", io_text(.0))]
    CannotRun(#[from] io::Error),
    #[error("a line of more than 1 MiB")]
    LongLine,
    /// The program failed; this is the first line of its message.
    #[error("{}", .0.escape_ascii())]
    Failed(Vec<u8>),
}

impl Objdump {
    /// Reads the instructions at and around these addresses, which are sorted, each once.
    pub fn read(&self, object: &Path, recorded: &[u64]) -> Result<ObjectCode, ObjdumpError> {
        let ranges = ranges(recorded, self.context);
        let pieces: Vec<Piece<'_>> = ranges.iter().copied().flat_map(pieces_of).collect();
        let code = joined(&pieces, self.read_pieces(object, &pieces)?);
        code.map_or_else(
            || {
                let whole: Vec<Piece<'_>> = ranges.into_iter().map(Piece::whole).collect();
                Ok(joined(&whole, self.read_pieces(object, &whole)?).unwrap_or_default())
            },
            Ok,
        )
    }

    /// Reads pieces with several children at once; returns the first error.
    fn read_pieces(
        &self,
        object: &Path,
        pieces: &[Piece<'_>],
    ) -> Result<Vec<ObjectCode>, ObjdumpError> {
        let next = AtomicUsize::new(0);
        let read_some = || {
            let mut read = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(piece) = pieces.get(number) else {
                    return read;
                };
                let code = self.read_piece(object, piece.recorded);
                if code.is_err() {
                    next.store(pieces.len(), Ordering::Relaxed);
                }
                read.push((number, code));
            }
        };
        let mut all = thread::scope(|scope| {
            let thread = || thread::Builder::new().name("objdump".to_owned());
            // Without them, this thread reads all pieces.
            let others: Vec<_> = (1..children(pieces.len()))
                .flat_map(|_| thread().spawn_scoped(scope, read_some))
                .collect();
            let mut all = read_some();
            for other in others {
                all.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            all
        });
        all.sort_unstable_by_key(|&(number, _)| number);
        all.into_iter().map(|(_, code)| code).collect()
    }

    fn read_piece(&self, object: &Path, recorded: &[u64]) -> Result<ObjectCode, ObjdumpError> {
        let (Some(&start), Some(&last)) = (recorded.first(), recorded.last()) else {
            return Ok(ObjectCode::default());
        };
        let stop = last.saturating_add(room(self.context));
        let mut collector = Collector::new(recorded, start..stop, self.context);
        let range = [format!("--start-address={start:#x}"), format!("--stop-address={stop:#x}")];
        self.run(object, &range, &mut collector)?;
        Ok(collector.code)
    }

    /// The direct calls in all code of an object: the addresses of the instructions and those that
    /// they call, in the order of the code.
    pub fn calls(&self, object: &Path) -> Result<Vec<(u64, u64)>, ObjdumpError> {
        let mut collector = CallCollector::new(object.metadata()?.len());
        self.run(object, &[], &mut collector)?;
        Ok(collector.calls)
    }

    /// Gives the lines that objdump writes with some options to `lines`.
    fn run(
        &self,
        object: &Path,
        range: &[String],
        lines: &mut impl LineReader,
    ) -> Result<(), ObjdumpError> {
        let mut reading = Reading::start(self.command(object, range))?;
        if let End::Enough = reading.read(lines)? {
            return Ok(());
        }
        let status = reading.status()?;
        let message = reading.message()?;
        if !status.success() {
            let message = message.unwrap_or_else(|| status.to_string().into_bytes());
            return Err(ObjdumpError::Failed(message));
        }
        // For an unknown machine, some versions print a message but exit with status 0.
        message
            .filter(|_| !lines.has_instructions())
            .map_or(Ok(()), |message| Err(ObjdumpError::Failed(message)))
    }

    fn command(&self, object: &Path, range: &[String]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .args(["-d", "-w", "--no-show-raw-insn"])
            .args(range)
            .arg(operand(object))
            // Untranslated output, and no requests to a debug information server.
            .env("LC_ALL", "C")
            .env_remove("DEBUGINFOD_URLS")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// What reads the lines of a child.
trait LineReader {
    /// Reads a line without its newline.
    fn line(&mut self, line: &[u8]);

    /// Whether nothing that follows is needed.
    fn is_complete(&self) -> bool;

    fn has_instructions(&self) -> bool;
}

/// A path that cannot be taken as an option: llvm-objdump does not support `--`.
fn operand(object: &Path) -> PathBuf {
    if object.as_os_str().as_encoded_bytes().starts_with(b"-") {
        Path::new(".").join(object)
    } else {
        object.to_owned()
    }
}

/// A child process and what it writes. Threads read its pipes, which a grandchild may keep open
/// after the child has ended.
struct Reading {
    child: Child,
    /// Pieces of its output.
    output: Receiver<io::Result<Vec<u8>>>,
    /// The start of its error messages.
    messages: Receiver<io::Result<Vec<u8>>>,
}

/// How the output of a child ended.
enum End {
    /// The child closed it, or has ended.
    Closed,
    /// It has all that was requested.
    Enough,
}

impl Reading {
    fn start(mut command: Command) -> io::Result<Reading> {
        let mut child = command.spawn()?;
        Ok(Reading {
            output: pieces(child.stdout.take(), usize::MAX),
            messages: pieces(child.stderr.take(), MAX_MESSAGE),
            child,
        })
    }

    /// The next piece of a pipe; none at its end, or if nothing comes after the child has ended.
    fn next(
        child: &mut Child,
        pieces: &Receiver<io::Result<Vec<u8>>>,
    ) -> io::Result<Option<Vec<u8>>> {
        loop {
            match pieces.recv_timeout(GRACE) {
                Ok(piece) => return piece.map(Some),
                Err(RecvTimeoutError::Timeout) if child.try_wait()?.is_none() => {}
                Err(_) => return Ok(None),
            }
        }
    }

    /// Gives all lines to `lines`.
    fn read(&mut self, lines: &mut impl LineReader) -> Result<End, ObjdumpError> {
        let mut line = Vec::new();
        while let Some(piece) = Reading::next(&mut self.child, &self.output)? {
            for part in piece.split_inclusive(|&byte| byte == b'\n') {
                line.extend_from_slice(part);
                if line.len() > MAX_LINE {
                    return Err(ObjdumpError::LongLine);
                }
                if part.ends_with(b"\n") {
                    lines.line(line.trim_ascii_end());
                    line.clear();
                }
                if lines.is_complete() {
                    return Ok(End::Enough);
                }
            }
        }
        lines.line(line.trim_ascii_end());
        Ok(End::Closed)
    }

    /// The first line of the error messages that is not blank.
    fn message(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut text = Vec::new();
        while text.len() < MAX_MESSAGE
            && let Some(piece) = Reading::next(&mut self.child, &self.messages)?
        {
            text.extend(piece);
        }
        let mut lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        let line = lines.find(|line| !line.is_empty());
        Ok(line.map(|line| line[..line.len().min(MAX_MESSAGE)].to_vec()))
    }

    /// The status of the child, which has closed its output; one that goes on is ended.
    fn status(&mut self) -> io::Result<ExitStatus> {
        let ends = Instant::now() + GRACE;
        while Instant::now() < ends {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(1));
        }
        self.child.kill()?;
        self.child.wait()
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        // One that has ended already is not ended again.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What comes through a pipe, at most about this many bytes. A thread reads on, so that the writer
/// does not block, and closes the pipe at the end, when the receiver is gone, or after
/// [`MAX_IGNORED`].
fn pieces(pipe: Option<impl Read + Send + 'static>, max: usize) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = sync_channel(4);
    let read = move || {
        let Some(mut pipe) = pipe else { return };
        let mut buffer = vec![0; 64 << 10];
        let mut sent = 0;
        while sent < max {
            let piece = match pipe.read(&mut buffer) {
                Ok(0) => return,
                Ok(length) => Ok(buffer[..length].to_vec()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
            sent = piece.as_ref().map_or(usize::MAX, |piece| sent + piece.len());
            let is_last = piece.is_err();
            if sender.send(piece).is_err() || is_last {
                return;
            }
        }
        drop(sender);
        let _ = io::copy(&mut pipe.take(MAX_IGNORED), &mut io::sink());
    };
    // Without a thread there is no output, which is said.
    let _ = thread::Builder::new().name("objdump".to_owned()).spawn(read);
    receiver
}

/// Recorded addresses whose code one child disassembles, from the first one on, because text that
/// starts within an instruction is wrong, to the end of the context of the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece<'r> {
    recorded: &'r [u64],
    /// Whether its first address is the last one of the piece before.
    continues: bool,
}

impl<'r> Piece<'r> {
    fn whole(recorded: &'r [u64]) -> Piece<'r> {
        Piece { recorded, continues: false }
    }
}

/// The number of bytes to disassemble from the last recorded address on.
fn room(context: u32) -> u64 {
    MAX_INSTRUCTION * (u64::from(context) + 1)
}

/// The recorded addresses in ranges, of which none reaches into the next one.
fn ranges(recorded: &[u64], context: u32) -> Vec<&[u64]> {
    let max_gap = MAX_GAP.max(room(context));
    recorded.chunk_by(|&last, &next| next - last < max_gap).collect()
}

/// The pieces of a range, about equally long.
fn pieces_of(range: &[u64]) -> Vec<Piece<'_>> {
    let (Some(&first), Some(&last)) = (range.first(), range.last()) else {
        return Vec::new();
    };
    let count = ((last - first) / MIN_PIECE).max(1);
    let length = (last - first) / count;
    let is_before = |end: u64| range.partition_point(|&address| address < end);
    let middle = (1..count).map(|piece| is_before(first + length * piece));
    let ends = middle.chain([range.len() - 1]);
    let mut start = 0;
    ends.map(|end| {
        let piece = Piece { recorded: &range[start..=end], continues: start > 0 };
        start = end;
        piece
    })
    .collect()
}

/// The number of children to run at the same time for this many pieces.
fn children(pieces: usize) -> usize {
    if pieces < 2 {
        return pieces;
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    cores.min(MAX_CHILDREN).min(pieces)
}

/// The code of pieces in their order; none if the code of one does not continue that of the piece
/// before it.
fn joined(pieces: &[Piece<'_>], codes: Vec<ObjectCode>) -> Option<ObjectCode> {
    let mut all = ObjectCode::default();
    for (piece, code) in pieces.iter().zip(codes) {
        if !piece.continues {
            all.add(code);
        } else if !all.continue_at(piece.recorded[0], code) {
            return None;
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_near_each_other_are_one_range() {
        let near = 0x1000 + MAX_GAP - 1;
        let far = 0x1000 + MAX_GAP;
        assert!(ranges(&[], 3).is_empty());
        assert_eq!(ranges(&[0x1000, near], 0), [[0x1000, near]]);
        assert_eq!(ranges(&[0x1000, far], 1), [[0x1000], [far]]);
        assert_eq!(ranges(&[u64::MAX], 0), [[u64::MAX]]);
        // A range that ends behind the context of its last address does not reach the next one.
        let context = (MAX_GAP / MAX_INSTRUCTION) as u32;
        let after = 0x1000 + room(context);
        assert_eq!(ranges(&[0x1000, far, after + 1], context).len(), 1);
        assert_eq!(ranges(&[0x1000, after], context), [[0x1000], [after]]);
    }

    #[test]
    fn long_ranges_are_several_pieces() {
        let at = |piece: u64, address: u64| piece * MIN_PIECE + address;
        let short = [0x10, 0x20, at(2, 0)];
        assert_eq!(pieces_of(&short), [Piece::whole(&short)]);
        let long = [0x10, 0x20, at(1, 0x0f), at(1, 0x10), at(2, 0x0f), at(2, 0x11), at(3, 0x10)];
        let continuing = |recorded| Piece { recorded, continues: true };
        assert_eq!(
            pieces_of(&long),
            [Piece::whole(&long[..4]), continuing(&long[3..6]), continuing(&long[5..])]
        );
        // Nothing is recorded in the middle.
        let ends = [0x10, 0x20, at(3, 0x10)];
        let pieces = pieces_of(&ends);
        let of: Vec<&[u64]> = pieces.iter().map(|piece| piece.recorded).collect();
        assert_eq!(of, [&ends[..], &ends[2..], &ends[2..]]);
        assert!(pieces_of(&[]).is_empty());
    }

    #[test]
    fn pieces_are_joined_at_an_instruction_of_both() {
        let code = |text: &str, recorded: &[u64]| {
            let mut collector = Collector::new(recorded, 0x10..u64::MAX, 1);
            text.lines().for_each(|line| collector.line(line.as_bytes()));
            collector.code
        };
        let lines = |code: &ObjectCode| {
            let lines = (0..).map_while(|number| code.get(number));
            lines.map(|line| (line.address, line.follows)).collect::<Vec<_>>()
        };
        let text = "10:\ta\n12:\tb\n14:\tc\n16:\td\n18:\te\n1a:\tf\n1c:\tg\n1e:\th";
        let whole = code(text, &[0x10, 0x16, 0x1c]);
        let pieces =
            [Piece::whole(&[0x10, 0x16]), Piece { recorded: &[0x16, 0x1c], continues: true }];
        let from = |address: &str| &text[text.find(address).unwrap_or(text.len())..];
        let read = |second: &str| {
            let codes = pieces.iter().zip([text, from(second)]);
            let codes = codes.map(|(piece, text)| code(text, piece.recorded));
            joined(&pieces, codes.collect())
        };
        let both = read("16:").unwrap();
        assert_eq!((lines(&both), both.matching), (lines(&whole), whole.matching));
        // The second begins within an instruction of the first, or there is no code.
        assert!(read("18:").is_none());
        assert!(read("none").is_none());
        let other = code("10:\ta\n15:\tb\n18:\tc", &[0x10, 0x16]);
        assert!(joined(&pieces, vec![other, code(from("16:"), &[0x16, 0x1c])]).is_none());
    }
}
