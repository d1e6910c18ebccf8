//! Places in terms of the profile's lists: the function, file, address and line of a cost, a call
//! or a jump.

use crate::profile::Profile;
use crate::profile::count::Count;
use crate::profile::division::{Division, FileId, FunctionId};
use crate::profile::position::{Position, PositionId};
use crate::profile::records::{Call, Place};

/// A place in terms of the profile's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodePlace {
    pub function: FunctionId,
    /// The address, as in the headers of its object; 0 if only the line is known.
    pub address: u64,
    pub file: FileId,
    /// The source line, 0 if unknown.
    pub line: u32,
    /// The inlined function, if fragments are divided by these.
    pub division: Division,
}

/// A jump in terms of the profile's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeJump {
    pub site: CodePlace,
    pub target: CodePlace,
    pub is_conditional: bool,
}

impl Profile {
    #[inline]
    pub fn position(&self, id: PositionId) -> Position {
        self.positions.get(id)
    }

    /// The addresses of some positions, those of equal positions once: with contexts each
    /// instruction is in many places.
    pub fn addresses(&self, positions: impl Iterator<Item = PositionId>) -> Vec<u64> {
        let addresses = self.addresses_by(positions.map(|position| ((), position)));
        addresses.map(|((), address)| address).collect()
    }

    /// The addresses of positions with keys; most of those that are equal are left out.
    pub fn addresses_by<K: Copy + PartialEq>(
        &self,
        positions: impl Iterator<Item = (K, PositionId)>,
    ) -> impl Iterator<Item = (K, u64)> {
        self.positions.distinct(positions).map(|(key, position)| (key, position.address))
    }

    #[inline]
    pub fn line(&self, place: Place) -> u32 {
        self.position(place.position).line
    }

    /// The function, file, address and line of a place.
    #[inline]
    pub fn code_place(&self, place: Place) -> CodePlace {
        let fragment = self.fragment(place.fragment);
        let position = self.position(place.position);
        CodePlace {
            function: fragment.function,
            address: position.address,
            file: fragment.file,
            line: position.line,
            division: fragment.division,
        }
    }

    /// The target of calls: the address, 0 if unknown, and the line.
    pub fn target(&self, call: Call) -> (u64, u32) {
        match self.position(call.site.position).target {
            PositionId::UNKNOWN => (0, self.function(call.callee).line),
            target => (self.position(target).address, self.position(target).line),
        }
    }

    /// Jumps by their numbers, in order, each with the numbers of times that NEW took and executed
    /// it.
    pub fn jumps_in_order(&self, numbers: &[u32]) -> Vec<(CodeJump, i64, i64)> {
        let mut jumps: Vec<_> = numbers
            .iter()
            .map(|&number| {
                let (jump, counts) = self.jump(number as usize);
                (jump, counts[0].or_zero(), counts[1].or_zero())
            })
            .collect();
        jumps.sort_unstable_by_key(|&(jump, ..)| jump);
        jumps
    }

    /// A jump by its number, and the numbers of times that NEW took and executed it.
    pub fn jump(&self, number: usize) -> (CodeJump, &[Count]) {
        let jump = self.jumps[number];
        let Position { address, line, .. } = self.position(jump.target);
        let of_lists = CodeJump {
            site: self.code_place(jump.site),
            target: CodePlace {
                function: jump.function,
                address,
                file: jump.file,
                line,
                division: Division::None,
            },
            is_conditional: jump.is_conditional,
        };
        (of_lists, self.sides().new.jumps.table.get(number))
    }
}
