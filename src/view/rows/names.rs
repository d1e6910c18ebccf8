//! The names of rows in a report: full names, or short ones that are easier to read.

use std::borrow::Cow;
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use hashbrown::{HashMap, HashSet};
use memchr::memmem;

use crate::demangle::is_unmangled;
use crate::profile::{Fragment, FunctionId, NameId, NameKind, Ordered};
use crate::source::basename;
use crate::view::filter::{Rule, Subject};
use crate::view::label::{Label, RowId};
use crate::view::pattern::Pattern;
use crate::view::row_by::RowBy;
use crate::view::rows::Rows;
use crate::view::short_name::{short_file, short_function, with_arguments};

/// The names of rows in one report.
#[derive(Default)]
pub struct RowNames<'p> {
    pub is_short: bool,
    options: NameOptions,
    /// The labels of listed rows, and of those in trees whose short name is not their own.
    known: HashMap<RowId, Label<'p>>,
}

/// What short names depend on, beside the rows.
#[derive(Clone, Copy, Default)]
pub struct NameOptions {
    /// Whether names that are equal in different files are different.
    pub with_files: bool,
    /// Whether full names keep the folders of objects, because a list in columns shortens those
    /// itself.
    pub keeps_objects: bool,
    /// Whether other rows than those of the list are shown, too.
    pub has_trees: bool,
}

/// The parts of a short name that are compared: file, name, and line or cycle number.
type NameKey = (Vec<u8>, Vec<u8>, u32);

impl<'p> RowNames<'p> {
    /// Short names, but full ones for listed items whose short names are equal.
    pub fn short(items: &[RowId], rows: &Rows<'p>, options: NameOptions) -> RowNames<'p> {
        let mut names = RowNames { is_short: true, options, ..RowNames::default() };
        let mut labels = names.labels(items, rows);
        names.distinguish_from_others(&mut labels, items, rows);
        let listed: HashMap<RowId, Label<'p>> = items.iter().copied().zip(labels).collect();
        if options.has_trees {
            let others: Vec<RowId> = rows.all().filter(|row| !listed.contains_key(row)).collect();
            let short: Vec<Label<'p>> = others.iter().map(|&row| names.label(row, rows)).collect();
            let mut distinct = short.clone();
            names.distinguish_from_others(&mut distinct, &others, rows);
            let of_others = others.into_iter().zip(short).zip(distinct);
            names.known = of_others
                .filter(|((_, short), distinct)| short.name != distinct.name)
                .map(|((row, _), distinct)| (row, distinct))
                .collect();
        }
        names.known.extend(listed);
        names
    }

    /// Gives functions whose short name is also that of a function that is not listed the shortest
    /// name that only they have.
    fn distinguish_from_others(&self, labels: &mut [Label<'p>], items: &[RowId], rows: &Rows<'p>) {
        if !matches!(rows.row_by, RowBy::Function | RowBy::FileFunction) {
            return;
        }
        let kind = rows.profile.name_kind();
        let full: Vec<Cow<'p, [u8]>> = items
            .iter()
            .map(|&item| if rows.is_row(item) { rows.display_name(item) } else { b"".into() })
            .collect();
        let is_shortened = |at: &usize| full[*at] != labels[*at].name;
        let shortened: Vec<usize> = (0..items.len()).filter(is_shortened).collect();
        let mut others: HashMap<NameKey, SameShort<'p>> =
            shortened.iter().map(|&at| (self.key(&labels[at]), SameShort::default())).collect();
        let short = shortened.iter().map(|&at| &labels[at].name[..]);
        let is_candidate = candidates(short, rows, WordMatch::Whole);
        // The rows of BASE's names that are paired with others have no code.
        let mut seen: HashSet<RowId> = HashSet::new();
        let with_code = rows.profile.fragments_with_ids().map(|(id, _)| rows.of_fragment(id));
        for row in with_code.filter(|&row| is_candidate[rows.name_id(row).index()]) {
            if !seen.insert(row) {
                continue;
            }
            let label = short_label(rows.full_label_of(row), rows.row_by, kind);
            if let Some(names) = others.get_mut(&self.key(&label)) {
                names.add(rows.display_name(row), kind);
            }
        }
        for at in shortened {
            if let Some(names) =
                others.get(&self.key(&labels[at])).filter(|of| of.has_others(&full[at]))
            {
                labels[at].name = names.distinct(full[at].clone(), kind);
            }
        }
    }

    pub fn label(&self, item: RowId, rows: &Rows<'p>) -> Label<'p> {
        if !self.is_short {
            return rows.full_label_of(item);
        }
        let known = self.known.get(&item).cloned();
        known.unwrap_or_else(|| {
            short_label(rows.full_label_of(item), rows.row_by, rows.profile.name_kind())
        })
    }

    pub(super) fn labels(&self, items: &[RowId], rows: &Rows<'p>) -> Vec<Label<'p>> {
        let mut labels: Vec<Label<'p>> = items.iter().map(|&item| self.label(item, rows)).collect();
        if !self.is_short {
            return labels;
        }
        let mut of_key: HashMap<NameKey, RowId> = HashMap::new();
        let mut equal: HashSet<NameKey> = HashSet::new();
        for (&item, label) in items.iter().zip(&labels) {
            let key = self.key(label);
            let first = *of_key.entry(key.clone()).or_insert(item);
            // Equal full names, of functions of two objects, would not differ either.
            if first != item && (self.options.with_files || rows.cmp_items(first, item).is_ne()) {
                equal.insert(key);
            }
        }
        for (&item, label) in items.iter().zip(&mut labels) {
            if !equal.is_empty() && equal.contains(&self.key(label)) {
                *label = self.with_short_object(rows.full_label_of(item));
            }
        }
        labels
    }

    /// A full label, for an item whose short name is ambiguous.
    fn with_short_object<'l>(&self, mut label: Label<'l>) -> Label<'l> {
        if !self.options.keeps_objects {
            label.object = label.object.map(basename);
        }
        label
    }

    fn key(&self, label: &Label<'_>) -> NameKey {
        let has_file = self.options.with_files || label.line.is_some();
        let file = label.file.filter(|_| has_file).unwrap_or_default();
        let number = label.line.or(label.whole_cycle());
        (file.to_vec(), label.name.to_vec(), number.unwrap_or(0))
    }
}

/// The full names of which the short one is the same.
#[derive(Default)]
struct SameShort<'p> {
    all: HashSet<Cow<'p, [u8]>>,
    /// By name with template arguments how many of them have it.
    with_arguments: HashMap<Vec<u8>, usize>,
}

impl<'p> SameShort<'p> {
    fn add(&mut self, full: Cow<'p, [u8]>, kind: NameKind) {
        if !self.all.contains(&full) {
            *self.with_arguments.entry(with_arguments(&full, kind)).or_default() += 1;
            self.all.insert(full);
        }
    }

    fn has_others(&self, full: &[u8]) -> bool {
        self.all.len() > usize::from(self.all.contains(full))
    }

    /// The shortest name that only this full name has.
    fn distinct(&self, full: Cow<'p, [u8]>, kind: NameKind) -> Cow<'p, [u8]> {
        let bare = with_arguments(&full, kind);
        let same = self.with_arguments.get(&bare).copied().unwrap_or(0);
        let is_alone = same == usize::from(self.all.contains(&full));
        if is_alone { bare.into() } else { full }
    }
}

impl Rows<'_> {
    /// The shortest name that as a pattern matches the function of a row and no others; none if
    /// there is no such name.
    pub fn pattern_of(&self, row: RowId) -> Option<Vec<u8>> {
        let (profile, kind) = (self.profile, self.profile.name_kind());
        let full = self.display_name(row);
        let short = short_function(&full, kind).into_owned();
        // A pattern may have signs that match a part of a word.
        let is_candidate = candidates(std::iter::once(&short[..]), self, WordMatch::Anywhere);
        let may_match =
            |fragment: &&Fragment| is_candidate[profile.function(fragment.function).name.index()];
        let recorded = |function: FunctionId| profile.name(profile.function(function).name);
        let of_row: HashSet<FunctionId> = profile
            .fragments_with_ids()
            .filter(|&(id, _)| self.of_fragment(id) == row)
            .map(|(_, fragment)| fragment.function)
            .collect();
        let symbols: HashSet<&[u8]> = of_row.iter().map(|&function| recorded(function)).collect();
        let bare: HashSet<&[u8]> =
            symbols.iter().map(|symbol| kind.without_suffixes(symbol)).collect();
        // Levels of recursion and contexts of a function are the same function. Most are known by
        // their recorded names, which need not be demangled.
        let is_same = |function: FunctionId| {
            let (other, symbol) = (self.of_function(function), recorded(function));
            let is_level = || {
                let name = self.display_name(other);
                name != full && kind.without_suffixes(&name) == kind.without_suffixes(&full)
            };
            let is_level_of_symbol =
                || !symbols.contains(symbol) && bare.contains(kind.without_suffixes(symbol));
            of_row.contains(&function)
                || (self.file(other), self.object(other)) == (self.file(row), self.object(row))
                    && (is_level_of_symbol() || is_level())
        };
        let (same, others): (Vec<Fragment>, Vec<Fragment>) =
            profile.fragments().iter().filter(may_match).partition(|of| is_same(of.function));
        let matches_row_alone = |name: &Vec<u8>| {
            let pattern = str::from_utf8(name).ok().and_then(|name| Pattern::parse(name).ok());
            pattern.is_some_and(|pattern| {
                let rule = Rule::of("function", pattern);
                let is_match = |of: &Fragment| rule.matches(&Subject::of_fragment(profile, *of));
                same.iter().any(is_match) && !others.iter().any(is_match)
            })
        };
        let with_arguments = with_arguments(&full, kind);
        [short, with_arguments, full.to_vec()].into_iter().find(matches_row_alone)
    }
}

/// The number of words from which on a search for all of them takes longer than it saves.
const MAX_SEARCHED: usize = 1000;

/// The same of the words before one of them, which are searched one after the other.
const MAX_SEARCHED_BEFORE: usize = 20;

/// Where a word is found in a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WordMatch {
    /// With nothing of another word before and after it.
    Whole,
    Anywhere,
}

/// By name of the profile, whether one of these short names may be its short form. Most names are
/// told apart by a search for two words of each short name, which takes much less time than
/// shortening them. The names of callers in contexts are no part of it.
fn candidates<'n>(
    short: impl Iterator<Item = &'n [u8]>,
    rows: &Rows<'_>,
    at: WordMatch,
) -> Vec<bool> {
    let kind = rows.profile.name_kind();
    // By the word of the last component the words of the components before it.
    let mut words: Ordered<&[u8], HashSet<&[u8]>> = Ordered::default();
    for name in short {
        let (own, before) = words_of(kind.without_suffixes(name));
        words.entry(own).or_default().insert(before);
    }
    let names = rows.profile.names().len();
    if words.is_empty() || words.len() > MAX_SEARCHED {
        return vec![!words.is_empty(); names];
    }
    // Of words that begin at the same place the longest one is found, so that no whole word is
    // missed. Few words are found by vector instructions; what the searcher needs for more of them
    // takes little time to build.
    let mut searcher = AhoCorasick::builder();
    searcher.match_kind(MatchKind::LeftmostLongest).kind(Some(AhoCorasickKind::ContiguousNFA));
    // Without a searcher, which takes very long names to fail, all names are candidates.
    let Ok(searcher) = searcher.build(words.keys()) else {
        return vec![true; names];
    };
    // Every name contains the word without a letter.
    let finders = words.values().map(|before| match before.len() {
        0..=MAX_SEARCHED_BEFORE => before.iter().map(|&word| memmem::Finder::new(word)).collect(),
        _ => vec![memmem::Finder::new(b"")],
    });
    let before: Vec<Vec<memmem::Finder<'_>>> = finders.collect();
    let own_name = |id: NameId| match kind {
        NameKind::Symbol => rows.profile.own_name(id),
        NameKind::Other => rows.profile.name(id),
    };
    // In a mangled name the length of a word is before it, so that no word is whole.
    let has_word = |name: &[u8]| {
        let is_word = |found: Range<usize>| {
            let beside = [name[..found.start].last(), name.get(found.end)];
            !beside.into_iter().flatten().any(is_of_word)
        };
        if at == WordMatch::Whole && is_unmangled(name) {
            searcher.find_iter(name).any(|found| {
                let before = &before[found.pattern().as_usize()];
                is_word(found.range()) && before.iter().any(|word| word.find(name).is_some())
            })
        } else {
            searcher.is_match(name)
        }
    };
    (0..names as u32).map(|id| has_word(own_name(NameId(id)))).collect()
}

/// The longest word of the last component of a name, which the name in a program's symbols has,
/// too, and that of the components before it, which such a name may refer to by a number. Symbols
/// spell closures, lambdas and operators otherwise: they are no last components.
fn words_of(name: &[u8]) -> (&[u8], &[u8]) {
    let spelled_otherwise = [&b"{"[..], b"operator"];
    let starts = spelled_otherwise.iter().filter_map(|of| memmem::find(name, of));
    let before = &name[..starts.min().unwrap_or(name.len())];
    let path = before.strip_suffix(b"::").unwrap_or(before);
    let last = memmem::rfind(path, b"::").map_or(0, |at| at + b"::".len());
    (longest_word(&path[last..]), longest_word(&path[..last]))
}

fn longest_word(text: &[u8]) -> &[u8] {
    let words = text.split(|byte| !is_of_word(byte));
    words.max_by_key(|word| word.len()).unwrap_or_default()
}

fn is_of_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

fn short_label(mut label: Label<'_>, row_by: RowBy, kind: NameKind) -> Label<'_> {
    label.name = match label.group {
        Some(_) => short_group(&label.name, row_by, kind).into_owned().into(),
        None => short_function(&label.name, kind).into_owned().into(),
    };
    label.file = label.file.map(short_file);
    label.object = label.object.map(basename);
    label
}

fn short_group(name: &[u8], row_by: RowBy, kind: NameKind) -> Cow<'_, [u8]> {
    match row_by {
        RowBy::File => short_file(name).into(),
        RowBy::Object => basename(name).into(),
        RowBy::Name => short_function(name, kind),
        _ => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_symbols_have_too() {
        let table = [
            ("main", "main", ""),
            ("a::work", "work", "a"),
            ("a::do_all::f", "f", "do_all"),
            ("<Tokens as Iterator>::next", "next", "Iterator"),
            ("a::work::{closure#0}", "work", "a"),
            ("a::work::{{closure}}::{{closure}}", "work", "a"),
            ("A::operator()", "A", ""),
            ("A::operator new", "A", ""),
            ("my_operator::f", "my_", ""),
            ("operator new", "", ""),
            ("~A", "A", ""),
            ("", "", ""),
        ];
        for (name, own, before) in table {
            let words = (own.as_bytes(), before.as_bytes());
            assert_eq!(words_of(name.as_bytes()), words, "{name}");
        }
    }
}
