//! How much of the cost was spent in inlined functions, and of how much that is unknown.

use std::io::Write;

use anyhow::Result;

use super::spent::{CodeCost, ObjectCosts, add, join};
use crate::profile::{Count, is_unknown_name};
use crate::render::in_words;
use crate::run::Context;
use crate::run::message::{and_more, display_name};
use crate::source::basename;
use crate::transform::CopiesAt;

/// The maximum number of objects without debug information that are named.
const MAX_NAMED: usize = 2;

/// NEW's cost by event, as it was read: all of it, the self cost in inlined copies, and that in
/// objects whose inlined functions are unknown.
#[derive(Debug, Default)]
pub(crate) struct InlinedShare {
    total: Vec<Count>,
    pub(super) inlined: Vec<i128>,
    pub(super) unknown: Vec<i128>,
    /// The objects without debug information, the most expensive first.
    without: Vec<(i128, Vec<u8>)>,
    pub(in crate::run) copies_at: CopiesAt,
}

impl InlinedShare {
    /// The share of a cost of which nothing is known yet.
    pub(super) fn of(total: Vec<Count>) -> InlinedShare {
        InlinedShare { total, ..InlinedShare::default() }
    }

    pub(super) fn add_known(&mut self, inlined: &[i128]) {
        join(&mut self.inlined, inlined);
    }

    /// Adds the cost of an object whose inlined functions the profile itself names; false if it
    /// names none there.
    pub(super) fn add_named(&mut self, spent: ObjectCosts<'_>) -> bool {
        let is_inlined = |spent: &CodeCost<'_>| spent.at.division.inlined().is_some();
        let mut inlined = spent.iter().filter(is_inlined).peekable();
        let is_any = inlined.peek().is_some();
        inlined.for_each(|spent| add(&mut self.inlined, spent.cost));
        is_any
    }

    pub(super) fn add_unknown(&mut self, spent: ObjectCosts<'_>, object: &[u8]) {
        let total = spent.total();
        join(&mut self.unknown, &total);
        let cost = total.first().copied().unwrap_or(0);
        if cost != 0 && !is_unknown_name(object) {
            self.without.push((-cost, basename(object).to_vec()));
            self.without.sort();
        }
    }
}

impl Context<'_> {
    pub(in crate::run) fn write_inlined_share(&self, out: &mut impl Write) -> Result<()> {
        let (Some(share), Some(event)) = (&self.input.changes.inlined, self.selection.first())
        else {
            return Ok(());
        };
        let total = share.total.get(event).map_or(0, |count| count.or_zero());
        let percent = |counts: &[i128]| {
            let count = counts.get(event).copied().unwrap_or(0);
            format!("{:.1}%", count as f64 * 100.0 / (total as f64).max(1.0))
        };
        let name = display_name(self.profile.events().name(event));
        let mut text = format!("inlined functions: {} of {name}", percent(&share.inlined));
        let unknown = percent(&share.unknown);
        if !share.without.is_empty() && unknown != "0.0%" {
            text.push_str(&format!("; no debug information for {unknown}"));
            let named: Vec<_> =
                share.without.iter().take(MAX_NAMED).map(|(_, name)| display_name(name)).collect();
            let more = and_more(share.without.len() - named.len());
            text.push_str(&format!(" ({}{more})", named.join(", ")));
        }
        let width = self.style().width.unwrap_or(usize::MAX);
        Ok(writeln!(out, "{}\n", in_words(&text, width).join("\n"))?)
    }
}
