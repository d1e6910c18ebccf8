//! The label of a line: `file:function`, the number of calls and the object.

use crate::profile::is_unknown_name;
use std::borrow::Cow;
use std::io::{self, Write};

use crate::render::colour::Paint;
use crate::render::number::NumberText;
use crate::render::{Style, escaped_bytes};
use crate::view::{CallCounts, Figure, GroupPlace, Label, OneOrMany, basename};

/// Which objects of labels are shown.
pub(super) enum ObjectStyle {
    None,
    Named,
    /// Show known objects, even those without a name.
    Known,
}

/// Writes `file:name`, the number of calls of a caller or callee, and the object.
pub(super) fn write_label(
    label: &Label<'_>,
    calls: Option<Figure<CallCounts>>,
    objects: ObjectStyle,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    // Rows are emphasized; callers and callees are not.
    let paint = calls.map_or(Paint::Function, |_| Paint::Plain);
    let mut number = NumberText::new();
    if let Some(calls) = calls {
        number.prepend(b')');
        prepend_calls(calls, style, &mut number);
        number.prepend_text(" (");
    }
    let put = |paint: Paint, text: &[u8], out: &mut _| {
        paint.around(style.colours, out, |to: &mut _| Write::write_all(to, text))
    };
    if let Some(line) = label.line {
        return write_line_label(label, line, style, out);
    }
    if let Some(file) = label.file {
        put(Paint::File, &text(file, style), out)?;
        out.write_all(b":")?;
    }
    match label.whole_cycle() {
        Some(number) => put(paint, format!("<cycle {number}>").as_bytes(), out)?,
        None if label.group.is_some() && label.name.is_empty() => put(paint, b"(none)", out)?,
        None => put(paint, &text(&label.name, style), out)?,
    }
    if let Some(number) = label.member_of() {
        write!(out, " <cycle {number}>")?;
    }
    out.write_all(number.as_bytes())?;
    let place = match (&label.group, style.colours) {
        (Some(place), true) => Some(group_place(place, basename).into()),
        (Some(place), false) => Some(group_place(place, |name| name).into()),
        (None, _) => label.named_object().map(LabelText::Borrowed),
    };
    let place = place.filter(|place| match objects {
        ObjectStyle::None => false,
        ObjectStyle::Known if label.group.is_none() => true,
        _ => !place.is_empty(),
    });
    place.map_or(Ok(()), |place| {
        Paint::Dim.around(style.colours, out, |out: &mut _| {
            Write::write_all(out, b" [")?;
            Write::write_all(out, &text(&place, style))?;
            Write::write_all(out, b"]")
        })
    })
}

/// Writes a line and its text, or the address, function and line of an instruction.
fn write_line_label(
    label: &Label<'_>,
    line: u32,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let put = |paint: Paint, parts: &[&[u8]], out: &mut _| {
        paint.around(style.colours, out, |to: &mut _| Write::write_all(to, &parts.concat()))
    };
    let source = label.source.as_deref().map(|source| text(source, style));
    if !label.name.is_empty() {
        let name = text(&label.name, style);
        let place = instruction_place(label, |file| file);
        out.write_all(&source.unwrap_or_default())?;
        put(Paint::Function, &[b"  ", &name, b"  "], out)?;
        return put(Paint::File, &[&text(&place, style)], out);
    }
    let file = text(label.file.unwrap_or_default(), style);
    let number = format!(":{line}");
    put(Paint::File, &[&file, number.as_bytes()], out)?;
    source.map_or(Ok(()), |source| put(Paint::Function, &[b"  ", &source], out))
}

type LabelText<'t> = Cow<'t, [u8]>;

/// A text with control characters escaped if the style requires it.
#[inline]
pub(super) fn text<'t>(text: &'t [u8], style: Style<'_>) -> LabelText<'t> {
    if style.escapes { escaped_bytes(text, true).into() } else { text.into() }
}

/// The file and line of an instruction, as far as they are known.
pub(super) fn instruction_place(label: &Label<'_>, shown: impl Fn(&[u8]) -> &[u8]) -> Vec<u8> {
    let file = label.file.filter(|file| !is_unknown_name(file));
    let file = file.map_or(Vec::new(), |file| shown(file).to_vec());
    match label.line.filter(|&line| line != 0 && !file.is_empty()) {
        Some(line) => [file, format!(":{line}").into_bytes()].concat(),
        None => file,
    }
}

/// The file and object of a group's code, or their numbers.
pub(super) fn group_place(place: &GroupPlace<'_>, shown: impl Fn(&[u8]) -> &[u8]) -> Vec<u8> {
    let name = |names: Option<OneOrMany<'_>>, what: &str| match names? {
        OneOrMany { count: 2.., .. } => Some(format!("{} {what}", names?.count).into_bytes()),
        OneOrMany { name, .. } => Some(shown(name).to_vec()).filter(|_| !is_unknown_name(name)),
    };
    let names = [name(place.files, "files"), name(place.objects, "objects")];
    names.into_iter().flatten().collect::<Vec<_>>().join(&b", "[..])
}

/// The number of calls; on both sides of a difference, if they differ. Those of inlined copies are
/// unknown.
#[inline]
pub(super) fn prepend_calls(calls: Figure<CallCounts>, style: Style<'_>, text: &mut NumberText) {
    prepend_call_counts(calls, text, |calls, text| {
        style.prepend_unsigned(calls.by_others.or_zero(), text);
    });
}

/// The same, but `a+b` for a calls that have a cost, which b others are part of.
pub(super) fn prepend_calls_of_cost(
    calls: Figure<CallCounts>,
    style: Style<'_>,
    text: &mut NumberText,
) {
    prepend_call_counts(calls, text, |calls, text| {
        let (all, nested) = (calls.by_others.or_zero(), calls.nested.or_zero());
        if calls.are_partly_nested() {
            style.prepend_unsigned(nested, text);
            text.prepend(b'+');
            style.prepend_unsigned(all - nested, text);
        } else {
            style.prepend_unsigned(all, text);
        }
    });
}

#[inline]
fn prepend_call_counts(
    calls: Figure<CallCounts>,
    text: &mut NumberText,
    prepend_count: impl Fn(CallCounts, &mut NumberText),
) {
    if calls.is_inlined() {
        return text.prepend_text("inlined");
    }
    if calls.value.has_inlined {
        text.prepend_text(", inlined");
    }
    let mut prepend = |calls: CallCounts| {
        text.prepend(b'x');
        prepend_count(calls, text);
    };
    let sides = calls.compared;
    prepend(sides.map_or(calls.value, |sides| sides.new));
    if let Some(sides) = sides.filter(|sides| sides.base != sides.new) {
        text.prepend_text(" -> ");
        text.prepend(b'x');
        prepend_count(sides.base, text);
    }
}
