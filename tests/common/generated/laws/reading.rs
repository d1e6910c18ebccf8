//! Reading: neither comments, chunks, gzip nor the detail that is kept change what a profile has.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Write};

use cgannotate::internal::profile::{CodePlace, Count, DivideBy, Part, Profile};
use cgannotate::internal::read::{Detail, ReadOptions};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::super::tables::{calls, costs};
use super::export::by_name_without_files_of_callees;
use super::{Outcome, describe, read_detail, read_from, read_text, read_with};

/// The detail that a list of functions needs, and that of a list with callers and callees.
const LESS: [Detail; 2] = [detail(false, false, false), detail(false, true, false)];

/// The detail that a report on instructions needs.
const CODE: Detail = detail(true, true, true);

const fn detail(lines: bool, calls: bool, code: bool) -> Detail {
    Detail { lines, calls, targets: code, code, jumps: code, divide_by: DivideBy::Nothing }
}

/// Reads what a list of functions needs.
pub fn read_list(text: &[u8]) -> Outcome {
    read_detail(Cursor::new(text.to_vec()), LESS[0])
}

/// Reads what a report on instructions needs.
pub fn read_code(text: &[u8]) -> Outcome {
    read_detail(Cursor::new(text.to_vec()), CODE)
}

/// Lines that the reader may take together are the same profile as with a comment after each line,
/// with one before each function, and with a line after each `fn=` that makes the function an
/// unusual one, which is read line by line. Warnings name the same lines.
pub fn comments_between_lines_change_nothing(text: &[u8]) {
    if is_compressed(text) {
        return;
    }
    let is_function = |line: &[u8]| line.starts_with(b"fn=");
    let others = [
        with_lines(text, b"#", |_, _| true),
        with_lines(text, b"#", |_, next| is_function(next)),
        with_lines(text, b"frfn=x", |line, _| is_function(line)),
    ];
    for detail in [Detail::default(), CODE].iter().chain(&LESS) {
        // All parts, and the second alone.
        for parts in [vec![], vec![b"2".to_vec()]] {
            let options = ReadOptions { detail: *detail, parts, ..ReadOptions::default() };
            let read = |text: &[u8]| read_with(Cursor::new(text.to_vec()), &options);
            let without = dump_of(read(text));
            for (text, lines) in &others {
                let with = match dump_of(read(text)) {
                    Ok((dump, warnings)) => {
                        let warnings = warnings.iter();
                        Ok((dump, warnings.map(|w| with_line_of(w, lines)).collect()))
                    }
                    Err(error) => Err(with_line_of(&error, lines)),
                };
                assert_eq!(without, with, "{options:?}");
            }
        }
    }
}

/// The text with one more line between those that `is_between` chooses, and for each of its lines
/// the number that it had, or that the line before it had.
fn with_lines(
    text: &[u8],
    more: &[u8],
    is_between: impl Fn(&[u8], &[u8]) -> bool,
) -> (Vec<u8>, Vec<u64>) {
    let (mut all, mut numbers) = (Vec::new(), Vec::new());
    let mut before = None;
    for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
        if let Some(before) = before {
            all.push(b'\n');
            if is_between(before, line) {
                all.extend_from_slice(more);
                all.push(b'\n');
                numbers.push(number - 1);
            }
        }
        all.extend_from_slice(line);
        numbers.push(number);
        before = Some(line);
    }
    (all, numbers)
}

/// A warning or an error that begins with a number of a line in `lines`, with the number there.
fn with_line_of(message: &str, lines: &[u64]) -> String {
    let (line, what) = message.split_once(": ").unwrap_or((message, ""));
    let some = line.strip_prefix("Some(").and_then(|n| n.strip_suffix(')'));
    let line_of = |number: &str| {
        let number: usize = number.parse().ok()?;
        lines.get(number.checked_sub(1)?).copied()
    };
    match (some.and_then(line_of), line_of(line)) {
        (Some(line), _) => format!("Some({line}): {what}"),
        (None, Some(line)) => format!("{line}: {what}"),
        (None, None) => message.to_owned(),
    }
}

/// What is kept without lines and calls is the sum of what is kept with them. Only sums that do not
/// fit may differ.
pub fn detail_changes_no_sum(text: &[u8]) {
    let read = |detail| read_detail(Cursor::new(text.to_vec()), detail);
    let of_sum = |error: &String| error.contains("the counts add up to more than");
    let full = read(Detail::default());
    for detail in LESS {
        match (&full, read(detail)) {
            (Ok((full, warnings)), Ok((less, less_warnings))) => {
                assert_eq!(*warnings, less_warnings, "{detail:?}");
                assert_eq!(coarse(full, detail), coarse(&less, detail), "{detail:?}");
            }
            (Err(error), Ok(_)) => assert!(of_sum(error), "{detail:?}: {error}"),
            (Ok(_), Err(error)) => assert!(of_sum(&error), "{detail:?}: {error}"),
            // A sum that does not fit may come before the error of both.
            (Err(error), Err(less)) => {
                let is_sum = of_sum(error) || of_sum(&less);
                assert!(*error == less || is_sum, "{detail:?}: {error}, {less}");
            }
        }
    }
}

/// Numbers of calls and sums of counts (none if all are undefined) by function and file.
type Coarse = BTreeMap<String, (i128, Vec<Option<i128>>)>;

/// What a profile has, without what this detail leaves out.
fn coarse(profile: &Profile, detail: Detail) -> Coarse {
    let mut rows = Coarse::new();
    let mut add = |key: String, count: i64, cost: &[Count]| {
        let row = rows.entry(key).or_default();
        row.0 += i128::from(count);
        row.1.resize(cost.len(), None);
        for (sum, count) in row.1.iter_mut().zip(cost) {
            if let Some(value) = count.value() {
                *sum = Some(sum.unwrap_or(0) + i128::from(value));
            }
        }
    };
    let place = |at: CodePlace| {
        let file = profile.file(at.file).escape_ascii();
        format!("{} {file}", describe(profile, at.function))
    };
    for (at, cost) in costs(profile) {
        add(place(at), 0, cost);
    }
    for call in calls(profile) {
        if detail.calls {
            let callee = describe(profile, call.callee);
            let key = format!("{} > {callee}", place(call.site));
            add(key, call.count, call.cost);
        } else {
            let none = vec![Count::UNDEFINED; call.cost.len()];
            add(place(call.site), 0, &none);
        }
    }
    rows
}

/// Returns its bytes in chunks of these sizes, repeated.
struct Drip {
    bytes: Cursor<Vec<u8>>,
    sizes: Vec<u8>,
    next: usize,
}

impl Drip {
    fn new(text: &[u8], sizes: &[u8]) -> Drip {
        Drip { bytes: Cursor::new(text.to_vec()), sizes: sizes.to_vec(), next: 0 }
    }
}

impl Read for Drip {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = usize::from(self.sizes[self.next % self.sizes.len()]) + 1;
        self.next += 1;
        let size = size.min(buffer.len());
        self.bytes.read(&mut buffer[..size])
    }
}

/// In chunks of any size, and compressed, the bytes are the same profile.
pub fn chunks_and_gzip_change_nothing(text: &[u8], sizes: &[u8]) {
    if is_compressed(text) {
        return;
    }
    let whole = dump_of(read_text(text));
    let sizes = if sizes.is_empty() { &[0] } else { sizes };
    assert_eq!(dump_of(read_from(Drip::new(text, sizes))), whole);
    // In two gzip members, cut in the middle.
    let (first, second) = text.split_at(text.len() / 2);
    let packed = [first, second].map(|part| pack(part, Compression::fast()));
    assert_eq!(dump_of(read_text(&packed.concat())), whole);
}

/// However many threads lex, the bytes are the same profile. `size` is that of a chunk.
pub fn threads_change_nothing(text: &[u8], size: u8) {
    let read = |lexers| {
        let options = ReadOptions { lexers: Some(lexers), ..ReadOptions::default() };
        dump_of(read_with(Drip::new(text, &[size]), &options))
    };
    let alone = read(0);
    for lexers in [1, 3, 7] {
        assert_eq!(alone, read(lexers), "{lexers}");
    }
}

/// Whether the bytes are taken for gzip, zstd, xz or bzip2.
fn is_compressed(text: &[u8]) -> bool {
    let starts: [&[u8]; 4] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\0", b"BZh"];
    starts.iter().any(|start| text.starts_with(start))
}

/// A gzip member of this text.
pub fn pack(text: &[u8], level: Compression) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), level);
    gzip.write_all(text).unwrap();
    gzip.finish().unwrap()
}

/// A file that is cut anywhere has no row that costs more than in the whole file, if no number is
/// negative and no line malformed (half of such a line can be correct).
pub fn a_cut_raises_no_cost(text: &[u8], at: usize) {
    let (Ok((whole, warnings)), Ok((cut, _))) = (read_text(text), read_text(&text[..at])) else {
        return;
    };
    if warnings != ["0 more"] {
        return;
    }
    let whole = by_name_without_files_of_callees(&whole);
    for (key, (count, cost)) in by_name_without_files_of_callees(&cut) {
        let none = (0, Vec::new());
        let (whole_count, whole_cost) = whole.get(&key).unwrap_or(&none);
        assert!(count <= *whole_count, "{key}");
        for (i, count) in cost.iter().enumerate() {
            assert!(*count <= whole_cost.get(i).copied().unwrap_or(0), "{key}");
        }
    }
}

/// All that a profile has, in order, as text. On which line a file names its events is no part of a
/// profile.
pub fn dump(profile: &Profile) -> Vec<String> {
    let parts =
        profile.parts().iter().map(|part| format!("{:?}", Part { events_line: 0, ..part.clone() }));
    let names = profile.events().names().map(|name| name.escape_ascii().to_string());
    let mut all: Vec<String> = parts.chain(names).collect();
    let function = |id| describe(profile, id);
    for (at, cost) in costs(profile) {
        let file = profile.file(at.file).escape_ascii();
        let function = function(at.function);
        let (line, address) = (at.line, at.address);
        all.push(format!("{function} {file}:{line} {address:#x} {cost:?}"));
    }
    for call in calls(profile) {
        let (site, file) = (call.site, profile.file(call.site.file).escape_ascii());
        let (caller, callee) = (function(site.function), function(call.callee));
        let (line, count, cost) = (site.line, call.count, call.cost);
        let address = site.address;
        all.push(format!("{caller} {file}:{line} {address:#x} > {callee} {count} {cost:?}"));
    }
    all.extend((0..profile.jumps.len()).map(|jump| format!("{:?}", profile.jump(jump))));
    let skipped = profile.sides().new.skipped();
    all.extend(skipped.map(|(at, cost)| format!("{:?} {cost:?}", profile.code_place(at))));
    all
}

/// The outcome as text.
fn dump_of(outcome: Outcome) -> Result<(Vec<String>, Vec<String>), String> {
    outcome.map(|(profile, warnings)| (dump(&profile), warnings))
}
