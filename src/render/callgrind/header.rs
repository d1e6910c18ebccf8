//! The header, and the totals.

use std::io::{self, Write};

use super::write_text;
use crate::profile::{Code, Count, Part, Profile};
use crate::render::Style;

/// Writes what precedes the functions, and totals.
pub(super) struct HeaderWriter<'a, W> {
    pub(super) profile: &'a Profile,
    pub(super) style: Style<'a>,
    pub(super) out: &'a mut W,
}

impl<W: Write> HeaderWriter<'_, W> {
    /// Writes the header, for instructions too if there are any.
    pub(super) fn header(&mut self, code: Option<&Code>) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        writeln!(
            self.out,
            "# callgrind format\nversion: 1\ncreator: cgannotate-{version}"
        )?;
        let parts = self.profile.parts();
        let only = parts.first().filter(|_| parts.len() == 1);
        self.field("pid", common(parts, |part| part.pid.as_deref()))?;
        self.field("cmd", common(parts, |part| part.command.as_deref()))?;
        self.field("part", only.and_then(|part| part.part_number.as_deref()))?;
        self.field("thread", only.and_then(|part| part.thread.as_deref()))?;
        for description in parts
            .first()
            .into_iter()
            .flat_map(|part| &part.descriptions)
        {
            if parts
                .iter()
                .all(|part| part.descriptions.contains(description))
            {
                self.field("desc", Some(description))?;
            }
        }
        let positions = match code {
            Some(code) if code.has_addresses && code.has_lines => "instr line",
            Some(code) if code.has_addresses => "instr",
            _ => "line",
        };
        writeln!(self.out, "positions: {positions}")?;
        let events = self.profile.events();
        let shown = self.style.shown.iter();
        let shown: Vec<_> = shown.map(|&event| events.name(event)).collect();
        let long_name = |name| match events.long_name(name) {
            Some(long_name) => [b" : ", long_name].concat(),
            None => Vec::new(),
        };
        for (name, formula) in events.formulas() {
            if !shown.contains(&name) && !formula.is_ratio() {
                let definition = [name, b" = ", &formula.to_bytes(), &long_name(name)].concat();
                self.field("event", Some(&definition))?;
            }
        }
        for name in &shown {
            if events.long_name(name).is_some() {
                self.field("event", Some(&[name, &long_name(name)[..]].concat()))?;
            }
        }
        self.field("events", Some(&shown.join(&b' ')))
    }

    fn field(&mut self, key: &str, value: Option<&[u8]>) -> io::Result<()> {
        if let Some(value) = value {
            write!(self.out, "{key}: ")?;
            write_text(value, self.style.escapes, self.out)?;
        }
        Ok(())
    }

    /// Writes a total. Undefined counts are written as 0, because a total has a number for each event.
    pub(super) fn totals(&mut self, key: &str, cost: &[Count]) -> io::Result<()> {
        write!(self.out, "{key}:")?;
        for &event in self.style.shown {
            write!(self.out, " {}", cost[event].or_zero())?;
        }
        writeln!(self.out)
    }
}

/// The value that all parts have in common.
fn common<'p>(parts: &'p [Part], value: impl Fn(&'p Part) -> Option<&'p [u8]>) -> Option<&'p [u8]> {
    let first = value(parts.first()?)?;
    parts
        .iter()
        .all(|part| value(part) == Some(first))
        .then_some(first)
}
