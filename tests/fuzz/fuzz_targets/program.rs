//! The whole program with random options, on profiles of programs that never ran, damaged ones and any bytes:
//! it ends with a report or an error, its list adds up, and a terminal gets no control characters.

#![no_main]

mod common;

use std::fs;

use common::{damaged, enter_folder, printed, some_words};
use generated::laws;
use generated::model::{Dice, Model};
use libfuzzer_sys::fuzz_target;

/// What is on the command line, each word by chance.
const WORDS: &str = "--threshold=100  --threshold=0  --threshold=50%  --sort=Dr  --sort=Ir:50,Dr:10  --show=Dr  --show=Ir
    --show=Sum,Ir  --event=Sum = Ir + 2 Dr - Dw  --event=Ir = 2 Sum  --show-percs=no  --inclusive  --tree=both  --tree=caller
    --tree=calling  --cycles=no  --demangle=no  --auto=no  --context=0  --context=1  --context=4294967295  -I.  -I=nowhere
    -Idir  --part=1  --thread=1,2  --mod-filename=s/[a-c]\\.c/x/  --mod-filename=s/^/dir\\//g
    --mod-funcname=s/(.)(.)/\\2\\1/gi  --diff=other.out  --diff=p.out  --fail-above=1  --function=*  --function=!f
    --function=/[a-g]/  --file=a.c  --file=!c d.h  --object=lib*  --top=1  --top=0  --min=1  --fold=callers
    --fold=callers,recursion  --format=json  --format=callgrind  --format=text  --calls  --sort=calls  --sort=calls,Ir:50
    --group-by=file  --group-by=object  --group-by=namespace  --group-by=name  --fold=recursion  --verbose  --source-map=a=b
    --source-map=dir=.  -p  -pf  -Pf  -q  -qmain  -Qf  -C  -Z  -l  -n  -nf  -Nf  -z  -L  -b  --format=csv  --format=folded
    --format=dot  --width=1  --width=20  --width=0  --color=never  --quiet  --fail-above=Dr:0.5%  a.c  b.c  ./a.c  binary.c
    other.out  p.out  empty.out";

/// Some sources and profiles.
fn fill() {
    fs::create_dir("dir").unwrap();
    let other =
        "events: Dr Ir\nfl=a.c\nfn=main\n1 5 7\n+3 -2\ncfn=f\ncalls=2 1\n* 1 1\nfn=f\n1 2\n";
    for (name, text) in [
        ("a.c", &*"line\n".repeat(15)),
        ("b.c", &"\x1b[2J\tline \u{202e}\n".repeat(40)),
        ("binary.c", "\x7fELF\0\0\0"),
        ("empty.out", ""),
        ("dir/c d.h", "no newline"),
        ("other.out", other),
    ] {
        fs::write(name, text).unwrap();
    }
}

/// The text of a profile.
fn profile(dice: &mut Dice<'_>) -> Vec<u8> {
    match dice.below(3) {
        0 => dice.rest().to_vec(),
        1 => Model::play(dice).text(),
        _ => {
            let text = Model::play(dice).text();
            damaged(dice, &text, 6)
        }
    }
}

fuzz_target!(|input: &[u8]| {
    enter_folder(fill);
    let mut dice = Dice::new(input);
    let mut words = match dice.once_in(3) {
        true => vec!["cgannotate", "gprof", "p.out"],
        false => vec!["cgannotate", "p.out"],
    };
    words.extend(some_words(&mut dice, WORDS, 7));
    let escapes = dice.once_in(2);
    let text = profile(&mut dice);
    fs::write("p.out", &text).unwrap();
    let Some(out) = printed(&words, escapes) else {
        return;
    };
    let states = |key: &[u8]| text.windows(key.len()).any(|window| window == key);
    let states_total = states(b"summary:") || states(b"totals:");
    if words.contains(&"--threshold=100") && !states_total {
        list_adds_up(&words, &out);
    }
});

/// The beginnings of words with which the list has other rows than all, or other costs than self costs.
const OTHER: &str = "--threshold=0 --threshold=50% --sort=Ir:50 --inclusive --diff --tree --fu --fi --object --top --min --calls \
    --sort=calls --group-by --format gprof -p -P -q -Q -C -Z -l -n -N -z -L -b";

/// The first column of the list adds up to the total, where the total is calculated and each line of the list
/// is self cost.
fn list_adds_up(words: &[&str], page: &[u8]) {
    let differs = |word: &&str| OTHER.split(' ').any(|other| word.starts_with(other));
    if words.iter().any(differs) {
        return;
    }
    let lines: Vec<&[u8]> = page.split(|&b| b == b'\n').collect();
    let is_total = |line: &&[u8]| line.ends_with(b"PROGRAM TOTALS (calculated)");
    let Some(total) = lines.iter().position(|line| is_total(line)) else {
        return;
    };
    let number = |line: &[u8]| {
        let mut words = line.split(|&b| b == b' ').filter(|word| !word.is_empty());
        i128::from(laws::sums::read_back(words.next().unwrap()).unwrap_or(0))
    };
    let list = lines[total + 5..].iter();
    let list = list.take_while(|line| !line.is_empty());
    let sum: i128 = list.map(|line| number(line)).sum();
    assert_eq!(sum, number(lines[total]));
}
