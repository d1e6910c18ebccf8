//! Shortens long names: elides arguments, inner ones before outer ones, the folders of paths, and
//! the middle of names. Widths are columns on a terminal.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use crate::profile::{NameKind, OPERATORS, split_suffixes, without_clones};
use crate::render::{are_all, without_marks};
use crate::view::{component_starts, short_function, without_parameters};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The minimum width of a shortened name.
const MIN_NAME: usize = 12;

/// The mark in place of elided text; one column wide.
pub(super) const GAP: &str = "…";
const GAP_SIGN: char = '…';

const OPERATOR: &str = "operator";

/// The width of a text. Nearly all are of ASCII's characters and gaps, which are one column wide.
pub(super) fn width(text: &str) -> usize {
    let mut gaps = 0;
    for part in text.split(GAP_SIGN) {
        if !are_all(part.as_bytes(), |byte| matches!(byte, b' '..=b'~')) {
            return text.width();
        }
        gaps += 1;
    }
    text.len() - (gaps - 1) * (GAP.len() - 1)
}

/// A text with blanks behind it up to a width, which may be larger than the widths of `format!`.
pub(super) fn left_aligned(text: &str, to: usize) -> String {
    text.to_owned() + &" ".repeat(to.saturating_sub(width(text)))
}

/// A text with blanks before it up to a width.
pub(super) fn right_aligned(text: &str, to: usize) -> String {
    " ".repeat(to.saturating_sub(width(text))) + text
}

/// A tab is one column wide, as in [`width`].
fn width_of(c: char) -> usize {
    c.width().unwrap_or(1)
}

const ANGLES: (char, char) = ('<', '>');
const ROUND: (char, char) = ('(', ')');

/// A function's name in `room` columns. Elides in order, as far as needed: compiler suffixes,
/// template arguments, arguments (inner ones first), paths of types in brackets, scopes of a
/// context's callers, scopes before the name, callers, the middle.
pub(super) fn shorten_name(name: &str, room: usize, kind: NameKind) -> String {
    let name = elide_in_order(&[name], room, true, kind).concat();
    if width(without_callers(&name, kind)) < room {
        elide_end(&name, room)
    } else {
        elide_middle(&name, room)
    }
}

/// A name without the callers of its context: `f` of `f'g'main`.
fn without_callers(name: &str, kind: NameKind) -> &str {
    &name[..kind.without_suffixes(name.as_bytes()).len()]
}

/// A function with the last components of its context's callers: `a::f'g'main` for
/// `a::f'b::g(int)'main`.
fn with_short_callers(name: &str, kind: NameKind) -> String {
    if kind == NameKind::Other {
        return name.to_owned();
    }
    let mut parts = split_suffixes(name.as_bytes()).map(String::from_utf8_lossy);
    let own = parts.next().unwrap_or_default().into_owned();
    parts.fold(own, |text, caller| text + "'" + &own_name(&caller, kind))
}

/// A name without GCC's suffixes, `.constprop.0` or `[clone .isra.0]`, and without `(anonymous
/// namespace)::`; strings are `std::string`.
fn plain_name(name: &str) -> String {
    let symbol = &name[..without_clones(name.as_bytes()).len()];
    if !symbol.contains(':') {
        return symbol.to_owned();
    }
    let plain = symbol.replace("(anonymous namespace)::", "");
    plain.replace(STRING, "std::string").replace("std::string >", "std::string>")
}

/// The type of strings in GCC's names.
const STRING: &str =
    "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";

/// `<a::B as c::D>::f` as `<B as D>::f`.
fn without_paths_in_brackets(name: &str) -> String {
    let (mut text, mut depth) = (String::new(), 0usize);
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        match c {
            _ if depth > 0 && rest.starts_with("::") => {
                let is_of_name = |c: char| !c.is_alphanumeric() && c != '_';
                let start = text.rfind(is_of_name).map_or(0, |at| at + 1);
                text.truncate(start);
                rest = &rest[2..];
                continue;
            }
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        text.push(c);
        rest = &rest[c.len_utf8()..];
    }
    text
}

/// A name in `room` columns, as far as eliding scopes before its last component allows.
fn elide_scopes(name: &str, room: usize, kind: NameKind) -> String {
    let mut left = width(name);
    if left <= room {
        return name.to_owned();
    }
    let mut start = 0;
    let mut shortest = None;
    for at in scope_ends(name, kind) {
        left = left.saturating_sub(width(&name[start..at]));
        start = at;
        shortest = Some(&name[start..]);
        if left < room {
            break;
        }
    }
    let Some(end) = shortest else {
        return name.to_owned();
    };
    // The end of a long scope is kept.
    if left * 2 < room { with_gap(name, 0, room.saturating_sub(1)) } else { [GAP, end].concat() }
}

/// The positions behind the scopes of a name, where shorter names may begin.
fn scope_ends(name: &str, kind: NameKind) -> Vec<usize> {
    if let Some(starts) = component_starts(name, kind) {
        return starts.into_iter().filter(|start| *start > 0).collect();
    }
    let mut depth = 0i32;
    let mut ends = Vec::new();
    for (at, byte) in without_callers(name, kind).bytes().enumerate() {
        match byte {
            b'<' | b'(' | b'{' | b'[' => depth += 1,
            b'>' | b')' | b'}' | b']' => depth -= 1,
            b':' if depth == 0 && name[at..].starts_with("::") => ends.push(at + 2),
            _ => {}
        }
    }
    ends
}

/// The maximum nesting of arguments to consider for distinguishing names.
const MAX_DEPTH: usize = 16;

/// Shortens different names to `room` columns so that they stay different, if possible. Elides what
/// does not distinguish them: parameters and return types, arguments from the inner ones on, and
/// paths and scopes.
pub(super) fn shorten_distinct(names: &[&str], room: usize, kind: NameKind) -> Vec<String> {
    let elided = elide_in_order(names, room, false, kind);
    let elided_texts: Vec<&str> = elided.iter().map(String::as_str).collect();
    // With room for only a few letters, those of the full names are more informative.
    let texts = if room < MIN_NAME { names } else { &elided_texts };
    let with_starts = texts.iter().zip(common_starts(texts));
    let windows: Vec<String> =
        with_starts.clone().map(|(text, common)| elide_window(text, common, room)).collect();
    // The difference may be far after the function's own name, whose start is kept.
    let with_own_names: Vec<String> = windows
        .iter()
        .zip(with_starts)
        .zip(names)
        .map(|((window, (text, common)), name)| {
            let is_context = without_callers(name, kind) != *name;
            let own = own_name(name, kind);
            let own_room = room.saturating_sub(MIN_NAME + 1).max(room / 2);
            let has_own = if is_context {
                window.starts_with(&own)
            } else {
                let differs_in_own = |at| (at..at + own.len()).contains(&common);
                window.contains(&own) || text.find(&own).is_some_and(differs_in_own)
            };
            if has_own || own_room < width(&own).min(MIN_NAME / 2) {
                return window.clone();
            }
            // The difference may be soon after it.
            let at = text[..common].rfind(&own).filter(|_| !is_context);
            if let Some(at) = at
                && width(&text[at..common]) <= own_room
            {
                return elide_end(&text[at..], room);
            }
            let front = elide_end(&own, own_room) + if is_context { "'" } else { "<" };
            let rest = elide_window(text, common, room - width(&front));
            front + &rest
        })
        .collect();
    let distinct = |texts: &[String]| texts.iter().collect::<HashSet<_>>().len();
    let are_contexts = names.iter().all(|name| without_callers(name, kind) != *name);
    if are_contexts || distinct(&with_own_names) >= distinct(&windows) {
        with_own_names
    } else {
        windows
    }
}

/// Elides text of names wider than `room`, unless two of them would become equal; with
/// `keeps_parameters`, those are elided as other arguments are, else they and return types go
/// before arguments of templates.
fn elide_in_order(
    names: &[&str],
    room: usize,
    keeps_parameters: bool,
    kind: NameKind,
) -> Vec<String> {
    let mut texts: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    // Changes the names that are too wide, or all, unless two of them would become equal.
    let try_change = |texts: &mut Vec<String>, are_all: bool, change: &dyn Fn(&str) -> String| {
        let is_wide = |text: &String| width(text) > room;
        if !texts.iter().any(is_wide) {
            return false;
        }
        let changed: Vec<String> = texts
            .iter()
            .map(|text| if are_all || is_wide(text) { change(text) } else { text.clone() })
            .collect();
        let are_different = changed.iter().collect::<HashSet<_>>().len() == names.len();
        if are_different {
            *texts = changed;
        }
        are_different
    };
    try_change(&mut texts, false, &plain_name);
    if !keeps_parameters {
        try_change(&mut texts, true, &|name| without_parameters(name, kind).to_owned());
    }
    let elide = |texts: &mut Vec<String>, brackets, depths: Range<usize>| {
        let at = |name: &str, depth| {
            let groups = groups(name, brackets);
            with_gaps(name, groups.iter().filter(|group| group.depth == depth))
        };
        let groups = texts.iter().flat_map(|text| groups(text, brackets));
        let deepest = groups.map(|group| group.depth).max();
        // Stops when two names would become equal.
        let _ = (depths.start..depths.end.min(deepest.map_or(0, |deepest| deepest + 1)))
            .rev()
            .all(|depth| try_change(texts, false, &|name| at(name, depth)));
    };
    elide(&mut texts, ANGLES, usize::from(!keeps_parameters)..MAX_DEPTH);
    elide(&mut texts, ROUND, 0..MAX_DEPTH);
    try_change(&mut texts, false, &without_paths_in_brackets);
    elide(&mut texts, ANGLES, 0..1);
    try_change(&mut texts, false, &|name| with_short_callers(name, kind));
    try_change(&mut texts, false, &|name| elide_scopes(name, room, kind));
    texts
}

/// The maximum number of closures in each other that are part of the name of the function around
/// them.
const MAX_CLOSURES: usize = 3;

/// The last component of a function's name, without arguments. A closure is known by the function
/// around it.
pub(super) fn own_name(name: &str, kind: NameKind) -> String {
    let short = String::from_utf8_lossy(&short_function(name.as_bytes(), kind)).into_owned();
    let mut outer = &short[..];
    for _ in 0..MAX_CLOSURES {
        if outer.ends_with('}') {
            outer = &outer[..outer.rfind("::{").unwrap_or(outer.len())];
        }
    }
    let own = elide_scopes(outer, 0, kind);
    own.trim_start_matches(GAP).to_owned() + &short[outer.len()..]
}

/// By text the length in bytes of the longest prefix that it shares with a different one.
pub(super) fn common_starts(texts: &[&str]) -> Vec<usize> {
    let in_order: BTreeSet<&str> = texts.iter().copied().collect();
    // In sorted order, the neighbours of a text share the longest prefixes with it.
    let mut common = HashMap::new();
    let mut before = None;
    for text in in_order {
        let pairs = before.into_iter().flat_map(str::chars).zip(text.chars());
        let same: usize = pairs.take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
        common.insert(text, same);
        if let Some(before) = before {
            let with_its_neighbours = common.entry(before).or_default();
            *with_its_neighbours = same.max(*with_its_neighbours);
        }
        before = Some(text);
    }
    texts.iter().map(|text| common[text]).collect()
}

/// A text in `room` columns that includes the end of the `common` bytes that it shares with other
/// texts.
pub(super) fn elide_window(text: &str, common: usize, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    // A third of the room is for the text before the first difference.
    let before = taken(text[..common].chars().rev(), room / 3);
    let start = common - before.iter().map(|c| c.len_utf8()).sum::<usize>();
    match start {
        0 => elide_end(text, room),
        _ => {
            let rest = text[start..].trim_start_matches(GAP);
            [GAP, &elide_end(rest, room.saturating_sub(1))].concat()
        }
    }
}

/// A text in `room` columns, with its middle elided if it is wider.
pub(super) fn elide_middle(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let kept = room.saturating_sub(1);
    with_gap(text, kept / 2, kept - kept / 2)
}

/// The start and the end of a text in these columns, with a gap between them.
fn with_gap(text: &str, head: usize, tail: usize) -> String {
    let head: String = taken(text.chars(), head).into_iter().collect();
    let tail: String = taken(text.chars().rev(), tail).into_iter().rev().collect();
    [head.trim_end_matches(GAP), GAP, &tail].concat()
}

/// A text in `room` columns, with its end elided if it is wider.
pub(super) fn elide_end(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    with_gap(text, room.saturating_sub(1), 0)
}

/// The width of a text that may not be UTF-8.
pub(super) fn width_of_bytes(text: &[u8]) -> usize {
    width(&String::from_utf8_lossy(text))
}

/// [`elide_end`] for a text that may not be UTF-8; its bytes are unchanged if it fits.
pub(super) fn elide_end_of_bytes(text: &[u8], room: usize) -> Vec<u8> {
    if width_of_bytes(text) <= room {
        text.to_vec()
    } else {
        elide_end(&String::from_utf8_lossy(text), room).into_bytes()
    }
}

/// A path in `room` columns: leading folders are elided; the last component is kept.
pub(super) fn elide_folders(path: &str, room: usize) -> String {
    if width(path) <= room {
        return path.to_owned();
    }
    let (mut used, mut kept) = (0, None);
    for (at, c) in path.char_indices().rev() {
        used += width_of(c);
        if c == '/' && at + 1 < path.len() {
            if kept.is_some() && used >= room {
                break;
            }
            kept = Some(at);
        }
    }
    match kept {
        // The gap would not shorten it.
        None | Some(0 | 1) => path.to_owned(),
        Some(at) => [GAP, &path[at..]].concat(),
    }
}

/// The first characters, as many as fit into `room` columns.
fn taken(chars: impl Iterator<Item = char>, room: usize) -> Vec<char> {
    let mut used = 0;
    let fits = |c: &char| {
        used += width_of(*c);
        used <= room
    };
    chars.take_while(fits).collect()
}

struct Group {
    start: usize,
    end: usize,
    /// The number of groups that enclose it.
    depth: usize,
}

/// The groups of arguments, in order; empty if the brackets are unbalanced.
fn groups(name: &str, (open, close): (char, char)) -> Vec<Group> {
    let (mut groups, mut waiting) = (Vec::new(), Vec::new());
    if !name.contains(open) {
        return groups;
    }
    let mut depth = 0;
    for (at, c, before) in characters(name) {
        if c == open {
            // The first brackets of `<Type as Trait>::name` and of `(below main)` are not
            // arguments.
            let are_arguments = before.is_some_and(|c: char| match open {
                '(' => !" :".contains(c),
                _ => c.is_alphanumeric() || "_:".contains(c),
            });
            waiting.push((at + 1, are_arguments));
            depth += usize::from(are_arguments);
        } else if c == close && before != Some('-') {
            let Some((start, are_arguments)) = waiting.pop() else {
                return Vec::new();
            };
            depth -= usize::from(are_arguments);
            let (end, content) = (at, &name[start..at]);
            if are_arguments && content.chars().nth(1).is_some() && content != "anonymous namespace"
            {
                groups.push(Group { start, end, depth });
            }
        }
    }
    if !waiting.is_empty() {
        return Vec::new();
    }
    groups.sort_by_key(|group| group.start);
    groups
}

/// The characters of a name, each with its index and the character before it. Operators that
/// contain brackets, and a space after them, are skipped; they count as a `_` before the next
/// character.
fn characters(name: &str) -> impl Iterator<Item = (usize, char, Option<char>)> {
    let (mut at, mut before) = (0, None);
    let has_operator = memchr::memmem::find(name.as_bytes(), OPERATOR.as_bytes()).is_some();
    std::iter::from_fn(move || {
        let operator = if has_operator { operator(&name[..at], &name[at..]) } else { 0 };
        if operator > 0 {
            at += operator + usize::from(name[at + operator..].starts_with(' '));
            before = Some('_');
        }
        let (start, c) = (at, name[at..].chars().next()?);
        at += c.len_utf8();
        Some((start, c, before.replace(c)))
    })
}

/// The length of the operator with brackets at the start of `rest`, if it is part of a function's
/// name.
fn operator(before: &str, rest: &str) -> usize {
    let Some(before) = before.strip_suffix(OPERATOR) else {
        return 0;
    };
    if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
        return 0;
    }
    let has_brackets = |sign: &&&[u8]| sign.iter().any(|byte| b"<>()".contains(byte));
    let mut signs = OPERATORS.iter().filter(has_brackets);
    signs.find(|sign| rest.as_bytes().starts_with(sign)).map_or(0, |sign| sign.len())
}

/// A name with gaps in place of these groups, which are sorted and do not overlap.
fn with_gaps<'g>(name: &str, groups: impl Iterator<Item = &'g Group>) -> String {
    let (mut text, mut at) = (String::new(), 0);
    for group in groups {
        text.push_str(&name[at..group.start]);
        text.push_str(GAP);
        at = group.end;
    }
    text + &name[at..]
}

/// A line with tabs expanded to spaces, with tab stops every eight columns.
pub(super) fn with_tabs_expanded(line: &[u8]) -> Vec<u8> {
    let (mut text, mut columns) = (Vec::new(), 0);
    for part in line.split_inclusive(|&byte| byte == b'\t') {
        let plain = part.strip_suffix(b"\t").unwrap_or(part);
        text.extend(plain);
        columns += width_of_bytes(plain);
        if plain.len() < part.len() {
            let spaces = 8 - columns % 8;
            columns += spaces;
            text.resize(text.len() + spaces, b' ');
        }
    }
    text
}

/// Wraps a sentence into lines of this width; a suggested command is not broken.
pub fn in_words(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').map(without_marks) {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(&word) <= room => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_aligned_in_any_width() {
        assert_eq!(right_aligned("Ir", 4) + "|" + &left_aligned("é", 3) + "|", "  Ir|é  |");
        assert_eq!([right_aligned("long", 2), left_aligned("long", 2)], ["long", "long"]);
        // More than the widths of format!.
        assert_eq!(right_aligned("x", 100_000).len() + left_aligned("x", 100_000).len(), 200_000);
    }

    #[test]
    fn long_and_deep_names_are_shortened_quickly() {
        let name = ["a<".repeat(100_000), "b".to_owned(), ">".repeat(100_000)].concat();
        assert_eq!(shorten_name(&name, 9, NameKind::Symbol), "a<a<…>>");
        let path = "a/".repeat(200_000) + "b";
        assert_eq!(elide_folders(&path, 6), "…/a/b");
        let (start, end) = ("a".repeat(99), "b".repeat(99));
        let alike: Vec<String> =
            (100_000..104_000).map(|number| format!("{start}{number}{end}")).collect();
        let alike: Vec<&str> = alike.iter().map(String::as_str).collect();
        assert_eq!(shorten_distinct(&alike, 12, NameKind::Symbol)[2_345], "…02345bbbbb…");
    }

    #[test]
    fn parameters_are_at_the_end() {
        let table = "
            void a::f<int (*)(int)>(int (*)(int)) const => a::f<int (*)(int)>
            f(int)::{lambda(int)#1}::operator()(int) const => f(int)::{lambda(int)#1}::operator()
            <a::B<C> as D>::f => <a::B<C> as D>::f
            operator new(unsigned long) => operator new
            (anonymous namespace)::f(int) => (anonymous namespace)::f
            (below main) => (below main)
            run (a.js:12) => run (a.js:12)
            main.(*T).f => main.(*T).f
        ";
        for line in table.trim().lines() {
            let (name, expected) = line.trim().rsplit_once(" => ").unwrap();
            assert_eq!(without_parameters(name, NameKind::Symbol), expected, "{name}");
        }
    }

    #[test]
    fn folders_are_elided_from_the_start() {
        let path = "./string/../sysdeps/x86_64/memmove.S";
        let table = [
            (40, path),
            (35, "…/../sysdeps/x86_64/memmove.S"),
            (25, "…/x86_64/memmove.S"),
            (3, "…/memmove.S"),
        ];
        for (room, expected) in table {
            assert_eq!(elide_folders(path, room), expected, "{room}");
        }
        assert_eq!(elide_folders("/libc.so", 3), "/libc.so");
        assert_eq!(elide_folders("plain.c", 3), "plain.c");
        assert_eq!(elide_folders("folder/", 3), "folder/");
    }
}
