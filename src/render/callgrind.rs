//! The profile written back in callgrind's format, so that KCachegrind, callgrind_annotate and this program read the same
//! sums from it: several profiles merged, renamed, or the difference of two.
//!
//! Positions are absolute, so it does not matter by which rule a reader takes relative ones. Kept is what the
//! profile holds: one part, lines, calls. Jumps, the addresses of instructions and the lines at which callees begin are not.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};

use super::Style;
use crate::profile::{Count, FileId, Function, FunctionId, ObjectId, Overflow, Part, Profile};
use crate::view::{Total, Written, WrittenLine};

/// Writes a profile. Shown are the events of `style`; those that the profile's own formulas derive keep their formulas.
///
/// # Errors
/// Those of `out`, and names that the format cannot hold, before anything is written.
pub fn write_callgrind(
    written: &Written<'_>,
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
        objects: Known::default(),
        files: Known::default(),
        functions: Known::default(),
        object: None,
        file: None,
    };
    writer.header()?;
    // A total that no file stated is not stated now, unless it is another than readers would find.
    let is_stated = profile.parts.iter().any(|part| !part.is_calculated());
    if is_stated || total.cost != self_cost {
        writer.totals("summary", &total.cost)?;
    }
    for &function in written.functions() {
        let lines = written.lines(function);
        if lines.is_empty() && profile.base.is_some() {
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

/// Writes names once and their numbers from then on.
struct Writer<'a, W> {
    profile: &'a Profile,
    style: Style<'a>,
    out: &'a mut W,
    objects: Known,
    files: Known,
    functions: Known,
    /// The current object and the current file, as a reader has them.
    object: Option<ObjectId>,
    file: Option<FileId>,
}

impl<W: Write> Writer<'_, W> {
    fn header(&mut self) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        writeln!(
            self.out,
            "# callgrind format\nversion: 1\ncreator: cgannotate-{version}"
        )?;
        let parts = &self.profile.parts;
        let only = parts.first().filter(|_| parts.len() == 1);
        self.field("pid", common(parts, |part| part.pid.as_deref()))?;
        self.field("cmd", common(parts, |part| part.command.as_deref()))?;
        self.field("part", only.and_then(|part| part.number.as_deref()))?;
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
        for part in self.profile.base.iter().flat_map(|base| &base.parts) {
            self.field("desc", Some(&[b"Less: ", &part.file[..]].concat()))?;
        }
        writeln!(self.out, "positions: line")?;
        let events = &self.profile.events;
        let shown: Vec<_> = self
            .style
            .shown
            .iter()
            .map(|&event| events.name(event))
            .collect();
        for (name, formula) in events.definitions() {
            if !shown.contains(&name) {
                let definition = [name, b" = ", &formula.to_bytes()].concat();
                self.field("event", Some(&definition))?;
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

    /// A total. What is undefined is 0 here, as a total has a number for each event.
    fn totals(&mut self, key: &str, cost: &[Count]) -> io::Result<()> {
        write!(self.out, "{key}:")?;
        for &event in self.style.shown {
            write!(self.out, " {}", cost[event].or_zero())?;
        }
        writeln!(self.out)
    }

    /// The begin of a function.
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

    /// A self cost, or a call with its cost.
    fn line(&mut self, function: &Function, line: &WrittenLine<'_>) -> io::Result<()> {
        let place = line.place();
        if self.file != Some(place.file) {
            let key = if place.file == function.file {
                "fe"
            } else {
                "fi"
            };
            self.file_name(key, place.file)?;
            self.file = Some(place.file);
        }
        let cost = match *line {
            WrittenLine::SelfCost(_, cost) => cost,
            WrittenLine::Call(call, count, cost) => {
                let callee = self.profile.function(call.callee);
                if callee.object != function.object {
                    self.object_name("cob", callee.object)?;
                }
                // Said also where it is understood, but for a file without a name, which can only be understood.
                let has_name = !self.profile.file(callee.file).is_empty();
                if has_name && (callee.file != place.file || place.file != function.file) {
                    self.file_name("cfi", callee.file)?;
                }
                self.function_name("cfn", call.callee)?;
                // Callgrind's own counts have no sign; a negative one of a difference is wrapped, so that
                // callgrind_annotate does not take the call's cost for self cost.
                writeln!(self.out, "calls={} 0", count.cast_unsigned())?;
                cost
            }
        };
        write!(self.out, "{}", place.line)?;
        self.counts(cost)?;
        writeln!(self.out)
    }

    /// The counts of a cost line. Undefined ones at the end are left out; others are written as 0, as KCachegrind reads no
    /// further than to a `.`.
    fn counts(&mut self, cost: &[Count]) -> io::Result<()> {
        let shown = self.style.shown;
        let last = shown
            .iter()
            .rposition(|&event| cost[event].value().is_some());
        shown[..last.map_or(0, |last| last + 1)]
            .iter()
            .try_for_each(|&event| write!(self.out, " {}", cost[event].or_zero()))
    }

    fn object_name(&mut self, key: &str, object: ObjectId) -> io::Result<()> {
        let number = self.objects.number(object.index());
        self.name(key, number, self.profile.object(object))
    }

    fn file_name(&mut self, key: &str, file: FileId) -> io::Result<()> {
        let number = self.files.number(file.index());
        self.name(key, number, self.profile.file(file))
    }

    /// A function has a number of its own, also where others have its name: for KCachegrind the number stands for
    /// the function in the file and the object in which it was first named.
    fn function_name(&mut self, key: &str, function: FunctionId) -> io::Result<()> {
        let number = self.functions.number(function.index());
        self.name(
            key,
            number,
            self.profile.name(self.profile.function(function).name),
        )
    }

    /// `key=(number) name` for the first time, then without the name. Behind a number a name cannot be empty or begin
    /// with a blank; such a one is written in full each time.
    fn name(&mut self, key: &str, number: Number, name: &[u8]) -> io::Result<()> {
        write!(self.out, "{key}=")?;
        if name.first().is_none_or(u8::is_ascii_whitespace) {
            return self.text(name);
        }
        write!(self.out, "({})", number.value)?;
        if number.is_new {
            write!(self.out, " ")?;
            return self.text(name);
        }
        writeln!(self.out)
    }

    /// The rest of a line. A carriage return at its end would be taken for a part of the newline.
    fn text(&mut self, text: &[u8]) -> io::Result<()> {
        super::write_text(text, self.style.escapes, self.out)?;
        self.out.write_all(if text.ends_with(b"\r") {
            b"\r\n"
        } else {
            b"\n"
        })
    }
}

/// The numbers of the objects, files or functions, from 1 in the order of writing.
#[derive(Default)]
struct Known {
    /// By their ids; 0 if it was not written yet.
    numbers: Vec<u32>,
    last: u32,
}

/// The number that stands for a name.
struct Number {
    value: u32,
    is_new: bool,
}

impl Known {
    /// The number of the name at this position in the profile's list; from now on it is known.
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

/// What all parts say alike.
fn common<'p>(parts: &'p [Part], value: impl Fn(&'p Part) -> Option<&'p [u8]>) -> Option<&'p [u8]> {
    let first = value(parts.first()?)?;
    parts
        .iter()
        .all(|part| value(part) == Some(first))
        .then_some(first)
}

/// Looks for names that no line can hold.
fn check_names(profile: &Profile) -> Result<(), WriteError> {
    let check = |name: &[u8]| match name.contains(&b'\n') {
        true => Err(WriteError::Name(name.to_vec())),
        false => Ok(()),
    };
    profile.files().try_for_each(check)?;
    for (_, function) in profile.functions() {
        check(profile.object(function.object))?;
        check(profile.name(function.name))?;
    }
    for (call, _) in profile.calls.iter() {
        let callee = profile.function(call.callee);
        if callee.file != call.site.file && profile.file(callee.file).is_empty() {
            return Err(WriteError::NoFile(profile.name(callee.name).to_vec()));
        }
    }
    Ok(())
}

/// Why a profile could not be written.
#[derive(Debug)]
pub enum WriteError {
    /// A name has a newline in it.
    Name(Vec<u8>),
    /// The file of this function, which is called from others, has an empty name.
    NoFile(Vec<u8>),
    /// A sum does not fit.
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
                    "callgrind's format has no way to write the name '{}'",
                    name.escape_ascii()
                )
            }
            WriteError::NoFile(name) => write!(
                f,
                "callgrind's format has no way to write a call of '{}', whose file has no name",
                name.escape_ascii()
            ),
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
