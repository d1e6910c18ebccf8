//! What the targets share that run the program: command lines of words, and what is true of every
//! run.

use std::ffi::OsString;
use std::sync::OnceLock;

use cgannotate::internal::{Messages, cli, run};
use generated::damage;
use generated::model::Dice;

/// Goes to a folder, which `fill` fills when it is made.
pub fn enter_folder(fill: fn()) {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        std::env::set_current_dir(folder.path()).unwrap();
        fill();
        folder
    });
}

/// Fewer than `end` of these words, which are one a line.
pub fn some_words(dice: &mut Dice<'_>, words: &'static str, end: usize) -> Vec<&'static str> {
    let words: Vec<&str> = words
        .lines()
        .flat_map(|line| line.trim().split("  "))
        .collect();
    let count = dice.below(end);
    (0..count).map(|_| words[dice.below(words.len())]).collect()
}

/// The bytes with up to `most` damages.
pub fn damaged(dice: &mut Dice<'_>, bytes: &[u8], most: usize) -> Vec<u8> {
    let count = dice.below(most + 1);
    let damage = |dice: &mut Dice<'_>| (dice.byte(), dice.below(65536) as u16, dice.byte());
    let damages: Vec<_> = (0..count).map(|_| damage(dice)).collect();
    damage::damaged(bytes, &damages)
}

/// What the program prints for this command line, if it is one and the run succeeds. A terminal
/// gets no control characters, an error is one line, and a second run is the same.
pub fn printed(words: &[&str], escapes: bool) -> Option<Vec<u8>> {
    let cli::Request::Report(options) = cli::parse(words.iter().map(OsString::from)).ok()? else {
        return None;
    };
    let once = || {
        let (mut out, messages) = (Vec::new(), Messages::held());
        let done = run(&options, escapes, &mut out, &messages);
        (
            done.map_err(|error| format!("{error:#}")),
            out,
            messages.take(),
        )
    };
    let (done, out, err) = once();
    // gprof's sections begin with a form feed.
    let is_odd = |c: char| c.is_control() && !"\t\n\u{c}".contains(c);
    let is_safe = |text: &str| !text.contains(is_odd);
    let text = String::from_utf8_lossy(&out);
    assert!(!escapes || is_safe(&text), "{words:?}: {text:?}");
    assert!(is_safe(&err), "{words:?}: {err:?}");
    if let Err(error) = &done {
        assert!(is_safe(error) && !error.contains('\n'), "{error:?}");
    }
    drop(text);
    let is_done = done.is_ok();
    let first = (done, out, err);
    assert_eq!(once(), first, "the same once more");
    is_done.then_some(first.1)
}
