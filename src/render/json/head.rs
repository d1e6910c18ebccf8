//! What stands before the rows: the parts, the events, the totals, the cycles.

use serde::Serialize;

use super::{Cost, JsonReport, Text, VERSION};
use crate::profile::{Events, Part};
use crate::view::{RowId, Share};

/// All members of the report but the rows.
#[derive(Serialize)]
pub(super) struct Head<'a> {
    format: &'static str,
    version: u32,
    program: &'static str,
    events: Vec<Event<'a>>,
    order: Vec<Text<'a>>,
    order_by: &'static str,
    parts: Vec<PartHead<'a>>,
    base: Option<BaseHead<'a>>,
    total: Cost<'a>,
    calculated: bool,
    cycles: Vec<Cycle<'a>>,
    rest: Option<RestHead<'a>>,
}

#[derive(Serialize)]
struct RestHead<'a> {
    more: ShareHead<'a>,
    chosen: Option<ShareHead<'a>>,
    not_chosen: ShareHead<'a>,
}

#[derive(Serialize)]
struct ShareHead<'a> {
    rows: usize,
    #[serde(rename = "self")]
    cost: Cost<'a>,
}

impl<'a> ShareHead<'a> {
    fn new(share: &'a Share, shown: &'a [usize]) -> ShareHead<'a> {
        ShareHead {
            rows: share.rows,
            cost: Cost {
                shown,
                cost: &share.cost,
            },
        }
    }
}

#[derive(Serialize)]
struct Event<'a> {
    name: Text<'a>,
    recorded: bool,
}

#[derive(Serialize)]
struct PartHead<'a> {
    file: Text<'a>,
    creator: Option<Text<'a>>,
    command: Option<Text<'a>>,
    pid: Option<Text<'a>>,
    part: Option<Text<'a>>,
    thread: Option<Text<'a>>,
    descriptions: Vec<Text<'a>>,
    total: Vec<Option<i64>>,
    calculated: bool,
}

#[derive(Serialize)]
struct BaseHead<'a> {
    files: Vec<Text<'a>>,
    total: Cost<'a>,
}

#[derive(Serialize)]
struct Cycle<'a> {
    number: usize,
    inclusive: Cost<'a>,
    rows: Vec<usize>,
}

impl<'a> Head<'a> {
    /// The head of a report.
    pub(super) fn new(report: &'a JsonReport<'_, '_>) -> Head<'a> {
        let events = &report.profile.events;
        let shown = &report.selection.shown[..];
        let cycles = (1..)
            .zip(report.details.cycles())
            .map(|(number, (cost, rows))| Cycle {
                number,
                inclusive: Cost { shown, cost },
                rows: rows.into_iter().map(RowId::index).collect(),
            });
        Head {
            format: "cgannotate",
            version: VERSION,
            program: concat!("cgannotate ", env!("CARGO_PKG_VERSION")),
            events: shown
                .iter()
                .map(|&event| Event::new(event, events))
                .collect(),
            order: report
                .selection
                .order
                .iter()
                .map(|&event| Text(events.name(event)))
                .collect(),
            order_by: if report.is_inclusive {
                "inclusive"
            } else {
                "self"
            },
            parts: heads(&report.profile.parts, shown),
            base: report.profile.base.as_ref().map(|base| BaseHead {
                files: base.parts.iter().map(|part| Text(&part.file)).collect(),
                total: Cost {
                    shown,
                    cost: &base.total,
                },
            }),
            total: Cost {
                shown,
                cost: &report.total.cost,
            },
            calculated: report.total.is_calculated,
            cycles: cycles.collect(),
            rest: report.list.rest.as_ref().map(|rest| RestHead {
                more: ShareHead::new(&rest.more, shown),
                chosen: rest
                    .chosen
                    .as_ref()
                    .map(|chosen| ShareHead::new(chosen, shown)),
                not_chosen: ShareHead::new(&rest.not_chosen, shown),
            }),
        }
    }
}

impl<'a> Event<'a> {
    fn new(event: usize, events: &'a Events) -> Event<'a> {
        Event {
            name: Text(events.name(event)),
            recorded: event < events.recorded().count(),
        }
    }
}

fn heads<'p>(parts: &'p [Part], shown: &[usize]) -> Vec<PartHead<'p>> {
    let text = |value: &'p Option<Vec<u8>>| value.as_deref().map(Text);
    let total = |part: &Part| {
        let count = |event: &usize| {
            let column = part.columns.iter().position(|column| column == event)?;
            part.total().get(column)?.value()
        };
        shown.iter().map(count).collect()
    };
    let head = |part: &'p Part| PartHead {
        file: Text(&part.file),
        creator: text(&part.creator),
        command: text(&part.command),
        pid: text(&part.pid),
        part: text(&part.number),
        thread: text(&part.thread),
        descriptions: part.descriptions.iter().map(|line| Text(line)).collect(),
        total: total(part),
        calculated: part.is_calculated(),
    };
    parts.iter().map(head).collect()
}
