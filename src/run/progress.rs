//! The progress bar of a long load: drawn on standard error from half a second on, gone when all is read.
//!
//! The reader only adds to a counter; a thread looks at it now and then. There is none unless the bar is
//! wanted, that is, unless standard error is a terminal.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long a load takes before the bar is drawn.
const DELAY: Duration = Duration::from_millis(500);

/// How often it is drawn anew.
const TICK: Duration = Duration::from_millis(100);

/// The bar, once it is drawn. Who writes to standard error locks it.
type Bar = Arc<Mutex<Option<ProgressBar>>>;

/// A load that may take long.
pub(super) struct Progress {
    bar: Bar,
    /// The thread that draws, and what ends it when it is dropped.
    watcher: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Watches how many bytes were read, if `is_wanted`.
    pub(super) fn start(is_wanted: bool, files: &[PathBuf], read: &Arc<AtomicU64>) -> Progress {
        let bar = Bar::default();
        if !is_wanted {
            return Progress { bar, watcher: None };
        }
        let (end, ended) = channel();
        let (shared, read, size) = (Arc::clone(&bar), Arc::clone(read), size(files));
        let thread = thread::Builder::new().name("progress".to_owned());
        let thread = thread.spawn(move || watch(&shared, &read, size, &ended));
        // A load is as good without a bar.
        let watcher = thread.ok().map(|thread| (end, thread));
        Progress { bar, watcher }
    }

    /// Does something that writes to standard error, with the bar out of its way.
    pub(super) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        let bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        match &*bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.watcher.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}

/// The bytes of all files; none if that cannot be known, as with a pipe.
fn size(files: &[PathBuf]) -> Option<u64> {
    let size = |file| {
        let metadata = fs::metadata(file).ok()?;
        metadata.is_file().then_some(metadata.len())
    };
    files.iter().map(size).sum()
}

/// What the thread does, until the other end of `ended` is dropped.
fn watch(shared: &Bar, read: &AtomicU64, size: Option<u64>, ended: &Receiver<()>) {
    let lock = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    let mut wait = DELAY;
    while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        let mut bar = lock();
        let bar = bar.get_or_insert_with(|| draw(size));
        bar.set_position(read.load(Ordering::Relaxed));
        bar.tick();
        wait = TICK;
    }
    if let Some(bar) = lock().take() {
        bar.finish_and_clear();
    }
}

fn draw(size: Option<u64>) -> ProgressBar {
    let template = match size {
        Some(_) => "reading [{bar:40}] {decimal_bytes} of {decimal_total_bytes}",
        None => "reading {spinner} {decimal_bytes}",
    };
    let style = ProgressStyle::with_template(template);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::with_draw_target(size, ProgressDrawTarget::stderr());
    bar.with_style(style.progress_chars("=> ").tick_chars(r"|/-\ "))
}
