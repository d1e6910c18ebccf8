//! The difference of two profiles.

use std::path::Path;

use super::reading::Reading;
use super::rows::{DiffRow, RowBy, RowCosts};
use super::{EventId, Events, Filter, ReadError, ReadOptions, Warning};
use crate::profile::Overflow;

/// Two profiles, compared row by row. Each has its own call graph and inclusive costs.
///
/// Names and paths that differ only in what a build or a machine changes, such as the number of a clone or the folder of the
/// sources, are paired as by the program's `--diff`.
pub struct Diff {
    data: crate::profile::Profile,
    warnings: Vec<Warning>,
}

impl Diff {
    /// Reads two profiles to compare.
    ///
    /// # Errors
    /// One of them cannot be read, or is no profile.
    pub fn read(new: impl AsRef<Path>, base: impl AsRef<Path>) -> Result<Diff, ReadError> {
        Diff::read_with([new], [base], &ReadOptions::default())
    }

    /// Reads two profiles to compare as options say, each the sum of its files.
    ///
    /// # Errors
    /// A file cannot be read, or is no profile; or none of the files has a part, thread or event that the options name.
    pub fn read_with(
        new: impl IntoIterator<Item = impl AsRef<Path>>,
        base: impl IntoIterator<Item = impl AsRef<Path>>,
        options: &ReadOptions,
    ) -> Result<Diff, ReadError> {
        let mut reading = Reading::new(options);
        reading.add_files(new)?;
        reading.begin_base();
        reading.add_files(base)?;
        let (data, warnings) = reading.finish()?;
        Ok(Diff { data, warnings })
    }

    /// What was malformed or contradictory in the files; see [`Profile::warnings`](super::Profile::warnings).
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The event with this name: `events().find(name)`.
    pub fn event(&self, name: &str) -> Option<EventId> {
        self.events().find(name)
    }

    /// What the two profiles count: the events of the new one, then those that only the base has.
    pub fn events(&self) -> Events<'_> {
        Events::new(self.data.events())
    }

    /// The rows of both profiles, by function, file, object, namespace or name.
    ///
    /// ```
    /// use cgannotate::{Diff, RowBy};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let diff = Diff::read("testdata/words/words-longer.out", "testdata/words/words.out")?;
    /// let ir = diff.event("Ir").ok_or("no Ir")?;
    /// for row in diff.rows(RowBy::Object)? {
    ///     println!("{:?} -> {:?}  {}", row.before(ir), row.after(ir), row.name());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Overflow`] if a sum or difference does not fit into 64 bits.
    pub fn rows(&self, by: RowBy) -> Result<Vec<DiffRow>, Overflow> {
        self.rows_with(by, &Filter::default())
    }

    /// The rows of the code that a filter accepts.
    ///
    /// # Errors
    /// [`Overflow`] if a sum or difference does not fit into 64 bits.
    pub fn rows_with(&self, by: RowBy, filter: &Filter) -> Result<Vec<DiffRow>, Overflow> {
        let costs = RowCosts::new(&self.data, by, filter)?;
        Ok(costs.diff_rows().collect())
    }
}
