//! Recognizes profiles by their first bytes and the first lines of their header.

use std::path::Path;
use std::sync::Arc;

use super::header::Header;
use super::input::{self, ProfileBytes};
use super::record::Record;
use super::warning::ErrorKind;

/// Whether the file at `path` is a profile, perhaps a damaged one: it is compressed, or one of the
/// lines of its head is `# callgrind format` or has one of the keys that every producer writes.
/// Reading it may still fail.
pub fn is_profile(path: &Path) -> bool {
    match input::open(path, &Arc::default()) {
        Ok(input) => input.is_gzip || has_head(input),
        Err(error) => matches!(error, ErrorKind::Compressed(_)),
    }
}

/// The same, but of what is compressed only that which is a profile when unpacked.
pub fn begins_as_profile(path: &Path) -> bool {
    input::open(path, &Arc::default()).is_ok_and(has_head)
}

fn has_head(mut input: ProfileBytes) -> bool {
    let (mut lines, mut in_command) = (Vec::new(), false);
    while let Ok(true) = input.read_lines(&mut lines) {
        let mut lines = lines.split(|&byte| byte == b'\n');
        if let Some(is_profile) = lines.find_map(|line| decide(line, &mut in_command)) {
            return is_profile;
        }
    }
    false
}

/// Whether a file is a profile, if this line of its head decides that. A command may have several
/// lines.
fn decide(line: &[u8], in_command: &mut bool) -> Option<bool> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match Record::parse(line) {
        Record::Blank if line.trim_ascii() == b"# callgrind format" => Some(true),
        Record::Header(b"events" | b"positions" | b"creator", _) => Some(true),
        Record::Header(key, _) if Header::knows(key) => {
            *in_command = key == b"cmd";
            None
        }
        Record::Blank | Record::Ignored => None,
        _ if *in_command => None,
        _ => Some(false),
    }
}
