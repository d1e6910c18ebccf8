//! The label of a line: `file:function`, the number of calls and the object.

mod terminal;

use std::io::{self, Write};

use self::terminal::TerminalLabel;
pub(super) use self::terminal::{LabelTexts, MIN_NAME};
use super::number::NumberText;
use super::{Style, write_escaped};
use crate::view::{Figure, GroupPlace, Label, OneOrMany, basename};

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
fn write_calls(
    calls: Option<Figure<i64>>,
    style: Style<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(calls) = calls else { return Ok(()) };
    if calls.compared.is_some() {
        return write!(out, "{}", compared_calls(calls, style));
    }
    let mut text = NumberText::new();
    text.prepend(b')');
    text.prepend(b'x');
    style.prepend_number(calls.value, &mut text);
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

/// The number of calls in parentheses; of a difference on both sides, if they are not equal.
fn compared_calls(calls: Figure<i64>, style: Style<'_>) -> String {
    let number = |calls| style.unsigned(calls);
    match calls.compared {
        Some(sides) if sides.base == sides.new => format!(" ({}x)", number(sides.new)),
        Some(sides) => format!(" ({}x -> {}x)", number(sides.base), number(sides.new)),
        None => format!(" ({}x)", number(calls.value)),
    }
}
