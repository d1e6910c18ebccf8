//! What all formats of a report derive from the input and the options: the events that are shown
//! and sorted by, the total, the style, and the errors and notes about the whole profile.

use std::fmt::Display;

use anyhow::{Result, anyhow};

use super::input::Input;
use super::message::{Messages, UsageError, display_name, display_paths};
use super::{compare, misses, unmatched};
use crate::options::Options;
use crate::profile::{Events, Profile};
use crate::render::{self, RatioStyle, Style};
use crate::view::{Selection, Series, Total};

/// The input and the options of a report, and what all formats derive from them.
pub(crate) struct Context<'r> {
    pub(crate) options: &'r Options,
    pub(crate) input: &'r Input,
    pub(crate) profile: &'r Profile,
    pub(crate) messages: &'r Messages,
    pub(crate) escapes: bool,
    pub(crate) selection: Selection,
    pub(crate) total: Total,
    pub(super) ratios: Vec<usize>,
    /// The profiles of a series.
    pub(crate) series: Option<Series>,
}

impl<'r> Context<'r> {
    /// The events that are shown and sorted by, the total, and the profiles of a series.
    pub(super) fn new(
        options: &'r Options,
        input: &'r Input,
        escapes: bool,
        messages: &'r Messages,
    ) -> Result<Context<'r>> {
        let events = input.profile.events();
        let of_misses =
            misses::selection_of_misses(options, events).filter(|_| input.sources.is_empty());
        let selection = of_misses.as_ref().unwrap_or(&options.selection);
        let mut selection = Selection::new(selection, events).map_err(|unknown| {
            let option = format!("--{}", unknown.option);
            unmatched::no_event(&option, &unknown.event, events)
        })?;
        let is_classic = options.report.format().is_some_and(|format| format.is_classic);
        if selection.by_calls.is_some() && is_classic {
            let text = "--sort=calls cannot be combined with --format=classic: callgrind_annotate's page has no numbers of calls";
            return Err(UsageError(text.to_owned()).into());
        }
        if options.passes_over_zeros() {
            let has_cost = |event| input.profile.has_cost_of(event);
            let passed = selection.pass_over_zeros(&options.selection, has_cost);
            if let Some((zero, event)) = passed {
                let [zero, event] = [zero, event].map(|event| display_name(events.name(event)));
                messages.note(format!(
                    "{zero} is 0 everywhere, so {event} takes its place (not with --sort={zero})"
                ));
            }
            // Formats for programs, and the page with their data, keep the order of the file.
            let keeps_order =
                options.report.format().is_some_and(|format| format.is_for_programs());
            if let Some((_, event)) = passed.filter(|_| !keeps_order) {
                selection.show_first(event);
            }
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
            selection.min = None;
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

    /// The same report of another profile, with the same events.
    pub(crate) fn of_profile(&self, profile: &'r Profile) -> Context<'r> {
        let (selection, total) = (self.selection.clone(), self.total.clone());
        let (ratios, series) = (self.ratios.clone(), self.series.clone());
        Context { profile, selection, total, ratios, series, ..*self }
    }

    /// Notes that calls are missing if the report needs them, as in a profile of cachegrind.
    pub(super) fn note_no_calls(&self) {
        let list = self.options.report.list();
        let are_wanted = self.options.selection.lists_called
            || list.is_some_and(|list| list.inclusive || !list.tree.is_empty());
        let has_calls = !self.profile.calls.is_empty();
        let are_charged = !self.options.input.charged.is_empty();
        if self.options.is_text() && are_wanted && !has_calls && !are_charged {
            let text = "the profile has no calls (callgrind records them)";
            self.messages.note(text);
        }
    }

    /// Notes that nothing was collected, and why that may be.
    pub(super) fn note_nothing(&self) {
        let mut totals = self.total.figure.value.iter();
        let is_nothing = totals.all(|count| count.or_zero() == 0);
        let profile = self.profile;
        if !is_nothing || profile.is_difference() || !self.input.kept.is_empty() {
            return;
        }
        if profile.is_from_callgrind() {
            self.messages.note(
                "nothing was collected: either a function of --toggle-collect was never called, or with --instr-atstart=no or \
                 --collect-atstart=no no client request was made that begins it (CALLGRIND_START_INSTRUMENTATION, \
                 CALLGRIND_TOGGLE_COLLECT)",
            );
        } else if profile.is_from_cachegrind() {
            self.messages.note(
                "nothing was collected: with --instr-atstart=no a client request begins it \
                 (CACHEGRIND_START_INSTRUMENTATION), which was probably never made",
            );
        }
    }

    /// An error of the whole profile, which begins with the names of its files.
    pub(crate) fn error(&self, text: impl Display) -> anyhow::Error {
        anyhow!("{}: {text}", display_paths(&self.input.paths))
    }

    pub(crate) fn style(&self) -> Style<'_> {
        let style = self.options.style;
        let is_escaped = self.is_format(|format| format.is_escaped);
        Style {
            percentages: style.percentages,
            unit: self.input.scale.unit,
            is_ratio: false,
            decimals: render::DECIMALS,
            exact_decimals: render::EXACT_DECIMALS,
            events: self.profile.events(),
            ratios: &self.ratios,
            // Colours and widths are for a terminal, even behind a pipe.
            escapes: self.escapes || style.colours || style.width.is_some() || is_escaped,
            colours: style.colours,
            width: style.width,
            delimiter: self.options.report.format().map_or(b',', |format| format.delimiter),
            has_heading: style.has_heading,
            names: self.profile.name_kind(),
            is_columns: self.options.is_text(),
            difference: (self.profile.is_difference()).then(|| self.selection.first().unwrap_or(0)),
            series: self.series.as_ref(),
            shown: &self.selection.shown,
            sorted: self.selection.order.first().copied(),
            total: &self.total.reference,
        }
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
    if let Some((name, own)) = thresholds.find(|(name, _)| is_ratio(name)) {
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
