//! gprof's reports about other things than functions: contents, an order for a linker, the sum.

use std::io::Write;
use std::path::Path;

use anyhow::Result;

use super::super::Context;
use super::super::message;
use super::super::output::OutputFile;
use super::GprofViews;
use crate::render;
use crate::view::{Lists, MergedFunctions, ProfileInfo, link_order};

/// The file that the sum is written to.
const SUM: &str = "callgrind.sum";

impl Context<'_> {
    /// Writes what the profiles hold.
    pub(super) fn write_info(
        &self,
        functions: &MergedFunctions<'_>,
        out: &mut impl Write,
    ) -> Result<()> {
        let profile = &self.input.profile;
        let contents = ProfileInfo::of(profile, functions);
        let (parts, total) = (profile.parts(), &self.total.figure.value);
        let done = render::write_info(&contents, parts, profile.events(), total, self.escapes, out);
        Ok(done?)
    }

    /// Writes the names of functions in an order for a linker.
    pub(super) fn write_link_order(
        &self,
        views: &GprofViews<'_>,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        let table = views.graph.table(&Lists::default());
        let order = link_order(views.functions, &table, |function| views.accepts(function));
        render::write_names(&order.names, self.escapes, out)?;
        if order.others > 0 {
            let others = order.others;
            let (functions, their) = match others {
                1 => ("function", "its name is not a linker symbol"),
                _ => ("functions", "their names are not linker symbols"),
            };
            let remedy = "profile with --demangle=no and symbols";
            message::warn(
                err,
                format_args!("{others} {functions} omitted: {their} ({remedy})"),
            )?;
        }
        Ok(())
    }

    /// Writes the sum of all profiles to its file.
    pub(super) fn write_sum(&self) -> Result<()> {
        let mut file = OutputFile::create(Path::new(SUM))?;
        self.write_callgrind(&mut file)?;
        file.finish()
    }
}
