//! The pictures in the README are true: that of the first screen is what the program prints, in its
//! colours, and that of the page for a browser was made of the page that the program writes.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use crate::common::corpus::testdata;
use crate::common::program::{Folder, other_program, program};

trials![the_picture_is_what_is_printed, the_picture_of_the_page_is_of_this_page];

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

/// The size in pixels of the picture of the page, and the state that it is opened with.
const PAGE_SIZE: (u32, u32) = (960, 460);
const PAGE_STATE: &str = "f=find";

/// The maximum size of the picture in bytes.
const MAX_PICTURE: usize = 100_000;

/// A hash of a text, by Fowler, Noll and Vo.
fn hash(text: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325;
    text.iter()
        .fold(start, |hash: u64, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// What is written beside the picture is the hash of the page that it was made of, with its size
/// and state. A new picture needs Chromium.
fn the_picture_of_the_page_is_of_this_page() {
    let folder = Folder::with(&[]);
    let output = format!("--output={}", folder.path("page.html").display());
    let run =
        program().args(["--format=html", &output, FILE]).in_dir(env!("CARGO_MANIFEST_DIR")).run();
    assert_eq!(run.status, 0, "{}", run.error());
    let page = folder.read("page.html").replace(env!("CARGO_MANIFEST_DIR"), "");
    let (width, height) = PAGE_SIZE;
    let made_of = format!("{FILE}#{PAGE_STATE} {width}x{height} {:016x}\n", hash(page.as_bytes()));
    let [path, beside] = ["page.png", "page.txt"].map(testdata);
    let known = || std::fs::read_to_string(&beside).unwrap_or_default();
    if std::env::var_os("CGANNOTATE_BLESS").is_some() && known() != made_of {
        let home = format!("--user-data-dir={}", folder.path("home").display());
        let picture = format!("--screenshot={}", path.display());
        let size = format!("--window-size={width},{height}");
        let options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"];
        let address = format!("file://{}#{PAGE_STATE}", folder.path("page.html").display());
        let browser = other_program("chromium").args(options).args([home, picture, size, address]);
        assert_eq!(browser.run().status, 0, "chromium made no picture");
        std::fs::write(&beside, &made_of).unwrap();
    }
    assert!(known() == made_of, "{path:?} is of another page; CGANNOTATE_BLESS=1 makes it");
    let picture = std::fs::read(&path).unwrap();
    assert!(picture.len() <= MAX_PICTURE, "{path:?} has {} bytes", picture.len());
    // A PNG has its size behind its signature and the name of its first part.
    let number = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().unwrap());
    assert_eq!((number(16), number(20)), PAGE_SIZE);
}
