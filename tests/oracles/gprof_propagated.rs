//! `-k`, `-n` and `-N` on Callgrind data: the costs that gprof prints for the same graph. Each graph is made at random, as a
//! program with gprof's data of it and as a Callgrind profile whose calls cost something else, which has no influence.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use libtest_mimic::Trial;

use crate::common::generated::elf::{self, Random, Symbol, X86_64};
use crate::common::gprof_page::{self, Line};
use crate::common::program::{Run, other_program, program};
use crate::oracles::trial;

const GRAPHS: u64 = 300;
const NAMES: [&str; 9] = ["f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8"];
/// The symbol behind the last function.
const BEHIND: &str = "data_start";
/// Where the first function is, and how many bytes each has: four samples' worth.
const START: u64 = 0x1000;
const SIZE: u64 = 16;

pub fn trials() -> Vec<Trial> {
    let test = || {
        let folder = tempfile::tempdir().unwrap();
        (0..GRAPHS).for_each(|seed| compare(seed, folder.path()));
    };
    let name = "costs without some functions and calls";
    vec![trial(&["gprof"], name, test)]
}

/// The calls of one function by another: how many, and what they cost.
type Calls = BTreeMap<(usize, usize), (u64, u64)>;

fn compare(seed: u64, folder: &Path) {
    let mut random = Random(seed);
    let own = NAMES.map(|_| random.one_of(&[0, 1, 7, 500, 40_000]));
    let mut calls = Calls::new();
    for _ in 0..6 + random.below(14) {
        let ends = [(); 2].map(|()| random.below(NAMES.len() as u64) as usize);
        let count = random.one_of(&[1, 1, 2, 3, 10, 1000]);
        calls.insert((ends[0], ends[1]), (count, random.below(10_000)));
    }
    write(folder, &own, &calls);
    let options = options(&mut random, &calls);
    let page = |program: Run<'_>, files: &[&str]| {
        let run = program.args(["-b", "-q", "-z"]).args(&options).args(files);
        run.in_dir(folder).run().page()
    };
    let theirs = page(other_program("gprof"), &["prog", "gmon.out"]);
    let ours = page(program().arg("gprof"), &["p.out"]);
    let (theirs, ours) = (costs(&theirs, 100.0), costs(&ours, 1.0));
    let what = format!("seed {seed}: {options:?}\n{calls:?}");
    assert!(!theirs.is_empty(), "{what}");
    for (name, theirs) in theirs.iter().filter(|(name, _)| *name != BEHIND) {
        let ours = ours.get(name).unwrap_or_else(|| panic!("{name} of {what}"));
        // Halves are rounded in two ways.
        let is_near = |(key, theirs): (&String, &(f64, f64))| {
            let ours = ours.get(key).copied().unwrap_or_default();
            (theirs.0 - ours.0).abs() <= 1.0 && (theirs.1 - ours.1).abs() <= 1.0
        };
        let are_near = theirs.len() == ours.len() && theirs.iter().all(is_near);
        assert!(are_near, "{name} of {what}\n{theirs:?}\nours  {ours:?}");
    }
}

/// Writes the same graph twice. Samples are hundredths of a second.
fn write(folder: &Path, own: &[u64; NAMES.len()], calls: &Calls) {
    let end = START + SIZE * NAMES.len() as u64;
    let address = |function: usize| START + SIZE * function as u64;
    let symbols = (0..).zip(NAMES);
    let symbols = symbols.map(|(at, name)| -> Symbol<'_> { (address(at), name, 1, 2, true) });
    let behind = ((end + 0xfff) & !0xfff, BEHIND, 2, 0, false);
    let symbols: Vec<_> = symbols.chain([behind]).collect();
    let program = elf::program(X86_64, (START, end), &symbols);
    fs::write(folder.join("prog"), program).unwrap();
    let mut data = elf::gmon(X86_64);
    let bins: Vec<u16> = own.iter().flat_map(|&own| [own as u16, 0, 0, 0]).collect();
    data.histogram((START, end), &bins);
    for (&(caller, callee), (count, _)) in calls {
        data.calls(address(caller) + 4, address(callee) + 4, *count);
    }
    fs::write(folder.join("gmon.out"), data.bytes).unwrap();
    let mut text = "events: Ir\nfl=a.c\n".to_owned();
    for (caller, name) in NAMES.iter().enumerate() {
        writeln!(text, "fn={name}\n{caller} {}", own[caller]).unwrap();
        for (&(_, callee), (count, cost)) in calls.range((caller, 0)..(caller + 1, 0)) {
            let callee = NAMES[callee];
            writeln!(text, "cfn={callee}\ncalls={count} 1\n{caller} {cost}").unwrap();
        }
    }
    fs::write(folder.join("p.out"), text).unwrap();
}

/// Some of these functions and calls. Of several `-k` with one caller gprof takes the last.
fn options(random: &mut Random, calls: &Calls) -> Vec<String> {
    let mut callers = BTreeSet::new();
    let mut options = Vec::new();
    let calls: Vec<_> = calls.keys().collect();
    for _ in 0..1 + random.below(3) {
        let (caller, callee) = *random.one_of(&calls);
        let name = random.one_of(&NAMES);
        options.push(match random.below(4) {
            0 => format!("-n{name}"),
            1 => format!("-N{name}"),
            _ if callers.insert(caller) => format!("-k{}/{}", NAMES[caller], NAMES[callee]),
            _ => continue,
        });
    }
    options
}

/// By function, or by the names of a cycle's members, the costs of its entry and of the lines around it, in units of which
/// one of what is printed has `each`. Of a cycle only the members: gprof prints nothing else around it, and prints 0 for one
/// of which a member alone counts.
fn costs(page: &str, each: f64) -> BTreeMap<String, BTreeMap<String, (f64, f64)>> {
    let mut all = BTreeMap::new();
    for entry in gprof_page::read(page).entries {
        let cost = |line: &Line| {
            let (own, children) = line.cost.unwrap_or_default();
            (own * each, children * each)
        };
        let members: BTreeSet<&str> = entry.members.iter().map(|line| &line.name[..]).collect();
        let name = match entry.is_cycle() {
            true => Vec::from_iter(members).join(" "),
            false => entry.line.name.clone(),
        };
        let mut costs = BTreeMap::new();
        let mut add = |how: &str, lines: &[Line]| {
            let lines = lines.iter();
            costs.extend(lines.map(|line| (format!("{how} {}", line.name), cost(line))));
        };
        add("with", &entry.members);
        if !entry.is_cycle() {
            add("from", &entry.callers);
            add("to", &entry.callees);
            costs.insert("self".to_owned(), cost(&entry.line));
        }
        all.insert(name, costs);
    }
    all
}
