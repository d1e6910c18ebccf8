//! The report as JSON: all of it, for other programs. One object; each row stands on a line of its own and is written
//! as soon as it is known.
//!
//! README.md has the schema. `VERSION` grows when what is there changes its meaning or goes away, not when something joins.

use std::io::{self, Write};

use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::ser::{CompactFormatter, Formatter};

use crate::profile::{Count, Events, Overflow, Part, Profile};
use crate::view::{
    CallCounts, CallLine, Calls, Details, FunctionList, Item, Label, Mark, RowDetails, RowId, Rows,
    Selection, Share, Total,
};

/// The version of the schema.
const VERSION: u32 = 1;

/// What a report as JSON is made of.
pub struct JsonReport<'a, 'p> {
    /// The profile.
    pub profile: &'p Profile,
    /// Its total.
    pub total: &'a Total,
    /// The events to show and to sort by.
    pub selection: &'a Selection,
    /// Which rows, in which order.
    pub list: &'a FunctionList,
    /// Whether that is the order of their inclusive costs.
    pub is_inclusive: bool,
    /// All rows.
    pub rows: &'a Rows<'p>,
    /// What is known of them.
    pub details: &'a Details<'a, 'p>,
    /// All calls, if the callers of each row are asked for.
    pub callers: Option<&'a Calls>,
}

/// Writes a report as JSON.
///
/// # Errors
/// Those of `out`, and a sum that does not fit.
pub fn write_json(report: &JsonReport<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let mut head = Vec::new();
    write_value(&Head::new(report), &mut head)?;
    // The rows go into the same object.
    head.pop();
    out.write_all(&head)?;
    out.write_all(b",\"rows\":[")?;
    let rows = report.list.lines(report.rows);
    let mut separator = "\n";
    for line in rows {
        let Item::Row(id) = line.item else { continue };
        let details = report
            .details
            .of(id)
            .map_err(|Overflow| io::Error::other("the cost of a row does not fit into 64 bits"))?;
        out.write_all(separator.as_bytes())?;
        write_value(
            &Row {
                report,
                id,
                label: line.label,
                called: line.calls,
                details,
            },
            out,
        )?;
        separator = ",\n";
    }
    out.write_all(b"\n]}\n")
}

fn write_value(value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, Escaping(CompactFormatter));
    Ok(value.serialize(&mut serializer)?)
}

/// Escapes all control characters, also those that JSON allows: a terminal may be reading.
struct Escaping(CompactFormatter);

impl Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        let mut rest = text;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| c.is_control()) {
            self.0.write_string_fragment(out, &rest[..at])?;
            write!(out, "\\u{:04x}", u32::from(c))?;
            rest = &rest[at + c.len_utf8()..];
        }
        self.0.write_string_fragment(out, rest)
    }
}

/// Bytes that are mostly text.
#[derive(Clone, Copy)]
struct Text<'a>(&'a [u8]);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Ok(text) = std::str::from_utf8(self.0) {
            return serializer.serialize_str(text);
        }
        let hex: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut name = serializer.serialize_struct("Text", 2)?;
        name.serialize_field("hex", &hex)?;
        name.serialize_field("text", &String::from_utf8_lossy(self.0))?;
        name.end()
    }
}

/// The counts of a cost that are shown.
struct Cost<'a> {
    shown: &'a [usize],
    cost: &'a [Count],
}

impl Serialize for Cost<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts = self
            .shown
            .iter()
            .map(|&event| self.cost.get(event).and_then(|count| count.value()));
        serializer.collect_seq(counts)
    }
}

#[derive(serde::Serialize)]
struct Head<'a> {
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

#[derive(serde::Serialize)]
struct RestHead<'a> {
    more: ShareHead<'a>,
    chosen: Option<ShareHead<'a>>,
    not_chosen: ShareHead<'a>,
}

#[derive(serde::Serialize)]
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

#[derive(serde::Serialize)]
struct Event<'a> {
    name: Text<'a>,
    recorded: bool,
}

#[derive(serde::Serialize)]
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

#[derive(serde::Serialize)]
struct BaseHead<'a> {
    files: Vec<Text<'a>>,
    total: Cost<'a>,
}

#[derive(serde::Serialize)]
struct Cycle<'a> {
    number: usize,
    inclusive: Cost<'a>,
    rows: Vec<usize>,
}

impl<'a> Head<'a> {
    fn new(report: &'a JsonReport<'_, '_>) -> Head<'a> {
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

struct Row<'a, 'p> {
    report: &'a JsonReport<'a, 'p>,
    id: RowId,
    label: Label<'p>,
    called: Option<CallCounts>,
    details: RowDetails<'a>,
}

#[derive(serde::Serialize)]
struct Called {
    by_others: Option<i64>,
    by_itself: Option<i64>,
}

#[derive(serde::Serialize)]
struct Line<'a> {
    line: u32,
    #[serde(rename = "self")]
    cost: Cost<'a>,
}

/// The function at the other end of a call, or the group.
#[derive(serde::Serialize)]
struct CallEnd<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<Text<'a>>,
}

#[derive(serde::Serialize)]
struct Callee<'a> {
    line: u32,
    id: usize,
    #[serde(flatten)]
    callee: CallEnd<'a>,
    count: i64,
    inclusive: Cost<'a>,
}

#[derive(serde::Serialize)]
struct Caller<'a> {
    #[serde(flatten)]
    caller: CallEnd<'a>,
    count: i64,
    inclusive: Cost<'a>,
}

impl Serialize for Row<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shown = &self.report.selection.shown[..];
        let mut row = serializer.serialize_struct("Row", 12)?;
        row.serialize_field("id", &self.id.index())?;
        if let Label::Function {
            file,
            name,
            cycle,
            object,
            mark,
        } = &self.label
        {
            row.serialize_field("file", &Text(file))?;
            row.serialize_field("function", &Text(name))?;
            row.serialize_field("symbol", &Text(self.report.details.symbol(self.id)))?;
            row.serialize_field("object", &object.map(Text))?;
            row.serialize_field("cycle", cycle)?;
            row.serialize_field("mark", &mark.map(name_of_mark))?;
        } else if let Label::Group { name, mark } = &self.label {
            row.serialize_field("group", &Text(name))?;
            row.serialize_field("mark", &mark.map(name_of_mark))?;
        }
        if let Some(counts) = self.called {
            let called = Called {
                by_others: counts.by_others.value(),
                by_itself: counts.by_itself.value(),
            };
            row.serialize_field("called", &called)?;
        }
        row.serialize_field(
            "self",
            &Cost {
                shown,
                cost: &self.details.self_cost,
            },
        )?;
        row.serialize_field(
            "inclusive",
            &self.details.inclusive.map(|cost| Cost { shown, cost }),
        )?;
        let lines = self.details.lines.iter().map(|line| Line {
            line: line.line,
            cost: Cost {
                shown,
                cost: &line.cost,
            },
        });
        row.serialize_field("lines", &lines.collect::<Vec<_>>())?;
        let calls = self.details.calls.iter().map(|site| Callee {
            line: site.line,
            id: site.callee.index(),
            callee: CallEnd::new(
                self.report.details.file(site.callee),
                self.report.details.name(site.callee),
            ),
            count: site.count,
            inclusive: Cost {
                shown,
                cost: &site.cost,
            },
        });
        row.serialize_field("calls", &calls.collect::<Vec<_>>())?;
        if let Some(callers) = self.report.callers {
            let (rows, selection) = (self.report.rows, self.report.selection);
            let callers = callers.callers(Item::Row(self.id), rows, selection);
            let callers = callers.iter().filter_map(|line| Caller::new(line, shown));
            row.serialize_field("callers", &callers.collect::<Vec<_>>())?;
        }
        row.end()
    }
}

fn name_of_mark(mark: Mark) -> &'static str {
    match mark {
        Mark::New => "new",
        Mark::Gone => "gone",
    }
}

impl<'a> CallEnd<'a> {
    fn new(file: Option<&'a [u8]>, name: &'a [u8]) -> CallEnd<'a> {
        CallEnd {
            file: file.map(Text),
            function: file.map(|_| Text(name)),
            group: file.is_none().then_some(Text(name)),
        }
    }
}

impl<'a> Caller<'a> {
    fn new(line: &'a CallLine<'_>, shown: &'a [usize]) -> Option<Caller<'a>> {
        let caller = match &line.label {
            Label::Function { file, name, .. } => CallEnd::new(Some(file), name),
            Label::Group { name, .. } => CallEnd::new(None, name),
            Label::Cycle(_) => return None,
        };
        Some(Caller {
            caller,
            count: line.count,
            inclusive: Cost {
                shown,
                cost: &line.cost,
            },
        })
    }
}
