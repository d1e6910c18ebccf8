//! The whole program with random options, on profiles of programs that never ran, damaged ones and
//! any bytes: it ends with a report or an error, and a terminal gets no control characters.

#![no_main]

mod common;

use std::fs;

use common::{damaged, enter_folder, printed, some_words};
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
    --group-by=file  --group-by=object  --group-by=namespace  --group-by=name  --fold=recursion  --source-map=a=b
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
    fs::write("p.out", text).unwrap();
    printed(&words, escapes);
});
