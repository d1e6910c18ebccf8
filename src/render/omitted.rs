//! What a list omits, in words: how many rows, and their cost.

use super::{Style, percentage, write_escaped};
use crate::profile::Events;
use crate::view::{Omission, Omitted};

/// What the list omits, a line each: in percent of the first sort event, or of a difference on both sides.
pub(super) fn omitted_lines(omitted: &Omitted, events: &Events, style: Style<'_>) -> Vec<Vec<u8>> {
    let sorted = style.sorted.or(style.shown.first().copied());
    let Some(event) = sorted else {
        return Vec::new();
    };
    let mut name = Vec::new();
    // A vector takes any text.
    let _ = write_escaped(events.name(event), style.escapes, &mut name);
    if omitted.are_inclusive {
        name.extend(b" by self cost");
    }
    let texts = Texts { event, name, style };
    let mut lines = Vec::new();
    let more = &omitted.more;
    if more.rows > 0 {
        let s = if more.rows == 1 { "" } else { "s" };
        let text = format!("{} more row{s} not listed", texts.rows(more));
        lines.push(line(text, &texts.cost(more), ")"));
    }
    let unchanged = omitted.unchanged.as_ref();
    if let Some(unchanged) = unchanged.filter(|unchanged| unchanged.rows > 0) {
        let s = if unchanged.rows == 1 { "" } else { "s" };
        let text = format!("{} row{s} without a change", texts.rows(unchanged));
        let sides = unchanged.cost.sides();
        let base = sides.map_or(0, |(base, _)| base[event].or_zero());
        let end = format!(" {})", style.unsigned(base));
        lines.push(line(text, &texts.name, &end));
    }
    if let Some(chosen) = &omitted.chosen {
        lines.push(texts.of_filters(chosen, &omitted.not_chosen));
    }
    lines
}

/// Writes numbers of rows and their cost of one event.
struct Texts<'s> {
    event: usize,
    name: Vec<u8>,
    style: Style<'s>,
}

impl Texts<'_> {
    fn rows(&self, omission: &Omission) -> String {
        let rows = i64::try_from(omission.rows).unwrap_or(i64::MAX);
        self.style.integer(rows)
    }

    fn percent(&self, omission: &Omission) -> String {
        let (cost, total) = (&omission.cost.value, &self.style.total);
        let percent = percentage(cost[self.event], total[self.event]);
        percent.map_or_else(|| "0.00".to_owned(), |text| text.trim_start().to_owned())
    }

    fn cost(&self, omission: &Omission) -> Vec<u8> {
        let figure = omission.cost.counts().event(self.event);
        let (before, after) = match figure.compared {
            None => (format!("{}% of ", self.percent(omission)), String::new()),
            Some(sides) => {
                let sides = [sides.base, sides.new];
                let [base, new] = sides.map(|side| self.style.unsigned(side.or_zero()));
                let change = self.style.number(figure.value.or_zero());
                (String::new(), format!(" {base} -> {new} {change}"))
            }
        };
        [before.as_bytes(), &self.name, after.as_bytes()].concat()
    }

    fn of_filters(&self, chosen: &Omission, others: &Omission) -> Vec<u8> {
        let verb = match chosen.rows {
            1 => "row matches",
            _ => "rows match",
        };
        let text = format!("filters: {} {verb}", self.rows(chosen));
        let not_chosen = format!("), {} filtered out", self.rows(others));
        let cost = match self.style.difference {
            None => format!("{}%", self.percent(others)).into_bytes(),
            Some(_) => self.cost(others),
        };
        let end = line(not_chosen, &cost, ")");
        [line(text, &self.cost(chosen), ""), end].concat()
    }
}

fn line(text: String, cost: &[u8], end: &str) -> Vec<u8> {
    [text.as_bytes(), b" (", cost, end.as_bytes()].concat()
}
