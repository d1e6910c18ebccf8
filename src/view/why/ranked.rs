//! Why the largest rows changed, those first that changed lines explain.

use super::callers::{Link, callers, cost_callers};
use super::code::{LookedAtFor, code_of};
use super::lines_elsewhere::{lines_here, part_of_other};
use super::maker::ReasonMaker;
use super::reason::{BaseAndNew, ChangedCode, Parts, Reason};
use crate::profile::{Division, is_unknown_name};
use crate::view::label::RowId;

/// The maximum number of rows with reasons.
const MAX_REASONS: usize = 3;

/// The maximum number of rows among which those with reasons are chosen.
const MAX_CANDIDATES: usize = 10;

/// A row that is explained comes before a larger one if its change is at least this part of the
/// largest: a tenth.
const CHANGED_CODE_PARTS: u64 = 10;

/// Whether a row became cheaper in a program that costs more, or the other way round.
pub(super) fn is_against(change: i64, of_total: i64) -> bool {
    change.signum() * of_total.signum() < 0
}

/// What explains a row. Rows that changed lines explain come first: how a program is compiled
/// changes many others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    ChangedLines,
    /// Other calls, or nothing that is known.
    Other,
    /// Its own code costs more or less, though all lines are the same; or it is small beside the
    /// largest row.
    SameLines,
    /// It does not explain the change of the total, which goes the other way.
    AgainstTotal,
}

impl Rank {
    fn of(reason: &Reason) -> Rank {
        let is_unchanged = matches!(reason.code, Some(ChangedCode::Unchanged { .. }));
        if reason.has_changed_lines() {
            Rank::ChangedLines
        } else if is_unchanged && reason.callers.is_empty() && reason.part_of.is_none() {
            Rank::SameLines
        } else {
            Rank::Other
        }
    }
}

impl ReasonMaker<'_, '_> {
    /// Why the largest rows changed, as [`Rank`] orders them.
    pub(super) fn reasons(&self, is_large: &dyn Fn(i64) -> bool) -> Vec<Reason> {
        let mut reasons: Vec<(Rank, Reason)> = Vec::new();
        let rows = self.largest(MAX_CANDIDATES, |_| true);
        let sizes: Vec<u64> =
            rows.iter().map(|&row| self.cost(row).change().unsigned_abs()).collect();
        let of_program = rows.into_iter().zip(&sizes).enumerate();
        let explained =
            of_program.take_while(|&(at, (row, _))| at == 0 || is_large(self.cost(row).change()));
        for (at, (row, &size)) in explained.filter(|(_, (_, size))| **size > 0) {
            if reasons.iter().filter(|(rank, _)| *rank == Rank::ChangedLines).count() == MAX_REASONS
            {
                break;
            }
            let reason = self.reason(row);
            // The largest change is not passed over in silence.
            if reason.is_known() || at == 0 && reason.has_uncounted {
                let is_small = size < sizes[0] / CHANGED_CODE_PARTS;
                let rank = if is_against(self.cost(row).change(), self.input.change) {
                    Rank::AgainstTotal
                } else if is_small {
                    Rank::SameLines
                } else {
                    Rank::of(&reason)
                };
                reasons.push((rank, reason));
            }
        }
        let largest = reasons.first().filter(|(rank, _)| *rank != Rank::AgainstTotal);
        let largest_row = largest.map(|(_, reason)| reason.row);
        reasons.sort_by_key(|(rank, _)| *rank);
        // The row with the largest change is not left out for smaller ones.
        let place = reasons.iter().position(|(_, reason)| Some(reason.row) == largest_row);
        if let Some(place) = place.filter(|&place| place >= MAX_REASONS) {
            reasons.swap(place, MAX_REASONS - 1);
        }
        reasons.truncate(MAX_REASONS);
        reasons.into_iter().map(|(_, reason)| reason).collect()
    }

    /// Of the listed rows that are wanted, at most this number: those with the largest changes.
    pub(super) fn largest(&self, max: usize, is_wanted: impl Fn(RowId) -> bool) -> Vec<RowId> {
        let rows = self.input.rows;
        let is_wanted = |&row: &RowId| rows.is_row(row) && is_wanted(row);
        let listed = self.input.listed.iter().copied().filter(is_wanted);
        let mut changes: Vec<(u64, RowId)> =
            listed.map(|row| (self.cost(row).change().unsigned_abs(), row)).collect();
        changes.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| rows.cmp_items(*x, *y)));
        changes.into_iter().map(|(_, row)| row).take(max).collect()
    }

    /// The callers that most of the additional or missing calls come from; none if those by the row
    /// itself are what there is more or less of.
    fn callers(&self, row: RowId, by_others: BaseAndNew, by_itself: BaseAndNew) -> Vec<Link> {
        let change = by_others.change();
        let of_all = change.saturating_add(by_itself.change());
        if change.signum() == of_all.signum() { callers(self, row, change) } else { Vec::new() }
    }

    /// The callers whose calls cost more or less; none if the chain of those that call more or less
    /// often says where both come from.
    fn cost_callers(&self, row: RowId, chain: &[Link]) -> Vec<Link> {
        let mut of_cost = cost_callers(self, row);
        let last = of_cost.last().map(|link| link.row);
        if chain.iter().any(|link| Some(link.row) == last) {
            of_cost.clear();
        }
        of_cost
    }

    fn reason(&self, row: RowId) -> Reason {
        let cost = self.cost(row);
        let knows_calls = self.counts_calls && self.are_all_counted(row);
        let calls = knows_calls.then(|| self.calls_by_others(row));
        let recursive = self.calls_by_itself(row);
        let parts = calls.and_then(|mut all| {
            all.add(recursive);
            let of_all = Parts::of(cost, all)?;
            let is_same_way =
                |of_levels: &Parts| of_levels.by_cost.signum() == of_all.by_cost.signum();
            // Fewer of the cheaper calls make the mean of all larger, though none costs more.
            Some(self.parts_of_levels(row, cost).filter(is_same_way).unwrap_or(of_all))
        });
        let is_by_calls = match parts {
            Some(parts) => parts.is_large(parts.by_calls),
            None => calls.is_some_and(|calls| calls.change() != 0),
        };
        let is_largely_cost = match parts {
            // Whether it calls itself is decided in its own code.
            Some(parts) => {
                parts.is_large(parts.by_cost)
                    || calls.is_some_and(|calls| recursive.has_other_ratio(calls))
            }
            // Without calls nothing else is known.
            None => calls.is_none_or(|calls| calls.base == calls.new),
        };
        let part_of = part_of_other(self, row);
        // A new function is no changed one, unless it is a changed version of one that is gone.
        let is_version = part_of.as_ref().is_some_and(|other| !other.is_on_both_sides);
        let is_by_cost = if self.is_on_one_side(row) { is_version } else { is_largely_cost };
        let chain = match calls.filter(|_| is_by_calls) {
            Some(calls) => self.callers(row, calls, recursive),
            None => Vec::new(),
        };
        let code_of_last = |chain: &[Link]| {
            let last = chain.last().filter(|link| link.is_last)?;
            let called = chain.iter().nth_back(1).map_or(row, |link| link.row);
            code_of(self, last.row, LookedAtFor::CallsOf { called, at: last.at })
        };
        let callers_code = code_of_last(&chain);
        let is_system_by_cost = is_by_cost && self.is_of_system(row);
        let of_cost = if is_system_by_cost { self.cost_callers(row, &chain) } else { Vec::new() };
        let change = match parts {
            Some(parts) if parts.is_large(parts.by_cost) => parts.by_cost,
            _ => cost.change(),
        };
        Reason {
            row,
            name: self.name(row),
            cost,
            calls,
            has_uncounted: self.counts_calls && self.has_copies(row) && !self.is_on_one_side(row),
            recursive,
            parts,
            callers_code,
            callers: chain.into_iter().map(|link| link.caller).collect(),
            cost_code: code_of_last(&of_cost),
            cost_callers: of_cost.into_iter().map(|link| link.caller).collect(),
            code: is_by_cost
                .then(|| code_of(self, row, LookedAtFor::SelfCost(change)))
                .flatten()
                // Of another version only the changed lines are known.
                .filter(|code| !is_version || !code.places().is_empty()),
            part_of,
            lines_here: lines_here(self, row),
            other_file: self.other_file(row),
        }
    }

    /// The file of the only row that has the same name and that only the other side has.
    fn other_file(&self, row: RowId) -> Option<Vec<u8>> {
        let rows = self.input.rows;
        let on = rows.presence(row);
        if !self.is_on_one_side(row) {
            return None;
        }
        let name = rows.display_name(row);
        let is_other = |other: &RowId| {
            let on_other = rows.presence(*other);
            (on_other.base, on_other.new) == (on.new, on.base)
                && rows.is_row(*other)
                && rows.display_name(*other) == name
        };
        let mut others = self.input.listed.iter().copied().filter(is_other);
        let only = others.next().filter(|_| others.next().is_none())?;
        let file = self.profile.file(rows.file(only)?);
        (!is_unknown_name(file)).then(|| file.to_vec())
    }

    /// What adds up to the change of a recursive function, its outermost calls and those within
    /// them apart, as these may cost much less; none if their costs are not recorded apart.
    fn parts_of_levels(&self, row: RowId, cost: BaseAndNew) -> Option<Parts> {
        let places = self.places_of.get(row.index());
        let mut by_calls: i64 = 0;
        for is_nested in [false, true] {
            let is_of_level = |&&place: &&u32| {
                let fragment = self.profile.places[place as usize].fragment;
                let division = self.profile.fragment(fragment).division;
                matches!(division, Division::DeeperLevels(_)) == is_nested
            };
            let of_places = places.iter().filter(is_of_level);
            let of_level = Self::sum(of_places.map(|&place| self.cost_of_place(place)));
            if of_level.base == 0 || of_level.new == 0 {
                return None;
            }
            let is_of_level_call =
                |&&call: &&u32| self.profile.calls[call as usize].is_nested == is_nested;
            let of_calls = self.calls_to.get(row.index()).iter().filter(is_of_level_call);
            let count = Self::sum(of_calls.map(|&call| self.count_of_call(call)));
            by_calls = by_calls.checked_add(Parts::of(of_level, count)?.by_calls)?;
        }
        Some(Parts { by_calls, by_cost: cost.change().checked_sub(by_calls)? })
    }
}
