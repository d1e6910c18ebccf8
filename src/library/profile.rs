//! A profile: what was read, and what belongs to all of it: its events, parts, total and rows.

use std::io::Read;
use std::path::Path;

use super::reading::Reading;
use super::rows::{Row, RowBy, RowCosts};
use super::{EventId, Events, Filter, ReadError, ReadOptions, Warning};
use crate::profile::{Count, Overflow, Part};

/// A Callgrind or Cachegrind profile, or the sum of several. Reading decompresses gzip.
pub struct Profile {
    pub(super) data: crate::profile::Profile,
    warnings: Vec<Warning>,
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
        Profile::read_with(paths, &ReadOptions::default())
    }

    /// Reads files as options say, and adds them up.
    ///
    /// # Errors
    /// One of them cannot be read, or is no profile; or they have not a part, thread or event that the options name.
    pub fn read_with(
        paths: impl IntoIterator<Item = impl AsRef<Path>>,
        options: &ReadOptions,
    ) -> Result<Profile, ReadError> {
        let mut reading = Reading::new(options);
        reading.add_files(paths)?;
        let (data, warnings) = reading.finish()?;
        Ok(Profile { data, warnings })
    }

    /// Reads the bytes of a profile.
    ///
    /// # Errors
    /// They cannot be read, or are no profile.
    pub fn from_reader(bytes: impl Read + Send + 'static) -> Result<Profile, ReadError> {
        let options = ReadOptions::default();
        let mut reading = Reading::new(&options);
        reading.add_bytes(bytes)?;
        let (data, warnings) = reading.finish()?;
        Ok(Profile { data, warnings })
    }

    /// What was malformed or contradictory, in the order of files and lines: at most ten warnings a file, and one that says how
    /// many more there are.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The event with this name: `events().find(name)`.
    pub fn event(&self, name: &str) -> Option<EventId> {
        self.events().find(name)
    }

    /// What it counts.
    pub fn events(&self) -> Events<'_> {
        Events::new(self.data.events())
    }

    /// The headers of the profile's parts: dumps and threads.
    pub fn parts(&self) -> &[Part] {
        self.data.parts()
    }

    /// The cost of the whole program: what the profile states, or else the sum of the self costs.
    ///
    /// # Errors
    /// [`Overflow`] if a sum does not fit into 64 bits.
    pub fn total(&self, event: EventId) -> Result<Count, Overflow> {
        let (total, _) = self.data.sides().new.total(self.data.events())?;
        Ok(total[event.0])
    }

    /// The rows by function, file, object, namespace or name, in the order in which the profile names them. Their self costs
    /// add up to those of all functions.
    ///
    /// ```
    /// use cgannotate::{Profile, RowBy};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let profile = Profile::read("testdata/words/words.out")?;
    /// let ir = profile.event("Ir").ok_or("no Ir")?;
    /// let rows = profile.rows(RowBy::Object)?;
    /// let largest = rows.iter().max_by_key(|row| row.own(ir).or_zero());
    /// assert!(largest.is_some_and(|row| row.name().ends_with("/words")));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Overflow`] if a sum does not fit into 64 bits.
    pub fn rows(&self, by: RowBy) -> Result<Vec<Row>, Overflow> {
        self.rows_with(by, &Filter::default())
    }

    /// The rows of the code that a filter accepts. Of a file or group that it accepts in part, the row is of that part.
    ///
    /// # Errors
    /// [`Overflow`] if a sum does not fit into 64 bits.
    pub fn rows_with(&self, by: RowBy, filter: &Filter) -> Result<Vec<Row>, Overflow> {
        let costs = RowCosts::new(&self.data, by, filter)?;
        Ok(costs.rows().collect())
    }
}
