//! Conservation: in every view of every profile in testdata the self costs add up to what its lines say.

use cgannotate::internal::profile::{Profile, SuffixFold};
use cgannotate::internal::read::ReadOptions;
use cgannotate::internal::view::{Filter, List, Pattern, RowOptions, Rows, Rule, Total, filter};

use crate::common::corpus::{profiles, profiles_read};
use crate::common::generated::laws::{charges_are_conserved, nested_costs_add_up, readable};
use crate::common::generated::tables::{self, Graphs, all_rows, read_difference};

trials![
    the_rows_add_up_to_the_cost_lines,
    no_function_of_a_real_program_costs_more_than_the_program,
    a_difference_adds_up_to_the_change_of_the_total,
    what_is_listed_and_what_is_not_add_up,
    folded_profiles_add_up_to_the_same,
    what_is_charged_to_callers_is_conserved
];

/// The sum of one event over all lines of the list.
pub fn sum(list: &List, rows: &Rows<'_>, event: usize) -> i64 {
    list.lines(rows)
        .map(|line| line.cost.value[event].or_zero())
        .sum()
}

/// What the parts' cost lines add up to.
pub fn counted(profile: &Profile, event: usize) -> i64 {
    i64::try_from(tables::counted(profile)[event]).unwrap()
}

fn the_rows_add_up_to_the_cost_lines() {
    for (path, profile) in profiles() {
        nested_costs_add_up(&profile);
        let (selection, total) = (all_rows(&profile), Total::of(&profile));
        let rows = Rows::new(&profile, &readable());
        let list = List::by_self_cost(&profile, &rows, &selection, &total);
        for event in 0..profile.events().len() {
            assert_eq!(
                sum(&list, &rows, event),
                counted(&profile, event),
                "{}",
                path.display()
            );
        }
    }
}

fn no_function_of_a_real_program_costs_more_than_the_program() {
    for (path, profile) in profiles()
        .into_iter()
        .filter(|(path, _)| path.to_string_lossy().contains("/words/"))
    {
        let total = Total::of(&profile);
        let graphs = Graphs::new(&profile, &readable());
        let list = graphs.list(&all_rows(&profile));
        assert!(list.items.len() > 50);
        for line in list.lines(&graphs.rows) {
            assert!(
                line.cost.value[0].or_zero() <= total.figure.value[0].or_zero(),
                "{} {:?}",
                path.display(),
                line.label
            );
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
        let total = Total::of(&difference);
        nested_costs_add_up(&difference);
        let selection = all_rows(&difference);
        let rows = Rows::new(&difference, &readable());
        let list = List::by_self_cost(&difference, &rows, &selection, &total);
        compared += 1;
        for (event, name) in difference.events().names().enumerate() {
            let of = |side: &Profile| {
                let event = side.events().find(name);
                event.map_or(0, |event| counted(side, event))
            };
            assert_eq!(
                sum(&list, &rows, event),
                of(&new) - of(&base),
                "{} less {}",
                path.display(),
                base_path.display()
            );
        }
    }
    assert!(compared > 50, "only {compared} of the pairs fit");
}

fn what_is_listed_and_what_is_not_add_up() {
    let pattern = |text| Some(Pattern::parse(text).unwrap());
    let exclude = vec![Rule {
        function: pattern("*a*"),
        ..Rule::default()
    }];
    let include = vec![Rule {
        file: pattern("/[b-m]/"),
        ..Rule::default()
    }];
    let choices = vec![
        filter::IncludeExclude {
            include,
            exclude: Vec::new(),
        },
        filter::IncludeExclude {
            include: Vec::new(),
            exclude,
        },
    ];
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
        for event in 0..profile.events().len() {
            let more = omitted.more.cost.value[event].or_zero();
            let not_chosen = omitted.not_chosen.cost.value[event].or_zero();
            let listed = sum(&list, &rows, event);
            let chosen = omitted.chosen.as_ref().unwrap();
            assert_eq!(listed + more, chosen.cost.value[event].or_zero());
            assert_eq!(
                listed + more + not_chosen,
                counted(&profile, event),
                "{}",
                path.display()
            );
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
    let fold = SuffixFold {
        callers: true,
        recursion: true,
    };
    let options = ReadOptions {
        fold,
        ..ReadOptions::default()
    };
    let mut folded_any = 0;
    for ((path, profile), (_, folded)) in profiles().into_iter().zip(profiles_read(&options)) {
        folded_any += usize::from(folded.functions().count() < profile.functions().count());
        let calls = |profile: &Profile| tables::calls(profile).map(|call| call.count).sum::<i64>();
        assert_eq!(calls(&folded), calls(&profile), "{}", path.display());
        let (selection, total) = (all_rows(&folded), Total::of(&folded));
        let rows = Rows::new(&folded, &readable());
        let list = List::by_self_cost(&folded, &rows, &selection, &total);
        for event in 0..profile.events().len() {
            assert_eq!(sum(&list, &rows, event), counted(&profile, event));
        }
    }
    assert!(folded_any >= 3, "where are levels and contexts?");
}

fn what_is_charged_to_callers_is_conserved() {
    for (_, profile) in profiles() {
        charges_are_conserved(&profile);
    }
}
