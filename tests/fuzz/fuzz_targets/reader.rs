//! Profiles of programs that never ran, against what they were made from; the same damaged, and any
//! bytes, against what holds for every profile.

#![no_main]

use std::sync::OnceLock;

use generated::{damage, expected, laws, model};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

/// Checks what holds for every text.
fn check(text: &[u8]) -> bool {
    static FOLDER: OnceLock<(TempDir, Vec<u8>)> = OnceLock::new();
    let (_, sources) = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        let name = laws::write_sources(folder.path());
        (folder, name)
    });
    laws::hold(text, &[63], sources).is_some()
}

fuzz_target!(|input: &[u8]| {
    let mut dice = model::Dice::new(input);
    let kind = dice.below(4);
    let at = dice.below(65536);
    if kind == 0 {
        let text = dice.rest();
        // A number can grow by a cut if it was below 0, or wrapped.
        let is_long = |word: &[u8]| word.iter().all(u8::is_ascii_alphanumeric);
        let is_plain = !text.contains(&b'-') && !text.windows(17).any(is_long);
        if check(text) && is_plain {
            laws::a_cut_raises_no_cost(text, at % (text.len() + 1));
        }
        return;
    }
    let damages = if kind == 3 { 1 + dice.below(8) } else { 0 };
    let damages = (0..damages).map(|_| (dice.byte(), dice.below(65536) as u16, dice.byte()));
    let damages: Vec<_> = damages.collect();
    let model = model::Model::play(&mut dice);
    let text = model.text();
    if kind == 3 {
        check(&damage::damaged(&text, &damages));
        return;
    }
    let (profile, _) = laws::read_text(&text).unwrap();
    expected::matches(&model, &profile);
    assert!(check(&text));
    laws::a_cut_raises_no_cost(&text, at % (text.len() + 1));
    laws::order_of_parts_changes_nothing(&model.parts);
});
