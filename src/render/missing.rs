//! What a terminal shows in place of the list of sources that were not found.

use std::io::{self, Write};

/// Sources that are not annotated.
#[derive(Clone, Copy, Debug, Default)]
pub struct NotAnnotated {
    /// Those of the system and of toolchains, which are not annotated on a terminal unless they are given.
    pub of_system: usize,
    /// Those that were not found.
    pub missing: usize,
    /// Those of Rust's library among them.
    pub missing_of_rust: usize,
}

/// Writes one line for each kind of them, with the remedy.
pub fn write_not_annotated(counts: NotAnnotated, out: &mut impl Write) -> io::Result<()> {
    let NotAnnotated {
        of_system,
        missing,
        missing_of_rust,
    } = counts;
    let sources = |count| match count {
        1 => "1 source".to_owned(),
        _ => format!("{count} sources"),
    };
    if missing > 0 {
        let elsewhere = "-I DIR or --source-map=OLD=NEW";
        let in_rust_src = format!("{missing_of_rust} below /rustc/: rustup component add rust-src");
        let remedy = match missing_of_rust {
            0 => elsewhere.to_owned(),
            _ if missing_of_rust == missing => in_rust_src,
            _ => format!("{in_rust_src}; others: {elsewhere}"),
        };
        let missing = sources(missing);
        writeln!(out, "{missing} not found ({remedy}; all: --verbose)")?;
    }
    if of_system > 0 {
        let sources = sources(of_system);
        let what = "of the system and of toolchains not annotated";
        writeln!(out, "{sources} {what} (all: --annotate)")?;
    }
    match missing + of_system {
        0 => Ok(()),
        _ => writeln!(out),
    }
}
