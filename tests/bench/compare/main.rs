//! `cargo bench --bench compare [-- [tables=NAME,...] [older=PROGRAM] [PROFILE...]]`: times the whole program against
//! callgrind_annotate, `wc -l`, a loop that decodes every number, `gzip -dc` and `cat` on the same files in the same run, and
//! prints tables: `speed`, `memory`, `gzip`, `reports`; all if none is named. With `older=` it prints a table of all reports
//! against that build of cgannotate instead.
//!
//! Without a profile it makes some with valgrind, of python3 importing a few modules. Each time is the median
//! of several runs after one that is not counted. The programs of a row run in turn, so that it does not matter
//! when the machine gets slower or faster on the way.
//!
//! Measured 2026-11-21, in addition to the table in the README, on two virtual cores of an AMD EPYC:
//! - gzip: rustc's 15.3 MB take 22.5 ms packed (`gzip -dc` alone 58.6 ms), python3's 49.4 MB 76.9 ms (159.5 ms);
//! - larger reports, to a file: rustc with `--tree=both --threshold=100` (12.8 MB) 29.0 ms, 146 times as fast as
//!   callgrind_annotate; python3 with contexts and addresses, the same (96.8 MB) 135.6 ms, 102 times; 115 annotated sources
//!   (50.2 MB) 47.5 ms, 75 times;
//! - memory is about 10 MB plus 55 bytes for each distinct position: the parts of rustc's profile again and again in one
//!   file of 1, 10, 92 and 996 MB take 3.0, 11.6, 43.8 and 414.6 ms, and 6, 10, 11 and 10 MB.

#![allow(clippy::expect_used)]

mod floor;
mod measure;
mod older;
mod profiles;
mod sources;

use std::path::{Path, PathBuf};

use measure::{Command, Figures, in_turn, machine, megabytes, ratio};

/// The program.
const PROGRAM: &str = env!("CARGO_BIN_EXE_cgannotate");

/// The first word of a run of the bench itself that only decodes a profile's numbers.
const DECODE: &str = "decode";

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [word, profile] = &words[..]
        && word == DECODE
    {
        floor::decode(Path::new(profile)).expect("a profile");
        return;
    }
    let (mut tables, mut named, mut older) = (Vec::new(), Vec::new(), None);
    for word in words.iter().filter(|word| !word.starts_with("--")) {
        if let Some(list) = word.strip_prefix("tables=") {
            tables.extend(list.split(',').map(str::to_owned));
        } else if let Some(program) = word.strip_prefix("older=") {
            older = Some(program.to_owned());
        } else {
            named.push(PathBuf::from(word));
        }
    }
    let is_wanted =
        |table: &str| tables.is_empty() || tables.iter().any(|name| name.as_str() == table);
    let folder = tempfile::tempdir().expect("a folder for profiles");
    println!("{}", machine());
    let profiles = if named.is_empty() {
        profiles::make(folder.path())
    } else {
        named
    };
    if let Some(older) = older {
        older::compare(&older, &profiles);
        return;
    }
    if is_wanted("speed") {
        speed(&profiles);
    }
    if is_wanted("memory") {
        profiles
            .first()
            .inspect(|profile| memory(profile, folder.path()));
    }
    if is_wanted("gzip") {
        gzip(&profiles, folder.path());
    }
    if is_wanted("reports") {
        reports(&profiles, folder.path());
    }
}

/// Prints the head of a table.
fn head(title: &str, columns: &[&str]) {
    println!("\n{title}\n\n| {} |", columns.join(" | "));
    println!("| {} |", vec!["---"; columns.len()].join(" | "));
}

fn row(cells: &[String]) {
    println!("| {} |", cells.join(" | "));
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

/// Our program with these options.
fn ours(options: &[&str], profile: &Path) -> Command {
    Command::new(PROGRAM, options, profile)
}

fn speed(profiles: &[PathBuf]) {
    head(
        "Whole program, `--auto=no`",
        &[
            "profile",
            "size",
            "cgannotate",
            "peak",
            "callgrind_annotate",
            "peak",
            "ratio",
            "wc -l",
            "ratio",
            "decoding alone",
            "ratio",
        ],
    );
    let this = std::env::current_exe().unwrap_or_default();
    for profile in profiles {
        let [ours, reference, lines, decoding] = in_turn([
            ours(&["--auto=no"], profile),
            Command::new("callgrind_annotate", &["--auto=no"], profile),
            Command::new("wc", &["-l"], profile),
            Command::new(&this.display().to_string(), &[DECODE], profile),
        ]);
        row(&[
            name(profile),
            megabytes(size(profile)),
            ours.time(),
            ours.peak(),
            reference.time(),
            reference.peak(),
            ratio(&reference, &ours),
            lines.time(),
            ratio(&ours, &lines),
            decoding.time(),
            ratio(&ours, &decoding),
        ]);
    }
}

fn memory(profile: &Path, folder: &Path) {
    let title = format!("The parts of {} again and again", name(profile));
    head(&title, &["size", "time", "MB/s", "peak"]);
    for megabytes_wanted in [1, 10, 100, 1000] {
        let Some(repeated) = profiles::repeat(profile, folder, megabytes_wanted * 1_000_000) else {
            println!("no room for {megabytes_wanted} MB in {}", folder.display());
            return;
        };
        let [ours] = in_turn([ours(&["--auto=no"], &repeated)]);
        let size = size(&repeated);
        row(&[megabytes(size), ours.time(), ours.rate(size), ours.peak()]);
        let _ = std::fs::remove_file(repeated);
    }
}

fn gzip(profiles: &[PathBuf], folder: &Path) {
    head(
        "Packed with `gzip -6`, `--auto=no`",
        &[
            "profile", "size", "packed", "plain", "gzip", "ratio", "gzip -dc", "ratio",
        ],
    );
    for profile in profiles {
        let Some(packed) = profiles::pack(profile, folder) else {
            println!("no gzip here");
            return;
        };
        let [plain, unpacking, decoder] = in_turn([
            ours(&["--auto=no"], profile),
            ours(&["--auto=no"], &packed),
            Command::new("gzip", &["-dc"], &packed),
        ]);
        row(&[
            name(profile),
            megabytes(size(profile)),
            megabytes(size(&packed)),
            plain.time(),
            unpacking.time(),
            ratio(&unpacking, &plain),
            decoder.time(),
            ratio(&unpacking, &decoder),
        ]);
    }
}

fn reports(profiles: &[PathBuf], folder: &Path) {
    head(
        "Large reports, written to a file; `cat` writes a copy of the file",
        &[
            "report",
            "written",
            "cgannotate",
            "MB/s",
            "peak",
            "cat",
            "ratio",
            "callgrind_annotate",
            "ratio",
        ],
    );
    let tree = ["--auto=no", "--tree=both", "--threshold=100"];
    for profile in profiles {
        let title = format!("{} --tree=both --threshold=100", name(profile));
        report(&title, ours(&tree, profile), folder);
    }
    let sources = sources::make(folder);
    let below = format!("--include={}", sources.folder.display());
    let title = format!("{} annotated sources", sources.count);
    report(&title, ours(&[&below], &sources.profile), folder);
}

fn report(title: &str, ours: Command, folder: &Path) {
    let (page, copy) = (folder.join("page"), folder.join("copy"));
    let reference = ours
        .with_program("callgrind_annotate")
        .writing(&folder.join("reference"));
    let [ours, copied, reference]: [Figures; 3] = in_turn([
        ours.writing(&page),
        Command::new("cat", &[], &page).writing(&copy),
        reference,
    ]);
    let written = size(&page);
    row(&[
        title.to_owned(),
        megabytes(written),
        ours.time(),
        ours.rate(written),
        ours.peak(),
        copied.time(),
        ratio(&ours, &copied),
        reference.time(),
        ratio(&reference, &ours),
    ]);
}
