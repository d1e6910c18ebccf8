//! The members before the rows: events, parts, totals, cycles, rows that are not listed.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::JsonReport;
use super::own_lines::{LineOfMisses, OwnLine, StartUpCosts, SystemCalls};
use super::reasons::{LineWithChange, Place, Reason, RenamedFunction};
use super::series::{self, SeriesProfile};
use super::sides::{self, BothSides};
use super::value::{Cost, Maybe, Name, Number, Totals, as_name, number};
use crate::profile::{self, Count, Events, Sides};
use crate::render::header::{long_name, milliseconds};
use crate::render::measure::Figures;
use crate::render::without_marks;
use crate::view::{self, Figure, Omitted, RowId};

/// Increased when a member is removed or its meaning changes, not when one is added.
pub(super) const VERSION: u32 = 3;

const FORMAT: &str = "cgannotate";

/// The members before the rows.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct Head<'a> {
    /// Says that this is a report of cgannotate.
    #[cfg_attr(test, schemars(extend("const" = FORMAT)))]
    format: &'static str,
    /// The version of the format.
    #[cfg_attr(test, schemars(extend("const" = VERSION)))]
    version: u32,
    /// The program that wrote the report, with its version.
    #[cfg_attr(test, schemars(regex(pattern = "^cgannotate ")))]
    program: &'static str,
    /// The shown events, in the order in which all costs have them.
    events: Vec<Event<'a>>,
    /// The events that files or options define by formulas, shown or not: `--show=NAME` shows one.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    formulas: Maybe<Vec<Formula<'a>>>,
    /// The events by which rows are sorted: the first, where it is equal the second, and so on.
    order: Vec<Name<'a>>,
    /// Whether rows are sorted by their self or inclusive costs.
    order_by: OrderBy,
    /// The shown events that are ratios or have decimals; rows have theirs in this order.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    ratios: Maybe<Vec<Ratio<'a>>>,
    /// The headers of the parts of all files; of a difference those of NEW, of a series those of
    /// the last profile.
    parts: Vec<Part<'a>>,
    /// BASE of a difference; null in other reports.
    base: Option<Side<'a>>,
    /// NEW of a difference.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    new: Maybe<Side<'a>>,
    /// The profiles of a series, in the order given.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    sides: Maybe<Vec<SeriesProfile<'a>>>,
    /// The cost of the program; in a difference the change, in a series the largest minus the
    /// smallest.
    total: Cost<'a>,
    totals: Totals<'a>,
    /// Whether the total is the sum of all self costs, because no file states one.
    calculated: bool,
    /// If files are known to be damaged: each with the line at which that shows, and how. Costs may
    /// be missing then.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    damaged: Maybe<Vec<&'a str>>,
    /// What `--below` and `--without` kept of the profile, one after the other.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    kept: Maybe<Vec<Kept<'a>>>,
    /// With `--lines=yes` your most expensive lines, with all that they call, as the first screen
    /// has them; empty if none has a twentieth of the total.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    lines: Maybe<Vec<OwnLine<'a>>>,
    /// With `--lines=yes` whose lines these are, or why there are none.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    lines_heading: Maybe<String>,
    /// With `--lines=yes` what else the first screen says: what memory, copies and comparisons
    /// cost, and what was spent outside `main`, if that is much; which source is not found; and
    /// whether the simulated cache is larger than those of most machines.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    lines_notes: Maybe<Vec<String>>,
    /// With `--lines=yes` the lines with most misses and mispredictions.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    misses: Maybe<Vec<LineOfMisses<'a>>>,
    /// With `--lines=yes` the system calls, if there are 1,000 or more.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    system_calls: Maybe<SystemCalls<'a>>,
    /// With `--lines=yes` what was spent in `main` and outside it, if calls of it are recorded.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    start_up: Maybe<StartUpCosts<'a>>,
    /// With `--lines=yes`, and in a page for a browser, the command that records the lines of
    /// inlined code, if they are not recorded and such code has a tenth of the total.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    record: Maybe<String>,
    /// Why they are worth recording.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    record_reason: Maybe<String>,
    /// The cycles of calls.
    cycles: Vec<Cycle<'a>>,
    /// What the recorded counts were multiplied by.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    scale: Maybe<Scale>,
    /// The rows that are not in the list.
    rest: Option<Rest<'a>>,
    /// The rows of a difference that are left out because they are equal on both sides.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    unchanged: Maybe<Unchanged<'a>>,
    /// Of a difference what came of its limit; null without one.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    verdict: Maybe<Option<Verdict<'a>>>,
    /// Of a difference the functions that have another name in BASE, if there are any.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    renamed: Maybe<Vec<RenamedFunction<'a>>>,
    /// Why the rows of a difference with the largest changes changed, unless options change what
    /// the rows are.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    reasons: Maybe<Vec<Reason<'a>>>,
    /// Where the sources changed: the places with the largest changes of cost, calls included.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    changed_places: Maybe<Vec<Place<'a>>>,
    /// The lines whose texts are the same on both sides with the largest changes of cost, calls
    /// included; without those that have theirs from such a line that only they lead to.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    unchanged_lines: Maybe<Vec<LineWithChange<'a>>>,
    /// The first changed places that were executed, if no changed line explains any reason that
    /// goes the way of the total.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    changed_and_executed: Maybe<Vec<Place<'a>>>,
    /// The first changed constants, types and macros, if no changed line of code explains some
    /// reason.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    changed_declarations: Maybe<Vec<Place<'a>>>,
}

/// What an option kept of the profile. Its costs are not divided by `--per`.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Kept<'a> {
    /// The option: `below` or `without`.
    option: &'static str,
    /// The patterns of its functions.
    patterns: Vec<Name<'a>>,
    /// The total before.
    of: Cost<'a>,
    /// The total of what was kept.
    total: Cost<'a>,
    /// The self costs in it that are exact. The others are those of functions that also had other
    /// callers: they are divided by what the callers paid.
    exact: Cost<'a>,
    /// The same of BASE, in a difference.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    base: Maybe<KeptSide<'a>>,
}

/// What an option kept of BASE.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct KeptSide<'a> {
    of: Cost<'a>,
    total: Cost<'a>,
    exact: Cost<'a>,
}

/// An event that is shown.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Event<'a> {
    name: Name<'a>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    long_name: Maybe<Name<'a>>,
    /// Whether a file has its counts; false if it is derived from other events.
    recorded: bool,
    /// What it is derived from.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    #[cfg_attr(test, schemars(skip))]
    formula: Maybe<FormulaText>,
    /// The number of milliseconds that one is, if it is a smaller unit of time.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    #[cfg_attr(test, schemars(skip))]
    milliseconds: Maybe<f64>,
}

#[derive(Serialize)]
#[serde(transparent)]
struct FormulaText(#[serde(serialize_with = "as_name")] Vec<u8>);

/// An event that is defined by others.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Formula<'a> {
    name: Name<'a>,
    #[serde(serialize_with = "as_name")]
    #[cfg_attr(test, schemars(with = "Name<'static>"))]
    formula: Vec<u8>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    long_name: Maybe<Name<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
enum OrderBy {
    #[serde(rename = "self")]
    Own,
    Inclusive,
}

/// An event that is a ratio of others.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Ratio<'a> {
    name: Name<'a>,
    /// The ratio of the whole program; in a difference the change.
    total: Option<f64>,
}

/// The header of a part of a file, such as a dump or a thread.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Part<'a> {
    /// The path of the file, as given.
    file: Name<'a>,
    /// The program that recorded the profile.
    creator: Option<Name<'a>>,
    /// The command that was profiled.
    command: Option<Name<'a>>,
    /// The process, as the file has it.
    pid: Option<Name<'a>>,
    /// The number of the dump, as the file has it.
    part: Option<Name<'a>>,
    /// The number of the thread, as the file has it.
    thread: Option<Name<'a>>,
    /// The `desc:` lines, such as the sizes of simulated caches and what caused the dump.
    descriptions: Vec<Name<'a>>,
    #[cfg_attr(test, schemars(with = "Cost<'static>"))]
    total: Vec<Option<Number>>,
    /// Whether the total is the sum of the self costs, because the file states none.
    calculated: bool,
}

/// The profiles of one side of a difference.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "TotalOfSide"))]
struct Side<'a> {
    /// The paths of the files, as given.
    files: Vec<Name<'a>>,
    total: Cost<'a>,
    totals: Totals<'a>,
}

/// A cycle of calls.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Cycle<'a> {
    /// Its number, from 1.
    number: u32,
    /// The cost of all calls into the cycle, with what its members cost.
    inclusive: Cost<'a>,
    /// With `--below` or `--without` whether that is an estimate, divided by what callers paid.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    divided: Maybe<bool>,
    #[serde(flatten)]
    sides: BothSides<'a>,
    /// Of a series the figures of each profile, in the order of the profiles.
    #[serde(rename = "sides", skip_serializing_if = "Maybe::is_absent")]
    of_series: Maybe<Vec<sides::Side<'a>>>,
    /// The ids of the rows that are its members.
    rows: Vec<usize>,
}

/// What the recorded counts of each side were multiplied by.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Scale {
    new: f64,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    base: Maybe<f64>,
}

impl Scale {
    fn of(factors: &Sides<f64>) -> Scale {
        Scale { new: factors.new, base: factors.base.into() }
    }
}

/// Rows that are not in the list.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Rest<'a> {
    /// The minimum cost of a row, in percent of the total.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    #[cfg_attr(test, schemars(skip))]
    minimum: Maybe<f64>,
    /// Those that a limit cut off.
    more: Omission<'a>,
    /// All that match the filters, listed or not; null without filters.
    chosen: Option<Omission<'a>>,
    /// Those that do not match the filters.
    not_chosen: Omission<'a>,
    /// What the total has and no row: that of files that state more than their lines cost. Missing
    /// if that is nothing, in a comparison, and with `--below` and `--without`.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    of_no_row: Maybe<Cost<'a>>,
}

/// A number of rows.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Omission<'a> {
    rows: usize,
    /// The sum of their self costs; in a series of what each has as its self cost.
    #[serde(rename = "self")]
    own: Cost<'a>,
    #[serde(flatten)]
    sides: BothSides<'a>,
}

/// Rows that are equal on both sides of a difference.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Unchanged<'a> {
    rows: usize,
    /// The sum of their self costs, on either side.
    #[serde(rename = "self")]
    own: Cost<'a>,
}

/// What came of a limit.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Verdict<'a> {
    passed: bool,
    event: Name<'a>,
    /// The cost of the rows that the filter selected; or the ratio.
    base: Option<Amount>,
    new: Option<Amount>,
    /// The change in percent of BASE, or without BASE the share of the total; null if that is 0.
    percent: Option<f64>,
    /// The largest change that passes, in percent of BASE; without BASE the largest number, or the
    /// largest share in percent.
    limit: f64,
}

/// A count or a ratio.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
enum Amount {
    Count(Number),
    Ratio(f64),
}

impl<'a> Head<'a> {
    pub(super) fn of(report: &'a JsonReport<'_, '_>) -> Head<'a> {
        let listed = &report.listed;
        let (profile, shown) = (listed.rows.profile, listed.style.shown);
        let events = profile.events();
        let total = &listed.total.figure;
        let totals = |total: &'a [Count]| {
            let cost = Cost::new(shown, total);
            Totals { cost, events }
        };
        let side = |parts: &'a [profile::Part], total: &'a [Count]| {
            let mut files: Vec<_> = parts.iter().map(|part| Name(&part.file)).collect();
            files.dedup_by_key(|file| file.0);
            Side { files, total: Cost::new(shown, total), totals: totals(total) }
        };
        let Sides { base, new, .. } = profile.sides();
        let is_series = listed.style.series.is_some();
        let sides = base.as_ref().zip(total.sides()).filter(|_| !is_series);
        let ratios = listed.style.ratios.iter().map(|&event| Ratio {
            name: Name(events.name(event)),
            total: number(total.value[event], event, listed.style),
        });
        let order = report.selection.by_ratio.iter().chain(&report.selection.order);
        Head {
            format: FORMAT,
            version: VERSION,
            program: concat!("cgannotate ", env!("CARGO_PKG_VERSION")),
            events: Event::all(report),
            formulas: Formula::all(report).into(),
            order: order.map(|&event| Name(events.name(event))).collect(),
            order_by: if listed.list.is_inclusive { OrderBy::Inclusive } else { OrderBy::Own },
            ratios: (!listed.style.ratios.is_empty()).then(|| ratios.collect()).into(),
            parts: profile.parts().iter().map(|part| Part::of(part, events, shown)).collect(),
            base: sides.map(|(base, (total, _))| side(&base.parts, total)),
            new: sides.map(|(_, (_, total))| side(&new.parts, total)).into(),
            sides: series::profiles(report).into(),
            total: Cost::new(shown, &total.value),
            totals: totals(&total.value),
            calculated: listed.total.is_calculated,
            damaged: damaged(report).into(),
            kept: Kept::all(report).into(),
            lines: OwnLine::all(report).into(),
            lines_heading: report.heading_of_lines().into(),
            lines_notes: report.notes_of_lines().into(),
            misses: LineOfMisses::all(report).into(),
            system_calls: SystemCalls::of(report).into(),
            start_up: StartUpCosts::of(report).into(),
            record: report.record.as_ref().map(|of| without_marks(&of.to_string())).into(),
            record_reason: report.reason_to_record().into(),
            cycles: Cycle::all(report),
            scale: report.scale.as_ref().map(Scale::of).into(),
            rest: listed.list.omitted.as_ref().map(|omitted| Rest::of(omitted, report)),
            unchanged: Unchanged::of(report).into(),
            verdict: profile.is_difference().then(|| Verdict::of(report)).into(),
            renamed: RenamedFunction::all(report).into(),
            reasons: Reason::all(report).into(),
            changed_places: Place::all(report).into(),
            unchanged_lines: LineWithChange::all(report).into(),
            changed_and_executed: Place::executed(report).into(),
            changed_declarations: Place::declarations(report).into(),
        }
    }
}

/// None if there are none, or for the page, which has all warnings.
fn damaged<'a>(report: &'a JsonReport<'_, '_>) -> Option<Vec<&'a str>> {
    let all: Vec<&str> = report.damaged.iter().map(String::as_str).collect();
    (!report.is_page() && !all.is_empty()).then_some(all)
}

impl<'a> JsonReport<'a, '_> {
    /// The members of both sides of a difference, which a series does not have.
    fn both_sides<'f>(&self, figures: &Figures<'f>) -> BothSides<'f>
    where
        'a: 'f,
    {
        if self.listed.style.series.is_some() {
            return BothSides::default();
        }
        BothSides::of(figures, [None; 2], false, self.listed.style.shown)
    }
}

impl<'a> Kept<'a> {
    /// None if everything was kept.
    fn all(report: &'a JsonReport<'_, '_>) -> Option<Vec<Kept<'a>>> {
        let shown = report.listed.style.shown;
        let cost = |cost: &'a [Count]| Cost::new(shown, cost);
        let kept = report.kept.iter().map(|part| {
            let Sides { new, base, .. } = &part.cost;
            let base = base.as_ref().map(|base| KeptSide {
                of: cost(&base.all),
                total: cost(&base.kept),
                exact: cost(&base.exact),
            });
            Kept {
                option: part.option,
                patterns: part.patterns.iter().map(|pattern| Name(pattern)).collect(),
                of: cost(&new.all),
                total: cost(&new.kept),
                exact: cost(&new.exact),
                base: base.into(),
            }
        });
        (!report.kept.is_empty()).then(|| kept.collect())
    }
}

impl<'a> Event<'a> {
    fn all(report: &'a JsonReport<'_, '_>) -> Vec<Event<'a>> {
        let events = report.listed.rows.profile.events();
        let event = |&event: &usize| {
            let name = events.name(event);
            let long_name =
                if report.is_page() { long_name(events, name) } else { events.long_name(name) };
            let recorded = events.is_recorded(event);
            // JSON has the formulas that the files or options define.
            let formula = events.formula(name).filter(|_| report.is_page() && !recorded);
            Event {
                name: Name(name),
                long_name: long_name.map(Name).into(),
                recorded,
                formula: formula.map(|formula| FormulaText(formula.to_bytes())).into(),
                milliseconds: milliseconds(events, name).filter(|_| report.is_page()).into(),
            }
        };
        report.listed.style.shown.iter().map(event).collect()
    }
}

impl<'a> Formula<'a> {
    /// None if there are none, or the page shows none.
    fn all(report: &'a JsonReport<'_, '_>) -> Option<Vec<Formula<'a>>> {
        let events = report.listed.rows.profile.events();
        let formulas: Vec<_> = events
            .formulas()
            .filter(|(_, formula)| !formula.is_ratio())
            .map(|(name, formula)| Formula {
                name: Name(name),
                formula: formula.to_bytes(),
                long_name: events.long_name(name).map(Name).into(),
            })
            .collect();
        (!report.is_page() && !formulas.is_empty()).then_some(formulas)
    }
}

impl<'a> Part<'a> {
    fn of(part: &'a profile::Part, events: &Events, shown: &[usize]) -> Part<'a> {
        let name = |name: &'a Option<_>| name.as_deref().map(Name);
        let mut recorded = vec![Count::UNDEFINED; events.len()];
        for (&event, &count) in part.columns.iter().zip(&part.total) {
            recorded[event] = count;
        }
        let total = |&event: &usize| Number::of(events.count(&recorded, event));
        Part {
            file: Name(&part.file),
            creator: name(&part.creator),
            command: name(&part.command),
            pid: name(&part.pid),
            part: name(&part.part_number),
            thread: name(&part.thread),
            descriptions: part.descriptions.iter().map(|line| Name(line)).collect(),
            total: shown.iter().map(total).collect(),
            calculated: part.is_calculated,
        }
    }
}

impl<'a> Cycle<'a> {
    fn all(report: &'a JsonReport<'_, '_>) -> Vec<Cycle<'a>> {
        let shown = report.listed.style.shown;
        let rows = &report.listed.rows;
        let is_part = rows.profile.is_part() && !report.is_page();
        let cycles = (1..).zip(report.details.cycles()).map(|(number, (cost, members))| {
            let of_cycle = report.listed.inclusive.as_ref().and_then(|of| of.item_of_cycle(number));
            let inclusive = of_cycle.map_or(cost.into(), |item| item.with_figure(cost));
            let figures = Figures { inclusive: Some(inclusive), ..Figures::default() };
            Cycle {
                number,
                inclusive: Cost::new(shown, cost.value),
                divided: is_part.then(|| rows.divided(rows.of_cycle(number)).paid).into(),
                sides: report.both_sides(&figures),
                of_series: series::sides(report, &figures).into(),
                rows: members.into_iter().map(RowId::index).collect(),
            }
        });
        cycles.collect()
    }
}

impl<'a> Rest<'a> {
    fn of(omitted: &'a Omitted, report: &'a JsonReport<'_, '_>) -> Rest<'a> {
        let shown = report.listed.style.shown;
        Rest {
            minimum: report.page.into(),
            more: Omission::of(&omitted.more, report),
            chosen: omitted.chosen.as_ref().map(|chosen| Omission::of(chosen, report)),
            not_chosen: Omission::of(&omitted.not_chosen, report),
            of_no_row: omitted.of_no_row.as_ref().map(|rest| Cost::new(shown, rest)).into(),
        }
    }
}

impl<'a> Omission<'a> {
    fn of(omission: &'a view::Omission, report: &'a JsonReport<'_, '_>) -> Omission<'a> {
        let shown = report.listed.style.shown;
        let figures = Figures::of_cost(omission.cost.counts());
        Omission {
            rows: omission.rows,
            own: Cost::new(shown, &omission.cost.value),
            sides: report.both_sides(&figures),
        }
    }
}

impl<'a> Unchanged<'a> {
    fn of(report: &'a JsonReport<'_, '_>) -> Option<Unchanged<'a>> {
        let unchanged = report.listed.list.omitted.as_ref()?.unchanged.as_ref()?;
        let Figure { value, .. } = &unchanged.cost;
        let new = unchanged.cost.sides().map_or(value, |(_, new)| new);
        let own = Cost::new(report.listed.style.shown, new);
        Some(Unchanged { rows: unchanged.rows, own })
    }
}

impl<'a> Verdict<'a> {
    fn of(report: &'a JsonReport<'_, '_>) -> Option<Verdict<'a>> {
        let verdict = report.verdict?;
        let events = report.listed.rows.profile.events();
        let event = verdict.event;
        let is_ratio = events.ratios().contains(&event) || events.unit(event) != 1;
        let amount = |count: Count| {
            if is_ratio {
                number(count, event, report.listed.style).map(Amount::Ratio)
            } else {
                Some(Amount::Count(Number(count.or_zero())))
            }
        };
        let sides = verdict.figure.compared;
        Some(Verdict {
            passed: verdict.passed,
            event: Name(events.name(verdict.event)),
            base: sides.and_then(|sides| amount(sides.base)),
            new: sides.and_then(|sides| amount(sides.new)),
            percent: verdict.percent(),
            limit: verdict.limit.text.parse().unwrap_or_default(),
        })
    }
}
