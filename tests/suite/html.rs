//! The page for a browser: its data against other formats, its sources, and that nothing of a
//! profile is markup.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use cgannotate::internal::profile::SuffixFold;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::common::corpus::{self, testdata};
use crate::common::formats::{self, array, folded, integer};
use crate::common::program::{Folder, other_program, print, print_of};
use crate::suite::generated::cases;

trials![
    rows_are_those_of_json,
    both_sides_are_those_of_json,
    a_series_has_the_figures_of_csv,
    reasons_are_those_of_json,
    your_lines_are_those_of_json,
    lines_by_other_events_are_those_of_json,
    contexts_that_are_not_listed_are_those_of_a_page_with_all,
    what_is_inlined_at_lines_is_that_of_text,
    instructions_that_are_left_out_are_named,
    sums_are_those_of_groups,
    stacks_are_those_of_folded,
    the_policy_has_the_hashes_of_style_and_script,
    nothing_is_loaded_or_made_of_text,
    names_and_sources_are_no_markup,
    names_of_random_pieces_are_no_markup,
    many_small_functions_are_listed,
    large_data_are_in_blocks,
    machine_code_is_that_of_json,
    relative_paths_begin_at_the_current_folder_for_editors,
    sources_that_are_not_the_users_own_are_marked
];

/// The files of the page's template, style and script.
fn asset() -> String {
    let folder = testdata("../src/render/html/page");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.map(|file| fs::read_to_string(file).unwrap()).collect()
}

/// What makes JSON have the rows of a page.
const OF_FUNCTIONS: [&str; 4] = ["-g", "function", "--nested", "--fold=recursion"];

/// Gives costs the nulls at their ends that a page leaves out.
fn with_last_nulls(value: &mut Value, events: usize) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(|value| with_last_nulls(value, events)),
        Value::Object(members) => {
            for (name, value) in members.iter_mut().filter(|(name, _)| *name != "ratios") {
                match value.as_array_mut() {
                    Some(cost) if name == "self" || name == "inclusive" => {
                        cost.resize(cost.len().max(events), Value::Null);
                    }
                    _ => with_last_nulls(value, events),
                }
            }
        }
        _ => {}
    }
}

/// A page, cut into its parts.
pub(crate) struct Page {
    text: String,
    pub(crate) data: Value,
    sources: Value,
}

impl Page {
    pub(crate) fn of(text: String) -> Page {
        // Large data are in several elements, of which the first has the id.
        let block = |id: &str| {
            let start = "<script type=\"application/json\" ";
            let blocks = text.split(start).skip(1).filter_map(|block| {
                let block = block.strip_prefix("id=").or_else(|| block.strip_prefix("data-of="))?;
                let (name, json) = block.split_once('>').unwrap();
                (name == format!("\"{id}\"")).then(|| json.split_once("</script>").unwrap().0)
            });
            serde_json::from_str(&blocks.collect::<String>()).unwrap()
        };
        let mut data: Value = block("data");
        let events = data["events"].as_array().map_or(0, Vec::len);
        with_last_nulls(&mut data["rows"], events);
        Page { data, sources: block("sources"), text }
    }

    fn print(options: &[&str], profile: &Path) -> Option<Page> {
        let out = print_of(&[&["--format=html"], options].concat(), profile).ok()?;
        Some(Page::of(String::from_utf8(out).unwrap()))
    }

    fn rows(&self) -> &Vec<Value> {
        self.data["rows"].as_array().unwrap()
    }
}

/// Whether a function calls another one, perhaps by way of others.
fn leads_to(rows: &HashMap<u64, Value>, from: u64, to: u64) -> bool {
    let (mut seen, mut open) = (HashSet::from([from]), vec![from]);
    while let Some(id) = open.pop().filter(|&id| id != to) {
        let parts = rows[&id]["nested"].as_array().into_iter().flatten();
        let callees =
            parts.flat_map(|part| array(&part["calls"])).filter_map(|of| of["id"].as_u64());
        open.extend(callees.filter(|&callee| rows.contains_key(&callee) && seen.insert(callee)));
    }
    seen.contains(&to)
}

/// Whether a call of a page has the cost that JSON has, as it was recorded; of a call from which
/// others lead back to its caller a page has only the part that is in no other call, or nothing.
fn has_recorded_cost(call: &Value, recorded: &Value, is_within: bool) -> bool {
    let (cost, recorded) = (&call["inclusive"], &recorded["inclusive"]);
    let is_part = |(part, whole): (&Value, &Value)| {
        part.is_null() || part.as_f64().unwrap() <= whole.as_f64().unwrap()
    };
    cost == recorded || is_within && array(cost).iter().zip(array(recorded)).all(is_part)
}

fn rows_are_those_of_json() {
    corpus::compare_files(501, |path| {
        // With your lines a page has the events of the first screen, too.
        let page = Page::print(&["--auto=no", "--lines=no"], path)?;
        let json = formats::json(&OF_FUNCTIONS, path).unwrap();
        assert_eq!(page.data["total"], json["total"]);
        let by_id = |rows: &Value| -> HashMap<u64, Value> {
            let with_id = |row: &Value| (row["id"].as_u64().unwrap(), row.clone());
            array(rows).iter().map(with_id).collect()
        };
        let (found, expected) = (by_id(&page.data["rows"]), by_id(&json["rows"]));
        for (id, row) in &found {
            for member in "self inclusive called file function object cycle".split(' ') {
                let (found, expected) = (&row[member], &expected[id][member]);
                assert_eq!(found, expected, "{member}");
            }
            let parts = row["nested"].as_array().unwrap();
            let others = expected[id]["nested"].as_array().unwrap();
            assert_eq!(parts.len(), others.len(), "{row}");
            for (part, other) in parts.iter().zip(others) {
                assert_eq!(part["lines"], other["lines"]);
                let calls = array(&part["calls"]).iter();
                for call in calls.filter(|call| !call["id"].is_null()) {
                    let is_within = leads_to(&expected, call["id"].as_u64().unwrap(), *id);
                    let is_same = |other: &&Value| {
                        let members = ["line", "id", "count"];
                        members.iter().all(|member| other[member] == call[member])
                            && has_recorded_cost(call, other, is_within)
                    };
                    let other = array(&other["calls"]).iter().find(is_same);
                    assert!(other.is_some(), "{call}");
                }
            }
        }
        // A row is there if any of its costs is large enough.
        let total = json["total"].as_array().unwrap();
        for (id, row) in &expected {
            let is_large = |member: &str| {
                let costs = row[member].as_array().into_iter().flatten();
                costs.zip(total).any(|(cost, total)| {
                    let [cost, total] = [cost, total].map(|number| number.as_f64().unwrap_or(0.0));
                    cost != 0.0 && cost.abs() * 100.0 >= total.abs() * 0.01
                })
            };
            let mut totals = total.iter().map(|total| total.as_f64().unwrap_or(0.0));
            let is_without_cost = totals.all(|total| total == 0.0);
            let is_large = is_without_cost || is_large("self") || is_large("inclusive");
            assert_eq!(found.contains_key(id), is_large, "{id}");
        }
        Some(found.len())
    });
}

fn both_sides_are_those_of_json() {
    let mut checked = 0;
    for folder in fs::read_dir(testdata("profiles")).unwrap() {
        let folder = folder.unwrap().path();
        let (base, new) = (folder.join("base.out"), folder.join("new.out"));
        let base = format!("--diff={}", base.display());
        let page = Page::print(&["--auto=no", "--min=0", &base], &new);
        let Some(page) = page.filter(|_| new.exists()) else {
            continue;
        };
        let json = formats::json(&[&OF_FUNCTIONS[..], &[&base]].concat(), &new).unwrap();
        let members =
            "/self /inclusive /function /mark /base/self /base/inclusive /new/self /new/inclusive";
        for row in array(&json["rows"]) {
            let found = page.rows().iter().find(|found| found["id"] == row["id"]);
            for member in members.split(' ') {
                let of = |row: &Value| row.pointer(member).cloned();
                assert_eq!(of(found.unwrap()), of(row), "{} {member}", new.display());
            }
            checked += 1;
        }
        for total in ["/base/total", "/new/total"] {
            assert_eq!(page.data.pointer(total), json.pointer(total));
        }
    }
    assert!(checked > 20, "only {checked} rows");
}

fn reasons_are_those_of_json() {
    let words = testdata("words");
    let base = format!("--diff={}", words.join("words.out").display());
    let new = words.join("slower/words.out");
    let page = Page::print(&["--auto=no", &base], &new).unwrap();
    let json = formats::json(&[&base], &new).unwrap();
    assert!(array(&page.data["reasons"]).len() > 1);
    for member in ["reasons", "changed_places"] {
        assert_eq!(page.data[member], json[member], "{member}");
    }
}

/// The words of the series of words, and of what was recorded later.
pub(crate) fn series() -> [String; 4] {
    let path = |name: &str| testdata("words").join(name).display().to_string();
    let [old, new] = ["words.out", "words-longer.out"].map(path);
    ["--series".to_owned(), format!("a={old}"), format!("b={new}"), format!("c={old}")]
}

/// The rows of the series in CSV, by name and file: each with its figures by the names of columns.
pub(crate) fn series_in_csv() -> HashMap<(String, String), HashMap<String, String>> {
    let options = ["--format=csv", "--fold=recursion", "--min=0"].map(str::to_owned);
    let out = print(options.iter().chain(&series())).unwrap();
    let mut reader = csv::Reader::from_reader(&out[..]);
    let heads: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows = reader.records().map(|record| {
        let fields = record.unwrap();
        let row: HashMap<String, String> =
            heads.iter().cloned().zip(fields.iter().map(str::to_owned)).collect();
        ((row["function"].clone(), row["file"].clone()), row)
    });
    rows.collect()
}

fn a_series_has_the_figures_of_csv() {
    let words = series();
    let options = ["--format=html", "--min=0"].map(str::to_owned);
    let printed = print(options.iter().chain(&words)).unwrap();
    let page = Page::of(String::from_utf8(printed).unwrap());
    let expected = series_in_csv();
    let mut compared = 0;
    for row in page.rows() {
        let name = |member: &str| row[member].as_str().unwrap().to_owned();
        let Some(csv) = expected.get(&(name("function"), name("file"))) else {
            continue;
        };
        for (label, side) in ["a", "b", "c"].iter().zip(array(&row["sides"])) {
            let members = [("self", "Ir."), ("inclusive", "Ir.inclusive."), ("calls", "calls.")];
            for (member, column) in members {
                let count = side[member].get(0).unwrap_or(&side[member]);
                let text = count.as_i64().map_or_else(String::new, |count| count.to_string());
                assert_eq!(text, csv[&format!("{column}{label}")], "{row} {member} {label}");
                compared += 1;
            }
        }
    }
    assert!(expected.len() > 100 && compared >= 9 * expected.len(), "only {compared} figures");
    // What has equal figures everywhere is in the page, too.
    assert!(page.rows().len() >= expected.len());
    // The sums of all functions are the totals.
    for member in ["objects", "files", "namespaces"] {
        for (at, profile) in array(&page.data["sides"]).iter().enumerate() {
            let sums = array(&page.data[member]).iter().filter_map(|sum| sum[1][at][0].as_i64());
            assert_eq!(sums.sum::<i64>(), integer(&profile["total"][0]), "{member} {at}");
        }
    }
}

/// The lines of the first screen, with its words. JSON has fewer events of some profiles, but lines
/// have the costs of the first ones only.
fn your_lines_are_those_of_json() {
    let lines = AtomicUsize::new(0);
    corpus::compare_files(301, |path| {
        let page = Page::print(&[], path)?;
        let json = formats::json(&["--lines=yes"], path).unwrap();
        let members = "lines lines_heading lines_notes misses system_calls";
        for member in members.split(' ') {
            assert_eq!(page.data[member], json[member], "{member}");
        }
        if !json["record"].is_null() {
            assert_eq!(page.data["record"], json["record"]);
            assert_eq!(page.data["record_reason"], json["record_reason"]);
        }
        lines.fetch_add(array(&json["lines"]).len(), Ordering::Relaxed);
        // The first of the lines' costs are those of the event that rows are sorted by.
        assert_eq!(page.data["order"][0], json["order"][0]);
        let expected: HashMap<u64, &Value> =
            array(&json["rows"]).iter().map(|row| (row["id"].as_u64().unwrap(), row)).collect();
        for row in page.rows() {
            let other = expected[&row["id"].as_u64().unwrap()];
            for member in ["self", "inclusive"] {
                let costs = other[member].as_array().map_or(0, Vec::len);
                let found = row[member].as_array().map(|found| &found[..costs]);
                assert_eq!(found, other[member].as_array().map(|all| &all[..]), "{row}");
            }
        }
        Some(page.rows().len())
    });
    let lines = lines.into_inner();
    assert!(lines > 100, "only {lines} lines");
}

/// The lines of each event that a reader can choose are those of a report in the order of that
/// event.
fn lines_by_other_events_are_those_of_json() {
    let lines = AtomicUsize::new(0);
    corpus::compare_files(30, |path| {
        let page = Page::print(&[], path)?;
        let of_events = page.data["lines_by_event"].as_array()?;
        for of_event in of_events {
            let event = of_event["event"].as_u64().unwrap() as usize;
            let event = &page.data["events"][event];
            // Another name may be read as a ratio.
            let is_plain = |name: &&str| name.bytes().all(|byte| byte.is_ascii_alphanumeric());
            let name = event["name"].as_str().filter(is_plain);
            let Some(name) = name.filter(|_| event["recorded"] == true) else {
                continue;
            };
            let json = formats::json(&["--lines=yes", &format!("--sort={name}")], path).unwrap();
            let events = array(&json["events"]);
            let at = events.iter().position(|event| event["name"] == name).unwrap();
            assert_eq!(of_event["heading"], json["lines_heading"], "{name}");
            let notes = array(&of_event["notes"]);
            assert!(array(&json["lines_notes"]).iter().all(|note| notes.contains(note)), "{name}");
            let found = array(&of_event["lines"]);
            assert_eq!(found.len(), array(&json["lines"]).len(), "{name}");
            for (line, other) in found.iter().zip(array(&json["lines"])) {
                for member in ["file", "line", "text", "function", "executions", "recursive"] {
                    assert_eq!(line[member], other[member], "{name} {member}");
                }
                assert_eq!(line["inclusive"][0], other["inclusive"][at], "{name}");
            }
            lines.fetch_add(found.len(), Ordering::Relaxed);
        }
        Some(of_events.len())
    });
    let lines = lines.into_inner();
    assert!(lines > 50, "only {lines} lines");
}

/// What contexts cost that a page leaves out is what they have in a page with all rows.
fn contexts_that_are_not_listed_are_those_of_a_page_with_all() {
    let text = "events: Ir Dr\nfl=a.c\nfn=f'main\n1 60 6\nfn=f'g'main\n2 7 1\nfn=f'h'main\n3 8\n\
                fn=g'main\n4 5 5\nfn=main\n5 900 90\ncfn=f'main\ncalls=4 1\n5 60 6\n\
                cfn=f'h'main\ncalls=3 3\n5 8\nfn=g'main\ncfn=f'g'main\ncalls=2 2\n4 7 1\n";
    let folder = Folder::with(&[("p.out", text)]);
    let page = |min: &str| Page::of(folder.page(&["--format=html", min, "p.out"]));
    let (some, all) = (page("--min=5"), page("--min=0"));
    let id = |name: &str| {
        let mut rows = some.rows().iter();
        rows.find(|row| row["function"] == name).unwrap()["id"].clone()
    };
    // g'main has no context that is listed.
    let expected = json!([[id("f'main"), 2, [15, 1], [15, 1], 5]]);
    assert_eq!(some.data["unlisted_contexts"], expected);
    assert_eq!(all.data["unlisted_contexts"], Value::Null);
}

/// At each line the inlined functions of the page, of all rows, have the costs that annotated
/// sources have.
fn what_is_inlined_at_lines_is_that_of_text() {
    let path = testdata("profiles/inlines/known.out");
    let folder = testdata("profiles/inlines");
    let sources = format!("--source-map=/tmp/demo/inlined/={}/", folder.display());
    let page = Page::print(&["--min=0", &sources], &path).unwrap();
    let source = &page.sources[0];
    let file = source["file"].as_str().unwrap();
    let mut found: Vec<(u64, i64, String)> = Vec::new();
    for copy in array(&source["inlined"]) {
        let (line, name) = (copy[1].as_u64().unwrap(), copy[2].as_u64().unwrap() as usize);
        let name = source["inlined_names"][name].as_str().unwrap().to_owned();
        let cost = integer(&copy[3][0]);
        match found.iter_mut().find(|(of, _, other)| (*of, other.as_str()) == (line, name.as_str()))
        {
            Some((_, sum, _)) => *sum += cost,
            None => found.push((line, cost, name)),
        }
    }
    let options = ["--format=text", "--width=0", "--show-percs=no", &sources, file];
    let text = String::from_utf8(print_of(&options, &path).unwrap()).unwrap();
    let mut expected = Vec::new();
    let mut at = 0;
    // The text is that of the file from its first line, below the name of the event.
    for line in text.lines().skip_while(|line| line.trim() != "Ir").skip(1) {
        if let Some((cost, callee)) = line.split_once("=> ") {
            if let Some(name) = callee.strip_suffix(" (inlined)") {
                let cost = cost.trim().replace(',', "").parse().unwrap();
                expected.push((at, cost, name.to_owned()));
            }
        } else {
            at += 1;
        }
    }
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    assert!(found.len() > 3, "{found:?}");
}

/// A page has room for 3,000 instructions, or 10,000 of the most expensive function; of functions
/// that do not fit it has their number.
fn instructions_that_are_left_out_are_named() {
    for (count, shows_large) in [(2_999, true), (10_000, true), (10_001, false)] {
        instructions_are_left_out(count, shows_large);
    }
}

fn instructions_are_left_out(count: usize, shows_large: bool) {
    let instructions = |name: &str, count: usize| {
        let lines = (0..count).map(|at| format!("{:#x} 1 1\n", 0x1000 + 4 * at));
        format!("fn={name}\n{}", lines.collect::<String>())
    };
    let large = instructions("large", count);
    let small = instructions("small", 2).replace("0x1", "0x90");
    let profile = format!("positions: instr line\nevents: Ir\nfl=a.c\n{large}{small}");
    let folder = Folder::with(&[("p.out", &profile)]);
    let page = Page::of(folder.page(&["--format=html", "p.out"]));
    let id = |name: &str| {
        let mut rows = page.rows().iter();
        rows.find(|row| row["function"] == name).unwrap()["id"].clone()
    };
    let shown = array(&page.data["code"]).iter().map(|code| code["id"].clone());
    let (large, small) = (json!([id("large"), count]), json!([id("small"), 2]));
    let [fits, left_out] = if shows_large { [large, small] } else { [small, large] };
    assert_eq!(shown.collect::<Vec<_>>(), [fits[0].clone()]);
    assert_eq!(page.data["code_left_out"], json!([left_out]));
    // What a terminal shows has all.
    let text = folder.page(&["--asm=small", "p.out"]);
    assert!(text.contains(" 90000:") && text.contains(" 90004:"), "{text}");
}

/// What objects and files cost has all functions, also those that the page does not list.
fn sums_are_those_of_groups() {
    corpus::compare_files(201, |path| {
        let mut compared = 0;
        let page = Page::print(&["--auto=no", "--lines=no", "--min=1"], path)?;
        let groups = [("objects", "object"), ("files", "file"), ("namespaces", "namespace")];
        for (member, group) in groups {
            let json = formats::json(&["-g", group], path).unwrap();
            let expected = array(&json["rows"]).iter();
            let costs = |row: &Value, own: &Value, all: &Value| {
                (row.to_string(), (own.clone(), all.clone()))
            };
            let expected =
                expected.map(|row| costs(&row["group"], &row["self"], &row["inclusive"]));
            let has_cost = |cost: &Value| array(cost).iter().any(|count| !count.is_null());
            let expected: HashMap<String, (Value, Value)> =
                expected.filter(|(_, (own, _))| has_cost(own)).collect();
            let found: HashMap<String, (Value, Value)> = array(&page.data[member])
                .iter()
                .map(|sum| costs(&sum[0], &sum[1], &sum[3]))
                .filter(|(_, (own, _))| has_cost(own))
                .collect();
            assert_eq!(found, expected, "{member}");
            compared += found.len();
        }
        Some(compared)
    });
}

fn stacks_are_those_of_folded() {
    corpus::compare_files(301, |path| {
        let mut compared = 0;
        let page = Page::print(&["--auto=no", "--min=0"], path)?;
        // Of callgrind's contexts a stack has the function's own name. Where only some parts are
        // callgrind's, the page does not say which names are.
        let mut creators = array(&page.data["parts"]).iter().map(|part| part["creator"].as_str());
        let creator = creators.next().flatten();
        if creators.any(|other| other != creator) {
            return None;
        }
        let taken = match creator.is_some_and(|creator| creator.starts_with("callgrind")) {
            true => SuffixFold::CALLERS,
            false => SuffixFold::default(),
        };
        let named = |row: &Value| {
            let name = taken.apply(row["function"].as_str()?.as_bytes());
            let name = String::from_utf8_lossy(&name.name).into_owned();
            Some((row["id"].as_i64()?, name))
        };
        let names: HashMap<i64, String> = page.rows().iter().filter_map(named).collect();
        let events = array(&page.data["events"]).iter();
        for (event, stacks) in events.zip(array(&page.data["stacks"])) {
            let show = format!("--show={}", event["name"].as_str().unwrap());
            let options: Vec<&str> = "--format=folded -g function --fold=recursion"
                .split(' ')
                .chain([&show[..]])
                .collect();
            let Ok(out) = print_of(&options, path) else {
                continue;
            };
            let mut expected: HashMap<String, i128> = HashMap::new();
            for (stack, counts) in folded(&out, 1) {
                let stack = String::from_utf8_lossy(&stack).into_owned();
                *expected.entry(stack).or_default() += counts[0];
            }
            let found = stacks_of_page(array(stacks), &names);
            if names.len() == page.rows().len() && !found.keys().any(|path| path.contains('?')) {
                assert_eq!(found, expected, "{show}");
                compared += found.len();
            }
        }
        Some(compared)
    });
}

/// What each stack costs itself. A frame is its depth, its row, and its cost with all above it.
fn stacks_of_page(numbers: &[Value], names: &HashMap<i64, String>) -> HashMap<String, i128> {
    let numbers: Vec<i64> = numbers.iter().map(integer).collect();
    let mut found: HashMap<String, i128> = HashMap::new();
    let mut stack: Vec<String> = Vec::new();
    for (at, frame) in numbers.chunks(3).enumerate() {
        stack.truncate(frame[0] as usize);
        let name = names.get(&frame[1]).map_or("?", |name| name);
        let name = if name.is_empty() { "(no name)" } else { name };
        stack.push(name.replace(';', ",").replace(['\n', '\r'], " "));
        let above = numbers[(at + 1) * 3..]
            .chunks(3)
            .take_while(|other| other[0] > frame[0])
            .filter(|other| other[0] == frame[0] + 1);
        let own = frame[2] - above.map(|other| other[2]).sum::<i64>();
        *found.entry(stack.join(";")).or_default() += i128::from(own);
    }
    found.retain(|_, cost| *cost != 0);
    found
}

fn the_policy_has_the_hashes_of_style_and_script() {
    let page = Page::print(&["--auto=no"], &testdata("words/words.out")).unwrap().text;
    for (kind, start) in [("style", "<style>"), ("script", "<script>")] {
        let (_, text) = page.split_once(start).unwrap();
        let (text, _) = text.split_once(&format!("</{kind}>")).unwrap();
        let command = "sha256sum | cut -c1-64 | tr a-f A-F | tr -d '\\n' | basenc -d --base16 | basenc --base64";
        let hash = other_program("sh").args(["-c", command]).stdin(text).run();
        let hash = format!("{kind}-src 'sha256-{}'", hash.page().trim());
        assert!(page.contains(&hash), "src/render/html/page/page.html has to have {hash}");
    }
}

fn nothing_is_loaded_or_made_of_text() {
    let asset = asset();
    let words = "http: https: innerHTML outerHTML insertAdjacentHTML eval( document.write import(";
    for word in words.split(' ') {
        assert!(!asset.contains(word), "{word}");
    }
    let path = testdata("words/words.out");
    let page = Page::print(&["--auto=no"], &path).unwrap();
    let data = page.data.to_string().len();
    let all = page.text.len();
    // What a small page has beside its data is mailed and kept with each build: a third of it when
    // it is compressed. Threads, crates, estimated cycles of a difference, and warnings of the
    // program needed 4 KiB more than the 118 that it had before; lists of lines and of threads,
    // names that tell instances apart, rates of misses and costs of single calls 7 KiB more (2.5 of
    // them when it is compressed): each was what a new reader had looked for and not found. What
    // others looked for needed 7 KiB (2.5) again: code of other files in sources, the calls that
    // one's own functions lead to, what threads do, and searches that find more. Flame graphs and
    // memory of threads, what runs before and after main, what each call costs, and the lines that
    // a search finds where it finds no function took 5 KiB. Rates of misses at first sight, what
    // functions cost that one side inlines, and which ones are recursive took 3 KiB. The lines of
    // all callers with what each costs, and names that keep their own letters took one.
    assert!(all < data + (146 << 10), "{all} {data}");
    let more = "<p>84 more functions are shown with JavaScript.</p>";
    assert!(page.text.contains(more));
    // Without the script, too, there is a landmark with a title that keys can scroll.
    let start = "<main id=\"static\" tabindex=\"0\"><h1>";
    assert!(page.text.contains(start));
}

/// Names that would be markup, script or places of the asset.
pub(crate) const HOSTILE: [&str; 8] = [
    "</script><script>document.title='owned'</script>",
    "<!-- <script>",
    "<img src=x onerror=document.title='owned'>",
    "quotes \" and ' and &amp; \\",
    "lines \u{2028} \u{2029} \u{202e}",
    "@DATA@ @SOURCES@ @STATIC@ @TITLE@",
    "__proto__",
    "]]>{}\u{7f}\u{1}",
];

/// A folder with a profile that has these names and a source that has them.
pub(crate) fn hostile_folder() -> Folder {
    let folder = Folder::with(&[]);
    let mut profile =
        b"cmd: </title><script>document.title='owned'</script>\nevents: Ir\nfl=a.c\n".to_vec();
    let mut source = Vec::new();
    for (at, name) in HOSTILE.iter().enumerate() {
        profile.extend(format!("fn={name}\n{} {}\n", at + 1, 10 + at).bytes());
        source.extend(format!("{name}\n").bytes());
    }
    profile.extend(b"fn=\xff\xfe</script>\n9 5\n");
    source.extend(b"\xff\xfe</script>\n");
    folder.write("p.out", profile);
    folder.write("a.c", source);
    folder
}

fn assert_has_no_other_markup(page: &Page) {
    let tags =
        [("<script", 3), ("</script", 3), ("<title", 1), ("<main", 1), ("<!--", 0), ("<img", 0)];
    for (tag, expected) in tags {
        assert_eq!(page.text.matches(tag).count(), expected, "{tag}");
    }
}

fn names_and_sources_are_no_markup() {
    let out = hostile_folder().run(&["--format=html", "p.out"]).out;
    let page = Page::of(String::from_utf8(out).unwrap());
    assert_has_no_other_markup(&page);
    let names: Vec<&str> = page.rows().iter().filter_map(|row| row["function"].as_str()).collect();
    for name in HOSTILE {
        assert!(names.contains(&name), "{name}");
    }
    let lines = &page.sources[0]["ranges"][0][1];
    assert_eq!(lines[0], HOSTILE[0]);
    assert_eq!(lines[8], "\u{fffd}\u{fffd}</script>");
}

proptest! {
    #![proptest_config(cases(50))]

    fn names_of_random_pieces_are_no_markup(pieces in vec(vec(select(HOSTILE.to_vec()), 1..4), 4)) {
        let names: Vec<String> = pieces.iter().map(|pieces| format!("f{}", pieces.concat())).collect();
        let [command, object, file, function] = &names[..] else { unreachable!() };
        let text = format!("cmd: {command}\nevents: Ir\nob={object}\nfl={file}\nfn={function}\n1 5\n");
        let folder = Folder::with(&[("p.out", &text)]);
        let page = Page::print(&["--auto=no"], &folder.path("p.out")).unwrap();
        assert_has_no_other_markup(&page);
        for (member, name) in [("object", object), ("file", file), ("function", function)] {
            assert_eq!(page.rows()[0][member].as_str(), Some(&name[..]));
        }
    }
}

/// Each of 10,001 equal functions has less than the default minimum, 0.01%.
fn many_small_functions_are_listed() {
    let functions = (0..10_001).map(|i| format!("fn=f{i}\n1 10\n"));
    let profile = format!("events: Ir\nfl=a.c\n{}", functions.collect::<String>());
    let folder = Folder::with(&[("p.out", &profile)]);
    let rows = |options: &[&str]| {
        let page = folder.page(&[&["--format=html", "p.out"], options].concat());
        array(&Page::of(page).data["rows"]).len()
    };
    assert_eq!(rows(&[]), 10_001);
    assert_eq!(rows(&["--min=0.01"]), 0);
}

/// The instructions of a page are those of --asm, each with its cost, jumps and calls.
fn machine_code_is_that_of_json() {
    let path = testdata("profiles/loop/profile.out.gz");
    let page = Page::print(&[], &path).unwrap();
    let json = formats::json(&["--asm", "--objdump=false"], &path).unwrap();
    let id = |function: &Value| {
        let is_it = |row: &&Value| {
            ["function", "file", "object"].iter().all(|member| row[member] == function[member])
        };
        page.rows().iter().find(is_it).map(|row| row["id"].clone())
    };
    let functions = array(&json["functions"]).iter();
    let expected: HashMap<u64, &Value> =
        functions.filter_map(|function| Some((id(function)?.as_u64()?, function))).collect();
    let mut checked = 0;
    for function in array(&page.data["code"]) {
        let other = array(&expected[&function["id"].as_u64().unwrap()]["instructions"]).iter();
        let others: HashMap<&str, &Value> =
            other.map(|other| (other["address"].as_str().unwrap(), other)).collect();
        let executed = array(&function["instructions"]).iter();
        for one in executed.filter(|one| !one["self"].is_null()) {
            let other = others[one["address"].as_str().unwrap()];
            assert_eq!(one["self"], other["self"]);
            assert_eq!(one["executed"].as_i64().unwrap_or(0), integer(&other["executed"]));
            assert_eq!(one["place"].get(1), Some(&other["line"]).filter(|line| !line.is_null()));
            let to = |jumps: &Value, key: &dyn Fn(&Value) -> Value| -> Vec<Value> {
                jumps.as_array().into_iter().flatten().map(key).collect()
            };
            let jumps = to(&one["jumps"], &|jump| jump[0].clone());
            assert_eq!(jumps, to(&other["jumps"], &|jump| jump["to"].clone()));
            let calls = to(&one["calls"], &|call| call[2].clone());
            assert_eq!(calls, to(&other["calls"], &|call| call["count"].clone()));
            checked += 1;
        }
    }
    assert!(checked > 500, "only {checked} instructions");
}

fn relative_paths_begin_at_the_current_folder_for_editors() {
    let folder = Folder::with(&[("p.out", "events: Ir\nfl=a.c\nfn=f\n1 5\n")]);
    let template = "vscode://file/{path}:{line}?<b>";
    let page = folder.page(&["--format=html", &format!("--editor={template}"), "p.out"]);
    assert!(!page.contains("?<b>"));
    let page = Page::of(page);
    assert_eq!(page.data["editor"], template);
    let path = fs::canonicalize(folder.path(".")).unwrap();
    assert_eq!(page.data["folder"], path.to_str().unwrap());
}

/// A search for a line shows those of the user's own sources first.
fn sources_that_are_not_the_users_own_are_marked() {
    let profile = "events: Ir\nfl=/usr/include/own.h\nfn=g\n1 5\nfl=a.c\nfn=f\n1 5\n";
    let folder = Folder::with(&[("p.out", profile), ("a.c", "f\n"), ("own.h", "g\n")]);
    let map = "--source-map=/usr/include/=./";
    let page = Page::of(folder.page(&["--format=html", map, "p.out"]));
    let mut marks: Vec<(&Value, &Value)> =
        array(&page.sources).iter().map(|of| (&of["file"], &of["is_foreign"])).collect();
    marks.sort_by_key(|(file, _)| file.as_str());
    let expected = [(&json!("/usr/include/own.h"), &json!(true)), (&json!("a.c"), &Value::Null)];
    assert_eq!(marks, expected);
}

/// WebKit's time for an element grows with the square of its size.
fn large_data_are_in_blocks() {
    let functions = (0..4_000).map(|i| format!("fn=f\u{e9}{i}\n1 10\n"));
    let profile = format!("events: Ir\nfl=a.c\n{}", functions.collect::<String>());
    let folder = Folder::with(&[("p.out", &profile)]);
    let page = Page::of(folder.page(&["--format=html", "p.out"]));
    assert_eq!(page.rows().len(), 4_000);
    assert_eq!(page.rows()[0]["function"], "f\u{e9}0");
    let blocks = page.text.split("</script>").map(str::len);
    let largest = blocks.max().unwrap();
    assert!((500 << 10..600 << 10).contains(&largest), "{largest}");
}
