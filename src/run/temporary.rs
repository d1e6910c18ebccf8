//! The temporary files of outputs that are being written. A signal that ends the program removes
//! them first.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{NamedTempFile, TempPath};

/// The files that exist.
static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn files() -> MutexGuard<'static, Vec<PathBuf>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates a temporary file in a folder.
pub(super) fn create(
    builder: &tempfile::Builder<'_, '_>,
    folder: &Path,
) -> io::Result<NamedTempFile> {
    signals::watch();
    // Held until the file is listed: a signal in between would leave it.
    let mut files = files();
    let file = builder.tempfile_in(folder)?;
    files.push(file.path().to_owned());
    Ok(file)
}

/// Moves a file to its place.
pub(super) fn persist(file: TempPath, place: &Path) -> io::Result<()> {
    let mut files = files();
    files.retain(|path| path != &*file);
    file.persist(place).map_err(io::Error::from)
}

#[cfg(unix)]
mod signals {
    use std::fs;
    use std::sync::Once;
    use std::thread;

    use signal_hook::consts::{
        SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
    };
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    /// What ends a program by default and can come from outside: a terminal, a timer, a limit of
    /// time, another program.
    const ENDING: [i32; 9] =
        [SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGXCPU, SIGVTALRM];

    /// Starts a thread that removes the temporary files when a signal ends the program.
    pub(super) fn watch() {
        static STARTED: Once = Once::new();
        STARTED.call_once(|| {
            let ignored = ignored();
            let ending = ENDING.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
            let Ok(mut signals) = Signals::new(ending) else {
                return;
            };
            // Without a thread, the signals end the program as if there were no handler.
            let handle = signals.handle();
            let thread = thread::Builder::new().name("signals".to_owned());
            let started = thread.spawn(move || {
                for signal in signals.forever() {
                    let files = super::files();
                    files.iter().for_each(|file| drop(fs::remove_file(file)));
                    let _ = emulate_default_handler(signal);
                }
            });
            if started.is_err() {
                handle.close();
            }
        });
    }

    /// The signals that are ignored, as by `nohup`, one bit each. A handler would replace that.
    fn ignored() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
    }
}

#[cfg(not(unix))]
mod signals {
    pub(super) fn watch() {}
}
