//! Conservation: in every view of every profile in testdata the self costs add up to what its lines say.

use cgannotate::internal::profile::{Count, Profile};
use cgannotate::internal::read::ReadOptions;
use cgannotate::internal::view::{
    Filter, List, Pattern, RowBy, RowOptions, Rows, Rule, Total, filter,
};

use crate::common::corpus::{self, profiles, profiles_by, profiles_read};
use crate::common::generated::laws::sums::{rows_add_up, sum_of};
use crate::common::generated::laws::{charges_are_conserved, nested_costs_add_up, readable};
use crate::common::generated::tables::{self, Graphs, all_rows, counted, read_difference};

trials![
    rows_of_every_kind_add_up_to_the_cost_lines,
    what_is_nested_in_rows_adds_up,
    no_function_of_a_real_program_costs_more_than_the_program,
    a_difference_adds_up_to_the_change_of_the_total,
    what_is_listed_and_what_is_not_add_up,
    folded_profiles_add_up_to_the_same,
    what_is_charged_to_callers_is_conserved
];

fn rows_of_every_kind_add_up_to_the_cost_lines() {
    let check = |row_by| move |profile: &Profile| rows_add_up(profile, row_by, &counted(profile));
    let all = profiles();
    for row_by in [
        RowBy::FileFunction,
        RowBy::Function,
        RowBy::File,
        RowBy::Object,
        RowBy::Namespace,
        RowBy::Name,
        RowBy::Bucket,
    ] {
        corpus::for_each(&all, check(row_by));
    }
    for row_by in [RowBy::Line, RowBy::Thread, RowBy::Part] {
        corpus::for_each(&profiles_by(row_by), check(row_by));
    }
}

fn what_is_nested_in_rows_adds_up() {
    corpus::for_each(&profiles(), nested_costs_add_up);
}

fn no_function_of_a_real_program_costs_more_than_the_program() {
    for (path, profile) in profiles() {
        if !path.to_string_lossy().contains("/words/") {
            continue;
        }
        let total = Total::of(&profile).figure.value[0].or_zero();
        let graphs = Graphs::new(&profile, &readable());
        let list = graphs.list(&all_rows(&profile));
        assert!(list.items.len() > 50);
        for line in list.lines(&graphs.rows) {
            let cost = line.cost.value[0].or_zero();
            assert!(cost <= total, "{path:?} {:?}", line.label);
        }
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
            nested_costs_add_up(difference);
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
        let list = List::by_self_cost(&profile, &rows, &selection, &total);
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
        assert_eq!(
            other.chosen.unwrap().cost,
            omitted.chosen.as_ref().unwrap().cost
        );
        assert_eq!(other.not_chosen.cost, omitted.not_chosen.cost);
    }
    assert!(split >= 30, "the filter divides too few profiles: {split}");
}

fn folded_profiles_add_up_to_the_same() {
    let options = ReadOptions {
        fold: corpus::BOTH_SUFFIXES,
        ..ReadOptions::default()
    };
    let mut folded_any = 0;
    for ((path, profile), (_, folded)) in profiles().into_iter().zip(profiles_read(&options)) {
        folded_any += usize::from(folded.functions().count() < profile.functions().count());
        let calls = |profile: &Profile| tables::calls(profile).map(|call| call.count).sum::<i64>();
        assert_eq!(calls(&folded), calls(&profile), "{}", path.display());
        rows_add_up(&folded, RowBy::FileFunction, &counted(&profile));
    }
    assert!(folded_any >= 3, "where are levels and contexts?");
}

fn what_is_charged_to_callers_is_conserved() {
    corpus::for_each(&profiles(), charges_are_conserved);
}
