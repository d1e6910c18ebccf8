//! What cannot be a stored file: what has no end, is too large, is no file, or changes while it is read. Each ends soon,
//! with the status that it should have, at most one line on standard error, and in little memory. What can be
//! stored is in testdata/golden/hostile-*.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;

/// A program with less address space than this many KiB would not start its threads.
const MEMORY: u32 = 300 << 10;

const PROFILE: &str = "events: Ir\nfl=a.c\nfn=f\n1 5\n";

/// What writes the input.
type Source<'w> = dyn FnMut(&mut dyn Write) -> io::Result<()> + Send + 'w;

/// Runs the program with little memory, on what `write` gives it as standard input, if anything.
fn run(folder: &Path, args: &[&str], write: Option<&mut Source<'_>>) -> Output {
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -v {MEMORY} && exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_cgannotate"))
        .args(args)
        .current_dir(folder)
        .stdin(if write.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take();
    thread::scope(|scope| {
        if let (Some(write), Some(mut stdin)) = (write, stdin) {
            // A program that has seen enough closes the pipe.
            scope.spawn(move || drop(write(&mut stdin)));
        }
        child.wait_with_output().unwrap()
    })
}

/// That there is no report, and one line of why.
fn assert_refused(output: &Output, why: &str) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        (output.status.code(), output.status.signal()),
        (Some(1), None),
        "{error}"
    );
    assert!(output.stdout.is_empty());
    assert_eq!(error, format!("cgannotate: {why}\n"));
}

/// The report of the small profile, whatever it is called.
fn assert_reported(output: &Output) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    let page = String::from_utf8_lossy(&output.stdout);
    assert!(page.contains("\n5 (100.0%)  a.c:f\n"), "{page}");
}

fn here() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn what_has_no_end() {
    let folder = here();
    let why = "/dev/zero:1: not a callgrind profile (a line of more than 1 MiB)";
    assert_refused(&run(folder.path(), &["/dev/zero"], None), why);
    let random = run(folder.path(), &["/dev/urandom"], None);
    assert_eq!(random.status.code(), Some(1));
    assert_eq!(random.stderr.iter().filter(|&&b| b == b'\n').count(), 1);
    // Behind a sound begin, and as one line of a name.
    for (begin, line) in [
        ("", 1),
        ("events: Ir\nfn=f\n1 5\n", 4),
        ("events: Ir\nfn=", 2),
    ] {
        let write = &mut |pipe: &mut dyn Write| {
            pipe.write_all(begin.as_bytes())?;
            (0..1600).try_for_each(|_| pipe.write_all(&[b'x'; 64 << 10]))
        };
        let why = format!("-:{line}: not a callgrind profile (a line of more than 1 MiB)");
        assert_refused(&run(folder.path(), &["-"], Some(write)), &why);
    }
}

/// A member of 4 MB of the same bytes.
fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    let block = bytes.repeat((1 << 20) / bytes.len());
    (0..4).for_each(|_| gzip.write_all(&block).unwrap());
    gzip.finish().unwrap()
}

#[test]
fn bombs() {
    let folder = here();
    // 100 GB of zeros, of lines that are none, and of headers that would be kept.
    let begin = |text: &str| {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(text.as_bytes()).unwrap();
        gzip.finish().unwrap()
    };
    let table: [(&str, &[u8], &str); 4] = [
        (
            "",
            b"\0",
            "-:1: not a callgrind profile (a line of more than 1 MiB)",
        ),
        (
            "",
            b"hello\n",
            "-: not a callgrind profile (no events: line)",
        ),
        (
            "events: Ir\n",
            b"desc: x\n",
            "the headers of its parts take more than 64 MiB",
        ),
        (
            "events: Ir\n",
            b"part: 1\n1 1\n",
            "the headers of its parts take more than 64 MiB",
        ),
    ];
    for (text, bytes, why) in table {
        let (begin, member) = (begin(text), packed(bytes));
        let write = &mut |pipe: &mut dyn Write| {
            pipe.write_all(&begin)?;
            (0..25_000).try_for_each(|_| pipe.write_all(&member))
        };
        let output = run(folder.path(), &["-"], Some(write));
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains(why) && error.lines().count() == 1, "{error}");
    }
}

#[test]
fn numbers_that_a_file_merely_claims() {
    let folder = here();
    let text = "events: Ir\nfl=(4000000000) a.c\nfn=(18446744073709551615) f\n4294967295 2\n2000000000 2\n0 1\n";
    fs::write(folder.path().join("p.out"), text).unwrap();
    fs::write(folder.path().join("a.c"), "source\n").unwrap();
    let output = run(folder.path(), &["--context=4294967295", "p.out"], None);
    // Lines are told apart up to 2^31.
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "cgannotate: p.out:4: position out of range, line left out\n"
    );
    let page = String::from_utf8_lossy(&output.stdout);
    assert!(
        page.contains("2 (66.67%)  <bogus line 2000000000>\n"),
        "{page}"
    );
}

#[test]
fn pipes_with_names() {
    let folder = here();
    let fifo = folder.path().join("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    // As a source that a profile names it is not opened: nobody writes to it.
    fs::write(
        folder.path().join("p.out"),
        "events: Ir\nfl=a.c\nfn=f\n1 5\nfl=fifo\nfn=g\n1 1\n",
    )
    .unwrap();
    let output = run(folder.path(), &["--threshold=100", "p.out"], None);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("could not be found:\n----"));
    // As a profile that the user names it is.
    thread::scope(|scope| {
        scope.spawn(|| fs::write(&fifo, PROFILE).unwrap());
        assert_reported(&run(folder.path(), &["fifo"], None));
    });
}

#[test]
fn sources_that_are_too_large() {
    let folder = here();
    fs::write(folder.path().join("p.out"), PROFILE).unwrap();
    let source = File::create(folder.path().join("a.c")).unwrap();
    source.set_len((64 << 20) + 1).unwrap();
    let output = run(folder.path(), &["p.out"], None);
    assert_reported(&output);
    let why = "cgannotate: a.c: is larger than 64 MiB, not annotated\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), why);
}

#[test]
fn files_that_grow_and_shrink_while_they_are_read() {
    let folder = here();
    let path = folder.path().join("p.out");
    let lines = "fn=f\n1 5\ncfn=g\ncalls=1 1\n1 5\n".repeat(20_000);
    let text = format!("creator: callgrind-3\nevents: Ir\nfl=a.c\n{lines}");
    fs::write(&path, &text).unwrap();
    let mut statuses = Vec::new();
    thread::scope(|scope| {
        let changing = scope.spawn(|| {
            let file = File::options().write(true).open(&path).unwrap();
            for round in 0u64..100 {
                let length = text.len() as u64 * (round % 7) / 6;
                file.set_len(length).unwrap();
                fs::write(
                    &path,
                    &text.as_bytes()[..text.len() * (round as usize % 5) / 4],
                )
                .unwrap();
            }
        });
        while !changing.is_finished() {
            let output = run(folder.path(), &["p.out"], None);
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            // A hole is one long line; what is there is reported; what ended early is told so.
            let is_told = error.starts_with("cgannotate: p.out:") && error.lines().count() <= 11;
            assert!(is_told, "{error}");
            statuses.push(output.status.code());
        }
    });
    assert!(
        statuses.iter().all(|status| matches!(status, Some(0 | 1))),
        "{statuses:?}"
    );
}

#[test]
fn a_real_profile_cut_anywhere_is_never_taken_for_whole() {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/words");
    let whole = fs::read(testdata.join("words.out")).unwrap();
    let end = whole.len() - 1;
    // All of the end, where the stated totals are, and places all over.
    for at in (end - 60..end).chain((0..end - 60).step_by(499)) {
        match crate::laws::read_text(&whole[..at]) {
            Err(_) => {}
            Ok((_, warnings)) => assert_ne!(warnings, ["0 more"], "cut at {at}"),
        }
    }
    assert_eq!(crate::laws::read_text(&whole[..end]).unwrap().1, ["0 more"]);
}
