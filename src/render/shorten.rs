//! Long names made to fit: arguments go, the inner ones before the outer, and the folders of paths, and the middle.
//! `…` stands for what is left out. Widths are columns on a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What stands for what is left out, one column wide.
const GAP: &str = "…";

/// The operators of C++ that look like brackets, longer ones before those that they begin with.
const OPERATORS: [&str; 12] = [
    "()", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">",
];

/// How many columns a text takes.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// The brackets around template arguments.
pub(super) const ANGLES: (char, char) = ('<', '>');
/// The brackets around arguments.
pub(super) const ROUND: (char, char) = ('(', ')');

/// A function's name with as many of the arguments in these brackets as fit into `room` columns; without any if it is
/// still too long.
pub(super) fn without_arguments(name: &str, brackets: (char, char), room: usize) -> String {
    if width(name) <= room {
        return name.to_owned();
    }
    let groups = groups(name, brackets);
    let Some(deepest) = groups.iter().map(|group| group.depth).max() else {
        return name.to_owned();
    };
    let without = |depth| emptied(name, groups.iter().filter(|group| group.depth == depth));
    // The deeper what is left out, the longer the name; names may be long and deep, so not each depth is tried.
    let (mut depth, mut too_deep) = (0, deepest + 1);
    while too_deep - depth > 1 {
        let middle = depth + (too_deep - depth) / 2;
        match width(&without(middle)) <= room {
            true => depth = middle,
            false => too_deep = middle,
        }
    }
    without(depth)
}

/// A text in `room` columns, its middle left out if it has more.
pub(super) fn without_middle(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let kept = room.saturating_sub(1);
    let head = taken(text.chars(), kept / 2);
    let tail: Vec<char> = taken(text.chars().rev(), kept - kept / 2);
    head.into_iter()
        .chain(GAP.chars())
        .chain(tail.into_iter().rev())
        .collect()
}

/// A path in `room` columns: the folders at its begin go first, but its last component stays.
pub(super) fn without_folders(path: &str, room: usize) -> String {
    if width(path) <= room {
        return path.to_owned();
    }
    let (mut used, mut kept) = (0, None);
    for (at, c) in path.char_indices().rev() {
        used += c.width().unwrap_or(0);
        if c == '/' && at + 1 < path.len() {
            if kept.is_some() && used >= room {
                break;
            }
            kept = Some(at);
        }
    }
    match kept {
        // The gap would take more than it saves.
        None | Some(0 | 1) => path.to_owned(),
        Some(at) => [GAP, &path[at..]].concat(),
    }
}

/// As many characters as fit.
fn taken(chars: impl Iterator<Item = char>, room: usize) -> Vec<char> {
    let mut used = 0;
    chars
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= room
        })
        .collect()
}

/// What stands between two brackets.
struct Group {
    start: usize,
    end: usize,
    /// How many groups it is in.
    depth: usize,
}

/// The groups of arguments, in order; none if the brackets do not match.
fn groups(name: &str, (open, close): (char, char)) -> Vec<Group> {
    let (mut groups, mut waiting) = (Vec::new(), Vec::new());
    let (mut depth, mut at) = (0, 0);
    // What is before, but for the blank between an operator and its arguments.
    let mut before = None;
    while let Some(c) = name[at..].chars().next() {
        let operator = operator(&name[..at], &name[at..]);
        if operator > 0 {
            at += operator + usize::from(name[at + operator..].starts_with(' '));
            before = Some('_');
            continue;
        }
        at += c.len_utf8();
        if c == open {
            // `<Type as Trait>::name` has no arguments in its first brackets.
            let are_arguments = open == '('
                || before.is_some_and(|c: char| c.is_alphanumeric() || "_:".contains(c));
            waiting.push((at, are_arguments));
            depth += usize::from(are_arguments);
        } else if c == close && before != Some('-') {
            let Some((start, are_arguments)) = waiting.pop() else {
                return Vec::new();
            };
            depth -= usize::from(are_arguments);
            let end = at - c.len_utf8();
            let content = &name[start..end];
            if are_arguments && content.chars().nth(1).is_some() && content != "anonymous namespace"
            {
                groups.push(Group { start, end, depth });
            }
        }
        before = Some(c);
    }
    if !waiting.is_empty() {
        return Vec::new();
    }
    groups.sort_by_key(|group| group.start);
    groups
}

/// The length of the operator at the begin of `rest` if it is the name of a function.
fn operator(before: &str, rest: &str) -> usize {
    let Some(before) = before.strip_suffix("operator") else {
        return 0;
    };
    if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
        return 0;
    }
    let operator = OPERATORS
        .iter()
        .find(|operator| rest.starts_with(**operator));
    operator.map_or(0, |operator| operator.len())
}

/// A name with gaps in place of these groups, which are in order and none in another.
fn emptied<'g>(name: &str, groups: impl Iterator<Item = &'g Group>) -> String {
    let (mut text, mut at) = (String::new(), 0);
    for group in groups {
        text.push_str(&name[at..group.start]);
        text.push_str(GAP);
        at = group.end;
    }
    text + &name[at..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_both(name: &str, room: usize) -> String {
        let name = without_arguments(name, ANGLES, room);
        without_arguments(&name, ROUND, room)
    }

    #[test]
    fn arguments_go_from_the_inside_out() {
        let name = "std::map<std::string, std::vector<int, std::allocator<int> > >::find(std::string const&) const";
        let table = [
            (200, name),
            (
                93,
                "std::map<std::string, std::vector<int, std::allocator<…> > >::find(std::string const&) const",
            ),
            (
                80,
                "std::map<std::string, std::vector<…> >::find(std::string const&) const",
            ),
            (60, "std::map<…>::find(std::string const&) const"),
            (30, "std::map<…>::find(…) const"),
            (5, "std::map<…>::find(…) const"),
        ];
        for (room, expected) in table {
            assert_eq!(without_both(name, room), expected, "{room}");
        }
    }

    #[test]
    fn the_longest_and_deepest_names_take_no_time() {
        let name = ["a<".repeat(100_000), "b".to_owned(), ">".repeat(100_000)].concat();
        assert_eq!(without_arguments(&name, ANGLES, 9), "a<a<…>>");
        let path = "a/".repeat(200_000) + "b";
        assert_eq!(without_folders(&path, 6), "…/a/b");
    }

    #[test]
    fn what_only_looks_like_arguments_stays() {
        let table = [
            (
                "<alloc::vec::Vec<core::option::Option<u8>> as core::ops::drop::Drop>::drop",
                "<alloc::vec::Vec<…> as core::ops::drop::Drop>::drop",
            ),
            (
                "core::iter::Iterator::fold::<u64, fn(u64) -> u64>",
                "core::iter::Iterator::fold::<…>",
            ),
            (
                "std::operator<< <std::char_traits<char> >(std::ostream&)",
                "std::operator<< <…>(…)",
            ),
            (
                "Range::operator()(int, int) const",
                "Range::operator()(…) const",
            ),
            ("A::operator->() const", "A::operator->() const"),
            (
                "bool operator< <int, int>(P<int, int>)",
                "bool operator< <…>(…)",
            ),
            (
                "(anonymous namespace)::f(int, int)",
                "(anonymous namespace)::f(…)",
            ),
            ("a<b", "a<b"),
            ("a>b<c", "a>b<c"),
            ("my_operator<int>", "my_operator<…>"),
            ("", ""),
        ];
        for (name, expected) in table {
            assert_eq!(without_both(name, 0), expected, "{name}");
        }
    }

    #[test]
    fn the_middle_goes_by_columns() {
        assert_eq!(without_middle("abcdefghij", 10), "abcdefghij");
        assert_eq!(without_middle("abcdefghij", 7), "abc…hij");
        assert_eq!(without_middle("abcdefghij", 1), "…");
        assert_eq!(
            without_middle("日本語日本語", 7),
            "日…本語".replace("本語", "語")
        );
        assert!(width(&without_middle("日本語日本語", 8)) <= 8);
    }

    #[test]
    fn folders_go_from_the_begin() {
        let path = "./string/../sysdeps/x86_64/memmove.S";
        let table = [
            (40, path),
            (35, "…/../sysdeps/x86_64/memmove.S"),
            (25, "…/x86_64/memmove.S"),
            (3, "…/memmove.S"),
        ];
        for (room, expected) in table {
            assert_eq!(without_folders(path, room), expected, "{room}");
        }
        assert_eq!(without_folders("/libc.so", 3), "/libc.so");
        assert_eq!(without_folders("plain.c", 3), "plain.c");
        assert_eq!(without_folders("folder/", 3), "folder/");
    }
}
