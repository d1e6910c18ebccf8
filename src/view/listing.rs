//! The order of a list and its end: the most expensive first, up to the thresholds, `--top` and `--min`.

use std::cmp::{Ordering, Reverse};

use crate::profile::{CostTable, Count, FileId, Profile};
use crate::view::figure::{Extent, FigureTable, Total};
use crate::view::label::Item;
use crate::view::list::{CallCountTable, CallCounts, Fate, List, Omitted};
use crate::view::rows::Rows;
use crate::view::selection::Selection;

pub(super) struct ListInput<'c> {
    pub(super) items: Vec<Item>,
    /// Of all rows, and then of all cycles.
    pub(super) costs: &'c FigureTable,
    pub(super) is_selected: &'c dyn Fn(Item) -> bool,
    /// Whether it can be listed; otherwise it is only counted among what is left out.
    pub(super) is_listed: &'c dyn Fn(Item) -> bool,
    /// What rows cost themselves, if what is left out is shown.
    pub(super) self_costs: Option<&'c FigureTable>,
    /// How often rows were called, if requested.
    pub(super) calls: Option<&'c CallCountTable>,
    pub(super) are_inclusive: bool,
}

impl ListInput<'_> {
    /// Puts what the filter chose in order, and ends where the selection says.
    pub(super) fn list(self, rows: &Rows<'_>, selection: &Selection, total: &Total) -> List {
        let is_compared = selection.compared.is_some();
        let mut candidates = self.items.clone();
        candidates.retain(|&item| {
            (!is_compared || self.is_changed(item, rows, selection))
                && self.is_chosen(item, rows)
                && (self.is_listed)(item)
        });
        let items = self.listed(&candidates, rows, selection, total);
        let numbers = items.iter().map(|&item| rows.number(item));
        let calls_of = |calls: &CallCountTable| numbers.clone().map(|at| calls.get(at)).collect();
        let marks = items.iter().map(|&item| match item {
            Item::Row(row) => rows.mark(row),
            Item::Cycle(_) => self.costs.get(rows.number(item)).mark(),
        });
        let mut list = List {
            costs: self.costs.select(numbers.clone()).with_marks(marks),
            calls: self.calls.map(calls_of),
            extent: Extent::new(self.costs.values().width()),
            is_inclusive: self.are_inclusive,
            omitted: self.omitted(&items, rows, selection),
            items,
        };
        if is_compared {
            for at in 0..list.items.len() {
                list.extent.include_figure(list.costs.get(at));
            }
        } else {
            let costs = candidates.iter().map(|&item| self.cost(item, rows));
            costs.for_each(|cost| list.extent.include(cost));
        }
        list
    }

    fn cost(&self, item: Item, rows: &Rows<'_>) -> &[Count] {
        self.costs.values().get(rows.number(item))
    }

    fn is_chosen(&self, item: Item, rows: &Rows<'_>) -> bool {
        !rows.is_filtered() || (self.is_selected)(item)
    }

    /// Whether a row of a difference shows any.
    fn is_changed(&self, item: Item, rows: &Rows<'_>, selection: &Selection) -> bool {
        let has_calls = || {
            let calls = self.calls.map(|calls| calls.get(rows.number(item)).value);
            calls.is_some_and(CallCounts::is_any)
        };
        selection.shows(self.cost(item, rows)) || has_calls() || rows.is_changed(item)
    }

    /// What is not among the listed items, if that is shown.
    fn omitted(&self, listed: &[Item], rows: &Rows<'_>, selection: &Selection) -> Option<Omitted> {
        let costs = self.self_costs.filter(|_| selection.shows_omitted)?;
        let fate = |item| match self.is_chosen(item, rows) {
            false => Fate::NotChosen,
            true if self.is_changed(item, rows, selection) => Fate::Candidate,
            true => Fate::Unchanged,
        };
        // A difference says nothing of a row that is only called, unless it shows numbers of calls.
        let is_compared = selection.compared.is_some();
        let items = self.items.iter().copied();
        let items = items.filter(|&item| !is_compared || (self.is_listed)(item));
        let all = items.map(|item| (item, fate(item)));
        Some(Omitted::new(all, listed, rows, costs, self.are_inclusive))
    }

    fn listed(
        &self,
        candidates: &[Item],
        rows: &Rows<'_>,
        selection: &Selection,
        total: &Total,
    ) -> Vec<Item> {
        let calls = self.calls.filter(|_| selection.by_calls.is_some());
        let count_of = |item| {
            calls.map_or(Count::UNDEFINED, |calls| {
                calls.get(rows.number(item)).value.by_others
            })
        };
        let mut end = End {
            selection,
            total,
            reached: vec![0; selection.order.len()],
            wholes: wholes(
                candidates.iter().map(|&item| self.cost(item, rows)),
                selection,
                total,
                self.are_inclusive,
                rows.is_filtered(),
            ),
            are_inclusive: self.are_inclusive,
            calls: 0,
            all_calls: candidates.iter().map(|&item| size(count_of(item))).sum(),
        };
        let mut items: Vec<Item> = Vec::new();
        let order = Order::new(candidates, self.costs.values(), rows, selection);
        order.walk(&count_of, |next| {
            for &(_, item) in next {
                let (calls, cost) = (count_of(item), self.cost(item, rows));
                if end.is_reached(items.len(), cost, calls) {
                    return false;
                }
                end.take(cost, calls);
                items.push(item);
            }
            true
        });
        if let Some(ratio) = selection.by_ratio {
            let rank = |item: Item| selection.rank(self.cost(item, rows)[ratio]);
            items.sort_by_cached_key(|&item| Reverse(rank(item)));
            items.truncate(selection.top.unwrap_or(usize::MAX));
        }
        items
    }
}

struct End<'e> {
    selection: &'e Selection,
    total: &'e Total,
    /// What was listed, by the events of the order.
    reached: Vec<i128>,
    wholes: Vec<i128>,
    are_inclusive: bool,
    /// How many calls of rows were listed, if these decide the order, and how many there are.
    calls: i128,
    all_calls: i128,
}

impl End<'_> {
    /// Whether the list ends before a row.
    fn is_reached(&self, listed: usize, cost: &[Count], calls: Count) -> bool {
        let selection = self.selection;
        let top = selection.top.filter(|_| selection.by_ratio.is_none());
        if top.is_some_and(|top| listed >= top) {
            return true;
        }
        let events = selection.is_reached(&self.reached, &self.wholes);
        let percent = |calls: i128| calls as f64 * 100.0 / self.all_calls.max(1) as f64;
        match &selection.by_calls {
            None => events || selection.is_below_min(cost, self.total.reference()),
            Some(threshold) => {
                let min = selection.min.as_ref().map_or(0.0, |min| min.percent);
                let is_below = min > 0.0 && percent(size(calls)) < min;
                is_below || events && percent(self.calls) >= threshold.percent
            }
        }
    }

    /// Takes in a row that is listed.
    fn take(&mut self, cost: &[Count], calls: Count) {
        self.calls += size(calls);
        let of_events = self.reached.iter_mut().zip(&self.selection.order);
        for ((reached, &event), whole) in of_events.zip(&self.wholes) {
            let count = i128::from(cost[event].or_zero());
            let count = if self.selection.compared.is_some() {
                count.abs()
            } else {
                count
            };
            // Inclusive costs do not add up: the list ends after the first row below what is left.
            *reached = if self.are_inclusive {
                whole - count
            } else {
                *reached + count
            };
        }
    }
}

/// How many calls, whatever the sign of a difference.
fn size(calls: Count) -> i128 {
    i128::from(calls.or_zero()).abs()
}

/// What 100% are for the thresholds: the total, or what a filter leaves of it; of differences the sum of their
/// sizes, and of inclusive ones, which do not add up, the largest.
fn wholes<'c>(
    costs: impl Iterator<Item = &'c [Count]> + Clone,
    selection: &Selection,
    total: &Total,
    are_inclusive: bool,
    is_filtered: bool,
) -> Vec<i128> {
    let whole = |&event: &usize| {
        let counts = costs.clone();
        let counts = counts.map(|cost| i128::from(cost[event].or_zero()));
        match (selection.compared.is_some(), are_inclusive) {
            (false, false) if is_filtered => counts.sum(),
            (false, _) => i128::from(total.figure.value[event].or_zero()),
            (true, false) => counts.map(i128::abs).sum(),
            (true, true) => counts.map(i128::abs).max().unwrap_or(0),
        }
    };
    selection.order.iter().map(whole).collect()
}

/// An item with the number that decides its place first.
type Ranked = (i64, Item);

/// An item with the start of its place in the order by name.
type Keyed = ((u32, u64), Item);

/// What is to be put in order, and how.
struct Order<'o, 'p> {
    items: &'o [Item],
    costs: &'o CostTable,
    rows: &'o Rows<'p>,
    selection: &'o Selection,
    /// The ranks of the files by name.
    files: Vec<FileRank>,
}

impl<'o, 'p> Order<'o, 'p> {
    fn new(
        items: &'o [Item],
        costs: &'o CostTable,
        rows: &'o Rows<'p>,
        selection: &'o Selection,
    ) -> Order<'o, 'p> {
        Order {
            items,
            costs,
            rows,
            selection,
            files: file_ranks(rows.profile()),
        }
    }

    #[inline]
    fn cost(&self, item: Item) -> &'o [Count] {
        self.costs.get(self.rows.number(item))
    }

    /// Goes through the items in their order, many at a time, until `take` says no.
    ///
    /// Only what is listed is put in full order: of many thousand rows most are too small, and equal. So
    /// first by the first event alone, then, among those that it leaves equal, by all else.
    fn walk(&self, count_of: &impl Fn(Item) -> Count, mut take: impl FnMut(&[Ranked]) -> bool) {
        let first = self.selection.order.first().copied().unwrap_or(0);
        let by_calls = self.selection.by_calls.is_some();
        let key = |item: Item| match by_calls {
            true => count_of(item),
            false => self.cost(item)[first],
        };
        let ranks = self.items.iter();
        let ranks = ranks.map(|&item| (self.selection.rank(key(item)), item));
        let mut order: Vec<Ranked> = ranks.collect();
        let mut rest = &mut order[..];
        while !rest.is_empty() {
            let count = split_top(rest);
            let (largest, others) = rest.split_at_mut(count);
            largest.sort_unstable_by_key(|&(rank, _)| Reverse(rank));
            let equal = largest.chunk_by_mut(|a, b| a.0 == b.0);
            let several = equal.filter(|equal| equal.len() > 1);
            several.for_each(|equal| self.sort_equal(equal));
            if !take(largest) {
                return;
            }
            rest = others;
        }
    }

    /// Orders items that are equal in what decides first. Most differ in their files and the first bytes of their names.
    fn sort_equal(&self, equal: &mut [Ranked]) {
        // The first key decides the order of a difference, and the name.
        let has_more = self.selection.order.len() > 1 || self.selection.by_calls.is_some();
        let has_more = has_more && self.selection.compared.is_none();
        let by_cost = |a: Item, b: Item| match has_more {
            true => self.selection.falling(self.cost(a), self.cost(b)),
            false => Ordering::Equal,
        };
        let keyed = equal.iter().map(|&(_, item)| (self.key(item), item));
        let mut keyed: Vec<Keyed> = keyed.collect();
        keyed.sort_unstable_by(|&(key_a, a), &(key_b, b)| {
            let by_key = by_cost(a, b).then(key_a.cmp(&key_b));
            by_key.then_with(|| self.rows.cmp_items(a, b))
        });
        for (place, (_, item)) in equal.iter_mut().zip(keyed) {
            place.1 = item;
        }
    }

    /// The start of the order by name. Cycles come first.
    fn key(&self, item: Item) -> (u32, u64) {
        let Item::Row(row) = item else {
            return (0, 0);
        };
        let Some(file) = self.rows.file(row) else {
            return (0, first_bytes(self.rows.symbol(row)));
        };
        match self.files[file.index()] {
            FileRank { rank, is_shared } if is_shared => (rank, 0),
            FileRank { rank, .. } => (rank, first_bytes(self.rows.symbol(row))),
        }
    }
}

/// Brings the items with the largest ranks, some eighth of them, before the others, which may never be needed, and
/// returns their number. All of a rank are on one side.
fn split_top(order: &mut [Ranked]) -> usize {
    let eighth = (order.len() / 8).max(1000);
    if eighth >= order.len() {
        return order.len();
    }
    let (_, &mut (least, _), others) =
        order.select_nth_unstable_by_key(eighth - 1, |&(rank, _)| Reverse(rank));
    let mut equal = 0;
    for at in 0..others.len() {
        if others[at].0 == least {
            others.swap(at, equal);
            equal += 1;
        }
    }
    eighth + equal
}

/// The first eight bytes of a name, as a number of the same order.
fn first_bytes(name: &[u8]) -> u64 {
    let first = name.first_chunk().copied().unwrap_or_else(|| {
        let mut short = [0; 8];
        short[..name.len()].copy_from_slice(name);
        short
    });
    u64::from_be_bytes(first)
}

/// The rank of a file among all, by its name and a colon.
#[derive(Clone, Copy, Default)]
struct FileRank {
    /// From 1.
    rank: u32,
    /// Whether several files have this rank, since `a` and `a:b` do not decide the order of `a:x` and `a:b:x`.
    is_shared: bool,
}

fn file_ranks(profile: &Profile) -> Vec<FileRank> {
    let files: Vec<&[u8]> = profile.files().collect();
    ranks(&files)
}

fn ranks(names: &[&[u8]]) -> Vec<FileRank> {
    let mut files: Vec<(&[u8], u32)> = names.iter().copied().zip(0..).collect();
    files.sort_unstable_by(|(a, _), (b, _)| cmp_with_colon(a, b));
    let mut ranks = vec![FileRank::default(); files.len()];
    let continues = |(a, _): &(&[u8], u32), (b, _): &(&[u8], u32)| {
        b.strip_prefix(*a)
            .is_some_and(|rest| rest.starts_with(b":"))
    };
    let (mut rank, mut rest) = (1, &files[..]);
    while let [first, others @ ..] = rest {
        let others = others.iter();
        let others = others.take_while(|other| continues(first, other)).count();
        let (same, after) = rest.split_at(1 + others);
        for &(_, file) in same {
            let is_shared = others > 0;
            ranks[FileId(file).index()] = FileRank { rank, is_shared };
        }
        (rank, rest) = (rank + 1, after);
    }
    ranks
}

/// Compares two texts as if each were followed by a colon.
fn cmp_with_colon(a: &[u8], b: &[u8]) -> Ordering {
    let common = a.len().min(b.len());
    let rest = |text: &[u8]| text.get(common).copied().unwrap_or(b':');
    // Where both are at a colon, one of them ends: it comes first, as nothing follows its colon.
    let by_rest = || rest(a).cmp(&rest(b)).then(a.len().cmp(&b.len()));
    a[..common].cmp(&b[..common]).then_with(by_rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::label::RowId;

    #[test]
    fn the_largest_come_first_and_equal_ones_stay_together() {
        // Each rank from 0 to 99 a hundred times, mixed.
        let ranked = |i| (i64::from(i * 7919 % 100), Item::Row(RowId(i)));
        let mut order: Vec<_> = (0..10_000).map(ranked).collect();
        let (mut rest, mut least, mut all) = (&mut order[..], i64::MAX, 0);
        while !rest.is_empty() {
            let count = split_top(rest);
            let (largest, others) = rest.split_at_mut(count);
            assert_eq!(largest.len() % 100, 0);
            assert!(largest.iter().all(|&(rank, _)| rank < least));
            least = largest.iter().map(|&(rank, _)| rank).min().unwrap();
            all += largest.len();
            rest = others;
        }
        assert_eq!((least, all), (0, 10_000));
    }

    #[test]
    fn files_are_in_the_order_of_their_labels() {
        let names = "a|a:b|a.c|a:b:c|ab|b||a:|A".split('|');
        let names: Vec<&[u8]> = names.map(str::as_bytes).collect();
        let ranks = ranks(&names);
        for (a, rank_a) in names.iter().zip(&ranks) {
            for (b, rank_b) in names.iter().zip(&ranks) {
                let label = |file: &[u8]| [file, b":"].concat();
                if rank_a.rank != rank_b.rank {
                    let expected = label(a).cmp(&label(b));
                    assert_eq!(rank_a.rank.cmp(&rank_b.rank), expected);
                } else if a != b {
                    assert!(rank_a.is_shared && rank_b.is_shared);
                }
                if label(b).starts_with(&label(a)) {
                    assert_eq!(rank_a.rank, rank_b.rank);
                }
            }
        }
    }
}
