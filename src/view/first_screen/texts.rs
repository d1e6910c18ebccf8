//! The texts of the lines that the first screen shows, and what they tell of these lines.

use std::collections::BTreeMap;

use super::{FirstScreen, ScreenLine, Times};
use crate::source::{Finder, Text};
use crate::transform::definition_around;

/// How many lines before its first executed one a function's name is looked for.
const MAX_HEAD: u32 = 20;

impl FirstScreen {
    /// Reads the texts of all lines, each source once.
    pub(super) fn read_texts(&mut self, finder: &Finder) {
        let others = self.by_other_events.iter_mut();
        let (others, works): (Vec<_>, Vec<_>) =
            others.map(|of| (&mut of.lines, &mut of.library_work)).unzip();
        let works = self.library_work.iter_mut().chain(works.into_iter().flatten());
        let lines = self
            .lines
            .iter_mut()
            .chain(others.into_iter().flatten())
            .flat_map(|line| {
                let leading = line.leading.iter_mut().map(|leading| &mut leading.at);
                std::iter::once(&mut line.at).chain(leading)
            })
            .chain(self.costliest.iter_mut().flatten())
            .chain(
                self.misses
                    .iter_mut()
                    .flat_map(|of| std::iter::once(&mut of.at).chain(&mut of.from)),
            )
            .chain(self.system_calls.iter_mut().flat_map(|calls| &mut calls.from))
            .chain(works.filter_map(|work| work.line.as_mut()).flat_map(|line| {
                let repeated = line.repeated.as_mut().and_then(|of| of.from.as_mut());
                line.from.iter_mut().chain(repeated)
            }));
        let mut by_file: BTreeMap<Vec<u8>, Vec<&mut ScreenLine>> = BTreeMap::new();
        for line in lines.filter(|line| line.line > 0) {
            by_file.entry(line.file.clone()).or_default().push(line);
        }
        for (file, mut lines) in by_file {
            // Finding a source of Rust's library takes longer than all else.
            let found = if file.starts_with(b"/rustc/") { None } else { finder.find(&file).found };
            // A source that cannot be read has no texts, like one that is not found.
            let Some(mut text) = found.and_then(|found| found.text().ok()) else {
                continue;
            };
            lines.sort_by_key(|line| line.line);
            let mut last: Option<(u32, Vec<u8>)> = None;
            for line in lines {
                if last.as_ref().is_none_or(|(number, _)| *number != line.line) {
                    let Some(read) = text.line(line.line) else {
                        break;
                    };
                    last = Some((line.line, in_single_blanks(read)));
                }
                line.text = last.as_ref().map(|(_, text)| text.clone());
            }
        }
    }

    /// What the sources say: which is missing, and which lines are of other functions.
    pub(super) fn judge_by_sources(&mut self, finder: &Finder) {
        self.leave_out_times_of_others(finder);
        self.missing_source = self.missing_source(finder);
    }

    /// The source of a line without a text, if it is not found.
    fn missing_source(&self, finder: &Finder) -> Option<Vec<u8>> {
        let mut lines = self.lines.iter().map(|line| &line.at);
        let without = lines.find(|line| line.text.is_none())?;
        (!finder.has(&without.file)).then(|| without.file.clone())
    }

    /// Leaves out how often a line's function was called where the line is outside of the function:
    /// there is the code of another one, which was inlined.
    fn leave_out_times_of_others(&mut self, finder: &Finder) {
        let mut texts: BTreeMap<&[u8], Option<Text>> = BTreeMap::new();
        for line in &mut self.lines {
            let (name, first) = &line.definition;
            if !matches!(line.times, Some(Times::Calls { .. })) || *first == 0 {
                continue;
            }
            let file = &line.at.file[..];
            let text = texts
                .entry(file)
                .or_insert_with(|| finder.find(file).found.and_then(|found| found.text().ok()));
            let from = first.saturating_sub(MAX_HEAD).max(1);
            let definition = text.as_ref().and_then(|text| {
                definition_around(text.lines_from(from), from, file, name, *first)
            });
            if definition.is_some_and(|lines| !lines.contains(&line.at.line)) {
                line.times = None;
            }
        }
    }
}

/// A text without blanks at its ends, and with single ones in it.
pub(in crate::view) fn in_single_blanks(text: &[u8]) -> Vec<u8> {
    let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(&b' ')
}
