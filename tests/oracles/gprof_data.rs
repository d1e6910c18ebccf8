//! gprof's views of its own data, byte by byte against the installed gprof: programs in
//! testdata/programs, compiled with -pg in several ways.

use std::fs;
use std::path::Path;

use libtest_mimic::Trial;

use crate::common::case::{self, Case};
use crate::common::program::{Output, is_installed, other_program, program};
use crate::oracles::{is_required, run, source as path_of, trial};

/// Options that print the same bytes, for each program; the first ones are none.
const OPTIONS: &str = ", -p, -q, -z, -z -p, -z -q, -a, -D, -L, -w 132, -w 40, -P, -Q, -Z, -J, -bpq, -pmain, -Pmain, -qmain, \
    -Qmain, -e main, -E main, -f main, -F main, -n main, -N main, -k main/, -k /main, -k main/ -k /nosuch, -qmain/ -q, \
    -Qmain/ -q, -pnosuch, -p -qnosuch, --inline-file-names, --inline-file-names -L, -l -p, -l -q, -l, -l -z, -l -L, -l -pmain, \
    -l -a, -A, -A -z, -A -t 3, -A -t 0, -A -l, -A -l -x, -Amain, -p -A -C, -C, -C -z, -l -C, -Cmain, -Zmain, -i, -i -p, -c, -c -z, -c -a, -T, -T -z, -T -c -q, -T -p, -T -C -qmain, -T --inline-file-names, \
    -T -p -l";

/// Options for programs of C++ with demangled names.
const OF_NAMES: &str = "-p, -q, -p -z, -c -q, -a -p";

pub fn trials() -> Vec<Trial> {
    let test = |compiler: &'static str, name: &str, sources: &'static str, flags: &'static str| {
        let name = format!("gprof's data: {name}");
        trial(&["gprof", "addr2line", "nm", compiler], &name, move || {
            compare(compiler, sources, flags);
        })
    };
    let gcc = |name, sources, flags| test("gcc", name, sources, flags);
    let two = "cycles.c callbacks.c";
    let one = "cycles.c";
    let narrow = move || {
        let why = "gcc -m32 does not work: its libraries are in gcc-multilib";
        assert!(compiles_for_32_bits(), "{why}");
        compare("gcc", two, "-O1 -m32");
        compare("gcc", one, "-O1 -m32 -static");
    };
    let name = "gprof's data: 32 bits, needs gcc-multilib";
    let narrow = trial(&["gprof", "addr2line", "nm", "gcc"], name, narrow);
    let is_required = is_required() && cfg!(target_arch = "x86_64");
    vec![
        gcc("-O0", two, "-O0"),
        gcc("-O1", one, "-O1"),
        gcc("-O2", two, "-O2"),
        gcc("sections", one, "-O3 -fno-inline -ffunction-sections"),
        gcc("without local symbols", one, "-O2 -Wl,--discard-all"),
        gcc("no-pie", one, "-O1 -no-pie -fno-pie"),
        gcc("static", two, "-O1 -static"),
        gcc("static-pie", one, "-O1 -static-pie"),
        gcc("dwarf 4", one, "-O1 -gdwarf-4"),
        gcc("packed sections", one, "-O1 -gz"),
        gcc("no debug information", one, "-O1 -g0"),
        gcc("functions of a header", "of_header.c", "-O0"),
        gcc("functions of a header, -O2", "of_header.c", "-O2"),
        gcc("copies of functions", "copies.c", "-O3 -fno-toplevel-reorder"),
        test("g++", "C++", "classes.cpp", "-O0"),
        test("g++", "C++, dwarf 4", "classes.cpp", "-O0 -gdwarf-4"),
        test("g++", "C++, -O3", "classes.cpp", "-O3 -gdwarf-4"),
        trial(&["gprof"], "gprof's data: golden cases", golden_cases),
        trial(&["gprof", "gcc"], "gprof's data: names of Java", || {
            let expected = "java.lang.String.valueOf(char[])java.lang.String";
            names_of_language("--demangle=java", "java_names.c", expected);
        }),
        trial(&["gprof", "gcc"], "gprof's data: names of D", || {
            let expected =
                "gcc.backtrace.formatLine(const(gcc.backtrace.SymbolInfo), return ref char[1536])";
            names_of_language("--demangle=dlang", "d_names.c", expected);
        }),
        narrow.with_ignored_flag(!is_required && !compiles_for_32_bits()),
    ]
}

/// Compares the names of a program whose functions are named as compilers of another language do;
/// one of them must be printed.
fn names_of_language(style: &str, source: &str, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = path_of(source);
    run(folder.path(), "gcc", &["-g", "-pg", path.to_str().unwrap(), "-o", PROGRAM]);
    other_program("./prog").in_dir(folder.path()).run();
    for options in [&["-p"][..], &["-q"], &["-p", "-z"]] {
        let options = [&[style], options].concat();
        let page = assert_same(folder.path(), &options, source).page();
        assert!(page.contains(expected), "{page}");
    }
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
        let theirs = other_program("gprof").arg("-b").args(args).in_dir(folder.path()).run().out;
        let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
        assert_eq!(text(&theirs), text(&case.expected.out));
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
    let source = "int main(void) { return 0; }";
    fs::write(folder.path().join("empty.c"), source).unwrap();
    let gcc = other_program("gcc").in_dir(folder.path());
    gcc.args(["-m32", "empty.c", "-o", "empty"]).run().status == 0
}

/// Compiles each program, runs it, and compares all options.
fn compare(compiler: &str, sources: &str, flags: &str) {
    for source in sources.split(' ') {
        let folder = tempfile::tempdir().unwrap();
        let header = source.replace(".c", ".h");
        for file in [source, &header].iter().filter(|file| path_of(file).exists()) {
            fs::copy(path_of(file), folder.path().join(file)).unwrap();
        }
        let flags: Vec<&str> = flags.split(' ').collect();
        let args = [&["-g", "-pg", source, "-o", PROGRAM], &flags[..]].concat();
        run(folder.path(), compiler, &args);
        other_program("./prog").in_dir(folder.path()).run();
        assert!(folder.path().join("gmon.out").exists(), "{source}");
        let theirs = program_of_gprof(folder.path(), compiler, source, &flags);
        // With -l gprof fails at most programs of C++ with inlined code.
        let is_right = |options: &str| match compiler {
            "gcc" => true,
            _ if flags.contains(&"-O3") => !options.contains("-l"),
            _ => true,
        };
        for options in OPTIONS.split(", ").filter(|options| is_right(options)) {
            let options: Vec<&str> = options.split_whitespace().collect();
            let what = format!("{source} {flags:?}");
            let options = [&["--no-demangle"], &options[..]].concat();
            let error = assert_same_as(theirs, folder.path(), &options, &what).error();
            assert!(!error.contains("rebuilt"), "{what} {options:?}: {error}");
        }
        for options in OF_NAMES.split(", ").filter(|_| compiler == "g++") {
            let options: Vec<&str> = options.split_whitespace().collect();
            let what = format!("{source} {flags:?} {options:?}");
            assert_same_as(theirs, folder.path(), &options, &what);
        }
    }
}

const PROGRAM: &str = "prog";

/// The program that gprof is given. In DWARF 5 the library that it reads programs with takes the
/// entry before that of the file of a line: of a program in which that is another file, gprof is
/// given a build of the same code with DWARF 4.
fn program_of_gprof(folder: &Path, compiler: &str, source: &str, flags: &[&str]) -> &'static str {
    const WITH_DWARF_4: &str = "prog-dwarf-4";
    let others = ["-gdwarf-4", "-pg", source, "-o", WITH_DWARF_4];
    run(folder, compiler, &[&others, flags].concat());
    // Their symbols are the same, as their code is.
    let symbols = |program| run(folder, "nm", &["-n", program]).page();
    let functions = symbols(PROGRAM);
    assert_eq!(symbols(WITH_DWARF_4), functions, "{source} {flags:?}");
    let addresses: Vec<&str> =
        functions.lines().filter_map(|line| line.split(' ').next()).collect();
    let lines = |program: &str| {
        let input = addresses.join("\n") + "\n";
        let addr2line = other_program("addr2line").args(["-e", program]).stdin(input);
        addr2line.in_dir(folder).run().page()
    };
    if lines(PROGRAM) == lines(WITH_DWARF_4) { PROGRAM } else { WITH_DWARF_4 }
}

/// Runs both on `prog` and `gmon.out` in a folder, and returns what ours wrote.
pub fn assert_same(folder: &Path, options: &[&str], what: &str) -> Output {
    assert_same_as(PROGRAM, folder, options, what)
}

/// Runs gprof on a program and ours on `prog`, and returns what ours wrote.
fn assert_same_as(of_gprof: &str, folder: &Path, options: &[&str], what: &str) -> Output {
    let args = |program| [options, &[program, "gmon.out"]].concat();
    let theirs = other_program("gprof").arg("-b").args(args(of_gprof));
    let ours = program().args(["gprof", "--as-gprof", "-b"]).args(args(PROGRAM));
    let (theirs, ours) = (theirs.in_dir(folder).run(), ours.in_dir(folder).run());
    // gprof says nothing where no sample and no call is in the program.
    let is_other = "was probably written by another program";
    if ours.status == 1 && ours.error().contains(is_other) {
        assert!(ours.out.is_empty(), "{what}");
        return ours;
    }
    let expected = without_undefined(&theirs);
    assert!(
        expected == ours.out && theirs.status == ours.status,
        "{what}: gprof {options:?}: status {} and {}\n{}{}--- gprof\n{}--- cgannotate\n{}",
        theirs.status,
        ours.status,
        theirs.error(),
        ours.error(),
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
