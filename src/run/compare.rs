//! What only a difference has: the events that it shows, notes on its sides, and the verdicts on
//! its limits.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};

use crate::graph::CallGraph;
use crate::options::{ListOptions, Options};
use crate::profile::{BASE, Count, Events, Fraction, FragmentId, Measured, NEW, Profile};
use crate::render::{Style, counted, marked_name, verdict_line};
use crate::run::judgeable::{NOT_JUDGED, place_of, program_of};
use crate::run::message::{LimitFailed, Messages, display_name, display_paths};
use crate::run::{Context, misses, unmatched};
use crate::view::{
    Cost, Figure, FigureTable, Limit, RowBy, RowId, Rows, Selection, Threshold, Verdict, basename,
    selected_cost, selected_inclusive_cost, self_costs, short_function,
};

/// Leaves out the events that only one side of a difference has, and those derived from them;
/// returns the others. It is an error if an option names one. A series shows all events.
pub(super) fn leave_out_events(
    selection: &mut Selection,
    options: &Options,
    profile: &Profile,
) -> Result<Vec<usize>> {
    let events = profile.events();
    if options.input.is_series {
        return Ok((0..events.len()).collect());
    }
    let requested = &options.selection;
    let shown = requested.show.iter().map(|name| ("show", name));
    let sorted = requested.sort.iter().map(|(name, _)| ("sort", name));
    let limits =
        options.limits.iter().filter_map(|limit| Some(("fail-above", limit.event.as_ref()?)));
    let of_sides =
        [("new", NEW), ("base", BASE)].map(|(name, side)| (name, profile.events_of(side)));
    for (option, name) in shown.chain(sorted).chain(limits) {
        let Some(event) = events.find(name) else {
            continue;
        };
        let lacks = of_sides.iter().find(|(_, events)| !events.contains(&event));
        if let Some((side, _)) = lacks {
            let mut parts = profile.sides().iter().flat_map(|side| &side.parts);
            let recorded = parts
                .find(|part| part.columns.contains(&event))
                .filter(|_| option == "fail-above")
                .map(place_of)
                .map_or_else(String::new, |at| format!("; {at} records it"));
            let name = display_name(name);
            bail!("--{option}: the {side} profile has no event '{name}'{recorded}");
        }
    }
    let is_common = |event: &usize| of_sides.iter().all(|(_, events)| events.contains(event));
    selection.retain_events(|event| is_common(&event));
    if selection.shown.is_empty() {
        bail!("the profiles have no event in common");
    }
    Ok((0..events.len()).filter(is_common).collect())
}

/// Below this number of samples changes of functions may be chance.
const FEW_SAMPLES: u64 = 100;

impl Context<'_> {
    /// Notes that two sides are profiles of different programs, or the sums of different numbers of
    /// runs: the first such sides of a series.
    pub(super) fn note_sides(&self) {
        let names: Vec<String> = (0..self.profile.sides().count())
            .map(|side| self.options.input.name_of_side(side))
            .collect();
        // Each side with the one after it, the earliest first.
        let pairs = |of: &dyn Fn(&Measured) -> Option<String>| {
            let values: Vec<Option<String>> = self.profile.sides().iter().map(of).collect();
            let differs = |&side: &usize| {
                let before = values[side].as_ref().zip(values[side - 1].as_ref());
                before.is_some_and(|(base, new)| base != new)
            };
            let side = (1..values.len()).rev().find(differs)?;
            Some((side, values[side].clone()?, values[side - 1].clone()?))
        };
        if let Some((side, base, new)) = pairs(&program_of) {
            let (of_base, of_new) = (&names[side], &names[side - 1]);
            let text = format!("{of_base} is a profile of {base}, and {of_new} one of {new}");
            self.messages.note(text);
        }
        let runs = |side: &Measured| {
            let pids = side.parts.iter().filter_map(|part| part.pid.as_deref());
            let count = pids.collect::<BTreeSet<_>>().len();
            (count > 0).then(|| counted(count, "run"))
        };
        if let Some((side, base, new)) = pairs(&runs) {
            let (of_base, of_new) = (&names[side], &names[side - 1]);
            let text = format!("{of_new} is the sum of {new}, and {of_base} that of {base}");
            self.messages.note(text);
        }
    }

    /// Notes that a side has few samples, whose numbers vary from run to run.
    pub(super) fn note_few_samples(&self) {
        let samples = |side: &Measured| {
            let text = side.parts.first()?.description(b"Samples")?;
            let number = text.split(|&byte| byte == b' ').next()?;
            let digits: Vec<u8> = number.iter().copied().filter(|&byte| byte != b',').collect();
            str::from_utf8(&digits).ok()?.parse::<u64>().ok()
        };
        let sides = self.profile.sides().iter().enumerate();
        let few = sides.filter_map(|(side, of)| Some((side, samples(of)?)));
        if let Some((side, samples)) = few.min_by_key(|&(_, samples)| samples)
            && samples < FEW_SAMPLES
            && self.profile.is_difference()
        {
            let name = display_name(self.options.input.name_of_side(side));
            let samples = counted(samples as usize, "sample");
            self.messages.note(format!(
                "{name} has {samples}: changes of a few samples are chance, whatever reason is given"
            ));
        }
    }

    /// Names the events that only one side of a difference has, or only some of a series.
    pub(super) fn warn_of_events(&self) {
        let profile = self.profile;
        if !profile.is_difference() {
            return;
        }
        if self.options.input.is_series {
            return self.warn_of_events_of_series();
        }
        let [new, base] = [NEW, BASE].map(|side| profile.events_of(side));
        for (own, other, side) in [(&new, &base, "new"), (&base, &new, "base")] {
            let name = |&event: &usize| display_name(profile.events().name(event));
            let names: Vec<String> = own.difference(other).map(name).collect();
            if !names.is_empty() {
                let (s, names) = (if names.len() == 1 { "" } else { "s" }, names.join(", "));
                let text =
                    format!("left out the event{s} that only the {side} profile has: {names}");
                self.messages.warn(text);
            }
        }
    }
}

impl Context<'_> {
    /// Warns of the events that a side of a series lacks, once for each side.
    fn warn_of_events_of_series(&self) {
        let profile = self.profile;
        let all: BTreeSet<usize> =
            (0..profile.sides().count()).flat_map(|side| profile.events_of(side)).collect();
        for side in (0..profile.sides().count()).rev() {
            let own = profile.events_of(side);
            let name = |&event: &usize| display_name(profile.events().name(event));
            let lacks: Vec<String> = all.difference(&own).map(name).collect();
            if !lacks.is_empty() {
                let (s, lacks) = (if lacks.len() == 1 { "" } else { "s" }, lacks.join(", "));
                let label = display_name(self.options.input.name_of_side(side));
                self.messages
                    .warn(format!("{label} has no event{s} {lacks}, which other profiles have"));
            }
        }
    }
}

/// Sets the events of a difference that are shown, and that decide whether a row changed. A text
/// has the event that rows are sorted by first, those of limits, of which the first is sorted by if
/// nothing else is requested, and others on request; JSON has all that changed.
pub(super) fn compare(
    selection: &mut Selection,
    options: &Options,
    events: &Events,
    common: Vec<usize>,
) {
    let format = options.report.format();
    let (limits, requested) = (options.limits.iter(), &options.selection);
    let of_limits = Vec::from_iter(limits.map(|limit| events.find(limit.event.as_ref()?)));
    let has_all = !requested.show.is_empty();
    if format.is_some_and(|format| format.is_for_people) {
        // A limit without an event is about the first one to sort by.
        let is_free = !has_all && requested.sort.is_empty() && !of_limits.contains(&None);
        let limit = of_limits.first().filter(|_| is_free);
        let mut order = selection.order.iter();
        if let Some(at) = limit.and_then(|limit| order.position(|&event| Some(event) == *limit)) {
            selection.order[..=at].rotate_right(1);
        }
        let first = selection.first();
        let all = std::mem::take(&mut selection.shown);
        let others = all
            .into_iter()
            .filter(|&event| Some(event) != first)
            .filter(|&event| has_all || of_limits.contains(&Some(event)));
        selection.shown = first.into_iter().chain(others).collect();
    }
    selection.list.shows_omitted = true;
    if selection.by_ratio.is_some() {
        // A ratio may change although no other shown event does.
        selection.thresholds.fill(Threshold::unlimited());
    }
    let compares_all = format.is_some_and(|format| format.compares_all);
    selection.list.shows_calls |= compares_all;
    selection.list.lists_called |= compares_all;
    selection.by_size = vec![true; events.len()];
    selection.is_difference = true;
    let mut compared = selection.shown.clone();
    if compares_all {
        compared = common;
    }
    // A page for a browser also has rows that did not change, and a list of which they are
    // requested. In trees the minimum is that of lines.
    let no_tree = |list: &ListOptions| list.tree.is_empty();
    let is_complete =
        |min: &Threshold| min.percent == 0.0 && options.report.list().is_none_or(no_tree);
    let has_unchanged = requested.list.min.as_ref().is_some_and(is_complete)
        || format.is_some_and(|format| format.is_for_browsers);
    selection.compared = Some(compared).filter(|_| !has_unchanged);
}

/// The matching row whose self cost grew most, as the end of a failed verdict on self costs. Ratios
/// of rows do not add up.
fn largest_growth(
    verdict: &Verdict,
    against: usize,
    rows: &Rows<'_>,
    style: Style<'_>,
) -> Option<String> {
    let is_sum = !style.ratios.contains(&verdict.event);
    let costs = is_sum.then(|| self_costs(rows))?;
    let growth = |row: &RowId| {
        let on =
            |side| costs.side(side, row.index()).map_or(0, |cost| cost[verdict.event].or_zero());
        on(NEW) - on(against)
    };
    let matching = rows.all().filter(|row| rows.is_selected(*row));
    // Of rows that grew equally the first one by name, as in a list.
    let row =
        matching.max_by(|&a, &b| growth(&a).cmp(&growth(&b)).then_with(|| rows.cmp_items(b, a)))?;
    let label = rows.label_of(row);
    let name = match (label.file.zip(label.line), &label.name[..]) {
        (Some((file, line)), _) => format!("{}:{line}", display_name(basename(file))),
        (None, b"") => "(none)".to_owned(),
        (None, name) => display_name(short_function(name, rows.profile.name_kind())),
    };
    let is_change = verdict.figure.compared.is_some();
    let change = style.in_unit_of(verdict.event).count(Count::new(growth(&row)), is_change);
    Some(format!("; most in {} {change}", marked_name(&name)))
}

#[derive(Default)]
pub(super) struct Gate {
    verdicts: Vec<Verdict>,
    pub(super) lines: Vec<String>,
}

impl<'r> Context<'r> {
    pub(super) fn gate(&self) -> Result<Gate> {
        let limits = &self.options.limits;
        if limits.is_empty() {
            return Ok(Gate::default());
        }
        self.check_judgeable()?;
        let rows = self.rows();
        let is_filtered = !self.options.rows.filter.is_empty();
        let list = self.options.report.list();
        let inclusive = list.filter(|list| list.inclusive && is_filtered);
        let graphs = inclusive.map(|list| CallGraph::of_sides(self.profile, list.cycles));
        let selected_by = |is_selected: &dyn Fn(FragmentId) -> bool| match &graphs {
            Some(graphs) => selected_inclusive_cost(graphs, &rows, is_selected),
            // The sum of the rows, not the files' totals, which may be smaller or larger.
            None => selected_cost(self.profile, is_selected),
        };
        let selected = selected_by(&|id| rows.has_selected(id));
        let verdicts = self.verdicts(&selected)?;
        self.note_cycles(&selected, &verdicts);
        if is_filtered && self.profile.is_difference() {
            let names = self.new_names();
            let selected_or_new = selected_by(&|id| rows.has_selected(id) || names.has(id));
            let with_new = self.verdicts(&selected_or_new)?;
            self.check_names(&names, &verdicts, &with_new)?;
            if verdicts.iter().any(|verdict| verdict.passed) {
                self.check_lost_names(&rows)?;
            }
        }
        let against = self.options.input.judged_against();
        let ratios = self.profile.events().ratios();
        let style = Style { ratios: &ratios, ..self.style() };
        let is_about = self.what_limits_are_about(inclusive.is_some(), is_filtered);
        // Whole functions, also where rows are parts of them.
        let row_by = match rows.row_by {
            RowBy::FileFunction => RowBy::Function,
            row_by => row_by,
        };
        let is_of_all = !is_filtered && !self.options.input.is_series;
        if is_of_all && verdicts.iter().any(|verdict| self.is_other_than_total(verdict)) {
            self.messages.note(
                "limits are about the sum of self costs, which is not the total that the profile states",
            );
        }
        let has_failed = verdicts.iter().any(|verdict| !verdict.passed);
        let functions = (has_failed && inclusive.is_none()).then(|| self.rows_by(row_by));
        let lines = verdicts.iter().map(|verdict| {
            let rows = functions.as_ref().filter(|_| !verdict.passed);
            let growth = rows.and_then(|rows| largest_growth(verdict, against, rows, style));
            let notes = [&is_about[..], &growth.unwrap_or_default()].concat();
            verdict_line(verdict, &notes, style)
        });
        Ok(Gate { lines: lines.collect(), verdicts })
    }

    /// Which costs limits are about, and of a series which profiles, as a part of verdicts.
    fn what_limits_are_about(&self, is_inclusive: bool, is_filtered: bool) -> String {
        let of = if !is_filtered {
            ""
        } else if is_inclusive {
            ", inclusive cost of matching rows"
        } else {
            ", self cost of matching rows"
        };
        let input = &self.options.input;
        if !input.is_series {
            return of.to_owned();
        }
        let sides = [NEW, input.judged_against()];
        let [new, base] = sides.map(|side| display_name(input.name_of_side(side)));
        format!("{of}, {new} against {base}")
    }

    /// Whether a verdict on all costs is about other numbers than the totals that are shown, which
    /// are those of the files if these are larger. A difference below 0.1% is none: callgrind's
    /// total has the last instruction, which no function has.
    fn is_other_than_total(&self, verdict: &Verdict) -> bool {
        let is_ratio = self.profile.events().ratios().contains(&verdict.event);
        let (total, judged) = (self.total.figure.counts().event(verdict.event), &verdict.figure);
        let is_other = |total: Count, judged: Count| {
            let [total, judged] = [total, judged].map(|of| i128::from(of.or_zero()));
            total != judged && (total - judged).abs() * 1000 >= total.abs()
        };
        let is_any_other = match total.sides().zip(judged.sides()) {
            Some(((&base, &new), (&base_judged, &new_judged))) => {
                is_other(base, base_judged) || is_other(new, new_judged)
            }
            None => is_other(total.value, judged.value),
        };
        !is_ratio && is_any_other
    }

    /// Notes that the estimated cycles grew by more than a limit that names no event and was met.
    fn note_cycles(&self, selected: &FigureTable, verdicts: &[Verdict]) {
        let events = self.profile.events();
        let Some(name) = misses::cycles_beside_limits(self.options, events) else { return };
        let Some(cycles) = events.find(name).filter(|_| self.profile.is_difference()) else {
            return;
        };
        let against = self.options.input.judged_against();
        let change = selected.change_from(against, 0, events);
        let figure = change.counts().event(cycles);
        let met = self.options.limits.iter().zip(verdicts).find(|(limit, verdict)| {
            let of_cycles = Verdict::new(&limit.number, cycles, figure);
            limit.event.is_none() && verdict.passed && !of_cycles.passed
        });
        if let Some(((limit, _), percent)) = met.zip(figure.percent()) {
            let name = display_name(name);
            self.messages.note(format!(
                "{name} (estimated cycles, with misses) grew by {percent:.2}%, and has no limit: \
                 --fail-above={name}:{}",
                limit.number.text
            ));
        }
    }

    /// The verdicts of all limits on a selected cost, the only item of its table.
    fn verdicts(&self, selected: &FigureTable) -> Result<Vec<Verdict>> {
        let against = self.options.input.judged_against();
        let change = selected.change_from(against, 0, self.profile.events());
        self.options.limits.iter().map(|limit| self.verdict(limit, &change)).collect()
    }

    /// Whether the selected cost, in a difference its change, is within a limit.
    fn verdict(&self, limit: &Limit, selected: &Figure<Cost>) -> Result<Verdict> {
        let event = self.limit_event(limit)?;
        let figure = selected.counts().event(event);
        let is_ratio = self.profile.events().ratios().contains(&event);
        Ok(match (self.profile.is_difference(), is_ratio) {
            (true, true) => {
                let (new, base) = self.fractions(selected, event)?;
                Verdict::of_ratio(&limit.number, event, figure, base, new)
            }
            (true, false) => Verdict::new(&limit.number, event, figure),
            (false, true) => {
                let cost = Some(&selected.value);
                let value = self.fraction(cost, event, "the profile", &self.input.paths)?;
                Verdict::of_value(&limit.number, event, figure, value)
            }
            (false, false) if limit.number.is_percentage => {
                let all = selected_cost(self.profile, |_| true);
                let against = self.options.input.judged_against();
                let all = all.change_from(against, 0, self.profile.events());
                let total = all.counts().event(event).value.or_zero();
                Verdict::of_share(&limit.number, event, figure, total)
            }
            (false, false) => {
                let unit = self.style().in_unit_of(event).unit;
                let value = Fraction { sum: figure.value.or_zero(), by: unit };
                Verdict::of_value(&limit.number, event, figure, value)
            }
        })
    }

    /// The two sums of a ratio in NEW and in BASE; an error if it is undefined on a side.
    fn fractions(&self, selected: &Figure<Cost>, ratio: usize) -> Result<(Fraction, Fraction)> {
        let sides = selected.compared.as_ref();
        let (input, against) = (&self.options.input, self.options.input.judged_against());
        let base_paths = match against {
            BASE => &input.base,
            side => &input.earlier[side - 2],
        };
        let (of_new, of_base) = (input.name_of_side(NEW), input.name_of_side(against));
        let new = self.fraction(sides.map(|of| &of.new), ratio, &of_new, &self.input.paths)?;
        let base = self.fraction(sides.map(|of| &of.base), ratio, &of_base, base_paths)?;
        Ok((new, base))
    }

    /// The two sums of a ratio on a side; an error if it is undefined.
    fn fraction(
        &self,
        cost: Option<&Cost>,
        ratio: usize,
        side: &str,
        paths: &[PathBuf],
    ) -> Result<Fraction> {
        let events = self.profile.events();
        let fraction = cost.and_then(|cost| events.fraction(cost, ratio));
        fraction.ok_or_else(|| {
            let (paths, name) = (display_paths(paths), display_name(events.name(ratio)));
            anyhow!("{paths}: {name} is not defined in {side}; {NOT_JUDGED}")
        })
    }

    pub(super) fn limit_event(&self, limit: &Limit) -> Result<usize> {
        let Some(name) = &limit.event else {
            return Ok(self.selection.first().unwrap_or(0));
        };
        let events = self.profile.events();
        events.find(name).ok_or_else(|| {
            if let Some(error) = unmatched::no_limit(limit, self.profile.is_difference(), events) {
                return error;
            }
            let error = unmatched::no_event("--fail-above", name, events);
            if unmatched::is_function(name, self.profile) {
                anyhow!("{error}; of a function: -f NAME --fail-above=N")
            } else {
                error
            }
        })
    }
}

impl Gate {
    /// The verdict that a report shows: the first failed one, or the first.
    pub(super) fn verdict(&self) -> Option<&Verdict> {
        let failed = self.verdicts.iter().find(|verdict| !verdict.passed);
        failed.or(self.verdicts.first())
    }

    /// Writes a line for each limit; an error if one was exceeded, or the report could not be
    /// written.
    pub(super) fn end(&self, written: Result<()>, messages: &Messages) -> Result<()> {
        for line in &self.lines {
            messages.write(line);
        }
        if self.verdicts.iter().all(|verdict| verdict.passed) {
            written
        } else {
            Err(LimitFailed(written.err()).into())
        }
    }
}
