//! How often each function was called and each basic block executed, in the order of the sources.

use std::cmp::Ordering;

use hashbrown::HashMap;

use super::places::Places;
use crate::graph::Groups;
use crate::profile::{Block, Overflow};
use crate::view::gprof::ExecCount;
use crate::view::gprof::graph::Graph;

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
            let number = *index.entry(block.address).or_insert_with(|| {
                list.push(Block { count: 0, ..*block });
                list.len() - 1
            });
            let sum = list[number].count.checked_add(block.count);
            let sum = sum.filter(|&sum| i64::try_from(sum).is_ok());
            list[number].count = sum.ok_or(Overflow)?;
        }
        let place = list.iter().map(|block| places.find(block.address));
        let of_place = Groups::new(places.list().len(), place);
        Ok(Blocks { list, of_place })
    }

    pub fn list(&self) -> &[Block] {
        &self.list
    }

    pub fn of(&self, place: u32) -> impl Iterator<Item = &Block> {
        let blocks = self.of_place.get(place as usize).iter();
        blocks.map(|&block| &self.list[block as usize])
    }
}

/// The calls of all places that `selects` takes, by source file, line and address, each followed by the blocks in it.
/// Those with smaller counts than `least` are left out.
pub fn place_counts(
    graph: &Graph<'_, f64>,
    places: &Places,
    blocks: Option<&Blocks>,
    selects: impl Fn(u32) -> bool,
    least: u64,
) -> Vec<ExecCount> {
    let count = |place: u32, address: u64, count: i64| ExecCount {
        function: place,
        count,
        address: Some(address),
        line: None,
    };
    let mut selected: Vec<u32> = (0..places.list().len() as u32)
        .filter(|&at| selects(at))
        .collect();
    merge_sort(&mut selected, &|&a, &b| by_source(places, a, b));
    // Not before: they change the order of the others where it is inconsistent.
    let with_blocks = selected.into_iter().flat_map(|place| {
        let address = places.list()[place as usize].address;
        let blocks = blocks.into_iter().flat_map(move |blocks| blocks.of(place));
        let blocks =
            blocks.map(move |block| count(place, block.address, block.count.cast_signed()));
        let calls = count(place, address, graph.nodes[place as usize].calls);
        std::iter::once(calls).chain(blocks)
    });
    with_blocks
        .filter(|count| count.count.unsigned_abs() >= least)
        .collect()
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
