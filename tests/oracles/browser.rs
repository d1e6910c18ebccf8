//! The page for a browser in a browser: what Chromium shows of it after the script ran.

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;

use crate::common::corpus::testdata;
use crate::common::program::{other_program, program};
use crate::oracles::trial;
use crate::suite::html::{HOSTILE, Page, hostile_folder};

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 5] = [
        ("a page: the panel of a function", the_panel_of_a_function),
        (
            "a page: the list and the flame graph",
            the_list_and_the_flame_graph,
        ),
        ("a page: a difference", a_difference),
        ("a page: hostile names are text", hostile_names_are_text),
        ("a page: keys", keys),
    ];
    let tests = tests.into_iter();
    tests
        .map(|(name, test)| trial(&["chromium"], name, test))
        .collect()
}

/// The document after the script ran, and what it printed to the console.
fn document(page: &Path, state: &str) -> (String, String) {
    let address = format!("file://{}#{state}", page.display());
    let home = tempfile::tempdir().unwrap();
    let run = other_program("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
        ])
        .args([
            "--virtual-time-budget=2000",
            "--window-size=1280,800",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", home.path().display()))
        .arg(address)
        .run();
    let console = run.error();
    let console = console.lines().filter(|line| line.contains("CONSOLE"));
    (run.page(), console.collect::<Vec<_>>().join("\n"))
}

/// Writes a page of a profile of testdata.
fn write(folder: &Path, options: &[&str]) -> Page {
    let run = program().args(["--format=html", "--output=page.html"]);
    let run = run.args(options).in_dir(folder).run();
    assert_eq!(run.status, 0, "{}", run.error());
    Page::of(fs::read_to_string(folder.join("page.html")).unwrap())
}

fn words() -> String {
    testdata("words/words.out").to_str().unwrap().to_owned()
}

/// The id of a function.
fn id(page: &Page, name: &str) -> i64 {
    let rows = page.data["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["function"] == name).unwrap();
    row["id"].as_i64().unwrap()
}

fn the_panel_of_a_function() {
    let folder = tempfile::tempdir().unwrap();
    let sources = format!("-I={}", testdata("..").display());
    write(folder.path(), &[&sources, &words()]);
    let path = folder.path().join("page.html");
    let (text, console) = document(&path, "f=find");
    assert_eq!(console, "");
    for shown in [
        "<h2>find</h2>",
        "24.93%",
        "29.94%",
        "2,377",
        "__memcmp_avx2_movbe",
        "35,478",
        "return word-&gt;length == length",
        "<caption><h3>Callers</h3></caption>",
        "words.h\"><table>",
    ] {
        assert!(text.contains(shown), "{shown}");
    }
}

fn the_list_and_the_flame_graph() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &["--auto=no", &words()]);
    let path = folder.path().join("page.html");
    let (list, console) = document(&path, "q=str*");
    assert_eq!(console, "");
    assert!(
        list.contains("role=\"grid\"") && list.contains("aria-rowindex"),
        "{list}"
    );
    assert!(list.contains("of 134 listed, "), "{list}");
    assert!(
        list.contains("title=\"strcmp") && !list.contains("title=\"main"),
        "{list}"
    );
    let (flame, console) = document(&path, "view=flame");
    assert_eq!(console, "");
    assert!(
        flame.contains("title=\"main\n597,854 Ir (82.72%)\""),
        "{flame}"
    );
}

fn a_difference() {
    let folder = tempfile::tempdir().unwrap();
    let base = format!("--diff={}", words());
    let new = testdata("words/words-longer.out");
    let page = write(folder.path(), &["--auto=no", &base, new.to_str().unwrap()]);
    let path = folder.path().join("page.html");
    let (text, console) = document(&path, &format!("f={}", id(&page, "find")));
    assert_eq!(console, "");
    for shown in [
        "180,173 \u{2192} 187,577",
        "+7,404",
        "+10,988",
        "+4.1%",
        "new",
    ] {
        assert!(text.contains(shown), "{shown}");
    }
}

/// A copy of the page without its policy, with more text at its end.
fn unprotected(folder: &Path, more: &str) -> PathBuf {
    let html = fs::read_to_string(folder.join("page.html")).unwrap();
    let policy = "<meta http-equiv=\"Content-Security-Policy\"";
    let start = html.find(policy).unwrap();
    let end = start + html[start..].find('>').unwrap() + 1;
    let copy = folder.join("unprotected.html");
    fs::write(&copy, [&html[..start], &html[end..], more].concat()).unwrap();
    copy
}

/// Keys alone lead everywhere; what they did is written down by a script in a copy of the page.
fn keys() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &["--auto=no", &words()]);
    let script = r#"<script>
const focused = () => document.activeElement, panel = () => document.querySelector("[aria-label=function] h2").textContent;
const press = (...keys) => keys.forEach(key =>
  focused().dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true})));
const type = text => { focused().value = text; focused().dispatchEvent(new Event("input", {bubbles: true})); };
const steps = [];
const note = text => steps.push(text);
press("ArrowDown", "ArrowDown"); note(panel());
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
    let (text, console) = document(&unprotected(folder.path(), script), "");
    assert_eq!(console, "");
    let steps = text.split("data-steps=\"").nth(1).unwrap();
    let steps = steps.split('"').next().unwrap();
    let expected = "find | A | grid | search | __memcpy_avx_unaligned_erms | grid | \
                    #f=__memcpy_avx_unaligned_erms&amp;unit=count | main | all | main | grid | #unit=count";
    assert_eq!(steps, expected);
}

fn hostile_names_are_text() {
    let folder = hostile_folder();
    let page = write(folder.path(), &["p.out"]);
    let path = folder.path().join("page.html");
    // Without the policy, too, nothing runs.
    let unprotected = unprotected(folder.path(), "");
    for path in [&path, &unprotected] {
        for name in [HOSTILE[0], HOSTILE[2]] {
            for view in ["list", "flame"] {
                let state = format!("f={}&view={view}", id(&page, name));
                let (text, console) = document(path, &state);
                assert_eq!(console, "");
                assert!(
                    !text.contains("<img") && !text.contains("<title>owned"),
                    "{text}"
                );
                assert!(text.contains("&lt;img src=x") || view == "flame", "{text}");
            }
        }
    }
}
