//! The colours of the report. They are those of the terminal's own palette, which are legible on dark and on light
//! backgrounds.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style as Ansi};

/// The kind of a text, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Paint {
    /// A cost, by its percentage of the total: the higher, the brighter.
    Share(f64),
    /// A change, by its percentage of the total: red if the cost grew, green if it shrank.
    Change(f64),
    File,
    Function,
    /// Less important text: rules, objects, counts of 0.
    Dim,
    /// The name of an annotated source.
    Title,
    Warning,
    /// Anything else.
    Plain,
}

impl Paint {
    fn ansi(self) -> Ansi {
        let plain = Ansi::new();
        match self {
            Paint::Share(percent) => match percent {
                20.0.. => AnsiColor::Red.on_default().bold(),
                5.0.. => AnsiColor::Red.on_default(),
                1.0.. => AnsiColor::Yellow.on_default(),
                0.1.. => plain,
                _ => plain.dimmed(),
            },
            Paint::Change(percent) => {
                let colour = if percent < 0.0 {
                    AnsiColor::Green
                } else {
                    AnsiColor::Red
                };
                match percent.abs() {
                    1.0.. => colour.on_default().bold(),
                    0.1.. => colour.on_default(),
                    _ => colour.on_default().dimmed(),
                }
            }
            Paint::File => AnsiColor::Cyan.on_default(),
            Paint::Function | Paint::Title => plain.bold(),
            Paint::Dim => plain.dimmed(),
            Paint::Warning => AnsiColor::Yellow.on_default(),
            Paint::Plain => plain,
        }
    }

    /// Calls `write`, which writes a text, in this colour if there are `colours`.
    #[inline]
    pub(super) fn around<W: Write + ?Sized>(
        self,
        colours: bool,
        out: &mut W,
        write: impl FnOnce(&mut W) -> io::Result<()>,
    ) -> io::Result<()> {
        if !colours || self.ansi().is_plain() {
            return write(out);
        }
        let ansi = self.ansi();
        write!(out, "{ansi}")?;
        write(out)?;
        write!(out, "{ansi:#}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(paint: Paint, colours: bool) -> String {
        let mut out = Vec::new();
        let write = |out: &mut Vec<u8>| out.write_all(b"x");
        paint.around(colours, &mut out, write).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_higher_share_is_brighter() {
        let table = [
            (Paint::Share(0.01), "\x1b[2mx\x1b[0m"),
            (Paint::Share(0.5), "x"),
            (Paint::Share(2.0), "\x1b[33mx\x1b[0m"),
            (Paint::Share(7.0), "\x1b[31mx\x1b[0m"),
            (Paint::Share(40.0), "\x1b[1m\x1b[31mx\x1b[0m"),
            (Paint::Change(-2.0), "\x1b[1m\x1b[32mx\x1b[0m"),
            (Paint::Change(0.5), "\x1b[31mx\x1b[0m"),
        ];
        for (paint, expected) in table {
            assert_eq!(painted(paint, true), expected);
            assert_eq!(painted(paint, false), "x");
        }
    }
}
