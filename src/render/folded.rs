//! Stacks for flame graphs, one per line: `main;work;step 1234`.

use std::io::{self, Write};

use super::{Style, write_escaped};
use crate::profile::{FunctionId, Profile};
use crate::view::{Rows, Stacks};

/// Writes stacks: the names of functions, outermost first, and the self cost of the last. Frames below `least` percent
/// of the total are cut; their cost stays with the frame above.
///
/// # Errors
/// Those of `out`.
pub fn write_folded(
    stacks: &Stacks,
    profile: &Profile,
    rows: &Rows<'_>,
    least: f64,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut names: Vec<Option<Vec<u8>>> = vec![None; profile.functions().count()];
    let are_groups = rows.grouping().is_group();
    stacks.for_each(least, |path: &[FunctionId], cost| {
        let mut separator: &[u8] = b"";
        let mut above = None;
        for &function in path {
            // A group that calls itself is one frame.
            if are_groups
                && above.replace(rows.of_function(function)) == Some(rows.of_function(function))
            {
                continue;
            }
            let name =
                names[function.index()].get_or_insert_with(|| frame(&rows.name_of(function)));
            out.write_all(separator)?;
            write_escaped(name, style.escapes, out)?;
            separator = b";";
        }
        writeln!(out, " {cost}")
    })
}

/// The name of a frame: characters that would end the frame or the line are replaced.
fn frame(name: &[u8]) -> Vec<u8> {
    let other = |&byte: &u8| match byte {
        b';' => b',',
        b'\n' | b'\r' => b' ',
        byte => byte,
    };
    match name {
        b"" => b"(no name)".to_vec(),
        name => name.iter().map(other).collect(),
    }
}
