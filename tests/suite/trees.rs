//! Callers and callees over several levels, in all profiles of testdata: no line costs more than
//! the one above it, and neither do all lines below it, and none more than its function. Of a
//! difference each side has the lines of its profile.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde_json::Value;

use cgannotate::internal::view::{PathDirection, PathEnd, PathOptions, PathTrees};

use crate::common::corpus::{profiles, testdata};
use crate::common::formats::{array, json};
use crate::common::generated::laws::readable;
use crate::common::generated::tables::Graphs;
use crate::common::program::{Folder, PROGRAM, assert_has, limited, program};

trials![
    lines_cost_no_more_than_the_line_above,
    each_side_of_a_difference_has_the_lines_of_its_profile,
    a_tree_has_a_bound,
    all_trees_of_a_report_have_a_bound
];

fn lines_cost_no_more_than_the_line_above() {
    let mut compared = 0;
    for (path, profile) in profiles() {
        // Of costs with both signs, a part may be larger than the whole.
        if profile.negative_events()[0] {
            continue;
        }
        let Graphs { of, rows } = Graphs::new(&profile, &readable());
        let options = PathOptions {
            end: PathEnd::Depth(6),
            total: 1,
            is_of_selected: false,
            min_percent: 0.0,
            cuts_direct: false,
            hides_unknown: false,
        };
        let trees = PathTrees::new(&of, &rows, vec![0], options);
        let inclusive = of.sides.new.inclusive(&rows.partition);
        // Costs of functions in cycles are estimated, also if a rare call makes the cycle.
        let functions = profile.functions().map(|(id, _)| id);
        let members: HashSet<_> = functions
            .filter(|&id| of.sides.new.calls_others_that_call_it(id))
            .map(|member| rows.of_function(member))
            .collect();
        for row in rows.all().take(300) {
            for direction in [PathDirection::Callers, PathDirection::Callees] {
                let tree = trees.tree(direction, row).unwrap();
                // What is left of the lines above the current one.
                let mut left: Vec<i128> = Vec::new();
                for line in &tree.lines {
                    let cost = i128::from(line.cost.value[0].or_zero());
                    left.truncate(line.level);
                    if let Some(left) = left.last_mut() {
                        *left -= cost;
                        assert!(*left >= 0, "{path:?} {row:?} {direction:?}: {line:?}");
                        compared += 1;
                    }
                    left.push(cost);
                    // A function that does not recurse costs no more on a path than on all.
                    let end = line.rows().last().unwrap();
                    if direction == PathDirection::Callees && !members.contains(&end) {
                        let all = i128::from(inclusive.costs.get(end.index())[0].or_zero());
                        assert!(cost <= all, "{path:?} {row:?}: {line:?} of {all}");
                    }
                }
            }
        }
    }
    assert!(compared > 1000, "where are the profiles?");
}

/// The lines of all trees, each with the path from its row to it and its cost on a side.
fn paths(report: &Value, side: Option<&str>) -> BTreeMap<Vec<String>, Value> {
    let mut paths = BTreeMap::new();
    for row in array(&report["rows"]) {
        let name = |function: &Value| format!("{}:{}", function["file"], function["function"]);
        for direction in ["callers", "callees"] {
            // The ends of the lines above.
            let mut above: Vec<usize> = Vec::new();
            let mut path = vec![name(row), direction.to_owned()];
            for line in array(&row["tree"][direction]) {
                above.truncate(line["level"].as_u64().unwrap() as usize);
                path.truncate(above.last().copied().unwrap_or(2));
                let of_side = side.map_or(line, |side| &line[side]);
                let cost = &of_side["inclusive"];
                for function in array(&line["functions"]) {
                    path.push(name(function));
                    if !cost.is_null() {
                        paths.insert(path.clone(), cost.clone());
                    }
                }
                above.push(path.len());
            }
        }
    }
    paths
}

fn each_side_of_a_difference_has_the_lines_of_its_profile() {
    let [a, b] = ["words/words.out", "words/words-longer.out"].map(testdata);
    let options = ["--tree=both", "--depth=5", "--min=0"];
    let json = |more: &[&str], profile: &Path| json(&[&options, more].concat(), profile).unwrap();
    let base = format!("--diff={}", a.display());
    let difference = json(&["--match=exact", &base], &b);
    for (side, whole) in [("base", json(&[], &a)), ("new", json(&[], &b))] {
        let (found, expected) = (paths(&difference, Some(side)), paths(&whole, None));
        assert!(found.len() > 50, "{side}: {}", found.len());
        for (path, cost) in found {
            assert_eq!(expected.get(&path), Some(&cost), "{side}: {path:?}");
        }
    }
}

fn a_tree_has_a_bound() {
    let mut profile = "events: Ir\nfn=main\n1 1\n".to_owned();
    for function in 0..12_000 {
        profile += &format!("cfn=f{function}\ncalls=1 1\n1 5\n");
    }
    let args = ["--tree=callees", "--depth=2", "--min=0", "--auto=no", "-"];
    let text = program().args(args).stdin(profile).run().page();
    assert_eq!(text.matches("> f").count(), 10_000);
    let more = "     (more than 10,000 rows: the rest is not shown)\n";
    assert_has(&text, &[more]);
}

/// Each function calls the next one, and the last the first if it is a circle: all trees together
/// have the square of their number of rows, and their indentation would be the cube.
fn all_trees_of_a_report_have_a_bound() {
    const FUNCTIONS: usize = 2_000;
    let profile = |last: usize| {
        let functions = (0..FUNCTIONS).map(|number| {
            let next = (number + 1) % FUNCTIONS;
            let cost = FUNCTIONS - number;
            let calls = format!("cfn=f{next}\ncalls=1 1\n1 {cost}\n");
            let calls = if number < last { &calls } else { "" };
            format!("fn=f{number}\n1 1\n{calls}")
        });
        format!("events: Ir\nfl=a.c\n{}", functions.collect::<String>())
    };
    let folder =
        Folder::with(&[("chain", &profile(FUNCTIONS - 1)), ("circle", &profile(FUNCTIONS))]);
    for (name, options) in [
        ("chain", "--auto=no --tree=callees"),
        ("chain", "--auto=no --width=100 --tree=callers"),
        ("chain", "--format=csv --tree=both"),
        ("circle", "--format=json --tree=both"),
        ("circle", "--auto=no --tree=both"),
    ] {
        let run = limited("-v 1048576", "timeout")
            .args(["60", PROGRAM])
            .args(options.split(' '))
            .args(["--depth=1000000", "--min=0", "--threshold=100", name]);
        let output = run.in_dir(folder.path("")).run();
        let (page, error) = (output.page(), output.error());
        assert!(page.len() < 40 << 20, "{name} {options}: {}", page.len());
        let text = "rows have trees: those of all rows have more than 100,000 lines\n";
        let is_text = options.starts_with("--auto");
        // The last line of the list.
        let is_last = page
            .trim_end()
            .rsplit("\n\n")
            .take(4)
            .any(|part| (part.to_owned() + "\n").contains(text));
        assert_eq!(is_last, is_text, "{name} {options}");
        assert_eq!(error.contains(text), !is_text, "{name} {options}");
        if options.contains("json") {
            let value: Value = serde_json::from_str(&page).unwrap();
            let rows = array(&value["rows"]);
            let complete = rows.iter().filter(|row| row["tree"]["complete"] == true).count();
            assert!((10..FUNCTIONS).contains(&complete), "{complete}");
        }
    }
}
