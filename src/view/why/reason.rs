//! What is known of why a row changed: its cost and calls on both sides, who calls it more or less
//! often, and the changed lines.

use std::cmp::{Ordering, Reverse};

use crate::source::LineKey;
use crate::view::first_screen::ScreenLine;
use crate::view::label::RowId;
use crate::view::quotient::rounded;

/// The maximum number of changed places of a function that are shown.
const MAX_PLACES: usize = 2;

/// Why the self cost of a row changed.
#[derive(Debug)]
pub struct Reason {
    pub row: RowId,
    pub name: Vec<u8>,
    /// The self cost.
    pub cost: BaseAndNew,
    /// The calls by others; none if they are not recorded.
    pub calls: Option<BaseAndNew>,
    /// Whether it is a row of both sides whose inlined copies nobody counted the calls of.
    pub has_uncounted: bool,
    /// The calls by itself.
    pub recursive: BaseAndNew,
    /// What adds up to the change; none if a side has no calls.
    pub parts: Option<Parts>,
    /// Where most of the additional or missing calls come from: the caller, its caller, and so on.
    pub callers: Vec<CallerChange>,
    /// The changed code of the last of these callers.
    pub callers_code: Option<ChangedCode>,
    /// Of a function of the C library whose calls cost more or less: the caller whose calls
    /// did, its caller, and so on up to the program's own code.
    pub cost_callers: Vec<CallerChange>,
    /// The changed code of the last of these callers.
    pub cost_code: Option<ChangedCode>,
    /// The changed code of the row itself, if its calls cost more or less.
    pub code: Option<ChangedCode>,
    /// Of a row that only one side has, the one that has its lines on the other.
    pub part_of: Option<PartOfOther>,
    /// Of a row of both sides, the functions whose lines it has where they are no rows.
    pub lines_here: Vec<LinesHere>,
    /// Of such a row, the file of the only one of the same name that only the other side has.
    pub other_file: Option<Vec<u8>>,
}

impl Reason {
    /// Whether anything is known.
    pub(super) fn is_known(&self) -> bool {
        let has_calls = self.all_calls().is_some_and(|calls| calls.base != 0 || calls.new != 0);
        has_calls || self.code.is_some() || self.part_of.is_some()
    }

    /// All calls, those by itself included; none if they are not recorded.
    pub fn all_calls(&self) -> Option<BaseAndNew> {
        let mut all = self.calls?;
        all.add(self.recursive);
        Some(all)
    }

    /// Whether it calls itself more or less often each time that others call it, by a tenth at
    /// least.
    pub fn has_other_recursion(&self) -> bool {
        self.calls.is_some_and(|calls| self.recursive.has_other_ratio(calls))
    }

    /// The functions that it names, itself first.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        let callers = self.callers.iter().chain(&self.cost_callers).map(|caller| &caller.name);
        let parts = self.part_of.iter().map(|other| &other.name);
        let here = self.lines_here.iter().map(|of| &of.name);
        [&self.name].into_iter().chain(callers).chain(parts).chain(here).map(|name| &name[..])
    }

    /// The changed code of the row and of its callers.
    pub fn codes(&self) -> impl Iterator<Item = &ChangedCode> {
        [&self.callers_code, &self.cost_code, &self.code].into_iter().flatten()
    }

    /// Whether some changed line explains it.
    pub(super) fn has_changed_lines(&self) -> bool {
        self.codes().any(|code| !code.places().is_empty())
    }

    /// Whether a caller makes more or fewer calls though nothing in it changed, nor a line that it
    /// is called at.
    pub(super) fn has_unexplained_caller(&self) -> bool {
        matches!(self.callers_code, Some(ChangedCode::Unchanged { called_at: None, .. }))
    }

    /// Gives the changed lines of callers the change of all that they cost, and leaves of all
    /// places those with the largest changes. The lines themselves stay those that make the calls,
    /// unless code does that that is inlined there.
    pub(super) fn finish_places(&mut self, all: &[ChangedPlace]) {
        for code in [&mut self.callers_code, &mut self.cost_code].into_iter().flatten() {
            if let ChangedCode::Places { places, .. } = code {
                for place in places {
                    if let Some(of_lines) = all.iter().find(|of| of.has(place)) {
                        if place.calls == BaseAndNew::default() {
                            *place = of_lines.clone();
                        }
                        place.change = of_lines.change;
                        place.lacks_inlined = of_lines.lacks_inlined;
                    }
                }
            }
        }
        let codes = [&mut self.callers_code, &mut self.cost_code, &mut self.code];
        for code in codes.into_iter().flatten() {
            if let ChangedCode::Places { places, more, .. } = code {
                places.sort_by(ChangedPlace::cmp_size);
                *more += places.len().saturating_sub(MAX_PLACES);
                places.truncate(MAX_PLACES);
            }
        }
    }
}

/// A count in BASE and in NEW.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BaseAndNew {
    pub base: i64,
    pub new: i64,
}

impl BaseAndNew {
    pub fn change(self) -> i64 {
        self.new.saturating_sub(self.base)
    }

    /// Whether its ratio to another count is another one in NEW, by a tenth at least.
    pub(super) fn has_other_ratio(self, to: BaseAndNew) -> bool {
        let after = i128::from(self.new) * i128::from(to.base);
        let as_before = i128::from(self.base) * i128::from(to.new);
        after != as_before && (after - as_before).abs().saturating_mul(10) >= as_before
    }

    /// Whether a function with these calls was hardly called before.
    pub fn were_few(self) -> bool {
        let [before, after] = [self.base, self.new].map(i128::from);
        before <= FEW_CALLS && after >= before * MANY_MORE
    }

    /// The same without the other side.
    pub(super) fn only(self, is_base: bool) -> BaseAndNew {
        if is_base {
            BaseAndNew { base: self.base, new: 0 }
        } else {
            BaseAndNew { base: 0, new: self.new }
        }
    }

    pub(super) fn add(&mut self, other: BaseAndNew) {
        self.base = self.base.saturating_add(other.base);
        self.new = self.new.saturating_add(other.new);
    }
}

/// The parts of a change, which add up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The additional calls, each at the cost of one before; of a function that was hardly called
    /// before, whose first calls may cost more than others, at the cost of one after.
    pub by_calls: i64,
    /// The rest: the calls after, each by what it costs more, or those before.
    pub by_cost: i64,
}

/// A function was hardly called before if it had at most this number of calls, and has this many
/// times more after.
const FEW_CALLS: i128 = 2;
const MANY_MORE: i128 = 10;

impl Parts {
    /// None if there were no calls before or are none after.
    pub fn of(cost: BaseAndNew, calls: BaseAndNew) -> Option<Parts> {
        if calls.base <= 0 || calls.new <= 0 {
            return None;
        }
        let [before, after] = [calls.base, calls.new].map(i128::from);
        if calls.were_few() {
            let as_after = rounded(before * i128::from(cost.new), after);
            let by_cost = i64::try_from(as_after).ok()?.checked_sub(cost.base)?;
            return Some(Parts { by_calls: cost.change().checked_sub(by_cost)?, by_cost });
        }
        let as_before = rounded((after - before) * i128::from(cost.base), before);
        let by_calls = i64::try_from(as_before).ok()?;
        Some(Parts { by_calls, by_cost: cost.change().checked_sub(by_calls)? })
    }

    /// Whether a part is at least a tenth of the change.
    pub fn is_large(self, part: i64) -> bool {
        part != 0 && i128::from(part).abs() * 10 >= self.sum().abs()
    }

    /// Whether a part is named: without a small one, the other would be more than the whole.
    pub fn is_named(self, part: i64) -> bool {
        let are_opposite = self.by_calls.signum() * self.by_cost.signum() < 0;
        self.is_large(part) || are_opposite
    }

    fn sum(self) -> i128 {
        i128::from(self.by_calls) + i128::from(self.by_cost)
    }
}

/// A caller that makes more or fewer calls of the function before it.
#[derive(Debug)]
pub struct CallerChange {
    pub name: Vec<u8>,
    /// NEW's calls minus BASE's.
    pub calls: i64,
    /// NEW's cost of these calls minus BASE's.
    pub cost: i64,
    /// Where it makes most of them.
    pub at: Option<ScreenLine>,
    /// Whether that line is new, or gone.
    pub is_changed_line: bool,
    /// How often the caller itself is called, if that does not explain the change.
    pub called: Option<BaseAndNew>,
    /// Whether it is not the program's own.
    pub is_of_library: bool,
}

/// The changed lines in the code of a function.
#[derive(Debug)]
pub enum ChangedCode {
    /// All of its lines are the same.
    Unchanged {
        /// The line with most of the change, if it has half of it.
        largest: Option<(ScreenLine, i64)>,
        /// The changed line that most calls of the code are made at.
        called_at: Option<ScreenLine>,
    },
    Places {
        /// The first ones of all, those with the largest changes of cost first.
        places: Vec<ChangedPlace>,
        more: usize,
        /// Whether they are those of another function, which has the line of the calls: its code
        /// is inlined.
        are_around_call: bool,
    },
}

impl ChangedCode {
    /// Of unchanged code the line with most of the change.
    pub fn largest(&self) -> Option<&ScreenLine> {
        match self {
            ChangedCode::Unchanged { largest, .. } => largest.as_ref().map(|(line, _)| line),
            ChangedCode::Places { .. } => None,
        }
    }

    pub fn places(&self) -> &[ChangedPlace] {
        match self {
            ChangedCode::Unchanged { .. } => &[],
            ChangedCode::Places { places, .. } => places,
        }
    }
}

/// Lines that were removed and added at one place, or at several places of a function.
#[derive(Clone, Debug, Default)]
pub struct ChangedPlace {
    /// The file and the first line of each change that it has, by which it is known.
    pub(super) at: Vec<(Vec<u8>, LineKey)>,
    /// The change of cost at these lines.
    pub change: i64,
    /// The removed and the added line that changed most.
    pub removed: Option<ScreenLine>,
    pub added: Option<ScreenLine>,
    /// The first and the last line of code that was removed, and that was added, if there are
    /// several.
    pub removed_lines: Option<(u32, u32)>,
    pub added_lines: Option<(u32, u32)>,
    /// The number of calls that are made at the removed line in BASE, and at the added one in NEW.
    pub calls: BaseAndNew,
    /// Whether the change lacks the cost of what is inlined at these lines.
    pub lacks_inlined: bool,
    /// The number of its other places, at which neither of the two lines is.
    pub more: usize,
}

impl ChangedPlace {
    /// Whether it has a change of another place.
    pub(super) fn has(&self, other: &ChangedPlace) -> bool {
        other.at.iter().any(|at| self.at.contains(at))
    }

    /// The largest change comes first, then the first line.
    pub(super) fn cmp_size(&self, other: &ChangedPlace) -> Ordering {
        let key = |place: &ChangedPlace| {
            let line = place.added.as_ref().or(place.removed.as_ref());
            line.map(|line| (line.file.clone(), line.line))
        };
        let size = |place: &ChangedPlace| Reverse(place.change.unsigned_abs());
        size(self).cmp(&size(other)).then_with(|| key(self).cmp(&key(other)))
    }
}

/// A line, and how its cost changed.
#[derive(Debug)]
pub struct LineWithChange {
    pub at: ScreenLine,
    pub change: i64,
    /// The number of calls that are made there.
    pub calls: BaseAndNew,
    /// Whether identifiers of it were renamed.
    pub has_new_words: bool,
}

/// Changed places that no reason names.
#[derive(Debug, Default)]
pub struct OtherPlaces {
    /// The first ones.
    pub places: Vec<ChangedPlace>,
    pub more: usize,
}

/// The lines of a function that only one side has are part of another function on the other side.
#[derive(Debug)]
pub struct PartOfOther {
    pub row: RowId,
    pub name: Vec<u8>,
    /// What the lines cost less there on the side that has the function.
    pub cost: i64,
    /// What the lines cost in all functions, NEW's cost minus BASE's.
    pub of_all: i64,
    /// Whether both sides have that function; otherwise it is on the other side alone.
    pub is_on_both_sides: bool,
}

/// A function that only one side has, and whose lines a row has on the other side.
#[derive(Debug)]
pub struct LinesHere {
    pub name: Vec<u8>,
    /// What the row costs at the lines of the function, NEW's cost minus BASE's.
    pub change: i64,
    /// The self cost of the function.
    pub cost: BaseAndNew,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_change() {
        let table = [
            // Twice as many calls, each as expensive as before.
            ((100, 200), (10, 20), Some((100, 0))),
            ((100, 200), (10, 10), Some((0, 100))),
            ((100, 330), (10, 30), Some((200, 30))),
            ((330, 100), (30, 10), Some((-220, -10))),
            // More calls, which cost less.
            ((100, 100), (10, 20), Some((100, -100))),
            ((10, 11), (3, 4), Some((3, -2))),
            ((-10, 11), (3, 4), Some((-3, 24))),
            ((0, 100), (0, 10), None),
            ((100, 0), (10, 0), None),
        ];
        let sides = |(base, new): (i64, i64)| BaseAndNew { base, new };
        for (cost, calls, expected) in table {
            let parts =
                Parts::of(sides(cost), sides(calls)).map(|parts| (parts.by_calls, parts.by_cost));
            assert_eq!(parts, expected, "{cost:?} {calls:?}");
        }
    }

    #[test]
    fn a_small_part_is_named_where_the_other_is_more_than_the_whole() {
        let table = [
            ((100, 5), (true, false)),
            ((5, 100), (false, true)),
            ((100, 30), (true, true)),
            ((100, -5), (true, true)),
            ((-100, 5), (true, true)),
            ((100, 0), (true, false)),
        ];
        for ((by_calls, by_cost), expected) in table {
            let parts = Parts { by_calls, by_cost };
            let named = (parts.is_named(by_calls), parts.is_named(by_cost));
            assert_eq!(named, expected, "{parts:?}");
        }
    }

    #[test]
    fn parts_add_up() {
        let counts = [0, 1, 2, 3, 7, 10, 999, 1 << 40, -5];
        for base in counts {
            for new in counts {
                for before in counts {
                    for after in counts {
                        let cost = BaseAndNew { base, new };
                        if let Some(parts) =
                            Parts::of(cost, BaseAndNew { base: before, new: after })
                        {
                            assert_eq!(parts.by_calls + parts.by_cost, new - base);
                        }
                    }
                }
            }
        }
    }
}
