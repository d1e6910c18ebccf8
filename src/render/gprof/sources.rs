//! Annotated sources.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::render::write_escaped;
use crate::view::CountedFile;

/// How many columns the counts beside a line have at least, and at most.
const COUNTS: [usize; 2] = [12, 24];

/// What is between counts and the line, and in place of further counts.
const ARROW: &str = " -> ";
const OTHERS: &str = "...";

/// How sources are annotated.
#[derive(Clone, Copy, Debug)]
pub struct CountedStyle {
    /// How many lines the summary lists.
    pub top_lines: usize,
    /// Whether counts are cut where gprof cuts them, within a number.
    pub cuts: bool,
    /// Whether control characters are shown as escapes.
    pub escapes: bool,
}

/// Writes the name of a source file.
pub fn write_counted_title(name: &[u8], escapes: bool, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"*** File ")?;
    write_escaped(name, escapes, out)?;
    writeln!(out, ":")
}

/// Writes the lines of a source file with their counts, and a summary.
pub fn write_counted_file(
    file: &CountedFile,
    source: &[u8],
    style: CountedStyle,
    out: &mut impl Write,
) -> io::Result<()> {
    let (top, escapes) = (style.top_lines, style.escapes);
    let counts = |(&line, counts): (&u32, &Vec<u64>)| (line, counts_text(counts, style.cuts));
    let margins: BTreeMap<u32, String> = file.margins.iter().map(counts).collect();
    let widest = margins.values().map(String::len).max();
    let widest = widest.filter(|_| !style.cuts).unwrap_or(0).max(COUNTS[0]);
    let width = widest + ARROW.len();
    let mut length = 0;
    for (number, line) in (1..).zip(source.split_inclusive(|&b| b == b'\n')) {
        length = number;
        let margin = margins.get(&number);
        let margin = margin.map_or_else(String::new, |text| format!("{text:>widest$}{ARROW}"));
        write!(out, "{:width$}", margin.get(..width).unwrap_or(&margin))?;
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

/// The counts beside a line with code. Those that do not fit are left out, unless they are cut later.
fn counts_text(counts: &[u64], cuts: bool) -> String {
    if counts.iter().all(|&count| count == 0) {
        return "#####".to_owned();
    }
    let all = counts
        .iter()
        .map(u64::to_string)
        .collect::<Vec<_>>()
        .join(",");
    if cuts || all.len() <= COUNTS[1] {
        return all;
    }
    let fits = all.match_indices(',').map(|(at, comma)| at + comma.len());
    let fits = fits.take_while(|at| at + OTHERS.len() <= COUNTS[1]).last();
    [&all[..fits.unwrap_or(0)], OTHERS].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_do_not_fit_are_left_out_whole() {
        let table: [(&[u64], &str); 4] = [
            (&[0, 0], "#####"),
            (&[2048, 1024, 1024, 2048], "2048,1024,1024,2048"),
            (
                &[1, 1_234_567, 123_456, 1_234_567],
                "1,1234567,123456,1234567",
            ),
            (
                &[11, 1_234_567, 123_456, 1_234_567],
                "11,1234567,123456,...",
            ),
        ];
        for (counts, text) in table {
            assert_eq!(counts_text(counts, false), text);
        }
        assert_eq!(
            counts_text(&[u64::MAX; 9], false),
            format!("{},...", u64::MAX)
        );
    }
}
