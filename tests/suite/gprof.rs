//! Conservation in gprof's views, as they are printed: the parts of each line add up, callers pay for what
//! an entry costs, and the flat profile adds up to the total.

use std::path::{Path, PathBuf};

use crate::common::corpus::{self, testdata};
use crate::common::gprof_page::{self, CallGraph, Entry};
use crate::common::program::{Output, program};

trials![
    callers_pay_for_what_entries_cost,
    options_of_gprof_that_are_not_offered_say_why,
    options_that_have_no_meaning_for_samples_say_why,
    options_are_bundled_and_take_values_as_in_gprof,
    annotated_sources_are_written_to_files_of_their_own,
    a_symspec_that_matches_nothing_is_reported,
    the_sum_has_addresses_jumps_and_targets,
    the_sum_is_a_profile
];

fn print(options: &[&str], profile: &Path) -> String {
    program()
        .arg("gprof")
        .args(options)
        .arg(profile)
        .run()
        .page()
}

/// The total that is 100%, from the heading.
fn total(page: &str) -> i64 {
    let (_, rest) = page.split_once("100% are ").unwrap();
    rest.split(' ')
        .next()
        .unwrap()
        .replace(',', "")
        .parse()
        .unwrap()
}

/// All costs as one number.
fn inclusive(line: &gprof_page::Line) -> i64 {
    let (own, children) = line.cost.unwrap_or_default();
    own as i64 + children as i64
}

/// Checks that an entry costs what its callers pay, and what it spends itself and pays for its callees. A member of a cycle
/// is paid together with the others.
fn check(profile: &Path) {
    let page = print(&["-q", "-z"], profile);
    let graph = gprof_page::read(&page);
    let at = |entry: &Entry| {
        format!(
            "{} [{}] in {}",
            entry.line.name,
            entry.line.index,
            profile.display()
        )
    };
    let cycle_of = |entry: &Entry| entry.line.cycle;
    let mut own_costs = 0;
    for entry in &graph.entries {
        let (own, children) = entry.line.cost.unwrap();
        let paid: i64 = entry.callees.iter().map(inclusive).sum();
        if let Some(number) = entry.cycle_number() {
            let all = inclusive(&entry.line);
            let members: i64 = entry.members.iter().map(inclusive).sum();
            assert_eq!(members, all, "members of {}", at(entry));
            assert_eq!(paid, children as i64, "callees of {}", at(entry));
            let by_callers: i64 = entry.callers.iter().map(inclusive).sum();
            assert_eq!(by_callers, all, "callers of {}", at(entry));
            let of_members = received(&graph, |e| cycle_of(e) == Some(number));
            assert_eq!(of_members, all, "callers of members of {}", at(entry));
            check_calls(entry, &graph, &at(entry));
            continue;
        }
        own_costs += own as i64;
        assert_eq!(paid, children as i64, "children of {}", at(entry));
        if entry.line.cycle.is_none() && !entry.is_spontaneous {
            let index = entry.line.index;
            assert_eq!(
                received(&graph, |e| e.line.index == index),
                inclusive(&entry.line),
                "{}",
                at(entry)
            );
        }
        check_calls(entry, &graph, &at(entry));
    }
    assert_eq!(own_costs, total(&page), "{}", profile.display());
    check_flat(profile, total(&page));
}

/// What callers pay for entries; nothing can be said of those that also were entered without a call.
fn received(graph: &CallGraph, is_meant: impl Fn(&Entry) -> bool) -> i64 {
    let entries = graph
        .entries
        .iter()
        .filter(|entry| !entry.is_cycle() && is_meant(entry));
    entries
        .flat_map(|entry| &entry.callers)
        .map(inclusive)
        .sum()
}

/// The calls of an entry are those of its callers, and so are the calls of which each line says it is a part.
fn check_calls(entry: &Entry, graph: &CallGraph, at: &str) {
    let (calls, self_calls) = entry.line.calls.unwrap_or_default();
    let is_self = |line: &&gprof_page::Line| line.index == entry.line.index;
    let sum = |lines: &mut dyn Iterator<Item = &gprof_page::Line>| {
        lines.map(|line| line.calls.unwrap().0).sum::<i64>()
    };
    assert_eq!(
        calls,
        sum(&mut entry.callers.iter().filter(|line| !is_self(line))),
        "calls of {at}"
    );
    if !entry.is_cycle() {
        assert_eq!(
            self_calls.unwrap_or(0),
            sum(&mut entry.callers.iter().filter(is_self)),
            "self calls of {at}"
        );
    }
    let mut cycles = graph.entries.iter().filter(|other| other.is_cycle());
    let cycle = cycles.find(|other| other.cycle_number() == entry.line.cycle);
    let all = cycle.map_or(calls, |cycle| cycle.line.calls.map_or(0, |calls| calls.0));
    for of in entry
        .callers
        .iter()
        .filter_map(|line| line.calls.unwrap().1)
    {
        assert_eq!(of, all, "n/m of {at}");
    }
}

fn check_flat(profile: &Path, total: i64) {
    for options in [&["-p"][..], &["-p", "-l"]] {
        let page = print(options, profile);
        let rows = page.lines().skip_while(|line| !line.ends_with("  name"));
        let number = |row: &str, at: usize| {
            let word = row.split_whitespace().nth(at).unwrap().replace(',', "");
            word.parse::<i64>().unwrap()
        };
        let rows: Vec<&str> = rows.skip(1).collect();
        let at = format!("{options:?} {}", profile.display());
        assert_eq!(
            rows.iter().map(|row| number(row, 2)).sum::<i64>(),
            total,
            "{at}"
        );
        assert_eq!(rows.last().map_or(0, |row| number(row, 1)), total, "{at}");
    }
}

/// Profiles whose calls and costs agree: those that callgrind wrote of a complete run.
fn profiles() -> Vec<PathBuf> {
    let words = testdata("words");
    let files = std::fs::read_dir(&words)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut profiles: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|end| end == "out"))
        .collect();
    profiles.push(words.with_file_name("programs/mutual.out"));
    profiles.extend(corpus::more_files());
    assert!(profiles.len() >= 3, "where are the profiles?");
    profiles
}

fn callers_pay_for_what_entries_cost() {
    profiles().iter().for_each(|profile| check(profile));
}

/// The options of gprof that are not offered, as it spells them.
const REFUSED: [[&str; 2]; 7] = [
    ["-a", "--no-static"],
    ["-c", "--static-call-graph"],
    ["-d", "--debug=3"],
    ["-Omagic", "--file-format=bsd"],
    ["-Rmap", "--file-ordering=map"],
    ["-Ssymbols", "--external-symbol-table=symbols"],
    ["-T", "--traditional"],
];

fn options_of_gprof_that_are_not_offered_say_why() {
    for option in REFUSED.as_flattened() {
        for options in [
            vec![*option],
            vec!["-b", "-p", option, "testdata/words/words.out"],
        ] {
            let output = run(&options);
            assert_eq!(output.status, 2, "{options:?}");
            let error = output.error();
            assert_eq!(error.lines().count(), 1, "{error}");
            let says_why =
                error.contains(" is not supported: ") || error.contains("allgrind profile");
            assert!(says_why || error.contains("Callgrind's format"), "{error}");
            assert!(output.out.is_empty(), "{options:?}");
        }
    }
}

fn options_that_have_no_meaning_for_samples_say_why() {
    let folder = corpus::files_of_case("gmon/all-lines");
    for (option, why) in [
        ("--sort=us", "--sort: gprof's data has one event"),
        ("--show=us", "--show: gprof's data has one event"),
        ("--event=x=us", "--event: gprof's data has one event"),
        ("--part=1", "--part: gprof's data has no parts"),
        ("--thread=1", "--thread: gprof's data has no threads"),
        (
            "--fold=callers",
            "--fold: names in gprof's data have no suffixes of callers",
        ),
    ] {
        let program = program().in_dir(&folder);
        let output = program.args(["gprof", option, "prog", "gmon.out"]).run();
        let error = String::from_utf8(output.err).unwrap();
        assert_eq!(
            (output.status, error.trim_end()),
            (2, &*format!("error: {why}"))
        );
    }
}

fn run(options: &[&str]) -> Output {
    let run = program().arg("gprof").args(options);
    run.in_dir(env!("CARGO_MANIFEST_DIR")).run()
}

/// What one of the views prints for the profile of testdata.
fn view(options: &[&str]) -> String {
    run(&[options, &["testdata/words/words.out"]].concat()).page()
}

fn options_are_bundled_and_take_values_as_in_gprof() {
    let same: [(&[&str], &[&str]); 11] = [
        (&["-b"], &["-p", "-q"]),
        (&["-bp"], &["-p"]),
        (&["-lp"], &["-l", "--flat-profile"]),
        (&["-pmain"], &["--flat-profile=main"]),
        (&["-bpmain"], &["-p=main"]),
        (&["-qfind", "-ecalloc"], &["--graph=find", "-e", "calloc"]),
        (&["-P"], &["-q"]),
        (&["-D", "-O", "auto", "--file-format=auto"], &["-b"]),
        (&["--no-demangle"], &["--demangle=none"]),
        (&["--demangle=gnu-v3", "-e", "find"], &["-efind"]),
        (&["-Q"], &["-p"]),
    ];
    for (a, b) in same {
        assert_eq!(view(a), view(b), "{a:?} {b:?}");
    }
    assert_ne!(view(&["-pmain"]), view(&["-p"]));
    // Symspecs of the graph alone match something too.
    let flat = run(&["-p", "-fmain", "-Nfind", "testdata/words/words.out"]);
    assert_eq!(flat.error(), "");
    let nothing = run(&["-P", "-Q", "testdata/words/words.out"]);
    assert_eq!(nothing.status, 2);
    let version = run(&["-v"]);
    assert_eq!(version.out, run(&["--version"]).out);
    assert!(version.status == 0);
}

fn annotated_sources_are_written_to_files_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let case = corpus::files_of_case("gprof/annotated");
    let run = |options: &[&str]| {
        let run = program().arg("gprof").args(options);
        let files = [&case.join("profile.out"), Path::new("-I"), &case];
        run.args(files).in_dir(folder.path()).run()
    };
    let printed = run(&["-A"]).page();
    assert!(run(&["-A", "-y"]).page().is_empty());
    let written = ["a.c", "b.c"].map(|name| {
        let text = std::fs::read_to_string(folder.path().join(format!("{name}-ann"))).unwrap();
        assert!(text.contains("Top 10 Lines:"), "{text}");
        text
    });
    let without_titles: Vec<_> = printed
        .lines()
        .filter(|line| !line.starts_with("*** File "))
        .collect();
    assert_eq!(without_titles.join("\n") + "\n", written.join("\n\x0c\n"));
}

fn a_symspec_that_matches_nothing_is_reported() {
    let words = "testdata/words/words.out";
    for options in [
        ["-p", "-pnosuch"],
        ["-q", "-fnosuch"],
        ["-A", "-Awords.c:1"],
    ] {
        let output = run(&[&options[..], &[words]].concat());
        assert_eq!(output.status, 1, "{options:?}");
        assert!(output.out.is_empty(), "{options:?}");
        assert!(
            output.error().contains("no function matches"),
            "{options:?}"
        );
    }
    for options in [["-q", "-knosuch/"], ["-C", "-Znosuch"], ["-q", "-enosuch"]] {
        let output = run(&[&options[..], &[words]].concat());
        assert_eq!(output.status, 0, "{options:?}");
        let note = output.error();
        assert!(
            note.starts_with("cgannotate: note: ") && note.lines().count() == 1,
            "{note}"
        );
        assert_eq!(output.out, run(&[options[0], words]).out, "{options:?}");
    }
}

fn the_sum_has_addresses_jumps_and_targets() {
    let folder = tempfile::tempdir().unwrap();
    let profile = corpus::files_of_case("written/jumps").join("profile.out");
    let run = |options: &[&str]| {
        let run = program().args(options).arg(&profile);
        run.in_dir(folder.path()).run().page()
    };
    run(&["gprof", "-s"]);
    let sum = std::fs::read_to_string(folder.path().join("callgrind.sum")).unwrap();
    assert!(
        sum.contains("jump=") && sum.contains("positions: instr line"),
        "{sum}"
    );
    assert_eq!(sum, run(&["--format=callgrind"]));
}

fn the_sum_is_a_profile() {
    let folder = tempfile::tempdir().unwrap();
    let profile = testdata("words/words.out");
    let profile = profile.to_str().unwrap();
    let run = |options: &[&str]| {
        program()
            .arg("gprof")
            .args(options)
            .in_dir(folder.path())
            .run()
            .page()
    };
    assert_eq!(run(&["-s", profile, profile]), "");
    assert_eq!(
        run(&["-b", "callgrind.sum"]),
        run(&["-b", profile, profile])
    );
    assert_eq!(
        total(&run(&["-sp", profile, "callgrind.sum"])),
        3 * total(&run(&["-p", profile]))
    );
    assert_eq!(
        total(&run(&["-p", "callgrind.sum"])),
        3 * total(&run(&["-p", profile]))
    );
}
