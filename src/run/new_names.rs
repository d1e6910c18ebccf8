//! Whether a verdict depends on names. A function that a filter selects may have another name in
//! NEW, or be in another file, so that the filter does not select it there: its cost is missing
//! then, as if the program had become cheaper.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use super::Context;
use super::judgeable::NOT_JUDGED;
use super::message::display_name;
use crate::profile::{FileId, FragmentId, NEW, Presence};
use crate::view::{RowBy, RowId, Rows, Verdict, self_costs, short_function};

/// The maximum number of functions of a file that a new one is compared with. Of more, the first
/// one may be the same.
const MAX_COMPARED: usize = 1_000;

/// The maximum number of bytes in one place in which names of one function differ: a damaged
/// character, or one more.
const MAX_DIFFERENT: usize = 2;

/// Functions of NEW that the filter does not select, each with one that it selects and that NEW
/// lacks. They may be one function: they have one name, or are in one file and are alike, in their
/// names or in what they cost.
pub(super) struct NewNames<'r> {
    rows: Rows<'r>,
    gone_by_new: BTreeMap<RowId, RowId>,
}

impl NewNames<'_> {
    pub(super) fn has(&self, fragment: FragmentId) -> bool {
        self.gone_by_new.contains_key(&self.rows.of_fragment(fragment))
    }
}

/// The sides of a function: of its code, and of the calls that are outermost activations of it, and
/// of those that are nested in others.
#[derive(Clone, Copy, Default)]
struct FunctionSides {
    all: Presence,
    of_calls: [Presence; 2],
}

impl FunctionSides {
    /// Whether NEW lacks the function, or its outermost or all of its nested activations.
    fn are_gone(&self, against: usize) -> bool {
        let is_gone = |on: &Presence| on.has(against) && !on.new;
        is_gone(&self.all) || self.of_calls.iter().any(is_gone)
    }
}

/// Whether two names differ in one place alone, and there in few bytes.
fn are_names_alike(a: &[u8], b: &[u8]) -> bool {
    let shorter = a.len().min(b.len());
    let same_start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let ends = a.iter().rev().zip(b.iter().rev());
    let same_end = ends.take(shorter - same_start).take_while(|(a, b)| a == b).count();
    a.len().max(b.len()) - same_start - same_end <= MAX_DIFFERENT
}

impl<'r> Context<'r> {
    /// The functions of NEW that the filter may not select because of their names.
    pub(super) fn new_names(&self) -> NewNames<'r> {
        let against = self.options.input.judged_against();
        let rows = self.rows_by(RowBy::Function);
        let mut sides = vec![FunctionSides::default(); rows.len()];
        for (place, presence) in self.profile.places_and_sites() {
            let of_row = &mut sides[rows.of_place(place).index()];
            of_row.all = of_row.all.or(presence);
        }
        for (number, &call) in self.profile.calls.iter().enumerate() {
            let presence = self.profile.presence_of_call(number);
            let of_row = &mut sides[rows.of_function(call.callee).index()];
            of_row.all = of_row.all.or(presence);
            let of_calls = &mut of_row.of_calls[usize::from(call.is_nested)];
            *of_calls = of_calls.or(presence);
        }
        let mut by_file: BTreeMap<Option<FileId>, Vec<RowId>> = BTreeMap::new();
        let mut by_name = BTreeMap::new();
        for row in rows.all().filter(|&row| rows.is_selected(row)) {
            if sides[row.index()].are_gone(against) {
                by_file.entry(rows.file(row)).or_default().push(row);
                by_name.entry(rows.symbol(row)).or_insert(row);
            }
        }
        let (costs, event) = (self_costs(&rows), self.event());
        let cost = |side: usize, row: RowId| {
            let of_side = costs.side(side, row.index());
            i128::from(of_side.map_or(0, |cost| cost[event].or_zero())).abs()
        };
        let are_alike = |new: RowId, gone: RowId| {
            let (after, before) = (cost(NEW, new), cost(against, gone));
            after <= 2 * before && before <= 2 * after
                || are_names_alike(rows.symbol(new), rows.symbol(gone))
        };
        let in_file = |new: RowId| {
            let all = by_file.get(&rows.file(new))?;
            let may_be = |gone: &&RowId| all.len() > MAX_COMPARED || are_alike(new, **gone);
            all.iter().find(may_be)
        };
        let is_new = |row: &RowId| {
            let on = sides[row.index()].all;
            !rows.is_selected(*row) && on.new && !on.has(against)
        };
        let parts_by_file = self.gone_parts(&rows);
        let of_part = |new: RowId| {
            let all = parts_by_file.get(&rows.file(new)?)?.iter().take(MAX_COMPARED);
            all.copied().find(|&of| are_names_alike(rows.symbol(new), rows.symbol(of)))
        };
        let gone = |row: RowId| {
            let gone = by_name.get(rows.symbol(row)).or_else(|| in_file(row)).copied();
            Some((row, gone.or_else(|| of_part(row))?))
        };
        let gone_by_new = rows.all().filter(is_new).filter_map(gone).collect();
        NewNames { rows, gone_by_new }
    }

    /// The selected functions of which NEW lacks the code in a file, by that file. Cachegrind names
    /// a function in each file that has code of it.
    fn gone_parts(&self, rows: &Rows<'_>) -> BTreeMap<FileId, Vec<RowId>> {
        let mut gone: BTreeMap<FileId, Vec<RowId>> = BTreeMap::new();
        if !self.profile.is_from_cachegrind() {
            return gone;
        }
        let against = self.options.input.judged_against();
        let mut sides = vec![Presence::default(); self.profile.fragments().len()];
        for (place, presence) in self.profile.places_and_sites() {
            let of_fragment = &mut sides[place.fragment.index()];
            *of_fragment = of_fragment.or(presence);
        }
        for (id, fragment) in self.profile.fragments_with_ids() {
            let on = sides[id.index()];
            if rows.has_selected(id) && on.has(against) && !on.new {
                gone.entry(fragment.file).or_default().push(rows.of_fragment(id));
            }
        }
        gone
    }

    /// Checks that no limit is passed only because the filter does not select such functions:
    /// `with_new` are the verdicts if it did.
    pub(super) fn check_names(
        &self,
        names: &NewNames<'_>,
        verdicts: &[Verdict],
        with_new: &[Verdict],
    ) -> Result<()> {
        let mut pairs = verdicts.iter().zip(with_new);
        let depends = pairs.any(|(verdict, with_new)| verdict.passed && !with_new.passed);
        let Some((&new, &gone)) = names.gone_by_new.first_key_value().filter(|_| depends) else {
            return Ok(());
        };
        let name = |row: RowId| {
            let name = names.rows.symbol(row);
            display_name(short_function(name, self.profile.name_kind()))
        };
        bail!(
            "{}: no pattern matches {}, which may be {} of {}, and the limit is exceeded with it; {NOT_JUDGED}",
            self.files_of_side(NEW),
            name(new),
            name(gone),
            self.files_of_side(self.options.input.judged_against())
        );
    }
}

#[cfg(test)]
mod tests {
    use super::are_names_alike;

    #[test]
    fn names_that_differ_in_few_bytes_of_one_place() {
        let table = [
            ("parse_sum", "pavse_sum", true),
            ("parse_sum", "parse_su", true),
            ("parse_sum", "parse__sum", true),
            ("aa", "aaa", true),
            ("f", "g", true),
            ("parse_sum", "pavse_sun", false),
            ("parse_sum", "helper", false),
            ("lua_rawsetp", "index2value", false),
        ];
        for (a, b, expected) in table {
            assert_eq!(are_names_alike(a.as_bytes(), b.as_bytes()), expected, "{a}, {b}");
        }
    }
}
