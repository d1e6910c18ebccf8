//! Reads profiles, and writes what is wrong with them to standard error.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};

use super::message::{Messages, Progress, display_path, display_paths, value_tip};
use super::sampled::{SampledFiles, as_callgrind};
use crate::options::{InputOptions, Options};
use crate::profile::ProfileBuilder;
use crate::read;
use crate::read::warning::{SkippedPart, Warnings};
use crate::read::{Detail, ReadOptions};

/// Reads profiles and writes what is wrong with them to standard error.
pub(super) struct Reader<'e> {
    options: ReadOptions,
    /// While it is read.
    _progress: Option<Progress>,
    /// The profiles that have addresses, but no source lines.
    without_lines: Vec<String>,
    /// Those that have no addresses, or parts without.
    without_addresses: Vec<String>,
    /// Whether some profile has addresses.
    pub(super) has_addresses: bool,
    /// The profiles of which a part is missing.
    pub(super) truncated: Vec<String>,
    /// The parts that the options do not include.
    pub(super) skipped: Vec<SkippedPart>,
    messages: &'e Messages,
}

impl<'e> Reader<'e> {
    pub(super) fn new(
        options: &Options,
        files: &[PathBuf],
        has_sources: bool,
        messages: &'e Messages,
    ) -> Reader<'e> {
        let (config, needed) = (&options.input, options.needs());
        let of_sources = Detail {
            targets: needed.targets,
            code: needed.code,
            ..Detail::default()
        };
        let mut awaited = files.to_vec();
        awaited.extend_from_slice(&config.base);
        let progress = || Progress::start(messages, &awaited, &config.read.bytes_read);
        let progress = config.progress.then(progress);
        Reader {
            options: ReadOptions {
                detail: if has_sources { of_sources } else { needed },
                fold: options.fold(),
                ..config.read.clone()
            },
            _progress: progress,
            without_lines: Vec::new(),
            without_addresses: Vec::new(),
            has_addresses: false,
            truncated: Vec::new(),
            skipped: Vec::new(),
            messages,
        }
    }

    pub(super) fn read(&mut self, paths: &[PathBuf], profile: &mut ProfileBuilder) -> Result<()> {
        let Reader {
            options,
            without_lines,
            without_addresses,
            has_addresses,
            truncated,
            skipped,
            messages,
            ..
        } = self;
        read::read_all(paths, options, profile, |path, read| {
            let warnings = read.map_err(|error| {
                let line = error.line.map(|line| format!("{line}:"));
                let line = line.unwrap_or_default();
                let tip = value_tip(path);
                anyhow!("{}:{line} {error}{tip}", display_path(path))
            })?;
            if warnings.lacks_lines {
                without_lines.push(display_path(path));
            }
            *has_addresses |= warnings.has_addresses;
            if warnings.lacks_addresses {
                without_addresses.push(display_path(path));
            }
            if warnings.is_truncated {
                truncated.push(display_path(path));
            }
            write_warnings(path, &warnings, messages);
            skipped.extend(warnings.skipped);
            Ok(())
        })
    }

    pub(super) fn read_samples(
        &mut self,
        files: &SampledFiles,
        config: &InputOptions,
        profile: &mut ProfileBuilder,
    ) -> Result<()> {
        let text = as_callgrind(files, config, self.messages)?;
        let names = display_paths(&files.profiles);
        let read = read::read_from(Cursor::new(text), names.as_bytes(), &self.options, profile);
        read.map_err(|error| anyhow!("{names}: {error}"))?;
        Ok(())
    }

    pub(super) fn read_base(
        &mut self,
        config: &InputOptions,
        sampled: Option<&SampledFiles>,
        profile: &mut ProfileBuilder,
    ) -> Result<()> {
        let Some(sampled) = sampled else {
            return self.read(&config.base, profile);
        };
        config.base.iter().try_for_each(|path| {
            let files = sampled.of_base(path, &config.program);
            self.read_samples(&files, config, profile)
        })
    }

    pub(super) fn note_missing_lines(&mut self) {
        let files = std::mem::take(&mut self.without_lines);
        self.note(&files, "no source lines, only addresses");
    }

    /// Notes which profiles have no addresses, where others have.
    pub(super) fn note_missing_addresses(&mut self, profile: &mut ProfileBuilder) {
        let files = std::mem::take(&mut self.without_addresses);
        if !files.is_empty() && profile.code().has_addresses {
            let what = "no addresses of instructions; costs are at address 0";
            self.note(&files, what);
        }
    }

    /// Notes what files lack, if any does.
    fn note(&self, files: &[String], what: &str) {
        let note = match files {
            [] => return,
            [one] => format!("{one}: {what}"),
            [first, others @ ..] => format!("{first} and {} more: {what}", others.len()),
        };
        self.messages.note(note);
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
