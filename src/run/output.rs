//! The output of a report: a file, which is written under a temporary name beside its path and
//! moved there at the end; or a pager, a program through which a report is read on a terminal.
//!
//! A pager is started by the first bytes of the report. If it ends before the report does, the rest
//! is not shown, but the report is still made, so that the exit status is that of the report.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use tempfile::TempPath;

use crate::io_text::io_text;
use crate::run::message::display_path;
use crate::run::temporary;

pub(crate) struct OutputFile {
    file: File,
    path: PathBuf,
    /// The temporary file and the path that it is moved to; none for a pipe, a terminal or another
    /// device.
    temporary: Option<(TempPath, PathBuf)>,
}

impl OutputFile {
    /// Creates the file for `path`. A link remains; its target is replaced.
    pub(crate) fn create(path: &Path) -> Result<OutputFile> {
        let named = || display_path(path);
        let known = fs::metadata(path).ok();
        if known.as_ref().is_some_and(|known| known.is_dir()) {
            bail!("{}: is a directory", display_path(path));
        }
        // These directories hold devices, and links to open files of any kind.
        let is_device = path.starts_with("/dev") || path.starts_with("/proc");
        if is_device || known.as_ref().is_some_and(|known| !known.is_file()) {
            let file = OpenOptions::new().append(true).open(path);
            return Ok(OutputFile {
                file: file.with_context(named)?,
                path: path.to_owned(),
                temporary: None,
            });
        }
        let place = fs::canonicalize(path).or_else(|_| end_of_links(path)).with_context(named)?;
        let folder =
            place.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".cgannotate-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = temporary::create(&builder, folder)
            .and_then(|file| {
                if let Some(known) = known {
                    file.as_file().set_permissions(known.permissions())?;
                }
                Ok(file)
            })
            .map_err(|error| without_temporary_name(error, folder));
        let (file, temporary) = file.with_context(named)?.into_parts();
        Ok(OutputFile { file, path: path.to_owned(), temporary: Some((temporary, place)) })
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.file.is_terminal()
    }

    /// Moves the file to its path.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.flush()?;
        let Some((temporary, place)) = self.temporary else {
            return Ok(());
        };
        let done = temporary::persist(temporary, &place);
        done.with_context(|| display_path(&place))
    }
}

/// Whether an input is the regular file that an output would replace, perhaps by another path or a
/// link; `-` is standard input.
#[cfg(unix)]
pub(crate) fn is_same_file(input: &Path, output: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let input = if input == Path::new("-") { Path::new("/dev/stdin") } else { input };
    let id = |path: &Path| {
        let file = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some((file.dev(), file.ino()))
    };
    let read = id(input);
    read.is_some() && read == id(output)
}

#[cfg(not(unix))]
pub(crate) fn is_same_file(input: &Path, output: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok().filter(|path| path.is_file());
    let read = real(input);
    read.is_some() && read == real(output)
}

/// The target of a link whose target does not exist yet; the path itself if it is not a link.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    // Linux follows as many links.
    for _ in 0..40 {
        match fs::read_link(&place) {
            Ok(target) => place = place.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(place),
        }
    }
    // The links are a circle, for which this is the error.
    fs::metadata(path).map(|_| place)
}

/// The error without the name of the temporary file, which the user does not know.
fn without_temporary_name(error: io::Error, folder: &Path) -> io::Error {
    let of_folder = fs::metadata(folder).err();
    of_folder.unwrap_or_else(|| io::Error::from(error.kind()))
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        written.map_err(|error| with_path(error, &self.path))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.file.flush();
        flushed.map_err(|error| with_path(error, &self.path))
    }
}

fn with_path(error: io::Error, path: &Path) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {}", display_path(path), io_text(&error)))
}

/// Standard output, through a pager if one is requested.
pub enum Pager {
    /// The command, which is started by the first bytes.
    Waiting(Vec<String>),
    Direct(io::Result<StandardOutput>),
    /// The pager and its input, none if the pager stopped reading.
    Running(Child, Option<ChildStdin>),
}

impl Pager {
    /// Standard output through this command, or without a pager if the command is empty.
    pub fn new(command: Vec<String>) -> Pager {
        if command.is_empty() { Pager::Direct(standard_output()) } else { Pager::Waiting(command) }
    }

    /// Waits until the pager has ended.
    pub fn wait(self) -> io::Result<()> {
        match self {
            Pager::Waiting(_) | Pager::Direct(_) => Ok(()),
            Pager::Running(mut child, input) => {
                drop(input);
                match child.wait()?.code() {
                    // A signal is from a person who has seen enough.
                    Some(0) | None => Ok(()),
                    Some(code) => {
                        let text = format!(
                            "the pager failed with exit status {code}; --no-pager prints the report"
                        );
                        Err(io::Error::other(text))
                    }
                }
            }
        }
    }

    fn pass(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let input = match self {
            Pager::Waiting(_) => return Ok(()),
            Pager::Direct(Ok(stdout)) => return write(stdout),
            Pager::Direct(Err(error)) => return Err(error.kind().into()),
            Pager::Running(_, input) => input,
        };
        match input.as_mut().map_or(Ok(()), |input| write(input)) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                *input = None;
                Ok(())
            }
            written => written,
        }
    }
}

/// Standard output as a file: [`Stdout`](io::Stdout) has no error if it is not open for writing.
#[cfg(unix)]
type StandardOutput = File;

#[cfg(not(unix))]
type StandardOutput = io::Stdout;

#[cfg(unix)]
fn standard_output() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(not(unix))]
fn standard_output() -> io::Result<io::Stdout> {
    Ok(io::stdout())
}

/// Starts a pager; without one if it cannot be started.
fn start(command: &[String]) -> Pager {
    let spawn = |(program, args): (&String, &[String])| {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::piped());
        // As in git: `less` shows colours, and ends at once after a short report.
        if std::env::var_os("LESS").is_none() {
            command.env("LESS", "RFX");
        }
        // The report is UTF-8, even if no language is set, as in a container.
        if std::env::var_os("LESSCHARSET").is_none() {
            command.env("LESSCHARSET", "utf-8");
        }
        let mut child = command.spawn().ok()?;
        let input = child.stdin.take()?;
        Some(Pager::Running(child, Some(input)))
    };
    let Some(running) = command.split_first().and_then(spawn) else {
        return Pager::Direct(standard_output());
    };
    // Ctrl-C is for the pager; if it ended this program, pager and shell would both read the
    // terminal.
    let is_set = Arc::new(AtomicBool::new(false));
    let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, is_set);
    running
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Pager::Waiting(command) = self {
            *self = start(command);
        }
        self.pass(|out| out.write_all(bytes)).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass(|out| out.flush())
    }
}
