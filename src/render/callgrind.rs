//! The profile in callgrind's format: merged, renamed or filtered. KCachegrind,
//! callgrind_annotate and cgannotate read the same sums from it.
//!
//! Positions are absolute, because readers differ in how they resolve relative ones.

mod names;

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::ops::Range;

use thiserror::Error;

use crate::profile::{
    Code, Count, Division, FileId, Function, FunctionId, ObjectId, Part, Profile,
};
use crate::render::Style;
use crate::render::callgrind::names::{Chunk, Name, Names};
use crate::render::number::NumberText;
use crate::render::parallel::{ChunkWriter, write_in_order};
use crate::view::{Export, ExportLine, ExportRecord, Total};

/// The fewest lines of a chunk but the last, and the size of a line in bytes that decides on threads.
const MIN_LINES: usize = 4096;
const LINE_SIZE: usize = 16;

/// Writes a profile with the events that `style` shows; events that the profile derives keep their formulas.
/// Names that the format cannot represent are an error, before anything is written.
pub fn write_callgrind(
    written: &Export<'_>,
    profile: &Profile,
    total: &Total,
    style: Style<'_>,
    out: &mut impl Write,
) -> Result<(), WriteError> {
    let self_cost = written.self_cost();
    check_names(profile)?;
    let mut header = HeaderWriter {
        profile,
        style,
        out,
    };
    header.header(written.code)?;
    // A total that no file has is not written, unless readers would compute a different one.
    let is_stated = profile.parts().iter().any(|part| !part.is_calculated);
    let total = &total.figure.value;
    if is_stated || *total != self_cost {
        header.totals("summary", total)?;
    }
    write_functions(written, profile, style, header.out)?;
    if is_stated {
        writeln!(header.out)?;
        header.totals("totals", &self_cost)?;
    }
    Ok(())
}

/// Writes all functions: threads make chunks of them, in which this one puts the names.
fn write_functions(
    written: &Export<'_>,
    profile: &Profile,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let chunks = chunks(written);
    let sizes: Vec<u64> = chunks.iter().map(|chunk| chunk.1 as u64).collect();
    let make = |chunk: usize, _: &mut Vec<u8>, _: &mut ChunkWriter<'_>| {
        let functions = &written.functions[chunks[chunk].0.clone()];
        Ok(FunctionWriter::new(profile, style).write(functions, written))
    };
    let (mut names, mut text) = (Names::new(profile, style.escapes), Vec::new());
    let finish = |_, chunk| {
        text.clear();
        names.add(&chunk, &mut text)?;
        out.write_all(&text)
    };
    write_in_order(&sizes, make, finish, &mut io::sink())
}

/// The functions in chunks, each with an estimate of its size in bytes.
fn chunks(written: &Export<'_>) -> Vec<(Range<usize>, usize)> {
    let (mut chunks, mut first, mut lines) = (Vec::new(), 0, 0);
    let functions = &written.functions;
    for (number, &function) in functions.iter().enumerate() {
        lines += 1 + written.line_count(function);
        if lines >= MIN_LINES || number + 1 == functions.len() {
            chunks.push((first..number + 1, lines * LINE_SIZE));
            (first, lines) = (number + 1, 0);
        }
    }
    chunks
}

/// Writes the rest of a line. A carriage return at its end would be read as part of the newline.
fn write_text(text: &[u8], escapes: bool, out: &mut impl Write) -> io::Result<()> {
    super::write_escaped(text, escapes, out)?;
    out.write_all(if text.ends_with(b"\r") {
        b"\r\n"
    } else {
        b"\n"
    })
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
#[derive(Debug, Error)]
pub enum WriteError {
    /// A name contains a newline.
    #[error("the callgrind format cannot represent the name '{}'", .0.escape_ascii())]
    Name(Vec<u8>),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Writes what precedes the functions, and totals.
struct HeaderWriter<'a, W> {
    profile: &'a Profile,
    style: Style<'a>,
    out: &'a mut W,
}

impl<W: Write> HeaderWriter<'_, W> {
    /// Writes the header, for instructions too if there are any.
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
        let descriptions = parts.first().map_or(&[][..], |part| &part.descriptions);
        for description in descriptions {
            let mut others = parts.iter();
            if others.all(|part| part.descriptions.contains(description)) {
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
    fn totals(&mut self, key: &str, cost: &[Count]) -> io::Result<()> {
        write!(self.out, "{key}:")?;
        for &event in self.style.shown {
            write!(self.out, " {}", cost[event].or_zero())?;
        }
        writeln!(self.out)
    }
}

fn common<'p>(parts: &'p [Part], value: impl Fn(&'p Part) -> Option<&'p [u8]>) -> Option<&'p [u8]> {
    let first = value(parts.first()?)?;
    let is_common = parts.iter().all(|part| value(part) == Some(first));
    is_common.then_some(first)
}

/// Makes a chunk. The current object and file are those of the chunk: at its start they are unknown.
struct FunctionWriter<'a> {
    profile: &'a Profile,
    style: Style<'a>,
    chunk: Chunk,
    object: Option<ObjectId>,
    file: Option<FileId>,
    /// The function that the last lines were inlined from.
    inlined: Division,
}

impl<'a> FunctionWriter<'a> {
    fn new(profile: &'a Profile, style: Style<'a>) -> FunctionWriter<'a> {
        FunctionWriter {
            profile,
            style,
            chunk: Chunk::default(),
            object: None,
            file: None,
            inlined: Division::NONE,
        }
    }

    fn write(mut self, functions: &[FunctionId], written: &Export<'_>) -> Chunk {
        for &function in functions {
            self.function(function);
            for line in written.lines(function) {
                self.line(self.profile.function(function), &line, written.code);
            }
        }
        self.chunk
    }

    /// Writes the start of a function.
    fn function(&mut self, id: FunctionId) {
        let function = self.profile.function(id);
        self.text(b"\n");
        if self.object != Some(function.object) {
            self.chunk.name("ob", Name::CurrentObject(function.object));
            self.object = Some(function.object);
        }
        self.chunk.name("fl", Name::File(function.file));
        self.file = Some(function.file);
        self.chunk.name("fn", Name::Function(id));
        self.inlined = Division::NONE;
    }

    /// Writes a self cost, a jump, or calls with their cost.
    fn line(&mut self, function: &Function, line: &ExportLine<'_>, code: Option<&Code>) {
        let at = line.at;
        self.enter_file(function, at.file);
        self.enter_inlined(at.division);
        let cost = match &line.record {
            ExportRecord::Cost(cost) => Some(&cost[..]),
            ExportRecord::Jump(jump, taken, executed) => {
                let target = jump.target;
                if target.file != at.file {
                    self.chunk.name("jfi", Name::File(target.file));
                }
                if target.function != at.function {
                    self.chunk.name("jfn", Name::Function(target.function));
                }
                match jump.is_conditional {
                    true => self.print(format_args!("jcnd={taken}/{executed} ")),
                    false => self.print(format_args!("jump={taken} ")),
                }
                self.position((target.address, target.line), code);
                self.text(b"\n");
                None
            }
            ExportRecord::Call(call, count, cost) => {
                self.callee(function, at.file, call.callee);
                // The format has no negative numbers of calls. They are wrapped: callgrind_annotate would take the cost of a
                // call with a minus sign for self cost.
                self.text(b"calls=");
                self.digits(count.cast_unsigned());
                self.text(b" ");
                self.position((call.address, call.line), code);
                self.text(b"\n");
                Some(*cost)
            }
        };
        self.position((at.address, at.line), code);
        if let Some(cost) = cost {
            let events = self.profile.events();
            let mut cost = Cow::Borrowed(cost);
            if events.has_derived() {
                events.derive(cost.to_mut());
            }
            self.counts(&cost);
        }
        self.text(b"\n");
    }

    /// Writes an address, a line or both.
    fn position(&mut self, (address, line): (u64, u32), code: Option<&Code>) {
        match code {
            Some(code) if code.has_addresses && code.has_lines => {
                self.print(format_args!("{address:#x} {line}"));
            }
            Some(code) if code.has_addresses => self.print(format_args!("{address:#x}")),
            _ => self.digits(line.into()),
        }
    }

    /// Writes the file of the next line, if it is another than that of the last.
    fn enter_file(&mut self, function: &Function, file: FileId) {
        if self.file != Some(file) {
            let is_own = file == function.file;
            self.chunk
                .name(if is_own { "fe" } else { "fi" }, Name::File(file));
            self.file = Some(file);
        }
    }

    /// Writes the function that the next line was inlined from, if it is another than that of the last.
    fn enter_inlined(&mut self, division: Division) {
        if self.inlined != division {
            self.inlined = division;
            self.chunk.name("cfni", Name::Inlined(division));
        }
    }

    /// Writes what the next calls, made in `file`, call.
    fn callee(&mut self, function: &Function, file: FileId, called: FunctionId) {
        let callee = self.profile.function(called);
        if callee.object != function.object {
            self.chunk.name("cob", Name::Object(callee.object));
        }
        // Written also where readers would assume it.
        if callee.file != file || file != function.file {
            self.chunk.name("cfi", Name::File(callee.file));
        }
        self.chunk.name("cfn", Name::Function(called));
    }

    /// Writes the counts of a cost line. Undefined ones at the end are omitted; others are written as 0, because
    /// KCachegrind stops reading at a `.`.
    fn counts(&mut self, cost: &[Count]) {
        let shown = self.style.shown;
        let last = shown
            .iter()
            .rposition(|&event| cost[event].value().is_some());
        for &event in &shown[..last.map_or(0, |last| last + 1)] {
            let mut text = NumberText::plain(cost[event].or_zero());
            text.prepend(b' ');
            self.text(text.as_bytes());
        }
    }

    fn digits(&mut self, number: u64) {
        self.text(NumberText::of(|text| text.prepend_digits(number, 1)).as_bytes());
    }

    fn print(&mut self, text: fmt::Arguments<'_>) {
        // A vector takes any text.
        let _ = self.chunk.text.write_fmt(text);
    }

    fn text(&mut self, text: &[u8]) {
        self.chunk.text.extend_from_slice(text);
    }
}
