//! The picture of the first screen in the README is what the program prints, in its colours.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use crate::common::corpus::testdata;
use crate::common::program::program;

trials![the_picture_is_what_is_printed];

/// The width of the screen in columns, and the size of a character and of the margin in pixels.
const COLUMNS: usize = 100;
const WIDTH: f64 = 8.4;
const HEIGHT: usize = 18;
const MARGIN: usize = 16;

const BACKGROUND: &str = "#1e1e1e";
const TEXT: &str = "#d4d4d4";

/// The colours of a terminal that the screen uses, by the codes of ANSI.
const COLOURS: [(&str, &str); 3] = [("31", "#f14c4c"), ("33", "#e5c07b"), ("36", "#4ec9d4")];

/// What the picture has been made of, and what is printed at its top.
const FILE: &str = "testdata/words/words.out";

/// The attributes of a text with these codes of ANSI.
fn attributes(codes: &[&str]) -> String {
    let mut text = String::new();
    for code in codes {
        let colour = COLOURS.iter().find(|(known, _)| known == code);
        match (colour, *code) {
            (Some((_, colour)), _) => write!(text, " fill=\"{colour}\"").unwrap(),
            (None, "1") => text.push_str(" font-weight=\"bold\""),
            (None, "2") => text.push_str(" opacity=\".65\""),
            (None, _) => panic!("the colour {code} has no place in the picture"),
        }
    }
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The parts of a text between two or more blanks, with the columns that they begin at.
fn parts(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut column = 0;
    let parts = text.split("  ").map(move |part| {
        let start = column + part.width() - part.trim_start().width();
        column += part.width() + 2;
        (start, part.trim())
    });
    parts.filter(|(_, part)| !part.is_empty())
}

/// The texts of a line. Each has its place and its length, so that they are the same in every font.
fn texts(line: &str, number: usize) -> String {
    let (mut svg, mut column, mut codes) = (String::new(), 0, Vec::new());
    let mut rest = line;
    while !rest.is_empty() {
        let end = rest.find('\x1b').unwrap_or(rest.len());
        let run = &rest[..end];
        for (start, part) in parts(run) {
            let x = MARGIN as f64 + (column + start) as f64 * WIDTH;
            let y = MARGIN + HEIGHT * number + HEIGHT * 3 / 4;
            let (length, style) = (part.width() as f64 * WIDTH, attributes(&codes));
            let text = escaped(part);
            let place = format!("x=\"{x:.1}\" y=\"{y}\" textLength=\"{length:.1}\"");
            writeln!(svg, "<text {place}{style}>{text}</text>").unwrap();
        }
        column += run.width();
        rest = &rest[end..];
        if let Some(code) = rest.strip_prefix("\x1b[") {
            let (code, after) = code.split_once('m').unwrap();
            rest = after;
            match code {
                "0" => codes.clear(),
                code => codes.extend(code.split(';')),
            }
        }
    }
    svg
}

/// A picture of a terminal with some lines, which have colours.
fn picture(lines: &[&str]) -> String {
    let width = 2 * MARGIN + (COLUMNS as f64 * WIDTH) as usize;
    let height = 2 * MARGIN + HEIGHT * lines.len();
    let texts: String =
        lines.iter().enumerate().map(|(number, line)| texts(line, number)).collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu \
         Sans Mono', monospace\" font-size=\"14\" fill=\"{TEXT}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n{texts}</svg>\n"
    )
}

fn the_picture_is_what_is_printed() {
    let options = ["--color=always", &format!("--width={COLUMNS}"), FILE];
    let output = program().args(options).in_dir(env!("CARGO_MANIFEST_DIR")).run();
    assert_eq!(output.status, 0, "{}", output.error());
    let printed = String::from_utf8(output.out).unwrap();
    let command = format!("$ cgannotate {FILE}");
    let lines: Vec<&str> = std::iter::once(&command[..]).chain(printed.lines()).collect();
    let (picture, path) = (picture(&lines), testdata("first-screen.svg"));
    if std::env::var_os("CGANNOTATE_BLESS").is_some() {
        std::fs::write(&path, &picture).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(known == picture, "{path:?} is not what is printed; CGANNOTATE_BLESS=1 writes it");
}
