//! The colours of the page: what each stands for, and how it is put around a text. They are those of the
//! terminal's own palette, so that they can be read on dark and on light.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style as Ansi};

/// What a text is, as far as its colour tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ink {
    /// A cost of so much percent of the total: the more, the brighter.
    Share(f64),
    /// A change by so much percent of the total: red if it costs more, green if less.
    Change(f64),
    /// A source file.
    File,
    /// The function that a row is about.
    Function,
    /// What is there for completeness: rules, objects, counts that no line gave.
    Aside,
    /// The name of an annotated source.
    Title,
    /// A warning.
    Warning,
    /// Anything else.
    Plain,
}

impl Ink {
    fn ansi(self) -> Ansi {
        let plain = Ansi::new();
        match self {
            Ink::Share(percent) => match percent {
                20.0.. => AnsiColor::Red.on_default().bold(),
                5.0.. => AnsiColor::Red.on_default(),
                1.0.. => AnsiColor::Yellow.on_default(),
                0.1.. => plain,
                _ => plain.dimmed(),
            },
            Ink::Change(percent) => {
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
            Ink::File => AnsiColor::Cyan.on_default(),
            Ink::Function | Ink::Title => plain.bold(),
            Ink::Aside => plain.dimmed(),
            Ink::Warning => AnsiColor::Yellow.on_default(),
            Ink::Plain => plain,
        }
    }

    /// Does what writes a text, in this colour if there are `colours`.
    pub(super) fn around<W: Write + ?Sized>(
        self,
        colours: bool,
        out: &mut W,
        write: impl FnOnce(&mut W) -> io::Result<()>,
    ) -> io::Result<()> {
        let ansi = if colours { self.ansi() } else { Ansi::new() };
        if ansi.is_plain() {
            return write(out);
        }
        write!(out, "{ansi}")?;
        write(out)?;
        write!(out, "{ansi:#}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inked(ink: Ink, colours: bool) -> String {
        let mut out = Vec::new();
        ink.around(colours, &mut out, |out| out.write_all(b"x"))
            .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_share_is_the_brightness() {
        let shares = [0.01, 0.5, 2.0, 7.0, 40.0].map(|percent| inked(Ink::Share(percent), true));
        let expected = [
            "\x1b[2mx\x1b[0m",
            "x",
            "\x1b[33mx\x1b[0m",
            "\x1b[31mx\x1b[0m",
            "\x1b[1m\x1b[31mx\x1b[0m",
        ];
        assert_eq!(shares, expected);
        assert_eq!(inked(Ink::Change(-2.0), true), "\x1b[1m\x1b[32mx\x1b[0m");
        assert_eq!(inked(Ink::Change(0.5), true), "\x1b[31mx\x1b[0m");
    }

    #[test]
    fn without_colours_there_is_nothing_around() {
        for ink in [
            Ink::Share(50.0),
            Ink::Change(-1.0),
            Ink::File,
            Ink::Aside,
            Ink::Plain,
        ] {
            assert_eq!(inked(ink, false), "x");
        }
    }
}
