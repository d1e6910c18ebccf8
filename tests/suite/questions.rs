//! Questions of every kind against each other, on all profiles of testdata: what is shown and what is not add up.

use std::collections::HashMap;

use cgannotate::internal::profile::{Count, Profile};
use cgannotate::internal::read::ReadOptions;
use cgannotate::internal::view::{CallTree, Item, Label, RowBy, RowOptions};

use crate::common::corpus::{self, path_of, profiles, testdata};
use crate::common::formats::folded;
use crate::common::generated::laws::rows_by;
use crate::common::generated::tables::{Graphs, all_rows, calls, read_difference, read_file};
use crate::common::program::{Folder, assert_has, assert_lacks, print};

trials![
    each_row_of_a_difference_costs_the_difference,
    calls_of_rows_are_all_calls,
    each_with_each_shows_and_leaves_out_all_there_is,
    every_question_goes_with_trees_sources_and_pictures,
    a_pattern_of_files_matches_the_same_in_every_format
];

const GROUPINGS: [RowBy; 5] = [
    RowBy::FileFunction,
    RowBy::File,
    RowBy::Object,
    RowBy::Namespace,
    RowBy::Name,
];

/// The rows of a profile by inclusive cost, by their name, and by their file unless they are groups.
fn inclusive(profile: &Profile, row_by: RowBy) -> HashMap<(Vec<u8>, Vec<u8>), Vec<Count>> {
    let options = RowOptions {
        exact_match: true,
        ..rows_by(row_by)
    };
    let graphs = Graphs::new(profile, &options);
    let list = graphs.list(&all_rows(profile));
    let key = |label| match label {
        Label::Group { name, .. } => Some((Vec::new(), name.into_owned())),
        Label::Function { file, name, .. } => Some((file.to_vec(), name.into_owned())),
        Label::Line { .. } | Label::Cycle(_) => None,
    };
    let lines = list.lines(&graphs.rows);
    lines
        .filter_map(|row| Some((key(row.label)?, row.cost.value.to_vec())))
        .collect()
}

fn each_row_of_a_difference_costs_the_difference() {
    let [new, base] = ["words/words-longer.out", "words/words.out"].map(testdata);
    for (new, base) in [(&new, &base), (&base, &new)] {
        let difference = read_difference(new, base).unwrap();
        let [new, base] = [new, base].map(|path| read_file(path, &ReadOptions::default()).unwrap());
        for row_by in GROUPINGS {
            let (of_new, of_base) = (inclusive(&new, row_by), inclusive(&base, row_by));
            let of_difference = inclusive(&difference, row_by);
            assert!(of_difference.len() >= of_new.len().max(of_base.len()));
            for (name, cost) in of_difference {
                let count = |costs: &HashMap<_, Vec<Count>>| {
                    costs.get(&name).map_or(0, |cost| cost[0].or_zero())
                };
                let expected = count(&of_new) - count(&of_base);
                assert_eq!(cost[0].or_zero(), expected, "{name:?}");
            }
        }
    }
}

/// Each call is one by others or by the row itself; between groups those that leave are those that arrive.
fn calls_of_rows_are_all_calls() {
    corpus::for_each(&profiles(), |profile| {
        let mut selection = all_rows(profile);
        selection.calls = true;
        let all: i64 = calls(profile).map(|call| call.count).sum();
        for row_by in GROUPINGS {
            let graphs = Graphs::new(profile, &rows_by(row_by));
            let counts = graphs.list(&selection);
            let counts = counts.items.iter().zip(counts.call_counts().unwrap());
            let of_rows = counts.filter(|(item, _)| matches!(item, Item::Row(_)));
            let sums = of_rows.map(|(_, (calls, _))| {
                calls.value.by_others.or_zero() + calls.value.recursive.or_zero()
            });
            assert_eq!(sums.sum::<i64>(), all, "{row_by:?}");
            if !row_by.is_group() {
                continue;
            }
            let (rows, selection) = (&graphs.rows, all_rows(profile));
            let tree = CallTree::new(&graphs.sides, rows, &graphs.cycles);
            let (mut into, mut out) = (0, 0);
            for row in rows.all().map(Item::Row) {
                let (callers, callees) = (
                    tree.callers(row, rows, &selection),
                    tree.callees(row, rows, &selection),
                );
                into += callers
                    .iter()
                    .map(|line| line.count.counted.value)
                    .sum::<i64>();
                out += callees
                    .iter()
                    .map(|line| line.count.counted.value)
                    .sum::<i64>();
            }
            assert_eq!(into, out, "{row_by:?}");
            assert!(into <= all);
        }
    });
}

/// What the program prints for these arguments.
fn printed(arguments: &[String]) -> String {
    let auto = ["--auto=no".to_owned()];
    let out = print(auto.iter().chain(arguments));
    String::from_utf8(out.unwrap_or_else(|error| panic!("{arguments:?}: {error}"))).unwrap()
}

/// Every way to take one of each kind of option.
fn combinations() -> Vec<Vec<String>> {
    let kinds = [
        ", --group-by=file, --group-by=object, --group-by=namespace, --group-by=name",
        ", --function=[a-m]*, --file=!*.h --object=!/ld-/",
        ", --inclusive, --inclusive --cycles=no",
        ", --top=3, --min=1 --threshold=90",
        ", --fold=callers+recursion",
        ", --calls, --sort=calls",
    ];
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    for kind in kinds {
        let with = |words: &Vec<String>, more: &str| {
            let more = more.replace('+', ",");
            let more = more.split_whitespace().map(str::to_owned);
            words.iter().cloned().chain(more).collect()
        };
        let with_each = |words| kind.split(", ").map(move |more| with(words, more));
        all = all.iter().flat_map(with_each).collect();
    }
    all
}

fn each_with_each_shows_and_leaves_out_all_there_is() {
    let [words, longer] = ["words/words.out", "words/words-longer.out"].map(path_of);
    let inputs = [
        vec![words.clone()],
        vec![path_of("profiles/contexts/levels.out")],
        vec![format!("--diff={words}"), longer],
    ];
    // Every so many of them take each option with each other one.
    for (input, step) in inputs.iter().zip([41, 3, 41]) {
        for mut arguments in combinations().into_iter().step_by(step) {
            arguments.extend(input.iter().cloned());
            arguments.push("--format=json".to_owned());
            let json: serde_json::Value = serde_json::from_str(&printed(&arguments)).unwrap();
            let number = |value: &serde_json::Value| value[0].as_i64().unwrap_or(0);
            let rows = json["rows"].as_array().unwrap();
            let listed: i64 = rows.iter().map(|row| number(&row["self"])).sum();
            let rest = &json["rest"];
            let (more, not) = (&rest["more"]["self"], &rest["not_chosen"]["self"]);
            let sum = listed + number(more) + number(not);
            assert_eq!(sum, number(&json["total"]), "{arguments:?}");
            // What the page and the table list are the same rows.
            arguments.pop();
            let page = printed(&arguments);
            arguments.push("--format=csv".to_owned());
            let csv = printed(&arguments);
            let is_limit = |a: &String| a.starts_with("--top") || a.starts_with("--min");
            if arguments.iter().any(is_limit) {
                let names = csv.lines().skip(1).count();
                let list = page.split("PROGRAM TOTALS").nth(1).unwrap();
                let lines = list.lines();
                let lines = lines.filter(|line| line.contains('%') || line.contains("  ."));
                let others = ["not listed", "filters:", "without a change", "Ir before"];
                let lines = lines.filter(|line| !others.iter().any(|text| line.contains(text)));
                assert_eq!(names, lines.count(), "{arguments:?}\n{page}");
            }
        }
    }
}

fn every_question_goes_with_trees_sources_and_pictures() {
    for mut arguments in combinations().into_iter().step_by(41) {
        let of_lists = ["--inclusive", "--cycles", "--calls", "--threshold"];
        let is_list_only = |a: &String| of_lists.iter().any(|name| a.starts_with(name));
        arguments.push(path_of("words/words.out"));
        arguments.extend(["--tree=both", "--auto=yes", "--context=0"].map(str::to_owned));
        let page = printed(&arguments);
        assert!(page.contains("PROGRAM TOTALS"), "{arguments:?}");
        arguments.truncate(arguments.len() - 3);
        arguments.retain(|a| !is_list_only(a));
        arguments.push("--format=dot".to_owned());
        assert!(printed(&arguments).starts_with("digraph"), "{arguments:?}");
        arguments.pop();
        arguments.retain(|a| !a.starts_with("--top"));
        arguments.push("--format=folded".to_owned());
        let stacks = printed(&arguments);
        let stacks = folded(stacks.as_bytes(), 1);
        let sum: i128 = stacks.iter().map(|(_, counts)| counts[0]).sum();
        assert!(sum <= 722_748, "{arguments:?}");
    }
}

fn a_pattern_of_files_matches_the_same_in_every_format() {
    let folder = Folder::with(&[]);
    // The name without links, as a program knows it.
    let dir = folder.path("").canonicalize().unwrap();
    let profile = |cost: u32| {
        let text = format!("fl=DIR/src/a.c\nfn=first\n1 {cost}\nfl=DIR/b.c\nfn=second\n1 5\n");
        format!("events: Ir\n{}", text.replace("DIR", dir.to_str().unwrap()))
    };
    folder.write("new.out", profile(20));
    folder.write("base.out", profile(10));
    let patterns = "src/a.c src/* a.c /^src/ !b.c !/^b/ DIR/src/a.c DIR/src/* !DIR/b.c";
    let formats = "text markdown csv json dot folded callgrind";
    for pattern in patterns.replace("DIR", dir.to_str().unwrap()).split(' ') {
        for format in formats.split(' ') {
            let difference = Some(&["--diff=base.out", "new.out"][..]);
            let difference = difference.filter(|_| format != "callgrind");
            for sides in [&["new.out"][..]].into_iter().chain(difference) {
                let args = [
                    &format!("--file={pattern}")[..],
                    &format!("--format={format}"),
                ];
                let page = folder.page(&[&args, sides].concat());
                assert_has(&page, &["first"]);
                assert_lacks(&page, &["second"]);
            }
        }
    }
}
