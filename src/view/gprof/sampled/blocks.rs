//! How often basic blocks were executed, by the places that contain them.

use hashbrown::HashMap;

use super::Places;
use crate::graph::Groups;
use crate::profile::{Block, Overflow};

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
