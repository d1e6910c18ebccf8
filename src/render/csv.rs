//! The list as comma-separated values: a line with the names of the columns, then one line per row.

use std::io::{self, Write};

use csv::{ByteRecord, WriterBuilder};

use super::{Style, row_title, write_escaped};
use crate::profile::Events;
use crate::view::{FunctionList, Grouping, Label, Mark, Rows};

/// Writes the list: file, function and object, or the name of the group; in a difference the mark; with `--calls` the
/// calls from other functions and the recursive ones; then one column per event. Undefined counts and unknown objects
/// are empty.
///
/// # Errors
/// Those of `out`.
pub fn write_csv(
    list: &FunctionList,
    rows: &Rows<'_>,
    events: &Events,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut csv = WriterBuilder::new().from_writer(out);
    let mut record = ByteRecord::new();
    let text = |text: &[u8], record: &mut ByteRecord| {
        let mut field = Vec::new();
        write_escaped(text, style.escapes, &mut field)?;
        record.push_field(&field);
        io::Result::Ok(())
    };
    let columns = match rows.grouping() {
        Grouping::Function => &["file", "function", "object"][..],
        group => &[row_title(group)],
    };
    for name in columns {
        record.push_field(name.as_bytes());
    }
    if style.signed {
        record.push_field(b"mark");
    }
    if list.call_counts().is_some() {
        record.push_field(b"calls");
        record.push_field(b"calls by itself");
    }
    for &event in style.shown {
        text(events.name(event), &mut record)?;
    }
    csv.write_byte_record(&record)?;
    for row in list.lines(rows) {
        record.clear();
        let mark = match row.label {
            Label::Function {
                file,
                name,
                object,
                mark,
                ..
            } => {
                text(file, &mut record)?;
                text(&name, &mut record)?;
                text(object.unwrap_or_default(), &mut record)?;
                mark
            }
            Label::Group { name, mark } => {
                text(&name, &mut record)?;
                mark
            }
            Label::Cycle(number) => {
                record.push_field(b"");
                record.push_field(format!("<cycle {number}>").as_bytes());
                record.push_field(b"");
                None
            }
        };
        if style.signed {
            record.push_field(match mark {
                None => b"",
                Some(Mark::New) => b"new",
                Some(Mark::Gone) => b"gone",
            });
        }
        let counts = row.calls.map(|calls| [calls.by_others, calls.by_itself]);
        let counts = counts.into_iter().flatten();
        for count in counts.chain(style.shown.iter().map(|&event| row.cost[event])) {
            let number = count.value().map(|count| count.to_string());
            record.push_field(number.unwrap_or_default().as_bytes());
        }
        csv.write_byte_record(&record)?;
    }
    csv.flush()
}
