//! Annotated sources of samples, and what their files hold.

use std::cmp::Reverse;
use std::io::{self, Write};

use crate::profile::RecordCounts;
use crate::render::write_escaped;
use crate::view::CountedFile;

/// How many columns annotations have.
const MARGIN: usize = 16;

/// Writes the name of a source file.
///
/// # Errors
/// Those of `out`.
pub fn write_counted_title(name: &[u8], escapes: bool, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"*** File ")?;
    write_escaped(name, escapes, out)?;
    writeln!(out, ":")
}

/// Writes the lines of a source file with their counts, and a summary with at most `top` lines.
///
/// # Errors
/// Those of `out`.
pub fn write_counted_file(
    file: &CountedFile,
    source: &[u8],
    top: usize,
    escapes: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut length = 0;
    for (number, line) in (1..).zip(source.split_inclusive(|&b| b == b'\n')) {
        length = number;
        let margin = file.margins.get(&number);
        let margin = margin.map_or_else(String::new, |counts| margin_text(counts));
        let margin = margin.get(..MARGIN).unwrap_or(&margin);
        write!(out, "{margin:MARGIN$}")?;
        match line.strip_suffix(b"\n") {
            Some(line) => {
                write_escaped(line, escapes, out)?;
                writeln!(out)?;
            }
            None => write_escaped(line, escapes, out)?,
        }
    }
    let counts = file.lines.range(1..=length);
    let mut lines: Vec<(u32, u64)> = counts.map(|(&line, &count)| (line, count)).collect();
    lines.sort_by_key(|&(line, count)| (Reverse(count), line));
    if top > 0 {
        writeln!(out, "\n\nTop {top} Lines:\n\n     Line      Count\n")?;
        for (line, count) in lines.iter().filter(|line| line.1 > 0).take(top) {
            writeln!(out, "{line:9} {count:10}")?;
        }
    }
    let code = file.code.range(1..=length).count();
    let sum = lines.iter().map(|line| line.1).sum::<u64>();
    let others = file.margins.range(1..=length);
    let others =
        others.filter(|(line, counts)| !counts.is_empty() && !file.lines.contains_key(line));
    let executed = lines.len() + others.count();
    let average = sum as f64 / code.max(1) as f64;
    let percent = match code {
        0 => 100.0,
        code => 100.0 * executed as f64 / code as f64,
    };
    writeln!(out, "\nExecution Summary:\n")?;
    writeln!(out, "{code:9}   Executable lines in this file")?;
    writeln!(out, "{executed:9}   Lines executed")?;
    writeln!(out, "{percent:9.2}   Percent of the file executed")?;
    writeln!(out, "\n{sum:9}   Total number of line executions")?;
    writeln!(out, "{average:9.2}   Average executions per line")
}

/// What is beside a line with code.
fn margin_text(counts: &[u64]) -> String {
    let text = match counts.iter().all(|&count| count == 0) {
        true => "#####".to_owned(),
        false => counts
            .iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join(","),
    };
    format!("{text:>12} -> ")
}

/// Writes what a file of gprof's data holds.
///
/// # Errors
/// Those of `out`.
pub fn write_record_counts(
    path: &[u8],
    counts: &RecordCounts,
    escapes: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let version = counts.version.unwrap_or(0);
    out.write_all(b"File `")?;
    write_escaped(path, escapes, out)?;
    writeln!(out, "' (version {version}) contains:")?;
    let table = [
        (counts.histograms, "histogram"),
        (counts.calls, "call-graph"),
        (counts.blocks, "basic-block count"),
    ];
    for (count, what) in table {
        let plural = if count == 1 { "" } else { "s" };
        writeln!(out, "\t{count} {what} record{plural}")?;
    }
    Ok(())
}
