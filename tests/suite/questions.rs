//! Questions of every kind against each other: what is shown and what is not add up.

use std::cell::Cell;

use crate::common::corpus::{self, path_of};
use crate::common::formats::{array, folded, integer, json};
use crate::common::generated::tables::counted;
use crate::common::program::{Folder, assert_has, assert_lacks, print, print_of};

trials![
    what_is_listed_and_what_is_not_add_up,
    each_with_each_shows_and_leaves_out_all_there_is,
    every_question_goes_with_trees_sources_and_pictures,
    a_pattern_of_files_matches_the_same_in_every_format,
    a_hint_to_more_rows_shows_more_rows,
    a_hint_to_callers_matches_one_function
];

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
    // Steps without a common factor with the number of all take each option with most others.
    for (input, step) in inputs.iter().zip([41, 7, 41]) {
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
            // What the text and the table list are the same rows, if both have the levels of
            // recursion.
            arguments.pop();
            arguments.insert(0, "--fold=none".to_owned());
            arguments.extend(["--format=text", "--lines=no"].map(str::to_owned));
            let page = printed(&arguments);
            arguments.truncate(arguments.len() - 2);
            arguments.push("--format=csv".to_owned());
            let csv = printed(&arguments);
            let is_limit = |a: &String| a.starts_with("--top") || a.starts_with("--min");
            if arguments.iter().any(is_limit) {
                let names = csv.lines().skip(1).count();
                // After the header a line with the names of the columns, then the rows. Without rows
                // there is no such line, which begins with blanks.
                let list = page.split("\n\n").nth(1).filter(|list| list.starts_with(' '));
                let rows = list.map_or(0, |list| list.lines().skip(1).count());
                assert_eq!(names, rows, "{arguments:?}\n{page}");
            }
        }
    }
}

fn what_is_listed_and_what_is_not_add_up() {
    let (split, without_row) = (Cell::new(0), Cell::new(0));
    corpus::check_each(90, |path, profile| {
        let options = ["--file=/[b-m]/", "--function=!*a*", "--top=3"];
        let report = |more: &[&str]| json(&[&options, more].concat(), path);
        let (Ok(own), Ok(inclusive)) = (report(&[]), report(&["--inclusive"])) else {
            return false;
        };
        let (rows, rest) = (array(&own["rows"]), &own["rest"]);
        for (event, expected) in counted(profile).into_iter().enumerate() {
            let others = [&rest["more"], &rest["not_chosen"]];
            let all = rows.iter().chain(others);
            let counts = all.map(|row| i128::from(row["self"][event].as_i64().unwrap_or(0)));
            assert_eq!(counts.sum::<i128>(), expected);
            let [no_row, total] = [&rest["of_no_row"], &own["total"]]
                .map(|costs| i128::from(costs[event].as_i64().unwrap_or(0)));
            assert_eq!(no_row.max(0), (total - expected).max(0), "{path:?}");
            without_row.set(without_row.get() + usize::from(no_row > 0));
        }
        let others = &inclusive["rest"]["not_chosen"]["self"];
        assert_eq!(*others, rest["not_chosen"]["self"]);
        let is_split = !rows.is_empty() && integer(&rest["not_chosen"]["rows"]) > 0;
        split.set(split.get() + usize::from(is_split));
        true
    });
    let split = split.get();
    assert!(split >= 30, "the filter divides too few profiles: {split}");
    let without_row = without_row.get();
    assert!(without_row > 0, "all costs of all profiles are in rows");
}

fn every_question_goes_with_trees_sources_and_pictures() {
    let mut largest = 0;
    for mut arguments in combinations().into_iter().step_by(41) {
        let of_lists = ["--inclusive", "--cycles", "--calls", "--threshold"];
        let is_list_only = |a: &String| of_lists.iter().any(|name| a.starts_with(name));
        arguments.push(path_of("words/words.out"));
        arguments.extend(["--tree=both", "--auto=yes", "--context=0"].map(str::to_owned));
        let page = printed(&arguments);
        assert!(page.contains(" Ir"), "{arguments:?}");
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
        largest = largest.max(sum);
    }
    assert_eq!(largest, 722_748);
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
            let option = format!("--format={format}");
            let difference = Some(&["--diff=base.out", "new.out"][..]);
            let difference = difference.filter(|_| format != "callgrind");
            for sides in [&["new.out"][..]].into_iter().chain(difference) {
                let args = [&format!("--file={pattern}")[..], &option];
                let page = folder.page(&[&args, sides].concat());
                assert_has(&page, &["first"]);
                assert_lacks(&page, &["second"]);
            }
        }
    }
}

/// Lists of every kind that leave rows out for every reason.
const SHORT_LISTS: [&str; 13] = [
    "",
    "--lines=no --top=2",
    "--lines=no --min=5",
    "--lines=no --threshold=60",
    "--lines=no --top=50 --threshold=60",
    "--lines=no --min=10 --threshold=60",
    "--lines=no --top=1 --min=10",
    "--lines=no --sort=Ir:50",
    "--lines=no --sort=calls --top=2",
    "--lines=no --show=Ir/Ir --sort=Ir/Ir --top=1",
    "--inclusive --top=2",
    "--group-by=file --top=1",
    "--group-by=line --top=2",
];

/// The number of rows that a list leaves out, with those of a difference that have no change, and
/// what lists them.
fn more_rows(text: &str) -> Option<(u64, &str)> {
    let number_before = |line: &str, words: &str| {
        let (rows, _) = line.split_once(words)?;
        rows.replace(',', "").parse::<u64>().ok()
    };
    let unchanged: u64 =
        text.lines().filter_map(|line| number_before(line, " rows without a change")).sum();
    text.lines().find_map(|line| {
        let rows = number_before(line, " more ")?;
        Some((rows + unchanged, line.split_once(": ").map_or("", |(_, hint)| hint)))
    })
}

fn a_hint_to_more_rows_shows_more_rows() {
    let text_of = |options: &str, files: &[String]| {
        let common = ["--format=text", "--width=0", "--auto=no"].map(str::to_owned);
        let options = shlex::split(options).unwrap();
        let out = print(common.iter().chain(&options).chain(files)).ok()?;
        String::from_utf8(out).ok()
    };
    let paths =
        || corpus::files().into_iter().filter_map(|path| path.into_os_string().into_string().ok());
    let [words, longer] = ["words/words.out", "words/words-longer.out"].map(path_of);
    let difference = vec![format!("--diff={words}"), longer];
    let inputs = paths().map(|path| vec![path]).chain([difference]);
    let mut followed = 0;
    // Each profile has every fourth of the short lists, and each list every fourth profile.
    let lists = inputs.enumerate().flat_map(|(number, files)| {
        let lists = SHORT_LISTS.iter().skip(number % 4).step_by(4);
        lists.map(move |options| (files.clone(), options))
    });
    for (files, options) in lists {
        let Some(text) = text_of(options, &files) else {
            continue;
        };
        let Some((rows, hint)) = more_rows(&text).filter(|(_, hint)| !hint.is_empty()) else {
            continue;
        };
        let again = text_of(&format!("{options} {hint}"), &files)
            .unwrap_or_else(|| panic!("{options} {hint} {files:?}: refused"));
        let left = more_rows(&again).map_or(0, |(rows, _)| rows);
        assert!(left < rows, "{options} {hint} {files:?}: {left} of {rows} rows are left out");
        followed += 1;
    }
    assert!(followed > 200, "only {followed} lists have a hint");
}

fn a_hint_to_callers_matches_one_function() {
    let mut followed = 0;
    for path in corpus::files() {
        let options = ["--format=text", "--width=0", "--auto=no", "--lines=no", "--top=20"];
        let Ok(out) = print_of(&options, &path) else {
            continue;
        };
        let out = String::from_utf8_lossy(&out).into_owned();
        let Some((_, hint)) = out.split_once("callers: --tree=callers ") else {
            continue;
        };
        let hint = hint.lines().next().unwrap().split("      ").next().unwrap();
        let all: Vec<String> = ["--format=json", "--fold=recursion"]
            .map(str::to_owned)
            .into_iter()
            .chain(shlex::split(hint).unwrap())
            .chain([path.to_str().unwrap().to_owned()])
            .collect();
        let json: serde_json::Value = serde_json::from_str(&printed(&all)).unwrap();
        let rows = array(&json["rows"]).len();
        assert_eq!(rows, 1, "{hint} {}", path.display());
        followed += 1;
    }
    assert!(followed > 20, "only {followed} lists have such a hint");
}
