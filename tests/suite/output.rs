//! `--output` writes a whole file or none, `--generate` prints the manual page and completions for
//! shells.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use crate::common::corpus::path_of;
use crate::common::program::{Folder, PROGRAM, assert_has, limited, other_program};

trials![
    #[cfg(target_os = "linux")]
    a_limit_that_is_exceeded_is_reported_whatever_becomes_of_the_report,
    links_permissions_and_pipes,
    a_file_gets_the_same_as_standard_output,
    an_input_is_not_replaced,
    a_signal_that_ends_the_program_leaves_no_file,
    a_file_that_becomes_too_large_is_an_error,
    standard_output_that_cannot_be_written_is_an_error,
    a_name_with_a_newline_is_refused,
    a_failed_run_leaves_no_file,
    a_limit_that_is_exceeded_leaves_the_report,
    the_man_pages_and_the_completions_have_all_options,
    the_short_help_fits_one_screen_and_the_long_one_its_width,
    a_description_in_the_completions_has_at_most_60_characters,
    bash_completes_values_after_an_equals_sign,
    zsh_and_fish_complete_the_commands_apart
];

const WORDS: &str = "words/words.out";

fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path("")).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn a_file_gets_the_same_as_standard_output() {
    let (folder, words) = (Folder::with(&[]), path_of(WORDS));
    for format in ["text", "json", "csv", "folded", "dot", "callgrind"] {
        let format = format!("--format={format}");
        let expected = folder.page(&[&format, &words]);
        let output = folder.run(&[&format, "--output=page", &words]);
        assert_eq!(output.status, 0, "{output:?}");
        assert!(output.out.is_empty());
        // Notes are the same too.
        assert_eq!(output.err, folder.run(&[&format, &words]).err);
        assert_eq!(folder.read("page"), expected);
        assert_eq!(folder.page(&[&format, "--output=-", &words]), expected);
    }
    assert_eq!(names(&folder), ["page"]);
}

fn an_input_is_not_replaced() {
    let profile = fs::read(path_of(WORDS)).unwrap();
    let folder = Folder::with(&[]);
    for name in ["p.out", "other.out", "callgrind.out.7"] {
        folder.write(name, &profile);
    }
    folder.write("buckets", "a=*\n");
    folder.write("source.c", "int main;\n");
    fs::create_dir(folder.path("below")).unwrap();
    symlink("p.out", folder.path("link")).unwrap();
    symlink("../p.out", folder.path("below/link")).unwrap();
    fs::hard_link(folder.path("p.out"), folder.path("hard")).unwrap();
    let absolute = folder.path("p.out").display().to_string();
    let before = names(&folder);
    let runs: [(&str, &[&str]); 12] = [
        ("p.out", &["p.out"]),
        ("p.out", &["--format=callgrind", "p.out"]),
        ("./below/../p.out", &["p.out"]),
        (&absolute, &["p.out"]),
        ("link", &["p.out"]),
        ("below/link", &["p.out"]),
        ("hard", &["p.out"]),
        ("p.out", &["link"]),
        ("p.out", &["--diff=p.out", "other.out"]),
        ("buckets", &["--bucket=@buckets", "p.out"]),
        ("source.c", &["p.out", "source.c"]),
        // The newest run in the folder.
        ("callgrind.out.7", &[]),
    ];
    for (output, args) in runs {
        let output = format!("--output={output}");
        let run = folder.run(&[args, &[&output]].concat());
        assert_eq!((run.status, &run.out[..]), (2, &b""[..]), "{output} {args:?}");
        assert_has(&run.error(), &["the output would replace the input "]);
        assert_eq!(names(&folder), before);
    }
    let script = "exec \"$0\" --output=p.out - < p.out";
    let run = other_program("sh").args(["-c", script, PROGRAM]).in_dir(folder.path("")).run();
    assert_eq!(run.status, 2, "{}", run.error());
    for name in ["p.out", "other.out", "callgrind.out.7"] {
        assert_eq!(fs::read(folder.path(name)).unwrap(), profile, "{name}");
    }
    // A copy of an input is none.
    assert_eq!(folder.run(&["--output=other.out", "p.out"]).status, 0);
}

fn a_signal_that_ends_the_program_leaves_no_file() {
    let folder = Folder::with(&[("page", "old")]);
    // The report waits for the rest of its input.
    assert_eq!(other_program("mkfifo").arg(folder.path("p.out")).run().status, 0);
    let signals = [
        ("INT", 2),
        ("TERM", 15),
        ("HUP", 1),
        ("QUIT", 3),
        ("USR1", 10),
        ("ALRM", 14),
        ("XCPU", 24),
    ];
    for (signal, number) in signals {
        // Whoever started the tests may ignore these signals, which a program inherits.
        let args = [
            "--default-signal=INT,TERM,HUP,QUIT,USR1,ALRM,XCPU",
            PROGRAM,
            "--output=page",
            "p.out",
        ];
        let mut child = other_program("env").args(args).in_dir(folder.path("")).start();
        while names(&folder).len() < 3 {
            assert!(child.try_wait().unwrap().is_none(), "{signal}");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let pid = child.id().to_string();
        other_program("kill").args(["-s", signal, &pid]).run();
        assert_eq!(child.wait().unwrap().signal(), Some(number), "{signal}");
        assert_eq!(names(&folder), ["p.out", "page"], "{signal}");
        assert_eq!(folder.read("page"), "old");
    }
}

fn a_file_that_becomes_too_large_is_an_error() {
    let folder = Folder::with(&[("page", "old")]);
    let functions = (0..20_000).map(|i| format!("fn=function_{i}\n1 5\n"));
    folder.write("p.out", format!("events: Ir\n{}", functions.collect::<String>()));
    let args = ["--threshold=100", "p.out"];
    let run = limited("-f 100", PROGRAM).args(args).arg("--output=page").in_dir(folder.path(""));
    let output = run.run();
    assert_eq!(output.status, 1, "{}", output.error());
    assert_eq!(output.error(), "cgannotate: page: File too large\n");
    assert_eq!(names(&folder), ["p.out", "page"]);
    assert_eq!(folder.read("page"), "old");
    let stdout = fs::File::create(folder.path("stdout")).unwrap();
    let run = limited("-f 100", PROGRAM).args(args).in_dir(folder.path("")).stdout(stdout).run();
    assert_eq!(run.status, 1, "{}", run.error());
    assert_eq!(run.error(), "cgannotate: File too large\n");
}

fn standard_output_that_cannot_be_written_is_an_error() {
    let folder = Folder::with(&[("p.out", "events: Ir\nfn=f\n1 5\n")]);
    let only_read = fs::File::open(folder.path("p.out")).unwrap();
    let output = folder.program(&["p.out"]).stdout(only_read).run();
    assert_eq!(output.status, 1);
    assert_eq!(output.error(), "cgannotate: Bad file descriptor\n");
}

fn a_name_with_a_newline_is_refused() {
    let rename = "--mod-funcname=s/^main$/a\nb/";
    let args = ["--format=callgrind", rename, &path_of("words/words.out")];
    let written = Folder::with(&[]).run(&args);
    assert_eq!((written.status, &written.out[..]), (1, &b""[..]));
    let error = written.error();
    assert_has(&error, &[r"cannot represent the name 'a\nb'"]);
    assert_eq!(error.lines().count(), 1);
}

fn a_failed_run_leaves_no_file() {
    let (folder, words) = (Folder::with(&[("old", "old")]), path_of(WORDS));
    fs::create_dir(folder.path("dir")).unwrap();
    for args in [
        &["--output=old", "none.out"][..],
        &["--output=old", "--format=folded", "old"],
        &["--output=old", "--format=html", "--tree=both", &words],
        &["--output=none/x", &words],
        &["--output=dir", &words],
        &["--output=", &words],
    ] {
        let output = folder.run(args);
        assert!(matches!(output.status, 1 | 2), "{args:?} {output:?}");
        assert!(output.out.is_empty());
        let error = output.error();
        let is_own = error.starts_with("cgannotate: ") || error.starts_with("error: ");
        assert!(is_own && !error.contains(".cgannotate-"), "{error}");
    }
    let error = |path: &str| folder.run(&[&format!("--output={path}"), &words]).error();
    assert_has(&error("none/x"), &["none/x: No such file"]);
    assert_has(&error("dir"), &["dir: is a directory\n"]);
    assert_eq!(names(&folder), ["dir", "old"]);
    assert_eq!(folder.read("old"), "old");
}

fn a_limit_that_is_exceeded_leaves_the_report() {
    let folder =
        Folder::with(&[("a", "events: Ir\nfn=f\n1 5\n"), ("b", "events: Ir\nfn=f\n1 9\n")]);
    let output = folder.run(&["--diff=a", "--fail-above=1", "--output=page", "b"]);
    assert_eq!(output.status, 3, "{output:?}");
    assert_has(&folder.read("page"), &["5      9      +4  +80.0%"]);
}

#[cfg(target_os = "linux")]
fn a_limit_that_is_exceeded_is_reported_whatever_becomes_of_the_report() {
    let profile = |functions: usize, cost: usize| -> String {
        let lines = (0..functions).map(|i| format!("fn=function_{i}\n1 {cost}\n"));
        format!("events: Ir\nfl=a.c\n{}", lines.collect::<String>())
    };
    // A report that fits the buffer of standard output, and one that does not.
    for functions in [1, 5_000] {
        let (a, b) = (profile(functions, 5), profile(functions, 9));
        let folder = Folder::with(&[("a", &a), ("b", &b)]);
        for format in ["text", "json", "csv", "markdown", "folded", "dot"] {
            let format = format!("--format={format}");
            let run = |diff: &str, new: &str, stdout: Stdio| {
                let run = folder.program(&[diff, "--fail-above=50", new, &format]);
                run.stdout(stdout)
            };
            let (read, closed) = std::io::pipe().unwrap();
            drop(read);
            let full = fs::File::options().write(true).open("/dev/full").unwrap();
            let output = run("--diff=a", "b", closed.try_clone().unwrap().into()).run();
            assert_eq!(output.status, 3, "{output:?}");
            let verdict = output.error();
            assert!(verdict.starts_with("FAIL Ir "), "{verdict}");
            assert_eq!(verdict.lines().count(), 1, "{verdict}");
            let output = run("--diff=a", "b", full.into()).run();
            assert_eq!(output.status, 3, "{output:?}");
            let error = verdict.clone() + "cgannotate: No space left on device\n";
            assert_eq!(output.error(), error);
            // A limit that holds is no error either.
            let output = run("--diff=b", "a", closed.into()).run();
            assert_eq!(output.status, 0, "{output:?}");
            assert!(output.error().starts_with("ok Ir "), "{output:?}");
            assert_eq!(output.error().lines().count(), 1, "{output:?}");
            // As with `| head -1`.
            let mut child = run("--diff=a", "b", Stdio::piped()).start();
            let mut stdout = child.stdout.take().unwrap();
            stdout.read_exact(&mut [0; 9]).unwrap();
            drop(stdout);
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(3), "{output:?}");
            assert_eq!(String::from_utf8(output.stderr).unwrap(), verdict);
        }
    }
}

fn links_permissions_and_pipes() {
    let folder = Folder::with(&[("page", "")]);
    let at = |name: &str| folder.path(name);
    let is_link = |name: &str| fs::symlink_metadata(at(name)).unwrap().is_symlink();
    let words = path_of(WORDS);
    let expected = folder.page(&[&words]);
    let write = |to: &str| folder.page(&[&format!("--output={to}"), &words]);
    fs::set_permissions(at("page"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("page", at("link")).unwrap();
    write("link");
    assert!(is_link("link"));
    let mode = fs::metadata(at("page")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(folder.read("page"), expected);

    // One that leads to nothing yet, through another; and a circle.
    fs::create_dir(at("folder")).unwrap();
    symlink("folder/new", at("dangling")).unwrap();
    symlink("dangling", at("again")).unwrap();
    assert!(!folder.run(&["dangling"]).error().contains("there is"));
    write("again");
    assert!(is_link("dangling"));
    assert_eq!(folder.read("folder/new"), expected);
    symlink("beside", at("folder/link")).unwrap();
    write("folder/link");
    fs::write(at("folder/usual"), "").unwrap();
    let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode();
    assert_eq!(mode("folder/beside"), mode("folder/usual"));
    symlink("circle", at("circle")).unwrap();
    assert_eq!(folder.run(&["--output=circle", &words]).status, 1);
    assert!(is_link("circle"));

    assert_eq!(other_program("mkfifo").arg(at("pipe")).run().status, 0);
    let pipe = at("pipe");
    let reader = std::thread::spawn(move || fs::read_to_string(pipe).unwrap());
    write("pipe");
    assert_eq!(reader.join().unwrap(), expected);

    // What is behind these names is added to, not replaced.
    for path in ["/dev/fd/3", "/proc/self/fd/3"] {
        let script = "exec 3>>open; echo begin >&3; \"$0\" --output=$2 \"$1\"; echo end >&3";
        let run = other_program("sh").args(["-c", script, PROGRAM, &words, path]);
        assert_eq!(run.in_dir(at("")).run().status, 0);
        let all = format!("begin\n{expected}end\n");
        assert_eq!(folder.read("open"), all, "{path}");
        fs::remove_file(at("open")).unwrap();
    }
}

/// The long options that a help page lists.
fn options(help: &str) -> Vec<&str> {
    // Explanations are indented deeper, and may have an option at the start of a line.
    let is_heading = |line: &&str| line.len() - line.trim_start().len() < 10;
    let lines = help.lines().filter(is_heading).map(str::trim_start);
    let options = lines.filter(|line| line.starts_with('-')).filter_map(|line| {
        let (before, option) = line.split_once("--")?;
        let is_option = before.is_empty() || before.ends_with(", ");
        is_option.then(|| option.split([' ', '[', '=', '<']).next())?
    });
    options.collect()
}

fn the_man_pages_and_the_completions_have_all_options() {
    let folder = Folder::with(&[]);
    let text = |args: &[&str]| folder.page(args).replace("\\-", "-");
    let commands =
        [(&[][..], "man", 25), (&["gprof"], "man-gprof", 25), (&["record"], "man-record", 3)];
    for (command, man, count) in commands {
        let help = text(&[command, &["--help"]].concat());
        let options = options(&help);
        assert!(options.len() >= count, "{man}: {options:?}");
        for (what, begin) in [
            (man, ".ie"),
            ("complete-bash", "_cgannotate()"),
            ("complete-zsh", "#compdef cgannotate"),
            ("complete-fish", "function"),
        ] {
            let text = text(&[&format!("--generate={what}")]);
            assert!(text.starts_with(begin), "{what}: {}", &text[..40]);
            assert_has(&text, &options);
        }
        let page = text(&[&format!("--generate={man}")]);
        let sections = "SYNOPSIS, EXAMPLES, \"EXIT STATUS\", FILES, ENVIRONMENT, \"SEE ALSO\"";
        for section in sections.split(", ") {
            assert_has(&page, &[&format!("\n.SH {section}")]);
        }
        let lines: Vec<_> = page.lines().collect();
        for option in lines.windows(3).filter(|lines| lines[0] == ".TP") {
            assert_ne!(option[2], "", "{man}: {}", option[1]);
        }
    }
    assert_eq!(folder.run(&["--generate=man", "--inclusive"]).status, 2);
}

fn the_short_help_fits_one_screen_and_the_long_one_its_width() {
    let folder = Folder::with(&[]);
    let short = folder.page(&["-h"]);
    assert!(short.lines().count() <= 52, "{short}");
    assert!(
        short.ends_with(
            "\nD1mr, DLmr: read misses (L1, memory); Bcm: mispredicted. All options: --help\n"
        ),
        "{short}"
    );
    for args in ["-h", "--help", "gprof -h", "gprof --help", "record -h", "record --help"] {
        let width = if args == "-h" { 80 } else { 100 };
        let text = folder.page(&args.split(' ').collect::<Vec<_>>());
        let long = text.lines().find(|line| line.chars().count() > width);
        assert_eq!(long, None, "{args:?}");
    }
}

fn a_description_in_the_completions_has_at_most_60_characters() {
    for command in [&[][..], &["gprof"], &["record"]] {
        let help = Folder::with(&[]).page(&[command, &["--help"]].concat());
        let mut lines = help.lines();
        while let Some(line) = lines.next() {
            // A line of a description may begin with an option too, further right.
            if line.starts_with("  -") || line.starts_with("      --") {
                let text = lines.next().unwrap_or_default().trim();
                assert!(text.chars().count() <= 60, "{text}");
            }
        }
    }
}

fn bash_completes_values_after_an_equals_sign() {
    let folder = Folder::with(&[]);
    folder.write("script", folder.page(&["--generate=complete-bash"]));
    let complete = r#"source ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1));
        _cgannotate "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"; echo "${COMPREPLY[*]}""#;
    for (words, expected) in [
        (&["--group-by", "=", "na"][..], "namespace name\n"),
        (&["--tree", "="], "none callers callees both\n"),
        (&["gprof", "--gra"], "--graph\n"),
        (&["record", "--ca"], "--cache\n"),
    ] {
        let bash = other_program("bash").args(["-c", complete, "bash", "cgannotate"]);
        let output = bash.args(words).in_dir(folder.path("")).run();
        assert_eq!(output.page(), expected, "{words:?}: {output:?}");
    }
}

fn zsh_and_fish_complete_the_commands_apart() {
    let folder = Folder::with(&[]);
    let script = |shell| folder.page(&[&format!("--generate=complete-{shell}")]);
    let zsh = script("zsh");
    assert_eq!(zsh.matches("\n_cgannotate() {").count(), 1);
    assert_eq!(zsh.matches("\n_cgannotate_gprof() {").count(), 1);
    assert_eq!(zsh.matches("\n_cgannotate_record() {").count(), 1);
    // With two colons no options would be completed after a file.
    assert!(zsh.contains("'*:file") && !zsh.contains("'*::"), "{zsh}");
    let conditions = [
        " -n 'not __fish_cgannotate_is gprof record' ",
        " -n '__fish_cgannotate_is gprof' ",
        " -n '__fish_cgannotate_is record' ",
        " -n 'test (count (commandline -opc)) -eq 1' -a record ",
        " -n 'test (count (commandline -opc)) -eq 1' -a gprof ",
    ];
    for line in script("fish").lines() {
        let is_for_one = conditions.iter().any(|condition| line.contains(condition));
        assert!(is_for_one || !line.starts_with("complete "), "{line}");
    }
}
