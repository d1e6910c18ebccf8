//! The first half of a run: finds the profiles and sources among the given files, and reads them.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};

use super::base_sources::{alignments, texts_of_sides};
use super::inlines::{InlinedShare, inline};
use super::judgeable::{NOT_JUDGED, one_sided_options};
use super::kept::keep_parts;
use super::message::{Messages, Progress, and_more, display_name, display_path, display_paths};
use super::mine::{OwnShare, nothing_is_own};
use super::misses::events_of_misses;
use super::read_files::{ReadFile, ReadFiles};
use super::same_files::note_same_files;
use super::sampled::{SampledFiles, add_to_profile};
use super::scale::{Scale, scale};
use super::unmatched;
use super::warnings::warn_of_files;
use super::words::tip_for;
use crate::options::Options;
use crate::profile::{
    AddError, BASE, DivideBy, FileId, NEW, NameKind, Part, Profile, ProfileBuilder, Sides,
    SuffixFold,
};
use crate::read::gmon::is_gmon;
use crate::read::warning::Warnings;
use crate::read::{self, Detail, ReadOptions, RecordedFiles};
use crate::render::{Contents, SuggestedCommand, counted};
use crate::source::{self, Finder};
use crate::transform::{
    ChargedCode, CopiesAt, LateFold, MAX_NEW_CALLS, charge_to_callers, divide_by_line,
    fold_suffixes, inline_files, join_files, pair, pair_renamed, with_home_files,
};
use crate::view::{Bucket, KeptPart, RowBy, Series, basename};

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
    /// In a difference, a note on paths that are compared although they differ.
    pub(crate) pairs: Option<String>,
    /// With `--mine`, how the cost is divided between the user's code and libraries.
    pub(crate) own_share: Option<OwnShare>,
    /// The share of the cost in inlined functions, if they are functions of the profile.
    pub(crate) inlined: Option<InlinedShare>,
    pub(crate) has_addresses: bool,
    /// The files of each side, in the order of reading.
    pub(crate) files: Sides<Vec<ReadFile>>,
    /// The options that change the profile on one side only, and that side.
    pub(crate) one_sided_options: Vec<(String, usize)>,
    /// The parts of the profile that were kept.
    pub(crate) kept: Vec<KeptPart>,
    /// Whether the profile was made from gprof's data.
    pub(crate) is_sampled: bool,
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
        Some(&self.inlined.as_ref()?.copies_at)
    }
}

/// By name of a source the lines that were given of it.
type LinesOfSources = HashMap<Vec<u8>, Vec<u32>>;

/// The name of a given source, and the text of its line if only a line was given.
type GivenSource<'a> = (Vec<u8>, Option<&'a [u8]>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum FileKind {
    Profile,
    Source,
    /// An empty file, which is skipped if it is not the only one.
    Empty,
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
    for path in of_kind(FileKind::Empty).filter(|path| !has_files_of_threads(path, files)) {
        let path = display_path(path);
        messages.warn(format!("{path}: the file is empty, skipped"));
    }
    let input = &options.input;
    let awaited =
        [&[files, &input.base], &input.earlier.iter().map(Vec::as_slice).collect::<Vec<_>>()[..]]
            .concat()
            .concat();
    let progress = || Progress::start(messages, &awaited, &input.read.bytes_read);
    let while_reading = input.progress.then(progress);
    let mut steps = InputSteps {
        options,
        messages,
        sampled,
        read_options: read_options(options, has_sources),
        paths: of_kind(FileKind::Profile).cloned().collect(),
        finder: Finder::new(input.folders.clone(), input.source_maps.clone()),
    };
    let (mut profile, files_of_sides) = steps.profiles(has_sources)?;
    drop(while_reading);
    steps.add_events(has_sources, &mut profile)?;
    let (profile, inlined) =
        inline(profile.finish(), &steps.paths, &steps.finder, options, messages)?;
    let profile = steps.join_files(profile)?;
    if profile.is_series() && !profile.sides_fit_together() {
        let files: Vec<PathBuf> = input.all_files().cloned().collect();
        bail!("{}: the counts of all profiles do not fit into 64 bits", display_paths(&files));
    }
    // Before paths are paired, as each side has its own sources.
    let profile = steps.find_home_files(profile)?;
    let names = [BASE, NEW].map(|side| display_name(input.name_of_side(side)));
    let (profile, pairs) = if options.rows.exact_match {
        (profile, None)
    } else {
        pair(profile, names.each_ref().map(|name| &name[..]))
    };
    let profile = steps.pair_renamed(profile)?;
    // Before code is charged or left out, after which no function has it.
    let one_sided_options = one_sided_options(options, &profile);
    let has_addresses = files_of_sides.iter().flatten().any(|file| file.warnings.has_addresses);
    // Before code is charged, which would be part of its callers.
    let (profile, kept) = keep_parts(profile, options, has_addresses, messages)?;
    // After paths are paired, as BASE's own code may be in another folder than NEW's.
    let (profile, own_share) = steps.charge_and_fold(profile)?;
    let skipped: Vec<Vec<Part>> = files_of_sides.iter().map(skipped_parts).collect();
    unmatched::check_read(options, &profile, &skipped)?;
    // After all profiles, as sources may be in the folder of any of them.
    let (sources, lines) = steps.given_sources(of_kind(FileKind::Source), &profile)?;
    let (profile, scale) = scale(options, profile, messages)?;
    let profile = steps.divide(profile)?;
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
        pairs,
        own_share,
        inlined,
        has_addresses,
        files,
        one_sided_options,
        kept,
        is_sampled: sampled.is_some(),
    })
}

/// The state of the steps from files to a profile.
struct InputSteps<'r> {
    options: &'r Options,
    messages: &'r Messages,
    /// gprof's data, in place of profiles.
    sampled: Option<&'r SampledFiles>,
    read_options: ReadOptions,
    paths: Vec<PathBuf>,
    finder: Finder,
}

impl InputSteps<'_> {
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
        warn_of_files(&files, self.messages);
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
        let config = &self.options.input;
        let options =
            ReadOptions { recorded_files: RecordedFiles::default(), ..self.read_options.clone() };
        let recorded = &self.read_options.recorded_files;
        let base = Some(Arc::clone(&options.recorded_files));
        self.finder.set_recorded(Arc::clone(recorded), base);
        let Some(sampled) = self.sampled else {
            return self.read_files(&config.base, &options, profile);
        };
        self.read_samples(&sampled.of_base(config), profile)?;
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
    fn profiles(&mut self, has_sources: bool) -> Result<(ProfileBuilder, Vec<ReadFiles>)> {
        let (options, config) = (self.options, &self.options.input);
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
        if (options.shows_lines() || has_sources) && !config.inlines {
            let what = "no source lines, only addresses";
            self.note(&new, |file| file.lacks_lines, what);
        }
        // Only if other profiles have addresses.
        if options.code.needs_addresses() && profile.has_addresses() {
            let what = "no addresses of instructions; costs are at address 0";
            self.note(&new, |file| file.lacks_addresses, what);
        }
        let mut files = vec![new];
        if !config.base.is_empty() {
            profile.begin_side();
            files.push(self.read_base(&mut profile)?);
        }
        for earlier in &config.earlier {
            profile.begin_side();
            files.push(self.read_files(earlier, &self.read_options, &mut profile)?);
        }
        for warning in unmatched::unknown_in_formulas(profile.events()) {
            self.messages.warn(warning);
        }
        Ok((profile, files))
    }

    /// Defines the events of the command line, and adds those that are shown or sorted by.
    fn add_events(&self, has_sources: bool, profile: &mut ProfileBuilder) -> Result<()> {
        let defined = &self.options.input.events;
        for (name, formula) in defined {
            profile.definitions().define(name.clone(), formula.clone());
        }
        let selection = &self.options.selection;
        let sorted = selection.sort.iter().map(|(name, _)| name);
        let limits = self.options.limits.iter().filter_map(|limit| limit.event.as_ref());
        let events = profile.definitions();
        let of_screen = if has_sources { &[] } else { events_of_misses(self.options, events) };
        let requested = selection.show.iter().chain(sorted).chain(limits).map(Vec::as_slice);
        let used: Vec<Vec<u8>> = requested
            .chain(of_screen.iter().copied())
            .map(|name| events.own_name(name).to_vec())
            .collect();
        for name in &used {
            profile.definitions().define_ratio(name);
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
    /// report. Formats for programs, and the page with their data, have what is recorded.
    fn find_home_files(&self, profile: Profile) -> Result<Profile> {
        let report = &self.options.report;
        let is_for_people =
            report.format().is_some_and(|format| !format.is_classic && format.is_for_people);
        if !is_for_people && report.screen().is_none() {
            return Ok(profile);
        }
        let text = |name: &[u8]| self.finder.find_silently(name)?.read().ok();
        with_home_files(profile, &text).with_context(|| display_paths(&self.paths))
    }

    /// The difference with NEW's names for the functions that have another name in BASE, and in a
    /// series in the profiles before.
    fn pair_renamed(&self, profile: Profile) -> Result<Profile> {
        if self.options.rows.exact_match || !profile.is_difference() {
            return Ok(profile);
        }
        let input = &self.options.input;
        let texts = texts_of_sides(&profile, &self.finder, &input.base_folders);
        pair_renamed(profile, &texts).with_context(|| display_paths(&self.paths))
    }

    /// The profile with the code that the options name charged to its callers, and the suffixes of
    /// names folded that had to stay until then; and with `--mine` how its cost was divided before.
    fn charge_and_fold(&self, profile: Profile) -> Result<(Profile, Option<OwnShare>)> {
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

    fn charge(&self, profile: Profile, fold: LateFold) -> Result<(Profile, Option<OwnShare>)> {
        let mut all = ChargedCode {
            functions: vec![false; profile.function_count()],
            fragments: vec![false; profile.fragments().len()],
        };
        let mut own_share = None;
        for charged in &self.options.input.charged {
            let code = charged.matches(&profile);
            if !charged.has_no_pattern() && !code.fragments.contains(&true) {
                let option = format!("charge-to-callers={}", charged.text);
                let (pattern, rules) = (charged.pattern(), &charged.rules);
                return Err(unmatched::none_of(&option, pattern, rules, &profile));
            }
            if charged.leaves_own() && !code.fragments.contains(&false) {
                return Err(nothing_is_own(&profile));
            }
            if charged.leaves_own() {
                own_share = OwnShare::new(&profile, &code);
            }
            let functions = all.functions.iter_mut().zip(code.functions);
            let fragments = all.fragments.iter_mut().zip(code.fragments);
            (functions.chain(fragments)).for_each(|(all, one)| *all |= one);
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
        Ok((charged, own_share))
    }

    /// The names in the profile of the given sources, each once, and the lines of those of which
    /// only lines were given.
    fn given_sources<'p>(
        &mut self,
        paths: impl Iterator<Item = &'p PathBuf>,
        profile: &Profile,
    ) -> Result<(Vec<Vec<u8>>, LinesOfSources)> {
        let read = &self.options.input.read;
        let (mut all, mut whole) = (Vec::new(), Vec::new());
        let mut lines = LinesOfSources::new();
        for path in paths {
            let given = match given_sources(path, read, profile, &mut self.finder) {
                Ok(sources) => sources.into_iter().map(|source| (source, None)).collect(),
                Err(error) => given_lines(path, error, |source| {
                    given_sources(source, read, profile, &mut self.finder)
                })?,
            };
            for (source, line) in given {
                match line {
                    None => whole.push(source.clone()),
                    Some(line) => {
                        let line = line_in(&source, line, path, &self.finder)?;
                        lines.entry(source.clone()).or_default().push(line);
                    }
                }
                if !all.contains(&source) {
                    all.push(source);
                }
            }
        }
        whole.iter().for_each(|source| drop(lines.remove(source)));
        Ok((all, lines))
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
            RowBy::Instruction => profile.divided(true).map_err(AddError::from),
            RowBy::File if has_stacks => inline_files(profile),
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
        ..input.read.clone()
    }
}

const MAX_BUCKETS: u64 = 1 << 20;

pub(super) fn read_buckets(path: &Path) -> Result<Vec<Bucket>> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BUCKETS + 1).read_to_end(&mut bytes));
    read.map_err(|error| anyhow!("{}: {error}", display_path(path)))?;
    if bytes.len() as u64 > MAX_BUCKETS {
        bail!("{}: more than 1 MiB of buckets", display_path(path));
    }
    let text =
        str::from_utf8(&bytes).map_err(|error| anyhow!("{}: {error}", display_path(path)))?;
    let buckets = Bucket::parse_lines(text);
    buckets.map_err(|(line, error)| anyhow!("{}:{line}: {error}", display_path(path)))
}

/// Whether there are files like `callgrind.out.7-01`, beside which callgrind leaves
/// `callgrind.out.7` empty.
fn has_files_of_threads(path: &Path, files: &[PathBuf]) -> bool {
    let start = [path.as_os_str().as_encoded_bytes(), b"-"].concat();
    let mut files = files.iter();
    files.any(|file| file.as_os_str().as_encoded_bytes().starts_with(&start))
}

/// The kind of each file. A single file is a profile, perhaps a damaged one.
fn file_kinds(files: &[PathBuf]) -> Result<Vec<FileKind>> {
    if files.len() == 1 {
        return Ok(vec![FileKind::Profile]);
    }
    let kinds: Vec<_> = files.iter().map(|path| file_kind(path)).collect();
    if kinds.contains(&FileKind::Profile) {
        return Ok(kinds);
    }
    let paths = display_paths(files);
    let missing = || files.iter().filter(|path| !read::file_of(path).exists());
    let with_tip = missing().find_map(|path| Some((path, tip_for(path)?)));
    match (with_tip, missing().next()) {
        (Some((path, tip)), _) => Err(anyhow!("{}: no such file; {tip}", display_path(path))),
        (None, Some(path)) => Err(anyhow!("{}: no such file", display_path(path))),
        (None, None) => Err(anyhow!("none of the given files is a profile: {paths}")),
    }
}

/// Whether a file of the command line is a profile or has to be one, by its content; a missing one
/// is then an error.
pub(super) fn may_be_profile(path: &Path) -> bool {
    file_kind(path) == FileKind::Profile
        || is_gmon(path)
        || path != Path::new("-") && !read::file_of(path).exists()
}

/// A pipe or device, which cannot be read twice, is a profile, and so is a folder, for the profiles
/// in it.
fn file_kind(path: &Path) -> FileKind {
    if path == Path::new("-") {
        return FileKind::Profile;
    }
    match fs::metadata(read::file_of(path)) {
        Ok(file) if !file.is_file() => FileKind::Profile,
        Ok(file) if file.len() == 0 => FileKind::Empty,
        _ if read::is_profile(path) => FileKind::Profile,
        _ => FileKind::Source,
    }
}

/// The sources that an argument `SOURCE:LINE` names, with the text of the line, if the argument is
/// no source itself.
fn given_lines(
    argument: &Path,
    no_source: anyhow::Error,
    given_sources: impl FnOnce(&Path) -> Result<Vec<Vec<u8>>>,
) -> Result<Vec<GivenSource<'_>>> {
    let Some((source, line)) = source::split_line(argument.as_os_str().as_encoded_bytes()) else {
        return Err(no_source);
    };
    let is_number = line.iter().all(u8::is_ascii_digit);
    match given_sources(&source::path(source)) {
        Ok(sources) => Ok(sources.into_iter().map(|source| (source, Some(line))).collect()),
        Err(error) if is_number => Err(error),
        Err(_) => Err(no_source),
    }
}

/// The number of a line of a source, from the text in an argument.
fn line_in(source: &[u8], line: &[u8], argument: &Path, finder: &Finder) -> Result<u32> {
    let argument = display_path(argument);
    let (text, name) = (display_name(line), display_name(source));
    if !line.iter().all(u8::is_ascii_digit) {
        bail!("{argument}: {text} is not the number of a line");
    }
    let found = finder.find(source).found.and_then(|found| found.text().ok());
    let length = found.map_or(u32::MAX, |text| text.length());
    // A number that does not fit is beyond the end of any source.
    let line = str::from_utf8(line).ok().and_then(|line| line.parse().ok()).unwrap_or(u32::MAX);
    match line {
        0 => bail!("{argument}: the first line of {name} is 1"),
        line if line > length => {
            bail!("{argument}: {name} has {}", counted(length as usize, "line"))
        }
        line => Ok(line),
    }
}

/// The names in the profile of a given source: the same name, all that are the same path, or the
/// only one that ends with it; an error if there is no such name or several.
fn given_sources(
    path: &Path,
    read: &ReadOptions,
    profile: &Profile,
    finder: &mut Finder,
) -> Result<Vec<Vec<u8>>> {
    let given = path.as_os_str().as_encoded_bytes();
    let dir = read.working_dir.as_deref();
    let below = dir.and_then(|dir| source::below(given, dir));
    let name = below.unwrap_or(given);
    finder.add_named(name);
    if profile.find_file(name).is_none() {
        // The path here, which --mod-filename may have changed, in all spellings that the profile
        // has.
        let paths = [name, &read.file_name(given)].map(|name| source::normal_below(name, dir));
        let is_same = |file: &&[u8]| paths.contains(&source::normal_below(file, dir));
        let same: Vec<Vec<u8>> = profile.files().filter(is_same).map(<[u8]>::to_vec).collect();
        if !same.is_empty() {
            same.iter().for_each(|file| finder.add_named(file));
            return Ok(same);
        }
        let files = profile.files().filter(|file| source::ends_with(file, name));
        let mut matching: Vec<&[u8]> = files.collect();
        if matching.len() > 1 && profile.is_difference() {
            // A file that BASE has under another name is the one of NEW.
            let mut files: Vec<FileId> =
                matching.iter().filter_map(|name| profile.find_file(name)).collect();
            files.sort_unstable();
            files.dedup();
            matching = files.into_iter().map(|file| profile.file(file)).collect();
        }
        match matching[..] {
            [] => {}
            [only] => {
                finder.add_named(only);
                if finder.find(only).found.is_none() && path.is_file() {
                    finder.add_given(only, given);
                }
                return Ok(vec![only.to_vec()]);
            }
            [first, second, ..] => {
                let (count, path) = (matching.len(), display_path(path));
                let (first, second) = (display_name(first), display_name(second));
                let more = if count > 2 { ", ..." } else { "" };
                return Err(anyhow!(
                    "{path}: {count} sources of the profile end with this name: {first}, {second}{more}"
                ));
            }
        }
    }
    let lookup = finder.find(name);
    if lookup.found.is_some() {
        return Ok(vec![name.to_vec()]);
    }
    let is_known = profile.find_file(name).is_some();
    let none = if is_known {
        "a source of the profile, but not found in the current directory: -I DIRECTORY"
    } else {
        "neither a profile nor a source file found in the current or an -I directory"
    };
    let why = lookup.tie().unwrap_or_else(|| none.to_owned());
    let shown = display_path(path);
    let tip = if is_known {
        String::new()
    } else if unmatched::is_function(given, profile) {
        format!("; for the function: {}", SuggestedCommand::new("").option("-f", given))
    } else if let Some(tip) = tip_for(path) {
        format!("; {tip}")
    } else {
        unmatched::similar_files(basename(given), profile)
    };
    Err(anyhow!("{shown}: {why}{tip}"))
}
