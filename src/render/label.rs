//! The label of a line: `file:function`, the number of calls and the object.

use std::io::{self, Write};

use crate::render::colour::Paint;
use crate::render::number::NumberText;
use crate::render::shorten::{
    ANGLES, ROUND, elide_arguments, elide_end, elide_folders, elide_middle, width,
};
use crate::render::{Style, escaped_text, write_escaped};
use crate::view::{CallFigure, GroupPlace, Label, OneOrMany, basename};

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
    calls: Option<CallFigure>,
    objects: ObjectStyle,
    indent: usize,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    if style.colours || style.width.is_some() {
        let label_on_terminal = TerminalLabel::new(calls, indent, style);
        return label_on_terminal.write(label, objects, out);
    }
    let write_calls = |out: &mut dyn Write| write_calls(calls, style, out);
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
            cycle.map_or(Ok(()), |number| write!(out, " <cycle {number}>"))?;
            write_calls(out)?;
            let object = shown(*object, objects);
            object.map_or(Ok(()), |object| {
                out.write_all(b" [")?;
                write_escaped(object, style.escapes, out)?;
                out.write_all(b"]")
            })
        }
    }
}

/// Writes the number of calls, if there is any.
fn write_calls(calls: Option<CallFigure>, style: Style<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Some(calls) = calls else { return Ok(()) };
    if calls.counted.compared.is_some() || calls.has_inlined {
        return write!(out, " ({})", calls_text(calls, style));
    }
    let mut text = NumberText::new();
    text.prepend(b')');
    text.prepend(b'x');
    style.prepend_number(calls.counted.value, &mut text);
    text.prepend(b'(');
    text.prepend(b' ');
    out.write_all(text.as_bytes())
}

fn group(name: &[u8]) -> &[u8] {
    if name.is_empty() { b"(none)" } else { name }
}

/// Where the code of a group is: its file and object, or how many.
pub(super) fn place_text(place: &GroupPlace<'_>) -> Vec<u8> {
    place_of(place, |name| name)
}

/// The same without folders.
pub(super) fn short_place_text(place: &GroupPlace<'_>) -> Vec<u8> {
    place_of(place, basename)
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

fn shown(object: Option<&[u8]>, objects: ObjectStyle) -> Option<&[u8]> {
    match (objects, object) {
        (ObjectStyle::None, _) | (ObjectStyle::Named, Some(b"")) => None,
        (_, object) => object,
    }
}

/// How many calls; of a difference on both sides, if they are not equal. Where copies are inlined, nobody counted them.
pub(super) fn calls_text(calls: CallFigure, style: Style<'_>) -> String {
    if calls.is_inlined() {
        return "inlined".to_owned();
    }
    let number = |calls| style.unsigned(calls);
    let inlined = if calls.has_inlined { ", inlined" } else { "" };
    match calls.counted.compared {
        Some(sides) if sides.base == sides.new => format!("{}x{inlined}", number(sides.new)),
        Some(sides) => format!("{}x -> {}x{inlined}", number(sides.base), number(sides.new)),
        None => format!("{}x{inlined}", number(calls.counted.value)),
    }
}

/// The minimum width of a shortened name, in columns.
pub(in crate::render) const MIN_NAME: usize = 12;

/// How a label is written.
struct TerminalLabel<'s> {
    /// The number of calls, as it is shown.
    calls: String,
    /// The columns before the label.
    indent: usize,
    /// How its name is emphasized: rows are, their callers and callees are not.
    paint: Paint,
    style: Style<'s>,
}

impl<'s> TerminalLabel<'s> {
    fn new(calls: Option<CallFigure>, indent: usize, style: Style<'s>) -> TerminalLabel<'s> {
        TerminalLabel {
            paint: calls.map_or(Paint::Function, |_| Paint::Plain),
            calls: calls.map_or_else(String::new, |calls| {
                format!(" ({})", calls_text(calls, style))
            }),
            indent,
            style,
        }
    }

    fn write(
        &self,
        label: &Label<'_>,
        objects: ObjectStyle,
        out: &mut impl Write,
    ) -> io::Result<()> {
        match label {
            Label::Cycle(number) => {
                self.put(self.paint, &format!("<cycle {number}>"), out)?;
                self.put(Paint::Plain, &self.calls, out)
            }
            Label::Line { file, line, source } => {
                self.write_line(file, *line, source.as_deref(), out)
            }
            Label::Group { name, place } => self.write_group(name, place, out),
            Label::Function {
                file,
                name,
                cycle,
                object,
            } => {
                let texts = LabelTexts::new(file, name, shown(*object, objects), self.style);
                self.write_function(texts, *cycle, out)
            }
        }
    }

    fn write_line(
        &self,
        file: &[u8],
        line: u32,
        source: Option<&[u8]>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let mut file = format!("{}:{line}", escaped_text(file, self.style.escapes));
        let source = source.map(|source| escaped_text(source, self.style.escapes));
        let mut source = source.unwrap_or_default();
        if let Some(columns) = self.style.width {
            let room = self.room(columns, &[]).saturating_sub(2);
            file = elide_folders(&file, room.saturating_sub(width(&source)));
            source = elide_end(&source, room.saturating_sub(width(&file)));
        }
        self.put(Paint::File, &file, out)?;
        self.put(Paint::Plain, &self.calls, out)?;
        self.put(self.paint, &["  ", &source].concat(), out)
    }

    fn write_group(
        &self,
        name: &[u8],
        place: &GroupPlace<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let place = escaped_text(&in_brackets(short_place_text(place)), self.style.escapes);
        let mut name = escaped_text(group(name), self.style.escapes);
        if let Some(columns) = self.style.width {
            let room = self.room(columns, &[&place]);
            name = elide_arguments(&name, ANGLES, room);
            name = elide_middle(&elide_arguments(&name, ROUND, room), room.max(MIN_NAME));
        }
        self.put(self.paint, &name, out)?;
        self.put(Paint::Plain, &self.calls, out)?;
        self.put(Paint::Dim, &place, out)
    }

    fn write_function(
        &self,
        mut texts: LabelTexts,
        cycle: Option<usize>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let cycle = cycle.map_or_else(String::new, |number| format!(" <cycle {number}>"));
        if let Some(columns) = self.style.width {
            texts.shorten(self.room(columns, &[&cycle]));
        }
        self.put(Paint::File, &texts.file, out)?;
        self.put(Paint::Plain, ":", out)?;
        self.put(self.paint, &texts.name, out)?;
        self.put(Paint::Plain, &cycle, out)?;
        self.put(Paint::Plain, &self.calls, out)?;
        texts.object.map_or(Ok(()), |object| {
            self.put(Paint::Dim, &format!(" [{object}]"), out)
        })
    }

    /// The columns that are left beside the number of calls and these texts.
    fn room(&self, columns: usize, texts: &[&str]) -> usize {
        let texts: usize = texts.iter().map(|text| width(text)).sum();
        columns.saturating_sub(self.indent + width(&self.calls) + texts)
    }

    fn put(&self, paint: Paint, text: &str, out: &mut impl Write) -> io::Result<()> {
        paint.around(self.style.colours, out, |out| {
            out.write_all(text.as_bytes())
        })
    }
}

/// The names of a label, with control characters escaped.
pub(in crate::render) struct LabelTexts {
    pub(in crate::render) file: String,
    pub(in crate::render) name: String,
    object: Option<String>,
}

impl LabelTexts {
    pub(in crate::render) fn new(
        file: &[u8],
        name: &[u8],
        object: Option<&[u8]>,
        style: Style<'_>,
    ) -> LabelTexts {
        let text = |text: &[u8]| escaped_text(text, style.escapes);
        LabelTexts {
            file: text(file),
            name: text(name),
            object: object.map(text),
        }
    }

    /// Their width in columns, with the colon and the brackets.
    fn width(&self) -> usize {
        let object = self.object.as_ref().map_or(0, |object| width(object) + 3);
        width(&self.file) + 1 + width(&self.name) + object
    }

    /// Elides, in this order and as far as needed: template arguments, the folders of the object, arguments, the
    /// folders of the file, and the middles of the object, the name and the file.
    pub(in crate::render) fn shorten(&mut self, room: usize) {
        let left_for = |own: &str, all: usize| room.saturating_sub(all - width(own));
        self.name = elide_arguments(&self.name, ANGLES, left_for(&self.name, self.width()));
        if let Some(object) = &self.object {
            self.object = Some(elide_folders(object, left_for(object, self.width())));
        }
        self.name = elide_arguments(&self.name, ROUND, left_for(&self.name, self.width()));
        self.file = elide_folders(&self.file, left_for(&self.file, self.width()));
        let middle_of = |own: &str, all| elide_middle(own, left_for(own, all).max(MIN_NAME));
        if let Some(object) = &self.object {
            self.object = Some(middle_of(object, self.width()));
        }
        self.name = middle_of(&self.name, self.width());
        self.file = middle_of(&self.file, self.width());
    }
}
