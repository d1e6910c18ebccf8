//! What happened below functions and the rest are together the profile, in lists of every kind, and
//! in differences and series as in the reports of each profile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::corpus::testdata;
use crate::common::program::print_of;
use crate::suite::reports::{Profiles, Report, add, assert_same, generated, without_zeros};

trials![
    parts_of_real_profiles_add_up,
    charged_costs_of_parts_add_up,
    parts_of_generated_profiles_add_up,
    lines_and_calls_of_real_profiles_add_up,
    lines_below_the_only_way_in_are_those_of_the_profile,
    a_function_below_itself_costs_what_it_does_in_the_profile,
    differences_and_series_have_the_parts_of_each_profile,
    a_sum_of_programs_has_the_parts_of_each_program,
    a_sum_of_threads_has_the_parts_of_each_thread
];

/// Options of lists whose self costs add up.
const LISTS: [&str; 5] = [
    "",
    "--inclusive --fold=callers,recursion",
    "--group-by=file",
    "--group-by=object --inclusive",
    "--group-by=namespace",
];

/// The self costs of both parts together, and of the profile.
fn sums(profiles: &Profiles, options: &str, pattern: &str) -> [Report; 2] {
    let is_self = |event: &String| !event.ends_with(".inclusive");
    let events: BTreeSet<String> = profiles.events("a").into_iter().filter(is_self).collect();
    let of = |part: &str| {
        let mut report = profiles.list(&format!("{options} {part}"), &["a"]);
        report.values_mut().for_each(|counts| counts.retain(|event, _| events.contains(event)));
        report
    };
    let parts = ["below", "without"].map(|option| of(&format!("--{option}={pattern}")));
    [together(parts), without_zeros(of(""))]
}

fn together([mut sum, other]: [Report; 2]) -> Report {
    for (row, counts) in other {
        let of_row = sum.entry(row).or_default();
        counts.iter().for_each(|(event, &count)| add(of_row, event, count));
    }
    without_zeros(sum)
}

fn parts_of_real_profiles_add_up() {
    let patterns = [
        ("words/words.out", "find"),
        ("words/words.sim.out", "_dl_*"),
        ("lua/v5.4.4.out", "luaV_execute"),
        ("lua/v5.5.0.out", "luaM_*"),
    ];
    for (name, pattern) in patterns {
        let profiles = Profiles::new(&[&fs::read(testdata(name)).unwrap()]);
        for options in LISTS {
            let [sum, all] = sums(&profiles, options, pattern);
            assert_same(&sum, &all, &format!("{name} {options}"));
        }
    }
}

/// The code of libraries is charged by what callers paid in each part, so that only the totals are
/// the same.
fn charged_costs_of_parts_add_up() {
    let profiles = Profiles::new(&[&fs::read(testdata("words/words.sim.out")).unwrap()]);
    let [sum, all] = sums(&profiles, "--charge-to-callers=std", "find");
    let total = |report: &Report, event: &str| -> i128 {
        report.values().filter_map(|counts| counts.get(event)).sum()
    };
    for event in ["Ir", "Dr", "Dw", "Bc"] {
        assert!(total(&all, event) > 0);
        assert_eq!(total(&sum, event), total(&all, event), "{event}");
    }
}

fn parts_of_generated_profiles_add_up() {
    let mut compared = 0;
    for seed in 0..12 {
        let profiles = Profiles::new(&[&generated(seed)]);
        let names = profiles.list("", &["a"]);
        let name = names.keys().filter_map(|name| name.rsplit(':').next());
        let plain = name.filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        for name in plain.take(2) {
            let [sum, all] = sums(&profiles, "", name);
            assert_same(&sum, &all, &format!("seed {seed}, {name}"));
            compared += 1;
        }
    }
    assert!(compared > 5, "only {compared}");
}

/// The inclusive cost of each call, too, but for those of callers that only led to the function:
/// they are no rows below it.
fn lines_and_calls_of_real_profiles_add_up() {
    for (name, pattern) in [("words/words.out", "find"), ("lua/v5.4.4.out", "luaH_*")] {
        let profiles = Profiles::new(&[&fs::read(testdata(name)).unwrap()]);
        let of = |option: &str| profiles.details(&[&format!("--{option}={pattern}"), "a"]);
        let row_of = |line: &str| line.split(" line ").next().unwrap().to_owned();
        let below = of("below");
        let rows_below: BTreeSet<String> = below.keys().map(|line| row_of(line)).collect();
        let compared = |report: Report| -> Report {
            let is_compared =
                |line: &String| !line.contains(" > ") || rows_below.contains(&row_of(line));
            report.into_iter().filter(|(line, _)| is_compared(line)).collect()
        };
        let all = compared(profiles.details(&["a"]));
        assert!(all.keys().filter(|line| line.contains(" > ")).count() > 1, "{name}");
        assert_same(&compared(together([below, of("without")])), &all, name);
    }
}

/// The most expensive lines of a report, with their first inclusive costs.
fn costly_lines(profile: &Path, options: &[&str]) -> BTreeMap<String, i64> {
    let options = [&["--format=json", "--lines=yes", "-n", "0"], options].concat();
    let json: Value = serde_json::from_slice(&print_of(&options, profile).unwrap()).unwrap();
    let lines = json["lines"].as_array().unwrap().iter();
    let place = |line: &Value| format!("{}:{}", line["file"], line["line"]);
    lines.map(|line| (place(line), line["inclusive"][0].as_i64().unwrap())).collect()
}

/// All that the lines of a program call was called by main, so that they cost as much below main as
/// in the whole profile, also in recursion.
fn lines_below_the_only_way_in_are_those_of_the_profile() {
    let mut compared = 0;
    for name in ["lua/v5.4.4.out", "lua/v5.3.6.out", "programs/mutual.out", "words/words.out"] {
        let path = testdata(name);
        let all = costly_lines(&path, &[]);
        for (line, cost) in costly_lines(&path, &["--below=main"]) {
            if let Some(&expected) = all.get(&line) {
                assert_eq!(cost, expected, "{name}: {line}");
                compared += 1;
            }
        }
    }
    assert!(compared > 8, "only {compared}");
}

/// A function costs as much below itself as in the whole profile, if it is known which of its calls
/// are nested. What happened below it costs that, too, but where functions of a cycle always have
/// the function above them and spent more than was paid for them.
fn a_function_below_itself_costs_what_it_does_in_the_profile() {
    let (mut compared, mut equal) = (0, 0);
    for name in ["lua/v5.4.4.out", "lua/v5.5.0.out", "words/words.out"] {
        let path = testdata(name);
        let read = |options: &[&str]| -> Value {
            let options = [&["--format=json", "--fold=recursion"], options].concat();
            serde_json::from_slice(&print_of(&options, &path).unwrap()).unwrap()
        };
        let all = read(&["--threshold=100", "--inclusive"]);
        let rows = all["rows"].as_array().unwrap();
        for row in rows.iter().take(25) {
            let function = row["function"].as_str().unwrap();
            let is_one = rows.iter().filter(|other| other["function"] == row["function"]).count()
                == 1
                && row["inclusive_range"].is_null()
                && !function.contains([':', '(', '<']);
            if is_one {
                let below = read(&[&format!("--below={function}"), "-f", function]);
                let (total, inclusive) = (&below["total"][0], &below["rows"][0]["inclusive"][0]);
                assert_eq!(inclusive, &row["inclusive"][0], "{name}: {function}");
                assert!(total.as_i64() >= inclusive.as_i64(), "{name}: {function}");
                compared += 1;
                equal += usize::from(total == inclusive);
            }
        }
    }
    assert!(compared > 50 && equal * 10 > compared * 9, "{equal} of {compared}");
}

fn differences_and_series_have_the_parts_of_each_profile() {
    let read = |name| fs::read(testdata(name)).unwrap();
    let [a, b] = ["lua/v5.4.0.out", "lua/v5.4.4.out"].map(read);
    let profiles = Profiles::new(&[&a, &b]);
    for options in ["--below=luaV_execute", "--without=luaH_*", "--below=lua_* --group-by=file"] {
        let alone = ["a", "b"].map(|name| profiles.list(options, &[name]));
        let [of_a, of_b] = &alone;
        for (side, label, alone, other) in [("base", "a", of_a, of_b), ("new", "b", of_b, of_a)] {
            let difference = profiles.columns(side, options, &["--diff=a", "b"]);
            let series = profiles.columns(label, options, &["--series", "a", "b"]);
            assert!(difference.len() > 3, "{options}: {difference:?}");
            assert_same(&series, &difference, &format!("{options} {label}"));
            let mut listed = alone.clone();
            listed.retain(|name, _| difference.contains_key(name));
            // A function that is divided in the other profile may have calls of unknown number.
            let has_calls = |report: &Report, name: &str| report[name].contains_key("calls");
            for (name, counts) in &mut listed {
                let is_known_of_other = !other.contains_key(name) || has_calls(other, name);
                if !is_known_of_other && !has_calls(&difference, name) {
                    counts.remove("calls");
                }
            }
            assert_same(&difference, &listed, &format!("{options} {label} alone"));
        }
    }
}

/// Programs call nothing of each other, so that no function of one is divided by the calls of the
/// other.
fn a_sum_of_programs_has_the_parts_of_each_program() {
    let read = |name| fs::read(testdata(name)).unwrap();
    let [a, b] = ["lua/v5.4.0.out", "lua/v5.5.0.out"].map(read);
    let profiles = Profiles::new(&[&a, &b]);
    for options in ["--below=luaV_execute", "--without=luaH_*", "--below=lua_* --group-by=file"] {
        let self_costs = |names: &[&str]| {
            let mut report = profiles.list(options, names);
            report.values_mut().for_each(|counts| counts.retain(|event, _| event == "Ir"));
            report
        };
        let [of_a, of_b] = ["a", "b"].map(|name| self_costs(&[name]));
        assert!(of_a.len() + of_b.len() > 1, "{options}: {of_a:?}");
        assert_same(&without_zeros(self_costs(&["a", "b"])), &together([of_a, of_b]), options);
    }
}

/// The same of threads; `work` was called below `f` in the first and the second one, and elsewhere
/// in the first and the third.
fn a_sum_of_threads_has_the_parts_of_each_thread() {
    let thread = |number: usize, calls: &[(&str, usize)]| {
        let work: usize = calls.iter().map(|call| call.1).sum();
        let mut text = format!("pid: 1\nthread: {number}\nevents: Ir\nfn=work\n1 {work}\n");
        for (name, cost) in calls {
            text += &format!("fn={name}\n2 1\ncfn=work\ncalls=1 1\n3 {cost}\n");
        }
        text
    };
    let [a, b, c] = [
        thread(1, &[("f", 100), ("g", 200)]),
        thread(2, &[("f", 1000)]),
        thread(3, &[("g", 4000)]),
    ];
    let profiles = Profiles::new(&[a.as_bytes(), b.as_bytes(), c.as_bytes()]);
    for (options, work) in [("--below=f", 100 + 1000), ("--without=f", 200 + 4000)] {
        let report = profiles.list(options, &["a", "b", "c"]);
        let costs: Vec<i128> = report
            .iter()
            .filter(|(name, _)| name.ends_with("work"))
            .map(|(_, counts)| counts["Ir"])
            .collect();
        assert_eq!(costs, [work], "{options}: {report:?}");
    }
}
