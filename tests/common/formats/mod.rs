//! One reader for each format that reports are written in. JSON is read by serde_json alone, the
//! call graph of gprof by `gprof_page`, and Callgrind's format by the program.

pub mod pprof;

use std::path::Path;

use serde_json::Value;

use super::program::print_of;

/// The report of a profile as JSON, or the error.
pub fn json(options: &[&str], profile: &Path) -> Result<Value, String> {
    let out = print_of(&[&["--format=json"], options].concat(), profile)?;
    Ok(serde_json::from_slice(&out).unwrap())
}

/// The elements of a JSON array.
pub fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// A JSON number.
pub fn integer(value: &Value) -> i64 {
    value.as_i64().unwrap()
}

/// A list as comma-separated values.
pub struct Csv {
    pub head: Vec<String>,
    pub rows: Vec<Vec<Vec<u8>>>,
}

impl Csv {
    pub fn read(out: &[u8]) -> Csv {
        let mut reader = csv::Reader::from_reader(out);
        let head = reader
            .byte_headers()
            .unwrap()
            .iter()
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect();
        let fields = |record: csv::ByteRecord| record.iter().map(<[u8]>::to_vec).collect();
        let rows = reader.byte_records().map(|record| fields(record.unwrap()));
        Csv { head, rows: rows.collect() }
    }

    /// The column with this name; a file may name an event as one of the columns before.
    pub fn column(&self, name: &str) -> usize {
        self.head.iter().rposition(|column| column == name).unwrap()
    }
}

/// The number in a field; none where a count is undefined.
pub fn number(field: &[u8]) -> Option<i128> {
    let text = std::str::from_utf8(field).unwrap();
    let text = text.strip_prefix('+').unwrap_or(text);
    (!text.is_empty()).then(|| text.parse().unwrap())
}

/// A count of a page, with commas and perhaps a plus; none where there is a `.`.
pub fn shown(text: &str) -> Option<i64> {
    (text != ".").then(|| text.replace([',', '+'], "").parse().unwrap())
}

/// Stacks with their counts, two in a difference.
pub fn folded(out: &[u8], counts: usize) -> Vec<(Vec<u8>, Vec<i128>)> {
    let stack = |line: &[u8]| {
        let mut fields = line.rsplitn(counts + 1, |&byte| byte == b' ');
        let mut numbers: Vec<i128> = fields.by_ref().take(counts).filter_map(number).collect();
        numbers.reverse();
        assert_eq!(numbers.len(), counts);
        (fields.next().unwrap().to_vec(), numbers)
    };
    let lines = out.split(|&byte| byte == b'\n');
    lines.filter(|line| !line.is_empty()).map(stack).collect()
}
