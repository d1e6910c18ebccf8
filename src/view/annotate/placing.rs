//! Where the lines of both sides of a difference are shown.

use crate::profile::{Presence, Profile, Sides};
use crate::source::{LineKey, LineMap};

/// Finds the lines at which something is shown.
#[derive(Clone, Copy)]
pub(in crate::view) struct Placing<'m> {
    /// How the texts of both sides are aligned; none if lines of the same number are the same.
    map: Option<&'m LineMap>,
}

impl<'m> Placing<'m> {
    /// That of the lines of a file.
    pub(in crate::view) fn new(profile: &Profile, map: Option<&'m LineMap>) -> Placing<'m> {
        Placing {
            map: map.filter(|_| profile.is_difference()),
        }
    }

    /// The places of a line, each with the sides that are shown there.
    pub(in crate::view) fn of(
        self,
        line: u32,
        on: Presence,
    ) -> impl Iterator<Item = (LineKey, Presence)> {
        let new = LineKey::new_line(line);
        let of_old = match self.map {
            Some(map) => map.of_old(line),
            None => return [Some((new, on)), None].into_iter().flatten(),
        };
        let (mut of_new, mut of_base) = (on, on);
        (of_new.base, of_base.new) = (false, false);
        let places = [
            on.new.then_some((new, of_new)),
            on.base.then_some((of_old, of_base)),
        ];
        places.into_iter().flatten()
    }

    /// The number of a line in BASE's text, if it has the line. Without texts it has it if something is there.
    pub(in crate::view) fn in_base(self, key: LineKey, on: Presence) -> Option<u32> {
        match self.map {
            Some(map) if key != LineKey::default() => map.in_old(key),
            _ => on.base.then_some(key.new),
        }
    }
}

/// The counts of some sides, in place of others `none`.
pub(in crate::view) fn on_sides<T: Copy>(sides: Sides<T>, on: Presence, none: T) -> Sides<T> {
    Sides {
        new: if on.new { sides.new } else { none },
        base: sides.base.map(|base| if on.base { base } else { none }),
    }
}
