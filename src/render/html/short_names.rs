//! Short names for those that the page's script defines. A name is short wherever it is used, so
//! that scopes do not matter: none may be that of something else in a browser. A name that is that
//! of a property, too, keeps its letters: nothing tells both apart where values come from data. But
//! `isNested` and `areApart` are the page's own properties, too, as members of the data have words
//! with `_` between them.

use std::collections::{HashMap, HashSet};

/// The words of a script, as they are written.
#[derive(Default)]
pub(super) struct Words<'a> {
    /// All words, with whether one is a property, and so may be a member of the data.
    known: HashMap<&'a str, bool>,
    /// The places in the written script of words that may be names.
    places: Vec<(usize, &'a str)>,
    /// The names that are defined, in their order.
    defined: Vec<&'a str>,
}

impl<'a> Words<'a> {
    /// Adds a word that is written at this place.
    pub(super) fn add(&mut self, word: &'a str, place: usize, may_be_property: bool) {
        let is_own = is_own_property(word);
        if is_own {
            self.defined.push(word);
        }
        let is_property = may_be_property && !is_own;
        *self.known.entry(word).or_default() |= is_property;
        if word.len() > SHORT && !is_property {
            self.places.push((place, word));
        }
    }

    /// Moves the last word that may be a name to this place, unless it is before it.
    pub(super) fn move_last(&mut self, place: usize) {
        if let Some((last, _)) = self.places.last_mut().filter(|(last, _)| *last > place) {
            *last = place;
        }
    }

    pub(super) fn define(&mut self, name: &'a str) {
        self.defined.push(name);
    }

    /// The script with short names.
    pub(super) fn shorten(&self, script: &str) -> String {
        let is_long = |name: &&&str| name.len() > SHORT && self.known.get(**name) == Some(&false);
        let names: HashSet<&str> = self.defined.iter().filter(is_long).copied().collect();
        let mut others = short_names().filter(|name| !self.known.contains_key(&name[..]));
        let mut short: HashMap<&str, String> = HashMap::new();
        let mut shortened = String::with_capacity(script.len());
        let mut copied = 0;
        for &(place, word) in self.places.iter().filter(|(_, word)| names.contains(word)) {
            shortened += &script[copied..place];
            let name = short.entry(word);
            shortened += name.or_insert_with(|| others.next().unwrap_or_else(|| word.to_owned()));
            copied = place + word.len();
        }
        shortened + &script[copied..]
    }
}

/// What begins as the page's own properties do and is a browser's.
const OF_BROWSERS: [&str; 6] =
    ["isArray", "isConnected", "isFinite", "isInteger", "isNaN", "isSafeInteger"];

/// Whether a word is the page's own also where it is a property: `isNested`, `areApart`.
fn is_own_property(word: &str) -> bool {
    let rest = word.strip_prefix("is").or_else(|| word.strip_prefix("are"));
    let begins = rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    begins && !OF_BROWSERS.contains(&word)
}

/// The length of short names.
const SHORT: usize = 2;

/// Names of two letters, the first a capital, as no word of the language is.
fn short_names() -> impl Iterator<Item = String> {
    ('A'..='Z').flat_map(|first| {
        ('a'..='z').chain('A'..='Z').chain('0'..='9').map(move |second| format!("{first}{second}"))
    })
}
