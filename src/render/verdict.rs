//! Whether a difference stays within a limit, in one line.

use super::{Style, escaped_text};
use crate::profile::Events;
use crate::view::{Label, Limited, Rows, Verdict};

/// The verdict as a line of text: `FAIL Ir 722,748 -> 748,764 +26,016 +3.60% (limit 1%)`.
pub fn verdict_line(
    verdict: &Verdict,
    events: &Events,
    rows: &Rows<'_>,
    style: Style<'_>,
) -> String {
    let word = if verdict.passed { "ok" } else { "FAIL" };
    let event = events.name(verdict.event).escape_ascii();
    let limit = &verdict.limit.text;
    let Some(figure) = verdict.figure else {
        return format!("{word} {event} of no row grew (limit {limit}%)");
    };
    let (base, new) = figure
        .sides()
        .map_or((0, 0), |(base, new)| (base.or_zero(), new.or_zero()));
    let percent = match verdict.percent() {
        Some(percent) => format!("{percent:+.2}%"),
        None if verdict.is_new() => "new".to_owned(),
        None => "-".to_owned(),
    };
    let style = style.of_event(verdict.event);
    let change = style.count(figure.value, true);
    let (base, new) = (style.unsigned(base), style.unsigned(new));
    let row = match (verdict.of, verdict.item) {
        (Limited::Row, Some(item)) => format!(": {}", row_name(&rows.label_of(item))),
        _ => String::new(),
    };
    format!("{word} {event} {base} -> {new} {change} {percent} (limit {limit}%){row}")
}

/// The name of a row on one line.
fn row_name(label: &Label<'_>) -> String {
    let text = |name: &[u8]| escaped_text(name, true);
    match label {
        Label::Function { file, name, .. } => format!("{}:{}", text(file), text(name)),
        Label::Line { file, line, .. } => format!("{}:{line}", text(file)),
        Label::Group { name, .. } if name.is_empty() => "(none)".to_owned(),
        Label::Group { name, .. } => text(name),
        Label::Cycle(number) => format!("<cycle {number}>"),
    }
}
