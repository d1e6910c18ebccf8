//! The list as a Markdown table, for a pull request.

use std::collections::HashSet;
use std::io;
use std::io::Write;

use crate::render::chosen::ColumnLayout;
use crate::render::columns::{Column, Show};
use crate::render::format::{Feature, Format, FormatWriter, Length, PLAIN, RatioStyle, TABLE};
use crate::render::header::{MAX_RENAMED, RenamedName};
use crate::render::line::ReportLines;
use crate::render::list::omitted_lines;
use crate::render::measure::{Figures, Measure};
use crate::render::screen::why::{ChangedLines, ShownLines, WhyTexts};
use crate::render::screen::words::with_all_called;
use crate::render::screen::{row_texts, titles};
use crate::render::{Report, Style, escaped_text, marks};
use crate::view::Why;

/// The number of rows of the table.
const ROWS: usize = 10;

/// The width of short names and of files, in columns of a terminal.
const WIDTH: usize = 80;

pub(super) const MARKDOWN: Format = Format {
    names: "markdown|md",
    writer: FormatWriter::Table(write_markdown),
    features: TABLE.and(&[Feature::ShortNames, Feature::Reasons]),
    is_for_people: true,
    layout: ColumnLayout::Markdown,
    shows_omitted: true,
    ratios: RatioStyle::Columns,
    length: Length { is_cut: false, rows: Some(ROWS) },
    filtered_length: Length { is_cut: false, rows: Some(ROWS) },
    folds_recursion: true,
    short_names: true,
    width: Some(WIDTH),
    is_escaped: true,
    ..PLAIN
};

fn write_markdown(
    lines: &ReportLines<'_, '_>,
    why: Option<&Why>,
    mut out: &mut dyn Write,
) -> io::Result<()> {
    let report = lines.report;
    let (total, style, out) = (report.total, report.style, &mut out);
    for verdict in report.verdicts {
        let (word, rest) = verdict.split_once(' ').unwrap_or((verdict, ""));
        writeln!(out, "**{word}** {}\n", sentence(rest))?;
    }
    for line in &report.kept {
        writeln!(out, "{}\n", sentence(line))?;
    }
    write_renamed(&report.renamed, out)?;
    let (list, rows, columns) = (&report.list, &report.rows, &report.columns.all[..]);
    let is_inclusive = list.is_inclusive && !report.columns.are_requested;
    write_heading(titles(rows.row_by), columns, is_inclusive, style, out)?;
    let name = if total.is_calculated { "**total** (calculated)" } else { "**total**" };
    let of_sides = total.table();
    let whole = Figures::of_total(total, &of_sides);
    write_row([name, ""], &whole, columns, style, out)?;
    for (row, (name, place)) in list.lines(rows).zip(&row_texts(report)) {
        let place = match &place[..] {
            "" => String::new(),
            place => code_cell(place),
        };
        let figures = report.figures(&row);
        write_row([&code_cell(name), &place], &figures, columns, style, out)?;
    }
    let omitted = list.omitted.as_ref();
    for line in omitted.map_or_else(Vec::new, |omitted| omitted_lines(omitted, style)) {
        writeln!(out, "\n{}", sentence(&line))?;
    }
    for note in report.estimated_notes() {
        writeln!(out, "\n{}", escaped(&note))?;
    }
    match why {
        Some(why) => write_reasons(why, report, out),
        None => Ok(()),
    }
}

/// Writes which functions of the rows have another name in BASE.
fn write_renamed(renamed: &[RenamedName], out: &mut impl Write) -> io::Result<()> {
    if renamed.is_empty() {
        return Ok(());
    }
    let name = |name: &[u8]| code(&escaped_text(name, true));
    let shown = renamed.iter().take(MAX_RENAMED);
    let names: Vec<String> =
        shown.map(|of| format!("{} -> {}", name(&of.base), name(&of.new))).collect();
    let more = match renamed.len() - names.len() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    writeln!(out, "renamed: {}{more}\n", names.join(", "))
}

/// Writes why the largest rows of a difference changed, and where the sources did: that first if
/// nothing else explains the rows.
fn write_reasons(why: &Why, report: &Report<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let texts = WhyTexts::new(why, report);
    let (mut shown, mut reasons) = (HashSet::new(), Vec::new());
    write_rows_with_reasons(&texts, why, &mut shown, &mut reasons)?;
    let has_causes_elsewhere = why.has_causes_elsewhere();
    if !has_causes_elsewhere {
        out.write_all(&reasons)?;
    }
    let places = texts.changed_places(&shown);
    if !places.is_empty() {
        writeln!(out, "\n**changed lines**{}\n", texts.with_what(report.rows.profile))?;
    }
    write_changed_lines(places, out)?;
    for (heading, lines) in texts.elsewhere() {
        writeln!(out, "\n**{heading}**\n")?;
        for line in lines {
            writeln!(out, "- {}", item(&line))?;
        }
    }
    if has_causes_elsewhere {
        out.write_all(&reasons)?;
    }
    let unchanged = texts.unchanged_lines();
    if !unchanged.is_empty() {
        writeln!(
            out,
            "\n**{}**{}\n",
            texts.heading_of_unchanged(),
            with_all_called(report.rows.profile)
        )?;
    }
    write_changed_lines(unchanged, out)?;
    for note in texts.notes() {
        writeln!(out, "\n{}", sentence(&note))?;
    }
    Ok(())
}

fn write_rows_with_reasons(
    texts: &WhyTexts<'_>,
    why: &Why,
    shown: &mut ShownLines,
    out: &mut impl Write,
) -> io::Result<()> {
    if !why.reasons.is_empty() {
        writeln!(out, "\n**why**\n")?;
    }
    for reason in &why.reasons {
        let change = texts.change(reason.cost.change());
        writeln!(out, "- {} {}", escaped(&change), sentence(&texts.row(reason)))?;
        for text in texts.explanations(reason, shown) {
            // What belongs to the line before is indented more.
            let level = if text.starts_with("  ") { 4 } else { 2 };
            writeln!(out, "{:level$}- {}", "", item(&text))?;
        }
    }
    Ok(())
}

fn write_changed_lines(changed: Vec<ChangedLines>, out: &mut impl Write) -> io::Result<()> {
    for of in changed {
        writeln!(out, "- {}", escaped(&of.change))?;
        for line in of.lines {
            writeln!(out, "  - {}", item(&line))?;
        }
    }
    Ok(())
}

/// The text of an item of a list. A sign at its start would begin a list in it.
fn item(text: &str) -> String {
    let text = sentence(text.trim_start());
    if text.starts_with(['-', '+']) { format!("\\{text}") } else { text }
}

fn write_heading(
    names: [&str; 2],
    columns: &[Column],
    is_inclusive: bool,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let figures: Vec<_> = columns
        .iter()
        .map(|column| {
            let name = escaped_text(&column.name(style), true);
            let of_calls =
                matches!(column.measure, Measure::Calls | Measure::AllCalls | Measure::Recursive);
            let is_cost = column.measure == Measure::Cost && column.show == Show::Count;
            let title = match &name[..] {
                "%" => name,
                _ if of_calls => name.to_ascii_lowercase(),
                _ => code_cell(&name),
            };
            if column.measure == Measure::Inclusive || is_inclusive && is_cost {
                title + " inclusive"
            } else {
                title
            }
        })
        .collect();
    writeln!(out, "| {} | {} |", names.join(" | "), figures.join(" | "))?;
    writeln!(out, "|---|---|{}", "---:|".repeat(figures.len()))
}

fn write_row(
    [name, second]: [&str; 2],
    figures: &Figures<'_>,
    columns: &[Column],
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    write!(out, "| {name} | {second} |")?;
    for column in columns {
        write!(out, " {} |", column.text(figures, style))?;
    }
    writeln!(out)
}

/// A text of our own, in which names are code: GitHub finds mentions and links in all other text,
/// also escaped ones.
fn sentence(text: &str) -> String {
    marks::with_names(text, escaped, code)
}

/// A text as code.
fn code(text: &str) -> String {
    let text = text.replace('\t', " ");
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

/// A text as code in a cell of a table. A bar ends a cell even in code; behind a backslash, which
/// would escape the one before the bar, it is spelled otherwise.
fn code_cell(text: &str) -> String {
    code(&text.replace("\\|", "\\\\u{7c}").replace('|', "\\|"))
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\t' => escaped.push(' '),
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
    use crate::render::marked_name;

    #[test]
    fn names_are_code() {
        let table = [
            ("@octocat", "`@octocat`", "`@octocat`"),
            ("http://evil.example/a", "`http://evil.example/a`", "`http://evil.example/a`"),
            ("a`b", "`` a`b ``", "`` a`b ``"),
            ("`@x`", "`` `@x` ``", "`` `@x` ``"),
            ("a``b`c", "``` a``b`c ```", "``` a``b`c ```"),
            ("a|@x", "`a|@x`", r"`a\|@x`"),
            (r"a\|@x", r"`a\|@x`", r"`a\\u{7c}@x`"),
            ("#12", "`#12`", "`#12`"),
            (" ", "(no name)", "(no name)"),
        ];
        for (name, in_text, in_cell) in table {
            assert_eq!(code(name), in_text);
            assert_eq!(code_cell(name), in_cell);
            let text = format!("*most* in {} +1", marked_name(name));
            assert_eq!(sentence(&text), format!(r"\*most\* in {in_text} +1"));
        }
    }
}
