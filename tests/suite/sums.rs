//! Conservation: in every view of every profile in testdata the self costs add up to what its lines say.

use cgannotate::internal::profile::{Count, Profile};
use cgannotate::internal::read::ReadOptions;
use cgannotate::internal::view::{
    Filter, Item, List, Pattern, RowBy, RowOptions, Rows, Rule, Total, filter, self_costs,
};

use crate::common::corpus::{self, profiles, profiles_by, profiles_read};
use crate::common::generated::laws::sums::{rows_add_up, sum_of};
use crate::common::generated::laws::{
    charges_are_conserved, nested_costs_add_up, readable, rows_by,
};
use crate::common::generated::tables::{self, Graphs, all_rows, counted, read_difference};

trials![
    rows_of_every_kind_add_up_to_the_cost_lines,
    what_is_nested_in_rows_adds_up,
    no_row_of_a_real_program_costs_more_than_the_program_or_less_than_itself,
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

fn no_row_of_a_real_program_costs_more_than_the_program_or_less_than_itself() {
    // Each kind with the number of rows that there are more of.
    for (row_by, least) in [
        (RowBy::FileFunction, 50),
        (RowBy::File, 0),
        (RowBy::Object, 0),
        (RowBy::Namespace, 0),
        (RowBy::Name, 0),
        (RowBy::Line, 1000),
    ] {
        let mut profiles = profiles_by(row_by);
        profiles.retain(|(path, _)| path.to_string_lossy().contains("/words/"));
        corpus::for_each(&profiles, |profile| {
            let total = Total::of(profile).figure.value[0].or_zero();
            let graphs = Graphs::new(profile, &rows_by(row_by));
            let own = self_costs(profile, &graphs.rows);
            let mut defined = 0;
            for line in graphs.list(&all_rows(profile)).lines(&graphs.rows) {
                let (label, inclusive) = (&line.label, line.cost.value[0]);
                defined += usize::from(inclusive != Count::UNDEFINED);
                let inclusive = inclusive.or_zero();
                assert!(inclusive <= total, "{label:?}: {inclusive} of {total}");
                match line.item {
                    Item::Row(row) => {
                        let own = own.get(row.index()).value[0].or_zero();
                        assert!(own <= inclusive, "{label:?}: {inclusive}, self {own}");
                    }
                    Item::Cycle(_) => assert_eq!(row_by, RowBy::FileFunction),
                }
            }
            assert!(defined > least, "{row_by:?}: {defined} rows");
        });
        assert!(!profiles.is_empty());
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
        let chosen = omitted.chosen.as_ref().unwrap();
        assert_eq!(other.chosen.unwrap().cost, chosen.cost);
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
