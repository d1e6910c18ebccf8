//! Which of the files of the command line are a program and gprof's data, by what they hold.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};

use super::super::input::display_path;
use crate::options::{Options, ProgramOptions, Report};
use crate::program::{Program, ProgramError, is_program};
use crate::read;
use crate::read::gmon::is_gmon;
use crate::run::message::UsageError;

/// The names that gprof's data and its program have by default.
const PROGRAM: &str = "a.out";
const PROFILE: &str = "gmon.out";

/// The files of a run that is about gprof's data.
#[derive(Debug)]
pub(in crate::run) struct SampledFiles {
    pub(super) program: PathBuf,
    /// The program's name in reports.
    pub(super) object: PathBuf,
    pub(in crate::run) profiles: Vec<PathBuf>,
    /// The files that are neither.
    pub(in crate::run) sources: Vec<PathBuf>,
}

impl SampledFiles {
    /// The files of a profile to subtract.
    pub(in crate::run) fn of_base(&self, base: &Path, options: &ProgramOptions) -> SampledFiles {
        let program = options.base_executable.as_ref();
        SampledFiles {
            program: program.unwrap_or(&self.program).clone(),
            // The same, or nothing could be compared.
            object: self.object.clone(),
            profiles: vec![base.to_owned()],
            sources: Vec::new(),
        }
    }
}

/// The program of profiles, if none is given.
fn default_program(profiles: &[PathBuf]) -> Result<PathBuf> {
    // A program of another format was taken for a profile.
    for file in profiles.iter().filter(|file| file.is_file()) {
        if let Err(error @ ProgramError::Format(Some(_))) = Program::open(file) {
            return Err(anyhow!("{}: {error}", display_path(file)));
        }
    }
    let profile = &profiles[0];
    let text = "no program given, and no a.out in the current directory";
    let is_here = is_program(PROGRAM.as_ref());
    let program = is_here.then(|| PROGRAM.into());
    program.ok_or_else(|| anyhow!("{}: {text}", display_path(profile)))
}

/// What is said if the current directory has only one of the files with the default names.
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

/// Sorts the files of a run; none if it is not about gprof's data.
///
/// # Errors
/// [`UsageError`] if they do not go together; another if one is missing.
pub(in crate::run) fn find(options: &Options) -> Result<Option<SampledFiles>> {
    let named = &options.input.files;
    let is_gprof = matches!(options.report, Report::Gprof(_));
    let mut programs = Vec::from_iter(options.input.program.executable.clone());
    let mut others = Vec::new();
    for file in named {
        match is_program(file) {
            true => programs.push(file.clone()),
            false => others.push((file, is_gmon(file))),
        }
    }
    if named.is_empty() && is_gprof && Path::new(PROFILE).exists() && is_program(PROGRAM.as_ref()) {
        programs.push(PROGRAM.into());
    }
    if programs.is_empty() && !others.iter().any(|(_, is_gmon)| *is_gmon) {
        return Ok(None);
    }
    if let [first, second, ..] = &programs[..] {
        let (first, second) = (display_path(first), display_path(second));
        let text = format!("{first}, {second}: only one program can be annotated at a time");
        return Err(UsageError(text).into());
    }
    // In the order of the command line, which decides ties.
    let (mut profiles, mut sources) = (Vec::new(), Vec::new());
    for (file, is_gmon) in others {
        let is_input = file == Path::new("-");
        if !is_gmon && !is_input && read::is_profile(file) {
            let file = display_path(file);
            let text = format!("{file}: Callgrind data cannot be combined with gprof's data");
            return Err(UsageError(text).into());
        }
        match is_gmon || is_gprof || is_input {
            true => profiles.push(file.clone()),
            false => sources.push(file.clone()),
        }
    }
    if profiles.is_empty() {
        if !Path::new(PROFILE).exists() {
            let program = display_path(&programs[0]);
            let text = "a program without a profile: there is no gmon.out in the current directory";
            return Err(anyhow!("{program}: {text}"));
        }
        profiles.push(PROFILE.into());
    }
    let program = programs
        .pop()
        .map_or_else(|| default_program(&profiles), Ok)?;
    Ok(Some(SampledFiles {
        object: program.clone(),
        program,
        profiles,
        sources,
    }))
}
