//! The report in other forms than the page.

use std::io::Write;

use anyhow::{Context, Result};

use super::Report;
use crate::load::in_words;
use crate::render::{self, WriteError};
use crate::view::{Rows, Written};

impl Report<'_> {
    /// Writes the profile back.
    pub(super) fn write_profile(&self, out: &mut impl Write) -> Result<()> {
        let rows = Rows::new(&self.input.profile, &self.config.rows);
        let written = Written::new(&self.input.profile, &rows, &self.selection);
        let done = render::write_callgrind(
            &written,
            &self.input.profile,
            &self.total,
            self.style(),
            out,
        );
        match done {
            Err(WriteError::Io(error)) => Err(error.into()),
            done => done.with_context(|| in_words(&self.input.paths)),
        }
    }
}
