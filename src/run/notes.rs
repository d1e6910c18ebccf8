//! Notes about the whole profile that are of no option: what it lacks.

use super::Context;

impl Context<'_> {
    /// Notes that calls are missing if the report needs them, as in a profile of cachegrind.
    pub(super) fn note_no_calls(&self) {
        let list = self.options.report.list();
        let are_wanted = self.options.selection.list.lists_called
            || list.is_some_and(|list| list.inclusive || !list.tree.is_empty());
        let has_calls = !self.profile.calls.is_empty();
        let are_charged = !self.options.input.charged.is_empty();
        if self.options.is_text() && are_wanted && !has_calls && !are_charged {
            let text = "the profile has no calls (callgrind records them)";
            self.messages.note(text);
        }
    }

    /// Notes that nothing was collected, and why that may be.
    pub(super) fn note_nothing(&self) {
        let mut totals = self.total.figure.value.iter();
        let is_nothing = totals.all(|count| count.or_zero() == 0);
        let profile = self.profile;
        if !is_nothing || profile.is_difference() || !self.input.changes.kept.is_empty() {
            return;
        }
        if profile.is_from_callgrind() {
            self.messages.note(
                "nothing was collected: either a function of --toggle-collect was never called, or with --instr-atstart=no or \
                 --collect-atstart=no no client request was made that begins it (CALLGRIND_START_INSTRUMENTATION, \
                 CALLGRIND_TOGGLE_COLLECT)",
            );
        } else if profile.is_from_cachegrind() {
            self.messages.note(
                "nothing was collected: with --instr-atstart=no a client request begins it \
                 (CACHEGRIND_START_INSTRUMENTATION), which was probably never made",
            );
        }
    }

    /// Notes that the table of a series, which says nothing itself, has only what changed.
    pub(super) fn note_unchanged(&self) {
        if self.series.is_some() && self.selection.compared.is_some() {
            self.messages
                .note("rows that are equal in all profiles are left out: --min=0 has these, too");
        }
    }
}
