//! Annotated sources: the cost of each line, and the calls made there.

use std::time::SystemTime;

use hashbrown::HashMap;

use super::{CallLine, Cost, Cycles, Extent, FunctionList, Mark, RowId, Rows, Selection};
use crate::profile::{Count, FileId, Overflow, Profile, Sides, add_cost};
use crate::source::{self, Finder, Found, Lookup, Unreadable};

/// Which sources are annotated, and how much of them is shown.
#[derive(Clone, Debug)]
pub struct AnnotateOptions {
    /// Whether the files of the listed functions are.
    pub auto: bool,
    /// The files that are annotated in any case, by the names that the profile has for them.
    pub user: Vec<Vec<u8>>,
    /// How many lines are shown before and after each line with costs.
    pub context: u32,
}

/// A file that is to be annotated.
#[derive(Debug)]
pub struct Choice {
    /// Its name in the profile.
    pub name: Vec<u8>,
    /// Whether the user named it.
    pub is_user: bool,
    /// Where it is, if it was found, and where it was looked for.
    pub lookup: Lookup,
    file: Option<FileId>,
    cost: Cost,
}

/// A file with its costs.
pub struct Annotated<'p> {
    /// Whether the source was written after the profile, so that the lines may be others.
    pub is_newer: bool,
    /// Its lines; none if the profile has no costs there.
    pub annotation: Option<Annotation<'p>>,
}

/// The lines of a file and their costs.
pub struct Annotation<'p> {
    /// The source.
    pub text: Vec<u8>,
    /// The lines with costs or calls, by number; those past the end of the source too, but not line 0.
    pub lines: Vec<AnnotatedLine<'p>>,
    /// The first and last line of each stretch to show. The last may end past the end of the source.
    pub regions: Vec<(u32, u32)>,
    /// How many lines the source has.
    pub length: u32,
    /// The costs of which only the file is known.
    pub unidentified: Option<Cost>,
    /// The extent of the costs of lines.
    pub extent: Extent,
}

/// A line with costs or calls.
pub struct AnnotatedLine<'p> {
    /// Its number.
    pub line: u32,
    /// Its self cost.
    pub cost: Cost,
    /// Of a difference: whether only one side has it.
    pub mark: Option<Mark>,
    /// The functions called there.
    pub calls: Vec<CallLine<'p>>,
}

/// Annotates files, one after the other.
pub struct Annotator<'a, 'p> {
    profile: &'p Profile,
    rows: &'a Rows<'p>,
    cycles: &'a Cycles,
    selection: &'a Selection,
    context: u32,
    /// The costs (by number in the profile's table) that lie in each chosen file, by file.
    costs: Vec<Vec<u32>>,
    calls: Vec<Vec<u32>>,
    /// What all calls between two rows cost, for calls from the chosen files.
    between: HashMap<(RowId, RowId), Cost>,
    annotated: Cost,
}

impl AnnotateOptions {
    /// The files to annotate, the dearest first.
    ///
    /// # Errors
    /// [`Overflow`] when a file's sum does not fit.
    pub fn choose(
        &self,
        profile: &Profile,
        rows: &Rows<'_>,
        selection: &Selection,
        list: &FunctionList,
        finder: &Finder,
    ) -> Result<Vec<Choice>, Overflow> {
        let width = profile.events.len();
        let mut sums = vec![Count::UNDEFINED; profile.file_count() * width];
        for ((place, cost), &row) in profile.costs.iter().zip(rows.of_costs()) {
            if rows.is_chosen(row) {
                let start = place.file.index() * width;
                add_cost(&mut sums[start..start + width], cost)?;
            }
        }
        let mut is_chosen = vec![false; profile.file_count()];
        let mut choices = Vec::new();
        let mut choose = |name: &[u8], is_user| {
            let file = profile.find_file(name);
            let is_new =
                file.is_none_or(|file| !std::mem::replace(&mut is_chosen[file.index()], true));
            if is_new
                && !choices
                    .iter()
                    .any(|choice: &Choice| file.is_none() && choice.name == name)
            {
                let cost = file.map_or(vec![Count::UNDEFINED; width], |file| {
                    sums[file.index() * width..(file.index() + 1) * width].to_vec()
                });
                choices.push(Choice {
                    name: name.to_vec(),
                    is_user,
                    lookup: finder.find(name),
                    file,
                    cost,
                });
            }
        };
        self.user.iter().for_each(|name| choose(name, true));
        for file in rows.files(list.items.iter().filter(|_| self.auto)) {
            if profile.file(file) != b"???" {
                choose(profile.file(file), false);
            }
        }
        let mut lookups: Vec<_> = choices
            .iter_mut()
            .map(|choice| &mut choice.lookup)
            .collect();
        source::keep_best(&mut lookups);
        choices.sort_by(|a, b| {
            selection
                .falling(&a.cost, &b.cost)
                .then_with(|| a.name.cmp(&b.name))
        });
        Ok(choices)
    }
}

impl<'a, 'p> Annotator<'a, 'p> {
    /// Gets ready to annotate the files of `choices` that were found.
    pub fn new(
        profile: &'p Profile,
        rows: &'a Rows<'p>,
        cycles: &'a Cycles,
        selection: &'a Selection,
        context: u32,
        choices: &[Choice],
    ) -> Result<Annotator<'a, 'p>, Overflow> {
        let mut is_found = vec![false; profile.file_count()];
        for file in choices
            .iter()
            .filter(|choice| choice.lookup.found.is_some())
            .filter_map(|choice| choice.file)
        {
            is_found[file.index()] = true;
        }
        let by_file = |files: &mut dyn Iterator<Item = (FileId, RowId)>| {
            let mut by_file = vec![Vec::new(); profile.file_count()];
            for (number, (file, row)) in (0..).zip(files) {
                if is_found[file.index()] && rows.is_chosen(row) {
                    by_file[file.index()].push(number);
                }
            }
            by_file
        };
        let mut between = HashMap::new();
        for ((call, cost), &rows) in profile.calls.iter().zip(rows.of_calls()) {
            if is_found[call.site.file.index()] {
                add_cost(
                    between
                        .entry(rows)
                        .or_insert_with(|| vec![Count::UNDEFINED; cost.len()]),
                    cost,
                )?;
            }
        }
        let file_of_cost = profile.costs.iter().map(|(place, _)| place.file);
        let file_of_call = profile.calls.iter().map(|(call, _)| call.site.file);
        Ok(Annotator {
            profile,
            rows,
            cycles,
            selection,
            context,
            between,
            costs: by_file(&mut file_of_cost.zip(rows.of_costs().iter().copied())),
            calls: by_file(
                &mut file_of_call.zip(rows.of_calls().iter().map(|&(caller, _)| caller)),
            ),
            annotated: vec![Count::UNDEFINED; profile.events.len()],
        })
    }

    /// Annotates a file that was found.
    ///
    /// # Errors
    /// The source is not to be read, or a sum does not fit.
    pub fn annotate(
        &mut self,
        choice: &Choice,
        found: &Found,
        profile_modified: Option<SystemTime>,
    ) -> Result<Annotated<'p>, AnnotateError> {
        let is_newer = found
            .modified
            .zip(profile_modified)
            .is_some_and(|(source, profile)| seconds(source) > seconds(profile));
        let lines = match choice.file {
            Some(file) => self.lines(file)?,
            None => Vec::new(),
        };
        if lines.is_empty() {
            return Ok(Annotated {
                is_newer,
                annotation: None,
            });
        }
        let annotation = self.annotation(found.read()?, lines)?;
        Ok(Annotated {
            is_newer,
            annotation: Some(annotation),
        })
    }

    /// The sum of the costs of all lines that were shown with their source.
    pub fn annotated(&self) -> &[Count] {
        &self.annotated
    }

    fn annotation(
        &mut self,
        text: Vec<u8>,
        mut lines: Vec<AnnotatedLine<'p>>,
    ) -> Result<Annotation<'p>, Overflow> {
        let mut extent = Extent::new(self.profile.events.len());
        lines.iter().for_each(|line| extent.include(&line.cost));
        let unidentified = match lines.first() {
            Some(first) if first.line == 0 => Some(lines.remove(0).cost),
            _ => None,
        };
        let newlines = text.iter().filter(|&&b| b == b'\n').count();
        let length = newlines + usize::from(text.last().is_some_and(|&b| b != b'\n'));
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        for line in lines.iter().filter(|line| line.line <= length) {
            add_cost(&mut self.annotated, &line.cost)?;
        }
        let regions = regions(lines.iter().map(|line| line.line), self.context);
        Ok(Annotation {
            text,
            lines,
            regions,
            length,
            unidentified,
            extent,
        })
    }

    /// The lines of a file that have costs or calls, by number.
    fn lines(&self, file: FileId) -> Result<Vec<AnnotatedLine<'p>>, Overflow> {
        let profile = self.profile;
        let undefined = || vec![Count::UNDEFINED; profile.events.len()];
        let line_of_cost = |number: u32| profile.costs.key(number as usize).line;
        let line_of_call = |number: u32| profile.calls.key(number as usize).site.line;
        let mut costs = self.costs[file.index()].clone();
        let mut calls = self.calls[file.index()].clone();
        costs.sort_by_key(|&number| line_of_cost(number));
        calls.sort_by_key(|&number| line_of_call(number));
        // Calls at line 0 have no line to stand under.
        calls.retain(|&number| line_of_call(number) != 0);

        let mut lines: Vec<AnnotatedLine<'p>> = Vec::new();
        let mut of_line = costs
            .chunk_by(|&a, &b| line_of_cost(a) == line_of_cost(b))
            .peekable();
        let mut calls_of_line = calls
            .chunk_by(|&a, &b| line_of_call(a) == line_of_call(b))
            .peekable();
        loop {
            let next_cost = of_line.peek().map(|costs| line_of_cost(costs[0]));
            let next_call = calls_of_line.peek().map(|calls| line_of_call(calls[0]));
            let Some(line) = next_cost.into_iter().chain(next_call).min() else {
                return Ok(lines);
            };
            let costs = of_line
                .next_if(|_| next_cost == Some(line))
                .unwrap_or_default();
            let mut cost = undefined();
            let mut sides = Sides::default();
            for &number in costs {
                add_cost(&mut cost, profile.costs.cost(number as usize))?;
                sides = sides.or(profile.sides_of_cost(number as usize));
            }
            let calls = calls_of_line.next_if(|_| next_call == Some(line));
            let calls = self.call_lines(calls.unwrap_or_default())?;
            if !calls.is_empty() || self.selection.shows(0, &cost) {
                lines.push(AnnotatedLine {
                    line,
                    cost,
                    mark: Mark::of(sides),
                    calls,
                });
            }
        }
    }

    /// The calls of one line, added up by callee. The cost of a call within a cycle is part of that of the
    /// call that entered the cycle, and so left out.
    fn call_lines(&self, calls: &[u32]) -> Result<Vec<CallLine<'p>>, Overflow> {
        let rows_of = |number: u32| self.rows.of_calls()[number as usize];
        let mut calls = calls.to_vec();
        calls.sort_by_key(|&number| (rows_of(number).1, rows_of(number).0));
        let mut lines: Vec<(Cost, RowId, CallLine<'p>)> = Vec::new();
        for calls in calls.chunk_by(|&a, &b| rows_of(a).1 == rows_of(b).1) {
            let undefined = vec![Count::UNDEFINED; self.profile.events.len()];
            let callee = rows_of(calls[0]).1;
            let mut line = CallLine {
                label: self.rows.label(callee),
                count: 0,
                cost: undefined.clone(),
            };
            let mut sides = Sides::default();
            for &number in calls {
                let (call, count, cost) = self.profile.call(number as usize);
                sides = sides.or(self.profile.sides_of_call(number as usize));
                line.count = line.count.checked_add(count).ok_or(Overflow)?;
                if !self.cycles.is_nested(call.site.function, call.callee) {
                    add_cost(&mut line.cost, cost)?;
                }
            }
            let mut rank = undefined;
            for calls in calls.chunk_by(|&a, &b| rows_of(a) == rows_of(b)) {
                add_cost(&mut rank, &self.between[&rows_of(calls[0])])?;
            }
            line.label = line.label.marked(Mark::of(sides));
            if self.selection.shows(line.count, &line.cost) {
                lines.push((rank, callee, line));
            }
        }
        // As in the reference: the callee comes first for which the calling functions pay most, on all
        // their lines together.
        lines.sort_by(|a, b| {
            self.selection
                .falling(&a.0, &b.0)
                .then_with(|| self.rows.by_name(a.1, b.1))
        });
        Ok(lines.into_iter().map(|(_, _, line)| line).collect())
    }
}

/// A time in whole seconds, as files that are copied or unpacked together are of the same age.
fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// The stretches of lines to show around lines of interest: those that overlap are one.
fn regions(lines: impl Iterator<Item = u32>, context: u32) -> Vec<(u32, u32)> {
    let mut regions: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        let (first, last) = (
            line.saturating_sub(context).max(1),
            line.saturating_add(context),
        );
        match regions.last_mut() {
            Some(region) if first <= region.1 => region.1 = last,
            _ => regions.push((first, last)),
        }
    }
    regions
}

/// Why a file could not be annotated.
#[derive(Debug)]
pub enum AnnotateError {
    /// The source is not shown; the others are.
    Unreadable(Unreadable),
    /// A sum does not fit.
    Overflow(Overflow),
}

impl From<Overflow> for AnnotateError {
    fn from(overflow: Overflow) -> AnnotateError {
        AnnotateError::Overflow(overflow)
    }
}

impl From<Unreadable> for AnnotateError {
    fn from(unreadable: Unreadable) -> AnnotateError {
        AnnotateError::Unreadable(unreadable)
    }
}

#[cfg(test)]
mod tests {
    use super::regions;

    #[test]
    fn regions_that_overlap_are_one_and_those_that_only_touch_are_not() {
        assert_eq!(regions([1, 7, 14, 20].into_iter(), 3), [(1, 10), (11, 23)]);
        assert_eq!(regions([5, 6].into_iter(), 0), [(5, 5), (6, 6)]);
        assert_eq!(
            regions([u32::MAX].into_iter(), 8),
            [(u32::MAX - 8, u32::MAX)]
        );
    }
}
