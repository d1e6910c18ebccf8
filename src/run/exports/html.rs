//! The page for a browser: its rows, stacks and sources.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use anyhow::Result;

use crate::options::Page;
use crate::profile::{FileId, Ordered, SuffixFold};
use crate::render::{self, HtmlSource, JsonReport, MAX_HTML, PageMembers};
use crate::run::Context;
use crate::run::base_sources::oldest;
use crate::run::message::display_name;
use crate::run::prepare::Prepared;
use crate::view::{
    Alignments, Choice, Details, List, RowBy, RowId, RowOptions, Rows, regions, self_costs,
};

/// The maximum cost that a page leaves out without a note, in percent of the total.
const MAX_OMITTED_PERCENT: f64 = 5.0;

impl<'r> Context<'r> {
    pub(in crate::run) fn write_html(
        &self,
        html: &Page,
        prepared: &Prepared<'_, 'r>,
        out: &mut impl Write,
    ) -> Result<()> {
        let Some(inclusive) = &prepared.inclusive else {
            return Ok(());
        };
        let (list, rows) = (&prepared.list, &prepared.rows);
        let alignments = &prepared.alignments;
        let details = Details::new(rows, inclusive, &self.selection, alignments, None);
        let nesting = self.nesting(rows, true);
        let report = JsonReport {
            nesting: Some(&nesting),
            is_listed: Some(list.is_listed(rows)),
            verdict: prepared.gate.verdict(),
            page: Some(PageMembers {
                minimum: html.min_percent,
                event: self.event(),
                names: render::narrow_names(list, rows, self.style()),
            }),
            ..self.json_report(list, rows, &details)
        };
        let mut choices = self.choose_sources(&html.annotation, list, rows).files;
        // Sources newer than a profile are shown with a caveat.
        self.find_base_sources(&mut choices, true);
        let context = html.annotation.context;
        let sources = self.html_sources(context, &choices, (list, rows), alignments);
        let more = |out: &mut Vec<u8>| {
            self.write_sums(out)?;
            self.write_stacks(rows, list, out)
        };
        let bytes = render::write_html(&self.title(), &report, more, sources, out)?;
        self.note_page(list, bytes);
        Ok(())
    }

    /// Notes the cost that the page leaves out, and a large size.
    fn note_page(&self, list: &List, bytes: usize) {
        let (event, events) = (self.event(), self.profile.events());
        let omitted = list.omitted.as_ref();
        let more = omitted.map_or(0, |omitted| omitted.more.cost.value[event].or_zero());
        let percent = more as f64 * 100.0 / self.total.reference[event].or_zero() as f64;
        if percent.abs() > MAX_OMITTED_PERCENT {
            let name = display_name(events.name(event));
            let is_context = |name| SuffixFold::CALLERS.apply(name) != name;
            let fold = match self.profile.names().any(is_context) {
                true => ", or --fold=callers, which merges contexts",
                false => "",
            };
            self.messages.note(format!(
                "the page leaves out {percent:.1}% of {name}; --min=0 keeps all{fold}"
            ));
        }
        if bytes > MAX_HTML {
            let size = bytes >> 20;
            self.messages.warn(format!(
                "the page has {size} MiB, which browsers open slowly; --min leaves more out"
            ));
        }
    }

    /// Writes the self costs of all objects and source files, including those of unlisted functions.
    fn write_sums(&self, out: &mut impl Write) -> io::Result<()> {
        for (member, row_by) in [("objects", RowBy::Object), ("files", RowBy::File)] {
            let options = self.options.rows.clone();
            let rows = Rows::new(self.profile, &RowOptions { row_by, ..options });
            render::write_json_sums(member, &rows, &self_costs(&rows), self.style(), out)?;
        }
        Ok(())
    }

    /// Writes the stacks of each shown event as frames in preorder: depth, row or -1, and inclusive cost.
    fn write_stacks(&self, rows: &Rows<'r>, list: &List, out: &mut impl Write) -> io::Result<()> {
        let is_listed = list.is_listed(rows);
        let graph = self.graphs_of_functions().new;
        out.write_all(b",\"stacks\":[")?;
        let events = self.selection.shown.iter();
        for (at, &event) in events.enumerate() {
            out.write_all(if at > 0 { b",\n[" } else { b"\n[" })?;
            // Negative costs have no stacks.
            if let Ok(stacks) = self.stacks(&graph, rows, event) {
                let (mut tree, mut roots) = (FrameTree::default(), Vec::new());
                let options = self.stack_options();
                let walked = stacks.for_each(options.min, options.keeps_all, rows, |path, cost| {
                    let mut above = None;
                    for &function in path {
                        let row = rows.of_function(function);
                        let row = is_listed[row.index()].then_some(row);
                        let next = tree.len();
                        let frame = tree.entry((above, row));
                        let at = frame.index();
                        frame.or_default().cost += i128::from(cost);
                        if at == next {
                            let of_above = above.map(|above| &mut tree[above].below);
                            of_above.unwrap_or(&mut roots).push(at);
                        }
                        above = Some(at);
                    }
                    Ok::<(), std::convert::Infallible>(())
                });
                let Ok(()) = walked;
                write_frames(&tree, &roots, out)?;
            }
            out.write_all(b"]")?;
        }
        out.write_all(b"\n]")
    }

    /// The sources of the listed functions with the lines around those that have costs or calls.
    fn html_sources<'n>(
        &self,
        context: u32,
        choices: &'n [Choice],
        (list, rows): (&List, &Rows<'r>),
        alignments: &'n Alignments,
    ) -> Vec<HtmlSource<'n>> {
        let is_listed = list.is_listed(rows);
        let mut lines_of: BTreeMap<FileId, BTreeSet<u32>> = BTreeMap::new();
        for (place, on) in self.profile.places_and_sites() {
            if is_listed[rows.of_place(place).index()] {
                let file = self.profile.fragment(place.fragment).file;
                let keys = alignments.line_keys(Some(file));
                let keys = keys.of(self.profile.line(place), on);
                let lines = lines_of.entry(file).or_default();
                lines.extend(keys.map(|(key, _)| key.new).filter(|&line| line > 0));
            }
        }
        let paths = [&self.input.paths, &self.options.input.base];
        let written = paths.iter().filter_map(|paths| oldest(paths)).min();
        let sources = choices.iter().filter_map(|choice| {
            let (found, file) = (choice.lookup.found.as_ref()?, choice.file?);
            Some(HtmlSource {
                choice,
                is_newer: found.is_newer(written),
                text: found.text().ok()?,
                regions: regions(lines_of.get(&file)?.iter().copied(), context),
                aligned: alignments.maps.get(&file),
            })
        });
        sources.collect()
    }
}

/// Frames by the frame above and their row. Unlisted functions that call each other are one frame.
type FrameTree = Ordered<(Option<usize>, Option<RowId>), Frame>;

#[derive(Default)]
struct Frame {
    cost: i128,
    below: Vec<usize>,
}

/// Writes `roots` and the frames below them in preorder: depth, row and cost.
fn write_frames(tree: &FrameTree, roots: &[usize], out: &mut impl Write) -> io::Result<()> {
    let mut left: Vec<(usize, usize)> = roots.iter().rev().map(|&root| (0, root)).collect();
    let mut separator = "";
    while let Some((depth, at)) = left.pop() {
        let Some((&(_, row), Frame { cost, below })) = tree.get_index(at) else {
            continue;
        };
        let row = row.map_or(-1, |row| row.index() as i64);
        write!(out, "{separator}{depth},{row},{cost}")?;
        separator = ",";
        left.extend(below.iter().rev().map(|&frame| (depth + 1, frame)));
    }
    Ok(())
}
