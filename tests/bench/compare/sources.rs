//! A profile with many sources, each annotated from its first line to its last.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// How many sources, and how many lines each.
const COUNT: usize = 115;
const LENGTH: usize = 6000;

/// A profile and its sources.
pub struct Sources {
    /// The profile.
    pub profile: PathBuf,
    /// Where the sources are.
    pub folder: PathBuf,
    /// How many there are.
    pub count: usize,
}

/// Writes a profile and its sources: every third line has costs, every ninth a call.
pub fn make(folder: &Path) -> Sources {
    let folder = folder.join("sources");
    fs::create_dir(&folder).expect("a folder for sources");
    let mut text = "version: 1\ncreator: callgrind\npositions: line\nevents: Ir\n".to_owned();
    for file in 0..COUNT {
        let mut source = String::new();
        for line in 1..=LENGTH {
            let _ = writeln!(
                source,
                "    sum_{line} += values[{line}] * factor; /* of {file} */"
            );
        }
        fs::write(folder.join(format!("module_{file}.c")), source).expect("a source");
        for function in 0..LENGTH / 60 {
            let _ = write!(
                text,
                "\nfl=module_{file}.c\nfn=function_{file}_{function}\n"
            );
            for line in (function * 60 + 1..function * 60 + 60).step_by(3) {
                let _ = writeln!(text, "{line} {}", 1000 + file + line * 7 % 991);
                if line % 9 == 1 && function + 9 < LENGTH / 60 {
                    let callee = function + 1 + line % 8;
                    let _ = writeln!(
                        text,
                        "cfn=function_{file}_{callee}\ncalls=3 1\n{line} 123456"
                    );
                }
            }
        }
    }
    let profile = folder.join("profile");
    fs::write(&profile, text).expect("a profile");
    Sources {
        profile,
        folder,
        count: COUNT,
    }
}
