//! What functions of a page are called whose names would look alike in its list.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use crate::render::screen::names::short_files;
use crate::render::shorten::{
    common_starts, elide_end, without_callers, without_paths_in_brackets,
};
use crate::view::{Item, Label, List, RowId, Rows, basename, short_function};

/// How many letters of a name are seen in a narrow list, and how many of them may be what tells it apart.
const COLUMN: usize = 28;
const DETAIL: usize = 14;

/// The room for a number, which names have that differ in nothing else that is seen.
const NUMBER: usize = 5;

struct Function {
    row: RowId,
    name: String,
    file: String,
    object: String,
    /// What is shown of its name, and what tells it apart from those that look alike.
    label: String,
    detail: String,
}

/// The functions of a list that would look alike: what is shown of their names, and what tells them apart.
pub fn told_apart(list: &List, rows: &Rows<'_>) -> HashMap<RowId, [String; 2]> {
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    let functions = list.lines(rows).filter_map(|line| {
        let (
            Item::Row(row),
            Label::Function {
                file, name, object, ..
            },
        ) = (line.item, line.label)
        else {
            return None;
        };
        Some(Function {
            row,
            label: without_callers(&text(&short_function(&name))).to_owned(),
            name: text(&name),
            file: text(file),
            object: text(basename(object.unwrap_or_default())),
            detail: String::new(),
        })
    });
    let mut functions: Vec<Function> = functions.collect();
    for alike in equal(
        functions
            .iter()
            .map(|function| seen_of(&function.label, COLUMN)),
    ) {
        let details = details(alike.iter().map(|&at| &functions[at]).collect());
        let details = alike.into_iter().zip(details);
        details.for_each(|(at, detail)| functions[at].detail = detail);
    }
    functions.retain(|function| !function.detail.is_empty());
    let seen = |function: &Function, room| {
        let name = seen_of(&function.label, COLUMN - DETAIL);
        (name, elide_end(&function.detail, room))
    };
    let mut numbers: HashMap<(String, String), usize> = HashMap::new();
    let mut same = equal(functions.iter().map(|function| seen(function, DETAIL)));
    same.sort_unstable();
    for at in same.into_iter().flatten() {
        let (name, detail) = seen(&functions[at], DETAIL - NUMBER);
        let number = numbers.entry((name, detail.clone())).or_default();
        *number += 1;
        functions[at].detail = format!("{detail} #{number}");
    }
    let told = functions.into_iter();
    told.map(|function| (function.row, [function.label, function.detail]))
        .collect()
}

/// Where several of these keys are equal.
fn equal<K: Eq + Hash>(keys: impl Iterator<Item = K>) -> Vec<Vec<usize>> {
    let mut equal: HashMap<K, Vec<usize>> = HashMap::new();
    for (at, key) in keys.enumerate() {
        equal.entry(key).or_default().push(at);
    }
    let several = equal.into_values().filter(|places| places.len() > 1);
    several.collect()
}

/// What is seen of a name in this room: its last two components.
fn seen_of(name: &str, room: usize) -> String {
    let start = name.rmatch_indices("::").nth(1);
    let end = start.map_or(name, |(at, _)| &name[at + 2..]);
    end.chars().take(room).collect()
}

/// What tells these functions apart: where their names differ, their callers in contexts, or else where they are.
fn details(functions: Vec<&Function>) -> Vec<String> {
    let own = functions
        .iter()
        .map(|function| without_callers(&function.name));
    let own: Vec<&str> = own.collect();
    let bare: Vec<String> = own
        .iter()
        .map(|name| without_paths_in_brackets(name))
        .collect();
    let bare: Vec<&str> = bare.iter().map(String::as_str).collect();
    let distinct = |names: &[&str]| names.iter().collect::<BTreeSet<_>>().len();
    let are_enough = distinct(&bare) == distinct(&own);
    let mut details = differences(if are_enough { &bare } else { &own });
    for same in equal(own.iter()) {
        let callers = same.iter().map(|&at| &functions[at].name[own[at].len()..]);
        let callers: Vec<&str> = callers.collect();
        let files = same.iter().map(|&at| &functions[at].file[..]);
        let files = short_files(files.collect());
        let is_context = distinct(&callers) > 1;
        for (&at, callers) in same.iter().zip(differences(&callers)) {
            let Function { file, object, .. } = functions[at];
            let has_file = files.len() > 1 && !matches!(&file[..], "" | "???");
            let place = if has_file { files[&file[..]] } else { object };
            let more = if is_context { &callers } else { place };
            let room = DETAIL - more.chars().count().min(DETAIL / 2);
            details[at] = elide_end(&details[at], room) + more;
        }
    }
    let details = details.into_iter();
    details.map(|detail| elide_end(&detail, DETAIL)).collect()
}

/// Of each text the part from which on it differs from all others; nothing if all are equal.
fn differences(texts: &[&str]) -> Vec<String> {
    if texts.iter().all(|text| *text == texts[0]) {
        return vec![String::new(); texts.len()];
    }
    let difference = |(text, common): (&&str, usize)| {
        let start = text[..common].rfind(|c| "<([' ,/:".contains(c));
        let is_before = |at: usize| " ,/:".contains(&text[at..=at]);
        let start = start.map_or(0, |at| at + usize::from(is_before(at)));
        let rest = &text[start..];
        // The function's own name is shown already.
        rest.find(">::")
            .map_or(rest, |end| &rest[..=end])
            .to_owned()
    };
    let texts = texts.iter().zip(common_starts(texts));
    texts.map(difference).collect()
}
