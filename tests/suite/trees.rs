//! Callers and callees over several levels, in all profiles of testdata: no line costs more than the one above it, and
//! neither do all lines below it.

use cgannotate::view::{Item, PathDirection, PathOptions, PathTrees};

use crate::laws::readable;
use crate::program::program;
use crate::sums::profiles;
use crate::tables::Graphs;

#[test]
fn lines_cost_no_more_than_the_line_above() {
    let mut compared = 0;
    for (path, profile) in profiles() {
        let Ok(Graphs {
            sides,
            cycles,
            rows,
        }) = Graphs::new(&profile, &readable())
        else {
            continue;
        };
        let options = PathOptions { depth: 6, least: 1 };
        let trees = PathTrees::new(&sides.new, &rows, &cycles, vec![0], options);
        let Ok(trees) = trees else { continue };
        for row in rows.all().take(300) {
            for direction in [PathDirection::Callers, PathDirection::Callees] {
                let tree = trees.tree(direction, Item::Row(row));
                // What is left of the lines above the current one.
                let mut left: Vec<i128> = Vec::new();
                for line in &tree.lines {
                    let cost = i128::from(line.cost[0].or_zero());
                    left.truncate(line.level);
                    if let Some(left) = left.last_mut() {
                        *left -= cost;
                        assert!(*left >= 0, "{path:?} {row:?} {direction:?}: {line:?}");
                        compared += 1;
                    }
                    left.push(cost);
                }
            }
        }
    }
    assert!(compared > 1000, "where are the profiles?");
}

#[test]
fn a_tree_has_a_bound() {
    let mut profile = "events: Ir\nfn=main\n1 1\n".to_owned();
    for function in 0..12_000 {
        profile += &format!("cfn=f{function}\ncalls=1 1\n1 5\n");
    }
    let args = ["--tree=callees", "--depth=2", "--min=0", "--auto=no", "-"];
    let output = program().args(args).stdin(profile).run();
    let text = String::from_utf8(output.out).unwrap();
    assert_eq!(text.matches("> ").count(), 10_000);
    assert!(text.contains("     (more than 10,000 rows: the rest is not shown)\n"));
}
