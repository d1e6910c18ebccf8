//! The colours of the report. They are those of the terminal's own palette, which are legible on
//! dark and on light backgrounds.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style as Ansi};

/// The kind of a text, which determines its colour.
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
                let colour = if percent < 0.0 { AnsiColor::Green } else { AnsiColor::Red };
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

    /// Calls `write` to write a text, in this colour if `colours`.
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
