//! The reader of the callgrind format: all that has to be remembered from line to line, and what
//! each record does to it. Cachegrind's format and xtree files are subsets of it.

mod costs;
mod names;

use std::sync::Arc;

use super::ReadOptions;
use super::cursor::{Cursor, Malformed};
use super::header::{Header, words};
use super::ids::Ids;
use super::keeper::Keeper;
use super::lex::Piece;
use super::line::Line;
use super::record::{Name, Record};
use super::warning::{Cause, Error, Warning, Warnings};
use crate::profile::{
    Count, FileId, Formula, FunctionId, NameId, ObjectId, Part, Profile, TooMany,
};

/// How many bytes of headers may be kept: those of some ten thousand parts.
const MOST_HEADER_BYTES: usize = 64 << 20;

/// What the next cost line is.
#[derive(Clone, Copy)]
enum Next {
    /// A self cost of the current function.
    SelfCost,
    /// The inclusive cost of calls.
    Call { count: i64, line: u64 },
    /// Of no interest: the source of a jump, or the cost of calls that could not be read.
    Ignored,
}

/// The positions that relative ones are relative to.
#[derive(Clone, Copy, Default)]
struct Base {
    address: u64,
    line: u64,
}

/// What `cob=`, `cfi=` and `cfn=` said of the next call.
#[derive(Clone, Copy, Default)]
struct Callee {
    /// Whether anything was said.
    is_begun: bool,
    object: Option<ObjectId>,
    file: Option<FileId>,
    name: Option<NameId>,
}

/// A function that is called.
#[derive(Clone, Copy)]
struct Called {
    object: ObjectId,
    file: FileId,
    name: NameId,
}

/// Fills a profile from the lines of one file.
pub(super) struct Reader<'p> {
    profile: &'p mut Profile,
    options: &'p ReadOptions,
    /// The name of the file.
    path: &'p [u8],
    keeper: Arc<Keeper>,
    warnings: Warnings,
    /// The number of the line at hand.
    line: u64,
    /// The header of the current part.
    header: Header,
    /// Whether the current part's body has begun.
    in_body: bool,
    /// Whether costs are added: in the body of a part that is asked for.
    adds: bool,
    /// What the ids in parentheses stand for, by kind; they hold for the whole file.
    objects: Ids,
    files: Ids,
    names: Ids,
    /// What relative positions are relative to.
    base: Base,
    /// `ob=`.
    object: ObjectId,
    /// The last of `fl=`, `fi=`, `fe=`: where costs are counted.
    file: FileId,
    /// `fl=`: where functions begin.
    own_file: Option<FileId>,
    /// `fn=`.
    function: Option<FunctionId>,
    /// What is known of the next callee.
    callee: Callee,
    /// What the last `calls=` calls; the next one may have no `cfn=` of its own.
    called: Option<Called>,
    /// What the next cost line is.
    next: Next,
    /// Room for the counts of a line in the profile's columns, if the part has others.
    spread: Vec<Count>,
    /// How many bytes the headers take, about.
    header_bytes: usize,
}

impl<'p> Reader<'p> {
    /// A reader at the begin of a file.
    pub(super) fn new(
        profile: &'p mut Profile,
        options: &'p ReadOptions,
        path: &'p [u8],
        keeper: Arc<Keeper>,
    ) -> Result<Reader<'p>, TooMany> {
        let object = profile.add_object(b"")?;
        let file = profile.add_file(b"???")?;
        Ok(Reader {
            profile,
            options,
            path,
            keeper,
            warnings: Warnings::default(),
            line: 0,
            header: Header::default(),
            in_body: false,
            adds: false,
            objects: Ids::default(),
            files: Ids::default(),
            names: Ids::default(),
            base: Base::default(),
            object,
            file,
            own_file: None,
            function: None,
            callee: Callee::default(),
            called: None,
            next: Next::SelfCost,
            spread: Vec::new(),
            header_bytes: 0,
        })
    }

    /// The number of the last line read.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Takes in some lines.
    pub(super) fn read(&mut self, piece: &mut Piece) -> Result<(), Error> {
        let begin = self.line;
        if !self.lines(piece, 0)? {
            // It matters with which of the lines something is wrong.
            piece.lex_apart(&self.keeper);
            self.lines(piece, self.line - begin)?;
        }
        Ok(())
    }

    /// Takes in the lines that follow so many others; false if it came to some that can't be taken together.
    fn lines(&mut self, piece: &Piece, done: u64) -> Result<bool, Error> {
        let (mut lines, mut counts) = piece.after(done);
        while let Some((line, rest)) = lines.split_first() {
            lines = rest;
            self.line += 1;
            match *line {
                // The line stays where it is: taken out, its numbers would be put together from parts.
                Line::Cost(ref cost) => {
                    let (own, others) = counts.split_at(cost.given());
                    counts = others;
                    if self.self_costs(cost, own) {
                        self.line += cost.lines() - 1;
                    } else if cost.lines() == 1 {
                        self.cost_line(cost, own)?;
                    } else {
                        self.line -= 1;
                        return Ok(false);
                    }
                }
                Line::Malformed(malformed, at) => self.leave_out(malformed, at)?,
                Line::Known(of, id) => {
                    self.drop_call();
                    self.name(of, Name::Known(id.into()))?;
                }
                Line::Calls(count) => {
                    self.drop_call();
                    self.calls(count.into());
                }
                Line::Jump => {
                    self.drop_call();
                    self.next = Next::Ignored;
                }
                Line::Blank => {}
                Line::Named(of, name) => {
                    self.drop_call();
                    self.kept_name(of, None, name)?;
                }
                Line::Defined(of, id, name) => {
                    self.drop_call();
                    self.kept_name(of, Some(id), name)?;
                }
                Line::Other { start, end } => {
                    self.record(piece.record(start, end))?;
                }
            }
        }
        Ok(true)
    }

    /// Ends the file.
    pub(super) fn finish(mut self) -> Result<Warnings, Error> {
        self.drop_call();
        if self.line == 0 {
            return Err(Cause::Empty.into());
        }
        if !self.header.has_events() {
            return Err(Cause::NoEvents.into());
        }
        self.end_part()?;
        Ok(self.warnings)
    }

    /// An error at the line at hand.
    #[cold]
    fn error(&self, cause: Cause) -> Error {
        Error {
            line: Some(self.line),
            cause,
        }
    }

    /// Notes that something is wrong at the line at hand.
    #[cold]
    pub(super) fn warn(&mut self, warning: Warning) {
        self.warnings.add(self.line, warning);
    }

    fn record(&mut self, record: Record<'_>) -> Result<(), Error> {
        if !matches!(record, Record::Blank) {
            self.drop_call();
        }
        match record {
            Record::Blank | Record::Skipped => Ok(()),
            Record::Header(key, value) => self.header_line(key, value),
            Record::Name(of, name) => self.name(of, name),
            Record::Calls(value) => match Cursor::new(value).count() {
                Ok(Some(count)) => {
                    self.calls(count);
                    Ok(())
                }
                Err(Malformed::CountRange) => Err(self.error(Cause::Number)),
                _ => {
                    self.enter_body();
                    self.next = Next::Ignored;
                    if self.adds {
                        self.warn(Warning::CallCount);
                    }
                    Ok(())
                }
            },
            Record::Jump => {
                self.next = Next::Ignored;
                Ok(())
            }
            Record::Unknown => {
                self.warn(Warning::UnknownLine);
                let hopeless = !self.header.has_events() && self.warnings.untold() > 0;
                if hopeless {
                    Err(Cause::NoEvents.into())
                } else {
                    Ok(())
                }
            }
        }
    }

    /// Gives up a call whose cost line did not come: it must not take another line's cost.
    #[inline]
    fn drop_call(&mut self) {
        if let Next::Call { line, .. } = self.next {
            self.warnings.add(line, Warning::CallWithoutCost);
        }
        self.next = Next::SelfCost;
    }

    fn header_line(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        if !Header::knows(key) {
            return Ok(());
        }
        let begins_part = self.in_body || key == b"part" && self.header.is_complete();
        if begins_part && !Header::is_footer(key) {
            self.end_part()?;
        }
        self.keep(key.len() + value.len())?;
        if let Some(warning) = self
            .header
            .line(key, value)
            .map_err(|cause| self.error(cause))?
        {
            self.warn(warning);
        }
        if key == b"events" {
            self.begin_body(value)?;
        }
        if key == b"event"
            && let Some((name, formula)) = Formula::parse_definition(value)
        {
            self.profile.events.define(name, formula);
        }
        Ok(())
    }

    /// Sets out the columns that an `events:` line names. Whatever was current is so no longer.
    fn begin_body(&mut self, names: &[u8]) -> Result<(), Error> {
        let mut columns = Vec::new();
        for name in words(names) {
            let event = self
                .profile
                .add_event(name)
                .map_err(|TooMany| self.error(Cause::ManyEvents))?;
            if columns.contains(&event) {
                return Err(self.error(Cause::SameEvent));
            }
            columns.push(event);
        }
        if columns.is_empty() {
            return Err(self.error(Cause::NoEvents));
        }
        self.spread = vec![Count::UNDEFINED; self.profile.events.len()];
        self.header.set_columns(columns);
        let unknown = self
            .profile
            .add_object(b"")
            .and_then(|object| Ok((object, self.profile.add_file(b"???")?)));
        (self.object, self.file) = unknown.map_err(|TooMany| self.error(Cause::TooMany))?;
        self.own_file = None;
        self.function = None;
        self.base = Base::default();
        Ok(())
    }

    /// Notes that the header of the current part is complete.
    #[inline]
    fn enter_body(&mut self) {
        if !self.in_body {
            self.in_body = true;
            self.adds = self.options.wants(&self.header.part);
        }
    }

    /// Notes that so many more bytes of headers are kept: unlike costs they do not add up, so that a file could
    /// have any number of them.
    fn keep(&mut self, bytes: usize) -> Result<(), Error> {
        self.header_bytes += bytes + size_of::<Vec<u8>>();
        if self.header_bytes > MOST_HEADER_BYTES {
            return Err(self.error(Cause::Headers));
        }
        Ok(())
    }

    fn end_part(&mut self) -> Result<(), Error> {
        self.in_body = false;
        self.adds = false;
        if self.header.is_cut_short() {
            self.warn(Warning::CutShort);
        }
        let Some(part) = self
            .header
            .end_part()
            .filter(|part| self.options.wants(part))
        else {
            return Ok(());
        };
        // The names that the next one inherits too.
        let names = [&part.creator, &part.command, &part.pid];
        let names: usize = names.into_iter().flatten().map(Vec::len).sum();
        let columns = part.columns.len() * size_of::<(usize, Count)>();
        self.keep(size_of::<Part>() + self.path.len() + names + columns)?;
        for (column, &event) in part.columns.iter().enumerate() {
            if let Some(off) = part.is_off_by(column) {
                let event = String::from_utf8_lossy(self.profile.events.name(event))
                    .escape_debug()
                    .to_string();
                self.warn(Warning::Totals { event, off });
            }
        }
        self.profile.parts.push(Part {
            file: self.path.to_vec(),
            ..part
        });
        Ok(())
    }

    /// Notes that a function is called so many times from where the next cost line is.
    fn calls(&mut self, count: i64) {
        self.enter_body();
        self.next = Next::Ignored;
        if !self.adds {
            return;
        }
        let Callee {
            object, file, name, ..
        } = std::mem::take(&mut self.callee);
        if let Some(name) = name {
            self.called = Some(Called {
                object: object.unwrap_or(self.object),
                file: file.unwrap_or(self.file),
                name,
            });
        }
        let line = self.line;
        match self.called {
            Some(_) => self.next = Next::Call { count, line },
            None => self.warn(Warning::CallWithoutName),
        }
    }
}
