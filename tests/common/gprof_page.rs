//! Reads a printed call graph, ours or gprof's.

use std::collections::BTreeMap;

use super::formats::shown;

/// A caller, callee, member or entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Its name without cycle and index.
    pub name: String,
    pub index: usize,
    pub cycle: Option<usize>,
    /// Self cost and children, if there are any.
    pub cost: Option<(f64, f64)>,
    /// The calls left and right of `/` or `+`.
    pub calls: Option<(i64, Option<i64>)>,
}

/// An entry with its callers and callees.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    pub line: Line,
    pub callers: Vec<Line>,
    /// The members of a cycle.
    pub members: Vec<Line>,
    pub callees: Vec<Line>,
    pub is_spontaneous: bool,
}

impl Entry {
    /// The number of the cycle that it is about.
    pub fn cycle_number(&self) -> Option<usize> {
        let name = self.line.name.strip_prefix("<cycle ")?;
        name.strip_suffix(" as a whole>")?.parse().ok()
    }

    /// Whether it is that of a whole cycle.
    pub fn is_cycle(&self) -> bool {
        self.line.name.ends_with("as a whole>")
    }
}

/// A call graph with its index.
#[derive(Debug)]
pub struct CallGraph {
    pub entries: Vec<Entry>,
    /// The names in the index by number; those of functions that are not shown too.
    pub names: BTreeMap<usize, String>,
}

/// Reads all from the heading of the columns to the end of the index.
pub fn read(page: &str) -> CallGraph {
    let (_, rest) = page.split_once("\nindex ").expect("a call graph");
    let (_, rest) = rest.split_once('\n').unwrap();
    let heading = "\u{c}\nIndex by function name\n\n";
    let (graph, index) = rest.split_once(heading).expect("an index");
    let index = index.split('\u{c}').next().unwrap();
    let mut entries = vec![Entry::default()];
    let mut seen = false;
    for text in graph.lines() {
        let entry = entries.last_mut().unwrap();
        if text.starts_with("-----") {
            entries.push(Entry::default());
            seen = false;
        } else if text.starts_with('[') {
            let text = text.split_once(']').unwrap().1.trim_start();
            // The percentage.
            entry.line = line(text.split_once(' ').unwrap().1);
            seen = true;
        } else if text.trim() == "<spontaneous>" {
            entry.is_spontaneous = true;
        } else if seen {
            let line = line(text);
            match entry.cycle_number().is_some() && entry.cycle_number() == line.cycle {
                true => entry.members.push(line),
                false => entry.callees.push(line),
            }
        } else {
            entry.callers.push(line(text));
        }
    }
    entries.pop();
    CallGraph { entries, names: names(index) }
}

/// The cumulative and the self costs of the rows of a flat profile.
pub fn flat(page: &str) -> Vec<[i64; 2]> {
    let rows = page.lines().skip_while(|line| !line.ends_with("  name"));
    let rows = rows.skip(1).map(|row| {
        let words: Vec<&str> = row.split_whitespace().collect();
        [1, 2].map(|at| shown(words[at]).unwrap())
    });
    rows.collect()
}

/// Reads the numbers of a line, and its name.
fn line(text: &str) -> Line {
    let mut numbers = Vec::new();
    let mut rest = text.trim();
    let is_number = |word: &str| {
        let is_of_number = |b: u8| b.is_ascii_digit() || b"-+/,.".contains(&b);
        word.bytes().all(is_of_number) && word.contains(|c: char| c.is_ascii_digit())
    };
    while let Some((word, after)) = rest.split_once(' ').filter(|(word, _)| is_number(word)) {
        numbers.push(word.replace(',', ""));
        rest = after.trim_start();
    }
    let calls = |text: &String| match text.split_once(['+', '/']) {
        Some((left, right)) => (left.parse().unwrap(), Some(right.parse().unwrap())),
        None => (text.parse().unwrap(), None),
    };
    let cost = |a: &String, b: &String| Some((a.parse().unwrap(), b.parse().unwrap()));
    let (cost, calls) = match &numbers[..] {
        [] => (None, None),
        [count] => (None, Some(calls(count))),
        [a, b] => (cost(a, b), None),
        [a, b, count] => (cost(a, b), Some(calls(count))),
        _ => panic!("too many numbers: {text}"),
    };
    let (name, index) = rest.rsplit_once(' ').unwrap();
    let index = index.trim_matches(['[', ']', '(', ')']).parse().unwrap();
    let (name, cycle) = match name.rsplit_once(" <cycle ") {
        Some((before, number)) => (before, number.trim_end_matches('>').parse().ok()),
        None => (name, None),
    };
    Line { name: name.to_owned(), index, cycle, cost, calls }
}

/// Reads the index: numbers in brackets or parentheses, each with a name behind it.
fn names(index: &str) -> BTreeMap<usize, String> {
    let mut names = BTreeMap::new();
    for line in index.lines() {
        let mut last: Option<usize> = None;
        for word in line.split_whitespace() {
            let number = word.trim_matches(|c: char| "[]()".contains(c)).parse();
            match (number, last) {
                (Ok(number), _) if word.starts_with(['[', '(']) => {
                    names.insert(number, String::new());
                    last = Some(number);
                }
                (_, Some(last)) => {
                    let name = names.get_mut(&last).unwrap();
                    if !name.is_empty() {
                        name.push(' ');
                    }
                    name.push_str(word);
                }
                _ => panic!("no number: {line}"),
            }
        }
    }
    names
}
