//! The events of a report: which are shown, which it is sorted by, and which are ratios.

use std::collections::BTreeSet;

use anyhow::Result;

use super::input::Input;
use super::message::{Messages, UsageError, display_name};
use super::{Context, compare, misses, unmatched};
use crate::options::Options;
use crate::profile::{Events, NameKind, Profile};
use crate::render::RatioStyle;
use crate::view::{CallKey, Selection, SelectionOptions, Threshold, Total};

/// pprofile's event of how often lines were executed.
pub(super) const EXECUTIONS: &[u8] = b"hits";

/// A threshold of a sort event below this percentage looks like the minimum of a row.
const SMALL_THRESHOLD: f64 = 20.0;

impl<'r> Context<'r> {
    /// The events that are shown and sorted by, the total, and the profiles of a series.
    pub(super) fn new(
        options: &'r Options,
        input: &'r Input,
        escapes: bool,
        messages: &'r Messages,
    ) -> Result<Context<'r>> {
        let events = input.profile.events();
        let of_misses = misses::selection_of_misses(options, events).filter(|of_misses| {
            !input.has_whole_sources() && has_sort_events(&input.profile, of_misses)
        });
        let by_calls = by_calls_without_costs(options, &input.profile);
        let requested = of_misses.as_ref().or(by_calls.as_ref()).unwrap_or(&options.selection);
        let mut selection = Selection::new(requested, events).map_err(|unknown| {
            let option = format!("--{}", unknown.option);
            unmatched::no_event(&option, &unknown.event, events)
        })?;
        let is_classic = options.report.format().is_some_and(|format| format.is_classic);
        let by_calls = selection.by_calls.as_ref().map(|of| of.key);
        let key = by_calls.or(selection.by_per_call.then_some(CallKey::PerCall));
        if let Some(key) = key.filter(|_| is_classic) {
            let key = key.name();
            let text = format!(
                "--sort={key} cannot be combined with --format=classic: callgrind_annotate's page has no numbers of calls"
            );
            return Err(UsageError(text).into());
        }
        if options.passes_over_zeros() {
            pass_over_zeros(&mut selection, options, input, messages);
        }
        if options.shows_all_in_columns() {
            selection.show_sorted_first(events);
        }
        if input.profile.is_difference() {
            let common = compare::leave_out_events(&mut selection, options, &input.profile)?;
            compare::compare(&mut selection, options, events, common);
        } else {
            selection.by_size = input.profile.negative_events();
        }
        if options.report.list().is_some_and(|list| !list.tree.is_empty())
            && !options.rows.filter.is_empty()
        {
            // The minimum is that of the lines of trees: the filter names the rows.
            selection.list.min = None;
        }
        if options.rows.filter.is_empty() && !input.profile.is_difference() {
            selection.leave_out_few(&options.selection);
        }
        let total = Total::of(&input.profile);
        let ratios = take_ratios(options, &mut selection, events)?;
        Ok(Context {
            options,
            input,
            profile: &input.profile,
            messages,
            escapes,
            selection,
            total,
            ratios,
            series: options.input.is_series.then(|| input.series(options)),
        })
    }

    /// Notes what a small threshold of a sort event is, which looks like the minimum of a row.
    pub(super) fn note_small_threshold(&self) {
        let sort = &self.options.selection.sort;
        let of_events = sort.iter().filter_map(|(event, of)| Some((event, of.as_ref()?)));
        let mut small = of_events.filter(|(_, of)| of.percent < SMALL_THRESHOLD);
        if let Some((event, Threshold { text, .. })) =
            small.next().filter(|_| self.options.is_text())
        {
            let event = display_name(event);
            self.messages.note(format!(
                "{event}:{text}: the rows listed have {text}% in all; --min={text} lists each row that has {text}%"
            ));
        }
    }
}

/// The selection of a list for people by numbers of calls, if no other order is requested and the
/// profile has no cost at all, as gprof's data without samples.
fn by_calls_without_costs(options: &Options, profile: &Profile) -> Option<SelectionOptions> {
    let has_cost = || (0..profile.events().len()).any(|event| profile.has_cost_of(event));
    if !options.passes_over_zeros() || !options.selection.sort.is_empty() || has_cost() {
        return None;
    }
    let calls = CallKey::ByOthers.name().as_bytes().to_vec();
    Some(SelectionOptions { sort: vec![(calls, None)], ..options.selection.clone() })
}

/// Whether all profiles of a comparison have the events that it would be sorted by: one without a
/// simulation of caches has no estimated cycles.
fn has_sort_events(profile: &Profile, selection: &SelectionOptions) -> bool {
    let events = profile.events();
    let sort: BTreeSet<usize> =
        selection.sort.iter().filter_map(|(name, _)| events.find(name)).collect();
    !profile.is_difference()
        || (0..profile.sides().count()).all(|side| sort.is_subset(&profile.events_of(side)))
}

/// Lets an event with a cost take the place of a first one that is 0 everywhere, or that is
/// pprofile's number of executions, which calls do not have.
fn pass_over_zeros(
    selection: &mut Selection,
    options: &Options,
    input: &Input,
    messages: &Messages,
) {
    let events = input.profile.events();
    let are_executions = |event: usize| {
        input.profile.name_kind() == NameKind::Other && *events.name(event) == *EXECUTIONS
    };
    let has_cost = |event| !are_executions(event) && input.profile.has_cost_of(event);
    let passed = selection.pass_over_zeros(&options.selection, has_cost);
    if let Some((first, event)) = passed {
        let why = if are_executions(first) {
            "counts executions of lines, which calls do not have"
        } else {
            "is 0 everywhere"
        };
        let [first, event] = [first, event].map(|event| display_name(events.name(event)));
        messages
            .note(format!("{first} {why}, so {event} takes its place (not with --sort={first})"));
    }
    // Formats for programs, and the page with their data, keep the order of the file.
    let keeps_order = options.report.format().is_some_and(|format| format.is_for_programs());
    if let Some((_, event)) = passed.filter(|_| !keeps_order) {
        selection.show_first(event);
    }
}

/// The shown events that are ratios. In JSON they have members of their own, as events with
/// decimals have, since its costs are whole numbers; other formats have none.
fn take_ratios(
    options: &Options,
    selection: &mut Selection,
    events: &Events,
) -> Result<Vec<usize>> {
    let mut ratios = events.ratios();
    let is_ratio = |name: &[u8]| ratios.iter().any(|&ratio| name == events.name(ratio));
    let sort = &options.selection.sort;
    let mut thresholds = sort.iter().filter_map(|(name, own)| Some((name, own.as_ref()?)));
    let is_quotient =
        |name: &[u8]| is_ratio(name) || CallKey::named(name) == Some(CallKey::PerCall);
    if let Some((name, own)) = thresholds.find(|(name, _)| is_quotient(name)) {
        let (name, percent) = (display_name(name), &own.text);
        let text = format!("--sort={name}:{percent}: ratios do not add up to 100%");
        return Err(UsageError(text).into());
    }
    let requested: Vec<_> =
        options.selection.show.iter().chain(sort.iter().map(|(name, _)| name)).collect();
    ratios.retain(|ratio| selection.shown.contains(ratio));
    let kind = options.report.format().map_or(RatioStyle::Refused, |format| format.ratios);
    if kind == RatioStyle::Columns {
        return Ok(ratios);
    }
    let has_decimals = |event: &usize| events.unit(*event) != 1;
    if kind != RatioStyle::Decimals {
        ratios.extend(selection.shown.iter().copied().filter(has_decimals));
    }
    let is_requested = |event: &usize| requested.iter().any(|name| *name == events.name(*event));
    if let Some(&event) =
        ratios.iter().find(|event| is_requested(event) && kind != RatioStyle::Members)
    {
        let format = options
            .report
            .format()
            .map(|format| format!("--format={}", format.name()))
            .unwrap_or_else(|| "a report of gprof".to_owned());
        let what = match events.unit(event) {
            1 => "a ratio".to_owned(),
            _ => format!("{}, which has decimals", display_name(events.name(event))),
        };
        return Err(UsageError(format!("{format} cannot show {what}")).into());
    }
    selection.shown.retain(|event| !ratios.contains(event));
    Ok(ratios)
}
