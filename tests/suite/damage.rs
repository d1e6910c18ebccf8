//! Profiles of valgrind's tools that are cut, overwritten or changed in one byte: a limit on the
//! total is not judged, unless the damage is none of the costs, so that the verdict is that of the
//! whole profile.

use std::fs;
use std::path::Path;

use crate::common::corpus::{path_of, testdata};
use crate::common::generated::damage::{Damage, struck};
use crate::common::generated::model::Dice;
use crate::common::program::print_both;

trials![a_limit_on_a_damaged_profile_has_no_other_verdict, a_limit_on_a_whole_profile_is_judged];

/// Real profiles: instructions and jumps, contexts, parts, written-out names, events of branches,
/// and those of cachegrind.
const WHOLE: [&str; 6] = [
    "whole/cachegrind.out",
    "whole/callgrind.out",
    "whole/contexts.out",
    "whole/instructions.out",
    "whole/parts.out",
    "whole/uncompressed.out",
];

/// The number of damaged profiles of each kind, made of each whole one.
const VARIANTS: u64 = 16;

/// Bytes that are the same in each run, by the mixing function of SplitMix64.
fn random_bytes(text: u64, kind: u64, number: u64) -> [u8; 8] {
    let mut mixed = (text << 32 | kind << 16 | number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ mixed >> 31).to_le_bytes()
}

/// The verdict on the difference of two profiles, or the error.
fn verdict(base: &Path, new: &Path) -> Result<String, String> {
    let diff = format!("--diff={}", base.display());
    let args = ["--format=csv", "--fail-above=1", &diff, &new.display().to_string()];
    let (_, messages) = print_both(args)?;
    Ok(messages.lines().last().unwrap_or_default().to_owned())
}

fn a_limit_on_a_damaged_profile_has_no_other_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.out");
    let (mut refused, mut judged) = (0, 0);
    for name in WHOLE {
        let whole = testdata(name);
        let text = fs::read(&whole).unwrap();
        let of_whole = verdict(&whole, &whole).unwrap();
        for kind in Damage::ALL {
            for number in 0..VARIANTS {
                let bytes = random_bytes(text.len() as u64, kind as u64, number);
                let damaged = struck(&text, kind, &mut Dice::new(&bytes));
                fs::write(&path, &damaged).unwrap();
                for (base, new) in [(&whole, &path), (&path, &whole)] {
                    match verdict(base, new) {
                        Ok(verdict) => {
                            let text = String::from_utf8_lossy(&damaged);
                            assert_eq!(verdict, of_whole, "{name} {kind:?} {number}:\n{text}");
                            judged += 1;
                        }
                        Err(error) => {
                            assert!(!error.contains("exceeds"), "{name} {kind:?} {number}");
                            refused += 1;
                        }
                    }
                }
            }
        }
    }
    // Most damage is seen; what is not seen is in names and headers.
    assert!(refused > 2 * judged, "{refused} were refused, {judged} judged");
}

fn a_limit_on_a_whole_profile_is_judged() {
    let others = ["words/words.out", "words/words.sim.out", "words/words-longer.out"];
    for name in WHOLE.into_iter().chain(others) {
        let path = path_of(name);
        let verdict = verdict(path.as_ref(), path.as_ref()).unwrap();
        assert!(verdict.starts_with("ok "), "{name}: {verdict}");
    }
}
