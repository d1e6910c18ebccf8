//! The list as comma- or tab-separated values: a line with the names of the columns, then one line
//! per row.

use std::io::{self, Write};
use std::ops::Range;

use super::chosen::ColumnLayout;
use super::columns::Column;
use super::format::{Feature, Features, Format, FormatWriter, PLAIN, RatioStyle, TABLE};
use super::line::{Line, ReportLines, Role};
use super::measure::Figures;
use super::parallel::write_rows;
use super::{Style, label};
use crate::view::{Label, Mark, PathDirection, RowBy, Why};

pub(super) const CSV: Format = Format {
    names: "csv",
    writer: FormatWriter::Table(write_csv),
    features: TABLE.and(&[
        Feature::InstructionRows,
        Feature::Tree,
        Feature::Depth,
        Feature::ShortNames,
        Feature::Header,
    ]),
    reasons: &[(
        Features::of(&[Feature::Instructions]),
        "-g instruction -f FUNCTION lists instructions there",
    )],
    layout: ColumnLayout::Exact,
    ratios: RatioStyle::Columns,
    folds_recursion: true,
    has_full_paths: true,
    ..PLAIN
};

pub(super) const TSV: Format = Format { names: "tsv", delimiter: b'\t', ..CSV };

/// Writes the list: the names of rows; in a difference the mark; then the columns. Undefined counts
/// and unknown names are empty.
fn write_csv(
    lines: &ReportLines<'_, '_>,
    _: Option<&Why>,
    mut out: &mut dyn Write,
) -> io::Result<()> {
    let report = lines.report;
    let style = report.style;
    let mut heading = Vec::new();
    let mut csv = Csv { style, out: &mut heading };
    let row_by = report.rows.row_by;
    let title = row_by.title();
    let by_line = lines.tree.is_some_and(|tree| tree.by_line);
    let names = match row_by {
        _ if by_line => vec!["file", "line", "function", "object", "cycle"],
        RowBy::FileFunction | RowBy::Function => vec!["file", "function", "object", "cycle"],
        RowBy::Line => vec!["file", "line", "function", "source"],
        RowBy::Instruction => {
            vec!["object", "address", "file", "line", "function", "instruction"]
        }
        _ if row_by.splits_functions() => vec![title],
        _ => {
            // A file has no column of files, an object none of objects.
            let places = ["file", "files", "object", "objects"]
                .into_iter()
                .filter(|place| !place.starts_with(title));
            std::iter::once(title).chain(places).collect()
        }
    };
    names.iter().for_each(|name| csv.write(name));
    if lines.tree.is_some() {
        csv.write(b"level");
        csv.write(b"direction");
    }
    if has_mark(style) {
        csv.write(b"mark");
    }
    let columns = report.columns.styled(style);
    for (column, _) in &columns {
        csv.write_text(&column.field(style));
    }
    csv.end_row();
    if style.has_heading {
        out.write_all(&heading)?;
    }
    let list = &report.list;
    let write = |range: Range<usize>, out: &mut Vec<u8>| {
        let mut csv = Csv { style, out };
        let mut levels = Vec::new();
        for (position, row) in range.clone().zip(list.lines_at(range, &report.rows)) {
            let calls = lines.calls(&row);
            lines.each_line(position, &row, &calls, false, |line| {
                csv.write_line(&line, &mut levels, lines, &columns);
                Ok(())
            })?;
        }
        Ok(())
    };
    write_rows(list.items.len(), write, &mut out)
}

/// Whether rows are marked as new or gone: in a difference, but not in a series.
fn has_mark(style: Style<'_>) -> bool {
    style.difference.is_some() && style.series.is_none()
}

struct Csv<'a> {
    style: Style<'a>,
    /// The rows; in the last one each field is followed by a delimiter.
    out: &'a mut Vec<u8>,
}

impl Csv<'_> {
    /// Writes a field that needs no quotes.
    fn write(&mut self, field: impl AsRef<[u8]>) {
        self.out.extend_from_slice(field.as_ref());
        self.out.push(self.style.delimiter);
    }

    /// Writes text of the profile, quoted if needed, and with control characters escaped if the
    /// style requires it.
    fn write_text(&mut self, text: &[u8]) {
        let text = &label::text(text, self.style)[..];
        let has_break = memchr::memchr2(b'\n', b'\r', text).is_some();
        if !has_break && memchr::memchr2(self.style.delimiter, b'"', text).is_none() {
            return self.write(text);
        }
        self.out.push(b'"');
        for &byte in text {
            self.out.push(byte);
            if byte == b'"' {
                self.out.push(byte);
            }
        }
        self.write(b"\"");
    }

    /// Writes a figure: a number, or an empty field if undefined.
    fn write_cell(&mut self, (column, style): &(Column, Style<'_>), figures: &Figures<'_>) {
        let cell = column.cell(figures, style);
        if let Some(label) = cell.label(style) {
            return self.write_text(label.as_bytes());
        }
        cell.push_exact(style, self.out);
        self.write("");
    }

    fn end_row(&mut self) {
        if let Some(last) = self.out.last_mut() {
            *last = b'\n';
        }
    }

    /// Writes a row, or a caller or callee with its chain. `levels` has the level of the last
    /// function of each line above, by level of the tree.
    fn write_line(
        &mut self,
        line: &Line<'_>,
        levels: &mut Vec<usize>,
        lines: &ReportLines<'_, '_>,
        columns: &[(Column, Style<'_>)],
    ) {
        let direction = match line.role {
            Role::Call(PathDirection::Callers, _) => "caller",
            Role::Call(PathDirection::Callees, _) => "callee",
            _ => "",
        };
        for (level, label, figures) in line.functions(levels) {
            let by_line = lines.tree.is_some_and(|tree| tree.by_line);
            let row_by = lines.report.rows.row_by;
            self.write_names(label, row_by, by_line);
            if row_by == RowBy::Instruction {
                let texts = &lines.report.rows.instruction_texts;
                let text = line.row.and_then(|row| texts.get(&row));
                self.write_text(text.map_or(b"", |text| text));
            }
            if lines.tree.is_some() {
                self.write(level.to_string());
                self.write(direction);
            }
            if has_mark(self.style) {
                self.write(figures.mark().map_or("", Mark::name));
            }
            for column in columns {
                self.write_cell(column, &figures);
            }
            self.end_row();
        }
    }

    fn write_names(&mut self, label: &Label<'_>, row_by: RowBy, by_line: bool) {
        if let Some(place) = &label.group {
            self.write_text(&label.name);
            for names in [place.files, place.objects].into_iter().flatten() {
                self.write_text(names.only().unwrap_or_default());
                self.write(names.count.to_string());
            }
            return;
        }
        let number = |number: Option<u32>| number.map_or_else(String::new, |of| of.to_string());
        if row_by == RowBy::Instruction {
            self.write_text(label.object.unwrap_or_default());
            self.write(label.source.as_deref().unwrap_or(b"0x0"));
            self.write_text(label.file.unwrap_or_default());
            self.write(number(label.line.filter(|&line| line != 0)));
            return self.write_text(&label.name);
        }
        self.write_text(label.file.unwrap_or_default());
        if row_by == RowBy::Line {
            self.write(number(label.line));
            self.write_text(&label.name);
            self.write_text(label.source.as_deref().unwrap_or_default());
            return;
        }
        if by_line {
            self.write(number(label.line));
        }
        match label.whole_cycle() {
            Some(number) => self.write(format!("<cycle {number}>")),
            None => self.write_text(&label.name),
        }
        self.write_text(label.object.unwrap_or_default());
        self.write(number(label.cycle));
    }
}
