//! Annotated sources with counts.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::gprof::views::CountedFile;
use crate::render::{write_escaped, write_text_line};

/// The minimum and maximum width of the counts beside a line.
const COUNTS: [usize; 2] = [12, 24];

/// The separator between counts and the source line, and the mark in place of further counts.
const ARROW: &str = " -> ";
const OTHERS: &str = "...";

pub struct CountedStyle {
    /// The number of lines that the summary lists, the most executed first.
    pub top_lines: usize,
    /// Whether counts are truncated where gprof truncates them, even within a number.
    pub cuts: bool,
    pub escapes: bool,
}

pub fn write_counted_title(name: &[u8], escapes: bool, out: &mut impl Write) -> io::Result<()> {
    write_text_line(&[b"*** File ", name, b":"], escapes, out)
}

/// Writes the lines of a source file with their counts, and a summary.
pub fn write_counted_file(
    file: &CountedFile,
    source: &[u8],
    style: CountedStyle,
    out: &mut impl Write,
) -> io::Result<()> {
    let (top, escapes) = (style.top_lines, style.escapes);
    let margins: BTreeMap<u32, String> = file
        .iter()
        .map(|(&number, line)| (number, line.margin()))
        .filter(|(_, counts)| !counts.is_empty())
        .map(|(number, counts)| (number, counts_text(&counts, style.cuts)))
        .collect();
    let widest =
        margins.values().map(String::len).max().filter(|_| !style.cuts).unwrap_or(0).max(COUNTS[0]);
    let width = widest + ARROW.len();
    let mut length = 0;
    for (number, line) in (1..).zip(source.split_inclusive(|&b| b == b'\n')) {
        length = number;
        let margin =
            margins.get(&number).map_or_else(String::new, |text| format!("{text:>widest$}{ARROW}"));
        write!(out, "{:width$}", margin.get(..width).unwrap_or(&margin))?;
        match line.strip_suffix(b"\n") {
            Some(line) => write_text_line(&[line], escapes, out)?,
            None => write_escaped(line, escapes, out)?,
        }
    }
    let counts = file.range(1..=length).filter_map(|(&number, line)| Some((number, line.count?)));
    let mut lines: Vec<(u32, u64)> = counts.collect();
    lines.sort_by_key(|&(line, count)| (Reverse(count), line));
    if top > 0 {
        writeln!(out, "\n\nTop {top} Lines:\n\n     Line      Count\n")?;
        for (line, count) in lines.iter().filter(|line| line.1 > 0).take(top) {
            writeln!(out, "{line:9} {count:10}")?;
        }
    }
    let code = file.range(1..=length).count();
    let sum = lines.iter().map(|line| line.1).sum::<u64>();
    let executed = margins.range(1..=length).count();
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

/// The text of the counts beside a line. Counts that do not fit are left out, unless the caller
/// truncates the text.
fn counts_text(counts: &[u64], cuts: bool) -> String {
    if counts.iter().all(|&count| count == 0) {
        return "#####".to_owned();
    }
    let all = counts.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    if cuts || all.len() <= COUNTS[1] {
        return all;
    }
    let fits = all
        .match_indices(',')
        .map(|(at, comma)| at + comma.len())
        .take_while(|at| at + OTHERS.len() <= COUNTS[1])
        .last();
    [&all[..fits.unwrap_or(0)], OTHERS].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_do_not_fit_are_left_out_whole() {
        let last = u64::MAX.to_string();
        let table = [
            ("0,0", "#####"),
            ("2048,1024,1024,2048", "2048,1024,1024,2048"),
            ("1,1234567,123456,1234567", "1,1234567,123456,1234567"),
            ("11,1234567,123456,1234567", "11,1234567,123456,..."),
            (&[&last[..]; 9].join(","), &format!("{last},...")),
        ];
        for (counts, text) in table {
            let counts = counts.split(',').map(|count| count.parse().unwrap());
            assert_eq!(counts_text(&counts.collect::<Vec<_>>(), false), text);
        }
    }
}
