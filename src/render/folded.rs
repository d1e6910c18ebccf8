//! Stacks for flame graphs, one per line: `main;work;step 1234`.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::io::{self, Write};
use std::ops::Range;

use inferno::flamegraph::{self, Direction, Options, TextTruncateDirection};

use crate::profile::{FunctionId, Ordered, Sides};
use crate::render::number::push_count;
use crate::render::parallel::map_rows;
use crate::render::shorten::elide_end;
use crate::render::{Style, escaped_bytes, escaped_text};
use crate::view::{Rows, Stacks};

/// Which stacks and frames are written.
pub struct StackOptions {
    /// Frames below this percentage of the total are cut; their cost stays with the frame above.
    pub min: f64,
    /// Whether a function with only such frames gets a stack of its own.
    pub keeps_all: bool,
    /// The maximum number of stacks; the most expensive are kept.
    pub top: Option<usize>,
    /// Whether stacks begin with the function that has the cost, and its callers follow.
    pub is_inverted: bool,
}

/// Writes stacks: the names of functions, outermost first unless they are inverted, and the self
/// cost of the innermost. A difference has two columns, BASE and NEW, as differential flame graphs
/// require.
pub fn write_folded(
    stacks: &Sides<Stacks>,
    rows: &Rows<'_>,
    options: StackOptions,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let (min, keeps_all) = (options.min, options.keeps_all);
    let functions = rows.profile.function_count();
    let name = |function| frame_of(FunctionId(function as u32), rows, style);
    let names = |range: Range<usize>| range.map(|of| Some(name(of))).collect::<Vec<_>>();
    let mut frames = Frames {
        rows,
        style,
        // With all functions, nearly all names are needed.
        names: if keeps_all { map_rows(functions, names) } else { vec![None; functions] },
        is_inverted: options.is_inverted,
        path: Vec::new(),
        text: Vec::new(),
    };
    if stacks.base.is_none() && options.top.is_none() {
        return stacks.new.for_each(min, keeps_all, rows, |path, cost| {
            frames.text(path);
            frames.text.push(b' ');
            push_count(cost, 1, &mut frames.text);
            frames.text.push(b'\n');
            out.write_all(&frames.text[1..])
        });
    }
    let mut costs = Ordered::default();
    for (side, stacks) in [(1, Some(&stacks.new)), (0, stacks.base.as_ref())] {
        let Some(stacks) = stacks else { continue };
        stacks.for_each(min, keeps_all, rows, |path, cost| {
            let text = frames.text(path).to_vec();
            costs.entry(text).or_insert([0; 2])[side] += cost;
            Ok::<_, io::Error>(())
        })?;
    }
    let mut lines: Vec<(Vec<u8>, [i64; 2])> = costs.into_iter().collect();
    if let Some(top) = options.top {
        keep_largest(&mut lines, top, |(_, [base, new])| *base.max(new));
    }
    lines.iter().try_for_each(|(text, [base, new])| {
        out.write_all(text)?;
        match stacks.base {
            Some(_) => writeln!(out, " {base} {new}"),
            None => writeln!(out, " {new}"),
        }
    })
}

/// Keeps the `top` items with the largest cost (the first of equal ones) in their order.
pub(super) fn keep_largest<T>(items: &mut Vec<T>, top: usize, cost: impl Fn(&T) -> i64) {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&at| Reverse(cost(&items[at])));
    let mut is_kept = vec![false; items.len()];
    order.iter().take(top).for_each(|&at| is_kept[at] = true);
    let mut kept = is_kept.into_iter();
    items.retain(|_| kept.next().unwrap_or_default());
}

struct Frames<'a> {
    rows: &'a Rows<'a>,
    style: Style<'a>,
    /// By function its name after a semicolon, the separator of frames; none until it is first
    /// written.
    names: Vec<Option<Vec<u8>>>,
    is_inverted: bool,
    /// The last stack, with the length of the text up to each frame, and its text.
    path: Vec<(FunctionId, usize)>,
    text: Vec<u8>,
}

impl Frames<'_> {
    /// The text of a stack, which begins with a semicolon. It often shares its start with the
    /// previous one.
    fn text(&mut self, path: &[FunctionId]) -> &[u8] {
        if self.is_inverted {
            self.path.clear();
            self.add_frames(path.iter().rev());
        } else {
            self.add_frames(path.iter());
        }
        // Without the first semicolon.
        self.text.get(1..).unwrap_or_default()
    }

    /// Makes the text that of these frames.
    fn add_frames<'f>(&mut self, path: impl Iterator<Item = &'f FunctionId> + Clone) {
        let same = self
            .path
            .iter()
            .zip(path.clone())
            .take_while(|((last, _), function)| last == *function)
            .count();
        self.path.truncate(same);
        let end = self.path.last().map_or(0, |&(_, end)| end);
        self.text.truncate(end);
        for &function in path.skip(same) {
            let above = self.path.last().map(|&(above, _)| above);
            // Consecutive frames of a group are one.
            let row_of = |function| self.rows.of_function(function);
            let is_same = above.is_some_and(|above| row_of(above) == row_of(function));
            if !(is_same && self.rows.row_by.is_group()) {
                let name = &mut self.names[function.index()];
                let name = name.get_or_insert_with(|| frame_of(function, self.rows, self.style));
                self.text.extend_from_slice(name);
            }
            self.path.push((function, self.text.len()));
        }
    }
}

fn frame_of(function: FunctionId, rows: &Rows<'_>, style: Style<'_>) -> Vec<u8> {
    let frame = frame(&rows.frame_name(rows.of_function(function)));
    if style.escapes { escaped_bytes(&frame, true) } else { frame }
}

/// The name of a frame after a semicolon; characters that would end the frame or the line are
/// replaced.
fn frame(name: &[u8]) -> Vec<u8> {
    let other = |&byte: &u8| match byte {
        b';' => b',',
        b'\n' | b'\r' => b' ',
        byte => byte,
    };
    let name = if name.is_empty() { b"(no name)" } else { name };
    let mut frame = Vec::with_capacity(1 + name.len());
    frame.push(b';');
    match memchr::memchr3(b';', b'\n', b'\r', name) {
        Some(_) => frame.extend(name.iter().map(other)),
        None => frame.extend_from_slice(name),
    }
    frame
}

/// The maximum width of a title in columns, to fit above the graph.
const MAX_TITLE: usize = 100;

/// The end of a graph's title.
const ESTIMATED: &str = " (estimated)";

/// Draws folded stacks, as [`write_folded`] writes them. Wider frames
/// are redder; in a difference, frames whose cost grew are red, those whose cost shrank blue, and
/// others white. Stacks without any cost are an error.
pub fn write_flame_graph(
    folded: &[u8],
    title: &str,
    event: usize,
    is_inverted: bool,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let folded = String::from_utf8_lossy(folded);
    let is_difference = style.difference.is_some();
    let line = |line| if is_difference { Cow::Borrowed(line) } else { with_one_count(line) };
    let lines: Vec<_> = folded.lines().map(line).collect();
    let mut options = Options::default();
    // A call graph does not record whole stacks.
    options.title = elide_end(title, MAX_TITLE - ESTIMATED.len()) + ESTIMATED;
    options.count_name = escaped_text(style.events.name(event), true);
    options.name_type = "Function:".to_owned();
    options.color_diffusion = !is_difference;
    options.deterministic = true;
    options.text_truncate_direction = TextTruncateDirection::Right;
    if is_inverted {
        // The function that has the cost is at the top, and its callers are below it.
        options.direction = Direction::Inverted;
    }
    flamegraph::from_lines(&mut options, lines.iter().map(|line| &**line), out)
}

/// A line whose last word alone can be parsed as a count: if a name ends with a number, the space
/// before that is replaced by a no-break space.
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
