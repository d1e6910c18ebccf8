//! The lanes of arrows beside the code, in the letters that objdump draws them with.

use std::io::{self, Write};

use crate::render::colour::Paint;
use crate::view::asm::{Glyph, LaneRow};

/// How many columns a lane takes.
pub(super) const LANE: usize = 3;

/// Writes the lanes of one row, and a blank.
pub(super) fn write_lanes(
    row: &LaneRow,
    count: usize,
    colours: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    if count == 0 {
        return Ok(());
    }
    let mut is_joined = false;
    for lane in (0..count).rev() {
        let glyph = row.glyphs[lane];
        let is_end = matches!(glyph, Glyph::Top | Glyph::Bottom | Glyph::Joint);
        let byte = match glyph {
            Glyph::Blank if is_joined => b'-',
            Glyph::Blank => b' ',
            Glyph::Through => b'|',
            Glyph::Top => b'/',
            Glyph::Bottom => b'\\',
            Glyph::Joint => b'+',
        };
        let paint = if row.is_loop[lane] && glyph != Glyph::Blank {
            Paint::Function
        } else {
            Paint::Plain
        };
        paint.around(colours, out, |out| out.write_all(&[byte]))?;
        is_joined |= is_end;
        let between = if is_joined { b"--" } else { b"  " };
        match (lane, row.is_target) {
            (0, true) => out.write_all(b"->")?,
            _ => out.write_all(between)?,
        }
    }
    out.write_all(b" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::asm::lanes::{Arrow, Lanes};

    #[test]
    fn arrows_as_objdump_draws_them() {
        let arrow = |source, target, taken| Arrow {
            target,
            sources: vec![source],
            taken,
        };
        let arrows = vec![
            arrow(0, 8, 299),
            arrow(9, 1, 14_151),
            arrow(3, 6, 9_487),
            arrow(5, 7, 4_664),
        ];
        let lanes = Lanes::new(10, arrows);
        let mut out = Vec::new();
        for row in &lanes.rows {
            write_lanes(row, lanes.count, false, &mut out).unwrap();
            out.push(b'\n');
        }
        let expected = "
   /-------- \n/--|-------> \n|  |         \n|  |  /----- \n|  |  |      \n|  |  |  /-- \n|  |  \\--|-> \n|  |     \\-> \n|  \\-------> \n\\----------- \n";
        assert_eq!(
            String::from_utf8(out).unwrap(),
            expected.trim_start_matches('\n')
        );
    }
}
