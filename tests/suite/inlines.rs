//! Objects that are damaged, or whose debug information says what cannot be: what can be read is
//! reported, with the profile's own totals, and nothing fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use object::{Object as _, ObjectSection as _};
use serde_json::Value;

use crate::common::corpus::testdata;
use crate::common::formats::{Csv, array, integer, number, pprof::Pprof};
use crate::common::generated::elf::{Random, X86_64, program_with};
use crate::common::program::{Folder, Output, PROGRAM, assert_has, limited, other_program};
use crate::common::program::{print_both, print_of};
use crate::growth::inlined::{self, Code, Origins, START};

trials![
    a_damaged_object_is_no_failure,
    a_unit_that_cannot_be_read_is_warned_of,
    pprof_has_the_lines_of_inlined_calls,
    sources_show_what_is_inlined_without_the_option,
    functions_nested_deeper_than_compilers_write_are_not_read,
    a_unit_that_is_nested_too_deeply_hides_no_other,
    a_name_is_found_behind_any_number_of_entries,
    debug_information_is_unpacked_in_proportion_to_the_file,
    a_separate_file_of_debug_information_is_a_regular_file_with_a_plain_name
];

/// How many damaged objects are tried.
const OBJECTS: u64 = 400;

fn inputs() -> PathBuf {
    testdata("profiles/inlines")
}

/// The list as CSV, with the object in a folder of its own.
fn list(folder: &Path, inlines: bool) -> (String, String) {
    let map = format!("--source-map=/tmp/demo/inlined/={}/", folder.display());
    let profile = inputs().join("known.out").display().to_string();
    let fixed = ["--format=csv", "--threshold=100"].into_iter();
    let inlines = if inlines { vec!["--inlines", &map] } else { Vec::new() };
    let (out, err) = print_both(fixed.chain([&*profile]).chain(inlines)).unwrap();
    (String::from_utf8(out).unwrap(), err)
}

/// The sum of the self costs of all rows.
fn sum(page: &str) -> i64 {
    let csv = Csv::read(page.as_bytes());
    let own = csv.column("Ir");
    csv.rows.iter().filter_map(|row| number(&row[own])).map(|cost| cost as i64).sum()
}

/// Checks a list of the object in a state that cannot be read, or that can be read differently;
/// returns whether there is a warning.
fn check(folder: &Path, object: &[u8]) -> bool {
    fs::write(folder.join("known"), object).unwrap();
    let (without, _) = list(folder, false);
    let (page, err) = list(folder, true);
    assert_eq!(sum(&page), 249, "{page}");
    assert!(err.is_empty() || page == without, "{page}\n{err}");
    err.contains("warning")
}

fn a_damaged_object_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let object = fs::read(inputs().join("known")).unwrap();
    let mut random = Random(34);
    let damaged = (0..OBJECTS).filter(|_| {
        let mut bytes = object.clone();
        for _ in 0..1 + random.below(40) {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = random.below(256) as u8;
        }
        check(folder.path(), &bytes)
    });
    let warned = damaged.count() as u64;
    assert!(warned > 0 && warned < OBJECTS, "{warned}");
    for length in (0..object.len()).step_by(97) {
        assert!(check(folder.path(), &object[..length]), "{length}");
    }
}

/// What reads lines passes over a unit whose lines or abbreviations are damaged.
fn a_unit_that_cannot_be_read_is_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let object = fs::read(inputs().join("known")).unwrap();
    assert!(!check(folder.path(), &object));
    for name in [".debug_line", ".debug_abbrev"] {
        let file = object::File::parse(&object[..]).unwrap();
        let (start, size) = file.section_by_name(name).unwrap().file_range().unwrap();
        let mut bytes = object.clone();
        bytes[start as usize..][..size as usize].fill(0xff);
        assert!(check(folder.path(), &bytes), "{name}");
    }
}

/// `put` and `get` call `push`, and that calls `detach`.
fn pprof_has_the_lines_of_inlined_calls() {
    let map = format!("--source-map=/tmp/demo/inlined/={}/", inputs().display());
    let profile = inputs().join("known.out");
    let printed = |more: &[&str]| print_of(&[&["--inlines", &map], more].concat(), &profile);
    // What each line spends, and with what it calls.
    let json: Value =
        serde_json::from_slice(&printed(&["--format=json", "-g", "file:function"]).unwrap())
            .unwrap();
    let mut expected: BTreeMap<(&str, i64), (i64, i64)> = BTreeMap::new();
    for row in array(&json["rows"]) {
        let mut add = |at: &Value, own, all: &Value| {
            let line = (row["function"].as_str().unwrap(), integer(&at["line"]));
            let sums = expected.entry(line).or_default();
            (sums.0, sums.1) = (sums.0 + own, sums.1 + integer(&all[0]));
        };
        let lines = array(&row["lines"]).iter();
        lines.for_each(|line| add(line, integer(&line["self"][0]), &line["self"]));
        let calls = array(&row["calls"]).iter();
        calls.for_each(|call| add(call, 0, &call["inclusive"]));
    }
    assert_eq!(expected.len(), 20);
    let pprof = Pprof::read(&printed(&["--format=pprof", "--min=0"]).unwrap());
    let mut lines: BTreeMap<(&str, i64), (i64, i64)> = BTreeMap::new();
    let mut chains: BTreeMap<u64, BTreeSet<Vec<(&str, i64)>>> = BTreeMap::new();
    for (frames, values) in &pprof.samples {
        for (at, frame) in frames.iter().enumerate() {
            let sums = lines.entry((&frame.name, frame.line)).or_default();
            sums.0 += if at == 0 { values[0] } else { 0 };
            sums.1 += values[0];
            assert!(frame.address > 0, "{frame:?}");
            assert!(frame.file.ends_with("/known.cc"), "{frame:?}");
        }
        let chain = frames
            .split_inclusive(|frame| !frame.is_inlined)
            .next()
            .unwrap()
            .iter()
            .map(|frame| (&*frame.name, frame.line))
            .collect();
        chains.entry(frames[0].address).or_default().insert(chain);
    }
    assert_eq!(lines, expected);
    // What is inlined at an address is always the same, and `get` is inlined twice.
    let are_same = chains.values().all(|chains| chains.len() == 1);
    assert!(are_same, "{chains:?}");
    let all: BTreeSet<_> = chains.into_values().flatten().collect();
    for line in [31, 33] {
        let chain = [
            ("cache::List::detach()", 8),
            ("cache::List::push()", 9),
            ("cache::get()", 19),
            ("work()", line),
        ];
        assert!(all.contains(&chain[..]), "{all:?}");
    }
}

/// Where nothing recurs, the annotated source is that with the option, which a line above it tells.
fn sources_show_what_is_inlined_without_the_option() {
    let map = format!("--source-map=/tmp/demo/inlined/={}/", inputs().display());
    let profile = inputs().join("known.out");
    let page = |more: &[&str]| {
        let source = ["--format=text", "--header=no", &map, "known.cc"];
        String::from_utf8(print_of(&[&source, more].concat(), &profile).unwrap()).unwrap()
    };
    let with_option = page(&["--inlines"]);
    let share = "inlined functions: 42.2% of Ir\n\n";
    assert_eq!(Some(&*page(&[])), with_option.strip_prefix(share), "{with_option}");
    // `get`, inlined twice, costs 90: itself twice 20, a copy of `detach` twice 10, and one of
    // `push` twice 15.
    assert_has(&with_option, &["=> cache::get (inlined)"]);
}

/// The list with inlined functions, which is there soon and in 1 GiB of memory.
fn with_inlined(folder: &Folder, profile: &str) -> Output {
    let run = limited("-v 1048576", "timeout").args(["60", PROGRAM, "--inlines", "--auto=no"]);
    run.arg(profile).in_dir(folder.path("")).run()
}

fn functions_nested_deeper_than_compilers_write_are_not_read() {
    let folder = Folder::with(&[]);
    let too_deep = "cgannotate: warning: prog: functions are nested more than 500 deep; inlined functions are unknown\n";
    for (depth, error) in [(500, ""), (501, too_deep), (100_000, too_deep)] {
        inlined::write([1, 1, depth], &folder.path("")).unwrap();
        let output = with_inlined(&folder, "new.out");
        output.page();
        assert_eq!(output.error(), error, "{depth}");
    }
}

/// The inclusive costs of the copies in the units of a program, by their names, and the messages.
fn copies(units: &[Code]) -> (BTreeMap<String, i128>, String) {
    let folder = Folder::with(&[]);
    inlined::write_units(units, &folder.path("")).unwrap();
    let run = limited("-v 1048576", "timeout").args(["60", PROGRAM, "--inlines", "--format=csv"]);
    let output = run.args(["--min=0", "new.out"]).in_dir(folder.path("")).run();
    let csv = Csv::read(output.page().as_bytes());
    let [name, cost] = ["function", "Ir"].map(|column| csv.column(column));
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    let rows = csv.rows.iter().map(|row| (text(&row[name]), number(&row[cost]).unwrap()));
    (rows.filter(|(name, _)| !name.starts_with('f')).collect(), output.error())
}

fn unit(depth: usize, origins: Origins, start: u64) -> Code {
    Code { functions: 1, copies: 1, depth, origins, start }
}

fn a_unit_that_is_nested_too_deeply_hides_no_other() {
    let small = unit(2, Origins::Chain(0), START);
    let deep = unit(501, Origins::Chain(0), small.end());
    let (alone, error) = copies(&[small]);
    assert_eq!((alone.len(), &*error), (2, ""), "{alone:?}");
    let (found, error) = copies(&[small, deep]);
    assert_eq!(found, alone);
    let warning = "cgannotate: warning: prog: functions are nested more than 500 deep; inlined functions there are unknown\n";
    assert_eq!(error, warning);
}

fn a_name_is_found_behind_any_number_of_entries() {
    let (expected, _) = copies(&[unit(2, Origins::Chain(0), START)]);
    for entries in [1, 14, 15, 16, 40, 10_000] {
        let (found, error) = copies(&[unit(2, Origins::Chain(entries), START)]);
        assert_eq!((found, &*error), (expected.clone(), ""), "{entries}");
    }
    let (found, error) = copies(&[unit(1, Origins::Circle, START)]);
    assert_eq!(found.keys().collect::<Vec<_>>(), ["???"]);
    let warning = "cgannotate: warning: prog: its debug information is damaged; functions without a name are ???\n";
    assert_eq!(error, warning);
}

const PROFILE: &str = "positions: instr line\nevents: Ir\nob=prog\nfl=a.c\nfn=f\n0x1000 1 5\n";

fn debug_information_is_unpacked_in_proportion_to_the_file() {
    // A section is compressed in the older way, which needs no flags.
    let packed = |size: usize| {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&vec![0; size]).unwrap();
        [b"ZLIB", &(size as u64).to_be_bytes()[..], &encoder.finish().unwrap()].concat()
    };
    let folder = Folder::with(&[("p.out", PROFILE)]);
    let one = 4 << 20;
    let small = 4 << 10;
    for (sizes, is_refused) in [([one, 1], true), ([1, one], true), ([small, small], false)] {
        let [info, line] = sizes.map(packed);
        let sections = [(".zdebug_info", info), (".zdebug_line", line)];
        folder.write("prog", program_with(X86_64, (0x1000, 0x1010), &[], &sections));
        let error = with_inlined(&folder, "p.out").error();
        let refused = "prog: its debug information would be unpacked to more than 32 times the size of the file;";
        assert_eq!(error.contains(refused), is_refused, "{sizes:?} {error}");
    }
}

fn a_separate_file_of_debug_information_is_a_regular_file_with_a_plain_name() {
    let folder = Folder::with(&[("p.out", PROFILE)]);
    fs::create_dir(folder.path("below")).unwrap();
    fs::create_dir(folder.path("folder")).unwrap();
    inlined::write([1, 1, 2], &folder.path("below")).unwrap();
    fs::copy(folder.path("below/prog"), folder.path("debug")).unwrap();
    fs::copy(folder.path("below/new.out"), folder.path("new.out")).unwrap();
    let mkfifo = other_program("mkfifo").arg("fifo").in_dir(folder.path("")).run();
    assert_eq!(mkfifo.status, 0);
    let absolute = folder.path("debug").display().to_string();
    let links = [
        ("debug", true),
        ("fifo", false),
        ("folder", false),
        ("below/prog", false),
        ("../debug", false),
        (&absolute, false),
        ("", false),
    ];
    for (link, is_read) in links {
        let mut bytes = link.as_bytes().to_vec();
        bytes.resize((link.len() + 4) & !3, 0);
        bytes.extend([0; 4]);
        let sections = [(".gnu_debuglink", bytes)];
        folder.write("prog", program_with(X86_64, (0x1000, 0x1010), &[], &sections));
        let output = with_inlined(&folder, "new.out");
        assert_has(&output.page(), &[" Ir (instructions executed)"]);
        let error = output.error();
        assert_eq!(error.contains("no object has debug information"), !is_read, "{link} {error}");
    }
}
