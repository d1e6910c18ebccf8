//! The report in other forms than the page.

use std::io::Write;

use anyhow::{Context, Result};

use super::Report;
use crate::load::in_words;
use crate::render::{self, JsonReport, WriteError};
use crate::view::{Calls, Cycles, Details, FunctionList, Inclusive, Rows, Written};

impl Report<'_> {
    /// Writes the report as JSON.
    pub(super) fn write_json(&self, out: &mut impl Write) -> Result<()> {
        let (config, profile) = (self.config, &self.input.profile);
        let in_files = || in_words(&self.input.paths);
        let mut cycles = if config.cycles {
            Cycles::find(profile)
        } else {
            Cycles::none(profile)
        };
        let mut rows = Rows::new(profile, &config.rows);
        let inclusive = Inclusive::new(profile, &mut rows, &mut cycles, &self.selection);
        let inclusive = inclusive.with_context(in_files)?;
        let list = if config.inclusive {
            FunctionList::by_inclusive_cost(&rows, &self.selection, &self.total, &inclusive)
        } else {
            FunctionList::by_self_cost(profile, &rows, &self.selection, &self.total)
        };
        let list = list.with_context(in_files)?;
        let calls = config
            .tree
            .has_callers()
            .then(|| Calls::new(profile, &rows, &cycles));
        let calls = calls.transpose().with_context(in_files)?;
        let report = JsonReport {
            profile,
            total: &self.total,
            selection: &self.selection,
            list: &list,
            is_inclusive: config.inclusive,
            rows: &rows,
            details: &Details::new(profile, &rows, &inclusive, &cycles, &self.selection),
            callers: calls.as_ref(),
        };
        Ok(render::write_json(&report, out)?)
    }

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
