//! Fits names and places into a list for a terminal: shortens them from inside, and keeps different
//! ones different.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::profile::NameKind;
use crate::render::Style;
use crate::render::shorten::{
    self, common_starts, elide_end, elide_folders, elide_middle, elide_window, own_name,
    shorten_distinct, shorten_name, width,
};
use crate::view::{RowId, basename, short_function, without_parameters};

/// The number of spaces between columns.
pub(super) const GAP: usize = 2;

/// What is printed in place of a name that the profile does not know.
pub(super) const UNKNOWN: &str = "(unknown)";

/// The name of a line, and its place.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Named {
    pub(super) name: String,
    /// The row. Different rows may have equal names and places: instances in Rust's legacy
    /// mangling.
    pub(super) row: Option<RowId>,
    /// The functions after it in a chain of single callers or callees, and their separator.
    pub(super) chain: Vec<String>,
    pub(super) between: String,
    /// Whether the name is a path, whose end is the most informative part.
    pub(super) is_path: bool,
    /// The text after the name, which is never shortened.
    pub(super) suffix: String,
    /// The source file, its path in the normal form; empty if unknown.
    pub(super) file: String,
    /// The path of the source file as the profile has it.
    pub(super) recorded_file: String,
    /// The object, unless it is the program itself.
    pub(super) object: String,
    /// The line number, if the name is file and line.
    pub(super) line: Option<u32>,
    /// A text that replaces file and object.
    pub(super) text: String,
    /// The full form of that text.
    pub(super) full_text: String,
}

impl Named {
    fn chained(&self, text: impl Fn(&str) -> String) -> Vec<String> {
        let names = [&self.name].into_iter().chain(&self.chain);
        names.map(|name| text(name)).collect()
    }

    /// Whether it has to differ from others, unlike a source line and what has no name.
    fn is_row(&self) -> bool {
        let is_line = !self.text.is_empty() && self.full_text.is_empty();
        let has_name = !self.name.is_empty() && !is_line;
        self.name != UNKNOWN && (has_name || self.line.is_some() || self.is_path)
    }

    /// The row without its chain.
    fn of_row(&self) -> Named {
        Named { chain: Vec::new(), between: String::new(), ..self.clone() }
    }

    /// The chain after the row; none if there is none.
    fn rest(&self) -> Option<Named> {
        let (first, others) = self.chain.split_first()?;
        let between = self.between.clone();
        Some(Named { chain: others.to_vec(), between, ..Named::plain(first.clone()) })
    }

    /// A text without a place.
    pub(super) fn plain(name: String) -> Named {
        Named { name, ..Named::default() }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Places {
    /// Full paths of files and objects.
    Exact,
    /// Files, as short as they stay different, and objects.
    Full,
    Files,
    Basenames,
    Objects,
    None,
}

/// The width of names from which places are more important: a list of 80 columns has both if counts
/// have 9 digits.
pub(super) const ENOUGH_FOR_NAMES: usize = 34;
/// The preferred and minimum widths; beyond the preferred ones, other columns are more important.
const PREFERRED_NAME: usize = 36;
pub(super) const PREFERRED_CHAIN: usize = 72;
pub(super) const MIN_NAME_WIDTH: usize = 16;
pub(super) const PREFERRED_PLACE: usize = 16;

const MAX_PLACE_WIDTH: usize = 32;

/// The names of all lines, each with its start column.
pub(super) struct ScreenNames<'l> {
    /// The names to use for full names whose short names are equal.
    distinct: HashMap<&'l str, &'l str>,
    lines: Vec<(usize, &'l Named)>,
    kind: NameKind,
    /// The files, as short as they stay different.
    files: HashMap<&'l str, &'l str>,
    /// The width of the widest name that is followed by a place.
    pub(super) widest: usize,
    /// Whether names are source lines, whose place is their text.
    has_lines: bool,
}

/// Different rows with the same text, and the lines of each.
type EqualRows = BTreeMap<Named, Vec<usize>>;

fn names_of(different: &EqualRows) -> BTreeSet<&str> {
    different.keys().map(|named| &named.name[..]).collect()
}

pub(super) struct NameTexts {
    /// The width of the column of names.
    pub(super) width: usize,
    /// Name and place of each line.
    pub(super) texts: Vec<(String, String)>,
}

impl<'l> ScreenNames<'l> {
    pub(super) fn has_chains(&self) -> bool {
        self.lines.iter().any(|(_, named)| !named.chain.is_empty())
    }

    /// Whether the text of source lines is more important than other events, as none is requested.
    pub(super) fn are_before_events(&self, style: Style<'_>) -> bool {
        self.has_lines && !style.has_requested_events()
    }

    /// With `are_short`, names whose short forms are equal are full names.
    pub(super) fn new(
        lines: impl Iterator<Item = (usize, &'l Named)>,
        are_short: bool,
        kind: NameKind,
    ) -> ScreenNames<'l> {
        let lines: Vec<_> = lines.collect();
        let named_files = lines.iter().map(|(_, named)| &named.file[..]);
        let files = short_files(named_files.filter(|file| !file.is_empty()).collect());
        let has_lines = lines.iter().any(|(_, named)| named.line.is_some());
        let mut names =
            ScreenNames { distinct: HashMap::new(), lines, kind, files, widest: 0, has_lines };
        if are_short {
            names.find_ambiguous();
        }
        // A name without a place may be wider, unless no name has a place.
        let have_places = names.lines.iter().any(|(_, named)| names.has_place(named));
        let widths = names
            .lines
            .iter()
            .filter(|(_, named)| !have_places || names.has_place(named))
            .map(|(start, named)| start + width(&names.name(named)));
        names.widest = widths.max().unwrap_or(0);
        names
    }

    /// Finds the full names whose short forms are equal: they rarely differ in parameters, which
    /// are then left out.
    fn find_ambiguous(&mut self) {
        let mut alike: HashMap<Vec<u8>, BTreeSet<&'l str>> = HashMap::new();
        for (_, Named { name, .. }) in &self.lines {
            let short = short_function(name.as_bytes(), self.kind);
            alike.entry(short.into_owned()).or_default().insert(name);
        }
        for names in alike.into_values().filter(|names| names.len() > 1) {
            let bare = names.iter().map(|name| without_parameters(name, self.kind));
            if bare.clone().collect::<BTreeSet<_>>().len() == names.len() {
                self.distinct.extend(names.iter().copied().zip(bare));
            }
        }
    }

    /// The width of the column of places, with its heading; 0 without places.
    pub(super) fn widest_place(&self, places: Places) -> usize {
        let widths = self.lines.iter().map(|(_, named)| width(&self.place(named, places)));
        match widths.max() {
            None | Some(0) => 0,
            Some(widest) => widest.clamp("where".len(), MAX_PLACE_WIDTH),
        }
    }

    fn has_place(&self, named: &Named) -> bool {
        !named.text.is_empty() || !self.place(named, Places::Full).is_empty()
    }

    fn name(&self, named: &Named) -> String {
        match named.line {
            Some(line) => format!("{}:{line}", self.file(named)),
            None if named.chain.is_empty() => [self.text(named), &named.suffix].concat(),
            None => named.chained(str::to_owned).join(&named.between),
        }
    }

    fn text<'n>(&'n self, named: &'n Named) -> &'n str {
        self.distinct.get(&named.name[..]).copied().unwrap_or(&named.name)
    }

    fn file<'n>(&'n self, named: &'n Named) -> &'n str {
        let file = &named.file[..];
        self.files.get(file).copied().unwrap_or(file)
    }

    fn place(&self, named: &Named, places: Places) -> String {
        let object = match (places, &named.object[..]) {
            (_, "") => String::new(),
            (Places::Exact, object) => format!("[{object}]"),
            (_, object) => format!("[{}]", text_of_basename(object)),
        };
        let (file, short) = (&named.file[..], self.file(named));
        match places {
            Places::None => String::new(),
            Places::Exact if !named.full_text.is_empty() => named.full_text.clone(),
            _ if !named.text.is_empty() || named.line.is_some() => named.text.clone(),
            Places::Exact => joined(&named.recorded_file, &object),
            Places::Full => joined(short, &object),
            Places::Objects => object,
            // A function that is known by its object alone has no other place.
            Places::Files if file.is_empty() => object,
            Places::Files => short.to_owned(),
            Places::Basenames => match text_of_basename(file) {
                "" => object,
                file => file.to_owned(),
            },
        }
    }

    /// The texts in this room for names and places together. The column of names is at least as
    /// wide as its `title`.
    pub(super) fn within(&self, room: Option<usize>, places: Places, title: &str) -> NameTexts {
        let place = self.widest_place(places);
        let names = room.map_or(self.widest, |room| {
            let beside = |place: usize| match place {
                0 => room,
                place => room.saturating_sub(place + GAP),
            };
            let min_width = beside(place.min(PREFERRED_PLACE)).min(PREFERRED_NAME);
            self.widest.min(beside(place).max(min_width))
        });
        let name = |&(start, named): &(usize, &'l Named)| {
            // A text without a place may use the room of both.
            let room = if self.place(named, places).is_empty() {
                room
            } else {
                Some(names).filter(|_| room.is_some())
            };
            self.fit(named, room.map(|room| room.saturating_sub(start)))
        };
        let fitted: Vec<String> = self.lines.iter().map(name).collect();
        let widest = |names: &mut dyn Iterator<Item = &String>| {
            let lines =
                self.lines.iter().zip(names).filter(|((_, named), _)| self.has_place(named));
            let widths = lines.map(|((start, _), name)| start + width(name));
            widths.max().unwrap_or(0).max(width(title))
        };
        let names = widest(&mut fitted.iter());
        let place_room = room.map(|room| room.saturating_sub(names + GAP));
        let place = |(_, named): &(usize, &'l Named)| self.fit_place(named, places, place_room);
        let places_fitted = self.lines.iter().map(place);
        let mut texts =
            NameTexts { width: names, texts: fitted.into_iter().zip(places_fitted).collect() };
        let places_width = texts.texts.iter().map(|(_, place)| width(place)).max();
        let beside = match places_width.unwrap_or(0) {
            0 => 0,
            place => place + GAP,
        };
        // The distinguishing parts of names may use the room that places leave.
        let name_room = room.map(|room| names.max(room.saturating_sub(beside)));
        let alike = self.alike(&texts);
        if let Some(room) = name_room {
            for different in &alike {
                self.distinguish_names(&mut texts, different, room);
            }
        }
        texts.width = widest(&mut texts.texts.iter().map(|(name, _)| name)).max(names);
        let place_room = room.map(|room| room.saturating_sub(texts.width + GAP));
        for different in alike.iter().filter(|different| names_of(different).len() == 1) {
            match places {
                Places::None => self.add_places(&mut texts, different, name_room),
                _ => self.distinguish_places(&mut texts, different, place_room),
            }
        }
        self.number_equal(&mut texts, name_room);
        texts
    }

    fn fit(&self, named: &Named, room: Option<usize>) -> String {
        let Some(room) = room else {
            return self.name(named);
        };
        match named.line {
            Some(_) => {
                let name = elide_folders(&self.name(named), room);
                elide_middle(&name, room.max(MIN_NAME_WIDTH))
            }
            None if !named.chain.is_empty() => fit_chain(named, room, self.kind),
            None if named.is_path => elide_middle(&elide_folders(self.text(named), room), room),
            None => {
                let left = room.saturating_sub(width(&named.suffix));
                shorten_name(self.text(named), left, self.kind) + &named.suffix
            }
        }
    }

    fn fit_place(&self, named: &Named, places: Places, room: Option<usize>) -> String {
        let place = self.place(named, places);
        let Some(room) = room.filter(|room| width(&place) > *room) else {
            return place;
        };
        if !named.text.is_empty() {
            return elide_end(&place, room);
        }
        let shorter = [Places::Files, Places::Basenames].map(|places| self.place(named, places));
        // The version of a library is left out first.
        let library = shorter[1]
            .split_once(".so.")
            .map(|(library, _)| format!("{library}.so]"))
            .filter(|library| library.starts_with('['));
        let file = with_folders(&shorter[0], room);
        let fitting = shorter[..1]
            .iter()
            .chain(&file)
            .chain(&shorter[1..])
            .chain(&library)
            .find(|place| width(place) <= room);
        elide_middle(fitting.unwrap_or(&shorter[1]), room)
    }

    /// The different rows with the same text, each with its lines.
    fn alike(&self, texts: &NameTexts) -> Vec<EqualRows> {
        let mut alike: HashMap<&(String, String), EqualRows> = HashMap::new();
        for (at, (&(_, named), text)) in self.lines.iter().zip(&texts.texts).enumerate() {
            if named.is_row() {
                let of_text = alike.entry(text).or_default();
                of_text.entry(named.of_row()).or_default().push(at);
            }
        }
        alike.into_values().filter(|different| different.len() > 1).collect()
    }

    /// Replaces equal texts of different names by texts that differ.
    fn distinguish_names(&self, texts: &mut NameTexts, different: &EqualRows, room: usize) {
        let names = names_of(different);
        if names.len() == 1 {
            return;
        }
        let taken = different.iter().map(|(named, lines)| {
            let starts = lines.iter().map(|&at| self.lines[at].0);
            starts.max().unwrap_or(0) + width(&named.suffix)
        });
        let room = room.saturating_sub(taken.max().unwrap_or(0));
        let lines = different.values().flatten().map(|&at| self.lines[at].1);
        let rests: Vec<Named> = lines.filter_map(Named::rest).collect();
        let in_part =
            |rest: &Named| width(&rest.between) + width(&self.name(rest)).min(room / CHAIN_PARTS);
        let as_mark = |rest: &Named| width(&rest.between) + width(shorten::GAP);
        // Where names would lose more than their chains tell, a mark is left of these.
        let reserved = [
            (rests.iter().map(in_part).max(), 3 * MIN_CHAIN_NAME_WIDTH),
            (rests.iter().map(as_mark).max(), MIN_CHAIN_NAME_WIDTH),
        ];
        let mut rooms = reserved
            .into_iter()
            .map(|(of_chains, least)| (room.saturating_sub(of_chains.unwrap_or(0)), least))
            .filter_map(|(of_names, least)| (of_names >= least).then_some(of_names));
        let names_room = rooms.next().unwrap_or(room);
        let long: Vec<&str> = names.into_iter().collect();
        let distinct = shorten_distinct(&long, names_room, self.kind);
        let short: HashMap<&str, String> = long.into_iter().zip(distinct).collect();
        for (named, lines) in different {
            let name = short[&named.name[..]].clone() + &named.suffix;
            for &at in lines {
                let mut text = name.clone();
                if let Some(rest) = self.lines[at].1.rest() {
                    let left = room.saturating_sub(width(&name) + width(&rest.between));
                    let fitted = match left {
                        0 => None,
                        1..MIN_CHAIN_NAME_WIDTH => Some(shorten::GAP.to_owned()),
                        _ => Some(self.fit(&rest, Some(left))),
                    };
                    let after = fitted.map(|fitted| rest.between + &fitted);
                    text.extend(after);
                }
                texts.texts[at].0 = text;
            }
        }
    }

    /// Numbers different names whose texts are still equal, because they differ in more places than
    /// fit.
    fn number_equal(&self, texts: &mut NameTexts, room: Option<usize>) {
        let mut alike: HashMap<(String, String), BTreeMap<Named, usize>> = HashMap::new();
        for (&(start, named), text) in self.lines.iter().zip(&mut texts.texts) {
            if !named.is_row() {
                continue;
            }
            let of_text = alike.entry(text.clone()).or_default();
            let next = of_text.len() + 1;
            let number = *of_text.entry(named.of_row()).or_insert(next);
            if number > 1 {
                let mark = format!(" #{number}");
                let whole = if text.1.is_empty() { room } else { Some(texts.width) };
                if let Some(whole) = whole {
                    text.0 = elide_end(&text.0, whole.saturating_sub(start + width(&mark)));
                }
                text.0.push_str(&mark);
            }
        }
    }

    /// The places of equal names with what they have in common at their starts, in the shortest
    /// form in which they differ; none if they are equal.
    fn different_places(&self, different: &EqualRows) -> Vec<(String, usize)> {
        let details = [Places::Basenames, Places::Objects, Places::Files, Places::Full];
        let count = |detail| {
            let places = different.keys().map(|named| self.place(named, detail));
            places.collect::<BTreeSet<_>>().len()
        };
        let most = count(Places::Exact);
        if most == 1 {
            return Vec::new();
        }
        let detail =
            details.into_iter().find(|&detail| count(detail) == most).unwrap_or(Places::Exact);
        let exact: Vec<String> = different.keys().map(|named| self.place(named, detail)).collect();
        let others: Vec<&str> = exact.iter().map(String::as_str).collect();
        let common = common_starts(&others);
        exact.into_iter().zip(common).collect()
    }

    /// Replaces the places of equal names by their distinguishing parts.
    fn distinguish_places(
        &self,
        texts: &mut NameTexts,
        different: &EqualRows,
        room: Option<usize>,
    ) {
        let places = self.different_places(different);
        for ((place, common), lines) in places.iter().zip(different.values()) {
            for &at in lines {
                texts.texts[at].1 = match room {
                    Some(room) => elide_window(place, *common, room),
                    None => place.clone(),
                };
            }
        }
    }

    /// Adds the distinguishing parts of places to equal names, which have no places beside them.
    fn add_places(&self, texts: &mut NameTexts, different: &EqualRows, room: Option<usize>) {
        let places = self.different_places(different);
        for ((place, common), lines) in places.iter().zip(different.values()) {
            for &at in lines {
                let (start, named) = self.lines[at];
                texts.texts[at].0 = match room.map(|room| room.saturating_sub(start)) {
                    None => format!("{} {place}", self.name(named)),
                    Some(room) => {
                        // The name loses no letters for its place unless it has half of the room.
                        let beside = room.saturating_sub(width(&self.name(named)) + 1);
                        let place = elide_window(place, *common, beside.max(room / 2));
                        let left = room.saturating_sub(width(&place) + 1);
                        let name = self.fit(named, Some(left));
                        elide_end(format!("{name} {place}").trim_end(), room)
                    }
                };
            }
        }
    }
}

/// The part of the room that is kept for the chain of a row that has to differ from others: a
/// third.
const CHAIN_PARTS: usize = 3;

/// The minimum width of names in a chain; below it, functions are left out.
const MIN_CHAIN_NAME_WIDTH: usize = 12;

/// A chain in this room: first the functions lose their scopes, then those before the end of the
/// path are left out, and only if the first one does not fit are names shortened.
fn fit_chain(named: &Named, room: usize, kind: NameKind) -> String {
    let full = named.chained(str::to_owned).join(&named.between);
    let own = named.chained(|name| own_name(name, kind));
    let bare = own.join(&named.between);
    // What calls main says nothing.
    let end = own.iter().position(|name| name == "main").unwrap_or(own.len() - 1);
    let last = shorten_name(&own[end], room / 2, kind);
    let short: Vec<String> =
        own.iter().map(|name| shorten_name(name, MIN_CHAIN_NAME_WIDTH, kind)).collect();
    let is_path_longer = end + 1 < own.len();
    // A name has at least one column.
    let most = end.min(room);
    let counts = (most.min(1)..=most).rev();
    let cut = |names: &[String], count: usize| {
        let has_all = count == end;
        let before_last = (!has_all).then_some(shorten::GAP);
        let after_last = (has_all && is_path_longer).then_some(shorten::GAP);
        let first = names[..count].iter().map(String::as_str);
        let all = first.chain(before_last).chain([&last[..]]).chain(after_last);
        all.collect::<Vec<_>>().join(&named.between)
    };
    let whole = [full, bare].into_iter().chain(counts.clone().map(|count| cut(&own, count)));
    let shortened = [short.join(&named.between)].into_iter();
    let mut all = whole.chain(shortened.chain(counts.map(|count| cut(&short, count))));
    let fitting = all.find(|text| width(text) <= room);
    fitting.unwrap_or_else(|| elide_end(&cut(&short, 0), room))
}

const UNINFORMATIVE_NAMES: [&str; 4] = ["mod.rs", "lib.rs", "main.rs", "__init__.py"];

/// A file with such a name and as many of its folders as fit.
fn with_folders(file: &str, room: usize) -> Option<String> {
    let base = text_of_basename(file);
    let shorter = if file.strip_suffix(base)?.ends_with("/src/") {
        elide_middle(file, room)
    } else {
        elide_folders(file, room)
    };
    UNINFORMATIVE_NAMES.contains(&base).then_some(shorter)
}

fn joined(file: &str, object: &str) -> String {
    match (file, object) {
        ("", object) => object.to_owned(),
        (file, "") => file.to_owned(),
        (file, object) => format!("{file} {object}"),
    }
}

fn text_of_basename(path: &str) -> &str {
    str::from_utf8(basename(path.as_bytes())).unwrap_or(path)
}

/// By file its short path: files below the current directory unchanged, others with as few of their
/// last components as distinguish them.
fn short_files<'f>(files: BTreeSet<&'f str>) -> HashMap<&'f str, &'f str> {
    let is_foreign = |file: &str| file.starts_with(['/', '.']);
    let mut short: HashMap<&str, &str> = HashMap::new();
    let mut left: Vec<&str> = files.iter().copied().collect();
    left.retain(|file| {
        if is_foreign(file) {
            true
        } else {
            short.insert(file, file);
            false
        }
    });
    let mut components = 1;
    while !left.is_empty() {
        let mut ends: HashMap<&str, usize> = HashMap::new();
        short.values().for_each(|end| *ends.entry(end).or_default() += 1);
        let end_of = |path: &'f str| {
            let mut slashes = path.rmatch_indices('/').skip(components - 1);
            slashes.next().map_or(path, |(at, _)| &path[at + 1..])
        };
        left.iter().for_each(|&file| *ends.entry(end_of(file)).or_default() += 1);
        left.retain(|&file| {
            let end = end_of(file);
            let is_known = ends[end] == 1 || end.len() == file.len();
            if is_known {
                short.insert(file, end);
            }
            !is_known
        });
        components += 1;
    }
    short
}
