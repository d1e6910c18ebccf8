//! Reads the input of a report, and fits the options to what was read. Where a report has rows only
//! with other options, the input is read once more with these, and a note says which they are.

use std::borrow::Cow;
use std::mem;
use std::path::PathBuf;

use anyhow::Result;

use super::first_profile::explained;
use super::given_instead::GivenInstead;
use super::input::{self, Input};
use super::kept::MayBeInlined;
use super::message::{Messages, UsageError, display_name};
use super::overwrite::check_output_of_profile;
use super::sampled::SampledFiles;
use super::unmatched::{self, CodeOfProfile};
use crate::options::{KeptNames, Options};
use crate::render::{Feature, SuggestedCommand};
use crate::view::{Charged, PathDirection, Threshold};

/// The largest threshold of cg_annotate in percent.
const MAX_OF_CG_ANNOTATE: f64 = 20.0;

/// The input of a report, and the options that fit it.
pub(super) struct Reading<'o> {
    pub(super) options: Cow<'o, Options>,
    pub(super) input: Input,
}

impl<'o> Reading<'o> {
    /// Reads `files`, the profiles and the sources of NEW, or `sampled`, gprof's data.
    pub(super) fn new(
        options: Cow<'o, Options>,
        files: Vec<PathBuf>,
        sampled: Option<&SampledFiles>,
        messages: &Messages,
    ) -> Result<Reading<'o>> {
        check_charged(&options)?;
        let mut read_from = InputFiles { files, sampled };
        let mut reading = read_from.read(options, messages)?;
        check_sources(&reading.options, &reading.input)?;
        check_output_of_profile(&reading.options, &reading.input)?;
        reading.read_threshold_of_cg_annotate(messages);
        reading.choose_own_code();
        if let Err(error) = reading.match_filter(messages) {
            reading = reading.with_inlined(&read_from).ok_or(error)?;
            messages.note("only inlined functions match: shown with --inlines");
        }
        if let Some(without) = reading.without_mine(&read_from) {
            reading = without;
            messages
                .note("with --mine the code of libraries is part of its callers; shown without it");
        }
        Ok(reading)
    }

    /// Of a Cachegrind profile, a threshold that cg_annotate accepts is the percentage of each row.
    fn read_threshold_of_cg_annotate(&mut self, messages: &Messages) {
        let selection = &self.options.selection;
        let percent = selection.threshold.percent;
        let is_its = selection.may_be_of_cg_annotate && percent <= MAX_OF_CG_ANNOTATE;
        if !is_its || selection.list.min.is_some() || !self.input.profile.is_from_cachegrind() {
            return;
        }
        let text = &selection.threshold.text;
        messages.note(format!(
            "--threshold={text} of a Cachegrind profile is cg_annotate's, the same as --min={text}"
        ));
        let selection = &mut self.options.to_mut().selection;
        selection.list.min = Some(mem::replace(&mut selection.threshold, Threshold::all()));
        selection.has_own_threshold = false;
    }

    /// With `--mine`, makes the user's own code the rows.
    fn choose_own_code(&mut self) {
        if let Some(own) = &self.input.changes.own_code {
            own.choose_in(&mut self.options.to_mut().rows.filter);
        }
    }

    /// Checks that the filter matches something. Names are also searched for the text of a pattern,
    /// unless limits depend on it, or a program reads the report: a note says so to people only.
    fn match_filter(&mut self, messages: &Messages) -> Result<()> {
        let Input { profile, has_addresses, finder, .. } = &self.input;
        let options = self.options.to_mut();
        let is_chosen = !options.rows.filter.is_empty() || options.code.asm.is_some();
        let format = options.report.format();
        let is_for_people = format.is_none_or(|format| !format.is_for_programs());
        if is_for_people && options.limits.is_empty() && is_chosen {
            unmatched::widen(options, profile, *has_addresses, messages);
        }
        let given = &options.input;
        // What these leave out may have been called.
        let is_whole = given.kept.is_empty()
            && given.charged.is_empty()
            && given.read.part_options().next().is_none();
        let code = CodeOfProfile {
            has_addresses: *has_addresses,
            tries_inlined: may_be_inlined(options, *has_addresses),
            finder: is_whole.then_some(finder),
        };
        unmatched::check_filter(options, profile, code, messages)
    }

    /// The reading with inlined functions, if the filter matches only them.
    fn with_inlined(&self, files: &InputFiles<'_>) -> Option<Reading<'o>> {
        let given = &self.options;
        if !may_be_inlined(given, self.input.has_addresses) {
            return None;
        }
        let mut options = Options::clone(given);
        options.input.inlines = true;
        files.read_once_more(options)
    }

    /// The reading without `--mine`, if the callers of functions of libraries are requested, none
    /// of which is a row with it. A tree of callers ends at the user's own code anyway.
    fn without_mine(&self, files: &InputFiles<'_>) -> Option<Reading<'o>> {
        let is_mine = self.options.input.charged.iter().any(Charged::leaves_own);
        let filter = &self.options.rows.filter;
        // That of functions, and that of --mine.
        let [of_functions, of_mine] = &filter.choices[..] else {
            return None;
        };
        let are_alone = of_functions.include.iter().any(|rule| rule.function.is_some())
            && of_mine.include.len() == 1
            && of_mine.exclude.is_empty();
        let list = self.options.report.list()?;
        if !is_mine || !are_alone || !list.tree.contains(&PathDirection::Callers) {
            return None;
        }
        let profile = &self.input.profile;
        if profile.fragments_in_use().any(|fragment| filter.accepts_fragment(profile, fragment)) {
            return None;
        }
        let mut options = Options::clone(&self.options);
        options.input.charged.retain(|charged| !charged.leaves_own());
        options.rows.filter.choices.truncate(1);
        files.read_once_more(options)
    }
}

/// Whether a filter that matches nothing is tried on inlined functions; limits depend on no guess.
fn may_be_inlined(options: &Options, has_addresses: bool) -> bool {
    has_addresses && !options.input.inlines && options.limits.is_empty()
}

/// What a reading is made from.
struct InputFiles<'s> {
    files: Vec<PathBuf>,
    sampled: Option<&'s SampledFiles>,
}

impl InputFiles<'_> {
    /// The first reading. A file that is none, but says what to show, becomes an option.
    fn read<'o>(&mut self, options: Cow<'o, Options>, messages: &Messages) -> Result<Reading<'o>> {
        let error = match self.input(&options, messages) {
            Ok(input) => return Ok(Reading { options, input }),
            Err(error) => error,
        };
        if let Some(MayBeInlined(name)) = error.downcast_ref() {
            return self.read_inlined(options, name, messages);
        }
        let Some(given) = error.downcast_ref::<GivenInstead>() else {
            return Err(error);
        };
        let Some(instead) = given.options(&options) else {
            return Err(error);
        };
        messages.note(given.note());
        self.files.retain(|file| file != given.path());
        // The messages about the files were printed when they were read first.
        let input = self.input(&instead, &Messages::held())?;
        Ok(Reading { options: Cow::Owned(instead), input })
    }

    /// The reading with inlined functions, one of which has the name of a kept part, if that is so;
    /// or else as if debug information had no such name.
    fn read_inlined<'o>(
        &self,
        options: Cow<'o, Options>,
        name: &[u8],
        messages: &Messages,
    ) -> Result<Reading<'o>> {
        let mut options = Options::clone(&options);
        options.input.progress = false;
        let mut inlined = options.clone();
        (inlined.input.inlines, inlined.input.kept_names) = (true, KeptNames::Exact);
        if let Ok(input) = self.input(&inlined, &Messages::held()) {
            let name = display_name(name);
            messages.note(format!("{name} is an inlined function: shown with --inlines"));
            return Ok(Reading { options: Cow::Owned(inlined), input });
        }
        options.input.kept_names = KeptNames::Wider;
        let input = self.input(&options, messages)?;
        Ok(Reading { options: Cow::Owned(options), input })
    }

    /// A reading with other options; none if the filter matches nothing with them either.
    fn read_once_more<'o>(&self, mut options: Options) -> Option<Reading<'o>> {
        options.input.progress = false;
        // The messages about the files were printed when they were read first.
        let held = Messages::held();
        let input = self.input(&options, &held).ok()?;
        let mut reading = Reading { options: Cow::Owned(options), input };
        reading.match_filter(&held).ok()?;
        Some(reading)
    }

    fn input(&self, options: &Options, messages: &Messages) -> Result<Input> {
        match self.sampled {
            Some(sampled) => input::read(options, &sampled.sources, Some(sampled), messages),
            None => {
                let read = input::read(options, &self.files, None, messages);
                explained(read, &self.files, &options.input.base)
            }
        }
    }
}

/// An error if code is charged to its callers, and executions of its lines are requested.
fn check_charged(options: &Options) -> Result<()> {
    if let Some(charged) = options.input.charged.first()
        && options.code.is_shown()
    {
        let option = charged.option();
        let text = format!("{option} cannot be combined with executions of lines (-lA, -lC)");
        return Err(UsageError(text).into());
    }
    Ok(())
}

/// Refuses source files in formats that show none; the error names what shows their lines.
fn check_sources(options: &Options, input: &Input) -> Result<()> {
    let (Some(source), Some(page)) = (input.sources.first(), options.report.page()) else {
        return Ok(());
    };
    let format = page.format.name();
    let mut instead = String::new();
    if page.format.is_classic && !input.lines.is_empty() {
        let text = "single lines of sources cannot be shown with --format=classic: callgrind_annotate's page has whole sources";
        return Err(UsageError(text.to_owned()).into());
    }
    if page.format.has(Feature::Sources) && page.format.is_for_people {
        return Ok(());
    }
    if page.format.has_list() && page.format.has(Feature::Rows) {
        let options = SuggestedCommand::new("-g line").option("--file", source);
        instead = format!("; its lines: {}", options.words(&format!("--format={format}")));
    }
    let source = display_name(source);
    let text =
        format!("{source}: source files cannot be annotated with --format={format}{instead}");
    Err(UsageError(text).into())
}
