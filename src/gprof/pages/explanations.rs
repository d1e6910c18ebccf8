//! What the columns of the tables mean, for readers who did not pass `-b`.

use std::io::{self, Write};

use crate::gprof::pages::GprofStyle;
use crate::render::write_text_line;

/// The data that a table is of.
#[derive(Clone, Copy)]
pub enum Explained<'e> {
    /// gprof's: samples of time, and numbers of calls.
    Samples,
    /// Of a Callgrind profile: costs of this event, and the cost of each call.
    Recorded { event: &'e [u8] },
}

/// The meaning of a column: the end of its name, and what it has. `{event}` is the event.
type Meanings = &'static [(&'static str, &'static [&'static str])];

const FLAT_OF_SAMPLES: Meanings = &[
    ("% time", &["how much of all time was spent in the function's own code"]),
    ("cumulative", &["the time of this row and of all rows before it"]),
    ("self", &["the time in the function's own code, by which rows are ordered"]),
    ("calls", &["how many calls other functions made; blank if its calls were not counted"]),
    ("self/call", &["self divided by calls"]),
    (
        "total/call",
        &[
            "the time in its own code and in all that it called, divided by calls; what a",
            "callee took is divided among its callers by their numbers of calls",
        ],
    ),
    ("name", &["the function; with equal times more calls come first, then names decide"]),
];

const FLAT_OF_COSTS: Meanings = &[
    ("%", &["how much of all {event} is the function's self cost"]),
    ("cumulative", &["the self cost of this row and of all rows before it"]),
    ("self", &["the {event} of the function's own code, by which rows are ordered"]),
    ("calls", &["how many calls other functions made; each one was counted"]),
    ("self/call", &["self divided by calls"]),
    (
        "total/call",
        &[
            "the cost of its own code and of all that it called, divided by calls; what each",
            "call cost was recorded, and is not estimated from numbers of calls",
        ],
    ),
    ("name", &["the function, with its file or object if several have its name"]),
];

const FUNCTION: Meanings = &[
    (
        "index",
        &[
            "the number of its entry, which stands behind its name everywhere; in",
            "parentheses if the entry is not shown",
        ],
    ),
    ("%", &["how much of the whole it and its callees took"]),
    ("self", &["what its own code took"]),
    ("children", &["what its callees took on its behalf"]),
    ("called", &["how often others called it, and after + how often it called itself"]),
];

const CALLER: Meanings = &[
    ("self", &["what the function's own code took on behalf of this caller"]),
    ("children", &["what its callees took on behalf of this caller"]),
    ("called", &["how often this caller called it, and after / how often all callers did"]),
];

const CALLEE: Meanings = &[
    ("self", &["what the callee's own code took on behalf of the function"]),
    ("children", &["what the callee's own callees took on behalf of the function"]),
    ("called", &["how often the function called it, and after / how often all callers did"]),
];

const DIVISION_OF_SAMPLES: &[&str] = &[
    "How long a call took is not known: each call of a function counts alike, so that a caller with",
    "half of the calls pays for half of the time.",
];

const DIVISION_OF_COSTS: &[&str] = &[
    "All numbers are {event}. What each caller paid is exact, as the cost of every call was recorded;",
    "only how that divides into self and children is estimated, by what the function took in all.",
];

const CYCLES_OF_SAMPLES: &[&str] = &[
    "Functions that call one another in a circle are a cycle. It has an entry, which lists its members",
    "in place of callers and callees; there + stands before the calls between members. Calls within a",
    "cycle have only their number. <spontaneous> means that no caller is known.",
];

const CYCLES_OF_COSTS: &[&str] = &[
    "Functions that call one another in a circle are a cycle. It has an entry, which lists its callers,",
    "its members, and what these call outside of it; there + stands before the calls within it.",
    "Calls within a cycle have only their number. <spontaneous> means that no caller was recorded.",
];

/// Writes what the columns of the flat profile mean: behind it, or before it in BSD's layout.
pub(super) fn write_flat_explanation<S: GprofStyle>(
    style: &S,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut text = ExplanationText::begin(style, "flat profile:", out)?;
    let meanings = match style.explained() {
        Explained::Samples => FLAT_OF_SAMPLES,
        Explained::Recorded { .. } => FLAT_OF_COSTS,
    };
    text.meanings(meanings)?;
    text.end()
}

/// Writes what the lines and columns of the call graph mean: behind it, or before it in BSD's
/// layout.
pub(super) fn write_graph_explanation<S: GprofStyle>(
    style: &S,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut text = ExplanationText::begin(style, "call graph profile:", out)?;
    let (division, cycles) = match style.explained() {
        Explained::Samples => (DIVISION_OF_SAMPLES, CYCLES_OF_SAMPLES),
        Explained::Recorded { .. } => (DIVISION_OF_COSTS, CYCLES_OF_COSTS),
    };
    text.lines(&[
        "Each entry has a function, on the line that begins with an index, between its callers above and",
        "its callees below. Those that took most, together with their callees, come first.",
    ])?;
    for (title, meanings) in
        [("Of the function:", FUNCTION), ("Of a caller:", CALLER), ("Of a callee:", CALLEE)]
    {
        text.lines(&["", title])?;
        text.meanings(meanings)?;
    }
    for lines in [division, cycles] {
        text.lines(&[""])?;
        text.lines(lines)?;
    }
    text.end()
}

struct ExplanationText<'t, W> {
    event: &'t [u8],
    escapes: bool,
    is_traditional: bool,
    out: &'t mut W,
}

impl<'t, W: Write> ExplanationText<'t, W> {
    fn begin<S: GprofStyle>(
        style: &'t S,
        title: &str,
        out: &'t mut W,
    ) -> io::Result<ExplanationText<'t, W>> {
        let display = style.display();
        let event = match style.explained() {
            Explained::Samples => &b""[..],
            Explained::Recorded { event } => event,
        };
        if display.is_traditional {
            writeln!(out, "\n\n\n{title}")?;
        } else {
            writeln!(out)?;
        }
        let (escapes, is_traditional) = (display.escapes, display.is_traditional);
        Ok(ExplanationText { event, escapes, is_traditional, out })
    }

    fn lines(&mut self, lines: &[&str]) -> io::Result<()> {
        lines.iter().try_for_each(|line| {
            let indent = if line.is_empty() { "" } else { " " };
            self.line(&format!("{indent}{line}"))
        })
    }

    fn meanings(&mut self, meanings: Meanings) -> io::Result<()> {
        for (column, lines) in meanings {
            for (number, line) in lines.iter().enumerate() {
                let column = if number == 0 { column } else { "" };
                self.line(&format!("   {column:<10}  {line}"))?;
            }
        }
        Ok(())
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        match line.split_once("{event}") {
            Some((before, after)) => {
                let texts = [before.as_bytes(), self.event, after.as_bytes()];
                write_text_line(&texts, self.escapes, self.out)
            }
            None => writeln!(self.out, "{line}"),
        }
    }

    fn end(self) -> io::Result<()> {
        if self.is_traditional { writeln!(self.out, "\x0c") } else { Ok(()) }
    }
}
