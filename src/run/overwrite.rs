//! Refuses an output that would replace what the report is made from.

use std::path::PathBuf;

use anyhow::Result;

use super::input::Input;
use super::message::{UsageError, display_path};
use super::output;
use super::sampled::SampledFiles;
use crate::options::Options;
use crate::read::file_of;
use crate::source::{self, basename};

/// Refuses an output that would replace an input.
pub(super) fn check_output(
    options: &Options,
    files: &[PathBuf],
    sampled: Option<&SampledFiles>,
) -> Result<()> {
    let (Some(output), input) = (&options.output, &options.input) else {
        return Ok(());
    };
    let of_program = [&input.program.base_executable, &input.program.symbols].into_iter().flatten();
    let of_samples = sampled.into_iter().flat_map(SampledFiles::files);
    let mut inputs = files
        .iter()
        .chain(&input.base)
        .chain(input.earlier.iter().flatten())
        .chain(&input.bucket_files)
        .chain(of_program)
        .chain(of_samples);
    if let Some(input) = inputs.find(|input| output::is_same_file(file_of(input), output)) {
        let (input, output) = (display_path(input), display_path(output));
        let text = format!("{output}: the output would replace the input {input}");
        return Err(UsageError(text).into());
    }
    Ok(())
}

/// Refuses an output that would replace a source or a program of the profile.
pub(super) fn check_output_of_profile(options: &Options, input: &Input) -> Result<()> {
    let Some(output) = &options.output else {
        return Ok(());
    };
    // Also the name of what a link leads to; only files of these names are looked for.
    let real = output.canonicalize().ok();
    let names: Vec<&[u8]> = [Some(output), real.as_ref()]
        .into_iter()
        .flatten()
        .filter_map(|path| Some(path.file_name()?.as_encoded_bytes()))
        .collect();
    let has_name = |recorded: &&[u8]| names.contains(&basename(recorded));
    let (profile, finder) = (&input.profile, &input.finder);
    let sources = profile.files().filter(has_name).filter_map(|name| finder.find_silently(name));
    let objects = profile.functions().map(|(_, function)| profile.object(function.object));
    let programs = objects.filter(has_name).filter_map(|name| finder.find_object(name));
    let mut files = sources
        .map(|source| ("source", source))
        .chain(programs.map(|program| ("program", program)));
    if let Some((what, _)) =
        files.find(|(_, file)| output::is_same_file(&source::path(&file.path), output))
    {
        let output = display_path(output);
        let text = format!("{output}: the output would replace a {what} of the profile");
        return Err(UsageError(text).into());
    }
    Ok(())
}
