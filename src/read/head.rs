//! Which files are profiles: known by their first bytes and the first lines of their header.

use std::path::Path;
use std::sync::Arc;

use super::header::Header;
use super::input::{self, Input};
use super::record::Record;
use super::warning::ErrorKind;

/// Whether the file at `path` is a profile, perhaps a damaged one: it is compressed, or one of the lines of its head is `#
/// callgrind format` or has one of the keys that every producer writes. Reading it may still fail.
pub fn is_profile(path: &Path) -> bool {
    is_profile_input(input::open(path, &Arc::default()))
}

fn is_profile_input(input: Result<Input, ErrorKind>) -> bool {
    let mut input = match input {
        Ok(input) => input,
        Err(error) => return matches!(error, ErrorKind::Compressed(_)),
    };
    if input.is_gzip() {
        return true;
    }
    let mut lines = Vec::new();
    while let Ok(true) = input.read_lines(&mut lines) {
        if let Some(is_profile) = lines.split(|&byte| byte == b'\n').find_map(decide) {
            return is_profile;
        }
    }
    false
}

/// Whether a file is a profile, if this line of its head decides that.
fn decide(line: &[u8]) -> Option<bool> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match Record::parse(line) {
        Record::Blank if line.trim_ascii() == b"# callgrind format" => Some(true),
        Record::Header(b"events" | b"positions" | b"creator", _) => Some(true),
        Record::Header(key, _) if Header::knows(key) => None,
        Record::Blank | Record::Ignored => None,
        _ => Some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        let table: [(&[u8], bool); 14] = [
            (b"# callgrind format\n", true),
            (b"version: 1\ncreator: xdebug 3.2.0\ncm", true),
            (
                b"\n# comment\n\ndesc: I1 cache: \r\npositions: line\n",
                true,
            ),
            (b"cmd: ./a\nevents: Ir\n", true),
            (b"\xef\xbb\xbfevents: Ir\n", true),
            (
                b"==== NEW PROFILING FILE ====\nversion: 1\nevents: Time\n",
                true,
            ),
            (b"==77== Callgrind, ...\n==77==\nevents: Ir\n", true),
            (b"==77== Callgrind, ...\n==77==\nname: x\n", false),
            (b"\x1f\x8b damaged", true),
            (b"\x28\xb5\x2f\xfd", true),
            (b"", false),
            (b"# a script\nimport os\nevents: Ir\n", false),
            (b"name: Build\nevents: push\n", false),
            (b"int main(void) {}\n", false),
        ];
        for (text, expected) in table {
            let is_profile = is_profile_input(Input::new(text));
            assert_eq!(is_profile, expected, "{}", text.escape_ascii());
        }
        assert!(!is_profile(Path::new(".")));
    }
}
