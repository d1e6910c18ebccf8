//! The executions of basic blocks, which programs compiled by old versions of GCC recorded.

use crate::graph::Groups;
use crate::profile::{Block, Ordered};
use crate::read::gmon::ProgramPlaces;

/// The basic blocks within places, in the order in which they were recorded. Counts of one address are added up.
pub struct Blocks {
    pub list: Vec<Block>,
    of_place: Groups,
}

impl Blocks {
    pub fn new(recorded: &[Block], places: &ProgramPlaces) -> Blocks {
        let mut list = Ordered::default();
        let is_known = |block: &&Block| places.find(block.address).is_some();
        for block in recorded.iter().filter(is_known) {
            let known = list.entry(block.address);
            known.or_insert(Block { count: 0, ..*block }).count += block.count;
        }
        let list: Vec<Block> = list.into_values().collect();
        let place = list.iter().map(|block| places.find(block.address));
        let of_place = Groups::new(places.list.len(), place);
        Blocks { list, of_place }
    }

    pub fn of(&self, place: u32) -> impl Iterator<Item = &Block> {
        let blocks = self.of_place.get(place as usize).iter();
        blocks.map(|&block| &self.list[block as usize])
    }
}
