//! `--output` writes a whole file or none, `--generate` prints the manual page and completions for shells.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use crate::common::corpus::testdata;
use crate::common::program::{Output, other_program, program};

trials![
    #[cfg(target_os = "linux")]
    a_limit_that_is_exceeded_is_reported_whatever_becomes_of_the_report,
    links_permissions_and_pipes,
    a_file_gets_the_same_as_standard_output,
    a_profile_can_be_written_over_itself,
    a_failed_run_leaves_no_file,
    a_limit_that_is_exceeded_leaves_the_report,
    the_man_pages_and_the_completions_have_all_options,
    the_short_help_fits_one_screen_and_the_long_one_its_width,
    a_description_in_the_completions_has_at_most_60_characters,
    bash_completes_values_after_an_equals_sign,
    zsh_and_fish_complete_both_commands_apart
];

fn run(folder: &Path, args: &[&str]) -> Output {
    program().args(args).in_dir(folder).run()
}

fn words() -> String {
    let words = testdata("words/words.out");
    words.to_str().unwrap().to_owned()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn a_file_gets_the_same_as_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let words = words();
    for format in ["text", "json", "csv", "folded", "dot", "callgrind"] {
        let format = format!("--format={format}");
        let expected = run(folder.path(), &[&format, &words]);
        let output = run(folder.path(), &[&format, "--output=page", &words]);
        assert_eq!(output.status, 0, "{output:?}");
        assert!(output.out.is_empty() && output.err.is_empty());
        assert_eq!(fs::read(folder.path().join("page")).unwrap(), expected.out);
        let dash = run(folder.path(), &[&format, "--output=-", &words]);
        assert_eq!(dash.out, expected.out);
    }
    assert_eq!(names(folder.path()), ["page"]);
}

fn a_profile_can_be_written_over_itself() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(words(), folder.path().join("p.out")).unwrap();
    let pages: Vec<String> = (0..2)
        .map(|_| {
            let page = run(folder.path(), &["--auto=no", "--tree=both", "p.out"]).out;
            let done = run(
                folder.path(),
                &["--format=callgrind", "--output=p.out", "p.out"],
            );
            assert!(done.status == 0, "{done:?}");
            let page = String::from_utf8(page).unwrap();
            page.split_once("Events recorded").unwrap().1.to_owned()
        })
        .collect();
    assert_eq!(pages[0], pages[1]);
}

fn a_failed_run_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("old"), "old").unwrap();
    fs::create_dir(folder.path().join("dir")).unwrap();
    let words = words();
    let wrong: [&[&str]; 5] = [
        &["--output=old", "none.out"],
        &["--output=old", "--format=folded", "old"],
        &["--output=none/x", &words],
        &["--output=dir", &words],
        &["--output=", &words],
    ];
    for args in wrong {
        let output = run(folder.path(), args);
        assert!(matches!(output.status, 1 | 2), "{args:?} {output:?}");
        assert!(output.out.is_empty());
        let error = String::from_utf8(output.err).unwrap();
        assert!(
            error.starts_with("cgannotate: ") || error.starts_with("error: "),
            "{error}"
        );
        assert!(!error.contains(".cgannotate-"), "{error}");
    }
    assert_eq!(names(folder.path()), ["dir", "old"]);
    assert_eq!(fs::read(folder.path().join("old")).unwrap(), b"old");
}

fn a_limit_that_is_exceeded_leaves_the_report() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), "events: Ir\nfn=f\n1 5\n").unwrap();
    fs::write(folder.path().join("b"), "events: Ir\nfn=f\n1 9\n").unwrap();
    let output = run(
        folder.path(),
        &["--diff=a", "--fail-above=1", "--output=page", "b"],
    );
    assert_eq!(output.status, 3, "{output:?}");
    let page = fs::read_to_string(folder.path().join("page")).unwrap();
    assert!(page.contains("5        9        +4 +80.0%"), "{page}");
}

#[cfg(target_os = "linux")]
fn a_limit_that_is_exceeded_is_reported_whatever_becomes_of_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let profile = |functions: usize, cost: usize| -> String {
        let lines = (0..functions).map(|i| format!("fn=function_{i}\n1 {cost}\n"));
        format!("events: Ir\nfl=a.c\n{}", lines.collect::<String>())
    };
    // A report that fits the buffer of standard output, and one that does not.
    for functions in [1, 5_000] {
        let write =
            |name: &str, cost| fs::write(folder.path().join(name), profile(functions, cost));
        write("a", 5).unwrap();
        write("b", 9).unwrap();
        let formats = ["page", "json", "csv", "markdown", "folded", "dot"];
        for format in formats {
            let run = |diff: &str, new: &str, stdout: Stdio| {
                let format = (format != "page").then(|| format!("--format={format}"));
                let run = program()
                    .in_dir(folder.path())
                    .args([diff, "--fail-above=50", new]);
                run.args(format).stdout(stdout)
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
            let error = verdict.clone() + "cgannotate: No space left on device (os error 28)\n";
            assert_eq!(output.error(), error);
            // A limit that holds is no error either.
            let output = run("--diff=b", "a", closed.into()).run();
            assert_eq!(output.status, 0, "{output:?}");
            assert!(output.error().starts_with("ok Ir "), "{output:?}");
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
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let words = words();
    fs::write(at("page"), "").unwrap();
    fs::set_permissions(at("page"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("page", at("link")).unwrap();
    assert!(run(folder.path(), &["--output=link", &words]).status == 0);
    assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
    let mode = fs::metadata(at("page")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    let expected = run(folder.path(), &[&words]).out;
    assert_eq!(fs::read(at("page")).unwrap(), expected);

    // One that leads to nothing yet, through another; and a circle.
    fs::create_dir(at("folder")).unwrap();
    symlink("folder/new", at("dangling")).unwrap();
    symlink("dangling", at("again")).unwrap();
    assert!(run(folder.path(), &["--output=again", &words]).status == 0);
    assert!(fs::symlink_metadata(at("dangling")).unwrap().is_symlink());
    assert_eq!(fs::read(at("folder/new")).unwrap(), expected);
    symlink("circle", at("circle")).unwrap();
    assert_eq!(run(folder.path(), &["--output=circle", &words]).status, 1);
    assert!(fs::symlink_metadata(at("circle")).unwrap().is_symlink());

    assert_eq!(other_program("mkfifo").arg(at("pipe")).run().status, 0);
    let pipe = at("pipe");
    let reader = std::thread::spawn(move || fs::read(pipe).unwrap());
    assert!(run(folder.path(), &["--output=pipe", &words]).status == 0);
    assert_eq!(reader.join().unwrap(), expected);
}

/// The long options that a help page lists.
fn options(help: &str) -> Vec<&str> {
    let lines = help.lines().map(str::trim_start);
    let options = lines
        .filter(|line| line.starts_with('-'))
        .filter_map(|line| {
            let (before, option) = line.split_once("--")?;
            let is_option = before.is_empty() || before.ends_with(", ");
            is_option.then(|| option.split([' ', '[', '=', '<']).next())?
        });
    options.collect()
}

fn the_man_pages_and_the_completions_have_all_options() {
    let folder = tempfile::tempdir().unwrap();
    let text = |args: &[&str]| {
        let output = run(folder.path(), args);
        assert_eq!(output.status, 0, "{output:?}");
        String::from_utf8(output.out).unwrap().replace("\\-", "-")
    };
    for (command, man) in [(&[][..], "man"), (&["gprof"], "man-gprof")] {
        let help = text(&[command, &["--help"]].concat());
        let options = options(&help);
        assert!(
            options.contains(&"show") && options.len() > 25,
            "{options:?}"
        );
        for (what, begin) in [
            (man, ".ie"),
            ("complete-bash", "_cgannotate()"),
            ("complete-zsh", "#compdef cgannotate"),
            ("complete-fish", "function"),
        ] {
            let text = text(&[&format!("--generate={what}")]);
            assert!(text.starts_with(begin), "{what}: {}", &text[..40]);
            for option in &options {
                assert!(text.contains(option), "{what}: --{option}");
            }
        }
        let page = text(&[&format!("--generate={man}")]);
        for section in [
            "SYNOPSIS",
            "EXAMPLES",
            "\"EXIT STATUS\"",
            "FILES",
            "ENVIRONMENT",
            "\"SEE ALSO\"",
        ] {
            assert!(
                page.contains(&format!("\n.SH {section}")),
                "{man}: {section}"
            );
        }
    }
    for man in ["--generate=man", "--generate=man-gprof"] {
        let page = text(&[man]);
        let lines: Vec<_> = page.lines().collect();
        for option in lines.windows(3).filter(|lines| lines[0] == ".TP") {
            assert!(
                !option[2].is_empty(),
                "{man}: {} has no description",
                option[1]
            );
        }
    }
    let alone = run(folder.path(), &["--generate=man", "--inclusive"]);
    assert_eq!(alone.status, 2);
}

fn the_short_help_fits_one_screen_and_the_long_one_its_width() {
    let folder = tempfile::tempdir().unwrap();
    let help = |args: &[&str]| String::from_utf8(run(folder.path(), args).out).unwrap();
    let short = help(&["-h"]);
    assert!(short.lines().count() <= 52, "{short}");
    assert!(short.ends_with("\nAll options: --help\n"), "{short}");
    for args in [
        &["-h"][..],
        &["--help"],
        &["gprof", "-h"],
        &["gprof", "--help"],
    ] {
        let text = help(args);
        let long = text.lines().find(|line| line.chars().count() > 100);
        assert_eq!(long, None, "{args:?}");
    }
}

fn a_description_in_the_completions_has_at_most_60_characters() {
    let folder = tempfile::tempdir().unwrap();
    for command in [&[][..], &["gprof"]] {
        let help = run(folder.path(), &[command, &["--help"]].concat()).page();
        let mut lines = help.lines();
        while let Some(line) = lines.next() {
            if line.trim_start().starts_with('-') {
                let text = lines.next().unwrap_or_default().trim();
                assert!(text.chars().count() <= 60, "{text}");
            }
        }
    }
}

fn bash_completes_values_after_an_equals_sign() {
    let folder = tempfile::tempdir().unwrap();
    let script = run(folder.path(), &["--generate=complete-bash"]).out;
    fs::write(folder.path().join("script"), script).unwrap();
    let complete = r#"source ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1));
        _cgannotate "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"; echo "${COMPREPLY[*]}""#;
    for (words, expected) in [
        (&["--group-by", "=", "na"][..], "namespace name\n"),
        (&["--tree", "="], "none caller calling both\n"),
        (&["gprof", "--gra"], "--graph\n"),
    ] {
        let bash = other_program("bash").args(["-c", complete, "bash", "cgannotate"]);
        let output = bash.args(words).in_dir(folder.path()).run();
        assert_eq!(output.page(), expected, "{words:?}: {output:?}");
    }
}

fn zsh_and_fish_complete_both_commands_apart() {
    let folder = tempfile::tempdir().unwrap();
    let script = |shell| run(folder.path(), &[&format!("--generate=complete-{shell}")]).page();
    let zsh = script("zsh");
    assert_eq!(zsh.matches("\n_cgannotate() {").count(), 1);
    assert_eq!(zsh.matches("\n_cgannotate_gprof() {").count(), 1);
    // With two colons no options would be completed after a file.
    assert!(zsh.contains("'*:file") && !zsh.contains("'*::"), "{zsh}");
    let conditions = [
        " -n 'not __fish_cgannotate_gprof' ",
        " -n '__fish_cgannotate_gprof' ",
        " -n 'test (count (commandline -opc)) -eq 1' -a gprof ",
    ];
    for line in script("fish").lines() {
        let is_for_one = conditions.iter().any(|condition| line.contains(condition));
        assert!(is_for_one || !line.starts_with("complete "), "{line}");
    }
}
