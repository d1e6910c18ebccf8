//! The laws (`common::generated::laws`) for all profiles of testdata and their differences: in every view the self costs add up
//! to what the lines say.

use std::cell::Cell;
use std::path::PathBuf;

use cgannotate::internal::profile::{Count, Profile};
use cgannotate::internal::read::{Detail, ReadOptions};
use cgannotate::internal::view::{
    Filter, Item, List, Pattern, RowBy, RowOptions, Rows, Rule, Total, filter, self_costs,
};

use crate::common::corpus::{self, profiles, profiles_by, profiles_read};
use crate::common::generated::laws::sums::{rows_add_up, sum_of};
use crate::common::generated::laws::{self, readable, rows_by};
use crate::common::generated::tables::{self, Graphs, all_rows, counted, read_difference};

trials![
    costs_are_the_same_in_all_views,
    costs_are_the_same_in_all_views_of_folded_profiles,
    instructions_and_jumps_are_written_back,
    lines_add_up,
    threads_and_parts_cost_what_their_parts_do,
    a_difference_adds_up_to_the_change_of_the_total,
    what_is_listed_and_what_is_not_add_up
];

/// Checks all views, and that enough members of cycles are among the functions.
fn check_views(profiles: &[(PathBuf, Profile)]) {
    let members = Cell::new(0);
    corpus::for_each(profiles, |profile| {
        let more = laws::costs_are_the_same_in_all_views(profile, b"/nowhere/");
        members.set(members.get() + more);
    });
    let members = members.get();
    assert!(members >= 40, "only {members} members of cycles");
}

fn costs_are_the_same_in_all_views() {
    check_views(&profiles());
}

fn costs_are_the_same_in_all_views_of_folded_profiles() {
    let options = ReadOptions {
        fold: corpus::BOTH_SUFFIXES,
        ..ReadOptions::default()
    };
    let all = profiles_read(&options);
    let mut folded_any = 0;
    for ((path, profile), (_, folded)) in profiles().iter().zip(&all) {
        folded_any += usize::from(folded.functions().count() < profile.functions().count());
        let calls = |profile: &Profile| tables::calls(profile).map(|call| call.count).sum::<i64>();
        assert_eq!(calls(folded), calls(profile), "{}", path.display());
        assert_eq!(counted(folded), counted(profile), "{}", path.display());
    }
    assert!(folded_any >= 3, "where are levels and contexts?");
    check_views(&all);
}

fn instructions_and_jumps_are_written_back() {
    let options = ReadOptions {
        detail: Detail {
            code: true,
            ..Detail::default()
        },
        ..ReadOptions::default()
    };
    let jumps = |profile: &Profile| {
        profile
            .sides()
            .new
            .code()
            .map_or(0, |code| code.jumps.len())
    };
    let mut with_jumps = profiles_read(&options);
    with_jumps.retain(|(_, profile)| jumps(profile) > 0);
    assert!(with_jumps.len() > 5, "only {} have jumps", with_jumps.len());
    corpus::for_each(&with_jumps, laws::exports_are_read_back);
}

/// Lines cost what the cost lines of all of them add up to, and no line costs more than the program or less than itself.
fn lines_add_up() {
    corpus::for_each(&profiles_by(RowBy::Line), |profile| {
        rows_add_up(profile, RowBy::Line, &counted(profile));
        laws::rows_are_within_bounds(profile);
    });
}

fn threads_and_parts_cost_what_their_parts_do() {
    for row_by in [RowBy::Thread, RowBy::Part] {
        corpus::for_each(&profiles_by(row_by), |profile| {
            rows_add_up(profile, row_by, &counted(profile));
            let graphs = Graphs::new(profile, &rows_by(row_by));
            let rows = &graphs.rows;
            let own = self_costs(rows);
            for line in graphs.list(&all_rows(profile)).lines(rows) {
                let Item::Row(row) = line.item else {
                    panic!("a cycle of {row_by:?}");
                };
                let cost = line.cost.value[0];
                assert_eq!(cost, own.get(row.index()).value[0]);
                let name = rows.display_name(row);
                let parts = (1..).zip(profile.parts()).filter(|(number, part)| {
                    let number = number.to_string().into_bytes();
                    match row_by {
                        RowBy::Thread => part.thread.clone().unwrap_or_default()[..] == *name,
                        _ => part.part_number.clone().unwrap_or(number)[..] == *name,
                    }
                });
                let of_parts = parts.filter_map(|(_, part)| {
                    let column = part.columns.iter().position(|&event| event == 0)?;
                    part.self_cost.get(column)?.value()
                });
                assert_eq!(cost.or_zero(), of_parts.sum::<i64>());
            }
        });
    }
}

fn a_difference_adds_up_to_the_change_of_the_total() {
    let mut all = profiles();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    let others = all.split_off(all.len() / 2);
    let mut compared = 0;
    for ((path, new), (base_path, base)) in all.into_iter().zip(others) {
        let difference = read_difference(&path, &base_path).unwrap();
        let of_sides = [&new, &base].map(|side| (side, counted(side)));
        let change = difference.events().names().map(|name| {
            let of = |(side, counts): &(&Profile, Vec<i128>)| {
                let event = side.events().find(name);
                event.map_or(0, |event| counts[event])
            };
            of(&of_sides[0]) - of(&of_sides[1])
        });
        let change: Vec<i128> = change.collect();
        corpus::for_each(&[(path, difference)], |difference| {
            laws::nested_costs_add_up(difference);
            rows_add_up(difference, RowBy::FileFunction, &change);
        });
        compared += 1;
    }
    assert!(compared > 50, "only {compared} of the pairs fit");
}

fn what_is_listed_and_what_is_not_add_up() {
    let pattern = |text| Some(Pattern::parse(text).unwrap());
    let mut choices = [(); 2].map(|()| filter::IncludeExclude {
        include: Vec::new(),
        exclude: Vec::new(),
    });
    let rule = Rule::default();
    choices[0].include.push(Rule {
        file: pattern("/[b-m]/"),
        ..rule.clone()
    });
    choices[1].exclude.push(Rule {
        function: pattern("*a*"),
        ..rule
    });
    let choices = choices.into();
    let options = RowOptions {
        filter: Filter { choices },
        ..readable()
    };
    let mut split = 0;
    let all = profiles().into_iter();
    for (path, profile) in all.filter(|(_, profile)| !profile.places().is_empty()) {
        let mut selection = all_rows(&profile);
        (selection.top, selection.shows_omitted) = (Some(3), true);
        let total = Total::of(&profile);
        let rows = Rows::new(&profile, &options);
        let list = List::by_self_cost(&rows, &selection, &total);
        let omitted = list.omitted.as_ref().unwrap();
        split += usize::from(!list.items.is_empty() && omitted.not_chosen.rows > 0);
        let events = profile.events().len();
        let (listed, counted) = (sum_of(&list, &rows, events), counted(&profile));
        let number = |count: Count| i128::from(count.or_zero());
        for event in 0..events {
            let more = number(omitted.more.cost.value[event]);
            let not_chosen = number(omitted.not_chosen.cost.value[event]);
            let chosen = number(omitted.chosen.as_ref().unwrap().cost.value[event]);
            assert_eq!(listed[event] + more, chosen, "{path:?}");
            assert_eq!(chosen + not_chosen, counted[event], "{path:?}");
        }
        let graphs = Graphs::new(&profile, &options);
        let other = graphs.list(&selection).omitted.unwrap();
        let chosen = omitted.chosen.as_ref().unwrap();
        assert_eq!(other.chosen.unwrap().cost, chosen.cost);
        assert_eq!(other.not_chosen.cost, omitted.not_chosen.cost);
    }
    assert!(split >= 30, "the filter divides too few profiles: {split}");
}
