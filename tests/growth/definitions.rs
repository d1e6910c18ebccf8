//! Functions whose code begins in a header, so that their definitions are looked for in the text of
//! their source: each has a prototype before all definitions.

use std::fmt::Write;
use std::fs;

use super::Shape;

/// The number of lines of a definition.
const LINES: usize = 200;

pub const SHAPES: &[Shape] = &[("definitions", 225, |n, folder| {
    let (mut source, mut bodies) = (String::new(), String::new());
    let mut profile = "events: Ir\nob=prog\n".to_owned();
    for i in 0..n {
        let _ = writeln!(source, "static int function{i}(int);");
        let _ = writeln!(bodies, "static int function{i}(int a) {{");
        for k in 1..LINES - 1 {
            let _ = writeln!(bodies, "  a += table[{k}] * other(a, {i});");
        }
        bodies.push_str("}\n");
        let line = n + LINES * i + LINES / 2;
        let _ = write!(profile, "fl=a.h\nfn=function{i}\n1 2\nfe=a.c\n{line} 1\n");
    }
    fs::write(folder.join("a.c"), source + &bodies)?;
    fs::write(folder.join("a.h"), "int other(int, int);\n")?;
    fs::write(folder.join("new.out"), profile)
})];
