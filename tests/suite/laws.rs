//! The laws (`common::generated::laws`) for all profiles of testdata and their differences: in
//! every view the self costs add up to what the lines say.

use std::fs;

use cgannotate::internal::profile::Profile;
use cgannotate::internal::read::{ReadOptions, parts_of};
use cgannotate::internal::view::{RowBy, self_costs};

use crate::common::corpus::{self, profiles, profiles_by, profiles_read};
use crate::common::generated::laws::sums::rows_add_up;
use crate::common::generated::laws::{self, rows_by};
use crate::common::generated::tables::{self, Graphs, all_rows, counted, read_difference};

trials![
    laws_hold_for_all_profiles,
    costs_are_the_same_in_all_views_of_folded_profiles,
    lines_add_up,
    parts_by_their_names_are_the_file,
    threads_and_parts_cost_what_their_parts_do,
    a_difference_adds_up_to_the_change_of_the_total
];

fn laws_hold_for_all_profiles() {
    let (mut members, mut with_jumps) = (0, 0);
    for path in corpus::files() {
        let text = fs::read(path).unwrap();
        members += laws::hold(&text, &[63], b"/nowhere/").unwrap_or(0);
        for size in [64, 255] {
            laws::chunks_and_gzip_change_nothing(&text, &[size]);
        }
        let code = laws::read_code(&text).ok();
        with_jumps += usize::from(code.is_some_and(|(profile, _)| !profile.jumps.is_empty()));
    }
    assert!(members >= 40, "only {members} members of cycles");
    assert!(with_jumps > 5, "only {with_jumps} have jumps");
}

fn costs_are_the_same_in_all_views_of_folded_profiles() {
    let options = ReadOptions { fold: corpus::BOTH_SUFFIXES, ..ReadOptions::default() };
    let all = profiles_read(&options);
    let mut folded_any = 0;
    for ((path, profile), (_, folded)) in profiles().iter().zip(&all) {
        folded_any += usize::from(folded.functions().count() < profile.functions().count());
        let calls = |profile: &Profile| tables::calls(profile).map(|call| call.count).sum::<i64>();
        assert_eq!(calls(folded), calls(profile), "{}", path.display());
        assert_eq!(counted(folded), counted(profile), "{}", path.display());
    }
    assert!(folded_any >= 3, "where are levels and contexts?");
    corpus::for_each(&all, |profile| {
        laws::costs_are_the_same_in_all_views(profile, b"/nowhere/");
    });
}

fn parts_by_their_names_are_the_file() {
    let mut several = 0;
    for path in corpus::files() {
        laws::named_parts_are_the_file(&path);
        let names = parts_of(&path, &ReadOptions::default());
        several += usize::from(names.is_ok_and(|names| names.len() > 1));
    }
    assert!(several >= 3, "only {several} have several parts");
}

/// Lines cost what the cost lines of all of them add up to, and no line costs more than the program
/// or less than itself.
fn lines_add_up() {
    corpus::for_each(&profiles_by(RowBy::Line), |profile| {
        rows_add_up(profile, RowBy::Line, &counted(profile));
        laws::rows_are_within_bounds(profile);
    });
}

fn threads_and_parts_cost_what_their_parts_do() {
    for row_by in [RowBy::Thread, RowBy::Part] {
        corpus::for_each(&profiles_by(row_by), |profile| {
            // Also what no function has.
            let mut total = vec![0; profile.events().len()];
            for part in profile.parts() {
                for (&event, count) in part.columns.iter().zip(&part.total) {
                    total[event] += i128::from(count.or_zero());
                }
            }
            rows_add_up(profile, row_by, &total);
            let graphs = Graphs::new(profile, &rows_by(row_by));
            let rows = &graphs.rows;
            let own = self_costs(rows);
            for line in graphs.list(&all_rows(profile)).lines(rows) {
                let row = line.item;
                assert!(rows.is_row(row), "a cycle of {row_by:?}");
                let cost = line.cost.value[0];
                assert_eq!(cost, own.get(row.index()).value[0]);
                let name = rows.display_name(row);
                let parts = (1..).zip(profile.parts()).filter(|(number, part)| {
                    let number = number.to_string().into_bytes();
                    match row_by {
                        RowBy::Thread => part.thread.clone().unwrap_or_default()[..] == *name,
                        _ => {
                            let number = part.part_number.as_deref().unwrap_or(&number);
                            let label = [Some(number), part.name()].into_iter().flatten();
                            label.collect::<Vec<_>>().join(&b' ') == *name
                        }
                    }
                });
                let of_parts = parts.filter_map(|(_, part)| {
                    let column = part.columns.iter().position(|&event| event == 0)?;
                    part.total.get(column)?.value()
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
        let change: Vec<i128> = difference
            .events()
            .names()
            .map(|name| {
                let of = |(side, counts): &(&Profile, Vec<i128>)| {
                    let event = side.events().find(name);
                    event.map_or(0, |event| counts[event])
                };
                of(&of_sides[0]) - of(&of_sides[1])
            })
            .collect();
        corpus::for_each(&[(path, difference)], |difference| {
            laws::nested_costs_add_up(difference);
            rows_add_up(difference, RowBy::FileFunction, &change);
        });
        compared += 1;
    }
    assert!(compared > 50, "only {compared} of the pairs fit");
}
