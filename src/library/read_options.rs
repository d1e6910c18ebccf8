//! How profiles are read.

use std::path::Path;

use super::Formula;
use crate::read;

/// How profiles are read. Without any of these settings all that the files have is read, as it is.
///
/// ```
/// use cgannotate::{Formula, Profile, ReadOptions};
///
/// # fn main() -> Result<(), cgannotate::Error> {
/// let options = ReadOptions::new()
///     .part(1)
///     .fold_recursion(true)
///     .event("Misses", Formula::parse("D1mr + D1mw")?);
/// let profile = Profile::read_with(["testdata/words/words.sim.out"], &options)?;
/// let total = |name| profile.event(name).map(|event| profile.total(event));
/// assert_eq!(total("D1mr").transpose()?.and_then(|count| count.value()), Some(87));
/// assert_eq!(total("D1mw").transpose()?.and_then(|count| count.value()), Some(588));
/// assert_eq!(total("Misses").transpose()?.and_then(|count| count.value()), Some(675));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ReadOptions {
    pub(super) read: read::ReadOptions,
    /// Events with their formulas.
    pub(super) events: Vec<(String, Formula)>,
    /// Events that have a formula already.
    pub(super) derived: Vec<String>,
}

impl ReadOptions {
    /// Reads all there is.
    pub fn new() -> ReadOptions {
        ReadOptions::default()
    }

    /// Reads only the parts with this number, that of their `part:` line, and with those of further calls. Callgrind
    /// writes a part at each dump. Reading is an error if there is no such part.
    pub fn part(mut self, number: impl ToString) -> ReadOptions {
        self.read.parts.push(number.to_string().into_bytes());
        self
    }

    /// Reads only the parts of this thread, that of their `thread:` line, and those of further calls. Reading is an error
    /// if there is no such thread.
    pub fn thread(mut self, number: impl ToString) -> ReadOptions {
        self.read.threads.push(number.to_string().into_bytes());
        self
    }

    /// Whether functions that differ only in their callers become one: `f'caller` is then `f`. Callgrind writes callers
    /// into names with `--separate-callers`.
    pub fn fold_callers(mut self, folds: bool) -> ReadOptions {
        self.read.fold.callers = folds;
        self
    }

    /// Whether functions that differ only in their level of recursion become one: `f'2` is then `f`. Callgrind writes levels
    /// into names with `--separate-recs`.
    pub fn fold_recursion(mut self, folds: bool) -> ReadOptions {
        self.read.fold.recursion = folds;
        self
    }

    /// The folder that is removed from the start of the names of source files, so that those of two machines are the same:
    /// without `/home/me/project`, `/home/me/project/src/a.c` is `src/a.c`.
    pub fn remove_folder(mut self, folder: impl AsRef<Path>) -> ReadOptions {
        let mut folder = folder.as_ref().as_os_str().as_encoded_bytes();
        while let Some(shorter) = folder.strip_suffix(b"/") {
            folder = shorter;
        }
        self.read.working_dir = Some(folder.to_vec());
        self
    }

    /// Adds an event that is computed from others. An event of this name that the profile recorded stays as it is. Reading
    /// is an error if the profile has not all events of the formula.
    pub fn event(mut self, name: impl Into<String>, formula: Formula) -> ReadOptions {
        self.events.push((name.into(), formula));
        self
    }

    /// Adds an event that is computed from others by a formula that is known: `L1m`, `L2m`, `LLm`, `Bm` or `CEst` as
    /// KCachegrind defines them, or what an `event:` line of the profile defines. What the profile does not count of the
    /// formula is 0; reading is an error if it counts nothing of it.
    pub fn derived_event(mut self, name: impl Into<String>) -> ReadOptions {
        self.derived.push(name.into());
        self
    }
}
