//! The processes of each side, which keep threads and parts apart that have the same number and
//! name.

use std::collections::HashMap;
use std::sync::Arc;

use crate::profile::budget::LimitExceeded;
use crate::profile::division::Division;
use crate::profile::symbols::NameTable;

/// Joins the name of a thread or part and the index of its process. Header lines have no such byte.
const JOINT: u8 = b'\n';

/// The processes whose parts are read, if fragments are divided by thread or part.
#[derive(Default)]
pub(super) struct Processes {
    /// The processes of the side that is being read, with their indices in the order of its files.
    known: HashMap<Arc<[u8]>, usize>,
    /// The process of each division, by its number.
    of_division: Vec<Arc<[u8]>>,
}

impl Processes {
    /// The division of a thread or part. Those of NEW and BASE are the same division if their
    /// processes have the same index: the numbers of processes are other ones in each run.
    pub(super) fn division(
        &mut self,
        divisions: &mut NameTable,
        name: &[u8],
        process: Arc<[u8]>,
    ) -> Result<Division, LimitExceeded> {
        let next = self.known.len();
        let index = *self.known.entry(Arc::clone(&process)).or_insert(next);
        let number = match index {
            0 => divisions.add(name),
            index => divisions.add(&[name, &[JOINT], index.to_string().as_bytes()].concat()),
        }?;
        if number as usize == self.of_division.len() {
            self.of_division.push(process);
        }
        Ok(Division::Executed(number))
    }

    pub(super) fn begin_side(&mut self) {
        self.known.clear();
    }

    /// Puts the numbers of the processes into the names of divisions, if a side has several.
    pub(super) fn finish(&mut self, divisions: &mut NameTable) {
        let is_of_later = |name: &[u8]| name.contains(&JOINT);
        if !divisions.iter().any(is_of_later) {
            return;
        }
        let mut named = NameTable::default();
        for (name, process) in divisions.iter().zip(&self.of_division) {
            let part = name.split(|&byte| byte == JOINT).next().unwrap_or_default();
            let space: &[u8] = if part.is_empty() { b"" } else { b" " };
            let mut text = [part, space, b"(process ", process, b")"].concat();
            // Two runs had the same number for different processes.
            while named.find(&text).is_some() {
                text.extend_from_slice(b" of BASE");
            }
            if named.add(&text).is_err() {
                return;
            }
        }
        *divisions = named;
    }
}
