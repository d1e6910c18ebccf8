//! Puts rows in order: the dearest first, those that cost the same by name.

use std::cmp::{Ordering, Reverse};

use crate::profile::{Count, FileId, Profile};
use crate::view::halves::on_both;
use crate::view::item_costs::ItemCosts;
use crate::view::{Item, Rows, Selection};

/// How many items are enough for two threads.
const MANY: usize = 4000;

/// For how many items the names are fetched at a time.
const FETCHED: usize = 256;

/// An item with the number that decides its place first.
pub(super) type Ranked = (i64, Item);

/// An item with what the order by name begins with.
type Keyed = ((u32, u64), Item);

/// What is to be put in order, and how.
pub(super) struct Order<'o, 'p> {
    items: &'o [Item],
    costs: ItemCosts<'o>,
    rows: &'o Rows<'p>,
    selection: &'o Selection,
    /// The places of the files.
    files: Vec<FilePlace>,
}

impl<'o, 'p> Order<'o, 'p> {
    pub(super) fn new(
        items: &'o [Item],
        costs: ItemCosts<'o>,
        rows: &'o Rows<'p>,
        selection: &'o Selection,
    ) -> Order<'o, 'p> {
        Order {
            items,
            costs,
            rows,
            selection,
            files: file_places(rows.profile()),
        }
    }

    /// Goes through the items in their order, many at a time, until `take` says no.
    ///
    /// Only what is listed is put in full order: of many thousand rows most are too small, and equal. So
    /// first by the first event alone, then, among those that it leaves equal, by all else.
    pub(super) fn walk(
        &self,
        count_of: &impl Fn(Item) -> Count,
        mut take: impl FnMut(&[Ranked]) -> bool,
    ) {
        let first = self.selection.order.first().copied().unwrap_or(0);
        let by_calls = self.selection.by_calls.is_some();
        let key = |item: Item| match by_calls {
            true => count_of(item),
            false => self.costs.of(item)[first],
        };
        let ranks = self.items.iter();
        let ranks = ranks.map(|&item| (self.selection.rank(key(item)), item));
        let mut order: Vec<Ranked> = ranks.collect();
        let mut rest = &mut order[..];
        while !rest.is_empty() {
            let count = largest_first(rest);
            let (largest, others) = rest.split_at_mut(count);
            largest.sort_unstable_by_key(|&(rank, _)| Reverse(rank));
            self.sort_runs(largest, |a, b| a.0 == b.0, |equal| self.sort_equal(equal));
            if !take(largest) {
                return;
            }
            rest = others;
        }
    }

    /// Puts each run of items in order that are the same so far. Their names lie far apart in memory, so it pays to
    /// wait for them in two threads.
    fn sort_runs<K: Send>(
        &self,
        items: &mut [(K, Item)],
        is_same: impl Fn(&(K, Item), &(K, Item)) -> bool + Sync,
        sort: impl Fn(&mut [(K, Item)]) + Sync,
    ) {
        let sort_each = |items: &mut [(K, Item)]| {
            let (mut at, mut fetched) = (0, 0);
            while at < items.len() {
                if at >= fetched {
                    fetched = items.len().min(at + FETCHED);
                    let next = items[at..fetched].iter();
                    self.rows.fetch(next.map(|&(_, item)| item));
                }
                let end = end_of_run(items, at, &is_same);
                if end - at > 1 {
                    sort(&mut items[at..end]);
                }
                at = end;
            }
        };
        let middle = match items.len() {
            MANY.. => end_of_run(items, items.len() / 2, &is_same),
            few => few,
        };
        if middle < items.len() {
            on_both(items, middle, sort_each);
        } else {
            sort_each(items);
        }
    }

    /// Orders items that are equal in the first event. Most are told apart by their files and the first bytes of
    /// their names.
    fn sort_equal(&self, equal: &mut [Ranked]) {
        let has_more = self.selection.order.len() > 1 || self.selection.by_calls.is_some();
        let by_cost = |a: Item, b: Item| match has_more {
            true => self.selection.falling(self.costs.of(a), self.costs.of(b)),
            false => Ordering::Equal,
        };
        let keyed = equal.iter().map(|&(_, item)| (self.key(item), item));
        let mut keyed: Vec<Keyed> = keyed.collect();
        keyed.sort_unstable_by(|a, b| by_cost(a.1, b.1).then(a.0.cmp(&b.0)));
        self.sort_runs(
            &mut keyed,
            |a, b| a.0 == b.0 && by_cost(a.1, b.1).is_eq(),
            |equal| equal.sort_unstable_by(|a, b| a.1.by_name(b.1, self.rows)),
        );
        for (place, (_, item)) in equal.iter_mut().zip(keyed) {
            place.1 = item;
        }
    }

    /// What the order by name begins with. Cycles come first.
    fn key(&self, item: Item) -> (u32, u64) {
        let Item::Row(row) = item else {
            return (0, 0);
        };
        let Some(file) = self.rows.file(row) else {
            return (0, first_bytes(self.rows.symbol(row)));
        };
        match self.files[file.index()] {
            FilePlace { place, is_shared } if is_shared => (place, 0),
            FilePlace { place, .. } => (place, first_bytes(self.rows.symbol(row))),
        }
    }
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

/// The place of a file among all, by its name and a colon.
#[derive(Clone, Copy, Default)]
struct FilePlace {
    /// From 1.
    place: u32,
    /// Whether several files have this place, since `a` and `a:b` do not tell the order of `a:x` and `a:b:x`.
    is_shared: bool,
}

fn file_places(profile: &Profile) -> Vec<FilePlace> {
    let mut files: Vec<(&[u8], u32)> = profile.files().zip(0..).collect();
    files.sort_unstable_by(|(a, _), (b, _)| before_colon(a, b));
    let mut places = vec![FilePlace::default(); files.len()];
    let goes_on = |(a, _): &(&[u8], u32), (b, _): &(&[u8], u32)| {
        b.strip_prefix(*a)
            .is_some_and(|rest| rest.starts_with(b":"))
    };
    let (mut place, mut rest) = (1, &files[..]);
    while let [first, others @ ..] = rest {
        let others = others
            .iter()
            .take_while(|other| goes_on(first, other))
            .count();
        let (same, behind) = rest.split_at(1 + others);
        for &(_, file) in same {
            let is_shared = others > 0;
            places[FileId(file).index()] = FilePlace { place, is_shared };
        }
        (place, rest) = (place + 1, behind);
    }
    places
}

/// Compares two texts as if a colon stood behind each.
fn before_colon(a: &[u8], b: &[u8]) -> Ordering {
    let common = a.len().min(b.len());
    let rest = |text: &[u8]| text.get(common).copied().unwrap_or(b':');
    // Where both are at a colon, one of them ends: it comes first, as there is nothing behind its colon.
    let by_rest = || rest(a).cmp(&rest(b)).then(a.len().cmp(&b.len()));
    a[..common].cmp(&b[..common]).then_with(by_rest)
}

/// Where the run ends that an item is in.
fn end_of_run<T>(items: &[T], at: usize, is_same: impl Fn(&T, &T) -> bool) -> usize {
    let run = items[at..].iter();
    at + run.take_while(|item| is_same(item, &items[at])).count()
}

/// Brings the items with the largest ranks, some eighth of them, before the others, which may never be needed, and
/// tells how many they are. All of a rank are on one side.
fn largest_first(order: &mut [Ranked]) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::RowId;

    #[test]
    fn the_largest_come_first_and_equal_ones_stay_together() {
        // Each rank from 0 to 99 a hundred times, mixed.
        let mut order: Vec<_> = (0..10_000)
            .map(|i| (i64::from(i * 7919 % 100), Item::Row(RowId(i))))
            .collect();
        let (mut rest, mut least, mut all) = (&mut order[..], i64::MAX, 0);
        while !rest.is_empty() {
            let count = largest_first(rest);
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
        let names: [&[u8]; 9] = [
            b"a", b"a:b", b"a.c", b"a:b:c", b"ab", b"b", b"", b"a:", b"A",
        ];
        let mut profile = Profile::default();
        for name in names {
            profile.add_file(name).unwrap();
        }
        let places = file_places(&profile);
        for (a, place_a) in names.iter().zip(&places) {
            for (b, place_b) in names.iter().zip(&places) {
                let label = |file: &[u8]| [file, b":"].concat();
                if place_a.place != place_b.place {
                    let expected = label(a).cmp(&label(b));
                    assert_eq!(place_a.place.cmp(&place_b.place), expected);
                } else if a != b {
                    assert!(place_a.is_shared && place_b.is_shared);
                }
                if label(b).starts_with(&label(a)) {
                    assert_eq!(place_a.place, place_b.place);
                }
            }
        }
    }
}
