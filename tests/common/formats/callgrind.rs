//! A small reader of profiles of its own.

use std::collections::{BTreeMap, HashMap};

/// The counts of what a key names. Names are those that the file gives, in full.
pub type Sums = BTreeMap<String, Vec<i64>>;

/// Reads a profile: a straightforward reading of the format as callgrind writes it.
#[derive(Default)]
struct Reader {
    names: HashMap<(String, String), String>,
    current: HashMap<&'static str, String>,
    last: [i64; 2],
    has: [bool; 2],
    is_callgrind: bool,
    /// What the next cost line is, if it is not a self cost.
    next: Option<(String, Vec<i64>)>,
    sums: Sums,
}

impl Reader {
    fn name(&mut self, kind: &str, value: &str) -> String {
        let Some((id, name)) = value
            .strip_prefix('(')
            .and_then(|rest| rest.split_once(')'))
        else {
            return value.to_owned();
        };
        let Ok(_) = id.parse::<u64>() else {
            return value.to_owned();
        };
        let key = (kind.to_owned(), id.to_owned());
        if !name.is_empty() {
            self.names.insert(key.clone(), name.trim_start().to_owned());
        }
        self.names[&key].clone()
    }

    fn get(&self, key: &str) -> String {
        self.current.get(key).cloned().unwrap_or_default()
    }

    /// The positions at the start of some words.
    fn positions(&self, words: &mut dyn Iterator<Item = &str>) -> [i64; 2] {
        let mut at = [0, 0];
        for (kind, at) in at.iter_mut().enumerate() {
            if self.has[kind] {
                let word = words.next().unwrap();
                *at = match word.as_bytes()[0] {
                    b'*' => self.last[kind],
                    b'+' => self.last[kind] + word[1..].parse::<i64>().unwrap(),
                    b'-' => self.last[kind] - word[1..].parse::<i64>().unwrap(),
                    _ => match word.strip_prefix("0x") {
                        Some(hex) => i64::from_str_radix(hex, 16).unwrap(),
                        None => word.parse().unwrap(),
                    },
                };
            }
        }
        at
    }

    fn add(&mut self, key: String, counts: &[i64]) {
        let sum = self.sums.entry(key).or_default();
        sum.resize(sum.len().max(counts.len()), 0);
        sum.iter_mut()
            .zip(counts)
            .for_each(|(sum, count)| *sum += count);
    }

    fn line(&mut self, line: &str) {
        if let Some(value) = line.strip_prefix("positions:") {
            self.has = [value.contains("instr"), value.contains("line")];
        } else if let Some(value) = line.strip_prefix("creator:") {
            self.is_callgrind = value.contains("callgrind-");
        } else if let Some((key, value)) = line.split_once('=') {
            self.key(key, value);
        } else if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
            self.cost(line);
        }
    }

    fn key(&mut self, key: &str, value: &str) {
        match key {
            "ob" | "cob" => {
                let name = self.name("ob", value);
                self.current
                    .insert(if key == "ob" { "ob" } else { "cob" }, name);
            }
            "fl" | "fi" | "fe" | "cfi" | "cfl" | "jfi" => {
                let name = self.name("fl", value);
                let kind = match key {
                    "fl" => "fl",
                    "fi" | "fe" => "fi",
                    "jfi" => "jfi",
                    _ => "cfi",
                };
                if kind == "fl" {
                    self.current.insert("fi", name.clone());
                }
                self.current.insert(kind, name);
            }
            "fn" | "cfn" => {
                let name = self.name("fn", value);
                self.current
                    .insert(if key == "fn" { "fn" } else { "cfn" }, name);
                if key == "fn" {
                    self.current.insert("fi", self.get("fl"));
                }
            }
            "calls" => {
                let mut words = value.split_whitespace();
                let count = words.next().unwrap().parse().unwrap();
                let to = self.positions(&mut words);
                let object = self.current.remove("cob").unwrap_or_else(|| self.get("ob"));
                let file = self.current.remove("cfi").unwrap_or_else(|| self.get("fi"));
                let callee = format!("calls {object} {file} {} {to:?}", self.get("cfn"));
                self.next = Some((callee, vec![count]));
            }
            "jump" | "jcnd" => {
                let mut words = value.split_whitespace();
                let counts = words
                    .next()
                    .unwrap()
                    .split('/')
                    .map(|count| count.parse().unwrap());
                let counts = counts.collect();
                let to = self.positions(&mut words);
                let file = self.current.remove("jfi").unwrap_or_else(|| self.get("fi"));
                self.next = Some((format!("{key} {file} {to:?}"), counts));
            }
            _ => {}
        }
    }

    fn cost(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        let at = self.positions(&mut words);
        let counts: Vec<i64> = words.map(|count| count.parse().unwrap()).collect();
        let place = format!(
            "{} {} {} {} {at:?}",
            self.get("ob"),
            self.get("fl"),
            self.get("fn"),
            self.get("fi")
        );
        match self.next.take() {
            Some((what, mut numbers)) => {
                numbers.extend(counts);
                self.add(format!("{place} {what}"), &numbers);
                if !self.is_callgrind {
                    self.last = at;
                }
            }
            None => {
                self.last = at;
                self.add(place, &counts);
            }
        }
    }
}

/// The sums of a profile: of self costs, and of calls and jumps, whose keys go on with `calls`, `jump` or `jcnd`.
pub fn sums(text: &[u8]) -> Sums {
    let mut reader = Reader::default();
    String::from_utf8_lossy(text)
        .lines()
        .for_each(|line| reader.line(line));
    reader.sums
}

/// Whether a key is that of self costs.
pub fn is_self_cost(key: &str) -> bool {
    ![" calls ", " jump ", " jcnd "]
        .iter()
        .any(|kind| key.contains(kind))
}
