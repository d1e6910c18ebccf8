//! The profile in callgrind's format: merged, renamed, filtered, or the difference of two. KCachegrind,
//! callgrind_annotate and cgannotate read the same sums from it.
//!
//! Positions are absolute, because readers differ in how they resolve relative ones.

mod code;

use std::error::Error;
use std::fmt;
use std::io::{self, Write};

use super::Style;
use super::number::NumberText;
use crate::profile::{
    Code, Count, Division, FileId, Function, FunctionId, Measured, ObjectId, Overflow, Part,
    Profile,
};
use crate::view::{Export, ExportLine, Total};

/// Writes a profile with the events that `style` shows; events that the profile derives keep their formulas.
///
/// # Errors
/// Those of `out`, and names that the format cannot represent, before anything is written.
pub fn write_callgrind(
    written: &Export<'_>,
    profile: &Profile,
    total: &Total,
    style: Style<'_>,
    out: &mut impl Write,
) -> Result<(), WriteError> {
    let self_cost = written.self_cost()?;
    check_names(profile)?;
    let mut writer = Writer {
        profile,
        style,
        out,
        objects: Numbering::default(),
        files: Numbering::default(),
        functions: Numbering::default(),
        object: None,
        file: None,
        inlined: Division::NONE,
    };
    writer.header(written.code())?;
    // A total that no file has is not written, unless readers would compute a different one.
    let is_stated = profile.parts().iter().any(|part| !part.is_calculated());
    let total = &total.figure.value;
    if is_stated || *total != self_cost {
        writer.totals("summary", total)?;
    }
    for &function in written.functions() {
        if let Some(code) = written.code() {
            writer.function(function)?;
            for line in written.code_lines(function)? {
                writer.code_line(function, &line, code)?;
            }
            continue;
        }
        let lines = written.lines(function);
        if lines.is_empty() && profile.is_difference() {
            continue;
        }
        writer.function(function)?;
        for line in lines {
            writer.line(profile.function(function), &line)?;
        }
    }
    if is_stated {
        writeln!(writer.out)?;
        writer.totals("totals", &self_cost)?;
    }
    Ok(())
}

/// Writes each name once, and later only its number.
struct Writer<'a, W> {
    profile: &'a Profile,
    style: Style<'a>,
    out: &'a mut W,
    objects: Numbering,
    files: Numbering,
    functions: Numbering,
    /// The current object and the current file, as a reader has them.
    object: Option<ObjectId>,
    file: Option<FileId>,
    /// The function that the last lines were inlined from.
    inlined: Division,
}

impl<W: Write> Writer<'_, W> {
    fn header(&mut self, code: Option<&Code>) -> io::Result<()> {
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
        for part in self.profile.sides().base.iter().flat_map(Measured::parts) {
            self.field("desc", Some(&[b"Less: ", &part.file[..]].concat()))?;
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
            self.text(value)?;
        }
        Ok(())
    }

    /// Writes a total. Undefined counts are written as 0, because a total has a number for each event.
    fn totals(&mut self, key: &str, cost: &[Count]) -> io::Result<()> {
        write!(self.out, "{key}:")?;
        for &event in self.style.shown {
            write!(self.out, " {}", cost[event].or_zero())?;
        }
        writeln!(self.out)
    }

    /// Writes the start of a function.
    fn function(&mut self, id: FunctionId) -> io::Result<()> {
        let function = self.profile.function(id);
        writeln!(self.out)?;
        if self.object != Some(function.object) {
            self.object_name("ob", function.object)?;
            self.object = Some(function.object);
        }
        self.file_name("fl", function.file)?;
        self.file = Some(function.file);
        self.function_name("fn", id)
    }

    /// Writes a self cost, or a call with its cost.
    fn line(&mut self, function: &Function, line: &ExportLine<'_>) -> io::Result<()> {
        let place = line.location();
        self.enter_file(function, place.file)?;
        self.enter_inlined(place.division)?;
        let cost = match *line {
            ExportLine::SelfCost(_, cost) => cost,
            ExportLine::Call(_, called, count, cost) => {
                self.callee(function, place.file, called)?;
                // The format has no negative numbers of calls. Those of a difference are wrapped: callgrind_annotate would
                // take the cost of a call with a minus sign for self cost.
                self.out.write_all(b"calls=")?;
                self.digits(count.cast_unsigned())?;
                writeln!(self.out, " {}", self.profile.function(called).line)?;
                cost
            }
        };
        self.digits(place.line.into())?;
        self.counts(cost)?;
        self.out.write_all(b"\n")
    }

    /// Writes the file of the next line, if it is another than that of the last.
    fn enter_file(&mut self, function: &Function, file: FileId) -> io::Result<()> {
        if self.file != Some(file) {
            let is_own = file == function.file;
            self.file_name(if is_own { "fe" } else { "fi" }, file)?;
            self.file = Some(file);
        }
        Ok(())
    }

    /// Writes the function that the next line was inlined from, if it is another than that of the last.
    fn enter_inlined(&mut self, division: Division) -> io::Result<()> {
        if self.inlined != division {
            self.inlined = division;
            self.out.write_all(b"cfni=")?;
            let name = division.inlined();
            self.text(name.map_or(b"???", |name| self.profile.name(name)))?;
        }
        Ok(())
    }

    /// Writes what the next calls, made in `file`, call.
    fn callee(&mut self, function: &Function, file: FileId, called: FunctionId) -> io::Result<()> {
        let callee = self.profile.function(called);
        if callee.object != function.object {
            self.object_name("cob", callee.object)?;
        }
        // Written also where readers would assume it.
        if callee.file != file || file != function.file {
            self.file_name("cfi", callee.file)?;
        }
        self.function_name("cfn", called)
    }

    /// Writes the counts of a cost line. Undefined ones at the end are omitted; others are written as 0, because
    /// KCachegrind stops reading at a `.`.
    fn counts(&mut self, cost: &[Count]) -> io::Result<()> {
        let shown = self.style.shown;
        let last = shown
            .iter()
            .rposition(|&event| cost[event].value().is_some());
        for &event in &shown[..last.map_or(0, |last| last + 1)] {
            let mut text = NumberText::plain(cost[event].or_zero());
            text.prepend(b' ');
            self.out.write_all(text.as_bytes())?;
        }
        Ok(())
    }

    fn digits(&mut self, number: u64) -> io::Result<()> {
        let mut text = NumberText::new();
        text.prepend_digits(number, 1);
        self.out.write_all(text.as_bytes())
    }

    fn object_name(&mut self, key: &str, object: ObjectId) -> io::Result<()> {
        let number = self.objects.number(object.index());
        self.name(key, number, self.profile.object(object))
    }

    fn file_name(&mut self, key: &str, file: FileId) -> io::Result<()> {
        let number = self.files.number(file.index());
        self.name(key, number, self.profile.file(file))
    }

    /// Each function has its own number, also if others have the same name: for KCachegrind a number identifies the
    /// function in the file and the object in which it was first named.
    fn function_name(&mut self, key: &str, function: FunctionId) -> io::Result<()> {
        let number = self.functions.number(function.index());
        let name = self.profile.function(function).name;
        self.name(key, number, self.profile.name(name))
    }

    /// Writes `key=(number) name` the first time, later without the name. A name after a number cannot be empty or start
    /// with a space; such names are written without numbers.
    fn name(&mut self, key: &str, number: Number, name: &[u8]) -> io::Result<()> {
        self.out.write_all(key.as_bytes())?;
        if name.first().is_none_or(u8::is_ascii_whitespace) {
            self.out.write_all(b"=")?;
            return self.text(name);
        }
        self.out.write_all(b"=(")?;
        self.digits(number.value.into())?;
        if number.is_new {
            self.out.write_all(b") ")?;
            return self.text(name);
        }
        self.out.write_all(b")\n")
    }

    /// Writes the rest of a line. A carriage return at its end would be read as part of the newline.
    fn text(&mut self, text: &[u8]) -> io::Result<()> {
        super::write_escaped(text, self.style.escapes, self.out)?;
        self.out.write_all(if text.ends_with(b"\r") {
            b"\r\n"
        } else {
            b"\n"
        })
    }
}

/// Numbers objects, files or functions from 1, in the order of writing.
#[derive(Default)]
struct Numbering {
    /// The number by id; 0 if not written yet.
    numbers: Vec<u32>,
    last: u32,
}

/// The number of a name.
struct Number {
    value: u32,
    is_new: bool,
}

impl Numbering {
    /// The number of the name with this index in the profile, which is new only the first time.
    fn number(&mut self, index: usize) -> Number {
        if index >= self.numbers.len() {
            self.numbers.resize(index + 1, 0);
        }
        let is_new = self.numbers[index] == 0;
        if is_new {
            self.last += 1;
            self.numbers[index] = self.last;
        }
        Number {
            value: self.numbers[index],
            is_new,
        }
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

/// Checks for names that the format cannot represent.
fn check_names(profile: &Profile) -> Result<(), WriteError> {
    let check = |name: &[u8]| match name.contains(&b'\n') {
        true => Err(WriteError::Name(name.to_vec())),
        false => Ok(()),
    };
    profile.files().try_for_each(check)?;
    profile.names().try_for_each(check)?;
    for (_, function) in profile.functions() {
        check(profile.object(function.object))?;
    }
    Ok(())
}

/// Why a profile could not be written.
#[derive(Debug)]
pub enum WriteError {
    /// A name contains a newline.
    Name(Vec<u8>),
    /// A sum overflows.
    Overflow(Overflow),
    /// An error of the output.
    Io(io::Error),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Name(name) => {
                write!(
                    f,
                    "the callgrind format cannot represent the name '{}'",
                    name.escape_ascii()
                )
            }
            WriteError::Overflow(overflow) => write!(f, "the total {overflow}"),
            WriteError::Io(error) => error.fmt(f),
        }
    }
}

impl Error for WriteError {}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> WriteError {
        WriteError::Io(error)
    }
}

impl From<Overflow> for WriteError {
    fn from(overflow: Overflow) -> WriteError {
        WriteError::Overflow(overflow)
    }
}
