//! Messages on standard error, the progress bar that is drawn there while a long file is read, and
//! errors that decide the exit status.
//!
//! The bar appears after half a second and is erased when all is read. The reader only adds to a
//! counter, which a thread polls. There is no bar unless standard error is a terminal.

use std::collections::HashSet;
use std::error::Error;
use std::fmt::Display;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::io_text::io_text;
use crate::read::file_of;
use crate::render::{escaped_text, in_words};
use crate::source::Finder;

/// Standard error for messages. If it cannot be written, the report is still printed, but the exit
/// status is an error, unless the reader has closed the pipe.
#[derive(Clone, Default)]
pub struct Messages(Arc<Mutex<MessageState>>);

#[derive(Default)]
struct MessageState {
    is_lost: bool,
    /// The width of the terminal, if they are written to one.
    width: Option<usize>,
    /// The messages held back, if they are.
    held: Option<String>,
    /// The progress bar, once it is drawn.
    bar: Option<ProgressBar>,
    /// The warnings until now, which a page for a browser has, too.
    warned: Vec<String>,
    /// The warnings and notes until now: none is printed again if files are read once more.
    written: HashSet<String>,
}

impl Messages {
    /// Messages that are held back until they are taken or printed, as while a pager runs.
    pub fn held() -> Messages {
        let messages = Messages::default();
        messages.lock().held = Some(String::new());
        messages
    }

    /// The same messages, in lines of at most this width.
    #[must_use]
    pub fn within(self, width: Option<usize>) -> Messages {
        self.lock().width = width;
        self
    }

    fn lock(&self) -> MutexGuard<'_, MessageState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Warns that the input is wrong, or that something requested cannot be shown.
    pub(crate) fn warn(&self, text: impl Display) {
        let warning = text.to_string();
        self.write_once(format!("cgannotate: warning: {warning}"));
        let warned = &mut self.lock().warned;
        if !warned.contains(&warning) {
            warned.push(warning);
        }
    }

    /// The warnings until now.
    pub(crate) fn warned(&self) -> Vec<String> {
        let state = self.lock();
        state.warned.iter().map(display_name).collect()
    }

    /// Prints a note: nothing is wrong, but it is useful to know.
    pub(crate) fn note(&self, text: impl Display) {
        self.write_once(format!("cgannotate: note: {text}"));
    }

    fn write_once(&self, text: String) {
        let is_new = self.lock().written.insert(text.clone());
        if is_new {
            self.write(&text);
        }
    }

    /// Notes the sources that were found, but are not read because they may be anything.
    pub(crate) fn note_refused(&self, finder: &Finder) {
        let refused = finder.refused();
        let Some(first) = refused.first() else {
            return;
        };
        let (first, more) = (display_name(first), and_more(refused.len() - 1));
        self.note(format!(
            "{first}{more}: not read, because a file outside of the current directory and the profile's has to end as sources \
             do (.c, .rs); the file on the command line, or -I DIRECTORY, includes it"
        ));
    }

    pub(crate) fn write(&self, text: &str) {
        let width = self.lock().width;
        self.write_lines(&message_lines(text, width));
    }

    /// Writes whole lines, after erasing the progress bar.
    fn write_lines(&self, lines: &str) {
        let MessageState { is_lost, held, bar, .. } = &mut *self.lock();
        if let Some(held) = held {
            return held.push_str(lines);
        }
        let write = || io::stderr().write_all(lines.as_bytes());
        let written = bar.as_ref().map_or_else(write, |bar| bar.suspend(write));
        *is_lost |= written.is_err_and(|error| error.kind() != ErrorKind::BrokenPipe);
    }

    /// The messages held back; later ones are written at once.
    pub fn take(&self) -> String {
        self.lock().held.take().unwrap_or_default()
    }

    /// Prints what was held back; returns whether all messages could be printed.
    pub fn print(&self) -> bool {
        self.write_lines(&self.take());
        !self.lock().is_lost
    }
}

/// A message as lines of at most this width. Whatever names it has, it is on one line otherwise,
/// and safe for a terminal.
pub fn message_lines(text: &str, width: Option<usize>) -> String {
    let lines: Vec<String> =
        in_words(text, width.unwrap_or(usize::MAX)).iter().map(display_name).collect();
    lines.join("\n") + "\n"
}

/// An error and its causes as one text.
pub fn error_text(error: &anyhow::Error) -> String {
    let text = |error: &(dyn Error + 'static)| {
        error.downcast_ref().map_or_else(|| error.to_string(), io_text)
    };
    error.chain().map(text).collect::<Vec<_>>().join(": ")
}

/// A difference exceeds a limit, as a line on standard error says; and the error of writing the
/// report, if any.
#[derive(Debug, thiserror::Error)]
#[error("the difference exceeds a limit")]
pub struct LimitFailed(pub Option<anyhow::Error>);

/// An option that does not fit the files.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub(crate) String);

/// A name in messages: on one line, and safe for a terminal.
pub(crate) fn display_name(name: impl AsRef<[u8]>) -> String {
    escaped_text(name.as_ref(), true)
}

pub(crate) fn display_path(path: &Path) -> String {
    display_name(path.as_os_str().as_encoded_bytes())
}

pub(crate) fn display_paths(paths: &[PathBuf]) -> String {
    let paths = paths.iter().map(|path| display_path(path));
    paths.collect::<Vec<_>>().join(", ")
}

/// Names in messages that are ready to be displayed, as one list.
pub(crate) fn display_names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// The number of files that are not named, as the end of a list.
pub(crate) fn and_more(count: usize) -> String {
    match count {
        0 => String::new(),
        count => format!(" and {count} more"),
    }
}

/// The time after which the bar is first drawn.
const DELAY: Duration = Duration::from_millis(500);

/// The interval at which the bar is redrawn.
const TICK: Duration = Duration::from_millis(100);

/// A load that may take long.
///
/// It has the thread that draws the bar, and the sender that ends it when dropped.
pub(crate) struct Progress(Option<(Sender<()>, JoinHandle<()>)>);

impl Progress {
    /// Starts to watch `read`, the bytes read of `files`.
    pub(crate) fn start(messages: &Messages, files: &[PathBuf], read: &Arc<AtomicU64>) -> Progress {
        let (end, ended) = channel();
        let (messages, read, size) = (messages.clone(), Arc::clone(read), size(files));
        let thread = thread::Builder::new()
            .name("progress".to_owned())
            .spawn(move || watch(&messages, &read, size, &ended));
        // Without a thread there is no bar.
        Progress(thread.ok().map(|thread| (end, thread)))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.0.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}

/// The size of all files in bytes; none if it is unknown, as of a pipe.
fn size(files: &[PathBuf]) -> Option<u64> {
    let size = |file: &PathBuf| {
        let metadata = fs::metadata(file_of(file)).ok()?;
        metadata.is_file().then_some(metadata.len())
    };
    files.iter().map(size).sum()
}

/// Draws the bar, until the sender of `ended` is dropped.
fn watch(messages: &Messages, read: &AtomicU64, size: Option<u64>, ended: &Receiver<()>) {
    let mut wait = DELAY;
    while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        let mut state = messages.lock();
        let bar = state.bar.get_or_insert_with(|| draw(size));
        bar.set_position(read.load(Ordering::Relaxed));
        bar.tick();
        wait = TICK;
    }
    if let Some(bar) = messages.lock().bar.take() {
        bar.finish_and_clear();
    }
}

fn draw(size: Option<u64>) -> ProgressBar {
    let template = match size {
        Some(_) => "reading [{wide_bar}] {decimal_bytes} of {decimal_total_bytes}",
        None => "reading {spinner} {decimal_bytes}",
    };
    let style =
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::with_draw_target(size, ProgressDrawTarget::stderr());
    bar.with_style(style.progress_chars("=> ").tick_chars(r"|/-\ "))
}
