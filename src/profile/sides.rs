//! The sides of a profile: NEW, BASE if two profiles are compared, and in a series the profiles
//! before them. A side is an index: 0 is NEW, and each further side is the one before.

use hashbrown::HashMap;

/// The index of the side that a report is about, the last one of a series.
pub const NEW: usize = 0;

/// The index of the side before NEW, if profiles are compared.
pub const BASE: usize = 1;

/// The maximum number of sides.
pub const MAX_SIDES: usize = 2 + u64::BITS as usize;

/// A value for each side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sides<T> {
    pub new: T,
    /// None if NEW is not compared.
    pub base: Option<T>,
    /// In a series the sides before BASE, the latest first.
    pub earlier: Vec<T>,
}

impl<T> Sides<T> {
    /// The values of NEW, and of BASE if there is one.
    pub fn of(new: T, base: Option<T>) -> Sides<T> {
        Sides { new, base, earlier: Vec::new() }
    }

    pub fn as_ref(&self) -> Sides<&T> {
        Sides { new: &self.new, base: self.base.as_ref(), earlier: self.earlier.iter().collect() }
    }

    pub fn as_mut(&mut self) -> Sides<&mut T> {
        Sides {
            new: &mut self.new,
            base: self.base.as_mut(),
            earlier: self.earlier.iter_mut().collect(),
        }
    }

    pub fn map<U>(self, mut of_side: impl FnMut(T) -> U) -> Sides<U> {
        Sides {
            new: of_side(self.new),
            base: self.base.map(&mut of_side),
            earlier: self.earlier.into_iter().map(of_side).collect(),
        }
    }

    pub fn try_map<U, E>(self, mut of_side: impl FnMut(T) -> Result<U, E>) -> Result<Sides<U>, E> {
        Ok(Sides {
            new: of_side(self.new)?,
            base: self.base.map(&mut of_side).transpose()?,
            earlier: self.earlier.into_iter().map(of_side).collect::<Result<_, E>>()?,
        })
    }

    /// Pairs of the values of the same side; a side has one if both have it.
    pub fn zip<U>(self, other: Sides<U>) -> Sides<(T, U)> {
        Sides {
            new: (self.new, other.new),
            base: self.base.zip(other.base),
            earlier: self.earlier.into_iter().zip(other.earlier).collect(),
        }
    }

    pub fn get(&self, side: usize) -> Option<&T> {
        match side {
            NEW => Some(&self.new),
            BASE => self.base.as_ref(),
            _ => self.earlier.get(side - 2),
        }
    }

    pub fn get_mut(&mut self, side: usize) -> Option<&mut T> {
        match side {
            NEW => Some(&mut self.new),
            BASE => self.base.as_mut(),
            _ => self.earlier.get_mut(side - 2),
        }
    }

    /// The values of NEW and of another side.
    pub fn pair(self, other: usize) -> Sides<T> {
        let base = match other {
            NEW | BASE => self.base,
            _ => self.earlier.into_iter().nth(other - 2),
        };
        Sides { new: self.new, base, earlier: Vec::new() }
    }

    /// The values with the indices of their sides.
    pub fn indexed(self) -> Sides<(usize, T)> {
        Sides {
            new: (NEW, self.new),
            base: self.base.map(|base| (BASE, base)),
            earlier: (BASE + 1..).zip(self.earlier).collect(),
        }
    }

    /// NEW, then the sides before it, in the order of their indices.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + Clone {
        std::iter::once(&self.new).chain(&self.base).chain(&self.earlier)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        std::iter::once(&mut self.new).chain(&mut self.base).chain(&mut self.earlier)
    }

    /// The number of sides.
    pub fn count(&self) -> usize {
        1 + self.base.iter().len() + self.earlier.len()
    }
}

/// The sides that have something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Presence {
    pub new: bool,
    pub base: bool,
    /// A bit for each side before BASE, the lowest one for the latest of them.
    earlier: u64,
}

impl Presence {
    pub const ALL: Presence = Presence { new: true, base: true, earlier: u64::MAX };

    pub fn of(new: bool, base: bool) -> Presence {
        Presence { new, base, earlier: 0 }
    }

    pub fn has(self, side: usize) -> bool {
        match side {
            NEW => self.new,
            BASE => self.base,
            _ => self.earlier >> (side - 2) & 1 != 0,
        }
    }

    /// The same with another side.
    #[must_use]
    pub fn with(self, side: usize) -> Presence {
        match side {
            NEW => Presence { new: true, ..self },
            BASE => Presence { base: true, ..self },
            _ => Presence { earlier: self.earlier | 1 << (side - 2), ..self },
        }
    }

    /// The same without the other sides.
    #[must_use]
    pub fn only(self, side: usize) -> Presence {
        if self.has(side) { Presence::default().with(side) } else { Presence::default() }
    }

    /// The sides that have either.
    #[must_use]
    pub fn or(self, other: Presence) -> Presence {
        Presence {
            new: self.new || other.new,
            base: self.base || other.base,
            earlier: self.earlier | other.earlier,
        }
    }

    /// The sides that have both.
    #[must_use]
    pub fn and(self, other: Presence) -> Presence {
        Presence {
            new: self.new && other.new,
            base: self.base && other.base,
            earlier: self.earlier & other.earlier,
        }
    }

    /// Whether some of this number of sides, but not all, have it.
    pub fn is_partial(self, sides: usize) -> bool {
        let has = (0..sides).filter(|&side| self.has(side)).count();
        has > 0 && has < sides
    }

    /// Whether some side has both.
    pub fn meets(self, other: Presence) -> bool {
        self.new && other.new || self.base && other.base || self.earlier & other.earlier != 0
    }
}

/// The ids of names that differ between BASE and NEW; empty if none does.
#[derive(Clone, Debug, Default)]
pub(super) struct Partners {
    of_base: Vec<u32>,
    of_new: HashMap<u32, u32>,
}

impl Partners {
    /// `of_base` has NEW's id for each id of BASE.
    pub(super) fn new(of_base: &[u32]) -> Partners {
        let pairs = (0..).zip(of_base.iter().copied()).filter(|(base, new)| base != new);
        Partners {
            of_new: pairs.map(|(base, new)| (new, base)).collect(),
            of_base: of_base.to_vec(),
        }
    }

    pub(super) fn new_of(&self, id: u32) -> u32 {
        self.of_base.get(id as usize).copied().unwrap_or(id)
    }

    /// The id in BASE, if it differs.
    pub(super) fn base_of(&self, id: u32) -> Option<u32> {
        self.of_new.get(&id).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presences_meet_on_any_side() {
        for side in [NEW, BASE, 2, 3, 7] {
            let on = Presence::default().with(side);
            assert!(on.meets(on.with(4)) && on.with(4).meets(on), "{side}");
            assert!(!on.meets(Presence::default().with(4)), "{side}");
            assert!(on.has(side) && !on.has(4), "{side}");
        }
        assert!(!Presence::default().meets(Presence::default()));
    }
}
