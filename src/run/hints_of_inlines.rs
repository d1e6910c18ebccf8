//! Hints at inlined code: which options tell where it is, and what has to be recorded for that.

use std::collections::HashSet;

use super::Context;
use crate::profile::{FunctionId, ObjectId};
use crate::render::SuggestedCommand;
use crate::source;
use crate::view::{Charged, List, ListRow, RowBy, RowId, Rows, Rule};

/// Inlined code of the user's other files is noted from this part of the total on.
const CHARGED_PARTS: i128 = 1000;

impl Context<'_> {
    /// Of a list of the user's own code, that inlined functions of other own files are not told
    /// apart from those that they were inlined into, if they have a thousandth of the total: what
    /// they call may have more.
    pub(super) fn note_on_charged_inlines(&self) -> Option<String> {
        let (options, profile) = (self.options, self.profile);
        let is_of_own = options.input.charged.iter().any(Charged::leaves_own);
        if !is_of_own || options.input.inlines || profile.is_difference() {
            return None;
        }
        let option = match (self.input.has_addresses, self.command_to_record()) {
            (true, _) => "--inlines",
            (false, Some(_)) => "record with --dump-instr=yes, then --inlines",
            (false, None) => return None,
        };
        let is_own = self.found_files();
        let inlined = self.cost_of_inlined(|file, home| is_own[file] && is_own[home]);
        let total = i128::from(self.total.reference[self.event()].or_zero());
        let what = "what inlined functions of other files call is charged where they were inlined";
        (inlined > 0 && inlined * CHARGED_PARTS >= total)
            .then(|| format!("{what}; apart: {option}"))
    }

    /// Of a list of lines, what its rows without a line are, and where inlined code is.
    pub(super) fn notes_on_lines(&self, list: &List, rows: &Rows<'_>) -> Vec<String> {
        if rows.row_by != RowBy::Line {
            return Vec::new();
        }
        let lacks_lines =
            list.lines(rows).any(|row| row.label.line.is_none() && !row.label.name.is_empty());
        let is_told_by_inlines = self.input.has_addresses && !self.options.input.inlines;
        let of_function = "a row with the name of a function is its code whose";
        let mut notes: Vec<String> =
            self.only_first_lines().map(str::to_owned).into_iter().collect();
        if lacks_lines {
            notes.push(if is_told_by_inlines {
                format!("{of_function} lines --inlines tells")
            } else {
                format!("{of_function} line is unknown")
            });
        }
        if self.profile.is_difference() {
            return notes;
        }
        let has_charged = self.options.input.charged.iter().any(Charged::leaves_own);
        let of_charged = self.command_to_record().filter(|_| lacks_lines && has_charged);
        if let Some(record) = self.command_for_page().or(of_charged) {
            notes.push(
                "code inlined from other files is at its lines there, not at those that it was \
                 inlined into; this records these:"
                    .to_owned(),
            );
            notes.push(format!("  {record}"));
        } else if is_told_by_inlines && !lacks_lines {
            notes.push(
                "code inlined from other files is at its lines there; with --inlines --mine it is at \
                 yours"
                    .to_owned(),
            );
        }
        notes
    }

    /// The option that also lists inlined functions; of a filtered list only if the filter is about
    /// functions and some have code of other files, or costs are charged to the user's own
    /// functions. Without addresses, what has to be recorded, if a pattern was to find several
    /// functions. With the option, what the profile does not know of them.
    pub(super) fn hint_at_inlines(&self, list: &List, rows: &Rows<'_>) -> Option<String> {
        let (options, input) = (self.options, self.input);
        if options.input.inlines {
            let counted_calls = |row: ListRow<'_, '_>| {
                let calls = row.calls.map(|calls| calls.value)?;
                calls.has_inlined.then(|| calls.by_others.value().is_some())
            };
            let known: Vec<bool> = list.lines(rows).filter_map(counted_calls).collect();
            return if known.contains(&false) {
                Some("how often inlined functions were called is not known".to_owned())
            } else if known.contains(&true) {
                Some("how often inlined copies were executed is not among the calls".to_owned())
            } else {
                None
            };
        }
        let rules = || options.rows.filter.choices.iter().flat_map(|of| &of.include);
        // Code of other files in an object shows that it has debug information.
        let has_code_of_others = || {
            let listed: HashSet<RowId> = list.items.iter().copied().collect();
            let is_listed = |(id, _): &(FunctionId, _)| listed.contains(&rows.of_function(*id));
            let functions = self.profile.functions().filter(is_listed);
            let objects: HashSet<ObjectId> = functions.map(|(_, of)| of.object).collect();
            self.profile.fragments().iter().any(|fragment| {
                let function = self.profile.function(fragment.function);
                let is_of_listed = objects.is_empty() || objects.contains(&function.object);
                fragment.file != function.file && is_of_listed
            })
        };
        let may_have_inlined = !rows.is_filtered
            || options.input.charged.iter().any(Charged::leaves_own)
            || rules().any(|rule| rule.function.is_some()) && has_code_of_others();
        let has_addresses = input.has_addresses || input.is_sampled && rows.is_filtered;
        let is_of_several =
            |rule: &Rule| rule.function.as_ref().is_some_and(|pattern| !pattern.is_text());
        let lacks_addresses = rows.is_filtered && self.command_to_record().is_some();
        if may_have_inlined && has_addresses {
            Some("inlined functions: --inlines".to_owned())
        } else if lacks_addresses && rules().any(is_of_several) && has_code_of_others() {
            Some("inlined functions: record with --dump-instr=yes, then --inlines".to_owned())
        } else {
            None
        }
    }

    /// The command that records the lines of inlined code, if found sources lack much of them: a
    /// page shows all sources.
    pub(super) fn command_for_page(&self) -> Option<SuggestedCommand> {
        let command = self.command_to_record()?;
        let is_own = self.found_files();
        let unknown = self.cost_of_inlined(|_, home| is_own[home]);
        self.is_much(unknown).then_some(command)
    }

    /// By file whether it is found, and not the system's.
    fn found_files(&self) -> Vec<bool> {
        let is_own = |file: &[u8]| !source::is_of_system(file) && self.input.finder.has(file);
        self.profile.files().map(is_own).collect()
    }

    /// The self cost of code from other files than those of its functions: from such files, in
    /// functions of such files.
    fn cost_of_inlined(&self, counts: impl Fn(usize, usize) -> bool) -> i128 {
        let profile = self.profile;
        let costs = profile.self_costs_by(1, |_, fragment| {
            let home = profile.function(fragment.function).file;
            let is_inlined = fragment.file != home;
            (is_inlined && counts(fragment.file.index(), home.index())).then_some(0)
        });
        i128::from(costs.new.get(0)[self.event()].or_zero())
    }
}
