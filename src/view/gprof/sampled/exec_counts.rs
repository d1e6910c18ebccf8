//! How often each function was called and each basic block executed, in the order of the sources.

use std::cmp::Ordering;

use hashbrown::HashMap;

use crate::graph::Groups;
use crate::profile::{Block, Overflow};
use crate::view::gprof::sampled::graph::SampledGraph;
use crate::view::gprof::sampled::places::Places;

/// A place and its calls, or a basic block in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceCount {
    /// The number of the place.
    pub place: u32,
    /// Where it begins.
    pub address: u64,
    /// How often it was called from other functions, or executed.
    pub count: u64,
}

impl SampledGraph<'_> {
    /// The calls of all symbols that `selects` takes, by source file, line and address, each followed by the blocks in it.
    /// Those with smaller counts than `least` are left out.
    pub fn exec_counts(
        &self,
        places: &Places,
        blocks: Option<&Blocks>,
        selects: impl Fn(u32) -> bool,
        least: u64,
    ) -> Vec<PlaceCount> {
        let counts = (0..).zip(&self.places).map(|(place, time)| PlaceCount {
            place,
            address: places.list()[place as usize].address,
            count: time.calls,
        });
        let mut counts: Vec<_> = counts.filter(|count| selects(count.place)).collect();
        merge_sort(&mut counts, &|a, b| by_source(places, a.place, b.place));
        // Not before: they change the order of the others where it is inconsistent.
        let with_blocks = counts.iter().flat_map(|count| {
            let blocks = blocks.into_iter().flat_map(|blocks| blocks.of(count.place));
            let blocks = blocks.map(|block| PlaceCount {
                place: count.place,
                address: block.address,
                count: block.count,
            });
            std::iter::once(*count).chain(blocks)
        });
        with_blocks.filter(|count| count.count >= least).collect()
    }
}

/// Places of known sources by these, others by address. gprof compares them so too, though this is no consistent order.
fn by_source(places: &Places, a: u32, b: u32) -> Ordering {
    let (a, b) = (a as usize, b as usize);
    let (of_a, of_b) = (&places.list()[a], &places.list()[b]);
    let by_line = match (places.file(a), places.file(b)) {
        (Some(a), Some(b)) => a.cmp(b).then(of_a.line.cmp(&of_b.line)),
        _ => Ordering::Equal,
    };
    by_line.then(of_a.address.cmp(&of_b.address))
}

/// Sorts as the C library does, by halves of which the first is the shorter one: where the order is inconsistent, the
/// result depends on it. The standard library's sort may panic then.
fn merge_sort<T: Copy>(list: &mut [T], compare: &impl Fn(&T, &T) -> Ordering) {
    if list.len() < 2 {
        return;
    }
    let half = list.len() / 2;
    merge_sort(&mut list[..half], compare);
    merge_sort(&mut list[half..], compare);
    let first = list[..half].to_vec();
    let (mut left, mut right, mut to) = (0, half, 0);
    while left < first.len() && right < list.len() {
        if compare(&first[left], &list[right]).is_le() {
            list[to] = first[left];
            left += 1;
        } else {
            list[to] = list[right];
            right += 1;
        }
        to += 1;
    }
    list[to..to + first.len() - left].copy_from_slice(&first[left..]);
}

/// The basic blocks that are in any place, in the order in which they were recorded; those of one address added up.
#[derive(Debug)]
pub struct Blocks {
    list: Vec<Block>,
    of_place: Groups,
}

impl Blocks {
    /// Adds up recorded blocks.
    pub fn new(recorded: &[Block], places: &Places) -> Result<Blocks, Overflow> {
        let mut list: Vec<Block> = Vec::new();
        let mut index = HashMap::new();
        let is_known = |block: &&Block| places.find(block.address).is_some();
        for block in recorded.iter().filter(is_known) {
            match index.entry(block.address) {
                hashbrown::hash_map::Entry::Vacant(entry) => {
                    entry.insert(list.len());
                    list.push(*block);
                }
                hashbrown::hash_map::Entry::Occupied(entry) => {
                    let sum: &mut u64 = &mut list[*entry.get()].count;
                    *sum = sum.checked_add(block.count).ok_or(Overflow)?;
                }
            }
        }
        let place = list.iter().map(|block| places.find(block.address));
        let of_place = Groups::new(places.list().len(), place);
        Ok(Blocks { list, of_place })
    }

    /// All blocks.
    pub fn list(&self) -> &[Block] {
        &self.list
    }

    /// The blocks in a place.
    pub fn of(&self, place: u32) -> impl Iterator<Item = &Block> {
        let blocks = self.of_place.get(place as usize).iter();
        blocks.map(|&block| &self.list[block as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts() {
        for size in 0..40u64 {
            let mut list: Vec<u64> = (0..size).map(|n| n * 7919 % 31).collect();
            let mut expected = list.clone();
            expected.sort_unstable();
            merge_sort(&mut list, &Ord::cmp);
            assert_eq!(list, expected);
        }
    }
}
