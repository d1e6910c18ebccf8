//! Compressed names: the names of the ids in parentheses.

use hashbrown::HashMap;

use super::record::Name;
use crate::profile::LimitExceeded;

/// Ids below this one are always indices of the list.
const MIN_DENSE: usize = 1 << 10;

/// The minimum length of the list once it has an id above that.
const MIN_GROWN: usize = 1 << 18;

/// So are ids below this many times the number of defined ones.
const MAX_GAPS: usize = 32;

/// The compressed ids of one kind of name, with the profile's ids. Memory depends on the number of
/// ids, not on their values. Callgrind numbers names from 1 and omits those without cost. With
/// contexts the list has nearly all ids, and is faster than a map, which took 1.1 times the
/// processor time of a report; for small parts of large programs it would be a megabyte for a few
/// thousand names.
#[derive(Default)]
pub(super) struct CompressedNames {
    /// The profile's ids plus 1, 0 for none; as long as needed.
    dense: Vec<u32>,
    /// The ids that are not in the list.
    sparse: HashMap<u64, u32>,
    /// The number of definitions.
    defined: usize,
}

impl CompressedNames {
    /// The profile's id for `name`; `add` adds a text to the profile. An id that no line defined is returned too: its
    /// name is the id in parentheses.
    #[inline]
    pub(super) fn resolve(
        &mut self,
        name: Name<'_>,
        add: impl FnOnce(&[u8]) -> Result<u32, LimitExceeded>,
    ) -> Result<(u32, Option<u64>), LimitExceeded> {
        Ok(match name {
            Name::Text(text) => (add(text)?, None),
            Name::Definition(number, text) => {
                let id = add(text)?;
                self.define(number, id);
                (id, None)
            }
            Name::Reference(number) => match self.find(number) {
                Some(id) => (id, None),
                None => {
                    let id = add(format!("({number})").as_bytes())?;
                    self.define(number, id);
                    (id, Some(number))
                }
            },
        })
    }

    /// The profile's id for a compressed id, if it is defined.
    #[inline(always)]
    pub(super) fn find(&self, number: u64) -> Option<u32> {
        let at = usize::try_from(number).ok();
        match at.and_then(|at| self.dense.get(at)) {
            Some(id) => id.checked_sub(1),
            None => self.sparse.get(&number).copied(),
        }
    }

    /// Defines a compressed id, until it is defined again.
    pub(super) fn define(&mut self, number: u64, id: u32) {
        self.defined += 1;
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        if at >= self.dense.len() && at < MIN_DENSE.max(self.defined.saturating_mul(MAX_GAPS)) {
            self.grow(at + 1);
        }
        // The profile has no id of `u32::MAX`.
        match self.dense.get_mut(at) {
            Some(known) => *known = id.wrapping_add(1),
            None => drop(self.sparse.insert(number, id)),
        }
    }

    /// Makes the list at least this long, and moves the ids there that it now includes. It becomes much longer than it
    /// was: copying it touches its pages of memory once more, while those of new zeros are not touched.
    fn grow(&mut self, len: usize) {
        let min_len = if self.dense.is_empty() { MIN_DENSE } else { MIN_GROWN };
        let mut longer = vec![0; len.max(4 * self.dense.len()).max(min_len)];
        longer[..self.dense.len()].copy_from_slice(&self.dense);
        self.dense = longer;
        self.sparse.retain(|&number, &mut id| {
            let at = usize::try_from(number).ok();
            let known = at.and_then(|at| self.dense.get_mut(at));
            known.map(|known| *known = id.wrapping_add(1)).is_none()
        });
    }
}
