//! The two sides of a difference: NEW, and BASE if two profiles are compared.

use hashbrown::HashMap;

/// A value of NEW, and one of BASE if two profiles are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides<T> {
    pub new: T,
    /// None if NEW is not compared.
    pub base: Option<T>,
}

impl<T> Sides<T> {
    pub fn as_ref(&self) -> Sides<&T> {
        Sides { new: &self.new, base: self.base.as_ref() }
    }

    pub fn map<U>(self, mut of_side: impl FnMut(T) -> U) -> Sides<U> {
        Sides { new: of_side(self.new), base: self.base.map(of_side) }
    }

    pub fn try_map<U, E>(self, mut of_side: impl FnMut(T) -> Result<U, E>) -> Result<Sides<U>, E> {
        Ok(Sides { new: of_side(self.new)?, base: self.base.map(of_side).transpose()? })
    }

    /// Pairs of the values of the same side; BASE has one if both have it.
    pub fn zip<U>(self, other: Sides<U>) -> Sides<(T, U)> {
        Sides { new: (self.new, other.new), base: self.base.zip(other.base) }
    }

    pub fn get(&self, is_base: bool) -> Option<&T> {
        if is_base { self.base.as_ref() } else { Some(&self.new) }
    }

    /// The values with whether their side is BASE.
    pub fn marked(self) -> Sides<(bool, T)> {
        Sides { new: (false, self.new), base: self.base.map(|base| (true, base)) }
    }

    /// NEW, then BASE if there is one.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.new).chain(&self.base)
    }
}

/// The sides that have something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Presence {
    pub new: bool,
    pub base: bool,
}

impl Presence {
    /// The same without the other side.
    pub fn only(self, is_base: bool) -> Presence {
        Presence { new: self.new && !is_base, base: self.base && is_base }
    }

    /// The sides that have either.
    pub fn or(self, other: Presence) -> Presence {
        Presence { new: self.new || other.new, base: self.base || other.base }
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
