//! Differences of profiles from two places: what grows is the number of paths, of names and of
//! lines that are paired.

use std::fmt::Write;
use std::path::Path;
use std::{fs, io};

use super::Shape;

pub const SHAPES: &[Shape] = &[
    ("pairs-files", 10_000, |n, folder| {
        let file = |side: &str, i| format!("/{side}/src/f{i}.c");
        write(n, folder, file, |_, i| format!("f{i}"))
    }),
    // All paths end the same, and the folder before decides.
    ("pairs-folders", 10_000, |n, folder| {
        let file = |side: &str, i| format!("/{side}/d{i}/mod.rs");
        write(n, folder, file, |_, i| format!("f{i}"))
    }),
    // Nothing decides.
    ("pairs-equal-ends", 10_000, |n, folder| {
        let file = |side: &str, i| format!("/{side}{i}/mod.rs");
        write(n, folder, file, |_, i| format!("f{i}"))
    }),
    ("pairs-clones", 20_000, |n, folder| {
        let name = |side: &str, i| match side {
            "base" => format!("f{}.constprop.{i}", i / 2),
            _ => format!("f{} [clone .isra.{i}]", i / 2),
        };
        write(n, folder, |_, _| "a.c".to_owned(), name)
    }),
    ("pairs-addresses", 20_000, |n, folder| {
        let name = |side: &str, i| format!("{:#018x}", 32 * i + side.len());
        write(n, folder, |_, _| "???".to_owned(), name)
    }),
];

/// Profiles whose sources changed.
pub const LINES: &[Shape] = &[
    ("lines-in-order", 20_000, |n, folder| {
        lines(n, folder, |i| i, |i| if i % 3 == 0 { n + i } else { i })
    }),
    ("lines-reversed", 20_000, |n, folder| lines(n, folder, |i| i, |i| n - i)),
    ("lines-in-disorder", 20_000, |n, folder| lines(n, folder, |i| i, |i| i * 7919 % n)),
    ("lines-of-few-texts", 20_000, |n, folder| lines(n, folder, |i| i % 7, |i| i * i % 7)),
];

/// Profiles of `n` functions, which `main` calls.
fn write(
    n: usize,
    folder: &Path,
    file: impl Fn(&str, usize) -> String,
    name: impl Fn(&str, usize) -> String,
) -> io::Result<()> {
    for (side, cost) in [("base", 2), ("new", 3)] {
        let mut text = "events: Ir\nob=prog\nfl=main.c\nfn=main\n1 1\n".to_owned();
        let mut functions = String::new();
        for i in 0..n {
            let (file, name) = (file(side, i), name(side, i));
            let _ = write!(text, "cfi={file}\ncfn={name}\ncalls=1 1\n{} {cost}\n", i + 1);
            let _ = write!(functions, "fl={file}\nfn={name}\n1 {cost}\n");
        }
        fs::write(folder.join(format!("{side}.out")), text + &functions)?;
    }
    Ok(())
}

/// Profiles of one function, whose lines have these texts in BASE and in NEW.
fn lines(
    n: usize,
    folder: &Path,
    base: impl Fn(usize) -> usize,
    new: impl Fn(usize) -> usize,
) -> io::Result<()> {
    fs::create_dir(folder.join("old"))?;
    let text = |of: &dyn Fn(usize) -> usize| -> String {
        (0..n).map(|i| format!("line {}\n", of(i))).collect()
    };
    fs::write(folder.join("old/a.c"), text(&base))?;
    fs::write(folder.join("a.c"), text(&new))?;
    for (side, cost) in [("base", 2), ("new", 3)] {
        let mut profile = "events: Ir\nob=prog\nfl=a.c\nfn=main\n".to_owned();
        (1..=n).for_each(|line| {
            let _ = writeln!(profile, "{line} {cost}");
        });
        fs::write(folder.join(format!("{side}.out")), profile)?;
    }
    Ok(())
}
