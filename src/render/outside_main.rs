//! What a program spent outside `main`, in words.

use super::{Style, escaped_text, percent};
use crate::profile::Count;
use crate::view::OutsideMain;

/// The maximum number of functions that are named.
const MAX_NAMED: usize = 3;

/// What is outside `main`, of which all that it does costs `below` of a total of `all`.
pub struct AroundMain<'a> {
    pub outside: &'a OutsideMain,
    pub all: Count,
    pub below: Count,
    /// Whether `below` is an estimate.
    pub is_estimated: bool,
    /// A part is named from this percentage of the total on.
    pub min_percent: f64,
}

impl AroundMain<'_> {
    /// `before main: 122,271 Ir (26.4%), after it: 410 (0.1%); apart from it: 25,200 (5.4%), …`;
    /// none if nothing is. `has_counts` is whether counts are shown as they were recorded.
    pub fn line(&self, event: usize, has_counts: bool, style: Style<'_>) -> Option<String> {
        let [after, apart] = [self.outside.after(event), self.outside.apart(event)];
        let before = self.outside.before(event, self.all, self.below)?;
        if self.below == self.all {
            return None;
        }
        let mark = if self.is_estimated { "~" } else { "" };
        let part = |count: Count, mark: &str, unit: &str| {
            let share = percent(count, self.all).filter(|&share| share >= self.min_percent)?;
            let of_all = format!("{mark}{share:.1}%");
            if !has_counts {
                return Some(of_all);
            }
            let figure = style.of_event(event).unsigned(count.or_zero());
            Some(format!("{figure}{unit} ({of_all})"))
        };
        let unit = format!(" {}", escaped_text(style.events.name(event), style.escapes));
        let mut texts: Vec<String> = Vec::new();
        for (place, count, mark) in
            [("before", before, mark), ("after", after, ""), ("apart from", apart, "")]
        {
            let (main, unit) = if texts.is_empty() { ("main", &unit[..]) } else { ("it", "") };
            texts.extend(part(count, mark, unit).map(|text| format!("{place} {main}: {text}")));
        }
        if let Some(text) = texts.last_mut().filter(|_| part(apart, "", "").is_some()) {
            *text += &format!(" in {}", self.starts(style));
        }
        (!texts.is_empty()).then(|| texts.join("; "))
    }

    fn starts(&self, style: Style<'_>) -> String {
        let starts = &self.outside.starts;
        let named: Vec<String> =
            starts.iter().take(MAX_NAMED).map(|name| escaped_text(name, style.escapes)).collect();
        let more = match starts.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names = named.join(", ");
        format!(
            "{names}{more}, which no function is recorded to call (such as a signal handler, a \
             thread, or what ran when the recording began)"
        )
    }
}
