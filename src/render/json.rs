//! The whole report as JSON, for other programs: one object, with each row on a line of its own.
//!
//! README.md has the schema. `VERSION` is increased when a member is removed or its meaning changes, not when one is added.

mod header;
mod row;

use std::io::{self, Write};

use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::ser::{CompactFormatter, Formatter};

use super::is_control;
use crate::profile::{Count, Overflow, Profile};
use crate::view::{Calls, Details, FunctionList, Item, Rows, Selection, Total};
use header::Header;
use row::Row;

/// The version of the schema.
const VERSION: u32 = 1;

/// What a JSON report is made of.
pub struct JsonReport<'a, 'p> {
    /// The profile.
    pub profile: &'p Profile,
    /// Its total.
    pub total: &'a Total,
    /// The events to show and to sort by.
    pub selection: &'a Selection,
    /// The rows to write, in order.
    pub list: &'a FunctionList,
    /// Whether they are ordered by inclusive cost.
    pub is_inclusive: bool,
    /// All rows.
    pub rows: &'a Rows<'p>,
    /// The costs, lines and calls of each row.
    pub details: &'a Details<'a, 'p>,
    /// All calls, if the callers of each row are requested.
    pub callers: Option<&'a Calls>,
}

/// Writes a report as JSON.
///
/// # Errors
/// Those of `out`, and a sum that overflows.
pub fn write_json(report: &JsonReport<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let mut header = Vec::new();
    write_value(&Header::new(report), &mut header)?;
    // The rows go into the same object.
    header.pop();
    out.write_all(&header)?;
    out.write_all(b",\"rows\":[")?;
    let rows = report.list.lines(report.rows);
    let mut separator = "\n";
    for line in rows {
        let Item::Row(id) = line.item else { continue };
        let details = report
            .details
            .of(id)
            .map_err(|Overflow| io::Error::other("the cost of a row does not fit into 64 bits"))?;
        out.write_all(separator.as_bytes())?;
        write_value(
            &Row {
                report,
                id,
                label: line.label,
                called: line.calls,
                details,
            },
            out,
        )?;
        separator = ",\n";
    }
    out.write_all(b"\n]}\n")
}

fn write_value(value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, Escaping(CompactFormatter));
    Ok(value.serialize(&mut serializer)?)
}

/// Escapes all control characters, including those that JSON allows, because the output may be a terminal.
struct Escaping(CompactFormatter);

impl Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        let mut rest = text;
        while let Some((at, c)) = rest.char_indices().find(|&(_, c)| is_control(c)) {
            self.0.write_string_fragment(out, &rest[..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            rest = &rest[at + c.len_utf8()..];
        }
        self.0.write_string_fragment(out, rest)
    }
}

/// Bytes that usually are UTF-8.
#[derive(Clone, Copy)]
struct Bytes<'a>(&'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Ok(text) = std::str::from_utf8(self.0) {
            return serializer.serialize_str(text);
        }
        let hex: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut name = serializer.serialize_struct("Bytes", 2)?;
        name.serialize_field("hex", &hex)?;
        name.serialize_field("text", &String::from_utf8_lossy(self.0))?;
        name.end()
    }
}

/// The shown counts of a cost.
struct Cost<'a> {
    shown: &'a [usize],
    cost: &'a [Count],
}

impl Serialize for Cost<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts = self
            .shown
            .iter()
            .map(|&event| self.cost.get(event).and_then(|count| count.value()));
        serializer.collect_seq(counts)
    }
}
