//! The label of a line: `file:function`, the number of calls and the object; on a terminal coloured, and shortened to
//! its width.

use std::io::{self, Write};

use super::colour::Paint;
use super::number::NumberText;
use super::shorten::{
    ANGLES, ROUND, elide_arguments, elide_end, elide_folders, elide_middle, width,
};
use super::{Style, write_escaped};
use crate::view::{Figure, GroupPlace, Label, OneOrMany};

/// The minimum width of a shortened name, in columns.
const MIN_NAME: usize = 12;

/// How the object of a label is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectStyle {
    /// Never.
    None,
    /// If it has a name.
    Named,
    /// If it is known; as empty objects if it has no name.
    Known,
}

/// Writes `file:name`, the number of calls of a caller or callee, and the object, after `indent` columns.
pub(super) fn write_label(
    label: &Label<'_>,
    calls: Option<Figure<i64>>,
    objects: ObjectStyle,
    indent: usize,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    if style.colours || style.width.is_some() {
        return write_on_terminal(label, calls, objects, indent, style, out);
    }
    let write_calls = |out: &mut dyn Write| match calls {
        Some(calls) if calls.compared.is_some() => write!(out, "{}", compared_calls(calls, style)),
        Some(Figure { value: calls, .. }) => {
            let mut text = NumberText::new();
            text.prepend(b')');
            text.prepend(b'x');
            style.prepend_number(calls, &mut text);
            text.prepend(b'(');
            text.prepend(b' ');
            out.write_all(text.as_bytes())
        }
        None => Ok(()),
    };
    match label {
        Label::Cycle(number) => {
            write!(out, "<cycle {number}>")?;
            write_calls(out)
        }
        Label::Line { file, line, source } => {
            write_escaped(file, style.escapes, out)?;
            write!(out, ":{line}")?;
            write_calls(out)?;
            source.as_deref().map_or(Ok(()), |source| {
                out.write_all(b"  ")?;
                write_escaped(source, style.escapes, out)
            })
        }
        Label::Group { name, place } => {
            write_escaped(group(name), style.escapes, out)?;
            write_calls(out)?;
            write_escaped(&in_brackets(place_text(place)), style.escapes, out)
        }
        Label::Function {
            file,
            name,
            cycle,
            object,
        } => {
            write_escaped(file, style.escapes, out)?;
            out.write_all(b":")?;
            write_escaped(name, style.escapes, out)?;
            if let Some(number) = cycle {
                write!(out, " <cycle {number}>")?;
            }
            write_calls(out)?;
            if let Some(object) = shown(*object, objects) {
                out.write_all(b" [")?;
                write_escaped(object, style.escapes, out)?;
                out.write_all(b"]")?;
            }
            Ok(())
        }
    }
}

/// The name of a group.
fn group(name: &[u8]) -> &[u8] {
    if name.is_empty() { b"(none)" } else { name }
}

/// Where the code of a group is: its file and object, or how many.
pub(super) fn place_text(place: &GroupPlace<'_>) -> Vec<u8> {
    place_of(place, |name| name)
}

/// The same without folders.
fn short_place_text(place: &GroupPlace<'_>) -> Vec<u8> {
    place_of(place, |name| {
        name.rsplit(|&byte| byte == b'/').next().unwrap_or(name)
    })
}

fn place_of(place: &GroupPlace<'_>, shown: impl Fn(&[u8]) -> &[u8]) -> Vec<u8> {
    let name = |names: Option<OneOrMany<'_>>, what: &str| match names? {
        OneOrMany::One(b"" | b"???") | OneOrMany::Many(0) => None,
        OneOrMany::One(name) => Some(shown(name).to_vec()),
        OneOrMany::Many(count) => Some(format!("{count} {what}").into_bytes()),
    };
    let names = [name(place.files, "files"), name(place.objects, "objects")];
    names
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(&b", "[..])
}

fn in_brackets(text: Vec<u8>) -> Vec<u8> {
    match text.is_empty() {
        true => text,
        false => [b" [", &text[..], b"]"].concat(),
    }
}

/// The object, if it is to be shown.
fn shown(object: Option<&[u8]>, objects: ObjectStyle) -> Option<&[u8]> {
    match (objects, object) {
        (ObjectStyle::None, _) | (ObjectStyle::Named, Some(b"")) => None,
        (_, object) => object,
    }
}

/// Writes the same text with colours, shortened to the width of the terminal.
fn write_on_terminal(
    label: &Label<'_>,
    calls: Option<Figure<i64>>,
    objects: ObjectStyle,
    indent: usize,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let calls_text = calls.map_or_else(String::new, |calls| compared_calls(calls, style));
    // Rows are emphasized, their callers and callees are not.
    let paint = calls.map_or(Paint::Function, |_| Paint::Plain);
    let put = |paint: Paint, text: &str, out: &mut dyn Write| {
        paint.around(style.colours, out, |out| out.write_all(text.as_bytes()))
    };
    match label {
        Label::Cycle(number) => {
            put(paint, &format!("<cycle {number}>"), out)?;
            put(Paint::Plain, &calls_text, out)
        }
        Label::Line { file, line, source } => {
            let mut file = format!("{}:{line}", text(file, style)?);
            let mut source = source
                .as_deref()
                .map_or(Ok(String::new()), |s| text(s, style))?;
            if let Some(columns) = style.width {
                let room = columns.saturating_sub(indent + width(&calls_text) + 2);
                file = elide_folders(&file, room.saturating_sub(width(&source)));
                source = elide_end(&source, room.saturating_sub(width(&file)));
            }
            put(Paint::File, &file, out)?;
            put(Paint::Plain, &calls_text, out)?;
            put(paint, &["  ", &source].concat(), out)
        }
        Label::Group { name, place } => {
            let place = text(&in_brackets(short_place_text(place)), style)?;
            let mut name = text(group(name), style)?;
            if let Some(columns) = style.width {
                let used = indent + width(&calls_text) + width(&place);
                let room = columns.saturating_sub(used);
                name = elide_arguments(&name, ANGLES, room);
                name = elide_middle(&elide_arguments(&name, ROUND, room), room.max(MIN_NAME));
            }
            put(paint, &name, out)?;
            put(Paint::Plain, &calls_text, out)?;
            put(Paint::Dim, &place, out)
        }
        Label::Function {
            file,
            name,
            cycle,
            object,
        } => {
            let mut texts = LabelTexts::new(file, name, shown(*object, objects), style)?;
            let cycle_text = cycle.map_or_else(String::new, |number| format!(" <cycle {number}>"));
            if let Some(columns) = style.width {
                let fixed = [&cycle_text, &calls_text].map(|text| width(text));
                texts.shorten(columns.saturating_sub(indent + fixed.iter().sum::<usize>()));
            }
            put(Paint::File, &texts.file, out)?;
            put(Paint::Plain, ":", out)?;
            put(paint, &texts.name, out)?;
            put(Paint::Plain, &cycle_text, out)?;
            put(Paint::Plain, &calls_text, out)?;
            if let Some(object) = &texts.object {
                put(Paint::Dim, &format!(" [{object}]"), out)?;
            }
            Ok(())
        }
    }
}

/// The number of calls in parentheses; of a difference on both sides, if they are not equal.
fn compared_calls(calls: Figure<i64>, style: Style<'_>) -> String {
    let number = |calls| style.unsigned(calls);
    match calls.compared {
        Some(sides) if sides.base == sides.new => format!(" ({}x)", number(sides.new)),
        Some(sides) => format!(" ({}x -> {}x)", number(sides.base), number(sides.new)),
        None => format!(" ({}x)", number(calls.value)),
    }
}

/// The names of a label, with control characters escaped.
struct LabelTexts {
    file: String,
    name: String,
    object: Option<String>,
}

impl LabelTexts {
    fn new(
        file: &[u8],
        name: &[u8],
        object: Option<&[u8]>,
        style: Style<'_>,
    ) -> io::Result<LabelTexts> {
        Ok(LabelTexts {
            file: text(file, style)?,
            name: text(name, style)?,
            object: object.map(|object| text(object, style)).transpose()?,
        })
    }

    /// Their width in columns, with the colon and the brackets.
    fn width(&self) -> usize {
        let object = self.object.as_ref().map_or(0, |object| width(object) + 3);
        width(&self.file) + 1 + width(&self.name) + object
    }

    /// Elides, in this order and as far as needed: template arguments, the folders of the object, arguments, the
    /// folders of the file, and the middle of the name.
    fn shorten(&mut self, room: usize) {
        let left_for = |own: &str, all: usize| room.saturating_sub(all - width(own));
        self.name = elide_arguments(&self.name, ANGLES, left_for(&self.name, self.width()));
        if let Some(object) = &self.object {
            self.object = Some(elide_folders(object, left_for(object, self.width())));
        }
        self.name = elide_arguments(&self.name, ROUND, left_for(&self.name, self.width()));
        self.file = elide_folders(&self.file, left_for(&self.file, self.width()));
        self.name = elide_middle(&self.name, left_for(&self.name, self.width()).max(MIN_NAME));
    }
}

fn text(bytes: &[u8], style: Style<'_>) -> io::Result<String> {
    let mut text = Vec::new();
    write_escaped(bytes, style.escapes, &mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
