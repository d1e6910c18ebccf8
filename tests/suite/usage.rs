//! Exit statuses, full disks, options that formats have, and names below the current folder.

use std::collections::HashMap;
use std::fs::{self, File};
use std::process::Stdio;

use crate::common::program::{Folder, assert_has};

trials![
    #[cfg(target_os = "linux")]
    a_full_disk_is_an_error,
    #[cfg(target_os = "linux")]
    warnings_that_cannot_be_written_do_not_stop_the_report,
    a_limit_that_is_no_percentage_is_wrong_usage,
    no_format_ignores_an_option,
    benchmarks_are_found_in_all_folders_of_a_workspace,
    names_below_the_current_folder_are_shortened_everywhere
];

/// The variables that say where cargo and the tools of benchmarks write.
const FOLDER_VARIABLES: [&str; 4] =
    ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR", "GUNGRAUN_HOME", "IAI_CALLGRIND_HOME"];

const PROFILE: &str = "events: Ir\nfl=a.c\nfn=f\n1 5\n";

/// A folder with the profile `p.out`.
fn folder() -> Folder {
    Folder::with(&[("p.out", PROFILE)])
}

#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    for arg in ["p.out", "--help", "--version"] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = folder().program(&[arg]).stdout(full).run();
        assert_eq!(output.status, 1, "{arg}");
        let error = output.error();
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.starts_with("cgannotate: "), "{error}");
    }
}

#[cfg(target_os = "linux")]
fn warnings_that_cannot_be_written_do_not_stop_the_report() {
    let folder = folder();
    folder.write("bad.out", format!("{PROFILE}nonsense\n"));
    let expected = folder.page(&["p.out"]).replace("p.out", "bad.out");
    let full = File::options().write(true).open("/dev/full").unwrap();
    let (read, closed) = std::io::pipe().unwrap();
    drop(read);
    for (stderr, status) in [(Stdio::from(full), 1), (Stdio::from(closed), 0)] {
        let output = folder.program(&["bad.out"]).stderr(stderr).run();
        assert_eq!(output.status, status);
        assert_eq!(String::from_utf8(output.out).unwrap(), expected);
    }
}

fn a_limit_that_is_no_percentage_is_wrong_usage() {
    for limit in ["0.000000000000000000000001", "0,5", "Ir:5,Dr:2"] {
        let output = folder().run(&["--diff=p.out", "--fail-above", limit, "p.out"]);
        let found = (output.status, output.error().contains("more than one"));
        assert_eq!(found, (2, limit.contains(':')), "{limit}");
    }
}

fn names_below_the_current_folder_are_shortened_everywhere() {
    let folder = Folder::with(&[("b.c", "g\n")]);
    let here = folder.path("").canonicalize().unwrap();
    let profile = "events: Ir\nfl=HERE/a.c\nfn=f\n1 5\ncfi=HERE/b.c\ncfn=g\ncalls=1 1\n1 7\nfl=HERE/b.c\nfn=g\n1 7\n";
    let here = here.to_str().unwrap();
    folder.write("p.out", profile.replace("HERE", here));
    let source = format!("{here}/b.c");
    let page = folder.page(&["--tree=both", "--inclusive=yes", "p.out", &source]);
    let rows = " 7 (58.33%)  < a.c:f (1x) []\n 7 (58.33%)  *  b.c:g\n";
    let source = "-- User-annotated source: b.c\n";
    assert_has(&page, &[rows, source, "7 (58.33%)  g\n"]);
}

/// Two parts of two threads with addresses, a jump, a cycle (`ping`, `pong`), templates, contexts
/// and levels of recursion, code in another file and in another object.
const RICH: &str = "\
version: 1
creator: callgrind-3.22.0
cmd: ./prog
part: 1
thread: 1
positions: instr line
events: Ir Dr

ob=prog
fl=a.c
fn=main
0x10 1 100 10
0x14 2 50 50
jcnd=4/10 0x10 1
0x14 2
cfn=_ZN2ns3getIiEEvT_
calls=1 0x40 10
0x18 3 6000 30
cfi=lost/b.c
cfn=leaf
calls=3 0x80 20
0x1c 4 900 90

fn=_ZN2ns3getIiEEvT_
0x40 10 1500 15
fi=inl.h
0x44 5 500 5
fe=a.c
cob=lib.so
cfi=lost/b.c
cfn=leaf
calls=2 0x80 20
0x48 11 3000 10
cfn=ping
calls=1 0xa0 30
0x4c 12 1000 0

fn=ping
0xa0 30 400 0
cfn=pong
calls=2 0xb0 40
0xa4 31 900 0

fn=pong
0xb0 40 600 0
cfn=ping
calls=1 0xa0 30
0xb4 41 300 0

fl=lost/b.c
fn=leaf
0x80 20 900 90

fn=leaf'main
0x82 20 700 7

ob=lib.so
fn=leaf
0x80 20 3000 10

totals: 7750 187

part: 2
thread: 2
fl=a.c
fn=main
0x10 1 7 1
totals: 7 1
";

/// Options with an effect on [`RICH`], and after `:` the options that they are added to, and after
/// `=` formats in which they say what is so anyway.
const OPTIONS: &str = "\
a.c
lost/b.c
--show=Dr
--sort=Dr
--threshold=50
--show-percs=yes = text classic markdown
--show-percs=no = csv tsv json
--auto=yes = classic html
--auto=no = text json csv tsv markdown folded flamegraph pprof dot callgrind
--context=0 : --auto=yes
--inclusive
--tree=callers
--tree=callees = json
--depth=3 : --tree=callers
-I sub : --auto=yes
--source-map=lost=sub : --auto=yes
--top=1
--min=30
--cycles=no : -i
--demangle=no = callgrind
--names=short = text markdown dot
--names=full = classic csv tsv
-g object
-g function = text json csv tsv markdown folded flamegraph pprof dot
-g file:function = folded flamegraph pprof dot
-g line
--nested
--bucket=b=leaf
--bucket=@groups
--calls = json csv tsv
--columns=inclusive
--per=calls:leaf
--part=1
--thread=2
--event=X=Ir+Dr : --sort=Dr = folded flamegraph dot
--mod-filename=s/a.c/lost/b.c/ = folded flamegraph
--mod-funcname=s/main/start/
--fold=callers,recursion = flamegraph
-f leaf
--file=a.c
--object=lib.so
--charge-to-callers=leaf
--inlines
--asm=main
--asm-threshold=10 : --asm=main
--objdump=none : --asm=main = text json
--counts
--header=no
--width=60
--editor=vscode://file/{path}
--color=always
--color=never = text classic json csv tsv markdown html folded flamegraph pprof dot callgrind
--diff=base.out
--match=exact : --diff=base.out
--base-include=old : --diff=base.out --auto=yes
--base-include=old : --diff=base.out -g line
--fail-above=1000 : --diff=base.out
";

fn no_format_ignores_an_option() {
    let base = RICH
        .replace("1500 15", "1600 15")
        .replace("7750", "7850")
        .replace("_ZN2ns3getIiEEvT_", "_ZN2ns3getIiEEvT_.part.0");
    let text = (1..50).map(|line| format!("line {line};\n")).collect::<String>();
    let folder = Folder::with(&[("p.out", RICH), ("base.out", &base), ("groups", "b = leaf\n")]);
    fs::create_dir(folder.path("sub")).unwrap();
    fs::create_dir(folder.path("old")).unwrap();
    for name in ["a.c", "sub/b.c", "old/a.c"] {
        let changed =
            text.replace("line 10;", if name == "old/a.c" { "before" } else { "line 10;" });
        folder.write(name, changed);
    }
    let formats =
        "text classic json csv tsv markdown html folded flamegraph pprof dot callgrind".split(' ');
    let mut ignored = Vec::new();
    for format in formats {
        let format = format!("--format={format}");
        let run = |options: &str| {
            let mut words = vec![&format[..], "p.out"];
            words.extend(options.split_whitespace());
            folder.run(&words)
        };
        let mut without = HashMap::new();
        for line in OPTIONS.lines() {
            let (line, same_in) = line.rsplit_once(" = ").unwrap_or((line, ""));
            let (option, others) = line.split_once(" : ").unwrap_or((line, ""));
            let with = run(&format!("{others} {option}"));
            let is_refused = with.status == 2;
            let without = without.entry(others).or_insert_with(|| run(others));
            let is_same = with == *without;
            let is_expected =
                same_in.split(' ').any(|known| format.ends_with(&["=", known].concat()));
            if !is_refused && is_same != is_expected {
                ignored.push(format!("{format} {others} {option}"));
            }
        }
    }
    assert_eq!(ignored, Vec::<String>::new());
}

/// The newest run of benchmarks is named in a package below the workspace too, and where variables
/// move it.
fn benchmarks_are_found_in_all_folders_of_a_workspace() {
    let folder = Folder::with(&[("Cargo.toml", "[workspace]\nmembers = ['member']\n")]);
    for path in ["member/src", "target/gungraun/demo/sort", "target/iai/demo", "elsewhere/x"] {
        fs::create_dir_all(folder.path(path)).unwrap();
    }
    folder.write("member/Cargo.toml", "[package]\nname = 'member'\n");
    folder.write("target/gungraun/demo/sort/callgrind.sort.out", PROFILE);
    folder.write("target/iai/demo/callgrind.iai.out", PROFILE);
    folder.write("elsewhere/x/callgrind.else.out", PROFILE);
    let said = |below: &str, variables: &[(&str, &str)]| {
        let mut run = folder.program(&[]).in_dir(folder.path(below)).without_env(&FOLDER_VARIABLES);
        for (name, value) in variables {
            run = run.env(name, folder.path(value));
        }
        run.run().error()
    };
    let sort = "target/gungraun/demo/sort/callgrind.sort.out";
    for (below, path) in [("", ""), ("member", "../"), ("member/src", "../../")] {
        let text = format!("below {path}target/gungraun is: cgannotate {path}{sort}\n");
        assert_has(&said(below, &[]), &[&text]);
    }
    for variable in ["GUNGRAUN_HOME", "IAI_CALLGRIND_HOME"] {
        let error = said("elsewhere", &[(variable, "elsewhere"), ("CARGO_TARGET_DIR", "none")]);
        assert_has(&error, &["elsewhere/x/callgrind.else.out\n"]);
    }
    assert_has(&said("/", &[("CARGO_TARGET_DIR", "target")]), &[sort]);
    // No folder above is searched that is no package of cargo.
    fs::remove_file(folder.path("Cargo.toml")).unwrap();
    assert_has(&said("member", &[]), &["no profile here; make one with"]);
}
