//! Conservation in gprof's views, as they are printed: the parts of each line add up, callers pay
//! for what an entry costs, and the flat profile adds up to the total.

use std::path::Path;

use crate::common::corpus::{self, path_of, testdata};
use crate::common::formats::shown;
use crate::common::generated::elf::{self, Machine};
use crate::common::gprof_page::{self, CallGraph, Entry, Line};
use crate::common::program::{Folder, Output, assert_has, printed, program};

trials![
    callers_pay_for_what_entries_cost,
    options_are_bundled_and_take_values_as_in_gprof,
    annotated_sources_are_written_to_files_of_their_own,
    annotated_sources_have_other_names_where_the_usual_ones_are_taken,
    the_sum_is_a_profile,
    the_sum_has_addresses_jumps_targets_and_names_as_they_are,
    an_odd_address_of_arm_is_thumb_code
];

fn print(options: &[&str], profile: &Path) -> String {
    let page = printed(&[&["gprof", "-b"], options].concat(), profile);
    String::from_utf8_lossy(&page).into_owned()
}

/// The total that is 100%, from the heading.
fn total(page: &str) -> i64 {
    let (_, rest) = page.split_once("100% are ").unwrap();
    shown(rest.split(' ').next().unwrap()).unwrap()
}

/// All costs as one number.
fn inclusive(line: &Line) -> i64 {
    let (own, children) = line.cost.unwrap_or_default();
    own as i64 + children as i64
}

fn sum(lines: &[Line]) -> i64 {
    lines.iter().map(inclusive).sum()
}

/// Checks that an entry costs what its callers pay, and what it spends itself and pays for its
/// callees. A member of a cycle is paid together with the others.
fn check(profile: &Path) {
    let page = print(&["-q", "-z"], profile);
    let graph = gprof_page::read(&page);
    let mut own_costs = 0;
    for entry in &graph.entries {
        let line = &entry.line;
        let at = format!("{} [{}] in {}", line.name, line.index, profile.display());
        let (own, children) = line.cost.unwrap();
        assert_eq!(sum(&entry.callees), children as i64, "callees of {at}");
        if let Some(number) = entry.cycle_number() {
            let all = inclusive(line);
            assert_eq!(sum(&entry.members), all, "members of {at}");
            assert_eq!(sum(&entry.callers), all, "callers of {at}");
            let of_members = received(&graph, |other| other.cycle == Some(number));
            assert_eq!(of_members, all, "callers of members of {at}");
        } else {
            own_costs += own as i64;
            if line.cycle.is_none() && !entry.is_spontaneous {
                let received = received(&graph, |other| other.index == line.index);
                assert_eq!(received, inclusive(line), "{at}");
            }
        }
        check_calls(entry, &graph, &at);
    }
    assert_eq!(own_costs, total(&page), "{}", profile.display());
    check_flat(profile, total(&page));
}

/// What callers pay for entries; nothing can be said of those that also were entered without a
/// call.
fn received(graph: &CallGraph, is_meant: impl Fn(&Line) -> bool) -> i64 {
    let entries = graph.entries.iter().filter(|entry| !entry.is_cycle() && is_meant(&entry.line));
    entries.map(|entry| sum(&entry.callers)).sum()
}

/// The calls of an entry are those of its callers, and so are the calls of which each line says it
/// is a part. The calls within a cycle are those of its members by other members and by themselves.
fn check_calls(entry: &Entry, graph: &CallGraph, at: &str) {
    let (calls, self_calls) = entry.line.calls.unwrap_or_default();
    let is_itself = |line: &Line| line.index == entry.line.index;
    assert!(!entry.callers.iter().chain(&entry.callees).any(is_itself), "lines of {at}");
    let of_callers: i64 = entry.callers.iter().map(|line| line.calls.unwrap().0).sum();
    assert_eq!(calls, of_callers, "calls of {at}");
    if entry.is_cycle() {
        let of_members = entry.members.iter().map(|line| line.calls.unwrap_or_default());
        let within: i64 = of_members.map(|(others, own)| others + own.unwrap_or(0)).sum();
        assert_eq!(self_calls.unwrap_or(0), within, "calls within {at}");
    }
    let mut cycles = graph.entries.iter().filter(|other| other.is_cycle());
    let cycle = cycles.find(|other| other.cycle_number() == entry.line.cycle);
    let all = cycle.map_or(calls, |cycle| cycle.line.calls.map_or(0, |calls| calls.0));
    let callers = entry.callers.iter();
    for of in callers.filter_map(|line| line.calls.unwrap().1) {
        assert_eq!(of, all, "n/m of {at}");
    }
}

fn check_flat(profile: &Path, total: i64) {
    for options in [&["-p"][..], &["-p", "-l"]] {
        let rows = gprof_page::flat(&print(options, profile));
        let at = format!("{options:?} {}", profile.display());
        let sum: i64 = rows.iter().map(|[_, own]| own).sum();
        assert_eq!(sum, total, "{at}");
        let last = rows.last().map_or(0, |[cumulative, _]| *cumulative);
        assert_eq!(last, total, "{at}");
    }
}

/// Profiles whose calls and costs agree: those that callgrind wrote of a complete run.
fn callers_pay_for_what_entries_cost() {
    let all = "words/words.out words/words-longer.out words/words.sim.out programs/mutual.out";
    all.split(' ').for_each(|profile| check(&testdata(profile)));
}

const WORDS: &str = "testdata/words/words.out";

fn run(options: &[&str]) -> Output {
    let run = program().arg("gprof").args(options);
    run.in_dir(env!("CARGO_MANIFEST_DIR")).run()
}

fn options_are_bundled_and_take_values_as_in_gprof() {
    let view = |options: &str| {
        let options = options.split(' ').chain([WORDS]);
        run(&options.collect::<Vec<_>>()).page()
    };
    for (a, b) in [
        ("-b", "-b -p -q"),
        ("-bp", "-b -p"),
        ("-lp", "-l --flat-profile"),
        ("-pmain", "--flat-profile=main"),
        ("-bpmain", "--brief -p=main"),
        ("-qfind -ecalloc", "--graph=find -e calloc"),
        ("-P", "-q"),
        ("-D -O auto --file-format=auto", "-p -q"),
        ("--no-demangle", "--demangle=none"),
        ("--demangle=gnu-v3 -e find", "-efind"),
        ("-Q", "-p"),
    ] {
        assert_eq!(view(a), view(b), "{a:?} {b:?}");
    }
    assert_ne!(view("-pmain"), view("-p"));
    // Symspecs of the graph alone match something too.
    assert_eq!(run(&["-p", "-fmain", "-Nfind", WORDS]).error(), "");
    assert_eq!(run(&["-P", "-Q", WORDS]).status, 2);
    assert_eq!(run(&["-v"]).page(), run(&["--version"]).page());
}

fn annotated_sources_are_written_to_files_of_their_own() {
    let folder = Folder::with(&[]);
    let case = corpus::files_of_case("gprof/annotated").display().to_string();
    let profile = format!("{case}/profile.out");
    let page = |options: &[&str]| folder.page(&[options, &[&profile, "-I", &case]].concat());
    let printed = page(&["gprof", "-A"]);
    assert!(page(&["gprof", "-A", "-y"]).is_empty());
    let written = ["a.c-ann", "b.c-ann"].map(|name| folder.read(name));
    written.iter().for_each(|text| assert_has(text, &["Top 10 Lines:"]));
    let lines = printed.lines().filter(|line| !line.starts_with("*** File "));
    let without_titles = lines.collect::<Vec<_>>().join("\n") + "\n";
    assert_eq!(without_titles, written.join("\n\x0c\n"));
}

/// The usual name is a link to the source, or too long for the file system.
fn annotated_sources_have_other_names_where_the_usual_ones_are_taken() {
    let long = "l".repeat(250) + ".c";
    let main = format!("fl=a.c\nfn=main\n1 1\ncfi={long}\ncfn=f\ncalls=1 1\n1 1\n");
    let profile = format!("events: Ir\n{main}fl={long}\nfn=f\n1 1\n");
    let text = "int main(void) { f(); }\n";
    let folder = Folder::with(&[("p.out", &profile), ("a.c", text), (&long, "void f(void) {}\n")]);
    std::fs::hard_link(folder.path("a.c"), folder.path("a.c-ann")).unwrap();
    assert!(folder.page(&["gprof", "-A", "-y", "-z", "p.out"]).is_empty());
    assert_eq!(folder.read("a.c"), text);
    assert_has(&folder.read("a.ann"), &["int main(void)"]);
    assert_has(&folder.read(&("l".repeat(250) + ".ann")), &["1 -> void f(void) {}"]);
}

fn the_sum_is_a_profile() {
    let (folder, profile) = (Folder::with(&[]), path_of("words/words.out"));
    let page = |options: &[&str]| folder.page(&[&["gprof"], options].concat());
    assert_eq!(page(&["-s", &profile, &profile]), "");
    let sum = page(&["-b", "callgrind.sum"]);
    assert_eq!(sum, page(&["-b", &profile, &profile]));
    let three = 3 * total(&page(&["-p", &profile]));
    assert_eq!(total(&page(&["-sp", &profile, "callgrind.sum"])), three);
    assert_eq!(total(&page(&["-p", "callgrind.sum"])), three);
}

fn the_sum_has_addresses_jumps_targets_and_names_as_they_are() {
    let jumps = corpus::files_of_case("written/jumps").join("profile.out");
    let text = std::fs::read_to_string(jumps).unwrap().replace("fn=", "fn=\x1b[m");
    let folder = Folder::with(&[("p.out", &text)]);
    folder.page(&["gprof", "-s", "-w", "80", "p.out"]);
    let sum = folder.read("callgrind.sum");
    assert_has(&sum, &["jump=", "positions: instr line", ") \x1b[m"]);
    assert_eq!(sum, folder.page(&["--format=callgrind", "p.out"]));
}

fn an_odd_address_of_arm_is_thumb_code() {
    let arm = Machine { is_wide: false, is_big: false, number: 40 };
    let pages = [0x1040, 0x1041].map(|address| {
        let folder = Folder::with(&[]);
        let symbols = [(0x1000, "main", 1, 2, true), (address, "f", 1, 2, true)];
        folder.write("prog", elf::program(arm, (0x1000, 0x1080), &symbols));
        let mut data = elf::gmon(arm);
        data.calls(0x1010, 0x1040, 3);
        folder.write("gmon.out", data.bytes);
        folder.page(&["gprof", "-b", "-q", "prog", "gmon.out"])
    });
    assert_has(&pages[0], &["3/3", "main [", "f ["]);
    assert_eq!(pages[0], pages[1]);
}
