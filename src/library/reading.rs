//! From files to a profile, by the options of the library.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::error::Cause;
use super::{ReadError, ReadOptions, Warning};
use crate::profile::{Profile, ProfileBuilder};
use crate::read;
use crate::read::warning::{Error, ErrorKind, SkippedPart, Warnings};

/// A profile that is being read.
pub(super) struct Reading<'o> {
    options: &'o ReadOptions,
    builder: ProfileBuilder,
    warnings: Vec<Warning>,
    /// The parts that the options left out.
    skipped: Vec<SkippedPart>,
    /// The first file.
    path: Option<PathBuf>,
}

impl<'o> Reading<'o> {
    pub(super) fn new(options: &'o ReadOptions) -> Reading<'o> {
        Reading {
            options,
            builder: ProfileBuilder::default(),
            warnings: Vec::new(),
            skipped: Vec::new(),
            path: None,
        }
    }

    /// Adds files.
    pub(super) fn add_files(
        &mut self,
        paths: impl IntoIterator<Item = impl AsRef<Path>>,
    ) -> Result<(), ReadError> {
        paths.into_iter().try_for_each(|path| {
            let path = path.as_ref();
            let warnings = read::read(path, &self.options.read, &mut self.builder);
            self.end_file(path, warnings)
        })
    }

    /// Adds a profile in memory.
    pub(super) fn add_bytes(&mut self, bytes: impl Read + Send + 'static) -> Result<(), ReadError> {
        let warnings = read::read_from(bytes, b"-", &self.options.read, &mut self.builder);
        self.end_file(Path::new("-"), warnings)
    }

    fn end_file(&mut self, path: &Path, read: Result<Warnings, Error>) -> Result<(), ReadError> {
        let warnings = read.map_err(|error| ReadError::new(path, Cause::File(error)))?;
        self.warnings.extend(Warning::of_file(path, &warnings));
        self.skipped.extend(warnings.skipped);
        self.path.get_or_insert_with(|| path.to_owned());
        Ok(())
    }

    /// What is added from now on is what the profile is compared with.
    pub(super) fn begin_base(&mut self) {
        self.builder.begin_base();
    }

    /// The profile with the events that the options add, and the warnings about its files.
    pub(super) fn finish(mut self) -> Result<(Profile, Vec<Warning>), ReadError> {
        let path = self.path.take().unwrap_or_default();
        let error = |cause| ReadError::new(&path, cause);
        add_events(self.options, &mut self.builder).map_err(error)?;
        let profile = self.builder.finish();
        check_parts(&self.options.read, &profile, &self.skipped).map_err(error)?;
        Ok((profile, self.warnings))
    }
}

/// Adds the events of the options.
fn add_events(options: &ReadOptions, builder: &mut ProfileBuilder) -> Result<(), Cause> {
    for (name, formula) in &options.events {
        builder
            .definitions()
            .define(name.clone().into_bytes(), formula.0.clone());
    }
    let events = builder.events();
    for (event, formula) in &options.events {
        if let Some(unknown) = formula.0.events().find(|name| !events.is_known(name)) {
            return Err(Cause::Formula {
                event: event.clone(),
                unknown: String::from_utf8_lossy(unknown).into_owned(),
            });
        }
    }
    let mut derived = options.derived.iter();
    if let Some(unknown) = derived.find(|name| !events.is_known(name.as_bytes())) {
        return Err(Cause::Event(unknown.clone()));
    }
    let defined = options.events.iter().map(|(name, _)| name);
    for name in defined.chain(&options.derived) {
        builder
            .derive_event(name.as_bytes())
            .map_err(|_| Cause::File(ErrorKind::ManyEvents.into()))?;
    }
    Ok(())
}

/// Checks that there is a part of each number that the options name, and that some part was read.
fn check_parts(
    options: &read::ReadOptions,
    profile: &Profile,
    skipped: &[SkippedPart],
) -> Result<(), Cause> {
    let parts = profile.sides().iter().flat_map(|side| side.parts());
    let parts: Vec<_> = parts.collect();
    let read = parts.iter().map(|part| (&part.part_number, &part.thread));
    let skipped = skipped.iter().map(|part| (&part.number, &part.thread));
    let all: Vec<_> = read.chain(skipped).collect();
    let text = |number: &Vec<u8>| String::from_utf8_lossy(number).into_owned();
    let mut numbers = options.parts.iter();
    if let Some(number) =
        numbers.find(|&number| !all.iter().any(|part| part.0.as_ref() == Some(number)))
    {
        return Err(Cause::Part(text(number)));
    }
    let mut threads = options.threads.iter();
    if let Some(number) =
        threads.find(|&number| !all.iter().any(|part| part.1.as_ref() == Some(number)))
    {
        return Err(Cause::Thread(text(number)));
    }
    let selects = !options.parts.is_empty() && !options.threads.is_empty();
    match parts.is_empty() && selects {
        true => Err(Cause::PartOfThread),
        false => Ok(()),
    }
}
