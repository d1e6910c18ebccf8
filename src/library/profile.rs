//! Reading profiles, and what belongs to all of one: its events, parts and total.

use std::error::Error;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::profile::{Count, Overflow, Part, ProfileBuilder};
use crate::read::warning::Warnings;
use crate::read::{self, ReadOptions, warning};

/// An event of a profile, such as `Ir`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventId(pub(super) usize);

/// A Callgrind or Cachegrind profile, or the sum of several. Reading decompresses gzip.
pub struct Profile {
    pub(super) data: crate::profile::Profile,
    warnings: Vec<String>,
}

impl Profile {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, or is no profile.
    pub fn read(path: impl AsRef<Path>) -> Result<Profile, ReadError> {
        Profile::read_all([path])
    }

    /// Reads files and adds them up: the parts and threads of a run, or several runs.
    ///
    /// # Errors
    /// One of them cannot be read, or is no profile.
    pub fn read_all(
        paths: impl IntoIterator<Item = impl AsRef<Path>>,
    ) -> Result<Profile, ReadError> {
        let (mut builder, mut warnings) = (ProfileBuilder::default(), Vec::new());
        for path in paths {
            read_into(path.as_ref(), &mut builder, &mut warnings)?;
        }
        Ok(Profile {
            data: builder.finish(),
            warnings,
        })
    }

    /// Reads the bytes of a profile.
    ///
    /// # Errors
    /// They cannot be read, or are no profile.
    pub fn from_reader(bytes: impl Read + Send + 'static) -> Result<Profile, ReadError> {
        let mut builder = ProfileBuilder::default();
        let read = read::read_from(bytes, b"-", &ReadOptions::default(), &mut builder);
        let read = read.map_err(|error| ReadError::new(Path::new("-"), error))?;
        Ok(Profile {
            data: builder.finish(),
            warnings: texts(Path::new("-"), &read),
        })
    }

    /// What was malformed and left out, one line each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The event of a name.
    pub fn event(&self, name: &str) -> Option<EventId> {
        self.data.events().find(name.as_bytes()).map(EventId)
    }

    /// All events.
    pub fn events(&self) -> impl Iterator<Item = EventId> {
        (0..self.data.events().len()).map(EventId)
    }

    /// The name of an event.
    pub fn event_name(&self, event: EventId) -> String {
        String::from_utf8_lossy(self.data.events().name(event.0)).into_owned()
    }

    /// The headers of the profile's parts: dumps and threads.
    pub fn parts(&self) -> &[Part] {
        self.data.parts()
    }

    /// The cost of the whole program.
    ///
    /// # Errors
    /// [`Overflow`] if a sum does not fit into 64 bits.
    pub fn total(&self, event: EventId) -> Result<Count, Overflow> {
        let (total, _) = self.data.sides().new.total(self.data.events())?;
        Ok(total[event.0])
    }
}

/// Reads a file into a profile that is being made.
pub(super) fn read_into(
    path: &Path,
    builder: &mut ProfileBuilder,
    warnings: &mut Vec<String>,
) -> Result<(), ReadError> {
    let read = read::read(path, &ReadOptions::default(), builder);
    let read = read.map_err(|error| ReadError::new(path, error))?;
    warnings.extend(texts(path, &read));
    Ok(())
}

fn texts(path: &Path, warnings: &Warnings) -> Vec<String> {
    let path = path.display();
    let listed = warnings.listed().iter();
    let texts = listed.map(|(line, warning)| format!("{path}:{line}: {warning}"));
    let more =
        (warnings.unlisted() > 0).then(|| format!("{path}: {} more warnings", warnings.unlisted()));
    texts.chain(more).collect()
}

/// A file that cannot be read, or is no profile.
#[derive(Debug)]
pub struct ReadError {
    path: PathBuf,
    error: warning::Error,
}

impl ReadError {
    fn new(path: &Path, error: warning::Error) -> ReadError {
        ReadError {
            path: path.to_owned(),
            error,
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of the line that is wrong, if it is one.
    pub fn line(&self) -> Option<u64> {
        self.error.line
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        if let Some(line) = self.error.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.error)
    }
}

impl Error for ReadError {}
