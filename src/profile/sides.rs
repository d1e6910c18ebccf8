//! The two sides of a difference: NEW, and BASE if two profiles are compared.

use hashbrown::HashMap;

/// Something that NEW has and that BASE has too, if two profiles are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides<T> {
    /// Of the profile that is reported.
    pub new: T,
    /// Of the profile that it is compared with; none if it is compared with nothing.
    pub base: Option<T>,
}

impl<T> Sides<T> {
    pub fn as_ref(&self) -> Sides<&T> {
        Sides {
            new: &self.new,
            base: self.base.as_ref(),
        }
    }

    pub fn map<U>(self, mut of_side: impl FnMut(T) -> U) -> Sides<U> {
        Sides {
            new: of_side(self.new),
            base: self.base.map(of_side),
        }
    }

    /// The result of a function for each side, or its first error.
    pub fn try_map<U, E>(self, mut of_side: impl FnMut(T) -> Result<U, E>) -> Result<Sides<U>, E> {
        Ok(Sides {
            new: of_side(self.new)?,
            base: self.base.map(of_side).transpose()?,
        })
    }

    /// Pairs of the same side. Only a side that both have has a pair.
    pub fn zip<U>(self, other: Sides<U>) -> Sides<(T, U)> {
        Sides {
            new: (self.new, other.new),
            base: self.base.zip(other.base),
        }
    }

    /// One of them; BASE is none if there is none.
    pub fn get(&self, is_base: bool) -> Option<&T> {
        match is_base {
            false => Some(&self.new),
            true => self.base.as_ref(),
        }
    }

    /// Each with whether it is BASE.
    pub fn marked(self) -> Sides<(bool, T)> {
        Sides {
            new: (false, self.new),
            base: self.base.map(|base| (true, base)),
        }
    }

    /// NEW, then BASE if there is one.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.new).chain(&self.base)
    }
}

/// On which sides something is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Presence {
    pub new: bool,
    pub base: bool,
}

impl Presence {
    /// On one of these sides, or on none.
    pub fn only(self, is_base: bool) -> Presence {
        Presence {
            new: self.new && !is_base,
            base: self.base && is_base,
        }
    }

    /// On the sides of either.
    pub fn or(self, other: Presence) -> Presence {
        Presence {
            new: self.new || other.new,
            base: self.base || other.base,
        }
    }
}

/// What BASE calls otherwise than NEW, by ids; nothing if they differ in no name.
#[derive(Clone, Debug, Default)]
pub(super) struct Partners {
    of_base: Vec<u32>,
    of_new: HashMap<u32, u32>,
}

impl Partners {
    /// Those of which BASE's ids are others of NEW.
    pub(super) fn new(of_base: &[u32]) -> Partners {
        let pairs = (0..).zip(of_base.iter().copied());
        let pairs = pairs.filter(|(base, new)| base != new);
        Partners {
            of_new: pairs.map(|(base, new)| (new, base)).collect(),
            of_base: of_base.to_vec(),
        }
    }

    pub(super) fn new_of(&self, id: u32) -> u32 {
        self.of_base.get(id as usize).copied().unwrap_or(id)
    }

    /// The id in BASE, if it is another one.
    pub(super) fn base_of(&self, id: u32) -> Option<u32> {
        self.of_new.get(&id).copied()
    }
}
