//! Labels on a terminal: coloured, and shortened to its width.

use std::io::{self, Write};

use super::{ObjectStyle, compared_calls, group, in_brackets, short_place_text, shown};
use crate::render::colour::Paint;
use crate::render::shorten::{
    ANGLES, ROUND, elide_arguments, elide_end, elide_folders, elide_middle, width,
};
use crate::render::{Style, escaped_text};
use crate::view::{Figure, GroupPlace, Label};

/// The minimum width of a shortened name, in columns.
pub(in crate::render) const MIN_NAME: usize = 12;

/// How a label is written.
pub(super) struct TerminalLabel<'s> {
    /// The number of calls, as it is shown.
    calls: String,
    /// The columns before the label.
    indent: usize,
    /// How its name is emphasized: rows are, their callers and callees are not.
    paint: Paint,
    style: Style<'s>,
}

impl<'s> TerminalLabel<'s> {
    pub(super) fn new(
        calls: Option<Figure<i64>>,
        indent: usize,
        style: Style<'s>,
    ) -> TerminalLabel<'s> {
        TerminalLabel {
            paint: calls.map_or(Paint::Function, |_| Paint::Plain),
            calls: calls.map_or_else(String::new, |calls| compared_calls(calls, style)),
            indent,
            style,
        }
    }

    pub(super) fn write(
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
                let texts = LabelTexts::new(file, name, shown(*object, objects), self.style)?;
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
    ) -> io::Result<LabelTexts> {
        Ok(LabelTexts {
            file: escaped_text(file, style.escapes),
            name: escaped_text(name, style.escapes),
            object: object.map(|object| escaped_text(object, style.escapes)),
        })
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
