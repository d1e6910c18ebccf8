//! Words of the command line that are not files, but names of what options select or columns show:
//! what the error for a missing file says of them.

use std::path::Path;

use crate::profile::KNOWN_EVENTS;
use crate::render::FORMATS;

/// The words, and what is said of them.
const WORDS: &[(&str, &str)] = &[
    ("callees", "callees: --tree=callees -f FUNCTION"),
    ("callers", "callers: --tree=callers -f FUNCTION"),
    ("calls", "numbers of calls: -c"),
    ("files", "files: -g file"),
    ("functions", "functions are the rows of a list by default"),
    ("help", "the help: -h, with all options --help"),
    ("incl", INCLUSIVE),
    ("incl.", INCLUSIVE),
    ("inclusive", INCLUSIVE),
    ("lines", "source lines: -g line"),
    ("objects", "programs and libraries: -g object"),
    ("parts", "parts of a profile: -g part"),
    ("processes", "processes: -g process"),
    ("self", "self is the cost of a function's own code, by which a list is sorted without -i"),
    ("threads", "threads: -g thread"),
];

const INCLUSIVE: &str = "incl. is the cost of a function with all that it calls: -i";

/// What is said of a word that is no file.
pub(super) fn tip_for(word: &Path) -> Option<String> {
    let word = word.to_str()?;
    if let Some((_, tip)) = WORDS.iter().find(|(known, _)| *known == word) {
        return Some((*tip).to_owned());
    }
    let mut events = KNOWN_EVENTS.iter();
    if let Some((event, what)) = events.find(|(event, _)| *event == word) {
        return Some(format!("{event} counts {what} (--help has all events)"));
    }
    let names = FORMATS.iter().flat_map(|(names, _)| names.split('|'));
    let mut formats = names.filter(|name| *name == word);
    formats.next().map(|format| format!("the format: --format={format}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_no_files() {
        let table = [
            ("Ir", Some("Ir counts instructions executed (--help has all events)")),
            ("speedscope", Some("the format: --format=speedscope")),
            ("lines", Some("source lines: -g line")),
            ("ir", None),
            ("main.c", None),
        ];
        for (word, tip) in table {
            assert_eq!(tip_for(Path::new(word)).as_deref(), tip, "{word}");
        }
    }
}
