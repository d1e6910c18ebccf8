//! The list: rows with their costs, the most expensive first, up to the thresholds, `--top` and
//! `--min`.

use std::cmp::{Ordering, Reverse};
use std::ops::Range;

use crate::profile::{BASE, Count, NEW, Profile};
use crate::view::call_count_table::CallCountTable;
use crate::view::call_counts::{CallCounts, CallDivisor};
use crate::view::cycles::Graphs;
use crate::view::figure::{
    Cost, CostFigure, Extent, Figure, FigureTable, ItemCost, ItemFigure, Total,
};
use crate::view::label::{Label, RowId};
use crate::view::row_costs::{Inclusive, Use, self_costs, uses_of_rows};
use crate::view::rows::Rows;
use crate::view::selection::{ByCalls, CallKey, ListEnd, RowLimit, Selection};
use crate::view::threads::{beside, sort_by};
use crate::view::verdict::GroupCost;

/// A row or a cycle of a list.
pub struct ListRow<'a, 'p> {
    pub label: Label<'p>,
    /// The self or inclusive cost.
    pub cost: ItemCost<'a>,
    pub item: RowId,
    /// The number of calls, if requested.
    pub calls: Option<ItemFigure<'a, CallCounts>>,
    /// The position in the list.
    pub position: usize,
}

/// The rows of a report, in order.
pub struct List {
    /// The listed rows and cycles, in order.
    pub items: Vec<RowId>,
    pub(super) costs: FigureTable,
    calls: Option<CallCountTable>,
    /// The extent of all rows that the filter selected, listed or not.
    pub extent: Extent,
    /// Whether it is ordered by inclusive cost.
    pub is_inclusive: bool,
    /// The rows that are not listed, if they are reported.
    pub omitted: Option<Omitted>,
}

impl List {
    /// The lines of the list. Labels are made on demand, as there may be many long ones.
    pub fn lines<'a, 'p>(&'a self, rows: &'a Rows<'p>) -> impl Iterator<Item = ListRow<'a, 'p>> {
        (0..self.items.len()).map(|position| self.line(position, rows))
    }

    /// Some consecutive lines, all of which are needed.
    pub fn lines_at<'a, 'p>(
        &'a self,
        positions: Range<usize>,
        rows: &'a Rows<'p>,
    ) -> impl Iterator<Item = ListRow<'a, 'p>> {
        rows.prefetch_names(&self.items[positions.clone()]);
        positions.map(|position| self.line(position, rows))
    }

    fn line<'a, 'p>(&'a self, position: usize, rows: &'a Rows<'p>) -> ListRow<'a, 'p> {
        ListRow {
            label: rows.label_of(self.items[position]),
            cost: self.costs.item(position),
            item: self.items[position],
            calls: self.calls.as_ref().map(|calls| calls.item(position)),
            position,
        }
    }

    pub fn is_listed(&self, rows: &Rows<'_>) -> Vec<bool> {
        let mut is_listed = vec![false; rows.len()];
        for item in self.items.iter().filter(|&&item| rows.is_row(item)) {
            is_listed[item.index()] = true;
        }
        is_listed
    }

    pub fn figures(&self) -> impl Iterator<Item = (CostFigure<'_>, Option<Figure<CallCounts>>)> {
        let calls = |position| Some(self.calls.as_ref()?.get(position));
        let positions = 0..self.items.len();
        positions.map(move |position| (self.costs.get(position), calls(position)))
    }

    pub fn has_calls(&self) -> bool {
        self.calls.is_some()
    }

    /// The list with the numbers of calls of its rows, also of those that are nested in a cycle.
    /// They do not decide what is listed.
    pub fn with_calls(self, rows: &Rows<'_>, graphs: &Graphs<'_>, are_lines_counted: bool) -> List {
        let numbers = self.items.iter().map(|item| item.index());
        let of_all = CallCountTable::new(rows, Some(graphs), are_lines_counted);
        List { calls: Some(of_all.select(numbers)), ..self }
    }

    /// Lists rows and cycles that the filter selected, up to where the selection ends the list.
    pub fn new(rows: &Rows<'_>, selection: &Selection, total: &Total, by: ListBy<'_>) -> List {
        let inclusive = match by {
            ListBy::Inclusive(inclusive) => Some(inclusive),
            _ => None,
        };
        let (own, uses) = beside(
            rows.len(),
            || self_costs(rows),
            || match inclusive {
                Some(inclusive) => inclusive.uses.clone(),
                None => uses_of_rows(rows, false),
            },
        );
        let graphs = inclusive.and_then(Inclusive::with_cycles);
        let input = ListInput {
            rows,
            selection,
            total,
            by,
            inclusive,
            uses,
            costs: inclusive.map_or(&own, |inclusive| &inclusive.costs),
            own: &own,
            calls: selection
                .list
                .shows_calls
                .then(|| CallCountTable::new(rows, graphs, selection.list.shows_calls_of_lines)),
        };
        input.list()
    }
}

#[derive(Clone, Copy)]
pub enum ListBy<'c> {
    SelfCost,
    Inclusive(&'c Inclusive<'c>),
    /// The self cost, but only with rows whose self or inclusive cost of any shown event is at
    /// least this percentage of the total, on any side.
    AnyCost {
        costs: &'c Inclusive<'c>,
        min_percent: f64,
        /// Whether the browser that gets the list orders it by inclusive cost.
        is_inclusive: bool,
    },
}

impl ListBy<'_> {
    fn is_inclusive(self) -> bool {
        match self {
            ListBy::SelfCost => false,
            ListBy::Inclusive(_) => true,
            ListBy::AnyCost { is_inclusive, .. } => is_inclusive,
        }
    }
}

/// A number of rows and the sum of their self costs.
pub struct Omission {
    /// The number of rows and cycles. Cycles add no cost, because their members are rows.
    pub rows: usize,
    pub cost: Figure<Cost>,
}

/// What a list leaves out.
pub struct Omitted {
    /// Rows after the end of the list.
    pub more: Omission,
    /// The rows that the filter selected, listed or not; none without a filter.
    pub chosen: Option<Omission>,
    /// Their inclusive cost as one group, in lists for people that have inclusive costs.
    pub inclusive: Option<GroupCost>,
    pub not_chosen: Omission,
    /// What totals of the profile have that no row has, as that of a file that states more than
    /// its lines cost; none if nothing, in a comparison, and where costs are divided.
    pub of_no_row: Option<Cost>,
    /// In a difference: selected rows that are left out because they did not change.
    pub unchanged: Option<Omission>,
    /// Whether the list has inclusive costs, of which the omitted self costs are not part.
    pub are_inclusive: bool,
    /// Whether the list is ordered by calls, so that it may go on where rows have no cost.
    pub are_by_calls: bool,
    /// The limits that options have to raise for the list to have another row.
    pub limits: Vec<RowLimit>,
}

impl Omitted {
    pub fn is_shown(&self) -> bool {
        let unchanged = self.unchanged.as_ref().map_or(0, |omission| omission.rows);
        self.more.rows > 0 || self.chosen.is_some() || unchanged > 0
    }
}

struct ListInput<'c, 'p> {
    rows: &'c Rows<'p>,
    selection: &'c Selection,
    total: &'c Total,
    by: ListBy<'c>,
    /// Set if rows are listed by inclusive cost.
    inclusive: Option<&'c Inclusive<'c>>,
    /// The uses of rows; with inclusive costs, followed by those of all cycles.
    uses: Vec<Use>,
    /// The costs of all rows, followed by those of all cycles.
    costs: &'c FigureTable,
    /// The self costs of rows.
    own: &'c FigureTable,
    calls: Option<CallCountTable>,
}

impl ListInput<'_, '_> {
    fn list(self) -> List {
        let rows = self.rows;
        let mut candidates = self.candidates();
        let mut extent = Extent::new(self.costs.tables.value.width());
        let costs = candidates.iter().map(|&(_, item)| self.cost(item));
        costs.for_each(|cost| extent.include(cost));
        let (items, end) = self.listed(&mut candidates);
        drop(candidates);
        let numbers = items.iter().map(|item| item.index());
        let calls = |calls: &CallCountTable| calls.select(numbers.clone());
        let mark = |&item: &RowId| rows.mark(item).or(self.costs.get(item.index()).mark());
        let marks = items.iter().map(mark);
        List {
            costs: self.costs.select(numbers.clone()).with_marks(marks),
            calls: self.calls.as_ref().map(calls),
            extent,
            is_inclusive: self.by.is_inclusive(),
            omitted: self.omitted(&items, end),
            items,
        }
    }

    /// All used rows and cycles.
    fn items(&self) -> impl Iterator<Item = RowId> {
        let items = (0..).map(RowId).zip(&self.uses);
        items.filter_map(|(item, of_item)| (*of_item != Use::None).then_some(item))
    }

    fn of_no_row(&self) -> Option<Cost> {
        let profile = self.rows.profile;
        let is_exact = self.selection.compared.is_none() && !profile.is_part();
        let mut rest = is_exact.then(|| self.total.figure.value.clone())?;
        let ratios = profile.events().ratios();
        ratios.into_iter().for_each(|ratio| rest[ratio] = Count::UNDEFINED);
        for item in self.items().filter(|&item| self.rows.is_row(item)) {
            for (left, count) in rest.iter_mut().zip(self.own.tables.value.get(item.index())) {
                if let Some(known) = left.value() {
                    *left = Count::new(known.saturating_sub(count.or_zero()));
                }
            }
        }
        rest.iter().any(|count| count.or_zero() > 0).then_some(rest)
    }

    /// The rows and cycles that may be listed, each with its first sort key.
    fn candidates(&self) -> Vec<Ranked> {
        let selection = self.selection;
        let first = selection.order.first().copied().unwrap_or(0);
        let mut candidates = Vec::with_capacity(self.rows.len());
        for item in self.items() {
            let is_candidate = (selection.compared.is_none() || self.is_changed(item))
                && self.is_chosen(item)
                && self.may_be_listed(item);
            if is_candidate {
                let key = match selection.by_calls {
                    Some(_) => selection.calls_key(self.sort_calls(item)),
                    None => selection.sort_key(self.cost(item)[first], first),
                };
                candidates.push((key, item));
            }
        }
        candidates
    }

    /// The number of calls of an item by which rows are sorted, if they are.
    fn sort_calls(&self, item: RowId) -> Count {
        let Some((of, calls)) = self.selection.by_calls.as_ref().zip(self.calls.as_ref()) else {
            return Count::UNDEFINED;
        };
        let calls = calls.get(item.index()).value;
        if of.key == CallKey::Recursive { calls.recursive } else { calls.by_others }
    }

    /// The cost of a call of an item, which its column shows; of a difference the size of its
    /// change, where a side without the item has 0.
    fn per_call(&self, item: RowId) -> Option<f64> {
        let divisor = match self.inclusive {
            Some(_) => CallDivisor::OutermostCalls,
            None => CallDivisor::AllCalls,
        };
        let event = *self.selection.order.first()?;
        let (calls, cost) =
            (self.calls.as_ref()?.item(item.index()), self.costs.item(item.index()));
        if !self.selection.is_difference {
            return calls.value.per_call(cost.value[event], divisor);
        }
        let of_side = |side| calls.on(side)?.per_call(cost.on(side)?[event], divisor);
        let [base, new] = [BASE, NEW].map(of_side);
        (base.is_some() || new.is_some()).then(|| (new.unwrap_or(0.0) - base.unwrap_or(0.0)).abs())
    }

    #[inline]
    fn cost(&self, item: RowId) -> &[Count] {
        self.costs.tables.value.get(item.index())
    }

    fn is_chosen(&self, item: RowId) -> bool {
        let Some(number) = self.rows.whole_cycle(item) else {
            return self.rows.is_selected(item);
        };
        let inclusive = self.inclusive;
        inclusive.is_some_and(|inclusive| inclusive.is_selected[number as usize - 1])
    }

    /// Whether a row may be listed; otherwise it is only counted as omitted.
    #[inline]
    fn may_be_listed(&self, item: RowId) -> bool {
        let has_costs = self.inclusive.is_some() || self.uses[item.index()] == Use::HasCosts;
        let lists_called = || self.selection.list.lists_called || self.rows.is_filtered;
        let is_large = || match self.by {
            ListBy::AnyCost { costs: inclusive, min_percent, .. } => {
                let own = self.own.item(item.index());
                let mut costs = [Some(own), inclusive.item(item)].into_iter().flatten();
                costs.any(|cost| self.is_large(cost, min_percent))
            }
            _ => true,
        };
        (has_costs || lists_called()) && is_large()
    }

    /// Whether a cost of any shown event is at least a percentage of the total, on any side.
    fn is_large(&self, costs: ItemCost<'_>, min_percent: f64) -> bool {
        let totals = &self.total.sides;
        let ratios = self.rows.profile.events().ratios();
        // A profile without any cost, such as one without samples, still has calls.
        let is_without_cost = totals.iter().flatten().all(|total| total.or_zero() == 0);
        let mut sides =
            totals.iter().enumerate().filter_map(|(side, total)| Some((costs.on(side)?, total)));
        is_without_cost
            || sides
                .any(|(cost, total)| self.selection.has_share(cost, total, min_percent, &ratios))
    }

    fn is_changed(&self, item: RowId) -> bool {
        let calls = self.calls.as_ref().map(|calls| calls.get(item.index()));
        self.selection.shows(self.cost(item))
            || calls.is_some_and(|calls| calls.value.is_any())
            || self.calls.as_ref().is_some_and(|calls| calls.has_changed_before(item.index()))
            || self.rows.is_changed(item)
            || self.rows.is_requested(item)
    }

    fn omitted(&self, listed: &[RowId], end: ListEnd) -> Option<Omitted> {
        let costs = self.own;
        self.selection.list.shows_omitted.then_some(())?;
        let mut is_listed = vec![false; self.uses.len()];
        listed.iter().for_each(|item| is_listed[item.index()] = true);
        // A difference does not count a row that is only called, unless it shows numbers of calls.
        let is_compared = self.selection.compared.is_some();
        let omission = |is_in: &dyn Fn(RowId) -> bool| {
            let mut cost = Figure::undefined(costs.tables.value.width(), costs.is_difference());
            let mut rows = 0;
            let may_be_in = |item| !is_compared || self.may_be_listed(item);
            for item in self.items().filter(|&item| may_be_in(item) && is_in(item)) {
                rows += 1;
                if self.rows.is_row(item) {
                    cost.add(costs.get(item.index()));
                }
            }
            Omission { rows, cost }
        };
        let is_unchanged = |item| self.is_chosen(item) && !self.is_changed(item);
        let is_more = |item: RowId| !is_listed[item.index()] && self.is_chosen(item);
        let is_difference = costs.is_difference();
        Some(Omitted {
            more: omission(&|item| is_more(item) && self.is_changed(item)),
            chosen: self.rows.is_filtered.then(|| omission(&|item| self.is_chosen(item))),
            inclusive: None,
            not_chosen: omission(&|item| !self.is_chosen(item)),
            of_no_row: self.of_no_row(),
            unchanged: is_difference.then(|| omission(&is_unchanged)),
            are_inclusive: self.inclusive.is_some(),
            are_by_calls: self.selection.by_calls.is_some(),
            limits: self.selection.limits_to_raise(end),
        })
    }

    /// The listed items, and what ended the list before the others.
    fn listed(&self, candidates: &mut [Ranked]) -> (Vec<RowId>, ListEnd) {
        let selection = self.selection;
        let count_of = |item| self.sort_calls(item);
        let mut cut_off = CutOff {
            input: self,
            reached: vec![0; selection.order.len()],
            references: self.references(candidates),
            calls: 0,
            all_calls: match selection.by_calls {
                Some(_) => (candidates.iter().map(|&(_, item)| size(count_of(item)))).sum(),
                None => 0,
            },
        };
        // Only listed rows are fully sorted: of many thousand rows, most are small and have equal
        // counts. Rows are sorted by the first event, then those with equal counts by everything
        // else.
        sort_by(candidates, |a, b| b.0.cmp(&a.0));
        let files = file_ranks(self.rows.profile);
        let mut items: Vec<RowId> = Vec::new();
        let mut end = ListEnd::default();
        let mut rest = &*candidates;
        'list: while !rest.is_empty() {
            // As many rows as are listed so far, as most lists end early.
            let count = items.len().clamp(MIN_SORTED, MAX_SORTED);
            let (next, after) = split_runs(rest, count);
            rest = after;
            let (first, second) = split_runs(next, next.len().div_ceil(2));
            let sorted = |rows| self.sorted(rows, files.as_deref());
            let (first, second) = beside(next.len(), || sorted(first), || sorted(second));
            for (_, _, item) in first.into_iter().chain(second) {
                let (calls, cost) = (count_of(item), self.cost(item));
                end = cut_off.end_before(items.len(), cost, calls);
                if end.is_any() {
                    break 'list;
                }
                cut_off.add(cost, calls);
                items.push(item);
            }
        }
        if selection.is_by_quotient() {
            if let Some(ratio) = selection.by_ratio {
                let rank = |item: RowId| selection.sort_key(self.cost(item)[ratio], ratio);
                items.sort_by_cached_key(|&item| Reverse(rank(item)));
            } else {
                let mut ranked: Vec<_> = items
                    .into_iter()
                    .map(|item| (self.per_call(item).unwrap_or(-1.0), item))
                    .collect();
                ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
                items = ranked.into_iter().map(|(_, item)| item).collect();
            }
            let top = selection.list.top.unwrap_or(usize::MAX);
            // Rows with less of the divisor may come first.
            end = match items.len().cmp(&top) {
                Ordering::Greater => ListEnd { top: true, ..ListEnd::default() },
                Ordering::Equal => ListEnd { top: end.is_any(), ..end },
                Ordering::Less => end,
            };
            items.truncate(top);
        }
        (items, end)
    }

    /// Rows that are sorted by the first event, sorted by everything, each after the rank of its
    /// file and the first bytes of its name: most rows differ in these, and comparing them touches
    /// little memory. `files` are the ranks of files, if they can be compared by rank.
    fn sorted(&self, ranked: &[Ranked], files: Option<&[u32]>) -> Vec<(u32, u64, RowId)> {
        let selection = self.selection;
        // A difference is ordered by the first key and the name only.
        let has_more =
            (selection.order.len() > 1 || selection.by_calls.is_some()) && !selection.is_difference;
        let by_cost = |a: RowId, b: RowId| {
            if has_more {
                selection.cmp_descending(self.cost(a), self.cost(b))
            } else {
                Ordering::Equal
            }
        };
        let keyed = |item: RowId| match files {
            Some(files) if self.rows.is_row(item) => {
                let file = self.rows.file(item).map_or(0, |file| files[file.index()]);
                (file, first_bytes(self.rows.symbol(item)), item)
            }
            _ => (0, 0, item),
        };
        let mut items: Vec<_> = ranked.iter().map(|&(_, item)| keyed(item)).collect();
        let mut unsorted = &mut items[..];
        for equal in ranked.chunk_by(|a, b| a.0 == b.0) {
            let equal = unsorted.split_off_mut(..equal.len()).unwrap_or_default();
            equal.sort_unstable_by(|&(file_a, name_a, a), &(file_b, name_b, b)| {
                let by_key = by_cost(a, b).then((file_a, name_a).cmp(&(file_b, name_b)));
                by_key.then_with(|| self.rows.cmp_items(a, b))
            });
        }
        items
    }

    /// The cost that is 100% for the thresholds: the total, or the sum of the rows that a filter
    /// selects; for differences and negative counts the sum of absolute values, or for inclusive
    /// ones, which do not add up, the largest.
    fn references(&self, candidates: &[Ranked]) -> Vec<i128> {
        let whole = |&event: &usize| {
            let counts = candidates
                .iter()
                .map(|&(_, item)| self.cost(item)[event])
                .map(|count| i128::from(count.or_zero()));
            match (self.selection.is_by_size(event), self.inclusive.is_some()) {
                (false, false) if self.rows.is_filtered => counts.sum(),
                (false, _) => i128::from(self.total.figure.value[event].or_zero()),
                (true, false) => counts.map(i128::abs).sum(),
                (true, true) => counts.map(i128::abs).max().unwrap_or(0),
            }
        };
        self.selection.order.iter().map(whole).collect()
    }
}

/// By file its rank (from 1) in the order of the texts `file:name`; none if a file's name is
/// another file's followed by a colon, because then the rest of the text decides.
fn file_ranks(profile: &Profile) -> Option<Vec<u32>> {
    let mut files: Vec<_> = profile.files().map(|file| [file, b":"].concat()).zip(0..).collect();
    files.sort_unstable();
    let mut pairs = files.windows(2);
    if pairs.any(|pair| pair[1].0.starts_with(&pair[0].0)) {
        return None;
    }
    let mut ranks = vec![0; files.len()];
    (1..).zip(files).for_each(|(rank, (_, file))| ranks[file as usize] = rank);
    Some(ranks)
}

/// The first eight bytes of a name, as a number of the same order.
pub(crate) fn first_bytes(name: &[u8]) -> u64 {
    if let Some(first) = name.first_chunk() {
        return u64::from_be_bytes(*first);
    }
    let bytes = (0..8).map(|at| name.get(at).copied().unwrap_or(0));
    bytes.fold(0, |number, byte| number << 8 | u64::from(byte))
}

/// Splits sorted rows after about `count` of them, between two with different first sort keys.
fn split_runs(rows: &[Ranked], count: usize) -> (&[Ranked], &[Ranked]) {
    let last = rows[count.min(rows.len()) - 1].0;
    rows.split_at(rows.partition_point(|row| row.0 >= last))
}

/// The minimum number of rows that are sorted at once: their names are far apart in memory, and the
/// processor overlaps loads that are not interleaved with other work.
const MIN_SORTED: usize = 1 << 10;

/// The approximate maximum, so that they take little memory.
const MAX_SORTED: usize = 1 << 14;

/// A first sort key and its item.
type Ranked = (i64, RowId);

struct CutOff<'e> {
    input: &'e ListInput<'e, 'e>,
    /// The sum of the listed costs, by sort event.
    reached: Vec<i128>,
    references: Vec<i128>,
    /// The calls of listed rows and of all rows, if rows are sorted by calls.
    calls: i128,
    all_calls: i128,
}

impl CutOff<'_> {
    /// The limits that end the list before a row with this cost.
    fn end_before(&self, listed: usize, cost: &[Count], calls: Count) -> ListEnd {
        let selection = self.input.selection;
        let top = selection.list.top.filter(|_| !selection.is_by_quotient());
        let first = selection.thresholds.first().zip(selection.order.first());
        let has_nothing = first.is_some_and(|(threshold, &event)| {
            threshold.percent < 100.0 && cost[event].or_zero() == 0
        });
        // All rows together may be less than the stated total, as for system calls: rows with 0 get
        // no closer to it.
        let events =
            selection.is_reached(&self.reached, &self.references) || top.is_some() && has_nothing;
        let percent = |calls: i128| calls as f64 * 100.0 / self.all_calls.max(1) as f64;
        let (threshold, min) = match &selection.by_calls {
            None => {
                let is_kept = selection.list.has_row && listed == 0;
                let total = self.input.total;
                let whole = if selection.list.min_of_change {
                    &total.figure.value
                } else {
                    &total.reference
                };
                let is_below = selection.is_below_min(cost, whole);
                (events, is_below && !is_kept)
            }
            Some(ByCalls { threshold, .. }) => {
                let min = selection.list.min.as_ref().map_or(0.0, |min| min.percent);
                let is_below = min > 0.0 && percent(size(calls)) < min;
                (events && percent(self.calls) >= threshold.percent, is_below)
            }
        };
        ListEnd { top: top.is_some_and(|top| listed >= top), min, threshold }
    }

    fn add(&mut self, cost: &[Count], calls: Count) {
        self.calls += size(calls);
        let selection = self.input.selection;
        for (place, &event) in selection.order.iter().enumerate() {
            let count = i128::from(cost[event].or_zero());
            let count = if selection.is_by_size(event) { count.abs() } else { count };
            // Inclusive costs do not add up: the list ends after the first row below what is left.
            self.reached[place] = match self.input.inclusive {
                Some(_) => self.references[place] - count,
                None => self.reached[place] + count,
            };
        }
    }
}

/// The absolute number of calls.
fn size(calls: Count) -> i128 {
    i128::from(calls.or_zero()).abs()
}
