//! The cells of a table in Markdown: names, paths and source lines as code, short enough to leave room for numbers.

use std::io;

use crate::render::label::{LabelTexts, MIN_NAME, place_text, short_place_text};
use crate::render::shorten::{elide_end, elide_folders, elide_middle, width};
use crate::render::{Style, escaped_text};
use crate::view::{Label, RowBy};

/// The cells of a label: its name, and where that is. Both together fit the width, if there is one.
pub(super) fn of_label(
    label: &Label<'_>,
    row_by: RowBy,
    style: Style<'_>,
) -> io::Result<(String, String)> {
    let room = style.width.unwrap_or(usize::MAX);
    Ok(match label {
        Label::Function {
            file, name, cycle, ..
        } => {
            let mut texts = LabelTexts::new(file, name, None, style)?;
            texts.shorten(room);
            let cycle = cycle.map_or_else(String::new, |number| format!(" &lt;cycle {number}&gt;"));
            (code(&texts.name) + &cycle, code(&texts.file))
        }
        Label::Line { file, line, source } => {
            let file = format!("{}:{line}", text(file));
            let Some(source) = source.as_deref().map(text) else {
                return Ok((code(&elide_folders(&file, room)), String::new()));
            };
            let file = elide_folders(&file, room.saturating_sub(width(&source)));
            let source = elide_end(&source, room.saturating_sub(width(&file)));
            (code(&file), code(&source))
        }
        Label::Group { name, place } => {
            let place = match style.width {
                Some(_) => short_place_text(place),
                None => place_text(place),
            };
            let place = text(&place);
            let room = room.saturating_sub(width(&place)).max(MIN_NAME);
            let mut name = match &name[..] {
                b"" => return Ok(("(none)".to_owned(), escaped(place.as_bytes()))),
                name => text(name),
            };
            if matches!(row_by, RowBy::File | RowBy::Object) {
                name = elide_folders(&name, room);
            }
            (code(&elide_middle(&name, room)), escaped(place.as_bytes()))
        }
        Label::Cycle(number) => (format!("&lt;cycle {number}&gt;"), String::new()),
    })
}

/// The path of a file.
pub(super) fn path(path: &[u8], style: Style<'_>) -> String {
    elide_folders(&text(path), style.width.unwrap_or(usize::MAX))
}

/// A line of a source.
pub(super) fn source(source: &[u8], style: Style<'_>) -> String {
    elide_end(&text(source), style.width.unwrap_or(usize::MAX))
}

/// A name on one line.
fn text(name: &[u8]) -> String {
    escaped_text(name, true).replace('\t', " ")
}

/// A text as code in a cell of a table.
pub(super) fn code(text: &str) -> String {
    let text = text.replace('|', "\\|");
    if text.trim().is_empty() {
        return "(no name)".to_owned();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    match longest {
        0 => format!("{fence}{text}{fence}"),
        _ => format!("{fence} {text} {fence}"),
    }
}

/// Plain text, in which nothing is markup.
pub(super) fn escaped(text: &[u8]) -> String {
    let mut escaped = String::new();
    for c in self::text(text).chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '@' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_code_in_one_cell() {
        let table = [
            ("main", "`main`"),
            ("operator|", "`operator\\|`"),
            ("a`b", "`` a`b ``"),
            ("a\nb", "`a\\nb`"),
            ("", "(no name)"),
        ];
        for (name, expected) in table {
            assert_eq!(code(&text(name.as_bytes())), expected);
        }
        assert_eq!(escaped(b"a->b *c* <d>"), "a->b \\*c\\* &lt;d>");
    }
}
