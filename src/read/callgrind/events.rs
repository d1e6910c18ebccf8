//! `event:` lines: the long names of events, and events that are sums of others.

use super::Reader;
use crate::profile::{Formula, MAX_EVENTS};
use crate::read::warning::Warning;

impl Reader<'_> {
    /// Reads an `event:` line: `NAME : LONG NAME` or `NAME = FORMULA`, with a long name or without.
    pub(super) fn event_line(&mut self, value: &[u8]) {
        self.profile.definitions().set_long_name(value);
        let equals = value.iter().position(|&byte| byte == b'=');
        let name = equals.map_or(&b""[..], |equals| value[..equals].trim_ascii());
        let has_formula = !name.is_empty() && !name.iter().any(u8::is_ascii_whitespace);
        match Formula::parse_definition(value) {
            Some((name, formula)) => {
                // The profile keeps no more.
                if self.definitions.len() < MAX_EVENTS {
                    self.definitions.push((self.line, name.clone()));
                }
                self.profile.definitions().define(name, formula);
            }
            None if has_formula || !value.contains(&b':') => self.warn(Warning::Event),
            None => {}
        }
    }

    /// Leaves out the formulas of the header that define nothing, now that all of it is read.
    pub(super) fn check_definitions(&mut self) {
        let events = self.profile.events();
        let definitions = std::mem::take(&mut self.definitions).into_iter();
        let wrong = definitions.filter_map(|(line, name)| {
            let event = String::from_utf8_lossy(&name).escape_debug().to_string();
            let warning = match events.find(&name) {
                Some(_) => Warning::RecordedEvent { event },
                None if !events.is_computable(&name) => Warning::Formula { event },
                None => return None,
            };
            Some((line, name, warning))
        });
        for (line, name, warning) in wrong.collect::<Vec<_>>() {
            self.profile.definitions().undefine(&name);
            self.warnings.add(line, warning);
        }
    }
}
