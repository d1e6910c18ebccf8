//! Long options that are cut short, as GNU gprof reads them: the start of a name is taken as the
//! only option that begins so.

use clap::Command;

use crate::cli::unsupported::has_option;

/// The long options of GNU gprof, which decide what is unambiguous.
const OF_GPROF: [&str; 36] = [
    "all-lines",
    "annotated-source",
    "brief",
    "debug",
    "demangle",
    "directory-path",
    "display-unused-functions",
    "exec-counts",
    "external-symbol-table",
    "file-format",
    "file-info",
    "file-ordering",
    "flat-profile",
    "function-ordering",
    "graph",
    "help",
    "ignore-non-functions",
    "inline-file-names",
    "line",
    "min-count",
    "no-annotated-source",
    "no-demangle",
    "no-exec-counts",
    "no-flat-profile",
    "no-graph",
    "no-static",
    "no-time",
    "print-path",
    "separate-files",
    "static-call-graph",
    "sum",
    "table-length",
    "time",
    "traditional",
    "version",
    "width",
];

/// The whole of a long option that is cut short, with its value; none if the word is something
/// else. An error if it can be several options.
pub(super) fn whole(command: &Command, word: &str) -> Result<Option<String>, String> {
    let Some(text) = word.strip_prefix("--").filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let (name, value) = text.split_at(text.find('=').unwrap_or(text.len()));
    let is_whole = has_option(command, &format!("--{name}"));
    if is_whole || name.is_empty() || OF_GPROF.contains(&name) {
        return Ok(None);
    }
    let begun: Vec<String> = OF_GPROF
        .iter()
        .filter(|option| option.starts_with(name))
        .map(|option| format!("--{option}"))
        .collect();
    match &begun[..] {
        [] => Ok(None),
        [option] => Ok(Some(format!("{option}{value}"))),
        several => Err(format!("--{name} can be {}", several.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_short_as_in_gprof() {
        let table = [
            ("--flat", Ok(Some("--flat-profile"))),
            ("--fl=main", Ok(Some("--flat-profile=main"))),
            ("--b", Ok(Some("--brief"))),
            ("--g", Ok(Some("--graph"))),
            ("--gra=main", Ok(Some("--graph=main"))),
            ("--li", Ok(Some("--line"))),
            ("--wid", Ok(Some("--width"))),
            ("--exec", Ok(Some("--exec-counts"))),
            ("--file-i", Ok(Some("--file-info"))),
            ("--static", Ok(Some("--static-call-graph"))),
            ("--no-f", Ok(Some("--no-flat-profile"))),
            // Whole names, of this command's own options too.
            ("--graph", Ok(None)),
            ("--line", Ok(None)),
            ("--min", Ok(None)),
            ("--file", Ok(None)),
            ("--function", Ok(None)),
            ("--sum", Ok(None)),
            // Neither is an option of gprof.
            ("--nosuch", Ok(None)),
            ("-b", Ok(None)),
            ("--", Ok(None)),
            ("--=x", Ok(None)),
            ("main", Ok(None)),
            (
                "--f",
                Err(
                    "--f can be --file-format, --file-info, --file-ordering, --flat-profile, --function-ordering",
                ),
            ),
            ("--fi=x", Err("--fi can be --file-format, --file-info, --file-ordering")),
            ("--de", Err("--de can be --debug, --demangle")),
        ];
        let command = super::super::definition();
        for (word, expected) in table {
            let expected = expected.map(|whole| whole.map(str::to_owned));
            assert_eq!(whole(&command, word), expected.map_err(str::to_owned), "{word}");
        }
    }
}
