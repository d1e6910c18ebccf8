//! What was counted: the names of the events and what the file says about them.

use super::TooMany;

/// The most events one profile may have. Callgrind writes up to 22, valgrind's xtree files 30; each
/// costs eight bytes in every row, so a file may not claim any number of them.
pub const MOST_EVENTS: usize = 255;

/// The events of a profile, in order of first appearance.
#[derive(Clone, Default)]
pub struct Events {
    names: Vec<Vec<u8>>,
}

impl Events {
    /// The number of the event called `name`, if there is one.
    pub fn find(&self, name: &[u8]) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// The number of the event called `name`, which joins the list if it is new.
    ///
    /// # Errors
    /// [`TooMany`] above [`MOST_EVENTS`].
    pub fn intern(&mut self, name: &[u8]) -> Result<usize, TooMany> {
        if let Some(event) = self.find(name) {
            return Ok(event);
        }
        if self.names.len() == MOST_EVENTS {
            return Err(TooMany);
        }
        self.names.push(name.to_vec());
        Ok(self.names.len() - 1)
    }

    /// The name of an event.
    pub fn name(&self, event: usize) -> &[u8] {
        &self.names[event]
    }

    /// All names in order.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.names.iter().map(Vec::as_slice)
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}
