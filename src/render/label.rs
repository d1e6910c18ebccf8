//! What a line of the page is about: `file:function`, the number of calls and the object; on a terminal with
//! colours, and short enough for its width.

use std::io::{self, Write};

use super::colour::Ink;
use super::number::Figure;
use super::shorten::{ANGLES, ROUND, width, without_arguments, without_folders, without_middle};
use super::{Style, mark_text, write_mark, write_text};
use crate::view::Label;

/// What a name is not cut below, in columns.
const LEAST: usize = 12;

/// How the object of a label is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Brackets {
    /// Not at all.
    None,
    /// If it has a name.
    Named,
    /// If it is known, with empty brackets if it has no name.
    Known,
}

/// `file:name`, the calls if it is a caller or callee, and the object. Before it stand `indent` columns.
pub(super) fn write_label(
    label: &Label<'_>,
    calls: Option<i64>,
    brackets: Brackets,
    indent: usize,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    if style.colours || style.width.is_some() {
        return write_on_terminal(label, calls, brackets, indent, style, out);
    }
    let write_calls = |out: &mut dyn Write| match calls {
        Some(calls) => {
            let mut figure = Figure::new();
            figure.put(b')');
            figure.put(b'x');
            style.put_number(calls, &mut figure);
            figure.put(b'(');
            figure.put(b' ');
            out.write_all(figure.as_bytes())
        }
        None => Ok(()),
    };
    match label {
        Label::Cycle(number) => {
            write!(out, "<cycle {number}>")?;
            write_calls(out)
        }
        Label::Group { name, mark } => {
            write_text(group(name), style.escapes, out)?;
            write_calls(out)?;
            write_mark(*mark, style, out)
        }
        Label::Function {
            file,
            name,
            cycle,
            object,
            mark,
        } => {
            write_text(file, style.escapes, out)?;
            out.write_all(b":")?;
            write_text(name, style.escapes, out)?;
            if let Some(number) = cycle {
                write!(out, " <cycle {number}>")?;
            }
            write_calls(out)?;
            if let Some(object) = shown(*object, brackets) {
                out.write_all(b" [")?;
                write_text(object, style.escapes, out)?;
                out.write_all(b"]")?;
            }
            write_mark(*mark, style, out)
        }
    }
}

/// What functions together have in common.
fn group(name: &[u8]) -> &[u8] {
    if name.is_empty() { b"(none)" } else { name }
}

/// The object, if it is to be shown.
fn shown(object: Option<&[u8]>, brackets: Brackets) -> Option<&[u8]> {
    match (brackets, object) {
        (Brackets::None, _) | (Brackets::Named, Some(b"")) => None,
        (_, object) => object,
    }
}

/// The same text with colours, as short as the terminal wants it.
fn write_on_terminal(
    label: &Label<'_>,
    calls: Option<i64>,
    brackets: Brackets,
    indent: usize,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let calls_text = calls.map_or_else(String::new, |calls| format!(" ({}x)", style.number(calls)));
    // A row stands out from those that call it and that it calls.
    let ink = if calls.is_none() {
        Ink::Function
    } else {
        Ink::Plain
    };
    let put = |ink: Ink, text: &str, out: &mut dyn Write| {
        ink.around(style.colours, out, |out| out.write_all(text.as_bytes()))
    };
    match label {
        Label::Cycle(number) => {
            put(ink, &format!("<cycle {number}>"), out)?;
            put(Ink::Plain, &calls_text, out)
        }
        Label::Group { name, mark } => {
            let mut name = text(group(name), style)?;
            if let Some(columns) = style.width {
                let fixed =
                    indent + width(&calls_text) + mark.map_or(0, |mark| mark_text(mark).len());
                let room = columns.saturating_sub(fixed);
                name = without_arguments(&name, ANGLES, room);
                name = without_middle(&without_arguments(&name, ROUND, room), room.max(LEAST));
            }
            put(ink, &name, out)?;
            put(Ink::Plain, &calls_text, out)?;
            write_mark(*mark, style, out)
        }
        Label::Function {
            file,
            name,
            cycle,
            object,
            mark,
        } => {
            let mut texts = Texts {
                file: text(file, style)?,
                name: text(name, style)?,
                object: shown(*object, brackets)
                    .map(|object| text(object, style))
                    .transpose()?,
            };
            let cycle_text = cycle.map_or_else(String::new, |number| format!(" <cycle {number}>"));
            if let Some(columns) = style.width {
                let mark_text = mark.map_or("", mark_text);
                let fixed = [&cycle_text, &calls_text, mark_text]
                    .map(width)
                    .iter()
                    .sum::<usize>();
                texts.shorten(columns.saturating_sub(indent + fixed));
            }
            put(Ink::File, &texts.file, out)?;
            put(Ink::Plain, ":", out)?;
            put(ink, &texts.name, out)?;
            put(Ink::Plain, &cycle_text, out)?;
            put(Ink::Plain, &calls_text, out)?;
            if let Some(object) = &texts.object {
                put(Ink::Aside, &format!(" [{object}]"), out)?;
            }
            write_mark(*mark, style, out)
        }
    }
}

/// The names of a label, safe for a terminal.
struct Texts {
    file: String,
    name: String,
    object: Option<String>,
}

impl Texts {
    /// How many columns they take, with the colon and the brackets.
    fn width(&self) -> usize {
        let object = self.object.as_ref().map_or(0, |object| width(object) + 3);
        width(&self.file) + 1 + width(&self.name) + object
    }

    /// Leaves out, in this order and as far as needed: template arguments, the folders of the object, arguments, the
    /// folders of the file, and the middle of the name.
    fn shorten(&mut self, room: usize) {
        let left_for = |own: &str, all: usize| room.saturating_sub(all - width(own));
        self.name = without_arguments(&self.name, ANGLES, left_for(&self.name, self.width()));
        if let Some(object) = &self.object {
            self.object = Some(without_folders(object, left_for(object, self.width())));
        }
        self.name = without_arguments(&self.name, ROUND, left_for(&self.name, self.width()));
        self.file = without_folders(&self.file, left_for(&self.file, self.width()));
        self.name = without_middle(&self.name, left_for(&self.name, self.width()).max(LEAST));
    }
}

fn text(bytes: &[u8], style: Style<'_>) -> io::Result<String> {
    let mut text = Vec::new();
    write_text(bytes, style.escapes, &mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
