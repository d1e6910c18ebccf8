//! The changed places of the whole program, each with what its lines cost with all that they call.
//! What left one place of a function and came to another is set off, so that no place counts what
//! only moved:
//! - A function that only one side has costs what it does at the lines that call it.
//! - Lines of a function that are another one's on the other side left it, or came to it, though
//!   their texts are the same; so did its calls of functions that only one side has.
//! - Places of a function whose changes go opposite ways become one.

mod functions;
mod set_off;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use self::functions::{CodeOnOneSide, Spent};
use self::set_off::{CostOfPart, CostsOfFunction, Group, PartId, Parts, set_off};
use super::aligned::{AlignedLine, AlignedLines, ChangeInFile};
use super::code::{keys, place};
use super::line_costs::CostsOfLines;
use super::{ChangedPlace, ReasonMaker};
use crate::view::annotate::CostSource;
use crate::view::label::RowId;

/// Changes by function, and by what they are of.
type OfFunctions<K> = BTreeMap<RowId, BTreeMap<K, i64>>;

/// What the costs of functions changed at parts of their code.
#[derive(Default)]
struct CostsOfParts {
    /// Each cost is here once, in the part of the outermost line that its code was inlined into.
    of_functions: BTreeMap<RowId, CostsOfFunction>,
    /// The costs at the lines of each change, with those of what is inlined there.
    of_changes: BTreeMap<ChangeInFile, i64>,
    /// What is in [`PartId::SameLines`], by line.
    at_same_lines: OfFunctions<AlignedLine>,
    /// What is there in calls of functions that only one side has.
    calls_of_others: OfFunctions<RowId>,
    /// By function whose callers have its cost what it costs by itself at each change.
    of_called: OfFunctions<ChangeInFile>,
}

/// The changed places of the program's own sources.
pub(super) struct ChangedPlaces {
    /// Each change with what its lines cost.
    pub(super) single: Vec<ChangedPlace>,
    /// The places without what is set off, the largest change first.
    pub(super) net: Vec<ChangedPlace>,
}

impl ChangedPlaces {
    pub(super) fn new(maker: &ReasonMaker<'_, '_>, of_lines: &CostsOfLines) -> ChangedPlaces {
        let changes: BTreeMap<ChangeInFile, ChangedPlace> =
            changes_of_files(maker, of_lines).collect();
        let costs = CostsOfParts::new(maker, of_lines, &|change| changes.contains_key(change));
        let with_change = |(id, place)| {
            let change = costs.of_changes.get(&id).copied().unwrap_or(0);
            (PartId::Change(id), ChangedPlace { change, ..place })
        };
        let mut parts: Parts = changes.into_iter().map(with_change).collect();
        let single = parts.values().cloned().collect();
        for (&row, of_function) in &costs.of_functions {
            let id = PartId::SameLines(row);
            if let Some(of_part) = of_function.parts.get(&id) {
                parts.insert(id, costs.at_same_lines(maker, row, of_part.change));
            }
        }
        let (mut found, same): (Vec<Group>, Vec<Group>) =
            set_off(&costs.of_functions, &parts).into_iter().partition(Group::has_changed_lines);
        costs.add_replaced(&same, &mut found, &parts);
        let mut net: Vec<ChangedPlace> = found.iter().map(|group| group.place(&parts)).collect();
        net.sort_by(ChangedPlace::cmp_size);
        ChangedPlaces { single, net }
    }
}

/// The changes of all files, each as a place.
fn changes_of_files<'m>(
    maker: &'m ReasonMaker<'_, '_>,
    of_lines: &'m CostsOfLines,
) -> impl Iterator<Item = (ChangeInFile, ChangedPlace)> + 'm {
    let files = &maker.files;
    of_lines.of_files.iter().flat_map(move |(&file, costs)| {
        let aligned = files.get(file);
        let changes = match &aligned.lines {
            Some(lines @ AlignedLines::Both { changes, .. }) => Some((lines, changes)),
            Some(AlignedLines::Same) | None => None,
        };
        changes
            .into_iter()
            .flat_map(|(lines, changes)| changes.iter().map(move |of| (lines, of)))
            .filter_map(move |(lines, change)| {
                let keys = keys(change, lines);
                let at = |key| costs.get(&key).copied().unwrap_or_default();
                let mut of_change =
                    place(aligned, &keys, |key| at(key).inclusive(), |key| at(key).call_count);
                of_change.lacks_inlined = of_lines.lacks_inlined(file, &keys);
                Some((files.change_at(file, *keys.first()?)?, of_change))
            })
    })
}

impl CostsOfParts {
    fn new(
        maker: &ReasonMaker<'_, '_>,
        of_lines: &CostsOfLines,
        is_change: &dyn Fn(&ChangeInFile) -> bool,
    ) -> CostsOfParts {
        let code = CodeOnOneSide::new(maker);
        let mut inlined_into: HashMap<(CostSource, bool), Vec<AlignedLine>> = HashMap::new();
        for spent in of_lines.inlined() {
            let lines = spent.lines.iter().filter_map(|&(file, line)| {
                Some((file, maker.files.get(file).lines.as_ref()?.key(line, spent.is_base)))
            });
            inlined_into.entry((spent.source, spent.is_base)).or_default().extend(lines);
        }
        let mut costs = CostsOfParts::default();
        let places = (0..maker.profile.places.len() as u32).map(CostSource::Place);
        let calls = (0..maker.profile.calls.len() as u32).map(CostSource::Call);
        for source in places.chain(calls) {
            for is_base in [false, true] {
                let Some(spent) = Spent::new(maker, source, is_base) else {
                    continue;
                };
                let around = inlined_into.get(&(source, is_base)).into_iter().flatten();
                let at_lines = spent.line.iter().chain(around);
                let changes = at_lines
                    .filter_map(|&(file, key)| maker.files.change_at(file, key).filter(is_change));
                costs.add(maker, &code, &spent, &changes.collect::<Vec<_>>());
            }
        }
        costs
    }

    /// Adds a cost that is at the lines of some changes, the outermost of which is the last.
    fn add(
        &mut self,
        maker: &ReasonMaker<'_, '_>,
        code: &CodeOnOneSide,
        spent: &Spent,
        changes: &[ChangeInFile],
    ) {
        let Spent { row, callee, change, .. } = *spent;
        if code.is_in_callers(row) {
            if let (None, Some(&first)) = (callee, changes.first()) {
                add(self.of_called.entry(row).or_default(), first, change);
            }
            return;
        }
        for of_line in changes.iter().collect::<BTreeSet<_>>() {
            add(&mut self.of_changes, *of_line, change);
        }
        let of_function = self.of_functions.entry(row).or_default();
        let own = if callee.is_none() { change } else { 0 };
        let part = if let Some(&outermost) = changes.last() {
            PartId::Change(outermost)
        } else if code.has(spent) {
            PartId::SameLines(row)
        } else {
            of_function.unchanged = of_function.unchanged.saturating_add(own);
            return;
        };
        of_function.parts.entry(part).or_default().add(CostOfPart { change, own });
        if part == PartId::SameLines(row) {
            if let Some(line) = spent.line {
                add(self.at_same_lines.entry(row).or_default(), line, change);
            }
            if let Some(callee) = callee.filter(|&callee| maker.is_on_one_side(callee)) {
                add(self.calls_of_others.entry(row).or_default(), callee, change);
            }
        }
    }

    /// What left a function or came to it, at the line with most of that.
    fn at_same_lines(&self, maker: &ReasonMaker<'_, '_>, row: RowId, change: i64) -> ChangedPlace {
        let of_row = of_function(&self.at_same_lines, row);
        let in_direction = |of: i64| if change < 0 { of.saturating_neg() } else { of };
        let most = of_row
            .max_by_key(|&(line, of)| (in_direction(of), Reverse(line)))
            .filter(|&(_, of)| in_direction(of) > 0);
        let line = most.map(|((file, key), _)| maker.files.get(file).line_on(key, change < 0));
        let (removed, added) = if change < 0 { (line, None) } else { (None, line) };
        ChangedPlace { change, removed, added, ..ChangedPlace::default() }
    }

    /// Adds to the changes in functions that only one side has, and that are called at lines whose
    /// texts are the same, what is called there more or less than the functions in their place.
    fn add_replaced(&self, same: &[Group], found: &mut Vec<Group>, parts: &Parts) {
        let mut with_part: BTreeMap<PartId, usize> = BTreeMap::new();
        for (number, group) in found.iter().enumerate() {
            for id in group.ids() {
                with_part.entry(id).or_insert(number);
            }
        }
        for group in same {
            let callees = group.rows().flat_map(|row| of_function(&self.calls_of_others, row));
            let with_changes = callees.filter_map(|(callee, cost)| {
                let changes = of_function(&self.of_called, callee);
                let most = changes.max_by_key(|&(id, of)| (of.unsigned_abs(), Reverse(id)))?;
                Some((cost.unsigned_abs(), Reverse(most.0)))
            });
            let Some((_, Reverse(change))) = with_changes.max() else {
                continue;
            };
            let id = PartId::Change(change);
            match with_part.get(&id) {
                Some(&number) => found[number].add(group.cost),
                None => {
                    with_part.insert(id, found.len());
                    found.push(Group::new(id, group.cost, parts));
                }
            }
        }
    }
}

fn add<K: Ord>(sums: &mut BTreeMap<K, i64>, key: K, change: i64) {
    let sum = sums.entry(key).or_default();
    *sum = sum.saturating_add(change);
}

/// The changes of a function.
fn of_function<K: Copy>(changes: &OfFunctions<K>, row: RowId) -> impl Iterator<Item = (K, i64)> {
    changes.get(&row).into_iter().flatten().map(|(&of, &change)| (of, change))
}
