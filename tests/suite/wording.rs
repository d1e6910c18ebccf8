//! Plain English: help, man pages, messages, comments and the README without phrases that were replaced.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::program::program;

trials![retired_phrases_are_not_used, the_readme_is_short];

/// Words and phrases, and what is written instead.
const RETIRED: [(&str, &str); 24] = [
    ("dear", "expensive"),
    ("dearer", "more expensive"),
    ("dearest", "most expensive, hottest"),
    ("told", "reported, printed"),
    ("tells", "says, shows"),
    ("whom", "what it calls"),
    ("stands", "is"),
    ("stand for", "refer to, mean"),
    ("so many", "N"),
    ("heeded", "respected"),
    ("besides", "in addition to"),
    ("fits nothing", "matches nothing"),
    ("taken as not given", "ignored"),
    ("what is asked for", "the requested ..."),
    ("asked for", "requested"),
    ("has no meaning", "cannot be combined with"),
    ("have no meaning", "cannot be combined with"),
    ("is not offered", "is not supported"),
    ("make readable", "demangle"),
    ("by others", "from other functions"),
    ("calls by itself", "recursive calls"),
    ("call by itself", "recursive call"),
    ("the begin", "the start, the prefix"),
    ("as far as it goes", "what was read"),
];

/// A text in which the phrases are searched, and its name.
type Text = (String, String);

fn sources(folder: &Path, texts: &mut Vec<Text>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, texts);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap();
            texts.push((
                name.display().to_string(),
                fs::read_to_string(&path).unwrap(),
            ));
        }
    }
}

/// The lines of a text in lower case in which a phrase begins and ends with whole words, across line ends and the marks
/// of comments.
fn lines_with(text: &str, phrase: &str) -> Vec<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let found = text.match_indices(phrase).filter(|(at, _)| {
        let before = text[..*at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    });
    found
        .map(|(at, _)| text[..at].matches('\u{1}').count() + 1)
        .collect()
}

/// Blanks, line ends and the marks of comments as one blank; lines end with a mark of their own.
fn flat(text: &str) -> String {
    let mut flat = String::new();
    for line in text.to_lowercase().lines() {
        let line = line.trim_start().trim_start_matches(['/', '!', '#', '>']);
        let words: Vec<&str> = line.split_whitespace().collect();
        flat.push_str(&words.join(" "));
        flat.push_str(" \u{1}");
    }
    flat
}

fn retired_phrases_are_not_used() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    sources(&project.join("src"), &mut texts);
    let readme = fs::read_to_string(project.join("README.md")).unwrap();
    texts.push(("README.md".to_owned(), readme));
    for args in [
        &["-h"][..],
        &["--help"],
        &["gprof", "-h"],
        &["gprof", "--help"],
        &["--generate=man"],
        &["--generate=man-gprof"],
        &["--generate=complete-zsh"],
    ] {
        texts.push((args.join(" "), program().args(args).run().page()));
    }
    let mut found = Vec::new();
    for (name, text) in &texts {
        let flat = flat(text);
        // A phrase may go on in the next line.
        let joined = flat.replace('\u{1}', "");
        for (phrase, instead) in RETIRED {
            if !joined.contains(phrase) {
                continue;
            }
            let lines = lines_with(&flat, phrase);
            let is_split = lines.is_empty() && !lines_with(&joined, phrase).is_empty();
            if is_split || !lines.is_empty() {
                found.push(format!("{name}:{lines:?}: '{phrase}', better: {instead}"));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn the_readme_is_short() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(project.join("README.md")).unwrap();
    assert!(readme.lines().count() <= 500);
    for section in readme.split("\n## ") {
        let lines = section.lines().count();
        assert!(lines <= 60, "{lines} lines: {:?}", section.lines().next());
    }
}
