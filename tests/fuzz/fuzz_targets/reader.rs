//! Profiles of programs that never ran, against what they were made from; the same damaged, and any bytes,
//! against what holds for every profile.

#![no_main]

use std::path::Path;
use std::sync::OnceLock;

use generated::{damage, expected, laws, model};
use libfuzzer_sys::fuzz_target;

/// A folder with sources for some of the files that the programs have.
fn sources() -> &'static [u8] {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        std::fs::write(folder.path().join("a.c"), "line\n".repeat(15)).unwrap();
        std::fs::write(folder.path().join("b.c"), "line\n".repeat(40)).unwrap();
        folder
    });
    static NAME: OnceLock<Vec<u8>> = OnceLock::new();
    let with_slash = |folder: &Path| format!("{}/", folder.display()).into_bytes();
    NAME.get_or_init(|| with_slash(folder.path()))
}

fuzz_target!(|input: &[u8]| {
    let mut dice = model::Dice::new(input);
    let kind = dice.below(4);
    if kind == 0 {
        let at = dice.below(65536);
        let text = dice.rest();
        laws::comments_between_lines_change_nothing(text);
        laws::detail_changes_no_sum(text);
        if let Ok((profile, _)) = laws::read_text(text) {
            laws::sums_hold(&profile, sources());
            laws::exports_are_read_back(&profile);
            laws::charges_are_conserved(&profile);
            laws::nested_costs_add_up(&profile);
            // A number can grow by a cut if it was below 0, or wrapped.
            if !text.contains(&b'-')
                && !text
                    .windows(17)
                    .any(|w| w.iter().all(u8::is_ascii_alphanumeric))
            {
                laws::a_cut_raises_no_cost(text, at % (text.len() + 1));
            }
        }
        return;
    }
    let at = dice.below(65536);
    let damages: Vec<_> = match kind {
        3 => (0..1 + dice.below(8))
            .map(|_| (dice.byte(), dice.below(65536) as u16, dice.byte()))
            .collect(),
        _ => Vec::new(),
    };
    let model = model::Model::play(&mut dice);
    let text = model.text();
    if kind == 3 {
        let text = damage::damaged(&text, &damages);
        laws::comments_between_lines_change_nothing(&text);
        laws::detail_changes_no_sum(&text);
        if let Ok((profile, _)) = laws::read_text(&text) {
            laws::sums_hold(&profile, sources());
            laws::exports_are_read_back(&profile);
            laws::charges_are_conserved(&profile);
            laws::nested_costs_add_up(&profile);
        }
        return;
    }
    let (profile, _) = laws::read_text(&text).unwrap();
    expected::matches(&model, &profile);
    laws::sums_hold(&profile, sources());
    laws::exports_are_read_back(&profile);
    laws::charges_are_conserved(&profile);
    laws::nested_costs_add_up(&profile);
    laws::a_cut_raises_no_cost(&text, at % (text.len() + 1));
    laws::order_of_parts_changes_nothing(&model.parts);
});
