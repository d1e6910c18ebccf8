//! The disassembled instructions of an object. They come from `objdump`, a child process for ranges of addresses: it
//! supports every machine that Valgrind runs on, and a cross toolchain's can be used instead.

mod output;

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use output::Collector;
pub use output::{CodeLine, ObjectCode};
use thiserror::Error;

/// Recorded addresses closer than this are requested together: running another process would cost more than the text
/// between them.
const MAX_GAP: u64 = 64 << 10;

/// The maximum length of an instruction in bytes, on any machine.
pub const MAX_INSTRUCTION: u64 = 16;

/// How many bytes of objdump's error messages are kept.
const MAX_MESSAGE: u64 = 4 << 10;

#[derive(Clone, Debug)]
pub struct Objdump {
    pub program: OsString,
    /// Whether the bytes of each instruction are read too.
    pub with_bytes: bool,
    /// The number of instructions to read before and after each recorded one.
    pub context: u32,
}

#[derive(Debug, Error)]
pub enum ObjdumpError {
    /// The program could not be started, or its output could not be read.
    #[error("cannot run: {0}")]
    CannotRun(#[from] io::Error),
    /// The program failed; this is the first line of its message.
    #[error("{}", .0.escape_ascii())]
    Failed(Vec<u8>),
}

impl Objdump {
    /// Reads the instructions at and around these addresses, which are sorted.
    pub fn read(&self, object: &Path, recorded: &[u64]) -> Result<ObjectCode, ObjdumpError> {
        let mut collector = Collector::new(recorded, self.with_bytes, self.context);
        for (start, stop) in ranges(recorded, self.context) {
            collector.begin_range(start, stop);
            let mut child = self.command(object, start, stop).spawn()?;
            let message = read_child(&mut child, &mut collector)?;
            let status = child.wait()?;
            if !status.success() {
                let message = message.unwrap_or_else(|| status.to_string().into_bytes());
                return Err(ObjdumpError::Failed(message));
            }
            // For an unknown machine, some versions print a message but exit with status 0.
            if let (None, Some(message)) = (collector.code.get(0), message) {
                return Err(ObjdumpError::Failed(message));
            }
        }
        Ok(collector.code)
    }

    fn command(&self, object: &Path, start: u64, stop: u64) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["-d", "-w"]);
        if !self.with_bytes {
            command.arg("--no-show-raw-insn");
        }
        command
            .arg(format!("--start-address={start:#x}"))
            .arg(format!("--stop-address={stop:#x}"))
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

/// A path that cannot be taken as an option: llvm-objdump does not support `--`.
fn operand(object: &Path) -> PathBuf {
    match object.as_os_str().as_encoded_bytes().starts_with(b"-") {
        true => Path::new(".").join(object),
        false => object.to_owned(),
    }
}

/// Reads all output of the child; returns the first line of its error messages.
fn read_child(child: &mut Child, collector: &mut Collector<'_>) -> io::Result<Option<Vec<u8>>> {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let complaints = scope.spawn(|| stderr.map_or(Ok(None), first_line));
        let mut line = Vec::new();
        if let Some(stdout) = stdout {
            let mut stdout = BufReader::with_capacity(64 << 10, stdout);
            while stdout.read_until(b'\n', &mut line)? > 0 {
                collector.line(line.trim_ascii_end());
                line.clear();
            }
        }
        complaints.join().unwrap_or(Ok(None))
    })
}

/// The first line that is not blank; the rest is read too, so that the writer does not block.
fn first_line(mut from: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut text = Vec::new();
    from.by_ref().take(MAX_MESSAGE).read_to_end(&mut text)?;
    io::copy(&mut from, &mut io::sink())?;
    let mut lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    Ok(lines.find(|line| !line.is_empty()).map(<[u8]>::to_vec))
}

/// The ranges to request: each starts at a recorded address, because text that starts within an instruction is wrong,
/// and ends with room for the context of the last.
fn ranges(recorded: &[u64], context: u32) -> Vec<(u64, u64)> {
    let room = MAX_INSTRUCTION * (u64::from(context) + 1);
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for &address in recorded {
        let stop = address.saturating_add(room);
        match ranges.last_mut() {
            Some(range) if address.saturating_sub(range.1 - room) < MAX_GAP => range.1 = stop,
            _ => ranges.push((address, stop)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_near_each_other_are_one_range() {
        let near = 0x1000 + MAX_GAP - 1;
        assert_eq!(ranges(&[], 3), []);
        assert_eq!(ranges(&[0x1000, near], 0), [(0x1000, near + 16)]);
        let far = 0x1000 + MAX_GAP;
        assert_eq!(ranges(&[0x1000, far], 1), [(0x1000, 0x1020), (far, far + 32)]);
        assert_eq!(ranges(&[u64::MAX], 0), [(u64::MAX, u64::MAX)]);
    }
}
