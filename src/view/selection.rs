//! Which events are shown and sorted by, and how much of the total is listed.

use std::cmp::Ordering;

use crate::profile::{Count, Events};
use crate::view::default_min;

/// The requested selection, by event names. `cli::list` has what its own options say, `cli::page`
/// what the format and other options decide.
#[derive(Clone, Debug, Default)]
pub struct SelectionOptions {
    /// The events to show, in this order; all if empty.
    pub show: Vec<Vec<u8>>,
    /// The events to sort by, each with an optional threshold of its own; all events if empty.
    pub sort: Vec<(Vec<u8>, Option<Threshold>)>,
    /// Whether to sort by the shown events first if `sort` is empty.
    pub sort_by_shown: bool,
    /// The threshold of the first event, if no event has its own.
    pub threshold: Threshold,
    /// Whether an option gave that threshold.
    pub has_own_threshold: bool,
    /// Whether the threshold is one of cg_annotate, the minimum of each row, if the profile is of
    /// Cachegrind.
    pub may_be_of_cg_annotate: bool,
    pub list: ListSelection,
}

/// Which rows a list has, whatever their events, and which numbers of calls.
#[derive(Clone, Debug, Default)]
pub struct ListSelection {
    /// The maximum number of rows.
    pub top: Option<usize>,
    /// The minimum percentage of the first sort event for a row to be listed.
    pub min: Option<Threshold>,
    /// Whether the first row is listed although it is below that minimum.
    pub has_row: bool,
    /// Whether that minimum is a percentage of the total's change in a difference.
    pub min_of_change: bool,
    pub shows_omitted: bool,
    /// Whether the number of calls of rows is shown.
    pub shows_calls: bool,
    /// Whether lines have the number of calls that they make.
    pub shows_calls_of_lines: bool,
    /// Whether rows are listed that are called but have no cost.
    pub lists_called: bool,
}

impl SelectionOptions {
    /// Whether numbers of calls are shown or sorted by.
    pub fn needs_calls(&self) -> bool {
        let sorts = self.sort.first().is_some_and(|(event, _)| CallKey::named(event).is_some());
        self.list.shows_calls || sorts
    }

    /// The first sort event, if it is a ratio.
    fn first_ratio(&self, shown: &[usize], events: &Events) -> Option<usize> {
        let first = match self.sort.first() {
            Some((name, _)) => events.find(name),
            None => shown.first().copied().filter(|_| self.sort_by_shown),
        };
        first.filter(|event| events.ratios().contains(event))
    }
}

/// A first key of `--sort` that is of calls, not of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKey {
    /// The number of calls from other functions.
    ByOthers,
    Recursive,
    /// The cost that rows are listed by, of each call.
    PerCall,
}

impl CallKey {
    const NAMES: [(&str, CallKey); 3] = [
        ("calls", CallKey::ByOthers),
        ("recursive", CallKey::Recursive),
        ("per-call", CallKey::PerCall),
    ];

    pub fn named(name: &[u8]) -> Option<CallKey> {
        let (_, key) = Self::NAMES.iter().find(|(of, _)| of.as_bytes() == name)?;
        Some(*key)
    }

    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, key)| *key == self).map_or("", |(name, _)| name)
    }
}

/// That rows are sorted by numbers of calls first.
#[derive(Clone, Debug)]
pub struct ByCalls {
    pub key: CallKey,
    /// The percentage of all these calls up to which rows are listed.
    pub threshold: Threshold,
}

/// The selection by event numbers.
#[derive(Clone)]
pub struct Selection {
    pub shown: Vec<usize>,
    /// The events to sort by, in descending order.
    pub order: Vec<usize>,
    /// The ratio that listed rows are sorted by, if it is the first sort event. `order` then only
    /// selects the rows.
    pub by_ratio: Option<usize>,
    /// One for each event of the order.
    pub thresholds: Vec<Threshold>,
    /// The limit that the thresholds are, for an option that raises it.
    threshold_limit: RowLimit,
    pub list: ListSelection,
    /// Set if rows are sorted by numbers of calls first.
    pub by_calls: Option<ByCalls>,
    /// Whether listed rows are sorted by their cost per call. `order` then only selects the rows.
    pub by_per_call: bool,
    /// By event, whether rows are sorted, and lists end, by absolute values: in a difference, and
    /// if some counts are negative. An event beyond the end is not.
    pub by_size: Vec<bool>,
    /// Whether it is that of a difference, which is ordered by the first key and the name only.
    pub is_difference: bool,
    /// In a difference: the events to compare; only rows that changed in one of them are shown.
    pub compared: Option<Vec<usize>>,
}

/// An option names an event that the profile does not have.
#[derive(Debug)]
pub struct UnknownEvent {
    pub option: &'static str,
    pub event: Vec<u8>,
}

impl SelectionOptions {
    /// The option that has to be raised for a list that ends at a threshold to have another row.
    /// `has_default` is whether it ends at the default threshold.
    fn threshold_limit(&self, of_calls: Option<CallKey>, has_default: bool) -> RowLimit {
        if self.sort.iter().any(|(_, own)| own.is_some()) {
            RowLimit::SortThreshold { of_calls }
        } else if self.has_own_threshold || has_default {
            RowLimit::Threshold
        } else {
            // A number of rows replaces the default threshold.
            RowLimit::Top
        }
    }
}

impl Selection {
    pub fn new(options: &SelectionOptions, events: &Events) -> Result<Selection, UnknownEvent> {
        let find = |option, name: &Vec<u8>| {
            events.find_alike(name).ok_or_else(|| UnknownEvent { option, event: name.clone() })
        };
        let all = || (0..events.len()).collect::<Vec<_>>();
        let shown =
            options.show.iter().map(|name| find("show", name)).collect::<Result<Vec<_>, _>>()?;
        // An event of such a name takes precedence.
        let of_calls = options
            .sort
            .first()
            .filter(|(name, _)| events.find(name).is_none())
            .and_then(|(name, own)| Some((CallKey::named(name)?, own)));
        let by_per_call = of_calls.is_some_and(|(key, _)| key == CallKey::PerCall);
        let by_calls = of_calls.filter(|_| !by_per_call);
        let by_ratio = options.first_ratio(&shown, events);
        let first = usize::from(of_calls.is_some()) + usize::from(by_ratio.is_some());
        let sort = options.sort.get(first..).unwrap_or_default();
        let named =
            sort.iter().map(|(name, _)| find("sort", name)).collect::<Result<Vec<_>, _>>()?;
        let order = match (by_ratio, options.sort_by_shown) {
            _ if !named.is_empty() => named,
            // Rows need a count of the ratio's divisor.
            (Some(ratio), _) => all_from(events.divisor_of(ratio), events),
            (None, true) => all_from(shown.iter().copied(), events),
            (None, false) => all_from([], events),
        };
        // The threshold of the calls is before those of the events.
        let own = by_calls.iter().map(|(_, own)| *own).chain(sort.iter().map(|(_, own)| own));
        let count = order.len() + usize::from(by_calls.is_some());
        let mut thresholds = thresholds(options, own.map(Option::as_ref), count);
        let by_calls = by_calls.map(|(key, _)| ByCalls { key, threshold: thresholds.remove(0) });
        // Ratios of tiny counts are meaningless.
        let is_all = options.threshold == Threshold::all() && !options.has_own_threshold;
        let has_few = options.list.top.is_some() && sort.is_empty() && is_all;
        let threshold_limit = options
            .threshold_limit(by_calls.as_ref().map(|of| of.key), has_few && by_ratio.is_some());
        if let Some(first) = thresholds.first_mut()
            && by_ratio.is_some()
            && has_few
        {
            *first = Threshold::default();
        }
        let mut list = options.list.clone();
        if of_calls.is_some() {
            (list.shows_omitted, list.shows_calls, list.lists_called) = (true, true, true);
        }
        Ok(Selection {
            shown: if shown.is_empty() { all() } else { shown },
            order,
            by_ratio,
            thresholds,
            threshold_limit,
            list,
            by_calls,
            by_per_call,
            by_size: Vec::new(),
            is_difference: false,
            compared: None,
        })
    }

    pub fn first(&self) -> Option<usize> {
        self.by_ratio.or(self.order.first().copied())
    }

    /// Whether rows are sorted by a quotient after `order` selected them.
    pub(super) fn is_by_quotient(&self) -> bool {
        self.by_ratio.is_some() || self.by_per_call
    }

    /// Puts the first event with a cost in front of the first sort event, if that is 0 everywhere
    /// and no option names it; returns both.
    pub fn pass_over_zeros(
        &mut self,
        options: &SelectionOptions,
        has_cost: impl Fn(usize) -> bool,
    ) -> Option<(usize, usize)> {
        let &first = self.order.first()?;
        let of_calls = usize::from(self.by_calls.is_some() || self.by_per_call);
        let is_named = options.sort.len() > of_calls
            || self.by_ratio.is_some()
            || !options.show.is_empty() && self.shown.contains(&first);
        if is_named || has_cost(first) {
            return None;
        }
        let at = self.order.iter().position(|&event| has_cost(event))?;
        // The thresholds stay in their places.
        self.order[..=at].rotate_right(1);
        Some((first, self.order[0]))
    }

    /// Of a list that is sorted by a ratio and has a number of rows, leaves out those with few of
    /// its divisor, unless another limit is requested.
    pub fn leave_out_few(&mut self, options: &SelectionOptions) {
        let is_limited = options.list.min.is_some() || options.has_own_threshold;
        if self.by_ratio.is_some() && self.list.top.is_some() && !is_limited {
            self.list.min = Some(Threshold::percent(default_min::OF_DIVISOR));
        }
    }

    /// Moves a shown event to the front.
    pub fn show_first(&mut self, event: usize) {
        self.shown.sort_by_key(|&shown| shown != event);
    }

    /// Moves the sort events to the front, if only some are; of misses, the accesses come next.
    pub fn show_sorted_first(&mut self, events: &Events) {
        let Some(first) = self.first() else { return };
        let accesses = match *events.name(first) {
            [b'B', kind, b'm'] => events.find(&[b'B', kind]),
            [what, _, b'm', how] => events.find(&[what, how]),
            _ => None,
        };
        let is_named = self.order.len() < self.shown.len();
        let order = if is_named { &self.order[..] } else { &[] };
        let rank = |event: &usize| {
            let named = order.iter().position(|of| of == event).unwrap_or(usize::MAX);
            (*event != first, named, Some(*event) != accesses)
        };
        self.shown.sort_by_key(rank);
    }

    /// Removes events. If the first sort event is removed, the next one gets its threshold.
    pub fn retain_events(&mut self, mut is_kept: impl FnMut(usize) -> bool) {
        self.shown.retain(|&event| is_kept(event));
        self.by_ratio = self.by_ratio.filter(|&event| is_kept(event));
        let order = self.order.iter().zip(&self.thresholds);
        let kept: Vec<_> = order
            .filter(|(event, _)| is_kept(**event))
            .map(|(event, limit)| (*event, limit.clone()))
            .collect();
        let first = self.thresholds.first().cloned();
        (self.order, self.thresholds) = kept.into_iter().unzip();
        if let Some((threshold, first)) = self.thresholds.first_mut().zip(first) {
            *threshold = first;
        }
    }

    pub(super) fn is_by_size(&self, event: usize) -> bool {
        self.by_size.get(event) == Some(&true)
    }

    /// The sort key of a count of an event. Undefined is -1, which in descending order is right
    /// after 0, as in callgrind_annotate.
    pub(super) fn sort_key(&self, count: Count, event: usize) -> i64 {
        match count.value() {
            Some(value) if self.is_by_size(event) => value.saturating_abs(),
            value => value.unwrap_or(-1),
        }
    }

    /// The key by which a cost is sorted first, in descending order.
    #[inline]
    pub(super) fn first_key(&self, cost: &[Count]) -> i64 {
        self.order.first().map_or(0, |&event| self.sort_key(cost[event], event))
    }

    /// The sort key of a number of calls.
    pub(super) fn calls_key(&self, calls: Count) -> i64 {
        match calls.value() {
            Some(value) if self.is_difference => value.saturating_abs(),
            value => value.unwrap_or(-1),
        }
    }

    /// Whether an item with this cost is shown: in a difference, only what changed is.
    pub fn shows(&self, cost: &[Count]) -> bool {
        let changed = |&event: &usize| cost[event].or_zero() != 0;
        let events = self.compared.as_ref();
        events.is_none_or(|events| events.iter().any(changed))
    }

    /// Compares two costs in descending order of the sort events; in a difference, of the first one
    /// only.
    pub fn cmp_descending(&self, a: &[Count], b: &[Count]) -> Ordering {
        let key = |cost: &[Count], event: usize| self.sort_key(cost[event], event);
        let deciding = if self.is_difference { 1 } else { self.order.len() };
        for &event in self.order.iter().take(deciding) {
            let by_event = key(b, event).cmp(&key(a, event));
            if by_event.is_ne() {
                return by_event;
            }
        }
        Ordering::Equal
    }

    /// The limits that options have to raise for a list to go on where it ended.
    pub(super) fn limits_to_raise(&self, end: ListEnd) -> Vec<RowLimit> {
        // A number of rows replaces the default minimum.
        let of_min = if self.list.has_row { RowLimit::Top } else { RowLimit::Min };
        let mut limits = Vec::new();
        let ends =
            [(end.top, RowLimit::Top), (end.min, of_min), (end.threshold, self.threshold_limit)];
        for (_, limit) in ends.into_iter().filter(|(is_end, _)| *is_end) {
            if !limits.contains(&limit) {
                limits.push(limit);
            }
        }
        limits
    }

    /// Whether a row is below the minimum percentage to be listed; `references` are 100% by event.
    pub(super) fn is_below_min(&self, cost: &[Count], references: &[Count]) -> bool {
        let Some((min, &event)) = self.list.min.as_ref().zip(self.order.first()) else {
            return false;
        };
        let [mut count, mut whole] = [cost, references].map(|of| of[event].or_zero() as f64);
        if self.is_by_size(event) {
            (count, whole) = (count.abs(), whole.abs());
        }
        min.percent > 0.0 && (count == 0.0 || count * 100.0 / whole < min.percent)
    }

    /// Whether a cost has at least a percentage of a total in any shown event, and is not 0 there.
    pub fn has_share(
        &self,
        cost: &[Count],
        total: &[Count],
        min_percent: f64,
        ratios: &[usize],
    ) -> bool {
        self.shown.iter().any(|&event| {
            let [count, total] = [cost, total].map(|of| {
                if ratios.contains(&event) {
                    of[event].ratio().unwrap_or(0.0)
                } else {
                    of[event].or_zero() as f64
                }
            });
            count != 0.0 && count.abs() * 100.0 >= total.abs() * min_percent
        })
    }

    /// Whether the sums of listed costs reach all thresholds; `references` are 100% by sort event.
    /// A reference of 0 is never reached.
    pub(super) fn is_reached(&self, sums: &[i128], references: &[i128]) -> bool {
        let mut thresholds = self.thresholds.iter().enumerate();
        thresholds.all(|(place, threshold)| match references[place] {
            0 => 0.0 >= threshold.percent,
            whole => as_f64(sums[place]) * 100.0 / as_f64(whole) >= threshold.percent,
        })
    }
}

/// Converts to `f64`. Most numbers are small enough for the processor's own conversion, and the
/// other one is slow.
fn as_f64(sum: i128) -> f64 {
    let large = |_| std::hint::black_box(sum) as f64;
    i64::try_from(sum).map_or_else(large, |sum| sum as f64)
}

/// All events that are not ratios, with `first` in front.
fn all_from(first: impl IntoIterator<Item = usize>, events: &Events) -> Vec<usize> {
    let mut is_open = vec![true; events.len()];
    for ratio in events.ratios() {
        is_open[ratio] = false;
    }
    let mut order: Vec<usize> = first.into_iter().chain(0..events.len()).collect();
    order.retain(|&event| std::mem::take(&mut is_open[event]));
    order
}

/// The thresholds of the sort keys; `own` are those given with `--sort`.
fn thresholds<'o>(
    options: &SelectionOptions,
    own: impl Iterator<Item = Option<&'o Threshold>>,
    count: usize,
) -> Vec<Threshold> {
    let none = Threshold::new("0", 0.0);
    let mut thresholds = vec![none.clone(); count];
    if options.sort.iter().any(|(_, own)| own.is_some()) {
        for (threshold, own) in thresholds.iter_mut().zip(own) {
            threshold.clone_from(own.unwrap_or(&none));
        }
    } else if let Some(first) = thresholds.first_mut() {
        first.clone_from(&options.threshold);
        // Only `--sort=EVENT:100` omits rows that add nothing.
        if first.percent >= 100.0 {
            first.percent = Threshold::unlimited().percent;
        }
    }
    thresholds
}

/// What ends a list before a row, if anything does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ListEnd {
    pub(super) top: bool,
    pub(super) min: bool,
    pub(super) threshold: bool,
}

impl ListEnd {
    pub(super) fn is_any(self) -> bool {
        self.top || self.min || self.threshold
    }
}

/// A limit of a list, by the option that raises it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowLimit {
    /// `--top`, and the defaults that it replaces.
    Top,
    Min,
    Threshold,
    /// That of the first key in `--sort`.
    SortThreshold {
        of_calls: Option<CallKey>,
    },
}

/// A percentage of the total.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    /// The text as given, which is shown.
    pub text: String,
    /// From 0 to 100.
    pub percent: f64,
}

impl Threshold {
    pub fn percent(percent: f64) -> Threshold {
        Threshold::new(&percent.to_string(), percent)
    }

    fn new(text: &str, percent: f64) -> Threshold {
        let text = text.to_owned();
        Threshold { text, percent }
    }

    pub fn all() -> Threshold {
        Threshold::new("100", 100.0)
    }

    /// A threshold that lists all rows, even those that add nothing.
    pub fn unlimited() -> Threshold {
        Threshold::new("100", f64::INFINITY)
    }

    /// Parses a percentage from 0 to 100, with an optional percent sign.
    pub fn parse(text: &str) -> Option<Threshold> {
        let text = text.strip_suffix('%').unwrap_or(text);
        let is_number = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let percent: f64 = text.parse().ok().filter(|_| is_number)?;
        (percent <= 100.0).then(|| Threshold::new(text, percent))
    }
}

impl Default for Threshold {
    fn default() -> Threshold {
        Threshold::new("99", 99.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_has_a_share_in_any_shown_event_and_ratios_by_their_values() {
        let options = SelectionOptions::default();
        let mut selection = Selection::new(&options, &Events::default()).unwrap();
        selection.shown = vec![0, 2];
        let total = [Count::new(-200), Count::new(10), Count::of_ratio(2.0)];
        for (cost, expected) in [
            ([Count::new(20), Count::ZERO, Count::ZERO], true),
            ([Count::new(-20), Count::ZERO, Count::ZERO], true),
            ([Count::new(19), Count::ZERO, Count::ZERO], false),
            // An event that is not shown.
            ([Count::ZERO, Count::new(10), Count::ZERO], false),
            ([Count::ZERO, Count::ZERO, Count::of_ratio(0.2)], true),
            ([Count::ZERO, Count::ZERO, Count::of_ratio(0.1)], false),
        ] {
            assert_eq!(selection.has_share(&cost, &total, 10.0, &[2]), expected, "{cost:?}");
        }
    }
}
