//! What gprof offers besides its views of functions: annotated sources, contents, an order for a linker, the sum;
//! and its symspecs where they add_symspec_filter other reports.

use std::io::Write;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::super::Context;
use super::super::input::display_paths;
use super::super::output::OutputFile;
use super::{GprofViews, warn_unmatched};
use crate::profile::Profile;
use crate::view::{Concern, Contents, Cycles, Functions, Lists, Matched, Rows, ordering};
use crate::{Options, render};

/// The file that the sum is written to.
const SUM: &str = "callgrind.sum";

/// Narrows a report that is none of gprof's to the functions that symspecs ask for.
pub(in crate::run) fn add_symspec_filter(
    config: &mut Options,
    profile: &Profile,
    err: &mut impl Write,
) -> std::io::Result<()> {
    let functions = Functions::new(profile, false);
    let symspecs = &config.gprof.symspecs;
    let mut matched = symspecs.none_matched();
    let concerns = [Concern::Shown, Concern::Counted];
    let choice = symspecs.choice(&concerns, &functions.all_subjects(), &mut matched);
    warn_unmatched(symspecs, &matched, err)?;
    if !choice.include.is_empty() || !choice.exclude.is_empty() {
        config.rows.filter.choices.push(choice);
        config.selection.tells_rest = true;
    }
    Ok(())
}

impl Context<'_> {
    /// Writes the annotated sources that the symspecs choose.
    pub(super) fn write_annotated(
        &self,
        functions: &Functions<'_>,
        matched: &mut Matched,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        let mut config = self.config.clone();
        config.auto = true;
        if config.gprof.symspecs.concern(Concern::Sources) {
            let subjects = functions.all_subjects();
            let choice = config
                .gprof
                .symspecs
                .choice(&[Concern::Sources], &subjects, matched);
            config.rows.filter.choices.push(choice);
        }
        let report = Context::new(&config, self.input, self.escapes)?;
        let mut cycles = if config.cycles {
            Cycles::find(&self.input.profile)
        } else {
            Cycles::none(&self.input.profile)
        };
        let mut rows = Rows::new(&self.input.profile, &config.rows);
        let list = report.list(&mut rows, &mut cycles);
        let list = list.with_context(|| display_paths(&self.input.paths))?;
        report.write_sources(&list, &rows, &cycles, out, err)
    }

    /// Writes what the profiles hold.
    pub(super) fn write_contents(
        &self,
        functions: &Functions<'_>,
        out: &mut impl Write,
    ) -> Result<()> {
        let profile = &self.input.profile;
        let contents = Contents::of(profile, functions);
        let contents = contents.with_context(|| display_paths(&self.input.paths))?;
        let (parts, total) = (&profile.parts, &self.total.cost);
        let done = render::write_info(&contents, parts, &profile.events, total, self.escapes, out);
        Ok(done?)
    }

    /// Writes the names of functions in an order for a linker.
    pub(super) fn write_order(
        &self,
        views: &GprofViews<'_>,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        let table = views.graph.table(&Lists::default());
        let table = table.with_context(|| display_paths(&self.input.paths))?;
        let order = ordering(views.functions, &table, |function| views.accepts(function));
        render::write_names(&order.names, self.escapes, out)?;
        if order.others > 0 {
            let others = order.others;
            writeln!(
                err,
                "cgannotate: {others} functions left out whose names are no symbols (profiled without --demangle=no, \
                 or without symbols)"
            )?;
        }
        Ok(())
    }

    /// Writes the sum of all profiles to its file.
    pub(super) fn write_sum(&self) -> Result<()> {
        let mut file = OutputFile::create(Path::new(SUM))?;
        self.write_profile(&mut file)?;
        file.finish()
    }
}
