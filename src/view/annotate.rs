//! Annotated sources: the cost of each line, and the calls made there.

mod around;
mod counting;
mod inlined;
mod lines;

use std::time::SystemTime;

use crate::graph::{CallGraph, Groups};
use crate::profile::{Count, Events, FileId, Place, Profile, Sides};
use crate::source::{self, Finder, Found, LineMap, Lookup, Text, Unreadable};
use crate::transform::InlinedObjects;
use crate::view::figure::{Cost, CostFigure, Figure, FigureTable, Total};
use crate::view::list::List;
use crate::view::rows::Rows;
use crate::view::selection::Selection;
pub(in crate::view) use inlined::{CostSource, InlinedCallee, InlinedCosts};
pub use lines::{AnnotatedLine, AnnotatedLines, CallSite, Elsewhere, InlinedAtLine, InlinedOnce};

/// The beginning of the names of the C library's sources.
const OF_C_LIBRARY: &[u8] = b"./";

/// The sources to annotate.
pub struct Choices {
    /// The most expensive first.
    pub files: Vec<Choice>,
    /// The number of system and toolchain sources that are left out.
    pub skipped: usize,
}

/// A source to annotate.
pub struct Choice {
    pub name: Vec<u8>,
    pub is_user: bool,
    /// The path, if the source was found, and the paths that were tried.
    pub lookup: Lookup,
    /// The source file of BASE, if BASE has its own.
    pub base: Option<Found>,
    /// Whether only one text is known although both sides have costs here, and that text is newer
    /// than a profile.
    pub is_doubtful: bool,
    /// Its id, if the profile has the file.
    pub file: Option<FileId>,
    /// The lines to show with those around them; empty for all lines with costs.
    pub lines: Vec<u32>,
    cost: Cost,
}

/// A source that was read, with the costs of its lines.
pub struct Annotated<'p> {
    /// Whether the source is newer than the profile, so that line numbers may not match.
    pub is_newer: bool,
    /// The alignment of BASE's and NEW's texts, if both are known.
    pub aligned: Option<LineMap>,
    /// The annotated lines; none if the profile has no costs in the file.
    pub annotation: Option<Annotation<'p>>,
}

/// The text of a source, the costs of its lines, and which of them are shown.
pub struct Annotation<'p> {
    pub text: Text,
    pub lines: AnnotatedLines<'p>,
    /// The first and last line of each region to show. The last region may end past the end of the
    /// source.
    pub regions: Vec<(u32, u32)>,
}

/// Adds up the costs of the lines of chosen sources.
pub struct Annotator<'a, 'p> {
    profile: &'p Profile,
    graphs: &'a Sides<CallGraph<'p>>,
    rows: &'a Rows<'p>,
    selection: &'a Selection,
    context: u32,
    /// The numbers of the places and calls in each selected file.
    places: Groups,
    calls: Groups,
    /// The costs of inlined code, if they are shown.
    inlined: Option<InlinedCosts<'a>>,
    is_found: Vec<bool>,
    /// Whether the calls that the outermost activations of recursive functions make within a cycle
    /// or a function have their cost.
    shows_outermost: bool,
    /// The cost of which calls from lines around a requested one have to be a part.
    total: Cost,
}

impl Choices {
    /// Selects the files given on the command line and, with `auto`, those of the listed functions,
    /// without system and toolchain files if `skips_system`.
    pub fn new(
        rows: &Rows<'_>,
        selection: &Selection,
        list: &List,
        finder: &Finder,
        user: &[Vec<u8>],
        auto: bool,
        skips_system: bool,
    ) -> Choices {
        let (profile, sums) = (rows.profile, costs_of_files(rows));
        let mut is_chosen = vec![false; profile.file_count()];
        let mut choices = Vec::new();
        // A file with another name in BASE is the file of NEW.
        let mut choose = |name: &[u8], is_user| {
            let file = profile.find_file(name);
            let name = file.map_or(name, |file| profile.file(file));
            let is_new =
                file.is_none_or(|file| !std::mem::replace(&mut is_chosen[file.index()], true));
            if is_new {
                let none = || vec![Count::UNDEFINED; profile.events().len()];
                let cost = file.map_or_else(none, |file| sums.get(file.index()).value.to_vec());
                choices.push(Choice {
                    name: name.to_vec(),
                    is_user,
                    lookup: finder.find(name),
                    base: None,
                    is_doubtful: false,
                    file,
                    lines: Vec::new(),
                    cost,
                });
            }
        };
        user.iter().for_each(|name| choose(name, true));
        let mut skipped = 0;
        for file in rows.files(list.items.iter().filter(|_| auto)) {
            let name = profile.file(file);
            if skips_system && source::is_of_system(name) && !user.iter().any(|u| u == name) {
                skipped += 1;
            } else if name != b"???" {
                choose(name, false);
            }
        }
        if skips_system {
            // The sources of the C library have relative paths, and nobody has them.
            choices.retain(|of| {
                of.is_user || of.lookup.found.is_some() || !of.name.starts_with(OF_C_LIBRARY)
            });
        }
        let mut lookups: Vec<_> = choices.iter_mut().map(|choice| &mut choice.lookup).collect();
        source::resolve_conflicts(&mut lookups);
        choices.sort_by(|a, b| {
            let by_cost = selection.cmp_descending(&a.cost, &b.cost);
            by_cost.then_with(|| a.name.cmp(&b.name))
        });
        Choices { files: choices, skipped }
    }
}

impl Choices {
    /// Chooses only these lines of a source.
    pub fn set_lines(&mut self, profile: &Profile, source: &[u8], lines: &[u32]) {
        let file = profile.find_file(source);
        let is_it = |choice: &&mut Choice| match file {
            Some(_) => choice.file == file,
            None => choice.name == source,
        };
        for choice in self.files.iter_mut().filter(is_it) {
            choice.lines.extend(lines);
            choice.lines.sort_unstable();
            choice.lines.dedup();
        }
    }
}

impl<'a, 'p> Annotator<'a, 'p> {
    /// Prepares to annotate the files of `choices` that were found, only with the rows of `list` if
    /// there is one. Rows must be functions.
    pub fn new(
        graphs: &'a Sides<CallGraph<'p>>,
        rows: &'a Rows<'p>,
        selection: &'a Selection,
        context: u32,
        choices: &[Choice],
        list: Option<&List>,
    ) -> Annotator<'a, 'p> {
        let profile = graphs.new.profile;
        let mut is_found = vec![false; profile.file_count()];
        for choice in choices.iter().filter(|choice| choice.lookup.found.is_some()) {
            if let Some(file) = choice.file {
                is_found[file.index()] = true;
            }
        }
        let is_selected = || rows.all().map(|row| rows.is_selected(row)).collect();
        let is_shown = list.map_or_else(is_selected, |list| list.is_listed(rows));
        let of_file = |place: Place| {
            let file = profile.fragment(place.fragment).file;
            let is_in = is_found[file.index()] && is_shown[rows.of_place(place).index()];
            is_in.then_some(file.index())
        };
        let (places, calls) = Groups::of_places(profile, profile.file_count(), of_file);
        Annotator {
            profile,
            graphs,
            rows,
            selection,
            context,
            places,
            calls,
            inlined: None,
            is_found,
            shows_outermost: false,
            total: vec![Count::UNDEFINED; profile.events().len()],
        }
    }

    /// Also shows the code of other files in functions, where the inlined code of the objects says
    /// that it is.
    pub fn with_inlined(mut self, objects: &'a Sides<InlinedObjects>) -> Annotator<'a, 'p> {
        self.inlined = Some(InlinedCosts::new(self.rows, objects, &self.is_found));
        self
    }

    /// Also shows what the outermost activations of recursive functions paid for their calls within
    /// a cycle or a function, where levels of recursion tell that.
    pub fn with_outermost(mut self) -> Annotator<'a, 'p> {
        self.shows_outermost = true;
        self
    }

    /// Around requested lines, calls are shown whose cost is a part of this total.
    pub fn with_total(mut self, total: &Total) -> Annotator<'a, 'p> {
        self.total.clone_from(&total.reference);
        self
    }

    /// Annotates a source file; the lines `in_any_case` are shown even without costs.
    pub fn annotate(
        &self,
        choice: &Choice,
        found: &Found,
        in_any_case: &[u32],
        profile_modified: Option<SystemTime>,
    ) -> Result<Annotated<'p>, Unreadable> {
        let aligned = choice
            .base
            .as_ref()
            .map(|base| LineMap::of_files(base, found, &self.rows.profile.renamed().words))
            .transpose()?;
        let mut always_shown = [in_any_case, &choice.lines[..]].concat();
        always_shown.sort_unstable();
        always_shown.dedup();
        let lines = choice.file.map(|file| self.lines(file, &always_shown, aligned.as_ref()));
        let annotation = lines.filter(|lines| !lines.is_empty()).map(|mut lines| {
            let of_interest = |line: &AnnotatedLine<'_, '_>| line.is_of_interest;
            let regions = match &choice.lines[..] {
                [] => regions(lines.iter().filter(of_interest).map(|line| line.line), self.context),
                requested => self.around(requested, &mut lines, aligned.as_ref()),
            };
            Ok::<_, Unreadable>(Annotation { text: found.text()?, lines, regions })
        });
        Ok(Annotated {
            is_newer: found.is_newer(profile_modified),
            aligned,
            annotation: annotation.transpose()?,
        })
    }
}

impl Annotation<'_> {
    /// The costs of the shown lines: lines of interest, and those in the regions.
    pub fn shown_costs(&self) -> impl Iterator<Item = CostFigure<'_>> {
        let mut regions = self.regions.iter().peekable();
        let shown = self.lines.iter().filter(move |line| {
            while regions.next_if(|(_, last)| *last < line.line).is_some() {}
            let is_inside = regions.peek().is_some_and(|(first, _)| *first <= line.line);
            line.is_of_interest || is_inside
        });
        let unidentified = self.lines.unidentified.iter().map(|cost| cost.counts());
        unidentified.chain(shown.map(|line| line.cost))
    }

    /// The costs of the calls from all lines, of what is inlined there, and of code from other
    /// files.
    pub fn costs_of_calls(&self) -> impl Iterator<Item = CostFigure<'_>> {
        let at_lines = self.lines.iter().filter_map(|line| line.elsewhere());
        let of_elsewhere = at_lines.chain(self.lines.elsewhere()).flat_map(|elsewhere| {
            let calls = elsewhere.calls().map(|(.., cost)| cost);
            calls.chain([elsewhere.cost])
        });
        let of_lines = self.lines.iter().flat_map(|line| line.calls().map(|(.., cost)| cost));
        of_lines.chain(of_elsewhere)
    }

    /// Whether calls at a line have the cost of calls that are nested in them.
    pub fn has_partly_nested_calls(&self) -> bool {
        let at_lines = self.lines.iter().flat_map(|line| line.calls());
        let at_elsewhere = self.lines.iter().filter_map(|line| line.elsewhere());
        let of_elsewhere = at_elsewhere.flat_map(|elsewhere| elsewhere.calls());
        at_lines.chain(of_elsewhere).any(|(_, counts, _)| {
            let sides = counts.compared.map_or([counts.value; 2], |sides| [sides.new, sides.base]);
            sides.iter().any(|calls| calls.are_partly_nested())
        })
    }

    /// The sum of the costs of all lines within the source.
    pub fn cost(&self, events: &Events) -> Figure<Cost> {
        let length = self.text.length();
        let mut cost = Figure::undefined(events.len(), self.lines.costs.is_difference());
        for line in self.lines.iter().take_while(|line| line.line <= length) {
            cost.add(line.cost);
        }
        cost.derive(events);
        cost
    }
}

/// The self costs of all files, only of rows that the filter selected.
fn costs_of_files(rows: &Rows<'_>) -> FigureTable {
    let profile = rows.profile;
    let costs = profile.self_costs_by(profile.file_count(), |id, fragment| {
        let is_selected = rows.is_selected(rows.of_fragment(id));
        is_selected.then_some(fragment.file.index())
    });
    FigureTable::new(costs, profile)
}

/// The regions to show around lines of interest, in order; overlapping regions are merged.
fn regions(lines: impl Iterator<Item = u32>, context: u32) -> Vec<(u32, u32)> {
    let mut regions: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        let first = line.saturating_sub(context).max(1);
        let last = line.saturating_add(context);
        match regions.last_mut() {
            Some(region) if first <= region.1 => region.1 = last,
            _ => regions.push((first, last)),
        }
    }
    regions
}
