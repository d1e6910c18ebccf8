//! Writes gprof's views: of gprof's own data, or of a Callgrind profile, in place of the normal
//! report.

mod callgrind;
mod sampled;
mod sources;
mod static_calls;

use std::io::Write;

use anyhow::{Result, bail};

use crate::gprof::options::GprofOptions;
use crate::gprof::views::{Scope, Symspecs};
use crate::options::Options;
use crate::profile::Profile;
use crate::run::message::{Messages, UsageError};
use crate::run::sampled::SampledFiles;
use crate::run::unmatched::similar_functions;
use crate::run::{Context, WriteViews};
use crate::view::{Charged, KeptCode};

/// The writer of gprof's views.
pub struct GprofReports;

impl WriteViews for GprofReports {
    fn note_unused(options: &GprofOptions, messages: &Messages) {
        if options.all_blocks && !options.display.by_line {
            messages.note("-x has no effect without -l");
        }
    }

    fn write_samples(
        files: &SampledFiles,
        options: &Options,
        views: &GprofOptions,
        escapes: bool,
        out: &mut impl Write,
        messages: &Messages,
    ) -> Result<()> {
        check_options(options)?;
        sampled::write(files, options, views, escapes, out, messages)
    }

    fn write_profile(
        report: &Context<'_>,
        views: &GprofOptions,
        out: &mut impl Write,
    ) -> Result<()> {
        callgrind::write(report, views, out)
    }
}

/// Rejects options for what gprof's data does not have.
fn check_options(all: &Options) -> Result<(), UsageError> {
    let (read, selection) = (&all.input.read, &all.selection);
    let is_folded = read.fold.callers || read.fold.recursion;
    let of_fold = "names in gprof's data have no suffixes of callers";
    let is_plain = all.input.charged.is_empty();
    let charged = all.input.charged.first().map_or("--charge-to-callers", Charged::option);
    let of_charged = "of gprof's data only without the command gprof";
    let option = all.input.kept.first().map_or("below", KeptCode::option);
    let kept = (all.input.kept.is_empty(), &*format!("--{option}"), of_charged.to_owned());
    let has = |what| format!("gprof's data has {what}");
    let unused = [
        (selection.show.is_empty(), "--show", has("one event")),
        (selection.sort.is_empty(), "--sort", has("one event")),
        (all.input.events.is_empty(), "--event", has("one event")),
        (!is_folded, "--fold", of_fold.to_owned()),
        (is_plain, charged, of_charged.to_owned()),
        kept,
    ];
    if let Some(option) = read.part_options().next() {
        return Err(UsageError(format!("{}: gprof's data has no {}", option.name, option.needs)));
    }
    let given = unused.iter().find(|(is_unused, ..)| !is_unused);
    let error = |(_, option, why): &(_, _, _)| UsageError(format!("{option}: {why}"));
    given.map_or(Ok(()), |given| Err(error(given)))
}

/// Reports the symspecs that match nothing by themselves, those that exclude something too. gprof
/// ignores them, which is followed only if requested.
fn check_symspecs(
    symspecs: &Symspecs,
    profile: Option<&Profile>,
    are_ignored: bool,
    messages: &Messages,
) -> Result<()> {
    if are_ignored {
        for spec in symspecs.all.iter().filter(|spec| !spec.is_used) {
            let text = spec.text.escape_default();
            messages.warn(format!("{text}: matches nothing, ignored"));
        }
        return Ok(());
    }
    let unmatched: Vec<_> = symspecs.all.iter().filter(|spec| !spec.has_matched).collect();
    match (&unmatched[..], profile) {
        ([], _) => Ok(()),
        ([spec], None) => bail!("{}: matches nothing in the program", spec.text.escape_default()),
        ([spec], Some(profile)) => {
            let text = spec.text.escape_default();
            let (what, sides) = match spec.scopes {
                [Scope::Arcs] => ("call", spec.value().split('/').collect()),
                _ => ("function", vec![spec.value()]),
            };
            let functions = sides.iter().map(|side| side.rsplit(':').next().unwrap_or(side));
            let similar = similar_functions(functions.map(str::as_bytes), profile);
            bail!("{text}: no {what} matches{similar}");
        }
        (several, _) => {
            let texts = several.iter().map(|spec| spec.text.escape_default().to_string());
            bail!("{}: each matches nothing", texts.collect::<Vec<_>>().join(", "));
        }
    }
}
