//! A small reader of profiles of its own.

use std::collections::{BTreeMap, HashMap};

/// The counts of what a key names. Names are those that the file gives, in full.
pub type Sums = BTreeMap<String, Vec<i64>>;

/// Reads a profile: a straightforward reading of the format as callgrind writes it.
#[derive(Default)]
struct Reader {
    names: HashMap<(String, String), String>,
    current: HashMap<String, String>,
    last: [i64; 2],
    has: [bool; 2],
    is_callgrind: bool,
    /// What the next cost line is, if it is not a self cost.
    next: Option<(String, Vec<i64>)>,
    sums: Sums,
}

impl Reader {
    fn name(&mut self, kind: &str, value: &str) -> String {
        let id = value
            .strip_prefix('(')
            .and_then(|rest| rest.split_once(')'));
        let Some((id, name)) = id.filter(|(id, _)| id.parse::<u64>().is_ok()) else {
            return value.to_owned();
        };
        let key = (kind.to_owned(), id.to_owned());
        if !name.is_empty() {
            self.names.insert(key.clone(), name.trim_start().to_owned());
        }
        self.names[&key].clone()
    }

    fn set(&mut self, key: &str, kind: &str, value: &str) {
        let name = self.name(kind, value);
        self.current.insert(key.to_owned(), name);
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
        let pairs = sum.iter_mut().zip(counts);
        pairs.for_each(|(sum, count)| *sum += count);
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
            "ob" | "cob" => self.set(key, "ob", value),
            "cfi" | "cfl" => self.set("cfi", "fl", value),
            "fi" | "fe" => self.set("fi", "fl", value),
            "jfi" => self.set("jfi", "fl", value),
            "cfn" => self.set("cfn", "fn", value),
            "fl" => {
                self.set("fl", "fl", value);
                self.set("fi", "fl", value);
            }
            "fn" => {
                self.set("fn", "fn", value);
                self.current.insert("fi".to_owned(), self.get("fl"));
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
                let counts = words.next().unwrap().split('/');
                let counts = counts.map(|count| count.parse().unwrap()).collect();
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
        let names = ["ob", "fl", "fn", "fi"].map(|key| self.get(key));
        let place = format!("{} {at:?}", names.join(" "));
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
    let text = String::from_utf8_lossy(text);
    text.lines().for_each(|line| reader.line(line));
    reader.sums
}

/// Whether a key is that of self costs.
pub fn is_self_cost(key: &str) -> bool {
    let others = [" calls ", " jump ", " jcnd "];
    !others.iter().any(|kind| key.contains(kind))
}
