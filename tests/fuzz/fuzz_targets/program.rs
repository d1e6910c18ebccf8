//! The whole program with random options, on profiles of programs that never ran, damaged ones and any bytes:
//! it ends with a report or an error, its list adds up, and a terminal gets no control characters.

#![no_main]

use std::ffi::OsString;
use std::fs;
use std::sync::OnceLock;

use generated::{damage, laws};
use libfuzzer_sys::fuzz_target;

use generated::model::{Dice, Model};

/// What is on the command line, each word by chance. The first ones change what the list has.
const WORDS: [&str; 88] = [
    "--threshold=100",
    "--threshold=0",
    "--threshold=50%",
    "--sort=Dr",
    "--sort=Ir:50,Dr:10",
    "--show=Dr",
    "--show=Ir",
    "--show=Sum,Ir",
    "--event=Sum = Ir + 2 Dr - Dw",
    "--event=Ir = 2 Sum",
    "--show-percs=no",
    "--inclusive",
    "--tree=both",
    "--tree=caller",
    "--tree=calling",
    "--cycles=no",
    "--demangle=no",
    "--auto=no",
    "--context=0",
    "--context=1",
    "--context=4294967295",
    "-I.",
    "-I=nowhere",
    "-Idir",
    "--part=1",
    "--thread=1,2",
    "--mod-filename=s/[a-c]\\.c/x/",
    "--mod-filename=s/^/dir\\//g",
    "--mod-funcname=s/(.)(.)/\\2\\1/gi",
    "--diff=other.out",
    "--diff=p.out",
    "--fail-above=1",
    "--function=*",
    "--function=!f",
    "--function=/[a-g]/",
    "--file=a.c",
    "--file=!c d.h",
    "--object=lib*",
    "--top=1",
    "--top=0",
    "--min=1",
    "--fold=callers",
    "--fold=callers,recursion",
    "--format=json",
    "--format=callgrind",
    "--format=text",
    "--calls",
    "--sort=calls",
    "--sort=calls,Ir:50",
    "--group-by=file",
    "--group-by=object",
    "--group-by=namespace",
    "--group-by=name",
    "--fold=recursion",
    "--verbose",
    "--source-map=a=b",
    "--source-map=dir=.",
    "-p",
    "-pf",
    "-Pf",
    "-q",
    "-qmain",
    "-Qf",
    "-C",
    "-Z",
    "-l",
    "-n",
    "-nf",
    "-Nf",
    "-z",
    "-L",
    "-b",
    "--format=csv",
    "--format=folded",
    "--format=dot",
    "--width=1",
    "--width=20",
    "--width=0",
    "--color=never",
    "--quiet",
    "--fail-above=Dr:0.5%",
    "a.c",
    "b.c",
    "./a.c",
    "binary.c",
    "other.out",
    "p.out",
    "empty.out",
];

/// Goes to a folder with some sources, where the profile is put too.
fn enter_folder() {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        std::env::set_current_dir(folder.path()).unwrap();
        fs::write("a.c", "line\n".repeat(15)).unwrap();
        fs::write("b.c", "\x1b[2J\tline \u{202e}\n".repeat(40)).unwrap();
        fs::write("binary.c", b"\x7fELF\0\0\0").unwrap();
        fs::write("empty.out", b"").unwrap();
        fs::create_dir("dir").unwrap();
        fs::write("dir/c d.h", "no newline").unwrap();
        let other =
            "events: Dr Ir\nfl=a.c\nfn=main\n1 5 7\n+3 -2\ncfn=f\ncalls=2 1\n* 1 1\nfn=f\n1 2\n";
        fs::write("other.out", other).unwrap();
        folder
    });
}

/// The text of a profile.
fn profile(dice: &mut Dice<'_>) -> Vec<u8> {
    match dice.below(3) {
        0 => dice.rest().to_vec(),
        1 => Model::play(dice).text(),
        _ => {
            let count = 1 + dice.below(6);
            let damage = |dice: &mut Dice<'_>| (dice.byte(), dice.below(65536) as u16, dice.byte());
            let damages: Vec<_> = (0..count).map(|_| damage(dice)).collect();
            damage::damaged(&Model::play(dice).text(), &damages)
        }
    }
}

fuzz_target!(|input: &[u8]| {
    enter_folder();
    let mut dice = Dice::new(input);
    let count = dice.below(7);
    let mut words = match dice.once_in(3) {
        true => vec!["cgannotate", "gprof", "p.out"],
        false => vec!["cgannotate", "p.out"],
    };
    words.extend((0..count).map(|_| WORDS[dice.below(WORDS.len())]));
    let escapes = dice.once_in(2);
    let text = profile(&mut dice);
    fs::write("p.out", &text).unwrap();
    let Ok(config) = cgannotate::internal::cli::parse(words.iter().map(OsString::from)) else {
        return;
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let done = cgannotate::internal::run(&config, escapes, &mut out, &mut err);
    let is_safe = |text: &[u8]| {
        let text = String::from_utf8_lossy(text);
        // gprof's sections begin with a form feed.
        text.chars()
            .all(|c| !c.is_control() || "\t\n\u{c}".contains(c))
    };
    assert!(!escapes || is_safe(&out), "control characters");
    assert!(is_safe(&err), "control characters in a warning");
    if let Err(error) = &done {
        let text = format!("{error:#}");
        assert!(is_safe(text.as_bytes()) && !text.contains('\n'), "{text}");
    }
    let again = (Vec::new(), Vec::new());
    let (mut out_again, mut err_again) = again;
    let done_again = cgannotate::internal::run(&config, escapes, &mut out_again, &mut err_again);
    assert_eq!(done.is_ok(), done_again.is_ok());
    assert_eq!((&out, &err), (&out_again, &err_again), "the same once more");
    let states = |key: &[u8]| text.windows(key.len()).any(|window| window == key);
    let states_total = states(b"summary:") || states(b"totals:");
    if done.is_ok() && words.contains(&"--threshold=100") && !states_total {
        list_adds_up(&words, &out);
    }
});

/// The first column of the list adds up to the total, where the total is calculated and each line of the list
/// is self cost.
fn list_adds_up(words: &[&str], page: &[u8]) {
    const OTHER: [&str; 28] = [
        "--threshold=0",
        "--threshold=50%",
        "--sort=Ir:50",
        "--inclusive",
        "--diff",
        "--tree",
        "--fu",
        "--fi",
        "--object",
        "--top",
        "--min",
        "--calls",
        "--sort=calls",
        "--group-by",
        "--format",
        "gprof",
        "-p",
        "-P",
        "-q",
        "-Q",
        "-C",
        "-Z",
        "-l",
        "-n",
        "-N",
        "-z",
        "-L",
        "-b",
    ];
    let differs = |word: &&str| OTHER.iter().any(|other| word.starts_with(other));
    if words.iter().any(differs) {
        return;
    }
    let lines: Vec<&[u8]> = page.split(|&b| b == b'\n').collect();
    let Some(total) = lines
        .iter()
        .position(|line| line.ends_with(b"PROGRAM TOTALS (calculated)"))
    else {
        return;
    };
    let number = |line: &[u8]| {
        let word = line
            .split(|&b| b == b' ')
            .find(|word| !word.is_empty())
            .unwrap();
        i128::from(laws::sums::read_back(word).unwrap_or(0))
    };
    let list = lines[total + 5..]
        .iter()
        .take_while(|line| !line.is_empty());
    assert_eq!(
        list.map(|line| number(line)).sum::<i128>(),
        number(lines[total])
    );
}
