//! The first half of a run: from the files to the profile that is reported. The order of the steps
//! matters: each says before or after what it has to come.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};

use super::base_sources::{alignments, texts_of_names, texts_of_sides};
use super::file_kinds::{FileKind, file_kinds, has_files_of_threads};
use super::forks::forks;
use super::given_sources::{LinesOfSources, given_sources};
use super::inlines::{InlinedShare, inline};
use super::judgeable::{NOT_JUDGED, one_sided_options};
use super::kept::keep_parts;
use super::lost_code::{LostCode, lost_code};
use super::message::{Messages, Progress, and_more, display_name, display_path, display_paths};
use super::mine::OwnCode;
use super::misses::{cycles_beside_limits, events_of_misses};
use super::read_files::{ReadFile, ReadFiles};
use super::same_files::note_same_files;
use super::sampled::{SampledFiles, add_to_profile};
use super::scale::{self, Scale};
use super::unmatched::{self, CodeOfProfile};
use super::warnings::warn_of_files;
use crate::options::Options;
use crate::profile::{
    AddError, BASE, DivideBy, NEW, NameKind, Part, Profile, ProfileBuilder, Sides, SuffixFold,
};
use crate::read::warning::Warnings;
use crate::read::{self, Detail, ReadOptions, RecordedFiles};
use crate::render::{Contents, counted};
use crate::source::{self, Finder, LineMap, TextsOfSides};
use crate::transform::{
    ChargedCode, CopiesAt, LateFold, MAX_NEW_CALLS, charge_to_callers, divide_by_line,
    fold_suffixes, inline_files, join_files, pair, pair_renamed, with_home_files,
};
use crate::view::{KeptPart, RowBy, Series};

/// What was read for a report: the profile after all that changes it, and what is known of its
/// files.
pub(crate) struct Input {
    pub(crate) profile: Profile,
    pub(crate) paths: Vec<PathBuf>,
    /// The sources given on the command line, by their names in the profile.
    pub(crate) sources: Vec<Vec<u8>>,
    /// The lines of given sources, for those of which only some lines were given.
    pub(crate) lines: LinesOfSources,
    pub(crate) scale: Scale,
    pub(crate) finder: Finder,
    pub(crate) changes: Changes,
    pub(crate) has_addresses: bool,
    /// The files of each side, in the order of reading.
    pub(crate) files: Sides<Vec<ReadFile>>,
    /// Whether the profile was made from gprof's data.
    pub(crate) is_sampled: bool,
}

/// What is known of a profile from the options that changed whose code its costs are.
pub(crate) struct Changes {
    /// In a difference, a note on paths that are compared although they differ.
    pub(crate) pairs: Option<String>,
    /// With `--mine`, what is the user's own code.
    pub(crate) own_code: Option<OwnCode>,
    /// The share of the cost in inlined functions, if they are functions of the profile.
    pub(crate) inlined: Option<InlinedShare>,
    /// The options that change the profile on one side only, and that side.
    pub(crate) one_sided_options: Vec<(String, usize)>,
    /// The functions of which a file has lost the costs, for limits.
    pub(crate) lost_code: Vec<LostCode>,
    /// The parts of the profile that were kept.
    pub(crate) kept: Vec<KeptPart>,
    /// How often the profiled programs forked.
    pub(crate) forks: i64,
}

impl Input {
    /// The profiles as a series.
    pub(crate) fn series(&self, options: &Options) -> Series {
        let has_damage =
            |files: &ReadFiles| files.iter().any(|file| file.warnings.damage.is_some());
        let is_damaged = self.files.iter().map(has_damage).collect();
        Series::new(&self.profile, options.input.labels.clone(), is_damaged)
    }

    pub(crate) fn copies_at(&self) -> Option<&CopiesAt> {
        Some(&self.changes.inlined.as_ref()?.copies_at)
    }
}

/// Warns of empty files, but for those beside which there are the profiles of threads.
fn warn_of_empty<'f>(
    empty: impl Iterator<Item = &'f PathBuf>,
    files: &[PathBuf],
    messages: &Messages,
) {
    for path in empty.filter(|path| !has_files_of_threads(path, files)) {
        let path = display_path(path);
        messages.warn(format!("{path}: the file is empty, skipped"));
    }
}

fn note_missing_folders(folders: &[Vec<u8>], messages: &Messages) {
    for folder in folders.iter().filter(|folder| !source::path(folder).is_dir()) {
        let name = folder.strip_suffix(b"/").unwrap_or(folder);
        messages.note(format!("-I {}: no such folder", display_name(name)));
    }
}

/// Reads all profiles among the files, and looks for the sources among them.
/// With `sampled` the profile is gprof's data, and the other files are sources.
pub(super) fn read(
    options: &Options,
    files: &[PathBuf],
    sampled: Option<&SampledFiles>,
    messages: &Messages,
) -> Result<Input> {
    let kinds = match sampled {
        Some(_) => vec![FileKind::Source; files.len()],
        None => file_kinds(files)?,
    };
    let has_sources = kinds.contains(&FileKind::Source);
    let of_kind = |kind| {
        let files = files.iter().zip(&kinds);
        files.filter(move |file| *file.1 == kind).map(|file| file.0)
    };
    warn_of_empty(of_kind(FileKind::Empty), files, messages);
    let input = &options.input;
    let earlier = input.earlier.iter().flatten();
    let awaited: Vec<PathBuf> = files.iter().chain(&input.base).chain(earlier).cloned().collect();
    let progress = || Progress::start(messages, &awaited, &input.read.bytes_read);
    let while_reading = input.progress.then(progress);
    let mut steps = InputSteps {
        options,
        messages,
        sampled,
        has_sources,
        read_options: read_options(options, has_sources),
        paths: of_kind(FileKind::Profile).cloned().collect(),
        finder: Finder::new(input.folders.clone(), input.source_maps.clone()),
    };
    let (mut builder, files_of_sides) = steps.profiles()?;
    drop(while_reading);
    note_missing_folders(&input.folders, messages);
    let has_whole_sources = of_kind(FileKind::Source).any(|path| !source::is_line_of_source(path));
    steps.add_events(has_whole_sources, &mut builder)?;
    let has_addresses = files_of_sides.iter().flatten().any(|file| file.warnings.has_addresses);
    let (changed, changes) = steps.changed(builder.finish(), has_addresses)?;
    let skipped: Vec<Vec<Part>> = files_of_sides.iter().map(skipped_parts).collect();
    unmatched::check_read(options, &changed, &skipped)?;
    // After all profiles, as sources may be in the folder of any of them.
    let given = of_kind(FileKind::Source);
    let (sources, lines) =
        given_sources(given, &input.read, &changed, &mut steps.finder, messages)?;
    let (scaled, scale) = scale::scale(options, changed, messages)?;
    let profile = steps.divide(scaled)?;
    note_same_files(&steps.paths, input, messages);
    let mut of_sides = files_of_sides.into_iter();
    let files = Sides {
        new: of_sides.next().unwrap_or_default(),
        base: of_sides.next(),
        earlier: of_sides.collect(),
    };
    Ok(Input {
        profile,
        scale,
        paths: steps.paths,
        sources,
        lines,
        finder: steps.finder,
        changes,
        has_addresses,
        files,
        is_sampled: sampled.is_some(),
    })
}

impl Input {
    /// Whether all of a source is shown, rather than the lines around `SOURCE:LINE`.
    pub(super) fn has_whole_sources(&self) -> bool {
        self.sources.iter().any(|source| !self.lines.contains_key(source))
    }
}

/// The state of the steps from files to a profile.
struct InputSteps<'r> {
    options: &'r Options,
    messages: &'r Messages,
    /// gprof's data, in place of profiles.
    sampled: Option<&'r SampledFiles>,
    /// Whether sources are given.
    has_sources: bool,
    read_options: ReadOptions,
    paths: Vec<PathBuf>,
    finder: Finder,
}

impl InputSteps<'_> {
    /// Changes what was read: names and files of code, pairs of the sides, and the code that is
    /// kept or charged.
    fn changed(&self, read: Profile, has_addresses: bool) -> Result<(Profile, Changes)> {
        let (options, messages) = (self.options, self.messages);
        let (lost_code, forks) = (lost_code(options, &read), forks(&read));
        let (with_inlined, inlined) =
            inline(read, &self.paths, &self.finder, options, self.has_sources, messages)?;
        let joined = self.join_files(with_inlined)?;
        if joined.is_series() && !joined.sides_fit_together() {
            let files: Vec<PathBuf> = options.input.all_files().cloned().collect();
            bail!("{}: the counts of all profiles do not fit into 64 bits", display_paths(&files));
        }
        // Before paths are paired, as each side has its own sources.
        let at_home = self.find_home_files(joined)?;
        let (paired, pairs) = self.pair_sides(at_home)?;
        // Before code is charged or left out, after which no function has it.
        let one_sided_options = one_sided_options(options, &paired);
        // Before code is charged, which would be part of its callers.
        let is_whole = options.input.read.part_options().next().is_none();
        let finder = is_whole.then_some(&self.finder);
        let code = CodeOfProfile { has_addresses, tries_inlined: false, finder };
        let (with_kept, kept) = keep_parts(paired, options, code, messages)?;
        // After paths are paired, as BASE's own code may be in another folder than NEW's.
        let (profile, own_code) = self.charge_and_fold(with_kept)?;
        let changes =
            Changes { pairs, own_code, inlined, one_sided_options, lost_code, kept, forks };
        Ok((profile, changes))
    }

    /// Pairs the paths and the renamed functions of the sides; returns a note on the paths.
    fn pair_sides(&self, profile: Profile) -> Result<(Profile, Option<String>)> {
        if self.options.rows.exact_match {
            return Ok((profile, None));
        }
        let input = &self.options.input;
        let names = [BASE, NEW].map(|side| display_name(input.name_of_side(side)));
        let texts = texts_of_names(&self.finder, &input.base_folders);
        let likeness = |base: &[u8], new: &[u8]| match texts(new, base, true) {
            TextsOfSides::Both { base, new } => Some(LineMap::likeness(&base, &new)),
            TextsOfSides::Same(_) => Some(1.0),
            TextsOfSides::OnlyNew(_) | TextsOfSides::Unknown => None,
        };
        let sides = names.each_ref().map(|name| &name[..]);
        let (paired, pairs) = pair(profile, sides, likeness);
        Ok((self.pair_renamed(paired)?, pairs))
    }

    /// Adds files to the current side of a profile, and prints the warnings about them.
    fn read_files(
        &self,
        paths: &[PathBuf],
        options: &ReadOptions,
        profile: &mut ProfileBuilder,
    ) -> Result<ReadFiles> {
        let mut files = ReadFiles::new();
        let read = read::read_all(paths, options, profile, |path, read| {
            let warnings = read.map_err(|error| {
                let line = error.line.map(|line| format!("{line}:")).unwrap_or_default();
                anyhow!("{}:{line} {error}", display_path(path))
            })?;
            if let (_, Some(part)) = read::file_and_part(path)
                && !warnings.has_parts
            {
                return Err(unmatched::no_part(path, part, &warnings.skipped));
            }
            files.push(ReadFile { name: display_path(path), warnings });
            Ok::<(), anyhow::Error>(())
        });
        warn_of_files(&files, |event| self.options.may_show(event), self.messages);
        read.map(|()| files)
    }

    fn read_samples(&self, files: &SampledFiles, profile: &mut ProfileBuilder) -> Result<()> {
        let input = &self.options.input;
        let has_samples = add_to_profile(files, input, &self.read_options, profile, self.messages)?;
        if !has_samples && !self.options.limits.is_empty() {
            let names = display_paths(&files.profiles);
            bail!("{names}: no histogram of samples; {NOT_JUDGED}");
        }
        Ok(())
    }

    fn read_base(&mut self, profile: &mut ProfileBuilder) -> Result<ReadFiles> {
        let input = &self.options.input;
        let options =
            ReadOptions { recorded_files: RecordedFiles::default(), ..self.read_options.clone() };
        let recorded = &self.read_options.recorded_files;
        let base = Some(Arc::clone(&options.recorded_files));
        self.finder.set_recorded(Arc::clone(recorded), base);
        let Some(sampled) = self.sampled else {
            return self.read_files(&input.base, &options, profile);
        };
        self.read_samples(&sampled.of_base(input), profile)?;
        Ok(ReadFiles::new())
    }

    /// Notes what some files lack, if any does.
    fn note(&self, files: &ReadFiles, lacks: fn(&Warnings) -> bool, what: &str) {
        let mut lacking = files.iter().filter(|file| lacks(&file.warnings));
        let Some(ReadFile { name: first, .. }) = lacking.next() else {
            return;
        };
        let more = and_more(lacking.count());
        self.messages.note(format!("{first}{more}: {what}"));
    }

    /// Reads the profiles; returns the builder with them, and the files of each side.
    fn profiles(&mut self) -> Result<(ProfileBuilder, Vec<ReadFiles>)> {
        let (options, input) = (self.options, &self.options.input);
        let mut profile = ProfileBuilder::default();
        let recorded = Arc::clone(&self.read_options.recorded_files);
        self.finder.set_recorded(recorded, None);
        let new = self.read_files(&self.paths, &self.read_options, &mut profile)?;
        // Sources are searched in the folders of profiles too.
        if let Some(sampled) = self.sampled {
            self.read_samples(sampled, &mut profile)?;
            self.paths.clone_from(&sampled.profiles);
        }
        self.finder.add_folders_of(&self.paths);
        // With --inlines lines come from the objects.
        if (options.shows_lines() || self.has_sources) && !input.inlines {
            let what = "no source lines, only addresses";
            self.note(&new, |file| file.lacks_lines, what);
        }
        // Only if other profiles have addresses.
        if options.code.needs_addresses() && profile.has_addresses() {
            let what = "no addresses of instructions; costs are at address 0";
            self.note(&new, |file| file.lacks_addresses, what);
        }
        let mut files = vec![new];
        if !input.base.is_empty() {
            profile.begin_side();
            files.push(self.read_base(&mut profile)?);
        }
        for earlier in &input.earlier {
            profile.begin_side();
            files.push(self.read_files(earlier, &self.read_options, &mut profile)?);
        }
        for warning in unmatched::unknown_in_formulas(profile.events()) {
            self.messages.warn(warning);
        }
        Ok((profile, files))
    }

    /// Defines the events of the command line, and adds those that are shown or sorted by.
    fn add_events(&self, has_whole_sources: bool, profile: &mut ProfileBuilder) -> Result<()> {
        let defined = &self.options.input.events;
        for (name, formula) in defined {
            profile.definitions().define(name.clone(), formula.clone());
        }
        let selection = &self.options.selection;
        let sorted = selection.sort.iter().map(|(name, _)| name);
        let limits = self.options.limits.iter().filter_map(|limit| limit.event.as_ref());
        let events = profile.definitions();
        let of_screen =
            if has_whole_sources { &[] } else { events_of_misses(self.options, events) };
        let requested = selection.show.iter().chain(sorted).chain(limits).map(Vec::as_slice);
        let used: Vec<Vec<u8>> = requested
            .chain(of_screen.iter().copied())
            .chain(cycles_beside_limits(self.options, events))
            .map(|name| events.own_name(name).to_vec())
            .collect();
        for name in &used {
            profile.definitions().define_unnamed(name);
        }
        for name in used.iter().chain(defined.iter().map(|(name, _)| name)) {
            let name_shown = display_name(name);
            let added = profile.derive_event(name).map_err(|error| match error {
                AddError::Overflow(_) => {
                    anyhow!("the counts of {name_shown} do not fit into 64 bits")
                }
                AddError::LimitExceeded(_) => anyhow!("too many events for {name_shown}"),
            });
            added.with_context(|| display_paths(&self.paths))?;
        }
        Ok(())
    }

    /// The profile of Cachegrind with one function for each name, unless the rows of a list are the
    /// code in each file. gprof's views have functions.
    fn join_files(&self, profile: Profile) -> Result<Profile> {
        let is_list = self.options.report.page().is_some();
        let are_by_file = is_list && self.options.rows.row_by == RowBy::FileFunction;
        if are_by_file || !profile.is_from_cachegrind() {
            return Ok(profile);
        }
        join_files(profile).with_context(|| display_paths(&self.paths))
    }

    /// The profile with the file that has the definition of each function, if people read the
    /// report or rows are the user's own functions. All else that formats for programs, and the
    /// page with their data, have is what is recorded.
    fn find_home_files(&self, profile: Profile) -> Result<Profile> {
        let report = &self.options.report;
        let is_for_people =
            report.format().is_some_and(|format| !format.is_classic && format.is_for_people);
        let are_own = self.options.input.charged.iter().any(|charged| charged.leaves_own());
        if !is_for_people && report.screen().is_none() && !are_own {
            return Ok(profile);
        }
        let text = |name: &[u8]| self.finder.find_silently(name)?.read().ok();
        with_home_files(profile, &text).with_context(|| display_paths(&self.paths))
    }

    /// The difference with NEW's names for the functions that have another name in BASE, and in a
    /// series in the profiles before.
    fn pair_renamed(&self, profile: Profile) -> Result<Profile> {
        if !profile.is_difference() {
            return Ok(profile);
        }
        let input = &self.options.input;
        let texts = texts_of_sides(&profile, &self.finder, &input.base_folders);
        pair_renamed(profile, &texts).with_context(|| display_paths(&self.paths))
    }

    /// The profile with the code that the options name charged to its callers, and the suffixes of
    /// names folded that had to stay until then; and with `--mine` what is the user's own.
    fn charge_and_fold(&self, profile: Profile) -> Result<(Profile, Option<OwnCode>)> {
        // Names of other languages have no suffixes.
        let suffixes = match profile.name_kind() {
            NameKind::Symbol => self.options.fold(),
            NameKind::Other => SuffixFold::default(),
        };
        let divides_levels = self.read_options.detail.divide_by == DivideBy::Levels;
        let fold = LateFold { suffixes, divides_levels };
        if !self.options.input.charged.is_empty() {
            return self.charge(profile, fold);
        }
        if suffixes == SuffixFold::default() || !self.options.folds_late() {
            return Ok((profile, None));
        }
        let folded = fold_suffixes(&profile, fold);
        Ok((folded.with_context(|| display_paths(&self.paths))?, None))
    }

    fn charge(&self, profile: Profile, fold: LateFold) -> Result<(Profile, Option<OwnCode>)> {
        let mut all = ChargedCode {
            functions: vec![false; profile.function_count()],
            fragments: vec![false; profile.fragments().len()],
        };
        let mut own = None;
        for charged in &self.options.input.charged {
            let mut code = charged.matches(&profile);
            if !charged.has_no_pattern() && !code.fragments.contains(&true) {
                let option = format!("charge-to-callers={}", charged.text);
                let (pattern, rules) = (charged.pattern(), &charged.rules);
                return Err(unmatched::none_of(&option, pattern, rules, &profile));
            }
            if charged.leaves_own() {
                own = Some(OwnCode::found(&profile, charged, &mut code, self.messages)?);
            }
            let functions = all.functions.iter_mut().zip(code.functions);
            let fragments = all.fragments.iter_mut().zip(code.fragments);
            functions.chain(fragments).for_each(|(all, one)| *all |= one);
        }
        let (charged, limited) =
            charge_to_callers(&profile, &all, fold).with_context(|| display_paths(&self.paths))?;
        if limited > 0 {
            let functions = counted(limited, "function");
            self.messages.note(format!(
                "--charge-to-callers: calls out of {functions} are charged only to the callers that paid most \
                 (at most {MAX_NEW_CALLS} calls for each caller and callee)"
            ));
        }
        Ok((charged, own))
    }

    /// The profile with a fragment for each line or instruction, if these are rows; a frame of a
    /// stack has one file.
    fn divide(&self, profile: Profile) -> Result<Profile> {
        let format = self.options.report.format();
        let has_stacks = format.is_some_and(|format| format.content == Contents::Stacks);
        let divided = match self.options.rows.row_by {
            RowBy::Line => {
                let folders = &self.options.input.base_folders;
                let aligned = alignments(&profile, &self.finder, folders);
                divide_by_line(profile, &aligned)
            }
            RowBy::Instruction => profile.divided_by_instruction().map_err(AddError::from),
            row_by if row_by.is_of_files() && has_stacks => inline_files(profile),
            _ => Ok(profile),
        };
        divided.with_context(|| display_paths(&self.paths))
    }
}

fn skipped_parts(files: &ReadFiles) -> Vec<Part> {
    let skipped = files.iter().map(|file| &file.warnings.skipped[..]);
    skipped.collect::<Vec<_>>().concat()
}

fn read_options(options: &Options, has_sources: bool) -> ReadOptions {
    let (needed, input) = (options.needs(), &options.input);
    let of_sources = Detail {
        targets: needed.targets,
        code: needed.code || options.has_inlined_lines(),
        jumps: needed.jumps,
        ..Detail::default()
    };
    ReadOptions {
        detail: if has_sources { of_sources } else { needed },
        fold: options.folded_by_reading(),
        has_peaks_as_totals: options.report.format().is_some_and(|format| format.is_classic),
        is_judged: !options.limits.is_empty(),
        ..input.read.clone()
    }
}
