//! The rule of inclusive costs, worked out for each function by itself, and the bounds of all rows.
//!
//! Which functions reach which is searched for from each function anew, and sums have 128 bits:
//! nothing is shared with the call graph.

use std::collections::{BTreeSet, HashMap};

use cgannotate::internal::profile::{Count, FileId, FunctionId, NameId, Profile};
use cgannotate::internal::view::{List, RowBy, RowId, RowOptions, Total};

use super::super::tables::{self, Calls, Graphs, all_rows};
use super::sums::KINDS;
use super::{add, rows_by};

/// What is known of each function, by its number.
struct Known {
    /// The first function of its cycle, or itself.
    cycle: Vec<usize>,
    in_cycle: Vec<bool>,
    /// Its self cost and the calls that leave its cycle.
    spent: Vec<Vec<i128>>,
    /// What callers outside its cycle paid; none if there is no such caller.
    paid: Vec<Option<Vec<i128>>>,
    /// What it spent with all calls to others, and what all others paid.
    all_spent: Vec<Vec<i128>>,
    all_paid: Vec<Vec<i128>>,
}

impl Known {
    fn of(profile: &Profile) -> Known {
        let size = profile.function_count();
        let (cycle, in_cycle) = cycles(profile);
        let none = vec![0; profile.events().len()];
        let mut known = Known {
            cycle,
            in_cycle,
            spent: vec![none.clone(); size],
            paid: vec![None; size],
            all_spent: vec![none.clone(); size],
            all_paid: vec![none.clone(); size],
        };
        for (at, cost) in tables::costs(profile) {
            add(&mut known.spent[at.function.index()], cost);
            add(&mut known.all_spent[at.function.index()], cost);
        }
        for call in tables::calls(profile) {
            let (caller, callee) = ends(&call);
            if caller != callee {
                add(&mut known.all_spent[caller], call.cost);
                add(&mut known.all_paid[callee], call.cost);
            }
            if known.cycle[caller] != known.cycle[callee] {
                add(&mut known.spent[caller], call.cost);
                let paid = known.paid[callee].get_or_insert_with(|| none.clone());
                add(paid, call.cost);
            }
        }
        known
    }

    /// What a function cost at least with all that it called: the larger of two lower bounds.
    fn inclusive(&self, function: usize) -> Vec<i128> {
        let spent = &self.spent[function];
        match &self.paid[function] {
            None => spent.clone(),
            Some(paid) => larger(spent, paid),
        }
    }

    /// What a member of a cycle cost at most: all of its activations, and the cycle.
    fn most(&self, function: usize, cycles: &[HashMap<usize, Vec<i128>>; 2]) -> Vec<i128> {
        let none = vec![0; self.spent[function].len()];
        let cycle = self.cycle[function];
        let [spent, paid] = cycles.each_ref().map(|of| of.get(&cycle).unwrap_or(&none));
        let activations = larger(&self.all_paid[function], &self.all_spent[function]);
        let limits = larger(spent, paid).into_iter().zip(activations);
        larger(&self.inclusive(function), &limits.map(|(a, b)| a.min(b)).collect::<Vec<_>>())
    }

    /// Whether callers paid for no function, or no cycle, more than was spent there.
    fn is_paid_at_most_what_was_spent(&self) -> bool {
        let spent = self.by_cycle(self.spent.iter().map(Some));
        let paid = self.by_cycle(self.paid.iter().map(Option::as_ref));
        let mut functions = self.all_paid.iter().zip(&self.all_spent);
        paid.iter().all(|(at, paid)| is_within(paid, &spent[at]))
            && functions.all(|(paid, spent)| is_within(paid, spent))
    }

    /// The sums of some costs over the members of each cycle, by its first function.
    fn by_cycle<'c>(
        &self,
        costs: impl Iterator<Item = Option<&'c Vec<i128>>>,
    ) -> HashMap<usize, Vec<i128>> {
        let mut sums: HashMap<usize, Vec<i128>> = HashMap::new();
        for (&cycle, cost) in self.cycle.iter().zip(costs) {
            if let Some(cost) = cost {
                let sum = sums.entry(cycle).or_insert_with(|| vec![0; cost.len()]);
                add_numbers(sum, cost);
            }
        }
        sums
    }
}

/// The larger in size of two costs, event by event; of equal counts those of the first.
fn larger(a: &[i128], b: &[i128]) -> Vec<i128> {
    let pairs = a.iter().zip(b);
    pairs.map(|(&a, &b)| if b.abs() > a.abs() { b } else { a }).collect()
}

/// Whether no count is above that of the other cost.
fn is_within(a: &[i128], b: &[i128]) -> bool {
    a.iter().zip(b).all(|(a, b)| a <= b)
}

fn ends(call: &Calls<'_>) -> (usize, usize) {
    (call.site.function.index(), call.callee.index())
}

fn add_numbers(sum: &mut [i128], cost: &[i128]) {
    let counts = sum.iter_mut().zip(cost);
    counts.for_each(|(sum, count)| *sum += count);
}

fn numbers(cost: &[Count]) -> Vec<i128> {
    let counts = cost.iter().map(|count| i128::from(count.or_zero()));
    counts.collect()
}

/// The first function of each function's cycle, or itself, and whether there are others.
fn cycles(profile: &Profile) -> (Vec<usize>, Vec<bool>) {
    let size = profile.function_count();
    let mut callees = vec![BTreeSet::new(); size];
    for call in tables::calls(profile) {
        let (caller, callee) = ends(&call);
        callees[caller].insert(callee);
    }
    let reach = |from| {
        let mut reached = vec![false; size];
        let mut open = vec![from];
        while let Some(function) = open.pop() {
            for &callee in &callees[function] {
                if !std::mem::replace(&mut reached[callee], true) {
                    open.push(callee);
                }
            }
        }
        reached
    };
    let reached: Vec<Vec<bool>> = (0..size).map(reach).collect();
    let first = |f: usize| (0..f).find(|&other| reached[f][other] && reached[other][f]);
    let cycle: Vec<usize> = (0..size).map(|f| first(f).unwrap_or(f)).collect();
    let mut members = vec![0; size];
    cycle.iter().for_each(|&first| members[first] += 1);
    let in_cycle = cycle.iter().map(|&first| members[first] > 1).collect();
    (cycle, in_cycle)
}

/// The functions that have a row for themselves, in which is no inlined code of others.
fn alone(profile: &Profile) -> Vec<FunctionId> {
    let mut functions: HashMap<(FileId, NameId), BTreeSet<FunctionId>> = HashMap::new();
    for (id, function) in profile.functions() {
        let row = functions.entry((function.file, function.name));
        row.or_default().insert(id);
    }
    for fragment in profile.fragments() {
        let row = (fragment.file, profile.function(fragment.function).name);
        functions.entry(row).or_default().insert(fragment.function);
    }
    let is_alone = |id: FunctionId| {
        let function = profile.function(id);
        functions[&(function.file, function.name)].len() == 1
    };
    let ids = profile.functions().map(|(id, _)| id);
    ids.filter(|&id| is_alone(id)).collect()
}

/// Each function that has a row for itself costs the larger of what it spent and what callers paid.
/// A member of a cycle costs at least the larger of what it spent and what callers outside the
/// cycle paid, and at most what all of its activations cost and what the cycle cost. A cycle costs
/// at least what each member does. Returns how many members of cycles there are.
pub fn functions_follow_the_rule(profile: &Profile) -> usize {
    let graphs = Graphs::new(profile, &RowOptions::default());
    let list = graphs.list(&all_rows(profile));
    if profile.calls.is_empty() {
        return 0;
    }
    let (mut of_row, mut of_cycle) = (HashMap::<RowId, _>::new(), HashMap::new());
    for line in list.lines(&graphs.rows) {
        let cost = numbers(line.cost.value);
        match line.label.whole_cycle() {
            None => drop(of_row.insert(line.item, cost)),
            Some(number) => drop(of_cycle.insert(number, cost)),
        }
    }
    let known = Known::of(profile);
    let mut members = 0;
    let are_bounds = has_no_negative_count(profile);
    let cycles = [
        known.by_cycle(known.spent.iter().map(Some)),
        known.by_cycle(known.paid.iter().map(Option::as_ref)),
    ];
    for id in alone(profile) {
        let name = profile.name(profile.function(id).name).escape_ascii();
        let Some(cost) = of_row.get(&graphs.rows.of_function(id)) else {
            continue;
        };
        let least = known.inclusive(id.index());
        if !known.in_cycle[id.index()] {
            assert_eq!(*cost, least, "{name}");
            continue;
        }
        members += 1;
        if are_bounds {
            let most = known.most(id.index(), &cycles);
            assert!(is_within(&least, cost), "{name}: {cost:?} is below {least:?}");
            assert!(is_within(cost, &most), "{name}: {cost:?} is above {most:?}");
            let cycle = graphs.of.cycles.number_of(id).map(|number| &of_cycle[&number]);
            assert!(
                cycle.is_none_or(|cycle| is_within(cost, cycle)),
                "{name}: {cost:?} of {cycle:?}"
            );
        }
    }
    members
}

/// Whether no count is below 0.
fn has_no_negative_count(profile: &Profile) -> bool {
    let mut costs = tables::costs(profile)
        .map(|(_, cost)| cost)
        .chain(tables::calls(profile).map(|call| call.cost));
    costs.all(|cost| cost.iter().all(|count| count.or_zero() >= 0))
}

/// Whether no count is below 0, and callers paid for no function, or no cycle, more than was spent
/// there.
pub fn is_consistent(profile: &Profile) -> bool {
    has_no_negative_count(profile) && Known::of(profile).is_paid_at_most_what_was_spent()
}

/// No row of any grouping costs less than its self cost, or than what callers outside a cycle paid
/// for the functions of the row in that cycle; and none more than the total, unless one function or
/// cycle did. The inclusive cost of a group of all is the total. If callers paid for no function
/// more than it spent, no group costs more than callers outside it paid and what it spent itself,
/// on its lines and on calls that leave it, unless one of its functions is estimated to cost more.
pub fn rows_are_within_bounds(profile: &Profile) {
    if !has_no_negative_count(profile) {
        return;
    }
    // What a damaged file says of a part can be a total below 0, which is larger in size than the
    // sum of its costs.
    let parts = profile.sides().new.parts.iter();
    let mut totals = parts.flat_map(|part| &part.total);
    if totals.any(|count| count.or_zero() < 0) {
        return;
    }
    let known = Known::of(profile);
    let is_consistent = known.is_paid_at_most_what_was_spent();
    let of_functions = costs_of_functions(profile);
    for row_by in KINDS.into_iter().chain([RowBy::Line]) {
        let graphs = Graphs::new(profile, &rows_by(row_by));
        let list = graphs.list(&all_rows(profile));
        let total = Total::of(profile);
        let total = numbers(&total.figure.value);
        if row_by.is_group() && list.items.len() == 1 && !profile.calls.is_empty() {
            let line = list.lines(&graphs.rows).next().unwrap();
            assert_eq!(numbers(line.cost.value), total, "{row_by:?} of all");
        } else {
            // Without any bucket, all functions are in `(other)`.
            assert!(row_by != RowBy::Bucket || profile.calls.is_empty());
            check_bounds(profile, &graphs, &list, &known, &total);
        }
        // A file has code of functions of other files, inlined, and not all of its functions' code.
        let is_whole = row_by.is_group() && !row_by.is_of_files() && list.items.len() > 1;
        if is_whole && is_consistent && !profile.calls.is_empty() {
            check_groups(profile, &graphs, &list, &of_functions, &total);
        }
    }
}

/// The inclusive cost of the row of each function, by its number.
fn costs_of_functions(profile: &Profile) -> Vec<Option<Vec<i128>>> {
    let graphs = Graphs::new(profile, &RowOptions::default());
    let list = graphs.list(&all_rows(profile));
    let lines = list.lines(&graphs.rows).filter(|line| line.label.whole_cycle().is_none());
    let costs: HashMap<RowId, _> =
        lines.map(|line| (line.item, numbers(line.cost.value))).collect();
    let rows = profile.functions().map(|(id, _)| graphs.rows.of_function(id));
    rows.map(|row| costs.get(&row).cloned()).collect()
}

fn check_groups(
    profile: &Profile,
    graphs: &Graphs<'_>,
    list: &List,
    of_functions: &[Option<Vec<i128>>],
    total: &[i128],
) {
    let rows = &graphs.rows;
    let side = &profile.sides().new;
    let mut most: HashMap<RowId, Vec<i128>> = HashMap::new();
    let mut add_to = |row: RowId, cost: &[Count]| {
        add(most.entry(row).or_insert_with(|| vec![0; total.len()]), cost);
    };
    for (number, &place) in profile.places.iter().enumerate() {
        add_to(rows.of_place(place), side.costs.table.get(number));
    }
    for (number, call) in profile.calls.iter().enumerate() {
        let (from, to) = (rows.of_place(call.site), rows.of_function(call.callee));
        if from != to {
            add_to(from, side.calls.table.get(number));
            add_to(to, side.calls.table.get(number));
        }
    }
    let mut largest: HashMap<RowId, Vec<i128>> = HashMap::new();
    for (id, _) in profile.functions() {
        if let Some(cost) = &of_functions[id.index()] {
            let largest = largest.entry(rows.of_function(id)).or_insert_with(|| cost.clone());
            *largest = larger(largest, cost);
        }
    }
    for line in list.lines(rows) {
        let (label, cost) = (line.label, numbers(line.cost.value));
        // A group whose only calls stay inside it spent nothing.
        let most = most.entry(line.item).or_insert_with(|| vec![0; total.len()]);
        let most = largest.get(&line.item).map_or(most.clone(), |largest| larger(most, largest));
        assert!(is_within(&cost, &most), "{:?} {label:?}: {cost:?} above {most:?}", rows.row_by);
    }
}

fn check_bounds(
    profile: &Profile,
    graphs: &Graphs<'_>,
    list: &List,
    known: &Known,
    total: &[i128],
) {
    let bounds = known.by_cycle(known.spent.iter().map(Some));
    let paid = known.by_cycle(known.paid.iter().map(Option::as_ref));
    let most = bounds.values().chain(paid.values());
    let most = most.fold(total.to_vec(), |most, cost| larger(&most, cost));
    let mut least: HashMap<RowId, Vec<i128>> = HashMap::new();
    for (number, &place) in profile.places.iter().enumerate() {
        let cost = profile.sides().new.costs.table.get(number);
        let row = least.entry(graphs.rows.of_place(place));
        add(row.or_insert_with(|| vec![0; total.len()]), cost);
    }
    let mut paid_for: HashMap<(RowId, usize), Vec<i128>> = HashMap::new();
    if graphs.rows.row_by != RowBy::Line {
        for (id, _) in profile.functions() {
            if let Some(paid) = &known.paid[id.index()] {
                let part = (graphs.rows.of_function(id), known.cycle[id.index()]);
                let sum = paid_for.entry(part).or_insert_with(|| vec![0; paid.len()]);
                add_numbers(sum, paid);
            }
        }
    }
    for ((row, _), paid) in paid_for {
        let least = least.entry(row).or_insert_with(|| vec![0; total.len()]);
        *least = larger(least, &paid);
    }
    let mut listed = 0;
    for line in list.lines(&graphs.rows) {
        let (label, cost) = (line.label, numbers(line.cost.value));
        assert!(is_within(&cost, &most), "{label:?}: {cost:?} of {most:?}");
        if let Some(least) = least.get(&line.item) {
            listed += 1;
            let row_by = graphs.rows.row_by;
            let is_enough = is_within(least, &cost);
            assert!(is_enough, "{row_by:?} {label:?}: {cost:?} below {least:?}");
        }
    }
    assert_eq!(listed, least.len(), "each row is listed");
}
