//! The first screen of all profiles of testdata: its size, and that nothing costs more than the
//! program.

use std::path::Path;

use unicode_width::UnicodeWidthStr;

use crate::common::corpus;
use crate::common::program::{Folder, PROGRAM, other_program, print_of, program};

trials![
    it_fits_a_screen,
    no_line_costs_more_than_the_program,
    each_next_command_runs_as_printed,
    text_and_json_have_the_same_lines,
    a_long_page_without_options_suggests_it
];

/// The first screen of each profile that can be read.
fn screens(options: &[&str]) -> Vec<(std::path::PathBuf, String)> {
    let options = [&["--format=text"], options].concat();
    let screens = corpus::files().into_iter().filter_map(|path| {
        let page = print_of(&options, &path).ok()?;
        Some((path, String::from_utf8_lossy(&page).into_owned()))
    });
    screens.collect()
}

/// Without the totals of the header, at most 40 rows of 100 columns; only commands are never
/// shortened.
fn it_fits_a_screen() {
    let mut checked = 0;
    for (path, screen) in screens(&["--header=no", "--width=100"]) {
        let lines: Vec<&str> = screen.lines().collect();
        assert!(lines.len() <= 40, "{path:?}: {} rows", lines.len());
        let beginnings = ["next: ", "each ", "  valgrind"];
        let is_command = |line: &&str| beginnings.iter().any(|begin| line.starts_with(begin));
        for line in lines.into_iter().filter(|line| !is_command(line)) {
            assert!(line.width() <= 100, "{path:?}: {line}");
            checked += 1;
        }
    }
    assert!(checked > 1000, "only {checked} lines");
}

fn no_line_costs_more_than_the_program() {
    let mut checked = 0;
    for (path, screen) in screens(&["-n", "0", "--header=no", "--width=200"]) {
        for word in screen.split_whitespace() {
            let number = word.trim_start_matches('(').trim_end_matches([')', ';']);
            let percent = number.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
            if let Some(percent) = percent {
                assert!(percent <= 100.0, "{path:?}: {word}");
                checked += 1;
            }
        }
    }
    assert!(checked > 300, "only {checked} percentages");
}

/// In the folder of each profile, a shell runs what the screen suggests: it prints the line, on a
/// page of at most 120 lines.
fn each_next_command_runs_as_printed() {
    let programs = Path::new(PROGRAM).parent().unwrap().to_str().unwrap();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap());
    let mut checked = 0;
    let with_commands = screens(&["--width=100"]).into_iter().filter(|(_, screen)| {
        // Most profiles have no sources, and a program of its own for each takes long.
        screen.contains("\nnext: ")
    });
    for (profile, _) in with_commands {
        let (folder, file) = (profile.parent().unwrap(), profile.file_name().unwrap());
        let output =
            program().args(["--format=text", "--width=100"]).arg(file).in_dir(folder).run();
        let screen = String::from_utf8_lossy(&output.out);
        for command in screen.lines().filter_map(|line| line.strip_prefix("next: ")) {
            let run = other_program("sh").args(["-c", command]).in_dir(folder);
            let output = run.env("PATH", &path).run();
            assert_eq!(output.status, 0, "{profile:?}: {command}: {}", output.error());
            let page = String::from_utf8_lossy(&output.out);
            let lines = page.lines().count();
            assert!((1..=120).contains(&lines), "{profile:?}: {command}: {lines} lines");
            let (_, number) = command.rsplit_once(':').unwrap();
            let number = number.trim_end_matches(['\'', '"']);
            let shows = |line: &str| line.split_whitespace().any(|word| word == number);
            assert!(page.lines().any(shows), "{profile:?}: {command}: {page}");
            checked += 1;
        }
    }
    assert!(checked >= 200, "only {checked} commands");
}

/// Of a profile without calls the heading does not mention them.
fn is_heading_of_lines(line: &str) -> bool {
    matches!(line, "lines:" | "your lines:") || line.ends_with("lines, with all that they call:")
}

/// By line of the block what stands below it.
fn notes_below_lines(screen: &str) -> Vec<&str> {
    let block = screen
        .lines()
        .skip_while(|line| !is_heading_of_lines(line))
        .skip(1)
        .take_while(|line| !line.is_empty());
    let mut notes: Vec<&str> = Vec::new();
    for line in block {
        let mut words = line.split_whitespace();
        let count = words.next().unwrap_or_default().replace([',', '.'], "");
        let has_share = words.next().is_some_and(|share| share.ends_with('%'));
        // A row begins with its cost and its share of all.
        if count.parse::<i64>().is_ok() && has_share {
            notes.push("");
        } else if let Some(last) = notes.last_mut() {
            *last = line.trim_start();
        }
    }
    notes
}

/// The lines of the text are those of JSON, with their costs, and the functions of both have the
/// same self costs.
fn text_and_json_have_the_same_lines() {
    let (mut lines, mut functions) = (0, 0);
    for (path, screen) in screens(&["--header=no", "--width=0", "--names=full"]) {
        let json = |options: &[&str]| {
            let page = print_of(&[&["--format=json", "--lines=yes"], options].concat(), &path);
            serde_json::from_slice::<serde_json::Value>(&page.unwrap()).unwrap()
        };
        let report = json(&[]);
        let block: Vec<&str> = screen
            .lines()
            .skip_while(|line| !is_heading_of_lines(line))
            .skip(1)
            .take_while(|line| !line.is_empty())
            .filter(|line| !line.starts_with("   "))
            .collect();
        let of_json = report["lines"].as_array().unwrap();
        // A long list leaves less room for lines.
        assert!(of_json.len() >= block.len(), "{path:?}");
        let notes = notes_below_lines(&screen);
        for ((text, notes), line) in block.iter().zip(notes).zip(of_json) {
            let of_line =
                line["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap());
            assert_eq!(of_line.collect::<Vec<_>>().join("; "), notes, "{path:?}: {text}");
            let (file, number) = (line["file"].as_str(), line["line"].as_u64().unwrap());
            let base = file.map(|file| file.rsplit('/').next().unwrap());
            if let Some(base) = base.filter(|base| base.is_ascii()) {
                assert!(text.contains(&format!("{base}:{number}")), "{path:?}: {text}");
            }
            // A count with decimals is in another unit.
            let count = text.split_whitespace().next().unwrap().replace(',', "");
            if let Ok(count) = count.parse::<i64>() {
                let mut costs = line["inclusive"].as_array().unwrap().iter();
                assert!(costs.any(|cost| cost.as_i64() == Some(count)), "{path:?}: {text}");
                lines += 1;
            }
        }
        let rows = report["rows"].as_array().unwrap();
        let list: Vec<&str> = screen.lines().skip(1).take_while(|line| !line.is_empty()).collect();
        for (text, row) in list.iter().zip(rows).filter(|(text, _)| !text.contains(" more ")) {
            let first = text.split_whitespace().next().unwrap().replace(',', "");
            if let Ok(count) = first.parse::<i64>() {
                // Text passes over events that are 0 everywhere, JSON keeps the order of the file.
                let mut costs = row["self"].as_array().unwrap().iter();
                assert!(costs.any(|cost| cost.as_i64() == Some(count)), "{path:?}: {text}");
                functions += 1;
            }
        }
    }
    assert!(lines > 100 && functions > 300, "only {lines} lines, {functions} functions");
}

/// callgrind_annotate's page in a pipe, with more than 2,000 lines of sources.
fn a_long_page_without_options_suggests_it() {
    for (lines, is_long) in [(1_900, false), (2_200, true)] {
        let folder = Folder::with(&[]);
        folder.write("a.c", "text\n".repeat(lines));
        let costs: String = (1..=lines).map(|line| format!("{line} 1\n")).collect();
        folder.write("p.out", format!("events: Ir\nfl=a.c\nfn=f\n{costs}"));
        for (options, is_plain) in [(&["p.out"][..], true), (&["--auto=yes", "p.out"], false)] {
            let output = folder.run(options);
            let messages = output.error();
            let suggests = messages.contains("lines of sources; the first screen: --format=text");
            assert_eq!(suggests, is_long && is_plain, "{lines} {options:?}: {messages}");
        }
    }
}
