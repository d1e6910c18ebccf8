//! Headers and parts: where a part begins and ends, and what its header sets.

use std::sync::Arc;

use crate::profile::{
    Count, DivideBy, Formula, FunctionKey, LimitExceeded, MAX_EVENTS, Part, Position,
};
use crate::read::callgrind::{Current, Reader};
use crate::read::header::{Header, WrongTotal, words};
use crate::read::lexer::State;
use crate::read::warning::{ClosingTotal, ErrorKind, MAX_EVENT_NAME, Warning, signed};

/// What has the cost of a part that is of none of its functions.
const NO_FUNCTION: &[u8] = b"(no function)";

/// The maximum memory for one header, in bytes.
const MAX_HEADER_BYTES: usize = 64 << 20;

impl Reader<'_> {
    pub(super) fn header_line(&mut self, key: &[u8], value: &[u8]) -> Result<(), ErrorKind> {
        if !Header::knows(key) {
            // Other keys may be in headers, which begin behind the total of the part before.
            if self.part.in_body && self.part.closing_total.is_none() {
                self.add_warning(Warning::UnknownLine);
            }
            return Ok(());
        }
        // An argument of the program may have any character.
        if value.contains(&b'\r') && !matches!(key, b"cmd" | b"desc") {
            return Err(ErrorKind::CarriageReturns);
        }
        let begins_part = self.part.in_body || key == b"part" && self.part.header.is_complete();
        // Totals may follow the body that they belong to.
        if begins_part && !matches!(key, b"summary" | b"totals" | b"total") {
            self.end_part()?;
        }
        self.part.header_bytes += key.len() + value.len() + size_of::<Vec<u8>>();
        if self.part.header_bytes > MAX_HEADER_BYTES {
            return Err(ErrorKind::Headers);
        }
        if let Some(warning) = self.part.header.set(key, value, self.state.line)? {
            self.add_warning(warning);
        }
        let has_cost = value.iter().any(|byte| matches!(byte, b'1'..=b'9'));
        // A part without costs, such as that of a thread which was not measured, has no body.
        if self.part.in_body || !has_cost {
            self.part.closing_total = match key {
                b"summary" => Some(ClosingTotal { key: "summary", has_cost }),
                b"totals" => Some(ClosingTotal { key: "totals", has_cost }),
                _ => self.part.closing_total,
            };
        }
        match key {
            b"events" => self.set_events(value)?,
            b"event" => self.event_line(value),
            _ => {}
        }
        Ok(())
    }

    /// Sets the columns to the events that an `events:` line names, and resets what is current.
    fn set_events(&mut self, names: &[u8]) -> Result<(), ErrorKind> {
        let mut columns = Vec::new();
        for name in words(names) {
            if name.len() > MAX_EVENT_NAME {
                return Err(ErrorKind::LongEvent);
            }
            let event =
                self.profile.add_event(name).map_err(|LimitExceeded| ErrorKind::ManyEvents)?;
            if columns.contains(&event) {
                return Err(ErrorKind::SameEvent);
            }
            columns.push(event);
        }
        if columns.is_empty() {
            return Err(ErrorKind::NoEvents);
        }
        self.widened = vec![Count::UNDEFINED; self.profile.events().len()];
        self.part.header.set_columns(columns, self.state.line)?;
        self.current = Current::new(self.profile)?;
        self.state = State { line: self.state.line, ..State::new(self.current.no_file) };
        Ok(())
    }

    /// Begins the body of the current part, unless it has begun: its header is then complete.
    #[inline]
    pub(super) fn enter_body(&mut self) {
        if !self.part.in_body {
            self.begin_body();
        }
    }

    #[cold]
    fn begin_body(&mut self) {
        self.part.in_body = true;
        self.part.closing_total = None;
        self.check_definitions();
        let number = self.part.before + 1;
        self.part.is_wanted = self.options.includes(&self.part.header.part, number);
        let positions = self.part.header.layout.positions;
        self.warnings.lacks_lines |= positions.address && !positions.line;
        self.warnings.has_addresses |= positions.address;
        if self.part.is_wanted {
            if self.code.is_some() {
                self.warnings.lacks_addresses |= !positions.address;
                self.profile.note_instructions(positions.address, positions.line);
            }
            self.begin_division();
        }
    }

    /// Begins the division of a thread, part or process, if fragments are divided by these. A part
    /// is known by its number and its name; parts without a number are numbered in order.
    fn begin_division(&mut self) {
        let part = &self.part.header.part;
        let joined = |words: [Option<&[u8]>; 2]| {
            let words: Vec<&[u8]> = words.into_iter().flatten().collect();
            words.join(&b' ')
        };
        let pid = part.pid.clone().unwrap_or_default();
        let division = match self.options.detail.divide_by {
            DivideBy::Thread => {
                let thread = part.thread.clone().unwrap_or_default();
                self.profile.add_division_of_process(&thread, pid)
            }
            DivideBy::Part => {
                let in_order = (self.profile.part_count() + 1).to_string();
                let number = part.part_number.as_deref().unwrap_or(in_order.as_bytes());
                let name = joined([Some(number), part.name()]);
                self.profile.add_division_of_process(&name, pid)
            }
            DivideBy::Process => {
                let name = joined([part.pid.as_deref(), part.command.as_deref()]);
                self.profile.add_division(&name)
            }
            DivideBy::Command => {
                let command = part.command.clone().unwrap_or_default();
                self.profile.add_division(&command)
            }
            DivideBy::OtherThreads | DivideBy::Levels => {
                let thread = part.thread.clone().unwrap_or_default();
                // A producer that writes no numbers of processes has a file for each.
                let process = part.pid.clone().unwrap_or_else(|| Arc::clone(&self.path));
                self.profile.add_division_of_other_thread(&thread, process)
            }
            DivideBy::Nothing | DivideBy::Inlined => return,
        };
        // Names beyond the number of ids would not fit into memory.
        self.current.division = division.unwrap_or_default();
        self.current.fragment = None;
    }

    pub(super) fn end_part(&mut self) -> Result<(), ErrorKind> {
        self.check_definitions();
        if !std::mem::take(&mut self.part.in_body) {
            self.begin_division();
        }
        self.part.is_wanted = false;
        self.part.header_bytes = 0;
        if let Some((key, lack)) = self.part.header.lacking_total() {
            self.add_warning(Warning::MissingTotals { key, lack });
        }
        self.warnings.closing_total = self.part.closing_total.take();
        let has_calls = self.part.header.has_calls;
        let Some((part, wrong_totals)) = self.part.header.end_part() else {
            return Ok(());
        };
        let (peaks, wrong_totals) = self.without_peaks(&part, wrong_totals);
        let mut part = Part { file: Arc::clone(&self.path), ..part };
        for peak in peaks {
            part.total[peak.column] = part.self_cost[peak.column];
            part.peaks.push((part.columns[peak.column], peak.stated));
        }
        self.part.before += 1;
        if !self.options.includes(&part, self.part.before) {
            self.warnings.skipped.push(part);
            return Ok(());
        }
        self.has_costs |= part.has_cost() || has_calls;
        for key in ["summary", "totals"] {
            let of_key = wrong_totals.iter().filter(|wrong| wrong.key == key);
            let is_damage = of_key.clone().any(|wrong| wrong.is_damage);
            let off = of_key
                .clone()
                .map(|wrong| {
                    let event = self.event_name(part.columns[wrong.column]);
                    format!("{} {event}", signed(wrong.off))
                })
                .collect::<Vec<_>>()
                .join(", ");
            let size = of_key.clone().map(|wrong| wrong.off.unsigned_abs()).max();
            let size = size.map(|size| u64::try_from(size).unwrap_or(u64::MAX));
            // The first event of the profile may be another one in this part.
            let is_minor =
                |wrong: &WrongTotal| wrong.is_sum_stated && part.columns[wrong.column] > 0;
            let minor = of_key.clone().filter(|wrong| is_minor(wrong));
            let minor_events = if minor.clone().count() == of_key.clone().count() {
                minor.map(|wrong| self.event_name(part.columns[wrong.column])).collect()
            } else {
                Box::default()
            };
            if let (Some(first), Some(size)) = (of_key.clone().next(), size) {
                let warning =
                    Warning::Totals { off: off.into(), size, key, is_damage, minor_events };
                self.warnings.add(first.line, warning);
            }
        }
        self.warnings.has_parts = true;
        self.add_cost_of_no_function(&part)?;
        Ok(self.profile.add_part(part)?)
    }

    /// Adds what the total of a part has above its functions, such as the time of system calls that
    /// end a thread, to the row of its thread, part or process, so that rows add up to the total.
    /// Where rows are of functions, it is in none.
    fn add_cost_of_no_function(&mut self, part: &Part) -> Result<(), ErrorKind> {
        use DivideBy::{Command, Process, Thread};
        if !matches!(self.options.detail.divide_by, Thread | DivideBy::Part | Process | Command) {
            return Ok(());
        }
        let mut cost = vec![Count::UNDEFINED; self.profile.events().len()];
        let counts = part.total.iter().zip(&part.self_cost);
        for (&event, (total, own)) in part.columns.iter().zip(counts) {
            let above = total.or_zero() - own.or_zero();
            if above != 0 {
                cost[event] = Count::new(above);
            }
        }
        if cost.iter().all(|&count| count == Count::UNDEFINED) {
            return Ok(());
        }
        let (object, file) = (self.profile.add_object(b"")?, self.profile.add_file(b"???")?);
        let name = self.interner.intern(NO_FUNCTION, false)?.id;
        let function = self.profile.functions().add(FunctionKey { object, file, name })?;
        let division = self.current.division;
        let place = self.profile.add_place(function, file, Position::default(), division)?;
        Ok(self.profile.add_cost(place, &cost)?)
    }

    /// Parts the stated totals that are no sums of costs from those that are wrong.
    fn without_peaks(
        &self,
        part: &Part,
        wrong: Vec<WrongTotal>,
    ) -> (Vec<WrongTotal>, Vec<WrongTotal>) {
        let events = self.profile.events();
        let is_peak = |wrong: &WrongTotal| {
            let event = events.name(part.columns[wrong.column]);
            self.part.header.has_peak_of(event) && !self.options.has_peaks_as_totals
        };
        wrong.into_iter().partition(is_peak)
    }

    pub(super) fn event_name(&self, event: usize) -> String {
        let name = String::from_utf8_lossy(self.profile.events().name(event));
        name.escape_debug().to_string()
    }

    /// Reads an `event:` line: `NAME : LONG NAME` or `NAME = FORMULA`, with a long name or without.
    fn event_line(&mut self, value: &[u8]) {
        self.profile.definitions().set_long_name(value);
        let equals = value.iter().position(|&byte| byte == b'=');
        let name = equals.map_or(&b""[..], |equals| value[..equals].trim_ascii());
        let has_formula = !name.is_empty() && !name.iter().any(u8::is_ascii_whitespace);
        match Formula::parse_definition(value, true) {
            Some((name, formula)) => {
                // The profile keeps no more.
                if self.part.definitions.len() < MAX_EVENTS {
                    self.part.definitions.push((self.state.line, name.clone()));
                }
                if self.warnings.definitions.len() < MAX_EVENTS {
                    let definition = (self.state.line, name.clone(), formula.clone());
                    self.warnings.definitions.push(definition);
                }
                self.profile.definitions().define(name, formula);
            }
            None if Formula::needs_decimals(value) => self.add_warning(Warning::Decimals),
            None if has_formula || !value.contains(&b':') => self.add_warning(Warning::Event),
            None => {}
        }
    }

    /// Removes the formulas of a complete header that define nothing, with a warning.
    pub(super) fn check_definitions(&mut self) {
        let events = self.profile.events();
        let definitions = std::mem::take(&mut self.part.definitions).into_iter();
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
