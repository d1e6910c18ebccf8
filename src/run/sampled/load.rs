//! Reads a program and the gprof data that it wrote.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};

use crate::options::{InputOptions, Options, ProgramOptions, ReportKind};
use crate::profile::{ProfileBuilder, RecordCounts, Samples};
use crate::program::{
    DebugSections, ObjectMap, Program, ProgramError, SymbolRules, Symbols, is_program,
};
use crate::read::gmon::{Origin, ProgramPlaces, Recording, is_binary, is_gmon, open};
use crate::read::{self, ReadOptions};
use crate::render::{SuggestedCommand, with_commas};
use crate::run::message::{Messages, UsageError, display_path, display_paths};
use crate::run::programs::{only_a_program, only_program};

/// The source lines to look up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WantedLines {
    None,
    OfLocals,
    OfFunctions,
    /// All lines, each of which is a place.
    All,
}

fn in_file(path: &Path, error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("{}: {error}", display_path(path))
}

/// Reads a program and the data that it wrote.
pub(crate) fn load(
    files: &SampledFiles,
    options: &ProgramOptions,
    wanted: WantedLines,
    messages: &Messages,
) -> Result<Recording> {
    let in_program = |error: ProgramError| in_file(&files.program, error);
    let program = Program::open(&files.program).map_err(in_program)?;
    let symbols = symbols(&program, options, &files.program)?;
    let sections = match wanted {
        _ if options.as_gprof && options.symbols.is_some() => None,
        WantedLines::None => None,
        _ => Some(program.debug_sections().map_err(in_program)?),
    };
    let lines = sections.as_ref().map(DebugSections::lines).transpose().map_err(in_program)?;
    let places = match (wanted, &lines) {
        (WantedLines::All, Some(lines)) => {
            // `symbols` may lack some of the program's symbols.
            let rules = SymbolRules { keeps_first: true, ..SymbolRules::default() };
            let all = program.symbols(&rules);
            let first = all.as_ref().unwrap_or(&symbols);
            ProgramPlaces::lines(&symbols, first, lines, options.as_gprof)
        }
        _ => ProgramPlaces::functions(&symbols, lines.as_ref(), |number| {
            wanted == WantedLines::OfFunctions || symbols.list[number].is_local
        }),
    };
    if lines.as_ref().is_some_and(|lines| lines.is_damaged.get()) {
        let program = display_path(&files.program);
        messages.warn(format!("{program}: some of the debug information is damaged"));
    }
    let mut recording = Recording::new(symbols, places, program.layout);
    for path in &files.profiles {
        let input = open(path).map_err(|error| in_file(path, error))?;
        recording.read(input, options.format).map_err(|error| in_file(path, error))?;
    }
    check(files, &recording, messages)?;
    Ok(recording)
}

/// What each file contains, by itself.
pub(crate) fn contents(
    files: &SampledFiles,
    options: &ProgramOptions,
) -> Result<Vec<RecordCounts>> {
    let program = Program::open(&files.program).map_err(|error| in_file(&files.program, error))?;
    let mut counts = Vec::new();
    for path in &files.profiles {
        let (symbols, places) = (Symbols::default(), ProgramPlaces::default());
        let mut recording = Recording::new(symbols, places, program.layout);
        let input = open(path).map_err(|error| in_file(path, error))?;
        recording.read(input, options.format).map_err(|error| in_file(path, error))?;
        counts.append(&mut recording.samples.files);
    }
    Ok(counts)
}

/// Reads gprof's data into a profile; with `inlines`, lines have their start addresses. Returns
/// whether the data has a histogram of samples.
pub(in crate::run) fn add_to_profile(
    files: &SampledFiles,
    options: &InputOptions,
    read: &ReadOptions,
    profile: &mut ProfileBuilder,
    messages: &Messages,
) -> Result<bool> {
    let recording = load(files, &options.program, WantedLines::All, messages)?;
    let (unit, samples) = (recording.samples.unit(), with_commas(recording.samples.total()));
    let each = 1.0 / f64::from(unit.rate);
    let samples = format!("Samples: {samples} of {each} ");
    let estimated: &[u8] = b" (inclusive costs are estimates)";
    let names = display_paths(&files.profiles);
    let origin = Origin {
        files: names.as_bytes(),
        program: files.object.as_os_str().as_encoded_bytes(),
        description: &[samples.as_bytes(), &unit.name, estimated].concat(),
    };
    let added = recording.add_to(profile, origin, read, options.inlines);
    added.map_err(|error| anyhow!("{names}: {error}"))?;
    Ok(!recording.samples.histograms().is_empty())
}

fn symbols(program: &Program, options: &ProgramOptions, path: &Path) -> Result<Symbols> {
    let list = options.symbols.as_ref();
    let text = list
        .map(std::fs::read)
        .transpose()
        .map_err(|error| in_file(list.map_or(path, |list| list), error))?;
    let objects = options.object_map.as_ref().map(|path| object_map(path)).transpose()?;
    let rules = SymbolRules {
        omits_locals: options.omits_locals,
        only_functions: options.only_functions,
        as_gprof: options.as_gprof,
        keeps_first: false,
        list: text.as_deref(),
        objects: objects.as_ref(),
    };
    program.symbols(&rules).map_err(|error| match error {
        ProgramError::SymbolList(_) => in_file(list.map_or(path, |list| list), error),
        error => in_file(path, error),
    })
}

fn object_map(path: &Path) -> Result<ObjectMap> {
    let text = std::fs::read(path).map_err(|error| in_file(path, error))?;
    ObjectMap::parse(&text).map_err(|error| in_file(path, error))
}

/// Checks that data matches its program: data of another program is an error. A warning is one
/// line.
fn check(files: &SampledFiles, recording: &Recording, messages: &Messages) -> Result<()> {
    let Recording { symbols, samples, calls, .. } = recording;
    let profiles = display_paths(&files.profiles);
    let count = samples.total();
    let is_any_call_known = !calls.between.is_empty();
    let is_empty = count == 0 && calls.records == 0;
    if !is_empty && !is_any_call_known && !has_known_samples(symbols, samples) {
        let program = display_path(&files.program);
        let (samples, calls) = (with_commas(count), with_commas(calls.records));
        return Err(anyhow!(
            "none of the {samples} samples and {calls} calls is in {program}: {profiles} was probably written by another program"
        ));
    }
    if is_other_range(symbols, samples) || calls.far > calls.records / 2 {
        let program = display_path(&files.program);
        let not = match files.profiles.len() {
            1 => "does not match",
            _ => "do not match",
        };
        let why = "which was probably rebuilt since; names may be wrong";
        messages.warn(format!("{profiles} {not} {program}, {why}"));
    }
    if calls.lost > 0 {
        let lost = with_commas(calls.lost);
        let what = "whose caller or callee is in no function of the program";
        messages.warn(format!("{profiles}: {lost} calls omitted, {what}"));
    }
    Ok(())
}

/// Whether any sample is between the first symbol and the end of the last.
fn has_known_samples(symbols: &Symbols, samples: &Samples) -> bool {
    let start = symbols.list.first().map_or(0, |symbol| symbol.address);
    let end = symbols.end.max(symbols.code_end);
    samples.histograms().iter().any(|histogram| {
        let bytes = histogram.scale() * 2.0;
        let is_known = |&bin: &u32| {
            let address = histogram.start.saturating_add((bytes * f64::from(bin)) as u64);
            address < end && address.saturating_add(bytes as u64 + 1) > start
        };
        histogram.bins.keys().any(is_known)
    })
}

/// Whether a histogram begins where the C library's does but ends elsewhere. Ranges with another
/// start are ignored, as a program may choose its own.
fn is_other_range(symbols: &Symbols, samples: &Samples) -> bool {
    let Some((start, end)) = symbols.code else {
        return false;
    };
    let expected = (start & !3, end.saturating_add(3) & !3);
    let mut with_bins = samples.histograms().iter().filter(|known| known.size > 0);
    with_bins.any(|known| known.start == expected.0 && known.end != expected.1)
}

/// The default names of the program and of gprof's data.
const PROGRAM: &str = "a.out";
const PROFILE: &str = "gmon.out";

/// The input files of a report of gprof's data.
pub(crate) struct SampledFiles {
    pub(crate) program: PathBuf,
    /// The program's name in reports.
    pub(super) object: PathBuf,
    pub(crate) profiles: Vec<PathBuf>,
    /// The files that are neither programs nor profiles.
    pub(in crate::run) sources: Vec<PathBuf>,
}

impl SampledFiles {
    pub(in crate::run) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.program).chain(&self.profiles)
    }

    pub(in crate::run) fn of_base(&self, options: &InputOptions) -> SampledFiles {
        let program = options.program.base_executable.as_ref();
        SampledFiles {
            program: program.unwrap_or(&self.program).clone(),
            // The same on both sides, as functions of different objects are not compared.
            object: self.object.clone(),
            profiles: options.base.clone(),
            sources: Vec::new(),
        }
    }
}

fn default_program(profiles: &[PathBuf]) -> Result<PathBuf> {
    let mut files = profiles.iter().filter(|file| *file != Path::new("-"));
    if let Some(missing) = files.find(|file| !file.exists()) {
        return Err(anyhow!("{}: no such file", display_path(missing)));
    }
    // A program in an unsupported format was taken for a profile.
    for file in profiles.iter().filter(|file| file.is_file()) {
        if let Err(error @ ProgramError::Format(_)) = Program::open(file) {
            return Err(anyhow!("{}: {error}", display_path(file)));
        }
    }
    let profile = &profiles[0];
    let shown = display_path(profile);
    let only = only_program().unwrap_or("PROGRAM".into());
    let command = SuggestedCommand::new("cgannotate").file(&only).file(profile);
    let text = format!("no program given, and no a.out in the current directory: {command}");
    let is_here = is_program(PROGRAM.as_ref());
    let program = is_here.then(|| PROGRAM.into());
    program.ok_or_else(|| anyhow!("{shown}: {text}"))
}

/// The message if the current directory has only one of the files with the default names.
pub(in crate::run) fn missing_half() -> Option<&'static str> {
    match (Path::new(PROFILE).exists(), is_program(PROGRAM.as_ref())) {
        (true, false) => {
            Some("no program given, and no a.out beside gmon.out in the current directory")
        }
        (false, true) => {
            Some("no profile given, and no gmon.out beside a.out in the current directory")
        }
        _ => None,
    }
}

/// Rejects missing files given with gprof's data: the value of `-q FUNCTION`, with a space, is
/// parsed as a file.
fn check_missing(files: &[PathBuf]) -> Result<()> {
    let is_missing =
        |file: &&PathBuf| file.as_path() != Path::new("-") && !read::file_of(file).exists();
    files.iter().find(is_missing).map_or(Ok(()), |missing| {
        let tip = "a function follows its option without a space, as in -qmain";
        Err(anyhow!("{}: no such file; {tip}", display_path(missing)))
    })
}

/// The error about a profile of Callgrind beside a program.
fn beside_a_program(file: &Path, has_gmon: bool, is_gprof: bool) -> anyhow::Error {
    let shown = display_path(file);
    let text = if has_gmon {
        format!("{shown}: Callgrind data cannot be combined with gprof's data")
    } else {
        let gprof = if is_gprof { "gprof" } else { "" };
        let command = SuggestedCommand::new("cgannotate").words(gprof).file(file);
        format!("{shown}: Callgrind data is read without the program: {command}")
    };
    UsageError(text).into()
}

/// The files of the command line by kind, or the default files; none if neither a program nor
/// gprof's data is among them. Files that cannot be combined are a [`UsageError`].
pub(in crate::run) fn find(options: &Options) -> Result<Option<SampledFiles>> {
    let named = &options.input.files;
    let is_gprof = matches!(options.report, ReportKind::Gprof(_));
    let mut programs = Vec::new();
    let mut others = Vec::new();
    for file in named {
        if is_program(file) {
            programs.push(file.clone())
        } else {
            others.push((file, is_gmon(file)))
        }
    }
    if named.is_empty() && is_gprof && Path::new(PROFILE).exists() && is_program(PROGRAM.as_ref()) {
        programs.push(PROGRAM.into());
    }
    if !programs.is_empty() {
        // Beside its program the oldest format is known by being no text.
        for (file, is_data) in &mut others {
            *is_data = *is_data || !read::is_profile(file) && is_binary(file);
        }
    }
    let has_gmon = others.iter().any(|(_, is_gmon)| *is_gmon);
    if programs.is_empty() && !has_gmon {
        return Ok(None);
    }
    if is_gprof && has_gmon {
        check_missing(named)?;
    }
    if let [first, second, ..] = &programs[..] {
        let (first, second) = (display_path(first), display_path(second));
        let text = format!("{first}, {second}: only one program can be annotated at a time");
        return Err(UsageError(text).into());
    }
    // Profiles keep the order of the command line, which decides ties.
    let (mut profiles, mut sources) = (Vec::new(), Vec::new());
    for (file, is_gmon) in others {
        let is_input = file == Path::new("-");
        if !is_gmon && !is_input && read::is_profile(file) {
            return Err(beside_a_program(file, has_gmon, is_gprof));
        }
        if is_gmon || is_gprof || is_input {
            profiles.push(file.clone())
        } else {
            sources.push(file.clone())
        }
    }
    if profiles.is_empty() {
        if !Path::new(PROFILE).exists() {
            return Err(only_a_program(&programs[0], is_gprof));
        }
        profiles.push(PROFILE.into());
    }
    let program = programs.pop().map_or_else(|| default_program(&profiles), Ok)?;
    Ok(Some(SampledFiles { object: program.clone(), program, profiles, sources }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Unit;
    use crate::program::{NumberLayout, Symbol};

    /// A function of 200 bytes with a label in it, and one whose size is not known.
    fn symbols() -> Symbols {
        let symbol = |address, size, is_function| Symbol {
            address,
            size,
            name: Box::default(),
            is_local: false,
            is_function,
            object: None,
        };
        Symbols {
            list: vec![
                symbol(0x1000, 200, true),
                symbol(0x1060, 0, false),
                symbol(0x2000, 0, true),
            ],
            end: 0x2800,
            code_end: 0x3000,
            code: Some((0xffd, 0x2ffe)),
            ..Symbols::default()
        }
    }

    #[test]
    fn data_that_does_not_match_its_program() {
        let files = SampledFiles {
            program: "prog".into(),
            object: "prog".into(),
            profiles: vec!["gmon.out".into()],
            sources: Vec::new(),
        };
        // The range of eight-byte bins, the bin with a sample, the numbers of calls and of far
        // calls, and the message.
        for (range, bin, (records, far), expected) in [
            ((0xffc, 0x3000), Some(1), (2, 1), ""),
            ((0xffc, 0x3000), Some(1), (2, 2), "does not match"),
            ((0xffc, 0x2ffc), Some(1), (0, 0), "does not match"),
            ((0x1000, 0x2ffc), Some(1), (0, 0), ""),
            ((0xffc, 0xffc), None, (0, 0), ""),
            ((0x2f00, 0x3100), Some(31), (0, 0), ""),
            ((0x2f00, 0x3100), Some(32), (0, 0), "none"),
            ((0xf00, 0xffc), Some(0), (1, 0), "none"),
            ((0xffc, 0xffc), None, (1, 0), "none"),
        ] {
            let (symbols, places) = (symbols(), ProgramPlaces::default());
            let layout = NumberLayout { is_wide: true, is_big_endian: false };
            let mut recording = Recording::new(symbols, places, layout);
            let (samples, messages) = (&mut recording.samples, Messages::held());
            let size = ((range.1 - range.0) / 8) as u32;
            let number = samples.add_histogram(range, size, Unit::default()).unwrap();
            let bins = bin.map(|bin| (bin, 1)).into_iter().collect();
            samples.add_bins(number, bins).unwrap();
            (recording.calls.records, recording.calls.far) = (records, far);
            let checked = check(&files, &recording, &messages);
            let error = checked.err().map(|error| error.to_string());
            let said = error.unwrap_or_default() + &messages.take();
            let count = usize::from(bin.is_some());
            let none = format!("none of the {count} samples and {records} calls");
            let expected = if expected == "none" { &none } else { expected };
            let is_expected = said.contains(expected) && said.is_empty() == expected.is_empty();
            assert!(is_expected, "{range:#x?} {bin:?} {records} {far}: {said}");
        }
    }
}
