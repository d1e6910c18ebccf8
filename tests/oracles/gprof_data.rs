//! gprof's views of its own data, byte by byte against the installed gprof: programs in testdata/programs, compiled with
//! -pg in several ways.

use std::fs;
use std::path::Path;

use libtest_mimic::Trial;

use crate::common::case::{self, Case};
use crate::common::program::{Output, is_installed, other_program, program};
use crate::oracles::is_required;
use crate::oracles::project;
use crate::oracles::trial;

/// Options that print the same bytes, for each program.
const OPTIONS: [&str; 55] = [
    "",
    "-p",
    "-q",
    "-z",
    "-z -p",
    "-z -q",
    "-a",
    "-D",
    "-L",
    "-w 132",
    "-w 40",
    "-P",
    "-Q",
    "-Z",
    "-J",
    "-bpq",
    "-pmain",
    "-Pmain",
    "-qmain",
    "-Qmain",
    "-e main",
    "-E main",
    "-f main",
    "-F main",
    "-n main",
    "-N main",
    "-k main/",
    "-k /main",
    "-k main/ -k /nosuch",
    "-qmain/ -q",
    "-Qmain/ -q",
    "-pnosuch",
    "-p -qnosuch",
    "--inline-file-names",
    "--inline-file-names -L",
    "-l -p",
    "-l -q",
    "-l",
    "-l -z",
    "-l -L",
    "-l -pmain",
    "-l -a",
    "-A",
    "-A -z",
    "-A -t 3",
    "-A -t 0",
    "-A -l",
    "-Amain",
    "-p -A -C",
    "-C",
    "-C -z",
    "-l -C",
    "-Cmain",
    "-Zmain",
    "-i",
];

pub fn trials() -> Vec<Trial> {
    let builds: [(&str, &[&str]); 11] = [
        ("-O0", &["-O0"]),
        ("-O1", &["-O1"]),
        ("-O2", &["-O2"]),
        ("sections", &["-O3", "-fno-inline", "-ffunction-sections"]),
        ("without local symbols", &["-O2", "-Wl,--discard-all"]),
        ("no-pie", &["-O1", "-no-pie", "-fno-pie"]),
        ("static", &["-O1", "-static"]),
        ("static-pie", &["-O1", "-static-pie"]),
        ("dwarf 4", &["-O1", "-gdwarf-4"]),
        ("packed sections", &["-O1", "-gz"]),
        ("no debug information", &["-O1", "-g0"]),
    ];
    let mut trials = Vec::new();
    for (name, flags) in builds {
        let is_usual = ["-O0", "-O2", "static"].contains(&name);
        let sources: &[&str] = match is_usual {
            true => &["cycles.c", "callbacks.c"],
            false => &["cycles.c"],
        };
        let test = move || compare("gcc", sources, flags);
        trials.push(trial(
            &["gprof", "gcc"],
            &format!("gprof's data: {name}"),
            test,
        ));
    }
    trials.push(trial(&["gprof", "g++"], "gprof's data: C++", || {
        compare("g++", &["classes.cpp"], &["-O0"]);
    }));
    trials.push(trial(
        &["gprof", "g++"],
        "gprof's data: C++, dwarf 4",
        || {
            compare("g++", &["classes.cpp"], &["-O0", "-gdwarf-4"]);
        },
    ));
    trials.push(trial(
        &["gprof"],
        "gprof's data: golden cases",
        golden_cases,
    ));
    trials.push(trial(&["gprof", "g++"], "gprof's data: C++, -O3", || {
        compare("g++", &["classes.cpp"], &["-O3", "-gdwarf-4"]);
    }));
    let narrow = || {
        assert!(
            compiles_for_32_bits(),
            "gcc -m32 does not work: its libraries are in gcc-multilib"
        );
        compare("gcc", &["cycles.c", "callbacks.c"], &["-O1", "-m32"]);
        compare("gcc", &["cycles.c"], &["-O1", "-m32", "-static"]);
    };
    let narrow = trial(
        &["gprof", "gcc"],
        "gprof's data: 32 bits, needs gcc-multilib",
        narrow,
    );
    let is_required = is_required() && cfg!(target_arch = "x86_64");
    trials.push(narrow.with_ignored_flag(!is_required && !compiles_for_32_bits()));
    trials
}

/// What the golden cases expect whose names begin with `gmon/same-` is what gprof prints.
fn golden_cases() {
    let mut count = 0;
    for (name, path) in case::files() {
        if !name.starts_with("gmon/same-") {
            continue;
        }
        let case = Case::parse(&fs::read_to_string(path).unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        case.write_to(folder.path()).unwrap();
        let args = case.args.iter().skip(1).filter(|arg| *arg != "--as-gprof");
        let theirs = other_program("gprof")
            .arg("-b")
            .args(args)
            .in_dir(folder.path())
            .run();
        assert_eq!(
            theirs.out.escape_ascii().to_string(),
            case.expected.out.escape_ascii().to_string()
        );
        count += 1;
    }
    assert!(count >= 9, "{count} cases");
}

/// Whether the libraries of 32-bit programs are installed.
fn compiles_for_32_bits() -> bool {
    if !is_installed("gcc") {
        return false;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("empty.c"),
        "int main(void) { return 0; }",
    )
    .unwrap();
    let gcc = other_program("gcc").in_dir(folder.path());
    gcc.args(["-m32", "empty.c", "-o", "empty"]).run().status == 0
}

/// Compiles each program, runs it, and compares all options.
fn compare(compiler: &str, sources: &[&str], flags: &[&str]) {
    for source in sources {
        let folder = tempfile::tempdir().unwrap();
        let from = project().join("testdata/programs").join(source);
        fs::copy(&from, folder.path().join(source)).unwrap();
        let compile = other_program(compiler).in_dir(folder.path());
        let compile = compile
            .args(["-g", "-pg", source, "-o", "prog"])
            .args(flags);
        let output = compile.run();
        assert_eq!(output.status, 0, "{}", String::from_utf8_lossy(&output.err));
        other_program("./prog").in_dir(folder.path()).run();
        assert!(folder.path().join("gmon.out").exists(), "{source}");
        // In DWARF 5 gprof takes some files of C++ programs from the wrong entry.
        let has_right_files = compiler == "gcc" || flags.contains(&"-gdwarf-4");
        // On a line with code of an earlier function gprof prints no calls of a function that begins there. With -l it
        // fails at most programs of C++ with inlined code.
        let is_right = |options: &str| match (compiler, has_right_files) {
            ("gcc", _) => true,
            (_, true) if flags.contains(&"-O3") => !options.contains("-l"),
            (_, true) => options != "-A -l",
            _ => ["-l", "file", "-A", "-C"]
                .iter()
                .all(|wrong| !options.contains(wrong)),
        };
        for options in OPTIONS.iter().filter(|options| is_right(options)) {
            let options: Vec<&str> = options.split_whitespace().collect();
            let ours = assert_same(folder.path(), &options, &format!("{source} {flags:?}"));
            let err = String::from_utf8_lossy(&ours.err);
            assert!(
                !err.contains("rebuilt"),
                "{source} {flags:?} {options:?}: {err}"
            );
        }
    }
}

/// Runs both on `prog` and `gmon.out` in a folder, and returns what ours wrote.
pub fn assert_same(folder: &Path, options: &[&str], what: &str) -> Output {
    let files = ["prog", "gmon.out"];
    let theirs = other_program("gprof").in_dir(folder);
    let theirs = theirs
        .args(["-b", "--no-demangle"])
        .args(options)
        .args(files);
    let ours = program().in_dir(folder);
    let ours = ours
        .args(["gprof", "--as-gprof", "--no-demangle"])
        .args(options)
        .args(files);
    let (theirs, ours) = (theirs.run(), ours.run());
    // gprof says nothing where no sample and no call is in the program.
    let is_other = b"was probably written by another program";
    if ours.status == 1
        && ours
            .err
            .windows(is_other.len())
            .any(|part| part == is_other)
    {
        assert!(ours.out.is_empty(), "{what}");
        return ours;
    }
    let expected = without_undefined(&theirs);
    assert!(
        expected == ours.out && theirs.status == ours.status,
        "{what}: gprof {options:?}: status {} and {}\n{}{}--- gprof\n{}--- cgannotate\n{}",
        theirs.status,
        ours.status,
        String::from_utf8_lossy(&theirs.err),
        String::from_utf8_lossy(&ours.err),
        String::from_utf8_lossy(&expected),
        String::from_utf8_lossy(&ours.out),
    );
    ours
}

/// What gprof printed, with 0.00 for the times that it has not got without samples.
fn without_undefined(output: &Output) -> Vec<u8> {
    let text = String::from_utf8_lossy(&output.out).replace("-nan", "0.00");
    match output.out.windows(4).any(|four| four == b"-nan") {
        true => text.into_bytes(),
        false => output.out.clone(),
    }
}
