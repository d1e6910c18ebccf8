//! Misses of caches and branches: whether a profile has them, and which events the first screen has
//! then, and the sources that are opened at its lines.

use crate::options::Options;
use crate::profile::Events;
use crate::view::{Selection, SelectionOptions};

/// The event that the first screen is sorted by where misses were recorded, and those that have
/// columns.
const EVENTS_OF_MISSES: [&[u8]; 5] = [b"CEst", b"Ir", b"L1m", b"LLm", b"Bm"];

/// The events of callgrind's simulation of caches, and of branches.
pub(super) const OF_CACHES: [&[u8]; 3] = [b"I1mr", b"D1mr", b"D1mw"];
pub(super) const OF_BRANCHES: [&[u8]; 2] = [b"Bcm", b"Bim"];

/// Whether one of these events is recorded.
pub(super) fn has_any(events: &Events, names: &[&[u8]]) -> bool {
    names.iter().any(|name| events.find(name).is_some_and(|event| events.is_recorded(event)))
}

/// The events of the first screen of a profile with misses, and of a comparison of such profiles on
/// a terminal or in the page for a browser, unless options name others.
pub(super) fn events_of_misses(options: &Options, events: &Events) -> &'static [&'static [u8]] {
    let selection = &options.selection;
    // A limit without an event is about the first one, which is recorded.
    let is_limited = options.limits.iter().any(|limit| limit.event.is_none());
    // The sort that these events have anyway changes nothing.
    let is_sorted_otherwise =
        selection.sort.iter().any(|key| *key != (EVENTS_OF_MISSES[0].to_vec(), None));
    let is_default = selection.show.is_empty() && !is_sorted_otherwise && !is_limited;
    let has_misses = has_any(events, &OF_CACHES) || has_any(events, &OF_BRANCHES);
    // A limit is about an event that is shown first.
    let is_text = options.is_text() && options.limits.is_empty();
    let is_difference = options.is_for_browsers() && options.report.has_reasons();
    let has_screen =
        options.report.screen().is_some() || is_difference || is_text && is_comparison(options);
    let is_wanted = has_screen && is_default && has_misses;
    if is_wanted && has_any(events, &[b"Ir"]) { &EVENTS_OF_MISSES } else { &[] }
}

/// Whether the report is the list of a difference or of a series.
fn is_comparison(options: &Options) -> bool {
    options.report.has_reasons() || options.input.is_series
}

/// The event of estimated cycles, if a limit of a difference names no event and misses were
/// recorded: a program with as many instructions may have more misses.
pub(super) fn cycles_beside_limits(options: &Options, events: &Events) -> Option<&'static [u8]> {
    let is_limited = options.limits.iter().any(|limit| limit.event.is_none());
    let has_misses = has_any(events, &OF_CACHES) || has_any(events, &OF_BRANCHES);
    let is_difference = !options.input.base.is_empty() && has_any(events, &[b"Ir"]);
    (is_limited && has_misses && is_difference).then_some(EVENTS_OF_MISSES[0])
}

/// The selection of the first screen, if its profile has misses. The page of a difference stays
/// sorted by its first event, and its reader chooses another.
pub(super) fn selection_of_misses(options: &Options, events: &Events) -> Option<SelectionOptions> {
    let names = events_of_misses(options, events).iter();
    let known: Vec<Vec<u8>> =
        names.filter(|name| events.find(name).is_some()).map(|name| name.to_vec()).collect();
    let sorted = (known.first()?.clone(), None);
    let is_difference = options.report.has_reasons();
    if is_comparison(options) && !options.is_for_browsers() {
        return Some(SelectionOptions { sort: vec![sorted], ..options.selection.clone() });
    }
    let sort = if is_difference { Vec::new() } else { vec![sorted] };
    let mut show = if is_difference { vec![b"Ir".to_vec()] } else { Vec::new() };
    let mut add = |name: Vec<u8>| {
        if !show.contains(&name) {
            show.push(name);
        }
    };
    known.into_iter().for_each(&mut add);
    if options.is_for_browsers() {
        // Its reader chooses an event of all that the page would have otherwise, too.
        let shown = Selection::new(&options.selection, events).ok()?.shown;
        shown.into_iter().for_each(|event| add(events.name(event).to_vec()));
    }
    Some(SelectionOptions { show, sort, ..options.selection.clone() })
}
