//! Everything before the rows: parts, events, totals, cycles.

use serde::Serialize;

use super::{BothSides, Bytes, Cost, JsonReport, VERSION, ratio};
use crate::profile::{Count, Events, Part, Sides};
use crate::render::header::long_name;
use crate::view::{Figure, Omission, Omitted, RowId, Verdict};

/// All members of the report except the rows.
#[derive(Serialize)]
pub(super) struct Header<'a> {
    format: &'static str,
    version: u32,
    program: &'static str,
    events: Vec<Event<'a>>,
    order: Vec<Bytes<'a>>,
    order_by: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ratios: Vec<RatioHeader<'a>>,
    parts: Vec<PartHeader<'a>>,
    base: Option<Side<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<Side<'a>>,
    total: Cost<'a>,
    calculated: bool,
    cycles: Vec<Cycle<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<Scale>,
    rest: Option<OmittedMembers<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unchanged: Option<OmissionMembers<'a>>,
    /// Of a difference null without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Option<VerdictMembers<'a>>>,
}

/// A ratio, and that of the program.
#[derive(Serialize)]
struct RatioHeader<'a> {
    name: Bytes<'a>,
    total: Option<f64>,
}

#[derive(Serialize)]
struct Scale {
    new: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<f64>,
}

#[derive(Serialize)]
struct VerdictMembers<'a> {
    passed: bool,
    event: Bytes<'a>,
    base: Option<Number>,
    new: Option<Number>,
    percent: Option<f64>,
    limit: f64,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Number {
    Count(i64),
    Ratio(Option<f64>),
}

impl<'a> VerdictMembers<'a> {
    fn new(verdict: &Verdict, events: &'a Events) -> VerdictMembers<'a> {
        let sides = verdict.figure.compared;
        let number = |count: Count| match events.ratios().contains(&verdict.event) {
            true => Number::Ratio(ratio(count)),
            false => Number::Count(count.or_zero()),
        };
        VerdictMembers {
            passed: verdict.passed,
            event: Bytes(events.name(verdict.event)),
            base: sides.map(|sides| number(sides.base)),
            new: sides.map(|sides| number(sides.new)),
            percent: verdict.figure.percent(),
            limit: verdict.limit.text.parse().unwrap_or_default(),
        }
    }
}

#[derive(Serialize)]
struct OmittedMembers<'a> {
    /// The least row of a page for a browser, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum: Option<f64>,
    more: OmissionMembers<'a>,
    chosen: Option<OmissionMembers<'a>>,
    not_chosen: OmissionMembers<'a>,
}

impl<'a> OmittedMembers<'a> {
    fn new(omitted: &'a Omitted, minimum: Option<f64>, shown: &'a [usize]) -> OmittedMembers<'a> {
        let chosen = omitted.chosen.as_ref();
        OmittedMembers {
            minimum,
            more: OmissionMembers::new(&omitted.more, shown),
            chosen: chosen.map(|chosen| OmissionMembers::new(chosen, shown)),
            not_chosen: OmissionMembers::new(&omitted.not_chosen, shown),
        }
    }
}

#[derive(Serialize)]
struct OmissionMembers<'a> {
    rows: usize,
    #[serde(rename = "self")]
    cost: Cost<'a>,
    #[serde(flatten)]
    sides: Option<BothSides<'a>>,
}

impl<'a> OmissionMembers<'a> {
    fn new(omission: &'a Omission, shown: &'a [usize]) -> OmissionMembers<'a> {
        OmissionMembers {
            rows: omission.rows,
            cost: Cost::new(shown, &omission.cost.value),
            sides: BothSides::of_self(omission.cost.counts(), shown),
        }
    }

    /// Rows that are equal on both sides, with what they cost.
    fn unchanged(omission: &'a Omission, shown: &'a [usize]) -> OmissionMembers<'a> {
        let new = omission.cost.sides().map(|(_, new)| new);
        OmissionMembers {
            rows: omission.rows,
            cost: Cost::new(shown, new.unwrap_or(&omission.cost.value)),
            sides: None,
        }
    }
}

#[derive(Serialize)]
struct Event<'a> {
    name: Bytes<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    long_name: Option<Bytes<'a>>,
    recorded: bool,
}

#[derive(Serialize)]
struct PartHeader<'a> {
    file: Bytes<'a>,
    creator: Option<Bytes<'a>>,
    command: Option<Bytes<'a>>,
    pid: Option<Bytes<'a>>,
    part: Option<Bytes<'a>>,
    thread: Option<Bytes<'a>>,
    descriptions: Vec<Bytes<'a>>,
    total: Vec<Option<i64>>,
    calculated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    added_up: Option<u64>,
}

#[derive(Serialize)]
struct Side<'a> {
    files: Vec<Bytes<'a>>,
    total: Cost<'a>,
}

#[derive(Serialize)]
struct Cycle<'a> {
    number: usize,
    inclusive: Cost<'a>,
    #[serde(flatten)]
    sides: Option<BothSides<'a>>,
    rows: Vec<usize>,
}

impl<'a> Header<'a> {
    pub(super) fn new(report: &'a JsonReport<'_, '_>) -> Header<'a> {
        let events = report.rows.profile.events();
        let shown = report.style.shown;
        let total = &report.total.figure.value;
        let (before, after) = report.total.figure.sides().unwrap_or((total, total));
        let sides = report.rows.profile.sides();
        let base = sides.base.as_ref();
        let omitted = report.list.omitted.as_ref();
        let unchanged = omitted.and_then(|omitted| omitted.unchanged.as_ref());
        let name = |event: usize| Bytes(events.name(event));
        let event = |&event: &usize| Event {
            name: name(event),
            long_name: match report.is_page() {
                true => long_name(events, events.name(event)).map(Bytes),
                false => events.long_name(events.name(event)).map(Bytes),
            },
            recorded: events.is_recorded(event),
        };
        let ratio_header = |&event: &usize| RatioHeader {
            name: name(event),
            total: ratio(total[event]),
        };
        let selection = report.selection;
        let order = selection.by_ratio.iter().chain(&selection.order);
        Header {
            format: "cgannotate",
            version: VERSION,
            program: concat!("cgannotate ", env!("CARGO_PKG_VERSION")),
            events: shown.iter().map(event).collect(),
            order: order.map(|&event| name(event)).collect(),
            order_by: match report.list.is_inclusive {
                true => "inclusive",
                false => "self",
            },
            ratios: report.style.ratios.iter().map(ratio_header).collect(),
            parts: part_headers(report.rows.profile.parts(), shown),
            base: base.map(|base| Side::new(base.parts(), before, shown)),
            new: base.map(|_| Side::new(sides.new.parts(), after, shown)),
            total: Cost::new(shown, total),
            calculated: report.total.is_calculated,
            cycles: cycles(report),
            scale: report.scale.map(|Sides { new, base }| Scale { new, base }),
            rest: omitted.map(|omitted| {
                OmittedMembers::new(
                    omitted,
                    report.page.as_ref().map(|page| page.minimum),
                    shown,
                )
            }),
            unchanged: unchanged.map(|unchanged| OmissionMembers::unchanged(unchanged, shown)),
            verdict: base.map(|_| Some(VerdictMembers::new(report.verdict?, events))),
        }
    }
}

fn cycles<'a>(report: &'a JsonReport<'_, '_>) -> Vec<Cycle<'a>> {
    let shown = report.style.shown;
    let cycle = |(number, (cost, rows)): (usize, (Figure<&'a [Count]>, Vec<RowId>))| Cycle {
        number,
        inclusive: Cost::new(shown, cost.value),
        sides: BothSides::new(None, Some(cost), None, shown),
        rows: rows.into_iter().map(RowId::index).collect(),
    };
    (1..).zip(report.details.cycles()).map(cycle).collect()
}

impl<'a> Side<'a> {
    fn new(parts: &'a [Part], total: &'a [Count], shown: &'a [usize]) -> Side<'a> {
        let mut files: Vec<_> = parts.iter().map(|part| &part.file[..]).collect();
        files.dedup();
        Side {
            files: files.into_iter().map(Bytes).collect(),
            total: Cost::new(shown, total),
        }
    }
}

fn part_headers<'p>(parts: &'p [Part], shown: &[usize]) -> Vec<PartHeader<'p>> {
    let text = |value: &'p Option<Vec<u8>>| value.as_deref().map(Bytes);
    let total = |part: &Part| {
        let count = |event: &usize| {
            let column = part.columns.iter().position(|column| column == event)?;
            part.total.get(column)?.value()
        };
        shown.iter().map(count).collect()
    };
    let header = |part: &'p Part| PartHeader {
        file: Bytes(&part.file),
        creator: text(&part.creator),
        command: text(&part.command),
        pid: text(&part.pid),
        part: text(&part.part_number),
        thread: text(&part.thread),
        descriptions: part.descriptions.iter().map(|line| Bytes(line)).collect(),
        total: total(part),
        calculated: part.is_calculated,
        added_up: part.added_up,
    };
    parts.iter().map(header).collect()
}
