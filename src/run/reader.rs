//! Reads profiles, and prints warnings about them.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};

use super::input::Steps;
use super::message::{Messages, and_more, display_path, display_paths};
use super::sampled::{SampledFiles, as_callgrind};
use crate::options::Options;
use crate::profile::{ProfileBuilder, SuffixFold};
use crate::read;
use crate::read::warning::{SkippedPart, Warnings};
use crate::read::{Detail, ReadOptions};

/// The names of a side's profiles, and the warnings about each.
pub(super) type ReadFiles = Vec<(String, Warnings)>;

pub(super) fn skipped_parts(files: &ReadFiles) -> Vec<SkippedPart> {
    let skipped = files.iter().map(|(_, warnings)| &warnings.skipped[..]);
    skipped.collect::<Vec<_>>().concat()
}

impl Steps<'_> {
    pub(super) fn read(
        &self,
        paths: &[PathBuf],
        profile: &mut ProfileBuilder,
    ) -> Result<ReadFiles> {
        let mut files = ReadFiles::new();
        read::read_all(paths, &self.read, profile, |path, read| {
            let warnings = read.map_err(|error| {
                let line = error.line.map(|line| format!("{line}:"));
                let line = line.unwrap_or_default();
                anyhow!("{}:{line} {error}", display_path(path))
            })?;
            write_warnings(path, &warnings, self.messages);
            files.push((display_path(path), warnings));
            Ok::<(), anyhow::Error>(())
        })?;
        Ok(files)
    }

    pub(super) fn read_samples(
        &self,
        files: &SampledFiles,
        profile: &mut ProfileBuilder,
    ) -> Result<()> {
        let text = as_callgrind(files, &self.options.input, self.messages)?;
        let names = display_paths(&files.profiles);
        let read = read::read_from(Cursor::new(text), names.as_bytes(), &self.read, profile);
        read.map_err(|error| anyhow!("{names}: {error}"))?;
        Ok(())
    }

    pub(super) fn read_base(&self, profile: &mut ProfileBuilder) -> Result<ReadFiles> {
        let config = &self.options.input;
        let Some(sampled) = self.sampled else {
            return self.read(&config.base, profile);
        };
        config.base.iter().try_for_each(|path| {
            let files = sampled.of_base(path, &config.program);
            self.read_samples(&files, profile)
        })?;
        Ok(ReadFiles::new())
    }

    /// Notes what some files lack, if any does.
    pub(super) fn note(&self, files: &ReadFiles, lacks: fn(&Warnings) -> bool, what: &str) {
        let mut lacking = files.iter().filter(|(_, warnings)| lacks(warnings));
        let Some((first, _)) = lacking.next() else {
            return;
        };
        let more = and_more(lacking.count());
        self.messages.note(format!("{first}{more}: {what}"));
    }
}

/// The options for reading profiles for a report, with sources or without.
pub(super) fn read_options(options: &Options, has_sources: bool) -> ReadOptions {
    let (needed, input) = (options.needs(), &options.input);
    let of_sources = Detail {
        targets: needed.targets,
        code: needed.code,
        ..Detail::default()
    };
    ReadOptions {
        detail: if has_sources { of_sources } else { needed },
        fold: SuffixFold {
            // Otherwise folded when costs have been charged.
            recursion: options.fold().recursion && (input.charged.is_empty() || input.inlines),
            ..options.fold()
        },
        ..input.read.clone()
    }
}

fn write_warnings(path: &Path, warnings: &Warnings, messages: &Messages) {
    let path = display_path(path);
    for (line, warning) in warnings.listed() {
        messages.warn(format!("{path}:{line}: {warning}"));
    }
    match warnings.unlisted() {
        0 => {}
        1 => messages.warn(format!("{path}: 1 more warning not shown")),
        more => messages.warn(format!("{path}: {more} more warnings not shown")),
    }
}
