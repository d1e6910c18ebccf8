//! The annotated sources, the dearest first. Where there is much to read and write, several threads make the sections
//! of the page and this one writes them in their order. Measured 2026-11-21, 115 sources and a page of 50 MB, the whole
//! program: 66.6 ms on one core, 44.5 ms on two.

use std::fs;
use std::io::{self, Write};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::SystemTime;

use anyhow::{Context, Result};

use super::Report;
use crate::load::in_words;
use crate::profile::{Count, add_cost};
use crate::render;
use crate::source::Found;
use crate::view::{
    AnnotateError, AnnotateOptions, Annotation, Annotator, Choice, Cost, Cycles, FunctionList,
    Grouping, Rows, Shown,
};

/// Sources of fewer bytes together are not worth other threads.
const WORTH_THREADS: u64 = 256 << 10;

/// How many threads there are at most.
const MOST_THREADS: usize = 4;

/// A section goes from thread to thread in pieces of about this many bytes: more than the buffer of standard output,
/// so that they are not copied once more. Measured 2026-11-21, 115 sources: 51.8 ms with 64 KiB, 48.5 ms with 256 KiB.
const PIECE: usize = 256 << 10;

/// How many pieces may wait to be written, for each thread.
const WAITING: usize = 4;

/// Makes sections of the page.
struct Maker<'a, 'r> {
    report: &'a Report<'r>,
    annotator: Annotator<'a, 'r>,
    /// When the profile was written.
    written: Option<SystemTime>,
}

/// What came of a source: what was shown, if the profile has any costs there, or why it was not.
type Done = Result<Option<Shown>, AnnotateError>;

/// What a thread sends of a section: text, and with the last of it what came of the source.
struct Piece {
    text: Vec<u8>,
    done: Option<Done>,
}

impl<'r> Report<'r> {
    pub(super) fn write_sources(
        &self,
        list: &FunctionList,
        rows: &Rows<'r>,
        cycles: &Cycles,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        let (config, profile, selection) = (self.config, &self.input.profile, &self.selection);
        let options = AnnotateOptions {
            auto: config.auto,
            user: self.input.sources.clone(),
            context: config.context,
        };
        let choices = options
            .choose(profile, rows, selection, list, &self.input.finder)
            .with_context(|| in_words(&self.input.paths))?;
        let of_functions = (rows.grouping() != Grouping::Function).then(|| {
            let mut options = config.rows.clone();
            options.grouping = Grouping::Function;
            Rows::new(profile, &options)
        });
        let rows = of_functions.as_ref().unwrap_or(rows);
        let modified = self.input.paths.iter();
        let modified = modified.filter_map(|path| fs::metadata(path).ok()?.modified().ok());
        let maker = Maker {
            report: self,
            annotator: Annotator::new(profile, rows, cycles, selection, config.context, &choices),
            written: modified.min(),
        };
        let annotated = maker.write_all(&choices, out, err)?;
        for walked in self.input.finder.cut_short() {
            writeln!(
                err,
                "cgannotate: {}: too many files: sources were looked for among the first {}",
                walked.folder.escape_ascii(),
                walked.files
            )?;
        }
        let not_found = choices
            .iter()
            .filter(|choice| choice.lookup.found.is_none());
        let mut not_found: Vec<_> = not_found.map(|choice| &choice.name[..]).collect();
        not_found.sort_unstable();
        if !not_found.is_empty() {
            render::write_not_found(&not_found, self.style(), out)?;
        }
        if let Some(annotated) = annotated {
            render::write_annotated_total(&annotated, &profile.events, self.style(), out)?;
        }
        Ok(())
    }
}

impl Maker<'_, '_> {
    /// Writes all sections; returns the sum of the costs beside their lines if there are any.
    fn write_all(
        &self,
        choices: &[Choice],
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<Option<Cost>> {
        let found = choices.iter().filter_map(with_source);
        let size = found.clone().map(|(_, found)| found.size).sum::<u64>();
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.min(MOST_THREADS).min(found.clone().count());
        let threads = if threads < 2 || size < WORTH_THREADS {
            0
        } else {
            threads
        };
        let (mut sum, mut buffer) = (None, Vec::new());
        thread::scope(|scope| {
            let begin = |thread| {
                let (pieces, received) = sync_channel(WAITING);
                let found = found.clone().skip(thread).step_by(threads);
                let name = thread::Builder::new().name("annotator".to_owned());
                let begun = name.spawn_scoped(scope, move || self.send_sections(found, pieces));
                begun.ok().map(|_| received)
            };
            let sections: Vec<_> = (0..threads).map(begin).collect();
            let mut makers = sections.iter().cycle();
            for choice in choices {
                self.tell_steps(choice, err)?;
                let Some((choice, found)) = with_source(choice) else {
                    continue;
                };
                // What no other thread makes is made here.
                let Some(Some(pieces)) = makers.next() else {
                    let done = self.write_section(choice, found, &mut buffer, out)?;
                    self.end(choice, done, &mut sum, err)?;
                    continue;
                };
                for piece in pieces {
                    out.write_all(&piece.text)?;
                    if let Some(done) = piece.done {
                        self.end(choice, done, &mut sum, err)?;
                        break;
                    }
                }
            }
            Ok(sum)
        })
    }

    /// What a thread does: makes sections, until nobody wants any more.
    fn send_sections<'c>(
        &self,
        found: impl Iterator<Item = (&'c Choice, &'c Found)>,
        pieces: SyncSender<Piece>,
    ) {
        let mut buffer = Vec::new();
        let mut section = Section {
            text: Vec::with_capacity(PIECE),
            pieces,
        };
        for (choice, found) in found {
            let done = self.write_section(choice, found, &mut buffer, &mut section);
            let sent = done.and_then(|done| section.send(Some(done)));
            if sent.is_err() {
                return;
            }
        }
    }

    /// Writes the section of a source.
    fn write_section(
        &self,
        choice: &Choice,
        found: &Found,
        buffer: &mut Vec<u8>,
        out: &mut impl Write,
    ) -> io::Result<Done> {
        let annotated = self.annotator.annotate(choice, found, self.written, buffer);
        let mut annotated = match annotated {
            Ok(annotated) => annotated,
            Err(error) => return Ok(Err(error)),
        };
        let input = self.report.input;
        let file = input.paths[0].as_os_str().as_encoded_bytes();
        let (events, style) = (&input.profile.events, self.report.style());
        render::write_annotated(choice, &mut annotated, file, events, style, out)?;
        let shown = annotated.annotation.map(Annotation::end).transpose();
        Ok(shown.map_err(AnnotateError::Overflow))
    }

    /// Adds up what stands beside lines, or tells why a source is not there.
    fn end(
        &self,
        choice: &Choice,
        done: Done,
        sum: &mut Option<Cost>,
        err: &mut impl Write,
    ) -> Result<()> {
        let (input, name) = (self.report.input, choice.name.escape_ascii());
        let in_files = || in_words(&input.paths);
        match done {
            Ok(shown) => {
                let nothing = || vec![Count::UNDEFINED; input.profile.events.len()];
                let sum = sum.get_or_insert_with(nothing);
                let Some(Shown { cost, error }) = shown else {
                    return Ok(());
                };
                add_cost(sum, &cost).with_context(in_files)?;
                if let Some(error) = error {
                    writeln!(err, "cgannotate: {name}: {error}, not annotated to its end")?;
                }
            }
            Err(AnnotateError::Unreadable(why)) => {
                writeln!(err, "cgannotate: {name}: {why}, not annotated")?;
            }
            Err(AnnotateError::Overflow(overflow)) => {
                return Err(overflow).with_context(in_files);
            }
        }
        Ok(())
    }

    /// Tells why none of several files was taken for a source, or all that was done to find it.
    fn tell_steps(&self, choice: &Choice, err: &mut impl Write) -> io::Result<()> {
        let name = choice.name.escape_ascii();
        if self.report.config.verbose {
            writeln!(err, "cgannotate: looking for {name}")?;
            for step in &choice.lookup.steps {
                writeln!(err, "  {step}")?;
            }
        } else if let Some(step) = choice.lookup.tie() {
            writeln!(err, "cgannotate: {name}: {step}")?;
        }
        Ok(())
    }
}

fn with_source(choice: &Choice) -> Option<(&Choice, &Found)> {
    choice.lookup.found.as_ref().map(|found| (choice, found))
}

/// The text of sections on its way to the thread that writes them.
struct Section {
    text: Vec<u8>,
    pieces: SyncSender<Piece>,
}

impl Section {
    /// Sends the text that there is.
    fn send(&mut self, done: Option<Done>) -> io::Result<()> {
        let text = std::mem::replace(&mut self.text, Vec::with_capacity(PIECE));
        let sent = self.pieces.send(Piece { text, done });
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl Write for Section {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.text.len() + bytes.len() > PIECE {
            self.flush()?;
        }
        self.text.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send(None)
    }
}
