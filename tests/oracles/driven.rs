//! What is checked in each browser that a test drives: figures, views, keys, and that nothing is
//! written to the console.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::corpus::{path_of, testdata};
use crate::common::formats::{array, integer};
use crate::common::program::Folder;
use crate::oracles::browser::write;
use crate::suite::html::series;

/// A browser that runs, and shows a page.
pub(super) trait Browser {
    /// Loads a page in a state.
    fn open(&mut self, page: &Path, state: &str);

    /// What an expression is in the page.
    fn value_of(&mut self, expression: &str) -> Value;

    /// Presses keys as a user does, one after the other.
    fn press(&mut self, keys: &[char]);

    /// What was written to the console about a file.
    fn messages(&mut self, file: &str) -> Vec<String>;

    fn text_of(&mut self, selector: &str) -> String {
        let script = format!("document.querySelector({selector:?})?.textContent ?? \"none\"");
        self.value_of(&script).as_str().unwrap().to_owned()
    }
}

const ESCAPE: char = '\u{e00c}';
const ENTER: char = '\u{e007}';
const DOWN: char = '\u{e015}';
const LEFT: char = '\u{e012}';

/// All figures of the list, the views, keys, and that nothing is said on the console.
pub(super) fn check_page(browser: &mut impl Browser) {
    let folder = Folder::with(&[]);
    let sources = format!("-I={}", testdata("..").display());
    let (path, page) = write(&folder, &[&sources, &path_of("words/words.out")]);
    browser.open(&path, "unit=count");
    // Rows are made when the browser draws the next time.
    let rows = array(&page.data["rows"]);
    let mut found = serde_json::Map::new();
    for at in (0..rows.len()).step_by(20) {
        let last = (at + 19).min(rows.len() - 1);
        let row = format!("document.querySelector('tr[aria-rowindex=\"{}\"]')", last + 2);
        let height = "document.querySelector('tr[aria-rowindex][id]').offsetHeight";
        browser.value_of(&format!(
            "document.querySelectorAll('#rows')[0].scrollTop = {at} * {height}"
        ));
        let end = Instant::now() + Duration::from_secs(10);
        while browser.value_of(&format!("{row} != null")) != true && Instant::now() < end {
            sleep(Duration::from_millis(50));
        }
        let figures =
            "Object.fromEntries([...document.querySelectorAll('tr[aria-rowindex][id]')].map(row =>
            [row.id, [...row.children].slice(0, 2).map(cell => cell.title)]))";
        found.extend(browser.value_of(figures).as_object().unwrap().clone());
    }
    assert_eq!(found.len(), rows.len());
    for row in rows {
        let shown = array(&found[&format!("r{}", row["id"])]);
        for (cell, member) in shown.iter().zip(["inclusive", "self"]) {
            let count = cell.as_str().unwrap().split(' ').next().unwrap().replace(',', "");
            let expected =
                row[member][0].as_i64().map_or(".".to_owned(), |count| count.to_string());
            assert_eq!(count, expected, "{row}");
        }
    }

    browser.open(&path, "f=find");
    assert_eq!(browser.text_of("h2"), "find");
    assert!(browser.text_of(".src .top .t").contains("(unsigned char)text[i]"));
    browser.press(&['/']);
    browser.press(&['s', 't', 'r', '*', DOWN]);
    assert_eq!(browser.text_of("h2"), "strcmp");
    browser.press(&[ESCAPE, 'g']);
    assert!(browser.text_of("#at a").starts_with("strcmp"));
    browser.press(&[ESCAPE, 'c']);
    assert!(browser.text_of("#graph a.here").starts_with("strcmp"));
    let width = "document.documentElement.scrollWidth - innerWidth";
    assert!(integer(&browser.value_of(width)) <= 0);
    browser.press(&[ENTER, ESCAPE]);

    browser.open(&path, "by=object&group=/tmp/demo/words/words");
    assert_eq!(browser.text_of("h2"), "words");
    browser.open(&path, "file=./testdata/words/words.c");
    assert_eq!(browser.text_of("h2"), "words.c");

    let of_series = series();
    let options: Vec<&str> = of_series.iter().map(String::as_str).collect();
    let (path, _) = write(&folder, &options);
    browser.open(&path, "f=find");
    assert!(browser.text_of(".said").starts_with("c: "));
    browser.value_of("document.querySelector('.chart .line').focus()");
    browser.press(&[LEFT]);
    assert!(browser.text_of(".said").starts_with("b: "));
    let columns = browser.text_of("#rows thead");
    assert!(columns.starts_with("abcCourseLargest step"), "{columns}");
    assert_eq!(browser.messages("page.html"), Vec::<String>::new());
}
