//! The profile in callgrind's format: merged, renamed or filtered. KCachegrind,
//! callgrind_annotate and cgannotate read the same sums from it.
//!
//! Positions are absolute, because readers differ in how they resolve relative ones.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::profile::{
    Count, Division, FileId, Function, FunctionId, ObjectId, Ordered, Part, Profile,
};
use crate::render::Style;
use crate::render::number::NumberText;
use crate::view::{Export, ExportLine, ExportRecord, Total};

/// Writes a profile with the events that `style` shows; events that the profile derives keep their
/// formulas. None of its names may be one that `unwritable_name` finds.
pub fn write_callgrind(
    written: &Export<'_>,
    profile: &Profile,
    total: &Total,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let self_cost = written.self_cost();
    let mut writer = Writer::new(profile, style, out);
    writer.header()?;
    // A calculated total is not written, unless readers would compute a different one.
    let is_stated = profile.parts().iter().any(|part| !part.is_calculated);
    let total = &total.figure.value;
    if is_stated || *total != self_cost {
        writer.totals("summary", total)?;
    }
    for &function in &written.functions {
        writer.function(function)?;
        for line in written.lines(function) {
            writer.line(profile.function(function), &line)?;
        }
    }
    if is_stated {
        writeln!(writer.out)?;
        writer.totals("totals", &self_cost)?;
    }
    Ok(())
}

/// A name that the format cannot represent, because it has a newline.
pub fn unwritable_name(profile: &Profile) -> Option<&[u8]> {
    let objects = profile
        .functions()
        .map(|(_, function)| function.object)
        .map(|object| profile.object(object));
    let mut names = profile.files().chain(profile.names()).chain(objects);
    names.find(|name| name.contains(&b'\n'))
}

/// Writes the profile; names are written once with a number, later as the number alone.
struct Writer<'a, W> {
    profile: &'a Profile,
    style: Style<'a>,
    out: &'a mut W,
    objects: Ordered<ObjectId, ()>,
    files: Ordered<FileId, ()>,
    functions: Ordered<FunctionId, ()>,
    /// The object and file that a reader assumes for the next line.
    object: Option<ObjectId>,
    file: Option<FileId>,
    /// The function that the last lines were inlined from.
    inlined: Division,
}

impl<'a, W: Write> Writer<'a, W> {
    fn new(profile: &'a Profile, style: Style<'a>, out: &'a mut W) -> Writer<'a, W> {
        Writer {
            profile,
            style,
            out,
            objects: Ordered::default(),
            files: Ordered::default(),
            functions: Ordered::default(),
            object: None,
            file: None,
            inlined: Division::None,
        }
    }

    /// Writes the header, for instructions too if there are any.
    fn header(&mut self) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        write!(self.out, "# callgrind format\nversion: 1\ncreator: cgannotate-{version}")?;
        let parts = self.profile.parts();
        // Levels of recursion and contexts are known by who made the names.
        if let Some(callgrind) = common(parts, Part::callgrind) {
            self.out.write_all(b" (")?;
            self.out.write_all(callgrind)?;
            self.out.write_all(b")")?;
        }
        writeln!(self.out)?;
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
        if self.profile.has_divided() {
            self.field("desc", Some(b"Estimates: costs and calls of functions that were divided"))?;
        }
        let side = &self.profile.sides().new;
        let positions = match (side.has_addresses, side.has_lines) {
            (true, true) => "instr line",
            (true, false) => "instr",
            (false, _) => "line",
        };
        writeln!(self.out, "positions: {positions}")?;
        let events = self.profile.events();
        let shown: Vec<_> = self.style.shown.iter().map(|&event| events.name(event)).collect();
        let long_name = |name| match events.long_name(name) {
            Some(long_name) => [b" : ", long_name].concat(),
            None => Vec::new(),
        };
        for (name, formula) in events.formulas() {
            let is_of_format = !formula.is_ratio() && !formula.has_decimals();
            if !shown.contains(&name) && is_of_format {
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
            self.rest(value)?;
        }
        Ok(())
    }

    /// Writes the rest of a line. A carriage return at its end would be read as part of the
    /// newline.
    fn rest(&mut self, text: &[u8]) -> io::Result<()> {
        super::write_escaped(text, self.style.escapes, self.out)?;
        self.out.write_all(match text.last() {
            Some(b'\r') => b"\r\n",
            _ => b"\n",
        })
    }

    /// Writes a total. Undefined counts are written as 0, because a total has a number for each
    /// event.
    fn totals(&mut self, key: &str, cost: &[Count]) -> io::Result<()> {
        write!(self.out, "{key}:")?;
        for &event in self.style.shown {
            write!(self.out, " {}", cost[event].or_zero())?;
        }
        writeln!(self.out)
    }

    fn function(&mut self, id: FunctionId) -> io::Result<()> {
        let function = self.profile.function(id);
        self.out.write_all(b"\n")?;
        if self.object.replace(function.object) != Some(function.object) {
            self.write_object("ob", function.object)?;
        }
        self.write_file("fl", function.file)?;
        self.file = Some(function.file);
        self.inlined = Division::None;
        self.write_function("fn", id)
    }

    /// Writes a self cost, a jump, or calls with their cost.
    fn line(&mut self, function: &Function, line: &ExportLine<'_>) -> io::Result<()> {
        let at = line.at;
        self.enter_file(function, at.file)?;
        self.enter_inlined(at.division)?;
        let cost = match &line.record {
            ExportRecord::Cost(cost) => Some(&cost[..]),
            ExportRecord::Jump(jump, taken, executed) => {
                let target = jump.target;
                if target.file != at.file {
                    self.write_file("jfi", target.file)?;
                }
                if target.function != at.function {
                    self.write_function("jfn", target.function)?;
                }
                if jump.is_conditional {
                    write!(self.out, "jcnd={taken}/{executed} ")?
                } else {
                    write!(self.out, "jump={taken} ")?
                }
                self.position((target.address, target.line))?;
                self.out.write_all(b"\n")?;
                None
            }
            ExportRecord::Call(call, count, cost) => {
                self.callee(function, at.file, call.callee)?;
                // The format has no negative numbers of calls. They are wrapped: callgrind_annotate
                // would take the cost of a call with a minus sign for self cost.
                self.out.write_all(b"calls=")?;
                self.digits(count.cast_unsigned())?;
                self.out.write_all(b" ")?;
                self.position(self.profile.target(*call))?;
                self.out.write_all(b"\n")?;
                Some(&cost[..])
            }
        };
        self.position((at.address, at.line))?;
        if let Some(cost) = cost {
            let events = self.profile.events();
            let mut cost = Cow::Borrowed(cost);
            if events.has_derived() {
                events.derive(cost.to_mut());
            }
            self.counts(&cost)?;
        }
        self.out.write_all(b"\n")
    }

    fn position(&mut self, (address, line): (u64, u32)) -> io::Result<()> {
        let side = &self.profile.sides().new;
        match (side.has_addresses, side.has_lines) {
            (true, true) => write!(self.out, "{address:#x} {line}"),
            (true, false) => write!(self.out, "{address:#x}"),
            (false, _) => self.digits(line.into()),
        }
    }

    /// Writes the file of the next line, if it differs from that of the last one.
    fn enter_file(&mut self, function: &Function, file: FileId) -> io::Result<()> {
        if self.file.replace(file) == Some(file) {
            return Ok(());
        }
        self.write_file(if file == function.file { "fe" } else { "fi" }, file)
    }

    /// Writes the function that the next line was inlined from, if it differs from that of the last
    /// one.
    fn enter_inlined(&mut self, division: Division) -> io::Result<()> {
        if std::mem::replace(&mut self.inlined, division) == division {
            return Ok(());
        }
        let name = division.inlined();
        let name = name.map_or(&b"???"[..], |name| self.profile.name(name));
        self.out.write_all(b"cfni=")?;
        self.rest(name)
    }

    /// Writes the callee of the next calls, which are made in `file`.
    fn callee(&mut self, function: &Function, file: FileId, called: FunctionId) -> io::Result<()> {
        let callee = self.profile.function(called);
        if callee.object != function.object {
            self.write_object("cob", callee.object)?;
        }
        // Written even if readers would assume it.
        if callee.file != file || file != function.file {
            self.write_file("cfi", callee.file)?;
        }
        self.write_function("cfn", called)
    }

    /// Writes the counts of a cost line. Undefined ones at the end are omitted; others are written
    /// as 0, because KCachegrind stops reading at a `.`.
    fn counts(&mut self, cost: &[Count]) -> io::Result<()> {
        let shown = self.style.shown;
        let last = shown.iter().rposition(|&event| cost[event].value().is_some());
        for &event in &shown[..last.map_or(0, |last| last + 1)] {
            let mut text = NumberText::new();
            text.prepend_plain(cost[event].or_zero());
            text.prepend(b' ');
            self.out.write_all(text.as_bytes())?;
        }
        Ok(())
    }

    fn digits(&mut self, number: u64) -> io::Result<()> {
        let text = NumberText::of(|text| text.prepend_digits(number, 1));
        self.out.write_all(text.as_bytes())
    }

    fn write_object(&mut self, key: &str, object: ObjectId) -> io::Result<()> {
        let number = self.objects.insert_full(object, ());
        self.write_name(key, number, self.profile.object(object))
    }

    fn write_file(&mut self, key: &str, file: FileId) -> io::Result<()> {
        let number = self.files.insert_full(file, ());
        self.write_name(key, number, self.profile.file(file))
    }

    /// Each function has its own number, even if names are equal: for KCachegrind a number
    /// identifies the function in the file and the object in which it was first named.
    fn write_function(&mut self, key: &str, function: FunctionId) -> io::Result<()> {
        let number = self.functions.insert_full(function, ());
        let name = self.profile.function(function).name;
        self.write_name(key, number, self.profile.name(name))
    }

    /// Writes a name with its number from 1, later the number alone: then it has been in the map
    /// before.
    fn write_name(
        &mut self,
        key: &str,
        (at, before): (usize, Option<()>),
        name: &[u8],
    ) -> io::Result<()> {
        self.out.write_all(key.as_bytes())?;
        // A name after a number cannot be empty or start with a space; such names are written
        // without numbers.
        if name.first().is_none_or(u8::is_ascii_whitespace) {
            self.out.write_all(b"=")?;
            return self.rest(name);
        }
        self.out.write_all(b"=(")?;
        self.digits(at as u64 + 1)?;
        if before.is_some() {
            return self.out.write_all(b")\n");
        }
        self.out.write_all(b") ")?;
        self.rest(name)
    }
}

fn common<'p>(parts: &'p [Part], value: impl Fn(&'p Part) -> Option<&'p [u8]>) -> Option<&'p [u8]> {
    let first = value(parts.first()?)?;
    let is_common = parts.iter().all(|part| value(part) == Some(first));
    is_common.then_some(first)
}
