//! The page for a browser in a browser: what Chromium shows of it after the script ran.

use std::path::{Path, PathBuf};

use libtest_mimic::Trial;

use crate::common::corpus::{path_of, testdata};
use crate::common::formats::{array, integer};
use crate::common::program::{Folder, assert_has, assert_lacks, other_program};
use crate::oracles::trial;
use crate::suite::html::{HOSTILE, Page, hostile_folder, series, series_in_csv};

pub fn trials() -> Vec<Trial> {
    let test = |name: &str, test: fn()| trial(&["chromium"], &format!("a page: {name}"), test);
    vec![
        test("the panel of a function", the_panel_of_a_function),
        test("your lines", your_lines),
        test("the list and the flame graph", the_list_and_the_flame_graph),
        test("a difference", a_difference),
        test("a series", a_series),
        test("what was kept, and commands", kept_and_commands),
        test("hostile names are text", hostile_names_are_text),
        test("keys", keys),
        test("counts above 2^53", counts_above_2_to_the_53),
        test("expressions in the address", expressions_in_the_address),
        test("the call graph, files, groups and machine code", other_views),
    ]
}

const WORDS: &str = "words/words.out";

/// What makes Chromium print the document and what is written to its console.
const OPTIONS: &str = "--headless --no-sandbox --disable-gpu --enable-logging=stderr --virtual-time-budget=2000 \
    --window-size=1280,800 --dump-dom";

/// The document after the script ran, which printed nothing to the console.
fn document(page: &Path, state: &str) -> String {
    let home = tempfile::tempdir().unwrap();
    let home = format!("--user-data-dir={}", home.path().display());
    let run = other_program("chromium").args(OPTIONS.split(' ')).arg(home);
    let run = run.arg(format!("file://{}#{state}", page.display())).run();
    assert_lacks(&run.error(), &["CONSOLE"]);
    run.page()
}

/// Writes `page.html`, of a profile of testdata.
pub(super) fn write(folder: &Folder, options: &[&str]) -> (PathBuf, Page) {
    folder.page(&[&["--format=html", "--output=page.html"], options].concat());
    let page = Page::of(folder.read("page.html"));
    (folder.path("page.html"), page)
}

/// The id of a function.
fn id(page: &Page, name: &str) -> i64 {
    let mut rows = array(&page.data["rows"]).iter();
    integer(&rows.find(|row| row["function"] == name).unwrap()["id"])
}

fn the_panel_of_a_function() {
    let folder = Folder::with(&[]);
    let sources = format!("-I={}", testdata("..").display());
    let (path, _) = write(&folder, &[&sources, &path_of(WORDS)]);
    let shown = [
        "<h2>find</h2>",
        "24.93%",
        "29.94%",
        "2,377",
        "__memcmp_avx2_movbe",
        "35,478",
        "return word-&gt;length == length",
        "<caption><h3>Callers</h3></caption>",
        "words.h\"><table>",
    ];
    assert_has(&document(&path, "f=find"), &shown);
}

/// The lines of the first screen with the figures and words of the data, which are those of JSON;
/// each leads to its source.
fn your_lines() {
    let folder = Folder::with(&[]);
    let sources = format!("-I={}", testdata("..").display());
    let (path, page) = write(&folder, &[&sources, &path_of(WORDS)]);
    let shown = document(&path, "");
    let (_, block) = shown.split_once("<section id=\"lines\"").unwrap();
    let (block, _) = block.split_once("</section>").unwrap();
    let heading = page.data["lines_heading"].as_str().unwrap();
    assert_has(block, &[&heading[1..], page.data["record"].as_str().unwrap()]);
    let total = integer(&page.data["total"][0]);
    let lines = array(&page.data["lines"]);
    for line in lines {
        let cost = integer(&line["inclusive"][0]);
        let share = format!("{:.2}%", cost as f64 * 100.0 / total as f64);
        let (_, file) = line["file"].as_str().unwrap().rsplit_once('/').unwrap();
        let place = format!(">{file}:{}</a>", line["line"]);
        let mut notes = array(&line["notes"]).iter().map(|note| note.as_str().unwrap());
        assert_has(block, &[&with_commas(cost), &share, &place]);
        assert!(notes.all(|note| block.contains(note)), "{line}");
    }
    assert!(lines.len() > 2);
    let (file, number) = (lines[0]["file"].as_str().unwrap(), &lines[0]["line"]);
    let source = document(&path, &format!("file={file}&line={number}"));
    let (_, sought) = source.split_once("sought\"").unwrap();
    assert_has(&sought[..sought.find("</tr>").unwrap()], &[&format!(">{number}</td>")]);
}

fn with_commas(count: i64) -> String {
    let digits = count.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap())
        .collect();
    groups.join(",")
}

fn the_list_and_the_flame_graph() {
    let folder = Folder::with(&[]);
    let (path, _) = write(&folder, &["--auto=no", &path_of(WORDS)]);
    let list = document(&path, "q=str*");
    let shown = ["role=\"grid\"", "aria-rowindex", "of 134, ", "not listed: 0.35% of Ir"];
    assert_has(&list, &shown);
    assert_has(&list, &["title=\"strcmp"]);
    assert_lacks(&list, &["title=\"main"]);
    // The stacks of dl_main have 91,541.
    let one = document(&path, "q=dl_main&unit=count");
    assert_has(&one, &["1,776 self, 91,466 inclusive"]);
    let flame = document(&path, "view=flame");
    assert_has(&flame, &["title=\"main\n597,656 Ir (82.69%)\""]);
    // The first event with a total is shown, and the end of a long name.
    let text = "events: curB totB\nfn=f\n1 0 95\nfn=operator new(int)\n1 0 5\n";
    folder.write("p.out", text);
    let page = document(&write(&folder, &["p.out"]).0, "view=flame");
    assert_has(&page, &["\"all\n100 totB ", ">operator new</div>"]);
}

fn a_difference() {
    let folder = Folder::with(&[]);
    let base = format!("--diff={}", path_of(WORDS));
    let new = path_of("words/words-longer.out");
    let (path, page) = write(&folder, &["--auto=no", &base, &new]);
    let text = document(&path, &format!("f={}", id(&page, "find")));
    let find = "180,173 \u{2192} 187,577";
    let calls = "<b>2,377 \u{2192} 2,477 </b>";
    let shown = [find, calls, "+7,404", "+10,988", "+4.1%", "new", ">1x</td>"];
    assert_has(&text, &shown);
    // A page opens with the reasons, and each function has its own.
    let (path, page) = write(&folder, &["--auto=no", &base, &path_of("words/slower/words.out")]);
    let totals = document(&path, "");
    for reason in array(&page.data["reasons"]) {
        let name = reason["name"].as_str().unwrap();
        let of_reason: Vec<String> = array(&reason["text"])
            .iter()
            .map(|text| text.as_str().unwrap())
            .map(|text| text.strip_prefix(name).unwrap_or(text))
            .map(|text| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
            .collect();
        let texts: Vec<&str> = of_reason.iter().map(String::as_str).collect();
        assert_has(&totals, &texts);
        assert_has(&document(&path, &format!("f={}", reason["row"])), &texts);
    }
}

/// The figures and the largest steps of the rows that are in view are those of CSV.
fn a_series() {
    let folder = Folder::with(&[]);
    let options = series();
    let options: Vec<&str> =
        ["--min=0"].into_iter().chain(options.iter().map(String::as_str)).collect();
    let (path, page) = write(&folder, &options);
    let csv = series_in_csv();
    for (side, column) in [("self", "Ir"), ("incl", "Ir.inclusive")] {
        let list = document(&path, &format!("side={side}"));
        let mut compared = 0;
        for row in array(&page.data["rows"]) {
            let Some((_, shown)) = list.split_once(&format!("<tr id=\"r{}\" ", row["id"])) else {
                continue;
            };
            let (shown, _) = shown.split_once("</tr>").unwrap();
            let text_of = |cell: &str| {
                let (_, text) = cell.split_once('>').unwrap();
                text.split('<').next().unwrap().replace(',', "")
            };
            let cells: Vec<String> = shown.split("<td").skip(1).map(text_of).collect();
            let name = |member: &str| row[member].as_str().unwrap().to_owned();
            let Some(expected) = csv.get(&(name("function"), name("file"))) else {
                continue;
            };
            for (label, cell) in ["a", "b", "c"].iter().zip(&cells) {
                let count = &expected[&format!("{column}.{label}")];
                assert_eq!(cell, if count.is_empty() { "." } else { count }, "{row}");
            }
            let step = cells[4].split(' ').next().unwrap();
            assert_eq!(step, expected[&format!("{column}.step")], "{row}");
            compared += 1;
        }
        assert!(compared > 20, "only {compared} rows");
    }
    let shown = ["180,173", "+9,140", "Inclusive Ir by profile", "It changed most from a to b: "];
    assert_has(&document(&path, "f=find&side=incl"), &shown);
    assert_has(&document(&path, "view=totals"), &["3 profiles, Ir", "The largest step is b "]);
    let group = document(&path, "by=object&group=/tmp/demo/words/words");
    assert_has(&group, &["<h2>words</h2>", "Functions by their largest change"]);
}

fn kept_and_commands() {
    let folder = Folder::with(&[]);
    let words = path_of(WORDS);
    let (path, _) = write(&folder, &["--auto=no", "--below=find", "--event=x = 2 Ir", &words]);
    let page = document(&path, "f=find&event=Ir");
    let kept = "below find (2,377 calls): 216,389 of 722,748 Ir (29.9%); 99.7% of it exact, ";
    let command = format!(
        "cgannotate --format=html -o below.html --event='x = 2 Ir' --auto=no --below=find {words}"
    );
    assert_has(&page, &[kept, &command]);
}

/// A copy of the page without its policy, with more text at its end.
fn unprotected(folder: &Folder, more: &str) -> PathBuf {
    let html = folder.read("page.html");
    let policy = "<meta http-equiv=\"Content-Security-Policy\"";
    let start = html.find(policy).unwrap();
    let end = start + html[start..].find('>').unwrap() + 1;
    let copy = [&html[..start], &html[end..], more].concat();
    folder.write("unprotected.html", copy);
    folder.path("unprotected.html")
}

/// Keys alone lead everywhere, from the first function, with which a wide page opens; what they did
/// is written down by a script in a copy of the page.
fn keys() {
    let folder = Folder::with(&[]);
    write(&folder, &["--auto=no", &path_of(WORDS)]);
    let script = r#"<script>
const focused = () => document.activeElement, panel = () => document.querySelector("[aria-label=function] h2").textContent;
const press = (...keys) => keys.forEach(key =>
  focused().dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true})));
const type = text => { focused().value = text; focused().dispatchEvent(new Event("input", {bubbles: true})); };
const steps = [];
const note = text => steps.push(text);
press("ArrowDown"); note(panel());
press("Enter"); note(focused().tagName); press("Escape"); note(focused().getAttribute("role"));
press("/"); note(focused().type); type("memcpy"); press("ArrowDown", "Enter"); note(panel()); press("Escape", "/");
press("Escape"); note(document.querySelector("input").value === "" ? focused().getAttribute("role") : "kept"); press("%");
note(location.hash);
press("g", "ArrowUp"); note(document.querySelector(".cursor").title.split("\n")[0]);
press("Enter"); note(document.querySelector(".above").title.split("\n")[0]);
press("Enter"); note(panel()); press("g");
press("Escape", "Escape"); note(focused().getAttribute("role")); press("Escape"); note(location.hash);
document.body.dataset.steps = steps.join(" | ");
</script>"#;
    let text = document(&unprotected(&folder, script), "");
    let steps = text.split("data-steps=\"").nth(1).unwrap().split('"').next().unwrap();
    let expected = "find | A | grid | search | __memcpy_avx_unaligned_erms | grid | \
                    #f=__memcpy_avx_unaligned_erms&amp;unit=count | main | all | main | grid | #f=&amp;unit=count";
    assert_eq!(steps, expected);
}

fn other_views() {
    let folder = Folder::with(&[]);
    let sources = format!("-I={}", testdata("..").display());
    let (path, _) =
        write(&folder, &[&sources, "--editor=vscode://file/{path}:{line}", &path_of(WORDS)]);
    let graph = document(&path, "view=calls&f=find");
    assert_has(&graph, &[">main</b>", "calls it: 216,389, 2,377x", "called: 35,478, 1,927"]);
    let file = document(&path, "file=./testdata/words/words.c");
    assert_has(&file, &["<h2>words.c</h2>", "href=\"vscode://file/", "int main(void)"]);
    let objects = document(&path, "by=object&unit=count");
    assert_has(&objects, &[">words</td>", "415,533", "5 objects"]);
    let (path, _) = write(&folder, &[&path_of("profiles/loop/profile.out.gz")]);
    assert_has(&document(&path, "f=collatz"), &["Machine code "]);
}

fn hostile_names_are_text() {
    let folder = hostile_folder();
    let (path, page) = write(&folder, &["p.out"]);
    // Without the policy, too, nothing runs.
    let unprotected = unprotected(&folder, "");
    for path in [&path, &unprotected] {
        for name in [HOSTILE[0], HOSTILE[2]] {
            for view in ["list", "flame"] {
                let state = format!("f={}&view={view}", id(&page, name));
                let text = document(path, &state);
                assert_lacks(&text, &["<img", "<title>owned"]);
                assert!(text.contains("&lt;img src=x") || view == "flame", "{text}");
            }
        }
    }
}

fn counts_above_2_to_the_53() {
    let folder = Folder::with(&[]);
    let profile = |own: &str| {
        let call = "cfn=g\ncalls=1 2\n1 9007199254740995\nfn=g\n2 9007199254740995\n";
        format!("events: Ir\nfl=a.c\nfn=main\n1 {own}\n{call}")
    };
    folder.write("p.out", profile("9007199254740993"));
    folder.write("base.out", profile("9007199254740991"));
    let page = document(&write(&folder, &["p.out"]).0, "f=main&unit=count");
    let counts = ["9,007,199,254,740,993", "9,007,199,254,740,995", "18,014,398,509,481,988"];
    assert_has(&page, &counts);
    let page = document(&write(&folder, &["--diff=base.out", "p.out"]).0, "f=main");
    assert_has(&page, &["9,007,199,254,740,991 \u{2192} 9,007,199,254,740,993", "+2 ("]);
}

fn expressions_in_the_address() {
    let folder =
        Folder::with(&[("p.out", &format!("events: Ir\nfn={}\n1 5\nfn=b\n1 5\n", "a".repeat(40)))]);
    let (path, _) = write(&folder, &["p.out"]);
    let waits = "role=\"status\">Enter searches for this expression";
    for state in ["q=/(a|aa)*$x/", "q=file:/(a|aa)*$x/", "q=*a*a*a*a*a*a*a*a*x"] {
        assert_has(&document(&path, state), &[waits, "title=\"b\""]);
    }
    let page = document(&path, "q=a*");
    assert_has(&page, &["1 of 2, "]);
    assert_lacks(&page, &[waits]);
}
