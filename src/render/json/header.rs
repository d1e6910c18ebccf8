//! The members before the rows: parts, events, totals, cycles.

use super::{Cost, Json, JsonReport, VERSION, ratio, write_sides};
use crate::profile::{Count, Events, Part};
use crate::render::columns::Figures;
use crate::render::header::long_name;
use crate::view::{Omission, Omitted, RowId, Verdict};

pub(super) fn write_members(report: &JsonReport<'_, '_>, json: &mut Json) {
    let events = report.listed.rows.profile.events();
    let shown = report.listed.style.shown;
    json.member("format", "cgannotate");
    json.member("version", VERSION);
    json.member("program", concat!("cgannotate ", env!("CARGO_PKG_VERSION")));
    write_events(report, json);
    write_parts(report, json);
    write_total(report, &report.listed.total.figure.value, json);
    json.member("calculated", report.listed.total.is_calculated);
    let cycles = (1u32..).zip(report.details.cycles());
    json.objects("cycles", cycles, |json, (number, (cost, rows))| {
        json.member("number", number);
        json.member("inclusive", Cost::new(shown, cost.value));
        let figures = Figures { inclusive: Some(cost), ..Figures::default() };
        write_sides(&figures, [None; 2], false, shown, json);
        let rows = rows.into_iter().map(RowId::index);
        json.name("rows").array(rows, Json::value);
    });
    if let Some(scale) = report.scale {
        json.name("scale").object(|json| {
            json.member("new", scale.new);
            json.optional("base", scale.base);
        });
    }
    write_rest(report, json);
    if report.listed.rows.profile.is_difference() {
        match report.verdict {
            Some(verdict) => {
                json.name("verdict").object(|json| write_verdict(verdict, events, json))
            }
            None => json.member("verdict", None::<bool>),
        }
    }
}

/// Writes a total twice: in the order of events, as all costs are, and by their names, for a reader who wants one of them.
fn write_total(report: &JsonReport<'_, '_>, total: &[Count], json: &mut Json) {
    let shown = report.listed.style.shown;
    let events = report.listed.rows.profile.events();
    json.member("total", Cost::new(shown, total));
    json.name("totals").object(|json| {
        for &event in shown {
            let name = String::from_utf8_lossy(events.name(event));
            json.element().value(name.as_bytes());
            json.text.push(b':');
            json.value(total[event].value());
        }
    });
}

fn write_events(report: &JsonReport<'_, '_>, json: &mut Json) {
    let events = report.listed.rows.profile.events();
    json.name("events").array(report.listed.style.shown, |json, &event| {
        let name = events.name(event);
        let long_name =
            if report.is_page() { long_name(events, name) } else { events.long_name(name) };
        json.object(|json| {
            json.member("name", name);
            json.optional("long_name", long_name);
            json.member("recorded", events.is_recorded(event));
        });
    });
    let mut formulas = events.formulas().filter(|(_, formula)| !formula.is_ratio()).peekable();
    if !report.is_page() && formulas.peek().is_some() {
        json.objects("formulas", formulas, |json, (name, formula)| {
            json.member("name", name);
            json.member("formula", &formula.to_bytes()[..]);
            json.optional("long_name", events.long_name(name));
        });
    }
    let order = report.selection.by_ratio.iter();
    let order = order.chain(&report.selection.order);
    let order = order.map(|&event| events.name(event));
    json.name("order").array(order, Json::value);
    let order_by = if report.listed.list.is_inclusive { "inclusive" } else { "self" };
    json.member("order_by", order_by);
    if !report.listed.style.ratios.is_empty() {
        let total = &report.listed.total.figure.value;
        json.objects("ratios", report.listed.style.ratios, |json, &event| {
            json.member("name", events.name(event));
            json.member("total", ratio(total[event]));
        });
    }
}

fn write_parts(report: &JsonReport<'_, '_>, json: &mut Json) {
    let shown = report.listed.style.shown;
    json.objects("parts", report.listed.rows.profile.parts(), |json, part| {
        write_part(part, shown, json)
    });
    let sides = report.listed.rows.profile.sides();
    let (Some(base), Some((before, after))) = (&sides.base, report.listed.total.figure.sides())
    else {
        return json.member("base", None::<bool>);
    };
    for (name, parts, total) in [("base", &base.parts, before), ("new", &sides.new.parts, after)] {
        let mut files: Vec<_> = parts.iter().map(|part| &part.file[..]).collect();
        files.dedup();
        json.name(name).object(|json| {
            json.name("files").array(files, Json::value);
            write_total(report, total, json);
        });
    }
}

fn write_part(part: &Part, shown: &[usize], json: &mut Json) {
    json.member("file", &part.file[..]);
    json.member("creator", part.creator.as_deref());
    json.member("command", part.command.as_deref());
    json.member("pid", part.pid.as_deref());
    json.member("part", part.part_number.as_deref());
    json.member("thread", part.thread.as_deref());
    let descriptions = part.descriptions.iter();
    let descriptions = descriptions.map(|line| &line[..]);
    json.name("descriptions").array(descriptions, Json::value);
    let total = shown.iter().map(|event| {
        let column = part.columns.iter().position(|column| column == event)?;
        part.total.get(column)?.value()
    });
    json.name("total").array(total, Json::value);
    json.member("calculated", part.is_calculated);
}

fn write_rest(report: &JsonReport<'_, '_>, json: &mut Json) {
    let shown = report.listed.style.shown;
    let Some(omitted) = report.listed.list.omitted.as_ref() else {
        return json.member("rest", None::<bool>);
    };
    let Omitted { more, chosen, not_chosen, unchanged, .. } = omitted;
    json.name("rest").object(|json| {
        // The minimum percentage of a row in HTML.
        json.optional("minimum", report.page);
        write_omission(more, shown, json.name("more"));
        match chosen {
            Some(chosen) => write_omission(chosen, shown, json.name("chosen")),
            None => json.member("chosen", None::<bool>),
        }
        write_omission(not_chosen, shown, json.name("not_chosen"));
    });
    // The number and cost of rows that are equal on both sides.
    if let Some(unchanged) = unchanged {
        let new = unchanged.cost.sides().map(|(_, new)| new);
        let new = new.unwrap_or(&unchanged.cost.value);
        json.name("unchanged").object(|json| {
            json.member("rows", unchanged.rows);
            json.member("self", Cost::new(shown, new));
        });
    }
}

fn write_omission(omission: &Omission, shown: &[usize], json: &mut Json) {
    json.object(|json| {
        json.member("rows", omission.rows);
        json.member("self", Cost::new(shown, &omission.cost.value));
        let figures = Figures::of_cost(omission.cost.counts());
        write_sides(&figures, [None; 2], false, shown, json);
    });
}

fn write_verdict(verdict: &Verdict, events: &Events, json: &mut Json) {
    json.member("passed", verdict.passed);
    json.member("event", events.name(verdict.event));
    let sides = verdict.figure.compared;
    let is_ratio = events.ratios().contains(&verdict.event);
    let mut side = |name, count: Option<Count>| match count {
        Some(count) if !is_ratio => json.member(name, count.or_zero()),
        count => json.member(name, count.and_then(ratio)),
    };
    side("base", sides.map(|sides| sides.base));
    side("new", sides.map(|sides| sides.new));
    json.member("percent", verdict.percent());
    let limit = verdict.limit.text.parse::<f64>();
    json.member("limit", limit.unwrap_or_default());
}
