//! One row of the report with its lines and calls.

use crate::profile::{Count, NameKind};
use crate::render::Style;
use crate::render::columns::{Cell, Column, Figures, Measure, Show};
use crate::render::json::{Cost, Json, JsonReport, ratio, write_range, write_sides};
use crate::render::line::TreeCalls;
use crate::view::{
    CallCounts, CallLine, CostFigure, Figure, InlinedPart, Label, LineKey, ListRow, Mark,
    NestedPart, PathDirection, RowBy, RowDetails, RowId, component_starts, short_function,
};

pub(super) struct Row<'a, 'p> {
    pub(super) report: &'a JsonReport<'a, 'p>,
    pub(super) line: ListRow<'a, 'p>,
    pub(super) figures: Figures<'a>,
    /// The name in a narrow column of HTML.
    pub(super) narrow: Option<&'a str>,
    /// The lines and calls of several rows, and which of these this is.
    pub(super) details: &'a RowDetails,
    pub(super) number: usize,
    pub(super) nested: Option<Vec<NestedPart>>,
}

impl<'a> Row<'a, '_> {
    pub(super) fn write(&self, json: &mut Json) {
        json.object(|json| {
            json.member("id", self.line.item.index());
            self.write_label(json);
            let is_alone =
                self.report.is_page() && !self.report.listed.rows.profile.is_difference();
            json.known("mark", self.line.cost.mark().map(Mark::name), is_alone);
            self.write_called(json);
            self.write_costs(json);
            self.write_sides(json);
            if let Some(parts) = &self.nested {
                let parts = parts.iter().map(|part| Nested { row: self, part });
                let parts = parts.filter(Nested::is_shown);
                json.objects("nested", parts, |json, part| part.write(json));
            }
            if !self.report.is_page() {
                self.write_lines_and_calls(json);
                if let Some(tree) = self.report.listed.tree {
                    self.write_trees(tree, json);
                }
            }
        });
    }

    fn write_label(&self, json: &mut Json) {
        let label = &self.line.label;
        let Label { ref name, file, .. } = *label;
        if label.is_function() && self.report.listed.rows.row_by != RowBy::Line {
            json.member("file", file)
        } else {
            self.write_place_or_group(json)
        }
        if !label.is_function() {
            return;
        }
        json.member("function", &name[..]);
        let kind = self.report.listed.rows.profile.name_kind();
        let short = short_function(name, kind);
        if !self.report.is_page() {
            json.member("symbol", self.report.listed.rows.symbol(self.line.item));
        }
        if !self.report.is_page() || short != *name {
            json.member("short", &short[..]);
        }
        if self.report.is_page() {
            json.optional("own", own_name_of_other_language(&short, kind).as_deref());
        }
        let narrow = self.narrow.filter(|name| name.as_bytes() != &short[..]);
        json.optional("narrow", narrow);
        json.member("object", label.object);
        json.known("cycle", label.cycle, self.report.is_page());
    }

    /// Writes a group, an instruction or a source line.
    #[cold]
    fn write_place_or_group(&self, json: &mut Json) {
        let label = &self.line.label;
        let Label { ref name, file, .. } = *label;
        if let Some(place) = &label.group {
            json.member("group", &name[..]);
            if let Some(files) = place.files {
                json.member("file", files.only());
                json.member("files", files.count);
            }
            if let Some(objects) = place.objects {
                json.member("object", objects.only());
                json.member("objects", objects.count);
            }
            return;
        }
        if self.report.listed.rows.row_by == RowBy::Instruction {
            let address = label.source.as_deref();
            json.member("object", label.object);
            json.member("address", address.unwrap_or(b"0x0"));
            json.member("file", file);
            json.member("line", label.line.filter(|&line| line != 0));
            return json.member("function", &name[..]);
        }
        json.member("file", file);
        json.member("line", label.line);
        json.member("source", label.source.as_deref());
    }

    /// The id of a callee; none if a difference does not list its row, or if rows are not functions.
    fn id_of(&self, callee: RowId) -> Option<usize> {
        let is_listed = self.report.is_listed.as_ref();
        let has_row = is_listed.is_none_or(|is_listed| is_listed[callee.index()])
            && self.report.listed.rows.row_by.has_callers();
        has_row.then_some(callee.index())
    }

    fn write_costs(&self, json: &mut Json) {
        let style = self.report.listed.style;
        let (cost, inclusive) = (self.figures.cost, self.figures.inclusive);
        let costs = [("self", cost), ("inclusive", inclusive)];
        for (name, cost) in costs {
            json.member(name, cost.map(|cost| Cost::new(style.shown, cost.value)));
        }
        if inclusive.is_some() && !self.report.is_page() {
            let json = json.name("inclusive_range");
            let range = self.figures.estimate.and_then(|estimate| estimate.ranges[0].as_ref());
            let is_difference = self.report.listed.rows.profile.is_difference();
            write_range(range.filter(|_| !is_difference), style.shown, json);
        }
        if !style.ratios.is_empty() {
            json.name("ratios").object(|json| {
                for (name, cost) in costs {
                    let Some(cost) = cost else {
                        json.member(name, None::<f64>);
                        continue;
                    };
                    let ratios = style.ratios.iter();
                    let ratios = ratios.map(|&event| ratio(cost.value[event]));
                    json.name(name).array(ratios, Json::value);
                }
            });
        }
        if self.report.is_page() {
            let marks = self.figures.estimate.map(|estimate| &estimate.is_marked);
            let marks = marks.filter(|marks| style.shown.iter().any(|&event| marks[event]));
            if let Some(marks) = marks {
                let of_shown = style.shown.iter().map(|&event| marks[event]);
                json.name("estimated").array(of_shown, Json::value);
            }
        }
        if style.percentages {
            write_percentages(cost, style, json.name("self_percent"));
            write_percentages(inclusive, style, json.name("inclusive_percent"));
        }
    }

    fn write_lines_and_calls(&self, json: &mut Json) {
        let report = self.report;
        let lines = self.details.lines.of_row(self.number);
        json.objects("lines", lines, |json, (line, cost)| {
            report.write_place(line.key, line.base_line, json);
            report.write_own(cost, Some(&line.calls), json);
            self.write_flow(line.key.new, json);
        });
        let calls = self.details.calls.of_row(self.number);
        json.objects("calls", calls, |json, (site, cost)| {
            report.write_place(site.key, site.base_line, json);
            json.member("id", self.id_of(site.callee));
            let name = report.details.name(site.callee);
            match report.details.file(site.callee) {
                Some(file) => {
                    json.member("file", file);
                    json.member("function", name);
                }
                None => json.member("group", name),
            }
            // The line at which the callee begins.
            json.optional("target", (site.target > 0).then_some(site.target));
            report.write_calls(Some(&site.count), cost, json);
        });
    }

    fn write_called(&self, json: &mut Json) {
        if let Some(counts) = self.line.calls {
            json.name("called").object(|json| {
                json.member("by_others", counts.value.by_others.value());
                json.member("by_itself", counts.value.recursive.value());
            });
        }
        let Some(inlined) = self.report.details.inlined(self.line.item) else {
            return;
        };
        let part = match (inlined.new, inlined.base.flatten()) {
            (Some(new), Some(base)) if new != base => Some(InlinedPart::Some),
            (new, base) => new.or(base),
        };
        json.member("inlined", part.map(inlined_name));
    }

    fn write_sides(&self, json: &mut Json) {
        let inlined = self.report.details.inlined(self.line.item);
        let inlined = inlined.map(|inlined| [inlined.base.flatten(), inlined.new]);
        let inlined = inlined.unwrap_or_default();
        let inlined = inlined.map(|part| part.map(inlined_name));
        let shown = self.report.listed.style.shown;
        write_sides(&self.figures, inlined, false, shown, json);
    }

    fn write_flow(&self, line: u32, json: &mut Json) {
        let (report, row) = (self.report, self.line.item.index());
        let Some(flow) = report.flow else { return };
        if flow.counts {
            json.member("executed", flow.flow.executed(row, line));
        }
        if flow.jumps {
            let jumps = flow.flow.jumps(row, line);
            json.objects("jumps", jumps, |json, jump| {
                json.member("file", report.listed.rows.profile.file(jump.target.0));
                json.member("line", jump.target.1);
                json.member("conditional", jump.is_conditional);
                json.member("taken", jump.taken);
                json.member("executed", jump.executed);
            });
        }
    }

    #[cold]
    fn write_trees(&self, tree: &TreeCalls<'_>, json: &mut Json) {
        let (report, item) = (self.report, self.line.item);
        if tree.tree.contains(&PathDirection::Callers) {
            let (calls, selection) = (&tree.calls, tree.selection);
            let callers = calls.calls(PathDirection::Callers, item, report.listed.rows, selection);
            let callers = callers.iter().map(|line| (line, report.listed.rows.label_of(line.row)));
            // Rows of lines have no name.
            let callers = callers.filter(|(_, label)| label.line.is_none());
            json.objects("callers", callers, |json, (line, label)| {
                json.optional("file", label.file);
                let what = label.group.as_ref().map_or("function", |_| "group");
                json.member(what, &label.name[..]);
                report.write_calls(line.count.as_ref(), line.cost(), json);
            });
        }
        if let Some(paths) = &tree.paths {
            let mut is_complete = !paths.is_left_out(item);
            json.name("tree").object(|json| {
                for &direction in tree.tree {
                    let tree = paths.tree(direction, item).unwrap_or_default();
                    let name = match direction {
                        PathDirection::Callers => "callers",
                        PathDirection::Callees => "callees",
                    };
                    is_complete &= !tree.is_cut;
                    json.objects(name, &tree.lines, |json, line| self.write_path(line, json));
                }
                // False if a tree was cut because it had too many rows.
                json.member("complete", is_complete);
            });
        }
    }

    /// Writes a line of a tree. Lines are not nested, because the number of levels is unlimited.
    fn write_path(&self, line: &CallLine<'_>, json: &mut Json) {
        let (report, details) = (self.report, self.report.details);
        json.member("level", line.level);
        json.optional("recursive", line.is_recursive.then_some(true));
        json.objects("functions", line.rows(), |json, row| {
            json.member("id", row.index());
            json.member("file", details.file(row));
            json.member("function", details.name(row));
        });
        report.write_calls(line.count.as_ref(), line.cost(), json);
    }
}

fn inlined_name(part: InlinedPart) -> &'static str {
    match part {
        InlinedPart::None => "no",
        InlinedPart::Some => "some",
        InlinedPart::All => "all",
    }
}

/// Writes the shown counts of a cost in percent, to two decimals.
fn write_percentages(cost: Option<CostFigure<'_>>, style: Style<'_>, json: &mut Json) {
    let Some(figures) = cost.map(Figures::of_cost) else {
        return json.value(None::<f64>);
    };
    let percent = |&event: &usize| {
        let column = Column::new(Measure::Cost, event, Show::Percent);
        match column.cell(&figures, &style) {
            Cell::Share(percent) | Cell::Percent(percent, _) => {
                Some((percent?.percent * 100.0).round() / 100.0)
            }
            _ => None,
        }
    };
    json.array(style.shown.iter().map(percent), Json::value);
}

/// The calls from a line to a row, or to all unlisted rows.
struct Site {
    id: Option<usize>,
    key: LineKey,
    base_line: Option<u32>,
    count: Figure<CallCounts>,
    cost: Figure<Vec<Count>>,
}

impl Site {
    fn add(&mut self, other: &Site) {
        self.count.add(other.count);
        self.cost.add(other.cost.counts());
        self.cost = std::mem::take(&mut self.cost).marked(None);
    }
}

/// A file with its lines, or a function.
struct Nested<'a, 'r, 'p> {
    row: &'a Row<'r, 'p>,
    part: &'a NestedPart,
}

impl Nested<'_, '_, '_> {
    /// Whether it is shown: in a difference, only if it changed.
    pub(super) fn is_shown(&self) -> bool {
        let shows = |cost: &[Count]| self.row.report.selection.shows(cost);
        let (mut lines, mut calls) = (self.part.lines.of_row(0), self.part.calls.of_row(0));
        shows(&self.part.cost.value)
            || lines.any(|(_, cost)| shows(cost.value))
            || calls
                .any(|(call, cost)| call.count.value.by_others.or_zero() != 0 || shows(cost.value))
    }

    /// The calls; those of a line to unlisted rows are merged.
    fn sites(&self) -> Vec<Site> {
        let report = self.row.report;
        let mut sites: Vec<Site> = Vec::new();
        // The index of the current line's calls to unlisted rows.
        let mut unlisted: Option<usize> = None;
        for (call, cost) in self.part.calls.of_row(0) {
            let id = self.row.id_of(call.callee);
            let (caller, callee) = (self.row.line.item, call.callee);
            let is_within = id.is_none() && report.listed.rows.are_in_one_cycle(caller, callee);
            let site = Site {
                id,
                key: call.key,
                base_line: call.base_line,
                count: call.count,
                cost: if is_within {
                    Figure::undefined(cost.value.len(), cost.compared.is_some())
                } else {
                    cost.to_owned()
                },
            };
            let same = unlisted.filter(|&at| id.is_none() && sites[at].key == call.key);
            match same {
                Some(at) => sites[at].add(&site),
                None => {
                    unlisted = id.is_none().then_some(sites.len()).or(unlisted);
                    sites.push(site);
                }
            }
        }
        sites
    }

    fn write_name(&self, json: &mut Json) {
        let report = self.row.report;
        let function = || Some(report.nesting?.parts.label_of(self.part.of));
        if let Some(file) = self.part.file.map(|file| report.listed.rows.profile.file(file)) {
            // HTML takes that of the row.
            let is_own = report.is_page() && self.row.line.label.file == Some(file);
            json.optional("file", (!is_own).then_some(file));
        } else if let Some(label) = function() {
            json.member("file", label.file);
            json.member("function", &label.name[..]);
            json.member("object", label.object);
        }
    }

    fn write(&self, json: &mut Json) {
        let report = self.row.report;
        self.write_name(json);
        let shown = report.listed.style.shown;
        json.member("self", Cost::new(shown, &self.part.cost.value));
        report.write_sides(|| Figures::of_cost(self.part.cost.counts()), json);
        if self.part.file.is_some() {
            self.write_lines_and_calls(json);
        }
    }

    fn write_lines_and_calls(&self, json: &mut Json) {
        let report = self.row.report;
        let lines = self.part.lines.of_row(0);
        let lines = lines.filter(|(_, cost)| report.selection.shows(cost.value));
        json.objects("lines", lines, |json, (line, cost)| {
            report.write_place(line.key, line.base_line, json);
            report.write_own(cost, None, json);
        });
        json.objects("calls", &self.sites(), |json, site| {
            report.write_place(site.key, site.base_line, json);
            json.member("id", site.id);
            report.write_calls(Some(&site.count), site.cost.counts(), json);
        });
    }
}

impl JsonReport<'_, '_> {
    /// Writes a line, and in a difference its number in BASE's text.
    fn write_place(&self, line: LineKey, base_line: Option<u32>, json: &mut Json) {
        let is_difference = self.listed.rows.profile.is_difference();
        json.member("line", line.in_new());
        json.optional("base_line", is_difference.then_some(base_line));
    }

    /// The cost of lines or calls; in a difference the change, which HTML computes itself.
    fn cost<'c>(&'c self, cost: CostFigure<'c>) -> Option<Cost<'c>> {
        let has_changes = !self.is_page() || cost.compared.is_none();
        let is_shown = has_changes && !self.listed.style.shown.is_empty();
        is_shown.then(|| Cost::new(self.listed.style.shown, cost.value))
    }

    fn write_own(&self, cost: CostFigure<'_>, calls: Option<&Figure<Count>>, json: &mut Json) {
        json.optional("self", self.cost(cost));
        let counted = |calls: &Figure<Count>| Figure::of_calls(calls.map(Count::or_zero), false);
        let figures = || Figures { calls: calls.map(counted), ..Figures::of_cost(cost) };
        self.write_sides(figures, json);
    }

    #[inline]
    fn write_calls(
        &self,
        calls: Option<&Figure<CallCounts>>,
        cost: CostFigure<'_>,
        json: &mut Json,
    ) {
        let count = calls.map(|calls| &calls.value);
        json.member("count", count.and_then(|count| count.by_others.value()));
        let has_inlined = count.is_some_and(|count| count.has_inlined);
        json.optional("inlined", has_inlined.then_some(true));
        json.optional("inclusive", self.cost(cost));
        let calls = calls.copied();
        let figures = || Figures { inclusive: Some(cost), calls, ..Figures::default() };
        self.write_sides(figures, json);
    }

    #[inline]
    fn write_sides<'f>(&self, figures: impl FnOnce() -> Figures<'f>, json: &mut Json) {
        if self.listed.rows.profile.is_difference() {
            let shown = self.listed.style.shown;
            write_sides(&figures(), [None; 2], self.is_page(), shown, json);
        }
    }
}

/// The last component of a name, if it is one of another language than C++ and Rust, whose names
/// the page does not shorten.
fn own_name_of_other_language(name: &[u8], kind: NameKind) -> Option<String> {
    let name = String::from_utf8_lossy(name);
    let starts = component_starts(&name, kind)?;
    Some(name[starts.last().copied().unwrap_or(0)..].to_owned())
}
