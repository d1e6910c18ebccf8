//! How the names of a profile's functions were written, by the program that made the profile.

use super::events::Events;
use super::measured::Part;

/// How the names of functions in a profile were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameKind {
    /// Symbols of machine code: dots are part of a name, as in `f.part.0`, and a name of Callgrind
    /// ends with a level of recursion or with the callers of a context, each after an apostrophe.
    #[default]
    Symbol,
    /// Names of any language, as its own profiler or a converter writes them: a dot may separate
    /// components, an apostrophe is a letter.
    Other,
}

/// How the creators of profiles of machine code begin.
const CREATORS: [&[u8]; 8] =
    [b"callgrind", b"cachegrind", b"xtree", b"massif", b"memcheck", b"dhat", b"gprof", b"klee"];

impl NameKind {
    /// The kind that the parts of a profile have, by one rule: names are symbols if the creator of
    /// a part is known to profile machine code, or if instructions are counted (`Ir`), which only
    /// machine code has.
    pub(super) fn of<'p, P: Iterator<Item = &'p Part>>(
        parts: impl Fn() -> P,
        events: &Events,
    ) -> NameKind {
        let mut creators = parts().filter_map(|part| part.creator.as_deref().and_then(own_creator));
        let is_symbol = creators.any(is_of_machine_code)
            || events.names().any(|name| name == b"Ir")
            || parts().next().is_none();
        if is_symbol { NameKind::Symbol } else { NameKind::Other }
    }

    /// The kind of the names of one part, by its creator and whether it counts instructions.
    pub fn of_part(creator: Option<&[u8]>, counts_instructions: bool) -> NameKind {
        let creator = creator.and_then(own_creator);
        let is_symbol = counts_instructions || creator.is_some_and(is_of_machine_code);
        if is_symbol { NameKind::Symbol } else { NameKind::Other }
    }

    /// The name of the function alone, without a level of recursion and callers.
    pub fn without_suffixes(self, name: &[u8]) -> &[u8] {
        match self {
            NameKind::Symbol => super::without_suffixes(name),
            NameKind::Other => name,
        }
    }
}

/// The creator of the names: the one in brackets if cgannotate wrote the part, none if it knew
/// none.
fn own_creator(creator: &[u8]) -> Option<&[u8]> {
    let creator = creator.trim_ascii();
    if !creator.starts_with(b"cgannotate") {
        return Some(creator);
    }
    memchr::memchr(b'(', creator).map(|at| &creator[at + 1..])
}

fn is_of_machine_code(creator: &[u8]) -> bool {
    let creator = creator.to_ascii_lowercase();
    CREATORS.iter().any(|known| creator.starts_with(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_code_is_known_by_the_creator() {
        let table = [
            ("callgrind-3.22.0", true),
            (" callgrind", true),
            ("cgannotate-0.2.0 (callgrind-3.19.0)", true),
            ("xtree-1", true),
            ("gprof", true),
            ("klee", true),
            ("xdebug 3.2.0 (PHP 8.2.35)", false),
            ("yappi", false),
            ("cgannotate-0.2.0 (yappi)", false),
            ("by hand", false),
        ];
        for (creator, expected) in table {
            let own = own_creator(creator.as_bytes()).unwrap();
            assert_eq!(is_of_machine_code(own), expected, "{creator}");
        }
    }

    #[test]
    fn profiles_are_of_machine_code_if_they_count_instructions() {
        let kind = |creators: &[Option<&str>], event: &[u8]| {
            let part = |creator: &Option<&str>| Part {
                creator: creator.map(|creator| creator.as_bytes().into()),
                ..Part::default()
            };
            let parts: Vec<Part> = creators.iter().map(part).collect();
            let mut events = Events::default();
            events.find_or_add(event).unwrap();
            NameKind::of(|| parts.iter(), &events)
        };
        assert_eq!(kind(&[None], b"Ir"), NameKind::Symbol);
        assert_eq!(kind(&[None], b"wall_time"), NameKind::Other);
        assert_eq!(kind(&[Some("by hand")], b"Ir"), NameKind::Symbol);
        assert_eq!(kind(&[Some("yappi")], b"ticks"), NameKind::Other);
        assert_eq!(kind(&[Some("callgrind-3.19.0")], b"Cycles"), NameKind::Symbol);
        assert_eq!(kind(&[Some("yappi"), Some("callgrind")], b"t"), NameKind::Symbol);
        assert_eq!(kind(&[Some("cgannotate-0.2.0")], b"Ir"), NameKind::Symbol);
        assert_eq!(kind(&[Some("cgannotate-0.2.0")], b"t"), NameKind::Other);
        assert_eq!(kind(&[], b"t"), NameKind::Symbol);
    }
}
