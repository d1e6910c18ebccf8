//! Inclusive costs of programs with recursion that were simulated, so that the true costs are
//! known.

use std::collections::HashSet;

use cgannotate::internal::graph::CallGraph;
use cgannotate::internal::profile::{FunctionId, Profile, ProfileBuilder, SuffixFold};
use cgannotate::internal::read::{ReadOptions, read_from};
use cgannotate::internal::transform::{Kept, keep};
use cgannotate::internal::view::{
    CallLine, CallTree, Inclusive, PathDirection, RowBy, RowOptions, Stacks,
};

use crate::common::generated::simulated::{KINDS, Kind, Simulated};
use crate::common::generated::tables::{Graphs, all_rows, costs};

trials![
    levels_of_recursion_make_inclusive_costs_exact,
    bounds_contain_the_true_inclusive_costs,
    functions_that_are_never_nested_cost_what_callers_paid,
    bounds_contain_the_true_costs_of_rows_of_several_functions,
    bounds_of_files_contain_the_true_costs_where_names_have_levels,
    what_is_said_to_be_exact_below_a_function_is,
    costs_below_functions_are_close,
    members_of_cycles_cost_in_a_part_what_entered_the_cycle_there,
    callers_of_outermost_activations_pay_what_a_function_costs,
    no_call_costs_more_than_the_program,
    stacks_are_recorded_calls_and_have_no_function_twice,
    frames_outside_cycles_cost_what_their_functions_do
];

/// The numbers of programs of each kind: more than 10,000 in all where the tests are optimised.
fn seeds() -> std::ops::Range<u64> {
    0..if cfg!(debug_assertions) { 40 } else { 1250 }
}

fn programs(levels: usize) -> impl Iterator<Item = (Kind, u64, Simulated)> {
    programs_with(seeds(), levels)
}

/// An eighth of the programs, for tests that do much with each.
fn some_programs(levels: usize) -> impl Iterator<Item = (Kind, u64, Simulated)> {
    programs_with(seeds().step_by(8), levels)
}

fn programs_with(
    seeds: impl Iterator<Item = u64> + Clone,
    levels: usize,
) -> impl Iterator<Item = (Kind, u64, Simulated)> {
    let all = KINDS.into_iter().flat_map(move |kind| seeds.clone().map(move |seed| (kind, seed)));
    all.map(move |(kind, seed)| (kind, seed, Simulated::run(kind, seed, levels)))
}

const LEVELS: SuffixFold = SuffixFold { callers: false, recursion: true };

fn read(program: &Simulated, fold: SuffixFold) -> Profile {
    read_text(program.profile(), fold)
}

fn read_text(text: String, fold: SuffixFold) -> Profile {
    let mut builder = ProfileBuilder::default();
    let options = ReadOptions { fold, ..ReadOptions::default() };
    read_from(std::io::Cursor::new(text.into_bytes()), b"p.out", &options, &mut builder).unwrap();
    builder.finish()
}

/// An inclusive cost with its bounds, which are equal if it is exact.
#[derive(Clone, Copy, Debug)]
struct Shown {
    least: i64,
    shown: i64,
    most: i64,
}

/// The inclusive costs of rows, by their names.
fn shown(profile: &Profile, row_by: RowBy) -> Vec<(String, Shown)> {
    let graphs = Graphs::new(profile, &RowOptions { row_by, ..RowOptions::default() });
    let inclusive = Inclusive::new(&graphs.of, &graphs.rows);
    let rows = graphs.rows.all().filter_map(|row| {
        let cost = inclusive.of_row(row)?.value[0].or_zero();
        let range = inclusive.estimate(row).and_then(|estimate| estimate.range(0).cloned());
        let [least, most] = match range.and_then(|range| range[0]) {
            Some(bounds) => bounds.map(|bound| bound.or_zero()),
            None => [cost; 2],
        };
        let displayed = graphs.rows.display_name(row);
        let function = String::from_utf8_lossy(&displayed).into_owned();
        let name = if row_by == RowBy::FileFunction {
            let file = profile.file(graphs.rows.file(row)?);
            format!("{}:{function}", String::from_utf8_lossy(file))
        } else {
            function
        };
        Some((name, Shown { least, shown: cost, most }))
    });
    rows.collect()
}

/// The number of the function, and whether the row is of nested activations.
fn function(name: &str) -> (usize, bool) {
    let (number, level) = name[1..].split_once('\'').map_or((&name[1..], "1"), |parts| parts);
    (number.parse().unwrap(), level != "1")
}

fn levels_of_recursion_make_inclusive_costs_exact() {
    let mut members = 0;
    for (kind, seed, program) in programs(2) {
        for fold in [SuffixFold::default(), LEVELS] {
            for (name, Shown { least, shown, most }) in
                shown(&read(&program, fold), RowBy::Function)
            {
                let (number, is_nested) = function(&name);
                let at = format!("{kind:?} {seed}: {name} of {}", program.total);
                if is_nested {
                    let truth = program.nested[number];
                    assert!(least <= truth && truth <= most, "{at}: {truth} in {least}..{most}");
                } else {
                    let truth = program.inclusive[number];
                    assert_eq!([least, shown, most], [truth; 3], "{at}");
                    members += usize::from(program.nested[number] > 0);
                }
            }
        }
    }
    assert!(members > 200, "only {members} functions are recursive");
}

fn bounds_contain_the_true_inclusive_costs() {
    // The limit is that of the mean error of the estimate, in percent of the total.
    type TextOf = fn(&Simulated) -> String;
    let table: [(TextOf, f64); 2] =
        [(Simulated::profile, 4.9), (Simulated::profile_of_outermost_calls, 2.4)];
    for (text_of, limit) in table {
        // The errors of the lower bound, of the estimate and of the upper bound.
        let mut errors = [0.0; 3];
        let mut members = 0;
        for (kind, seed, program) in programs(1) {
            let profile = read_text(text_of(&program), LEVELS);
            for (name, Shown { least, shown, most }) in shown(&profile, RowBy::Function) {
                let truth = program.inclusive[function(&name).0];
                let at = format!("{kind:?} {seed}: {name} of {}", program.total);
                assert!(least <= truth && truth <= most, "{at}: {truth} in {least}..{most}");
                assert!(least <= shown && shown <= most, "{at}: {shown} in {least}..{most}");
                if program.nested[function(&name).0] > 0 {
                    members += 1;
                    for (error, number) in errors.iter_mut().zip([least, shown, most]) {
                        *error += (number - truth).abs() as f64 * 100.0 / program.total as f64;
                    }
                }
            }
        }
        let [least, shown, most] = errors.map(|error| error / f64::from(members));
        let means = format!("{members} recursive functions: {least:.2}, {shown:.2}, {most:.2}");
        assert!(shown < limit && shown < most / 1.5, "{means}");
    }
}

/// Without levels some functions of cycles are known not to be nested, as each way back to them
/// leads by a function that was called once: their costs are exact, and all calls of them by others
/// are outermost ones. Also where calls do not have the whole cost of nested ones.
fn functions_that_are_never_nested_cost_what_callers_paid() {
    let (mut often, mut all) = (0, 0);
    for (kind, seed, program) in programs(1) {
        for text in [program.profile(), program.profile_of_outermost_calls()] {
            let profile = read_text(text, LEVELS);
            let graphs = Graphs::new(&profile, &RowOptions::default());
            let graph = &graphs.of.sides.new;
            let mut calls = vec![0; program.inclusive.len()];
            let mut is_exact = vec![false; program.inclusive.len()];
            for (id, _) in profile.functions() {
                let number =
                    function(str::from_utf8(profile.name(profile.function(id).name)).unwrap()).0;
                calls[number] = graph.into(id).map(|(arc, _)| graph.calls(arc)).sum();
                is_exact[number] = graph.has_exact_levels(id);
            }
            let truth_of = |name: &str| {
                let (number, _) = function(name);
                let truth = program.inclusive[number];
                is_exact[number].then(|| (truth, format!("{kind:?} {seed}: {name}, {truth}")))
            };
            for (name, Shown { least, shown, most }) in shown(&profile, RowBy::Function) {
                if let Some((truth, at)) = truth_of(&name) {
                    assert_eq!([least, shown, most], [truth; 3], "{at}");
                    all += 1;
                    often += usize::from(calls[function(&name).0] > 1);
                }
            }
            for_each_tree(&profile, |name, callers, callees| {
                if let Some((truth, at)) = truth_of(name) {
                    let is_unknown = callers.iter().chain(&callees).any(|line| line.is_unknown);
                    assert!(!is_unknown, "{at}");
                    assert_eq!(callers.iter().map(cost).sum::<i64>(), truth, "{at}");
                    assert!(callees.iter().all(|line| cost(line) <= truth), "{at}");
                }
            });
        }
    }
    assert!(often > 150 && all > 300, "{often} of {all} were called several times");
}

/// Whether functions call each other in recursion. Without that, no cost has bounds.
fn has_cycles(profile: &Profile) -> bool {
    let graphs = Graphs::new(profile, &RowOptions::default());
    let graph = &graphs.of.sides.new;
    profile.functions().any(|(id, _)| graph.calls_others_that_call_it(id))
}

/// The rows of several functions, or of a part of one, and their true costs.
fn rows_of_several(program: &Simulated) -> [(RowBy, Vec<(String, i64)>); 3] {
    let numbered = |costs: &[i64], name: &dyn Fn(usize) -> String| {
        costs.iter().enumerate().map(|(number, &cost)| (name(number), cost)).collect()
    };
    let files = program.files.len();
    [
        (RowBy::File, numbered(&program.files, &|number| format!("{number}.c"))),
        (RowBy::Object, numbered(&program.objects, &|number| format!("o{number}"))),
        (
            RowBy::FileFunction,
            numbered(&program.inlined, &|number| format!("{}.c:f{number}", (number + 1) % files)),
        ),
    ]
}

/// The cost of a row whose bounds contain the true cost and what is shown; none without such a row.
fn found_within_bounds(all: &[(String, Shown)], name: &str, truth: i64, at: &str) -> Option<Shown> {
    let found = all.iter().find(|(of, _)| of == name)?.1;
    let Shown { least, shown, most } = found;
    assert!(least <= truth && truth <= most, "{at}: {truth} in {least}..{most}");
    assert!(least <= shown && shown <= most, "{at}: {shown} in {least}..{most}");
    Some(found)
}

/// Bounds contain the true costs of rows of several functions and of parts of functions, and what
/// is shown. The limits are those of the mean errors of both bounds and of what is shown, in
/// percent of the total.
fn bounds_contain_the_true_costs_of_rows_of_several_functions() {
    for (levels, limits) in [(1, [30.0, 4.0, 5.0]), (2, [14.5, 2.6, 3.5])] {
        let (mut errors, mut count, mut exact) = ([0.0; 3], 0, 0);
        for (kind, seed, program) in programs(levels) {
            let profile = read(&program, LEVELS);
            if !has_cycles(&profile) {
                continue;
            }
            for (row_by, rows) in rows_of_several(&program) {
                let all = shown(&profile, row_by);
                for (name, truth) in rows {
                    let at = format!("{kind:?} {seed}: {name} of {}", program.total);
                    let Some(found) = found_within_bounds(&all, &name, truth, &at) else {
                        continue;
                    };
                    let Shown { least, shown, most } = found;
                    count += 1;
                    exact += usize::from(least == most);
                    for (error, number) in errors.iter_mut().zip([least, shown, most]) {
                        *error += (number - truth).abs() as f64 * 100.0 / program.total as f64;
                    }
                }
            }
        }
        let mean = errors.map(|sum| sum / f64::from(count));
        let is_close = mean.iter().zip(limits).all(|(mean, limit)| *mean < limit);
        assert!(is_close, "{levels} levels: {mean:?} of {count} rows");
        assert!(mean[1] < mean[2] / 1.1, "{levels} levels: {mean:?} of {count} rows");
        assert!(exact * 5 > count as usize, "{levels} levels: {exact} of {count} are exact");
    }
}

/// With names that have levels, too: a file costs the same, as `f'2` is on the stack only while `f`
/// is.
fn bounds_of_files_contain_the_true_costs_where_names_have_levels() {
    for (kind, seed, program) in programs(2) {
        let profile = read(&program, SuffixFold::default());
        if !has_cycles(&profile) {
            continue;
        }
        let [files, objects, _] = rows_of_several(&program);
        for (row_by, rows) in [files, objects] {
            let all = shown(&profile, row_by);
            for (name, truth) in rows {
                let at = format!("{kind:?} {seed}: {name} of {}", program.total);
                found_within_bounds(&all, &name, truth, &at);
            }
        }
    }
}

/// By function row its name, and its callers and callees with the costs of outermost activations.
fn for_each_tree(
    profile: &Profile,
    mut each: impl FnMut(&str, Vec<CallLine<'_>>, Vec<CallLine<'_>>),
) {
    let options = RowOptions { row_by: RowBy::Function, ..RowOptions::default() };
    let graphs = Graphs::new(profile, &options);
    let (rows, selection) = (&graphs.rows, all_rows(profile));
    let tree = CallTree::of_outermost(&graphs.of, rows, false);
    for row in rows.all() {
        let [callers, callees] = [PathDirection::Callers, PathDirection::Callees]
            .map(|direction| tree.calls(direction, row, rows, &selection));
        each(&String::from_utf8_lossy(&rows.display_name(row)), callers, callees);
    }
}

fn cost(line: &CallLine<'_>) -> i64 {
    line.cost().value[0].or_zero()
}

/// With levels, callers pay for the outermost activations what the function costs, and nothing that
/// these call costs more.
fn callers_of_outermost_activations_pay_what_a_function_costs() {
    let mut members = 0;
    for (kind, seed, program) in programs(2) {
        let profile = read(&program, LEVELS);
        for_each_tree(&profile, |name, callers, callees| {
            let (number, _) = function(name);
            let truth = program.inclusive[number];
            let at = format!("{kind:?} {seed}: {name}, {truth} of {}", program.total);
            let lines = || callers.iter().chain(&callees);
            assert!(!lines().any(|line| line.is_unknown), "{at}");
            let paid: i64 = callers.iter().map(cost).sum();
            // The first function of a program or a thread is called by nobody.
            let is_called = callers.iter().any(|line| cost(line) > 0);
            assert!(paid == truth || !is_called || matches!(kind, Kind::Threads), "{at}: {paid}");
            assert!(paid <= truth, "{at}: {paid}");
            let spent: i64 = callees.iter().map(cost).sum();
            let largest = callees.iter().map(cost).max().unwrap_or(0);
            assert!(largest <= truth, "{at}: {largest} of {spent}");
            members += usize::from(program.nested[number] > 0);
        });
    }
    assert!(members > 100, "only {members} functions are recursive");
}

/// Without levels, the cost of a call within a cycle is unknown; no other exceeds the total.
fn no_call_costs_more_than_the_program() {
    let (mut known, mut unknown) = (0, 0);
    for (kind, seed, program) in programs(1) {
        for_each_tree(&read(&program, LEVELS), |name, callers, callees| {
            for line in callers.iter().chain(&callees) {
                if line.is_unknown {
                    unknown += 1;
                    continue;
                }
                known += 1;
                let at = format!("{kind:?} {seed}: {name} of {}", program.total);
                // Rare calls that make a cycle are left out of it, and of its costs.
                assert!(cost(line) <= program.total + program.total / 50, "{at}: {}", cost(line));
            }
        });
    }
    assert!(known > 100 && unknown > 100, "{known} known, {unknown} unknown");
}

/// Whatever the minimum, each frame of a stack was called by the one above it, and all costs are
/// there; without a minimum also if nothing below it is kept.
fn stacks_are_recorded_calls_and_have_no_function_twice() {
    for levels in [1, 2] {
        for (kind, seed, program) in some_programs(levels) {
            let profile = read(&program, LEVELS);
            let graphs = Graphs::new(&profile, &RowOptions::default());
            let graph = &graphs.of.sides.new;
            let stacks = Stacks::new(graph, &graphs.rows, 0).ok().unwrap();
            let calls: HashSet<[FunctionId; 2]> =
                graph.arcs().map(|(_, arc)| [graph.caller(arc), arc.callee]).collect();
            for (min_percent, keeps_all) in [(0.0, true), (0.0, false), (5.0, true), (30.0, true)] {
                let mut own = vec![0; profile.function_count()];
                let written =
                    stacks.for_each(min_percent, keeps_all, &graphs.rows, |path, cost| {
                        own[path[path.len() - 1].index()] += cost;
                        let at = format!("{kind:?} {seed}, {min_percent}%: {path:?}");
                        let functions: HashSet<&FunctionId> = path.iter().collect();
                        assert_eq!(functions.len(), path.len(), "{at}");
                        let is_called = |ends: &[FunctionId]| calls.contains(&[ends[0], ends[1]]);
                        assert!(path.windows(2).all(is_called), "{at}");
                        Ok::<(), ()>(())
                    });
                written.unwrap();
                let recorded = profile.functions().map(|(id, _)| {
                    let own = graph.fragments_of(id).map(|at| graph.own(at)[0].or_zero());
                    own.sum::<i64>()
                });
                assert!(own.into_iter().eq(recorded), "{kind:?} {seed}, {min_percent}%");
            }
        }
    }
}

/// Whatever the minimum, and whatever is called in cycles below.
fn frames_outside_cycles_cost_what_their_functions_do() {
    let mut compared = 0;
    for levels in [1, 2] {
        for (kind, seed, program) in some_programs(levels) {
            let profile = read(&program, LEVELS);
            let graphs = Graphs::new(&profile, &RowOptions::default());
            let graph = &graphs.of.sides.new;
            let stacks = Stacks::new(graph, &graphs.rows, 0).ok().unwrap();
            let costs = &graph.inclusive_by_function().costs;
            for min_percent in [0.0, 5.0, 30.0] {
                let mut drawn = vec![0; profile.function_count()];
                let written = stacks.for_each(min_percent, true, &graphs.rows, |path, cost| {
                    path.iter().for_each(|function| drawn[function.index()] += cost);
                    Ok::<(), ()>(())
                });
                written.unwrap();
                let is_outside = |id: &FunctionId| !graph.calls_others_that_call_it(*id);
                for id in profile.functions().map(|(id, _)| id).filter(is_outside) {
                    let expected = costs.get(id.index())[0].or_zero();
                    let at = format!("{kind:?} {seed}, {levels} levels, {min_percent}%: {id:?}");
                    assert_eq!(drawn[id.index()], expected, "{at}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 100, "only {compared}");
}

/// The self costs below a function by function, how much of their sum is said to be exact, and
/// whether others are divided.
fn below(program: &Simulated, profile: &Profile, function: usize) -> (Vec<i64>, i64, bool) {
    let number = |id: FunctionId| {
        let name = profile.name(profile.function(id).name);
        self::function(str::from_utf8(name).unwrap()).0
    };
    let chosen: Vec<bool> = profile.functions().map(|(id, _)| number(id) == function).collect();
    let (part, cost) = keep(profile, &chosen, Kept::Below, None).unwrap();
    let mut own = vec![0; program.inclusive.len()];
    for (place, cost) in costs(&part) {
        own[number(place.function)] += cost[0].or_zero();
    }
    (own, cost.new.exact[0].or_zero(), cost.new.is_divided[0])
}

fn what_is_said_to_be_exact_below_a_function_is() {
    let (mut exact_parts, mut all_parts) = (0, 0);
    for levels in [1, 2] {
        for (kind, seed, program) in some_programs(levels) {
            let profile = read(&program, SuffixFold::default());
            for function in 0..program.inclusive.len() {
                let (own, exact, is_divided) = below(&program, &profile, function);
                let at = format!("{kind:?} {seed}: f{function}, {levels} levels");
                let truth = &program.below[function];
                if !is_divided {
                    exact_parts += 1;
                    assert_eq!(&own, truth, "{at}");
                }
                all_parts += 1;
                let common = own.iter().zip(truth).map(|(own, truth)| own.min(truth));
                assert!(common.sum::<i64>() >= exact, "{at}");
            }
        }
    }
    assert!(exact_parts * 20 > all_parts, "only {exact_parts} of {all_parts} are exact");
}

/// How far the total below a function and its parts are off, in percent of the program's cost.
fn costs_below_functions_are_close() {
    for (levels, limits) in [(1, [10.0, 6.0]), (2, [1.0, 4.0])] {
        let (mut errors, mut count) = ([0.0; 2], 0);
        for (_, _, program) in some_programs(levels) {
            let profile = read(&program, SuffixFold::default());
            for function in 0..program.inclusive.len() {
                let (own, ..) = below(&program, &profile, function);
                let truth = &program.below[function];
                let total = (own.iter().sum::<i64>() - program.inclusive[function]).abs();
                let parts: i64 =
                    own.iter().zip(truth).map(|(own, truth)| (own - truth).abs()).sum();
                let percent = |cost: i64| cost as f64 * 100.0 / program.total.max(1) as f64;
                errors = [errors[0] + percent(total), errors[1] + percent(parts) / 2.0];
                count += 1;
            }
        }
        let mean = errors.map(|sum| sum / f64::from(count));
        assert!(mean.iter().zip(limits).all(|(mean, limit)| *mean < limit), "{levels}: {mean:?}");
    }
}

/// The members of a cycle are on the stack only while a call that entered it is: below a function
/// outside the cycle, and in the rest, none costs more than the calls that entered it in that part,
/// and their costs in both parts add up. Rounding may add some to what a function calls.
fn members_of_cycles_cost_in_a_part_what_entered_the_cycle_there() {
    let (mut compared, mut divided, mut off) = (0, 0, Vec::new());
    for (kind, seed, program) in some_programs(2) {
        let profile = read(&program, SuffixFold::default());
        let graphs = Graphs::new(&profile, &RowOptions::default());
        let graph = &graphs.of.sides.new;
        let inclusive = |of: &CallGraph<'_>, id: FunctionId| {
            of.inclusive_by_function().costs.get(id.index())[0].or_zero()
        };
        let number = |id: FunctionId| {
            let name = profile.name(profile.function(id).name);
            self::function(str::from_utf8(name).unwrap()).0
        };
        for function in 0..program.inclusive.len() {
            let chosen: Vec<bool> =
                profile.functions().map(|(id, _)| number(id) == function).collect();
            let of_chosen: Vec<usize> = profile
                .functions()
                .filter(|&(id, _)| number(id) == function)
                .map(|(id, _)| graph.component_of(id))
                .collect();
            // The parts of costs and calls are whole numbers.
            let rounding = profile.places.len() as i64;
            let parts = [Kept::Below, Kept::Rest]
                .map(|kept| keep(&profile, &chosen, kept, None).unwrap().0);
            let of_parts = parts.each_ref().map(|part| Graphs::new(part, &RowOptions::default()));
            for (member, _) in profile.functions().filter(|&(id, _)| graph.has_exact_levels(id)) {
                let component = graph.component_of(member);
                // Calls that led to the function are in the part below, but are not below it.
                if of_chosen.contains(&component) || !parts[0].has_part_of(member) {
                    continue;
                }
                let is_outside = |id: FunctionId| graph.component_of(id) != component;
                let all = inclusive(graph, member);
                // Where nothing but the calls tells that a function is not nested, a part does not.
                let is_known = |of: &&Graphs<'_>| {
                    let graph = &of.of.sides.new;
                    graph.has_exact_levels(member) || !graph.calls_others_that_call_it(member)
                };
                if !of_parts.iter().all(|of| is_known(&of)) {
                    continue;
                }
                let costs = of_parts.each_ref().map(|of| inclusive(&of.of.sides.new, member));
                let is_within = |(of_part, &cost): (&Graphs<'_>, &i64)| {
                    let part = &of_part.of.sides.new;
                    let members = profile.functions().map(|(id, _)| id);
                    let members = members.filter(|&id| !is_outside(id));
                    let entered: i64 = members
                        .flat_map(|id| part.into(id))
                        .filter(|&(_, arc)| is_outside(part.caller(arc)))
                        .map(|(id, _)| part.cost(id)[0].or_zero())
                        .sum();
                    cost <= entered + rounding
                };
                let is_whole = (costs[0] + costs[1] - all).abs() <= rounding;
                if !is_whole || !of_parts.iter().zip(&costs).all(is_within) {
                    let at = format!("{kind:?} {seed}: {member:?} below f{function}");
                    off.push(format!("{at}: {costs:?}, {all}"));
                }
                compared += 1;
                divided += usize::from(costs.iter().all(|&cost| cost > 0));
            }
        }
    }
    assert!(divided > 50 && compared > divided, "{divided} of {compared}");
    // In few programs the shares of a cycle are made larger or smaller together, so that what is
    // below costs what the chosen function does: then what a member spent is not what was paid for
    // it.
    assert!(off.len() * 200 <= compared, "{} of {compared}: {off:?}", off.len());
}
