//! Whether a difference stays within a limit, in one line.

use super::Style;
use crate::profile::Events;
use crate::view::Verdict;

/// The verdict as a line of text: `FAIL Ir 722,748 -> 748,764 +26,016 +3.60% (limit 1%)`.
pub fn verdict_line(verdict: &Verdict, events: &Events, style: Style<'_>) -> String {
    let word = if verdict.passed { "ok" } else { "FAIL" };
    let event = events.name(verdict.event).escape_ascii();
    let (figure, limit) = (verdict.figure, &verdict.limit.text);
    let (base, new) = figure
        .sides()
        .map_or((0, 0), |(base, new)| (base.or_zero(), new.or_zero()));
    let percent = match figure.percent() {
        Some(percent) => format!("{percent:+.2}%"),
        None => "-".to_owned(),
    };
    let style = style.of_event(verdict.event);
    let change = style.count(figure.value, true);
    let (base, new) = (style.unsigned(base), style.unsigned(new));
    format!("{word} {event} {base} -> {new} {change} {percent} (limit {limit}%)")
}
