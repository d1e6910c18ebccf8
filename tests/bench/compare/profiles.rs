//! The profiles to measure with: made by valgrind, made longer, packed.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SCRIPT: &str = "import json, re, email, decimal, argparse, xml.etree.ElementTree\n\
                      print(len(json.dumps({str(i): [i, {'a': i}] for i in range(200)})))";

/// Profiles of python3 of 10 MB and more each: by instruction in several parts, by calling context, and both.
const VARIANTS: [(&str, &[&str]); 3] = [
    (
        "python3-instr",
        &[
            "--dump-instr=yes",
            "--collect-jumps=yes",
            "--combine-dumps=yes",
            "--dump-every-bb=1000000",
        ],
    ),
    ("python3-callers", &["--separate-callers=12"]),
    (
        "python3-instr-callers",
        &[
            "--dump-instr=yes",
            "--collect-jumps=yes",
            "--separate-callers=8",
        ],
    ),
];

/// Makes profiles in `folder`; none where valgrind or python3 are not installed.
pub fn make(folder: &Path) -> Vec<PathBuf> {
    // What is called python3 may be a script that starts it.
    let python = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        .unwrap_or_default();
    let mut profiles = Vec::new();
    for (name, options) in VARIANTS {
        let profile = folder.join(name);
        let mut valgrind = Command::new("valgrind");
        valgrind
            .arg("--tool=callgrind")
            .arg(format!("--callgrind-out-file={}", profile.display()))
            .args(options)
            .args([&python[..], "-c", SCRIPT])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let is_done = valgrind.status().is_ok_and(|status| status.success());
        if is_done && fs::metadata(&profile).is_ok_and(|file| file.len() > 0) {
            profiles.push(profile);
        } else {
            eprintln!("no profile {name}: valgrind and python3 are needed");
        }
    }
    profiles
}

/// A profile of about so many bytes: that one's begin up to a whole function, or all its parts again and again.
/// None if there is no room.
pub fn repeat(profile: &Path, folder: &Path, bytes: usize) -> Option<PathBuf> {
    let text = fs::read(profile).ok()?;
    let path = folder.join("repeated");
    let mut file = File::create(&path).ok()?;
    let written = if bytes < text.len() {
        let end = text[..bytes].windows(2).rposition(|end| end == b"\n\n")?;
        file.write_all(&text[..end + 1])
    } else {
        (0..bytes / text.len()).try_for_each(|_| file.write_all(&text))
    };
    if written.is_err() {
        let _ = fs::remove_file(&path);
        return None;
    }
    Some(path)
}

/// The same profile packed by gzip.
pub fn pack(profile: &Path, folder: &Path) -> Option<PathBuf> {
    let path = folder.join("packed.gz");
    let mut gzip = Command::new("gzip");
    gzip.args(["-6", "-c"]).arg(profile);
    gzip.stdout(File::create(&path).ok()?);
    let status: io::Result<_> = gzip.status();
    status.ok()?.success().then_some(path)
}
