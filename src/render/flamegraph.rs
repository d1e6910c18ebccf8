//! The flame graph itself, as SVG: folded stacks drawn by the crate `inferno`.

use std::borrow::Cow;
use std::io::{self, Write};

use inferno::flamegraph::{self, Options, TextTruncateDirection};

use super::shorten::elide_end;

/// The width of a title, in columns, which has to fit above the graph.
const MAX_TITLE: usize = 100;

/// What a flame graph is of.
pub struct FlameGraphHead<'a> {
    /// The profiled program, or the files.
    pub title: &'a str,
    /// The event that the widths are counts of.
    pub event: &'a str,
    /// Whether stacks have the counts of both sides of a difference.
    pub is_difference: bool,
}

/// Draws folded stacks, as [`write_folded`](super::write_folded) writes them. The wider a frame, the redder it is; of a
/// difference a frame is red if it costs more than before, blue if less, and white if as much.
///
/// # Errors
/// Those of `out`, and stacks without any cost.
pub fn write_flame_graph(
    folded: &[u8],
    head: &FlameGraphHead<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let folded = String::from_utf8_lossy(folded);
    let line = |line| match head.is_difference {
        true => Cow::Borrowed(line),
        false => with_one_count(line),
    };
    let lines: Vec<_> = folded.lines().map(line).collect();
    let mut options = Options::default();
    options.title = elide_end(head.title, MAX_TITLE);
    options.count_name = head.event.to_owned();
    options.name_type = "Function:".to_owned();
    options.color_diffusion = !head.is_difference;
    options.deterministic = true;
    options.text_truncate_direction = TextTruncateDirection::Right;
    flamegraph::from_lines(&mut options, lines.iter().map(|line| &**line), out)
}

/// A line of which only the last word can be taken for a count: a blank before an earlier number, the end of a name, is
/// replaced by one that separates no words.
fn with_one_count(line: &str) -> Cow<'_, str> {
    let Some((stack, count)) = line.rsplit_once(' ') else {
        return line.into();
    };
    match stack.rsplit_once(' ') {
        Some((start, end)) if end.parse::<f64>().is_ok() => {
            format!("{start}\u{a0}{end} {count}").into()
        }
        _ => line.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_at_the_end_of_names_are_no_counts() {
        let table = [
            ("main;f 12", "main;f 12"),
            ("main;operator 5 12", "main;operator\u{a0}5 12"),
            ("main", "main"),
        ];
        for (line, expected) in table {
            assert_eq!(with_one_count(line), expected);
        }
    }
}
