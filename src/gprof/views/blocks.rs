//! The executions of basic blocks, which programs compiled by old versions of GCC recorded.

use crate::graph::Groups;
use crate::profile::{BasicBlock, Ordered};
use crate::read::gmon::ProgramPlaces;

/// The basic blocks within places, in the order in which they were recorded. Counts of one address
/// are added up.
pub struct BasicBlocks {
    pub list: Vec<BasicBlock>,
    of_place: Groups,
}

impl BasicBlocks {
    pub fn new(recorded: &[BasicBlock], places: &ProgramPlaces) -> BasicBlocks {
        let mut list = Ordered::default();
        let is_known = |block: &&BasicBlock| places.find(block.address).is_some();
        for block in recorded.iter().filter(is_known) {
            let known = list.entry(block.address);
            known.or_insert(BasicBlock { count: 0, ..*block }).count += block.count;
        }
        let list: Vec<BasicBlock> = list.into_values().collect();
        let place = list.iter().map(|block| places.find(block.address));
        let of_place = Groups::new(places.list.len(), place);
        BasicBlocks { list, of_place }
    }

    pub fn of(&self, place: u32) -> impl Iterator<Item = &BasicBlock> {
        let blocks = self.of_place.get(place as usize).iter();
        blocks.map(|&block| &self.list[block as usize])
    }
}
