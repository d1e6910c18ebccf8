//! What tells fragments of one function in one file apart: most reports need nothing finer.

use super::NameId;

/// The part of a fragment: of which inlined function it is the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Division(u32);

impl Division {
    /// All that is not of another division.
    pub const NONE: Division = Division(0);

    /// The code that was inlined from the function of this name.
    pub fn of_inlined(name: NameId) -> Division {
        Division(name.0.saturating_add(1))
    }

    /// The name of the inlined function, if this is one's code.
    pub fn inlined(self) -> Option<NameId> {
        self.0.checked_sub(1).map(NameId)
    }

    pub(super) fn spread(self) -> u64 {
        u64::from(self.0) << 16
    }
}
