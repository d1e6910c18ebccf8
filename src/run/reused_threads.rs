//! Numbers of threads that several threads had, one after the other.
//!
//! Valgrind gives the number of a thread that ended to the next one that begins, so that Callgrind
//! writes the costs of both to one file. A thread that ended has not returned from its first
//! function, within which the next one seems to begin: in such files glibc's `start_thread` calls
//! itself, which it never does.

use std::collections::BTreeMap;

use super::Context;
use super::message::display_name;
use crate::profile::FunctionId;
use crate::render::with_commas;
use crate::source::is_c_library;
use crate::view::{RowBy, RowId, Rows};

/// The first function of a thread in glibc.
const FIRST: &[u8] = b"start_thread";

/// The number of threads that are named.
const MAX_NAMED: usize = 3;

impl Context<'_> {
    /// Notes which rows of threads are several threads each.
    pub(super) fn note_reused_threads(&self, rows: &Rows<'_>) {
        let is_of_threads = rows.row_by == RowBy::Thread && !self.profile.is_difference();
        if !is_of_threads || !self.is_for_people() || !self.profile.is_from_callgrind() {
            return;
        }
        let reused = self.threads_by_row(rows);
        if reused.is_empty() {
            return;
        }
        let named = reused.iter().take(MAX_NAMED).map(|(&row, &count)| {
            let name = display_name(rows.display_name(row));
            format!("thread {name} is {} threads", with_commas(count))
        });
        let mut text = named.collect::<Vec<_>>().join(", ");
        if reused.len() > MAX_NAMED {
            text += ", ...";
        }
        self.messages.note(format!(
            "valgrind gave the number of a thread that had ended to the next one: {text}"
        ));
    }

    /// The number of threads of each row that is several.
    fn threads_by_row(&self, rows: &Rows<'_>) -> BTreeMap<RowId, usize> {
        let profile = self.profile;
        let is_first = |id: FunctionId| {
            let function = profile.function(id);
            profile.own_name(function.name) == FIRST
                && is_c_library(profile.object(function.object))
        };
        let mut all = BTreeMap::new();
        for (&call, &count) in profile.calls.iter().zip(&profile.sides().new.call_counts) {
            let caller = profile.fragment(call.site.fragment).function;
            let next = usize::try_from(count).unwrap_or(0);
            if next > 0 && is_first(call.callee) && is_first(caller) {
                *all.entry(rows.of_call(call).0).or_insert(1) += next;
            }
        }
        all
    }
}
