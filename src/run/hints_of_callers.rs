//! Hints at callers: the option that shows them; and below a tree of callers how often its function
//! is called, and by which others.

use super::Context;
use super::message::display_name;
use crate::render::SuggestedCommand;
use crate::view::{List, ListRow, PASSED_PARTS, PathDirection, RowBy, RowId, Rows, is_std_object};

/// The number of rows whose callers may be suggested: others are not what a list is read for.
const MAX_WITH_CALLERS: usize = 3;

/// The maximum length of a suggested pattern.
const MAX_PATTERN: usize = 80;

impl Context<'_> {
    /// Of the only function of a tree of callers, which has the numbers of its own calls alone,
    /// what shows those below one caller, and those of a library's function that passes them on;
    /// or that no call of it is recorded.
    pub(super) fn hints_at_calls(&self, list: &List, rows: &Rows<'_>) -> Vec<String> {
        let tree = self.options.report.page().map(|page| &page.list);
        let is_of_callers = tree.is_some_and(|list| list.tree == [PathDirection::Callers]);
        let by_line = tree.is_some_and(|list| list.by_line);
        let has_calls = is_of_callers && !self.profile.calls.is_empty();
        let [item] = list.items[..] else { return Vec::new() };
        let is_one = rows.is_filtered && rows.row_by == RowBy::Function && rows.is_row(item);
        let Some(name) = rows.pattern_of(item).filter(|_| has_calls && is_one) else {
            return Vec::new();
        };
        let callers = self.callers_of(item, rows);
        if callers.is_empty() {
            let name = display_name(&name);
            return vec![format!(
                "no function is recorded as a caller of {name}: so begin programs, threads, signal \
                 handlers, and what ran when the recording began"
            )];
        }
        let below = SuggestedCommand::new("--below=CALLER").option("-f", &name);
        let wrapper = self.wrapper_among(&callers, rows);
        let wrapper = wrapper.and_then(|row| rows.pattern_of(row)).map(|name| {
            let words = if by_line { "--tree=callers -g line" } else { "--tree=callers" };
            let callers = SuggestedCommand::new(words).option("-f", &name);
            format!("its calls by callers of {}: {callers}", display_name(&name))
        });
        let below = (!by_line).then(|| format!("its cost below one caller: {below}"));
        wrapper.into_iter().chain(below).collect()
    }

    /// The rows that call a row, with the numbers of these calls.
    fn callers_of(&self, row: RowId, rows: &Rows<'_>) -> Vec<(RowId, i64)> {
        let counts = &self.profile.sides().new.call_counts;
        let calls = self.profile.calls.iter().zip(counts);
        let mut callers: Vec<(RowId, i64)> = calls
            .map(|(&call, &count)| (rows.of_call(call), count))
            .filter(|&((caller, callee), _)| callee == row && caller != row)
            .map(|((caller, _), count)| (caller, count))
            .collect();
        callers.sort_unstable();
        callers.dedup_by(|(row, count), (first, sum)| {
            let is_same = row == first;
            if is_same {
                *sum = sum.saturating_add(*count);
            }
            is_same
        });
        callers
    }

    /// The caller that makes most of the calls, if it is a function of a library that makes one
    /// each time that it is called itself, such as `operator new` of `malloc`.
    fn wrapper_among(&self, callers: &[(RowId, i64)], rows: &Rows<'_>) -> Option<RowId> {
        let all = callers.iter().map(|(_, count)| i128::from(*count)).sum::<i128>();
        let &(wrapper, count) = callers.iter().max_by_key(|(_, count)| *count)?;
        let count = i128::from(count);
        let mut of_wrapper =
            self.profile.functions().filter(|&(id, _)| rows.of_function(id) == wrapper);
        let is_of_library =
            of_wrapper.all(|(_, function)| is_std_object(self.profile.object(function.object)));
        let called: i128 =
            self.callers_of(wrapper, rows).iter().map(|(_, count)| i128::from(*count)).sum();
        let is_one_each = (called - count).abs() * PASSED_PARTS <= count;
        (count > 1 && count * 2 > all && is_of_library && is_one_each).then_some(wrapper)
    }

    /// Whether one function makes several calls of a row, so that callers alone do not tell the
    /// calls apart.
    pub(super) fn has_one_caller(&self, row: RowId, rows: &Rows<'_>) -> bool {
        matches!(self.callers_of(row, rows)[..], [(_, count)] if count > 1)
    }
}

/// The option that shows the callers of one of the first rows that was called at least `min` times,
/// with `by_line` apart by the lines of their calls.
pub(super) fn hint_at_callers(
    list: &List,
    rows: &Rows<'_>,
    min: i64,
    by_line: bool,
) -> Option<String> {
    let calls =
        |row: &ListRow<'_, '_>| row.calls.map_or(0, |calls| calls.value.by_others.or_zero());
    let is_function = |row: &ListRow<'_, '_>| row.label.file.is_some();
    let mut first = list.lines(rows).take(MAX_WITH_CALLERS);
    let called = first.find(|row| calls(row) >= min && is_function(row))?;
    // A `!` would exclude the function.
    let is_short = |name: &Vec<u8>| name.len() <= MAX_PATTERN && !name.starts_with(b"!");
    let name = rows.pattern_of(called.item).filter(is_short)?;
    let mut options = SuggestedCommand::new("--tree=callers");
    if by_line {
        options = options.words("-g line");
    }
    let options = options.option("-f", &name);
    Some(format!("callers: {options}"))
}
